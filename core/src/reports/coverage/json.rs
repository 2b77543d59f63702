//! The JSON of coverage.py, Istanbul and llvm-cov.

use serde_json::Value;

use super::CoverageReport;

/// Parses a report; `None` if it is no JSON, or of another format.
pub(super) fn parse(text: &str) -> Option<CoverageReport> {
    let root: Value = serde_json::from_str(text).ok()?;
    if root["meta"].is_object() && root["files"].is_object() {
        return Some(coverage_py(&root));
    }
    if root["type"] == "llvm.coverage.json.export" {
        return Some(llvm_cov(&root));
    }
    let files = root.as_object()?;
    let is_istanbul = files.values().all(|file| file["statementMap"].is_object());
    (is_istanbul && !files.is_empty()).then(|| istanbul(&root))
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

/// Returns the test of a dynamic context: without the phase that pytest-cov appends.
pub fn test_of_context(context: &str) -> &str {
    let (name, phase) = context.rsplit_once('|').unwrap_or((context, ""));
    if matches!(phase, "run" | "setup" | "teardown") { name } else { context }
}

fn coverage_py(root: &Value) -> CoverageReport {
    let mut report = CoverageReport::new("coverage.py");
    for (path, file) in root["files"].as_object().into_iter().flatten() {
        for (name, is_covered) in [("executed_lines", true), ("missing_lines", false)] {
            let lines = file[name].as_array().into_iter().flatten().filter_map(number);
            lines.for_each(|line| report.add(path, line, is_covered, ""));
        }
        for (line, contexts) in file["contexts"].as_object().into_iter().flatten() {
            let Ok(line) = line.parse() else {
                report.problem("a context has no line");
                continue;
            };
            let contexts = contexts.as_array().into_iter().flatten().filter_map(Value::as_str);
            contexts.for_each(|it| report.add(path, line, true, test_of_context(it)));
        }
    }
    report
}

/// A statement counts at its first line.
fn istanbul(root: &Value) -> CoverageReport {
    let mut report = CoverageReport::new("istanbul");
    for (path, file) in root.as_object().into_iter().flatten() {
        for (id, place) in file["statementMap"].as_object().into_iter().flatten() {
            let is_covered = file["s"][id].as_u64().is_some_and(|count| count > 0);
            match number(&place["start"]["line"]) {
                Some(line) => report.add(path, line, is_covered, ""),
                None => report.problem("a statement has no line"),
            }
        }
    }
    report
}

/// A segment `[line, column, count, has_count, is_region_entry, is_gap]` is in effect up to the next
/// one. A line is executed if a segment that begins in it or that is in effect at its start was.
fn llvm_cov(root: &Value) -> CoverageReport {
    let mut report = CoverageReport::new("llvm-cov");
    let data = root["data"].as_array().into_iter().flatten();
    for file in data.flat_map(|data| data["files"].as_array().into_iter().flatten()) {
        let Some(path) = file["filename"].as_str() else { continue };
        let segments: Vec<(u32, u64, bool)> = file["segments"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|segment| {
                let is_counted = segment[3].as_bool()? && !segment[5].as_bool().unwrap_or(false);
                Some((number(&segment[0])?, segment[2].as_u64().unwrap_or(0), is_counted))
            })
            .collect();
        for (at, &(line, count, is_counted)) in segments.iter().enumerate() {
            let last = segments.get(at + 1).map_or(line, |next| next.0);
            if is_counted && last >= line && last - line < 100_000 {
                (line..=last).for_each(|line| report.add(path, line, count > 0, ""));
            }
        }
    }
    report
}
