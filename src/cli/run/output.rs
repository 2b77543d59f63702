//! The lines of a command's output that have results, kept in files of bounded size: they survive the
//! process, and a command may print without end.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes of each stream that are kept.
pub(super) const KEPT_BYTES_MAX: u64 = 64 << 20;

/// A longer line is cut: no result is that long.
const LINE_BYTES_MAX: usize = 16 << 10;

/// Parts of lines that may be results of the standard test harness of Rust, or name its targets.
const PARTS: [&[u8]; 4] = [b"test ", b"unning ", b"Doc-tests", b" ... "];

/// The ends of short lines that may complete a result.
const ENDS: [&[u8]; 3] = [b"ok", b"FAILED", b"ignored"];

/// Returns the file that keeps standard output or standard error.
pub(super) fn path(reports: &Path, is_stderr: bool) -> PathBuf {
    reports.join(if is_stderr { "stderr.log" } else { "stdout.log" })
}

/// Keeps lines of one stream.
pub(super) struct Kept {
    file: BufWriter<File>,
    line: Vec<u8>,
    bytes: u64,
}

impl Kept {
    /// Creates the file.
    ///
    /// # Errors
    ///
    /// If it cannot be created.
    pub(super) fn create(path: &Path) -> io::Result<Kept> {
        Ok(Kept { file: BufWriter::new(File::create(path)?), line: Vec::new(), bytes: 0 })
    }

    /// Adds a piece of the stream. A failure to write only loses results.
    pub(super) fn add(&mut self, mut piece: &[u8]) {
        while let Some(end) = memchr::memchr(b'\n', piece) {
            self.extend(&piece[..end]);
            self.end_line();
            piece = &piece[end + 1..];
        }
        self.extend(piece);
        let _ = self.file.flush();
    }

    /// Adds the last line.
    pub(super) fn finish(&mut self) {
        self.end_line();
        let _ = self.file.flush();
    }

    fn extend(&mut self, part: &[u8]) {
        let left = LINE_BYTES_MAX.saturating_sub(self.line.len()).min(part.len());
        self.line.extend_from_slice(&part[..left]);
    }

    fn end_line(&mut self) {
        let has = |part: &&[u8]| memchr::memmem::find(&self.line, part).is_some();
        let is_kept = PARTS.iter().any(has) || self.line.len() < 200 && ENDS.iter().any(has);
        if is_kept && self.bytes + self.line.len() as u64 <= KEPT_BYTES_MAX {
            self.bytes += self.line.len() as u64 + 1;
            self.line.push(b'\n');
            let _ = self.file.write_all(&self.line);
        }
        self.line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_results_are_kept_and_no_others() {
        let dir = tempfile::tempdir().unwrap();
        let path = path(dir.path(), false);
        let mut kept = Kept::create(&path).unwrap();
        kept.add(b"running 1 test\nnoise\ntest a ");
        kept.add(b"... ok\n");
        kept.add(&b"x".repeat(1 << 20));
        kept.add(b"\nok");
        kept.finish();
        assert_eq!(std::fs::read(&path).unwrap(), b"running 1 test\ntest a ... ok\nok\n");
    }
}
