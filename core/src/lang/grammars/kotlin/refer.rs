//! Kotlin references: records calls, imports, bases, local names and declared types.

use tree_sitter::Node;

use super::values::{self, TYPES};
use super::{annotations, locals, uses};
use crate::lang::chain::{self, Step};
use crate::lang::facts::{Chain, Role};
use crate::lang::grammars::{mentions, modifiers};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Node kinds that open a scope for local names.
pub(super) const SCOPES: &[&str] = &[
    "class_declaration",
    "function_declaration",
    "secondary_constructor",
    "anonymous_initializer",
    "anonymous_function",
    "lambda_literal",
    "getter",
    "setter",
    "for_statement",
    "catch_block",
    "block",
    "when_entry",
];

/// Maximum number of parentheses around a reference.
const LEVELS_MAX: usize = 16;

/// Records what the visited node imports, declares, extends or calls.
pub(super) fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "package_header" => {
            let name = modifiers::child(node, &["qualified_identifier"]);
            notes.package = name.map(|name| mentions::path(visit, name));
        }
        "import" => import(visit, notes),
        "class_declaration" | "object_declaration" | "companion_object" => {
            annotations::calls(visit, notes);
            locals::type_parameters(visit, notes);
            bases(visit, notes);
        }
        "getter" | "setter" => locals::hide_class_parameters(visit, notes),
        "function_declaration" => {
            annotations::calls(visit, notes);
            locals::hide_class_parameters(visit, notes);
            locals::type_parameters(visit, notes);
            locals::result(visit, notes);
        }
        "function_body" => locals::body(visit, notes),
        "class_parameter" => locals::class_parameter(visit, notes),
        "type_alias" => locals::alias(visit, notes),
        "property_declaration" => {
            annotations::calls(visit, notes);
            locals::property(visit, notes);
        }
        "parameter" => locals::parameter(visit, notes),
        "for_statement" | "catch_block" => locals::bound(visit, notes),
        "lambda_literal" => locals::lambda(visit, notes),
        "if_expression" | "binary_expression" | "when_entry" => locals::narrow(visit, notes),
        "call_expression" => {
            call(visit, notes);
            locals::narrow(visit, notes);
        }
        "callable_reference" => reference(visit, notes),
        "navigation_expression" => {
            reference(visit, notes);
            uses::member(visit, notes);
        }
        "identifier" => uses::name(visit, notes),
        "object_literal" => bases(visit, notes),
        "infix_expression" => {
            let (of, name) = (node.named_child(0), node.named_child(1));
            if let (Some(of), Some(name)) = (of, name.filter(|of| of.kind_name() == "identifier")) {
                let receiver = chain::receiver(values::of(visit, notes, of));
                notes.call(visit, name, receiver, 1);
            }
        }
        "constructor_invocation" => {
            if let Some(of) = modifiers::child(node, TYPES) {
                let path = values::type_name(visit, notes, of).unwrap_or_default();
                let path = chain::without_arguments(&path);
                let last =
                    modifiers::children(of).filter(|of| of.kind_name() == "identifier").last();
                let before = path.split_member().map(|(before, _)| before);
                if let Some(last) = last {
                    notes.call(visit, last, before, arguments(node));
                }
            }
        }
        "constructor_delegation_call" => {
            let Some(word) = modifiers::child(node, &["this", "super"]) else { return };
            let of = if word.kind_name() == "super" { Chain::base() } else { Chain::own() };
            notes.call(visit, word, Some(of), arguments(node));
        }
        _ => {}
    }
}

fn arguments(call: Node<'_>) -> usize {
    let list = modifiers::child(call, &["value_arguments"]);
    let listed = list.into_iter().flat_map(modifiers::children);
    let listed = listed.filter(|part| part.kind_name() == "value_argument").count();
    listed + usize::from(modifiers::child(call, &["annotated_lambda"]).is_some())
}

fn call(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    // The inner one of both calls is recorded.
    if values::plain(node).id() != node.id() {
        return;
    }
    let Some((name, of)) = values::callee(node) else { return };
    let around = visit.ancestor(1).filter(|around| around.kind_name() == "call_expression");
    let has_lambda = around
        .is_some_and(|around| values::plain(around).id() == node.id() && around.id() != node.id());
    let count = arguments(node) + usize::from(has_lambda);
    let receiver = match of {
        Some(of) => chain::receiver(values::of(visit, notes, of)),
        // A call of a local variable does not refer to a definition.
        None if matches!(notes.local(visit.bytes(name)), NameLookup::Local(_)) => return,
        None => match notes.local(locals::RECEIVER) {
            NameLookup::Local(of) => of.map(|of| of.clone().then(Step::Member("this"))),
            NameLookup::NotLocal => None,
        },
    };
    // A name in backticks is known without them.
    let mut span = name.byte_range();
    if visit.bytes(name).starts_with(b"`") && span.len() > 2 {
        span = span.start + 1..span.end - 1;
    }
    let count = u8::try_from(count).unwrap_or(u8::MAX);
    notes.refer_span(visit, span, Role::Call, receiver, Some(count));
}

/// Records the visited `::h`, `a::h` or `A::h`: a function or property as a value, or, in parentheses
/// before arguments, a call.
fn reference(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some((name, of)) = values::referenced(node) else { return };
    let receiver = match of {
        Some(of) if TYPES.contains(&of.kind_name()) => {
            chain::receiver(values::type_name(visit, notes, of).map(Chain::name))
        }
        Some(of) => chain::receiver(values::of(visit, notes, of)),
        None if matches!(notes.local(visit.bytes(name)), NameLookup::Local(_)) => return,
        None => match notes.local(locals::RECEIVER) {
            NameLookup::Local(of) => of.map(|of| of.clone().then(Step::Member("this"))),
            NameLookup::NotLocal => None,
        },
    };
    let levels = (1..LEVELS_MAX)
        .take_while(|&level| visit.ancestor_kind(level) == "parenthesized_expression")
        .count();
    let call = visit.ancestor(levels + 1).filter(|call| {
        levels > 0
            && call.kind_name() == "call_expression"
            && call.start_byte() == visit.ancestor(levels).map_or(0, |of| of.start_byte())
    });
    match call {
        Some(call) => notes.call(visit, name, receiver, arguments(call)),
        None => notes.refer(visit, name, Role::Read, receiver),
    }
}

fn import(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(written) = modifiers::child(node, &["qualified_identifier"]) else { return };
    // Members of a companion object count as members of the class.
    let path = mentions::path(visit, written).replace(".Companion", "");
    if modifiers::child(node, &["*"]).is_some() {
        return mentions::import(visit, notes, path, vec![mentions::imported("*", None)]);
    }
    let last = modifiers::children(written).filter(|of| of.kind_name() == "identifier").last();
    if let (Some(last), Some((module, _))) = (last, path.rsplit_once('.')) {
        notes.refer(visit, last, Role::Import, Some(Chain::name(module)));
    }
    let alias = modifiers::child(node, &["identifier"]).map(|alias| visit.text_of(alias));
    mentions::import_last(visit, notes, &path, '.', alias);
}

fn bases(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(list) = modifiers::child(visit.node(), &["delegation_specifiers"]) else { return };
    for specifier in modifiers::children(list) {
        let inner = ["constructor_invocation", "explicit_delegation"];
        let of = modifiers::child(specifier, &inner).unwrap_or(specifier);
        if let Some(of) = modifiers::child(of, &["user_type"]) {
            mentions::base(visit, notes, of);
        }
    }
}
