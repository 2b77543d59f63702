//! Rust: implementations that macros make, for tuples, ranges and outside types, and values whose type
//! only an associated type or a callback determines.

use super::{check, links, resolved_outcome};

fn of_crate(rest: &str) -> String {
    format!("//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\n{rest}\n")
}

const STEPS: &str = "\
pub trait Steps: Sized {
    fn fold_all(self, by: u8) -> u8 { 1 }
    fn length(&self) -> usize;
}
pub trait IntoSteps {
    type Iter: Steps;
    fn into_steps(self) -> Self::Iter;
}
pub trait RefSteps {
    type Iter: Steps;
    fn ref_steps(&self) -> Self::Iter;
}
impl<I> RefSteps for I where I: IntoSteps {
    type Iter = <I as IntoSteps>::Iter;
    fn ref_steps(&self) -> Self::Iter { todo!() }
}
pub struct Over<T> { of: T }
pub struct Other;
impl Other { fn length(&self) -> usize { 1 } fn fold_all(self, by: u8) -> u8 { 2 } fn into_steps(self) {} }
";

#[test]
fn ranges_have_methods_of_traits() {
    let of = |call: &str| {
        of_crate(&format!(
            "{STEPS}impl<T> IntoSteps for std::ops::Range<T> {{\n    type Iter = Over<T>;\n    fn into_steps(self) -> Self::Iter {{ todo!() }}\n}}\n\
             impl<T> Steps for Over<T> {{\n    fn length(&self) -> usize {{ 3 }}\n}}\nfn f(n: usize) {{ {call}; }}\n"
        ))
    };
    check(&of("(0..n).$0into_steps()"), "src/lib.rs:22 Range::into_steps Receiver");
    check(&of("(0..n).into_steps().$0length()"), "src/lib.rs:25 Over::length Receiver");
    check(
        &of("assert_eq!(1, (0..9).into_steps().$0length())"),
        "src/lib.rs:25 Over::length Receiver",
    );
    check(&of("(0..n).into_steps().$0fold_all(1)"), "src/lib.rs:2 Steps::fold_all Inherited");
    check(&of("(0..n).ref_steps().$0fold_all(1)"), "src/lib.rs:2 Steps::fold_all Inherited");
}

#[test]
fn macros_make_implementations_for_tuples() {
    let of = |call: &str| {
        of_crate(&format!(
            "{STEPS}macro_rules! tuples {{\n    ($( $name:ident {{ $( $T:ident )+ }} )+) => {{\n        $(\n            \
             impl<$( $T, )+> IntoSteps for ($( $T, )+) {{\n                type Iter = Over<($( $T, )+)>;\n                \
             fn into_steps(self) -> Self::Iter {{ todo!() }}\n            }}\n        )+\n    }};\n}}\n\
             tuples! {{ Two {{ A B }} }}\nfn f(a: u8, b: u8) {{ {call}; }}\n"
        ))
    };
    check(&of("(a, b).$0into_steps()"), "src/lib.rs:25 tuples::($( $T, )+)::into_steps Receiver");
}

/// Of several implementations for tuples, the one with as many parts.
#[test]
fn tuples_differ_in_the_number_of_parts() {
    let of = |call: &str| {
        of_crate(&format!(
            "trait Lay {{\n    fn lay(&self) -> u8;\n}}\nimpl<T: Lay> Lay for &T {{\n    fn lay(&self) -> u8 {{ 0 }}\n}}\n\
             impl Lay for () {{\n    fn lay(&self) -> u8 {{ 1 }}\n}}\nimpl<A, B> Lay for (A, B) {{\n    fn lay(&self) -> u8 {{ 2 }}\n}}\n\
             impl<A, B, C, D, E, F, G, H, I> Lay for (A, B, C, D, E, F, G, H, I) {{\n    fn lay(&self) -> u8 {{ 9 }}\n}}\n\
             fn f(a: u8) {{ {call}; }}\n"
        ))
    };
    check(&of("(a, a).$0lay()"), "src/lib.rs:11 (A, B)::lay Receiver");
    check(
        &of("(a, a, a, a, a, a, a, a, a).$0lay()"),
        "src/lib.rs:14 (A, B, C, D, E, F, G, H, I)::lay Receiver",
    );
}

