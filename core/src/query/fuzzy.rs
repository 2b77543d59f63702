//! Fuzzy look-up of paths by partial or misspelled queries.
//!
//! A query consists of words. Each word must match a path, ignoring ASCII case: as a substring of
//! the name, as a subsequence of the name, as initials (`rdc` for `ReactDOMClient`), as a
//! subsequence of directories and name, or, only if nothing else matches well, with typing errors.
//! A word with `/` matches a directory and a name. `word` scores one word in one name; this module
//! searches many names.
//!
//! Cost: O(directories + files), with a few nanoseconds for a file that lacks a letter of the
//! query. Uses several threads from `PARALLEL_FILES_MIN` files on.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;

use rayon::prelude::*;

use crate::base::path;
use crate::lang::marks;
use word::Word;

mod typo;
mod word;

/// Number of files from which several threads are used.
const PARALLEL_FILES_MIN: usize = 32 << 10;

/// Maximum bytes of a query; the rest is ignored.
const QUERY_BYTES_MAX: usize = 256;

/// Maximum words of a query; the rest is ignored.
const WORDS_MAX: usize = 8;

/// The number of newest files that are found once.
const NEWEST_MAX: usize = 256;

/// If the best score is below this, a second search allows typing errors.
const GOOD: i32 = 400;

/// Penalty of a generated, vendored or minified file.
const MARKED: i32 = 300;

/// An immutable index of the paths of a tree.
#[derive(Debug)]
pub struct PathIndex {
    /// Files in path order.
    files: Vec<File>,
    /// The letters of the name of each file, see [`word::letters`]. This and `dir_of` decide about
    /// most files, and take 12 of the 76 bytes of a file.
    letters: Vec<u64>,
    /// The directory of each file.
    dir_of: Vec<u32>,
    /// Directories. The root is first, and parents come before their children.
    dirs: Vec<Dir>,
    /// Names of files and directories in their original case.
    names: Vec<u8>,
    /// The same with ASCII letters in lowercase.
    folded: Vec<u8>,
    /// The [`NEWEST_MAX`] newest files, newest first, then in path order.
    newest: OnceLock<Vec<usize>>,
}

#[derive(Clone, Copy, Debug)]
struct File {
    /// The letters of the quarters of its name, see [`word::quarters`].
    quarters: [u64; 4],
    modified_ns: i64,
    /// The offset of its name.
    start: usize,
    len: u32,
    /// True if the file or its directory is generated, vendored or minified.
    is_marked: bool,
}

#[derive(Clone, Debug)]
struct Dir {
    parent: u32,
    /// The offset of its name, which ends in `/` except for the root.
    start: usize,
    len: u32,
    /// The letters of its name, see [`word::letters`].
    letters: u64,
    depth: i32,
    is_marked: bool,
}

/// A matching file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Hit {
    /// Its index among the paths.
    pub at: usize,
    /// Its score, comparable only within one query.
    pub score: i32,
}

/// The result of a query.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Hits {
    /// The best hits, ordered by score, then newest first, then by path.
    pub best: Vec<Hit>,
    /// The number of matching files.
    pub total: usize,
}

/// Score, modification time and index: the sort key of hits.
type Key = (i32, i64, Reverse<usize>);

/// Whether typing errors are allowed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Typos {
    Forgiven,
    Counted,
}

