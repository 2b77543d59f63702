//! One of several overloads, and how well it fits the arguments of a call.

use super::binding::{Binding, Qualifiers};
use super::type_arguments::TypeArguments;
use super::{Form, Rules, Shape, named};

/// An overload that accepts the number of arguments: its place among the links, and the type of each
/// parameter; `None` for a type parameter.
pub(super) struct Overload {
    pub(super) link: usize,
    pub(super) types: Vec<Option<Shape>>,
    /// The names of the parameters, where arguments can name them.
    pub(super) names: Vec<String>,
    /// The number of type parameters, of methods in languages where calls state them.
    pub(super) type_parameters: Option<usize>,
    /// The parameters show all type parameters.
    pub(super) is_inferable: bool,
    /// The number of arguments that are the instance: those of C#'s extensions that are called by
    /// their type.
    pub(super) instances: usize,
    /// How parameters of C++ bind to arguments.
    pub(super) bindings: Vec<Binding>,
    pub(super) qualifiers: Qualifiers,
    /// A template of C++ with type parameters.
    pub(super) is_template: bool,
    /// `template <>`
    pub(super) is_specialization: bool,
    pub(super) is_declaration: bool,
}

impl Overload {
    /// Returns false if a call with so many type arguments cannot refer to the method.
    pub(super) fn accepts(&self, rules: &Rules, stated: Option<usize>) -> bool {
        match (self.type_parameters, stated) {
            (None, _) => true,
            (Some(of), Some(stated)) => of == stated,
            _ => self.is_inferable || rules.type_arguments != TypeArguments::StatedOrOfArguments,
        }
    }
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
    let types = &overload.types;
    let forms = forms.get(overload.instances..).unwrap_or_default();
    let labels = labels.get(overload.instances..).unwrap_or_default();
    // The last parameter may accept more than one argument.
    let last = types.last().filter(|of| of.as_ref().is_some_and(|of| of.is_variadic));
    let places = match rules.labels {
        None => (0..forms.len()).collect(),
        Some(rule) => match named::assigned(rule, labels, &overload.names, types) {
            Some(places) => places,
            None => return 0,
        },
    };
    let of = |at: usize| types.get(at).or(last);
    let known = forms.iter().zip(places).filter_map(|(form, at)| Some((form, of(at)?)));
    let fits: Vec<u32> = known.map(|(form, of)| fit(form, of.as_ref())).collect();
    let sum = fits.iter().sum::<u32>();
    match rules.labels {
        _ if rules.is_strict && fits.contains(&0) => 0,
        None => sum,
        Some(_) => {
            let is_exact = last.is_none() && types.len() == forms.len();
            let is_concrete = types.iter().all(Option::is_some);
            // Of a type with and one without type arguments, the former is the usual one.
            let is_generic = types.iter().flatten().any(|of| of.arguments > 0);
            let ties = [is_generic, is_concrete, is_exact].map(u32::from);
            1 + 8 * sum + ties[0] + 2 * ties[1] + 4 * ties[2]
        }
    }
}
