//! Reads the commits of a range with their changes, as a stream from `git log`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Git, StreamOptions};
use crate::error::{Error, Kind, Result};
use crate::history::id::CommitId;
use crate::source::secret;

/// The maximum number of changed files that are reported for a commit. For a commit with more
/// files, no file is reported.
pub const FILES_MAX: usize = 300;

/// The maximum number of renames that are reported for a commit with more than [`FILES_MAX`] files.
pub const MOVES_MAX: usize = 20_000;

/// The maximum number of files of the same content that are paired anew in a commit.
const EQUAL_MAX: usize = 400;

/// Bytes of a subject or path that are read; real paths are shorter.
const FIELD_BYTES_MAX: usize = 64 << 10;

/// Bytes of a subject that are kept.
const SUBJECT_BYTES_MAX: usize = 400;

/// Bytes of an author's name or address that are kept.
const AUTHOR_BYTES_MAX: usize = 200;

/// Git's limit for rename detection by content. If the number of pairs of an old and a new path
/// exceeds the square of this limit, only files that moved unchanged are detected as renames.
const RENAMES_MAX: &str = "-l200";

/// The number of pairs of an old and a new path up to which git detects renames by content.
const PAIRS_MAX: usize = 200 * 200;

/// A range of commits: `head` and its ancestors, without `but` and its ancestors.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// The newest commit.
    pub head: CommitId,
    /// A commit that is excluded together with all of its ancestors.
    pub but: Option<CommitId>,
    /// The number of commits to report, newest first.
    pub commits_max: usize,
}

/// The location of a root in a repository.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Place {
    /// The root relative to the work tree, ending in `/`; empty for the work tree itself.
    pub prefix: Vec<u8>,
}

/// The kind of change of a file.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Status {
    /// The file was added.
    Added,
    /// Its content, mode or type changed.
    Modified,
    /// The file was deleted.
    Deleted,
    /// The path changed, and perhaps the content.
    Renamed,
}

/// A commit as git reports it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ReportedCommit {
    /// Its id; `None` if git's output was not a commit.
    pub id: Option<CommitId>,
    /// Its parents, without those that a shallow clone lacks.
    pub parents: Vec<CommitId>,
    /// The time of the commit, in seconds since 1970.
    pub committed_s: i64,
    /// The author's name as the commit has it; `.mailmap` is not applied.
    pub author_name: String,
    /// The author's address, likewise.
    pub author_email: String,
    /// The first paragraph of its message, as one line.
    pub subject: String,
    /// True if its message ends with a trailer `Fixes:` that names a commit or an issue.
    pub has_fixes_trailer: bool,
    /// The number of files that it changed; 0 for a merge.
    pub files: usize,
    /// Kind of change, path and, for a rename, the old path; empty if there are more than
    /// [`FILES_MAX`] files.
    pub changes: Vec<(Status, Vec<u8>, Option<Vec<u8>>)>,
    /// New and old path of each renamed file, if there are more than [`FILES_MAX`] files; at most
    /// [`MOVES_MAX`].
    pub moves: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Git {
    /// Returns the location of the root.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`].
    pub fn place(&self) -> Result<Place> {
        let mut prefix = self.output("rev-parse", &["--show-prefix"])?;
        if prefix.ends_with(b"\n") {
            prefix.pop();
        }
        Ok(Place { prefix })
    }

    /// Returns the number of commits of a range. O(its commits).
    ///
    /// # Errors
    ///
    /// As [`Git::recent`].
    pub fn count(&self, range: &Range) -> Result<u64> {
        let answer =
            self.output("rev-list", &[&["--count".to_owned()][..], &range.args()].concat())?;
        Ok(String::from_utf8_lossy(&answer).trim().parse().unwrap_or(0))
    }

    /// Returns the ids of the commits of a range, or `None` if the repository has no commit `but`,
    /// for example because it was amended and then garbage-collected.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`].
    pub fn names(&self, range: &Range) -> Result<Option<Vec<CommitId>>> {
        for id in std::iter::once(range.head).chain(range.but) {
            let output = self.run("cat-file", &["-e", &format!("{id}^{{commit}}")])?;
            if output.code != Some(0) {
                return Ok(None);
            }
        }
        let answer = self.output("rev-list", &range.args())?;
        Ok(Some(answer.split(|&byte| byte == b'\n').filter_map(CommitId::parse).collect()))
    }

    /// Calls `each` with the commits of a range and their changes below the root, in git's order;
    /// merges have no changes. Holds one commit at a time.
    ///
    /// Renames of changed files are detected by content. If the repository lacks the content (a
    /// partial clone), `restart` is called, and git is run a second time and detects only files that
    /// moved unchanged.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`], and [`Kind::Cancelled`].
    pub fn for_each_commit(
        &self,
        range: &Range,
        options: StreamOptions<'_>,
        each: &mut dyn FnMut(ReportedCommit),
        restart: &mut dyn FnMut(),
    ) -> Result<()> {
        let Err(error) = self.for_each_commit_with("-M", range, options, each) else {
            return Ok(());
        };
        if error.kind() != Kind::Io {
            return Err(error);
        }
        log::debug!("renames by content cannot be detected: {error}");
        restart();
        // If the second run fails as well, the first error is more likely to name the cause.
        self.for_each_commit_with("-M100%", range, options, each).map_err(|_: Error| error)
    }

    fn for_each_commit_with(
        &self,
        renames: &str,
        range: &Range,
        options: StreamOptions<'_>,
        each: &mut dyn FnMut(ReportedCommit),
    ) -> Result<()> {
        let fixed = [
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-notes",
            "--encoding=UTF-8",
            "--raw",
            "--no-abbrev",
            renames,
            RENAMES_MAX,
            "-O/dev/null",
            "--relative",
            "-z",
            "--format=%x01%H%x00%P%x00%ct%x00%an%x00%ae%x00%s%x00%(trailers:key=Fixes,valueonly)",
        ];
        let args: Vec<String> =
            fixed.iter().map(|arg| (*arg).to_owned()).chain(range.args()).collect();
        let mut reader = Reader::default();
        self.stream("log", &args, options, &mut |piece| reader.take(piece, each))?;
        reader.finish(each);
        Ok(())
    }
}

