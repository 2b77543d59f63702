//! Methods that are named by a symbol: `alias a b`, `method(:a)`, `before_action :a`, `send(:a)`,
//! `each(&:a)`.

use tree_sitter::Node;

use super::macros;
use super::value::{self, DEPTH_MAX, ELEMENT_CALLBACKS};
use crate::lang::chain::{self, Protocol};
use crate::lang::facts::{Chain, Role};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

/// Maximum number of arguments of one call that are considered.
const NAMES_MAX: u32 = 64;

/// Calls in the body of a class whose symbols name methods without using them.
const NOT_USES: [&str; 13] = [
    "autoload",
    "module_function",
    "private",
    "private_class_method",
    "private_constant",
    "protected",
    "public",
    "public_class_method",
    "public_constant",
    "remove_method",
    "require",
    "ruby2_keywords",
    "undef_method",
];

/// Options whose symbol names a method that is called.
const OPTIONS: [&[u8]; 3] = [b"if", b"unless", b"with"];

/// Records the method that the visited `alias new old` gives another name.
pub(super) fn aliased(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(old) = visit.node().field("alias") else { return };
    let receiver = own(visit);
    match old.kind_name() {
        "identifier" | "constant" => notes.refer(visit, old, Role::Read, receiver),
        _ => symbol(visit, notes, old, Role::Read, receiver),
    }
}

/// Records the methods that symbols of the visited call name.
pub(super) fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (Some(method), Some(list)) = (node.field("method"), node.field("arguments")) else {
        return;
    };
    let object = node.field("receiver");
    let last = list.named_child_count().checked_sub(1);
    let last = last.and_then(|last| list.named_child(u32::try_from(last).ok()?));
    if let Some(of_block) = last.filter(|last| last.kind_name() == "block_argument") {
        let is_each = ELEMENT_CALLBACKS.contains(&visit.bytes(method));
        let of = object.filter(|_| is_each);
        let of = of.and_then(|of| value::of(visit, notes, of, DEPTH_MAX));
        let of = chain::yielded(of, Protocol::Iterate);
        if let Some(name) = of_block.named_child(0) {
            symbol(visit, notes, name, Role::Call, chain::receiver(of));
        }
    }
    match &*visit.text(method) {
        "__send__" | "public_send" | "send" => {
            let of = match object {
                Some(of) => chain::receiver(value::of(visit, notes, of, DEPTH_MAX)),
                None => own(visit),
            };
            if let Some(first) = list.named_child(0) {
                symbol(visit, notes, first, Role::Call, of);
            }
        }
        "method" | "public_method" => {
            let of = match object {
                Some(of) => chain::receiver(value::of(visit, notes, of, DEPTH_MAX)),
                None => own(visit),
            };
            if let Some(first) = list.named_child(0) {
                symbol(visit, notes, first, Role::Read, of);
            }
        }
        "alias_method" if object.is_none() => {
            if let Some(old) = list.named_child(1) {
                symbol(visit, notes, old, Role::Read, own(visit));
            }
        }
        word if object.is_none()
            && visit.defined.is_empty()
            && is_in_type(visit)
            && !NOT_USES.contains(&word) =>
        {
            listed(visit, notes, list);
        }
        _ => {}
    }
}

/// Records the methods that the arguments of a call in the body of a type name.
fn listed(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, list: Node<'_>) {
    for argument in (0..NAMES_MAX).map_while(|at| list.named_child(at)) {
        let is_option =
            || argument.field("key").is_some_and(|key| OPTIONS.contains(&visit.bytes(key)));
        let name = match argument.kind_name() {
            "pair" if is_option() => argument.field("value"),
            _ => Some(argument),
        };
        if let Some(name) = name.filter(|name| name.kind_name() == "simple_symbol") {
            symbol(visit, notes, name, Role::Read, own(visit));
        }
    }
}

/// Returns true for a call in the body of a class or module, or of a block of one that its users run
/// (`included do … end`).
fn is_in_type(visit: &Visit<'_, '_>) -> bool {
    let is_type = visit.enclosing_kind().is_some_and(|kind| !kind.is_callable());
    let is_body = match visit.ancestor_kind(2) {
        "class" | "module" => true,
        "do_block" => {
            let call = visit.ancestor(3).and_then(|call| call.field("method"));
            call.is_some_and(|word| visit.bytes(word) == b"included")
        }
        _ => false,
    };
    is_type && is_body && visit.ancestor_kind(1) == "body_statement"
}

/// Returns the receiver of a method that is named without one: an instance of the enclosing type, of
/// which the body is not a method.
fn own(visit: &Visit<'_, '_>) -> Option<Chain> {
    let around = visit.enclosing()?;
    if around.kind.is_callable() {
        return around.parent.is_some().then(Chain::own);
    }
    let is_of_type = visit.ancestor_kind(2) == "singleton_class";
    if is_of_type { Some(Chain::own()) } else { chain::instance(&around.name) }
}

/// Records the name that a symbol or string contains.
fn symbol(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    node: Node<'_>,
    role: Role,
    receiver: Option<Chain>,
) {
    if let Some((_, span)) = macros::name_of(visit, node) {
        notes.refer_span(visit, span, role, receiver, None);
    }
}
