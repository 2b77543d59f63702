//! Plots as SVG. Colours are classes of the style sheet; what a plot shows is also in a table beside it.

use std::collections::BTreeSet;

use maud::{Markup, html};

use crate::base::text::plain;
use crate::base::time;
use crate::history::{AuthorId, Commit, History};

/// The size of a plot, in units of its drawing.
const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 150.0;

/// The place of the plot in the drawing: left, top, right and bottom.
const LEFT: f64 = 46.0;
const TOP: f64 = 8.0;
const RIGHT: f64 = WIDTH - 8.0;
const BOTTOM: f64 = HEIGHT - 20.0;

/// What happened in a month.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Month {
    /// As `2026-01`.
    pub(super) name: String,
    /// Commits without merges.
    pub(super) commits: usize,
    /// Their authors.
    pub(super) authors: usize,
}

/// Returns the months of the commits that changed a file, or any file below a folder, the oldest first: at most
/// the newest `max`, without gaps; none if no commit did. O(changes of the log).
pub(super) fn months(history: &History, path: &str, is_file: bool, max: usize) -> Vec<Month> {
    let log = history.log();
    let is_below = |changed: &[u8]| {
        path.is_empty()
            || changed.strip_prefix(path.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"))
    };
    let mut commits: Vec<(i64, AuthorId)> = Vec::new();
    let mut add = |commit: Commit<'_>| {
        if !commit.is_merge() {
            commits.push((month_of(commit.committed_s()), commit.author()));
        }
    };
    if is_file {
        history.changes_to(path.as_bytes()).for_each(&mut add);
    } else {
        let touches = |commit: &Commit<'_>| {
            path.is_empty() || commit.changes().iter().any(|change| is_below(log.path(change.path)))
        };
        log.commits().filter(touches).for_each(&mut add);
    }
    let Some(newest) = commits.iter().map(|(month, _)| *month).max() else { return Vec::new() };
    let oldest = commits.iter().map(|(month, _)| *month).min().unwrap_or(newest);
    let first = oldest.max(newest - i64::try_from(max).unwrap_or(i64::MAX) + 1);
    (first..=newest)
        .map(|month| {
            let of: Vec<AuthorId> =
                commits.iter().filter(|(of, _)| *of == month).map(|(_, author)| *author).collect();
            let authors = of.iter().collect::<BTreeSet<_>>().len();
            let name = format!("{:04}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1);
            Month { name, commits: of.len(), authors }
        })
        .collect()
}

/// Returns the number of months since the year 0 of a time in seconds since 1970.
fn month_of(time_s: i64) -> i64 {
    let text = time::format(time_s.saturating_mul(1_000_000_000));
    let number = |range: std::ops::Range<usize>| text.get(range).and_then(|text| text.parse().ok());
    let (year, month): (i64, i64) = (number(0..4).unwrap_or(1970), number(5..7).unwrap_or(1));
    year * 12 + month - 1
}

/// Returns a number in a few characters.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if value == 0.0 => "0".to_owned(),
        1e9.. => format!("{:.3} G", value / 1e9),
        1e6.. => format!("{:.3} M", value / 1e6),
        1e4.. => format!("{:.1} k", value / 1e3),
        100.0.. => format!("{value:.0}"),
        _ if value.fract() == 0.0 => format!("{value:.0}"),
        1.0.. => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

/// Returns values as columns from 0, each with its name.
pub(super) fn bars(values: &[(String, f64)], unit: &str) -> Markup {
    let max = values.iter().map(|(_, value)| *value).fold(0.0, f64::max).max(1.0);
    let step = (RIGHT - LEFT) / values.len().max(1) as f64;
    let column = |at: usize, value: f64| {
        let height = value / max * (BOTTOM - TOP);
        [LEFT + step * at as f64, BOTTOM - height, (step - 1.0).max(1.0), height]
    };
    html! {
        (frame(max, unit, values.first(), values.last(), html! {
            @for (at, (name, value)) in values.iter().enumerate() {
                @let [x, y, width, height] = column(at, *value);
                rect.fill x=(place(x)) y=(place(y)) width=(place(width)) height=(place(height)) {
                    title { (plain(name)) ": " (short(*value)) " " (unit) }
                }
            }
        }))
    }
}

/// Returns values as a line from 0, each with its name.
pub(super) fn line(values: &[(String, f64)], unit: &str) -> Markup {
    let max = values.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let max = if max > 0.0 { max } else { 1.0 };
    let step = (RIGHT - LEFT) / values.len().saturating_sub(1).max(1) as f64;
    let at = |at: usize, value: f64| {
        (LEFT + step * at as f64, BOTTOM - (value / max).max(0.0) * (BOTTOM - TOP))
    };
    let points: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(index, (_, value))| {
            let (x, y) = at(index, *value);
            format!("{x:.1},{y:.1}")
        })
        .collect();
    html! {
        (frame(max, unit, values.first(), values.last(), html! {
            polyline.curve points=(points.join(" ")) {}
            @for (index, (name, value)) in values.iter().enumerate() {
                @let (x, y) = at(index, *value);
                circle.point cx=(place(x)) cy=(place(y)) r="2.5" {
                    title { (plain(name)) ": " (short(*value)) }
                }
            }
        }))
    }
}

fn place(value: f64) -> String {
    format!("{value:.1}")
}

/// Returns a plot with its axes: 0 and the greatest value, the first and the last name.
fn frame(
    max: f64,
    unit: &str,
    first: Option<&(String, f64)>,
    last: Option<&(String, f64)>,
    inside: Markup,
) -> Markup {
    let name = |of: Option<&(String, f64)>| of.map(|(name, _)| plain(name)).unwrap_or_default();
    let label = format!("{}, {} to {}, up to {}", plain(unit), name(first), name(last), short(max));
    html! {
        svg.plot viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(label) {
            line.axis x1=(LEFT) y1=(BOTTOM) x2=(RIGHT) y2=(BOTTOM) {}
            line.grid x1=(LEFT) y1=(TOP) x2=(RIGHT) y2=(TOP) {}
            text x=(LEFT - 5.0) y=(TOP + 8.0) text-anchor="end" { (short(max)) }
            text x=(LEFT - 5.0) y=(BOTTOM) text-anchor="end" { "0" }
            text x=(LEFT) y=(HEIGHT - 4.0) { (name(first)) }
            text x=(RIGHT) y=(HEIGHT - 4.0) text-anchor="end" { (name(last)) }
            (inside)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_counted_from_times() {
        assert_eq!(month_of(0), 1970 * 12);
        assert_eq!(month_of(1_770_000_000), 2026 * 12 + 1, "2026-02-02");
    }

    #[test]
    fn values_of_any_size_stay_in_the_plot() {
        for values in [vec![], vec![0.0], vec![1e12, 0.0, 3.0], vec![-5.0, 2.0]] {
            let values: Vec<(String, f64)> =
                values.into_iter().map(|value| ("<a>".to_owned(), value)).collect();
            for drawn in [bars(&values, "ms"), line(&values, "ms")] {
                let text = drawn.into_string();
                assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
                assert!(!text.contains("<a>"), "{text}");
            }
        }
        assert_eq!(short(0.5), "0.5000");
        assert_eq!(short(1_234_567.0), "1.235 M");
    }
}
