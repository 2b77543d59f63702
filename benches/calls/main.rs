//! `cargo bench --bench calls -- --tree DIR --language NAME`: the linker against a language server.
//!
//! Samples call sites of a tree with a fixed seed, independent of the linker's results, gets the
//! definition of each from an oracle through its standard streams, and counts right, wrong and
//! missed answers among the sites whose target is in the tree, and answers to sites whose target is
//! outside. It is run manually, since oracles are large; see docs/calls-measured.md.
//! Read `options` (flags), `sample` (sites), `lsp` and `lines` (oracles), `score` (counts),
//! `kinds` (counts by receiver), `calibration` (confidences), `fit` (their table), `callers` (recall),
//! in this order; `routes` compares paths of calls, and `chains` the callers of functions that are
//! called through re-exports. `model` compares the prototype of the code model. `truth` checks stored answers: `--check all`, `--check unused`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a bench prints its table")]

mod calibration;
mod callers;
mod chains;
mod copies;
#[expect(dead_code, reason = "other benches use more of it")]
#[path = "../corpus/mod.rs"]
mod corpus;
mod fit;
mod kinds;
mod lines;
mod lsp;
mod model;
mod options;
mod routes;
mod sample;
mod score;
mod tree;
mod truth;

use std::process::ExitCode;

use options::Options;

fn main() -> ExitCode {
    let options = match options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{}", options::HELP);
            return ExitCode::SUCCESS;
        }
        Err(message) => return fail(&message),
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => fail(&message),
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("calls: {message}");
    ExitCode::from(2)
}

fn run(options: &Options) -> Result<(), String> {
    if let Some(list) = &options.chains {
        return chains::run(options, list);
    }
    if !options.calibration.is_empty() {
        return calibration::of_files(&options.calibration);
    }
    if !options.fit.is_empty() {
        return fit::run(&options.fit);
    }
    if !options.table.is_empty() {
        return kinds::of_files(&options.table);
    }
    if let Some(language) = &options.model {
        return model::compare(options, language);
    }
    if !options.check.is_empty() {
        return truth::check(&options.check, options.blesses, options);
    }
    let tree = tree::Tree::read(&options.tree)?;
    let resolve = |sites: &[sample::Site]| {
        if options.uses_lines {
            lines::resolve_sites(options, &tree, sites)
        } else {
            lsp::resolve_sites(options, &tree, sites)
        }
    };
    if options.routes > 0 {
        return routes::run(options, &tree, resolve);
    }
    let sites = sample::draw(&tree, options);
    if sites.is_empty() {
        return Err(format!("no calls in files of `{}`", options.language));
    }
    let answers = match options.answers.as_ref().and_then(|path| std::fs::read(path).ok()) {
        Some(text) => {
            let known: Vec<sample::Answered> =
                serde_json::from_slice(&text).map_err(|error| error.to_string())?;
            sample::same_sites(&sites, known)?
        }
        None => {
            let answers = resolve(&sites)?;
            if let Some(path) = &options.answers {
                let text =
                    serde_json::to_vec_pretty(&answers).map_err(|error| error.to_string())?;
                std::fs::write(path, text).map_err(|error| error.to_string())?;
            }
            answers
        }
    };
    if let Some(name) = &options.store {
        truth::store(name, options, &tree, &answers)?;
    }
    let (points, judged) = score::report(options, &tree, &answers);
    calibration::print(&points);
    callers::report(options, &tree, &answers);
    if let Some(path) = &options.points {
        calibration::append(path, &points)?;
    }
    match &options.verdicts {
        Some(path) => kinds::append(path, &judged),
        None => Ok(()),
    }
}
