//! C references. A member is recorded only where it is called, with the chain of the value that has
//! it. (The kernel has millions of other member accesses.)

use tree_sitter::Node;

use super::keywords::WORDS;
use super::macros::masked_macro;
use super::{declared, literals, prototypes};
use crate::lang::chain;
use crate::lang::code_text;
use crate::lang::facts::{Chain, Import, ImportKind, Role};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::symbols::Symbol;
use crate::lang::visit::Visit;

/// The deepest nesting of an expression whose member is called.
const VALUE_DEPTH_MAX: usize = 8;

/// The most bytes of a macro whose value is recorded.
const VALUE_BYTES_MAX: usize = 2000;

/// Maximum number of parentheses around a name that is called.
const PARENTHESES_MAX: usize = 16;

/// Node kinds that open a scope for local names.
pub(super) const SCOPES: &[&str] = &["function_definition", "compound_statement", "for_statement"];

/// Records what the visited node declares, includes or refers to.
pub(in crate::lang::grammars) fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "identifier" => name(visit, notes),
        "type_identifier" => type_name(visit, notes),
        "field_identifier" => {
            if let Some(call) = call_of_member(visit) {
                let of = visit.ancestor(1).and_then(|around| around.field("argument"));
                let of = of.and_then(|of| value(visit, notes, of, VALUE_DEPTH_MAX));
                notes.call(visit, node, chain::receiver(of), arguments(call));
            }
        }
        "declaration" => variables(visit, notes),
        "parameter_declaration" => {
            let declarator = node.field("declarator");
            if let Some(found) = declarator.and_then(|declarator| declared(visit, declarator)) {
                notes.declare(found.name, type_chain(visit, node));
            }
        }
        "function_declarator" => prototypes::refer(visit, notes),
        "preproc_def" if node.field("value").is_none() => flag(visit, notes),
        "preproc_include" => include(visit, notes),
        "preproc_arg" => macro_body(visit, notes),
        "compound_literal_expression" => literals::refer(visit, notes),
        _ => {}
    }
}

fn variables(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    // There are no local variables outside of functions.
    if !notes.is_local() {
        return;
    }
    let node = visit.node();
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        if let Some(found) = declared(visit, declarator)
            && !found.is_function
        {
            notes.declare(found.name, type_chain(visit, node));
        }
    }
}

/// Returns the chain of a value of the type of a declaration, if the type has a name.
fn type_chain(visit: &Visit<'_, '_>, declaration: Node<'_>) -> Option<Chain> {
    let of = declaration.field("type")?;
    let name = match of.kind_name() {
        "type_identifier" => of,
        "struct_specifier" | "union_specifier" => of.field("name")?,
        _ => return None,
    };
    chain::instance(&visit.text_of(name))
}

/// Returns the chain of the expression whose member is called.
fn value(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>, depth: usize) -> Option<Chain> {
    let depth = depth.checked_sub(1)?;
    let field = |name: &str| node.field(name);
    match node.kind_name() {
        "identifier" => chain::of_name(notes, visit.bytes(node)),
        "field_expression" => {
            let of = value(visit, notes, field("argument")?, depth);
            chain::member(of, visit.bytes(field("field")?))
        }
        "call_expression" => chain::called(value(visit, notes, field("function")?, depth)),
        // An element of an array has the type that is written.
        "subscript_expression" | "pointer_expression" => {
            value(visit, notes, field("argument")?, depth)
        }
        "parenthesized_expression" => value(visit, notes, node.named_child(0)?, depth),
        "cast_expression" => type_chain(visit, field("type")?),
        _ => None,
    }
}

/// Records the name of a macro without a value, which is no symbol, as a write: conditions ask
/// whether it is defined.
pub(super) fn flag(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    if let Some(name) = visit.node().field("name") {
        notes.refer(visit, name, Role::Write, None);
    }
}

