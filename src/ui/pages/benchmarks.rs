//! Benchmarks: the history of the numbers that CI keeps, a plot for each.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde_json::Value;

use super::{Page, Shown, shown};
use crate::base::text::plain;
use crate::error::{Kind, Result};
use crate::tools::Call;
use crate::ui::ask::Ask;
use crate::ui::plot;

pub(super) const PAGE: Page = Page {
    name: "benchmarks",
    title: "Benchmarks",
    summary: "The numbers that CI keeps, by commit",
    key: 'b',
    make,
};

/// Where the history is looked for: one JSON object a line, with `commit`, and numbers under any other keys.
const FILES: &[&str] =
    &["bench-history/history.jsonl", "benchmarks/history.jsonl", "history.jsonl"];

/// The greatest size of the history that is read.
const BYTES_MAX: u64 = 8 << 20;

/// The plots of a page.
const PLOTS: usize = 60;

/// The points of a plot: the newest.
const POINTS: usize = 120;

/// A measurement: the commit, and its value.
type Point = (String, f64);

fn make(call: &Call<'_>, asked: &Ask) -> Result<Shown> {
    let path = asked.get("file").map(str::to_owned);
    let paths: Vec<String> = path
        .map_or_else(|| FILES.iter().map(|path| (*path).to_owned()).collect(), |path| vec![path]);
    let mut found = None;
    for path in &paths {
        match call.code.read(path.as_bytes(), BYTES_MAX) {
            Ok(content) => {
                found =
                    Some((path.as_str(), String::from_utf8_lossy(content.bytes()).into_owned()));
                break;
            }
            Err(error) if error.kind() == Kind::Cancelled => return Err(error),
            Err(_) => {}
        }
    }
    let main = html! {
        h1 { "Benchmarks" }
        @match found {
            Some((path, text)) => (history(path, &text)),
            None => (missing(&paths)),
        }
    };
    shown(call, &PAGE, "Benchmarks".to_owned(), main)
}

fn missing(paths: &[String]) -> Markup {
    html! {
        p.empty { "No history of measurements: none of these files exists." }
        ul { @for path in paths { li { code { (plain(path)) } } } }
        p { "A job that measures appends a line for each commit, such as" }
        pre tabindex="0" { r#"{"commit": "1a2b3c4", "time": "2026-01-31", "values": {"search ms": 12.5}}"# }
        p { "codedb's own gate writes one: " code { "cargo bench --bench regression -- --history FILE" } }
        form action="/benchmarks" {
            label { "Another file of the tree " input name="file" autocomplete="off"; }
            " " button type="submit" { "Show" }
        }
    }
}

fn history(path: &str, text: &str) -> Markup {
    let (series, unread) = series(text);
    let more = series.len().saturating_sub(PLOTS);
    html! {
        p.count { (plain(path)) ": " (series.len()) " series" }
        @if unread > 0 { p.note { (unread) " lines are not measurements and were left out" } }
        div.plots {
            @for (name, points) in series.iter().take(PLOTS) {
                figure {
                    figcaption { (plain(name)) }
                    (plot::line(points, name))
                    details { summary { "As a table" }
                        table { tbody { @for (commit, value) in points.iter().rev() {
                            tr { td { code { (plain(commit)) } } td.right { (plot::short(*value)) } }
                        } } }
                    }
                }
            }
        }
        @if more > 0 { p.note { (more) " more series are not shown" } }
    }
}

/// Returns the measurements by name, in the order of the file, and how many lines have none.
fn series(text: &str) -> (BTreeMap<String, Vec<Point>>, usize) {
    let mut series: BTreeMap<String, Vec<Point>> = BTreeMap::new();
    let mut unread = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let Ok(entry) = serde_json::from_str::<Value>(line) else {
            unread += 1;
            continue;
        };
        let commit = ["commit", "revision", "sha"].iter().find_map(|key| entry[*key].as_str());
        let commit: String = commit.unwrap_or("?").chars().take(12).collect();
        let mut values = Vec::new();
        numbers(&entry, "", &mut values);
        unread += usize::from(values.is_empty());
        for (name, value) in values {
            series.entry(name).or_default().push((commit.clone(), value));
        }
    }
    for points in series.values_mut() {
        let old = points.len().saturating_sub(POINTS);
        points.drain(..old);
    }
    (series, unread)
}

/// Adds the numbers of a value, each under the keys that lead to it.
fn numbers(value: &Value, name: &str, found: &mut Vec<(String, f64)>) {
    let below = |key: &str| match name {
        "" | "cases" | "values" => key.to_owned(),
        name => format!("{name} {key}"),
    };
    match value {
        Value::Number(number) => {
            found.extend(
                number
                    .as_f64()
                    .filter(|value| value.is_finite())
                    .map(|value| (name.to_owned(), value)),
            );
        }
        Value::Object(entries) => {
            entries.iter().for_each(|(key, value)| numbers(value, &below(key), found));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_a_line_is_a_series() {
        let text = "{\"commit\": \"abc\", \"values\": {\"search\": 2, \"read\": {\"p50\": 1.5}}}\nno\n\n\
                    {\"commit\": \"def\", \"values\": {\"search\": 3}, \"note\": \"x\"}\n{}\n";
        let (series, unread) = series(text);
        assert_eq!(unread, 2);
        assert_eq!(series["search"], [("abc".to_owned(), 2.0), ("def".to_owned(), 3.0)]);
        assert_eq!(series["read p50"], [("abc".to_owned(), 1.5)]);
        assert_eq!(series.len(), 2);
    }
}
