//! Lists the tools of the server that the command line names, and reports the state of the
//! connection.

use std::ffi::OsString;
use std::time::Duration;

use clap::ArgMatches;
use url::Url;

use crate::base::interrupt::Interrupt;
use crate::cli::report;
use crate::error::{Error, Result};
use crate::mcp::client::{self, Endpoint, Listed};

/// Lists the tools of the server.
///
/// # Errors
///
/// If none is named, and those of [`client::list_tools`].
pub(super) fn list(matches: &ArgMatches) -> Result<Listed> {
    let endpoint = endpoint(matches)?;
    let seconds = matches.get_one::<u64>("timeout").copied().unwrap_or(60);
    let shown = match &endpoint {
        Endpoint::Command { program, .. } => program.display().to_string(),
        // Without a query: it may contain a key.
        Endpoint::Url(url) => url.host_str().unwrap_or_default().to_owned(),
    };
    let shown = report::plain(&shown);
    report::print_message(format_args!("connecting to {shown}"));
    let mut connected =
        |server: &str| report::print_message(format_args!("connected to {shown}: {server}"));
    let listed = listed(&endpoint, Duration::from_secs(seconds), &mut connected);
    if listed.is_err() {
        report::print_message(format_args!("failed to list the tools of {shown}"));
    }
    listed
}

/// Lists the tools; a signal cancels this, so that the server is ended first.
#[cfg(unix)]
fn listed(
    endpoint: &Endpoint,
    timeout: Duration,
    connected: &mut dyn FnMut(&str),
) -> Result<Listed> {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag;

    let is_cancelled = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // The second signal ends the process at once.
        let registered = flag::register_conditional_default(signal, Arc::clone(&is_cancelled))
            .and_then(|_| flag::register(signal, Arc::clone(&is_cancelled)));
        // Without the handler, a signal ends the process and the server's input.
        drop(registered);
    }
    let is_due = || is_cancelled.load(Ordering::Relaxed);
    client::list_tools(endpoint, timeout, Interrupt::new(&is_due), connected)
}

#[cfg(not(unix))]
fn listed(
    endpoint: &Endpoint,
    timeout: Duration,
    connected: &mut dyn FnMut(&str),
) -> Result<Listed> {
    client::list_tools(endpoint, timeout, Interrupt::NEVER, connected)
}

fn endpoint(matches: &ArgMatches) -> Result<Endpoint> {
    let mut words = matches.get_many::<OsString>("command").into_iter().flatten().cloned();
    if let Some(program) = words.next() {
        return Ok(Endpoint::Command { program, args: words.collect() });
    }
    let Some(text) = matches.get_one::<String>("url") else {
        return Err(Error::usage("no server is named")
            .with_hint("give its address, or its command after `--`"));
    };
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
            Ok(Endpoint::Url(url))
        }
        _ => Err(Error::usage(format!("not an http or https address: `{}`", report::plain(text)))
            .with_hint("the command of a server follows `--`")),
    }
}
