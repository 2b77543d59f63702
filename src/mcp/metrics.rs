//! What a server counts, and how it tells monitors.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::tools::Tool;

/// Upper bounds of the buckets of call times, in microseconds.
const BOUNDS_US: [u64; 8] = [250, 1_000, 4_000, 16_000, 64_000, 256_000, 1_000_000, 8_000_000];

/// Counts of a server's calls. Shared; nothing waits for anything.
#[derive(Debug)]
pub(super) struct Metrics {
    tools: Vec<OfTool>,
    refused: AtomicU64,
}

#[derive(Debug)]
struct OfTool {
    name: &'static str,
    failed: AtomicU64,
    /// Calls by the first bound that their time keeps to; the last number is of those beyond all.
    calls: [AtomicU64; BOUNDS_US.len() + 1],
    us: AtomicU64,
}

impl Metrics {
    /// Returns counts of `tools`, all 0.
    pub(super) fn new(tools: &[&'static Tool]) -> Metrics {
        let of_tool = |tool: &&'static Tool| OfTool {
            name: tool.name,
            failed: AtomicU64::new(0),
            calls: Default::default(),
            us: AtomicU64::new(0),
        };
        Metrics { tools: tools.iter().map(of_tool).collect(), refused: AtomicU64::new(0) }
    }

    /// Counts a call that was answered, with a result or an error of its own.
    pub(super) fn called(&self, tool: &Tool, elapsed: Duration, is_failed: bool) {
        let Some(of) = self.tools.iter().find(|of| of.name == tool.name) else { return };
        let us = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS_US.iter().position(|bound| us <= *bound).unwrap_or(BOUNDS_US.len());
        of.calls[bucket].fetch_add(1, Ordering::Relaxed);
        of.us.fetch_add(us, Ordering::Relaxed);
        of.failed.fetch_add(u64::from(is_failed), Ordering::Relaxed);
    }

    /// Counts a request that was refused before it reached a tool.
    pub(super) fn refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns everything in Prometheus' text format; `is_full` tells whether the index lacks nothing.
    /// Tools that nobody called are left out.
    pub(super) fn render(&self, is_full: bool) -> String {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let mut text = String::from(
            "# HELP codedb_call_seconds Time of calls that were answered, by tool.\n\
             # TYPE codedb_call_seconds histogram\n",
        );
        let mut failed = String::from(
            "# HELP codedb_calls_failed_total Calls that were answered with an error, by tool.\n\
             # TYPE codedb_calls_failed_total counter\n",
        );
        for of in &self.tools {
            let calls: Vec<u64> = of.calls.iter().map(get).collect();
            let all: u64 = calls.iter().sum();
            if all == 0 {
                continue;
            }
            let name = of.name;
            let mut up_to = 0;
            for (bound_us, calls) in BOUNDS_US.iter().zip(&calls) {
                up_to += calls;
                let bound = *bound_us as f64 / 1e6;
                let _ = writeln!(
                    text,
                    "codedb_call_seconds_bucket{{tool=\"{name}\",le=\"{bound}\"}} {up_to}"
                );
            }
            let seconds = get(&of.us) as f64 / 1e6;
            let _ = writeln!(
                text,
                "codedb_call_seconds_bucket{{tool=\"{name}\",le=\"+Inf\"}} {all}\n\
                 codedb_call_seconds_sum{{tool=\"{name}\"}} {seconds}\n\
                 codedb_call_seconds_count{{tool=\"{name}\"}} {all}"
            );
            let _ = writeln!(
                failed,
                "codedb_calls_failed_total{{tool=\"{name}\"}} {}",
                get(&of.failed)
            );
        }
        text.push_str(&failed);
        let _ = write!(
            text,
            "# HELP codedb_requests_refused_total Requests refused for their host, origin or token.\n\
             # TYPE codedb_requests_refused_total counter\n\
             codedb_requests_refused_total {}\n\
             # HELP codedb_index_full Whether the index lacks nothing.\n\
             # TYPE codedb_index_full gauge\n\
             codedb_index_full {}\n",
            get(&self.refused),
            u8::from(is_full),
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools;

    #[test]
    fn calls_are_counted_by_tool_and_time() {
        let tool = tools::find("find").expect("it is in the table");
        let other = tools::find("read").expect("it is in the table");
        let metrics = Metrics::new(&[tool, other]);
        metrics.called(tool, Duration::from_micros(200), false);
        metrics.called(tool, Duration::from_micros(900), true);
        metrics.called(tool, Duration::from_secs(60), false);
        metrics.refused();
        let text = metrics.render(true);
        for line in [
            "codedb_call_seconds_bucket{tool=\"codedb_find\",le=\"0.00025\"} 1",
            "codedb_call_seconds_bucket{tool=\"codedb_find\",le=\"0.001\"} 2",
            "codedb_call_seconds_bucket{tool=\"codedb_find\",le=\"8\"} 2",
            "codedb_call_seconds_bucket{tool=\"codedb_find\",le=\"+Inf\"} 3",
            "codedb_call_seconds_sum{tool=\"codedb_find\"} 60.0011",
            "codedb_call_seconds_count{tool=\"codedb_find\"} 3",
            "codedb_calls_failed_total{tool=\"codedb_find\"} 1",
            "codedb_requests_refused_total 1",
            "codedb_index_full 1",
        ] {
            assert!(text.lines().any(|other| other == line), "{line} is not in\n{text}");
        }
        assert!(!text.contains("codedb_read"), "{text}");
    }
}
