//! Builds the text index: while the code index is built, from the texts and symbols that it reads,
//! or after it, if only the text index has to be built.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Receiver;

use super::Engine;
use super::ordered::ordered;
use super::progress::{Progress, Stage};
use crate::base::ids::FileId;
use crate::catalog::extract::Extract;
use crate::error::Result;
use crate::index::code::CodeSegment;
use crate::index::code::doc_map::DocMap;
use crate::index::store::WriterLock;
use crate::index::table::Table;
use crate::index::text::builder::remove_unfinished;
use crate::index::text::{Input, Prepared, Preparer, TextBuilder, TextIndex, Unusable};
use crate::source::beneath;
use crate::source::read::Buffer;

/// Number of files that may differ from the text index before it is rebuilt; ranking adds their
/// words in memory. The larger of a number and a share of all files.
const BEHIND_MAX: usize = 200;
const BEHIND_SHARE: usize = 20;

/// The inputs of the text index.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) engine: &'a Engine,
    pub(super) table: &'a Table,
    pub(super) generation: u64,
    pub(super) files: &'a [FileId],
    pub(super) segments: &'a [CodeSegment],
    pub(super) doc_map: &'a DocMap,
}

/// How far an existing text index is trusted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum IndexTrust {
    /// Not at all: it is rebuilt.
    Untrusted,
    /// After a check of every block.
    Checked,
    /// After the checks of opening it.
    Opened,
}

impl Engine {
    /// Opens the text index.
    pub(super) fn text_index(&self) -> std::result::Result<TextIndex, Unusable> {
        TextIndex::open(self.store.dir(), self.store.on_heap())
    }
}

/// Returns true if there is no text index with few outdated files, so that it must be built. The
/// caller holds the lock of the code index. O(files), and the bytes of the index that are checked.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if `table` is damaged.
pub(super) fn is_due(
    engine: &Engine,
    table: &Table,
    files: &[FileId],
    trust: IndexTrust,
) -> Result<bool> {
    remove_unfinished(engine.store.dir());
    if trust == IndexTrust::Untrusted {
        return Ok(true);
    }
    let paths = paths(table, files)?;
    let Ok(index) = engine.text_index() else { return Ok(true) };
    if trust == IndexTrust::Checked && index.check_all().is_err() {
        return Ok(true);
    }
    let Ok(changes) = index.changes(paths.iter().map(|(path, hash)| (path.as_slice(), *hash)))
    else {
        return Ok(true);
    };
    let behind = changes.changed.len() + changes.removed.len();
    Ok(behind > BEHIND_MAX.max(files.len() / BEHIND_SHARE))
}

/// Returns the path and the hash of each file.
fn paths(table: &Table, files: &[FileId]) -> Result<Vec<(Vec<u8>, u128)>> {
    files.iter().map(|file| Ok((table.path(*file)?, table.hash(*file)?))).collect()
}

/// Returns true if there is a text index of this version, even an outdated one. Costs opening it.
pub fn has_text(engine: &Engine) -> bool {
    engine.text_index().is_ok()
}

/// Builds the text index of files that the code index has. The caller holds the lock of the code
/// index. O(text).
///
/// # Errors
///
/// [`crate::Kind::Cancelled`], and [`crate::Kind::Io`] where it cannot be written.
pub(super) fn build(sources: Sources<'_>, lock: &WriterLock, progress: &Progress) -> Result<()> {
    let Sources { engine, table, generation, files, segments, doc_map } = sources;
    let paths = paths(table, files)?;
    progress.enter(Stage::Ranking);
    progress.restart(files.len() as u64);
    let mut builder = TextBuilder::new(engine.store.dir(), generation)?;
    let work = |at: usize| {
        let place = doc_map.doc(files[at].index());
        let prepared = place.filter(|_| !progress.is_cancelled()).and_then(|(segment, doc)| {
            let (path, hash) = &paths[at];
            let prepare = || prepare(engine, &segments[segment], doc, path, *hash);
            let failed = |_| Some(Prepared::without_words(path, *hash));
            catch_unwind(AssertUnwindSafe(prepare)).unwrap_or_else(failed)
        });
        let bytes = prepared.as_ref().map_or(0, Prepared::memory_bytes);
        (prepared, bytes)
    };
    ordered(files.len(), engine.environment.threads, work, |_, prepared| {
        if progress.is_cancelled() {
            return Err(Progress::cancelled());
        }
        progress.add(1, 0);
        prepared.map_or(Ok(()), |prepared| builder.add(&prepared))
    })?;
    builder.finish(lock)
}

/// Writes the text index of the files that arrive, in path order, until their sender is dropped.
/// The caller publishes the result with [`TextBuilder::finish`].
///
/// # Errors
///
/// [`crate::Kind::Cancelled`], and [`crate::Kind::Io`] where it cannot be written; the sender then
/// fails.
pub(super) fn write(
    engine: &Engine,
    generation: u64,
    prepared: &Receiver<Prepared>,
    progress: &Progress,
) -> Result<TextBuilder> {
    let mut builder = TextBuilder::new(engine.store.dir(), generation)?;
    for prepared in prepared {
        builder.add(&prepared)?;
    }
    if progress.is_cancelled() {
        return Err(Progress::cancelled());
    }
    builder.complete()?;
    Ok(builder)
}

thread_local! {
    /// The caches of a thread that prepares files.
    static PREPARER: RefCell<Preparer> = RefCell::default();
}

/// Returns the words of a file whose facts were just extracted from `text`; none if that panics.
pub(super) fn prepared(path: &[u8], extract: &Extract, text: &[u8]) -> Prepared {
    let input = Input {
        path,
        hash: extract.hash,
        language: extract.language,
        symbols: &extract.facts.symbols,
        text,
    };
    let prepare = || PREPARER.with_borrow_mut(|preparer| preparer.prepare_text(input));
    let failed = |_| Prepared::without_words(path, extract.hash);
    catch_unwind(AssertUnwindSafe(prepare)).unwrap_or_else(failed)
}

/// Returns the words of a file if its content is still that of the segment.
pub(super) fn prepare(
    engine: &Engine,
    segment: &CodeSegment,
    doc: u32,
    path: &[u8],
    hash: u128,
) -> Option<Prepared> {
    let (mut file, metadata) = beneath::open_unlinked(&engine.root, path).ok()?;
    let mut buffer = Buffer::default();
    buffer.fill(&mut file, metadata.len()).ok()?;
    let text = buffer.bytes();
    let language = segment.doc(doc).ok()?.language;
    if xxhash_rust::xxh3::xxh3_128(text) != hash {
        return None;
    }
    let symbols = segment.symbols(doc, path).ok()?;
    let input = Input { path, hash, language, symbols: &symbols, text };
    Some(PREPARER.with_borrow_mut(|preparer| preparer.prepare_text(input)))
}
