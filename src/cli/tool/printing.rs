//! Prints the answers of tools.

use std::process::ExitCode;

use clap::ArgMatches;
use serde_json::Value;

use super::super::display::Display;
use super::super::index::print;
use super::super::screen::{self, Screen};
use super::super::{graph, listing, report};
use super::{TRUSTED, format, is_json_reply, now_ns, page};
use crate::answer::page::Block;
use crate::error::Result;
use crate::tools::command_line::in_flags;
use crate::tools::{Answer, Tool, unlisted};

/// Prints the answer of a call with `args` in the form that `matches` choose. `is_trusted` marks JSON from an
/// index that was not checked.
pub(in crate::cli) fn print_answer(
    tool: &Tool,
    matches: &ArgMatches,
    answer: &dyn Answer,
    args: &Value,
    display: &Display<'_>,
    is_trusted: bool,
) -> Result<ExitCode> {
    let format = format(matches);
    let draws_graph = graph::FORMATS.contains(&format);
    if format == screen::FORMAT
        && let Some(page) = page(tool, answer)
    {
        if page.blocks.iter().all(Block::is_empty) {
            report::print_message("nothing found");
        }
        Screen::new(matches, now_ns()).print(&page, display)?;
        return Ok(exit_code(answer));
    }
    for notice in answer.notices() {
        report::print_message(notice);
    }
    if let Some(of) = draws_graph.then(|| answer.graph()).flatten() {
        for remark in of.remarks.iter().cloned().chain(graph::remark(format, &of)) {
            report::print_message(in_flags(tool, &remark));
        }
        // An empty graph states that there is nothing.
        if !of.vertices().is_empty() || !answer.is_unknown() {
            print(&display.for_output(graph::text(format, &of, display)))?;
        }
    } else if is_json_reply(matches) {
        let json = answer.json()?;
        // More fields would exceed the token budget of a reply that has one.
        let arguments = tool.arguments();
        let budget = arguments["properties"].get("max_tokens");
        let is_bounded = budget.is_some_and(|budget| {
            budget.get(unlisted::SHARED).is_none() || args.get("max_tokens").is_some()
        });
        let json = if is_bounded { json } else { display.json(&json) };
        let reply = if format == "jsonl" {
            listing::lines(&json)
        } else if args.get("max_tokens").is_some() {
            // The list a second time would exceed the budget.
            json_line(&json, is_trusted)
        } else {
            json_line(&listing::with_items(&json), is_trusted)
        };
        print(&display.json_for_output(reply))?;
    } else if tool.has_locations && matches.get_flag("vimgrep") {
        print(&display.for_output(display.vimgrep(&answer.locations())))?;
    } else {
        print(&display.for_output(answer.styled(display)))?;
    }
    Ok(exit_code(answer))
}

/// Returns the exit code of an answer: 0 if something was found, 2 if the answer is not known, else 1.
fn exit_code(answer: &dyn Answer) -> ExitCode {
    ExitCode::from(match (answer.is_found(), answer.is_unknown()) {
        (true, _) => 0,
        (false, true) => 2,
        (false, false) => 1,
    })
}

/// Returns a reply, which is a JSON object, as a line, with [`TRUSTED`] if it was not checked.
fn json_line(reply: &str, is_trusted: bool) -> String {
    match reply.strip_prefix('{').filter(|_| is_trusted) {
        Some(rest) => format!("{{{TRUSTED}{rest}\n"),
        None => format!("{reply}\n"),
    }
}
