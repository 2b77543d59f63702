//! Dockerfiles: stages, and the variables of `ARG` and `ENV`.
//!
//! The available grammars for Dockerfiles fail on `ARG A B` and end an instruction at the end of
//! its line. Only an outline is needed, so the mask converts the file to Markdown headings: stages
//! become level 1, variables level 2, and everything else is blanked out. The Markdown grammar then
//! nests them.

use super::blank::{blanks, lines};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

/// Dockerfiles.
pub(crate) static DOCKERFILE: Language = Language {
    name: "dockerfile",
    extensions: &["dockerfile", "containerfile"],
    filenames: &["Dockerfile", "Containerfile"],
    shebangs: &[],
    separator: ".",
    line_comments: &[],
    block_comments: &[],
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
    match node.kind_name() {
        "section" => {
            let words = words(visit.text, node.start_byte(), node.end_byte());
            if words.first().is_some_and(|word| is(word.1, b"FROM")) {
                found.extend(stage(visit, &words));
            }
        }
        "atx_heading" => {
            for (start, word) in words(visit.text, node.start_byte(), node.end_byte()) {
                found.extend(variable(visit, start, word));
            }
        }
        _ => {}
    }
}

/// Returns a stage, named by its `AS` name or else by its base image.
fn stage<'t>(visit: &Visit<'_, 't>, words: &[(usize, &[u8])]) -> Option<Definition<'t>> {
    let mut words = words[1..].iter().filter(|word| !word.1.starts_with(b"--"));
    let image = words.next()?;
    let is_named = words.next().is_some_and(|word| is(word.1, b"AS"));
    let &(start, name) = words.next().filter(|_| is_named).unwrap_or(image);
    Some(Definition {
        name: String::from_utf8_lossy(name).into_owned(),
        name_span: start..start + name.len(),
        ..Definition::new(visit, SymbolKind::Target, visit.node())
    })
}

/// Returns the variable of `name=value`, of `ARG name`, or of `ENV name value`.
fn variable<'t>(visit: &Visit<'_, 't>, start: usize, word: &[u8]) -> Option<Definition<'t>> {
    let node = visit.node();
    let len = word.iter().position(|&byte| byte == b'=').unwrap_or(word.len());
    let head = &visit.text[node.start_byte()..start];
    let is_env = head.get(..3).is_some_and(|head| is(head, b"ENV"));
    let is_arg = head.get(..3).is_some_and(|head| is(head, b"ARG"));
    let is_first = head.get(3..).is_some_and(|blank| blank.trim_ascii().is_empty());
    let is_name = word[..len].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let is_variable = len < word.len() || is_arg || (is_env && is_first);
    if !is_name || !is_variable || len == 0 || start == node.start_byte() && (is_env || is_arg) {
        return None;
    }
    Some(Definition {
        name: String::from_utf8_lossy(&word[..len]).into_owned(),
        name_span: start..start + len,
        ..Definition::new(visit, SymbolKind::Variable, node)
    })
}

fn is(word: &[u8], keyword: &[u8]) -> bool {
    word.eq_ignore_ascii_case(keyword)
}

/// Returns the words of the line that begins at `start`, with their offsets. A quoted string is one
/// word.
fn words(text: &[u8], start: usize, end: usize) -> Vec<(usize, &[u8])> {
    let mut found = Vec::new();
    let (mut word, mut quote) = (None, None);
    let line = text[start..end].split(|&byte| byte == b'\n').next().unwrap_or_default();
    for (at, &byte) in line.iter().chain(b" ").enumerate() {
        let is_end = at == line.len() || (quote.is_none() && byte.is_ascii_whitespace());
        match word {
            None if !is_end => word = Some(at),
            Some(from) if is_end => {
                found.push((start + from, &line[from..at]));
                word = None;
            }
            _ => {}
        }
        match quote {
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            Some(mark) if mark == byte => quote = None,
            _ => {}
        }
    }
    found.retain(|(_, word)| *word != b"\\");
    found
}

/// Converts the text to Markdown headings.
fn mask(text: &[u8]) -> Vec<u8> {
    let mut masked = blanks(text);
    let mut heredoc: Option<Vec<u8>> = None;
    // Set if the line continues an instruction; true if that instruction defines variables.
    let mut continued: Option<bool> = None;
    for (start, line) in lines(text) {
        let words = line.trim_ascii();
        if let Some(end) = &heredoc {
            if words == end {
                heredoc = None;
            }
            continue;
        }
        let is_comment = words.starts_with(b"#");
        let indent = line.iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
        let keyword = words.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let defines = continued.unwrap_or_else(|| is(keyword, b"ARG") || is(keyword, b"ENV"));
        let at = match continued {
            None => start + indent,
            Some(_) => start,
        };
        let level = match continued {
            None if is(keyword, b"FROM") => 1,
            None if defines => 2,
            Some(true) if indent >= 3 && !is_comment => 2,
            _ => 0,
        };
        if level > 0 {
            masked[at..at + level].fill(b'#');
            let rest = at + level + 1..start + line.len();
            masked[rest.clone()].copy_from_slice(&text[rest]);
        }
        if is_comment || (words.is_empty() && continued.is_some()) {
            continue;
        }
        continued = words.ends_with(b"\\").then_some(defines);
        heredoc = heredoc_of(words).filter(|_| is(keyword, b"RUN") || is(keyword, b"COPY"));
    }
    masked
}

/// Returns the delimiter of a heredoc that begins after this line: `<<EOF`, `<<-"EOF"`.
fn heredoc_of(words: &[u8]) -> Option<Vec<u8>> {
    let at = bstr::ByteSlice::find(words, b"<<")? + 2;
    let rest = words[at..].strip_prefix(b"-").unwrap_or(&words[at..]);
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let rest = rest.strip_prefix(b"\"").or(rest.strip_prefix(b"'")).unwrap_or(rest);
    let word: Vec<u8> = rest.iter().take_while(is_name).copied().collect();
    (!word.is_empty()).then_some(word)
}
