//! The files of a log by their present names: the commits that changed them, how recently they
//! changed, and which files change together.
//!
//! **Names.** The log is read from the newest commit back. A change of a path belongs to the file
//! that has this path now, or that was renamed from it later. If a branch changed the old path
//! after another branch had renamed it, these changes belong to the new path as well, unless a new
//! file was created under the old path since. Histories of branches are not followed separately: a
//! path that denotes different files on two branches counts as one file.
//!
//! **Bounds.** Co-change considers the newest [`TOGETHER_COMMITS_MAX`] commits of a file that
//! changed at most [`TOGETHER_FILES_MAX`] files each, and returns the [`TOGETHER_MAX`] best files.

use rustc_hash::FxHashMap;

use super::decay::Decay;
use super::git::Status;
use super::log::{Log, PathId};
use super::subjects::{CommitHit, FileHit, Parameters};

/// Commits that changed more files are not evidence of co-change.
pub const TOGETHER_FILES_MAX: usize = 20;

/// The newest commits of a file that co-change considers.
pub const TOGETHER_COMMITS_MAX: usize = 500;

/// The number of files that co-change returns at most.
pub const TOGETHER_MAX: usize = 50;

/// Commits added to the denominator of the co-change share: one of one commit is weaker evidence
/// than nine of ten.
const TOGETHER_DOUBT: f64 = 2.0;

/// The number of commits after which the weight of a commit is halved; see [`super::History::active`].
const ACTIVE_HALF_LIFE: f64 = 5.0;

/// Older commits, with a lower weight, are not read: 50 commits are.
const ACTIVE_WEIGHT_MIN: f64 = 0.001;

/// The files of a log.
#[derive(Debug)]
pub(super) struct Files {
    /// The file of each change of the log, as its present path.
    owners: Vec<PathId>,
    /// The numbers of paths in the order of the paths.
    numbers: FxHashMap<Box<[u8]>, PathId>,
    /// The end of each path's range in `commits`.
    ends: Vec<u32>,
    /// Commits grouped by the file that they changed, newest first.
    commits: Vec<u32>,
}

impl Files {
    /// Resolves every change to the present name of its file. O(log).
    pub(super) fn new(log: &Log) -> Files {
        let owners = owners(log);
        let paths = log.paths.len();
        let mut numbers = FxHashMap::default();
        numbers.reserve(paths);
        for number in 0..paths as u32 {
            numbers.insert(log.paths.get(number).into(), PathId(number));
        }
        let mut found: Vec<(u32, u32)> = Vec::with_capacity(owners.len());
        for at in 0..log.len() {
            found.extend(own(log, &owners, at).iter().map(|owner| (owner.0, at as u32)));
        }
        found.sort_unstable();
        found.dedup();
        let mut ends = vec![0; paths];
        for &(owner, _) in &found {
            ends[owner as usize] += 1;
        }
        let mut end = 0;
        for own in &mut ends {
            end += *own;
            *own = end;
        }
        let commits = found.into_iter().map(|(_, commit)| commit).collect();
        Files { owners, numbers, ends, commits }
    }

