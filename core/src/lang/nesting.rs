//! Removes what nests too deeply from a text, before it is parsed.
//!
//! The parsers' work per token grows with the nesting, some of them recurse, and YAML's scanner
//! aborts the process when its stack of indentations exceeds a buffer. The scan reads bytes, not
//! syntax, and counts rather too few levels than too many. Nesting that it misses costs a worker
//! process (`parsers`).

use std::ops::Range;

use super::grammars::blank::{blank, lines};
use super::language::Language;

/// Maximum number of open brackets. Generated tables stay below 100.
const BRACKETS_MAX: usize = 1000;

/// Maximum number of open indentations in YAML. Its scanner aborts at 254.
const INDENTATIONS_MAX: usize = 200;

/// Returns `text` with everything blanked out that nests too deeply to be parsed, or `None` if
/// nothing does. Length and line ends stay the same. O(text).
pub(super) fn flattened(language: &Language, text: &[u8]) -> Option<Vec<u8>> {
    let mut cut = Cut { text, blanked: None };
    match language.name {
        // Its parser only splits blocks, and prose need not close its brackets.
        "markdown" | "dockerfile" => {}
        "yaml" => {
            cut_indentations(&mut cut);
            cut_brackets(language, &mut cut);
        }
        _ => cut_brackets(language, &mut cut),
    }
    cut.blanked
}

/// A text of which parts are blanked out.
struct Cut<'a> {
    text: &'a [u8],
    blanked: Option<Vec<u8>>,
}

impl Cut<'_> {
    fn blank(&mut self, range: Range<usize>) {
        blank(&mut self.blanked.get_or_insert_with(|| self.text.to_vec())[range]);
    }

    /// Replaces a byte that was blanked out. Few languages have empty parentheses, so a number takes
    /// the place of the removed ones.
    fn put(&mut self, at: usize, byte: u8) {
        if let Some(blanked) = &mut self.blanked {
            blanked[at] = byte;
        }
    }
}

/// Blanks out what is inside more than [`BRACKETS_MAX`] brackets, and comments that nest as deeply.
/// Brackets in comments and in strings on one line are skipped. A closing bracket closes everything
/// opened since its counterpart, so that a lone `(` in a text that is not code counts only up to
/// the end of the enclosing block.
fn cut_brackets(language: &Language, cut: &mut Cut<'_>) {
    let text = cut.text;
    let openings = text.iter().filter(|byte| matches!(byte, b'(' | b'[' | b'{' | b'<')).count();
    if openings <= BRACKETS_MAX {
        return;
    }
    let mut open = Open::default();
    // Number of `<` that look like type brackets since the last end of a statement.
    let mut angles = 0_usize;
    let mut at = 0;
    while at < text.len() {
        let is_deep = open.brackets.len() > BRACKETS_MAX;
        if let Some(Skipped { len, nests }) = skipped(language, &text[at..]) {
            if is_deep || nests {
                cut.blank(at..at + len);
            }
            at += len;
            continue;
        }
        let byte = text[at];
        let angles_before = angles;
        match byte {
            b'(' | b'[' | b'{' => open.push(byte),
            b')' | b']' | b'}' => open.close(byte),
            b'<' if is_type_bracket(text, at) => angles += 1,
            b'>' => angles = angles.saturating_sub(1),
            _ => {}
        }
        let closes = matches!(byte, b')' | b']' | b'}');
        let ends = closes || matches!(byte, b';' | b'{');
        if ends {
            angles = 0;
        }
        // Of a pair of brackets, both are blanked out or none.
        let is_inside = if closes {
            is_deep && open.brackets.len() >= BRACKETS_MAX
        } else {
            open.brackets.len() > BRACKETS_MAX
        };
        if is_inside || !ends && angles.max(angles_before) > BRACKETS_MAX {
            cut.blank(at..at + 1);
            if matches!(byte, b'(' | b'[') && open.brackets.len() == BRACKETS_MAX + 1 {
                cut.put(at, b'0');
            }
        }
        at += 1;
    }
}

/// The brackets that are open at one place.
#[derive(Default)]
struct Open {
    /// The opening brackets.
    brackets: Vec<u8>,
    /// How many of them are `(`, `[` and `{`.
    counts: [usize; 3],
}

