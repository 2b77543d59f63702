//! Differences caused by ctags or by different definitions of what counts: general rules, each with
//! a reason, found on development trees and verified by reading. No rule names a file or a
//! definition.

use regex_automata::meta::Regex;

use crate::definitions::Definition;
use crate::table::Row;

/// The side that has the definition.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Side {
    /// ctags has it.
    Missed,
    /// We have it.
    Extra,
}

/// A class of differences that are errors of ctags: it reports a definition that should not count,
/// or it lacks one.
pub(crate) struct Rule {
    /// The rows of the table to which the rule applies.
    pub(crate) rows: &'static [&'static str],
    pub(crate) side: Side,
    /// The kinds, in that side's terms; any if empty.
    pub(crate) kinds: &'static [&'static str],
    /// The kinds of the enclosing definition, in that side's terms; any if empty.
    pub(crate) within: &'static [&'static str],
    /// A pattern for the line of the name; `NAME` is the name, an empty pattern is any line.
    pub(crate) line: &'static str,
    /// A pattern that the line must not match; none if empty.
    pub(crate) unless: &'static str,
    /// The delimiters of a text literal in which the line must be; none if empty.
    pub(crate) inside: &'static str,
    pub(crate) why: &'static str,
}

const ANY: &[&str] = &[];

const SCRIPTS: &[&str] = &["javascript", "flow", "typescript"];

