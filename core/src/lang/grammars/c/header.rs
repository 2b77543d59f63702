//! Distinguishes headers of C++ and Objective-C from those of C, which have the same suffix.

use memchr::memmem;

use super::CPP;
use crate::lang::grammars::blank::blank;
use crate::lang::grammars::objc::OBJC;
use crate::lang::language::Language;

/// Returns Objective-C or C++ for a header that contains a line that is only valid in one of these.
pub(super) fn refine(head: &[u8]) -> Option<&'static Language> {
    let starts: [&[u8]; 4] = [b"@interface ", b"@protocol ", b"@class ", b"#import "];
    let is_objc = |line: &[u8]| starts.iter().any(|start| line.starts_with(start));
    if head.split(|&byte| byte == b'\n').any(is_objc) { Some(&OBJC) } else { header_of_cpp(head) }
}

/// Returns C++ for a header that contains a line, or the end of a declaration,
/// that is only valid in C++.
fn header_of_cpp(head: &[u8]) -> Option<&'static Language> {
    let starts: [&[u8]; 9] = [
        b"class ",
        b"namespace ",
        b"template<",
        b"template <",
        b"public:",
        b"private:",
        b"protected:",
        b"using ",
        b"inline namespace ",
    ];
    let is_cpp = |line: &[u8]| {
        let line = line.trim_ascii();
        let is_start = starts.iter().any(|start| line.starts_with(start)) && !line.ends_with(b",");
        is_start || is_standard_include(line)
    };
    let has_line = head.split(|&byte| byte == b'\n').any(is_cpp);
    (has_line || has_const_member(head)).then_some(&CPP)
}

/// Returns true for the include of a header of C++'s standard library, which has no suffix:
/// `#include <string>`.
fn is_standard_include(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"#include").map(<[u8]>::trim_ascii_start);
    let name = rest.and_then(|rest| rest.strip_prefix(b"<")?.strip_suffix(b">"));
    name.is_some_and(|name| name.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'_'))
}

/// What follows `const` after the parameters of a member function.
const AFTER_CONST: [&[u8]; 5] = [b";", b"{", b"override", b"noexcept", b"final"];

/// Returns true if a member function has `const` after its parameters: `int f() const;`. C has
/// nothing of this form: there, a declaration of parameters follows (`int f(a) const char *a;`).
fn has_const_member(head: &[u8]) -> bool {
    // Most headers of C have no such text at all, so that nothing is copied for them.
    memmem::find(head, b"const").is_some() && {
        let code = code(head);
        memmem::find_iter(&code, b"const").any(|at| {
            let rest = code[at + b"const".len()..].trim_ascii_start();
            let is_pure = || {
                let value = rest.strip_prefix(b"=").map(<[u8]>::trim_ascii_start);
                value.is_some_and(|value| value.starts_with(b"0"))
            };
            code[..at].trim_ascii_end().ends_with(b")")
                && (AFTER_CONST.iter().any(|next| rest.starts_with(next)) || is_pure())
        })
    }
}

/// Returns the text without comments, literals and directives, which are blanked out.
fn code(head: &[u8]) -> Vec<u8> {
    let mut code = head.to_vec();
    let mut at = 0;
    let mut is_line_start = true;
    while at < head.len() {
        let rest = &head[at..];
        let len = match rest {
            [b'/', b'/', ..] => line_len(rest),
            [b'/', b'*', ..] => memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2),
            [quote @ (b'"' | b'\''), ..] => literal_len(rest, *quote),
            [b'#', ..] if is_line_start => line_len(rest),
            [byte, ..] => {
                is_line_start = *byte == b'\n' || is_line_start && byte.is_ascii_whitespace();
                at += 1;
                continue;
            }
            [] => break,
        };
        blank(&mut code[at..at + len]);
        at += len;
    }
    code
}

/// Returns the length of the line that `text` starts with, with the lines that continue it.
fn line_len(text: &[u8]) -> usize {
    let ends = memchr::memchr_iter(b'\n', text);
    let is_last = |end: &usize| !text[..*end].trim_ascii_end().ends_with(b"\\");
    ends.into_iter().find(is_last).unwrap_or(text.len())
}

/// Returns the length of the literal that `text` starts with. One that its line does not end, such
/// as an apostrophe in a number, is that character alone.
fn literal_len(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(&byte) = text.get(at).filter(|byte| **byte != b'\n') {
        if byte == quote {
            return at + 1;
        }
        at += if byte == b'\\' { 2 } else { 1 };
    }
    1
}
