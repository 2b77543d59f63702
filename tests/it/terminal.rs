//! Names and contents that a terminal would obey: escaped there, and names everywhere.

use std::process::Command;

use crate::support::place::{Answer, Place};
use crate::support::skipped;

/// A title for the window, red text, a bidirectional override, a tag, a C1 control.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[31mred\u{202e}desrever\u{e0041}\u{9b}2J";

/// The name of a file with an escape sequence and an override.
const NAME: &str = "a\u{1b}]0;x\u{7}\u{202e}sr.py";

fn place() -> Place {
    let place = Place::new();
    let text = format!("def hostile():\n    '''{HOSTILE}'''\n    return '{HOSTILE}'\n");
    place.write("hostile.py", &text);
    place.write(NAME, "def named():\n    return 1\n");
    place
}

/// Returns the output of a command on a terminal; `None` if the program `script` is not installed.
fn on_terminal(place: &Place, args: &[&str]) -> Option<String> {
    on_terminal_after("", place, args, &[])
}

/// Returns the output of a command on a terminal after `before`, a start of a command line, with some
/// variables of the environment.
fn on_terminal_after(
    before: &str,
    place: &Place,
    args: &[&str],
    variables: &[(&str, &str)],
) -> Option<String> {
    let quoted = |word: &str| format!("'{}'", word.replace('\'', "'\\''"));
    let words = place.codedb_words(args[0]);
    let words: Vec<String> = words
        .iter()
        .map(|word| quoted(&word.to_string_lossy()))
        .chain(args[1..].iter().map(|word| quoted(word)))
        .collect();
    let exists = Command::new("script").arg("--version").output().is_ok();
    let mut command = place.command("script");
    let line = format!("{before}{}", words.join(" "));
    command.env("TERM", "xterm").env("SHELL", "/bin/sh").args(["-qec", &line, "/dev/null"]);
    command.envs(variables.iter().copied());
    exists.then(|| Answer::of(command).text())
}

/// Fails if a text has a character that a terminal obeys, except those of codedb's own colours.
#[track_caller]
fn check_harmless(text: &str, what: &str) {
    let mut rest = text.to_owned();
    for color in ["35", "32", "1", "1;31", "2", "36", "33", "31", "34", "0"] {
        rest = rest.replace(&format!("\u{1b}[{color}m"), "");
    }
    let is_hostile = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\r' | '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{e0000}'..='\u{e007f}')
    };
    assert!(!rest.contains(is_hostile), "{what}: {text:?}");
}

