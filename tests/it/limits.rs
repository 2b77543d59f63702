//! Large and unusual inputs: memory and time stay bounded, and the output equals ripgrep's.
//!
//! Each test has a small form; `CODEDB_LONG=1` runs the large one.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::place::{Answer, Place, long, settle, text};
use crate::support::prng::Prng;

/// The memory limit of every command, including debug builds.
const RESIDENT_MAX: u64 = 600 << 20;

/// Runs a command until it exits and returns its exit code and its peak resident memory in bytes (0
/// if the system does not report it).
fn watched(mut command: Command, time_max: Duration) -> (i32, u64) {
    let started = Instant::now();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("codedb runs");
    let mut peak = 0;
    loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes =
            line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) * 1024);
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return (status.code().unwrap_or_else(|| panic!("{status}")), peak);
        }
        if started.elapsed() > time_max {
            child.kill().expect("a child can be killed");
            child.wait().expect("a child can be waited for");
            panic!("{command:?} takes longer than {time_max:?}");
        }
        thread::sleep(Duration::from_millis(2));
    }
}

#[track_caller]
fn check_bounded(command: Command, code: i32, time_max: Duration) {
    check_bounded_to(command, code, time_max, RESIDENT_MAX);
}

#[track_caller]
fn check_bounded_to(command: Command, code: i32, time_max: Duration, resident_max: u64) {
    let line = format!("{command:?}");
    let (found, peak) = watched(command, time_max);
    assert_eq!(found, code, "{line}");
    assert!(peak < resident_max, "{} MB resident: {line}", peak >> 20);
}

fn search(place: &Place, args: &[&str]) -> Command {
    let mut command = place.codedb("search");
    command.args(["--no-background", "--fresh", "strict"]).args(args);
    command
}

/// A matching line of 200 MB is held once, by the searcher; the output is not collected as well.
#[test]
fn a_long_line_is_printed_without_a_copy() {
    let place = Place::new();
    place.write("a.txt", "text\n");
    let file = File::create(place.root().join("sparse.bin")).expect("a file");
    file.set_len(200 << 20).expect("a sparse file");
    place.write("z.bin", "\0\n");
    check_bounded(search(&place, &["-a", r"\x00"]), 0, Duration::from_secs(120));
}

/// Two gigabytes, almost all of them a hole in the file.
#[test]
fn a_file_of_two_gigabytes_is_searched_in_little_memory() {
    let place = Place::new();
    place.fill(&mut Prng::new(80), 20);
    place.write("sparse.bin", "a needle in front\n");
    let mut file =
        OpenOptions::new().write(true).open(place.root().join("sparse.bin")).expect("a file");
    file.set_len(2 << 30).expect("a sparse file");
    file.seek(SeekFrom::End(-20)).expect("a sparse file");
    file.write_all(b"\na needle behind it\n").expect("a sparse file");
    // A text file that is larger than the limit for reading it as a whole.
    let mut file = File::create(place.root().join("text.txt")).expect("a file");
    let lines = "this is a line of a long text without what is looked for\n".repeat(20_000);
    for _ in 0..if long() { 1800 } else { 60 } {
        file.write_all(lines.as_bytes()).expect("a large file");
    }
    file.write_all(b"a needle at the end\n").expect("a large file");
    settle();
    let time_max = Duration::from_secs(if long() { 600 } else { 60 });
    check_bounded(place.codedb("index"), 0, time_max);
    check_bounded(search(&place, &["needle"]), 0, time_max);
    check_bounded(search(&place, &["no such word"]), 1, time_max);
    place.check(&["needle"]);
    place.check(&["-c", "needle|gamma_ray"]);
    place.check(&["--files-with-matches", "a needle (behind|in front)"]);
}

#[test]
fn a_directory_of_many_empty_files_is_indexed_in_little_memory() {
    let place = Place::new();
    let files = if long() { 1_000_000 } else { 10_000 };
    let folder = place.root().join("many");
    fs::create_dir(&folder).expect("a directory");
    for file in 0..files {
        File::create(folder.join(format!("{file}"))).expect("an empty file");
    }
    place.write("one.txt", "a needle\n");
    settle();
    let time_max = Duration::from_secs(if long() { 600 } else { 60 });
    check_bounded(place.codedb("index"), 0, time_max);
    check_bounded(search(&place, &["needle"]), 0, time_max);
    check_bounded(place.codedb("index"), 0, time_max);
    place.write("many/0", "another needle\n");
    check_bounded(place.codedb("index"), 0, time_max);
    check_bounded(place.codedb("status"), 0, time_max);
    place.check(&["needle"]);
    place.check(&["-c", "--include-zero", "needle", "one.txt"]);
}

