//! Repositories for tests, with scripted or random commits.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

use crate::history::id::CommitId;

/// The files of a commit, by path.
pub(super) type Tree = BTreeMap<Vec<u8>, Vec<u8>>;

/// A commit to create. Its parents are indices of earlier commits.
#[derive(Clone, Debug, Default)]
pub(super) struct TestCommit {
    pub(super) parents: Vec<usize>,
    pub(super) time_s: i64,
    pub(super) author: &'static str,
    pub(super) message: Vec<u8>,
    pub(super) tree: Tree,
}

/// A repository in a temporary directory, without files in its work tree.
pub(super) struct Repository {
    base: TempDir,
    pub(super) ids: Vec<CommitId>,
}

impl Repository {
    /// Creates a repository without commits.
    pub(super) fn empty() -> Repository {
        let base = TempDir::new().expect("a temporary folder");
        let made = Repository { base, ids: Vec::new() };
        fs::create_dir(made.root()).expect("a folder");
        made.git(&["init", "-q", "-b", "main"]);
        made
    }

    /// Creates a repository with these commits; HEAD is the last one.
    pub(super) fn of(commits: &[TestCommit]) -> Repository {
        let mut made = Repository::empty();
        let marks = made.base.path().join("marks");
        let mut script = Vec::new();
        for (at, commit) in commits.iter().enumerate() {
            write_commit(&mut script, at, commit);
        }
        let mut import = made.command(&made.root());
        import.args(["fast-import", "--quiet", "--date-format=raw"]);
        import.arg(format!("--export-marks={}", marks.display()));
        let mut child = import.stdin(Stdio::piped()).spawn().expect("git is there");
        child.stdin.take().expect("a pipe").write_all(&script).expect("git reads");
        assert!(child.wait().expect("git ends").success());
        let marks = fs::read_to_string(marks).expect("marks");
        let mut ids: Vec<(usize, CommitId)> = marks
            .lines()
            .filter_map(|line| {
                let (mark, id) = line.strip_prefix(':')?.split_once(' ')?;
                Some((mark.parse().ok()?, CommitId::parse(id.as_bytes())?))
            })
            .collect();
        ids.sort_unstable();
        made.ids = ids.into_iter().map(|(_, id)| id).collect();
        assert_eq!(made.ids.len(), commits.len());
        made.move_to(commits.len() - 1);
        made
    }

    pub(super) fn root(&self) -> PathBuf {
        self.base.path().canonicalize().expect("it is there").join("repo")
    }

    pub(super) fn base(&self) -> PathBuf {
        self.base.path().canonicalize().expect("it is there")
    }

    /// Moves HEAD's branch to a commit.
    pub(super) fn move_to(&self, commit: usize) {
        self.git(&["update-ref", "HEAD", &self.ids[commit].to_string()]);
    }

