//! Stores the log in the index directory: one file, `history-<n>.idx`, for publication n.
//!
//! The holder of `code.lock` writes the file under a temporary name and renames it; it never
//! changes after that. Older files are then removed. A damaged file, or one of another version,
//! counts as missing: the log is read anew from git.

use std::fs;

use crate::error::{Error, Result};
use crate::index::format::{self, Container, FileKind};
use crate::index::map::Map;
use crate::index::store::{Store, WriterLock};

use super::log::{self, Log};
use super::{blames, corrections, versions};

/// A published log.
#[derive(Debug)]
pub struct Published {
    /// The number of the publication, from 1.
    pub number: u64,
    /// The log.
    pub log: Log,
    /// The size of the file in bytes.
    pub len_bytes: u64,
}

/// Access to the logs in an index directory.
#[derive(Clone, Copy, Debug)]
pub struct HistoryStore<'a>(pub &'a Store);

impl HistoryStore<'_> {
    /// Returns the number of the newest publication; `None` if there is none. O(names in the
    /// directory).
    pub fn newest(&self) -> Option<u64> {
        let entries = fs::read_dir(self.0.dir()).into_iter().flatten().flatten();
        entries.filter_map(|entry| number(&entry.file_name().to_string_lossy())).max()
    }

    /// Opens the newest publication; `None` if there is none. O(its bytes).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if it is damaged or of another version.
    pub fn open(&self) -> Result<Option<Published>> {
        let Some(number) = self.newest() else { return Ok(None) };
        let path = self.0.dir().join(name(number));
        // All of it is decoded at once, so mapping it would save nothing.
        let map = match Map::open(&path, true) {
            // Another process has just published a newer one.
            Err(error) if error.kind() == crate::error::Kind::NotFound => return Ok(None),
            map => map?,
        };
        let container = Container::open(map, FileKind::History)?;
        let mut sections: [&[u8]; log::SECTIONS] = Default::default();
        for (section, id) in sections.iter_mut().zip(1..) {
            *section = container.bytes(container.section(id)?)?;
        }
        let Some(log) = log::decode(sections) else {
            return Err(container.corrupt("the log of commits is damaged or of another version"));
        };
        Ok(Some(Published { number, log, len_bytes: container.len_bytes() }))
    }

    /// Publishes a log, removes older ones and returns its number.
    ///
    /// # Errors
    ///
    /// Those of [`WriterLock::check`]; [`crate::Kind::Io`] if the file cannot be written.
    pub fn publish(&self, lock: &WriterLock, log: &Log) -> Result<u64> {
        lock.check()?;
        self.tidy(lock);
        let next = self.newest().unwrap_or(0) + 1;
        let target = self.0.dir().join(name(next));
        let temporary = self.0.dir().join(format!("{}.new", name(next)));
        let sections = log::encode(log);
        let parts: Vec<[&[u8]; 1]> = sections.iter().map(|bytes| [bytes.as_slice()]).collect();
        let numbered: Vec<(u32, &[&[u8]])> =
            parts.iter().zip(1..).map(|(part, id)| (id, &part[..])).collect();
        format::write(&temporary, FileKind::History, &numbered)?;
        fs::rename(&temporary, &target).map_err(|error| Error::io(&target, error))?;
        self.0.remove_where(|other| number(other).is_some_and(|number| number != next));
        Ok(next)
    }

    /// Removes temporary files of writers that did not finish.
    pub fn tidy(&self, _lock: &WriterLock) {
        self.0.remove_where(|name| {
            ["history-", "callers.", versions::PREFIX, blames::PREFIX, corrections::PREFIX]
                .iter()
                .any(|start| name.starts_with(start))
                && name.ends_with(".new")
        });
    }
}

fn name(number: u64) -> String {
    format!("history-{number}.idx")
}

fn number(name: &str) -> Option<u64> {
    let number = name.strip_prefix("history-")?.strip_suffix(".idx")?.parse().ok();
    // Larger numbers cannot be from `publish`.
    number.filter(|&number| number < 1 << 62)
}
