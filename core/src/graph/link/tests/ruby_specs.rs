//! Ruby: specifications, and the suffixes of their programs.

use super::{check, fixture};
use crate::graph::program::Program;

const SHOP: &str = "\
//- /lib/shop.rb
class Shop
  def open
  end
  def self.start(args)
  end
end
module Support
  module Groups
    def group_of(name, &block)
    end
  end
end
//- /lib/other.rb
class Other
  def open
  end
  def group_of
  end
end
";

fn of(body: &str) -> String {
    format!("{SHOP}//- /spec/shop_spec.rb\n{body}\n")
}

/// What `let` and `subject` define had no type.
#[test]
fn names_of_groups_have_types() {
    let open = "lib/shop.rb:2 Shop#open Receiver";
    let group = |lines: &str| of(&format!("describe Shop do\n  {lines}\nend"));
    check(&group("let(:shop) { Shop.new }\n  it { shop.$0open }"), open);
    check(&group("let!(:shop) do\n    Shop.new\n  end\n  it { shop.$0open }"), open);
    check(&group("subject { Shop.new }\n  it { subject.$0open }"), open);
    check(&group("subject(:shop) { described_class.new }\n  it { shop.$0open }"), open);
    check(&group("it { subject.$0open }"), open);
    check(&group("it { described_class.$0start([]) }"), "lib/shop.rb:4 Shop.start Receiver");
    let inner = "let(:shop) { Shop.new }\n  context 'a' do\n    let(:shop) { Other.new }\n  end\n";
    check(&group(&format!("{inner}  it {{ shop.$0open }}")), open);
    // The name is no call of a method elsewhere.
    let (files, mark) = fixture(&group("let(:group_of) { 1 }\n  it { expect($0group_of) }"));
    let (path, byte) = mark.expect("a mark");
    let program = Program::new(files);
    let file = program.id(&path).expect("the file is there");
    assert!(program.references(file).iter().all(|(_, it)| it.span.start != byte));
}

/// A method of another type was as likely.
#[test]
fn groups_extend_modules() {
    let line = "describe Shop do\n  extend Support::Groups\n  $0group_of('a') { }\nend";
    check(&of(line), "lib/shop.rb:9 Support::Groups#group_of Inherited");
    let line = "describe Shop do\n  extend Support::Groups\n  it { $0group_of }\nend";
    check(&of(line), "lib/other.rb:4 Other#group_of OnlyFit");
    let line = "describe Shop do\n  it { include Support::Groups }\n  $0group_of('a') { }\nend";
    check(&of(line), "lib/shop.rb:9 Support::Groups#group_of Ambiguous");
}

/// `Class.new(Base)` was an instance of Ruby's `Class`.
#[test]
fn classes_without_a_name_have_the_members_of_their_base() {
    let start = "lib/shop.rb:4 Shop.start Receiver";
    check(&of("made = Class.new(Shop) do\nend\nmade.$0start([])"), start);
    check(&of("made = Class.new(Shop)\nmade.new.$0open"), "lib/shop.rb:2 Shop#open Receiver");
}

/// Their calls were taken for calls of classes from outside.
#[test]
fn programs_with_other_suffixes_are_ruby() {
    for path in ["tasks/a.thor", "Thorfile", "a.podspec", "Capfile"] {
        let tree = format!("//- /{path}\nclass App < Shop\nend\n{}", of("App.$0start([])"));
        check(&tree, "lib/shop.rb:4 Shop.start Inherited");
    }
}

/// `Type[…]` was the type itself.
#[test]
fn brackets_of_a_class_are_a_call() {
    let tree = |line: &str| {
        format!(
            "//- /a.rb\nclass List\n  class << self\n    def [](*args)\n      new(*args)\n    end\n  end\n  def initialize(*args)\n  end\n  def join_all(a)\n  end\nend\nclass Kinds\n  def self.[](name)\n    @kinds.fetch(name)\n  end\n  def initialize\n  end\nend\n{line}\n"
        )
    };
    check(&tree("List['a'].$0join_all(1)"), "a.rb:9 List#join_all Receiver");
    check(&tree("Kinds['a'].$0new(1)"), "");
}

/// Blocks of tests run in a class of the test framework: methods that the repository adds to it were
/// unknown where others have their name.
#[test]
fn methods_of_test_classes_are_visible_in_blocks() {
    let of = |line: &str| {
        format!(
            "//- /lib/page.rb\nclass Page\n  def header(name)\n  end\n  def title\n  end\nend\n\
             //- /test/helper.rb\nclass Minitest::Spec\n  def header(name)\n  end\n  def page\n    Page.new\n  end\nend\ndef header(name)\nend\n\
             //- /test/page_test.rb\n{line}\n"
        )
    };
    let header = "test/helper.rb:2 Minitest::Spec#header Inherited";
    check(&of("describe 'a' do\n  it 'b' do\n    $0header('a')\n  end\nend"), header);
    check(&of("$0header('a')"), "test/helper.rb:8 header Program");
    let title = "lib/page.rb:4 Page#title Receiver";
    check(&of("describe 'a' do\n  page.$0title\nend"), &title.replace("Receiver", "Inherited"));
}

/// A method of the object in an instance variable had no callers.
#[test]
fn methods_of_one_object_are_found() {
    check(
        "//- /test/a_test.rb\nclass A < Test\n  def setup\n    @path = make\n    def @path.call(n)\n    end\n  end\n  def test_a\n    @path.$0call(1)\n  end\nend\n",
        "test/a_test.rb:4 A#setup::@path.call Receiver",
    );
}
