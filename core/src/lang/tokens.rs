//! Divides code into keywords, literals and comments, for colours.
//!
//! Keywords are those of the grammar; nothing is parsed, so a piece of a file suffices. A string that a
//! language writes in an unusual way, and a name that is a keyword elsewhere, may have the wrong colour.
//! Nothing but colours, and searches that are limited to comments or strings, should depend on this module.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use super::language::{LANGUAGES, Language, number, of_name};

/// What a piece of code is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Token {
    /// A keyword.
    Keyword,
    /// A string, a character or a number.
    Literal,
    /// A comment.
    Comment,
}

/// Words that Rust's grammar has as the kinds of macro arguments; they are names elsewhere.
const NO_KEYWORDS: &[&str] = &[
    "block", "expr", "ident", "item", "lifetime", "literal", "meta", "pat", "path", "stmt", "tt",
    "ty", "vis",
];

/// Languages in which `'` begins a string, not a character.
const SINGLE_QUOTED: &[&str] = &[
    "bash",
    "css",
    "dart",
    "flow",
    "javascript",
    "lua",
    "php",
    "python",
    "r",
    "ruby",
    "scss",
    "sql",
    "tsx",
    "typescript",
];

/// Languages in which a backtick begins a string, which may have several lines.
const BACKTICK: &[&str] = &["flow", "go", "javascript", "tsx", "typescript"];

/// Languages with strings in three quotes, which may have several lines.
const TRIPLE: &[&str] = &["dart", "elixir", "java", "kotlin", "python", "scala", "swift"];

/// Languages whose other strings may have several lines, too.
const MULTILINE: &[&str] = &["bash", "elixir", "php", "r", "ruby", "rust", "sql"];

/// Returns all of a piece of code in spans, each with its token in the language of the file at `path`, if it
/// has one. O(text).
pub fn spans(path: &str, text: &str) -> Vec<(Range<usize>, Option<Token>)> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let language = of_name(name.as_bytes());
    let (mut spans, mut done) = (Vec::new(), 0);
    for (span, token) in language.map_or_else(Vec::new, |language| tokens(language, text)) {
        spans.push((done..span.start, None));
        done = span.end;
        spans.push((span, Some(token)));
    }
    spans.push((done..text.len(), None));
    spans.retain(|(span, _)| !span.is_empty());
    spans
}

/// Returns the tokens of a piece of code in ascending order, without those that have no colour; none for
/// a language that is no code. O(text).
pub fn tokens(language: &Language, text: &str) -> Vec<(Range<usize>, Token)> {
    let mut found = Vec::new();
    if !language.is_code() {
        return found;
    }
    let keywords = keywords(language);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    // For each kind of quote, up to where none closes: such a text is not looked through at every quote.
    let mut unclosed = [0; QUOTES.len()];
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let before = text[..at].chars().next_back();
        if c == '\\' && language.name == "bash" {
            at += 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
            continue;
        }
        let (len, token) = if let Some(len) = comment(language, rest, before) {
            (len, Some(Token::Comment))
        } else if let Some(len) = raw_string(language, rest, before) {
            (len, Some(Token::Literal))
        } else if let Some(len) = string_at(language, text, at, &mut unclosed) {
            (len, Some(Token::Literal))
        } else if is_name(c) {
            let len = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let is_number = c.is_ascii_digit();
            let is_keyword = !is_number && keywords.contains(&rest[..len]);
            let keyword = is_keyword.then_some(Token::Keyword);
            (len, if is_number { Some(Token::Literal) } else { keyword })
        } else {
            (c.len_utf8(), None)
        };
        found.extend(token.map(|token| (at..at + len, token)));
        at += len;
    }
    found
}

/// Returns the length of the comment at the start of a text.
fn comment(language: &Language, text: &str, before: Option<char>) -> Option<usize> {
    for (open, close) in language.block_comments {
        if let Some(inside) = text.strip_prefix(open) {
            let end = inside.find(close).map(|end| open.len() + end + close.len());
            return Some(end.unwrap_or(text.len()));
        }
    }
    let is_line = language.line_comments.iter().any(|prefix| text.starts_with(prefix));
    // `$#` and `a#b` are no comments of a shell.
    let is_inside = text.starts_with('#') && before.is_some_and(|c| !c.is_whitespace());
    (is_line && !is_inside).then(|| text.find('\n').unwrap_or(text.len()))
}

