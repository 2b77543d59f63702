//! Overloads of C#, Kotlin and Swift, where an argument can name its parameter.
//!
//! The names of arguments, the forms of literals and lambdas, and the relations of types are
//! compared as they are written. Subtypes are those whose bases the repository shows.

mod conversions;
mod creations;
mod excluded;
mod lambdas;
mod library;
pub(super) mod operators;
mod variables;

use super::{Form, Rules, TypeArguments};
use crate::graph::link::code::FileFacts;
use crate::graph::link::dialect::TypeSyntax;
use crate::graph::link::kinds::is_type;
use crate::graph::link::signature::{CALLED, Shape, TASK, VALUE, VOID};
use crate::graph::link::type_syntax::{WITH_RESULT, without_prefixes};
use crate::graph::link::value::{Place, VALUES_MAX, Value};
use crate::graph::link::walk::Walk;
use crate::lang::chain::TypeText;
use crate::lang::split;
use crate::lang::symbols::SymbolKind;
use conversions::{constant, fit_csharp};
use excluded::excludes;
use lambdas::{block, csharp_lambda};
use library::is_container;
pub(in crate::graph::link) use library::{bases_of_library, made_by_library};
pub(super) use library::{function_of_library, member_of_library};
pub(super) use variables::initializer;
use variables::{declared_after, declared_before};

/// The rules of C#.
pub(in crate::graph::link) static CSHARP: Rules = Rules {
    literal: |text| literal(TypeSyntax::Delegate, text),
    created: created_by_word,
    declared: declared_before,
    parameter: |text| parameter(TypeSyntax::Delegate, text),
    fit: fit_csharp,
    is_strict: true,
    type_parameters: after_name,
    labels: Some(Labels {
        mark: ':',
        are_required: false,
        name: last_word,
        type_of: |text| TypeSyntax::Delegate.of_parameter(text).unwrap_or_default(),
    }),
    type_arguments: TypeArguments::StatedOrOfArguments,
};

/// The rules of Kotlin.
pub(in crate::graph::link) static KOTLIN: Rules = Rules {
    literal: |text| literal(TypeSyntax::Arrow, text),
    created,
    declared: declared_after,
    parameter: |text| parameter(TypeSyntax::Arrow, text),
    fit,
    is_strict: true,
    type_parameters: before_name,
    labels: Some(Labels {
        mark: '=',
        are_required: false,
        name: name_before_colon,
        type_of: after_colon,
    }),
    type_arguments: TypeArguments::Stated,
};

/// The rules of Swift.
pub(in crate::graph::link) static SWIFT: Rules = Rules {
    type_parameters: after_name,
    labels: Some(Labels { mark: ':', are_required: true, name: first_word, type_of: after_colon }),
    type_arguments: TypeArguments::Ignored,
    ..KOTLIN
};

/// How arguments name their parameters.
#[derive(Clone, Copy)]
pub(in crate::graph::link) struct Labels {
    /// The mark between the name and the value of an argument.
    pub(super) mark: char,
    /// An argument must have the name of its parameter, unless that is `_`.
    pub(super) are_required: bool,
    /// Returns the name of a parameter.
    pub(super) name: fn(&str) -> &str,
    /// Returns the type of a parameter as it is written.
    pub(super) type_of: fn(&str) -> &str,
}

/// How well a type fits that nothing shows to be another one.
const OTHER: u32 = 1;

/// The most that a type fits to which nothing shows that the argument converts.
const CONVERTED: u32 = 4;

/// The label of a lambda after the parentheses.
pub(super) const TRAILING: &str = "{";

/// The start of the base of a function type; the number of its parameters follows.
const FUNCTION: &str = "->";

/// The base of a type without a name.
const ANONYMOUS: &str = "{}";

/// The most types that are searched for a base.
const TYPES_MAX: usize = 24;

/// Types of numbers of Swift that convert to each other.
const LENGTHS: &[&str] = &["CGFloat", "Double", "TimeInterval"];

/// Types of which every value is one.
const TOP: &[&str] = &["Any", "AnyObject", "Object", "dynamic", "object"];

