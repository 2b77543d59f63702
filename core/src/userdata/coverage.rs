//! Coverage by function: which lines of a function were executed, and by which tests.
//!
//! A function is identified by its path, its qualified name and a hash of its text. Coverage is
//! valid exactly as long as the text is the same, wherever it moves within its file; another text
//! has coverage of its own. Lines are offsets from the first line of the function.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension as _, Row};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::database::Database;
use super::runs::test_id;
use crate::error::Result;

/// The highest offset that is stored.
const OFFSET_MAX: u32 = 1_000_000;

/// Returns the hash that identifies the text of a function: the bytes of its
/// [span](crate::lang::Symbol::span).
pub fn body_hash(text: &[u8]) -> u64 {
    xxh3_64(text)
}

/// The coverage of a function.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct CoveredSymbol {
    /// The repository path of its file.
    pub path: String,
    /// Its qualified name.
    pub name: String,
    /// The hash of its text, see [`body_hash`].
    pub body: u64,
    /// The hash of its text after its name, if that is long enough to identify it after a rename.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<u64>,
    /// The offsets of the lines that can be executed. Reports that list executed lines only, such as
    /// the database of coverage.py, leave out the others: see `is_whole`.
    pub executable: BTreeSet<u32>,
    /// The offsets of the lines that were executed.
    pub covered: BTreeSet<u32>,
    /// True if `executable` has all lines, so that the share of executed lines is known.
    pub is_whole: bool,
    /// The tests that execute it, each with the number of its lines that it executes.
    pub tests: BTreeMap<String, u32>,
}

/// How the text of a function that was covered relates to its present text.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CoveredText {
    /// It is the same, in the same or in a moved file.
    Same,
    /// It is the same but for the name.
    Renamed,
    /// It is an earlier text of the function: it was edited after the import.
    Former,
}

/// A function whose coverage is looked up.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The repository path of its file.
    pub path: &'a str,
    /// Its qualified name.
    pub name: &'a str,
    /// The hash of its text, see [`body_hash`].
    pub body: u64,
    /// The hash of its text after its name.
    pub rest: Option<u64>,
    /// The hashes of the texts of other functions of this name in the file.
    pub others: &'a [u64],
}

impl CoveredSymbol {
    /// Returns the share of its lines that were executed, from 0 to 1; `None` if it is not known.
    pub fn share(&self) -> Option<f64> {
        let total = self.executable.len();
        (self.is_whole && total > 0).then(|| self.covered.len() as f64 / total as f64)
    }
}

impl Database {
    /// Adds the coverage of functions to what is stored, in one transaction: lines and tests of an
    /// earlier import of the same text are kept. O(lines + tests).
    ///
    /// # Errors
    ///
    /// If the database cannot be written; nothing is stored then.
    pub fn add_coverage(&self, symbols: &[CoveredSymbol], now_ms: i64) -> Result<()> {
        self.transaction(|connection| {
            symbols.iter().try_for_each(|symbol| add(connection, symbol, now_ms))
        })
    }

