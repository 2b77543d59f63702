//! Prints errors and warnings to standard error: `codedb: message`, followed by hints.

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use super::terminal;
pub(crate) use crate::base::text::plain;
use crate::error::Error;

/// Prints `codedb: message`. A closed standard error is ignored. Messages of `search` contain names
/// byte for byte, as those of ripgrep do, unless a terminal would obey them.
pub(crate) fn print_message(message: impl Display) {
    let text = format!("codedb: {message}\n");
    let mut error = std::io::stderr().lock();
    let text = if error.is_terminal() { terminal::escaped(&text) } else { text };
    drop(error.write_all(text.as_bytes()));
}

/// Prints an error and its hints.
pub(crate) fn print_error(error: &Error) {
    let mut text = format!("codedb: {error}\n");
    for hint in error.hints() {
        text.push_str("hint: ");
        text.push_str(&crate::tools::command_hint(hint));
        text.push('\n');
    }
    drop(std::io::stderr().lock().write_all(terminal::escaped(&text).as_bytes()));
}

/// Reports problems that do not end a search.
///
/// Failures are recorded even if they are not printed: the exit code depends on them.
#[derive(Debug, Default)]
pub(crate) struct Reporter {
    mute: bool,
    mute_ignore: bool,
    failed: AtomicBool,
}

impl Reporter {
    /// Returns a reporter that prints no messages (`mute`), or none about ignore rules
    /// (`mute_ignore`).
    pub(crate) fn new(mute: bool, mute_ignore: bool) -> Reporter {
        Reporter { mute, mute_ignore, failed: AtomicBool::new(false) }
    }

    /// Returns true if no messages are printed.
    pub(crate) fn is_mute(&self) -> bool {
        self.mute
    }

    /// Prints a warning, which does not affect the exit code.
    pub(crate) fn warn(&self, message: impl Display) {
        if !self.mute {
            print_message(message);
        }
    }

    /// Prints a warning about ignore rules.
    pub(crate) fn warn_ignore(&self, message: impl Display) {
        if !self.mute_ignore {
            self.warn(message);
        }
    }

    /// Prints and records a failure.
    pub(crate) fn fail(&self, message: impl Display) {
        self.failed.store(true, Ordering::Relaxed);
        self.warn(message);
    }

    /// Returns true if a failure was recorded.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}
