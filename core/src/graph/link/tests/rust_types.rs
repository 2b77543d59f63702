//! Rust: type parameters, associated types, derived methods, conversions, methods by their trait's name.

use super::{check, links};

fn of_crate(rest: &str) -> String {
    format!("//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\n{rest}\n")
}

/// Two traits and two types with methods of one name, so that no guess can be right.
const COMMON: &str = "trait Reading {\n    fn step(&self) -> u8;\n}\ntrait Writing {\n    fn step(&self) -> u8;\n}\n\
    struct A;\nimpl A {\n    fn go(&self) {}\n}\nstruct B;\nimpl B {\n    fn go(&self) {}\n}\n";

fn with_types(rest: &str) -> String {
    of_crate(&format!("{COMMON}{rest}"))
}

#[test]
fn bounds_of_the_block_where_a_field_is_used() {
    let of = |head: &str, place: &str| {
        let text = with_types(&format!(
            "struct Both<T> {{ inner: T }}\n{head} {{\n    fn own(&self) {{ self.inner.$0step(); }}\n}}\n"
        ));
        check(&text, place);
    };
    of("impl<T: Reading> Both<T>", "src/lib.rs:2 Reading::step Receiver");
    of("impl<T: Send + Writing> Both<T>", "src/lib.rs:5 Writing::step Receiver");
    of("impl<T> Both<T> where T: Writing + Unpin", "src/lib.rs:5 Writing::step Receiver");
    of("impl<T> Both<T>", "");
}

#[test]
fn parameters_of_functions_have_all_their_bounds() {
    let of = |head: &str| with_types(&format!("{head} {{ it.$0step(); }}\n"));
    check(&of("fn f<T: Send + Reading>(it: T)"), "src/lib.rs:2 Reading::step Receiver");
    check(&of("fn f<T>(it: &T) where T: Writing"), "src/lib.rs:5 Writing::step Receiver");
    check(&of("fn f<T>(it: T)"), "");
}

#[test]
fn arguments_take_precedence_over_bounds() {
    let of = |body: &str| {
        with_types(&format!(
            "struct Held<T> {{ one: T, all: Vec<T> }}\nimpl<U> Held<U> {{\n    \
             fn last(&self) -> Option<&U> {{ None }}\n    fn first(&self) -> &U {{ &self.one }}\n}}\n\
             struct Owner {{ held: Held<B> }}\nimpl Owner {{ fn f(&self) {{ {body} }} }}\n"
        ))
    };
    check(&of("self.held.one.$0go();"), "src/lib.rs:13 B::go Receiver");
    check(&of("self.held.all[0].$0go();"), "src/lib.rs:13 B::go Receiver");
    check(&of("self.held.first().$0go();"), "src/lib.rs:13 B::go Receiver");
    check(&of("self.held.last().unwrap().$0go();"), "src/lib.rs:13 B::go Receiver");
}

#[test]
fn associated_types_of_parameters() {
    let text = with_types(
        "trait Handler {\n    type Out: Reading;\n    fn get(&self) -> Self::Out;\n}\n\
         struct Point<H> { handler: H }\nimpl<H: Handler> Point<H> {\n    \
         fn f(&self) { self.handler.get().$0step(); }\n}\n",
    );
    check(&text, "src/lib.rs:2 Reading::step Receiver");
    let bound = |head: &str| {
        with_types(&format!(
            "trait Handler {{\n    type Out;\n    fn get(&self) -> Result<Self::Out, u8>;\n}}\n\
             fn f{head} {{ by.get().unwrap().$0go(); }}\n"
        ))
    };
    check(&bound("(by: &dyn Handler<Out = B>)"), "src/lib.rs:13 B::go Receiver");
    check(&bound("(by: impl Handler<Out = B>)"), "src/lib.rs:13 B::go Receiver");
    check(&bound("<H: Handler<Out = A>>(by: H)"), "src/lib.rs:9 A::go Receiver");
    let fields = with_types(
        "trait Phase {\n    type State: Writing;\n}\nstruct Run<P: Phase>(P::State);\nimpl<P: Phase> Run<P> {\n    \
         fn f(&self) { self.0.$0step(); }\n}\n",
    );
    check(&fields, "src/lib.rs:5 Writing::step Receiver");
}

