//! `codedb drift check --watch`: keeps a server connected and reviews each list that it has.
//!
//! A list is read again when the server says that it changed, over HTTP every [`POLL`]. A refused list ends the
//! watch. When the server ends, a line on standard input connects again.

use std::io::BufRead as _;
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::Duration;

use super::REFUSED;
use super::server::{Server, State, until_signal};
use crate::base::interrupt::Interrupt;
use crate::cli::report;
use crate::error::{Error, Kind, Result};
use crate::mcp::client::{Client, Event, Listed};

/// How often a server over HTTP is listed.
const POLL: Duration = Duration::from_secs(10);

/// How often a demand is looked for.
const TICK: Duration = Duration::from_millis(200);

/// Watches a server. `review` prints what a list changes, and returns true if the change is refused.
///
/// # Errors
///
/// Those of `review`; if the server cannot be listed, and standard input has ended.
pub(super) fn run(
    server: &Server<'_>,
    review: &mut dyn FnMut(&Listed) -> Result<bool>,
) -> Result<ExitCode> {
    let demands = demands();
    let ended = until_signal(|interrupt| watch(server, &demands, interrupt, review));
    match ended {
        // A person ends the watch.
        Err(error) if error.kind() == Kind::Cancelled => Ok(ExitCode::SUCCESS),
        other => other,
    }
}

fn watch(
    server: &Server<'_>,
    demands: &Receiver<()>,
    interrupt: Interrupt<'_>,
    review: &mut dyn FnMut(&Listed) -> Result<bool>,
) -> Result<ExitCode> {
    server.report(State::Connecting);
    loop {
        let error = match session(server, demands, interrupt, review) {
            Ok(Ended::Refused) => return Ok(ExitCode::from(REFUSED)),
            Ok(Ended::Demanded) => {
                server.report(State::Reconnecting);
                continue;
            }
            Err(error) if error.kind() == Kind::Cancelled => return Err(error),
            Err(error) => error,
        };
        server.report(State::Failed);
        report::print_error(&error);
        report::print_message("Enter connects again, Ctrl-C ends");
        if !is_demanded(demands, interrupt)? {
            return Err(error);
        }
        server.report(State::Reconnecting);
    }
}

/// Why a session ended without an error.
enum Ended {
    Refused,
    Demanded,
}

fn session(
    server: &Server<'_>,
    demands: &Receiver<()>,
    interrupt: Interrupt<'_>,
    review: &mut dyn FnMut(&Listed) -> Result<bool>,
) -> Result<Ended> {
    let (mut client, mut listed) = server.connect(interrupt)?;
    loop {
        if review(&listed)? {
            client.close();
            return Ok(Ended::Refused);
        }
        if !changed(&mut client, demands, server.is_polled())? {
            client.close();
            return Ok(Ended::Demanded);
        }
        listed = client.list()?;
    }
}

/// Waits until the list may have changed. Returns false if a person demands another connection first.
fn changed(client: &mut Client<'_>, demands: &Receiver<()>, is_polled: bool) -> Result<bool> {
    let mut waited = Duration::ZERO;
    loop {
        if demands.try_recv().is_ok() {
            return Ok(false);
        }
        let event = client.wait(TICK)?;
        waited += TICK;
        if event == Event::Changed && (!is_polled || waited >= POLL) {
            return Ok(true);
        }
    }
}

/// Waits for a demand. Returns false if there will be none.
fn is_demanded(demands: &Receiver<()>, interrupt: Interrupt<'_>) -> Result<bool> {
    loop {
        match demands.try_recv() {
            Ok(()) => return Ok(true),
            Err(TryRecvError::Disconnected) => return Ok(false),
            Err(TryRecvError::Empty) if interrupt.is_due() => {
                return Err(Error::new(Kind::Cancelled, "cancelled"));
            }
            Err(TryRecvError::Empty) => std::thread::sleep(TICK),
        }
    }
}

/// Returns a demand for each line of standard input.
fn demands() -> Receiver<()> {
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let lines = std::io::stdin().lock().lines();
        for line in lines {
            if line.is_err() || sender.send(()).is_err() {
                return;
            }
        }
    });
    receiver
}
