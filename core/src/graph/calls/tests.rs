//! Tests of callers and paths of calls on small trees: other names, inherited constructors, nested
//! functions, bounds.

use std::fmt::Write as _;

mod implementations;
mod property;
mod values;

use super::*;
use crate::graph::link::CONFIDENCE_ANSWER;
use crate::graph::link::tests::{Texts, fixture};
use crate::graph::program::Program;

struct Tree {
    texts: Texts,
    program: Program,
}

impl Tree {
    fn new(text: &str) -> Tree {
        let (texts, _) = fixture(text);
        Tree { program: Program::new(texts.clone()), texts }
    }

    /// Returns the definitions of a qualified name.
    fn named(&self, name: &str) -> Vec<SymbolAt> {
        let mut found = Vec::new();
        for file in self.program.ids() {
            let Some(facts) = self.program.file(file) else { continue };
            let of_name = |at: &usize| facts.symbols[*at].qualified_name == name;
            let places = (0..facts.symbols.len()).filter(of_name);
            found.extend(places.map(|at| SymbolAt { file, place: at as u32 }));
        }
        assert!(!found.is_empty(), "{name} is defined");
        found
    }

    fn shown(&self, at: SymbolAt) -> String {
        let facts = self.program.file(at.file).expect("a symbol's file is known");
        facts.symbols[at.place as usize].qualified_name.clone()
    }

    /// Returns the calls of definitions, as `path:line`.
    fn callers(&self, of: &[SymbolAt]) -> Vec<String> {
        let found = uses_of(&self.program, of, CONFIDENCE_ANSWER);
        assert!(!found.is_cut);
        self.lines(&found, Role::Call)
    }

    /// Returns the uses with a role, as `path:line`.
    fn lines(&self, found: &Uses, role: Role) -> Vec<String> {
        let calls = found.uses.iter().filter(|(_, caller)| caller.site.reference.role == role);
        let shown = |(_, caller): &(usize, Caller)| {
            let facts = self.program.file(caller.site.file).expect("a site's file is known");
            let text = &self.texts.iter().find(|(path, _)| *path == facts.path).expect("a file").1;
            let before = &text[..caller.site.reference.span.start];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            format!("{}:{line}", facts.path)
        };
        calls.map(shown).collect()
    }

    /// Returns the names on the shortest path of calls, if there is one.
    fn names_on_path(&self, from: &str, to: &str) -> Vec<String> {
        let (from, to) = (self.named(from), self.named(to));
        let calls = shortest_path(&self.program, &from, &to, CONFIDENCE_ANSWER).calls;
        let calls = calls.unwrap_or_default();
        let last = calls.last().map(|step| step.next);
        calls.iter().map(|step| step.symbol).chain(last).map(|at| self.shown(at)).collect()
    }
}

/// Checks the callers of all definitions of a qualified name.
#[track_caller]
fn check(text: &str, name: &str, expected: &[&str]) {
    let tree = Tree::new(text);
    assert_eq!(tree.callers(&tree.named(name)), expected);
}

#[test]
fn callers_and_shortest_path() {
    let tree = Tree::new(
        "//- /go.mod\nmodule m\n//- /a.go\npackage m\nfunc a() { b() }\nfunc b() { c(); c() }\n\
         //- /b.go\npackage m\nfunc c() {}\nfunc d() { d() }\n",
    );
    assert_eq!(tree.callers(&tree.named("c")), ["a.go:3", "a.go:3"]);
    assert_eq!(tree.names_on_path("a", "c"), ["a", "b", "c"]);
    assert_eq!(tree.names_on_path("d", "c"), Vec::<String>::new());
    let callees = callees(&tree.program, tree.named("b")[0], 0.0);
    let names: Vec<&str> = callees.calls.iter().map(|callee| callee.name.as_str()).collect();
    assert_eq!(names, ["c", "c"]);
}

/// A call of a C++ member resolved to its declaration only.
#[test]
fn declarations_and_definitions_share_their_callers() {
    let tree = Tree::new(
        "//- /a.h\nclass A { public: void work(int x); };\nvoid helper_fn();\n\
         //- /a.cpp\n#include \"a.h\"\nvoid A::work(int x) { helper_fn(); }\nvoid helper_fn() {}\n\
         //- /b.cpp\n#include \"a.h\"\nvoid go(A* a) { a->work(1); }\n",
    );
    for at in tree.named("A::work") {
        assert_eq!(tree.callers(&[at]), ["b.cpp:2"], "{at:?}");
    }
    assert_eq!(tree.names_on_path("go", "helper_fn"), ["go", "A::work", "helper_fn"]);
}

