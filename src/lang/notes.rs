//! What a language's `refer` rule writes down while a syntax tree is walked, and the local names
//! that it may ask for.
//!
//! The walk opens a scope at each node of [`super::Language::scopes`] and closes it behind the node.
//! A rule declares the names of parameters and local variables as it meets them, which is before
//! their uses in all but odd programs.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use super::facts::{CHAIN_BYTES_MAX, Chain, Import, Reference, Role};
use super::visit::Visit;

/// References of one file that are kept.
const REFERENCES_MAX: usize = 1 << 20;

/// Imports of one file that are kept.
const IMPORTS_MAX: usize = 1 << 16;

/// What has been written down so far.
pub(super) struct Notes<'a> {
    text: &'a [u8],
    pub(super) references: Vec<Reference>,
    pub(super) imports: Vec<Import>,
    pub(super) package: Option<String>,
    /// Chains of symbols, by their place: what a call returns, what a field or constant holds.
    pub(super) types: Vec<(usize, Chain)>,
    /// Base types of symbols, by their place.
    pub(super) bases: Vec<(usize, Chain)>,
    /// Names declared in the open scopes, innermost last.
    locals: Vec<(&'a [u8], Option<Chain>)>,
    /// Where each name stands in `locals`, innermost last.
    places: HashMap<&'a [u8], Vec<usize>>,
    /// For each open scope, how many frames and locals there were before it.
    scopes: Vec<(usize, usize)>,
    /// Names that are to be declared where the walk has come to a byte.
    pending: Vec<Pending<'a>>,
    /// Up to this byte nothing more is asked of the rule.
    done: usize,
}

/// A name to be declared later.
struct Pending<'a> {
    from: usize,
    name: &'a [u8],
    chain: Option<Chain>,
    /// How many scopes were open.
    depth: usize,
}

/// What a name stands for in the place that is visited.
#[derive(Debug)]
pub(super) enum Local<'n> {
    /// A parameter or local variable, and how it came about, if that is known.
    Is(Option<&'n Chain>),
    /// Something from outside of functions.
    Not,
}

