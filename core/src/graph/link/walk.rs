//! The state and bounds of one resolution.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::code::Code;
use super::hops::Hops;
use super::memo::{Memo, Shared, Stepped};
use super::position::SymbolAt;
use super::value::{Candidate, Place, WrittenType};
use crate::base::ids::FileId;

/// The most steps of one use: look-ups in files and lists.
const STEPS_MAX: u32 = 131_072;

/// How deep bases and chains are followed; chains of re-exports have their own bound
/// ([`mod@super::exports`]).
pub(super) const DEPTH_MAX: usize = 8;

/// The resolution of one use.
pub(super) struct Walk<'a> {
    pub(super) code: &'a dyn Code,
    pub(super) memo: &'a Memo,
    /// Where the use is written.
    pub(super) origin: Cell<Option<Place>>,
    /// The byte at which the use begins; `None` while something is looked up whose result does not
    /// depend on it.
    pub(super) start: Cell<Option<usize>>,
    /// A membership query is running; see [`Walk::nested_query`].
    is_nested: Cell<bool>,
    /// How many values of TypeScript that are bases are followed in each other.
    pub(super) values: Cell<usize>,
    /// The members of the types that include a module are searched.
    pub(super) is_of_users: Cell<bool>,
    /// The types and modules of Ruby whose bases are resolved, with those that are known by now.
    pub(super) open_bases: RefCell<Vec<(SymbolAt, Vec<Candidate>)>>,
    /// The name that is searched in the modules which modules include, and the modules that are visited.
    pub(super) mixins: RefCell<(Box<str>, Vec<SymbolAt>)>,
    /// The type with its arguments whose member's type is followed.
    pub(super) given: RefCell<Option<WrittenType>>,
    /// A bound was reached, so that candidates may be missing.
    pub(super) is_cut: Cell<bool>,
    /// The receiver of the use may be a value of which nothing is known, in addition to known ones.
    pub(super) is_open: Cell<bool>,
    /// The deepest step so far.
    pub(super) deepest: Cell<usize>,
    pub(super) steps: Cell<u32>,
    pub(super) hops: Hops,
}

impl<'a> Walk<'a> {
    pub(super) fn new(code: &'a dyn Code, memo: &'a Memo) -> Walk<'a> {
        Walk {
            code,
            memo,
            origin: Cell::new(None),
            start: Cell::new(None),
            is_nested: Cell::new(false),
            values: Cell::new(0),
            is_of_users: Cell::new(false),
            open_bases: RefCell::new(Vec::new()),
            mixins: RefCell::default(),
            given: RefCell::new(None),
            is_cut: Cell::new(false),
            is_open: Cell::new(false),
            deepest: Cell::new(0),
            steps: Cell::new(STEPS_MAX),
            hops: Hops::default(),
        }
    }

    /// Returns true if no steps are left, so that candidates may be missing.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps.get() == 0
    }

    /// Runs `query` for another name while a name at `depth` is followed. The outermost such query
    /// starts at depth 1, nested ones continue from their depth, so the stack is bounded by twice
    /// the depth.
    pub(super) fn nested_query<T>(&self, depth: usize, query: impl FnOnce(usize) -> T) -> T {
        if self.is_nested.get() {
            return query(depth + 1);
        }
        self.is_nested.set(true);
        let answer = query(1);
        self.is_nested.set(false);
        answer
    }

    /// Runs `query` for the type of a member, with the type arguments of the value that has it.
    pub(super) fn given<T>(&self, member: &Candidate, query: impl FnOnce() -> T) -> T {
        let outer = self.given.replace(member.given.clone());
        let answer = query();
        self.given.replace(outer);
        answer
    }

    /// Returns true while a query of [`Walk::nested_query`] runs.
    pub(super) fn is_nested(&self) -> bool {
        self.is_nested.get()
    }

    /// Takes a step; returns false if none is left or `depth` is too deep.
    pub(super) fn take_step(&self, depth: usize) -> bool {
        let left = self.steps.get();
        self.steps.set(left.saturating_sub(1));
        self.deepest.set(self.deepest.get().max(depth));
        let is_possible = left > 0 && depth <= DEPTH_MAX;
        self.is_cut.set(self.is_cut.get() || !is_possible);
        is_possible
    }

    /// Returns known candidates, if the steps are left that finding them took, or those of `find`, which
    /// `keep` caches unless a bound was reached.
    pub(super) fn stepped(
        &self,
        known: Option<Rc<Stepped>>,
        find: impl FnOnce() -> Vec<Candidate>,
        keep: impl FnOnce(Stepped),
    ) -> Vec<Candidate> {
        let before = self.steps.get();
        if let Some(known) = known.filter(|known| known.steps < before) {
            self.steps.set(before - known.steps);
            self.deepest.set(self.deepest.get().max(known.deepest));
            return known.found.clone();
        }
        let (deepest, is_cut) = (self.deepest.replace(0), self.is_cut.replace(false));
        let found = find();
        if !self.is_cut.get() && !self.is_exhausted() {
            let steps = before - self.steps.get();
            keep(Stepped { found: found.clone(), steps, deepest: self.deepest.get() });
        }
        self.deepest.set(self.deepest.get().max(deepest));
        self.is_cut.set(self.is_cut.get() || is_cut);
        found
    }

    /// Returns the facts of a file, while steps are left.
    pub(super) fn facts(&self, file: FileId) -> Option<Shared> {
        if self.take_step(0) { self.memo.file(self.code, file) } else { None }
    }

    /// Returns the signature of a definition; empty if it is unknown.
    pub(super) fn signature(&self, at: SymbolAt) -> String {
        if self.take_step(0) { self.code.signature(at) } else { String::new() }
    }

    /// Returns the signature of a definition; of a long one, all of it from the name on.
    pub(super) fn untruncated_signature(&self, at: SymbolAt) -> String {
        let signature = self.signature(at);
        if !signature.ends_with('…') {
            return signature;
        }
        let whole = self.symbol(at).and_then(|(facts, place)| {
            let text = self.code.text(at.file)?;
            Some(facts.signature_from_name(&facts.symbols[place], &text))
        });
        whole.unwrap_or(signature)
    }

    /// Returns the facts of the file of `at`, and the symbol's position in it.
    pub(super) fn symbol(&self, at: SymbolAt) -> Option<(Shared, usize)> {
        let facts = self.facts(at.file)?;
        let place = at.place as usize;
        (place < facts.symbols.len()).then_some((facts, place))
    }
}
