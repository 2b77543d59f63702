//! Measures the text index of a tree: build time, size of each field, time of a query, time after
//! an edit.
//!
//! `cargo bench --bench text -- TREE`; two threads prepare files while the one builder adds them.
#![expect(clippy::print_stdout, reason = "a report is printed")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use codedb::base::path::{compare, from_path};
use codedb::index::code::store::CodeStore;
use codedb::index::store::Store;
use codedb::index::text::{
    Bm25, Field, Input, Overlay, Prepared, Preparer, Query, TextBuilder, TextIndex, rank,
};
use codedb::lang::{Facts, Limits, detect, facts};
use rayon::prelude::*;

/// The number of files that are prepared at once.
const BATCH: usize = 256;

const QUERIES: &[&str] = &[
    "where is the page cache written back to disk",
    "useEffect cleanup when a component unmounts",
    "scheduler priority queue",
    "int return static struct",
];

/// Processor time in nanoseconds, of all threads.
#[derive(Default)]
struct Work {
    parse: AtomicU64,
    prepare: AtomicU64,
    text_bytes: AtomicU64,
}

fn main() {
    let Some(root) = std::env::args().skip(1).find(|argument| !argument.starts_with('-')) else {
        return println!("usage: cargo bench --bench text -- TREE");
    };
    let root = PathBuf::from(root);
    let files = files(&root);
    let dir = tempfile::TempDir::new().expect("a temporary directory");
    let work = Work::default();
    let before = peak_kib();
    let start = Instant::now();
    let mut builder = TextBuilder::new(dir.path(), 1).expect("a writable directory");
    let (mut adding, mut chunks) = (0, 0);
    let mut ready: Vec<Prepared> = Vec::new();
    for batch in files.chunks(BATCH).chain(std::iter::once(&[][..])) {
        let (_, next) = rayon::join(
            || {
                let start = busy_ns();
                for prepared in &ready {
                    chunks += prepared.chunks.len();
                    builder.add(prepared).expect("files in order");
                }
                adding += busy_ns() - start;
            },
            || {
                let one =
                    |preparer: &mut Preparer, path: &Vec<u8>| prepare(&root, path, preparer, &work);
                batch.par_iter().map_init(Preparer::default, one).flatten().collect()
            },
        );
        ready = next;
    }
    let finish = busy_ns();
    let store = Store::new(dir.path().to_path_buf(), false);
    let lock = CodeStore(&store).lock().expect("a folder of its own");
    builder.finish(&lock).expect("a writable directory");
    adding += busy_ns() - finish;
    let wall = start.elapsed();
    let ms = |nanos: &AtomicU64| nanos.load(Ordering::Relaxed) / 1_000_000;
    let text_bytes = work.text_bytes.load(Ordering::Relaxed);
    println!("files {}, chunks {chunks}, text {} MB", files.len(), text_bytes / 1_000_000);
    println!(
        "wall {} ms; work: parse {} ms, prepare {} ms, add {} ms; peak {} MB more",
        wall.as_millis(),
        ms(&work.parse),
        ms(&work.prepare),
        adding / 1_000_000,
        (peak_kib() - before) / 1024
    );
    report(dir.path(), text_bytes);
    edit(&root, &files, dir.path());
}

fn prepare(root: &Path, path: &[u8], preparer: &mut Preparer, work: &Work) -> Option<Prepared> {
    let file = codedb::base::path::to_path(path);
    let text = std::fs::read(root.join(&file)).ok()?;
    if memchr::memchr(0, &text).is_some() {
        return None;
    }
    work.text_bytes.fetch_add(text.len() as u64, Ordering::Relaxed);
    let start = busy_ns();
    let language = detect(&file, &text);
    let name = String::from_utf8_lossy(path);
    let facts = match language {
        Some(language) => facts(language, &name, &text, Limits::DEFAULT),
        None => Facts::default(),
    };
    let parsed = busy_ns();
    work.parse.fetch_add(parsed - start, Ordering::Relaxed);
    let prepared =
        preparer.prepare(Input { path, hash: 0, language, symbols: &facts.symbols, text: &text });
    work.prepare.fetch_add(busy_ns() - parsed, Ordering::Relaxed);
    Some(prepared)
}