impl Open {
    fn kind(bracket: u8) -> usize {
        match bracket {
            b'(' | b')' => 0,
            b'[' | b']' => 1,
            _ => 2,
        }
    }

    fn push(&mut self, bracket: u8) {
        self.brackets.push(bracket);
        self.counts[Open::kind(bracket)] += 1;
    }

    /// Closes the last bracket of the kind of `closing`, and those after it. O(1) amortized.
    fn close(&mut self, closing: u8) {
        let kind = Open::kind(closing);
        if self.counts[kind] == 0 {
            return;
        }
        while let Some(bracket) = self.brackets.pop() {
            self.counts[Open::kind(bracket)] -= 1;
            if Open::kind(bracket) == kind {
                return;
            }
        }
    }
}

/// A comment, a string or a character literal.
struct Skipped {
    len: usize,
    /// It is a comment that nests too deeply.
    nests: bool,
}

/// Returns the comment, the string or the character literal at the start of `text`.
fn skipped(language: &Language, text: &[u8]) -> Option<Skipped> {
    let line_end = || memchr::memchr(b'\n', text).unwrap_or(text.len());
    let of = |len: usize| Some(Skipped { len, nests: false });
    match text[0] {
        b'"' => string_len(&text[..line_end()]).and_then(of),
        b'\'' if text.get(2) == Some(&b'\'') => of(3),
        byte if byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() => None,
        _ => {
            for (opening, closing) in language.block_comments {
                if text.starts_with(opening.as_bytes()) {
                    return Some(comment(text, opening.as_bytes(), closing.as_bytes()));
                }
            }
            let starts = |start: &&str| text.starts_with(start.as_bytes());
            language.line_comments.iter().any(starts).then(line_end).and_then(of)
        }
    }
}

/// Returns the length of the string at the start of a line, if it ends there.
fn string_len(line: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match line.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// Returns the block comment at the start of `text`. The comments of OCaml and Haskell nest, and
/// their scanners recurse.
fn comment(text: &[u8], opening: &[u8], closing: &[u8]) -> Skipped {
    let rest = &text[opening.len()..];
    let body = &rest[..memchr::memmem::find(rest, closing).unwrap_or(rest.len())];
    let nests = matches!(opening, b"(*" | b"{-")
        && memchr::memmem::find_iter(body, opening).nth(BRACKETS_MAX).is_some();
    Skipped { len: (opening.len() + body.len() + closing.len()).min(text.len()), nests }
}

/// Returns true if the `<` at `at` joins two names, as in `List<Item`, and is not an operator
/// between spaces or a shift.
fn is_type_bracket(text: &[u8], at: usize) -> bool {
    let is_name = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphabetic());
    at > 0 && is_name(text.get(at - 1)) && is_name(text.get(at + 1))
}

/// Blanks out the rest of each line inside more than [`INDENTATIONS_MAX`] indentations of YAML:
/// columns of keys, and of `- `, `? ` and `: ` anywhere in a line.
fn cut_indentations(cut: &mut Cut<'_>) {
    let mut open: Vec<usize> = Vec::new();
    for (start, line) in lines(cut.text) {
        let mut at = 0;
        loop {
            at += line[at..].iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
            if matches!(line.get(at), None | Some(b'\r' | b'\n' | b'#')) {
                break;
            }
            while open.last().is_some_and(|&column| column > at) {
                open.pop();
            }
            if open.last() != Some(&at) {
                if open.len() == INDENTATIONS_MAX {
                    cut.blank(start + at..start + line.len());
                    break;
                }
                open.push(at);
            }
            let is_indicator = matches!(line[at], b'-' | b'?' | b':');
            let is_alone = matches!(line.get(at + 1), None | Some(b' ' | b'\t' | b'\r' | b'\n'));
            if !is_indicator || !is_alone {
                if let Some(end) = indicators(&line[at..]).nth(INDENTATIONS_MAX - open.len()) {
                    cut.blank(start + at + end..start + line.len());
                }
                break;
            }
            at += 1;
        }
    }
}

