//! The arguments of tools: generation of their JSON schemas, and parsing.
//!
//! Schemas are flat and short: no `$ref`, no `oneOf` or `anyOf`, no `null`, no titles or formats.
//! Some clients reject these, and every word costs tokens.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::unlisted::is_unlisted;
use crate::answer::nearest;
use crate::base::text;
use crate::error::{Error, Result};

/// Keywords of a schema that a model does not need.
const LEFT_OUT: [&str; 4] = ["$schema", "title", "format", "additionalProperties"];

/// Values that agents guess, and the choices that they mean.
const SYNONYMS: [(&str, &str); 6] = [
    ("analyze", "index"),
    ("update", "index"),
    ("imports", "depends_on"),
    ("dependencies", "depends_on"),
    ("dependents", "imported_by"),
    ("importers", "imported_by"),
];

/// Returns the schema of the arguments `A`.
pub fn of<A: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<A>().to_value();
    flatten(&mut schema);
    // The documentation of the type is for readers of the source.
    if let Value::Object(schema) = &mut schema {
        schema.remove("description");
        schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    schema
}

/// Parses arguments from a JSON object and checks them against `schema`; `null` counts as missing.
/// A number or boolean in a string is accepted, and so is one string for a list of strings.
///
/// # Errors
///
/// [`crate::Kind::Usage`] with the argument that is wrong and its valid values.
pub fn parse<A: DeserializeOwned>(schema: &Value, args: Value) -> Result<A> {
    let mut args = match args {
        Value::Object(args) => args,
        Value::Null => Map::new(),
        other => return Err(Error::usage(format!("arguments must be an object, not `{other}`"))),
    };
    args.retain(|_, value| !value.is_null());
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    for (name, value) in &mut args {
        let Some(property) = properties.get(name) else { return Err(unknown(name, properties)) };
        convert(value, property);
        check(name, value, property)?;
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !args.contains_key(name) {
            return Err(missing(
                name,
                properties[name]["description"].as_str().unwrap_or_default(),
            ));
        }
    }
    serde_json::from_value(Value::Object(args))
        .map_err(|error| Error::usage(format!("invalid arguments: {error}")))
}

/// Returns arguments with the arrays and objects of the named ones as JSON texts.
pub fn with_texts(mut args: Value, names: &[&str]) -> Value {
    for name in names {
        if let Some(value) = args.get_mut(*name)
            && (value.is_array() || value.is_object())
        {
            *value = Value::String(value.to_string());
        }
    }
    args
}

fn unknown(name: &str, properties: &Map<String, Value>) -> Error {
    let listed = properties.iter().filter(|(_, property)| !is_unlisted(property));
    let names: Vec<&str> = listed.map(|(name, _)| name.as_str()).collect();
    let error = Error::usage(format!("unknown argument `{}`", text::plain(name)));
    let error = error.with_code("unknown_argument");
    if names.is_empty() {
        return error.with_hint("this tool has no arguments");
    }
    let nearest = nearest::among(names.iter().map(|name| name.as_bytes()), name.as_bytes());
    let suggestion = nearest.first().map(|&at| format!("did you mean `{}`? ", names[at]));
    let valid: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    error.with_hint(format!("{}Valid: {}", suggestion.unwrap_or_default(), valid.join(", ")))
}

/// Returns the error about a missing argument, with its description.
fn missing(name: &str, description: &str) -> Error {
    let mut chars = description.chars();
    // The description continues the message, so it starts in lower case, unless it begins with an
    // acronym or a literal.
    let start: String = match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => first.to_lowercase().collect(),
        (first, _) => first.into_iter().collect(),
    };
    let description = format!("{start}{}", chars.as_str()).replace('\n', " ");
    let what = if description.is_empty() { String::new() } else { format!(": {description}") };
    Error::usage(format!("missing argument `{name}`{what}")).with_code("missing_argument")
}

/// Converts a string into the type of the argument, if it stands for one value of it.
fn convert(value: &mut Value, property: &Value) {
    let Value::String(text) = &*value else { return };
    let converted = match property["type"].as_str() {
        Some("integer") => text.trim().parse::<i64>().ok().map(Value::from),
        Some("number") => serde_json::from_str(text.trim()).ok().filter(Value::is_number),
        Some("boolean") => text.trim().parse::<bool>().ok().map(Value::from),
        Some("array") if property["items"]["type"] == "string" => {
            // Some clients send the list itself as a text.
            let list = serde_json::from_str(text).ok().filter(Value::is_array);
            Some(list.unwrap_or_else(|| Value::Array(vec![text.as_str().into()])))
        }
        _ => {
            let choices = property["enum"].as_array();
            let is_choice = |word: &str| choices.is_some_and(|all| all.iter().any(|of| of == word));
            let synonym = SYNONYMS.iter().find(|(word, choice)| word == text && is_choice(choice));
            synonym.filter(|_| !is_choice(text)).map(|(_, choice)| (*choice).into())
        }
    };
    if let Some(converted) = converted {
        *value = converted;
    }
}

/// Checks the value of an argument against its schema.
fn check(name: &str, value: &Value, property: &Value) -> Result<()> {
    let expected = property["type"].as_str().unwrap_or("string");
    let fits = match expected {
        "integer" => {
            let at_least = property["minimum"].as_i64().unwrap_or(i64::MIN);
            value.as_u64().is_some() || value.as_i64().is_some_and(|number| number >= at_least)
        }
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        _ => value.is_string(),
    };
    if !fits {
        let expected = if property["minimum"] == 0 { "non-negative integer" } else { expected };
        return Err(Error::usage(format!("`{name}` must be of type {expected}, not `{value}`")));
    }
    let choices = property["enum"].as_array();
    if choices.is_some_and(|choices| !choices.contains(value)) {
        let choices: Vec<&str> = choices.into_iter().flatten().filter_map(Value::as_str).collect();
        return Err(Error::usage(format!(
            "`{name}` must be one of {}, not {value}",
            choices.join(", ")
        )));
    }
    Ok(())
}

