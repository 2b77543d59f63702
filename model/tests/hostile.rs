//! Sources that no compiler accepts: nothing panics, overflows the stack or runs on.
#![cfg(feature = "lower")]

use codedb_model::ir::File;
use codedb_model::ir::text::{Lines, parse};
use codedb_model::program::{BUDGET, all};
use codedb_model::resolve::{Resolver, ty::FileId};
use codedb_model::rules::Rules;
use codedb_model::{languages, lower};

/// Lowers a source and asks all its questions, and for the callers of all that can be called.
fn ask_all(rules: &'static dyn Rules, path: &str, text: &[u8]) -> usize {
    let lowers = rules.lowering().expect("a language with a lowering");
    let files = lower::tree(lowers, [(path, text)].into_iter()).expect("a grammar");
    let library = parse("library", rules.library(), &Lines::new("")).expect("a library");
    let resolver = Resolver::new(files.iter().chain([&library]).collect(), rules);
    let mut asked = 0;
    for (at, file) in files.iter().enumerate() {
        let id = FileId(u32::try_from(at).expect("few files"));
        for of in file.uses.ids() {
            resolver.question_may(id, of, BUDGET);
            asked += 1;
        }
        let callable = |file: &File| -> Vec<_> {
            let all = file.definitions.iter();
            all.filter(|(_, definition)| definition.kind.is_callable()).map(|(id, _)| id).collect()
        };
        for of in callable(file) {
            resolver.callers(codedb_model::resolve::ty::Def { file: id, id: of }, BUDGET);
        }
    }
    asked
}

/// What refers to itself where nothing may.
const CYCLES: [&str; 14] = [
    "type A = B\ntype B = A\nfunc f(a A) { a.M() }\n",
    "type A B\ntype B A\nfunc f(a A) { a.M(); A(a).N() }\n",
    "type A interface{ B }\ntype B interface{ A; M() }\nfunc f(a A) { a.M() }\n",
    "type S struct{ S }\nfunc (s S) M() {}\nfunc f(s S) { s.S.S.M(); s.N() }\n",
    "func f[T T](t T) { t.M() }\nfunc g[A B, B A](a A, b B) { a.M(); b.M() }\n",
    "type L[T any] struct{ next *L[L[T]] }\nfunc f(l L[int]) { l.next.next.next.M() }\n",
    "func f() { a := b.M(); b := a.M(); a.N() }\nvar x = y.M()\nvar y = x.M()\n",
    "type F func(F) F\nfunc f(g F) { g(g)(g)(g).M() }\n",
    "func (r r) M() { r.M().M() }\nfunc (x *x.y) N() {}\ntype r = *r\n",
    "func f[T T | int](t T) { t.M(); t(); for x := range t { x.N() } }\n",
    "func f[T *T](t T) { t.M(); t.x.M() }\n",
    "func f[T []U, U []T](t T, u U) { t[0][0].M(); for _, x := range u { x.N() } }\n",
    "type P[A, B any] struct{ a A; b B; next *L[P[A, B]] }\ntype L[T any] struct{ next *L[P[T, T]] }\nfunc f(l L[int]) { l.next.next.next.next.next.next.next.next.next.M() }\n",
    "type A = []A\ntype M = map[M]M\nfunc f(a A, m M) { a[0][0].M(); for k, v := range m { k.N(); v.N() } }\n",
];

#[test]
fn what_refers_to_itself_ends() {
    let rules = languages::rules("go").expect("a language with rules");
    for source in CYCLES {
        let text = format!("package p\n\n{source}");
        assert!(ask_all(rules, "p/p.go", text.as_bytes()) > 0, "{source}");
    }
}

#[test]
fn long_chains_end() {
    let rules = languages::rules("go").expect("a language with rules");
    let head = "package p\n\ntype T struct{}\n\nfunc (t T) M() T { return t }\n\nfunc f(a0 T) {\n";
    let names: String = (1..3_000).map(|at| format!("\ta{at} := a{}.M()\n", at - 1)).collect();
    let calls = format!("\ta0{}\n", ".M()".repeat(3_000));
    let parts = format!("\tx := {}a0{}\n\tx.M()\n", "(".repeat(3_000), ")".repeat(3_000));
    for body in [names, calls, parts] {
        assert!(ask_all(rules, "p/p.go", format!("{head}{body}}}\n").as_bytes()) > 0);
    }
}

/// Types that are written in a few lines and have very many parts, or are nested very deep.
#[test]
fn large_types_end() {
    let go = languages::rules("go").expect("a language with rules");
    let functions: String =
        (1..40).map(|at| format!("type A{at} = func(A{0}) A{0}\n", at - 1)).collect();
    let aliases: String = (1..5_000).map(|at| format!("type B{at} = []B{}\n", at - 1)).collect();
    let pairs: String = (1..40).map(|at| format!("\ta{at} := g(a{})\n", at - 1)).collect();
    let text = format!(
        "package p\n\ntype A0 = int\n{functions}type B0 = int\n{aliases}type P[A, B any] struct{{}}\n\
         type S struct{{ A39 }}\nfunc g[T any](t T) P[T, T] {{ return P[T, T]{{}} }}\n\
         func f(s S, b B4999, a0 int) {{\n{pairs}\ta39.M()\n\ts.M()\n\tb[0][0].M()\n}}\n"
    );
    assert!(ask_all(go, "p/p.go", text.as_bytes()) > 40);
    let c = languages::rules("c").expect("a language with rules");
    let stars = "*".repeat(20_000);
    let nested = format!("int f{}{};\n", "(int (*)".repeat(2_000), ")".repeat(2_000));
    let text = format!(
        "int {stars}x;\nint {stars}g(void);\n{nested}typedef struct a a;\nstruct a {{ a *next; int (*run)(a *); }};\n\
         int h(a *v) {{ return v->next->next->run(v) + g(); }}\n"
    );
    assert!(ask_all(c, "p.c", text.as_bytes()) > 1);
}

/// The sources of the programs, cut off and with bytes that do not belong there.
#[test]
fn broken_sources_are_read() {
    let mut asked = 0;
    for program in all().expect("the programs can be read") {
        let rules = languages::rules(&program.language).expect("a language with rules");
        if rules.lowering().is_none() {
            continue;
        }
        for source in &program.sources {
            let text = source.text.as_bytes();
            for at in (0..text.len()).step_by(5) {
                asked += ask_all(rules, &source.path, &text[..at]);
                let mut other = text.to_vec();
                other[at] = b"({[.*\xff\0"[at % 7];
                asked += ask_all(rules, &source.path, &other);
            }
        }
    }
    assert!(asked > 1_000, "{asked} questions");
}
