//! Objects of C++ that a declaration or an expression constructs without `new`: `Type name(1)`,
//! `Type name{1}`, `Type name = {1}`, `Type{1}` and `std::make_unique<Type>(1)`.

use tree_sitter::Node;

use super::refer::arguments;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Functions that construct an object of their type argument from their arguments.
const MAKERS: [&[u8]; 3] = [b"make_optional", b"make_shared", b"make_unique"];

/// Returns the number of arguments of the constructor that is called where the visited node, together
/// with the qualifiers in `levels` nodes around it, names a type; `None` if none is called.
pub(super) fn constructed(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    levels: usize,
) -> Option<usize> {
    let around = visit.ancestor(levels + 1)?;
    match around.kind_name() {
        "declaration" if visit.field_above(levels) == "type" => {
            declared(around).or_else(|| copied(visit, notes, around))
        }
        // `Type name = {};` and `Type name{};` of a member.
        "field_declaration" if visit.field_above(levels) == "type" => {
            let value = around.field("default_value")?;
            (value.kind_name() == "initializer_list").then(|| value.element_count())
        }
        "compound_literal_expression" if visit.field_above(levels) == "type" => {
            around.field("value").map(|list| list.element_count())
        }
        "type_descriptor" => made(visit, levels + 1),
        _ => None,
    }
}

/// Returns the number of arguments of the first object that a declaration initializes directly.
fn declared(declaration: Node<'_>) -> Option<usize> {
    let first = declaration.field("declarator")?;
    let is_object = first.kind_name() == "init_declarator"
        && first.field("declarator")?.kind_name() == "identifier";
    let value = first.field("value").filter(|_| is_object)?;
    let is_list = matches!(value.kind_name(), "argument_list" | "initializer_list");
    is_list.then(|| value.element_count())
}

/// Returns the number of arguments of an object that is initialized with variables, `Type name(x);` in
/// a function, which the grammar takes for the declaration of a function.
fn copied(visit: &Visit<'_, '_>, notes: &Notes<'_>, declaration: Node<'_>) -> Option<usize> {
    let function = declaration.field("declarator")?;
    let is_object = notes.is_local()
        && function.kind_name() == "function_declarator"
        && function.field("declarator")?.kind_name() == "identifier";
    let list = function.field("parameters").filter(|_| is_object)?;
    let mut cursor = list.walk();
    let is_variable = |parameter: Node<'_>| {
        let name = parameter.field("type").filter(|_| parameter.child_count() == 1)?;
        let name = visit.bytes(name);
        let is_local = matches!(notes.local(name), NameLookup::Local(_));
        (is_local || name.ends_with(b"_") || name.starts_with(b"m_")).then_some(())
    };
    let count = list.named_child_count();
    let variables = list.named_children(&mut cursor).map_while(is_variable).count();
    (count > 0 && variables == count).then_some(count)
}

/// Returns the number of arguments of the call of one of [`MAKERS`], `levels` below whose list of
/// type arguments the visited node is.
fn made(visit: &Visit<'_, '_>, levels: usize) -> Option<usize> {
    let list = visit.ancestor(levels + 1)?;
    let is_first = list.named_child(0)?.id() == visit.ancestor(levels)?.id();
    let function = visit.ancestor(levels + 2).filter(|_| is_first)?;
    let is_maker = function.kind_name() == "template_function"
        && function.field("name").is_some_and(|name| MAKERS.contains(&visit.bytes(name)));
    let mut at = levels + 3;
    while is_maker && visit.ancestor_kind(at) == "qualified_identifier" {
        at += 1;
    }
    visit
        .ancestor(at)
        .filter(|call| is_maker && call.kind_name() == "call_expression")
        .map(arguments)
}
