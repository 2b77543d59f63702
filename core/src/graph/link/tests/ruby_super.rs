//! Ruby's `super`.

use super::{check, links, resolved_outcome};

fn tree(class: &str) -> String {
    format!(
        "//- /a.rb\nmodule Loud\n  def run(a)\n  end\nend\nmodule Front\n  def run(a)\n  end\nend\nclass Base\n  def run(a)\n  end\n  def self.make\n  end\n  def initialize(a)\n  end\nend\n//- /b.rb\n{class}\n"
    )
}

/// `super` was no use of the method that it calls.
#[test]
fn the_next_definition_of_the_method() {
    check(
        &tree("class A < Base\n  def run(a)\n    $0super\n  end\nend"),
        "a.rb:10 Base#run Inherited",
    );
    check(
        &tree("class A < Base\n  def run(a)\n    [1].each { $0super(a) }\n  end\nend"),
        "a.rb:10 Base#run Inherited",
    );
    check(
        &tree("class A < Base\n  def initialize\n    $0super(1)\n  end\nend"),
        "a.rb:14 Base#initialize Inherited",
    );
    check(
        &tree("class A < Base\n  def self.make\n    $0super\n  end\nend"),
        "a.rb:12 Base.make Inherited",
    );
    check(
        &tree("class A < Base\n  class << self\n    def make\n      $0super\n    end\n  end\nend"),
        "a.rb:12 Base.make Inherited",
    );
    check(
        &tree("class A < Base\n  define_method(:run) do |a|\n    $0super(a)\n  end\nend"),
        "a.rb:10 Base#run Inherited",
    );
    // Through a class without the method.
    check(
        &tree("class B < Base\nend\nclass A < B\n  def run(a)\n    $0super\n  end\nend"),
        "a.rb:10 Base#run Inherited",
    );
    let found = links(&tree("class A < Base\n  def run(a)\n    $0super\n  end\nend"));
    assert!(found[0].confidence >= 0.9, "{found:?}");
}

/// Modules precede the superclass, the one that is included last comes first, and a prepended one is in
/// front of the class.
#[test]
fn modules_precede_the_superclass() {
    check(
        &tree(
            "class A < Base\n  include Front\n  include Loud\n  def run(a)\n    $0super\n  end\nend",
        ),
        "a.rb:2 Loud#run Inherited",
    );
    check(
        &tree("class A < Base\n  prepend Loud\n  def run(a)\n    $0super\n  end\nend"),
        "a.rb:10 Base#run Inherited",
    );
    check(
        &tree(
            "module Made\n  def make\n  end\nend\nclass A < Base\n  extend Made\n  def self.make\n    $0super\n  end\nend",
        ),
        "b.rb:2 Made#make Inherited",
    );
}

/// What comes after a module is what the types that include it have behind it.
#[test]
fn modules_call_what_their_users_inherit() {
    let user = |user: &str| {
        tree(&format!(
            "module Add\n  def run(a)\n    $0super\n  end\nend\nclass A < Base\n{user}\nend"
        ))
    };
    let of = user("  include Add");
    check(&of, "a.rb:10 Base#run Inherited");
    let found = links(&of);
    assert!((0.45..0.9).contains(&found[0].confidence), "{found:?}");
    check(&user("  include Loud\n  include Add"), "a.rb:2 Loud#run Inherited");
    // Behind the class, which is in front of its modules, but not of a prepended one.
    check(&user("  include Add\n  def run(a)\n  end"), "a.rb:10 Base#run Inherited");
    check(&user("  prepend Add\n  def run(a)\n  end"), "b.rb:8 A#run Inherited");
    // Methods of the type itself, by way of a hook.
    check(
        &tree(
            "module Add\n  def self.included(base)\n    base.extend ClassMethods\n  end\n  module ClassMethods\n    def make\n      $0super\n    end\n  end\nend\nclass A < Base\n  include Add\nend",
        ),
        "a.rb:12 Base.make Inherited",
    );
    // Two users have two answers.
    let two = tree(
        "module Add\n  def run(a)\n    $0super\n  end\nend\nclass A < Base\n  include Add\nend\nclass B\n  include Loud\n  include Add\nend",
    );
    let found = links(&two);
    assert!(found.len() == 2 && found.iter().all(|it| it.confidence < 0.9), "{found:?}");
    // The last included one is a module that another one includes.
    check(
        &tree("module Add\n  include Loud\n  def run(a)\n    $0super\n  end\nend"),
        "a.rb:2 Loud#run Inherited",
    );
}

/// What nothing of the repository has leaves it, and what is unknown is unresolved.
#[test]
fn the_next_definition_is_outside_or_unknown() {
    let is_outside = |text: &str| {
        let outcome = resolved_outcome(&tree(text));
        assert!(outcome.links.is_empty(), "{outcome:?}");
        outcome.is_outside
    };
    assert!(is_outside("class A\n  def to_s\n    $0super\n  end\nend"));
    assert!(is_outside("class A\n  def run(a)\n    $0super\n  end\nend"));
    assert!(is_outside("class A < Rack::Server\n  def run(a)\n    $0super\n  end\nend"));
    assert!(is_outside("class A < Base\n  def other\n    $0super\n  end\nend"));
    assert!(is_outside("class A\n  def self.inherited(c)\n    $0super\n  end\nend"));
    // Nothing includes the module.
    assert!(!is_outside("module Alone\n  def other\n    $0super\n  end\nend"));
    assert!(!is_outside("Outer.class_eval do\n  def other\n    $0super\n  end\nend"));
    // A method of one object.
    assert!(!is_outside("value = Base.new(1)\ndef value.run(a)\n  $0super\nend"));
}

/// The class of a block derives from the one that is written.
#[test]
fn classes_that_a_block_makes() {
    check(
        &tree(
            "class Other\n  def use\n    Class.new(Base) do\n      def run(a)\n        $0super\n      end\n    end\n  end\nend",
        ),
        "a.rb:10 Base#run Inherited",
    );
}

/// Modules of plugins replace each other's methods, and nothing shows which types include them.
#[test]
fn plugins_call_what_they_replace() {
    let of = "//- /a.rb\nmodule Plugins\n  module First\n    module Methods\n      def call(a)\n      end\n    end\n  end\n  module Second\n    module Methods\n      def call(a)\n        $0super\n      end\n    end\n  end\n  module Third\n    module Methods\n      def call(a)\n        super\n      end\n    end\n  end\nend\n";
    check(of, "a.rb:4 Plugins::First::Methods#call OnlyFit");
    assert!(links(of)[0].confidence < 0.9);
}

/// Modules that include each other are searched once.
#[test]
fn cycles_of_modules_end() {
    check(
        "//- /a.rb\nmodule A\n  include B\n  def run\n    $0super\n  end\nend\nmodule B\n  include A\n  def run\n    super\n  end\nend\n",
        "a.rb:9 B#run Inherited",
    );
}
