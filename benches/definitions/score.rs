//! Counts of common definitions, and the differences.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::definitions::{Definition, Source, Sources};
use crate::options::Options;
use crate::rules::{Judge, Side};
use crate::table::{Group, Row};

/// A definition that only one side has.
struct Difference<'a> {
    path: &'a str,
    definition: &'a Definition,
    line: String,
    problems: u64,
}

/// One side's definitions compared with the other's.
#[derive(Default)]
struct SideCounts<'a> {
    /// The definitions that the other side also has.
    shared: usize,
    /// The definitions that no rule excludes.
    open: Vec<Difference<'a>>,
    /// The number of definitions that each rule excludes.
    excused: BTreeMap<&'static str, usize>,
}

impl SideCounts<'_> {
    fn excused(&self) -> usize {
        self.excused.values().sum()
    }

    /// Returns the share of this side's definitions that the other side also has.
    fn unadjusted(&self) -> f64 {
        percent(self.shared, self.shared + self.open.len() + self.excused())
    }
}

/// Returns the recall of our definitions. All definitions of ctags are correct, except those that a
/// rule excludes.
fn recall(missed: &SideCounts<'_>) -> f64 {
    percent(missed.shared, missed.shared + missed.open.len())
}

/// Returns the precision of our definitions. A definition is correct if ctags has it, or if a rule
/// confirms it although ctags lacks it.
fn precision(extra: &SideCounts<'_>) -> f64 {
    let right = extra.shared + extra.excused();
    percent(right, right + extra.open.len())
}

pub(crate) fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Prints the row of numbers, and the requested differences.
pub(crate) fn report(
    row: &Row,
    options: &Options,
    sources: &Sources,
    theirs: &BTreeMap<String, Vec<Definition>>,
) {
    let mut missed = SideCounts::default();
    let mut extra = SideCounts::default();
    let (miss, surplus) = (Judge::new(row, Side::Missed), Judge::new(row, Side::Extra));
    let none = Vec::new();
    for (path, source) in sources {
        let theirs = theirs.get(path).unwrap_or(&none);
        compare(&mut missed, &miss, (path, source), theirs, &source.ours);
        compare(&mut extra, &surplus, (path, source), &source.ours, theirs);
    }
    println!(
        "| {} | {} files | {} + {} definitions | recall {:.2} % (raw {:.2} %) | \
         precision {:.2} % (raw {:.2} %) |",
        row.name,
        sources.len(),
        missed.shared + missed.open.len(),
        extra.excused(),
        recall(&missed),
        missed.unadjusted(),
        precision(&extra),
        extra.unadjusted(),
    );
    if options.show > 0 {
        show("missed", options, &missed);
        show("extra", options, &extra);
    }
}

/// Compares the definitions `some` of one side with those of the other side and adds the results
/// to `counts`.
fn compare<'a>(
    counts: &mut SideCounts<'a>,
    judge: &Judge,
    (path, source): (&'a str, &Source),
    some: &'a [Definition],
    others: &[Definition],
) {
    let key =
        |definition: &'a Definition| (definition.name.as_str(), definition.line, definition.group);
    let others: HashSet<(&str, usize, Group)> =
        others.iter().map(|other| (other.name.as_str(), other.line, other.group)).collect();
    let mut seen = HashSet::new();
    let mut lines: Option<Vec<&[u8]>> = None;
    for definition in some.iter().filter(|definition| !definition.is_optional) {
        if !seen.insert(key(definition)) {
            continue;
        }
        if others.contains(&key(definition)) {
            counts.shared += 1;
            continue;
        }
        let lines = lines.get_or_insert_with(|| source.text.split(|&byte| byte == b'\n').collect());
        match judge.excuse(definition, lines) {
            Some(why) => *counts.excused.entry(why).or_default() += 1,
            None => counts.open.push(Difference {
                path,
                definition,
                line: line(lines, definition.line),
                problems: source.problems,
            }),
        }
    }
}

/// Returns the text of a line, counted from 1, truncated to the width of a screen.
fn line(lines: &[&[u8]], number: usize) -> String {
    let line = number.checked_sub(1).and_then(|at| lines.get(at)).copied().unwrap_or_default();
    String::from_utf8_lossy(line).trim().chars().take(120).collect()
}

/// Prints the number of differences of each kind, and an even sample of them.
fn show(side: &str, options: &Options, counts: &SideCounts<'_>) {
    for (why, count) in &counts.excused {
        println!("  {side}, judged: {count} × {why}");
    }
    let mut kinds: HashMap<(&str, &str), usize> = HashMap::new();
    for Difference { definition, .. } in &counts.open {
        *kinds.entry((&definition.kind, &definition.within)).or_default() += 1;
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|&(kind, count)| (std::cmp::Reverse(count), kind));
    for ((kind, within), count) in kinds.iter().take(12) {
        println!("  {side}: {count} × {kind} in `{within}`");
    }
    let wanted = |difference: &&Difference<'_>| {
        difference.line.contains(&options.find) || difference.definition.kind == options.find
    };
    let shown: Vec<_> = counts.open.iter().filter(wanted).collect();
    for difference in shown.iter().step_by(shown.len().div_ceil(options.show).max(1)) {
        let Difference { path, definition, line, problems } = difference;
        let Definition { kind, name, within, .. } = definition;
        let unclear = if *problems > 0 { "!" } else { "" };
        println!(
            "    {side} {kind} `{name}` in `{within}`\t{path}:{}{unclear}\t{line}",
            definition.line
        );
    }
}
