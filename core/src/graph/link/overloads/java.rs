//! Overloads of Java: the forms of arguments and the relations of types, as they are written.
//!
//! Subtypes are those whose bases the repository shows, and those of the standard library that
//! follow from names: an `ArrayList` is a `List`. An overload that cannot accept an argument is out.

use super::{Form, Rules, TypeArguments, without_strings};
use crate::graph::link::signature::Shape;
use crate::graph::link::value::{Place, VALUES_MAX, Value};
use crate::graph::link::walk::Walk;
use crate::lang::split;
use crate::lang::symbols::SymbolKind;

/// The rules of Java.
pub(in crate::graph::link) static JAVA: Rules = Rules {
    literal,
    created,
    declared,
    parameter,
    fit,
    is_strict: true,
    type_parameters: |head, _| type_parameters(head),
    labels: None,
    type_arguments: TypeArguments::Ignored,
};

/// The most types that are searched for a base.
const TYPES_MAX: usize = 24;

/// The numbers of bytes up to which one primitive type widens to another one, in order.
const NUMBERS: &[&str] = &["byte", "short", "int", "long", "float", "double"];

/// Types of the standard library with bases that their names do not show.
const BASES: &[(&str, &[&str])] = &[
    ("String", &["CharSequence", "Comparable", "Constable", "ConstantDesc", "Serializable"]),
    ("StringBuilder", &["Appendable", "CharSequence", "Comparable", "Serializable"]),
    ("StringBuffer", &["Appendable", "CharSequence", "Comparable", "Serializable"]),
    ("CharBuffer", &["CharSequence", "Appendable", "Readable"]),
    ("PrintStream", &["OutputStream", "Appendable"]),
    ("List", &["Collection", "Iterable"]),
    ("Set", &["Collection", "Iterable"]),
    ("Queue", &["Collection", "Iterable"]),
    ("Deque", &["Queue", "Collection", "Iterable"]),
    ("Collection", &["Iterable"]),
    ("Path", &["Comparable", "Iterable"]),
    ("Writer", &["Appendable"]),
    ("Reader", &["Readable"]),
    ("Integer", &["Number", "Comparable"]),
    ("Long", &["Number", "Comparable"]),
    ("Double", &["Number", "Comparable"]),
    ("LocalDate", &["ChronoLocalDate", "Temporal", "TemporalAccessor"]),
    ("LocalDateTime", &["ChronoLocalDateTime", "Temporal", "TemporalAccessor"]),
    ("ZonedDateTime", &["ChronoZonedDateTime", "Temporal", "TemporalAccessor"]),
    ("OffsetDateTime", &["Temporal", "TemporalAccessor"]),
    ("Instant", &["Temporal", "TemporalAccessor"]),
];

/// Types of the standard library without derived types.
const FINAL: &[&str] =
    &["Class", "Pattern", "String", "StringBuffer", "StringBuilder", "URI", "URL"];

/// The ends of names of types that a lambda can implement.
const FUNCTIONAL: &[&str] = &[
    "Action",
    "Callable",
    "Callback",
    "Comparator",
    "Consumer",
    "Executable",
    "Filter",
    "Function",
    "Handler",
    "Listener",
    "Operator",
    "Predicate",
    "Runnable",
    "Supplier",
    "Visitor",
];

/// Types that no lambda implements.
const NOT_FUNCTIONAL: &[&str] = &[
    "Charset",
    "CharSequence",
    "Class",
    "Collection",
    "File",
    "InputStream",
    "List",
    "Locale",
    "Map",
    "OutputStream",
    "Path",
    "Pattern",
    "Reader",
    "Set",
    "String",
    "Writer",
];

