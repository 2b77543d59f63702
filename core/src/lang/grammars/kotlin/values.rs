//! The chains of Kotlin's types and expressions.

use tree_sitter::Node;

use crate::lang::chain::{self, Protocol};
use crate::lang::facts::{CHAIN_BYTES_MAX, Chain};
use crate::lang::grammars::modifiers;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Maximum nesting of types and expressions.
const DEPTH_MAX: usize = 20;

/// Functions of the library for values of all types that return their receiver.
const IDENTITY_METHODS: &[&[u8]] = &[b"also", b"apply", b"orEmpty", b"takeIf", b"takeUnless"];

/// Node kinds of types.
pub(super) const TYPES: &[&str] =
    &["user_type", "nullable_type", "non_nullable_type", "parenthesized_type"];

/// Returns the chain of a value of the type `node`.
pub(super) fn of_type(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    chain::instance(&type_name(visit, notes, node)?)
}

/// Returns the name of a type with its arguments. The name of a type parameter is that of its
/// bound.
pub(super) fn type_name(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
) -> Option<String> {
    let mut name = String::new();
    let is_named = write(visit, notes, node, &mut name, DEPTH_MAX);
    (is_named && !name.is_empty() && name.len() <= CHAIN_BYTES_MAX).then_some(name)
}

/// Appends the name of the type `node` to `out`. Returns false if it has no name.
fn write(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    out: &mut String,
    depth: usize,
) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    if out.len() > CHAIN_BYTES_MAX {
        return false;
    }
    match node.kind_name() {
        "user_type" => {
            let mut is_first = true;
            for part in modifiers::children(node) {
                match part.kind_name() {
                    "identifier" => {
                        let own = visit.bytes(part);
                        let local = notes.local(own);
                        match local {
                            NameLookup::Local(Some(chain))
                                if is_first && chain.starts_at_type() =>
                            {
                                out.push_str(chain.named_type().text());
                            }
                            NameLookup::Local(None)
                                if is_first && own.first().is_some_and(u8::is_ascii_uppercase) =>
                            {
                                return false;
                            }
                            _ => {
                                out.push_str(if is_first { "" } else { "." });
                                out.push_str(&String::from_utf8_lossy(own));
                            }
                        }
                        is_first = false;
                    }
                    "type_arguments" => {
                        out.push('<');
                        let arguments = modifiers::children(part).filter(Node::is_named);
                        for (at, argument) in arguments.enumerate() {
                            if at > 0 {
                                out.push(',');
                            }
                            let start = out.len();
                            if !write(visit, notes, argument, out, depth) {
                                out.truncate(start);
                                out.push('_');
                            }
                        }
                        out.push('>');
                    }
                    _ => {}
                }
            }
            !is_first
        }
        "nullable_type" | "non_nullable_type" | "parenthesized_type" | "type_projection" => {
            let inner = modifiers::children(node).find(|part| TYPES.contains(&part.kind_name()));
            inner.is_some_and(|inner| write(visit, notes, inner, out, depth))
        }
        _ => false,
    }
}

/// Returns the called name, and the expression that it is a member of, of the visited call.
pub(super) fn callee(call: Node<'_>) -> Option<(Node<'_>, Option<Node<'_>>)> {
    let mut function = plain(call).named_child(0)?;
    // `(f)()`, `f!!()`, and `!f()`, which the grammar parses as a call of `!f`.
    for _ in 0..DEPTH_MAX {
        function = match function.kind_name() {
            "parenthesized_expression" => function.named_child(0)?,
            "unary_expression" => function.field("argument")?,
            _ => break,
        };
    }
    match function.kind_name() {
        "identifier" => Some((function, None)),
        "navigation_expression" => member(function),
        _ => None,
    }
}

/// Returns the name and the object of `a.b`; `None` for `a::b`.
pub(super) fn member(node: Node<'_>) -> Option<(Node<'_>, Option<Node<'_>>)> {
    let last = u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?;
    let name = node.named_child(last).filter(|_| last > 0)?;
    let is_reference = modifiers::children(node).any(|part| part.kind_name() == "::");
    (name.kind_name() == "identifier" && !is_reference).then_some((name, node.named_child(0)))
}