/// Returns the length of Rust's raw string at the start of a text: `r"…"`, with any number of `#` around it.
fn raw_string(language: &Language, text: &str, before: Option<char>) -> Option<usize> {
    if language.name != "rust" || before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let rest = text.strip_prefix('b').unwrap_or(text).strip_prefix('r')?;
    let inside = rest.trim_start_matches('#').strip_prefix('"')?;
    let hashes = rest.len() - inside.len() - 1;
    let close = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - inside.len();
    Some(inside.find(&close).map_or(text.len(), |end| start + end + close.len()))
}

/// The longest escape of a character.
const ESCAPE_MAX: usize = 12;

/// The quotes of strings and characters.
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// Returns the length of the string or character at a place, unless it is known that none closes up to `unclosed`
/// for its quote, which is updated.
fn string_at(
    language: &Language,
    text: &str,
    at: usize,
    unclosed: &mut [usize; QUOTES.len()],
) -> Option<usize> {
    let quote = text[at..].chars().next()?;
    let kind = QUOTES.iter().position(|of| *of == quote)?;
    if at < unclosed[kind] {
        return None;
    }
    let found = string(language, &text[at..]);
    // A character of one letter may be no string, while a later quote begins one.
    if found.is_none() && (quote != '\'' || SINGLE_QUOTED.contains(&language.name)) {
        let is_multiline = MULTILINE.contains(&language.name);
        let end = if is_multiline { None } else { text[at..].find('\n') };
        unclosed[kind] = end.map_or(text.len(), |end| at + end);
    }
    found
}

/// Returns the length of the string or character at the start of a text.
fn string(language: &Language, text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|c| QUOTES.contains(c))?;
    let is_one_of = |names: &[&str]| names.contains(&language.name);
    let triple = &quote.to_string().repeat(3);
    if quote != '`' && is_one_of(TRIPLE) && text.starts_with(triple) {
        return Some(text[3..].find(triple).map_or(text.len(), |end| end + 6));
    }
    if quote == '`' && !is_one_of(BACKTICK) {
        return None;
    }
    if quote == '\'' && !is_one_of(SINGLE_QUOTED) {
        // A character, not a lifetime or a part of a name.
        let mut chars = text.char_indices().skip(1);
        let (_, first) = chars.next()?;
        if first != '\\' {
            return chars.next().filter(|(_, c)| *c == '\'').map(|(at, _)| at + 1);
        }
        // An escape, the longest of which is that of a character by its number.
        let end = text[2..].char_indices().skip(1).take(ESCAPE_MAX).find(|(_, c)| *c == '\'');
        return end.map(|(at, _)| at + 3);
    }
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' if quote != '`' && !is_one_of(MULTILINE) => return None,
            _ if is_escaped => is_escaped = false,
            '\\' if quote != '\'' || !is_one_of(&["bash", "sql"]) => is_escaped = true,
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    // A backtick string may end behind the piece.
    (quote == '`').then_some(text.len())
}

/// Returns the keywords of a language: the tokens of its grammar that are words. O(kinds of the grammar)
/// the first time.
fn keywords(language: &Language) -> &'static BTreeSet<String> {
    static EACH: LazyLock<Vec<OnceLock<BTreeSet<String>>>> =
        LazyLock::new(|| LANGUAGES.iter().map(|_| OnceLock::new()).collect());
    static NONE: BTreeSet<String> = BTreeSet::new();
    let each = number(language).and_then(|number| EACH.get(number));
    each.map_or(&NONE, |of| of.get_or_init(|| words_of_grammar(language)))
}

