//! The conditional directives of C: which code a compiler on Linux reads.
//!
//! Conditions are evaluated as far as the names of well-known macros determine them; what the tree
//! shows of other macros is passed in ([`Settings`]).

use std::ops::Range;

use crate::base::ids::FileId;

/// The most branches around a position, and the most of one `#if` that are evaluated.
const BRANCHES_MAX: usize = 64;

/// The most lines of a directive.
const CONTINUED_MAX: usize = 32;

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
    "RISCOS",
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
    "__riscos",
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
    /// The next branch of the same `#if`.
    next: Option<usize>,
    /// The innermost branch of another `#if` around it.
    outer: Option<usize>,
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
        let written = || logical_line(&text[end - directive.len()..]);
        if directive.starts_with(b"if") {
            let outer = open.iter().rev().find_map(|branch| *branch);
            open.push((!is_guard).then_some(found.len()));
            if !is_guard {
                let first = found.len();
                let span = end..text.len();
                found.push(Branch { span, directive: written(), first, next: None, outer, level });
            }
        } else if directive.starts_with(b"el") {
            if let Some(&Some(last)) = open.last() {
                let next = found.len();
                let before = &mut found[last];
                (before.span.end, before.next) = (start, Some(next));
                let (first, outer, level) = (before.first, before.outer, before.level);
                open.pop();
                open.push(Some(next));
                let span = end..text.len();
                found.push(Branch { span, directive: written(), first, next: None, outer, level });
            }
        } else if directive.starts_with(b"endif")
            && let Some(Some(last)) = open.pop()
        {
            found[last].span.end = start;
        }
    }
    found
}

/// Where a macro is defined, and where its value begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Defined {
    pub(super) file: FileId,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What all files show of a macro.
#[derive(Debug, Default)]
pub(super) struct Macro {
    pub(super) definitions: Vec<Defined>,
    /// Code uses the name outside of directives, so that a system header may define it.
    pub(super) is_used: bool,
}

/// Returns the directive at the start of a text, with the lines that continue it.
fn logical_line(text: &[u8]) -> String {
    let mut found = String::new();
    for line in text.split(|&byte| byte == b'\n').take(CONTINUED_MAX) {
        let line = line.trim_ascii_end();
        let part = line.strip_suffix(b"\\");
        found.push_str(&String::from_utf8_lossy(part.unwrap_or(line)));
        if part.is_none() {
            break;
        }
    }
    found.trim_end().to_owned()
}

/// What is known of a macro.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Setting {
    Undefined,
    /// It is defined, with this value if it is a number.
    Defined(Option<i64>),
    Unknown,
}

/// Returns what is known of the macro of a name at a byte of the file, beyond the well-known ones.
pub(super) type Settings<'s> = &'s dyn Fn(&str, usize) -> Setting;

/// Returns whether a compiler reads the byte `at`; `None` if the conditions do not determine it.
pub(super) fn is_read(branches: &[Branch], at: usize, settings: Settings<'_>) -> Option<bool> {
    let mut all = Some(true);
    for branch in around(branches, at) {
        let earlier = of_one_if(branches, branch.first);
        let earlier = earlier.take_while(|it| !std::ptr::eq(*it, branch)).take(BRANCHES_MAX);
        let of = |it: &Branch| condition(&it.directive, &|name| settings(name, it.span.start));
        let mut value = of(branch);
        for other in earlier {
            value = and(value, of(other).map(|value| !value));
        }
        all = and(all, value);
    }
    all
}

/// Returns the conditions of the branches around the byte `at`, as they are written, innermost first;
/// a branch without one (`else`) has those of the branches before it.
pub(super) fn conditions(branches: &[Branch], at: usize) -> Vec<String> {
    let of = |branch: &Branch| -> String {
        let same = of_one_if(branches, branch.first);
        let until = same.take_while(|it| it.span.start <= branch.span.start).take(BRANCHES_MAX);
        until.map(|it| it.directive.trim()).collect::<Vec<&str>>().join("\n")
    };
    around(branches, at).map(of).collect()
}

/// Returns the bytes of the branches that exclude the byte `at`: those of each `#if` around it.
pub(super) fn excluded(branches: &[Branch], at: usize) -> Vec<Range<usize>> {
    let others = |branch: &Branch| {
        let (first, start) = (branch.first, branch.span.start);
        let same = of_one_if(branches, first);
        same.filter(move |it| it.span.start != start).map(|it| it.span.clone()).take(BRANCHES_MAX)
    };
    around(branches, at).flat_map(others).collect()
}

/// Returns the branches around the byte `at`, innermost first. O(log n + depth).
fn around(branches: &[Branch], at: usize) -> impl Iterator<Item = &Branch> {
    // Branches are nested: one around `at` is the last one that begins before it, or around that one.
    let last = branches.partition_point(|branch| branch.span.start <= at).checked_sub(1);
    let outwards = chain(branches, last, |branch| branch.outer);
    outwards.filter(move |branch| at < branch.span.end).take(BRANCHES_MAX)
}