#[test]
fn blanket_implementations_have_the_bounds_of_their_type() {
    let text = with_types(
        "trait Outer { fn outer(&self); }\nimpl<T: Writing> Outer for T {\n    fn outer(&self) { self.$0step(); }\n}\n",
    );
    check(&text, "src/lib.rs:5 Writing::step Inherited");
}

#[test]
fn derived_methods_refer_to_the_type() {
    let of = |call: &str| {
        with_types(&format!(
            "/// A.\n#[derive(Clone, Default)]\n#[non_exhaustive]\npub struct Made {{ of: u8 }}\nstruct Plain {{ of: u8 }}\n\
             impl Made {{\n    fn end(&self) {{}}\n}}\nfn f(made: &Made, plain: &Plain) {{ {call} }}\n"
        ))
    };
    check(&of("made.$0clone();"), "src/lib.rs:18 Made Receiver");
    check(&of("Made::$0default();"), "src/lib.rs:18 Made Receiver");
    check(&of("Made::default().$0end();"), "src/lib.rs:21 Made::end Receiver");
    check(&of("plain.$0clone();"), "");
    check(&of("made.$0partial_cmp(made);"), "");
}

#[test]
fn conversions_run_those_of_the_expected_type() {
    let of = |body: &str| {
        with_types(&format!(
            "struct Id;\nimpl From<&str> for Id {{\n    fn from(of: &str) -> Id {{ Id }}\n}}\n\
             impl std::str::FromStr for Id {{\n    fn from_str(of: &str) -> Result<Id, u8> {{ Ok(Id) }}\n}}\n\
             #[derive(Default)]\nstruct Row {{ id: Id, next: Option<Id> }}\nfn take(at: u8, id: Id) {{}}\n{body}\n"
        ))
    };
    let from = "src/lib.rs:17 Id::from Receiver";
    check(&of("fn f(of: &str) { let id: Id = of.$0into(); }"), from);
    check(&of("fn f(of: &str) -> Id { of.$0into() }"), from);
    check(&of("fn f(of: &str) -> Result<Id, u8> { Ok(of.$0into()) }"), from);
    check(&of("fn f(of: &str) -> Result<u8, Id> { return Err(of.$0into()); }"), from);
    check(&of("fn f(of: &str) { let row = Row { id: of.$0into(), next: None }; }"), from);
    check(&of("fn f(of: &str) { let row = Row { next: Some(of.$0into()), id: other() }; }"), from);
    check(&of("fn f(of: &str) { take(1, of.$0into()); }"), from);
    let from_str = "src/lib.rs:20 Id::from_str Receiver";
    check(&of("fn f(of: &str) -> Option<u8> { let id: Id = of.$0parse().ok()?; }"), "");
    check(&of("fn f(of: &str) { let id: Id = of.$0parse().unwrap(); }"), from_str);
    check(&of("fn f(of: &str) { of.$0parse::<Id>().unwrap(); }"), from_str);
    check(&of("fn f() { let row: Row = Default::$0default(); }"), "src/lib.rs:23 Row Receiver");
    check(&of("fn f(of: &str) { let text: String = of.$0into(); }"), "");
    check(&of("fn f(of: &str) { let id = of.$0into(); }"), "");
}

#[test]
fn methods_by_the_name_of_their_trait() {
    let of = |call: &str| {
        of_crate(&format!(
            "trait Sign {{\n    fn sign(&self) -> u8;\n}}\nimpl Sign for u8 {{\n    fn sign(&self) -> u8 {{ 1 }}\n}}\n\
             impl Sign for str {{\n    fn sign(&self) -> u8 {{ 2 }}\n}}\nstruct Own;\nimpl Sign for Own {{\n    \
             fn sign(&self) -> u8 {{ 3 }}\n}}\nfn f(own: &Own, any: u8) {{ {call}; }}\n"
        ))
    };
    check(&of("Sign::$0sign(b'a')"), "src/lib.rs:5 u8::sign Receiver");
    check(&of("Sign::$0sign(\"a\")"), "src/lib.rs:8 str::sign Receiver");
    check(&of("Sign::$0sign(own)"), "src/lib.rs:12 Own::sign Receiver");
    check(&of("Sign::$0sign(unknown)"), "src/lib.rs:2 Sign::sign Receiver");
}

