//! Python: the order of bases, and the types of names and attributes.

use super::several::check_open;
use super::{check, links, meaning, resolved_outcome};
use crate::graph::link::CONFIDENCE_ANSWER;

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

const TYPES: &str = "\
//- /a.py
class A:
    def run(self): pass
class B:
    def run(self): pass
class C:
    def run(self): pass
";

/// Returns the links of the call in `body`, after the types `A`, `B` and `C`.
fn of_types(body: &str) -> String {
    format!("{TYPES}{body}\n")
}

/// The value of a context manager was the manager itself.
#[test]
fn with_gives_what_the_manager_returns() {
    let class = "class P(A):\n    def __enter__(self): return B()\n    def __iter__(self): yield C()\n    async def __aenter__(self): return C()\n";
    let of = |body: &str| of_types(&format!("{class}{body}"));
    let b = "a.py:4 B.run Receiver";
    check(&of("def f():\n    with P() as p:\n        p.$0run()"), b);
    check(&of("def f(p: P):\n    with p as q:\n        q.$0run()"), b);
    check(&of("def make() -> P: pass\ndef f():\n    with make() as q:\n        q.$0run()"), b);
    check(
        &of("class Q(P): pass\ndef f():\n    with Q() as q:\n        q.$0run()"),
        "a.py:4 B.run Inherited",
    );
    check(
        &of("async def f():\n    async with P() as p:\n        p.$0run()"),
        "a.py:6 C.run Receiver",
    );
    check(
        &of("async def f(p: P):\n    async with p as q:\n        q.$0run()"),
        "a.py:6 C.run Receiver",
    );
    // A manager without such a method in the repository.
    check(
        &of(
            "import x\nclass M(x.M):\n    def run(self): pass\ndef f():\n    with M() as m:\n        m.$0run()",
        ),
        "a.py:13 M.run Receiver",
    );
    let yields = "from contextlib import contextmanager\n@contextmanager\ndef make():\n    yield B()\ndef f():\n    with make() as q:\n        q.$0run()";
    check(&of(yields), b);
    let annotated = "class S:\n    def __enter__(self) -> 'Self': pass\n    def run(self): pass\ndef f():\n    with S() as s:\n        s.$0run()";
    check(&of(annotated), "a.py:13 S.run Receiver");
    let awaited = "class S:\n    async def __aenter__(self) -> B: pass\nasync def f():\n    async with S() as s:\n        s.$0run()";
    check(&of(awaited), b);
}

/// Fails if a use has an answer.
#[track_caller]
fn check_unknown(text: &str) {
    let links = links(text);
    assert!(links.iter().all(|link| link.confidence < CONFIDENCE_ANSWER), "{links:?} in {text}");
}

/// The operand's type was stated for the result of each operator, and what iteration gives for `[]`.
#[test]
fn operators_return_what_the_class_defines() {
    let class = "class P(A):\n    def __add__(self, other): return B()\n    def __sub__(self, other): return C()\n    def __getitem__(self, key): return C()\n    def __iter__(self): yield B()\n";
    let of = |body: &str| of_types(&format!("{class}def f(p: P, xs: list[A], a: A):\n    {body}"));
    let (a, b, c) = ("a.py:2 A.run Receiver", "a.py:4 B.run Receiver", "a.py:6 C.run Receiver");
    check(&of("(P() + 1).$0run()"), b);
    check_unknown(&of("(p + 1 + 2).$0run()"));
    check(&of("(p - 1).$0run()"), c);
    check(&of("P()[0].$0run()"), c);
    check(&of("p[0].$0run()"), c);
    check(&of("for it in p:\n        it.$0run()"), b);
    check_unknown(&of("(a | a).$0run()"));
    check(&of("xs[0].$0run()"), a);
    check(&of("(xs + xs)[0].$0run()"), a);
    check(&of("x, y = xs[0:2]\n    y.$0run()"), a);
    let own = "class It:\n    def __iter__(self): return self\n    def __next__(self): return B()\ndef f():\n    for it in It():\n        it.$0run()";
    check(&of_types(own), b);
    let other = "class It:\n    def __next__(self): return B()\nclass All:\n    def __iter__(self): return It()\ndef f():\n    for it in All():\n        it.$0run()";
    check(&of_types(other), b);
    check(
        &of_types("class Made(A): pass\ndef f():\n    Made[int]().$0run()"),
        "a.py:2 A.run Inherited",
    );
}

