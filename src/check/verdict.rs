//! The verdict on a change: a level, how certain it is, and why.

use serde::{Deserialize, Serialize};

/// The level of a risk.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// No evidence counts against the change. It may still be wrong.
    #[default]
    Low,
    /// Worth a look before it is pushed.
    Medium,
    /// A review by somebody who knows the code is advised.
    High,
    /// Several strong signs of risk.
    Critical,
}

impl Level {
    /// Every level, the lowest first.
    pub const ALL: [Level; 4] = [Level::Low, Level::Medium, Level::High, Level::Critical];

    /// Returns the name, as in replies.
    pub fn name(self) -> &'static str {
        match self {
            Level::Low => "LOW",
            Level::Medium => "MEDIUM",
            Level::High => "HIGH",
            Level::Critical => "CRITICAL",
        }
    }

    /// Parses a name in any case.
    pub fn parse(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name().eq_ignore_ascii_case(name))
    }

    /// Returns the level that is `steps` above this one, or below it, within the bounds.
    #[must_use]
    pub fn moved(self, steps: i32) -> Level {
        let at = (self as i32 + steps).clamp(0, 3);
        Level::ALL[at as usize]
    }
}

/// Evidence that is missing.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Unknown {
    /// What is not known.
    pub evidence: String,
    /// Why.
    pub why: String,
}

impl Unknown {
    /// Returns missing evidence with its reason.
    pub fn new(evidence: &str, why: impl Into<String>) -> Unknown {
        Unknown { evidence: evidence.to_owned(), why: why.into() }
    }
}

/// A verdict.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Verdict {
    /// The level.
    pub level: Level,
    /// How certain the level is, from 0 to 1.
    pub confidence: f64,
    /// Why, the most important first.
    pub reasons: Vec<String>,
    /// What to do, the most important first.
    pub recommendations: Vec<String>,
}

impl Verdict {
    /// Returns the verdict on a file without history: low only because nothing is known.
    pub fn without_history() -> Verdict {
        Verdict {
            level: Level::Low,
            confidence: 0.8,
            reasons: vec!["new file or no historical data".to_owned()],
            recommendations: vec![
                "ask the owner of the folder for a review".to_owned(),
                "add tests".to_owned(),
            ],
        }
    }

    /// Returns the verdict of an investigation that did not end: medium, with little confidence.
    pub fn emergency(why: &str) -> Verdict {
        Verdict {
            level: Level::Medium,
            confidence: 0.3,
            reasons: vec![format!("the investigation did not finish: {why}")],
            recommendations: vec!["ask somebody who knows the code for a review".to_owned()],
        }
    }
}
