//! Macros that define or that open a namespace: `TEST(Suite, Name) { … }`, `DEFINE_MUTEX(name);`,
//! `QT_BEGIN_NAMESPACE`. They are recognized by their spelling in capitals and by their form.

use std::ops::Range;

use tree_sitter::Node;

use crate::lang::code_text;
use crate::lang::facts::Role;
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

/// Maximum length of the arguments of a macro before a body.
const ARGUMENTS_BYTES_MAX: usize = 400;

/// What replaces a macro for an access specifier.
const ACCESS: &[u8] = b"public:";

/// Maximum number of lines with attributes before a declaration.
const ATTRIBUTES_MAX: usize = 6;

/// Words that begin a declaration, whose type is not before them.
const DECLARATIONS: [&[u8]; 16] = [
    b"auto",
    b"bool",
    b"class",
    b"const",
    b"constexpr",
    b"explicit",
    b"friend",
    b"inline",
    b"int",
    b"static",
    b"struct",
    b"template",
    b"typename",
    b"using",
    b"virtual",
    b"void",
];

/// Returns true for a name in capitals with at least three letters, digits and underscores.
pub(super) fn is_capitals(name: &[u8]) -> bool {
    let is_capital =
        |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    name.len() > 2 && name[0].is_ascii_uppercase() && name.iter().all(is_capital)
}

/// Returns true for a macro whose first argument is a group of tests and whose second one is the
/// name of a test.
fn names_suite(name: &[u8]) -> bool {
    memchr::memmem::find(name, b"TEST").is_some() || name.ends_with(b"_F")
}

/// Blanks out, in `masked`, macros such as `QT_BEGIN_NAMESPACE` that are alone on their lines, in C++ the
/// arguments of a macro for the type of a function template (`template <class T>`, `RETURNS((A), (B))`,
/// `name(T value)`), and if `is_c`, all arguments but the name of a macro with a body: `TEST(Suite, Name) {` becomes
/// `TEST(       Name) {`, which the grammar parses as a function. O(text).
pub(super) fn mask(text: &[u8], masked: &mut [u8], is_c: bool) {
    let (mut start, mut before, mut is_directive) = (0, b';', false);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let words = without_comment(line.trim_ascii());
        let at = start + (line.len() - line.trim_ascii_start().len());
        start += line.len();
        is_directive |= words.starts_with(b"#");
        let (is_skipped, continues) = (is_directive, words.ends_with(b"\\"));
        is_directive &= continues;
        let Some(last) = words.last().filter(|_| !is_skipped && !words.starts_with(b"//")) else {
            continue;
        };
        let begins = matches!(before, b';' | b'}' | b'{' | b'/' | b')' | b':');
        let is_above = before == b'>' || begins && is_capitals(words);
        if !is_c && is_above && is_attribute(words, &text[start..]) {
            masked[at..at + words.len()].fill(b' ');
            continue;
        }
        if begins && words[0].is_ascii_uppercase() {
            let len = opening_len(words).filter(|_| !continues_list(&text[start..], before));
            if let Some(len) = len {
                masked[at..at + len].fill(b' ');
                continue;
            }
            if !is_c && let Some((len, keyword)) = exception_len(words, &text[start..]) {
                masked[at..at + len].fill(b' ');
                masked[at..at + keyword.len()].copy_from_slice(keyword);
                before = *last;
                continue;
            }
            if begins_block(words, before) {
                masked[at..at + words.len() - 1].fill(b' ');
                before = b'{';
                continue;
            }
            if !is_c && let Some(len) = access_len(words) {
                masked[at..at + len].fill(b' ');
                masked[at..at + ACCESS.len()].copy_from_slice(ACCESS);
                continue;
            }
            let after = &text[start..];
            let is_declaration = begins_declaration(after) && is_declaration_macro(words)
                || is_attribute(words, after);
            // In C, a statement without `;`. A list of enumerators or values begins after `{`.
            let is_inner = line.starts_with(b" ") || line.starts_with(b"\t");
            let is_statement =
                is_c && is_inner && is_declaration && matches!(before, b';' | b'}' | b':');
            if !is_c && is_declaration || is_statement {
                masked[at..at + words.len()].fill(b' ');
                let name = words.iter().position(|&byte| byte == b'(').unwrap_or(0);
                masked[at..at + name].copy_from_slice(&words[..name]);
                masked[at + words.len() - 1] = b';';
                before = b';';
                continue;
            }
            if is_c && at + line.len() == start {
                keep_name(&text[at..], &mut masked[at..]);
            }
        }
        if !is_c && let Some(arguments) = template_type(words, before, &text[start..]) {
            masked[at + arguments.start..at + arguments.end].fill(b' ');
        }
        if !is_c && let Some(length) = branch_len(words) {
            masked[at..at + length].fill(b' ');
            masked[at..at + 2].copy_from_slice(b"if");
        }
        before = *last;
    }
}

