//! One of several overloads, and how well it fits the arguments of a call.

use std::rc::Rc;

use super::type_arguments::TypeArguments;
use super::{Form, Rules, named};
use crate::graph::link::signature::{Shape, Signature};

/// An overload that accepts the number of arguments.
pub(super) struct Overload {
    /// Its place among the links.
    pub(super) link: usize,
    /// The number of arguments that are the instance: those of C#'s extensions that are called by
    /// their type.
    pub(super) instances: usize,
    pub(super) is_declaration: bool,
    pub(super) signature: Rc<Signature>,
    /// The conditions of a template of C++ are known to hold.
    pub(super) holds: bool,
}

/// The least fit of a type to a base of it.
const DERIVED_MIN: u32 = 5;

impl Overload {
    /// Returns true if a template of C++ has conditions of which nothing is known.
    pub(super) fn is_constrained(&self) -> bool {
        self.signature.is_constrained && !self.holds
    }

    /// Returns false if a call with so many type arguments cannot refer to the method.
    pub(super) fn accepts(&self, rules: &Rules, stated: Option<usize>) -> bool {
        match (self.signature.type_parameters, stated) {
            (None, _) => true,
            (Some(of), Some(stated)) => of == stated,
            _ => {
                self.signature.is_inferable
                    || rules.type_arguments != TypeArguments::StatedOrOfArguments
            }
        }
    }
}

/// Returns the type of the parameter of each argument, without those that are the instance; `None` if
/// the names of the arguments do not allow the call. An argument beyond the parameters has none.
fn types_of_arguments<'o>(
    rules: &Rules,
    forms: &[Form],
    labels: &[Option<String>],
    overload: &'o Overload,
) -> Option<Vec<Option<&'o Option<Shape>>>> {
    let types = &overload.signature.types;
    let count = forms.len().saturating_sub(overload.instances);
    let labels = labels.get(overload.instances..).unwrap_or_default();
    // The last parameter may accept more than one argument.
    let last = types.last().filter(|of| of.as_ref().is_some_and(|of| of.is_variadic));
    let places = match rules.labels {
        None => (0..count).collect(),
        Some(rule) => named::assigned(rule, labels, &overload.signature.names, types)?,
    };
    Some(places.into_iter().map(|at| types.get(at).or(last)).collect())
}

/// Returns how well an overload fits the arguments. A fit that must convert counts less; in C++ a
/// parameter beyond the arguments does not count, elsewhere overloads without one come first.
pub(super) fn score(
    rules: &Rules,
    forms: &[Form],
    labels: &[Option<String>],
    overload: &Overload,
    fit: impl Fn(&Form, Option<&Shape>) -> u32,
) -> u32 {
    let types = &overload.signature.types;
    let is_variadic = types.last().is_some_and(|of| of.as_ref().is_some_and(|of| of.is_variadic));
    let Some(wanted) = types_of_arguments(rules, forms, labels, overload) else { return 0 };
    let forms = forms.get(overload.instances..).unwrap_or_default();
    let known = forms.iter().zip(wanted).filter_map(|(form, of)| Some((form, of?)));
    let fits: Vec<u32> = known.map(|(form, of)| fit(form, of.as_ref())).collect();
    let sum = fits.iter().sum::<u32>();
    match rules.labels {
        _ if rules.is_strict && fits.contains(&0) => 0,
        None => sum,
        Some(_) => {
            let is_exact = !is_variadic && types.len() == forms.len();
            let is_concrete = types.iter().all(Option::is_some);
            // Of a type with and one without type arguments, the former is the usual one.
            let is_generic = types.iter().flatten().any(|of| of.arguments > 0)
                && !forms.contains(&Form::Unknown);
            let ties = [is_generic, is_concrete, is_exact].map(u32::from);
            1 + 8 * sum + ties[0] + 2 * ties[1] + 4 * ties[2]
        }
    }
}

/// Returns true if an argument of unknown type is all that may select one of two overloads: their parameters
/// for it are of different types.
pub(super) fn differ_in_unknown(
    rules: &Rules,
    forms: &[Form],
    labels: &[Option<String>],
    overloads: [&Overload; 2],
) -> bool {
    let [Some(one), Some(other)] = overloads.map(|of| types_of_arguments(rules, forms, labels, of))
    else {
        return false;
    };
    if one.len() != other.len() {
        return false;
    }
    let unknown = forms.iter().rev().zip(one.iter().zip(&other).rev());
    unknown.filter(|(form, _)| **form == Form::Unknown).any(|(_, (one, other))| {
        match (one, other) {
            (Some(Some(one)), Some(Some(other))) => {
                one.base != other.base || one.is_pointer != other.is_pointer
            }
            _ => false,
        }
    })
}

/// Returns how well an overload fits without the ties between overloads that fit equally.
pub(super) fn without_ties(score: u32) -> u32 {
    score.saturating_sub(1) / 8
}

/// Returns the overload of `best` whose parameters are of types derived from those of all others, as
/// far as the arguments are known: `null` refers to the most derived type.
pub(super) fn most_specific(
    rules: &Rules,
    forms: &[Form],
    labels: &[Option<String>],
    overloads: &[Overload],
    best: &[usize],
    fit: impl Fn(&Form, &Shape) -> u32,
) -> Option<usize> {
    if best.len() < 2 || forms.iter().all(is_open) {
        return None;
    }
    let wanted = |at: &usize| types_of_arguments(rules, forms, labels, &overloads[*at]);
    let wanted: Vec<Vec<Option<&Option<Shape>>>> =
        best.iter().map(wanted).collect::<Option<_>>()?;
    let is_below = |own: &[Option<&Option<Shape>>], other: &[Option<&Option<Shape>>]| {
        let mut is_derived = false;
        if own.len() != other.len() {
            return false;
        }
        let pairs = own.iter().zip(other).rev().zip(forms.iter().rev());
        for ((own, other), form) in pairs {
            let (Some(Some(own)), Some(Some(other))) = (own, other) else { return false };
            if own.base == other.base && own.is_pointer == other.is_pointer {
                if own.arguments != other.arguments {
                    return false;
                }
                continue;
            }
            let is_base =
                || fit(&Form::Typed(own.clone()), other) >= DERIVED_MIN || named::is_top(other);
            if is_open(form) || named::is_top(own) || !is_base() {
                return false;
            }
            is_derived = true;
        }
        is_derived
    };
    let is_best = |at: usize| {
        let others = (0..best.len()).filter(|&other| other != at);
        others.into_iter().all(|other| is_below(&wanted[at], &wanted[other]))
    };
    (0..best.len()).find(|&at| is_best(at)).map(|at| best[at])
}

/// Returns true for an argument whose type does not select the most derived one.
fn is_open(form: &Form) -> bool {
    matches!(form, Form::Unknown | Form::Dynamic | Form::Lambda | Form::Braces)
        || matches!(form, Form::Typed(of) if named::is_function(of))
}
