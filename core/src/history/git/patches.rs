//! The changed lines of commits, and the contents of blobs.

use std::ffi::OsString;

use super::Git;
use crate::base::path::to_path;
use crate::error::Result;
use crate::history::id::CommitId;

/// The maximum size in bytes of a blob that is returned.
pub(super) const BLOB_BYTES_MAX: usize = 2 << 20;

/// A commit with its changes of certain paths.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Patch {
    /// The commit.
    pub commit: CommitId,
    /// Its changes.
    pub files: Vec<FilePatch>,
}

/// A change of a file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FilePatch {
    /// The path before; the same as `target` unless the file was renamed.
    pub source: Vec<u8>,
    /// The path afterwards, or the last one of a deleted file.
    pub target: Vec<u8>,
    /// The id of the content before; `None` if the file was added.
    pub source_blob: Option<String>,
    /// The id of the content afterwards; `None` if the file was deleted.
    pub target_blob: Option<String>,
    /// The changed ranges of lines, in order; none for a binary file.
    pub hunks: Vec<Hunk>,
}

/// A changed range of lines, without context.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Hunk {
    /// The first line before, from 1; if `source_lines` is 0, the line before the insertion.
    pub source_line: usize,
    /// The number of removed lines.
    pub source_lines: usize,
    /// The first line afterwards, from 1; if `target_lines` is 0, the line before the removal.
    pub target_line: usize,
    /// The number of added lines.
    pub target_lines: usize,
}

impl FilePatch {
    /// Returns the numbers of added and of removed lines.
    pub fn lines(&self) -> (usize, usize) {
        let sum = |of: fn(&Hunk) -> usize| self.hunks.iter().map(of).sum();
        (sum(|hunk| hunk.target_lines), sum(|hunk| hunk.source_lines))
    }
}

impl Git {
    /// Returns the changes that commits made to the files at `paths`, which should have all names of
    /// a renamed file. Commits that did not change them are left out; so are merges. One git process.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`]; [`crate::Kind::Limit`] if the changes have more than 64 MiB.
    pub fn patches(&self, commits: &[CommitId], paths: &[Vec<u8>]) -> Result<Vec<Patch>> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let fixed = [
            "--stdin",
            "-r",
            "-p",
            "--raw",
            "-U0",
            "-M",
            "--root",
            "-z",
            "--full-index",
            "--no-abbrev",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-indent-heuristic",
            "--inter-hunk-context=0",
            "-O/dev/null",
            "--relative",
            "--",
        ];
        let mut args: Vec<OsString> = fixed.map(OsString::from).to_vec();
        args.extend(paths.iter().map(|path| to_path(path).into_os_string()));
        let input: String = commits.iter().map(|id| format!("{id}\n")).collect();
        Ok(Parser { rest: &self.output_of("diff-tree", &args, input.as_bytes())? }.all())
    }

    /// Passes the contents of blobs to `each`, in the order of `ids`; `None` for one that is missing
    /// or has more than 2 MiB. One git process.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`]; [`crate::Kind::Limit`] if git prints more than 64 MiB.
    pub fn blobs(&self, ids: &[String], each: &mut dyn FnMut(&str, Option<&[u8]>)) -> Result<()> {
        // Long ones are found first: they would be printed in full.
        let input: String = ids.iter().map(|id| format!("{id}\n")).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let checked = self.output_of("cat-file", &["--batch-check"], input.as_bytes())?;
        let checked = String::from_utf8_lossy(&checked).into_owned();
        let is_short = |line: &&str| {
            let mut words = line.split(' ').skip(1);
            words.next() == Some("blob")
                && words
                    .next()
                    .and_then(|size| size.parse().ok())
                    .is_some_and(|size: usize| size <= BLOB_BYTES_MAX)
        };
        let short: Vec<&str> =
            checked.lines().filter(is_short).filter_map(|line| line.split(' ').next()).collect();
        if short.is_empty() {
            ids.iter().for_each(|id| each(id, None));
            return Ok(());
        }
        let mut printed: Vec<Vec<u8>> = Vec::with_capacity(short.len());
        self.print_blobs(&short, &mut |content| printed.push(content.to_vec()))?;
        let mut known = short.into_iter().zip(printed).peekable();
        for id in ids {
            match known.next_if(|(short, _)| short == id) {
                Some((_, content)) => each(id, Some(&content)),
                None => each(id, None),
            }
        }
        Ok(())
    }

    /// Passes the contents of existing blobs to `each`, in the order of `ids`. One git process.
    pub(super) fn print_blobs(&self, ids: &[&str], each: &mut dyn FnMut(&[u8])) -> Result<()> {
        let input: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let answer = self.output_of("cat-file", &["--batch"], input.as_bytes())?;
        let mut rest = answer.as_slice();
        for _ in ids {
            let header = take_until(&mut rest, b'\n');
            let size = header.rsplit(|&byte| byte == b' ').next().unwrap_or_default();
            let size = std::str::from_utf8(size).ok().and_then(|size| size.parse().ok());
            let size = size.unwrap_or(0).min(rest.len());
            let (content, after) = rest.split_at(size);
            each(content);
            rest = after.get(1..).unwrap_or_default();
        }
        Ok(())
    }

    /// Returns the id of the content of the file at a repository path in a commit; `None` if the
    /// commit does not have it.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`].
    pub fn blob_at(&self, commit: CommitId, path: &[u8]) -> Result<Option<String>> {
        let mut args: Vec<OsString> = vec!["-z".into(), commit.to_string().into(), "--".into()];
        args.push(to_path(path).into_os_string());
        let answer = self.output("ls-tree", &args)?;
        let meta = answer.split(|&byte| byte == b'\t').next().unwrap_or_default();
        let mut words = meta.split(|&byte| byte == b' ').skip(1);
        let is_blob = words.next() == Some(b"blob");
        Ok(words.next().filter(|_| is_blob).map(|id| String::from_utf8_lossy(id).into_owned()))
    }
}

