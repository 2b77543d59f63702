//! Runs git. Every call goes through one function, which disables everything that a repository's
//! configuration can run (file system monitors, hooks, external diffs, text conversion,
//! transports), writes nothing, and has a time limit. Git runs filters only where files are
//! compared; only `since` does that, after it has emptied every filter.
//!
//! A failure of git is an error with git's own message. Only the absence of a repository and names
//! that denote nothing are regular results.

mod checkout;
mod clone;
mod head;
mod range;
mod since;
mod stream;

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

pub use checkout::Message;
pub use clone::Remote;
pub use head::Head;
pub use range::{FILES_MAX, Place, Range, ReportedCommit, Status};
pub use since::Difference;
pub use stream::StreamOptions;

use crate::base::text;
use crate::error::{Error, Kind, Result};

/// The time limit of one call.
const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes of git's output that are read.
const STDOUT_BYTES_MAX: u64 = 64 << 20;

/// Bytes of git's standard error that are kept.
const STDERR_BYTES_MAX: u64 = 4096;

/// Environment variables that are removed for git, because they select another repository (hooks
/// set them) or change its output: those of `git rev-parse --local-env-vars` and some more.
const REMOVED_VARIABLES: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIFF_OPTS",
    "GIT_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
    "LANGUAGE",
];

/// The value of `GIT_ALLOW_PROTOCOL` that forbids all network access.
const NO_PROTOCOL: &str = "none";

/// The environment of every call: no programs of the repository's choice, no network, no locks, and
/// messages in English, because one of them is parsed.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
];

/// Overrides of settings of a repository or a user that would run a program or change the output.
const SETTINGS: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "diff.renameLimit=1000",
    "log.follow=false",
    "log.showRoot=true",
    "log.showSignature=false",
];

/// The git work tree that holds a root.
#[derive(Clone, Debug)]
pub struct Git {
    root: PathBuf,
    /// The time limit of one call.
    patience: Duration,
    /// The protocols that git may use, in the format of `GIT_ALLOW_PROTOCOL`. Everything that only
    /// reads a work tree uses [`NO_PROTOCOL`].
    protocols: &'static str,
}

/// A commit and the paths below the root that it changed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Commit {
    /// The time of the commit, in nanoseconds since 1970.
    pub committed_ns: i64,
    /// Repository paths relative to the root, in git's order.
    pub paths: Vec<Vec<u8>>,
}

/// The output and exit code of a git process.
struct GitOutput {
    answer: Vec<u8>,
    /// The result of [`first_error_line`].
    stderr: String,
    /// The exit code; `None` if a signal killed the process.
    code: Option<i32>,
}

impl Git {
    /// Returns git in the directory `root`, without network access.
    fn at(root: &Path, patience: Duration) -> Git {
        Git { root: root.to_path_buf(), patience, protocols: NO_PROTOCOL }
    }

    /// Returns the work tree that contains `root`, or `None` if there is none. If git fails or
    /// refuses the repository that it finds, the result is `Some`, and every later call returns the
    /// reason as an error.
    pub fn open(root: &Path) -> Option<Git> {
        let git = Git::at(root, PATIENCE);
        let is_there = match git.run("rev-parse", &["--is-inside-work-tree"]) {
            Ok(output) if output.code == Some(0) => output.answer.trim_ascii() == b"true",
            // Git prints another message for a broken repository.
            Ok(output) => !output.stderr.starts_with("not a git repository (or any"),
            Err(error) if error.kind() == Kind::NotFound => {
                root.ancestors().any(|dir| dir.join(".git").exists())
            }
            Err(_) => true,
        };
        is_there.then_some(git)
    }

