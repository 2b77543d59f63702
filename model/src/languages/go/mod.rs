//! Go: promotion by depth, interfaces by method sets, packages of files.

use crate::ir::Literal;
use crate::rules::{Linearization, MemberSources, Module, Rules, Satisfaction, Visible};

/// The rules.
pub(super) struct Language;

impl Rules for Language {
    fn visible(&self) -> Visible {
        Visible { members: false, type_scopes: false, ..Visible::default() }
    }

    fn linearize(&self) -> Linearization {
        Linearization::Levels
    }

    fn satisfies(&self) -> Satisfaction {
        Satisfaction::Structural
    }

    fn member_sources(&self) -> MemberSources {
        MemberSources {
            functions_on_are_members: true,
            dereferences: true,
            ..MemberSources::default()
        }
    }

    fn module(&self, specifier: &str, _from: &str, paths: &[&str]) -> Module {
        // The package is the folder whose path ends like the specifier.
        let folder = |path: &str| {
            path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_string())
        };
        let is_it = |path: &str| {
            let folder = folder(path);
            !folder.is_empty()
                && (specifier == folder || specifier.ends_with(&format!("/{folder}")))
        };
        Module::Files(
            paths.iter().enumerate().filter(|(_, path)| is_it(path)).map(|(at, _)| at).collect(),
        )
    }

    fn convert(&self, from: &str, to: &str) -> Option<u8> {
        (to == "any" || (from, to) == ("int", "float64")).then_some(3)
    }

    fn literal(&self, literal: &Literal) -> &'static str {
        match literal {
            Literal::String(_) => "string",
            Literal::Integer => "int",
            Literal::Float => "float64",
            Literal::Boolean => "bool",
            Literal::Null => "nil",
        }
    }

    fn library(&self) -> &'static str {
        include_str!("library.txt")
    }
}
