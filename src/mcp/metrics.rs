//! Metrics of a server, and their text for monitoring systems.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::tools::Tool;

/// The media type of [`Metrics::render`].
pub(super) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Upper bounds of the buckets of call times, in seconds.
const BOUNDS_S: [f64; 8] = [0.000_25, 0.001, 0.004, 0.016, 0.064, 0.256, 1.0, 8.0];

/// The metrics of a server, shared by all of its connections.
#[derive(Debug)]
pub(super) struct Metrics {
    registry: Registry,
    tools: Arc<[ToolMetrics]>,
    refused: Counter,
    index_full: Gauge,
}

#[derive(Debug)]
struct ToolMetrics {
    name: &'static str,
    seconds: Histogram,
    calls: Counter,
    failed: Counter,
}

impl Metrics {
    /// Returns metrics for `tools`, all initially 0.
    pub(super) fn new(tools: &[&'static Tool]) -> Metrics {
        let tools: Arc<[ToolMetrics]> = tools
            .iter()
            .map(|tool| ToolMetrics {
                name: tool.name,
                seconds: Histogram::new(BOUNDS_S),
                calls: Counter::default(),
                failed: Counter::default(),
            })
            .collect();
        let (refused, index_full) = (Counter::default(), Gauge::default());
        let mut registry = Registry::default();
        registry.register_collector(Box::new(CallCollector(Arc::clone(&tools))));
        registry.register(
            "codedb_requests_refused",
            "Requests refused because of their host, origin or token",
            refused.clone(),
        );
        registry.register(
            "codedb_index_full",
            "1 if the index of the default tree is complete",
            index_full.clone(),
        );
        Metrics { registry, tools, refused, index_full }
    }

    /// Counts a call that returned a result or a tool error.
    pub(super) fn called(&self, tool: &Tool, elapsed: Duration, is_failed: bool) {
        let Some(of) = self.tools.iter().find(|of| of.name == tool.name) else { return };
        of.seconds.observe(elapsed.as_secs_f64());
        of.calls.inc();
        if is_failed {
            of.failed.inc();
        }
    }

    /// Counts a request that was refused before it reached a tool.
    pub(super) fn refused(&self) {
        self.refused.inc();
    }

    /// Returns all metrics in the OpenMetrics text format. Tools that were not called are left out.
    pub(super) fn render(&self, is_full: bool) -> String {
        self.index_full.set(i64::from(is_full));
        let mut rendered = String::new();
        text::encode(&mut rendered, &self.registry).expect("writing to a string does not fail");
        rendered
    }
}

/// Encodes the metrics of calls in the order of the tools. The crate's `Family` would list them in
/// the order of a hash map.
#[derive(Debug)]
struct CallCollector(Arc<[ToolMetrics]>);

impl Collector for CallCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let called = || self.0.iter().filter(|of| of.calls.get() > 0);
        let mut seconds = encoder.encode_descriptor(
            "codedb_call_seconds",
            "Duration of answered calls, by tool.",
            None,
            MetricType::Histogram,
        )?;
        for of in called() {
            of.seconds.encode(seconds.encode_family(&[("tool", of.name)])?)?;
        }
        let mut failed = encoder.encode_descriptor(
            "codedb_calls_failed",
            "Calls that returned an error, by tool.",
            None,
            MetricType::Counter,
        )?;
        for of in called() {
            of.failed.encode(failed.encode_family(&[("tool", of.name)])?)?;
        }
        Ok(())
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
            "codedb_call_seconds_bucket{le=\"0.00025\",tool=\"codedb_find\"} 1",
            "codedb_call_seconds_bucket{le=\"0.001\",tool=\"codedb_find\"} 2",
            "codedb_call_seconds_bucket{le=\"8.0\",tool=\"codedb_find\"} 2",
            "codedb_call_seconds_bucket{le=\"+Inf\",tool=\"codedb_find\"} 3",
            "codedb_call_seconds_sum{tool=\"codedb_find\"} 60.0011",
            "codedb_call_seconds_count{tool=\"codedb_find\"} 3",
            "codedb_calls_failed_total{tool=\"codedb_find\"} 1",
            "codedb_requests_refused_total 1",
            "codedb_index_full 1",
            "# EOF",
        ] {
            assert!(text.lines().any(|other| other == line), "{line} is not in\n{text}");
        }
        assert!(!text.contains("codedb_read"), "{text}");
    }
}