impl PathIndex {
    /// Builds the index of repository paths in path order, with their modification times. O(paths).
    pub fn new<'a>(paths: impl Iterator<Item = (&'a [u8], i64)>) -> PathIndex {
        let root = Dir { parent: 0, start: 0, len: 0, letters: 0, depth: 0, is_marked: false };
        let mut index = PathIndex {
            files: Vec::with_capacity(paths.size_hint().0),
            letters: Vec::with_capacity(paths.size_hint().0),
            dir_of: Vec::with_capacity(paths.size_hint().0),
            dirs: vec![root],
            names: Vec::new(),
            folded: Vec::new(),
            newest: OnceLock::new(),
        };
        // The stack of open directories: their ids, and the offset in a path at which their entries
        // begin.
        let mut open: Vec<(u32, usize)> = vec![(0, 0)];
        let mut before: Vec<u8> = Vec::new();
        for (path, modified_ns) in paths {
            let (dir, name) = path::split(path);
            if dir != before.as_slice() {
                index.open(dir, &before, &mut open);
                before = dir.to_vec();
            }
            let at = open.last().map_or(0, |&(id, _)| id);
            let start = index.add_name(name);
            let name_marks = marks::generated_or_minified(name);
            index.letters.push(word::letters(&index.folded[start..]));
            index.dir_of.push(at);
            index.files.push(File {
                quarters: word::quarters(&index.folded[start..]),
                modified_ns,
                start,
                len: u32::try_from(name.len()).unwrap_or(0),
                is_marked: index.dirs[at as usize].is_marked || name_marks.ranks_last(),
            });
        }
        index
    }

    /// Closes the directories that do not contain `dir`, and opens those that do.
    fn open(&mut self, dir: &[u8], before: &[u8], open: &mut Vec<(u32, usize)>) {
        let holds = |inner: usize| {
            let rest = before.get(..inner - 1).and_then(|own| dir.strip_prefix(own));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        while open.last().is_some_and(|&(_, inner)| inner > 0 && !holds(inner)) {
            open.pop();
        }
        let (mut parent, mut start) = open.last().copied().unwrap_or((0, 0));
        // Names of definitions may have empty components (`/carts//items`), unlike paths.
        while start < dir.len() {
            let len = dir[start..].iter().position(|&byte| byte == b'/');
            let end = len.map_or(dir.len(), |len| start + len);
            let name = &dir[start..end];
            let folder_marks = marks::of_directory(name);
            let above = &self.dirs[parent as usize];
            let (depth, marked) = (above.depth + 1, above.is_marked || folder_marks.ranks_last());
            let at = self.add_name(name);
            self.names.push(b'/');
            self.folded.push(b'/');
            let len = u32::try_from(name.len() + 1).unwrap_or(0);
            let letters = word::letters(&self.folded[at..]);
            self.dirs.push(Dir { parent, start: at, len, letters, depth, is_marked: marked });
            parent = u32::try_from(self.dirs.len() - 1).unwrap_or(0);
            start = end + 1;
            open.push((parent, start));
        }
    }

    fn add_name(&mut self, name: &[u8]) -> usize {
        let start = self.names.len();
        self.names.extend_from_slice(name);
        self.folded.extend(name.iter().map(u8::to_ascii_lowercase));
        start
    }

    /// Returns the best `max` files for `query`, or the newest files if the query has no words. See
    /// [`Hits::best`] for the order.
    pub fn find(&self, query: &[u8], max: usize) -> Hits {
        let words = words(query);
        if words.is_empty() && max <= NEWEST_MAX {
            let best = self.newest().iter().take(max).map(|&at| Hit { at, score: 0 });
            return Hits { best: best.collect(), total: self.files.len() };
        }
        let reached: Vec<Vec<u16>> = words.iter().map(|word| self.reached(word)).collect();
        let hits = self.look(&words, &reached, Typos::Counted, max);
        if are_good(&hits, &words) {
            return hits;
        }
        self.look(&words, &reached, Typos::Forgiven, max)
    }

    /// Returns the newest files. O(files) the first time.
    fn newest(&self) -> &[usize] {
        self.newest.get_or_init(|| {
            let hits = self.look(&[], &[], Typos::Counted, NEWEST_MAX);
            hits.best.into_iter().map(|hit| hit.at).collect()
        })
    }

    /// Returns the best files. `reached` is the result of [`PathIndex::reached`] for each word.
    fn look(&self, words: &[Word], reached: &[Vec<u16>], typos: Typos, max: usize) -> Hits {
        // The letters that a name in each directory needs to match all words without errors.
        let needed: Vec<u64> =
            (0..self.dirs.len()).map(|dir| needed(words, reached, dir)).collect();
        // With typing errors, a name may lack a few of them.
        let may_match = |dir: usize, letters: u64| {
            needed[dir] & !letters == 0
                || typos == Typos::Forgiven && may_match_with_typos(words, reached, dir, letters)
        };
        let part = |range: std::ops::Range<usize>| {
            let mut best = Best { heap: BinaryHeap::new(), max, total: 0 };
            for at in range {
                if !may_match(self.dir_of[at] as usize, self.letters[at]) {
                    continue;
                }
                // With several words, one score may be low although the sum is high.
                let floor = if words.len() == 1 { best.floor() } else { i32::MIN };
                if let Some(score) = self.score(words, reached, at, typos, floor) {
                    best.add((score, self.files[at].modified_ns, Reverse(at)));
                }
            }
            best
        };
        let count = self.files.len();
        let best = if count < PARALLEL_FILES_MIN {
            part(0..count)
        } else {
            let step = PARALLEL_FILES_MIN / 8;
            let starts: Vec<usize> = (0..count).step_by(step).collect();
            starts
                .into_par_iter()
                .map(|start| part(start..count.min(start + step)))
                .reduce(|| Best { heap: BinaryHeap::new(), max, total: 0 }, Best::merge)
        };
        let total = best.total;
        let mut keys: Vec<Key> = best.heap.into_iter().map(|Reverse(key)| key).collect();
        keys.sort_unstable_by(|a, b| b.cmp(a));
        let best = keys.into_iter().map(|(score, _, Reverse(at))| Hit { at, score }).collect();
        Hits { best, total }
    }

    /// Returns, for each directory, how many letters of the word its path matches as a subsequence.
    fn reached(&self, word: &Word) -> Vec<u16> {
        let mut reached: Vec<u16> = Vec::with_capacity(self.dirs.len());
        for dir in &self.dirs {
            let before = reached.get(dir.parent as usize).copied().unwrap_or(0);
            let name = &self.folded[dir.start..dir.start + dir.len as usize];
            reached.push(word.reach_directory(before, name, dir.letters));
        }
        reached
    }

    /// Returns the score of a file, if it matches. A score below `floor` need not be exact.
    fn score(
        &self,
        words: &[Word],
        reached: &[Vec<u16>],
        at: usize,
        typos: Typos,
        floor: i32,
    ) -> Option<i32> {
        if words.is_empty() {
            return Some(0);
        }
        let (file, letters, dir) = (&self.files[at], self.letters[at], self.dir_of[at] as usize);
        let mut sum = 0;
        for (word, reached) in words.iter().zip(reached) {
            let reached = usize::from(reached[dir]);
            let mut score = None;
            if word.may_fit(file.quarters, reached) {
                let range = file.start..file.start + file.len as usize;
                let name = word::Name {
                    written: &self.names[range.clone()],
                    folded: &self.folded[range],
                    letters,
                };
                score = word.score(name, reached, floor);
            }
            if typos == Typos::Forgiven
                && score.is_none_or(|score| score < word::WITH_TYPO_MAX)
                && word.may_fit_with_typos(letters, reached)
            {
                let folded = &self.folded[file.start..file.start + file.len as usize];
                score = score.max(word.score_with_typos(folded));
            }
            sum += score?;
        }
        let dir = &self.dirs[dir];
        let marked = if file.is_marked { MARKED } else { 0 };
        Some(sum - marked - dir.depth.min(10))
    }
}

