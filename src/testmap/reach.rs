//! Follows calls backwards from a definition to the tests that may execute it.
//!
//! The search is bounded and ordered by probability: a path is as likely as its links, times a
//! factor per step, because a function that runs does not run every call in it. The callers of a
//! definition are kept for the state of the tree: functions of one file share most of them.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::Arc;

pub use super::candidate::Reach;
use super::fixtures::{TestAt, Tests};
use super::kept::{Callers, UsedAt};
use super::protocols;
use crate::base::ids::FileId;
use crate::graph::calls::{ALL, Bound, Caller, possible_callers, uses_within};
use crate::graph::link::{CONFIDENCE_ANSWER, FileFacts, SymbolAt};
use crate::lang::facts::Role;
use crate::lang::symbols::{Symbol, SymbolKind};

/// Paths that are less likely are not followed.
const PROBABILITY_MIN: f32 = 0.02;

/// Calls that only may refer to a definition are followed if it is at least as likely: each of them is
/// less than 0.12 likely.
const POSSIBLE_MIN: f32 = 0.2;

/// The maximum number of calls that only may refer to a definition, those in tests first.
const POSSIBLE_MAX: usize = 256;

/// A bound cuts nothing that matters if what is left is less likely.
const CUT_MIN: f32 = 0.1;

/// The roles of uses that run something.
const ROLES: [Role; 5] = [Role::Call, Role::Read, Role::Write, Role::Base, Role::Type];

/// The probability that a function which runs also runs a given call in it.
const STEP: f32 = 0.8;

/// The same for a function that is passed as a value.
const VALUE: f32 = 0.4;

/// The probability that running a function runs a function defined in it.
const NESTED: f32 = 0.6;

/// The probability that using a type runs a method of it without known callers.
const MEMBER: f32 = 0.25;

/// The same for a method that the language calls by itself: operators, iteration, contexts.
const IMPLICIT: f32 = 0.45;

/// The same for a method that overrides one of a base: what calls the method of the base may run it.
const OVERRIDE: f32 = 0.4;

/// The probability that a call of the method of a base runs a given one of the methods that override
/// it, where the type of the receiver does not show which.
const OVERRIDDEN: f32 = 0.3;

/// The maximum number of methods of bases whose callers are followed.
const OVERRIDDEN_MAX: usize = 2;

/// The probability that code which names a type without calling it has a value of it.
const TYPED: f32 = 0.4;

/// The probability that a test whose file loads a call depends on it.
const LOADED: f32 = 0.1;

/// Calls at load time are followed up to this number of calls from the edited function.
const LOADED_DEPTH_MAX: u8 = 2;

/// The maximum number of files that load one call whose tests are recorded.
const IMPORTERS_MAX: usize = 200;

/// The probability that a test which requests a fixture runs it: all but those that fail before.
const REQUEST: f32 = 0.98;

/// A definition on a path.
#[derive(Clone, Copy, PartialEq)]
struct Step {
    at: SymbolAt,
    /// The definition that it uses; itself for the start.
    from: SymbolAt,
    probability: f32,
    is_resolved: bool,
}

/// A definition on a path to a test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Through {
    /// The probability that it runs the start.
    pub probability: f32,
    /// The definition that it uses: the start, or another one on the path.
    pub from: SymbolAt,
}

impl Step {
    fn first(at: SymbolAt) -> Step {
        Step { at, from: at, probability: 1.0, is_resolved: true }
    }

    fn through(&self) -> Through {
        Through { probability: self.probability, from: self.from }
    }
}

/// A definition whose callers are to be searched, at the end of a number of calls.
#[derive(PartialEq)]
struct Open(Step, u8);

impl Eq for Open {}

impl Ord for Open {
    /// The most likely is the greatest, then the first in the order of files.
    fn cmp(&self, other: &Open) -> Ordering {
        let by_probability = self.0.probability.total_cmp(&other.0.probability);
        by_probability.then_with(|| Reverse(self.0.at).cmp(&Reverse(other.0.at)))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Open) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The tests that reach a definition.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// The tests, each with its best path.
    pub tests: BTreeMap<TestAt, Reach>,
    /// The definitions that were on a path, without the start.
    pub through: BTreeMap<SymbolAt, Through>,
    /// A bound was reached, so tests may be missing.
    pub is_cut: bool,
}

