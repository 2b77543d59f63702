//! Adds and removes members of an object.
//!
//! Adding a member is injective (different texts give different results), so that a removal can
//! restore every byte. For that, the blanks in an object without members determine the layout of
//! its first member.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};

use super::document::Document;
use super::written::{Written, quoted};
use crate::register::lines;

/// A replacement of a range of the text.
#[derive(Clone, Debug)]
pub(super) struct Splice {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// Applies `splices`, which are in order and do not overlap, to `text`.
pub(super) fn spliced(text: &str, splices: Vec<Splice>) -> String {
    let (mut edited, mut at) = (String::with_capacity(text.len() + 256), 0);
    for splice in splices {
        edited.push_str(&text[at..splice.range.start]);
        edited.push_str(&splice.text);
        at = splice.range.end;
    }
    edited.push_str(&text[at..]);
    edited
}

impl Document<'_> {
    /// Returns the splices that add a member at the end of `object`.
    pub(super) fn inserted(&self, object: &Object<'_>, key: &str, member: &Written) -> Vec<Splice> {
        let label = format!("{}: ", quoted(key));
        match object.properties.last() {
            None => self.inserted_first(object, &label, member),
            Some(last) => self.inserted_after(object, last, &label, member),
        }
    }

    /// Returns the splices that add an element at the end of `list`.
    pub(super) fn appended(&self, list: &Array<'_>, element: &Written) -> Vec<Splice> {
        let Some(last) = list.elements.last() else {
            let (open, close) = (list.range.start, list.range.end - 1);
            let comment = self.tokens_in(open + 1, close).last();
            let at = comment.map_or(open + 1, |comment| self.end_of(comment));
            let text = match comment {
                Some(_) => format!("{}{}", lines::line_end(self.text), element.inline()),
                None => element.inline(),
            };
            return vec![Splice { range: at..at, text }];
        };
        self.inserted_after(list, last, "", element)
    }

    fn inserted_first(&self, object: &Object<'_>, label: &str, member: &Written) -> Vec<Splice> {
        let (open, close) = (object.range.start, object.range.end - 1);
        // Inserted after the comments, so that they keep their places.
        let comment = self.tokens_in(open + 1, close).last();
        let at = comment.map_or(open + 1, |comment| self.end_of(comment));
        let rest = &self.text[at..close];
        let (end, unit) = (lines::line_end(self.text), self.unit());
        let base = self.indent_of_line(open);
        let indent = format!("{base}{unit}");
        let on_lines = format!("{end}{indent}{label}{}", member.lines(end, unit, &indent));
        let on_line = format!("{label}{}", member.inline());
        let text = match comment {
            Some(_) if rest.contains('\n') => on_lines,
            Some(_) => format!(" {on_line}"),
            None if rest.is_empty() && !self.is_one_line() => format!("{on_lines}{end}{base}"),
            None => on_line,
        };
        vec![Splice { range: at..at, text }]
    }

    fn inserted_after(
        &self,
        container: &impl Ranged,
        last: &impl Ranged,
        label: &str,
        member: &Written,
    ) -> Vec<Splice> {
        let (container, last) = (container.range(), last.range());
        let (last_end, close) = (last.end, container.end - 1);
        let behind = self.tokens_in(last_end, close);
        let comma = behind.iter().find(|token| token.token == Token::Comma);
        // Comments on the last member's line belong to it.
        let mut at = comma.map_or(last_end, |comma| comma.range.end);
        for comment in self.tokens_in(at, close) {
            if self.text[at..comment.range.start].contains('\n') {
                break;
            }
            at = self.end_of(comment);
        }
        let own_line = self.own_line_indent(last.start);
        let (end, unit) = (lines::line_end(self.text), self.unit());
        let text = if own_line.is_some() || self.text[at..close].contains('\n') {
            let in_object = || format!("{}{unit}", self.indent_of_line(container.start));
            let indent = own_line.map_or_else(in_object, str::to_owned);
            format!("{end}{indent}{label}{}", member.lines(end, unit, &indent))
        } else {
            format!(" {label}{}", member.inline())
        };
        match comma {
            // The object keeps its trailing comma.
            Some(_) => vec![Splice { range: at..at, text: format!("{text},") }],
            None => vec![
                Splice { range: last_end..last_end, text: ",".to_owned() },
                Splice { range: at..at, text },
            ],
        }
    }

