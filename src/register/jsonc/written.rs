//! Formats new JSON in the style of the surrounding text.

use serde_json::Value;

/// A value to write; members keep their order.
pub(super) enum Written {
    /// Any value except an object, written on one line.
    Leaf(Value),
    /// An object.
    Map(Vec<(String, Written)>),
    /// An object of servers that the settings did not have. Its layout differs from that of a
    /// [`Written::Map`]: its member is on one line. A removal recognises it by that and removes it
    /// as well.
    NewServers(&'static str, Box<Written>),
    /// A list on one line.
    Row(Vec<Written>),
    /// A list with one line per line of an element.
    Column(Vec<Written>),
    /// An object of hooks that the settings did not have: an event with its only group.
    NewHooks(&'static str, Box<Written>),
    /// The list of an event that the settings did not have: its only group, on one line. This and
    /// [`Written::NewHooks`] have their own layouts for the same reason as [`Written::NewServers`].
    NewEvent(Box<Written>),
}

impl Written {
    /// Returns an object whose members are leaves.
    pub(super) fn map(members: Vec<(&str, Value)>) -> Written {
        Written::Map(
            members
                .into_iter()
                .map(|(key, value)| (key.to_owned(), Written::Leaf(value)))
                .collect(),
        )
    }

    /// Returns the value with one line per member of an object. `end` is the line end, `unit` the
    /// unit of indentation, and `indent` the indentation of the first line.
    pub(super) fn lines(&self, end: &str, unit: &str, indent: &str) -> String {
        let deeper = format!("{indent}{unit}");
        let members = match self {
            Written::Leaf(_) | Written::Row(_) => return self.inline(),
            Written::Map(members) => members,
            Written::Column(elements) => {
                let elements = elements.iter();
                let elements = elements
                    .map(|element| format!("{end}{deeper}{}", element.lines(end, unit, &deeper)));
                return format!("[{}{end}{indent}]", elements.collect::<Vec<_>>().join(","));
            }
            Written::NewHooks(event, group) => {
                let deepest = format!("{deeper}{unit}");
                let group = group.lines(end, unit, &deepest);
                return format!(
                    "{{{end}{deeper}{}: [{end}{deepest}{group}{end}{deeper}]{end}{indent}}}",
                    quoted(event)
                );
            }
            Written::NewEvent(group) => {
                return format!("[{end}{deeper}{}{end}{indent}]", group.inline());
            }
            Written::NewServers(key, entry) => {
                let entry = entry.inline();
                return format!("{{{end}{deeper}{}: {entry}{end}{indent}}}", quoted(key));
            }
        };
        let members = members.iter().map(|(key, value)| {
            format!("{end}{deeper}{}: {}", quoted(key), value.lines(end, unit, &deeper))
        });
        format!("{{{}{end}{indent}}}", members.collect::<Vec<_>>().join(","))
    }

    /// Returns the value on one line.
    pub(super) fn inline(&self) -> String {
        match self {
            Written::Leaf(Value::Array(list)) => {
                let list: Vec<String> = list.iter().map(Value::to_string).collect();
                format!("[{}]", list.join(", "))
            }
            Written::Leaf(value) => value.to_string(),
            Written::Map(members) => {
                let members = members
                    .iter()
                    .map(|(key, value)| format!("{}: {}", quoted(key), value.inline()));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }
            Written::NewServers(key, entry) => {
                format!("{{ {}: {} }}", quoted(key), entry.inline())
            }
            Written::Row(elements) | Written::Column(elements) => {
                let elements: Vec<String> = elements.iter().map(Written::inline).collect();
                format!("[{}]", elements.join(", "))
            }
            Written::NewHooks(event, group) => {
                format!("{{ {}: [ {} ] }}", quoted(event), group.inline())
            }
            Written::NewEvent(group) => format!("[ {} ]", group.inline()),
        }
    }
}

/// Returns `key` in quotes.
pub(super) fn quoted(key: &str) -> String {
    Value::from(key).to_string()
}
