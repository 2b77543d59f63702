//! What a reply shows, as a list of entries, independently of their layout in its text.

use serde_json::Value;

use crate::context::compose::Bundle;
use crate::error::{Error, Kind, Result};

/// The parts with one entry for each function that they list.
const SITES: &str = "sites";

/// One entry of a reply: a file, a definition, a step of a chain, lines, one end of a call, a test.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Entry {
    /// The part of the reply, as JSON names it: `files`, `symbols`, `chain`, `snippets`, `calls`, `tests`.
    pub part: String,
    /// The path of its file.
    pub path: String,
    /// The name of its definition, or of the one around its lines; it may be qualified.
    pub name: Option<String>,
    /// The definition as which it counts, if that is another one: a field counts as its type, what is local
    /// as its function.
    pub owner: Option<String>,
    /// Its line, or the first of them, from 1.
    pub line: Option<usize>,
    /// The first and the last line that are shown as text.
    pub text_lines: Option<(usize, usize)>,
    /// Everything else that may be printed of it: names, numbers of lines, texts.
    pub texts: Vec<String>,
}

/// Returns the entries of a reply, part by part.
///
/// # Errors
///
/// If the reply cannot be serialized, which does not happen.
pub fn entries(bundle: &Bundle) -> Result<Vec<Entry>> {
    let reply = serde_json::to_value(bundle)
        .map_err(|error| Error::new(Kind::Io, format!("a reply: {error}")))?;
    Ok(of_json(&reply))
}

/// Returns the entries of a reply as JSON: the objects with a `path`, in any part.
pub fn of_json(reply: &Value) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (part, value) in reply.as_object().into_iter().flatten() {
        for object in value.as_array().into_iter().flatten() {
            let Some(path) = object["path"].as_str() else { continue };
            match object[SITES].as_array() {
                Some(sites) => entries.extend(sites.iter().map(|site| entry(part, path, site))),
                None => entries.push(entry(part, path, object)),
            }
        }
    }
    entries
}

fn entry(part: &str, path: &str, object: &Value) -> Entry {
    let text = |name: &str| object[name].as_str();
    let number = |name: &str| object[name].as_u64().map(|number| number as usize);
    let name = text("qualified_name").or_else(|| text("name")).or_else(|| text("in"));
    let line = number("line").or_else(|| number("start_line"));
    let shown = text("body").or_else(|| text("text")).zip(line);
    let shown = shown.map(|(text, first)| (first, first + text.lines().count().max(1) - 1));
    // A step shows the line that leads to the next one.
    let next = object["next"]["line"].as_u64().map(|line| (line as usize, line as usize));
    let mut texts = Vec::new();
    collect(object, &mut texts);
    Entry {
        part: part.to_owned(),
        path: path.to_owned(),
        name: name.map(str::to_owned),
        owner: None,
        line,
        text_lines: shown.or(next),
        texts,
    }
}

/// Collects the texts and the whole numbers of a value, without paths.
fn collect(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Number(number) if number.is_u64() => into.push(number.to_string()),
        Value::Array(values) => values.iter().for_each(|value| collect(value, into)),
        Value::Object(fields) => {
            for (_, value) in fields.iter().filter(|(name, _)| *name != "path") {
                collect(value, into);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_are_objects_with_a_path_and_single_sites() {
        let reply = json!({
            "keywords": [{ "text": "w" }],
            "symbols": [{ "path": "a.go", "name": "m", "qualified_name": "T.m", "line": 3, "body": "x\ny\n" }],
            "calls": [{ "path": "b.go", "of": "T.m", "sites": [{ "name": "f", "line": 7 }, { "name": "g", "line": 9 }] }],
            "snippets": [{ "path": "c.go", "start_line": 4, "end_line": 5, "text": "p\nq", "in": "h" }],
            "chain": [{ "path": "d.go", "name": "n", "line": 1, "next": { "line": 2, "text": "m()" } }],
            "tokens": 9,
        });
        let entries = of_json(&reply);
        let shown: Vec<String> = entries
            .iter()
            .map(|of| {
                format!(
                    "{} {} {:?} {:?} {:?}",
                    of.part,
                    of.path,
                    of.name.as_deref(),
                    of.line,
                    of.text_lines
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                r#"calls b.go Some("f") Some(7) None"#,
                r#"calls b.go Some("g") Some(9) None"#,
                r#"chain d.go Some("n") Some(1) Some((2, 2))"#,
                r#"snippets c.go Some("h") Some(4) Some((4, 5))"#,
                r#"symbols a.go Some("T.m") Some(3) Some((3, 4))"#,
            ]
        );
        assert!(entries[4].texts.contains(&"x\ny\n".to_owned()));
    }
}
