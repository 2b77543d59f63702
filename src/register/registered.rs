//! Whether settings contain the server, for the hook, which must be fast: `.claude.json` may have
//! many megabytes.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::{Format, NAME, jsonc, toml};

/// A JSON object whose values are not parsed.
type Members<'a> = BTreeMap<String, &'a RawValue>;

/// Returns true if the settings `text` contain the server: for all directories, or, as Claude Code
/// stores it, for one of the directories `dirs`. False if they cannot be parsed. O(length of the
/// text).
pub fn is_registered(text: &str, format: Format, dirs: &[&str]) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.contains(NAME) {
        return false;
    }
    let container = match format {
        Format::Toml => return toml::contains(text),
        Format::Jsonc { container, .. } => container,
    };
    let Ok(root) = serde_json::from_str::<Members<'_>>(text) else {
        return jsonc::contains(text, container);
    };
    let has_server = |members: &Members<'_>| {
        let servers = members.get(container).map(|servers| servers.get());
        let servers = servers
            .and_then(|text| serde_json::from_str::<BTreeMap<String, IgnoredAny>>(text).ok());
        servers.is_some_and(|servers| servers.contains_key(NAME))
    };
    has_server(&root) || {
        let projects = root.get("projects").and_then(|projects| {
            serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(projects.get()).ok()
        });
        let projects = projects.unwrap_or_default();
        let mut own = dirs.iter().filter_map(|dir| projects.get(*dir));
        own.any(|project| {
            let members = serde_json::from_str::<Members<'_>>(project.get());
            members.is_ok_and(|members| has_server(&members))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register::Shape;

    #[test]
    fn the_server_is_found_wherever_a_client_stores_it() {
        let json = Format::Jsonc { container: "mcpServers", shape: Shape::CommandAndArgs };
        let check = |text: &str, format, expected: bool| {
            assert_eq!(is_registered(text, format, &["/tree"]), expected, "{text}");
        };
        check(r#"{"mcpServers": {"codedb": {}}}"#, json, true);
        check("\u{feff}{\"mcpServers\": {/* x */ \"codedb\": {},},}", json, true);
        check(r#"{"mcpServers": {"other": {"command": "codedb"}}}"#, json, false);
        check(r#"{"mcpServers": ["codedb"]}"#, json, false);
        check(r#"{"servers": {"codedb": {}}}"#, json, false);
        check(r#"{"projects": {"/tree": {"mcpServers": {"codedb": {}}}}}"#, json, true);
        check(r#"{"projects": {"/other": {"mcpServers": {"codedb": {}}}}}"#, json, false);
        check(r#"{"mcpServers": {"codedb": "#, json, false);
        check("[mcp_servers.codedb]\ncommand = \"codedb\"\n", Format::Toml, true);
        check("[mcp_servers.other]\ncommand = \"codedb\"\n", Format::Toml, false);
        check("codedb = [", Format::Toml, false);
    }
}
