//! Tests of the text index: chunking, tokenization, ranking, edits and damage.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tempfile::TempDir;

use super::*;
use crate::index::code::store::CodeStore;
use crate::index::store::{Store, WriterLock};
use crate::lang::{Facts, Limits, detect, facts};

mod chunking;
mod damage;
mod property;
mod ranking;

/// A tree: texts by path.
type Tree = BTreeMap<String, String>;

fn tree(files: &[(&str, &str)]) -> Tree {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

fn prepare(path: &str, text: &str) -> Prepared {
    let language = detect(Path::new(path), text.as_bytes());
    let facts = match language {
        Some(language) => facts(language, path, text.as_bytes(), Limits::DEFAULT),
        None => Facts::default(),
    };
    let hash = xxhash_rust::xxh3::xxh3_128(text.as_bytes());
    let input = Input {
        path: path.as_bytes(),
        hash,
        language,
        symbols: &facts.symbols,
        text: text.as_bytes(),
    };
    Preparer::default().prepare(input)
}

/// Builds the text index of a tree, a segment for each file if `heap_bytes` is small.
fn build(dir: &Path, generation: u64, tree: &Tree, heap_bytes: usize) -> TextIndex {
    let builder = TextBuilder::new(dir, generation).expect("a writable directory");
    let mut builder = builder.with_heap_bytes(heap_bytes);
    let mut paths: Vec<&String> = tree.keys().collect();
    paths.sort_by(|a, b| crate::base::path::compare(a.as_bytes(), b.as_bytes()));
    for path in paths {
        builder.add(&prepare(path, &tree[path])).expect("files in order");
    }
    builder.finish(&lock(dir)).expect("a writable directory");
    TextIndex::open(dir, false).expect("a valid index")
}

fn lock(dir: &Path) -> WriterLock {
    let store = Store::new(dir.to_path_buf(), false);
    CodeStore(&store).lock().expect("the lock is free")
}

/// Builds an index and an overlay without edits.
fn indexed(tree: &Tree) -> (TempDir, Overlay) {
    let dir = TempDir::new().expect("a temporary directory");
    let index = build(dir.path(), 1, tree, usize::MAX);
    (dir, Overlay::new(Arc::new(index)))
}