impl Git {
    /// Returns the files of a commit below the root with their sizes in bytes, in git's order.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`]; [`crate::Kind::Limit`] if git prints more than 64 MiB.
    pub fn files_of(&self, commit: CommitId) -> Result<Vec<(Vec<u8>, u64)>> {
        let answer = self.output("ls-tree", &["-r", "-l", "-z", &commit.to_string()])?;
        let entries = answer.split(|&byte| byte == 0).filter_map(|entry| {
            let tab = memchr::memchr(b'\t', entry)?;
            let meta = String::from_utf8_lossy(&entry[..tab]).into_owned();
            let size = meta.split_ascii_whitespace().nth(3)?.parse().ok()?;
            Some((entry[tab + 1..].to_vec(), size))
        });
        Ok(entries.collect())
    }
}

/// Returns the bytes up to `end`, and removes them and `end`.
fn take_until<'a>(rest: &mut &'a [u8], end: u8) -> &'a [u8] {
    let at = memchr::memchr(end, rest).unwrap_or(rest.len());
    let (taken, after) = rest.split_at(at);
    *rest = after.get(1..).unwrap_or_default();
    taken
}

/// Parses the output of `git diff-tree --stdin -z --raw -p -U0`.
struct Parser<'a> {
    rest: &'a [u8],
}

