//! Regression tests for past defects that fit no other file: patterns, trees and caches.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::support::place::{Answer, Place, settle};
use crate::support::skipped;

/// Returns a file of several units; a line in the middle starts with `final`.
fn in_the_middle() -> String {
    let mut text = String::new();
    for row in 0..18_000 {
        text.push_str(&format!("row {row:05} of the text\n"));
        if row == 9_000 {
            text.push_str("final foo end\n");
        }
    }
    text
}

#[test]
fn anchors_match_as_in_ripgrep() {
    let place = Place::new();
    place.write("large.txt", in_the_middle());
    place.write("small.txt", "x\nfinal end");
    place.index(&[]).expect_success();
    for pattern in [
        "(?x)( ?-m:^final)",
        "(?x)( ?-m:^row\\ 008)",
        "(?x)(?-u)( ?-m)^final",
        "\\Afinal",
        "end\\z",
        "(?-m)^final",
        "(?-m:end$)",
        "[[:word:]]+\\z",
    ] {
        for flags in [&["-n"][..], &["-on"], &["--column"], &["-c"], &["-r", "Z"], &["-l"], &["-U"]]
        {
            place.check(&[flags, &["-e", pattern, "."]].concat());
        }
    }
}

#[test]
fn empty_files_and_files_without_a_length_are_searched_as_in_ripgrep() {
    let place = Place::new();
    place.write("empty.txt", "");
    place.write("folder/empty.txt", "");
    place.write("full.txt", "version\n");
    for flags in [
        &["-n"][..],
        &["-v"],
        &["-c", "--include-zero"],
        &["--files-without-match"],
        &["--passthru"],
        &["-U", "--mmap"],
        &["--no-mmap", "-z"],
        &["-E", "utf-16"],
    ] {
        let ends: [&[&str]; 3] = [&["version", "."], &["^$", "."], &["version", "empty.txt"]];
        for end in ends {
            let expected = place.check(&[flags, end].concat());
            let found = place.search(&[flags, &["--no-index"], end].concat());
            let (found, expected) = ((found.text(), found.code), (expected.text(), expected.code));
            assert_eq!(found, expected, "{flags:?} {end:?}");
        }
    }
    // Its metadata reports no length.
    for pattern in ["(?i)linux", "^$", "no such text"] {
        place.check(&["-c", "--include-zero", pattern, "/proc/version"]);
    }
}

#[test]
fn few_file_descriptors_lose_no_match() {
    let place = Place::new();
    for folder in 0..64 {
        place.write(format!("d{folder}/f.txt"), "hello\n");
    }
    place.index(&[]).expect_success();
    let all = place.rg(&["-l", "hello", "."]);
    for descriptors in 6..12 {
        let mut command = place.command("sh");
        let script = format!("ulimit -n {descriptors}; exec \"$0\" \"$@\"");
        command.args(["-c", &script]).args(place.codedb_words("search"));
        command.args(["--no-background", "--fresh", "strict", "-j2", "-l", "hello", "."]);
        let found = Answer::of(command);
        // It may report an error, but must not report fewer matches.
        assert!(
            found.code == 2 || found.stdout == all.stdout,
            "{descriptors}: {} of 64, code {}",
            found.text().lines().count(),
            found.code
        );
    }
}

#[test]
fn a_pipe_in_place_of_an_ignore_file_does_not_block() {
    let place = Place::new();
    place.write("a/f.txt", "hello\n");
    place.write("b/f.txt", "hello\n");
    let pipe = |path: &str| {
        let made = Command::new("mkfifo").arg(place.root().join(path)).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo {path}");
    };
    pipe("a/.git");
    pipe("a/.jj");
    place.index(&[]).expect_success();
    place.check(&["hello", "."]);
    pipe("b/.git");
    place.check(&["hello", "."]);
}

#[test]
fn an_index_directory_is_recognised_by_its_name() {
    let place = Place::new();
    place.write("f.txt", "hello\n");
    // Directories of the user that resemble an index directory.
    let theirs =
        ["proj/repo", "0123456789abcdef/v1", "0123456789abcdef/vx-01234567", "proj/v1-01234567"];
    for dir in theirs {
        let dir = place.cache().join(dir);
        fs::create_dir_all(dir.join("sub")).expect("a directory");
        for (name, text) in [("lock", ""), ("root", "/nowhere/at/all"), ("sub/thesis.txt", "x")] {
            fs::write(dir.join(name), text).expect("a file");
        }
        fs::write(dir.join("large"), vec![b'x'; 2 << 20]).expect("a file");
    }
    let mut command = place.codedb("index");
    command.env("CODEDB_CACHE_MAX_MB", "1");
    Answer::of(command).expect_success();
    place.index(&["--clean"]).expect_success();
    for dir in theirs {
        assert!(place.cache().join(dir).join("sub/thesis.txt").exists(), "{dir}");
    }
}