/// Returns the name, and the object or type before it, in `::h`, `a::h` and `A::h`.
pub(super) fn referenced(node: Node<'_>) -> Option<(Node<'_>, Option<Node<'_>>)> {
    let last = u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?;
    let name = node.named_child(last).filter(|name| name.kind_name() == "identifier")?;
    let is_reference = name.prev_sibling().is_some_and(|sign| sign.kind_name() == "::");
    is_reference.then(|| (name, node.named_child(0).filter(|_| last > 0)))
}

/// Returns the type in `Type::class`.
fn class_reference(node: Node<'_>) -> Option<Node<'_>> {
    let mut parts = modifiers::children(node).skip(1);
    let is_reference = parts.next().is_some_and(|part| part.kind_name() == "::");
    is_reference.then(|| node.named_child(0)).flatten()
}

/// Returns the path of a type as it is written; `None` for other expressions.
fn plain_path(visit: &Visit<'_, '_>, node: Node<'_>) -> Option<String> {
    let is_path = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    visit.bytes(node).iter().all(is_path).then(|| visit.text_of(node))
}

/// Returns the call without the lambda after its arguments: the grammar parses `f(a) { }` as a call
/// of `f(a)`.
pub(super) fn plain(call: Node<'_>) -> Node<'_> {
    let inner = call.named_child(0).filter(|inner| inner.kind_name() == "call_expression");
    let is_wrapper =
        modifiers::child(call, &["value_arguments"]).is_none() && lambda(call).is_some();
    inner.filter(|inner| is_wrapper && lambda(*inner).is_none()).unwrap_or(call)
}

/// Returns the lambda that is passed to a call after its arguments or as its only one.
pub(super) fn lambda(call: Node<'_>) -> Option<Node<'_>> {
    let annotated = modifiers::child(call, &["annotated_lambda"])?;
    modifiers::child(annotated, &["lambda_literal"])
}

/// Returns the chain of the expression `node`.
pub(super) fn of(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    value(visit, notes, node, DEPTH_MAX)
}

/// Declares what the calls of a parameter return whose type is a function type: with the colon after it as
/// a part of its name, `of:` of `of: (A) -> B`.
pub(super) fn declare_result(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    name: Node<'_>,
    result: Node<'_>,
) {
    let end = name.end_byte();
    let chain = of_type(visit, notes, result).filter(|_| visit.text.get(end) == Some(&b':'));
    if chain.is_some() {
        notes.declare_span(name.start_byte()..end + 1, chain);
    }
}

/// Returns the chain of the result of a call of a local variable; see [`declare_result`].
fn result_of_local(notes: &Notes<'_>, name: &[u8]) -> Option<Chain> {
    match notes.local(&[name, b":"].concat()) {
        NameLookup::Local(result) => result.cloned(),
        NameLookup::NotLocal => None,
    }
}

fn value(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>, depth: usize) -> Option<Chain> {
    let depth = depth.checked_sub(1)?;
    let field = |name: &str| node.field(name);
    let of = |node: Node<'_>| value(visit, notes, node, depth);
    let first = || node.named_child(0);
    match node.kind_name() {
        "identifier" => chain::of_name(notes, visit.bytes(node)),
        "this_expression" => match first() {
            // `this@function` is what the function extends.
            Some(name) if visit.bytes(name).first().is_some_and(u8::is_ascii_lowercase) => {
                Some(Chain::own())
            }
            // `this@Outer`
            Some(name) => chain::instance(&visit.text_of(name)),
            None => match notes.local(b"this") {
                NameLookup::Local(chain) => chain.cloned(),
                NameLookup::NotLocal => Some(Chain::own()),
            },
        },
        "super_expression" => Some(Chain::base()),
        "navigation_expression" => {
            if let Some(of) = class_reference(node) {
                return chain::instance(&format!("KClass<{}>", plain_path(visit, of)?));
            }
            let (name, object) = member(node)?;
            match visit.bytes(name) {
                // Members of a companion object count as members of the class.
                b"Companion" => of(object?),
                b"java" | b"javaObjectType" if class_reference(object?).is_some() => {
                    let of = plain_path(visit, class_reference(object?)?)?;
                    chain::instance(&format!("Class<{of}>"))
                }
                name => chain::member(of(object?), name),
            }
        }
        "call_expression" => {
            let (name, object) = callee(node)?;
            let own = visit.bytes(name);
            let Some(object) = object else {
                return match (own, notes.local(own)) {
                    (_, NameLookup::Local(None)) => result_of_local(notes, own),
                    (_, NameLookup::Local(_)) => None,
                    (b"listOf" | b"setOf" | b"mutableListOf" | b"mutableSetOf" | b"arrayOf", _) => {
                        container(visit, notes, node, depth)
                    }
                    (b"requireNotNull" | b"checkNotNull", _) => of(argument(node)?),
                    (b"lazy" | b"run", _) => of(last(lambda(node)?)?),
                    _ => chain::called(Some(Chain::name(String::from_utf8_lossy(own)))),
                };
            };
            let object = of(object)?;
            match own {
                name if IDENTITY_METHODS.contains(&name) => Some(object),
                b"let" | b"run" => of(last(lambda(node)?)?),
                name => chain::called(chain::member(Some(object), name)),
            }
        }
        "as_expression" => of_type(visit, notes, field("right")?),
        "parenthesized_expression" => of(first()?),
        "unary_expression" => of(field("argument")?),
        "binary_expression" if visit.bytes(field("operator")?) == b"?:" => {
            of(field("left")?).or_else(|| of(field("right")?))
        }
        "infix_expression" => {
            let object = of(first()?);
            chain::called(chain::member(object, visit.bytes(node.named_child(1)?)))
        }
        "index_expression" => chain::yielded(of(first()?), Protocol::Index),
        "if_expression" => {
            let condition = field("condition").map(|of| of.id());
            let branches = modifiers::children(node)
                .filter(|part| part.is_named() && Some(part.id()) != condition);
            branches.filter_map(|branch| of(last(branch)?)).next()
        }
        "when_expression" => {
            let entries = modifiers::children(node);
            let entries = entries.filter(|entry| entry.kind_name() == "when_entry");
            entries.filter_map(|entry| of(last(modifiers::children(entry).last()?)?)).next()
        }
        "try_expression" => of(last(first()?)?),
        "object_literal" => {
            let list = modifiers::child(node, &["delegation_specifiers"])?;
            let specifier = list.named_child(0)?;
            let inner = modifiers::child(specifier, &["constructor_invocation"]);
            of_type(visit, notes, modifiers::child(inner.unwrap_or(specifier), TYPES)?)
        }
        "string_literal" | "multiline_string_literal" => chain::instance("String"),
        "number_literal" | "float_literal" => chain::instance(number(visit.bytes(node))),
        "character_literal" => chain::instance("Char"),
        _ => None,
    }
}

/// Returns the type of a number.
fn number(written: &[u8]) -> &'static str {
    let is_hexadecimal = written.starts_with(b"0x") || written.starts_with(b"0X");
    match written.last() {
        Some(b'L') if written.ends_with(b"uL") => "ULong",
        Some(b'L') => "Long",
        Some(b'u' | b'U') => "UInt",
        Some(b'f' | b'F') if !is_hexadecimal => "Float",
        _ if !is_hexadecimal && written.iter().any(|byte| b".eE".contains(byte)) => "Double",
        _ => "Int",
    }
}

/// Returns the last expression of a block or lambda; other expressions themselves.
fn last(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind_name() {
        "block" | "lambda_literal" => modifiers::children(node).filter(Node::is_named).last(),
        _ => Some(node),
    }
}

/// Returns the first argument of a call.
pub(super) fn argument(call: Node<'_>) -> Option<Node<'_>> {
    let list = modifiers::child(plain(call), &["value_arguments"])?;
    let first = modifiers::child(list, &["value_argument"])?;
    modifiers::children(first).filter(Node::is_named).last()
}

/// Returns the chain of a list of the elements or the type argument of a call.
fn container(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    call: Node<'_>,
    depth: usize,
) -> Option<Chain> {
    let list = modifiers::child(plain(call), &["type_arguments"]);
    let of = list.and_then(|list| type_name(visit, notes, list.named_child(0)?));
    let of = of.or_else(|| {
        let element = value(visit, notes, argument(call)?, depth)?;
        let of = element.as_argument().map(str::to_owned);
        of.or_else(|| element.class(|name| name.starts_with(char::is_uppercase)).map(str::to_owned))
    });
    chain::instance(&format!("List<{}>", of?))
}
