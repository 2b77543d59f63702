//! Runs git. Every call goes through one function, which disables everything that a repository's
//! configuration can run (file system monitors, hooks, external diffs, text conversion,
//! transports), writes nothing, and has a time limit. Git runs filters only where files are
//! compared; only `since` does that, after it has emptied every filter.
//!
//! [`mirror_command`] alone returns a command instead of running it: for clones on the nodes of a fleet.
//!
//! A failure of git is an error with git's own message. Only the absence of a repository and names
//! that denote nothing are regular results.

mod blame;
mod checkout;
mod clone;
mod commit_text;
mod head;
mod identity;
mod layout;
mod merge_base;
mod mirror;
mod patches;
mod process;
mod range;
mod seen;
mod settings;
mod since;
mod staged;
mod stream;
mod submodules;
mod tracked;

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use blame::{Blamed, own_mailmap};
pub use checkout::Message;
pub use clone::Remote;
pub use head::Head;
pub use identity::common_directory;
pub use mirror::{Advertised, Reach, advertised, mirror_command, origin};
pub use patches::{FilePatch, Hunk, Patch};
pub use range::{FILES_MAX, MOVES_MAX, Place, Range, ReportedCommit, Status};
pub use since::Difference;
pub use staged::Staged;
pub use stream::StreamOptions;
pub use tracked::{Tracked, index_file, tracked};

use crate::base::text;
use crate::error::{Error, Kind, Result};
use crate::source;
use layout::Layout;
use process::{Exit, Limits};
use seen::Answers;
use settings::{NO_PROTOCOL, WorkTree};

/// The time limit of one call.
const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes of git's output that are read.
const STDOUT_BYTES_MAX: usize = 64 << 20;

/// Bytes of memory that git may allocate: a file of the repository may be a link to a device
/// without an end.
const MEMORY_BYTES_MAX: u64 = 4 << 30;

/// The mode of a submodule.
const SUBMODULE: &[u8] = b"160000";

/// The git work tree that holds a root.
#[derive(Clone, Debug)]
pub struct Git {
    root: PathBuf,
    /// The work tree in which git must run; `None` if git finds it itself.
    work_tree: Option<WorkTree>,
    /// The reason why git is not run, if so.
    refused: Option<Refused>,
    /// Git's index, if it is not that of the repository.
    index: Option<PathBuf>,
    /// The time limit of one call.
    patience: Duration,
    /// What git answered, if one state of the repository is enough; see [`Git::remembering`].
    seen: Option<Arc<Seen>>,
    /// The protocols that git may use, in the format of `GIT_ALLOW_PROTOCOL`. Everything that only
    /// reads a work tree uses [`NO_PROTOCOL`].
    protocols: &'static str,
}

/// What git answered while one reply is made.
#[derive(Debug, Default)]
struct Seen {
    commits: Answers<Option<String>>,
    changes: Answers<Vec<(Vec<u8>, Difference)>>,
}

/// The error of every call.
#[derive(Clone, Debug)]
struct Refused {
    kind: Kind,
    code: &'static str,
    message: String,
    hints: Vec<String>,
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
    /// The line of its standard error that names the cause of a failure.
    stderr: String,
    /// The exit code; `None` if a signal killed the process.
    code: Option<i32>,
}

/// One call of git.
struct Invocation<'a, A> {
    command: &'a str,
    args: &'a [A],
    /// Additional settings.
    settings: &'a [OsString],
    /// Whether git reads attributes and ignore rules from files outside of the tree.
    uses_rule_files: bool,
    /// What git reads on its standard input.
    input: &'a [u8],
}

/// The last root in which git reached a time limit, with the time and the error.
static STUCK: Mutex<Option<(PathBuf, Instant, Refused)>> = Mutex::new(None);

/// The identifier of errors of a git that failed; see [`Error::code`].
const FAILED: &str = "git_command_failed";

