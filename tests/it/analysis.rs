//! The tools on commits: what they reply on scripted repositories, and on those that have no commits,
//! few, or hostile ones.

use std::process::Command;

use serde_json::Value;

use crate::support::place::{Answer, Place, settle};

/// Runs git as an author.
fn git_as(place: &Place, name: &str, args: &[&str]) -> String {
    let mut command: Command = place.command("git");
    let user = format!("user.name={name}");
    let email = format!("user.email={}@example.org", name.split(' ').next().unwrap_or_default());
    command.args(["-c", &user, "-c", &email, "-c", "commit.gpgsign=false"]);
    command.args(args).env("GIT_CONFIG_NOSYSTEM", "1").env_remove("GIT_DIR");
    Answer::of(command).expect_success().text()
}

fn git(place: &Place, args: &[&str]) -> String {
    git_as(place, "ann", args)
}

fn commit_as(place: &Place, name: &str, subject: &str) {
    git_as(place, name, &["add", "-A"]);
    git_as(place, name, &["commit", "-q", "--allow-empty", "-m", subject]);
}

fn commit(place: &Place, subject: &str) {
    commit_as(place, "ann", subject);
}

fn repository() -> Place {
    let place = Place::new();
    git(&place, &["init", "-q", "-b", "main"]);
    place
}

/// Returns what a tool prints, and on standard error.
fn run(place: &Place, tool: &str, args: &[&str]) -> Answer {
    let mut command = place.codedb(tool);
    command.args(args).arg("--no-background");
    Answer::of(command)
}

fn json(place: &Place, tool: &str, args: &[&str]) -> Value {
    let answer = run(place, tool, &[args, &["--json"]].concat());
    serde_json::from_str(&answer.text())
        .unwrap_or_else(|error| panic!("{tool} {args:?}: {error}: {}", answer.stderr))
}

/// Asserts that each tool replies with a status, a message and a hint.
fn check_status(place: &Place, file: &str, status: &str) {
    for tool in ["churn", "coupling", "ownership", "who-reviews", "history"] {
        let reply = json(place, tool, &[file]);
        assert_eq!(reply["status"], status, "{tool}: {reply}");
        assert!(reply["message"].is_string() && reply["hint"].is_string(), "{tool}: {reply}");
    }
    let reply = json(place, "stats", &[]);
    assert_eq!(reply["status"], status, "{reply}");
}

#[test]
fn without_a_repository_or_commits_there_is_a_status() {
    let place = Place::new();
    place.write("a.py", "x = 1\n");
    check_status(&place, "a.py", "no_data");
    git(&place, &["init", "-q"]);
    check_status(&place, "a.py", "no_data");
}

#[test]
fn a_file_without_commits_has_a_status() {
    let place = repository();
    place.write("a.py", "x = 1\n");
    commit(&place, "Begin");
    place.write("b.py", "y = 1\n");
    for tool in ["churn", "coupling", "ownership", "history"] {
        let reply = json(&place, tool, &["b.py"]);
        assert_eq!(reply["status"], "no_data", "{tool}: {reply}");
    }
    let reply = json(&place, "who-reviews", &["b.py"]);
    assert_eq!(
        (&reply["status"], &reply["reviewers"][0]["author"]),
        (&"partial".into(), &"ann".into())
    );
}

#[test]
fn an_unknown_path_is_an_error_with_the_nearest_paths() {
    let place = repository();
    place.write("src/cart.py", "x = 1\n");
    commit(&place, "Begin");
    for tool in ["churn", "coupling", "ownership", "who-reviews", "history"] {
        let answer = run(&place, tool, &["src/carts.py"]);
        assert_eq!(answer.code, 2, "{tool}: {}", answer.stderr);
        assert!(answer.stderr.contains("`src/cart.py`"), "{tool}: {}", answer.stderr);
    }
}

