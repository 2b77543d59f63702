//! Parameters and variables of PHP functions, and the declared types of members.

use tree_sitter::Node;

use super::{doc, values};
use crate::lang::chain::{self, Protocol};
use crate::lang::code_text::is_name;
use crate::lang::facts::Chain;
use crate::lang::grammars::{loops, modifiers};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::Visit;

/// Functions that call their callback with elements of an array, with the positions of array and
/// callback.
const ELEMENT_CALLBACKS: &[(&[u8], u32, u32)] = &[
    (b"array_filter", 0, 1),
    (b"array_map", 1, 0),
    (b"array_walk", 0, 1),
    (b"uasort", 0, 1),
    (b"usort", 0, 1),
];

/// Maximum number of nodes between a member and its type, plus one.
const TYPE_LEVELS_MAX: usize = 8;

/// Node kinds of functions.
const FUNCTIONS: &[&str] =
    &["function_definition", "method_declaration", "anonymous_function", "arrow_function"];

/// Returns the chain of a declared type, or of the documented one if that states more.
fn declared(
    visit: &Visit<'_, '_>,
    of: Option<Node<'_>>,
    documented: impl FnOnce() -> Option<Chain>,
) -> Option<Chain> {
    let native = of.and_then(|of| values::of_written(&visit.text_of(of)));
    match native {
        Some(native) if !values::is_vague(&native) => Some(native),
        native => documented().map(|of| bounded(visit, of)).or(native),
    }
}

/// Returns the bound of a type parameter that the documentation of the type around the visited node
/// declares: `A` where `@template T of A` does; other chains as they are.
fn bounded(visit: &Visit<'_, '_>, of: Chain) -> Chain {
    let Some(name) = of.as_argument().filter(|name| name.starts_with('T')) else { return of };
    let types = ["class_declaration", "interface_declaration", "trait_declaration"];
    let mut levels = 1..TYPE_LEVELS_MAX;
    let Some(level) = levels.find(|level| types.contains(&visit.ancestor_kind(*level))) else {
        return of;
    };
    doc::bound(&visit.leading_text(level), name).unwrap_or(of)
}

/// Declares the visited parameter, and records the type of the property that it may define.
pub(super) fn parameter(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(mut name) = node.field("name") else { return };
    if name.kind_name() == "by_ref" {
        name = name.named_child(0).unwrap_or(name);
    }
    let documented = || {
        let own = visit.text_of(name);
        let before = visit.leading_text(0);
        let own_tag = doc::tagged(&before, "@var", Some(&own));
        own_tag.or_else(|| doc::tagged(&visit.leading_text(2), "@param", Some(&own)))
    };
    let mut of = declared(visit, node.field("type"), documented);
    if let Some(chain) = &of {
        for index in visit.defined.clone() {
            notes.set_type(index, chain.clone());
        }
    }
    if node.kind_name() == "variadic_parameter" {
        let class = |of: &Chain| of.as_argument().map(str::to_owned);
        of = of.filter(|of| of.alternatives().any(|part| part.starts_at_type()));
        of = of.map(|of| Chain::with_arguments("array", &[Some(of)], class));
    }
    notes.declare(name, of.or_else(|| callback_argument(visit, notes)));
}

/// Returns the chain of the argument with which the closure of the visited parameter is called.
fn callback_argument(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let closure = visit.ancestor(2)?;
    let call = visit.ancestor(5).filter(|call| call.kind_name() == "function_call_expression")?;
    let name = visit.bytes(call.field("function")?);
    let name = name.strip_prefix(b"\\").unwrap_or(name);
    let (_, array, at) = ELEMENT_CALLBACKS.iter().find(|(of, _, _)| *of == name)?;
    let argument = |at: u32| call.field("arguments")?.named_child(at)?.named_child(0);
    if argument(*at)?.id() != closure.id() {
        return None;
    }
    chain::yielded(values::of(visit, notes, argument(*array)?), Protocol::Iterate)
}

/// Records the type of the result of the visited function.
pub(super) fn result(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let of = visit.node().field("return_type");
    let chain = declared(visit, of, || doc::tagged(&visit.leading_text(0), "@return", None));
    if let (Some(chain), false) = (chain, visit.defined.is_empty()) {
        notes.set_type(visit.defined.start, chain);
    }
}

/// Records the type of the visited property, or that of its default value.
pub(super) fn property(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let of = visit.ancestor(1).and_then(|all| all.field("type"));
    let name = visit.node().field("name").map(|name| visit.text_of(name));
    let documented = || doc::tagged(&visit.leading_text(1), "@var", name.as_deref());
    if let (Some(chain), false) = (declared(visit, of, documented), visit.defined.is_empty()) {
        notes.set_type(visit.defined.start, chain);
    }
}

/// Records the visited `return` of a function without a declared result.
pub(super) fn returned(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(value) = visit.node().named_child(0) else { return };
    let function = (1..64)
        .map_while(|level| visit.ancestor(level))
        .find(|around| FUNCTIONS.contains(&around.kind_name()));
    let is_named = function.is_some_and(|function| {
        matches!(function.kind_name(), "function_definition" | "method_declaration")
            && function.field("return_type").is_none()
    });
    let Some(index) = visit.enclosing_index().filter(|_| is_named) else { return };
    if let Some(chain) = values::of(visit, notes, value) {
        notes.add_value(index, Some(chain));
    }
}

