//! Conversions of C#: numbers, `null`, and values that can be `null`.

use super::{FLOATS, Form, INTEGERS, Shape, VALUES, fit, is_top};
use crate::graph::link::value::{Candidate, Place};
use crate::graph::link::walk::Walk;
use crate::lang::symbols::SymbolKind;

/// The types of numbers, each with those to which its values convert, the best one first.
const NUMBERS: &[(&str, &[&str])] = &[
    ("byte", &["short", "ushort", "int", "uint", "long", "ulong", "float", "double", "decimal"]),
    ("char", &["ushort", "int", "uint", "long", "ulong", "float", "double", "decimal"]),
    ("decimal", &[]),
    ("double", &[]),
    ("float", &["double"]),
    ("int", &["long", "float", "double", "decimal"]),
    ("long", &["float", "double", "decimal"]),
    ("sbyte", &["short", "int", "long", "float", "double", "decimal"]),
    ("short", &["int", "long", "float", "double", "decimal"]),
    ("uint", &["long", "ulong", "float", "double", "decimal"]),
    ("ulong", &["float", "double", "decimal"]),
    ("ushort", &["int", "uint", "long", "ulong", "float", "double", "decimal"]),
];

/// Members of types of the library that are values of the type: `DateTime.MinValue`.
const CONSTANTS: &[&str] = &[
    "Empty",
    "Epsilon",
    "MaxValue",
    "MinValue",
    "NaN",
    "NegativeInfinity",
    "Now",
    "PositiveInfinity",
    "Today",
    "UtcNow",
    "Zero",
];

/// The type of what `ToArray()` returns, whose elements are not known.
const ARRAY: &str = "Array";

/// The fits of the best and of the worst conversion of a number: less than the same type, more than a
/// type of which every value is one.
const CONVERTED_MAX: u32 = 7;
const CONVERTED_MIN: u32 = 4;

/// Returns the keyword for a type of the library, or the name itself.
fn keyword(name: &str) -> &str {
    match name {
        "Boolean" | "Bool" => "bool",
        "Byte" => "byte",
        "Char" => "char",
        "Decimal" => "decimal",
        "Double" => "double",
        "Float" | "Single" => "float",
        "Int" | "Int32" => "int",
        "Int16" | "Short" => "short",
        "Int64" | "Long" => "long",
        "SByte" => "sbyte",
        "UInt16" => "ushort",
        "UInt32" => "uint",
        "UInt64" => "ulong",
        name => name,
    }
}

/// Returns the number type of a shape with the types that it converts to.
fn number(of: &Shape) -> Option<(&'static str, &'static [&'static str])> {
    let name = keyword(&of.base);
    NUMBERS.iter().find(|(number, _)| *number == name && !of.is_pointer).copied()
}

/// Returns how well a parameter of C# fits an argument: `null` is a value of all types that are no
/// values, no value that can be `null` converts to one that cannot, and numbers convert to those of
/// more bits.
pub(super) fn fit_csharp(walk: &Walk<'_>, place: Place, form: &Form, of: Option<&Shape>) -> u32 {
    let Some(of) = of else { return fit(walk, place, form, None) };
    let is_plain = |shape: &Shape| !shape.is_pointer && is_value(walk, place, &shape.base);
    let character = Shape::plain("char".to_owned(), false);
    let given = match form {
        Form::Null => {
            let is_reference = of.is_pointer || of.is_nullable || !is_value(walk, place, &of.base);
            return if is_top(of) { 3 } else { 4 * u32::from(is_reference) };
        }
        Form::Typed(given) => Some(given),
        Form::Character => Some(&character),
        _ => None,
    };
    let is_array =
        |given: &&Shape| given.is_pointer && given.base == of.base || given.base == ARRAY;
    if let Some(given) = given.filter(|_| of.is_variadic).filter(is_array) {
        // `Type` and `Type<T>` are different types.
        return if given.base == of.base && given.arguments != of.arguments { 5 } else { 8 };
    }
    let is_nullable = given.is_some_and(|given| given.is_nullable);
    if !of.is_nullable && is_nullable && given.is_some_and(is_plain) && is_plain(of) {
        return 0;
    }
    let found = match given.and_then(number).zip(number(of)) {
        Some(((given, _), (of, _))) if given == of => 8,
        Some(((_, converted), (of, _))) => {
            let at = converted.iter().position(|name| *name == of);
            at.map_or(0, |at| CONVERTED_MAX.saturating_sub(at as u32).max(CONVERTED_MIN))
        }
        None => fit(walk, place, form, Some(of)),
    };
    // A type whose values cannot be `null` comes before the same type with `null`.
    let is_wrapped = of.is_nullable && !is_nullable && *form != Form::Unknown && found > 1;
    if is_wrapped && is_plain(of) { found - 1 } else { found }
}

/// Returns true for a type of C# whose values cannot be `null`.
fn is_value(walk: &Walk<'_>, place: Place, name: &str) -> bool {
    let is_basic = || matches!(name, "bool" | "Boolean" | "char" | "Char");
    if INTEGERS.contains(&name) || FLOATS.contains(&name) || VALUES.contains(&name) || is_basic() {
        return true;
    }
    let is_value =
        |it: &Candidate| matches!(walk.kind(it), Some(SymbolKind::Enum | SymbolKind::Struct));
    walk.name(place, name, 1).first().is_some_and(is_value)
}

/// Returns the type of a constant of the library: `uint.MaxValue`, `Guid.Empty`.
pub(super) fn constant(argument: &str) -> Option<Form> {
    let (of, name) = argument.split_once('.')?;
    if !CONSTANTS.contains(&name) {
        return None;
    }
    if matches!(of, "string" | "String") {
        return Some(Form::Text);
    }
    let shape = Shape::plain(of.to_owned(), false);
    (number(&shape).is_some() || VALUES.contains(&of)).then_some(Form::Typed(shape))
}
