//! Files of a log under the names that they have now: which commits changed them, how recently, and
//! what else these changed.
//!
//! **Names.** The log is read from the newest commit back. What a commit did to a path it did to the
//! file that has that path now, or that got another by a later rename. Where a branch still changed the
//! old path after another had renamed it, these changes count for the new one, too, unless somebody
//! made a file of the old path since. Histories of branches are not followed apart from each other, so
//! that a path which stands for different files on two of them counts as one.
//!
//! **Bounds.** Files that change together are told of the newest [`TOGETHER_COMMITS_MAX`] commits of a
//! file that changed no more than [`TOGETHER_FILES_MAX`] files each: the [`TOGETHER_MAX`] best.

use rustc_hash::FxHashMap;

use super::git::Status;
use super::log::{Log, PathId};
use super::subjects::{CommitHit, FileHit, Parameters};

/// Files of a commit beyond which they say nothing about each other.
pub const TOGETHER_FILES_MAX: usize = 20;

/// Commits of a file that are looked at for what changes together with it.
pub const TOGETHER_COMMITS_MAX: usize = 500;

/// Files that are told to change together with one.
pub const TOGETHER_MAX: usize = 50;

/// Commits that are added to those of a file where it is asked what part of them changed another one:
/// one of one says less than nine of ten.
const TOGETHER_DOUBT: f64 = 2.0;

/// How much less an older commit says. Ages are measured from HEAD's commit, never by the clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decay {
    /// The age at which a commit says half as much, in seconds; 0 or less for no decay.
    pub half_life_s: f64,
}

impl Decay {
    /// Two years.
    pub const DEFAULT: Decay = Decay { half_life_s: 2.0 * 365.25 * 86_400.0 };

    /// Returns what a commit of an age still says, from 1 down to 0. What is younger than HEAD says
    /// as much as HEAD.
    pub fn of_age(self, age_s: i64) -> f64 {
        match self.half_life_s > 0.0 {
            true => (-(age_s.max(0) as f64) / self.half_life_s).exp2(),
            false => 1.0,
        }
    }
}

/// The files of a log.
#[derive(Debug)]
pub(super) struct Files {
    /// The file of each change of the log: the path that it has now.
    owners: Vec<PathId>,
    /// Paths by name.
    numbers: FxHashMap<Box<[u8]>, PathId>,
    /// Where the commits of a path end.
    ends: Vec<u32>,
    /// Commits in order, the newest first, by the file that they changed.
    commits: Vec<u32>,
}

impl Files {
    /// Follows every change to the name that its file has now. O(log).
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

    /// Returns the files that the commits changed which `best` lists.
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

    /// Returns the commits that changed a file, the newest first.
    pub(super) fn commits_of(&self, log: &Log, path: &[u8]) -> &[u32] {
        debug_assert_eq!(self.ends.len(), log.paths.len(), "made of this log");
        let Some(path) = self.numbers.get(path) else { return &[] };
        let start = path.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.commits[start as usize..self.ends[path.index()] as usize]
    }

    pub(super) fn recency(&self, log: &Log, path: &[u8], decay: Decay) -> f64 {
        // By rank the newest; a clock may have been wrong about its time.
        let newest = self.commits_of(log, path).first();
        newest.map_or(0.0, |&commit| {
            decay.of_age(log.head_s().saturating_sub(log.times_s[commit as usize]))
        })
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

/// Returns the path that the file of each change has now.
fn owners(log: &Log) -> Vec<PathId> {
    let paths = log.paths.len() as u32;
    // The file that has a path at this point of the way back, by the path that it has now.
    let mut named: Vec<PathId> = (0..paths).map(PathId).collect();
    // Somebody made a file of this path at a later point.
    let mut is_made = vec![false; paths as usize];
    // A path under which a file was still changed after it had been renamed.
    let mut late: Vec<PathId> = named.clone();
    let mut owners = Vec::with_capacity(log.changes.len());
    for at in 0..log.len() {
        let changes = log.changes_of(at);
        owners.extend(changes.iter().map(|change| named[change.path.index()]));
        // All renames of a commit happen at once: two files may have changed their names.
        let renames: Vec<(PathId, PathId)> = changes
            .iter()
            .filter_map(|change| Some((change.source?, named[change.path.index()])))
            .collect();
        for change in changes {
            is_made[change.path.index()] |=
                matches!(change.status, Status::Added | Status::Renamed);
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

/// Follows `late` to its end; no path leads back to itself.
fn resolve(late: &[PathId], mut path: PathId) -> PathId {
    while late[path.index()] != path {
        path = late[path.index()];
    }
    path
}