/// Declares the variable that the visited assignment sets, or records the type of the property.
pub(super) fn assignment(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else { return };
    if left.kind_name() == "variable_name" {
        let literal = modifiers::child(right, &["string_content"]).filter(|text| {
            let is_string = matches!(right.kind_name(), "string" | "encapsed_string");
            is_string && visit.bytes(*text).iter().all(|&byte| is_name(byte))
        });
        notes.set_literal(left, literal.map(|text| text.byte_range()));
    }
    let value = || values::of(visit, notes, right);
    match left.kind_name() {
        "variable_name" => {
            let documented =
                doc::tagged(&visit.leading_text(1), "@var", Some(&visit.text_of(left)));
            let is_documented = documented.is_some();
            let chain = documented.or_else(value);
            // `$x ??= …` keeps the type that `$x` has.
            let before = notes.local(visit.bytes(left));
            let was_known = matches!(before, NameLookup::Local(Some(_)));
            let was_local = matches!(before, NameLookup::Local(_));
            let is_kept = node.kind_name() == "augmented_assignment_expression" && was_known;
            let is_empty = values::is_empty(visit, right);
            match end_of_branch(visit).filter(|_| was_local && !is_documented) {
                _ if is_kept => {}
                Some(_) if is_empty => {}
                Some(end) => notes.assign_in_branch(left, chain, node.end_byte(), end),
                None if is_empty && !is_documented => notes.declare_unset(left, node.end_byte()),
                None => notes.declare_from(left, chain, node.end_byte()),
            }
        }
        "list_literal" | "array_creation_expression" => {
            let comment = visit.leading_text(1);
            for name in (0..16).map_while(|at| left.named_child(at)).map(unwrapped) {
                // A tag without a name does not state which part it is about.
                let tag = format!(" {}", visit.text_of(name));
                let is_named = name.kind_name() == "variable_name" && comment.contains(&tag);
                let of = is_named.then(|| doc::tagged(&comment, "@var", Some(&tag[1..]))).flatten();
                if name.kind_name() == "variable_name" {
                    notes.declare_from(name, of, node.end_byte());
                }
            }
        }
        "member_access_expression" => {
            let is_own = left.field("object").is_some_and(|of| visit.bytes(of) == b"$this");
            let name = left.field("name").filter(|name| is_own && name.kind_name() == "name");
            let Some(name) = name else { return };
            let class = (1..64).map_while(|level| visit.ancestor(level));
            let is_anonymous = class
                .take_while(|around| around.kind_name() != "class_declaration")
                .any(|around| around.kind_name() == "anonymous_class");
            if let (Some(owner), false, Some(chain)) = (owner(visit), is_anonymous, value()) {
                notes.add_member(owner, name, chain);
            }
        }
        _ => {}
    }
}

/// Gives the variables that the visited loop assigns one of their values.
pub(super) fn widen(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let kinds = loops::Kinds {
        assignment: "assignment_expression",
        variable: "variable_name",
        definitions: &["anonymous_function", "function_definition", "class_declaration"],
    };
    loops::widen(visit, notes, &kinds, |notes, right| {
        (!values::is_empty(visit, right)).then(|| values::of(visit, notes, right))
    });
}

/// Returns the end of the branch that the visited assignment is in.
fn end_of_branch(visit: &Visit<'_, '_>) -> Option<usize> {
    if visit.ancestor_kind(1) != "expression_statement" {
        // A part of a condition or of another assignment is run with the statement around it.
        return None;
    }
    let block = visit.ancestor(2)?;
    let is_body = FUNCTIONS.contains(&visit.ancestor_kind(3)) || block.kind_name() == "program";
    (!is_body).then(|| block.end_byte())
}

