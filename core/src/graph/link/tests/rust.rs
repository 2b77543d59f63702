//! Rust: modules in files of their own, fields and methods of one name.

use super::check;

fn tree(body: &str) -> String {
    format!(
        "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\nmod dfa;\nmod nfa;\nmod user;\n\
         //- /src/nfa/mod.rs\npub mod slow;\n//- /src/nfa/slow.rs\npub fn make() {{}}\npub(crate) struct Slow {{}}\n\
         impl Slow {{\n    pub(crate) fn go(&self) {{}}\n}}\n\
         //- /src/dfa.rs\npub struct Dfa {{ name: u8 }}\nimpl Dfa {{\n    pub fn run(&self) {{}}\n    \
         pub fn name(&self) {{}}\n}}\n\
         //- /src/user.rs\nuse crate::{{dfa, nfa::{{slow}}}};\nstruct User {{ own: dfa::Dfa, deep: crate::nfa::slow::Slow }}\n\
         impl User {{\n    fn f(&self, by: crate::dfa::Dfa) {{ {body} }}\n}}\n"
    )
}

#[test]
fn modules_in_files_of_their_own() {
    check(&tree("self.own.$0run();"), "src/dfa.rs:3 Dfa::run Receiver");
    check(&tree("by.$0run();"), "src/dfa.rs:3 Dfa::run Receiver");
    check(&tree("self.deep.$0go();"), "src/nfa/slow.rs:4 Slow::go Receiver");
    check(&tree("slow::$0make();"), "src/nfa/slow.rs:1 make Receiver");
    check(&tree("crate::nfa::slow::$0make();"), "src/nfa/slow.rs:1 make Receiver");
}

#[test]
fn imports_begin_with_modules_of_other_imports() {
    let tree = |uses: &str| {
        format!(
            "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\nmod array;\nmod user;\n\
             //- /src/array/mod.rs\npub mod cast;\n//- /src/array/cast.rs\npub fn primitive() {{}}\n\
             //- /src/user.rs\n{uses}\nfn f() {{ $0primitive() }}\n"
        )
    };
    let found = "src/array/cast.rs:1 primitive";
    check(&tree("use crate::array::*;\nuse cast::primitive;"), &format!("{found} Import"));
    check(&tree("use crate::array::*;\nuse cast::*;"), &format!("{found} StarImport"));
    check(&tree("use crate::array::cast as c;\nuse c::primitive;"), &format!("{found} Import"));
    // Cycles, and modules of other crates.
    for uses in ["use one::*;\nuse two::*;", "use one::two;\nuse two::one;\nuse two::primitive;"] {
        check(&tree(uses), "");
    }
}

#[test]
fn calls_with_type_arguments_in_macros() {
    for call in ["$0make::<u8>(1)", "$0make::<Vec<fn() -> u8>>(1).len()", "$0make :: <A<B>> (1)?"] {
        check(
            &of_crate(&format!(
                "fn make<T>(by: u8) -> T {{ todo!() }}\nfn f() {{\n    each!(\n        a => {{ let b = {call}; }}\n    )\n}}"
            )),
            "src/lib.rs:1 make SameFile",
        );
    }
}

#[test]
fn a_call_means_the_method_not_the_field() {
    check(&tree("by.$0name();"), "src/dfa.rs:4 Dfa::name Receiver");
}

fn of_crate(rest: &str) -> String {
    format!("//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\n{rest}\n")
}