/// The identifier of errors about a repository that git must not read.
const REFUSED: &str = "git_refused";

/// The identifier of errors about a git that reached a limit.
const STOPPED: &str = "git_stopped";

/// How long git is not tried again in a root in which it reached a time limit.
const STUCK_FOR: Duration = Duration::from_secs(10);

fn stuck(root: &Path) -> Option<Refused> {
    let stuck = STUCK.lock().unwrap_or_else(PoisonError::into_inner);
    let (at, since, refused) = stuck.as_ref()?;
    (at == root && since.elapsed() < STUCK_FOR).then(|| refused.clone())
}

impl Git {
    /// Returns git in the directory `root`, without network access.
    fn at(root: &Path, patience: Duration) -> Git {
        let (root, work_tree, refused, index) = (root.to_path_buf(), None, None, None);
        Git { root, work_tree, refused, index, patience, seen: None, protocols: NO_PROTOCOL }
    }

    /// Returns git that is asked once for a commit and for the differences from one: for a single reply.
    #[must_use]
    pub fn remembering(self) -> Git {
        Git { seen: Some(Arc::default()), ..self }
    }

    /// Returns git with another file as its index: `git commit` has one of its own while its hooks
    /// run. The user's environment names it, never the repository.
    #[must_use]
    pub fn with_index(self, index: &Path) -> Git {
        let seen = self.seen.as_ref().map(|_| Arc::default());
        Git { index: Some(index.to_owned()), seen, ..self }
    }

    /// Returns the work tree that contains `root`, or `None` if there is none. If git fails or
    /// refuses the repository that it finds, the result is `Some`, and every later call returns the
    /// reason as an error.
    pub fn open(root: &Path) -> Option<Git> {
        let git = Git::at(root, PATIENCE);
        if let Some(refused) = stuck(root) {
            return Some(Git { refused: Some(refused), ..git });
        }
        let layout = Layout::around(root);
        if layout.is_none() && layout::is_certainly_outside(root) {
            return None;
        }
        if let Some(Err(error)) = layout.as_ref().map(Layout::check_files) {
            return Some(git.refusing(&error));
        }
        let is_there = match git.run("rev-parse", &["--is-inside-work-tree"]) {
            Ok(output) if output.code == Some(0) => output.answer.trim_ascii() == b"true",
            // Git prints another message for a broken repository, unless HEAD is broken.
            Ok(output) => {
                let has_objects = |of: &Layout| of.common.join("objects").is_dir();
                !is_no_work_tree(&output.stderr)
                    || output.stderr.contains("not a git repository (or any")
                        && layout.as_ref().is_some_and(has_objects)
            }
            Err(error) if error.kind() == Kind::NotFound => {
                root.ancestors().any(|dir| dir.join(".git").exists())
            }
            // It would take as long again for each call.
            Err(error) if error.kind() == Kind::Limit => {
                let git = git.refusing(&error);
                *STUCK.lock().unwrap_or_else(PoisonError::into_inner) =
                    git.refused.clone().map(|refused| (root.to_owned(), Instant::now(), refused));
                return Some(git);
            }
            Err(_) => true,
        };
        let work_tree = layout.map(|layout| WorkTree { top: layout.top });
        is_there.then_some(Git { work_tree, ..git })
    }

    /// Returns git for a repository that it must not read: every call fails with `error`.
    fn refusing(self, error: &Error) -> Git {
        let (kind, message) = (error.kind(), error.to_string());
        let code = if error.is_of_git() { error.code() } else { REFUSED };
        let hints = error.hints().to_vec();
        Git { refused: Some(Refused { kind, code, message, hints }), ..self }
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
        seen::once(self.seen.as_deref().map(|seen| &seen.commits), name, || self.find_commit(name))
    }

    fn find_commit(&self, name: &str) -> Result<Option<String>> {
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
                    .with_code(FAILED)
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
        let output = self.run(command, args)?;
        if output.code == Some(0) { Ok(output.answer) } else { Err(output.failure(command)) }
    }

