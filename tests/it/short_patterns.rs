//! Patterns without a trigram: pairs of bytes, characters beyond ASCII and runs of digits. Searches
//! with an index print what ripgrep prints, and the index selects exactly the files that match, or
//! few more.

use std::collections::BTreeSet;
use std::path::Path;

use codedb::base::ids::FileId;
use codedb::engine::Engine;
use codedb::index::snapshot::Snapshot;
use codedb::index::store::Store;
use codedb::query::candidates::{Candidates, Demand, candidates};
use codedb::query::pattern::PatternOptions;
use codedb::query::plan::Plan;
use codedb::source::walk::Environment;

use crate::support::place::{Place, long};
use crate::support::prng::Prng;

/// Texts in which short patterns are hard to see.
const TEXTS: &[(&str, &[u8])] = &[
    ("only", b"zz"),
    ("end", b"one\ntwo zz"),
    ("end_of_line", b"one zz\ntwo\n"),
    ("line", b"one\nzz\ntwo\n"),
    ("line_crlf", b"one\r\nzz\r\ntwo\r\n"),
    ("start", b"zz one\n"),
    ("in_capitals", b"AzzA\n"),
    ("capitals", b"ZZ\nZZ Z\n"),
    ("mixed", b"aZz\n"),
    ("before_nul", b"zz\0one\n"),
    ("after_nul", b"one\n\0zz\n"),
    ("beside_stray_bytes", b"\xffzz\xff\n"),
    ("utf16", b"\xff\xfez\0z\0\n\0"),
    ("bom", b"\xef\xbb\xbfzz"),
    ("greek", "one α".as_bytes()),
    ("greek_extended", "ᾳ".as_bytes()),
    ("latin1", b"caf\xe9\n"),
    ("arrow", "a → b\n".as_bytes()),
    ("cut_character", b"one \xce"),
    ("other_pair", b"\xce\xff\xb1\n"),
    ("hash", b"fixes 0123456789ab (\n"),
    ("capital_hash", b"0123456789ABCDEF"),
    ("short_hash", b"0123456789a bcdef\n"),
    ("empty", b""),
    ("one", b"z"),
    ("apart", b"z\nz\r\nz z\n"),
];

const PATTERNS: &[&str] = &[
    "zz",
    "ZZ",
    "Zz",
    "zz|α",
    "(zz)+$",
    "^zz$",
    "e z.*z",
    "[z]{2}",
    "α",
    "é",
    "→",
    "[α-ω]",
    r"\p{Greek}",
    r"\p{Arrows}",
    r"[^\x00-\x7f]",
    r"(?-u:[\x80-\xff])",
    r"(?-u:\xe9)",
    r"(?-u:\xff)zz",
    r"(?-u:\xce\xff)",
    "[0-9a-f]{12}",
    "[0-9a-f]{16}",
    r"(?-u:\d){10}",
    "no|ne",
];

const FLAGS: &[&[&str]] = &[
    &["-n"],
    &["-in"],
    &["-wn"],
    &["-Un"],
    &["-an"],
    &["-l"],
    &["--files-without-match"],
    &["-vc"],
    &["-xn"],
    &["--crlf", "-n"],
    &["--null-data", "-c"],
    &["--no-unicode", "-in"],
    &["-E", "latin1", "-c"],
    &["-E", "none", "-c"],
    &["-Sn"],
];

#[test]
fn short_patterns_match_as_in_ripgrep() {
    let place = Place::new();
    let mut rng = Prng::new(71);
    place.fill(&mut rng, 30);
    for (name, text) in TEXTS {
        place.write(format!("texts/{name}"), text);
        // The same in the last of several blocks.
        let filler = b"some words of a line\n".repeat(5000);
        place.write(format!("blocks/{name}"), [&filler[..], text].concat());
    }
    place.index(&[]);
    for (number, pattern) in PATTERNS.iter().enumerate() {
        for (place_of, flags) in FLAGS.iter().enumerate() {
            if long() || place_of < 4 || (place_of + number) % 4 == 0 {
                place.check(&[*flags, &["-e", pattern]].concat());
            }
        }
    }
}

#[test]
fn few_files_are_read_for_short_patterns() {
    let place = Place::new();
    let mut rng = Prng::new(72);
    place.fill(&mut rng, 60);
    for (name, text) in TEXTS {
        place.write(format!("texts/{name}"), text);
    }
    place.index(&[]);
    let environment = Environment { global_excludes: None, threads: 2 };
    let root = place.root().canonicalize().expect("the tree exists");
    let engine = Engine::new(root, Store::new(place.store(), false), environment);
    let snapshot = engine.snapshot().expect("it is valid").expect("an index");
    // UTF-16 is always read.
    check(&snapshot, "→", &["arrow", "utf16"]);
    check(&snapshot, "é", &["utf16"]);
    check(&snapshot, "[α-ω]", &["greek", "utf16"]);
    check(&snapshot, r"\p{Greek}", &["greek", "greek_extended", "utf16"]);
    check(&snapshot, "[0-9a-f]{12}", &["capital_hash", "hash", "utf16"]);
    check(&snapshot, "[0-9a-f]{16}", &["capital_hash", "utf16"]);
    let beyond_ascii = &[
        "arrow",
        "beside_stray_bytes",
        "bom",
        "cut_character",
        "greek",
        "greek_extended",
        "latin1",
        "other_pair",
        "utf16",
    ];
    check(&snapshot, r"(?-u:[\x80-\xff])", beyond_ascii);
    let pairs = &[
        "before_nul",
        "beside_stray_bytes",
        "bom",
        "end",
        "end_of_line",
        "in_capitals",
        "line",
        "line_crlf",
        "mixed",
        "only",
        "start",
        "utf16",
    ];
    // `aZz` looks like `Azz`.
    check(&snapshot, "zz", pairs);
    check(&snapshot, "ZZ", &["capitals", "in_capitals", "mixed", "utf16"]);
    // Every file has an `e`.
    let found = found(&snapshot, "e |te|ha|al|a |ta|pa|ph|ga|om|si|up|io|rh|pi|nu|mu|o ");
    assert!(found.is_all, "a scan costs less");
}

fn found(snapshot: &Snapshot, pattern: &str) -> Candidates {
    let plan = Plan::new(&[pattern.to_owned()], &PatternOptions::default());
    candidates(snapshot, plan.query(), Demand::default()).expect("a valid index")
}

/// Compares the candidates below `texts` with `expected`.
#[track_caller]
fn check(snapshot: &Snapshot, pattern: &str, expected: &[&str]) {
    let found = found(snapshot, pattern);
    assert!(!found.is_all, "{pattern}");
    let path = |id| snapshot.table.path(FileId::new(id)).expect("a valid index");
    let names: BTreeSet<String> = found
        .files
        .iter()
        .map(|id| String::from_utf8(path(id)).expect("written above"))
        .map(|path| {
            let name = Path::new(&path).strip_prefix("texts").unwrap_or(Path::new(&path));
            name.display().to_string()
        })
        .collect();
    let expected: BTreeSet<String> = expected.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(names, expected, "{pattern}");
}