#[test]
fn an_unrelated_commit_only_ages_the_churn_of_a_file() {
    let place = repository();
    for version in 0..3 {
        place.write("a.py", format!("x = {version}\n"));
        commit(&place, "Change a");
    }
    let before = json(&place, "churn", &["a.py"])["files"][0].clone();
    assert_eq!((&before["commits"], &before["churn"]), (&3.into(), &3.0.into()));
    place.index(&["--stage", "full"]).expect_success();
    place.write("b.py", "y = 1\n");
    commit(&place, "Add b");
    let after = json(&place, "churn", &["a.py"])["files"][0].clone();
    assert_eq!((&after["commits"], &after["churn"]), (&before["commits"], &before["churn"]));
    place.index(&["--stage", "full"]).expect_success();
    assert_eq!(json(&place, "churn", &["a.py"])["files"][0], after);
}

#[test]
fn deleted_files_leave_and_renamed_files_keep_their_commits() {
    let place = repository();
    place.write("a.py", "def f():\n    return 1\n\n\ndef g():\n    return 2\n");
    place.write("b.py", "y = 1\n");
    commit(&place, "Begin");
    place.write("a.py", "def f():\n    return 3\n\n\ndef g():\n    return 2\n");
    place.write("b.py", "y = 2\n");
    commit(&place, "Change both");
    assert_eq!(json(&place, "coupling", &["a.py"])["co_change_partners"][0]["path"], "b.py");
    git(&place, &["rm", "-q", "b.py"]);
    git(&place, &["mv", "a.py", "c.py"]);
    commit(&place, "Rename a, remove b");
    let churn = json(&place, "churn", &[]);
    assert_eq!((&churn["total"], &churn["files"][0]["path"]), (&1.into(), &"c.py".into()));
    assert_eq!(churn["files"][0]["commits"], 3);
    assert_eq!(json(&place, "coupling", &["c.py"])["total"], 0);
    let history = json(&place, "history", &["c.py", "--unit-name", "f"]);
    assert_eq!((&history["total"], &history["commits"][0]["path"]), (&2.into(), &"a.py".into()));
}

#[test]
fn an_edit_of_a_signature_belongs_to_its_function() {
    let place = repository();
    let text = |signature: &str| {
        format!(
            "class C:\n    def above(self):\n        return 1\n\n    {signature}\n        return 2\n\n    def below(self):\n        return 3\n"
        )
    };
    place.write("c.py", text("def edited(self):"));
    commit(&place, "Begin");
    place.write("c.py", text("def edited(self, more):"));
    commit(&place, "Fix the signature");
    let history = json(&place, "history", &["c.py", "--limit", "1"]);
    assert_eq!(history["commits"][0]["units"], serde_json::json!(["C.edited"]));
    let churn = json(&place, "churn", &["c.py", "--unit-name", "edited"]);
    assert_eq!(churn["units"][0]["commits"], 2);
    assert_eq!(churn["units"][0]["fixes"], 1);
    let churn = json(&place, "churn", &["c.py", "--unit-name", "above"]);
    assert_eq!(churn["units"][0]["commits"], 1);
    let answer = run(&place, "churn", &["c.py", "--unit-name", "bellow"]);
    assert!(answer.stderr.contains("`C.below`"), "{}", answer.stderr);
}

#[test]
fn mailmap_and_ignored_commits_are_honoured() {
    let place = repository();
    place.write("a.py", "x = 1\ny = 2\n");
    commit_as(&place, "ann", "Begin");
    place.write("a.py", "x = 10\ny = 2\n");
    commit_as(&place, "annie", "Change");
    place.write("a.py", "x = 100\ny = 200\n");
    commit_as(&place, "robot", "Format");
    let id = git(&place, &["rev-parse", "HEAD"]);
    place.write(".mailmap", "Ann <ann@example.org> <annie@example.org>\nAnn <ann@example.org>\n");
    place.write(".git-blame-ignore-revs", format!("# formatted\n{id}"));
    commit_as(&place, "dependabot[bot]", "Configure");
    let stats = json(&place, "stats", &[]);
    let expected = serde_json::json!([4, 3, 1, 3, 1]);
    let found = ["commits", "counted", "ignored", "people", "bots"].map(|key| stats[key].clone());
    assert_eq!(serde_json::json!(found), expected, "{stats}");
    let owners = json(&place, "ownership", &["a.py"]);
    assert_eq!(owners["total"], 1, "{owners}");
    let ann = &owners["owners"][0];
    assert_eq!(
        (&ann["author"], &ann["lines"], &ann["role"]),
        (&"Ann".into(), &2.into(), &"original_author".into())
    );
    let churn = &json(&place, "churn", &["a.py"])["files"][0];
    assert_eq!((&churn["commits"], &churn["authors"]), (&2.into(), &1.into()));
    let reviewers = json(&place, "who-reviews", &["a.py"]);
    assert_eq!(reviewers["total"], 1, "{reviewers}");
    // What bots change is said where it does not count.
    place.write("a.py", "x = 100\ny = 300\n");
    commit_as(&place, "dependabot[bot]", "Bump y");
    let mut churn = place.codedb("churn");
    churn.arg("a.py");
    let churn = Answer::of(churn).expect_success().text();
    assert!(churn.contains("2 commits") && churn.contains("1 more by bots"), "{churn}");
}