/// Blanks out, in `masked`, the comments inside of macros, which the grammar takes for the end of a
/// macro: `#define F(a) g(a, 0 /* none */)`. O(text).
pub(super) fn mask_comments(text: &[u8], masked: &mut [u8]) {
    let (mut start, mut is_macro) = (0, false);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let words = line.trim_ascii_start();
        let directive = words.strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        is_macro |= directive.is_some_and(|word| word.starts_with(b"define"));
        if is_macro {
            let mut at = 0;
            while let Some(found) = memchr::memmem::find(&line[at..], b"/*") {
                let open = at + found;
                let Some(length) = memchr::memmem::find(&line[open + 2..], b"*/") else { break };
                let close = open + 2 + length + 2;
                let is_last = line[close..].trim_ascii().is_empty();
                let quotes = line[..open].iter().filter(|byte| **byte == b'"').count();
                if !is_last && quotes % 2 == 0 {
                    masked[start + open..start + close].fill(b' ');
                }
                at = close;
            }
        }
        is_macro &= line.trim_ascii_end().ends_with(b"\\");
        start += line.len();
    }
}

/// Blanks out, in `masked`, the macro for a calling convention in a pointer to a function:
/// `int (CALL *name)(int)`. O(text).
pub(super) fn mask_conventions(text: &[u8], masked: &mut [u8]) {
    for open in memchr::memchr_iter(b'(', text) {
        let rest = &text[open + 1..text.len().min(open + 1 + ARGUMENTS_BYTES_MAX)];
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = rest.iter().take_while(|byte| is_name(byte)).count();
        if !is_capitals(&rest[..length]) {
            continue;
        }
        let after = rest[length..].trim_ascii_start();
        let Some(name) = after.strip_prefix(b"*").map(<[u8]>::trim_ascii_start) else { continue };
        let end = name.iter().take_while(|byte| is_name(byte)).count();
        let close = name[end..].trim_ascii_start().strip_prefix(b")");
        if end > 0 && close.is_some_and(|list| list.trim_ascii_start().starts_with(b"(")) {
            masked[open + 1..open + 1 + length].fill(b' ');
        }
    }
}

/// Returns a line without the comment at its end.
fn without_comment(line: &[u8]) -> &[u8] {
    let comment = memchr::memmem::find(line, b"//").filter(|&at| at > 0);
    match comment.map(|at| &line[..at]).filter(|code| !code.contains(&b'"')) {
        Some(code) => code.trim_ascii_end(),
        None => line,
    }
}

/// Returns the bytes, in a line after the byte `before`, of the arguments of a macro in capitals for the
/// type of a function template: `template <class T> RETURNS((A), (B)) name(T value)`, where the head
/// may be the line before and the name on the next line.
fn template_type(line: &[u8], before: u8, after: &[u8]) -> Option<Range<usize>> {
    let mut at = match line.strip_prefix(b"template").map(<[u8]>::trim_ascii_start) {
        Some(list) => line.len() - list.len() + balanced(list, b'<', b'>')?,
        None if before == b'>' => 0,
        None => return None,
    };
    loop {
        at += line[at..].len() - line[at..].trim_ascii_start().len();
        let words: [&[u8]; 4] = [b"friend ", b"static ", b"inline ", b"constexpr "];
        match words.iter().find(|word| line[at..].starts_with(word)) {
            Some(word) => at += word.len(),
            None => break,
        }
    }
    let open = at + line[at..].iter().position(|&byte| byte == b'(')?;
    let close = open + balanced(&line[open..], b'(', b')')?;
    let rest = line[close..].trim_ascii_start();
    let is_named = match rest.first() {
        None => begins_declaration(after),
        Some(first) => first.is_ascii_alphabetic() || *first == b'_',
    };
    (is_capitals(&line[at..open]) && is_named).then_some(open..close)
}

