//! `codedb pick --list`: the items as lines, for scripts and other finders.

use std::io::{BufWriter, IsTerminal as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::Receiver;

use super::item::{Item, Place};
use super::ranking::Ranking;
use super::source::Message;
use super::state::Event;
use crate::cli::{report, terminal};
use crate::error::{Error, Kind, Result};

/// Prints what the threads send, `path:line:name` or only the path; with a query, what matches it, the best
/// first.
///
/// # Errors
///
/// The error that a thread sends, and if the output cannot be written.
pub(super) fn print(
    messages: &Receiver<Message>,
    query: &str,
    threads: usize,
    path: &dyn Fn(&Place) -> Vec<u8>,
) -> Result<ExitCode> {
    let mut count = 0_usize;
    let mut write_items = |items: &mut dyn Iterator<Item = &Item>| {
        write(items.map(|item| {
            count += 1;
            line(item, path(&item.place))
        }))
    };
    let is_filtered = !query.trim().is_empty();
    let mut all = Vec::new();
    let note = loop {
        match messages.recv().unwrap_or(Ok(Event::Done(None)))? {
            Event::Items(items) if is_filtered => all.extend(items),
            Event::Items(items) => write_items(&mut items.iter())?,
            Event::Restart if is_filtered => all.clear(),
            Event::Restart => {
                let what = "the index is damaged; run the command again";
                return Err(Error::new(Kind::Corrupt, what));
            }
            Event::Done(note) => break note,
            _ => {}
        }
    };
    if is_filtered {
        let mut ranking = Ranking::new(threads);
        ranking.add(&all);
        ranking.set_query(query, &all);
        let mut found = (0..ranking.len()).filter_map(|at| all.get(ranking.get(at)?));
        write_items(&mut found)?;
    }
    if let Some(note) = note {
        report::print_message(note);
    }
    Ok(ExitCode::from(u8::from(count == 0)))
}

/// Writes lines to standard output; on a terminal, what others wrote is escaped.
///
/// # Errors
///
/// If they cannot be written.
pub(super) fn write(lines: impl Iterator<Item = Vec<u8>>) -> Result<()> {
    let stdout = std::io::stdout();
    let is_terminal = stdout.is_terminal();
    let mut out = BufWriter::new(stdout.lock());
    let mut write = |line: Vec<u8>| {
        if is_terminal {
            out.write_all(terminal::escaped(&String::from_utf8_lossy(&line)).as_bytes())
        } else {
            out.write_all(&line)
        }
    };
    let mut lines = lines;
    let written = lines.try_for_each(&mut write).and_then(|()| out.flush());
    written.map_err(|error| Error::io(Path::new("standard output"), error))
}

/// Returns an item as a line.
fn line(item: &Item, path: Vec<u8>) -> Vec<u8> {
    match item.place.line {
        Some(line) => {
            [&path, format!(":{line}:").as_bytes(), item.name().as_bytes(), b"\n"].concat()
        }
        None => [&path, &b"\n"[..]].concat(),
    }
}
