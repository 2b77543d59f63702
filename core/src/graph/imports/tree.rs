//! The paths of a work tree, indexed by whole path, by directory and by their last components.
//! Independent of languages; reads nothing from disk.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

use crate::base::ids::FileId;
use crate::base::path;

/// The most files or directories of one name that a look-up by last components considers.
const SAME_NAME_MAX: usize = 4096;

/// A directory's position in [`Tree::directories`]; the root is 0 and a parent comes before its
/// children.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) struct DirectoryId(u32);

impl DirectoryId {
    pub(super) const ROOT: DirectoryId = DirectoryId(0);

    /// Returns the id of the directory at the position `index`.
    pub(super) fn at(index: usize) -> DirectoryId {
        DirectoryId(FileId::new(index).0)
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// All paths of a tree and their directories.
pub(super) struct Tree {
    /// The concatenated paths.
    bytes: Vec<u8>,
    /// The end of each path in `bytes`.
    ends: Vec<usize>,
    directory_of: Vec<DirectoryId>,
    directories: Vec<Directory>,
    /// Files by their directory, each directory's in path order.
    members: Vec<FileId>,
    /// Ids of files by the hash of their path.
    file_table: HashTable<u32>,
    /// Ids of directories by the hash of their path.
    directory_table: HashTable<u32>,
    file_tails: Tails,
    directory_tails: Tails,
}

/// A directory with files in it or below it.
struct Directory {
    parent: DirectoryId,
    /// The first file below it, whose path starts with the directory's.
    first: FileId,
    /// The last file below it.
    last: FileId,
    /// The length of its path in bytes.
    len: usize,
    /// The end of its files in `members`.
    members_end: usize,
}

/// The most packages of one name that an import may mean.
const RIVALS_MAX: usize = 8;

impl Tree {
    /// Returns those of the candidates, by their directories, that are nearest to `from`: they share the most
    /// directories with it. At most eight, in their order.
    pub(super) fn nearest<T: Copy>(
        &self,
        from: DirectoryId,
        candidates: &[T],
        directory: impl Fn(T) -> DirectoryId,
    ) -> Vec<T> {
        if candidates.len() < 2 {
            return candidates.to_vec();
        }
        let own = self.directory_path(from);
        let shared = |of: T| {
            let parts = self.directory_path(directory(of)).split(|byte| *byte == b'/');
            let own = own.split(|byte| *byte == b'/');
            parts.zip(own).take_while(|(a, b)| a == b && !a.is_empty()).count()
        };
        let most = candidates.iter().map(|&of| shared(of)).max();
        let nearest = candidates.iter().copied().filter(|&of| Some(shared(of)) == most);
        nearest.take(RIVALS_MAX).collect()
    }

    /// Returns the tree of `paths`, which are in path order; a file's id is its position. O(n log
    /// n).
    pub(super) fn new<P: AsRef<[u8]>>(paths: &[P]) -> Tree {
        let root = Directory {
            parent: DirectoryId::ROOT,
            first: FileId(0),
            last: FileId(0),
            len: 0,
            members_end: 0,
        };
        let mut tree = Tree {
            bytes: Vec::new(),
            ends: Vec::with_capacity(paths.len()),
            directory_of: Vec::with_capacity(paths.len()),
            directories: vec![root],
            members: Vec::new(),
            file_table: HashTable::with_capacity(paths.len()),
            directory_table: HashTable::new(),
            file_tails: Tails::default(),
            directory_tails: Tails::default(),
        };
        for path in paths {
            tree.bytes.extend_from_slice(path.as_ref());
            tree.ends.push(tree.bytes.len());
        }
        for index in 0..paths.len() {
            tree.enter(FileId::new(index));
        }
        tree.group();
        let ids = |count: usize| (0..count).map(|index| FileId::new(index).0);
        tree.file_tails = Tails::new(ids(tree.len()), |id| tree.path(FileId(id)));
        tree.directory_tails =
            Tails::new(ids(tree.directories.len()), |id| tree.directory_path(DirectoryId(id)));
        tree
    }

    fn enter(&mut self, file: FileId) {
        let hash = xxh3_64(self.path(file));
        let (paths, ends) = (&self.bytes, &self.ends);
        self.file_table.insert_unique(hash, file.0, |&other| {
            let start = (other as usize).checked_sub(1).map_or(0, |before| ends[before]);
            xxh3_64(&paths[start..ends[other as usize]])
        });
        let len = path::split(self.path(file)).0.len();
        let before = self.directory_of.last().copied();
        let same =
            before.filter(|&directory| self.directory_path(directory) == &self.path(file)[..len]);
        let directory = same.unwrap_or_else(|| self.enter_directory(file, len));
        self.directory_of.push(directory);
        let mut above = Some(directory);
        while let Some(directory) = above {
            self.directories[directory.index()].last = file;
            above = self.parent(directory);
        }
    }

    /// Returns the directory whose path is the first `len` bytes of the file's.
    fn enter_directory(&mut self, file: FileId, len: usize) -> DirectoryId {
        if let Some(directory) = self.find_directory(&self.path(file)[..len]) {
            return directory;
        }
        let parent_len = path::split(&self.path(file)[..len]).0.len();
        let parent = if parent_len < len {
            self.enter_directory(file, parent_len)
        } else {
            DirectoryId::ROOT
        };
        let id = DirectoryId(FileId::new(self.directories.len()).0);
        self.directories.push(Directory { parent, first: file, last: file, len, members_end: 0 });
        let hash = xxh3_64(&self.path(file)[..len]);
        let (table, directories) = (&mut self.directory_table, &self.directories);
        table.insert_unique(hash, id.0, |&other| {
            let directory = &directories[other as usize];
            let start =
                directory.first.index().checked_sub(1).map_or(0, |before| self.ends[before]);
            xxh3_64(&self.bytes[start..start + directory.len])
        });
        id
    }

    /// Groups the files by directory with a counting sort.
    fn group(&mut self) {
        for directory in &self.directory_of {
            self.directories[directory.index()].members_end += 1;
        }
        let mut sum = 0;
        let mut next = Vec::with_capacity(self.directories.len());
        for directory in &mut self.directories {
            next.push(sum);
            sum += directory.members_end;
            directory.members_end = sum;
        }
        self.members = vec![FileId(0); self.directory_of.len()];
        for (index, directory) in self.directory_of.iter().enumerate() {
            self.members[next[directory.index()]] = FileId::new(index);
            next[directory.index()] += 1;
        }
    }

    /// Returns the number of files.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of directories.
    pub(super) fn directories_len(&self) -> usize {
        self.directories.len()
    }

    /// Returns a file's path; empty for a file that does not exist.
    pub(super) fn path(&self, file: FileId) -> &[u8] {
        let Some(&end) = self.ends.get(file.index()) else { return b"" };
        let start = match file.index() {
            0 => 0,
            index => self.ends[index - 1],
        };
        &self.bytes[start..end]
    }

    /// Returns the last component of a file's path.
    pub(super) fn name(&self, file: FileId) -> &[u8] {
        path::split(self.path(file)).1
    }

    /// Returns the directory of a file; the root for a file that does not exist.
    pub(super) fn directory(&self, file: FileId) -> DirectoryId {
        self.directory_of.get(file.index()).copied().unwrap_or(DirectoryId::ROOT)
    }

    /// Returns a directory's path; empty for the root.
    pub(super) fn directory_path(&self, directory: DirectoryId) -> &[u8] {
        let directory = &self.directories[directory.index()];
        &self.path(directory.first)[..directory.len]
    }

    /// Returns the path of a file's directory.
    pub(super) fn directory_path_of(&self, file: FileId) -> &[u8] {
        path::split(self.path(file)).0
    }

    /// Returns the parent of a directory; `None` for the root.
    pub(super) fn parent(&self, directory: DirectoryId) -> Option<DirectoryId> {
        (directory != DirectoryId::ROOT).then(|| self.directories[directory.index()].parent)
    }

    /// Returns the directory and all that enclose it, ending with the root.
    pub(super) fn up(&self, directory: DirectoryId) -> impl Iterator<Item = DirectoryId> {
        std::iter::successors(Some(directory), |&directory| self.parent(directory))
    }

    /// Returns the files directly in a directory, in path order.
    pub(super) fn members(&self, directory: DirectoryId) -> &[FileId] {
        let start = match directory.index() {
            0 => 0,
            index => self.directories[index - 1].members_end,
        };
        &self.members[start..self.directories[directory.index()].members_end]
    }

    /// Returns the files in a directory and its subdirectories, in path order.
    pub(super) fn below(&self, directory: DirectoryId) -> impl Iterator<Item = FileId> {
        let path = self.directory_path(directory);
        let directory = &self.directories[directory.index()];
        let ids = (directory.first.0..=directory.last.0).map(FileId);
        ids.filter(move |&file| path::is_within(self.path(file), path) && file.index() < self.len())
    }

    /// Returns the file of that path. O(length).
    pub(super) fn file(&self, path: &[u8]) -> Option<FileId> {
        let found = self.file_table.find(xxh3_64(path), |&id| self.path(FileId(id)) == path);
        found.map(|&id| FileId(id))
    }

    /// Returns the directory of that path. O(length).
    pub(super) fn find_directory(&self, path: &[u8]) -> Option<DirectoryId> {
        if path.is_empty() {
            return Some(DirectoryId::ROOT);
        }
        let is_it = |&id: &u32| self.directory_path(DirectoryId(id)) == path;
        self.directory_table.find(xxh3_64(path), is_it).map(|&id| DirectoryId(id))
    }

    /// Returns the files whose path ends with the components `tail`, in path order; bounded.
    pub(super) fn ending<'a>(&'a self, tail: &'a [u8]) -> impl Iterator<Item = FileId> + 'a {
        let files = self.file_tails.find(tail).map(FileId);
        files.filter(move |&file| ends_with(self.path(file), tail))
    }

    /// Returns the directories whose path ends with the components `tail`, in path order; bounded.
    pub(super) fn directories_ending<'a>(
        &'a self,
        tail: &'a [u8],
    ) -> impl Iterator<Item = DirectoryId> + 'a {
        let directories = self.directory_tails.find(tail).map(DirectoryId);
        directories.filter(move |&directory| ends_with(self.directory_path(directory), tail))
    }

