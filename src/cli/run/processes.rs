//! A process with all processes that it started, and the guard that ends them if codedb dies.
//!
//! A guard is a process of codedb itself (`codedb run-guard PROCESS`) that waits for the end of a pipe: the
//! system closes it however codedb ends. It is in a process group of its own, so that no signal of the
//! terminal ends it.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::error::{Error, Result};

/// The name of the command. Not listed in the help.
pub(in crate::cli) const GUARD: &str = "run-guard";

/// The byte that tells a guard that the command has ended.
const DONE: u8 = b'd';

/// How long processes may clean up before the guard kills them.
const GRACE: Duration = Duration::from_secs(2);

/// The maximum number of processes that are ended.
const PROCESSES_MAX: usize = 20_000;

/// Returns a process and those that it started, directly or not, those before their children. O(processes
/// of the system).
fn tree(root: u32) -> Vec<u32> {
    let parents = parents();
    let mut found = vec![root];
    let mut at = 0;
    while at < found.len() && found.len() < PROCESSES_MAX {
        let parent = found[at];
        let children = parents.iter().filter(|(_, of)| *of == parent).map(|(child, _)| *child);
        found.extend(children.filter(|child| *child != parent));
        at += 1;
    }
    found
}

/// Returns each process with its parent.
#[cfg(target_os = "linux")]
fn parents() -> Vec<(u32, u32)> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let parent = |entry: std::fs::DirEntry| {
        let process: u32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name, in parentheses, may have any characters.
        let rest = stat.rsplit_once(')')?.1;
        Some((process, rest.split_ascii_whitespace().nth(1)?.parse().ok()?))
    };
    entries.filter_map(parent).collect()
}

/// Returns each process with its parent.
#[cfg(not(target_os = "linux"))]
fn parents() -> Vec<(u32, u32)> {
    let output = Command::new("ps").args(["-A", "-o", "pid=,ppid="]).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let parent = |line: &str| {
        let mut numbers = line.split_ascii_whitespace().map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    text.unwrap_or_default().lines().filter_map(parent).collect()
}

/// Sends a signal to a process and those that it started.
pub(super) fn signal(root: u32, signal: Signal) {
    for process in tree(root) {
        // It may have ended.
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        let _ = process.map(|process| kill_process(process, signal));
    }
}

/// Watches over a running command.
pub(super) struct Guard {
    process: Child,
    pipe: Option<ChildStdin>,
}

impl Guard {
    /// Starts a guard for the process `root`; `None` if it cannot be started.
    pub(super) fn start(root: u32) -> Option<Guard> {
        use std::os::unix::process::CommandExt as _;
        let program = std::env::current_exe().ok()?;
        let mut process = Command::new(program)
            .args([GUARD, &root.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir("/")
            .process_group(0)
            .spawn()
            .ok()?;
        let pipe = process.stdin.take();
        Some(Guard { process, pipe })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.pipe.take() {
            let _ = pipe.write_all(&[DONE]);
        }
        let _ = self.process.wait();
    }
}

/// Runs the guard of the process that `args` name.
///
/// # Errors
///
/// If they name none.
pub(in crate::cli) fn guard(args: &[OsString]) -> Result<ExitCode> {
    let root = args.first().and_then(|root| root.to_str()).and_then(|root| root.parse().ok());
    let (Some(root), 1) = (root, args.len()) else {
        return Err(Error::usage("`run-guard` is started by codedb itself"));
    };
    let mut byte = [0];
    let is_done = matches!(io::stdin().lock().read(&mut byte), Ok(1)) && byte[0] == DONE;
    if !is_done {
        // All of them are known before the first one ends: its children would get another parent.
        let all = tree(root);
        let send = |signal| {
            for &process in &all {
                let process = i32::try_from(process).ok().and_then(Pid::from_raw);
                let _ = process.map(|process| kill_process(process, signal));
            }
        };
        send(Signal::TERM);
        std::thread::sleep(GRACE);
        send(Signal::KILL);
    }
    Ok(ExitCode::SUCCESS)
}