/// Returns the tests that reach the definition `start`. Where there are more uses than are resolved,
/// those in the files `near` come first, then those in other files of tests. O(uses of the names on
/// the paths), bounded by the effort of `tests`.
pub fn reach(tests: &Tests<'_>, start: SymbolAt, near: &[FileId]) -> Reached {
    let (found, seen) = (Reached::default(), BTreeSet::from([start]));
    let mut search = Search { tests, near, found, seen };
    search.requested(start);
    if !tests.effort().stops_at_first {
        search.most_likely(start);
        return search.found;
    }
    let mut steps = vec![Step::first(start)];
    for depth in 1..=tests.effort().levels {
        if steps.is_empty() || !search.found.tests.is_empty() {
            break;
        }
        let next = search.callers(&steps, depth as u8);
        for step in &next {
            search.seen.insert(step.at);
            search.found.through.insert(step.at, step.through());
        }
        steps = next;
    }
    search.found
}

struct Search<'s, 't> {
    tests: &'s Tests<'t>,
    near: &'s [FileId],
    found: Reached,
    seen: BTreeSet<SymbolAt>,
}

impl Search<'_, '_> {
    /// Records the tests that request the fixture `start`, or the one around it: naming a fixture runs
    /// it.
    fn requested(&mut self, start: SymbolAt) {
        let Some(facts) = self.tests.linker().file(start.file) else { return };
        let Some(symbol) = facts.symbols.get(start.place as usize) else { return };
        let fixture = self.tests.of(start.file).fixture_at(symbol.name_span.start);
        let Some(fixture) = fixture else { return };
        let (requesting, is_cut) = self.tests.requesting(start.file, fixture);
        self.found.is_cut |= is_cut;
        for test in requesting {
            let reach = Reach {
                probability: REQUEST,
                depth: 1,
                is_direct: true,
                is_resolved: true,
                is_by_fixture: true,
            };
            self.record(test, reach);
        }
    }

    /// Follows the callers of `start`, of these and so on, the most likely ones first.
    fn most_likely(&mut self, start: SymbolAt) {
        let effort = *self.tests.effort();
        let (mut width, mut followed) = (effort.width, effort.followed);
        let first = Step::first(start);
        let mut open = BinaryHeap::from([Open(first, 0)]);
        // What is known of each definition that is or was open.
        let mut known = BTreeMap::from([(start, first)]);
        self.seen.clear();
        while let Some(Open(Step { at, .. }, depth)) = open.pop() {
            if !self.seen.insert(at) {
                continue;
            }
            let step = known[&at];
            if at != start {
                self.found.through.insert(at, step.through());
            }
            if usize::from(depth) >= effort.levels {
                continue;
            }
            if width == 0 || followed == 0 {
                self.found.is_cut |= step.probability >= CUT_MIN;
                break;
            }
            if at != start && self.tests.is_due() {
                self.found.is_cut = true;
                break;
            }
            let callers = self.tests.callers(at);
            let mut next = BTreeMap::new();
            let mut is_called = false;
            let possible = callers.possible.iter().filter(|_| step.probability >= POSSIBLE_MIN);
            let all = callers.resolved.iter().chain(possible);
            for used in all.take(followed) {
                is_called |= used.confidence >= CONFIDENCE_ANSWER
                    && matches!(used.role, Role::Call | Role::Read);
                self.follow(&step, used, depth + 1, &mut next);
            }
            self.implicit(&step, is_called, &mut next);
            let uses = callers.resolved.len();
            self.found.is_cut |= (callers.is_cut || uses > followed) && step.probability >= CUT_MIN;
            (width, followed) = (width - 1, followed.saturating_sub(uses));
            for step in next.into_values() {
                if step.probability < PROBABILITY_MIN || self.seen.contains(&step.at) {
                    continue;
                }
                let before = known.get(&step.at).map(|before| before.probability);
                keep(&mut known, step);
                if before.is_none_or(|before| step.probability > before) {
                    open.push(Open(step, depth + 1));
                }
            }
        }
    }

