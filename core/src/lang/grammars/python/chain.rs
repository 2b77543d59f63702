//! The chains of Python expressions.

use tree_sitter::Node;

use crate::lang::chain::{self, Chain, Protocol, Step, TypeText};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::Visit;

use super::annotation;

/// Maximum nesting of an expression.
const DEPTH_MAX: usize = 24;

/// Maximum number of elements of a list that are examined.
const ELEMENTS_MAX: u32 = 32;

/// Maximum number of arguments that are searched for a keyword.
const ARGUMENTS_MAX: usize = 16;

/// Returns the chain of the expression `node`.
pub(super) fn value(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    value_in(visit, notes, node, 0)
}

/// Returns the chain of a node that is nested at `depth` in an expression.
fn value_in(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
) -> Option<Chain> {
    unbounded(visit, notes, node, depth)?.bounded()
}

/// Returns the chain of the elements of `node`.
pub(super) fn element(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    element_in(visit, notes, node, 0)
}

fn element_in(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
) -> Option<Chain> {
    if depth > DEPTH_MAX {
        return None;
    }
    if let Some((function, arguments)) = call(node) {
        let first = arguments.named_child(0);
        match &visit.text[function.byte_range()] {
            b"list" | b"sorted" | b"reversed" | b"set" | b"tuple" | b"iter" | b"frozenset" => {
                return element_in(visit, notes, first?, depth + 1);
            }
            b"range" => return Some(Chain::instance("int")),
            b"enumerate" | b"zip" => return None,
            _ => {}
        }
    }
    if matches!(node.kind_name(), "list" | "set" | "tuple" | "expression_list") {
        return Chain::one_of(parts(visit, notes, node, depth));
    }
    Some(value_in(visit, notes, node, depth + 1)?.then(Step::Yield(Protocol::Iterate)))
}

/// Returns the chain of each part of the tuples that `node` yields, if it is a call of a built-in
/// function that yields tuples.
pub(super) fn elements(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
) -> Option<Vec<Option<Chain>>> {
    let (function, arguments) = call(node)?;
    let mut cursor = arguments.walk();
    let mut arguments = arguments.named_children(&mut cursor).take(16);
    match &visit.text[function.byte_range()] {
        b"enumerate" => {
            Some(vec![Some(Chain::instance("int")), element(visit, notes, arguments.next()?)])
        }
        b"zip" => Some(arguments.map(|argument| element(visit, notes, argument)).collect()),
        _ if function.kind_name() == "attribute" => {
            let name = function.field("attribute")?;
            let is_items = &visit.text[name.byte_range()] == b"items" && arguments.next().is_none();
            // Of a dictionary, or of another type with such a method.
            let pair = element(visit, notes, node).filter(|_| is_items)?;
            let part = |name| Some(pair.clone().then(Step::Member(name)));
            Some(vec![part("0"), part("1")])
        }
        _ => None,
    }
}

/// Returns the function and the arguments of a call.
pub(super) fn call<'t>(node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    if node.kind_name() != "call" {
        return None;
    }
    Some((node.child(0)?, node.field("arguments")?))
}

/// Returns the chain of a container, with the type of its elements if that is known.
fn container(name: &str, element: Option<&Chain>) -> Chain {
    match element.and_then(|of| Chain::one_of_types([Some(of.clone())], written_class)) {
        Some(element) => annotation::with_arguments(name, &[Some(element)]),
        None => Chain::instance(name),
    }
}

fn written_class(of: &Chain) -> Option<String> {
    class_of(of).map(str::to_owned)
}

/// Returns the chains of the elements of a list, set or tuple that is written.
fn parts(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
) -> Vec<Option<Chain>> {
    let parts = (0..ELEMENTS_MAX).map_while(|at| node.named_child(at));
    let parts = parts.filter(|it| !it.is_extra() && !is_empty(*it));
    parts.map(|it| Some(of_written_class(visit, value_in(visit, notes, it, depth + 1)?))).collect()
}

/// Returns the chain with the name of the enclosing class in place of the class of the instance: as an
/// element of a container, a value has a written type.
fn of_written_class(visit: &Visit<'_, '_>, of: Chain) -> Chain {
    let own = class_of_own();
    let class = || own_class(visit, visit.own_or_enclosing_index());
    match of.calls_prefix(&own).then(class).flatten() {
        Some(class) => of.with_prefix(&own, &class),
        None => of,
    }
}

/// Returns the class of a new instance, or of a value whose type is written.
pub(super) fn class_of(chain: &Chain) -> Option<&str> {
    let is_class =
        |name: &str| name.trim_start_matches('_').starts_with(|c: char| c.is_ascii_uppercase());
    chain.class(is_class).filter(|class| !class.contains('$'))
}

