//! The container that every index file is: a header, sections, block checksums, a directory.
//!
//! ```text
//! header     64 bytes: magic, format version, kind, file length, checksum of the header
//! sections   each starts on a multiple of 8 bytes
//! checksums  one CRC-32 (little endian) for each 16-KiB block of header and sections
//! directory  (id u32, 0 u32, offset u64, length u64) for each section
//! footer     32 bytes: checksums' offset u64, sections' count u32, CRC-32 of checksums and
//!            directory, 0 u32, CRC-32 of the footer so far, magic
//! ```
//!
//! Opening a file checks header, footer and directory. Blocks are checked on first access
//! ([`Container::bytes`]). Files are immutable.
//!
//! Version log:
//! - 1: the first.
//! - 2: a manifest names the checksums of its files.
//! - 3: the code index consists of segments (`code-segment-…`, `segments` in its manifest),
//!   formerly parts.
//! - 4: the file table lists the files with several names.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::index::map::Map;

/// The version that this build writes and reads. Any other version leads to a rebuild.
pub const VERSION: u32 = 6;

const MAGIC: [u8; 8] = *b"codedb\x00\xff";
const HEADER_BYTES: usize = 64;
const FOOTER_BYTES: usize = 32;
const ENTRY_BYTES: usize = 24;
const BLOCK_BYTES: usize = 16 << 10;

/// The contents of an index file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[repr(u32)]
pub enum FileKind {
    /// Trigram postings.
    Segment = 1,
    /// The file table of a generation.
    Table = 2,
    /// A segment of the code index.
    Code = 3,
    /// The log of commits.
    History = 4,
    /// The files of one tantivy segment of a text index.
    TextSegment = 32,
    /// The file and chunk table of a text index, with its manifest.
    TextFiles = 33,
}

impl FileKind {
    const ALL: [FileKind; 6] = [
        FileKind::Segment,
        FileKind::Table,
        FileKind::Code,
        FileKind::History,
        FileKind::TextSegment,
        FileKind::TextFiles,
    ];
}

/// Reads every byte of a container of any kind; does nothing for other files. O(file).
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if it is damaged; [`crate::Kind::Io`] if it cannot be read.
pub fn verify(path: &Path) -> Result<()> {
    let mut header = [0; 16];
    let mut file = File::open(path).map_err(|error| Error::io(path, error))?;
    if file.read_exact(&mut header).is_err() || header[..8] != MAGIC {
        return Ok(());
    }
    let kind = FileKind::ALL.into_iter().find(|kind| *kind as u32 == u32_at(&header, 12));
    let kind = kind.ok_or_else(|| Error::corrupt(path, "index file is of an unknown kind"))?;
    Container::open(Map::open(path, true)?, kind)?.check_all()
}

/// Writes a container of `kind` to the new file `path`; `sections` are (id, bytes).
///
/// # Errors
///
/// [`crate::Kind::Io`] if the file exists or cannot be written (for instance, if the disk is full).
/// An incomplete file may be left at `path`.
pub fn write(path: &Path, kind: FileKind, sections: &[(u32, &[&[u8]])]) -> Result<()> {
    let io = |error| Error::io(path, error);
    let file = File::options().write(true).create_new(true).open(path).map_err(io)?;
    let mut out = ChecksumWriter::new(BufWriter::with_capacity(256 << 10, file));
    write_to(&mut out, kind, sections).map_err(io)
}

/// Returns the [`Container::checksum`] of a file that this process wrote, without checking the
/// file. O(1).
pub fn checksum(path: &Path) -> Result<u32> {
    let mut footer = [0; FOOTER_BYTES];
    let read = File::open(path).and_then(|mut file| {
        file.seek(SeekFrom::End(-(FOOTER_BYTES as i64)))?;
        file.read_exact(&mut footer)
    });
    read.map_err(|error| Error::io(path, error))?;
    Ok(u32_at(&footer, 12))
}

/// Returns the bytes of a container, for an index in memory.
pub fn to_bytes(kind: FileKind, sections: &[(u32, &[&[u8]])]) -> Vec<u8> {
    let mut out = ChecksumWriter::new(Vec::new());
    write_to(&mut out, kind, sections).expect("writing to memory cannot fail");
    out.inner
}

