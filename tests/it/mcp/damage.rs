//! Index files that are changed in place while a server runs: replies stay correct or report what
//! is missing, and the index is repaired.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::session::Session;
use crate::support::place::{Answer, Place, long, settle};

const DEADLINE: Duration = Duration::from_secs(120);

/// A tree whose index files are larger than those that are read into memory.
fn place() -> Place {
    let place = Place::new();
    for file in 0..900 {
        let mut text = String::new();
        for row in 0..6 {
            let name = format!("item_{file}_{row}");
            let words = [1, 2, 3].map(|seed| word(file * 6 + row, seed)).join(" ");
            text.push_str(&format!(
                "/// Counts the {name} of warehouse {file}: {words}.\npub fn {name}(left_{row}: u32) -> u32 {{\n    other_{row}(left_{row})\n}}\n"
            ));
        }
        place.write(format!("d{}/f{file}.rs", file % 30), text);
    }
    settle();
    place.index(&["--stage", "full"]).expect_success();
    place
}

/// Returns a word of letters that differs for each number and seed.
fn word(number: u64, seed: u64) -> String {
    let mut left = (number * 4 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let letters = std::iter::repeat_with(|| {
        let letter = b'a' + (left % 26) as u8;
        left /= 26;
        char::from(letter)
    });
    letters.take(12).collect()
}

/// How a file is changed in place.
#[derive(Clone, Copy, Debug)]
enum Change {
    Zeros,
    Truncation,
    Garbage,
}

impl Change {
    fn apply(self, path: &Path) {
        let file = OpenOptions::new().write(true).open(path).expect("an index file");
        let len = file.metadata().expect("metadata").len();
        let bytes = |byte: u8| vec![byte; len as usize - 4096];
        match self {
            Change::Zeros => file.write_all_at(&bytes(0), 4096).expect("it can be written"),
            Change::Garbage => file.write_all_at(&bytes(0xa5), 4096).expect("it can be written"),
            Change::Truncation => file.set_len(4096).expect("it can be cut"),
        }
    }
}

/// Returns the mapped files of the index whose names begin with `start`.
fn files(place: &Place, start: &str) -> Vec<PathBuf> {
    let below = |dir: PathBuf| fs::read_dir(dir).into_iter().flatten().flatten();
    let all = below(place.store()).flat_map(|entry| {
        let path = entry.path();
        if path.is_dir() { below(path).map(|entry| entry.path()).collect() } else { vec![path] }
    });
    let name = |path: &PathBuf| {
        path.strip_prefix(place.store()).expect("below").to_string_lossy().starts_with(start)
    };
    let is_mapped = |path: &PathBuf| fs::metadata(path).is_ok_and(|of| of.len() > 64 << 10);
    all.filter(|path| name(path) && is_mapped(path)).collect()
}

/// Returns the replies of one call of each tool, without times and scores.
fn replies(session: &mut Session) -> Vec<String> {
    static ROUND: AtomicUsize = AtomicUsize::new(0);
    // Another search each time: a server keeps the results of the last ones.
    let glob = format!("{{d21,none{}}}/**", ROUND.fetch_add(1, Ordering::Relaxed));
    let calls = [
        ("codedb_symbol", json!({"name": "item_17_3"})),
        ("codedb_callers", json!({"name": "item_17_3"})),
        ("codedb_search", json!({"query": "item_801_2", "path_glob": glob})),
        ("codedb_context", json!({"task": "how does item_400_1 count the warehouse"})),
        ("codedb_tree", json!({"path": "d3"})),
        ("codedb_word", json!({"word": "other_3", "max_results": 3})),
        ("codedb_outline", json!({"path": "d5/f5.rs"})),
        ("codedb_find", json!({"query": "f801"})),
    ];
    let text = |answer: Value| {
        assert_eq!(answer["isError"], false, "{answer}");
        answer["content"][0]["text"].as_str().expect("a text").to_owned()
    };
    calls.map(|(tool, arguments)| text(session.call(tool, arguments))).into()
}

/// Waits until the replies are `sound` again and every block of the index is.
fn wait_until_repaired(place: &Place, session: &mut Session, sound: &[String], what: &str) {
    let started = Instant::now();
    loop {
        let is_as_before = replies(session) == sound;
        let doctor = Answer::of(place.codedb("doctor"));
        if is_as_before && doctor.text().contains("ok    checksums") {
            return;
        }
        assert!(started.elapsed() < DEADLINE, "{what}: not repaired\n{}", doctor.text());
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn files_changed_in_place_are_noticed_by_the_next_call() {
    let place = place();
    let mut expected = None;
    let cases = [
        ("code-segment-", Change::Zeros),
        ("text-", Change::Truncation),
        ("segment-", Change::Garbage),
        ("table-", Change::Zeros),
        ("code-segment-", Change::Truncation),
        ("text-", Change::Zeros),
        ("table-", Change::Truncation),
    ];
    let cases = if long() { &cases[..] } else { &cases[..4] };
    for &(start, change) in cases {
        let what = format!("{change:?} in {start}");
        // A server that has opened the files of the last repair.
        let mut session = Session::start(&place, &["--toolsets", "all"]);
        session.initialize("2025-11-25", json!({}));
        let sound = replies(&mut session);
        assert_eq!(expected.get_or_insert_with(|| sound.clone()), &sound, "before {what}");
        place.index(&["--stage", "full"]).expect_success();
        let changed = files(&place, start);
        assert!(!changed.is_empty(), "{what}: the index is too small for this test");
        changed.iter().for_each(|path| change.apply(path));
        for (found, sound) in replies(&mut session).iter().zip(&sound) {
            let says = ["damaged", "not indexed yet", "being built", "not ranked by their text"];
            let is_reported = says.iter().any(|part| found.contains(part));
            assert!(found == sound || is_reported, "{what}\n{found}\n---\n{sound}");
        }
        wait_until_repaired(&place, &mut session, &sound, &what);
        session.end();
    }
}
