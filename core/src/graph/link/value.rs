//! Candidates: what a name or chain may refer to.

use std::rc::Rc;

use super::position::SymbolAt;
use super::result::{Link, Reason};
use crate::base::ids::FileId;
use crate::lang::chain::TypeText;

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

impl WrittenType {
    /// Returns the view of the type's path and arguments.
    pub(super) fn of(&self) -> TypeText<'_> {
        TypeText::of(&self.text)
    }
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
    /// A method of such a value of which the library states what it returns. `is_read` is set if it may be
    /// a member that is read without a call.
    ForeignMethod { results: Rc<[Candidate]>, is_read: bool },
    /// A function of a written type.
    Callback(WrittenType),
    /// Something from outside of the repository, of unknown type.
    Outside,
}

/// Whether a candidate is one of several values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Choice {
    /// No other value is known to be possible.
    Only,
    /// It follows from some of the alternatives, each of which is known: one bit for each.
    OneOf { which: u8, all: u8 },
    /// Another value is possible, which may be unknown.
    Open,
}

impl Choice {
    /// Returns the choice of what follows from a candidate with another choice.
    pub(super) fn and(self, other: Choice) -> Choice {
        match (self, other) {
            (Choice::Only, choice) | (choice, Choice::Only) => choice,
            _ if self == other => self,
            _ => Choice::Open,
        }
    }
}

/// A candidate with its confidence and reason.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) value: Value,
    pub(super) confidence: f32,
    pub(super) reason: Reason,
    /// The type through whose instance a member was reached: `$` in the member's chain.
    pub(super) via: Option<SymbolAt>,
    /// The type with its arguments through whose instance a member was reached.
    pub(super) given: Option<WrittenType>,
    /// It counts as outside only because something of the repository could not be followed.
    pub(super) is_lost: bool,
    /// Whether other values are possible, of which nothing selects one.
    pub(super) choice: Choice,
    /// The function of JavaScript that returns a class around this one; members of that class override
    /// those of this one.
    pub(super) around: Option<SymbolAt>,
}

impl Candidate {
    pub(super) fn new(value: Value, confidence: f32, reason: Reason) -> Candidate {
        Candidate {
            value,
            confidence,
            reason,
            via: None,
            given: None,
            is_lost: false,
            choice: Choice::Only,
            around: None,
        }
    }

    /// Returns the candidate with another value and a lower confidence.
    pub(super) fn then(&self, value: Value, factor: f32) -> Candidate {
        let confidence = self.confidence * factor;
        Candidate { value, confidence, ..self.clone() }
    }

    /// Returns true for something from outside of the repository, as far as that is certain.
    pub(super) fn is_outside(&self) -> bool {
        let is_outside =
            matches!(self.value, Value::Outside | Value::Foreign(_) | Value::ForeignMethod { .. });
        is_outside && !self.is_lost
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