/// Calls through a base type run the overriding method: a path of calls leads through them.
#[test]
fn overriding_methods_are_called_through_their_base() {
    let tree = Tree::new(
        "//- /a.py\nclass Command:\n    def main(self):\n        self.invoke(1)\n    def invoke(self, x):\n        pass\n\
         class Group(Command):\n    def invoke(self, x):\n        super().invoke(x)\n\
         class Other(Command):\n    pass\ndef use(other: Other, any: Command):\n    other.invoke(2)\n    any.invoke(3)\n",
    );
    assert_eq!(tree.callers(&tree.named("Group.invoke")), ["a.py:3", "a.py:13"]);
    assert_eq!(
        tree.callers(&tree.named("Command.invoke")),
        ["a.py:3", "a.py:8", "a.py:12", "a.py:13"]
    );
    assert_eq!(
        tree.names_on_path("Command.main", "Group.invoke"),
        ["Command.main", "Group.invoke"]
    );
}

/// `super` of Ruby was not recorded: an override was not among the callers of what it overrides.
#[test]
fn overriding_methods_of_ruby_call_by_super() {
    let tree = Tree::new(
        "//- /a.rb\nclass Base\n  def run(a)\n    finish\n  end\n  def finish\n  end\nend\n\
         class One < Base\n  def run(a)\n    super\n  end\n  def other\n    super\n  end\nend\n\
         class Two < One\n  def run(a)\n    super(a)\n  end\nend\n\
         module Loose\n  def finish\n    super\n  end\nend\n",
    );
    assert_eq!(tree.callers(&tree.named("Base#run")), ["a.rb:10"]);
    assert_eq!(tree.callers(&tree.named("One#run")), ["a.rb:18"]);
    assert_eq!(tree.callers(&tree.named("Two#run")), Vec::<String>::new());
    let two = tree.named("Two#run")[0];
    let callees = callees(&tree.program, two, CONFIDENCE_ANSWER);
    let called: Vec<SymbolAt> = callees.calls.iter().map(|call| call.link.to).collect();
    assert_eq!(called, tree.named("One#run"));
    assert_eq!(
        tree.names_on_path("Two#run", "Base#finish"),
        ["Two#run", "One#run", "Base#run", "Base#finish"]
    );
    // Nothing includes the module.
    let found = uses_of(&tree.program, &tree.named("Base#finish"), CONFIDENCE_ANSWER);
    assert_eq!((found.uses.len(), found.unresolved.len()), (1, 1));
}

/// A class of Python that is called by another name than its own.
#[test]
fn constructors_are_called_through_the_class_of_an_instance() {
    let tree = Tree::new(
        "//- /a.py\nclass A:\n    def __init__(self):\n        pass\n    def copy(self):\n        return self.__class__()\n    \
         @classmethod\n    def make(cls):\n        return cls()\nclass B(A):\n    def same(self):\n        return type(self)()\n",
    );
    assert_eq!(tree.callers(&tree.named("A.__init__")), ["a.py:5", "a.py:8", "a.py:11"]);
}

/// An implementation of a trait or interface is called through it.
#[test]
fn implementations_are_called_through_their_interface() {
    check(
        "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\ntrait Source { fn fetch(&self); }\nstruct Pool;\n\
         impl Source for Pool { fn fetch(&self) {} }\nfn f(any: &dyn Source, pool: &Pool) { any.fetch(); pool.fetch(); }\n",
        "Pool::fetch",
        &["src/lib.rs:4", "src/lib.rs:4"],
    );
    check(
        "//- /a/S.java\npackage a;\ninterface S { void go(); }\nclass T implements S { public void go() {} }\n\
         class U { void f(S s) { s.go(); } }\n",
        "T.go",
        &["a/S.java:4"],
    );
    check(
        "//- /a.php\n<?php\nclass Till { public function ring() {} }\n\
         class Drawer extends Till { public function ring() {} }\n\
         function run(Till $till) { $till->ring(); }\n",
        "Drawer::ring",
        &["a.php:4"],
    );
}