    /// Records the tests that use one of `steps`, and returns the definitions that do.
    fn callers(&mut self, steps: &[Step], depth: u8) -> Vec<Step> {
        let tree = self.tests.tree();
        let mut steps = steps.to_vec();
        steps.sort_by_key(|step| step.at);
        let of: Vec<SymbolAt> = steps.iter().map(|step| step.at).collect();
        let effort = *self.tests.effort();
        let first = |file: FileId| {
            let place = self.near.iter().position(|&near| near == file);
            place.unwrap_or_else(|| self.near.len() + usize::from(!tree.is_test(file)))
        };
        let bound = Bound { uses_max: effort.uses, first: &first, ..ALL };
        let uses = uses_within(self.tests.linker(), &of, 0.0, bound);
        self.found.is_cut |= uses.is_cut;
        let mut next: BTreeMap<SymbolAt, Step> = BTreeMap::new();
        let mut is_called = vec![false; steps.len()];
        for (place, caller) in &uses.uses {
            is_called[*place] |= caller.confidence >= CONFIDENCE_ANSWER
                && matches!(caller.site.reference.role, Role::Call | Role::Read);
            self.follow(&steps[*place], &UsedAt::of(caller), depth, &mut next);
        }
        for (place, caller) in possible_callers(self.tests.linker(), &of, &uses.unresolved) {
            self.follow(&steps[place], &UsedAt::of(&caller), depth, &mut next);
        }
        for (step, is_called) in steps.iter().zip(is_called) {
            self.implicit(step, is_called, &mut next);
        }
        let mut next: Vec<Step> = next.into_values().collect();
        next.retain(|step| step.probability >= PROBABILITY_MIN && !self.seen.contains(&step.at));
        next.sort_by(|a, b| b.probability.total_cmp(&a.probability).then(a.at.cmp(&b.at)));
        self.found.is_cut |= next.len() > effort.width;
        next.truncate(effort.width);
        next
    }

    /// Follows a use of `step` to its test, its fixture or its function.
    fn follow(
        &mut self,
        step: &Step,
        used: &UsedAt,
        depth: u8,
        next: &mut BTreeMap<SymbolAt, Step>,
    ) {
        let Some(facts) = self.tests.linker().file(step.at.file) else { return };
        let Some(symbol) = facts.symbols.get(step.at.place as usize) else { return };
        let weight = match used.role {
            Role::Call => STEP,
            Role::Read | Role::Write if symbol.kind.is_callable() => VALUE,
            Role::Read | Role::Write => STEP,
            Role::Base => MEMBER,
            Role::Type if is_value_type(symbol.kind) => TYPED,
            Role::Type | Role::Import => return,
        };
        let is_resolved = step.is_resolved && used.confidence >= CONFIDENCE_ANSWER;
        let (file, at) = (used.file, used.start);
        let tests = self.tests.of(file);
        // The body of a test runs as a whole, unless it fails.
        let in_body = step.probability * used.confidence * weight.max(0.5) / STEP;
        if let Some(place) = tests.test_at(at) {
            let reach = Reach {
                probability: in_body.min(0.98),
                depth,
                is_direct: depth == 1 && is_resolved,
                is_resolved,
                is_by_fixture: false,
            };
            self.record(TestAt { file, place: place as u32 }, reach);
            return;
        }
        if let Some(place) = tests.fixture_at(at) {
            let reach = Reach {
                probability: in_body.min(0.95),
                depth,
                is_direct: false,
                is_resolved,
                is_by_fixture: true,
            };
            for test in self.tests.with_fixture(file, place) {
                self.record(test, reach);
            }
        }
        let Some(around) = self.tests.linker().file(file) else { return };
        let enclosing = || around.ancestors(used.enclosing);
        let function = enclosing().find(|&at| {
            let kind = around.symbols[at].kind;
            kind.is_callable()
                || matches!(kind, SymbolKind::Property | SymbolKind::Macro | SymbolKind::Class)
        });
        // A value of the file that holds the function, wraps it, or lists it: who uses it may run it.
        let value = || {
            let around_it = enclosing().filter(|&at| {
                let kind = around.symbols[at].kind;
                matches!(kind, SymbolKind::Constant | SymbolKind::Variable)
            });
            around_it.last()
        };
        let Some(place) = function.or_else(value) else {
            return self.loading(file, used, step.probability * weight, depth, is_resolved);
        };
        let weight = weight * share_of_constant(&around.symbols[place], used.role);
        let is_class = around.symbols[place].kind == SymbolKind::Class;
        // The body of a class runs when it is imported; only its subclasses count.
        if is_class && used.role != Role::Base {
            return self.loading(file, used, step.probability * weight, depth, is_resolved);
        }
        let step = Step {
            at: SymbolAt { file, place: place as u32 },
            from: step.at,
            probability: step.probability * used.confidence * weight,
            is_resolved,
        };
        keep(next, step);
    }

