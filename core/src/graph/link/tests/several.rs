//! Values that are one of several: each definition is listed, and none is stated as certain.

use super::{check, links, meaning};
use crate::graph::link::CONFIDENCE_ANSWER;

/// Fails unless the links of the use at `$0` that are answers are these lines of functions, each with a
/// confidence below 0.9.
#[track_caller]
pub(super) fn check_open(text: &str, expected: &[&str]) {
    let links = links(text);
    let names = meaning(text);
    let answers: Vec<(&str, f32)> = names
        .iter()
        .zip(&links)
        .filter(|(_, link)| link.confidence >= CONFIDENCE_ANSWER)
        .map(|(name, link)| (name.rsplit_once(' ').map_or("", |(it, _)| it), link.confidence))
        .collect();
    for name in expected {
        let found = answers.iter().find(|(it, _)| it == name);
        let found = found.unwrap_or_else(|| panic!("{name} is not among {answers:?} in {text}"));
        assert!(found.1 < 0.9, "{name} is stated as certain: {answers:?} in {text}");
    }
    let others = answers.iter().filter(|(it, of)| !expected.contains(it) && *of >= 0.9);
    assert_eq!(others.count(), 0, "{answers:?}");
}

const TYPES: &str = "class A { run() {} }\nclass B { run() {} }\n";

/// The first value was stated with 0.97.
#[test]
fn one_of_two_values_is_not_certain() {
    let of = |body: &str| format!("//- /a.js\n{TYPES}{body}\n");
    let both = ["a.js:1 A.run", "a.js:2 B.run"];
    for body in [
        "function f(c) { const x = c ? new A() : new B(); x.$0run() }",
        "function f(c) { (c || new A() && new B()).run(); let x = new A(); if (c) { x = new B() } x.$0run() }",
        "function f(c) { let x; if (c) x = new A(); else x = new B(); x.$0run() }",
        "function f(c) { let x = new A(); c && (x = new B()); x.$0run() }",
        "function f(c) { let x; if (c) { x = new A(); if (c.d) { x = new B() } } x.$0run() }",
        "function f(c) { var x = new A(); for (const y of c) { x = new B() } x.$0run() }",
        "function make(c) { if (c) { return new A() } return new B() }\nmake().$0run()",
        "const make = (c) => c ? new A() : new B()\nmake().$0run()",
        "let x = new A()\nfunction set() { x = new B() }\nfunction f() { x.$0run() }",
        "class C { constructor() { this.x = new A() } set() { this.x = new B() } f() { this.x.$0run() } }",
        "class C { x = new A(); set() { this.x = new B() } f() { this.x.$0run() } }",
    ] {
        check_open(&of(body), &both);
    }
    for body in [
        "function f(x = new A()) { x.$0run() }",
        "function f({ x = new A() }) { x.$0run() }",
        "function f(o) { const { x = new A() } = o; x.$0run() }",
        "function f(o) { const x = o || new A(); x.$0run() }",
    ] {
        check_open(&of(body), &both[..1]);
    }
    // What is assigned unconditionally, or is the same on each way.
    for body in [
        "function f(c) { let x = new B(); x = new A(); x.$0run() }",
        "function f(c) { let x = new B(); if (c) { x = new A(); x.$0run() } }",
        "function f(c) { let x = null; if (c) { x = new A() } x.$0run() }",
        "function f(c) { let x = c ? new A() : null; x.$0run() }",
        "function make(c) { if (c) { return new A() } return new A() }\nmake().$0run()",
    ] {
        let text = of(body);
        check(&text, "a.js:1 A.run Receiver");
        assert!(links(&text)[0].confidence >= 0.9, "{body}");
    }
}

/// Each of two exports of one name was stated with 0.99, and so was the first of two functions.
#[test]
fn the_last_definition_in_a_block_replaces_others() {
    let of = |defined: &str, used: &str| {
        format!("//- /a.js\n{defined}\n//- /b.js\nconst a = require('./a')\n{used}\n")
    };
    let twice = "exports.f = function () { return 1 }\nexports.f = function () { return 2 }";
    check(&of(twice, "a.$0f()"), "a.js:2 f Receiver");
    assert!(links(&of(twice, "a.$0f()"))[1..].iter().all(|link| link.confidence < 0.2));
    let branch =
        "exports.f = function () { return 1 }\nif (process.x) {\n  exports.f = function () {}\n}";
    check_open(&of(branch, "a.$0f()"), &["a.js:1 f", "a.js:3 f"]);
    let proto = "function T() {}\nT.prototype.m = function () { return 1 }\n\
                 T.prototype.m = function () { return 2 }\nexports.T = T";
    check(&of(proto, "new a.T().$0m()"), "a.js:3 T.m Receiver");
    let declared = "function f() { return 1 }\nfunction f() { return 2 }\nfunction g() { $0f() }";
    check(&format!("//- /a.js\n{declared}\n"), "a.js:2 f SameFile");
    let values = "const is = require('./is')\nexports.f = is.a\nexports.f = is.b\n\
                  //- /is.js\nexports.a = function () {}\nexports.b = function () {}";
    check(&of(values, "a.$0f()"), "is.js:2 b Receiver");
    let assigned =
        "function f() {}\nfunction g() {}\nfunction set() { f = g }\nfunction h() { $0f() }";
    check_open(&format!("//- /a.js\n{assigned}\n"), &["a.js:1 f"]);
}