fn unbounded(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
) -> Option<Chain> {
    if depth > DEPTH_MAX {
        return None;
    }
    let inner = |child: Option<Node<'_>>| unbounded(visit, notes, child?, depth + 1);
    match node.kind_name() {
        "identifier" => match notes.local(&visit.text[node.byte_range()]) {
            NameLookup::Local(local) => local.cloned(),
            NameLookup::NotLocal => Some(Chain::name(text(visit, node)?)),
        },
        "attribute" => {
            let of = inner(node.child(0))?;
            match text(visit, node.field("attribute")?)? {
                "__class__" => class_of_value(visit, &of),
                name => Some(of.then(Step::Member(name))),
            }
        }
        "call" => called(visit, notes, node, depth),
        "await" => Some(inner(node.named_child(0))?.then(Step::Yield(Protocol::Await))),
        "subscript" => {
            let value = node.child(0)?;
            if text(visit, value)?.rsplit('.').next() == Some("Callable") {
                // Another name of a function's type, whose values return anything.
                return None;
            }
            let of = inner(Some(value))?;
            let is_slice = node.named_child(1).is_some_and(|index| index.kind_name() == "slice");
            Some(match (is_type(visit, notes, value), is_slice) {
                (true, _) => of,
                (false, true) => of.each_alternative(sliced),
                (false, false) => of.each_alternative(subscripted),
            })
        }
        "parenthesized_expression" | "as_pattern" => inner(node.named_child(0)),
        "named_expression" => inner(node.field("value")),
        "assignment" => inner(node.field("right")),
        "conditional_expression" => either(node.named_child(0), node.named_child(2), inner),
        "boolean_operator" => {
            let is_or = node.child(1).is_some_and(|operator| operator.kind_name() == "or");
            let first = node.named_child(0);
            if is_or {
                either(first, node.named_child(1), inner)
            } else {
                inner(node.named_child(1))
            }
        }
        "binary_operator" => {
            let left = inner(node.child(0))?;
            let operator = node.child(1)?.kind_name();
            let reflected = || reflected(inner(node.child(2))?, operator);
            match is_built_in(&left).then(reflected).flatten() {
                Some(reflected) => Chain::first_of(&reflected, operated(left, operator).as_ref()),
                None => operated(left, operator),
            }
        }
        "tuple" | "expression_list" => Some(tuple(visit, notes, node, depth)),
        "list" | "set" => {
            let element = Chain::one_of_types(parts(visit, notes, node, depth), written_class);
            Some(container(node.kind_name(), element.as_ref()))
        }
        "list_comprehension" | "set_comprehension" | "generator_expression" => {
            comprehension(visit, notes, node, depth)
        }
        "dictionary" | "dictionary_comprehension" => Some(Chain::instance("dict")),
        "string" | "concatenated_string" => Some(Chain::instance("str")),
        "integer" => Some(Chain::instance("int")),
        "float" => Some(Chain::instance("float")),
        "true" | "false" | "not_operator" | "comparison_operator" => Some(Chain::instance("bool")),
        _ => None,
    }
}

/// Types that the language defines, of which subscripts and operators have their usual results.
const BUILT_IN: &[&str] = &[
    "Dict",
    "List",
    "Mapping",
    "Sequence",
    "Tuple",
    "bool",
    "bytes",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "set",
    "str",
    "tuple",
];

fn is_built_in(of: &Chain) -> bool {
    let first = |of: TypeText<'_>| of.path().split('.').next().map(|of| BUILT_IN.contains(&of));
    of.written_type().and_then(first) == Some(true)
}

/// Returns the chain of `of[key]`. A class that defines `__getitem__` may return anything.
fn subscripted(of: Chain) -> Chain {
    if is_built_in(&of) {
        return of.then(Step::Yield(Protocol::Index));
    }
    of.then(Step::Member("__getitem__")).then(Step::Call)
}

/// Returns the chain of `of[from:to]`. The linker reads `__getitem__`, whose result is a part here.
fn sliced(of: Chain) -> Chain {
    if is_built_in(&of) {
        return of;
    }
    of.then(Step::Member("__getslice__")).then(Step::Call)
}

