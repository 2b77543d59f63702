//! Methods that a language or its library calls by itself: operators, iteration, contexts, printing.
//!
//! A test that constructs the type reaches them, although no text names them.

/// Such a method with what in the body of a test runs it, in lower case; the latter is empty where
/// nothing distinguishes it.
const METHODS: &[(&str, &[&str])] = &[
    // Python
    ("__repr__", &["repr(", "!r}"]),
    ("__str__", &["str(", "f\"", "f'", "print("]),
    ("__format__", &["format(", "f\"", "f'"]),
    ("__hash__", &["hash(", "set("]),
    ("__eq__", &[" == "]),
    ("__ne__", &[" != "]),
    ("__lt__", &[" < ", "sort"]),
    ("__le__", &[" <= "]),
    ("__gt__", &[" > "]),
    ("__ge__", &[" >= "]),
    ("__len__", &["len("]),
    ("__iter__", &["for ", "list(", "iter("]),
    ("__aiter__", &["async for "]),
    ("__next__", &["next(", "for "]),
    ("__contains__", &[" in "]),
    ("__getitem__", &["["]),
    ("__setitem__", &["] = "]),
    ("__delitem__", &["del "]),
    ("__enter__", &["with "]),
    ("__exit__", &["with "]),
    ("__aenter__", &["async with "]),
    ("__aexit__", &["async with "]),
    ("__bool__", &["bool(", "not "]),
    ("__getstate__", &["pickle", "copy"]),
    ("__setstate__", &["pickle", "copy"]),
    ("__add__", &[" + "]),
    ("__or__", &[" | "]),
    ("__reduce__", &["pickle", "copy"]),
    // JavaScript
    ("toString", &["${", "tostring(", "string("]),
    ("toJSON", &["json.stringify"]),
    ("valueOf", &[" + ", " - ", "valueof("]),
    ("[Symbol.iterator]", &["[...", "for (", "array.from"]),
    ("[Symbol.asyncIterator]", &["for await"]),
    ("[Symbol.toPrimitive]", &["${"]),
    // Go
    ("String", &["sprint", "%s", "%v", ".string()"]),
    ("GoString", &["%#v"]),
    ("Error", &["err", "sprint", "%s", "%v"]),
    ("MarshalJSON", &["json.marshal"]),
    ("UnmarshalJSON", &["json.unmarshal"]),
    ("MarshalText", &["marshal"]),
    ("UnmarshalText", &["unmarshal"]),
    ("ServeHTTP", &["httptest", "servehttp"]),
    ("Less", &["sort"]),
    ("Swap", &["sort"]),
    // Rust
    ("fmt", &["format!", "{}", "{:?}", "to_string("]),
    ("drop", &["drop("]),
    ("from", &["from(", ".into()"]),
    ("deref", &["*"]),
    ("index", &["["]),
    ("next", &["for ", ".next()", ".collect"]),
    ("into_iter", &["for ", ".into_iter()"]),
    ("eq", &[" == ", "assert_eq"]),
    ("cmp", &["sort", " < ", " > "]),
    ("partial_cmp", &["sort", " < ", " > "]),
    ("hash", &["hash"]),
    ("from_str", &["parse("]),
    // Ruby
    ("each", &[".each", ".map", ".select", ".to_a", ".count"]),
    ("to_s", &["#{", "to_s"]),
    ("inspect", &["inspect"]),
    ("<=>", &["sort", "min", "max"]),
    ("==", &[" == ", " eq"]),
    ("method_missing", &[]),
    // Java, Kotlin, C#
    ("equals", &["equals"]),
    ("hashCode", &["hash"]),
    ("compareTo", &["sort", "compare"]),
    ("iterator", &["for ("]),
    ("close", &["try ("]),
    ("ToString", &["tostring", "$\""]),
    ("Equals", &["equal"]),
    ("GetHashCode", &["hash"]),
    ("CompareTo", &["sort", "compare"]),
    ("GetEnumerator", &["foreach"]),
    ("Dispose", &["using "]),
];

/// Returns true if a method of that name is one that the language calls by itself.
pub(super) fn is_protocol(name: &str) -> bool {
    // Python's and PHP's names are reserved for this.
    name.starts_with("__") || uses(name).is_some()
}

/// Returns what in the body of a test runs such a method, in lower case, if `name` is one.
pub(super) fn uses(name: &str) -> Option<&'static [&'static str]> {
    METHODS.iter().find(|(method, _)| *method == name).map(|(_, uses)| *uses)
}
