//! The files of a tree, as specifiers of imports find them.

use crate::ir::{File, Name};
use rustc_hash::FxHashMap;

/// The files of a tree by path and folder, and the manifests that name its modules.
pub struct Tree {
    /// All paths.
    pub paths: Vec<Name>,
    /// The module that each file states.
    pub modules: Vec<Option<Name>>,
    folders: FxHashMap<Name, Vec<usize>>,
    /// Folders with the name that their manifest states, the longest name first.
    pub manifests: Vec<(Name, Name)>,
}

impl Tree {
    /// Lists `files`. A manifest is a file that states a module and has no scope.
    pub fn new<'f>(files: impl Iterator<Item = &'f File>) -> Self {
        let mut tree = Self {
            paths: Vec::new(),
            modules: Vec::new(),
            folders: FxHashMap::default(),
            manifests: Vec::new(),
        };
        for (at, file) in files.enumerate() {
            let folder: Name = folder(&file.path).into();
            if let (true, Some(module)) = (file.scopes.is_empty(), &file.module) {
                tree.manifests.push((folder.clone(), module.clone()));
            }
            tree.folders.entry(folder).or_default().push(at);
            tree.paths.push(file.path.clone());
            tree.modules.push(file.module.clone());
        }
        tree.manifests.sort_by_key(|(_, module)| std::cmp::Reverse(module.len()));
        tree
    }

    /// Returns the files directly in a folder, by position.
    pub fn files_in(&self, folder: &str) -> &[usize] {
        self.folders.get(folder).map_or(&[], Vec::as_slice)
    }

    /// Returns the folders with their files.
    pub fn folders(&self) -> impl Iterator<Item = (&Name, &Vec<usize>)> {
        self.folders.iter()
    }
}

/// Returns the path that `specifier` is from the folder of the file `from`: `.` and `..` are resolved.
pub fn relative(from: &str, specifier: &str) -> String {
    let mut parts: Vec<&str> = folder(from).split('/').filter(|part| !part.is_empty()).collect();
    for part in specifier.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns the folder of a path.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