/// Imports of a name that another file had bound for its own use were missed.
#[test]
fn names_of_imports_are_imported() {
    check(
        "//- /pkg/__init__.py\nfrom ._impl import _run as run\n//- /pkg/_impl.py\ndef _run(x):\n    pass\n\
         //- /use.py\nfrom pkg import run\nimport pkg\ndef go():\n    run(1)\n    pkg.run(2)\n",
        "_run",
        &["use.py:4", "use.py:5"],
    );
    check(
        "//- /Cargo.toml\n[package]\nname = \"a\"\n//- /src/lib.rs\nmod x;\nmod u;\n\
         use crate::x::deep as shallow;\npub use crate::x::deep as open;\n\
         //- /src/u.rs\nuse crate::open;\nfn go() { open(); crate::shallow(); }\n\
         //- /src/x.rs\npub fn deep() {}\n",
        "deep",
        &["src/u.rs:2", "src/u.rs:2"],
    );
    let scripts = "//- /x.js\nexport function aa() {}\n//- /y.js\nimport { aa as bb } from './x';\n\
        export { bb as cc };\nexport { bb };\nexport default bb;\n";
    check(
        &format!(
            "{scripts}//- /z.js\nimport {{ cc }} from './y';\nimport {{ bb }} from './y';\n\
             import own from './y';\nfunction go() {{\n  cc();\n  bb();\n}}\n"
        ),
        "aa",
        &["z.js:5", "z.js:6"],
    );
    // An unrelated definition of the same name adds no names.
    check(
        &format!(
            "{scripts}//- /o.js\nexport function aa() {{}}\n//- /z.js\n\
             import {{ aa as other }} from './o';\nother();\n"
        ),
        "aa",
        &["z.js:2"],
    );
}

/// `B(1)` runs the constructor of `A` if `B` has none.
#[test]
fn inherited_constructors_are_called() {
    let tree = Tree::new(
        "//- /a.py\nclass A:\n    def __init__(self, x):\n        init_db()\ndef init_db():\n    pass\n\
         class B(A):\n    pass\nclass C(B):\n    pass\nclass D(A):\n    def __init__(self):\n        pass\n\
         def go():\n    B(1)\n    C(2)\n    D()\n",
    );
    assert_eq!(tree.callers(&tree.named("A.__init__")), ["a.py:14", "a.py:15"]);
    assert_eq!(tree.callers(&tree.named("D.__init__")), ["a.py:16"]);
    assert_eq!(tree.names_on_path("go", "init_db"), ["go", "A.__init__", "init_db"]);
    check(
        "//- /a.js\nexport class A {\n  constructor(x) {}\n}\n\
         //- /b.js\nimport { A } from './a';\nclass B extends A {}\nexport function go() {\n  return new B(1);\n}\n",
        "A.constructor",
        &["b.js:4"],
    );
}

/// Calls of a nested function did not count for the enclosing function in a path.
#[test]
fn calls_of_nested_functions_count_for_enclosing_ones() {
    let tree = Tree::new(
        "//- /a.py\ndef target():\n    pass\ndef deco(f):\n    def wrapper():\n        target()\n    \
         return wrapper\ndef main():\n    deco(1)\n",
    );
    assert_eq!(tree.names_on_path("main", "target"), ["main", "deco", "target"]);
    assert_eq!(tree.names_on_path("deco.wrapper", "target"), ["deco.wrapper", "target"]);
}

/// Uses beyond the bound were dropped without notice.
#[test]
fn truncation_is_reported() {
    let mut text =
        "//- /a.c\nvoid release(int a) {}\nvoid other(void) {}\nvoid all(void) {\n".to_owned();
    text += &"release(1);\n".repeat(SITES_MAX);
    text += "}\n//- /z.c\nvoid last(void) { release(1); }\n";
    let tree = Tree::new(&text);
    let found = uses_of(&tree.program, &tree.named("release"), CONFIDENCE_ANSWER);
    assert!(found.is_cut);
    assert_eq!(found.resolved, SITES_MAX);
    let (from, to) = (tree.named("last"), tree.named("release"));
    let path = shortest_path(&tree.program, &from, &to, CONFIDENCE_ANSWER);
    assert!(path.calls.is_none() && path.is_cut);
}

