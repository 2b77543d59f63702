//! `codedb eval history`: the quality of the tools on commits.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{ArgMatches, Command};

use crate::cli::index::{place_args, print, tree_options};
use crate::cli::place;
use crate::error::{Error, Kind, Result};
use crate::eval::history::{self, Comparison, RiskCase};
use crate::history::git::{Git, Head};
use crate::history::mailmap::Mailmap;
use crate::history::people::People;
use crate::history::read::{self, Bounds};
use crate::history::{Commit, History, Log};
use crate::lang::marks;

/// How many years before HEAD's commit risk is measured.
const YEARS: [f64; 4] = [1.0, 2.0, 3.0, 5.0];

pub(super) fn command() -> Command {
    Command::new("history")
        .about("Measure the prediction of co-change, reviewers and risk on the commits")
        .long_about(
            "Replays the commits: for each file of the newest fifth of the commits, the other files \
             of the commit and its author are predicted from the commits before it. Risk is measured \
             1, 2, 3 and 5 years before HEAD's commit, by the files that were fixed in the year after. \
             Each line has the baseline next to it: the 1/(n-1)-weighted decayed counter, the number of \
             commits of each person, and the decayed commit count.",
        )
        .args(place_args())
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let engine = place::engine(&tree_options(matches))?;
    let root = engine.root().to_path_buf();
    let none = || Error::new(Kind::NotFound, "no commits").with_path(&root);
    let head = Head::of(&root)?.ok_or_else(none)?;
    let git = Git::open(&root).ok_or_else(none)?;
    let log = read::log(&root, &head, None, &Bounds::WHOLE)?.filter(|log| !log.is_empty());
    let log = log.ok_or_else(none)?;
    let people = People::new(&log, &Mailmap::default());
    let (co_change, reviewers) = history::replayed(&log, &people);
    let mut cases: Vec<(f64, RiskCase)> = Vec::new();
    for years in YEARS {
        let Some(at) = history::point(&log, years) else { continue };
        let before = Head { commit: Some(at.id()), ..head.clone() };
        let Some(past) = read::log(&root, &before, None, &Bounds::WHOLE)? else { continue };
        let mut sizes = git.files_of(at.id())?;
        sizes.retain(|(path, _)| marks::is_own_source(path));
        cases
            .extend(history::risk(&log, at, &History::new(past), &sizes).map(|case| (years, case)));
    }
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    print(&table(&name, &log, &co_change, &reviewers, &cases))?;
    Ok(ExitCode::SUCCESS)
}

fn table(
    name: &str,
    log: &Log,
    co_change: &Comparison,
    reviewers: &Comparison,
    cases: &[(f64, RiskCase)],
) -> String {
    let mut out = format!("{name}: {} commits\n", log.len());
    let merges = log.commits().filter(Commit::is_merge).count();
    let _ = writeln!(out, "{merges} of them merges");
    for (what, of) in [("co-change", co_change), ("reviewers", reviewers)] {
        let (model, baseline) = (of.model, of.baseline);
        let _ = writeln!(
            out,
            "{what}: {} predictions, hit@1 {:.3} (baseline {:.3}), hit@3 {:.3} ({:.3}), MRR {:.3} ({:.3})",
            of.queries,
            model.hit_at_1,
            baseline.hit_at_1,
            model.hit_at_3,
            baseline.hit_at_3,
            model.mrr,
            baseline.mrr
        );
    }
    for (years, case) in cases {
        let _ = writeln!(
            out,
            "risk {years} years ago: {} files, {} fixed in the year after, AUC {:.3} (baseline {:.3})",
            case.files, case.fixed, case.model_auc, case.baseline_auc
        );
    }
    out
}
