//! Arguments that are accepted but not listed: those of clients that were written for another program
//! with the same tools. A list of tools that names them would cost every session tokens.
//!
//! The schema of the arguments contains them with the keyword [`KEYWORD`]; servers remove them from
//! the list, the command line hides them. Its value is the reason why the argument has no effect, which
//! a notice reports, or empty if it has one.

use serde_json::{Map, Value};

/// The keyword of a property in a schema that marks it as unlisted.
pub const KEYWORD: &str = "x-unlisted";

/// The keyword of an unlisted property that the help of the command shows.
pub const COMMAND: &str = "x-command";

/// The keyword of an unlisted token budget that the tool divides among parts of its reply. The caller sets it
/// in every call, and still bounds the whole text.
pub const SHARED: &str = "x-shared";

/// Asks for an update of the index before the answer.
const AUTO_UPDATE: &str = "auto_update";

/// Why [`AUTO_UPDATE`] has no effect.
pub(super) const ALWAYS_UPDATED: &str = "every call reads the present tree";

/// Why `working_tree` has no effect if it is set.
pub(super) const INCLUDED: &str = "uncommitted changes always count";

/// Returns true if a property of a schema is not listed.
pub fn is_unlisted(property: &Value) -> bool {
    property.get(KEYWORD).is_some()
}

/// Returns true if the help of the command does not show a property of a schema.
pub fn is_hidden(property: &Value) -> bool {
    is_unlisted(property) && property.get(COMMAND).is_none()
}

/// Returns a notice for each argument of the call that has no effect.
pub(super) fn notices(schema: &Value, args: &Map<String, Value>) -> Vec<String> {
    let without_effect = |(name, value): (&String, &Value)| {
        let reason = schema["properties"][name][KEYWORD].as_str()?;
        let is_set = !reason.is_empty() && !value.is_null();
        is_set.then(|| format!("`{name}` has no effect: {reason}"))
    };
    args.iter().filter_map(without_effect).collect()
}

/// Returns true if the call asks for an update of the index.
pub(super) fn wants_update(args: &Map<String, Value>) -> bool {
    args.get(AUTO_UPDATE).is_some_and(|value| value == true || value == "true")
}
