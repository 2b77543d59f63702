//! What types of the repository give by the protocols of chains ([`Protocol`]): by an index, in a loop, by
//! waiting, by taking their content. They answer by their own methods; types of the library are in its
//! tables (`library`).

use super::dialect::Group;
use super::position::SymbolAt;
use super::value::{Candidate, VALUES_MAX, Value};
use super::walk::Walk;
use crate::lang::chain::Protocol;

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
