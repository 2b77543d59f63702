//! The command line and git: background builds, hostile and broken repositories, and paths and
//! flags as they are typed.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::place::{Answer, Place, settle};

/// The time limit of a background build.
const PATIENCE: Duration = Duration::from_secs(60);

fn tool(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.codedb(args[0]);
    command.args(&args[1..]);
    Answer::of(command)
}

/// Runs a tool that may start a background build.
fn leaving(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.codedb(args[0]);
    command.env("CODEDB_BACKGROUND", "1").args(&args[1..]);
    Answer::of(command)
}

fn json(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.stdout).expect("valid JSON")
}

#[track_caller]
fn check_error(answer: &Answer, words: &[&str]) {
    // With `--json`, a failure is data as well.
    let text = answer.text();
    let is_failure = text.starts_with("{\"status\":\"git_error\",\"error\":\"git_");
    assert!((text.is_empty() || is_failure) && answer.code == 2, "{text}: {}", answer.stderr);
    for word in words {
        assert!(answer.stderr.contains(word), "{word}: {}", answer.stderr);
    }
}

#[track_caller]
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "never: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Returns the stages `ready` and `full` of the index.
fn stages(place: &Place) -> (bool, bool) {
    let status = json(&tool(place, &["status", "--json"]));
    (status["ready"] == true, status["full"] == true)
}

fn shop() -> Place {
    let place = Place::new();
    place.write("src/lib.rs", "mod cart;\n\npub fn start() {\n    cart::add();\n}\n");
    place.write("src/cart.rs", "pub fn add() {}\n");
    place
}

#[test]
fn a_query_without_an_index_starts_a_background_build() {
    for (args, is_full) in [
        (&["symbol", "add"][..], true),
        (&["snapshot"], true),
        (&["callers", "nothing"], true),
        (&["ls"], false),
    ] {
        let place = shop();
        settle();
        tool(&place, args);
        leaving(&place, &[args, &["--no-background"]].concat());
        assert!(!place.cache().exists(), "{args:?} was not to leave anything behind");
        let answer = leaving(&place, args);
        assert_eq!(answer.text(), tool(&place, args).text(), "{args:?}");
        wait_until(&format!("{args:?} leaves a builder"), || stages(&place) == (true, is_full));
        if !is_full {
            place.wait_for_builders();
            assert_eq!(stages(&place), (true, false), "no tool has needed the code index");
        }
    }
}

#[test]
fn a_query_for_code_completes_a_search_index() {
    let place = shop();
    settle();
    place.index(&["-q"]).expect_success();
    leaving(&place, &["find", "cart"]).expect_success();
    place.wait_for_builders();
    assert_eq!(stages(&place), (true, false), "no tool has needed the code index");
    leaving(&place, &["word", "add"]).expect_success();
    wait_until("a code index", || stages(&place) == (true, true));
    // With a complete index, no build starts.
    leaving(&place, &["word", "add"]).expect_success();
    place.wait_for_builders();
    assert_eq!(json(&tool(&place, &["status", "--json"]))["generation"], 1);
}

/// The place of the index is below a file, as if the cache could not be written.
#[test]
fn context_reports_that_the_index_cannot_be_built() {
    let place = Place::new();
    place.write("src/lib.rs", "pub fn resolve_redirects() {}\n");
    place.write("taken", "");
    let mut command = place.command(&place.codedb_words("context")[0]);
    command.env("CODEDB_BACKGROUND", "1").args(["context", "redirect", "--root"]);
    command.arg(place.root()).arg("--index-dir").arg(place.root().join("taken/below"));
    let answer = Answer::of(command);
    assert!(answer.stderr.contains("the index cannot be built: "), "{}", answer.stderr);
    let text = String::from_utf8_lossy(&answer.stdout).into_owned() + &answer.stderr;
    assert!(
        text.contains("its words are not searched") && !text.contains("after 2000 ms"),
        "{text}"
    );
}

#[test]
fn the_first_context_of_a_tree_waits_for_its_text_index() {
    let place = shop();
    settle();
    let task = &["context", "how is something added to the cart", "--json"][..];
    let hasty = leaving(&place, &[task, &["--no-background"]].concat());
    assert_eq!(json(&hasty)["without_text"], true);
    assert!(!place.cache().exists(), "it was not to start a build");
    let patient = leaving(&place, &[task, &["--wait-ms", "60000"]].concat());
    assert_eq!(json(&patient)["without_text"], Value::Null, "{}", patient.stderr);
    place.wait_for_builders();
    // With an index, nothing is waited for.
    let again = leaving(&place, task);
    assert_eq!(json(&again)["files"], json(&patient)["files"]);
    assert_eq!(again.stderr, "");
}