#[test]
fn authors_with_one_personal_address_are_one_person() {
    let place = repository();
    let authors = [
        "Ann <a@example.org>",
        "annie <A@example.org>",
        "Bob <root@example.org>",
        "Cy <root@example.org>",
    ];
    for (at, author) in authors.iter().enumerate() {
        place.write("a.py", format!("x = {at}\n"));
        git(&place, &["add", "-A"]);
        git(&place, &["commit", "-q", "-m", "Change", "--author", author]);
    }
    assert_eq!(json(&place, "stats", &[])["people"], 3);
    let churn = &json(&place, "churn", &["a.py"])["files"][0];
    assert_eq!((&churn["commits"], &churn["authors"]), (&4.into(), &3.into()));
    // Many people commit as root: the name joins nobody.
    for author in ["root <a@example.org>", "root <d@example.org>", "Dee <d@example.org>"] {
        git(&place, &["commit", "-q", "--allow-empty", "-m", "Change", "--author", author]);
    }
    assert_eq!(json(&place, "stats", &[])["people"], 4);
}

#[test]
fn a_shallow_clone_is_partial() {
    let place = repository();
    for version in 0..4 {
        place.write("a.py", format!("x = {version}\n"));
        commit(&place, "Change a");
    }
    let shallow = Place::new();
    let url = format!("file://{}", place.root().display());
    git(&shallow, &["clone", "-q", "--depth", "2", &url, "."]);
    let reply = json(&shallow, "churn", &["a.py"]);
    assert_eq!((&reply["status"], &reply["files"][0]["commits"]), (&"partial".into(), &1.into()));
    assert!(reply["hint"].as_str().is_some_and(|hint| hint.contains("unshallow")), "{reply}");
    // Deepened, and after the history is rewritten.
    git(&shallow, &["fetch", "-q", "--unshallow"]);
    let reply = json(&shallow, "churn", &["a.py"]);
    assert_eq!((&reply["status"], &reply["files"][0]["commits"]), (&"ok".into(), &4.into()));
    shallow.index(&["--stage", "full"]).expect_success();
    git(&shallow, &["reset", "-q", "--hard", "HEAD~2"]);
    assert_eq!(json(&shallow, "churn", &["a.py"])["files"][0]["commits"], 2);
}

#[test]
fn a_bare_repository_and_a_submodule_have_a_status() {
    let place = repository();
    place.write("a.py", "x = 1\n");
    commit(&place, "Begin");
    let bare = Place::new();
    let url = format!("file://{}", place.root().display());
    git(&bare, &["clone", "-q", "--bare", &url, "."]);
    let reply = json(&bare, "stats", &[]);
    assert_eq!(reply["status"], "no_data", "{reply}");
    let outer = repository();
    git(&outer, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, "sub"]);
    commit(&outer, "Add a submodule");
    let reply = json(&outer, "churn", &[]);
    assert_eq!(reply["status"], "ok", "{reply}");
    let reply = json(&outer, "churn", &["sub/a.py"]);
    assert!(reply["status"] == "no_data" && reply["hint"].is_string(), "{reply}");
}