#[test]
fn traits_on_outside_types() {
    let of = |body: &str| {
        of_crate(&format!(
            "trait Int {{\n    fn low(self) -> u8;\n    fn only(self, by: u8);\n    fn len(self);\n}}\n\
             impl Int for u32 {{ fn low(self) -> u8 {{ 0 }} fn only(self, by: u8) {{}} fn len(self) {{}} }}\n\
             trait Wide {{ fn low(self) -> u8; fn checked_low(self); }}\n\
             impl Wide for u64 {{ fn low(self) -> u8 {{ 0 }} fn checked_low(self) {{}} }}\n\
             trait Own {{ fn mine(&self); }}\nstruct Here;\nimpl Own for Here {{ fn mine(&self) {{}} }}\n\
             trait Every {{\n    fn every(&self);\n}}\nimpl<T> Every for T {{ fn every(&self) {{}} }}\n\
             fn f(a: u32, all: &[u64], more: Vec<Unknown>) {{ {body} }}"
        ))
    };
    check(&of("a.$0low();"), "src/lib.rs:6 u32::low Receiver");
    check(&of("u64::$0low(1);"), "src/lib.rs:8 u64::low Receiver");
    check(&of("all[0].$0low();"), "src/lib.rs:8 u64::low Receiver");
    check(&of("a.$0only(1);"), "src/lib.rs:6 u32::only Receiver");
    check(&of("more.$0only(1);"), "");
    check(&of("more.$0every();"), "src/lib.rs:15 T::every Inherited");
    check(&of("more.$0low();"), "");
    // Names of the standard library, and traits that no outside type implements.
    check(&of("all.$0len();"), "");
    check(&of("all[0].$0checked_low();"), "");
    check(&of("a.$0mine();"), "");
    check(&of("unknown().$0mine();"), "src/lib.rs:9 Own::mine OnlyFit");
}

#[test]
fn fields_of_type_parameters_resolve_to_their_trait() {
    let text = of_crate(
        "trait Stream {\n    fn step(&mut self);\n}\nstruct Partial<I> { input: I }\n\
         impl<I: Stream> Stream for Partial<I> {\n    fn step(&mut self) { self.input.$0step() }\n}",
    );
    check(&text, "src/lib.rs:2 Stream::step Receiver");
}

#[test]
fn references_and_pointers_are_transparent() {
    let of = |body: &str| {
        of_crate(&format!(
            "use std::ops::Deref;\ntrait Walk {{\n    fn go(&self);\n}}\n\
             impl<W: Walk> Walk for &W {{\n    fn go(&self) {{ (**self).{} }}\n}}\n\
             struct Inner;\nimpl Inner {{\n    fn run(&self) {{}}\n}}\nstruct Outer {{ inner: Inner }}\n\
             impl Deref for Outer {{\n    type Target = Inner;\n    \
             fn deref(&self) -> &Self::Target {{ &self.inner }}\n}}\n\
             impl Outer {{\n    fn own(&self) {{ {} }}\n}}",
            if body.is_empty() { "$0go()" } else { "go()" },
            body
        ))
    };
    check(&of(""), "src/lib.rs:3 Walk::go OnlyFit");
    check(&of("self.$0run();"), "src/lib.rs:10 Inner::run Receiver");
    check(&of("(**self).$0run();"), "src/lib.rs:10 Inner::run Receiver");
}

#[test]
fn elements_of_own_iterators() {
    let of = |body: &str| {
        of_crate(&format!(
            "struct Hit;\nimpl Hit {{\n    fn at(&self) {{}}\n}}\nstruct Hits<T> {{ of: T }}\n\
             impl<T> Iterator for Hits<T> {{\n    type Item = Result<Hit, u8>;\n    \
             fn next(&mut self) -> Option<Self::Item> {{ None }}\n}}\nstruct All;\n\
             impl All {{\n    fn iter(&self) -> Hits<u8> {{ todo!() }}\n    fn pairs(&self) -> Vec<(u8, Hit)> {{ todo!() }}\n}}\n\
             impl IntoIterator for All {{\n    type Item = Result<Hit, u8>;\n    type IntoIter = Hits<u8>;\n    \
             fn into_iter(self) -> Self::IntoIter {{ todo!() }}\n}}\n\
             struct Names {{ all: All, list: Vec<Hit>, last: Option<Hit> }}\n\
             fn each(with: impl Fn(&Hit, u8)) {{}}\nfn every<F>(with: F) where F: FnMut(u8, &mut Hit) {{}}\n\
             fn f(names: &Names) -> Option<()> {{ {body} }}"
        ))
    };
    let at = "src/lib.rs:3 Hit::at Receiver";
    check(&of("for hit in names.all.iter() { hit.unwrap().$0at(); }"), at);
    check(&of("for hit in names.all { hit?.$0at(); }"), at);
    check(&of("names.all.iter().next().unwrap().unwrap().$0at();"), at);
    check(&of("for hit in &names.list { hit.$0at(); }"), at);
    check(&of("names.list.iter().rev().next()?.$0at();"), at);
    check(&of("names.last.as_ref().unwrap().clone().$0at();"), at);
    check(&of("for (_, hit) in names.all.pairs() { hit.$0at(); }"), at);
    check(&of("names.last.as_ref().map(|hit| hit.$0at());"), at);
    check(&of("Some(1).and_then(|at| names.list.get(at)).unwrap().$0at();"), at);
    check(&of("Some(1).map(|_| Hit).unwrap(); each(|hit, at| hit.$0at());"), at);
    check(&of("every(|_, hit| hit.$0at());"), at);
    check(&of("assert!(names.list.iter().any(|hit: &Hit| hit.$0at()));"), at);
    check(&of("let hit = Some(Hit); hit.unwrap().$0at();"), "");
}

