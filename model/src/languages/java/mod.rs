//! Java: packages, members of the types around, functional interfaces, overloads in three phases.

#[cfg(feature = "lower")]
mod lower;
#[cfg(feature = "lower")]
mod statements;
#[cfg(feature = "lower")]
mod types;
#[cfg(feature = "lower")]
mod values;

#[cfg(feature = "lower")]
use crate::ir::File;
use crate::ir::Literal;
#[cfg(feature = "lower")]
use crate::lower::Lowers;
use crate::rules::{Arguments, MemberSources, Module, Rules, Tree, Visible};

/// The rules.
pub(super) struct Language;

/// Primitive numbers by width; `char` widens like `short`, but not from the narrower.
const WIDENING: [&str; 6] = ["byte", "short", "int", "long", "float", "double"];

/// Primitive types with the classes that box them.
const BOXES: [(&str, &str); 8] = [
    ("boolean", "Boolean"),
    ("byte", "Byte"),
    ("char", "Character"),
    ("double", "Double"),
    ("float", "Float"),
    ("int", "Integer"),
    ("long", "Long"),
    ("short", "Short"),
];

/// What boxes extend, besides `Object`.
const OF_BOXES: [&str; 3] = ["Comparable", "Number", "Serializable"];

/// Ranks of reference conversions end here: what boxes is worse.
const REFERENCE: u8 = 10;

impl Rules for Language {
    fn visible(&self) -> Visible {
        Visible { calls_skip_values: true, imports_decide: true, ..Visible::default() }
    }

    fn member_sources(&self) -> MemberSources {
        MemberSources {
            overloads_through_bases: true,
            root: Some("Object"),
            ..MemberSources::default()
        }
    }

    fn arguments(&self) -> Arguments {
        Arguments {
            functions_fit_interfaces: true,
            variadic_last: true,
            variadic_takes_whole: true,
            lambdas_list_parameters: true,
            parameters_are_bounds: true,
            ..Arguments::default()
        }
    }

    fn module(&self, specifier: &str, _from: &str, _tree: &Tree) -> Module {
        Module::Named(specifier.to_string())
    }

    fn convert(&self, from: &str, to: &str) -> Option<u8> {
        let boxed = |name: &str| BOXES.iter().find(|(of, _)| *of == name).map(|(_, boxed)| *boxed);
        let unboxed =
            |name: &str| BOXES.iter().find(|(_, boxed)| *boxed == name).map(|(of, _)| *of);
        match (boxed(from), boxed(to)) {
            (Some(_), Some(_)) => widened(from, to),
            (Some(boxed), None) if boxed == to => Some(REFERENCE + 1),
            (Some(_), None) => (to == "Object" || OF_BOXES.contains(&to)).then_some(REFERENCE + 2),
            (None, Some(_)) => {
                let of = unboxed(from)?;
                let rank = if of == to { Some(0) } else { widened(of, to) };
                rank.map(|rank| REFERENCE + 1 + rank)
            }
            _ => (to == "Object").then_some(REFERENCE),
        }
    }

    fn may_be_absent(&self, to: &str) -> bool {
        !BOXES.iter().any(|(primitive, _)| *primitive == to)
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
        concat!(
            include_str!("library/lang.txt"),
            include_str!("library/util.txt"),
            include_str!("library/others.txt"),
        )
    }

    #[cfg(feature = "lower")]
    fn lowering(&self) -> Option<&'static dyn Lowers> {
        Some(&Lowering)
    }
}

/// Returns by how much a number is widened; none where it cannot be.
fn widened(from: &str, to: &str) -> Option<u8> {
    let width = |name: &str| WIDENING.iter().position(|known| *known == name);
    let from = if from == "char" { width("short") } else { width(from) };
    match (from, width(to)) {
        (Some(from), Some(to)) if from < to => u8::try_from(to - from).ok(),
        _ => None,
    }
}

/// Syntax trees into facts.
#[cfg(feature = "lower")]
struct Lowering;

#[cfg(feature = "lower")]
impl Lowers for Lowering {
    fn extensions(&self) -> &'static [&'static str] {
        &["java"]
    }

    fn grammar(&self) -> tree_sitter::Language {
        tree_sitter_java::LANGUAGE.into()
    }

    fn lower(&self, path: &str, text: &[u8], tree: &tree_sitter::Tree) -> File {
        lower::lower(path, text, tree)
    }
}
