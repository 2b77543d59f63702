//! TypeScript: modules by path, types by shape, signatures beside a body.

use crate::ir::Literal;
use crate::rules::{
    Arguments, Construction, MemberSources, Module, Rules, Satisfaction, Tree, Visible, relative,
};

/// The rules.
pub(super) struct Language;

impl Rules for Language {
    fn visible(&self) -> Visible {
        Visible { members: false, type_scopes: false, siblings: false, ..Visible::default() }
    }

    fn satisfies(&self) -> Satisfaction {
        Satisfaction::Structural
    }

    fn member_sources(&self) -> MemberSources {
        MemberSources::default()
    }

    fn construct(&self) -> Construction {
        Construction { inherited: true, ..Construction::default() }
    }

    fn arguments(&self) -> Arguments {
        Arguments { signatures_beside_body: true, any_number: true, ..Arguments::default() }
    }

    fn module(&self, specifier: &str, from: &str, tree: &Tree) -> Module {
        let stem = relative(from, specifier);
        let index = if stem.is_empty() { "index".to_string() } else { format!("{stem}/index") };
        let is_it = |path: &str| {
            let path = path.rsplit_once('.').map_or(path, |(path, _)| path);
            path == stem || path == index
        };
        let relative = specifier.starts_with('.');
        let found = tree.paths.iter().enumerate().filter(|(_, path)| relative && is_it(path));
        Module::Files(found.map(|(at, _)| at).collect())
    }

    fn convert(&self, _from: &str, to: &str) -> Option<u8> {
        (to == "any").then_some(3)
    }

    fn literal(&self, literal: &Literal) -> &'static str {
        match literal {
            Literal::String(_) => "string",
            Literal::Integer | Literal::Float => "number",
            Literal::Boolean => "boolean",
            Literal::Null => "null",
        }
    }

    fn library(&self) -> &'static str {
        include_str!("library.txt")
    }
}
