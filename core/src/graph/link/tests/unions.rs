//! Written types of which a value has one: each definition is listed, and none is stated as certain.

use super::several::check_open;
use super::{check, links, meaning, resolved_outcome};

/// Fails unless the first link is `expected`, and is certain.
#[track_caller]
fn check_certain(text: &str, expected: &str) {
    check(text, expected);
    assert!(links(text)[0].confidence >= 0.9, "{text}");
}

const PYTHON: &str = "class A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n    def only(self): pass\n";

/// The first type was stated with 0.99, and the second one was left out.
#[test]
fn unions_of_python() {
    let of = |body: &str| format!("//- /a.py\n{PYTHON}{body}\n");
    let both = ["a.py:2 A.run", "a.py:4 B.run"];
    for body in [
        "def f(x: A | B):\n    x.$0run()",
        "def f(x: Union[A, B]):\n    x.$0run()",
        "def f(x: typing.Union[A, None, B]):\n    x.$0run()",
        "def f(x: 'A | B'):\n    x.$0run()",
        "def f(x: 'Union[A, B] | None'):\n    x.$0run()",
        "def f(x: list[A | B]):\n    x[0].$0run()",
        "def f(x: 'list[A | B]'):\n    for y in x:\n        y.$0run()",
        "def f(x: dict[str, A | B]):\n    x['a'].$0run()",
        "def f(*x: A | B):\n    for y in x:\n        y.$0run()",
        "def f(x: type[A | B]):\n    x().$0run()",
        "class C:\n    y: A | B\n    def f(self):\n        self.y.$0run()",
        "class C:\n    def __init__(self, y: A | B):\n        self.y = y\n    def f(self):\n        self.y.$0run()",
        "def make() -> A | B: pass\ndef f():\n    make().$0run()",
        "async def make() -> A | B: pass\nasync def f():\n    (await make()).$0run()",
        "X = A | B\ndef f(x: X):\n    x.$0run()",
        "X = Union[A, B]\ndef f(x: X):\n    x.$0run()",
        "type X = A | B\ndef f(x: X):\n    x.$0run()",
        "def f():\n    try:\n        pass\n    except (A, B) as e:\n        e.$0run()",
        "def f():\n    for x in [A(), B()]:\n        x.$0run()",
        "def f():\n    for x in (A(), B()):\n        x.$0run()",
        "def f():\n    xs = [A(), B()]\n    xs[0].$0run()",
        "def f():\n    xs = (A(), B())\n    for x in xs:\n        x.$0run()",
        "def make():\n    yield A()\n    yield B()\ndef f():\n    for x in make():\n        x.$0run()",
    ] {
        check_open(&of(body), &both);
    }
    for body in [
        "def f(x: A | None):\n    x.$0run()",
        "def f(x: None | A):\n    x.$0run()",
        "def f(x: Optional[A]):\n    x.$0run()",
        "def f(x: 'A | None'):\n    x.$0run()",
        "def f(x: str | A):\n    x.$0run()",
        "def f(x: list[A | None]):\n    x[0].$0run()",
        "def f():\n    for x in [A(), A(), None]:\n        x.$0run()",
    ] {
        check_certain(&of(body), "a.py:2 A.run Receiver");
    }
    // Of a value that may be of an unknown type.
    check_open(&of("def f(x: A | Any):\n    x.$0run()"), &both[..1]);
    assert!(resolved_outcome(&of("def f(x: A | Any):\n    x.$0run()")).is_open);
    assert!(!resolved_outcome(&of("def f(x: A | B):\n    x.$0run()")).is_open);
}

