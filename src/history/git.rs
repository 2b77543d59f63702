//! Asks git. Every call goes through one function, which switches off what a repository's
//! configuration may run (monitors, external diffs, text conversion), writes nothing, and ends after
//! a bounded time.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::error::{Error, Kind, Result};

/// How long git may take for one answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes of an answer that are read.
const ANSWER_BYTES_MAX: u64 = 64 << 20;

/// Bytes of git's complaint that are kept.
const COMPLAINT_BYTES_MAX: u64 = 4096;

/// The git work tree that holds a root.
#[derive(Clone, Debug)]
pub struct Git {
    root: PathBuf,
}

/// A commit and what it touched below the root.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Commit {
    /// When it was committed, in nanoseconds since 1970.
    pub committed_ns: i64,
    /// Repository paths relative to the root, in git's order.
    pub paths: Vec<Vec<u8>>,
}

/// How a file differs from how a commit has it.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Difference {
    /// The commit does not have it.
    Added,
    /// It has another content or type.
    Modified,
    /// It is gone.
    Deleted,
    /// It had this other path.
    Renamed(Vec<u8>),
}

impl Git {
    /// Returns the work tree around `root`, or `None` where there is none or no git.
    pub fn open(root: &Path) -> Option<Git> {
        let git = Git { root: root.to_path_buf() };
        let answer = git.ask("rev-parse", &["--is-inside-work-tree"]).ok()?;
        (answer.trim_ascii() == b"true").then_some(git)
    }

    /// Returns the newest commits before HEAD, the newest first, merges left out; none where
    /// nothing is committed.
    ///
    /// # Errors
    ///
    /// If git fails or takes too long.
    pub fn recent(&self, commits_max: usize) -> Result<Vec<Commit>> {
        if self.commit("HEAD")?.is_none() {
            return Ok(Vec::new());
        }
        let count = format!("--max-count={commits_max}");
        let args = [
            "--no-ext-diff",
            "--no-textconv",
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
        Ok(commits(&self.ask("log", &args)?))
    }

    /// Returns the full name of the commit that `name` stands for, `None` if for none.
    ///
    /// # Errors
    ///
    /// If git takes too long.
    pub fn commit(&self, name: &str) -> Result<Option<String>> {
        if name.is_empty() || name.contains('\0') {
            return Ok(None);
        }
        let commit = format!("{name}^{{commit}}");
        let args = ["--verify", "--quiet", "--end-of-options", &commit];
        match self.ask("rev-parse", &args) {
            Ok(answer) => {
                let name = String::from_utf8_lossy(answer.trim_ascii()).into_owned();
                Ok((!name.is_empty()).then_some(name))
            }
            Err(error) if error.kind() == Kind::Limit => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Returns how the files of the tree differ from those of a commit, in git's order; a file that
    /// git does not track and no rule ignores counts as added.
    ///
    /// # Errors
    ///
    /// If git fails or takes too long.
    pub fn changes_since(&self, commit: &str) -> Result<Vec<(Vec<u8>, Difference)>> {
        let args = [
            "--no-ext-diff",
            "--no-textconv",
            "--name-status",
            "--find-renames",
            "--relative",
            "--ignore-submodules",
            "-z",
            "--end-of-options",
            commit,
            "--",
            ".",
        ];
        let mut changes = differences(&self.ask("diff", &args)?);
        let untracked =
            self.ask("ls-files", &["--others", "--exclude-standard", "-z", "--", "."])?;
        changes.extend(fields(&untracked).map(|path| (path.to_vec(), Difference::Added)));
        Ok(changes)
    }

    /// Runs git in the root and returns its answer. The one place where git is run.
    fn ask(&self, command: &str, args: &[&str]) -> Result<Vec<u8>> {
        let mut git = Command::new("git");
        // Another repository's variables, as a hook of it sets them.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE"] {
            git.env_remove(name);
        }
        git.env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_LITERAL_PATHSPECS", "1")
            .args(["-c", "core.fsmonitor=false", "-c", "log.showSignature=false"])
            .args(["-c", "core.quotePath=false", "--no-pager", command])
            .args(args.iter().map(OsString::from))
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let failed = |what: String| Error::new(Kind::Io, format!("`git {command}`: {what}"));
        let mut child = git.spawn().map_err(|error| failed(error.to_string()))?;
        let (answer, complaint) = (
            collect(child.stdout.take(), ANSWER_BYTES_MAX),
            collect(child.stderr.take(), COMPLAINT_BYTES_MAX),
        );
        let Ok(answer) = answer.recv_timeout(PATIENCE) else {
            end(&mut child);
            let seconds = PATIENCE.as_secs();
            return Err(Error::new(
                Kind::Limit,
                format!("`git {command}` took longer than {seconds} s"),
            ));
        };
        if answer.len() as u64 > ANSWER_BYTES_MAX {
            end(&mut child);
            return Err(Error::new(Kind::Limit, format!("`git {command}` answers too much")));
        }
        let status = child.wait().map_err(|error| failed(error.to_string()))?;
        if status.success() {
            return Ok(answer);
        }
        let complaint = complaint.recv_timeout(PATIENCE).unwrap_or_default();
        let complaint = String::from_utf8_lossy(&complaint);
        let first = complaint.lines().next().unwrap_or_default();
        Err(failed(first.trim_start_matches("fatal: ").to_owned()))
    }
}

/// Reads a pipe to its end, or one byte past `bytes_max`, in a thread of its own.
fn collect(pipe: Option<impl Read + Send + 'static>, bytes_max: u64) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            // What was read before a failure is what there is.
            drop(pipe.take(bytes_max + 1).read_to_end(&mut bytes));
        }
        // Nobody waits any longer: no matter.
        drop(sender.send(bytes));
    });
    receiver
}