/// Returns what [`PathIndex::find`] does for an index of names that are not kept: the best names and
/// the number of matching ones. `each` returns the names for which its argument returns true, each
/// once, in path order; it is called once or twice.
///
/// # Errors
///
/// That of `each`.
pub fn find_among<E>(
    query: &[u8],
    max: usize,
    each: impl Fn(&(dyn Fn(&[u8]) -> bool + Sync)) -> Result<Vec<Vec<u8>>, E>,
) -> Result<(Vec<Vec<u8>>, usize), E> {
    let words = words(query);
    let look = |typos: Typos| {
        let names = each(&|name| may_match(&words, name, typos))?;
        let index = PathIndex::new(names.iter().map(|name| (name.as_slice(), 0)));
        let reached: Vec<Vec<u16>> = words.iter().map(|word| index.reached(word)).collect();
        Ok((index.look(&words, &reached, typos, max), names))
    };
    let (mut hits, mut names) = look(Typos::Counted)?;
    if !are_good(&hits, &words) {
        (hits, names) = look(Typos::Forgiven)?;
    }
    let best = hits.best.iter().map(|hit| std::mem::take(&mut names[hit.at])).collect();
    Ok((best, hits.total))
}

fn words(query: &[u8]) -> Vec<Word> {
    let query = &query[..query.len().min(QUERY_BYTES_MAX)];
    let words = query.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.take(WORDS_MAX).map(Word::new).collect()
}

