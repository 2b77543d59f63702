//! The order of files and of functions for a task: what speaks for each, weighed.

use crate::base::ids::FileId;
use crate::base::path::is_within;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::rank::{Evidence, Weights};

use super::evidence::Found;
use super::task::Task;

/// Where files may come from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope<'a> {
    /// Repository paths of files or folders that all lie in; all files do if it is empty.
    pub within: &'a [Vec<u8>],
    /// Repository paths of files or folders that none lies in.
    pub exclude: &'a [Vec<u8>],
}

impl Scope<'_> {
    /// Returns true if the file at `path` may be answered.
    pub fn holds(&self, path: &[u8]) -> bool {
        let lies_in = |folders: &[Vec<u8>]| folders.iter().any(|folder| is_within(path, folder));
        (self.within.is_empty() || lies_in(self.within)) && !lies_in(self.exclude)
    }
}

/// A file and how well it fits.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedFile {
    /// The file.
    pub file: FileId,
    /// How well it fits; comparable within one ranking only.
    pub score: f32,
    /// What speaks for it.
    pub evidence: Evidence,
}

/// Returns the files for which something speaks, best first; ties fall to the path.
/// O(files found × log of them).
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] where an index is damaged.
pub fn rank_files(
    catalog: &Catalog,
    found: &Found,
    task: &Task,
    weights: &Weights,
    scope: Scope<'_>,
) -> Result<Vec<RankedFile>> {
    let wants_tests = {
        let title = task.title.to_lowercase();
        title.contains("test") || title.contains("spec")
    };
    let mut ranked = Vec::new();
    for (&file, evidence) in &found.files {
        if !scope.holds(catalog.path(file)) {
            continue;
        }
        let summary = catalog.summary(file)?.unwrap_or_default();
        let is_code = summary.language.is_some_and(|language| language.is_code());
        let score = weights.score(evidence, summary.marks, is_code, wants_tests);
        if score > 0.0 {
            ranked.push(RankedFile { file, score, evidence: evidence.clone() });
        }
    }
    // Files are in path order, to which ties fall.
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.file.cmp(&b.file)));
    Ok(ranked)
}