/// Types of texts.
const TEXTS: &[&str] = &["String", "string"];

/// Types that texts convert to.
const TEXT_BASES: &[&str] = &[
    "CharSequence",
    "Comparable",
    "FormattableString",
    "IComparable",
    "IConvertible",
    "IEnumerable",
    "LocalizedStringKey",
    "ReadOnlyMemory",
    "ReadOnlySpan",
    "StaticString",
    "StringProtocol",
    "Substring",
];

/// Types of whole numbers that the library defines.
const INTEGERS: &[&str] = &[
    "Byte", "Int", "Int16", "Int32", "Int64", "Int8", "Long", "Short", "UByte", "UInt", "UInt16",
    "UInt32", "UInt64", "UInt8", "ULong", "UShort", "byte", "int", "long", "sbyte", "short",
    "uint", "ulong", "ushort",
];

/// Types of other numbers.
const FLOATS: &[&str] =
    &["CGFloat", "Decimal", "Double", "Float", "TimeInterval", "decimal", "double", "float"];

/// Other types of C#'s library whose values cannot be `null`.
const VALUES: &[&str] = &[
    "CancellationToken",
    "DateOnly",
    "DateTime",
    "DateTimeOffset",
    "Guid",
    "KeyValuePair",
    "Memory",
    "ReadOnlyMemory",
    "ReadOnlySpan",
    "Span",
    "TimeOnly",
    "TimeSpan",
];

/// Returns the name and the value of an argument.
fn labelled(labels: Option<Labels>, argument: &str) -> (Option<&str>, usize) {
    let Some(Labels { mark, .. }) = labels else { return (None, 0) };
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '`';
    let end = argument.find(|c| !is_word(c)).unwrap_or(argument.len());
    let (name, after) = argument.split_at(end);
    let value = after.trim_start().strip_prefix(mark);
    let is_value = |value: &&str| !value.starts_with(['=', ':']);
    match value.filter(is_value).filter(|_| name.starts_with(|c: char| !c.is_numeric())) {
        Some(value) if !name.is_empty() => (Some(name), argument.len() - value.trim_start().len()),
        _ => (None, 0),
    }
}

/// Returns the parameter of each argument; `None` if the names do not allow the call.
pub(super) fn assigned(
    labels: Labels,
    given: &[Option<String>],
    names: &[String],
    types: &[Option<Shape>],
) -> Option<Vec<usize>> {
    let is_variadic =
        |at: usize| types.get(at).and_then(Option::as_ref).is_some_and(|of| of.is_variadic);
    let is_callback = |at: &usize| {
        let of = types.get(*at).and_then(Option::as_ref);
        of.is_none_or(|of| of.base.starts_with(FUNCTION))
    };
    let mut next = 0;
    let mut places = Vec::with_capacity(given.len());
    for label in given {
        let place = match label.as_deref() {
            Some(TRAILING) if labels.are_required => {
                (next..names.len()).find(is_callback).or(names.len().checked_sub(1))?
            }
            Some(TRAILING) => names.len().checked_sub(1)?,
            Some(label) => {
                let from = if labels.are_required { next } else { 0 };
                from + names.get(from..)?.iter().position(|name| name == label)?
            }
            None if labels.are_required => {
                let is_repeated = next > 0 && is_variadic(next - 1);
                match names.get(next..)?.iter().position(|name| name == "_") {
                    _ if is_repeated => next - 1,
                    Some(at) => next + at,
                    None => return None,
                }
            }
            None if next > 0 && is_variadic(next - 1) => next - 1,
            None => next,
        };
        places.push(place);
        next = next.max(place + 1);
    }
    Some(places)
}

fn after_colon(parameter: &str) -> &str {
    TypeSyntax::Arrow.of_parameter(parameter).unwrap_or_default()
}

fn last_word(parameter: &str) -> &str {
    let plain = split(parameter, b'=')[0].trim();
    plain.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or(plain)
}

fn name_before_colon(parameter: &str) -> &str {
    let before = parameter.split_once(':').map_or(parameter, |(before, _)| before).trim();
    before.rsplit(char::is_whitespace).next().unwrap_or(before).trim_matches('`')
}

