//! Recognises names and paths among the words of a text.

use std::path::Path;

use super::MentionKind;
use crate::lang::language;

/// A name or path in a text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct NameToken {
    pub(super) kind: MentionKind,
    pub(super) text: String,
    pub(super) line: Option<u32>,
    /// True if the spelling alone identifies it as a name.
    pub(super) is_sure: bool,
}

/// Number of letters of an all-capitals name: shorter ones are words, longer ones emphasis.
const CAPITALS: std::ops::RangeInclusive<usize> = 3..=8;

/// Length of a name, in bytes.
const NAME_BYTES: std::ops::RangeInclusive<usize> = 2..=128;

/// All-capitals words that are common in reports and are not identifiers.
const COMMON_CAPITALS: &[&str] = &[
    "API", "ASAP", "BTW", "CLI", "CPU", "CSS", "EDIT", "EOF", "FAQ", "FIXME", "FWIW", "GIF", "GPU",
    "GUI", "HTML", "HTTP", "HTTPS", "IDE", "IIRC", "IMHO", "IMO", "INFO", "JSON", "LGTM", "MACOS",
    "NOT", "NOTE", "PDF", "PNG", "POST", "RAM", "SDK", "SQL", "TLDR", "TODO", "UPDATE", "URL",
    "URLS", "UTC", "UTF", "WIP", "XML", "YAML",
];

/// Returns the name or path that a text consists of, if any.
pub(super) fn whole(text: &str) -> Option<NameToken> {
    if text.contains(char::is_whitespace) {
        return None;
    }
    let named = of_word(text, true)?;
    // Nothing but the name, a call and punctuation.
    let rest = text.strip_prefix(['@', '#', '&', '*']).unwrap_or(text);
    let is_all = rest.trim_end_matches(['(', ')', '.', ',', ':', ';', '!', '?']).len()
        <= named.text.len() + 12;
    is_all.then_some(named)
}

/// Returns the names and paths in a text, in order.
pub(super) fn names(text: &str, is_in_code: bool) -> Vec<NameToken> {
    let mut found = Vec::new();
    let is_end = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '(' | ')'
                    | '['
                    | ']'
                    | '{'
                    | '}'
                    | '<'
                    | '>'
                    | ','
                    | ';'
                    | '"'
                    | '\''
                    | '`'
                    | '='
                    | '|'
            )
    };
    let mut start = 0;
    while start < text.len() {
        let rest = &text[start..];
        let len = rest.find(is_end).unwrap_or(rest.len());
        let word = &rest[..len];
        let after = &rest[len..];
        if !word.is_empty() {
            let is_called = after.starts_with('(') && !after.starts_with("( ");
            let is_first = text[..start].trim_end().is_empty()
                || text[..start].trim_end().ends_with(['.', '!', '?', ':']);
            if let Some(mut named) = of_word(word, is_in_code || is_called) {
                named.is_sure |= is_called;
                let is_name = is_in_code || named.is_sure;
                let is_capital = named.kind == MentionKind::Identifier
                    && !is_called
                    && is_first
                    && is_capitalised(&named.text);
                if is_name && !is_capital && !(is_in_code && is_keyword(&named.text)) {
                    found.push(named);
                }
            }
        }
        start += len + after.chars().next().map_or(1, char::len_utf8);
    }
    found
}

/// Returns the error name and the message of a line such as `ValueError: no such column`.
pub(super) fn error(line: &str) -> Option<(&str, &str)> {
    let (head, message) = line.trim().split_once(": ")?;
    let head = head.rsplit(char::is_whitespace).next()?.trim_start_matches("Uncaught");
    let last = head.rsplit(['.', ':']).next()?;
    let ends = ["Error", "Exception", "Warning", "Panic", "Failure", "Fault"];
    let is_name = last.starts_with(char::is_uppercase)
        && last.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_error = is_name && ends.iter().any(|end| last.ends_with(end) && last.len() > end.len());
    is_error.then_some((last, message))
}

/// Returns true if a name is qualified: `Type.method`, `module::function`.
pub(super) fn is_qualified(name: &str) -> bool {
    name.trim_matches(['.', ':', '#']).contains(['.', ':', '#'])
}