#[test]
fn a_context_without_patience_says_that_the_index_is_not_complete() {
    let place = shop();
    settle();
    let answer = leaving(&place, &["context", "where are carts", "--wait-ms", "1"]);
    assert!(answer.stderr.contains("the index is not complete after 1 ms"), "{}", answer.stderr);
    place.wait_for_builders();
}

/// Returns the largest segment of the code index.
fn segment(place: &Place) -> PathBuf {
    let entries = fs::read_dir(place.store()).expect("the store").flatten();
    let segments = entries
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"code-")));
    let size = |path: &PathBuf| path.metadata().map_or(0, |metadata| metadata.len());
    segments.max_by_key(size).expect("a segment")
}

#[test]
fn a_snapshot_of_a_damaged_index_is_complete_and_repairs_it() {
    let place = shop();
    // The index has several blocks, so that the damage is detected after much of the output is
    // printed.
    for file in 0..30 {
        let text: String =
            (0..100).map(|at| format!("pub fn name_{file}_of_{at}() {{ add(); }}\n")).collect();
        place.write(format!("d/f{file}.rs"), text);
    }
    settle();
    place.index(&["-q", "--stage", "full"]).expect_success();
    let files = |answer: Answer| json(&answer.expect_success())["files"].clone();
    let whole = files(tool(&place, &["snapshot"]));
    let segment = segment(&place);
    let sound = fs::read(&segment).expect("a segment");
    for at in (64..sound.len()).step_by(sound.len() / 9) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x55;
        fs::remove_file(&segment).expect("a file");
        fs::write(&segment, bytes).expect("a file");
        assert_eq!(files(tool(&place, &["snapshot"])), whole, "damage at {at}");
    }
    assert_eq!(tool(&place, &["doctor"]).code, 2, "it is damaged");
    assert_eq!(files(leaving(&place, &["snapshot"])), whole);
    wait_until("a sound index", || tool(&place, &["doctor"]).code == 0);
    assert_eq!(files(tool(&place, &["snapshot"])), whole);
}

/// Creates a repository with one commit of `files`.
fn repository(files: &[(&str, &str)]) -> Place {
    let place = Place::new();
    for (path, text) in files {
        place.write(path, text);
    }
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "."]);
    place.git(&["commit", "-q", "-m", "one"]);
    place
}

/// Writes a file with unchanged content and other metadata.
fn touch(place: &Place, path: &str) {
    let text = fs::read(place.root().join(path)).expect("a file");
    fs::remove_file(place.root().join(path)).expect("a file");
    place.write(path, text);
}

fn changes(place: &Place) -> String {
    let answer = tool(place, &["changes", "HEAD"]);
    assert!(answer.code < 2, "{}", answer.stderr);
    answer.text()
}

#[test]
fn a_repository_cannot_run_programs() {
    let place = repository(&[
        (".gitattributes", "*.a filter=x diff=y\n*.b filter=x.y\n*.c filter=Z\n"),
        ("1.a", "one\n"),
        ("2.a", "two\n"),
        ("1.b", "one\n"),
        ("1.c", "one\n"),
    ]);
    let script = place.base().join("run");
    let mark = place.base().join("was-run");
    fs::write(&script, format!("#!/bin/sh\ntouch {}\ncat\n", mark.display())).expect("a file");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("a mode");
    let run = script.to_str().expect("text");
    for key in [
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.y.process",
        "diff.y.command",
        "diff.y.textconv",
        "diff.external",
        "core.fsmonitor",
        "core.pager",
        "pager.log",
        "gpg.program",
        "core.sshCommand",
        "core.alternateRefsCommand",
    ] {
        place.git(&["config", key, run]);
    }
    place.git(&["config", "log.showSignature", "true"]);
    place.git(&["config", "filter.x.required", "true"]);
    // The same attack through another file.
    let other = place.base().join("other-config");
    fs::write(&other, format!("[filter \"Z\"]\n\tclean = {run}\n")).expect("a file");
    place.git(&["config", "include.path", other.to_str().expect("text")]);
    for hook in ["post-index-change", "reference-transaction", "fsmonitor-watchman"] {
        fs::copy(&script, place.root().join(".git/hooks").join(hook)).expect("a hook");
    }
    fs::remove_file(&mark).unwrap_or_default();
    let index = fs::read(place.root().join(".git/index")).expect("an index");
    for path in ["1.a", "1.b", "1.c"] {
        touch(&place, path);
    }
    place.write("2.a", "2\n");
    assert_eq!(changes(&place), "modified  2.a\n");
    tool(&place, &["hot"]).expect_success();
    assert!(!mark.exists(), "a program of the repository was run");
    assert_eq!(fs::read(place.root().join(".git/index")).expect("an index"), index);
    place.git(&["config", "filter.a=b.clean", run]);
    check_error(&tool(&place, &["changes", "HEAD"]), &["`a=b`", "hint:"]);
    assert!(!mark.exists(), "a program of the repository was run");
}

