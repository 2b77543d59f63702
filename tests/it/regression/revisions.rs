//! From commits to a report: a small package with a bench that reports fixed times.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::gate;
use super::gate::corpus::cache::Cache;
use super::gate::corpus_ready;
#[cfg(unix)]
use super::gate::run_lock::RunLock;

const MANIFEST: &str = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
const BENCH: &str = "[[bench]]\nname = \"cases\"\nharness = false\n";

/// A bench with two cases; `NS` and `REPLY` are placeholders.
const CASES: &str = r##"
use std::io::BufRead;
fn main() {
    if std::env::args().any(|it| it == "--prepare") {
        return;
    }
    println!("{}", concat!(
        r#"{"protocol":1,"corpus":"c","cases":["#,
        r#"{"name":"tool/a/one","tool":"a","reply":"REPLY"},"#,
        r#"{"name":"tool/b/two","tool":"b","reply":"r"}]}"#,
    ));
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let digits: String = line.chars().filter(char::is_ascii_digit).collect();
        println!("{{\"nanoseconds\":{}}}", digits.parse::<u64>().unwrap() * NS);
    }
}
"##;

/// A repository with a commit for each state of the package, tagged by its name.
struct Small {
    folder: tempfile::TempDir,
}

impl Small {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let small = Self { folder };
        small.git(&["init", "--quiet", "--initial-branch", "main"]);
        small.write("Cargo.toml", MANIFEST);
        small.write("src/lib.rs", "");
        small.write(".gitignore", "/target\n/work\n/report\n");
        small.write("benches/thresholds.toml", super::DEFAULT);
        small.commit("plain", "No bench yet");
        small.write("Cargo.toml", &format!("{MANIFEST}{BENCH}"));
        small.cases(2_000_000, "r");
        small.commit("cases", "Cases");
        small.cases(2_500_000, "r");
        small.commit("slower", "Slower\n\nbench-waive: tool/a/one: it does more");
        small.cases(2_000_000, "other");
        small.commit("other", "Another answer");
        small.cases(2_000_000, "\"# does not build");
        small.commit("broken", "Broken");
        small
    }

    fn cases(&self, nanoseconds: u32, reply: &str) {
        let text = CASES.replace("NS", &nanoseconds.to_string()).replace("REPLY", reply);
        self.write("benches/cases.rs", &text);
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().expect("it has a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    fn commit(&self, tag: &str, message: &str) {
        if tag != "plain" {
            let lock = Command::new(env!("CARGO"))
                .args(["generate-lockfile", "--offline"])
                .current_dir(self.folder.path())
                .output()
                .expect("cargo runs");
            assert!(lock.status.success(), "{}", String::from_utf8_lossy(&lock.stderr));
        }
        self.git(&["add", "--all"]);
        self.git(&[
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@b",
            "commit",
            "--quiet",
            "-m",
            message,
        ]);
        self.git(&["tag", tag]);
    }

    fn git(&self, arguments: &[&str]) {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.folder.path())
            .output()
            .expect("git runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Runs the report and returns its exit code and what it wrote as JSON.
    fn compare(&self, base: &str, head: &str) -> (ExitCode, Value) {
        let at = |name: &str| self.folder.path().join(name).display().to_string();
        let (root, work, out) = (at("."), at("work"), at("report"));
        let arguments = [
            "--bench",
            "--base",
            base,
            "--head",
            head,
            "--repository",
            &root,
            "--work",
            &work,
            "--out",
            &out,
            "--profile",
            "small",
            "--no-instructions",
            "--seconds",
            "3",
        ];
        let _ = fs::remove_dir_all(self.folder.path().join("report"));
        let code = gate::run(arguments.map(Into::into).into_iter());
        let text = fs::read_to_string(self.folder.path().join("report/report.json"));
        let json = text.ok().and_then(|text| serde_json::from_str(&text).ok());
        (code, json.unwrap_or_default())
    }
}

fn statuses(report: &Value) -> Vec<&str> {
    let cases = report["cases"].as_array().into_iter().flatten();
    cases.map(|case| case["status"].as_str().unwrap_or_default()).collect()
}

#[test]
fn revisions_are_built_compared_and_reported() {
    let small = Small::new();

    let (code, report) = small.compare("cases", "cases");
    assert_eq!(statuses(&report), ["OK", "OK"], "{report:#}");
    assert_eq!(code, ExitCode::SUCCESS);

    // The message of the slower commit waives one of its two cases.
    let (code, report) = small.compare("cases", "slower");
    assert_eq!(statuses(&report), ["WAIVED", "FAIL"], "{report:#}");
    assert_eq!(code, ExitCode::from(1));

    let (code, report) = small.compare("slower", "other");
    assert_eq!(statuses(&report), ["INCOMPARABLE", "OK"], "{report:#}");
    assert_eq!(code, ExitCode::from(1));

    let (code, report) = small.compare("plain", "cases");
    assert_eq!(statuses(&report), ["NEW", "NEW"], "{report:#}");
    assert!(report["remarks"][0].as_str().is_some_and(|it| it.contains("no bench `cases` yet")));
    assert_eq!(code, ExitCode::SUCCESS);

    let (code, report) = small.compare("cases", "broken");
    assert!(report["faults"][0].as_str().is_some_and(|it| it.contains("does not build")));
    assert_eq!(code, ExitCode::from(1));

    let (code, report) = small.compare("cases", "no-such-revision");
    assert!(report["faults"][0].as_str().is_some_and(|it| it.contains("is not a commit")));
    assert_eq!(code, ExitCode::from(1));

    // Nothing remains in the repository: no registered work tree, no changed index.
    let root = small.folder.path();
    assert!(!root.join(".git/worktrees").exists());
    assert_eq!(porcelain(root), "");
}

/// The corpus is checked before anything is built, and the message names the command that fetches
/// it.
#[test]
fn a_missing_corpus_is_reported_before_the_builds() {
    let small = Small::new();
    let manifest = "package = []\n[profile.small]\nchecksum = \"00000000000000000000000000000000\"\nhead = \"0\"\n\
                    subjects = 1\n[profile.full]\nchecksum = \"00000000000000000000000000000001\"\n\
                    head = \"0\"\nsubjects = 1\n";
    small.write("bench-corpus/manifest.toml", manifest);
    small.commit("corpus", "A corpus");
    let (code, report) = small.compare("cases", "corpus");
    let fault = report["faults"][0].as_str().unwrap_or_default();
    assert!(fault.contains("the corpus `small` is not ready"), "{report:#}");
    assert!(fault.contains("`cargo bench --bench cases -- --fetch --profile small`"), "{report:#}");
    assert_eq!(code, ExitCode::from(1));
    let built = ["base", "head"].map(|side| small.folder.path().join("work").join(side).exists());
    assert_eq!(built, [false, false], "nothing is built");
}

/// A fetch is offered, and refused by default.
#[test]
fn a_missing_corpus_is_fetched_if_the_user_agrees() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let cache = Cache::at(place.path().join("cache"));
    let tree = place.path().join("tree");
    fs::create_dir_all(tree.join("bench-corpus")).expect("a directory");
    // The corpus is empty, so that nothing is downloaded; its checksum is wrong.
    let profile = "checksum = \"00000000000000000000000000000000\"\nhead = \"0\"\nsubjects = 1\n";
    let manifest = format!("package = []\n[profile.small]\n{profile}[profile.full]\n{profile}");
    fs::write(tree.join("bench-corpus/manifest.toml"), manifest).expect("a file");

    let refused = corpus_ready::check(&tree, "small", &cache, &|_| false).expect_err("no corpus");
    assert!(
        refused.contains("`cargo bench --bench cases -- --fetch --profile small`"),
        "{refused}"
    );
    assert!(refused.ends_with(&format!("(run it in {})", tree.display())), "{refused}");
    assert!(!place.path().join("cache").exists(), "nothing is fetched");
    let agree = |missing: &str| missing.starts_with("the corpus `small` is not ready");
    let fetched = corpus_ready::check(&tree, "small", &cache, &agree).expect_err("the checksum");
    assert!(fetched.contains("another checksum than the manifest says"), "{fetched}");

    // Tests have no terminal, or run in continuous integration where nobody answers.
    if std::env::var_os("CI").is_some() || !std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        assert!(!corpus_ready::confirm("the corpus is missing"));
    }
    let answers = ["y\n", "Yes\n", "\n", "", "n\n", "yesterday\n"].map(corpus_ready::is_yes);
    assert_eq!(answers, [true, true, false, false, false, false]);
}

