//! Determines how the files of a tree differ from those of a commit.
//!
//! `git diff` would run the repository's filters on files whose metadata differs from git's index,
//! and then write the index, for which it runs a hook. Instead, this module runs the plumbing
//! command below it with every filter emptied, and compares the remaining files itself: those with
//! changed metadata, and those that are in the tree but not in git's index. Content behind a filter
//! (Git LFS) cannot be compared that way; such a file counts as modified if its metadata differs.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;

use super::{Git, Invocation, SUBMODULE, fields, seen};
use crate::base::{path, text};
use crate::error::{Error, Kind, Result};

/// The maximum number of filters that are emptied; a configuration with more is refused.
const FILTERS_MAX: usize = 200;

/// The maximum number of files whose content is compared. Further files with changed metadata count
/// as modified.
const COMPARED_MAX: usize = 20_000;

/// The maximum size of a file whose content is compared. Longer files count as modified if their
/// metadata differs.
const COMPARED_BYTES_MAX: u64 = 64 << 20;

/// The maximum number of symbolic links whose targets are compared.
const LINKS_MAX: usize = 100;

/// The number of paths per git process.
const BATCH: usize = 256;

/// The mode of a symbolic link.
const LINK: &[u8] = b"120000";

/// The difference of a file from the commit.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Difference {
    /// The file is not in the commit.
    Added,
    /// The content or type differs.
    Modified,
    /// The file was deleted.
    Deleted,
    /// The file was renamed from this path, which no longer exists.
    Renamed(Vec<u8>),
}

/// A line of `git diff-index --raw`.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Entry<'a> {
    source_mode: &'a [u8],
    target_mode: &'a [u8],
    source: &'a [u8],
    /// The id of the object; zeros if git did not determine whether it differs.
    target: &'a [u8],
    status: u8,
    path: &'a [u8],
    /// The new path of a rename or copy.
    new: Option<&'a [u8]>,
}

/// A file that is possibly unchanged.
#[derive(Clone, Debug)]
struct Suspect {
    path: Vec<u8>,
    is_link: bool,
    /// The id of the object in the commit.
    object: String,
}

impl Git {
    /// Returns the differences of the files of the tree from a commit, by path. A file that git
    /// does not track counts as added unless it is ignored. The files of a submodule are compared with
    /// the commit that this one records for it. A path that ends in `/` is a directory that contains
    /// another repository: an untracked one, or a submodule whose files cannot be compared.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`]; [`Kind::Limit`] if the configuration has too many filters.
    pub fn changes_since(&self, commit: &str) -> Result<Vec<(Vec<u8>, Difference)>> {
        seen::once(self.seen.as_deref().map(|seen| &seen.changes), commit, || {
            self.find_changes(commit)
        })
    }

