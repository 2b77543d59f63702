//! The chains of PHP's types and expressions. Names keep their `\`: `\A\B`, `B\C`.

use tree_sitter::Node;

use crate::lang::chain::{self, Protocol};
use crate::lang::code_text::split;
use crate::lang::facts::{CHAIN_BYTES_MAX, Chain};
use crate::lang::grammars::modifiers;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Maximum nesting of types and expressions.
const DEPTH_MAX: usize = 20;

/// Types without members; of a union another alternative is taken.
const SCALARS: &[&str] = &[
    "array", "bool", "callable", "false", "float", "int", "iterable", "mixed", "never", "null",
    "object", "resource", "scalar", "string", "true", "void",
];

/// Types whose values may have any members.
const UNKNOWN: &[&str] = &["mixed", "object"];

/// The most parts of an array with a written shape.
const PARTS_MAX: usize = 16;

/// Maximum number of alternatives of a type with arguments; one more than a chain keeps, so that the
/// chain is of an unknown value as well.
const ALTERNATIVES_MAX: usize = 5;

/// Maximum number of elements of an array that are examined.
const ELEMENTS_MAX: u32 = 32;

/// Functions that return their first argument, or a container of the same elements.
const IDENTITY_FUNCTIONS: &[&[u8]] = &[
    b"array_diff",
    b"array_filter",
    b"array_merge",
    b"array_reverse",
    b"array_slice",
    b"array_unique",
    b"array_values",
    b"iterator_to_array",
];

/// Functions that return an element of their first argument.
const ELEMENT_FUNCTIONS: &[&[u8]] =
    &[b"array_pop", b"array_shift", b"current", b"end", b"next", b"reset"];

/// Returns the chain of a value of the type `written`, natively or in a documentation comment. Of a
/// union it is that of one of the alternatives with members.
pub(super) fn of_written(written: &str) -> Option<Chain> {
    let names = type_names(written, DEPTH_MAX);
    let is_alone = names.len() == 1;
    Chain::one_of(names.into_iter().map(|name| match name.as_str() {
        "self" => Some(Chain::own()),
        "parent" => Some(Chain::base()),
        name if UNKNOWN.contains(&name) && (!is_alone || name == "mixed") => None,
        name => chain::instance(name),
    }))
}

/// Returns true if a type says nothing about the members of its values.
pub(super) fn is_vague(of: &Chain) -> bool {
    let vague = ["Closure", "Generator", "Iterator", "IteratorAggregate", "Traversable"];
    let name = of.as_argument().unwrap_or_default().trim_start_matches('\\');
    SCALARS.contains(&name) || vague.contains(&name)
}

/// Returns the names of the alternatives of a type: those with members, or else the first scalar one.
fn type_names(written: &str, depth: usize) -> Vec<String> {
    let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
    let (mut names, mut first, mut unknown) = (Vec::new(), None, None);
    for part in split(written.trim().trim_start_matches('?'), b'|') {
        let part = split(part, b'&').first().copied().unwrap_or_default().trim();
        for name in single(part, depth) {
            if !SCALARS.contains(&name.as_str()) {
                names.push(name);
                continue;
            }
            if UNKNOWN.contains(&name.as_str()) {
                unknown = unknown.or(Some(name.clone()));
            }
            first = first.or(Some(name).filter(|name| name != "null"));
        }
    }
    let others = if names.is_empty() { first } else { unknown };
    names.extend(others);
    names
}

/// Returns the names of the alternatives of a type that is no union; there are several where a type
/// argument is one.
fn single(written: &str, depth: usize) -> Vec<String> {
    if let Some(element) = written.strip_suffix("[]") {
        return containers("array", type_names(element, depth));
    }
    if let Some(inner) = written.strip_prefix('(') {
        let inner = inner.strip_suffix(')').unwrap_or_default();
        return type_names(inner, depth);
    }
    let written = written.strip_prefix("non-empty-").unwrap_or(written);
    if matches!(written, "$this" | "static" | "self") {
        return vec!["self".to_owned()];
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\\' | '-');
    let (name, after) = written.split_at(written.find(|c| !is_name(c)).unwrap_or(written.len()));
    let is_plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '\\');
    if !is_plain || name.contains('-') || written.len() > 4 * CHAIN_BYTES_MAX {
        return Vec::new();
    }
    if let Some(inner) = after.strip_prefix('{').and_then(|after| after.strip_suffix('}')) {
        return shape(name, inner, depth);
    }
    let Some(inner) = after.strip_prefix('<').and_then(|after| after.strip_suffix('>')) else {
        return vec![name.to_owned()];
    };
    let mut arguments = split(inner, b',');
    if name.trim_start_matches('\\') == "Generator" {
        arguments.truncate(2);
    }
    let mut all = vec![name.to_owned()];
    let mut is_open = false;
    for (at, argument) in arguments.into_iter().enumerate() {
        let mut names = type_names(argument, depth);
        is_open |= remove_unknown(&mut names);
        if names.is_empty() {
            names.push("_".to_owned());
        }
        let sign = if at == 0 { '<' } else { ',' };
        let each = all
            .iter()
            .flat_map(|before| names.iter().map(move |name| format!("{before}{sign}{name}")));
        all = each.take(ALTERNATIVES_MAX).collect();
    }
    all.iter_mut().for_each(|name| name.push('>'));
    all.extend(is_open.then(|| UNKNOWN[0].to_owned()));
    all
}

