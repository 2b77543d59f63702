//! Status of the code index and the text index.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{doc_map, readable_files};
use crate::base::ids::FileId;
use crate::engine::Engine;
use crate::error::Result;
use crate::history::store::HistoryStore;
use crate::index::code::store::CodeStore;
use crate::index::snapshot::Snapshot;
use crate::index::text::Unusable;
use crate::lang::Problem;

/// Maximum number of files in [`CodeStatus::failed`].
const FAILED_MAX: usize = 5;

/// Numbers of files in a language.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct LanguageFiles {
    /// Files that the code index covers.
    pub files: u64,
    /// Those with parts that the parser does not understand.
    pub with_errors: u64,
}

/// Status of the code index and the text index, for one generation of the search index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CodeStatus {
    /// There is a code index.
    pub exists: bool,
    /// Number of files whose content in the generation is covered by the code index.
    pub known: u64,
    /// Number of files that it should cover but does not.
    pub missing: u64,
    /// Number of symbols in all its segments, including those of files that changed since.
    pub symbols: u64,
    /// Number of references, counted like [`CodeStatus::symbols`].
    pub references: u64,
    /// Number of files with each problem that can make symbols incomplete.
    pub problems: BTreeMap<Problem, u64>,
    /// Files of each language, by its name.
    pub languages: BTreeMap<&'static str, LanguageFiles>,
    /// The first files whose definitions are incomplete, in path order, and why.
    pub failed: Vec<(Vec<u8>, Problem)>,
    /// Bytes of its segments.
    pub code_bytes: u64,
    /// Bytes of the text index.
    pub text_bytes: u64,
    /// Number of files that the text index lacks or has with different content.
    pub text_behind: u64,
    /// Reason why there is no text index, if so.
    pub text_unusable: Option<String>,
}

impl CodeStatus {
    /// Returns true if neither index lacks a file. The text index may be outdated, since ranking
    /// adds changed files in memory.
    pub fn is_full(&self) -> bool {
        self.exists && self.missing == 0 && self.text_unusable.is_none()
    }
}

/// Returns the status of the code index and the text index. O(files).
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] where the code index is damaged.
pub fn code_status(engine: &Engine, snapshot: &Snapshot) -> Result<CodeStatus> {
    let table = &snapshot.table;
    let files = readable_files(table)?;
    let mut status = CodeStatus { missing: files.len() as u64, ..CodeStatus::default() };
    if let Some(code) = CodeStore(&engine.store).open()? {
        let doc_map = doc_map(&code, table)?;
        let is_known = |file: &&FileId| doc_map.doc(file.index()).is_some();
        for file in &files {
            let Some((segment, doc)) = doc_map.doc(file.index()) else { continue };
            let doc = code.segments[segment].doc(doc)?;
            if status.failed.len() < FAILED_MAX
                && let Some(problem) = doc.lost_by()
            {
                status.failed.push((table.path(*file)?, problem));
            }
            if let Some(language) = doc.language {
                let count = status.languages.entry(language.name).or_default();
                count.files += 1;
                count.with_errors += u64::from(doc.has(Problem::Syntax));
            }
        }
        status.exists = true;
        status.known = files.iter().filter(is_known).count() as u64;
        status.missing = files.len() as u64 - status.known;
        for segment in &code.segments {
            status.symbols += segment.meta().symbols;
            status.references += segment.meta().references;
            status.code_bytes += segment.container().len_bytes();
            for (problem, count) in &segment.meta().problems {
                *status.problems.entry(*problem).or_default() += count;
            }
        }
    }
    match engine.text_index() {
        Ok(index) => {
            let mut listed = Vec::with_capacity(files.len());
            for file in &files {
                listed.push((table.path(*file)?, table.hash(*file)?));
            }
            let changes =
                index.changes(listed.iter().map(|(path, hash)| (path.as_slice(), *hash)))?;
            status.text_bytes = index.len_bytes();
            status.text_behind = (changes.changed.len() + changes.removed.len()) as u64;
        }
        Err(reason) => status.text_unusable = Some(reason.to_string()),
    }
    Ok(status)
}

/// Checks every block of the code index, of the text index and of the log of commits. O(their
/// bytes).
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] naming the first damaged file.
pub fn check_code(engine: &Engine) -> Result<()> {
    if let Some(code) = CodeStore(&engine.store).open()? {
        for segment in &code.segments {
            segment.container().check_all()?;
        }
    }
    match engine.text_index() {
        Ok(index) => index.check_all()?,
        Err(Unusable::Missing) => {}
        Err(Unusable::Broken(error)) => return Err(error),
    }
    HistoryStore(&engine.store).open().map(|_| ())
}
