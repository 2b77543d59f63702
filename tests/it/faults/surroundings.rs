//! The environment of the index: a cache that is not writable, a full disk, a second writer,
//! readers during publications, other formats.

use std::ffi::OsString;
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use codedb::engine::{self, Progress};
use codedb::index::format::VERSION;

use super::{engine, names, prng};
use crate::support::place::{Answer, Place, long, settle};

fn filled(family: u64) -> Place {
    let place = Place::new();
    place.fill(&mut prng(family), 80);
    settle();
    place
}

const QUERY: &[&str] = &["gamma_ray|file3"];

/// Fails unless `codedb index` reports an error with a path below `place` and the search still
/// works.
#[track_caller]
fn check_unwritable(place: &Place) {
    place.check(QUERY);
    let built = place.index(&[]);
    assert_eq!(built.code, 2, "{}", built.stderr);
    let base = place.base().display().to_string();
    assert!(
        built.stderr.starts_with("codedb: ") && built.stderr.contains(&base),
        "{}",
        built.stderr
    );
    place.check(QUERY);
    let doctor = Answer::of(place.codedb("doctor"));
    assert!(doctor.code == 2 && doctor.text().contains("WRONG cache"), "{}", doctor.text());
    assert!(Answer::of(place.codedb("status")).code > 0);
}

#[test]
fn a_cache_that_is_a_file_is_not_used() {
    let place = filled(40);
    fs::write(place.cache(), "a file").expect("a file can be written");
    check_unwritable(&place);
    assert_eq!(fs::read(place.cache()).expect("the file"), b"a file");
}

#[test]
fn a_cache_below_a_file_is_not_used() {
    let place = filled(41);
    fs::write(place.base().join("file"), "a file").expect("a file can be written");
    let words = ["--index-dir", "../file/cache"];
    let built = Answer::of({
        let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
        command.arg("index").args(words);
        command
    });
    assert_eq!(built.code, 2);
    assert!(built.stderr.contains("file/cache"), "{}", built.stderr);
    assert!(built.stderr.contains("--index-dir"), "no option is suggested: {}", built.stderr);
    let expected = place.rg(QUERY);
    let found = place.search_in(&place.base().join("file/cache"), "strict", QUERY);
    assert_eq!((found.stdout, found.code), (expected.stdout, expected.code));
}

#[test]
fn an_index_directory_that_is_a_file_is_not_used() {
    let place = filled(42);
    place.index(&[]).expect_success();
    let store = place.store();
    fs::remove_dir_all(&store).expect("the index can be removed");
    fs::write(&store, "a file").expect("a file can be written");
    check_unwritable(&place);
}

/// Permissions have no effect for root, but a read-only mount does.
#[test]
fn a_read_only_cache_is_searched() {
    let place = filled(43);
    place.index(&[]).expect_success();
    place.write("d0/new.txt", "gamma_ray in a new file\n");
    let cache = place.cache();
    let script = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && ";
    let Some(found) = in_namespace(&place, script, &cache, &search_words(&place, QUERY)) else {
        return;
    };
    assert_eq!((found.text(), found.code), (place.rg(QUERY).text(), 0), "{}", found.stderr);
    let built = in_namespace(&place, script, &cache, &place.codedb_words("index"));
    let built = built.expect("it could be mounted before");
    assert_eq!(built.code, 2, "{}", built.stderr);
    assert!(built.stderr.contains("Read-only file system"), "{}", built.stderr);
}

#[test]
fn a_full_disk_leaves_the_old_generation() {
    let place = filled(44);
    // The space is sufficient for the first generation, but not for a second one.
    let script = "mount -t tmpfs -o size=240k codedb-test \"$0\" && ";
    fs::create_dir(place.cache()).expect("a directory can be created");
    let program = env!("CARGO_BIN_EXE_codedb");
    let search = search_words(&place, QUERY).iter().map(quoted).collect::<Vec<_>>().join(" ");
    let index = place.codedb_words("index").iter().map(quoted).collect::<Vec<_>>().join(" ");
    let all = format!(
        "{index} -q; echo first $?; {index} -q --rebuild; echo second $?; {search} --count-matches >\"$1\"; \
         echo search $?; echo more gamma_ray >>d0/f1.txt; {index} -q --rebuild; echo third $?; {search}",
    );
    let counts = place.base().join("counts");
    let words = ["sh".into(), "-c".into(), all.into(), program.into(), OsString::from(&counts)];
    let Some(found) = in_namespace(&place, script, &place.cache(), &words) else { return };
    let text = found.text();
    let (steps, last) = text.split_once("third 2\n").unwrap_or_else(|| panic!("{found:?}"));
    assert_eq!(steps, "first 0\nsecond 2\nsearch 0\n", "{}", found.stderr);
    assert_eq!(last, place.rg(QUERY).text());
    assert!(!fs::read(counts).expect("counts").is_empty());
    assert!(found.stderr.contains("No space left on device"), "{}", found.stderr);
    assert!(found.stderr.contains(&place.cache().display().to_string()), "{}", found.stderr);
}

