//! Runs programs on the machine of a node: this one, or another one through the node's command.
//!
//! A program is never given to a shell as text. Where the node's command is `ssh`, which joins its arguments
//! for the other machine's shell, each argument is quoted.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use super::config::Node;
use crate::base::text;

/// Bytes of a program's output that are kept. The rest is read and dropped.
const OUTPUT_BYTES_MAX: usize = 1 << 20;

/// The maximum size of a piece of it.
const PIECE_BYTES: usize = 64 << 10;

/// How long a pipe that another process holds is waited for.
const PIPE_PATIENCE: Duration = Duration::from_secs(1);

/// The characters of a program's message that are reported.
const MESSAGE_CHARS_MAX: usize = 300;

/// The time limit of a program: that of cloning or indexing one large repository.
const PATIENCE: Duration = Duration::from_secs(2 * 60 * 60);

/// How long a program that is asked to end may take: git removes its locks then.
#[cfg(unix)]
const END_PATIENCE: Duration = Duration::from_secs(5);

/// The longest pause between two checks of whether a program has exited.
const PAUSE_MAX: Duration = Duration::from_millis(20);

/// The exit code of shells and of `env` for a program that is not installed.
const NOT_INSTALLED: i32 = 127;

/// The exit code of `ssh` for a machine that cannot be reached.
const NOT_REACHED: i32 = 255;

/// Commands that hand their arguments to a shell.
const SHELLS: &[&str] = &["ssh", "autossh"];

/// The machine of a node.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The command to which programs are appended; empty for this machine.
    command: Vec<String>,
    is_quoted: bool,
}

/// What an exited program leaves.
#[derive(Debug)]
pub struct Exited {
    /// The start of its standard output.
    pub stdout: Vec<u8>,
    /// The start of its standard error.
    pub stderr: String,
    /// Whether its exit code is 0.
    pub is_success: bool,
}

/// Why a program did not run to its end.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Failure {
    /// The machine cannot be used: it is not reached, or a program is missing.
    Machine(String),
    /// The program failed, or exceeded a limit.
    Program(String),
    /// The caller has cancelled the operation.
    Cancelled,
}

impl Machine {
    /// Returns the machine of a node.
    pub fn of(node: &Node) -> Machine {
        let command = node.command.clone();
        let name = command.first().and_then(|program| Path::new(program).file_stem());
        let is_quoted = name.is_some_and(|name| SHELLS.iter().any(|shell| name == *shell));
        Machine { command, is_quoted }
    }

    /// Returns true if programs run on this machine directly.
    pub fn is_this(&self) -> bool {
        self.command.is_empty()
    }

    /// Runs `program` on the machine until it exits or `is_cancelled` returns true. Time is that of the
    /// program, at most two hours.
    ///
    /// # Errors
    ///
    /// If the program cannot run to its end; that it exits with another code than 0 is no error.
    pub fn run(
        &self,
        program: Command,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Exited, Failure> {
        if is_cancelled() {
            return Err(Failure::Cancelled);
        }
        let name = program.get_program().to_string_lossy().into_owned();
        let mut command = if self.is_this() { program } else { self.wrapped(&program) };
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C is for the caller, which ends the program.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                let first = self.command.first().map_or(name.as_str(), String::as_str);
                Failure::Machine(not_installed(first))
            }
            _ => Failure::Machine(format!("cannot run `{name}`: {error}")),
        })?;
        let stdout = start_of(child.stdout.take());
        let stderr = start_of(child.stderr.take());
        let status = wait(&mut child, &name, is_cancelled)?;
        let (stdout, stderr) = (collected(&stdout), collected(&stderr));
        let stderr = String::from_utf8_lossy(&stderr).into_owned();
        match status.code() {
            Some(NOT_INSTALLED) => Err(Failure::Machine(not_installed(&name))),
            Some(NOT_REACHED) if self.is_quoted => Err(Failure::Machine(format!(
                "`{}` does not reach it: {}",
                self.command.join(" "),
                message(&stderr)
            ))),
            _ => Ok(Exited { stdout, stderr, is_success: status.success() }),
        }
    }

    /// Returns the command that runs `program` with its arguments and environment on another machine.
    fn wrapped(&self, program: &Command) -> Command {
        let mut words: Vec<OsString> = Vec::new();
        let (set, removed): (Vec<_>, Vec<_>) =
            program.get_envs().partition(|(_, value)| value.is_some());
        if !set.is_empty() || !removed.is_empty() {
            words.push("env".into());
        }
        for (name, _) in removed {
            words.extend(["-u".into(), name.to_owned()]);
        }
        for (name, value) in set {
            let mut word = name.to_owned();
            word.push("=");
            word.push(value.unwrap_or_default());
            words.push(word);
        }
        words.push(program.get_program().to_owned());
        words.extend(program.get_args().map(OsStr::to_owned));
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]);
        for word in words {
            command.arg(if self.is_quoted { quoted(&word) } else { word });
        }
        command
    }
}

