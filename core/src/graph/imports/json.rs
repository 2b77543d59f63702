//! JSON in configuration files: with comments, and with commas before a closing bracket.

use serde_json::Value;

/// Returns the value of a text; `Null` if it is malformed.
pub(super) fn parse(text: &str) -> Value {
    // Most texts have no comments, and a `//` in a string is not one.
    serde_json::from_str(text)
        .or_else(|_| serde_json::from_slice(&plain(text)))
        .unwrap_or(Value::Null)
}

/// Returns the text with comments and trailing commas replaced by blanks.
fn plain(text: &str) -> Vec<u8> {
    let mut plain = text.as_bytes().to_vec();
    let mut comma = None;
    let mut at = 0;
    while at < plain.len() {
        let next = plain.get(at + 1).copied();
        let end = match (plain[at], next) {
            (b'"', _) => {
                comma = None;
                at = string_end(&plain, at);
                continue;
            }
            (b'/', Some(b'/')) => find(&plain, at, b"\n").unwrap_or(plain.len()),
            (b'/', Some(b'*')) => find(&plain, at + 2, b"*/").map_or(plain.len(), |end| end + 2),
            (byte, _) => {
                match byte {
                    b',' => comma = Some(at),
                    b']' | b'}' => {
                        if let Some(comma) = comma.take() {
                            plain[comma] = b' ';
                        }
                    }
                    byte if byte.is_ascii_whitespace() => {}
                    _ => comma = None,
                }
                at += 1;
                continue;
            }
        };
        plain[at..end].fill(b' ');
        at = end;
    }
    plain
}

/// Returns the end of the string that starts at `start`.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

fn find(text: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = text.get(from..)?;
    memchr::memmem::find(rest, what).map(|at| from + at)
}

/// Returns the strings of an array, or a single string.
pub(super) fn texts(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(text)) => vec![text],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_are_no_matter() {
        let text = r#"// first
        { /* second, */ "a": "x//y", "b": [1, 2, /* third */ ], // fourth
          "c\"": "*/ , ]", }"#;
        let value = parse(text);
        assert_eq!(value["a"], "x//y");
        assert_eq!(value["b"].as_array().map(Vec::len), Some(2));
        assert_eq!(value["c\""], "*/ , ]");
        assert_eq!(parse("{ \"a\": "), Value::Null);
        assert_eq!(parse("\"\\"), Value::Null);
    }
}