fn first_word(parameter: &str) -> &str {
    let before = parameter.split_once(':').map_or(parameter, |(before, _)| before).trim();
    let words = before.split_whitespace().find(|word| !word.starts_with('@'));
    words.unwrap_or(before).trim_matches('`')
}

/// Returns the type parameters between `fun` and the name: `fun <A> B<C>.name`.
fn before_name<'s>(head: &'s str, _after: &'s str) -> &'s str {
    let list = head.rsplit_once("fun ").map_or("", |(_, list)| list.trim_start());
    angles(list)
}

/// Returns the type parameters after the name: `name<A>(`.
fn after_name<'s>(_head: &'s str, after: &'s str) -> &'s str {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    angles(after.trim_start_matches(is_word).trim_start())
}

/// Returns the text in the angle brackets that `text` begins with.
fn angles(text: &str) -> &str {
    let mut level = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' => level += 1,
            b'>' => level = level.saturating_sub(1),
            _ => {}
        }
        if level == 0 {
            return text.get(1..at).unwrap_or_default();
        }
    }
    ""
}

/// Returns the number of arguments in the angle brackets that `text` begins with.
fn angle_arguments(text: &str) -> usize {
    let inner = angles(text);
    if inner.is_empty() { 0 } else { split(inner, b',').len() }
}

/// Returns true for a path of names: `a.b`.
pub(super) fn is_path(text: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    text.contains('.') && text.split('.').all(is_name)
}

/// Returns the type of a variable, of a function's result, of an enumeration's member, or of a new
/// instance, as far as the facts contain it.
pub(super) fn shape_of_symbol(facts: &FileFacts, place: usize) -> Option<Shape> {
    let symbol = facts.symbols.get(place)?;
    match symbol.kind {
        SymbolKind::EnumMember | SymbolKind::Constructor => {
            Some(plain(&facts.symbols.get(symbol.parent?)?.name))
        }
        kind if is_type(kind) && kind != SymbolKind::Type => Some(plain(&symbol.name)),
        _ => {
            let of = symbol.type_chain.as_ref()?.written_type()?;
            if of.parameter().is_some() {
                return None;
            }
            match of.argument(0).filter(|_| of.path() == "slice") {
                Some(element) => {
                    let of = shape(TypeSyntax::Arrow, element.text().trim_end_matches('>'))?;
                    Some(Shape { is_pointer: true, ..of })
                }
                None => shape(TypeSyntax::Arrow, of.text()),
            }
        }
    }
}

/// Returns the type of a parameter; `None` for a type that is a type parameter by its form.
fn parameter(syntax: TypeSyntax, parameter: &str) -> Option<Shape> {
    let is_word = |word: &str| parameter.split_whitespace().any(|part| part == word);
    let mut of = shape(syntax, syntax.of_parameter(parameter)?)?;
    of.is_variadic = is_word("vararg") || is_word("params") || parameter.contains("...");
    if is_word("params") {
        of.is_pointer = false;
    }
    Some(of)
}

/// Returns the shape of a written type.
fn shape(syntax: TypeSyntax, written: &str) -> Option<Shape> {
    let written = without_prefixes(written);
    let is_nullable = written.ends_with('?') || written.ends_with('!');
    if let Some(parameters) = syntax.of_function(written) {
        // Delegates with and without a result are different types.
        let arguments = match syntax {
            TypeSyntax::Delegate => result_of_delegate(written),
            _ => 0,
        };
        return Some(Shape { arguments, is_nullable, ..function(parameters.len()) });
    }
    let written = written.trim_end_matches(['?', '!']).trim_end_matches("...");
    if let Some(inner) = written.strip_prefix('[').filter(|_| syntax == TypeSyntax::Arrow) {
        let base = if split(inner, b':').len() > 1 { "Dictionary" } else { "Array" };
        return Some(Shape { is_nullable, ..plain(base) });
    }
    let end = written.find(['<', '[', '(', ' ']).unwrap_or(written.len());
    let base = written[..end].rsplit(['.', ':']).next().unwrap_or_default();
    let is_parameter =
        base.len() == 1 || base.starts_with('T') && base[1..].starts_with(char::is_uppercase);
    let is_pointer = written.ends_with(']') && syntax == TypeSyntax::Delegate;
    let arguments = match syntax {
        TypeSyntax::Delegate => {
            TypeText::of(written.trim_end_matches(['[', ']'])).arguments().len()
        }
        _ => 0,
    };
    let of = || Shape { is_pointer, is_nullable, arguments, ..plain(base) };
    (!base.is_empty() && !is_parameter).then(of)
}

