//! Rust: values of operators, of arms and of functions that are passed, and which of several definitions a
//! compiler reads.

use super::{check, links, meaning, resolved_outcome};

fn of_crate(rest: &str) -> String {
    format!("//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\n{rest}\n")
}

/// An operator's method shows the type of the result, if it is in the repository; otherwise that of the
/// left operand counts.
#[test]
fn operators_return_what_their_methods_return() {
    let of = |call: &str| {
        of_crate(&format!(
            "use std::ops::{{Add, Mul, Not}};\npub struct A;\npub struct B;\nimpl A {{ fn go(&self) {{}} }}\nimpl B {{ fn go(&self) {{}} }}\n\
             impl Add for A {{ type Output = B; fn add(self, other: A) -> B {{ B }} }}\n\
             impl Mul<A> for A {{ type Output = A; fn mul(self, other: A) -> A {{ A }} }}\n\
             impl Mul<B> for A {{ type Output = B; fn mul(self, other: B) -> B {{ B }} }}\n\
             #[derive(BitOr)]\npub struct C;\nimpl C {{ fn go(&self) {{}} }}\n\
             pub trait Number: Sized {{ fn size(self) -> Self; }}\npub trait Other {{ fn size(self) -> u8; }}\n\
             fn f<T: Number + Not>(a: A, b: B, c: C, t: T) {{ {call}; }}\n"
        ))
    };
    check(&of("(a + b).$0go()"), "src/lib.rs:5 B::go Receiver");
    check(&of("each!((a + b).$0go())"), "src/lib.rs:5 B::go Receiver");
    check(&of("(c | c).$0go()"), "src/lib.rs:11 C::go Receiver");
    check(&of("(c | c | c).$0go()"), "src/lib.rs:11 C::go Receiver");
    check(&of("(!t).$0size()"), "src/lib.rs:12 Number::size Receiver");
    check(&of("T::size(t).$0size()"), "src/lib.rs:12 Number::size Receiver");
    // The argument determines the type.
    let named = links(&of("(Number::size(1.0) - 1.0).$0size()"));
    assert!(named.iter().all(|link| link.confidence < 0.45), "{named:?}");
    // The other operand selects the implementation.
    let open = links(&of("(a * b).$0go()"));
    assert!(open.len() > 1 && open.iter().all(|link| link.confidence < 0.9), "{open:?}");
}

/// All arms and branches have the type that one of them names.
#[test]
fn arms_have_the_type_that_one_names() {
    let of = |value: &str| {
        of_crate(&format!(
            "pub enum Side {{ Left(u8), Right(u8) }}\nuse crate::Side::{{Left, Right}};\nimpl Side {{ fn turn(&self) {{}} }}\n\
             struct Other;\nimpl Other {{ fn turn(&self) {{}} }}\nfn f(n: u8) {{ let side = {value}; side.$0turn(); }}\n"
        ))
    };
    let turn = "src/lib.rs:3 Side::turn Receiver";
    check(&of("match n { 0 => return, 1 => Left(1), _ => Right(2) }"), turn);
    check(&of("if n > 1 { let it = 2; Left(it) } else { Right(2) }"), turn);
    check(&of("if n > 1 { return } else { Right(2) }"), turn);
    // A name that the pattern binds is no definition.
    check(
        &of_crate(
            "fn go() -> Other { Other }\nstruct Other;\nimpl Other { fn turn(&self) {} }\nstruct B;\nimpl B { fn turn(&self) {} }\nfn f(n: u8) { let a = match n { go => go }; a.$0turn(); }",
        ),
        "src/lib.rs:3 Other::turn Ambiguous",
    );
}

/// A method that implements a trait from outside calls that of another value, of an unknown type.
#[test]
fn delegating_methods_do_not_call_themselves() {
    let text = of_crate(
        "pub struct Both<A> { a: A }\nimpl<A: std::future::Future> std::future::Future for Both<A> {\n    \
         fn poll_all(&mut self) { each!(self, inner => inner.$0poll_all()) }\n}\n",
    );
    assert!(links(&text).iter().all(|link| link.confidence < 0.45));
}

/// `F: FnOnce() -> T` returns a `T`.
#[test]
fn passed_functions_have_results() {
    let of = |call: &str| {
        of_crate(&format!(
            "pub struct A;\nimpl A {{ fn go(&self) {{}} }}\npub struct B;\nimpl B {{ fn go(&self) {{}} }}\n\
             fn f(make: impl FnOnce(u8) -> A, any: &dyn Fn() -> B) {{ {call}; }}\n"
        ))
    };
    check(&of("make(1).$0go()"), "src/lib.rs:2 A::go Receiver");
    check(&of("assert_eq!(make(1).$0go(), 1)"), "src/lib.rs:2 A::go Receiver");
    check(&of("any().$0go()"), "src/lib.rs:4 B::go Receiver");
}

