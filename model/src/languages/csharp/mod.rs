//! C#: partial types, extension methods by `using`, delegates and events, named arguments.

use crate::ir::{Literal, Protocol};
use crate::rules::{MemberSources, Module, Rules, Tree, Visible};

/// The rules.
pub(super) struct Language;

impl Rules for Language {
    fn visible(&self) -> Visible {
        Visible::default()
    }

    fn member_sources(&self) -> MemberSources {
        MemberSources {
            open_types: true,
            overloads_through_bases: true,
            ..MemberSources::default()
        }
    }

    fn module(&self, specifier: &str, _from: &str, _tree: &Tree) -> Module {
        Module::Named(specifier.to_string())
    }

    fn protocol_members(&self, protocol: Protocol) -> &'static [&'static str] {
        match protocol {
            Protocol::Index => &["this[]"],
            Protocol::Iterate => &["GetEnumerator", "Current"],
            Protocol::Await => &["GetAwaiter", "GetResult"],
            Protocol::Unwrap | Protocol::Dereference => &[],
        }
    }

    fn convert(&self, from: &str, to: &str) -> Option<u8> {
        match (from, to) {
            ("int", "double") => Some(2),
            (_, "object") => Some(10),
            _ => None,
        }
    }

    fn literal(&self, literal: &Literal) -> &'static str {
        match literal {
            Literal::String(_) => "string",
            Literal::Integer => "int",
            Literal::Float => "double",
            Literal::Boolean => "bool",
            Literal::Null => "object",
        }
    }

    fn library(&self) -> &'static str {
        include_str!("library.txt")
    }
}
