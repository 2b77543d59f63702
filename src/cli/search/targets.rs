//! Lists the targets of a request in the order in which they are printed, by a walk.
//!
//! The list does not depend on the pattern. `worker` searches one target, `ordered` keeps the
//! order.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkState};

use rayon::slice::ParallelSliceMut;

use super::args::SortBy;
use super::request::Request;
use super::searcher::is_stdin_path;
use super::walker::WalkRules;
use crate::error::Result;
use crate::source::rule_files::{self, WalkStart};
use crate::source::stamp::Stamp;

/// The number of items from which parallel sorting is faster.
const PARALLEL_SORT_MIN: usize = 10_000;

/// A file (or standard input) to search.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Target {
    /// The path to open and to print, relative to the current directory as given by the user.
    pub(crate) path: PathBuf,
    pub(crate) origin: Origin,
    pub(crate) hint: ContentHint,
}

/// Information of the index about the contents of a target.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) enum ContentHint {
    /// None: it is read and searched.
    #[default]
    Unknown,
    /// It cannot match; it is listed because files without a match are printed.
    NoMatch,
    /// As long as it has this metadata, it contains no NUL byte and is not UTF-16.
    Text(Stamp),
    /// As long as it has this metadata, it can match only in these byte ranges.
    Blocks(Box<(Stamp, Vec<Range<u32>>)>),
}

/// The reason why a target is searched, on which the treatment of NUL bytes depends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Origin {
    /// Standard input, explicit or implied.
    Stdin,
    /// A file given as an argument.
    Named,
    /// A file found in a directory.
    Walked,
}

impl Target {
    /// Returns true if the user has given this file as an argument.
    pub(crate) fn is_explicit(&self) -> bool {
        self.origin != Origin::Walked
    }
}

/// One entry of a listing.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Item {
    Search(Target),
    /// A problem, which is reported in the order of files.
    Problem(Box<Problem>),
}

/// A message with a position in the order of files.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Problem {
    /// The path of the problem; an empty one sorts first.
    pub(crate) path: PathBuf,
    pub(crate) message: String,
    pub(crate) kind: ProblemKind,
}

/// The severity of a problem.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ProblemKind {
    /// A file or directory cannot be read: the exit code is 2.
    Unreadable,
    /// Ignore rules are invalid: a warning.
    IgnoreRules,
}

/// Walks the paths of a request and returns the targets in order.
///
/// Paths keep the order of the command line; below each, targets are ordered by path, component by
/// component as bytes. An order chosen by the user applies to the targets of all paths.
///
/// # Errors
///
/// On an invalid glob or file type.
pub(crate) fn list(request: &Request) -> Result<Vec<Item>> {
    let mut items = list_paths(request, &request.scope.paths)?;
    apply_sort(request, &mut items);
    Ok(items)
}

/// Returns the targets of one path of a request, ordered by path.
///
/// # Errors
///
/// On an invalid glob or file type.
pub(crate) fn list_path(request: &Request, path: &Path) -> Result<Vec<Item>> {
    list_paths(request, std::slice::from_ref(&path.to_path_buf()))
}

fn list_paths(request: &Request, paths: &[PathBuf]) -> Result<Vec<Item>> {
    let rules = WalkRules::new(request)?;
    let mut listing = Listing::new(request);
    let mut at = 0;
    while at < paths.len() {
        let files = paths[at..].iter().take_while(|path| is_file(path)).count();
        match files {
            0 => listing.add_directory(&rules, &paths[at]),
            _ => listing.add_files(&rules, &paths[at..at + files]),
        }
        at += files.max(1);
    }
    Ok(listing.items)
}

/// Returns true for a path that is not walked.
pub(super) fn is_file(path: &Path) -> bool {
    is_stdin_path(path) || !path.is_dir()
}

