//! The pieces of each cell: bars, shares, times in words.

use std::ops::Range;

use indicatif::HumanBytes;

use super::strip::{Cut, Piece, Strip};
use crate::answer::ago::ago;
use crate::answer::page::{Cell, Grade};
use crate::answer::style::{Part, Style};
use crate::base::text::plain;
use crate::lang::tokens::{self, Token};

/// The columns of a bar.
const BAR: usize = 8;

/// The characters of drawings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glyphs {
    /// What stands for text that is cut.
    pub(super) ellipsis: &'static str,
    /// Parts of a column of a bar, from empty to full.
    bar: &'static [char],
    /// Heights of a sparkline, from nothing.
    spark: &'static [char],
    /// The branches of a tree: before a line, before the last line, beside others, beside nothing.
    pub(super) tree: [&'static str; 4],
}

/// For terminals with Unicode.
pub(super) const UNICODE: Glyphs = Glyphs {
    ellipsis: "…",
    bar: &[' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'],
    spark: &['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
    tree: ["├─ ", "└─ ", "│  ", "   "],
};

/// For others.
pub(super) const ASCII: Glyphs = Glyphs {
    ellipsis: "...",
    bar: &['-', '#'],
    spark: &['.', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
    tree: ["|- ", "`- ", "|  ", "   "],
};

/// How times are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// The present time, in nanoseconds since 1970.
    pub(super) now_ns: i64,
    /// True for times as they are in the reply.
    pub(super) is_iso: bool,
}

/// Draws cells.
pub(super) struct Pen<'a> {
    pub(super) style: &'a dyn Style,
    pub(super) glyphs: Glyphs,
    pub(super) clock: Clock,
}

impl Pen<'_> {
    /// Returns the pieces of cells with a blank between them.
    pub(super) fn line(&self, cells: &[Cell]) -> Strip {
        let mut line = Strip::new();
        for cell in cells {
            let strip = self.cell(cell);
            if !line.is_empty() && !strip.is_empty() {
                line.push(Piece::plain(" "));
            }
            line.extend(strip);
        }
        line
    }

    /// Returns the pieces of a cell.
    pub(super) fn cell(&self, cell: &Cell) -> Strip {
        let one = |text: String, part: Option<Part>, cut: Cut| vec![Piece::new(text, part, cut)];
        match cell {
            Cell::Empty => Vec::new(),
            Cell::Text(text) => one(plain(text), None, Cut::End),
            Cell::Faint(text) => one(plain(text), Some(Part::Faint), Cut::End),
            Cell::Name(name) => one(plain(name), Some(Part::Name), Cut::End),
            Cell::Path(path) => vec![self.path(path, None)],
            Cell::Entry(path, name) => {
                let link = Some((path.clone(), None));
                vec![Piece { link, ..Piece::new(plain(name), Some(Part::Path), Cut::Middle) }]
            }
            Cell::Place(path, line) => self.place(path, *line, line.to_string()),
            Cell::Lines(path, line, end_line) => {
                let range =
                    if line == end_line { line.to_string() } else { format!("{line}-{end_line}") };
                let piece = Piece::new(range, Some(Part::Line), Cut::Never);
                vec![Piece { link: Some((path.clone(), Some(*line))), ..piece }]
            }
            Cell::Number(number) => one(number.to_string(), None, Cut::Never),
            Cell::Size(bytes) => one(HumanBytes(*bytes).to_string(), None, Cut::Never),
            Cell::Changed(added, removed) => vec![
                Piece::new(format!("+{added}"), Some(Part::Good), Cut::Never),
                Piece::plain(" "),
                Piece::new(format!("-{removed}"), Some(Part::Bad), Cut::Never),
            ],
            Cell::Share(share) => {
                let percent = match (share.clamp(0.0, 1.0) * 100.0).round() {
                    0.0 if *share > 0.0 => "<1%".to_owned(),
                    rounded => format!("{rounded}%"),
                };
                vec![self.bar(*share), Piece::plain(format!(" {percent:>4}"))]
            }
            Cell::Bar(share) => vec![self.bar(*share)],
            Cell::Level(grade, word) => {
                let part = match grade {
                    Grade::Good => Part::Good,
                    Grade::Fair => Part::Fair,
                    Grade::Bad => Part::Bad,
                    Grade::Worst => Part::Worst,
                };
                one((*word).to_owned(), Some(part), Cut::Never)
            }
            Cell::Time(text) => {
                let shown = if self.clock.is_iso { None } else { ago(text, self.clock.now_ns) };
                one(shown.unwrap_or_else(|| plain(text)), None, Cut::Never)
            }
            Cell::Sparkline(counts) => one(self.sparkline(counts), Some(Part::Drawing), Cut::Never),
            Cell::Code { path, text, name } => code(path, text, name),
        }
    }

    fn path(&self, path: &str, line: Option<usize>) -> Piece {
        let shown = plain(&self.style.relative(path));
        let link = Some((path.to_owned(), line));
        Piece { link, ..Piece::new(shown, Some(Part::Path), Cut::Middle) }
    }

    fn place(&self, path: &str, line: usize, shown: String) -> Strip {
        let of = self.path(path, Some(line));
        let colon = Piece { part: None, cut: Cut::Never, ..of.with(":") };
        let number = Piece { part: Some(Part::Line), cut: Cut::Never, ..of.with(shown) };
        vec![of, colon, number]
    }

    fn bar(&self, share: f64) -> Piece {
        let steps = self.glyphs.bar.len() - 1;
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        let filled = (share * (BAR * steps) as f64).round() as usize;
        let filled = if share > 0.0 { filled.max(1) } else { filled };
        let of = |at: usize| self.glyphs.bar[filled.saturating_sub(at * steps).min(steps)];
        Piece::new((0..BAR).map(of).collect::<String>(), Some(Part::Drawing), Cut::Never)
    }

    fn sparkline(&self, counts: &[u32]) -> String {
        let max = counts.iter().copied().max().unwrap_or_default().max(1) as usize;
        let top = self.glyphs.spark.len() - 1;
        let height = |&count: &u32| (count as usize * top).div_ceil(max);
        counts.iter().map(|count| self.glyphs.spark[height(count)]).collect()
    }
}

