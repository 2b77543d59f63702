//! Files that git tracks although they are hidden or ignored: part of the code for tools, and left out
//! by `codedb search` as by ripgrep.

use std::fs;

use serde_json::{Value, json};

use crate::mcp::session::Session;
use crate::support::place::{Answer, Place, settle};

/// A repository with tracked files that searches leave out, and files of other kinds beside them.
fn repository() -> Place {
    let place = Place::new();
    place.write(".gitignore", "/generated\n/src/made.py\n");
    place.write(".ignore", "/notes\n.vendor\n");
    for (path, name) in [
        ("src/made.py", "made"),
        ("generated/api.py", "generated"),
        (".storybook/main.py", "hidden"),
        (".eslintrc.py", "dotfile"),
        ("notes/excluded.py", "excluded"),
        (".vendor/excluded.py", "excluded_hidden"),
    ] {
        place.write(path, format!("def {name}_needle():\n    pass\n\n\ndef {name}():\n    pass\n"));
    }
    place.write("src/app.py", "from src.made import made\n\n\ndef visible():\n    made()\n");
    place.write(".github/workflows/ci.yml", "steps:\n  - run: needle\n");
    place.write(".env", "PASSWORD=needle\n");
    place.write(".env.example", "PASSWORD=needle\n");
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "-f", "."]);
    place.git(&["commit", "-q", "-m", "Begin"]);
    // Neither tracked nor visible.
    place.write(".cache/local.py", "def local_needle():\n    pass\n");
    place.write("generated/other.py", "def other_needle():\n    pass\n");
    settle();
    place
}

const TRACKED: [&str; 8] = [
    ".env.example",
    ".eslintrc.py",
    ".github/workflows/ci.yml",
    ".gitignore",
    ".ignore",
    ".storybook/main.py",
    "generated/api.py",
    "src/made.py",
];

/// Runs a tool and returns its JSON.
fn tool(place: &Place, name: &str, args: &[&str]) -> Value {
    let mut command = place.codedb(name);
    command.args(args).arg("--json");
    let answer = Answer::of(command);
    serde_json::from_slice(&answer.stdout)
        .unwrap_or_else(|error| panic!("{name} {args:?}: {error}\n{}", answer.stderr))
}

/// Returns the files with the word `needle` that a tool names, in path order.
fn found(place: &Place) -> Vec<String> {
    let reply = tool(place, "glob", &["**"]);
    let files = reply["files"].as_array().unwrap_or_else(|| panic!("{reply}"));
    let path = |file: &Value| file.as_str().or(file["path"].as_str()).expect("a path").to_owned();
    let mut paths: Vec<String> = files.iter().map(path).collect();
    paths.sort();
    paths
}

/// Asserts that tools know `tracked`, those of the files that searches leave out.
#[track_caller]
fn check_tools(place: &Place, tracked: &[&str], state: &str) {
    let mut paths = found(place);
    paths.retain(|path| !matches!(path.as_str(), "src/app.py"));
    assert_eq!(paths, tracked, "{state}");
}

/// Asserts that searches leave the files out exactly where a scan does.
#[track_caller]
fn check_searches(place: &Place, state: &str) {
    let searches: [&[&str]; 12] = [
        &["needle"],
        &["-c", "--include-zero", "needle"],
        &["--files-without-match", "needle"],
        &["-l", "absent"],
        &["--stats", "-q", "absent"],
        &["needle", ".github"],
        &["needle", ".github/workflows", "src"],
        &["needle", "generated"],
        &["--hidden", "needle"],
        &["-uu", "needle"],
        &["--no-ignore", "needle"],
        &["-g", ".github/**", "needle"],
    ];
    for args in searches {
        let run = |flags: &[&str]| {
            let mut command = place.codedb("search");
            command.args(flags).args(["--sort", "path"]).args(args);
            let answer = Answer::of(command);
            let text = answer.text();
            // With an index, files that cannot match are not read.
            let depends = |line: &&str| line.contains("seconds") || line.contains("bytes searched");
            let lines = text.lines().filter(|line| !depends(line));
            (lines.map(str::to_owned).collect::<Vec<String>>(), answer.code)
        };
        assert_eq!(run(&[]), run(&["--no-index"]), "{state}: {args:?}");
    }
}

