//! A self-contained page with plots of the history for each tool.
//!
//! Every line of a plot is one case, in per cent of its first visible point: growth goes up. Only
//! runs on the last run's corpus are shown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use super::history::{self, Line, Point};

/// The number of runs shown, counted from the newest.
const RUNS_MAX: usize = 200;

/// The size of a plot's area, and the left margin for its labels.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 160.0;
const MARGIN: f64 = 46.0;

/// The minimum range of a plot in per cent, so that steady lines look steady.
const REACH_MIN: f64 = 10.0;

/// The colours of the lines, used in rotation.
const COLOURS: [&str; 8] =
    ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17a2b8", "#8c564b", "#7f7f7f"];

/// The figure that a plot shows.
type Figure = fn(&Point) -> Option<f64>;

/// Plots the history of a file.
///
/// # Errors
///
/// If the history cannot be read or is empty, or the page cannot be written.
pub(crate) fn write(history: &Path, page: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(history)
        .map_err(|error| format!("{}: {error}", history.display()))?;
    let (lines, broken) = history::parse(&text);
    let html = html(&lines, broken)
        .ok_or_else(|| format!("{}: there is no run in it", history.display()))?;
    std::fs::write(page, html).map_err(|error| format!("{}: {error}", page.display()))
}

/// Returns the page; `None` without a run.
pub(crate) fn html(lines: &[Line], broken: usize) -> Option<String> {
    let last = lines.last()?;
    let same: Vec<&Line> = lines
        .iter()
        .filter(|line| line.corpus == last.corpus && line.profile == last.profile)
        .collect();
    let shown = &same[same.len().saturating_sub(RUNS_MAX)..];
    let mut tools: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, point) in shown.iter().flat_map(|line| &line.cases) {
        tools.entry(&point.tool).or_default().insert(name);
    }
    let mut html = String::from(HEAD);
    let _ = writeln!(
        html,
        "<p>{} runs on corpus {} ({}), the last at {} of {}. Every line is a case, in per cent of its \
         first run here. Times are those of whatever machine ran them: believe the instructions.</p>",
        shown.len(),
        escaped(&last.corpus),
        escaped(&last.profile),
        escaped(&last.commit.chars().take(12).collect::<String>()),
        escaped(&last.committed),
    );
    let left_out = lines.len() - shown.len();
    if left_out + broken > 0 {
        let _ = writeln!(
            html,
            "<p>Not shown: {left_out} runs that are older or had another corpus, {broken} broken lines.</p>"
        );
    }
    for (tool, cases) in tools {
        let cases: Vec<&str> = cases.into_iter().collect();
        let _ = writeln!(html, "<h2>{}</h2>\n<div class=\"plots\">", escaped(tool));
        let instructions: Figure = |point| point.instructions.map(|count| count as f64);
        html += &plot("instructions", shown, &cases, instructions);
        html += &plot("wall time", shown, &cases, |point| point.nanoseconds);
        html += "</div>\n<ul>\n";
        for (at, case) in cases.iter().enumerate() {
            let colour = COLOURS[at % COLOURS.len()];
            let now = last.cases.get(*case).map_or_else(String::new, in_words);
            let _ = writeln!(
                html,
                "<li><span style=\"color:{colour}\">■</span> {}{now}</li>",
                escaped(case)
            );
        }
        html += "</ul>\n";
    }
    html += "</body></html>\n";
    Some(html)
}

/// Plots one figure of some cases; a run without it leaves a gap in the line.
fn plot(title: &str, runs: &[&Line], cases: &[&str], figure: Figure) -> String {
    let of = |run: &Line, case: &str| {
        run.cases.get(case).and_then(figure).filter(|it| it.is_finite() && *it > 0.0)
    };
    let series: Vec<Vec<Option<f64>>> = cases
        .iter()
        .map(|case| {
            let first = runs.iter().find_map(|run| of(run, case));
            let percent = |value: f64| (value / first.unwrap_or(value) - 1.0) * 100.0;
            runs.iter().map(|run| of(run, case).map(percent)).collect()
        })
        .collect();
    let values = || series.iter().flatten().flatten().copied();
    let high = values().fold(REACH_MIN, f64::max);
    let low = values().fold(-REACH_MIN, f64::min);
    let x = |at: usize| MARGIN + WIDTH * at as f64 / (runs.len().max(2) - 1) as f64;
    let y = |value: f64| 10.0 + HEIGHT * (high - value) / (high - low);
    let (width, height) = (MARGIN + WIDTH + 10.0, HEIGHT + 20.0);
    let mut svg = format!(
        "<figure><figcaption>{title}</figcaption><svg viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"{title}\">\n"
    );
    for value in [high, 0.0, low] {
        let (at, end) = (y(value), MARGIN + WIDTH);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{MARGIN}\" x2=\"{end}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{}\" y=\"{:.1}\">{value:+.0}%</text>",
            MARGIN - 4.0,
            at + 4.0
        );
    }
    for (at, line) in series.iter().enumerate() {
        let colour = COLOURS[at % COLOURS.len()];
        for piece in pieces(line) {
            let points: Vec<String> =
                piece.iter().map(|(at, value)| format!("{:.1},{:.1}", x(*at), y(*value))).collect();
            let _ = match &points[..] {
                [one] => {
                    let (x, y) = one.split_once(',').unwrap_or_default();
                    writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"2.5\" fill=\"{colour}\"/>")
                }
                many => writeln!(
                    svg,
                    "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" points=\"{}\"/>",
                    many.join(" ")
                ),
            };
        }
    }
    svg + "</svg></figure>\n"
}

/// Splits a line at its gaps.
fn pieces(line: &[Option<f64>]) -> Vec<Vec<(usize, f64)>> {
    let mut pieces = vec![Vec::new()];
    for (at, value) in line.iter().enumerate() {
        match value {
            Some(value) => pieces.last_mut().expect("there is always one").push((at, *value)),
            None => pieces.push(Vec::new()),
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

fn in_words(point: &Point) -> String {
    let time = point.nanoseconds.map(|value| format!("{:.1} µs", value / 1e3));
    let count = point.instructions.map(|count| format!("{count} instructions"));
    let figures: Vec<String> = [time, count].into_iter().flatten().collect();
    if figures.is_empty() { String::new() } else { format!(": {}", figures.join(", ")) }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const HEAD: &str = "<!doctype html>
<html lang=\"en\"><head><meta charset=\"utf-8\"><title>codedb: benchmarks</title>
<meta name=\"viewport\" content=\"width=device-width\">
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1040px; margin: 2em auto; padding: 0 1em; }
.plots { display: flex; flex-wrap: wrap; gap: 1em; }
figure { margin: 0; flex: 1 1 420px; }
figcaption { font-size: 13px; }
svg { width: 100%; height: auto; }
svg text { font-size: 11px; text-anchor: end; fill: currentColor; }
.grid { stroke: currentColor; stroke-opacity: .25; }
ul { list-style: none; padding: 0; font-size: 13px; columns: 2; }
</style></head><body>
<h1>codedb: benchmarks</h1>
";
