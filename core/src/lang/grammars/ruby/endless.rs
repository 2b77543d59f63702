//! Methods of Ruby without `end` whose body is a call without parentheses, which the grammar does not
//! parse:
//!
//! ```text
//! def compile(**options) = raise NotImplementedError, "subclass responsibility"
//! ```
//!
//! The call gets parentheses: one in place of the space before its arguments, and one in place of the line
//! end, which changes places with the first space of the next line. Offsets and rows of all other tokens
//! stay right.

use crate::lang::grammars::blank;

/// Words that are no name of a method before a space.
const WORDS: &[&[u8]] = &[
    b"alias",
    b"and",
    b"begin",
    b"case",
    b"defined?",
    b"do",
    b"else",
    b"end",
    b"ensure",
    b"false",
    b"for",
    b"if",
    b"in",
    b"nil",
    b"not",
    b"or",
    b"rescue",
    b"return",
    b"self",
    b"super",
    b"then",
    b"true",
    b"unless",
    b"until",
    b"when",
    b"while",
    b"yield",
];

/// What a line contains whose end need not be that of the call.
const OPEN: [&[u8]; 11] = [
    b" and ",
    b" do",
    b" if ",
    b" or ",
    b" rescue ",
    b" unless ",
    b" until ",
    b" while ",
    b";",
    b"<<",
    b"#",
];

/// Returns the text with such calls in parentheses. O(bytes).
pub(super) fn mask(text: &[u8]) -> Vec<u8> {
    let mut masked = text.to_vec();
    for (start, line) in blank::lines(text) {
        if let Some(open) = before_arguments(line)
            && let Some((close, newline)) = line_end(text, start + line.len())
        {
            masked[start + open] = b'(';
            masked[close] = b')';
            if let Some(newline) = newline {
                masked[newline] = b'\n';
            }
        }
    }
    masked
}

/// Returns the position of the space before the arguments of a call that is the body of a method on the
/// line.
fn before_arguments(line: &[u8]) -> Option<usize> {
    let head = memchr::memmem::find(line, b"def ")?;
    let is_first = head == 0 || line[head - 1] == b' ' || line[head - 1] == b'\t';
    let end = line.trim_ascii_end();
    let is_open = OPEN.iter().any(|part| memchr::memmem::find(line, part).is_some())
        || end.last().is_none_or(|byte| b",{([|+-*/&\\=.".contains(byte));
    if !is_first || is_open {
        return None;
    }
    let mut at = head + 4;
    at += line[at..].iter().take_while(|byte| is_name(**byte) || b".?!".contains(byte)).count();
    if line.get(at) == Some(&b'(') {
        at = after_parentheses(line, at)?;
    }
    let rest = line.get(at..)?.strip_prefix(b" = ")?;
    at += b" = ".len();
    let is_callee = |byte: &u8| is_name(*byte) || b".?!&:@".contains(byte);
    let callee = &rest[..rest.iter().position(|byte| !is_callee(byte))?];
    let arguments = rest[callee.len()..].strip_prefix(b" ")?;
    let word = &arguments[..arguments.iter().take_while(|byte| is_name(**byte)).count()];
    let starts = |byte: &u8| is_name(*byte) || b"'\":@".contains(byte);
    let is_call = callee.first().is_some_and(|byte| is_name(*byte) || *byte == b'@')
        && !callee[0].is_ascii_digit()
        && callee.last().is_some_and(|byte| is_name(*byte) || b"?!".contains(byte))
        && arguments.first().is_some_and(starts)
        && !arguments.starts_with(b": ")
        && !WORDS.contains(&callee)
        && (!WORDS.contains(&word) || matches!(word, b"false" | b"nil" | b"self" | b"true"));
    is_call.then_some(at + callee.len())
}

fn is_name(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// Returns the position after the parentheses that open at a byte.
fn after_parentheses(line: &[u8], open: usize) -> Option<usize> {
    let mut level = 0_usize;
    for (at, byte) in line.iter().enumerate().skip(open) {
        match byte {
            b'(' => level += 1,
            b')' => level = level.checked_sub(1)?,
            _ => {}
        }
        if level == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Returns the position that can have a parenthesis at the end of the line that ends before `end`, and
/// where the line end is then instead; `None` if the next line is not indented.
fn line_end(text: &[u8], end: usize) -> Option<(usize, Option<usize>)> {
    let close = end.checked_sub(1).filter(|&close| text[close] == b'\n')?;
    if text[..close].ends_with(b"\r") || text[..close].ends_with(b" ") {
        return Some((close - 1, None));
    }
    let newline = end + text[end..].iter().take_while(|byte| **byte == b'\n').count();
    matches!(text.get(newline), Some(b' ' | b'\t')).then_some((close, Some(newline)))
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(String::from_utf8_lossy(&mask(text.as_bytes())), expected);
    }

    #[test]
    fn calls_get_parentheses() {
        check("  def a(b) = raise C, 'd'\n  end\n", "  def a(b) = raise(C, 'd')\n end\n");
        check("  def a = puts :b\n\n  def c\n", "  def a = puts(:b)\n\n def c\n");
        check("def self.a? = b.c? d\r\nend\r\n", "def self.a? = b.c?(d)\nend\r\n");
        check("  def a = puts nil \nend\n", "  def a = puts(nil)\nend\n");
    }

    #[test]
    fn other_bodies_keep_their_text() {
        for text in [
            "  def a = b\n  end\n",
            "  def a = b(c, d)\n  end\n",
            "  def a = b ? c : d\n  end\n",
            "  def a = b == c\n  end\n",
            "  def a = b if c\n  end\n",
            "  def a = not b\n  end\n",
            "  def a = b and c\n  end\n",
            "  def a = b c,\n    d\n  end\n",
            "  def a = b c do\n  end\n",
            "  def a = 1 + 2\n  end\n",
            "  def a = :b\n  end\n",
            "  def a(b = c d)\n  end\n",
            "  x = undef a\n  end\n",
            "def a = b c",
            "def a = b c\nend\n",
        ] {
            check(text, text);
        }
    }
}