/// A macro implements a trait for the types that its calls name.
#[test]
fn macros_implement_traits_for_their_arguments() {
    let of = |call: &str| {
        of_crate(&format!(
            "{STEPS}macro_rules! delegate {{\n    ($t:ty => $item:ty, impl $( $args:tt )*) => {{\n        \
             impl $( $args )* Steps for $t {{\n            fn length(&self) -> usize {{ 4 }}\n        }}\n    }};\n}}\n\
             delegate! {{ Over<T> => T, impl<T: Send> }}\ndelegate! {{ u64 => u8, impl }}\n\
             fn f(over: Over<u8>, n: u64, other: Other, small: u16) {{ {call}; }}\n"
        ))
    };
    check(&of("over.$0length()"), "src/lib.rs:23 delegate::$t::length Receiver");
    check(&of("over.$0fold_all(1)"), "src/lib.rs:2 Steps::fold_all Inherited");
    check(&of("n.$0length()"), "src/lib.rs:23 delegate::$t::length Inherited");
    check(&of("other.$0length()"), "src/lib.rs:19 Other::length Receiver");
    assert!(links(&of("small.$0length()")).iter().all(|link| link.confidence < 0.45));
}

/// A macro's associated type is unknown, but the trait states a bound of it.
#[test]
fn traits_state_the_bounds_of_associated_types() {
    let text = of_crate(&format!(
        "{STEPS}macro_rules! into {{\n    ($t:ty => $iter:ident) => {{\n        impl IntoSteps for $t {{\n            \
         type Iter = $iter<u8>;\n            fn into_steps(self) -> Self::Iter {{ todo!() }}\n        }}\n    }};\n}}\n\
         into! {{ String => Over }}\nfn f(text: String) {{ text.into_steps().$0fold_all(1); }}\n"
    ));
    check(&text, "src/lib.rs:2 Steps::fold_all Inherited");
}

#[test]
fn bounds_of_associated_types_in_bounds() {
    let of = |head: &str, call: &str| of_crate(&format!("{STEPS}fn f{head} {{ {call}; }}\n"));
    let length = "src/lib.rs:3 Steps::length Receiver";
    check(&of("<I>(it: I) where I: IntoSteps<Iter: Steps>", "it.into_steps().$0length()"), length);
    let owned = "where C: ToOwned<Owned: IntoSteps>";
    check(
        &of(&format!("<C>(it: C) {owned}"), "C::Owned::$0into_steps(it)"),
        "src/lib.rs:7 IntoSteps::into_steps Receiver",
    );
}

#[test]
fn patterns_take_the_own_type_apart() {
    let text = of_crate(&format!(
        "{STEPS}struct Both<A, B> {{ a: A, b: B }}\nimpl<A: Steps, B> Both<A, B> {{\n    \
         fn f(self) {{ let Both {{ a, b }} = self; a.$0length(); }}\n}}\n"
    ));
    check(&text, "src/lib.rs:3 Steps::length Receiver");
}

/// What a callback returns is not known: such a call may stay in the repository.
#[test]
fn results_of_callbacks_are_unresolved() {
    let of = |call: &str| {
        of_crate(&format!(
            "struct A;\nimpl A {{ fn go(&self) {{}} }}\nstruct B;\nimpl B {{ fn go(&self) {{}} }}\n\
             fn f(all: Vec<u8>) {{ {call}; }}\n"
        ))
    };
    assert!(!resolved_outcome(&of("all.iter().map(made).last().unwrap().$0go()")).is_outside);
    assert!(!resolved_outcome(&of("std::mem::replace(&mut x, y).$0go()")).is_outside);
    assert!(resolved_outcome(&of("std::env::args().$0go()")).is_outside);
}

/// `into()` was counted as a call that leaves the repository where nothing shows the result's type.
#[test]
fn conversions_without_a_known_result_are_unresolved() {
    let of = |body: &str| {
        of_crate(&format!(
            "struct Id;\nimpl From<&str> for Id {{\n    fn from(of: &str) -> Id {{ Id }}\n}}\nfn f(of: &str) {{ {body} }}\n"
        ))
    };
    assert!(!resolved_outcome(&of("let id = of.$0into();")).is_outside);
    assert!(resolved_outcome(&of("let id: String = of.$0into();")).is_outside);
}

