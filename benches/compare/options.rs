//! The bench's own command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lexopt::prelude::*;
use regex_automata::meta::Regex;

/// What `--help` prints.
pub(crate) const HELP: &str = "\
cargo bench --bench compare -- --tree DIR [--tree DIR …] [OPTIONS]

  --tree DIR         a tree to search; may be given again
  --profile NAME     linux, react or generic: selects the queries (default: by the tree's content)
  --rg PATH          the ripgrep to compare with (default: `rg` on PATH)
  --codedb PATH      the program under test (default: the one that cargo built for this bench)
  --rg-only          without codedb: only rg and the floor
  --other NAME=CMD   an additional peer for pattern rows; CMD is split at spaces and gets the row's arguments
  --index-dir DIR    the directory of the indexes, one per tree (default: CODEDB_INDEX_DIR, else temporary)
  --runs N           interleaved runs per row (default 10)
  --only REGEX       only the rows whose name matches
  --no-watch         do not start `codedb index --watch`
  --markdown FILE    write the tables to FILE

  --peers            compare codedb with rg, git grep, csearch, ugrep, universal-ctags and codegraph, as far as
                     installed, on a copy of each tree (below TMPDIR, with the indexes)
  --codegraph PATH   codegraph (default: `codegraph` on PATH)
  --limit SECONDS    time limit of an index build with --peers (default 900)";

/// What to do.
pub(crate) enum Command {
    /// Print the help.
    Help,
    /// Run as the bare sweep: see `sweep.rs`.
    Sweep(PathBuf),
    /// Run as the verifier of candidates: see `verify.rs`.
    Verify(PathBuf),
    /// Measure.
    Compare(Box<Options>),
}

/// The settings of a comparison.
pub(crate) struct Options {
    /// The trees, absolute.
    pub(crate) trees: Vec<PathBuf>,
    /// The requested profile.
    pub(crate) profile: Option<String>,
    /// ripgrep.
    pub(crate) rg: PathBuf,
    /// The program under test; `None` with `--rg-only`.
    pub(crate) codedb: Option<PathBuf>,
    /// Additional programs: a name, a program and its first arguments.
    pub(crate) others: Vec<(String, Vec<String>)>,
    /// The directory of the indexes.
    pub(crate) index_dir: PathBuf,
    /// The temporary directory of `index_dir` and of the lists for child processes.
    pub(crate) scratch: tempfile::TempDir,
    /// Runs of each row.
    pub(crate) runs: usize,
    /// The filter for rows.
    pub(crate) only: Option<Regex>,
    /// Whether to start a watcher.
    pub(crate) watch: bool,
    /// The output file of the tables.
    pub(crate) markdown: Option<PathBuf>,
    /// Whether to compare with all peers.
    pub(crate) peers: bool,
    /// The path of codegraph, if given.
    pub(crate) codegraph: Option<PathBuf>,
    /// The time limit of a peer's index build.
    pub(crate) limit: Duration,
}

impl Options {
    /// Returns true if the row `name` is to be measured.
    pub(crate) fn is_selected(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.is_match(name))
    }
}

/// Parses the arguments (without the program's name).
pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Result<Command, String> {
    let scratch =
        tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
    let mut options = Options {
        trees: Vec::new(),
        profile: None,
        rg: "rg".into(),
        codedb: Some(env!("CARGO_BIN_EXE_codedb").into()),
        others: Vec::new(),
        index_dir: std::env::var_os("CODEDB_INDEX_DIR")
            .map_or_else(|| scratch.path().join("index"), PathBuf::from),
        scratch,
        runs: 10,
        only: None,
        watch: true,
        markdown: None,
        peers: false,
        codegraph: None,
        limit: Duration::from_secs(900),
    };
    let mut has_index_dir = false;
    let mut parser = lexopt::Parser::from_args(args);
    let text =
        |value: OsString| value.into_string().map_err(|value| format!("not UTF-8: {value:?}"));
    while let Some(arg) = parser.next().map_err(|error| error.to_string())? {
        match arg {
            Long("bench") => {} // Cargo passes this flag to every bench.
            Short('h') | Long("help") => return Ok(Command::Help),
            Long("internal-sweep") => return Ok(Command::Sweep(value(&mut parser)?.into())),
            Long("internal-verify") => return Ok(Command::Verify(value(&mut parser)?.into())),
            Long("tree") => options.trees.push(absolute(&PathBuf::from(value(&mut parser)?))?),
            Long("profile") => options.profile = Some(text(value(&mut parser)?)?),
            Long("rg") => options.rg = value(&mut parser)?.into(),
            Long("codedb") => options.codedb = Some(absolute(&PathBuf::from(value(&mut parser)?))?),
            Long("rg-only") => options.codedb = None,
            Long("other") => options.others.push(other(&text(value(&mut parser)?)?)?),
            Long("index-dir") => {
                let dir = PathBuf::from(value(&mut parser)?);
                std::fs::create_dir_all(&dir)
                    .map_err(|error| format!("{}: {error}", dir.display()))?;
                options.index_dir = absolute(&dir)?;
                has_index_dir = true;
            }
            Long("runs") => options.runs = number("--runs", &text(value(&mut parser)?)?)?,
            Long("only") => {
                let pattern = text(value(&mut parser)?)?;
                options.only =
                    Some(Regex::new(&pattern).map_err(|error| format!("--only: {error}"))?);
            }
            Long("no-watch") => options.watch = false,
            Long("markdown") => options.markdown = Some(value(&mut parser)?.into()),
            Long("peers") => options.peers = true,
            Long("codegraph") => {
                options.codegraph = Some(absolute(&PathBuf::from(value(&mut parser)?))?);
            }
            Long("limit") => {
                let seconds = number("--limit", &text(value(&mut parser)?)?)?;
                options.limit = Duration::from_secs(seconds);
            }
            other => return Err(format!("{}\n\n{HELP}", other.unexpected())),
        }
    }
    if options.trees.is_empty() {
        return Ok(Command::Help);
    }
    if options.peers && (has_index_dir || !options.others.is_empty()) {
        return Err("`--peers` takes neither `--other` nor `--index-dir`".into());
    }
    if options.peers && !cfg!(unix) {
        return Err("`--peers` is for Unix: it compares with programs as they run there".into());
    }
    options.runs = options.runs.max(1);
    Ok(Command::Compare(Box::new(options)))
}

fn number<N: std::str::FromStr>(option: &str, text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("{option}: not a number: `{text}`"))
}

fn value(parser: &mut lexopt::Parser) -> Result<OsString, String> {
    parser.value().map_err(|error| error.to_string())
}

/// Cargo runs benches in the package's directory; relative paths start there.
fn absolute(path: &Path) -> Result<PathBuf, String> {
    path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))
}

fn other(text: &str) -> Result<(String, Vec<String>), String> {
    let (name, command) = text.split_once('=').ok_or("--other: NAME=CMD is wanted")?;
    let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() {
        return Err("--other: the command is empty".into());
    }
    Ok((name.to_owned(), words))
}
