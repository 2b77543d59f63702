//! Builds a log from commits that git reports and from those of an existing log.

use rustc_hash::FxHashMap;

use super::interned::Interner;
use super::{Change, Log, Move, Origin, PathId};
use crate::history::git::{ReportedCommit, Status};
use crate::history::id::CommitId;
use crate::history::subjects;
use crate::lang::prose::Stems;

/// Bytes of the paths, subjects or words of a log; further commits are left out.
pub(super) const TEXT_BYTES_MAX: usize = 1 << 28;

/// A log under construction; commits are appended.
#[derive(Debug, Default)]
pub(in crate::history) struct LogBuilder {
    log: Log,
    paths: Interner,
    vocabulary: Interner,
    authors: Interner,
    stems: Stems,
}

/// Commits in git's order with their parents, before ranks are assigned.
#[derive(Debug, Default)]
pub(in crate::history) struct Fresh {
    builder: LogBuilder,
    parent_ends: Vec<u32>,
    parents: Vec<CommitId>,
}

impl Fresh {
    /// Adds a commit as git reports it.
    pub(in crate::history) fn push(&mut self, commit: &ReportedCommit) {
        let Some(id) = commit.id else { return };
        let builder = &mut self.builder;
        if builder.is_full() {
            return;
        }
        builder.push_commit(id, commit);
        self.parents.extend_from_slice(&commit.parents);
        self.parent_ends.push(self.parents.len() as u32);
    }

    /// Returns the log of these commits and of the commits of `kept` for which its function returns
    /// true, with at most `commits_max` commits. O(commits · log commits).
    pub(in crate::history) fn join(
        self,
        origin: Origin,
        kept: Option<(&Log, &dyn Fn(CommitId) -> bool)>,
        commits_max: usize,
    ) -> Log {
        let mut order: Vec<(i64, CommitId, Source)> = Vec::new();
        let mut known: FxHashMap<CommitId, i64> = FxHashMap::default();
        if let Some((log, stays)) = kept {
            for at in (0..log.len()).filter(|&at| stays(log.ids[at])) {
                known.insert(log.ids[at], log.ranks[at]);
                order.push((log.ranks[at], log.ids[at], Source::Kept(at)));
            }
        }
        let ranks = self.ranks(&known);
        let fresh = self.builder.finish(Origin::default());
        for (at, rank) in ranks.into_iter().enumerate() {
            if !known.contains_key(&fresh.ids[at]) {
                order.push((rank, fresh.ids[at], Source::Fresh(at)));
            }
        }
        order.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let is_cut = origin.is_cut || order.len() > commits_max;
        order.truncate(commits_max);
        let mut builder = LogBuilder::default();
        for (rank, _, source) in order {
            match (source, kept) {
                (Source::Fresh(at), _) => builder.push_from(&fresh, at, rank),
                (Source::Kept(at), Some((log, _))) => builder.push_from(log, at, rank),
                (Source::Kept(_), None) => {}
            }
        }
        builder.finish(Origin { is_cut, ..origin })
    }

    /// Returns the rank of each commit: its time, or more than the ranks of its parents.
    fn ranks(&self, known: &FxHashMap<CommitId, i64>) -> Vec<i64> {
        let log = &self.builder.log;
        let places: FxHashMap<CommitId, usize> =
            log.ids.iter().enumerate().map(|(at, &id)| (id, at)).collect();
        let mut ranks: Vec<Option<i64>> = vec![None; log.len()];
        for first in 0..log.len() {
            // Parents come first; commits that wait for them are on the stack.
            let mut stack = vec![first];
            while let Some(&at) = stack.last() {
                if ranks[at].is_some() {
                    stack.pop();
                    continue;
                }
                let parents = &self.parents[super::span(&self.parent_ends, at)];
                let mut rank = log.times_s[at];
                let waiting = stack.len();
                for parent in parents {
                    let place = places.get(parent).filter(|&&place| place != at);
                    let of_parent = match place {
                        Some(&place) if ranks[place].is_none() => {
                            stack.push(place);
                            continue;
                        }
                        Some(&place) => ranks[place],
                        None => known.get(parent).copied(),
                    };
                    rank = of_parent.map_or(rank, |other| rank.max(other.saturating_add(1)));
                }
                if stack.len() == waiting {
                    ranks[at] = Some(rank);
                    stack.pop();
                }
            }
        }
        ranks.into_iter().map(Option::unwrap_or_default).collect()
    }
}

