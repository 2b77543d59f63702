//! Coverage reports that list the tests of each line: coverage.py's data file with dynamic contexts,
//! and lcov with one record per test (`TN:`).

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, Kind, Result};

/// The lines that tests execute.
#[derive(Clone, Debug, Default)]
pub struct Covered {
    /// The ids of the tests, without phases such as `|setup`.
    pub tests: Vec<String>,
    /// By repository path and line (from 1): the tests that execute the line, by their positions in
    /// `tests`.
    pub lines: BTreeMap<String, BTreeMap<usize, Vec<usize>>>,
}

impl Covered {
    fn number(&mut self, ids: &mut HashMap<String, usize>, id: &str) -> usize {
        *ids.entry(id.to_owned()).or_insert_with(|| {
            self.tests.push(id.to_owned());
            self.tests.len() - 1
        })
    }

    fn add(&mut self, path: &str, line: usize, test: usize) {
        let tests = self.lines.entry(path.to_owned()).or_default().entry(line).or_default();
        if !tests.contains(&test) {
            tests.push(test);
        }
    }
}

/// Returns the id of a test without its parameters: `a.py::test_b` for `a.py::test_b[1-2]`.
pub fn base_id(id: &str) -> &str {
    let end = id.find("::").and_then(|at| id[at..].find('[').map(|len| at + len));
    &id[..end.unwrap_or(id.len())]
}

/// Reads a report; paths become relative to `root`.
///
/// # Errors
///
/// If the file cannot be read, or is in neither format.
pub fn read(path: &Path, root: &Path) -> Result<Covered> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
    if bytes.starts_with(b"SQLite format 3\0") {
        return coverage_py(path, root).map_err(|error| {
            let message = format!("not a data file of coverage.py: {error}");
            Error::new(Kind::Usage, message).with_path(path)
        });
    }
    let text = String::from_utf8_lossy(&bytes);
    if !text.contains("SF:") {
        return Err(Error::usage("unknown format of a coverage report")
            .with_path(path)
            .with_hint("a `.coverage` file of coverage.py with contexts, or lcov with `TN:`"));
    }
    Ok(lcov(&text, root))
}

fn relative<'p>(path: &'p str, root: &Path) -> &'p str {
    let below = root.to_str().and_then(|root| path.strip_prefix(root));
    below.map_or(path, |below| below.trim_start_matches('/')).trim_start_matches("./")
}

fn coverage_py(path: &Path, root: &Path) -> rusqlite::Result<Covered> {
    let database = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut covered = Covered::default();
    let mut ids = HashMap::new();
    let mut statement = database.prepare(
        "SELECT file.path, context.context, line_bits.numbits FROM line_bits \
         JOIN file ON file.id = line_bits.file_id JOIN context ON context.id = line_bits.context_id \
         ORDER BY file.path, context.context",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (path, context): (String, String) = (row.get(0)?, row.get(1)?);
        let bits: Vec<u8> = row.get(2)?;
        // Without a context: executed while modules were imported.
        let id = context.rsplit_once('|').map_or(context.as_str(), |(id, _)| id);
        if id.is_empty() {
            continue;
        }
        let test = covered.number(&mut ids, id);
        let path = relative(&path, root);
        for (at, byte) in bits.iter().enumerate() {
            for bit in (0..8).filter(|bit| byte >> bit & 1 == 1) {
                covered.add(path, at * 8 + bit, test);
            }
        }
    }
    Ok(covered)
}

fn lcov(text: &str, root: &Path) -> Covered {
    let mut covered = Covered::default();
    let mut ids = HashMap::new();
    let (mut test, mut path) = (None, "");
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("TN:") {
            test = (!name.is_empty()).then(|| covered.number(&mut ids, name));
        } else if let Some(of) = line.strip_prefix("SF:") {
            path = relative(of, root);
        } else if let (Some(data), Some(test)) = (line.strip_prefix("DA:"), test) {
            let mut parts = data.split(',');
            let number = parts.next().and_then(|line| line.parse().ok());
            let count = parts.next().and_then(|count| count.parse::<u64>().ok());
            if let (Some(line), Some(1..)) = (number, count) {
                covered.add(path, line, test);
            }
        }
    }
    covered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_lcov_belong_to_tests() {
        let text = "TN:a::b\nSF:/r/src/x.rs\nDA:3,1\nDA:4,0\nend_of_record\nTN:\nSF:y\nDA:1,1\n";
        let covered = lcov(text, Path::new("/r"));
        assert_eq!(covered.tests, ["a::b"]);
        assert_eq!(covered.lines["src/x.rs"], BTreeMap::from([(3, vec![0])]));
        assert!(!covered.lines.contains_key("y"));
    }

    #[test]
    fn parameters_are_no_part_of_an_id() {
        assert_eq!(base_id("t/a.py::A::b[x::y[1]]"), "t/a.py::A::b");
        assert_eq!(base_id("a[1]/b.py::c"), "a[1]/b.py::c");
    }
}
