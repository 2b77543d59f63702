//! Measures how well `codedb context` finds files and functions for tasks with a known answer: a
//! commit message and the files of the commit, or a bug report and its fixing patch.
//!
//! Each case runs on the tree and the history before the change. [`cases`] reads the cases;
//! [`localize`] checks out the trees and records the ranks, next to those of the [`baselines`];
//! [`causes`] explains failures; [`measures`] computes metrics with confidence intervals; [`fit`] optimises weights on the
//! evidence that `localize` recorded. [`history`] measures co-change, risk and
//! reviewers on commits alone; [`risk`] measures the score of
//! `codedb check`, [`levels`] its agreement with reviewers, [`renames`] compares former paths with git's. [`answers`] grades replies against written keys; [`questions`]
//! measures the ranking on questions with graded files; [`context`] measures replies against
//! keys of files, definitions, lines and tests; [`agent`] measures whole tasks of an agent;
//! [`patch`] parses patches.

pub mod agent;
pub mod answers;
pub mod baselines;
pub mod cases;
pub mod causes;
pub mod context;
pub mod fit;
pub mod history;
pub mod levels;
pub mod localize;
pub mod measures;
pub mod patch;
pub mod questions;
pub mod renames;
pub mod risk;
pub mod selection;
