//! What values give by the protocols of chains ([`Protocol`]): by an index, in a loop, by waiting, by
//! taking their content.
//!
//! A type of the repository answers by its own methods. Types of the library are in the tables here;
//! one that is not gives its content, which is its last type argument in most languages. Where nothing
//! is stated, the result is unknown: it is never the value itself.

use super::dialect::{Dialect, Extensions, Group};
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, VALUES_MAX, Value, WrittenType};
use super::walk::Walk;
use crate::lang::chain::{Protocol, TypeText};

/// What a type of the library gives by a protocol, or what a member of it returns values of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Given {
    /// A value of its argument of that number.
    Argument(usize),
    /// A value of its last argument.
    Last,
    /// A tuple of a key and a value.
    Pair,
    /// Nothing that is known.
    Unknown,
}

/// The types of the library of one group of languages.
struct Library {
    /// Values that are waited for.
    futures: &'static [&'static str],
    /// Values that contain others and are not waited for.
    containers: &'static [&'static str],
    /// Containers of values by keys.
    maps: &'static [&'static str],
    /// What a loop over one of the maps gives.
    in_loop: Given,
    /// The type of a pair of a key and a value.
    pair: &'static str,
    /// The members of such a pair that are its key and its value.
    parts: [&'static str; 2],
    /// What the results of methods of the maps contain.
    views: &'static [(&'static str, Given)],
    /// The type of these results.
    view: &'static str,
    /// Such a member is a property: it is not called.
    has_properties: bool,
}

/// What all have in common that have no maps here.
const NONE: Library = Library {
    futures: &[],
    containers: &[],
    maps: &[],
    in_loop: Given::Last,
    pair: "tuple",
    parts: ["0", "1"],
    views: &[],
    view: "",
    has_properties: false,
};

const PYTHON: Library = Library {
    futures: &["Awaitable", "Coroutine", "Future", "Task"],
    containers: &[
        "AsyncGenerator",
        "AsyncIterable",
        "AsyncIterator",
        "Collection",
        "FrozenSet",
        "Generator",
        "Iterable",
        "Iterator",
        "List",
        "MutableSequence",
        "Sequence",
        "Set",
        "Tuple",
        "deque",
        "frozenset",
        "list",
        "set",
        "tuple",
    ],
    maps: &[
        "DefaultDict",
        "Dict",
        "Mapping",
        "MutableMapping",
        "OrderedDict",
        "defaultdict",
        "dict",
    ],
    in_loop: Given::Argument(0),
    views: &[("items", Given::Pair), ("keys", Given::Argument(0)), ("values", Given::Last)],
    view: "Iterable",
    ..NONE
};

const JAVASCRIPT: Library = Library {
    futures: &["Promise", "PromiseLike"],
    containers: &[
        "Array",
        "AsyncIterable",
        "AsyncIterableIterator",
        "Iterable",
        "IterableIterator",
        "Iterator",
        "ReadonlyArray",
        "ReadonlySet",
        "Set",
        "WeakMap",
        "WeakSet",
    ],
    maps: &["Map", "ReadonlyMap"],
    in_loop: Given::Pair,
    views: &[("entries", Given::Pair), ("keys", Given::Argument(0)), ("values", Given::Last)],
    view: "IterableIterator",
    ..NONE
};

const RUST: Library = Library {
    futures: &["Future", "IntoFuture"],
    containers: &[
        "BTreeSet",
        "BinaryHeap",
        "HashSet",
        "Iterator",
        "LinkedList",
        "Vec",
        "VecDeque",
        "slice",
        "tuple",
    ],
    maps: &["BTreeMap", "HashMap"],
    in_loop: Given::Pair,
    views: &[
        ("into_keys", Given::Argument(0)),
        ("into_values", Given::Last),
        ("keys", Given::Argument(0)),
        ("values", Given::Last),
        ("values_mut", Given::Last),
    ],
    view: "Iterator",
    ..NONE
};

