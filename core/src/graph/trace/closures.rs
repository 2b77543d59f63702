//! Functions without a name in the arguments of a call, in the notation of each language.

use std::ops::Range;

use super::bytes::is_word_at;

/// The most bytes before a call in which the statement that it belongs to may begin.
const STATEMENT_MAX: usize = 400;

/// Returns true for languages in which a block behind the brackets of a call is its last argument.
fn has_blocks(language: &str) -> bool {
    matches!(language, "kotlin" | "ruby" | "scala" | "swift")
}

/// Returns true if a block behind the brackets of the call whose name ends at `end` is its last argument:
/// it is neither the body of a statement whose condition the call is in, nor that of a type.
pub(super) fn takes_block(text: &[u8], end: usize, language: &str) -> bool {
    if language == "ruby" || !has_blocks(language) {
        return has_blocks(language);
    }
    // Other languages have brackets around conditions.
    const STATEMENTS: [&[u8]; 6] = [b"if", b"while", b"guard", b"switch", b"for", b"catch"];
    const TYPES: [&[u8]; 4] = [b"class", b"object", b"constructor", b"extends"];
    let (mut depth, mut is_value) = (0_i32, false);
    let mut at = end;
    while at > end.saturating_sub(STATEMENT_MAX) {
        at -= 1;
        match text[at] {
            b'}' | b'(' | b'[' | b'{' | b';' if depth == 0 => return true,
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' => depth -= 1,
            // A condition may have several lines; the others end with a sign that goes on.
            b'\n' if depth == 0 => {
                let before = text[..at].trim_ascii_end().last();
                let after = text[at..end].trim_ascii_start().first();
                let goes_on = |byte: Option<&u8>| matches!(byte, Some(b',' | b'&' | b'|' | b':'));
                if !goes_on(before) && !goes_on(after) && !matches!(after, Some(b'.')) {
                    return true;
                }
            }
            b'=' if depth == 0 => {
                let is_sign = |byte: Option<&u8>| matches!(byte, Some(b'=' | b'<' | b'>' | b'!'));
                let before = at.checked_sub(1).and_then(|before| text.get(before));
                is_value |= !is_sign(before) && !is_sign(text.get(at + 1));
            }
            _ if depth == 0 && is_word_at(text, at) => {
                let last = at + 1;
                while at > 0 && is_word_at(text, at - 1) {
                    at -= 1;
                }
                let word = &text[at..last];
                let is_member = at > 0 && matches!(text[at - 1], b'.' | b':' | b'@');
                let is_statement = language == "swift" && STATEMENTS.contains(&word);
                if !is_member && (is_statement || TYPES.contains(&word) && !is_value) {
                    return false;
                }
            }
            _ => {}
        }
    }
    true
}

/// One bracket of the arguments.
#[derive(Clone, Copy, Default)]
struct Level {
    /// It is the body of a function.
    is_body: bool,
    /// The expression before the next comma is a function.
    is_function: bool,
}

/// Returns true if the byte `at` in the arguments `all` of a call is in a function without a name.
pub(super) fn is_inside(text: &[u8], all: &Range<usize>, at: usize, language: &str) -> bool {
    let blocks = has_blocks(language);
    let begins_with_block = all.start > 0 && text.get(all.start - 1) == Some(&b'{');
    let mut levels = vec![Level { is_body: blocks && begins_with_block, ..Level::default() }];
    let mut place = all.start;
    // The last byte that is no blank.
    let mut before = b'(';
    while place < at.min(text.len()) {
        let byte = text[place];
        let is_first = matches!(before, b'(' | b',' | b'=' | b':' | b'{');
        let top = levels.len() - 1;
        match byte {
            b'"' | b'`' => place = end_of_string(text, place, at),
            // A character, or the name of a lifetime.
            b'\'' if matches!(language, "rust" | "haskell" | "ocaml") => {
                let is_character = text.get(place + 2) == Some(&b'\'');
                place += if is_character { 2 } else { 0 };
            }
            b'\'' => place = end_of_string(text, place, at),
            b'{' => {
                let is_body = blocks && (is_first || levels.len() == 1 && before == b')')
                    || language == "dart" && before == b')';
                levels.push(Level { is_body, ..Level::default() });
            }
            b'[' if language == "cpp" && is_first => {
                levels[top].is_function = true;
                levels.push(Level::default());
            }
            b'(' | b'[' => levels.push(Level::default()),
            b')' | b']' | b'}' => {
                levels.pop();
                if levels.is_empty() {
                    // The end of the brackets: a block follows.
                    levels.push(Level::default());
                }
            }
            b',' | b';' => levels[top].is_function = false,
            b'|' if language == "rust" && (is_first || ends_with_move(text, place)) => {
                let rest = text.get(place + 1..at).unwrap_or_default();
                place += 1 + rest.iter().position(|byte| *byte == b'|').unwrap_or(rest.len());
                levels[top].is_function = true;
            }
            b'=' if text.get(place + 1) == Some(&b'>') => {
                levels[top].is_function |= matches!(
                    language,
                    "javascript"
                        | "typescript"
                        | "tsx"
                        | "flow"
                        | "vue"
                        | "vue-typescript"
                        | "svelte"
                        | "svelte-typescript"
                        | "csharp"
                        | "dart"
                        | "scala"
                );
                place += 1;
            }
            b'-' if text.get(place + 1) == Some(&b'>') => {
                levels[top].is_function |= matches!(language, "java" | "ruby" | "elixir");
                place += 1;
            }
            _ if is_word_at(text, place) => {
                let start = place;
                while place + 1 < at && is_word_at(text, place + 1) {
                    place += 1;
                }
                let word = &text[start..=place];
                if is_head(word, language) && before != b'.' {
                    levels[top].is_function = true;
                    if word == b"lambda" && language == "python" {
                        // Commas separate its parameters.
                        let rest = text.get(place..at).unwrap_or_default();
                        let colon = rest.iter().position(|byte| *byte == b':');
                        place += colon.unwrap_or(rest.len());
                    }
                }
            }
            _ => {}
        }
        let last = text.get(place).copied().unwrap_or_default();
        if !last.is_ascii_whitespace() {
            before = last;
        }
        place += 1;
    }
    levels.iter().any(|level| level.is_body || level.is_function)
}

/// Returns true for words with which a function without a name begins.
fn is_head(word: &[u8], language: &str) -> bool {
    match word {
        b"function" => language != "rust",
        b"func" => matches!(language, "go" | "swift"),
        b"fn" => matches!(language, "php" | "elixir"),
        b"lambda" => matches!(language, "python" | "ruby"),
        b"proc" => language == "ruby",
        b"fun" => matches!(language, "kotlin" | "ocaml"),
        b"delegate" => language == "csharp",
        _ => false,
    }
}

/// Returns true if a text ends with `move` or `async` before `at`.
fn ends_with_move(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_ascii_end();
    before.ends_with(b"move") || before.ends_with(b"async")
}

/// Returns the position of the quote that ends the string which begins at `start`; at most `end`.
fn end_of_string(text: &[u8], start: usize, end: usize) -> usize {
    let mut at = start + 1;
    while at < end.min(text.len()) {
        match text[at] {
            b'\\' => at += 1,
            byte if byte == text[start] => return at,
            _ => {}
        }
        at += 1;
    }
    end
}