/// Removes the types whose values may have any members, if there are others; returns true if there were
/// such types.
fn remove_unknown(names: &mut Vec<String>) -> bool {
    let is_known = |name: &String| !UNKNOWN.contains(&name.as_str());
    let is_mixed = names.iter().any(is_known) && !names.iter().all(is_known);
    if is_mixed {
        names.retain(is_known);
    }
    is_mixed
}

/// Returns the names of the containers `name` of elements of one of some types. The elements of one whose
/// element may be anything have no known type, so that it is an unknown value where there are others.
fn containers(name: &str, mut elements: Vec<String>) -> Vec<String> {
    let is_open = remove_unknown(&mut elements);
    elements.truncate(ALTERNATIVES_MAX);
    let mut all: Vec<String> = elements.iter().map(|of| format!("{name}<{of}>")).collect();
    all.extend(is_open.then(|| UNKNOWN[0].to_owned()));
    all
}

/// Returns the names of an array with the types of its parts: `array{test: Test, count: int}`. Parts of
/// unknown type (`...`, and what cannot be read) add an unknown alternative.
fn shape(name: &str, inner: &str, depth: usize) -> Vec<String> {
    let parts = split(inner, b',');
    let mut names: Vec<String> = Vec::new();
    for (at, part) in parts.iter().map(|part| part.trim()).enumerate() {
        if part.is_empty() {
            continue;
        }
        let of = if at < PARTS_MAX { part_types(part, depth) } else { None };
        let mut of = of.unwrap_or_else(|| vec![UNKNOWN[0].to_owned()]);
        of.retain(|of| !names.contains(of));
        names.extend(of);
        if at >= PARTS_MAX {
            break;
        }
    }
    if names.is_empty() {
        return vec![name.to_owned()];
    }
    containers(name, names)
}

/// Returns the names of the types of a part of an array's shape (`name: A`, `name?: A`, `A`), without those
/// of plain values; `None` if they are unknown.
fn part_types(part: &str, depth: usize) -> Option<Vec<String>> {
    // `...<string, A>` stands for any other parts, `A::B` is the type of a constant.
    if part.starts_with("...") || part.contains("::") {
        return None;
    }
    let fields = split(part, b':');
    let first = fields.first().copied().unwrap_or_default();
    let is_key = fields.len() > 1 && !first.contains(['(', '<']);
    let of = if is_key { part[first.len() + 1..].trim() } else { part };
    let mut names = Vec::new();
    for alternative in split(of.trim_start_matches('?'), b'|') {
        let alternative = alternative.trim();
        if is_plain_value(alternative) {
            continue;
        }
        let of = type_names(alternative, depth);
        if of.is_empty() {
            return None;
        }
        names.extend(of);
    }
    Some(names)
}

/// Returns true for a type of texts and numbers that is no name: `'a'`, `1`, `positive-int`; and `null`.
fn is_plain_value(written: &str) -> bool {
    let is_named = ["-int", "-string", "-key"].iter().any(|end| written.ends_with(end));
    written == "null"
        || is_named
        || written.starts_with(|c: char| matches!(c, '\'' | '"' | '-') || c.is_ascii_digit())
}

/// Returns the chain of the class or function name `node`.
pub(super) fn of_name(visit: &Visit<'_, '_>, node: Node<'_>) -> Option<Chain> {
    match visit.bytes(node) {
        b"self" | b"static" => Some(Chain::own()),
        b"parent" => Some(Chain::base()),
        _ => Some(Chain::name(visit.text_of(node))),
    }
}

/// Returns the chain of a new value of the class `node`.
pub(super) fn of_class(visit: &Visit<'_, '_>, node: Node<'_>) -> Option<Chain> {
    let name = of_name(visit, node)?;
    if name.has_sign() { Some(name) } else { chain::instance(name.named_type().text()) }
}

pub(super) fn is_name(node: Node<'_>) -> bool {
    matches!(node.kind_name(), "name" | "qualified_name" | "relative_name")
}

/// Returns the chain of the expression `node`.
pub(super) fn of(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    value(visit, notes, node, DEPTH_MAX)
}

