//! The chains of Ruby's expressions: what the value of an expression is, as far as it is written.

use tree_sitter::Node;

use crate::lang::chain::{self, Protocol, Root};
use crate::lang::facts::Chain;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

use super::described::{described, is_path};

/// Methods that call their block with an element of the object.
pub(super) const ELEMENT_CALLBACKS: [&[u8]; 22] = [
    b"all?",
    b"any?",
    b"collect",
    b"count",
    b"detect",
    b"each",
    b"each_with_index",
    b"each_with_object",
    b"filter",
    b"filter_map",
    b"find",
    b"flat_map",
    b"group_by",
    b"map",
    b"max_by",
    b"min_by",
    b"none?",
    b"partition",
    b"reject",
    b"select",
    b"sort_by",
    b"sum",
];

/// Methods that return the object itself or a container of the same elements.
const IDENTITY_METHODS: [&[u8]; 12] = [
    b"compact", b"dup", b"filter", b"freeze", b"lazy", b"reject", b"reverse", b"select", b"sort",
    b"sort_by", b"tap", b"to_a",
];

/// The sign before a name that is looked up outside of all modules: `::Name`.
const ABSOLUTE: char = '\\';

/// The type of the object itself, in chains.
pub(super) const OWN_TYPE: &str = "Self";

/// Maximum number of elements of an array that are examined.
const ELEMENTS_MAX: u32 = 32;

/// Maximum nesting of an expression.
pub(super) const DEPTH_MAX: usize = 20;

/// Returns the chain of the expression `node`.
pub(super) fn of(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
    depth: usize,
) -> Option<Chain> {
    let depth = depth.checked_sub(1)?;
    let field = |name: &str| node.field(name);
    let own = visit.bytes(node);
    match node.kind_name() {
        "identifier" => match notes.local(own) {
            NameLookup::Local(chain) => {
                chain.cloned().or_else(|| Some(Chain::variable(&visit.text_of(node))))
            }
            // A method of the object itself.
            NameLookup::NotLocal => {
                let is_described = matches!(own, b"described_class" | b"subject");
                let class = if is_described { described(visit) } else { None };
                match class.and_then(|class| of(visit, notes, class, depth)) {
                    Some(class) if own == b"subject" => Some(class.instance_of()),
                    Some(class) => Some(class),
                    None => chain::called(Some(Chain::name(visit.text_of(node)))),
                }
            }
        },
        "constant" => Some(Chain::name(visit.text_of(node))),
        "scope_resolution" => {
            let name = visit.bytes(field("name")?);
            match field("scope") {
                Some(scope) => chain::member(of(visit, notes, scope, depth), name),
                None => Some(Chain::name(format!("{ABSOLUTE}{}", String::from_utf8_lossy(name)))),
            }
        }
        "self" => Some(Chain::own()),
        "instance_variable" => chain::member(Some(Chain::own()), own),
        "call" => {
            let name = visit.bytes(field("method")?);
            if let Some(constant) = constant_of_call(visit, node) {
                let of = field("receiver").filter(|of| of.kind_name() != "self");
                return match of {
                    None => Some(Chain::name(String::from_utf8_lossy(constant))),
                    Some(of) => chain::member(self::of(visit, notes, of, depth), constant),
                };
            }
            let Some(receiver) = field("receiver") else {
                return match name {
                    b"new" => Some(Chain::instance(OWN_TYPE)),
                    _ => chain::called(Some(Chain::name(String::from_utf8_lossy(name)))),
                };
            };
            let is_own = receiver.kind_name() == "self";
            let is_constant = matches!(receiver.kind_name(), "constant" | "scope_resolution")
                || visit.bytes(receiver) == b"described_class";
            if name == b"new" && visit.bytes(receiver) == b"Class" {
                // A class without a name, whose members are those of its base.
                let base = field("arguments").and_then(|list| list.named_child(0));
                let base = base.filter(|base| is_named(visit, *base));
                return base.map_or_else(
                    || Some(Chain::instance("Class")),
                    |base| of(visit, notes, base, depth),
                );
            }
            let receiver = of(visit, notes, receiver, depth)?;
            let is_own_type = receiver.is_named(OWN_TYPE);
            match name {
                b"new" if is_own || is_own_type => Some(Chain::instance(OWN_TYPE)),
                b"class" if is_own => Some(Chain::name(OWN_TYPE)),
                b"new" if is_constant || is_class(&receiver) => Some(receiver.instance_of()),
                b"fetch" => chain::yielded(Some(receiver), Protocol::Index),
                b"first" | b"last" | b"sample" => chain::yielded(Some(receiver), Protocol::Iterate),
                b"detect" | b"find" | b"max_by" | b"min_by" if field("block").is_some() => {
                    chain::yielded(Some(receiver), Protocol::Iterate)
                }
                name if IDENTITY_METHODS.contains(&name) => Some(receiver),
                name => chain::called(chain::member(Some(receiver), name)),
            }
        }
        "element_reference" => {
            chain::yielded(of(visit, notes, field("object")?, depth), Protocol::Index)
        }
        "parenthesized_statements" if node.named_child_count() == 1 => {
            of(visit, notes, node.named_child(0)?, depth)
        }
        "assignment" | "operator_assignment" => of(visit, notes, field("right")?, depth),
        "binary" if matches!(field("operator")?.kind_name(), "||" | "or") => {
            let left = of(visit, notes, field("left")?, depth);
            first_known([left, of(visit, notes, field("right")?, depth)])
        }
        "conditional" | "if" | "unless" | "elsif" => {
            let branches = [field("consequence"), field("alternative")];
            first_known(branches.map(|it| of(visit, notes, it?, depth)))
        }
        "case" => {
            let branches = (0..16).map_while(|at| node.named_child(at));
            let branch = |branch: Node<'_>| match branch.kind_name() {
                "when" => of(visit, notes, branch.field("body")?, depth),
                "else" => of(visit, notes, branch, depth),
                _ => None,
            };
            first_known(branches.map(branch))
        }
        "begin" | "else" | "then" => of(visit, notes, last_statement(node)?, depth),
        "string" => chain::instance("String"),
        "array" => {
            let elements = (0..ELEMENTS_MAX).map_while(|at| node.named_child(at));
            let elements = elements.map(|it| of(visit, notes, it, depth));
            container("Array", first_known(elements))
        }
        "hash" => {
            let value = node.named_child(0).and_then(|pair| pair.field("value"));
            container("Hash", value.and_then(|value| of(visit, notes, value, depth)))
        }
        _ => None,
    }
}

