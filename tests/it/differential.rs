//! `codedb search` against `rg --sort path` on random trees, edits and command lines, byte for
//! byte.
//!
//! Every round is determined by its seed: a tree, an index, then steps of edits and queries.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `CODEDB_SEED` | the seed of the first round; a failure prints the seed to set |
//! | `CODEDB_LONG=1` | run for `CODEDB_LONG_SECS` seconds (default 600) instead of 2 rounds |
//! | `CODEDB_MAX_FAILURES` | continue until this many rounds have failed (default 1) |
//! | `CODEDB_BIN` | the program under test (default: this crate's `codedb`) |
//! | `CODEDB_NO_INDEX=1` | only `--no-index` (to test the flags without an index) |
//! | `CODEDB_RG` | the ripgrep 15 to compare with |

use std::cell::Cell;
use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::peer;
use crate::support::compare::difference;
use crate::support::mutate::mutate;
use crate::support::prng::Prng;
use crate::support::process::{Program, command, output, run};
use crate::support::query::Query;
use crate::support::tree::Tree;

/// Rounds of a short run.
const SHORT_ROUNDS: u64 = 2;
const SEED_DEFAULT: u64 = 20_240_601;
const STEPS_PER_ROUND: usize = 8;
const QUERIES_PER_STEP: usize = 5;

