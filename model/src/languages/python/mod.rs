//! Python: the merged order of bases, descriptors, classes as values, modules by path.

use crate::ir::{Literal, Protocol};
use crate::rules::{
    Arguments, BaseOfUsers, Construction, Linearization, MemberSources, Module, Rules,
    Satisfaction, Tree, Visible,
};

/// The rules.
pub(super) struct Language;

impl Rules for Language {
    fn visible(&self) -> Visible {
        Visible {
            members: false,
            type_scopes: false,
            siblings: false,
            imports_are_members: true,
            ..Visible::default()
        }
    }

    fn linearize(&self) -> Linearization {
        Linearization::Merged
    }

    fn satisfies(&self) -> Satisfaction {
        Satisfaction::Structural
    }

    fn member_sources(&self) -> MemberSources {
        MemberSources {
            base_of_users: BaseOfUsers::All,
            get_member: Some("__get__"),
            ..MemberSources::default()
        }
    }

    fn construct(&self) -> Construction {
        Construction {
            members: &["__init__"],
            inherited: true,
            call_value: &["__call__"],
            ..Construction::default()
        }
    }

    fn arguments(&self) -> Arguments {
        Arguments { any_number: true, ..Arguments::default() }
    }

    fn module(&self, specifier: &str, _from: &str, tree: &Tree) -> Module {
        let path = specifier.replace('.', "/");
        let is_it =
            |found: &str| found == format!("{path}.py") || found == format!("{path}/__init__.py");
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
            Protocol::Index => &["__getitem__"],
            Protocol::Iterate => &["__iter__", "__next__"],
            Protocol::Await => &["__await__"],
            Protocol::Unwrap | Protocol::Dereference => &[],
        }
    }

    fn literal(&self, literal: &Literal) -> &'static str {
        match literal {
            Literal::String(_) => "str",
            Literal::Integer => "int",
            Literal::Float => "float",
            Literal::Boolean => "bool",
            Literal::Null => "None",
        }
    }

    fn library(&self) -> &'static str {
        include_str!("library.txt")
    }
}
