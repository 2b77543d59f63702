//! `codedb review`: what the reviewer of a change asks, on one screen: the risk and why, what the change
//! reaches, the tests to run, who can review it, and the decisions that apply.

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Value, json};

use super::check::index_commits;
use super::display::{self, Display};
use super::index::{place_args, print, tree_options};
use super::recording_code::RecordingCode;
use super::screen::{self, Screen};
use super::tool::{check as freshness, edge_args, now_ns};
use super::{place, report};
use crate::answer::analysis::NextStep;
use crate::answer::page::{Block, Cell, Column, Page, Table};
use crate::check::verdict::Level;
use crate::error::{Error, Kind, Result};
use crate::tools::diff_impact::{self, DiffImpact};
use crate::tools::{self, Call, Define as _};

/// The default number of entries of each part.
const LIMIT: usize = 8;

pub(super) fn command() -> Command {
    Command::new("review")
        .about("What a reviewer of your changes asks, on one screen")
        .long_about(
            "Shows the risk of a change with its reasons, what it reaches, the tests to run, functions \
             without a likely test, people who can review it, and the decisions that apply. The change \
             is what is uncommitted, what is staged, or all since the branch left a commit. It is \
             `codedb check` and `codedb diff-impact` in one; these have all entries.",
        )
        .arg(
            Arg::new("base")
                .long("base")
                .value_name("REF")
                .conflicts_with("staged")
                .help("All changes since the branch left this commit (default: the uncommitted ones)"),
        )
        .arg(
            Arg::new("staged")
                .long("staged")
                .action(ArgAction::SetTrue)
                .help("What is staged, instead of all uncommitted changes"),
        )
        .arg(
            Arg::new("limit")
                .short('n')
                .long("limit")
                .value_name("N")
                .value_parser(value_parser!(u64).range(1..))
                .help("Entries of each part (default 8)"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("Print the replies of `check` and `diff-impact` as JSON"),
        )
        .args(display::args().into_iter().map(|arg| arg.hide_short_help(true)))
        .args(screen::args().into_iter().map(|arg| arg.hide_short_help(true)))
        .args(edge_args())
        .args(place_args())
}

/// Runs the command. The exit code is 1 without changes, and 2 if nothing could be assessed.
///
/// # Errors
///
/// An unknown commit, a tree without git, or a tree that cannot be read.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let options = tree_options(matches);
    let engine = place::engine(&options)?;
    index_commits(&engine, matches);
    let (now_ns, display) = (now_ns(), Display::new(engine.root(), matches));
    let base = matches.get_one::<String>("base");
    let is_staged = matches.get_flag("staged");
    let limit = matches.get_one::<u64>("limit").map_or(LIMIT, |&limit| limit as usize);
    let tool = tools::TOOLS.iter().find(|tool| tool.name == "codedb_check");
    let tool = tool.ok_or_else(|| Error::new(Kind::NotFound, "the tool `check` is missing"))?;
    let mut args = json!({"max_tokens": 1_000_000});
    if let Some(base) = base {
        args["base"] = base.as_str().into();
    }
    if is_staged {
        args["staged"] = true.into();
    }
    let code = RecordingCode::new(&engine, freshness(matches));
    let (risk, impact) = code.run(matches.get_flag("no-background"), |code| {
        let call = Call::new(code, now_ns);
        let risk = tool.run(&call, args.clone())?.json()?;
        let args = diff_impact::Args {
            reference: base.cloned(),
            working_tree: base.is_none().then_some(true),
            staged: is_staged,
            limit: Some(limit),
            max_tokens: Some(1_000_000),
            auto_update: None,
        };
        let impact = tools::rendered(&call, Box::new(DiffImpact::run(&call, args)?));
        Ok((risk, impact.json()?))
    })?;
    let read = |json: &str| -> Result<Value> {
        serde_json::from_str(json)
            .map_err(|error| Error::new(Kind::Io, format!("the reply is not JSON: {error}")))
    };
    let (risk, impact) = (read(&risk)?, read(&impact)?);
    let status = risk["status"].as_str().unwrap_or_default();
    let is_none = status == "no_changes";
    let is_unknown = status == "git_error" || risk["level"].is_null() && !is_none;
    if is_unknown && !matches.get_flag("json") {
        let message = risk["message"].as_str().unwrap_or("nothing was assessed").to_owned();
        let error = Error::new(Kind::Io, message);
        return Err(match risk["hint"].as_str() {
            Some(hint) => error.with_hint(hint),
            None => error,
        });
    }
    if matches.get_flag("json") {
        print(&format!("{}\n", json!({"check": risk, "impact": impact})))?;
    } else if is_none {
        report::print_message(match (base, is_staged) {
            (Some(base), _) => format!("nothing differs from {base}"),
            (None, true) => "nothing is staged".to_owned(),
            (None, false) => {
                "there are no uncommitted changes; `--base main` reviews those of a branch"
                    .to_owned()
            }
        });
    } else {
        let page = page(&risk, &impact, base.map(String::as_str), is_staged, limit);
        Screen::new(matches, now_ns).print(&page, &display)?;
    }
    Ok(ExitCode::from(if is_unknown { 2 } else { u8::from(is_none) }))
}