    /// Returns the splice that replaces the value of a member.
    pub(super) fn replaced(&self, member: &ObjectProp<'_>, value: &Written) -> Splice {
        let range = member.value.range();
        let text = match self.own_line_indent(member.range.start) {
            Some(indent) => value.lines(lines::line_end(self.text), self.unit(), indent),
            None => value.inline(),
        };
        Splice { range: range.start..range.end, text }
    }

    /// Returns the splices that remove `member` from the object or list `container`.
    pub(super) fn removed(&self, container: &impl Ranged, member: &impl Ranged) -> Vec<Splice> {
        let (container, member) = (container.range(), member.range());
        let (open, close) = (container.start, container.end - 1);
        let (start, end) = (member.start, member.end);
        let (before, behind) = (self.tokens_in(open + 1, start), self.tokens_in(end, close));
        let comma_before = before.iter().rev().find(|token| token.token == Token::Comma);
        let comma_behind = behind.iter().find(|token| !is_comment(token));
        let comma_behind = comma_behind.filter(|token| token.token == Token::Comma);
        if before.is_empty() && behind.len() == usize::from(comma_behind.is_some()) {
            return vec![cut(open + 1..close)];
        }
        let mut from = open + 1 + self.text[open + 1..start].trim_end().len();
        let mut to = end;
        let mut splices = Vec::new();
        match (comma_behind, comma_before) {
            (Some(comma), _) if self.text[end..comma.range.start].trim().is_empty() => {
                to = comma.range.end;
            }
            (Some(comma), _) => splices.push(cut(comma.range.start..comma.range.end)),
            (None, Some(comma)) => splices.push(cut(comma.range.start..comma.range.end)),
            (None, None) => {}
        }
        let line = self.text[to..].split('\n').next().unwrap_or_default();
        let follows = !line.trim().is_empty();
        if follows
            && before.last().is_some_and(|token| matches!(token.token, Token::CommentLine(_)))
        {
            // The following text must not become part of the comment.
            from = start;
        }
        if from == open + 1 && from == start {
            to += self.text[to..].len() - self.text[to..].trim_start_matches([' ', '\t']).len();
        }
        splices.push(cut(from..to));
        splices.sort_by_key(|splice| splice.range.start);
        splices
    }

    /// Returns the end of a token, without the line end of a comment.
    fn end_of(&self, token: &TokenAndRange<'_>) -> usize {
        let range = token.range.start..token.range.end;
        range.start + self.text[range.clone()].trim_end_matches(['\r', '\n']).len()
    }

    /// Returns two removals of `member`, the only one of an object or list. One of them undoes an insertion
    /// into one without members and comments: the first removes all blanks, the second keeps
    /// those after the member.
    pub(super) fn emptied(container: &impl Ranged, member: &impl Ranged) -> [Splice; 2] {
        let (container, member) = (container.range(), member.range());
        let (open, close) = (container.start, container.end - 1);
        [cut(open + 1..close), cut(open + 1..member.end)]
    }

    /// Returns the indentation of the line of `at`.
    fn indent_of_line(&self, at: usize) -> &str {
        let line = &self.text[self.text[..at].rfind('\n').map_or(0, |at| at + 1)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Returns the blanks before `at` if they start its line.
    fn own_line_indent(&self, at: usize) -> Option<&str> {
        let line_start = self.text[..at].rfind('\n')? + 1;
        let before = &self.text[line_start..at];
        before.trim_matches([' ', '\t']).is_empty().then_some(before)
    }

    /// Returns the unit of indentation: that of the first member of the text, else two spaces.
    fn unit(&self) -> &str {
        let first = self.root().ok().flatten().and_then(|root| root.properties.first());
        let indent = first.and_then(|first| self.own_line_indent(first.range.start));
        indent.filter(|indent| !indent.is_empty()).unwrap_or("  ")
    }

    /// Returns true if the first member is on the line of the first brace.
    fn is_one_line(&self) -> bool {
        let root = self.root().ok().flatten();
        let first = root.and_then(|root| root.properties.first());
        first.is_some_and(|first| self.own_line_indent(first.range.start).is_none())
    }
}

fn cut(range: Range<usize>) -> Splice {
    Splice { range, text: String::new() }
}

fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}
