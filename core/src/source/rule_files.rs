//! Decides which ignore files may be read: regular files of bounded size and cost.
//!
//! The `ignore` crate opens the files of each directory itself, without a limit. So a walk checks
//! them before it enters a directory, does not enter one with a file that is refused, and then walks
//! it again without the rules of that kind ([`walk_each`]). Below such a directory more files are
//! searched than ripgrep would search, never fewer.
//!
//! This protects against what is in a repository, not against a process that replaces an ignore file
//! between the check and the walk.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bstr::ByteSlice;
use ignore::WalkBuilder;

use super::read;

mod ordered;

pub use ordered::{OrderedWalk, Step};

/// Maximum size of an ignore file.
pub const BYTES_MAX: u64 = 1 << 20;

/// Size of all ignore files that apply to a directory up to which their rules are not counted: so
/// few rules take little memory.
const UNCOUNTED_BYTES_MAX: u64 = 16 << 10;

/// Maximum cost of the rules that apply to a directory: compiling them takes 100 to 200 MB.
const COST_MAX: usize = 1 << 16;

/// The cost of a rule with a wildcard, for which a regular expression is compiled, compared with one
/// that is looked up.
const WILDCARD_COST: usize = 16;

/// A kind of ignore file, which a walk reads or does not read.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Kind {
    RgIgnore = 1,
    Ignore = 2,
    GitIgnore = 4,
    GitExclude = 8,
}

/// The kinds with a file in each directory.
const NAMED: [(Kind, &str); 3] =
    [(Kind::RgIgnore, ".rgignore"), (Kind::Ignore, ".ignore"), (Kind::GitIgnore, ".gitignore")];

/// The kinds of ignore files that a walk does not read.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub struct Refused(u8);

impl Refused {
    /// Returns the kinds that a request does not read: the files `.ignore` and `.rgignore`, the files
    /// `.gitignore`, and git's excludes.
    pub fn new(dot: bool, gitignore: bool, git_exclude: bool) -> Refused {
        let kinds = [
            (Kind::RgIgnore, dot),
            (Kind::Ignore, dot),
            (Kind::GitIgnore, gitignore),
            (Kind::GitExclude, git_exclude),
        ];
        let mut refused = Refused::default();
        kinds.iter().filter(|(_, unread)| *unread).for_each(|(kind, _)| refused.insert(*kind));
        refused
    }

    fn insert(&mut self, kind: Kind) {
        self.0 |= kind as u8;
    }

    fn contains(self, kind: Kind) -> bool {
        self.0 & kind as u8 != 0
    }

    /// Returns true if all kinds are read.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the kinds of both.
    #[must_use]
    pub fn with(self, other: Refused) -> Refused {
        Refused(self.0 | other.0)
    }

    /// Returns true if the files `.rgignore` are not read.
    pub fn rgignore(self) -> bool {
        self.contains(Kind::RgIgnore)
    }

    /// Returns true if the files `.ignore` are not read.
    pub fn ignore(self) -> bool {
        self.contains(Kind::Ignore)
    }

    /// Returns true if the files `.gitignore` are not read.
    pub fn gitignore(self) -> bool {
        self.contains(Kind::GitIgnore)
    }

    /// Returns true if the files `.git/info/exclude` are not read.
    pub fn git_exclude(self) -> bool {
        self.contains(Kind::GitExclude)
    }
}

/// A directory from which a walk starts, usually one with an ignore file that is refused.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WalkStart {
    /// Its path, as the walk spells it.
    pub path: PathBuf,
    /// Its depth below the start of the walk.
    pub depth: usize,
    /// What is not read in and below it.
    pub refused: Refused,
}

impl WalkStart {
    /// Returns the start of a walk.
    pub fn new(path: &Path, refused: Refused) -> WalkStart {
        WalkStart { path: path.to_path_buf(), depth: 0, refused }
    }

    /// Returns a message for the user.
    pub fn message(&self) -> String {
        let names = NAMED.iter().filter(|(kind, _)| self.refused.contains(*kind));
        let mut names: Vec<&str> = names.map(|(_, name)| *name).collect();
        if self.refused.git_exclude() {
            names.push(".git/info/exclude");
        }
        format!(
            "`{}` is not read in and below `{}`: it is not a regular file, has more than 1 MiB or \
             too many rules, or is a link out of the repository",
            names.join("`, `"),
            self.path.display()
        )
    }
}

