//! The conditional directives of C: which code a compiler on Linux reads.
//!
//! Conditions are evaluated as far as the names of well-known macros determine them; the
//! configuration of a project is unknown.

use std::ops::Range;

/// The most branches around a position, and the most of one `#if` that are evaluated.
const BRANCHES_MAX: usize = 64;

/// Macros that other compilers and systems define, or parts of their names.
const ABSENT: &[&str] = &[
    "AMIGA",
    "ANDROID",
    "APPLE",
    "BEOS",
    "BORLANDC",
    "BSD",
    "CYGWIN",
    "DJGPP",
    "HAIKU",
    "HPUX",
    "INTERIX",
    "MINGW",
    "MINIX",
    "MSC_VER",
    "MSDOS",
    "MSVC",
    "OS2",
    "OS400",
    "QNX",
    "SOLARIS",
    "SUNOS",
    "SYMBIAN",
    "TANDEM",
    "VMS",
    "VXWORKS",
    "WATCOMC",
    "WIN32",
    "WIN64",
    "WINCE",
    "WINDOWS",
    "_AIX",
    "__DragonFly__",
    "__FreeBSD__",
    "__NetBSD__",
    "__OpenBSD__",
    "__clang_analyzer__",
    "__hpux",
    "__minix",
    "__sgi",
    "__sun",
];

/// Macros that a compiler on Linux defines.
const PRESENT: &[&str] = &["__GNUC__", "__STDC__", "__linux__", "__unix__", "linux", "unix"];

/// A branch of `#if`: its condition and the bytes that it contains.
#[derive(Debug)]
pub(super) struct Branch {
    span: Range<usize>,
    /// The directive as it is written: `ifdef A`, `if defined(A)`, `elif B`, `else`.
    directive: String,
    /// The first branch of the same `#if`.
    first: usize,
    /// The level of nesting; an include guard does not count.
    level: usize,
}

/// Returns the branches of conditional directives in the order of the text, without that of an
/// include guard. O(text).
pub(super) fn branches(text: &[u8]) -> Vec<Branch> {
    let (mut found, mut open, mut at) = (Vec::<Branch>::new(), Vec::<Option<usize>>::new(), 0);
    let mut is_first = true;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let end = at + line.len();
        let start = std::mem::replace(&mut at, end);
        let directive = line.trim_ascii_start().strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        let Some(directive) = directive else { continue };
        let is_guard = std::mem::take(&mut is_first) && directive.starts_with(b"ifndef");
        let level = open.iter().flatten().count();
        let written = || String::from_utf8_lossy(directive).trim_end().to_owned();
        if directive.starts_with(b"if") {
            open.push((!is_guard).then_some(found.len()));
            if !is_guard {
                let first = found.len();
                found.push(Branch { span: end..text.len(), directive: written(), first, level });
            }
        } else if directive.starts_with(b"el") {
            if let Some(&Some(last)) = open.last() {
                found[last].span.end = start;
                let (first, level) = (found[last].first, found[last].level);
                open.pop();
                open.push(Some(found.len()));
                found.push(Branch { span: end..text.len(), directive: written(), first, level });
            }
        } else if directive.starts_with(b"endif")
            && let Some(Some(last)) = open.pop()
        {
            found[last].span.end = start;
        }
    }
    found
}

/// Returns whether a compiler reads the byte `at`; `None` if the conditions do not determine it.
pub(super) fn is_read(branches: &[Branch], at: usize) -> Option<bool> {
    let before = branches.partition_point(|branch| branch.span.start <= at);
    let around = branches[..before].iter().rev().filter(|branch| at < branch.span.end);
    let mut all = Some(true);
    for branch in around.take(BRANCHES_MAX) {
        let earlier = branches[branch.first..].iter().take_while(|it| !std::ptr::eq(*it, branch));
        let earlier = earlier.filter(|it| it.first == branch.first).take(BRANCHES_MAX);
        let mut value = condition(&branch.directive);
        for other in earlier {
            value = and(value, condition(&other.directive).map(|value| !value));
        }
        all = and(all, value);
    }
    all
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Returns the value of a directive's own condition.
fn condition(directive: &str) -> Option<bool> {
    let end = directive.find(|c: char| !c.is_alphabetic()).unwrap_or(directive.len());
    let (word, rest) = directive.split_at(end);
    let name = rest.split_whitespace().next().unwrap_or_default();
    match word {
        "ifdef" | "elifdef" => is_defined(name),
        "ifndef" | "elifndef" => is_defined(name).map(|value| !value),
        "if" | "elif" => {
            let code = rest.split("/*").next().unwrap_or(rest);
            let code = code.split("//").next().unwrap_or(code);
            let mut tokens = Tokens { rest: code.trim() };
            let value = tokens.any();
            if tokens.rest.is_empty() { value } else { None }
        }
        _ => Some(true),
    }
}

/// Returns whether a macro is defined, as far as its name shows that.
fn is_defined(name: &str) -> Option<bool> {
    let has_part = |part: &str| {
        let is_word = part.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        name == part
            || is_word && name.split('_').any(|word| word == part)
            || part.contains('_') && name.contains(part)
    };
    if PRESENT.contains(&name) || name.starts_with("BUILDING_") {
        return Some(true);
    }
    // Settings that most configurations leave out.
    let is_off = ["AVOID", "DEBUG", "DEBUGBUILD", "DISABLE", "FUZZING", "MEMDEBUG", "VALGRIND"];
    let is_absent = ABSENT.iter().chain(&is_off).any(|part| has_part(part));
    if is_absent { Some(false) } else { None }
}

/// The rest of an expression.
struct Tokens<'t> {
    rest: &'t str,
}

