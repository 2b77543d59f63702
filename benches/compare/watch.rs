//! A child process that watches the tree (`codedb index --watch`), for the watched column.

use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::options::Options;
use super::tree::Tree;

/// The time limit for placing the watches.
const SETTLE_MAX: Duration = Duration::from_secs(20);
/// The waiting time if `codedb status` does not report it.
const SETTLE_BLIND: Duration = Duration::from_secs(4);

/// The watcher process; dropping this terminates it.
pub(crate) struct Watcher {
    child: Option<Child>,
}

impl Watcher {
    /// Starts the watcher and waits until it replies.
    pub(crate) fn start(options: &Options, tree: &Tree) -> Self {
        let Some(codedb) = options.codedb.as_ref().filter(|_| options.watch) else {
            return Self { child: None };
        };
        let child = Command::new(codedb)
            .args(["index", "--watch", "--root"])
            .arg(&tree.root)
            .arg("--index-dir")
            .arg(&tree.index_dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut watcher = Self { child: child.ok() };
        let start = Instant::now();
        while start.elapsed() < SETTLE_MAX && watcher.still_runs() {
            match reports_watcher(codedb, tree) {
                Some(true) => break,
                None if start.elapsed() > SETTLE_BLIND => break,
                _ => thread::sleep(Duration::from_millis(100)),
            }
        }
        if !watcher.still_runs() {
            eprintln!("  no watcher: `codedb index --watch` ended");
            watcher.child = None;
        }
        watcher
    }

    /// Returns true if a watcher runs.
    pub(crate) fn is_alive(&self) -> bool {
        self.child.is_some()
    }

    fn still_runs(&mut self) -> bool {
        self.child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)))
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// Returns whether a watcher replies according to `codedb status --json`; `None` if the reply has
/// no such field.
fn reports_watcher(codedb: &std::path::Path, tree: &Tree) -> Option<bool> {
    let output = Command::new(codedb)
        .args(["status", "--json", "--root"])
        .arg(&tree.root)
        .arg("--index-dir")
        .arg(&tree.index_dir)
        .output()
        .ok()?;
    let reply: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    reply.get("watching").or_else(|| reply.pointer("/freshness/watching"))?.as_bool()
}
