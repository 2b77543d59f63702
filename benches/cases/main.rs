//! Every tool on the corpus: `cargo bench --bench cases -- --profile small|full`.
//!
//! A case is one call of a tool, of a component of the engine, over the protocol, or of the
//! program. Before a measurement, each tool's reply is compared with the hash in
//! bench-corpus/cases. [`set`] lists the cases, [`stage`] prepares their input (an index, a
//! watcher). [`measure`] runs them with criterion, [`table`] prints those of the tools that the
//! reference engine has, too, [`driver`] runs them for the regression report, [`once`] for
//! callgrind; [`check`] only checks the replies, and the [`ranking`] of `codedb context`. See docs/benchmarks.md.

mod bless;
mod case;
mod case_file;
mod check;
mod cli;
#[expect(dead_code, reason = "other benches use more of it")]
#[path = "../corpus/mod.rs"]
mod corpus;
mod driver;
mod engine;
mod golden;
mod mcp;
mod measure;
mod once;
mod options;
mod ranking;
mod reply;
mod set;
mod stage;
mod table;
mod tool;

use std::path::Path;
use std::process::ExitCode;

use corpus::Outcome;
use corpus::cache::Cache;
use corpus::manifest::Manifest;
use options::{Action, Options};

fn main() -> ExitCode {
    let outcome = options::parse(std::env::args_os().skip(1)).and_then(|options| run(&options));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            print_message(&format!("cases: {message}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Outcome<()> {
    if options.action == Action::Help {
        print(options::HELP);
        return Ok(());
    }
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench-corpus");
    let path = place.join("manifest.toml");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let manifest = Manifest::parse(&text)?;
    let cache = Cache::of_environment()?;
    let profile = options.profile;
    if options.action == Action::Fetch {
        let corpus = corpus::fetch(&manifest, profile, &cache, &print_message)?;
        print(&format!("the corpus `{profile}` is in {}\n", corpus.tree.display()));
        return Ok(());
    }
    let files = case_file::read_all(&place.join("cases"))?;
    case_file::check_tools(&files, profile, &set::tools())?;
    if let Action::Once(name) = &options.action {
        let corpus = corpus::opened_unchecked(&manifest, profile, &cache)?;
        return once::run(&corpus, &cache, &files, options, name);
    }
    let corpus = corpus::open(&manifest, profile, &cache)?;
    let stage = stage::Stage::prepare(corpus, &cache, profile)?;
    match &options.action {
        Action::Prepare => {
            print(&format!("the index of `{profile}` is in {}\n", stage.store().display()));
            Ok(())
        }
        Action::Bless => bless::run(&stage, &files, &place.join("rankings"), options),
        Action::Check => check::run(&stage, &files, &place.join("rankings"), options),
        Action::Table => table::run(&stage, &files, options),
        Action::Driver => driver::run(&stage, &files, options),
        Action::Measure => measure::run(&stage, &files, options),
        Action::Help | Action::Fetch | Action::Once(_) => Ok(()),
    }
}

/// Prints a result.
#[expect(clippy::print_stdout, reason = "a bench prints its results")]
fn print(text: &str) {
    print!("{text}");
}

/// Prints a message that is not a result.
#[expect(clippy::print_stderr, reason = "a bench prints its progress")]
fn print_message(text: &str) {
    eprintln!("{text}");
}
