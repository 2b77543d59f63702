//! JSON pointers (RFC 6901), by which findings and changes name a place in a definition.

use crate::base::text;

/// Appends a member of an object to a pointer.
pub(super) fn push_name(pointer: &mut String, name: &str) {
    pointer.push('/');
    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
}

/// The maximum length of a displayed pointer in bytes.
const SHOWN_BYTES_MAX: usize = 300;

/// Returns a pointer for display: not longer than 300 bytes.
pub(super) fn shortened(pointer: &str) -> String {
    let start = text::start(pointer, SHOWN_BYTES_MAX);
    if start.len() < pointer.len() { format!("{start}…") } else { pointer.to_owned() }
}

/// Appends an element of an array to a pointer.
pub(super) fn push_index(pointer: &mut String, index: usize) {
    pointer.push_str(&format!("/{index}"));
}