#[test]
fn a_commit_of_very_many_files_counts_for_none() {
    let place = repository();
    let files = if crate::support::place::long() { 100_000 } else { 301 };
    for file in 0..files {
        place.write(format!("d{}/{file}.py", file % 100), "x = 1\n");
    }
    commit(&place, "Import everything");
    let stats = json(&place, "stats", &[]);
    assert_eq!((&stats["oversized"], &stats["counted"]), (&1.into(), &0.into()), "{stats}");
    let reply = json(&place, "churn", &["d0/0.py"]);
    assert!(reply["status"] == "no_data" && reply["hint"].is_string(), "{reply}");
    place.write("d0/0.py", "x = 2\n");
    commit(&place, "Change one");
    assert_eq!(json(&place, "churn", &["d0/0.py"])["files"][0]["commits"], 1);
}

#[test]
fn hostile_names_and_messages_are_data() {
    let place = repository();
    place.write("a.py", "def f():\n    return 1\n");
    git_as(&place, "\u{1b}[31mMallory", &["add", "-A"]);
    let message = "Fix \u{1b}]0;title\u{7} \u{202e}it";
    git_as(&place, "\u{1b}[31mMallory", &["commit", "-q", "-m", message]);
    for tool in ["history", "ownership", "who-reviews", "churn", "coupling"] {
        for args in [&["a.py"][..], &["a.py", "--json"]] {
            let text = run(&place, tool, args).text();
            assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{tool}: {text:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8_are_counted() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let place = repository();
    std::fs::write(place.root().join(OsStr::from_bytes(b"caf\xe9.py")), "x = 1\n").expect("a file");
    let mut command: Command = place.command("git");
    command.args(["-c", "commit.gpgsign=false", "add", "-A"]);
    Answer::of(command).expect_success();
    let mut command: Command = place.command("git");
    command.args(["commit", "-q", "-m", "Begin"]);
    for (name, value) in [("NAME", &b"Ren\xe9"[..]), ("EMAIL", b"r@example.org")] {
        command.env(format!("GIT_AUTHOR_{name}"), OsStr::from_bytes(value));
        command.env(format!("GIT_COMMITTER_{name}"), OsStr::from_bytes(value));
    }
    Answer::of(command).expect_success();
    let churn = json(&place, "churn", &[]);
    assert_eq!((&churn["status"], &churn["total"]), (&"ok".into(), &1.into()), "{churn}");
    let path = churn["files"][0]["path"].as_str().expect("a path");
    let owners = json(&place, "ownership", &[path]);
    assert!(owners["owners"][0]["author"].as_str().is_some_and(|it| it.starts_with("Ren")));
    assert_eq!(json(&place, "history", &[path])["total"], 1);
}

#[test]
fn a_reply_keeps_its_token_budget() {
    let place = repository();
    for file in 0..60 {
        place.write(format!("some/long/directory/name/file_{file}.py"), "x = 1\n");
    }
    commit(&place, "Begin");
    let reply = json(&place, "churn", &["--limit", "60", "--max-tokens", "500"]);
    let shown = reply["files"].as_array().expect("a list").len();
    assert!(shown > 1 && shown < 20, "{shown}");
    assert_eq!((&reply["shown"], &reply["total"]), (&shown.into(), &60.into()));
    assert_eq!(reply["truncated"], true);
}

#[test]
fn the_risk_of_a_file_has_its_components() {
    let place = repository();
    let body = |lines: usize| "x = 1\n".repeat(lines);
    for version in 0..4 {
        place.write("src/hot.py", format!("import os\n{}v = {version}\n", body(40)));
        place.write("src/pair.py", format!("from src import hot\nv = {version}\n"));
        commit(&place, "Fix both");
    }
    place.write("src/calm.py", body(3));
    place.write("tests/test_calm.py", "from src import calm\n\ndef test_it():\n    assert calm\n");
    commit(&place, "Add calm");
    place.index(&["--stage", "full"]).expect_success();
    let map = json(&place, "risk-map", &[]);
    assert_eq!((&map["status"], &map["total"]), (&"ok".into(), &3.into()), "{map}");
    let files = map["files"].as_array().expect("a list");
    assert_eq!(files[0]["path"], "src/hot.py", "{map}");
    let calm = files.iter().find(|file| file["path"] == "src/calm.py").expect("it is listed");
    assert_eq!(
        (&calm["tests"], &calm["breakdown"]["coverage_gap"]),
        (&1.into(), &0.0.into()),
        "{calm}"
    );
    assert!(calm["breakdown"]["churn"].as_f64() < files[0]["breakdown"]["churn"].as_f64());
    let weights = map["_meta"]["effective_weights"].as_object().expect("weights");
    let sum: f64 = weights.values().filter_map(Value::as_f64).sum();
    assert!((sum - 1.0).abs() < 0.01, "{map}");
    assert_eq!(map["_meta"]["absent_components"], serde_json::json!(["test_instability"]));
    // One scorer, one order.
    let triage = json(&place, "triage", &[]);
    for (a, b) in files.iter().zip(triage["files"].as_array().expect("a list")) {
        assert_eq!((&a["path"], &a["risk_score"]), (&b["path"], &b["risk_score"]));
    }
    let with_tests = json(&place, "risk-map", &["--exclude-tests", "false"]);
    assert_eq!(with_tests["total"], 4, "{with_tests}");
}

#[test]
fn without_commits_risk_is_partial() {
    let place = Place::new();
    place.write("a.py", "import b\n");
    place.write("b.py", "import a\n");
    place.index(&["--stage", "full"]).expect_success();
    let map = json(&place, "risk-map", &[]);
    assert_eq!((&map["status"], &map["total"]), (&"partial".into(), &2.into()), "{map}");
    assert!(map["hint"].is_string() && map["files"][0]["breakdown"]["churn"].is_null(), "{map}");
    assert_eq!(map["_meta"]["import_cycles"], serde_json::json!([["a.py", "b.py"]]), "{map}");
}

#[test]
fn the_evaluation_predicts_from_earlier_commits_only() {
    let place = repository();
    for version in 0..10 {
        place.write("a.py", format!("x = {version}\n"));
        place.write("b.py", format!("y = {version}\n"));
        commit(&place, "Change both");
    }
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["eval", "history", "--root"]).arg(place.root());
    let text = Answer::of(command).expect_success().text();
    assert!(text.contains("co-change: 4 predictions, hit@1 1.000 (baseline 1.000)"), "{text}");
}

#[test]
fn recorded_runs_and_coverage_are_components_of_risk() {
    let place = repository();
    place.write(
        "src/calc.py",
        "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n",
    );
    place.write(
        "tests/test_calc.py",
        "from src.calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    );
    commit(&place, "Begin");
    place.index(&["--stage", "full"]).expect_success();
    let data = |args: &[&str]| {
        let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
        command.arg("data").args(args);
        Answer::of(command).expect_success()
    };
    let report = place.base().join("lcov.info");
    let lines = "TN:\nSF:src/calc.py\nDA:1,1\nDA:2,1\nDA:5,1\nDA:6,0\nend_of_record\n";
    std::fs::write(&report, lines).expect("a file");
    data(&["coverage", report.to_str().expect("UTF-8")]);
    let runs = place.base().join("runs.jsonl");
    let result = concat!(
        r#"{"kind":"codedb","version":1}"#,
        "\n",
        r#"{"kind":"run","uid":"a","started_ms":1,"commit":null,"is_clean":false,"runner":"pytest","command":["pytest"],"exit_code":1,"status":"complete","results":[{"test":"tests/test_calc.py::test_add","attempt":0,"outcome":"failed","duration_ms":1.5}]}"#,
        "\n",
    );
    std::fs::write(&runs, result).expect("a file");
    data(&["import", runs.to_str().expect("UTF-8")]);
    let map = json(&place, "risk-map", &[]);
    let file = &map["files"][0];
    let gap = file["breakdown"]["coverage_gap"].as_f64().expect("a number");
    assert!(gap > 0.0 && gap < 1.0, "{map}");
    assert_eq!((&file["tests"], &file["breakdown"]["test_instability"]), (&1.into(), &1.0.into()));
    // An edit of one function leaves the coverage of the other.
    place.write(
        "src/calc.py",
        "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return b - a\n",
    );
    let map = json(&place, "risk-map", &[]);
    assert_eq!(map["files"][0]["breakdown"]["coverage_gap"], 0.0, "{map}");
}

#[test]
fn weights_of_the_repository_are_used_and_shown() {
    let place = repository();
    place.write("big.py", "x = 1\n".repeat(50));
    place.write("hot.py", "y = 0\n");
    commit(&place, "Begin");
    for version in 1..4 {
        place.write("hot.py", format!("y = {version}\n"));
        commit(&place, "Change hot");
    }
    let first = |map: &Value| map["files"][0]["path"].clone();
    place.write("codedb.toml", "[risk.weights]\nchurn = 0\ncoupling = 0\nsize = 1\n");
    let map = json(&place, "risk-map", &[]);
    assert_eq!((&map["status"], first(&map)), (&"ok".into(), "big.py".into()), "{map}");
    assert_eq!(map["_meta"]["weights_source"], "codedb.toml", "{map}");
    let weights = &map["_meta"]["effective_weights"];
    assert!(weights["size"].as_f64() > Some(0.8) && weights["churn"] == 0.0, "{map}");
    place.write("codedb.toml", "[risk.weights]\ncoupling = 0\nsize = 0\n");
    assert_eq!(first(&json(&place, "risk-map", &[])), "hot.py");
    place.write("codedb.toml", "[risk.weights]\nchurn = 2\n");
    for tool in ["risk-map", "triage"] {
        let map = json(&place, tool, &[]);
        assert_eq!(map["status"], "partial", "{map}");
        let message = map["message"].as_str().expect("a message");
        let expected = "`codedb.toml`: the risk weight `churn` must be a number from 0 to 1";
        assert!(message.starts_with(expected), "{message}");
        assert_eq!(map["_meta"]["weights_source"], "default", "{map}");
    }
}

#[test]
fn fifty_changed_files_are_brought_up_to_date_and_more_are_reported() {
    let place = repository();
    let source = |version: usize| format!("def one():\n    return {version}\n");
    let test = "from src.f00 import one\n\n\ndef test_one():\n    assert one()\n";
    for number in 0..60 {
        place.write(format!("src/f{number:02}.py"), source(0));
    }
    place.write("tests/test_f00.py", test);
    commit(&place, "Begin");
    settle();
    place.index(&["--stage", "full"]).expect_success();
    // Fifty files change, two of them so that the answer changes.
    let fresh = "\n\ndef fresh():\n    return 1\n";
    place.write("src/f00.py", source(1) + fresh);
    let of_fresh = "\n\ndef test_of_it():\n    from src.f00 import fresh\n    assert fresh()\n";
    place.write("tests/test_f00.py", format!("{test}{of_fresh}"));
    for number in 1..49 {
        place.write(format!("src/f{number:02}.py"), source(1));
    }
    let ask = || json(&place, "suggest-tests", &["src/f00.py", "--functions", "fresh"]);
    let is_found = |reply: &Value| reply["tests"][0]["test_id"] == "tests/test_f00.py::test_of_it";
    let reply = ask();
    assert!(reply["status"] == "ok" && is_found(&reply), "{reply}");
    place.write("src/f49.py", source(1));
    let reply = ask();
    assert!(reply["status"] == "stale" && is_found(&reply), "{reply}");
    let text = |name: &str| reply[name].as_str().unwrap_or_default().to_owned();
    assert!(text("message").starts_with("51 files changed"), "{reply}");
    assert!(text("hint").contains("`codedb index`"), "{reply}");
    assert_eq!(reply["next_steps"][0]["tool"], "codedb_start_job", "{reply}");
    assert_eq!(json(&place, "churn", &["src/f01.py"])["status"], "stale");
    // Metadata of files that were just written is not trusted.
    settle();
    place.index(&["--stage", "full"]).expect_success();
    assert_eq!(ask()["status"], "ok");
}

#[test]
fn records_belong_to_the_shard_that_owns_their_path() {
    let place = repository();
    place.write("shards.toml", "[shards]\ncore = \"libs/core\"\nweb = \"apps/web\"\n");
    place.write("libs/core/money.py", "def cents(price):\n    return price * 100\n");
    place.write(
        "apps/web/test_page.py",
        "from libs.core.money import cents\n\n\ndef test_cents():\n    assert cents(1) == 100\n",
    );
    commit(&place, "Begin");
    place.index(&["--stage", "full"]).expect_success();
    let test = "apps/web/test_page.py::test_cents";
    assert_eq!(json(&place, "record-result", &[test, "--passed", "true"])["shard"], "web");
    let lock = ["acquire", "libs/core/money.py", "--holder", "a"];
    assert_eq!(json(&place, "lock", &lock)["locks"][0]["shard"], "core");
    let elsewhere = ["acquire", "shards.toml", "--holder", "a"];
    assert!(json(&place, "lock", &elsewhere)["locks"][0]["shard"].is_null());
    // Queries aggregate over all shards, and a test in one covers code in another.
    assert_eq!(json(&place, "lock", &["list"])["total"], 2);
    let tests = json(&place, "suggest-tests", &["libs/core/money.py"]);
    assert_eq!(tests["tests"][0]["test_id"], test, "{tests}");
    let shards = &json(&place, "stats", &[])["shards"];
    assert_eq!(
        *shards,
        serde_json::json!([
            {"name": "core", "directory": "libs/core", "files": 1, "files_with_commits": 1},
            {"name": "web", "directory": "apps/web", "files": 1, "files_with_commits": 1}
        ])
    );
    place.write("shards.toml", "[shards]\ncore = \"../core\"\n");
    let answer = run(&place, "stats", &[]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    assert!(answer.stderr.contains("`shards.toml`: the shard `core`"), "{}", answer.stderr);
}

#[test]
fn files_of_one_package_are_no_import_partners() {
    let place = repository();
    place.write("go.mod", "module example.org/shop\n\ngo 1.22\n");
    place.write("cart/cart.go", "package cart\n\nfunc Add() {}\n");
    place.write("cart/price.go", "package cart\n\nfunc Of() {}\n");
    let import = "import \"example.org/shop/cart\"\n\n";
    place.write(
        "cart/cart_test.go",
        format!("package cart_test\n\n{import}func use() {{ cart.Add() }}\n"),
    );
    place.write("main.go", format!("package main\n\n{import}func main() {{ cart.Add() }}\n"));
    commit(&place, "Begin");
    let partners = |path: &str| {
        let reply = json(&place, "coupling", &[path]);
        let partners = reply["import_partners"].as_array().expect("a list").iter();
        let partner = |it: &Value| {
            (it["path"].as_str().expect("a path").to_owned(), it["confidence"].as_f64())
        };
        partners.map(partner).collect::<Vec<_>>()
    };
    assert_eq!(partners("cart/cart_test.go"), []);
    assert_eq!(partners("cart/cart.go"), [("main.go".to_owned(), Some(0.5))]);
}

#[test]
fn many_older_commits_outweigh_a_new_one() {
    let place = repository();
    let commit_at = |name: &str, year: u32, day: u32| {
        let date = format!("{year}-05-{day:02}T12:00:00Z");
        git_as(&place, name, &["add", "-A"]);
        let mut command: Command = place.command("git");
        let user = [format!("user.name={name}"), format!("user.email={name}@example.org")];
        command.args(["-c", &user[0], "-c", &user[1], "-c", "commit.gpgsign=false"]);
        command.args(["commit", "-q", "-m", "Change it"]).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        Answer::of(command).expect_success();
    };
    for day in 1..=18 {
        place.write("a.py", format!("x = {day}\n"));
        commit_at("ann", 2020, day);
    }
    place.write("a.py", "x = 0\n");
    commit_at("ben", 2024, 1);
    let reviewers = json(&place, "who-reviews", &["a.py"]);
    assert_eq!(reviewers["reviewers"][0]["author"], "ann", "{reviewers}");
    assert_eq!(reviewers["reviewers"][1]["author"], "ben", "{reviewers}");
}
