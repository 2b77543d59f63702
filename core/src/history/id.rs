//! Ids of commits.

use std::fmt;

/// Length of the longest id (SHA-256) in bytes.
const BYTES_MAX: usize = 32;

/// The full id of a commit, SHA-1 or SHA-256.
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct CommitId {
    /// The id, padded with zeros.
    bytes: [u8; BYTES_MAX],
    len: u8,
}

impl CommitId {
    /// Returns the id with these bytes; `None` if their number is not that of an id.
    pub fn new(bytes: &[u8]) -> Option<CommitId> {
        if bytes.len() != 20 && bytes.len() != BYTES_MAX {
            return None;
        }
        let mut id = CommitId { bytes: [0; BYTES_MAX], len: bytes.len() as u8 };
        id.bytes[..bytes.len()].copy_from_slice(bytes);
        Some(id)
    }

    /// Parses a hexadecimal id, ignoring surrounding white space.
    pub fn parse(hex: &[u8]) -> Option<CommitId> {
        let hex = hex.trim_ascii();
        if !hex.len().is_multiple_of(2) || hex.len() > 2 * BYTES_MAX {
            return None;
        }
        let mut bytes = [0; BYTES_MAX];
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
            let digit = |byte: u8| (byte as char).to_digit(16);
            *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
        }
        CommitId::new(&bytes[..hex.len() / 2])
    }

    /// Returns its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CommitId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_parsed_and_displayed() {
        for name in ["0123456789abcdef0123456789abcdef01234567", &"fe".repeat(32)] {
            let id = CommitId::parse(format!("{name}\n").as_bytes()).expect("a full name");
            assert_eq!(id.to_string(), name);
            assert_eq!(CommitId::new(id.as_bytes()), Some(id));
        }
        for name in ["", "ab", "xy23456789abcdef0123456789abcdef01234567", &"f".repeat(65)] {
            assert_eq!(CommitId::parse(name.as_bytes()), None, "{name}");
        }
    }
}
