//! Ruby: constructors, and modules that types include.

use super::check;

const SHOP: &str = "\
//- /lib/shop.rb
module Shop
  class Basket
    module Helpers
      def total
        header('a')
      end
    end
    module Env
      def header(name)
      end
    end
    include Helpers
    include Env
    def initialize(items)
    end
  end
  class Empty < Basket
  end
  class Header
    def header
    end
  end
end
";

/// `Type.new` did not refer to the constructor, and members of included modules were not found.
#[test]
fn constructors_and_included_modules_are_found() {
    let of = |line: &str| format!("{SHOP}//- /main.rb\ndef run\n  {line}\nend\n");
    check(&of("Shop::Basket.$0new([])"), "lib/shop.rb:14 Shop::Basket#initialize Receiver");
    check(
        &of("b = Shop::Basket.new([])\n  b.$0total"),
        "lib/shop.rb:4 Shop::Basket::Helpers#total Inherited",
    );
    let inside = SHOP.replace("header('a')", "$0header('a')");
    check(&inside, "lib/shop.rb:9 Shop::Basket::Env#header Implementation");
}

/// A variable in its own value was taken for a method.
#[test]
fn variables_are_local_in_their_own_values() {
    let text = "//- /a.rb\ndef app\nend\ndef run\n  app = lambda { app.$0call(1) }\nend\n";
    check(text, "");
}

const TAGS: &str = "\
//- /lib/tags.rb
class Tag
  attr_reader :body, :source
  attr_writer :state
  def self.parse(text)
    new(text)
  end
  def parse(text)
    @body.render
  end
  def state
    @state ||= State.new
  end
  def initialize(text)
    @source = text
    @body = Body.new
  end
  def again
    self.class.parse('')
  end
end
class Custom < Tag
end
class Body
  def render
  end
end
class State
  def reset
  end
end
module Assertions
  def assert_tag(text)
  end
end
";

/// Where a class and its instances had methods of one name, the instances' was found for both.
#[test]
fn methods_of_a_class_and_of_its_instances_differ() {
    let of = |line: &str| format!("{TAGS}//- /main.rb\ndef run\n  {line}\nend\n");
    check(&of("Tag.$0parse('')"), "lib/tags.rb:4 Tag.parse Receiver");
    check(&of("Custom.$0parse('')"), "lib/tags.rb:4 Tag.parse Inherited");
    check(&of("Tag.new('').$0parse('')"), "lib/tags.rb:7 Tag#parse Receiver");
    check(&TAGS.replace("class.parse", "class.$0parse"), "lib/tags.rb:4 Tag.parse Receiver");
}

/// `new` without a receiver was not found.
#[test]
fn a_class_calls_its_own_constructor() {
    let inside = TAGS.replace("    new(text)", "    $0new(text)");
    check(&inside, "lib/tags.rb:13 Tag#initialize Receiver");
}

/// The types of instance variables were unknown, and a writer hid a method.
#[test]
fn instance_variables_have_the_types_of_their_values() {
    let of = |line: &str| format!("{TAGS}//- /main.rb\ndef run\n  {line}\nend\n");
    let inside = TAGS.replace("@body.render", "@body.$0render");
    check(&inside, "lib/tags.rb:24 Body#render Receiver");
    check(&of("Tag.new('').body.$0render"), "lib/tags.rb:24 Body#render Receiver");
    check(&of("Tag.new('').$0state"), "lib/tags.rb:10 Tag#state Receiver");
}

/// Attributes of unknown objects, and helpers of tests, had no candidates.
#[test]
fn unique_attributes_and_bare_names_are_guessed() {
    let of = |line: &str| format!("{TAGS}//- /main.rb\ndef run(tag)\n  {line}\nend\n");
    check(&of("tag.$0source"), "lib/tags.rb:2 Tag#source OnlyFit");
    check(&of("$0assert_tag('')"), "lib/tags.rb:32 Assertions#assert_tag UniqueName");
}

const SCANNER: &str = "\
//- /lib/kram/utils.rb
module Kram
  module Utils
    autoload :Scanner, 'kram/utils/scanner'
  end
end
//- /lib/kram/utils/scanner.rb
require 'strscan'
module Kram
  module Utils
    class Scanner < ::Scanner
      def initialize(text)
      end
      def peek_all
      end
    end
  end
end
//- /lib/kram/parser.rb
module Kram
  class Parser
    def initialize(text)
      @src = ::Kram::Utils::Scanner.new(text)
      @stack = []
    end
    def run
      @src.peek_all
      @stack.last.peek_all
      Marshal.peek_all
    end
  end
end
";