/// The items found so far.
#[derive(Debug)]
pub(super) struct Listing<'a> {
    request: &'a Request,
    pub(super) items: Vec<Item>,
    /// Errors in the files of `--ignore-file` are listed already.
    has_ignore_faults: bool,
}

impl<'a> Listing<'a> {
    pub(super) fn new(request: &'a Request) -> Listing<'a> {
        Listing { request, items: Vec::new(), has_ignore_faults: false }
    }

    /// Adds the items of one entry of a serial walk.
    pub(super) fn add_entry(&mut self, entry: std::result::Result<DirEntry, ignore::Error>) {
        convert(entry, self.request.scope.implicit, ToString::to_string, &mut self.items);
    }

    /// Adds a warning about a directory with ignore files that are not read.
    pub(super) fn add_refused(&mut self, start: &WalkStart) {
        self.items.push(refused_problem(start, self.request.scope.implicit));
    }

    /// Returns the walk of a directory; adds errors in the files of `--ignore-file` once.
    pub(super) fn walk(&mut self, rules: &WalkRules<'_>, from: &WalkStart) -> ignore::WalkBuilder {
        let (walk, faults) = rules.walk(from);
        if !std::mem::replace(&mut self.has_ignore_faults, true) {
            self.items.extend(faults.iter().map(|fault| ignore_problem(Path::new(""), fault)));
        }
        walk
    }

    pub(super) fn add_files(&mut self, rules: &WalkRules<'_>, paths: &[PathBuf]) {
        // No rule applies to these files, but the walker reads those of their directories.
        let dirs: BTreeSet<&Path> = paths.iter().filter_map(|path| path.parent()).collect();
        let refused = dirs
            .into_iter()
            .fold(rules.unread(), |refused, dir| refused.with(rule_files::refused_above(dir)));
        let mut walk = self.walk(rules, &WalkStart::new(&paths[0], refused));
        for path in &paths[1..] {
            walk.add(path);
        }
        let strip = self.request.scope.implicit;
        for entry in walk.build() {
            convert(entry, strip, |err| err.to_string(), &mut self.items);
        }
    }

    fn add_directory(&mut self, rules: &WalkRules<'_>, path: &Path) {
        let found = Mutex::new(Vec::new());
        let strip = self.request.scope.implicit;
        let make = |from: &WalkStart| self.walk(rules, from);
        let closed = rule_files::walk_each(path, rules.unread(), make, |walk| {
            walk.build_parallel().visit(&mut CollectorBuilder { found: &found, strip });
        });
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.extend(closed.iter().map(|closed| refused_problem(closed, strip)));
        let compare = |a: &Item, b: &Item| {
            compare_paths(item_path(a), item_path(b)).then_with(|| compare_at_same_path(a, b))
        };
        if found.len() < PARALLEL_SORT_MIN || self.request.threads == 1 {
            found.sort_unstable_by(compare);
        } else {
            found.par_sort_unstable_by(compare);
        }
        self.items.append(&mut found);
    }
}

/// Collects the entries of one thread of a parallel walk.
struct Collector<'f> {
    found: &'f Mutex<Vec<Item>>,
    own: Vec<Item>,
    strip: bool,
}

struct CollectorBuilder<'f> {
    found: &'f Mutex<Vec<Item>>,
    strip: bool,
}

impl<'s, 'f: 's> ParallelVisitorBuilder<'s> for CollectorBuilder<'f> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 's> {
        Box::new(Collector { found: self.found, own: Vec::new(), strip: self.strip })
    }
}

impl ParallelVisitor for Collector<'_> {
    fn visit(&mut self, entry: std::result::Result<DirEntry, ignore::Error>) -> WalkState {
        convert(entry, self.strip, walk_message, &mut self.own);
        WalkState::Continue
    }
}

impl Drop for Collector<'_> {
    fn drop(&mut self) {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.own);
    }
}