/// Returns what a delegate of C# returns.
fn result_of_delegate(written: &str) -> usize {
    if !WITH_RESULT.iter().any(|of| written.starts_with(of)) {
        return if written.starts_with("Predicate") { VALUE } else { VOID };
    }
    let result = TypeText::of(written).arguments().pop();
    let is_task = |of: &str| of.starts_with("Task") || of.starts_with("ValueTask");
    if result.is_some_and(|of| is_task(of.text())) { TASK } else { VALUE }
}

/// Returns the type of a function with so many parameters.
pub(super) fn function(parameters: usize) -> Shape {
    plain(&format!("{FUNCTION}{parameters}"))
}

/// Returns true for the type of a function.
pub(super) fn is_function(of: &Shape) -> bool {
    of.base.starts_with(FUNCTION)
}

/// Returns true for the type of a lambda of C# whose result is not known.
pub(super) fn is_open_lambda(rules: &Rules, of: &Shape) -> bool {
    let is_csharp = rules.type_arguments == TypeArguments::StatedOrOfArguments;
    is_csharp && is_function(of) && of.arguments == 0
}

/// Returns true for a type of which every value is one.
pub(super) fn is_top(of: &Shape) -> bool {
    TOP.contains(&of.base.as_str()) && !of.is_pointer
}

fn plain(base: &str) -> Shape {
    Shape::plain(base.to_owned(), false)
}

/// Returns the form of a literal or a lambda.
fn literal(syntax: TypeSyntax, argument: &str) -> Form {
    let is_csharp = syntax == TypeSyntax::Delegate;
    let unquoted = super::without_strings(argument);
    let first = argument.trim_start_matches('-').chars().next();
    let is_joined = || split(&unquoted, b'+').iter().any(|part| part.trim().starts_with('"'));
    match (argument, first) {
        ("true" | "false", _) => return Form::Boolean,
        ("null" | "nil", _) => return Form::Null,
        (_, Some('"')) if unquoted.ends_with('"') => return Form::Text,
        (_, Some('$' | '@')) if is_csharp && unquoted.ends_with('"') => return Form::Text,
        (_, Some('\'')) if unquoted.ends_with('\'') => return Form::Character,
        (_, Some('0'..='9')) => return number(argument),
        (_, Some('!')) => return Form::Boolean,
        _ => {}
    }
    if is_csharp {
        let lambda = || csharp_lambda(&unquoted);
        return constant(argument).or_else(lambda).unwrap_or(Form::Unknown);
    }
    match first {
        Some('{') => block(argument),
        Some('[') => Form::Typed(plain("Array")),
        _ if argument.ends_with("::class") => Form::Typed(plain("KClass")),
        _ if argument.ends_with("::class.java") => Form::Typed(plain("Class")),
        _ if argument.contains("::") => Form::Lambda,
        _ if is_joined() => Form::Text,
        _ => Form::Unknown,
    }
}

fn number(text: &str) -> Form {
    let is_plain = text.chars().all(|c| c.is_alphanumeric() || "-._".contains(c));
    let is_member =
        text.split_once('.').is_some_and(|(_, after)| !after.starts_with(|c: char| c.is_numeric()));
    if !is_plain || is_member {
        return Form::Unknown;
    }
    let is_hexadecimal = text.contains("0x");
    match text.chars().last() {
        Some('L' | 'l') => Form::Typed(plain("Long")),
        Some('f' | 'F') if !is_hexadecimal => Form::Typed(plain("Float")),
        Some('m' | 'M') => Form::Typed(plain("decimal")),
        _ if !is_hexadecimal && text.contains(['.', 'd', 'e']) => Form::Float,
        _ => Form::Integer,
    }
}