    fn find_changes(&self, commit: &str) -> Result<Vec<(Vec<u8>, Difference)>> {
        let settings = self.comparison_settings()?;
        let (raw, untracked) = std::thread::scope(|scope| {
            // Both processes read the whole tree.
            let untracked = scope.spawn(|| {
                let args = ["--others", "--exclude-standard", "-z", "--", "."];
                self.compared_output(&settings, "ls-files", &args)
            });
            let raw = self.raw(&settings, commit);
            let untracked = untracked.join();
            (raw, untracked.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let (raw, untracked) = (raw?, untracked?);
        let (links, entries): (Vec<_>, Vec<_>) =
            entries(&raw).into_iter().partition(Entry::is_submodule);
        let (mut changes, suspects) = self.classify(&entries);
        for (suspect, is_same) in suspects.iter().zip(self.are_same(&settings, &suspects)) {
            // A file with a merge conflict is modified in any case.
            if !is_same {
                changes.entry(suspect.path.clone()).or_insert(Difference::Modified);
            }
        }
        let compared: BTreeSet<&[u8]> =
            suspects.iter().map(|suspect| suspect.path.as_slice()).collect();
        for path in fields(&untracked) {
            if !changes.contains_key(path) && !compared.contains(path) {
                changes.insert(path.to_vec(), Difference::Added);
            }
        }
        let moved = links.iter().map(|link| {
            let how = match link.status {
                b'A' => Difference::Added,
                b'D' => Difference::Deleted,
                _ => Difference::Modified,
            };
            (link.new.unwrap_or(link.path).to_vec(), how)
        });
        self.add_submodules(commit, moved.collect(), &mut changes)?;
        Ok(changes.into_iter().collect())
    }

    /// Returns the newest commit of HEAD that was made at `time` or before; `None` if there is none.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`].
    pub fn commit_at(&self, time: std::time::SystemTime) -> Result<Option<String>> {
        let since = time.duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap_or_default();
        let before = format!("--before={}", since.as_secs());
        let answer = self.output("rev-list", &["-1", &before, "HEAD", "--"])?;
        let id = String::from_utf8_lossy(&answer).trim().to_owned();
        Ok((!id.is_empty()).then_some(id))
    }

    /// Returns the content that a commit stores at a repository path; `None` if it has no file
    /// there.
    ///
    /// # Errors
    ///
    /// As [`Git::recent`].
    pub fn content_at(&self, commit: &str, path: &[u8]) -> Result<Option<Vec<u8>>> {
        // The path is relative to the root, which may be a subdirectory of the repository.
        let mut name = format!("{commit}:./").into_bytes();
        name.extend_from_slice(path);
        let output =
            self.run("cat-file", &[OsStr::new("blob"), path::to_path(&name).as_os_str()])?;
        Ok((output.code == Some(0)).then_some(output.answer))
    }

    /// Returns settings that disable all filters, and the files of attributes and ignore rules that
    /// the repository's own configuration names.
    fn comparison_settings(&self) -> Result<Vec<OsString>> {
        let keys = r"^(filter\..*|core\.(attributesfile|excludesfile))$";
        let args = ["-z", "--show-scope", "--get-regexp", keys];
        let output = self.run("config", &args)?;
        let entries = match output.code {
            Some(0) => configured(&output.answer),
            // There is none of them.
            Some(1) => Vec::new(),
            _ => return Err(output.failure("config")),
        };
        let mut settings = without_filters(&filter_names(&entries))?;
        for key in ["core.attributesfile", "core.excludesfile"] {
            settings.extend(rule_file(&entries, key));
        }
        Ok(settings)
    }

    /// Runs git and returns its output, with the user's own files of attributes and ignore rules.
    fn compared_output<A: AsRef<OsStr>>(
        &self,
        settings: &[OsString],
        command: &str,
        args: &[A],
    ) -> Result<Vec<u8>> {
        let output =
            self.call(&Invocation { command, args, settings, uses_rule_files: true, input: &[] })?;
        if output.code == Some(0) { Ok(output.answer) } else { Err(output.failure(command)) }
    }

    fn raw(&self, settings: &[OsString], commit: &str) -> Result<Vec<u8>> {
        let output = |renames: &str| {
            let args = [
                "--raw",
                "-z",
                "--no-abbrev",
                "--no-ext-diff",
                "--no-textconv",
                "--ignore-submodules=dirty",
                "--relative",
                renames,
                commit,
                "--",
                ".",
            ];
            self.compared_output(settings, "diff-index", &args)
        };
        match output("--find-renames") {
            // Content may be missing, as in a partial clone; unchanged files do not need it.
            Err(error) if error.kind() == Kind::Io => output("--find-renames=100%"),
            raw => raw,
        }
    }

    /// Returns the differences that `entries` determine, and the files whose content must be
    /// compared.
    fn classify(&self, entries: &[Entry<'_>]) -> (BTreeMap<Vec<u8>, Difference>, Vec<Suspect>) {
        let (mut changes, mut suspects) = (BTreeMap::new(), Vec::new());
        let suspect = |entry: &Entry<'_>| Suspect {
            path: entry.path.to_vec(),
            is_link: entry.source_mode == LINK,
            object: String::from_utf8_lossy(entry.source).into_owned(),
        };
        let new = |entry: &Entry<'_>| match entry.status {
            b'A' => Some(entry.path.to_ascii_lowercase()),
            _ => entry.new.map(<[u8]>::to_ascii_lowercase),
        };
        let new: BTreeSet<Vec<u8>> = entries.iter().filter_map(new).collect();
        for entry in entries {
            let path = entry.path.to_vec();
            // On a case-insensitive file system, a file is also found by its previous spelling.
            let is_there = || {
                let is_respelled = new.contains(&entry.path.to_ascii_lowercase());
                !is_respelled && self.metadata(entry.path).is_some()
            };
            match (entry.status, entry.new) {
                (b'A', _) => drop(changes.insert(path, Difference::Added)),
                (b'D', _) if is_there() => suspects.push(suspect(entry)),
                (b'D', _) => drop(changes.insert(path, Difference::Deleted)),
                (b'R', Some(new)) if is_there() => {
                    suspects.push(suspect(entry));
                    changes.insert(new.to_vec(), Difference::Added);
                }
                (b'R', Some(new)) => {
                    changes.insert(new.to_vec(), Difference::Renamed(path));
                }
                // A copy leaves its source unchanged.
                (b'C', Some(new)) => drop(changes.insert(new.to_vec(), Difference::Added)),
                (b'M', _) if entry.is_undetermined() => suspects.push(suspect(entry)),
                _ => drop(changes.insert(path, Difference::Modified)),
            }
        }
        (changes, suspects)
    }

    /// Returns, for each of `suspects`, whether its content is unchanged. O(their content).
    fn are_same(&self, settings: &[OsString], suspects: &[Suspect]) -> Vec<bool> {
        let mut are_same = vec![false; suspects.len()];
        let (mut links, mut files) = (0, Vec::new());
        for (at, suspect) in suspects.iter().enumerate() {
            let Some(metadata) = self.metadata(&suspect.path) else { continue };
            if suspect.is_link && metadata.is_symlink() && links < LINKS_MAX {
                links += 1;
                are_same[at] = self.is_same_link(suspect);
            }
            let is_short = metadata.len() <= COMPARED_BYTES_MAX;
            if !suspect.is_link && metadata.is_file() && is_short && files.len() < COMPARED_MAX {
                files.push(at);
            }
        }
        for batch in files.chunks(BATCH) {
            self.compare(settings, suspects, batch, &mut are_same);
        }
        are_same
    }

    /// Compares the files with the indices `at` in `suspects`.
    fn compare(
        &self,
        settings: &[OsString],
        suspects: &[Suspect],
        at: &[usize],
        are_same: &mut [bool],
    ) {
        let mut args = vec![OsString::from("--")];
        args.extend(at.iter().map(|&at| path::to_path(&suspects[at].path).into_os_string()));
        // The command computes the id of the content and stores nothing.
        let answer = self.compared_output(settings, "hash-object", &args);
        let names = answer.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        if names.lines().count() == at.len() {
            for (&at, name) in at.iter().zip(names.lines()) {
                are_same[at] = name == suspects[at].object;
            }
        } else if at.len() > 1 && answer.is_err_and(|error| error.kind() == Kind::Io) {
            // A file disappeared or cannot be read.
            let (first, second) = at.split_at(at.len() / 2);
            self.compare(settings, suspects, first, are_same);
            self.compare(settings, suspects, second, are_same);
        }
    }

    fn is_same_link(&self, suspect: &Suspect) -> bool {
        let target = self.root.join(path::to_path(&suspect.path)).read_link();
        let target = target.ok().and_then(|target| path::from_path(&target));
        let stored = self.output("cat-file", &["blob", &suspect.object]);
        target.zip(stored.ok()).is_some_and(|(target, stored)| target == stored)
    }

    /// Returns the metadata of a repository path if it is a file or a link and its directories are
    /// not links.
    fn metadata(&self, at: &[u8]) -> Option<Metadata> {
        let folder = self.root.join(path::to_path(path::split(at).0));
        let is_below = folder.canonicalize().is_ok_and(|real| real == folder);
        let metadata = self.root.join(path::to_path(at)).symlink_metadata().ok()?;
        (is_below && (metadata.is_file() || metadata.is_symlink())).then_some(metadata)
    }
}

impl Entry<'_> {
    fn is_submodule(&self) -> bool {
        self.source_mode == SUBMODULE || self.target_mode == SUBMODULE
    }

    /// Returns true if git did not determine whether the content differs.
    fn is_undetermined(&self) -> bool {
        self.source_mode == self.target_mode && self.target.iter().all(|&byte| byte == b'0')
    }
}

/// Returns the settings that disable the filters.
fn without_filters(names: &[Vec<u8>]) -> Result<Vec<OsString>> {
    let refuse = |kind: Kind, why: String| {
        let message = format!("git's configuration {why}, so nothing is compared with a commit");
        Err(Error::new(kind, message)
            .with_code(super::REFUSED)
            .with_hint("use a time or a generation, which do not need git"))
    };
    if names.len() > FILTERS_MAX {
        return refuse(Kind::Limit, format!("has more than {FILTERS_MAX} filters"));
    }
    let mut settings = Vec::with_capacity(4 * names.len());
    for name in names {
        if name.contains(&b'=') {
            // Such a setting cannot be passed to git, which ends its name at the first `=`.
            let name = text::plain(&String::from_utf8_lossy(name));
            return refuse(Kind::Usage, format!("has a filter with `=` in its name, `{name}`"));
        }
        let name = path::to_path(name).into_os_string();
        for what in ["clean=", "smudge=", "process=", "required=false"] {
            let mut setting = OsString::from("filter.");
            setting.push(&name);
            setting.push(".");
            setting.push(what);
            settings.push(setting);
        }
    }
    Ok(settings)
}

/// A value in a configuration that git reads.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Configured<'a> {
    /// Whether it is the user's or the system's, not the repository's or that of this call.
    is_of_user: bool,
    is_of_call: bool,
    key: &'a [u8],
    value: &'a [u8],
}