/// Returns the name of the constant that a call reads: `const_get(:Name)`.
fn constant_of_call<'v>(visit: &'v Visit<'_, '_>, call: Node<'_>) -> Option<&'v [u8]> {
    let is_read = visit.bytes(call.field("method")?) == b"const_get";
    let name = call.field("arguments").filter(|_| is_read)?.named_child(0)?;
    let name = visit.bytes(name).strip_prefix(b":")?;
    let is_name = name.iter().all(|byte| *byte == b'_' || byte.is_ascii_alphanumeric());
    (is_name && name.first().is_some_and(u8::is_ascii_uppercase)).then_some(name)
}

/// Returns true for the path of a constant, or a call that reads one by its name.
pub(super) fn is_named(visit: &Visit<'_, '_>, node: Node<'_>) -> bool {
    is_path(node) || node.kind_name() == "call" && constant_of_call(visit, node).is_some()
}

/// Returns true for a class itself, such as the value of a variable.
pub(super) fn is_class(chain: &Chain) -> bool {
    let last = chain.as_path().and_then(|path| path.rsplit('.').next());
    last.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Returns a chain unless it starts at a variable whose value is unknown.
pub(super) fn known(chain: Option<Chain>) -> Option<Chain> {
    chain.filter(|chain| !chain.is_of_variable())
}

/// Returns the chain of one of some values that are known; or else the first one.
fn first_known(chains: impl IntoIterator<Item = Option<Chain>>) -> Option<Chain> {
    let mut first: Option<Chain> = None;
    for chain in chains.into_iter().flatten() {
        first = match first {
            Some(known) if !known.is_of_variable() => Some(either(known, &chain)),
            _ if !chain.is_of_variable() => Some(chain),
            None => Some(chain),
            unknown => unknown,
        };
    }
    first
}

/// Returns the chain of a value that is one of two. Unlike in other languages, an unknown one does not
/// count: few values of Ruby are known, and most that are not are of the same type or none.
pub(super) fn either(known: Chain, other: &Chain) -> Chain {
    if other.is_of_variable() || is_literal(&known) || is_literal(other) {
        return known;
    }
    let both = Chain::one_of([Some(known.clone()), Some(other.clone())]);
    both.and_then(Chain::bounded).unwrap_or(known)
}

/// Types of literals.
const LITERALS: [&str; 4] = ["Array", "Hash", "Set", "String"];

/// Returns true for a value of one of Ruby's own types: often one that stands for none.
pub(super) fn is_literal(chain: &Chain) -> bool {
    matches!(chain.decode().0, Root::Instance(of) if LITERALS.contains(&of.path()))
}

/// Returns the chain of a container with such an element.
pub(super) fn container(name: &str, element: Option<Chain>) -> Option<Chain> {
    let class = |of: &Chain| of.class(|_| false).map(str::to_owned);
    match element.and_then(|element| Chain::one_of_types([Some(element)], class)) {
        Some(element) => Some(Chain::with_arguments(name, &[Some(element)], class)),
        None => chain::instance(name),
    }
}

/// Returns the last statement of a body, without its `rescue` and the like.
pub(super) fn last_statement(body: Node<'_>) -> Option<Node<'_>> {
    let mut children = (0..body.named_child_count() as u32).rev();
    children.find_map(|at| {
        let child = body.named_child(at)?;
        let is_value = !matches!(child.kind_name(), "rescue" | "ensure" | "else" | "comment");
        is_value.then_some(child)
    })
}