/// Returns the offsets of `- `, `? ` and `: ` in a line.
fn indicators(line: &[u8]) -> impl Iterator<Item = usize> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let places = memchr::memchr3_iter(b'-', b'?', b':', line);
    places.filter(move |&at| line.get(at + 1).is_some_and(is_blank))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::lang::language;

    fn of(path: &str, text: &str) -> Option<String> {
        let language = language::of_path(Path::new(path)).expect("a known extension");
        let found = flattened(language, text.as_bytes())?;
        assert_eq!(found.len(), text.len(), "{path}");
        Some(String::from_utf8(found).expect("blanks"))
    }

    /// Checks that some of `text` is blanked out, but neither the first nor the last 20 bytes.
    #[track_caller]
    fn check_cut(path: &str, text: &str) {
        let text = format!("{:20}\n{text}\n{:20}", "first", "last");
        let found = of(path, &text).unwrap_or_else(|| panic!("{path} is not cut"));
        assert!(found.starts_with("first") && found.trim_end().ends_with("last"), "{path}");
        let left = found.bytes().filter(|&byte| byte != b' ').count();
        assert!(left < 4000, "{path}: {left} bytes");
    }

    /// Checks that everything after the start of `text` is blanked out.
    #[track_caller]
    fn check_unclosed(path: &str, text: &str) {
        let found = of(path, text).unwrap_or_else(|| panic!("{path} is not cut"));
        assert!(found.trim_end().len() < 6000, "{path}: {} bytes", found.trim_end().len());
    }

    #[test]
    fn unclosed_nesting_is_cut() {
        check_unclosed("a.java", &"{(".repeat(30_000));
        check_unclosed("a.java", &"A<".repeat(20_000));
        check_unclosed("a.ml", &"(*".repeat(60_000));
        check_unclosed("a.hs", &"{-".repeat(60_000));
        check_unclosed("a.css", &":not(".repeat(20_000).replace(":not((", ":not("));
        check_unclosed("a.lua", &"[[".repeat(30_000));
        check_unclosed("a.yaml", &"[".repeat(4000));
    }

    #[test]
    fn only_deep_parts_are_cut() {
        let deep = |open: &str, close: &str| open.repeat(5000) + &close.repeat(5000);
        check_cut("a.c", &deep("{", "}"));
        check_cut("a.c", &deep("(", ")"));
        check_cut("a.py", &deep("[", "]"));
        check_cut("a.java", &(deep("A<", ">") + ";"));
        check_cut("a.ml", &("(*".repeat(5000) + "*)"));
        check_cut("a.yaml", &"- ".repeat(2000));
        check_cut("a.yaml", &"? ".repeat(2000));
        check_cut("a.yaml", &"- ? ".repeat(2000));
        check_cut("a.yaml", &"- &a - !b ".repeat(1000));
        let keys = |levels: usize| -> String {
            (0..levels).map(|level| format!("{:level$}k:\n", "")).collect()
        };
        check_cut("a.yaml", &keys(400));
        assert_eq!(of("a.yaml", &keys(100)), None);
        assert_eq!(of("a.yaml", &"- ".repeat(100)), None);
        let kept = "{".repeat(1000) + &"}".repeat(1000);
        assert_eq!(of("a.c", &deep("{", "}")).map(|text| text.replace(' ', "")), Some(kept));
    }

    #[track_caller]
    fn check(path: &str, line: &str) {
        assert_eq!(of(path, &line.repeat(5000)), None, "{path}: {line}");
    }

    #[test]
    fn lone_brackets_are_not_nesting() {
        check("a.rs", "fn f<'a>(a: &'a str) -> &'a str { g('(', \"[{\") }\n");
        check("a.c", "int f(void) { return a<b && c <d; } // :(\n");
        check("a.c", "/* :( */ char c = '{'; char *s = \"\\\"{\";\n");
        check("a.c", "enum { A = 1<<0, B = 1 << 1, };\n");
        check("a.js", "if (/[(]/.test(a)) { b[0](c) }\n");
        check("a.md", "(a [b {c\n");
        check("a.yaml", "a:\n  - b: {c: [d]}\n    e: |\n      x\n");
        check("a.ml", "(* a *) let f x = (x, [x])\n");
    }
}