/// Uses beyond the bound of a query are counted, in the requested order; time allows more.
#[test]
fn unexamined_uses_are_counted() {
    let mut text = "//- /a.c\nvoid release(int a) {}\n".to_owned();
    for file in ["b", "c"] {
        let _ = write!(text, "//- /{file}.c\nvoid use_{file}(void) {{\n");
        text += &"release(1);\n".repeat(40);
        text += "}\n";
    }
    let tree = Tree::new(&text);
    let of = tree.named("release");
    let last_first = |file: FileId| 9 - file.0 as usize;
    let find = |more_within| {
        let bound = Bound { uses_max: 50, more_within, first: &last_first, ..ALL };
        uses_within(&Linker::new(&tree.program), &of, CONFIDENCE_ANSWER, bound)
    };
    let found = find(Duration::ZERO);
    assert!(found.is_cut);
    assert_eq!((found.uses.len(), found.resolved, found.unexamined), (50, 50, 30));
    let in_last = tree.named("use_c")[0].file;
    assert_eq!(found.uses.iter().filter(|(_, it)| it.site.file == in_last).count(), 40);
    let all = find(Duration::from_secs(60));
    assert_eq!((all.uses.len(), all.resolved, all.unexamined, all.is_cut), (80, 80, 0, false));
    assert!(all.uses.is_sorted_by_key(|(_, it)| (it.site.file, it.site.reference.span.start)));
}

#[test]
fn other_names_are_bounded() {
    let mut text = "//- /x.js\nexport function aa() {}\n".to_owned();
    for at in 0..70 {
        let _ = write!(text, "//- /y{at}.js\nexport {{ aa as a{at} }} from './x';\n");
    }
    let tree = Tree::new(&text);
    assert!(uses_of(&tree.program, &tree.named("aa"), CONFIDENCE_ANSWER).is_cut);
}

/// Callers behind ten re-exports, each of which may rename the function.
#[test]
fn callers_behind_long_chains_are_found() {
    let chain = |first: &str, link: &dyn Fn(usize) -> String, last: &str| {
        let mut text = format!("//- /m0.ts\n{first}\n");
        for at in 1..=10 {
            let _ = write!(text, "//- /m{at}.ts\n{}\n", link(at));
        }
        text + last
    };
    let renamed =
        |at: usize| format!("export {{ work{} as work{at} }} from \"./m{}\";", at - 1, at - 1);
    check(
        &chain(
            "export function work0() {}",
            &renamed,
            "//- /main.ts\nimport { work10 as w } from \"./m10\";\nimport { work5 } from \"./m5\";\nw();\nwork5();\n",
        ),
        "work0",
        &["main.ts:3", "main.ts:4"],
    );
    let default = |at: usize| format!("export {{ default }} from \"./m{}\";", at - 1);
    check(
        &chain(
            "export default function work() {}",
            &default,
            "//- /main.ts\nimport run from \"./m10\";\nrun();\n",
        ),
        "work",
        &["main.ts:2"],
    );
}

/// Another overload was a caller with nearly the same confidence.
#[test]
fn a_call_runs_one_of_several_overloads() {
    let tree = Tree::new(
        "//- /A.java\nclass A {\n  void put(int x) {}\n  void put(int x, int y) {}\n  \
         void put(int x, int y, int z) {}\n  void f() { put(1, 2); }\n}\n",
    );
    let callers: Vec<Vec<String>> =
        tree.named("A.put").into_iter().map(|at| tree.callers(&[at])).collect();
    assert_eq!(callers, [vec![], vec!["A.java:5".to_owned()], vec![]]);
    let of = &tree.named("A.put")[..1];
    let found = uses_of(&tree.program, of, CONFIDENCE_ANSWER);
    assert_eq!((found.elsewhere, found.outside, found.unresolved.len()), (1, 0, 0));
    // The definitions of a name together have all calls.
    assert_eq!(tree.callers(&tree.named("A.put")), ["A.java:5"]);
}

/// Nothing selects one of three overloads: the call of the others is unresolved, and none of them
/// seems unused.
#[test]
fn a_call_of_overloads_that_nothing_selects_is_unresolved() {
    let tree = Tree::new(
        "//- /A.java\nclass A {\n  void put(int x) {}\n  void put(long x) {}\n  \
         void put(char x) {}\n  void f(B b) { put(b.some()); }\n}\n",
    );
    let all = tree.named("A.put");
    let unresolved = |at: &SymbolAt| {
        let found = uses_of(&tree.program, &[*at], CONFIDENCE_ANSWER);
        (found.uses.len(), found.unresolved.len(), found.elsewhere)
    };
    let counts: Vec<_> = all.iter().map(unresolved).collect();
    assert_eq!(counts, [(1, 0, 0), (0, 1, 0), (0, 1, 0)]);
    let found = uses_of(&tree.program, &all, CONFIDENCE_ANSWER);
    assert_eq!((found.uses.len(), found.unresolved.len()), (1, 0));
}