fn name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if masked_macro(visit, notes) {
        return;
    }
    let field = visit.own_field();
    let parent = visit.ancestor_kind(1);
    match (field, parent) {
        ("name", "preproc_ifdef") => {}
        ("name" | "declarator", _)
        | (_, "preproc_params" | "parenthesized_declarator" | "attributed_declarator") => return,
        _ => {}
    }
    if matches!(notes.local(visit.bytes(node)), NameLookup::Local(_)) {
        return;
    }
    if let Some(call) = called(visit, 0) {
        return notes.call(visit, node, None, arguments(call));
    }
    match (field, parent) {
        ("left", "assignment_expression") => notes.refer(visit, node, Role::Write, None),
        _ => notes.refer(visit, node, Role::Read, None),
    }
}

/// Returns the call if the expression `levels` above the visited node is called: `f()` and `(f)()`.
/// `(f)(x)` may also convert `x` to a type `f`: it is a call if the file defines a function of the name.
pub(super) fn called<'t>(visit: &Visit<'_, 't>, levels: usize) -> Option<Node<'t>> {
    let is_around = |at: &usize| visit.ancestor_kind(at + 1) == "parenthesized_expression";
    let around = (levels..levels + PARENTHESES_MAX).take_while(is_around).count();
    let outer = levels + around;
    let is_callee = visit.field_above(outer) == "function";
    let call = visit.ancestor(outer + 1).filter(|_| is_callee);
    let call = call.filter(|call| call.kind_name() == "call_expression")?;
    let is_member = visit.ancestor_kind(levels) == "field_expression";
    if around == 0 || is_member || arguments(call) != 1 {
        return Some(call);
    }
    let name = visit.bytes(visit.node());
    let is_function = |symbol: &Symbol| symbol.name.as_bytes() == name && symbol.kind.is_callable();
    visit.symbols.iter().any(is_function).then_some(call)
}

fn type_name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let field = visit.own_field();
    let has_body = || {
        let around = visit.ancestor(1);
        around.is_some_and(|around| around.field("body").is_some())
    };
    if field == "declarator" || (field == "name" && has_body()) {
        return;
    }
    notes.refer(visit, visit.node(), Role::Type, None);
}

/// Returns the call expression if the visited member is called.
pub(super) fn call_of_member<'t>(visit: &Visit<'_, 't>) -> Option<Node<'t>> {
    let is_called = visit.field_above(1) == "function"
        && visit.ancestor_kind(1) == "field_expression"
        && visit.ancestor_kind(2) == "call_expression";
    visit.ancestor(2).filter(|_| is_called)
}

/// Returns the number of a call's arguments.
pub(super) fn arguments(call: Node<'_>) -> usize {
    call.field("arguments").map_or(0, |arguments| arguments.element_count())
}

/// Records the visited `#include`.
pub(super) fn include(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    notes.finish(node);
    let Some(path) = node.field("path") else { return };
    let kind = match path.kind_name() {
        "string_literal" => ImportKind::LocalInclude,
        "system_lib_string" => ImportKind::SystemInclude,
        _ => return,
    };
    let module = visit.text_of(path).trim_matches(['"', '<', '>']).to_owned();
    let (span, line) = (path.byte_range(), node.start_position().row + 1);
    notes.import(Import { span, line, kind, module, names: Vec::new() });
}

