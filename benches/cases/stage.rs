//! The input of the cases: the corpus, its index, and the program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{fs, thread};

use codedb::engine::{self, Engine, Pace, Stop};
use codedb::index::store::Store;
use codedb::source::global_excludes::GlobalExcludes;
use codedb::source::walk::Environment;
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

use super::corpus::cache::Cache;
use super::corpus::manifest::Profile;
use super::corpus::{Corpus, Outcome};
use super::print_message;

/// The program `codedb`, which cargo builds together with this bench.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_codedb");

/// The number of indexes in the cache; each belongs to one build of the program.
const INDEXES_MAX: usize = 8;

/// The time limit until a watcher replies.
const WATCH_PATIENCE: Duration = Duration::from_secs(30);

/// The corpus with an index of all stages, built by the program under test.
#[derive(Debug)]
pub(crate) struct Stage {
    /// The corpus.
    pub(crate) corpus: Corpus,
    /// The profile.
    pub(crate) profile: Profile,
    /// A temporary directory for cases that write.
    pub(crate) scratch: TempDir,
    /// The value of `--index-dir`.
    index_dir: PathBuf,
    /// The index directory in it.
    store: PathBuf,
    /// An empty home directory, so that the user's settings have no effect.
    home: PathBuf,
}

impl Stage {
    /// Opens the index of this build of the program, or builds it.
    ///
    /// # Errors
    ///
    /// The error message of the program.
    pub(crate) fn prepare(corpus: Corpus, cache: &Cache, profile: Profile) -> Outcome<Stage> {
        if let Some(stage) = Stage::find(&corpus, cache, profile)? {
            return Ok(stage);
        }
        let mut stage = Stage::unprepared(corpus, cache, profile)?;
        let fail = |error: std::io::Error| format!("{}: {error}", stage.index_dir.display());
        if stage.index_dir.exists() {
            fs::remove_dir_all(&stage.index_dir).map_err(fail)?;
        }
        fs::create_dir_all(&stage.index_dir).map_err(fail)?;
        fs::create_dir_all(&stage.home).map_err(fail)?;
        print_message(&format!("indexing the corpus `{profile}`"));
        stage.output_of(&["index", "--no-progress"])?;
        let status: serde_json::Value =
            serde_json::from_str(&stage.output_of(&["status", "--json"])?)
                .map_err(|error| format!("`codedb status --json`: {error}"))?;
        let store = status["index_dir"].as_str().ok_or("`codedb status` names no index")?;
        // This file is written last; an index without it is incomplete.
        fs::write(stage.index_dir.join("store"), store).map_err(fail)?;
        stage.store = PathBuf::from(store);
        forget_oldest(cache);
        Ok(stage)
    }

    /// Opens the index of this build of the program; `None` if there is none.
    ///
    /// # Errors
    ///
    /// If the program cannot be read.
    pub(crate) fn find(corpus: &Corpus, cache: &Cache, profile: Profile) -> Outcome<Option<Stage>> {
        let corpus = Corpus { tree: corpus.tree.clone(), hash: corpus.hash.clone() };
        let mut stage = Stage::unprepared(corpus, cache, profile)?;
        let Ok(store) = fs::read_to_string(stage.index_dir.join("store")) else { return Ok(None) };
        stage.store = PathBuf::from(store);
        Ok(stage.store.is_dir().then_some(stage))
    }

    fn unprepared(corpus: Corpus, cache: &Cache, profile: Profile) -> Outcome<Stage> {
        // Another build may write a different index under the same version.
        let program = fs::read(PROGRAM).map_err(|error| format!("{PROGRAM}: {error}"))?;
        // The regression report measures two programs at the same time, which may be identical. An
        // index has only one watcher, so each program gets its own index.
        let build = xxh3_64(&[&program, PROGRAM.as_bytes()].concat());
        let short = &corpus.hash[..8];
        let index_dir =
            cache.root().join("indexes").join(format!("{profile}-{short}-{build:016x}"));
        let home = cache.root().join("home");
        let scratch =
            tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
        Ok(Stage { corpus, profile, scratch, index_dir, store: PathBuf::new(), home })
    }

    /// Returns the index directory.
    pub(crate) fn store(&self) -> &Path {
        &self.store
    }

    /// Returns the value of `--index-dir`.
    pub(crate) fn index_dir(&self) -> &Path {
        &self.index_dir
    }

