//! Ranges in patterns of Swift, whose lower bound is an implicit member or in parentheses:
//! `case .min..<0:`, `case (-1)...1:`.
//!
//! The grammar parses them in expressions only, and can lose the type around the `switch`. The bound is
//! masked by a number.

use std::ops::Range;

/// The operators of ranges.
const OPERATORS: [&[u8]; 2] = [b"..<", b"..."];

/// Maximum number of lines of a pattern.
const LINES_MAX: usize = 16;

/// Maximum length of a bound.
const BYTES_MAX: usize = 200;

/// Masks bounds in `masked`, which has the length of `text`. O(bytes).
pub(super) fn mask(text: &[u8], masked: &mut [u8]) {
    for operator in OPERATORS {
        for at in memchr::memmem::find_iter(text, operator) {
            if let Some(bound) = bound(text, at).filter(|bound| is_in_pattern(text, bound.start)) {
                masked[bound.clone()].fill(b' ');
                masked[bound.start] = b'0';
            }
        }
    }
}

/// Returns the implicit member, or the parentheses, before the operator at the byte `at`.
fn bound(text: &[u8], at: usize) -> Option<Range<usize>> {
    let before = &text[at.saturating_sub(BYTES_MAX)..at];
    let before = before.trim_ascii_end();
    let end = at - (text[..at].len() - text[..at].trim_ascii_end().len());
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let length = match before.last()? {
        b')' => parentheses(before)?,
        _ => before.iter().rev().take_while(|byte| is_name(byte)).count(),
    };
    let first = before.len().checked_sub(length)?;
    let is_alone = first == 0 || matches!(before[first - 1], b' ' | b'(' | b',' | b'[');
    (is_alone && matches!(before.get(first)?, b'.' | b'(')).then_some(end - length..end)
}

/// Returns the length of the parentheses at the end of `before`.
fn parentheses(before: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in before.iter().rev().enumerate() {
        match byte {
            b')' => depth += 1,
            b'(' if depth == 1 => return Some(at + 1),
            b'(' => depth -= 1,
            b'\n' => return None,
            _ => {}
        }
    }
    None
}

/// Returns true if the byte `at` follows the word `case` of its line, or of one before that is continued.
fn is_in_pattern(text: &[u8], at: usize) -> bool {
    let mut end = at;
    for _ in 0..LINES_MAX {
        let start = memchr::memrchr(b'\n', &text[..end]).map_or(0, |end| end + 1);
        let line = &text[start..end];
        let mut words = line.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        if words.any(|word| word == b"case") {
            return true;
        }
        match start.checked_sub(1) {
            Some(before) if text[..before].trim_ascii_end().ends_with(b",") => end = before,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut masked = text.as_bytes().to_vec();
        super::mask(text.as_bytes(), &mut masked);
        assert_eq!(String::from_utf8_lossy(&masked), expected);
    }

    #[test]
    fn lower_bounds_in_patterns_are_masked() {
        check("case .min..<0:", "case 0   ..<0:");
        check("case .a ... .b, .c...:", "case 0  ... .b, 0 ...:");
        check("case 1,\n  (-1)...1:", "case 1,\n  0   ...1:");
        check("if case .f(.min..<0) = a", "if case .f(0   ..<0) = a");
    }

    #[test]
    fn other_ranges_stay_as_they_are() {
        let texts = [
            "f(.min..<0)",
            "case 0..<n:",
            "case Int.min..<0:",
            "case .a:\n  f((1)...2)",
            "f(a, (1)...2)",
            "..<0",
            "func f(a: Int...)",
        ];
        texts.iter().for_each(|text| check(text, text));
    }
}