/// Returns a piece of code on one line in the colours of the language of `path`, with every whole word
/// `name` in it highlighted.
fn code(path: &str, text: &str, name: &str) -> Strip {
    let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole = |at: usize| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !before.ends_with(is_in_word) && !after.starts_with(is_in_word)
    };
    let found = text.match_indices(name).map(|(at, _)| at).filter(|_| !name.is_empty());
    let names = found.filter(|&at| is_whole(at)).map(|at| at..at + name.len());
    let names: Vec<Range<usize>> = names.collect();
    // Its pieces are cut together, at the end.
    let mut strip = Strip::new();
    for (span, part) in colored(path, text) {
        let mut at = span.start;
        // A name that begins in a token is not cut at its end, nor are its letters repeated.
        for of in names.iter().filter(|of| span.contains(&of.start) && of.end <= span.end) {
            strip.push(Piece::new(plain(&text[at..of.start]), part, Cut::Code));
            strip.push(Piece::new(plain(&text[of.clone()]), Some(Part::Match), Cut::Code));
            at = of.end;
        }
        strip.push(Piece::new(plain(&text[at..span.end]), part, Cut::Code));
    }
    strip.retain(|piece| !piece.text.is_empty());
    strip
}

/// Returns all of a piece of code in spans, each with the colour of its token in the language of `path`.
pub(in crate::cli) fn colored(path: &str, text: &str) -> Vec<(Range<usize>, Option<Part>)> {
    let part = |token| match token {
        Token::Keyword => Part::Keyword,
        Token::Literal => Part::Literal,
        Token::Comment => Part::Comment,
    };
    let spans = tokens::spans(path, text).into_iter();
    spans.map(|(span, token)| (span, token.map(part))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::style::Plain;
    use crate::base::time;

    fn drawn(cell: &Cell, glyphs: Glyphs) -> String {
        let now_ns = time::parse("2026-03-01T12:00:00Z", 0).expect("a time");
        let pen = Pen { style: &Plain, glyphs, clock: Clock { now_ns, is_iso: false } };
        pen.cell(cell).into_iter().map(|piece| piece.text).collect()
    }

    #[test]
    fn bars_have_eighths_or_characters() {
        for (share, unicode, ascii) in [
            (0.0, "           0%", "--------   0%"),
            (0.001, "▏         <1%", "#-------  <1%"),
            (0.44, "███▌      44%", "####----  44%"),
            (1.0, "████████ 100%", "######## 100%"),
            (7.0, "████████ 100%", "######## 100%"),
        ] {
            assert_eq!(drawn(&Cell::Share(share), UNICODE), unicode);
            assert_eq!(drawn(&Cell::Share(share), ASCII), ascii);
        }
        assert_eq!(drawn(&Cell::bar(1.0, 0.0), UNICODE), "        ");
        let counts = Cell::Sparkline(vec![0, 1, 7, 3, 14]);
        assert_eq!(drawn(&counts, UNICODE), "▁▂▅▃█");
        assert_eq!(drawn(&counts, ASCII), ".1529");
    }

    #[test]
    fn times_are_relative() {
        for (time, expected) in [
            ("2026-03-01", "today"),
            ("2026-02-28", "yesterday"),
            ("2026-02-20", "9 days ago"),
            ("2026-02-01", "4 weeks ago"),
            ("2025-11-01", "4 months ago"),
            ("2024-11-01", "1 year ago"),
            ("2026-03-02", "2026-03-02"),
            ("2026-03-01T11:59:59Z", "1 second ago"),
            ("2026-03-01T11:00:00Z", "60 minutes ago"),
            ("2026-03-01T10:00:00Z", "2 hours ago"),
            ("2026-02-27T10:00:00Z", "2 days ago"),
            ("someday", "someday"),
        ] {
            assert_eq!(drawn(&Cell::time(time), UNICODE), expected, "{time}");
        }
    }

    #[test]
    fn names_in_code_are_highlighted() {
        let of = |text: &str| {
            let cell = Cell::Code { path: "a".into(), text: text.into(), name: "add".into() };
            let pen =
                Pen { style: &Plain, glyphs: ASCII, clock: Clock { now_ns: 0, is_iso: true } };
            let marked = |piece: &Piece| match piece.part {
                Some(_) => format!("[{}]", piece.text),
                None => piece.text.clone(),
            };
            pen.cell(&cell).iter().map(marked).collect::<String>()
        };
        assert_eq!(of("add(add_1, add)\t"), "[add](add_1, [add])\\t");
    }
}