/// Returns the page of both replies, with at most `limit` entries in each part.
fn page(risk: &Value, impact: &Value, base: Option<&str>, is_staged: bool, limit: usize) -> Page {
    let scope = match (base, is_staged) {
        (Some(base), _) => format!(" --base {base}"),
        (None, true) => " --staged".to_owned(),
        (None, false) => String::new(),
    };
    let mut blocks = Vec::new();
    let files = list(&risk["files"]);
    let sum = |field: &str| files.iter().filter_map(|file| file[field].as_u64()).sum();
    let since = match (base, is_staged) {
        (Some(base), _) => format!("since {base}"),
        (None, true) => "staged".to_owned(),
        (None, false) => "uncommitted".to_owned(),
    };
    let mut head: Vec<Cell> = level(&risk["level"]).into_iter().collect();
    head.push(Cell::text(format!("risk: {} {since}", tools::counted(files.len(), "file"))));
    let (added, removed): (u64, u64) = (sum("added"), sum("removed"));
    if added + removed > 0 {
        head.push(Cell::Changed(added, removed));
    }
    blocks.push(Block::Line(head));
    let columns = [Column::left(""), Column::cut(""), Column::left(""), Column::left("")];
    let mut table = Table::new(columns);
    for file in files.iter().take(limit) {
        let lines = |side: &str| file[side].as_u64().unwrap_or_default();
        let changed = if file["not_compared"] == true {
            Cell::faint(tools::check::NOT_COMPARED)
        } else {
            Cell::Changed(lines("added"), lines("removed"))
        };
        // Most files are modified.
        let kind = text(&file["change"]);
        let kind = if kind == "modified" { Cell::Empty } else { Cell::text(kind) };
        let path = Cell::Path(text(&file["path"]));
        table.row([level(&file["level"]).unwrap_or_default(), path, changed, kind]);
    }
    blocks.push(Block::Table(table.without_empty()));
    blocks.extend(more(files.len(), limit, &format!("files: `codedb check{scope}`")));
    part(&mut blocks, "Why", &risk["reasons"], limit, |reason| vec![Cell::text(text(reason))]);
    part(&mut blocks, "Recommended", &risk["recommendations"], limit, |it| {
        vec![Cell::text(text(it))]
    });
    let mut reached = Table::new([Column::left(""), Column::cut("")]);
    for it in list(&impact["affected"]).iter().take(limit) {
        reached.row([Cell::name(text(&it["function"])), place_of(it)]);
    }
    titled(&mut blocks, "Reaches", reached);
    let affected = impact["affected_total"].as_u64().unwrap_or_default() as usize;
    blocks.extend(more(affected, limit, &format!("functions: `codedb impact{scope}`")));
    if impact["run_all"] == true {
        let why = impact["message"].as_str().unwrap_or("what the change affects is not known");
        blocks.push(Block::Title("Tests to run: all".to_owned()));
        blocks.push(Block::Line(vec![Cell::text(why)]));
    } else {
        let mut tests = Table::new([Column::left(""), Column::cut(""), Column::cut("")]);
        for it in list(&impact["tests"]).iter().take(limit) {
            let score = Cell::Share(it["score"].as_f64().unwrap_or_default());
            tests.row([score, Cell::name(text(&it["test_id"])), place_of(it)]);
        }
        titled(&mut blocks, "Tests to run", tests);
        let tests = impact["total"].as_u64().unwrap_or_default() as usize;
        blocks.extend(more(tests, limit, &format!("tests: `codedb suggest-tests{scope}`")));
    }
    let untested = risk["untested_total"].as_u64().unwrap_or_default() as usize;
    let untested = untested.max(list(&risk["untested"]).len());
    entries_of(&mut blocks, "Without a likely test", &risk["untested"], (limit, untested), |it| {
        vec![Cell::text(text(it))]
    });
    let reviewer = |it: &Value| {
        let commits = it["commits"].as_u64().unwrap_or_default() as usize;
        tools::check::reviewer(&text(&it["author"]), commits)
    };
    let reviewers: Vec<String> =
        list(&risk["reviewers"]).iter().take(limit).map(reviewer).collect();
    if !reviewers.is_empty() {
        blocks.push(Block::Title("Reviewers".to_owned()));
        blocks.push(Block::Line(vec![Cell::text(reviewers.join(", "))]));
    }
    part(&mut blocks, "Decisions", &risk["decisions"], limit, |it| {
        let contradicted = it["contradicted_by"].as_str();
        let by = contradicted.map(|name| Cell::text(format!("(contradicted by `{name}`)")));
        let cells = [Cell::Path(text(&it["file"])), Cell::text(text(&it["pattern"]))];
        cells.into_iter().chain(by).collect()
    });
    part(&mut blocks, "Not known", &risk["unknown"], limit, |it| {
        let files = it["files"].as_u64().unwrap_or_default() as usize;
        let what = format!("{}: {}", text(&it["evidence"]), text(&it["why"]));
        vec![Cell::text(what), Cell::faint(format!("({})", tools::counted(files, "file")))]
    });
    if !list(&impact["commands"]).is_empty() {
        blocks.push(Block::Next(vec![NextStep::Action {
            action: format!("codedb test{scope}"),
            reason: "run the tests".to_owned(),
        }]));
    }
    Page { blocks }
}