/// A function that a module inside of a file, or a function, imports under another name lost its calls
/// by that name.
#[test]
fn other_names_in_modules_and_functions_are_followed() {
    check(
        "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\npub fn f() {}\n\
         mod api { pub use super::f as g; }\nmod deep { pub mod er { pub use crate::f as h; } }\n\
         fn a() { api::g() }\nfn b() { deep::er::h() }\nfn c() { use crate::f as i; i() }\n\
         fn d() { use api::g as j; j() }\n\
         //- /src/other.rs\nfn e() { crate::api::g() }\n",
        "f",
        &["src/lib.rs:4", "src/lib.rs:5", "src/lib.rs:6", "src/lib.rs:7", "src/other.rs:1"],
    );
}

/// A method of a module called one that the type which includes it overrides, without being listed among
/// its callers.
#[test]
fn modules_call_methods_that_types_override() {
    let text = "//- /a.rb\nmodule Steps\n  def run\n    step\n  end\n  def step\n  end\nend\nclass Job\n  \
                include Steps\n  def step\n  end\nend\nclass Other\n  include Steps\nend\n\
                class First\n  prepend Steps\n  def step\n  end\nend\ndef go\n  Job.new.step\n  Other.new.step\n  \
                First.new.step\nend\n";
    check(text, "Job#step", &["a.rb:3", "a.rb:22"]);
    check(text, "Steps#step", &["a.rb:3", "a.rb:23", "a.rb:24"]);
    check(text, "First#step", &["a.rb:3"]);
}

/// A call that names the type whose method it is (`Base::run()`) counted for the method that overrides it.
#[test]
fn a_call_by_the_name_of_its_type_runs_no_override() {
    let tree = Tree::new(
        "//- /a.cc\nstruct Base { virtual void run() {} };\nstruct Der : Base {\n  void run() override { Base::run(); }\n};\n\
         void by_base(Base* it) { it->run(); }\nvoid by_name(Der* it) { it->Base::run(); }\n",
    );
    assert_eq!(tree.callers(&tree.named("Der::run")), ["a.cc:5"]);
    assert_eq!(tree.callers(&tree.named("Base::run")), ["a.cc:3", "a.cc:5", "a.cc:6"]);
}

/// `callers` of a name counted fewer calls for a method that overrides another one than `callers` of the
/// method.
#[test]
fn calls_of_an_overridden_method_count_for_those_that_override_it() {
    let tree = Tree::new(
        "//- /A.java\nclass A {\n  int v() { return 0; }\n}\nclass B extends A {\n  int v() { return 1; }\n}\n\
         class C extends B {\n  int v() { return super.v(); }\n}\nclass D {\n  int v() { return 3; }\n}\n\
         class U {\n  int f(A a, B b, C c, D d) { return a.v() + a.v() + b.v() + c.v() + d.v(); }\n}\n",
    );
    let all: Vec<SymbolAt> =
        ["A.v", "B.v", "C.v", "D.v"].into_iter().flat_map(|name| tree.named(name)).collect();
    let found = uses_of(&tree.program, &all, CONFIDENCE_ANSWER);
    let listed = |of: usize| found.uses.iter().filter(|(place, _)| *place == of).count();
    let counts: Vec<(usize, usize)> = (0..4).map(|of| (listed(of), found.also[of])).collect();
    assert_eq!(counts, [(2, 0), (2, 2), (1, 3), (1, 0)]);
    for (of, &at) in all.iter().enumerate() {
        let alone = uses_of(&tree.program, &[at], CONFIDENCE_ANSWER);
        assert_eq!((alone.uses.len(), alone.also[0]), (counts[of].0 + counts[of].1, 0));
    }
}

/// `callers` of a class of Ruby had no calls of `new` where the class defines `initialize`.
#[test]
fn a_class_of_ruby_is_called_by_new() {
    let text = "//- /a.rb\nclass A\n  def initialize(x)\n  end\nend\nclass B < A\nend\n\
                def f\n  A.new(1)\nend\ndef g\n  B.new(1)\nend\n";
    check(text, "A", &["a.rb:8", "a.rb:11"]);
    check(text, "A#initialize", &["a.rb:8", "a.rb:11"]);
    check(text, "B", &["a.rb:11"]);
    assert_eq!(Tree::new(text).names_on_path("f", "A"), ["f", "A"]);
}

