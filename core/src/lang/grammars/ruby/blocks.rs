//! Blocks of Ruby: what a method passes to its block by `yield a` or `block.call(a)`, or passes on to
//! another method with `each(&block)`.
//!
//! Each argument is recorded as a base of the method: its chain, followed by the step `(N)` with its
//! number.

use tree_sitter::Node;

use crate::lang::chain::{self, Parameter, Protocol, Step};
use crate::lang::facts::Chain;
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

use super::value::{self, DEPTH_MAX, ELEMENT_CALLBACKS};

/// The most arguments of one block, and the most that are recorded of one method.
const ARGUMENTS_MAX: u32 = 4;
const PASSED_MAX: usize = 8;

/// How many nodes lie between a call and the method around it at most.
const LEVELS_MAX: usize = 64;

/// Methods that run their block in their receiver.
const RUNNING_IN: [&[u8]; 6] = [
    b"class_eval",
    b"class_exec",
    b"instance_eval",
    b"instance_exec",
    b"module_eval",
    b"module_exec",
];

/// Functions that run their block in the object itself, or in one that no source shows.
const NOT_FOLLOWED: [&[u8]; 24] = [
    b"after",
    b"around",
    b"assert_raise",
    b"assert_raises",
    b"before",
    b"catch",
    b"context",
    b"describe",
    b"expect",
    b"feature",
    b"it",
    b"lambda",
    b"let",
    b"let!",
    b"loop",
    b"proc",
    b"scenario",
    b"setup",
    b"shared_examples",
    b"specify",
    b"subject",
    b"task",
    b"teardown",
    b"test",
];

/// Returns the implicit receiver of a bare name in the innermost block that may run in another object, of
/// those around the node `levels` above the visited one: `object.this` in `object.instance_eval do … end`,
/// and `function(255).this` in `function do … end`.
pub(super) fn receiver(visit: &Visit<'_, '_>, notes: &Notes<'_>, levels: usize) -> Option<Chain> {
    for level in levels + 1..LEVELS_MAX {
        match visit.ancestor_kind(level) {
            "block" | "do_block" => {}
            "method" => {
                // An instance of the class that the block makes.
                let base = made_class(visit, notes, level + 1)?;
                return base.instance_of().then(Step::Member("this")).bounded();
            }
            "singleton_method" | "class" | "module" | "singleton_class" | "program" => {
                return None;
            }
            _ => continue,
        }
        let call = visit.ancestor(level + 1)?;
        if call.kind_name() != "call" {
            continue;
        }
        if let Some(base) = base_of_made(visit, notes, call) {
            return base.then(Step::Member("this")).bounded();
        }
        let name = visit.bytes(call.field("method")?);
        let of = call.field("receiver");
        if name == b"define_method" && of.is_none() {
            // The block runs in an instance.
            let base = made_class(visit, notes, level + 2)?;
            return base.instance_of().then(Step::Member("this")).bounded();
        }
        let chain = match of {
            _ if NOT_FOLLOWED.contains(&name) => return None,
            Some(of) if RUNNING_IN.contains(&name) => {
                value::known(value::of(visit, notes, of, DEPTH_MAX))?
            }
            None if RUNNING_IN.contains(&name) => return None,
            None if ELEMENT_CALLBACKS.contains(&name) => continue,
            None => Chain::name(String::from_utf8_lossy(name)).then(RECEIVER),
            Some(of) if matches!(of.kind_name(), "constant" | "scope_resolution") => {
                method_chain(visit, notes, call, level + 1)?.then(RECEIVER)
            }
            Some(_) => continue,
        };
        return chain.then(Step::Member("this")).bounded();
    }
    None
}