impl<'t> Tokens<'t> {
    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token).map(str::trim_start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads `a || b`.
    fn any(&mut self) -> Option<bool> {
        let mut value = self.every();
        while self.takes("||") {
            let other = self.every();
            value = and(value.map(|value| !value), other.map(|other| !other)).map(|none| !none);
        }
        value
    }

    /// Reads `a && b`.
    fn every(&mut self) -> Option<bool> {
        let mut value = self.one();
        while self.takes("&&") {
            value = and(value, self.one());
        }
        value
    }

    /// Reads `!a`, `(a)`, `defined(A)`, a number; anything else has no value, and is skipped up to
    /// the next operator.
    fn one(&mut self) -> Option<bool> {
        if self.takes("!") {
            return self.one().map(|value| !value);
        }
        let value = if self.takes("(") {
            let value = self.any();
            if self.takes(")") { value } else { None }
        } else if self.takes("defined") {
            let has_bracket = self.takes("(");
            let value = is_defined(self.word());
            if has_bracket && !self.takes(")") { None } else { value }
        } else {
            match self.word() {
                "0" => Some(false),
                "1" => Some(true),
                _ => None,
            }
        };
        self.compared(value)
    }

    fn word(&mut self) -> &'t str {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        word
    }

    /// Skips a comparison after a value, whose result is unknown.
    fn compared(&mut self, value: Option<bool>) -> Option<bool> {
        let ends = ["&&", "||", ")"];
        if self.rest.is_empty() || ends.iter().any(|end| self.rest.starts_with(end)) {
            return value;
        }
        let mut level = 0_usize;
        let end = self.rest.char_indices().find(|&(at, c)| match c {
            '(' => {
                level += 1;
                false
            }
            ')' if level > 0 => {
                level -= 1;
                false
            }
            _ => level == 0 && ends.iter().any(|end| self.rest[at..].starts_with(end)),
        });
        self.rest = end.map_or("", |(at, _)| &self.rest[at..]);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<bool>) {
        let at = text.find('$').expect("a mark");
        assert_eq!(is_read(&branches(text.as_bytes()), at), expected, "{text}");
    }

    #[test]
    fn conditions_are_evaluated() {
        check("#ifndef A_H\n#define A_H\n$\n#endif\n", Some(true));
        check("#include <a.h>\n#ifdef _WIN32\n$\n#endif\n", Some(false));
        check("#include <a.h>\n#ifdef _WIN32\n#else\n$\n#endif\n", Some(true));
        check("int a;\n#if defined(_WIN32) && !defined(X)\n#elif MADE > 2\n$\n#endif\n", None);
        check("int a;\n#if 0\n#if 1\n$\n#endif\n#endif\n", Some(false));
        check("int a;\n#if defined(__GNUC__) || A(1)\n$\n#endif\n", Some(true));
        check("int a;\n#ifdef NO_DEBUG\n#else\n$\n#endif\n", Some(true));
        check("int a;\n#ifdef OTHER\n#else\n$\n#endif\n", None);
        check("int a;\n#ifdef HAVE_A\n$\n#endif\n", None);
        check("int a;\n#ifdef MADE\n$\n#endif\n", None);
        check("#if (defined(A_OS400) || defined(__VMS)) /* b */\n$\n#endif\n", Some(false));
    }
}