const CSHARP: Library = Library {
    futures: &["Task", "ValueTask"],
    containers: &[
        "HashSet",
        "ICollection",
        "IEnumerable",
        "IList",
        "IReadOnlyCollection",
        "IReadOnlyList",
        "List",
        "Queue",
        "Stack",
    ],
    maps: &[
        "ConcurrentDictionary",
        "Dictionary",
        "IDictionary",
        "IReadOnlyDictionary",
        "SortedDictionary",
    ],
    in_loop: Given::Pair,
    pair: "KeyValuePair",
    parts: ["Key", "Value"],
    views: &[("Keys", Given::Argument(0)), ("Values", Given::Last)],
    view: "ICollection",
    has_properties: true,
};

const JAVA: Library = Library {
    futures: &["CompletableFuture", "CompletionStage", "Future"],
    maps: JAVA_MAPS,
    in_loop: Given::Pair,
    pair: "Entry",
    parts: ["key", "value"],
    views: &[("entrySet", Given::Pair), ("keySet", Given::Argument(0)), ("values", Given::Last)],
    view: "Collection",
    ..NONE
};

const KOTLIN: Library = Library {
    views: &[("entries", Given::Pair), ("keys", Given::Argument(0)), ("values", Given::Last)],
    has_properties: true,
    ..JAVA
};

const JAVA_MAPS: &[&str] = &[
    "ConcurrentHashMap",
    "ConcurrentMap",
    "HashMap",
    "LinkedHashMap",
    "Map",
    "MutableMap",
    "NavigableMap",
    "SortedMap",
    "TreeMap",
];

fn library(dialect: &Dialect) -> Option<&'static Library> {
    match dialect.group {
        Group::Python => Some(&PYTHON),
        Group::JavaScript => Some(&JAVASCRIPT),
        Group::Rust => Some(&RUST),
        Group::CSharp => Some(&CSHARP),
        Group::Java if dialect.extensions == Extensions::Prefix => Some(&KOTLIN),
        Group::Java if dialect.has_java_types() => Some(&JAVA),
        Group::C
        | Group::Go
        | Group::Java
        | Group::Other
        | Group::Php
        | Group::Ruby
        | Group::Swift => None,
    }
}

/// Returns what a type of the library gives by a protocol; `None` for its content.
fn of_library(dialect: &Dialect, of: TypeText<'_>, protocol: Protocol) -> Option<Given> {
    let library = library(dialect)?;
    let name = of.name();
    let is_map = library.maps.contains(&name);
    match protocol {
        Protocol::Await if is_map || library.containers.contains(&name) => Some(Given::Unknown),
        Protocol::Index | Protocol::Iterate if library.futures.contains(&name) => {
            Some(Given::Unknown)
        }
        Protocol::Iterate if is_map => {
            // What only has a value has a key that is not written.
            let is_known = of.arguments().len() > 1;
            Some(if is_known { library.in_loop } else { Given::Unknown })
        }
        Protocol::Index | Protocol::Iterate | Protocol::Await | Protocol::Unwrap => None,
    }
}

/// Returns what a member of a map, or of a pair of its key and value, is: an iterator over its keys, its
/// values or both, or one of these.
fn part(dialect: &Dialect, of: TypeText<'_>, member: &str) -> Option<Part> {
    let library = library(dialect)?;
    if of.name() == library.pair {
        let number = library.parts.iter().position(|part| *part == member)?;
        return Some(Part::Argument(number));
    }
    let (_, given) = library.views.iter().find(|(name, _)| *name == member)?;
    let is_map = library.maps.contains(&of.name());
    let view = || format!("{}<{}>", library.view, written(library, of, *given));
    is_map.then(|| Part::View(view(), library.has_properties))
}

/// What a member of a type of the library is.
#[derive(Debug, Eq, PartialEq)]
enum Part {
    /// A value of the argument of that number.
    Argument(usize),
    /// A value of a written type, or a method that returns one unless the flag is set.
    View(String, bool),
}