/// Returns false if a search that allows typing errors should follow.
fn are_good(hits: &Hits, words: &[Word]) -> bool {
    let best = hits.best.first().map_or(0, |hit| hit.score / (words.len().max(1) as i32));
    words.is_empty() || best >= GOOD
}

/// Returns false if a name cannot match all words. A few nanoseconds for each letter of the name.
fn may_match(words: &[Word], name: &[u8], typos: Typos) -> bool {
    if name.contains(&b'/') {
        // Some letters may match its directory.
        return true;
    }
    let letters = word::letters_of(name);
    words.iter().all(|word| {
        word.needed(0).is_some_and(|needed| needed & !letters == 0)
            || typos == Typos::Forgiven && word.may_fit_with_typos(letters, 0)
    })
}

/// Returns the letters that a name in a directory needs to match all words, or all letters if no
/// name can match.
fn needed(words: &[Word], reached: &[Vec<u16>], dir: usize) -> u64 {
    let of_word = |(word, reached): (&Word, &Vec<u16>)| word.needed(usize::from(reached[dir]));
    words.iter().zip(reached).fold(0, |all, pair| all | of_word(pair).unwrap_or(u64::MAX))
}

/// Returns false if a name without these letters cannot match all words, even with typing errors. A
/// few operations for each word.
fn may_match_with_typos(words: &[Word], reached: &[Vec<u16>], dir: usize, letters: u64) -> bool {
    words.iter().zip(reached).all(|(word, reached)| {
        let reached = usize::from(reached[dir]);
        word.needed(reached).is_some_and(|needed| needed & !letters == 0)
            || word.may_fit_with_typos(letters, reached)
    })
}

/// The best hits so far.
struct Best {
    /// A min-heap: the worst hit is on top.
    heap: BinaryHeap<Reverse<Key>>,
    max: usize,
    total: usize,
}

impl Best {
    /// Returns the score below which no hit is added.
    fn floor(&self) -> i32 {
        match self.heap.peek() {
            Some(Reverse((score, ..))) if self.heap.len() == self.max => *score,
            None if self.max == 0 => i32::MAX,
            _ => i32::MIN,
        }
    }

    fn add(&mut self, key: Key) {
        self.total += 1;
        self.keep(key);
    }

    fn keep(&mut self, key: Key) {
        if self.heap.len() < self.max {
            self.heap.push(Reverse(key));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && worst.0 < key
        {
            *worst = Reverse(key);
        }
    }

    fn merge(mut self, other: Best) -> Best {
        other.heap.into_iter().for_each(|Reverse(key)| self.keep(key));
        self.total += other.total;
        self
    }
}

#[cfg(test)]
mod tests;
