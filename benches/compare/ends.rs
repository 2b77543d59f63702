//! Which exit codes of a program are answers.
//!
//! A function of what a process left behind; the integration tests include it from here.

/// What a program's exit codes mean; whatever is no answer is a failure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Ends {
    /// 0 is something found, 1 nothing found, as of grep.
    Grep,
    /// Failures end with 1, too, and say why on standard error: only a silent 1 is nothing found.
    SilentOne,
    /// 0 alone: it is told to do something, not asked.
    Zero,
}

impl Ends {
    /// Returns true if a run that ended with `code` and these words on standard error has answered.
    pub(crate) fn is_answer(self, code: i32, stderr: &str) -> bool {
        match (code, self) {
            (0, _) | (1, Self::Grep) => true,
            (1, Self::SilentOne) => stderr.trim().is_empty(),
            _ => false,
        }
    }
}
