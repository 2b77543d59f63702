//! `codedb serve`: serves the tools over HTTP.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::index::asked;
use super::log_sink;
use super::mcp::{options, served_place_args, server_args};
use super::report;
use crate::error::{Error, Result};
use crate::mcp::{self, Address, Writes};

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
                .value_parser(host)
                .help("A name under which clients reach this machine, beside localhost; without a port"),
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
    if options.writes == Writes::Allowed && token.is_none() {
        return Err(Error::usage(
            "`--allow-edit` needs a token over HTTP: every program here could write",
        )
        .with_hint(format!("set one in {TOKEN}, or use `codedb mcp --allow-edit`")));
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
    let is_named = !hosts.is_empty();
    let address = Address { listen, token, hosts };
    mcp::serve_http(options, &address, |listening| {
        let reached = reached(listening);
        // Whoever started it may read where; a closed pipe is no reason not to serve.
        let _ = writeln!(std::io::stdout(), "serving at http://{reached}/mcp");
        if listening.ip().is_unspecified() && !is_named {
            report::print_message(
                "clients on other machines are refused until `--allow-host NAME` says under which name \
                 or address they reach this one",
            );
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Returns an address under which clients of this machine reach a server that listens at `listening`:
/// all addresses are none to connect to.
fn reached(listening: SocketAddr) -> SocketAddr {
    let ip = match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, listening.port())
}

/// Returns a host as requests are compared with it: a name or an address, of any port.
fn host(typed: &str) -> std::result::Result<String, String> {
    let bare = typed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(typed);
    if bare.parse::<IpAddr>().is_ok() {
        return Ok(bare.to_owned());
    }
    if let Some((name, port)) = typed.rsplit_once(':')
        && port.parse::<u16>().is_ok()
        && host(name).is_ok()
    {
        return Err(format!(
            "a name without a port is wanted, which stands for every port: `{name}`"
        ));
    }
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    match !typed.is_empty() && typed.chars().all(is_of_name) {
        true => Ok(typed.to_owned()),
        false => {
            Err("a name or an address of a machine is wanted, such as `build.example`".to_owned())
        }
    }
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
        let told = host("build.example:7370").expect_err("it has a port");
        assert!(told.ends_with("`build.example`"), "{told}");
    }

    #[test]
    fn the_address_that_is_told_can_be_reached() {
        for (listening, told) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("10.0.0.7:80", "10.0.0.7:80"),
        ] {
            let listening = listening.parse().expect("an address");
            assert_eq!(reached(listening).to_string(), told);
        }
    }
}
