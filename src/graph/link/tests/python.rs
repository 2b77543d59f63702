//! Python: the order of bases, and the types of names and attributes.

use super::check;

/// A common base was searched before a type that is derived from it.
#[test]
fn a_common_base_is_searched_last() {
    let tree = "//- /run.py\nclass Base:\n    def crawl(self):\n        pass\n    def stop(self):\n        \
                pass\n\nclass Process(Base):\n    pass\n\nclass Runner(Base):\n    def crawl(self):\n        \
                pass\n\nclass Both(Process, Runner):\n    pass\n\nboth = Both()\nboth.crawl()\n\
                both.stop()\n";
    check(&tree.replace("both.crawl", "both.$0crawl"), "run.py:11 Runner.crawl Inherited");
    check(&tree.replace("both.stop", "both.$0stop"), "run.py:4 Base.stop Inherited");
}

const SHOP: &str = "\
class Item:
    def cost(self): pass
class Other:
    def cost(self): pass
    def start(self): pass
class Base:
    def start(self): pass
class Shop(Base):
    def __init__(self):
        self.items: list[Item] = []
    def fill(self):
        self.best = Item()
    @property
    def first(self) -> Item:
        return self.best
    def __enter__(self):
        return self
    def open(self):
        super().start()
        self.best.cost()
";

/// Names that loops, comprehensions and `with` bind, attributes that another method assigns, and
/// properties had no type.
#[test]
fn bound_names_and_attributes_have_types() {
    let of = |body: &str| {
        let lines: String = body.lines().map(|line| format!("    {line}\n")).collect();
        format!(
            "//- /shop.py\n{SHOP}//- /main.py\nfrom shop import Shop, Item, Other\ndef run(shop: Shop, all: list[Item]):\n{lines}"
        )
    };
    let cost = "shop.py:2 Item.cost Receiver";
    check(&of("for item in all:\n    item.$0cost()"), cost);
    check(&of("for at, item in enumerate(all):\n    item.$0cost()"), cost);
    check(&of("return [item.$0cost() for item in all]"), cost);
    check(&of("return {item: item.$0cost() for item in shop.items}"), cost);
    check(&of("with Shop() as other:\n    other.first.$0cost()"), cost);
    check(&of("shop.best.$0cost()"), cost);
    check(&of("shop.first.$0cost()"), cost);
    let own = |call: &str, marked: &str| format!("//- /shop.py\n{}", SHOP.replace(call, marked));
    check(&own("super().start()", "super().$0start()"), "shop.py:7 Base.start Receiver");
    check(&own("self.best.cost()", "self.best.$0cost()"), cost);
}

/// `self` with a type variable, and names of types, had no members.
#[test]
fn type_variables_and_names_of_types_are_followed() {
    let of = |body: &str| {
        format!(
            "//- /a.py\nfrom typing import TypeVar, TypeAlias\n\n_T = TypeVar('_T', bound='Item')\nName: TypeAlias = 'Item'\nOther: TypeAlias = Item | None\ntype Third = list[Item]\n\nclass Item:\n    def cost(self): pass\n    def own(self: _T) -> _T:\n        self.cost()\n        return self\n\ndef f(a: Name, b: Other, c: Third):\n    {body}\n"
        )
    };
    let cost = "a.py:9 Item.cost Receiver";
    check(&of("pass").replace("self.cost", "self.$0cost"), cost);
    check(&of("a.$0cost()"), cost);
    check(&of("b.$0cost()"), cost);
    check(&of("c[0].$0cost()"), cost);
    check(&of("a.own().$0cost()"), cost);
}

/// They were no definitions.
#[test]
fn names_of_a_pattern_are_variables() {
    let of = |call: &str| {
        format!(
            "//- /a.py\nimport logging\nclass Item:\n    def cost(self): pass\nlogger = logging.getLogger()\nwarn, info = logger.warning, logger.info\nfirst, (_, other) = Item(), make()\n//- /b.py\nfrom a import warn, first\ndef f():\n    {call}\n"
        )
    };
    check(&of("$0warn('')"), "a.py:5 warn Import");
    check(&of("first.$0cost()"), "a.py:3 Item.cost Receiver");
    let own = of("pass").replace("class Item:", "def g():\n    info('')\nclass Item:");
    check(&own.replace("info('')", "$0info('')"), "a.py:7 info SameFile");
}

/// In a method of a class in a function, the variable was taken for an instance of that class.
#[test]
fn a_nested_class_uses_the_instance_around() {
    check(
        "//- /a.py\nclass Outer:\n    def on_end(self): pass\n    def make(self):\n        outer = self\n        \
         class Inner:\n            def stop(self):\n                outer.$0on_end()\n        return Inner\n",
        "a.py:2 Outer.on_end Receiver",
    );
}
