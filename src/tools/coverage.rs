//! Whether an answer rests on all files of the tree or only on those whose code is known so far.

use serde::Serialize;

use super::counted;
use crate::catalog::Catalog;

/// Whether an answer is whole.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The code of all files is known.
    Ok,
    /// Of some files it is not, so something may be missing.
    Partial,
}

/// How much of the tree an answer rests on.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Coverage {
    /// Whether the answer is whole.
    pub status: Status,
    /// Files whose code is not known.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_unknown: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Coverage {
    /// Returns the coverage of a catalog.
    pub fn of(catalog: &Catalog) -> Coverage {
        let files_unknown = catalog.missing().len();
        let status = if files_unknown == 0 { Status::Ok } else { Status::Partial };
        Coverage { status, files_unknown }
    }

    /// Returns the notice that something may be missing, if it may.
    pub fn notice(&self) -> Option<String> {
        let files = counted(self.files_unknown, "file");
        (self.status == Status::Partial).then(|| {
            format!("the code of {files} is not known yet; `codedb index` makes the answer whole")
        })
    }
}