/// Returns the type parameters before the result of a method, and not the arguments of its type: `<T>` of
/// `static <T> List<T>`.
fn type_parameters(head: &str) -> &str {
    let is_list = |at: &usize| !head[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let start = head.match_indices('<').map(|(at, _)| at).find(is_list);
    let list = start.map_or("", |at| &head[at..]);
    let mut level = 0_usize;
    let end = list.bytes().position(|byte| {
        match byte {
            b'<' => level += 1,
            b'>' => level = level.saturating_sub(1),
            _ => {}
        }
        level == 0
    });
    end.map_or(list, |end| &list[..=end])
}

/// Returns the form of a literal, and that of an expression with a literal that determines it.
fn literal(argument: &str) -> Form {
    let plain = without_strings(argument);
    let is_closed = plain.matches('"').count() == 2 && plain.ends_with('"');
    let first = argument.trim_start_matches('-').chars().next();
    match (argument, first) {
        ("true" | "false", _) => Form::Boolean,
        ("null", _) => Form::Null,
        (_, Some('"')) if is_closed => Form::Text,
        (_, Some('\'')) if plain.len() <= 12 && plain.ends_with('\'') && !plain.contains(' ') => {
            Form::Character
        }
        (_, Some('\'')) if argument.len() <= 8 && argument.ends_with('\'') => Form::Character,
        _ if is_lambda(&plain) => Form::Lambda,
        _ if is_joined_text(&plain) => Form::Text,
        (_, Some('!')) => Form::Boolean,
        (_, Some('0'..='9')) if plain.chars().all(|c| c.is_alphanumeric() || "-._".contains(c)) => {
            number(argument)
        }
        _ => Form::Unknown,
    }
}

fn number(text: &str) -> Form {
    let is_hexadecimal = text.contains("0x") || text.contains("0X");
    match text.chars().last() {
        Some('L' | 'l') => typed("long"),
        Some('f' | 'F') if !is_hexadecimal => typed("float"),
        _ if !is_hexadecimal && text.contains(['.', 'e', 'd']) => Form::Float,
        _ => Form::Integer,
    }
}

/// Returns true for `x -> …`, `() -> …` and `A::b`.
fn is_lambda(plain: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || "_.<>[], ()".contains(c);
    let before = plain.find("->").map(|at| &plain[..at]);
    let is_arrow = before.is_some_and(|before| {
        before.starts_with('(') && before.trim_end().ends_with(')')
            || !before.is_empty() && before.trim_end().chars().all(|c| is_word(c) && c != '(')
    });
    let is_reference =
        plain.rsplit_once("::").is_some_and(|(_, name)| name.chars().all(char::is_alphanumeric));
    is_arrow || is_reference
}

/// Returns true for a sum with a string in it: `"a" + b`.
fn is_joined_text(plain: &str) -> bool {
    let parts = split(plain, b'+');
    parts.len() > 1 && parts.iter().any(|part| part.trim().starts_with('"'))
}

/// Returns the type that an expression creates or converts to: `new Type(…)`, `new Type[n]`,
/// `(Type) value`; and that of calls of the standard library whose names determine it.
fn created(argument: &str) -> Form {
    if let Some(of) = argument.strip_prefix("new ") {
        let end = of.find(['(', '[', '{', '<']).unwrap_or(of.len());
        let is_array = of[end..].starts_with('[');
        let base = of[..end].rsplit('.').next().unwrap_or_default().trim();
        // Members of the new value may follow.
        let is_last = of.ends_with([')', ']', '}']) && !of.contains(").");
        return if is_last { Form::Typed(shape(base, is_array)) } else { Form::Unknown };
    }
    if let Some((of, after)) = argument.strip_prefix('(').and_then(|it| it.split_once(')')) {
        let is_type = |c: char| c.is_alphanumeric() || "_.<>[]?, ".contains(c);
        let is_cast = !after.trim().is_empty()
            && after.trim_start().starts_with(|c: char| c.is_alphanumeric() || "(\"_".contains(c))
            && of.chars().all(is_type);
        return match parameter(&format!("{of} x")).filter(|_| is_cast) {
            Some(shape) => Form::Typed(shape),
            None => Form::Unknown,
        };
    }
    let plain = without_strings(argument);
    let name = plain.rsplit('.').next().unwrap_or(&plain);
    let called = name.split('(').next().unwrap_or(name);
    let is_call = name.ends_with(')');
    if argument.starts_with('"') && !plain.contains('.') {
        return Form::Unknown;
    }
    match (called, is_call) {
        ("class", false) | ("getClass", true) => typed("Class"),
        ("entrySet" | "keySet", true) => typed("Set"),
        ("lineSeparator", true) if plain.starts_with("System.") => typed("String"),
        ("length", _) | ("size" | "hashCode" | "ordinal", true) => Form::Integer,
        ("toString" | "getName" | "getAbsolutePath" | "getMessage", true) => typed("String"),
        ("substring" | "trim" | "toLowerCase" | "toUpperCase" | "valueOf" | "format", true)
            if plain.starts_with("String.") || called == "substring" || called == "trim" =>
        {
            typed("String")
        }
        ("getBytes" | "toByteArray", true) => Form::Typed(shape("byte", true)),
        ("toCharArray", true) => Form::Typed(shape("char", true)),
        ("toPath", true) => typed("Path"),
        ("toFile", true) => typed("File"),
        ("asList", true) => typed("List"),
        ("get", true) if plain.starts_with("Paths.") => typed("Path"),
        ("of", true) => path_before(&plain).map_or(Form::Unknown, typed),
        ("defaultCharset" | "forName", true) if plain.starts_with("Charset.") => typed("Charset"),
        ("systemDefault", true) => path_before(&plain).map_or(Form::Unknown, typed),
        _ if plain.starts_with("StandardCharsets.") => typed("Charset"),
        _ => Form::Unknown,
    }
}

/// Returns the type whose static method a call runs: `Path.of(…)`.
fn path_before(plain: &str) -> Option<&str> {
    let (before, _) = plain.split_once('.')?;
    let is_name = before.chars().all(char::is_alphanumeric) && !plain.contains(").");
    (is_name && before.starts_with(char::is_uppercase)).then_some(before)
}

fn typed(base: &str) -> Form {
    Form::Typed(shape(base, false))
}

fn shape(base: &str, is_array: bool) -> Shape {
    Shape::plain(base.to_owned(), is_array)
}

/// Returns the type of the last declaration of `name` in a text.
fn declared(text: &str, name: &str) -> Option<Shape> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in text.rmatch_indices(name).take(64) {
        let (before, rest) = (&text[..at], &text[at + name.len()..]);
        let after = rest.trim_start();
        let is_part = before.ends_with(is_word) || rest.starts_with(is_word);
        let is_declared = after.is_empty()
            || after.starts_with(['=', ';', ',', ')', ':', '&', '['])
                && !after.starts_with("==")
                && !after.starts_with("::");
        if is_part || !is_declared {
            continue;
        }
        let Some(found) = type_before(before) else { continue };
        if found.base == "var" {
            let value = after.strip_prefix('=').and_then(|value| value.split(';').next());
            return match created(value.map(str::trim).unwrap_or_default()) {
                Form::Typed(shape) => Some(shape),
                _ => None,
            };
        }
        let is_array = found.is_pointer || after.starts_with('[');
        return Some(Shape { is_pointer: is_array, ..found });
    }
    None
}

