//! What a command printed.

/// The captured streams of a command.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// Standard output.
    pub(super) stdout: Vec<u8>,
    /// Standard error; empty if it is the same stream.
    pub(super) stderr: Vec<u8>,
    /// True if a stream was longer than what is kept.
    pub(super) is_cut: bool,
}
