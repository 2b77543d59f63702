//! Steps that add content to files: `outline`, `read`.

use super::{Flow, Line, Step, Symbol};
use crate::base::ids::FileId;
use crate::base::text;
use crate::error::{Error, Result};
use crate::lang::Limits;

/// The maximum number of files to which a step adds content.
const FILES_MAX: usize = 50;

/// The maximum number of definitions of one file.
const SYMBOLS_MAX: usize = 200;

/// The maximum number of lines of one file.
const LINES_MAX: usize = 200;

/// The maximum number of bytes of one line.
const LINE_BYTES_MAX: usize = 300;

impl Flow<'_> {
    /// Adds the definitions of each file.
    pub(super) fn outline(&mut self) -> Result<()> {
        self.bound("outline");
        let mut cut = 0;
        for item in self.items.iter_mut().take(FILES_MAX) {
            let Some(facts) = self.catalog.facts_now(FileId::new(item.at))? else { continue };
            cut += usize::from(facts.symbols.len() > SYMBOLS_MAX);
            let symbols = facts.symbols.iter().take(SYMBOLS_MAX).map(|symbol| Symbol {
                name: symbol.qualified_name.clone(),
                kind: symbol.kind,
                line: symbol.line,
                end_line: symbol.end_line,
            });
            item.symbols = symbols.collect();
            item.symbols_total = facts.symbols.len();
        }
        if cut > 0 {
            self.limits
                .push(format!("`outline` lists the first {SYMBOLS_MAX} definitions of a file"));
        }
        Ok(())
    }

    /// Adds lines of each file.
    pub(super) fn read(&mut self, step: &Step) -> Result<()> {
        let (start, end) = (step.line_start.unwrap_or(1), step.line_end.unwrap_or(usize::MAX));
        if start == 0 || end < start {
            return Err(Error::usage(
                "line numbers begin at 1, and `line_end` must not be before `line_start`",
            ));
        }
        self.bound("read");
        let mut cut = 0;
        for item in self.items.iter_mut().take(FILES_MAX) {
            let bytes = self.catalog.read(FileId::new(item.at), Limits::DEFAULT.bytes_max + 1);
            let bytes = bytes.unwrap_or_default();
            let Some(text) = text::decode(&bytes) else { continue };
            let count = end.saturating_sub(start).saturating_add(1);
            let mut lines = text.lines().enumerate().skip(start - 1).take(count);
            let taken = lines.by_ref().take(LINES_MAX).map(|(at, line)| Line {
                line: at + 1,
                text: text::start(line, LINE_BYTES_MAX).to_owned(),
            });
            item.lines = taken.collect();
            item.lines_total = item.lines.len() + lines.count();
            cut += usize::from(item.lines.len() < item.lines_total);
        }
        if cut > 0 {
            self.limits.push(format!("`read` shows the first {LINES_MAX} lines of a file"));
        }
        Ok(())
    }

    /// Records that content is added only to the first files, if there are more.
    fn bound(&mut self, op: &str) {
        let files = self.items.len();
        if files > FILES_MAX {
            self.limits.push(format!("`{op}` covers the first {FILES_MAX} of {files} files"));
        }
    }
}