/// Returns the type at the end of a text, before the name that it declares.
fn type_before(text: &str) -> Option<Shape> {
    if !text.ends_with(|c: char| c.is_whitespace() || c == ']' || c == '>') {
        return None;
    }
    let text = text.trim_end();
    let (text, is_variadic) = match text.strip_suffix("...") {
        Some(text) => (text.trim_end(), true),
        None => (text, false),
    };
    let mut of = text;
    while let Some(inner) = of.strip_suffix(']') {
        of = inner.trim_end().strip_suffix('[')?.trim_end();
    }
    let is_array = is_variadic || of.len() < text.len();
    if of.ends_with('>') {
        of = of[..opening(of)?].trim_end();
    }
    let start = of.trim_end_matches(|c: char| c.is_alphanumeric() || "_.$".contains(c)).len();
    let base = of[start..].rsplit('.').next()?;
    let statements = [
        "assert",
        "case",
        "else",
        "extends",
        "final",
        "implements",
        "import",
        "instanceof",
        "new",
        "package",
        "return",
        "throw",
        "throws",
        "static",
        "yield",
    ];
    let is_type = base.starts_with(|c: char| c.is_alphabetic()) && !statements.contains(&base);
    let named = Shape { is_variadic, ..shape(base, is_array) };
    is_type.then_some(named)
}

