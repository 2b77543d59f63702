//! The investigation of a file: a reducer over an explicit state, with a cap on its steps.
//!
//! A [`Driver`] looks at the [`State`] and chooses the next calls; [`reduce`] adds their results.
//! Nothing else is kept, so an investigation can be stored between two steps and replayed. [`rules`] is
//! the deterministic driver, [`model`] asks a chat model. Texts of the repository (messages, patches, names) are results of calls:
//! no driver takes instructions from them.

pub mod model;
pub mod rules;

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::baseline::{Baseline, Partner};
use super::verdict::{Level, Verdict};

/// The maximum number of steps, the last of which must finish.
pub const STEPS_MAX: usize = 5;

/// The maximum number of calls of one step.
pub const CALLS_MAX: usize = 7;

/// The default period of `query_incident_history`, in days.
pub const DAYS: u64 = 180;

/// The default threshold of `query_cochange_partners`.
pub const THRESHOLD: f64 = 0.5;

/// The default number of commits of `query_recent_commits`.
pub const COMMITS: usize = 5;

/// A call of one of the seven tools.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(tag = "tool", rename_all = "snake_case")]
pub enum ToolCall {
    /// The three people with most commits.
    QueryOwnership,
    /// The files that change together with the file.
    QueryCochangePartners {
        /// The least share of common commits, from 0 to 1.
        threshold: f64,
    },
    /// What went wrong with the file before.
    QueryIncidentHistory {
        /// The period before HEAD's commit, in days.
        days: u64,
    },
    /// The files that depend on the file.
    QueryBlastRadius,
    /// The changes that a commit made to the file.
    GetCommitPatch {
        /// The id of the commit.
        commit: String,
    },
    /// The newest commits of the file.
    QueryRecentCommits {
        /// How many.
        limit: usize,
    },
    /// Ends the investigation.
    FinishInvestigation {
        /// The verdict.
        verdict: Verdict,
    },
}

impl ToolCall {
    /// Returns the name of the tool.
    pub fn name(&self) -> &'static str {
        match self {
            ToolCall::QueryOwnership => "query_ownership",
            ToolCall::QueryCochangePartners { .. } => "query_cochange_partners",
            ToolCall::QueryIncidentHistory { .. } => "query_incident_history",
            ToolCall::QueryBlastRadius => "query_blast_radius",
            ToolCall::GetCommitPatch { .. } => "get_commit_patch",
            ToolCall::QueryRecentCommits { .. } => "query_recent_commits",
            ToolCall::FinishInvestigation { .. } => "finish_investigation",
        }
    }
}

/// A person and their commits to the file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Owner {
    /// The name.
    pub author: String,
    /// Their commits.
    pub commits: u32,
    /// The day of the newest.
    pub last: String,
}

/// An incident of the file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct IncidentEntry {
    /// `fix`, `revert` or `imported`.
    pub source: super::incidents::Source,
    /// The commit, or the id of the tracker.
    pub id: String,
    /// The day.
    pub date: String,
    /// The subject or title.
    pub title: String,
    /// Its severity in the tracker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// How certain it is that this was an incident, from 0 to 1.
    pub confidence: f64,
    /// The commit that most likely introduced the fault, by blame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub introduced_by: Option<String>,
    /// How certain that is, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub introduced_by_confidence: Option<f64>,
}

/// A commit of the file.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct CommitEntry {
    /// Its id.
    pub commit: String,
    /// The day.
    pub date: String,
    /// The name of its author.
    pub author: String,
    /// The first line of its message.
    pub subject: String,
}

/// The result of a call.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolResult {
    /// Of `query_ownership`.
    Owners(Vec<Owner>),
    /// Of `query_cochange_partners`.
    Partners(Vec<Partner>),
    /// Of `query_incident_history`, newest first.
    Incidents(Vec<IncidentEntry>),
    /// Of `query_blast_radius`.
    BlastRadius {
        /// Files that import it.
        direct: usize,
        /// Files that import it, directly or through others; at most 1,000 are counted.
        all: usize,
        /// Those of them that are tests.
        tests: usize,
        /// The first ten that import it.
        importers: Vec<String>,
    },
    /// Of `get_commit_patch`.
    Patch {
        /// The commit.
        commit: String,
        /// Its changed lines of the file, at most 8 KiB.
        patch: String,
        /// How many lines of the present change remove a line that the commit added.
        undone_lines: usize,
    },
    /// Of `query_recent_commits`, newest first.
    Commits(Vec<CommitEntry>),
    /// The call failed, or there is no data; why.
    Unavailable(String),
}

/// A call with its result.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct CallRecord {
    /// The step, from 1.
    pub step: usize,
    /// The call.
    pub call: ToolCall,
    /// Its result.
    pub result: ToolResult,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub elapsed_ms: f64,
}

