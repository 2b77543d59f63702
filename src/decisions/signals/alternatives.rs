//! Which of several common ways a repository takes for one purpose; see [`super::ways`].
//!
//! A way is a convention if at least five files take it and at most a tenth as many take another one. It
//! is a proposal only if somebody would take another one: that occurs, or is what everybody does elsewhere.

use std::collections::BTreeSet;

use super::observe::Observed;
use super::ways::TABLE;
use super::{Draft, Kind, Signal, by_top, is_share, scope_of};
use crate::userdata::decisions::{Confidence, SourceRef};

/// Adds the ways that a repository takes.
pub fn find(files: &[Observed], signals: &mut Vec<Signal>) {
    let own = own_names(files);
    for (at, purpose) in TABLE.iter().enumerate() {
        // The package that the repository itself is, is no choice.
        if purpose.ways.iter().any(|way| own.contains(way.name.trim_matches('`'))) {
            continue;
        }
        let takes = |it: &&Observed| it.uses.iter().any(|&(purpose, ..)| purpose == at);
        let some: Vec<&Observed> = files.iter().filter(takes).collect();
        by_top(&some, signals, &|some, signals| of_purpose(at, some, signals));
    }
}

/// Returns the names of the packages in the tree: directories at its top or below one of sources, and
/// files there.
fn own_names(files: &[Observed]) -> BTreeSet<&str> {
    let name = |file: &'_ Observed| -> Option<(usize, usize)> {
        let path = file.path.as_str();
        let start =
            ["src/", "lib/", "python/", "packages/"].iter().find(|it| path.starts_with(**it));
        let start = start.map_or(0, |it| it.len());
        let end = path[start..].find(['/', '.'])? + start;
        Some((start, end))
    };
    files.iter().filter_map(|file| name(file).map(|(start, end)| &file.path[start..end])).collect()
}

/// Adds the way that files take for one purpose.
fn of_purpose(at: usize, files: &[&Observed], signals: &mut Vec<Signal>) {
    let mut all: Vec<(&Observed, usize, usize)> = Vec::new();
    for &file in files {
        let of = file.uses.iter().filter(|&&(purpose, ..)| purpose == at);
        all.extend(of.map(|&(_, way, line)| (file, way, line)));
    }
    let purpose = &TABLE[at];
    {
        let count = |way: usize| all.iter().filter(|it| it.1 == way).count();
        let counts: Vec<usize> = (0..purpose.ways.len()).map(count).collect();
        let Some((best, &most)) =
            counts.iter().enumerate().max_by_key(|&(at, count)| (count, std::cmp::Reverse(at)))
        else {
            return;
        };
        if most == 0 {
            return;
        }
        let others: usize = counts.iter().sum::<usize>() - most;
        let of_best: Vec<&(&Observed, usize, usize)> =
            all.iter().filter(|it| it.1 == best).collect();
        let refs: Vec<SourceRef> = of_best
            .iter()
            .take(super::REFERENCES)
            .map(|(file, _, line)| SourceRef::line(&file.path, *line, purpose.ways[best].name))
            .collect();
        let scope = scope_of(of_best.iter().map(|it| it.0.path.as_str()), of_best[0].0.language);
        let told: Vec<String> = purpose
            .ways
            .iter()
            .zip(&counts)
            .map(|(way, count)| format!("{}: {count} files", way.name))
            .collect();
        let rationale = told.join("; ");
        let is_sure =
            most >= 5 && is_share(most, most + others, 91) && !purpose.ways[best].is_default;
        // The way that others would take first.
        let other = purpose.ways.iter().enumerate().filter(|(at, _)| *at != best);
        let other =
            other.max_by_key(|(at, way)| (counts[*at], way.is_default, std::cmp::Reverse(*at)));
        let is_tempting = other.is_some_and(|(at, way)| counts[at] > 0 || way.is_default);
        let other = other.map_or("", |(_, way)| way.name);
        if is_sure && is_tempting {
            let confidence =
                if others == 0 && most >= 10 { Confidence::High } else { Confidence::Medium };
            let pattern = format!(
                "Use {} for {} instead of {}",
                purpose.ways[best].name, purpose.purpose, other
            );
            let draft = Draft {
                scope,
                kind: Kind::Alternatives,
                pattern,
                rationale: format!("Files by the way that they take: {rationale}."),
                confidence,
                source_refs: refs,
                keywords: purpose.keywords,
            };
            signals.push(draft.signal());
        } else if most >= 5 {
            let text = format!("for {}: {rationale}", purpose.purpose);
            signals.push(Signal {
                scope,
                kind: Kind::Alternatives,
                text,
                source_refs: refs,
                proposal: None,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the patterns for files of which each takes one way of the purpose with the keywords.
    fn proposed(name: &str, ways: &[usize]) -> Vec<String> {
        let at = TABLE.iter().position(|it| it.ways.iter().any(|way| way.name == name));
        let at = at.expect("a purpose");
        let file = |(number, way): (usize, &usize)| Observed {
            path: format!("a/{number}.x"),
            language: "rust",
            uses: vec![(at, *way, 1)],
            ..Observed::default()
        };
        let files: Vec<Observed> = ways.iter().enumerate().map(file).collect();
        let some: Vec<&Observed> = files.iter().collect();
        let mut signals = Vec::new();
        of_purpose(at, &some, &mut signals);
        signals.into_iter().filter_map(|it| it.proposal).map(|it| it.pattern).collect()
    }

    #[test]
    fn a_way_without_a_tempting_other_is_no_proposal() {
        assert_eq!(proposed("`thiserror`", &[0; 12]), Vec::<String>::new());
        let mut some = vec![0; 12];
        some.push(1);
        assert_eq!(
            proposed("`thiserror`", &some),
            ["Use `anyhow` for errors instead of `thiserror`"]
        );
        // What everybody takes elsewhere is tempting without a file that takes it.
        let expected = "Use `parking_lot` for locks instead of `std::sync`";
        assert_eq!(proposed("`parking_lot`", &[0; 12]), [expected]);
    }
}
