//! Tests that need a program which is not installed: each is reported by name, once.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::Mutex;

/// The variable that names a file to which skipped tests are appended, one line each; `.ci/run` sets it and
/// lists them at its end.
const LIST: &str = "CODEDB_SKIPPED_TESTS";

/// Reports that the running test is skipped, or a part of it, because `reason`. libtest captures what the
/// macros print, but not what is written to standard error directly.
pub(crate) fn report(reason: &str) {
    static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let thread = std::thread::current();
    let line = format!("skipped: {}: {reason}\n", thread.name().unwrap_or("a test"));
    if !REPORTED.lock().expect("no test panics in here").insert(line.clone()) {
        return;
    }
    std::io::stderr().lock().write_all(line.as_bytes()).expect("standard error is open");
    if let Some(path) = std::env::var_os(LIST) {
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the list is writable");
    }
}
