//! Builds and refreshes the code index: the stage `full`, after the search index is `ready`.
//!
//! Several threads read, parse and tokenize files; the files are added to a segment in path order.
//! Files that an earlier segment already covers are not read again. If all files are read, the text
//! index is built from the same texts, by a thread of its own; meanwhile another one reads the
//! commit log.

mod status;

pub use status::{CodeStatus, LanguageFiles, check_code, code_status};

use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use super::history::{self, HistoryBuilt, HistoryProgress};
use super::ordered::ordered;
use super::progress::{Progress, Stage};
use super::text::{self, IndexTrust};
use super::{Engine, attach};
use crate::base::ids::FileId;
use crate::catalog::extract::{Extract, extract};
use crate::error::{Kind, Result};
use crate::index::code::doc_map::DocMap;
use crate::index::code::store::{self, CodeIndex, CodeStore, SEGMENTS_MAX};
use crate::index::code::{CodeSegmentBuilder, FileRecord};
use crate::index::store::WriterLock;
use crate::index::table::{Flags, Table};
use crate::index::text::Prepared;
use crate::source::read::Buffer;

/// Maximum number of segments that refreshes add to the base before they are rebuilt as one.
const ADDED_SEGMENTS_MAX: usize = 6;

/// Maximum number of segments of the base, which leaves room for the segments that refreshes add.
/// Once it is reached, all remaining files go into the last segment.
const BASE_SEGMENTS_MAX: usize = SEGMENTS_MAX - ADDED_SEGMENTS_MAX - 1;

/// Maximum number of files whose words wait for the thread that writes the text index.
const WAITING_MAX: usize = 16;

/// The result of [`build_code`].
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct CodeBuilt {
    /// Files in the code index.
    pub files: u64,
    /// Number of files read for it.
    pub read: u64,
    /// Something was published.
    pub published: bool,
    /// The result of updating the commit log.
    pub history: HistoryBuilt,
}

/// Brings the code index up to the newest generation of the search index, and with it the text
/// index and the commit log; with `anew` from scratch. Does nothing if there is no search index. If
/// the search index has not changed since, every block of the code and text index is checked, and a
/// damaged index is built again. O(text of files that no segment covers, and bytes that are
/// checked).
///
/// # Errors
///
/// [`Kind::Busy`] while another process does the same, [`Kind::Cancelled`], [`Kind::Io`] where the
/// index directory cannot be written.
pub fn build_code(engine: &Engine, anew: bool, progress: &Progress) -> Result<CodeBuilt> {
    let code_store = CodeStore(&engine.store);
    let lock = code_store.lock()?;
    attach::shared(&engine.store, progress, || build_locked(engine, anew, &lock, progress))
}

fn build_locked(
    engine: &Engine,
    anew: bool,
    lock: &WriterLock,
    progress: &Progress,
) -> Result<CodeBuilt> {
    let code_store = CodeStore(&engine.store);
    let Some(snapshot) = engine.snapshot()? else { return Ok(CodeBuilt::default()) };
    let (table, generation) = (&snapshot.table, snapshot.generation);
    let all = readable_files(table)?;
    let before = code_store.newest().ok().flatten();
    let trust = if anew {
        IndexTrust::Untrusted
    } else if before.is_some_and(|before| before.generation != generation) {
        IndexTrust::Opened
    } else {
        IndexTrust::Checked
    };
    let is_full = CodeSegmentBuilder::is_full;
    let is_text_due = text::is_due(engine, table, &all, trust)?;
    let job = Job { engine, lock, generation, table, progress, is_text_due, is_full };
    let build = || {
        let (built, has_text) =
            build_segments(&job, &all, anew).inspect_err(|_| code_store.tidy(lock))?;
        if is_text_due
            && !has_text
            && let Some(code) = code_store.open()?
        {
            let (segments, doc_map) = (&code.segments, &doc_map(&code, table)?);
            let sources =
                text::Sources { engine, table, generation, files: &all, segments, doc_map };
            text::build(sources, lock, progress)?;
        }
        Ok(built)
    };
    let log_progress = HistoryProgress::new(progress);
    let log = || history::build(engine, anew, lock, &log_progress);
    if engine.environment.threads < 2 {
        let built = build()?;
        log_progress.show();
        return Ok(CodeBuilt { history: log()?, ..built });
    }
    thread::scope(|scope| {
        let log = scope.spawn(log);
        // Dropped if the build fails or panics: then the log is not waited for.
        let stops = StopOnDrop(&log_progress);
        let built = build()?;
        std::mem::forget(stops);
        log_progress.show();
        let history = log.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(CodeBuilt { history, ..built })
    })
}

