//! Types in PHP's documentation comments: `@var`, `@param` and `@return`.

use super::values;
use crate::lang::facts::Chain;

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