/// Returns the type of the result of a function of the library whose name determines it: `toLong()`,
/// `byteArrayOf(…)`, Kotlin's `all.iterator()`.
fn of_library(argument: &str) -> Option<Shape> {
    let open = super::last_open(argument)?;
    let before = &argument[..open];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let path = before.trim_end_matches(is_word);
    let name = &before[path.len()..];
    if path.is_empty() {
        let made = name.strip_suffix("Of").filter(|of| is_container(&capitalized(of)));
        return made.map(|of| plain(&capitalized(of)));
    }
    if matches!(name, "asIterable" | "asSequence" | "iterator") && path.ends_with('.') {
        return made_by_library(name).map(plain);
    }
    let of = name.strip_prefix("to").or_else(|| name.strip_prefix("To"))?;
    let is_known = |names: &[&str]| names.contains(&of);
    let is_type = is_known(TEXTS) || is_known(INTEGERS) || is_known(FLOATS) || is_container(of);
    (is_type && path.ends_with('.')).then(|| plain(of))
}

fn capitalized(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
}

/// Returns the type of a new or converted value: `new Type(…)`, `Type(…)`, `typeof(…)`,
/// `value as Type`, `value.toLong()`.
fn created(argument: &str) -> Form {
    if let Some(of) = of_library(argument) {
        return Form::Typed(of);
    }
    if argument.starts_with("(dynamic)") {
        return Form::Typed(plain("dynamic"));
    }
    if argument.starts_with("typeof(") {
        return Form::Typed(plain("Type"));
    }
    if let Some((_, of)) = argument.rsplit_once(" as ") {
        return shape(TypeSyntax::Arrow, of.trim_start_matches(['?', '!', ' ']))
            .map_or(Form::Unknown, Form::Typed);
    }
    let of = argument.strip_prefix("new ").unwrap_or(argument);
    let is_new = of.len() < argument.len();
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let end = of.find(|c| !is_path(c)).unwrap_or(of.len());
    let (path, after) = of.split_at(end);
    let after = after.trim_start();
    let base = path.rsplit('.').next().unwrap_or(path);
    let is_call = after.starts_with(['(', '<', '{', '[']) && argument.ends_with([')', '}', ']']);
    let is_whole = match super::last_open(of) {
        Some(open) => open >= end && !of[end..open].contains(')'),
        None => is_new,
    };
    let is_type = is_new || base.starts_with(char::is_uppercase);
    if base.is_empty() || !is_call || !is_whole || !is_type {
        return Form::Unknown;
    }
    let is_pointer = is_new && after.starts_with('[');
    let arguments = if is_new && !is_pointer { angle_arguments(after) } else { 0 };
    Form::Typed(Shape { is_pointer, arguments, ..plain(base) })
}

/// Returns an argument without the word by which it is passed, if a name follows: C#'s `out name`.
pub(super) fn without_passing(argument: &str) -> &str {
    let words = ["out ", "ref ", "in "];
    let name = words.iter().find_map(|word| argument.strip_prefix(word)).unwrap_or(argument);
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_name { name } else { argument }
}

/// Returns the same in C#, where a call of a capitalized name calls a method; also the type of a
/// variable that the argument declares, `out Type name`.
fn created_by_word(argument: &str) -> Form {
    if let Some((of, _)) = argument.strip_prefix("out ").and_then(|of| of.rsplit_once(' ')) {
        let of = shape(TypeSyntax::Delegate, of.trim()).filter(|_| of.trim() != "var");
        return of.map_or(Form::Unknown, Form::Typed);
    }
    let made = argument.strip_prefix("new").map(str::trim_start);
    if made.is_some_and(|made| made.starts_with('{') && made.ends_with('}')) {
        return Form::Typed(plain(ANONYMOUS));
    }
    if let Some(cast) = operators::cast(argument).filter(|_| !argument.starts_with("(dynamic)")) {
        return cast;
    }
    let is_created = argument.starts_with("new ")
        || argument.starts_with("(dynamic)")
        || argument.starts_with("typeof(")
        || argument.contains(" as ")
        || of_library(argument).is_some();
    if is_created { created(argument) } else { Form::Unknown }
}