    /// Returns the coverage of a function with this text, with its tests; `None` if there is none. If
    /// the path has none, that of the only other path with a function of this name and text is
    /// returned: the file was moved. O(tests of the function).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn coverage_of(&self, path: &str, name: &str, body: u64) -> Result<Option<CoveredSymbol>> {
        let read = || {
            let columns = COLUMNS;
            let own = format!(
                "SELECT {columns} FROM covered WHERE path = ?1 AND name = ?2 AND body = ?3"
            );
            let own = self
                .connection
                .prepare_cached(&own)?
                .query_row((path, name, body.cast_signed()), stored_of)
                .optional()?;
            let found = match own {
                Some(own) => Some(own),
                None => {
                    let moved = format!(
                        "SELECT {columns} FROM covered WHERE body = ?1 AND name = ?2 LIMIT 2"
                    );
                    let mut moved = self.connection.prepare_cached(&moved)?;
                    let moved = moved.query_map((body.cast_signed(), name), stored_of)?;
                    let mut moved = moved.collect::<rusqlite::Result<Vec<_>>>()?;
                    if moved.len() == 1 { moved.pop() } else { None }
                }
            };
            found.map(|stored| with_tests(&self.connection, stored)).transpose()
        };
        read().map_err(|error| self.failure(&error))
    }

    /// Returns the coverage that applies best to a function, with its tests: that of its present text
    /// as [`Database::coverage_of`], else of a function with another name and the same text, else of
    /// its former text from the newest import, in the same file or in one that was moved.
    /// `is_present` returns true if the tree has a function of this path and name: its coverage is
    /// never taken for another one. O(tests of the function).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn coverage_for(
        &self,
        wanted: &Wanted<'_>,
        is_present: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Option<(CoveredSymbol, CoveredText)>> {
        if let Some(same) = self.coverage_of(wanted.path, wanted.name, wanted.body)? {
            return Ok(Some((same, CoveredText::Same)));
        }
        let is_gone = |(_, symbol): &(i64, CoveredSymbol)| !is_present(&symbol.path, &symbol.name);
        let read = || {
            if let Some(rest) = wanted.rest {
                let mut renamed = self.stored("rest = ?1", (rest.cast_signed(),))?;
                renamed.retain(is_gone);
                renamed.dedup_by(|a, b| (&a.1.path, &a.1.name) == (&b.1.path, &b.1.name));
                if let ([_], Some(one)) = (&renamed[..], renamed.first().cloned()) {
                    let with_tests = with_tests(&self.connection, one)?;
                    return Ok(Some((with_tests, CoveredText::Renamed)));
                }
            }
            let mut former = self.stored("path = ?1 AND name = ?2", (wanted.path, wanted.name))?;
            former.retain(|(_, symbol)| !wanted.others.contains(&symbol.body));
            if former.is_empty() {
                former = self.stored("name = ?1", (wanted.name,))?;
                former.retain(is_gone);
                let first = former.first().map(|(_, symbol)| symbol.path.clone());
                if former.iter().any(|(_, symbol)| Some(&symbol.path) != first.as_ref()) {
                    return Ok(None);
                }
            }
            // The newest import is first.
            let newest = former.into_iter().next();
            let newest = newest.map(|newest| with_tests(&self.connection, newest)).transpose()?;
            Ok(newest.map(|newest| (newest, CoveredText::Former)))
        };
        read().map_err(|error| self.failure(&error))
    }

    /// Returns the functions that fulfil a condition, without their tests, those of the newest import
    /// first.
    fn stored(
        &self,
        condition: &str,
        values: impl rusqlite::Params,
    ) -> rusqlite::Result<Vec<(i64, CoveredSymbol)>> {
        let select = format!(
            "SELECT {COLUMNS} FROM covered WHERE {condition} ORDER BY imported_ms DESC, path, name, id"
        );
        let mut statement = self.connection.prepare_cached(&select)?;
        let found = statement.query_map(values, stored_of)?;
        found.collect()
    }

    /// Returns the ids of all tests of which coverage was imported, in no order. O(tests).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn covering_tests(&self) -> Result<Vec<String>> {
        let select = "SELECT name FROM test
            WHERE EXISTS (SELECT 1 FROM covered_by WHERE covered_by.test = test.id)";
        let read = || {
            let mut statement = self.connection.prepare_cached(select)?;
            let names = statement.query_map([], |row| row.get(0))?;
            names.collect::<rusqlite::Result<Vec<String>>>()
        };
        read().map_err(|error| self.failure(&error))
    }

    /// Returns the coverage of all functions of a file, for every text that was imported, by name
    /// and text, with their tests. O(tests of the functions).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn coverage_of_file(&self, path: &str) -> Result<Vec<CoveredSymbol>> {
        let mut symbols = Vec::new();
        self.for_each_covered(Some(path), &mut |symbol| {
            symbols.push(symbol);
            Ok(())
        })?;
        Ok(symbols)
    }

    /// Passes the coverage of the functions of a file, or of all files, to `each`, by path, name and
    /// text. O(tests of all functions).
    ///
    /// # Errors
    ///
    /// If the database cannot be read; those of `each`.
    pub fn for_each_covered(
        &self,
        path: Option<&str>,
        each: &mut dyn FnMut(CoveredSymbol) -> Result<()>,
    ) -> Result<()> {
        let failed = |error: rusqlite::Error| self.failure(&error);
        let select = format!(
            "SELECT {COLUMNS} FROM covered WHERE ?1 IS NULL OR path = ?1 ORDER BY path, name, body"
        );
        let mut statement = self.connection.prepare(&select).map_err(failed)?;
        let mut rows = statement.query([path]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let stored = stored_of(row).map_err(failed)?;
            each(with_tests(&self.connection, stored).map_err(failed)?)?;
        }
        Ok(())
    }

    /// Returns the executed and the executable lines of the functions of each file, by path: those of the
    /// texts that were imported last. Of a function for which only the executed lines are known, all lines
    /// count as executed. O(functions).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn covered_lines(&self) -> Result<BTreeMap<String, (u64, u64)>> {
        let read = || {
            let mut statement = self.connection.prepare(
                "SELECT path, executable, executed, is_whole FROM covered AS own
                    WHERE imported_ms = (SELECT max(imported_ms) FROM covered AS of
                        WHERE of.path = own.path AND of.name = own.name)",
            )?;
            let mut rows = statement.query([])?;
            let mut lines: BTreeMap<String, (u64, u64)> = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let ones = |blob: &[u8]| blob.iter().map(|byte| u64::from(byte.count_ones())).sum();
                let executable: u64 = ones(row.get_ref(1)?.as_blob()?);
                let executed: u64 = ones(row.get_ref(2)?.as_blob()?);
                let of_file = lines.entry(row.get(0)?).or_default();
                of_file.0 += executed;
                of_file.1 += if row.get(3)? { executable.max(executed) } else { executed };
            }
            Ok(lines)
        };
        read().map_err(|error: rusqlite::Error| self.failure(&error))
    }

    /// Returns the number of functions with coverage. O(1).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn covered_count(&self) -> Result<u64> {
        let count = self.connection.query_row("SELECT count(*) FROM covered", [], |row| row.get(0));
        count.map(i64::unsigned_abs).map_err(|error| self.failure(&error))
    }
}

