//! Measures whether the score of `codedb check` ranks the commits that later turned out faulty above the
//! others, against baselines that only count lines.
//!
//! A commit is faulty if a correction removes lines that it had last changed (SZZ), or if a commit
//! reverts it by id. Each commit is scored with what was known before it. The newest commits are left
//! out, because their faults may not be corrected yet. Nothing but commits is used.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::base::path;
use crate::check::incidents::{is_revert, named_commits, revert_depth};
use crate::check::score::{COUNT, Features, Model, entropy};
use crate::error::Result;
use crate::eval::history::auc;
use crate::history::activity::{YEAR, is_fix};
use crate::history::git::{FilePatch, Git};
use crate::history::people::People;
use crate::history::{Commit, CommitId, Log, PathId};
use crate::lang::marks;

/// The commits whose patches one git process reads.
const BATCH: usize = 50;

/// Corrections of more files are not traced back: they are rarely only corrections.
const FIX_FILES_MAX: usize = 20;

/// The maximum number of ranges of lines of one file that are traced back.
const RANGES_MAX: usize = 30;

/// The least number of faulty commits, and of others, for a figure.
pub const SAMPLES_MIN: usize = 20;

/// The limits of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The commits that are scored, newest first, after the ones that are left out.
    pub commits_max: usize,
    /// The corrections that are traced back, newest first.
    pub fixes_max: usize,
    /// The days before HEAD's commit whose commits are left out.
    pub recent_days: i64,
}

/// A scored commit.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Sample {
    /// Its id.
    pub commit: String,
    /// What was known before it.
    pub features: Features,
    /// The added lines of all files.
    pub added: f64,
    /// The removed lines of all files.
    pub removed: f64,
    /// True if it was corrected or reverted later.
    pub is_faulty: bool,
}

impl Sample {
    fn lines(&self) -> f64 {
        self.added + self.removed
    }
}

/// The quality of one ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// The probability that a faulty commit is ranked above another one.
    pub auc: f64,
    /// The share of the faulty commits among the first ones that together have 20 % of the changed
    /// lines, if commits are inspected by score per line.
    pub recall_at_20: f64,
    /// The normalized area below the curve of recall over inspected lines, from 0 (worst order) to 1
    /// (best order).
    pub popt: f64,
}

/// The measurement of a repository.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measurement {
    /// Scored commits.
    pub commits: usize,
    /// Those of them that are faulty.
    pub faulty: usize,
    /// The quality of the score.
    pub model: Quality,
    /// That of the number of added lines of source files.
    pub source_added: Quality,
    /// That of the number of added lines.
    pub added: Quality,
    /// That of the number of changed lines.
    pub size: Quality,
}

/// Returns the measurement of samples; `None` if there are too few of either kind.
pub fn measure(samples: &[Sample], model: &Model) -> Option<Measurement> {
    let faulty = samples.iter().filter(|it| it.is_faulty).count();
    if faulty < SAMPLES_MIN || samples.len() - faulty < SAMPLES_MIN {
        return None;
    }
    Some(Measurement {
        commits: samples.len(),
        faulty,
        model: quality(samples, &|it| model.score(&it.features)),
        source_added: quality(samples, &|it| it.features.added),
        added: quality(samples, &|it| it.added),
        size: quality(samples, &Sample::lines),
    })
}

fn quality(samples: &[Sample], score: &dyn Fn(&Sample) -> f64) -> Quality {
    let scores: Vec<f64> = samples.iter().map(score).collect();
    let labels: Vec<bool> = samples.iter().map(|it| it.is_faulty).collect();
    let effort: Vec<f64> = samples.iter().map(|it| it.lines().max(1.0)).collect();
    let order = |key: &dyn Fn(usize) -> f64| {
        let mut order: Vec<usize> = (0..samples.len()).collect();
        order.sort_by(|&a, &b| {
            key(b).total_cmp(&key(a)).then_with(|| samples[a].commit.cmp(&samples[b].commit))
        });
        order
    };
    let density = |at: usize| scores[at] / effort[at];
    let by_density = order(&density);
    let best = order(&|at| f64::from(u8::from(labels[at])) / effort[at]);
    let mut worst = best.clone();
    worst.reverse();
    let area = |order: &[usize]| area(order, &labels, &effort);
    let (best, worst) = (area(&best), area(&worst));
    let popt = if best > worst { (area(&by_density) - worst) / (best - worst) } else { 0.5 };
    Quality {
        auc: auc(&scores, &labels).unwrap_or(0.5),
        recall_at_20: recall(&by_density, &labels, &effort, 0.2),
        popt,
    }
}