#[test]
fn tools_know_tracked_files_and_searches_leave_them_out() {
    let place = repository();
    check_tools(&place, &TRACKED, "without an index");
    place.index(&["-q", "--stage", "full"]).expect_success();
    check_tools(&place, &TRACKED, "indexed");
    check_searches(&place, "indexed");
    for (name, path) in [("made", "src/made.py"), ("hidden", ".storybook/main.py")] {
        let symbols = tool(&place, "symbol", &[name]);
        assert!(symbols.to_string().contains(path), "{symbols}");
    }
    let callers = tool(&place, "callers", &["made"]);
    assert!(callers["callers"].to_string().contains("src/app.py"), "{callers}");
    for name in ["local_needle", "other_needle", "excluded", "excluded_hidden"] {
        let mut command = place.codedb("symbol");
        command.arg(name);
        assert!(Answer::of(command).stderr.contains("is not defined"), "{name}");
    }
    let mut session = Session::start(&place, &["--toolsets", "all"]);
    session.initialize("2025-11-25", json!({}));
    let lines =
        session.text("codedb_search", json!({"query": "needle", "path_glob": ".github/**"}));
    assert!(lines.contains(".github/workflows/ci.yml"), "{lines}");
    let tree = session.text("codedb_tree", json!({"path": ".github"}));
    assert!(tree.contains("ci.yml"), "{tree}");
    let secrets = session.text("codedb_search", json!({"query": "PASSWORD"}));
    assert!(!secrets.contains(".env:"), "{secrets}");
    session.end();
}

#[test]
fn changes_of_tracked_files_are_seen_before_and_after_a_refresh() {
    let place = repository();
    place.index(&["-q", "--stage", "full"]).expect_success();
    let with = |more: &[&'static str], less: &[&str]| {
        let mut paths: Vec<&str> = TRACKED.iter().chain(more).copied().collect();
        paths.retain(|path| !less.contains(path));
        paths.sort_unstable();
        paths
    };
    let check = |paths: &[&str], state: &str| {
        check_tools(&place, paths, state);
        check_searches(&place, state);
        settle();
        place.index(&["-q", "--stage", "full"]).expect_success();
        check_tools(&place, paths, &format!("{state}, refreshed"));
        check_searches(&place, &format!("{state}, refreshed"));
    };
    fs::remove_file(place.root().join(".storybook/main.py")).expect("it is there");
    check(&with(&[], &[".storybook/main.py"]), "removed");
    place.git(&["checkout", "-q", "--", ".storybook"]);
    check(&TRACKED, "restored");
    fs::remove_dir_all(place.root().join(".github")).expect("it is there");
    check(&with(&[], &[".github/workflows/ci.yml"]), "directory removed");
    place.git(&["checkout", "-q", "--", ".github"]);
    check(&TRACKED, "directory restored");
    place.git(&["rm", "-q", "--cached", ".env.example"]);
    check(&with(&[], &[".env.example"]), "no longer tracked");
    place.git(&["add", "-f", ".cache/local.py", "generated/other.py", ".env.example"]);
    check(&with(&[".cache/local.py", "generated/other.py"], &[]), "tracked since");
    place.write(".github/workflows/new.yml", "needle\n");
    check(&with(&[".cache/local.py", "generated/other.py"], &[]), "untracked beside tracked ones");
    fs::remove_dir_all(place.root().join(".git")).expect("it is there");
    // Nor do the rules of git apply.
    check(&["generated/api.py", "generated/other.py", "src/made.py"], "no repository");
}

#[test]
fn a_server_sees_edits_of_tracked_files() {
    let place = repository();
    place.index(&["-q", "--stage", "full"]).expect_success();
    let mut session = Session::start(&place, &["--toolsets", "all"]);
    session.initialize("2025-11-25", json!({}));
    session.wait_until_indexed();
    let mut names = |name: &str| {
        let reply = session.call("codedb_symbol", json!({"name": name}));
        reply.to_string().contains(".storybook/main.py")
    };
    assert!(names("hidden"), "indexed");
    place.write(".storybook/main.py", "def renamed():\n    pass\n");
    assert!(names("renamed") && !names("hidden"), "edited");
    place.git(&["rm", "-q", "--cached", ".storybook/main.py"]);
    assert!(!names("renamed"), "no longer tracked");
    place.git(&["add", ".storybook"]);
    assert!(names("renamed"), "tracked again");
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert!(names("renamed") && !names("hidden"), "refreshed");
    fs::remove_file(place.root().join(".storybook/main.py")).expect("it is there");
    assert!(!names("renamed"), "removed");
    session.end();
}
