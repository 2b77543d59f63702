//! `--table`: the latency of each tool that the reference engine has, beside the medians that its
//! authors publish. The table is Markdown, for README.md and docs/benchmarks.md.

use std::hint::black_box;
use std::time::{Duration, Instant};

use regex_automata::meta::Regex;

use super::case::{Case, Mode};
use super::case_file::CaseFile;
use super::check;
use super::corpus::Outcome;
use super::options::Options;
use super::print;
use super::set;
use super::stage::Stage;

/// The tools of the reference engine, with the median latency that it publishes in microseconds.
const REFERENCE: &[(&str, f64)] = &[
    ("bundle", 509.0),
    ("changes", 54.0),
    ("deps", 9.5),
    ("edit", 10.7),
    ("find", 62.0),
    ("hot", 105.0),
    ("outline", 310.0),
    ("read", 98.0),
    ("search", 145.0),
    ("snapshot", 303.0),
    ("status", 13.0),
    ("symbol", 65.0),
    ("tree", 84.0),
    ("word", 85.0),
];

/// How long a case is warmed up and measured.
const WARM_UP: Duration = Duration::from_millis(100);
const MEASURED: Duration = Duration::from_millis(600);

/// The minimum and maximum number of measured calls of a case.
const CALLS_MIN: usize = 15;
const CALLS_MAX: usize = 5_000;

/// Checks the replies of the cases, measures each call by itself, and prints the table.
///
/// # Errors
///
/// If a case fails or its reply is wrong; then nothing is measured.
pub(crate) fn run(stage: &Stage, files: &[CaseFile], options: &Options) -> Outcome<()> {
    // Other groups are not prepared.
    let tools = Regex::new("^tool/").map_err(|error| error.to_string())?;
    let filter = options.filter.clone().or(Some(tools));
    let options = Options { filter, ..options.clone() };
    let set = set::some_cases(stage, files, &options, Mode::Watched)?;
    let of_tool = |case: &Case<'_>, tool: &str| {
        case.name.strip_prefix("tool/").is_some_and(|name| name.split('/').next() == Some(tool))
    };
    let all: Vec<(&str, f64, Vec<&Case<'_>>)> = REFERENCE
        .iter()
        .map(|&(tool, reference)| {
            (tool, reference, set.cases.iter().filter(|case| of_tool(case, tool)).collect())
        })
        .filter(|(.., cases): &(_, _, Vec<_>)| !cases.is_empty())
        .collect();
    check::replies(stage, all.iter().flat_map(|(.., cases)| cases.iter().copied()))?;
    let mut out = String::from(
        "| tool | reference | usual call | ratio | all calls |\n| --- | ---: | ---: | ---: | --- |\n",
    );
    for (tool, reference, cases) in all {
        let mut medians = Vec::new();
        for case in cases {
            medians.push((case.name.rsplit('/').next().unwrap_or_default(), median_us(case)?));
        }
        let usual = medians[0].1;
        let each: Vec<String> =
            medians.iter().map(|(name, us)| format!("{name} {}", shown(*us))).collect();
        out.push_str(&format!(
            "| {tool} | {} µs | {} µs | {:.2} | {} |\n",
            shown(reference),
            shown(usual),
            usual / reference,
            each.join(", ")
        ));
    }
    print(&out);
    Ok(())
}

/// Returns the median time of a call in microseconds.
fn median_us(case: &Case<'_>) -> Outcome<f64> {
    let started = Instant::now();
    while started.elapsed() < WARM_UP {
        black_box(case.run()?);
    }
    let (started, mut times) = (Instant::now(), Vec::new());
    while times.len() < CALLS_MIN || (started.elapsed() < MEASURED && times.len() < CALLS_MAX) {
        let began = Instant::now();
        black_box(case.run()?);
        times.push(began.elapsed().as_nanos() as f64 / 1000.0);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Returns a number of microseconds with two or three digits that count.
fn shown(us: f64) -> String {
    if us < 100.0 { format!("{us:.1}") } else { format!("{us:.0}") }
}
