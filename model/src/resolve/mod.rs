//! Queries over facts: which definition a use links to, and which type a value has.
//!
//! Layers, lowest first: exports and names (`world`), bases (`bases`), members (`members`),
//! written types (`written`), types of values and definitions of uses (`values`, `answers`:
//! one layer, since the type of a call needs its definition and an overload needs types), and
//! types from uses, which [`Mode::Uses`] adds and which never feed another such type. Nothing here
//! reads source text or asks for a language.

mod answers;
mod bases;
mod callers;
mod calls;
mod dispatch;
mod engine;
mod evidence;
mod guess;
mod lookup;
mod members;
mod overloads;
mod values;
mod written;

pub mod ty;
pub mod world;

pub use answers::{Called, Resolution};
pub use callers::Callers;
pub use engine::Engine;
pub use evidence::{Choice, Evidence};

use crate::ir::{BindingId, ExpressionId, File, Name, ScopeId, TypeId, UseId};
use crate::rules::Rules;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use ty::{Def, FileId, Ty};
use world::World;

/// The longest chain of queries that a question may need.
pub const DEPTH_MAX: usize = 400;

/// How deep the steps of one query are nested.
const STEPS_MAX: usize = 100;

/// The most parts of a type.
const PARTS_MAX: usize = 500;

/// Whether types may come from uses of what they belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// They come from definitions only.
    Plain,
    /// Parameters without a type also get one from the calls of their function, and of several values
    /// of one place, those that are not known say nothing.
    Uses,
}

/// A query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// The type of a value.
    Type(FileId, ExpressionId, Mode),
    /// What a use links to.
    Use(FileId, UseId, Mode),
    /// What calling a definition returns.
    Result(Def, Mode),
    /// What a field, property or variable holds.
    Held(Def, Mode),
    /// What callers pass to a parameter.
    Passed(Def, usize),
}

/// The value of a query.
#[derive(Clone, Debug)]
enum Value {
    Type(Ty),
    Resolution(Rc<Resolution>),
}

/// What type parameters and `Self` stand for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Substitution {
    parameters: Vec<(Def, Ty)>,
    own: Option<Ty>,
}

impl Substitution {
    /// Puts what is bound into `ty`. Types that grow with each step, such as those of functions that
    /// return two of what they get, are unknown from [`PARTS_MAX`] on.
    fn apply(&self, ty: &Ty) -> Ty {
        if self.parameters.is_empty() && self.own.is_none() {
            return ty.clone();
        }
        let put_in = ty.map(&|part| match part {
            Ty::Parameter(def) => self.get(*def).cloned(),
            Ty::Own(_) => self.own.clone(),
            _ => None,
        });
        if put_in.is_larger_than(PARTS_MAX) { Ty::Unknown } else { put_in }
    }

    fn get(&self, def: Def) -> Option<&Ty> {
        self.parameters.iter().find(|(of, _)| *of == def).map(|(_, ty)| ty)
    }

    /// Binds `def` to `ty` where it is not bound, or bound to something open.
    fn bind(&mut self, def: Def, ty: Ty) {
        match self.parameters.iter_mut().find(|(of, _)| *of == def) {
            Some((_, known)) if known.is_open() => *known = ty,
            Some(_) => {}
            None => self.parameters.push((def, ty)),
        }
    }
}

/// One type in the order in which members are looked up.
#[derive(Clone, Debug)]
struct Ancestor {
    def: Def,
    arguments: Rc<[Ty]>,
    renames: Rc<[(Name, Option<Name>)]>,
}

/// Answers questions about the uses of one program.
pub struct Resolver<'w> {
    world: World<'w>,
    engine: Engine<Key, Value>,
    /// The definition that stands for all of an open type.
    canonical: FxHashMap<Def, Def>,
    /// All definitions of an open type, by the canonical one.
    parts: FxHashMap<Def, Vec<Def>>,
    /// Blocks by the type that they add to.
    extensions: FxHashMap<Def, Vec<Def>>,
    /// Aliases that lead back to themselves.
    cyclic_aliases: FxHashSet<Def>,
    is_finding_aliases: Cell<bool>,
    /// How deep the steps of the query are nested now.
    steps: Cell<usize>,
    /// A written type was looked up in the bases of another one.
    asked_bases: Cell<bool>,
    /// The types that blocks and functions add to.
    extended_types: FxHashMap<Def, Ty>,
    /// Functions by the type that they add to and their name.
    methods: FxHashMap<(Def, Name), Vec<Def>>,
    /// Extensions of the type itself, not of its values.
    class_extensions: FxHashMap<Def, Vec<Def>>,
    /// Extensions of every type that fits a bound.
    blankets: Vec<Def>,
    ancestors: RefCell<FxHashMap<Def, Rc<[Vec<Ancestor>]>>>,
    /// Written types without a value in them, by the scope that they are looked up from.
    written: RefCell<FxHashMap<(FileId, ScopeId, TypeId), Ty>>,
    /// Whether a type has what an interface demands.
    satisfied: RefCell<FxHashMap<(Def, Def), bool>>,
    /// The types that have a type among their ancestors, in the order of files.
    users: FxHashMap<Def, Vec<Def>>,
    /// What methods of a type assign to its members, by type and name.
    assigned: FxHashMap<(Def, Name), Vec<(FileId, BindingId)>>,
    /// The bodies that declarations stand for.
    implementations: RefCell<FxHashMap<Def, Def>>,
    /// What an interface demands.
    demands: RefCell<FxHashMap<Def, Rc<[Def]>>>,
}

