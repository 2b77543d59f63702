//! `new(…)` of C#, whose type is that of what it is the value of.

use crate::graph::link::overloads::{CALL_BYTES_MAX, without_strings};

/// Returns where the arguments of a `new(…)` begin whose use is recorded at the name of its type,
/// which ends at the byte `from`: `Type name = new(…)`, `Type Name { get; } = new(…)`, and what a
/// method with that result returns. There may be several.
pub(super) fn implicit_creations(text: &[u8], from: usize) -> Vec<usize> {
    let rest = text.get(from..text.len().min(from + CALL_BYTES_MAX)).unwrap_or_default();
    let Ok(whole) = std::str::from_utf8(rest) else { return Vec::new() };
    let plain = without_strings(whole);
    let bytes = plain.as_bytes();
    let (mut level, mut found) = (0_usize, Vec::new());
    for at in 0..bytes.len() {
        match bytes[at] {
            b'{' | b'[' => level += 1,
            b'(' => {
                let before = plain[..at].trim_end();
                if let Some(before) = before.strip_suffix("new").map(str::trim_end) {
                    let is_value = level == 0 && before.ends_with(['=', '>']);
                    if is_value || before.ends_with("return") {
                        found.push(from + at);
                    }
                }
                level += 1;
            }
            b')' | b']' => level = level.saturating_sub(1),
            b'}' => {
                level = level.saturating_sub(1);
                if level == 0 && !plain[at + 1..].trim_start().starts_with('=') {
                    break;
                }
            }
            b';' if level == 0 => break,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implicit_creations_are_found() {
        let count = |text: &str| implicit_creations(text.as_bytes(), 0).len();
        assert_eq!(implicit_creations(b" s = new(new Opt(3)); T t = new(1);", 0), [8]);
        assert_eq!(count(" S { get; } = new (1); void F() { }"), 1);
        assert_eq!(count(" F(int a) => new(a);"), 1);
        assert_eq!(count(" F() { if (x) { return new(1); } return new(2); } T t = new(3);"), 2);
        assert_eq!(count(" a = Get(new(1));"), 0);
    }
}