#[test]
fn associated_types_have_their_bounds() {
    let text = |call: &str| {
        of_crate(&format!(
            "trait Text {{\n    fn words(&self);\n}}\ntrait AsText {{\n    type Output: Text + ?Sized;\n    \
             fn text(&self) -> &Self::Output;\n}}\nfn f<A: AsText>(a: A) {{ {call} }}"
        ))
    };
    check(&text("a.text().$0words();"), "src/lib.rs:2 Text::words Receiver");
}

#[test]
fn modules_that_import_each_other_hide_no_others() {
    check(
        "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\nmod common;\nmod types;\nmod user;\n\
         pub use self::common::*;\npub use self::types::*;\n\
         //- /src/common.rs\nuse crate::Op;\n//- /src/types.rs\npub struct Op;\nimpl Op {\n    pub fn run(&self) {}\n}\n\
         //- /src/user.rs\nuse crate::Op;\nfn f(op: &Op) { op.$0run() }\n",
        "src/types.rs:3 Op::run Receiver",
    );
}

#[test]
fn aliases_and_own_types_of_blocks() {
    let of = |body: &str| {
        of_crate(&format!(
            "struct Small<const N: usize>;\nimpl<const N: usize> Small<N> {{\n    fn new() -> Self {{ Small }}\n    \
             fn go(&self) {{}}\n}}\ntype Short = Small<4>;\nstruct IntoIter;\n\
             impl IntoIter {{\n    fn as_slice(&self) -> &[Short] {{ &[] }}\n}}\nstruct List;\n\
             impl IntoIterator for List {{\n    type Item = u8;\n    type IntoIter = IntoIter;\n    \
             fn into_iter(self) -> Self::IntoIter {{ IntoIter }}\n}}\nfn f(list: List) {{ {body} }}"
        ))
    };
    check(&of("Short::$0new();"), "src/lib.rs:3 Small::new Receiver");
    check(&of("Short::new().$0go();"), "src/lib.rs:4 Small::go Receiver");
    check(&of("list.into_iter().$0as_slice();"), "src/lib.rs:9 IntoIter::as_slice Receiver");
    check(&of("list.into_iter().as_slice()[0].$0go();"), "src/lib.rs:4 Small::go Receiver");
    check(&of("assert!(Small::<4>::new().$0go());"), "src/lib.rs:4 Small::go Receiver");
}

#[test]
fn dereferenced_calls_refer_to_the_target() {
    check(
        &of_crate(
            "impl Hasher for Box<u8> {\n    fn write_wide(&mut self) { (**self).$0write_wide() }\n}",
        ),
        "",
    );
}

#[test]
fn variables_are_not_modules() {
    check(
        "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\nmod limit;\n\
         fn f(limit: usize) { limit::$0new(limit) }\n//- /src/limit.rs\npub fn new(x: usize) {}\n",
        "src/limit.rs:1 new Receiver",
    );
}