#[test]
fn the_least_recently_used_index_is_evicted() {
    let (place, other) = (Place::new(), Place::new());
    for place in [&place, &other] {
        place.write("f.txt", "hello\n");
    }
    place.index(&[]).expect_success();
    let first = place.store();
    fs::write(first.join("segment-0.idx"), vec![0; 2 << 20]).expect("a file");
    let mut command = other.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["index", "--index-dir"]).arg(place.cache()).env("CODEDB_CACHE_MAX_MB", "1");
    Answer::of(command).expect_success();
    assert!(!first.exists());
    let left: Vec<_> = fs::read_dir(place.cache()).expect("a cache").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn failed_builds_leave_nothing_behind() {
    let place = Place::new();
    for file in 0..200 {
        place.write(format!("f{file}.txt"), format!("{file} and some text {}\n", file * 7919));
    }
    for _ in 0..3 {
        let mut command = place.command("sh");
        let script = "trap '' XFSZ; ulimit -f 16; \"$0\" \"$@\"; exit $?";
        command.args(["-c", script]).args(place.codedb_words("index"));
        assert_eq!(Answer::of(command).code, 2);
        let left: Vec<_> = fs::read_dir(place.store()).expect("a directory").flatten().collect();
        let left: Vec<_> = left.iter().map(|entry| entry.file_name()).collect();
        assert_eq!(left, ["lock"]);
    }
    fs::write(place.store().join("segment-7.tmp"), "of one that was killed").expect("a file");
    place.index(&[]).expect_success();
    assert!(!place.store().join("segment-7.tmp").exists());
}

#[test]
fn an_unchanged_tree_publishes_nothing() {
    let place = Place::new();
    place.write("f.txt", "hello\n");
    place.write("sub/g.txt", "hello\n");
    // A rule with a future modification time, and an unreadable one.
    place.write(".ignore", "*.log\n");
    place.write("sub/.ignore", "{x\n");
    let ahead = SystemTime::now() + Duration::from_secs(400_000_000);
    let rules = File::options().write(true).open(place.root().join(".ignore")).expect("a file");
    rules.set_modified(ahead).expect("a time");
    settle();
    place.index(&[]).expect_success();
    let manifest = place.store().join("gen-1.json");
    for _ in 0..3 {
        place.index(&[]).expect_success();
        assert!(manifest.exists());
    }
    place.check(&["hello", "."]);
}

/// Only for an unprivileged user; root can read everything.
#[test]
fn an_unreadable_directory_is_reported() {
    let place = Place::new();
    place.write("a/b/f.txt", "hello\n");
    place.write("c/g.txt", "hello\n");
    settle();
    place.index(&[]).expect_success();
    let folder = place.root().join("a");
    let mode = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode));
    mode(0o444).expect("a mode");
    let (expected, found) = (place.rg(&["hello", "."]), place.search(&["hello", "."]));
    mode(0o755).expect("a mode");
    assert_eq!((found.text(), found.code), (expected.text(), expected.code), "{}", found.stderr);
    assert_eq!(found.stderr.replace("codedb: ", "rg: "), expected.stderr);
}

#[test]
fn inverted_searches_with_limits_match_ripgrep() {
    let place = Place::new();
    place.write("sorted.txt", "a\nfoo1\nfoo2\nb\nfoo3\n");
    place.write("open.txt", "a\nb foo\nc\n\nd\nend foo");
    let mut large = String::new();
    for row in 0..40_000 {
        large.push_str(if row % 5000 == 4999 { "foo\n" } else { "filler\n" });
    }
    place.write("large.txt", large);
    place.index(&[]).expect_success();
    for limits in [&["--stop-on-nonmatch"][..], &["-m1"], &["-m3"], &["-m3", "--stop-on-nonmatch"]]
    {
        for pattern in ["foo", "zzz"] {
            for format in
                [&["-n"][..], &["-c"], &["-A2"], &["-C1"], &["-B3", "-n"], &["-o"], &["-l"]]
            {
                place.check(&[limits, format, &["-v", pattern, "."]].concat());
            }
        }
    }
}

