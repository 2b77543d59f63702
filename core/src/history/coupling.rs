//! Co-change: which files are changed by the same commits.
//!
//! A counted commit (see [`super::activity`]) with n files adds 1 / (n − 1), decayed with a half-life
//! of one year, to each pair of them, so that a commit of many files is weak evidence for each pair.
//! Commits with more than [`SHARED_FILES_MAX`] files, and those of automated authors, add nothing.

use rustc_hash::FxHashMap;

use super::activity::{Activity, Rules, SHARED_FILES_MAX, YEAR};
use super::files::Files;
use super::log::{Log, PathId};

/// The maximum number of pairs that are held; the oldest commits are left out beyond it.
const PAIRS_MAX: usize = 4_000_000;

/// The co-change of two files.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Together {
    /// The number of commits that changed both.
    pub support: u32,
    /// The sum of 1 / (n − 1) over these commits, decayed.
    pub weight: f64,
    /// The time of the newest of these commits in seconds since 1970.
    pub last_s: i64,
}

/// A file that changes together with another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Partner<'a> {
    /// Its present path.
    pub path: &'a [u8],
    /// What the commits have.
    pub together: Together,
    /// The share of the commits of the queried file that changed the partner as well, 0 to 1.
    pub confidence: f64,
    /// How many times more often the two change together than if they changed independently.
    pub lift: f64,
}

/// The co-change of all pairs of files.
#[derive(Debug)]
pub struct Coupling {
    rules: Rules,
    /// Each pair twice, in the order of the files.
    pairs: Vec<(PathId, PathId, Together)>,
    by_path: FxHashMap<Box<[u8]>, PathId>,
    /// The number of commits that changed each file and count as evidence.
    commits: FxHashMap<PathId, u32>,
    counted: u32,
}

impl Coupling {
    pub(super) fn new(log: &Log, names: &Files, activity: &Activity) -> Coupling {
        let mut pairs: FxHashMap<(PathId, PathId), Together> = FxHashMap::default();
        let mut commits: FxHashMap<PathId, u32> = FxHashMap::default();
        let mut counted = 0;
        for commit in log.commits().filter(|&commit| activity.is_counted(commit)) {
            let is_bot = activity.people().person(activity.people().of(commit.author())).is_bot;
            let mut paths = names.of_commit(log, commit.at()).to_vec();
            paths.sort_unstable();
            paths.dedup();
            if is_bot || paths.len() > SHARED_FILES_MAX || pairs.len() > PAIRS_MAX {
                continue;
            }
            counted += 1;
            paths.iter().for_each(|&path| *commits.entry(path).or_default() += 1);
            let age_s = log.head_s().saturating_sub(commit.committed_s());
            let weight = YEAR.of_age(age_s) / paths.len().saturating_sub(1).max(1) as f64;
            for (at, &a) in paths.iter().enumerate() {
                for &b in &paths[at + 1..] {
                    let pair = pairs.entry((a, b)).or_insert_with(|| Together {
                        last_s: commit.committed_s(),
                        ..Together::default()
                    });
                    pair.support += 1;
                    pair.weight += weight;
                }
            }
        }
        let one_way: Vec<((PathId, PathId), Together)> = pairs.into_iter().collect();
        let both = one_way.into_iter().flat_map(|((a, b), it)| [(a, b, it), (b, a, it)]);
        let mut pairs: Vec<(PathId, PathId, Together)> = both.collect();
        pairs.sort_unstable_by_key(|&(a, b, _)| (a, b));
        let by_path = commits.keys().map(|&path| (log.path(path).into(), path)).collect();
        Coupling { rules: activity.rules().clone(), pairs, by_path, commits, counted }
    }

    /// Returns the rules under which it was computed.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the number of commits that are evidence.
    pub fn counted(&self) -> usize {
        self.counted as usize
    }

    /// Returns the number of these commits that changed the file. O(1).
    pub fn commits_of(&self, path: &[u8]) -> u32 {
        self.by_path.get(path).and_then(|id| self.commits.get(id)).copied().unwrap_or_default()
    }

    /// Returns the files that changed together with `path`, those with the highest weight first,
    /// then by path. O(log pairs + partners · log partners).
    pub fn partners<'a>(&self, log: &'a Log, path: &[u8]) -> Vec<Partner<'a>> {
        let Some(&asked) = self.by_path.get(path) else { return Vec::new() };
        let own = f64::from(self.commits.get(&asked).copied().unwrap_or(1).max(1));
        let start = self.pairs.partition_point(|&(a, ..)| a < asked);
        let pairs = self.pairs[start..].iter().take_while(|&&(a, ..)| a == asked);
        let partner = |&(_, other, together): &(PathId, PathId, Together)| {
            let others = f64::from(self.commits.get(&other).copied().unwrap_or(1).max(1));
            let confidence = f64::from(together.support) / own;
            let lift = confidence * f64::from(self.counted.max(1)) / others;
            Partner { path: log.path(other), together, confidence, lift }
        };
        let mut partners: Vec<Partner<'a>> = pairs.map(partner).collect();
        partners.sort_unstable_by(|a, b| {
            let by_weight = b.together.weight.total_cmp(&a.together.weight);
            by_weight.then_with(|| crate::base::path::compare(a.path, b.path))
        });
        partners
    }
}
