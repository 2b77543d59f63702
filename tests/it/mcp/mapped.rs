//! Stores through a shared memory map change a file and not its metadata. A server sees the end of the
//! map, and its replies are right from then on.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::session::Session;
use crate::support::place::Place;
use crate::support::skipped;

/// Maps the file of its first argument, stores its own first byte, and waits for a line of input. Then
/// it replaces the second argument by the third one and closes the file.
const MAP: &str = r#"
import mmap, sys
path, before, after = sys.argv[1], sys.argv[2].encode(), sys.argv[3].encode()
with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
    mapped[0] = mapped[0]
    print("mapped", flush=True)
    sys.stdin.readline()
    at = mapped.find(before)
    while at >= 0:
        mapped[at:at + len(before)] = after
        at = mapped.find(before)
print("closed", flush=True)
"#;

/// Longer than a server waits for a quiet tree and then refreshes it.
const REFRESHED: Duration = Duration::from_secs(3);

const FILE: &str = "shop.py";

/// A process that maps [`FILE`].
struct Mapping {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Mapping {
    /// Maps the file, and dirties its page, so that later stores leave the metadata; `None` without Python.
    fn start(place: &Place, before: &str, after: &str) -> Option<Mapping> {
        let mut command = Command::new("python3");
        command.args(["-c", MAP]).arg(place.root().join(FILE)).args([before, after]);
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut child) = spawned else {
            skipped::report("`python3`, which makes a memory map, is not installed");
            return None;
        };
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut mapping = Mapping { child, output };
        mapping.expect("mapped");
        Some(mapping)
    }

    fn expect(&mut self, line: &str) {
        let mut read = String::new();
        self.output.read_line(&mut read).expect("the process writes text");
        assert_eq!(read.trim_end(), line);
    }

    /// Stores the other text and closes the file.
    fn store(mut self) {
        let mut input = self.child.stdin.take().expect("it is piped");
        input.write_all(b"\n").expect("the process reads");
        self.expect("closed");
        self.child.wait().expect("it ends");
    }
}

/// Returns the directories for trees: the usual one, and one in memory, whose files change through maps
/// without any trace.
fn parents() -> Vec<PathBuf> {
    let mut parents = vec![std::env::temp_dir()];
    let memory = Path::new("/dev/shm");
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let is_memory = |line: &str| {
        let mut fields = line.split(' ').skip(1);
        fields.next() == Some("/dev/shm") && fields.next() == Some("tmpfs")
    };
    if mounts.lines().any(is_memory) && tempfile::tempdir_in(memory).is_ok() {
        parents.push(memory.to_path_buf());
    } else {
        skipped::report("no file system in memory is mounted");
    }
    parents
}

fn source(name: &str) -> String {
    format!("def {name}():\n    return 1\n\n\ndef caller():\n    return {name}()\n")
}

/// Creates a complete index of a tree in `parent` with the function `name`.
fn indexed(parent: &Path, name: &str) -> Place {
    let place = Place::below(parent);
    place.write(FILE, source(name));
    place.write("other.py", "def other():\n    return 2\n");
    place.index(&["--stage", "full", "--wait", "full"]).expect_success();
    place
}

/// Asserts that every tool of `session` finds the function `is` and not `was`. The tool `first` is
/// called first.
#[track_caller]
fn assert_tools_find(session: &mut Session, first: usize, is: &str, was: &str, when: &str) {
    let arguments = |name: &str| {
        [
            ("codedb_read", json!({"path": FILE})),
            ("codedb_search", json!({"query": format!("def {name}")})),
            ("codedb_symbol", json!({"name": name})),
            ("codedb_outline", json!({"path": FILE})),
            ("codedb_word", json!({"word": name})),
        ]
    };
    let (now, before) = (arguments(is), arguments(was));
    for at in (0..now.len()).map(|at| (at + first) % now.len()) {
        let result = session.call(now[at].0, now[at].1.clone()).to_string();
        let tool = now[at].0;
        assert!(result.contains(&format!("def {is}()")), "{when}: {tool} of {is}: {result}");
        let result = session.call(before[at].0, before[at].1.clone()).to_string();
        // A reply about a name that is not there may repeat the name.
        let has_line = result.contains(&format!("{was}()"));
        assert!(!has_line, "{when}: {tool} of {was}: {result}");
    }
}

#[test]
fn replies_after_stores_through_a_map_are_right() {
    for parent in parents() {
        for first in [0, 3] {
            let place = indexed(&parent, "before_map");
            let mut server = Session::start(&place, &["--toolsets", "core,navigate", "--insist"]);
            server.initialize("2025-06-18", json!({}));
            server.wait_until_indexed();
            // Another process watches the tree for this one.
            let mut client = Session::start(&place, &["--toolsets", "core,navigate", "--insist"]);
            client.initialize("2025-06-18", json!({}));
            client.wait_until_indexed();
            let Some(mapping) = Mapping::start(&place, "before_map", "stored_map") else { return };
            thread::sleep(REFRESHED);
            for session in [&mut server, &mut client] {
                assert_tools_find(session, 0, "before_map", "stored_map", "before");
            }
            mapping.store();
            let mut check = |when: &str, of: &[usize]| {
                let sessions = [&mut server, &mut client];
                for &at in of {
                    assert_tools_find(sessions[at], first, "stored_map", "before_map", when);
                }
            };
            let at_once: &[usize] = if first == 0 { &[0] } else { &[0, 1] };
            check("at once", at_once);
            thread::sleep(REFRESHED);
            check("after the refresh", &[0, 1]);
            if first == 0 {
                place.index(&["--rebuild", "--stage", "full", "--wait", "full"]).expect_success();
                check("after a rebuild", &[0, 1]);
                thread::sleep(REFRESHED);
                check("later", &[0, 1]);
            }
            server.end();
            client.end();
        }
    }
}