/// All rules.
pub(crate) static RULES: &[Rule] = &[
    Rule {
        rows: SCRIPTS,
        side: Side::Extra,
        kinds: ANY,
        within: ANY,
        line: r"\b(function\s*\*?|class|interface|type|enum|namespace|module)\s+['\x22]?NAME(\W|$)",
        unless: "",
        inside: "",
        why: "the line says what it defines; ctags loses its way in JSX, types and expressions",
    },
    Rule {
        rows: SCRIPTS,
        side: Side::Extra,
        kinds: &["function", "method"],
        within: ANY,
        line: r"NAME['\x22\]]?\s*([?!]?\s*:[^=]*)?[:=]\s*(async\b\s*)?(function\b|\(|<|\w+\s*=>|$)",
        unless: "",
        inside: "",
        why: "a function is bound to the name on the line; ctags knows some of these only",
    },
    Rule {
        rows: SCRIPTS,
        side: Side::Extra,
        kinds: &["method", "constructor"],
        within: ANY,
        line: r"^\s*((static|async|get|set|public|private|protected|readonly|override)\s+)*\*?\s*['\x22\[]?\s*NAME\s*['\x22\]]?\s*[?!]?\s*((<.*>)?[(<]\s*$|(<.*>?)?\(.*([{(,]\s*(//.*|\}\s*,?\s*)?|\)\s*:.*;\s*)$)",
        unless: "",
        inside: "",
        why: "a method's head on its own line; ctags loses its way in JSX, types and expressions",
    },
    Rule {
        rows: &["javascript", "flow"],
        side: Side::Missed,
        kinds: &["class"],
        within: ANY,
        line: "",
        unless: r"(class|function\s*\*?)\s+NAME\b|NAME\s*=\s*(class|function)\b",
        inside: "",
        why: "ctags calls objects classes",
    },
    Rule {
        rows: &["javascript", "flow"],
        side: Side::Missed,
        kinds: &["method", "function"],
        within: ANY,
        line: r"NAME\b",
        unless: r"function\s+NAME|NAME['\x22\]]?\s*(:.*)?[:=]\s*(async\s*)?(function|\w+\s*=>|\(.*=>)|NAME['\x22\]]?\s*\(",
        inside: "",
        why: "ctags calls any value of a prototype, what a function returns that is called at once, and an \
              object whose computed key is set a function or method",
    },
    Rule {
        rows: &["typescript"],
        side: Side::Missed,
        kinds: &["alias"],
        within: ANY,
        line: "",
        unless: r"^\s*((export|declare)\s+)*type\s+NAME\s*([<=]|$)",
        inside: "",
        why: "ctags takes `import {type A}`, a property `type` and conditions of types for aliases",
    },
    Rule {
        rows: &["c", "cpp"],
        side: Side::Missed,
        kinds: &["function", "prototype"],
        within: ANY,
        line: r"^\s*NAME\s*\(",
        unless: r"NAME\s*\(\s*(void|\w+\s+\*?\w+)?\s*[,)]|[a-z].*\(",
        inside: "",
        why: "ctags takes the macro that makes a function for its name",
    },
    Rule {
        rows: &["c"],
        side: Side::Missed,
        kinds: &["function"],
        within: ANY,
        line: r"^(COMPAT_)?SYSCALL_DEFINE\d",
        unless: "",
        inside: "",
        why: "ctags takes the macro that makes a system call for its name",
    },
    Rule {
        rows: &["c"],
        side: Side::Extra,
        kinds: &["function"],
        within: ANY,
        line: r"^(COMPAT_)?SYSCALL_DEFINE\d\(NAME\b",
        unless: "",
        inside: "",
        why: "ctags takes the macro that makes a system call for its name",
    },
    Rule {
        rows: &["kotlin"],
        side: Side::Missed,
        kinds: &["method"],
        within: ANY,
        line: "",
        unless: r"\bfun\b[^=({]*NAME",
        inside: "",
        why: "ctags calls lambdas and their parameters methods",
    },
    Rule {
        rows: &["elixir"],
        side: Side::Extra,
        kinds: &["function"],
        within: ANY,
        line: r"^\s*test \x22",
        unless: "",
        inside: "",
        why: "ctags reads tests with plain names only",
    },
    Rule {
        rows: &["javascript", "flow"],
        side: Side::Missed,
        kinds: ANY,
        within: ANY,
        line: r"[=:]\s*(async\s*)?(class|function)\s*\*?\s*NAME\b",
        unless: "",
        inside: "",
        why: "we list what is bound under the name that it is bound to, not under its own",
    },
    Rule {
        rows: &["javascript", "flow"],
        side: Side::Missed,
        kinds: ANY,
        within: ANY,
        line: r"module\.NAME\s*=",
        unless: "",
        inside: "",
        why: "a module that is one value without a name is `exports` to ctags, `default` to us",
    },
    Rule {
        rows: &["javascript", "flow"],
        side: Side::Extra,
        kinds: ANY,
        within: ANY,
        line: r"module\.exports\s*=|export default",
        unless: "",
        inside: "",
        why: "a module that is one value without a name is `exports` to ctags, `default` to us",
    },
    Rule {
        rows: &["kotlin"],
        side: Side::Missed,
        kinds: &["object"],
        within: ANY,
        line: r"companion object\s*(\{|:|$)",
        unless: "",
        inside: "",
        why: "ctags names a companion without a name",
    },
    Rule {
        rows: &["lua"],
        side: Side::Missed,
        kinds: ANY,
        within: ANY,
        line: "",
        unless: r"function\s+([\w.]+[.:])?NAME\s*\(|(^|[\s.,{])NAME\s*=\s*function\b",
        inside: "",
        why: "ctags takes any line with `function` in it for a definition",
    },
    Rule {
        rows: &["elixir"],
        side: Side::Missed,
        kinds: ANY,
        within: ANY,
        line: "",
        unless: "",
        inside: "\"\"\"",
        why: "ctags lists code in documentation and texts",
    },
    Rule {
        rows: &["typescript"],
        side: Side::Missed,
        kinds: &["class", "interface"],
        within: ANY,
        line: "",
        unless: r"(class|interface)\s+NAME\s*(<|\{|extends\b|implements\b|$)",
        inside: "",
        why: "ctags takes `class extends A` for its name, and gives a line behind that of a name before a line end",
    },
    Rule {
        rows: &["typescript"],
        side: Side::Missed,
        kinds: &["method"],
        within: &["interface"],
        line: r"NAME\??\s*:|\bnew\b.*NAME\s*[(<]|\bNAME\s*[(<].*\bnew\b|^\s*new\s*[(<]",
        unless: "",
        inside: "",
        why: "ctags takes a property whose type is a function, and a constructor's signature, for methods",
    },
    Rule {
        rows: &["java"],
        side: Side::Extra,
        kinds: ANY,
        within: &["method", "constructor", "enum_member", "constant", "field"],
        line: "",
        unless: "",
        inside: "",
        why: "ctags reads no bodies of methods and enumeration members and no initial values",
    },
    Rule {
        rows: &["sql"],
        side: Side::Extra,
        kinds: &["function", "table", "type", "module"],
        within: ANY,
        line: r"(?i)^\s*create\s+([\w=@`]+\s+)*?(function|procedure|proc|trigger|table|view|type|domain|schema|database|package)\s+(if\s+not\s+exists\s+|only\s+|body\s+)?([\w\x22`\[\].]+\.)?[\x22`\[]?NAME\b",
        unless: "",
        inside: "",
        why: "the line says what it creates; ctags knows no triggers of PostgreSQL, and functions only \
              where a body follows in its own way",
    },
    Rule {
        rows: &["sql"],
        side: Side::Missed,
        kinds: &["table", "view"],
        within: ANY,
        line: "",
        unless: r"(?i)\bcreate\b",
        inside: "",
        why: "ctags takes what other statements name (`SECURITY LABEL ON TABLE`) for a table",
    },
    Rule {
        rows: &["haskell"],
        side: Side::Missed,
        kinds: &["function"],
        within: ANY,
        line: r"^(class|deriving|infix[lr]?|instance|default|foreign|pattern)\b|^\s*::|^\s+[,{(]|^\s.*::.*,\s*NAME\)",
        unless: "",
        inside: "",
        why: "ctags takes words that begin other declarations, fields, and lines of a type for functions",
    },
    Rule {
        rows: &["haskell"],
        side: Side::Missed,
        kinds: &["function"],
        within: ANY,
        line: r"^\(?NAME\)?\s*,.*(::|,\s*$)|^(\$\()?NAME\b[^=]*(\{.*\})?\s''?[A-Z]",
        unless: "",
        inside: "",
        why: "ctags takes a signature of several names, and a call of Template Haskell, for functions",
    },
    Rule {
        rows: &["haskell"],
        side: Side::Missed,
        kinds: &["type"],
        within: ANY,
        line: r"^(data|newtype|type)\s+(family\b|instance\b|NAME\s+[:`])",
        unless: "",
        inside: "",
        why: "ctags takes `family`, `instance` and the first operand for a type's name",
    },
    Rule {
        rows: &["haskell"],
        side: Side::Extra,
        kinds: &["type"],
        within: ANY,
        line: r"^\s*(data|type)\s+(family\s+)?NAME\b",
        unless: "",
        inside: "",
        why: "the line says what it declares; ctags knows no families",
    },
    Rule {
        rows: &["haskell"],
        side: Side::Extra,
        kinds: &["function"],
        within: ANY,
        line: r"^NAME(\s.*[=|]|\s*$|\s+[^:=]*$)|^\(\.?NAME\).*[=|]|^\S.*\s`?\.?NAME`?\s.*[=|]|^foreign import .*NAME\b",
        unless: r"^NAME\s*(,.*)?::",
        inside: "",
        why: "a binding begins on the line; ctags takes the line of its type for it, and knows no operators",
    },
];

