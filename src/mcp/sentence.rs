//! Errors as sentences for clients.

use crate::error::Error;

/// The maximum length of an error in bytes.
const ERROR_BYTES_MAX: usize = 4000;

/// Returns an error with its hints, on one line. An error may quote an argument of any length, so
/// the middle of a long line is omitted.
pub(super) fn sentence(error: &Error) -> String {
    let hints = error.hints().iter().map(String::as_str).filter(|hint| !hint.is_empty());
    let parts = std::iter::once(error.to_string()).chain(hints.map(str::to_owned));
    let line = parts.collect::<Vec<_>>().join("; ");
    if line.len() <= ERROR_BYTES_MAX {
        return crate::base::text::plain(&line);
    }
    let start = line.floor_char_boundary(ERROR_BYTES_MAX / 2);
    let end = line.ceil_char_boundary(line.len() - ERROR_BYTES_MAX / 2);
    crate::base::text::plain(&format!(
        "{} … ({} bytes omitted) … {}",
        &line[..start],
        end - start,
        &line[end..]
    ))
}