/// A class whose base had its own name was not found.
#[test]
fn a_class_may_extend_one_of_its_name_from_outside() {
    let scanner = "lib/kram/utils/scanner.rb:5 Kram::Utils::Scanner#initialize Receiver";
    check(&SCANNER.replace("Scanner.new", "Scanner.$0new"), scanner);
    let member = "lib/kram/utils/scanner.rb:7 Kram::Utils::Scanner#peek_all Receiver";
    check(&SCANNER.replace("@src.peek_all", "@src.$0peek_all"), member);
}

/// Elements of a container had no candidates, and constants from outside had some.
#[test]
fn contents_are_guessed_and_constants_from_outside_are_not() {
    let member = "lib/kram/utils/scanner.rb:7 Kram::Utils::Scanner#peek_all UniqueName";
    check(&SCANNER.replace("last.peek_all", "last.$0peek_all"), member);
    check(&SCANNER.replace("Marshal.peek_all", "Marshal.$0peek_all"), "");
}

const PARSER: &str = "\
//- /lib/kram.rb
module Kram
  class Element
    attr_accessor :children
    def trim
    end
  end
end
//- /lib/kram/parser.rb
module Kram
  module Parser
    class Kram
      def make(name)
        el = Element.new
        el
      end
      def cached
        @cached ||= make('a')
      end
      def run
        make('b').trim
        cached.trim
        ::Kram::Element.new.trim
        @stack = []
        @stack.pop.trim
      end
    end
  end
end
";

/// The results of methods, names with `::` in front, and elements that an array returns were not
/// followed.
#[test]
fn results_absolute_names_and_popped_elements_are_followed() {
    let of = |from: &str| {
        let to = from.replace("trim", "$0trim");
        assert!(PARSER.contains(from));
        PARSER.replace(from, &to)
    };
    check(&of("make('b').trim"), "lib/kram.rb:4 Kram::Element#trim Receiver");
    check(&of("cached.trim"), "lib/kram.rb:4 Kram::Element#trim Receiver");
    check(&of("Element.new.trim"), "lib/kram.rb:4 Kram::Element#trim Receiver");
    check(&of("pop.trim"), "lib/kram.rb:4 Kram::Element#trim UniqueName");
}

/// Instance variables of specifications, which are set outside of all classes, were unknown.
#[test]
fn blocks_of_a_specification_share_instance_variables() {
    let spec = "//- /spec/tag_spec.rb\ndescribe Tag do\n  before do\n    @tag = Tag.new('')\n  \
                end\n  it 'parses' do\n    @tag.$0parse('')\n  end\nend\n";
    check(&format!("{TAGS}{spec}"), "lib/tags.rb:7 Tag#parse Receiver");
}

const LIBRARY: &str = "\
//- /lib/library.rb
class Book
  attr_accessor :title, :pages
  def initialize(title)
    @title = title
  end
  def lend(to)
  end
end
class Member
  attr_reader :title, :address
  def address
  end
end
class Shelf
  def initialize
    @items = []
    @names = {}
  end
  def put(title)
    @items << Book.new(title)
    @names[title] = Book.new(title)
  end
  def find(book, quick)
    if quick
      nil
    else
      Book.new(book)
    end
  end
  def kind(name)
    case name
    when 'a' then Book.new(name)
    else nil
    end
  end
end
Point = Struct.new(:left, :top) do
  def area
    left
  end
end
class Circle < Struct.new(:radius)
end
";

/// Calls on parameters were unresolved where two types have the member: the other members that are
/// called on the parameter, or on one of its name in the type, determine the type.
#[test]
fn members_called_on_one_variable_determine_its_type() {
    let of = |text: &str| format!("{LIBRARY}//- /main.rb\n{text}\n");
    let title = "lib/library.rb:2 Book#title OnlyFit";
    check(&of("def show(it)\n  it.$0title\n  it.pages\nend"), title);
    let other = "lib/library.rb:10 Member#title OnlyFit";
    check(&of("def show(it)\n  it.$0title\n  it.address\nend"), other);
    let unsure = "lib/library.rb:10 Member#title Ambiguous";
    check(&of("def show(it)\n  it.$0title\nend"), unsure);
    let class = "class View\n  def a(it)\n    it.$0title\n  end\n  def b(it)\n    it.lend(1)\n  \
                 end\nend";
    check(&of(class), title);
    check(
        &of("class View\n  def a\n    @it.$0title\n  end\n  def b\n    @it.pages\n  end\nend"),
        title,
    );
}