#[test]
fn functions_that_a_macro_defines_are_members_of_types_that_call_it() {
    let tree = |body: &str| {
        format!(
            "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\n#[macro_use]\nmod made;\nmod user;\n\
             //- /src/made.rs\nmacro_rules! methods {{\n    ($of:expr) => {{\n        \
             pub fn make(n: u8) -> Result<Self, u8> {{ todo!() }}\n        \
             pub $($prefix)? fn go<T>(&self, by: T) -> u8 {{ 1 }}\n    }};\n}}\n\
             //- /src/user.rs\nstruct A;\nimpl A {{\n    fn own(&self) {{}}\n    methods!(1);\n}}\n\
             struct B;\nimpl B {{ fn own(&self) {{}} }}\nfn f(a: A, b: B) {{ {body} }}\n"
        )
    };
    check(&tree("A::$0make(1);"), "src/made.rs:3 methods::make Receiver");
    check(&tree("a.$0go(1);"), "src/made.rs:4 methods::go Receiver");
    check(&tree("A::make(1).unwrap().$0own();"), "src/user.rs:3 A::own Receiver");
}

#[test]
fn made_functions_have_results_and_made_macros_are_macros() {
    let tree = |body: &str| {
        of_crate(&format!(
            "macro_rules! each {{\n    ($name:ident, $of:expr) => {{\n        #[doc = \"\"]\n        \
             pub fn $name() -> Builder {{ Builder::new($of) }}\n    }};\n}}\n\
             macro_rules! logs {{\n    ($name:ident: $kind:ident, $d:tt) => {{\n        \
             macro_rules! $name {{ () => ( $kind!() ) }}\n    }};\n    ($kind:ident, $other:ident) => {{\n        \
             logs!($kind: $kind, $);\n        logs!($other: $kind, $);\n    }}\n}}\n\
             logs!(warn, warn_);\nlogs!(info: warn, $);\n\
             struct Builder;\nimpl Builder {{\n    fn new(n: u8) -> Builder {{ Builder }}\n    fn end(self) {{}}\n}}\n\
             struct Reply;\nimpl Reply {{\n    each!(Ok, 200);\n}}\neach!(found, 1);\nfn f() {{ {body} }}\n"
        ))
    };
    check(&tree("Reply::Ok().$0end();"), "src/lib.rs:21 Builder::end Receiver");
    check(&tree("found().$0end();"), "src/lib.rs:21 Builder::end Receiver");
    check(&tree("$0warn_!();"), "src/lib.rs:16 warn_ SameFile");
    check(&tree("$0warn!();"), "src/lib.rs:16 warn SameFile");
    check(&tree("$0info!();"), "src/lib.rs:17 info SameFile");
}

#[test]
fn bounds_determine_associated_types() {
    let tree = |head: &str| {
        of_crate(&format!(
            "struct Reply<B>(B);\nimpl<B> Reply<B> {{\n    fn status(&self) {{}}\n}}\ntrait Service {{ type Out; }}\n\
             {head} {{ todo!() }}\nasync fn g(s: u8) {{ call(&s).await.$0status(); }}\n"
        ))
    };
    let expected = "src/lib.rs:3 Reply::status Receiver";
    check(&tree("async fn call<S, B>(s: &S) -> S::Out where S: Service<Out = Reply<B>>"), expected);
    check(&tree("async fn call<S: Service<Out = Reply<u8>>>(s: &S) -> S::Out"), expected);
}

#[test]
fn own_methods_precede_those_of_traits() {
    let tree = |body: &str| {
        of_crate(&format!(
            "struct A;\ntrait Len {{ fn len(&self) -> u8; }}\nimpl Len for A {{\n    fn len(&self) -> u8 {{ 1 }}\n}}\n\
             impl A {{\n    fn len(&self) -> u8 {{ 2 }}\n}}\nimpl From<u8> for A {{\n    fn from(of: u8) -> A {{ A }}\n}}\n\
             impl From<u16> for A {{\n    fn from(of: u16) -> A {{ A }}\n}}\nfn f(a: A) {{ {body} }}\n"
        ))
    };
    check(&tree("a.$0len();"), "src/lib.rs:7 A::len Receiver");
    let links = super::links(&tree("A::$0from(unknown());"));
    assert!(links.iter().all(|link| link.confidence < 0.9));
    check(&tree("A::$0from(1u16);"), "src/lib.rs:13 A::from Receiver");
}

