//! Swift: labels are part of names, extensions of protocols, one module.

use crate::ir::{Literal, Protocol};
use crate::rules::{Arguments, Construction, MemberSources, Module, Rules, Tree, Visible};

/// The rules.
pub(super) struct Language;

impl Rules for Language {
    fn visible(&self) -> Visible {
        Visible { tree: true, ..Visible::default() }
    }

    fn member_sources(&self) -> MemberSources {
        MemberSources { overloads_through_bases: true, ..MemberSources::default() }
    }

    fn construct(&self) -> Construction {
        Construction {
            members: &["init"],
            inherited: true,
            call_value: &["callAsFunction"],
            ..Construction::default()
        }
    }

    fn arguments(&self) -> Arguments {
        Arguments { labels_must_match: true, ..Arguments::default() }
    }

    fn module(&self, specifier: &str, _from: &str, _tree: &Tree) -> Module {
        Module::Named(specifier.to_string())
    }

    fn protocol_members(&self, protocol: Protocol) -> &'static [&'static str] {
        match protocol {
            Protocol::Index => &["subscript"],
            Protocol::Iterate => &["makeIterator", "next"],
            _ => &[],
        }
    }

    fn literal(&self, literal: &Literal) -> &'static str {
        match literal {
            Literal::String(_) => "String",
            Literal::Integer => "Int",
            Literal::Float => "Double",
            Literal::Boolean => "Bool",
            Literal::Null => "Never",
        }
    }

    fn library(&self) -> &'static str {
        include_str!("library.txt")
    }
}
