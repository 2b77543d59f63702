//! `codedb serve`: serves the tools over HTTP.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::index::tree_options;
use super::log_sink;
use super::mcp::{served_place_args, server_args, server_options};
use super::report;
use crate::error::{Error, Result};
use crate::mcp::{self, Address, Writes};

/// The environment variable of the token. A flag would be visible in lists of processes.
const TOKEN: &str = "CODEDB_TOKEN";

/// The minimum length of a token in bytes.
const TOKEN_BYTES_MIN: usize = 16;

pub(super) fn command() -> Command {
    Command::new("serve")
        .about("Serve the tools to agents over HTTP (MCP)")
        .long_about(
            "Serves the tools with the Model Context Protocol (MCP, streamable HTTP, at /mcp) to any \
             number of clients, indexes the tree in the background and watches it for changes. \
             /healthz returns `ok`, /metrics returns counters for Prometheus. The server serves the \
             trees given by `--root`, else the git work tree that contains the current directory. It \
             accepts only clients on this machine, unless CODEDB_TOKEN sets a token: then `--listen` \
             takes any address, and every request must send the token (`Authorization: Bearer TOKEN`).",
        )
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS:PORT")
                .default_value("127.0.0.1:7370")
                .value_parser(clap::value_parser!(SocketAddr))
                .help("The address to listen on; port 0 chooses a free port"),
        )
        .arg(
            Arg::new("allow-host")
                .long("allow-host")
                .value_name("NAME")
                .action(ArgAction::Append)
                .value_parser(host)
                .help("A host name that clients use for this machine, without a port; may be repeated"),
        )
        .arg(
            Arg::new("allow-index")
                .long("allow-index")
                .action(ArgAction::SetTrue)
                .help("Offer `codedb_index`: clients may add any directory; requires a token"),
        )
        .args(server_args())
        .args(served_place_args())
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    log_sink::install(None);
    let tree = tree_options(matches);
    let mut options = server_options(matches, &tree)?;
    let listen = *matches.get_one::<SocketAddr>("listen").expect("it has a default");
    let hosts = matches.get_many::<String>("allow-host").into_iter().flatten();
    let mut hosts: Vec<String> = hosts.cloned().collect();
    let token = token()?;
    options.allows.index = matches.get_flag("allow-index") || options.allows.clone;
    if options.allows.index && token.is_none() {
        return Err(Error::usage("`--allow-index` and `--allow-clone` require a token").with_hint(
            format!("set one in {TOKEN}: clients can add directories with these flags"),
        ));
    }
    if options.writes == Writes::Allowed && token.is_none() {
        return Err(Error::usage(
            "`--allow-edit` requires a token: any program on this machine could write files",
        )
        .with_hint(format!("set one in {TOKEN}, or use `codedb mcp --allow-edit`")));
    }
    if !listen.ip().is_loopback() {
        if token.is_none() {
            return Err(Error::usage(format!(
                "{listen} can be reached from other machines, which requires a token"
            ))
            .with_hint(format!("set a token in {TOKEN}, or listen on 127.0.0.1")));
        }
        if !listen.ip().is_unspecified() {
            hosts.push(listen.ip().to_string());
        }
    }
    let is_named = !hosts.is_empty();
    let address = Address { listen, token, hosts };
    mcp::serve_http(options, &address, |listening| {
        let reached = reached(listening);
        // A closed standard output does not end the server.
        let _ = writeln!(std::io::stdout(), "serving at http://{reached}/mcp");
        if listening.ip().is_unspecified() && !is_named {
            report::print_message(
                "clients on other machines are rejected; use `--allow-host NAME` to allow the host \
                 name or address that they use",
            );
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the address at which clients on this machine connect to a server that listens at
/// `listening`: loopback if it listens on all addresses.
fn reached(listening: SocketAddr) -> SocketAddr {
    let ip = match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, listening.port())
}

/// Parses a host, with which requests are compared: a name or an address without a port.
fn host(typed: &str) -> std::result::Result<String, String> {
    let bare = typed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(typed);
    if bare.parse::<IpAddr>().is_ok() {
        return Ok(bare.to_owned());
    }
    if let Some((name, port)) = typed.rsplit_once(':')
        && port.parse::<u16>().is_ok()
        && host(name).is_ok()
    {
        return Err(format!("give a host name without a port; it applies to all ports: `{name}`"));
    }
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    if !typed.is_empty() && typed.chars().all(is_of_name) {
        Ok(typed.to_owned())
    } else {
        Err("not a host name or address; example: `build.example`".to_owned())
    }
}

/// Returns the token that requests must send, if one is set.
fn token() -> Result<Option<String>> {
    let Some(token) = std::env::var_os(TOKEN).filter(|token| !token.is_empty()) else {
        return Ok(None);
    };
    let is_token = |token: &String| {
        token.len() >= TOKEN_BYTES_MIN && token.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let token = token.into_string().ok().filter(is_token);
    token.map(Some).ok_or_else(|| {
        let message = format!(
            "{TOKEN} is invalid: a token has at least {TOKEN_BYTES_MIN} visible ASCII characters"
        );
        Error::usage(message).with_hint("generate one with `openssl rand -hex 32`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_without_ports() {
        for (typed, expected) in [
            ("build.example", Some("build.example")),
            ("10.0.0.7", Some("10.0.0.7")),
            ("::1", Some("::1")),
            ("[fe80::1]", Some("fe80::1")),
            ("build.example:7370", None),
            ("10.0.0.7:7370", None),
            ("[::1]:7370", None),
            ("http://build.example", None),
            ("build.example/mcp", None),
            ("a b", None),
            ("", None),
        ] {
            assert_eq!(host(typed).ok().as_deref(), expected, "{typed}");
        }
        let error = host("build.example:7370").expect_err("it has a port");
        assert!(error.ends_with("`build.example`"), "{error}");
    }

    #[test]
    fn the_printed_address_can_be_reached() {
        for (listening, expected) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("10.0.0.7:80", "10.0.0.7:80"),
        ] {
            let listening = listening.parse().expect("an address");
            assert_eq!(reached(listening).to_string(), expected);
        }
    }
}
