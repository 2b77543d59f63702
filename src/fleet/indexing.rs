//! Clones repositories on the nodes that own them, and indexes the clones with `zoekt-git-index`.
//!
//! On a node, each repository has a bare clone of the newest commit of its default branch, which owns its
//! objects, and a reference in it that names the commit whose index is complete. So the state of a run is in
//! the clones: a run that was stopped continues with the next one, and what is indexed already is skipped.
//! Repositories that are named by a directory are only read.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde::Serialize;

use super::config::{Fleet, Node};
use super::machine::{Failure, Machine, message};
use super::placement::Placement;
use super::repository::{Repository, Source};
use crate::error::{Error, Result};
use crate::history::git::{Advertised, Reach, advertised, mirror_command};

/// The program that writes shards.
const INDEXER: &str = "zoekt-git-index";

/// The names of universal-ctags, of which the indexer itself tries the first one only.
const CTAGS: &[&str] = &["universal-ctags", "ctags-universal", "ctags"];

/// What the help of a universal-ctags shows that the indexer can use.
const CTAGS_FEATURE: &str = "+interactive";

/// The reference that names the commit whose index is complete.
const INDEXED: &str = "refs/codedb/indexed";

/// The name of the branch of a clone whose original has no branch checked out.
const DETACHED: &str = "detached";

/// What the indexer reports about each shard that it wrote.
const FINISHED: &str = "finished shard";

/// What became of a repository on a node.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its newest commit was indexed.
    Indexed,
    /// Its newest commit was indexed before.
    Unchanged,
    /// It could not be indexed.
    Failed,
    /// The run was stopped, or the node could not be used.
    NotTried,
}

/// A repository on a node that owns it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Row {
    /// The name of the repository.
    pub repository: String,
    /// The name of the node.
    pub node: String,
    /// What became of it.
    pub state: State,
    /// The commit; empty if it is not known.
    pub commit: String,
    /// What is wrong; empty if nothing is.
    pub problem: String,
    /// The time that it took.
    pub elapsed_ms: u64,
}

/// What became of a run.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Outcome {
    /// A row for each repository and owner, ordered by both.
    pub rows: Vec<Row>,
    /// The nodes without universal-ctags, by name: what is indexed there has no symbols.
    pub without_symbols: Vec<String>,
}

/// What a run reports while it works.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Work on a repository has begun: the names of the node and the repository.
    Started(&'a str, &'a str),
    /// A repository is done on one node.
    Finished(&'a Row),
}