/// Returns how an argument of a type, or a pair of them, is written.
fn written(library: &Library, of: TypeText<'_>, given: Given) -> String {
    let arguments = of.arguments();
    let (key, value) = match arguments[..] {
        [key, .., value] => (key.text(), value.text()),
        [value] => ("_", value.text()),
        [] => ("_", "_"),
    };
    match given {
        Given::Argument(0) => key.to_owned(),
        Given::Argument(number) => arguments.get(number).map_or("_", |of| of.text()).to_owned(),
        Given::Last => value.to_owned(),
        Given::Pair => format!("{}<{key},{value}>", library.pair),
        Given::Unknown => "_".to_owned(),
    }
}

/// Returns the methods of a type of the repository by which it answers to a protocol, in this order.
pub(super) fn methods(group: Group, protocol: Protocol) -> &'static [&'static str] {
    match (group, protocol) {
        (Group::Python, Protocol::Index) => &["__getitem__"],
        (Group::Python, Protocol::Iterate) => {
            &["__iter__", "__aiter__", "__next__", "__anext__", "__getitem__"]
        }
        (Group::Python, Protocol::Await) => &["__await__"],
        (Group::JavaScript, Protocol::Iterate) => &["next"],
        (Group::Php, Protocol::Index) => &["offsetGet"],
        (Group::Php, Protocol::Iterate) => &["current", "getIterator"],
        (Group::Java, Protocol::Index) => &["get"],
        (Group::Java, Protocol::Iterate) => &["iterator", "next"],
        (Group::Ruby, Protocol::Index) => &["[]"],
        (Group::Ruby, Protocol::Iterate) => &["each"],
        (Group::Rust, Protocol::Index) => &["index"],
        (Group::Rust, Protocol::Iterate) => &["next", "into_iter"],
        (Group::Rust, Protocol::Await) => &["poll", "into_future"],
        (Group::Rust, Protocol::Unwrap) => &["unwrap"],
        (Group::C, Protocol::Index) => &["operator[]"],
        (Group::C, Protocol::Iterate) => &["operator*", "begin"],
        (Group::C, Protocol::Await) => &["await_resume"],
        _ => &[],
    }
}

/// Returns what else the result of such a method has to give: `iter` returns an iterator, `next` of Rust an
/// option.
pub(super) fn of_result(group: Group, method: &str, protocol: Protocol) -> Option<Protocol> {
    match (group, method) {
        (_, "__iter__" | "__aiter__" | "getIterator" | "iterator" | "begin" | "into_iter") => {
            Some(Protocol::Iterate)
        }
        (Group::Rust, "next" | "poll") => Some(Protocol::Unwrap),
        (Group::Rust, "into_future") => Some(protocol),
        _ => None,
    }
}

