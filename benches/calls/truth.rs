//! The ground truth: call sites of pinned packages with the answers of an oracle, in
//! bench-corpus/calls.
//!
//! `trees.toml` lists the packages; each has a file of rows, one per call site:
//!
//! ```text
//! VERDICT  PATH:LINE:COLUMN  NAME  DEFINING_PATH:LINE, …
//! ```
//!
//! Lines and columns count from 1, columns in bytes; `outside` stands for definitions that are not in
//! the tree. The verdict is the linker's at the last `--bless`; checking needs no oracle.
//!
//! Trees with `unused = true` served for no repair, so that they show the errors that the linker has on
//! any tree: `all` does not mean these, but `unused` does. A `--bless` of `all` or `unused` also writes
//! the table of these trees in docs/calls-measured.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use codedb::graph::calls::uses_of;
use codedb::graph::link::CONFIDENCE_ANSWER;
use serde::Deserialize;

use crate::calibration;
use crate::corpus::cache::Cache;
use crate::corpus::manifest::Package;
use crate::corpus::{self, Outcome};
use crate::options::Options;
use crate::sample::{Answered, Definition, Site};
use crate::score::{self, Judgement};
use crate::tree::Tree;

/// The directory of the rows.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/bench-corpus/calls");

/// The page with the tables of the rows, the headings above these, and the beginning of their first line.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/calls-measured.md");
const SERVED_HEADING: &str = "## Ground truth\n";
const UNUSED_HEADING: &str = "## Trees that served for no repair\n";
const TABLE: &str = "| language | trees |";

/// The beginning of the line below the table of the unused trees, and that of the line in their rows
/// from which it is counted.
const SHARES: &str = "Wrong among ";
const SURE: &str = "# Answers with a confidence of at least 0.9: ";

/// What stands for a definition that is not in the tree.
const OUTSIDE: &str = "outside";

/// The maximum number of changed rows that are printed for one tree.
const SHOWN_MAX: usize = 20;

/// The verdicts, in the order of the table.
const VERDICTS: [&str; 7] =
    ["right", "outside", "unresolved", "missed", "unsure", "wrong", "unknown"];

/// What trees.toml lists.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    tree: Vec<Listed>,
}

/// A tree.
#[derive(Deserialize)]
struct Listed {
    /// The language of the calls.
    language: String,
    /// The program that gave the answers, with its version.
    oracle: String,
    /// No error of the linker on this tree was looked at before it was repaired. A tree that serves for
    /// a repair loses the field.
    #[serde(default)]
    unused: bool,
    #[serde(flatten)]
    package: Package,
}

/// A row.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Row {
    verdict: String,
    path: String,
    line: usize,
    column: usize,
    name: String,
    /// Paths and lines; none for definitions outside.
    targets: BTreeSet<(String, usize)>,
    is_outside: bool,
}

/// Compares the linker with the rows of the trees whose names `chosen` has, where `all` and `unused`
/// stand for the trees that served for repairs and for the others; with `blesses`, their verdicts are
/// rewritten. Prints a table and the rows that changed.
///
/// # Errors
///
/// A package that cannot be fetched, rows that do not fit it, and without `blesses`, a tree with fewer
/// right answers or more wrong or missed ones.
pub(crate) fn check(chosen: &[String], blesses: bool, options: &Options) -> Outcome<()> {
    let list = Path::new(FOLDER).join("trees.toml");
    let text = fs::read_to_string(&list).map_err(|error| format!("{}: {error}", list.display()))?;
    let list: List = toml::from_str(&text).map_err(|error| format!("trees.toml: {error}"))?;
    let cache = Cache::of_environment()?;
    cache.create()?;
    let mut worse: Vec<String> = Vec::new();
    let (mut sums, mut unused) = (Sums::new(), Sums::new());
    let has = |name: &str| chosen.iter().any(|chosen| chosen == name);
    print_header();
    let progress = |what: &str| eprintln!("calls: {what}");
    for listed in &list.tree {
        let name = listed.package.plain_name();
        if !has(&name) && !has(if listed.unused { "unused" } else { "all" }) {
            continue;
        }
        listed.package.check_fields()?;
        let tree = Tree::read(&corpus::fetched(&listed.package, &cache, "calls", &progress)?)?;
        let rows = read(&name)?;
        let options = Options { language: listed.language.clone(), ..options.clone() };
        let Judged { rows: judged, shown, sure } = judge(&options, &tree, &name, &rows)?;
        let (before, now) = (counts(&rows), counts(&judged));
        print_row(&name, &listed.language, &now);
        shown.iter().take(SHOWN_MAX).for_each(|line| println!("  {line}"));
        if shown.len() > SHOWN_MAX {
            println!("  … and {} more", shown.len() - SHOWN_MAX);
        }
        let kind = if listed.unused { &mut unused } else { &mut sums };
        let sum = kind.entry(listed.language.clone()).or_default();
        sum.trees += 1;
        sum.sure += sure;
        now.iter().zip(&mut sum.counts).for_each(|(count, sum)| *sum += count);
        let lost = index("right");
        let more = |verdict: &str| now[index(verdict)] > before[index(verdict)];
        if now[lost] < before[lost] || more("wrong") || more("missed") {
            worse.push(name.clone());
        }
        if blesses {
            write(&name, listed, &judged, sure)?;
        }
    }
    println!();
    sums.iter().for_each(|(language, sum)| print_row("all", language, &sum.counts));
    unused.iter().for_each(|(language, sum)| print_row("unused", language, &sum.counts));
    if !unused.is_empty() {
        println!("{}", shares(&unused));
    }
    if blesses && has("all") {
        write_table(SERVED_HEADING, &table(&sums))?;
    }
    if blesses && has("unused") {
        write_table(UNUSED_HEADING, &format!("{}\n{}\n", table(&unused), shares(&unused)))?;
    }
    if worse.is_empty() || blesses {
        return Ok(());
    }
    Err(format!(
        "{} worse than the stored rows: {}; `--bless` accepts it",
        if worse.len() == 1 { "a tree is" } else { "trees are" },
        worse.join(", ")
    ))
}