/// Runs the walks that list everything below `start`: one, and others for directories with ignore
/// files that are refused. `make` returns a walk of a directory that does not read the kinds which
/// are refused there; `run` runs it, with directories of the same depth added. Kinds in `unread` are
/// not read anyway. Returns the directories with refused files, in no particular order.
pub fn walk_each(
    start: &Path,
    unread: Refused,
    mut make: impl FnMut(&WalkStart) -> WalkBuilder,
    mut run: impl FnMut(&WalkBuilder),
) -> Vec<WalkStart> {
    let refused = unread.with(refused_above(start));
    let first = WalkStart::new(start, refused);
    let mut all = Vec::new();
    if refused != unread {
        all.push(first.clone());
    }
    let mut groups = vec![vec![first]];
    while let Some(group) = groups.pop() {
        let mut builder = make(&group[0]);
        for other in &group[1..] {
            builder.add(&other.path);
        }
        let (depth, refused) = (group[0].depth, group[0].refused);
        let found = Arc::new(Mutex::new(Vec::new()));
        let closed = Arc::clone(&found);
        builder.filter_entry(move |entry| {
            let Some(here) = closed_at(entry, depth, refused) else { return true };
            closed.lock().unwrap_or_else(PoisonError::into_inner).push(here);
            false
        });
        run(&builder);
        // Each round refuses at least one kind more, so there are few.
        let mut found = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
        all.extend(found.iter().cloned());
        found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let mut by_kinds: BTreeMap<(Refused, usize), Vec<WalkStart>> = BTreeMap::new();
        for closed in found {
            by_kinds.entry((closed.refused, closed.depth)).or_default().push(closed);
        }
        groups.extend(by_kinds.into_values());
    }
    all
}

/// Returns the start of another walk if `entry` is a directory with files that are refused in
/// addition to `refused`; `depth` is the depth of the present walk's start.
fn closed_at(entry: &ignore::DirEntry, depth: usize, refused: Refused) -> Option<WalkStart> {
    if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
        return None;
    }
    let here = refused.with(refused_in(entry.path()));
    let start = || WalkStart {
        path: entry.path().to_path_buf(),
        depth: depth + entry.depth(),
        refused: here,
    };
    (here != refused).then(start)
}

/// Returns the kinds of which `dir` or a directory above it has a file that is refused.
pub fn refused_above(dir: &Path) -> Refused {
    let absolute = std::path::absolute(dir);
    let dirs = absolute.as_deref().unwrap_or(dir).ancestors();
    dirs.fold(Refused::default(), |refused, dir| refused.with(refused_in(dir)))
}

/// Returns the kinds of which `dir` has a file that is refused. Four system calls if it has none.
pub fn refused_in(dir: &Path) -> Refused {
    let mut refused = Refused::default();
    let mut has_rules = false;
    for (kind, name) in NAMED {
        match check(&dir.join(name)) {
            Checked::Absent => {}
            Checked::Refused => refused.insert(kind),
            Checked::Readable(metadata) => has_rules |= metadata.len() > 0,
        }
    }
    if matches!(exclude(dir), Checked::Refused) {
        refused.insert(Kind::GitExclude);
    }
    if has_rules { refused.with(too_costly(dir, refused)) } else { refused }
}

/// The result of [`check`].
#[derive(Debug)]
pub(super) enum Checked {
    /// There is nothing, or it cannot be examined.
    Absent,
    /// It is not read.
    Refused,
    /// A regular file of bounded size.
    Readable(Metadata),
}

/// Examines the file at `path`, which contains ignore rules or leads to some.
pub(super) fn check(path: &Path) -> Checked {
    let Ok(own) = path.symlink_metadata() else { return Checked::Absent };
    let is_link = own.is_symlink();
    let metadata = if is_link { path.metadata() } else { Ok(own) };
    match metadata {
        Err(_) => Checked::Absent,
        // A directory is an error for the walker, which it ignores.
        Ok(metadata) if metadata.is_dir() => Checked::Absent,
        Ok(metadata) if !metadata.is_file() || metadata.len() > BYTES_MAX => Checked::Refused,
        // A link to an empty file has no rules; files of the kernel, whose reading may block, report
        // no length either.
        Ok(metadata) if is_link && (metadata.len() == 0 || leads_out(path)) => Checked::Refused,
        Ok(metadata) => Checked::Readable(metadata),
    }
}

