//! `codedb check import-incidents`: reads incidents from an export of an issue tracker.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use serde::Deserialize;

use crate::base::time;
use crate::cli::index::{print, tree_options};
use crate::cli::place;
use crate::cli::tool::now_ns;
use crate::error::{Error, Result};
use crate::source::input_file;
use crate::userdata::incidents::Incident;

/// The maximum size of an export in bytes.
const BYTES_MAX: u64 = 64 << 20;

pub(super) fn command() -> Command {
    Command::new("import-incidents")
        .about("Import incidents from an export of an issue tracker")
        .long_about(
            "Imports incidents from JSON (an array of objects) or CSV (with a header line). Fields: \
             `id`, `date` (2026-01-31), `title`, and optionally `severity`, `files` (repository \
             paths, in CSV separated by `;`) and `commit`. An incident with a known id replaces the \
             stored one. They are stored in the user's data, never in the tree.",
        )
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The file to read: `.json` or `.csv`"),
        )
}

/// An incident as an export has it.
#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    date: String,
    title: String,
    #[serde(default)]
    severity: Option<String>,
    #[serde(default)]
    files: Files,
    #[serde(default)]
    commit: Option<String>,
}

/// Paths: a list in JSON, text in CSV.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Files {
    List(Vec<String>),
    Text(String),
}

impl Default for Files {
    fn default() -> Files {
        Files::List(Vec::new())
    }
}

/// Runs the command.
///
/// # Errors
///
/// If the file cannot be read or has another format; nothing is imported then.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let file = matches.get_one::<PathBuf>("file").expect("clap requires it");
    let text = input_file::read_text(file, BYTES_MAX)?;
    let is_csv = file.extension().is_some_and(|it| it.eq_ignore_ascii_case("csv"));
    let incidents = parse(&text, is_csv).map_err(|error| error.with_path(file))?;
    let engine = place::engine(&tree_options(matches))?;
    let new = engine.create_user_data()?.add_incidents(&incidents)?;
    let known = incidents.len() - new;
    let without: usize = incidents.iter().filter(|it| it.files.is_empty()).count();
    print(&format!(
        "imported {new} new and {known} known incidents; {without} name no file and count for none\n"
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn parse(text: &str, is_csv: bool) -> Result<Vec<Incident>> {
    let invalid = |what: String| {
        Error::usage(format!("invalid incidents: {what}"))
            .with_hint("`codedb check import-incidents --help` lists the fields")
    };
    let rows: Vec<Row> = if is_csv {
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        reader
            .deserialize()
            .collect::<std::result::Result<_, _>>()
            .map_err(|error| invalid(error.to_string()))?
    } else {
        serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?
    };
    rows.into_iter()
        .map(|row| {
            let at_ns = time::parse(&row.date, now_ns());
            let at_ns = at_ns.ok_or_else(|| {
                let date = crate::base::text::plain(&row.date);
                invalid(format!("`{date}` is not a date such as 2026-01-31"))
            })?;
            let files = match row.files {
                Files::List(files) => files,
                Files::Text(text) => text.split(';').map(str::to_owned).collect(),
            };
            let clean = |path: &String| path.trim().trim_start_matches("./").to_owned();
            let files: Vec<String> =
                files.iter().map(clean).filter(|path| !path.is_empty()).collect();
            let filled = |value: Option<String>| value.filter(|value| !value.trim().is_empty());
            let (severity, commit) = (filled(row.severity), filled(row.commit));
            let (id, title) = (row.id, row.title);
            Ok(Incident { id, at_ms: at_ns / 1_000_000, title, severity, files, commit })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_give_the_same_incidents() {
        let json = r#"[{"id": "7", "date": "2026-01-31", "title": "Down, \"again\"",
            "severity": "high", "files": ["./a.rs", "b/c.rs"]}]"#;
        let csv = "id,date,title,severity,files,commit\n7,2026-01-31,\"Down, \"\"again\"\"\",high,a.rs;b/c.rs,\n";
        let parsed = parse(json, false).expect("it is valid");
        assert_eq!(parsed, parse(csv, true).expect("it is valid"));
        assert_eq!((parsed[0].files.len(), parsed[0].commit.as_ref()), (2, None));
        for (text, is_csv) in [("{}", false), ("[{\"id\": 1}]", false), ("id\n1\n", true)] {
            assert!(parse(text, is_csv).is_err(), "{text}");
        }
        let error = parse(&json.replace("2026-01-31", "soon"), false).expect_err("not a date");
        assert!(error.to_string().contains("`soon`"), "{error}");
    }
}
