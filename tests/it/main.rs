//! The one integration test binary.

mod peer;
mod ripgrep_flags;
