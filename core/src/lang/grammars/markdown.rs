//! Markdown: headings and their sections.
//!
//! The mask blanks out everything except headings. Only headings are needed, and this saves parsing
//! the prose.

use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

use super::blank::{blanks, lines};

/// Markdown.
pub(crate) static MARKDOWN: Language = Language {
    name: "markdown",
    extensions: &["md", "markdown", "mdx", "mkd", "qmd", "rmd"],
    filenames: &[],
    shebangs: &[],
    separator: " > ",
    line_comments: &[],
    block_comments: &[("<!--", "-->")],
    tests: TestConventions::NONE,
    grammar: grammar!("tree-sitter-md", tree_sitter_md::LANGUAGE),
    refine: None,
    mask: Some(mask),
    embedded: None,
    comments: &[],
    doc_comments: &[],
    attributes: &[],
    markers: &[],
    define,
    refer: None,
    scopes: &[],
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    if node.kind_name() != "section" {
        return;
    }
    let Some(heading) = visit.child(node, "atx_heading") else { return };
    let mark: &[u8] = b"\xEF\xBB\xBF";
    let has_mark = visit.text[heading.start_byte()..].starts_with(mark);
    let start = heading.start_byte() + if has_mark { mark.len() } else { 0 };
    let Some(line) = visit.text[start..heading.end_byte()].split(|&byte| byte == b'\n').next()
    else {
        return;
    };
    let (skipped, title) = title(line);
    if title.is_empty() {
        return;
    }
    let mut definition = Definition::new(visit, SymbolKind::Section, heading);
    definition.name = String::from_utf8_lossy(title).into_owned();
    definition.name_span = start + skipped..start + skipped + title.len();
    found.push(definition);
}

/// Returns the title of a heading and the number of bytes before it.
fn title(line: &[u8]) -> (usize, &[u8]) {
    let is_mark = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b'#';
    let skipped = line.iter().take_while(is_mark).count();
    let title = line[skipped..].trim_ascii_end();
    let marks = title.iter().rev().take_while(|&&byte| byte == b'#').count();
    let words = title[..title.len() - marks].trim_ascii_end();
    // In `## C#` the final `#` is part of the title, in `## C ##` it closes the heading.
    let is_closed = marks > 0 && words.len() + marks < title.len();
    (skipped, if is_closed { words } else { title })
}

/// Blanks out everything except headings, and rewrites underlined (setext) headings with `#`.
fn mask(text: &[u8]) -> Vec<u8> {
    // A heading may be indented by three spaces, which are as long as a byte order mark.
    if let Some(text) = text.strip_prefix(b"\xEF\xBB\xBF") {
        return [b"   ".as_slice(), &mask(text)].concat();
    }
    let mut masked = blanks(text);
    let mut fence: Option<(u8, usize)> = None;
    let mut in_front = text.starts_with(b"---\n") || text.starts_with(b"---\r");
    let mut in_comment = false;
    // The previous line, if it is a paragraph of one line; and whether a paragraph is open.
    let mut above: Option<(usize, usize)> = None;
    let mut in_paragraph = false;
    for (start, line) in lines(text) {
        let words = line.trim_ascii();
        let indent = line.iter().take_while(|&&byte| byte == b' ').count();
        let alone = above.take();
        if in_front {
            in_front = start == 0 || words != b"---";
            continue;
        }
        if in_comment {
            in_comment = !has(words, b"-->");
            continue;
        }
        if let Some((mark, len)) = fence {
            let closes = words.len() >= len && words.iter().all(|&byte| byte == mark);
            fence = fence.filter(|_| !closes);
            continue;
        }
        let level = words.iter().take_while(|&&byte| byte == b'#').count();
        if words.is_empty() || (indent > 3 && !in_paragraph) {
            in_paragraph = false;
        } else if let Some(opened) = fence_of(words) {
            fence = Some(opened);
            in_paragraph = false;
        } else if words.starts_with(b"<!--") {
            in_comment = !has(words, b"-->");
            in_paragraph = false;
        } else if (1..=6).contains(&level) && words.get(level).is_none_or(u8::is_ascii_whitespace) {
            masked[start..start + line.len()].copy_from_slice(line);
            in_paragraph = false;
        } else if let (Some((at, len)), Some(level)) = (alone, underline(words)) {
            let words = &text[at..at + len];
            masked[at..at + len].copy_from_slice(words);
            let marked = level.min(len);
            masked[at..at + marked].fill(b'#');
            if let Some(byte) = masked.get_mut(at + marked).filter(|_| marked < len) {
                *byte = b' ';
            }
            in_paragraph = false;
        } else {
            let starts_block = b">-*+|<".contains(&words[0]) || indent > 3;
            above = (!in_paragraph && !starts_block).then(|| (start + indent, words.len()));
            in_paragraph = true;
        }
    }
    masked
}

fn has(text: &[u8], part: &[u8]) -> bool {
    bstr::ByteSlice::contains_str(text, part)
}

/// Returns the character and the length of the code fence that the line opens.
fn fence_of(words: &[u8]) -> Option<(u8, usize)> {
    let mark = *words.first().filter(|mark| b"`~".contains(mark))?;
    let len = words.iter().take_while(|&&byte| byte == mark).count();
    let is_fence = len >= 3 && !(mark == b'`' && words[len..].contains(&b'`'));
    is_fence.then_some((mark, len))
}

/// Returns the level of the heading that a line like `=====` underlines.
fn underline(words: &[u8]) -> Option<usize> {
    let all = |mark: u8| words.iter().all(|&byte| byte == mark);
    if all(b'=') { Some(1) } else { all(b'-').then_some(2) }
}
