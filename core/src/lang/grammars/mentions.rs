//! Reference rules shared by many languages: calls, types of parameters and local variables,
//! imports, base types.
//!
//! Values are followed only through names, members, calls and type annotations, not through
//! conditions, generics or inference.

use std::ops::Range;

use tree_sitter::Node;

use super::modifiers::{child, children};
use crate::lang::chain;
use crate::lang::facts::{Chain, Import, ImportKind, ImportedName, Role};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Maximum number of consecutive members and calls that are followed.
const STEPS_MAX: usize = 24;

/// Words for the instance that a method belongs to, in Dart, Lua, Scala and Zig.
const SELF_WORDS: [&[u8]; 2] = [b"this", b"self"];

/// The keyword for the same instance as a value of its base type.
const SUPER_KEYWORD: &[u8] = b"super";

/// The target of a call.
struct Callee<'t> {
    name: Node<'t>,
    /// The expression that the name is a member of.
    of: Option<Node<'t>>,
}

/// Records the visited node if it is a call, an annotation or a name whose value is used.
pub(super) fn call<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        kind if is_call(kind) => {}
        "annotation" => return annotation(visit, notes),
        kind if is_name(kind) => return value(visit, notes),
        _ => return,
    }
    let Some(Callee { name, of }) = callee(node) else { return };
    // `object..name()`
    let is_cascade = of.is_none() && visit.ancestor_kind(1) == "cascade_section";
    let of = if is_cascade { visit.ancestor(2).and_then(|all| all.named_child(0)) } else { of };
    if SELF_WORDS.contains(&bytes(visit, name)) {
        return;
    }
    let receiver = match of {
        Some(of) => Some(chain_of(visit, notes, of, 0).unwrap_or_else(Chain::unknown)),
        // A call of a local variable does not refer to a definition.
        None if matches!(notes.local(bytes(visit, name)), NameLookup::Local(_)) => return,
        None => None,
    };
    let given = u8::try_from(arguments(node)).unwrap_or(u8::MAX);
    notes.refer_span(visit, unquoted(visit, name), Role::Call, receiver, Some(given));
}

/// Returns the bytes of a name without the backquotes around it.
fn unquoted(visit: &Visit<'_, '_>, name: Node<'_>) -> Range<usize> {
    let span = name.byte_range();
    let is_quoted = matches!(&visit.text[span.clone()], [b'`', .., b'`']);
    if is_quoted { span.start + 1..span.end - 1 } else { span }
}

fn is_call(kind: &str) -> bool {
    matches!(
        kind,
        "call_expression"
            | "invocation_expression"
            | "function_call_expression"
            | "member_call_expression"
            | "nullsafe_member_call_expression"
            | "scoped_call_expression"
            | "object_creation_expression"
            | "constructor_expression"
            | "function_call"
            | "instance_expression"
            | "new_expression"
            | "const_object_expression"
            | "cascade_call_expression"
    )
}

/// Records a name, with the module before it, that an operator calls with one argument, or whose value is
/// used. Local names are not recorded.
pub(super) fn applied(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    name: Node<'_>,
    module: Option<Chain>,
    is_called: bool,
) {
    if module.is_none() && matches!(notes.local(bytes(visit, name)), NameLookup::Local(_)) {
        return;
    }
    if is_called {
        notes.call(visit, name, module, 1);
    } else {
        notes.refer(visit, name, Role::Read, module);
    }
}

/// Records the visited annotation (`@Name(1)`) as a call, where it can be one; the name of a constant
/// (`@name`) is read.
pub(super) fn annotation<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let named = node.field("name").or_else(|| child(node, &["user_type"])).and_then(named);
    let Some(Callee { name, .. }) = named else { return };
    let is_type = bytes(visit, name).first().is_some_and(u8::is_ascii_uppercase);
    match child(node, &["annotation_arguments", "arguments"]) {
        Some(list) => notes.call(visit, name, None, count(list)),
        None if is_type => notes.refer_span(visit, name.byte_range(), Role::Call, None, None),
        None if node.field("name").is_some() => notes.refer(visit, name, Role::Read, None),
        // Attributes of Swift itself.
        None => {}
    }
}