impl<'w> Resolver<'w> {
    /// Indexes `files`, of which the last is the library.
    pub fn new(files: Vec<&'w File>, rules: &'w dyn Rules) -> Self {
        Self::of(World::new(files, rules))
    }

    /// Computes the bases of the types of `world`.
    pub fn of(world: World<'w>) -> Self {
        let mut resolver = Resolver {
            world,
            engine: Engine::new(Value::Type(Ty::Unknown), DEPTH_MAX),
            canonical: FxHashMap::default(),
            parts: FxHashMap::default(),
            extensions: FxHashMap::default(),
            cyclic_aliases: FxHashSet::default(),
            is_finding_aliases: Cell::new(false),
            steps: Cell::new(0),
            asked_bases: Cell::new(false),
            extended_types: FxHashMap::default(),
            methods: FxHashMap::default(),
            class_extensions: FxHashMap::default(),
            blankets: Vec::new(),
            ancestors: RefCell::default(),
            written: RefCell::default(),
            satisfied: RefCell::default(),
            users: FxHashMap::default(),
            assigned: FxHashMap::default(),
            implementations: RefCell::default(),
            demands: RefCell::default(),
        };
        resolver.join_open_types();
        resolver.resolve_bases();
        resolver.index_users();
        // What was asked while bases were open.
        resolver.satisfied.borrow_mut().clear();
        resolver.implementations.borrow_mut().clear();
        resolver.demands.borrow_mut().clear();
        resolver
    }

    /// Returns the files and what is known of them as a whole.
    pub fn world(&self) -> &World<'w> {
        &self.world
    }

    /// Returns what a use links to, with what the answer cost; none where the budget does not
    /// suffice.
    pub fn question(&self, file: FileId, of: UseId, budget: u64) -> Option<(Rc<Resolution>, u64)> {
        self.engine.question(budget, || {
            let plain = self.definition(file, of, Mode::Plain);
            if !plain.is_unknown() {
                return plain;
            }
            let by_uses = self.definition(file, of, Mode::Uses);
            let says_nothing = by_uses.is_unknown() && by_uses.through.is_none();
            if says_nothing && self.rules().is_untyped() {
                return Rc::new(self.by_name(file, of));
            }
            by_uses
        })
    }

    /// Returns what may run instead of what a use links to: overrides and implementations.
    pub fn question_may(&self, file: FileId, of: UseId, budget: u64) -> Option<(Vec<Def>, u64)> {
        let (resolution, spent) = self.question(file, of, budget)?;
        let may = self.engine.question(budget - spent, || self.overrides(&resolution))?;
        Some((may.0, may.1 + spent))
    }

    /// Forgets all answers, and what was found for them, as if nothing had been asked.
    pub fn forget(&self) {
        self.engine.forget();
        self.ancestors.borrow_mut().clear();
        self.written.borrow_mut().clear();
        self.satisfied.borrow_mut().clear();
        self.demands.borrow_mut().clear();
        self.world.forget();
    }

    /// Joins what a value may be. Where types also come from uses, what is not known is left out.
    fn join(types: Vec<Ty>, mode: Mode) -> Ty {
        match mode {
            Mode::Plain => Ty::one_of(types),
            Mode::Uses => Ty::one_of_known(types),
        }
    }

    fn rules(&self) -> &'w dyn Rules {
        self.world.rules
    }

    /// Runs a step that may lead to itself; a question that nests too many is undecided. Each query
    /// counts anew, so that the count does not depend on what is cached.
    fn step<T>(&self, otherwise: T, step: impl FnOnce() -> T) -> T {
        let depth = self.steps.get();
        if depth >= STEPS_MAX {
            self.engine.exhaust();
            return otherwise;
        }
        self.steps.set(depth + 1);
        let result = step();
        self.steps.set(depth);
        result
    }

    fn anew<T>(&self, compute: impl FnOnce() -> T) -> T {
        let depth = self.steps.replace(0);
        let result = compute();
        self.steps.set(depth);
        result
    }

    fn ask_type(&self, key: Key, compute: impl FnOnce() -> Ty) -> Ty {
        match self.engine.ask(key, || Value::Type(self.anew(compute))) {
            Value::Type(ty) => ty,
            Value::Resolution(_) => Ty::Unknown,
        }
    }

    fn definition(&self, file: FileId, of: UseId, mode: Mode) -> Rc<Resolution> {
        let compute = || Value::Resolution(Rc::new(self.anew(|| self.resolve_use(file, of, mode))));
        match self.engine.ask(Key::Use(file, of, mode), compute) {
            Value::Resolution(resolution) => resolution,
            Value::Type(_) => Rc::new(Resolution::unknown()),
        }
    }
}
