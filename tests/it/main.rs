//! The one integration test binary.

#[cfg(unix)]
mod watch;
