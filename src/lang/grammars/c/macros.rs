//! Macros that define or that open a namespace: `TEST(Suite, Name) { … }`, `DEFINE_MUTEX(name);`,
//! `QT_BEGIN_NAMESPACE`. They are recognized by their spelling in capitals and by their form.

use crate::lang::node::NodeNames;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

/// Maximum length of the arguments of a macro before a body.
const ARGUMENTS_BYTES_MAX: usize = 400;

/// Returns true for a name in capitals with at least three letters, digits and underscores.
fn is_capitals(name: &[u8]) -> bool {
    let is_capital =
        |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    name.len() > 2 && name[0].is_ascii_uppercase() && name.iter().all(is_capital)
}

/// Returns true for a macro whose first argument is a group of tests and whose second one is the
/// name of a test.
fn names_suite(name: &[u8]) -> bool {
    memchr::memmem::find(name, b"TEST").is_some() || name.ends_with(b"_F")
}

/// Blanks out, in `masked`, macros such as `QT_BEGIN_NAMESPACE` that are alone on their lines, and
/// if `is_c`, all arguments but the name of a macro with a body: `TEST(Suite, Name) {` becomes
/// `TEST(       Name) {`, which the grammar parses as a function. O(text).
pub(super) fn mask(text: &[u8], masked: &mut [u8], is_c: bool) {
    let (mut start, mut before, mut is_directive) = (0, b';', false);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let words = line.trim_ascii();
        let at = start + (line.len() - line.trim_ascii_start().len());
        start += line.len();
        is_directive |= words.starts_with(b"#");
        let (is_skipped, continues) = (is_directive, words.ends_with(b"\\"));
        is_directive &= continues;
        let Some(last) = words.last().filter(|_| !is_skipped && !words.starts_with(b"//")) else {
            continue;
        };
        if matches!(before, b';' | b'}' | b'{' | b'/' | b')') && words[0].is_ascii_uppercase() {
            let len = opening_len(words).filter(|_| !continues_list(&text[start..], before));
            if let Some(len) = len {
                masked[at..at + len].fill(b' ');
                continue;
            }
            if is_c && at + line.len() == start {
                keep_name(&text[at..], &mut masked[at..]);
            }
        }
        before = *last;
    }
}

/// Returns the length of the macro on a line that opens or closes a namespace or a list of
/// declarations, with or without arguments: `QT_BEGIN_NAMESPACE`,
/// `PYBIND11_NAMESPACE_BEGIN(detail)`.
fn opening_len(line: &[u8]) -> Option<usize> {
    let is_end = |byte: &u8| !byte.is_ascii_alphanumeric() && *byte != b'_';
    let (name, rest) = line.split_at(line.iter().position(is_end).unwrap_or(line.len()));
    let arguments = match rest.first() {
        Some(b'(') => rest.iter().position(|&byte| byte == b')')? + 1,
        _ => 0,
    };
    let after = rest[arguments..].trim_ascii_start();
    let has_no_more = after.is_empty() || after.starts_with(b"//") || after.starts_with(b"/*");
    let is_mark = |word: &[u8]| {
        matches!(word, b"BEGIN" | b"END" | b"OPEN" | b"CLOSE" | b"ENTER" | b"EXIT" | b"LEAVE")
    };
    let mut words = name.split(|&byte| byte == b'_').filter(|word| !word.is_empty());
    let is_macro = is_capitals(name) && words.clone().count() > 1 && words.any(is_mark);
    (has_no_more && is_macro).then_some(name.len() + arguments)
}

/// Returns true if a name before the text `after` and after the byte `before` can belong to a list:
/// `enum { A_END }`.
fn continues_list(after: &[u8], before: u8) -> bool {
    let next = after.iter().find(|byte| !byte.is_ascii_whitespace());
    match next {
        None => false,
        Some(b'}') => before == b'{',
        Some(next) => !next.is_ascii_alphabetic() && !matches!(next, b'_' | b'#' | b'/' | b'['),
    }
}