/// The trees of a language, their sites by verdict, and the answers with at least 0.9.
#[derive(Clone, Copy, Default)]
struct Sum {
    trees: usize,
    counts: [usize; VERDICTS.len()],
    sure: usize,
}

type Sums = BTreeMap<String, Sum>;

/// Returns the table of some trees.
fn table(sums: &Sums) -> String {
    let mut table = format!("{TABLE} sites | {} |\n| --- |", VERDICTS[..6].join(" | "));
    table.push_str(&" ---: |".repeat(8));
    table.push('\n');
    for (language, sum) in sums {
        let sites: usize = sum.counts.iter().sum();
        let counts: Vec<String> = sum.counts[..6].iter().map(usize::to_string).collect();
        let _ =
            writeln!(table, "| {language} | {} | {sites} | {} |", sum.trees, counts.join(" | "));
    }
    table
}

/// Returns the line with the shares of the errors that have a target.
fn shares(sums: &Sums) -> String {
    let total = |part: &dyn Fn(&Sum) -> usize| sums.values().map(part).sum::<usize>();
    let of = |verdict: &str| total(&|sum| sum.counts[index(verdict)]);
    let (wrong, sure) = (of("wrong"), total(&|sum| sum.sure));
    let sites = total(&|sum| sum.counts.iter().sum());
    let share = 100.0 * wrong as f64 / sure.max(1) as f64;
    let missed = of("missed");
    format!(
        "{SHARES}the {sure} answers with at least 0.9: {wrong} ({share:.2} %). Missed: {missed} of {sites} sites."
    )
}

/// Replaces the table below a heading of the page, and the line of shares that may follow it.
fn write_table(heading: &str, table: &str) -> Outcome<()> {
    let failed = |error: std::io::Error| format!("{PAGE}: {error}");
    let text = fs::read_to_string(PAGE).map_err(failed)?;
    let start = text
        .find(heading)
        .and_then(|at| Some(at + text[at..].find(TABLE)?))
        .ok_or_else(|| format!("{PAGE} has no table below `{}`", heading.trim()))?;
    let lines = |text: &str| -> usize {
        text.split_inclusive('\n').take_while(|line| line.starts_with('|')).map(str::len).sum()
    };
    let mut rest = &text[start + lines(&text[start..])..];
    if let Some(after) = rest.strip_prefix('\n').filter(|after| after.starts_with(SHARES)) {
        rest = after.split_once('\n').map_or("", |(_, rest)| rest);
    }
    fs::write(PAGE, format!("{}{table}{rest}", &text[..start])).map_err(failed)
}