/// Returns the branches of one `#if`, in their order.
fn of_one_if(branches: &[Branch], first: usize) -> impl Iterator<Item = &Branch> {
    chain(branches, Some(first), |branch| branch.next)
}

fn chain(
    branches: &[Branch],
    from: Option<usize>,
    following: fn(&Branch) -> Option<usize>,
) -> impl Iterator<Item = &Branch> {
    std::iter::successors(from.map(|at| &branches[at]), move |branch| {
        following(branch).map(|at| &branches[at])
    })
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Returns the value of a directive's own condition.
fn condition(directive: &str, settings: &dyn Fn(&str) -> Setting) -> Option<bool> {
    let end = directive.find(|c: char| !c.is_alphabetic()).unwrap_or(directive.len());
    let (word, rest) = directive.split_at(end);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let name = rest.trim_start();
    let name = &name[..name.find(|c| !is_name(c)).unwrap_or(name.len())];
    let is_set = |name: &str| is_set(name, settings);
    match word {
        "ifdef" | "elifdef" => is_set(name),
        "ifndef" | "elifndef" => is_set(name).map(|value| !value),
        "if" | "elif" => value(rest, settings).map(|value| value != 0),
        _ => Some(true),
    }
}

/// Returns whether a macro is defined.
fn is_set(name: &str, settings: &dyn Fn(&str) -> Setting) -> Option<bool> {
    is_defined(name).or_else(|| match settings(name) {
        Setting::Undefined => Some(false),
        Setting::Defined(_) => Some(true),
        Setting::Unknown => None,
    })
}

/// Returns the value of an expression of the preprocessor.
pub(super) fn value(expression: &str, settings: &dyn Fn(&str) -> Setting) -> Option<i64> {
    let code = expression.split("/*").next().unwrap_or(expression);
    let code = code.split("//").next().unwrap_or(code);
    let mut tokens = Tokens { rest: code.trim(), depth: 0, settings };
    let value = tokens.binary(0);
    if tokens.rest.is_empty() { value } else { None }
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

/// The deepest nesting of an expression that is evaluated.
const NESTING_MAX: usize = 32;

/// Operators with their precedence, longer ones before their beginnings.
const OPERATORS: &[(&str, usize)] = &[
    ("||", 1),
    ("&&", 2),
    ("==", 6),
    ("!=", 6),
    ("<<", 8),
    (">>", 8),
    ("<=", 7),
    (">=", 7),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("<", 7),
    (">", 7),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];

/// The rest of an expression.
struct Tokens<'t, 's> {
    rest: &'t str,
    depth: usize,
    settings: &'s dyn Fn(&str) -> Setting,
}

impl<'t> Tokens<'t, '_> {
    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token).map(str::trim_start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads operands with operators of a higher precedence than `least` between them.
    fn binary(&mut self, least: usize) -> Option<i64> {
        self.depth += 1;
        let mut value = if self.depth < NESTING_MAX { self.unary() } else { self.give_up() };
        while let Some((operator, precedence)) = self.operator().filter(|it| it.1 > least) {
            self.takes(operator);
            let other = self.binary(precedence);
            value = applied(operator, value, other);
        }
        self.depth -= 1;
        value
    }

    fn operator(&self) -> Option<(&'static str, usize)> {
        OPERATORS.iter().find(|(operator, _)| self.rest.starts_with(operator)).copied()
    }

    /// Reads `!a`, `(a)`, `defined(A)`, a number or a name.
    fn unary(&mut self) -> Option<i64> {
        if self.rest.starts_with('!') && !self.rest.starts_with("!=") {
            self.takes("!");
            return self.binary(10).map(|value| i64::from(value == 0));
        }
        if self.takes("-") {
            return self.binary(10).and_then(i64::checked_neg);
        }
        if self.takes("+") {
            return self.binary(10);
        }
        if self.takes("(") {
            let value = self.binary(0);
            return if self.takes(")") { value } else { self.give_up() };
        }
        let word = self.word();
        match word {
            "" => self.give_up(),
            "defined" => {
                let has_bracket = self.takes("(");
                let name = self.word();
                let value = is_set(name, self.settings).map(i64::from);
                if has_bracket && !self.takes(")") { self.give_up() } else { value }
            }
            // A macro with arguments, or `__has_include(<a.h>)`.
            _ if self.rest.starts_with('(') => {
                self.skip_arguments();
                None
            }
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => number(word),
            _ => match is_defined(word) {
                Some(false) => Some(0),
                Some(true) if word == "__GNUC__" => Some(12),
                Some(true) => Some(1),
                None => match (self.settings)(word) {
                    Setting::Undefined => Some(0),
                    Setting::Defined(value) => value,
                    Setting::Unknown => None,
                },
            },
        }
    }

    /// Skips what cannot be evaluated.
    fn give_up(&mut self) -> Option<i64> {
        self.rest = "";
        None
    }

    fn skip_arguments(&mut self) {
        let mut level = 0_usize;
        let end = self.rest.find(|c: char| {
            level += usize::from(c == '(');
            level -= usize::from(c == ')' && level > 0);
            level == 0
        });
        self.rest = end.map_or("", |end| self.rest[end + 1..].trim_start());
    }

    fn word(&mut self) -> &'t str {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        word
    }
}

