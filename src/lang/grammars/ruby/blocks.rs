//! Blocks of Ruby: what a method passes to its block by `yield a` or `block.call(a)`, or passes on to
//! another method with `each(&block)`.
//!
//! Each argument is recorded as a base of the method: its chain, followed by the step `(N)` with its
//! number.

use tree_sitter::Node;

use crate::lang::chain::{self, Step};
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
    if ELEMENT_CALLBACKS.contains(&visit.bytes(method)) {
        record(visit, notes, 0, chain::element(of));
    } else if let Some(passing) = method_chain(visit, notes, node) {
        for number in 0..2 {
            record(visit, notes, number, Some(passing.clone().then(Step::Parameter(number))));
        }
    }
}

/// Returns the chain of the method that the block with the visited parameters is passed to.
pub(super) fn passing(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let call = visit.ancestor(2).filter(|call| call.kind_name() == "call")?;
    method_chain(visit, notes, call)
}

/// Returns the chain of the method that a call calls.
fn method_chain(visit: &Visit<'_, '_>, notes: &Notes<'_>, call: Node<'_>) -> Option<Chain> {
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
        None => Chain::name(String::from_utf8_lossy(name)),
    };
    chain.bounded()
}

fn arguments(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, list: Option<Node<'_>>) {
    let Some(list) = list else { return };
    for number in 0..ARGUMENTS_MAX {
        let Some(argument) = list.named_child(number) else { return };
        let value = value::of(visit, notes, argument, DEPTH_MAX);
        record(visit, notes, number as usize, value::known(value));
    }
}

/// Records an argument that the method around the visited node passes to its block.
fn record(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, number: usize, value: Option<Chain>) {
    let method = visit.enclosing().filter(|symbol| symbol.kind.is_callable());
    let (Some(_), Some(index), Some(value)) = (method, visit.enclosing_index(), value) else {
        return;
    };
    let passed = value.then(Step::Parameter(number));
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