/// The name of a variable is that of a type.
#[test]
fn a_variable_named_like_a_type_is_of_that_type() {
    let of = |text: &str| format!("{LIBRARY}//- /main.rb\n{text}\n");
    let title = "lib/library.rb:2 Book#title OnlyFit";
    check(&of("def show(book)\n  book.$0title\nend"), title);
    check(&of("def show(old_book)\n  old_book.$0title\nend"), title);
    check(&of("def show(books)\n  books.each { |it| it.$0title }\nend"), title);
    check(&of("def show(member)\n  member.$0title\nend"), "lib/library.rb:10 Member#title OnlyFit");
}

/// A method that the language's own types have is no evidence for a type of the repository.
#[test]
fn names_of_the_language_itself_are_not_guessed() {
    let text = "//- /a.rb\nclass Tidy\n  def compact(all)\n  end\nend\ndef run(list)\n  \
                list.rows.$0compact(1)\nend\n";
    assert!(
        super::links(text).iter().all(|link| link.confidence < super::super::CONFIDENCE_ANSWER)
    );
}

/// What is added to a container is its element, and each branch of a method is its result.
#[test]
fn elements_and_branches_have_types() {
    let lend = "lib/library.rb:6 Book#lend Receiver";
    let shelf = |body: &str| {
        LIBRARY.replace("  def find(", &format!("  def each_one\n    {body}\n  end\n  def find("))
    };
    check(&shelf("@items.each { |it| it.$0lend(1) }"), lend);
    check(&shelf("@names['a'].$0lend(1)"), lend);
    let of = |line: &str| format!("{LIBRARY}//- /main.rb\ndef run\n  {line}\nend\n");
    check(&of("Shelf.new.find('a', 1).$0lend(1)"), lend);
    check(&of("Shelf.new.kind('a').$0lend(1)"), lend);
    check(&of("a = 1 ? Book.new('a') : nil\n  a.$0lend(1)"), lend);
    check(&of("[Book.new('a')].each { |it| it.$0lend(1) }"), lend);
}

/// The members of a structure were no definitions.
#[test]
fn structures_have_members() {
    let of = |line: &str| format!("{LIBRARY}//- /main.rb\ndef run\n  {line}\nend\n");
    check(&of("Point.new(1, 2).$0left"), "lib/library.rb:37 Point#left Receiver");
    check(&of("Circle.new(1).$0radius"), "lib/library.rb:42 Circle#radius Receiver");
}

/// Of two modules with a type of one name, the one around the use was not preferred.
#[test]
fn constants_are_looked_up_in_the_enclosing_modules() {
    let tree = |main: &str| {
        format!(
            "//- /lib/a/light.rb\nmodule A\n  module Light\n    class Node\n      def text\n      \
             end\n    end\n  end\nend\n//- /lib/a/node.rb\nmodule A\n  class Node\n    \
             def text\n    end\n  end\nend\n//- /lib/a/child.rb\n{main}\n"
        )
    };
    let body = |name: &str| {
        format!("module A\n  class Child < {name}\n    def run\n      $0text\n    end\n  end\nend")
    };
    check(&tree(&body("Node")), "lib/a/node.rb:3 A::Node#text Inherited");
    check(&tree(&body("Light::Node")), "lib/a/light.rb:4 A::Light::Node#text Inherited");
}

/// A class of another module was taken for one that the language defines.
#[test]
fn classes_of_the_language_are_not_those_of_other_modules() {
    let tree = |main: &str| {
        format!(
            "//- /lib/zip/file.rb\nmodule Zip\n  class File\n    def self.open(path)\n    end\n  \
             end\nend\n//- /lib/zip/dir.rb\nmodule Zip\n  def self.run\n    File.open('a')\n    \
             ::File.open('a')\n  end\nend\n//- /main.rb\ndef run\n  {main}\nend\n"
        )
    };
    check(&tree("File.$0open('a')"), "");
    check(&tree("Zip::File.$0open('a')"), "lib/zip/file.rb:3 Zip::File.open Receiver");
    let inside = tree("").replace("    File.open", "    File.$0open");
    check(&inside, "lib/zip/file.rb:3 Zip::File.open Receiver");
    check(&tree("").replace("::File.open", "::File.$0open"), "");
}

/// A class with a path as its name had no members, and was no member of the module before its name.
#[test]
fn classes_with_paths_as_names_are_members() {
    let tree = |main: &str| {
        format!(
            "//- /lib/zip/extra.rb\nmodule Zip\n  class Extra\n  end\nend\n\
             //- /lib/zip/extra/unix.rb\nmodule Zip\n  class Extra::Unix\n    def initialize\n    \
             end\n    def owner_id\n    end\n  end\nend\n//- /main.rb\ndef run\n  {main}\nend\n"
        )
    };
    let new = "lib/zip/extra/unix.rb:3 Zip::Extra::Unix#initialize Receiver";
    check(&tree("Zip::Extra::Unix.$0new"), new);
    let of = "lib/zip/extra/unix.rb:5 Zip::Extra::Unix#owner_id Receiver";
    check(&tree("Zip::Extra::Unix.new.$0owner_id"), of);
}

