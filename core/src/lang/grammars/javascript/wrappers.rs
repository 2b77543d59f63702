//! Functions that return one of their parameters, or a function or class around it:
//! `function callable(Class) { return new Proxy(Class, …) }`.
//!
//! Each is recorded as a base `^name` of the function, where `name` is the parameter; as `^name|?` if
//! what is returned may be something else: of several returned values, or what an inner function or
//! class makes of the parameter.

use tree_sitter::Node;

use crate::lang::code_text;
use crate::lang::facts::Chain;
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

/// The most parameters of a function that are considered.
const PARAMETERS_MAX: usize = 8;

/// The most statements of a function that are searched for a local name.
const STATEMENTS_MAX: usize = 256;

/// How many names and calls are followed from a returned value.
const STEPS_MAX: usize = 4;

/// The most bytes of an inner function that are searched for uses of a parameter.
const BYTES_MAX: usize = 1 << 14;

/// Functions that return their first argument.
const IDENTITIES: [&[u8]; 6] = [
    b"Object.assign",
    b"Object.defineProperties",
    b"Object.defineProperty",
    b"Object.freeze",
    b"Object.seal",
    b"Object.setPrototypeOf",
];

/// Records for the function `function`, which is the symbol with index `index`, that it returns a
/// parameter or something around it in `value`. O(value).
pub(super) fn returned(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    index: usize,
    function: Node<'_>,
    value: Node<'_>,
) {
    let names = parameters(visit, function);
    if names.is_empty() || super::chain::is_empty(value) {
        return;
    }
    match wrapped(visit, function, &names, value) {
        Some((name, is_sure)) => {
            if let Ok(name) = std::str::from_utf8(name) {
                record(notes, index, name, is_sure);
            }
        }
        None => notes.returns_other(index),
    }
}

fn record(notes: &mut Notes<'_>, index: usize, name: &str, is_sure: bool) {
    let base = Chain::variable(name);
    let base = if is_sure { base } else { base.only_sometimes() };
    if !notes.bases.iter().rev().take(PARAMETERS_MAX).any(|(at, it)| *at == index && *it == base) {
        notes.add_base(index, base);
    }
}

/// Records for the function `function`, which is the symbol with index `index`, that its declared
/// result is of the type of a parameter: `<T>(of: T) => T & Added`. O(parameters).
pub(super) fn declared(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    index: usize,
    function: Node<'_>,
    result: Node<'_>,
) {
    let (Some(list), Some(types)) =
        (function.field("parameters"), function.field("type_parameters"))
    else {
        return;
    };
    let mut of = result;
    while matches!(
        of.kind_name(),
        "type_annotation" | "intersection_type" | "parenthesized_type" | "readonly_type"
    ) {
        let Some(inner) = of.named_child(0) else { return };
        of = inner;
    }
    let own = visit.bytes(of);
    let mut cursor = types.walk();
    let is_open = types
        .named_children(&mut cursor)
        .take(PARAMETERS_MAX)
        .any(|it| it.field("name").is_some_and(|name| visit.bytes(name) == own));
    if of.kind_name() != "type_identifier" || !is_open {
        return;
    }
    let mut cursor = list.walk();
    for parameter in list.named_children(&mut cursor).take(PARAMETERS_MAX) {
        let written = parameter.field("type").and_then(|it| it.named_child(0));
        let is_its = written.is_some_and(|written| visit.bytes(written) == own);
        let name = parameter.field("pattern").filter(|it| is_its && it.kind_name() == "identifier");
        if let Some(name) = name {
            return record(notes, index, &visit.text_of(name), true);
        }
    }
}

/// Returns the names of the parameters of a function.
fn parameters<'a>(visit: &Visit<'a, '_>, function: Node<'_>) -> Vec<&'a [u8]> {
    if let Some(only) = function.field("parameter") {
        return vec![&visit.text[only.byte_range()]];
    }
    let Some(list) = function.field("parameters") else { return Vec::new() };
    let mut cursor = list.walk();
    let name = |parameter: Node<'_>| {
        let name = match parameter.kind_name() {
            "required_parameter" | "optional_parameter" => parameter.field("pattern")?,
            "assignment_pattern" => parameter.field("left")?,
            _ => parameter,
        };
        (name.kind_name() == "identifier").then(|| &visit.text[name.byte_range()])
    };
    list.named_children(&mut cursor).take(PARAMETERS_MAX).filter_map(name).collect()
}

