//! The chains of Python annotations.

use tree_sitter::Node;

use crate::lang::code_text::split;
use crate::lang::facts::Chain;
use crate::lang::node::NodeNames;
use crate::lang::visit::Visit;

use super::chain::text;

/// Maximum nesting of an annotation.
const DEPTH_MAX: usize = 12;

/// Returns the chain of a value with the annotation `node`. Nullability and wrappers that do not
/// change the members of the value are omitted; of a union it is one of several.
pub(super) fn chain(visit: &Visit<'_, '_>, node: Node<'_>) -> Option<Chain> {
    of_type(visit, node, 0)
}

/// Returns the chain of the coroutine that an asynchronous function with the annotated result
/// `chain` returns.
pub(super) fn awaitable(chain: Chain) -> Chain {
    chain.each_alternative(|chain| match super::chain::class_of(&chain) {
        Some(class) => Chain::instance(&format!("Coroutine<{class}>")),
        None => chain,
    })
}

/// A type argument, or an alternative of a union.
struct Part<'a> {
    text: &'a str,
    chain: Option<Chain>,
}

/// Returns the chain of a value of one of several types, of which `None` does not count.
fn union(parts: &[Part<'_>]) -> Option<Chain> {
    let parts = parts.iter().filter(|part| !matches!(part.text, "None" | "types.NoneType"));
    Chain::one_of(parts.map(|part| part.chain.clone()))
}

fn of_type(visit: &Visit<'_, '_>, node: Node<'_>, depth: usize) -> Option<Chain> {
    if depth > DEPTH_MAX {
        return None;
    }
    let of_child = |at: u32| of_type(visit, node.named_child(at)?, depth + 1);
    let part = |part: Node<'_>| Part {
        text: text(visit, part).unwrap_or_default().trim(),
        chain: of_type(visit, part, depth + 1),
    };
    match node.kind_name() {
        "type" | "parenthesized_expression" | "constrained_type" => of_child(0),
        "identifier" | "attribute" | "member_type" => named(text(visit, node)?),
        "generic_type" => {
            let arguments = node.named_child(1)?;
            let mut cursor = arguments.walk();
            let arguments = arguments.named_children(&mut cursor).take(8).map(part);
            generic(text(visit, node.named_child(0)?)?, &arguments.collect::<Vec<_>>())
        }
        "subscript" => {
            let mut cursor = node.walk();
            let arguments = node.children_by_field_name("subscript", &mut cursor).take(8).map(part);
            generic(text(visit, node.child(0)?)?, &arguments.collect::<Vec<_>>())
        }
        "binary_operator" | "union_type" => {
            let parts = (0..2).filter_map(|at| node.named_child(at)).map(part);
            union(&parts.collect::<Vec<_>>())
        }
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
fn generic(name: &str, arguments: &[Part<'_>]) -> Option<Chain> {
    let name = name.strip_prefix("typing.").or(name.strip_prefix("t.")).unwrap_or(name);
    let last = name.rsplit('.').next()?;
    let of = |part: Option<&Part<'_>>| part?.chain.clone();
    let first = || of(arguments.first());
    match last {
        "Optional" | "Annotated" | "Final" | "ClassVar" | "Required" | "NotRequired"
        | "ReadOnly" | "InitVar" => first(),
        "Union" => union(arguments),
        "Type" | "type" => {
            let class = first()?;
            let is_written = class.alternatives().all(|part| part.starts_at_type());
            is_written.then(|| class.each_alternative(|of| of.type_of()))
        }
        "Literal" => Some(Chain::instance("str")),
        "Callable" => None,
        "Generator" | "AsyncGenerator" => Some(with_arguments(last, &[first()])),
        "Coroutine" => Some(with_arguments(last, &[of(arguments.last())])),
        "Tuple" | "tuple" => {
            let parts = arguments.iter().filter(|part| part.text != "...");
            let parts: Vec<Option<Chain>> = parts.map(|part| part.chain.clone()).collect();
            Some(with_arguments("tuple", &parts))
        }
        _ if is_dotted(name) => {
            let parts: Vec<Option<Chain>> =
                arguments.iter().map(|part| part.chain.clone()).collect();
            Some(with_arguments(name, &parts))
        }
        _ => None,
    }
}

/// Returns the chain of a value of the type `name` with type arguments; where one is a union, of one of
/// several.
pub(super) fn with_arguments(name: &str, arguments: &[Option<Chain>]) -> Chain {
    Chain::with_arguments(name, arguments, |of| of.as_argument().map(str::to_owned))
}

/// Returns the chain of a value whose annotation is a quoted string.
fn quoted(text: &str) -> Option<Chain> {
    of_text(text.trim_start_matches(['r', 'u', 'R', 'U']), 0)
}

fn of_text(text: &str, depth: usize) -> Option<Chain> {
    if depth > DEPTH_MAX {
        return None;
    }
    let text = text.trim().trim_matches(['"', '\'']).trim();
    let part = |text| Part { text: str::trim(text), chain: of_text(text, depth + 1) };
    let parts = split(text, b'|');
    if parts.len() > 1 {
        return union(&parts.into_iter().map(part).collect::<Vec<_>>());
    }
    match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((name, inner)) => {
            let arguments = split(inner, b',').into_iter().take(8).map(part);
            generic(name.trim(), &arguments.collect::<Vec<_>>())
        }
        None => named(text),
    }
}
