//! Swift: the files below a module's directory see each other's names without importing them.
//!
//! A package has the files of the module `X` below `Sources/X` or `Tests/X`. All other files (an
//! application's project) count as one module.

use std::collections::BTreeMap;

use super::tree::Tree;
use crate::base::ids::FileId;

/// Directories whose subdirectories are modules.
const ROOTS: &[&[u8]] = &[b"Sources", b"Tests"];

/// The modules of a tree.
pub(super) struct Modules {
    /// The files of each module by its directory, in path order; the empty path has those without a
    /// module.
    files: BTreeMap<Vec<u8>, Vec<FileId>>,
}

impl Modules {
    pub(super) fn new(tree: &Tree) -> Modules {
        let mut files: BTreeMap<Vec<u8>, Vec<FileId>> = BTreeMap::new();
        for file in (0..tree.len()).map(FileId::new) {
            let path = tree.path(file);
            if path.ends_with(b".swift") {
                match files.get_mut(directory(path)) {
                    Some(files) => files.push(file),
                    None => _ = files.insert(directory(path).to_vec(), vec![file]),
                }
            }
        }
        Modules { files }
    }

    /// Returns the other files of a file's module, in path order.
    pub(super) fn same_module(&self, tree: &Tree, file: FileId) -> Vec<FileId> {
        let files = self.files.get(directory(tree.path(file)));
        let files = files.map(Vec::as_slice).unwrap_or_default().iter().copied();
        files.filter(|&other| other != file).collect()
    }
}

/// Returns the path of the module directory that contains a file; empty if there is none.
fn directory(path: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut is_module = false;
    for part in path.split(|&byte| byte == b'/') {
        end += part.len();
        // A file directly below `Sources` belongs to no module.
        if is_module && end < path.len() {
            return &path[..end];
        }
        is_module = ROOTS.contains(&part);
        end += 1;
    }
    b""
}
