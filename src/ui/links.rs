//! The addresses of pages.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What a path of an address contains unchanged.
const PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// What a value of an address contains unchanged.
const VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Returns a text as a value of an address.
pub(super) fn value(text: &str) -> String {
    utf8_percent_encode(text, VALUE).to_string()
}

/// Returns the address of the page of a file.
pub(super) fn file(path: &str, line: Option<usize>) -> String {
    let path = utf8_percent_encode(path, PATH);
    match line {
        Some(line) => format!("/file/{path}?line={line}#L{line}"),
        None => format!("/file/{path}"),
    }
}

/// Returns the address of a page about a path: `page` is such as `history` or `map`.
pub(super) fn about(page: &str, path: &str) -> String {
    let path = utf8_percent_encode(path.trim_end_matches('/'), PATH).to_string();
    if path.is_empty() { format!("/{page}") } else { format!("/{page}/{path}") }
}

/// Returns the address of the calls around a definition.
pub(super) fn calls(name: &str, path: Option<&str>) -> String {
    let path = path.map_or_else(String::new, |path| format!("&path={}", value(path)));
    format!("/calls?name={}{path}", value(name))
}

/// Returns the address of a search.
pub(super) fn search(query: &str) -> String {
    format!("/search?q={}", value(query))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_part_of_an_address() {
        assert_eq!(file("a b/c?d#e%f", Some(3)), "/file/a%20b/c%3Fd%23e%25f?line=3#L3");
        assert_eq!(calls("a::b&c", Some("x=y")), "/calls?name=a%3A%3Ab%26c&path=x%3Dy");
        assert_eq!(about("map", ""), "/map");
        assert_eq!(about("map", "src/"), "/map/src");
        assert_eq!(search("\"><script>"), "/search?q=%22%3E%3Cscript%3E");
    }
}
