//! Verdicts by tree and by kind of receiver, with intervals.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use codedb::lang::chain::Root;
use codedb::lang::facts::Reference;
use serde::{Deserialize, Serialize};

/// The verdict on one site that the oracle knows.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Judged {
    /// The name of the tree's directory.
    pub(crate) tree: String,
    pub(crate) language: String,
    pub(crate) receiver: Receiver,
    /// The target lies in the tree.
    pub(crate) is_inside: bool,
    /// The answer is what the oracle gives.
    pub(crate) is_right: bool,
    /// There is an answer that the oracle does not give.
    pub(crate) is_wrong: bool,
}

/// What is written before the name of a call.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Receiver {
    /// Nothing: `f()`.
    None,
    /// The own instance, or it as its base: `self.f()`, `super.f()`.
    Own,
    /// A member of the own instance, or what follows from one: `self.field.f()`.
    OwnMember,
    /// A name that is no local variable: a module, type or global, `module.f()`.
    Name,
    /// A value whose type is written: `x.f()` after `x: Type`.
    Typed,
    /// The result of calls, an element or a member of another value: `g().f()`.
    Result,
    /// An expression that has no chain, or a variable without a known value.
    Unknown,
}

const RECEIVERS: [Receiver; 7] = [
    Receiver::None,
    Receiver::Own,
    Receiver::OwnMember,
    Receiver::Name,
    Receiver::Typed,
    Receiver::Result,
    Receiver::Unknown,
];

impl Receiver {
    /// Returns the kind of a call's receiver.
    pub(crate) fn of(used: &Reference) -> Receiver {
        let Some(chain) = &used.receiver else { return Receiver::None };
        let (root, steps) = chain.decode();
        match (root, steps.is_done()) {
            (Root::Unknown | Root::Variable(_), _) => Receiver::Unknown,
            (Root::Own | Root::Base, true) => Receiver::Own,
            (Root::Own | Root::Base, false) => Receiver::OwnMember,
            (Root::Name(_), true) => Receiver::Name,
            (Root::Instance(_) | Root::Fixture(_), true) => Receiver::Typed,
            (_, false) => Receiver::Result,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Receiver::None => "none",
            Receiver::Own => "own instance",
            Receiver::OwnMember => "member of it",
            Receiver::Name => "name",
            Receiver::Typed => "typed value",
            Receiver::Result => "result, element",
            Receiver::Unknown => "unknown",
        }
    }
}

/// Counts of verdicts.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    known: usize,
    inside: usize,
    right: usize,
    wrong: usize,
}

impl Counts {
    fn add(&mut self, judged: &Judged) {
        self.known += 1;
        self.inside += usize::from(judged.is_inside);
        self.right += usize::from(judged.is_right);
        self.wrong += usize::from(judged.is_wrong);
    }
}

/// Returns the ends of Wilson's interval of a share, at 95 %, as percentages: E. B. Wilson, *Probable
/// inference, the law of succession, and statistical inference*, JASA 22 (1927), formula for the
/// roots of (p̂ − p)² = z² p (1 − p) / n. The whole range if `of` is 0.
fn wilson(part: usize, of: usize) -> (f64, f64) {
    const Z: f64 = 1.959_964;
    if of == 0 {
        return (0.0, 100.0);
    }
    let (n, share) = (of as f64, part as f64 / of as f64);
    let middle = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 100.0 / (1.0 + Z * Z / n);
    ((middle - half).max(0.0) * scale, (middle + half) * scale)
}

/// Appends verdicts to a file, one JSON object per line.
pub(crate) fn append(path: &Path, judged: &[Judged]) -> Result<(), String> {
    crate::calibration::append(path, judged)
}

/// Prints two tables of the verdicts in files that [`append`] wrote: of each tree, then of each
/// language by the kind of receiver. Languages and trees are in the order of their names.
pub(crate) fn of_files(paths: &[PathBuf]) -> Result<(), String> {
    let judged: Vec<Judged> = crate::calibration::read(paths)?;
    let mut trees: BTreeMap<(&str, &str), Counts> = BTreeMap::new();
    let mut receivers: BTreeMap<&str, [Counts; RECEIVERS.len()]> = BTreeMap::new();
    for site in &judged {
        trees.entry((&site.language, &site.tree)).or_default().add(site);
        receivers.entry(&site.language).or_default()[site.receiver as usize].add(site);
    }
    println!("| language | tree | sites inside | right | 95 % interval | wrong, of all known |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for ((language, tree), counts) in &trees {
        let (low, high) = wilson(counts.right, counts.inside);
        println!(
            "| {language} | {tree} | {} | {:.1} % | {low:.0} to {high:.0} | {:.1} % of {} |",
            counts.inside,
            percent(counts.right, counts.inside),
            percent(counts.wrong, counts.known),
            counts.known
        );
    }
    let words = RECEIVERS.map(Receiver::word).join(" | ");
    println!("\n| language | {words} |\n| --- |{}", " --- |".repeat(RECEIVERS.len()));
    for (language, counts) in &receivers {
        let cells = counts.map(|counts| cell(&counts)).join(" | ");
        println!("| {language} | {cells} |");
    }
    Ok(())
}

fn percent(part: usize, of: usize) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}

fn cell(counts: &Counts) -> String {
    let Counts { inside, right, .. } = *counts;
    if inside == 0 {
        return "–".to_owned();
    }
    let (low, high) = wilson(right, inside);
    format!("{right} of {inside}, {low:.0} to {high:.0}")
}
