//! The format of `git fast-import`: commits in order, each with its changed files.

use std::io::{self, Write};

/// A written commit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Mark(u32);

/// Author and time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature {
    /// Name and address: `Name <address>`.
    pub(crate) author: &'static str,
    /// Seconds since 1970.
    pub(crate) seconds: u64,
    /// The time zone, in hours west of Greenwich.
    pub(crate) zone: i8,
}

/// A change of one file.
#[derive(Clone, Debug)]
pub(crate) enum Change<'a> {
    /// New content.
    Content(&'a str, Vec<u8>),
    /// A rename: from, to.
    Rename(&'a str, &'a str),
}

/// Writes commits.
pub(crate) struct Stream<'w> {
    out: &'w mut dyn Write,
    commits: u32,
}

impl<'w> Stream<'w> {
    /// Returns a stream without commits.
    pub(crate) fn new(out: &'w mut dyn Write) -> Stream<'w> {
        Stream { out, commits: 0 }
    }

    /// Returns the number of commits.
    pub(crate) fn commits(&self) -> u32 {
        self.commits
    }

    /// Begins a commit on `branch` with its parents; its changes follow.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(crate) fn commit(
        &mut self,
        branch: &str,
        signature: Signature,
        message: &str,
        parents: &[Mark],
    ) -> io::Result<Mark> {
        self.commits += 1;
        let mark = Mark(self.commits);
        let Signature { author, seconds, zone } = signature;
        let sign = if zone < 0 { '-' } else { '+' };
        let who = format!("{author} {seconds} {sign}{:02}00", zone.unsigned_abs());
        writeln!(self.out, "commit refs/heads/{branch}\nmark :{}", mark.0)?;
        writeln!(self.out, "author {who}\ncommitter {who}")?;
        self.data(message.as_bytes())?;
        for (place, parent) in parents.iter().enumerate() {
            let word = if place == 0 { "from" } else { "merge" };
            writeln!(self.out, "{word} :{}", parent.0)?;
        }
        Ok(mark)
    }

    /// Adds a change to the current commit.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(crate) fn change(&mut self, change: Change<'_>) -> io::Result<()> {
        match change {
            Change::Content(path, content) => {
                writeln!(self.out, "M 100644 inline {}", quoted(path))?;
                self.data(&content)
            }
            Change::Rename(from, to) => {
                writeln!(self.out, "R {} {}", quoted(from), quoted(to))
            }
        }
    }

    fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        writeln!(self.out, "data {}", bytes.len())?;
        self.out.write_all(bytes)?;
        self.out.write_all(b"\n")
    }
}

/// Returns a path quoted as in C, which is valid for any bytes.
fn quoted(path: &str) -> String {
    let mut quoted = String::with_capacity(path.len() + 2);
    quoted.push('"');
    for character in path.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