const COLUMNS: &str = "id, path, name, body, executable, executed, is_whole, rest";

fn stored_of(row: &Row<'_>) -> rusqlite::Result<(i64, CoveredSymbol)> {
    let symbol = CoveredSymbol {
        path: row.get(1)?,
        name: row.get(2)?,
        body: row.get::<_, i64>(3)?.cast_unsigned(),
        executable: offsets(row.get_ref(4)?.as_blob()?),
        covered: offsets(row.get_ref(5)?.as_blob()?),
        is_whole: row.get(6)?,
        rest: row.get::<_, Option<i64>>(7)?.map(i64::cast_unsigned),
        tests: BTreeMap::new(),
    };
    Ok((row.get(0)?, symbol))
}

fn with_tests(
    connection: &Connection,
    (id, mut symbol): (i64, CoveredSymbol),
) -> rusqlite::Result<CoveredSymbol> {
    let mut statement = connection.prepare_cached(
        "SELECT test.name, covered_by.lines FROM covered_by JOIN test ON test.id = covered_by.test
            WHERE covered_by.symbol = ?1",
    )?;
    let tests = statement.query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    symbol.tests = tests.collect::<rusqlite::Result<_>>()?;
    Ok(symbol)
}

fn add(connection: &Connection, symbol: &CoveredSymbol, now_ms: i64) -> rusqlite::Result<()> {
    let key = (&symbol.path, &symbol.name, symbol.body.cast_signed());
    let select =
        format!("SELECT {COLUMNS} FROM covered WHERE path = ?1 AND name = ?2 AND body = ?3");
    let stored = connection.prepare_cached(&select)?.query_row(key, stored_of).optional()?;
    let union = |one: &BTreeSet<u32>, other: Option<&BTreeSet<u32>>| {
        let all = one.iter().chain(other.into_iter().flatten()).copied();
        bits(&all.collect())
    };
    let before = stored.as_ref().map(|(_, symbol)| symbol);
    let executable = union(&symbol.executable, before.map(|it| &it.executable));
    let executed = union(&symbol.covered, before.map(|it| &it.covered));
    let rest = symbol.rest.map(u64::cast_signed);
    let is_whole = symbol.is_whole || before.is_some_and(|it| it.is_whole);
    let id = match &stored {
        Some((id, _)) => {
            connection
                .prepare_cached(
                    "UPDATE covered SET executable = ?2, executed = ?3, is_whole = ?4,
                        imported_ms = ?5, rest = coalesce(?6, rest) WHERE id = ?1",
                )?
                .execute((id, executable, executed, is_whole, now_ms, rest))?;
            *id
        }
        None => connection
            .prepare_cached(
                "INSERT INTO covered
                    (path, name, body, executable, executed, is_whole, imported_ms, rest)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .insert((key.0, key.1, key.2, executable, executed, is_whole, now_ms, rest))?,
    };
    let mut insert = connection.prepare_cached(
        "INSERT INTO covered_by (symbol, test, lines) VALUES (?1, ?2, ?3)
            ON CONFLICT DO UPDATE SET lines = max(lines, excluded.lines)",
    )?;
    for (test, lines) in &symbol.tests {
        insert.execute((id, test_id(connection, test)?, lines))?;
    }
    Ok(())
}

/// Returns a set of offsets as a bit set, the lowest bit of the first byte first.
fn bits(offsets: &BTreeSet<u32>) -> Vec<u8> {
    let mut bits = Vec::new();
    for &offset in offsets.iter().filter(|offset| **offset <= OFFSET_MAX) {
        let at = (offset / 8) as usize;
        if bits.len() <= at {
            bits.resize(at + 1, 0);
        }
        bits[at] |= 1 << (offset % 8);
    }
    bits
}

fn offsets(bits: &[u8]) -> BTreeSet<u32> {
    let is_set = |at: &u32| bits[(at / 8) as usize] >> (at % 8) & 1 == 1;
    (0..bits.len().min(OFFSET_MAX as usize) as u32 * 8).filter(is_set).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(path: &str, body: u64, covered: &[u32], tests: &[(&str, u32)]) -> CoveredSymbol {
        CoveredSymbol {
            path: path.to_owned(),
            name: "C.m".to_owned(),
            body,
            rest: None,
            executable: [1, 2, 9].into(),
            covered: covered.iter().copied().collect(),
            is_whole: true,
            tests: tests.iter().map(|&(test, lines)| (test.to_owned(), lines)).collect(),
        }
    }

    #[test]
    fn imports_of_one_text_add_up_and_other_texts_stay_apart() {
        let dir = tempfile::tempdir().unwrap();
        let database = Database::open(&dir.path().join("data.sqlite")).unwrap();
        let high = u64::MAX - 1;
        database.add_coverage(&[symbol("a.py", high, &[1], &[("t", 1), ("u", 1)])], 1).unwrap();
        database.add_coverage(&[symbol("a.py", high, &[9], &[("t", 3)])], 2).unwrap();
        database.add_coverage(&[symbol("a.py", 7, &[], &[])], 3).unwrap();
        let found = database.coverage_of("a.py", "C.m", high).unwrap().unwrap();
        assert_eq!(found, symbol("a.py", high, &[1, 9], &[("t", 3), ("u", 1)]));
        assert_eq!(found.share(), Some(2.0 / 3.0));
        assert_eq!(database.coverage_of("a.py", "C.m", 8).unwrap(), None, "the text changed");
        let moved = database.coverage_of("b.py", "C.m", high).unwrap().unwrap();
        assert_eq!(moved.path, "a.py", "the file was moved");
        database.add_coverage(&[symbol("c.py", high, &[1], &[])], 4).unwrap();
        assert_eq!(database.coverage_of("b.py", "C.m", high).unwrap(), None, "ambiguous");
        assert_eq!(database.coverage_of_file("a.py").unwrap().len(), 2);
        assert_eq!(database.covered_count().unwrap(), 3);
    }

    #[test]
    fn lines_of_files_are_those_of_the_newest_texts() {
        let database = Database::in_memory().unwrap();
        let partial = CoveredSymbol { is_whole: false, ..symbol("b.py", 1, &[1, 2], &[]) };
        database.add_coverage(&[symbol("a.py", 1, &[1, 2, 9], &[("t", 3)]), partial], 1).unwrap();
        database.add_coverage(&[symbol("a.py", 2, &[9], &[])], 2).unwrap();
        let other = CoveredSymbol { name: "C.n".to_owned(), ..symbol("a.py", 3, &[], &[]) };
        database.add_coverage(&[other], 2).unwrap();
        let lines = database.covered_lines().unwrap();
        let expected = [("a.py".to_owned(), (1, 6)), ("b.py".to_owned(), (2, 2))];
        assert_eq!(lines, expected.into());
    }

    #[test]
    fn coverage_follows_edits_renames_and_moves() {
        let database = Database::in_memory().unwrap();
        let one = |path: &str, body, rest, test: &str| CoveredSymbol {
            rest: Some(rest),
            ..symbol(path, body, &[1], &[(test, 1)])
        };
        database.add_coverage(&[one("a.py", 1, 11, "old")], 1).unwrap();
        database.add_coverage(&[one("a.py", 2, 12, "new"), one("a.py", 3, 13, "twin")], 2).unwrap();
        let find = |path, name, body, rest, others: &[u64], present: &[&str]| {
            let wanted = Wanted { path, name, body, rest: Some(rest), others };
            let found = database.coverage_for(&wanted, &|path, name| {
                present.contains(&format!("{path}:{name}").as_str())
            });
            let found = found.unwrap().map(|(found, text)| {
                format!("{:?} {text:?}", found.tests.keys().collect::<Vec<_>>())
            });
            found.unwrap_or_default()
        };
        assert_eq!(find("a.py", "C.m", 1, 11, &[], &[]), r#"["old"] Same"#);
        let edited = find("a.py", "C.m", 9, 99, &[3], &["a.py:C.m"]);
        assert_eq!(edited, r#"["new"] Former"#, "the newest text that is not the twin's");
        assert_eq!(find("a.py", "C.n", 9, 12, &[], &[]), r#"["new"] Renamed"#);
        assert_eq!(find("a.py", "C.n", 9, 12, &[], &["a.py:C.m"]), "", "a copy is no rename");
        assert_eq!(find("b.py", "C.m", 9, 99, &[], &[]), r#"["new"] Former"#, "moved and edited");
        assert_eq!(find("b.py", "C.m", 9, 99, &[], &["a.py:C.m"]), "", "another one of the name");
        assert_eq!(find("b.py", "D.m", 9, 99, &[], &[]), "");
        let mut tests = database.covering_tests().unwrap();
        tests.sort();
        assert_eq!(tests, ["new", "old", "twin"]);
    }
}
