//! Parsers of definitions and callers: `readtags`, `codedb --json`, `codegraph -j`.
//!
//! Pure functions of text.

use std::collections::BTreeSet;

use serde_json::Value;

/// A path relative to the tree, and a line from 1.
pub(crate) type Place = (String, u64);

/// The kinds of ctags that are definitions in every sense. The others are variables, members,
/// prototypes and labels, for which codedb and ctags differ.
const DEFINING: &[&str] = &[
    "class",
    "enum",
    "func",
    "function",
    "generator",
    "getter",
    "implementation",
    "interface",
    "macro",
    "method",
    "module",
    "namespace",
    "setter",
    "struct",
    "trait",
    "typedef",
    "union",
];

/// Parses the output of `readtags -E -e -n NAME`: the places of definitions, and the number of
/// other tags.
pub(crate) fn tags(output: &str) -> (BTreeSet<Place>, usize) {
    let (mut places, mut others) = (BTreeSet::new(), 0);
    for line in output.lines() {
        match tag(line) {
            Some((place, kind)) if DEFINING.contains(&kind) => {
                places.insert(place);
            }
            _ => others += 1,
        }
    }
    (places, others)
}

/// Parses `name TAB path TAB pattern;" TAB key:value …`; the pattern may contain tabs.
fn tag(line: &str) -> Option<(Place, &str)> {
    let (_, rest) = line.split_once('\t')?;
    let (path, rest) = rest.split_once('\t')?;
    let fields = &rest[rest.rfind(";\"\t")? + 3..];
    let field = |key: &str| fields.split('\t').find_map(|field| field.strip_prefix(key));
    let number = field("line:")?.parse().ok()?;
    Some(((unescaped(path)?, number), field("kind:")?))
}

/// Undoes the escapes of tags(5).
fn unescaped(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes().iter().copied());
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next()? {
                b't' => b'\t',
                b'n' => b'\n',
                b'r' => b'\r',
                b'x' => {
                    let digits = [rest.next()?, rest.next()?];
                    u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
                }
                other => other,
            },
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

/// Parses the definitions of `codedb symbol --json`, in the reply's order.
pub(crate) fn symbols(reply: &Value) -> Vec<Place> {
    places(&reply["symbols"], "path", "line")
}

/// Returns true if codedb ended with an error because nothing in the tree is called `name`.
pub(crate) fn is_unknown(code: i32, stderr: &str, name: &str) -> bool {
    let message = format!("codedb: nothing called `{name}` is defined in this tree");
    code == 2 && stderr.lines().any(|line| line == message)
}

/// Parses the calling functions of `codedb callers --json`.
pub(crate) fn callers(reply: &Value) -> BTreeSet<Place> {
    let calls = reply["callers"].as_array().map(Vec::as_slice).unwrap_or_default();
    calls
        .iter()
        .filter_map(|call| Some((call["path"].as_str()?.to_owned(), call["in"]["line"].as_u64()?)))
        .collect()
}

/// Parses the calling functions of `codegraph callers -j`.
pub(crate) fn codegraph_callers(reply: &Value) -> BTreeSet<Place> {
    places(&reply["callers"], "filePath", "startLine").into_iter().collect()
}

fn places(list: &Value, path: &str, line: &str) -> Vec<Place> {
    let entries = list.as_array().map(Vec::as_slice).unwrap_or_default();
    entries
        .iter()
        .filter_map(|entry| Some((entry[path].as_str()?.to_owned(), entry[line].as_u64()?)))
        .collect()
}

/// Returns true if any entry of a reply of codedb or codegraph is at `place`.
pub(crate) fn mentions(reply: &Value, place: &Place) -> bool {
    match reply {
        Value::Array(entries) => entries.iter().any(|entry| mentions(entry, place)),
        Value::Object(members) => {
            let is_at = |path: &str, line: &str| {
                reply[path].as_str() == Some(&place.0) && reply[line].as_u64() == Some(place.1)
            };
            is_at("path", "line")
                || is_at("filePath", "startLine")
                || members.values().any(|member| mentions(member, place))
        }
        _ => false,
    }
}