/// Returns the line of a program's messages that says what is wrong, short and without control characters.
pub fn message(stderr: &str) -> String {
    let lines = || stderr.lines().map(str::trim).filter(|line| !line.is_empty());
    let fatal = lines().find_map(|line| line.strip_prefix("fatal: "));
    let line = fatal.or_else(|| lines().next_back()).unwrap_or("no message");
    text::plain(&line.chars().take(MESSAGE_CHARS_MAX).collect::<String>())
}

/// Returns the sentence about a program that is missing, with how to install it.
fn not_installed(program: &str) -> String {
    let how = match program {
        "zoekt-git-index" | "zoekt-webserver" => format!(
            "`go install github.com/sourcegraph/zoekt/cmd/{program}@latest` installs it into \
             `$(go env GOPATH)/bin`, which must be on the PATH"
        ),
        _ => "install it, or put it on the PATH".to_owned(),
    };
    format!("`{program}` is not installed there: {how}")
}

/// Returns a word in single quotes, in which a POSIX shell replaces nothing.
fn quoted(word: &OsStr) -> OsString {
    let bytes = word.as_encoded_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._=:+@,-".contains(byte);
    if !bytes.is_empty() && bytes.iter().all(is_plain) {
        return word.to_owned();
    }
    let mut out = OsString::from("'");
    let text = word.to_string_lossy();
    for (at, part) in text.split('\'').enumerate() {
        if at > 0 {
            out.push("'\\''");
        }
        out.push(part);
    }
    out.push("'");
    out
}

/// Waits until a program exits; ends it when a limit is exceeded.
fn wait(
    child: &mut Child,
    name: &str,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<ExitStatus, Failure> {
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) => {}
            Err(error) => return Err(Failure::Program(format!("`{name}`: {error}"))),
        }
        if is_cancelled() {
            end(child);
            return Err(Failure::Cancelled);
        }
        if started.elapsed() > PATIENCE {
            end(child);
            let hours = PATIENCE.as_secs() / 3600;
            return Err(Failure::Program(format!("`{name}` took longer than {hours} hours")));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

/// Ends a program and those that it started: first politely.
fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        let group = Pid::from_child(child);
        let _ = kill_process_group(group, Signal::TERM);
        let started = Instant::now();
        while started.elapsed() < END_PATIENCE && matches!(child.try_wait(), Ok(None)) {
            thread::sleep(PAUSE_MAX);
        }
        let _ = kill_process_group(group, Signal::KILL);
    }
    // It may have exited already.
    drop(child.kill());
    drop(child.wait());
}

/// Reads a pipe in a thread that ends with the pipe, and sends the first [`OUTPUT_BYTES_MAX`] bytes.
fn start_of(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let Some(mut pipe) = pipe else { return };
        let (mut buffer, mut sent) = (vec![0; PIECE_BYTES], 0);
        loop {
            match pipe.read(&mut buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => return,
                // What is not kept is read all the same: the program would wait.
                Ok(len) if sent < OUTPUT_BYTES_MAX => {
                    sent += len;
                    drop(sender.send(buffer[..len].to_vec()));
                }
                Ok(_) => {}
            }
        }
    });
    receiver
}

