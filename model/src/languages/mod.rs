//! One folder per language: its rules, and its standard library as data.

mod c;
mod cpp;
mod csharp;
mod go;
mod java;
mod kotlin;
mod php;
mod python;
mod ruby;
mod rust;
mod swift;
mod typescript;

use crate::rules::Rules;

/// The languages by their names.
pub const ALL: [(&str, &dyn Rules); 12] = [
    ("c", &c::Language),
    ("cpp", &cpp::Language),
    ("csharp", &csharp::Language),
    ("go", &go::Language),
    ("java", &java::Language),
    ("kotlin", &kotlin::Language),
    ("php", &php::Language),
    ("python", &python::Language),
    ("ruby", &ruby::Language),
    ("rust", &rust::Language),
    ("swift", &swift::Language),
    ("typescript", &typescript::Language),
];

/// Returns the rules of a language by its name.
pub fn rules(language: &str) -> Option<&'static dyn Rules> {
    ALL.iter().find(|(name, _)| *name == language).map(|&(_, rules)| rules)
}