#[test]
fn literals_select_among_implementations_of_one_trait() {
    let of = |call: &str| {
        of_crate(&format!(
            "struct End;\nimpl TryFrom<String> for End {{\n    fn try_from(of: String) -> Result<End, u8> {{ Ok(End) }}\n}}\n\
             impl TryFrom<&'static str> for End {{\n    fn try_from(of: &'static str) -> Result<End, u8> {{ Ok(End) }}\n}}\n\
             fn f() {{ {call}; }}\n"
        ))
    };
    check(&of("End::$0try_from(\"a\")"), "src/lib.rs:6 End::try_from Receiver");
    check(&of("End::$0try_from(format!(\"a\"))"), "src/lib.rs:3 End::try_from Receiver");
}

#[test]
fn functions_and_outside_types_have_methods_of_traits() {
    let of = |call: &str| {
        of_crate(&format!(
            "use std::path::PathBuf;\ntrait Parser {{\n    fn map(self, by: u8) -> Mapped;\n    fn other(self);\n}}\n\
             struct Mapped;\nimpl Mapped {{\n    fn end(&self) {{}}\n}}\n\
             impl<F> Parser for F where F: Fn(u8) -> u8 {{\n    fn map(self, by: u8) -> Mapped {{ Mapped }}\n    fn other(self) {{}}\n}}\n\
             trait Named {{ fn named() -> u8; }}\nimpl Named for PathBuf {{\n    fn named() -> u8 {{ 1 }}\n}}\n\
             fn digit(of: u8) -> u8 {{ of }}\nfn f() {{ {call}; }}\n"
        ))
    };
    check(&of("digit.$0map(1)"), "src/lib.rs:11 F::map Inherited");
    check(&of("digit.map(|it| it as u8).$0end()"), "src/lib.rs:8 Mapped::end Inherited");
    check(&of("PathBuf::$0named()"), "src/lib.rs:16 PathBuf::named Receiver");
}

#[test]
fn paths_of_other_crates_are_outside() {
    let text = "//- /Cargo.toml\n[package]\nname = \"app\"\n[dependencies]\ntask = \"1\"\n\
         //- /src/lib.rs\nmod task_list;\n//- /src/task_list.rs\npub struct Own;\nimpl Own {\n    pub fn launch(&self) {}\n}\n\
         fn f() { task::$0launch(1); }\n";
    assert!(links(text).is_empty());
}

#[test]
fn macros_by_paths_and_procedural_macros() {
    let tree = |call: &str| {
        format!(
            "//- /Cargo.toml\n[workspace]\nmembers = [\"a\", \"b\"]\n//- /a/Cargo.toml\n[package]\nname = \"a-lib\"\n\
             //- /a/src/lib.rs\nmod inner;\n//- /a/src/inner.rs\n#[macro_export]\nmacro_rules! make {{ () => {{ 1 }} }}\n\
             //- /m/Cargo.toml\n[package]\nname = \"m\"\n[lib]\nproc-macro = true\n//- /m/src/lib.rs\n\
             /// Lists.\n#[proc_macro]\npub fn listed(of: TokenStream) -> TokenStream {{ of }}\n\
             //- /b/Cargo.toml\n[package]\nname = \"b\"\n[dependencies]\na-lib = {{ path = \"../a\" }}\n\
             //- /b/src/lib.rs\nfn f() {{ {call}; }}\n"
        )
    };
    check(&tree("a_lib::$0make!()"), "a/src/inner.rs:2 make Receiver");
    check(&tree("$0listed![]"), "m/src/lib.rs:3 listed Program");
}

#[test]
fn macros_in_macros_make_methods() {
    let tree = |call: &str| {
        of_crate(&format!(
            "macro_rules! sends {{\n    ($doc:literal, $name:ident) => {{ sends!(@ $doc, $name, 1); }};\n    \
             (@ $doc:literal, $name:ident, $of:expr) => {{\n        pub fn $name(&self) -> Reply {{ Reply }}\n    }};\n}}\n\
             macro_rules! client {{\n    ($doc:literal) => {{\n        sends!($doc, get);\n        sends!($doc, put);\n    }};\n}}\n\
             struct Reply;\nimpl Reply {{\n    fn end(&self) {{}}\n}}\n\
             struct Client;\nimpl Client {{\n    client!(\"a\");\n}}\nfn f(by: &Client) {{ {call}; }}\n"
        ))
    };
    check(&tree("by.$0put()"), "src/lib.rs:10 client::put Receiver");
    check(&tree("by.get().$0end()"), "src/lib.rs:15 Reply::end Receiver");
}

