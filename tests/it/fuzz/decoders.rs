//! Damaged code segments with valid checksums, and damaged facts of parse workers: their decoders
//! stay in bounds and terminate. Tables, segments and the text index have such tests in `faults`,
//! the commit log and the socket protocol beside their code.

use std::fs;
use std::path::PathBuf;

use codedb::index::code::{CodeSegment, exchange};
use codedb::index::format::{self, Container, FileKind};
use codedb::index::map::Map;
use codedb::lang::{self, Limits};

use crate::support::place::{Place, long, settle};
use crate::support::prng::Prng;

const SOURCE: &str = "\
use std::fmt;
/// A cart.
pub struct Cart { items: Vec<u32> }
impl fmt::Display for Cart {}
impl Cart { fn total(&self, tax: u32) -> u32 { self.items.iter().map(|i| i * tax).sum() } }
";

/// Ids of the sections of a code segment.
const SECTIONS: [u32; 17] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 20, 21, 22, 30, 31, 32];

/// Changes some bytes, or the length.
fn damage(rng: &mut Prng, bytes: &mut Vec<u8>) {
    for _ in 0..rng.between(1, 4) {
        let at = rng.below(bytes.len());
        match (rng.below(8), bytes.get_mut(at)) {
            (0, _) => bytes.truncate(at),
            (1, _) => bytes.insert(at, rng.bits() as u8),
            (2, Some(byte)) => *byte = 0xFF,
            (3, Some(byte)) => *byte ^= 1 << rng.below(8),
            (_, Some(byte)) => *byte = rng.below(20) as u8,
            (_, None) => bytes.push(rng.bits() as u8),
        }
    }
}

#[test]
fn damaged_code_segments_stay_in_bounds() {
    let place = Place::new();
    place.write("src/cart.rs", SOURCE);
    place.write("src/main.py", "import os\nfrom cart import total as t\n\ndef main():\n    t(1)\n");
    settle();
    place.index(&["--stage", "full"]).expect_success();
    let found = fs::read_dir(place.store()).expect("an index").flatten().map(|entry| entry.path());
    let is_segment = |path: &PathBuf| path.to_string_lossy().contains("code-segment-");
    let path = found.into_iter().find(is_segment).expect("a code segment");
    let bytes = fs::read(path).expect("a code segment");
    let map = |bytes: Vec<u8>| Map::in_memory(PathBuf::from("damaged.idx"), bytes);
    let container = Container::open(map(bytes), FileKind::Code).expect("a sound segment");
    let section = |id: u32| container.copy(container.section(id).expect("a section"));
    let sound: Vec<Vec<u8>> = SECTIONS.iter().map(|&id| section(id).expect("sound")).collect();
    let rng = &mut Prng::new(1601);
    let mut opened = 0;
    for _ in 0..if long() { 200_000 } else { 3000 } {
        let mut sections = sound.clone();
        // The statistics, which are JSON, would mostly fail to parse.
        let damaged = rng.between(1, SECTIONS.len() - 1);
        damage(rng, &mut sections[damaged]);
        let parts: Vec<[&[u8]; 1]> = sections.iter().map(|bytes| [&bytes[..]]).collect();
        let parts: Vec<(u32, &[&[u8]])> =
            SECTIONS.iter().zip(&parts).map(|(&id, part)| (id, &part[..])).collect();
        let bytes = format::to_bytes(FileKind::Code, &parts);
        if let Ok(segment) = CodeSegment::new(map(bytes)) {
            opened += 1;
            exercise(&segment);
        }
    }
    assert!(opened > 1000, "{opened} could be opened");
}

/// Calls every look-up; the results do not matter.
fn exercise(segment: &CodeSegment) {
    for at in 0..segment.docs().min(8) {
        if let Ok(doc) = segment.doc(at) {
            drop((segment.package(&doc), doc.lost_by()));
        }
        drop((segment.symbols(at, b"src/cart.rs"), segment.imports(at), segment.calls(at)));
        drop(segment.symbol(at, 2, b"src/cart.rs"));
    }
    for path in [&b"src/cart.rs"[..], b"src/main.py", b"missing"] {
        drop((segment.outline(path, 0), segment.has_crashed(path, 0)));
    }
    for name in [&b"total"[..], b"Cart", b"t", b"missing"] {
        drop((segment.defined(name), segment.word(name), segment.sites(name)));
    }
    let mut left = 1000;
    let walked = segment.walk_defined(b"", |entry| {
        drop(segment.places(entry));
        left -= 1;
        left > 0
    });
    drop((walked, segment.crashes()));
}

#[test]
fn damaged_facts_of_a_worker_stay_in_bounds() {
    let language = lang::language::of_name(b"cart.rs").expect("a language");
    let facts = lang::facts(language, "cart.rs", SOURCE.as_bytes(), Limits::DEFAULT);
    let mut sound = Vec::new();
    exchange::put_facts(&mut sound, &facts);
    let rng = &mut Prng::new(1602);
    let mut decoded = 0;
    for _ in 0..if long() { 1_000_000 } else { 8000 } {
        let mut bytes = sound.clone();
        damage(rng, &mut bytes);
        if let Some(facts) = exchange::facts(&bytes, "cart.rs", SOURCE.len()) {
            decoded += 1;
            super::check(&facts, SOURCE.as_bytes(), false);
        }
    }
    assert!(decoded > 100, "{decoded} could be decoded");
}
