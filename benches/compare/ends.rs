//! The exit codes of programs that are valid answers.
//!
//! Pure functions of a process's exit code and output; the integration tests include this file.

/// The meaning of a program's exit codes; all others are failures.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Ends {
    /// 0: found; 1: nothing found, as in grep.
    Grep,
    /// 1 is also the code of failures, which print a message: only a silent 1 means nothing found.
    SilentOne,
    /// Only 0: the program is not a query.
    Zero,
}

impl Ends {
    /// Returns true if a run with this exit code and standard error is a valid answer.
    pub(crate) fn is_answer(self, code: i32, stderr: &str) -> bool {
        match (code, self) {
            (0, _) | (1, Self::Grep) => true,
            (1, Self::SilentOne) => stderr.trim().is_empty(),
            _ => false,
        }
    }
}
