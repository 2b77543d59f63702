//! Figures of zoekt from which `codedb fleet simulate` and the capacity model in docs/fleet.md derive what
//! nodes need. docs/fleet.md says how they were measured.

use serde::Serialize;

/// The binary logarithm of the text of a repository in bytes: mean and standard deviation over 55 trees.
pub const LOG2_TEXT_BYTES: (f64, f64) = (18.864, 1.479);

/// The bytes of shards on disk for each byte of text, with symbols.
pub const SHARD_BYTES_PER_TEXT_BYTE: f64 = 2.99;

/// The most text in one shard in bytes; the program's default.
pub const SHARD_TEXT_BYTES_MAX: u64 = 100 << 20;

/// The bytes of a clone on disk for each byte of text: the newest commit, packed.
pub const CLONE_BYTES_PER_TEXT_BYTE: f64 = 0.31;

/// The memory of a server without shards, in bytes.
pub const SERVER_BYTES: u64 = 51_000_000;

/// The memory that a server allocates for each shard, in bytes, after searches.
pub const MEMORY_BYTES_PER_SHARD: u64 = 93_000;

/// The bytes of mapped shards that are in memory after searches which read all contents, for each byte of
/// text.
pub const MAPPED_BYTES_PER_TEXT_BYTE: f64 = 2.27;

/// The processor time for indexing a repository whatever its size, in seconds: the start of the program,
/// and reading its clone.
pub const INDEXING_START_S: f64 = 0.102;

/// The text that is indexed in a second of processor time, in bytes.
pub const INDEXING_BYTES_PER_S: f64 = 13.7e6;

/// How much longer indexing takes with symbols, by universal-ctags.
pub const INDEXING_WITH_SYMBOLS: f64 = 2.2;

/// What a node needs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Need {
    /// The repositories on it.
    pub repositories: u64,
    /// Their text in bytes.
    pub text_bytes: u64,
    /// Its shards.
    pub shards: u64,
    /// Shards and clones on disk, in bytes.
    pub disk_bytes: u64,
    /// The memory without which the server does not run, in bytes.
    pub memory_bytes: u64,
    /// The memory with which searches read nothing from the disk, in bytes.
    pub cached_bytes: u64,
}

impl Need {
    /// Returns what `repositories` with `text_bytes` together need.
    pub fn of(repositories: u64, text_bytes: u64) -> Need {
        let shards = repositories + text_bytes / SHARD_TEXT_BYTES_MAX;
        let times = |factor: f64| (text_bytes as f64 * factor) as u64;
        let memory_bytes = SERVER_BYTES + shards * MEMORY_BYTES_PER_SHARD;
        Need {
            repositories,
            text_bytes,
            shards,
            disk_bytes: times(SHARD_BYTES_PER_TEXT_BYTE + CLONE_BYTES_PER_TEXT_BYTE),
            memory_bytes,
            cached_bytes: memory_bytes + times(MAPPED_BYTES_PER_TEXT_BYTE),
        }
    }
}

/// Returns the text of the repository at `deviations` standard deviations from the mean, in bytes. The
/// logarithm of sizes is normally distributed.
pub fn text_bytes(deviations: f64) -> u64 {
    let (mean, deviation) = LOG2_TEXT_BYTES;
    exp2((mean + deviation * deviations).clamp(0.0, 50.0)) as u64
}

/// Returns how long one processor indexes repositories with symbols, in seconds.
pub fn indexing_s(repositories: u64, text_bytes: u64) -> f64 {
    let plain = repositories as f64 * INDEXING_START_S + text_bytes as f64 / INDEXING_BYTES_PER_S;
    plain * INDEXING_WITH_SYMBOLS
}

/// Returns `2^x` for `x` from 0 to 50, by multiplications and additions alone: functions of the system differ
/// in their last bits.
fn exp2(x: f64) -> f64 {
    let whole = x as u32;
    let power = (x - f64::from(whole)) * std::f64::consts::LN_2;
    let (mut term, mut sum) = (1.0, 1.0);
    for n in 1..20 {
        term *= power / f64::from(n);
        sum += term;
    }
    sum * (1_u64 << whole) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_right() {
        for x in [0.0, 0.5, 1.0, 18.864, 33.333, 50.0] {
            assert!((exp2(x) / x.exp2() - 1.0).abs() < 1e-14, "{x}");
        }
        assert_eq!(text_bytes(-1e9), 1);
    }
}
