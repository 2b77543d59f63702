//! `codedb pick` on a terminal, which `script` provides: what is printed and opened, and that the terminal is
//! restored.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::place::{Answer, Place};
use crate::support::skipped;

/// The longest wait for what a terminal shows.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What the screen has when the definitions are listed. Only what differs is drawn, so that words are waited
/// for which nothing before had at their place.
const LISTED: &str = "price.py:1";

/// What ends the other screen of a terminal.
const RESTORED: &str = "\u{1b}[?1049l";

fn place() -> Place {
    let place = Place::new();
    let cart = "class Cart:\n    def add(self, line):\n        pass\n\n    def total(self):\n        return 0\n";
    place.write("src/cart.py", cart);
    place.write(
        "src/price.py",
        "def of(cents):\n    return cents\n\n\ndef half(cents):\n    return of(cents / 2)\n",
    );
    place
}

/// A command line on a terminal of 24 rows and 80 columns.
struct Session {
    child: Child,
    input: ChildStdin,
    shown: Arc<Mutex<Vec<u8>>>,
}

impl Session {
    /// Starts a line of a shell; `None` if the program `script` is missing, or differs from that of Linux.
    fn start(place: &Place, line: &str, set: impl FnOnce(&mut Command)) -> Option<Session> {
        let version = Command::new("script").arg("--version").output().ok()?;
        if !String::from_utf8_lossy(&version.stdout).contains("util-linux") {
            return None;
        }
        let line = format!("stty rows 24 cols 80; {line}");
        let mut command = place.command("script");
        command
            .env("TERM", "xterm")
            .env_remove("VISUAL")
            .env_remove("EDITOR")
            .env("SHELL", "/bin/sh");
        command.args(["-qec", &line, "/dev/null"]);
        set(&mut command);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("`script` can be started");
        let shown = Arc::new(Mutex::new(Vec::new()));
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let to = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut output = output.expect("it is piped");
            let mut bytes = [0; 4096];
            while let Ok(len @ 1..) = output.read(&mut bytes) {
                to.lock().expect("no panic").extend_from_slice(&bytes[..len]);
            }
        });
        Some(Session { child, input: input.expect("it is piped"), shown })
    }

    fn shown(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().expect("no panic")).into_owned()
    }

    /// Waits until the terminal was sent `text`.
    #[track_caller]
    fn wait_for(&self, text: &str) {
        let started = Instant::now();
        while !self.shown().contains(text) {
            assert!(started.elapsed() < TIMEOUT, "no {text:?} in {:?}", self.shown());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn enter(&mut self, keys: &str) {
        self.input.write_all(keys.as_bytes()).expect("the terminal reads");
        self.input.flush().expect("the terminal reads");
    }

    /// Waits for the end; returns what was shown and the exit code.
    #[track_caller]
    fn end(mut self) -> (String, i32) {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it was started") {
                break status;
            }
            if started.elapsed() > TIMEOUT {
                drop(self.child.kill());
                panic!("hangs: {:?}", self.shown());
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        (self.shown(), status.code().unwrap_or(-1))
    }
}

fn quoted(words: &[OsString]) -> String {
    let quoted = |word: &OsString| format!("'{}'", word.to_string_lossy().replace('\'', "'\\''"));
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Returns the command line of `codedb pick` with `args`.
fn line(place: &Place, args: &str) -> String {
    format!("{} {args}", quoted(&place.codedb_words("pick")))
}

/// Starts a session, or reports that it cannot and returns from the test.
macro_rules! session {
    ($place:expr, $line:expr, $set:expr) => {
        match Session::start($place, $line, $set) {
            Some(session) => session,
            None => {
                skipped::report("`script` of util-linux is not installed");
                return;
            }
        }
    };
}

#[test]
fn without_a_terminal_it_names_the_commands_for_scripts() {
    let place = place();
    for args in [&[][..], &["files"], &["--print"], &["lines"]] {
        let mut command = place.codedb("pick");
        command.args(args);
        let answer = Answer::of(command);
        assert_eq!((answer.code, answer.text().as_str()), (2, ""), "{args:?}");
        assert_eq!(
            answer.stderr,
            "codedb: `codedb pick` needs a terminal; in scripts use `codedb symbol` and `codedb find`\n\
             hint: `codedb pick --list` prints every name, for another finder\n"
        );
    }
}

#[test]
fn everything_is_listed_for_other_finders() {
    let place = place();
    place.write("docs/read me.md", "# Cart\n");
    let run = |args: &[&str]| {
        let mut command = place.codedb("pick");
        command.args(args).arg("--list");
        let answer = Answer::of(command);
        (answer.text(), answer.code)
    };
    let list = |args: &[&str]| -> Vec<String> {
        let mut lines: Vec<String> = run(args).0.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(
        list(&[]),
        [
            "src/cart.py:1:Cart",
            "src/cart.py:2:Cart.add",
            "src/cart.py:5:Cart.total",
            "src/price.py:1:of",
            "src/price.py:5:half"
        ]
    );
    assert_eq!(list(&["files"]), ["docs/read me.md", "src/cart.py", "src/price.py"]);
    assert_eq!(run(&["cart"]).0.lines().next(), Some("src/cart.py:1:Cart"));
    assert_eq!(run(&["symbols", "tot"]), ("src/cart.py:5:Cart.total\n".to_owned(), 0));
    assert_eq!(
        run(&["lines", "cents / 2"]),
        ("src/price.py:6:return of(cents / 2)\n".to_owned(), 0)
    );
    assert_eq!(run(&["callers", "of"]), ("src/price.py:6:return of(cents / 2)\n".to_owned(), 0));
    assert_eq!(run(&["symbols", "zzz"]), (String::new(), 1));
    assert_eq!(run(&["callers", "offf"]).1, 1);
    assert_eq!(run(&["lines"]).1, 2);
    assert_eq!(run(&["lines", "("]).1, 2);
}

#[test]
fn what_is_chosen_is_printed_where_the_output_is_no_terminal() {
    let place = place();
    let line = line(&place, "> chosen; code=$?; stty -a | grep -o -- '-*icanon'; exit $code");
    let mut session = session!(&place, &line, |_| ());
    session.wait_for(LISTED);
    // Tab marks, and the list is filtered anew.
    session.enter("total\t\u{15}of\t\r");
    let (shown, code) = session.end();
    assert_eq!(code, 0, "{shown:?}");
    let chosen = std::fs::read_to_string(place.root().join("chosen")).unwrap_or_default();
    assert_eq!(chosen, "src/cart.py:5\nsrc/price.py:1\n");
    // The modes of the terminal are as before.
    let after = shown.rsplit_once(RESTORED).map(|(_, after)| after).unwrap_or_default();
    assert!(after.contains("icanon") && !after.contains("-icanon"), "{shown:?}");
}

#[test]
fn leaving_chooses_nothing() {
    let place = place();
    for key in ["\u{1b}", "\u{3}", "\u{7}"] {
        let mut session = session!(&place, &line(&place, "files"), |_| ());
        session.wait_for("files>");
        session.enter(key);
        let (shown, code) = session.end();
        assert_eq!(code, 1, "{key:?}: {shown:?}");
        let after = shown.rsplit_once(RESTORED).map(|(_, after)| after).unwrap_or_default();
        assert!(!after.contains("src/"), "{key:?}: {shown:?}");
    }
}

#[test]
#[cfg(unix)]
fn the_editor_opens_the_line_and_no_shell_sees_the_name() {
    use std::os::unix::fs::PermissionsExt;
    let place = place();
    place.write("src/$(touch owned) b.py", "def hostile():\n    pass\n");
    let editor = place.base().join("vim");
    std::fs::write(&editor, "#!/bin/sh\nprintf '%s\\n' \"$@\" > edited\n").expect("a file");
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).expect("it is there");
    let visual = format!("{} -c 'set nu'", editor.display());
    let mut session = session!(&place, &line(&place, ""), |command| {
        command.env("VISUAL", visual).env("EDITOR", "false");
    });
    session.wait_for(LISTED);
    session.enter("hostile\t\u{15}total\t\r");
    let (shown, code) = session.end();
    assert_eq!(code, 0, "{shown:?}");
    let edited = std::fs::read_to_string(place.root().join("edited")).unwrap_or_default();
    assert_eq!(edited, "-c\nset nu\n+1\nsrc/$(touch owned) b.py\nsrc/cart.py\n");
    assert!(!place.root().join("owned").exists());
}

#[test]
#[cfg(unix)]
fn an_editor_that_is_missing_or_fails_is_named() {
    let place = place();
    for (editor, message) in [
        ("no-such-editor-here", "cannot start the editor `no-such-editor-here`"),
        ("false", "the editor `false` failed"),
    ] {
        let mut session = session!(&place, &line(&place, ""), |command| {
            command.env("EDITOR", editor);
        });
        session.wait_for(LISTED);
        session.enter("total\r");
        let (shown, code) = session.end();
        assert_eq!(code, 2, "{shown:?}");
        let after = shown.rsplit_once(RESTORED).map(|(_, after)| after).unwrap_or_default();
        assert!(after.contains(message), "{shown:?}");
    }
}

#[test]
fn lines_are_searched_while_they_are_typed_and_callers_by_name() {
    let place = place();
    let mut session = session!(&place, &line(&place, "lines --print=vi > chosen"), |_| ());
    session.wait_for("lines>");
    session.enter("cents.*2");
    session.wait_for("price.py:6");
    session.enter("\r");
    let (shown, code) = session.end();
    assert_eq!(code, 0, "{shown:?}");
    let chosen = || std::fs::read_to_string(place.root().join("chosen")).unwrap_or_default();
    assert_eq!(chosen(), "+6 src/price.py\n");

    let mut session = session!(&place, &line(&place, "callers of > chosen"), |_| ());
    session.wait_for("price.py:6");
    session.enter("\r");
    assert_eq!(session.end().1, 0);
    assert_eq!(chosen(), "src/price.py:6\n");

    let session = session!(&place, &line(&place, "callers offf"), |_| ());
    let (shown, code) = session.end();
    assert_eq!(code, 1, "{shown:?}");
    let after = shown.rsplit_once(RESTORED).map(|(_, after)| after).unwrap_or_default();
    assert!(after.contains("offf"), "{shown:?}");
}

#[test]
fn callers_without_a_name_are_those_of_the_definition_that_is_chosen() {
    let place = place();
    // Another definition with the name, without calls.
    place.write("src/other.py", "def of():\n    pass\n");
    let mut session = session!(&place, &line(&place, "callers > chosen"), |_| ());
    session.wait_for(LISTED);
    session.enter("of price\r");
    // Enter has no effect until the calls are listed.
    let started = Instant::now();
    while session.child.try_wait().expect("it was started").is_none() {
        assert!(started.elapsed() < TIMEOUT, "hangs: {:?}", session.shown());
        drop(session.input.write_all(b"\r"));
        drop(session.input.flush());
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(session.end().1, 0);
    let chosen = std::fs::read_to_string(place.root().join("chosen")).unwrap_or_default();
    assert_eq!(chosen, "src/price.py:6\n");

    let mut session = session!(&place, &line(&place, "callers"), |_| ());
    session.wait_for("callers of>");
    session.enter("\u{1b}");
    assert_eq!(session.end().1, 1);

    let mut list = place.codedb("pick");
    list.args(["callers", "--list"]);
    let list = Answer::of(list);
    assert_eq!((list.code, list.text().as_str()), (2, ""));
    assert!(list.stderr.contains("missing name: whose callers?"), "{}", list.stderr);
}

/// Starts a session after `before`, a start of a command line, that writes its process id to a file;
/// returns both.
fn with_pid_after(before: &str, place: &Place) -> Option<(Session, String)> {
    let command = line(place, "");
    let line = format!("{before}sh -c 'echo $$ > pid; exec \"$@\"' sh {command}; stty -a");
    let session = Session::start(place, &line, |_| ())?;
    session.wait_for(LISTED);
    let pid = std::fs::read_to_string(place.root().join("pid")).unwrap_or_default();
    Some((session, pid.trim().to_owned()))
}

fn with_pid(place: &Place) -> Option<(Session, String)> {
    with_pid_after("", place)
}

#[test]
#[cfg(unix)]
fn a_signal_ends_it_with_the_terminal_restored() {
    for signal in ["-TERM", "-HUP", "-INT"] {
        let place = place();
        let Some((session, pid)) = with_pid(&place) else {
            return skipped::report("`script` of util-linux is not installed");
        };
        let killed = Command::new("kill").args([signal, &pid]).status();
        assert!(killed.is_ok_and(|status| status.success()));
        let (shown, _) = session.end();
        let after = shown.rsplit_once(RESTORED).map(|(_, after)| after).unwrap_or_default();
        assert!(after.contains(" icanon"), "{signal}: {shown:?}");
    }
}

/// The wait for a key did not end, and took a whole processor; also where the shell ignores the signal, so
/// that none is sent to the finder.
#[test]
#[cfg(unix)]
fn a_terminal_that_hangs_up_ends_it() {
    for before in ["", "trap '' HUP; "] {
        let place = place();
        let Some((mut session, pid)) = with_pid_after(before, &place) else {
            return skipped::report("`script` of util-linux is not installed");
        };
        session.child.kill().expect("it runs");
        session.child.wait().expect("it was started");
        let started = Instant::now();
        let state = || {
            let output = Command::new("ps").args(["-o", "stat=", "-p", &pid]).output();
            output
                .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
                .unwrap_or_default()
        };
        // A zombie ended, too.
        while !matches!(state().trim().chars().next(), None | Some('Z')) {
            assert!(started.elapsed() < TIMEOUT, "{before:?}: process {pid} still runs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Returns the script with the keys of a shell.
fn keys(place: &Place, shell: &str) -> String {
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["completions", "--keys", shell]);
    Answer::of(command).expect_success().text()
}

#[test]
fn key_bindings_are_accepted_by_their_shells() {
    let place = place();
    for shell in ["bash", "zsh", "fish"] {
        let script = place.base().join(format!("keys.{shell}"));
        std::fs::write(&script, keys(&place, shell)).expect("a file can be written");
        let mut command = place.command(shell);
        command.arg("-n").arg(&script);
        match command.output() {
            Ok(output) => assert!(output.status.success(), "{shell}: {output:?}"),
            Err(_) => skipped::report(&format!("`{shell}` is not installed")),
        }
    }
}

#[test]
fn keys_of_bash_insert_what_was_picked() {
    let place = place();
    std::fs::write(place.base().join("keys"), keys(&place, "bash")).expect("a file can be written");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_codedb"));
    let folder = program.parent().unwrap_or(program).display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let mut session = session!(&place, "exec bash --norc --noprofile -i", |command| {
        command.env("PATH", path).env("PS1", "ready> ").env("CODEDB_INDEX_DIR", place.cache());
        command.env_remove("BASH_ENV").env("INPUTRC", "/dev/null");
    });
    session.wait_for("ready> ");
    session.enter(". ../keys; echo $?sourced\n");
    session.wait_for("0sourced");
    session.enter("echo ==");
    session.wait_for("echo ==");
    // Between the two.
    session.enter("\u{2}\u{7}s");
    session.wait_for(LISTED);
    session.enter("half\t\u{15}total\t\r");
    session.wait_for("=src/price.py:5");
    session.enter("\n");
    session.wait_for("=src/price.py:5 src/cart.py:5 =\r\n");
    session.enter("exit\n");
    session.end();
}
