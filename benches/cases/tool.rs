//! `tool/…`: a run of a tool and the text of its reply, with the freshness checks of a server.

use std::rc::Rc;

use codedb::engine::{Check, Local};
use codedb::tools::{self, Call};

use super::case::{Case, CaseOutput, Expected, Mode};
use super::case_file::CaseFile;
use super::corpus::Outcome;
use super::corpus::tree::MODIFIED_S;
use super::stage::Stage;

/// The clock time of the calls: one day after the modification time of the corpus.
const NOW_NS: i64 = (MODIFIED_S as i64 + 86_400) * 1_000_000_000;

/// Returns the cases of bench-corpus/cases.
///
/// # Errors
///
/// If arguments are not valid JSON.
pub(crate) fn cases<'a>(
    stage: &'a Stage,
    files: &'a [CaseFile],
    mode: Mode,
    is_selected: &dyn Fn(&str) -> bool,
) -> Outcome<Vec<Case<'a>>> {
    let mut wanted = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let tool = tools::find(&file.tool)
            .ok_or_else(|| format!("{} is of no tool", file.path.display()))?;
        for (at, call) in file.calls.iter().enumerate() {
            let name = format!("tool/{}/{}", file.tool, call.name);
            if !call.profiles.contains(&stage.profile) || !is_selected(&name) {
                continue;
            }
            let arguments = serde_json::to_value(&call.arguments)
                .map_err(|error| format!("{name}: its arguments are no JSON: {error}"))?;
            let hash = call.expected(stage.profile).map(str::to_owned);
            wanted.push((name, tool, arguments, call.fails, Expected { hash, file: number, at }));
        }
    }
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let engine = Rc::new(stage.engine(mode.threads()));
    let check = match mode {
        Mode::Watched => Check::Watcher,
        Mode::Alone => Check::Trust,
    };
    let made = wanted.into_iter().map(|(name, tool, arguments, fails, expected)| {
        let engine = Rc::clone(&engine);
        let run = move || {
            // The cases of this tool are dry runs: the corpus must not change.
            let local = Local::new(&engine, check).writable();
            let call = Call::new(&local, NOW_NS);
            let text = match tool.run(&call, arguments.clone()) {
                Ok(answer) => {
                    let mut text = answer.text();
                    if text.is_empty() && !answer.is_found() {
                        text.push_str("nothing found\n");
                    }
                    for notice in answer.notices() {
                        text.push_str("note: ");
                        text.push_str(&notice);
                        text.push('\n');
                    }
                    text
                }
                // The error message is also a reply.
                Err(error) if fails => format!("error: {error}; {}\n", error.hints().join("; ")),
                Err(error) => return Err(error.to_string()),
            };
            if !local.take_damage().is_empty() {
                return Err("the index is damaged".to_owned());
            }
            Ok(CaseOutput::Text(text))
        };
        let tool = tool.command();
        Case { name, tool, expected: Some(expected), is_countable: true, run: Box::new(run) }
    });
    Ok(made.collect())
}