#[test]
fn errors_of_git_are_reported() {
    let place = repository(&[("a.rs", "fn a() {}\n")]);
    // The error of git in a directory that belongs to another user.
    for args in [&["hot"][..], &["hot", "--json"], &["changes", "HEAD"]] {
        let mut command = place.codedb(args[0]);
        command.env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1").args(&args[1..]);
        check_error(&Answer::of(command), &["dubious ownership", "hint:"]);
    }
    let commit = place.git(&["rev-parse", "HEAD"]);
    let (folder, file) = commit.trim().split_at(2);
    fs::remove_file(place.root().join(".git/objects").join(folder).join(file)).expect("it exists");
    for args in [&["hot", "--json"][..], &["changes", "HEAD"], &["changes", "main"]] {
        check_error(&tool(&place, args), &["does not have", commit.trim(), "git fsck"]);
    }
    check_error(&tool(&place, &["changes", "nothing"]), &["not a time, a commit or a generation"]);
    fs::write(place.root().join(".git/refs/heads/main"), "").expect("a file");
    check_error(&tool(&place, &["hot"]), &["git symbolic-ref"]);
    // A missing git is not an error of a tool that can use modification times.
    let mut command = place.codedb("hot");
    command.env("PATH", place.base().join("home")).arg("--json");
    let answer = Answer::of(command).expect_success();
    assert!(
        answer.text().contains(r#""history_missing":"git is not installed"#),
        "{}",
        answer.text()
    );
    assert!(answer.stderr.contains("git is not installed"), "{}", answer.stderr);
}

#[test]
fn a_branch_without_a_commit_is_not_an_error() {
    let place = Place::new();
    place.write("a.rs", "");
    place.git(&["init", "-q", "-b", "main"]);
    let hot = json(&tool(&place, &["hot", "--json"]).expect_success());
    assert_eq!(hot["history"]["commits"], 0);
    check_error(&tool(&place, &["changes", "HEAD"]), &["not a time, a commit or a generation"]);
}

#[test]
fn gits_variables_and_settings_have_no_effect() {
    let place = repository(&[("a.rs", "fn a() {}\n"), ("d/[b].rs", "")]);
    place.git(&["config", "log.showRoot", "false"]);
    place.git(&["config", "log.follow", "true"]);
    place.write("a.rs", "fn b() {}\n");
    let expected = json(&tool(&place, &["hot", "--json"]).expect_success());
    assert_eq!(expected["history"]["shown"], 2);
    assert_eq!(expected["history"]["total"], 2);
    assert_eq!(expected["history"]["commits"], 1);
    for (name, value) in [
        ("GIT_COMMON_DIR", "/tmp"),
        ("GIT_OBJECT_DIRECTORY", "/tmp"),
        ("GIT_GLOB_PATHSPECS", "1"),
        ("GIT_ICASE_PATHSPECS", "1"),
        ("GIT_INDEX_FILE", "/nonexistent"),
        ("GIT_EXTERNAL_DIFF", "false"),
        ("GIT_SHALLOW_FILE", "/nonexistent"),
        ("GIT_CONFIG_COUNT", "x"),
    ] {
        let with = |args: &[&str]| {
            let mut command = place.codedb(args[0]);
            command.env(name, value).args(&args[1..]);
            Answer::of(command).expect_success()
        };
        assert_eq!(json(&with(&["hot", "--json"])), expected, "{name}");
        assert_eq!(with(&["changes", "HEAD"]).text(), "modified  a.rs\n", "{name}");
    }
    let limited = json(&tool(&place, &["hot", "1", "--json"]).expect_success());
    assert_eq!(
        (&limited["history"]["shown"], &limited["history"]["total"]),
        (&1.into(), &2.into())
    );
}

#[test]
fn an_existing_file_is_not_listed_as_deleted() {
    let place = repository(&[("pkg/a.rs", "fn a() {}\n"), ("pkg/b.rs", "fn b() {}\n")]);
    place.git(&["rm", "-q", "--cached", "pkg/a.rs", "pkg/b.rs"]);
    assert_eq!(changes(&place), "");
    place.write("pkg/a.rs", "fn other() {}\n");
    assert_eq!(changes(&place), "modified  pkg/a.rs\n");
    // An ignored file still exists.
    place.write(".gitignore", "pkg\n");
    assert_eq!(changes(&place), "added     .gitignore\nmodified  pkg/a.rs\n");
    fs::remove_file(place.root().join("pkg/b.rs")).expect("it exists");
    let expected = "added     .gitignore\nmodified  pkg/a.rs\ndeleted   pkg/b.rs\n";
    assert_eq!(changes(&place), expected);
}

#[test]
fn a_renamed_file_whose_old_name_exists_is_a_copy() {
    let text = "fn one() {}\nfn two() {}\nfn three() {}\n";
    let place = repository(&[("a.rs", text)]);
    place.git(&["mv", "a.rs", "b.rs"]);
    place.write("b.rs", format!("{text}fn four() {{}}\n"));
    assert_eq!(changes(&place), "renamed   b.rs  from a.rs\n");
    place.write("a.rs", text);
    assert_eq!(changes(&place), "added     b.rs\n");
    place.write("a.rs", "fn one() {}\n");
    assert_eq!(changes(&place), "modified  a.rs\nadded     b.rs\n");
}

#[test]
fn links_and_modes_are_compared() {
    let place = Place::new();
    place.write("a.rs", "");
    place.write("run.sh", "");
    let link = |target: &str| {
        let path = place.root().join("link");
        let _ = fs::remove_file(&path);
        std::os::unix::fs::symlink(target, path).expect("a link");
    };
    link("a.rs");
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "."]);
    place.git(&["commit", "-q", "-m", "one"]);
    thread::sleep(Duration::from_millis(20));
    link("a.rs");
    assert_eq!(changes(&place), "");
    link("run.sh");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(place.root().join("run.sh"), mode).expect("a mode");
    assert_eq!(changes(&place), "modified  link\nmodified  run.sh\n");
}

