//! `codedb decisions export` and `import`: JSON Lines, or a folder with a TOML file for each record.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::{database, person};
use crate::base::text::start;
use crate::catalog::code::Code;
use crate::cli::index::print;
use crate::cli::report;
use crate::cli::tool::now_ns;
use crate::decisions::folder::{
    FILE_BYTES_MAX, FOLDER, RECORDS_MAX, file_name, from_json_line, from_toml, to_json_line,
    to_toml,
};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::source::input_file;
use crate::tools::Call;
use crate::tools::decisions::checked;
use crate::userdata::decisions::{Decision, Filter, Person, State};

/// The maximum length of a line of JSON in bytes.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// The most imported records that are reported because they do not fit to the tree.
const WARNINGS_MAX: usize = 20;

fn target(help: &'static str) -> Arg {
    Arg::new("target")
        .value_name("FILE|DIR")
        .value_parser(value_parser!(PathBuf))
        .required(true)
        .help(help)
}

pub(super) fn export_command() -> Command {
    Command::new("export")
        .about("Write decisions as JSON Lines, or as a folder of TOML files for reviews")
        .long_about(format!(
            "Writes JSON Lines to a FILE that ends with `.jsonl` or to `-`, else a TOML file for each \
             decision below DIR, such as `{FOLDER}` for teams that review decisions in pull \
             requests. Files of decisions that are no longer exported stay; rejected ones are \
             exported only with `--all`."
        ))
        .arg(target("The file or directory to write"))
        .arg(
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .help("All records; default: candidates and canonical ones"),
        )
}

pub(super) fn import_command() -> Command {
    Command::new("import")
        .about("Add decisions from an export")
        .long_about(
            "Adds the records of a file of JSON Lines, of a TOML file, or of the TOML files of a \
             directory. Records with a known id stay as they are. Imported records are candidates, \
             whatever their file says; `--keep-status` accepts what it says and needs a terminal, \
             because a file can come from anybody.",
        )
        .arg(target("The file or directory to read"))
        .arg(
            Arg::new("keep-status")
                .long("keep-status")
                .action(ArgAction::SetTrue)
                .help("Trust the files: canonical records stay canonical"),
        )
}

fn path(matches: &ArgMatches) -> &Path {
    matches.get_one::<PathBuf>("target").expect("clap requires it")
}

fn is_lines(path: &Path) -> bool {
    path.extension().is_some_and(|it| it.eq_ignore_ascii_case("jsonl"))
}

pub(super) fn export(engine: &Engine, matches: &ArgMatches) -> Result<ExitCode> {
    let open = vec![State::Candidate, State::Canonical];
    let states = if matches.get_flag("all") { Vec::new() } else { open };
    let all = database(engine)?.decisions(&Filter { states, ..Filter::default() })?;
    let target = path(matches);
    let failed = |error| Error::io(target, error);
    if target == Path::new("-") || is_lines(target) {
        let lines: String = all.iter().map(to_json_line).collect::<Result<_>>()?;
        if target == Path::new("-") {
            print(&lines)?;
            return Ok(ExitCode::SUCCESS);
        }
        std::fs::write(target, lines).map_err(failed)?;
    } else {
        std::fs::create_dir_all(target).map_err(failed)?;
        for it in &all {
            let path = target.join(file_name(it));
            // A changed pattern changes the name; the id at its end stays.
            remove_former(target, it, &path)?;
            std::fs::write(&path, to_toml(it)?).map_err(|error| Error::io(&path, error))?;
        }
    }
    report::print_message(format_args!("wrote {} decisions to {}", all.len(), target.display()));
    Ok(ExitCode::SUCCESS)
}

/// Removes the file of a record under its former name.
fn remove_former(folder: &Path, it: &Decision, present: &Path) -> Result<()> {
    let ending = format!("{}.toml", start(&it.id, 8));
    let entries = std::fs::read_dir(folder).map_err(|error| Error::io(folder, error))?;
    for entry in entries.flatten() {
        let path = entry.path();
        let is_it = entry.file_name().to_string_lossy().ends_with(&ending);
        if is_it && path != present && read_toml(&path).is_ok_and(|former| former.id == it.id) {
            std::fs::remove_file(&path).map_err(|error| Error::io(&path, error))?;
        }
    }
    Ok(())
}

