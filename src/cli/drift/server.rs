//! The server that the command line names: lists its tools, and reports the state of the connection.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::time::Duration;

use clap::ArgMatches;
use url::Url;

use crate::base::interrupt::Interrupt;
use crate::cli::report;
use crate::error::{Error, Result};
use crate::mcp::client::{self, Client, Endpoint, Listed};

/// A server of the command line.
pub(super) struct Server<'m> {
    /// Its name in the pin file.
    pub(super) name: &'m str,
    /// What is started or reached, for display.
    shown: String,
    endpoint: Endpoint,
    pub(super) timeout: Duration,
}

/// The state of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) enum State<'s> {
    Connecting,
    /// With the name and version of the server.
    Connected(&'s str),
    Reconnecting,
    Failed,
}

impl<'m> Server<'m> {
    /// Returns the server that the arguments name.
    ///
    /// # Errors
    ///
    /// If none is named, or the address is not valid.
    pub(super) fn of(matches: &'m ArgMatches) -> Result<Server<'m>> {
        let endpoint = endpoint(matches)?;
        let seconds = matches.get_one::<u64>("timeout").copied().unwrap_or(60);
        let shown = match &endpoint {
            Endpoint::Command { program, .. } => program.display().to_string(),
            // Without a query: it may contain a key.
            Endpoint::Url(url) => url.host_str().unwrap_or_default().to_owned(),
        };
        let name = matches.get_one::<String>("name").map_or("", String::as_str);
        let timeout = Duration::from_secs(seconds);
        Ok(Server { name, shown: report::plain(&shown), endpoint, timeout })
    }

    /// Reports a state: with a sign and the name for people, as a sentence otherwise.
    pub(super) fn report(&self, state: State<'_>) {
        let (name, shown) = (report::plain(self.name), &self.shown);
        let text = match (std::io::stderr().is_terminal(), state) {
            (_, State::Connecting) => format!("connecting to {shown}"),
            (true, State::Connected(server)) => format!("✓ connected {name}: {server}"),
            (true, State::Reconnecting) => format!("↻ reconnect {name}"),
            (true, State::Failed) => format!("✖ failed {name}"),
            (false, State::Connected(server)) => format!("connected to {shown}: {server}"),
            (false, State::Reconnecting) => format!("reconnecting to {shown}"),
            (false, State::Failed) => format!("failed to list the tools of {shown}"),
        };
        report::print_message(text);
    }

    /// Returns true if the server cannot say that its list changed.
    pub(super) fn is_polled(&self) -> bool {
        matches!(self.endpoint, Endpoint::Url(_))
    }

    /// Lists the tools of the server.
    ///
    /// # Errors
    ///
    /// Those of [`client::list_tools`].
    pub(super) fn list(&self) -> Result<Listed> {
        self.report(State::Connecting);
        let mut connected = |server: &str| self.report(State::Connected(server));
        let listed = until_signal(|interrupt| {
            client::list_tools(&self.endpoint, self.timeout, interrupt, &mut connected)
        });
        match &listed {
            Ok(listed) => report_noise(listed),
            Err(_) => self.report(State::Failed),
        }
        listed
    }

    /// Connects to the server, and lists its tools.
    ///
    /// # Errors
    ///
    /// Those of [`Client::connect`].
    pub(super) fn connect<'i>(&self, interrupt: Interrupt<'i>) -> Result<(Client<'i>, Listed)> {
        let mut connected = |server: &str| self.report(State::Connected(server));
        let (client, listed) =
            Client::connect(&self.endpoint, self.timeout, interrupt, &mut connected)?;
        report_noise(&listed);
        Ok((client, listed))
    }
}

/// Reports a line that is no message.
fn report_noise(listed: &Listed) {
    if let Some(line) = &listed.noise {
        report::print_message(format_args!(
            "warning: skipped a line before the server's first message: `{line}`"
        ));
    }
}

/// Runs `work`, which a signal cancels, so that the server is ended first.
#[cfg(unix)]
pub(super) fn until_signal<T>(work: impl FnOnce(Interrupt<'_>) -> T) -> T {
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
    work(Interrupt::new(&is_due))
}

#[cfg(not(unix))]
pub(super) fn until_signal<T>(work: impl FnOnce(Interrupt<'_>) -> T) -> T {
    work(Interrupt::NEVER)
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
