//! A hasher for keys that are hashes already.

use std::hash::{BuildHasher, Hasher};

/// Makes hashers that return the `u64` that they are given.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BuildIdentity;

/// Returns the `u64` that it is given.
#[derive(Debug, Default)]
pub(super) struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

impl BuildHasher for BuildIdentity {
    type Hasher = Identity;

    fn build_hasher(&self) -> Identity {
        Identity(0)
    }
}
