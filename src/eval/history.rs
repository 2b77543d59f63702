//! Measures co-change, risk and reviewers on the history of a repository, each against a trivial
//! baseline. Nothing but commits is used: every prediction is computed from the commits before it.
//!
//! **Co-change.** The commits are replayed from the oldest. For each file of each of the newest fifth
//! of the commits with 2 to 30 files, the other files of the commit are predicted. The baseline is the
//! sum of 1 / (n − 1) over the common commits, decayed with a half-life of one year.
//!
//! **Reviewers.** The author of each change of a file in the newest fifth is predicted from the
//! earlier changes of the file; the baseline is the number of commits of each person.
//!
//! **Risk.** At one or more points in time, source files are ranked by risk; the answer is the set
//! of files that a commit of the following year fixed. The baseline is the decayed commit count.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::history::Decay;
use crate::history::activity::{HALF_YEAR, HOT, SHARED_FILES_MAX, YEAR, is_fix};
use crate::history::git::Status;
use crate::history::likely::{self, Features};
use crate::history::people::People;
use crate::history::{Commit, History, Log, PathId};
use crate::risk::{self, Input, Weights};

/// The share of the commits on which predictions are measured.
const MEASURED: f64 = 0.2;

/// The maximum number of predictions.
pub const QUERIES_MAX: usize = 4000;

/// The quality of rankings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// The share of rankings with a right answer among the first.
    pub hit_at_1: f64,
    /// The share with a right answer among the first three.
    pub hit_at_3: f64,
    /// The mean reciprocal rank of the first right answer.
    pub mrr: f64,
}

/// A model and its baseline on the same predictions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The number of predictions.
    pub queries: usize,
    /// The quality of the model.
    pub model: Quality,
    /// That of the baseline.
    pub baseline: Quality,
}

impl Comparison {
    fn add(&mut self, model: Option<usize>, baseline: Option<usize>) {
        self.queries += 1;
        for (quality, place) in [(&mut self.model, model), (&mut self.baseline, baseline)] {
            let Some(place) = place else { continue };
            quality.hit_at_1 += f64::from(u8::from(place == 0));
            quality.hit_at_3 += f64::from(u8::from(place < 3));
            quality.mrr += 1.0 / (place as f64 + 1.0);
        }
    }

    fn finish(mut self) -> Comparison {
        let count = self.queries.max(1) as f64;
        for quality in [&mut self.model, &mut self.baseline] {
            quality.hit_at_1 /= count;
            quality.hit_at_3 /= count;
            quality.mrr /= count;
        }
        self
    }
}

/// A value that decays with time.
#[derive(Clone, Copy, Debug, Default)]
struct Decayed {
    value: f64,
    at_s: i64,
}

impl Decayed {
    fn at(self, now_s: i64, decay: Decay) -> f64 {
        self.value * decay.of_age(now_s.saturating_sub(self.at_s))
    }

    fn add(&mut self, value: f64, now_s: i64, decay: Decay) {
        self.value = self.at(now_s, decay) + value;
        self.at_s = now_s.max(self.at_s);
    }
}

/// The state of a replay: what was known before a commit.
#[derive(Default)]
struct Replay {
    /// Files by their path; a renamed file keeps its number.
    numbers: FxHashMap<PathId, u32>,
    paths: Vec<PathId>,
    is_live: Vec<bool>,
    pairs: Vec<FxHashMap<u32, (Decayed, i64)>>,
    popularity: Vec<Decayed>,
    people: Vec<BTreeMap<u32, (u32, Decayed)>>,
    by_stem: FxHashMap<String, BTreeSet<u32>>,
}

impl Replay {
    /// Returns the number of the file at a path, which is created if there is none.
    fn number(&mut self, log: &Log, path: PathId) -> u32 {
        if let Some(&number) = self.numbers.get(&path) {
            return number;
        }
        let number = self.paths.len() as u32;
        self.numbers.insert(path, number);
        self.paths.push(path);
        self.is_live.push(false);
        self.pairs.push(FxHashMap::default());
        self.popularity.push(Decayed::default());
        self.people.push(BTreeMap::new());
        self.name(log, number, path);
        number
    }

