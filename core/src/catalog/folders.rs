//! The directories of a tree, with the number of files and the languages below each. Plain data,
//! derived from paths alone: it stays valid while no file is added, removed or renamed.

use std::cmp::Reverse;

use crate::base::path;
use crate::catalog::file_list::FileList;
use crate::lang::language::{self, LANGUAGES, Language};
use crate::lang::marks::{self, Marks};

/// The maximum number of languages that are kept for a directory.
const LANGUAGES_MAX: usize = 3;

/// The place of a file without a known language.
const UNKNOWN: u16 = u16::MAX;

/// The directories that contain files, in path order; the first one is the root. About 150 bytes for
/// each directory and 7 for each file.
#[derive(Debug, Default)]
pub struct Folders {
    all: Vec<Folder>,
    /// The subdirectories of each directory, as ranges of [`Folder::inner`].
    inner: Vec<u32>,
    /// The own files of each directory, as ranges of [`Folder::own`].
    own: Vec<u32>,
    /// The index of each file's language, or [`UNKNOWN`].
    languages: Vec<u16>,
    /// The marks of each file, as far as they follow from its path.
    marks: Vec<u8>,
}

/// A directory.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// The first file below it, whose path begins with that of the directory.
    first: u32,
    path_bytes: u32,
    inner: (u32, u32),
    own: (u32, u32),
    /// The number of files below it.
    pub files: usize,
    /// The most frequent languages below it with their numbers of files, the most frequent first,
    /// then by name.
    pub languages: Vec<(&'static str, usize)>,
    /// The marks of its own name.
    pub marks: Marks,
}

/// A directory that is still being read.
struct Open {
    id: usize,
    inner: Vec<u32>,
    own: Vec<u32>,
    /// The index and the number of files of each language.
    languages: Vec<(u16, usize)>,
}

impl Folders {
    /// Returns the directories of `list`. O(files + directories × languages).
    pub fn new(list: &FileList) -> Folders {
        let mut folders = Folders::default();
        let mut open = vec![folders.opened(0, b"", 0)];
        let mut last: Option<(&'static Language, u16)> = None;
        for at in 0..list.len() {
            let file = list.path(at);
            let (dir, name) = path::split(file);
            while let Some(innermost) = open.last()
                && open.len() > 1
                && !path::is_within(dir, folders.path(list, innermost.id))
            {
                folders.close(&mut open);
            }
            while (folders.all[open[open.len() - 1].id].path_bytes as usize) < dir.len() {
                let from = folders.all[open[open.len() - 1].id].path_bytes as usize;
                let from = from + usize::from(from > 0);
                let len = dir[from..].iter().position(|&byte| byte == b'/');
                let end = len.map_or(dir.len(), |len| from + len);
                open.push(folders.opened(at, &dir[from..end], end));
            }
            let language = match (language::of_name(name), last) {
                (Some(found), Some((before, place))) if found == before => place,
                (Some(found), _) => {
                    let place = LANGUAGES.iter().position(|one| one.name == found.name);
                    let place = place.map_or(UNKNOWN, |place| place as u16);
                    last = Some((found, place));
                    place
                }
                (None, _) => UNKNOWN,
            };
            folders.languages.push(language);
            folders.marks.push(marks::of_path(file).to_bits());
            if let Some(innermost) = open.last_mut() {
                innermost.own.push(at as u32);
                if language != UNKNOWN {
                    add(&mut innermost.languages, language, 1);
                }
                folders.all[innermost.id].files += 1;
            }
        }
        while !open.is_empty() {
            folders.close(&mut open);
        }
        folders
    }

    fn opened(&mut self, first: usize, name: &[u8], path_bytes: usize) -> Open {
        let marks = if name.is_empty() { Marks::default() } else { marks::of_directory(name) };
        let (first, path_bytes) = (first as u32, path_bytes as u32);
        self.all.push(Folder { first, path_bytes, marks, ..Folder::default() });
        let (inner, own, languages) = (Vec::new(), Vec::new(), Vec::new());
        Open { id: self.all.len() - 1, inner, own, languages }
    }

    /// Completes the innermost open directory and adds its files to the enclosing one.
    fn close(&mut self, open: &mut Vec<Open>) {
        let Some(closed) = open.pop() else { return };
        let range = |all: &mut Vec<u32>, more: &[u32]| {
            let start = all.len() as u32;
            all.extend_from_slice(more);
            (start, all.len() as u32)
        };
        let folder = &mut self.all[closed.id];
        folder.inner = range(&mut self.inner, &closed.inner);
        folder.own = range(&mut self.own, &closed.own);
        let named =
            closed.languages.iter().map(|&(at, files)| (LANGUAGES[at as usize].name, files));
        folder.languages = named.collect();
        folder.languages.sort_by_key(|&(name, files)| (Reverse(files), name));
        folder.languages.truncate(LANGUAGES_MAX);
        folder.languages.shrink_to_fit();
        let files = folder.files;
        if let Some(outer) = open.last_mut() {
            outer.inner.push(closed.id as u32);
            self.all[outer.id].files += files;
            closed.languages.iter().for_each(|&(at, files)| add(&mut outer.languages, at, files));
        }
    }

    /// Returns the directory with an id.
    pub fn get(&self, id: usize) -> &Folder {
        &self.all[id]
    }

    /// Returns the repository path of a directory.
    pub fn path<'l>(&self, list: &'l FileList, id: usize) -> &'l [u8] {
        match &self.all[id] {
            Folder { path_bytes: 0, .. } => b"",
            folder => &list.path(folder.first as usize)[..folder.path_bytes as usize],
        }
    }

    /// Returns the ids of the subdirectories of a directory, in path order.
    pub fn inner(&self, id: usize) -> &[u32] {
        let (start, end) = self.all[id].inner;
        &self.inner[start as usize..end as usize]
    }

    /// Returns the indices of the own files of a directory, in path order.
    pub fn own(&self, id: usize) -> &[u32] {
        let (start, end) = self.all[id].own;
        &self.own[start as usize..end as usize]
    }

    /// Returns the language of a file, as its name determines it.
    pub fn language(&self, at: usize) -> Option<&'static str> {
        LANGUAGES.get(usize::from(self.languages[at])).map(|language| language.name)
    }

    /// Returns the marks of a file, as far as they follow from its path.
    pub fn marks(&self, at: usize) -> Marks {
        Marks::from_bits(self.marks[at])
    }

    /// Returns the directory at a repository path; `None` if it contains no files. O(depth ×
    /// log subdirectories).
    pub fn find(&self, list: &FileList, dir: &[u8]) -> Option<usize> {
        let mut id = 0;
        while (self.all[id].path_bytes as usize) < dir.len() {
            // Subdirectories are in path order, so at most one of them contains `dir`.
            let inner = self.inner(id);
            let place = inner.partition_point(|&inner| {
                let other = self.path(list, inner as usize);
                path::compare(other, dir).is_lt() && !path::is_within(dir, other)
            });
            id = *inner.get(place)? as usize;
            if !path::is_within(dir, self.path(list, id)) {
                return None;
            }
        }
        Some(id)
    }
}

