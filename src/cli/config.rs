//! `codedb config`: prints the settings that apply, and where each comes from.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Serialize;

use super::index::{place_args, print, tree_options};
use super::settings::{
    Sourced, TABLE, defaults, editor, of_user, pager, sourced, text, user_file, user_text, variable,
};
use super::terminal::environment_allows_colors;
use super::{place, report, terminal};
use crate::error::Result;
use crate::parsers::extractors::NAME;

pub(super) fn command() -> Command {
    Command::new("config")
        .about("Print the settings that apply, and where each comes from")
        .long_about(format!(
            "Prints the settings of the command line, the directories in use and the files that were \
             read. Defaults stand in the table `[{TABLE}]` of your own `codedb.toml`, whose path is \
             printed: `limit`, `color`, `iso`, `pager`, `hyperlink_format` and `editor`. An option of \
             a command precedes them. They concern terminals: servers and pipes get the same \
             replies with and without them, except for an explicit `color`."
        ))
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON"))
        .args(place_args())
}

/// A setting, as `codedb config --json` prints it.
#[derive(Serialize)]
struct Setting {
    name: &'static str,
    value: String,
    from: String,
}

/// Runs the command. The exit code is 2 if a file is not valid.
///
/// # Errors
///
/// If the tree does not exist.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let options = tree_options(matches);
    let root = place::root(options.root.as_deref())?;
    let problem = of_user().err();
    let defaults = defaults();
    let named = |name, Sourced { value, from }| Setting { name, value, from };
    let flag_or = |flag: bool, sourced: Sourced| {
        if flag { Sourced { from: "option".to_owned(), ..sourced } } else { sourced }
    };
    let color = match (defaults.color, environment_allows_colors()) {
        (None, false) => {
            let from = if variable("NO_COLOR").is_some() { "NO_COLOR" } else { "TERM" };
            Sourced { value: "never".to_owned(), from: from.to_owned() }
        }
        (color, _) => sourced(color.map(|color| color.name().to_owned()), &[], "auto"),
    };
    let or_none = |mut sourced: Sourced| {
        if sourced.value.is_empty() {
            sourced.value = "none".to_owned();
        }
        sourced
    };
    let directory = |is_set: bool, path: Option<PathBuf>, name: &str| {
        let path = path.map(|path| path.display().to_string()).unwrap_or_default();
        let is_named = variable(name).is_some();
        let from = if is_named { name } else { "default" };
        or_none(flag_or(is_set, Sourced { value: path, from: from.to_owned() }))
    };
    let cache = place::cache(&options).ok().map(|cache| cache.0);
    let data = place::data(&options)?.map(|location| location.0);
    let settings = vec![
        named("limit", sourced(defaults.limit.map(|limit| limit.to_string()), &[], "by command")),
        named("color", color),
        named("iso", sourced(defaults.iso.map(|iso| iso.to_string()), &[], "false")),
        named("pager", or_none(pager())),
        named("hyperlink_format", sourced(defaults.hyperlink_format.clone(), &[], "none")),
        named("editor", or_none(editor())),
        named("index directory", directory(options.index_dir.is_some(), cache, "CODEDB_INDEX_DIR")),
        named("data directory", directory(options.data_dir.is_some(), data, "CODEDB_DATA_DIR")),
    ];
    let files = files(&root, problem.as_deref());
    if matches.get_flag("json") {
        let files: Vec<_> = files
            .iter()
            .map(|(path, state)| serde_json::json!({"path": path, "state": state}))
            .collect();
        let count = settings.len();
        let reply = serde_json::json!({
            "settings": &settings, "items": &settings, "shown": count, "total": count,
            "truncated": false, "files": files,
        });
        print(&format!("{reply}\n"))?;
    } else {
        print(&shown(&settings, &files))?;
    }
    Ok(ExitCode::from(if problem.is_some() { 2 } else { 0 }))
}

/// Returns the files that are read for the tree at `root`, each with its state.
fn files(root: &Path, problem: Option<&str>) -> Vec<(String, String)> {
    let mut files = Vec::new();
    if let Some(path) = user_file() {
        let state = match (user_text(), problem) {
            (_, Some(problem)) => problem.to_owned(),
            (Some(_), None) => "read".to_owned(),
            (None, None) => "does not exist".to_owned(),
        };
        files.push((path.display().to_string(), state));
    }
    let path = root.join(NAME);
    let state = match text(&path).map(|text| text.parse::<toml::Table>()) {
        None => "does not exist".to_owned(),
        Some(Err(error)) => format!("not valid: {}", error.message()),
        Some(Ok(table)) if table.contains_key(TABLE) => {
            format!("read; its `[{TABLE}]` has no effect, as it belongs into your own file")
        }
        Some(Ok(table)) => {
            let tables: Vec<String> = table.keys().map(|name| format!("`{name}`")).collect();
            format!("read: {}", tables.join(", "))
        }
    };
    files.push((path.display().to_string(), state));
    files
}

/// Returns the settings as a table, followed by the files.
fn shown(settings: &[Setting], files: &[(String, String)]) -> String {
    let value = |setting: &Setting| report::plain(&setting.value);
    let name_width = settings.iter().map(|of| of.name.len()).max().unwrap_or_default();
    let width = settings.iter().map(|of| value(of).chars().count()).max().unwrap_or_default();
    let mut out = format!("{:name_width$}  {:width$}  FROM\n", "SETTING", "VALUE");
    for setting in settings {
        let (name, from) = (setting.name, report::plain(&setting.from));
        out.push_str(&format!("{name:name_width$}  {:width$}  {from}\n", value(setting)));
    }
    out.push_str("\nfiles\n");
    for (path, state) in files {
        out.push_str(&format!("  {}: {}\n", report::plain(path), report::plain(state)));
    }
    if std::io::stdout().is_terminal() { terminal::escaped(&out) } else { out }
}
