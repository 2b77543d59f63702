//! What an answer rests on. No number: a calibration maps these to probabilities.

/// Why a use links to a definition, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Evidence {
    /// A scope around the use declares it.
    Scope,
    /// An import names it, or another file of the module or tree declares it.
    Import,
    /// A member of a type that is written.
    DeclaredType,
    /// A member of a type that was inferred.
    InferredType,
    /// A member of a base of the type.
    ThroughBase,
    /// A member of an interface, or of a bound.
    SatisfiedInterface,
    /// The only definition of the name.
    UniqueName,
    /// A definition of a similar name.
    SimilarName,
}

/// How many definitions the use may link to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Choice {
    /// This one.
    Only,
    /// One of those in the answer.
    Several,
    /// Perhaps one that is not in the answer.
    Open,
}
