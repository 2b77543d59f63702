//! `codedb decisions review`: one key decides about a candidate.

use std::io::Write as _;
use std::process::ExitCode;

use super::{described, now, print_safe};
use crate::base::text;
use crate::catalog::code::Code;
use crate::cli::report;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::userdata::decisions::{Edit, Filter, Person, State, Verdict};

const KEYS: &str = "[a]pprove  [r]eject  [e]dit the pattern  [s]kip  [q]uit: ";

/// Shows each candidate and decides by the keys of the person.
///
/// # Errors
///
/// If the database, the tree or the terminal cannot be read.
pub(super) fn run(code: &dyn Code, engine: &Engine, person: &Person) -> Result<ExitCode> {
    let database = super::database(engine)?;
    let filter = Filter { states: vec![State::Candidate], ..Filter::default() };
    let all = database.decisions(&filter)?;
    if all.is_empty() {
        report::print_message("there are no candidates; `codedb decisions ingest` proposes some");
        return Ok(ExitCode::from(1));
    }
    let (mut approved, mut rejected, mut skipped) = (0, 0, 0);
    for (at, it) in all.iter().enumerate() {
        let mut it = it.clone();
        loop {
            print_safe(&format!("\n— {} of {} —", at + 1, all.len()))?;
            print_safe(&described(code, &it)?)?;
            let verdict = match key()? {
                'a' => Verdict::Approve,
                'r' => Verdict::Reject,
                'e' => {
                    if let Some(pattern) = line("pattern: ")? {
                        let edit = Edit { pattern: Some(pattern), ..Edit::default() };
                        // A text that is not valid is reported, and the record stays.
                        match database.edit_decision(person, &it.id, edit, &now()) {
                            Ok(edited) => it = edited,
                            Err(error) => report::print_error(&error),
                        }
                    }
                    continue;
                }
                'q' => {
                    skipped += all.len() - at;
                    return finish(approved, rejected, skipped);
                }
                's' | ' ' => {
                    skipped += 1;
                    break;
                }
                _ => continue,
            };
            match database.decide(person, &it.id, &verdict, &now()) {
                Ok(_) if verdict == Verdict::Approve => approved += 1,
                Ok(_) => rejected += 1,
                // Another process decided in the meantime.
                Err(error) => report::print_error(&error),
            }
            break;
        }
    }
    finish(approved, rejected, skipped)
}

fn finish(approved: usize, rejected: usize, skipped: usize) -> Result<ExitCode> {
    report::print_message(format_args!(
        "approved {approved}, rejected {rejected}, left {skipped} as candidates"
    ));
    Ok(ExitCode::SUCCESS)
}

fn failed(error: std::io::Error) -> Error {
    Error::io(std::path::Path::new("the terminal"), error)
}

/// Asks for a line; `None` if it is empty.
fn line(prompt: &str) -> Result<Option<String>> {
    let mut out = std::io::stderr().lock();
    write!(out, "{prompt}").and_then(|()| out.flush()).map_err(failed)?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).map_err(failed)?;
    let line = text::plain(line.trim());
    Ok(Some(line).filter(|line| !line.is_empty()))
}

/// Asks for a key. The end of input and Ctrl-C count as `q`.
fn key() -> Result<char> {
    let mut out = std::io::stderr().lock();
    write!(out, "{KEYS}").and_then(|()| out.flush()).map_err(failed)?;
    let key = read_key().map_err(failed)?;
    writeln!(out, "{key}").map_err(failed)?;
    Ok(key)
}

#[cfg(unix)]
fn read_key() -> std::io::Result<char> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

    /// Restores the modes of the terminal when it is dropped.
    struct Restore(rustix::termios::Termios);
    impl Drop for Restore {
        fn drop(&mut self) {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.0);
        }
    }

    let before = tcgetattr(std::io::stdin())?;
    let mut modes = before.clone();
    // Ctrl-C arrives as a character, so that the modes are restored in any case.
    modes.local_modes -= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
    tcsetattr(std::io::stdin(), OptionalActions::Now, &modes)?;
    let restore = Restore(before);
    let mut byte = [0];
    let read = rustix::io::retry_on_intr(|| rustix::io::read(std::io::stdin(), &mut byte))?;
    drop(restore);
    Ok(match (read, byte[0]) {
        (0, _) | (_, 3 | 4) => 'q',
        (_, byte) => char::from(byte).to_ascii_lowercase(),
    })
}

#[cfg(not(unix))]
fn read_key() -> std::io::Result<char> {
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line)?;
    Ok(line.trim().chars().next().filter(|_| read > 0).unwrap_or('q').to_ascii_lowercase())
}
