//! Parameters and variables of Swift functions, and the types of properties.

use tree_sitter::Node;

use super::values;
use crate::lang::chain::{self, Parameter, Protocol, Step};
use crate::lang::facts::Chain;
use crate::lang::grammars::modifiers;
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

/// Library methods that call their closure with an element of the object.
const ELEMENT_CALLBACKS: &[&[u8]] = &[
    b"allSatisfy",
    b"compactMap",
    b"contains",
    b"drop",
    b"filter",
    b"first",
    b"firstIndex",
    b"flatMap",
    b"forEach",
    b"last",
    b"map",
    b"max",
    b"min",
    b"prefix",
    b"removeAll",
    b"sorted",
];

/// Declares the type parameters of the visited definition: those of a type as what its users give, others
/// as values of their bounds.
pub(super) fn type_parameters(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(list) = modifiers::child(visit.node(), &["type_parameters"]) else { return };
    for parameter in modifiers::children(list).filter(|of| of.kind_name() == "type_parameter") {
        let Some(name) = modifiers::child(parameter, &["type_identifier"]) else { continue };
        if visit.node().kind_name() == "class_declaration" {
            notes.declare(name, Some(Chain::parameter(&visit.text_of(name))));
            continue;
        }
        let bound = modifiers::children(parameter).filter(Node::is_named).last();
        let bound = bound
            .filter(|bound| bound.id() != name.id())
            .or_else(|| required(visit, visit.bytes(name)));
        notes.declare(name, bound.and_then(|bound| values::of_type(visit, notes, bound)));
    }
}

/// Returns the bound of a type parameter in the `where` clause of the visited definition.
fn required<'t>(visit: &Visit<'_, 't>, name: &[u8]) -> Option<Node<'t>> {
    let constraints = modifiers::child(visit.node(), &["type_constraints"])?;
    let inherits = |of: Node<'t>| modifiers::child(of, &["inheritance_constraint"]);
    let mut all = modifiers::children(constraints).filter_map(inherits);
    let own =
        all.find(|of| of.field("constrained_type").is_some_and(|of| visit.bytes(of) == name))?;
    own.field("inherits_from")
}

/// Records the bound of the visited associated type.
pub(super) fn associated(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    typed(visit, notes, visit.node().field("must_inherit"));
}

/// Records the type `of` for the symbols that the visited node defines.
pub(super) fn typed(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, of: Option<Node<'_>>) {
    let Some(chain) = of.and_then(|of| values::of_type(visit, notes, of)) else { return };
    for index in visit.defined.clone() {
        notes.set_type(index, chain.clone());
    }
}

/// Declares the visited parameter.
pub(super) fn parameter(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let mut cursor = node.walk();
    let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
    let Some(name) = names.first() else { return };
    let of = names.get(1).and_then(|of| values::of_type(visit, notes, *of));
    let is_many = visit.bytes(node).ends_with(b"...")
        || node.next_sibling().is_some_and(|next| next.kind_name() == "...");
    let of = match &of {
        Some(of) if is_many => chain::instance(&format!("Array<{}>", of.named_type().text())),
        _ => of,
    };
    notes.declare(*name, of);
}

/// Records the type of the visited property, or declares the visited variable.
pub(super) fn property(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let name = node.field("name").and_then(|name| name.field("bound_identifier"));
    let annotation = modifiers::child(node, &["type_annotation"]);
    let of = annotation.and_then(|of| of.field("name"));
    let chain = of
        .and_then(|of| values::of_type(visit, notes, of))
        .or_else(|| values::of(visit, notes, node.field("value")?));
    if !visit.defined.is_empty() {
        // `let (a, b) = …` has several symbols.
        if let Some(chain) = chain.filter(|_| visit.defined.len() == 1) {
            notes.set_type(visit.defined.start, chain);
        }
    } else if let Some(name) = name {
        notes.declare_from(name, chain, node.end_byte());
    }
}

/// Declares the variables that the visited `if let`, `guard let` or `while let` binds.
pub(super) fn bindings(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let mut cursor = node.walk();
    let names: Vec<Node<'_>> =
        node.children_by_field_name("bound_identifier", &mut cursor).collect();
    for name in names {
        let mut next = name.next_sibling();
        let mut of = None;
        if let Some(annotation) = next.filter(|next| next.kind_name() == "type_annotation") {
            of = annotation.field("name").and_then(|of| values::of_type(visit, notes, of));
            next = annotation.next_sibling();
        }
        let value =
            next.filter(|next| next.kind_name() == "=").and_then(|sign| sign.next_sibling());
        let end = value.map_or(name.end_byte(), |value| value.end_byte());
        let chain = of.or_else(|| match value {
            Some(value) => values::of(visit, notes, value),
            // `if let name` binds the value of the same name.
            None => chain::of_name(notes, visit.bytes(name)),
        });
        notes.declare_from(name, chain, end);
    }
}

/// Declares the variable of the visited `for`.
pub(super) fn each(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let name = node.field("item").and_then(|item| item.field("bound_identifier"));
    let (Some(name), Some(of)) = (name, node.field("collection")) else { return };
    let chain = chain::yielded(values::of(visit, notes, of), Protocol::Iterate);
    notes.declare_from(name, chain, of.end_byte());
}

/// Declares the parameters of the visited closure.
pub(super) fn closure(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let list = visit
        .node()
        .field("type")
        .and_then(|of| modifiers::child(of, &["lambda_function_type_parameters"]));
    let Some(list) = list else {
        for (number, name) in [b"$0", b"$1"].into_iter().enumerate() {
            notes.declare_name(name, closure_argument(visit, notes, number));
        }
        return;
    };
    let parameters = modifiers::children(list).filter(|of| of.kind_name() == "lambda_parameter");
    for (at, parameter) in parameters.enumerate() {
        let mut cursor = parameter.walk();
        let names: Vec<Node<'_>> = parameter.children_by_field_name("name", &mut cursor).collect();
        let Some(name) = names.first() else { continue };
        let of = names.get(1).and_then(|of| values::of_type(visit, notes, *of));
        notes.declare(*name, of.or_else(|| closure_argument(visit, notes, at)));
    }
}

/// Returns the chain of the argument `number` with which the visited closure is called: an element
/// of the object of a library method, otherwise what the called function declares.
fn closure_argument(visit: &Visit<'_, '_>, notes: &Notes<'_>, number: usize) -> Option<Chain> {
    let level = (1..6).find(|&level| visit.ancestor_kind(level) == "call_expression")?;
    let call = visit.ancestor(level)?;
    let (name, of) = values::callee(call.named_child(0)?)?;
    if ELEMENT_CALLBACKS.contains(&visit.bytes(name)) && of.is_some() {
        let element = chain::yielded(values::of(visit, notes, of?), Protocol::Iterate);
        return element.filter(|_| number == 0);
    }
    let place = match visit.ancestor_kind(1) {
        "value_argument" => Parameter::Numbered(values::place(visit.ancestor(1)?)?),
        _ => Parameter::Last,
    };
    let function = values::function(visit, notes, call)?;
    function.then(Step::Parameter(place)).then(Step::Parameter(number.into())).bounded()
}