/// Parses a word. Plain words count as names only if `in_code`.
fn of_word(word: &str, in_code: bool) -> Option<NameToken> {
    // Asterisks on both sides are bold text, on one side a glob.
    let is_bold = word.starts_with('*') && word.ends_with('*');
    let word = if is_bold { word.trim_matches('*') } else { word };
    let word = word.trim_matches(['~', '!', '?', '…', '"', '\'', '`', ',', ';', '(', ')']);
    let word = word.trim_end_matches(['.', ':']);
    let word = word.trim_end_matches("()");
    if !NAME_BYTES.contains(&word.len()) {
        return None;
    }
    if let Some(path) = of_url(word) {
        return path;
    }
    let named = |kind, text: &str, is_sure| {
        Some(NameToken { kind, text: text.to_owned(), line: None, is_sure })
    };
    if word.contains(['/', '\\']) {
        return of_path(word);
    }
    if word.contains('*') {
        let is_glob = word.contains('.') && word.chars().any(char::is_alphanumeric);
        return is_glob.then(|| named(MentionKind::Glob, word, true)).flatten();
    }
    let is_file = word.rsplit_once('.').is_some_and(|(stem, _)| {
        !stem.is_empty() && !stem.contains("::") && language::of_path(Path::new(word)).is_some()
    });
    if is_file && !word.starts_with("self.") {
        return named(MentionKind::Path, word, true);
    }
    let word = word.trim_start_matches(['.', '@', '&', '#', '-', '+', '$', ':', '%', '/']);
    let word = word.trim_end_matches(['-', '+', '%']);
    if is_qualified(word) {
        let parts: Vec<&str> =
            word.split(['.', ':', '#']).filter(|part| !part.is_empty()).collect();
        let is_names = parts.len() > 1 && parts.iter().all(|part| is_identifier(part));
        // `e.g`, `i.e`, `www.example`.
        let is_short = parts.iter().all(|part| part.len() < 2) || parts.first() == Some(&"www");
        return (is_names && !is_short)
            .then(|| named(MentionKind::Qualified, word.trim_matches(['.', ':', '#']), true))
            .flatten();
    }
    if !is_identifier(word) {
        return None;
    }
    let is_sure = is_name(word);
    if is_sure || (in_code && word.len() > 2) {
        named(MentionKind::Identifier, word, is_sure)
    } else {
        None
    }
}

/// Returns the file that a URL of a source browser points to; `Some(None)` for other URLs, `None`
/// if the word is not a URL.
fn of_url(word: &str) -> Option<Option<NameToken>> {
    let (_, rest) = word.split_once("://")?;
    let path =
        ["/blob/", "/tree/", "/src/commit/"].into_iter().find_map(|mark| rest.split_once(mark));
    let Some((_, path)) = path.and_then(|(_, path)| path.split_once('/')) else {
        return Some(None);
    };
    let (path, fragment) = path.split_once('#').unwrap_or((path, ""));
    let path = path.split('?').next().unwrap_or_default().trim_end_matches('/');
    let line = fragment.strip_prefix('L').and_then(|lines| lines.split('-').next()?.parse().ok());
    let kind = if line.is_some() { MentionKind::Frame } else { MentionKind::Path };
    let is_path = !path.is_empty();
    Some(is_path.then(|| NameToken { kind, text: path.to_owned(), line, is_sure: true }))
}

fn of_path(word: &str) -> Option<NameToken> {
    let text = word.replace('\\', "/");
    let text = text.trim_start_matches("./").trim_end_matches([':', ',']);
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
    let last = parts.last()?;
    let is_file = last.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty() && (1..=6).contains(&end.len()) && end.chars().all(char::is_alphanumeric)
    });
    let is_plain =
        |part: &&str| part.chars().all(|c| c.is_alphanumeric() || "._-+@*[](){}?$".contains(c));
    if !parts.iter().all(is_plain)
        || !parts.iter().any(|part| part.chars().any(char::is_alphabetic))
    {
        return None;
    }
    // `and/or` and `1/2` are not paths.
    let is_folder = text.ends_with('/') || parts.len() > 2 || text.starts_with('/');
    if !is_file && !is_folder && !parts.iter().any(|part| part.contains(['_', '-', '.'])) {
        return None;
    }
    let kind = if text.contains(['*', '?']) { MentionKind::Glob } else { MentionKind::Path };
    Some(NameToken {
        kind,
        text: text.to_owned(),
        line: None,
        is_sure: is_file || text.ends_with('/'),
    })
}