/// Stops reading the commit log when it is dropped.
struct StopOnDrop<'a>(&'a HistoryProgress<'a>);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Brings the segments up to date for the files `all`. Also returns true if the text index was built
/// with them.
fn build_segments(job: &Job<'_>, all: &[FileId], anew: bool) -> Result<(CodeBuilt, bool)> {
    let table = job.table;
    let code_store = CodeStore(&job.engine.store);
    let code = match code_store.open() {
        _ if anew => None,
        Err(error) if error.kind() == Kind::Corrupt => None,
        other => other?,
    };
    let Some(code) = code else { return job.publish(None, all) };
    for segment in &code.segments {
        job.engine.parsers.remember_crashes(segment.crashes().unwrap_or_default().into_iter());
    }
    // A refresh that finds no changes also guarantees that the index is undamaged.
    let is_current = code.manifest.generation == job.generation;
    if is_current && code.segments.iter().any(|segment| segment.container().check_all().is_err()) {
        return job.publish(None, all);
    }
    let doc_map = match doc_map(&code, table) {
        Err(error) if error.kind() == Kind::Corrupt => return job.publish(None, all),
        other => other?,
    };
    let missing: Vec<FileId> =
        all.iter().copied().filter(|file| doc_map.doc(file.index()).is_none()).collect();
    if missing.is_empty() && is_current {
        return Ok((CodeBuilt { files: all.len() as u64, ..CodeBuilt::default() }, false));
    }
    // The base is kept while most of its files are still valid.
    let base_segments = code.manifest.base;
    let is_in_base = |file: &FileId| {
        doc_map.doc(file.index()).is_some_and(|(segment, _)| segment < base_segments)
    };
    let base: u64 =
        code.segments[..base_segments].iter().map(|segment| u64::from(segment.docs())).sum();
    let live_of_base = all.iter().filter(|file| is_in_base(file)).count() as u64;
    let is_old = live_of_base * 2 < base || live_of_base * 2 < all.len() as u64;
    if is_old || base_segments > BASE_SEGMENTS_MAX {
        return job.publish(None, all);
    }
    if code.segments.len() - base_segments >= ADDED_SEGMENTS_MAX && !missing.is_empty() {
        let again: Vec<FileId> = all.iter().copied().filter(|file| !is_in_base(file)).collect();
        return job.publish(Some((&code, base_segments)), &again);
    }
    job.publish(Some((&code, code.segments.len())), &missing)
}

/// Returns true if there is a code index, even an outdated or damaged one or one of another
/// version.
pub fn has_code(engine: &Engine) -> bool {
    CodeStore(&engine.store).was_built()
}

/// Returns the files of the code index: all that were read when the table was made and are not
/// secrets.
fn readable_files(table: &Table) -> Result<Vec<FileId>> {
    let mut files = Vec::new();
    for file in (0..table.files()).map(FileId) {
        let flags = table.file(file)?.flags;
        if table.hash(file)? != 0 && !flags.has(Flags::SECRET) {
            files.push(file);
        }
    }
    Ok(files)
}

fn doc_map(code: &CodeIndex, table: &Table) -> Result<DocMap> {
    DocMap::new(&code.segments, table.files() as usize, |at| {
        let file = FileId::new(at);
        Ok((table.path(file)?, Some(table.hash(file)?)))
    })
}

/// The parameters of an update of the segments.
#[derive(Clone, Copy)]
struct Job<'a> {
    engine: &'a Engine,
    lock: &'a WriterLock,
    generation: u64,
    table: &'a Table,
    progress: &'a Progress,
    /// The text index must be built, too.
    is_text_due: bool,
    /// Returns true if further files belong in the next segment.
    is_full: fn(&CodeSegmentBuilder) -> bool,
}