fn end(child: &mut Child) {
    // It may have ended in this moment.
    drop(child.kill());
    drop(child.wait());
}

fn fields(answer: &[u8]) -> impl Iterator<Item = &[u8]> {
    answer.split(|&byte| byte == 0).filter(|field| !field.is_empty())
}

/// Reads `git log -z --name-only` with `\x01` and a time before each commit.
fn commits(answer: &[u8]) -> Vec<Commit> {
    let mut commits: Vec<Commit> = Vec::new();
    for field in fields(answer) {
        if let Some(time) = field.strip_prefix(b"\x01") {
            let seconds = std::str::from_utf8(time).ok().and_then(|time| time.trim().parse().ok());
            let committed_ns = i64::saturating_mul(seconds.unwrap_or_default(), 1_000_000_000);
            commits.push(Commit { committed_ns, paths: Vec::new() });
            continue;
        }
        // A line end separates the commit's time from its first path.
        let path = field.strip_prefix(b"\n").unwrap_or(field);
        if let Some(commit) = commits.last_mut() {
            commit.paths.push(path.to_vec());
        }
    }
    commits
}

/// Reads `git diff -z --name-status`.
fn differences(answer: &[u8]) -> Vec<(Vec<u8>, Difference)> {
    let mut fields = fields(answer);
    let mut found = Vec::new();
    while let Some(status) = fields.next() {
        let Some(path) = fields.next() else { break };
        let (path, difference) = match status[0] {
            b'A' => (path, Difference::Added),
            b'D' => (path, Difference::Deleted),
            b'R' => match fields.next() {
                Some(new) => (new, Difference::Renamed(path.to_vec())),
                None => break,
            },
            // A copy leaves its source as it was.
            b'C' => match fields.next() {
                Some(new) => (new, Difference::Added),
                None => break,
            },
            _ => (path, Difference::Modified),
        };
        found.push((path.to_vec(), difference));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_and_differences_are_read() {
        let log = b"\x0120\0\na.rs\0d/b.rs\0\0\x0110\0\0\x015\0\nc\0";
        let second = 1_000_000_000;
        let commit = |seconds: i64, paths: &[&[u8]]| Commit {
            committed_ns: seconds * second,
            paths: paths.iter().map(|path| path.to_vec()).collect(),
        };
        let expected = vec![commit(20, &[b"a.rs", b"d/b.rs"]), commit(10, &[]), commit(5, &[b"c"])];
        assert_eq!(commits(log), expected);
        let diff = b"M\0a\0R087\0old\0new\0D\0gone\0A\0x\0T\0t\0R100\0cut";
        let expected = [
            (b"a".to_vec(), Difference::Modified),
            (b"new".to_vec(), Difference::Renamed(b"old".to_vec())),
            (b"gone".to_vec(), Difference::Deleted),
            (b"x".to_vec(), Difference::Added),
            (b"t".to_vec(), Difference::Modified),
        ];
        assert_eq!(differences(diff), expected);
    }
}