/// Members of objects that have the name of their value were unresolved.
#[test]
fn short_members_are_their_values() {
    let of = |defined: &str, used: &str| {
        format!("//- /a.js\n{defined}\n//- /b.js\nconst {{ api }} = require('./a')\n{used}\n")
    };
    let object = "function run() {}\nconst api = { run }\nmodule.exports = { api }";
    check(&of(object, "api.$0run()"), "a.js:1 run Receiver");
    let made = "function api() {\n  function run() {}\n  function all() { run() }\n  return { run, all }\n}\n\
                module.exports = { api }";
    check(&of(made, "api().$0run()"), "a.js:2 api.run Receiver");
    check(&of(&made.replace("{ run() }", "{ $0run() }"), ""), "a.js:2 api.run Scope");
}

/// What a wrapper returns only sometimes, or makes of its parameter, was stated with 0.98.
#[test]
fn wrappers_may_return_something_else() {
    let of = |wrapper: &str, used: &str| {
        format!(
            "//- /a.js\nclass Other {{ run() {{}} }}\nclass Base {{ run() {{}} stop() {{}} }}\n{wrapper}\n\
             const Made = wrap(Base)\n{used}\n"
        )
    };
    for wrapper in [
        "function wrap(C) { if (C.x) { return C } return Other }",
        "function wrap(C) { return C.x ? C : Other }",
        "function wrap(C) { return function (...a) { return new Other(new C(...a)) } }",
        "function wrap(C) { return class extends C { constructor() { super(); return new Other() } } }",
    ] {
        let text = of(wrapper, "new Made().$0run()");
        let certain = links(&text).into_iter().filter(|link| link.confidence >= 0.9).count();
        assert_eq!(certain, 0, "{wrapper}: {:?}", meaning(&text));
    }
    let facade =
        "function wrap(C) { return class { constructor() { this.c = new C() } run() {} } }";
    let seen = meaning(&of(facade, "new Made().$0run()"));
    assert!(!seen.iter().any(|it| it.contains("Base.run Receiver")), "{seen:?}");
    let override_ = "function wrap(C) { return class extends C { run() {} } }";
    check(&of(override_, "new Made().$0run()"), "a.js:3 wrap.run Receiver");
    check(&of(override_, "new Made().$0stop()"), "a.js:2 Base.stop Receiver");
}

/// TypeScript: a written type is the type, whatever is assigned.
#[test]
fn written_types_are_certain() {
    let of = |body: &str| format!("//- /a.ts\n{TYPES}{body}\n");
    for body in [
        "function f(c: boolean) { let x: A = make(); if (c) { x = other() } x.$0run() }",
        "class C { x: A = make(); set() { this.x = other() } f() { this.x.$0run() } }",
        "function f(x: A = make()) { x.$0run() }",
        "function make(c: boolean): A { if (c) { return one() } return two() }\nmake(true).$0run()",
    ] {
        check(&of(body), "a.ts:1 A.run Receiver");
        assert!(links(&of(body))[0].confidence >= 0.9, "{body}");
    }
    let both = "function f(c: boolean) { const x = c ? new A() : new B(); x.$0run() }";
    check_open(&of(both), &["a.ts:1 A.run", "a.ts:2 B.run"]);
    let signatures = "function f(a: string): void\nfunction f(a: number): void\nfunction f(a: any) {}\n\
                      function g() { $0f(1) }";
    assert!(!links(&of(signatures)).is_empty());
}

/// Python: names that both branches of an `if` assign, and several results.
#[test]
fn python_has_values_of_branches() {
    let types = "class A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n";
    let of = |body: &str| format!("//- /a.py\n{types}{body}\n");
    let both = ["a.py:2 A.run", "a.py:4 B.run"];
    for body in [
        "def f(c):\n    if c:\n        x = A()\n    else:\n        x = B()\n    x.$0run()",
        "def f(c):\n    try:\n        x = A()\n    except E:\n        x = B()\n    x.$0run()",
        "def f(c):\n    x = A() if c else B()\n    x.$0run()",
        "def f(c):\n    x = A()\n    for y in c:\n        x = B()\n    x.$0run()",
        "def make(c):\n    if c:\n        return A()\n    return B()\ndef f():\n    make().$0run()",
        "if A:\n    x = A()\nelse:\n    x = B()\ndef f():\n    x.$0run()",
        "class C:\n    def __init__(self):\n        self.x = A()\n    def set(self):\n        self.x = B()\n    \
         def f(self):\n        self.x.$0run()",
    ] {
        check_open(&of(body), &both);
    }
    check_open(&of("def f(c, x=A()):\n    x.$0run()"), &both[..1]);
    for body in [
        "def f(c):\n    x = B()\n    x = A()\n    x.$0run()",
        "def f(c):\n    x = None\n    if c:\n        x = A()\n    x.$0run()",
        "def f(c):\n    x = B()\n    if c:\n        x = A()\n        x.$0run()",
        "def f(c):\n    with c:\n        x = B()\n        x = A()\n    x.$0run()",
    ] {
        check(&of(body), "a.py:2 A.run Receiver");
        assert!(links(&of(body))[0].confidence >= 0.9, "{body}");
    }
    let twice = "try:\n    from c import f\nexcept ImportError:\n    def f(): pass\n    def f(): pass\n\
                 def g():\n    $0f()";
    assert!(links(&of(twice)).iter().all(|link| link.confidence < 0.9));
}

