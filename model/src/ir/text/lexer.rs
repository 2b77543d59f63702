//! Tokens of the text form.

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name or keyword; `true` where it stood in backticks.
    Name(String, bool),
    /// A text in quotes.
    Text(String),
    /// A number, as written.
    Number(String),
    /// `@first-last`.
    Place(u32, u32),
    /// Anything else.
    Sign(&'static str),
    /// The end.
    End,
}

const SIGNS: [&str; 24] = [
    "->", "::", "(", ")", "{", "}", "<", ">", "[", "]", ",", ":", ".", "=", "|", "&", "?", "!",
    "*", "^", "-", "+", ";", "/",
];

/// Returns the tokens of `text`, each with its line.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, u32)>, String> {
    let mut found = Vec::new();
    for (line, content) in text.lines().enumerate() {
        let line = super::size(line + 1);
        let mut rest = content.trim_start();
        while !rest.is_empty() {
            let (token, length) = next(rest).ok_or_else(|| {
                format!("line {line}: `{rest}` starts with no token of the text form")
            })?;
            found.push((token, line));
            rest = rest[length..].trim_start();
        }
    }
    let last = found.last().map_or(1, |&(_, line)| line);
    found.push((Token::End, last));
    Ok(found)
}

fn next(rest: &str) -> Option<(Token, usize)> {
    let first = rest.chars().next()?;
    match first {
        '@' => place(rest),
        '"' | '`' => {
            let end = rest[1..].find(first)? + 1;
            let inner = rest[1..end].to_string();
            let token = if first == '"' { Token::Text(inner) } else { Token::Name(inner, true) };
            Some((token, end + 1))
        }
        _ if first.is_ascii_digit() => {
            let end = length(rest, |c| c.is_ascii_digit());
            let fraction =
                length(rest[end..].strip_prefix('.').unwrap_or(""), |c| c.is_ascii_digit());
            let end = if fraction > 0 { end + 1 + fraction } else { end };
            Some((Token::Number(rest[..end].to_string()), end))
        }
        _ if is_name(first) => {
            let end = length(rest, is_name);
            Some((Token::Name(rest[..end].to_string(), false), end))
        }
        _ => {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign))?;
            Some((Token::Sign(sign), sign.len()))
        }
    }
}

fn place(rest: &str) -> Option<(Token, usize)> {
    let digits = length(&rest[1..], |c| c.is_ascii_digit());
    let first = rest[1..=digits].parse().ok()?;
    let Some(after) = rest[1 + digits..].strip_prefix('-') else {
        return Some((Token::Place(first, first), 1 + digits));
    };
    let more = length(after, |c| c.is_ascii_digit());
    Some((Token::Place(first, after[..more].parse().ok()?), 2 + digits + more))
}

fn length(text: &str, accepts: impl Fn(char) -> bool) -> usize {
    text.find(|c| !accepts(c)).unwrap_or(text.len())
}

/// Returns whether `c` can stand in a name without backticks.
pub(super) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}