/// The same without a mount: a limit on file sizes, with its signal ignored.
#[test]
fn a_file_size_limit_leaves_the_old_generation() {
    let place = filled(45);
    place.index(&[]).expect_success();
    let before = names(&place.store());
    for signal in ["trap '' XFSZ; ", ""] {
        place.write("d0/f1.txt", format!("file1 gamma_ray {signal}\n"));
        let mut command = place.command("sh");
        let script = format!("{signal}ulimit -f 64; \"$0\" \"$@\"; exit $?");
        command.args(["-c", &script]).args(place.codedb_words("index"));
        let built = Answer::of(command);
        if signal.is_empty() {
            // The process is killed by a signal, which the shell reports.
            assert!(built.code > 2, "{built:?}");
        } else {
            assert_eq!(built.code, 2, "{}", built.stderr);
            assert!(built.stderr.contains("File too large"), "{}", built.stderr);
            assert!(built.stderr.contains("segment-2"), "names no file: {}", built.stderr);
        }
        place.check(QUERY);
        let trusted = place.search_in(&place.cache(), "trust", QUERY);
        assert_eq!(trusted.code, 0, "{}", trusted.stderr);
    }
    place.index(&[]).expect_success();
    assert!(names(&place.store()).len() <= before.len() + 2, "{:?}", names(&place.store()));
    place.check(QUERY);
}

#[test]
fn a_second_writer_gets_an_error_or_waits() {
    let place = filled(46);
    place.index(&[]).expect_success();
    place.write("d0/new.txt", "gamma_ray in a new file\n");
    let lock = engine(&place).store().lock().expect("no other writer");
    let refused = place.index(&["--no-wait"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("another codedb is writing this index"), "{}", refused.stderr);
    assert!(refused.stderr.contains("hint: "), "{}", refused.stderr);
    place.check(QUERY);
    let doctor = Answer::of(place.codedb("doctor"));
    assert!(doctor.text().contains("note  writer") && doctor.code != 2, "{}", doctor.text());
    let held = Duration::from_millis(400);
    let started = Instant::now();
    let waited = thread::scope(|scope| {
        let waits = scope.spawn(|| place.index(&["--wait", "ready"]));
        thread::sleep(held);
        drop(lock);
        waits.join().expect("no panic")
    });
    waited.expect_success();
    assert!(started.elapsed() >= held, "it did not wait");
    let trusted = place.search_in(&place.cache(), "trust", QUERY);
    assert_eq!(trusted.stdout, place.check(QUERY).stdout);
}

/// Several builders at once: each succeeds or reports that another one is writing, and the index is
/// intact.
#[test]
fn builders_at_once_do_not_harm_each_other() {
    let place = filled(47);
    thread::scope(|scope| {
        for builder in 0..4 {
            let place = &place;
            scope.spawn(move || {
                for round in 0..3 {
                    let args: &[&str] = if builder % 2 == 0 { &["--rebuild"] } else { &[] };
                    let built = place.index(args);
                    let busy = built.stderr.contains("another codedb is writing");
                    assert!(built.code == 0 || busy, "{round}: {}", built.stderr);
                }
            });
        }
    });
    let doctor = Answer::of(place.codedb("doctor"));
    assert!(doctor.text().contains("ok    checksums"), "{}", doctor.text());
    place.check(QUERY);
}

/// Readers that open the index repeatedly while generations are published see one complete
/// generation each time.
#[test]
fn readers_never_miss_the_index_while_generations_are_published() {
    let place = filled(48);
    place.index(&[]).expect_success();
    let publications = if long() { 600 } else { 12 };
    let engine = engine(&place);
    let done = AtomicBool::new(false);
    let opened = AtomicU64::new(0);
    let newest = AtomicU64::new(1);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    let least = newest.load(Ordering::Acquire);
                    let snapshot = engine.snapshot().expect("no reader gets an error");
                    let snapshot = snapshot.expect("every reader finds the index");
                    assert!(snapshot.generation >= least, "a reader went back in time");
                    for container in snapshot.segments.iter().map(|segment| segment.container()) {
                        container.check_all().expect("a whole segment");
                    }
                    snapshot.table.container().check_all().expect("a whole table");
                    opened.fetch_add(1, Ordering::Relaxed);
                    thread::sleep(Duration::from_millis(1));
                }
            });
        }
        scope.spawn(|| {
            // Meanwhile, command-line searches for text that does not change.
            let expected = place.rg(&["file[0-9]+$"]);
            while !done.load(Ordering::Acquire) {
                for fresh in ["strict", "trust"] {
                    let found = place.search_in(&place.cache(), fresh, &["file[0-9]+$"]);
                    assert_eq!((found.text(), found.code), (expected.text(), 0), "{found:?}");
                    thread::sleep(Duration::from_millis(20));
                }
            }
        });
        let publish = || {
            for round in 0..publications {
                place.write("churn.txt", format!("the word of round {round}\n"));
                let built = engine::refresh(&engine, &Progress::default()).expect("a refresh");
                assert!(built.published);
                newest.store(built.generation, Ordering::Release);
            }
        };
        let published = std::panic::catch_unwind(std::panic::AssertUnwindSafe(publish));
        done.store(true, Ordering::Release);
        if let Err(panic) = published {
            std::panic::resume_unwind(panic);
        }
    });
    assert!(opened.into_inner() > publications / 4);
    place.check(&["the word of round"]);
}