/// Returns how well a parameter fits an argument: 0 not at all, 8 exactly.
fn fit(walk: &Walk<'_>, place: Place, form: &Form, of: Option<&Shape>) -> u32 {
    let found = fit_written(walk, place, form, of);
    if (1..=CONVERTED).contains(&found) && of.is_some_and(|of| excludes(walk, place, form, of)) {
        return 0;
    }
    let is_open = found == OTHER && matches!(form, Form::Typed(_));
    let target = of.filter(|_| is_open).and_then(|of| unaliased(walk, place, of));
    let of = target.as_ref().or(of);
    let found = if target.is_some() { fit_written(walk, place, form, of) } else { found };
    match form {
        Form::Typed(given) if found == OTHER => {
            let given = unaliased(walk, place, given);
            given.map_or(found, |given| fit_written(walk, place, &Form::Typed(given), of))
        }
        _ => found,
    }
}

/// Returns the type that the name of a type is an alias of.
fn unaliased(walk: &Walk<'_>, place: Place, of: &Shape) -> Option<Shape> {
    if walk.facts(place.file).is_none_or(|facts| facts.dialect.has_usings) {
        return None;
    }
    let Value::Name(named) = walk.name(place, &of.base, 1).first()?.value else { return None };
    let ((facts, at), file) = (walk.symbol(named)?, named.file);
    let is_alias = facts.symbols.get(at)?.kind == SymbolKind::Type;
    let signature = is_alias.then(|| facts.signature(at as u32, || walk.code.text(file)))?;
    shape(TypeSyntax::Arrow, signature.split_once(" = ")?.1)
}

/// Returns the same without the targets of aliases.
fn fit_written(walk: &Walk<'_>, place: Place, form: &Form, of: Option<&Shape>) -> u32 {
    let Some(of) = of else {
        // A type parameter fits everything.
        return if *form == Form::Unknown { 3 } else { 4 };
    };
    let name = of.base.as_str();
    let is_function = name.starts_with(FUNCTION);
    let is_integer = INTEGERS.contains(&name) && !of.is_pointer;
    let is_float = FLOATS.contains(&name) && !of.is_pointer;
    let is_number = is_integer || is_float;
    let is_text = TEXTS.contains(&name) && !of.is_pointer;
    let is_boolean = matches!(name, "Boolean" | "Bool" | "bool") && !of.is_pointer;
    let is_character = matches!(name, "Char" | "Character" | "char") && !of.is_pointer;
    let is_basic = is_number || is_text || is_boolean || is_character;
    let is_container = is_container(name);
    let is_literal = !matches!(form, Form::Typed(_) | Form::Lambda | Form::Null);
    let other = OTHER * u32::from(!(is_basic || is_function || is_container && is_literal));
    match form {
        Form::Unknown | Form::Dynamic => 4,
        // Only types that say so have it as a value.
        Form::Null => 4 * u32::from(of.is_nullable || name == "Optional"),
        Form::Typed(given) if given.base == *name && given.is_pointer == of.is_pointer => {
            // `Func` has a result, `Action` none.
            if is_function && given.arguments * of.arguments > 0 {
                return match (given.arguments, of.arguments) {
                    (given, of) if given == of => 8,
                    (TASK, VALUE) | (VALUE, TASK) => 5,
                    (CALLED, VALUE) => 8,
                    (CALLED, VOID) => 5,
                    (TASK, VOID) => 3,
                    _ => 0,
                };
            }
            // Types of one name differ in the number of their type parameters.
            let is_other = given.arguments != of.arguments && given.arguments * of.arguments > 0;
            if is_other { 5 } else { 8 }
        }
        _ if is_top(of) => 3,
        Form::Text if is_text => 8,
        Form::Text if TEXT_BASES.contains(&name) => 5,
        Form::Character if is_character => 8,
        Form::Boolean if is_boolean => 8,
        Form::Integer if matches!(name, "Int" | "int") && is_integer => 8,
        Form::Integer if is_integer => 6,
        Form::Integer | Form::Float if is_float => {
            if *form == Form::Float {
                8
            } else {
                5
            }
        }
        Form::Lambda if is_function => 8,
        Form::Lambda if !is_basic => 4,
        Form::Typed(given) if given.base.starts_with(FUNCTION) => match () {
            () if is_function || is_basic => 0,
            // A delegate or an interface with one method.
            () => 4,
        },
        Form::Typed(given) => {
            let is_equal =
                |names: &[&str]| names.contains(&given.base.as_str()) && names.contains(&name);
            if is_equal(TEXTS) || is_equal(&["Boolean", "Bool", "bool"]) {
                8
            } else if is_equal(LENGTHS) {
                5
            } else if is_number && is_number_type(&given.base) && !given.is_pointer {
                // Kotlin and Swift convert literals only.
                0
            } else if derives(walk, place, given, name) {
                let is_generic = given.is_pointer || given.arguments > 0;
                if is_generic && of.arguments == 0 { 5 } else { 6 }
            } else {
                other
            }
        }
        _ => other,
    }
}

