//! Ctrl-C while a command waits: the first one ends the wait, the next one the process.

#[cfg(unix)]
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};

/// A watch on Ctrl-C, which ends the process again once this is dropped.
#[derive(Debug)]
pub(super) struct CtrlC {
    #[cfg(unix)]
    is_pressed: Arc<AtomicBool>,
}

#[cfg(unix)]
impl CtrlC {
    /// Starts the watch. Where it cannot be started, Ctrl-C ends the process as before.
    pub(super) fn watch() -> CtrlC {
        use signal_hook::{consts::SIGINT, flag};
        let is_pressed = Arc::new(AtomicBool::new(false));
        // In this order: the first signal finds the flag unset, and sets it.
        let ends = flag::register_conditional_default(SIGINT, Arc::clone(&is_pressed));
        if let Err(error) =
            ends.and_then(|_| flag::register(SIGINT, Arc::clone(&is_pressed)).map(drop))
        {
            log::debug!("Ctrl-C ends the process: {error}");
            is_pressed.store(false, Ordering::Relaxed);
        }
        CtrlC { is_pressed }
    }

    /// Returns true once Ctrl-C was pressed.
    pub(super) fn is_pressed(&self) -> bool {
        self.is_pressed.load(Ordering::Relaxed)
    }
}

#[cfg(unix)]
impl Drop for CtrlC {
    fn drop(&mut self) {
        self.is_pressed.store(true, Ordering::Relaxed);
    }
}

#[cfg(not(unix))]
impl CtrlC {
    pub(super) fn watch() -> CtrlC {
        CtrlC {}
    }

    pub(super) fn is_pressed(&self) -> bool {
        false
    }
}
