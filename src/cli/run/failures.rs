//! Prints the names of failed tests while a runner runs, from the reports that grow.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::Deserialize;

use crate::cli::report;

/// How often the reports are read.
const INTERVAL: Duration = Duration::from_millis(100);

/// The maximum number of failures that are printed.
const FAILURES_MAX: usize = 50;

/// The number of bytes that one reading takes.
const PIECE_BYTES_MAX: u64 = 4 << 20;

/// Prints until it is dropped.
pub(super) struct Printer {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Line {
    file: Option<String>,
    name: Option<String>,
    outcome: Option<String>,
}

impl Printer {
    /// Starts to read the reports in a directory.
    pub(super) fn start(reports: &Path) -> Printer {
        let is_over = Arc::new(AtomicBool::new(false));
        let (over, reports) = (Arc::clone(&is_over), reports.to_path_buf());
        let watch = move || {
            let mut offsets: HashMap<PathBuf, u64> = HashMap::new();
            let mut printed = 0;
            loop {
                let is_last = over.load(Ordering::SeqCst);
                for failure in new_failures(&reports, &mut offsets) {
                    printed += 1;
                    if printed <= FAILURES_MAX {
                        report::print_message(format!("failed {}", report::plain(&failure)));
                    }
                }
                if is_last {
                    break;
                }
                std::thread::park_timeout(INTERVAL);
            }
        };
        let thread = std::thread::Builder::new().name("failures".to_owned()).spawn(watch).ok();
        Printer { is_over, thread }
    }
}

impl Drop for Printer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

/// Returns the names of the tests that failed since the last call.
fn new_failures(reports: &Path, offsets: &mut HashMap<PathBuf, u64>) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(reports).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let offset = offsets.entry(path.clone()).or_default();
        let mut piece = Vec::new();
        let read = File::open(&path).and_then(|mut file| {
            file.seek(SeekFrom::Start(*offset))?;
            file.take(PIECE_BYTES_MAX).read_to_end(&mut piece)
        });
        // The last line may be incomplete.
        let end = memchr::memrchr(b'\n', &piece).map_or(0, |at| at + 1);
        if read.is_err() || end == 0 {
            continue;
        }
        *offset += end as u64;
        for line in piece[..end].split(|&byte| byte == b'\n') {
            let Ok(line) = serde_json::from_slice::<Line>(line) else { continue };
            if let (Some(name), Some("failed" | "error")) = (line.name, line.outcome.as_deref()) {
                let file = line.file.unwrap_or_default();
                let file = file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
                found.push(if file.is_empty() { name } else { format!("{file}::{name}") });
            }
        }
    }
    found
}
