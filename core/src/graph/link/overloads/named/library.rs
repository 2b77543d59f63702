//! Types of the libraries of C#, Kotlin and Swift: containers and the bases of types.

use super::{FLOATS, INTEGERS};

/// Containers of the libraries, each with the types that it converts to.
const CONTAINERS: &[(&str, &[&str])] = &[
    ("slice", &["ICollection", "IEnumerable", "IList", "IReadOnlyCollection", "IReadOnlyList"]),
    (
        "Array",
        &[
            "BidirectionalCollection",
            "Collection",
            "MutableCollection",
            "RandomAccessCollection",
            "RangeReplaceableCollection",
            "Sequence",
        ],
    ),
    ("Collection", &["Iterable", "Sequence"]),
    ("MutableCollection", &["Collection", "Iterable"]),
    ("ArrayList", &["Collection", "Iterable", "List", "MutableList"]),
    ("HashMap", &["Map", "MutableMap"]),
    ("HashSet", &["Collection", "ISet", "IEnumerable", "Iterable", "Set"]),
    ("Dictionary", &["ICollection", "IDictionary", "IEnumerable", "IReadOnlyDictionary"]),
    ("List", &["Collection", "ICollection", "IEnumerable", "IList", "IReadOnlyList", "Iterable"]),
    ("MutableList", &["Collection", "Iterable", "List", "MutableCollection"]),
    ("MutableMap", &["Map"]),
    ("MutableSet", &["Collection", "Iterable", "Set"]),
    ("Set", &["Collection", "Iterable", "Sequence"]),
    ("Type", &["MemberInfo"]),
];

/// Other types of the libraries, each with its bases.
const BASES: &[(&str, &[&str])] = &[
    ("Byte", &["Number"]),
    ("Double", &["BinaryFloatingPoint", "FloatingPoint", "Number"]),
    ("Float", &["BinaryFloatingPoint", "FloatingPoint", "Number"]),
    ("Int", &["BinaryInteger", "FixedWidthInteger", "Number", "SignedInteger"]),
    ("Long", &["Number"]),
    ("Short", &["Number"]),
    ("String", &["BidirectionalCollection", "CharSequence", "Collection", "StringProtocol"]),
    ("Substring", &["BidirectionalCollection", "Collection", "StringProtocol"]),
    ("UInt8", &["BinaryInteger", "FixedWidthInteger", "UnsignedInteger"]),
];

/// Returns the bases of a type of the libraries of C#, Kotlin and Swift.
pub(in crate::graph::link) fn bases_of_library(name: &str) -> impl Iterator<Item = &'static str> {
    let all = CONTAINERS.iter().chain(BASES).filter(move |(of, _)| *of == name);
    all.flat_map(|(_, bases)| bases.iter().copied())
}

/// Functions of Kotlin's library with the containers that they make.
const MAKERS: &[(&str, &str)] = &[
    ("asIterable", "Iterable"),
    ("asSequence", "Sequence"),
    ("buildList", "List"),
    ("buildMap", "Map"),
    ("buildSet", "Set"),
    ("iterator", "Iterator"),
    ("toList", "List"),
    ("toMutableList", "MutableList"),
    ("toMutableSet", "MutableSet"),
    ("toSet", "Set"),
];

/// Returns the container that a function of Kotlin's library makes.
pub(in crate::graph::link) fn made_by_library(name: &str) -> Option<&'static str> {
    MAKERS.iter().find(|(maker, _)| *maker == name).map(|(_, of)| *of)
}

/// Functions of Kotlin's library for all types of numbers.
const FUNCTIONS: &[&str] = &["maxOf", "minOf"];

/// Members of types of Kotlin's library, by the types.
const MEMBERS: &[(&[&str], &[&str])] = &[
    (
        &["Byte", "Double", "Float", "Int", "Long", "Short"],
        &[
            "compareTo",
            "dec",
            "div",
            "inc",
            "minus",
            "plus",
            "rangeTo",
            "rangeUntil",
            "rem",
            "times",
            "toByte",
            "toChar",
            "toDouble",
            "toFloat",
            "toInt",
            "toLong",
            "toShort",
            "unaryMinus",
            "unaryPlus",
        ],
    ),
    (&["Int", "Long"], &["and", "inv", "or", "shl", "shr", "ushr", "xor"]),
    (&["Boolean"], &["and", "compareTo", "not", "or", "xor"]),
    (&["Char"], &["compareTo", "dec", "inc", "minus", "plus", "rangeTo"]),
    (&["String"], &["compareTo", "get", "plus", "subSequence"]),
];

/// Returns true for a function of Kotlin's library that each file sees.
pub(in crate::graph::link::overloads) fn function_of_library(name: &str) -> bool {
    FUNCTIONS.contains(&name)
}

/// Returns true for a member that a type of Kotlin's library has.
pub(in crate::graph::link::overloads) fn member_of_library(of: &str, name: &str) -> bool {
    MEMBERS.iter().any(|(types, members)| types.contains(&of) && members.contains(&name))
}

/// Returns true for a container of a library.
pub(super) fn is_container(name: &str) -> bool {
    let is_array = name.strip_suffix("Array").is_some_and(|of| {
        of.is_empty() || INTEGERS.contains(&of) || FLOATS.contains(&of) || of == "Boolean"
    });
    is_array || CONTAINERS.iter().any(|(of, bases)| *of == name || bases.contains(&name))
}
