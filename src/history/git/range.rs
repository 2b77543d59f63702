//! Commits with their changes, as git reports them one after the other.

use super::{Git, StreamOptions};
use crate::error::{Error, Kind, Result};
use crate::history::id::CommitId;

/// The number of changed files of a commit that are reported; for a commit with more files, none
/// is.
pub const FILES_MAX: usize = 300;

/// Bytes of a subject or path that are read; real paths are shorter.
const FIELD_BYTES_MAX: usize = 64 << 10;

/// Bytes of a subject that are kept.
const SUBJECT_BYTES_MAX: usize = 400;

/// If a commit has more than the square of this number of pairs of new and old paths, only files
/// that moved unchanged are detected as renames.
const RENAMES_MAX: &str = "-l200";

/// A range of commits: the ancestors of `head` that are not ancestors of `but`.
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
pub struct Told {
    /// Its id; `None` if git's output was not a commit.
    pub id: Option<CommitId>,
    /// Its parents, without those that a shallow clone lacks.
    pub parents: Vec<CommitId>,
    /// The time of the commit, in seconds since 1970.
    pub committed_s: i64,
    /// The first paragraph of its message, as one line.
    pub subject: String,
    /// The number of files that it changed; 0 for a merge.
    pub files: usize,
    /// Kind of change, path and, for a rename, the old path; empty if there are more than
    /// [`FILES_MAX`] files.
    pub changes: Vec<(Status, Vec<u8>, Option<Vec<u8>>)>,
}

