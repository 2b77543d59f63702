//! The commit log, as `codedb index` stores it and as a call reads it.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use codedb::catalog::code::Code as _;
use codedb::engine::{self, Check, Engine, Local, Progress};
use codedb::history::History;
use codedb::index::store::Store;
use codedb::source::walk::Environment;
use serde_json::Value;

use crate::support::place::{Answer, Place};

/// Creates a repository with one commit.
fn repository() -> Place {
    let place = Place::new();
    place.write("src/cart.py", "def add(item):\n    pass\n");
    place.write("src/money.py", "def total():\n    return 0\n");
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "."]);
    place.git(&["commit", "-q", "-m", "Begin a shop"]);
    place
}

fn commit(place: &Place, subject: &str) {
    place.git(&["commit", "-q", "--allow-empty", "-m", subject]);
}

fn full(place: &Place) -> Answer {
    place.index(&["--stage", "full"]).expect_success()
}

fn status(place: &Place) -> Value {
    let mut command = place.codedb("status");
    command.arg("--json");
    serde_json::from_str(&Answer::of(command).expect_success().text()).expect("JSON")
}

/// Returns the only file of the log.
fn file(place: &Place) -> PathBuf {
    let entries = fs::read_dir(place.store()).expect("a directory").flatten();
    let is_log = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("history-"))
    };
    let found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_log).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.into_iter().next().expect("one")
}

#[test]
fn indexing_reads_the_log_and_later_only_new_commits() {
    let place = repository();
    assert!(full(&place).text().ends_with(": 1 commit, 1 read\n"));
    let reply = status(&place);
    let expected = r#"{"commits":1,"behind":false,"cut":false,"shallow":false}"#;
    assert_eq!(reply["history"], serde_json::from_str::<Value>(expected).expect("JSON"));
    assert!(reply["sizes"]["history"].as_u64().is_some_and(|bytes| bytes > 0));
    assert!(!full(&place).text().contains("commits"), "nothing new");
    commit(&place, "More");
    assert_eq!(status(&place)["history"]["behind"], true);
    assert!(full(&place).text().ends_with(": 2 commits, 1 read\n"));
    place.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "Less"]);
    assert!(full(&place).text().ends_with(": 2 commits, 1 read\n"));
    assert_eq!(status(&place)["history"]["behind"], false);
    let anew = place.index(&["--stage", "full", "--rebuild"]).expect_success();
    assert!(anew.text().ends_with(": 2 commits, 2 read\n"), "{}", anew.text());
}

#[test]
fn a_damaged_log_is_reported_and_read_again() {
    let place = repository();
    full(&place);
    let path = file(&place);
    let mut bytes = fs::read(&path).expect("a file");
    bytes[80] ^= 1;
    fs::remove_file(&path).expect("a file");
    fs::write(&path, bytes).expect("a file");
    let unusable = status(&place)["history"]["unusable"].to_string();
    assert!(unusable.contains("checksum"), "{unusable}");
    assert_eq!(Answer::of(place.codedb("doctor")).code, 2);
    assert!(full(&place).text().ends_with(": 1 commit, 1 read\n"));
    assert_eq!(status(&place)["history"]["behind"], false);
    assert_eq!(Answer::of(place.codedb("doctor")).code, 0);
}

#[test]
fn without_a_repository_there_is_no_log() {
    let place = Place::new();
    place.write("a.py", "def a():\n    pass\n");
    let text = full(&place).text();
    assert!(!text.contains("commits"), "{text}");
    assert_eq!(status(&place)["history"], Value::Null);
    place.git(&["init", "-q", "-b", "main"]);
    assert!(full(&place).text().ends_with(": 0 commits, 0 read\n"));
    assert_eq!(status(&place)["history"]["behind"], false);
}

