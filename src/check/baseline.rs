//! The baseline of a file: what is known about it and its change without an investigation, each
//! component with its threshold.

use serde::{Deserialize, Serialize};

use super::level::TOP;
use super::settings::Thresholds;
use super::verdict::Unknown;
use crate::base::text::counted;

/// A file that commits change together with another one.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Partner {
    /// Its repository path.
    pub path: String,
    /// The share of the commits of the file that changed it as well, from 0 to 1.
    pub share: f64,
    /// The number of common commits.
    pub commits: u32,
    /// True if this change changes it as well.
    pub in_change: bool,
}

impl Partner {
    /// Returns the number of common commits with its noun.
    pub fn common(&self) -> String {
        counted(self.commits as usize, "common commit")
    }
}

/// What is known about a file and its change; `None` where the evidence is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signals {
    /// True if no commit changed the file.
    pub is_new: bool,
    /// Added and removed lines; `None` if they were not compared.
    pub lines: Option<usize>,
    /// Files that import it, directly or through others.
    pub blast_radius: Option<usize>,
    /// Its percentile by centrality among the sources of the repository, from 0 to 1; `None` if there
    /// are too few.
    pub central: Option<f64>,
    /// Files that change together with it, the strongest first.
    pub partners: Option<Vec<Partner>>,
    /// Bytes of its tests per byte of it.
    pub test_ratio: Option<f64>,
    /// True if the change changes tests.
    pub tests_changed: bool,
    /// How far tests reach its changed functions; `None` if that is not known.
    pub reached: Option<Reach>,
    /// The percentile of its decayed commits among all files, from 0 to 1.
    pub churn_percentile: Option<f64>,
    /// True if the tree has too few files for a percentile.
    pub has_few_files: bool,
    /// Incidents in 180 days.
    pub incidents: Option<usize>,
    /// Those of them that are reverts.
    pub reverts: usize,
    /// Its percentile by decayed corrections, from 0 to 1; `None` if there are too few files.
    pub fixes: Option<f64>,
    /// True if commits changed it, but fewer by people than make a main author.
    pub has_few_commits: bool,
    /// The person with the most commits of all time, and the most active one of the last 180 days.
    pub authors: Option<Authors>,
}

/// How far tests reach the changed functions of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Reach {
    /// The changed functions.
    pub functions: usize,
    /// Those of them that a test is likely to execute.
    pub tested: usize,
    /// True if more of them may have a likely test.
    pub is_partial: bool,
}

impl Reach {
    /// Returns true if tests reach at least half of the functions.
    pub fn is_enough(self) -> bool {
        self.tested > 0 && 2 * self.tested >= self.functions
    }
}

/// Who changed a file most.
#[derive(Clone, Debug, PartialEq)]
pub struct Authors {
    /// The person with the most commits.
    pub main: String,
    /// Their number.
    pub main_commits: u32,
    /// The most active person of the last 180 days.
    pub recent: String,
    /// True if these are two persons, and the first one has not been active lately.
    pub has_changed: bool,
}

/// A part of a baseline.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// The value from which on it counts; for `test_ratio`, below which.
    pub threshold: f64,
    /// True if it counts against the change.
    pub is_over: bool,
    /// What it means, in words.
    pub text: String,
}

/// The baseline of a file.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Baseline {
    /// The components, in a fixed order.
    pub components: Vec<Component>,
    /// Evidence that is missing.
    pub unknown: Vec<Unknown>,
}

impl Baseline {
    /// Returns the components that count against the change.
    pub fn over(&self) -> impl Iterator<Item = &Component> {
        self.components.iter().filter(|it| it.is_over)
    }

    /// Returns true if a component counts against the change.
    pub fn is_over(&self, name: &str) -> bool {
        self.over().any(|it| it.name == name)
    }
}

/// Why the size of an edit is not known.
pub const NOT_COMPARED: &str = "its lines were not compared";

/// A file with fewer dependents is not central, also if no other file has more.
const DEPENDENTS_MIN: usize = 3;

/// A file with fewer incidents in 180 days is not among those with most corrections.
const INCIDENTS_MIN: usize = 2;

/// The number of dependents and of incidents that counts in trees with too few files for percentiles.
const FEW_MIN: u8 = 3;