/// A slice, `+=`, and an operator that only the right operand's class has gave a value of the left one's type.
#[test]
fn slices_and_augmented_assignments_read_the_methods() {
    let class = "class V:\n    def __getitem__(self, key): return A()\n    def __add__(self, other): return B()\n    def run(self): pass\n\
         class W(V):\n    def __iadd__(self, other): return C()\nclass N:\n    def run(self): pass\nclass R:\n    def __radd__(self, other): return C()\n\
         class L(list):\n    def run(self): pass\n";
    let of =
        |body: &str| of_types(&format!("{class}def f(v: V, xs: list[A], k, a: A):\n    {body}"));
    let (a, b, c) = ("a.py:2 A.run Receiver", "a.py:4 B.run Receiver", "a.py:6 C.run Receiver");
    check(&of("v[1:2].$0run()"), a);
    check(&of("v += 1\n    v.$0run()"), b);
    check(&of("w = W()\n    w += 1\n    w.$0run()"), c);
    check_unknown(&of("w = W()\n    w -= 1\n    w.$0run()"));
    check_unknown(&of("v <<= 1\n    v.$0run()"));
    check_open(&of("if k:\n        v += 1\n    v.$0run()"), &["a.py:4 B.run"]);
    check_unknown(&of("(N() + R()).$0run()"));
    check_unknown(&of("n = N()\n    n[1:].$0run()"));
    check(&of("x = L()\n    x[1:].$0run()"), "a.py:18 L.run Receiver");
    check(&of("x = L()\n    x += [1]\n    x.$0run()"), "a.py:18 L.run Receiver");
    check(&of("xs += [a]\n    xs[0].$0run()"), a);
    check(&of("ys = xs[1:]\n    for y in ys:\n        y.$0run()"), a);
}

/// A value without a known type did not replace the one before.
#[test]
fn unknown_values_replace_known_ones() {
    let of = |body: &str| of_types(&format!("def f(k):\n    x = A()\n    {body}\n    x.$0run()"));
    check_unknown(&of("x = k"));
    check_unknown(&of("x = lambda: 3"));
    check(&of("x = None"), "a.py:2 A.run Receiver");
    check(&of("k = 1"), "a.py:2 A.run Receiver");
    check_open(&of("if k:\n        x = k"), &["a.py:2 A.run"]);
}

/// The class on which a method was called was that which defines it.
#[test]
fn class_methods_make_values_of_derived_types() {
    let of = |body: &str| {
        format!(
            "//- /a.py\nclass P:\n    @classmethod\n    def mk(cls): return cls()\n    @classmethod\n    def all(cls): return [cls() for _ in x]\n    \
             @classmethod\n    def typed(cls) -> Self: pass\n    def copy(self): return self.__class__()\n    def same(self): return type(self)()\n    def go(self): pass\n    \
             @classmethod\n    def inner(cls):\n        cls.mk()\nclass Q(P):\n    def go(self): pass\n{body}\n"
        )
    };
    let q = "a.py:15 Q.go Inherited";
    check(&of("Q.mk().$0go()"), q);
    check(&of("Q.typed().$0go()"), q);
    check(&of("Q().copy().$0go()"), q);
    check(&of("Q().same().$0go()"), q);
    check(&of("P.mk().$0go()"), "a.py:10 P.go Receiver");
    check(&of("P.all()[0].$0go()"), "a.py:10 P.go Receiver");
    check(&of("").replace("cls.mk()", "cls.$0mk()"), "a.py:2 P.mk Receiver");
}

/// Only the last of the values that patterns in a branch assign was followed.
#[test]
fn patterns_in_branches_assign_one_of_several_values() {
    let both = ["a.py:2 A.run", "a.py:4 B.run"];
    let of = |body: &str| of_types(&format!("def one() -> A: pass\ndef two() -> B: pass\n{body}"));
    check_open(
        &of("def f(c):\n    x, y = one(), 1\n    if c:\n        x, y = two(), 2\n    x.$0run()"),
        &both,
    );
    check_open(
        &of(
            "def pair() -> tuple[B, int]: pass\ndef f(c):\n    x = one()\n    if c:\n        x, y = pair()\n    x.$0run()",
        ),
        &both,
    );
    check(
        &of("def f(c):\n    x, y = one(), 1\n    x, y = two(), 2\n    x.$0run()"),
        "a.py:4 B.run Receiver",
    );
}

/// A call of a member that only derived types have counted as leaving the repository.
#[test]
fn members_of_derived_types_are_unresolved() {
    let of = |body: &str| {
        format!(
            "//- /a.py\nimport x\nclass W(x.W): pass\nclass T(W):\n    def show(self): pass\nclass U:\n    def hide(self): pass\ndef f(w: W):\n    {body}\n"
        )
    };
    assert!(!resolved_outcome(&of("w.$0show()")).is_outside);
    assert!(resolved_outcome(&of("w.$0hide()")).is_outside);
}

