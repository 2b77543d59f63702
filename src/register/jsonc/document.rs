//! A text of JSON with comments and where everything stands in it.

use jsonc_parser::ast::{self, Object, ObjectProp};
use jsonc_parser::tokens::TokenAndRange;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::Value;

use crate::error::{Error, Result};

/// A parsed text.
pub(super) struct Document<'a> {
    pub(super) text: &'a str,
    /// Everything but blanks, in order, comments too.
    pub(super) tokens: Vec<TokenAndRange<'a>>,
    value: Option<ast::Value<'a>>,
}

impl<'a> Document<'a> {
    /// Parses `text`: comments and trailing commas are allowed, nothing else that JSON forbids; objects and
    /// lists may be 512 deep, which the parser sees to.
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
            Error::usage(format!("is no JSON at line {line}, column {column}: {what}"))
                .with_hint("mend it there and run this again; nothing was changed in it")
        })?;
        let tokens = parsed.tokens.unwrap_or_default();
        Ok(Document { text, tokens, value: parsed.value })
    }

    /// Returns the object that the text is; `None` where it has nothing but comments.
    pub(super) fn root(&self) -> Result<Option<&Object<'a>>> {
        match &self.value {
            None => Ok(None),
            Some(ast::Value::Object(root)) => Ok(Some(root)),
            Some(_) => Err(Error::usage("is no JSON object")
                .with_hint("settings are `{…}`; mend it and run this again")),
        }
    }

    /// Returns what the text says, an empty object where it has nothing but comments.
    pub(super) fn value(&self) -> Value {
        self.value.as_ref().map_or_else(|| Value::Object(Default::default()), value)
    }

    /// Returns the tokens that begin in `from..to`.
    pub(super) fn tokens_in(&self, from: usize, to: usize) -> &[TokenAndRange<'a>] {
        let first = self.tokens.partition_point(|token| token.range.start < from);
        let last = self.tokens.partition_point(|token| token.range.start < to);
        &self.tokens[first..last.max(first)]
    }
}

/// Returns the only member `key` of `object`, where there is one.
///
/// # Errors
///
/// Where there are several: which of them counts differs from program to program.
pub(super) fn unique<'a, 'b>(
    object: &'b Object<'a>,
    key: &str,
) -> Result<Option<&'b ObjectProp<'a>>> {
    let mut found = object.properties.iter().filter(|member| member.name.as_str() == key);
    let first = found.next();
    match found.next() {
        Some(_) => Err(Error::usage(format!("has the key `{key}` twice in one object"))
            .with_hint("keep one of them and run this again")),
        None => Ok(first),
    }
}

/// Returns what a value says, to compare it; numbers as they are written. Depth is bounded by the parser.
pub(super) fn value(value: &ast::Value<'_>) -> Value {
    match value {
        ast::Value::StringLit(text) => Value::from(text.value.as_ref()),
        // A key of its own, so that no text of the same figures is equal.
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
