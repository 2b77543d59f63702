//! PHP's documentation comments: the types of `@var`, `@param` and `@return`, and the members that
//! `@method` and `@mixin` add to a type.

use std::ops::Range;

use super::values;
use crate::lang::facts::Chain;

/// Maximum number of tags of one comment.
const TAGS_MAX: usize = 512;

/// A method that a comment declares: `@method static Type name(…)`. Ranges are in the comment.
pub(super) struct Method {
    pub(super) name: Range<usize>,
    /// From the type to the end of the parameters.
    pub(super) span: Range<usize>,
    /// The type of the result.
    pub(super) result: Option<Range<usize>>,
}

/// Returns the methods that a comment declares. O(comment).
pub(super) fn methods(comment: &str) -> Vec<Method> {
    let tags = comment.match_indices("@method").take(TAGS_MAX);
    tags.filter_map(|(at, tag)| method(comment, at + tag.len())).collect()
}

fn method(comment: &str, from: usize) -> Option<Method> {
    let line = comment[from..].lines().next()?;
    if !line.starts_with([' ', '\t']) {
        return None;
    }
    let start = from + (line.len() - line.trim_start().len());
    let (mut at, end) = (start, from + line.len());
    let mut result = None;
    // Words before the name: `static`, then the type.
    for _ in 0..3 {
        let rest = &comment[at..end];
        let name = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if name > 0 && rest[name..].trim_start().starts_with('(') {
            let close = rest.rfind(')').map_or(end, |close| at + close + 1);
            return Some(Method { name: at..at + name, span: start..close, result });
        }
        let word = type_end(rest);
        if &rest[..word] != "static" || result.is_some() {
            result = Some(at..at + word);
        }
        let after = &rest[word..];
        at += word + (after.len() - after.trim_start().len());
    }
    None
}

/// Returns the chain of the result of a method that a comment declares.
pub(super) fn result(comment: &str, method: &Method) -> Option<Chain> {
    values::of_written(&comment[method.result.clone()?])
}

/// Returns the types that a comment mixes into a type: `@mixin Type`.
pub(super) fn mixins(comment: &str) -> impl Iterator<Item = &str> {
    let tags = comment.match_indices("@mixin").take(TAGS_MAX);
    let types = tags.filter_map(|(at, tag)| {
        let after = comment[at + tag.len()..].strip_prefix([' ', '\t'])?.trim_start();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\\');
        Some(&after[..after.find(|c| !is_name(c)).unwrap_or(after.len())])
    });
    types.filter(|name| !name.is_empty())
}

/// Returns the chain of the type that the tag `tag` of a comment states. With a `variable` (`$name`),
/// the tag must name it after the type; for `@var`, a tag without a name counts as well.
pub(super) fn tagged(comment: &str, tag: &str, variable: Option<&str>) -> Option<Chain> {
    let tags = comment.match_indices(tag).map(|(at, _)| &comment[at + tag.len()..]);
    tags.filter_map(|after| {
        let after = after.strip_prefix([' ', '\t'])?.trim_start();
        let (of, rest) = after.split_at(type_end(after));
        let name = rest.trim_start().trim_start_matches(['&', '.']);
        let name = name.split(|c: char| c.is_whitespace() || c == '*').next().unwrap_or_default();
        let is_named = match variable {
            None => !name.starts_with('$'),
            Some(variable) => name == variable || tag == "@var" && !name.starts_with('$'),
        };
        is_named.then(|| values::of_written(of)).flatten()
    })
    .next()
}

/// Returns the chain of the bound of the type parameter `name`: `@template T of Bound`.
pub(super) fn bound(comment: &str, name: &str) -> Option<Chain> {
    let tags = comment.match_indices("@template").take(TAGS_MAX);
    tags.filter_map(|(at, tag)| {
        let line = comment[at + tag.len()..].lines().next()?;
        let mut words = line.trim_start_matches("-covariant").split_whitespace();
        let is_it = words.next() == Some(name) && matches!(words.next(), Some("of" | "as"));
        is_it.then(|| values::of_written(words.next()?)).flatten()
    })
    .next()
}

/// Returns the length of the type that `text` begins with: up to the first space outside of
/// brackets.
fn type_end(text: &str) -> usize {
    let mut level = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '{' | '[' => level += 1,
            '>' | ')' | '}' | ']' => level = level.saturating_sub(1),
            c if c.is_whitespace() && level == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_and_mixins_are_read() {
        let comment = "/**\n * @method static Item of(string $a) makes\n * @method list<A, B> all()\n \
                       * @method run ($a)\n * @method none\n * @mixin \\A\\Builder<T>\n */";
        let all: Vec<(&str, Option<String>)> = methods(comment)
            .iter()
            .map(|it| {
                let of = result(comment, it).map(|chain| chain.as_str().to_owned());
                (&comment[it.name.clone()], of)
            })
            .collect();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(all, [("of", some("@Item")), ("all", some("@list<A,B>")), ("run", None)]);
        assert_eq!(mixins(comment).collect::<Vec<_>>(), ["\\A\\Builder"]);
    }

    #[test]
    fn tags_are_read() {
        let comment = "/**\n * @param array<int, Item> $items all\n * @param Item|null $one\n \
                       * @return \\A\\Item[]\n * @var Item\n */";
        let of = |tag: &str, name: Option<&str>| {
            tagged(comment, tag, name).map(|chain| chain.as_str().to_owned())
        };
        assert_eq!(of("@param", Some("$items")).as_deref(), Some("@array<int,Item>"));
        assert_eq!(of("@param", Some("$one")).as_deref(), Some("@Item"));
        assert_eq!(of("@param", Some("$two")), None);
        assert_eq!(of("@return", None).as_deref(), Some("@array<\\A\\Item>"));
        assert_eq!(of("@var", Some("$any")).as_deref(), Some("@Item"));
    }
}
