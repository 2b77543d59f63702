//! Coverage of a reply: which files could not be indexed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use serde::Serialize;

use super::{counted, paths};
use crate::base::ids::FileId;
use crate::base::text;
use crate::catalog::Catalog;
use crate::catalog::extract::Extract;
use crate::catalog::file_list::FileState;
use crate::error::Result;
use crate::graph::link::SymbolAt;
use crate::index::table::Flags;

/// How many bytes at the start of a file are examined to decide whether it is text.
const HEAD_BYTES: usize = 8000;

/// What notices call files without facts.
pub(super) const NOT_INDEXED: &str = "not indexed yet";

/// Whether a reply is complete.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It covers all files.
    Ok,
    /// Some files are not indexed yet.
    Partial,
    /// Nothing was found.
    NoData,
    /// Several definitions match; the caller has to choose one.
    Ambiguous,
}

/// Definitions whose names are looked for in files that are not read. Those of one query mostly have the
/// same name.
pub(super) const NAMED_MAX: usize = 64;

/// The purpose for which files are read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reading {
    /// Their definitions: files in known languages, up to the length that is parsed.
    Symbols,
    /// Their words: texts up to 32 MiB.
    Words,
}

/// The first fields of a reply: its coverage.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct Coverage {
    /// Whether the reply is complete.
    pub status: Status,
    /// How many files are not indexed yet.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_unknown: usize,
    /// How many texts are not read because of their size or encoding, if they were counted.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_unread: usize,
    /// How many files could not be parsed completely, if they were counted.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_unparsed: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Coverage {
    /// Returns the coverage of `catalog`. O(1).
    pub fn of(catalog: &Catalog) -> Coverage {
        let files_unknown = catalog.missing().len();
        let status = if files_unknown == 0 { Status::Ok } else { Status::Partial };
        Coverage { status, files_unknown, files_unread: 0, files_unparsed: 0 }
    }

    /// Returns the coverage with the number of texts that are not read for the given purpose, and
    /// for definitions also of files that could not be parsed.
    /// O(files) the first time, then cached.
    #[must_use]
    pub fn or_unread(self, catalog: &Catalog, reading: Reading) -> Coverage {
        let count = || {
            let is_certain = AtomicBool::new(true);
            let is_unread = |at: &usize| {
                let unread = is_unread(catalog, FileId::new(*at), reading);
                is_certain.fetch_and(unread.is_some(), Ordering::Relaxed);
                unread.unwrap_or(true)
            };
            let files = (0..catalog.files().len()).into_par_iter().with_min_len(4096);
            (files.filter(is_unread).count(), is_certain.into_inner())
        };
        let files_unparsed = match reading {
            Reading::Symbols => catalog.unparsed().len(),
            Reading::Words => 0,
        };
        Coverage { files_unread: catalog.unread(reading as usize, count), files_unparsed, ..self }
    }

    /// As [`Coverage::or_unread_with`], for the names of `definitions`.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if an index is damaged.
    pub fn or_unread_of(self, catalog: &Catalog, definitions: &[SymbolAt]) -> Result<Coverage> {
        let mut names = BTreeSet::new();
        for &at in definitions.iter().take(NAMED_MAX) {
            names.extend(catalog.symbol(at)?.map(|symbol| symbol.name.clone()));
        }
        self.or_unread_with(catalog, &names.iter().map(String::as_str).collect())
    }

    /// Returns the coverage with the number of files that contain one of these names and are not read
    /// for definitions and calls, or could not be parsed completely, so that uses of the name may be
    /// missing. Texts whose words are not read either are counted, too.
    /// O(files with the names), and O(files) the first time.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if an index is damaged.
    pub fn or_unread_with(self, catalog: &Catalog, names: &BTreeSet<&str>) -> Result<Coverage> {
        let all = self.or_unread(catalog, Reading::Symbols);
        if all.files_unread == 0 && all.files_unparsed == 0 {
            return Ok(self);
        }
        let unparsed = catalog.unparsed();
        let (mut unread, mut lost) = (BTreeSet::new(), BTreeSet::new());
        for name in names {
            for file in catalog.word(name)?.iter().map(|found| found.file) {
                if unparsed.binary_search_by_key(&file, |(file, _)| *file).is_ok() {
                    lost.insert(file);
                } else if is_unread(catalog, file, Reading::Symbols).unwrap_or(true) {
                    unread.insert(file);
                }
            }
        }
        let without_words = self.or_unread(catalog, Reading::Words).files_unread;
        let files_unread = unread.len() + without_words;
        Ok(Coverage { files_unread, files_unparsed: lost.len(), ..self })
    }

    /// Returns the notice that the reply may be incomplete, if so.
    pub fn notice(self) -> Option<String> {
        let unknown = (self.files_unknown > 0).then(|| {
            let files = counted(self.files_unknown, "file");
            format!("{files} {NOT_INDEXED}; results may be incomplete")
        });
        let all: Vec<String> = unknown.into_iter().chain(self.unread_notices()).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// Returns the notices that texts are not read or could not be parsed, if there are some.
    pub fn unread_notices(self) -> Vec<String> {
        let unread = (self.files_unread > 0).then(|| {
            let files = counted(self.files_unread, "file");
            format!("{files} not read because of size or encoding; {{tool:search}} reads them")
        });
        let unparsed = (self.files_unparsed > 0).then(|| {
            let files = counted(self.files_unparsed, "file");
            format!("{files} not parsed completely; `codedb status` names them, {{tool:search}} reads them")
        });
        unread.into_iter().chain(unparsed).collect()
    }
}

/// Returns true if a file is a text that is not indexed because of its size or encoding; `None` if
/// the file cannot be read to decide it. O(1), except for files whose first bytes must be read.
pub fn is_unread(catalog: &Catalog, file: FileId, reading: Reading) -> Option<bool> {
    let info = catalog.files().info(file.index());
    let language = paths::language(catalog.path(file));
    let bytes_max = match (reading, language) {
        (Reading::Symbols, None) => return Some(false),
        (Reading::Symbols, Some(language)) => language.bytes_max() as u64,
        (Reading::Words, _) => Extract::BYTES_MAX,
    };
    let is_long = info.size_bytes > bytes_max;
    let may_be_utf16 = match info.state {
        // Of the files that were read, only those in UTF-16 have the flag `SCAN`.
        FileState::Same => info.flags.has(Flags::SCAN) && info.hash != 0,
        FileState::Changed | FileState::Added => {
            let summary = catalog.summary(file).ok().flatten();
            info.size_bytes > 1 && summary.is_some_and(|of| of.lines == 0)
        }
    };
    if info.flags.has(Flags::SECRET) || !is_long && !may_be_utf16 {
        return Some(false);
    }
    let head = catalog.read(file, HEAD_BYTES)?;
    Some(text::is_text(&head) && (is_long || text::is_utf16(&head)))
}
