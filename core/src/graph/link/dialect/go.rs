//! Go: files of a package see each other's names, and each file declares its package.

use super::{ArgumentRules, Dialect, Group, NONE, Structural, library};

pub(super) static GO: Dialect = Dialect {
    group: Group::Go,
    library: library::go,
    has_packages: true,
    searches_bases_by_depth: true,
    structural: Some(Structural::Interfaces),
    declares_package_name: true,
    arguments: Some(ArgumentRules { spreads_results: true, ..ArgumentRules::USUAL }),
    common: &[
        "Add", "Close", "Error", "Flush", "Get", "Len", "Lock", "Name", "Open", "Read", "Reset",
        "RLock", "RUnlock", "Set", "String", "Unlock", "Write",
    ],
    ..NONE
};