/// Adds the answers of an oracle to the rows of the tree with this name in trees.toml.
///
/// # Errors
///
/// If the rows cannot be written.
pub(crate) fn store(
    name: &str,
    options: &Options,
    tree: &Tree,
    answers: &[Answered],
) -> Outcome<()> {
    let mut rows = if rows_file(name).exists() { read(name)? } else { Vec::new() };
    let known: BTreeSet<(String, usize, usize)> =
        rows.iter().map(|row| (row.path.clone(), row.line, row.column)).collect();
    for answered in answers {
        let Some(expected) = score::expected_by(options, tree, answered) else { continue };
        let site = &answered.site;
        let Some((line, column)) = place(tree, &site.path, site.byte) else { continue };
        if known.contains(&(site.path.clone(), line, column)) {
            continue;
        }
        let targets = expected.iter().map(|of| (of.path.clone(), of.line + 1));
        rows.push(Row {
            verdict: "unknown".to_owned(),
            path: site.path.clone(),
            line,
            column,
            name: site.name.clone(),
            targets: targets.collect(),
            is_outside: expected.is_empty(),
        });
    }
    rows.sort_by(|a, b| (&a.path, a.line, a.column).cmp(&(&b.path, b.line, b.column)));
    let judged = judge(options, tree, name, &rows)?;
    let text = text_of("", &judged.rows);
    fs::create_dir_all(FOLDER)
        .and_then(|()| fs::write(rows_file(name), text))
        .map_err(|error| format!("the rows of {name}: {error}"))
}

/// The rows of a tree with their present verdicts.
struct Judged {
    rows: Vec<Row>,
    /// A line for each that changed.
    shown: Vec<String>,
    /// The number of answers with a confidence of at least 0.9.
    sure: usize,
}

/// Compares the linker with the rows of a tree.
fn judge(options: &Options, tree: &Tree, name: &str, rows: &[Row]) -> Outcome<Judged> {
    let answered = answered(tree, name, rows)?;
    if let Some(path) = &options.points {
        let points = answered.iter().filter_map(|of| score::point(options, tree, name, of));
        calibration::append(path, &points.collect::<Vec<_>>())?;
    }
    let unresolved = unresolved(options, tree, &answered);
    let mut judged = rows.to_vec();
    let (mut shown, mut sure) = (Vec::new(), 0);
    for (row, answered) in judged.iter_mut().zip(&answered) {
        let site = (answered.site.path.clone(), answered.site.byte);
        let (judgement, is_sure) = score::judgement(options, tree, answered);
        sure += usize::from(is_sure);
        let verdict = match judgement {
            Judgement::Right => "right",
            Judgement::Outside => "outside",
            Judgement::Missed if unresolved.contains(&site) => "unresolved",
            Judgement::Missed => "missed",
            Judgement::Wrong if is_sure => "wrong",
            Judgement::Wrong => "unsure",
            Judgement::Unknown => "unknown",
        };
        if options.show.split(',').any(|shown| shown == verdict) {
            score::show(tree, answered, verdict);
        }
        if row.verdict != verdict {
            let before = std::mem::replace(&mut row.verdict, verdict.to_owned());
            shown.push(format!(
                "{before} → {verdict}  {}:{}:{}  {}",
                row.path, row.line, row.column, row.name
            ));
        }
    }
    Ok(Judged { rows: judged, shown, sure })
}

/// Returns the sites, as path and byte, that the callers of their targets count as unresolved.
fn unresolved(options: &Options, tree: &Tree, answers: &[Answered]) -> BTreeSet<(String, usize)> {
    let mut targets = BTreeSet::new();
    for answered in answers {
        targets.insert(score::targets(options, tree, answered));
    }
    let mut found = BTreeSet::new();
    for targets in targets.iter().filter(|targets| !targets.is_empty()) {
        for named in uses_of(&tree.program, targets, CONFIDENCE_ANSWER).unresolved {
            let Some(facts) = codedb::graph::link::Code::file(&tree.program, named.site.file)
            else {
                continue;
            };
            found.insert((facts.path.clone(), named.site.reference.span.start));
        }
    }
    found
}

/// Returns the sites of the rows with the oracle's answers.
fn answered(tree: &Tree, name: &str, rows: &[Row]) -> Outcome<Vec<Answered>> {
    let mut answered = Vec::with_capacity(rows.len());
    for row in rows {
        let byte = byte_of(tree, row).ok_or_else(|| {
            format!("{name}: {}:{} has no `{}` there", row.path, row.line, row.name)
        })?;
        let site = Site { path: row.path.clone(), byte, name: row.name.clone() };
        let mut definitions: Vec<Definition> = row
            .targets
            .iter()
            .map(|(path, line)| Definition { path: path.clone(), line: line - 1 })
            .collect();
        if row.is_outside {
            definitions.push(Definition { path: OUTSIDE.to_owned(), line: 0 });
        }
        answered.push(Answered { site, definitions });
    }
    Ok(answered)
}