/// Returns the variable in an element of a list: `[$a, 'key' => $b]`.
fn unwrapped(element: Node<'_>) -> Node<'_> {
    if element.kind_name() != "array_element_initializer" {
        return element;
    }
    let last = element.named_child_count().saturating_sub(1);
    element.named_child(last as u32).unwrap_or(element)
}

/// Returns the index of the type around the visited node.
fn owner(visit: &Visit<'_, '_>) -> Option<usize> {
    let mut at = visit.enclosing_index();
    while let Some(index) = at {
        let symbol = visit.symbols.get(index)?;
        if matches!(symbol.kind, SymbolKind::Class | SymbolKind::Trait | SymbolKind::Enum) {
            return Some(index);
        }
        at = symbol.parent;
    }
    None
}

/// Declares the variables of the visited `foreach`.
pub(super) fn each(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let mut parts = (0..8).map_while(|at| node.named_child(at)).filter(|part| !part.is_extra());
    let (Some(of), Some(mut name)) = (parts.next(), parts.next()) else { return };
    if name.kind_name() == "pair" {
        name = match name.named_child(1) {
            Some(name) => name,
            None => return,
        };
    }
    if name.kind_name() == "by_ref" {
        name = name.named_child(0).unwrap_or(name);
    }
    if name.kind_name() == "variable_name" {
        let before = visit.leading_text(0);
        let documented = doc::tagged(&before, "@var", Some(&visit.text_of(name)));
        let chain =
            documented.or_else(|| chain::yielded(values::of(visit, notes, of), Protocol::Iterate));
        notes.declare_from(name, chain, name.end_byte());
    }
}

/// Declares the variable of the visited `catch`.
pub(super) fn caught(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let of = node.field("type").and_then(|of| values::of_written(&visit.text_of(of)));
    if let Some(name) = node.field("name") {
        notes.declare(name, of);
    }
}

/// Narrows the variables that the condition of the visited statement or expression tests with
/// `instanceof`.
pub(super) fn narrow(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "if_statement" | "else_if_clause" | "while_statement" | "conditional_expression" => {
            let Some(condition) = node.field("condition") else { return };
            let Some(body) = node.field("body") else { return };
            let range = body.start_byte()..body.end_byte();
            each_test(condition, 8, &mut |name, class, is_negated| {
                let Some(chain) = values::of_class(visit, class) else { return };
                if !is_negated {
                    notes.narrow_value(name, chain, range.clone());
                } else if leaves(body) {
                    notes.assign(name, chain, node.end_byte());
                }
            });
        }
        // `$x instanceof A && $x->b()`
        "binary_expression" => {
            let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
                return;
            };
            let operator = node.field("operator").map(|sign| visit.bytes(sign));
            let is_and = matches!(operator, Some(b"&&" | b"and"));
            let is_or = matches!(operator, Some(b"||" | b"or"));
            if !is_and && !is_or {
                return;
            }
            each_test(left, 8, &mut |name, class, is_negated| {
                if let (Some(chain), true) = (values::of_class(visit, class), is_negated == is_or) {
                    notes.narrow_value(name, chain, right.byte_range());
                }
            });
        }
        // `assert($x instanceof A);`
        "function_call_expression" => {
            let function = node.field("function").map(|function| visit.bytes(function));
            if !matches!(function, Some(b"assert" | b"\\assert")) {
                return;
            }
            let Some(arguments) = node.field("arguments") else { return };
            let condition = arguments.named_child(0).and_then(|first| first.named_child(0));
            let Some(condition) = condition else { return };
            each_test(condition, 8, &mut |name, class, is_negated| {
                if let (Some(chain), false) = (values::of_class(visit, class), is_negated) {
                    notes.assign(name, chain, node.end_byte());
                }
            });
        }
        _ => {}
    }
}

/// Calls `see` for each `$variable instanceof Class` that holds if the condition holds, or fails if
/// it holds.
fn each_test<'t>(node: Node<'t>, depth: usize, see: &mut dyn FnMut(Node<'t>, Node<'t>, bool)) {
    walk_tests(node, depth, false, see);
}

fn walk_tests<'t>(
    node: Node<'t>,
    depth: usize,
    is_negated: bool,
    see: &mut dyn FnMut(Node<'t>, Node<'t>, bool),
) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match node.kind_name() {
        "parenthesized_expression" => {
            if let Some(inner) = node.named_child(0) {
                walk_tests(inner, depth, is_negated, see);
            }
        }
        "unary_op_expression" => {
            let is_not = node.field("operator").is_some_and(|sign| sign.kind_name() == "!");
            if let Some(inner) = node.field("argument").filter(|_| is_not) {
                walk_tests(inner, depth, !is_negated, see);
            }
        }
        "binary_expression" => {
            let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
                return;
            };
            match node.field("operator").map_or("", |sign| sign.kind_name()) {
                "instanceof" if is_narrowed(left) && values::is_name(right) => {
                    see(left, right, is_negated);
                }
                "&&" | "and" if !is_negated => {
                    walk_tests(left, depth, is_negated, see);
                    walk_tests(right, depth, is_negated, see);
                }
                "||" | "or" if is_negated => {
                    walk_tests(left, depth, is_negated, see);
                    walk_tests(right, depth, is_negated, see);
                }
                _ => {}
            }
        }
        _ => {}
    }
}

/// Returns true for a variable, and for a property of one.
fn is_narrowed(node: Node<'_>) -> bool {
    let is_variable = |node: Node<'_>| node.kind_name() == "variable_name";
    is_variable(node)
        || node.kind_name() == "member_access_expression"
            && node.field("object").is_some_and(is_variable)
}

/// Returns true if a block ends by leaving the function or loop.
fn leaves(body: Node<'_>) -> bool {
    let last = match body.kind_name() {
        "compound_statement" => modifiers::children(body).filter(Node::is_named).last(),
        _ => Some(body),
    };
    last.is_some_and(|last| {
        let is_throw = last.kind_name() == "expression_statement"
            && last.named_child(0).is_some_and(|of| of.kind_name() == "throw_expression");
        let leaving = ["return_statement", "continue_statement", "break_statement"];
        is_throw || leaving.contains(&last.kind_name()) || last.kind_name() == "throw_expression"
    })
}
