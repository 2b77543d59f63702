//! Implementations: direct and indirect, of types and of members, in each language.

use super::*;

/// Checks the implementations of a definition, as `level name via name`; structural ones have a `~`.
#[track_caller]
fn check(text: &str, name: &str, expected: &[&str]) -> Implementations {
    let tree = Tree::new(text);
    let linker = Linker::new(&tree.program);
    let found = implementations(&linker, &tree.named(name));
    let shown = |it: &Implementation| {
        let name = it.at.map_or_else(|| "(anonymous)".to_owned(), |at| tree.shown(at));
        let mark = if it.is_structural { "~" } else { "" };
        format!("{} {mark}{name} via {}", it.level, tree.shown(it.via))
    };
    let found_texts: Vec<String> = found.found.iter().map(shown).collect();
    assert_eq!(found_texts, expected);
    found
}

#[test]
fn types_are_followed_through_every_level() {
    let java = "//- /A.java\ninterface A { int of(); }\ninterface B extends A {}\n\
                abstract class C implements B { public int of() { return 1; } }\n\
                class D extends C {}\nclass E extends C { public int of() { return 2; } public int of(int x) { return x; } }\n\
                class F { A a = new A() { public int of() { return 3; } }; }\nclass G {}\n";
    let expected = ["1 B via A", "1 (anonymous) via A", "2 C via B", "3 D via C", "3 E via C"];
    check(java, "A", &expected);
    check(java, "A.of", &["1 (anonymous) via A", "2 C.of via B", "3 E.of via C"]);
    check(java, "C.of", &["1 E.of via C"]);
    check(java, "D", &[]);
}

#[test]
fn diamonds_and_cycles_end() {
    let python = "//- /a.py\nclass A:\n    def f(self): pass\nclass B(A):\n    def f(self): pass\n\
                  class C(A): pass\nclass D(B, C): pass\nclass X(Y): pass\nclass Y(X): pass\n";
    check(python, "A", &["1 B via A", "1 C via A", "2 D via B"]);
    check(python, "A.f", &["1 B.f via A"]);
    check(python, "X", &["1 Y via X"]);
}

#[test]
fn blocks_of_rust_implement_traits() {
    let rust = "//- /src/lib.rs\npub trait Shape { fn area(&self) -> u32; fn twice(&self) -> u32 { 2 } }\n\
                pub trait Solid: Shape {}\npub struct A;\npub struct B;\n\
                impl Shape for A { fn area(&self) -> u32 { 1 } }\n\
                impl Shape for B { fn area(&self) -> u32 { 2 } fn twice(&self) -> u32 { 4 } }\n\
                impl Solid for B {}\nimpl Shape for Vec<A> { fn area(&self) -> u32 { 3 } }\n";
    let expected = [
        "1 Solid via Shape",
        "1 impl Shape for A via Shape",
        "1 impl Shape for B via Shape",
        "1 impl Shape for Vec<A> via Shape",
    ];
    check(rust, "Shape", &expected);
    let of_area = ["1 A::area via Shape", "1 B::area via Shape", "1 Vec::area via Shape"];
    check(rust, "Shape::area", &of_area);
    check(rust, "Shape::twice", &["1 B::twice via Shape"]);
}

#[test]
fn interfaces_of_go_need_no_name() {
    let go = "//- /go.mod\nmodule m\n//- /a.go\npackage m\ntype Reader interface { Read(n int) int }\n\
              type Closer interface { Close() }\ntype Both interface { Reader; Closer }\n\
              type File struct{}\nfunc (f *File) Read(n int) int { return n }\nfunc (f *File) Close() {}\n\
              type Part struct{}\nfunc (p Part) Read(n int) int { return n }\n\
              type Wrap struct { *File }\ntype Other struct{}\nfunc (o Other) Read() {}\n\
              type Any interface{}\n";
    let expected = ["1 Both via Reader", "1 ~File via Reader", "1 ~Part via Reader"];
    let found = check(go, "Reader", &[&expected[..], &["2 Wrap via File"]].concat());
    assert_eq!(found.unstated, []);
    check(go, "Both", &["1 ~File via Both", "2 Wrap via File"]);
    check(go, "Reader.Read", &["1 ~File.Read via Reader", "1 ~Part.Read via Reader"]);
    let any = check(go, "Any", &[]);
    assert_eq!(any.unstated, [Unstated::NoMethods]);
}

#[test]
fn other_names_of_a_base_are_followed() {
    check(
        "//- /a.ts\nexport interface Store { get(key: string): string }\nexport default class Base {}\n\
         //- /b.ts\nimport { Store as S } from './a';\nimport Root from './a';\n\
         export class Memory implements S { get(key: string) { return key; } }\n\
         export class Child extends Root {}\n",
        "Store",
        &["1 Memory via Store"],
    );
    check(
        "//- /a.ts\nexport default class Base {}\n//- /b.ts\nimport Root from './a';\n\
         export class Child extends Root {}\nclass Base {}\nclass Other extends Base {}\n",
        "Base",
        &["1 Child via Base", "1 Other via Base"],
    );
}

#[test]
fn languages_without_bases_say_so() {
    let found = check("//- /a.m\n@interface A\n- (void)f;\n@end\n", "A", &[]);
    assert_eq!(found.unstated, [Unstated::Bases]);
    let found = check("//- /a.rb\nclass A\n  def f; end\nend\n", "A", &[]);
    assert_eq!(found.unstated, [Unstated::Duck]);
    let found = check(
        "//- /A.cs\nclass A {}\npartial class B : A {}\nclass C : B {}\n",
        "A",
        &["1 B via A", "2 C via B"],
    );
    assert_eq!(found.unstated, []);
    check(
        "//- /a.kt\ninterface A\nclass B : A\nval c = object : A {}\n",
        "A",
        &["1 B via A", "1 (anonymous) via A"],
    );
    check(
        "//- /a.php\n<?php\ninterface A { function f(); }\ntrait T {}\nclass B implements A { use T; function f() {} }\n",
        "T",
        &["1 B via T"],
    );
    check(
        "//- /a.rb\nmodule M\n  def f; end\nend\nclass A\n  include M\n  def f; end\nend\nclass B < A; end\n",
        "M",
        &["1 A via M", "2 B via A"],
    );
    check(
        "//- /a.swift\nprotocol A { func f() }\nstruct B: A { func f() {} }\nextension C: A { func f() {} }\nclass C {}\n",
        "A.f",
        &["1 B.f via A", "1 C.f via A"],
    );
    check(
        "//- /a.h\nclass A { public: virtual void f(); };\nclass B : public A { public: void f() override; };\nclass C : B {};\n",
        "A",
        &["1 B via A", "2 C via B"],
    );
}

#[test]
fn bases_may_be_other_names_of_a_type() {
    let python = "//- /a.py\nclass X:\n    def f(self): pass\n_Base = X\nclass A(_Base):\n    def f(self): pass\n\
                  //- /b.py\nfrom a import _Base\nimport a\nclass B(_Base): pass\nclass C(a._Base): pass\n\
                  //- /c.py\nclass Y: pass\n_Base = Y\nclass D(_Base): pass\n";
    check(python, "X", &["1 A via X", "1 B via X", "1 C via X"]);
    check(python, "X.f", &["1 A.f via X"]);
    let javascript = "//- /a.js\nclass X {}\nconst Base = X;\nclass A extends Base {}\n";
    check(javascript, "X", &["1 A via X"]);
}
