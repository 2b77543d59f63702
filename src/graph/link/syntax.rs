//! Results of the methods that the syntax of Python calls: `with value as name`, `value[key]`, and operators.

use super::dialect::Group;
use super::kinds::{is_type, is_variable};
use super::value::{Candidate, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::lang::chain::type_arguments;

/// What a value gives that has no such method in the repository.
#[derive(Clone, Copy, PartialEq)]
enum Otherwise {
    /// Itself, or what it yields: `with`.
    Entered,
    /// Its element.
    Element,
    /// A value of the same type.
    Same,
    Unknown,
}

fn otherwise(name: &str) -> Option<Otherwise> {
    match name {
        "__enter__" | "__aenter__" => Some(Otherwise::Entered),
        "__getitem__" => Some(Otherwise::Element),
        "__add__" | "__truediv__" | "__mod__" | "__or__" | "__and__" => Some(Otherwise::Same),
        "__sub__" | "__mul__" | "__matmul__" | "__floordiv__" | "__xor__" => {
            Some(Otherwise::Unknown)
        }
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
                let mut methods = self.member(value, name, depth);
                methods.retain(|it| matches!(it.value, Value::Name(_)));
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
                let is_plain = type_arguments(&written.text).is_empty();
                return if is_plain { vec![value.clone()] } else { self.element(value, depth) };
            }
            _ => {}
        }
        match rule {
            Otherwise::Element => self.element(value, depth),
            Otherwise::Entered | Otherwise::Same => vec![value.clone()],
            Otherwise::Unknown => Vec::new(),
        }
    }

    /// Returns what `async with` awaits.
    fn awaited(&self, result: &Candidate, name: &str, depth: usize) -> Vec<Candidate> {
        match &result.value {
            Value::Foreign(written) if name == "__aenter__" => {
                let is_awaitable = ["Coroutine", "Awaitable"].contains(&super::last_name(
                    written.text.split('<').next().unwrap_or_default(),
                ));
                if is_awaitable {
                    self.argument(result, written, depth)
                } else {
                    vec![result.clone()]
                }
            }
            _ => vec![result.clone()],
        }
    }
}
