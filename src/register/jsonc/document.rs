//! A parsed text of JSON with comments, with positions.

use jsonc_parser::ast::{self, Object, ObjectProp};
use jsonc_parser::tokens::TokenAndRange;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::Value;

use crate::error::{Error, Result};

/// A parsed text.
pub(super) struct Document<'a> {
    pub(super) text: &'a str,
    /// All tokens in order, including comments.
    pub(super) tokens: Vec<TokenAndRange<'a>>,
    value: Option<ast::Value<'a>>,
}

impl<'a> Document<'a> {
    /// Parses `text`. Comments and trailing commas are allowed, no other extension of JSON. The
    /// parser limits the depth of objects and lists to 512.
    pub(super) fn parse(text: &'a str) -> Result<Document<'a>> {
        let collected =
            CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let allowed = ParseOptions {
            allow_comments: true,
            allow_loose_object_property_names: false,
            allow_trailing_commas: true,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(text, &collected, &allowed).map_err(|error| {
            let (line, column) = (error.line_display(), error.column_display());
            let what = error.kind().to_string().to_lowercase();
            Error::usage(format!("invalid JSON at line {line}, column {column}: {what}"))
                .with_hint("the file was not changed; fix the error and run the command again")
        })?;
        let tokens = parsed.tokens.unwrap_or_default();
        Ok(Document { text, tokens, value: parsed.value })
    }

    /// Returns the root object; `None` if the text contains only comments.
    pub(super) fn root(&self) -> Result<Option<&Object<'a>>> {
        match &self.value {
            None => Ok(None),
            Some(ast::Value::Object(root)) => Ok(Some(root)),
            Some(_) => {
                Err(Error::usage("not a JSON object").with_hint("settings must be an object `{…}`"))
            }
        }
    }

    /// Returns the value of the text; an empty object if it contains only comments.
    pub(super) fn value(&self) -> Value {
        self.value.as_ref().map_or_else(|| Value::Object(Default::default()), value)
    }

    /// Returns the tokens that start in `from..to`.
    pub(super) fn tokens_in(&self, from: usize, to: usize) -> &[TokenAndRange<'a>] {
        let first = self.tokens.partition_point(|token| token.range.start < from);
        let last = self.tokens.partition_point(|token| token.range.start < to);
        &self.tokens[first..last.max(first)]
    }
}

/// Returns the only member `key` of `object`, if there is one.
///
/// # Errors
///
/// If there are several, because programs differ in which of them they use.
pub(super) fn unique<'a, 'b>(
    object: &'b Object<'a>,
    key: &str,
) -> Result<Option<&'b ObjectProp<'a>>> {
    let mut found = object.properties.iter().filter(|member| member.name.as_str() == key);
    let first = found.next();
    match found.next() {
        Some(_) => Err(Error::usage(format!("duplicate key `{key}` in one object"))
            .with_hint("remove one of them and run the command again")),
        None => Ok(first),
    }
}

/// Returns a value for comparison; numbers keep their spelling. The parser bounds the depth.
pub(super) fn value(value: &ast::Value<'_>) -> Value {
    match value {
        ast::Value::StringLit(text) => Value::from(text.value.as_ref()),
        // The object distinguishes a number from a string with the same digits.
        ast::Value::NumberLit(number) => serde_json::json!({"number": number.value}),
        ast::Value::BooleanLit(flag) => Value::from(flag.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(list) => list.elements.iter().map(self::value).collect(),
        ast::Value::Object(object) => {
            let members = object.properties.iter();
            members
                .map(|member| (member.name.as_str().to_owned(), self::value(&member.value)))
                .collect()
        }
    }
}
