//! Ruby: blocks that become methods, parts of types, methods without `end`, and guesses.

use super::{check, links, resolved_outcome};

/// The body without parentheses ended the class for the parser.
#[test]
fn a_method_without_end_calls_without_parentheses() {
    check(
        "//- /a.rb\nmodule Shop\n  class Base\n    def run(a)\n    end\n    def need(**all) = raise NotImplementedError, \"subclass\"\n    def last\n    end\n  end\nend\n//- /b.rb\nmodule Shop\n  class Cart < Base\n  end\nend\nShop::Cart.new.$0last\n",
        "a.rb:6 Shop::Base#last Inherited",
    );
}

/// A path through a class to a module in it, or to a constant of another part of the class, led to the
/// class itself and not to an instance.
#[test]
fn instances_of_types_in_parts_of_a_class() {
    let of = |call: &str| {
        format!(
            "//- /a.rb\nclass Money\n  module Bank\n    class Rates\n      def store\n      end\n    end\n  end\nend\n//- /spec/more.rb\nclass Money\n  def other\n  end\nend\n//- /spec/b.rb\n{call}\n"
        )
    };
    let store = "a.rb:4 Money::Bank::Rates#store Receiver";
    check(&of("Money::Bank::Rates.new.$0store"), store);
    check(&of("rates = Money::Bank::Rates.new\nrates.$0store"), store);
}

/// A block that is passed to `define_method` runs in an instance.
#[test]
fn blocks_become_methods() {
    let of = |body: &str| {
        format!(
            "//- /a.rb\nclass Node\n  def turn(a)\n  end\nend\nclass Other\n  def turn(a)\n  end\nend\nclass Tree\n  def turn(a)\n  end\n  def self.own(&block)\n    define_method(:run, &block)\n  end\n  def self.node(&block)\n    Class.new(const_get(:Node)) do\n      define_method(:run, &block)\n    end\n  end\n  def self.send_to(&block)\n    Other.send(:define_method, :run, &block)\n  end\nend\nclass Use < Tree\n  {body}\nend\n"
        )
    };
    check(&of("own { |a| $0turn(a) }"), "a.rb:10 Tree#turn Inherited");
    check(&of("node { |a| $0turn(a) }"), "a.rb:2 Node#turn Inherited");
    check(&of("send_to { |a| $0turn(a) }"), "a.rb:6 Other#turn Inherited");
    check(
        &of(
            "def self.make\n    Class.new(Node) do\n      define_method(:run) { |a| $0turn(a) }\n    end\n  end",
        ),
        "a.rb:2 Node#turn Receiver",
    );
}

/// A function in a block that does not contain the call was certain.
#[test]
fn functions_in_other_blocks_are_uncertain() {
    let of = |call: &str| {
        format!(
            "//- /a_spec.rb\ndescribe 'a' do\n  made do\n    def process(a)\n    end\n    {}\n  end\n  made do\n    {}\n  end\nend\n",
            if call == "inside" { "$0process(1)" } else { "" },
            if call == "inside" { "" } else { "$0process(1)" },
        )
    };
    assert!(links(&of("inside"))[0].confidence >= 0.9);
    let outcome = resolved_outcome(&of("outside"));
    assert!(outcome.links[0].confidence < 0.9 && outcome.is_open, "{outcome:?}");
}

/// A guess counted the call as one of another definition for all others of its name.
#[test]
fn guesses_are_open() {
    let text = "//- /a.rb\nclass Reader\n  def fold(a, b)\n  end\nend\nclass Writer\n  def fold(a)\n  end\nend\ndef use(it)\n  it.$0fold(1, 2)\nend\n";
    let outcome = resolved_outcome(text);
    assert!(!outcome.links.is_empty() && outcome.is_open, "{outcome:?}");
    let known = resolved_outcome(&text.replace("it.$0fold", "Reader.new.$0fold"));
    assert!(!known.is_open, "{known:?}");
}

/// The only method of that name of the repository was the answer.
#[test]
fn functions_of_test_frameworks_are_no_guesses() {
    let of = |path: &str| {
        format!(
            "//- /a.rb\nclass Parser\n  def expect(a)\n  end\nend\n//- /{path}\ndescribe 'a' do\n  it 'b' do\n    $0expect(1)\n  end\nend\n"
        )
    };
    check(&of("spec/a_spec.rb"), "");
    check(&of("lib/b.rb"), "a.rb:2 Parser#expect UniqueName");
}

/// A method of a module itself was one of the types that include the module.
#[test]
fn methods_of_a_module_itself_are_not_inherited() {
    check(
        "//- /a.rb\nmodule Shell\n  def shell\n  end\nend\nmodule Base\n  def self.included(base)\n    base.send :include, Shell\n  end\n  class << self\n    def shell\n    end\n  end\nend\nclass Runner\n  include Base\nend\nRunner.new.$0shell\n",
        "a.rb:2 Shell#shell Inherited",
    );
}

/// A function in a block of another file was the answer for all definitions of its name.
#[test]
fn functions_in_blocks_of_other_files_are_open() {
    let outcome = resolved_outcome(
        "//- /spec/a_spec.rb\ndescribe 'a' do\n  def view(a)\n  end\nend\n//- /lib/b.rb\nmodule Render\n  def view(a)\n  end\nend\n//- /spec/c_spec.rb\ndescribe 'c' do\n  route { $0view(1) }\nend\n",
    );
    assert!(outcome.is_open, "{outcome:?}");
}

/// A constant of the class that includes a module was taken for one from outside.
#[test]
fn constants_of_the_own_class_may_be_those_of_a_user() {
    let outcome = resolved_outcome(
        "//- /a.rb\nmodule Methods\n  def initialize\n    kind = self.class\n    @request = kind::Request.new(1)\n  end\n  def go\n    @request.$0finish(1)\n  end\nend\nmodule Other\n  def finish(a)\n  end\nend\nmodule Third\n  def finish(a)\n  end\nend\n",
    );
    assert!(!outcome.is_outside, "{outcome:?}");
}

/// A call of `new` in a module that extends a class was unresolved.
#[test]
fn modules_construct_the_class_that_they_extend() {
    check(
        "//- /a.rb\nmodule Makers\n  def pounds(a)\n    $0new(a)\n  end\nend\nclass Money\n  extend Makers\n  def initialize(a)\n  end\nend\n",
        "a.rb:8 Money#initialize Implementation",
    );
}

/// A block of `map` without a receiver runs in the same object.
#[test]
fn blocks_for_elements_run_in_the_same_object() {
    check(
        "//- /a.rb\nclass Node\n  def turn(a)\n  end\nend\nclass Other\n  def turn(a)\n  end\nend\nclass Tree\n  def self.node(&block)\n    Class.new(Node) do\n      define_method(:run, &block)\n    end\n  end\nend\nclass Use < Tree\n  node { |a| map { |b| $0turn(b) } }\nend\n",
        "a.rb:2 Node#turn Inherited",
    );
}
