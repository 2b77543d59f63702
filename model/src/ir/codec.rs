//! The stored slice: what is kept of a file, and its bytes.
//!
//! [`slice`] decides what is kept: definitions, signatures, scopes, imports, exports, uses with
//! their receivers, results, assigned members, stored functions, and the bindings that these
//! reach. Other values become [`Expression::Unknown`] under the same ids, so that a file that is
//! lowered again on demand answers for them. One traversal writes and reads ([`Coder`]); numbers
//! are variable in length, and runs of values that are not kept take one number.

mod coder;
mod layout;
mod slice;

use super::{File, Name, Range};
use coder::{Coder, Reader, Writer};
pub use slice::slice;

/// Returns the bytes of `file`.
pub fn encode(file: &File) -> Vec<u8> {
    let mut writer = Writer::default();
    let mut file = file.clone();
    layout::file(&mut writer, &mut file);
    writer.finish()
}

/// Returns the file that `bytes` hold.
///
/// # Errors
/// The bytes are not those of a file.
pub fn decode(bytes: &[u8]) -> Result<File, String> {
    let mut reader = Reader::new(bytes)?;
    let mut file = File::default();
    layout::file(&mut reader, &mut file);
    reader.finish()?;
    Ok(file)
}

fn name<C: Coder>(c: &mut C, value: &mut Name) {
    c.name(value);
}

fn range<C: Coder>(c: &mut C, value: &mut Range) {
    // Ranges start near the last one.
    c.near(&mut value.start);
    let mut length = value.end.wrapping_sub(value.start);
    c.u32(&mut length);
    value.end = value.start.wrapping_add(length);
}

/// Returns how many of the bytes of an encoded file are its names.
pub fn names_length(bytes: &[u8]) -> usize {
    Reader::new(bytes).map_or(0, |reader| bytes.len() - reader.left())
}