fn value(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>, depth: usize) -> Option<Chain> {
    let depth = depth.checked_sub(1)?;
    let field = |name: &str| node.field(name);
    let of = |node: Node<'_>| value(visit, notes, node, depth);
    let first = || (0..4).map_while(|at| node.named_child(at)).find(|part| !part.is_extra());
    match node.kind_name() {
        "variable_name" => match visit.bytes(node) {
            b"$this" => Some(Chain::own()),
            name => match notes.local(name) {
                NameLookup::Local(chain) => chain.cloned(),
                NameLookup::NotLocal => None,
            },
        },
        "name" | "qualified_name" | "relative_name" | "relative_scope" => of_name(visit, node),
        "parenthesized_expression" | "error_suppression_expression" | "clone_expression" => {
            of(first()?)
        }
        "member_access_expression" | "nullsafe_member_access_expression" => {
            if let NameLookup::Local(Some(narrowed)) = notes.local(visit.bytes(node)) {
                return Some(narrowed.clone());
            }
            let name = field("name").filter(|name| name.kind_name() == "name")?;
            chain::member(of(field("object")?), visit.bytes(name))
        }
        "scoped_property_access_expression" => {
            let name = visit.bytes(field("name")?);
            chain::member(of(field("scope")?), name.strip_prefix(b"$")?)
        }
        "class_constant_access_expression" => {
            let name = visit.bytes(node.named_child(1)?);
            if name == b"class" { None } else { chain::member(of(node.named_child(0)?), name) }
        }
        "member_call_expression" | "nullsafe_member_call_expression" | "scoped_call_expression" => {
            let name = field("name").filter(|name| name.kind_name() == "name")?;
            let object = of(field("object").or(field("scope"))?);
            chain::called(chain::member(object, visit.bytes(name)))
        }
        "function_call_expression" => {
            let function = field("function")?;
            if !is_name(function) {
                return chain::called(of(function));
            }
            let name = visit.bytes(function);
            let argument = || of(field("arguments")?.named_child(0)?.named_child(0)?);
            match name.strip_prefix(b"\\").unwrap_or(name) {
                name if IDENTITY_FUNCTIONS.contains(&name) => argument(),
                name if ELEMENT_FUNCTIONS.contains(&name) => {
                    chain::yielded(argument(), Protocol::Iterate)
                }
                _ => chain::called(of_name(visit, function)),
            }
        }
        "object_creation_expression" => {
            let class = first()?;
            match class.kind_name() {
                "anonymous_class" => {
                    let base = modifiers::child(class, &["base_clause"])?;
                    of_class(visit, base.named_child(0)?)
                }
                _ if is_name(class) => of_class(visit, class),
                _ => None,
            }
        }
        "assignment_expression" | "augmented_assignment_expression" => of(field("right")?),
        "conditional_expression" => {
            either(field("body").or(field("condition")), field("alternative"), of, visit)
        }
        "binary_expression" if visit.bytes(field("operator")?) == b"??" => {
            either(field("left"), field("right"), of, visit)
        }
        "match_expression" => {
            let arms = modifiers::children(field("body")?);
            let values = arms.filter_map(|arm| arm.field("return_expression"));
            let values =
                values.filter(|it| !is_empty(visit, *it) && it.kind_name() != "throw_expression");
            Chain::one_of(values.take(8).map(of))
        }
        "subscript_expression" => chain::yielded(of(first()?), Protocol::Index),
        "string" | "encapsed_string" | "heredoc" => chain::instance("string"),
        "array_creation_expression" => {
            let elements = (0..ELEMENTS_MAX).map_while(|at| node.named_child(at));
            let elements = elements.filter(|it| !it.is_extra()).filter_map(|element| {
                element.named_child(u32::from(element.named_child_count() > 1))
            });
            let values = elements.filter(|it| !is_empty(visit, *it)).map(of);
            let class = |of: &Chain| of.as_argument().map(str::to_owned);
            match Chain::one_of_types(values, class) {
                Some(of) => Some(Chain::with_arguments("array", &[Some(of)], class)),
                None => chain::instance("array"),
            }
        }
        "anonymous_function" | "arrow_function" => chain::instance("\\Closure"),
        _ => None,
    }
}

/// Returns the chain of the value of one of two expressions.
fn either<'t>(
    first: Option<Node<'t>>,
    second: Option<Node<'t>>,
    value: impl Fn(Node<'t>) -> Option<Chain>,
    visit: &Visit<'_, '_>,
) -> Option<Chain> {
    let is_value = |it: &Node<'_>| !is_empty(visit, *it) && it.kind_name() != "throw_expression";
    Chain::one_of([first, second].into_iter().flatten().filter(is_value).map(value))
}

/// Returns true for `null`.
pub(super) fn is_empty(visit: &Visit<'_, '_>, node: Node<'_>) -> bool {
    visit.bytes(node).eq_ignore_ascii_case(b"null")
}
