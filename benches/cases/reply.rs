//! Replies without the parts that differ between machines.

/// Returns a reply with its root named `<root>` and the generation of its index `N`.
///
/// Everything else is fixed: the corpus has one modification time, calls have one clock time, and
/// the index is built from scratch.
pub(crate) fn plain(text: &str, root: &str) -> String {
    let text = text.replace(root, "<root>");
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("generation") {
        let behind = &rest[at + "generation".len()..];
        let number = behind.trim_start_matches([' ', '"', ':']);
        let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        plain.push_str(&rest[..rest.len() - number.len()]);
        if digits > 0 {
            plain.push('N');
        }
        rest = &number[digits..];
    }
    plain.push_str(rest);
    plain
}

/// Returns the first pair of lines in which two replies differ.
pub(crate) fn first_difference(expected: &str, found: &str) -> String {
    let (mut before, mut after) = (expected.lines(), found.lines());
    for number in 1.. {
        match (before.next(), after.next()) {
            (None, None) => break,
            (one, other) if one == other => {}
            (one, other) => {
                let shown = |line: Option<&str>| line.unwrap_or("<end>").to_owned();
                return format!("line {number}\n  - {}\n  + {}", shown(one), shown(other));
            }
        }
    }
    "the last line's end".to_owned()
}
