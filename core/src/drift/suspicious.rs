//! Text in tool definitions that a person should read before a model does: characters that are not
//! displayed ([`hidden`]), and sentences that instruct the model ([`instructions`]).
//!
//! A finding is a reason to look, not a verdict: a harmless description may contain one, and a
//! malicious one none. Letters that only look alike, other languages than English and encoded
//! instructions are not recognized.

pub mod hidden;
pub mod instructions;

use serde::Serialize;
use serde_json::Value;

use super::list::name_of;
use super::pointer::{push_index, push_name, shortened};

/// The maximum number of findings that are listed for one tool.
const FINDINGS_MAX: usize = 50;

/// A suspicious part of a definition.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Finding {
    /// The name of the tool.
    pub tool: String,
    /// The index of the tool.
    pub index: usize,
    /// The place in the definition, as a JSON pointer; ` (name)` follows if it is in the name of that
    /// member instead of its value.
    pub field: String,
    /// The offset of the first byte in the text, in UTF-8.
    pub byte: usize,
    /// The kind.
    pub kind: &'static str,
    /// What was found, with characters escaped that are not displayed.
    pub text: String,
}

/// The findings of a list.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Findings {
    /// At most 50 of each tool, by tool, field and offset.
    pub findings: Vec<Finding>,
    /// The number of all findings.
    pub total: usize,
}

/// A suspicious part of one text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Part {
    /// The offset of the first byte.
    pub byte: usize,
    /// The kind.
    pub kind: &'static str,
    /// What was found, for display.
    pub text: String,
}

/// Returns the suspicious parts of all texts and member names of the definitions. O(t) for t bytes of
/// text.
pub fn scan(tools: &[Value]) -> Findings {
    let mut all = Findings::default();
    for (index, tool) in tools.iter().enumerate() {
        let mut found = Vec::new();
        walk(tool, &mut String::new(), &mut |field, parts| {
            all.total += parts.len();
            let left = FINDINGS_MAX - found.len();
            found.extend(parts.into_iter().take(left).map(|part| Finding {
                tool: name_of(tool).to_owned(),
                index,
                field: shortened(field),
                byte: part.byte,
                kind: part.kind,
                text: part.text,
            }));
        });
        all.findings.append(&mut found);
    }
    all
}

/// Calls `put` with the pointer and the suspicious parts of each text in a value, in the order of
/// their pointers.
fn walk(value: &Value, pointer: &mut String, put: &mut impl FnMut(&str, Vec<Part>)) {
    let length = pointer.len();
    match value {
        Value::String(text) => put(pointer, parts(text)),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                push_index(pointer, at);
                walk(item, pointer, put);
                pointer.truncate(length);
            }
        }
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            for (name, value) in members {
                push_name(pointer, name);
                put(&format!("{pointer} (name)"), parts(name));
                walk(value, pointer, put);
                pointer.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the suspicious parts of a text, by offset.
pub fn parts(text: &str) -> Vec<Part> {
    let (mut found, visible) = hidden::parts(text);
    found.extend(instructions::parts(&visible));
    found.sort_by_key(|part| part.byte);
    found
}

#[cfg(test)]
mod tests;
