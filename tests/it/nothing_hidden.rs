//! What an answer must not hide: that there is more, that nothing was compared or assessed, that the index was
//! not checked; and that what codedb prints can be typed.

use serde_json::Value;

use crate::support::place::{Answer, Place};

fn run(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.codedb(args[0]);
    command.args(&args[1..]);
    Answer::of(command)
}

fn repository() -> Place {
    let place = Place::new();
    place.git(&["init", "-q", "-b", "main"]);
    place.write("src/a.py", "def first():\n    return 1\n\n\ndef second():\n    return first()\n");
    place.write("src/b.py", "from a import first\n\n\ndef third():\n    return first()\n");
    commit(&place, "Begin");
    place
}

fn commit(place: &Place, subject: &str) {
    place.git(&["add", "-A"]);
    place.git(&["commit", "-q", "-m", subject]);
}

fn json(answer: &Answer) -> Value {
    serde_json::from_str(&answer.text()).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

#[test]
fn pick_lists_every_line_and_call() {
    let place = Place::new();
    let calls = |file: usize| {
        format!("from needle import needle\n\n\ndef f{file}():\n{}", "    needle()\n".repeat(250))
    };
    place.write("needle.py", "def needle():\n    pass\n");
    for file in 0..12 {
        place.write(format!("d/f{file}.py"), calls(file));
    }
    for file in 0..1010 {
        place.write(format!("t/f{file}.txt"), "a needle\n");
    }
    let listed = run(&place, &["pick", "lines", "needle", "--list"]).expect_success();
    assert_eq!(listed.text().lines().count(), 1 + 12 * 251 + 1010, "{}", listed.stderr);
    place.index(&["-q", "--stage", "full"]).expect_success();
    let listed = run(&place, &["pick", "callers", "needle", "--list"]).expect_success();
    assert_eq!(listed.text().lines().count(), 12 * 250, "{}", listed.stderr);
    let wrong = run(&place, &["pick", "lines", "a(", "--list"]);
    assert_eq!(wrong.code, 2);
    assert!(!wrong.stderr.contains("`regex`"), "{}", wrong.stderr);
}

#[test]
fn every_command_that_finds_nothing_states_that_the_index_was_not_checked() {
    let place = Place::new();
    place.write("src/a.py", "def first():\n    return 1\n");
    place.index(&["-q", "--stage", "full"]).expect_success();
    place.write("src/a.py", "def later():\n    return 2222\n");
    for args in [
        &["search", "later"][..],
        &["search", "-c", "later"],
        &["pick", "symbols", "later", "--list"],
        &["pick", "lines", "later", "--list"],
        &["symbol", "later"],
        &["symbol", "later", "--json"],
        &["callers", "later"],
        &["explain", "later"],
        &["find", "later.py"],
    ] {
        let trusting = run(&place, &[args, &["--fresh", "trust"]].concat());
        assert_ne!(trusting.code, 0, "{args:?}: {}", trusting.text());
        let warnings = trusting.stderr.matches("recent changes may be missing").count();
        assert_eq!(warnings, 1, "{args:?}: {}", trusting.stderr);
        let strict = run(&place, &[args, &["--fresh", "strict"]].concat());
        assert!(!strict.stderr.contains("may be missing"), "{args:?}: {}", strict.stderr);
    }
    let found = run(&place, &["search", "first", "--fresh", "trust", "--no-messages"]);
    assert_eq!(found.stderr, "");
    // Without an index, nothing is trusted.
    let other = Place::new();
    other.write("a.py", "x = 1\n");
    let none = run(&other, &["search", "later", "--fresh", "trust"]);
    assert_eq!((none.code, none.stderr.as_str()), (1, ""));
}

#[test]
fn what_cannot_be_assessed_is_unknown() {
    let place = Place::new();
    place.write("a.py", "x = 1\n");
    let check = |args: &[&str], code: i32, what: &str| {
        let answer = run(&place, args);
        assert_eq!(answer.code, code, "{args:?}: {}{}", answer.text(), answer.stderr);
        let text = answer.text() + &answer.stderr;
        assert!(text.contains(what), "{args:?}: {text}");
        assert!(!text.contains("+0 -0"), "{args:?}: {text}");
    };
    for command in ["check", "review"] {
        check(&[command], 2, "not in a git work tree");
        check(&[command, "--json"], 2, "not in a git work tree");
    }
    place.git(&["init", "-q", "-b", "main"]);
    check(&["check"], 2, "no commits");
    check(&["review"], 2, "no commits");
    check(&["check", "--pre-commit"], 0, "no commits");
    commit(&place, "Begin");
    check(&["check"], 0, "nothing differs");
    check(&["check", "--fail-on", "low"], 0, "nothing differs");
    check(&["review"], 1, "no uncommitted changes");
    for command in ["suggest-tests", "who-reviews", "impact", "check"] {
        let answer = run(&place, &[command, "--staged"]);
        assert!(answer.text().contains("nothing is staged"), "{command}: {}", answer.text());
        assert!(!answer.text().contains("differs"), "{command}: {}", answer.text());
    }
    // Git fails.
    std::fs::write(place.root().join(".git/HEAD"), "ref: refs/heads/gone\n\0").expect("a file");
    assert_eq!(run(&place, &["check", "--json"]).code, 2);
    assert_eq!(run(&place, &["review"]).code, 2);
}

#[test]
fn review_names_what_was_not_compared() {
    let place = repository();
    place.write("logo.bin", b"\0\x01\x02".repeat(40));
    place.write("src/c.py", "def long_enough():\n    return 'a text that is recognized'\n");
    commit(&place, "Add files");
    std::fs::remove_file(place.root().join("logo.bin")).expect("a file");
    place.git(&["mv", "src/c.py", "src/d.py"]);
    place.write("src/a.py", "def first():\n    return 2\n");
    let text = run(&place, &["review"]).expect_success().text();
    let line = |name: &str| {
        let line = text.lines().find(|line| line.contains(name));
        line.unwrap_or_else(|| panic!("{name}: {text}"))
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert!(line("logo.bin").ends_with("not compared deleted"), "{text}");
    assert!(line("src/d.py").ends_with("renamed"), "{text}");
    assert!(line("src/a.py").ends_with("+1 -5"), "{text}");
    let cut = run(&place, &["review", "-n", "1"]).expect_success().text();
    assert!(cut.contains("shown; `--limit` shows more"), "{cut}");
}

#[test]
fn recommended_commands_can_be_typed() {
    let place = repository();
    place.write("-x.py", "def odd():\n    return 1\n");
    commit(&place, "Add a file");
    place.index(&["-q", "--stage", "full"]).expect_success();
    let next = |args: &[&str]| {
        let text = run(&place, args).text();
        let lines = text.lines().filter_map(|line| line.strip_prefix("next: codedb "));
        let lines: Vec<String> =
            lines.map(|line| line.split("  (").next().unwrap_or_default().to_owned()).collect();
        (lines, text)
    };
    let (commands, text) = next(&["churn", "./-x.py"]);
    assert_eq!(commands, ["history ./-x.py"], "{text}");
    assert_eq!(run(&place, &["history", "./-x.py"]).code, 0);
    // What is gone is not recommended.
    std::fs::remove_file(place.root().join("src/a.py")).expect("a file");
    let (commands, text) = next(&["check"]);
    assert!(commands.iter().all(|line| !line.contains("src/a.py")), "{text}");
}

#[test]
fn messages_have_the_words_of_the_command_line() {
    let place = repository();
    for at in 0..4 {
        place.write(format!("src/m{at}.py"), "def f():\n    return 1\n");
    }
    place.write("src/a.py", "def first():\n    return 3\n");
    commit(&place, "Fix more");
    let check = |args: &[&str], what: &str| {
        let answer = run(&place, args);
        let text = answer.text() + &answer.stderr;
        assert!(text.contains(what), "{args:?}: {text}");
        let arguments = ["limit", "max_results", "min_count", "test_gaps", "pattern", "file_path"];
        for argument in arguments {
            assert!(!text.contains(&format!("`{argument}`")), "{args:?}: {text}");
        }
    };
    check(&["hot", "1"], "`--limit` shows more");
    check(&["coupling", "src/a.py"], "`--min-count`");
    check(&["callers", "fir*"], "`symbol` takes a glob as `--pattern`");
    check(&["suggest-tests", "src/b.py"], "`test-gaps`");
    check(&["churn", "-n", "1"], "`--limit` shows more");
    check(&["churn", "src/m0.py"], "1 commit, 1 fix, 1 person");
    check(&["coupling", "src/m0.py", "--min-count", "1"], "1 commit of the file");
    check(&["ownership", "src/m0.py"], "2 lines in 1 commit,");
    check(&["impact", "--base", "HEAD~1", "--staged"], "`--base`");
}

#[test]
fn an_option_is_not_ignored() {
    let place = repository();
    let unknown = run(&place, &["churn", "src/a.py", "--directory", "nosuchdir"]);
    assert_eq!(unknown.code, 2, "{}", unknown.text());
    place.write("other/c.py", "x = 1\n");
    let elsewhere = run(&place, &["churn", "src/a.py", "--directory", "other"]);
    assert!(elsewhere.stderr.contains("not in the directory `other`"), "{}", elsewhere.stderr);
    run(&place, &["churn", "src/a.py", "--directory", "src"]).expect_success();
    // What clap refuses is JSON, too.
    for args in [&["history", "--json"][..], &["churn", "--limit", "x", "--format", "json"]] {
        let failed = run(&place, args);
        assert_eq!((failed.code, &json(&failed)["status"]), (2, &"error".into()), "{failed:?}");
    }
}

#[test]
fn json_has_the_subjects_of_commits_unchanged() {
    let place = repository();
    place.write("src/a.py", "def first():\n    return 2\n");
    let subject = "tab\there, return\rhere, \u{1b}[31mred";
    commit(&place, subject);
    let reply = json(&run(&place, &["history", "src/a.py", "--json"]).expect_success());
    assert_eq!(reply["commits"][0]["subject"], subject, "{reply}");
    let text = run(&place, &["history", "src/a.py"]).expect_success().text();
    assert!(text.contains(r"tab\there, return\rhere, \u{1b}[31mred"), "{text}");
}

#[test]
fn a_path_is_accepted_as_it_is_displayed() {
    let place = repository();
    place.write("src/new\nline.py", "def odd():\n    return 1\n");
    place.write("tab\tfolder/x.py", "def other():\n    return 1\n");
    commit(&place, "Add files");
    let found = run(&place, &["find", "line.py"]).expect_success().text();
    assert_eq!(found.trim_end(), r"src/new\nline.py");
    for args in [
        &["read", r"src/new\nline.py"][..],
        &["outline", r"src/new\nline.py"],
        &["churn", r"src/new\nline.py"],
        &["history", r"src/new\nline.py"],
        &["ls", r"tab\tfolder"],
        &["read", r"tab\tfolder/x.py"],
    ] {
        let answer = run(&place, args);
        assert_eq!(answer.code, 0, "{args:?}: {}", answer.stderr);
    }
}