/// Records the calls in the body of a macro, which the grammar does not parse. If the body is a
/// single name, the macro is an alias for it.
pub(super) fn macro_body(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    if visit.own_field() != "value" {
        return;
    }
    let body = visit.node().byte_range();
    let text = visit.bytes(visit.node());
    let plain = text.trim_ascii();
    let begins_name = |byte: &u8| code_text::is_name(*byte) && !byte.is_ascii_digit();
    if plain.first().is_some_and(begins_name) && plain.iter().copied().all(code_text::is_name) {
        let start = body.start + text.len() - text.trim_ascii_start().len();
        let span = start..start + plain.len();
        notes.refer_span(visit, span, Role::Read, None, None);
        if let Some(index) = visit.own_or_enclosing_index() {
            notes.set_type(index, Chain::name(String::from_utf8_lossy(plain)));
        }
        return;
    }
    let parameters = visit.ancestor(1).and_then(|of| of.field("parameters"));
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..];
        let length = match byte {
            b'"' | b'\'' => literal(rest),
            b'/' if rest.starts_with(b"/*") => rest
                .windows(2)
                .skip(2)
                .position(|end| end == b"*/")
                .map_or(rest.len(), |end| end + 4),
            byte if code_text::is_name(byte) => {
                let length = rest.iter().take_while(|&&byte| code_text::is_name(byte)).count();
                let name = &rest[..length];
                let span = body.start + at..body.start + at + length;
                let is_called = rest[length..].trim_ascii_start().first() == Some(&b'(');
                if is_called
                    && begins_name(&byte)
                    && !WORDS.contains(&name)
                    && !is_parameter(visit, parameters, name)
                {
                    let around = code_text::around(visit.text, span.clone());
                    let receiver = around.is_member.then(|| {
                        let of = &visit.text[around.start..span.start];
                        let of = of.strip_prefix(b"::").unwrap_or(of);
                        let first = of.iter().take_while(|byte| code_text::is_name(**byte)).count();
                        let is_known = !is_parameter(visit, parameters, &of[..first]);
                        let chain = is_known.then(|| code_text::chain_of(notes, of)).flatten();
                        chain.and_then(|it| it.bounded()).unwrap_or_else(Chain::unknown)
                    });
                    let count = u8::try_from(around.arguments).unwrap_or(u8::MAX);
                    notes.refer_span(visit, span, Role::Call, receiver, Some(count));
                }
                length
            }
            _ => 1,
        };
        at += length.max(1);
    }
}

/// Records the value of the expression at the end of a macro's body as that of a call of the macro:
/// `#define MAKE(n) static Item* n = (ns::make(#n))`.
pub(super) fn macro_value(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    if visit.own_field() != "value" || visit.ancestor_kind(1) != "preproc_function_def" {
        return;
    }
    let text = visit.bytes(visit.node());
    if text.len() > VALUE_BYTES_MAX {
        return;
    }
    // Without the backslashes at the ends of lines.
    let text: Vec<u8> = text.iter().map(|&byte| if byte == b'\\' { b' ' } else { byte }).collect();
    let parameters = visit.ancestor(1).and_then(|of| of.field("parameters"));
    let Some(last) = last_expression(&text) else { return };
    let first = last.iter().take_while(|byte| code_text::is_name(**byte)).count();
    if is_parameter(visit, parameters, &last[..first]) {
        return;
    }
    let chain = code_text::chain_of(notes, last).and_then(|chain| chain.bounded());
    if let (Some(index), Some(chain)) = (visit.own_or_enclosing_index(), chain) {
        notes.set_type(index, chain);
    }
}

/// Returns the call at the end of a text, without parentheses around it.
fn last_expression(text: &[u8]) -> Option<&[u8]> {
    let mut text = text.trim_ascii();
    for _ in 0..VALUE_DEPTH_MAX {
        if text.last() != Some(&b')') {
            return None;
        }
        let open = code_text::opening(text, text.len(), 0)?;
        let before = text[..open].trim_ascii_end();
        let is_called = before.last().is_some_and(|&byte| code_text::is_name(byte) || byte == b'>');
        if !is_called {
            text = text[open + 1..text.len() - 1].trim_ascii();
            continue;
        }
        let name = before.iter().rev().take_while(|&&byte| code_text::is_name(byte)).count();
        let start = code_text::around(text, before.len() - name..before.len()).start;
        let start = &text[start..];
        return Some(start.strip_prefix(b"::").unwrap_or(start));
    }
    None
}

/// Returns the length of the literal at the start of `text`.
fn literal(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        at += if byte == b'\\' { 2 } else { 1 };
        if byte == text[0] {
            break;
        }
    }
    at.min(text.len())
}

fn is_parameter(visit: &Visit<'_, '_>, parameters: Option<Node<'_>>, name: &[u8]) -> bool {
    let Some(parameters) = parameters else { return false };
    let text = visit.bytes(parameters);
    text.split(|&byte| !code_text::is_name(byte)).any(|parameter| parameter == name)
}
