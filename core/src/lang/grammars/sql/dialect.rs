//! Masks syntax of SQL dialects and of their command-line clients that the grammar does not
//! support.

use super::super::blank::{blank, lines};

/// Rewrites the quoted names of MySQL and Transact-SQL with standard quotes, and blanks out client
/// commands and the data of `COPY … FROM stdin`.
pub(super) fn mask(text: &[u8]) -> Vec<u8> {
    let mut masked = text.to_vec();
    let mut delimiter: Option<&[u8]> = None;
    let mut is_data = false;
    for (start, line) in lines(text) {
        let words = line.trim_ascii();
        let first = words.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let masked = &mut masked[start..start + line.len()];
        let is_command = first.starts_with(b"\\") || first.eq_ignore_ascii_case(b"go");
        if is_data || is_command {
            is_data = is_data && words != b"\\.";
            blank(masked);
            if first.eq_ignore_ascii_case(b"go") {
                masked[0] = b';';
            }
        } else if first.eq_ignore_ascii_case(b"delimiter") {
            let mark = words[first.len()..].trim_ascii();
            delimiter = Some(mark).filter(|mark| !mark.is_empty() && *mark != b";");
            blank(masked);
        } else {
            let copied = words.to_ascii_lowercase();
            let ends =
                memchr::memmem::find(&copied, b"from stdin").is_some() && words.ends_with(b";");
            is_data =
                ends && first.eq_ignore_ascii_case(b"copy") && has_end(&text[start + line.len()..]);
            mask_names(line, masked);
            let end = delimiter.filter(|mark| words.ends_with(mark)).map(|mark| mark.len());
            if let Some(len) = end {
                let at = line.trim_ascii_end().len() - len;
                blank(&mut masked[at..at + len]);
                masked[at] = b';';
            }
        }
    }
    super::statements::isolate(&mut masked);
    masked
}

/// Returns true if the copied data at the start of `text` end before another `COPY` begins.
fn has_end(text: &[u8]) -> bool {
    let found = lines(text).map(|(_, line)| line.trim_ascii()).find(|line| {
        let line = line.to_ascii_lowercase();
        line == b"\\." || line.starts_with(b"copy ") && line.ends_with(b";")
    });
    found == Some(b"\\.".as_slice())
}

/// Rewrites `` `name` `` and `[name]` in a line as `"name"`.
fn mask_names(line: &[u8], masked: &mut [u8]) {
    for (at, &byte) in line.iter().enumerate() {
        let before = at.checked_sub(1).map_or(b' ', |at| line[at]);
        let opens = byte == b'['
            && !before.is_ascii_alphanumeric()
            && !b"_])\"".contains(&before)
            && line.get(at + 1).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        if byte == b'`' {
            masked[at] = b'"';
        } else if opens {
            let rest = &line[at + 1..];
            let len = rest.iter().position(|byte| b"]['\",".contains(byte));
            if let Some(len) = len.filter(|&len| rest[len] == b']') {
                (masked[at], masked[at + 1 + len]) = (b'"', b'"');
            }
        }
    }
}