impl Walk<'_> {
    /// Returns the member of a map of the library, or of a pair of its key and value, if that is listed.
    pub(super) fn part_of_library(
        &self,
        candidate: &Candidate,
        of: &WrittenType,
        member: &str,
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        let facts = self.facts(of.place.file)?;
        match part(facts.dialect, of.of(), member)? {
            Part::Argument(number) => Some(self.numbered_argument(candidate, of, number, depth)),
            Part::View(text, is_property) => {
                let view = WrittenType { text: text.into(), ..of.clone() };
                let value = if is_property {
                    Value::Foreign(view)
                } else {
                    Value::ForeignMethod(view, false)
                };
                Some(vec![Candidate::new(value, 1.0, Reason::Receiver)])
            }
        }
    }

    /// Returns what a value of a type of the library gives by a protocol.
    pub(super) fn given_by_library(
        &self,
        candidate: &Candidate,
        of: &WrittenType,
        protocol: Protocol,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some(facts) = self.facts(of.place.file) else { return Vec::new() };
        match of_library(facts.dialect, of.of(), protocol) {
            None | Some(Given::Last) => self.argument(candidate, of, depth),
            Some(Given::Argument(number)) => self.numbered_argument(candidate, of, number, depth),
            Some(Given::Pair) => {
                let pair = library(facts.dialect)
                    .map(|library| written(library, of.of(), Given::Pair).into())
                    .map(|text| Value::Foreign(WrittenType { text, ..of.clone() }));
                pair.map(|pair| candidate.then(pair, 1.0)).into_iter().collect()
            }
            Some(Given::Unknown) => {
                vec![Candidate { is_lost: true, ..candidate.then(Value::Outside, 1.0) }]
            }
        }
    }

    /// Returns what the methods of a type of the repository give by a protocol.
    pub(super) fn given_by_methods(
        &self,
        candidate: &Candidate,
        of: SymbolAt,
        protocol: Protocol,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some((facts, _)) = self.symbol(of) else { return Vec::new() };
        let group = facts.dialect.group;
        let is_other = |it: &Candidate| !matches!(it.value, Value::Instance(same, _) if same == of);
        for name in methods(group, protocol) {
            let mut found = Vec::new();
            for method in self.members(of, name, depth + 1) {
                let Value::Name(at) = method.value else { continue };
                let method = Candidate { via: candidate.via.or(Some(of)), ..method };
                if (group, *name) == (Group::Ruby, "each") {
                    found.extend(self.parameter(&method, 0.into(), depth + 1));
                    continue;
                }
                let results = self.call(&method, depth + 1);
                // What an iterator that is a pointer points to.
                let is_pointer = *name == "begin" && self.signature(at).contains('*');
                match of_result(group, name, protocol).filter(|_| !is_pointer) {
                    Some(inner) => {
                        let results = results.iter().filter(|it| is_other(it));
                        found.extend(results.flat_map(|it| self.element(it, inner, depth + 1)));
                    }
                    None => found.extend(results),
                }
            }
            // What the members of the library's own types return is known only in part.
            let is_known = |it: &Candidate| match it.value {
                Value::Foreign(_) => (group, protocol) != (Group::Java, Protocol::Index),
                Value::Outside => !facts.dialect.wraps_elements,
                _ => true,
            };
            found.retain(is_known);
            found.truncate(VALUES_MAX);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::dialect;
    use super::*;
    use crate::lang::language::LANGUAGES;

    fn of(name: &str) -> &'static Dialect {
        let language = LANGUAGES.iter().find(|language| language.name == name);
        dialect::of(language.expect("it is in the table"))
    }

    #[track_caller]
    fn check(language: &str, text: &str, protocol: Protocol, expected: Option<Given>) {
        assert_eq!(of_library(of(language), TypeText::of(text), protocol), expected, "{text}");
    }

    #[test]
    fn protocols_differ_by_type() {
        use Protocol::{Await, Index, Iterate};
        check("python", "dict<str,Leaf>", Iterate, Some(Given::Argument(0)));
        check("python", "dict<str,Leaf>", Index, None);
        check("python", "dict<Leaf>", Iterate, Some(Given::Unknown));
        check("python", "list<Leaf>", Iterate, None);
        check("python", "list<Leaf>", Await, Some(Given::Unknown));
        check("python", "Coroutine<Leaf>", Await, None);
        check("python", "Coroutine<Leaf>", Index, Some(Given::Unknown));
        check("typescript", "Map<string,Leaf>", Iterate, Some(Given::Pair));
        check("typescript", "Promise<Leaf>", Iterate, Some(Given::Unknown));
        check("rust", "std.collections.HashMap<K,V>", Iterate, Some(Given::Pair));
        check("kotlin", "Map<K,V>", Iterate, Some(Given::Pair));
        check("ruby", "list<Leaf>", Await, None);
    }

    #[test]
    fn members_of_maps_have_the_types_of_keys_and_values() {
        let check = |language, text, member, expected: Option<Part>| {
            assert_eq!(part(of(language), TypeText::of(text), member), expected, "{text}");
        };
        let view = |text: &str, is_property| Some(Part::View(text.to_owned(), is_property));
        check("python", "dict<K,V<A,B>>", "values", view("Iterable<V<A,B>>", false));
        check("python", "dict<K,V>", "items", view("Iterable<tuple<K,V>>", false));
        check("python", "dict<V>", "keys", view("Iterable<_>", false));
        check("python", "list<V>", "values", None);
        check("kotlin", "Map<K,V>", "entries", view("Collection<Entry<K,V>>", true));
        check("csharp", "KeyValuePair<K,V>", "Value", Some(Part::Argument(1)));
    }
}
