//! The confidence of each step of a resolution, set by hand.
//!
//! Every number here is a prior. The linker multiplies the weights of the steps of a resolution, and the
//! products only order candidates: what is stated follows from the ground truth (`link/calibration.rs`).
//! Unresolved calls and imports have no counts; they state their prior. Places that have the same
//! evidence share one weight, so that a new number needs a new kind of evidence.

// What the products are compared with.

/// A link is an answer from this confidence on; below, it is a guess, which only queries for unsure
/// results include.
pub const CONFIDENCE_ANSWER: f32 = 0.45;

/// From this confidence on, a definition that is less likely than another one may be meant
/// nevertheless: nothing selects one of the overloads.
pub const CONFIDENCE_OPEN: f32 = 0.3;

/// The most that is stated for the first of several definitions that a use may refer to.
pub(in crate::graph) const CONFIDENCE_UNCERTAIN: f32 = 0.89;

/// The most confidence, before the calibration, of a definition that is one of several.
pub const OPEN_MAX: f32 = 0.62;

/// The difference of the confidences of equally likely alternatives: only their order is different.
pub(in crate::graph) const EQUAL_MAX: f32 = 2e-3;

// Steps that lead to a definition, the strongest first.

/// Next to what is written in the place itself: a member of a base or of a part of a union.
pub(in crate::graph) const BELOW: f32 = 0.99;

/// The least factor of a step between two single values, where steps do not add doubt: Rust, Swift, C#,
/// Go, JavaScript and TypeScript.
pub(in crate::graph) const STEP_LEAST: f32 = 0.985;

/// A type or name that is written where it is followed: `new T()`, `x: T`, `T.member`.
pub(in crate::graph) const WRITTEN: f32 = 0.98;

/// One step from a value to what it leads to: a member, a file of a module, what a parameter receives.
pub(in crate::graph) const STEP: f32 = 0.97;

/// A step that a rule or convention of the language gives, and that is not written.
pub(in crate::graph) const BY_RULE: f32 = 0.95;

/// A member that another place adds to the type: a macro, a companion, a namespace of a project file.
pub(in crate::graph) const ADDED: f32 = 0.93;

/// A step that is right unless something else has the same name or form.
pub(in crate::graph) const LIKELY: f32 = 0.9;

/// Only some of the uses or parts show it: calls that pass a value, implementations of a trait.
pub(in crate::graph) const SHOWN: f32 = 0.85;

/// A step with a known other possibility that is less likely.
pub(in crate::graph) const PLAUSIBLE: f32 = 0.8;

/// Nothing but the name connects the use with a definition that the place can see.
pub(in crate::graph) const BY_NAME: f32 = 0.75;

/// No enclosing scope contains the definition: argument-dependent look-up may find it.
pub(in crate::graph) const OUT_OF_SCOPE: f32 = 0.65;

/// Something that the repository does not show decides whether the definition is meant.
pub(in crate::graph) const DOUBTFUL: f32 = 0.6;

/// Another definition, of which nothing is known, is as likely; the answer is the best that is known.
pub(in crate::graph) const WEAK: f32 = 0.55;

/// One of two that are equally likely: an override for the method that is called, a hidden definition.
pub(in crate::graph) const HALF: f32 = 0.5;

// Factors that order the definitions of one name.

/// A constructor before its type, and a value before the variable that has it.
pub(in crate::graph) const ABOVE: f32 = 1.001;

/// Only an argument of unknown type distinguishes the overload from the best.
pub(in crate::graph) const NEAR: f32 = 0.999;

/// How much less likely each further base, each further directory, and each overload is that the best one
/// does not exclude: less than [`EQUAL_MAX`] in sum.
pub(in crate::graph) const POSSIBLE: f32 = 2e-4;

/// By how much the definition that the default settings of a project select is likelier, and the one that
/// the language uses of several: less than [`EQUAL_MAX`].
pub(in crate::graph) const DEFAULT: f32 = 1e-3;

