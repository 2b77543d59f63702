//! The tools as commands, on a small realistic tree: text, JSON, exit codes and errors.

use std::fs::File;
use std::time::{Duration, SystemTime};

use crate::support::place::{Answer, Place, settle, without_items};

/// A tree with sources, tests, a vendored directory, a secret and ignored files.
fn place() -> Place {
    let place = Place::new();
    for (path, text) in [
        (".ignore", "target\n"),
        ("LICENSE", "[package]\nname = \"shop\"\n"),
        ("notes.txt", "# Shop\n"),
        ("src/main.rs", "mod cart;\n\nfn main() {\n    cart::add();\n}\n"),
        ("src/cart.rs", CART),
        ("src/net/http_client.rs", "pub struct HttpClient;\n"),
        ("src/net/http_server.rs", "pub struct HttpServer;\n"),
        ("tests/cart_test.rs", "#[test]\nfn adds() {}\n"),
        ("vendor/lib/deep/index.js", "module.exports = 1;\n"),
        ("web/assets/js/app.min.js", "a=1"),
        ("target/debug/out.rs", "fn ignored() {}\n"),
    ] {
        place.write(path, text);
    }
    place
}

const CART: &str = "\
//! The cart.

/// Adds.
pub fn add() {
    // Nothing yet.
}

pub struct Cart;

impl Cart {
    pub fn total(&self) -> u32 { 0 }
}

pub struct Basket;

impl Basket {
    pub fn total(&self) -> u32 { 1 }
}
";

fn tool(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.codedb(args[0]);
    command.args(&args[1..]);
    let answer = Answer::of(command);
    if !args.contains(&"--json") {
        return answer;
    }
    Answer { stdout: without_items(&answer.text()).into_bytes(), ..answer }
}

/// Runs a tool without and with an index; both outputs must be equal.
#[track_caller]
fn check(args: &[&str], expected: &str) {
    let place = place();
    let walked = tool(&place, args);
    assert_eq!(walked.text(), expected, "{args:?}: {}", walked.stderr);
    assert_eq!(walked.code, i32::from(expected.is_empty()), "{args:?}");
    settle();
    place.index(&["-q", "--stage", "full"]).expect_success();
    let indexed = tool(&place, args);
    assert_eq!((indexed.text(), indexed.code), (walked.text(), walked.code), "{args:?}");
}

/// Runs a tool without and with an index, where the output differs.
#[track_caller]
fn check_both(args: &[&str], walked: &str, indexed: &str) {
    let place = place();
    assert_eq!(tool(&place, args).expect_success().text(), walked, "{args:?}");
    settle();
    place.index(&["-q", "--stage", "full"]).expect_success();
    assert_eq!(tool(&place, args).expect_success().text(), indexed, "{args:?}, with an index");
}

/// Runs a tool that fails; its error must contain all of `words`.
#[track_caller]
fn check_error(place: &Place, args: &[&str], words: &[&str]) {
    let answer = tool(place, args);
    let code = if answer.stderr.contains("is not defined") { 1 } else { 2 };
    assert_eq!((answer.text(), answer.code), (String::new(), code), "{}", answer.stderr);
    for word in words {
        assert!(answer.stderr.contains(word), "{args:?}, {word}: {}", answer.stderr);
    }
}

#[test]
fn find_ranks_by_names() {
    check(&["find", "htpserver"], "src/net/http_server.rs\n");
    check(&["find", "hc"], "src/net/http_client.rs\n");
    check(&["find", "net/client"], "src/net/http_client.rs\n");
    check(&["find", "min.js"], "web/assets/js/app.min.js  minified\n");
    check(&["find", "zzzz"], "");
    // Vendored code comes last, tests do not.
    check(&["find", "cart"], "src/cart.rs\ntests/cart_test.rs  test\n");
}

#[test]
fn find_prints_json() {
    let expected = concat!(
        r#"{"files":[{"path":"vendor/lib/deep/index.js","#,
        r#""relative_path":"vendor/lib/deep/index.js","score":644,"vendored":true}],"#,
        r#""shown":1,"total":1}"#,
        "\n"
    );
    check(&["find", "index", "--json"], expected);
}

