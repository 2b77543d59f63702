//! The types in JSDoc comments of JavaScript: `@type {A[]}`, `@param {A} name`, `@returns {A}`.
//!
//! Names of primitive types have their values; types without members that could be followed (`*`,
//! `Object`, functions) are unknown.

use crate::lang::chain::Chain;
use crate::lang::code_text::split;
use crate::lang::visit::Visit;

use super::types;

/// Maximum number of tags of one comment.
const TAGS_MAX: usize = 64;

/// Maximum nesting of a type.
const DEPTH_MAX: usize = 8;

/// Maximum number of type arguments, and of alternatives of a union.
const PARTS_MAX: usize = 8;

/// Maximum number of nodes around a function that its comment may precede.
const LEVELS_MAX: usize = 5;

/// Nodes whose comment is that of the function or value in them.
const OUTER: [&str; 9] = [
    "export_statement",
    "variable_declarator",
    "lexical_declaration",
    "variable_declaration",
    "assignment_expression",
    "expression_statement",
    "pair",
    "field_definition",
    "public_field_definition",
];

/// Names of types of which nothing is known, and of containers without the type of their elements.
const UNKNOWN: [&str; 11] = [
    "any", "unknown", "mixed", "Object", "object", "Function", "function", "Array", "Promise",
    "Map", "Set",
];

/// Returns the documentation comment of the visited function or value; empty in TypeScript, whose
/// types are written in the code.
pub(super) fn comment(visit: &Visit<'_, '_>) -> String {
    let has_types = visit.node().language().id_for_node_kind("type_predicate", true) != 0;
    if has_types {
        return String::new();
    }
    for level in 0..LEVELS_MAX {
        let text = visit.leading_text(level);
        if text.contains("/**") {
            // Of several comments, the last one.
            let start = text.rfind("/**").unwrap_or_default();
            return text[start..].to_owned();
        }
        if !OUTER.contains(&visit.ancestor_kind(level + 1)) {
            break;
        }
    }
    String::new()
}

/// Returns the chain of the type that a comment states by one of `tags`; with a `parameter`, of the one of
/// this name.
pub(super) fn tagged(comment: &str, tags: &[&str], parameter: Option<&str>) -> Option<Chain> {
    let found = tags.iter().flat_map(|tag| {
        let ends = comment.match_indices(tag).map(|(at, _)| at + tag.len());
        ends.take(TAGS_MAX)
    });
    found.filter_map(|end| typed(&comment[end..], parameter)).next()
}

/// Returns the chain of the type in the braces that the text after a tag begins with.
fn typed(after: &str, parameter: Option<&str>) -> Option<Chain> {
    let inner = after.trim_start_matches([' ', '\t']).strip_prefix('{')?;
    let end = closing(inner)?;
    let is_named = parameter.is_none_or(|parameter| {
        let rest = inner[end + 1..].trim_start().trim_start_matches('[');
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())] == parameter
    });
    is_named.then(|| of_written(&inner[..end], DEPTH_MAX))?
}

/// Returns the position of the brace that closes a type, without those that it opens itself.
fn closing(text: &str) -> Option<usize> {
    let mut level = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => level += 1,
            '}' if level == 0 => return Some(at),
            '}' => level -= 1,
            '\n' => return None,
            _ => {}
        }
    }
    None
}

/// Returns the chain of a value of a type as it is written.
fn of_written(written: &str, depth: usize) -> Option<Chain> {
    let depth = depth.checked_sub(1)?;
    let written = written.trim().trim_end_matches('=');
    if let Some(element) = written.strip_prefix("...") {
        return Some(types::container("Array", &[of_written(element, depth)]));
    }
    let written = written.trim_start_matches(['?', '!']).trim();
    let parts = split(written, b'|');
    if parts.len() > 1 {
        let is_empty = |part: &&str| matches!(part.trim(), "null" | "undefined" | "void");
        let parts = parts.into_iter().filter(|part| !is_empty(part)).take(PARTS_MAX);
        return Chain::one_of(parts.map(|part| of_written(part, depth)));
    }
    if let Some(element) = written.strip_suffix("[]") {
        return Some(types::container("Array", &[of_written(element, depth)]));
    }
    if let Some(inner) = written.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        return of_written(inner, depth);
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let end = written.find(|c| !is_name(c)).unwrap_or(written.len());
    let (name, after) = (written[..end].trim_end_matches('.'), &written[end..]);
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    match after {
        "" if UNKNOWN.contains(&name) => None,
        _ if name == "Object" => container("Record", after, depth),
        "" if name == "this" => Some(Chain::own()),
        "" => Some(Chain::instance(name)),
        _ => container(name, after, depth),
    }
}

/// Returns the chain of a value of a type with arguments, which are written in angle brackets.
fn container(name: &str, after: &str, depth: usize) -> Option<Chain> {
    let inner = after.strip_prefix('<')?.strip_suffix('>')?;
    let arguments = split(inner, b',').into_iter().take(PARTS_MAX);
    let arguments: Vec<Option<Chain>> = arguments.map(|of| of_written(of, depth)).collect();
    Some(types::container(name, &arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read() {
        let comment = "/**\n * @param {Item} one the first\n * @param {!Item[]} [all=[]] all\n \
                       * @param {(string | undefined)} name\n * @param {*} any\n \
                       * @returns {Promise<Item>}\n */";
        let of = |name: &str| {
            let chain = tagged(comment, &["@param"], Some(name));
            chain.map(|chain| chain.as_str().to_owned())
        };
        assert_eq!(of("one").as_deref(), Some("@Item"));
        assert_eq!(of("all").as_deref(), Some("@Array<Item>"));
        assert_eq!(of("name").as_deref(), Some("@string"));
        assert_eq!(of("any"), None);
        assert_eq!(of("none"), None);
        let result = tagged(comment, &["@returns", "@return"], None);
        assert_eq!(result.map(|it| it.as_str().to_owned()).as_deref(), Some("@Promise<Item>"));
    }
}
