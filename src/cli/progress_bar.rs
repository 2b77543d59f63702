//! The progress bar of a build, on standard error.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressDrawTarget, ProgressStyle};

use crate::engine::{Progress, Stage};

/// The interval at which the bar is updated.
const TICK: Duration = Duration::from_millis(80);

/// A progress bar that appears after a while, if the work takes that long.
#[derive(Debug)]
pub(super) struct ProgressBar {
    after: Duration,
}

impl ProgressBar {
    /// Returns the bar if standard error is a terminal.
    pub(super) fn on_terminal(after: Duration) -> Option<ProgressBar> {
        std::io::stderr().is_terminal().then_some(ProgressBar { after })
    }

    /// Runs `work`, which updates `progress`, while another thread shows it. The bar is cleared at
    /// the end.
    pub(super) fn during<T>(self, progress: &Progress, work: impl FnOnce() -> T) -> T {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let shown = scope.spawn(|| self.show(progress, &done));
            let result = work();
            done.store(true, Ordering::Relaxed);
            shown.thread().unpark();
            result
        })
    }

    /// Updates the bar until `done` is set.
    fn show(&self, progress: &Progress, done: &AtomicBool) {
        let is_done = || done.load(Ordering::Relaxed);
        let started = Instant::now();
        while started.elapsed() < self.after {
            if is_done() {
                return;
            }
            std::thread::park_timeout(self.after.saturating_sub(started.elapsed()));
        }
        let bar = indicatif::ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
            .with_elapsed(started.elapsed());
        let style = "{msg:10} [{bar:30}] {pos}/{len} {prefix}, {elapsed}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.progress_chars("=> "));
        }
        while !is_done() {
            std::thread::park_timeout(TICK);
            let (files, total, bytes) = progress.counts();
            bar.set_length(total);
            bar.set_position(files);
            bar.set_prefix(match progress.stage() {
                Stage::History => "commits".to_owned(),
                _ => format!("files, {}", HumanBytes(bytes)),
            });
            bar.set_message(match progress.stage() {
                Stage::Walking => "walking",
                Stage::Reading => "reading",
                Stage::Writing => "writing",
                Stage::Parsing => "parsing",
                Stage::Ranking => "ranking",
                Stage::History => "history",
                Stage::Waiting => "waiting",
            });
            bar.tick();
        }
        bar.finish_and_clear();
    }
}