impl Git {
    /// Returns the location of the root.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`].
    pub fn place(&self) -> Result<Place> {
        let mut prefix = self.ask("rev-parse", &["--show-prefix"])?;
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
            self.ask("rev-list", &[&["--count".to_owned()][..], &range.args()].concat())?;
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
            let said = self.run("cat-file", &["-e", &format!("{id}^{{commit}}")])?;
            if said.code != Some(0) {
                return Ok(None);
            }
        }
        let answer = self.ask("rev-list", &range.args())?;
        Ok(Some(answer.split(|&byte| byte == b'\n').filter_map(CommitId::parse).collect()))
    }

    /// Calls `each` with the commits of a range and their changes below the root, in git's order;
    /// merges have no changes. Holds one commit at a time.
    ///
    /// Renames of changed files are detected by content. If the repository lacks the content (a
    /// partial clone), git is run a second time, after a call of `anew`, and detects only files
    /// that moved unchanged.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`], and [`Kind::Cancelled`].
    pub fn tell(
        &self,
        range: &Range,
        options: StreamOptions<'_>,
        each: &mut dyn FnMut(Told),
        anew: &mut dyn FnMut(),
    ) -> Result<()> {
        let Err(error) = self.tell_with("-M", range, options, each) else { return Ok(()) };
        if error.kind() != Kind::Io {
            return Err(error);
        }
        log::debug!("renames by content cannot be told: {error}");
        anew();
        // The error of the first run is the likelier reason.
        self.tell_with("-M100%", range, options, each).map_err(|_: Error| error)
    }

    fn tell_with(
        &self,
        renames: &str,
        range: &Range,
        options: StreamOptions<'_>,
        each: &mut dyn FnMut(Told),
    ) -> Result<()> {
        let fixed = [
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-notes",
            "--encoding=UTF-8",
            "--name-status",
            renames,
            RENAMES_MAX,
            "-O/dev/null",
            "--relative",
            "-z",
            "--format=%x01%H%x00%P%x00%ct%x00%s",
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

/// Parses `git log -z --name-status` piece by piece.
#[derive(Debug, Default)]
pub(super) struct Reader {
    field: Vec<u8>,
    state: State,
    told: Told,
}

/// The kind of the next field.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum State {
    #[default]
    StatusOrCommit,
    Parents,
    Time,
    Subject,
    Path(Status),
    Source,
    Target,
}

impl Reader {
    pub(super) fn take(&mut self, mut piece: &[u8], each: &mut dyn FnMut(Told)) {
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

    pub(super) fn finish(mut self, each: &mut dyn FnMut(Told)) {
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

    fn field(&mut self, field: &[u8], each: &mut dyn FnMut(Told)) {
        self.state = match self.state {
            State::StatusOrCommit => {
                if let Some(name) = field.strip_prefix(b"\x01") {
                    self.emit(each);
                    self.told.id = CommitId::parse(name);
                    State::Parents
                } else {
                    // A newline separates the subject from the first status.
                    match field.trim_ascii_start().first() {
                        None => State::StatusOrCommit,
                        Some(b'A') => State::Path(Status::Added),
                        Some(b'D') => State::Path(Status::Deleted),
                        Some(b'R' | b'C') => State::Source,
                        Some(_) => State::Path(Status::Modified),
                    }
                }
            }
            State::Parents => {
                let names = field.split(|&byte| byte == b' ');
                self.told.parents = names.filter_map(CommitId::parse).collect();
                State::Time
            }
            State::Time => {
                let seconds = String::from_utf8_lossy(field).trim().parse();
                self.told.committed_s = seconds.unwrap_or_default();
                State::Subject
            }
            State::Subject => {
                self.told.subject = text(field, SUBJECT_BYTES_MAX);
                State::StatusOrCommit
            }
            State::Path(status) => {
                self.change(status, field, None);
                State::StatusOrCommit
            }
            State::Source => {
                self.told.changes.push((Status::Renamed, Vec::new(), Some(field.to_vec())));
                State::Target
            }
            State::Target => {
                let source = self.told.changes.pop().and_then(|(_, _, source)| source);
                self.change(Status::Renamed, field, source);
                State::StatusOrCommit
            }
        };
    }

    fn change(&mut self, status: Status, path: &[u8], source: Option<Vec<u8>>) {
        self.told.files += 1;
        if self.told.files <= FILES_MAX {
            self.told.changes.push((status, path.to_vec(), source));
        }
    }

    fn emit(&mut self, each: &mut dyn FnMut(Told)) {
        let mut told = std::mem::take(&mut self.told);
        if told.files > FILES_MAX {
            told.changes.clear();
        }
        if told.id.is_some() {
            each(told);
        }
    }
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

    fn read(answer: &[u8], piece_bytes: usize) -> Vec<Told> {
        let (mut reader, mut told) = (Reader::default(), Vec::new());
        for piece in answer.chunks(piece_bytes) {
            reader.take(piece, &mut |commit| told.push(commit));
        }
        reader.finish(&mut |commit| told.push(commit));
        told
    }

    #[test]
    fn commits_are_read_whatever_the_pieces_are() {
        let log = format!(
            "\x01{A}\0{B}\x0020\0Fix\x01 it\0\nM\0a.rs\0R086\0old\0d/new\0T\0link\0\
             \x01{B}\0\x0010\0Merge\0"
        );
        let id = |name: &str| CommitId::parse(name.as_bytes());
        let first = Told {
            id: id(A),
            parents: id(B).into_iter().collect(),
            committed_s: 20,
            subject: "Fix\x01 it".to_owned(),
            files: 3,
            changes: vec![
                (Status::Modified, b"a.rs".to_vec(), None),
                (Status::Renamed, b"d/new".to_vec(), Some(b"old".to_vec())),
                (Status::Modified, b"link".to_vec(), None),
            ],
        };
        let second =
            Told { id: id(B), committed_s: 10, subject: "Merge".to_owned(), ..Told::default() };
        for piece_bytes in 1..20 {
            assert_eq!(read(log.as_bytes(), piece_bytes), [first.clone(), second.clone()]);
        }
    }

    #[test]
    fn commits_with_many_files_keep_their_subject_alone() {
        let mut log = format!("\x01{A}\0\x0020\0Format\0\n").into_bytes();
        for file in 0..=FILES_MAX {
            log.extend(format!("M\0{file}\0").into_bytes());
        }
        let told = read(&log, 1000);
        assert_eq!((told[0].files, told[0].changes.len()), (FILES_MAX + 1, 0));
        assert_eq!(told[0].subject, "Format");
    }
}
