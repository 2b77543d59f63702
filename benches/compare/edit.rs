//! One edited file: the additional cost of a strict query after an edit.
//!
//! The edit changes only the modification time, which is restored later. A strict query cannot
//! distinguish this from a change of content and searches the file directly, while the tree stays
//! unchanged.

use std::fs::{File, FileTimes, OpenOptions};
use std::time::SystemTime;

use super::build::ready_index;
use super::options::Options;
use super::report::Line;
use super::rows::{Figure, Row};
use super::stats::{median, ms};
use super::tree::Tree;

/// Measures the row: unedited, edited, and both again, so that a drift of the machine affects both.
pub(crate) fn row(options: &Options, tree: &Tree, row: &Row) -> Result<Line, String> {
    let mut line = Line::new(tree, row);
    let Some(codedb) = &options.codedb else { return Ok(line) };
    let query = tree.search(codedb, &["--fresh", "strict"], &tree.args(row));
    let file = tree.root.join(tree.files.get(tree.files.len() / 2).ok_or("the tree is empty")?);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        ready_index(options, tree)?;
        for _ in 0..options.runs.div_ceil(2) {
            before.push(ms(query.drain()?.answered(&query)?.wall));
        }
        let touched =
            Touched::new(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        for _ in 0..options.runs.div_ceil(2) {
            after.push(ms(query.drain()?.answered(&query)?.wall));
        }
        drop(touched);
    }
    ready_index(options, tree)?;
    line.value(Figure::EditMs, median(&after) - median(&before));
    line.note = format!("{:.1} ms before, {:.1} ms after", median(&before), median(&after));
    line.strict_ms = after;
    Ok(line)
}

/// A file whose modification time is now; dropping this restores the old one.
struct Touched {
    file: File,
    modified: SystemTime,
}

impl Touched {
    fn new(path: &std::path::Path) -> std::io::Result<Self> {
        let file = OpenOptions::new().append(true).open(path)?;
        let modified = file.metadata()?.modified()?;
        file.set_times(FileTimes::new().set_modified(SystemTime::now()))?;
        Ok(Self { file, modified })
    }
}

impl Drop for Touched {
    fn drop(&mut self) {
        self.file.set_times(FileTimes::new().set_modified(self.modified)).ok();
    }
}
