//! Results of the methods that the syntax of Python calls: `with value as name`, `value[key]`, and operators.

use super::dialect::Group;
use super::kinds::{is_type, is_variable};
use super::last_name;
use super::library::Asked;
use super::position::SymbolAt;
use super::value::{Candidate, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::lang::chain::Protocol;
use crate::lang::symbols::SymbolKind;

/// What a value gives that has no such method in the repository.
#[derive(Clone, Copy, PartialEq)]
enum Otherwise {
    /// Itself, or what it yields: `with`.
    Entered,
    /// Its element.
    Element,
    /// A value of the same type, unless its class and the bases of that are known.
    Same,
    Unknown,
}

fn otherwise(name: &str) -> Option<Otherwise> {
    match name {
        "__enter__" | "__aenter__" => Some(Otherwise::Entered),
        "__getitem__" => Some(Otherwise::Element),
        // A slice, which `__getitem__` returns.
        "__getslice__" => Some(Otherwise::Same),
        "__iadd__" | "__itruediv__" | "__imod__" | "__ior__" | "__iand__" | "__isub__"
        | "__imul__" | "__imatmul__" | "__ifloordiv__" | "__ixor__" | "__ipow__"
        | "__ilshift__" | "__irshift__" => Some(Otherwise::Same),
        "__add__" | "__truediv__" | "__mod__" | "__or__" | "__and__" => Some(Otherwise::Same),
        "__sub__" | "__mul__" | "__matmul__" | "__floordiv__" | "__xor__" => {
            Some(Otherwise::Unknown)
        }
        // Of the right operand.
        "__radd__" | "__rtruediv__" | "__rmod__" | "__ror__" | "__rand__" | "__rsub__"
        | "__rmul__" | "__rmatmul__" | "__rfloordiv__" | "__rxor__" => Some(Otherwise::Unknown),
        _ => None,
    }
}

impl Walk<'_> {
    /// Returns the results of a method that the syntax calls; `None` for other methods and languages.
    pub(super) fn by_syntax(
        &self,
        place: Place,
        candidate: &Candidate,
        name: &str,
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        let rule = otherwise(name)?;
        self.facts(place.file).filter(|facts| facts.dialect.group == Group::Python)?;
        let values = match candidate.value {
            Value::Name(_) if self.kind(candidate).is_some_and(is_variable) => {
                self.load(candidate, depth + 1)
            }
            _ => vec![candidate.clone()],
        };
        Some(self.each(&values, |value| self.result_of_syntax(value, name, rule, depth)))
    }

    fn result_of_syntax(
        &self,
        value: &Candidate,
        name: &str,
        rule: Otherwise,
        depth: usize,
    ) -> Vec<Candidate> {
        match &value.value {
            Value::Instance(..) => {
                let methods = self.methods_of_syntax(value, name, depth);
                if !methods.is_empty() {
                    let results = methods.iter().flat_map(|method| self.call(method, depth));
                    let results: Vec<Candidate> = results.take(VALUES_MAX).collect();
                    return self.each(&results, |result| self.awaited(result, name, depth));
                }
            }
            // `Class[Type]`
            Value::Name(_)
                if rule == Otherwise::Element && self.kind(value).is_some_and(is_type) =>
            {
                return vec![value.clone()];
            }
            Value::Foreign(written) if rule == Otherwise::Entered => {
                let is_plain = written.of().arguments().is_empty();
                return if is_plain {
                    vec![value.clone()]
                } else {
                    self.of_library(value, written, Asked::Enter, depth)
                };
            }
            _ => {}
        }
        match rule {
            Otherwise::Element => self.element(value, Protocol::Index, depth),
            Otherwise::Same if self.is_of_known_class(value) => Vec::new(),
            Otherwise::Entered | Otherwise::Same => vec![value.clone()],
            Otherwise::Unknown => Vec::new(),
        }
    }

    /// Returns the methods of a value that the syntax calls: for `+=`, `__iadd__`, otherwise `__add__`.
    fn methods_of_syntax(&self, value: &Candidate, name: &str, depth: usize) -> Vec<Candidate> {
        let of = |name: &str| {
            let mut methods = self.member(value, name, depth);
            methods.retain(|it| matches!(it.value, Value::Name(_)));
            methods
        };
        if name == "__getslice__" {
            let mut methods = of("__getitem__");
            // Of overloads, those for slices.
            let is_for_slices = |it: &Candidate| matches!(it.value, Value::Name(at) if self.signature(at).contains("slice"));
            if methods.iter().any(is_for_slices) {
                methods.retain(is_for_slices);
            }
            return methods;
        }
        let methods = of(name);
        match name.strip_prefix("__i") {
            Some(rest) if methods.is_empty() => of(&format!("__{rest}")),
            _ => methods,
        }
    }

    /// Returns true for an instance of a class without a base from outside that may define operators.
    fn is_of_known_class(&self, value: &Candidate) -> bool {
        let Value::Instance(of, _) = value.value else { return false };
        let is_class = |of: SymbolAt| {
            self.symbol(of)
                .is_some_and(|(facts, index)| facts.symbols[index].kind == SymbolKind::Class)
        };
        let may_define = |base: &Candidate| match &base.value {
            Value::Instance(..) => false,
            Value::Foreign(written) => {
                let name = written.of().path();
                !["object", "ABC", "Generic", "Protocol"].contains(&last_name(name))
            }
            _ => true,
        };
        is_class(of) && !self.has_outside_class(of, &may_define)
    }

    /// Returns what `async with` awaits.
    fn awaited(&self, result: &Candidate, name: &str, depth: usize) -> Vec<Candidate> {
        match &result.value {
            Value::Foreign(written) if name == "__aenter__" => {
                let given = self.given_by_library(written, Asked::By(Protocol::Await), depth);
                given.unwrap_or_else(|| vec![result.clone()])
            }
            _ => vec![result.clone()],
        }
    }
}