/// Returns the share of positives among the first elements that together have `share` of the effort.
fn recall(order: &[usize], labels: &[bool], effort: &[f64], share: f64) -> f64 {
    let budget = effort.iter().sum::<f64>() * share;
    let (mut spent, mut found) = (0.0, 0);
    for &at in order {
        spent += effort[at];
        if spent > budget {
            break;
        }
        found += usize::from(labels[at]);
    }
    found as f64 / labels.iter().filter(|is| **is).count().max(1) as f64
}

/// Returns the area below the curve of the share of positives over the share of effort.
fn area(order: &[usize], labels: &[bool], effort: &[f64]) -> f64 {
    let total: f64 = effort.iter().sum();
    let positives = labels.iter().filter(|is| **is).count().max(1) as f64;
    let (mut sum, mut found) = (0.0, 0.0);
    for &at in order {
        let before = found;
        found += f64::from(u8::from(labels[at]));
        sum += effort[at] / total * (before + found) / 2.0 / positives;
    }
    sum
}

/// What is known about a file at a point of the replay.
#[derive(Clone, Debug, Default)]
struct FileState {
    commits: f64,
    fixes: f64,
    at_s: i64,
    authors: FxHashSet<u32>,
}

impl FileState {
    fn age_to(&mut self, now_s: i64) {
        let decay = YEAR.of_age(now_s.saturating_sub(self.at_s));
        self.commits *= decay;
        self.fixes *= decay;
        self.at_s = now_s.max(self.at_s);
    }
}

/// Returns the samples of a repository, oldest first. `report` is called with the progress.
///
/// # Errors
///
/// If git fails.
pub fn samples(
    git: &Git,
    log: &Log,
    people: &People,
    limits: &Limits,
    report: &mut dyn FnMut(&str),
) -> Result<Vec<Sample>> {
    let faulty = faulty(git, log, limits, report)?;
    let end_s = log.head_s() - limits.recent_days * 86_400;
    let is_scored = |commit: &Commit<'_>| {
        !commit.is_merge()
            && !commit.changes().is_empty()
            && commit.committed_s() <= end_s
            && !people.person(people.of(commit.author())).is_bot
    };
    let scored: Vec<CommitId> =
        log.commits().filter(is_scored).take(limits.commits_max).map(|it| it.id()).collect();
    report(&format!("reading the lines of {} commits", scored.len()));
    let mut lines: FxHashMap<CommitId, Lines> = FxHashMap::default();
    for batch in scored.chunks(BATCH) {
        // A huge commit makes its batch exceed the limit of git's output.
        let patches = match git.patches(batch, &[]) {
            Ok(patches) => patches,
            Err(_) => {
                batch.iter().flat_map(|&id| git.patches(&[id], &[]).unwrap_or_default()).collect()
            }
        };
        for patch in patches {
            lines.insert(patch.commit, Lines::of(&patch.files));
        }
    }
    let mut states: FxHashMap<PathId, FileState> = FxHashMap::default();
    let mut samples = Vec::new();
    let commits: Vec<Commit<'_>> = log.commits().collect();
    for commit in commits.into_iter().rev() {
        for moved in commit.moves() {
            if let Some(state) = states.remove(&moved.source) {
                states.insert(moved.path, state);
            }
        }
        if commit.changes().is_empty() || commit.is_merge() {
            continue;
        }
        let renamed: Vec<(PathId, Option<FileState>)> = commit
            .changes()
            .iter()
            .filter_map(|change| Some((change.path, states.remove(&change.source?))))
            .collect();
        for (path, state) in renamed {
            states.extend(state.map(|state| (path, state)));
        }
        if let Some(lines) = lines.get(&commit.id()) {
            samples.push(Sample {
                commit: commit.id().to_string(),
                features: known(log, commit, &mut states, lines),
                added: lines.added as f64,
                removed: lines.removed as f64,
                is_faulty: faulty.contains(&commit.id()),
            });
        }
        let person = people.of(commit.author());
        if people.person(person).is_bot {
            continue;
        }
        for change in commit.changes() {
            let state = states.entry(change.path).or_default();
            state.age_to(commit.committed_s());
            state.commits += 1.0;
            state.fixes += f64::from(u8::from(is_fix(commit)));
            state.authors.insert(person.number());
        }
    }
    Ok(samples)
}

