//! `codedb eval levels`: whether reviewers agree with the levels of `codedb check`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::{WorkDirectory, print_redacted, read};
use crate::check::verdict::Level;
use crate::cli::index::{place_args, tree_options};
use crate::cli::{place, report};
use crate::error::{Error, Kind, Result};
use crate::eval::levels::{self, Agreement, Bench, Checked, Judged};
use crate::history::git::Git;

pub(super) fn command() -> Command {
    let path = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).value_parser(value_parser!(PathBuf)).help(help)
    };
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    Command::new("levels")
        .about("Measure whether reviewers agree with the levels of `codedb check`")
        .long_about(
            "Checks judged commits as if they were not committed yet, with the commits before them, and \
             compares the levels with those that reviewers chose. The baseline gives every commit the \
             level that agrees most often. `--root` is a repository, or a directory with one for each \
             name of the judgements.",
        )
        .arg(
            path(
                "judged",
                "FILE",
                "The judgements: one JSON object per line, with `repository`, `commit`, `level`, `or` \
                 (a level that is also accepted, or null) and `reason`",
            )
            .required(true),
        )
        .arg(path("work", "DIR", "Keep trees and indexes in DIR for the next run"))
        .arg(flag("verbose", "Also print each disagreement with both reasons").short('v'))
        .arg(flag("json", "Print one line of JSON for each commit, with the reply"))
        .args(place_args())
}

/// Runs the command.
///
/// # Errors
///
/// If the judgements are invalid, a repository is missing, or no commit can be checked.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let path = matches.get_one::<PathBuf>("judged").expect("clap requires it");
    let judged = levels::judged(&read(path)?).map_err(|error| error.with_path(path))?;
    let root = place::engine(&tree_options(matches))?.root().to_path_buf();
    let mut of_repository: BTreeMap<String, Vec<Judged>> = BTreeMap::new();
    for it in judged {
        of_repository.entry(it.repository.clone()).or_default().push(it);
    }
    let (mut checked, mut failed) = (Vec::new(), 0);
    for (name, judged) in of_repository {
        let source = source(&root, &name)?;
        let work = WorkDirectory::new(matches, &root.join(&name))?;
        let bench = Bench::new(&source, work.engine(matches)?)?;
        report::print_message(format_args!("{name}: {} commits", judged.len()));
        for it in oldest_first(&source, judged) {
            match bench.check(&it) {
                Ok(found) => checked.push(found),
                Err(error) => {
                    failed += 1;
                    report::print_message(format_args!("{}: {error}", it.commit));
                }
            }
        }
    }
    if failed > 0 {
        report::print_message(format_args!("{failed} commits failed and are not counted"));
    }
    if checked.is_empty() {
        return Err(Error::new(Kind::NotFound, "no judged commit could be checked").with_path(path));
    }
    if matches.get_flag("json") {
        for it in &checked {
            print_redacted(format!("{}\n", serde_json::to_string(it).unwrap_or_default()))?;
        }
    } else {
        print_redacted(table(&checked, matches.get_flag("verbose")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the repository with a name: below the root, or the root itself.
fn source(root: &Path, name: &str) -> Result<Git> {
    let below = root.join(name);
    let has_git = [".git", "HEAD"].iter().any(|of| below.join(of).exists());
    let place = if has_git { &below } else { root };
    Git::open(place).ok_or_else(|| {
        Error::new(Kind::NotFound, "not a git repository")
            .with_path(place)
            .with_hint("`--root` must be a repository, or have one for each name of the judgements")
    })
}

/// Sorts commits by their time: later histories extend earlier ones, and adjacent trees have most files
/// in common. If git does not have all of them, the order is that of the judgements.
fn oldest_first(git: &Git, mut judged: Vec<Judged>) -> Vec<Judged> {
    let ids: Vec<&str> = judged.iter().map(|it| it.commit.as_str()).collect();
    let order = git.oldest_first(&ids).unwrap_or_default();
    judged.sort_by_key(|it| order.iter().position(|id| *id == it.commit));
    judged
}

/// Returns the results as Markdown.
fn table(checked: &[Checked], is_verbose: bool) -> String {
    let mut out = String::from(
        "| repository | commits | agreement | exact | always one level |\n| --- | --- | --- | --- | --- |\n",
    );
    let mut row = |name: &str, of: &Agreement| {
        let share = |count: usize| count as f64 / of.commits.max(1) as f64;
        let (agreed, exact) = (share(of.agreed), share(of.exact));
        let (level, always) = (of.always.0.name(), share(of.always.1));
        let _ = writeln!(
            out,
            "| {name} | {} | {agreed:.3} | {exact:.3} | {always:.3} ({level}) |",
            of.commits
        );
    };
    let mut names: Vec<&str> = checked.iter().map(|it| it.judged.repository.as_str()).collect();
    names.dedup();
    for name in &names {
        let own = checked.iter().filter(|it| it.judged.repository == *name);
        row(&report::plain(name), &levels::agreement(own));
    }
    let all = levels::agreement(checked.iter());
    if names.len() > 1 {
        row("all", &all);
    }
    let names = Level::ALL.map(Level::name).join(" | ");
    let _ = writeln!(out, "\n| judged, checked as | {names} |\n| --- | --- | --- | --- | --- |");
    for (level, counts) in Level::ALL.iter().zip(all.confusion) {
        let _ =
            writeln!(out, "| {} | {} |", level.name(), counts.map(|it| it.to_string()).join(" | "));
    }
    for it in checked.iter().filter(|it| is_verbose && !it.agrees()) {
        let Checked { judged, checked, reply } = it;
        let or = judged.or.map_or(String::new(), |level| format!(" or {}", level.name()));
        let score = reply["score"].as_f64().map_or(String::new(), |it| format!(", score {it:.2}"));
        let _ = writeln!(
            out,
            "\n{} {}: judged {}{or}: {}\n  checked {}{score}:",
            report::plain(&judged.repository),
            judged.commit.get(..12).unwrap_or_default(),
            judged.level.name(),
            report::plain(&judged.reason),
            checked.name(),
        );
        for reason in it.reasons() {
            let _ = writeln!(out, "    {}", report::plain(reason));
        }
    }
    out
}
