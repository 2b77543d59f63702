//! The help of every command: its length, and its examples, which run in the repository of
//! `codedb demo`.

use codedb::tools::{CommandLine, TOOLS};

use crate::support::place::{Answer, Place};

const PROGRAM: &str = env!("CARGO_BIN_EXE_codedb");

/// The most lines of the help of a command.
const LINES_MAX: usize = 25;

/// Commands that are no tools.
const OTHERS: [&str; 22] = [
    "cache",
    "check",
    "completions",
    "config",
    "data",
    "decisions",
    "demo",
    "doctor",
    "drift",
    "eval",
    "flaky",
    "fleet",
    "index",
    "init",
    "man",
    "mcp",
    "pick",
    "review",
    "run",
    "snapshot",
    "status",
    "test",
];

/// Examples that are only parsed: servers, fleets and watchers, changes of the user's files, runners that may be
/// missing, and measurements that need a long history.
const NOT_RUN: [&str; 15] = [
    "cancel-job",
    "completions",
    "data import",
    "demo",
    "doctor",
    "drift",
    "eval",
    "fleet",
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

/// Returns the options in the help of a command.
fn options(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Options:");
    let of_line = |line: &str| {
        let flag = line.trim_start().split(' ').find(|word| !word.ends_with(','))?;
        flag.starts_with("--").then(|| flag.split(['[', '=']).next().map(str::to_owned))?
    };
    lines.filter_map(of_line).collect()
}

/// What only `--help-all` shows.
#[test]
fn help_all_has_what_is_rare() {
    let place = Place::new();
    for (command, rare) in [
        ("check", &["--driver", "--dry-run", "--pre-commit", "--format", "--sarif"][..]),
        ("decisions", &["  supersede ", "  edit ", "  export ", "  import "]),
        ("edit", &["--if-hash", "--allow-edit"]),
        ("index", &["--insist", "--no-wait"]),
        ("init", &["--command", "--fail-on"]),
        ("callers", &["--vimgrep", "--color", "Common options:"]),
    ] {
        let (short, all) = (help(&place, command, "-h"), help(&place, command, "--help-all"));
        for part in rare {
            let is_named = short.lines().any(|line| line.trim_start().starts_with(part.trim()));
            assert!(!is_named && all.contains(part), "{command}: {part}\n{short}");
        }
    }
    let fail_on = help(&place, "check", "--help-all");
    assert!(fail_on.contains("default with `--pre-commit`: HIGH"), "{fail_on}");
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
        // What the short help leaves out is there.
        assert!(options(&text).contains(&"--help-all".to_owned()), "{command}:\n{text}");
        for option in options(&text) {
            assert!(options(&all).contains(&option), "{command}: {option}");
        }
    }
    assert!(long.is_empty(), "{long:?}");
}

/// The examples were documentation that nobody ran.
#[cfg(unix)]
#[test]
fn examples_run_in_the_repository_of_the_demo() {
    let place = Place::new();
    let shop = place.demo();
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

/// Pages showed what an earlier program printed.
#[cfg(unix)]
#[test]
fn what_the_pages_show_is_what_the_commands_print() {
    let place = Place::new();
    let shop = place.demo();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = std::fs::read_dir(root.join("docs")).expect("the pages").flatten();
    let pages = pages.map(|entry| entry.path()).chain([root.join("README.md")]);
    let pages = pages.filter(|page| page.extension().is_some_and(|it| it == "md"));
    let mut commands = 0;
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a text");
        let blocks = text.split("```").skip(1).step_by(2);
        for block in blocks.filter_map(|block| block.strip_prefix("console\n")) {
            let mut printed = String::new();
            for command in block.lines().filter_map(|line| line.strip_prefix("$ codedb ")) {
                commands += 1;
                let mut shell = place.command("sh");
                shell.arg("-c").arg(format!("exec '{PROGRAM}' {command}")).current_dir(&shop);
                let answer = Answer::of(shell);
                printed.push_str(&format!(
                    "$ codedb {command}\n{}{}",
                    answer.text(),
                    answer.stderr
                ));
            }
            assert_eq!(printed, block, "{}", page.display());
        }
    }
    assert!(commands > 2, "{commands} commands");
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
    let removed = cache(&["clean", &root]).expect_success().text();
    assert!(removed.starts_with("1 index removed, "), "{removed}");
    assert_eq!(cache(&[]).code, 1, "nothing is left");
    // `index --clean` removes in the same way, with what an interrupted removal left.
    place.index(&["-q"]).expect_success();
    let rubbish = place.store().parent().expect("the directory of a tree").join("gone-4711");
    std::fs::create_dir(&rubbish).expect("created");
    assert_eq!(cache(&["clean", "--dry-run"]).code, 1);
    assert!(rubbish.exists());
    let removed = place.index(&["--clean"]).expect_success().text();
    assert!(removed.starts_with("1 index removed, ") && !rubbish.exists(), "{removed}");
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
        for format in [&["--json"][..], &["--format", "json"]] {
            let words = [&words[..], format].concat();
            let reply: serde_json::Value = serde_json::from_str(&ask(&words)).expect("JSON");
            assert_eq!(reply["items"], reply[key], "{reply}");
            assert_eq!(reply["truncated"], reply["shown"].as_u64() < reply["total"].as_u64());
        }
    }
    let lines = ask(&["callers", "one", "--format", "jsonl"]);
    assert_eq!(lines.lines().count(), 2, "{lines}");
    for line in lines.lines() {
        let caller: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(caller["path"], "a.rs");
    }
}

