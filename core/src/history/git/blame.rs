//! Blame: the commit that last changed each line of a file.

use std::ffi::OsString;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::Git;
use super::layout::{Layout, content};
use crate::base::path::to_path;
use crate::error::{Error, Kind, Result};
use crate::history::id::CommitId;

/// The maximum number of commits that are ignored in one call.
const IGNORED_MAX: usize = 500;

/// The maximum size in bytes of a file of names.
const MAILMAP_BYTES_MAX: u64 = 4 << 20;

/// Lines of a file that one commit last changed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Blamed {
    /// The commit.
    pub commit: CommitId,
    /// The name of its author; `.mailmap` at the top of the work tree may be applied by git.
    pub author_name: String,
    /// The address of its author.
    pub author_email: String,
    /// The time of the commit, in seconds since 1970.
    pub committed_s: i64,
    /// The first of the lines in the file, from 1.
    pub line: usize,
    /// The number of lines.
    pub lines: usize,
}

/// What blame prints about a commit.
#[derive(Clone, Default)]
struct About {
    name: String,
    email: String,
    committed_s: i64,
}

impl Git {
    /// Returns who last changed each line of the file at a repository path in `commit`, in the order of
    /// the lines. White space and moves within the file do not count as changes (`-w -M`), nor do the
    /// commits `ignored`, of which at most 500 are used; all of them must exist. Time is that of
    /// `git blame`, which reads the file's history.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`]; also if the commit does not have the file.
    pub fn blame(
        &self,
        commit: CommitId,
        path: &[u8],
        ignored: &[CommitId],
    ) -> Result<Vec<Blamed>> {
        let mut args: Vec<OsString> =
            ["-w", "-M", "--incremental", "--no-textconv"].map(OsString::from).to_vec();
        let ignored = ignored.iter().take(IGNORED_MAX);
        args.extend(ignored.map(|id| OsString::from(format!("--ignore-rev={id}"))));
        args.extend([commit.to_string().into(), OsString::from("--")]);
        args.push(to_path(path).into_os_string());
        self.check_ignored_revisions()?;
        Ok(parse(&self.output("blame", &args)?))
    }

    /// Returns true for a regular file of the work tree, without links on the way, of at most 1 MiB.
    fn is_short_file(&self, name: &[u8]) -> bool {
        let top = self.work_tree.as_ref().map_or(self.root.as_path(), |tree| tree.top.as_path());
        let path = top.join(to_path(name));
        let is_inside = path.canonicalize().is_ok_and(|real| {
            let top = top.canonicalize();
            top.is_ok_and(|top| real.starts_with(&top) && real == top.join(to_path(name)))
        });
        let metadata = path.symlink_metadata();
        is_inside && metadata.is_ok_and(|it| it.is_file() && it.len() <= 1 << 20)
    }

    /// Checks the files of commits that the repository's own configuration lets blame ignore. Git reads
    /// all of them, whatever overrides the setting: they must be short regular files of the tree.
    fn check_ignored_revisions(&self) -> Result<()> {
        let args = ["--null", "--show-scope", "--get-all", "blame.ignoreRevsFile"];
        let found = self.run("config", &args)?;
        let mut fields = found.answer.split(|&byte| byte == 0);
        while let (Some(scope), Some(name)) = (fields.next(), fields.next()) {
            let is_own = matches!(scope, b"local" | b"worktree");
            if !is_own || name.is_empty() || self.is_short_file(name) {
                continue;
            }
            let name = crate::base::text::plain(&String::from_utf8_lossy(name));
            let message = format!(
                "the repository's configuration names `{name}` in blame.ignoreRevsFile, which is not a \
                 regular file of the tree"
            );
            return Err(Error::new(Kind::Usage, message)
                .with_code(super::REFUSED)
                .with_hint("`git config --unset-all blame.ignoreRevsFile` removes the setting"));
        }
        Ok(())
    }
}

/// Returns the text of `.mailmap` at the top of the work tree around `root`, which git applies to names;
/// empty if there is none.
pub fn own_mailmap(root: &Path) -> Vec<u8> {
    let top = Layout::around(root).map(|layout| layout.top);
    let text = top.and_then(|top| content(&top.join(".mailmap"), MAILMAP_BYTES_MAX).ok().flatten());
    text.unwrap_or_default()
}

impl Git {
    /// Returns the commits that last changed ranges of lines (first line from 1, number of lines) of
    /// the file at a repository path in `commit`, in the order of the lines; see [`Git::blame`].
    ///
    /// # Errors
    ///
    /// As [`Git::recent`]; also if the commit does not have the file or the lines.
    pub fn blame_lines(
        &self,
        commit: CommitId,
        path: &[u8],
        ranges: &[(usize, usize)],
    ) -> Result<Vec<Blamed>> {
        if ranges.is_empty() {
            return Ok(Vec::new());
        }
        let mut args: Vec<OsString> =
            ["-w", "-M", "--incremental", "--no-textconv"].map(OsString::from).to_vec();
        args.extend(ranges.iter().map(|(line, lines)| format!("-L{line},+{lines}").into()));
        args.extend([commit.to_string().into(), OsString::from("--")]);
        args.push(to_path(path).into_os_string());
        self.check_ignored_revisions()?;
        Ok(parse(&self.output("blame", &args)?))
    }
}

/// Parses the output of `git blame --incremental`.
fn parse(answer: &[u8]) -> Vec<Blamed> {
    let mut about: FxHashMap<CommitId, About> = FxHashMap::default();
    let mut found: Vec<(CommitId, usize, usize)> = Vec::new();
    let mut current: Option<CommitId> = None;
    for line in answer.split(|&byte| byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        let (key, value) = text.split_once(' ').unwrap_or((&text, ""));
        if let Some(id) = current {
            let of = about.entry(id).or_default();
            match key {
                "author" => of.name = value.to_owned(),
                "author-mail" => value.trim_matches(['<', '>']).clone_into(&mut of.email),
                "committer-time" => of.committed_s = value.parse().unwrap_or_default(),
                "filename" => current = None,
                _ => {}
            }
            continue;
        }
        let mut numbers = value.split(' ').skip(1).map(|number| number.parse().unwrap_or(0));
        if let (Some(id), Some(line), Some(lines)) =
            (CommitId::parse(key.as_bytes()), numbers.next(), numbers.next())
        {
            found.push((id, line, lines));
            current = Some(id);
        }
    }
    found.sort_unstable_by_key(|&(_, line, _)| line);
    let blamed = |(commit, line, lines): (CommitId, usize, usize)| {
        let About { name, email, committed_s } = about.get(&commit).cloned().unwrap_or_default();
        Blamed { commit, author_name: name, author_email: email, committed_s, line, lines }
    };
    found.into_iter().map(blamed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_entries_of_a_commit_lack_its_author() {
        let (a, b) = ("a".repeat(40), "b".repeat(40));
        let answer = format!(
            "{a} 3 5 2\nauthor Ann\nauthor-mail <a@b>\ncommitter-time 7\nsummary filename x\nfilename f\n\
             {b} 1 1 4\nauthor Bob\nauthor-mail <b@b>\ncommitter-time 9\nfilename f\n\
             {a} 9 7 1\nfilename f\n"
        );
        let lines = parse(answer.as_bytes());
        let all: Vec<_> =
            lines.iter().map(|it| (it.author_name.as_str(), it.line, it.lines)).collect();
        assert_eq!(all, [("Bob", 1, 4), ("Ann", 5, 2), ("Ann", 7, 1)]);
        assert_eq!((lines[2].author_email.as_str(), lines[2].committed_s), ("a@b", 7));
    }
}