/// Adds a table below a title, unless it is empty.
fn titled(blocks: &mut Vec<Block>, title: &str, table: Table) {
    if !table.rows.is_empty() {
        blocks.push(Block::Title(title.to_owned()));
        blocks.push(Block::Table(table));
    }
}

/// Returns the place of an entry, its path and line.
fn place_of(entry: &Value) -> Cell {
    Cell::Place(text(&entry["path"]), entry["line"].as_u64().unwrap_or_default() as usize)
}

/// Adds the entries of a list below a title, if there are any, and how many are not shown.
fn part(
    blocks: &mut Vec<Block>,
    title: &str,
    entries: &Value,
    limit: usize,
    cells: impl Fn(&Value) -> Vec<Cell>,
) {
    entries_of(blocks, title, entries, (limit, list(entries).len()), cells);
}

/// The same for the first entries of a list with a total.
fn entries_of(
    blocks: &mut Vec<Block>,
    title: &str,
    entries: &Value,
    (limit, total): (usize, usize),
    cells: impl Fn(&Value) -> Vec<Cell>,
) {
    let entries = list(entries);
    if entries.is_empty() {
        return;
    }
    blocks.push(Block::Title(title.to_owned()));
    blocks.extend(entries.iter().take(limit).map(cells).map(Block::Line));
    let shown = entries.len().min(limit);
    if shown < total {
        blocks.push(Block::Note(format!("{shown} of {total} shown; `--limit` shows more")));
    }
}

/// Returns a note on the entries that are not shown.
fn more(total: usize, limit: usize, all: &str) -> Option<Block> {
    (total > limit).then(|| Block::Note(format!("{limit} of {total} {all} lists all")))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns a level in its colour.
fn level(value: &Value) -> Option<Cell> {
    Level::parse(value.as_str()?).map(tools::check::level_cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::screen::tests::shown;

    #[test]
    fn review_as_a_page() {
        let risk = json!({
            "level": "HIGH",
            "reasons": ["src/cart.rs: 2 incidents in 180 days", "src/cart.rs: 412 changed lines"],
            "recommendations": ["ask somebody who knows the code for a review"],
            "files": [
                {"path": "src/cart.rs", "level": "HIGH", "added": 380, "removed": 32},
                {"path": "src/price.rs", "level": "MEDIUM", "added": 4, "removed": 1},
                {"path": "web/format.js", "level": "LOW", "added": 1, "removed": 1},
            ],
            "untested": ["src/cart.rs: Cart::add"],
            "reviewers": [{"author": "Ann", "commits": 12}, {"author": "Ben", "commits": 0}],
            "decisions": [{
                "file": "src/price.rs",
                "pattern": "Use integer cents for prices",
                "contradicted_by": "f64",
            }],
            "unknown": [{"evidence": "ownership", "why": "few commits changed it", "files": 1}],
        });
        let test = |name: &str, line, score| json!({"test_id": name, "path": "tests/cart_test.rs", "line": line, "score": score});
        let impact = json!({
            "affected": [
                {"function": "Cart::total", "path": "src/cart.rs", "line": 23},
                {"function": "showTotal", "path": "web/cart.js", "line": 3},
            ],
            "affected_total": 5,
            "tests": [test("a_coupon_takes_its_share", 6, 0.96), test("an_empty_cart", 20, 0.4)],
            "total": 2,
            "commands": ["cargo test --test cart_test"],
        });
        insta::assert_snapshot!("review", shown(&page(&risk, &impact, None, false, 2)));
        let all = json!({"run_all": true, "message": "Cargo.toml decides what is built"});
        let branch = page(&json!({"level": "LOW"}), &all, Some("main"), false, 2);
        insta::assert_snapshot!("review_of_a_branch", shown(&branch));
    }
}