    /// Runs git with `input` on its standard input, and returns its output.
    fn output_of<A: AsRef<OsStr>>(
        &self,
        command: &str,
        args: &[A],
        input: &[u8],
    ) -> Result<Vec<u8>> {
        let settings = &[];
        let invocation = Invocation { command, args, settings, uses_rule_files: false, input };
        let output = self.call(&invocation)?;
        if output.code == Some(0) { Ok(output.answer) } else { Err(output.failure(command)) }
    }

    fn run<A: AsRef<OsStr>>(&self, command: &str, args: &[A]) -> Result<GitOutput> {
        self.call(&Invocation { command, args, settings: &[], uses_rule_files: false, input: &[] })
    }

    /// Runs git in the root until it exits.
    fn call<A: AsRef<OsStr>>(&self, invocation: &Invocation<'_, A>) -> Result<GitOutput> {
        let mut answer = Vec::new();
        let limits = self.limits(None, &|| false);
        let exit = self.drive(invocation, limits, &mut |piece| {
            answer.extend_from_slice(piece);
            answer.len() <= STDOUT_BYTES_MAX
        })?;
        Ok(GitOutput { answer, stderr: exit.stderr, code: exit.code })
    }

    /// Returns the limits of a call.
    fn limits<'a>(
        &self,
        silence: Option<Duration>,
        is_cancelled: &'a dyn Fn() -> bool,
    ) -> Limits<'a> {
        let uses_network = self.protocols != NO_PROTOCOL;
        Limits { patience: self.patience, silence, uses_network, is_cancelled }
    }

    /// Runs git in the root until it exits, and passes its output to `take`.
    fn drive<A: AsRef<OsStr>>(
        &self,
        invocation: &Invocation<'_, A>,
        limits: Limits<'_>,
        take: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<Exit> {
        process::drive(self.start(invocation)?, invocation.command, limits, take)
    }

    /// Starts git in the root. No other function runs git.
    fn start<A: AsRef<OsStr>>(&self, invocation: &Invocation<'_, A>) -> Result<Child> {
        let Invocation { command, args, settings, uses_rule_files, input } = *invocation;
        if let Some(Refused { kind, code, message, hints }) = &self.refused {
            let error = Error::new(*kind, message.clone()).with_code(code);
            return Err(hints.iter().cloned().fold(error, Error::with_hint));
        }
        let mut git = Command::new("git");
        let work_tree = self.work_tree.as_ref();
        settings::isolate(&mut git, work_tree, self.protocols, uses_rule_files, settings);
        if self.protocols != NO_PROTOCOL {
            clone::reach(&mut git);
        }
        if let Some(index) = &self.index {
            git.env("GIT_INDEX_FILE", index);
        }
        git.arg(command)
            .args(args)
            .current_dir(&self.root)
            .stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = git.spawn().map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                Error::new(Kind::NotFound, "git is not installed, or not found on the PATH")
                    .with_code("git_not_installed")
                    .with_hint("only tools that use commits need it; the others work without it")
            }
            _ => failed(command, &error.to_string()),
        })?;
        source::limit_memory(&child, MEMORY_BYTES_MAX);
        if let Some(mut pipe) = child.stdin.take() {
            let input = input.to_vec();
            // Git prints while it reads. If it exits before it has read everything, its own error is
            // reported.
            std::thread::spawn(move || drop(pipe.write_all(&input)));
        }
        Ok(child)
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
        .with_code(FAILED)
        .with_hint("run `git status` in that directory for details")
}

/// Returns true for git's message outside of a repository, and inside a bare one.
fn is_no_work_tree(stderr: &str) -> bool {
    ["not a git repository (or any", "cannot use bare repository"]
        .iter()
        .any(|start| stderr.starts_with(start))
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
}