/// The index of another format in a sibling directory is not touched; one in our own place is
/// rebuilt.
#[test]
fn index_formats_coexist() {
    let place = filled(49);
    place.index(&[]).expect_success();
    let store = place.store();
    let other = store.parent().expect("the directory of a tree").join("v0-0badc0de");
    fs::create_dir(&other).expect("a directory can be created");
    let others = ["lock", "gen-9.json", "table-9.idx", "segment-9.tmp"];
    for name in others {
        fs::write(other.join(name), "of another format").expect("a file can be written");
    }

    let version = VERSION + 1;
    for part in ["table-", "segment-", "gen-"] {
        let name = names(&store).into_iter().find(|name| name.starts_with(part));
        let name = name.expect("an index file");
        let path = store.join(&name);
        let mut bytes = fs::read(&path).expect("an index file");
        if part != "gen-" {
            bytes[8..12].copy_from_slice(&version.to_le_bytes());
            let crc = crc32(&bytes[..60]);
            bytes[60..64].copy_from_slice(&crc.to_le_bytes());
        } else {
            let text = String::from_utf8(bytes).expect("a manifest is text");
            let body = text.lines().next().expect("a line");
            let body =
                body.replace(&format!("\"format\":{VERSION}"), &format!("\"format\":{version}"));
            bytes = format!("{body}\n{:08x}\n", crc32(body.as_bytes())).into_bytes();
        }
        fs::write(&path, bytes).expect("an index file can be written");
        place.check(QUERY);
        let doctor = Answer::of(place.codedb("doctor"));
        assert_eq!(doctor.code, 2, "{name}: {}", doctor.text());
        assert!(doctor.text().contains("WRONG index"), "{name}: {}", doctor.text());
        place.index(&[]).expect_success();
        let doctor = Answer::of(place.codedb("doctor"));
        assert!(doctor.text().contains("ok    checksums"), "{name}: {}", doctor.text());
        place.check(QUERY);
    }
    for name in others {
        assert_eq!(
            fs::read(other.join(name)).expect("it is unchanged"),
            b"of another format",
            "{name}"
        );
    }
}

/// Returns the CRC-32 (IEEE), computed bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    })
}

fn search_words(place: &Place, args: &[&str]) -> Vec<OsString> {
    let mut words = place.codedb_words("search");
    words.extend(["--no-background", "--fresh", "strict"].map(OsString::from));
    words.extend(args.iter().map(OsString::from));
    words
}

fn quoted(word: &OsString) -> String {
    format!("'{}'", word.to_string_lossy().replace('\'', r"'\''"))
}

/// Runs `words` after `script` (whose `$0` is `folder`) in a new mount namespace; returns `None` if
/// that is not permitted.
fn in_namespace(
    place: &Place,
    script: &str,
    folder: &std::path::Path,
    words: &[OsString],
) -> Option<Answer> {
    let namespace = |command: &mut Command, flags: &str| {
        command.args([flags, "sh", "-c"]);
    };
    for flags in ["-m", "-rm"] {
        let mut probe = place.command("unshare");
        namespace(&mut probe, flags);
        probe.arg(format!("{script} true")).arg(folder);
        if !probe.output().is_ok_and(|output| output.status.success()) {
            continue;
        }
        let mut command = place.command("unshare");
        namespace(&mut command, flags);
        command.arg(format!("{script} \"$@\"")).arg(folder).args(words);
        return Some(Answer::of(command));
    }
    None
}
