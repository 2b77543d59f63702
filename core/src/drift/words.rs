//! What changed in a definition, text by text, with the changed words marked.

use serde::Serialize;
use serde_json::Value;
use similar::{Algorithm, DiffOp};

use super::canonical;
use super::pointer::{push_index, push_name, shortened};
use super::suspicious::hidden::escaped;

/// The maximum number of changes that are listed for one tool.
const CHANGES_MAX: usize = 50;

/// The maximum number of changed words on each side that are compared; longer changes are shown as
/// one, because the comparison is quadratic.
const WORDS_MAX: usize = 2000;

/// The number of unchanged words shown around a change.
const AROUND: usize = 4;

/// The maximum number of characters of a diff.
const SHOWN_MAX: usize = 2000;

/// A changed value in a definition.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct ValueChange {
    /// The place, as a JSON pointer.
    pub field: String,
    /// The words with `[-removed-]` and `{+added+}` ones, on one line; characters that are not
    /// displayed are escaped.
    pub diff: String,
}

/// The changes of one definition.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct ValueChanges {
    /// At most 50, in the order of the canonical form.
    pub changes: Vec<ValueChange>,
    /// The number of all changes.
    pub total: usize,
}

/// Returns the values that differ between two definitions, without `_meta`; the order of members and
/// of sets is no difference. O(n) for n bytes, and quadratic in the changed words of each text, of
/// which at most 2,000 are compared.
pub fn changes(before: &Value, after: &Value) -> ValueChanges {
    // The canonical form has sorted members and sets.
    let sorted = |tool: &Value| {
        let mut text = String::new();
        canonical::write_content(&mut text, tool);
        serde_json::from_str::<Value>(&text).unwrap_or_default()
    };
    let mut all = ValueChanges::default();
    walk(Some(&sorted(before)), Some(&sorted(after)), &mut String::new(), &mut all);
    all
}

fn walk(
    before: Option<&Value>,
    after: Option<&Value>,
    pointer: &mut String,
    all: &mut ValueChanges,
) {
    let length = pointer.len();
    match (before, after) {
        (Some(old), Some(new)) if old == new => {}
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let added = new.keys().filter(|name| !old.contains_key(*name));
            let mut names: Vec<&String> = old.keys().chain(added).collect();
            names.sort_unstable();
            for name in names {
                push_name(pointer, name);
                walk(old.get(name), new.get(name), pointer, all);
                pointer.truncate(length);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
            for (at, (old, new)) in old.iter().zip(new).enumerate() {
                push_index(pointer, at);
                walk(Some(old), Some(new), pointer, all);
                pointer.truncate(length);
            }
        }
        (None, None) => {}
        (old, new) => {
            all.total += 1;
            if all.changes.len() < CHANGES_MAX {
                let diff = match (old, new) {
                    (Some(Value::String(old)), Some(Value::String(new))) => words(old, new),
                    _ => words(&form(old), &form(new)),
                };
                all.changes.push(ValueChange { field: escaped(&shortened(pointer)), diff });
            }
        }
    }
}

/// Returns a value for display: a text as it is, anything else as JSON, nothing as an empty text.
fn form(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => canonical::of_value(value),
    }
}

/// Returns the words of two texts on one line: removed ones as `[-…-]`, added ones as `{+…+}`, and a
/// few unchanged ones around them.
///
/// Quadratic in the number of changed words, of which at most 2,000 on each side are compared.
pub fn words(before: &str, after: &str) -> String {
    let (old, new) = (split(before), split(after));
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let ends = old[start..].iter().rev().zip(new[start..].iter().rev());
    let end = ends.take_while(|(old, new)| old == new).count();
    let (old_middle, new_middle) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let mut out = String::new();
    let lead = start.saturating_sub(AROUND);
    put_equal(&mut out, &old[..start], lead, start, lead > 0);
    if old_middle.len().max(new_middle.len()) > WORDS_MAX {
        put(&mut out, ("[-", "-]"), old_middle);
        put(&mut out, ("{+", "+}"), new_middle);
    } else {
        for operation in similar::capture_diff_slices(Algorithm::Myers, old_middle, new_middle) {
            put_operation(&mut out, operation, old_middle, new_middle);
        }
    }
    let tail = end.min(AROUND);
    let at = old.len() - end;
    put_equal(&mut out, &old, at, at + tail, false);
    if tail < end {
        out.push('…');
    }
    if out.chars().nth(SHOWN_MAX).is_some() {
        out = out.chars().take(SHOWN_MAX).collect::<String>() + "…";
    }
    out
}