#[test]
fn ten_thousand_patterns_are_searched_in_little_memory() {
    let place = Place::new();
    let rng = &mut Prng::new(81);
    place.fill(rng, 200);
    let word = |rng: &mut Prng| -> String {
        (0..rng.between(4, 12)).map(|_| char::from(b'a' + rng.below(26) as u8)).collect()
    };
    let mut words: Vec<String> = (0..9_998).map(|_| word(rng)).collect();
    words.extend(["gamma_ray".to_owned(), "omicron".to_owned()]);
    for file in 0..40 {
        place.write(format!("w{file}.txt"), format!("xx {} yy\n", rng.pick(&words)));
    }
    let list = place.base().join("patterns");
    fs::write(&list, words.join("\n") + "\n").expect("a file");
    let list = list.to_str().expect("a plain name");
    settle();
    place.index(&[]).expect_success();
    let time_max = Duration::from_secs(40);
    for args in [&["-F", "-f", list][..], &["-f", list], &["-i", "-w", "-f", list]] {
        check_bounded(search(&place, args), 0, time_max);
        place.check(args);
    }
    let one = words.join("|");
    check_bounded(search(&place, &["-c", &one]), 0, time_max);
    place.check(&["-c", &one]);
}

/// Patterns that the regex engine refuses have ripgrep's error message; the plans of the others are
/// bounded.
#[test]
fn huge_repetitions_are_refused_as_by_ripgrep() {
    let place = Place::new();
    place.fill(&mut Prng::new(82), 20);
    settle();
    place.index(&[]).expect_success();
    let mut refused = vec![".{1000}{1000}", "(((a{100}){100}){100}){100}"];
    if long() {
        refused.extend([r"\w{1000}{50}", r"(?:\pL{200}){20}"]);
    }
    for pattern in refused {
        let time_max = Duration::from_secs(30);
        let (expected, found) = (place.rg(&[pattern]), place.search(&[pattern]));
        let printed = |answer: &Answer| {
            let words = answer.stderr.replace("codedb: ", "rg: ");
            words
                .lines()
                .filter(|line| !line.starts_with("hint: "))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!((found.code, printed(&found)), (2, printed(&expected)), "{pattern}");
        assert!(found.stderr.contains("size limit"), "{}", found.stderr);
        check_bounded(search(&place, &[pattern]), expected.code, time_max);
    }
    for pattern in [
        "(a|b|c|d|e|f|g|m|_){1,30}ray",
        "((((((alpha)?)?)?)?)?)?gamma",
        "[a-z]{0,40}_ray",
        "(alpha|Beta|delta| )+",
    ] {
        let code = place.check(&[pattern]).code;
        check_bounded(search(&place, &[pattern]), code, Duration::from_secs(30));
        place.check(&["-i", pattern]);
    }
}

#[test]
fn deep_directories_and_unusual_names_are_searched() {
    let place = Place::new();
    let mut deep = place.root();
    for level in 0..200 {
        deep.push(format!("d{}", level % 10));
    }
    fs::create_dir_all(&deep).expect("nested directories");
    fs::write(deep.join("deep.txt"), "a needle down here\n").expect("a file");
    let mut odd = b"a\nb\xff\xfe".to_vec();
    odd.resize(255, b'x');
    let folder = place.root().join(OsStr::from_bytes(&odd));
    // Some file systems do not accept such names.
    if fs::create_dir(&folder).is_ok() {
        odd[0] = b'z';
        fs::write(folder.join(OsStr::from_bytes(&odd)), "a needle in it\n").expect("a file");
    }
    settle();
    place.index(&[]).expect_success();
    let expected = place.check(&["needle"]);
    assert!(expected.stdout.ends_with(b"here\n"), "{}", expected.text());
    let inner = deep.strip_prefix(place.root()).expect("below the root").to_owned();
    let inner = inner.to_str().expect("plain names");
    place.check(&["needle", inner]);
    place.check(&["needle", "./d0/d1/"]);
    fs::write(deep.join("new.txt"), "another needle\n").expect("a file");
    fs::rename(&folder, place.root().join("renamed")).ok();
    place.check(&["needle"]);
    place.index(&[]).expect_success();
    place.check(&["needle"]);
    let trusted = place.search_in(&place.cache(), "trust", &["needle"]);
    assert_eq!(trusted.stdout, place.rg(&["needle"]).stdout);
}

/// The next strict search sees files and ignore rules that changed during a build.
#[test]
fn changes_during_a_build_are_searched() {
    let place = Place::new();
    let rng = &mut Prng::new(83);
    place.fill(rng, 1200);
    place.write("d3/.ignore", "*.no\n");
    place.write("d3/sub/x.no", "gamma_ray in x.no\n");
    place.write("d3/y.no", "gamma_ray in y.no\n");
    place.write("d4/sub/x.no", "gamma_ray in another x.no\n");
    settle();
    for round in 0..if long() { 200 } else { 8 } {
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let (place, done) = (&place, &done);
            scope.spawn(move || {
                let rng = &mut Prng::new(8300 + round);
                while !done.load(Ordering::Acquire) {
                    change(place, rng);
                    thread::sleep(Duration::from_micros(300));
                }
            });
            let args: &[&str] = if round % 3 == 0 { &["--rebuild"] } else { &[] };
            let built = place.index(args);
            done.store(true, Ordering::Release);
            assert_eq!(built.code, 0, "{}", built.stderr);
        });
        place.check(&["-c", "gamma_ray"]);
        place.check(&["changed[0-9]+|ZETA_MAX$"]);
        if round % 4 == 3 {
            // An edit that the build missed would also be missed by a refresh that trusts its
            // metadata.
            settle();
            place.index(&[]).expect_success();
            let trusted = place.search_in(&place.cache(), "trust", &["-c", "gamma_ray"]);
            assert_eq!(trusted.text(), place.rg(&["-c", "gamma_ray"]).text());
        }
    }
}

