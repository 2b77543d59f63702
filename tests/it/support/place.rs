//! A small temporary tree, its index directory outside of the tree, and runs of both programs.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use codedb::source::stamp::RACY_WINDOW;
use tempfile::TempDir;

use super::prng::Prng;
use super::process::{TIMEOUT, output};
use crate::peer;

/// The words of generated texts; each query searches for some of them.
pub(crate) const WORDS: &[&str] = &[
    "alpha",
    "Beta",
    "gamma_ray",
    "delta",
    "epsilon",
    "ZETA_MAX",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "omicron",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "phi",
];

/// A temporary directory with a tree, an index directory and a home directory.
pub(crate) struct Place {
    base: TempDir,
}

/// The output of a program.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Answer {
    /// Standard output.
    pub(crate) stdout: Vec<u8>,
    /// Standard error.
    pub(crate) stderr: String,
    /// The exit code.
    pub(crate) code: i32,
}

impl Answer {
    /// Runs `command` until it exits; a hang, a death by signal or a panic fails the test.
    pub(crate) fn of(command: Command) -> Answer {
        let line = format!("{command:?}");
        let (output, hung) = output(command, None);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!hung, "hangs: {line}\n{stderr}");
        let code = output.status.code().unwrap_or_else(|| panic!("{}: {line}", output.status));
        assert!(code != 101 && !stderr.contains("panicked at"), "panics: {line}\n{stderr}");
        Answer { stdout: output.stdout, stderr, code }
    }

    /// Fails unless the exit code is 0.
    #[track_caller]
    pub(crate) fn expect_success(self) -> Answer {
        assert_eq!(self.code, 0, "{}\n{}", self.stderr, self.text());
        self
    }

    /// Returns standard output as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// Returns the JSON that a command prints without what it adds to the reply of the tool: the list as
/// `items`, and `truncated`.
pub(crate) fn without_items(json: &str) -> String {
    match json.rfind(",\"items\":[") {
        Some(at) => format!("{}}}\n", &json[..at]),
        None => json.to_owned(),
    }
}

impl Place {
    /// Creates an empty tree.
    pub(crate) fn new() -> Place {
        Place::below(&std::env::temp_dir())
    }

    /// Creates an empty tree in a temporary directory below `parent`.
    pub(crate) fn below(parent: &Path) -> Place {
        let base = tempfile::Builder::new().prefix("codedb-place-").tempdir_in(parent);
        let place = Place { base: base.expect("a temporary directory") };
        for folder in ["tree", "home"] {
            fs::create_dir(place.base.path().join(folder)).expect("a directory can be created");
        }
        place
    }

    /// Returns the directory that contains everything.
    pub(crate) fn base(&self) -> PathBuf {
        self.base.path().canonicalize().expect("the directory exists")
    }

    /// Returns the tree's root.
    pub(crate) fn root(&self) -> PathBuf {
        self.base().join("tree")
    }

    /// Returns the directory of the indexes; it does not exist before the first build.
    pub(crate) fn cache(&self) -> PathBuf {
        self.base().join("index")
    }

    /// Returns the directory of the tree's index, which must have been built.
    pub(crate) fn store(&self) -> PathBuf {
        store_in(&self.cache())
    }