fn write_to<W: Write>(
    out: &mut ChecksumWriter<W>,
    kind: FileKind,
    sections: &[(u32, &[&[u8]])],
) -> std::io::Result<()> {
    let mut offset = HEADER_BYTES;
    let mut directory = Vec::with_capacity(sections.len() * ENTRY_BYTES);
    for (id, parts) in sections {
        let len_bytes: usize = parts.iter().map(|part| part.len()).sum();
        directory.extend_from_slice(&id.to_le_bytes());
        directory.extend_from_slice(&0_u32.to_le_bytes());
        directory.extend_from_slice(&(offset as u64).to_le_bytes());
        directory.extend_from_slice(&(len_bytes as u64).to_le_bytes());
        offset += len_bytes.next_multiple_of(8);
    }
    let checksums_bytes = offset.div_ceil(BLOCK_BYTES) * 4;
    let file_bytes = offset + checksums_bytes + directory.len() + FOOTER_BYTES;

    let mut header = [0_u8; HEADER_BYTES];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..16].copy_from_slice(&(kind as u32).to_le_bytes());
    header[16..24].copy_from_slice(&(file_bytes as u64).to_le_bytes());
    let crc = crc32fast::hash(&header[..HEADER_BYTES - 4]);
    header[HEADER_BYTES - 4..].copy_from_slice(&crc.to_le_bytes());
    out.write(&header)?;
    for (_, parts) in sections {
        let mut len_bytes = 0;
        for part in *parts {
            out.write(part)?;
            len_bytes += part.len();
        }
        out.write(&[0; 8][..len_bytes.next_multiple_of(8) - len_bytes])?;
    }
    let checksums = out.finish();
    let crc = {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&checksums);
        hasher.update(&directory);
        hasher.finalize()
    };
    let mut footer = [0_u8; FOOTER_BYTES];
    footer[..8].copy_from_slice(&(offset as u64).to_le_bytes());
    footer[8..12].copy_from_slice(&(sections.len() as u32).to_le_bytes());
    footer[12..16].copy_from_slice(&crc.to_le_bytes());
    let crc = crc32fast::hash(&footer[..20]);
    footer[20..24].copy_from_slice(&crc.to_le_bytes());
    footer[24..].copy_from_slice(&MAGIC);
    out.inner.write_all(&checksums)?;
    out.inner.write_all(&directory)?;
    out.inner.write_all(&footer)?;
    out.inner.flush()
}

/// Forwards bytes and computes the checksum of each 16-KiB block.
struct ChecksumWriter<W> {
    inner: W,
    hasher: crc32fast::Hasher,
    in_block: usize,
    checksums: Vec<u8>,
}

impl<W: Write> ChecksumWriter<W> {
    fn new(inner: W) -> ChecksumWriter<W> {
        let hasher = crc32fast::Hasher::new();
        ChecksumWriter { inner, hasher, in_block: 0, checksums: Vec::new() }
    }

    fn write(&mut self, mut bytes: &[u8]) -> std::io::Result<()> {
        self.inner.write_all(bytes)?;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK_BYTES - self.in_block));
            self.hasher.update(now);
            self.in_block += now.len();
            if self.in_block == BLOCK_BYTES {
                self.close_block();
            }
            bytes = later;
        }
        Ok(())
    }

    fn close_block(&mut self) {
        let hasher = std::mem::replace(&mut self.hasher, crc32fast::Hasher::new());
        self.checksums.extend_from_slice(&hasher.finalize().to_le_bytes());
        self.in_block = 0;
    }

    fn finish(&mut self) -> Vec<u8> {
        if self.in_block > 0 {
            self.close_block();
        }
        std::mem::take(&mut self.checksums)
    }
}

/// A byte range of a container.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Range {
    start: usize,
    len: usize,
}

impl Range {
    /// Returns the length in bytes.
    pub fn len(self) -> usize {
        self.len
    }

    /// Returns true if the range is empty.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns the subrange `start..start + len`, or `None` if it extends beyond the range.
    pub fn slice(self, start: usize, len: usize) -> Option<Range> {
        let fits = start.checked_add(len).is_some_and(|end| end <= self.len);
        fits.then(|| Range { start: self.start + start, len })
    }
}