/// An import in the body of a class was not visible to the values of its variables.
#[test]
fn class_bodies_see_their_own_names() {
    let tree = "//- /t/__init__.py\n//- /t/getters.py\nclass app:\n    def __init__(self, x): pass\n\
                //- /t/pump.py\nclass Pump:\n    if TYPE_CHECKING:\n        from t import getters\n        app = getters.$0app(1)\n    \
                def make(): pass\n    made = make()\n    def f(self):\n        make()\n        getters.app(2)\n";
    check(tree, "t/getters.py:2 app.__init__ Receiver");
    let other = tree.replace("$0", "");
    check(&other.replace("made = make", "made = $0make"), "t/pump.py:5 Pump.make Scope");
    check(&other.replace("        make()", "        $0make()"), "");
}

/// What a value of `Callable` returns counted as something from outside.
#[test]
fn results_of_callables_are_unresolved() {
    let tree = "//- /a.py\nfrom typing import Callable, TypeAlias\nclass A:\n    def run(self): pass\n    def fly(self): pass\n\
                class B:\n    def run(self): pass\nOf: TypeAlias = Callable[[], A]\nPlain = Callable[[], A]\n\
                def f(of: Of, plain: Plain):\n    of().$0run()\n    plain().fly()\n";
    assert!(!resolved_outcome(tree).is_outside);
    assert!(!resolved_outcome(&tree.replace("$0", "").replace("().fly", "().$0fly")).is_outside);
}

/// A type of the class's body was unknown in the annotations of its methods.
#[test]
fn annotations_see_the_body_of_their_class() {
    let of = |body: &str| {
        format!(
            "//- /a.py\nfrom typing import TypeVar\nclass W:\n    T = TypeVar(\"T\", bound=\"W\")\n    class Changed:\n        def stop(self): pass\n    \
                 def get(self, kind: type[T]) -> T: pass\n    def base(self): pass\n    def f(self, e: Changed):\n        {body}\nclass D(W):\n    def only(self): pass\n    def clear(self): pass\n    class E:\n        def only(self): pass\n"
        )
    };
    check(&of("e.$0stop()"), "a.py:5 W.Changed.stop Receiver");
    check(&of("self.get(D).$0base()"), "a.py:7 W.base Inherited");
    assert!(!resolved_outcome(&of("self.get(D).$0only()")).is_outside);
}

/// What a method returns for a class that it receives was a value of the type variable's bound.
#[test]
fn functions_make_values_of_the_classes_that_they_receive() {
    let of = |body: &str| {
        format!(
            "//- /a.py\nT = TypeVar(\"T\")\nW = TypeVar(\"W\", bound=\"Base\")\nclass Base:\n    def stop(self): pass\n    \
                 def get(self, kind: type[W]) -> W: pass\n    def one(self, key: str | type[W], kind: type[W] | None = None) -> W | Base: pass\n\
                 class A(Base):\n    def stop(self): pass\nclass B(Base):\n    def stop(self): pass\n\
                 def make(kind: Type[T], n=0) -> T: pass\ndef f(base: Base, some):\n    {body}\n"
        )
    };
    let (a, b) = ("a.py:8 A.stop Receiver", "a.py:10 B.stop Receiver");
    check(&of("base.get(A).$0stop()"), a);
    check(&of("base.get(B).stop()\n    base.get(A).$0stop()"), a);
    check(&of("make(B, 1).$0stop()"), b);
    check(&of("make(n=1, kind=B).$0stop()"), b);
    check(&of("x = base.get(A)\n    y = base.get(B)\n    y.$0stop()"), b);
    check_open(&of("base.one('#a', A).$0stop()"), &["a.py:8 A.stop"]);
    check_open(&of("base.one(B).$0stop()"), &["a.py:10 B.stop"]);
    check(&of("base.get(some).$0stop()"), "a.py:4 Base.stop Receiver");
    check_open(
        &of("x = base.get(A)\n    if some:\n        x = base.get(B)\n    x.$0stop()"),
        &["a.py:8 A.stop", "a.py:10 B.stop"],
    );
}