/// The field of a type from outside with one argument is a value of that.
#[test]
fn fields_of_outside_types() {
    let text = of_crate(
        "use std::num::Wrapping;\npub trait Signed { fn sign(&self) -> u8; }\npub trait Other { fn sign(&self) -> u8; }\n\
         impl<T: Signed> Signed for Wrapping<T> {\n    fn sign(&self) -> u8 { self.0.$0sign() }\n}\n",
    );
    check(&text, "src/lib.rs:2 Signed::sign Receiver");
}

/// Of modules from which imports under `#[cfg]` take all names, the one that the default settings select.
#[test]
fn conditions_of_imports_select() {
    let of = |rest: &str| {
        of_crate(&format!(
            "mod math {{\n    #[cfg(feature = \"fast\")]\n    mod fast {{\n        pub fn root() {{}}\n    }}\n    mod plain {{\n        pub fn root() {{}}\n    }}\n    \
             #[cfg(feature = \"fast\")]\n    pub use fast::*;\n    #[cfg(not(feature = \"fast\"))]\n    pub use plain::*;\n}}\n{rest}"
        ))
    };
    let plain = "src/lib.rs:7 math::plain::root Receiver";
    check(&of("fn f() { math::$0root(); }"), plain);
    let found = links(&of("fn f() { math::$0root(); }"));
    assert!(found[0].confidence < 0.9, "{found:?}");
    check(
        &of("mod a { use super::math::*; fn f() { $0root(); } }"),
        "src/lib.rs:7 math::plain::root Receiver",
    );
}

/// A macro's function in a block is visible in that block's macro.
#[test]
fn functions_in_blocks_of_macros() {
    let of = |call: &str| {
        of_crate(&format!(
            "macro_rules! request {{\n    ($name:ident, |$arg:ident| $body:expr) => (\n        #[test]\n        fn $name() {{\n            {call}\n            \
             fn closure($arg: u8) {{\n                $body\n            }}\n        }}\n    )\n}}\nstruct A;\nimpl A {{ fn closure(a: u8) {{}} }}\n"
        ))
    };
    check(&of("$0closure(1);"), "src/lib.rs:6 request::closure Scope");
}

/// The type arguments of a function that is called by its own name.
#[test]
fn type_arguments_of_functions_determine_results() {
    let of = |call: &str| {
        of_crate(&format!(
            "pub trait Flags: Sized {{ fn bits(&self) -> u8; }}\npub struct A;\nimpl A {{ fn bits(&self) -> u8 {{ 1 }} }}\nimpl Flags for A {{ fn bits(&self) -> u8 {{ 2 }} }}\n\
             fn parsed<B: Flags>(text: &str) -> Result<B, u8> {{ todo!() }}\nfn made<B: Flags>() -> B {{ todo!() }}\n\
             fn f() {{ {call}; }}\n"
        ))
    };
    let own = "src/lib.rs:3 A::bits Receiver";
    check(&of("made::<A>().$0bits()"), own);
    check(&of("parsed::<A>(\"a\").unwrap().$0bits()"), own);
    check(&of("assert_eq!(1, parsed::<A>(\"a\").unwrap().$0bits())"), own);
    check(&of("let it = made::<A>(); it.$0bits()"), own);
    check(&of("made::<_>().$0bits()"), "src/lib.rs:1 Flags::bits Receiver");
    assert!(
        !resolved_outcome(&of("missing::<A>().$0bits()"))
            .links
            .iter()
            .any(|it| it.confidence > 0.9)
    );
}

/// A method that a trait from outside adds to a type from outside calls that of the type.
#[test]
fn methods_of_outside_types_do_not_call_themselves() {
    let of = |own: &str| {
        of_crate(&format!(
            "use std::ops::Rem;\npub struct A(i32);\nimpl Rem<A> for {own} {{\n    type Output = A;\n    fn rem(self, other: A) -> A {{ A(self.$0rem(1)) }}\n}}\n"
        ))
    };
    assert!(links(&of("i32")).iter().all(|link| link.confidence < 0.45));
    check(&of("A"), "src/lib.rs:5 A::rem Receiver");
}