    pub(super) fn git<A: AsRef<OsStr>>(&self, args: &[A]) {
        let output = self.command(&self.root()).args(args).output().expect("git is there");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Returns a git command for a directory, without the user's settings.
    fn command(&self, dir: &Path) -> Command {
        let mut git = Command::new("git");
        git.current_dir(dir)
            .env("HOME", self.base.path())
            .env("XDG_CONFIG_HOME", self.base.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env_remove("GIT_DIR")
            .args(["-c", "user.name=n", "-c", "user.email=n@x"]);
        git
    }
}

fn write_commit(script: &mut Vec<u8>, at: usize, commit: &TestCommit) {
    let mut head = String::new();
    let (author, time_s) = (commit.author, commit.time_s);
    // Marks are numbered from 1.
    let _ = writeln!(head, "commit refs/heads/c{at}\nmark :{}", at + 1);
    let _ = writeln!(head, "author {author} <{author}@x> {} +0000", time_s - 7);
    let _ = writeln!(head, "committer c <c@x> {time_s} +0000\ndata {}", commit.message.len());
    script.extend_from_slice(head.as_bytes());
    script.extend_from_slice(&commit.message);
    for (place, &parent) in commit.parents.iter().enumerate() {
        let word = if place == 0 { "from" } else { "merge" };
        let _ = write!(script, "\n{word} :{}", parent + 1);
    }
    script.extend_from_slice(b"\ndeleteall\n");
    for (path, text) in &commit.tree {
        let mut quoted = String::new();
        for &byte in path {
            let _ = match byte {
                b'"' | b'\\' | 0..0x20 | 0x7f.. => write!(quoted, "\\{byte:03o}"),
                _ => write!(quoted, "{}", byte as char),
            };
        }
        let _ = writeln!(script, "M 100644 inline \"{quoted}\"\ndata {}", text.len());
        script.extend_from_slice(text);
        script.push(b'\n');
    }
}

/// A history of one or more branches to which tests add commits.
#[derive(Default)]
pub(super) struct Script {
    pub(super) commits: Vec<TestCommit>,
}

/// An edit of a commit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edit<'a> {
    /// Writes a version of a file. All versions of a file have most lines in common.
    Write(&'a str, u32),
    Delete(&'a str),
    Move(&'a str, &'a str),
}

impl Script {
    /// Adds a commit with these parents, one day after the previous one; returns its index.
    pub(super) fn commit(&mut self, parents: &[usize], subject: &str, edits: &[Edit<'_>]) -> usize {
        let mut tree =
            parents.first().map_or_else(Tree::new, |&parent| self.commits[parent].tree.clone());
        for edit in edits {
            match *edit {
                Edit::Write(path, version) => {
                    tree.insert(path.as_bytes().to_vec(), text(path, version));
                }
                Edit::Delete(path) => {
                    tree.remove(path.as_bytes()).expect("it is there");
                }
                Edit::Move(source, target) => {
                    let text = tree.remove(source.as_bytes()).expect("it is there");
                    tree.insert(target.as_bytes().to_vec(), text);
                }
            }
        }
        let at = self.commits.len();
        self.commits.push(TestCommit {
            parents: parents.to_vec(),
            time_s: 1_500_000_000 + at as i64 * 86_400,
            author: "ann",
            message: subject.as_bytes().to_vec(),
            tree,
        });
        at
    }

    /// Adds a commit whose parent is the last one.
    pub(super) fn then(&mut self, subject: &str, edits: &[Edit<'_>]) -> usize {
        let last: Vec<usize> = self.commits.len().checked_sub(1).into_iter().collect();
        self.commit(&last, subject, edits)
    }
}

fn text(path: &str, version: u32) -> Vec<u8> {
    let lines = (0..20).map(|line| format!("{path} has line {line}\n"));
    format!("{}version {version}\n", lines.collect::<String>()).into_bytes()
}

/// A deterministic random number generator.
pub(super) struct Random(u64, u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed, 0)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.1 += 1;
        let bytes = [self.0.to_le_bytes(), self.1.to_le_bytes()].concat();
        (xxh3_64(&bytes) % bound.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

const PATHS: &[&[u8]] = &[
    b"a.rs",
    b"b.rs",
    b"sub/c.rs",
    b"sub/d.rs",
    b"sub/deep/e.rs",
    b"sub/\xff\xfe.rs",
    b"sub/\n q\"",
    b"sub/\xc3\xa9.rs",
    b"other/f.rs",
    b"sub/g",
    b"h",
];

const WORDS: &[&str] =
    &["fix", "the", "parser", "useState", "\x01", "\x1b[31m", "M", "größe", "cache_key", "of"];

/// Returns a history of `count` commits with branches, merges, renames and, unless `is_in_time`,
/// wrong clocks.
pub(super) fn random_history(
    random: &mut Random,
    count: usize,
    is_in_time: bool,
) -> Vec<TestCommit> {
    let mut commits: Vec<TestCommit> = Vec::new();
    for at in 0..count {
        let mut parents = Vec::new();
        if at > 0 && random.below(25) > 0 {
            let back = if random.below(3) > 0 { 0 } else { random.below(at.min(6)) };
            parents.push(at - 1 - back);
            if random.below(6) == 0 {
                parents.push(random.below(at));
                parents.dedup();
            }
        }
        let mut tree = parents.first().map_or_else(Tree::new, |&first| commits[first].tree.clone());
        for _ in 0..random.below(4) {
            edit(random, &mut tree, at);
        }
        let words: Vec<&str> = (0..random.below(6)).map(|_| *random.pick(WORDS)).collect();
        let wrong = if is_in_time { 0 } else { random.below(4) * 250 };
        commits.push(TestCommit {
            parents,
            time_s: 1_600_000_000 + (at as i64) * 100 - wrong as i64,
            author: random.pick::<&str>(&["ann", "bob", "čen"]),
            message: format!("{} \n\nbody", words.join(" ")).into_bytes(),
            tree,
        });
    }
    commits
}

fn edit(random: &mut Random, tree: &mut Tree, at: usize) {
    let path = random.pick::<&[u8]>(PATHS).to_vec();
    match random.below(6) {
        0 => drop(tree.remove(&path)),
        1 | 2 => {
            // A rename, sometimes with a change.
            let Some(source) = tree.keys().nth(random.below(tree.len())).cloned() else { return };
            let mut text = tree.remove(&source).expect("it is there");
            if random.below(2) == 0 {
                text.extend_from_slice(format!("moved by {at}\n").as_bytes());
            }
            tree.insert(path, text);
        }
        _ => {
            let name = String::from_utf8_lossy(&path).into_owned();
            tree.insert(path, text(&name, at as u32));
        }
    }
}