/// Returns the chain of a variable with the value `left` after `+=` and the like. Values of built-in types
/// keep their type.
pub(super) fn augmented(left: &Chain, operator: &str) -> Option<Chain> {
    let method = match operator {
        "+=" => "__iadd__",
        "/=" => "__itruediv__",
        "%=" => "__imod__",
        "|=" => "__ior__",
        "&=" => "__iand__",
        "-=" => "__isub__",
        "*=" => "__imul__",
        "@=" => "__imatmul__",
        "//=" => "__ifloordiv__",
        "^=" => "__ixor__",
        "**=" => "__ipow__",
        "<<=" => "__ilshift__",
        ">>=" => "__irshift__",
        _ => return None,
    };
    if left.alternatives().count() > 1 {
        let step = |left: Chain| {
            if is_built_in(&left) { left } else { left.then(Step::Member(method)).then(Step::Call) }
        };
        return left.each_alternative(step).bounded();
    }
    if is_built_in(left) {
        return Some(left.clone());
    }
    chain::called(Some(left.clone().then(Step::Member(method))))
}

/// The methods that operators call, of the left operand and of the right one.
const OPERATORS: &[(&str, &str, &str)] = &[
    ("+", "__add__", "__radd__"),
    ("/", "__truediv__", "__rtruediv__"),
    ("%", "__mod__", "__rmod__"),
    ("|", "__or__", "__ror__"),
    ("&", "__and__", "__rand__"),
    ("-", "__sub__", "__rsub__"),
    ("*", "__mul__", "__rmul__"),
    ("@", "__matmul__", "__rmatmul__"),
    ("//", "__floordiv__", "__rfloordiv__"),
    ("^", "__xor__", "__rxor__"),
];

/// Returns the chain of the result of an operator whose left operand has a built-in type, if the class of
/// the right one defines it.
fn reflected(right: Chain, operator: &str) -> Option<Chain> {
    let (.., method) = OPERATORS.iter().find(|(sign, ..)| *sign == operator)?;
    let is_open = right.several().is_some() || is_built_in(&right);
    (!is_open).then(|| right.then(Step::Member(method)).then(Step::Call))
}

/// Returns the chain of the result of an operator, which the class of the left operand may define.
fn operated(left: Chain, operator: &str) -> Option<Chain> {
    let (_, method, _) = OPERATORS.iter().find(|(sign, ..)| *sign == operator)?;
    if left.alternatives().all(|part| is_built_in(&part)) {
        let is_same_type = matches!(operator, "/" | "+" | "|" | "&" | "%");
        return Some(left).filter(|_| is_same_type);
    }
    let of = |left: Chain| left.then(Step::Member(method));
    chain::called(Some(left.each_alternative(of)))
}

/// Returns the chain of what `with` gives for a value.
pub(super) fn entered(of: Chain, is_async: bool) -> Chain {
    let method = if is_async { "__aenter__" } else { "__enter__" };
    of.each_alternative(|of| of.then(Step::Member(method)).then(Step::Call))
}

/// Returns the chain of the class of the instance that the enclosing method belongs to, or of a class
/// that is derived from it.
pub(super) fn class_of_own() -> Chain {
    Chain::own().then(Step::Member("__class__"))
}

/// Returns the chain of the value of one of two expressions.
fn either<'t>(
    first: Option<Node<'t>>,
    second: Option<Node<'t>>,
    value: impl Fn(Option<Node<'t>>) -> Option<Chain>,
) -> Option<Chain> {
    let known = [first, second].into_iter().filter(|it| it.is_none_or(|it| !is_empty(it)));
    Chain::one_of(known.map(value))
}

/// Returns true for `None`.
pub(super) fn is_empty(node: Node<'_>) -> bool {
    node.kind_name() == "none"
}

fn called(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>, depth: usize) -> Option<Chain> {
    let (function, arguments) = call(node)?;
    let name = text(visit, function).unwrap_or_default();
    let is_builtin = function.kind_name() == "identifier"
        && matches!(notes.local(name.as_bytes()), NameLookup::NotLocal)
        || matches!(name, "typing.cast" | "typing.TypeVar" | "t.TypeVar")
        || name.ends_with(".deepcopy");
    let argument = |at: u32| {
        let argument = arguments.named_child(at)?;
        (argument.kind_name() != "keyword_argument").then_some(argument)
    };
    match name.rsplit('.').next().filter(|_| is_builtin).unwrap_or_default() {
        "super" => Some(Chain::base()),
        "type" if arguments.named_child_count() == 1 => {
            let value = value_in(visit, notes, argument(0)?, depth + 1)?;
            class_of_value(visit, &value)
        }
        "cast" => annotation::chain(visit, argument(0)?),
        // A type variable stands for a value of its bound.
        "TypeVar" => match keyword(visit, arguments, b"bound") {
            Some(bound) => annotation::chain(visit, bound),
            None => Some(unbounded(visit, notes, function, depth + 1)?.then(Step::Call)),
        },
        "list" | "sorted" | "reversed" | "set" | "tuple" | "iter" | "copy" | "deepcopy" => {
            let same = argument(0).and_then(|argument| value_in(visit, notes, argument, depth + 1));
            let name = if name == "sorted" { "list" } else { name };
            Some(same.unwrap_or_else(|| Chain::instance(name)))
        }
        "next" => element_in(visit, notes, argument(0)?, depth + 1),
        "getattr" => {
            let of = unbounded(visit, notes, argument(0)?, depth + 1)?;
            let attribute = literal(argument(1)?)?;
            Some(of.then(Step::Member(std::str::from_utf8(&visit.text[attribute]).ok()?)))
        }
        "defaultdict" => {
            let class =
                argument(0).and_then(|argument| value_in(visit, notes, argument, depth + 1));
            let class = class.map(|class| class.then(Step::Call));
            Some(container("defaultdict", class.as_ref()))
        }
        _ => Some(unbounded(visit, notes, function, depth + 1)?.then(Step::Call)),
    }
}