#[test]
fn glob_matches_names_and_paths() {
    let expected = "\
src/cart.rs
src/main.rs
src/net/http_client.rs
src/net/http_server.rs
tests/cart_test.rs
";
    check(&["glob", "*.rs"], expected);
    check(&["glob", "src/*.rs"], "src/cart.rs\nsrc/main.rs\n");
    check(&["glob", "/{LICENSE,*.txt}"], "LICENSE\nnotes.txt\n");
    check(&["glob", "*.go"], "");
    let place = place();
    let answer = tool(&place, &["glob", "**/*.rs", "--max-results", "1", "--json"]);
    let expected = concat!(
        r#"{"files":["src/cart.rs"],"relative_files":["src/cart.rs"],"shown":1,"total":5}"#,
        "\n"
    );
    assert_eq!(answer.text(), expected);
    assert!(answer.stderr.contains("1 of 5 shown"), "{}", answer.stderr);
    check_error(&place, &["glob", "a[b"], &["invalid glob", "hint:"]);
}

#[test]
fn ls_lists_one_directory() {
    let expected = "\
src/  4 files
tests/  1 file  test
vendor/  1 file  vendored
web/  1 file
LICENSE  24 bytes
notes.txt  7 bytes
";
    check(&["ls"], expected);
    let expected = "net/  2 files\ncart.rs  206 bytes  rust\nmain.rs  42 bytes  rust\n";
    check(&["ls", "src"], expected);
    let expected = concat!(
        r#"{"path":"web/assets/js","relative_path":"web/assets/js","#,
        r#""entries":[{"name":"app.min.js","bytes":3,"#,
        r#""language":"javascript","minified":true}],"shown":1,"total":1}"#,
        "\n"
    );
    check(&["ls", "web/assets/js/", "--json"], expected);
}

#[test]
fn tree_stays_within_its_budget() {
    let expected = "\
src/  4 files  rust 4
  net/  2 files  rust 2
    http_client.rs  rust  1 line
    http_server.rs  rust  1 line
  cart.rs  rust  18 lines
  main.rs  rust  5 lines
tests/  1 file  rust 1  test
  cart_test.rs  rust  2 lines  test
vendor/lib/deep/  1 file  javascript 1  vendored
web/assets/js/  1 file  javascript 1
  app.min.js  javascript  1 line  minified
LICENSE  2 lines
notes.txt  1 line
";
    let indexed = "\
src/  4 files  rust 4
  net/  2 files  rust 2
    http_client.rs  rust  1 line  1 symbol
    http_server.rs  rust  1 line  1 symbol
  cart.rs  rust  18 lines  7 symbols
  main.rs  rust  5 lines  2 symbols
tests/  1 file  rust 1  test
  cart_test.rs  rust  2 lines  1 symbol  test
vendor/lib/deep/  1 file  javascript 1  vendored
web/assets/js/  1 file  javascript 1
  app.min.js  javascript  1 line  minified
LICENSE  2 lines
notes.txt  1 line
";
    check_both(&["tree"], expected, indexed);
    let expected = "\
src/  4 files  rust 4
tests/  1 file  rust 1  test
vendor/lib/deep/  1 file  javascript 1  vendored
web/assets/js/  1 file  javascript 1
LICENSE  2 lines
notes.txt  1 line
";
    check(&["tree", "--depth", "1"], expected);
    // An explicit query for vendored code shows it.
    check(
        &["tree", "vendor/lib"],
        "deep/  1 file  javascript 1\n  index.js  javascript  1 line  vendored\n",
    );
    let place = place();
    let answer = tool(&place, &["tree", "--max-tokens", "180"]).expect_success();
    let expected = "\
src/  4 files  rust 4
tests/  1 file  rust 1  test
vendor/lib/deep/  1 file  javascript 1  vendored
web/assets/js/  1 file  javascript 1
… 2 files
";
    assert_eq!(answer.text(), expected);
    assert!(answer.stderr.contains("0 of 9 files shown"), "{}", answer.stderr);
}

