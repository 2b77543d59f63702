//! History: commits and authors over time, what changes together, the files that change most.

use maud::{Markup, html};
use serde_json::json;

use super::file::crumbs;
use super::{Page, Shown, Slow, shown, with_slow};
use crate::base::text::plain;
use crate::error::Result;
use crate::history::History;
use crate::tools::Call;
use crate::ui::ask::Ask;
use crate::ui::links;
use crate::ui::plot;

pub(super) const PAGE: Page = Page {
    name: "history",
    title: "History",
    summary: "Churn and authors over time, co-change, hot files",
    key: 'h',
    make,
};

/// The months of the plots.
const MONTHS: usize = 36;

fn make(call: &Call<'_>, asked: &Ask) -> Result<Shown> {
    let path = asked.path.as_str();
    let is_file = call.code.files()?.find(path.as_bytes()).is_some();
    let title = if path.is_empty() { "History".to_owned() } else { format!("History: {path}") };
    let of = |name, title, tool| Slow { name, title, tool };
    let churn = of("churn", "Files that change most", "churn");
    let reviewers = of("reviewers", "Reviewers", "who_reviews");
    let about = json!({"file_path": path, "limit": 15});
    let slow = if is_file {
        vec![
            (of("commits", "Commits", "history"), about.clone()),
            (Slow { title: "Definitions that change most", ..churn }, about.clone()),
            (of("coupling", "Changes together with", "coupling"), about),
            (of("ownership", "Authors of its lines", "ownership"), json!({"file_path": path})),
            (reviewers, json!({"file_path": path})),
        ]
    } else if path.is_empty() {
        vec![(churn, json!({"limit": 25})), (of("hot", "Hot files", "hot"), json!({"limit": 15}))]
    } else {
        vec![
            (churn, json!({"directory": path, "limit": 25})),
            (reviewers, json!({"file_path": path})),
        ]
    };
    let first = || {
        Ok(html! {
            h1 { "History" }
            (crumbs("history", path))
            @if is_file { p { a href=(links::file(path, None)) { "Source" } } }
            @if let Some(history) = &call.code.history()? { (over_time(history, path, is_file)) }
            @else { p.note { (call.code.history_problem().unwrap_or("this tree has no commits")) } }
        })
    };
    let main = with_slow(call, asked, &PAGE, first, &slow)?;
    shown(call, &PAGE, title, main)
}

/// Returns commits and authors by month.
fn over_time(history: &History, path: &str, is_file: bool) -> Markup {
    let months = plot::months(history, path, is_file, MONTHS);
    if months.is_empty() {
        return html! { p.empty { "No commit changed " (plain(path)) "." } };
    }
    let commits: Vec<(String, f64)> =
        months.iter().map(|month| (month.name.clone(), month.commits as f64)).collect();
    let authors: Vec<(String, f64)> =
        months.iter().map(|month| (month.name.clone(), month.authors as f64)).collect();
    html! {
        div.plots {
            figure { figcaption { "Commits by month" } (plot::bars(&commits, "commits")) }
            figure { figcaption { "Authors by month" } (plot::bars(&authors, "authors")) }
        }
        details #by-month {
            summary { "As a table" }
            div.scroll tabindex="0" { table {
                thead { tr { th scope="col" { "Month" } th.right scope="col" { "Commits" }
                    th.right scope="col" { "Authors" } } }
                tbody { @for month in &months {
                    tr { td { (month.name) } td.right { (month.commits) } td.right { (month.authors) } }
                } }
            } }
        }
    }
}