/// Removes from a schema what clients reject or do not need.
fn flatten(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    LEFT_OUT.iter().for_each(|word| drop(map.remove(*word)));
    if let Some(Value::Array(types)) = map.get("type") {
        // An optional argument need not allow `null` as well.
        let other = types.iter().find(|name| *name != "null").cloned();
        map.extend(other.map(|other| ("type".to_owned(), other)));
    }
    for word in ["oneOf", "anyOf"] {
        let Some(Value::Array(branches)) = map.remove(word) else { continue };
        merge(map, branches);
    }
    if map.get("default").is_some_and(Value::is_null) {
        map.remove("default");
    }
    for (name, value) in map.iter_mut() {
        match value {
            // The keys of `properties` are names of arguments, not keywords.
            Value::Object(properties) if name == "properties" => {
                properties.values_mut().for_each(flatten);
            }
            Value::Object(_) => flatten(value),
            Value::Array(values) => values.iter_mut().for_each(flatten),
            _ => {}
        }
    }
}

/// Merges the branches of a choice between constants into one `enum`.
fn merge(map: &mut Map<String, Value>, branches: Vec<Value>) {
    let mut choices = Vec::new();
    for branch in branches {
        let Value::Object(mut branch) = branch else { continue };
        if branch.get("type").is_some_and(|name| name == "null") {
            continue;
        }
        if let Some(Value::Array(inner)) = branch.remove("oneOf") {
            merge(map, inner);
        }
        choices.extend(branch.remove("const"));
        if let Some(Value::Array(inner)) = branch.remove("enum") {
            choices.extend(inner);
        }
        branch.remove("description");
        for (name, value) in branch {
            map.entry(name).or_insert(value);
        }
    }
    if !choices.is_empty() {
        map.insert("enum".to_owned(), Value::Array(choices));
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    /// Which way.
    #[derive(Debug, Deserialize, Eq, JsonSchema, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum Way {
        /// There.
        DependsOn,
        /// And back.
        ImportedBy,
    }

    #[derive(Debug, Deserialize, Eq, JsonSchema, PartialEq)]
    struct Args {
        /// What is looked for.
        query: String,
        /// Results at most (20).
        max_results: Option<usize>,
        /// Into which direction.
        direction: Option<Way>,
        /// Everything.
        #[serde(default)]
        all: bool,
        /// Where.
        paths: Option<Vec<String>>,
    }

    #[test]
    fn schemas_are_flat() {
        let expected = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What is looked for."},
                "max_results":
                    {"type": "integer", "minimum": 0, "description": "Results at most (20)."},
                "direction": {
                    "type": "string",
                    "enum": ["depends_on", "imported_by"],
                    "description": "Into which direction.",
                },
                "all": {"type": "boolean", "default": false, "description": "Everything."},
                "paths":
                    {"type": "array", "items": {"type": "string"}, "description": "Where."},
            },
            "required": ["query"],
        });
        assert_eq!(of::<Args>(), expected);
    }

    #[test]
    fn arguments_are_parsed_or_rejected() {
        let args: Args = parse(
            &of::<Args>(),
            json!({"query": "x", "max_results": null, "direction": "imported_by"}),
        )
        .expect("they fit");
        let direction = Some(Way::ImportedBy);
        let expected =
            Args { query: "x".into(), max_results: None, direction, all: false, paths: None };
        assert_eq!(args, expected);
        for (guessed, canonical) in [
            (json!({"max_results": "600"}), json!({"max_results": 600})),
            (json!({"all": "true"}), json!({"all": true})),
            (json!({"paths": "src"}), json!({"paths": ["src"]})),
            (json!({"paths": "[\"a\", \"b\"]"}), json!({"paths": ["a", "b"]})),
            (json!({"direction": "imports"}), json!({"direction": "depends_on"})),
        ] {
            let parsed = [guessed, canonical].map(|mut args| {
                args["query"] = "600".into();
                parse::<Args>(&of::<Args>(), args).expect("they fit")
            });
            assert_eq!(parsed[0], parsed[1]);
        }
        for (args, message, hint) in [
            (json!({}), "missing argument `query`: what is looked for.", ""),
            (
                json!({"query": "x", "max_result": 2}),
                "unknown argument `max_result`",
                "did you mean `max_results`? Valid: `all`, `direction`, `max_results`, `paths`, `query`",
            ),
            (json!({"query": 5}), "`query` must be of type string, not `5`", ""),
            (
                json!({"query": "x", "max_results": "ten"}),
                "non-negative integer, not `\"ten\"`",
                "",
            ),
            (json!({"query": "x", "max_results": -1}), "non-negative integer, not `-1`", ""),
            (json!({"query": "x", "direction": "up"}), "one of depends_on, imported_by", ""),
            (json!([]), "arguments must be an object", ""),
        ] {
            let error = parse::<Args>(&of::<Args>(), args.clone()).expect_err("they do not fit");
            assert!(error.to_string().contains(message), "{args}: {error}");
            assert!(error.hints().join(" ").contains(hint), "{args}: {:?}", error.hints());
        }
    }
}
