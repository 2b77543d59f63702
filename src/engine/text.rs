//! Builds the text index. Runs after the code index, whose symbols decide how files are split.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Engine;
use super::ordered::ordered;
use super::progress::{Progress, Stage};
use crate::base::ids::FileId;
use crate::error::Result;
use crate::index::code::CodeSegment;
use crate::index::code::doc_map::DocMap;
use crate::index::extract::Content;
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

/// Returns true if there is a text index of this version, even an outdated one. Costs opening it.
pub fn has_text(engine: &Engine) -> bool {
    engine.text_index().is_ok()
}

/// Builds the text index unless there is one with few outdated files; returns whether it did. The
/// caller holds the lock of the code index. O(text).
///
/// # Errors
///
/// [`crate::Kind::Cancelled`], and [`crate::Kind::Io`] where it cannot be written.
pub(super) fn build(
    sources: Sources<'_>,
    lock: &WriterLock,
    trust: IndexTrust,
    progress: &Progress,
) -> Result<bool> {
    let Sources { engine, table, generation, files, segments, doc_map } = sources;
    let dir = engine.store.dir();
    remove_unfinished(dir);
    let mut paths = Vec::with_capacity(files.len());
    for file in files {
        paths.push((table.path(*file)?, table.hash(*file)?));
    }
    if trust != IndexTrust::Untrusted
        && let Ok(index) = engine.text_index()
        && (trust == IndexTrust::Opened || index.check_all().is_ok())
        && let Ok(changes) =
            index.changes(paths.iter().map(|(path, hash)| (path.as_slice(), *hash)))
        && changes.changed.len() + changes.removed.len()
            <= BEHIND_MAX.max(files.len() / BEHIND_SHARE)
    {
        return Ok(false);
    }
    progress.enter(Stage::Ranking);
    progress.restart(files.len() as u64);
    let mut builder = TextBuilder::new(dir, generation)?;
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
    builder.finish(lock)?;
    Ok(true)
}

/// Returns the words of a file if its content is still that of the segment.
fn prepare(
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
    Some(words(&mut Preparer::default(), input))
}

/// Returns the words of a file; none if it is not text. Used by the builder and by the in-memory
/// overlay, so that both rank alike.
pub(super) fn words(preparer: &mut Preparer, input: Input<'_>) -> Prepared {
    let content = Content::of(input.text);
    if content.utf16 || content.nul_at.is_some() {
        return Prepared::without_words(input.path, input.hash);
    }
    preparer.prepare(input)
}
