//! Java, Kotlin, Scala, C#, Dart and Swift: packages, and members without a receiver.

use super::arguments::{has_word, many_or_default, many_or_usual};
use super::scala;
use super::{ArgumentRules, Dialect, Extensions, Group, NONE, OverloadRules, TypeSyntax, library};

static JAVA: Dialect = Dialect {
    has_closed_types: true,
    separates_fields: true,
    calls_only_methods: true,
    arguments: Some(ArgumentRules::USUAL),
    overloads: Some(OverloadRules::Java),
    // Only the name of the type.
    constructors: &[],
    root_methods: OBJECT_METHODS,
    ..RULES
};

static KOTLIN: Dialect = Dialect {
    library: library::kotlin,
    aliases_have_members: true,
    extensions: Extensions::Prefix,
    type_syntax: TypeSyntax::Arrow,
    overloads: Some(OverloadRules::Kotlin),
    root_methods: &[("equals", 1), ("hashCode", 0), ("toString", 0)],
    common: KOTLIN_COMMON,
    arguments: Some(ArgumentRules::new(|part| many_or_default(has_word(part, "vararg"), part))),
    ..RULES
};

static SCALA: Dialect = Dialect {
    library: library::scala,
    aliases_have_members: true,
    has_companions: true,
    root_methods: OBJECT_METHODS,
    globals: scala::TYPES,
    standard: scala::METHODS,
    arguments: Some(ArgumentRules::new(|part| many_or_usual(part.ends_with('*'), part))),
    ..RULES
};

static CSHARP: Dialect = Dialect {
    library: library::csharp,
    group: Group::CSharp,
    has_usings: true,
    // `new(…)` as an argument.
    constructor_call: Some("new"),
    has_closed_constants: true,
    reopens_types: true,
    has_partial_types: true,
    extensions: Extensions::Parameter,
    type_syntax: TypeSyntax::Delegate,
    overloads: Some(OverloadRules::CSharp),
    root_methods: &[
        ("Equals", 1),
        ("Equals", 2),
        ("GetHashCode", 0),
        ("GetType", 0),
        ("MemberwiseClone", 0),
        ("ReferenceEquals", 2),
        ("ToString", 0),
    ],
    constructor_words: &["base", "this"],
    globals: CSHARP_KEYWORD_TYPES,
    arguments: Some(ArgumentRules {
        passes_instance: true,
        ..ArgumentRules::new(|part| many_or_usual(has_word(part, "params"), part))
    }),
    ..RULES
};

static DART: Dialect = Dialect {
    // Parameters in brackets are passed by name or omitted, each on its own.
    arguments: Some(ArgumentRules::new(|part| many_or_usual(part.starts_with(['[', '{']), part))),
    ..RULES
};

/// Swift inherits initializers.
pub(super) static SWIFT: Dialect = Dialect {
    library: library::swift,
    group: Group::Swift,
    extensions: Extensions::Block,
    type_syntax: TypeSyntax::Arrow,
    overloads: Some(OverloadRules::Swift),
    has_impl_blocks: true,
    constructor_words: &["Self"],
    inherits_constructors: true,
    arguments: Some(ArgumentRules::USUAL),
    ..RULES
};

/// Types of C# that keywords name.
const CSHARP_KEYWORD_TYPES: &[&str] = &[
    "bool", "byte", "char", "decimal", "double", "float", "int", "long", "nint", "nuint", "object",
    "sbyte", "short", "string", "uint", "ulong", "ushort",
];

/// Names of members and extensions of Kotlin's library.
const KOTLIN_COMMON: &[&str] = &[
    "add",
    "addAll",
    "also",
    "and",
    "append",
    "apply",
    "build",
    "clear",
    "close",
    "compareTo",
    "contains",
    "containsKey",
    "copy",
    "copyOf",
    "count",
    "endsWith",
    "equals",
    "filter",
    "find",
    "first",
    "forEach",
    "format",
    "get",
    "getValue",
    "hashCode",
    "indexOf",
    "invoke",
    "isEmpty",
    "isNotEmpty",
    "iterator",
    "joinToString",
    "last",
    "let",
    "map",
    "next",
    "or",
    "plus",
    "put",
    "read",
    "remove",
    "repeat",
    "replace",
    "run",
    "set",
    "shl",
    "shr",
    "size",
    "sort",
    "split",
    "startsWith",
    "substring",
    "toArray",
    "toByte",
    "toByteArray",
    "toChar",
    "toDouble",
    "toFloat",
    "toInt",
    "toList",
    "toLong",
    "toMap",
    "toSet",
    "toShort",
    "toString",
    "trim",
    "use",
    "ushr",
    "valueOf",
    "values",
    "with",
    "write",
    "xor",
];

/// The methods of Java's `Object`.
const OBJECT_METHODS: &[(&str, u8)] = &[
    ("clone", 0),
    ("equals", 1),
    ("finalize", 0),
    ("getClass", 0),
    ("hashCode", 0),
    ("notify", 0),
    ("notifyAll", 0),
    ("toString", 0),
    ("wait", 0),
    ("wait", 1),
    ("wait", 2),
];

/// Returns the rules of a language of the family.
pub(super) fn of(language: &str) -> &'static Dialect {
    match language {
        "csharp" => &CSHARP,
        "dart" => &DART,
        "kotlin" => &KOTLIN,
        "scala" => &SCALA,
        _ => &JAVA,
    }
}

const RULES: Dialect = Dialect {
    group: Group::Java,
    library: library::java,
    has_bare_members: true,
    has_packages: true,
    imports_types: true,
    constructors: &["init", "constructor", "this"],
    constructor_words: &["this", "super"],
    globals: &[
        "Boolean",
        "Byte",
        "Character",
        "Class",
        "ClassLoader",
        "Double",
        "Enum",
        "Error",
        "Exception",
        "Float",
        "Integer",
        "Iterable",
        "Long",
        "Math",
        "Number",
        "Object",
        "Process",
        "Record",
        "Runtime",
        "Short",
        "String",
        "StringBuilder",
        "System",
        "Thread",
        "Throwable",
    ],
    common: &[
        "accept",
        "add",
        "addAll",
        "append",
        "apply",
        "build",
        "clear",
        "close",
        "collect",
        "compareTo",
        "contains",
        "containsKey",
        "endsWith",
        "entrySet",
        "equals",
        "filter",
        "forEach",
        "format",
        "get",
        "getClass",
        "getKey",
        "getMessage",
        "getName",
        "getValue",
        "hasNext",
        "hashCode",
        "indexOf",
        "isEmpty",
        "iterator",
        "join",
        "keySet",
        "length",
        "map",
        "name",
        "next",
        "of",
        "ordinal",
        "print",
        "println",
        "put",
        "read",
        "remove",
        "replace",
        "run",
        "set",
        "size",
        "sort",
        "split",
        "startsWith",
        "stream",
        "substring",
        "toArray",
        "toLowerCase",
        "toString",
        "trim",
        "valueOf",
        "values",
        "write",
    ],
    ..NONE
};
