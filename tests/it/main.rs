//! The one integration test binary.

#[cfg(unix)]
mod differential;
#[cfg(unix)]
mod peer;
#[cfg(unix)]
mod ripgrep_flags;
#[cfg(unix)]
mod support;
mod tidy;
#[cfg(unix)]
mod watch;
