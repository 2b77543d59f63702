//! Ruby: which of several methods of one name a call runs.

use super::{check, links};

const LOUD: &str = "\
//- /lib/loud.rb
module Loud
  def say
  end
  def only
  end
end
class Dog
  prepend Loud
  def say
  end
  def self.say
  end
  def run
    say
  end
end
class Cat
  include Loud
  def say
  end
end
class Puppy < Dog
end
class Cow
  def say
  end
end
//- /lib/cow.rb
class Cow
  prepend Loud
end
";

/// The method of the class was stated where that of a prepended module runs.
#[test]
fn methods_of_prepended_modules_come_first() {
    let of = |line: &str| format!("{LOUD}//- /main.rb\ndef go\n  {line}\nend\n");
    let loud = |reason: &str| format!("lib/loud.rb:2 Loud#say {reason}");
    check(&of("Dog.new.$0say"), &loud("Inherited"));
    check(&of("Puppy.new.$0say"), &loud("Inherited"));
    check(&of("Cow.new.$0say"), &loud("Inherited"));
    check(&of("Dog.new.$0only"), "lib/loud.rb:4 Loud#only Inherited");
    check(&of("Dog.$0say"), "lib/loud.rb:11 Dog.say Receiver");
    check(&of("Cat.new.$0say"), "lib/loud.rb:19 Cat#say Receiver");
    check(&LOUD.replace("    say\n", "    $0say\n"), &loud("Inherited"));
}

/// A method of one object was reached by its bare name.
#[test]
fn methods_of_one_object_have_no_bare_name() {
    let of = |line: &str| {
        format!(
            "//- /a.rb\no = Object.new\ndef o.say\nend\ndef Dog.bark\nend\ndef go\n  {line}\nend\nclass Dog\nend\n"
        )
    };
    for line in ["$0say", "$0bark", "p = Object.new\n  def p.ring\n  end\n  $0ring"] {
        let found = links(&of(line));
        assert!(found.iter().all(|link| link.confidence < 0.9), "{line}: {found:?}");
    }
    check(&of("Dog.$0bark"), "a.rb:4 Dog.bark Receiver");
}

const SHAPES: &str = "\
//- /lib/shapes.rb
class Circle
  def draw
  end
  def round
  end
end
class Square
  def draw
  end
end
class Shapes
  def pick(kind)
    if kind
      Circle.new
    else
      Square.new
    end
  end
  def early(kind)
    return Square.new if kind
    Circle.new
  end
  def same(kind)
    kind ? Circle.new : Circle.new
  end
end
";

/// The first of two values was stated with a high confidence.
#[test]
fn nothing_selects_one_of_two_values() {
    let of = |line: &str| format!("{SHAPES}//- /main.rb\ndef go(a)\n  {line}\nend\n");
    let calls = [
        "Shapes.new.pick(1).$0draw",
        "Shapes.new.early(1).$0draw",
        "x = a ? Circle.new : Square.new\n  x.$0draw",
        "(Circle.new || Square.new).$0draw",
    ];
    for call in calls {
        let found = links(&of(call));
        let stated: Vec<f32> = found.iter().map(|link| link.confidence).collect();
        assert!(
            matches!(stated[..], [a, b] if a < 0.9 && (0.45..0.9).contains(&b)),
            "{call}: {found:?}"
        );
    }
    check(&of("Shapes.new.pick(1).$0round"), "lib/shapes.rb:4 Circle#round Receiver");
    let same = links(&of("Shapes.new.same(1).$0draw"));
    assert!(matches!(&same[..], [only] if only.confidence > 0.9), "{same:?}");
}

