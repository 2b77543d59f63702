//! `tool/…`: a run of a tool and the text of its reply, as a watching server answers it; `strict/…`:
//! the same with a check of all metadata, as without a watcher.

use std::rc::Rc;

use codedb::engine::{Check, Engine, Local};
use codedb::tools::{self, Call, Tool};

use super::case::{Case, CaseOutput, Expected, Mode};
use super::case_file::CaseFile;
use super::corpus::Outcome;
use super::corpus::tree::MODIFIED_S;
use super::stage::Stage;

/// The clock time of the calls: one day after the modification time of the corpus.
const NOW_NS: i64 = (MODIFIED_S as i64 + 86_400) * 1_000_000_000;

/// The calls that are also measured with a check of all metadata. The check costs all of them the
/// same.
const STRICT: &[&str] = &["find/exact", "outline/python", "search/rare", "status/whole"];

/// Returns the cases of bench-corpus/cases: on the engine `watched`, as a server with a watcher
/// answers them, or without any check of the tree if there is none.
///
/// # Errors
///
/// If arguments are not valid JSON.
pub(crate) fn cases<'a>(
    stage: &'a Stage,
    files: &'a [CaseFile],
    watched: Option<Engine>,
    is_selected: &dyn Fn(&str) -> bool,
) -> Outcome<Vec<Case<'a>>> {
    let (engine, check) = match watched {
        Some(engine) => (engine, Check::Watcher),
        None => (stage.engine(Mode::Alone.threads()), Check::Trust),
    };
    let wanted = wanted(stage, files, "tool", &|name| is_selected(&format!("tool/{name}")))?;
    Ok(made(wanted, &Rc::new(engine), check))
}

/// Returns the cases of [`STRICT`], each of which compares the metadata of the whole tree.
///
/// # Errors
///
/// If arguments are not valid JSON.
pub(crate) fn strict_cases<'a>(
    stage: &'a Stage,
    files: &'a [CaseFile],
    is_selected: &dyn Fn(&str) -> bool,
) -> Outcome<Vec<Case<'a>>> {
    let is_strict = |name: &str| STRICT.contains(&name) && is_selected(&format!("strict/{name}"));
    let wanted = wanted(stage, files, "strict", &is_strict)?;
    let mut made = made(wanted, &Rc::new(stage.engine(Mode::Watched.threads())), Check::Strict);
    // Several threads compare the metadata.
    made.iter_mut().for_each(|case| case.is_countable = false);
    Ok(made)
}

/// A call of a case file.
struct Wanted {
    name: String,
    tool: &'static Tool,
    arguments: serde_json::Value,
    fails: bool,
    expected: Expected,
}

/// Returns the selected calls of the profile, named `<tool>/<call>` for `is_selected`.
fn wanted(
    stage: &Stage,
    files: &[CaseFile],
    group: &str,
    is_selected: &dyn Fn(&str) -> bool,
) -> Outcome<Vec<Wanted>> {
    let mut wanted = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let tool = tools::find(&file.tool)
            .ok_or_else(|| format!("{} is of no tool", file.path.display()))?;
        for (at, call) in file.calls.iter().enumerate() {
            let name = format!("{}/{}", file.tool, call.name);
            if !call.profiles.contains(&stage.profile) || !is_selected(&name) {
                continue;
            }
            let name = format!("{group}/{name}");
            let arguments = serde_json::to_value(&call.arguments)
                .map_err(|error| format!("{name}: its arguments are no JSON: {error}"))?;
            let hash = call.expected(stage.profile).map(str::to_owned);
            let expected = Expected { hash, file: number, at };
            wanted.push(Wanted { name, tool, arguments, fails: call.fails, expected });
        }
    }
    Ok(wanted)
}

fn made<'a>(wanted: Vec<Wanted>, engine: &Rc<Engine>, check: Check) -> Vec<Case<'a>> {
    let case = |Wanted { name, tool, arguments, fails, expected }| {
        let engine = Rc::clone(engine);
        let run = move || {
            // The cases of this tool are dry runs: the corpus must not change.
            let local = Local::new(&engine, check).writable();
            let call = Call::new(&local, NOW_NS);
            let text = match tool.run(&call, Clone::clone(&arguments)) {
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
    };
    wanted.into_iter().map(case).collect()
}
