//! What a name or chain may stand for while it is followed, and the bound on following.

use std::cell::Cell;
use std::rc::Rc;

use super::code::{Code, SymbolAt};
use super::memo::{Memo, Shared};
use super::result::{Link, Reason};
use crate::base::ids::FileId;

/// Steps that one use may take: look-ups in files and lists.
const STEPS_MAX: u32 = 4096;

/// How deep imports, bases and chains are followed.
pub(super) const DEPTH_MAX: usize = 8;

/// Meanings that are followed at once.
pub(super) const VALUES_MAX: usize = 16;

/// Where a name is written: its file and the symbol around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) file: FileId,
    pub(super) enclosing: Option<usize>,
}

/// A type as it is written somewhere, without the `@`.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) place: Place,
    pub(super) text: Rc<str>,
}

/// What a name or chain may stand for.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A definition itself: a class, a function, a field.
    Name(SymbolAt),
    /// A file as a module, or the package that it is of.
    Module(FileId),
    /// A value of the type, with the arguments that it is written with.
    Instance(SymbolAt, Option<Written>),
    /// A value of a type from elsewhere.
    Foreign(Written),
    /// A method of such a value: a call gives the value again, or what it holds.
    ForeignMethod(Written, bool),
    /// A function of the type that is written.
    Callback(Written),
    /// Something from elsewhere of which no more is known.
    Outside,
}

/// A meaning, how sure it is, and why.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) value: Value,
    pub(super) confidence: f32,
    pub(super) reason: Reason,
    /// The type through whose instance a member was reached: what `$` is in the member's chain.
    pub(super) via: Option<SymbolAt>,
}

impl Held {
    pub(super) fn new(value: Value, confidence: f32, reason: Reason) -> Held {
        Held { value, confidence, reason, via: None }
    }

    /// Returns the meaning with another value, somewhat less sure.
    pub(super) fn then(&self, value: Value, factor: f32) -> Held {
        let confidence = self.confidence * factor;
        Held { value, confidence, reason: self.reason, via: self.via }
    }

    /// Returns the type that the value is of.
    pub(super) fn of_type(&self) -> Option<Held> {
        match self.value {
            Value::Instance(of, _) => Some(self.then(Value::Name(of), 1.0)),
            _ => None,
        }
    }

    /// Returns the definition that is meant, as a link.
    pub(super) fn link(&self) -> Option<Link> {
        match self.value {
            Value::Name(to) => Some(Link { to, confidence: self.confidence, reason: self.reason }),
            _ => None,
        }
    }
}

/// One use being resolved.
pub(super) struct Walk<'a> {
    pub(super) code: &'a dyn Code,
    pub(super) memo: &'a Memo,
    steps: Cell<u32>,
    /// Whether a member is a type's is being asked.
    is_asking: Cell<bool>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(code: &'a dyn Code, memo: &'a Memo) -> Walk<'a> {
        Walk { code, memo, steps: Cell::new(STEPS_MAX), is_asking: Cell::new(false) }
    }

    /// Returns true if there are no steps left, so that something may have been missed.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps.get() == 0
    }

    /// Asks about a name in the course of following another one at `depth`. The outermost such
    /// question starts anew, those inside of it go on from where they are, so that the stack is
    /// bounded by twice the depth.
    pub(super) fn aside<T>(&self, depth: usize, ask: impl FnOnce(usize) -> T) -> T {
        if self.is_asking.get() {
            return ask(depth + 1);
        }
        self.is_asking.set(true);
        let answer = ask(1);
        self.is_asking.set(false);
        answer
    }

    /// Takes a step; false if there are none left or `depth` is too deep.
    pub(super) fn goes_on(&self, depth: usize) -> bool {
        let left = self.steps.get();
        self.steps.set(left.saturating_sub(1));
        left > 0 && depth <= DEPTH_MAX
    }

    /// Returns the facts of a file, while there are steps left.
    pub(super) fn facts(&self, file: FileId) -> Option<Shared> {
        if self.goes_on(0) { self.memo.file(self.code, file) } else { None }
    }

    /// Returns the signature of a definition; empty if it is not known.
    pub(super) fn signature(&self, at: SymbolAt) -> String {
        if self.goes_on(0) { self.code.signature(at) } else { String::new() }
    }

    /// Returns the file and the definition at `at`.
    pub(super) fn symbol(&self, at: SymbolAt) -> Option<(Shared, usize)> {
        let facts = self.facts(at.file)?;
        let place = at.place as usize;
        (place < facts.symbols.len()).then_some((facts, place))
    }
}
