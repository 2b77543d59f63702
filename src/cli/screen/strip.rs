//! Pieces of a line: measured and cut as plain text, then coloured and linked.

use unicode_width::UnicodeWidthStr;

use crate::answer::style::{Part, Style};

/// How a piece gives way where the width does not suffice.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Cut {
    /// It stays.
    #[default]
    Never,
    /// Its end is cut.
    End,
    /// It is a path: directories in the middle are cut.
    Middle,
    /// It is a part of code: the pieces of code are cut together, at their end, before others.
    Code,
}

/// The columns of code that stay while others can be cut.
const CODE_MIN: usize = 12;

/// A piece of a line in one colour.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Piece {
    /// The text, without control characters.
    pub(super) text: String,
    /// Its colour.
    pub(super) part: Option<Part>,
    /// The file and line to which it links.
    pub(super) link: Option<(String, Option<usize>)>,
    /// How it gives way.
    pub(super) cut: Cut,
}

/// A line, or a cell of it.
pub(super) type Strip = Vec<Piece>;

impl Piece {
    pub(super) fn new(text: impl Into<String>, part: Option<Part>, cut: Cut) -> Piece {
        Piece { text: text.into(), part, link: None, cut }
    }

    /// Returns text without colour that is never cut.
    pub(super) fn plain(text: impl Into<String>) -> Piece {
        Piece::new(text, None, Cut::Never)
    }

    /// Returns a piece of the same kind with another text.
    pub(super) fn with(&self, text: impl Into<String>) -> Piece {
        Piece { text: text.into(), ..self.clone() }
    }
}

/// Returns the number of columns of a text.
pub(super) fn width_of(text: &str) -> usize {
    text.width()
}

/// Returns the number of columns of a line.
pub(super) fn width(strip: &[Piece]) -> usize {
    strip.iter().map(|piece| width_of(&piece.text)).sum()
}

/// Cuts a line to `max` columns: first the widest of the pieces that may be cut, at last the end.
pub(super) fn fit(mut strip: Strip, max: usize, ellipsis: &str) -> Strip {
    let least = |piece: &Piece| match piece.cut {
        Cut::Never | Cut::Code => usize::MAX,
        Cut::End | Cut::Middle => width_of(ellipsis) + 1,
    };
    let is_code = |piece: &Piece| piece.cut == Cut::Code;
    let code: usize =
        strip.iter().filter(|of| is_code(of)).map(|piece| width_of(&piece.text)).sum();
    let over = width(&strip).saturating_sub(max);
    let kept = code.saturating_sub(over).max(CODE_MIN);
    if over > 0 && kept < code {
        let mut left = kept - width_of(ellipsis);
        let mut end = Some(ellipsis);
        for piece in strip.iter_mut().filter(|of| is_code(of)) {
            let of = width_of(&piece.text);
            if of <= left {
                left -= of;
                continue;
            }
            piece.text = format!("{}{}", start(&piece.text, left), end.take().unwrap_or_default());
            left = 0;
        }
    }
    loop {
        let over = width(&strip).saturating_sub(max);
        if over == 0 {
            return strip;
        }
        let can_give = |piece: &&mut Piece| width_of(&piece.text) > least(piece);
        let mut able: Vec<&mut Piece> = strip.iter_mut().filter(can_give).collect();
        able.sort_by_key(|piece| width_of(&piece.text));
        let Some(piece) = able.pop() else { break };
        let next = able.last().map_or(0, |next| width_of(&next.text));
        let of = width_of(&piece.text);
        let to = of.saturating_sub(over).max(least(piece)).max(next.min(of - 1));
        let cut = match piece.cut {
            Cut::Middle => cut_path(&piece.text, to, ellipsis),
            _ => cut_end(&piece.text, to, ellipsis),
        };
        if width_of(&cut) >= width_of(&piece.text) {
            break;
        }
        piece.text = cut;
    }
    let (mut left, mut kept) = (max.saturating_sub(width_of(ellipsis)), Vec::new());
    for piece in strip {
        let of = width_of(&piece.text);
        if of > left {
            let end = start(ellipsis, max);
            kept.push(piece.with(format!("{}{end}", start(&piece.text, left))));
            break;
        }
        left -= of;
        kept.push(piece);
    }
    kept
}

/// Returns a text of at most `max` columns: its start and an ellipsis.
pub(super) fn cut_end(text: &str, max: usize, ellipsis: &str) -> String {
    if width_of(text) <= max {
        return text.to_owned();
    }
    let room = max.saturating_sub(width_of(ellipsis));
    let start = start(text, room).trim_end();
    if room == 0 { self::start(ellipsis, max).to_owned() } else { format!("{start}{ellipsis}") }
}

