//! Look-ups of names in modules: those that run, and results.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::value::Candidate;
use crate::base::ids::FileId;

/// Where a name is looked up in a file.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum View {
    /// Among the names that other files can import from it.
    Exported,
    /// Among all names that its top level sees.
    TopLevel,
    /// Among the modules that imports bind, directly inside of a symbol or at the top level.
    Imported(Option<usize>),
    /// In a module inside of it: the position of the module's symbol.
    Inside(usize),
    /// The target of an alias: the position of its symbol.
    Alias(u32),
    /// A parameter, by what calls of its method pass: the position of the method.
    Passed(u32),
    /// The bases of a type or module: its position.
    Bases(u32),
    /// What a using-declaration or using-directive of C++ refers to: the position of the import.
    Using(usize),
}

/// A look-up: file, view and name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LookUp {
    pub(super) file: FileId,
    pub(super) view: View,
    pub(super) name: Box<str>,
}

/// A look-up that has not ended, or whose result depends on one that has not.
#[derive(Debug)]
pub(super) struct Partial {
    pub(super) look_up: LookUp,
    pub(super) found: Vec<Candidate>,
    /// The position of the outermost running look-up that it depends on.
    pub(super) outermost: usize,
}

/// The result of a look-up that reached no bound.
#[derive(Debug)]
pub(super) struct Export {
    pub(super) found: Vec<Candidate>,
    /// The steps that it takes.
    pub(super) steps: u32,
    /// How many levels deeper than its start it leads.
    pub(super) levels: usize,
    /// How many hops it takes, including itself.
    pub(super) hops: usize,
}

/// The state of the running look-ups of one resolution.
#[derive(Debug, Default)]
pub(super) struct Hops {
    pub(super) running: RefCell<Vec<LookUp>>,
    pub(super) partial: RefCell<Vec<Partial>>,
    /// The outermost running look-up that a cycle led back to during the innermost one.
    pub(super) outermost: Cell<usize>,
    /// The most look-ups that ran at once during the innermost one.
    pub(super) most: Cell<usize>,
}

/// The names that a module lists for imports of all its names; `None` if they cannot be read.
pub(super) type ListedNames = Rc<Option<FxHashSet<Box<str>>>>;
