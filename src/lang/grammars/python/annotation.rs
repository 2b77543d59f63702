//! The chains of Python annotations.

use tree_sitter::Node;

use crate::lang::facts::Chain;
use crate::lang::node::NodeNames;
use crate::lang::visit::Visit;

use super::chain::text;

/// Maximum nesting of an annotation.
const DEPTH_MAX: usize = 12;

/// Returns the chain of a value with the annotation `node`. Nullability and wrappers that do not
/// change the members of the value are omitted; a union becomes its first alternative.
pub(super) fn chain(visit: &Visit<'_, '_>, node: Node<'_>) -> Option<Chain> {
    of_type(visit, node, 0)
}

/// Returns the chain of the coroutine that an asynchronous function with the annotated result
/// `chain` returns.
pub(super) fn awaitable(chain: Chain) -> Chain {
    match super::chain::class_of(&chain) {
        Some(class) => Chain::instance(&format!("Coroutine<{class}>")),
        None => chain,
    }
}

fn of_type(visit: &Visit<'_, '_>, node: Node<'_>, depth: usize) -> Option<Chain> {
    if depth > DEPTH_MAX {
        return None;
    }
    let of_child = |at: u32| of_type(visit, node.named_child(at)?, depth + 1);
    match node.kind_name() {
        "type" | "parenthesized_expression" | "constrained_type" => of_child(0),
        "identifier" | "attribute" | "member_type" => named(text(visit, node)?),
        "generic_type" => {
            let arguments = node.named_child(1)?;
            let mut cursor = arguments.walk();
            let arguments: Vec<Node<'_>> = arguments.named_children(&mut cursor).take(8).collect();
            generic(visit, text(visit, node.named_child(0)?)?, &arguments, depth)
        }
        "subscript" => {
            let mut cursor = node.walk();
            let arguments: Vec<Node<'_>> =
                node.children_by_field_name("subscript", &mut cursor).take(8).collect();
            generic(visit, text(visit, node.child(0)?)?, &arguments, depth)
        }
        "binary_operator" | "union_type" => of_child(0).or_else(|| of_child(1)),
        "string" => quoted(text(visit, node)?),
        _ => None,
    }
}

fn named(name: &str) -> Option<Chain> {
    if !is_dotted(name) {
        return None;
    }
    match name.rsplit('.').next()? {
        "Any" | "object" | "None" | "Final" | "ClassVar" | "Optional" | "Callable" => None,
        "Self" => Some(Chain::own()),
        _ => Some(Chain::instance(name)),
    }
}

fn is_dotted(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
}

/// Returns the chain of a value of the type `name` with type arguments.
fn generic(
    visit: &Visit<'_, '_>,
    name: &str,
    arguments: &[Node<'_>],
    depth: usize,
) -> Option<Chain> {
    let of = |argument: &Node<'_>| of_type(visit, *argument, depth + 1);
    let name = name.strip_prefix("typing.").or(name.strip_prefix("t.")).unwrap_or(name);
    let last = name.rsplit('.').next()?;
    match last {
        "Optional" | "Annotated" | "Final" | "ClassVar" | "Required" | "NotRequired"
        | "ReadOnly" | "InitVar" => of(arguments.first()?),
        "Union" => arguments.iter().find_map(of),
        "Type" | "type" => Some(Chain::name(of(arguments.first()?)?.instance_type()?)),
        "Literal" => Some(Chain::instance("str")),
        "Callable" => None,
        "Generator" | "AsyncGenerator" => Some(with_arguments(last, &[of(arguments.first()?)])),
        "Coroutine" => Some(with_arguments(last, &[of(arguments.last()?)])),
        "Tuple" | "tuple" => {
            let of_part = |argument: &&Node<'_>| {
                argument.named_child(0).unwrap_or(**argument).kind_name() != "ellipsis"
            };
            let parts: Vec<Option<Chain>> = arguments.iter().filter(of_part).map(of).collect();
            Some(with_arguments("tuple", &parts))
        }
        _ if is_dotted(name) => {
            let arguments: Vec<Option<Chain>> = arguments.iter().map(of).collect();
            Some(with_arguments(name, &arguments))
        }
        _ => None,
    }
}

fn with_arguments(name: &str, arguments: &[Option<Chain>]) -> Chain {
    let mut written = name.to_owned();
    for (at, argument) in arguments.iter().enumerate() {
        written.push(if at == 0 { '<' } else { ',' });
        written.push_str(argument.as_ref().and_then(Chain::instance_type).unwrap_or("_"));
    }
    written.push('>');
    Chain::instance(&written)
}

/// Returns the chain of a value whose annotation is a quoted string.
fn quoted(text: &str) -> Option<Chain> {
    let text = text.trim_start_matches(['r', 'u', 'R', 'U']);
    let mut text = text.trim_matches(['"', '\'']).trim();
    for wrapper in ["typing.Optional[", "t.Optional[", "Optional["] {
        let inner = text.strip_prefix(wrapper).and_then(|text| text.strip_suffix(']'));
        text = inner.unwrap_or(text);
    }
    if let Some(inner) = text.strip_prefix("type[").or(text.strip_prefix("Type[")) {
        let inner = inner.strip_suffix(']')?;
        return is_dotted(inner).then(|| Chain::name(inner));
    }
    let text = if text.contains('[') { text } else { text.split('|').next()?.trim() };
    let mut name = text.replace(' ', "").replace('[', "<").replace(']', ">");
    name.retain(|c| c != '"' && c != '\'');
    let is_plain = |c: char| c.is_alphanumeric() || "_.,<>".contains(c);
    let is_generic = name.contains('<') && name.chars().all(is_plain) && name.ends_with('>');
    if is_generic { Some(Chain::instance(&name)) } else { named(&name) }
}