fn is_number_type(name: &str) -> bool {
    INTEGERS.contains(&name) || FLOATS.contains(&name)
}

/// Returns true if the repository or the library shows that a type derives from another one.
fn derives(walk: &Walk<'_>, place: Place, given: &Shape, name: &str) -> bool {
    let is_array_base =
        matches!(name, "IEnumerable" | "IList" | "ICollection" | "IReadOnlyList" | "Array");
    if bases_of_library(&given.base).any(|base| base == name) || given.is_pointer && is_array_base {
        return true;
    }
    let mut open: Vec<_> = walk.name(place, &given.base, 1).into_iter().take(VALUES_MAX).collect();
    let mut seen = 0;
    while let Some(candidate) = open.pop() {
        let (Value::Name(at) | Value::Instance(at, _)) = candidate.value else { continue };
        let Some((facts, at_place)) = walk.symbol(at) else { continue };
        let symbol = &facts.symbols[at_place];
        if symbol.name == name || symbol.bases.iter().any(|base| base.last_name() == name) {
            return true;
        }
        seen += 1;
        if seen >= TYPES_MAX {
            return false;
        }
        open.extend(walk.bases(at, 1));
    }
    false
}

/// The values of arguments, each with the byte at which it begins, and their names.
pub(super) type Given = (Vec<(usize, String)>, Vec<Option<String>>);

/// Returns the values of the arguments after the byte `from`, each with the byte at which it begins,
/// and their names. Where there are fewer than `count`, a lambda after the parentheses is the last.
pub(super) fn given(rules: &Rules, text: &[u8], from: usize, count: Option<usize>) -> Given {
    let mut listed = arguments_at(rules, text, from, count);
    listed.retain(|(_, argument)| rules.labels.is_none() || !argument.is_empty());
    let mut labels = vec![None; listed.len()];
    if rules.labels.is_none() {
        return (listed, labels);
    }
    for ((at, argument), label) in listed.iter_mut().zip(&mut labels) {
        let (name, start) = labelled(rules.labels, argument);
        *label = name.map(str::to_owned);
        *at += start;
        argument.drain(..start);
    }
    let is_last = count == Some(listed.len() + 1);
    if let Some(block) = is_last.then(|| trailing_block(text, from)).flatten() {
        listed.push(block);
        labels.push(Some(TRAILING.to_owned()));
    }
    (listed, labels)
}

/// Returns the arguments after the byte `from`, or those of the only `new(…)` with `count` arguments whose
/// type is written there.
fn arguments_at(
    rules: &Rules,
    text: &[u8],
    from: usize,
    count: Option<usize>,
) -> Vec<(usize, String)> {
    let after = text.get(from..).unwrap_or_default().trim_ascii_start().first();
    let is_csharp = rules.type_arguments == TypeArguments::StatedOrOfArguments;
    let mut listed = super::arguments(text, from);
    if rules.is_cpp() && after != Some(&b'(') && listed.is_empty() {
        listed = super::cpp::arguments_of_object(text, from);
    }
    if !is_csharp || after == Some(&b'(') || !listed.is_empty() {
        return listed;
    }
    let fitting = |at: usize| {
        let listed = super::arguments(text, at);
        let given = listed.iter().filter(|(_, argument)| !argument.is_empty()).count();
        count.is_none_or(|count| count == given).then_some(listed)
    };
    let mut found = creations::implicit_creations(text, from).into_iter().filter_map(fitting);
    let first = found.next().unwrap_or_default();
    if found.next().is_none() { first } else { Vec::new() }
}

