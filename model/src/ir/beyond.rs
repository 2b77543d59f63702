//! Which parts of a file the design's page does not have. The count decides whether the model
//! fits, so that it is computed and never written by hand.

use super::{Expression, File, Narrowing, Type};
use std::collections::BTreeSet;

/// Returns the variants in `file` that the page lacks, by name.
pub fn beyond_the_page(file: &File) -> BTreeSet<&'static str> {
    let kinds = file.expressions.iter().filter_map(|(_, node)| match &node.kind {
        Expression::Narrowed { by: Narrowing::Not(_), .. } => Some("Narrowed(not a type)"),
        Expression::Narrowed { by: Narrowing::Member(..), .. } => Some("Narrowed(by a member)"),
        Expression::Narrowed { by: Narrowing::Predicate(..), .. } => {
            Some("Narrowed(by a predicate)")
        }
        _ => None,
    });
    let types = file.types.iter().filter_map(|(_, node)| match &node.kind {
        // The page's projection has a name as its member, which says too little.
        Type::Opaque(reason) if &**reason == "indexed access by a parameter" => {
            Some("Projection(whose member is a type)")
        }
        _ => None,
    });
    kinds.chain(types).collect()
}
