//! Functions that are passed or assigned as values, and calls of expressions in parentheses.

use super::*;

/// Checks the lines on which a definition is used as a value, and those on which it is called.
#[track_caller]
fn check(text: &str, name: &str, values: &[u32], calls: &[u32]) {
    let tree = Tree::new(text);
    let found = uses_of(&tree.program, &tree.named(name), CONFIDENCE_ANSWER);
    let lines = |role| -> Vec<u32> {
        let lines = tree.lines(&found, role);
        lines.iter().filter_map(|it| it.rsplit_once(':')?.1.parse().ok()).collect()
    };
    assert_eq!((lines(Role::Read), lines(Role::Call)), (values.to_vec(), calls.to_vec()));
}

#[test]
fn methods_of_csharp_are_passed_and_assigned() {
    check(
        "//- /A.cs\nclass A {\n  int h() => 1;\n  static int s() => 1;\n  System.Func<int> P => h;\n  void M() {\n    \
         btn.Click += h;\n    new Thread(h);\n    System.Func<int> f = h;\n    f();\n    \
         On(this.h, cb: (h));\n    var all = new[] { h };\n    var t = x ? h : null;\n    \
         Use(nameof(h));\n    (h)();\n    h();\n    void N(int h) { On(h); }\n  }\n}\n",
        "A.h",
        &[4, 6, 7, 8, 10, 10, 11, 12],
        &[14, 15],
    );
    check(
        "//- /A.cs\nclass A {\n  public static int s() => 1;\n}\nclass B {\n  void M() { On(A.s); On<int>(g<int>); }\n  \
         int g<T>() => 1;\n}\n",
        "A.s",
        &[5],
        &[],
    );
}

#[test]
fn functions_of_kotlin_are_referred_to() {
    let text = "//- /A.kt\nopen class A {\n  open fun h() {}\n  fun m() {\n    on(::h)\n    on(this::h)\n    (::h)()\n  }\n}\n\
                class B : A() {\n  override fun h() { on(super::h) }\n}\nfun f(a: A) {\n  on(A::h)\n  val g = a::h\n  on(A::class)\n}\n";
    check(text, "A.h", &[4, 5, 10, 13, 14], &[6]);
    check("//- /a.kt\nfun h() {}\nfun m() {\n  on(::h)\n  (h)()\n  h!!()\n}\n", "h", &[3], &[4, 5]);
}

#[test]
fn functions_of_swift_are_passed_and_assigned() {
    check(
        "//- /A.swift\nclass A {\n  func h() {}\n  func m() {\n    btn.on(h)\n    x.a = self.h\n    let f = h\n    \
         let s = #selector(h)\n    t(#selector(A.h(_:)))\n    on(a: self.h(_:))\n    (h)()\n    self.h()\n    \
         let g = [h]\n  }\n}\n",
        "A.h",
        &[4, 5, 6, 7, 8, 9, 12],
        &[10, 11],
    );
}

#[test]
fn methods_of_java_are_referred_to_by_super() {
    check(
        "//- /A.java\nclass A {\n  int h() { return 1; }\n}\nclass B extends A {\n  int h() { return 2; }\n  \
         void m() { on(super::h); }\n}\n",
        "A.h",
        &[6],
        &[],
    );
}

#[test]
fn methods_of_ruby_are_named_by_symbols() {
    check(
        "//- /a.rb\nclass Base\n  def run2\n  end\nend\nclass A < Base\n  before_action :run2, only: [:run2]\n  \
         after_action :other, if: :run2\n  alias go2 run2\n  alias :go3 :run2\n  alias_method :go4, :run2\n  \
         private :run2\n  def m\n    on(method(:run2))\n    A.new.method(:run2)\n    [A.new].each(&:run2)\n  end\nend\n",
        "Base#run2",
        &[6, 7, 8, 9, 10, 13, 14],
        &[15],
    );
}

#[test]
fn calls_of_expressions_in_parentheses_are_calls() {
    check(
        "//- /a.ts\nexport function tgt() {}\nclass A { go() {} }\nfunction m(a: A) {\n  tgt!();\n  (0, tgt)();\n  \
         (tgt)();\n  (tgt as any)();\n  on(tgt, (tgt));\n}\n",
        "tgt",
        &[8, 8],
        &[4, 5, 6, 7],
    );
    check(
        "//- /a.ts\nclass A { go() {} }\nfunction m(a: A) {\n  a.go!();\n  (a.go)();\n  on(a.go);\n}\n",
        "A.go",
        &[5],
        &[3, 4],
    );
    check(
        "//- /a.py\nclass A:\n    def go(self):\n        pass\ndef m(a: A):\n    (a.go)()\n    on((a.go))\n",
        "A.go",
        &[6],
        &[5],
    );
    check("//- /a.py\ndef tgt(x):\n    pass\n(tgt)(1)\n((tgt))(1)\n", "tgt", &[], &[3, 4]);
    check(
        "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\npub fn tgt<T>() {}\nfn m() {\n    \
         (tgt::<u8>)();\n    (crate::tgt)();\n    on((tgt));\n}\n",
        "tgt",
        &[5],
        &[3, 4],
    );
    check(
        "//- /go.mod\nmodule m\n//- /a.go\npackage m\ntype A struct{}\nfunc (a A) go1() {}\nfunc m(a A) {\n\t(a.go1)()\n\
         \ton((a.go1))\n}\n",
        "A.go1",
        &[6],
        &[5],
    );
    check(
        "//- /go.mod\nmodule m\n//- /a.go\npackage m\nfunc tgt() {}\nfunc m() {\n\t(tgt)()\n\ton((tgt))\n}\n",
        "tgt",
        &[5],
        &[4],
    );
    check(
        "//- /a.cc\nvoid tgt(int x) {}\nstruct A { void go(int x) {} };\nvoid m(A a) {\n  (tgt)(1);\n  on((tgt));\n}\n",
        "tgt",
        &[5],
        &[4],
    );
    check(
        "//- /a.cc\nstruct A { void go(int x) {} };\nvoid m(A a) {\n  (a.go)(1);\n}\n",
        "A::go",
        &[],
        &[3],
    );
}

/// `(T)(x)` converts a value in C.
#[test]
fn conversions_are_no_calls() {
    check(
        "//- /a.c\ntypedef long long my_t;\nint m(int x) {\n  return (my_t)(x);\n}\n",
        "my_t",
        &[3],
        &[],
    );
}
