//! Whether a change of a tool list passes.

use serde::Serialize;

use super::suspicious::hidden::escaped;
use super::{Class, Report};

/// What passes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Policy {
    /// Identity and append pass, edit passes with warnings, reorder and remove are refused.
    #[default]
    Default,
    /// Only identity passes.
    Strict,
    /// Everything passes, with the same warnings.
    Forced,
}

/// The result.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The change passes.
    Passed,
    /// The change passes, with warnings.
    Warned,
    /// The change is refused.
    Refused,
}

/// A verdict with its reasons.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Decision {
    /// The result.
    pub verdict: Verdict,
    /// A sentence for each tool that is a reason for a warning or a refusal, by class of change, then
    /// in the order of the list.
    pub reasons: Vec<String>,
}

/// Decides whether the change that `report` describes passes.
pub fn decide(report: &Report, policy: Policy) -> Decision {
    let verdict = match (policy, report.class) {
        (_, Class::Identity) => Verdict::Passed,
        (Policy::Strict, _) => Verdict::Refused,
        (_, Class::Append) => Verdict::Passed,
        (_, Class::Edit) | (Policy::Forced, _) => Verdict::Warned,
        (Policy::Default, Class::Reorder | Class::Remove) => Verdict::Refused,
    };
    let reasons = match verdict {
        Verdict::Passed => Vec::new(),
        Verdict::Warned | Verdict::Refused => reasons(report),
    };
    Decision { verdict, reasons }
}

fn reasons(report: &Report) -> Vec<String> {
    let name = |name: &str| format!("`{}`", escaped(name));
    let removed = report
        .removed
        .iter()
        .map(|it| format!("{} at index {} is removed", name(&it.name), it.index));
    let moved = report
        .moved
        .iter()
        .map(|it| format!("{} moved from index {} to {}", name(&it.name), it.before, it.after));
    let edited = report.edited.iter().map(|it| {
        let fields: Vec<String> = it.fields.iter().map(|field| escaped(field)).collect();
        format!("{} at index {} changed: {}", name(&it.name), it.before, fields.join(", "))
    });
    let added =
        report.added.iter().map(|it| format!("{} at index {} is new", name(&it.name), it.index));
    removed.chain(moved).chain(edited).chain(added).collect()
}
