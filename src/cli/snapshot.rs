//! `codedb snapshot`: the whole structure of a tree as JSON, written as it is made.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::index::{asked, place_args};
use super::{place, report, tool};
use crate::engine::Local;
use crate::error::{Error, Kind, Result};
use crate::tools::call::Code;
use crate::tools::known::Known;
use crate::tools::structure;

pub(super) fn command() -> Command {
    Command::new("snapshot")
        .about("Print the whole structure as JSON: files, symbols, imports")
        .long_about(
            "Print the whole structure as JSON: files with language, lines, marks, symbols and \
             imports, a file a line.\n\nWithout an index, small trees are read on the spot; of large \
             ones only the files are listed, and `status` says `partial`.",
        )
        .arg(
            Arg::new("json")
                .long("json")
                .action(ArgAction::SetTrue)
                .help("As without it: the answer is JSON"),
        )
        .arg(tool::fresh_arg())
        .args(place_args())
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let engine = place::engine(&asked(matches))?;
    let code = Local::new(&engine, tool::check(matches));
    let catalog = code.catalog(&[])?;
    if let Some(notice) = Known::of(catalog).notice() {
        report::print_message(notice);
    }
    let mut out = Watched { out: BufWriter::new(std::io::stdout().lock()), is_closed: false };
    let written = structure::write(catalog, &mut out).and_then(|()| {
        out.flush().map_err(|error| Error::new(Kind::Io, format!("standard output: {error}")))
    });
    match written {
        // A reader that went away has read enough.
        Err(_) if out.is_closed => Ok(ExitCode::SUCCESS),
        Err(error) => Err(error),
        Ok(()) => Ok(ExitCode::from(if catalog.files().is_empty() { 1 } else { 0 })),
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
