//! Ruby: open classes, mixins in the order of ancestors, duck typing.

#[cfg(feature = "lower")]
mod lower;

use crate::ir::Literal;
use crate::rules::{
    Arguments, BaseOfUsers, Construction, MemberSources, Module, Rules, Satisfaction, Tree, Visible,
};

/// The rules.
pub(super) struct Language;

impl Rules for Language {
    fn visible(&self) -> Visible {
        Visible { tree: true, ..Visible::default() }
    }

    fn satisfies(&self) -> Satisfaction {
        Satisfaction::Declared
    }

    fn member_sources(&self) -> MemberSources {
        MemberSources {
            open_types: true,
            base_of_users: BaseOfUsers::Mixins,
            // The convention of Rails' concerns.
            nested_static_mixin: Some("ClassMethods"),
            root: Some("Object"),
            ..MemberSources::default()
        }
    }

    fn construct(&self) -> Construction {
        Construction {
            members: &["initialize"],
            inherited: true,
            call: Some("new"),
            ..Construction::default()
        }
    }

    fn arguments(&self) -> Arguments {
        Arguments { any_number: true, ..Arguments::default() }
    }

    fn module(&self, specifier: &str, _from: &str, _tree: &Tree) -> Module {
        Module::Named(specifier.to_string())
    }

    fn literal(&self, literal: &Literal) -> &'static str {
        match literal {
            Literal::String(_) => "String",
            Literal::Integer => "Integer",
            Literal::Float => "Float",
            Literal::Boolean => "Boolean",
            Literal::Null => "NilClass",
        }
    }

    #[cfg(feature = "lower")]
    fn lowering(&self) -> Option<&'static dyn crate::lower::Lowers> {
        Some(&Lowering)
    }

    fn library(&self) -> &'static str {
        include_str!("library.txt")
    }
}

/// Syntax trees into facts, for measurement: what a file declares and calls. Programs are not
/// answered from them yet.
#[cfg(feature = "lower")]
struct Lowering;

#[cfg(feature = "lower")]
impl crate::lower::Lowers for Lowering {
    fn extensions(&self) -> &'static [&'static str] {
        &["rb"]
    }

    fn grammar(&self) -> tree_sitter::Language {
        tree_sitter_ruby::LANGUAGE.into()
    }

    fn is_whole(&self) -> bool {
        false
    }

    fn lower(&self, path: &str, text: &[u8], tree: &tree_sitter::Tree) -> crate::ir::File {
        lower::lower(path, text, tree)
    }
}