/// Returns where the angle bracket that the text ends with is opened.
fn opening(text: &str) -> Option<usize> {
    let mut level = 0_usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b'>' => level += 1,
            b'<' => level = level.checked_sub(1)?,
            b';' | b'{' | b'}' | b'=' => return None,
            _ => {}
        }
        if level == 0 {
            return Some(at);
        }
    }
    None
}

/// Returns the type of a parameter; `None` for one that is named like a type parameter.
fn parameter(written: &str) -> Option<Shape> {
    let name = written.trim_end().rsplit(|c: char| c.is_whitespace() || c == ']').next()?;
    let before = &written.trim_end()[..written.trim_end().len() - name.len()];
    let found = type_before(before)?;
    let is_parameter = found.base.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        && found.base.len() <= 2;
    (!is_parameter).then_some(found)
}

/// Returns how well a parameter fits an argument: 0 not at all, 8 exactly.
fn fit(walk: &Walk<'_>, place: Place, form: &Form, of: Option<&Shape>) -> u32 {
    let Some(of) = of else {
        return if *form == Form::Unknown { 4 } else { 3 };
    };
    let element =
        of.is_variadic.then(|| Shape { is_variadic: false, is_pointer: false, ..of.clone() });
    let whole = fit_plain(walk, place, form, of);
    // An overload with a fixed number of parameters takes precedence.
    let part = element.map_or(0, |of| fit_plain(walk, place, form, &of).saturating_sub(1));
    whole.max(part)
}

fn fit_plain(walk: &Walk<'_>, place: Place, form: &Form, of: &Shape) -> u32 {
    let name = of.base.as_str();
    let is_primitive = !of.is_pointer && is_primitive(name);
    let is_top = !of.is_pointer && name == "Object";
    let is_object = |name: &str| !of.is_pointer && of.base == name;
    match form {
        Form::Unknown | Form::Address | Form::Dynamic => 4,
        Form::Null if is_primitive => 0,
        Form::Null if is_top => 3,
        Form::Null => 5,
        Form::Lambda | Form::Braces => match () {
            () if is_primitive || is_top || of.is_pointer => 0,
            () if FUNCTIONAL.iter().any(|end| name.ends_with(end)) => 8,
            () if NOT_FUNCTIONAL.contains(&name) => 0,
            () => 4,
        },
        Form::Text => fit_typed(walk, place, &shape("String", false), of),
        Form::Character if is_object("char") => 8,
        Form::Character if is_object("Character") => 3,
        Form::Boolean if is_object("boolean") => 8,
        Form::Boolean if is_object("Boolean") => 3,
        Form::Integer if is_object("int") => 8,
        Form::Integer if is_object("Integer") => 3,
        Form::Float if is_object("double") => 8,
        Form::Float if is_object("Double") => 3,
        Form::Character => fit_typed(walk, place, &shape("char", false), of),
        Form::Boolean => fit_typed(walk, place, &shape("boolean", false), of),
        Form::Integer => fit_typed(walk, place, &shape("int", false), of),
        Form::Float => fit_typed(walk, place, &shape("double", false), of),
        Form::Typed(given) => fit_typed(walk, place, given, of),
    }
}

/// Returns how well a parameter fits an argument of a written type.
fn fit_typed(walk: &Walk<'_>, place: Place, given: &Shape, of: &Shape) -> u32 {
    if given.base == of.base && given.is_pointer == of.is_pointer {
        return 8;
    }
    if of.base == "Object" && (!of.is_pointer || given.is_pointer) {
        return 2;
    }
    if given.is_pointer != of.is_pointer {
        return 0;
    }
    match (is_primitive(&given.base), is_primitive(&of.base)) {
        (true, true) => widening(&given.base, &of.base),
        (true, false) => u32::from(is_box(&given.base, &of.base)) * 3,
        // A parameter `Object` needs no conversion, and takes precedence.
        (false, true) => u32::from(is_box(&of.base, &given.base)),
        (false, false) if given.base.len() <= 2 => 3,
        (false, false) => subtype(walk, place, &given.base, &of.base),
    }
}

