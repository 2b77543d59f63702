//! The one integration test binary.

#[cfg(unix)]
mod differential;
#[cfg(unix)]
mod peer;
#[cfg(unix)]
mod support;
mod tidy;