/// The lines of a commit.
struct Lines {
    added: usize,
    removed: usize,
    /// Those of source files.
    source_added: usize,
    source_removed: usize,
    /// The entropy of the latter over the files.
    entropy: f64,
}

impl Lines {
    fn of(files: &[FilePatch]) -> Lines {
        let mut made =
            Lines { added: 0, removed: 0, source_added: 0, source_removed: 0, entropy: 0.0 };
        let mut counts = Vec::new();
        for file in files {
            let (added, removed) = file.lines();
            made.added += added;
            made.removed += removed;
            if marks::is_own_source(&file.target) || marks::is_own_source(&file.source) {
                made.source_added += added;
                made.source_removed += removed;
                counts.push(added + removed);
            }
        }
        Lines { entropy: entropy(&counts), ..made }
    }
}

fn known(
    log: &Log,
    commit: Commit<'_>,
    states: &mut FxHashMap<PathId, FileState>,
    lines: &Lines,
) -> Features {
    let (mut made, mut new, mut files) = (Features::default(), 0.0, 0.0_f64);
    let mut directories: FxHashSet<&[u8]> = FxHashSet::default();
    let changes = commit.changes().iter();
    for change in changes.filter(|change| marks::is_own_source(log.path(change.path))) {
        files += 1.0;
        directories.insert(path::split(log.path(change.path)).0);
        let Some(state) = states.get_mut(&change.path) else {
            new += 1.0;
            continue;
        };
        state.age_to(commit.committed_s());
        made.churn = made.churn.max(state.commits);
        made.fixes = made.fixes.max(state.fixes);
        made.authors = made.authors.max(state.authors.len() as f64);
    }
    Features {
        added: lines.source_added as f64,
        removed: lines.source_removed as f64,
        files,
        directories: directories.len() as f64,
        entropy: lines.entropy,
        new_files: new / files.max(1.0),
        ..made
    }
}

/// Returns the commits that later ones correct or revert.
fn faulty(
    git: &Git,
    log: &Log,
    limits: &Limits,
    report: &mut dyn FnMut(&str),
) -> Result<FxHashSet<CommitId>> {
    let mut found: FxHashSet<CommitId> = FxHashSet::default();
    let names_another = |it: &Commit<'_>| is_revert(it.subject()) || it.has_fixes_trailer();
    let naming: Vec<CommitId> = log.commits().filter(names_another).map(|it| it.id()).collect();
    let by_name: BTreeMap<String, CommitId> =
        log.commits().map(|it| (it.id().to_string(), it.id())).collect();
    for batch in naming.chunks(BATCH) {
        for (_, message) in git.messages_of(batch)? {
            for id in named_commits(&message) {
                // An abbreviated id is the start of the next full one.
                let next = by_name.range(id.clone()..).next();
                found.extend(next.filter(|(name, _)| name.starts_with(&id)).map(|(_, id)| *id));
            }
        }
    }
    let fixes: Vec<CommitId> = log
        .commits()
        .filter(|it| is_fix(*it) && revert_depth(it.subject()) == 0)
        .filter(|it| !it.changes().is_empty() && it.changes().len() <= FIX_FILES_MAX)
        .take(limits.fixes_max)
        .map(|it| it.id())
        .collect();
    report(&format!("tracing back {} corrections", fixes.len()));
    for batch in fixes.chunks(BATCH) {
        for patch in git.patches(batch, &[])? {
            let Some(parent) = git.commit(&format!("{}^", patch.commit))? else { continue };
            let Some(parent) = CommitId::parse(parent.as_bytes()) else { continue };
            for file in patch.files.iter().filter(|file| marks::is_own_source(&file.source)) {
                let ranges: Vec<(usize, usize)> = file
                    .hunks
                    .iter()
                    .filter(|hunk| hunk.source_lines > 0)
                    .map(|hunk| (hunk.source_line, hunk.source_lines))
                    .take(RANGES_MAX)
                    .collect();
                let blamed = git.blame_lines(parent, &file.source, &ranges).unwrap_or_default();
                found.extend(blamed.into_iter().map(|it| it.commit));
            }
        }
    }
    Ok(found)
}