#[test]
fn without_git_an_index_is_still_built() {
    let place = repository();
    let mut command = place.codedb("index");
    command.env("PATH", place.base().join("nothing"));
    let answer = Answer::of(command).expect_success();
    assert!(answer.text().contains("files parsed"), "{}", answer.text());
    assert!(
        answer.stderr.contains("cannot read the log of commits: git is not installed"),
        "{}",
        answer.stderr
    );
    let mut context = place.codedb("context");
    context.arg("Begin a shop").env("PATH", place.base().join("nothing"));
    assert!(Answer::of(context).code < 2);
    assert_eq!(status(&place)["history"]["behind"], true);
}

fn environment() -> Environment {
    Environment { threads: 1, ..Environment::default() }
}

/// Returns an engine, as a process keeps it between calls.
fn engine(place: &Place) -> Engine {
    let store = Store::new(place.base().join("kept"), false);
    Engine::new(place.root(), store, environment())
}

fn ask(engine: &Engine) -> Option<Arc<History>> {
    Local::new(engine, Check::Strict).history().expect("the log can be read")
}

fn subjects(history: &History) -> Vec<String> {
    history.log().commits().map(|commit| commit.subject().to_owned()).collect()
}

#[test]
fn a_call_reads_a_few_commits_and_keeps_them() {
    let place = repository();
    let engine = engine(&place);
    let first = ask(&engine).expect("few enough to be read");
    assert_eq!(subjects(&first), ["Begin a shop"]);
    assert!(Arc::ptr_eq(&first, &ask(&engine).expect("kept")));
    assert!(!engine.store().dir().exists(), "a call publishes nothing");
    commit(&place, "Second");
    assert_eq!(subjects(&ask(&engine).expect("read")), ["Second", "Begin a shop"]);
    place.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    assert_eq!(subjects(&ask(&engine).expect("read")), ["Begin a shop"]);
}

#[test]
fn a_call_does_not_wait_for_many_commits() {
    let place = repository();
    let engine = engine(&place);
    let progress = Progress::default();
    engine::build(&engine, &progress).expect("a tree");
    let built = engine::build_code(&engine, false, &progress).expect("a tree").history;
    assert_eq!((built.commits, built.read, built.published), (1, 1, true));
    let begin = ask(&engine).expect("it exists");
    let tip = place.git(&["rev-parse", "HEAD"]);
    let mut stream = String::new();
    for number in 0..301 {
        let from = if number == 0 { format!("from {tip}") } else { String::new() };
        let who = format!("committer c <c@x> {} +0000", 1_900_000_000 + number);
        stream.push_str(&format!("commit refs/heads/main\n{who}\ndata 1\nx\n{from}\n"));
    }
    fs::write(place.base().join("stream"), stream).expect("a file");
    let mut import = place.command("git");
    import.args(["fast-import", "--quiet", "--force", "--date-format=raw"]);
    import.stdin(fs::File::open(place.base().join("stream")).expect("a file"));
    assert!(import.status().expect("git is installed").success());
    let behind = ask(&engine).expect("as it was");
    assert!(Arc::ptr_eq(&begin, &behind), "as it was");
    let built = engine::build_code(&engine, false, &progress).expect("a tree").history;
    assert_eq!((built.commits, built.read), (302, 301));
    assert_eq!(ask(&engine).expect("the new file").log().len(), 302);
    // No log has been read before.
    let other =
        Engine::new(place.root(), Store::new(place.base().join("other"), false), environment());
    assert!(ask(&other).is_none());
}