/// Examines as [`check`] does, and refuses rules that cost too much by themselves.
fn check_alone(path: &Path) -> Checked {
    match check(path) {
        Checked::Readable(metadata)
            if metadata.len() > UNCOUNTED_BYTES_MAX
                && text(path).is_none_or(|text| cost_of(&text) > COST_MAX) =>
        {
            Checked::Refused
        }
        checked => checked,
    }
}

/// Returns true if a symbolic link leads out of the repository that it is in. Outside of
/// repositories, such as for the user's own excludes, links may lead anywhere.
fn leads_out(link: &Path) -> bool {
    let Ok(link) = std::path::absolute(link) else { return true };
    let Some(top) = link.ancestors().skip(1).find(|dir| dir.join(".git").exists()) else {
        return false;
    };
    match (top.canonicalize(), link.canonicalize()) {
        (Ok(top), Ok(target)) => !target.starts_with(top),
        _ => true,
    }
}

/// Examines `.git/info/exclude` of `dir` and the files that lead to it.
fn exclude(dir: &Path) -> Checked {
    let git = dir.join(".git");
    let Ok(metadata) = git.metadata() else { return Checked::Absent };
    if metadata.is_dir() {
        return check_alone(&git.join("info/exclude"));
    }
    if !metadata.is_file() {
        return Checked::Absent;
    }
    let Some(own) = text(&git) else { return Checked::Refused };
    let Some(named) = first_line(&own).and_then(|line| line.strip_prefix(b"gitdir: ")) else {
        return Checked::Absent;
    };
    // The walker resolves a relative path from its own current directory.
    let git_dir = dir.join(named.to_path_lossy());
    match check(&git_dir.join("commondir")) {
        Checked::Readable(_) => {}
        other => return other,
    }
    let Some(common) = text(&git_dir.join("commondir")) else { return Checked::Refused };
    let Some(line) = first_line(&common) else { return Checked::Absent };
    check_alone(&git_dir.join(line.to_path_lossy()).join("info/exclude"))
}

fn first_line(text: &[u8]) -> Option<&[u8]> {
    text.lines().next()
}

/// Returns the content of the file at `path` if it is regular and of bounded size.
pub fn text(path: &Path) -> Option<Vec<u8>> {
    let (file, _) = read::open(path).ok()?;
    let mut text = Vec::new();
    file.take(BYTES_MAX + 1).read_to_end(&mut text).ok()?;
    (text.len() as u64 <= BYTES_MAX).then_some(text)
}

/// Returns the kinds whose files in `dir` exceed the cost of rules, together with those of the
/// directories above it. `refused` are not counted.
fn too_costly(dir: &Path, refused: Refused) -> Refused {
    let absolute = std::path::absolute(dir);
    let absolute = absolute.as_deref().unwrap_or(dir);
    let kinds = || NAMED.iter().filter(move |(kind, _)| !refused.contains(*kind));
    let files = absolute.ancestors().flat_map(|dir| kinds().map(move |(_, name)| dir.join(name)));
    let readable: Vec<(PathBuf, u64)> = files
        .filter_map(|path| match check(&path) {
            Checked::Readable(metadata) => Some((path, metadata.len())),
            _ => None,
        })
        .collect();
    if readable.iter().map(|(_, bytes)| bytes).sum::<u64>() <= UNCOUNTED_BYTES_MAX {
        return Refused::default();
    }
    // Outermost first: their rules apply to more directories.
    let mut cost = 0;
    let mut excess = Refused::default();
    for (path, _) in readable.iter().rev() {
        let own = cost_of(&text(path).unwrap_or_default());
        if cost + own <= COST_MAX {
            cost += own;
            continue;
        }
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { continue };
        if above == absolute {
            NAMED.iter().filter(|(_, own)| name == *own).for_each(|(kind, _)| excess.insert(*kind));
        }
    }
    excess
}

/// Returns the cost of the rules in `text`.
fn cost_of(text: &[u8]) -> usize {
    let rules = text.lines().filter(|line| !line.is_empty() && line[0] != b'#');
    rules.map(|rule| if rule.find_byteset(b"*?[{").is_some() { WILDCARD_COST } else { 1 }).sum()
}

/// Returns true if git's global excludes at `path` may be read.
pub fn is_readable(path: &Path) -> bool {
    !matches!(check_alone(path), Checked::Refused)
}

#[cfg(all(test, unix))]
mod tests;