/// TypeScript: the same, also through an alias.
#[test]
fn unions_of_typescript() {
    let types = "class A { run() {} }\nclass B { run() {} only() {} }\n";
    let of = |body: &str| format!("//- /a.ts\n{types}{body}\n");
    let both = ["a.ts:1 A.run", "a.ts:2 B.run"];
    for body in [
        "function f(x: A | B) { x.$0run() }",
        "function f(x: A | null | B) { x.$0run() }",
        "function f(x: (A | B)[]) { x[0].$0run() }",
        "function f(x: Array<A | B>) { for (const y of x) y.$0run() }",
        "type X = A | B\nfunction f(x: X) { x.$0run() }",
        "type X = A | B\nfunction f(x: X[]) { x.forEach((y) => y.$0run()) }",
        "type Y = A | 'a'\ntype X = Y | B\nfunction f(x: X) { x.$0run() }",
        "class C { y: A | B; f() { this.y.$0run() } }",
        "class C { constructor(private y: A | B) {} f() { this.y.$0run() } }",
        "function make(): A | B { return any() }\nmake().$0run()",
        "async function make(): Promise<A | B> { return any() }\nasync function f() { (await make()).$0run() }",
        "function t(x: A | B) { if (x instanceof A) return; x.$0run() }",
        "function f() { for (const x of [new A(), new B()]) x.$0run() }",
        "function f() { const xs = [new A(), new B()]; xs[1].$0run() }",
        "function f(x: unknown) { (x as A | B).$0run() }",
        "function f(x: A | B) { x = other(); x.$0run() }",
    ] {
        check_open(&of(body), &both);
    }
    for body in [
        "function f(x: A | null) { x.$0run() }",
        "function f(x: undefined | A) { x.$0run() }",
        "function f(x: 'a' | A | false) { x.$0run() }",
        "type X = A | null\nfunction f(x: X) { x.$0run() }",
        "async function f(x: A | Promise<A>) { (await x).$0run() }",
        "function f(x: A | B) { if (x instanceof A) { x.$0run() } }",
    ] {
        let seen = meaning(&of(body));
        assert!(seen[0].starts_with("a.ts:1 A.run "), "{body}: {seen:?}");
    }
    check_certain(&of("function f(x: A | null) { x.$0run() }"), "a.ts:1 A.run Receiver");
    // The other type has no such method.
    check_certain(
        &of("type X = A | B\nfunction f(x: X) { x.$0only() }"),
        "a.ts:2 B.only Inherited",
    );
    let object = of("type X = A | { run(): void }\nfunction f(x: X) { x.$0run() }");
    check_open(&object, &["a.ts:1 A.run", "a.ts:3 X.run"]);
}

/// PHP and Java: the same.
#[test]
fn unions_of_php_and_java() {
    let types = "<?php\nclass A { function run() {} }\nclass B { function run() {} }\n";
    let of = |body: &str| format!("//- /a.php\n{types}{body}\n");
    let both = ["a.php:2 A::run", "a.php:3 B::run"];
    for body in [
        "function f(A|B $x) { $x->$0run(); }",
        "function f(A|null|B $x) { $x->$0run(); }",
        "/** @param array<int, A|B> $x */\nfunction f(array $x) { foreach ($x as $y) { $y->$0run(); } }",
        "/** @param (A|B)[] $x */\nfunction f($x) { $x[0]->$0run(); }",
        "function f(A|B ...$x) { foreach ($x as $y) { $y->$0run(); } }",
        "class C { private A|B $y; function f() { $this->y->$0run(); } }",
        "class C { function __construct(private A|B $y) {} function f() { $this->y->$0run(); } }",
        "function make(): A|B {}\nfunction f() { make()->$0run(); }",
        "function f() { try { g(); } catch (A|B $e) { $e->$0run(); } }",
        "function f() { foreach ([new A, new B] as $x) { $x->$0run(); } }",
    ] {
        check_open(&of(body), &both);
    }
    for body in [
        "function f(?A $x) { $x->$0run(); }",
        "function f(A|null|false $x) { $x->$0run(); }",
        "function f(string|A $x) { $x->$0run(); }",
        "function f() { foreach ([new A, new A] as $x) { $x->$0run(); } }",
    ] {
        check_certain(&of(body), "a.php:2 A::run Receiver");
    }
    let java = "class E1 extends Exception { void run() {} }\nclass E2 extends Exception { void run() {} }\n\
                class C { void f() { try { g(); } catch (E1 | E2 e) { e.$0run(); } } }";
    check_open(&format!("//- /C.java\n{java}\n"), &["C.java:1 E1.run", "C.java:2 E2.run"]);
}

/// Ruby: a variable that a branch, a block or another method assigns had its last or first value only.
#[test]
fn ruby_has_values_of_assignments() {
    let types = "class A; def run; end; end\nclass B; def run; end; end\n";
    let of = |body: &str| format!("//- /a.rb\n{types}{body}\n");
    let both = ["a.rb:1 A#run", "a.rb:2 B#run"];
    for body in [
        "def f\n  x = A.new\n  x = B.new if rand > 1\n  x.$0run\nend",
        "def f\n  x = A.new\n  x = B.new unless rand > 1\n  x.$0run\nend",
        "def f(c)\n  x = A.new\n  if c\n    x = B.new\n  end\n  x.$0run\nend",
        "def f(c)\n  x = A.new\n  unless c\n    x = B.new\n  end\n  x.$0run\nend",
        "def f(c)\n  if c\n    x = A.new\n  else\n    x = B.new\n  end\n  x.$0run\nend",
        "def f\n  x = A.new\n  [1].each { x = B.new }\n  x.$0run\nend",
        "def f(c)\n  x = A.new\n  while c\n    x.$0run\n    x = B.new\n  end\nend",
        "def f\n  begin\n    g\n  rescue A, B => e\n    e.$0run\n  end\nend",
        "def f\n  [A.new, B.new].each { |e| e.$0run }\nend",
        "class C\n  def initialize\n    @x = A.new\n  end\n  def set\n    @x = B.new\n  end\n  def f\n    @x.$0run\n  end\nend",
        "class C\n  def initialize\n    @x = []\n  end\n  def set\n    @x << A.new\n    @x << B.new\n  end\n  def f\n    @x.first.$0run\n  end\nend",
    ] {
        check_open(&of(body), &both);
    }
    for body in [
        "def f\n  x = B.new\n  x = A.new\n  x.$0run\nend",
        "def f(c)\n  x = nil\n  x = A.new if c\n  x.$0run\nend",
        "def f(c)\n  x = B.new\n  if c\n    x = A.new\n    x.$0run\n  end\nend",
        "class C\n  def initialize\n    @x = nil\n  end\n  def set\n    @x = A.new\n  end\n  def f\n    @x.$0run\n  end\nend",
        "class C\n  def initialize\n    @x = []\n    @x = A.new\n  end\n  def f\n    @x.$0run\n  end\nend",
    ] {
        check_certain(&of(body), "a.rb:1 A#run Receiver");
    }
}