/// `explain` listed the first of several definitions only, `callers` the call for each of them.
#[test]
fn a_call_of_one_of_several_definitions_calls_each() {
    let tree = Tree::new(
        "//- /a.py\nclass A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n\
         def f(x: A | B):\n    x.go()\n",
    );
    let found = callees(&tree.program, tree.named("f")[0], CONFIDENCE_ANSWER);
    let called = found.calls.iter().map(|it| tree.shown(it.link.to));
    assert_eq!(
        called.collect::<BTreeSet<_>>(),
        BTreeSet::from(["A.go", "B.go"].map(str::to_owned))
    );
    for name in ["A.go", "B.go"] {
        assert_eq!(tree.callers(&tree.named(name)), ["a.py:6"], "{name}");
    }
}

/// Objects that a declaration of C++ constructs were no calls of the constructor.
#[test]
fn declared_objects_are_calls_of_constructors() {
    let text = "//- /a.cpp\nstruct V { V(int x) {} };\nstruct W { int x; };\nV global(1);\n\
                void f() {\n  V a(1);\n  V* p(nullptr);\n  V& r(a);\n  W w{2};\n  W v;\n\
                auto q = std::make_unique<V>(7);\n  std::vector<V> list(3);\n}\n";
    check(text, "V::V", &["a.cpp:3", "a.cpp:5", "a.cpp:10"]);
    check(text, "W", &["a.cpp:8"]);
}

/// Attributes of C# were neither calls nor other uses of their class.
#[test]
fn attributes_call_their_constructor() {
    let text = "//- /a.cs\nclass FilterAttribute : System.Attribute { public FilterAttribute(string x) {} }\n\
                class Filter { }\nclass PlainAttribute : System.Attribute { }\n\
                [Filter(\"a\")] class A {\n  [Plain, Filter(\"b\")] void F() {}\n  \
                [Obsolete] void G([FilterAttribute(\"c\")] int x) {}\n}\n";
    check(text, "FilterAttribute.FilterAttribute", &["a.cs:4", "a.cs:5", "a.cs:6"]);
    check(text, "PlainAttribute", &["a.cs:5"]);
    check("//- /b.cs\nclass Tag : System.Attribute { }\n[Tag] class A { }\n", "Tag", &["b.cs:2"]);
    check(text, "Filter", &[]);
    let tree = Tree::new(text);
    let found = callees(&tree.program, tree.named("A.G")[0], CONFIDENCE_ANSWER);
    assert_eq!((found.calls.len(), found.unresolved.len()), (1, 0));
}

/// Annotations of Dart, Scala and Swift, Scala's calls without parentheses, Dart's cascades and functions
/// that are passed as values were not recorded.
#[test]
fn uses_in_languages_with_shared_rules_are_recorded() {
    let dart = "//- /a.dart\nclass Tag { final int x; const Tag(this.x); void go() {} }\nconst tag = Tag(1);\n\
                int twice(int x) => x;\n@Tag(2)\nvoid f(Tag t) {\n  t..go()..go();\n  [1].map(twice);\n}\n\
                @tag\nvoid g() {}\n";
    check(dart, "Tag.Tag", &["a.dart:2", "a.dart:4"]);
    check(dart, "Tag.go", &["a.dart:6", "a.dart:6"]);
    let reads = |text: &str, name: &str| {
        let tree = Tree::new(text);
        tree.lines(&uses_of(&tree.program, &tree.named(name), CONFIDENCE_ANSWER), Role::Read)
    };
    assert_eq!(reads(dart, "twice"), ["a.dart:7"]);
    assert_eq!(reads(dart, "tag"), ["a.dart:9"]);
    let scala = "//- /a.scala\nclass Tag(x: Int) extends annotation.StaticAnnotation\n\
                 object Util { def twice(x: Int) = x; def plus(x: Int) = x }\nclass C(x: Int) { def size = x }\n\
                 @Tag(1) class D {\n  def f(c: C) = c.size\n  def g = List(1).map(Util.twice)\n  \
                 def h = Util plus 4\n}\n";
    check(scala, "Tag", &["a.scala:4"]);
    check(scala, "C.size", &["a.scala:5"]);
    check(scala, "Util.twice", &["a.scala:6"]);
    check(scala, "Util.plus", &["a.scala:7"]);
    let swift = "//- /a.swift\n@propertyWrapper struct Clamp { var wrappedValue: Int }\nstruct S {\n  \
                 @Clamp var x = 1\n}\n";
    check(swift, "Clamp", &["a.swift:3"]);
    let lua = "//- /a.lua\nlocal M = {}\nfunction M.twice(x) return x end\nlocal function one(x) return x end\n\
               map({}, M.twice)\nmap({}, one)\n";
    assert_eq!(reads(lua, "M.twice"), ["a.lua:4"]);
    assert_eq!(reads(lua, "one"), ["a.lua:5"]);
}