impl Range {
    fn args(&self) -> Vec<String> {
        let mut args = vec![format!("--max-count={}", self.commits_max), self.head.to_string()];
        args.extend(self.but.map(|but| format!("^{but}")));
        args.push("--".to_owned());
        args
    }
}

/// Parses `git log -z --raw --no-abbrev` piece by piece.
#[derive(Debug, Default)]
pub(super) struct Reader {
    field: Vec<u8>,
    state: State,
    commit: ReportedCommit,
    /// The old path of the rename that is being read.
    source: Option<Vec<u8>>,
    /// The old and the new content of the change that is being read, if the change keeps it or the file is
    /// added or deleted.
    content: Option<CommitId>,
    /// The files of the commit that were added, deleted, or renamed without a change, by content.
    unchanged: Vec<Unchanged>,
}

/// A file that a commit added, deleted, or renamed without a change.
#[derive(Debug)]
struct Unchanged {
    content: CommitId,
    /// The old path, if there is one.
    source: Option<Vec<u8>>,
    /// The new path, if there is one.
    target: Option<Vec<u8>>,
}

/// The kind of the next field.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum State {
    #[default]
    StatusOrCommit,
    Parents,
    Time,
    AuthorName,
    AuthorEmail,
    Subject,
    Trailers,
    Path(Status),
    Source,
    Target,
    CopySource,
}

impl Reader {
    pub(super) fn take(&mut self, mut piece: &[u8], each: &mut dyn FnMut(ReportedCommit)) {
        while let Some(end) = memchr::memchr(0, piece) {
            self.append(&piece[..end]);
            let field = std::mem::take(&mut self.field);
            self.field(&field, each);
            self.field = field;
            self.field.clear();
            piece = &piece[end + 1..];
        }
        self.append(piece);
    }

    pub(super) fn finish(mut self, each: &mut dyn FnMut(ReportedCommit)) {
        let field = std::mem::take(&mut self.field);
        // The last subject of a commit without files may not be terminated.
        if !field.is_empty() {
            self.field(&field, each);
        }
        self.emit(each);
    }