/// The origin of a commit.
#[derive(Clone, Copy, Debug)]
enum Source {
    Fresh(usize),
    Kept(usize),
}

/// The values of a commit that do not vary in number.
struct Columns<'a> {
    id: CommitId,
    time_s: i64,
    rank: i64,
    parents: u8,
    has_fixes_trailer: bool,
    files: u32,
    author: u32,
    subject: &'a [u8],
}

impl LogBuilder {
    /// Returns true if there is no room for another commit.
    fn is_full(&self) -> bool {
        let of_all = [&self.paths, &self.vocabulary, &self.authors].map(|it| &it.texts);
        let texts = of_all.into_iter().chain([&self.log.subjects]);
        texts.into_iter().any(|texts| texts.bytes_len() > TEXT_BYTES_MAX / 2)
            || self.log.changes.len() > u32::MAX as usize / 4
            || self.log.moves.len() > u32::MAX as usize / 4
    }

    fn push_commit(&mut self, id: CommitId, commit: &ReportedCommit) {
        for (status, path, source) in &commit.changes {
            self.push_change(*status, path, source.as_deref());
        }
        for (path, source) in &commit.moves {
            self.push_move(path, source);
        }
        // The subject of a merge names branches; the merged commits have their own subjects.
        if commit.parents.len() < 2 {
            let log = &mut self.log;
            subjects::words(&commit.subject, &mut self.stems, &mut |word| {
                log.words.push(self.vocabulary.number(word.as_bytes()));
            });
        }
        let author = format!("{}\0{}", commit.author_name, commit.author_email);
        let author = self.authors.number(author.as_bytes());
        self.push_columns(Columns {
            id,
            author,
            time_s: commit.committed_s,
            rank: 0,
            parents: commit.parents.len().min(u8::MAX.into()) as u8,
            has_fixes_trailer: commit.has_fixes_trailer,
            files: commit.files.min(u32::MAX as usize) as u32,
            subject: commit.subject.as_bytes(),
        });
    }

    fn push_from(&mut self, log: &Log, at: usize, rank: i64) {
        for change in log.changes_of(at) {
            let source = change.source.map(|source| log.path(source));
            self.push_change(change.status, log.path(change.path), source);
        }
        for moved in log.moves_of(at) {
            self.push_move(log.path(moved.path), log.path(moved.source));
        }
        for &word in log.words_of(at) {
            let word = self.vocabulary.number(log.vocabulary.get(word));
            self.log.words.push(word);
        }
        let author = self.authors.number(log.people.get(log.authors[at]));
        self.push_columns(Columns {
            id: log.ids[at],
            author,
            time_s: log.times_s[at],
            rank,
            parents: log.parents[at],
            has_fixes_trailer: log.fixes_trailers[at],
            files: log.files[at],
            subject: log.subjects.get(at as u32),
        });
    }

    fn push_change(&mut self, status: Status, path: &[u8], source: Option<&[u8]>) {
        let path = PathId(self.paths.number(path));
        let source = source.map(|source| PathId(self.paths.number(source)));
        self.log.changes.push(Change { status, path, source });
    }

    fn push_move(&mut self, path: &[u8], source: &[u8]) {
        let path = PathId(self.paths.number(path));
        let source = PathId(self.paths.number(source));
        self.log.moves.push(Move { path, source });
    }

    /// Appends the columns of a commit, after its changes, moves and words.
    fn push_columns(&mut self, commit: Columns<'_>) {
        let log = &mut self.log;
        log.ids.push(commit.id);
        log.times_s.push(commit.time_s);
        log.ranks.push(commit.rank);
        log.parents.push(commit.parents);
        log.fixes_trailers.push(commit.has_fixes_trailer);
        log.files.push(commit.files);
        log.authors.push(commit.author);
        log.subjects.push(commit.subject);
        log.change_ends.push(log.changes.len() as u32);
        log.move_ends.push(log.moves.len() as u32);
        log.word_ends.push(log.words.len() as u32);
    }

    fn finish(self, origin: Origin) -> Log {
        let (paths, people) = (self.paths.texts, self.authors.texts);
        Log { origin, paths, people, vocabulary: self.vocabulary.texts, ..self.log }
    }
}
