//! Damaged sources: whatever facts they give, each use is resolved within its bounds.

use std::fmt::Write;

use proptest::prelude::*;

use crate::base::testing;
use crate::graph::link::{Code, LINKS_MAX, Linker, Use};
use crate::graph::program::Program;

/// Sources that refer to each other, one or two for each language with facts.
const SOURCES: &[(&str, &str)] = &[
    (
        "a.ts",
        "import { B as C } from './b';\nexport class A<T> extends C {\n  f(cb: (x: A<T>, y: Array<C>) => void) {}\n  g() { this.f((x, y) => y[0].f(z => z.g())); super.f(() => {}); }\n}\nexport default A;\n",
    ),
    (
        "b.ts",
        "import A from './a';\nexport * from './a';\nexport type F = (a: A<F>, b: F) => void;\nexport class B extends A<B> { constructor(run?: F) { super(); new B((a, b) => a.g()); } }\n",
    ),
    (
        "a/A.java",
        "package a;\nimport static a.A.*;\nimport a.A.B;\npublic class A extends B {\n  A() { this(1); }\n  A(int x) { super(); }\n  static class B extends A { B f(B... x) { return a.A.B.f().f(A.this); } }\n}\n",
    ),
    (
        "m.py",
        "import m\nfrom m import *\nclass A(A, m.A):\n    def f(self) -> 'A': return m.A().f()[0].f(self.f)\n",
    ),
    (
        "src/lib.rs",
        "mod lib;\npub use crate::*;\npub use self::lib::A;\npub struct A { a: Box<A> }\nimpl A { fn a(&self) -> Self { self.a.a().a(crate::lib::A::a) } }\n",
    ),
    ("g.go", "package g\ntype A struct { A; b *A }\nfunc (a *A) F() *A { return a.b.F().F() }\n"),
    ("c.cpp", "struct A : A { A(); A* f(int); };\nA* A::f(int x) { return f(x)->f(x); }\n"),
    ("r.rb", "class A < A\n  include A\n  def f; A.new.f.f; end\nend\n"),
];

/// Removes, duplicates or overwrites a part of a text.
fn damage(text: &mut Vec<u8>, at: usize, len: usize, how: u8) {
    let start = at % (text.len() + 1);
    let end = (start + len).min(text.len());
    match how % 4 {
        0 => drop(text.drain(start..end)),
        1 => text.truncate(start),
        2 => {
            let part = text[start..end].to_vec();
            text.splice(start..start, part);
        }
        _ => text[start..end].fill(b"(<[.{@$\xff"[usize::from(how / 4) % 8]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: testing::cases(40), ..ProptestConfig::default() })]

    #[test]
    fn every_use_is_resolved_within_bounds(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..400, 0_usize..40, any::<u8>()), 0..12),
    ) {
        let mut texts: Vec<(String, Vec<u8>)> = SOURCES
            .iter()
            .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
            .collect();
        for (which, at, len, how) in edits {
            let which = which.index(texts.len());
            damage(&mut texts[which].1, at, len, how);
        }
        let program = Program::new(texts);
        let linker = Linker::new(&program);
        for file in program.ids() {
            for (name, reference) in program.references(file).iter() {
                let links = linker.resolve(file, Use::new(name, reference));
                let mut seen = String::new();
                for link in &links {
                    let facts = program.file(link.to.file).expect("a link's file is known");
                    prop_assert!((link.to.place as usize) < facts.symbols.len());
                    prop_assert!((0.0..=1.0).contains(&link.confidence));
                    let _ = write!(seen, "{:?} ", link.to);
                }
                prop_assert!(links.len() <= LINKS_MAX);
                prop_assert!(links.is_sorted_by(|a, b| a.confidence >= b.confidence), "{}", seen);
            }
        }
    }
}

/// Nested membership queries each started at depth 1, so the stack was not bounded.
#[test]
fn cycles_of_types_fit_a_small_stack() {
    let (files, _) = super::fixture(
        "//- /Cargo.toml\n[package]\nname = \"a\"\n//- /src/lib.rs\nmod a;\nmod b;\nmod g;\nmod h;\nmod u;\n\
         //- /src/a.rs\npub struct X;\n//- /src/b.rs\npub struct Y;\n\
         //- /src/g.rs\nuse crate::a::X::Y;\nimpl Y { pub const X: u8 = 1; }\n\
         //- /src/h.rs\nuse crate::b::Y::X;\nimpl X { pub const Y: u8 = 1; }\n\
         //- /src/u.rs\nuse crate::b::Y::X;\nfn go() { X::foo_it(); }\n\
         pub struct Z; impl Z { pub fn foo_it() {} }\n",
    );
    let resolve = || {
        let program = Program::new(files);
        for file in program.ids() {
            for (name, reference) in program.references(file).iter() {
                Linker::new(&program).resolve(file, Use::new(name, reference));
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(resolve);
    thread.expect("a thread starts").join().expect("the stack was enough");
}

/// An alias of a type whose base is the alias was followed without a bound on the depth, up to the bound
/// on look-ups, which does not protect the stack.
#[test]
fn a_base_that_is_an_alias_of_its_type_is_followed_to_a_bounded_depth() {
    let text = "//- /a.cs\nusing A = N.B.C;\nusing D = N.E.F;\nnamespace N {\n  public class B : D { }\n  \
                public class E : A { }\n  public class User : A { void F() { A.$0Run(); } }\n}\n";
    let small = std::thread::Builder::new().stack_size(2 << 20);
    let found = small.spawn(move || super::meaning(text)).expect("a thread starts").join();
    assert_eq!(found.expect("nothing fails"), Vec::<String>::new());
}
