//! Masks consecutive call signatures of TypeScript interfaces without semicolons. The grammar would
//! parse the type parameters of the second signature as type arguments of the previous type, so the
//! space before each such signature is replaced with a semicolon. Byte offsets do not change.

/// Inserts semicolons before lines such as `  <T>(a: T): T`. O(text).
pub(super) fn mask(text: &[u8]) -> Vec<u8> {
    let mut masked = text.to_vec();
    let mut before = b'\0';
    let mut start = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let words = line.trim_ascii_start();
        let indent = line.len() - words.len();
        if indent > 0 && begins(words) && (matches!(before, b'>' | b')' | b']') || is_name(before))
        {
            masked[start + indent - 1] = b';';
        }
        let is_comment = [&b"//"[..], b"/*", b"*"].iter().any(|mark| words.starts_with(mark));
        if !is_comment {
            before = words.trim_ascii_end().last().copied().unwrap_or(before);
        }
        start += line.len();
    }
    masked
}

/// Returns true if the line begins with type parameters, which may go on in the next lines.
fn begins(line: &[u8]) -> bool {
    let is_open = line.trim_ascii_end() == b"<";
    is_open || line.first() == Some(&b'<') && line.get(1).is_some_and(u8::is_ascii_uppercase)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn overloads_are_separated() {
        let masked = mask(
            b"interface A {\n  <T>(a: T): B<T>\n  <T>(): string\n  <T>(): T;\n  <T>(): T\n}\n",
        );
        let expected =
            "interface A {\n  <T>(a: T): B<T>\n ;<T>(): string\n ;<T>(): T;\n  <T>(): T\n}\n";
        assert_eq!(String::from_utf8_lossy(&masked), expected);
        let masked = mask(b"interface A {\n  <\n    T,\n  >(): B<\n    T\n  >\n\n  // more\n  <\n");
        assert!(masked.ends_with(b"  // more\n ;<\n"));
        for text in ["a\n<T>(x)", "f(\n  <T>(x)\n)", "a\n  < B", "<T>"] {
            assert_eq!(mask(text.as_bytes()), text.as_bytes());
        }
    }
}
