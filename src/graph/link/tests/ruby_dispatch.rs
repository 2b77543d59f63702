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
