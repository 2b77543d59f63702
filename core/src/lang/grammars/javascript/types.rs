//! The chains of TypeScript types.

use tree_sitter::Node;

use crate::lang::chain::{ANY_MEMBER, Protocol, Step};
use crate::lang::facts::Chain;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

use super::chain;

/// Maximum number of type arguments of one type.
const ARGUMENTS_MAX: usize = 8;

/// Returns the chain of a value of the type `node`. Nullability and wrappers that do not change the
/// members of the value are omitted; of a union it is one of several.
pub(super) fn chain(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    chain_in(visit, notes, node, 0)
}

/// Returns the chain of a value of the type in the field `type` of `node`.
pub(super) fn annotated(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    chain(visit, notes, node.field("type")?)
}

/// Returns the chain of the result of a function whose type is in the field `type` of `node`.
pub(super) fn result(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    let mut of = node.field("type")?.named_child(0)?;
    for _ in 0..4 {
        match of.kind_name() {
            "function_type" => {
                return chain(visit, notes, of.field("return_type")?);
            }
            "parenthesized_type" | "union_type" => of = of.named_child(0)?,
            _ => return None,
        }
    }
    None
}

/// Returns the chain of a type that is nested at `depth` in another one.
pub(super) fn chain_in(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
) -> Option<Chain> {
    if depth > chain::DEPTH_MAX {
        return None;
    }
    let of = |node: Option<Node<'_>>| chain_in(visit, notes, node?, depth + 1);
    match node.kind_name() {
        "type_annotation" | "parenthesized_type" | "readonly_type" | "flow_maybe_type"
        | "optional_type" | "constraint" | "default_type" => of(node.named_child(0)),
        "type_identifier" | "identifier" => match notes.local(visit.bytes(node)) {
            NameLookup::Local(bound) => bound.cloned(),
            NameLookup::NotLocal => Some(Chain::instance(chain::text(visit, node)?)),
        },
        "nested_type_identifier" | "member_expression" => {
            let name = chain::text(visit, node)?;
            let is_dotted = |c: char| c.is_alphanumeric() || "._$".contains(c);
            name.chars().all(is_dotted).then(|| Chain::instance(name))
        }
        "predefined_type" => match chain::text(visit, node)? {
            name @ ("string" | "number" | "boolean" | "symbol") => Some(Chain::instance(name)),
            _ => None,
        },
        "generic_type" => generic(visit, notes, node, depth),
        "array_type" => {
            let element = of(node.named_child(0));
            Some(container("Array", &[element]))
        }
        "tuple_type" => {
            let mut cursor = node.walk();
            let parts = node.named_children(&mut cursor).take(ARGUMENTS_MAX);
            let parts: Vec<Option<Chain>> = parts.map(|part| of(Some(part))).collect();
            Some(container("tuple", &parts))
        }
        "required_parameter" | "optional_parameter" => of(node.field("type")),
        "union_type" => {
            let parts = (0..2).filter_map(|at| node.named_child(at));
            let parts = parts.filter(|part| !is_empty(visit, *part));
            Chain::one_of(parts.map(|part| of(Some(part))))
        }
        "intersection_type" => Chain::all_of((0..2).map(|at| of(node.named_child(at)))),
        "template_literal_type" => Some(Chain::instance("string")),
        "type_query" => chain::value_in(visit, notes, node.named_child(0)?, depth + 1),
        "object_type" => {
            if let Some((mapped, is_same)) = mapped(visit, notes, node) {
                // The members may have other types than those of the type whose names they have.
                return if is_same { Some(mapped) } else { Chain::one_of([Some(mapped), None]) };
            }
            // An object type with only index signatures is a container of their values.
            let mut cursor = node.walk();
            let mut members = node.named_children(&mut cursor);
            let first = members.next().filter(|first| first.kind_name() == "index_signature")?;
            let is_alone = members.all(|member| member.kind_name() == "index_signature");
            let held = of(first.field("type"));
            (is_alone && held.is_some()).then(|| container("Record", &[None, held]))
        }
        "this_type" => Some(Chain::own()),
        "lookup_type" => lookup(visit, of(node.named_child(0))?, node),
        "conditional_type" => conditional(visit, notes, node, depth),
        "type_predicate_annotation" | "asserts_annotation" => Some(Chain::instance("boolean")),
        _ => None,
    }
}

/// Returns true for a type whose values have no members of the repository: `null`, `'a'`, `never`.
pub(super) fn is_empty(visit: &Visit<'_, '_>, of: Node<'_>) -> bool {
    let is_word =
        matches!(visit.bytes(of), b"null" | b"undefined" | b"void" | b"never" | b"bigint");
    is_word || of.is_extra() || matches!(of.kind_name(), "literal_type" | "template_literal_type")
}