/// The closure of `map` has one parameter in the standard library.
#[test]
fn map_of_the_repository_takes_other_closures() {
    let text = of_crate(
        "struct Filter;\nimpl Filter {\n    fn map(self, by: impl Fn() -> &'static str) -> Filter { self }\n    \
         fn both(self) {}\n}\nfn f(it: Filter) { it.map(|| \"a\").$0both(); }\nstruct No;\nimpl No { fn both(self) {} }",
    );
    check(&text, "src/lib.rs:4 Filter::both Receiver");
}

/// The type of a `let` selects what `collect` returns.
#[test]
fn collected_values_have_the_written_type() {
    let of = |call: &str| {
        of_crate(&format!(
            "trait Own {{ fn own(&self); }}\nimpl<T> Own for Vec<T> {{\n    fn own(&self) {{}}\n}}\nstruct No;\nimpl No {{ fn own(&self) {{}} }}\n\
             fn f() {{ let v: Vec<_> = (0..9).map(|x| x + 1).collect(); {call}; }}\n"
        ))
    };
    check(&of("v.$0own()"), "src/lib.rs:3 Vec::own Receiver");
}

/// A value of an unknown type from outside has the methods of traits that every type implements.
#[test]
fn traits_for_every_type_extend_unknown_values() {
    let of = |call: &str| {
        of_crate(&format!(
            "trait Every {{\n    fn all_unique(&self) -> bool {{ true }}\n}}\nimpl<T: Iterator> Every for T {{}}\n\
             trait Some {{\n    fn only(&self) -> bool {{ true }}\n}}\nimpl Some for u8 {{}}\n\
             struct No;\nimpl No {{ fn all_unique(&self) {{}} fn only(&self) {{}} }}\nfn f() {{ {call}; }}\n"
        ))
    };
    check(
        &of("std::iter::empty::<u8>().$0all_unique()"),
        "src/lib.rs:2 Every::all_unique Inherited",
    );
    check(&of("std::iter::empty::<u8>().$0only()"), "");
}

/// A name after `<Type as Trait>::` in a macro had no receiver.
#[test]
fn qualified_names_in_macros_are_members_of_the_trait() {
    let of = |call: &str| {
        format!(
            "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\npub trait Bounded {{\n    fn most() -> Self;\n}}\n\
             pub struct Own;\nimpl Bounded for Own {{\n    fn most() -> Self {{ Own }}\n}}\n\
             macro_rules! test {{ ($t:ty) => {{ fn f() {{ each!({call}); }} }} }}\n"
        )
    };
    check(&of("<$t as Bounded>::$0most()"), "src/lib.rs:2 Bounded::most Receiver");
    check(&of("<$t as crate::Bounded>::$0most()"), "src/lib.rs:2 Bounded::most Receiver");
    check(&of("<Own as Bounded>::$0most()"), "src/lib.rs:6 Own::most Receiver");
}

/// The blocks of macros that a macro calls, with bodies and `self` that are variables, as in `bitflags!`.
#[test]
fn macros_make_the_blocks_of_macros_that_they_call() {
    let of = |call: &str| {
        of_crate(&format!(
            "#[macro_export]\nmacro_rules! flags {{\n    ($vis:vis struct $Name:ident: $T:ty {{ $( const $flag:ident = $value:expr; )* }}) => {{\n        \
             $vis struct $Name($T);\n        $crate::forward! {{ $Name: $T }}\n    }};\n}}\n\
             #[macro_export]\nmacro_rules! forward {{\n    ($Public:ident: $T:ty) => {{\n        $crate::members! {{\n            params: self, other;\n            \
             $Public: $T {{\n                fn none() {{ Self(0) }}\n                fn insert(&mut self, other) {{ self.0 |= other.0 }}\n            }}\n        }}\n    }};\n}}\n\
             #[macro_export]\nmacro_rules! members {{\n    (params: $self:ident, $other:ident; $Of:ident: $T:ty {{\n        fn none() $none_body:block\n        \
             fn insert(&mut self, other) $insert_body:block\n    }}) => {{\n        impl $Of {{\n            #[inline]\n            \
             pub const fn none() -> Self\n                $none_body\n            /// Adds flags.\n            pub fn insert(&mut $self, $other: Self)\n                $insert_body\n        }}\n    }};\n}}\n\
             flags! {{ pub struct Color: u8 {{ const RED = 1; const BLUE = 2; }} }}\nstruct Other;\nimpl Other {{ fn none() -> Other {{ Other }} fn insert(&mut self, other: u8) {{}} }}\n\
             struct Plain;\nfn f(mut c: Color, plain: Plain) {{ {call}; }}\n"
        ))
    };
    check(&of("Color::$0none()"), "src/lib.rs:28 members::$Of::none Receiver");
    check(&of("c.$0insert(Color::RED)"), "src/lib.rs:31 members::$Of::insert Receiver");
    check(&of("Color::none().$0insert(c)"), "src/lib.rs:31 members::$Of::insert Receiver");
    assert!(links(&of("plain.$0insert(1)")).iter().all(|link| link.confidence < 0.45));
    check(&of("Color::RED.$0insert(c)"), "src/lib.rs:31 members::$Of::insert Receiver");
}