/// The rules of one row and side.
pub(crate) struct Judge {
    rules: Vec<&'static Rule>,
}

impl Judge {
    pub(crate) fn new(row: &Row, side: Side) -> Judge {
        let holds = |rule: &&Rule| rule.side == side && rule.rows.contains(&row.name);
        Judge { rules: RULES.iter().filter(holds).collect() }
    }

    /// Returns the reason why a difference does not count, if a rule applies.
    pub(crate) fn excuse(&self, definition: &Definition, lines: &[&[u8]]) -> Option<&'static str> {
        let line = lines.get(definition.line.checked_sub(1)?).copied().unwrap_or_default();
        let holds = |rule: &&&Rule| {
            (rule.kinds.is_empty() || rule.kinds.contains(&definition.kind.as_str()))
                && (rule.within.is_empty() || rule.within.contains(&definition.within.as_str()))
                && (rule.line.is_empty() || is_like(rule.line, &definition.name, line))
                && (rule.inside.is_empty() || is_inside(rule.inside, &lines[..definition.line - 1]))
                && (rule.unless.is_empty() || !is_like(rule.unless, &definition.name, line))
        };
        self.rules.iter().find(holds).map(|rule| rule.why)
    }
}

/// Returns true if the lines before start a text literal that they do not end.
fn is_inside(mark: &str, before: &[&[u8]]) -> bool {
    let marks = before.iter().map(|line| memchr::memmem::find_iter(line, mark).count());
    marks.sum::<usize>() % 2 == 1
}

fn is_like(pattern: &str, name: &str, line: &[u8]) -> bool {
    let pattern = pattern.replace("NAME", &regex_syntax::escape(name));
    Regex::new(&pattern).is_ok_and(|regex| regex.is_match(line))
}