    /// Records the tests of files that import `file`, for a call that runs when it is loaded: a decorator, a
    /// registration, a statement in the body of a class.
    fn loading(
        &mut self,
        file: FileId,
        used: &UsedAt,
        probability: f32,
        depth: u8,
        is_resolved: bool,
    ) {
        let is_near = depth <= LOADED_DEPTH_MAX;
        if used.role != Role::Call || used.confidence < CONFIDENCE_ANSWER || !is_near {
            return;
        }
        let probability = probability * used.confidence * LOADED;
        if probability < PROBABILITY_MIN {
            return;
        }
        let importers = self.tests.tree().importers(file);
        let depth = depth.saturating_add(1);
        for of in importers.into_iter().take(IMPORTERS_MAX).chain([file]) {
            for place in 0..self.tests.of(of).tests.len() {
                let test = TestAt { file: of, place: place as u32 };
                let reach = Reach {
                    probability,
                    depth,
                    is_direct: false,
                    is_resolved,
                    is_by_fixture: false,
                };
                self.record(test, reach);
            }
        }
    }

    /// Adds what runs `step` without naming it: the function around it, uses of its type, and calls of
    /// the method that it overrides.
    fn implicit(&self, step: &Step, is_called: bool, next: &mut BTreeMap<SymbolAt, Step>) {
        let linker = self.tests.linker();
        let Some(facts) = linker.file(step.at.file) else { return };
        let place = step.at.place as usize;
        let Some(symbol) = facts.symbols.get(place) else { return };
        let mut add = |at: SymbolAt, weight: f32| {
            let probability = step.probability * weight;
            keep(next, Step { at, from: step.at, probability, is_resolved: false });
        };
        let around = symbol.parent.map(|parent| (parent, facts.symbols[parent].kind));
        if let Some((parent, _)) = around.filter(|(_, kind)| kind.is_callable()) {
            return add(SymbolAt { place: parent as u32, ..step.at }, NESTED);
        }
        let is_member = symbol.kind.is_callable() || symbol.kind == SymbolKind::Property;
        if !is_member || facts.is_constructor(place) {
            return;
        }
        let is_implicit = protocols::is_protocol(&symbol.name);
        let in_class =
            around.filter(|(_, kind)| matches!(kind, SymbolKind::Class | SymbolKind::Struct));
        let Some((parent, _)) = in_class else {
            // Methods outside of their types, as in Rust and Go, are known to be called or not.
            if (is_implicit || !is_called)
                && let Some(of) = self.type_of(&facts, step.at)
            {
                add(of, if is_implicit { IMPLICIT } else { MEMBER });
            }
            return;
        };
        let overridden = linker.overridden(step.at);
        let weight = if is_implicit {
            IMPLICIT
        } else if !overridden.is_empty() {
            OVERRIDE
        } else if is_called {
            MEMBER / 3.0
        } else {
            MEMBER
        };
        add(SymbolAt { place: parent as u32, ..step.at }, weight);
        for of in overridden.into_iter().take(OVERRIDDEN_MAX) {
            add(of, OVERRIDDEN);
        }
    }

