//! `codedb serve`: serves the tools over HTTP.

use std::io::Write as _;
use std::net::SocketAddr;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::index::asked;
use super::log_sink;
use super::mcp::{options, served_place_args, server_args};
use crate::error::{Error, Result};
use crate::mcp::{self, Address};

/// The variable that the token is taken from, so that no list of processes shows it.
const TOKEN: &str = "CODEDB_TOKEN";

/// Bytes of the shortest token.
const TOKEN_BYTES_MIN: usize = 16;

pub(super) fn command() -> Command {
    Command::new("serve")
        .about("Serve the tools to agents over HTTP, over the Model Context Protocol")
        .long_about(
            "Serves the tools over HTTP (streamable HTTP of the Model Context Protocol, at \
             /mcp) to any number of clients, indexes the tree in the background and keeps watching it. \
             /healthz answers `ok`, /metrics counts calls for Prometheus. The trees are those of --root, \
             else the git work tree around the current directory. Only this machine is served, under \
             its own names, unless a token is set in CODEDB_TOKEN: then any address may be listened on, \
             and every request must bear the token (`Authorization: Bearer TOKEN`).",
        )
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS:PORT")
                .default_value("127.0.0.1:7370")
                .value_parser(clap::value_parser!(SocketAddr))
                .help("Where to listen; port 0 takes any that is free"),
        )
        .arg(
            Arg::new("allow-host")
                .long("allow-host")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("A name under which clients reach this machine, beside localhost"),
        )
        .arg(
            Arg::new("allow-index")
                .long("allow-index")
                .action(ArgAction::SetTrue)
                .help("Offer codedb_index: clients may have any folder served; needs a token"),
        )
        .args(server_args())
        .args(served_place_args())
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    log_sink::install(None);
    let asked = asked(matches);
    let mut options = options(matches, &asked)?;
    let listen = *matches.get_one::<SocketAddr>("listen").expect("it has a default");
    let hosts = matches.get_many::<String>("allow-host").into_iter().flatten();
    let mut hosts: Vec<String> = hosts.cloned().collect();
    let token = token()?;
    options.allows.index = matches.get_flag("allow-index") || options.allows.clone;
    if options.allows.index && token.is_none() {
        return Err(Error::usage("--allow-index and --allow-clone need a token")
            .with_hint(format!("set one in {TOKEN}: clients choose then what is served")));
    }
    if !listen.ip().is_loopback() {
        if token.is_none() {
            return Err(Error::usage(format!("{listen} is reached from other machines, too"))
                .with_hint(format!("set a token in {TOKEN}, or listen on 127.0.0.1")));
        }
        if !listen.ip().is_unspecified() {
            hosts.push(listen.ip().to_string());
        }
    }
    let address = Address { listen, token, hosts };
    mcp::serve_http(options, &address, |listening| {
        // Whoever started it may read where; a closed pipe is no reason not to serve.
        let _ = writeln!(std::io::stdout(), "serving at http://{listening}/mcp");
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the token that requests must bear, if one is set.
fn token() -> Result<Option<String>> {
    let Some(token) = std::env::var_os(TOKEN).filter(|token| !token.is_empty()) else {
        return Ok(None);
    };
    let is_token = |token: &String| {
        token.len() >= TOKEN_BYTES_MIN && token.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let token = token.into_string().ok().filter(is_token);
    token.map(Some).ok_or_else(|| {
        let wanted =
            format!("{TOKEN} is no token: at least {TOKEN_BYTES_MIN} visible ASCII characters");
        Error::usage(wanted).with_hint("`openssl rand -hex 32` makes one")
    })
}
