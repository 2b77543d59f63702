//! Reads `.coverage`, the database of coverage.py: the lines that each context executed.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, Kind, Result};

/// The start of every SQLite database.
pub const MAGIC: &[u8] = b"SQLite format 3\0";

/// The maximum number of rows that are read.
const ROWS_MAX: usize = 20_000_000;

/// The maximum length of a set of lines in bytes.
const LINES_BYTES_MAX: usize = 1 << 20;

/// The lines of a file that a context executed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Executed {
    /// The path of the file.
    pub path: String,
    /// The context: with pytest-cov, `path::test|phase`. Empty for code outside of tests.
    pub context: String,
    /// The lines, from 1, ascending; with branches, those at the ends of a branch.
    pub lines: Vec<u32>,
}

/// Passes what the database at `path` recorded to `each`. O(rows).
///
/// # Errors
///
/// [`Kind::Corrupt`] if it is no such database; [`Kind::Limit`] if it is too large.
pub fn read(path: &Path, each: &mut dyn FnMut(Executed)) -> Result<()> {
    let failed = |error: rusqlite::Error| {
        Error::new(Kind::Corrupt, format!("not a database of coverage.py: {error}"))
            .with_path(path)
            .with_hint("`coverage combine` and `coverage json --show-contexts` make reports of it")
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(failed)?;
    connection.pragma_update(None, "trusted_schema", false).map_err(failed)?;
    // A view could compute without end.
    let tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table'
        AND name IN ('file', 'context', 'line_bits', 'arc')";
    let count: i64 = connection.query_row(tables, [], |row| row.get(0)).map_err(failed)?;
    if count != 4 {
        return Err(failed(rusqlite::Error::InvalidQuery));
    }
    let mut rows_left = ROWS_MAX;
    let mut take = |executed: Executed| {
        rows_left = rows_left.checked_sub(1).ok_or_else(|| {
            Error::new(Kind::Limit, format!("more than {ROWS_MAX} rows")).with_path(path)
        })?;
        each(executed);
        Ok(())
    };
    let sets = "SELECT file.path, context.context, line_bits.numbits FROM line_bits
        JOIN file ON file.id = line_bits.file_id JOIN context ON context.id = line_bits.context_id";
    let mut statement = connection.prepare(sets).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let bits = row.get_ref(2).map_err(failed)?;
        let bits = bits.as_blob().map_err(|error| failed(error.into()))?;
        let (path, context) = (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
        take(Executed { path, context, lines: lines(bits) })?;
    }
    let arcs = "SELECT file.path, context.context, arc.fromno, arc.tono FROM arc
        JOIN file ON file.id = arc.file_id JOIN context ON context.id = arc.context_id";
    let mut statement = connection.prepare(arcs).map_err(failed)?;
    let mut rows = statement.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        // The start and the end of a scope are negative.
        let ends: [i64; 2] = [row.get(2).map_err(failed)?, row.get(3).map_err(failed)?];
        let mut lines: Vec<u32> = ends.iter().filter_map(|&end| u32::try_from(end).ok()).collect();
        lines.sort_unstable();
        lines.dedup();
        let (path, context) = (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
        take(Executed { path, context, lines })?;
    }
    Ok(())
}

/// Returns the numbers of a set: bit b of byte a stands for 8a + b.
fn lines(bits: &[u8]) -> Vec<u32> {
    let bits = &bits[..bits.len().min(LINES_BYTES_MAX)];
    let is_set = |at: &u32| bits[(at / 8) as usize] >> (at % 8) & 1 == 1;
    (0..bits.len() as u32 * 8).filter(is_set).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_sets_and_branches_are_read_and_other_databases_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".coverage");
        let connection = Connection::open(&path).unwrap();
        let schema = "CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT);
            CREATE TABLE context (id INTEGER PRIMARY KEY, context TEXT);
            CREATE TABLE line_bits (file_id INTEGER, context_id INTEGER, numbits BLOB);
            CREATE TABLE arc (file_id INTEGER, context_id INTEGER, fromno INTEGER, tono INTEGER);
            INSERT INTO file VALUES (1, '/t/m.py');
            INSERT INTO context VALUES (1, ''), (2, 't.py::a|run');
            INSERT INTO line_bits VALUES (1, 1, x'62'), (1, 2, x'0C01');
            INSERT INTO arc VALUES (1, 2, -1, 4), (1, 2, 4, 5);";
        connection.execute_batch(schema).unwrap();
        let mut found = Vec::new();
        read(&path, &mut |executed| found.push((executed.context, executed.lines))).unwrap();
        let test = || "t.py::a|run".to_owned();
        let expected = [
            (String::new(), vec![1, 5, 6]),
            (test(), vec![2, 3, 8]),
            (test(), vec![4]),
            (test(), vec![4, 5]),
        ];
        assert_eq!(found, expected);
        connection
            .execute_batch("DROP TABLE arc; CREATE VIEW arc AS SELECT 1 AS file_id;")
            .unwrap();
        assert_eq!(read(&path, &mut |_| {}).unwrap_err().kind(), Kind::Corrupt);
    }
}