/// Returns the chain of a value of `of[…]`, the visited type `node`: a member, an element, or one of all
/// members.
fn lookup(visit: &Visit<'_, '_>, of: Chain, node: Node<'_>) -> Option<Chain> {
    let (object, index) = (node.named_child(0)?, node.named_child(1)?);
    if let Some(member) = index.named_child(0).and_then(chain::literal) {
        return Some(of.then(Step::Member(std::str::from_utf8(&visit.text[member]).ok()?)));
    }
    let is_open = of.has_type_parameter();
    match index.kind_name() {
        "predefined_type" if visit.bytes(index) == b"number" => {
            Some(of.then(Step::Yield(Protocol::Index)))
        }
        "index_type_query" if !is_open => {
            let is_same = visit.bytes(index.named_child(0)?) == visit.bytes(object);
            is_same.then(|| of.then(Step::Member(ANY_MEMBER)))
        }
        _ => None,
    }
}

/// Returns the chain of a conditional type, one of its two results: `A extends B ? C : D`.
fn conditional(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
) -> Option<Chain> {
    let (left, right) = (node.field("left")?, node.field("right")?);
    let branches = [node.field("consequence")?, node.field("alternative")?];
    let is_inferred = |of: Node<'_>| {
        let name = [b"infer ", visit.bytes(of)].concat();
        bstr::ByteSlice::contains_str(visit.bytes(right), name)
    };
    let results = branches.into_iter().filter(|of| visit.bytes(*of) != b"never").map(|of| {
        if of.kind_name() != "type_identifier" || !is_inferred(of) {
            return chain_in(visit, notes, of, depth + 1);
        }
        // `T extends Promise<infer U> ? U : …`.
        let is_content = matches!(right.kind_name(), "array_type" | "generic_type");
        let container = chain_in(visit, notes, left, depth + 1).filter(|_| is_content);
        container
            .filter(|it| !it.has_type_parameter())
            .map(|it| it.then(Step::Yield(Protocol::Unwrap)))
    });
    Chain::one_of(results)
}

/// Returns the chain of the type whose members a mapped type has, and whether they have the same types:
/// `{ [K in keyof T]: T[K] }`.
pub(super) fn mapped(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
) -> Option<(Chain, bool)> {
    let signature = node.named_child(0)?;
    let clause = visit.child(signature, "mapped_type_clause")?;
    let keys = clause.field("type").filter(|of| of.kind_name() == "index_type_query")?;
    let of = keys.named_child(0)?;
    let value = signature.child(signature.child_count().checked_sub(1)?)?;
    let value = if value.kind_name() == "type_annotation" { value.named_child(0)? } else { value };
    let is_same = value.kind_name() == "lookup_type"
        && value.named_child(0).is_some_and(|it| visit.bytes(it) == visit.bytes(of));
    Some((chain(visit, notes, of)?, is_same))
}

fn generic(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
) -> Option<Chain> {
    let name = chain::text(visit, node.field("name")?)?;
    let arguments = node.field("type_arguments")?;
    let mut cursor = arguments.walk();
    let arguments = arguments.named_children(&mut cursor).take(ARGUMENTS_MAX);
    let mut arguments = arguments.map(|argument| chain_in(visit, notes, argument, depth + 1));
    match name {
        "Partial" | "Readonly" | "Required" | "NonNullable" | "Pick" | "Omit" | "Awaited"
        | "$ReadOnly" | "$Shape" | "$Exact" | "Exclude" | "Extract" => arguments.next()?,
        "ReturnType" | "InstanceType" => Some(arguments.next()??.then(Step::Call)),
        "Class" => arguments.next()?.filter(Chain::starts_at_type).map(|of| of.type_of()),
        _ => {
            let arguments: Vec<Option<Chain>> = arguments.collect();
            Some(container(name, &arguments))
        }
    }
}

/// Returns the chain of a value of the type `name` with type arguments.
pub(super) fn container(name: &str, arguments: &[Option<Chain>]) -> Chain {
    let class = |of: &Chain| {
        let class = if *of == Chain::own() { Some("this") } else { chain::class_of(of) };
        class.map(str::to_owned)
    };
    Chain::with_arguments(name, arguments, class)
}

/// Declares the type parameters of the visited node, each as a value of its bound; without one, those of
/// a type as what its users give.
pub(super) fn declare_parameters(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(parameters) = visit.node().field("type_parameters") else { return };
    let is_type = matches!(
        visit.node().kind_name(),
        "class_declaration"
            | "abstract_class_declaration"
            | "class"
            | "interface_declaration"
            | "type_alias_declaration"
    );
    let mut cursor = parameters.walk();
    for parameter in parameters.named_children(&mut cursor).take(64) {
        let Some(name) = parameter.field("name") else { continue };
        let bound = parameter.field("constraint");
        let bound = bound.and_then(|bound| chain(visit, notes, bound));
        // The argument is known where the type is written.
        let open = || {
            let name = chain::text(visit, name).filter(|_| is_type)?;
            Some(Chain::parameter(name))
        };
        notes.declare(name, bound.or_else(open));
    }
}
