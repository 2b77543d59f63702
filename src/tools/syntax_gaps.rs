//! The files that may hold more about a name, because it occurs in a part that their parser does not
//! understand. Their index is complete nevertheless, so such a reply is not `partial`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::coverage::NAMED_MAX;
use super::{counted, paths};
use crate::base::ids::FileId;
use crate::base::text;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::SymbolAt;

/// The files in which a name occurs in a part that their parser does not understand.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct SyntaxGaps {
    /// How many there are.
    #[serde(rename = "files_with_errors", skip_serializing_if = "is_zero")]
    pub files: usize,
    /// The first syntax error of the first of them, in path order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_error: Option<ErrorAt>,
}

/// The place of a syntax error.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct ErrorAt {
    /// The file's repository path.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl SyntaxGaps {
    /// Returns those of a name, in the files whose paths `is_inside` accepts. O(files with the name).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if an index is damaged.
    pub fn of_name(
        catalog: &Catalog,
        name: &str,
        is_inside: impl Fn(&[u8]) -> bool,
    ) -> Result<SyntaxGaps> {
        SyntaxGaps::of_names(catalog, &BTreeSet::from([name.to_owned()]), is_inside)
    }

    /// Returns those of the names of `definitions`, of which the first 64 count.
    ///
    /// # Errors
    ///
    /// As [`SyntaxGaps::of_name`].
    pub fn of(catalog: &Catalog, definitions: &[SymbolAt]) -> Result<SyntaxGaps> {
        let mut names = BTreeSet::new();
        for &at in definitions.iter().take(NAMED_MAX) {
            names.extend(catalog.symbol(at)?.map(|symbol| symbol.name.clone()));
        }
        SyntaxGaps::of_names(catalog, &names, |_| true)
    }

    fn of_names(
        catalog: &Catalog,
        names: &BTreeSet<String>,
        is_inside: impl Fn(&[u8]) -> bool,
    ) -> Result<SyntaxGaps> {
        let mut lines: BTreeMap<FileId, u32> = BTreeMap::new();
        for name in names {
            for found in catalog.word(name)?.iter().filter(|found| found.is_in_error) {
                if is_inside(catalog.path(found.file)) {
                    let summary = catalog.summary(found.file)?.unwrap_or_default();
                    lines.insert(found.file, summary.first_error_line);
                }
            }
        }
        let first_error = lines
            .first_key_value()
            .map(|(&file, &line)| ErrorAt { path: paths::shown(catalog.path(file)), line });
        Ok(SyntaxGaps { files: lines.len(), first_error })
    }

    /// Returns the notice that these files may hold more, if there are some.
    pub fn notice(&self) -> Option<String> {
        let first = self.first_error.as_ref()?;
        Some(format!(
            "in {}, the name is in syntax that the parser does not understand (first error: {}:{}); \
             more may be there",
            counted(self.files, "file"),
            text::plain(&first.path),
            first.line
        ))
    }
}