/// Returns the baseline of a file. Missing evidence is listed, and never counts as absence of risk.
pub fn of(signals: &Signals, thresholds: &Thresholds, why_no_history: &str) -> Baseline {
    let mut made = Baseline::default();
    let mut put = |name: &str, value: f64, threshold: f64, is_over: bool, text: String| {
        let name = name.to_owned();
        made.components.push(Component { name, value, threshold, is_over, text });
    };
    let mut unknown = Vec::new();
    match signals.lines {
        Some(lines) => put(
            "size",
            lines as f64,
            thresholds.lines as f64,
            lines >= thresholds.lines,
            counted(lines, "changed line"),
        ),
        None => unknown.push(Unknown::new("size", NOT_COMPARED)),
    }
    match signals.blast_radius {
        Some(files) => {
            let text = match files {
                1 => "1 file imports it, directly or through others".to_owned(),
                _ => format!("{files} files import it, directly or through others"),
            };
            match (thresholds.blast_radius, signals.central) {
                (Some(least), _) => {
                    put("blast_radius", files as f64, least as f64, files >= least, text);
                }
                (None, Some(central)) => put(
                    "blast_radius",
                    central,
                    TOP,
                    central >= TOP && files >= DEPENDENTS_MIN,
                    format!("{text}; percentile {:.0} of the sources", central * 100.0),
                ),
                (None, None) => {
                    put(
                        "blast_radius",
                        files as f64,
                        f64::from(FEW_MIN),
                        files >= FEW_MIN as usize,
                        text,
                    );
                }
            }
        }
        None => unknown.push(Unknown::new("blast_radius", "its imports are not indexed")),
    }
    match &signals.partners {
        Some(partners) => {
            let missing: Vec<&Partner> = partners
                .iter()
                .filter(|it| !it.in_change && it.share >= thresholds.cochange_share)
                .filter(|it| it.commits >= thresholds.cochange_commits)
                .collect();
            let strongest = missing.iter().map(|it| it.share).fold(0.0, f64::max);
            let text = match missing.first() {
                Some(first) if missing.len() == 1 => format!(
                    "{} usually changes with it ({}) and is not in this change",
                    first.path,
                    first.common()
                ),
                Some(first) => format!(
                    "{} files that usually change with it are not in this change, such as {} ({})",
                    missing.len(),
                    first.path,
                    first.common()
                ),
                None => "the files that usually change with it are in this change".to_owned(),
            };
            put("co_change", strongest, thresholds.cochange_share, !missing.is_empty(), text);
        }
        None => unknown.push(Unknown::new("co_change", why_no_history)),
    }
    match signals.test_ratio {
        Some(ratio) => put(
            "test_ratio",
            ratio,
            thresholds.test_ratio,
            ratio < thresholds.test_ratio
                && !signals.tests_changed
                && !signals.reached.is_some_and(Reach::is_enough),
            match signals.reached {
                _ if signals.tests_changed => "tests change as well".to_owned(),
                Some(Reach { functions, tested, .. }) if tested > 0 => format!(
                    "tests are likely to execute {tested} of {}",
                    counted(functions, "changed function")
                ),
                _ if ratio > 0.0 => format!("{ratio:.2} bytes of tests per byte"),
                Some(Reach { is_partial: true, .. }) => {
                    "not all changed functions have a likely test".to_owned()
                }
                _ => "no test was found that reaches it".to_owned(),
            },
        ),
        None => unknown.push(Unknown::new("test_ratio", "its imports are not indexed")),
    }
    match signals.churn_percentile {
        Some(percentile) => put(
            "churn",
            percentile,
            thresholds.churn_percentile,
            percentile >= thresholds.churn_percentile,
            format!("percentile {:.0} of the files by decayed commits", percentile * 100.0),
        ),
        None if signals.has_few_files => {
            unknown.push(Unknown::new("churn", "the tree has fewer than 20 files to compare with"));
        }
        None => unknown.push(Unknown::new("churn", why_no_history)),
    }
    match signals.incidents {
        Some(count) => {
            let text = format!("{} in 180 days", counted(count, "incident"));
            match (thresholds.incidents, signals.fixes) {
                (Some(least), _) => {
                    put("incidents", count as f64, least as f64, count >= least, text);
                }
                (None, Some(fixes)) => put(
                    "incidents",
                    fixes,
                    TOP,
                    fixes >= TOP && count >= INCIDENTS_MIN,
                    format!("{text}; percentile {:.0} by corrections", fixes * 100.0),
                ),
                (None, None) => {
                    put(
                        "incidents",
                        count as f64,
                        f64::from(FEW_MIN),
                        count >= FEW_MIN as usize,
                        text,
                    );
                }
            }
        }
        None => unknown.push(Unknown::new("incidents", why_no_history)),
    }
    match &signals.authors {
        Some(Authors { main, main_commits, recent, has_changed }) => put(
            "ownership",
            f64::from(u8::from(*has_changed)),
            1.0,
            *has_changed,
            if *has_changed {
                format!(
                    "{main}, who has most of its commits ({main_commits}), has not been active in the \
                     last 180 days; now {recent} changes it most"
                )
            } else {
                format!("{main}, who has most of its commits ({main_commits}), is still active")
            },
        ),
        None if signals.has_few_commits => {
            unknown.push(Unknown::new("ownership", "fewer than 5 commits by people changed it"));
        }
        None => unknown.push(Unknown::new("ownership", why_no_history)),
    }
    made.unknown = unknown;
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::settings::Kind;

    #[test]
    fn missing_evidence_is_listed_and_does_not_count() {
        let thresholds = Thresholds::of(Kind::Application);
        let made = of(&Signals::default(), &thresholds, "no commits");
        assert_eq!((made.components.len(), made.unknown.len()), (0, 7));
        let ownership = |signals: &Signals| {
            let unknown = of(signals, &thresholds, "no commits").unknown;
            unknown.into_iter().find(|it| it.evidence == "ownership").map(|it| it.why)
        };
        assert_eq!(ownership(&Signals::default()).as_deref(), Some("no commits"));
        let few = Signals { has_few_commits: true, ..Signals::default() };
        let expected = "fewer than 5 commits by people changed it";
        assert_eq!(ownership(&few).as_deref(), Some(expected), "there are some");
    }

    #[test]
    fn what_exists_once_is_in_the_singular() {
        let thresholds = Thresholds::of(Kind::Application);
        let texts = |count: usize| {
            let partner =
                Partner { path: "b".into(), share: 0.9, commits: count as u32, in_change: false };
            let signals = Signals {
                lines: Some(count),
                blast_radius: Some(count),
                partners: Some(vec![partner]),
                incidents: Some(count),
                ..Signals::default()
            };
            let thresholds = Thresholds { cochange_commits: 1, ..thresholds };
            let made = of(&signals, &thresholds, "");
            made.components.into_iter().map(|it| it.text).collect::<Vec<_>>()
        };
        let expected = [
            "1 changed line",
            "1 file imports it, directly or through others",
            "b usually changes with it (1 common commit) and is not in this change",
            "1 incident in 180 days",
        ];
        assert_eq!(texts(1), expected);
        let expected = [
            "2 changed lines",
            "2 files import it, directly or through others",
            "b usually changes with it (2 common commits) and is not in this change",
            "2 incidents in 180 days",
        ];
        assert_eq!(texts(2), expected);
    }

    #[test]
    fn tests_that_reach_the_change_count_without_imports() {
        let thresholds = Thresholds::of(Kind::Application);
        let made = |tested, is_partial| {
            let reached = Some(Reach { functions: 3, tested, is_partial });
            let signals = Signals { test_ratio: Some(0.0), reached, ..Signals::default() };
            let found = of(&signals, &thresholds, "").components.remove(0);
            (found.is_over, found.text)
        };
        let text = |text: &str| text.to_owned();
        let some = |tested| format!("tests are likely to execute {tested} of 3 changed functions");
        assert_eq!(made(2, false), (false, some(2)));
        assert_eq!(made(1, false), (true, some(1)));
        assert_eq!(made(0, true), (true, text("not all changed functions have a likely test")));
        assert_eq!(made(0, false), (true, text("no test was found that reaches it")));
    }

    #[test]
    fn partners_that_the_change_lacks_count() {
        let thresholds = Thresholds::of(Kind::Application);
        let partner =
            |in_change| Partner { path: "b".to_owned(), share: 0.9, commits: 4, in_change };
        let signals = |in_change| Signals {
            partners: Some(vec![partner(in_change)]),
            test_ratio: Some(0.0),
            ..Signals::default()
        };
        assert!(of(&signals(false), &thresholds, "").is_over("co_change"));
        let made = of(&signals(true), &thresholds, "");
        assert!(!made.is_over("co_change") && made.is_over("test_ratio"));
        let tested = Signals { tests_changed: true, ..signals(true) };
        assert!(!of(&tested, &thresholds, "").is_over("test_ratio"));
    }
}
