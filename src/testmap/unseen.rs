//! What tests execute although no call in their text leads to it: functions of programs that they run, of
//! hooks that surround them, of tests that they inherit, and of examples in documentation.
//!
//! Calls are followed backwards from a definition, as in `reach`, to such a place.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::fixtures::{TestAt, Tests};
use super::outside::Effect;
use super::programs::{above, is_program};
use crate::base::ids::FileId;
use crate::graph::link::{CONFIDENCE_ANSWER, SymbolAt};
use crate::lang::facts::Role;

/// The maximum number of definitions whose callers are searched for one definition.
const FOLLOWED_MAX: usize = 40;

/// The maximum length of a chain of calls.
const DEPTH_MAX: u8 = 5;

/// Tests are inherited that call a definition over fewer calls.
const INHERITED_DEPTH_MAX: u8 = 3;

/// The same for a fixture of too many tests.
const CROWDED_DEPTH_MAX: u8 = 2;

/// Starts of the names of files that configure runners of JavaScript.
const CONFIGURATIONS: [&str; 7] = [
    ".mocharc",
    "jest.config",
    "karma.conf",
    "package.json",
    "playwright.config",
    "vite.config",
    "vitest.config",
];

/// Files that are loaded before all tests where a configuration requires them.
const SETUPS: [&str; 3] = ["rails_helper.rb", "spec_helper.rb", "bootstrap.php"];

/// The maximum number of uses of one definition that are followed.
const USES_MAX: usize = 200;

/// Returns the effects of an edit of some definitions, and of the tests `changed`, on tests that no call connects with them. O(uses of
/// the names on the paths), most of which `reach` has searched.
pub fn effects(tests: &Tests<'_>, symbols: &[SymbolAt], changed: &[TestAt]) -> BTreeSet<Effect> {
    let has_examples =
        tests.configured().has_examples() || !tests.tree().with_word("doctest").is_empty();
    let mut search =
        Search { tests, has_examples, found: BTreeSet::new(), programs: BTreeMap::new() };
    symbols.iter().for_each(|&at| search.follow(at));
    changed.iter().for_each(|&at| search.inherit(at));
    search.found
}

struct Search<'s, 't> {
    tests: &'s Tests<'t>,
    has_examples: bool,
    found: BTreeSet<Effect>,
    /// Whether files are programs.
    programs: BTreeMap<FileId, bool>,
}

impl Search<'_, '_> {
    fn follow(&mut self, start: SymbolAt) {
        let mut seen = BTreeSet::from([start]);
        let mut open = VecDeque::from([(start, 0)]);
        let mut is_known = false;
        while let Some((at, depth)) = open.pop_front() {
            is_known |= self.visit(at);
            if depth >= DEPTH_MAX {
                continue;
            }
            let callers = self.tests.callers(at);
            let is_sure = |confidence: f32| confidence >= CONFIDENCE_ANSWER;
            let runs = |role: Role| matches!(role, Role::Call | Role::Read);
            let uses = callers.resolved.iter().filter(|of| is_sure(of.confidence) && runs(of.role));
            for used in uses.take(USES_MAX) {
                if let Some(place) = self.tests.of(used.file).test_at(used.start) {
                    is_known = true;
                    if depth < INHERITED_DEPTH_MAX {
                        self.inherit(TestAt { file: used.file, place: place as u32 });
                    }
                    continue;
                }
                if depth < CROWDED_DEPTH_MAX && self.crowd(used.file, used.start) {
                    is_known = true;
                    continue;
                }
                let Some(around) = self.tests.linker().file(used.file) else { continue };
                let mut enclosing = around.ancestors(used.enclosing);
                match enclosing.find(|&place| around.symbols[place].kind.is_callable()) {
                    Some(place) => {
                        let next = SymbolAt { file: used.file, place: place as u32 };
                        if seen.len() < FOLLOWED_MAX && seen.insert(next) {
                            open.push_back((next, depth + 1));
                        }
                    }
                    None => is_known |= self.load(used.file),
                }
            }
        }
        if !is_known {
            // Calls that are not resolved: what loads the file may run it.
            let programs = above(self.tests.tree(), start.file);
            self.found.extend(programs.into_iter().map(Effect::Program));
        }
    }