#[test]
fn an_untracked_repository_is_listed_by_its_files() {
    let place = repository(&[("a.rs", "")]);
    place.write("nested/src/b.rs", "");
    place.write("nested/c.rs", "");
    let mut init = place.command("git");
    init.args(["init", "-q"]).current_dir(place.root().join("nested"));
    Answer::of(init).expect_success();
    assert_eq!(changes(&place), "added     nested/c.rs\nadded     nested/src/b.rs\n");
}

fn program(place: &Place, folder: &Path, args: &[&OsStr]) -> Answer {
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.env("CODEDB_INDEX_DIR", place.cache()).current_dir(folder).args(args);
    Answer::of(command)
}

fn words(line: &str) -> Vec<&OsStr> {
    line.split(' ').map(OsStr::new).collect()
}

#[test]
fn paths_are_relative_to_a_named_root() {
    let place = Place::new();
    place.write("a/src/cart.rs", "fn of_a() {}\n");
    place.write("b/cart.rs", "fn of_b() {}\n");
    place.write("b/src/lib.rs", "fn lib() {}\n");
    let root = place.root();
    let read = |folder: &str, line: &str| program(&place, &root.join(folder), &words(line));
    let text = read("a/src", "read --root ../../b cart.rs").expect_success().text();
    assert!(text.contains("of_b"), "{text}");
    let answer = read("b", "read --root ../a ../b/cart.rs");
    check_error(&answer, &["outside of the tree"]);
    // Paths are relative to the current directory within the named root.
    let text = read("b/src", "read --root .. lib.rs").expect_success().text();
    assert!(text.contains("fn lib"), "{text}");
    let answer = read("b/src", "read --root .. src/lib.rs").expect_success();
    assert!(
        answer
            .stderr
            .contains("src/lib.rs: not in the current directory; using the root of the tree")
    );
    let answer = read("b", "read --root . src/lib.rs").expect_success();
    assert_eq!(answer.stderr, "");
}