/// The state of an investigation.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct State {
    /// The file, by its present path.
    pub file: String,
    /// Its former paths.
    pub former_paths: Vec<String>,
    /// The changed lines, at most 12 KiB.
    pub diff: String,
    /// The removed lines, without white space around them.
    pub removed_lines: Vec<String>,
    /// The baseline of the file.
    pub baseline: Baseline,
    /// The level by the baseline.
    pub level: Level,
    /// The number of steps so far.
    pub steps: usize,
    /// The calls so far.
    pub calls: Vec<CallRecord>,
    /// The verdict, once the investigation has finished.
    pub verdict: Option<Verdict>,
}

impl State {
    /// Returns true if no further step is possible.
    pub fn is_over(&self) -> bool {
        self.verdict.is_some() || self.steps >= STEPS_MAX
    }

    /// Returns a hash of the change that is investigated: equal changes of equal files have the same.
    pub fn fingerprint(&self) -> String {
        let lines = self.removed_lines.join("\n");
        let all = [self.file.as_str(), &self.diff, &lines].join("\0");
        format!("{:032x}", xxhash_rust::xxh3::xxh3_128(all.as_bytes()))
    }

    /// Returns the verdict; that of an emergency if the investigation did not finish.
    pub fn conclude(&self, failure: Option<&str>) -> Verdict {
        let capped = format!("no verdict after {STEPS_MAX} steps");
        let why = failure.unwrap_or(&capped);
        self.verdict.clone().unwrap_or_else(|| Verdict::emergency(why))
    }
}

/// What the tools read.
pub trait Tools {
    /// Returns the result of a call that does not finish the investigation.
    fn result(&self, state: &State, call: &ToolCall) -> ToolResult;
}

/// Chooses the calls of an investigation.
pub trait Driver {
    /// Returns the calls of the next step. No call means that the driver has nothing to add, which is
    /// a step as well.
    ///
    /// # Errors
    ///
    /// Why the driver cannot go on; the investigation then ends with the emergency verdict.
    fn next(&mut self, state: &State) -> Result<Vec<ToolCall>, String>;
}

/// Returns the state after one step with these calls. A state that is over stays as it is.
#[must_use]
pub fn reduce(mut state: State, calls: Vec<ToolCall>, tools: &dyn Tools) -> State {
    if state.is_over() {
        return state;
    }
    state.steps += 1;
    for call in calls.into_iter().take(CALLS_MAX) {
        if let ToolCall::FinishInvestigation { mut verdict } = call {
            verdict.confidence = verdict.confidence.clamp(0.0, 1.0);
            state.verdict = Some(verdict);
            break;
        }
        let started = Instant::now();
        let result = tools.result(&state, &call);
        let elapsed_ms = (started.elapsed().as_secs_f64() * 1e4).round() / 10.0;
        state.calls.push(CallRecord { step: state.steps, call, result, elapsed_ms });
    }
    state
}

/// Runs a driver to the end and returns the last state with the verdict.
pub fn run(driver: &mut dyn Driver, mut state: State, tools: &dyn Tools) -> (State, Verdict) {
    while !state.is_over() {
        match driver.next(&state) {
            Ok(calls) => state = reduce(state, calls, tools),
            Err(why) => {
                let verdict = state.conclude(Some(&why));
                return (state, verdict);
            }
        }
    }
    let verdict = state.conclude(None);
    (state, verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl Tools for Nothing {
        fn result(&self, _: &State, _: &ToolCall) -> ToolResult {
            ToolResult::Unavailable("nothing".to_owned())
        }
    }

    struct Endless(usize);

    impl Driver for Endless {
        fn next(&mut self, _: &State) -> Result<Vec<ToolCall>, String> {
            self.0 += 1;
            Ok(vec![ToolCall::QueryOwnership; 20])
        }
    }

    #[test]
    fn a_driver_that_never_finishes_has_five_steps() {
        let mut driver = Endless(0);
        let (state, verdict) = run(&mut driver, State::default(), &Nothing);
        assert_eq!((driver.0, state.steps, state.calls.len()), (5, 5, 5 * CALLS_MAX));
        assert_eq!((verdict.level, verdict.confidence), (Level::Medium, 0.3));
        assert_eq!(reduce(state.clone(), vec![ToolCall::QueryOwnership], &Nothing), state);
    }

    #[test]
    fn a_state_survives_storage() {
        let finish = ToolCall::FinishInvestigation { verdict: Verdict::without_history() };
        let calls = vec![ToolCall::QueryCochangePartners { threshold: 0.5 }, finish];
        let state = reduce(State::default(), calls, &Nothing);
        let text = serde_json::to_string(&state).expect("it is JSON");
        let stored: State = serde_json::from_str(&text).expect("it is a state");
        assert_eq!((&stored, stored.fingerprint()), (&state, state.fingerprint()));
        let other = State { diff: "+a\n".to_owned(), ..stored };
        assert_ne!(other.fingerprint(), state.fingerprint());
    }
}