/// Indexes each repository on its owners, all nodes at the same time and each repository after the other.
/// A failure ends only the work on its repository, a program that is missing that on its node. Of
/// repositories with one name, the first counts. Time is that of git and of the indexer.
///
/// # Errors
///
/// [`crate::Kind::Usage`] if an owner has no directories, before anything is done.
pub fn index(
    fleet: &Fleet,
    repositories: &[Repository],
    report: &(dyn Fn(Event<'_>) + Sync),
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Outcome> {
    let placement = Placement::of(fleet);
    let mut names = BTreeSet::new();
    let mut work: Vec<Vec<&Repository>> = vec![Vec::new(); placement.members().len()];
    for repository in repositories.iter().filter(|it| names.insert(&it.name)) {
        for owner in placement.owners(&repository.name) {
            work[owner].push(repository);
        }
    }
    let mut jobs: Vec<(Indexer<'_>, Vec<&Repository>)> = Vec::new();
    for (member, repositories) in placement.members().iter().zip(work) {
        let node = fleet.nodes.iter().find(|node| node.name == member.name);
        if let Some(node) = node.filter(|_| !repositories.is_empty()) {
            jobs.push((Indexer::of(node, is_cancelled)?, repositories));
        }
    }
    let done: Vec<(Option<String>, Vec<Row>)> = std::thread::scope(|scope| {
        let run = |(indexer, repositories)| move || all(indexer, repositories, report);
        let threads: Vec<_> = jobs.into_iter().map(|job| scope.spawn(run(job))).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    });
    let mut outcome = Outcome::default();
    for (without_symbols, rows) in done {
        outcome.without_symbols.extend(without_symbols);
        outcome.rows.extend(rows);
    }
    outcome.rows.sort_by(|a, b| (&a.repository, &a.node).cmp(&(&b.repository, &b.node)));
    outcome.without_symbols.sort();
    Ok(outcome)
}

/// Indexes repositories on one node; also returns its name if it has no universal-ctags.
fn all(
    mut indexer: Indexer<'_>,
    repositories: Vec<&Repository>,
    report: &(dyn Fn(Event<'_>) + Sync),
) -> (Option<String>, Vec<Row>) {
    let mut ended = indexer.prepare().err();
    let mut rows = Vec::new();
    for repository in repositories {
        let started = Instant::now();
        let mut row = Row {
            repository: repository.name.clone(),
            node: indexer.node.name.clone(),
            state: State::NotTried,
            commit: String::new(),
            problem: String::new(),
            elapsed_ms: 0,
        };
        if ended.is_none() {
            report(Event::Started(&row.node, &row.repository));
            match indexer.one(repository, &mut row.commit) {
                Ok(state) => row.state = state,
                Err(Failure::Program(what)) => {
                    row.state = State::Failed;
                    row.problem = what;
                }
                Err(other) => ended = Some(other),
            }
            row.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        }
        if row.state == State::NotTried {
            row.problem = match &ended {
                Some(Failure::Machine(what) | Failure::Program(what)) => what.clone(),
                _ => "the run was stopped".to_owned(),
            };
        }
        report(Event::Finished(&row));
        rows.push(row);
    }
    let has_indexed = rows.iter().any(|row| row.state == State::Indexed);
    let lacks_symbols = indexer.ctags.is_none() && has_indexed;
    (lacks_symbols.then(|| indexer.node.name.clone()), rows)
}

/// Indexes repositories on a node.
struct Indexer<'a> {
    node: &'a Node,
    machine: Machine,
    index: &'a str,
    repositories: &'a str,
    /// The name of universal-ctags on the node.
    ctags: Option<&'static str>,
    is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Indexer<'a> {
    fn of(node: &'a Node, is_cancelled: &'a (dyn Fn() -> bool + Sync)) -> Result<Indexer<'a>> {
        let machine = Machine::of(node);
        let directory = |given: &'a Option<String>, name: &str| {
            let given = given.as_deref().filter(|given| !given.is_empty());
            let given = given.ok_or_else(|| {
                Error::usage(format!("the node `{}` has no directory `{name}`", node.name))
                    .with_hint(format!("add `{name} = \"/…\"` to its `[[fleet.node]]`"))
            })?;
            if machine.is_this() && !Path::new(given).is_absolute() {
                let what = format!("the directory `{name}` of the node `{}`", node.name);
                return Err(Error::usage(format!("{what} is not an absolute path")));
            }
            Ok(given)
        };
        Ok(Indexer {
            node,
            index: directory(&node.index, "index")?,
            repositories: directory(&node.repositories, "repositories")?,
            machine,
            ctags: None,
            is_cancelled,
        })
    }

    /// Creates the directories, checks that the indexer is installed before anything is cloned for it, and
    /// finds universal-ctags.
    fn prepare(&mut self) -> std::result::Result<(), Failure> {
        let mut version = Command::new(INDEXER);
        version.arg("-version");
        self.run(version)?;
        let is_usable = |name: &&&str| {
            let mut help = Command::new(name);
            help.arg("--help");
            let exited = self.run(help);
            exited.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).contains(CTAGS_FEATURE))
        };
        self.ctags = CTAGS.iter().find(is_usable).copied();
        if self.machine.is_this() {
            for dir in [self.index, self.repositories] {
                let created = std::fs::create_dir_all(dir);
                created.map_err(|error| Failure::Machine(format!("{dir}: {error}")))?;
            }
            return Ok(());
        }
        let mut create = Command::new("mkdir");
        create.args(["-p", "--", self.index, self.repositories]);
        self.done(create).map(drop).map_err(|failure| match failure {
            Failure::Program(what) => Failure::Machine(what),
            other => other,
        })
    }

    /// Brings a repository up to date; puts the commit into `commit` once it is known.
    fn one(
        &self,
        repository: &Repository,
        commit: &mut String,
    ) -> std::result::Result<State, Failure> {
        let (address, reaches) = self.address(repository)?;
        let args = ["ls-remote", "--symref", "--"].map(OsStr::new);
        let args = [&args[..], &[&address, OsStr::new("HEAD")]].concat();
        let heads = self.done(mirror_command(None, reaches, &args))?;
        let Some(Advertised { branch, commit: newest }) = advertised(&heads) else {
            return Err(Failure::Program("the repository has no commit".to_owned()));
        };
        commit.clone_from(&newest);
        let branch = format!("refs/heads/{}", branch.as_deref().unwrap_or(DETACHED));
        let clones = self.repositories.trim_end_matches('/');
        let dir = format!("{clones}/{}", repository.clone_path());
        let git = |args: &[&str]| mirror_command(Some(OsStr::new(&dir)), Reach::Nothing, args);
        let refs = self.run(git(&["for-each-ref", "--format=%(objectname) %(refname)"]))?;
        if !refs.is_success {
            let format = if newest.len() == 64 { "sha256" } else { "sha1" };
            let format = format!("--object-format={format}");
            let args = ["init", "--quiet", "--bare", "--template=", &format, "--", &dir];
            self.done(mirror_command(None, Reach::Nothing, &args))?;
        }
        let refs = String::from_utf8_lossy(&refs.stdout).into_owned();
        let is_at = |name: &str| refs.lines().any(|line| line == format!("{newest} {name}"));
        if !is_at(&branch) {
            // In this order, so that a run that is stopped leaves a clone that the next one completes.
            self.done(git(&["config", "zoekt.name", &repository.name]))?;
            self.done(git(&["symbolic-ref", "HEAD", &branch]))?;
            let refspec = OsString::from(format!("+HEAD:{branch}"));
            let args = ["fetch", "--quiet", "--depth=1", "--no-tags", "--force"].map(OsStr::new);
            let more = ["--no-recurse-submodules", "--no-write-fetch-head", "--"].map(OsStr::new);
            let args = [&args[..], &more[..], &[&address, &refspec]].concat();
            self.done(mirror_command(Some(OsStr::new(&dir)), reaches, &args))?;
        }
        // The indexer names the repository after the path below the directory of clones; older versions
        // read `zoekt.name`.
        let mut indexer = Command::new(INDEXER);
        indexer.args(["-index", self.index, "-repo_cache", clones, "-branches", "HEAD"]);
        indexer.args(["-incremental", "-submodules=false", "-require_ctags=false", "--", &dir]);
        if let Some(ctags) = self.ctags {
            indexer.env("CTAGS_COMMAND", ctags);
        }
        // It looks at the shards themselves, which may be older than the reference says.
        let indexed = self.run(indexer)?;
        if !indexed.is_success {
            return Err(Failure::Program(format!("{INDEXER}: {}", message(&indexed.stderr))));
        }
        if is_at(INDEXED) && !indexed.stderr.contains(FINISHED) {
            return Ok(State::Unchanged);
        }
        self.done(git(&["update-ref", INDEXED, &branch]))?;
        Ok(State::Indexed)
    }

    /// Returns the address that git on the node gets, and what it may reach.
    fn address(&self, repository: &Repository) -> std::result::Result<(OsString, Reach), Failure> {
        match &repository.source {
            Some(Source::Remote(remote)) => Ok((remote.url().into(), Reach::Network)),
            Some(Source::Folder(folder)) if self.machine.is_this() => {
                Ok((folder.path.clone().into_os_string(), Reach::Folders))
            }
            Some(Source::Folder(_)) => Err(Failure::Program(
                "a directory of this machine cannot be cloned on another one: give the address"
                    .to_owned(),
            )),
            None => Err(Failure::Program("where it is cloned from is not known".to_owned())),
        }
    }

    fn run(&self, program: Command) -> std::result::Result<super::machine::Exited, Failure> {
        self.machine.run(program, self.is_cancelled)
    }

    /// Runs a program that must succeed, and returns its output.
    fn done(&self, program: Command) -> std::result::Result<Vec<u8>, Failure> {
        let name = program.get_program().to_string_lossy().into_owned();
        let is_command = |word: &&OsStr| {
            let known = ["ls-remote", "init", "config", "symbolic-ref", "fetch", "update-ref"];
            known.iter().any(|known| word == known)
        };
        let command = program.get_args().find(is_command);
        let command =
            command.map(|word| format!(" {}", word.to_string_lossy())).unwrap_or_default();
        let exited = self.run(program)?;
        if exited.is_success {
            return Ok(exited.stdout);
        }
        let locked = if exited.stderr.contains(".lock'") {
            "; if no git runs there, a killed one left the lock: remove it"
        } else {
            ""
        };
        let what = message(&exited.stderr);
        Err(Failure::Program(format!("`{name}{command}`: {what}{locked}")))
    }
}
