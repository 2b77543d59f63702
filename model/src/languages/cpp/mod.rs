//! C++: namespaces that many files share, lookup by arguments, members defined outside of classes.

use crate::ir::{Literal, Protocol};
use crate::rules::{Linearization, MemberSources, Module, Rules, Tree, Visible};

/// The rules.
pub(super) struct Language;

impl Rules for Language {
    fn visible(&self) -> Visible {
        Visible {
            tree: true,
            argument_namespaces: true,
            imports_are_members: true,
            ..Visible::default()
        }
    }

    fn linearize(&self) -> Linearization {
        Linearization::Levels
    }

    fn member_sources(&self) -> MemberSources {
        MemberSources { functions_on_are_members: true, ..MemberSources::default() }
    }

    fn module(&self, specifier: &str, from: &str, tree: &Tree) -> Module {
        match super::c::included(specifier, from, tree) {
            Module::Files(files) if files.is_empty() => Module::Named(specifier.to_string()),
            found => found,
        }
    }

    fn protocol_members(&self, protocol: Protocol) -> &'static [&'static str] {
        match protocol {
            Protocol::Index => &["operator[]"],
            Protocol::Iterate => &["begin"],
            Protocol::Dereference => &["operator->"],
            Protocol::Await | Protocol::Unwrap => &[],
        }
    }

    fn convert(&self, from: &str, to: &str) -> Option<u8> {
        match (from, to) {
            ("char" | "bool", "int") => Some(1),
            ("int" | "char" | "double" | "bool", "int" | "char" | "double" | "bool") => Some(2),
            ("char_array", "std.string" | "ptr") => Some(2),
            ("char_array", "bool") => Some(3),
            _ => None,
        }
    }

    fn literal(&self, literal: &Literal) -> &'static str {
        match literal {
            Literal::String(_) => "char_array",
            Literal::Integer => "int",
            Literal::Float => "double",
            Literal::Boolean => "bool",
            Literal::Null => "nullptr_t",
        }
    }

    fn library(&self) -> &'static str {
        include_str!("library.txt")
    }
}