/// A class of another call was stated as certain where not all calls are read, and one class of two.
#[test]
fn classes_that_are_passed_are_known_or_open() {
    let of = |body: &str| {
        format!(
            "//- /a.py\nT = TypeVar(\"T\", bound=\"Base\")\nU = TypeVar(\"U\")\nclass Base:\n    def stop(self): pass\n\
             class A(Base):\n    def stop(self): pass\nclass B(Base):\n    def stop(self): pass\n\
             def get(key, kind: type[T]) -> T: pass\ndef two(a: type[T], b: type[U]) -> T | U: pass\n\
             def same(a: type[T], b: type[T]) -> T: pass\ndef f(some):\n    {body}\n"
        )
    };
    let (a, b) = ("a.py:6 A.stop", "a.py:8 B.stop");
    check_open(&of("two(A, B).$0stop()"), &[a, b]);
    check_open(&of("same(A, B).$0stop()"), &[a, b]);
    check_open(&of("same(A, some).$0stop()"), &[a]);
    check(&of("same(A, A).$0stop()"), "a.py:6 A.stop Receiver");
    check(&of("get('x', # it's (c\n        B).$0stop()"), "a.py:8 B.stop Receiver");
    check_open(&of("x = get(1, A)\n    with get(1, B) as x:\n        x.$0stop()"), &[]);
    let many = "other()\n    ".repeat(1100);
    check_open(&of(&format!("a = get(1, A)\n    {many}b = get(1, B)\n    b.$0stop()")), &[]);
    check_open(&of(&format!("b = get(1, B)\n    b.$0stop()\n    {many}")), &[]);
}

/// A comment before `self` was taken for the first parameter.
#[test]
fn comments_are_no_parameters() {
    let tree = "//- /a.py\nclass A:\n    def go(self): pass\n    def f(  # noqa\n        self, other\n    ):\n        self.$0go()\n    \
                @classmethod\n    def g(  # noqa\n        cls\n    ):\n        cls().go()\n";
    check(tree, "a.py:2 A.go Receiver");
    check(&tree.replace("$0", "").replace("cls().go", "cls().$0go"), "a.py:2 A.go Receiver");
}

/// Members of what such a class has as parts were unresolved.
#[test]
fn classes_that_derive_from_tuples_have_parts() {
    let of = |body: &str| {
        format!(
            "//- /a.py\nfrom typing import NamedTuple\nclass A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n\
             class opened(tuple[\"A[int]\", B]):\n    def use(self):\n        a, b = self\n        b.run()\n\
             class Named(NamedTuple):\n    a: A\n    b: B\nclass Derived(Named): pass\n\
             def f(named: Derived, all: list[opened]):\n    {body}\n"
        )
    };
    let (a, b) = ("a.py:3 A.run Receiver", "a.py:5 B.run Receiver");
    check(&of("a, b = opened()\n    a.$0run()"), a);
    check(&of("a, b = opened[int](1)\n    b.$0run()"), b);
    check(&of("a, b = named\n    b.$0run()"), b);
    check(&of("for a, b in all:\n        b.$0run()"), b);
    check(&of("pass").replace("b.run()", "b.$0run()"), b);
    check_open(&of("named[0].$0run()"), &["a.py:3 A.run", "a.py:5 B.run"]);
}

/// Such calls were no uses of the constructor.
#[test]
fn cls_and_the_type_of_self_are_called() {
    let of = |body: &str| {
        format!(
            "//- /a.py\nclass A:\n    def __init__(self, x): pass\n    @classmethod\n    def make(cls, y):\n        {body}\n    \
             def copy(self):\n        {body}\n    def cls(self): pass\nclass B(A): pass\n"
        )
    };
    let init = "a.py:2 A.__init__ Receiver";
    let make = of("pass").replacen("        pass", "        return $0cls(1)", 1);
    check(&make, init);
    let copy = of("pass").replace(
        "def copy(self):\n        pass",
        "def copy(self):\n        return $0type(self)(1)",
    );
    check(&copy, init);
    // The name of something else.
    let other = of("pass")
        .replace("def copy(self):\n        pass", "def copy(self):\n        return $0type(self.x)");
    assert!(!meaning(&other).iter().any(|link| link.contains("A.")), "{other}");
}

/// The result had the type of the left operand.
#[test]
fn the_right_operand_may_define_an_operator() {
    let of = |body: &str| {
        format!(
            "//- /a.py\nclass A:\n    def run(self): pass\n    def __radd__(self, other) -> \"A\": pass\nclass B:\n    def run(self): pass\n    \
             def upper(self): pass\ndef f(a: A, b: B):\n    {body}\n"
        )
    };
    check(&of("x = 'a' + a\n    x.$0run()"), "a.py:2 A.run Receiver");
    check(&of("x = 1 + a\n    x.$0run()"), "a.py:2 A.run Receiver");
    check(&of("x = 'a' + b\n    x.$0upper()"), "");
}

#[test]
fn a_test_of_the_type_narrows() {
    let of = |test: &str| {
        format!(
            "//- /a.py\nclass A:\n    def run(self): pass\nclass B:\n    def run(self): pass\ndef f(x):\n    if {test}:\n        x.$0run()\n"
        )
    };
    check(&of("type(x) is A"), "a.py:2 A.run Receiver");
    check(&of("type(x) == B"), "a.py:4 B.run Receiver");
    assert!(links(&of("type(x) is not A")).iter().all(|link| link.confidence < 0.9));
}
