//! The stored slice: what is kept of a file, and its bytes.
//!
//! [`slice()`] decides what is kept: definitions, signatures, scopes, imports, exports, uses with
//! their receivers, results, assigned members, stored functions, and the bindings that these
//! reach. Other values become unknown under the same ids, so that a file that is
//! lowered again on demand answers for them. One traversal writes and reads; numbers
//! are variable in length, and runs of values that are not kept take one number.

pub(crate) mod coder;
pub(crate) mod layout;
pub(crate) mod regions;
mod slice;

use super::{File, Name, Range};
use coder::{Coder, Lane, Reader, Writer};
pub(crate) use slice::shapes;
pub use slice::{Needs, SHAPES, slice, slice_of};

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

pub(crate) fn name<C: Coder>(c: &mut C, value: &mut Name) {
    c.name(value);
}

pub(crate) fn range<C: Coder>(c: &mut C, value: &mut Range) {
    // Ranges start near the last one.
    c.near(Lane::Position, &mut value.start);
    let mut length = value.end.wrapping_sub(value.start);
    c.u32(&mut length);
    value.end = value.start.wrapping_add(length);
}

/// Returns the names of an encoded file, and how many of its bytes they are.
///
/// # Errors
/// The bytes are not those of a file.
pub fn names(bytes: &[u8]) -> Result<(Vec<Name>, usize), String> {
    let reader = Reader::new(bytes)?;
    let length = bytes.len() - reader.left();
    Ok((reader.into_names(), length))
}
