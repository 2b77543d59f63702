//! Runs the two programs and makes their outputs comparable.
//!
//! Not compared: elapsed times, counts of bytes searched, the program's name, and the order and
//! repetition of the lines on standard error (ripgrep prints them in the order of its walk).

use std::ffi::OsString;
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::query::Query;
use super::tree::Tree;

/// A child process that runs longer is killed and counts as hanging.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// A program with the arguments that come before a query's own.
pub(crate) struct Program {
    /// The executable.
    pub(crate) path: PathBuf,
    /// Its first arguments.
    pub(crate) prefix: Vec<OsString>,
    /// The name that opens its messages.
    pub(crate) name: &'static str,
}

/// The output of a child process, prepared for the comparison.
pub(crate) struct ChildOutput {
    /// Standard output, times masked where the query prints them.
    pub(crate) stdout: Vec<u8>,
    /// Lines of standard error, sorted, the program's name replaced.
    pub(crate) stderr: Vec<Vec<u8>>,
    /// The exit code; `None` after a signal.
    pub(crate) code: Option<i32>,
    /// True if the process did not exit in time.
    pub(crate) hung: bool,
}

/// Runs `query` with `program` in the environment of the tree.
pub(crate) fn run(program: &Program, query: &Query, tree: &Tree) -> ChildOutput {
    let mut command = command(&program.path, tree);
    command.args(&program.prefix).args(query.args()).current_dir(&query.cwd);
    let (output, hung) = output(command, query.stdin.as_deref());
    let mut stdout = output.stdout;
    if query.has("--json") || query.has("--stats") {
        stdout = mask_figures(&stdout);
    }
    if ["--sort=modified", "--sortr=modified"].iter().any(|flag| query.has(flag)) {
        // Files with equal times have no defined order.
        let mut lines: Vec<&[u8]> =
            stdout.split_inclusive(|&byte| byte == b'\n' || byte == 0).collect();
        lines.sort_unstable();
        stdout = lines.concat();
    }
    let mut stderr = messages(&output.stderr, program.name);
    let code = output.status.code();
    if code == Some(2) || DEPTHS.iter().any(|flag| query.has(flag)) {
        // Which ignore files were read before an error or at the deepest level depends on the
        // walker.
        stderr.retain(|line| !is_ignore_file_error(line));
    }
    ChildOutput { stdout, stderr, code, hung }
}

const DEPTHS: &[&str] = &["--max-depth", "-d2", "--maxdepth=0"];

/// Returns true for the warning about a malformed line of an ignore file.
fn is_ignore_file_error(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    line.contains(": line ") && line.contains(": error parsing glob ")
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
        .env_remove("CODEDB_DATA_DIR")
        .env_remove("XDG_DATA_HOME")
        .env_remove("RIPGREP_CONFIG_PATH")
        .env_remove("GIT_DIR");
    command
}

/// Runs a command until it exits or the timeout is over.
pub(crate) fn output(mut command: Command, stdin: Option<&[u8]>) -> (std::process::Output, bool) {
    command.stdin(stdin.map_or_else(Stdio::null, |bytes| {
        // A file, not a pipe: with a pipe, the place where a late NUL is detected depends on the
        // sizes of the reads.
        let mut file = tempfile::tempfile().expect("a temporary file");
        file.write_all(bytes)
            .and_then(|()| file.rewind())
            .expect("a temporary file can be written");
        file.into()
    }));
    let child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap_or_else(|error| {
            panic!("cannot run {}: {error}", command.get_program().display())
        });
    let id = child.id();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let (output, hung) = match receiver.recv_timeout(TIMEOUT) {
        Ok(output) => (output, false),
        Err(_) => {
            let id =
                rustix::process::Pid::from_raw(id.cast_signed()).expect("a child's id is not zero");
            // The process may have exited in the meantime, which is not an error.
            rustix::process::kill_process(id, rustix::process::Signal::KILL).ok();
            (receiver.recv().expect("the waiting thread sends"), true)
        }
    };
    (output.expect("a child can be waited for"), hung)
}

/// Prefixes of hints that ripgrep's program prints, not its libraries; codedb has its own hints.
const HINTS: &[&[u8]] = &[
    b"hint: ",
    b"Running with --debug will show",
    b"Consider enabling ",
    b"When multiline mode is enabled",
    b"binary detection is enabled and matching a NUL byte is impossible",
    b"similar flags that are available",
];

/// A warning that both programs print, with different text after this prefix.
const NOTHING_SEARCHED: &[u8] = b"PROGRAM: No files were searched";

/// Splits messages into sorted lines, normalises the program's name and removes hints.
fn messages(stderr: &[u8], name: &str) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = stderr
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty() && !HINTS.iter().any(|hint| line.starts_with(hint)))
        .map(|line| match line.strip_prefix(format!("{name}: ").as_bytes()) {
            Some(rest) => [b"PROGRAM: ", rest].concat(),
            None => line.to_vec(),
        })
        .collect();
    for line in &mut lines {
        if line.starts_with(NOTHING_SEARCHED) {
            line.truncate(NOTHING_SEARCHED.len());
        }
    }
    lines.sort();
    // The number of reports of a malformed ignore file depends on the walker.
    lines.dedup();
    lines
}

/// Replaces the numbers that differ between two runs of one program, in `--json` and `--stats`.
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