    /// Writes a file of the tree and creates its directories.
    pub(crate) fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a file has a directory")).expect("a directory");
        fs::write(&path, text).expect("a file can be written");
    }

    /// Writes `files` files of some lines of [`WORDS`], in directories of 40.
    pub(crate) fn fill(&self, rng: &mut Prng, files: usize) {
        for file in 0..files {
            let path = format!("d{}/f{file}.txt", file / 40);
            self.write(path, text(rng, &format!("file{file}")));
        }
    }

    /// Returns a command that runs `program` in the tree, without the user's settings.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let home = self.base().join("home");
        let mut command = Command::new(program);
        command
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("XDG_CACHE_HOME", home.join(".cache"))
            .env("CODEDB_BACKGROUND", "0")
            .env_remove("CODEDB_INDEX_DIR")
            .env_remove("CODEDB_DATA_DIR")
            .env_remove("XDG_DATA_HOME")
            .env_remove("RIPGREP_CONFIG_PATH")
            .current_dir(self.root());
        command
    }

    /// Runs git in the root with a fixed author and without the settings of the system; returns its
    /// output.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let mut command = self.command("git");
        let author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        command.args(author).args(["-c", "commit.gpgsign=false"]).args(args);
        command.env("GIT_CONFIG_NOSYSTEM", "1").env_remove("GIT_DIR");
        Answer::of(command).expect_success().text()
    }

    /// Returns the command line of `codedb NAME` for this tree and index.
    pub(crate) fn codedb_words(&self, name: &str) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![env!("CARGO_BIN_EXE_codedb").into(), name.into()];
        words.extend(["--root".into(), self.root().into()]);
        words.extend(["--index-dir".into(), self.cache().into()]);
        words
    }

    /// Returns `codedb NAME` for this tree and index.
    pub(crate) fn codedb(&self, name: &str) -> Command {
        let words = self.codedb_words(name);
        let mut command = self.command(&words[0]);
        command.args(&words[1..]);
        command
    }

    /// Makes the repository of `codedb demo` in the tree, with a full index; returns its root.
    pub(crate) fn demo(&self) -> PathBuf {
        let shop = self.root().join("shop");
        let run = |words: &[&str], at: &Path| {
            let mut command = self.command(env!("CARGO_BIN_EXE_codedb"));
            command.args(words).current_dir(at);
            Answer::of(command).expect_success()
        };
        run(&["demo", "shop", "--no-tour"], &self.root());
        run(&["index", "--stage", "full", "-q"], &shop);
        shop
    }

    /// Runs `codedb index` with the stage `ready`, unless `args` select another one.
    pub(crate) fn index(&self, args: &[&str]) -> Answer {
        let mut command = self.codedb("index");
        if !args.contains(&"--stage") {
            command.args(["--stage", "ready"]);
        }
        command.args(args);
        Answer::of(command)
    }

    /// Waits until no background build of this place runs. A command starts its builder before it
    /// exits, so no builder starts after this call.
    pub(crate) fn wait_for_builders(&self) {
        if cfg!(target_os = "linux") {
            let base = self.base().into_os_string().into_encoded_bytes();
            let started = Instant::now();
            while is_argument_of_a_process(&base) {
                assert!(
                    started.elapsed() < TIMEOUT,
                    "a builder of {} hangs",
                    self.base().display()
                );
                thread::sleep(Duration::from_millis(5));
            }
        } else {
            thread::sleep(Duration::from_millis(500));
        }
    }

    /// Runs `codedb search` with `--fresh strict` and without a background build.
    pub(crate) fn search(&self, args: &[&str]) -> Answer {
        self.search_in(&self.cache(), "strict", args)
    }

    /// Runs `codedb search` with the indexes of `cache`.
    pub(crate) fn search_in(&self, cache: &Path, fresh: &str, args: &[&str]) -> Answer {
        let mut command = self.command(env!("CARGO_BIN_EXE_codedb"));
        command.args(["search", "--no-background", "--fresh", fresh, "--root"]).arg(self.root());
        command.arg("--index-dir").arg(cache).args(args);
        Answer::of(command)
    }

    /// Runs `rg --sort path`.
    pub(crate) fn rg(&self, args: &[&str]) -> Answer {
        let mut command = self.command(peer::rg());
        command.args(["--sort", "path"]).args(args);
        Answer::of(command)
    }

    /// Fails unless a strict search prints the same as ripgrep; returns the output.
    #[track_caller]
    pub(crate) fn check(&self, args: &[&str]) -> Answer {
        let (expected, found) = (self.rg(args), self.search(args));
        assert_eq!(
            (found.text(), found.code),
            (expected.text(), expected.code),
            "search {args:?} in {}, {}",
            self.root().display(),
            found.stderr
        );
        expected
    }
}

/// Returns true if the command line of a running process contains `text`.
fn is_argument_of_a_process(text: &[u8]) -> bool {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|process| fs::read(process.path().join("cmdline")).ok())
        .any(|line| line.windows(text.len()).any(|part| part == text))
}

/// Returns the directory of the only index in `cache`.
pub(crate) fn store_in(cache: &Path) -> PathBuf {
    let below = |dir: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    };
    let found: Vec<PathBuf> = below(cache).iter().flat_map(|tree| below(tree)).collect();
    assert_eq!(found.len(), 1, "one index in {}", cache.display());
    found.into_iter().next().expect("one")
}

/// Returns some lines of [`WORDS`]; the first line contains `mark`.
pub(crate) fn text(rng: &mut Prng, mark: &str) -> String {
    let mut text = format!("{mark}\n");
    for _ in 0..rng.between(1, 12) {
        for _ in 0..rng.between(1, 8) {
            text.push_str(rng.pick::<&str>(WORDS));
            text.push(' ');
        }
        text.push('\n');
    }
    text
}

/// Waits until the metadata of files that were just written is old enough to be trusted.
pub(crate) fn settle() {
    thread::sleep(RACY_WINDOW + Duration::from_millis(30));
}

/// Returns true if `CODEDB_LONG` selects the long form of the tests.
pub(crate) fn long() -> bool {
    std::env::var_os("CODEDB_LONG").is_some_and(|value| value != "0" && !value.is_empty())
}
