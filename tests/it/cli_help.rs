//! The help of every command: its length, and its examples, which run in the repository of
//! `codedb demo`.

use codedb::tools::{CommandLine, TOOLS};

use crate::support::place::{Answer, Place};

const PROGRAM: &str = env!("CARGO_BIN_EXE_codedb");

/// The most lines of the help of a command.
const LINES_MAX: usize = 25;

/// Commands with more options of their own than fit.
const MANY_OPTIONS: [&str; 6] = ["check", "decisions", "edit", "index", "init", "symbol"];

/// Commands that are no tools.
const OTHERS: [&str; 19] = [
    "cache",
    "check",
    "completions",
    "data",
    "decisions",
    "demo",
    "doctor",
    "drift",
    "eval",
    "flaky",
    "index",
    "init",
    "man",
    "mcp",
    "pick",
    "run",
    "snapshot",
    "status",
    "test",
];

/// Examples that are only parsed: servers and watchers, changes of the user's files, runners that may be
/// missing, and measurements that need a long history.
const NOT_RUN: [&str; 14] = [
    "cancel-job",
    "completions",
    "data import",
    "demo",
    "doctor",
    "drift",
    "eval",
    "index --watch",
    "init",
    "man |",
    "mcp",
    "pick",
    "run",
    "test",
];

fn commands() -> Vec<String> {
    let tools = TOOLS.iter().filter(|tool| tool.command_line == CommandLine::Generated);
    tools.map(|tool| tool.command()).chain(OTHERS.map(str::to_owned)).collect()
}

fn help(place: &Place, command: &str, flag: &str) -> String {
    let mut process = place.command(PROGRAM);
    process.args([command, flag]);
    Answer::of(process).expect_success().text()
}

/// Returns the examples in the help of a command, without their comments.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("  codedb "));
    lines.map(|line| line.trim().split("  ").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn help_is_short_and_opens_with_examples() {
    let place = Place::new();
    let mut long = Vec::new();
    for command in commands() {
        let text = help(&place, &command, "--help");
        assert_eq!(text, help(&place, &command, "-h"), "{command}");
        let lines = text.lines().count();
        if lines > LINES_MAX {
            long.push((command.clone(), lines));
        }
        let before = text.split("\nUsage:").next().unwrap_or_default();
        assert!(before.contains("\n\nExamples:\n"), "{command}:\n{text}");
        let all = help(&place, &command, "--help-all");
        assert!(all.lines().count() >= lines, "{command}");
    }
    long.retain(|(command, _)| !MANY_OPTIONS.contains(&command.as_str()));
    assert!(long.is_empty(), "{long:?}");
}

/// The examples were documentation that nobody ran.
#[cfg(unix)]
#[test]
fn examples_run_in_the_repository_of_the_demo() {
    let place = Place::new();
    let mut demo = place.command(PROGRAM);
    demo.args(["demo", "shop", "--no-tour"]);
    Answer::of(demo).expect_success();
    let shop = place.root().join("shop");
    let mut index = place.command(PROGRAM);
    index.args(["index", "--stage", "full", "-q"]).current_dir(&shop);
    Answer::of(index).expect_success();
    let mut failed = Vec::new();
    for command in commands() {
        for example in examples(&help(&place, &command, "--help")) {
            let words = example.strip_prefix("codedb ").unwrap_or_default();
            let is_skipped = |start: &str| format!("{words} ").starts_with(&format!("{start} "));
            if NOT_RUN.into_iter().any(is_skipped) {
                continue;
            }
            let mut shell = place.command("sh");
            shell.arg("-c").arg(format!("'{PROGRAM}' {words}")).current_dir(&shop);
            let output = shell.output().expect("sh runs");
            // 1: nothing found, as for decisions of a repository without any.
            if !matches!(output.status.code(), Some(0 | 1)) {
                failed.push((example, String::from_utf8_lossy(&output.stderr).into_owned()));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn the_demo_leads_through_its_repository_and_overwrites_nothing() {
    let place = Place::new();
    let demo = || {
        let mut demo = place.command(PROGRAM);
        demo.args(["demo", "shop"]);
        Answer::of(demo)
    };
    let text = demo().expect_success().text();
    for part in
        ["$ codedb callers Cart::total", "1 caller", "Ben: Fix the total", "src/coupon.rs:5"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    let again = demo();
    assert_eq!(again.code, 2);
}

#[test]
fn indexes_are_listed_verified_and_removed() {
    let place = Place::new();
    place.write("a.rs", "fn a() {}\n");
    place.index(&["-q", "--stage", "full"]).expect_success();
    let cache = |args: &[&str]| {
        let mut command = place.codedb("cache");
        command.args(args);
        Answer::of(command)
    };
    let root = place.root().display().to_string();
    assert!(cache(&[]).expect_success().text().contains(&root));
    let verified = cache(&["verify", "--json"]).expect_success().text();
    assert!(!verified.contains("problem"), "{verified}");
    let entries = std::fs::read_dir(place.store()).expect("an index").flatten();
    let is_segment = |path: &std::path::PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("segment-"))
    };
    let segment = entries.map(|entry| entry.path()).find(is_segment).expect("a segment");
    let mut bytes = std::fs::read(&segment).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&segment, bytes).expect("written");
    let damaged = cache(&["verify"]);
    assert_eq!(damaged.code, 2);
    assert!(damaged.text().contains("checksum"), "{}", damaged.text());
    assert_eq!(cache(&["clean", "/nowhere/at/all"]).code, 2);
    assert!(cache(&["clean", "--all", "--dry-run"]).expect_success().text().contains(&root));
    assert!(place.store().exists());
    cache(&["clean", &root]).expect_success();
    assert_eq!(cache(&[]).code, 1, "nothing is left");
}

/// A list of any command has the same keys, and is printed as lines.
#[test]
fn lists_have_a_common_shape() {
    let place = Place::new();
    place.write("a.rs", "fn one() {}\nfn two() { one(); one(); }\n");
    place.index(&["-q", "--stage", "full"]).expect_success();
    let ask = |words: &[&str]| {
        let mut command = place.codedb(words[0]);
        command.args(&words[1..]);
        Answer::of(command).expect_success().text()
    };
    for (words, key) in [
        (["callers", "one", "-n", "1"], "callers"),
        (["symbol", "one", "-n", "1"], "symbols"),
        (["find", "a", "-n", "1"], "files"),
    ] {
        let mut words = words.to_vec();
        words.extend(["--format", "json"]);
        let reply: serde_json::Value = serde_json::from_str(&ask(&words)).expect("JSON");
        assert_eq!(reply["items"], reply[key], "{reply}");
        assert_eq!(reply["truncated"], reply["shown"].as_u64() < reply["total"].as_u64());
    }
    let lines = ask(&["callers", "one", "--format", "jsonl"]);
    assert_eq!(lines.lines().count(), 2, "{lines}");
    for line in lines.lines() {
        let caller: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(caller["path"], "a.rs");
    }
}
