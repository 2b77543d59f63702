//! Texts for a terminal: what others wrote cannot move the cursor, start an escape sequence or hide
//! text. Output that goes elsewhere is not changed.

use crate::answer::style::Part;
use crate::base::text::is_unsafe;

/// The sequence that ends a colour.
pub(super) const RESET: &str = "\x1b[0m";

/// Returns the sequence that begins the colour of a part. Paths, lines and matches are as in ripgrep:
/// magenta, green, red and bold.
pub(super) fn color(part: Part) -> &'static str {
    match part {
        Part::Path => "\x1b[35m",
        Part::Line | Part::Good | Part::Literal => "\x1b[32m",
        Part::Name | Part::Title => "\x1b[1m",
        Part::Match | Part::Worst => "\x1b[1;31m",
        Part::Faint | Part::Comment => "\x1b[2m",
        Part::Drawing => "\x1b[36m",
        Part::Fair => "\x1b[33m",
        Part::Bad => "\x1b[31m",
        Part::Keyword => "\x1b[34m",
    }
}

/// Returns false if `NO_COLOR` or the type of the terminal disables colours.
pub(super) fn environment_allows_colors() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    std::env::var_os("NO_COLOR").is_none() && !is_dumb
}

/// Returns a text with every unsafe character escaped, except line ends and tabs.
pub(super) fn escaped(text: &str) -> String {
    escaped_except(text, &|_| None)
}

/// Returns [`escaped`] for a reply in colour: the colours that replies use stay, and links for which
/// `is_link` returns true. A file can contain the same colours, which does no harm.
pub(super) fn escaped_styled(text: &str, is_link: &dyn Fn(&str) -> bool) -> String {
    escaped_except(text, &|rest| {
        let mut colors = Part::ALL.iter().map(|part| color(*part)).chain([RESET]);
        let kept = colors.find(|color| rest.starts_with(color)).map(str::len);
        kept.or_else(|| {
            let url = rest.strip_prefix("\x1b]8;;")?;
            let url = &url[..url.find("\x1b\\")?];
            (url.is_empty() || is_link(url)).then_some("\x1b]8;;".len() + url.len() + 2)
        })
    })
}

/// Returns a JSON text with every unsafe character as `\u` and its code. It means the same.
pub(super) fn escaped_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || !is_unsafe(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

/// Escapes a text; `kept` returns the length of a sequence at the start of its argument that stays.
fn escaped_except(text: &str, kept: &dyn Fn(&str) -> Option<usize>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c| is_unsafe(c) && !matches!(c, '\n' | '\t')) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let unsafe_char = rest.chars().next().unwrap_or_default();
        let len = match kept(rest) {
            Some(len) => {
                out.push_str(&rest[..len]);
                len
            }
            None => {
                out.extend(unsafe_char.escape_default());
                unsafe_char.len_utf8()
            }
        };
        rest = &rest[len..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        let check = |text: &str, expected: &str| {
            assert_eq!(escaped(text), expected);
            assert_eq!(escaped_styled(text, &|_| false), expected);
        };
        check("fn a() {\n\treturn \"ä\";\n}\n", "fn a() {\n\treturn \"ä\";\n}\n");
        check("a\x1b]0;title\x07b", "a\\u{1b}]0;title\\u{7}b");
        check("a\x1b[2J\rb\x08", "a\\u{1b}[2J\\rb\\u{8}");
        check("\u{9b}31m\u{202e}x\u{e0041}", "\\u{9b}31m\\u{202e}x\\u{e0041}");
        check("\x1b]8;;http://x\x1b\\t", "\\u{1b}]8;;http://x\\u{1b}\\t");
    }

    #[test]
    fn colours_and_links_of_replies_stay() {
        let is_link = |url: &str| url == "file:///a";
        let link = "\x1b]8;;file:///a\x1b\\\x1b[35ma\x1b[0m\x1b]8;;\x1b\\\n";
        assert_eq!(escaped_styled(link, &is_link), link);
        let other = "\x1b]8;;file:///b\x1b\\";
        assert_eq!(escaped_styled(other, &is_link), "\\u{1b}]8;;file:///b\\u{1b}\\");
        assert_eq!(escaped_styled("\x1b[41m", &is_link), "\\u{1b}[41m");
    }

    #[test]
    fn json_keeps_its_meaning() {
        let text = serde_json::to_string("a\u{9b}\u{202e}\u{e0041}\u{7f}\n").expect("a string");
        let escaped = escaped_json(&text);
        assert!(escaped.is_ascii(), "{escaped}");
        let (before, after): (String, String) = (
            serde_json::from_str(&text).expect("JSON"),
            serde_json::from_str(&escaped).expect("JSON"),
        );
        assert_eq!(before, after);
    }
}
