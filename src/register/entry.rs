//! The entry of the server, and its comparison with an existing one.

use serde_json::{Value, json};

use super::Shape;

/// The argument that starts the program as a server.
pub(super) const SERVE: &str = "mcp";

/// The result of comparing an existing entry with the one to register.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum EntryState {
    /// It starts the same program as a server; further arguments and fields are the user's.
    Same,
    /// It starts codedb as a server, from another path.
    Moved,
    /// It is another entry.
    Other,
}

/// Returns the members of the entry to register, in the order in which they are written.
pub(super) fn members(shape: Shape, command: &str) -> Vec<(&'static str, Value)> {
    match shape {
        Shape::CommandAndArgs => vec![("command", json!(command)), ("args", json!([SERVE]))],
        Shape::LocalCommand => vec![("type", json!("local")), ("command", json!([command, SERVE]))],
    }
}

/// Compares an existing entry with the one to register.
pub(super) fn compare(shape: Shape, found: &Value, command: &str) -> EntryState {
    // Global flags may precede it.
    let serves =
        |args: &Value| args.as_array().is_some_and(|args| args.iter().any(|arg| arg == SERVE));
    let (program, serves) = match shape {
        Shape::CommandAndArgs => (&found["command"], serves(&found["args"])),
        Shape::LocalCommand if found["type"] != "local" => return EntryState::Other,
        Shape::LocalCommand => (&found["command"][0], serves(&found["command"])),
    };
    match program.as_str() {
        Some(program) if serves && program == command => EntryState::Same,
        Some(program) if serves && is_codedb(program) => EntryState::Moved,
        _ => EntryState::Other,
    }
}

/// Returns true if the last component of a path, in the syntax of any system, is the name of this
/// program.
fn is_codedb(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name == super::NAME || name == "codedb.exe"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(shape: Shape, found: Value, expected: EntryState) {
        assert_eq!(compare(shape, &found, "codedb"), expected, "{found}");
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
        check(plain, json!({"command": "codedb", "args": ["mcp"]}), Same);
        check(plain, json!({"command": "codedb", "args": ["mcp", "--toolsets", "all"]}), Same);
        check(plain, json!({"command": "codedb", "args": ["mcp"], "type": "stdio"}), Same);
        check(plain, json!({"command": "/opt/codedb", "args": ["mcp"], "env": {}}), Moved);
        check(plain, json!({"command": "C:\\bin\\codedb.exe", "args": ["mcp"]}), Moved);
        check(plain, json!({"command": "codedb", "args": []}), Other);
        check(plain, json!({"command": "npx", "args": ["mcp"]}), Other);
        check(plain, json!({"url": "http://localhost"}), Other);
        check(plain, json!(null), Other);
        check(plain, json!("codedb"), Other);
        let local = Shape::LocalCommand;
        check(local, json!({"type": "local", "command": ["codedb", "mcp", "--insist"]}), Same);
        check(local, json!({"type": "local", "command": ["/opt/codedb", "mcp"]}), Moved);
        check(local, json!({"type": "remote", "command": ["codedb", "mcp"]}), Other);
        check(local, json!({"type": "local", "command": "codedb mcp"}), Other);
    }
}
