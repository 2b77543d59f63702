//! While another process swaps files and directories of the tree for symbolic links, no reply has a
//! byte of a file outside of it.
//!
//! Each tool is called 25 times; `CODEDB_LONG=1` calls it 100,000 times.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};

use crate::mcp::session::Session;
use crate::support::place::{Place, long, settle};

/// The word that only files outside of the tree contain.
const OUTSIDE: &str = "OUTSIDE";

/// Returns a file of the tree, or with [`OUTSIDE`] its counterpart of the same length.
fn text(mark: &str) -> String {
    format!("/// Returns {mark}.\npub fn shared_word() -> &'static str {{\n    \"{mark}\"\n}}\n")
}

/// Ends the race when it is dropped.
#[derive(Default)]
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Swaps a directory and a file of the tree for links to their counterparts until `stop` is set.
fn swap(root: &Path, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        for (name, link) in [("d", ".dir-link"), ("f.rs", ".file-link")] {
            exchange(&root.join(name), &root.join(link)).expect("swaps");
        }
    }
}

/// Exchanges two entries in one step.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// Exchanges two entries; each is absent for a moment.
#[cfg(not(target_os = "linux"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    let aside = one.with_extension("aside");
    fs::rename(one, &aside)?;
    fs::rename(other, one)?;
    fs::rename(aside, other)
}

#[test]
#[expect(clippy::print_stderr, reason = "a long run reports its progress")]
fn swapped_links_lead_no_tool_outside() {
    let place = Place::new();
    let outside = place.base().join("outside");
    fs::create_dir(&outside).expect("a directory");
    for name in ["a.rs", "b.rs"] {
        place.write(format!("d/{name}"), text("-inside"));
        fs::write(outside.join(name), text(OUTSIDE)).expect("a file");
    }
    place.write("f.rs", text("-inside"));
    symlink(&outside, place.root().join(".dir-link")).expect("a link");
    symlink(outside.join("a.rs"), place.root().join(".file-link")).expect("a link");
    // A path that always contains a link.
    symlink("d", place.root().join("s")).expect("a link");
    settle();
    place.index(&["-q", "--stage", "full"]).expect_success();
    let calls: &[(&str, Value)] = &[
        ("codedb_read", json!({"path": "d/a.rs"})),
        ("codedb_read", json!({"path": "f.rs"})),
        ("codedb_read", json!({"path": "s/a.rs"})),
        ("codedb_outline", json!({"path": "d/a.rs"})),
        ("codedb_search", json!({"query": "shared_word", "context_lines": 3})),
        ("codedb_symbol", json!({"name": "shared_word", "body": true})),
        (
            "codedb_query",
            json!({"pipeline": [
            {"op": "search", "query": "shared_word"}, {"op": "read"}]}),
        ),
        (
            "codedb_bundle",
            json!({"ops": [
            {"tool": "codedb_read", "arguments": {"path": "d/b.rs"}},
            {"tool": "codedb_symbol", "arguments": {"name": "shared_word", "body": true}}]}),
        ),
        ("codedb_context", json!({"task": "what does shared_word return", "detail": "full"})),
    ];
    let rounds = if long() { 100_000 } else { 25 };
    let mut session = Session::start(&place, &["--toolsets", "core,navigate"]);
    session.initialize("2025-11-25", json!({}));
    let stop = Stop::default();
    let leaks = thread::scope(|scope| {
        let root = place.root();
        let is_set = Arc::clone(&stop.0);
        scope.spawn(move || swap(&root, &is_set));
        // A call that fails ends the race, too.
        let stop = stop;
        let mut leaks: Vec<(&str, u32, u32)> = Vec::new();
        for (tool, arguments) in calls {
            let (mut shown, mut leaked) = (0, 0);
            for _ in 0..rounds {
                let reply = session.call(tool, arguments.clone()).to_string();
                shown += u32::from(reply.contains("-inside"));
                leaked += u32::from(reply.contains(OUTSIDE));
            }
            // A long run shows how far it came, and ends with the first tool that leaks.
            if long() {
                eprintln!("{tool}: {rounds} calls, {shown} showed the file, {leaked} leaked");
                assert_eq!(leaked, 0, "{tool}");
            }
            leaks.push((tool, leaked, shown));
        }
        drop(stop);
        leaks
    });
    session.end();
    assert!(leaks.iter().all(|(_, leaked, _)| *leaked == 0), "(tool, leaked, shown): {leaks:?}");
    // The race is real only if the files were there in part of the calls.
    assert!(leaks.iter().any(|(_, _, shown)| *shown > 0), "(tool, leaked, shown): {leaks:?}");
}