/// `(*p).go()` referred to a member of the pointer's own type.
#[test]
fn a_dereferenced_value_has_the_members_of_its_target() {
    let tree = |parameter: &str, body: &str| {
        format!(
            "//- /src/lib.rs\nuse std::ops::Deref;\npub struct A;\nimpl A {{ pub fn go(&self) {{}} }}\n\
             pub struct P(A);\nimpl P {{ pub fn go(&self) {{}} pub fn own(&self) {{ {body} }} }}\n\
             impl Deref for P {{ type Target = A; fn deref(&self) -> &A {{ &self.0 }} }}\n\
             fn user({parameter}) {{ {body} }}\n"
        )
    };
    let (of_target, own) = ("src/lib.rs:3 A::go Receiver", "src/lib.rs:5 P::go Receiver");
    check(&tree("p: P", "(*p).$0go();"), of_target);
    check(&tree("", "let p = P(A); (*p).$0go();"), of_target);
    check(&tree("p: &P", "(*p).$0go();"), own);
    let unit = tree("", "let p = P; (*p).$0go();").replace("P(A)", "P").replace("&self.0", "&A");
    check(&unit, of_target);
    assert_eq!(meaning(&unit).len(), 1);
    check(&tree("p: P", "p.$0go();"), own);
    let text = tree("list: &[P]", "for p in list.iter() { (*p).$0go(); }");
    assert!(links(&text).iter().all(|link| link.confidence < 0.9));
}

/// Of definitions for other conditions, nothing selected the one that a compiler reads by default.
#[test]
fn conditions_of_definitions_and_of_modules_select() {
    let modules = of_crate(
        "#[cfg(not(target_feature = \"sse2\"))]\nmod scalar;\n#[cfg(target_feature = \"sse2\")]\nmod simd;\n\
         #[cfg(not(target_feature = \"sse2\"))]\npub use scalar::V;\n#[cfg(target_feature = \"sse2\")]\npub use simd::V;\n\
         fn user(v: &V) { v.$0go(); }\n\
         //- /src/scalar.rs\npub struct V;\nimpl V { pub fn go(&self) {} }\n\
         //- /src/simd.rs\npub struct V;\nimpl V { pub fn go(&self) {} }",
    );
    check(&modules, "src/simd.rs:2 V::go Receiver");
    let here = of_crate(
        "#[cfg(windows)]\nfn run_it() {}\n#[cfg(not(windows))]\nfn run_it() {}\nfn user() { $0run_it(); }",
    );
    check(&here, "src/lib.rs:4 run_it SameFile");
    assert!(links(&here)[0].confidence < 0.9);
    let blocks = of_crate(
        "pub struct V;\n#[cfg(windows)]\nimpl V { fn run_it(&self) {} }\n#[cfg(unix)]\nimpl V { fn run_it(&self) {} }\n\
         fn user(v: V) { v.$0run_it(); }",
    );
    check(&blocks, "src/lib.rs:5 V::run_it Receiver");
}

/// A module hid an imported function of its name at the start of a chain.
#[test]
fn a_called_name_is_no_module() {
    let text = of_crate(
        "pub mod parser;\npub struct A;\nimpl A { pub fn go(&self) {} }\nmod tests {\n    use super::*;\n    use crate::parser::*;\n\
         \x20   mod parse_it {\n        use super::*;\n        fn valid() { parse_it::<A>(\"\").unwrap().$0go(); }\n    }\n}\n\
         //- /src/parser.rs\npub fn parse_it<B>(text: &str) -> Result<B, u8> { todo!() }",
    );
    check(&text, "src/lib.rs:3 A::go Receiver");
}

/// `Self` in functions that a macro passes to another one was unknown.
#[test]
fn functions_in_arguments_of_a_macro_have_its_block() {
    let of = |body: &str| {
        of_crate(&format!(
            "macro_rules! make_type {{\n    ($self:ident; $Name:ident {{ fn none() $none_body:block fn all() $all_body:block }}) => {{\n        impl $Name {{\n            \
             #[inline]\n            pub const fn none() -> Self\n                $none_body\n            #[inline]\n            pub fn all(&$self) -> Self\n                $all_body\n        }}\n    }};\n}}\n\
             macro_rules! make_public {{\n    ($Type:ident) => {{\n        make_type! {{\n            self; $Type {{\n                \
             fn none() {{ $Type(0) }}\n                fn all() {{ {body} }}\n            }}\n        }}\n    }};\n}}\n"
        ))
    };
    check(&of("Self::$0none()"), "src/lib.rs:5 make_type::$Name::none Receiver");
    check(&of("self.$0all()"), "src/lib.rs:8 make_type::$Name::all Receiver");
    // The variable of another macro of that name is for the same types.
    let other = "macro_rules! make_other {\n    ($Type:ident) => {\n        impl $Type { fn other(&self) { self.$0all() } }\n    };\n}";
    check(&format!("{}{other}\n", of("")), "src/lib.rs:8 make_type::$Name::all Receiver");
}