#[test]
fn futures_and_opaque_types_show_what_is_behind() {
    let of = |call: &str| {
        with_types(&format!(
            "struct Sent;\nimpl std::future::Future for Sent {{\n    type Output = Result<B, u8>;\n    \
             fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {{ todo!() }}\n}}\n\
             struct Own;\nimpl Reading for Own {{\n    fn step(&self) -> u8 {{ 1 }}\n}}\nfn hidden() -> impl Reading {{ Own }}\n\
             fn made(of: u8) -> impl Reading {{ Own::new(of) }}\nasync fn f(sent: Sent) {{ {call}; }}\n"
        ))
    };
    check(&of("sent.await.unwrap().$0go()"), "src/lib.rs:13 B::go Receiver");
    check(&of("hidden().$0step()"), "src/lib.rs:2 Reading::step Receiver");
    check(
        &of("assert!(Pin::new(&mut sent).await.unwrap().$0go())"),
        "src/lib.rs:13 B::go Receiver",
    );
}

#[test]
fn functions_with_the_name_of_a_module_and_preludes() {
    let text = "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\nmod stream;\nmod other;\n\
         pub fn stream() { stream::$0made() }\n//- /src/stream.rs\npub fn made() {}\n//- /src/other.rs\npub fn made() {}\n";
    check(text, "src/stream.rs:1 made Receiver");
    let text = "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\npub mod form;\n\
         //- /src/form/mod.rs\nmod field;\nmod user;\npub use field::*;\npub mod prelude {\n    pub use super::*;\n}\n\
         //- /src/form/field.rs\npub struct Value;\nimpl Value {\n    pub fn shift(&self) {}\n}\nstruct No;\nimpl No { fn shift(&self) {} }\n\
         //- /src/form/user.rs\nuse crate::form::prelude::*;\nfn f(value: &Value) { value.$0shift() }\n";
    check(text, "src/form/field.rs:3 Value::shift Receiver");
}

#[test]
fn fields_and_methods_of_one_name_and_tuples() {
    let text = with_types(
        "struct Holder { path: A }\nimpl Holder {\n    fn path(&self) -> B { B }\n    fn f(&self) { self.path().$0go(); }\n}\n",
    );
    check(&text, "src/lib.rs:13 B::go Receiver");
    let text = with_types(
        "trait Own { fn own(&self); }\nimpl<T: Writing> Own for (u8, T) {\n    fn own(&self) { self.1.$0step(); }\n}\n",
    );
    check(&text, "src/lib.rs:5 Writing::step Receiver");
    let text = with_types(
        "struct Accepted<R>(Option<R>);\nimpl<R: Writing> Accepted<R> {\n    \
         fn f(self) { if let Some(of) = self.0 { of.$0step(); } }\n}\n",
    );
    check(&text, "src/lib.rs:5 Writing::step Receiver");
}

#[test]
fn private_macros_with_standard_names_are_local() {
    let tree = |call: &str| {
        format!(
            "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\nmod a;\nmod tests;\n\
             //- /src/tests.rs\nmacro_rules! vec {{ () => {{ 1 }} }}\nmacro_rules! own {{ () => {{ 1 }} }}\n\
             //- /src/a.rs\nfn f() {{ {call}; }}\n"
        )
    };
    check(&tree("$0vec![]"), "");
    check(&tree("$0own!()"), "src/tests.rs:2 own Program");
}

#[test]
fn blocks_of_types_that_are_written_as_paths() {
    let text = "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\nmod status;\nmod ext;\n\
         //- /src/status.rs\npub struct Status;\nimpl Status {\n    pub fn details(&self) {}\n}\n\
         //- /src/ext.rs\ntrait Ext { fn all(&self); }\nimpl Ext for crate::status::Status {\n    \
         fn all(&self) { self.$0details() }\n}\nmod tests { trait No { fn details(&self); } }\n";
    check(text, "src/status.rs:3 Status::details Receiver");
}
