//! Runs the two programs and compares what they say.
//!
//! Not compared: elapsed times, counts of bytes searched, the program's name, and the order of the lines on
//! standard error (ripgrep says them as its walk meets them).

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::query::Query;
use super::tree::Tree;

/// A child that runs longer is ended and counts as hanging.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A program with the arguments that come before a query's own.
pub(crate) struct Program {
    /// The executable.
    pub(crate) path: PathBuf,
    /// Its first arguments.
    pub(crate) prefix: Vec<OsString>,
    /// The name that opens its messages.
    pub(crate) name: &'static str,
}

/// What a child said.
pub(crate) struct Said {
    /// Standard output, times masked where the query prints them.
    pub(crate) stdout: Vec<u8>,
    /// Lines of standard error, sorted, the program's name replaced.
    pub(crate) stderr: Vec<Vec<u8>>,
    /// The exit code; `None` after a signal.
    pub(crate) code: Option<i32>,
    /// True if it did not end in time.
    pub(crate) hung: bool,
}

/// Runs `query` with `program` in the tree's surroundings.
pub(crate) fn run(program: &Program, query: &Query, tree: &Tree) -> Said {
    let mut command = command(&program.path, tree);
    command.args(&program.prefix).args(query.args()).current_dir(&query.cwd);
    let (output, hung) = output(command, query.stdin.as_deref());
    let mut stdout = output.stdout;
    if query.has("--json") || query.has("--stats") {
        stdout = mask_figures(&stdout);
    }
    if ["--sort=modified", "--sortr=modified", "--sort=none"].iter().any(|flag| query.has(flag)) {
        // Files of one instant have no order, and ripgrep's threads have none.
        let mut lines: Vec<&[u8]> = stdout.split_inclusive(|&byte| byte == b'\n').collect();
        lines.sort_unstable();
        stdout = lines.concat();
    }
    Said {
        stdout,
        stderr: messages(&output.stderr, program.name),
        code: output.status.code(),
        hung,
    }
}

/// Returns a command with the environment that both programs get.
pub(crate) fn command(program: &Path, tree: &Tree) -> Command {
    let mut command = Command::new(program);
    command
        .env("HOME", tree.home())
        .env("XDG_CONFIG_HOME", tree.home().join(".config"))
        .env("XDG_CACHE_HOME", tree.home().join(".cache"))
        .env("CODEDB_BACKGROUND", "0")
        .env_remove("CODEDB_INDEX_DIR")
        .env_remove("RIPGREP_CONFIG_PATH")
        .env_remove("GIT_DIR");
    command
}

/// Runs a command to its end or to the timeout.
pub(crate) fn output(mut command: Command, stdin: Option<&[u8]>) -> (std::process::Output, bool) {
    command.stdin(if stdin.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap_or_else(|error| {
            panic!("cannot run {}: {error}", command.get_program().display())
        });
    let id = child.id();
    let feeder = stdin.map(|bytes| {
        let (mut pipe, bytes) = (child.stdin.take().expect("stdin is piped"), bytes.to_vec());
        // A child that does not read its input closes the pipe early: no error.
        thread::spawn(move || drop(pipe.write_all(&bytes)))
    });
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let (output, hung) = match receiver.recv_timeout(TIMEOUT) {
        Ok(output) => (output, false),
        Err(_) => {
            let id =
                rustix::process::Pid::from_raw(id.cast_signed()).expect("a child's id is not zero");
            // It may have ended in this moment: no error.
            rustix::process::kill_process(id, rustix::process::Signal::KILL).ok();
            (receiver.recv().expect("the waiting thread sends"), true)
        }
    };
    if let Some(feeder) = feeder {
        feeder.join().expect("the feeder does not panic");
    }
    (output.expect("a child can be waited for"), hung)
}

/// Splits messages into sorted lines and makes the program's name the same.
fn messages(stderr: &[u8], name: &str) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = stderr
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| match line.strip_prefix(format!("{name}: ").as_bytes()) {
            Some(rest) => [b"PROGRAM: ", rest].concat(),
            None => line.to_vec(),
        })
        .collect();
    lines.sort();
    lines
}

/// Replaces the figures that two runs of one program do not share, in `--json` and `--stats`.
fn mask_figures(stdout: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(stdout.len());
    for line in stdout.split_inclusive(|&byte| byte == b'\n') {
        let text = line.trim_ascii_end();
        let ends_in_figures =
            [&b" bytes searched"[..], b" seconds spent searching", b" seconds total"];
        if let Some(ending) = ends_in_figures.into_iter().find(|ending| text.ends_with(ending)) {
            out.extend_from_slice(b"N");
            out.extend_from_slice(ending);
            out.push(b'\n');
        } else if line.starts_with(b"{\"type\":\"end\"")
            || line.windows(17).any(|at| at == b"\"type\":\"summary\"}")
        {
            out.extend(mask_json(line));
        } else {
            out.extend_from_slice(line);
        }
    }
    out
}

/// Masks the values of the timing keys of one JSON line.
fn mask_json(line: &[u8]) -> Vec<u8> {
    let mut text = String::from_utf8_lossy(line).into_owned();
    for key in ["\"secs\":", "\"nanos\":", "\"human\":", "\"bytes_searched\":"] {
        let mut masked = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find(key) {
            let value = at + key.len();
            let end = rest[value..].find([',', '}']).map_or(rest.len(), |length| value + length);
            masked.push_str(&rest[..value]);
            masked.push('N');
            rest = &rest[end..];
        }
        masked.push_str(rest);
        text = masked;
    }
    text.into_bytes()
}

/// Says how `ours` differs from the peer's answer, briefly; `None` if it does not.
pub(crate) fn difference(peer: &Said, ours: &Said) -> Option<String> {
    if peer.hung {
        return None; // Nothing to compare with.
    }
    let mut parts = Vec::new();
    if ours.hung {
        parts.push(format!("does not end within {} s", TIMEOUT.as_secs()));
    }
    if peer.code != ours.code {
        parts.push(format!("exit code: rg {:?}, codedb {:?}", peer.code, ours.code));
    }
    let lines = |bytes: &[u8]| {
        bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>()
    };
    if peer.stdout != ours.stdout {
        parts.push(format!(
            "stdout:\n{}",
            first_lines_apart(&lines(&peer.stdout), &lines(&ours.stdout))
        ));
    }
    if peer.stderr != ours.stderr {
        parts.push(format!("stderr:\n{}", first_lines_apart(&peer.stderr, &ours.stderr)));
    }
    if parts.is_empty() { None } else { Some(parts.join("\n")) }
}

/// Shows a few lines from the first place where the two lists part.
fn first_lines_apart(peer: &[Vec<u8>], ours: &[Vec<u8>]) -> String {
    const SHOWN: usize = 4;
    let same = peer.iter().zip(ours).take_while(|(left, right)| left == right).count();
    let show = |sign: &str, lines: &[Vec<u8>]| {
        let shown: Vec<String> = lines
            .iter()
            .skip(same)
            .take(SHOWN)
            .map(|line| format!("  {sign} {}", line[..line.len().min(300)].escape_ascii()))
            .collect();
        format!("  {sign} ({} lines)\n{}", lines.len(), shown.join("\n"))
    };
    format!("  first {same} lines equal\n{}\n{}", show("rg    ", peer), show("codedb", ours))
}