/// Calls `with` for each tree of a language with its name and its sites.
///
/// # Errors
///
/// A package that cannot be fetched, and rows that do not fit it.
pub(crate) fn each(
    language: &str,
    mut with: impl FnMut(&str, Tree, Vec<Answered>) -> Outcome<()>,
) -> Outcome<()> {
    let list = Path::new(FOLDER).join("trees.toml");
    let text = fs::read_to_string(&list).map_err(|error| format!("{}: {error}", list.display()))?;
    let list: List = toml::from_str(&text).map_err(|error| format!("trees.toml: {error}"))?;
    let cache = Cache::of_environment()?;
    cache.create()?;
    let progress = |what: &str| eprintln!("calls: {what}");
    for listed in list.tree.iter().filter(|listed| listed.language == language) {
        listed.package.check_fields()?;
        let tree = Tree::read(&corpus::fetched(&listed.package, &cache, "calls", &progress)?)?;
        let name = listed.package.plain_name();
        let sites = answered(&tree, &name, &read(&name)?)?;
        with(&name, tree, sites)?;
    }
    Ok(())
}

fn rows_file(name: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("{name}.tsv"))
}

fn read(name: &str) -> Outcome<Vec<Row>> {
    let file = rows_file(name);
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
    let row = |(at, line): (usize, &str)| {
        parse(line).ok_or_else(|| format!("{}: line {} is no row", file.display(), at + 1))
    };
    lines.map(row).collect()
}

fn parse(line: &str) -> Option<Row> {
    let parts: Vec<&str> = line.split('\t').collect();
    let [verdict, site, name, targets] = parts[..] else { return None };
    let (rest, column) = site.rsplit_once(':')?;
    let (path, row) = rest.rsplit_once(':')?;
    let is_outside = targets == OUTSIDE;
    let target = |text: &str| {
        let (path, line) = text.rsplit_once(':')?;
        Some((path.to_owned(), line.parse().ok().filter(|&line| line > 0)?))
    };
    Some(Row {
        verdict: verdict.to_owned(),
        path: path.to_owned(),
        line: row.parse().ok()?,
        column: column.parse().ok()?,
        name: name.to_owned(),
        targets: if is_outside {
            BTreeSet::new()
        } else {
            targets.split(", ").map(target).collect::<Option<_>>()?
        },
        is_outside,
    })
}

fn write(name: &str, listed: &Listed, rows: &[Row], sure: usize) -> Outcome<()> {
    let mut head = format!(
        "# {}: calls of {}, answered by {}.\n# Written by `cargo bench --bench calls -- --bless`.\n",
        listed.package, listed.language, listed.oracle
    );
    if listed.unused {
        let _ = writeln!(head, "{SURE}{sure}");
    }
    fs::write(rows_file(name), text_of(&head, rows))
        .map_err(|error| format!("the rows of {name}: {error}"))
}

fn text_of(head: &str, rows: &[Row]) -> String {
    let mut text = head.to_owned();
    for row in rows {
        let targets = row.targets.iter().map(|(path, line)| format!("{path}:{line}"));
        let targets: Vec<String> = targets.collect();
        let targets = if row.is_outside { OUTSIDE.to_owned() } else { targets.join(", ") };
        let Row { verdict, path, line, column, name, .. } = row;
        let _ = writeln!(text, "{verdict}\t{path}:{line}:{column}\t{name}\t{targets}");
    }
    text
}

/// Returns the line and the column in bytes of a position, from 1.
fn place(tree: &Tree, path: &str, byte: usize) -> Option<(usize, usize)> {
    let before = tree.texts.get(path)?.get(..byte)?;
    let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    let line = memchr::memchr_iter(b'\n', before).count();
    Some((line + 1, byte - start + 1))
}

fn byte_of(tree: &Tree, row: &Row) -> Option<usize> {
    let text = tree.texts.get(&row.path)?;
    let start = match row.line {
        1 => 0,
        line => memchr::memchr_iter(b'\n', text).nth(line - 2)? + 1,
    };
    let byte = start + row.column.checked_sub(1)?;
    text.get(byte..)?.starts_with(row.name.as_bytes()).then_some(byte)
}

fn counts(rows: &[Row]) -> [usize; VERDICTS.len()] {
    VERDICTS.map(|verdict| rows.iter().filter(|row| row.verdict == verdict).count())
}

/// Returns the place of a verdict in the order of the table.
fn index(verdict: &str) -> usize {
    VERDICTS.iter().position(|of| *of == verdict).expect("a verdict")
}

fn print_header() {
    println!("{:<40}{:<12}{:>7}{}", "tree", "language", "sites", VERDICTS.map(right).concat());
}

fn print_row(name: &str, language: &str, counts: &[usize; VERDICTS.len()]) {
    let sites: usize = counts.iter().sum();
    let cells: String = counts.iter().map(|count| right(&count.to_string())).collect();
    println!("{name:<40}{language:<12}{sites:>7}{cells}");
}

fn right(cell: &str) -> String {
    format!("{cell:>12}")
}