/// Returns the length of the brackets at the start of a text, with what is between them.
fn balanced(text: &[u8], open: u8, close: u8) -> Option<usize> {
    let mut level = 0_usize;
    let end = text.iter().position(|&byte| {
        level += usize::from(byte == open);
        level -= usize::from(byte == close && level > 0);
        level == 0
    });
    end.filter(|&end| end > 0).map(|end| end + 1)
}

/// Returns the length of a macro that stands for `if`, as its name says, at the start of a line:
/// `IF_CONSTEXPR (size == 1) {`.
fn branch_len(line: &[u8]) -> Option<usize> {
    let open = line.iter().position(|&byte| byte == b'(')?;
    let name = line[..open].trim_ascii_end();
    let is_if = name.split(|&byte| byte == b'_').any(|word| word == b"IF");
    (is_if && is_capitals(name) && line.ends_with(b"{")).then_some(name.len())
}

/// Blanks out, in `masked`, all but the first head of a function that has one for each branch of an
/// `#if` and one body after it, with the directives: the grammar parses only whole functions. O(text).
pub(super) fn mask_heads(text: &[u8], masked: &mut [u8]) {
    /// An `#if` whose branches are heads so far.
    struct Open {
        start: usize,
        /// The end of the line with `#if`, and the start of the first `#else`.
        first: (usize, Option<usize>),
        /// The last byte of code of the branch, and whether all branches are heads.
        last: u8,
        is_head: bool,
    }
    let ends_head = |last: u8| last == b')' || last == b'_' || last.is_ascii_alphanumeric();
    let (mut open, mut at) = (Vec::<Open>::new(), 0);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let words = without_comment(line.trim_ascii());
        let Some(directive) = words.strip_prefix(b"#").map(<[u8]>::trim_ascii_start) else {
            let Some((last, branch)) = words.last().zip(open.last_mut()) else { continue };
            if words.starts_with(b"//") {
                continue;
            }
            let word = words.split(|byte| !byte.is_ascii_alphanumeric()).next();
            let keywords: [&[u8]; 6] = [b"", b"if", b"while", b"for", b"switch", b"return"];
            let begins = word.is_some_and(|word| keywords.contains(&word));
            let is_statement = branch.last == 0 && begins || matches!(last, b';' | b'{' | b'}');
            branch.is_head &= !is_statement;
            branch.last = *last;
            continue;
        };
        if directive.starts_with(b"if") {
            if let Some(around) = open.last_mut() {
                around.is_head = false;
            }
            open.push(Open { start, first: (end, None), last: 0, is_head: true });
        } else if directive.starts_with(b"el") {
            let Some(branch) = open.last_mut() else { continue };
            branch.is_head &= ends_head(branch.last);
            branch.first.1.get_or_insert(start);
            branch.last = 0;
        } else if directive.starts_with(b"endif") {
            let Some(Open { start: from, first, last, is_head }) = open.pop() else { continue };
            let next = text[end..].trim_ascii_start();
            let has_body =
                next.starts_with(b"{") || next.starts_with(b":") && !next.starts_with(b"::");
            if let (true, Some(others)) = (is_head && has_body && ends_head(last), first.1) {
                for range in [from..first.0, others..end] {
                    let others = masked[range].iter_mut().filter(|byte| **byte != b'\n');
                    others.for_each(|byte| *byte = b' ');
                }
            }
        }
    }
}

/// Returns the length of the macro on a line that opens or closes a namespace, a list of declarations
/// or a section without some warnings, with or without arguments: `QT_BEGIN_NAMESPACE`,
/// `PYBIND11_NAMESPACE_BEGIN(detail)`, `WARNINGS_PUSH`.
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
        matches!(
            word,
            b"BEGIN"
                | b"END"
                | b"OPEN"
                | b"CLOSE"
                | b"ENTER"
                | b"EXIT"
                | b"LEAVE"
                | b"PUSH"
                | b"POP"
        )
    };
    let mut words = name.split(|&byte| byte == b'_').filter(|word| !word.is_empty());
    let is_macro = is_capitals(name) && words.clone().count() > 1 && words.any(is_mark);
    (has_no_more && is_macro).then_some(name.len() + arguments)
}

/// Returns true for a line that consists of a macro with names or strings as arguments, without `;`:
/// `DISALLOW_COPY(Name)`. Such a macro stands for declarations.
fn is_declaration_macro(line: &[u8]) -> bool {
    let Some(open) = line.iter().position(|&byte| byte == b'(') else { return false };
    let Some(arguments) = line[open + 1..].strip_suffix(b")") else { return false };
    let mut is_text = false;
    let is_plain = |byte: &u8| {
        is_text ^= *byte == b'"';
        is_text
            || byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b',' | b' ' | b':' | b'<' | b'>' | b'"' | b'+' | b'-')
    };
    is_capitals(&line[..open]) && arguments.iter().all(is_plain)
}

