//! How a language counts the arguments of a call.

/// How many arguments a parameter accepts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in super::super) enum Parameter {
    Required,
    Optional,
    /// Any number.
    Many,
    /// None: a block follows the arguments.
    Block,
}

/// Arguments that a call may have beyond the parameters.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in super::super) enum Surplus {
    /// None.
    Forbidden,
    /// Any number.
    Allowed,
    /// Any number if there are parameters, one block otherwise.
    KeywordsOrBlock,
}

/// The rules by which the arguments of a call are counted.
#[derive(Clone, Copy)]
pub(in super::super) struct ArgumentRules {
    /// Classifies a parameter as it is written.
    pub(in super::super) classify: fn(&str) -> Parameter,
    /// An empty parameter list leaves the number open: C's `int f()`.
    pub(in super::super) is_empty_list_open: bool,
    /// A call may pass the instance, too: `Type::method(&value)`, `Type.method(value)`.
    pub(in super::super) passes_instance: bool,
    /// One argument may supply all parameters: Go's `f(g())` passes all results of `g`.
    pub(in super::super) spreads_results: bool,
    /// Arguments beyond the parameters.
    pub(in super::super) surplus: Surplus,
}

impl ArgumentRules {
    /// The rules of most languages: `a: A = 1` and `a?` are optional, `...` accepts any number.
    pub(super) const USUAL: ArgumentRules = ArgumentRules::new(usual);

    /// Returns rules without peculiarities that classify parameters by `classify`.
    pub(super) const fn new(classify: fn(&str) -> Parameter) -> ArgumentRules {
        ArgumentRules {
            classify,
            is_empty_list_open: false,
            passes_instance: false,
            spreads_results: false,
            surplus: Surplus::Forbidden,
        }
    }
}

/// Classifies a parameter in a language with default values.
pub(super) fn usual(parameter: &str) -> Parameter {
    let is_optional = parameter.contains('=') && !parameter.contains("=>")
        || parameter.contains(" = ")
        || parameter.contains("?:")
        || parameter.ends_with('?');
    if parameter.contains("...") {
        Parameter::Many
    } else if is_optional {
        Parameter::Optional
    } else {
        Parameter::Required
    }
}

/// Classifies a parameter that accepts any number of arguments if `is_many`.
pub(super) fn many_or_usual(is_many: bool, parameter: &str) -> Parameter {
    if is_many { Parameter::Many } else { usual(parameter) }
}

/// Classifies a parameter of a language in which only a default value makes it optional, but not a
/// type such as `Type?`; it accepts any number of arguments if `is_many`.
pub(super) fn many_or_default(is_many: bool, parameter: &str) -> Parameter {
    match parameter {
        _ if is_many => Parameter::Many,
        parameter if parameter.contains('=') => Parameter::Optional,
        _ => Parameter::Required,
    }
}

/// Returns true if `word` is one of the words of a parameter.
pub(super) fn has_word(parameter: &str, word: &str) -> bool {
    parameter.split(|c: char| !c.is_alphanumeric()).any(|part| part == word)
}
