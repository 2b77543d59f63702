//! Context: the bundle that an agent gets for a task, with the reason and the tokens of each entry.

use maud::{Markup, html};
use serde_json::json;

use super::{Page, Shown, ask, data, reply, shown};
use crate::base::text::{counted, plain};
use crate::base::tokens;
use crate::error::{Kind, Result};
use crate::tools::Call;
use crate::ui::ask::Ask;
use crate::ui::{links, page};

pub(super) const PAGE: Page = Page {
    name: "context",
    title: "Context",
    summary: "What an agent gets for a task, and why",
    key: 'x',
    make,
};

/// The budgets of the form, in tokens.
const BUDGETS: &[usize] = &[500, 1_500, 3_000, 6_000, 12_000];

/// The levels of detail, as the tool names them.
const DETAILS: &[&str] = &["lean", "normal", "full"];

fn make(call: &Call<'_>, asked: &Ask) -> Result<Shown> {
    let task = asked.get("task").unwrap_or_default();
    let budget = asked.number("max_tokens").unwrap_or(1_500);
    let detail = asked.get("detail").unwrap_or("normal");
    let title = if task.is_empty() { "Context".to_owned() } else { format!("Context: {task}") };
    let main = html! {
        h1 { "Context" }
        form action="/context" data-live="bundle" {
            label for="task" { "A task, a question, a bug report or a stack trace" }
            textarea #task name="task" rows="3" autofocus { (task) }
            div.filters {
                label { "Tokens " select name="max_tokens" {
                    @for tokens in BUDGETS {
                        option value=(tokens) selected[*tokens == budget] { (tokens) }
                    }
                    @if !BUDGETS.contains(&budget) { option value=(budget) selected { (budget) } }
                } }
                label { "Detail " select name="detail" {
                    @for name in DETAILS { option value=(name) selected[*name == detail] { (name) } }
                } }
                button type="submit" { "Compose" }
            }
        }
        div #bundle { (bundle(call, task, budget, detail)?) }
    };
    shown(call, &PAGE, title, main)
}

fn bundle(call: &Call<'_>, task: &str, budget: usize, detail: &str) -> Result<Markup> {
    if task.is_empty() {
        return Ok(html! { p.empty { "The bundle appears here while you type." } });
    }
    let args = json!({"task": task, "max_tokens": budget, "detail": detail});
    let answer = match ask(call, "context", args) {
        Ok(answer) => answer,
        Err(error) if error.kind() == Kind::Cancelled => return Err(error),
        Err(error) => return Ok(page::failure(&error)),
    };
    let bundle = data(&*answer)?;
    let files = bundle["files"].as_array().cloned().unwrap_or_default();
    let snippets = bundle["snippets"].as_array().cloned().unwrap_or_default();
    let symbols = bundle["symbols"].as_array().cloned().unwrap_or_default();
    let cost = |path: &str| -> usize {
        let own = snippets.iter().chain(&symbols).filter(|quoted| quoted["path"] == path);
        let texts =
            own.flat_map(|quoted| ["text", "signature", "body"].map(|key| quoted[key].as_str()));
        texts.flatten().map(tokens::count).sum()
    };
    let reason = |why: &str| match why.split_once(':') {
        Some(("commit", count)) => {
            count.parse().map_or_else(|_| plain(why), |count| counted(count, "matching commit"))
        }
        Some(("in", folder)) => format!("folder {}", plain(folder)),
        _ => plain(why),
    };
    let why = |file: &serde_json::Value| match &file["why"] {
        serde_json::Value::String(why) => reason(why),
        serde_json::Value::Array(all) => {
            let all = all.iter().filter_map(|why| why.as_str());
            all.map(reason).collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    };
    let text = answer.text();
    Ok(html! {
        p.count role="status" {
            (bundle["tokens"].as_u64().unwrap_or_default()) " of " (budget) " tokens"
            @if bundle["status"] == "partial" { ", partial" }
        }
        h2 { "Entries" }
        div.scroll tabindex="0" { table {
            thead { tr { th scope="col" { "File" } th scope="col" { "Why" }
                th.right scope="col" { "Score" } th.right scope="col" { "Tokens quoted" } } }
            tbody { @for file in &files {
                @let path = file["path"].as_str().unwrap_or_default();
                tr {
                    td { a.path href=(links::file(path, None)) { (plain(path)) } }
                    td { (why(file)) }
                    td.right { (format!("{:.2}", file["score"].as_f64().unwrap_or_default())) }
                    td.right { (cost(path)) }
                }
            } }
        } }
        h2 { "Reply" }
        (reply(call, &*answer))
        details #as-text {
            summary { "As an agent reads it" }
            pre tabindex="0" { (text.lines().map(plain).collect::<Vec<_>>().join("\n")) }
        }
    })
}