    /// Returns the tree's root as it occurs in replies.
    pub(crate) fn root(&self) -> String {
        self.corpus.tree.display().to_string()
    }

    /// Returns a new engine of the corpus.
    pub(crate) fn engine(&self, threads: usize) -> Engine {
        self.engine_at(self.corpus.tree.clone(), self.store.clone(), threads)
    }

    /// Returns an engine of another tree, under the same settings.
    pub(crate) fn engine_at(&self, root: PathBuf, store: PathBuf, threads: usize) -> Engine {
        // The same excludes as the program finds, since the index records the origin of its rules.
        let excludes = self.home.join(".config/git/ignore");
        let excludes = GlobalExcludes::new(move || Some(excludes.clone()), Vec::new());
        let environment = Environment { global_excludes: Some(excludes), threads };
        Engine::new(root, Store::new(store, false), environment)
    }

    /// Returns the program, for a tree and its index, with no settings of the user.
    fn program(&self, root: &Path, index_dir: &Path, args: &[&str]) -> Command {
        let mut program = Command::new(PROGRAM);
        program.arg("--root").arg(root).arg("--index-dir").arg(index_dir).args(args);
        program.current_dir(root).stdin(Stdio::null());
        program.env("HOME", &self.home).env("USERPROFILE", &self.home);
        program.env("CODEDB_BACKGROUND", "0").env("GIT_CONFIG_NOSYSTEM", "1");
        for name in ["XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "RIPGREP_CONFIG_PATH"] {
            program.env_remove(name);
        }
        program
    }

    /// Runs the program and returns what it printed.
    ///
    /// # Errors
    ///
    /// The program's error message; "nothing found" is not an error.
    pub(crate) fn output_of(&self, args: &[&str]) -> Outcome<String> {
        self.output_at(&self.corpus.tree, &self.index_dir, args)
    }

    /// Runs the program for another tree and its index and returns what it printed.
    ///
    /// # Errors
    ///
    /// As [`Stage::output_of`].
    pub(crate) fn output_at(
        &self,
        root: &Path,
        index_dir: &Path,
        args: &[&str],
    ) -> Outcome<String> {
        let mut program = self.program(root, index_dir, args);
        let output = program.output().map_err(|e| format!("{PROGRAM}: {e}"))?;
        if !matches!(output.status.code(), Some(0 | 1)) {
            let stderr = String::from_utf8_lossy(&output.stderr);
            return Err(format!("`codedb {}` failed: {}", args.join(" "), stderr.trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Removes the least recently used indexes of other builds.
fn forget_oldest(cache: &Cache) {
    let Ok(entries) = fs::read_dir(cache.root().join("indexes")) else { return };
    let mut dated: Vec<_> = entries
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    dated.sort();
    for (_, path) in dated.iter().rev().skip(INDEXES_MAX) {
        let _ = fs::remove_dir_all(path);
    }
}

/// A thread that watches the corpus, as `codedb mcp` has one; it ends when this is dropped.
pub(crate) struct Watcher {
    engine: Engine,
    stop: std::sync::Arc<Stop>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Starts the watcher and waits until it replies. If the system has no watcher or refuses this
    /// one, each call checks all metadata, and a message is printed.
    ///
    /// # Errors
    ///
    /// If the system grants no descriptors.
    pub(crate) fn start(engine: Engine) -> Outcome<Watcher> {
        let stop = std::sync::Arc::new(Stop::new().map_err(|error| error.to_string())?);
        let (engine_of_thread, stop_of_thread) = (engine.clone(), std::sync::Arc::clone(&stop));
        let thread = thread::spawn(move || {
            if let Err(error) = engine::serve(&engine_of_thread, &Pace::default(), &stop_of_thread)
            {
                print_message(&format!("the corpus is not watched: {error}"));
            }
        });
        let since = Instant::now();
        while !thread.is_finished() && since.elapsed() < WATCH_PATIENCE && !answers(&engine) {
            thread::sleep(Duration::from_millis(20));
        }
        Ok(Watcher { engine, stop, thread: Some(thread) })
    }

    /// Returns the engine that is watched: its calls are answered as those of a server are.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }
}

fn answers(engine: &Engine) -> bool {
    engine::start_sync(engine).is_some_and(|request| request.wait(Duration::from_secs(1)).is_some())
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
