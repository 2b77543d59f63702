//! The changes between a commit and git's index, and the contents that a commit stores.

use std::ffi::OsString;

use super::{Git, SUBMODULE, fields};
use crate::error::Result;
use crate::history::id::CommitId;

/// A file whose entry in git's index differs from a commit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Staged {
    /// Its repository path, or the last one of a deleted file.
    pub path: Vec<u8>,
    /// The previous path of a renamed file.
    pub source: Option<Vec<u8>>,
    /// The id of the content in the commit; `None` if the file was added.
    pub source_blob: Option<String>,
    /// The id of the content in the index; `None` if the file was deleted.
    pub target_blob: Option<String>,
    /// True for a submodule, whose ids are those of commits.
    pub is_submodule: bool,
}

impl Git {
    /// Returns the differences of git's index from a commit below the root, by path, renames
    /// included; with `None`, everything in the index, as added. Files of the work tree are not read.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`].
    pub fn staged(&self, commit: Option<&str>) -> Result<Vec<Staged>> {
        let Some(commit) = commit else {
            let listed = self.output("ls-files", &["--stage", "-z", "--", "."])?;
            return Ok(fields(&listed).filter_map(added).collect());
        };
        let args = |renames: &str| {
            let mut args: Vec<OsString> = [
                "--cached",
                "--raw",
                "-z",
                "--no-abbrev",
                "--no-ext-diff",
                "--no-textconv",
                "--relative",
            ]
            .map(OsString::from)
            .to_vec();
            args.extend([renames, commit, "--", "."].map(OsString::from));
            args
        };
        let raw = match self.output("diff-index", &args("--find-renames")) {
            Err(error) if error.kind() == crate::error::Kind::Io => {
                self.output("diff-index", &args("--find-renames=100%"))?
            }
            raw => raw?,
        };
        let mut words = fields(&raw);
        let mut found = Vec::new();
        while let Some(meta) = words.next() {
            let Some(path) = words.next() else { break };
            let parts: Vec<&[u8]> = meta.split(|&byte| byte == b' ').collect();
            let (Some(status), true) = (parts.get(4).and_then(|it| it.first()), parts.len() == 5)
            else {
                break;
            };
            let blob = |at: usize| {
                let id = parts[at];
                let is_there = id.iter().any(|&byte| byte != b'0');
                is_there.then(|| String::from_utf8_lossy(id).into_owned())
            };
            let is_submodule = parts[0].ends_with(SUBMODULE) || parts[1] == SUBMODULE;
            let (path, source) = match status {
                b'R' => (words.next().unwrap_or(path), Some(path.to_vec())),
                // A copy leaves its source unchanged: it only adds a file.
                b'C' => (words.next().unwrap_or(path), None),
                _ => (path, None),
            };
            found.push(Staged {
                path: path.to_vec(),
                source,
                source_blob: if *status == b'C' { None } else { blob(2) },
                target_blob: blob(3),
                is_submodule,
            });
        }
        found.sort_by(|a, b| crate::base::path::compare(&a.path, &b.path));
        Ok(found)
    }

    /// Returns the contents that a commit stores at repository paths, in their order; `None` where
    /// it has no file, or one of more than 2 MiB. Two git processes, and one more for every 32 MiB.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`].
    pub fn contents_at(&self, commit: &str, paths: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>> {
        self.printed(&self.stored_at(commit, paths)?, super::patches::BLOB_BYTES_MAX)
    }

    /// Returns the contents that a commit stores at repository paths, in their order; `None` where it
    /// has no file. As [`Git::contents_at`], with one more process for each file of more than 32 MiB.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`]; [`crate::Kind::Limit`] if a content has more than 64 MiB.
    pub fn texts_at(&self, commit: &str, paths: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>> {
        let stored = self.stored_at(commit, paths)?;
        let mut contents = self.printed(&stored, PRINTED_BYTES_MAX)?;
        let places = paths.iter().zip(&stored);
        for ((path, stored), content) in places.zip(&mut contents) {
            // A name with a line feed, or a long file.
            if content.is_none() && (stored.is_some() || path.contains(&b'\n')) {
                *content = self.content_at(commit, path)?;
            }
        }
        Ok(contents)
    }

    /// Returns ids and sizes of the files that a commit stores at repository paths. One git process.
    fn stored_at(&self, commit: &str, paths: &[Vec<u8>]) -> Result<Vec<Option<(String, usize)>>> {
        let mut stored: Vec<Option<(String, usize)>> = vec![None; paths.len()];
        // A name per line: git cannot read others.
        let (mut input, mut asked) = (Vec::new(), Vec::new());
        for (at, path) in paths.iter().enumerate() {
            if !path.contains(&b'\n') {
                input.extend_from_slice(format!("{commit}:./").as_bytes());
                input.extend_from_slice(path);
                input.push(b'\n');
                asked.push(at);
            }
        }
        if asked.is_empty() {
            return Ok(stored);
        }
        let form = "--batch-check=%(objectname) %(objecttype) %(objectsize)";
        let checked = self.output_of("cat-file", &[form], &input)?;
        for (&at, line) in asked.iter().zip(checked.split(|&byte| byte == b'\n')) {
            let line = String::from_utf8_lossy(line);
            let blob = line.split_once(" blob ").and_then(|(id, size)| {
                Some((CommitId::parse(id.as_bytes())?.to_string(), size.parse().ok()?))
            });
            stored[at] = blob;
        }
        Ok(stored)
    }

    /// Returns the contents of blobs of at most `bytes_max` bytes each.
    fn printed(
        &self,
        stored: &[Option<(String, usize)>],
        bytes_max: usize,
    ) -> Result<Vec<Option<Vec<u8>>>> {
        let mut contents: Vec<Option<Vec<u8>>> = vec![None; stored.len()];
        let mut batch: Vec<(usize, &str)> = Vec::new();
        let mut bytes = 0;
        for (at, of) in stored.iter().enumerate() {
            let Some((id, size)) = of.as_ref().filter(|(_, size)| *size <= bytes_max) else {
                continue;
            };
            if bytes + size > PRINTED_BYTES_MAX {
                self.print(&batch, &mut contents)?;
                batch.clear();
                bytes = 0;
            }
            batch.push((at, id));
            bytes += size;
        }
        self.print(&batch, &mut contents)?;
        Ok(contents)
    }

    fn print(&self, batch: &[(usize, &str)], contents: &mut [Option<Vec<u8>>]) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        let ids: Vec<&str> = batch.iter().map(|&(_, id)| id).collect();
        let mut places = batch.iter();
        self.print_blobs(&ids, &mut |content| {
            if let Some(&(at, _)) = places.next() {
                contents[at] = Some(content.to_vec());
            }
        })
    }
}

/// The maximum size in bytes of what one process prints: half of what is read of its output.
const PRINTED_BYTES_MAX: usize = 32 << 20;

/// Parses an entry of `git ls-files --stage`.
fn added(entry: &[u8]) -> Option<Staged> {
    let tab = memchr::memchr(b'\t', entry)?;
    let mut words = entry[..tab].split(|&byte| byte == b' ');
    let (mode, blob) = (words.next()?, words.next()?);
    Some(Staged {
        path: entry[tab + 1..].to_vec(),
        source: None,
        source_blob: None,
        target_blob: Some(String::from_utf8_lossy(blob).into_owned()),
        is_submodule: mode == SUBMODULE,
    })
}
