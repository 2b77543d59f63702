//! The implementation for systems where the readiness of streams is not polled.

use std::convert::Infallible;
use std::io;

/// A type without values.
#[derive(Debug)]
pub(in crate::mcp) struct Ready(Infallible);

impl Ready {
    /// Returns nothing.
    pub(super) fn input<T>(_: &T) -> Option<Ready> {
        None
    }

    /// Returns nothing.
    pub(super) fn output<T>(_: &T) -> Option<Ready> {
        None
    }

    /// Is never called.
    pub(super) async fn read(&self, _: &mut [u8]) -> io::Result<usize> {
        match self.0 {}
    }

    /// Is never called.
    pub(super) async fn write(&self, _: &[u8]) -> io::Result<()> {
        match self.0 {}
    }
}
