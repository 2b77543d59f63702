//! Types that no literal and no lambda is a value of: those that the repository defines.

use super::{Form, Shape, is_function};
use crate::graph::link::dialect::Extensions;
use crate::graph::link::value::{Candidate, Place};
use crate::graph::link::walk::Walk;
use crate::lang::symbols::SymbolKind;

/// Returns true if an argument is a literal or a lambda, and the parameter's type one of C# or Kotlin
/// that the repository defines without a conversion. Swift's types can be made of literals.
pub(super) fn excludes(walk: &Walk<'_>, place: Place, form: &Form, of: &Shape) -> bool {
    let is_literal =
        matches!(form, Form::Text | Form::Character | Form::Boolean | Form::Integer | Form::Float);
    let is_lambda = match form {
        Form::Lambda => true,
        Form::Typed(given) => is_function(given),
        _ => false,
    };
    let Some(facts) = walk.facts(place.file).filter(|_| is_literal || is_lambda) else {
        return false;
    };
    let is_csharp = facts.dialect.has_usings;
    if of.is_pointer || !is_csharp && facts.dialect.extensions != Extensions::Prefix {
        return false;
    }
    let is_excluded = |it: &Candidate| match walk.kind(it) {
        Some(SymbolKind::Class | SymbolKind::Struct) => true,
        // `0` is a value of each enumeration of C#.
        Some(SymbolKind::Enum) => !is_csharp || *form != Form::Integer,
        // A lambda of Kotlin can implement an interface.
        Some(SymbolKind::Interface) => is_literal || is_csharp,
        _ => false,
    };
    let found = walk.name(place, &of.base, 1);
    !found.is_empty()
        && found.iter().all(is_excluded)
        && (!is_csharp || walk.code.named(&format!("operator {}", of.base)).is_empty())
}
