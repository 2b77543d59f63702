//! Tests and risk: what the working tree changes, the tests to run for it, the riskiest files.

use maud::{Markup, html};
use serde_json::json;

use super::file::crumbs;
use super::{Page, Shown, Slow, shown, with_slow};
use crate::base::text::plain;
use crate::error::Result;
use crate::tools::Call;
use crate::ui::ask::Ask;

pub(super) const PAGE: Page = Page {
    name: "risk",
    title: "Tests and risk",
    summary: "What the working tree touches, tests to run, risk with its components",
    key: 't',
    make,
};

/// Flaky tests on the page.
const FLAKY: usize = 20;

fn make(call: &Call<'_>, asked: &Ask) -> Result<Shown> {
    let path = asked.path.as_str();
    let is_file = call.code.files()?.find(path.as_bytes()).is_some();
    let title = if path.is_empty() {
        "Tests and risk".to_owned()
    } else {
        format!("Tests and risk: {path}")
    };
    let of = |name, title, tool| Slow { name, title, tool };
    let check = of("check", "Risk", "check");
    let tests = of("tests", "Tests to run", "suggest_tests");
    let gaps = of("gaps", "Functions without a test", "test_gaps");
    let riskiest = of("files", "Riskiest files", "risk_map");
    let slow = if is_file {
        vec![
            (check, json!({"files": [path], "verbose": true})),
            (tests, json!({"file_path": path})),
            (gaps, json!({"file_path": path})),
            (of("impact", "What depends on it", "impact"), json!({"files": [path]})),
        ]
    } else if path.is_empty() {
        vec![
            (Slow { title: "Risk of the working tree", ..check }, json!({"verbose": true})),
            (tests, json!({})),
            (riskiest, json!({"limit": 20})),
            (gaps, json!({"limit": 20})),
        ]
    } else {
        vec![
            (riskiest, json!({"directory": path, "limit": 25})),
            (gaps, json!({"directory": path, "limit": 25})),
        ]
    };
    let first = || Ok(html! { h1 { "Tests and risk" } (crumbs("risk", path)) (flaky(call)?) });
    let main = with_slow(call, asked, &PAGE, first, &slow)?;
    shown(call, &PAGE, title, main)
}

/// Returns the tests that failed and passed without a change.
fn flaky(call: &Call<'_>) -> Result<Markup> {
    let flaky = match call.code.user_data()? {
        Some(database) => database.records()?,
        None => Default::default(),
    };
    let mut flaky: Vec<_> = flaky.into_iter().filter(|(_, record)| record.flips > 0).collect();
    flaky.sort_by(|one, other| other.1.flips.cmp(&one.1.flips).then_with(|| one.0.cmp(&other.0)));
    let more = flaky.len().saturating_sub(FLAKY);
    Ok(html! {
        section {
            h2 { "Flaky tests" }
            @if flaky.is_empty() {
                p.empty { "None recorded. " code { "codedb run -- COMMAND" }
                    " records the results of a test run." }
            } @else {
                ul { @for (test, record) in flaky.iter().take(FLAKY) {
                    li { code { (plain(test)) } " " span.faint {
                        "changed " (record.flips) " of " (record.pairs) " times without a change" } }
                } }
                @if more > 0 { p.note { (more) " more: " code { "codedb flaky" } } }
            }
        }
    })
}
