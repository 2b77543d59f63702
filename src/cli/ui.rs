//! `codedb ui`: shows the repository in a browser, or writes pages of it as files.

mod export;

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Command as Process, ExitCode, Stdio};
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::editor;
use super::index::tree_options;
use super::log_sink;
use super::mcp::{served_place_args, server_args, server_options};
use super::report;
use crate::error::{Error, Kind, Result};
use crate::mcp::{self, Address, Allows, Writes};
use crate::ui::{self, Editor, Sessions};

/// The port unless one is given; another one is chosen if it is taken.
const PORT: u16 = 7371;

/// Flags of other servers: clients at `/mcp` send no token here, so any program on this machine could use them.
const REFUSED: [&str; 2] = ["allow-edit", "allow-clone"];

pub(super) fn command() -> Command {
    Command::new("ui")
        .about("Show the repository in a browser: search, files, context, map, history")
        .long_about(
            "Serves pages about the tree on this machine, opens them in the browser, and watches the \
             tree, so that open pages follow edits. The address contains a token that admits one \
             browser; Enter prints another one, Ctrl-C ends the server. MCP clients can use the same \
             server, at /mcp. Nothing is loaded from elsewhere.",
        )
        .arg(
            Arg::new("port")
                .long("port")
                .value_name("N")
                .value_parser(clap::value_parser!(u16))
                .help("The port; 0 chooses a free one [default: 7371, or a free one]"),
        )
        .arg(
            Arg::new("no-open")
                .long("no-open")
                .action(ArgAction::SetTrue)
                .help("Do not open a browser, only print the address"),
        )
        .arg(
            Arg::new("export")
                .long("export")
                .value_name("DIR")
                .conflicts_with_all(["port", "no-open"])
                .help("Write map, history and benchmarks into DIR as pages without a server"),
        )
        .args(server_args().map(|arg| {
            let is_refused = REFUSED.contains(&arg.get_id().as_str());
            arg.hide(is_refused)
        }))
        .args(served_place_args())
}

pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    log_sink::install(None);
    let tree = tree_options(matches);
    if let Some(directory) = matches.get_one::<String>("export") {
        return export::run(&tree, directory.as_ref());
    }
    let port = matches.get_one::<u16>("port").copied();
    let opens = !matches.get_flag("no-open");
    match serve(matches, &tree, port.unwrap_or(PORT), opens) {
        Err(error) if port.is_none() && error.kind() == Kind::Io => serve(matches, &tree, 0, opens),
        served => served,
    }
}

fn serve(
    matches: &ArgMatches,
    tree: &super::place::TreeOptions,
    port: u16,
    opens: bool,
) -> Result<ExitCode> {
    let mut options = server_options(matches, tree)?;
    if options.writes == Writes::Allowed || options.allows.clone {
        return Err(Error::usage("`codedb ui` neither edits files nor clones repositories")
            .with_hint("use `codedb mcp`, or `codedb serve` with a token"));
    }
    options.allows = Allows::default();
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let address = Address { listen, token: None, hosts: Vec::new() };
    let sessions = Arc::new(Sessions::default());
    let of_site = Arc::clone(&sessions);
    let editor = editor::command().map(|(name, has_window, command)| {
        let words = move |file: &Path, line: usize| command(file, u32::try_from(line).unwrap_or(1));
        Editor::new(name, has_window, words)
    });
    let site = move |tree| Some(ui::site(tree, of_site, editor));
    mcp::serve_site(options, &address, site, |listening| ready(listening, &sessions, opens))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the address, opens it, and prints another one at every line of standard input.
fn ready(listening: SocketAddr, sessions: &Arc<Sessions>, opens: bool) {
    let address =
        move |sessions: &Sessions| format!("http://{listening}/?token={}", sessions.link());
    let first = address(sessions);
    // A closed standard output does not end the server.
    let _ = writeln!(std::io::stdout(), "{first}");
    if opens && !open(&first) {
        report::print_message("no browser could be started: open the address yourself");
    }
    if !std::io::stdin().is_terminal() {
        return;
    }
    let _ = writeln!(std::io::stderr(), "Enter prints an address for another browser, Ctrl-C ends");
    let sessions = Arc::clone(sessions);
    std::thread::spawn(move || {
        for _ in std::io::stdin().lock().lines().map_while(std::result::Result::ok) {
            let _ = writeln!(std::io::stdout(), "{}", address(&sessions));
        }
    });
}

/// Opens an address in the browser of the user: `BROWSER`, or what the system has for it.
fn open(address: &str) -> bool {
    let browser = std::env::var_os("BROWSER").filter(|browser| !browser.is_empty());
    let mut process = match browser {
        Some(browser) => Process::new(browser),
        None if cfg!(target_os = "macos") => Process::new("open"),
        None if cfg!(windows) => {
            let mut process = Process::new("rundll32");
            process.arg("url.dll,FileProtocolHandler");
            process
        }
        None => Process::new("xdg-open"),
    };
    let process = process.arg(address).stdin(Stdio::null());
    let started = process.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    // Nobody waits for the browser; what started it ends at once.
    started.map(|mut child| std::thread::spawn(move || child.wait())).is_ok()
}