    /// Returns how many leading directories the paths of two files share.
    pub(super) fn shared_directories(&self, a: FileId, b: FileId) -> usize {
        let (a, b) = (self.path(a), self.path(b));
        let common = a.iter().zip(b).take_while(|(a, b)| a == b);
        common.filter(|(byte, _)| **byte == b'/').count()
    }
}

/// Returns true if `tail` is `path` or consists of its last components.
fn ends_with(path: &[u8], tail: &[u8]) -> bool {
    let Some(before) = path.strip_suffix(tail) else { return false };
    before.is_empty() || before.ends_with(b"/")
}

/// Joins a directory with a path as it is written, resolving `.` and `..`; `None` if that leaves
/// the root.
pub(super) fn join(directory: &[u8], written: &str) -> Option<Vec<u8>> {
    let mut joined = Vec::with_capacity(directory.len() + written.len() + 16);
    joined.extend_from_slice(directory);
    for part in written.as_bytes().split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." if joined.is_empty() => return None,
            b".." => joined.truncate(path::split(&joined).0.len()),
            part => {
                if !joined.is_empty() {
                    joined.push(b'/');
                }
                joined.extend_from_slice(part);
            }
        }
    }
    Some(joined)
}

/// Looks up paths that are composed of parts, without an allocation for each.
pub(super) struct Probe<'t> {
    tree: &'t Tree,
    buffer: Vec<u8>,
}

