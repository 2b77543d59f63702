//! The posting-list codec: strictly ascending unit ids as gaps in Elias γ or Rice code.
//!
//! ```text
//! varint     number of ids n (never 0)
//! n = 1      varint id
//! n > 1      one byte: 255 for Elias γ, else the Rice parameter; then the bits
//! ```
//!
//! The first gap is relative to -1, so every gap is at least 1. Ids in path order cluster, and γ
//! codes small gaps in one or three bits; Rice code is shorter for evenly spread ids. The encoder
//! computes both lengths and uses the shorter. Decoding stays in bounds on any bytes.

use crate::base::varint::{self, ByteReader};

/// Zero bytes that must follow the last list, so that the decoder may read eight bytes at once.
pub const PADDING_BYTES: usize = 8;

const GAMMA: u8 = 255;

/// Appends the list of `ids` (strictly ascending, not empty) to `out`. O(ids).
pub fn encode(ids: &[u32], out: &mut Vec<u8>) {
    varint::put(out, ids.len() as u64);
    if let [id] = ids {
        varint::put(out, u64::from(*id));
        return;
    }
    let mean_gap = (u64::from(ids[ids.len() - 1]) + 1) / ids.len() as u64;
    // Near-optimal for geometric gaps: 2^k ≈ ln 2 · mean (Golomb 1966; Gallager and Van Voorhis
    // 1975).
    let k = (mean_gap * 177 / 256).max(1).ilog2();
    let (mut gamma_bits, mut rice_bits) = (0_u64, 0_u64);
    let mut before = u32::MAX;
    for &id in ids {
        let gap = id.wrapping_sub(before);
        gamma_bits += 2 * u64::from(gap.ilog2()) + 1;
        rice_bits += u64::from((gap - 1) >> k) + 1 + u64::from(k);
        before = id;
    }
    let mut bits = BitWriter { out, word: 0, used: 0 };
    let mut before = u32::MAX;
    if gamma_bits <= rice_bits {
        bits.out.push(GAMMA);
        for &id in ids {
            let gap = id.wrapping_sub(before);
            let low = gap.ilog2();
            bits.unary_then(low, u64::from(gap) & ((1 << low) - 1), low);
            before = id;
        }
    } else {
        bits.out.push(k as u8);
        for &id in ids {
            let rest = id.wrapping_sub(before) - 1;
            bits.unary_then(rest >> k, u64::from(rest) & ((1 << k) - 1), k);
            before = id;
        }
    }
    bits.finish();
}

/// Returns the number of ids in the list at the start of `bytes`, or `None` if it is damaged.
pub fn len(bytes: &[u8]) -> Option<u32> {
    ByteReader::new(bytes).read_u32().filter(|&len| len > 0)
}

/// A decoder of one list.
#[derive(Debug)]
pub struct Decoder<'a> {
    bytes: &'a [u8],
    left: u32,
    coding: Coding,
    at_bit: usize,
    before: u32,
}

#[derive(Clone, Copy, Debug)]
enum Coding {
    Single(u32),
    Gamma,
    Rice(u32),
}

