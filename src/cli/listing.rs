//! The common shape of JSON replies with a list: `items`, `shown`, `total` and `truncated`, besides the
//! list's own key; and such a list as JSON Lines.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The fields of a JSON object in their order.
struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Fields<'a>, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        from.deserialize_map(InOrder)
    }
}

impl<'a> Fields<'a> {
    fn of(reply: &'a str) -> Option<Fields<'a>> {
        serde_json::from_str(reply).ok()
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(of, _)| of == name).map(|(_, value)| value.get())
    }

    /// Returns the list that `shown` counts: of those before it with as many entries, the last one of objects,
    /// else the last; without any, the last one before it.
    fn list(&self) -> Option<&'a str> {
        let at = self.0.iter().position(|(name, _)| name == "shown")?;
        let shown: usize = self.0[at].1.get().parse().ok()?;
        let lists = self.0[..at].iter().rev().map(|(_, value)| value.get());
        let lists: Vec<&str> = lists.filter(|value| value.starts_with('[')).collect();
        let is_counted = |list: &&&str| entries(list).len() == shown;
        let has_objects =
            |list: &&&str| entries(list).iter().all(|entry| entry.get().starts_with('{'));
        let counted: Vec<&&str> = lists.iter().filter(is_counted).collect();
        let best = counted.iter().copied().find(|list| has_objects(list));
        best.or_else(|| counted.first().copied()).or_else(|| lists.first()).copied()
    }
}

fn entries(list: &str) -> Vec<&RawValue> {
    serde_json::from_str(list).unwrap_or_default()
}

/// Returns a reply, a JSON object, with its list as `items`, too, and `truncated`; other replies
/// unchanged.
pub(super) fn with_items(reply: &str) -> String {
    let added = Fields::of(reply).and_then(|fields| {
        let list = fields.list().filter(|_| fields.get("items").is_none())?;
        let number = |name| fields.get(name)?.parse::<u64>().ok();
        let is_cut = number("shown")? < number("total")?;
        let truncated = match fields.get("truncated") {
            Some(_) => String::new(),
            None => format!(",\"truncated\":{is_cut}"),
        };
        Some(format!(",\"items\":{list}{truncated}}}"))
    });
    match (added, reply.strip_suffix('}')) {
        (Some(added), Some(start)) => format!("{start}{added}"),
        _ => reply.to_owned(),
    }
}

/// Returns the entries of the list of a reply, one JSON value a line; a reply without a list is one
/// line.
pub(super) fn lines(reply: &str) -> String {
    let list = Fields::of(reply).and_then(|fields| fields.list());
    match list.and_then(|list| serde_json::from_str::<Vec<&RawValue>>(list).ok()) {
        Some(items) => items.iter().map(|item| format!("{}\n", item.get())).collect(),
        None => format!("{reply}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(reply: &str, with: &str, as_lines: &str) {
        assert_eq!(with_items(reply), with);
        assert_eq!(lines(reply), as_lines);
    }

    #[test]
    fn the_list_is_the_one_that_is_counted() {
        check(
            r#"{"word":"a","definitions":[1],"files":[{"b":"}","a":2},3],"n":{},"shown":2,"total":3,"more":[4]}"#,
            r#"{"word":"a","definitions":[1],"files":[{"b":"}","a":2},3],"n":{},"shown":2,"total":3,"more":[4],"items":[{"b":"}","a":2},3],"truncated":true}"#,
            "{\"b\":\"}\",\"a\":2}\n3\n",
        );
        check(
            r#"{"tests":[{"id":"a"},{"id":"b"}],"commands":["x"],"shown":2,"total":2}"#,
            r#"{"tests":[{"id":"a"},{"id":"b"}],"commands":["x"],"shown":2,"total":2,"items":[{"id":"a"},{"id":"b"}],"truncated":false}"#,
            "{\"id\":\"a\"}\n{\"id\":\"b\"}\n",
        );
        check(
            r#"{"tests":[{"id":"a"}],"commands":["x"],"shown":1,"total":1}"#,
            r#"{"tests":[{"id":"a"}],"commands":["x"],"shown":1,"total":1,"items":[{"id":"a"}],"truncated":false}"#,
            "{\"id\":\"a\"}\n",
        );
        check(
            r#"{"files":[],"shown":0,"total":0,"truncated":false}"#,
            r#"{"files":[],"shown":0,"total":0,"truncated":false,"items":[]}"#,
            "",
        );
    }

    #[test]
    fn replies_without_a_counted_list_stay() {
        for reply in
            [r#"{"total":3}"#, r#"{"a":[1],"total":3}"#, r#"{"shown":1,"a":[1]}"#, "[1]", ""]
        {
            check(reply, reply, &format!("{reply}\n"));
        }
    }
}
