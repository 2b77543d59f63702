//! The names that Rust patterns bind, with their chains.

use tree_sitter::Node;

use super::{types, values};
use crate::lang::chain::{self, Protocol, Step};
use crate::lang::facts::Chain;
use crate::lang::membership::last_name;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::symbols::{Symbol, SymbolKind};
use crate::lang::visit::Visit;

/// Maximum nesting of patterns.
const DEPTH_MAX: usize = 16;

/// Methods that call their closure with an element or the content of the receiver.
const ELEMENT_CALLBACKS: [&[u8]; 34] = [
    b"all",
    b"and_then",
    b"any",
    b"filter",
    b"filter_map",
    b"find",
    b"find_map",
    b"flat_map",
    b"for_each",
    b"inspect",
    b"is_none_or",
    b"is_ok_and",
    b"is_some_and",
    b"map",
    b"map_or",
    b"map_or_else",
    b"map_while",
    b"max_by_key",
    b"min_by_key",
    b"partition",
    b"position",
    b"retain",
    b"retain_mut",
    b"rposition",
    b"skip_while",
    b"sort_by",
    b"sort_by_key",
    b"sort_unstable_by",
    b"sort_unstable_by_key",
    b"take_while",
    b"then",
    b"try_for_each",
    b"max_by",
    b"min_by",
];

/// Methods whose result has the type that is expected of it.
const SELECTED: [&str; 5] = ["collect", "into", "product", "sum", "try_into"];

/// Declares the names in `pattern` for the code after the byte `from`. `value` is the chain of the
/// matched value.
pub(super) fn declare(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    pattern: Node<'_>,
    value: Option<Chain>,
    from: usize,
) {
    Pattern { visit, notes, from }.bind(pattern, value, DEPTH_MAX);
}

/// Declares the names in `pattern`, which is matched with the expression `value`. Two tuples are
/// matched part by part.
pub(super) fn declare_matched(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    pattern: Node<'_>,
    value: Node<'_>,
    from: usize,
) {
    let inner = match pattern.kind_name() {
        "match_pattern" => pattern.named_child(0).unwrap_or(pattern),
        _ => pattern,
    };
    if (inner.kind_name(), value.kind_name()) != ("tuple_pattern", "tuple_expression") {
        let value = values::of(visit, notes, value);
        return declare(visit, notes, pattern, value, from);
    }
    for (at, part) in positions(inner) {
        let of = positions(value).find(|(position, _)| *position == at);
        let of = of.and_then(|(_, of)| values::of(visit, notes, of));
        declare(visit, notes, part, of, from);
    }
}

/// Declares the names that a `let` binds. A type annotation takes precedence over the value.
pub(super) fn declare_let(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(pattern) = node.field("pattern") else { return };
    // The name of a closure is a definition, unless it was a variable before.
    if let Some(index) = visit.defined.clone().next()
        && matches!(notes.local(visit.bytes(pattern)), NameLookup::NotLocal)
    {
        let result = node.field("value").and_then(|closure| closure.field("return_type"));
        if let Some(chain) = result.and_then(|of| types::value_of(visit, notes, of)) {
            notes.set_type(index, chain);
        }
        return;
    }
    let typed = node.field("type");
    let typed = typed.and_then(|of| types::value_of(visit, notes, of));
    let value = node.field("value");
    if typed.is_none()
        && let Some(value) = value
    {
        return declare_matched(visit, notes, pattern, value, node.end_byte());
    }
    let is_vague = typed.as_ref().is_some_and(|typed| typed.has_unknown_argument());
    let value = match (typed, value) {
        (Some(typed), _) if !is_vague => Some(typed),
        (typed, Some(value)) => {
            // The type selects what these methods return.
            let is_selected = |value: &Chain| SELECTED.iter().any(|name| value.is_call_of(name));
            values::of(visit, notes, value).filter(|value| !is_selected(value)).or(typed)
        }
        (typed, None) => typed,
    };
    declare(visit, notes, pattern, value, node.end_byte());
}

/// Declares the parameters of the visited closure.
pub(super) fn declare_closure(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(parameters) = node.field("parameters") else { return };
    let given = closure_argument(visit, notes);
    let callback_parameter = callback_parameter(visit, notes);
    for (at, parameter) in positions(parameters).take(8) {
        if parameter.kind_name() != "parameter" {
            let received = || Some(callback_parameter.clone()?.then(Step::Parameter(at.into())));
            let given = given.clone().or_else(received);
            declare(visit, notes, parameter, given, node.start_byte());
        }
    }
}

/// Returns the chain of the argument with which the visited closure is called, if the method that
/// it is passed to is in [`ELEMENT_CALLBACKS`].
fn closure_argument(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    if visit.ancestor_kind(1) != "arguments" || visit.ancestor_kind(2) != "call_expression" {
        return None;
    }
    let function = visit.ancestor(2)?.field("function")?;
    let name = visit.bytes(function.field("field")?);
    let value = values::of(visit, notes, function.field("value")?);
    if matches!(name, b"map_err" | b"inspect_err") {
        return error_of(value);
    }
    // A method of an iterator, or one of an option or result.
    let content = || chain::yielded(value, Protocol::Unwrap);
    ELEMENT_CALLBACKS.contains(&name).then(content).flatten()
}