impl<'a> Decoder<'a> {
    /// Starts decoding the list at the start of `bytes`, which must extend [`PADDING_BYTES`] beyond
    /// the end of the list. Returns `None` if the list is damaged.
    pub fn new(bytes: &'a [u8]) -> Option<Decoder<'a>> {
        let mut reader = ByteReader::new(bytes);
        let left = reader.read_u32()?;
        let coding = match left {
            0 => return None,
            1 => Coding::Single(reader.read_u32()?),
            _ => match *reader.read_bytes(1)?.first()? {
                GAMMA => Coding::Gamma,
                k if k < 32 => Coding::Rice(u32::from(k)),
                _ => return None,
            },
        };
        let at_bit = (bytes.len() - reader.rest().len()) * 8;
        Some(Decoder { bytes, left, coding, at_bit, before: u32::MAX })
    }

    /// Returns the number of ids left.
    pub fn left(&self) -> u32 {
        self.left
    }

    /// Appends all ids to `out`. Returns false if the list is damaged or contains an id that is not
    /// less than `limit`. O(ids).
    pub fn decode_into(mut self, limit: u32, out: &mut Vec<u32>) -> bool {
        if self.left > limit {
            return false;
        }
        out.reserve(self.left as usize);
        while self.left > 0 {
            match self.next_id() {
                Some(id) if id < limit => out.push(id),
                _ => return false,
            }
        }
        true
    }

    /// Returns the next id, or `None` at the end or if the list is damaged.
    pub fn next_id(&mut self) -> Option<u32> {
        self.advance_to(0)
    }

    /// Skips to the first remaining id that is at least `target` and returns it, or the last id if
    /// there is none. Returns `None` at the end or if the list is damaged. O(skipped ids).
    pub fn advance_to(&mut self, target: u32) -> Option<u32> {
        let bytes = self.bytes;
        match self.coding {
            Coding::Single(id) => {
                self.left = self.left.checked_sub(1)?;
                Some(id)
            }
            Coding::Gamma => self.skip_to(target, |at_bit| gamma(bytes, at_bit)),
            Coding::Rice(k) => self.skip_to(target, |at_bit| rice(bytes, at_bit, k)),
        }
    }

    /// Skips ids up to `target`; `next` decodes their gaps.
    #[inline]
    fn skip_to(
        &mut self,
        target: u32,
        next: impl Fn(usize) -> Option<(u32, usize)>,
    ) -> Option<u32> {
        let (mut at_bit, mut before, mut left) = (self.at_bit, self.before, self.left);
        loop {
            left = left.checked_sub(1)?;
            let (gap, after) = next(at_bit)?;
            let id = before.wrapping_add(gap);
            // Only the first id may wrap (from -1).
            if id <= before && before != u32::MAX {
                return None;
            }
            (at_bit, before) = (after, id);
            if id >= target || left == 0 {
                break;
            }
        }
        (self.at_bit, self.before, self.left) = (at_bit, before, left);
        Some(before)
    }
}

/// Decodes the γ-coded number at `at_bit`. Returns it and the position of the next one.
#[inline]
fn gamma(bytes: &[u8], at_bit: usize) -> Option<(u32, usize)> {
    let word = peek(bytes, at_bit)?;
    let low = word.trailing_zeros();
    // One peek returns at least 57 = 2·28 + 1 bits, which limits the size of a gap.
    if low > 28 {
        return None;
    }
    let gap = (1_u32 << low) | (word >> (low + 1)) as u32 & ((1 << low) - 1);
    Some((gap, at_bit + (2 * low + 1) as usize))
}

/// Decodes the Rice-coded number at `at_bit`. Returns it plus 1, and the position of the next one.
#[inline]
fn rice(bytes: &[u8], mut at_bit: usize, k: u32) -> Option<(u32, usize)> {
    let mut high = 0_u32;
    let mut word = peek(bytes, at_bit)?;
    let mut zeros = word.trailing_zeros();
    while zeros >= 57 {
        high = high.checked_add(56)?;
        at_bit += 56;
        word = peek(bytes, at_bit)?;
        zeros = word.trailing_zeros();
    }
    high = high.checked_add(zeros)?;
    at_bit += zeros as usize + 1;
    // Usually both halves are in the word read above.
    let rest = if zeros + 1 + k <= 57 { word >> (zeros + 1) } else { peek(bytes, at_bit)? };
    let rest = (rest & ((1 << k) - 1)) as u32;
    Some((high.checked_mul(1 << k)?.checked_add(rest)?.checked_add(1)?, at_bit + k as usize))
}

/// Returns at least 57 bits starting at `at_bit`, or `None` beyond the end.
#[inline]
fn peek(bytes: &[u8], at_bit: usize) -> Option<u64> {
    let at = at_bit / 8;
    let bytes: &[u8; 8] = bytes.get(at..at + 8)?.try_into().ok()?;
    Some(u64::from_le_bytes(*bytes) >> (at_bit % 8))
}

struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    word: u64,
    used: u32,
}

impl BitWriter<'_> {
    /// Appends the low `count` (≤ 32) bits of `bits`, lowest first.
    fn put(&mut self, bits: u64, count: u32) {
        self.word |= bits << self.used;
        self.used += count;
        if self.used >= 32 {
            self.out.extend_from_slice(&(self.word as u32).to_le_bytes());
            self.word >>= 32;
            self.used -= 32;
        }
    }

    /// Appends `zeros` zero bits, a one bit and the low `count` (≤ 32) bits of `bits`, whose other
    /// bits are 0.
    #[inline]
    fn unary_then(&mut self, zeros: u32, bits: u64, count: u32) {
        if zeros + 1 + count <= 32 {
            self.put((1 | bits << 1) << zeros, zeros + 1 + count);
        } else {
            self.long_unary_then(zeros, bits, count);
        }
    }

    #[cold]
    fn long_unary_then(&mut self, mut zeros: u32, bits: u64, count: u32) {
        while zeros >= 31 {
            self.put(0, 31);
            zeros -= 31;
        }
        self.put(1 << zeros, zeros + 1);
        self.put(bits, count);
    }

    fn finish(self) {
        let bytes = self.word.to_le_bytes();
        self.out.extend_from_slice(&bytes[..self.used.div_ceil(8) as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(bytes: &[u8], limit: u32) -> Option<Vec<u32>> {
        let mut ids = Vec::new();
        Decoder::new(bytes)?.decode_into(limit, &mut ids).then_some(ids)
    }

    fn encoded(ids: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(ids, &mut bytes);
        bytes.extend_from_slice(&[0; PADDING_BYTES]);
        bytes
    }

    proptest! {
        #[test]
        fn decode_of_encode_is_identity(
            gaps in prop::collection::vec(prop_oneof![1..4_u32, 1..300_u32, 1..100_000_u32], 1..400),
            first in 0..1000_u32,
        ) {
            let mut ids = vec![first];
            for gap in gaps {
                ids.push(ids[ids.len() - 1] + gap);
            }
            let bytes = encoded(&ids);
            prop_assert_eq!(len(&bytes), Some(ids.len() as u32));
            prop_assert_eq!(decode(&bytes, u32::MAX), Some(ids));
        }

        #[test]
        fn any_bytes_decode_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Some(ids) = decode(&bytes, 1000) {
                prop_assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
                prop_assert!(ids.iter().all(|&id| id < 1000));
            }
        }
    }

    #[test]
    fn single_ids_and_far_outliers_survive() {
        for ids in [vec![0], vec![70_000], vec![0, 1], (0..5000).collect(), {
            let mut ids: Vec<u32> = (0..500).collect();
            ids.push(200_000_000);
            ids
        }] {
            assert_eq!(decode(&encoded(&ids), u32::MAX), Some(ids));
        }
    }
}
