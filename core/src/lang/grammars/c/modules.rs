//! Modules of C++20, which the grammar does not know: `export` before declarations, `module a.b;` and
//! `import a.b;`.
//!
//! The word `export` and the other lines are masked by spaces, and so are the braces of `export { … }`.

use crate::lang::grammars::blank;

/// A keyword of C++ before any declaration.
const EXPORT: &[u8] = b"export";

/// Masks the words and lines in `masked`, which has the length of `text`. O(bytes), and for each
/// `export {` up to its end.
pub(super) fn mask(text: &[u8], masked: &mut [u8]) {
    for (start, line) in blank::lines(text) {
        let code = line.trim_ascii_start();
        let at = start + line.len() - code.len();
        let exported = after_word(code, EXPORT);
        let declared = exported.unwrap_or(code);
        if is_of_module(declared, exported.is_some()) {
            let end = declared.iter().position(|&byte| byte == b';').unwrap_or(0) + 1;
            masked[at..at + code.len() - declared.len() + end].fill(b' ');
        } else if let Some(declared) = exported {
            masked[at..at + EXPORT.len()].fill(b' ');
            let open = at + code.len() - declared.len();
            if text[open] == b'{'
                && let Some(close) = closing(text, open)
            {
                masked[open] = b' ';
                masked[close] = b' ';
            }
        }
    }
}

/// Returns what follows a word and spaces at the start of a line.
fn after_word<'a>(line: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let rest = line.strip_prefix(word)?;
    let after = rest.trim_ascii_start();
    let is_end = rest.len() > after.len() || matches!(after, [b'{' | b'<' | b'"', ..]);
    (is_end && !after.is_empty()).then_some(after)
}

/// Returns true for `module;`, `module a.b:c;`, `import a.b;` and `import <header>;`. Without `export`,
/// `module` and `import` may also be types, whose variables are written with more than a name.
fn is_of_module(line: &[u8], is_exported: bool) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:".contains(byte);
    let is_path = |path: &[u8]| path.iter().all(is_part);
    let Some(end) = line.iter().position(|&byte| byte == b';') else { return false };
    let line = line[..end].trim_ascii();
    if let Some(name) = after_word(line, b"import") {
        let is_header = name.len() > 2
            && (name.starts_with(b"<") && name.ends_with(b">")
                || name.starts_with(b"\"") && name.ends_with(b"\""));
        return is_header || is_path(name);
    }
    let is_bare = !is_exported && line == b"module";
    is_bare || after_word(line, b"module").is_some_and(is_path)
}

/// Returns the brace that closes the one at the byte `open`. Strings and comments are not skipped, but
/// each rarely has braces that do not balance.
fn closing(text: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut masked = text.as_bytes().to_vec();
        super::mask(text.as_bytes(), &mut masked);
        assert_eq!(String::from_utf8_lossy(&masked), expected);
    }

    #[test]
    fn words_and_lines_of_modules_are_masked() {
        check("export int f();\n  export class A;", "       int f();\n         class A;");
        check("module;\nexport module a.b; // x", "       \n                   // x");
        check("import <map>;\nexport import :part;", "             \n                    ");
        check("export { int f() { } }\n}", "         int f() { }  \n}");
        check("export {", "       {");
    }

    #[test]
    fn other_code_stays_as_it_is() {
        let texts = [
            "exported a;",
            "module_t a;",
            "import(a);",
            "module a = b();",
            "a.export();",
            "export",
        ];
        texts.iter().for_each(|text| check(text, text));
    }
}