fn put_operation(out: &mut String, operation: DiffOp, old: &[&str], new: &[&str]) {
    match operation {
        DiffOp::Equal { old_index, len, .. } if len > 2 * AROUND => {
            put_equal(out, old, old_index, old_index + AROUND, false);
            put_equal(out, old, old_index + len - AROUND, old_index + len, true);
        }
        DiffOp::Equal { old_index, len, .. } => {
            put_equal(out, old, old_index, old_index + len, false);
        }
        DiffOp::Delete { old_index, old_len, .. } => {
            put(out, ("[-", "-]"), &old[old_index..old_index + old_len]);
        }
        DiffOp::Insert { new_index, new_len, .. } => {
            put(out, ("{+", "+}"), &new[new_index..new_index + new_len]);
        }
        DiffOp::Replace { old_index, old_len, new_index, new_len } => {
            put(out, ("[-", "-]"), &old[old_index..old_index + old_len]);
            put(out, ("{+", "+}"), &new[new_index..new_index + new_len]);
        }
    }
}

/// Appends unchanged words, after an ellipsis if `is_cut`.
fn put_equal(out: &mut String, words: &[&str], from: usize, to: usize, is_cut: bool) {
    if is_cut {
        out.push('…');
    }
    words[from..to].iter().for_each(|word| out.push_str(&escaped(word)));
}

/// Appends changed words between two marks, if there are any.
fn put(out: &mut String, marks: (&str, &str), words: &[&str]) {
    if words.is_empty() {
        return;
    }
    out.push_str(marks.0);
    words.iter().for_each(|word| out.push_str(&escaped(word)));
    out.push_str(marks.1);
}

/// Splits a text into words, runs of white space, and single other characters.
fn split(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 0,
        _ if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        let class = class(c);
        if last.is_some_and(|last| last != class || class == 2) {
            words.push(&text[start..at]);
            start = at;
        }
        last = Some(class);
    }
    if start < text.len() {
        words.push(&text[start..]);
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn changed_words_are_marked() {
        let check = |before: &str, after: &str, expected: &str| {
            assert_eq!(words(before, after), expected);
        };
        check("Reads a file.", "Reads any file.", "Reads [-a-]{+any+} file.");
        check("a", "", "[-a-]");
        check("", "a b", "{+a b+}");
        check("one two three four five", "one two three four six", "…three four [-five-]{+six+}");
        check("x\u{200B}y", "xy", "[-x\\u{200b}y-]{+xy+}");
        check("a.", "a!", "a[-.-]{+!+}");
    }

    #[test]
    fn long_changes_are_bounded() {
        let (before, after) = ("a b ".repeat(50_000), "c d ".repeat(50_000));
        let diff = words(&before, &after);
        assert!(diff.chars().count() <= SHOWN_MAX + 1, "{}", diff.len());
    }

    #[test]
    fn changed_values_are_listed_by_place() {
        let before = json!({"name": "a", "description": "old", "inputSchema": {
            "properties": {"x/y": {"type": "string"}, "z": {"enum": ["a", "b"]}}, "required": ["p", "q"]}});
        let after = json!({"name": "a", "description": "new", "inputSchema": {
            "required": ["q", "p"], "properties": {"x/y": {"type": "integer"}, "z": {"enum": ["a", "c", "b"]}}},
            "title": "A", "_meta": {}});
        let found = changes(&before, &after);
        let found: Vec<(&str, &str)> =
            found.changes.iter().map(|it| (it.field.as_str(), it.diff.as_str())).collect();
        assert_eq!(
            found,
            [
                ("/description", "[-old-]{+new+}"),
                ("/inputSchema/properties/x~1y/type", "[-string-]{+integer+}"),
                ("/inputSchema/properties/z/enum", "…a\",\"{+c\",\"+}b\"]"),
                ("/title", "{+A+}"),
            ]
        );
    }

    /// Returns one side of a diff that has no unchanged words cut off.
    fn side(diff: &str, kept: (&str, &str), dropped: (&str, &str)) -> String {
        let mut out = String::new();
        let mut rest = diff;
        while let Some(at) = rest.find(dropped.0) {
            out.push_str(&rest[..at]);
            let end = rest[at..].find(dropped.1).expect("it is closed");
            rest = &rest[at + end + dropped.1.len()..];
        }
        out.push_str(rest);
        out.replace(kept.0, "").replace(kept.1, "")
    }

    proptest! {
        #[test]
        fn both_texts_can_be_read_from_the_diff(
            before in "([ab] ?){0,4}", after in "([ab] ?){0,4}",
        ) {
            let diff = words(&before, &after);
            prop_assume!(!diff.contains('…'));
            prop_assert_eq!(side(&diff, ("[-", "-]"), ("{+", "+}")), before);
            prop_assert_eq!(side(&diff, ("{+", "+}"), ("[-", "-]")), after);
        }
    }
}
