//! The entry of the server, and its comparison with an existing one.

use std::ops::Range;

use serde_json::{Value, json};

use super::Shape;
use super::launch::{self, Launch};

/// The argument that starts the program as a server.
pub(super) const SERVE: &str = "mcp";

/// The result of comparing an existing entry with the one to register.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum EntryState {
    /// It starts the same program as a server; further arguments and fields are the user's.
    Same,
    /// It starts codedb as a server in another way: from another path, or by a launcher.
    Moved {
        /// How many of its words start codedb; the others are the user's.
        words: usize,
    },
    /// It is another entry.
    Other,
}

/// Returns the members of the entry to register, in the order in which they are written.
pub(super) fn members(shape: Shape, launch: &Launch) -> Vec<(&'static str, Value)> {
    let words: Vec<&str> = launch.iter().chain([SERVE]).collect();
    match shape {
        Shape::CommandAndArgs => vec![("command", json!(words[0])), ("args", json!(words[1..]))],
        Shape::LocalCommand => vec![("type", json!("local")), ("command", json!(words))],
    }
}

/// Compares an existing entry with the one to register.
pub(super) fn compare(shape: Shape, found: &Value, launch: &Launch) -> EntryState {
    let Some(words) = words(shape, found) else { return EntryState::Other };
    // Global flags may precede it.
    let serves = |from: usize| words[from..].contains(&SERVE);
    let is_same =
        words.len() > launch.len() && launch.iter().eq(words[..launch.len()].iter().copied());
    if is_same && serves(launch.len()) {
        return EntryState::Same;
    }
    match launch::recognized(&words) {
        Some(count) if serves(count) => EntryState::Moved { words: count },
        _ => EntryState::Other,
    }
}

/// Returns the command that an existing entry contains if nothing follows its `mcp`, as in an entry
/// that was not changed since it was registered.
pub(super) fn launch(shape: Shape, found: &Value) -> Option<Launch> {
    let words = words(shape, found)?;
    let (last, words) = words.split_last()?;
    (*last == SERVE && !words.is_empty()).then(|| Launch::words(words))
}

/// Returns an argument; one that is no text counts as an empty one.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the program and the arguments of an entry; `None` if it starts no program.
fn words(shape: Shape, found: &Value) -> Option<Vec<&str>> {
    match shape {
        Shape::CommandAndArgs => {
            let program = found["command"].as_str()?;
            let args = found["args"].as_array()?;
            Some(std::iter::once(program).chain(args.iter().map(text)).collect())
        }
        Shape::LocalCommand if found["type"] != "local" => None,
        Shape::LocalCommand => {
            let words: Vec<&str> = found["command"].as_array()?.iter().map(text).collect();
            (!words.is_empty()).then_some(words)
        }
    }
}

/// Returns the edit of a list of words, whose elements are at the ranges `elements`, that replaces
/// the first `old` of them by `new`; `None` if that changes nothing. Another element follows them.
pub(super) fn replaced(
    elements: &[Range<usize>],
    old: usize,
    new: &[String],
) -> Option<(Range<usize>, String)> {
    let texts: Vec<String> =
        new.iter().map(|word| Value::from(word.as_str()).to_string()).collect();
    let text = texts.join(", ");
    let next = elements.get(old)?.start;
    match (old.checked_sub(1).map(|last| &elements[last]), text.is_empty()) {
        (None, true) => None,
        (None, false) => Some((next..next, text + ", ")),
        (Some(_), true) => Some((elements[0].start..next, text)),
        (Some(last), false) => Some((elements[0].start..last.end, text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(shape: Shape, found: Value, expected: EntryState) {
        assert_eq!(compare(shape, &found, &Launch::program("codedb")), expected, "{found}");
    }

    #[test]
    fn only_another_program_counts_as_different() {
        use EntryState::{Moved, Other, Same};
        check(
            Shape::CommandAndArgs,
            json!({"command": "codedb", "args": ["--index-dir", "/x", "mcp", "--root", "/y"]}),
            Same,
        );
        let plain = Shape::CommandAndArgs;
        let moved = Moved { words: 1 };
        check(plain, json!({"command": "codedb", "args": ["mcp"]}), Same);
        check(plain, json!({"command": "codedb", "args": ["mcp", "--toolsets", "all"]}), Same);
        check(plain, json!({"command": "codedb", "args": ["mcp"], "type": "stdio"}), Same);
        check(plain, json!({"command": "/opt/codedb", "args": ["mcp"], "env": {}}), moved);
        check(plain, json!({"command": "C:\\bin\\codedb.exe", "args": ["mcp"]}), moved);
        check(plain, json!({"command": "codedb", "args": []}), Other);
        check(plain, json!({"command": "npx", "args": ["mcp"]}), Other);
        check(plain, json!({"url": "http://localhost"}), Other);
        check(plain, json!(null), Other);
        check(plain, json!("codedb"), Other);
        let npx = ["-y", "codedb@latest", "mcp", "--toolsets", "all"];
        check(plain, json!({"command": "npx", "args": npx}), Moved { words: 3 });
        check(plain, json!({"command": "npx", "args": ["-y", "codedb@latest"]}), Other);
        let local = Shape::LocalCommand;
        check(local, json!({"type": "local", "command": ["codedb", "mcp", "--insist"]}), Same);
        check(local, json!({"type": "local", "command": ["/opt/codedb", "mcp"]}), moved);
        let uvx = ["uvx", "codedb-cli@latest", "mcp"];
        check(local, json!({"type": "local", "command": uvx}), Moved { words: 2 });
        check(local, json!({"type": "remote", "command": ["codedb", "mcp"]}), Other);
        check(local, json!({"type": "local", "command": "codedb mcp"}), Other);
        check(local, json!({"type": "local", "command": []}), Other);
    }

    #[test]
    fn a_launcher_is_the_same_only_with_the_same_package() {
        let launch = Launch::words(&["npx", "-y", "codedb@latest"]);
        let state = |args: &[&str]| {
            let found = json!({"command": "npx", "args": args});
            compare(Shape::CommandAndArgs, &found, &launch)
        };
        assert_eq!(state(&["-y", "codedb@latest", "mcp", "--insist"]), EntryState::Same);
        assert_eq!(state(&["-y", "codedb@0.1.0", "mcp"]), EntryState::Moved { words: 3 });
        assert_eq!(state(&["-y", "other@latest", "mcp"]), EntryState::Other);
        let path = json!({"command": "/old/codedb", "args": ["mcp"]});
        let moved = EntryState::Moved { words: 1 };
        assert_eq!(compare(Shape::CommandAndArgs, &path, &launch), moved);
        let program = Launch::program("/opt/wrapper");
        let found = json!({"command": "/opt/wrapper", "args": ["mcp"]});
        assert_eq!(compare(Shape::CommandAndArgs, &found, &program), EntryState::Same);
    }
}