    fn name(&mut self, log: &Log, number: u32, path: PathId) {
        let old = likely::stem(log.path(self.paths[number as usize]));
        if let Some(files) = self.by_stem.get_mut(&old) {
            files.remove(&number);
        }
        self.paths[number as usize] = path;
        let stem = likely::stem(log.path(path));
        if !stem.is_empty() {
            self.by_stem.entry(stem).or_default().insert(number);
        }
    }

    /// Gives renamed files their new paths, and returns the files of the commit.
    fn files(&mut self, log: &Log, commit: Commit<'_>) -> Vec<u32> {
        let renames: Vec<(PathId, Option<u32>)> = commit
            .changes()
            .iter()
            .filter(|change| change.status == Status::Renamed)
            .filter_map(|change| Some((change.path, self.numbers.remove(&change.source?))))
            .collect();
        for (path, number) in renames {
            if let Some(number) = number {
                self.numbers.insert(path, number);
                self.name(log, number, path);
            }
        }
        let mut files: Vec<u32> =
            commit.changes().iter().map(|change| self.number(log, change.path)).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Adds a commit.
    fn learn(&mut self, log: &Log, commit: Commit<'_>, files: &[u32], person: u32) {
        let now_s = commit.committed_s();
        for change in commit.changes() {
            let number = self.number(log, change.path) as usize;
            self.is_live[number] = change.status != Status::Deleted;
        }
        if files.len() > SHARED_FILES_MAX {
            return;
        }
        let weight = 1.0 / files.len().saturating_sub(1).max(1) as f64;
        for &a in files {
            self.popularity[a as usize].add(1.0, now_s, HOT);
            let work = self.people[a as usize].entry(person).or_default();
            work.0 += 1;
            work.1.add(1.0, now_s, HALF_YEAR);
            for &b in files.iter().filter(|&&b| b != a) {
                let pair = self.pairs[a as usize].entry(b).or_default();
                pair.0.add(weight, now_s, YEAR);
                pair.1 = pair.1.max(now_s);
            }
        }
    }

    /// Returns the live files that changed most often lately.
    fn popular(&self, now_s: i64) -> Vec<u32> {
        let live = (0..self.paths.len()).filter(|&at| self.is_live[at]);
        let mut files: Vec<(f64, u32)> =
            live.map(|at| (self.popularity[at].at(now_s, HOT), at as u32)).collect();
        files.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        files.into_iter().take(likely::POPULAR_MAX).map(|(_, file)| file).collect()
    }

    /// Returns the place of the first right answer for a file, by the model and by the baseline.
    fn predict(
        &self,
        log: &Log,
        file: u32,
        popular: &[u32],
        answers: &FxHashSet<u32>,
        now_s: i64,
    ) -> (Option<usize>, Option<usize>) {
        let path = log.path(self.paths[file as usize]);
        let pairs = &self.pairs[file as usize];
        let stem = likely::stem(path);
        let alike = self.by_stem.get(&stem);
        let mut candidates: Vec<u32> = pairs.keys().copied().collect();
        candidates.extend(popular);
        candidates.extend(alike.into_iter().flatten());
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|&other| other != file && self.is_live[other as usize]);
        let mut model: Vec<(f64, u32)> = Vec::new();
        let mut baseline: Vec<(f64, u32)> = Vec::new();
        for other in candidates {
            let other_path = log.path(self.paths[other as usize]);
            let common = pairs.get(&other);
            let weight = common.map_or(0.0, |(weight, _)| weight.at(now_s, YEAR));
            let features = Features {
                weight,
                since_s: common.map(|(_, last_s)| now_s.saturating_sub(*last_s)),
                popularity: self.popularity[other as usize].at(now_s, HOT),
                is_same_name: alike.is_some_and(|files| files.contains(&other)),
                is_same_directory: likely::directory(other_path) == likely::directory(path),
                is_same_extension: likely::extension(other_path) == likely::extension(path),
            };
            model.push((features.score(), other));
            if weight > 0.0 {
                baseline.push((weight, other));
            }
        }
        let place = |mut ranked: Vec<(f64, u32)>| {
            ranked.sort_by(|a, b| {
                let path = |file: u32| log.path(self.paths[file as usize]);
                b.0.total_cmp(&a.0).then_with(|| crate::base::path::compare(path(a.1), path(b.1)))
            });
            ranked.iter().position(|(_, other)| answers.contains(other))
        };
        (place(model), place(baseline))
    }