impl Parser<'_> {
    fn all(mut self) -> Vec<Patch> {
        let mut patches = Vec::new();
        while !self.rest.is_empty() {
            let id = take_until(&mut self.rest, 0);
            let Some(commit) = CommitId::parse(id) else { continue };
            let mut files = Vec::new();
            while self.rest.first() == Some(&b':') {
                files.push(self.file());
            }
            if self.rest.first() == Some(&0) {
                self.rest = &self.rest[1..];
                self.hunks(&mut files);
            }
            patches.push(Patch { commit, files });
        }
        patches
    }

    /// Reads `:mode mode blob blob status`, and one path or two.
    fn file(&mut self) -> FilePatch {
        let meta = String::from_utf8_lossy(take_until(&mut self.rest, 0)).into_owned();
        let words: Vec<&str> = meta.split(' ').collect();
        let blob = |at: usize| {
            let id = words.get(at).copied().unwrap_or_default();
            id.bytes().any(|byte| byte != b'0').then(|| id.to_owned())
        };
        let source = take_until(&mut self.rest, 0).to_vec();
        let has_target = words.get(4).is_some_and(|status| status.starts_with(['R', 'C']));
        let target =
            if has_target { take_until(&mut self.rest, 0).to_vec() } else { source.clone() };
        let (source_blob, target_blob) = (blob(2), blob(3));
        FilePatch { source, target, source_blob, target_blob, hunks: Vec::new() }
    }

    /// Reads the patches of `files`, in their order, up to the next commit.
    fn hunks(&mut self, files: &mut [FilePatch]) {
        let mut at = None;
        while !self.rest.is_empty() && !starts_commit(self.rest) {
            let line = take_until(&mut self.rest, b'\n');
            if line.starts_with(b"diff --git ") {
                at = Some(at.map_or(0, |at| at + 1));
            } else if let (Some(hunk), Some(file)) =
                (hunk(line), at.and_then(|at: usize| files.get_mut(at)))
            {
                file.hunks.push(hunk);
            }
        }
    }
}

/// Returns true at the id of a commit. No line of a patch begins with so many digits and a NUL.
fn starts_commit(rest: &[u8]) -> bool {
    let digits = rest.iter().take(65).take_while(|byte| byte.is_ascii_hexdigit()).count();
    (digits == 40 || digits == 64) && rest.get(digits) == Some(&0)
}

/// Parses `@@ -12,3 +14 @@`.
fn hunk(line: &[u8]) -> Option<Hunk> {
    // The text after the ranges is a line of the file, which need not be UTF-8.
    let line = String::from_utf8_lossy(&line[..line.len().min(100)]);
    let ranges = line.strip_prefix("@@ -")?.split_once(" @@")?.0;
    let (source, target) = ranges.split_once(" +")?;
    let range = |text: &str| -> Option<(usize, usize)> {
        let (line, lines) = text.split_once(',').unwrap_or((text, "1"));
        Some((line.parse().ok()?, lines.parse().ok()?))
    };
    let ((source_line, source_lines), (target_line, target_lines)) =
        (range(source)?, range(target)?);
    Some(Hunk { source_line, source_lines, target_line, target_lines })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_are_parsed() {
        let (a, b, zero) = ("a".repeat(40), "b".repeat(40), "0".repeat(40));
        let text = format!(
            "{a}\0:100644 100644 {b} {a} R090\0old.c\0new.c\0:000000 100644 {zero} {b} A\0x\0\0\
             diff --git a/old.c b/new.c\nrename from old.c\n@@ -1,0 +2,3 @@ f\n+{b}\n+diff --git\n+@@ -1 +1 @@\n\
             @@ -9 +12,0 @@\n--- a\ndiff --git a/x b/x\n@@ -0,0 +1 @@\n+1\n{b}\0:100644 100644 {a} {b} M\0y\0"
        );
        let patches = Parser { rest: text.as_bytes() }.all();
        assert_eq!(patches.len(), 2);
        let [renamed, added] = &patches[0].files[..] else { panic!("two files") };
        assert_eq!((&renamed.source[..], &renamed.target[..]), (&b"old.c"[..], &b"new.c"[..]));
        let hunks: Vec<_> = renamed
            .hunks
            .iter()
            .map(|it| (it.source_line, it.source_lines, it.target_line, it.target_lines))
            .collect();
        assert_eq!(hunks, [(1, 0, 2, 3), (9, 1, 12, 0)]);
        assert_eq!(renamed.lines(), (3, 1));
        assert_eq!((added.source_blob.clone(), added.hunks.len()), (None, 1));
        assert_eq!(patches[1].files[0].target, b"y");
    }
}
