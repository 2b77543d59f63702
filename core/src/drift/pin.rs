//! The file of pinned tool lists: for each server, the definitions that somebody accepted, with their
//! digests.
//!
//! The text is stable: servers are sorted by name, definitions have their canonical form, and nothing
//! depends on the time, so that a change of the file is a change of a list.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::suspicious::hidden::escaped;
use super::{canonical, list};
use crate::error::{Error, Result};

/// The version of the format.
const VERSION: u32 = 1;

/// The pinned lists of a file.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    version: u32,
    servers: BTreeMap<String, Pin>,
}

/// A pinned list.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The name that the server gave itself.
    pub server: String,
    /// The version of the server.
    pub version: String,
    tools: Vec<PinnedTool>,
}

/// A pinned definition.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct PinnedTool {
    /// The SHA-256 of the canonical form of the whole definition, in hexadecimal digits.
    sha256: String,
    definition: Value,
}

impl Default for Pins {
    fn default() -> Pins {
        Pins { version: VERSION, servers: BTreeMap::new() }
    }
}

impl Pins {
    /// Parses the text of a file; an empty text has no pins.
    ///
    /// # Errors
    ///
    /// If it is not such a file, is of another version, contains what is not a definition, or contains
    /// a definition that does not match its digest.
    pub fn parse(text: &str) -> Result<Pins> {
        if text.trim().is_empty() {
            return Ok(Pins::default());
        }
        let pins: Pins = serde_json::from_str(text).map_err(|error| {
            Error::usage(format!("not a file of pinned tools: {error}"))
                .with_hint("`codedb drift pin` writes it")
        })?;
        if pins.version != VERSION {
            let message = format!("version {} of the pin file, not {VERSION}", pins.version);
            return Err(Error::usage(message).with_hint("another version of codedb wrote it"));
        }
        for (name, pin) in &pins.servers {
            for (at, tool) in pin.tools.iter().enumerate() {
                list::check(at, &tool.definition)?;
                if digest(&tool.definition) != tool.sha256 {
                    return Err(Error::usage(format!(
                        "the pinned definition of `{}` of `{}` does not match its digest",
                        escaped(list::name_of(&tool.definition)),
                        escaped(name)
                    ))
                    .with_hint("the file was edited; restore it, or pin the server again"));
                }
            }
        }
        Ok(pins)
    }

    /// Returns the pinned list of a server.
    pub fn get(&self, name: &str) -> Option<&Pin> {
        self.servers.get(name)
    }

    /// Returns the names of the pinned servers, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    /// Adds or replaces the pinned list of a server.
    pub fn set(&mut self, name: &str, server: &str, version: &str, tools: &[Value]) {
        let pinned = tools.iter().map(|tool| PinnedTool {
            sha256: digest(tool),
            definition: serde_json::from_str(&canonical::of_definition(tool))
                .expect("the canonical form is JSON"),
        });
        let pin =
            Pin { server: server.to_owned(), version: version.to_owned(), tools: pinned.collect() };
        self.servers.insert(name.to_owned(), pin);
    }

    /// Returns the text of the file: indented JSON with a final line feed.
    pub fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).expect("it is JSON") + "\n"
    }
}

impl Pin {
    /// Returns the definitions, in order.
    pub fn tools(&self) -> Vec<Value> {
        self.tools.iter().map(|tool| tool.definition.clone()).collect()
    }
}

/// Returns the SHA-256 of the canonical form of a whole definition, in hexadecimal digits.
pub fn digest(tool: &Value) -> String {
    let bytes = Sha256::digest(canonical::of_definition(tool));
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pins() -> Pins {
        let mut pins = Pins::default();
        let tool = json!({"name": "a", "inputSchema": {"required": ["y", "x"], "maximum": 1e-7}});
        pins.set("files", "server-files", "1.0", &[tool, json!({"name": "b", "_meta": {"x": 1}})]);
        pins
    }

    #[test]
    fn pins_survive_a_file() {
        let pins = pins();
        let again = Pins::parse(&pins.to_text()).expect("a pin file");
        assert_eq!(again, pins);
        assert_eq!(again.to_text(), pins.to_text());
        assert_eq!(again.names().collect::<Vec<_>>(), ["files"]);
        assert_eq!(Pins::parse(" \n").expect("an empty file"), Pins::default());
    }

    #[test]
    fn equal_definitions_have_equal_digests() {
        let of = |json: &str| digest(&serde_json::from_str(json).expect("JSON"));
        let reference = of(r#"{"name":"a","inputSchema":{"required":["x","y"],"minimum":1}}"#);
        assert_eq!(
            of(r#"{"inputSchema":{"minimum":1.0,"required":["y","x"]},"name":"a"}"#),
            reference
        );
        assert_ne!(
            of(r#"{"inputSchema":{"minimum":2,"required":["y","x"]},"name":"a"}"#),
            reference
        );
        // `printf '{"name":"a"}' | sha256sum`
        assert_eq!(
            of(r#"{"name": "a"}"#),
            "d9d719b27480b55cd4918020e7473e716ed3569c8adafe926cf9b10b4f8ef064"
        );
    }

    #[test]
    fn damaged_files_are_refused() {
        let check = |text: &str, message: &str| {
            let error = Pins::parse(text).expect_err(text).to_string();
            assert!(error.contains(message), "{error}");
        };
        let text = pins().to_text();
        check(&text.replace("\"maximum\": 1e-7", "\"maximum\": 2e-7"), "does not match its digest");
        check(&text.replace("\"version\": 1,", "\"version\": 2,"), "version 2 of the pin file");
        check(&text.replace("\"name\": \"a\"", "\"x\": 1"), "has no `name`");
        check(&text[..text.len() / 2], "not a file of pinned tools");
        check("[]", "not a file of pinned tools");
    }
}