/// Returns what was read of a pipe of a program that has exited. A process that it started, such as a kept
/// connection of ssh, may hold the pipe, so that its end is awaited for a moment only.
fn collected(pieces: &Receiver<Vec<u8>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Ok(piece) = pieces.recv_timeout(PIPE_PATIENCE) {
        bytes.extend(piece);
    }
    bytes
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn machine(command: &[&str]) -> Machine {
        let command = command.iter().map(|&word| word.to_owned()).collect();
        let address = "http://h:1".parse().expect("an address");
        Machine::of(&Node {
            name: "a".to_owned(),
            address,
            weight: 1,
            command,
            index: None,
            repositories: None,
        })
    }

    fn words(command: &Command) -> Vec<String> {
        let all = std::iter::once(command.get_program()).chain(command.get_args());
        all.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn arguments_for_ssh_are_quoted() {
        let mut git = Command::new("git");
        git.args(["fetch", "a b", "$(x)", "it's", "", "-o;y"])
            .env("K", "v w")
            .env_remove("GIT_DIR");
        let expected = [
            "/usr/bin/ssh",
            "h",
            "env",
            "-u",
            "GIT_DIR",
            "'K=v w'",
            "git",
            "fetch",
            "'a b'",
            "'$(x)'",
            "'it'\\''s'",
            "''",
            "'-o;y'",
        ];
        assert_eq!(words(&machine(&["/usr/bin/ssh", "h"]).wrapped(&git)), expected);
        let plain = words(&machine(&["docker", "exec", "h"]).wrapped(&git));
        assert_eq!(
            plain[3..],
            ["env", "-u", "GIT_DIR", "K=v w", "git", "fetch", "a b", "$(x)", "it's", "", "-o;y"]
        );
    }

    #[test]
    fn quoted_words_survive_a_shell() {
        for word in ["a'b", "$HOME `id` \\ \"x\"", "", "\n", "-n", "*", "é"] {
            let mut line = OsString::from("printf %s ");
            line.push(quoted(OsStr::new(word)));
            let output = Command::new("sh").arg("-c").arg(line).output().expect("a shell");
            assert_eq!(String::from_utf8_lossy(&output.stdout), word);
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let failure = |command: &[&str], program: &str| {
            machine(command).run(Command::new(program), &|| false).expect_err("a failure")
        };
        let missing = |failure| match failure {
            Failure::Machine(what) => what,
            other => panic!("{other:?}"),
        };
        let what = missing(failure(&["env", "PATH=/nowhere"], "zoekt-git-index"));
        assert!(
            what.contains("go install github.com/sourcegraph/zoekt/cmd/zoekt-git-index"),
            "{what}"
        );
        let what = missing(failure(&["codedb-no-such-program"], "git"));
        assert!(what.starts_with("`codedb-no-such-program` is not installed"), "{what}");
    }

    #[test]
    fn a_cancelled_program_is_ended() {
        let mut sleep = Command::new("sleep");
        sleep.arg("60");
        let started = Instant::now();
        let is_cancelled = || started.elapsed() > Duration::from_millis(50);
        let ended = machine(&[]).run(sleep, &is_cancelled);
        assert!(matches!(ended, Err(Failure::Cancelled)), "{ended:?}");
        assert!(started.elapsed() < END_PATIENCE);
    }

    #[test]
    fn messages_are_short_and_plain() {
        assert_eq!(
            message("warning: x\nfatal: no such\u{1b}[31m thing\n"),
            message("no such\u{1b}[31m thing")
        );
        assert!(!message("a\u{1b}b").contains('\u{1b}'));
        assert_eq!(message("first\nlast\n\n"), "last");
        assert_eq!(message(&"x".repeat(5000)).len(), MESSAGE_CHARS_MAX);
    }
}