/// Calls through aliases of Elixir counted as leaving the repository, and others were guessed by name.
#[test]
fn modules_of_elixir_are_looked_up_by_their_qualified_names() {
    let text = "//- /lib/shop/all.ex\ndefmodule Shop.Cart do\n  def run(x), do: help(x)\n  defp help(x), do: x\n  \
                defmodule Inner do\n    def run(x), do: x\n  end\n  def own(), do: Inner.run(1)\nend\n\
                defmodule Shop.Till do\n  def run(x), do: x\n  def go(), do: __MODULE__.run(1)\nend\n\
                //- /lib/shop/use.ex\ndefmodule Shop.Use do\n  alias Shop.Cart\n  alias Shop.Till, as: T\n  \
                alias Shop.{Cart, Other}\n  import Shop.Till\n  def a(), do: Cart.run(1)\n  \
                def b(), do: Shop.Cart.run(1)\n  def c(), do: T.run(1)\n  def d(), do: Cart.Inner.run(1)\n  \
                def e(), do: go()\n  def f(x), do: x |> Cart.run()\n  def g(), do: &Cart.run/1\n  \
                def h(), do: Enum.run(1)\nend\n";
    let lines = |at: &[usize]| -> Vec<String> {
        at.iter().map(|line| format!("lib/shop/use.ex:{line}")).collect()
    };
    let tree = Tree::new(text);
    let callers = |name: &str| tree.callers(&tree.named(name));
    assert_eq!(callers("Shop.Cart.run"), lines(&[6, 7, 11, 12]));
    assert_eq!(callers("Shop.Cart.Inner.run"), ["lib/shop/all.ex:7", "lib/shop/use.ex:9"]);
    assert_eq!(callers("Shop.Till.run"), ["lib/shop/all.ex:11", "lib/shop/use.ex:8"]);
    assert_eq!(callers("Shop.Till.go"), lines(&[10]));
    assert_eq!(callers("Shop.Cart.help"), ["lib/shop/all.ex:2"]);
    let found = uses_of(&tree.program, &tree.named("Shop.Cart.run"), CONFIDENCE_ANSWER);
    assert_eq!((found.unresolved.len(), found.outside), (0, 1));
}

/// A method of one object was no override of that of the object's type.
#[test]
fn methods_of_one_object_of_ruby_override() {
    let tree = Tree::new(
        "//- /a.rb\nclass App\n  def go\n    windows?\n  end\n  def windows?\n  end\nend\n\
         class Test\n  def setup\n    @app = App.new\n  end\n  def check\n    def @app.windows?\n    end\n  end\nend\n",
    );
    assert_eq!(tree.callers(&tree.named("App#windows?")), ["a.rb:3"]);
    let named = tree.program.named("windows?");
    let of_object: Vec<SymbolAt> =
        named.iter().copied().filter(|at| tree.shown(*at) != "App#windows?").collect();
    assert_eq!(of_object.len(), 1);
    assert_eq!(tree.callers(&of_object), ["a.rb:3"]);
}

/// Calls of Objective-C were not recorded.
#[test]
fn messages_and_calls_of_objective_c_are_calls() {
    let text = "//- /A.h\n@interface A\n- (void)put:(int)x at:(int)y;\n- (void)put:(int)x;\n- (int)size;\n\
                + (A *)make;\n@end\n\
                //- /A.m\n#import \"A.h\"\nvoid help(int x) {}\n@implementation A\n- (void)put:(int)x at:(int)y { help(1); }\n\
                - (void)put:(int)x { [self put:x at:2]; }\n- (int)size { return 1; }\n+ (A *)make { return nil; }\n\
                @end\n//- /B.m\n#import \"A.h\"\nvoid run(A *a) {\n  [a put:1 at:[a size]];\n  [a put:help(2)];\n  \
                [[A make] size];\n  [a performSelector:@selector(size)];\n}\n";
    check(text, "A.put:at:", &["A.m:5", "B.m:3"]);
    check(text, "A.put:", &["B.m:4"]);
    check(text, "A.make", &["B.m:5"]);
    check(text, "help", &["A.m:4", "B.m:4"]);
    let tree = Tree::new(text);
    let found = uses_of(&tree.program, &tree.named("A.size"), CONFIDENCE_ANSWER);
    assert_eq!(tree.lines(&found, Role::Call).len() + found.unresolved.len(), 2);
}

