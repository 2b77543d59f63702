//! Normalization of a symbol's texts: name, signature and documentation, without delimiters and
//! with a bounded length.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

/// Maximum length of a name; longer names are truncated.
const NAME_BYTES_MAX: usize = 256;

/// Maximum length of a qualified name; of a longer one only the end is kept.
const QUALIFIED_BYTES_MAX: usize = 1024;

/// Maximum length of a signature; longer signatures are truncated.
const SIGNATURE_BYTES_MAX: usize = 240;

/// Maximum length of documentation; longer documentation is truncated.
const DOC_BYTES_MAX: usize = 4096;

/// Returns a name in which each run of white space and control characters is one space.
pub(super) fn name(text: &str) -> String {
    truncate(collapse(text), NAME_BYTES_MAX)
}

/// Returns `scope` and `name` joined by `separator`, or only `name` if the scope is empty.
pub(super) fn join(scope: &str, separator: &str, name: &str) -> String {
    if scope.is_empty() {
        return name.to_owned();
    }
    let joined = format!("{scope}{separator}{name}");
    if joined.len() <= QUALIFIED_BYTES_MAX {
        return joined;
    }
    let mut start = joined.len() - QUALIFIED_BYTES_MAX;
    while !joined.is_char_boundary(start) {
        start += 1;
    }
    format!("…{}", &joined[start..])
}

/// Returns the head of a definition on one line, without comments and without a trailing opening
/// bracket. Without `is_multiline`, only the first line of `text` is used.
pub(super) fn signature(text: &[u8], is_multiline: bool, line_comments: &[&str]) -> String {
    truncate(whole_signature(text, is_multiline, line_comments), SIGNATURE_BYTES_MAX)
}

/// Returns the same, not truncated, of the first 3,840 bytes.
pub(super) fn whole_signature(text: &[u8], is_multiline: bool, line_comments: &[&str]) -> String {
    // More input cannot change the result, which is truncated much earlier.
    let text = &text[..text.len().min(16 * SIGNATURE_BYTES_MAX)];
    let line = match simple_line(text, is_multiline, line_comments) {
        Some(line) => Cow::Borrowed(line),
        None => Cow::Owned(collapsed_lines(text, is_multiline, line_comments)),
    };
    let line = line.trim_end_matches(|c: char| c.is_whitespace() || "{[(=:;,&\\".contains(c));
    let line = line.strip_suffix("=>").map_or(line, str::trim_end);
    let is_spaced = line.as_bytes().windows(2).any(|pair| pair == b"( " || pair == b" )");
    if is_spaced {
        line.replace("( ", "(").replace(", )", ")").replace(" )", ")")
    } else {
        line.to_owned()
    }
}

/// Returns the only line of a signature if nothing has to be removed from it: it has no comments, no
/// control characters, and single spaces inside. Most signatures are such lines.
fn simple_line<'t>(text: &'t [u8], is_multiline: bool, line_comments: &[&str]) -> Option<&'t str> {
    let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    if is_multiline && end < text.len() {
        return None;
    }
    let line = &text[..end];
    let is_plain = line.iter().all(|byte| (b' '..0x7F).contains(byte))
        && line.windows(2).all(|pair| pair != b"  " && pair != b"/*")
        && line.first() != Some(&b' ')
        && line.last() != Some(&b' ')
        && line_comments.iter().all(|prefix| memmem::find(line, prefix.as_bytes()).is_none());
    std::str::from_utf8(line).ok().filter(|_| is_plain)
}

/// Returns the lines of a signature as one, without comments.
fn collapsed_lines(text: &[u8], is_multiline: bool, line_comments: &[&str]) -> String {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().take(if is_multiline { usize::MAX } else { 1 });
    let kept: Vec<&str> = lines.map(|line| before_comment(line, line_comments)).collect();
    collapse(&without_block_comments(&kept.join("\n")))
}

fn before_comment<'a>(line: &'a str, line_comments: &[&str]) -> &'a str {
    let starts = line_comments.iter().filter_map(|prefix| {
        line.match_indices(prefix)
            .map(|(at, _)| at)
            .find(|&at| line[..at].chars().next_back().is_none_or(char::is_whitespace))
    });
    starts.min().map_or(line, |at| &line[..at])
}

fn without_block_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("/*") {
        let Some(len) = rest[start + 2..].find("*/") else { break };
        kept.push_str(&rest[..start]);
        rest = &rest[start + 2 + len + 2..];
    }
    kept + rest
}

/// Returns the text of the comments `spans` without delimiters, or `None` if it is empty.
pub(super) fn doc(text: &[u8], spans: &[Range<usize>]) -> Option<String> {
    let mut doc = String::new();
    for span in spans {
        for line in String::from_utf8_lossy(&text[span.clone()]).lines() {
            push_line(&mut doc, without_delimiters(line));
        }
        if doc.len() > DOC_BYTES_MAX {
            break;
        }
    }
    finish(doc)
}

fn without_delimiters(line: &str) -> &str {
    let line = line.trim();
    let ends = ["*/", "*)", "-}"];
    let line = ends.iter().find_map(|end| line.strip_suffix(end)).unwrap_or(line);
    let prefixes = [
        "#:", "#'", "///", "//!", "/**", "/*!", "//", "/*", "#", "-- |", "--[[", "--", "{- |",
        "{-", "(*", "*",
    ];
    for prefix in prefixes {
        if let Some(rest) = line.strip_prefix(prefix) {
            return rest.trim_start_matches(prefix.chars().next_back().unwrap_or(' ')).trim();
        }
    }
    line.trim()
}

/// Returns the text of a docstring without its quotes.
pub(super) fn docstring(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let text = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let quotes = |c: char| c == '"' || c == '\'';
    let mut doc = String::new();
    for line in text.trim_matches(quotes).lines() {
        push_line(&mut doc, line.trim());
    }
    finish(doc)
}

fn push_line(doc: &mut String, line: &str) {
    if !doc.is_empty() {
        doc.push('\n');
    } else if line.is_empty() {
        return;
    }
    doc.push_str(line);
}

fn finish(doc: String) -> Option<String> {
    let doc = truncate(doc.trim_end().to_owned(), DOC_BYTES_MAX);
    if doc.is_empty() { None } else { Some(doc) }
}

/// Returns `text` with each run of white space and control characters replaced by one space.
fn collapse(text: &str) -> String {
    let is_blank = |c: char| c.is_whitespace() || c.is_control();
    let parts: Vec<&str> = text.split(is_blank).filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

/// Returns at most the first `bytes_max` bytes of `text`, followed by `…` if it was truncated.
fn truncate(mut text: String, bytes_max: usize) -> String {
    if text.len() > bytes_max {
        let mut end = bytes_max;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_lines_are_what_the_general_rules_make_of_them() {
        let parts =
            ["fn ", "a", "(", " ", ")", ", ", "//", "#", "/*", "*/", "é", "\t", "\n", "=> ", "{"];
        let mut simple = 0;
        for seed in 0..20_000_usize {
            let pick = |at: u32| parts[seed / 15_usize.pow(at) % 15 * 7 % 15];
            let text: String = (0..4).map(pick).chain(["b: c"]).chain((1..3).map(pick)).collect();
            for (is_multiline, comments) in
                [(true, &["//"][..]), (false, &["#", "//"]), (true, &[])]
            {
                let text = text.as_bytes();
                let Some(line) = simple_line(text, is_multiline, comments) else { continue };
                simple += 1;
                assert_eq!(line, collapsed_lines(text, is_multiline, comments), "{text:?}");
            }
        }
        assert!(simple > 1000, "{simple}");
    }
}