impl<'a> Notes<'a> {
    pub(super) fn new(text: &'a [u8]) -> Notes<'a> {
        Notes {
            text,
            references: Vec::new(),
            imports: Vec::new(),
            package: None,
            types: Vec::new(),
            bases: Vec::new(),
            locals: Vec::new(),
            places: HashMap::new(),
            scopes: Vec::new(),
            pending: Vec::new(),
            done: 0,
        }
    }

    /// Notes that the identifier `name` is used as `role` says.
    pub(super) fn refer(
        &mut self,
        visit: &Visit<'_, '_>,
        name: Node<'_>,
        role: Role,
        receiver: Option<Chain>,
    ) {
        self.refer_span(visit, name.byte_range(), role, receiver, None);
    }

    /// Notes a call of the identifier `name` with a number of arguments.
    pub(super) fn call(
        &mut self,
        visit: &Visit<'_, '_>,
        name: Node<'_>,
        receiver: Option<Chain>,
        arguments: usize,
    ) {
        let arguments = u8::try_from(arguments).unwrap_or(u8::MAX);
        self.refer_span(visit, name.byte_range(), Role::Call, receiver, Some(arguments));
    }

    /// Notes a use of the identifier in `span`.
    pub(super) fn refer_span(
        &mut self,
        visit: &Visit<'_, '_>,
        span: Range<usize>,
        role: Role,
        receiver: Option<Chain>,
        arguments: Option<u8>,
    ) {
        if span.is_empty() || self.references.len() >= REFERENCES_MAX {
            return;
        }
        let receiver = receiver.map(|chain| match chain.len() <= CHAIN_BYTES_MAX {
            true => chain,
            false => "?".to_owned(),
        });
        let enclosing = visit.enclosing_place();
        self.references.push(Reference { span, role, receiver, enclosing, arguments });
    }

    /// Notes an import.
    pub(super) fn import(&mut self, import: Import) {
        if self.imports.len() < IMPORTS_MAX {
            self.imports.push(import);
        }
    }

    /// Notes how the value of the symbol at `place` comes about, or what a call of it returns.
    pub(super) fn set_type(&mut self, place: usize, chain: Chain) {
        if chain.len() <= CHAIN_BYTES_MAX {
            self.types.push((place, chain));
        }
    }

    /// Notes that the symbol at `place` extends or implements `chain`.
    pub(super) fn add_base(&mut self, place: usize, chain: Chain) {
        if chain.len() <= CHAIN_BYTES_MAX {
            self.bases.push((place, chain));
        }
    }

    /// Declares a parameter or local variable in the innermost open scope. Outside of all scopes
    /// nothing is local.
    pub(super) fn declare(&mut self, name: Node<'_>, chain: Option<Chain>) {
        if self.scopes.is_empty() {
            return;
        }
        let name = &self.text[name.byte_range()];
        let chain = chain.filter(|chain| chain.len() <= CHAIN_BYTES_MAX);
        self.places.entry(name).or_default().push(self.locals.len());
        self.locals.push((name, chain));
    }

    /// Declares a local variable from the byte `from` of the innermost open scope on; before that, its
    /// name stands for what it stood for: in `let x = x.y()` the value does not see the new `x`.
    pub(super) fn declare_from(&mut self, name: Node<'_>, chain: Option<Chain>, from: usize) {
        if self.scopes.is_empty() {
            return;
        }
        let name = &self.text[name.byte_range()];
        let chain = chain.filter(|chain| chain.len() <= CHAIN_BYTES_MAX);
        self.pending.push(Pending { from, name, chain, depth: self.scopes.len() });
    }

    /// Returns true if what is declared here is local.
    pub(super) fn is_local(&self) -> bool {
        !self.scopes.is_empty()
    }

    /// Says that the rule has noted all that `node` refers to, so that it is not called for what is
    /// inside.
    pub(super) fn finish(&mut self, node: Node<'_>) {
        self.done = self.done.max(node.end_byte());
    }

    /// Returns true if the rule has noted what the byte `at` refers to.
    pub(super) fn is_finished(&self, at: usize) -> bool {
        at < self.done
    }

    /// Declares what holds from the byte `start` on.
    pub(super) fn settle(&mut self, start: usize) {
        let mut at = 0;
        while at < self.pending.len() {
            // Those of outer scopes wait until the walk is back there.
            if self.pending[at].from <= start && self.pending[at].depth == self.scopes.len() {
                let Pending { name, chain, .. } = self.pending.remove(at);
                self.places.entry(name).or_default().push(self.locals.len());
                self.locals.push((name, chain));
            } else {
                at += 1;
            }
        }
    }

    /// Returns what `name` stands for where the walk is. O(1).
    pub(super) fn local(&self, name: &[u8]) -> Local<'_> {
        match self.places.get(name).and_then(|places| places.last()) {
            Some(&place) => Local::Is(self.locals[place].1.as_ref()),
            None => Local::Not,
        }
    }

    /// Opens a scope at the node whose frame is the `frames`th.
    pub(super) fn open(&mut self, frames: usize) {
        self.scopes.push((frames, self.locals.len()));
    }

    /// Closes the scope that was opened at the `frames`th frame, if one was.
    pub(super) fn close(&mut self, frames: usize) {
        if self.scopes.last().is_none_or(|&(at, _)| at != frames) {
            return;
        }
        let depth = self.scopes.len();
        self.pending.retain(|pending| pending.depth < depth);
        let Some((_, kept)) = self.scopes.pop() else { return };
        for (name, _) in self.locals.drain(kept..).rev() {
            if let Some(places) = self.places.get_mut(name) {
                places.pop();
            }
        }
    }
}