/// The user's own defaults apply on the command line; those of a repository do not.
#[test]
fn defaults_come_from_the_users_file_alone() {
    let place = Place::new();
    place.write("a.rs", "fn one() {}\n");
    place.write("codedb.toml", "[defaults]\ncolor = 'always'\npager = 'rm -r .'\n");
    let run = |words: &[&str]| {
        let mut command = place.codedb(words[0]);
        command.args(&words[1..]).env_remove("NO_COLOR").env_remove("PAGER");
        command.env_remove("VISUAL").env_remove("EDITOR").env_remove("CODEDB_PAGER");
        Answer::of(command)
    };
    let shown = run(&["config"]).expect_success().text();
    assert!(shown.contains("its `[defaults]` has no effect"), "{shown}");
    assert!(!shown.contains("rm -r"), "{shown}");
    assert!(!run(&["find", "a.rs"]).text().contains('\x1b'));
    let own = place.base().join("home/.config/codedb/codedb.toml");
    std::fs::create_dir_all(own.parent().expect("a directory")).expect("created");
    std::fs::write(&own, "[defaults]\ncolor = 'always'\neditor = 'vi'\nlimit = 7\n")
        .expect("written");
    let reply = run(&["config", "--json"]).expect_success().text();
    let reply: serde_json::Value = serde_json::from_str(&reply).expect("JSON");
    let setting = |name: &str| {
        let found = reply["settings"].as_array().expect("a list").iter();
        let found = found.filter(|of| of["name"] == name).collect::<Vec<_>>();
        (found[0]["value"].clone(), found[0]["from"].clone())
    };
    let own_name = serde_json::Value::from(own.display().to_string());
    assert_eq!(setting("editor"), ("vi".into(), own_name.clone()));
    assert_eq!(setting("limit"), ("7".into(), own_name));
    assert_eq!(setting("pager"), ("less -FRX".into(), "default".into()));
    assert_eq!(setting("index directory").1, "option");
    for words in [&["find", "a.rs"][..], &["search", "one"]] {
        assert!(run(words).text().contains('\x1b'), "{words:?}");
        let without = [words, &["--color", "never"]].concat();
        assert!(!run(&without).text().contains('\x1b'), "{words:?}");
    }
    std::fs::write(&own, "[defaults]\nlimits = 7\n").expect("written");
    let wrong = run(&["config"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.text().contains("unknown field `limits`"), "{}", wrong.text());
    let answer = run(&["find", "a.rs"]).expect_success();
    assert!(answer.stderr.contains("its defaults are not used"), "{}", answer.stderr);
}

/// Folders, a commit and the staged changes are named in the same way everywhere.
#[test]
fn changes_are_named_in_the_same_way() {
    let place = Place::new();
    let shop = place.demo();
    let run = |words: &[&str]| {
        let mut command = place.command(PROGRAM);
        command.args(words).current_dir(&shop);
        Answer::of(command)
    };
    let mut answers = Vec::new();
    for command in ["suggest-tests", "impact", "who-reviews"] {
        for args in [&["src"][..], &["--base", "HEAD~1"], &["--ref", "HEAD~1"]] {
            let answer = run(&[&[command], args].concat()).expect_success();
            assert!(!answer.text().is_empty(), "{command} {args:?}");
            answers.push(answer.text());
        }
        assert_eq!(answers[answers.len() - 2], answers[answers.len() - 1], "{command}");
        assert_eq!(run(&[command, "src", "--base", "HEAD~1"]).code, 2, "{command}");
        assert_eq!(run(&[command, "no/such"]).code, 2, "{command}");
        let nothing = run(&[command, "--staged"]);
        assert!(nothing.text().contains("no_changes"), "{command}: {}", nothing.text());
    }
    let cart = std::fs::read_to_string(shop.join("src/cart.rs")).expect("a text");
    std::fs::write(shop.join("src/cart.rs"), cart.replace("Price::of(sum)", "Price::of(sum + 0)"))
        .expect("written");
    let mut git = place.command("git");
    git.args(["add", "-A"]).current_dir(&shop);
    Answer::of(git).expect_success();
    let staged = run(&["suggest-tests", "--staged"]).expect_success().text();
    assert!(staged.contains("a_coupon_takes_its_share"), "{staged}");
    let reviewers = run(&["who-reviews", "--staged"]).expect_success().text();
    assert!(reviewers.contains("Ann"), "{reviewers}");
    assert_eq!(reviewers, run(&["who-reviews"]).expect_success().text());
    let impact = run(&["impact"]).expect_success().text();
    assert!(impact.contains("a_coupon_takes_its_share"), "{impact}");
    let review = run(&["review"]).expect_success().text();
    for part in ["risk: 1 file uncommitted", "+1 -1", "Tests to run", "a_coupon_takes_its_share"] {
        assert!(review.contains(part), "{part}: {review}");
    }
    for part in ["Reviewers", "Ann (", "next: codedb test"] {
        assert!(review.contains(part), "{part}: {review}");
    }
    let review = run(&["review", "--base", "HEAD~1", "--json"]).expect_success().text();
    let review: serde_json::Value = serde_json::from_str(&review).expect("JSON");
    assert_eq!(review["check"]["files"].as_array().map(Vec::len), Some(2), "{review}");
    assert_eq!(review["impact"]["status"], "ok", "{review}");
    let mut git = place.command("git");
    git.args(["reset", "-q", "--hard"]).current_dir(&shop);
    Answer::of(git).expect_success();
    let nothing = run(&["review"]);
    assert_eq!((nothing.text(), nothing.code), (String::new(), 1), "{}", nothing.stderr);
    assert_eq!(run(&["review", "--base", "no-such-commit"]).code, 2);
}
