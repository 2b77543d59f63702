//! `codedb search` against ripgrep: the same flags, the same bytes, the same exit codes.

mod cases;
mod tree;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use self::cases::{CASES, Case, Words};
use crate::peer;
use crate::support::place::{long, settle};

/// Environment variables that could change results, removed for both programs.
const UNSET: [&str; 4] = ["RIPGREP_CONFIG_PATH", "NO_COLOR", "GIT_DIR", "XDG_CONFIG_HOME"];

struct Run<'a> {
    dir: &'a Path,
    args: &'a [String],
    stdin: Option<&'a [u8]>,
    config: Option<&'a Path>,
}

fn output(mut command: Command, run: &Run<'_>) -> Output {
    for name in UNSET {
        command.env_remove(name);
    }
    if let Some(config) = run.config {
        command.env("RIPGREP_CONFIG_PATH", config);
    }
    let stdin = if run.stdin.is_some() { Stdio::piped() } else { Stdio::null() };
    let mut child = command
        .args(run.args)
        .current_dir(run.dir)
        .env("HOME", run.dir.join("home"))
        .env("TERM", "xterm")
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    if let (Some(text), Some(mut pipe)) = (run.stdin, child.stdin.take()) {
        // A program that does not read its input may close the pipe.
        drop(pipe.write_all(text));
    }
    child.wait_with_output().expect("the program exits")
}

fn rg(run: &Run<'_>) -> Output {
    let mut command = Command::new(peer::rg());
    command.args(["--sort", "path"]);
    output(command, run)
}

fn codedb(run: &Run<'_>, flags: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codedb"));
    command.arg("search").args(flags).env("CODEDB_INDEX_DIR", index_dir(run.dir));
    output(command, run)
}

/// Returns the index directory of the tree at `dir`; it is in the parent of the tree.
fn index_dir(dir: &Path) -> PathBuf {
    dir.with_file_name("index of the tree")
}

/// Builds the index of the tree at `dir`.
fn build_index(dir: &Path) {
    settle();
    let mut command = Command::new(env!("CARGO_BIN_EXE_codedb"));
    command.args(["index", "--quiet", "--root"]).arg(dir).env("CODEDB_INDEX_DIR", index_dir(dir));
    let args = Vec::new();
    let built = output(command, &Run { dir, args: &args, stdin: None, config: None });
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

/// Splits a line at blanks, except inside of single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, piece) in line.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(piece.to_string());
        } else {
            words.extend(piece.split_whitespace().map(str::to_string));
        }
    }
    words
}

/// Returns the output line by line with escaped bytes, without times and byte counts.
fn comparable(stdout: &[u8]) -> String {
    let mut out = String::new();
    for line in stdout.split_inclusive(|&byte| byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        if text.contains(" seconds ") || text.ends_with(" bytes searched\n") {
            continue;
        }
        if text.starts_with(r#"{"type":"end""#) || text.ends_with("\"type\":\"summary\"}\n") {
            let mut value: serde_json::Value = serde_json::from_str(&text).expect("a JSON line");
            forget_times(&mut value);
            out.push_str(&format!("{value}\n"));
            continue;
        }
        out.push_str(&format!("{}\n", line.escape_ascii()));
    }
    out
}

fn forget_times(value: &mut serde_json::Value) {
    if let Some(map) = value.as_object_mut() {
        for name in ["elapsed", "elapsed_total", "bytes_searched"] {
            map.remove(name);
        }
        map.values_mut().for_each(forget_times);
    }
}

fn messages(stderr: &[u8], name: &str) -> String {
    let text = String::from_utf8_lossy(stderr);
    let prefix = format!("{name}: ");
    let lines = text.lines().map(|line| line.strip_prefix(&prefix).unwrap_or(line));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Threads and use of the index.
const WAYS: &[&[&str]] = &[
    &["--no-index", "-j7"],
    &["--no-background", "-j1"],
    &["--no-index", "-j0"],
    &["--no-index", "-j1"],
    &["--no-background", "-j2"],
];

/// Returns the differences between the two programs, for several numbers of threads, with and
/// without the index if there is one.
fn difference(run: &Run<'_>, words: Words) -> Option<String> {
    difference_in(run, words, WAYS)
}

/// Returns the differences between the two programs in some of [`WAYS`].
fn difference_in(run: &Run<'_>, words: Words, ways: &[&[&str]]) -> Option<String> {
    let theirs = rg(run);
    ways.iter().find_map(|flags| {
        let report = compare(&theirs, &codedb(run, flags), words)?;
        Some(format!("with {flags:?}:\n{report}"))
    })
}

fn compare(theirs: &Output, ours: &Output, words: Words) -> Option<String> {
    let mut report = String::new();
    if theirs.status.code() != ours.status.code() {
        report += &format!("exit code {:?}, not {:?}\n", ours.status.code(), theirs.status.code());
    }
    let (want, got) = (comparable(&theirs.stdout), comparable(&ours.stdout));
    if want != got {
        report += &format!("stdout:\n{got}--- instead of:\n{want}");
    }
    let (want, got) = (messages(&theirs.stderr, "rg"), messages(&ours.stderr, "codedb"));
    let same = match words {
        Words::Same => want == got,
        Words::Own => want.is_empty() == got.is_empty(),
    };
    if !same {
        report += &format!("stderr:\n{got}--- instead of:\n{want}");
    }
    (!report.is_empty()).then_some(report)
}

fn check_all(cases: &[Case]) {
    let dir = tree::make();
    let root = dir.path().join("work");
    build_index(&root);
    let mut failed = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        // With and without the index, and one of the other ways.
        let other = 2 + number % (WAYS.len() - 2);
        let some = [WAYS[0], WAYS[1], WAYS[other]];
        let ways = if long() { WAYS } else { &some };
        let args = words(case.line);
        let stdin = case.stdin.map(str::as_bytes);
        let run = Run { dir: &root, args: &args, stdin, config: None };
        if let Some(report) = difference_in(&run, case.words, ways) {
            failed.push(format!("## {}\n{report}", args.join(" ")));
        }
    }
    let (count, all) = (failed.len(), cases.len());
    assert!(failed.is_empty(), "{count} of {all} differ:\n{}", failed.join("\n"));
}

