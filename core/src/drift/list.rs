//! Parses tool lists.

use serde_json::Value;

use crate::base::text::plain;
use crate::error::{Error, Result};

/// The maximum length of a name in bytes; the protocol recommends at most 128 characters.
const NAME_BYTES_MAX: usize = 1000;

/// Parses the JSON text of a tool list: an array of definitions, the result of `tools/list`
/// (`{"tools": […]}`), or the whole response. Definitions in the form of OpenAI's and Anthropic's requests get
/// the members of the protocol.
///
/// # Errors
///
/// Invalid JSON, another shape, a definition without a name, and a result that is only one page of
/// several.
pub fn parse(text: &str) -> Result<Vec<Value>> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{FEFF}'))
        .map_err(|error| Error::usage(format!("not valid JSON: {error}")))?;
    tools(value)
}

fn tools(value: Value) -> Result<Vec<Value>> {
    let list = match value {
        Value::Array(list) => list,
        Value::Object(mut object) => {
            if let Some(result) = object.remove("result") {
                return tools(result);
            }
            if object.get("nextCursor").is_some_and(|cursor| !cursor.is_null()) {
                return Err(Error::usage("this is one page of a longer tool list (`nextCursor`)")
                    .with_hint("join the tools of all pages into one array"));
            }
            match object.remove("tools") {
                Some(Value::Array(list)) => list,
                _ => return Err(not_a_list()),
            }
        }
        _ => return Err(not_a_list()),
    };
    let list: Vec<Value> = list.into_iter().map(of_request).collect();
    list.iter().enumerate().try_for_each(|(at, tool)| check(at, tool))?;
    Ok(list)
}

/// Returns a definition as the protocol has it: `{"type": "function", "function": {…}}` without its envelope,
/// `parameters` and `input_schema` as `inputSchema`.
fn of_request(tool: Value) -> Value {
    let Value::Object(mut members) = tool else { return tool };
    let is_function = members.get("type").is_some_and(|it| it == "function");
    if is_function {
        members.remove("type");
        if let Some(Value::Object(function)) = members.remove("function") {
            members.extend(function);
        }
    }
    let named = if is_function { "parameters" } else { "input_schema" };
    if !members.contains_key("inputSchema")
        && let Some(schema) = members.remove(named)
    {
        members.insert("inputSchema".to_owned(), schema);
    }
    Value::Object(members)
}

/// Checks that a value can be the definition of a tool.
///
/// # Errors
///
/// If it is not an object with a name of 1 to 1,000 bytes.
pub fn check(index: usize, tool: &Value) -> Result<()> {
    match tool.get("name") {
        Some(Value::String(name)) if name.len() > NAME_BYTES_MAX => Err(Error::usage(format!(
            "the tool at index {index} has a name of more than {NAME_BYTES_MAX} bytes"
        ))),
        Some(Value::String(name)) if !name.is_empty() => Ok(()),
        _ if !tool.is_object() => {
            Err(Error::usage(format!("the tool at index {index} is not a JSON object")))
        }
        _ => Err(Error::usage(format!("the tool at index {index} has no `name`"))),
    }
}

/// Returns the first name that a list contains twice, with both indexes. O(n log n).
pub fn twice(tools: &[Value]) -> Option<(&str, usize, usize)> {
    let mut names: Vec<(&str, usize)> =
        tools.iter().enumerate().map(|(at, tool)| (name_of(tool), at)).collect();
    names.sort_unstable();
    let pairs = names.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    pairs.map(|pair| (pair[0].0, pair[0].1, pair[1].1)).min_by_key(|&(_, _, second)| second)
}

/// Checks that a list contains no name twice.
///
/// # Errors
///
/// If one does: no client can tell such tools apart.
pub fn check_names(tools: &[Value]) -> Result<()> {
    match twice(tools) {
        None => Ok(()),
        Some((name, first, second)) => Err(Error::usage(format!(
            "the list contains the tool `{}` twice, at index {first} and {second}",
            plain(name)
        ))),
    }
}

/// Returns the name of a tool, or an empty text if it has none.
pub fn name_of(tool: &Value) -> &str {
    tool.get("name").and_then(Value::as_str).unwrap_or_default()
}

fn not_a_list() -> Error {
    Error::usage("not a tool list")
        .with_hint("expected an array of tools, or the result of `tools/list`: {\"tools\": […]}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_parsed_in_every_shape() {
        let list = r#"[{"name": "a"}]"#;
        for text in [
            list.to_owned(),
            format!("\u{FEFF}{{\"tools\": {list}}}"),
            format!("{{\"result\": {{\"tools\": {list}, \"nextCursor\": null}}, \"id\": 1}}"),
        ] {
            assert_eq!(parse(&text).expect("a list").len(), 1, "{text}");
        }
        assert_eq!(parse("[]").expect("an empty list"), Vec::<Value>::new());
        let expected =
            parse(r#"[{"name": "a", "inputSchema": {"type": "object"}}]"#).expect("a list");
        for text in [
            r#"{"model": "m", "tools": [{"type": "function", "function": {"name": "a", "parameters": {"type": "object"}}}]}"#,
            r#"[{"type": "function", "name": "a", "parameters": {"type": "object"}}]"#,
            r#"[{"name": "a", "input_schema": {"type": "object"}}]"#,
        ] {
            assert_eq!(parse(text).expect("a list"), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let check = |text: &str, message: &str| {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(message), "{text}: {error}");
        };
        check("", "not valid JSON");
        check("[{]", "not valid JSON");
        check("1", "not a tool list");
        check("{}", "not a tool list");
        check(r#"{"tools": {}}"#, "not a tool list");
        check("[1]", "index 0 is not a JSON object");
        check(r#"[{"name": "a"}, {}]"#, "index 1 has no `name`");
        check(r#"[{"name": ""}]"#, "index 0 has no `name`");
        check(&format!(r#"[{{"name": "{}"}}]"#, "a".repeat(1001)), "more than 1000 bytes");
        check(r#"{"tools": [], "nextCursor": "2"}"#, "one page of a longer tool list");
    }

    #[test]
    fn repeated_names_are_found() {
        let list = parse(r#"[{"name": "b"}, {"name": "a"}, {"name": "a"}, {"name": "b"}]"#);
        let list = list.expect("a list");
        assert_eq!(twice(&list), Some(("a", 1, 2)));
        let error = check_names(&list).expect_err("a name is there twice").to_string();
        assert_eq!(error, "the list contains the tool `a` twice, at index 1 and 2");
        assert!(check_names(&list[..2]).is_ok());
    }
}
