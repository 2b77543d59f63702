//! Regular expressions that match the names of tests.

/// Returns a regular expression that matches exactly a name. Characters that a shell or a program in
/// between could change match any character.
pub(super) fn literal(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        match c {
            '\'' | '"' | '`' | '\\' | '!' | '<' | '>' | '&' | ';' | '%' => text.push('.'),
            // A point matches no line break, a class without a letter does.
            '\n' | '\r' => text.push_str("[^a]"),
            c if c.is_control() => text.push('.'),
            // No escape that JSON, a template or another shell would remove. `[` in a class means something
            // else to some programs.
            '[' | ']' | '^' | '/' => text.push('.'),
            '(' | ')' | '{' | '}' | '+' | '*' | '?' | '$' | '|' | '.' => {
                text.push('[');
                text.push(c);
                text.push(']');
            }
            c => text.push(c),
        }
    }
    text
}

/// Returns a regular expression that matches the titles that a title with placeholders stands for:
/// `${…}`, `%s` and `$name` match any text.
pub(super) fn title(title: &str) -> String {
    let mut text = String::new();
    let mut rest = title;
    let mut plain = String::new();
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        let placeholder = match c {
            '$' if after.starts_with('{') => Some(closing(after).unwrap_or(after.len())),
            '$' if after.starts_with('#') => Some(1),
            '$' if after.starts_with(is_name) => {
                Some(after.find(|c| !is_name(c)).unwrap_or(after.len()))
            }
            '%' if after
                .starts_with(['s', 'd', 'i', 'f', 'j', 'o', 'O', 'p', 'c', '#', '$', '%']) =>
            {
                Some(1)
            }
            _ => None,
        };
        match placeholder {
            Some(length) => {
                text.push_str(&literal(&plain));
                plain.clear();
                text.push_str(".*");
                rest = &after[length..];
            }
            None => {
                plain.push(c);
                rest = after;
            }
        }
    }
    text.push_str(&literal(&plain));
    text
}

/// Returns the length of `{…}` at the start of a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns `^(a|b)$`.
pub(super) fn whole(patterns: &[String]) -> String {
    match patterns {
        [one] => format!("^{one}$"),
        several => format!("^({})$", several.join("|")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_names_and_placeholders() {
        for (name, expected) in [
            ("adds two", "adds two"),
            ("a.b (c)", "a[.]b [(]c[)]"),
            ("it's `x`", "it.s .x."),
            ("[]", ".."),
            ("a\n  b", "a[^a]  b"),
            ("Ünï", "Ünï"),
        ] {
            assert_eq!(literal(name), expected);
        }
        for (name, expected) in [
            ("adds %i to $other.x", "adds .* to .*"),
            ("takes ${f({a: 1})} names", "takes .* names"),
            ("50 % off", "50 . off"),
            ("$#: x", ".*: x"),
            ("${open", ".*"),
        ] {
            assert_eq!(title(name), expected);
        }
        assert_eq!(whole(&["a".into(), "b".into()]), "^(a|b)$");
    }
}