fn report(dir: &Path, text_bytes: u64) {
    let start = Instant::now();
    let index = TextIndex::open(dir, false).expect("a valid index");
    println!("open {} us", start.elapsed().as_micros());
    let percent = |bytes: u64| bytes as f64 * 100.0 / text_bytes as f64;
    println!(
        "index {} MB, {:.1} % of the text",
        index.len_bytes() / 1_000_000,
        percent(index.len_bytes())
    );
    let fields = index.field_bytes().expect("a valid index");
    for field in Field::ALL {
        let (dictionary, postings) = fields[field.index()];
        println!(
            "  {:10} dictionary {:5.2} %, postings {:5.2} %",
            field.name(),
            percent(dictionary),
            percent(postings)
        );
    }
    println!("  lines left out: {}", index.files().lines_left());
    let overlay = Overlay::new(Arc::new(index));
    for query_text in QUERIES {
        let query = Query::parse(query_text);
        for turn in ["first", "again"] {
            let start = Instant::now();
            let ranking = rank(&overlay, &query, &Bm25::DEFAULT).expect("a valid index");
            let ranked = start.elapsed();
            let hits = ranking.chunks(10).expect("a valid index");
            let files = ranking.files(3).expect("a valid index");
            println!(
                "{query_text:?} {turn}: rank {} us, all {} us",
                ranked.as_micros(),
                start.elapsed().as_micros()
            );
            if turn == "again" {
                for hit in hits.iter().take(3) {
                    let path = String::from_utf8_lossy(&hit.path);
                    println!(
                        "    {:6.2} {path}:{}-{}",
                        hit.score,
                        hit.lines.start,
                        hit.lines.end - 1
                    );
                }
                for file in files {
                    println!("    {:6.2} {}", file.score, String::from_utf8_lossy(&file.path));
                }
            }
        }
    }
}

/// Edits a file of medium size and runs a query.
fn edit(root: &Path, files: &[Vec<u8>], dir: &Path) {
    let index = Arc::new(TextIndex::open(dir, false).expect("a valid index"));
    let mut overlay = Overlay::new(index);
    let (mut preparer, work) = (Preparer::default(), Work::default());
    let mut times: Vec<u128> = Vec::new();
    for path in files.iter().step_by(files.len().div_ceil(200).max(1)) {
        let Some(prepared) = prepare(root, path, &mut preparer, &work) else { continue };
        let start = Instant::now();
        overlay.put(&prepared).expect("a valid index");
        times.push(start.elapsed().as_micros());
    }
    times.sort_unstable();
    println!(
        "{} edits: prepare {} us on average; put {} us in the middle, {} us at most",
        times.len(),
        work.prepare.load(Ordering::Relaxed) / 1000 / times.len().max(1) as u64,
        times.get(times.len() / 2).unwrap_or(&0),
        times.last().unwrap_or(&0)
    );
    let query = Query::parse(QUERIES[0]);
    let start = Instant::now();
    let ranking = rank(&overlay, &query, &Bm25::DEFAULT).expect("a valid index");
    let _ = ranking.files(10).expect("a valid index");
    println!("rank with them: {} us", start.elapsed().as_micros());
}

/// Returns the tree's files in path order, as the engine walks them.
fn files(root: &Path) -> Vec<Vec<u8>> {
    let walk = ignore::WalkBuilder::new(root).build();
    let mut files: Vec<Vec<u8>> = walk
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| from_path(entry.path().strip_prefix(root).ok()?))
        .collect();
    files.sort_by(|a, b| compare(a, b));
    files
}

/// Returns the processor time of this thread, if the system reports it; other processes do not
/// count.
fn busy_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|ns| ns.parse().ok()).unwrap_or(0)
}

/// Returns the peak resident size of the process, if the system reports it.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
