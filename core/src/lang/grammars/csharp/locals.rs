//! Parameters and variables of C# methods, and the declared types of members.

use tree_sitter::Node;

use super::values;
use crate::lang::chain::{self, Protocol, Step};
use crate::lang::facts::Chain;
use crate::lang::grammars::modifiers;
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

/// Library methods that call their lambda with an element of the object.
const ELEMENT_CALLBACKS: &[&[u8]] = &[
    b"All",
    b"Any",
    b"Average",
    b"Count",
    b"Exists",
    b"Find",
    b"FindAll",
    b"First",
    b"FirstOrDefault",
    b"ForEach",
    b"GroupBy",
    b"Last",
    b"LastOrDefault",
    b"Max",
    b"Min",
    b"OrderBy",
    b"OrderByDescending",
    b"RemoveAll",
    b"Select",
    b"SelectMany",
    b"Single",
    b"SingleOrDefault",
    b"SkipWhile",
    b"Sum",
    b"TakeWhile",
    b"ThenBy",
    b"ToDictionary",
    b"Where",
];

/// Records the type of the symbols that the visited node defines.
pub(super) fn typed(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, of: Option<Node<'_>>) {
    let Some(chain) = of.and_then(|of| values::of_type(visit, notes, of)) else { return };
    for index in visit.defined.clone() {
        notes.set_type(index, chain.clone());
    }
}

/// Declares the type parameters of the visited definition: those of a type as what its users give, others
/// as values of their constraints.
pub(super) fn type_parameters(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(list) = modifiers::child(node, &["type_parameter_list"]) else { return };
    let is_method = matches!(
        node.kind_name(),
        "method_declaration" | "local_function_statement" | "delegate_declaration"
    );
    let clauses: Vec<Node<'_>> = modifiers::children(node)
        .filter(|part| part.kind_name() == "type_parameter_constraints_clause")
        .collect();
    for parameter in modifiers::children(list).filter(|of| of.kind_name() == "type_parameter") {
        let name = parameter.field("name").or_else(|| modifiers::child(parameter, &["identifier"]));
        let Some(name) = name else { continue };
        if !is_method {
            notes.declare(name, Some(Chain::parameter(&visit.text_of(name))));
            continue;
        }
        let is_its = |clause: &&Node<'_>| {
            let of = modifiers::child(**clause, &["identifier"]);
            of.is_some_and(|of| visit.bytes(of) == visit.bytes(name))
        };
        let clause = clauses.iter().find(is_its);
        let constraints = clause.into_iter().flat_map(|clause| modifiers::children(*clause));
        let bound = constraints
            .filter(|of| of.kind_name() == "type_parameter_constraint")
            .filter_map(|of| values::of_type(visit, notes, of.field("type").or(of.named_child(0))?))
            .next();
        notes.declare(name, bound);
    }
}

/// Declares the visited parameter, pattern, `catch` or `out` variable.
pub(super) fn variable(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (name, of) = (node.field("name"), node.field("type"));
    let of = of.filter(|of| of.kind_name() != "implicit_type");
    let chain = of.and_then(|of| values::of_type(visit, notes, of));
    let Some(name) = name else { return };
    let is_parameter = node.kind_name() == "parameter";
    if let Some(chain) = &chain {
        visit.defined.clone().for_each(|index| notes.set_type(index, chain.clone()));
    }
    let chain = chain.or_else(|| is_parameter.then(|| callback_argument(visit, notes)).flatten());
    notes.declare(name, chain);
}

/// Declares the visited variable, whose type precedes it or is that of its value.
pub(super) fn declarator(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(name) = node.field("name") else { return };
    let of = visit.ancestor(1).and_then(|list| list.field("type"));
    let of = of.filter(|of| of.kind_name() != "implicit_type");
    let sign = modifiers::child(node, &["="]);
    let value = sign.and_then(|sign| sign.next_named_sibling());
    let is_field =
        matches!(visit.ancestor_kind(2), "field_declaration" | "event_field_declaration");
    if is_field {
        return;
    }
    let chain = of
        .and_then(|of| values::of_type(visit, notes, of))
        .or_else(|| values::of(visit, notes, value?));
    notes.declare_from(name, chain, node.end_byte());
}

/// Declares the variable of the visited `foreach` or `from`.
pub(super) fn each(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let of = node.field("type").filter(|of| of.kind_name() != "implicit_type");
    let name = node.field("left").or_else(|| node.field("name"));
    let Some(name) = name.filter(|name| name.kind_name() == "identifier") else { return };
    let body = node.field("body").map(|body| body.id());
    let value = node.field("right").or_else(|| {
        modifiers::children(node).filter(|part| part.is_named() && Some(part.id()) != body).last()
    });
    let chain = of
        .and_then(|of| values::of_type(visit, notes, of))
        .or_else(|| chain::yielded(values::of(visit, notes, value?), Protocol::Iterate));
    notes.declare(name, chain);
}

/// Declares the only parameter of the visited lambda without parentheses.
pub(super) fn lambda(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(parameters) = visit.node().field("parameters") else { return };
    if parameters.kind_name() != "parameter_list" {
        notes.declare(parameters, passed(visit, notes, 0, 0));
    }
}

/// Returns the chain of the argument with which the lambda of the visited parameter is called.
fn callback_argument(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let is_lambda = visit.ancestor_kind(2) == "lambda_expression";
    let list = visit.ancestor(1).filter(|_| is_lambda)?;
    let own = visit.node().id();
    let parameters = modifiers::children(list).filter(|of| of.kind_name() == "parameter");
    let number = parameters.take_while(|of| of.id() != own).count();
    passed(visit, notes, 2, number)
}

/// Returns the parameter `number` of the lambda `levels` above: an element of the object whose method
/// it is passed to, if that is in [`ELEMENT_CALLBACKS`]; otherwise what the called method declares.
fn passed(visit: &Visit<'_, '_>, notes: &Notes<'_>, levels: usize, number: usize) -> Option<Chain> {
    let (argument, list) = (visit.ancestor(levels + 1)?, visit.ancestor(levels + 2)?);
    if argument.kind_name() == "initializer_expression" {
        // `new Type { of => … }` calls `Add`.
        let made = (list.kind_name() == "object_creation_expression").then_some(list)?;
        let of = values::of_type(visit, notes, made.field("type")?)?;
        let add = of.then(Step::Member("Add"));
        return add.then(Step::Parameter(0.into())).then(Step::Parameter(number.into())).bounded();
    }
    let call = visit.ancestor(levels + 3)?;
    let arguments = modifiers::children(list).filter(|of| of.kind_name() == "argument");
    let place = arguments.take_while(|of| of.id() != argument.id()).count();
    let function = match call.kind_name() {
        "invocation_expression" => {
            let (name, of) = values::callee(call.field("function")?)?;
            let own = visit.bytes(name);
            match of {
                Some(of) if ELEMENT_CALLBACKS.contains(&own) => {
                    let element = chain::yielded(values::of(visit, notes, of), Protocol::Iterate);
                    return element.filter(|_| number == 0);
                }
                Some(of) => chain::member(values::of(visit, notes, of), own)?,
                None => Chain::name(String::from_utf8_lossy(own)),
            }
        }
        "object_creation_expression" => {
            Chain::name(values::type_name(visit, notes, call.field("type")?)?)
        }
        _ => return None,
    };
    function.then(Step::Parameter(place.into())).then(Step::Parameter(number.into())).bounded()
}
