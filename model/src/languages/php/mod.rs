//! PHP: late static binding, traits with renames, magic members, namespaces with a global fallback.

use crate::ir::{Literal, Protocol};
use crate::rules::{
    Arguments, BaseOfUsers, Construction, MemberSources, Module, Rules, Tree, Visible,
};

/// The rules.
pub(super) struct Language;

impl Rules for Language {
    fn visible(&self) -> Visible {
        Visible { members: false, type_scopes: false, tree: false, ..Visible::default() }
    }

    fn member_sources(&self) -> MemberSources {
        MemberSources {
            base_of_users: BaseOfUsers::Mixins,
            missing_member: Some("__call"),
            ..MemberSources::default()
        }
    }

    fn construct(&self) -> Construction {
        Construction {
            members: &["__construct"],
            inherited: true,
            call_value: &["__invoke"],
            ..Construction::default()
        }
    }

    fn arguments(&self) -> Arguments {
        Arguments { any_number: true, ..Arguments::default() }
    }

    fn module(&self, specifier: &str, _from: &str, _tree: &Tree) -> Module {
        Module::Named(specifier.to_string())
    }

    fn protocol_members(&self, protocol: Protocol) -> &'static [&'static str] {
        match protocol {
            Protocol::Index => &["offsetGet"],
            Protocol::Iterate => &["getIterator", "current"],
            _ => &[],
        }
    }

    fn literal(&self, literal: &Literal) -> &'static str {
        match literal {
            Literal::String(_) => "string",
            Literal::Integer => "int",
            Literal::Float => "float",
            Literal::Boolean => "bool",
            Literal::Null => "null",
        }
    }

    fn library(&self) -> &'static str {
        include_str!("library.txt")
    }
}
