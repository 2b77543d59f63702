//! Indexes the names of files, for look-ups by whole name, by stem (the part before the first dot),
//! and by the words of the stem; and the names of directories.

use rustc_hash::FxHashMap;

use super::Catalog;
use super::file_list::FileList;
use crate::base::ids::FileId;
use crate::base::path::{is_within, split};
use crate::index::code::reader::path_hash;
use crate::lang::prose::Stems;
use crate::lang::words::{parts, push_folded};

/// The files of a tree, indexed by name. Immutable.
#[derive(Debug, Default)]
pub struct FileNames {
    by_name: FxHashMap<Box<[u8]>, Vec<FileId>>,
    stems: Vec<FileStem>,
    by_stem: FxHashMap<Box<[u8]>, u32>,
    /// Indices into `stems`, ascending.
    by_word: FxHashMap<Box<str>, Vec<u32>>,
    /// Number of files below directories of a name.
    below: FxHashMap<Box<[u8]>, u32>,
    /// Paths of directories by name, in path order.
    folders: FxHashMap<Box<[u8]>, Vec<Box<[u8]>>>,
    /// Files by path hash; the first one of each hash.
    by_path: FxHashMap<u64, FileId>,
}

/// The part of file names before their first dot.
#[derive(Debug)]
pub struct FileStem {
    /// Number of words in it.
    pub words: usize,
    /// The files, in path order.
    pub files: Vec<FileId>,
}

impl FileNames {
    /// Indexes the names of `files`. O(files).
    pub(super) fn new(files: &FileList) -> FileNames {
        let mut names = FileNames::default();
        let mut stems = Stems::default();
        let mut folded = String::new();
        let mut before: &[u8] = b"";
        for file in 0..files.len() {
            let path = files.path(file);
            let (folder, name) = split(path);
            let file = FileId::new(file);
            names.by_path.entry(path_hash(path)).or_insert(file);
            if folder != before {
                names.add_folders(folder, before);
                before = folder;
            }
            for folder in folder.split(|&byte| byte == b'/').filter(|folder| !folder.is_empty()) {
                match names.below.get_mut(folder) {
                    Some(count) => *count += 1,
                    None => _ = names.below.insert(folder.into(), 1),
                }
            }
            names.by_name.entry(name.into()).or_default().push(file);
            let stem = name.split(|&byte| byte == b'.').next().unwrap_or_default();
            if let Some(&at) = names.by_stem.get(stem) {
                names.stems[at as usize].files.push(file);
                continue;
            }
            let at = names.stems.len() as u32;
            names.by_stem.insert(stem.into(), at);
            let mut words = 0;
            for part in parts(std::str::from_utf8(stem).unwrap_or_default()) {
                folded.clear();
                push_folded(&mut folded, part);
                words += 1;
                let of_word = names.by_word.entry(stems.stem(&folded).into()).or_default();
                if of_word.last() != Some(&at) {
                    of_word.push(at);
                }
            }
            names.stems.push(FileStem { words, files: vec![file] });
        }
        names
    }

    /// Adds `folder` and its ancestors, except those that are equal to `before` or contain it.
    /// Called in path order.
    fn add_folders(&mut self, folder: &[u8], before: &[u8]) {
        let ends = folder.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for end in ends.map(|(at, _)| at).chain([folder.len()]) {
            let path = &folder[..end];
            if !is_within(before, path) {
                let (_, name) = split(path);
                self.folders.entry(name.into()).or_default().push(path.into());
            }
        }
    }

    /// Returns the paths of the directories whose path ends with `folder`, in path order.
    /// O(directories of its name).
    pub fn folders<'a>(&'a self, folder: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let named = self.folders.get(split(folder).1).map_or(&[][..], Vec::as_slice);
        let fits = move |path: &&[u8]| {
            path.strip_suffix(folder).is_some_and(|rest| rest.is_empty() || rest.ends_with(b"/"))
        };
        named.iter().map(|path| &**path).filter(fits)
    }

    /// Returns the files with a name, in path order. O(1).
    pub fn named(&self, name: &[u8]) -> &[FileId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the files whose name up to the first dot is `stem`, in path order. O(1).
    pub fn with_stem(&self, stem: &[u8]) -> &[FileId] {
        self.by_stem.get(stem).map_or(&[], |&at| &self.stems[at as usize].files)
    }

    /// Returns the indices of the stems that contain a word, given as its lowercase stem. O(1).
    pub fn with_word(&self, word: &str) -> &[u32] {
        self.by_word.get(word).map_or(&[], Vec::as_slice)
    }

    /// Returns the number of files below directories of a name. O(1).
    pub fn below(&self, folder: &[u8]) -> u32 {
        self.below.get(folder).copied().unwrap_or_default()
    }

    /// Returns the stem at an index.
    pub fn stem(&self, place: u32) -> &FileStem {
        &self.stems[place as usize]
    }
}

impl Catalog {
    /// Returns the file at a repository path. O(1), and O(files) the first time.
    pub fn find(&self, path: &[u8]) -> Option<FileId> {
        let first = *self.file_names().by_path.get(&path_hash(path))?;
        if self.path(first) == path { Some(first) } else { self.files.find(path).map(FileId::new) }
    }

    /// Returns the index of the file names. O(files), the first time.
    pub fn file_names(&self) -> &FileNames {
        self.cache.file_names.get_or_init(|| FileNames::new(&self.files))
    }
}