    /// Notes what runs a definition; returns true if something may.
    fn visit(&mut self, at: SymbolAt) -> bool {
        if self.has_examples {
            self.found.insert(Effect::Example(at));
        }
        let facts = self.tests.linker().file(at.file);
        let symbol = facts.as_ref().and_then(|facts| facts.symbols.get(at.place as usize));
        let is_hook = symbol.is_some_and(|symbol| symbol.name.starts_with("pytest_"))
            && facts.as_ref().is_some_and(|facts| facts.language.name == "python");
        if is_hook {
            self.found.insert(Effect::Support(at.file));
        }
        let Some((facts, symbol)) = facts.as_ref().zip(symbol) else { return false };
        self.crowd(at.file, symbol.name_span.start);
        let is_method = symbol.parent.is_some() && symbol.kind.is_callable();
        if is_method && facts.language.name == "python" && self.tests.tree().is_test(at.file) {
            if matches!(symbol.name.as_str(), "collect" | "runtest") {
                self.found.insert(Effect::Collector(at.file));
            }
            if self.tests.of(at.file).collected.has_function(&symbol.name) {
                self.found.insert(Effect::Inherited(at));
            }
        }
        self.run(at.file) || is_hook
    }

    /// Notes the fixture at a position if more tests request it than are selected by it; returns true then.
    fn crowd(&mut self, file: FileId, at: usize) -> bool {
        let Some(fixture) = self.tests.of(file).fixture_at(at) else { return false };
        let (_, is_cut) = self.tests.requesting(file, fixture);
        if is_cut {
            self.found.insert(Effect::Crowded(file));
        }
        is_cut
    }

    /// Notes that classes may inherit a test.
    fn inherit(&mut self, test: TestAt) {
        let place = self.tests.get(test).and_then(|of| of.place);
        self.found
            .extend(place.map(|place| Effect::Inherited(SymbolAt { file: test.file, place })));
    }

    /// Notes what loads a file; returns true if something may.
    fn load(&mut self, file: FileId) -> bool {
        let is_support = self.tests.tree().path(file).ends_with("conftest.py");
        if is_support {
            self.found.insert(Effect::Support(file));
        }
        let is_setup = self.is_setup(file);
        if is_setup {
            self.found.insert(Effect::Setup(file));
        }
        self.run(file) || is_support || is_setup
    }

    /// Returns true if no file imports a file, and the configuration of a runner names it.
    fn is_setup(&self, file: FileId) -> bool {
        let tree = self.tests.tree();
        let path = tree.path(file);
        let name = path.rsplit('/').next().unwrap_or(&path);
        if !tree.importers(file).is_empty() {
            return false;
        }
        let stem = name.split('.').next().unwrap_or(name);
        let names_it = |of: &FileId| {
            let path = tree.path(*of);
            let name = path.rsplit('/').next().unwrap_or(&path);
            let is_configuration = CONFIGURATIONS.iter().any(|start| name.starts_with(start));
            let text = tree.text(*of).filter(|_| is_configuration && *of != file);
            let has =
                |text: &[u8], part: &str| memchr::memmem::find(text, part.as_bytes()).is_some();
            // A manifest names many other files.
            let words: &[&str] = match name {
                "package.json" => &["setupFiles", "globalSetup"],
                _ => &["etup", "require"],
            };
            text.is_some_and(|text| {
                has(&text, &format!("/{stem}")) && words.iter().any(|word| has(&text, word))
            })
        };
        let is_script = name.ends_with("js") || name.ends_with("ts");
        SETUPS.contains(&name) || is_script && tree.with_word(stem).iter().any(names_it)
    }

    /// Notes that tests may run a file as a program; returns true if they may.
    fn run(&mut self, file: FileId) -> bool {
        let tree = self.tests.tree();
        let is_program = *self.programs.entry(file).or_insert_with(|| is_program(tree, file));
        if is_program {
            self.found.insert(Effect::Program(file));
        }
        is_program
    }
}
