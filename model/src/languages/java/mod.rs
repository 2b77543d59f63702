//! Java: packages, members of the types around, functional interfaces, overloads in three phases.

use crate::ir::Literal;
use crate::rules::{Arguments, MemberSources, Module, Rules, Tree, Visible};

/// The rules.
pub(super) struct Language;

/// Primitive types by width.
const WIDENING: [&str; 5] = ["char", "int", "long", "float", "double"];

impl Rules for Language {
    fn visible(&self) -> Visible {
        Visible { calls_skip_values: true, ..Visible::default() }
    }

    fn member_sources(&self) -> MemberSources {
        MemberSources { overloads_through_bases: true, ..MemberSources::default() }
    }

    fn arguments(&self) -> Arguments {
        Arguments { functions_fit_interfaces: true, ..Arguments::default() }
    }

    fn module(&self, specifier: &str, _from: &str, _tree: &Tree) -> Module {
        Module::Named(specifier.to_string())
    }

    fn convert(&self, from: &str, to: &str) -> Option<u8> {
        let width = |name: &str| WIDENING.iter().position(|known| *known == name);
        match (width(from), width(to)) {
            (Some(from), Some(to)) if from < to => u8::try_from(to - from).ok(),
            (Some(_), Some(_)) => None,
            (Some(_), None) if to == "Object" => Some(12),
            (None, Some(_)) => (from, to).eq(&("Integer", "int")).then_some(11),
            _ => (to == "Object").then_some(10),
        }
    }

    fn literal(&self, literal: &Literal) -> &'static str {
        match literal {
            Literal::String(_) => "String",
            Literal::Integer => "int",
            Literal::Float => "double",
            Literal::Boolean => "boolean",
            Literal::Null => "Object",
        }
    }

    fn library(&self) -> &'static str {
        include_str!("library.txt")
    }
}