fn read_toml(path: &Path) -> Result<Decision> {
    let failed = |error| Error::io(path, error);
    let is_file = path.symlink_metadata().map_err(failed)?.is_file();
    if !is_file {
        return Err(Error::usage("it is not a regular file").with_path(path));
    }
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut text = String::new();
    file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(Error::usage("it is larger than 64 KiB").with_path(path));
    }
    from_toml(&text).map_err(|error| error.with_path(path))
}

/// Reads all records; the first one that is not valid is an error, so that nothing is imported.
fn read(target: &Path) -> Result<Vec<Decision>> {
    let failed = |error| Error::io(target, error);
    let mut all = Vec::new();
    if target.is_dir() {
        let mut paths: Vec<PathBuf> = Vec::new();
        for entry in std::fs::read_dir(target).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|it| it == "toml") {
                paths.push(path);
            }
        }
        paths.sort();
        for path in paths.iter().take(RECORDS_MAX + 1) {
            all.push(read_toml(path)?);
        }
    } else if target.extension().is_some_and(|it| it == "toml") {
        all.push(read_toml(target)?);
    } else {
        let mut input: Box<dyn std::io::BufRead> = if target == Path::new("-") {
            Box::new(BufReader::new(std::io::stdin()))
        } else {
            Box::new(BufReader::new(input_file::open(target, u64::MAX)?))
        };
        let mut line = String::new();
        for number in 1.. {
            line.clear();
            let mut limited = (&mut input).take(LINE_BYTES_MAX);
            if limited.read_line(&mut line).map_err(failed)? == 0 || all.len() > RECORDS_MAX {
                break;
            }
            let it = from_json_line(&line).map_err(|error| {
                Error::usage(format!("line {number} is not a decision: {error}")).with_path(target)
            })?;
            all.push(it);
        }
    }
    if all.len() > RECORDS_MAX {
        return Err(Error::usage("it has more than 100,000 records").with_path(target));
    }
    let ids: BTreeSet<&str> = all.iter().map(|it| it.id.as_str()).collect();
    if ids.len() < all.len() {
        return Err(Error::usage("two records have the same id").with_path(target));
    }
    Ok(all)
}

/// Records that were read from an export.
pub(super) struct Import {
    /// The person, for records that keep their status.
    person: Option<Person>,
    all: Vec<Decision>,
}

impl Import {
    /// Reads the records that the arguments name.
    ///
    /// # Errors
    ///
    /// If a record is not valid, or a person is needed and there is none.
    pub(super) fn read(matches: &ArgMatches) -> Result<Import> {
        let person = matches.get_flag("keep-status").then(person).transpose()?;
        let mut all = read(path(matches))?;
        // What replaces others comes first, so that it exists when it is referred to.
        all.sort_by_key(|it| it.superseded_by.is_some());
        Ok(Import { person, all })
    }

    /// Stores the records, and reports those that do not fit to the tree: an export may be older.
    ///
    /// # Errors
    ///
    /// If the tree cannot be read or the database cannot be written.
    pub(super) fn store(&self, code: &dyn Code) -> Result<ExitCode> {
        let database = code.create_user_data()?;
        let new = database.add_decisions(self.person.as_ref(), &self.all)?;
        let known = self.all.len() - new;
        report::print_message(format_args!("imported {new} decisions, {known} were known"));
        let call = Call::new(code, now_ns());
        let (mut shown, mut misfits) = (0, 0);
        for it in &self.all {
            let Some(why) = checked::misfit(&call, &it.scope, &it.source_refs)? else { continue };
            misfits += 1;
            if shown < WARNINGS_MAX {
                shown += 1;
                let id = start(&it.id, 8);
                report::print_message(format_args!("warning: {id}: {}", report::plain(&why)));
            }
        }
        if misfits > shown {
            let more = misfits - shown;
            report::print_message(format_args!("{more} more do not fit to this tree either"));
        }
        Ok(ExitCode::SUCCESS)
    }
}