/// Returns the chain of what `super` at the visited node refers to a method of: the base of the enclosing
/// type, or that of the class which a block around the method makes.
pub(super) fn base_of_method(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Chain {
    for level in 1..LEVELS_MAX {
        match visit.ancestor_kind(level) {
            "method" | "singleton_method" => {
                let is_list = |at: &usize| {
                    let kind = visit.ancestor_kind(*at);
                    !matches!(kind, "body_statement" | "block_body" | "argument_list" | "call")
                };
                let around = (level + 1..LEVELS_MAX).find(is_list);
                let is_in_block = around
                    .is_some_and(|at| matches!(visit.ancestor_kind(at), "block" | "do_block"));
                if !is_in_block {
                    return Chain::base();
                }
                let base = made_class(visit, notes, level + 1);
                return base.map_or_else(Chain::unknown, |base| base.instance_of());
            }
            "class" | "module" | "singleton_class" | "program" => break,
            _ => {}
        }
    }
    Chain::base()
}

/// Returns the base of the class whose body is the innermost block around a method, from `level` on:
/// `Class.new(Base) do … end`.
fn made_class(visit: &Visit<'_, '_>, notes: &Notes<'_>, level: usize) -> Option<Chain> {
    let is_around = |level: &usize| {
        !matches!(visit.ancestor_kind(*level), "body_statement" | "block_body" | "argument_list")
    };
    let block = (level..LEVELS_MAX).find(is_around)?;
    if !matches!(visit.ancestor_kind(block), "block" | "do_block") {
        return None;
    }
    base_of_made(visit, notes, visit.ancestor(block + 1)?)
}

/// Returns the base of the class that a call makes: `Class.new(Base)`.
fn base_of_made(visit: &Visit<'_, '_>, notes: &Notes<'_>, call: Node<'_>) -> Option<Chain> {
    let is_made = call.kind_name() == "call"
        && visit.bytes(call.field("method")?) == b"new"
        && visit.bytes(call.field("receiver")?) == b"Class";
    let base = call.field("arguments").filter(|_| is_made)?.named_child(0)?;
    let is_named = value::is_named(visit, base);
    value::known(value::of(visit, notes, base, DEPTH_MAX)).filter(|_| is_named)
}

const RECEIVER: Step<'_> = Step::Parameter(Parameter::Receiver);

/// Records the arguments of the visited `yield`.
pub(super) fn yielded(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    arguments(visit, notes, visit.node().named_child(0));
}

/// Records the arguments of the visited `block.call(…)`, and what a call that the block is passed on to
/// passes to it.
pub(super) fn called(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let list = node.field("arguments");
    let receiver = node.field("receiver").filter(|it| it.kind_name() == "identifier");
    if let Some(receiver) = receiver {
        let name = node.field("method").map_or(&b"call"[..], |method| visit.bytes(method));
        let is_called = matches!(name, b"call" | b"yield" | b"()");
        if is_called && block(visit) == Some(visit.bytes(receiver)) {
            return arguments(visit, notes, list);
        }
    }
    let Some(list) = list else { return };
    let last = list.named_child((list.named_child_count() as u32).saturating_sub(1));
    let passed = last.filter(|last| last.kind_name() == "block_argument");
    let Some(passed) = passed.and_then(|passed| passed.named_child(0)) else { return };
    if block(visit) != Some(visit.bytes(passed)) {
        return;
    }
    let Some(method) = node.field("method") else { return };
    let of = node.field("receiver").and_then(|it| value::of(visit, notes, it, DEPTH_MAX));
    if let Some(object) = object_of_method(visit, notes, of.as_ref()) {
        return record(visit, notes, Parameter::Receiver, value::known(Some(object)));
    }
    if RUNNING_IN.contains(&visit.bytes(method)) {
        let own = if node.field("receiver").is_none() { Some(Chain::own()) } else { None };
        record(visit, notes, Parameter::Receiver, own.or(value::known(of)));
    } else if ELEMENT_CALLBACKS.contains(&visit.bytes(method)) {
        record(visit, notes, 0.into(), chain::yielded(of, Protocol::Iterate));
    } else if let Some(passing) = method_chain(visit, notes, node, 0) {
        for parameter in [0.into(), 1.into(), Parameter::Receiver] {
            record(visit, notes, parameter, Some(passing.clone().then(Step::Parameter(parameter))));
        }
    }
}

/// Returns the chain of the object in which a block runs that the visited call makes a method:
/// `define_method(:name, &block)`, `Type.send(:define_method, :name, &block)`.
fn object_of_method(visit: &Visit<'_, '_>, notes: &Notes<'_>, of: Option<&Chain>) -> Option<Chain> {
    let node = visit.node();
    let mut word = visit.bytes(node.field("method")?);
    if matches!(word, b"__send__" | b"public_send" | b"send") {
        word = visit.bytes(node.field("arguments")?.named_child(0)?).strip_prefix(b":")?;
    }
    match (word, of) {
        (b"define_singleton_method", Some(of)) => Some(of.clone()),
        (b"define_singleton_method", None) => Some(Chain::own()),
        (b"define_method", Some(of)) if value::is_class(of) => Some(of.instance_of()),
        (b"define_method", None) => {
            if let Some(class) = receiver(visit, notes, 0).as_ref().and_then(Chain::implicit) {
                return Some(class.instance_of()).filter(|_| value::is_class(&class));
            }
            let method = visit.enclosing()?;
            let scope = method.qualified_name.strip_suffix(&method.name)?;
            scope.ends_with('.').then(|| Chain::instance(value::OWN_TYPE))
        }
        _ => None,
    }
}

/// Returns the chain of the method that the block with the visited parameters is passed to.
pub(super) fn passing(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let call = visit.ancestor(2).filter(|call| call.kind_name() == "call")?;
    method_chain(visit, notes, call, 2)
}

/// Returns the chain of the method that a call calls, which is `levels` above the visited node.
fn method_chain(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    call: Node<'_>,
    levels: usize,
) -> Option<Chain> {
    let method = call.field("method")?;
    let name = match visit.bytes(method) {
        b"new" => b"initialize",
        name => name,
    };
    let chain = match call.field("receiver") {
        Some(receiver) => {
            let of = value::known(value::of(visit, notes, receiver, DEPTH_MAX));
            chain::member(of, name)?
        }
        None if matches!(name, b"lambda" | b"loop" | b"proc") => return None,
        None => match receiver(visit, notes, levels).as_ref().and_then(Chain::implicit) {
            Some(of) => chain::member(Some(of), name)?,
            None => Chain::name(String::from_utf8_lossy(name)),
        },
    };
    chain.bounded()
}

fn arguments(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, list: Option<Node<'_>>) {
    let Some(list) = list else { return };
    for number in 0..ARGUMENTS_MAX {
        let Some(argument) = list.named_child(number) else { return };
        let value = value::of(visit, notes, argument, DEPTH_MAX);
        record(visit, notes, Parameter::Numbered(number as usize), value::known(value));
    }
}

/// Records an argument that the method around the visited node passes to its block.
fn record(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    parameter: Parameter,
    value: Option<Chain>,
) {
    let method = visit.enclosing().filter(|symbol| symbol.kind.is_callable());
    let (Some(_), Some(index), Some(value)) = (method, visit.enclosing_index(), value) else {
        return;
    };
    let passed = value.then(Step::Parameter(parameter));
    let of_method = notes.bases.iter().filter(|(at, _)| *at == index);
    if of_method.clone().count() < PASSED_MAX && !of_method.clone().any(|(_, it)| *it == passed) {
        notes.add_base(index, passed);
    }
}

/// Returns the name of the block parameter of the method around the visited node.
fn block<'a>(visit: &Visit<'a, '_>) -> Option<&'a [u8]> {
    let around = (1..LEVELS_MAX).map_while(|level| visit.ancestor(level));
    let method = around
        .into_iter()
        .find(|around| matches!(around.kind_name(), "method" | "singleton_method"))?;
    let parameters = method.field("parameters")?;
    let last = parameters.named_child((parameters.named_child_count() as u32).checked_sub(1)?)?;
    let name = last.field("name").filter(|_| last.kind_name() == "block_parameter")?;
    Some(&visit.text[name.byte_range()])
}
