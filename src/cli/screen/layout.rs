//! Lays pages out for a width.

use super::drawing::{self, Pen};
use super::strip::{self, Cut, Piece, Strip};
use crate::answer::analysis::NextStep;
use crate::answer::page::{Block, Code, Node, Page, Row, Table};
use crate::answer::style::Part;
use crate::base::text::plain;

/// Texts are not wider, so that they can be read.
const TEXT_MAX: usize = 100;

/// The blanks between columns.
const GAP: usize = 2;

/// A column that is cut keeps this width, or its own.
const CUT_MIN: usize = 16;

/// A line of a tree keeps this width.
const LINE_MIN: usize = 20;

/// The columns of a tab in code.
const TAB: usize = 4;

/// Returns the lines of a page.
pub(super) fn lines(page: &Page, pen: &Pen<'_>, width: usize) -> Vec<Strip> {
    let layout = Layout { pen, width };
    let mut out: Vec<Strip> = Vec::new();
    let mut before: Option<&Block> = None;
    for block in &page.blocks {
        let lines = layout.block(block);
        if lines.is_empty() {
            continue;
        }
        // A heading and what it heads belong together, and so do remarks.
        let is_joined = before.is_none_or(|before| {
            matches!(before, Block::Title(_))
                || matches!((before, block), (Block::Line(_), Block::Line(_)))
                || matches!((before, block), (Block::Note(_), Block::Note(_)))
        });
        if !is_joined {
            out.push(Vec::new());
        }
        out.extend(lines);
        before = Some(block);
    }
    out
}

struct Layout<'a, 'p> {
    pen: &'a Pen<'p>,
    width: usize,
}

impl Layout<'_, '_> {
    fn block(&self, block: &Block) -> Vec<Strip> {
        match block {
            Block::Title(text) => {
                self.wrapped(vec![Piece::new(plain(text), Some(Part::Title), Cut::End)], 2)
            }
            Block::Line(cells) => self.wrapped(self.pen.line(cells), 2),
            Block::Table(table) => self.table(table),
            Block::Tree(nodes) => self.tree(nodes),
            Block::Code(code) => self.code(code),
            Block::Diff(text) => self.diff(text),
            Block::Note(text) => {
                self.wrapped(vec![Piece::new(plain(text), Some(Part::Faint), Cut::End)], 2)
            }
            Block::Next(steps) => self.next(steps),
        }
    }

    fn wrapped(&self, strip: Strip, indent: usize) -> Vec<Strip> {
        strip::wrap(&strip, self.width.min(TEXT_MAX), indent)
    }

    fn fitted(&self, strip: Strip, width: usize) -> Strip {
        strip::fit(strip, width, self.pen.glyphs.ellipsis)
    }

    fn table(&self, table: &Table) -> Vec<Strip> {
        if table.rows.is_empty() {
            return Vec::new();
        }
        let rows: Vec<Vec<Strip>> = table
            .rows
            .iter()
            .map(|row| row.cells.iter().map(|cell| self.pen.cell(cell)).collect())
            .collect();
        let columns = &table.columns;
        let has_headers = columns.iter().any(|column| !column.header.is_empty());
        let natural = |at: usize| {
            let widest = rows.iter().map(|row| row.get(at).map_or(0, |of| strip::width(of))).max();
            let header = if has_headers { strip::width_of(columns[at].header) } else { 0 };
            widest.unwrap_or_default().max(header)
        };
        let mut widths: Vec<usize> = (0..columns.len()).map(natural).collect();
        let total = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * (widths.len() - 1);
        while total(&widths) > self.width {
            let can_give = |at: &usize| columns[*at].is_cut && widths[*at] > CUT_MIN;
            let widest = (0..columns.len()).filter(can_give).max_by_key(|at| widths[*at]);
            let Some(widest) = widest else { return self.stacked(table, &rows) };
            widths[widest] -= 1;
        }
        let mut lines = Vec::new();
        if has_headers {
            let header = |column: &crate::answer::page::Column| {
                vec![Piece::new(column.header, Some(Part::Title), Cut::Never)]
            };
            lines.push(self.row(columns.iter().map(header).collect(), table, &widths));
        }
        for (cells, row) in rows.into_iter().zip(&table.rows) {
            lines.push(self.row(cells, table, &widths));
            lines.extend(self.below(row));
        }
        lines
    }

    fn row(&self, cells: Vec<Strip>, table: &Table, widths: &[usize]) -> Strip {
        let mut line = Strip::new();
        let mut blanks = 0;
        for ((cell, column), width) in cells.into_iter().zip(&table.columns).zip(widths) {
            let cell = self.fitted(cell, *width);
            let left = width - strip::width(&cell);
            if column.is_right {
                blanks += left;
            }
            if !cell.is_empty() {
                if blanks > 0 {
                    line.push(Piece::plain(" ".repeat(blanks)));
                }
                blanks = 0;
                line.extend(cell);
            }
            blanks += GAP + if column.is_right { 0 } else { left };
        }
        line
    }