impl<'t> Probe<'t> {
    pub(super) fn new(tree: &'t Tree) -> Probe<'t> {
        Probe { tree, buffer: Vec::with_capacity(128) }
    }

    /// Returns the file in `directory` whose relative path is the concatenated parts.
    pub(super) fn file(&mut self, directory: &[u8], parts: &[&[u8]]) -> Option<FileId> {
        self.fill(directory, parts);
        self.tree.file(&self.buffer)
    }

    /// Returns the directory in `directory` whose relative path is the concatenated parts.
    pub(super) fn directory(&mut self, directory: &[u8], parts: &[&[u8]]) -> Option<DirectoryId> {
        self.fill(directory, parts);
        self.tree.find_directory(&self.buffer)
    }

    /// Returns the first existing file that is `path` with one of the extensions.
    pub(super) fn endings(&mut self, path: &[u8], endings: &[&str]) -> Option<FileId> {
        self.buffer.clear();
        self.buffer.extend_from_slice(path);
        for ending in endings {
            self.buffer.truncate(path.len());
            self.buffer.extend_from_slice(ending.as_bytes());
            let file = self.tree.file(&self.buffer);
            if file.is_some() {
                return file;
            }
        }
        None
    }

    fn fill(&mut self, directory: &[u8], parts: &[&[u8]]) {
        self.buffer.clear();
        self.buffer.extend_from_slice(directory);
        if !directory.is_empty() {
            self.buffer.push(b'/');
        }
        for part in parts {
            self.buffer.extend_from_slice(part);
        }
    }
}

/// Ids by the last component of their path, and by the last two.
#[derive(Default)]
struct Tails {
    /// Hash of the components and id, sorted.
    entries: Vec<(u64, u32)>,
    /// The first entry of each hash.
    table: HashTable<u32>,
}

impl Tails {
    fn new<'p>(ids: impl Iterator<Item = u32>, path_of: impl Fn(u32) -> &'p [u8]) -> Tails {
        let mut entries = Vec::new();
        for id in ids {
            let path = path_of(id);
            let (directory, name) = path::split(path);
            entries.push((xxh3_64(name), id));
            if !directory.is_empty() {
                entries.push((xxh3_64(last_two(path)), id));
            }
        }
        entries.sort_unstable();
        let mut table = HashTable::with_capacity(entries.len());
        let mut before = None;
        for (index, &(hash, _)) in entries.iter().enumerate() {
            if before != Some(hash) {
                table.insert_unique(hash, FileId::new(index).0, |&at| entries[at as usize].0);
            }
            before = Some(hash);
        }
        Tails { entries, table }
    }

    /// Returns the ids whose path may end with the components `tail`.
    fn find(&self, tail: &[u8]) -> impl Iterator<Item = u32> {
        let hash = xxh3_64(last_two(tail));
        let start = self.table.find(hash, |&at| self.entries[at as usize].0 == hash);
        let entries = start.map_or(&[][..], |&at| &self.entries[at as usize..]);
        let same = entries.iter().take_while(move |entry| entry.0 == hash);
        same.take(SAME_NAME_MAX).map(|entry| entry.1)
    }
}

/// Returns the last two components of a path, or the only one.
fn last_two(path: &[u8]) -> &[u8] {
    let directory = path::split(path).0;
    let above = path::split(directory).0;
    if above.is_empty() { path } else { &path[above.len() + 1..] }
}