    fn append(&mut self, bytes: &[u8]) {
        let room = FIELD_BYTES_MAX - self.field.len();
        self.field.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn field(&mut self, field: &[u8], each: &mut dyn FnMut(ReportedCommit)) {
        self.state = match self.state {
            State::StatusOrCommit => {
                if let Some(name) = field.strip_prefix(b"\x01") {
                    self.emit(each);
                    self.commit.id = CommitId::parse(name);
                    State::Parents
                } else {
                    // A newline separates the subject from the first status. Modes and contents come
                    // before the status.
                    let mut parts = field.trim_ascii_start().split(|&byte| byte == b' ');
                    let status = parts.next_back().unwrap_or_default();
                    let (new, old) = (parts.next_back(), parts.next_back());
                    let content = match status {
                        b"A" => new,
                        b"D" | b"R100" => old,
                        _ => None,
                    };
                    self.content = content.and_then(CommitId::parse);
                    match status.first() {
                        None => State::StatusOrCommit,
                        Some(b'A') => State::Path(Status::Added),
                        Some(b'D') => State::Path(Status::Deleted),
                        Some(b'R') => State::Source,
                        Some(b'C') => State::CopySource,
                        Some(_) => State::Path(Status::Modified),
                    }
                }
            }
            State::Parents => {
                let names = field.split(|&byte| byte == b' ');
                self.commit.parents = names.filter_map(CommitId::parse).collect();
                State::Time
            }
            State::Time => {
                let seconds = String::from_utf8_lossy(field).trim().parse();
                self.commit.committed_s = seconds.unwrap_or_default();
                State::AuthorName
            }
            State::AuthorName => {
                self.commit.author_name = text(field, AUTHOR_BYTES_MAX);
                State::AuthorEmail
            }
            State::AuthorEmail => {
                self.commit.author_email = text(field, AUTHOR_BYTES_MAX);
                State::Subject
            }
            State::Subject => {
                // Before it is cut: the start of a secret is not recognised.
                let masked = secret::masked(field);
                self.commit.subject = text(masked.as_deref().unwrap_or(field), SUBJECT_BYTES_MAX);
                State::Trailers
            }
            State::Trailers => {
                // Ids of commits and issues have digits; the placeholder itself, which git before 2.22
                // prints, has none.
                self.commit.has_fixes_trailer = field.iter().any(u8::is_ascii_digit);
                State::StatusOrCommit
            }
            State::Path(status) => {
                self.change(status, field, None);
                State::StatusOrCommit
            }
            State::Source => {
                self.source = Some(field.to_vec());
                State::Target
            }
            // A copy leaves its source as it is: it only adds a file.
            State::CopySource => State::Path(Status::Added),
            State::Target => {
                let source = self.source.take();
                self.change(Status::Renamed, field, source);
                State::StatusOrCommit
            }
        };
    }

    fn change(&mut self, status: Status, path: &[u8], source: Option<Vec<u8>>) {
        self.commit.files += 1;
        if let Some(content) = self.content.take().filter(|_| self.unchanged.len() < MOVES_MAX) {
            let own = Some(path.to_vec());
            let (source, target) =
                if status == Status::Deleted { (own, None) } else { (source.clone(), own) };
            self.unchanged.push(Unchanged { content, source, target });
        }
        if self.commit.files <= FILES_MAX {
            self.commit.changes.push((status, path.to_vec(), source));
        } else if let Some(source) = source {
            self.move_file(path.to_vec(), source);
        }
    }

    fn move_file(&mut self, path: Vec<u8>, source: Vec<u8>) {
        if self.commit.moves.len() < MOVES_MAX {
            self.commit.moves.push((path, source));
        }
    }

    fn emit(&mut self, each: &mut dyn FnMut(ReportedCommit)) {
        let mut commit = std::mem::take(&mut self.commit);
        let unchanged = std::mem::take(&mut self.unchanged);
        let (gone, new) =
            if commit.files > FILES_MAX { one_sided(&unchanged) } else { Default::default() };
        pair(unchanged, &mut commit);
        if commit.files > FILES_MAX {
            let first = commit.changes.drain(..);
            let first = first.filter_map(|(_, path, source)| Some((path, source?)));
            commit.moves.splice(0..0, first);
            pair_names(gone, new, &mut commit.moves);
            commit.moves.truncate(MOVES_MAX);
        }
        if commit.id.is_some() {
            each(commit);
        }
    }
}

/// Pairs the old and new paths of files with the same content anew, where a commit renamed several: git
/// pairs them in any order, but the file most likely kept its name and the names of its directories. Empty
/// files such as `__init__.py` are the usual case. O(n log n) for different contents; O(n² log n) for at
/// most [`EQUAL_MAX`] files of the same content, and not at all for more.
fn pair(mut unchanged: Vec<Unchanged>, commit: &mut ReportedCommit) {
    unchanged.sort_by_key(|of| of.content);
    for equal in unchanged.chunk_by(|a, b| a.content == b.content) {
        let renames = equal.iter().filter(|of| of.source.is_some() && of.target.is_some()).count();
        if renames == 0 || equal.len() == 1 || equal.len() > EQUAL_MAX {
            continue;
        }
        let mut sources: Vec<&Vec<u8>> = equal.iter().filter_map(|of| of.source.as_ref()).collect();
        let mut targets: Vec<&Vec<u8>> = equal.iter().filter_map(|of| of.target.as_ref()).collect();
        sources.sort_unstable();
        targets.sort_unstable();
        let mut pairs: Vec<(usize, usize)> = (0..targets.len())
            .flat_map(|target| (0..sources.len()).map(move |source| (target, source)))
            .collect();
        // Stable: equally similar ones stay in the order of paths.
        pairs.sort_by_key(|&(target, source)| {
            std::cmp::Reverse(similarity(targets[target], sources[source]))
        });
        let mut source_of: Vec<Option<usize>> = vec![None; targets.len()];
        let mut is_used = vec![false; sources.len()];
        for (target, source) in pairs {
            if source_of[target].is_none() && !is_used[source] {
                source_of[target] = Some(source);
                is_used[source] = true;
            }
        }
        let of_target = |path: &Vec<u8>| {
            let at = targets.binary_search(&path).ok()?;
            Some(source_of[at].map(|source| sources[source].clone()))
        };
        commit.changes.retain_mut(|(status, path, source)| {
            if *status == Status::Deleted {
                // It is the old path of a rename now.
                return sources.binary_search(&&*path).map_or(true, |at| !is_used[at]);
            }
            if let Some(found) = of_target(path) {
                *status = if found.is_some() { Status::Renamed } else { Status::Added };
                *source = found;
            }
            true
        });
        for (path, source) in &mut commit.moves {
            if let Some(Some(found)) = of_target(path) {
                *source = found;
            }
        }
        // Of a commit with more files, only renames are reported.
        for (target, source) in targets.iter().zip(&source_of) {
            let Some(source) = source.filter(|_| commit.files > FILES_MAX) else { continue };
            let is_new = commit.changes.iter().all(|(_, path, _)| path != *target)
                && commit.moves.iter().all(|(path, _)| path != *target);
            if is_new && commit.moves.len() < MOVES_MAX {
                commit.moves.push(((*target).clone(), sources[source].clone()));
            }
        }
        // Old paths that are left over were deleted.
        let left = sources.iter().zip(&is_used).filter(|(_, is_used)| !**is_used);
        for (source, _) in left {
            let is_listed = |(status, path, _): &(Status, Vec<u8>, Option<Vec<u8>>)| {
                *status == Status::Deleted && path == *source
            };
            if commit.files <= FILES_MAX && !commit.changes.iter().any(is_listed) {
                commit.changes.push((Status::Deleted, (*source).clone(), None));
            }
        }
    }
    if commit.files <= FILES_MAX {
        commit.files = commit.changes.len();
    }
}

/// Returns the paths of files that were deleted, and those of files that were added.
fn one_sided(unchanged: &[Unchanged]) -> (BTreeSet<Vec<u8>>, BTreeSet<Vec<u8>>) {
    let gone = unchanged.iter().filter(|of| of.target.is_none());
    let new = unchanged.iter().filter(|of| of.source.is_none());
    let (gone, new) =
        (gone.filter_map(|of| of.source.clone()), new.filter_map(|of| of.target.clone()));
    (gone.collect(), new.collect())
}

/// Adds the renames that git leaves out where there are too many pairs to compare: of a file that is gone and
/// a new one of the same name, if another file of the directory moved the same way, or if no other pair
/// has the names of file and directory. O(n log n).
fn pair_names(
    mut gone: BTreeSet<Vec<u8>>,
    mut new: BTreeSet<Vec<u8>>,
    moves: &mut Vec<(Vec<u8>, Vec<u8>)>,
) {
    for (path, source) in moves.iter() {
        new.remove(path);
        gone.remove(source);
    }
    if gone.len().saturating_mul(new.len()) <= PAIRS_MAX {
        return;
    }
    let parts = |path: &[u8]| -> (Vec<u8>, Vec<u8>) {
        let at = path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
        (path[..at].to_vec(), path[at..].to_vec())
    };
    let mut directories: BTreeMap<Vec<u8>, BTreeMap<Vec<u8>, usize>> = BTreeMap::new();
    for (path, source) in moves.iter() {
        let ((to, _), (from, _)) = (parts(path), parts(source));
        *directories.entry(from).or_default().entry(to).or_default() += 1;
    }
    // The last two names of a path.
    let ending = |path: &[u8]| -> Option<Vec<u8>> {
        let mut names = path.rsplit(|byte| *byte == b'/');
        let (name, directory) = (names.next()?, names.next()?);
        Some([directory, name].join(&b'/'))
    };
    let mut by_ending: BTreeMap<Vec<u8>, [Vec<Vec<u8>>; 2]> = BTreeMap::new();
    for (side, paths) in [&gone, &new].into_iter().enumerate() {
        for path in paths {
            if let Some(ending) = ending(path) {
                by_ending.entry(ending).or_default()[side].push(path.clone());
            }
        }
    }
    for source in &gone {
        let (from, name) = parts(source);
        let mut targets: Vec<(&Vec<u8>, &usize)> =
            directories.get(&from).into_iter().flatten().collect();
        targets.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let moved = targets.iter().map(|(to, _)| [to.as_slice(), &name].concat());
        let alone = || match by_ending.get(&ending(source)?)? {
            [gone, new] if gone.len() == 1 && new.len() == 1 => Some(new[0].clone()),
            _ => None,
        };
        let found = moved.into_iter().find(|path| new.contains(path)).or_else(alone);
        if let Some(path) = found.filter(|path| new.remove(path)) {
            moves.push((path, source.clone()));
        }
    }
}

/// Returns how similar two paths are: the number of equal names at the end, whether they are in equally deep
/// directories, and the number of equal names at the start.
fn similarity(a: &[u8], b: &[u8]) -> (usize, bool, usize) {
    let names = |path| <[u8]>::split(path, |&byte: &u8| byte == b'/');
    let at_end = names(a).rev().zip(names(b).rev()).take_while(|(a, b)| a == b).count();
    let at_start = names(a).zip(names(b)).take_while(|(a, b)| a == b).count();
    (at_end, names(a).count() == names(b).count(), at_start)
}

/// Returns the text up to `bytes_max` bytes; invalid UTF-8 is replaced.
fn text(bytes: &[u8], bytes_max: usize) -> String {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    text.truncate(text.floor_char_boundary(bytes_max));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    fn read(answer: &[u8], piece_bytes: usize) -> Vec<ReportedCommit> {
        let (mut reader, mut commits) = (Reader::default(), Vec::new());
        for piece in answer.chunks(piece_bytes) {
            reader.take(piece, &mut |commit| commits.push(commit));
        }
        reader.finish(&mut |commit| commits.push(commit));
        commits
    }

    #[test]
    fn commits_are_parsed_at_any_piece_size() {
        let log = format!(
            "\x01{A}\0{B}\x0020\0Ann\0a@b.c\0Fix\x01 it\0c0ffee00 (\"x\")\n\0\n:100644 100644 {A} {B} M\0a.rs\0\
             :100644 100644 {A} {B} R086\0old\0d/new\0:100644 120000 {A} {B} T\0link\0\
             :100644 100644 {A} {B} C075\0a.rs\0copy\0\x01{B}\0\x0010\0\0\0Merge\0\0"
        );
        let id = |name: &str| CommitId::parse(name.as_bytes());
        let first = ReportedCommit {
            id: id(A),
            parents: id(B).into_iter().collect(),
            committed_s: 20,
            author_name: "Ann".to_owned(),
            author_email: "a@b.c".to_owned(),
            subject: "Fix\x01 it".to_owned(),
            has_fixes_trailer: true,
            files: 4,
            changes: vec![
                (Status::Modified, b"a.rs".to_vec(), None),
                (Status::Renamed, b"d/new".to_vec(), Some(b"old".to_vec())),
                (Status::Modified, b"link".to_vec(), None),
                (Status::Added, b"copy".to_vec(), None),
            ],
            moves: Vec::new(),
        };
        let second = ReportedCommit {
            id: id(B),
            committed_s: 10,
            subject: "Merge".to_owned(),
            ..ReportedCommit::default()
        };
        for piece_bytes in 1..20 {
            assert_eq!(read(log.as_bytes(), piece_bytes), [first.clone(), second.clone()]);
        }
    }

    #[test]
    fn names_pair_what_a_large_move_edits() {
        let mut log = format!("\x01{A}\0{B}\x0020\0Ann\0a@b.c\0Move\0\0\n");
        let mut put = |status: &str, content: &str, path: &str| {
            log.push_str(&format!(":100644 100644 {content} {content} {status}\0{path}\0"));
        };
        let content = |at: usize| format!("{at:040x}");
        for at in 0..210 {
            put("D", &content(at), &format!("a/{}/f{at}.c", at % 7));
            put("A", &content(1000 + at), &format!("b/{}/f{at}.c", at % 7));
        }
        put("R100", &content(5000), "a/0/known.c\0b/0/known.c");
        put("D", &content(5001), "x/lone.c");
        put("A", &content(5002), "y/lone.c");
        let commits = read(log.as_bytes(), 4096);
        let moves = &commits[0].moves;
        let has = |path: &str, source: &str| {
            moves.contains(&(path.as_bytes().to_vec(), source.as_bytes().to_vec()))
        };
        assert_eq!(moves.len(), 211, "{}", moves.len());
        assert!(has("b/0/f0.c", "a/0/f0.c") && has("b/3/f3.c", "a/3/f3.c"));
        assert!(!has("y/lone.c", "x/lone.c"), "another directory, and nothing else moved there");
    }

    #[test]
    fn files_of_equal_content_keep_their_names() {
        // Git pairs them in the order of its table.
        let changes = [
            ("R100", "tests/utils/__init__.py", "t/unit/fixups/__init__.py"),
            ("R100", "tests/app/__init__.py", "t/unit/worker/__init__.py"),
            ("D", "tests/fixups/__init__.py", ""),
            ("D", "tests/worker/__init__.py", ""),
            ("A", "t/unit/utils/__init__.py", ""),
        ];
        let mut log = format!("\x01{A}\0{B}\x0020\0Ann\0a@b.c\0Move\0\0\n");
        for (status, path, to) in changes {
            let to = if to.is_empty() { String::new() } else { format!("{to}\0") };
            log.push_str(&format!(":100644 100644 {B} {B} {status}\0{path}\0{to}"));
        }
        // Another content stays as it is.
        log.push_str(&format!(":100644 100644 {A} {A} R100\0tests/app/x\0t/worker/x\0"));
        let commits = read(log.as_bytes(), 64);
        let [commit] = commits.as_slice() else { panic!("{commits:?}") };
        let shown = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
        let mut found: Vec<String> = commit
            .changes
            .iter()
            .map(|(status, path, source)| {
                let source = source.as_ref().map_or(String::new(), |source| shown(source));
                format!("{status:?} {} {source}", shown(path))
            })
            .collect();
        found.sort();
        assert_eq!(
            found,
            [
                "Deleted tests/app/__init__.py ",
                "Renamed t/unit/fixups/__init__.py tests/fixups/__init__.py",
                "Renamed t/unit/utils/__init__.py tests/utils/__init__.py",
                "Renamed t/unit/worker/__init__.py tests/worker/__init__.py",
                "Renamed t/worker/x tests/app/x",
            ]
        );
        assert_eq!(commit.files, 5);
        // The same among more files than are reported.
        for at in 0..FILES_MAX {
            log.push_str(&format!(":100644 100644 {A} {A} M\0m{at}\0"));
        }
        let commits = read(log.as_bytes(), 64);
        let [commit] = commits.as_slice() else { panic!("{commits:?}") };
        let mut moves: Vec<String> = commit
            .moves
            .iter()
            .map(|(path, source)| format!("{} {}", shown(path), shown(source)))
            .collect();
        moves.sort();
        assert_eq!(
            moves,
            [
                "t/unit/fixups/__init__.py tests/fixups/__init__.py",
                "t/unit/utils/__init__.py tests/utils/__init__.py",
                "t/unit/worker/__init__.py tests/worker/__init__.py",
                "t/worker/x tests/app/x",
            ]
        );
    }

    #[test]
    fn damaged_logs_give_bounded_commits_at_any_piece_size() {
        let sound = format!(
            "\x01{A}\0{B} {A}\x0020\0Ann\0a@b.c\0Fix\0\0\nM\0a.rs\0R086\0old\0d/new\0T\0link\0\
             \x01{B}\0\x0010\0\0\0Merge\0\0\nA\0{}\0",
            "x".repeat(300)
        );
        // A linear congruential generator (Knuth, MMIX): the same texts in every run.
        let mut state = 1603_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        let mut commits_read = 0;
        for _ in 0..if std::env::var_os("CODEDB_LONG").is_some() { 300_000 } else { 3_000 } {
            let mut bytes = sound.clone().into_bytes();
            for _ in 0..=random(4) {
                let at = random(bytes.len());
                match random(7) {
                    0 => bytes.truncate(at.max(1)),
                    1 => bytes.insert(at, b'\0'),
                    2 => bytes[at] = 1,
                    3 => bytes[at] = random(256) as u8,
                    4 => drop(bytes.drain(at..(at + random(50)).min(bytes.len()))),
                    5 => bytes.extend_from_within(at..),
                    _ => bytes.splice(at..at, b"\0R100\0".repeat(random(400))).for_each(drop),
                }
                if bytes.is_empty() {
                    bytes.push(0);
                }
            }
            let whole = read(&bytes, bytes.len());
            assert_eq!(read(&bytes, 1 + random(40)), whole);
            for commit in &whole {
                assert!(commit.id.is_some() && commit.changes.len() <= FILES_MAX);
                assert!(commit.subject.len() <= SUBJECT_BYTES_MAX);
            }
            commits_read += whole.len();
        }
        assert!(commits_read > 1_000, "{commits_read}");
        // A field without an end is cut.
        let endless = [&b"\x01"[..], &vec![b'a'; FIELD_BYTES_MAX * 2]].concat();
        let mut reader = Reader::default();
        for piece in endless.chunks(1 << 13) {
            reader.take(piece, &mut |_| panic!("no commit is complete"));
            assert!(reader.field.capacity() <= 2 * FIELD_BYTES_MAX);
        }
    }

    #[test]
    fn commits_with_many_files_keep_only_their_subject() {
        let mut log = format!("\x01{A}\0\x0020\0\0\0Format\0\0\n").into_bytes();
        for file in 0..=FILES_MAX {
            log.extend(format!("M\0{file}\0").into_bytes());
        }
        let commits = read(&log, 1000);
        assert_eq!((commits[0].files, commits[0].changes.len()), (FILES_MAX + 1, 0));
        assert_eq!(commits[0].subject, "Format");
    }

    #[test]
    fn a_token_at_the_cut_of_a_subject_is_masked() {
        let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        let text = "x ".repeat(SUBJECT_BYTES_MAX / 2 - 5);
        let commits = read(format!("\x01{A}\0\x0020\0\0\0{text}{token}\0\0\n").as_bytes(), 1000);
        let subject = &commits[0].subject;
        assert!(subject.starts_with(&text) && !subject.contains("ghp_"), "{subject}");
        assert!(subject.len() > text.len(), "{subject}");
    }
}