/// Blanks out all arguments but the name of the macro at the start of `text`, if it has a body.
fn keep_name(text: &[u8], masked: &mut [u8]) {
    let text = &text[..text.len().min(ARGUMENTS_BYTES_MAX)];
    let Some(open) = text.iter().position(|&byte| byte == b'(') else { return };
    let Some(close) = text.iter().position(|&byte| byte == b')') else { return };
    if open > close || !is_capitals(&text[..open]) {
        return;
    }
    let arguments = &text[open + 1..close];
    let has_body = text[close + 1..].trim_ascii_start().starts_with(b"{");
    if !has_body || !arguments.contains(&b',') || arguments.contains(&b'"') {
        return;
    }
    let mut parts = arguments.split(|&byte| byte == b',');
    let first = parts.next().unwrap_or_default();
    let second = parts.next().unwrap_or_default();
    let (name, start) = if names_suite(&text[..open]) && parts.next().is_none() {
        (second, open + 1 + first.len() + 1)
    } else {
        (first, open + 1)
    };
    let kept = start..start + name.len();
    let name = name.trim_ascii();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if name.is_empty() || !name.iter().all(is_name) {
        return;
    }
    for at in (open + 1..close).filter(|at| !kept.contains(at)) {
        if text[at] != b'\n' {
            masked[at] = b' ';
        }
    }
}

/// Returns the function that the visited macro with a body defines.
pub(super) fn function<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let declarator = node.field("declarator")?;
    // The constructor of a type whose name is in capitals.
    if visit.ancestor_kind(1) == "field_declaration_list" {
        return None;
    }
    let (word, name) = match (declarator.kind_name(), node.field("type")) {
        // `TEST(Name) {` in C.
        ("parenthesized_declarator", Some(word)) => (word, declarator.named_child(0)?),
        // `TEST(Suite, Name) {` in C++ looks like a constructor.
        ("function_declarator", None) => {
            let list = declarator.field("parameters")?;
            let word = declarator.field("declarator")?;
            let is_suite = names_suite(visit.bytes(word)) && list.named_child_count() == 2;
            let parameter = list.named_child(u32::from(is_suite))?;
            let is_name = parameter.kind_name() == "parameter_declaration"
                && parameter.named_child_count() == 1;
            (word, parameter.named_child(0).filter(|_| is_name)?)
        }
        _ => return None,
    };
    let is_name = matches!(name.kind_name(), "identifier" | "type_identifier");
    if !is_name || !is_capitals(visit.bytes(word)) {
        return None;
    }
    let mut definition = Definition::new(visit, SymbolKind::Function, name);
    definition.body = node.field("body");
    Some(definition)
}

/// Returns the variable that the visited statement defines: `DEFINE_MUTEX(name);`.
pub(super) fn variable<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let parent = visit.ancestor_kind(1);
    let is_outside =
        matches!(parent, "translation_unit" | "declaration_list") || parent.starts_with("preproc_");
    let call = visit.node().named_child(0).filter(|call| call.kind_name() == "call_expression")?;
    let word = visit.bytes(call.field("function")?);
    if !is_outside || !(word.starts_with(b"DEFINE_") || contains(word, b"_DEFINE_")) {
        return None;
    }
    // The first argument of these is the type.
    let index = u32::from(contains(word, b"PER_CPU"));
    let name = call.field("arguments")?.named_child(index)?;
    (name.kind_name() == "identifier").then(|| Definition::new(visit, SymbolKind::Variable, name))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}

#[cfg(test)]
mod tests {
    use super::mask;

    /// Checks the masked `text` against `expected`, in which a `.` represents each blanked byte.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut masked = text.as_bytes().to_vec();
        mask(text.as_bytes(), &mut masked, true);
        let pairs = masked.iter().zip(text.bytes());
        let marked = pairs.map(|(&masked, byte)| if masked == byte { byte } else { b'.' });
        assert_eq!(String::from_utf8_lossy(&marked.collect::<Vec<u8>>()), expected);
    }

    #[test]
    fn macros_around_declarations_are_blanked() {
        check("QT_BEGIN_NAMESPACE\nclass A {};\n", "..................\nclass A {};\n");
        check("int a;\nA_NAMESPACE_END(b)\n", "int a;\n..................\n");
        check("#if X\nG_BEGIN_DECLS // C\n#endif\n", "#if X\n............. // C\n#endif\n");
    }

    #[test]
    fn names_in_lists_and_calls_are_unchanged() {
        for text in [
            "enum { A,\n A_END\n};\n",
            "enum {\n A_END\n};\n",
            "x =\nA_BEGIN_B\n;\n",
            "int f(void) {\n return\n A_END;\n}\n",
            "A_BEGIN(x);\n",
            "#define A \\\nB_BEGIN_C\n",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn only_the_name_of_a_defining_macro_is_kept() {
        check("TEST(Suite, Name) {\n}\n", "TEST(...... Name) {\n}\n");
        check("PROG(name, int x)\n{\n}\n", "PROG(name. ... .)\n{\n}\n");
        check("TEST(name) {}\n", "TEST(name) {}\n");
        check("LIST(a, b);\n", "LIST(a, b);\n");
        check("TEST(\"a\", b) {}\n", "TEST(\"a\", b) {}\n");
    }
}
