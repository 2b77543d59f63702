//! The protocol between watch server and client: greetings, a request, an answer.
//!
//! ```text
//! greeting, both ways   `codedbW`, protocol (u8), index format (u32)
//! request               length 1 (u32), 1 = sync (u8)
//! answer                length (u32), then 0 = degraded (u8)
//!                       or 1 = watched (u8), the root's device and inode (u64 each),
//!                       generation (u64), changed, dirs, trees; each a
//!                       count (u32) of paths, each path a length (u32) and its bytes
//! ```
//!
//! Numbers are little-endian. The client sends greeting and request at once; the server greets
//! before it starts to work. The next request is sent after the answer. Either side closes the
//! connection on invalid input. The root's identity distinguishes trees that different containers
//! have at the same path.

use super::compare::WatchReport;
use crate::index::format;

/// Incremented with every change of the protocol.
const PROTOCOL: u8 = 2;

/// Bytes of a greeting.
pub(super) const GREETING_BYTES: usize = 12;

/// The only request.
pub(super) const SYNC: [u8; 5] = [1, 0, 0, 0, 1];

/// The answer of a server that cannot report the changes.
pub(super) const DEGRADED: [u8; 5] = [1, 0, 0, 0, 0];

/// Maximum size of an answer; a server with a longer report is degraded.
pub(super) const BODY_BYTES_MAX: usize = 4 << 20;

/// Returns the greeting of this program.
pub(super) fn greeting() -> [u8; GREETING_BYTES] {
    let mut greeting = *b"codedbW\0\0\0\0\0";
    greeting[7] = PROTOCOL;
    greeting[8..].copy_from_slice(&format::VERSION.to_le_bytes());
    greeting
}

/// Returns the answer, or that of a degraded server if it would be too long.
pub(super) fn answer(root: (u64, u64), watched: &WatchReport) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    bytes.push(1);
    bytes.extend_from_slice(&root.0.to_le_bytes());
    bytes.extend_from_slice(&root.1.to_le_bytes());
    bytes.extend_from_slice(&watched.generation.to_le_bytes());
    for paths in [&watched.changed, &watched.dirs, &watched.trees] {
        bytes.extend_from_slice(&(paths.len() as u32).to_le_bytes());
        for path in paths {
            bytes.extend_from_slice(&(path.len() as u32).to_le_bytes());
            bytes.extend_from_slice(path);
        }
    }
    let body_bytes = bytes.len() - 4;
    if body_bytes > BODY_BYTES_MAX {
        return DEGRADED.to_vec();
    }
    bytes[..4].copy_from_slice(&(body_bytes as u32).to_le_bytes());
    bytes
}

/// Decodes the body of an answer; `None` if it is damaged, about another root, or the server is
/// degraded. O(body).
pub(super) fn decode(body: &[u8], root: (u64, u64)) -> Option<WatchReport> {
    let mut rest = body.strip_prefix(&[1])?;
    if (long(&mut rest)?, long(&mut rest)?) != root {
        return None;
    }
    let generation = long(&mut rest)?;
    let mut watched = WatchReport { generation, ..WatchReport::default() };
    for paths in [&mut watched.changed, &mut watched.dirs, &mut watched.trees] {
        for _ in 0..number(&mut rest)? {
            let len = number(&mut rest)?;
            // Memory is allocated only for bytes that were received.
            paths.push(rest.split_off(..len)?.to_vec());
        }
    }
    rest.is_empty().then_some(watched)
}

fn long(rest: &mut &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(rest.split_off(..8)?.try_into().ok()?))
}

fn number(rest: &mut &[u8]) -> Option<usize> {
    let bytes = rest.split_off(..4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn paths() -> impl Strategy<Value = Vec<Vec<u8>>> {
        proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..20), 0..5)
    }

    proptest! {
        #[test]
        fn answers_round_trip(
            generation: u64, changed in paths(), dirs in paths(), trees in paths(),
        ) {
            let watched = WatchReport { generation, changed, dirs, trees };
            let bytes = answer((3, 4), &watched);
            prop_assert_eq!(bytes[..4].to_vec(), (bytes.len() as u32 - 4).to_le_bytes().to_vec());
            prop_assert_eq!(decode(&bytes[4..], (4, 3)), None);
            prop_assert_eq!(decode(&bytes[4..], (3, 4)), Some(watched));
            for cut in 4..bytes.len() {
                prop_assert_eq!(decode(&bytes[4..cut], (3, 4)), None);
            }
        }

        #[test]
        fn any_bytes_are_decoded_without_a_panic(
            bytes in proptest::collection::vec(prop_oneof![Just(0), Just(1), any::<u8>()], 0..64),
        ) {
            let _ = decode(&bytes, (0, 0));
        }
    }

    #[test]
    fn a_long_answer_is_degraded() {
        let changed = vec![vec![b'x'; BODY_BYTES_MAX]];
        assert_eq!(answer((0, 0), &WatchReport { changed, ..WatchReport::default() }), DEGRADED);
    }
}