/// Returns the lambda after the arguments of a call whose name ends at the byte `from`, with the byte
/// at which it begins; the text may be cut off.
fn trailing_block(text: &[u8], from: usize) -> Option<(usize, String)> {
    let rest = text.get(from..text.len().min(from + super::CALL_BYTES_MAX))?;
    let whole = String::from_utf8_lossy(rest);
    let mut at = whole.len() - whole.trim_start().len();
    if whole[at..].starts_with('<') {
        at += whole[at..].find('>')? + 1;
    }
    if whole[at..].starts_with('(') {
        at += super::closing(&whole[at..])? + 1;
    }
    let block = whole[at..].trim_start_matches([' ', '\t']);
    let is_block = block.starts_with('{');
    is_block.then(|| (from + whole.len() - block.len(), block.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_parameters_are_read() {
        let function = |count: usize| Form::Typed(plain(&format!("{FUNCTION}{count}")));
        let value = Form::Typed(Shape { arguments: VALUE, ..super::function(2) });
        assert_eq!(literal(TypeSyntax::Delegate, "(a, b) => a"), value);
        let task = Form::Typed(Shape { arguments: TASK, ..super::function(1) });
        assert_eq!(literal(TypeSyntax::Delegate, "async x => await x"), task);
        assert_eq!(literal(TypeSyntax::Delegate, "$\"{a}\""), Form::Text);
        assert_eq!(literal(TypeSyntax::Arrow, "{ a, b -> a }"), function(2));
        assert_eq!(literal(TypeSyntax::Arrow, "A::class"), Form::Typed(plain("KClass")));
        assert_eq!(literal(TypeSyntax::Arrow, "1.dp"), Form::Unknown);
        assert_eq!(created("new A.B<C>(1)"), Form::Typed(Shape { arguments: 1, ..plain("B") }));
        assert_eq!(created("A(1).b()"), Form::Unknown);
        assert_eq!(created("A(1)"), Form::Typed(plain("A")));
        let of = parameter(TypeSyntax::Delegate, "params string[] of").expect("a type");
        assert!(of.is_variadic && of.base == "string");
        let of = parameter(TypeSyntax::Arrow, "block: Scope.(A) -> B").expect("a type");
        assert_eq!(of.base, "->1");
        assert_eq!(parameter(TypeSyntax::Delegate, "TValue of"), None);
    }

    #[test]
    fn names_of_arguments_select_parameters() {
        let names = |of: &[&str]| of.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let given = |of: &[Option<&str>]| {
            of.iter().map(|label| label.map(str::to_owned)).collect::<Vec<_>>()
        };
        let swift = SWIFT.labels.expect("labels");
        let of = |labels, given: &[Option<String>], of: &[&str]| {
            assigned(labels, given, &names(of), &vec![None; of.len()])
        };
        assert_eq!(of(swift, &given(&[None, Some("at")]), &["_", "in", "at"]), Some(vec![0, 2]));
        assert_eq!(of(swift, &given(&[None]), &["of"]), None);
        assert_eq!(of(swift, &given(&[Some("a"), Some(TRAILING)]), &["a", "do"]), Some(vec![0, 1]));
        let kotlin = KOTLIN.labels.expect("labels");
        assert_eq!(of(kotlin, &given(&[None, Some("c")]), &["a", "b", "c"]), Some(vec![0, 2]));
        assert_eq!(of(kotlin, &given(&[Some("d")]), &["a"]), None);
        assert_eq!(labelled(KOTLIN.labels, "a = 1"), (Some("a"), 4));
        assert_eq!(labelled(KOTLIN.labels, "a == 1"), (None, 0));
        assert_eq!(labelled(SWIFT.labels, "a: b"), (Some("a"), 3));
    }
}