#[test]
fn global_flags_may_come_before_the_command() {
    let place = shop();
    let away = place.base();
    let root = place.root();
    let root = root.to_str().expect("text");
    let run = |line: &str| program(&place, &away, &words(line));
    for command in ["index --stage ready", "status --json", "doctor", "find cart", "snapshot"] {
        let before = run(&format!("--root {root} --no-progress -j 1 {command}"));
        assert_eq!(before.code, 0, "{command}: {}", before.stderr);
    }
    assert_eq!(run(&format!("--root={root} --fresh strict find cart")).text(), "src/cart.rs\n");
    run(&format!("--root {root} --fresh strict status")).expect_success();
    run(&format!("--root {root} man find")).expect_success();
    let search = run(&format!("--root {root} -n search start {root}/src")).expect_success();
    assert!(search.text().ends_with("src/lib.rs:3:pub fn start() {\n"), "{}", search.text());
    let answer = run(&format!("--root {root} warehouse"));
    check_error(&answer, &["unknown command `warehouse`", "`codedb search warehouse`"]);
    check_error(&run(&format!("--rot {root} status")), &["--rot"]);
}

#[test]
fn unchecked_replies_are_labelled() {
    let place = shop();
    settle();
    place.index(&["-q", "--stage", "full"]).expect_success();
    place.write("src/late.rs", "pub fn late() {}\n");
    for args in [&["find", "late"][..], &["symbol", "add"], &["word", "late"], &["glob", "*.rs"]] {
        let trusted = tool(&place, &[args, &["--fresh", "trust", "--json"]].concat());
        assert!(trusted.text().starts_with(r#"{"freshness":"trust","#), "{}", trusted.text());
        assert!(trusted.stderr.contains("not checked"), "{args:?}: {}", trusted.stderr);
        json(&trusted);
        let strict = tool(&place, &[args, &["--fresh", "strict", "--json"]].concat());
        assert!(!strict.text().contains("freshness") && !strict.stderr.contains("not checked"));
    }
    let snapshot = tool(&place, &["snapshot", "--fresh", "trust"]).expect_success();
    let found = json(&snapshot);
    assert_eq!((&found["freshness"], &found["total"]), (&"trust".into(), &2.into()));
    assert!(snapshot.stderr.contains("not checked"), "{}", snapshot.stderr);
    // Without an index, `--fresh trust` walks the tree.
    let other = shop();
    let answer = tool(&other, &["find", "cart", "--fresh", "trust", "--json"]).expect_success();
    assert!(!answer.text().contains("freshness"), "{}", answer.text());
}

#[test]
fn a_name_that_is_not_utf8_is_refused_with_that_reason() {
    let place = shop();
    let name = OsStr::from_bytes(b"src/\xFF.rs");
    if fs::write(place.root().join(name), "fn a() {}\n").is_err() {
        return;
    }
    let answer = program(&place, &place.root(), &[OsStr::new("read"), name]);
    check_error(&answer, &[r#""src/\xFF.rs" is not UTF-8"#, "codedb search"]);
}

#[test]
fn outlines_are_plain_text_and_bounded() {
    let place = Place::new();
    place.write("a.md", "# Red \u{1b}[31m heading\n");
    let text = tool(&place, &["outline", "a.md"]).expect_success().text();
    assert!(text.contains("heading") && !text.contains('\u{1b}'), "{text:?}");
    let many: String = (0..1500).map(|at| format!("fn f{at}() {{}}\n")).collect();
    place.write("many.rs", many);
    let answer = tool(&place, &["outline", "many.rs"]).expect_success();
    assert_eq!(answer.text().lines().count(), 1000);
    assert!(
        answer.stderr.contains("1000 of 1500 definitions shown; continue with `--offset` 1000")
    );
    let page = json(&tool(&place, &["outline", "many.rs", "--offset", "1000", "--json"]));
    assert_eq!((&page["shown"], &page["total"]), (&500.into(), &1500.into()));
    assert_eq!((&page["symbols"][0]["name"], page.get("next_offset")), (&"f1000".into(), None));
    let page = json(&tool(&place, &["outline", "many.rs", "--max-results", "2", "--json"]));
    assert_eq!((&page["shown"], &page["next_offset"]), (&2.into(), &2.into()));
}