/// Returns how well a primitive type fits a smaller one: nearer ones better.
fn widening(from: &str, to: &str) -> u32 {
    let at = |name: &str| NUMBERS.iter().position(|of| *of == name);
    let first = if from == "char" { Some(1) } else { at(from) };
    match (first, at(to)) {
        (Some(from), Some(to)) if from < to => 8 - (to - from) as u32,
        _ => 0,
    }
}

/// Returns the name of the primitive type of a class such as `Long`.
fn unboxed(name: &str) -> String {
    match name {
        "Integer" => "int".to_owned(),
        "Character" => "char".to_owned(),
        _ => name.to_lowercase(),
    }
}

fn is_primitive(name: &str) -> bool {
    NUMBERS.contains(&name) || matches!(name, "char" | "boolean")
}

/// Returns true for the class of the values of a primitive type, and for its bases.
fn is_box(primitive: &str, name: &str) -> bool {
    match primitive {
        "int" => matches!(name, "Integer" | "Number" | "Comparable"),
        "char" => matches!(name, "Character" | "Comparable"),
        "boolean" => name == "Boolean",
        _ => name.to_lowercase() == primitive || name == "Number",
    }
}

/// The types of the library that an enumeration is one of.
const ENUM_BASES: [&str; 4] = ["Comparable", "Constable", "Enum", "Serializable"];

/// Returns how well a value of the type `given` fits a parameter of the type `wanted`: 7 for a base
/// of it, 2 if that is not known, 0 if it is none.
fn subtype(walk: &Walk<'_>, place: Place, given: &str, wanted: &str) -> u32 {
    let (mut names, mut types) = (vec![given.to_owned()], Vec::new());
    let instances = |name: &str| walk.name(place, name, 1);
    let of = |value: &Value| match value {
        Value::Name(at) | Value::Instance(at, _) => Some(*at),
        _ => None,
    };
    types.extend(instances(given).iter().filter_map(|it| of(&it.value)).take(VALUES_MAX));
    let (is_ours, mut of_library) = (!types.is_empty(), 0);
    let mut at = 0;
    while let Some(&next) = types.get(at).filter(|_| at < TYPES_MAX) {
        at += 1;
        let Some((facts, symbol)) = walk.symbol(next) else { continue };
        // Bases that no declaration shows.
        if facts.symbols[symbol].kind == SymbolKind::Enum {
            names.extend(ENUM_BASES.map(str::to_owned));
            of_library += ENUM_BASES.len();
        } else if walk.signature(next).contains("@interface") {
            names.push("Annotation".to_owned());
        }
        for base in &facts.symbols[symbol].bases {
            names.push(base.named_type().name().to_owned());
        }
        for base in walk.bases(next, 1) {
            types.extend(of(&base.value).filter(|base| !types.contains(base)));
        }
    }
    let distance = names.iter().position(|name| is_base(name, wanted));
    match distance {
        Some(distance) => 7 - u32::from(distance > 1),
        None if is_ours && names.len() <= types.len() + of_library || FINAL.contains(&wanted) => 0,
        // A type of the repository is no base of one from outside.
        None if !is_ours && instances(wanted).iter().any(|it| of(&it.value).is_some()) => 0,
        None if is_primitive(&unboxed(given)) && walk.defines_type(wanted) => 0,
        // All bases of a final type of the library are known.
        None if FINAL.contains(&given) && BASES.iter().any(|(of, _)| *of == given) => 0,
        None => 2,
    }
}

/// Returns true if the name of a type shows that `wanted` is a base of it.
fn is_base(name: &str, wanted: &str) -> bool {
    let known = BASES.iter().filter(|(of, _)| name == *of || name.ends_with(of) && name.len() > 4);
    name == wanted
        || name.len() > wanted.len() && name.ends_with(wanted) && wanted.len() > 2
        || known.into_iter().any(|(_, bases)| bases.contains(&wanted))
}