/// Records the visited name as read if its value is used without a call: `f` in `map(f)` and in
/// `g = f`, `m` in `map(a.m)`. Local names and the names of definitions are not recorded.
fn value<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if !is_value_place(visit.ancestor_kind(1), visit.field_above(0)) {
        return member_value(visit, notes);
    }
    let name = bytes(visit, node);
    let is_local = matches!(notes.local(name), NameLookup::Local(_));
    if !is_local && !is_defined(visit, node) && !SELF_WORDS.contains(&name) {
        notes.refer(visit, node, Role::Read, None);
    }
}

/// Returns the number of arguments in a list.
fn count(list: Node<'_>) -> usize {
    let is_argument = |node: &Node| node.is_named() && !node.kind_name().ends_with("comment");
    children(list).filter(is_argument).count()
}

/// Records the visited member expression or infix operation of Scala as a call: a method without
/// parentheses is called where it is named, and `a plus b` is `a.plus(b)`.
pub(super) fn named_call<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let is_called =
        visit.ancestor_kind(1) == "call_expression" && visit.field_above(0) == "function";
    let (name, of, arguments) = match (node.field("operator"), node.field("left")) {
        (Some(name), Some(left)) => (name, left, Some(1)),
        _ => match (node.field("field"), node.field("value")) {
            (Some(name), Some(of)) if !is_called => (name, of, None),
            _ => return,
        },
    };
    let receiver = chain_of(visit, notes, of, 0).unwrap_or_else(Chain::unknown);
    notes.refer_span(visit, unquoted(visit, name), Role::Call, Some(receiver), arguments);
}

/// Records the visited name if it is the last part of a member expression that is used as a value.
fn member_value<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(Callee { name, of: Some(of) }) = visit.ancestor(1).and_then(named) else { return };
    // Scala's are calls, see `named_call`.
    let is_call = visit.ancestor(1).is_some_and(|parent| parent.field("value").is_some());
    if is_call
        || name.id() != node.id()
        || !is_value_place(visit.ancestor_kind(2), visit.field_above(1))
    {
        return;
    }
    let receiver = chain_of(visit, notes, of, 0).unwrap_or_else(Chain::unknown);
    notes.refer(visit, node, Role::Read, Some(receiver));
}

/// Returns true for nodes whose children in a field are values.
fn is_value_place(kind: &str, field: &str) -> bool {
    match kind {
        "arguments" | "argument_list" | "expression_list" | "return_statement" | "list_literal"
        | "tuple_expression" | "cast_expression" => true,
        "named_argument" | "argument" => field != "label" && field != "name",
        // Zig has no node for the argument list.
        "call_expression" => field != "function" && field != "arguments",
        "field"
        | "assignment_expression"
        | "assignment_statement"
        | "val_definition"
        | "var_definition"
        | "initialized_variable_definition"
        | "initialized_identifier"
        | "static_final_declaration"
        | "pair" => matches!(field, "value" | "right"),
        _ => false,
    }
}

/// Returns true if a name is that of one of the last definitions.
fn is_defined(visit: &Visit<'_, '_>, name: Node) -> bool {
    let start = name.start_byte();
    visit.symbols.iter().rev().take(16).any(|symbol| symbol.name_span.start == start)
}

fn bytes<'v>(visit: &'v Visit<'_, '_>, node: Node) -> &'v [u8] {
    &visit.text[unquoted(visit, node)]
}

fn is_name(kind: &str) -> bool {
    matches!(
        kind,
        "identifier" | "simple_identifier" | "name" | "type_identifier" | "operator_identifier"
    )
}