/// Returns true for a line that consists of a macro, and precedes a declaration with keywords, which the
/// macro is no type of: `DEPRECATED_SINCE(3.1, f())`, `static int g();`.
fn is_attribute(line: &[u8], after: &[u8]) -> bool {
    let open = line.iter().position(|&byte| byte == b'(').unwrap_or(line.len());
    if !is_capitals(&line[..open])
        || open < line.len() && balanced(&line[open..], b'(', b')') != Some(line.len() - open)
    {
        return false;
    }
    let mut lines = after.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).take(ATTRIBUTES_MAX);
    // Other attributes may precede the declaration.
    let is_other = |line: &&[u8]| {
        let end = line.iter().position(|&byte| byte == b'(').unwrap_or(line.len());
        line.is_empty() || is_capitals(&line[..end])
    };
    let next = lines.find(|line| !is_other(line)).unwrap_or_default();
    let end = next.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(next.len());
    DECLARATIONS.contains(&&next[..end])
}

/// Returns the length of a macro that stands for an access specifier, with its colon:
/// `PRIVATE_UNLESS_TESTED:`.
fn access_len(line: &[u8]) -> Option<usize> {
    let name = line.strip_suffix(b":")?.trim_ascii_end();
    let is_access =
        |word: &[u8]| matches!(word, b"PUBLIC" | b"PROTECTED" | b"PRIVATE" | b"SIGNALS" | b"SLOTS");
    let is_macro = is_capitals(name) && name.split(|&byte| byte == b'_').any(is_access);
    (is_macro && line.len() >= ACCESS.len()).then_some(line.len())
}

/// Returns the length of a macro that stands for `try` or `catch`, as its name says, at the start of a
/// line, and that keyword: `LIB_TRY {`, `LIB_CATCH(...) {`, where the block may begin on the next line.
fn exception_len(line: &[u8], after: &[u8]) -> Option<(usize, &'static [u8])> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let len = line.iter().take_while(|byte| is_part(byte)).count();
    let (name, rest) = line.split_at(len);
    let rest = rest.trim_ascii();
    let has_word = |word: &[u8]| name.split(|&byte| byte == b'_').any(|part| part == word);
    let (keyword, rest): (&'static [u8], _) = match rest.first() {
        Some(b'(') if has_word(b"CATCH") => (b"catch", &rest[balanced(rest, b'(', b')')?..]),
        None | Some(b'{') if has_word(b"TRY") => (b"try", rest),
        _ => return None,
    };
    let rest = rest.trim_ascii_start();
    let has_block = match rest.first() {
        Some(first) => *first == b'{',
        None => after.trim_ascii_start().starts_with(b"{"),
    };
    (is_capitals(name) && has_block).then_some((len, keyword))
}

/// Returns true for a line that consists of a macro before a block, after the byte `before`: `TRY {`.
fn begins_block(line: &[u8], before: u8) -> bool {
    let name = line.strip_suffix(b"{").map(<[u8]>::trim_ascii_end);
    matches!(before, b';' | b'}') && name.is_some_and(is_capitals)
}

/// Returns true if the text after a line begins a declaration, and not the body of a function or
/// the rest of an expression.
fn begins_declaration(after: &[u8]) -> bool {
    let next = after.iter().find(|byte| !byte.is_ascii_whitespace());
    next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, b'_' | b'}' | b'~' | b'#'))
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

/// A function that a macro with a body defines.
pub(super) struct Defined<'t> {
    name: Node<'t>,
    /// The class whose members the body can use: the fixture of a test.
    pub(super) suite: Option<Node<'t>>,
}

/// Returns the function that the visited macro with a body defines.
pub(super) fn function<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let name = defined(visit)?.name;
    let mut definition = Definition::new(visit, SymbolKind::Function, name);
    definition.body = visit.node().field("body");
    Some(definition)
}