/// The constants of flags have their type, and may name each other.
#[test]
fn constants_of_flags_have_members() {
    let of = |place: &str| {
        of_crate(&format!(
            "macro_rules! flags {{\n    (struct $Name:ident: $T:ty {{ $( const $flag:ident = $value:expr; )* }}) => {{\n        \
             struct $Name($T);\n        impl Flags for $Name {{ fn bits(&self) -> $T {{ self.0 }} }}\n        \
             impl $Name {{ fn bits(&self) -> $T {{ self.0 }} }}\n    }};\n}}\npub trait Flags {{ fn bits(&self); }}\n{place}\n"
        ))
    };
    let flags = "flags! {\n    struct Color: u8 {\n        const RED = 1;\n        const ALL = Self::RED.$0bits();\n    }\n}\n";
    let own = "src/lib.rs:5 flags::$Name::bits Receiver";
    check(&of(flags), own);
    check(&of(&format!("fn f() {{\n    {flags}    let a = 1;\n}}")), own);
}

/// In a macro, the type that a variable stands for has the members that macros make for it.
#[test]
fn variables_of_macros_have_members() {
    let of = |call: &str| {
        of_crate(&format!(
            "macro_rules! own {{\n    ($Own:ident) => {{\n        impl $Own {{ fn empty(&self) -> bool {{ true }} fn size() -> u8 {{ 0 }} }}\n    }};\n}}\n\
             macro_rules! both {{\n    ($Inner:ident, $Own:ident) => {{\n        impl Show for $Inner {{\n            fn show(&self) {{ {call}; }}\n        }}\n        \
             own! {{ $Inner }}\n    }};\n}}\npub trait Show {{ fn show(&self); fn empty(&self) -> bool; }}\nstruct A;\nimpl A {{ fn empty(&self) -> bool {{ false }} fn size() {{}} }}\n"
        ))
    };
    check(&of("self.$0empty()"), "src/lib.rs:3 own::$Own::empty Receiver");
    check(&of("$Own::$0size()"), "src/lib.rs:3 own::$Own::size Receiver");
    // Such a variable is another type in each macro.
    let short = of("$Own::$0size()").replace("$Own", "$t");
    assert!(links(&short).iter().all(|link| link.confidence < 0.45));
    check(&of("each!($Own::$0size())"), "src/lib.rs:3 own::$Own::size Receiver");
}

/// Calls of names that are keywords in some places were lost in the arguments of macros.
#[test]
fn keywords_in_macros_may_be_names() {
    let of = |call: &str| {
        of_crate(&format!(
            "pub struct Set;\nimpl Set {{\n  pub fn union(self, o: Set) -> Set {{ o }}\n  pub fn gen<T>(self) {{}}\n}}\n\
             fn f(a: Set) {{ println!(\"{{}}\", {call}); }}"
        ))
    };
    check(&of("a.$0union(a)"), "src/lib.rs:3 Set::union Receiver");
    check(&of("Set::$0union(a, a)"), "src/lib.rs:3 Set::union Receiver");
    check(&of("a.$0gen::<u8>()"), "src/lib.rs:4 Set::gen Receiver");
}
