//! How much of the tree an answer from the catalog knows of.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use serde::Serialize;

use super::{counted, paths};
use crate::base::ids::FileId;
use crate::base::text;
use crate::catalog::Catalog;
use crate::catalog::extract::Extract;
use crate::catalog::file_list::FileState;
use crate::index::table::Flags;
use crate::lang::Limits;

/// Bytes of a file that tell whether it is text.
const HEAD_BYTES: usize = 8000;

/// Whether an answer is whole.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Every file was asked.
    Ok,
    /// Of some files nothing is known yet.
    Partial,
    /// Nothing was found.
    NoData,
    /// There are several of that name; one is to be chosen.
    Ambiguous,
}

/// What files are read for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reading {
    /// Their definitions: files in known languages, up to 1 MiB.
    Symbols,
    /// Their words: texts up to 32 MiB.
    Words,
}

/// The first fields of a reply: whether it is whole.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct Known {
    /// Whether the answer is whole.
    pub status: Status,
    /// How many files nothing is known of yet.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_unknown: usize,
    /// How many texts are too long to be read, or in another encoding, where that was counted.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_unread: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Known {
    /// Returns how much `catalog` knows. O(1).
    pub fn of(catalog: &Catalog) -> Known {
        let files_unknown = catalog.missing().len();
        let status = if files_unknown == 0 { Status::Ok } else { Status::Partial };
        Known { status, files_unknown, files_unread: 0 }
    }

    /// Counts the texts that are not read for what the answer is about, too. O(files) the first time.
    #[must_use]
    pub fn or_unread(self, catalog: &Catalog, reading: Reading) -> Known {
        let count = || {
            let is_certain = AtomicBool::new(true);
            let is_unread = |at: &usize| {
                let told = is_unread(catalog, FileId::new(*at), reading);
                is_certain.fetch_and(told.is_some(), Ordering::Relaxed);
                told.unwrap_or(true)
            };
            let files = (0..catalog.files().len()).into_par_iter().with_min_len(4096);
            (files.filter(is_unread).count(), is_certain.into_inner())
        };
        Known { files_unread: catalog.unread(reading as usize, count), ..self }
    }

    /// Returns the notice that something may be missing, if so.
    pub fn notice(self) -> Option<String> {
        let unknown = (self.files_unknown > 0).then(|| {
            let files = counted(self.files_unknown, "file");
            format!("{files} not indexed yet; results may be incomplete")
        });
        let all: Vec<String> = unknown.into_iter().chain(self.unread_notice()).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    /// Returns the notice that texts are not read, if some were counted.
    pub fn unread_notice(self) -> Option<String> {
        (self.files_unread > 0).then(|| {
            let files = counted(self.files_unread, "file");
            format!(
                "{files} too long or in another encoding not read for this; {{tool:search}} reads them"
            )
        })
    }
}

/// Returns whether a file is a text that nothing is known of because of its length or encoding; `None` where
/// that cannot be found out. O(1), but for files of which only their first bytes tell it.
pub fn is_unread(catalog: &Catalog, file: FileId, reading: Reading) -> Option<bool> {
    let info = catalog.files().info(file.index());
    let bytes_max = match reading {
        Reading::Symbols => Limits::DEFAULT.bytes_max as u64,
        Reading::Words => Extract::BYTES_MAX,
    };
    let is_long = info.size_bytes > bytes_max;
    let may_be_utf16 = match info.state {
        // Of all files that were read, only those in UTF-16 are to be scanned.
        FileState::Same => info.flags.has(Flags::SCAN) && info.hash != 0,
        FileState::Changed | FileState::Added => {
            let known = catalog.summary(file).ok().flatten();
            info.size_bytes > 1 && known.is_some_and(|of| of.lines == 0)
        }
    };
    if info.flags.has(Flags::SECRET) || !is_long && !may_be_utf16 {
        return Some(false);
    }
    if reading == Reading::Symbols && paths::language(catalog.path(file)).is_none() {
        return Some(false);
    }
    let head = catalog.read(file, HEAD_BYTES)?;
    Some(text::is_text(&head) && (is_long || text::is_utf16(&head)))
}
