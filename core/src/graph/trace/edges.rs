//! A step from one node to another.

use crate::graph::link::{Reason, Site, SymbolAt};
use crate::graph::weights;

/// What an unresolved call costs more if hardly anything supports it.
const UNLIKELY_COST: u32 = 30;

/// How one node leads to the next.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Kind {
    /// It calls it.
    Call,
    /// It calls a method that this one implements or overrides.
    Override,
    /// It reads the value: a table or variable with what is stored there.
    Value,
    /// It passes or stores the function, which runs when that is called.
    Passed,
    /// It contains the function, which no name calls or passes.
    Contains,
    /// It calls a parameter of its own, or what is stored there, for which a caller passes this.
    Callback,
    /// It uses a value together with which this is registered elsewhere: the name of an event.
    Event,
    /// It calls a member without a body; a function of its name is stored or passed.
    SameName,
    /// It creates an instance, whose method other programs or the library call.
    Library,
    /// An unresolved call that may call it.
    Possible,
}

impl Kind {
    /// Returns how a step leads on, in words.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Call => "an uncertain call",
            Kind::Override => "implements the method",
            Kind::Value => "holds the function",
            Kind::Passed => "passed as a value",
            Kind::Contains => "contains the function",
            Kind::Callback => "calls what is passed here",
            Kind::Event => "registered together with it",
            Kind::SameName => "a function of this name",
            Kind::Library => "called by other code on the instance",
            Kind::Possible => "unresolved, may call it",
        }
    }

    /// Returns the kind as one word, as replies name it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Call => "call",
            Kind::Override => "override",
            Kind::Value => "value",
            Kind::Passed => "passed",
            Kind::Contains => "contains",
            Kind::Callback => "callback",
            Kind::Event => "event",
            Kind::SameName => "same_name",
            Kind::Library => "library",
            Kind::Possible => "possible",
        }
    }

    /// Returns true for steps that only a name supports: they are shown where nothing else leads on.
    pub(super) fn is_guess(self) -> bool {
        matches!(self, Kind::SameName | Kind::Possible)
    }

    /// Returns true for steps that are guesses from names.
    pub(super) fn is_doubtful(self) -> bool {
        matches!(self, Kind::Event | Kind::SameName | Kind::Library | Kind::Possible)
    }

    /// Returns what a step costs: a chain with a lower sum is preferred. A plain call costs 10, so
    /// that one doubtful step is taken for up to three certain ones more.
    pub(super) fn cost(self) -> u32 {
        match self {
            Kind::Call => 10,
            Kind::Override => 11,
            Kind::Value => 15,
            Kind::Passed => 13,
            Kind::Contains => 14,
            Kind::Callback => 16,
            Kind::Event => 18,
            Kind::SameName => 22,
            Kind::Library => 25,
            Kind::Possible => 40,
        }
    }
}

/// A step from a node to another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Where it begins.
    pub from: SymbolAt,
    /// Where it leads.
    pub to: SymbolAt,
    /// How it leads there.
    pub kind: Kind,
    /// The use of a name that leads there; `None` for [`Kind::Contains`] and [`Kind::Library`].
    /// For [`Kind::Value`] and [`Kind::Callback`] it may be in another function.
    pub site: Option<Site>,
    /// The method that is called, where another one implements it.
    pub through: Option<SymbolAt>,
    /// The confidence of the link, from 0 to 1.
    pub confidence: f32,
    /// The reason of the link; `None` where no name is resolved.
    pub reason: Option<Reason>,
    /// Of [`Kind::Callback`], the functions through whose parameters it is passed, each with the call that
    /// passes it: first the one that calls its parameter.
    pub passed: Vec<(SymbolAt, Site)>,
}

impl Edge {
    /// Returns what the step costs: an unresolved call that hardly refers to its target costs more.
    pub(super) fn cost(&self) -> u32 {
        let is_unlikely = self.kind == Kind::Possible && self.confidence < weights::UNBOUND;
        self.kind.cost() + if is_unlikely { UNLIKELY_COST } else { 0 }
    }
}

/// A call of a node that is neither resolved nor known to leave the repository.
#[derive(Clone, Debug, PartialEq)]
pub struct Open {
    /// The node that contains it.
    pub from: SymbolAt,
    /// The called name.
    pub name: String,
    /// The call.
    pub site: Site,
}
