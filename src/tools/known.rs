//! How much of the tree an answer from the catalog knows of.

use serde::Serialize;

use super::counted;
use crate::catalog::Catalog;

/// Whether an answer is whole.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Every file was asked.
    Ok,
    /// Of some files nothing is known yet.
    Partial,
    /// There are several of that name; one is to be chosen.
    Ambiguous,
}

/// The first fields of a reply: whether it is whole.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct Known {
    /// Whether the answer is whole.
    pub status: Status,
    /// How many files nothing is known of yet.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_unknown: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Known {
    /// Returns how much `catalog` knows. O(1).
    pub fn of(catalog: &Catalog) -> Known {
        let files_unknown = catalog.missing().len();
        let status = if files_unknown == 0 { Status::Ok } else { Status::Partial };
        Known { status, files_unknown }
    }

    /// Returns the notice that something may be missing, if so.
    pub fn notice(self) -> Option<String> {
        (self.files_unknown > 0).then(|| {
            let files = counted(self.files_unknown, "file");
            format!("{files} not known yet, so this may be a part; `codedb index` completes it")
        })
    }
}
