//! Lines of files as HTML: colours by tokens, names that lead to their definitions.

use std::ops::Range;

use maud::{Markup, html};

use super::links;
use crate::base::text::plain;
use crate::lang::tokens::{Token, spans};

/// The greatest number of bytes of a line that are written; the others are counted.
const LINE_BYTES_MAX: usize = 2_000;

/// Returns numbered lines of a file, from the line `first` on.
pub(super) fn lines(path: &str, text: &str, first: usize) -> Markup {
    let lines = of_lines(path, text);
    html! {
        pre.code tabindex="0" {
            @for (at, line) in lines.into_iter().enumerate() {
                span.line {
                    a.number href=(links::file(path, Some(first + at))) { (first + at) }
                    code { (line) }
                }
            }
        }
    }
}

/// Returns a piece of code on one line, with every whole word `name` marked.
pub(super) fn piece(path: &str, text: &str, name: &str) -> Markup {
    marked_piece(path, text, &words(text, name))
}

/// Returns a piece of code on one line, with parts of it marked, which are in order.
pub(super) fn marked_piece(path: &str, text: &str, marks: &[Range<usize>]) -> Markup {
    html! {
        code.piece { @for (span, token) in spans(path, text) { (marked(text, span, marks, token)) } }
    }
}

/// Returns the lines of a text, each with its tokens in colours.
pub(super) fn of_lines(path: &str, text: &str) -> Vec<Markup> {
    let spans = spans(path, text);
    let mut at = 0;
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let whole = start..start + line.len();
        start = whole.end;
        let shown = whole.start..whole.start + cut(line.trim_end_matches(['\n', '\r']));
        let hidden = line.trim_end_matches(['\n', '\r']).len() - shown.len();
        while spans.get(at).is_some_and(|(span, _)| span.end <= shown.start) {
            at += 1;
        }
        let of_line = spans[at..].iter().take_while(|(span, _)| span.start < shown.end);
        let of_line = of_line.filter_map(|(span, token)| Some((common(span, &shown)?, *token)));
        lines.push(html! {
            @for (span, token) in of_line { (colored(&text[span], token)) }
            @if hidden > 0 { span.faint { " … " (hidden) " more bytes" } }
        });
    }
    lines
}

/// Returns where a line is cut: at a character, after [`LINE_BYTES_MAX`] bytes at most.
fn cut(line: &str) -> usize {
    (0..=LINE_BYTES_MAX.min(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0)
}

fn common(one: &Range<usize>, other: &Range<usize>) -> Option<Range<usize>> {
    let common = one.start.max(other.start)..one.end.min(other.end);
    (!common.is_empty()).then_some(common)
}

fn class(token: Token) -> &'static str {
    match token {
        Token::Keyword => "k",
        Token::Literal => "l",
        Token::Comment => "c",
    }
}

fn colored(text: &str, token: Option<Token>) -> Markup {
    // Tabs stay: they are no controls that a browser obeys.
    let text = text.split('\t').map(plain).collect::<Vec<_>>().join("\t");
    match token {
        Some(token) => html! { span class=(class(token)) { (text) } },
        None => html! { (text) },
    }
}

/// Returns the whole words of a text that are `name`.
fn words(text: &str, name: &str) -> Vec<Range<usize>> {
    if name.is_empty() {
        return Vec::new();
    }
    let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
    let all = text.match_indices(name).map(|(at, _)| at..at + name.len());
    all.filter(|word| {
        !text[..word.start].ends_with(is_in_word) && !text[word.end..].starts_with(is_in_word)
    })
    .collect()
}

/// Returns a part of a text with what is marked in it.
fn marked(text: &str, span: Range<usize>, marks: &[Range<usize>], token: Option<Token>) -> Markup {
    let marks = marks.iter().filter_map(|mark| common(mark, &span));
    let (mut done, mut pieces) = (span.start, Vec::new());
    for mark in marks {
        pieces.push(html! {
            (colored(&text[done..mark.start], token)) mark { (plain(&text[mark.clone()])) }
        });
        done = mark.end;
    }
    html! { @for piece in pieces { (piece) } (colored(&text[done..span.end], token)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &[Markup]) -> Vec<String> {
        lines.iter().map(|line| line.clone().into_string()).collect()
    }

    #[test]
    fn tokens_of_several_lines_are_colored_in_each() {
        let lines = of_lines("a.rs", "fn a() {} /* one\r\ntwo */\n\n\"x\"");
        assert_eq!(
            text(&lines),
            [
                "<span class=\"k\">fn</span> a() {} <span class=\"c\">/* one</span>",
                "<span class=\"c\">two */</span>",
                "",
                "<span class=\"l\">&quot;x&quot;</span>",
            ]
        );
    }

    #[test]
    fn long_lines_are_cut_at_a_character() {
        let lines = of_lines("a.txt", &format!("{}é", "a".repeat(LINE_BYTES_MAX - 1)));
        let expected = format!("{}<span class=\"faint\"> … 2 more bytes</span>", "a".repeat(1_999));
        assert_eq!(text(&lines), [expected]);
    }

    #[test]
    fn whole_words_are_marked() {
        let shown = piece("a.rs", "add(add_1, \"add\")", "add").into_string();
        assert_eq!(shown.matches("<mark>add</mark>").count(), 2, "{shown}");
    }
}
