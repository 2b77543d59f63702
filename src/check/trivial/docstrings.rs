//! Strings that are documentation: docstrings of Python and Julia, attributes of Elixir, POD of Perl.

/// Names of Elixir's attributes with documentation.
const ELIXIR: &[&str] = &["@doc", "@moduledoc", "@shortdoc", "@typedoc"];

/// Starts of definitions that a docstring of Julia documents.
const JULIA: &[&str] = &[
    "abstract type ",
    "const ",
    "function ",
    "macro ",
    "module ",
    "mutable struct ",
    "primitive type ",
    "struct ",
];

/// Returns the length of the documentation at the start of `text`; `code` is what comes before it, and
/// `is_open` is true inside of brackets.
pub(super) fn length(language: &str, text: &str, code: &str, is_open: bool) -> Option<usize> {
    // It is called for each character.
    let may_begin = match language {
        "python" => text.starts_with(['"', '\'', 'r', 'R', 'u', 'U']),
        "julia" => text.starts_with('"'),
        "elixir" => text.starts_with(['"', '\'', '~']),
        "perl" => text.starts_with('='),
        _ => false,
    };
    if !may_begin || is_open {
        return None;
    }
    let line = code.rsplit('\n').next().unwrap_or(code);
    let is_first = line.trim().is_empty();
    match language {
        "python" if is_first => statement(text, code),
        "julia" if is_first => {
            let length = statement(text, code)?;
            let next = text[length..].trim_start();
            JULIA.iter().any(|word| next.starts_with(word)).then_some(length)
        }
        "elixir" if ELIXIR.contains(&line.trim()) => {
            let sigil =
                ["~S", "~s"].iter().find(|of| text.starts_with(**of)).map_or(0, |of| of.len());
            Some(sigil + string(&text[sigil..])?)
        }
        "perl" if line.is_empty() && text.starts_with('=') => {
            text[1..].starts_with(|c: char| c.is_ascii_alphabetic()).then_some(())?;
            let end = text.find("\n=cut").map(|at| at + "\n=cut".len());
            let end = end
                .map_or(text.len(), |end| text[end..].find('\n').map_or(text.len(), |at| end + at));
            Some(end)
        }
        _ => None,
    }
}

/// Returns the length of the string at the start of `text` if it is a statement of its own, which does
/// nothing.
fn statement(text: &str, code: &str) -> Option<usize> {
    if code.trim_end().ends_with('\\') {
        return None;
    }
    let prefix = text.len() - text.trim_start_matches(['r', 'R', 'u', 'U']).len();
    (prefix <= 1).then_some(())?;
    let length = prefix + string(&text[prefix..])?;
    let rest = text[length..].split('\n').next().unwrap_or_default().trim_start();
    (rest.trim_end().is_empty() || rest.starts_with('#')).then_some(length)
}

/// Returns the length of the string in double, single or triple quotes at the start of `text`.
fn string(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let triple: String = [quote; 3].iter().collect();
    let is_triple = text.starts_with(&triple);
    let open = if is_triple { 3 } else { 1 };
    let close = if is_triple { triple.as_str() } else { &triple[..1] };
    let mut is_escaped = false;
    for (at, c) in text[open..].char_indices() {
        if !is_escaped && text[open + at..].starts_with(close) {
            return Some(open + at + close.len());
        }
        if c == '\n' && !is_triple {
            return None;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_strings_that_do_nothing_are_documentation() {
        let check = |language: &str, code: &str, text: &str, expected: Option<usize>| {
            assert_eq!(length(language, text, code, false), expected, "{language} {text:?}");
        };
        check("python", "def a():\n    ", "\"\"\"A\n'b'\n\"\"\"\n    return", Some(12));
        check("python", "", "'a'\n", Some(3));
        check("python", "def a():\n    ", "r'''a'''  # b\n", Some(8));
        check("python", "x = ", "'a'\n", None);
        check("python", "x = \\\n", "'a'\n", None);
        check("python", "", "'a'.join(x)\n", None);
        check("python", "", "f'{a()}'\n", None);
        check("elixir", "  @doc ", "\"\"\"\na\n\"\"\"\n", Some(9));
        check("elixir", "  @a ", "\"b\"\n", None);
        check("julia", "", "\"a\"\nfunction f() end\n", Some(3));
        check("julia", "function f()\n    ", "\"a\"\nend\n", None);
        check("perl", "", "=head1 A\n\nb\n\n=cut\nx\n", Some(17));
        assert_eq!(length("python", "'a'\n", "x = [\n", true), None);
    }
}
