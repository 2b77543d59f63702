//! Searches whose output depends on the boundaries of ripgrep's buffer: word boundaries beside
//! bytes that are not UTF-8, and `\A` in files that do not fit into the buffer.
//!
//! `CODEDB_LONG=1` runs several thousand queries; `CODEDB_SEED` sets another seed.

use std::fs;

use crate::support::place::{Place, long};
use crate::support::prng::Prng;

/// Pieces of hostile texts: stray continuation bytes, incomplete and complete characters.
const PIECES: &[&[u8]] = &[
    b"a",
    b"b",
    b" ",
    b"_",
    b"-",
    b"\n",
    b"\n",
    b"\r\n",
    b"\x80",
    b"\x82",
    b"\xe2",
    b"\xa9",
    b"\xc3\xa9",
    b"\xf0\x9f",
];

const PATTERNS: &[&str] = &[
    r"\B",
    r"\Ba",
    r"a\B",
    r"\Ba\B",
    r"-\B",
    r"\b",
    r"\ba",
    r"a\b",
    r"\b{start}a",
    r"a\b{end}",
    r"\b{start-half}",
    r"\b{end-half}",
    r"\b{start-half}a",
    r"a\b{end-half}",
    r"(?-u:\B)a",
    r"(?-u:\xA9)\B",
    r"(?-u:\x80)\b{end-half}",
];

/// Patterns for `-w`, most of which can be empty.
const WORDS: &[&str] =
    &["", "a", "a*", "b?", "a|", "-", "-*", "é*", r"\w*", r"\W*", "[^a]*", r"(?-u:\x80)*"];

const FLAGS: &[&[&str]] = &[
    &["-n"],
    &["-on"],
    &["--column"],
    &["-c"],
    &["-l"],
    &["--count-matches"],
    &["-r", "Z"],
    &["-vn"],
    &["-m1"],
    &["-an"],
    &["-Un"],
    &["-in"],
    &["--crlf", "-n"],
    &["-bo"],
    &["-xn"],
    &["-C1"],
];

fn prng(family: u64) -> Prng {
    let seed = std::env::var("CODEDB_SEED").ok().and_then(|seed| seed.parse::<u64>().ok());
    Prng::new(seed.unwrap_or(1) << 8 | family)
}

#[test]
fn word_boundaries_beside_stray_bytes_match_as_in_ripgrep() {
    let mut rng = prng(60);
    let (trees, queries) = if long() { (250, 20) } else { (6, 20) };
    let place = Place::new();
    for _ in 0..trees {
        for file in 0..3 {
            let pieces = rng.between(0, 14);
            let text: Vec<&[u8]> = (0..pieces).map(|_| *rng.pick::<&[u8]>(PIECES)).collect();
            place.write(format!("f{file}"), text.concat());
        }
        // A text of several blocks with a stray byte in one of them.
        let mut rows: Vec<String> = (0..8000).map(|row| format!("row {row} of it")).collect();
        rows[rng.below(8000)].push_str(" a-b");
        let mut large = rows.join("\n").into_bytes();
        let at = rng.below(large.len());
        large[at] = 0x80;
        place.write("large", large);
        place.index(&[]).expect_success();
        for _ in 0..queries {
            let flags = rng.pick::<&[&str]>(FLAGS);
            let query: &[&str] = match rng.below(2) {
                0 => &["-e", rng.pick::<&str>(PATTERNS), "."],
                _ => &["-w", "-e", rng.pick::<&str>(WORDS), "."],
            };
            place.check(&[flags, query].concat());
        }
        for rare in ["a-b", "b", "it a"] {
            place.check(&["-wn", rare, "."]);
            place.check(&["-wl", rare, "."]);
        }
    }
}

/// A file with a line that enlarges the buffer, and files in which the result then differs.
fn with_long_line() -> Place {
    let place = Place::new();
    place.write("a", format!("{}\n", "x".repeat(400_000)));
    for file in 0..6 {
        let mut text = String::new();
        for row in 0..12_000 {
            text.push_str(&format!("row {row:05} of {file}\n"));
        }
        place.write(format!("b{file}"), text);
    }
    place
}

#[test]
fn the_number_of_threads_does_not_change_where_a_text_begins() {
    let place = with_long_line();
    let queries: &[&[&str]] = &[
        &["--column", r"\Arow", "."],
        &["-n", r"\Arow", "."],
        &["-c", r"\Arow|\Ax", "."],
        &["-on", r"(?-m)^row|x\z", "."],
        &["-n", "-w", r"\Arow", "."],
    ];
    // Each file as ripgrep prints it if it is the first.
    let mut names: Vec<String> = fs::read_dir(place.root())
        .expect("a tree")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let alone = queries.iter().map(|query| {
        let texts = names.iter().map(|name| place.rg(&[&["-g", name], *query].concat()).text());
        texts.collect::<String>()
    });
    let alone: Vec<String> = alone.collect();
    let all_threads: &[usize] = if long() { &[1, 2, 3, 4, 5, 6, 7, 8] } else { &[1, 2, 8] };
    for with_index in [false, true] {
        if with_index {
            place.index(&[]).expect_success();
        }
        for (query, alone) in queries.iter().zip(&alone) {
            for threads in all_threads {
                let found = place.search(&[&[format!("-j{threads}").as_str()], *query].concat());
                assert!(found.text() == *alone, "-j{threads} {query:?}, index: {with_index}");
            }
        }
    }
}
