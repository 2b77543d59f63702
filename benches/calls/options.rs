//! The command-line flags.

use std::path::PathBuf;

pub(crate) const HELP: &str = "\
calls --tree DIR --language NAME --oracle COMMAND [--seed N] [--sites N] [--below DIR]
      [--answers FILE] [--show right|wrong|missed|invented|bad|lost|all] [--protocol lsp|lines]
      [--points FILE] [--verdicts FILE]
calls --tree DIR --language NAME --oracle COMMAND --routes N [--seed N]
calls --check all|unused|NAME,... [--bless yes]
calls --tree DIR --language NAME --oracle COMMAND --store NAME
calls --model NAME [--tree DIR --answers FILE] [--show changes|right|wrong|missed]
calls --calibration FILE,...
calls --fit FILE,...
calls --table FILE,...
calls --tree DIR --language NAME --chains FILE [--functions N] [--hops N] [--show none]

  --tree DIR       the tree to read and link, and to open in the oracle
  --language NAME  the language of the calls (typescript includes tsx)
  --oracle COMMAND the language server with its flags, split at spaces
  --protocol NAME  the oracle's protocol: `lsp` (default) or `lines` (benches/calls/oracles)
  --seed N         seed of the sample (default 1); development and reports use different ones
  --sites N        number of sites (default 100)
  --below DIR      only sites in files below this directory of the tree
  --answers FILE   the oracle's answers: read if it exists, written otherwise
  --show WHICH     print these sites
  --points FILE    append the first answer of each site (language, reason, confidence, right)
  --check NAMES    instead: compare the linker with the ground truth in bench-corpus/calls, of these trees,
                   of `all` that served for repairs or of the `unused` ones; they are fetched from their
                   registries if needed; `--show` may list verdicts
  --bless yes      with `--check`: rewrite the verdicts
  --store NAME     add the oracle's answers to the ground truth of this tree of trees.toml
  --model NAME     instead: compare the prototype of the code model (model/) with the linker, on the
                   trees of the ground truth of this language or on one tree: answers, callers' times
  --calibration F  instead: print how often answers are right by confidence, from these files
                   that `--points` wrote, separated by commas
  --fit FILE,...   instead: print the counts of core/src/graph/link/calibration.rs, from these files
  --verdicts FILE  append the verdict on each site that the oracle knows, with its kind of receiver
  --table FILE,... instead: print tables by tree and by kind of receiver, with intervals, from files
                   that `--verdicts` wrote
  --routes N       instead of a sample: N pairs of functions with a route of 2 to 4 calls that the
                   oracle resolves, searched by `callpath`
  --chains FILE    the calls that an oracle listed (benches/calls/oracles/*_chains.*): instead of
                   a sample, the callers of functions behind chains of re-exports
  --functions N    number of functions, evenly spaced in the order of paths (default 40)
  --hops N         the shortest chain (default 3)";

/// The options of a run.
#[derive(Clone)]
pub(crate) struct Options {
    pub(crate) tree: PathBuf,
    pub(crate) language: String,
    pub(crate) oracle: Vec<String>,
    /// The oracle uses the line protocol and is not a language server.
    pub(crate) uses_lines: bool,
    pub(crate) seed: u64,
    pub(crate) sites: usize,
    pub(crate) below: String,
    pub(crate) answers: Option<PathBuf>,
    pub(crate) show: String,
    pub(crate) points: Option<PathBuf>,
    pub(crate) calibration: Vec<PathBuf>,
    pub(crate) fit: Vec<PathBuf>,
    pub(crate) verdicts: Option<PathBuf>,
    pub(crate) table: Vec<PathBuf>,
    pub(crate) routes: usize,
    pub(crate) chains: Option<PathBuf>,
    pub(crate) functions: usize,
    pub(crate) hops_min: usize,
    /// Names of trees of the ground truth, `all` or `unused`.
    pub(crate) check: Vec<String>,
    pub(crate) blesses: bool,
    pub(crate) store: Option<String>,
    /// The language that the prototype of the code model answers.
    pub(crate) model: Option<String>,
}

/// Returns the options; `None` for `--help`.
pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let mut options = Options {
        tree: PathBuf::new(),
        language: String::new(),
        oracle: Vec::new(),
        uses_lines: false,
        seed: 1,
        sites: 100,
        below: String::new(),
        answers: None,
        show: String::new(),
        points: None,
        calibration: Vec::new(),
        fit: Vec::new(),
        verdicts: None,
        table: Vec::new(),
        routes: 0,
        chains: None,
        functions: 40,
        hops_min: 3,
        check: Vec::new(),
        blesses: false,
        store: None,
        model: None,
    };
    while let Some(flag) = args.next() {
        if matches!(flag.as_str(), "--bench" | "--test") {
            continue;
        }
        if matches!(flag.as_str(), "--help" | "-h") {
            return Ok(None);
        }
        let value = args.next().ok_or_else(|| format!("`{flag}` needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("`{value}` is not a number"));
        match flag.as_str() {
            "--tree" => options.tree = PathBuf::from(value),
            "--language" => options.language = value,
            "--oracle" => options.oracle = value.split_whitespace().map(str::to_owned).collect(),
            "--protocol" => options.uses_lines = value == "lines",
            "--seed" => options.seed = number()?,
            "--sites" => options.sites = number()? as usize,
            "--below" => options.below = value,
            "--answers" => options.answers = Some(PathBuf::from(value)),
            "--show" => options.show = value,
            "--points" => options.points = Some(PathBuf::from(value)),
            "--calibration" => options.calibration = value.split(',').map(PathBuf::from).collect(),
            "--fit" => options.fit = value.split(',').map(PathBuf::from).collect(),
            "--verdicts" => options.verdicts = Some(PathBuf::from(value)),
            "--table" => options.table = value.split(',').map(PathBuf::from).collect(),
            "--routes" => options.routes = number()? as usize,
            "--chains" => options.chains = Some(PathBuf::from(value)),
            "--functions" => options.functions = number()? as usize,
            "--check" => options.check = value.split(',').map(str::to_owned).collect(),
            "--bless" => options.blesses = value == "yes",
            "--store" => options.store = Some(value),
            "--model" => options.model = Some(value),
            "--hops" => options.hops_min = number()? as usize,
            _ => return Err(format!("unknown flag `{flag}`; see `--help`")),
        }
    }
    let is_sample = !options.tree.as_os_str().is_empty() && !options.language.is_empty();
    let reads_files = [&options.calibration, &options.fit, &options.table];
    let checks = !options.check.is_empty() || options.model.is_some();
    if !is_sample && !checks && reads_files.iter().all(|files| files.is_empty()) {
        // `cargo bench` runs every bench without flags.
        Ok(None)
    } else {
        Ok(Some(options))
    }
}