/// Returns the target of the call `node`.
fn callee(node: Node<'_>) -> Option<Callee<'_>> {
    let field = |name: &str| node.field(name);
    if let (Some(name), Some(of)) = (field("name"), field("object").or_else(|| field("scope"))) {
        return is_name(name.kind_name()).then_some(Callee { name, of: Some(of) });
    }
    let called = field("function")
        .or_else(|| field("name"))
        .or_else(|| field("type"))
        .or_else(|| field("constructed_type"))
        .or_else(|| field("property"))
        .or_else(|| node.named_child(0))?;
    named(called)
}

/// Returns the name of the called function or constructed type, and the expression that it is a
/// member of.
fn named(node: Node<'_>) -> Option<Callee<'_>> {
    let field = |name: &str| node.field(name);
    let (name, of) = match node.kind_name() {
        kind if is_name(kind) => (node, None),
        "generic_name" => (child(node, &["identifier"])?, None),
        "generic_function" => return named(field("function")?),
        // `(f)()`
        "parenthesized_expression" if node.named_child_count() == 1 => {
            return named(node.named_child(0)?);
        }
        "generic_type" | "type" => (child(node, &["type_identifier"])?, None),
        "field_expression" => {
            (field("field").or(field("member"))?, field("value").or(field("object")))
        }
        "member_expression" | "null_aware_member_expression" | "cascade_member_expression" => {
            (field("property")?, field("object"))
        }
        "dot_index_expression" => (field("field")?, field("table")),
        "method_index_expression" => (field("method")?, field("table")),
        "user_type" | "qualified_name" => {
            (children(node).filter(|part| is_name(part.kind_name())).last()?, None)
        }
        "member_access_expression" => (field("name")?, field("expression").or(field("object"))),
        "conditional_access_expression" => {
            let binding = child(node, &["member_binding_expression"])?;
            (binding.field("name")?, field("condition"))
        }
        "navigation_expression" => member(node)?,
        _ => return None,
    };
    match name.kind_name() {
        "generic_name" => Some(Callee { name: child(name, &["identifier"])?, of }),
        kind if is_name(kind) => Some(Callee { name, of }),
        _ => None,
    }
}

/// Returns the parts of `a.b` in the trees of Kotlin and Swift.
fn member(node: Node<'_>) -> Option<(Node<'_>, Option<Node<'_>>)> {
    if let Some(suffix) = node.field("suffix") {
        let name = suffix.field("suffix")?;
        return Some((name, node.field("target")));
    }
    let last = u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?;
    Some((node.named_child(last)?, node.named_child(0).filter(|_| last > 0)))
}

/// Returns the number of arguments of a call, including a trailing lambda.
fn arguments(call: Node) -> usize {
    let suffix = child(call, &["call_suffix", "constructor_suffix"]).unwrap_or(call);
    let lists = ["argument_list", "arguments", "value_arguments"];
    let listed = child(suffix, &lists).map_or(0, count);
    // The grammar of Zig has no node for the argument list.
    if call.field("function").is_some() && child(suffix, &lists).is_none() {
        return call.named_child_count().saturating_sub(1);
    }
    listed + usize::from(child(suffix, &["annotated_lambda", "lambda_literal"]).is_some())
}

/// Returns the chain of the expression `node`.
fn chain_of(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node, depth: usize) -> Option<Chain> {
    if depth >= STEPS_MAX {
        return None;
    }
    let text = bytes(visit, node);
    if SELF_WORDS.contains(&text) {
        // A parameter of a written type.
        let declared = match notes.local(text) {
            NameLookup::Local(chain) => chain.filter(|chain| chain.starts_at_type()),
            NameLookup::NotLocal => None,
        };
        return Some(declared.cloned().unwrap_or_else(Chain::own));
    }
    if text == SUPER_KEYWORD {
        return Some(Chain::base());
    }
    match node.kind_name() {
        // PHP variables are local or unknown.
        "variable_name" => match notes.local(text) {
            NameLookup::Local(chain) => chain.cloned(),
            NameLookup::NotLocal => None,
        },
        kind if is_name(kind) => chain::of_name(notes, text),
        "parenthesized_expression" => chain_of(visit, notes, node.named_child(0)?, depth + 1),
        "qualified_name" => Some(Chain::name(path(visit, node))),
        kind if is_call(kind) => {
            let called = callee(node)?;
            chain::called(member_of(visit, notes, &called, depth)?.into())
        }
        "nullsafe_member_access_expression" => {
            let name = node.field("name")?;
            let of = chain_of(visit, notes, node.field("object")?, depth + 1);
            chain::member(of, bytes(visit, name))
        }
        _ => member_of(visit, notes, &named(node)?, depth),
    }
}

fn member_of(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    callee: &Callee,
    depth: usize,
) -> Option<Chain> {
    let name = bytes(visit, callee.name);
    match callee.of {
        // Scala's `Type.this`.
        Some(of) if name == b"this" && of.kind_name() == "identifier" => {
            chain::instance(std::str::from_utf8(bytes(visit, of)).ok()?)
        }
        Some(of) => chain::member(chain_of(visit, notes, of, depth + 1), name),
        None => chain::of_name(notes, name),
    }
}

/// Returns the chain of a value of the type `node`, without markers of nullability and pointers.
pub(super) fn of_type(visit: &Visit<'_, '_>, node: Node) -> Option<Chain> {
    match node.kind_name() {
        // Scala's `Type*` is a sequence, `=> Type` a value.
        "repeated_parameter_type" => {
            let element = of_type(visit, node.named_child(0)?)?;
            return chain::instance(&format!("Seq<{}>", element.as_argument()?));
        }
        "lazy_parameter_type" => return of_type(visit, node.named_child(0)?),
        _ => {}
    }
    let text = visit.text_of(node).replace('\\', ".").replace('[', "<").replace(']', ">");
    let name: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let name = name.trim_matches(['?', '!', '.', '*']);
    if matches!(name, "self" | "Self" | "this.type") {
        return Some(Chain::own());
    }
    let is_plain = |c: char| c.is_alphanumeric() || "_.<>,".contains(c);
    let starts = name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    (starts && name.chars().all(is_plain)).then(|| chain::instance(name)).flatten()
}

/// Declares a parameter or local variable with the chain of its type or, without a type, of its
/// first value.
pub(super) fn declare(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    name: Option<Node>,
    type_node: Option<Node>,
    value: Option<Node>,
) {
    let Some(name) = name else { return };
    let declared = type_node.and_then(|node| of_type(visit, node));
    let known = declared.or_else(|| chain_of(visit, notes, value?, 0));
    notes.declare(name, known);
}

/// Records the type `of` for the symbols that the visited node defines: the type of the value, or
/// the return type.
pub(super) fn typed(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, of: Option<Node>) {
    let Some(chain) = of.and_then(|of| of_type(visit, of)) else { return };
    for index in visit.defined.clone() {
        notes.set_type(index, chain.clone());
    }
}

/// Records that the symbol defined by the visited node extends or implements the type `node`.
pub(super) fn base(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, node: Node) {
    let Some(Callee { name, of: None }) = named(node) else { return };
    notes.refer(visit, name, Role::Base, None);
    if visit.defined.is_empty() {
        return;
    }
    let whole = path(visit, node);
    let whole = whole.split(['<', '[']).next().unwrap_or_default();
    notes.add_base(visit.defined.start, Chain::name(whole));
}

/// Returns a path of names, joined by dots.
pub(super) fn path(visit: &Visit<'_, '_>, node: Node) -> String {
    let text = visit.text_of(node).replace(['\\', ':'], ".");
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    text.trim_matches('.').to_owned()
}

/// Records that the visited node imports `names` from `module`.
pub(super) fn import(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    module: String,
    names: Vec<ImportedName>,
) {
    let node = visit.node();
    let (span, line) = (node.byte_range(), node.start_position().row + 1);
    notes.import(Import { span, line, kind: ImportKind::Module, module, names });
}

/// Records that the visited node includes the file `module`, which binds no names.
pub(super) fn include(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    kind: ImportKind,
    module: String,
) {
    let node = visit.node();
    let (span, line) = (node.byte_range(), node.start_position().row + 1);
    notes.import(Import { span, line, kind, module, names: Vec::new() });
}

/// Returns an imported name with its alias; without one, the alias is the name itself.
pub(super) fn imported(name: &str, alias: Option<String>) -> ImportedName {
    let alias = alias.unwrap_or_else(|| if name == "*" { String::new() } else { name.to_owned() });
    ImportedName { name: name.to_owned(), alias }
}

/// Records the import of the last name of a path whose names are joined by `separator`.
pub(super) fn import_last(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    path: &str,
    separator: char,
    alias: Option<String>,
) {
    let (module, name) = path.rsplit_once(separator).unwrap_or(("", path));
    import(visit, notes, module.to_owned(), vec![imported(name, alias)]);
}
