//! Rust: implementations apart from types, projections, dereferencing on member access.

use crate::ir::{Literal, Protocol};
use crate::rules::{MemberSources, Module, Rules, Tree, Visible};

/// The rules.
pub(super) struct Language;

impl Rules for Language {
    fn visible(&self) -> Visible {
        Visible { members: false, type_scopes: false, siblings: false, ..Visible::default() }
    }

    fn member_sources(&self) -> MemberSources {
        MemberSources { dereferences: true, ..MemberSources::default() }
    }

    fn module(&self, specifier: &str, from: &str, tree: &Tree) -> Module {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let path = specifier.trim_start_matches("crate.").replace('.', "/");
        let is_it = |found: &str| {
            [format!("{folder}/{path}.rs"), format!("{folder}/{path}/mod.rs")]
                .contains(&found.to_string())
        };
        Module::Files(
            tree.paths
                .iter()
                .enumerate()
                .filter(|(_, path)| is_it(path))
                .map(|(at, _)| at)
                .collect(),
        )
    }

    fn protocol_members(&self, protocol: Protocol) -> &'static [&'static str] {
        match protocol {
            Protocol::Index => &["index"],
            Protocol::Iterate => &["into_iter", "next"],
            Protocol::Dereference => &["deref"],
            Protocol::Await | Protocol::Unwrap => &[],
        }
    }

    fn literal(&self, literal: &Literal) -> &'static str {
        match literal {
            Literal::String(_) => "str",
            Literal::Integer => "i32",
            Literal::Float => "f64",
            Literal::Boolean => "bool",
            Literal::Null => "never",
        }
    }

    fn library(&self) -> &'static str {
        include_str!("library.txt")
    }
}
