//! Manually written lists of definitions, for languages that ctags does not support well.
//!
//! A list contains only facts, no source text. Its lines are `# …`, `language NAME`, `file SHA256
//! PATH`, and for the file before them `LINE KIND NAME`; a `?` before the kind marks a definition
//! as optional, since it is debatable.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::definitions::{self, Definition, Sources};
use crate::options::Options;
use crate::table::{self, Row};

/// The contents of a list.
pub(crate) struct Key {
    pub(crate) row: &'static Row,
    /// Definitions by path.
    pub(crate) definitions: BTreeMap<String, Vec<Definition>>,
    /// The files' checksums by path.
    sums: BTreeMap<String, String>,
}

/// Reads a list.
pub(crate) fn read(path: &Path) -> Result<Key, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("`{}`: {error}", path.display()))?;
    let mut row = None;
    let mut key = (BTreeMap::new(), BTreeMap::<String, Vec<Definition>>::new());
    let mut file = String::new();
    for (at, line) in text.lines().enumerate() {
        let wrong =
            || format!("`{}`, line {}: `{line}` is not a valid entry", path.display(), at + 1);
        let mut words = line.splitn(3, ' ');
        let words = (words.next().unwrap_or_default(), words.next(), words.next());
        match words {
            ("" | "#", ..) => {}
            ("language", Some(name), None) => row = Some(table::row_named(name)?),
            ("file", Some(sum), Some(path)) => {
                path.clone_into(&mut file);
                key.0.insert(file.clone(), sum.to_owned());
                key.1.insert(file.clone(), Vec::new());
            }
            (line, Some(kind), Some(name)) => {
                let row = row.ok_or_else(wrong)?;
                let plain = kind.trim_start_matches('?');
                let (group, _) = row.theirs(plain).ok_or_else(wrong)?;
                let definition = Definition {
                    name: row.plain(name),
                    line: line.parse().map_err(|_| wrong())?,
                    group,
                    kind: plain.to_owned(),
                    within: String::new(),
                    is_optional: plain != kind,
                };
                key.1.get_mut(&file).ok_or_else(wrong)?.push(definition);
            }
            _ => return Err(wrong()),
        }
    }
    let row = row.ok_or_else(|| format!("`{}` names no language", path.display()))?;
    Ok(Key { row, definitions: key.1, sums: key.0 })
}

impl Key {
    /// Reads the list's files below the tree and verifies their checksums.
    pub(crate) fn sources(&self, options: &Options) -> Result<Sources, String> {
        let mut sources = Sources::new();
        for (path, sum) in &self.sums {
            let full = options.tree.join(path);
            let text = std::fs::read(&full).map_err(|error| format!("`{path}`: {error}"))?;
            let found = Command::new("sha256sum")
                .arg(&full)
                .output()
                .map_err(|error| format!("`sha256sum`: {error}"))?;
            if !String::from_utf8_lossy(&found.stdout).trim_start_matches('\\').starts_with(sum) {
                return Err(format!("`{path}` is not the file that the list was made of"));
            }
            if let Some(source) = definitions::source(self.row, path, text) {
                sources.insert(path.clone(), source);
            } else {
                return Err(format!("`{path}` is not in {}", self.row.name));
            }
        }
        Ok(sources)
    }
}
