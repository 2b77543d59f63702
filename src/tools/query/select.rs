//! Steps that select and order files: `find`, `filter`, `deps`, `sort`, `limit`.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::super::deps::{Direction, reach};
use super::super::glob::PathGlob;
use super::super::paths;
use super::{By, Flow, Item, Step};
use crate::answer::nearest;
use crate::base::ids::FileId;
use crate::error::{Error, Result};
use crate::lang::language::LANGUAGES;
use crate::lang::marks;

impl Flow<'_> {
    /// Keeps the files whose paths match, the best first.
    pub(super) fn find(&mut self, step: &Step) -> Result<()> {
        let query = self.required_query(step)?.as_bytes();
        let names = self.call.code.names()?;
        let max = step.max_results.unwrap_or(usize::MAX).min(self.catalog.files().len());
        let mut before: HashMap<usize, Item> =
            self.items.drain(..).map(|item| (item.at, item)).collect();
        let hits = names.find(query, self.catalog.files().len()).best;
        self.items = hits.iter().filter_map(|hit| before.remove(&hit.at)).take(max).collect();
        Ok(())
    }

    /// Keeps the files with given properties.
    pub(super) fn filter(&mut self, step: &Step) -> Result<()> {
        if step.path_glob.is_none() && step.language.is_none() && step.test.is_none() {
            return Err(Error::usage("missing argument: `path_glob`, `language` or `test`"));
        }
        let root = self.call.code.root();
        let glob = step.path_glob.as_deref().map(|glob| PathGlob::new(root, glob)).transpose()?;
        let language = step.language.as_deref().map(language).transpose()?;
        let catalog = self.catalog;
        let mut kept = Vec::with_capacity(self.items.len());
        for item in self.items.drain(..) {
            let file = FileId::new(item.at);
            let path = catalog.path(file);
            if glob.as_ref().is_some_and(|glob| !glob.is_match(path)) {
                continue;
            }
            let summary = catalog.summary(file)?;
            // The language of a file that is not indexed yet follows from its name.
            let is_in = |name| match summary {
                Some(known) => known.language.is_some_and(|of| of.name == name),
                None => paths::language(path).is_some_and(|of| of.name == name),
            };
            if language.is_some_and(|name| !is_in(name)) {
                continue;
            }
            let marks = summary.map_or_else(|| marks::of_path(path), |summary| summary.marks);
            if step.test.is_none_or(|test| test == marks.test) {
                kept.push(item);
            }
        }
        self.items = kept;
        Ok(())
    }

    /// Replaces the files by those that import them, or that they import, nearest first.
    pub(super) fn deps(&mut self, step: &Step) -> Result<()> {
        let start: Vec<FileId> = self.items.iter().map(|item| FileId::new(item.at)).collect();
        let direction = step.direction.unwrap_or(Direction::ImportedBy);
        let depth_max = step.max_depth.unwrap_or(if step.transitive { usize::MAX } else { 1 });
        let reached = reach(self.catalog, &start, direction, depth_max);
        let item = |file: FileId| Item { at: file.index(), ..Item::default() };
        self.items = reached.iter().map(|found| item(found.file)).collect();
        Ok(())
    }

    /// Sorts the files; the sort is stable.
    pub(super) fn sort(&mut self, step: &Step) -> Result<()> {
        let Some(by) = step.by else { return Err(Error::usage("missing argument `by`")) };
        let catalog = self.catalog;
        let ranks = if by == By::Rank { catalog.file_rank() } else { &[] };
        let mut keyed = Vec::with_capacity(self.items.len());
        for item in self.items.drain(..) {
            let summary = catalog.summary(FileId::new(item.at))?.unwrap_or_default();
            let most = match by {
                By::Path | By::Rank => 0,
                By::Lines => i64::from(summary.lines),
                By::Symbols => i64::from(summary.symbols),
                By::Modified => catalog.files().info(item.at).modified_ns,
                By::Matches => item.matches_total as i64,
            };
            let rank = ranks.get(item.at).copied().unwrap_or_default();
            let place = if by == By::Path { item.at } else { 0 };
            keyed.push((Reverse(most), rank, place, item));
        }
        keyed.sort_by(|a, b| {
            let order = a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2));
            if step.reverse { order.reverse() } else { order }
        });
        self.items = keyed.into_iter().map(|(.., item)| item).collect();
        Ok(())
    }

    /// Keeps the first files.
    pub(super) fn limit(&mut self, step: &Step) -> Result<()> {
        let Some(max) = step.max_results else {
            return Err(Error::usage("missing argument `max_results`"));
        };
        self.items.truncate(max);
        Ok(())
    }
}

/// Returns the canonical spelling of the name of a language.
fn language(given: &str) -> Result<&'static str> {
    let lowercase = given.to_lowercase();
    let names: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
    if let Some(name) = names.iter().find(|name| name.to_lowercase() == lowercase) {
        return Ok(name);
    }
    let found = nearest::among(names.iter().map(|name| name.as_bytes()), lowercase.as_bytes());
    let offered: Vec<String> = found.iter().map(|&at| names[at].to_owned()).collect();
    let error = Error::usage(format!("unknown language `{given}`"));
    Err(match nearest::hint(&offered) {
        Some(hint) => error.with_hint(hint),
        None => error.with_hint(format!("supported: {}", names.join(", "))),
    })
}
