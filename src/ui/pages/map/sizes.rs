//! The lines of files: counted where the index has them, else estimated from their bytes.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::catalog::derived::Derived;
use crate::error::Result;
use crate::index::table::Flags;

/// The bytes of a line where no file has counted ones.
const BYTES_A_LINE: u64 = 36;

/// The lines of the files of one state of the tree, as sums over ranges of files: a folder is such a range.
/// 16 bytes for each file.
#[derive(Debug)]
pub(super) struct Sizes {
    /// The lines of the files before each place.
    lines: Vec<u64>,
    /// The files before each place whose lines are estimated.
    estimated: Vec<u32>,
    /// The files before each place without lines, such as images.
    without: Vec<u32>,
}

/// The sizes that are kept with a catalog.
#[derive(Default)]
struct Kept(OnceLock<Arc<Sizes>>);

impl Derived for Kept {
    fn without(&self, _: &[FileId]) -> Kept {
        Kept::default()
    }
}

impl Sizes {
    /// Returns the sizes of all files. O(files) the first time for a state of the tree.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if the index is damaged.
    pub(super) fn of(catalog: &Catalog) -> Result<Arc<Sizes>> {
        let kept = catalog.derived::<Kept>();
        if let Some(sizes) = kept.0.get() {
            return Ok(Arc::clone(sizes));
        }
        let sizes = Arc::new(Sizes::counted(catalog)?);
        Ok(Arc::clone(kept.0.get_or_init(|| sizes)))
    }

    fn counted(catalog: &Catalog) -> Result<Sizes> {
        let files = catalog.files();
        let mut sizes = Vec::with_capacity(files.len());
        let (mut lines, mut bytes) = (0_u64, 0_u64);
        for (at, (_, info)) in files.iter().enumerate() {
            let known = catalog.summary(FileId::new(at))?;
            let size = match known {
                _ if info.size_bytes == 0 || info.flags.has(Flags::BINARY) => Size::None,
                Some(known) if known.lines > 0 => {
                    lines += u64::from(known.lines);
                    bytes += info.size_bytes;
                    Size::Lines(known.lines.into())
                }
                // The index has read it and found no text.
                Some(_) if !info.flags.has(Flags::SCAN) => Size::None,
                _ => Size::Bytes(info.size_bytes),
            };
            sizes.push(size);
        }
        let bytes_a_line = bytes.checked_div(lines).unwrap_or(BYTES_A_LINE).max(1);
        Ok(Sizes::new(sizes.into_iter(), bytes_a_line))
    }

    fn new(sizes: impl ExactSizeIterator<Item = Size>, bytes_a_line: u64) -> Sizes {
        let room = sizes.len() + 1;
        let mut made = Sizes {
            lines: Vec::with_capacity(room),
            estimated: Vec::with_capacity(room),
            without: Vec::with_capacity(room),
        };
        let (mut lines, mut estimated, mut without) = (0, 0, 0);
        made.push(lines, estimated, without);
        for size in sizes {
            match size {
                Size::None => without += 1,
                Size::Lines(count) => lines += count,
                Size::Bytes(bytes) => {
                    lines += bytes.div_ceil(bytes_a_line);
                    estimated += 1;
                }
            }
            made.push(lines, estimated, without);
        }
        made
    }

    fn push(&mut self, lines: u64, estimated: u32, without: u32) {
        self.lines.push(lines);
        self.estimated.push(estimated);
        self.without.push(without);
    }

    /// Returns the lines of files. O(1).
    pub(super) fn lines(&self, files: &Range<usize>) -> u64 {
        self.lines[files.end] - self.lines[files.start]
    }

    /// Returns how many files have estimated lines. O(1).
    pub(super) fn estimated(&self, files: &Range<usize>) -> usize {
        (self.estimated[files.end] - self.estimated[files.start]) as usize
    }

    /// Returns how many files have no lines. O(1).
    pub(super) fn without(&self, files: &Range<usize>) -> usize {
        (self.without[files.end] - self.without[files.start]) as usize
    }
}

/// What is known about the lines of a file.
#[derive(Clone, Copy)]
enum Size {
    /// It has none: it is empty or no text.
    None,
    Lines(u64),
    Bytes(u64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_sums_of_ranges() {
        let sizes = [Size::Lines(10), Size::None, Size::Bytes(100), Size::Lines(1)];
        let sizes = Sizes::new(sizes.into_iter(), 30);
        assert_eq!(sizes.lines(&(0..4)), 15);
        assert_eq!(sizes.lines(&(1..3)), 4);
        assert_eq!((sizes.estimated(&(0..2)), sizes.estimated(&(0..4))), (0, 1));
        assert_eq!((sizes.without(&(2..4)), sizes.without(&(0..4))), (0, 1));
    }
}