/// How much less likely an extension of each further base is.
pub(in crate::graph) const PER_BASE: f32 = 1e-3;

/// The order of equal candidates.
pub(in crate::graph) const ORDER: f32 = 1e-5;

/// A declaration, next to a definition; a function, next to a macro that hides it.
pub(in crate::graph) const DECLARED: f32 = 0.98;

/// It comes after others of its kind: an extension after members, another platform after the own one.
pub(in crate::graph) const AFTER: f32 = 0.97;

/// An overload that fits the arguments worse than another one.
pub(in crate::graph) const WORSE: f32 = 0.93;

/// Each of several overloads that fit equally well.
pub(in crate::graph) const UNDECIDED: f32 = 0.85;

/// An overload that cannot accept the arguments: less likely than one of a base.
pub(in crate::graph) const EXCLUDED: f32 = 0.8;

// Guesses by the name alone, and possibilities of unresolved calls.

/// The only definition of the name.
pub(in crate::graph) const UNIQUE: f32 = 0.5;

/// The only definition of the name that fits the use.
pub(in crate::graph) const ONLY_FIT: f32 = 0.48;

/// The only definition that a chain of doubtful steps leads to, from [`UNCONFIRMED_MIN`] on.
pub(in crate::graph) const CONFIRMED: f32 = 0.46;

/// A possibility that is no answer: the other one is likelier, as a function of the system is.
pub(in crate::graph) const NO_ANSWER: f32 = 0.44;

/// A function that is passed as a value is called.
pub(in crate::graph) const PASSED: f32 = 0.3;

/// One of a few members of the name, or one that others replace.
pub(in crate::graph) const FEW: f32 = 0.25;

/// The least of what [`CONFIRMED`] raises.
pub(in crate::graph) const UNCONFIRMED_MIN: f32 = 0.15;

/// One of many members of the name, and an overload where the arguments select another one.
pub(in crate::graph) const MANY: f32 = 0.1;

/// A name that is common, or bound to nothing.
pub(in crate::graph) const UNBOUND: f32 = 0.05;

/// A member that does not accept the number of arguments.
pub(in crate::graph) const OTHER_ARGUMENTS: f32 = 0.03;

/// A possibility whose file or type the place of the call imports, or that is next to it.
pub(in crate::graph) const IN_REACH: f32 = 1.5;

/// A possibility elsewhere.
pub(in crate::graph) const OUT_OF_REACH: f32 = 0.8;

// Files that an import may refer to.

/// A mapping of a project's configuration that another tool reads.
pub(in crate::graph) const IMPORT_MAPPED: f32 = 0.95;

/// A path below a directory above the importing file.
pub(in crate::graph) const IMPORT_ABOVE: f32 = 0.9;

/// The source of a generated file, a usual directory, or the only file with this path.
pub(in crate::graph) const IMPORT_LIKELY: f32 = 0.8;

/// A path below another root, by convention.
pub(in crate::graph) const IMPORT_CONVENTION: f32 = 0.7;

/// The only file, or the nearest, with an ending that has a directory.
pub(in crate::graph) const IMPORT_ENDING: f32 = 0.6;

/// The only file with a name, one of several with a type of the name, or one of several packages with a name
/// of which none is nearer.
pub(in crate::graph) const IMPORT_DOUBTFUL: f32 = 0.5;

/// One of several packages, a header that the system may have, or a template with literal parts.
pub(in crate::graph) const IMPORT_GUESS: f32 = 0.4;

/// A variable or condition that determines the path, or any file of a package.
pub(in crate::graph) const IMPORT_FAR: f32 = 0.3;

/// A concatenation, whose literal parts determine less than those of a template.
pub(in crate::graph) const IMPORT_CONCATENATED: f32 = 0.2;

/// The least of each of several files.
pub(in crate::graph) const IMPORT_LEAST: f32 = 0.1;
