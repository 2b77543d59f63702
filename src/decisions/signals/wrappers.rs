//! Functions of C that a repository calls instead of those of the standard library: `xmalloc` for `malloc`.

use std::collections::BTreeMap;

use super::observe::Observed;
use super::{Draft, Kind, REFERENCES, Signal, is_share, name, scope_of};
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::userdata::decisions::{Confidence, SourceRef};

/// The fewest files that call a wrapper.
const FILES_MIN: usize = 5;

/// A function that wraps one of the standard library.
struct Wrapper<'o> {
    name: &'o str,
    of: &'static str,
    file: &'o Observed,
    line: usize,
    /// The number of files that name it, and of those that name the other one.
    own: usize,
    standard: usize,
}

/// Adds the wrappers that files call instead of the function of the standard library.
pub fn find(catalog: &Catalog, files: &[Observed], signals: &mut Vec<Signal>) {
    let mut by_name: BTreeMap<&str, (&'static str, &Observed, usize)> = BTreeMap::new();
    for file in files {
        for (wrapper, of, line) in &file.wrappers {
            by_name.entry(wrapper).or_insert((of, file, *line));
        }
    }
    let c_files: Vec<&str> = files
        .iter()
        .filter(|it| ["c", "cpp"].contains(&it.language) && !it.is_test)
        .map(|it| it.path.as_str())
        .collect();
    let with = |word: &str| -> Vec<(String, FileId)> {
        let found = catalog.word(word).unwrap_or_default();
        let path = |it: &crate::catalog::WordIn| {
            (String::from_utf8_lossy(catalog.path(it.file)).into_owned(), it.file)
        };
        found.iter().map(path).filter(|(path, _)| c_files.contains(&path.as_str())).collect()
    };
    // By prefix: a family of wrappers is one decision.
    let mut families: BTreeMap<String, Vec<Wrapper<'_>>> = BTreeMap::new();
    for (wrapper, (of, file, line)) in by_name {
        let (own, standard) = (with(wrapper).len(), with(of).len());
        if own >= FILES_MIN && is_share(own, own + standard, 80) {
            let prefix = wrapper.strip_suffix(of).unwrap_or_default().to_owned();
            let it = Wrapper { name: wrapper, of, file, line, own, standard };
            families.entry(prefix).or_default().push(it);
        }
    }
    for mut family in families.into_values() {
        family.sort_by_key(|it| (std::cmp::Reverse(it.own), it.name));
        family.truncate(REFERENCES);
        let all = |shown: &dyn Fn(&Wrapper<'_>) -> String| -> Vec<String> {
            family.iter().map(shown).collect()
        };
        let wrappers = all(&|it| format!("`{}`", name(it.name))).join(", ");
        let standard = all(&|it| format!("`{}`", it.of)).join(", ");
        let counts = all(&|it| {
            let Wrapper { of, own, standard, .. } = it;
            format!("`{}` in {own} files, `{of}` in {standard}", name(it.name))
        });
        let refs = family.iter().map(|it| {
            SourceRef::line(&it.file.path, it.line, format!("defines `{}`", name(it.name)))
        });
        let draft = Draft {
            scope: scope_of(c_files.iter().copied(), family[0].file.language),
            kind: Kind::Alternatives,
            pattern: format!("Call {wrappers} instead of {standard}"),
            rationale: format!("The repository has its own functions: {}.", counts.join("; ")),
            confidence: Confidence::High,
            source_refs: refs.collect(),
            keywords: &["memory", "allocate", "string", "call"],
        };
        signals.push(draft.signal());
    }
}
