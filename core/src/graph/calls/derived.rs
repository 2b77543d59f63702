//! Calls that do not have the name of what they refer to, in Rust: of methods that attributes derive
//! (`#[derive(Clone)]`), which refer to the type, and conversions (`into()`, which runs `from`).

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::graph::link::{Linker, Site, SymbolAt};
use crate::lang::facts::Role;

/// The most calls of derived methods' names that are resolved.
const SITES_MAX: usize = 5_000;

/// Returns true for the name of a conversion, which may run any method that converts.
pub(super) fn is_conversion(name: &str) -> bool {
    matches!(name, "into" | "parse" | "try_into")
}

/// Returns the calls by the names of the methods that types derive, and by those of conversions, each
/// with its name, and whether there are too many. They are no calls of the symbols' names: only those
/// that resolve to a symbol count, and conversions that are unresolved.
pub(super) fn derived_sites(linker: &Linker<'_>, of: &[SymbolAt]) -> (Vec<(Arc<str>, Site)>, bool) {
    let names: BTreeSet<&str> = of.iter().flat_map(|&at| linker.derived_methods(at)).collect();
    let mut found = Vec::new();
    for name in names {
        let text: Arc<str> = name.into();
        let sites = linker.code().sites(name).into_iter();
        let calls = sites
            .filter(|site| site.reference.role == Role::Call && site.reference.receiver.is_some());
        found.extend(calls.map(|site| (Arc::clone(&text), site)));
    }
    let conversions: BTreeSet<&str> = of.iter().flat_map(|&at| linker.conversions_to(at)).collect();
    for name in conversions {
        let text: Arc<str> = name.into();
        let sites = linker.code().sites(name).into_iter();
        let calls = sites.filter(|site| {
            let used = &site.reference;
            used.role == Role::Call && used.receiver.is_some() && used.arguments == Some(0)
        });
        found.extend(calls.map(|site| (Arc::clone(&text), site)));
    }
    let is_cut = found.len() > SITES_MAX;
    found.truncate(SITES_MAX);
    (found, is_cut)
}