/// Converts an entry of a walk into items: a target, a problem, both or neither.
fn convert(
    entry: std::result::Result<DirEntry, ignore::Error>,
    strip: bool,
    message: impl Fn(&ignore::Error) -> String,
    items: &mut Vec<Item>,
) {
    let entry = match entry {
        Ok(entry) => entry,
        Err(err) => {
            items.push(Item::Problem(Box::new(Problem {
                path: error_path(&err).map_or_else(PathBuf::new, |path| spelled(path, strip)),
                message: message(&err),
                kind: ProblemKind::Unreadable,
            })));
            return;
        }
    };
    if let Some(err) = entry.error() {
        items.push(ignore_problem(&spelled(entry.path(), strip), err));
    }
    let Some(origin) = origin(&entry) else { return };
    let path = match entry.path().strip_prefix("./") {
        Ok(path) if strip => path.to_path_buf(),
        _ => entry.into_path(),
    };
    items.push(Item::Search(Target { path, origin, hint: ContentHint::Unknown }));
}

/// Returns why an entry is searched; `None` if it is not.
fn origin(entry: &DirEntry) -> Option<Origin> {
    if entry.is_stdin() {
        return Some(Origin::Stdin);
    }
    let kind = entry.file_type();
    if entry.depth() == 0 {
        let is_link_to_dir = || entry.path_is_symlink() && entry.path().is_dir();
        let is_dir = kind.is_some_and(|kind| kind.is_dir() || is_link_to_dir());
        return (!is_dir).then_some(Origin::Named);
    }
    // Links that are to be followed are already resolved; others are not files.
    kind.is_some_and(|kind| kind.is_file()).then_some(Origin::Walked)
}

fn refused_problem(start: &WalkStart, strip: bool) -> Item {
    Item::Problem(Box::new(Problem {
        path: spelled(&start.path, strip),
        message: start.message(),
        kind: ProblemKind::IgnoreRules,
    }))
}

fn ignore_problem(path: &Path, err: &ignore::Error) -> Item {
    Item::Problem(Box::new(Problem {
        path: path.to_path_buf(),
        message: err.to_string(),
        kind: ProblemKind::IgnoreRules,
    }))
}

fn spelled(path: &Path, strip: bool) -> PathBuf {
    let stripped = path.strip_prefix("./").ok().filter(|_| strip);
    stripped.unwrap_or(path).to_path_buf()
}

/// Returns the path of an error of a walk.
fn error_path(err: &ignore::Error) -> Option<&Path> {
    match err {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::Loop { child, .. } => Some(child),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            error_path(err)
        }
        _ => None,
    }
}

/// Formats an error of a parallel walk like an error of a serial one, so that messages do not
/// depend on the number of threads.
fn walk_message(err: &ignore::Error) -> String {
    if let ignore::Error::WithPath { path, err: inner } = without_depth(err)
        && let ignore::Error::Io(io) = without_depth(inner)
    {
        let path = path.display();
        return format!("{path}: IO error for operation on {path}: {io}");
    }
    err.to_string()
}

/// Returns an error without the depths around it, which the walkers add in different places.
fn without_depth(err: &ignore::Error) -> &ignore::Error {
    match err {
        ignore::Error::WithDepth { err, .. } => without_depth(err),
        other => other,
    }
}

fn item_path(item: &Item) -> &Path {
    match item {
        Item::Search(target) => &target.path,
        Item::Problem(problem) => &problem.path,
    }
}

/// Orders items of the same path: problems first, by message.
fn compare_at_same_path(a: &Item, b: &Item) -> Ordering {
    match (a, b) {
        (Item::Problem(a), Item::Problem(b)) => a.message.cmp(&b.message),
        (Item::Problem(_), Item::Search(_)) => Ordering::Less,
        (Item::Search(_), Item::Problem(_)) => Ordering::Greater,
        (Item::Search(_), Item::Search(_)) => Ordering::Equal,
    }
}