/// Returns what the visited macro with a body defines.
pub(super) fn defined<'t>(visit: &Visit<'_, 't>) -> Option<Defined<'t>> {
    let node = visit.node();
    let declarator = node.field("declarator")?;
    // The constructor of a type whose name is in capitals.
    if visit.ancestor_kind(1) == "field_declaration_list" {
        return None;
    }
    let (word, name, suite) = match (declarator.kind_name(), node.field("type")) {
        // `TEST(Name) {` in C.
        ("parenthesized_declarator", Some(word)) => (word, declarator.named_child(0)?, None),
        // `TEST(Suite, Name) {` in C++ looks like a constructor.
        ("function_declarator", None) => {
            let list = declarator.field("parameters")?;
            let word = declarator.field("declarator")?;
            let macro_name = visit.bytes(word);
            let has_suite = names_suite(macro_name) && list.named_child_count() == 2;
            // `BOOST_FIXTURE_TEST_CASE(name, Fixture) {`
            let is_suite_first = has_suite && !macro_name.starts_with(b"BOOST_FIXTURE");
            let only_name = |parameter: Node<'t>| {
                let is_name = parameter.kind_name() == "parameter_declaration"
                    && parameter.named_child_count() == 1;
                parameter.named_child(0).filter(|_| is_name)
            };
            let name = only_name(list.named_child(u32::from(is_suite_first))?)?;
            let suite = list.named_child(u32::from(!is_suite_first)).filter(|_| has_suite);
            (word, name, suite.and_then(only_name))
        }
        _ => return None,
    };
    let is_name = matches!(name.kind_name(), "identifier" | "type_identifier");
    if !is_name || !is_capitals(visit.bytes(word)) {
        return None;
    }
    Some(Defined { name, suite })
}

/// Returns the name in a declarator that a macro makes of it: `name` of `MADE(name)`.
pub(super) fn made_name<'t>(visit: &Visit<'_, 't>, declarator: Node<'t>) -> Option<Node<'t>> {
    let word = declarator.field("declarator").filter(|word| word.kind_name() == "identifier")?;
    let list = declarator.field("parameters").filter(|list| list.named_child_count() == 1)?;
    let parameter = list.named_child(0).filter(|only| only.named_child_count() == 1)?;
    let name = parameter.named_child(0).filter(|name| name.kind_name() == "type_identifier")?;
    is_capitals(visit.bytes(word)).then_some(name)
}

/// Returns true if the visited declaration in a type is the call of a macro in capitals, and no member:
/// `ASSERT_SIZE(sizeof(T) == 4);`, which the grammar takes for a constructor, or for a field or a method of
/// the type `ASSERT_SIZE`.
pub(super) fn is_member_call(visit: &Visit<'_, '_>) -> bool {
    let node = visit.node();
    let Some(declarator) = node.field("declarator") else { return false };
    let (word, is_form) = match node.field("type") {
        Some(of) => {
            let inner = declarator.named_child(0).map_or("", |inner| inner.kind_name());
            let is_value = declarator.kind_name() == "parenthesized_declarator"
                && !matches!(inner, "pointer_declarator" | "reference_declarator");
            (Some(of).filter(|of| of.kind_name() == "type_identifier"), is_value)
        }
        None => (declarator.field("declarator"), declarator.kind_name() == "function_declarator"),
    };
    let Some(word) = word.filter(|_| is_form).map(|word| visit.bytes(word)) else { return false };
    let is_constructor = || visit.enclosing().is_some_and(|around| around.name.as_bytes() == word);
    visit.ancestor_kind(1) == "field_declaration_list" && is_capitals(word) && !is_constructor()
}

/// Records the calls of the macros between the head of the visited template and its declaration, which
/// are masked: `template <class T>`, `NON_NULL(1)`, `static void f(T *value);`.
pub(super) fn attributes(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(head) = node.field("parameters") else { return };
    let Some(own) = head.next_named_sibling() else { return };
    let mut at = head.end_byte();
    let Some(gap) = visit.text.get(at..own.start_byte()) else { return };
    for line in gap.split_inclusive(|&byte| byte == b'\n') {
        let word = line.trim_ascii_start();
        let start = at + line.len() - word.len();
        at += line.len();
        let Some(open) = word.iter().position(|&byte| byte == b'(') else { continue };
        if is_capitals(&word[..open]) {
            let span = start..start + open;
            let around = code_text::around(visit.text, span.clone());
            let count = u8::try_from(around.arguments).unwrap_or(u8::MAX);
            notes.refer_span(visit, span, Role::Call, None, Some(count));
        }
    }
}

/// A test that a macro with a string defines: `TEST_CASE("name") {`.
pub(super) struct TestCase {
    /// The first byte of the macro.
    start: usize,
    name: Range<usize>,
    /// The fixture, whose members the body can use: `TEST_CASE_METHOD(Fixture, "name") {`.
    pub(super) fixture: Option<Range<usize>>,
}