#[test]
fn read_shows_lines_and_definitions() {
    let hash = "HASH";
    let place = place();
    let read = |args: &[&str]| {
        let answer = tool(&place, &[&["read", "src/cart.rs"], args].concat()).expect_success();
        let text = answer.text();
        let at = text.find("hash ").expect("a hash") + 5;
        format!("{}{hash}{}", &text[..at], &text[at + 16..])
    };
    let expected = "\
src/cart.rs  rust  lines 3-5 of 18  hash HASH
3  /// Adds.
4  pub fn add() {
5      // Nothing yet.
";
    assert_eq!(read(&["--line-start", "3", "--line-end", "5"]), expected);
    let expected = "\
src/cart.rs  rust  Basket::total  lines 17-17 of 18  hash HASH
17      pub fn total(&self) -> u32 { 1 }
";
    assert_eq!(read(&["--symbol", "Basket::total"]), expected);
    let expected = "\
src/cart.rs  rust  lines 4-8 of 18  hash HASH
4  pub fn add() {
6  }
8  pub struct Cart;
";
    assert_eq!(read(&["--line-end", "8", "--compact"]), expected);
}

#[test]
fn read_detects_an_unchanged_file() {
    let place = place();
    let answer = tool(&place, &["read", "web/assets/js/app.min.js", "--json"]).expect_success();
    let text = answer.text();
    let at = text.find("\"hash\":\"").expect("a hash") + 8;
    let hash = &text[at..at + 16];
    let expected = format!(
        concat!(
            r#"{{"path":"web/assets/js/app.min.js","relative_path":"web/assets/js/app.min.js","#,
            r#""status":"ok","hash":"{hash}","bytes":3,"#,
            r#""language":"javascript","lines":[{{"line":1,"text":"a=1"}}],"total":1}}"#,
            "\n"
        ),
        hash = hash
    );
    assert_eq!(text, expected);
    let again = ["read", "web/assets/js/app.min.js", "--if-hash", hash];
    let expected = format!("web/assets/js/app.min.js  unchanged  hash {hash}\n");
    assert_eq!(tool(&place, &again).expect_success().text(), expected);
    place.write("web/assets/js/app.min.js", "a=2");
    assert!(tool(&place, &again).expect_success().text().contains("1  a=2\n"));
}

#[test]
fn read_truncates_long_files_and_reports_binary_ones() {
    let place = place();
    place.write("long.txt", format!("{}\n", "é".repeat(1000)));
    let text = tool(&place, &["read", "long.txt"]).expect_success().text();
    assert!(text.ends_with(&format!("1  {} … 1500 more bytes\n", "é".repeat(250))), "{text}");
    place.write("many.txt", "x\n".repeat(3000));
    let answer = tool(&place, &["read", "many.txt"]).expect_success();
    assert_eq!(answer.text().lines().count(), 2001);
    assert!(answer.stderr.contains("continue with `--line-start` 2001"), "{}", answer.stderr);
    place.write("a.png", b"\x89PNG\r\n\x1a\n\0\0");
    let text = tool(&place, &["read", "a.png"]).expect_success().text();
    assert!(text.starts_with("a.png  PNG image  binary, 10 bytes  hash "), "{text}");
    place.write("utf16.txt", b"\xFF\xFEh\0i\0\n\0");
    let text = tool(&place, &["read", "utf16.txt"]).expect_success().text();
    assert!(text.ends_with("\n1  hi\n"), "{text}");
    place.write("empty.txt", "");
    assert!(tool(&place, &["read", "empty.txt"]).expect_success().text().starts_with("empty.txt"));
    // Ignored files can still be read by name.
    tool(&place, &["read", "target/debug/out.rs"]).expect_success();
}

#[test]
fn read_reports_errors() {
    let place = place();
    place.write(".env", "KEY=1\n");
    place.write("certs/server.pem", "-----BEGIN\n");
    std::os::unix::fs::symlink("/etc/hostname", place.root().join("link")).expect("a link");
    let read = |args: &[&str], words: &[&str]| {
        check_error(&place, &[&["read"], args].concat(), words);
    };
    read(&[".env"], &[".env: refusing to serve a secret", "hint:"]);
    read(&["certs/server.pem"], &["secret"]);
    read(&["link"], &["link: a symbolic link leads out of the tree"]);
    read(&["../other"], &["../other: outside of the tree", "paths are relative to"]);
    read(&["/etc/hostname"], &["outside of the tree"]);
    read(&["src"], &["src: is a directory", "`tree` lists"]);
    read(&["src/crat.rs"], &["src/crat.rs: no such file", "did you mean `src/cart.rs`"]);
    read(&["cart.rs"], &["did you mean `src/cart.rs`"]);
    // What only has some of the letters is no suggestion.
    read(&["nosuch.rs"], &["nosuch.rs: no such file", "finds files by parts of their paths"]);
    read(&["src/cart.rs", "--symbol", "tota"], &["`tota` is not defined", "Cart::total"]);
    read(&["src/cart.rs", "--symbol", "total"], &["2 definitions", "Cart::total", "lines 17-17"]);
    read(&["notes.txt", "--symbol", "x"], &["notes.txt"]);
    read(&["src/cart.rs", "--line-start", "99"], &["there is no line 99: the file has 18"]);
    read(&["src/cart.rs", "--line-start", "0"], &["line numbers begin at 1"]);
    read(&["src/cart.rs", "--line-start", "5", "--line-end", "4"], &["before line 5"]);
    read(&["src/cart.rs", "--line-start", "x"], &["invalid value 'x'"]);
    read(&[], &["no file is named", "`TARGETS`"]);
    check_error(&place, &["ls", "src/nett"], &["no such directory", "did you mean `src/net`"]);
    check_error(&place, &["tree", "src/cart.rs"], &["it is a file", "`read`"]);
    check_error(&place, &["find", " "], &["`QUERY` is empty"]);
}

#[test]
fn paths_are_relative_to_the_current_directory_or_the_root() {
    let place = place();
    let absolute = place.root().join("src/main.rs");
    for path in ["main.rs", "./main.rs", "../src/main.rs", "src/main.rs"]
        .into_iter()
        .chain(absolute.to_str())
    {
        let mut command = place.codedb("outline");
        command.current_dir(place.root().join("src")).arg(path).arg("--json");
        let text = Answer::of(command).expect_success().text();
        assert!(text.starts_with(r#"{"path":"src/main.rs","#), "{path}: {text}");
    }
}

fn set_age(place: &Place, path: &str, age_s: u64) {
    let file = File::options().write(true).open(place.root().join(path)).expect("a file");
    file.set_modified(SystemTime::now() - Duration::from_secs(age_s)).expect("a time");
}

#[test]
fn hot_lists_the_newest_outside_of_git() {
    let place = place();
    for path in ["LICENSE", "notes.txt", "src/cart.rs", "tests/cart_test.rs"] {
        set_age(&place, path, 9000);
    }
    for (path, age_s) in [("src/main.rs", 100), ("src/net/http_client.rs", 50)] {
        set_age(&place, path, age_s);
    }
    for path in ["vendor/lib/deep/index.js", "web/assets/js/app.min.js", "src/net/http_server.rs"] {
        set_age(&place, path, 5000);
    }
    let answer = tool(&place, &["hot", "2"]).expect_success();
    let lines: Vec<String> = answer.text().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(lines[0], "most recently modified");
    assert!(
        lines[1].ends_with("Z  src/net/http_client.rs") && lines[2].ends_with("Z  src/main.rs")
    );
    let json = tool(&place, &["hot", "2", "--json"]).expect_success().text();
    assert!(json.ends_with("\"shown\":2,\"total\":9}\n"), "{json}");
    let answer = tool(&place, &["changes", "1h"]).expect_success();
    assert_eq!(answer.text(), "modified  src/main.rs\nmodified  src/net/http_client.rs\n");
    check_error(&place, &["changes", "main"], &["`main` is not a time", "hint:"]);
    check_error(&place, &["changes"], &["there is no index"]);
}

/// The commits of `hot` come from git without an index, and from the commit log with one.
#[test]
fn hot_is_the_same_with_and_without_the_commit_log() {
    let place = place();
    place.git(&["init", "-q", "-b", "main"]);
    let commit = |subject: &str| {
        place.git(&["add", "-A"]);
        place.git(&["commit", "-q", "-m", subject]);
    };
    commit("one");
    place.git(&["mv", "src/cart.rs", "src/basket.rs"]);
    commit("rename");
    place.git(&["checkout", "-q", "-b", "side"]);
    place.write("notes.txt", "side\n");
    commit("side");
    place.git(&["checkout", "-q", "main"]);
    // The former name of a renamed file is in use again.
    place.write("src/cart.rs", "fn again() {}\n");
    commit("again");
    place.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let hot = || {
        let text = tool(&place, &["hot", "20", "--json"]).expect_success().text();
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")["history"].clone()
    };
    let without = hot();
    assert_eq!((&without["commits"], &without["files"][0]["commits"]), (&4.into(), &3.into()));
    assert_eq!(without["files"][0]["path"], "src/cart.rs");
    place.index(&["-q", "--stage", "full"]).expect_success();
    assert_eq!(hot(), without);
    // With the log, git is not needed.
    let mut command = place.codedb("hot");
    command.env("PATH", place.base().join("home")).args(["20", "--json"]);
    let text = Answer::of(command).expect_success().text();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON")["history"], without);
    // A log that is behind HEAD is not used.
    place.write("src/main.rs", "fn main() {}\n");
    commit("last");
    assert_eq!(hot()["commits"], 5);
}

#[test]
fn hot_and_changes_use_git() {
    let place = place();
    place.write(".gitignore", "target\n");
    place.git(&["init", "-q", "-b", "main"]);
    assert!(tool(&place, &["hot", "1"]).expect_success().text().contains("the last 0 commits"));
    place.git(&["add", "."]);
    place.git(&["commit", "-q", "-m", "one"]);
    place.write("src/main.rs", "fn main() {}\n");
    place.git(&["commit", "-q", "-a", "-m", "two"]);
    let text = tool(&place, &["hot", "1"]).expect_success().text();
    let (_, history) = text.split_once("most often changed in the last 2 commits\n").expect("both");
    assert!(history.starts_with("  2  ") && history.ends_with("Z  src/main.rs\n"), "{text}");
    assert_eq!(tool(&place, &["changes", "HEAD"]).code, 1);
    place.write("src/new.rs", "");
    place.git(&["mv", "src/cart.rs", "src/basket.rs"]);
    std::fs::remove_file(place.root().join("notes.txt")).expect("it exists");
    let expected = "\
deleted   notes.txt
renamed   src/basket.rs  from src/cart.rs
modified  src/main.rs
added     src/new.rs
";
    assert_eq!(tool(&place, &["changes", "HEAD~1"]).expect_success().text(), expected);
    let json = tool(&place, &["changes", "main", "--max-results", "1", "--json"]).text();
    let ending = concat!(
        r#""basis":"commit","generation":0,"changes":[{"path":"notes.txt","#,
        r#""relative_path":"notes.txt","status":"deleted"}],"#,
        r#""shown":1,"total":3}"#,
        "\n"
    );
    assert!(json.ends_with(ending), "{json}");
    check_error(&place, &["changes", "nothing"], &["not a time, a commit or a generation"]);
    check_error(&place, &["changes", "--output=x"], &["--output"]);
}

#[test]
fn changes_list_what_the_index_does_not_have() {
    let place = place();
    settle();
    place.index(&["-q", "--stage", "full"]).expect_success();
    assert_eq!(tool(&place, &["changes"]).code, 1);
    place.write("src/main.rs", "fn main() { }\n");
    place.write("src/a.rs", "");
    // Rewritten without a change: other metadata, the same content.
    place.write("notes.txt", "# Shop\n");
    std::fs::remove_file(place.root().join("LICENSE")).expect("it exists");
    let expected = "deleted   LICENSE\nadded     src/a.rs\nmodified  src/main.rs\n";
    assert_eq!(tool(&place, &["changes"]).expect_success().text(), expected);
    assert_eq!(tool(&place, &["changes", "1"]).expect_success().text(), expected);
    settle();
    place.index(&["-q", "--stage", "full"]).expect_success();
    assert_eq!(tool(&place, &["changes", "2"]).code, 1);
    check_error(
        &place,
        &["changes", "1"],
        &["generation 1 does not exist any more; the newest is 2"],
    );
    // The next call sees an edit, without a refresh.
    place.write("src/later.rs", "");
    assert_eq!(tool(&place, &["find", "later"]).text(), "src/later.rs\n");
}

#[test]
fn help_completions_and_manual_cover_the_tools() {
    let place = place();
    let help = tool(&place, &["find", "--help-all"]).expect_success().text();
    for word in ["<QUERY>", "--max-results <N>", "--json", "--root", "initials"] {
        assert!(help.contains(word), "{word}: {help}");
    }
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["completions", "bash"]);
    let script = Answer::of(command).expect_success().text();
    assert!(script.contains("codedb__subcmd__glob") || script.contains("codedb__glob"));
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["man", "read"]);
    assert!(Answer::of(command).expect_success().text().contains("line\\-start"));
}
