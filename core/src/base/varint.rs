//! LEB128 varints: seven bits a byte, the lowest first.

/// Appends `number`.
pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a signed number in zigzag encoding, so that numbers near zero are short.
pub(crate) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, ((number << 1) ^ (number >> 63)) as u64);
}

/// Reads varints and byte strings from the front of arbitrary bytes.
#[derive(Clone, Debug)]
pub(crate) struct ByteReader<'a> {
    bytes: &'a [u8],
}

impl<'a> ByteReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> ByteReader<'a> {
        ByteReader { bytes }
    }

    /// Returns true if nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the bytes that are left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    /// Reads an unsigned number, or returns `None` if the bytes do not start with a complete one.
    pub(crate) fn read_u64(&mut self) -> Option<u64> {
        let mut number = 0;
        for (at, &byte) in self.bytes.iter().enumerate().take(10) {
            number |= u64::from(byte & 0x7f) << (7 * at);
            if byte < 0x80 {
                self.bytes = &self.bytes[at + 1..];
                return Some(number);
            }
        }
        None
    }

    /// Reads an unsigned number of at most 32 bits.
    pub(crate) fn read_u32(&mut self) -> Option<u32> {
        u32::try_from(self.read_u64()?).ok()
    }

    /// Reads a length or count of at most 32 bits.
    pub(crate) fn read_len(&mut self) -> Option<usize> {
        self.read_u32().map(|number| number as usize)
    }

    /// Reads a signed number in zigzag encoding.
    pub(crate) fn read_i64(&mut self) -> Option<i64> {
        let number = self.read_u64()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Reads `len` bytes.
    pub(crate) fn read_bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(len)?;
        self.bytes = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decode_of_encode_is_identity(numbers in prop::collection::vec(any::<u64>(), 0..20), shift in 0..64_u32) {
            let mut bytes = Vec::new();
            for &number in &numbers {
                put(&mut bytes, number >> shift);
                put_signed(&mut bytes, number as i64 >> shift);
            }
            let mut reader = ByteReader::new(&bytes);
            for &number in &numbers {
                prop_assert_eq!(reader.read_u64(), Some(number >> shift));
                prop_assert_eq!(reader.read_i64(), Some(number as i64 >> shift));
            }
            prop_assert!(reader.is_empty());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..32)) {
            let mut reader = ByteReader::new(&bytes);
            while reader.read_u64().is_some() {}
            prop_assert!(reader.rest().len() <= bytes.len());
        }
    }
}
