//! Specifications of Ruby (RSpec and the like): the names that `let(:name) { … }` and `subject { … }` define
//! in a group are local names of its block.

use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

use super::macros;
use super::value::{self, DEPTH_MAX, last_statement};

/// Declares the name that the visited call defines in a group.
pub(super) fn memoized(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (Some(word), Some(block)) = (node.field("method"), node.field("block")) else { return };
    let is_subject = match visit.bytes(word) {
        b"let" | b"let!" | b"given" | b"given!" => false,
        b"subject" | b"subject!" => true,
        _ => return,
    };
    // In a class, they are methods of the program.
    if visit.enclosing().is_some() {
        return;
    }
    let last = block.field("body").and_then(last_statement);
    let value = last.and_then(|last| value::of(visit, notes, last, DEPTH_MAX));
    let value = value::known(value);
    let first = node.field("arguments").and_then(|list| list.named_child(0));
    if let Some((_, span)) = first.and_then(|first| macros::name_of(visit, first)) {
        notes.declare_span(span, value.clone());
    }
    if is_subject {
        let word = word.start_byte()..word.start_byte() + "subject".len();
        notes.declare_span(word, value);
    }
}