/// A rule that the walk applies is deleted before the rules are recorded, so it leaves no other
/// trace.
#[test]
fn a_rule_deleted_during_the_build_is_detected() {
    let place = Place::new();
    let rng = &mut Prng::new(84);
    for folder in 0..200 {
        place.write(format!("d{folder}/sub/y.txt"), "gamma_ray in y.txt\n");
        place.write(format!("d{folder}/sub/x.no"), "gamma_ray in x.no\n");
    }
    let started = Instant::now();
    place.index(&["--rebuild"]).expect_success();
    let build = started.elapsed();
    for _ in 0..if long() { 300 } else { 6 } {
        for folder in (0..200).step_by(10) {
            place.write(format!("d{folder}/.ignore"), "*.no\n");
        }
        settle();
        thread::scope(|scope| {
            let built = scope.spawn(|| place.index(&["--rebuild"]));
            thread::sleep(build.mul_f64(rng.below(40) as f64 / 100.0));
            // In reverse order, against the direction of the walk.
            for folder in (0..200).step_by(10).rev() {
                fs::remove_file(place.root().join(format!("d{folder}/.ignore"))).expect("a rule");
            }
            built.join().expect("no panic").expect_success();
        });
        place.check(&["-c", "gamma_ray"]);
    }
}

fn change(place: &Place, rng: &mut Prng) {
    let file = rng.below(1200);
    let path = place.root().join(format!("d{}/f{file}.txt", file / 40));
    let text = text(rng, &format!("changed{file}"));
    match rng.below(8) {
        0 => drop(fs::remove_file(place.root().join(format!("d{}/.ignore", rng.between(3, 4))))),
        1 => {
            place
                .write(format!("d{}/.ignore", rng.between(3, 4)), rng.pick(&["*.no\n", "*.yes\n"]));
        }
        2 => drop(fs::remove_file(&path)),
        3 | 4 => {
            let new = path.with_extension("tmp~");
            drop(fs::write(&new, text).and_then(|()| fs::rename(&new, &path)));
        }
        _ => drop(fs::write(&path, text)),
    }
}

/// An ignore file of a repository must not stall a search, a build or a server, nor fill the memory.
#[test]
fn hostile_ignore_files_are_not_read() {
    let globs: String = (0..60_000).map(|n| format!("*a{n}*.rs\n")).collect();
    type Make<'a> = &'a dyn Fn(&Place, &str);
    let make: [(&str, Make<'_>); 3] = [
        ("a device", &|place, path| {
            let link = place.root().join(path);
            std::os::unix::fs::symlink("/dev/zero", link).expect("a link");
        }),
        ("a pipe", &|place, path| {
            let made = Command::new("mkfifo").arg(place.root().join(path)).status();
            assert!(made.is_ok_and(|status| status.success()), "mkfifo");
        }),
        ("60,000 globs", &|place, path| place.write(path, &globs)),
    ];
    let time_max = Duration::from_secs(5);
    for (what, make) in make {
        for name in [".gitignore", ".ignore", ".rgignore", ".git/info/exclude"] {
            let place = Place::new();
            place.write(".git/info/attributes", "");
            place.write("a.txt", "a needle\n");
            place.write("d/a1b.rs", "a needle\n");
            make(&place, name);
            let plain = search(&place, &["--no-index", "-l", "needle", "."]);
            check_bounded_to(plain, 0, time_max, 200 << 20);
            let mut index = place.codedb("index");
            index.args(["-q", "--stage", "ready"]);
            check_bounded_to(index, 0, time_max, 200 << 20);
            let found = place.search(&["-l", "needle", "."]);
            assert_eq!(found.text(), "./a.txt\n./d/a1b.rs\n", "{what}, {name}");
            assert!(found.stderr.contains("is not read in and below"), "{what}: {}", found.stderr);
        }
    }
}