/// Returns the longest start of a text with at most `max` columns. O(`max`²).
pub(super) fn start(text: &str, max: usize) -> &str {
    if text.is_ascii() {
        return &text[..max.min(text.len())];
    }
    // Sequences of emoji are narrower than their characters together.
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8()).take(4 * max + 4);
    let fits = |end: &usize| width_of(&text[..*end]) <= max;
    let end = ends.filter(fits).last().unwrap_or_default();
    text[..end].trim_end_matches('\u{200D}')
}

/// Returns the longest end of a text with at most `max` columns.
fn end(text: &str, max: usize) -> &str {
    let mut from = text.len();
    for (at, _) in text.char_indices().rev() {
        if width_of(&text[at..]) > max {
            break;
        }
        from = at;
    }
    &text[from..]
}

/// Returns a path of at most `max` columns: directories in the middle are cut first, then the middle of
/// the name.
fn cut_path(path: &str, max: usize, ellipsis: &str) -> String {
    if width_of(path) <= max {
        return path.to_owned();
    }
    let parts: Vec<&str> = path.split('/').collect();
    let shown = |before: usize, after: usize| {
        let (start, end) = (&parts[..before], &parts[parts.len() - after..]);
        [start, &[ellipsis], end].concat().join("/")
    };
    let (mut before, mut after) = (0, 1);
    if parts.len() > 2 && width_of(&shown(before, after)) <= max {
        loop {
            let is_whole = before + after + 1 >= parts.len();
            if !is_whole && before < after && width_of(&shown(before + 1, after)) <= max {
                before += 1;
            } else if !is_whole && width_of(&shown(before, after + 1)) <= max {
                after += 1;
            } else if !is_whole && width_of(&shown(before + 1, after)) <= max {
                before += 1;
            } else {
                return shown(before, after);
            }
        }
    }
    let name = parts.last().copied().unwrap_or_default();
    let name = if parts.len() > 1 { format!("{ellipsis}/{name}") } else { name.to_owned() };
    if width_of(&name) <= max {
        return name;
    }
    let room = max.saturating_sub(width_of(ellipsis));
    let last = end(path, room / 2 + room % 2);
    format!("{}{ellipsis}{last}", start(path, room - width_of(last)))
}

/// Breaks a line into lines of at most `max` columns, anywhere; one at least.
pub(super) fn broken(strip: Strip, max: usize) -> Vec<Strip> {
    let mut lines: Vec<Strip> = vec![Vec::new()];
    let mut left = max;
    for piece in strip {
        let mut rest = piece.text.as_str();
        while width_of(rest) > left {
            let fitting = start(rest, left);
            if fitting.is_empty() && left == max {
                break;
            }
            push(&mut lines, piece.with(fitting));
            rest = &rest[fitting.len()..];
            lines.push(Vec::new());
            left = max;
        }
        left = left.saturating_sub(width_of(rest));
        push(&mut lines, piece.with(rest));
    }
    lines
}

/// Breaks a line into lines of at most `max` columns at blanks, or inside of words that are longer.
pub(super) fn wrap(strip: &[Piece], max: usize, indent: usize) -> Vec<Strip> {
    let max = max.max(indent + 8);
    let mut lines: Vec<Strip> = vec![Vec::new()];
    let mut used = 0;
    for (words, has_blank) in words(strip) {
        let blank = usize::from(has_blank && used > 0);
        let is_first = lines.len() == 1;
        let of = width(&words);
        let is_at_start = used == 0 || (used == indent && !is_first);
        if !is_at_start && used + blank + of > max {
            lines.push(indented(indent));
            used = indent;
        } else if blank == 1 && !is_at_start {
            let last = lines.last().and_then(|line| line.last());
            let piece = blank_between(last, &words);
            push(&mut lines, piece);
            used += 1;
        }
        for piece in words {
            let mut rest = piece.text.as_str();
            while used + width_of(rest) > max {
                let fitting = start(rest, max - used);
                push(&mut lines, piece.with(fitting));
                rest = &rest[fitting.len()..];
                lines.push(indented(indent));
                used = indent;
            }
            used += width_of(rest);
            push(&mut lines, piece.with(rest));
        }
    }
    lines
}

/// Returns the blank between two words, which is in their colour if both have the same.
fn blank_between(before: Option<&Piece>, after: &[Piece]) -> Piece {
    match (before, after.first()) {
        (Some(before), Some(after)) if before.with("") == after.with("") => before.with(" "),
        _ => Piece::plain(" "),
    }
}

