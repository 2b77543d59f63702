//! lcov tracefiles, as `geninfo`, `c8`, `nyc`, `cargo llvm-cov --lcov` and coverage.py write them.

use super::CoverageReport;

/// Parses a tracefile; `None` if no line of it is one of a tracefile.
pub(super) fn parse(text: &str) -> Option<CoverageReport> {
    let mut report = CoverageReport::new("lcov");
    let (mut test, mut path) = (String::new(), None);
    for line in text.lines() {
        let line = line.trim_end();
        if let Some(name) = line.strip_prefix("TN:") {
            test = name.trim().to_owned();
        } else if let Some(name) = line.strip_prefix("SF:") {
            path = Some(name.to_owned());
        } else if line == "end_of_record" {
            path = None;
        } else if let Some(data) = line.strip_prefix("DA:") {
            let mut numbers = data.split(',');
            let number = numbers.next().and_then(|number| number.parse().ok());
            // Counts may be larger than any integer.
            let count = numbers.next().and_then(|count| count.trim().parse::<f64>().ok());
            match (&path, number, count) {
                (Some(path), Some(number), Some(count)) => {
                    report.add(path, number, count > 0.0, &test);
                }
                _ => report.problem("a line of the report is damaged"),
            }
        }
    }
    (!report.files.is_empty() || !report.problems.is_empty()).then_some(report)
}