#[test]
fn a_long_line_in_one_file_changes_nothing_in_another() {
    let place = Place::new();
    place.write("a", "x".repeat(300_000) + "\n");
    place.write("b", format!("foo 1\n{}\0\n", "filler\n".repeat(14_000)));
    place.index(&[]).expect_success();
    let alone = place.rg(&["-g", "b", "foo", "."]);
    let found = ["-j1", "-j2", "-j4"].map(|threads| place.search(&[threads, "foo", "."]));
    for found in &found {
        assert_eq!(found.code, 0);
        assert_eq!(found.text(), alone.text());
    }
}

#[test]
fn a_panic_of_the_printer_is_an_error_of_one_file() {
    let place = Place::new();
    place.write("0", "foo early\n");
    place.write("a", "foo x \n\n\nend\n");
    place.write("z", "foo late\n");
    place.index(&[]).expect_success();
    for threads in ["-j1", "-j2"] {
        let words = [threads, "-U", "-m1", "-e", "foo", "-e", "\\s+$", "--json", "."];
        let mut command = place.codedb("search");
        command.args(["--no-background"]).args(words);
        let output = command.output().expect("codedb runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("foo early") && text.contains("foo late"), "{threads}: {text}");
        assert!(output.status.code() == Some(2), "{threads}: {output:?}");
    }
}

#[test]
fn a_full_standard_output_is_reported_for_any_number_of_threads() {
    let place = Place::new();
    place.write("f.txt", "hello\n");
    place.write("g.txt", "hello\n");
    if !std::path::Path::new("/dev/full").exists() {
        skipped::report("there is no /dev/full");
        return;
    }
    for args in [
        &["-j1", "hello"][..],
        &["-j2", "hello"],
        &["hello", "f.txt"],
        &["--files"],
        &["--type-list"],
    ] {
        let full = File::options().write(true).open("/dev/full").expect("a device");
        let mut command = place.codedb("search");
        let output = command.args(["--no-background"]).args(args).stdout(full).output();
        let output = output.expect("codedb runs");
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let reported = String::from_utf8_lossy(&output.stderr);
        assert!(
            reported.contains("standard output: No space left on device"),
            "{args:?}: {reported}"
        );
    }
}

#[test]
fn a_full_standard_output_is_reported_for_help() {
    let Ok(full) = File::options().write(true).open("/dev/full") else { return };
    let place = Place::new();
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    let output = command.arg("--help").stdout(full).output().expect("codedb runs");
    assert_eq!(output.status.code(), Some(2));
    let reported = String::from_utf8_lossy(&output.stderr);
    assert!(reported.contains("standard output: No space left on device"), "{reported}");
}

#[test]
fn invalid_arguments_are_reported() {
    let place = Place::new();
    place.write("f.txt", "hello\n");
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    let nowhere = place.base().join("nowhere");
    let found = Answer::of({
        command.args(["search", "hello", "--root"]).arg(&nowhere);
        command
    });
    assert_eq!(found.code, 2);
    assert!(found.stderr.contains(&nowhere.display().to_string()), "{}", found.stderr);

    let config = place.base().join("config");
    fs::write(&config, "--bogus\n").expect("a file");
    let mut command = place.codedb("search");
    command.env("RIPGREP_CONFIG_PATH", &config).arg("hello");
    let found = Answer::of(command);
    assert_eq!(found.code, 2);
    assert!(found.stderr.contains(&config.display().to_string()), "{}", found.stderr);
}

#[test]
fn index_takes_a_directory_and_starts_one_watcher() {
    let place = Place::new();
    place.write("f.txt", "hello\n");
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.arg("index").arg(place.root()).arg("--index-dir").arg(place.cache());
    let built = Answer::of(command).expect_success();
    assert!(built.text().contains("1 file,"), "{}", built.text());

    let watch = || {
        let mut command = place.codedb("index");
        command.arg("--watch").stderr(Stdio::piped());
        command
    };
    let mut first = watch().spawn().expect("codedb runs");
    let mut lines = BufReader::new(first.stderr.take().expect("a pipe")).lines();
    let reported = lines.next().expect("a line").expect("text");
    assert!(reported.contains("watching; stop with Ctrl-C"), "{reported}");
    let socket = place.store().join("watch.sock");
    let started = Instant::now();
    while !socket.exists() && started.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(5));
    }
    let second = Answer::of(watch());
    first.kill().expect("it can be killed");
    first.wait().expect("it exits");
    assert_eq!(second.code, 0);
    assert!(second.stderr.contains("already watched"), "{}", second.stderr);
    place.check(&["hello", "."]);
}

