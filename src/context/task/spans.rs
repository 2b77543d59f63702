//! Splits a task into lines of prose and code, and prose into quoted and plain spans.

/// Maximum length of a quoted text, in bytes; a longer one is not a quotation.
const QUOTED_BYTES_MAX: usize = 160;

/// A line of a task.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Piece<'a> {
    /// Prose.
    Prose(&'a str),
    /// Code or program output: in fences, or indented by four blanks after an empty line.
    Code(&'a str),
}

/// Returns the lines of a task, without fences, empty lines, Markdown comments (boilerplate of
/// issue forms), and lines that consist of a name and its version.
pub(super) fn pieces(task: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut fence: Option<&str> = None;
    let (mut is_after_empty, mut is_indented) = (true, false);
    let mut is_comment = false;
    for line in task.lines() {
        let mut line = line;
        if fence.is_none() {
            let begins = line.trim_start().starts_with("<!--");
            if is_comment || begins {
                let end = line.find("-->");
                is_comment = end.is_none();
                match end.map(|end| &line[end + 3..]).filter(|rest| !rest.trim().is_empty()) {
                    Some(rest) => line = rest,
                    None => continue,
                }
            }
        }
        let trimmed = line.trim_start();
        if !pieces.is_empty() && is_version(trimmed) {
            continue;
        }
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)) {
            match fence {
                None => fence = Some(mark),
                Some(open) if open == mark => fence = None,
                Some(_) => {}
            }
            // A fence that opens and closes on one line.
            let inner = trimmed.trim_start_matches(['`', '~']);
            if let Some(inner) = inner.strip_suffix(mark) {
                fence = None;
                pieces.push(Piece::Code(inner));
            }
            (is_after_empty, is_indented) = (true, false);
            continue;
        }
        if trimmed.is_empty() {
            is_after_empty = true;
            continue;
        }
        let is_set_in = line.starts_with("    ") || line.starts_with('\t');
        let is_listed =
            trimmed.starts_with(['-', '*', '+']) && trimmed.as_bytes().get(1) == Some(&b' ');
        is_indented = is_set_in && !is_listed && (is_after_empty || is_indented);
        is_after_empty = false;
        let is_shell =
            trimmed.starts_with(">>>") || trimmed.starts_with("$ ") || trimmed.starts_with("In [");
        let is_code = fence.is_some() || is_indented || is_shell;
        pieces.push(if is_code { Piece::Code(line) } else { Piece::Prose(line) });
    }
    pieces
}

/// Returns true for a line that consists of a name and its version: `numpy 1.18.1`,
/// `- Python: 3.8.0`.
fn is_version(line: &str) -> bool {
    let line = line.trim_start_matches(['-', '*', ' ']).trim_end_matches([',', ' ', '\r']);
    let mut words = line
        .split(|c: char| c.is_whitespace() || matches!(c, ':' | '='))
        .filter(|word| !word.is_empty());
    let (Some(name), Some(version), None) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    let version = version.trim_start_matches(['v', 'V', '"', '^', '~']);
    let (major, rest) = version.split_once('.').unwrap_or_default();
    let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    name.starts_with(char::is_alphabetic)
        && !name.contains(['(', '[', '.'])
        && is_number(major)
        && major.bytes().all(|byte| byte.is_ascii_digit())
        && is_number(rest)
}

/// A span of a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Span<'a> {
    /// Text outside quotes.
    Plain(&'a str),
    /// Text in back-ticks.
    Ticked(&'a str),
    /// Text in other quotes.
    Quoted(&'a str),
}

/// Returns the spans of a line. An apostrophe does not open a quotation.
pub(super) fn quoted(line: &str) -> Vec<Span<'_>> {
    let mut spans = Vec::new();
    let (mut plain, mut at) = (0, 0);
    while let Some((offset, open)) =
        line[at..].char_indices().find(|(_, c)| matches!(c, '`' | '"' | '\'' | '“' | '‘' | '«'))
    {
        let start = at + offset;
        let inner = start + open.len_utf8();
        at = inner;
        let Some(end) = end_of(line, start, open) else { continue };
        if plain < start {
            spans.push(Span::Plain(&line[plain..start]));
        }
        let text = &line[inner..end.0];
        spans.push(if open == '`' { Span::Ticked(text) } else { Span::Quoted(text) });
        at = end.1;
        plain = at;
    }
    if plain < line.len() {
        spans.push(Span::Plain(&line[plain..]));
    }
    spans
}

/// Returns the end of the text of a quotation that opens at `start`, and the start of the text
/// after it.
fn end_of(line: &str, start: usize, open: char) -> Option<(usize, usize)> {
    let inner = start + open.len_utf8();
    let close = match open {
        '“' => '”',
        '‘' => '’',
        '«' => '»',
        other => other,
    };
    let before = line[..start].chars().next_back();
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if matches!(open, '\'' | '"' | '‘') && is_word(before) {
        return None;
    }
    // reStructuredText uses double back-ticks.
    if open == '`' && line[inner..].starts_with('`') {
        let text = inner + 1;
        let end = line[text..].find("``")? + text;
        return (end - text <= QUOTED_BYTES_MAX && end > text).then_some((end, end + 2));
    }
    let mut from = inner;
    loop {
        let end = from + line[from..].find(close)?;
        if end - inner > QUOTED_BYTES_MAX {
            return None;
        }
        let after = line[end + close.len_utf8()..].chars().next();
        let is_apostrophe = matches!(close, '\'' | '’') && is_word(after);
        if !is_apostrophe {
            let is_quote = end > inner && !line[inner..].starts_with(char::is_whitespace);
            return is_quote.then_some((end, end + close.len_utf8()));
        }
        from = end + close.len_utf8();
    }
}