/// Compares two paths component by component as bytes.
pub(crate) fn compare_paths(a: &Path, b: &Path) -> Ordering {
    let (a, b) = (a.as_os_str().as_encoded_bytes(), b.as_os_str().as_encoded_bytes());
    let at = first_difference(a, b);
    // The end of a component sorts before every byte of a component.
    let rank = |bytes: &[u8]| match bytes.get(at) {
        None => 0,
        Some(&byte) if std::path::is_separator(char::from(byte)) => 1,
        Some(&byte) => 2 + u16::from(byte),
    };
    rank(a).cmp(&rank(b))
}

/// Returns the index of the first different byte. Compares eight bytes at a time, since paths share
/// long prefixes.
fn first_difference(a: &[u8], b: &[u8]) -> usize {
    let (a_words, _) = a.as_chunks::<8>();
    let (b_words, _) = b.as_chunks::<8>();
    let mut at = 0;
    for (a, b) in a_words.iter().zip(b_words) {
        let differing = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differing != 0 {
            return at + (differing.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    at + a[at..].iter().zip(&b[at..]).take_while(|(a, b)| a == b).count()
}

/// Applies `--sort` and `--sortr`, except for the default order.
pub(crate) fn apply_sort(request: &Request, items: &mut Vec<Item>) {
    let Some(sort) = request.sort else { return };
    if sort.by == SortBy::Path && !sort.reverse {
        return;
    }
    let mut targets = Vec::new();
    let mut problems = Vec::new();
    for item in items.drain(..) {
        match item {
            Item::Search(target) => targets.push((sort_time(&target, sort.by), target)),
            Item::Problem(problem) => problems.push(Item::Problem(problem)),
        }
    }
    targets.sort_by(|(time_a, a), (time_b, b)| {
        let order = match sort.by {
            // The comparison of the standard library distinguishes `.` and `..` from names.
            SortBy::Path => a.path.cmp(&b.path),
            _ => compare_times(*time_a, *time_b),
        };
        if sort.reverse { order.reverse() } else { order }
    });
    items.extend(problems);
    items.extend(targets.into_iter().map(|(_, target)| Item::Search(target)));
}

fn sort_time(target: &Target, by: SortBy) -> Option<SystemTime> {
    let read = |read: fn(&std::fs::Metadata) -> std::io::Result<SystemTime>| {
        target.path.metadata().and_then(|metadata| read(&metadata)).ok()
    };
    match by {
        SortBy::Path => None,
        SortBy::Modified => read(|metadata| metadata.modified()),
        SortBy::Accessed => read(|metadata| metadata.accessed()),
        SortBy::Created => read(|metadata| metadata.created()),
    }
}

/// Orders earlier times first, files without a time last.
fn compare_times(a: Option<SystemTime>, b: Option<SystemTime>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.cmp(&b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::path::Path;

    use super::{compare_paths, walk_message};

    #[test]
    fn an_unreadable_directory_has_the_message_of_a_serial_walk() {
        let io = || Box::new(ignore::Error::Io(ErrorKind::PermissionDenied.into()));
        let with_path = |err| Box::new(ignore::Error::WithPath { path: "./a".into(), err });
        let with_depth = |err| Box::new(ignore::Error::WithDepth { depth: 1, err });
        for err in [with_path(io()), with_path(with_depth(io())), with_depth(with_path(io()))] {
            let message = walk_message(&err);
            assert_eq!(message, "./a: IO error for operation on ./a: permission denied", "{err:?}");
        }
    }

    #[test]
    fn a_directory_sorts_before_longer_names() {
        let mut paths = ["a-b", "a.c", "a", "a/x", "a/b/c", "ab", "a/b-c", "B"].map(Path::new);
        paths.sort_by(|a, b| compare_paths(a, b));
        assert_eq!(paths, ["B", "a", "a/b/c", "a/b-c", "a/x", "a-b", "a.c", "ab"].map(Path::new));
    }
}