    /// Returns the newest ancestors of HEAD, newest first, without merges; none if there is no
    /// commit.
    ///
    /// # Errors
    ///
    /// If git fails, exceeds the time limit, or is not installed ([`Kind::NotFound`]).
    pub fn recent(&self, commits_max: usize) -> Result<Vec<Commit>> {
        if self.commit("HEAD")?.is_none() {
            // HEAD is a branch without commits. Git treats a broken branch as missing.
            return self.output("symbolic-ref", &["HEAD"]).map(|_| Vec::new());
        }
        let count = format!("--max-count={commits_max}");
        let args = [
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-merges",
            "--no-renames",
            "--name-only",
            "--relative",
            "-z",
            "--format=%x01%ct",
            &count,
            "HEAD",
            "--",
            ".",
        ];
        Ok(commits(&self.output("log", &args)?))
    }

    /// Returns the full id of the commit that `name` denotes; `None` if it denotes no commit.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`]; also if `name` denotes a commit that the repository lacks.
    pub fn commit(&self, name: &str) -> Result<Option<String>> {
        if name.is_empty() || name.contains('\0') {
            return Ok(None);
        }
        if let Some(commit) = self.object(&format!("{name}^{{commit}}"))? {
            return Ok(Some(commit));
        }
        // The name denotes nothing, another object, or a missing one. Git accepts any full id
        // without a look-up.
        let Some(object) = self.object(name)?.filter(|object| !object.eq_ignore_ascii_case(name))
        else {
            return Ok(None);
        };
        match self.output("cat-file", &["-t", &object]) {
            Ok(_) => Ok(None),
            Err(error) if error.kind() != Kind::Io => Err(error),
            Err(_) => {
                let name = text::plain(name);
                let message = format!("`{name}` is {object}, which the repository does not have");
                Err(Error::new(Kind::Io, message)
                    .with_hint("run `git fsck` to find missing objects"))
            }
        }
    }

    fn object(&self, name: &str) -> Result<Option<String>> {
        let output = self.run("rev-parse", &["--verify", "--quiet", "--end-of-options", name])?;
        match output.code {
            Some(0) => {
                let object = String::from_utf8_lossy(output.answer.trim_ascii()).into_owned();
                Ok((!object.is_empty()).then_some(object))
            }
            Some(1) => Ok(None),
            _ => Err(output.failure("rev-parse")),
        }
    }

    /// Runs git and returns its output.
    fn output<A: AsRef<OsStr>>(&self, command: &str, args: &[A]) -> Result<Vec<u8>> {
        self.output_with(&[], command, args)
    }

    /// Runs git with additional settings and returns its output.
    fn output_with<A: AsRef<OsStr>>(
        &self,
        settings: &[OsString],
        command: &str,
        args: &[A],
    ) -> Result<Vec<u8>> {
        let output = self.run_with(settings, command, args)?;
        if output.code == Some(0) { Ok(output.answer) } else { Err(output.failure(command)) }
    }

    fn run<A: AsRef<OsStr>>(&self, command: &str, args: &[A]) -> Result<GitOutput> {
        self.run_with(&[], command, args)
    }

    /// Runs git in the root until it exits.
    fn run_with<A: AsRef<OsStr>>(
        &self,
        settings: &[OsString],
        command: &str,
        args: &[A],
    ) -> Result<GitOutput> {
        let mut child = self.start(settings, command, args)?;
        let (answer, stderr) = (
            collect(child.stdout.take(), STDOUT_BYTES_MAX),
            collect(child.stderr.take(), STDERR_BYTES_MAX),
        );
        let Ok(answer) = answer.recv_timeout(self.patience) else {
            end(&mut child);
            let seconds = self.patience.as_secs();
            return Err(Error::new(
                Kind::Limit,
                format!("`git {command}` took longer than {seconds} s"),
            ));
        };
        if answer.len() as u64 > STDOUT_BYTES_MAX {
            end(&mut child);
            return Err(Error::new(Kind::Limit, format!("`git {command}` answers too much")));
        }
        let status = child.wait().map_err(|error| failed(command, &error.to_string()))?;
        let stderr = match status.success() {
            true => Vec::new(),
            false => stderr.recv_timeout(PATIENCE).unwrap_or_default(),
        };
        Ok(GitOutput { answer, stderr: first_error_line(&stderr), code: status.code() })
    }