/// Returns the test of which the visited block is the body. Reads a bounded number of bytes.
pub(super) fn test_case(visit: &Visit<'_, '_>) -> Option<TestCase> {
    let parent = visit.ancestor_kind(1);
    let is_outside =
        matches!(parent, "translation_unit" | "declaration_list") || parent.starts_with("preproc_");
    let end = visit.node().start_byte();
    let first = end.saturating_sub(ARGUMENTS_BYTES_MAX);
    let before = visit.text.get(first..end).filter(|_| is_outside)?.trim_ascii_end();
    let before = before.strip_suffix(b")")?;
    let mut lines = before.split_inclusive(|&byte| byte == b'\n').rev().take(4);
    let mut at = first + before.len();
    let start = lines.find_map(|line| {
        at -= line.len();
        let word = line.trim_ascii_start();
        let open = word.iter().position(|&byte| byte == b'(')?;
        let is_test = is_capitals(&word[..open]) && names_suite(&word[..open]);
        is_test.then_some((at + line.len() - word.len(), open))
    });
    let (start, open) = start?;
    let arguments = start + open + 1..first + before.len();
    let quote = arguments.start + memchr::memchr(b'"', &visit.text[arguments.clone()])?;
    let length = memchr::memchr(b'"', &visit.text[quote + 1..arguments.end])?;
    let fixture = visit.text[arguments.start..quote].trim_ascii().strip_suffix(b",");
    let fixture = fixture.map(|of| {
        let gap = visit.text[arguments.start..].len()
            - visit.text[arguments.start..].trim_ascii_start().len();
        arguments.start + gap..arguments.start + gap + of.trim_ascii().len()
    });
    Some(TestCase { start, name: quote + 1..quote + 1 + length, fixture })
}

/// Returns the function whose body the visited block is, if a macro with a string defines it.
pub(super) fn test_function<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let test = test_case(visit)?;
    let name = visit.text.get(test.name.clone())?;
    let mut definition = Definition::new(visit, SymbolKind::Function, visit.node());
    definition.name = String::from_utf8_lossy(name).into_owned();
    definition.name_span = test.name;
    definition.signature_start = Some(test.start);
    definition.body = Some(visit.node());
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

/// Records the call of a macro whose arguments are masked, since it stands for declarations.
/// Returns false for other names.
pub(super) fn masked_macro(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) -> bool {
    let span = visit.node().byte_range();
    let statement = match visit.ancestor_kind(1) {
        "expression_statement" | "declaration" | "field_declaration" => true,
        // The grammar takes the macro for a constructor.
        "function_declarator" => {
            let around = visit
                .enclosing()
                .is_some_and(|around| around.name.as_bytes() != &visit.text[span.clone()]);
            visit.ancestor_kind(3) == "field_declaration_list"
                && visit.ancestor_kind(2) == "declaration"
                && around
        }
        _ => false,
    };
    if !statement
        || visit.text.get(span.end) != Some(&b'(')
        || !is_capitals(&visit.text[span.clone()])
    {
        return false;
    }
    let around = code_text::around(visit.text, span.clone());
    let count = u8::try_from(around.arguments).unwrap_or(u8::MAX);
    notes.refer_span(visit, span, Role::Call, None, Some(count));
    true
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
    fn calling_conventions_are_blanked() {
        let text = "void (CALL *drop)(int);\nx = (FILE *)(f);\n";
        let mut masked = text.as_bytes().to_vec();
        super::mask_conventions(text.as_bytes(), &mut masked);
        let expected = "void (     *drop)(int);\nx = (FILE *)(f);\n";
        assert_eq!(String::from_utf8_lossy(&masked), expected);
    }

    #[test]
    fn comments_inside_of_macros_are_blanked() {
        let check = |text: &str, expected: &str| {
            let mut masked = text.as_bytes().to_vec();
            super::mask_comments(text.as_bytes(), &mut masked);
            assert_eq!(String::from_utf8_lossy(&masked), expected);
        };
        check("#define F(a) g(a, 0 /* b */, 1)\n", "#define F(a) g(a, 0        , 1)\n");
        check("#define F \\\n  a /* b */ \\\n  c\n", "#define F \\\n  a         \\\n  c\n");
        for text in ["#define F a /* b */\n", "f(/* a */ b);\n", "#define F \"/* a */\" b\n"] {
            check(text, text);
        }
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