fn words_of_grammar(language: &Language) -> BTreeSet<String> {
    let Some(grammar) = language.grammar else { return BTreeSet::new() };
    let grammar = tree_sitter::Language::new(grammar);
    let kinds = u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
    let tokens = (0..kinds).filter(|&kind| !grammar.node_kind_is_named(kind));
    let words = tokens.filter_map(|kind| grammar.node_kind_for_id(kind));
    let is_word = |word: &&str| {
        word.len() > 1
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && word.starts_with(|c: char| c.is_ascii_lowercase())
    };
    // Rust's `mut` and its like are kinds of their own there.
    let own: &[&str] = if language.name == "rust" {
        &["crate", "false", "mut", "self", "super", "true"]
    } else {
        &[]
    };
    let words = words.filter(is_word).filter(|word| !NO_KEYWORDS.contains(word));
    words.chain(own.iter().copied()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::language::of_name;

    /// Each token of a text as `k(…)`, `l(…)` or `c(…)`.
    #[track_caller]
    fn check(file: &str, text: &str, expected: &str) {
        let language = of_name(file.as_bytes()).expect("a language");
        let (mut out, mut done) = (String::new(), 0);
        for (span, token) in tokens(language, text) {
            let mark = match token {
                Token::Keyword => "k",
                Token::Literal => "l",
                Token::Comment => "c",
            };
            out += &format!("{}{mark}({})", &text[done..span.start], &text[span.clone()]);
            done = span.end;
        }
        out += &text[done..];
        assert_eq!(out, expected, "{file}");
    }

    #[test]
    fn code_is_divided_without_parsing() {
        check(
            "a.rs",
            "pub fn total<'a>(&'a self) -> u64 { 'x'; \"a // b\" } // \"é\"\nlet path = 0x1f;",
            "k(pub) k(fn) total<'a>(&'a k(self)) -> u64 { l('x'); l(\"a // b\") } c(// \"é\")\nk(let) path = l(0x1f);",
        );
        check(
            "a.py",
            "def f(a='#x'):  # comment\n    \"\"\"two\nlines\"\"\"\n    return None",
            "k(def) f(a=l('#x')):  c(# comment)\n    l(\"\"\"two\nlines\"\"\")\n    k(return) None",
        );
        check("a.js", "/* open\nconst a = `x\n`", "c(/* open\nconst a = `x\n`)");
        check("a.js", "const a = `x\n${1}`", "k(const) a = l(`x\n${1}`)");
        check("a.sh", "echo $# \"a\" # end", "echo $# l(\"a\") c(# end)");
        check("a.md", "if `code`", "if `code`");
    }

    #[test]
    fn strings_may_have_several_lines() {
        check("a.rs", "let a = \"b\nfn c\";\nfn", "k(let) a = l(\"b\nfn c\");\nk(fn)");
        check("a.rs", "r#\"a\" \\\"#; br\"\\\"; for", "l(r#\"a\" \\\"#); l(br\"\\\"); k(for)");
        check("a.rb", "x = 'a\nif'\nif", "x = l('a\nif')\nk(if)");
        check("a.go", "x := \"a\nif", "x := \"a\nk(if)");
        assert!(
            MULTILINE.iter().all(|name| LANGUAGES.iter().any(|language| language.name == *name))
        );
    }

    #[test]
    fn quotes_of_shells_do_not_escape() {
        check("a.sh", "echo 'it'\\''s'\n# one", "echo l('it')\\'l('s')\nc(# one)");
        check("a.sh", "echo 'a\\'\n# one", "echo l('a\\')\nc(# one)");
    }

    /// What no quote closes is looked through once, not at every quote.
    #[test]
    fn texts_of_quotes_take_linear_time() {
        for (file, piece) in [("a.sh", "\\\""), ("a.rs", "'\\"), ("a.py", "\\\""), ("a.rb", "'\\")]
        {
            let text = format!("{}\n", piece.repeat(30_000));
            let started = std::time::Instant::now();
            tokens(of_name(file.as_bytes()).expect("a language"), &text);
            assert!(started.elapsed().as_secs() < 20, "{file}: {:?}", started.elapsed());
        }
    }
}