/// Returns the value of an integer as C writes it: `0x10`, `201112L`.
pub(super) fn number(word: &str) -> Option<i64> {
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => i64::from_str_radix(hexadecimal, 16).ok(),
        None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(digits, 8).ok(),
        None => digits.parse().ok(),
    }
}

/// Returns the result of an operator; `&&` and `||` may not need both operands.
fn applied(operator: &str, a: Option<i64>, b: Option<i64>) -> Option<i64> {
    let is_true = |value: Option<i64>| value.map(|value| value != 0);
    if operator == "&&" {
        return and(is_true(a), is_true(b)).map(i64::from);
    }
    if operator == "||" {
        let none = and(is_true(a).map(|a| !a), is_true(b).map(|b| !b));
        return none.map(|none| i64::from(!none));
    }
    let (a, b) = (a?, b?);
    let shift = u32::try_from(b).ok();
    match operator {
        "==" => Some(i64::from(a == b)),
        "!=" => Some(i64::from(a != b)),
        "<" => Some(i64::from(a < b)),
        ">" => Some(i64::from(a > b)),
        "<=" => Some(i64::from(a <= b)),
        ">=" => Some(i64::from(a >= b)),
        "<<" => a.checked_shl(shift?),
        ">>" => a.checked_shr(shift?),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        "&" => Some(a & b),
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" => a.checked_div(b),
        "%" => a.checked_rem(b),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<bool>) {
        let at = text.find('$').expect("a mark");
        let settings = |name: &str, _: usize| match name {
            "SET" => Setting::Defined(Some(2)),
            "UNSET" => Setting::Undefined,
            _ => Setting::Unknown,
        };
        assert_eq!(is_read(&branches(text.as_bytes()), at, &settings), expected, "{text}");
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
    #[test]
    fn expressions_are_evaluated() {
        let cases = [
            ("SET == 2", Some(true)),
            ("SET + 1 * 2 > 4 && !UNSET", Some(false)),
            ("UNSET || OTHER", None),
            ("SET || OTHER(1, (2))", Some(true)),
            ("(SET << 4) == 0x20L", Some(true)),
            ("defined UNSET && OTHER", Some(false)),
            ("SET ? 1 : 0", None),
            ("__GNUC__ > 3 || (__GNUC__ == 3 && __GNUC_MINOR__ >= 4)", Some(true)),
            ("AVOID_ALL", Some(false)),
        ];
        for (condition, expected) in cases {
            check(&format!("int a;\n#if {condition}\n$\n#endif\n"), expected);
        }
        check("int a;\n#ifdef UNSET\n#elif SET > 1\n$\n#endif\n", Some(true));
        check("#include <a.h>\n#ifndef SET\n$\n#endif\n", Some(false));
    }

    /// `callers` of a macro with thousands of branches asked for the branches around each of them, and
    /// looked at all of the file each time.
    #[test]
    fn the_branches_around_a_byte_are_those_that_contain_it() {
        let mut text = String::from("#ifndef A_H\n");
        for number in 0..40 {
            let lines = ["#if A\n", "#ifdef B\n", "#elif C\n", "#else\n", "#endif\n", "x;\n"];
            text.push_str(lines[(number * number + number / 3) % lines.len()]);
        }
        let all = branches(text.as_bytes());
        assert!(all.len() > 15 && all.iter().any(|branch| branch.outer.is_some()), "{all:?}");
        for at in 0..text.len() {
            let contains = |branch: &&Branch| branch.span.contains(&at);
            let expected: Vec<usize> =
                all.iter().rev().filter(contains).map(|branch| branch.span.start).collect();
            let found: Vec<usize> = around(&all, at).map(|branch| branch.span.start).collect();
            assert_eq!(found, expected, "byte {at} of {text}");
        }
        for branch in &all {
            let same = all.iter().filter(|it| it.first == branch.first);
            let expected: Vec<usize> = same.map(|it| it.span.start).collect();
            let found: Vec<usize> = of_one_if(&all, branch.first).map(|it| it.span.start).collect();
            assert_eq!(found, expected);
        }
    }
}