    /// Returns the place of a person among the people of a file, by the model and by the baseline.
    fn predict_person(&self, file: u32, person: u32, now_s: i64) -> (Option<usize>, Option<usize>) {
        let people = &self.people[file as usize];
        let place = |score: &dyn Fn(&(u32, Decayed)) -> f64| {
            let mut ranked: Vec<(f64, u32)> =
                people.iter().map(|(&id, work)| (score(work), id)).collect();
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            ranked.iter().position(|(_, id)| *id == person)
        };
        (place(&|work| work.1.at(now_s, HALF_YEAR)), place(&|work| f64::from(work.0)))
    }
}

/// Measures the prediction of co-change and of reviewers. O(pairs of files of each commit + queries ·
/// candidates).
pub fn replayed(log: &Log, people: &People) -> (Comparison, Comparison) {
    let commits: Vec<Commit<'_>> =
        log.commits().filter(|commit| !commit.changes().is_empty()).collect();
    let from = (commits.len() as f64 * (1.0 - MEASURED)) as usize;
    let mut replay = Replay::default();
    let (mut co_change, mut reviewers) = (Comparison::default(), Comparison::default());
    for (at, &commit) in commits.iter().rev().enumerate() {
        let files = replay.files(log, commit);
        let person = people.of(commit.author());
        let is_bot = people.person(person).is_bot;
        let (person, now_s) = (person.number(), commit.committed_s());
        if at >= from && (2..=SHARED_FILES_MAX).contains(&files.len()) && !is_bot {
            let popular = replay.popular(now_s);
            for &file in &files {
                let answers: FxHashSet<u32> =
                    files.iter().copied().filter(|&other| other != file).collect();
                let is_possible = answers.iter().any(|&other| replay.is_live[other as usize]);
                if is_possible && co_change.queries < QUERIES_MAX {
                    let (model, baseline) = replay.predict(log, file, &popular, &answers, now_s);
                    co_change.add(model, baseline);
                }
            }
        }
        if at >= from && !is_bot && files.len() <= SHARED_FILES_MAX {
            for &file in files.iter().filter(|&&file| !replay.people[file as usize].is_empty()) {
                let (model, baseline) = replay.predict_person(file, person, now_s);
                reviewers.add(model, baseline);
            }
        }
        if !is_bot {
            replay.learn(log, commit, &files, person);
        } else {
            replay.learn(log, commit, &[], person);
        }
    }
    (co_change.finish(), reviewers.finish())
}

/// The measurement of risk at one point in time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RiskCase {
    /// The number of source files then.
    pub files: usize,
    /// How many of them were fixed in the following year.
    pub fixed: usize,
    /// The probability that a fixed file has a higher score than another one.
    pub model_auc: f64,
    /// The same for the decayed commit count.
    pub baseline_auc: f64,
}

/// Returns the newest commit that is at least `years` before HEAD's, if the log goes back a year more.
pub fn point(log: &Log, years: f64) -> Option<Commit<'_>> {
    let year_s = 365.25 * 86_400.0;
    let time_s = log.head_s() - (years * year_s) as i64;
    let first_s = log.commits().last()?.committed_s();
    let commit = log.commits().find(|commit| commit.committed_s() <= time_s)?;
    (commit.committed_s() - first_s > year_s as i64).then_some(commit)
}

