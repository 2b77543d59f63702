//! Aliases of arguments: names that agents guess because tools of other programs have them.
//!
//! `replace` renames each alias to its canonical argument before the arguments are checked
//! against the schema, and adds a notice with the canonical name. Schemas do not list aliases.

use std::path::Path;

use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// Returns the value of the canonical argument from the value of the alias, the other arguments and
/// the root of the tree.
pub type Convert = fn(&Value, &Map<String, Value>, &Path) -> Value;

/// Another name of an argument.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    /// The name that is accepted.
    pub name: &'static str,
    /// The argument that it is replaced by.
    pub canonical: &'static str,
    /// Converts its value, if the alias and the argument differ in more than the name.
    pub convert: Option<Convert>,
    /// What the notice adds; may be empty.
    pub note: &'static str,
}

impl Alias {
    /// Returns an alias with the same values as the argument.
    pub const fn new(name: &'static str, canonical: &'static str) -> Alias {
        Alias { name, canonical, convert: None, note: "" }
    }

    /// Returns an alias whose values are converted.
    pub const fn converted(name: &'static str, canonical: &'static str, convert: Convert) -> Alias {
        Alias { name, canonical, convert: Some(convert), note: "" }
    }

    /// Returns the same alias with an addition to its notice.
    pub const fn with_note(self, note: &'static str) -> Alias {
        Alias { note, ..self }
    }
}

/// Replaces aliases by their canonical arguments, in the order of `aliases`. Returns a notice for
/// each alias that the call contains.
///
/// # Errors
///
/// [`crate::Kind::Usage`] if an alias and its argument are both given, unless the alias converts
/// values: then it receives the value of the argument and combines both.
pub(super) fn replace(
    aliases: &[Alias],
    args: &mut Map<String, Value>,
    root: &Path,
) -> Result<Vec<String>> {
    let mut notices = Vec::new();
    for Alias { name, canonical, convert, note } in aliases {
        let Some(value) = args.remove(*name).filter(|value| !value.is_null()) else { continue };
        let value = match convert {
            Some(convert) => convert(&value, args, root),
            None if args.get(*canonical).is_some_and(|value| !value.is_null()) => {
                return Err(Error::usage(format!(
                    "`{name}` is an alias of `{canonical}`, and both are given"
                ))
                .with_hint(format!("use `{canonical}` alone")));
            }
            None => value,
        };
        args.insert((*canonical).to_owned(), value);
        notices.push(format!("argument `{name}` was read as `{canonical}`{note}"));
    }
    Ok(notices)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ALIASES: &[Alias] = &[
        Alias::new("pattern", "query").with_note(", which is literal"),
        Alias::converted("limit", "line_end", |value, args, _| {
            let start = args.get("line_start").and_then(Value::as_u64).unwrap_or(1);
            value.as_u64().map_or(value.clone(), |count| (start + count - 1).into())
        }),
    ];

    #[track_caller]
    fn check(args: Value, expected: Value, notices: &[&str]) {
        let Value::Object(mut args) = args else { panic!("not an object") };
        assert_eq!(replace(ALIASES, &mut args, Path::new("/")).expect("no conflict"), notices);
        assert_eq!(Value::Object(args), expected);
    }

    #[test]
    fn aliases_are_replaced_and_reported() {
        check(json!({"query": "a"}), json!({"query": "a"}), &[]);
        check(json!({"pattern": null, "query": "a"}), json!({"query": "a"}), &[]);
        let notice = "argument `pattern` was read as `query`, which is literal";
        check(json!({"pattern": "a"}), json!({"query": "a"}), &[notice]);
        let notice = "argument `limit` was read as `line_end`";
        let expected = json!({"line_start": 5, "line_end": 14});
        check(json!({"line_start": 5, "limit": 10}), expected, &[notice]);
    }

    #[test]
    fn an_alias_and_its_argument_together_are_rejected() {
        let Value::Object(mut args) = json!({"pattern": "a", "query": "b"}) else { panic!() };
        let error = replace(ALIASES, &mut args, Path::new("/")).expect_err("both are given");
        assert!(error.to_string().contains("`pattern` is an alias of `query`"), "{error}");
    }
}
