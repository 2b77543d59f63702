//! The warning that an answer comes from an index that was not checked against the tree (`--fresh trust`).
//!
//! [`warn`] prints it with an answer. What found nothing states it in any case: each command that reads a
//! tree calls [`note`], and [`warn_at_end`] is called after every command.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::report;
use crate::engine::{Check, Engine};

/// The trees that were read without a check.
static UNCHECKED: Mutex<Vec<Engine>> = Mutex::new(Vec::new());

/// True if the warning was printed.
static IS_PRINTED: AtomicBool = AtomicBool::new(false);

/// Notes that a command reads a tree with this check.
pub(super) fn note(engine: &Engine, check: Check) {
    if check == Check::Trust
        && let Ok(mut unchecked) = UNCHECKED.lock()
    {
        unchecked.push(engine.clone());
    }
}

/// Returns true if the reply is based on an unchecked index, and prints the warning in that case.
pub(super) fn warn(engine: &Engine, check: Check) -> bool {
    // Without an index, the files of the tree are read.
    let is_unchecked = check == Check::Trust && matches!(engine.snapshot(), Ok(Some(_)));
    if is_unchecked && !IS_PRINTED.swap(true, Ordering::Relaxed) {
        report::print_message(
            "the index was not checked against the tree (`--fresh trust`): recent changes may be \
             missing",
        );
    }
    is_unchecked
}

/// Prints the warning if the command, which found nothing, noted an unchecked index.
pub(super) fn warn_at_end() {
    let unchecked = UNCHECKED.lock().map(|mut unchecked| std::mem::take(&mut *unchecked));
    unchecked.unwrap_or_default().iter().any(|engine| warn(engine, Check::Trust));
}