    /// Starts git in the root. No other function runs git.
    fn start<A: AsRef<OsStr>>(
        &self,
        settings: &[OsString],
        command: &str,
        args: &[A],
    ) -> Result<Child> {
        let mut git = Command::new("git");
        for name in REMOVED_VARIABLES {
            git.env_remove(name);
        }
        git.envs(ENVIRONMENT.iter().copied()).env("GIT_ALLOW_PROTOCOL", self.protocols);
        if self.protocols != NO_PROTOCOL {
            clone::reach(&mut git);
        }
        for setting in
            SETTINGS.iter().map(OsStr::new).chain(settings.iter().map(OsString::as_os_str))
        {
            git.arg("-c").arg(setting);
        }
        git.args(["--no-pager", command])
            .args(args)
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        git.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                Error::new(Kind::NotFound, "git is not installed, or not found on the PATH")
                    .with_hint("only tools that use commits need it; the others work without it")
            }
            _ => failed(command, &error.to_string()),
        })
    }
}

impl GitOutput {
    /// Returns the error for a failed `command` with this output.
    fn failure(&self, command: &str) -> Error {
        failed(command, &self.stderr)
    }
}

fn failed(command: &str, what: &str) -> Error {
    Error::new(Kind::Io, format!("`git {command}` failed: {}", text::plain(what)))
        .with_hint("`git status` in that folder may tell more")
}

/// Returns the first `fatal:` message in git's standard error, or else its first line.
fn first_error_line(stderr: &[u8]) -> String {
    let stderr = String::from_utf8_lossy(stderr);
    let fatal = stderr.lines().find_map(|line| line.strip_prefix("fatal: "));
    fatal.or(stderr.lines().next()).unwrap_or("no error message").to_owned()
}

/// Reads a pipe to its end, or to one byte past `bytes_max`, in a separate thread.
fn collect(pipe: Option<impl Read + Send + 'static>, bytes_max: u64) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // After a read error, the bytes before it are the result.
            drop(pipe.take(bytes_max + 1).read_to_end(&mut bytes));
        }
        // A closed channel means that the result is not needed any more.
        drop(sender.send(bytes));
    });
    receiver
}

fn end(child: &mut Child) {
    // The process may have exited already.
    drop(child.kill());
    drop(child.wait());
}

fn fields(answer: &[u8]) -> impl Iterator<Item = &[u8]> {
    answer.split(|&byte| byte == 0).filter(|field| !field.is_empty())
}

/// Parses `git log -z --name-only` with `\x01` and a time before each commit.
fn commits(answer: &[u8]) -> Vec<Commit> {
    let mut commits: Vec<Commit> = Vec::new();
    for field in fields(answer) {
        if let Some(time) = field.strip_prefix(b"\x01") {
            let seconds = std::str::from_utf8(time).ok().and_then(|time| time.trim().parse().ok());
            let committed_ns = i64::saturating_mul(seconds.unwrap_or_default(), 1_000_000_000);
            commits.push(Commit { committed_ns, paths: Vec::new() });
            continue;
        }
        // A newline separates the commit's time from its first path.
        let path = field.strip_prefix(b"\n").unwrap_or(field);
        if let Some(commit) = commits.last_mut() {
            commit.paths.push(path.to_vec());
        }
    }
    commits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_read() {
        let log = b"\x0120\0\na.rs\0d/b.rs\0\0\x0110\0\0\x015\0\nc\0";
        let second = 1_000_000_000;
        let commit = |seconds: i64, paths: &[&[u8]]| Commit {
            committed_ns: seconds * second,
            paths: paths.iter().map(|path| path.to_vec()).collect(),
        };
        let expected = vec![commit(20, &[b"a.rs", b"d/b.rs"]), commit(10, &[]), commit(5, &[b"c"])];
        assert_eq!(commits(log), expected);
    }

    #[test]
    fn the_fatal_line_is_the_error_message() {
        let stderr = b"warning: a\nfatal: no such thing\nhint: b\n";
        assert_eq!(first_error_line(stderr), "no such thing");
        assert_eq!(first_error_line(b"error: x\nerror: y\n"), "error: x");
        assert_eq!(first_error_line(b""), "no error message");
    }
}
