//! `codedb snapshot`: the structure of a whole tree as JSON, written incrementally.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::index::{place_args, tree_options};
use super::recording_code::RecordingCode;
use super::{place, report, tool, trusted};
use crate::catalog::code::Code;
use crate::engine::Engine;
use crate::error::{Error, Kind, Result};
use crate::index::code::store::CodeStore;
use crate::tools::coverage::Coverage;
use crate::tools::structure;

pub(super) fn command() -> Command {
    Command::new("snapshot")
        .about("Print the structure of the tree as JSON: files, symbols, imports")
        .long_about(
            "Prints the structure of the tree as JSON, one line per file: language, lines, marks, \
             symbols and imports.\n\nWithout an index, small trees are parsed immediately. Of large \
             trees only the files are listed, and `status` is `partial`, until the background build \
             that this command starts is complete.",
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("No effect: the output is always JSON"),
        )
        .args(tool::edge_args())
        .args(place_args())
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let engine = place::engine(&tree_options(matches))?;
    let check = tool::check(matches);
    let mut out = PipeOutput { out: BufWriter::new(std::io::stdout().lock()), is_closed: false };
    let (mut is_checked, mut is_begun) = (false, false);
    let written =
        RecordingCode::new(&engine, check).run(matches.get_flag("no-background"), |code| {
            // Output that has begun cannot be restarted, so the index is checked for damage first.
            if !std::mem::replace(&mut is_checked, true) {
                check_code_index(&engine)?;
            }
            if is_begun {
                return Err(Error::new(
                    Kind::Corrupt,
                    "the code index is damaged: the output is incomplete",
                )
                .with_hint("rebuild it with `codedb index --rebuild`"));
            }
            let catalog = code.catalog(&[])?;
            if let Some(notice) = Coverage::of(catalog).notice() {
                report::print_message(notice);
            }
            let is_trusted = trusted::warn(&engine, check);
            is_begun = true;
            structure::write(catalog, &mut TrustLabel { out: &mut out, is_due: is_trusted })?;
            let flushed = out.flush();
            flushed.map_err(|error| Error::new(Kind::Io, format!("standard output: {error}")))?;
            Ok(catalog.files().is_empty())
        });
    match written {
        // A closed pipe is not an error.
        Err(_) if out.is_closed => Ok(ExitCode::SUCCESS),
        Err(error) => Err(error),
        Ok(is_empty) => Ok(ExitCode::from(if is_empty { 1 } else { 0 })),
    }
}

/// Checks every block of the code index. O(its bytes).
fn check_code_index(engine: &Engine) -> Result<()> {
    let code = CodeStore(engine.store()).open()?;
    let mut segments = code.iter().flat_map(|code| &code.segments);
    segments.try_for_each(|segment| segment.container().check_all())
}

/// A writer that adds [`tool::TRUSTED`] after the first brace.
struct TrustLabel<W> {
    out: W,
    is_due: bool,
}

impl<W: Write> Write for TrustLabel<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.is_due && bytes.first() == Some(&b'{') {
            self.is_due = false;
            write!(self.out, "{{{}", tool::TRUSTED)?;
            return Ok(1);
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// A writer that records whether its reader has closed the pipe.
struct PipeOutput<W> {
    out: W,
    is_closed: bool,
}

impl<W: Write> PipeOutput<W> {
    fn record<T>(&mut self, result: std::io::Result<T>) -> std::io::Result<T> {
        if let Err(error) = &result {
            self.is_closed |= error.kind() == std::io::ErrorKind::BrokenPipe;
        }
        result
    }
}

impl<W: Write> Write for PipeOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let result = self.out.write(bytes);
        self.record(result)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let result = self.out.flush();
        self.record(result)
    }
}
