//! The files and definitions of a change: those in a diff, or those that differ from an earlier
//! state.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::{Code as _, FileFacts, SymbolAt};
use crate::history::git::Git;
use crate::lang::{Limits, Symbol};

use super::diff::FileDiff;

/// Maximum number of files whose definitions are compared.
const COMPARED_MAX: usize = 200;

/// Maximum size of a text that is compared, in bytes.
const BYTES_MAX: usize = Limits::DEFAULT.bytes_max + 1;

/// A change.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Changed {
    /// The files, in path order.
    pub files: Vec<FileId>,
    /// The innermost changed definitions, by file and position.
    pub symbols: Vec<SymbolAt>,
}

/// A file and its earlier state.
#[derive(Debug)]
pub struct Before {
    /// The file.
    pub file: FileId,
    /// `None` for a new file.
    pub earlier: Option<Earlier>,
}

/// The earlier text of a file with its definitions.
#[derive(Debug)]
pub struct Earlier {
    /// The text.
    pub text: Vec<u8>,
    /// Its definitions; none if the file has no facts now.
    pub symbols: Vec<Symbol>,
}

impl Before {
    /// Returns the earlier states of files from their texts in `commit`, under the given repository
    /// paths; `None` for new files. Few git processes for all of them; several threads parse. O(texts).
    ///
    /// # Errors
    ///
    /// If git or the parser fails.
    pub fn read(
        catalog: &Catalog,
        git: &Git,
        commit: &str,
        files: Vec<(FileId, Option<Vec<u8>>)>,
    ) -> Result<Vec<Before>> {
        let paths: Vec<Vec<u8>> = files.iter().filter_map(|(_, path)| path.clone()).collect();
        let mut texts = git.texts_at(commit, &paths)?.into_iter();
        let with_texts: Vec<(FileId, Option<Vec<u8>>)> = files
            .into_iter()
            .map(|(file, path)| (file, path.and_then(|_| texts.next().flatten())))
            .collect();
        let parsed = |(file, text): (FileId, Option<Vec<u8>>)| {
            let Some(text) = text else { return Ok(Before { file, earlier: None }) };
            let symbols = match catalog.file(file) {
                Some(facts) => catalog.outline(facts.language, &facts.path, &text)?.symbols,
                None => Vec::new(),
            };
            Ok(Before { file, earlier: Some(Earlier { text, symbols }) })
        };
        with_texts.into_par_iter().map(parsed).collect()
    }
}

impl Changed {
    /// Returns the change from the texts in `before` to the current `files`. Definitions are
    /// compared in the first 200 files. O(their texts).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if an index is damaged.
    pub fn since(catalog: &Catalog, files: &[FileId], before: &[Before]) -> Result<Changed> {
        let mut changed = Changed { files: files.to_vec(), symbols: Vec::new() };
        for Before { file, earlier } in before.iter().take(COMPARED_MAX) {
            let Some((facts, text)) = facts_and_text(catalog, *file)? else { continue };
            let mut had: BTreeMap<&str, BTreeSet<&[u8]>> = BTreeMap::new();
            let earlier = earlier.iter().flat_map(|of| of.symbols.iter().map(move |it| (of, it)));
            for (Earlier { text, .. }, symbol) in earlier {
                let text = text.get(symbol.span.clone()).unwrap_or_default();
                had.entry(&symbol.qualified_name).or_default().insert(text);
            }
            let differs = |symbol: &Symbol| {
                let text = text.get(symbol.span.clone()).unwrap_or_default();
                had.get(symbol.qualified_name.as_str()).is_none_or(|had| !had.contains(text))
            };
            changed.add(*file, &facts, differs);
        }
        Ok(changed.finish())
    }

    /// Returns the existing files of a diff and the definitions that contain its changed lines. The
    /// diff may be applied already or not. O(files + diff).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if an index is damaged.
    pub fn in_diff(catalog: &Catalog, diff: &[FileDiff]) -> Result<Changed> {
        let mut changed = Changed::default();
        for of in diff {
            let names = [of.new_path.as_deref(), of.old_path.as_deref()];
            let mut names = names.into_iter().flatten();
            let Some(at) = names.find_map(|name| catalog.files().find(name.as_bytes())) else {
                continue;
            };
            let file = FileId::new(at);
            changed.files.push(file);
            let Some((facts, text)) = facts_and_text(catalog, file)? else { continue };
            let text = String::from_utf8_lossy(&text);
            let lines: Vec<&str> = text.lines().collect();
            let touched: BTreeSet<usize> =
                of.hunks.iter().flat_map(|hunk| hunk.touched(&lines)).collect();
            changed.add(file, &facts, |symbol| {
                touched.range(symbol.line..=symbol.end_line.max(symbol.line)).next().is_some()
            });
        }
        Ok(changed.finish())
    }

    /// Adds the innermost changed definitions of a file.
    fn add(&mut self, file: FileId, facts: &FileFacts, is_changed: impl Fn(&Symbol) -> bool) {
        if !facts.language.is_code() {
            return;
        }
        let places: BTreeSet<usize> =
            (0..facts.symbols.len()).filter(|&at| is_changed(&facts.symbols[at])).collect();
        let around: BTreeSet<usize> =
            places.iter().filter_map(|&at| facts.symbols[at].parent).collect();
        let innermost = places.iter().filter(|at| !around.contains(at));
        self.symbols.extend(innermost.map(|&at| SymbolAt { file, place: at as u32 }));
    }

    fn finish(mut self) -> Changed {
        self.files.sort_unstable();
        self.files.dedup();
        self.symbols.sort_unstable();
        self.symbols.dedup();
        self
    }

    /// Returns the union of two changes.
    #[must_use]
    pub fn with(mut self, other: Changed) -> Changed {
        self.files.extend(other.files);
        self.symbols.extend(other.symbols);
        self.finish()
    }

    /// Keeps the changes in files whose repository path satisfies `holds`.
    #[must_use]
    pub fn within(mut self, catalog: &Catalog, holds: impl Fn(&[u8]) -> bool) -> Changed {
        self.files.retain(|file| holds(catalog.path(*file)));
        self.symbols.retain(|at| holds(catalog.path(at.file)));
        self
    }
}

type Facts = std::sync::Arc<FileFacts>;

/// Returns the facts of a file with the text from which they were extracted.
fn facts_and_text(
    catalog: &Catalog,
    file: FileId,
) -> Result<Option<(Facts, crate::source::text_cache::Text)>> {
    let facts = catalog.facts(file)?;
    Ok(facts.zip(catalog.read_as_indexed(file, BYTES_MAX)))
}