const LOOPS: &str = "\
//- /lib/loops.rb
module Tool
  NAMES = [:hammer, :saw].freeze
  module Base
    %w(first second).each do |name|
      module_eval <<-TEXT, __FILE__, __LINE__ + 1
        def #{name}(x)
          config.#{name}
        end
        def #{name}?
        end
      TEXT
    end
    NAMES.each { |name| define_method(\"use_#{name}\") { 1 } }
    NAMES.each { |name| define_method name do 1 end }
    def other
    end
  end
  extend Base
end
class Config
  attr_reader :unknown
end
";

/// Methods that a loop defines were no definitions, and modules did not have those of modules that they
/// extend.
#[test]
fn loops_over_names_define_methods() {
    let of = |line: &str| format!("{LOOPS}//- /main.rb\ndef go\n  {line}\nend\n");
    check(&of("Tool.$0second(1)"), "lib/loops.rb:5 Tool::Base#second Inherited");
    check(&of("Tool.$0first?"), "lib/loops.rb:5 Tool::Base#first? Inherited");
    check(&of("Tool.$0use_saw"), "lib/loops.rb:13 Tool::Base#use_saw Inherited");
    check(&of("Tool.$0hammer"), "lib/loops.rb:14 Tool::Base#hammer Inherited");
    check(&of("Tool.$0other"), "lib/loops.rb:15 Tool::Base#other Inherited");
    // An instance of another class has this method.
    check(&of("Tool.$0unknown"), "");
}

/// A module that is included adds other modules to the type.
#[test]
fn included_modules_extend_the_type() {
    let of = |line: &str| {
        format!(
            "//- /lib/base.rb\nmodule Base\n  module ClassMethods\n    attr_accessor :registry\n    def start(args)\n    \
             end\n  end\n  module Extra\n    def extra\n    end\n  end\n  def self.included(base)\n    \
             base.extend ClassMethods\n    base.send :include, Extra\n  end\nend\nclass Tool\n  include Base\nend\n\
             class Other\n  def start(args)\n  end\n  def extra\n  end\nend\n\
             //- /lib/more.rb\nmodule More\n  def more\n  end\nend\nclass Tool\n  include More\nend\n\
             //- /main.rb\ndef go\n  {line}\nend\n"
        )
    };
    check(&of("Tool.$0start(1)"), "lib/base.rb:4 Base::ClassMethods#start Inherited");
    check(&of("Tool.$0registry"), "lib/base.rb:3 Base::ClassMethods#registry Inherited");
    check(&of("Tool.new.$0extra"), "lib/base.rb:8 Base::Extra#extra Inherited");
    check(&of("Tool.new.$0more"), "lib/more.rb:2 More#more Inherited");
}

const GARAGE: &str = "\
//- /lib/garage.rb
class Car
  def wash
  end
end
class Dog
  def wash
  end
end
class Garage
  def initialize(car, dog: nil)
    @car = car
    @dog = dog
  end
  def clean
    @car.wash
    @dog.wash
  end
  def scrub(it)
    it.wash
  end
  def both(it)
    it.wash
  end
  def run
    dog = Dog.new
    scrub(dog)
    both(dog)
    both Car.new
  end
end
Garage.new(Car.new, dog: Dog.new)
";

/// The values of parameters and of instance variables that the constructor sets from them were unknown.
#[test]
fn calls_show_what_parameters_are() {
    let (car, dog) = ("lib/garage.rb:2 Car#wash Receiver", "lib/garage.rb:6 Dog#wash Receiver");
    check(&GARAGE.replace("@car.wash", "@car.$0wash"), car);
    check(&GARAGE.replace("@dog.wash", "@dog.$0wash"), dog);
    check(&GARAGE.replace("scrub(it)\n    it.wash", "scrub(it)\n    it.$0wash"), dog);
    // The calls pass values of two types.
    let both = links(&GARAGE.replace("both(it)\n    it.wash", "both(it)\n    it.$0wash"));
    assert!(both.iter().all(|link| link.confidence < 0.9), "{both:?}");
}

/// Helpers of specifications were visible in other blocks.
#[test]
fn helpers_are_visible_in_their_block() {
    let spec = |line: &str| {
        format!(
            "//- /spec/a_spec.rb\ndescribe 'a' do\n  def file\n  end\n  it 'b' do\n    {line}\n  end\n  \
             describe 'c' do\n    def file\n    end\n    def inner\n    end\n  end\nend\n\
             //- /spec/b_spec.rb\ndescribe 'b' do\n  it 'c' do\n    inner\n  end\nend\n"
        )
    };
    check(&spec("$0file"), "spec/a_spec.rb:2 file SameFile");
    let other = links(&spec("").replace("    inner\n", "    $0inner\n"));
    assert!(other.iter().all(|link| link.confidence < 0.9), "{other:?}");
}

/// The users of a module were followed without a bound, which overflowed the stack.
#[test]
fn modules_that_include_each_other_end() {
    let of = |line: &str| {
        format!(
            "//- /lib/sides.rb\nmodule Left\n  include Right\n  def go\n    {line}\n  end\nend\n\
             module Right\n  include Left\nend\nmodule Alone\n  include Alone\n  def go\n    \
             missing\n  end\nend\nclass Tool\n  include Left\n  def turn\n  end\nend\n"
        )
    };
    check(&of("$0turn"), "lib/sides.rb:18 Tool#turn Implementation");
    check(&of("$0missing"), "");
    check(&of("turn").replace("missing", "$0missing"), "");
}

/// Each part of a class that has no constructor ranked above the part that has it.
#[test]
fn the_constructor_may_be_in_another_part_of_a_class() {
    let parts = "//- /spec/parts.rb\nclass Price\n  def a\n  end\nend\nclass Price\n  def b\n  end\nend\n//- /lib/price.rb\nclass Price\n  def initialize(a)\n  end\nend\n//- /spec/use.rb\n";
    check(&format!("{parts}Price.$0new(1)\n"), "lib/price.rb:2 Price#initialize Program");
}

/// The superclass came first.
#[test]
fn modules_come_before_the_superclass_and_the_last_one_first() {
    let tree = |call: &str| {
        format!(
            "//- /a.rb\nmodule Core\n  def run(a)\n  end\nend\nclass Base\n  include Core\nend\nmodule Extra\n  def run(a)\n  end\nend\nmodule Last\n  def run(a)\n  end\nend\nclass Plain < Base\nend\nclass One < Base\n  include Extra\nend\nclass Two < Base\n  include Extra\n  include Last\nend\n{call}\n"
        )
    };
    check(&tree("Plain.new.$0run(1)"), "a.rb:2 Core#run Inherited");
    check(&tree("One.new.$0run(1)"), "a.rb:9 Extra#run Inherited");
    check(&tree("Two.new.$0run(1)"), "a.rb:13 Last#run Inherited");
}

/// Each type that includes a module was searched once for each other one, until no look-ups were left.
#[test]
fn a_module_that_many_types_include() {
    let users: String = (0..16)
        .map(|at| {
            format!(
                "//- /test/t{at}.rb\nclass T{at} < Case\n  include Rake\n  include Rake::DSL\nend\n"
            )
        })
        .collect();
    check(
        &format!(
            "{users}//- /lib/rake.rb\nmodule Rake\n  module DSL\n  end\n  class Application\n    def options\n    end\n  end\n\
             \x20 class << self\n    def application\n      @application ||= Rake::Application.new\n    end\n  end\nend\n\
             class Other\n  def options\n  end\nend\n\
             //- /test/a.rb\nclass A < Case\n  include Rake\n  def test_a\n    Rake.application.$0options\n  end\nend\n"
        ),
        "lib/rake.rb:5 Rake::Application#options Receiver",
    );
}

/// Names of a module's superclass were looked up in the module's own bases, and those again in theirs: the
/// search did not end within its bound.
#[test]
fn bases_of_bases_are_resolved_once() {
    let modules: String = (0..12)
        .map(|at| {
            let others: String = (0..12)
                .filter(|other| *other != at)
                .map(|other| format!("    include M{other}\n"))
                .collect();
            format!("//- /m{at}.rb\nmodule App\n  module M{at}\n{others}  end\nend\n")
        })
        .collect();
    check(
        &format!(
            "{modules}//- /base.rb\nmodule App\n  class Base\n    module Helpers\n      def help(a)\n      end\n    end\n  end\nend\n\
             class Other\n  def help(a)\n  end\nend\n\
             //- /main.rb\nmodule App\n  class Main < Base\n    include Helpers\n    include M1\n    include M2\n    def run\n      $0help(1)\n    end\n  end\nend\n"
        ),
        "base.rb:4 App::Base::Helpers#help Inherited",
    );
}

/// Bare names in such a block were those around it.
#[test]
fn blocks_that_run_in_another_object() {
    let of = |line: &str| {
        format!(
            "//- /lib/app.rb\nclass App\n  class << self\n    def route(path)\n    end\n    attr_reader :title\n  end\n  def start\n  end\nend\n\
             class Other\n  def self.route(path)\n  end\n  def start\n  end\n  def title\n  end\nend\n\
             def made(&block)\n  it = Class.new(App)\n  it.class_eval(&block)\nend\n\
             def named(&block)\n  made(&block)\nend\n//- /main.rb\n{line}\n"
        )
    };
    let route = "lib/app.rb:3 App.route Receiver";
    check(&of("made do\n  $0route('a')\nend"), route);
    check(&of("named do\n  ['a'].each { |it| $0route(it) }\nend"), route);
    check(&of("App.class_eval do\n  $0route('a')\nend"), route);
    check(&of("App.new.instance_eval do\n  $0start\nend"), "lib/app.rb:7 App#start Receiver");
    check(&of("App.class_eval do\n  $0title\nend"), "lib/app.rb:5 App.title Receiver");
    check(&of("def start\nend\n['a'].each do\n  $0start\nend"), "main.rb:1 start SameFile");
}

/// A method of the class itself hid one of a module that its instances have, and names that `class << self`
/// declares counts as members of the instances.
#[test]
fn methods_of_a_class_itself_hide_none_of_its_instances() {
    let of = |line: &str| {
        format!(
            "//- /a.rb\nmodule Base\n  attr_accessor :options\nend\nclass App\n  include Base\n  class << self\n    def method_options\n    end\n    alias_method :options, :method_options\n    attr_reader :title\n  end\n  def run\n    {line}\n  end\nend\n"
        )
    };
    check(&of("$0options"), "a.rb:2 Base#options Inherited");
    check(&of("App.$0options"), "a.rb:9 App.options Receiver");
    check(&of("App.$0title"), "a.rb:10 App.title Receiver");
}

/// A constant that is another name of a class had no constructor.
#[test]
fn other_names_of_a_class_have_its_constructor() {
    check(
        "//- /a.rb\nmodule App\n  class List\n    def initialize(a)\n    end\n  end\nend\nclass Test\n  List = App::List\n  def run\n    List.$0new(1)\n  end\nend\n",
        "a.rb:3 App::List#initialize Receiver",
    );
}

/// They were taken for methods of the object.
#[test]
fn methods_of_an_outer_type_are_not_visible() {
    let of = |inner: &str| {
        format!(
            "//- /a.rb\nclass Outer\n  def opts(a)\n  end\n  NAME = 1\n  module Inner\n    def run\n      {inner}\n    end\n  end\nend\nclass Other\n  def opts(a)\n  end\nend\n"
        )
    };
    // Neither is more likely than the other.
    check(&of("$0opts(1)"), "a.rb:12 Other#opts Ambiguous");
    check(&of("$0NAME"), "a.rb:4 Outer::NAME Scope");
}

/// Names in the body of such a class were searched around it only.
#[test]
fn a_class_that_is_made_with_a_base_has_its_members() {
    let of = |body: &str| {
        format!(
            "//- /lib/thor.rb\nclass Thor\n  def self.desc(x)\n  end\n  def options\n  end\nend\nmodule Other\n  def options\n  end\nend\n\
             //- /spec/thor_spec.rb\nit 'runs' do\n  klass = Class.new(Thor) do\n    {body}\n  end\nend\n"
        )
    };
    let options = "lib/thor.rb:4 Thor#options Receiver";
    check(&of("def exec(*args)\n      [$0options, args]\n    end"), options);
    check(&of("def exec(x)\n      x.each { |it| $0options }\n    end"), options);
    check(&of("$0desc 'a'"), "lib/thor.rb:2 Thor.desc Receiver");
    let plain = of("def exec\n      $0options\n    end").replace("Class.new(Thor)", "make(Thor)");
    assert!(links(&plain).iter().all(|link| link.confidence < 0.45), "{plain}");
}
