//! Definitions that a language calls without their name: operators, protocols, conversions. Such calls
//! are no uses of a name, so they are not found.

use crate::graph::link::{Code, SymbolAt};

/// What runs methods of some names in some languages.
struct Row {
    languages: &'static [&'static str],
    names: &'static [&'static str],
    by: &'static str,
}

const fn row(
    languages: &'static [&'static str],
    names: &'static [&'static str],
    by: &'static str,
) -> Row {
    Row { languages, names, by }
}

const PYTHON: &[&str] = &["python"];
const SCRIPTS: &[&str] = &["javascript", "svelte", "tsx", "typescript", "vue"];
const JVM: &[&str] = &["java", "kotlin", "scala"];

/// Of several rows, the first one counts.
const ROWS: &[Row] = &[
    row(PYTHON, &["__call__"], "x()"),
    row(PYTHON, &["__getitem__", "__setitem__", "__delitem__"], "x[i]"),
    row(PYTHON, &["__contains__"], "in"),
    row(PYTHON, &["__iter__", "__next__", "__aiter__", "__anext__"], "for"),
    row(PYTHON, &["__enter__", "__exit__", "__aenter__", "__aexit__"], "with"),
    row(
        PYTHON,
        &["__getattr__", "__getattribute__", "__setattr__", "__get__", "__set__"],
        "x.name",
    ),
    row(
        PYTHON,
        &["__str__", "__repr__", "__format__", "__len__", "__bool__", "__hash__"],
        "the language",
    ),
    row(SCRIPTS, &["[Symbol.iterator]", "[Symbol.asyncIterator]"], "for"),
    row(SCRIPTS, &["then"], "await"),
    row(SCRIPTS, &["toString", "valueOf", "toJSON", "[Symbol.toPrimitive]"], "a conversion"),
    row(&["scala"], &["apply", "update"], "x()"),
    row(&["scala"], &["unapply", "unapplySeq"], "a pattern"),
    row(JVM, &["close"], "try or use"),
    row(JVM, &["iterator", "hasNext", "next"], "for"),
    row(JVM, &["toString", "equals", "hashCode", "compareTo"], "the library"),
    row(&["csharp"], &["Dispose", "DisposeAsync"], "using"),
    row(&["csharp"], &["GetEnumerator", "MoveNext", "GetAsyncEnumerator"], "foreach"),
    row(&["csharp"], &["ToString", "Equals", "GetHashCode", "CompareTo"], "the library"),
    row(&["go"], &["String", "Error", "GoString", "Format"], "fmt"),
    row(&["go"], &["MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"], "encoding"),
    row(&["go"], &["Len", "Less", "Swap"], "sort"),
    row(&["php"], &["__invoke"], "$x()"),
    row(&["php"], &["__get", "__set", "__isset", "__unset"], "$x->name"),
    row(
        &["php"],
        &["__toString", "__destruct", "__clone", "__serialize", "__unserialize"],
        "the language",
    ),
    row(&["php"], &["offsetGet", "offsetSet", "offsetExists", "offsetUnset"], "$x[i]"),
    row(&["php"], &["getIterator", "current", "key", "rewind", "valid"], "foreach"),
    row(&["ruby"], &["call", "to_proc"], "x.() or &x"),
    row(&["ruby"], &["each"], "for and Enumerable"),
    row(&["ruby"], &["to_s", "to_str", "to_a", "to_ary", "inspect", "coerce"], "a conversion"),
    row(
        &["ruby"],
        &["method_missing", "respond_to_missing?", "inherited", "included", "extended"],
        "the language",
    ),
    row(&["swift"], &["callAsFunction"], "x()"),
    row(&["swift"], &["subscript"], "x[i]"),
    row(&["swift"], &["makeIterator", "next"], "for"),
    row(&["swift"], &["deinit"], "the language"),
    row(&["kotlin"], &["invoke"], "x()"),
    row(&["kotlin"], &["getValue", "setValue", "provideDelegate"], "by"),
    row(&["csharp"], &["this", "this[]", "Item"], "x[i]"),
    row(&["dart"], &["call"], "x()"),
    row(&["lua"], &["__index", "__newindex", "__call"], "a metatable"),
];

/// Traits of Rust whose methods are called by operators and by other syntax.
const TRAITS: &[(&[&str], &str)] = &[
    (
        &[
            "Add", "Sub", "Mul", "Div", "Rem", "Neg", "Not", "BitAnd", "BitOr", "BitXor", "Shl",
            "Shr",
        ],
        "an operator",
    ),
    (&["AddAssign", "SubAssign", "MulAssign", "DivAssign", "RemAssign"], "an operator"),
    (&["PartialEq", "PartialOrd"], "an operator"),
    (&["Index", "IndexMut"], "x[i]"),
    (&["Deref", "DerefMut"], "*x and x.name"),
    (&["Drop"], "the end of a scope"),
    (&["Iterator", "IntoIterator"], "for"),
    (&["Future", "IntoFuture"], "await"),
    (&["Display", "Debug", "LowerHex", "UpperHex", "Write"], "format!"),
    (&["From", "TryFrom"], "? and into()"),
];

/// Returns what calls a definition without its name, as code or in words; `None` if nothing is known to.
pub fn called_by_language(code: &dyn Code, of: SymbolAt) -> Option<&'static str> {
    let facts = code.file(of.file)?;
    let symbol = facts.symbols.get(of.place as usize)?;
    if !symbol.kind.is_callable() && symbol.kind != crate::lang::symbols::SymbolKind::Property {
        return None;
    }
    let (language, name) = (facts.language.name, symbol.name.as_str());
    let is_operator = || {
        let is_symbolic =
            !name.is_empty() && !name.contains(|c: char| c.is_alphanumeric() || c == '_');
        match language {
            "cpp" | "csharp" => name.starts_with("operator") && name.len() > "operator".len(),
            "kotlin" => {
                let text = code.text(of.file);
                let before = text.as_deref().and_then(|text| {
                    text.get(symbol.span.start..symbol.name_span.start).map(String::from_utf8_lossy)
                });
                before
                    .is_some_and(|before| before.split_whitespace().any(|word| word == "operator"))
            }
            "haskell" | "ocaml" | "ruby" | "scala" | "swift" | "dart" => is_symbolic,
            _ => false,
        }
    };
    if language == "rust" {
        let parent = symbol.parent.map(|parent| &facts.symbols[parent])?;
        let (of_trait, _) = parent.name.strip_prefix("impl ")?.split_once(" for ")?;
        let of_trait = of_trait.split('<').next().unwrap_or(of_trait);
        let of_trait = of_trait.rsplit("::").next().unwrap_or(of_trait).trim();
        return TRAITS.iter().find(|(names, _)| names.contains(&of_trait)).map(|(_, by)| *by);
    }
    // A function that is in no type is called by its name.
    let is_member = symbol.parent.is_some() || facts.owner(of.place as usize).is_some();
    let listed = ROWS
        .iter()
        .find(|row| is_member && row.languages.contains(&language) && row.names.contains(&name));
    if let Some(row) = listed {
        return Some(row.by);
    }
    let is_dunder = language == "python"
        && is_member
        && name.len() > 4
        && name.starts_with("__")
        && name.ends_with("__")
        && !facts.is_constructor(of.place as usize);
    if is_dunder || is_operator() { Some("an operator or the language") } else { None }
}
