//! The rules of each language, one file per family of grammars.

/// Returns the grammar of a crate as an `Option<LanguageFn>`: `None` if the Cargo feature that is named
/// like the crate is off. The rules of a language are always compiled, so that its files are recognized and
/// reported as not analyzed.
macro_rules! grammar {
    ($feature:literal, $language:path) => {{
        #[cfg(feature = $feature)]
        const GRAMMAR: Option<tree_sitter_language::LanguageFn> = Some($language);
        #[cfg(not(feature = $feature))]
        const GRAMMAR: Option<tree_sitter_language::LanguageFn> = None;
        GRAMMAR
    }};
}

pub(super) mod bash;
pub(super) mod blank;
pub(super) mod c;
pub(super) mod cmake;
pub(super) mod csharp;
pub(super) mod css;
pub(super) mod dart;
pub(super) mod data;
pub(super) mod dockerfile;
pub(super) mod elixir;
pub(super) mod go;
pub(super) mod haskell;
pub(super) mod hcl;
pub(super) mod html;
pub(super) mod java;
pub(super) mod javascript;
pub(super) mod kotlin;
mod loops;
pub(super) mod lua;
pub(super) mod make;
pub(super) mod markdown;
mod mentions;
mod modifiers;
pub(super) mod objc;
pub(super) mod ocaml;
pub(super) mod php;
pub(super) mod proto;
pub(super) mod python;
pub(super) mod r;
pub(super) mod ruby;
pub(super) mod rust;
pub(super) mod scala;
pub(super) mod sql;
pub(super) mod swift;
pub(super) mod zig;

pub(crate) use rust::written::chain_of as rust_type;
