//! What values give by the protocols of chains ([`Protocol`]): by an index, in a loop, by waiting, by
//! taking their content.
//!
//! A type of the repository answers by its own methods. Types of the library are in the tables here;
//! one that is not gives its content, which is its last type argument in most languages. Where nothing
//! is stated, the result is unknown: it is never the value itself.

use super::dialect::Group;
use super::position::SymbolAt;
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
    /// What the results of methods of the maps contain.
    views: &'static [(&'static str, Given)],
    /// The type of these results.
    view: &'static str,
}

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
};

const CSHARP: Library = Library {
    futures: &["Task", "ValueTask"],
    containers: &[
        "HashSet",
        "ICollection",
        "IDictionary",
        "IEnumerable",
        "IList",
        "IReadOnlyCollection",
        "IReadOnlyDictionary",
        "IReadOnlyList",
        "List",
        "Queue",
        "Stack",
        "Dictionary",
    ],
    maps: &[],
    in_loop: Given::Last,
    views: &[],
    view: "",
};

const JAVA: Library = Library {
    futures: &["CompletableFuture", "CompletionStage", "Future"],
    containers: &[],
    maps: &[],
    in_loop: Given::Last,
    views: &[],
    view: "",
};

fn library(group: Group) -> Option<&'static Library> {
    match group {
        Group::Python => Some(&PYTHON),
        Group::JavaScript => Some(&JAVASCRIPT),
        Group::Rust => Some(&RUST),
        Group::CSharp => Some(&CSHARP),
        Group::Java => Some(&JAVA),
        Group::C | Group::Go | Group::Other | Group::Php | Group::Ruby | Group::Swift => None,
    }
}

/// Returns what a type of the library gives by a protocol; `None` for its content.
fn of_library(group: Group, of: TypeText<'_>, protocol: Protocol) -> Option<Given> {
    let library = library(group)?;
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

/// Returns the type that a method of a map of the library returns: an iterator over its keys, its values or
/// both.
pub(super) fn view(group: Group, of: TypeText<'_>, member: &str) -> Option<String> {
    let library = library(group).filter(|library| library.maps.contains(&of.name()))?;
    let (_, given) = library.views.iter().find(|(name, _)| *name == member)?;
    Some(format!("{}<{}>", library.view, written(of, *given)))
}

/// Returns how an argument of a type, or a pair of them, is written.
fn written(of: TypeText<'_>, given: Given) -> String {
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
        Given::Pair => format!("tuple<{key},{value}>"),
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
    /// Returns what a value of a type of the library gives by a protocol.
    pub(super) fn given_by_library(
        &self,
        candidate: &Candidate,
        of: &WrittenType,
        protocol: Protocol,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some(facts) = self.facts(of.place.file) else { return Vec::new() };
        match of_library(facts.dialect.group, of.of(), protocol) {
            None | Some(Given::Last) => self.argument(candidate, of, depth),
            Some(Given::Argument(number)) => self.numbered_argument(candidate, of, number, depth),
            Some(Given::Pair) => {
                let text = written(of.of(), Given::Pair).into();
                let pair = Value::Foreign(WrittenType { text, ..of.clone() });
                vec![candidate.then(pair, 1.0)]
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
    use super::*;

    #[track_caller]
    fn check(group: Group, text: &str, protocol: Protocol, expected: Option<Given>) {
        assert_eq!(of_library(group, TypeText::of(text), protocol), expected, "{text}");
    }

    #[test]
    fn protocols_differ_by_type() {
        use Protocol::{Await, Index, Iterate};
        check(Group::Python, "dict<str,Leaf>", Iterate, Some(Given::Argument(0)));
        check(Group::Python, "dict<str,Leaf>", Index, None);
        check(Group::Python, "dict<Leaf>", Iterate, Some(Given::Unknown));
        check(Group::Python, "list<Leaf>", Iterate, None);
        check(Group::Python, "list<Leaf>", Await, Some(Given::Unknown));
        check(Group::Python, "Coroutine<Leaf>", Await, None);
        check(Group::Python, "Coroutine<Leaf>", Index, Some(Given::Unknown));
        check(Group::JavaScript, "Map<string,Leaf>", Iterate, Some(Given::Pair));
        check(Group::JavaScript, "Promise<Leaf>", Iterate, Some(Given::Unknown));
        check(Group::Rust, "std.collections.HashMap<K,V>", Iterate, Some(Given::Pair));
        check(Group::Other, "list<Leaf>", Await, None);
    }

    #[test]
    fn views_of_maps_have_the_types_of_keys_and_values() {
        let of = |text, member| view(Group::Python, TypeText::of(text), member);
        assert_eq!(of("dict<K,V<A,B>>", "values").as_deref(), Some("Iterable<V<A,B>>"));
        assert_eq!(of("dict<K,V>", "items").as_deref(), Some("Iterable<tuple<K,V>>"));
        assert_eq!(of("dict<V>", "keys").as_deref(), Some("Iterable<_>"));
        assert_eq!(of("list<V>", "values"), None);
    }
}
