//! Masks Flow types for the grammar of TypeScript: syntax that TypeScript does not have is blanked
//! out. Byte offsets do not change.

/// Blanks out `?` before a type and the type in a cast `(value: Type)`, and replaces the value of a
/// type alias with `=0`.
pub(super) fn mask(text: &[u8]) -> Vec<u8> {
    let mut masked = text.to_vec();
    let mut start = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        mask_line(line, &mut masked[start..start + line.len()]);
        let words = [&b"export type "[..], b"type ", b"export opaque type ", b"opaque type "];
        if let Some(word) = words.iter().find(|word| line.starts_with(word)) {
            mask_alias(&text[start..], word.len(), &mut masked[start..]);
            if let Some(at) = bstr::ByteSlice::find(*word, "opaque") {
                masked[start + at..start + at + "opaque".len()].fill(b' ');
            }
        }
        start += line.len();
    }
    masked
}

/// Maximum length of a type alias; a longer one is unchanged.
const ALIAS_BYTES_MAX: usize = 16 << 10;

/// Blanks out a type alias from the end of its name to its semicolon.
fn mask_alias(text: &[u8], name: usize, masked: &mut [u8]) {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$".contains(byte);
    let start = name + text[name..].iter().take_while(|byte| is_name(byte)).count();
    let mut depth = 0_i32;
    for (at, &byte) in text.iter().enumerate().take(start + ALIAS_BYTES_MAX).skip(start) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b';' if depth == 0 && at > start + 3 => {
                let blank = |byte: &mut u8| {
                    if !byte.is_ascii_whitespace() {
                        *byte = b' ';
                    }
                };
                masked[start..at].iter_mut().for_each(blank);
                let Some(sign) = text[start..at].iter().position(|&byte| byte == b'=') else {
                    return;
                };
                masked[start + sign] = b'=';
                if let Some(value) = masked.get_mut(start + sign + 1) {
                    *value = b'0';
                }
                return;
            }
            _ => {}
        }
    }
}

/// Returns true if a type is expected after `before`.
fn is_maybe(before: &[u8]) -> bool {
    matches!(before.trim_ascii_end().last(), Some(b':' | b'<' | b'|' | b'='))
}

fn mask_line(line: &[u8], masked: &mut [u8]) {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_$".contains(&byte);
    let is_type = |byte: u8| is_name(byte) || b" .,<>[]|*?".contains(&byte);
    // Offset of each open parenthesis, and whether a conditional expression began after it.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (at, &byte) in line.iter().enumerate() {
        let after = line.get(at + 1).copied().unwrap_or(b'\n');
        match byte {
            b'(' => open.push((at, false)),
            b')' => {
                open.pop();
            }
            b'?' if is_maybe(&line[..at]) && (is_name(after) || b"({[".contains(&after)) => {
                masked[at] = b' ';
            }
            b'?' if after != b'.' && after != b':' => {
                open.iter_mut().for_each(|(_, has)| *has = true);
            }
            b':' if after == b' ' => {
                let rest = &line[at + 1..];
                let len = rest.iter().position(|&byte| !is_type(byte)).unwrap_or(rest.len());
                let Some(&(paren, false)) = open.last() else { continue };
                let before = line[..paren].trim_ascii_end().last().copied();
                let is_call = before.is_some_and(|byte| is_name(byte) || b")]>".contains(&byte));
                let is_word = [&b"return"[..], b"typeof", b"await", b"case", b"in", b"of"]
                    .iter()
                    .any(|word| line[..paren].trim_ascii_end().ends_with(word));
                if rest.get(len) == Some(&b')') && (!is_call || is_word) {
                    masked[at..at + 1 + len].fill(b' ');
                }
            }
            _ => {}
        }
    }
}
