//! The first command of a tree that needs the code index: it waits for a background build.

use std::fs;
use std::io::Write as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::place::{Answer, Place, settle};

/// A tree whose index takes longer than the time in which nothing is shown.
fn large(files: usize) -> Place {
    let place = Place::new();
    for file in 0..files {
        let text: String = (0..200)
            .map(|at| format!("pub fn name_{file}_of_{at}() {{ name_{file}_of_0(); }}\n"))
            .collect();
        place.write(format!("d{}/f{file}.rs", file / 40), text);
    }
    settle();
    place
}

fn small() -> Place {
    let place = Place::new();
    place.write("src/lib.rs", "mod cart;\n\npub fn start() {\n    cart::add();\n}\n");
    place.write("src/cart.rs", "pub fn add() {}\n");
    settle();
    place
}

/// Runs a command that may start a background build.
fn run(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.codedb(args[0]);
    command.env("CODEDB_BACKGROUND", "1").args(&args[1..]);
    Answer::of(command)
}

/// Returns true if the code index is complete.
fn is_full(place: &Place) -> bool {
    let mut command = place.codedb("status");
    command.arg("--json");
    let status: Value = serde_json::from_slice(&Answer::of(command).stdout).expect("JSON");
    status["full"] == true
}

#[test]
fn commands_that_need_the_code_index_wait_for_it_in_silence() {
    for args in [
        &["callers", "add"][..],
        &["symbol", "add"],
        &["explain", "add"],
        &["callpath", "start", "add"],
        &["deps", "src/cart.rs"],
        &["word", "add"],
    ] {
        let place = small();
        let answer = run(&place, &[args, &["--wait-ms", "60000"]].concat()).expect_success();
        place.wait_for_builders();
        assert!(is_full(&place), "{args:?}");
        // With an index, nothing is waited for.
        assert_eq!(run(&place, args), answer, "{args:?}");
    }
}

#[test]
fn commands_that_read_files_do_not_wait() {
    let place = small();
    for args in [&["outline", "src/cart.rs"][..], &["read", "src/cart.rs"], &["find", "cart"]] {
        let answer = run(&place, &[args, &["--wait-ms", "1"]].concat());
        assert_eq!(answer.code, 2, "`{}` has no flag for a wait", args[0]);
        run(&place, args).expect_success();
    }
    place.wait_for_builders();
}

#[test]
fn an_answer_before_the_index_is_complete_reports_what_is_missing() {
    let place = large(1_200);
    let answer = run(&place, &["callers", "name_7_of_0", "--json", "--wait-ms", "1"]);
    let reply: Value = serde_json::from_slice(&answer.stdout).expect("JSON");
    assert_eq!(reply["status"], "partial", "{}", answer.stderr);
    assert!(reply["files_unknown"].as_u64().is_some_and(|files| files > 0), "{reply}");
    // It may tell how far the build is.
    let words = ["not indexed yet", "; results may be incomplete"];
    assert!(words.iter().all(|words| answer.stderr.contains(words)), "{}", answer.stderr);
    // Scripts get no other message.
    let is_of_wait = |line: &str| line.contains("waiting for") || line.contains("is not complete");
    assert!(!answer.stderr.lines().any(is_of_wait), "{}", answer.stderr);
    place.wait_for_builders();
}

/// Returns true if a file of this name is below `folder`.
fn has_file(folder: &Path, name: &str) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.file_name() == name || has_file(&entry.path(), name))
}