/// An opened container.
#[derive(Debug)]
pub struct Container {
    map: Map,
    checksums_at: usize,
    directory: Vec<(u32, Range)>,
    /// One bit per block, set after its checksum was verified.
    checked: Vec<AtomicU64>,
}

impl Container {
    /// Returns the checksum of the checksums of all blocks, which identifies the content.
    pub fn checksum(&self) -> u32 {
        u32_at(self.map.bytes(), self.map.bytes().len() - FOOTER_BYTES + 12)
    }

    /// Returns true if the file consists of exactly `bytes`. O(bytes).
    pub fn equals(&self, bytes: &[u8]) -> bool {
        self.map.still_holds() && self.map.bytes() == bytes
    }

    /// Opens a mapped container of `kind`. O(sections + size / 16 KiB); reads only header, footer,
    /// checksums and directory.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if version, kind, length or a checksum is wrong.
    pub fn open(map: Map, kind: FileKind) -> Result<Container> {
        let corrupt = |what: &str| Error::corrupt(map.path(), what);
        let bytes = map.bytes();
        if bytes.len() < HEADER_BYTES + FOOTER_BYTES || !map.still_holds() {
            return Err(corrupt("index file is truncated"));
        }
        let header = &bytes[..HEADER_BYTES];
        if header[..8] != MAGIC {
            return Err(corrupt("not an index file of codedb"));
        }
        if u32_at(header, 8) != VERSION {
            return Err(corrupt("index file has another format version"));
        }
        if crc32fast::hash(&header[..HEADER_BYTES - 4]) != u32_at(header, HEADER_BYTES - 4) {
            return Err(corrupt("header of the index file has a wrong checksum"));
        }
        if u32_at(header, 12) != kind as u32 {
            return Err(corrupt("index file is of another kind"));
        }
        if u64_at(header, 16) != bytes.len() as u64 {
            return Err(corrupt("index file is truncated"));
        }
        let footer = &bytes[bytes.len() - FOOTER_BYTES..];
        if footer[24..] != MAGIC || crc32fast::hash(&footer[..20]) != u32_at(footer, 20) {
            return Err(corrupt("footer of the index file has a wrong checksum"));
        }
        let checksums_at = u64_at(footer, 0) as usize;
        let sections = u32_at(footer, 8) as usize;
        let tail_end = bytes.len() - FOOTER_BYTES;
        let directory_at = checksums_at
            .checked_add(checksums_at.div_ceil(BLOCK_BYTES) * 4)
            .filter(|at| at.checked_add(sections * ENTRY_BYTES) == Some(tail_end))
            .ok_or_else(|| corrupt("footer of the index file does not match its length"))?;
        if crc32fast::hash(&bytes[checksums_at..tail_end]) != u32_at(footer, 12) {
            return Err(corrupt("directory of the index file has a wrong checksum"));
        }
        let mut directory = Vec::with_capacity(sections);
        for entry in bytes[directory_at..tail_end].chunks_exact(ENTRY_BYTES) {
            let range = Range { start: u64_at(entry, 8) as usize, len: u64_at(entry, 16) as usize };
            let fits = range.start.checked_add(range.len).is_some_and(|end| end <= checksums_at);
            if !fits {
                return Err(corrupt("section of the index file extends beyond its end"));
            }
            directory.push((u32_at(entry, 0), range));
        }
        let blocks = checksums_at.div_ceil(BLOCK_BYTES);
        let checked = (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Container { map, checksums_at, directory, checked })
    }

    /// Returns the range of the section `id`.
    pub fn section(&self, id: u32) -> Result<Range> {
        let found = self.directory.iter().find(|(section, _)| *section == id);
        found.map(|(_, range)| *range).ok_or_else(|| self.corrupt("index file has no such section"))
    }

