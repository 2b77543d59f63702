//! All cases of a run.

use super::case::{Case, Mode};
use super::case_file::CaseFile;
use super::corpus::Outcome;
use super::options::Options;
use super::stage::{Stage, Watcher};
use super::{cli, engine, mcp, tool};

/// The error message for a filter that selects nothing.
pub(crate) const NO_CASE: &str = "no case has such a name";

/// The cases, and the watcher of the corpus.
pub(crate) struct Set<'a> {
    /// The cases, in the order of their groups.
    pub(crate) cases: Vec<Case<'a>>,
    _watcher: Option<Watcher>,
}

/// Returns the names of all tools, as the command line spells them.
pub(crate) fn tools() -> Vec<String> {
    codedb::tools::TOOLS.iter().map(codedb::tools::Tool::command).collect()
}

/// Creates the selected cases.
///
/// # Errors
///
/// If the preparation fails or the filter selects no case.
pub(crate) fn some_cases<'a>(
    stage: &'a Stage,
    files: &'a [CaseFile],
    options: &Options,
    mode: Mode,
) -> Outcome<Set<'a>> {
    let set = cases(stage, files, options, mode)?;
    if set.cases.is_empty() { Err(NO_CASE.to_owned()) } else { Ok(set) }
}

/// Creates the selected cases, which can be none.
///
/// # Errors
///
/// If the preparation fails.
pub(crate) fn cases<'a>(
    stage: &'a Stage,
    files: &'a [CaseFile],
    options: &Options,
    mode: Mode,
) -> Outcome<Set<'a>> {
    let is_selected = |name: &str| options.is_selected(name);
    let watcher = match mode {
        Mode::Watched => Some(Watcher::start(stage.engine(mode.threads()))?),
        Mode::Alone => None,
    };
    let watched = watcher.as_ref().map(|watcher| watcher.engine().clone());
    let mut cases = tool::cases(stage, files, watched, &is_selected)?;
    cases.extend(engine::cases(stage, mode, &is_selected)?);
    if mode == Mode::Watched {
        cases.extend(tool::strict_cases(stage, files, &is_selected)?);
        cases.extend(mcp::cases(stage, &is_selected)?);
        cases.extend(cli::cases(stage, &is_selected));
    }
    Ok(Set { cases, _watcher: watcher })
}
