//! Candidates: what a name or chain may refer to, and the bounds of one resolution.

use std::cell::Cell;
use std::rc::Rc;

use super::code::{Code, SymbolAt};
use super::memo::{Memo, Shared};
use super::result::{Link, Reason};
use crate::base::ids::FileId;

/// The most steps of one use: look-ups in files and lists.
const STEPS_MAX: u32 = 4096;

/// How deep imports, bases and chains are followed.
pub(super) const DEPTH_MAX: usize = 8;

/// The most candidates that are followed at once.
pub(super) const VALUES_MAX: usize = 16;

/// Where a name is written: its file and the enclosing symbol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) file: FileId,
    pub(super) enclosing: Option<usize>,
}

/// A type as it is written in some file.
#[derive(Clone, Debug)]
pub(super) struct WrittenType {
    pub(super) place: Place,
    pub(super) text: Rc<str>,
}

/// What a name or chain refers to.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A definition itself: a class, a function, a field.
    Name(SymbolAt),
    /// A file as a module, or the package that it belongs to.
    Module(FileId),
    /// A value of the type, with the type arguments that are written.
    Instance(SymbolAt, Option<WrittenType>),
    /// A value of a type from outside of the repository.
    Foreign(WrittenType),
    /// A method of such a value. If the flag is set, a call returns the value's content, otherwise
    /// the value itself.
    ForeignMethod(WrittenType, bool),
    /// A function of a written type.
    Callback(WrittenType),
    /// Something from outside of the repository, of unknown type.
    Outside,
}

/// A candidate with its confidence and reason.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) value: Value,
    pub(super) confidence: f32,
    pub(super) reason: Reason,
    /// The type through whose instance a member was reached: `$` in the member's chain.
    pub(super) via: Option<SymbolAt>,
}

impl Candidate {
    pub(super) fn new(value: Value, confidence: f32, reason: Reason) -> Candidate {
        Candidate { value, confidence, reason, via: None }
    }

    /// Returns the candidate with another value and a lower confidence.
    pub(super) fn then(&self, value: Value, factor: f32) -> Candidate {
        let confidence = self.confidence * factor;
        Candidate { value, confidence, reason: self.reason, via: self.via }
    }

    /// Returns the type of the value.
    pub(super) fn of_type(&self) -> Option<Candidate> {
        match self.value {
            Value::Instance(of, _) => Some(self.then(Value::Name(of), 1.0)),
            _ => None,
        }
    }

    /// Returns the link to the candidate's definition.
    pub(super) fn link(&self) -> Option<Link> {
        match self.value {
            Value::Name(to) => Some(Link { to, confidence: self.confidence, reason: self.reason }),
            _ => None,
        }
    }
}

/// The resolution of one use.
pub(super) struct Walk<'a> {
    pub(super) code: &'a dyn Code,
    pub(super) memo: &'a Memo,
    steps: Cell<u32>,
    /// A membership query is running; see [`Walk::nested_query`].
    is_nested: Cell<bool>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(code: &'a dyn Code, memo: &'a Memo) -> Walk<'a> {
        Walk { code, memo, steps: Cell::new(STEPS_MAX), is_nested: Cell::new(false) }
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

    /// Takes a step; returns false if none is left or `depth` is too deep.
    pub(super) fn take_step(&self, depth: usize) -> bool {
        let left = self.steps.get();
        self.steps.set(left.saturating_sub(1));
        left > 0 && depth <= DEPTH_MAX
    }

    /// Returns the facts of a file, while steps are left.
    pub(super) fn facts(&self, file: FileId) -> Option<Shared> {
        if self.take_step(0) { self.memo.file(self.code, file) } else { None }
    }

    /// Returns the signature of a definition; empty if it is unknown.
    pub(super) fn signature(&self, at: SymbolAt) -> String {
        if self.take_step(0) { self.code.signature(at) } else { String::new() }
    }

    /// Returns the facts of the file of `at`, and the symbol's position in it.
    pub(super) fn symbol(&self, at: SymbolAt) -> Option<(Shared, usize)> {
        let facts = self.facts(at.file)?;
        let place = at.place as usize;
        (place < facts.symbols.len()).then_some((facts, place))
    }
}