    fn below(&self, row: &Row) -> Vec<Strip> {
        row.below.iter().flat_map(|line| self.indented(self.pen.line(line), 4)).collect()
    }

    /// Returns the lines of a text that is indented throughout.
    fn indented(&self, strip: Strip, indent: usize) -> Vec<Strip> {
        let lines = strip::wrap(&strip, self.width.min(TEXT_MAX) - indent, 0);
        let blank = || Piece::plain(" ".repeat(indent));
        lines.into_iter().map(|line| [vec![blank()], line].concat()).collect()
    }

    /// Returns the rows of a table that is too wide: the cell that would be cut, below it the others with
    /// their headers.
    fn stacked(&self, table: &Table, rows: &[Vec<Strip>]) -> Vec<Strip> {
        let key = table.columns.iter().position(|column| column.is_cut).unwrap_or_default();
        let mut lines = Vec::new();
        for (cells, row) in rows.iter().zip(&table.rows) {
            lines.push(self.fitted(cells.get(key).cloned().unwrap_or_default(), self.width));
            let mut rest = Strip::new();
            for (at, (cell, column)) in cells.iter().zip(&table.columns).enumerate() {
                if at == key || cell.is_empty() {
                    continue;
                }
                if !rest.is_empty() {
                    rest.push(Piece::plain(", "));
                }
                let is_number = column.is_right && cell[0].text.parse::<u64>().is_ok();
                let faint = |text: String| Piece::new(text, Some(Part::Faint), Cut::End);
                let header = column.header.to_lowercase();
                if !header.is_empty() && !is_number {
                    rest.push(faint(format!("{header} ")));
                }
                let last = cell.len() - 1;
                rest.extend(cell.iter().enumerate().map(|(at, piece)| {
                    let is_bar = piece.part == Some(Part::Drawing);
                    let text =
                        if is_bar || at == last { piece.text.trim_end() } else { &piece.text };
                    piece.with(text)
                }));
                if !header.is_empty() && is_number {
                    rest.push(faint(format!(" {}", unit(&header, &cell[0].text))));
                }
            }
            if !rest.is_empty() {
                lines.extend(self.indented(rest, 2));
            }
            lines.extend(self.below(row));
        }
        lines
    }

    fn tree(&self, nodes: &[Node]) -> Vec<Strip> {
        let mut lines = Vec::new();
        // The lines that are still to be drawn, the next one last; each with its branches.
        let mut open: Vec<(&Node, String, String)> =
            nodes.iter().rev().map(|node| (node, String::new(), String::new())).collect();
        let [branch, last, beside, nothing] = self.pen.glyphs.tree;
        while let Some((node, first, others)) = open.pop() {
            let used = strip::width_of(&first).min(self.width.saturating_sub(LINE_MIN));
            let first = strip::cut_end(&first, used, self.pen.glyphs.ellipsis);
            let room = self.width - strip::width_of(&first);
            let mut line = vec![Piece::new(first, Some(Part::Faint), Cut::Never)];
            line.extend(self.fitted(self.pen.line(&node.cells), room));
            lines.push(line);
            let count = node.children.len();
            let children = node.children.iter().enumerate().rev();
            open.extend(children.map(|(at, child)| {
                let (own, below) = if at + 1 == count { (last, nothing) } else { (branch, beside) };
                (child, format!("{others}{own}"), format!("{others}{below}"))
            }));
        }
        lines
    }

    fn code(&self, code: &Code) -> Vec<Strip> {
        let gutter = (code.line + code.text.lines().count()).to_string().len();
        let mut of_lines: Vec<Strip> = vec![Vec::new()];
        for (span, part) in drawing::colored(&code.path, &code.text) {
            for (at, piece) in code.text[span].split('\n').enumerate() {
                if at > 0 {
                    of_lines.push(Vec::new());
                }
                let piece = piece.strip_suffix('\r').unwrap_or(piece);
                if let Some(line) = of_lines.last_mut() {
                    let used = strip::width(line);
                    line.push(Piece::new(plain(&untabbed(piece, used)), part, Cut::Never));
                }
            }
        }
        if code.text.ends_with('\n') || code.text.is_empty() {
            of_lines.pop();
        }
        let mut lines = Vec::new();
        for (at, text) in of_lines.into_iter().enumerate() {
            let number = (code.line + at).to_string();
            let blanks = Piece::plain(" ".repeat(gutter - number.len()));
            let number = Piece::new(number, Some(Part::Line), Cut::Never);
            let link = Some((code.path.clone(), Some(code.line + at)));
            let mut head = vec![blanks, Piece { link, ..number }, Piece::plain("  ")];
            for line in strip::broken(text, self.width - gutter - 2) {
                lines.push([std::mem::take(&mut head), line].concat());
                head = vec![Piece::plain(" ".repeat(gutter + 2))];
            }
        }
        lines
    }