/// A use in a loop before the assignment had the value from before the loop only.
#[test]
fn loops_assign_for_the_next_round() {
    let both = ["a.py:2 A.run", "a.py:4 B.run"];
    for body in [
        "def f():\n    x = A()\n    while True:\n        x.$0run()\n        x = B()",
        "def f(c):\n    x = A()\n    for y in c:\n        if y:\n            x.$0run()\n        x = B()",
    ] {
        check_open(&format!("//- /a.py\n{PYTHON}{body}\n"), &both);
    }
    let same = "def f():\n    x = A()\n    while True:\n        x.$0run()\n        x = A()";
    check_certain(&format!("//- /a.py\n{PYTHON}{same}\n"), "a.py:2 A.run Receiver");
    let types = "class A { run() {} }\nclass B { run() {} }\n";
    for body in [
        "function f() { let x: any = new A(); for (;;) { x.$0run(); x = new B() } }",
        "function f(c) { let x = new A(); while (c) { x.$0run(); x = new B() } }",
        "function f(c) { let x = new A(); do { x.$0run(); x = new B() } while (c) }",
    ] {
        check_open(&format!("//- /a.ts\n{types}{body}\n"), &["a.ts:1 A.run", "a.ts:2 B.run"]);
    }
    let types = "<?php\nclass A { function run() {} }\nclass B { function run() {} }\n";
    for body in [
        "function f($c) { $x = new A(); while ($c) { $x->$0run(); $x = new B(); } }",
        "function f($c) { $x = new A(); foreach ($c as $y) { $x->$0run(); $x = new B(); } }",
    ] {
        check_open(&format!("//- /a.php\n{types}{body}\n"), &["a.php:2 A::run", "a.php:3 B::run"]);
    }
}

/// Assignments of inner functions and by patterns did not count.
#[test]
fn captured_and_unpacked_variables_are_not_certain() {
    let of = |body: &str| format!("//- /a.py\n{PYTHON}{body}\n");
    let captured = "def f():\n    x = A()\n    def g():\n        nonlocal x\n        x = B()\n    g()\n    x.$0run()";
    check_open(&of(captured), &["a.py:2 A.run"]);
    assert!(resolved_outcome(&of(captured)).is_open);
    let global = "g = A()\ndef set():\n    global g\n    g = B()\ndef f():\n    g.$0run()";
    check_open(&of(global), &["a.py:2 A.run", "a.py:4 B.run"]);
    let types = "class A { run() {} }\nclass B { run() {} }\n";
    let of = |body: &str| format!("//- /a.ts\n{types}function f() {{ {body} }}\n");
    check(&of("let x: any = new A(); [x] = [new B()]; x.$0run()"), "a.ts:2 B.run Receiver");
    let by_name = of("let x: any = new A(); ({ x } = { x: new B() }); x.$0run()");
    check_open(&by_name, &["a.ts:1 A.run"]);
    assert!(resolved_outcome(&by_name).is_open);
}

/// A type with many arguments, one of which is a union, was unknown since it was too long.
#[test]
fn a_union_among_many_arguments() {
    let names = ["First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth"];
    let all: Vec<String> = names.iter().map(|it| format!("T{it}NameOfType")).collect();
    let list = all.join(", ");
    check_certain(
        &format!(
            "//- /a.ts\ntype Setup<{list}> = {{\n  make: () => void;\n  extend: <E>(by: E) => Setup<{list} | E>;\n}};\n\
             function setup<{list}>(): Setup<{list}> {{ return null!; }}\nsetup().extend(1).$0make();\n"
        ),
        "a.ts:2 Setup.make Receiver",
    );
}
