//! `codedb snapshot`: the whole structure of a tree as JSON, written as it is made.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::index::{asked, place_args};
use super::recording_code::RecordingCode;
use super::{place, report, tool};
use crate::catalog::code::Code;
use crate::engine::Engine;
use crate::error::{Error, Kind, Result};
use crate::index::code::store::CodeStore;
use crate::tools::known::Known;
use crate::tools::structure;

pub(super) fn command() -> Command {
    Command::new("snapshot")
        .about("Print the whole structure as JSON: files, symbols, imports")
        .long_about(
            "Print the whole structure as JSON: files with language, lines, marks, symbols and \
             imports, a file a line.\n\nWithout an index, small trees are read on the spot; of large \
             ones only the files are listed, and `status` says `partial`, until the builder that \
             this leaves behind is done.",
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("As without it: the answer is JSON"),
        )
        .args(tool::edge_args())
        .args(place_args())
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let engine = place::engine(&asked(matches))?;
    let check = tool::check(matches);
    let mut out = Watched { out: BufWriter::new(std::io::stdout().lock()), is_closed: false };
    let (mut is_checked, mut is_begun) = (false, false);
    let written =
        RecordingCode::new(&engine, check).ask(matches.get_flag("no-background"), |code| {
            // A document that has begun can be neither mended nor begun again, so that damage is looked
            // for before.
            if !std::mem::replace(&mut is_checked, true) {
                check_parts(&engine)?;
            }
            if is_begun {
                return Err(Error::new(
                    Kind::Corrupt,
                    "the code index is damaged: this is not all",
                )
                .with_hint("`codedb index --rebuild` builds it anew"));
            }
            let catalog = code.catalog(&[])?;
            if let Some(notice) = Known::of(catalog).notice() {
                report::print_message(notice);
            }
            let is_trusted = tool::is_trusted(&engine, check);
            is_begun = true;
            structure::write(catalog, &mut Labelled { out: &mut out, is_due: is_trusted })?;
            let flushed = out.flush();
            flushed.map_err(|error| Error::new(Kind::Io, format!("standard output: {error}")))?;
            Ok(catalog.files().is_empty())
        });
    match written {
        // A reader that went away has read enough.
        Err(_) if out.is_closed => Ok(ExitCode::SUCCESS),
        Err(error) => Err(error),
        Ok(is_empty) => Ok(ExitCode::from(if is_empty { 1 } else { 0 })),
    }
}

/// Checks every block of what the code index says of files. O(its bytes).
fn check_parts(engine: &Engine) -> Result<()> {
    let code = CodeStore(engine.store()).open()?;
    let mut segments = code.iter().flat_map(|code| &code.segments);
    segments.try_for_each(|segment| segment.container().check_all())
}

/// An output that says, behind the first brace, that nothing was checked.
struct Labelled<W> {
    out: W,
    is_due: bool,
}

impl<W: Write> Write for Labelled<W> {
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

/// An output that remembers whether its reader went away.
struct Watched<W> {
    out: W,
    is_closed: bool,
}

impl<W: Write> Watched<W> {
    fn watch<T>(&mut self, result: std::io::Result<T>) -> std::io::Result<T> {
        if let Err(error) = &result {
            self.is_closed |= error.kind() == std::io::ErrorKind::BrokenPipe;
        }
        result
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let result = self.out.write(bytes);
        self.watch(result)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let result = self.out.flush();
        self.watch(result)
    }
}