fn indented(indent: usize) -> Strip {
    if indent == 0 { Vec::new() } else { vec![Piece::plain(" ".repeat(indent))] }
}

fn push(lines: &mut [Strip], piece: Piece) {
    if let Some(line) = lines.last_mut().filter(|_| !piece.text.is_empty()) {
        line.push(piece);
    }
}

/// Returns the words of a line, each with whether a blank precedes it. Pieces without a blank between
/// them are one word.
fn words(strip: &[Piece]) -> Vec<(Strip, bool)> {
    let mut words: Vec<(Strip, bool)> = Vec::new();
    let mut has_blank = true;
    for piece in strip {
        for (at, word) in piece.text.split(' ').enumerate() {
            has_blank |= at > 0;
            if word.is_empty() {
                continue;
            }
            match words.last_mut().filter(|_| !has_blank) {
                Some((last, _)) => last.push(piece.with(word)),
                None => words.push((vec![piece.with(word)], has_blank)),
            }
            has_blank = false;
        }
    }
    words
}

/// Returns the line in the colours and with the links of a style.
pub(super) fn painted(strip: &[Piece], style: &dyn Style) -> String {
    let mut out = String::new();
    let mut rest = strip;
    while let Some(first) = rest.first() {
        let same = rest.iter().take_while(|piece| piece.link == first.link).count();
        let (linked, others) = rest.split_at(same);
        let colored = linked.chunk_by(|a, b| a.part == b.part).map(|same| {
            let text: String = same.iter().map(|piece| piece.text.as_str()).collect();
            match same[0].part.filter(|_| !text.is_empty()) {
                Some(part) => style.paint(part, text),
                None => text,
            }
        });
        let text: String = colored.collect();
        match &first.link {
            Some((path, line)) => out.push_str(&style.link(path, *line, text)),
            None => out.push_str(&text),
        }
        rest = others;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cut_in_the_middle() {
        for (max, expected) in [
            (40, "core/src/history/coupling/mod.rs"),
            (31, "core/src/…/coupling/mod.rs"),
            (24, "core/…/coupling/mod.rs"),
            (20, "core/src/…/mod.rs"),
            (16, "core/…/mod.rs"),
            (9, "…/mod.rs"),
            (7, "cor….rs"),
            (1, "…"),
        ] {
            let cut = cut_path("core/src/history/coupling/mod.rs", max, "…");
            assert!(width_of(&cut) <= max, "{cut} in {max}");
            assert_eq!(cut, expected, "{max}");
        }
        assert_eq!(cut_path("a_very_long_name.rs", 10, "…"), "a_ve…me.rs");
        assert_eq!(cut_path("src/日本語のファイル.rs", 12, "…"), "src/日…ル.rs");
    }

    #[test]
    fn ends_are_cut_between_characters() {
        for (text, max, expected) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("a b", 2, "a…"),
            ("👩\u{200D}💻👩\u{200D}💻", 3, "👩\u{200D}💻…"),
            ("abc", 1, "…"),
            ("abc", 0, ""),
        ] {
            assert_eq!(cut_end(text, max, "…"), expected, "{text} {max}");
        }
    }

    #[test]
    fn lines_are_wrapped_at_blanks() {
        let text = |lines: Vec<Strip>| {
            let line = |line: Strip| line.into_iter().map(|piece| piece.text).collect::<String>();
            lines.into_iter().map(line).collect::<Vec<_>>()
        };
        let strip = [Piece::plain("one two "), Piece::plain("three"), Piece::plain("four")];
        assert_eq!(text(wrap(&strip, 12, 2)), ["one two", "  threefour"]);
        assert_eq!(text(wrap(&strip, 40, 2)), ["one two threefour"]);
        assert_eq!(text(wrap(&[Piece::plain("abcdefghijkl")], 8, 0)), ["abcdefgh", "ijkl"]);
        assert_eq!(text(wrap(&[], 8, 0)), [""]);
    }

    #[test]
    fn the_widest_piece_gives_way_first() {
        let fitted = |max| {
            let strip = vec![
                Piece::new("a/b/c/d.rs", None, Cut::Middle),
                Piece::plain(":12 "),
                Piece::new("a text", None, Cut::End),
            ];
            fit(strip, max, "…").into_iter().map(|piece| piece.text).collect::<String>()
        };
        assert_eq!(fitted(30), "a/b/c/d.rs:12 a text");
        assert_eq!(fitted(18), "a/…/d.rs:12 a text");
        assert_eq!(fitted(6), "…s:12…");
        assert_eq!(fitted(1), "…");
    }
}