/// Fits the weights of the model to samples of several repositories, each with the same total weight,
/// by logistic regression (Newton's method with an L2 penalty). The bounds of the levels are
/// probabilities and stay the same.
pub fn fit(sets: &[Vec<Sample>]) -> Model {
    const N: usize = COUNT + 1;
    const PENALTY: f64 = 2.0;
    let mut beta = [0.0; N];
    for _ in 0..50 {
        let (mut gradient, mut hessian) = ([0.0; N], [[0.0; N]; N]);
        for set in sets {
            let weight = 1000.0 / set.len().max(1) as f64;
            for sample in set {
                let row = row(&sample.features);
                let sum: f64 = row.iter().zip(&beta).map(|(value, beta)| value * beta).sum();
                let p = 1.0 / (1.0 + (-sum).exp());
                let error = f64::from(u8::from(sample.is_faulty)) - p;
                for a in 0..N {
                    gradient[a] += weight * error * row[a];
                    for b in 0..N {
                        hessian[a][b] += weight * p * (1.0 - p) * row[a] * row[b];
                    }
                }
            }
        }
        for at in 1..N {
            gradient[at] -= PENALTY * beta[at];
            hessian[at][at] += PENALTY;
        }
        hessian[0][0] += 1e-9;
        let step = solve(hessian, gradient);
        for at in 0..N {
            beta[at] += step[at];
        }
        if step.iter().all(|value| value.abs() < 1e-9) {
            break;
        }
    }
    let mut weights = [0.0; COUNT];
    weights.copy_from_slice(&beta[1..]);
    Model { bias: beta[0], weights, levels: Model::DEFAULT.levels }
}

fn row(features: &Features) -> [f64; COUNT + 1] {
    let mut row = [1.0; COUNT + 1];
    row[1..].copy_from_slice(&features.values());
    row
}

/// Solves a system of linear equations by Gaussian elimination with partial pivoting.
fn solve<const N: usize>(mut a: [[f64; N]; N], mut b: [f64; N]) -> [f64; N] {
    for column in 0..N {
        let pivot = (column..N).max_by(|&x, &y| a[x][column].abs().total_cmp(&a[y][column].abs()));
        let pivot = pivot.unwrap_or(column);
        a.swap(column, pivot);
        b.swap(column, pivot);
        if a[column][column].abs() < 1e-12 {
            continue;
        }
        let pivot_row = a[column];
        for other in column + 1..N {
            let factor = a[other][column] / pivot_row[column];
            for (value, pivot) in a[other].iter_mut().zip(&pivot_row).skip(column) {
                *value -= factor * pivot;
            }
            b[other] -= factor * b[column];
        }
    }
    let mut x = [0.0; N];
    for at in (0..N).rev() {
        let known: f64 = (at + 1..N).map(|other| a[at][other] * x[other]).sum();
        x[at] = if a[at][at].abs() < 1e-12 { 0.0 } else { (b[at] - known) / a[at][at] };
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: usize, added: f64, is_faulty: bool) -> Sample {
        let features = Features { added, files: 1.0, ..Features::default() };
        Sample { commit: format!("{at:03}"), features, added, removed: 0.0, is_faulty }
    }

    #[test]
    fn a_fitted_model_orders_the_samples() {
        let set: Vec<Sample> =
            (0..100).map(|at| sample(at, at as f64 + 1.0, at % 7 != 0 && at > 50)).collect();
        let model = fit(std::slice::from_ref(&set));
        assert!(model.weights[0] > 0.5, "{model:?}");
        let measured = measure(&set, &model).expect("there are enough");
        assert!((measured.model.auc - measured.added.auc).abs() < 1e-9, "{measured:?}");
        assert!(measured.model.auc > 0.9);
    }

    #[test]
    fn too_little_history_has_no_figure() {
        let set: Vec<Sample> = (0..30).map(|at| sample(at, 1.0, at < 5)).collect();
        assert_eq!(measure(&set, &Model::DEFAULT), None);
    }

    #[test]
    fn the_best_order_has_popt_1() {
        let labels = [true, false, true];
        let effort = [1.0, 1.0, 2.0];
        assert!(area(&[0, 2, 1], &labels, &effort) > area(&[1, 2, 0], &labels, &effort));
        assert_eq!(recall(&[0, 1, 2], &labels, &effort, 0.25), 0.5);
    }
}