fn add(languages: &mut Vec<(u16, usize)>, language: u16, files: usize) {
    match languages.iter_mut().find(|(other, _)| *other == language) {
        Some((_, count)) => *count += files,
        None => languages.push((language, files)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::file_list::{FileInfo, FileState};
    use crate::index::table::Flags;
    use crate::source::stamp::Stamp;

    fn list(paths: &[&str]) -> FileList {
        let (mut list, never) = (FileList::default(), Stamp::NEVER);
        for path in paths {
            let info = FileInfo::new(never, never, Flags::default(), FileState::Same, 0);
            list.push(path.as_bytes(), info);
        }
        list
    }

    #[test]
    fn directories_count_what_is_below_them() {
        let list = list(&["a/b/c.rs", "a/b/d.py", "a/e.rs", "a-b/f", "tests/g/h/i.rs", "z.rs"]);
        let folders = Folders::new(&list);
        let paths: Vec<&[u8]> = (0..folders.all.len()).map(|id| folders.path(&list, id)).collect();
        let expected: [&[u8]; 7] = [b"", b"a", b"a/b", b"a-b", b"tests", b"tests/g", b"tests/g/h"];
        assert_eq!(paths, expected);
        let a = folders.find(&list, b"a").expect("listed");
        assert_eq!(folders.get(a).languages, [("rust", 2), ("python", 1)]);
        assert_eq!((folders.get(a).files, folders.own(a)), (3, &[2][..]));
        assert_eq!(folders.inner(0), [1, 3, 4]);
        assert_eq!((folders.get(0).files, folders.own(0)), (6, &[5][..]));
        assert_eq!(folders.find(&list, b"tests/g/h"), Some(6));
        assert_eq!(folders.find(&list, b""), Some(0));
        for other in ["a/b/c.rs", "a/c", "b", "tests/g/hh", "zz"] {
            assert_eq!(folders.find(&list, other.as_bytes()), None, "{other}");
        }
        assert!(folders.get(4).marks.test && !folders.get(5).marks.test);
        assert!(folders.marks(4).test && folders.language(3).is_none());
        assert_eq!(Folders::new(&FileList::default()).get(0).files, 0);
    }
}
