//! Which of several common ways a repository takes for one purpose; see [`super::ways`].
//!
//! A way is a convention if at least five files take it and at most a tenth as many take another one.

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
        let mut other = purpose.ways.iter().enumerate().filter(|(at, _)| *at != best);
        let other = other.next().map_or("", |(_, way)| way.name);
        if is_sure {
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