/// Returns the parameter that a value is or is made around, and whether it certainly is.
fn wrapped<'a>(
    visit: &Visit<'a, '_>,
    function: Node<'_>,
    names: &[&'a [u8]],
    value: Node<'_>,
) -> Option<(&'a [u8], bool)> {
    let mut value = super::bare(value);
    if value.kind_name() == "ternary_expression" {
        let branches = [value.field("consequence"), value.field("alternative")];
        let mut found = branches.into_iter().flatten();
        return found.find_map(|it| wrapped(visit, function, names, it)).map(|(it, _)| (it, false));
    }
    for _ in 0..STEPS_MAX {
        let own = visit.bytes(value);
        value = match value.kind_name() {
            "identifier" => match names.iter().find(|name| **name == own) {
                Some(name) => return Some((name, true)),
                None => local(visit, function, own)?,
            },
            "call_expression" => {
                let called = value.field("function")?;
                let bound = called.field("property").filter(|name| visit.bytes(*name) == b"bind");
                match bound {
                    Some(_) => super::bare(called.field("object")?),
                    None if IDENTITIES.contains(&visit.bytes(called)) => {
                        super::bare(value.field("arguments")?.named_child(0)?)
                    }
                    None => return None,
                }
            }
            "new_expression" => {
                let is_proxy = visit.bytes(value.field("constructor")?) == b"Proxy";
                let arguments = value.field("arguments").filter(|_| is_proxy)?;
                super::bare(arguments.named_child(0)?)
            }
            "class" | "class_declaration" => {
                // A class that only has a value of the parameter is another class.
                let heritage = visit_child(value, "class_heritage")?;
                let name = names.iter().find(|name| is_run(visit, heritage, name)).copied()?;
                return Some((name, !returns_from_constructor(visit, value)));
            }
            _ if value.kind_name() == "function_declaration" || super::is_function(value) => {
                let name = names.iter().find(|name| is_run(visit, value, name)).copied()?;
                return Some((name, is_result(visit, value, name)));
            }
            _ => return None,
        };
    }
    None
}

fn visit_child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    (0..8).map_while(|at| node.child(at)).find(|child| child.kind_name() == kind)
}

/// Returns true if the constructor of a class may return another object.
fn returns_from_constructor(visit: &Visit<'_, '_>, class: Node<'_>) -> bool {
    let Some(body) = class.field("body") else { return false };
    let mut cursor = body.walk();
    let mut members = body.named_children(&mut cursor).take(STATEMENTS_MAX);
    members.any(|member| {
        let is_constructor =
            member.field("name").is_some_and(|name| visit.bytes(name) == b"constructor");
        is_constructor && bstr::ByteSlice::contains_str(bounded(visit.bytes(member)), "return")
    })
}

/// Returns false if an inner function makes something else of a new value of `name`: it is no
/// operand of `return` and no value of an arrow function.
fn is_result(visit: &Visit<'_, '_>, inner: Node<'_>, name: &[u8]) -> bool {
    let text = bounded(visit.bytes(inner));
    let mut made = uses(text, name).filter_map(|at| {
        let before = text[..at].trim_ascii_end();
        let before =
            [&b"new"[..], b"Reflect.construct("].iter().find_map(|it| before.strip_suffix(*it))?;
        Some(before.trim_ascii_end())
    });
    made.all(|before| before.ends_with(b"return") || before.ends_with(b"=>"))
}

fn bounded(text: &[u8]) -> &[u8] {
    &text[..text.len().min(BYTES_MAX)]
}

/// Returns the bytes at which a text uses a name.
fn uses<'a>(text: &'a [u8], name: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    bstr::ByteSlice::find_iter(text, name).filter(move |&at| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_part = |byte: Option<&u8>| byte.is_some_and(|&byte| code_text::is_name(byte));
        let is_member = before.last() == Some(&b'.') && !before.ends_with(b"...");
        !is_part(before.last()) && !is_part(after.first()) && !is_member
    })
}

/// Returns the function, class or value that a function binds to a local name.
fn local<'t>(visit: &Visit<'_, '_>, function: Node<'t>, name: &[u8]) -> Option<Node<'t>> {
    let body = function.field("body").filter(|body| body.kind_name() == "statement_block")?;
    let is_its =
        |node: Node<'t>| node.field("name").is_some_and(|declared| visit.bytes(declared) == name);
    let mut cursor = body.walk();
    for statement in body.named_children(&mut cursor).take(STATEMENTS_MAX) {
        match statement.kind_name() {
            "function_declaration" | "class_declaration" if is_its(statement) => {
                return Some(statement);
            }
            "lexical_declaration" | "variable_declaration" => {
                let mut cursor = statement.walk();
                let mut declared = statement.named_children(&mut cursor).take(PARAMETERS_MAX);
                if let Some(declared) = declared.find(|it| is_its(*it)) {
                    return declared.field("value").map(super::bare);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns true if an inner function or class calls, constructs or extends `name`.
fn is_run(visit: &Visit<'_, '_>, inner: Node<'_>, name: &[u8]) -> bool {
    let text = bounded(visit.bytes(inner));
    uses(text, name).any(|at| {
        let (before, after) = (text[..at].trim_ascii_end(), &text[at + name.len()..]);
        let is_made = [&b"new"[..], b"extends", b"Reflect.construct(", b"Reflect.apply("]
            .iter()
            .any(|word| before.ends_with(word));
        let is_called = [&b"("[..], b".call(", b".apply("]
            .iter()
            .any(|call| after.trim_ascii_start().starts_with(call));
        is_made || is_called
    })
}