/// A process that another thread starts inherits the lock's file for a moment; the lock must be free
/// nevertheless as soon as the run has ended.
#[cfg(unix)]
#[test]
fn the_lock_is_free_after_a_run() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let has_ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !has_ended.load(Ordering::Relaxed) {
                    Command::new("true").current_dir("/").status().expect("`true` runs");
                }
            });
        }
        let refused = (0..2000).find_map(|_| RunLock::take(place.path()).err());
        has_ended.store(true, Ordering::Relaxed);
        assert_eq!(refused, None);
    });
}

#[test]
fn only_one_run_at_a_time() {
    let small = Small::new();
    let work = small.folder.path().join("work");
    fs::create_dir_all(&work).expect("a directory");
    let lock = fs::File::create(work.join("lock")).expect("a file");
    lock.lock().expect("it is not locked");
    let (code, report) = small.compare("cases", "cases");
    assert_eq!((code, report), (ExitCode::from(2), Value::Null));
}

#[test]
fn invalid_options_are_refused() {
    for wrong in [&["--profile", "huge"][..], &["--seconds", "x"], &["--trial"], &["--what"]] {
        let code = gate::run(wrong.iter().map(Into::into));
        assert_eq!(code, ExitCode::from(2), "{wrong:?}");
    }
    assert_eq!(gate::run(["--help".into()].into_iter()), ExitCode::SUCCESS);
    assert_eq!(gate::run(std::iter::empty()), ExitCode::SUCCESS, "it only prints the help");
}

fn porcelain(root: &Path) -> String {
    let output = Command::new("git")
        .args(["status", "--porcelain"])
        .current_dir(root)
        .output()
        .expect("git");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