/// An element that a method adds to an object hid the type of the object.
#[test]
fn an_object_with_an_append_method_is_no_container() {
    let text = "//- /a.rb\nclass Row\n  def put(a)\n  end\n  def <<(a)\n  end\nend\nclass Cell\nend\n\
                class Page\n  def initialize\n    @row = Row.new\n  end\n  def run\n    @row << Cell.new\n    \
                @row.$0put(1)\n  end\nend\n";
    check(text, "a.rb:2 Row#put Receiver");
}

const ARCHIVE: &str = "\
//- /lib/archive.rb
require 'forwardable'
module Zip
  class Entry
    def extract
    end
  end
  class Entries
    def first_entry
      Entry.new
    end
    def extract
    end
  end
  class Archive
    extend Forwardable
    def_delegators :@entries, :first_entry, :size
    def_delegator :@entries, :first_entry, :head
    delegate :first_entry, to: :entries, prefix: false
    def self.open(name)
      archive = Archive.new
      yield archive, Entry.new
    end
    def self.each_open(name, &block)
      open(name, &block)
    end
    def initialize
      @entries = Entries.new
    end
    def with_entry(&block)
      block.call(Entry.new)
    end
    def extract
    end
    def to_s
    end
    def own_name
      self.class.to_s
    end
  end
  class File
    def exist?(name)
    end
  end
end
class String
  def shout
  end
end
";

/// Parameters of blocks that a method of the repository calls were unknown.
#[test]
fn methods_pass_values_to_their_blocks() {
    let of = |lines: &str| format!("{ARCHIVE}//- /main.rb\ndef run\n  {lines}\nend\n");
    let archive = "lib/archive.rb:32 Zip::Archive#extract Receiver";
    let entry = "lib/archive.rb:4 Zip::Entry#extract Receiver";
    check(&of("Zip::Archive.open('a') { |z| z.$0extract }"), archive);
    check(&of("Zip::Archive.open('a') do |z, e|\n    e.$0extract\n  end"), entry);
    check(&of("::Zip::Archive.each_open('a') { |z| z.$0extract }"), archive);
    check(&of("a = Zip::Archive.new\n  a.with_entry { |x| x.$0extract }"), entry);
    // The name of a parameter still shows its type where nothing is known of the method.
    check(&of("other { |entry| entry.$0extract }"), "lib/archive.rb:4 Zip::Entry#extract OnlyFit");
}

/// Results of delegating methods were unknown.
#[test]
fn delegating_methods_return_what_their_targets_return() {
    let of = |line: &str| format!("{ARCHIVE}//- /main.rb\ndef run\n  {line}\nend\n");
    let entry = "lib/archive.rb:4 Zip::Entry#extract Receiver";
    check(&of("Zip::Archive.new.first_entry.$0extract"), entry);
    check(&of("Zip::Archive.new.head.$0extract"), entry);
}

/// Calls on Ruby's own classes were taken for those of classes with the same name, and methods of
/// instances for those of their class.
#[test]
fn classes_of_the_language_are_outside() {
    let of = |line: &str| format!("{ARCHIVE}//- /main.rb\ndef run\n  {line}\nend\n");
    check(&of("::File.$0exist?('a')"), "");
    check(&of("File.$0exist?('a')"), "");
    check(&of("String.$0new"), "");
    check(&of("String.new.$0shout"), "lib/archive.rb:46 String#shout Receiver");
    check(&ARCHIVE.replace("self.class.to_s", "self.class.$0to_s"), "");
}

/// A constant of an outer module in the same file hid one of the inner module in another file.
#[test]
fn constants_of_inner_modules_come_first() {
    let tree = "//- /lib/system.rb\nmodule Zip\n  module System\n    def initialize\n      \
                @file = File.new\n    end\n    def file\n      @file\n    end\n  end\n  class File\n    \
                include System\n    def stat\n    end\n  end\nend\n\
                //- /lib/system/file.rb\nmodule Zip\n  module System\n    class File\n      def stat\n      \
                end\n    end\n  end\nend\n\
                //- /main.rb\nZip::File.new.file.$0stat\n";
    check(tree, "lib/system/file.rb:4 Zip::System::File#stat Inherited");
}