#[test]
fn descending_paths_put_the_current_directory_last() {
    let place = Place::new();
    for path in ["-dash/f.txt", "a/f.txt", "z.txt", "..dots/f.txt", "+plus.txt"] {
        place.write(path, "hello\n");
    }
    place.index(&[]).expect_success();
    place.check(&["--sortr=path", "hello", "--", "-dash", "./", "a"]);
    place.check(&["--sortr=path", "hello", "--", "../tree/a", "./z.txt", "+plus.txt", "..dots"]);
}

#[test]
fn files_are_decided_by_their_head_only_if_the_rest_cannot_change_the_result() {
    let place = Place::new();
    let filler = "some filler text\n".repeat(6_000);
    for (name, at) in [("near", 30_000), ("far", 90_000), ("end", filler.len())] {
        place.write(
            format!("{name}.bin"),
            format!("needle\n{}\0\n{}", &filler[..at], &filler[at..]),
        );
        place.write(format!("{name}.txt"), format!("{}\nneedle\n{}", &filler[..at], &filler[at..]));
    }
    place.write("marked.txt", format!("\u{feff}needle\n{filler}"));
    place.write("early.txt", format!("needle\n{filler}"));
    place.write("grown.txt", format!("needle\n{filler}"));
    settle();
    place.index(&[]).expect_success();
    place.write("grown.txt", format!("needle\n{}\0{filler}", &filler[..20_000]));
    for flags in [
        &["-l"][..],
        &["-L"],
        &["-c"],
        &["-l", "-a"],
        &["-l", "--binary"],
        &["-l", "-v"],
        &["-lm1"],
        &["-l0"],
    ] {
        place.check(&[flags, &["needle", "."]].concat());
        place.check(&[flags, &["^needle", "."]].concat());
    }
}

#[test]
fn damage_missed_by_a_refresh_is_repaired_by_the_next_search() {
    let place = Place::new();
    for file in 0..50 {
        place.write(format!("f{file}.txt"), format!("hello {file} of many words\n"));
    }
    settle();
    place.index(&[]).expect_success();
    let segment = place.store().join("segment-1.idx");
    let mut bytes = fs::read(&segment).expect("a segment");
    // The damage is in the block of the postings, which a refresh does not read.
    let at = bytes.len() - 400;
    bytes[at] ^= 0x55;
    fs::remove_file(&segment).expect("a file");
    fs::write(&segment, bytes).expect("a file");
    place.write("f1.txt", "hello again\n");
    settle();
    place.index(&[]).expect_success();
    place.check(&["hello", "."]);
    let mut command = place.codedb("search");
    command.env("CODEDB_BACKGROUND", "1").args(["hello", "."]);
    Answer::of(command).expect_success();
    let started = Instant::now();
    while segment.exists() && started.elapsed() < Duration::from_secs(60) {
        thread::sleep(Duration::from_millis(20));
    }
    assert!(!segment.exists(), "the segment is still damaged");
    place.check(&["hello", "."]);
}

/// Calls may be missing where a file is too long, in another encoding, or too deeply nested.
#[test]
fn replies_about_calls_count_the_files_that_are_not_read() {
    let place = Place::new();
    place.write("a.py", "def target(): pass\ndef other(): pass\n");
    let long = "from a import target\nx = 1\n".repeat(180_000);
    place.write("big.py", format!("{long}target()\ndef inner(): pass\n"));
    let wide: Vec<u8> = "\u{feff}from a import target\ntarget()\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    place.write("u16.py", wide);
    let (open, close) = ("(".repeat(3_000), ")".repeat(3_000));
    place.write("deep.py", format!("from a import target\n{open}target(){close}\n"));
    settle();
    Answer::of(place.codedb("index")).expect_success();
    let reply = |name: &str, args: &[&str]| {
        let mut command = place.codedb(name);
        command.args(args);
        let answer = Answer::of(command);
        String::from_utf8_lossy(&answer.stdout).into_owned() + &answer.stderr
    };
    for name in ["callers", "explain"] {
        let reply = reply(name, &["target"]);
        assert!(reply.contains("2 files not read because of size or encoding"), "{reply}");
        assert!(reply.contains("1 file not parsed completely"), "{reply}");
    }
    // This name is not in those files, but nobody knows what is in the one in UTF-16.
    let reply_of_other = reply("callers", &["other"]);
    assert!(reply_of_other.contains("1 file not read"), "{reply_of_other}");
    assert!(!reply_of_other.contains("not parsed"), "{reply_of_other}");
    let deps = reply("deps", &["a.py"]);
    assert!(deps.contains("2 files not read because of size or encoding"), "{deps}");
    let read = reply("read", &["big.py", "--symbol", "inner"]);
    assert!(read.contains("the definitions of long files are not read"), "{read}");
}
