//! Kotlin: implicit receivers of lambdas, extensions behind members, operators by convention.

use crate::ir::Literal;
use crate::rules::{Arguments, Construction, MemberSources, Module, Rules, Tree, Visible};

/// The rules.
pub(super) struct Language;

impl Rules for Language {
    fn visible(&self) -> Visible {
        Visible::default()
    }

    fn member_sources(&self) -> MemberSources {
        MemberSources { overloads_through_bases: true, ..MemberSources::default() }
    }

    fn construct(&self) -> Construction {
        Construction { call_value: &["invoke"], ..Construction::default() }
    }

    fn arguments(&self) -> Arguments {
        Arguments { functions_fit_interfaces: true, ..Arguments::default() }
    }

    fn module(&self, specifier: &str, _from: &str, _tree: &Tree) -> Module {
        Module::Named(specifier.to_string())
    }

    fn convert(&self, _from: &str, to: &str) -> Option<u8> {
        (to == "Any").then_some(10)
    }

    fn literal(&self, literal: &Literal) -> &'static str {
        match literal {
            Literal::String(_) => "String",
            Literal::Integer => "Int",
            Literal::Float => "Double",
            Literal::Boolean => "Boolean",
            Literal::Null => "Nothing",
        }
    }

    fn library(&self) -> &'static str {
        include_str!("library.txt")
    }
}