    /// Returns the lines of a diff: two with the names of the file, then hunks.
    fn diff(&self, text: &str) -> Vec<Strip> {
        const NAMES: usize = 2;
        let line = |(at, line): (usize, &str)| {
            let part = match line.as_bytes().first() {
                _ if at < NAMES => Some(Part::Title),
                Some(b'@') => Some(Part::Line),
                Some(b'+') => Some(Part::Good),
                Some(b'-') => Some(Part::Bad),
                _ => None,
            };
            let piece = Piece::new(plain(&untabbed(line, 0)), part, Cut::Never);
            strip::broken(vec![piece], self.width)
        };
        text.lines().enumerate().flat_map(line).collect()
    }

    /// Returns the lines of next steps: the command, which can be pasted, and what it is for.
    fn next(&self, steps: &[NextStep]) -> Vec<Strip> {
        const HEAD: &str = "next: ";
        let mut lines = Vec::new();
        let parts = |step: &NextStep| match step {
            NextStep::Call { tool, args, reason } => {
                (self.pen.style.call(tool, args), plain(reason))
            }
            NextStep::Action { action, reason } => (plain(action), plain(reason)),
        };
        let steps: Vec<(String, String)> = steps.iter().map(parts).collect();
        let commands = steps.iter().map(|(command, _)| strip::width_of(command)).max();
        let reasons = steps.iter().map(|(_, reason)| strip::width_of(reason)).max();
        let column = HEAD.len() + commands.unwrap_or_default() + GAP;
        let is_beside = column + reasons.unwrap_or_default() <= self.width;
        for (at, (command, reason)) in steps.into_iter().enumerate() {
            let head = if at == 0 { HEAD.to_owned() } else { " ".repeat(HEAD.len()) };
            let head = Piece::new(head, Some(Part::Faint), Cut::Never);
            let reason = Piece::new(reason, Some(Part::Faint), Cut::End);
            let used = HEAD.len() + strip::width_of(&command);
            if is_beside {
                let blanks = Piece::plain(" ".repeat(column - used));
                lines.push(vec![head, Piece::plain(command), blanks, reason]);
                continue;
            }
            let broken = self.broken(&command, self.width - HEAD.len());
            for (at, part) in broken.into_iter().enumerate() {
                let head = if at == 0 { head.clone() } else { head.with(" ".repeat(HEAD.len())) };
                lines.push(vec![head, Piece::plain(part)]);
            }
            lines.extend(self.indented(vec![reason], HEAD.len() + 2));
        }
        lines
    }

    /// Breaks a command at blanks, with a backslash at the end of all but the last line, so that it can be
    /// pasted. A word that is wider stays whole, and so do blanks in quotes.
    fn broken(&self, command: &str, width: usize) -> Vec<String> {
        let mut lines: Vec<String> = vec![String::new()];
        let (mut word, mut is_quoted) = (String::new(), false);
        let mut words = Vec::new();
        for c in command.chars() {
            is_quoted ^= c == '\'';
            if c == ' ' && !is_quoted {
                words.push(std::mem::take(&mut word));
            } else {
                word.push(c);
            }
        }
        words.push(word);
        let count = words.len();
        for (at, word) in words.into_iter().enumerate() {
            let reserve = if at + 1 == count { 0 } else { 2 };
            let Some(line) = lines.last_mut() else { break };
            if line.is_empty() {
                line.push_str(&word);
            } else if strip::width_of(line) + 1 + strip::width_of(&word) + reserve <= width {
                line.push(' ');
                line.push_str(&word);
            } else {
                line.push_str(" \\");
                lines.push(format!("  {word}"));
            }
        }
        lines
    }
}

/// Returns the header of a column of numbers as the unit of a number.
fn unit<'h>(header: &'h str, number: &str) -> &'h str {
    match header {
        _ if number != "1" => header,
        "people" => "person",
        "fixes" => "fix",
        _ => header.strip_suffix('s').unwrap_or(header),
    }
}

/// Returns a piece of a line of code, which begins in column `used`, with blanks instead of tabs.
fn untabbed(text: &str, used: usize) -> String {
    if !text.contains('\t') {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        if c == '\t' {
            let at = used + strip::width_of(&out);
            out.push_str(&" ".repeat(TAB - at % TAB));
        } else {
            out.push(c);
        }
    }
    out
}