/// Parses `git config -z --show-scope --get-regexp`.
fn configured(answer: &[u8]) -> Vec<Configured<'_>> {
    let parts: Vec<&[u8]> = answer.split(|&byte| byte == 0).collect();
    let entries = parts.chunks_exact(2).map(|pair| {
        let (scope, entry) = (pair[0], pair[1]);
        // A key without a value has no line end.
        let end = memchr::memchr(b'\n', entry).unwrap_or(entry.len());
        let value = entry.get(end + 1..).unwrap_or_default();
        let is_of_user = matches!(scope, b"system" | b"global");
        Configured { is_of_user, is_of_call: scope == b"command", key: &entry[..end], value }
    });
    entries.collect()
}

/// Returns the names of the filters, each once.
fn filter_names(entries: &[Configured<'_>]) -> Vec<Vec<u8>> {
    let name = |entry: &Configured<'_>| {
        let rest = entry.key.strip_prefix(b"filter.")?;
        let end = rest.iter().rposition(|&byte| byte == b'.')?;
        Some(rest[..end].to_vec())
    };
    let mut names: Vec<Vec<u8>> = entries.iter().filter_map(name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the setting that replaces the file that the repository names under `key` by the user's;
/// `None` if the repository names none.
fn rule_file(entries: &[Configured<'_>], key: &str) -> Option<OsString> {
    let named = || {
        let named = entries.iter().filter(|entry| entry.key == key.as_bytes());
        named.filter(|entry| !entry.is_of_call)
    };
    named().find(|entry| !entry.is_of_user)?;
    let of_user = named().rfind(|entry| entry.is_of_user);
    let mut setting = OsString::from(format!("{key}="));
    setting.push(path::to_path(of_user.map_or(b"/dev/null".as_slice(), |entry| entry.value)));
    Some(setting)
}

/// Parses `git diff-index --raw -z`.
fn entries(answer: &[u8]) -> Vec<Entry<'_>> {
    let mut fields = fields(answer);
    let mut entries = Vec::new();
    while let Some(head) = fields.next() {
        let mut words = head.strip_prefix(b":").unwrap_or(head).split(|&byte| byte == b' ');
        let mut word = || words.next().unwrap_or_default();
        let (source_mode, target_mode, source, target) = (word(), word(), word(), word());
        let status = word().first().copied().unwrap_or_default();
        let Some(path) = fields.next() else { break };
        let new = if matches!(status, b'R' | b'C') { fields.next() } else { None };
        entries.push(Entry { source_mode, target_mode, source, target, status, path, new });
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_differences_are_parsed() {
        let raw = b":100644 100644 aa 00 M\0a\0:100644 100644 aa bb R087\0old\0new\0\
                    :100644 000000 aa 00 D\0gone\0:000000 100644 00 aa A\0x\0:100644 120000 aa 00 T\0t\0\
                    :100644 100644 aa bb R100\0cut";
        let found = entries(raw);
        let read: Vec<(u8, &[u8], Option<&[u8]>)> =
            found.iter().map(|entry| (entry.status, entry.path, entry.new)).collect();
        let expected: [(u8, &[u8], Option<&[u8]>); 6] = [
            (b'M', b"a", None),
            (b'R', b"old", Some(b"new")),
            (b'D', b"gone", None),
            (b'A', b"x", None),
            (b'T', b"t", None),
            (b'R', b"cut", None),
        ];
        assert_eq!(read, expected);
        let open: Vec<bool> = found.iter().map(Entry::is_undetermined).collect();
        assert_eq!(open, [true, false, false, false, false, false]);
    }

    #[test]
    fn every_filter_is_emptied() {
        let entries = configured(
            b"local\0filter.b.clean\nx\0global\0filter.a.b.process\0local\0filter.b.smudge\ny\nz\0\
              local\0filter.x\n1\0",
        );
        let names = filter_names(&entries);
        assert_eq!(names, [b"a.b".to_vec(), b"b".to_vec()]);
        let settings = without_filters(&names).expect("they can be emptied");
        assert_eq!(settings.len(), 8);
        for setting in ["filter.a.b.process=", "filter.b.clean=", "filter.b.required=false"] {
            assert!(settings.iter().any(|other| other == setting), "{setting}");
        }
        assert!(without_filters(&[b"a=b".to_vec()]).is_err());
        assert!(without_filters(&vec![Vec::new(); FILTERS_MAX + 1]).is_err());
    }

    #[test]
    fn only_the_user_names_files_of_rules() {
        let check = |answer: &[u8], expected: Option<&str>| {
            let setting = rule_file(&configured(answer), "core.excludesfile");
            assert_eq!(setting, expected.map(OsString::from));
        };
        let (mine, other) = (b"global\0core.excludesfile\n~/mine\0", b"core.excludesfile\n/x\0");
        let none = Some("core.excludesfile=/dev/null");
        check(b"", None);
        check(mine, None);
        check(&[b"local\0", &other[..]].concat(), none);
        check(&[b"worktree\0", &other[..]].concat(), none);
        check(&[&mine[..], b"local\0", other].concat(), Some("core.excludesfile=~/mine"));
        check(b"local\0core.attributesfile\n/x\0", None);
        check(&[b"command\0", &other[..]].concat(), None);
    }

    #[test]
    fn files_outside_the_tree_are_not_read() {
        let place = tempfile::tempdir().expect("a folder");
        let base = place.path().canonicalize().expect("it is there");
        std::fs::create_dir(base.join("tree")).expect("a folder");
        std::fs::write(base.join("out.rs"), "").expect("a file");
        std::fs::write(base.join("tree/in.rs"), "").expect("a file");
        #[cfg(unix)]
        std::os::unix::fs::symlink("..", base.join("tree/up")).expect("a link");
        let git = Git::at(&base.join("tree"), crate::history::git::PATIENCE);
        assert!(git.metadata(b"in.rs").is_some());
        assert!(git.metadata(b"up/out.rs").is_none() && git.metadata(b"").is_none());
    }
}