const CALLS: &[&[&str]] = &[
    &["read", "hostile.py"],
    &["read", "hostile.py", "--json"],
    &["symbol", "hostile", "--body"],
    &["symbol", "hostile", "--body", "--json"],
    &["symbol", "hostile", "--vimgrep"],
    &["outline", "hostile.py"],
    &["word", "desrever"],
    &["context", "fix hostile and named"],
    &["bundle", r#"[{"tool": "codedb_read", "args": {"path": "hostile.py"}}]"#],
    &["query", r#"[{"op": "find", "query": "hostile"}, {"op": "read"}]"#],
    &["find", "py"],
    &["ls"],
    &["tree"],
    &["glob", "*"],
    &["check", "hostile.py"],
    &["status"],
    &["stale-tests"],
    &["decisions", "list"],
    &["query", r#"[{"op": "search", "query": "hostile"}, {"op": "outline"}]"#],
    &["symbol", "named"],
    &["read", "none\u{1b}]0;x\u{7}.py"],
    &["read", "none\u{1b}]0;x\u{7}.py", "--color", "always"],
    &["read", "hostile.py", "--color", "always"],
];

#[test]
fn a_terminal_gets_no_escape_sequences_of_files() {
    let place = place();
    for args in CALLS {
        let Some(shown) = on_terminal(&place, args) else {
            skipped::report("`script` is not installed");
            return;
        };
        check_harmless(&shown, &args.join(" "));
        assert!(!shown.trim().is_empty(), "{args:?}");
    }
    let shown = on_terminal(&place, &["read", "hostile.py"]).unwrap_or_default();
    assert!(shown.contains(r"\u{1b}]0;owned\u{7}") && shown.contains(r"\u{e0041}"), "{shown:?}");
}

#[test]
fn names_are_escaped_everywhere_and_contents_only_on_terminals() {
    let place = place();
    let run = |args: &[&str]| {
        let mut command = place.codedb(args[0]);
        command.args(&args[1..]);
        Answer::of(command)
    };
    assert!(run(&["read", "hostile.py"]).text().contains(HOSTILE));
    for args in
        [&["ls"][..], &["find", "py"], &["symbol", "named"], &["read", "none\u{1b}]0;x\u{7}.py"]]
    {
        let answer = run(args);
        check_harmless(&answer.text(), &args.join(" "));
        check_harmless(&answer.stderr, &args.join(" "));
    }
    // As ripgrep prints it.
    assert!(place.check(&["owned"]).text().contains(HOSTILE));
    assert!(place.check(&["named"]).text().contains(NAME));
}

#[test]
fn pages_of_changes_and_decisions_are_harmless() {
    let place = place();
    let git = |args: &[&str]| {
        let mut command = place.command("git");
        command.args(["-c", "user.name=\u{1b}[31mann", "-c", "user.email=ann@example.org"]);
        Answer::of({
            command.args(args);
            command
        })
        .expect_success();
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", HOSTILE]);
    place.write(NAME, "def named():\n    return 2\n\n\ndef other():\n    return named()\n");
    let decision = ["decisions", "add", "--pattern", HOSTILE, "--scope", "global", "--rationale"];
    let add: Vec<&str> = decision.into_iter().chain([HOSTILE, "--ref", "hostile.py:2"]).collect();
    let run = |args: &[&str]| {
        let mut command = place.codedb(args[0]);
        command.args(&args[1..]).env("COLUMNS", "60");
        command.args((args[0] != "status").then_some("--no-background"));
        Answer::of(command)
    };
    run(&add).expect_success();
    for args in [
        &["check", "--verbose", "--explain"][..],
        &["check", "hostile.py", "--base", "HEAD"],
        &["review"],
        &["status"],
        &["stale-tests", "HEAD"],
        &["decisions", "list"],
        &["decisions", "search", "red"],
        &["decisions", "stale"],
        &["decisions", "for", "hostile.py"],
        &["context", "fix named and hostile"],
        &["bundle", r#"[{"tool": "ls"}, {"tool": "read", "arguments": {"path": "hostile.py"}}]"#],
        &["query", r#"[{"op": "search", "query": "return"}, {"op": "read"}]"#],
        &["ls"],
        &["tree"],
        &["glob", "*.py"],
        &["edit", "hostile.py", "--op", "delete", "--line-start", "1", "--dry-run"],
    ] {
        let is_review = args[0] == "review";
        let args = if is_review { args.to_vec() } else { [args, &["--format", "screen"]].concat() };
        let answer = run(&args);
        check_harmless(&answer.text(), &args.join(" "));
        let said = answer.text() + &answer.stderr;
        assert!(answer.code != 2 && !said.trim().is_empty(), "{args:?}: {}", answer.stderr);
    }
}

/// Returns the output of a command in a pipe.
fn in_pipe(place: &Place, args: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = place.codedb(args[0]);
    command.args(&args[1..]).env_remove("COLUMNS").envs(variables.iter().copied());
    Answer::of(command).expect_success().text()
}

#[test]
fn pages_are_for_terminals_and_pipes_get_plain_text() {
    let place = Place::new();
    place.write("src/deeply/nested/folder/a.rs", "pub fn one() {}\nfn two() { one(); }\n");
    let callers = ["callers", "one"];
    let text = in_pipe(&place, &callers, &[]);
    assert_eq!(text, in_pipe(&place, &["callers", "one", "--format", "text"], &[]));
    assert!(text.contains("a.rs:2  in two  fn two() { one(); }\n"), "{text}");
    let screen = ["callers", "one", "--format", "screen"];
    let wide = [("COLUMNS", "90"), ("LC_ALL", "C.UTF-8"), ("TERM", "xterm")];
    let page = in_pipe(&place, &screen, &wide);
    let row = "src/deeply/nested/folder/a.rs:2  two  fn two() { one(); }\n";
    assert!(page.ends_with(row) && page.is_ascii(), "{page}");
    let narrow = [("COLUMNS", "44"), ("LC_ALL", "C"), ("TERM", "xterm")];
    let page = in_pipe(&place, &screen, &narrow);
    assert!(page.lines().all(|line| line.len() <= 44), "{page}");
    assert!(page.contains("...") && page.is_ascii(), "{page}");
    let colored = ["callers", "one", "--format", "screen", "--color", "always"];
    assert!(in_pipe(&place, &colored, &wide).contains("\u{1b}[1;31mone\u{1b}[0m"));
    let Some(shown) = on_terminal_after("stty cols 90; ", &place, &callers, &[]) else {
        skipped::report("`script` is not installed");
        return;
    };
    assert!(shown.contains("\u{1b}[1;31mone\u{1b}[0m") && !shown.contains(", 0."), "{shown:?}");
    let nothing = on_terminal(&place, &["find", "zzzz"]).unwrap_or_default();
    assert!(nothing.contains("nothing found"), "{nothing}");
    let plain = [("NO_COLOR", "1")];
    let shown = on_terminal_after("stty cols 90; ", &place, &callers, &plain);
    assert_eq!(shown.unwrap_or_default().replace("\r\n", "\n"), in_pipe(&place, &screen, &wide));
}

/// A pager that ends early, or that is no program, is no error.
#[cfg(unix)]
#[test]
fn a_pager_shows_what_is_longer_than_the_terminal() {
    let place = Place::new();
    let functions: String = (0..40).map(|at| format!("fn f{at}() {{}}\n")).collect();
    place.write("a.rs", &functions);
    let show = |args: &[&str], pager: &str| {
        let variables = [("CODEDB_PAGER", pager), ("NO_COLOR", "1")];
        let before = "stty rows 20 cols 60; ";
        on_terminal_after(before, &place, args, &variables)
    };
    let Some(shown) = show(&["outline", "a.rs"], "sed s/^/paged:/") else {
        skipped::report("`script` is not installed");
        return;
    };
    assert_eq!(shown.matches("paged:").count(), 42, "{shown}");
    let not_paged = |args: &[&str], pager: &str| {
        let shown = show(args, pager).unwrap_or_default();
        assert!(shown.contains("fn f0()") && !shown.contains("paged:"), "{args:?}: {shown}");
    };
    not_paged(&["outline", "a.rs", "--no-pager"], "sed s/^/paged:/");
    not_paged(&["outline", "a.rs", "--format", "text"], "sed s/^/paged:/");
    not_paged(&["symbol", "f0"], "sed s/^/paged:/");
    not_paged(&["outline", "a.rs"], "cat");
    not_paged(&["outline", "a.rs"], "head -n 5");
}

#[cfg(unix)]
#[test]
fn the_exit_code_of_check_does_not_come_from_a_pager() {
    let place = Place::new();
    place.write("a.rs", "fn one() {}\n");
    let show = |args: &[&str]| {
        let variables = [("CODEDB_PAGER", "sed s/^/paged:/"), ("NO_COLOR", "1")];
        on_terminal_after("stty rows 5 cols 60; ", &place, args, &variables)
    };
    let Some(shown) = show(&["check", "a.rs"]) else {
        skipped::report("`script` is not installed");
        return;
    };
    assert!(shown.contains("paged:LOW risk: 1 file"), "{shown}");
    let shown = show(&["check", "a.rs", "--fail-on", "LOW"]).unwrap_or_default();
    assert!(shown.contains("LOW risk: 1 file") && !shown.contains("paged:"), "{shown}");
}
