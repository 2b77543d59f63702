//! The one printer of errors and warnings: `codedb: message` on standard error, hints below.

use std::fmt::Display;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use crate::base::text::plain;
use crate::error::Error;

/// Prints `codedb: message`; a standard error that went away is no reason to stop.
pub(crate) fn print_message(message: impl Display) {
    let text = format!("codedb: {message}\n");
    drop(std::io::stderr().lock().write_all(text.as_bytes()));
}

/// Prints an error and its hints.
pub(crate) fn print_error(error: &Error) {
    let mut text = format!("codedb: {error}\n");
    for hint in error.hints() {
        text.push_str("hint: ");
        text.push_str(hint);
        text.push('\n');
    }
    drop(std::io::stderr().lock().write_all(text.as_bytes()));
}

/// What went wrong beside the search itself, and whether to tell.
///
/// A failure that does not end the command is remembered even if it is not told: the exit code
/// depends on it.
#[derive(Debug, Default)]
pub(crate) struct Reporter {
    mute: bool,
    mute_ignore: bool,
    failed: AtomicBool,
}

impl Reporter {
    /// Returns a reporter that is silent about files (`mute`) or faulty ignore rules (`mute_ignore`).
    pub(crate) fn new(mute: bool, mute_ignore: bool) -> Reporter {
        Reporter { mute, mute_ignore, failed: AtomicBool::new(false) }
    }

    /// Tells something that does not change the exit code.
    pub(crate) fn warn(&self, message: impl Display) {
        if !self.mute {
            print_message(message);
        }
    }

    /// Tells of a fault in ignore rules.
    pub(crate) fn warn_ignore(&self, message: impl Display) {
        if !self.mute_ignore {
            self.warn(message);
        }
    }

    /// Tells of a failure and remembers it.
    pub(crate) fn fail(&self, message: impl Display) {
        self.failed.store(true, Ordering::Relaxed);
        self.warn(message);
    }

    /// Returns true if something failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}