/// PHP: the same for variables, results and properties.
#[test]
fn php_has_values_of_branches() {
    let types = "<?php\nclass A { function run() {} }\nclass B { function run() {} }\n";
    let of = |body: &str| format!("//- /a.php\n{types}{body}\n");
    let both = ["a.php:2 A::run", "a.php:3 B::run"];
    for body in [
        "function f($c) { if ($c) { $x = new A(); } else { $x = new B(); } $x->$0run(); }",
        "function f($c) { $x = $c ? new A() : new B(); $x->$0run(); }",
        "function f($c) { $x = match ($c) { 1 => new A(), default => new B() }; $x->$0run(); }",
        "function make($c) { if ($c) { return new A(); } return new B(); }\nfunction f() { make(1)->$0run(); }",
        "class C { private $x; function __construct() { $this->x = new A(); } function set() { $this->x = \
         new B(); } function f() { $this->x->$0run(); } }",
    ] {
        check_open(&of(body), &both);
    }
    let last = of("function f($c) { $x = new B(); $x = new A(); $x->$0run(); }");
    check(&last, "a.php:2 A::run Receiver");
    assert!(links(&last)[0].confidence >= 0.9);
}

/// Ruby: a third value was left out.
#[test]
fn ruby_has_more_than_two_values() {
    let types =
        "class A; def run; end; end\nclass B; def run; end; end\nclass C; def run; end; end\n";
    let of = |body: &str| format!("//- /a.rb\n{types}{body}\n");
    let all = ["a.rb:1 A#run", "a.rb:2 B#run", "a.rb:3 C#run"];
    let branches = "def go(a)\n  x = a ? A.new : a.b ? B.new : C.new\n  x.$0run\nend";
    check_open(&of(branches), &all);
    let results = "class Maker\n  def make(a)\n    return A.new if a\n    return B.new if a.b\n    C.new\n  end\nend\n\
                   def go(a)\n  Maker.new.make(a).$0run\nend";
    check_open(&of(results), &all);
}

/// A member that all values inherit from one base was stated as one of several.
#[test]
fn what_all_values_share_is_certain() {
    let types = "class Base { run() {} }\nclass A extends Base {}\nclass B extends Base {}\n";
    let value = "function f(c) { const x = c ? new A() : new B(); x.$0run() }";
    let result = "function make(c) { if (c) { return new A() } return new B() }\nmake().$0run()";
    for body in [value, result] {
        let text = format!("//- /a.js\n{types}{body}\n");
        check(&text, "a.js:1 Base.run Inherited");
        assert!(links(&text)[0].confidence >= 0.9, "{body}: {:?}", meaning(&text));
    }
}

/// Such a value was taken for one from outside, so that the call was not counted as unresolved.
#[test]
fn an_unknown_value_or_one_from_outside_is_unresolved() {
    let of = |body: &str| format!("//- /a.js\n{TYPES}class C {{ only() {{}} }}\n{body}\n");
    for body in [
        "function f(o) { const x = o || new Map(); x.$0run() }",
        "function f(o = new Map()) { o.$0run() }",
        "function f(c, o) { const x = c ? new Map() : o; x.$0run() }",
    ] {
        assert!(!super::resolved_outcome(&of(body)).is_outside, "{body}");
    }
    let outside = super::resolved_outcome(&of(
        "function f(c) { const x = c ? new Map() : new Set(); x.$0run() }",
    ));
    assert!(outside.is_outside && outside.links.is_empty());
}

/// What the module imports instead, if that is installed, was stated as certain.
#[test]
fn a_replacement_for_an_import_is_not_certain() {
    let tree = "//- /a.py\ntry:\n    from fast import load\nexcept ImportError:\n    def load(x): pass\n\
                //- /b.py\nfrom a import load\n$0load(1)\n";
    check_open(tree, &["a.py:4 load"]);
}

/// A call of a variable that a pattern takes from an object was stated as a certain call of the property.
#[test]
fn a_property_taken_by_a_pattern_is_not_certain() {
    let of = |body: &str| {
        format!(
            "//- /a.ts\ninterface Run {{ (of: string): void }}\ninterface Tools {{ run: Run }}\nfunction f({body}) }}\n"
        )
    };
    check_open(&of("{ run }: Tools) { $0run('')"), &["a.ts:2 Tools.run"]);
    check(&of("tools: Tools) { tools.$0run('')"), "a.ts:2 Tools.run Receiver");
}