    /// Returns the bytes of `range` after checking its blocks. O(blocks) if they were checked
    /// before, otherwise O(16 KiB) per block.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] with the file's path if a checksum is wrong or the file was
    /// truncated.
    pub fn bytes(&self, range: Range) -> Result<&[u8]> {
        if range.len > 0 {
            for block in range.start / BLOCK_BYTES..=(range.start + range.len - 1) / BLOCK_BYTES {
                let bit = 1 << (block % 64);
                if self.checked[block / 64].load(Ordering::Acquire) & bit == 0 {
                    self.check_block(block)?;
                    self.checked[block / 64].fetch_or(bit, Ordering::Release);
                }
            }
        }
        Ok(&self.map.bytes()[range.start..range.start + range.len])
    }

    /// Returns true if the file on disk is unchanged since it was opened ([`Map::is_untouched`]).
    /// Who keeps a container between calls asks before each call.
    pub fn is_untouched(&self) -> bool {
        self.map.is_untouched()
    }

    /// Returns a copy of the bytes of `range` after checking its blocks, which are not marked as
    /// checked. For data that is read when the file is opened: the file may be truncated before
    /// those blocks are accessed again.
    pub fn copy(&self, range: Range) -> Result<Vec<u8>> {
        if range.len > 0 {
            let last = (range.start + range.len - 1) / BLOCK_BYTES;
            (range.start / BLOCK_BYTES..=last).try_for_each(|block| self.check_block(block))?;
        }
        Ok(self.map.bytes()[range.start..range.start + range.len].to_vec())
    }

    /// Checks every block, including those checked before. O(file).
    pub fn check_all(&self) -> Result<()> {
        (0..self.checksums_at.div_ceil(BLOCK_BYTES)).try_for_each(|block| self.check_block(block))
    }

    /// Returns the length of the file in bytes.
    pub fn len_bytes(&self) -> u64 {
        self.map.bytes().len() as u64
    }

    /// Returns a [`crate::Kind::Corrupt`] error with the path of this file.
    pub fn corrupt(&self, what: &str) -> Error {
        Error::corrupt(self.map.path(), what)
    }

    #[cold]
    fn check_block(&self, block: usize) -> Result<()> {
        if !self.map.still_holds() {
            return Err(self.corrupt("index file was truncated while in use"));
        }
        let bytes = self.map.bytes();
        let start = block * BLOCK_BYTES;
        let end = (start + BLOCK_BYTES).min(self.checksums_at);
        let expected = u32_at(bytes, self.checksums_at + block * 4);
        if crc32fast::hash(&bytes[start..end]) != expected {
            return Err(self.corrupt("block of the index file has a wrong checksum"));
        }
        Ok(())
    }
}

/// Returns the little-endian number at `at`.
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// Returns the little-endian number at `at`.
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Returns the little-endian number at `at`.
pub fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(bytes[at..at + 2].try_into().expect("two bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn sample() -> Vec<u8> {
        let big: Vec<u8> = (0..200_000_u32).map(|i| (i * 7) as u8).collect();
        to_bytes(FileKind::Table, &[(1, &[b"hello", b" world"]), (2, &[&big]), (3, &[])])
    }

    fn open(bytes: Vec<u8>) -> Result<Container> {
        Container::open(Map::in_memory(PathBuf::from("x.idx"), bytes), FileKind::Table)
    }

    #[test]
    fn round_trips() {
        let container = open(sample()).expect("a valid container");
        let range = container.section(1).expect("section 1");
        assert_eq!(container.bytes(range).expect("it is valid"), b"hello world");
        assert_eq!(container.section(2).expect("section 2").len(), 200_000);
        assert!(container.section(3).expect("section 3").is_empty());
        assert!(container.section(4).is_err());
        container.check_all().expect("every one is valid");
    }

    #[test]
    fn flipped_bytes_and_truncation_are_detected() {
        let sound = sample();
        for at in (0..sound.len()).step_by(97).chain(sound.len() - 300..sound.len()) {
            let mut bytes = sound.clone();
            bytes[at] ^= 0x41;
            let found = match open(bytes) {
                Err(_) => true,
                Ok(container) => container.check_all().is_err(),
            };
            // Every byte of the file is covered by a checksum, a magic number or a length.
            assert!(found, "flipping byte {at} of {} went unnoticed", sound.len());
        }
        for len in [0, 1, 63, 64, 100, 5000, sound.len() - 1] {
            assert!(open(sound[..len].to_vec()).is_err(), "a cut at {len} went unnoticed");
        }
    }
}