/// The call of a raw identifier was neither a caller nor unresolved, since the name had another text.
#[test]
fn raw_identifiers_are_names_without_their_sign() {
    let found = "src/lib.rs:1 match SameFile";
    check(&of_crate("fn r#match(x: u8) {}\nfn f() { r#$0match(1) }"), found);
    check(&of_crate("fn r#match(x: u8) {}\nfn f() { each!(r#$0match(1)) }"), found);
    let of = |call: &str| {
        of_crate(&format!(
            "mod r#in {{ pub fn r#try() {{}} pub fn plain() {{}} }}\n\
             struct Kind {{ r#type: Type }}\nstruct Type;\nimpl Type {{ fn r#loop(&self) {{}} }}\n\
             use r#in::r#try as attempt;\nfn f(r#ref: Kind) {{ {call} }}"
        ))
    };
    check(&of("r#in::$0plain()"), "src/lib.rs:1 in::plain Receiver");
    check(&of("crate::r#in::r#$0try()"), "src/lib.rs:1 in::try Receiver");
    check(&of("$0attempt()"), "src/lib.rs:1 in::try Receiver");
    check(&of("r#ref.r#type.r#$0loop()"), "src/lib.rs:4 Type::loop Receiver");
    check(&of("let r#let = r#ref.r#type; r#let.r#$0loop()"), "src/lib.rs:4 Type::loop Receiver");
}

/// The first of two functions of one name was stated for both, and one was visible outside of its block.
#[test]
fn functions_in_blocks_are_visible_there() {
    let of = |body: &str| of_crate(&format!("fn helper() {{}}\nfn f() {{\n{body}\n}}"));
    let blocks = "{ fn helper() {} helper() }\n{ fn helper() {} $0helper() }";
    check(&of(blocks), "src/lib.rs:4 f::helper Scope");
    check(&of("{ fn helper() {} $0helper() }\n{ fn helper() {} }"), "src/lib.rs:3 f::helper Scope");
    check(&of("{ fn helper() {} }\n$0helper()"), "src/lib.rs:1 helper SameFile");
    check(&of("if x { $0helper() }\nfn helper() {}"), "src/lib.rs:4 f::helper Scope");
    check(
        &of("let x: &'static str = r#\"}\"#; $0helper();\nfn helper() {}"),
        "src/lib.rs:4 f::helper Scope",
    );
}

/// A method of a trait was stated for the type's own, since the other name was not followed.
#[test]
fn types_have_other_names_in_a_function_or_a_module() {
    let of = |rest: &str| {
        of_crate(&format!(
            "mod m {{\n    pub struct A;\n    impl A {{ pub fn make() -> A {{ A }} pub fn go(&self) {{}} }}\n}}\n\
             pub trait Go {{\n    fn go(&self) {{}}\n    fn make() {{}}\n}}\nimpl Go for u8 {{}}\n{rest}"
        ))
    };
    let (make, go) = ("src/lib.rs:3 m::A::make Receiver", "src/lib.rs:3 m::A::go Receiver");
    check(&of("fn f() { use m::A as MA; MA::$0make(); }"), make);
    check(&of("fn f() { use m::A as MA; MA::make().$0go(); }"), go);
    check(&of("fn f() { use crate::m::{A as MA}; let a = MA::make(); a.$0go(); }"), go);
    check(&of("fn f() { use self::m as other; let a: other::A = x(); a.$0go(); }"), go);
    check(&of("fn f() { use m::A as MA; let a = MA; a.$0go(); }"), go);
    check(&of("mod n { use super::m::A as MA; fn f(a: MA) { a.$0go(); } }"), go);
    check(&of("fn f() { { use m::A as MA; fn g(a: &MA) { a.$0go(); } } }"), go);
}

/// A call was stated to refer to a module of the name, where a function is imported.
#[test]
fn modules_are_not_called() {
    let tree = |import: &str| {
        of_crate(&format!(
            "mod parser {{ pub fn parse() {{}} }}\n{import}\nmod parse {{ fn inner() {{}} }}\nfn f() {{ $0parse() }}"
        ))
    };
    check(&tree("use crate::parser::*;"), "src/lib.rs:1 parser::parse Receiver");
    check(&tree("use parser::parse;"), "src/lib.rs:1 parser::parse Receiver");
    check(&tree(""), "");
}
