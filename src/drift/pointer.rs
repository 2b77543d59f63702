//! JSON pointers (RFC 6901), by which findings and changes name a place in a definition.

/// Appends a member of an object to a pointer.
pub(super) fn push_name(pointer: &mut String, name: &str) {
    pointer.push('/');
    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
}

/// Appends an element of an array to a pointer.
pub(super) fn push_index(pointer: &mut String, index: usize) {
    pointer.push_str(&format!("/{index}"));
}