/// Returns the chain of the parameter that the visited closure is passed to as an argument.
fn callback_parameter(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let (arguments, call) = (visit.ancestor(1)?, visit.ancestor(2)?);
    if (arguments.kind_name(), call.kind_name()) != ("arguments", "call_expression") {
        return None;
    }
    let at = parts(arguments).position(|argument| argument.id() == visit.node().id())?;
    let called = values::of(visit, notes, call.field("function")?)?;
    Some(called.then(Step::Parameter(at.into())))
}

/// Returns the chain of the error of a `Result`.
fn error_of(value: Option<Chain>) -> Option<Chain> {
    chain::called(chain::member(value, b"unwrap_err"))
}

/// Returns true if a name in a pattern is a new binding. Names of constants and variants are
/// capitalized.
pub(super) fn is_binding(name: &[u8]) -> bool {
    !name.first().is_some_and(u8::is_ascii_uppercase)
}

struct Pattern<'v, 'a, 't, 'n> {
    visit: &'v Visit<'a, 't>,
    notes: &'v mut Notes<'n>,
    from: usize,
}

impl Pattern<'_, '_, '_, '_> {
    fn bind(&mut self, node: Node<'_>, value: Option<Chain>, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match node.kind_name() {
            "identifier" | "shorthand_field_identifier" if is_binding(self.visit.bytes(node)) => {
                self.notes.declare_from(node, value, self.from);
            }
            "tuple_pattern" => self.tuple(node, value, depth),
            "tuple_struct_pattern" => {
                let Some(of) = node.field("type") else { return };
                let path = values::of_path(self.visit, self.notes, of);
                for (at, part) in positions(node).filter(|(_, part)| *part != of) {
                    let value = match self.visit.bytes(of) {
                        b"Some" | b"Ok" | b"Poll::Ready" | b"ControlFlow::Continue" => {
                            chain::yielded(value.clone(), Protocol::Unwrap)
                        }
                        b"Cow::Borrowed" | b"Cow::Owned" => value.clone(),
                        b"Err" => error_of(value.clone()),
                        _ => chain::member(path.clone(), at.to_string().as_bytes()),
                    };
                    self.bind(part, value, depth);
                }
            }
            "struct_pattern" => {
                let Some(of) = node.field("type") else { return };
                let path = values::of_path(self.visit, self.notes, of);
                // `let Type { field } = self`.
                let own = value.filter(|value| *value == Chain::own() && self.names_own(of));
                let path = own.or(path);
                for part in parts(node).filter(|part| part.kind_name() == "field_pattern") {
                    let Some(name) = part.field("name") else { continue };
                    let value = chain::member(path.clone(), self.visit.bytes(name));
                    self.bind(part.field("pattern").unwrap_or(name), value, depth);
                }
            }
            "slice_pattern" => {
                for part in parts(node) {
                    let element = chain::yielded(value.clone(), Protocol::Index);
                    self.bind(part, element, depth);
                }
            }
            // `name @ pattern`, alternatives, and keywords around a pattern.
            "captured_pattern" | "or_pattern" | "ref_pattern" | "mut_pattern"
            | "reference_pattern" | "match_pattern" => {
                let condition = node.field("condition");
                for part in parts(node).filter(|part| Some(*part) != condition) {
                    self.bind(part, value.clone(), depth);
                }
            }
            _ => {}
        }
    }

    /// Returns true for the name of the type whose block encloses the pattern.
    fn names_own(&self, of: Node<'_>) -> bool {
        let index = self.visit.own_or_enclosing_index();
        let block = index.and_then(|index| block_around(self.visit, index));
        let name = String::from_utf8_lossy(self.visit.bytes(of));
        name == "Self" || block.is_some_and(|block| last_name(&block.scope) == name)
    }

    fn tuple(&mut self, node: Node<'_>, value: Option<Chain>, depth: usize) {
        let counted = value.as_ref().and_then(Chain::enumerated);
        for (at, part) in positions(node) {
            let of = match &counted {
                Some(_) if at == 0 => chain::instance("usize"),
                Some(of) => chain::yielded(Some(of.clone()), Protocol::Iterate),
                None => chain::member(value.clone(), at.to_string().as_bytes()),
            };
            self.bind(part, of, depth);
        }
    }
}

/// Returns the innermost implementation block around a symbol.
fn block_around<'v>(visit: &'v Visit<'_, '_>, index: usize) -> Option<&'v Symbol> {
    let mut at = Some(index);
    for _ in 0..DEPTH_MAX {
        let symbol = visit.symbols.get(at?)?;
        if symbol.kind == SymbolKind::Impl {
            return Some(symbol);
        }
        at = symbol.parent;
    }
    None
}

/// Returns the items of a list with their positions. `_` takes a position although it is not a
/// named node.
fn positions(node: Node<'_>) -> impl Iterator<Item = (usize, Node<'_>)> {
    let mut position = 0;
    (0..48).map_while(move |at| node.child(at)).filter_map(move |part| {
        position += usize::from(part.kind_name() == ",");
        part.is_named().then_some((position, part))
    })
}

fn parts(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    (0..24).map_while(move |at| node.named_child(at))
}