fn is_identifier(word: &str) -> bool {
    let mut chars = word.chars();
    let is_start = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$');
    is_start
        && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '$')
        && word.chars().any(char::is_alphanumeric)
}

/// Returns true if the spelling distinguishes an identifier from a plain word.
fn is_name(word: &str) -> bool {
    let inner = word.trim_matches(['_', '$']);
    if inner.contains(['_', '$']) || (inner.len() < word.len() && inner.len() > 1) {
        return true;
    }
    let chars: Vec<char> = word.chars().collect();
    let letters = chars.iter().filter(|c| c.is_alphabetic()).count();
    let is_capitals = chars.iter().all(|c| !c.is_lowercase());
    if is_capitals {
        let is_ascii = word.is_ascii();
        return is_ascii && CAPITALS.contains(&letters) && !COMMON_CAPITALS.contains(&word);
    }
    // A capital after a lowercase letter, or a lowercase letter after two capitals (`HTMLParser`).
    let has_step = chars.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let is_acronym = chars
        .windows(3)
        .any(|of| of[0].is_uppercase() && of[1].is_uppercase() && of[2].is_lowercase())
        && !word.ends_with('s');
    let has_digit_inside =
        chars.windows(2).any(|pair| pair[0].is_ascii_digit() && pair[1].is_alphabetic())
            && chars.first().is_some_and(|c| c.is_alphabetic());
    has_step || is_acronym || has_digit_inside
}

/// Returns true for a word whose only capital is its first letter.
fn is_capitalised(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(char::is_uppercase) && chars.all(|c| !c.is_uppercase())
}

/// Returns true for common keywords and built-in types.
fn is_keyword(word: &str) -> bool {
    static KEYWORDS: &[&str] = &[
        "False",
        "None",
        "True",
        "and",
        "array",
        "assert",
        "async",
        "await",
        "bool",
        "boolean",
        "break",
        "case",
        "catch",
        "char",
        "class",
        "const",
        "continue",
        "def",
        "default",
        "delete",
        "dict",
        "elif",
        "else",
        "end",
        "enum",
        "except",
        "export",
        "extends",
        "false",
        "final",
        "finally",
        "float",
        "for",
        "from",
        "func",
        "function",
        "global",
        "impl",
        "implements",
        "import",
        "include",
        "int",
        "interface",
        "lambda",
        "let",
        "list",
        "long",
        "match",
        "mod",
        "module",
        "mut",
        "namespace",
        "new",
        "nil",
        "not",
        "null",
        "object",
        "package",
        "pass",
        "print",
        "private",
        "protected",
        "pub",
        "public",
        "raise",
        "require",
        "return",
        "self",
        "set",
        "static",
        "str",
        "string",
        "struct",
        "super",
        "switch",
        "this",
        "throw",
        "trait",
        "true",
        "try",
        "tuple",
        "type",
        "typeof",
        "undefined",
        "unsigned",
        "use",
        "using",
        "var",
        "void",
        "while",
        "with",
        "yield",
    ];
    KEYWORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinguished_from_words() {
        for name in [
            "get_cart",
            "getCart",
            "GetCart",
            "HTMLParser",
            "PM_RESUME",
            "GFP",
            "_private",
            "__init__",
            "utf8mb4",
        ] {
            assert!(is_name(name), "{name}");
        }
        for word in
            ["Cart", "cart", "I", "OK", "JSON", "URLs", "utf8", "INTERNATIONAL", "Größe", "sha256"]
        {
            assert!(!is_name(word), "{word}");
        }
    }

    #[test]
    fn keywords_are_not_names() {
        assert!(["False", "None", "True", "and", "yield", "while"].into_iter().all(is_keyword));
        assert!(!is_keyword("cart"));
    }

    #[test]
    fn errors_have_messages() {
        assert_eq!(error("ValueError: no such column"), Some(("ValueError", "no such column")));
        assert_eq!(
            error("E   pkg.errors.CartError: it is full"),
            Some(("CartError", "it is full"))
        );
        assert_eq!(
            error("Uncaught TypeError: x is undefined"),
            Some(("TypeError", "x is undefined"))
        );
        assert_eq!((error("Error: it is full"), error("note: an Error")), (None, None));
    }
}