/// Returns the value of the argument with a keyword.
fn keyword<'t>(visit: &Visit<'_, '_>, arguments: Node<'t>, word: &[u8]) -> Option<Node<'t>> {
    let mut cursor = arguments.walk();
    let mut arguments = arguments.named_children(&mut cursor).take(ARGUMENTS_MAX);
    let is_its = |argument: &Node<'_>| {
        argument.field("name").is_some_and(|name| &visit.text[name.byte_range()] == word)
    };
    arguments.find(is_its)?.field("value")
}

/// Returns the chain of a tuple, with the types of its parts if they are known.
fn tuple(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>, depth: usize) -> Chain {
    let parts = (0..8).map_while(|at| node.named_child(at));
    let parts = parts.map(|part| value_in(visit, notes, part, depth + 1));
    Chain::with_arguments("tuple", &parts.collect::<Vec<_>>(), written_class)
}

/// Returns the chain of a comprehension whose elements have an evident type.
fn comprehension(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
) -> Option<Chain> {
    let body = node.field("body")?;
    let clause = node.named_child(1)?;
    let left = clause.field("left")?;
    if visit.text[left.byte_range()] == visit.text[body.byte_range()] {
        let right = clause.field("right")?;
        return value_in(visit, notes, right, depth + 1);
    }
    let name = if node.kind_name() == "set_comprehension" { "set" } else { "list" };
    // The loop variables are not declared yet, but a class is rarely one of them.
    let made = call(body).and_then(|_| value_in(visit, notes, body, depth + 1));
    let made = made.map(|made| of_written_class(visit, made));
    Some(container(name, made.as_ref().filter(|made| !made.starts_at_type())))
}

/// Returns the name of the class of a value.
fn class_of_value(visit: &Visit<'_, '_>, chain: &Chain) -> Option<Chain> {
    if *chain == Chain::own() {
        return own_class(visit, visit.own_or_enclosing_index()).map(|_| class_of_own());
    }
    class_of(chain).map(|class| Chain::name(TypeText::of(class).path()))
}

/// Returns the name of the class with index `index`, or of the innermost class that encloses that
/// symbol.
pub(super) fn own_class(visit: &Visit<'_, '_>, mut index: Option<usize>) -> Option<Chain> {
    while let Some(symbol) = visit.symbols.get(index?) {
        if symbol.kind == SymbolKind::Class {
            return Some(Chain::name(symbol.qualified_name.as_str()));
        }
        index = symbol.parent;
    }
    None
}

/// Returns true if `node` looks like the name of a type rather than a value.
fn is_type(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> bool {
    let name = &visit.text[node.byte_range()];
    node.kind_name() == "identifier"
        && matches!(notes.local(name), NameLookup::NotLocal)
        && (name.first().is_some_and(u8::is_ascii_uppercase)
            && name.iter().any(u8::is_ascii_lowercase)
            || matches!(name, b"list" | b"dict" | b"set" | b"tuple" | b"type"))
}

/// Returns the bytes between the quotes of a string without interpolation.
pub(super) fn literal(node: Node<'_>) -> Option<std::ops::Range<usize>> {
    if node.kind_name() != "string" || node.named_child_count() != 3 {
        return None;
    }
    let content = node.named_child(1)?;
    let is_plain = content.kind_name() == "string_content" && content.named_child_count() == 0;
    is_plain.then(|| content.byte_range())
}

pub(super) fn text<'a>(visit: &Visit<'a, '_>, node: Node<'_>) -> Option<&'a str> {
    std::str::from_utf8(&visit.text[node.byte_range()]).ok()
}
