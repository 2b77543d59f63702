//! The note for agents in AGENTS.md and CLAUDE.md, between two markers: when to use which tool.

use super::{Act, Edit, lines};
use crate::error::{Error, Result};

/// The marker before what codedb wrote.
pub(super) const BEGIN: &str = "<!-- codedb:begin -->";
/// The marker after it.
pub(super) const END: &str = "<!-- codedb:end -->";

/// The note with its markers.
const NOTE: &[&str] = &[
    BEGIN,
    "This tree is indexed by codedb (MCP server `codedb`). Prefer its tools to grep and to reading whole files:",
    "",
    "- a task, a bug report, a stack trace: `codedb_context` first, with the whole text",
    "- where something is defined: `codedb_symbol`; who calls it: `codedb_callers`",
    "- which code runs from A to B, or from A on: `codedb_trace`",
    "- a text or a regular expression, with the functions around it: `codedb_search`",
    "- lines and definitions of several files in one call: `codedb_read` with `targets`",
    "- what is in a file: `codedb_outline`; a partial or misspelled file name: `codedb_find`",
    END,
];

/// Adds the note at the end of `text`, or replaces an older one; `None` if the text contains it
/// already.
///
/// # Errors
///
/// [`Kind::Usage`](crate::Kind::Usage) if a marker is missing, repeated, or out of order.
pub fn register(text: &str) -> Result<Option<Edit>> {
    let Some(range) = range(text)? else {
        return Ok(Some(Edit { text: lines::append(text, NOTE), act: Act::Adds }));
    };
    let note = NOTE.join(lines::line_end(text));
    if text[range.clone()] == note {
        return Ok(None);
    }
    let text = format!("{}{note}{}", &text[..range.start], &text[range.end..]);
    Ok(Some(Edit { text, act: Act::Moves }))
}

/// Removes the note from `text`; `None` if there is none.
///
/// # Errors
///
/// As [`register`].
pub fn unregister(text: &str) -> Result<Option<Edit>> {
    let Some(range) = range(text)? else { return Ok(None) };
    let text = lines::cut(text, lines::whole_lines(text, range));
    let act = if text.is_empty() { Act::RemovesAll } else { Act::Removes };
    Ok(Some(Edit { text, act }))
}

/// Returns the range from the first to the second marker, including both; `None` if there is none.
pub(super) fn range(text: &str) -> Result<Option<std::ops::Range<usize>>> {
    let places = |mark| text.match_indices(mark).map(|(at, _)| at).collect::<Vec<_>>();
    match (places(BEGIN).as_slice(), places(END).as_slice()) {
        ([], []) => Ok(None),
        ([begin], [end]) if begin < end => Ok(Some(*begin..end + END.len())),
        _ => Err(Error::usage(format!(
            "expected `{BEGIN}` and `{END}` exactly once each, in this order"
        ))
        .with_hint("remove the marks and the rest of the note, and run the command again")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_is_added_removed_and_updated() {
        for text in ["", "# Agents\n", "# Agents", "# Agents\r\n\r\nBe kind.\r\n", "\n\n"] {
            let noted = register(text).expect("no marks").expect("an edit");
            assert_eq!(noted.act, Act::Adds);
            assert!(noted.text.starts_with(text) && noted.text.contains("codedb_context"));
            assert_eq!(register(&noted.text).expect("marks in order"), None);
            let gone = unregister(&noted.text).expect("marks in order").expect("an edit");
            assert_eq!(gone.text, text);
            assert_eq!(gone.act == Act::RemovesAll, text.is_empty());
        }
        let old = format!("a\n\n{BEGIN}\nold\n{END}\n\nb\n");
        let renewed = register(&old).expect("marks in order").expect("an edit").text;
        assert_eq!(renewed, format!("a\n\n{}\n\nb\n", NOTE.join("\n")));
        let gone = unregister(&renewed).expect("marks in order").expect("an edit").text;
        assert_eq!(gone, "a\n\nb\n");
        assert_eq!(unregister("a\n").expect("no marks"), None);
    }

    #[test]
    fn broken_markers_are_an_error() {
        for text in [format!("{BEGIN}\n"), format!("{END}\n{BEGIN}\n"), BEGIN.repeat(2) + END] {
            let error = register(&text).expect_err("marks out of order");
            assert!(error.to_string().contains("exactly once each"), "{error}");
            assert_eq!(error.hints().len(), 1);
        }
    }
}