#[test]
fn ending_the_processes_of_a_terminal_leaves_the_build_running() {
    let place = large(800);
    let mut command = place.codedb("callers");
    command.env("CODEDB_BACKGROUND", "1").args(["name_7_of_0", "--wait-ms", "60000"]);
    // Ctrl-C reaches the whole process group. Shells start background jobs with SIGINT ignored.
    command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn().expect("the program starts");
    // The build runs once it writes its progress.
    let started = Instant::now();
    while !has_file(&place.cache(), "progress") {
        assert!(started.elapsed() < Duration::from_secs(60), "no build starts");
        thread::sleep(Duration::from_millis(5));
    }
    let group = format!("-{}", child.id());
    let killed = Command::new("kill").args(["-TERM", "--", &group]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    assert_eq!(child.wait().expect("it ends").signal(), Some(15));
    place.wait_for_builders();
    assert!(is_full(&place));
}

/// Returns a command on a terminal; `None` if the program `script` is not installed.
fn terminal(place: &Place, args: &[&str]) -> Option<Command> {
    let words = place.codedb_words(args[0]);
    let words = words.iter().map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.chain(args[1..].iter().map(|&word| word.to_owned())).collect();
    let exists = Command::new("script").arg("--version").output().is_ok();
    let mut command = place.command("script");
    command.env("CODEDB_BACKGROUND", "1").env("TERM", "xterm").env("SHELL", "/bin/sh");
    // A shell that stays would be ended by Ctrl-C as well, and its exit status would count.
    command.args(["-qec", &format!("exec {}", words.join(" ")), "/dev/null"]);
    exists.then_some(command)
}

/// Returns the output of a command on a terminal; `None` if the program `script` is not installed.
fn on_terminal(place: &Place, args: &[&str]) -> Option<String> {
    terminal(place, args).map(|command| Answer::of(command).text())
}

#[test]
fn a_terminal_shows_a_progress_bar() {
    let place = large(800);
    let call = ["callers", "name_7_of_0", "--wait-ms", "60000"];
    let Some(text) = on_terminal(&place, &call) else { return };
    assert!(text.contains("/800"), "{text:?}");
    assert!(text.contains("200 callers"), "{text:?}");
    place.wait_for_builders();
    let again = on_terminal(&place, &call).expect("it is installed");
    assert!(!again.contains("files, "), "nothing is waited for: {again:?}");
    let place = large(800);
    let quiet = on_terminal(&place, &[&call[..], &["--no-progress"]].concat());
    assert!(quiet.is_some_and(|text| !text.contains("/800")));
    place.wait_for_builders();
}

#[test]
fn on_a_terminal_the_first_command_waits_until_the_index_is_built() {
    // Its build takes longer than the wait of a command without a terminal.
    let place = large(800);
    let Some(text) = on_terminal(&place, &["callers", "name_7_of_0"]) else { return };
    assert!(text.contains("/800"), "{text:?}");
    assert!(text.contains("200 callers") && !text.contains("not indexed yet"), "{text:?}");
    // The builder publishes what no answer waits for a moment later.
    place.wait_for_builders();
    assert!(is_full(&place));
}

#[test]
fn ctrl_c_on_a_terminal_answers_with_what_is_there() {
    let place = large(800);
    let Some(mut command) = terminal(&place, &["callers", "name_7_of_0"]) else { return };
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let started = Instant::now();
    while !has_file(&place.cache(), "progress") {
        assert!(started.elapsed() < Duration::from_secs(60), "no build starts");
        thread::sleep(Duration::from_millis(5));
    }
    // The terminal turns it into SIGINT for the foreground processes.
    child.stdin.take().expect("a pipe").write_all(b"\x03").expect("written");
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("the index is not complete yet"), "{text:?}");
    assert!(text.contains("not indexed yet"), "{text:?}");
    assert_ne!(output.status.code(), Some(130), "{text:?}");
    place.wait_for_builders();
    assert!(is_full(&place));
}

#[test]
fn commands_that_need_commits_wait_for_them() {
    let place = small();
    place.git(&["init", "-q"]);
    for number in 0..400 {
        place.git(&["commit", "-q", "--allow-empty", "-m", &format!("Commit {number}")]);
    }
    place.git(&["add", "."]);
    place.git(&["commit", "-q", "-m", "Add the cart"]);
    let answer = run(&place, &["history", "src/cart.rs", "--wait-ms", "60000"]).expect_success();
    place.wait_for_builders();
    assert!(answer.text().contains("Add the cart"), "{}", answer.text());
    assert_eq!(run(&place, &["history", "src/cart.rs"]).text(), answer.text());
}