#[test]
fn results_equal_ripgreps() {
    check_all(CASES);
}

#[cfg(feature = "pcre2")]
#[test]
fn pcre2_results_equal_ripgreps() {
    check_all(cases::PCRE2_CASES);
}

#[test]
fn configuration_comes_before_the_command_line() {
    let dir = tree::make();
    let root = dir.path().join("work");
    let config = dir.path().join("config");
    std::fs::write(&config, "# mine\n--ignore-case\n\n  -n  \n-g\n!*.bin\n").expect("written");
    for line in ["NEEDLE", "-s NEEDLE", "--no-config NEEDLE", "-N needle a"] {
        let args = words(line);
        let run = Run { dir: &root, args: &args, stdin: None, config: Some(&config) };
        assert_eq!(difference(&run, Words::Same), None, "{line}");
    }
    let missing = dir.path().join("missing");
    let args = words("needle a");
    let run = Run { dir: &root, args: &args, stdin: None, config: Some(&missing) };
    assert_eq!(difference(&run, Words::Own), None);
}

#[test]
fn files_are_sorted_by_time() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let now = std::time::SystemTime::now();
    for (name, age_seconds) in [("b/old", 300), ("new", 10), ("a", 200), ("b/newest", 1)] {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a path inside")).expect("a directory");
        std::fs::write(&path, "needle\n").expect("a file");
        let time = now - std::time::Duration::from_secs(age_seconds);
        let times = std::fs::FileTimes::new().set_modified(time).set_accessed(time);
        let file = std::fs::File::options().append(true).open(&path).expect("a file");
        file.set_times(times).expect("times that can be set");
    }
    // Reading a file changes its access time, so commands that read no file come first.
    for line in
        ["--sort accessed --files", "--sort modified -l needle", "--sortr modified needle b a new"]
    {
        let args = words(line);
        let run = Run { dir: dir.path(), args: &args, stdin: None, config: None };
        assert_eq!(difference(&run, Words::Same), None, "{line}");
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let dir = tree::make();
    for args in [
        &["search", "--no-index", "-uuu", "e"][..],
        &["search", "--files"],
        &["search", "--type-list"],
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_codedb"))
            .args(args)
            .current_dir(dir.path().join("work"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("codedb starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("codedb exits");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

/// Returns the names of the flags in a help text: `--long` and `-s` at the start of its lines.
fn flags_in_help(help: &str) -> BTreeSet<String> {
    let mut flags = BTreeSet::new();
    for line in help.lines().filter(|line| line.trim_start().starts_with('-')) {
        if line.len() - line.trim_start().len() > 4 {
            continue;
        }
        for form in line.trim().split(", ") {
            let name = form.split(['=', ' ']).next().unwrap_or_default();
            let short = name.len() == 2 && name.starts_with('-');
            if short || (name.starts_with("--") && name.len() > 2) {
                flags.insert(name.to_string());
            }
        }
    }
    flags
}

/// Returns all flags of ripgrep's long help: headings, negations and other spellings.
fn every_ripgrep_flag() -> BTreeSet<String> {
    let help = Command::new(peer::rg()).arg("--help").output().expect("ripgrep runs").stdout;
    let help = String::from_utf8(help).expect("help is text");
    let mut flags = flags_in_help(&help);
    let text: Vec<&str> = help.split_whitespace().collect();
    for phrase in ["disabled with", "is"] {
        let lead: Vec<&str> = phrase.split(' ').collect();
        for window in text.windows(lead.len() + 1) {
            let name = window[lead.len()].trim_end_matches('.');
            if window[..lead.len()] == lead[..] && name.starts_with("--") && name.len() > 2 {
                flags.insert(name.to_string());
            }
        }
    }
    flags
}

#[test]
fn every_flag_of_ripgrep_exists_or_is_documented_as_missing() {
    let documented = include_str!("../../docs/ripgrep.md");
    let theirs = every_ripgrep_flag();
    assert!(theirs.len() > 150, "ripgrep's help was not understood: {theirs:?}");
    for flag in theirs {
        let left_out = documented.contains(&format!("| `{flag}` |"));
        let output = Command::new(env!("CARGO_BIN_EXE_codedb"))
            .args(["search", "--no-config", &flag])
            .stdin(Stdio::null())
            .output()
            .expect("codedb runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        let refused = stderr.contains("unrecognized flag") || stderr.contains("is not supported");
        assert_eq!(refused, left_out, "{flag}: {stderr}");
    }
}