    /// Returns the files that the commits in `best` changed.
    pub(super) fn hits<'a>(
        &self,
        log: &'a Log,
        best: &[CommitHit],
        parameters: &Parameters,
        is_there: impl Fn(&[u8]) -> bool,
    ) -> Vec<FileHit<'a>> {
        let mut places: FxHashMap<PathId, Option<usize>> = FxHashMap::default();
        let mut hits: Vec<FileHit<'a>> = Vec::new();
        let mut most: Vec<f64> = Vec::new();
        for hit in best {
            let owners = distinct(own(log, &self.owners, hit.commit));
            let age_s = log.head_s().saturating_sub(log.times_s[hit.commit]);
            let share = hit.score * parameters.decay.of_age(age_s) / (owners.len() as f64).sqrt();
            for owner in owners {
                let place = *places.entry(owner).or_insert_with(|| {
                    let path = log.path(owner);
                    let is_there = is_there(path);
                    is_there.then(|| {
                        hits.push(FileHit { path, score: 0.0, commits: 0, best: hit.commit });
                        most.push(0.0);
                        hits.len() - 1
                    })
                });
                let Some(place) = place else { continue };
                hits[place].score += share;
                hits[place].commits += 1;
                if share > most[place] {
                    (most[place], hits[place].best) = (share, hit.commit);
                }
            }
        }
        let top = hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
        if top > 0.0 {
            hits.iter_mut().for_each(|hit| hit.score /= top);
        }
        hits.sort_unstable_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| crate::base::path::compare(a.path, b.path))
        });
        hits
    }

    /// Returns the commits that changed a file, newest first.
    pub(super) fn commits_of(&self, log: &Log, path: &[u8]) -> &[u32] {
        debug_assert_eq!(self.ends.len(), log.paths.len(), "made of this log");
        let Some(path) = self.numbers.get(path) else { return &[] };
        let start = path.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.commits[start as usize..self.ends[path.index()] as usize]
    }

    /// Returns the present name of the file of each change of a commit.
    pub(super) fn of_commit(&self, log: &Log, at: usize) -> &[PathId] {
        own(log, &self.owners, at)
    }

    pub(super) fn recency(&self, log: &Log, path: &[u8], decay: Decay) -> f64 {
        // The newest by rank, because its time may come from a wrong clock.
        let newest = self.commits_of(log, path).first();
        newest.map_or(0.0, |&commit| {
            decay.of_age(log.head_s().saturating_sub(log.times_s[commit as usize]))
        })
    }

    /// See [`super::History::active`].
    pub(super) fn active<'a>(&self, log: &'a Log) -> Vec<(&'a [u8], f64)> {
        let mut sums: FxHashMap<PathId, f64> = FxHashMap::default();
        let mut weight = 1.0;
        for at in 0..log.len() {
            let owners = distinct(own(log, &self.owners, at));
            if owners.is_empty() {
                continue;
            }
            if weight < ACTIVE_WEIGHT_MIN {
                break;
            }
            let share = weight / (owners.len() as f64).sqrt();
            for owner in owners {
                *sums.entry(owner).or_default() += share;
            }
            weight *= (-1.0 / ACTIVE_HALF_LIFE).exp2();
        }
        let top = sums.values().copied().fold(f64::MIN_POSITIVE, f64::max);
        let mut active: Vec<(&[u8], f64)> =
            sums.into_iter().map(|(owner, sum)| (log.path(owner), sum / top)).collect();
        active.sort_unstable_by(|a, b| crate::base::path::compare(a.0, b.0));
        active
    }

    pub(super) fn changed_with<'a>(&self, log: &'a Log, path: &[u8]) -> Vec<(&'a [u8], f64)> {
        let Some(&asked) = self.numbers.get(path) else { return Vec::new() };
        let commits = self.commits_of(log, path).iter().map(|&commit| commit as usize);
        let small = commits.filter(|&commit| log.changes_of(commit).len() <= TOGETHER_FILES_MAX);
        let mut looked_at = 0;
        let mut counts: FxHashMap<PathId, u32> = FxHashMap::default();
        for commit in small.take(TOGETHER_COMMITS_MAX) {
            looked_at += 1;
            for owner in distinct(own(log, &self.owners, commit)) {
                if owner != asked {
                    *counts.entry(owner).or_default() += 1;
                }
            }
        }
        let all = f64::from(looked_at) + TOGETHER_DOUBT;
        let weigh = |(owner, count): (PathId, u32)| (log.path(owner), f64::from(count) / all);
        let mut together: Vec<(&[u8], f64)> = counts.into_iter().map(weigh).collect();
        together.sort_unstable_by(|a, b| {
            b.1.total_cmp(&a.1).then_with(|| crate::base::path::compare(a.0, b.0))
        });
        together.truncate(TOGETHER_MAX);
        together
    }
}

/// Returns the files that a commit changed.
fn own<'a>(log: &Log, owners: &'a [PathId], at: usize) -> &'a [PathId] {
    let start = at.checked_sub(1).map_or(0, |before| log.change_ends[before]);
    &owners[start as usize..log.change_ends[at] as usize]
}

fn distinct(owners: &[PathId]) -> Vec<PathId> {
    let mut owners = owners.to_vec();
    owners.sort_unstable();
    owners.dedup();
    owners
}

/// Returns the present path of the file of each change.
fn owners(log: &Log) -> Vec<PathId> {
    let paths = log.paths.len() as u32;
    // Maps a path, at the current point of the backward scan, to the present path of its file.
    let mut named: Vec<PathId> = (0..paths).map(PathId).collect();
    // Marks paths under which a file was created later.
    let mut is_made = vec![false; paths as usize];
    // Marks paths that were still changed after the file had been renamed.
    let mut late: Vec<PathId> = named.clone();
    let mut owners = Vec::with_capacity(log.changes.len());
    for at in 0..log.len() {
        let changes = log.changes_of(at);
        owners.extend(changes.iter().map(|change| named[change.path.index()]));
        // All renames of a commit are simultaneous: two files may have exchanged their names.
        let moves = log.moves_of(at).iter().map(|moved| (moved.source, moved.path));
        let renames: Vec<(PathId, PathId)> = changes
            .iter()
            .filter_map(|change| Some((change.source?, change.path)))
            .chain(moves.clone())
            .map(|(source, path)| (source, named[path.index()]))
            .collect();
        for change in changes {
            is_made[change.path.index()] |=
                matches!(change.status, Status::Added | Status::Renamed);
        }
        for (_, path) in moves {
            is_made[path.index()] = true;
        }
        for (source, now) in renames {
            if !is_made[source.index()] && resolve(&late, now) != source {
                late[source.index()] = now;
            }
            named[source.index()] = now;
        }
    }
    for owner in &mut owners {
        *owner = resolve(&late, *owner);
    }
    owners
}

/// Follows `late` to its end; there are no cycles.
fn resolve(late: &[PathId], mut path: PathId) -> PathId {
    while late[path.index()] != path {
        path = late[path.index()];
    }
    path
}