/// Measures risk at a commit: `before` is the history up to it, `sizes` are its source files with
/// their sizes in bytes, `log` is that of a later HEAD. Returns `None` if no file, or every file, was
/// fixed in the following year. O(logs).
pub fn risk(
    log: &Log,
    at: Commit<'_>,
    before: &History,
    sizes: &[(Vec<u8>, u64)],
) -> Option<RiskCase> {
    let start_s = at.committed_s();
    let end_s = start_s + (365.25 * 86_400.0) as i64;
    let mut fixed: FxHashSet<Vec<u8>> = FxHashSet::default();
    // The path at the point in time, for files that were renamed since.
    let mut origins: FxHashMap<&[u8], Vec<u8>> = FxHashMap::default();
    let later: Vec<Commit<'_>> = log.commits().take(at.at()).collect();
    for commit in later.into_iter().rev().filter(|commit| commit.committed_s() <= end_s) {
        let is_fix = is_fix(commit);
        for change in commit.changes() {
            let path = log.path(change.path);
            if let Some(source) = change.source {
                let source = log.path(source);
                let origin = origins.get(source).cloned().unwrap_or_else(|| source.to_vec());
                origins.insert(path, origin);
            }
            if is_fix {
                fixed.insert(origins.get(path).cloned().unwrap_or_else(|| path.to_vec()));
            }
        }
    }
    let activity = before.activity(&crate::history::Rules::default());
    let input = |(path, size): &(Vec<u8>, u64)| {
        let file = activity.file(path);
        Input {
            churn: Some(file.map_or(0.0, |it| it.weight)),
            co_change: Some(file.map_or(0.0, |it| it.shared_weight)),
            size_bytes: *size,
            ..Input::default()
        }
    };
    let inputs: Vec<Input> = sizes.iter().map(input).collect();
    let (risks, _) = risk::scores(&inputs, &Weights::DEFAULT);
    let is_fixed: Vec<bool> = sizes.iter().map(|(path, _)| fixed.contains(path)).collect();
    let count = is_fixed.iter().filter(|is| **is).count();
    let scores: Vec<f64> = risks.iter().map(|risk| risk.score).collect();
    let counts: Vec<f64> = inputs.iter().map(|input| input.churn.unwrap_or_default()).collect();
    Some(RiskCase {
        files: sizes.len(),
        fixed: count,
        model_auc: auc(&scores, &is_fixed)?,
        baseline_auc: auc(&counts, &is_fixed)?,
    })
}

/// Returns the probability that a positive has a higher score than a negative; ties count one half.
/// `None` without positives or without negatives. O(n log n).
pub fn auc(scores: &[f64], is_positive: &[bool]) -> Option<f64> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let (mut ranks, mut positives) = (0.0, 0_usize);
    let mut start = 0;
    for group in order.chunk_by(|&a, &b| scores[a].total_cmp(&scores[b]).is_eq()) {
        let rank = start as f64 + (group.len() as f64 + 1.0) / 2.0;
        let count = group.iter().filter(|&&at| is_positive[at]).count();
        ranks += rank * count as f64;
        positives += count;
        start += group.len();
    }
    let negatives = scores.len() - positives;
    if positives == 0 || negatives == 0 {
        return None;
    }
    let count = positives as f64;
    Some((ranks - count * (count + 1.0) / 2.0) / (count * negatives as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auc_counts_ordered_pairs() {
        assert_eq!(auc(&[1.0, 2.0, 3.0], &[false, false, true]), Some(1.0));
        assert_eq!(auc(&[1.0, 2.0, 3.0], &[true, false, false]), Some(0.0));
        assert_eq!(auc(&[1.0, 1.0], &[true, false]), Some(0.5));
        assert_eq!(auc(&[1.0], &[true]), None);
    }

    #[test]
    fn decay_halves_a_value() {
        let year_s = YEAR.half_life_s as i64;
        let mut value = Decayed::default();
        value.add(1.0, 0, YEAR);
        value.add(1.0, year_s, YEAR);
        assert!((value.at(2 * year_s, YEAR) - 0.75).abs() < 1e-9);
    }
}
