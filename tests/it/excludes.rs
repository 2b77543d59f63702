//! Git's global excludes: the user changes the configuration while a server runs.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::mcp::session::Session;
use crate::support::place::{Answer, Place, settle};

const DEADLINE: Duration = Duration::from_secs(60);

/// Two files in a work tree; the excludes file, which no configuration names yet, excludes one.
fn place() -> Place {
    let place = Place::new();
    fs::create_dir(place.root().join(".git")).expect("a directory");
    for name in ["kept.txt", "excluded.txt"] {
        place.write(name, "needle\n");
    }
    fs::write(excludes(&place), "excluded.txt\n").expect("a file");
    settle();
    place
}

fn excludes(place: &Place) -> PathBuf {
    place.base().join("home/excludes")
}

/// Writes the user's configuration, in which `core.excludesFile` names the excludes file, or none.
fn configure(place: &Place, names_excludes: bool) {
    let config = place.base().join("home/.gitconfig");
    let excludes = excludes(place);
    let line = format!("[core]\n\texcludesFile = {}\n", excludes.display());
    fs::write(config, if names_excludes { &line } else { "[user]\n" }).expect("a file");
}

/// A `codedb index --watch` that is ended when it is dropped.
struct Watch(Child);

impl Watch {
    fn start(place: &Place) -> Watch {
        let mut command = place.codedb("index");
        command.args(["--watch", "--stage", "ready"]).stdout(Stdio::null()).stderr(Stdio::null());
        Watch(command.spawn().expect("codedb runs"))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the highest generation in the index of `place`.
fn generation(place: &Place) -> Option<u64> {
    let below = |dir: PathBuf| fs::read_dir(dir).into_iter().flatten().flatten();
    let dirs = below(place.cache()).flat_map(|tree| below(tree.path()));
    let names = dirs.flat_map(|dir| below(dir.path())).map(|entry| entry.file_name());
    let number = |name: String| name.strip_prefix("gen-")?.strip_suffix(".json")?.parse().ok();
    names.filter_map(|name| number(name.to_string_lossy().into_owned())).max()
}

fn wait_for(what: &str, is_done: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_done() {
        assert!(started.elapsed() < DEADLINE, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Returns true if a search that trusts the index lists both files: the newest generation was
/// walked without the excludes.
fn lists_both(place: &Place) -> bool {
    let found = place.search_in(&place.cache(), "trust", &["-l", "needle", "."]);
    found.text() == "./excluded.txt\n./kept.txt\n"
}

#[track_caller]
fn check(place: &Place) {
    let expected = place.rg(&["-l", "needle", "."]);
    for fresh in ["watch", "strict"] {
        let found = place.search_in(&place.cache(), fresh, &["-l", "needle", "."]);
        assert_eq!((found.text(), found.code), (expected.text(), expected.code), "{fresh}");
    }
}

#[test]
fn a_generation_records_the_configuration_that_it_was_walked_with() {
    let place = place();
    let _watch = Watch::start(&place);
    wait_for("the first generation", || {
        generation(&place).is_some() && place.store().join("watch.sock").exists()
    });
    check(&place);
    for round in 0..2 {
        let before = generation(&place);
        configure(&place, true);
        // The event makes the watcher refresh the index, which walks under the new rules.
        place.write(".ignore", format!("# {round}\n"));
        wait_for("a generation with the excludes", || {
            generation(&place) > before && !lists_both(&place)
        });
        check(&place);
        configure(&place, false);
        check(&place);
        // Nothing in the tree changed, so only the configuration itself can cause a refresh.
        wait_for("a generation without the excludes", || {
            check(&place);
            lists_both(&place)
        });
    }
}

#[test]
fn a_call_after_a_change_of_the_configuration_uses_the_new_rules() {
    let place = place();
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    // Waits until the index is complete.
    session.call("codedb_symbol", json!({"name": "nothing"}));
    for round in 0..6 {
        // In the later rounds the server has settled.
        thread::sleep(Duration::from_millis(150 * round));
        configure(&place, round % 2 == 0);
        let expected = place.rg(&["-l", "needle", "."]).text();
        let found = session.text("codedb_search", json!({"query": "needle"}));
        assert_eq!(
            found.contains("excluded.txt"),
            expected.contains("excluded.txt"),
            "round {round}: {found}"
        );
        assert!(found.contains("kept.txt"), "round {round}: {found}");
    }
    session.end();
}

#[test]
fn a_build_records_the_present_configuration() {
    let place = place();
    configure(&place, true);
    place.index(&[]).expect_success();
    check(&place);
    configure(&place, false);
    check(&place);
    let status = Answer::of(place.codedb("status"));
    assert_eq!(status.code, 0, "{}", status.stderr);
}