/// What commits changed in a file is kept, and a call with it answers like one without.
#[test]
fn kept_changes_of_a_file_answer_like_new_ones() {
    let place = repository();
    for number in 0..6 {
        let body = "    total = 1\n".repeat(number + 1);
        let text =
            format!("def add(item):\n{body}    return item\n\n\ndef clear{number}():\n    pass\n");
        place.write("src/cart.py", text);
        place.git(&["commit", "-q", "-am", &format!("Fix the cart, {number}")]);
    }
    place.git(&["mv", "src/cart.py", "src/basket.py"]);
    place.git(&["commit", "-q", "-m", "Rename the cart"]);
    full(&place);
    let kept = || {
        let entries = fs::read_dir(place.store()).expect("a directory").flatten();
        let names = entries.filter(|it| it.file_name().to_string_lossy().starts_with("units-"));
        names.map(|entry| entry.path()).collect::<Vec<PathBuf>>()
    };
    let ask = |command: &str, arguments: &[&str]| {
        let mut command = place.codedb(command);
        command.arg("src/basket.py").args(arguments).arg("--json");
        Answer::of(command).expect_success().text()
    };
    let all = |arguments: &[&str]| (ask("churn", &[]), ask("history", arguments));
    let newest = ask("history", &["-n", "2"]);
    assert_eq!(kept().len(), 1, "the two newest commits");
    let few = fs::metadata(&kept()[0]).expect("a file").len();
    let whole = all(&["--unit-name", "add"]);
    assert!(fs::metadata(&kept()[0]).expect("a file").len() > few, "now all commits");
    assert_eq!(all(&["--unit-name", "add"]), whole);
    assert_eq!(ask("history", &["-n", "2"]), newest);
    fs::remove_file(&kept()[0]).expect("removed");
    assert_eq!(all(&["--unit-name", "add"]), whole);
    assert_eq!(ask("history", &["-n", "2"]), newest);
    let text = fs::read_to_string(place.root().join("src/basket.py")).expect("a text");
    place.write("src/basket.py", text.replace("clear5", "empty"));
    place.git(&["commit", "-q", "-am", "Rename a function"]);
    let after = all(&["--unit-name", "empty"]);
    assert!(after.1.contains("Rename a function"), "{}", after.1);
    fs::remove_file(&kept()[0]).expect("removed");
    assert_eq!(all(&["--unit-name", "empty"]), after);
}

/// The blame of a file is kept until a commit changes the file.
#[test]
fn a_kept_blame_answers_like_a_new_one() {
    let place = repository();
    full(&place);
    let kept = || {
        let entries = fs::read_dir(place.store()).expect("a directory").flatten();
        let names = entries.filter(|it| it.file_name().to_string_lossy().starts_with("blame-"));
        names.map(|entry| entry.path()).collect::<Vec<PathBuf>>()
    };
    let ask = || {
        let mut command = place.codedb("ownership");
        command.args(["src/cart.py", "--json", "--no-background"]);
        Answer::of(command).expect_success().text()
    };
    let anew = || {
        kept().into_iter().for_each(|file| fs::remove_file(file).expect("removed"));
        ask()
    };
    let first = ask();
    assert_eq!(kept().len(), 1);
    let text = fs::read(&kept()[0]).expect("read");
    assert_eq!(ask(), first);
    // Commits of other files change nothing, and git is not asked again.
    place.write("src/money.py", "def total():\n    return 1\n");
    place.git(&["commit", "-q", "-am", "Count"]);
    assert_eq!(ask(), first);
    assert_eq!(fs::read(&kept()[0]).expect("read"), text, "it stays");
    // One of this file does.
    place.write("src/cart.py", "def add(item):\n    return item\n");
    let other = ["-c", "user.name=Ben", "commit", "-q", "-am", "Return the item"];
    let mut git = place.command("git");
    git.args(["-c", "user.email=b@example.org", "-c", "commit.gpgsign=false"]).args(other);
    Answer::of(git).expect_success();
    let second = ask();
    assert!(second.contains("Ben") && second != first, "{second}");
    assert_eq!(second, anew());
    // So do the names that git replaces, and commits that are ignored.
    place.write(".mailmap", "Benjamin <b@example.org>\n");
    let renamed = ask();
    assert!(renamed.contains("Benjamin"), "{renamed}");
    assert_eq!(renamed, anew());
    let head = place.git(&["rev-parse", "HEAD"]);
    place.write(".git-blame-ignore-revs", head);
    assert_eq!(ask(), anew());
}