impl Job<'_> {
    /// Reads `files`, writes them to new segments and publishes them after the first segments of
    /// `base`. Without a base, `files` are all files, and the text index is built from them if it is
    /// due; returns true if it was.
    fn publish(
        &self,
        base: Option<(&CodeIndex, usize)>,
        files: &[FileId],
    ) -> Result<(CodeBuilt, bool)> {
        let Job { engine, lock, generation, table, progress, .. } = *self;
        let publish = |new| {
            CodeStore(&engine.store).publish(lock, new)?;
            let (files, read) = (table.files().into(), files.len() as u64);
            Ok(CodeBuilt { files, read, published: true, ..CodeBuilt::default() })
        };
        if base.is_some() || !self.is_text_due {
            return Ok((publish(self.write(base, files, None)?)?, false));
        }
        thread::scope(|scope| {
            let (to, from) = sync_channel(WAITING_MAX);
            let text = scope.spawn(move || text::write(engine, generation, &from, progress));
            let built = publish(self.write(base, files, Some(to))?)?;
            let text = text.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            text.finish(lock)?;
            Ok((built, true))
        })
    }

    /// Reads `files` and writes them to new segments, and sends their words to `text`.
    fn write(
        &self,
        base: Option<(&CodeIndex, usize)>,
        files: &[FileId],
        mut text: Option<SyncSender<Prepared>>,
    ) -> Result<store::NewSegments> {
        let Job { engine, generation, table, progress, is_full, .. } = *self;
        let code_store = CodeStore(&engine.store);
        let number = code_store.next_number();
        progress.enter(Stage::Parsing);
        progress.restart(files.len() as u64);
        let mut paths = Vec::with_capacity(files.len());
        for file in files {
            paths.push(table.path(*file)?);
        }
        let mut builder = CodeSegmentBuilder::default();
        let mut segments = 0;
        let segments_max = base.map_or(BASE_SEGMENTS_MAX, |(_, kept)| SEGMENTS_MAX - kept);
        let has_text = text.is_some();
        let work = |at: usize| {
            let mut buffer = Buffer::default();
            let facts = if progress.is_cancelled() {
                Ok(None)
            } else {
                extract(&engine.root, &paths[at], &mut buffer, &engine.parsers)
            };
            let found = facts.as_ref().ok().and_then(Option::as_ref);
            let prepared = found
                .filter(|_| has_text)
                .map(|extract| text::prepared(&paths[at], extract, buffer.bytes()));
            let bytes = found.map_or(0, Extract::memory_bytes)
                + prepared.as_ref().map_or(0, Prepared::memory_bytes);
            ((facts, prepared), bytes)
        };
        ordered(files.len(), engine.environment.threads, work, |at, (facts, prepared)| {
            if progress.is_cancelled() {
                return Err(Progress::cancelled());
            }
            let Some(facts) = facts? else { return Ok(()) };
            progress.add(1, facts.text.len() as u64);
            // Where the text index cannot be written, its thread returns the reason.
            if let Some(prepared) = prepared
                && text.as_ref().is_some_and(|text| text.send(prepared).is_err())
            {
                text = None;
            }
            if is_full(&builder) && segments + 1 < segments_max {
                std::mem::take(&mut builder).write(&code_store.segment_path(number, segments))?;
                segments += 1;
            }
            let words = facts.words();
            builder.add(&FileRecord {
                path: &paths[at],
                hash: facts.hash,
                language: facts.language,
                marks: facts.marks,
                text: &facts.text,
                lines: facts.lines(),
                facts: &facts.facts,
                words: &words,
            });
            Ok(())
        })?;
        // The text index is completed while the last segment is written.
        drop(text);
        if builder.files() > 0 || base.is_none() {
            progress.enter(Stage::Writing);
            builder.write(&code_store.segment_path(number, segments))?;
            segments += 1;
        }
        Ok(store::NewSegments {
            number,
            kept: base
                .map_or(Vec::new(), |(code, segments)| code.manifest.segments[..segments].to_vec()),
            kept_base: base.map_or(0, |(code, segments)| code.manifest.base.min(segments)),
            added: segments,
            is_base: base.is_none(),
            generation,
        })
    }
}

#[cfg(test)]
mod tests;