#[test]
fn codedb_prints_what_ripgrep_prints() {
    let time =
        flag("CODEDB_LONG").then(|| Duration::from_secs(number("CODEDB_LONG_SECS").unwrap_or(600)));
    let first_seed = number("CODEDB_SEED").unwrap_or(SEED_DEFAULT);
    let failures_max =
        usize::try_from(number("CODEDB_MAX_FAILURES").unwrap_or(1)).expect("a small number");
    let binary = env::var_os("CODEDB_BIN")
        .map_or_else(|| env!("CARGO_BIN_EXE_codedb").into(), PathBuf::from);
    let setup = Setup::new(binary, flag("CODEDB_NO_INDEX"));

    let start = Instant::now();
    let mut failures = Vec::new();
    let mut rounds = 0;
    for seed in first_seed.. {
        rounds += 1;
        failures.extend(round(&setup, seed).err().map(|failure| failure.report));
        let is_over = time.map_or(rounds >= SHORT_ROUNDS, |time| start.elapsed() >= time);
        if failures.len() >= failures_max || is_over {
            break;
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {rounds} rounds differ\n\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

/// Tests the harness itself: the program under test is a wrapper around ripgrep that removes
/// codedb's own flags.
#[test]
fn ripgrep_prints_what_ripgrep_prints() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let setup = Setup::new(wrapper(folder.path(), "cat"), false);
    for seed in 0..2 {
        if let Err(failure) = round(&setup, seed) {
            panic!("{}", failure.report);
        }
    }
    let (queries, answered) = (setup.queries.get(), setup.answered.get());
    assert!(
        answered * 3 >= queries,
        "only {answered} of {queries} queries find something: too little is compared"
    );
}

/// Tests that the harness detects a fault: the wrapper drops the last line of every output.
#[test]
fn a_dropped_line_is_detected() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let setup = Setup::new(wrapper(folder.path(), "sed '$d'"), false);
    let Err(Failure { report, tree }) = round(&setup, 0) else { panic!("a line is missing") };
    fs::remove_dir_all(tree).expect("the kept tree can be removed");
    assert!(report.contains("stdout:") && report.contains("CODEDB_SEED=0"), "{report}");
}

/// The program under test.
struct Setup {
    binary: PathBuf,
    no_index_only: bool,
    /// The number of queries, and the number of queries for which ripgrep printed something.
    queries: Cell<usize>,
    answered: Cell<usize>,
}

/// The way in which a query is run; all variants must print the same.
#[derive(Clone, Copy, PartialEq)]
enum Variant {
    Strict,
    NoIndex,
    OneThread,
    /// Only right after `codedb index`, when nothing has changed since.
    Trust,
}

impl Setup {
    fn new(binary: PathBuf, no_index_only: bool) -> Self {
        Self { binary, no_index_only, queries: Cell::new(0), answered: Cell::new(0) }
    }

    fn codedb(&self, tree: &Tree, variant: Variant) -> Program {
        let mut prefix: Vec<OsString> = vec!["search".into(), "--no-background".into()];
        prefix.extend(["--root".into(), tree.root().into()]);
        prefix.extend(["--index-dir".into(), tree.index_dir().into()]);
        let own: &[&str] = match variant {
            Variant::Strict => &["--fresh", "strict"],
            Variant::NoIndex => &["--no-index"],
            Variant::OneThread => &["--fresh", "strict", "-j1"],
            Variant::Trust => &["--fresh", "trust"],
        };
        prefix.extend(own.iter().map(OsString::from));
        Program { path: self.binary.clone(), prefix, name: "codedb" }
    }

    fn index_command(&self, tree: &Tree) -> std::process::Command {
        let mut index = command(&self.binary, tree);
        index.arg("index").arg("--root").arg(tree.root()).arg("--index-dir").arg(tree.index_dir());
        index.args(["--wait", "ready"]).current_dir(tree.root());
        index
    }
}

/// A round with a difference between the two programs.
struct Failure {
    report: String,
    /// The tree, which is kept on disk.
    tree: PathBuf,
}

/// Runs the round of `seed`.
fn round(setup: &Setup, seed: u64) -> Result<(), Failure> {
    let mut rng = Prng::new(seed);
    let tree = Tree::generate(&mut rng).expect("the tree can be written");
    thread::sleep(Duration::from_millis(50)); // Longer than the resolution of modification times.
    let mut log = Vec::new();
    let outcome = steps(setup, &mut rng, &tree, &mut log);
    outcome.map_err(|difference| {
        let kept = tree.keep();
        let mut report = format!("seed: CODEDB_SEED={seed}\ntree: {}\n", kept.display());
        for (number, line) in log.iter().enumerate() {
            writeln!(report, "{:4}. {line}", number + 1).expect("writing to a string");
        }
        Failure { report: report + &difference, tree: kept }
    })
}

fn steps(setup: &Setup, rng: &mut Prng, tree: &Tree, log: &mut Vec<String>) -> Result<(), String> {
    let mut refreshed = false;
    for step in 0..STEPS_PER_ROUND {
        if step > 0 {
            for _ in 0..rng.below(4) {
                log.push(mutate(rng, tree));
                refreshed = false;
            }
        }
        if !setup.no_index_only && (step == 0 || rng.chance(25)) {
            refreshed = refresh(setup, rng, tree, log)?;
        }
        for _ in 0..QUERIES_PER_STEP {
            let query = Query::generate(rng, tree);
            let variant = match rng.below(10) {
                _ if setup.no_index_only => Variant::NoIndex,
                0 => Variant::NoIndex,
                1 => Variant::OneThread,
                2 | 3 if refreshed && inside(&query, tree) => Variant::Trust,
                _ => Variant::Strict,
            };
            check(setup, &query, variant, tree)?;
        }
    }
    Ok(())
}

/// `--fresh trust` applies only below the index's root; other paths are walked.
fn inside(query: &Query, tree: &Tree) -> bool {
    query.cwd.starts_with(tree.root())
}

/// Runs `codedb index`, sometimes while the tree changes; returns true if nothing changed
/// meanwhile.
fn refresh(
    setup: &Setup,
    rng: &mut Prng,
    tree: &Tree,
    log: &mut Vec<String>,
) -> Result<bool, String> {
    let mut index = setup.index_command(tree);
    let racing = rng.chance(20);
    log.push(if racing { "codedb index, while:".into() } else { "codedb index".into() });
    let (output, hung) = if racing {
        let child =
            index.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        for _ in 0..rng.between(1, 6) {
            log.push(mutate(rng, tree));
        }
        (child.and_then(std::process::Child::wait_with_output).expect("codedb runs"), false)
    } else {
        output(index, None)
    };
    if hung || output.status.code() == Some(101) || output.status.code().is_none() {
        let stderr = output.stderr.escape_ascii().to_string();
        return Err(format!("codedb index: {}, hung: {hung}, stderr: {stderr}", output.status));
    }
    Ok(!racing && output.status.success())
}

fn check(setup: &Setup, query: &Query, variant: Variant, tree: &Tree) -> Result<(), String> {
    let rg = Program { path: peer::rg(), prefix: vec!["--sort".into(), "path".into()], name: "rg" };
    let ours = setup.codedb(tree, variant);
    let differs = |query: &Query| difference(&run(&rg, query, tree), &run(&ours, query, tree));
    let peers = run(&rg, query, tree);
    setup.queries.set(setup.queries.get() + 1);
    setup.answered.set(setup.answered.get() + usize::from(!peers.stdout.is_empty()));
    let Some(first) = difference(&peers, &run(&ours, query, tree)) else { return Ok(()) };
    let alike = |query: &Query| differs(query).is_some_and(|again| again.parts == first.parts);
    let small = shrink(query, alike);
    let what = differs(&small)
        .map_or_else(|| format!("(came and went)\n{}", first.report), |last| last.report);
    let own: Vec<String> =
        ours.prefix.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    Err(format!("query: {query}\nshrunk: {small}\ncodedb {}\n{what}", own.join(" ")))
}

/// Reduces a query: leaves out flags and operands as long as the outputs still differ.
fn shrink(query: &Query, differs: impl Fn(&Query) -> bool) -> Query {
    let mut small = query.clone();
    for at in (0..query.flags.len()).rev() {
        let mut fewer = small.clone();
        fewer.flags.remove(at);
        if differs(&fewer) {
            small = fewer;
        }
    }
    for at in (1..query.operands.len()).rev() {
        let mut fewer = small.clone();
        fewer.operands.remove(at);
        if differs(&fewer) {
            small = fewer;
        }
    }
    small
}

/// Writes a script that runs ripgrep for `search` without codedb's own flags and pipes its output
/// through `print`. For `index` the script does nothing.
fn wrapper(folder: &Path, print: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("codedb");
    let script = format!(
        r#"#!/bin/sh
[ "$1" = search ] || exit 0
shift
while :; do
  case $1 in
    --no-background|--no-index) shift;;
    --index-dir|--root|--fresh) shift 2;;
    *) break;;
  esac
done
'{rg}' --sort path "$@" >"$0.out" 2>"$0.err"
code=$?
{print} <"$0.out"
sed 's/^rg: /codedb: /' <"$0.err" >&2
exit $code
"#,
        rg = peer::rg().display(),
    );
    fs::write(&path, script).expect("the wrapper can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
        .expect("the wrapper can be made executable");
    path
}

fn flag(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| value != "0" && !value.is_empty())
}

fn number(name: &str) -> Option<u64> {
    env::var(name)
        .ok()
        .map(|value| value.parse().unwrap_or_else(|_| panic!("{name} is no number: `{value}`")))
}