/// Calls of constructors by `this` and `base` were missing for a type without a constructor of its own.
#[test]
fn words_call_the_constructors_of_types() {
    let kotlin = "//- /a.kt\nopen class A(val x: Int) {\n  constructor(s: String) : this(1)\n}\nclass B : A {\n  \
                  constructor() : super(2)\n}\n";
    check(kotlin, "A", &["a.kt:2", "a.kt:5"]);
    let csharp = "//- /a.cs\nclass A { }\nclass B : A { public B() : base() { } }\n";
    check(csharp, "A", &["a.cs:2"]);
}

/// Functions that are arguments or operands were no uses in Haskell, OCaml, R and Zig.
#[test]
fn arguments_and_operands_are_uses() {
    let uses = |text: &str, name: &str, role: Role| {
        let tree = Tree::new(text);
        tree.lines(&uses_of(&tree.program, &tree.named(name), CONFIDENCE_ANSWER), role)
    };
    let haskell = "//- /A.hs\nmodule A where\nhelp x = x\nf xs = map help xs\ng x = help $ x\nh = help . help\n";
    assert_eq!(uses(haskell, "help", Role::Read), ["A.hs:3", "A.hs:5", "A.hs:5"]);
    assert_eq!(uses(haskell, "help", Role::Call), ["A.hs:4"]);
    let ocaml = "//- /a.ml\nlet help x = x\nlet f xs = List.map help xs\nlet g x = x |> help\nlet h x = help @@ x\n";
    assert_eq!(uses(ocaml, "help", Role::Read), ["a.ml:2"]);
    assert_eq!(uses(ocaml, "help", Role::Call), ["a.ml:3", "a.ml:4"]);
    let r = "//- /a.R\nhelp <- function(x) x\nf <- function(help2) { lapply(1:3, help); lapply(1:3, help2) }\n";
    assert_eq!(uses(r, "help", Role::Read), ["a.R:2"]);
    let zig = "//- /a.zig\nfn help(x: u32) u32 { return x; }\nfn f() void { call(help, 1); }\n";
    assert_eq!(uses(zig, "help", Role::Read), ["a.zig:2"]);
    let swift = "//- /a.swift\nclass A { init(x: Int) {} }\nfunc f() { _ = A(x: 1)\n _ = A.init(x: 2)\n let a: A = .init(x: 3) }\n";
    assert_eq!(uses(swift, "A", Role::Call), ["a.swift:2", "a.swift:3", "a.swift:4"]);
}

/// `super` in a type's own `new` runs the constructor.
#[test]
fn super_in_new_calls_the_constructor() {
    let text = "//- /a.rb\nclass A\n  def self.new(x)\n    super(x)\n  end\n  def initialize(x)\n  end\nend\n";
    check(text, "A#initialize", &["a.rb:3"]);
}

/// Imports that a file repeats were followed once for each other one: minutes for 38,000 of them. And of
/// too many uses, the first ones were resolved, calls or not.
#[test]
fn repeated_imports_are_followed_once() {
    let imports = "from a import target\n".repeat(SITES_MAX + 1);
    let text = format!("//- /a.py\ndef target(): pass\n//- /b.py\n{imports}target()\n");
    let tree = Tree::new(&text);
    let started = Instant::now();
    let found = uses_of(&tree.program, &tree.named("target"), CONFIDENCE_ANSWER);
    assert!(found.is_cut);
    assert_eq!(tree.lines(&found, Role::Call).len(), 1);
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

/// Calls by the name of a variable or field that holds a definition were not among its callers.
#[test]
fn calls_through_variables_are_calls() {
    let javascript = "//- /utils.js\nfunction rank(node) {}\nmodule.exports = { rank };\n//- /rule.js\n\
                      const utils = require(\"./utils\");\nconst order = utils.rank;\n\
                      function go(node) { order(node); }\nfunction other(order) { order(1); }\n";
    check(javascript, "rank", &["rule.js:3"]);
    let typescript = "//- /a.ts\nclass Zed { constructor(x: number) {} }\nclass User {\n  K = Zed;\n  \
                      run() { return new this.K(1); }\n}\n";
    let tree = Tree::new(typescript);
    assert_eq!(tree.callers(&tree.named("Zed")), ["a.ts:4"]);
    assert_eq!(tree.callers(&tree.named("Zed.constructor")), ["a.ts:4"]);
}
