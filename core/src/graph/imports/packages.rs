//! The packages and namespaces that files declare.

use std::collections::HashMap;

use crate::base::ids::FileId;

/// Files by the package that they declare.
#[derive(Default)]
pub(super) struct Packages {
    /// The position of each package in `ends`, by its name.
    by_name: HashMap<String, usize>,
    names: Vec<String>,
    /// The end of each package's files in `members`.
    ends: Vec<usize>,
    members: Vec<FileId>,
    /// The package of each file, `u32::MAX` for none.
    of_file: Vec<u32>,
}

impl Packages {
    /// Returns the packages of a tree of `files` files. The last declaration of a file counts.
    pub(super) fn new(files: usize, declared: &[(FileId, &str)]) -> Packages {
        let mut packages = Packages { of_file: vec![u32::MAX; files], ..Packages::default() };
        for &(file, name) in declared {
            let Some(slot) = packages.of_file.get_mut(file.index()) else { continue };
            let id = match packages.by_name.get(name) {
                Some(&id) => id,
                None => {
                    packages.by_name.insert(name.to_owned(), packages.names.len());
                    packages.names.push(name.to_owned());
                    packages.names.len() - 1
                }
            };
            *slot = FileId::new(id).0;
        }
        let mut members: Vec<(u32, FileId)> = packages
            .of_file
            .iter()
            .enumerate()
            .filter(|entry| *entry.1 != u32::MAX)
            .map(|(file, &id)| (id, FileId::new(file)))
            .collect();
        members.sort_unstable();
        packages.ends = (0..packages.names.len())
            .map(|id| members.partition_point(|member| member.0 as usize <= id))
            .collect();
        packages.members = members.into_iter().map(|member| member.1).collect();
        packages
    }

    /// Returns true if no file declares a package.
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the package that a file declares.
    pub(super) fn of(&self, file: FileId) -> Option<&str> {
        let &id = self.of_file.get(file.index())?;
        self.names.get(id as usize).map(String::as_str)
    }

    /// Returns the files that declare a package, in path order.
    pub(super) fn files(&self, name: &str) -> &[FileId] {
        let Some(&id) = self.by_name.get(name) else { return &[] };
        let start = id.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.members[start..self.ends[id]]
    }
}
