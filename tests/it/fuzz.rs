//! Parses mutated sources of every language in worker processes: none may crash its worker, which
//! includes using more than four seconds of processor time, and our code panics on none.
//!
//! The short run is deterministic. For a longer one:
//!
//! ```text
//! CODEDB_FUZZ_SECONDS=120 CODEDB_FUZZ_LANGUAGE=yaml CODEDB_FUZZ_SEED=7 \
//!     cargo test --test it fuzz::every_language -- --nocapture
//! ```
//!
//! The seconds are those of each language; without a language, all run. Texts that crash a worker,
//! cause a panic or take more than five seconds are written to `target/fuzz`.

mod decoders;
mod mutate;
mod seeds;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use codedb::lang::language::LANGUAGES;
use codedb::lang::{Facts, Language, Problem};
use codedb::parsers::Parsers;

use self::seeds::Seeds;
use crate::support::prng::Prng;

/// Number of texts of each language in the short run.
const SHORT: u64 = 16;

/// Number of threads, each of which uses one worker.
const THREADS: u64 = 2;

/// The time that no text may take.
const HANG: Duration = Duration::from_secs(5);

/// What happened to the texts of one language.
#[derive(Debug, Default)]
struct Outcome {
    texts: u64,
    bytes: u64,
    crashed: u64,
    /// Texts on which our own code panicked.
    panicked: u64,
    /// Texts that were parsed in part because of a limit.
    limited: u64,
    /// Texts that took more than [`HANG`].
    hung: u64,
    slowest: Duration,
}

/// The number in an environment variable.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

#[test]
#[expect(clippy::print_stdout, reason = "a measurement is for who runs it")]
fn every_language_survives_mutated_sources() {
    let seconds = number("CODEDB_FUZZ_SECONDS").map(Duration::from_secs);
    let only = std::env::var("CODEDB_FUZZ_LANGUAGE").ok();
    let seed = number("CODEDB_FUZZ_SEED").unwrap_or(1);
    let parsers =
        Parsers::in_workers(PathBuf::from(env!("CARGO_BIN_EXE_codedb")), THREADS as usize);
    let seeds = Seeds::read();
    let mut failed = Vec::new();
    for (place, &language) in LANGUAGES.iter().enumerate() {
        if only.as_ref().is_some_and(|only| only != language.name) {
            continue;
        }
        let outcome = Mutex::new(Outcome::default());
        let started = Instant::now();
        let next = AtomicU64::new(0);
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let ends = match seconds {
                            Some(seconds) => started.elapsed() >= seconds,
                            None => number >= SHORT,
                        };
                        if ends {
                            return;
                        }
                        let rng = &mut Prng::new(seed << 48 ^ (place as u64) << 40 ^ number);
                        let text = mutate::text(rng, &seeds, language);
                        parse(&parsers, language, &text, &outcome);
                    }
                });
            }
        });
        let outcome = outcome.into_inner().expect("no panic");
        println!("{:18} {outcome:?}", language.name);
        if outcome.crashed > 0 || outcome.panicked > 0 {
            failed.push(language.name);
        }
    }
    assert!(failed.is_empty(), "crashed or panicked: {failed:?}; see target/fuzz");
}

/// Parses a text, checks its facts, and that the next text is parsed as ever.
fn parse(parsers: &Parsers, language: &'static Language, text: &[u8], outcome: &Mutex<Outcome>) {
    let started = Instant::now();
    let hash = xxhash_rust::xxh3::xxh3_128(text);
    let facts = parsers.facts(language, "a", text, hash).expect("a worker starts");
    let elapsed = started.elapsed();
    check(&facts, text, true);
    let has = |problem: Problem| facts.problems.contains_key(&problem);
    let mut outcome = outcome.lock().expect("no panic");
    outcome.texts += 1;
    outcome.bytes += text.len() as u64;
    outcome.slowest = outcome.slowest.max(elapsed);
    outcome.limited += u64::from(has(Problem::TooHard) || has(Problem::TooDeep));
    outcome.hung += u64::from(elapsed > HANG);
    outcome.panicked += u64::from(has(Problem::Failed));
    if has(Problem::Crashed) {
        outcome.crashed += 1;
        let rust = codedb::lang::language::of_path(Path::new("a.rs")).expect("a language");
        let sound = parsers.facts(rust, "a.rs", b"fn f() {}", 0).expect("a worker starts");
        assert_eq!(sound.symbols.len(), 1);
    }
    if has(Problem::Failed) || has(Problem::Crashed) || elapsed > HANG {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/fuzz");
        fs::create_dir_all(&folder).expect("a directory");
        let name = format!("{}-{hash:032x}", language.name);
        fs::write(folder.join(name), text).expect("a file");
    }
}

/// Checks what every reader of facts relies on, and the lines of facts that were just extracted.
fn check(facts: &Facts, text: &[u8], with_lines: bool) {
    for (place, symbol) in facts.symbols.iter().enumerate() {
        assert!(symbol.parent.is_none_or(|parent| parent < place));
        assert!(symbol.span.start <= symbol.span.end && symbol.span.end <= text.len());
        assert!(!with_lines || symbol.line >= 1 && symbol.line <= symbol.end_line);
    }
    for reference in &facts.references {
        assert!(text.get(reference.span.clone()).is_some());
        assert!(reference.enclosing.is_none_or(|place| place < facts.symbols.len()));
    }
}
