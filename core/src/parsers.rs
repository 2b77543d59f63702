//! Where files are parsed: in processes that may die.
//!
//! Parsers are C code with scanners written by hand. One that aborts, overflows its stack or does
//! not end must cost the file that it was parsing and nothing else, so no command and no server
//! parses a file itself. [`Parsers`] starts worker processes (`codedb parse-worker`), sends them
//! texts through pipes, and receives facts. A text whose worker dies has
//! [`Problem::Crashed`](crate::lang::Problem) as its only fact; it is not tried again until the
//! process ends, and the code index stores the problem until the text or codedb changes.
//!
//! Programs of the user's own are in [`extractors`].
//!
//! [`pool`] keeps the workers, [`worker`] is the other side, `wire` encodes what they exchange.
//! Limits that a worker does not need to die for are in [`crate::lang::parse`].

pub mod extractors;
pub mod pool;
mod wire;
pub mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use crate::error::Result;
use crate::lang::{self, Facts, Language, Limits, Outline, Problem, Problems};
use extractors::Extractors;
use pool::Pool;

/// Parses texts in worker processes, or in this one; files that an extractor knows, with that.
#[derive(Debug)]
pub struct Parsers {
    pool: Option<Arc<Pool>>,
    extractors: Extractors,
}

impl Parsers {
    /// Returns parsers that run in this process, for tests and benches.
    pub fn in_process() -> Arc<Parsers> {
        Arc::new(Parsers { pool: None, extractors: Extractors::default() })
    }

    /// Returns parsers that run in up to `count_max` worker processes of `program`, which is codedb
    /// itself. Starts none yet.
    pub fn in_workers(program: PathBuf, count_max: usize) -> Arc<Parsers> {
        let pool = Some(Arc::new(Pool::new(program, count_max)));
        Arc::new(Parsers { pool, extractors: Extractors::default() })
    }

    /// Returns the same parsers for a tree with extractors.
    pub fn with_extractors(&self, extractors: Extractors) -> Arc<Parsers> {
        Arc::new(Parsers { pool: self.pool.clone(), extractors })
    }

    /// Returns the program of the worker processes.
    pub fn program(&self) -> Option<&Path> {
        self.pool.as_ref().map(|pool| pool.program())
    }

    /// Returns the extractors of the tree.
    pub fn extractors(&self) -> &Extractors {
        &self.extractors
    }

    /// Returns the definitions, references and imports of `text`, the content of the file at `path`
    /// with the hash `hash`. Signatures and documentation may be empty; they are read from the text
    /// before they are shown. O(text), and at most [`worker::SECONDS_MAX`] of a processor's time.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Io`] if no worker can be started.
    pub fn facts(
        &self,
        language: &'static Language,
        path: &str,
        text: &[u8],
        hash: u128,
    ) -> Result<Facts> {
        self.parse(language, path, text, hash, true)
    }

    /// Returns the definitions of `text` with their signatures and documentation; otherwise as
    /// [`Parsers::facts`].
    ///
    /// # Errors
    ///
    /// As [`Parsers::facts`].
    pub fn outline(&self, language: &'static Language, path: &str, text: &[u8]) -> Result<Outline> {
        let mut facts = self.parse(language, path, text, xxh3_128(text), false)?;
        for symbol in &mut facts.symbols {
            symbol.signature = symbol.source.signature(language, text);
            symbol.doc = symbol.source.doc(text);
        }
        Ok(Outline::from(facts))
    }

    /// Records that texts with these hashes crashed a worker, so that they are not parsed again.
    pub fn remember_crashes(&self, hashes: impl Iterator<Item = u128>) {
        if let Some(pool) = &self.pool {
            hashes.for_each(|hash| pool.remember_crash(hash));
        }
    }

    fn parse(
        &self,
        language: &'static Language,
        path: &str,
        text: &[u8],
        hash: u128,
        with_references: bool,
    ) -> Result<Facts> {
        if let Some(extractor) = self.extractors.of(path) {
            return Ok(self.extractors.facts(extractor, path, text));
        }
        match &self.pool {
            // A text that is too large is not parsed at all.
            Some(pool) if text.len() <= language.bytes_max() => {
                pool.parse(language, path, text, hash, with_references)
            }
            _ => Ok(parse_here(language, path, text, with_references)),
        }
    }
}

/// Parses in this process. If that panics, the only fact is [`Problem::Failed`].
fn parse_here(
    language: &'static Language,
    path: &str,
    text: &[u8],
    with_references: bool,
) -> Facts {
    let parse = || {
        let parse = if with_references { lang::facts } else { lang::definitions };
        parse(language, path, text, Limits::DEFAULT)
    };
    catch_unwind(AssertUnwindSafe(parse)).unwrap_or_else(|_| nothing_but(Problem::Failed))
}

/// Returns facts that consist of one problem.
fn nothing_but(problem: Problem) -> Facts {
    Facts { problems: Problems::from([(problem, 1)]), ..Facts::default() }
}
