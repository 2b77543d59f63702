//! The text form of a file's facts, for tests and for people who read what a lowering gives.
//!
//! Each item starts with its place, `@12` or `@12-15`: lines of the source, which [`Lines`] turns
//! into byte ranges and back. Bodies stand in braces.
//!
//! ```text
//! module shop
//! @1-4 class Basket<T>: extends Base<T>, mixes Countable { renames each as every } {
//!   @2 field items: slice<T>
//!   @3-4 fn add(item: T, many: int default) -> Self {
//!     @3 let first = self.items!index
//!     @4 do new Row(first, fn(row) { @4 do row.show(label: "x") })
//!   }
//! }
//! ```
//!
//! In expressions, `a.b(c)` is a call and `a.b^` a read that can run code: both are uses. `A::b`
//! says that `A` is a type, `x!index` is what `x` gives by a protocol, and `?` is unknown.

mod lexer;
mod parser;
mod printer;

pub use parser::parse;
pub use printer::print;

use super::Range;

/// Where the lines of a source start.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    starts: Vec<u32>,
    length: u32,
}

impl Lines {
    /// Returns the lines of `source`.
    pub fn new(source: &str) -> Self {
        let mut starts = vec![0];
        let ends = source.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        starts.extend(ends.map(|(at, _)| size(at + 1)));
        Self { starts, length: size(source.len()) }
    }

    /// Returns the bytes of the lines `first` to `last`, which count from 1.
    pub fn range(&self, first: u32, last: u32) -> Option<Range> {
        let start = *self.starts.get(first.checked_sub(1)? as usize)?;
        let end = self.starts.get(last as usize).map_or(self.length, |next| next - 1);
        (start <= end).then_some(Range { start, end })
    }

    /// Returns the lines of the first and the last byte of `range`.
    pub fn of(&self, range: Range) -> (u32, u32) {
        let line = |at: u32| size(self.starts.partition_point(|&start| start <= at));
        (line(range.start), line(range.end.max(range.start)))
    }
}

fn size(length: usize) -> u32 {
    u32::try_from(length).expect("a source is smaller than 4 GB")
}