    /// Returns the type of a method that is defined outside of it: in the same file, else in the same
    /// directory.
    fn type_of(&self, facts: &FileFacts, method: SymbolAt) -> Option<SymbolAt> {
        let owner = facts.owner(method.place as usize)?;
        let is_type = |at: &SymbolAt| {
            let facts = self.tests.linker().file(at.file);
            facts.is_some_and(|facts| {
                let kind = facts.symbols.get(at.place as usize).map(|symbol| symbol.kind);
                kind.is_some_and(is_value_type)
            })
        };
        let tree = self.tests.tree();
        let folder = |file: FileId| {
            let path = tree.path(file);
            path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
        };
        let named = self.tests.linker().code().named(owner);
        let types = || named.iter().copied().filter(|at| is_type(at));
        types().find(|at| at.file == method.file).or_else(|| {
            let own = folder(method.file);
            types().find(|at| folder(at.file) == own)
        })
    }

    fn record(&mut self, test: TestAt, reach: Reach) {
        let kept = self.found.tests.entry(test).or_insert(Reach { depth: u8::MAX, ..reach });
        let both = 1.0 - (1.0 - kept.probability) * (1.0 - reach.probability);
        let is_first = kept.depth == u8::MAX;
        kept.probability = if is_first { reach.probability } else { both.min(0.98) };
        kept.depth = kept.depth.min(reach.depth);
        kept.is_direct |= reach.is_direct;
        kept.is_resolved |= reach.is_resolved;
        kept.is_by_fixture &= reach.is_by_fixture;
    }
}

/// Returns the probability that using a constant uses a given value in it: one of a long table is
/// rarely the one that is used. 1 for what is no constant.
fn share_of_constant(symbol: &Symbol, role: Role) -> f32 {
    if !matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Variable) {
        return 1.0;
    }
    let lines = (symbol.end_line + 1).saturating_sub(symbol.line).max(1) as f32;
    let used = if role == Role::Call { 4.0 } else { 2.0 };
    (used / lines).min(1.0)
}

/// Returns true for types of which code can have values without calling their names.
fn is_value_type(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union | SymbolKind::Type)
}

/// Adds a step, or raises the probability of the same one.
fn keep(next: &mut BTreeMap<SymbolAt, Step>, step: Step) {
    let kept = next.entry(step.at).or_insert(step);
    if step.probability > kept.probability {
        kept.probability = step.probability;
        kept.from = step.from;
    }
    kept.is_resolved |= step.is_resolved;
}

impl UsedAt {
    fn of(caller: &Caller) -> UsedAt {
        let (reference, confidence) = (&caller.site.reference, caller.confidence);
        UsedAt {
            file: caller.site.file,
            start: reference.span.start,
            enclosing: reference.enclosing,
            role: reference.role,
            confidence,
        }
    }
}

impl Tests<'_> {
    /// Returns the uses of a definition, those in tests first. O(uses of its name) the first time.
    pub(super) fn callers(&self, of: SymbolAt) -> Arc<Callers> {
        if let Some(kept) = self.kept().callers.get(&of) {
            return kept;
        }
        let found = Arc::new(self.searched_callers(of));
        self.kept().callers_searched.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.kept().callers.insert(of, Arc::clone(&found));
        found
    }

    fn searched_callers(&self, of: SymbolAt) -> Callers {
        let first = |file: FileId| usize::from(!self.tree().is_test(file));
        let bound = Bound { uses_max: self.effort().uses, roles: &ROLES, first: &first, ..ALL };
        let mut uses = uses_within(self.linker(), &[of], 0.0, bound);
        uses.unresolved.sort_by_key(|named| first(named.site.file));
        uses.unresolved.truncate(POSSIBLE_MAX);
        let possible = possible_callers(self.linker(), &[of], &uses.unresolved);
        let mut resolved: Vec<UsedAt> =
            uses.uses.iter().map(|(_, caller)| UsedAt::of(caller)).collect();
        resolved.sort_by_key(|used| (first(used.file), used.file, used.start));
        let possible = possible.iter().map(|(_, caller)| UsedAt::of(caller)).collect();
        Callers { resolved, possible, is_cut: uses.is_cut }
    }
}
