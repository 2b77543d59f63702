//! Imported coverage as evidence: the tests that executed a definition when they were recorded.
//!
//! Coverage is stored by the canonical ids of tests ([`crate::reports::ids`]) and by the text of
//! functions ([`crate::userdata::coverage`]). A function that was edited after the import keeps the
//! tests of its former text, until coverage of the new text is imported.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::detect::{Runner, Test};
use super::fixtures::{TestAt, Tests};
use crate::base::ids::FileId;
use crate::error::Result;
use crate::graph::link::{FileFacts, SymbolAt};
use crate::reports::coverage::attribute::{is_function, rest_of};
use crate::reports::ids::without_parameters;
use crate::userdata::Database;
use crate::userdata::coverage::{CoveredText, Wanted, body_hash};
use crate::userdata::spelling::spelled;

/// Between the names of groups and tests in titles of JavaScript.
const TITLES: &str = " > ";

/// The maximum number of files in which a test is searched by its name.
const FILES_MAX: usize = 200;

/// What coverage says about a definition.
#[derive(Clone, Debug)]
pub struct Covering {
    /// How the text that was covered relates to the present one.
    pub text: CoveredText,
    /// The tests that executed it, each with the number of its lines that they executed.
    pub tests: BTreeMap<TestAt, u32>,
    /// The same for tests that are not in the text of their file, such as inherited ones: by their
    /// ids without parameters.
    pub inherited: BTreeMap<String, u32>,
    /// The number of tests that the tree does not contain any more.
    pub gone: usize,
    /// A line of it was executed, by a known test or not.
    pub is_executed: bool,
    /// The report lists lines that were not executed, so that none of them is a finding.
    pub is_whole: bool,
}

/// Reads the coverage of definitions of a tree, and caches for one call. One thread only.
pub struct Recorded<'r> {
    tests: &'r Tests<'r>,
    database: &'r Database,
    /// The keys of the tests of which coverage was imported.
    ran: OnceCell<FxHashSet<String>>,
    /// The tests of a file by their keys, and those whose titles have placeholders.
    by_key: RefCell<FxHashMap<FileId, Rc<Keys>>>,
}

#[derive(Default)]
struct Keys {
    exact: FxHashMap<String, TestAt>,
    templates: Vec<(String, TestAt)>,
}

/// Returns the canonical id of a test, under which [`crate::reports::ids`] records its results.
pub fn canonical(path: &str, test: &Test) -> String {
    if is_example(test) {
        return spelled(&test.id).into_owned();
    }
    let parts: Vec<&str> = test.groups.iter().chain([&test.name]).map(String::as_str).collect();
    let separator = match test.runner {
        Runner::JavaScript => TITLES,
        Runner::Rspec => " ",
        _ => "::",
    };
    format!("{path}::{}", parts.join(separator))
}

/// Returns true for an example in the documentation of Rust.
fn is_example(test: &Test) -> bool {
    test.runner == Runner::Cargo && test.id.ends_with(')')
}

/// Returns the key of a test: the path of its file, the names of its groups, and its own, separated
/// by `::`.
pub fn key(path: &str, test: &Test) -> String {
    if is_example(test) {
        return key_of_id(&test.id);
    }
    let mut key = path.to_owned();
    for part in test.groups.iter().chain(std::iter::once(&test.name)) {
        key.push_str("::");
        key.push_str(&part.replace(TITLES, "::"));
    }
    key
}

/// Returns the key of an id in any spelling. Edits above an example in documentation change its line,
/// which is no part of the key.
pub fn key_of_id(id: &str) -> String {
    let id = spelled(id);
    match id.rsplit_once("(line ") {
        Some((start, _)) if start.contains(".rs::") => format!("{start}(line)"),
        _ => without_parameters(&id).replace(TITLES, "::"),
    }
}

impl<'r> Recorded<'r> {
    /// Returns the coverage in `database` of the definitions of the tree of `tests`. O(1).
    pub fn new(tests: &'r Tests<'r>, database: &'r Database) -> Recorded<'r> {
        Recorded { tests, database, ran: OnceCell::new(), by_key: RefCell::default() }
    }

    /// Returns true if coverage of the test was imported.
    ///
    /// # Errors
    ///
    /// If the database cannot be read. O(tests with coverage) the first time.
    pub fn has_run(&self, at: TestAt) -> Result<bool> {
        let ran = match self.ran.get() {
            Some(ran) => ran,
            None => {
                let ids = self.database.covering_tests()?;
                let keys = ids.iter().map(|id| key_of_id(id)).collect();
                self.ran.get_or_init(|| keys)
            }
        };
        let path = self.tests.tree().path(at.file);
        Ok(self.tests.get(at).is_some_and(|test| ran.contains(&key(&path, &test))))
    }

    /// Returns what coverage says about a definition, for a type about the functions in it; `None`
    /// if nothing applies. O(tests that executed it).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn covering(&self, at: SymbolAt) -> Result<Option<Covering>> {
        let Some(facts) = self.tests.tree().file(at.file) else { return Ok(None) };
        let Some(symbol) = facts.symbols.get(at.place as usize) else { return Ok(None) };
        let Some(text) = self.tests.tree().text(at.file) else { return Ok(None) };
        if is_function(symbol) {
            return self.of_text(&facts, at, &text);
        }
        let inside = (0..facts.symbols.len()).filter(|&place| {
            facts.symbols[place].parent == Some(at.place as usize)
                && is_function(&facts.symbols[place])
        });
        let mut all: Option<Covering> = None;
        for place in inside {
            let at = SymbolAt { file: at.file, place: place as u32 };
            let Some(one) = self.of_text(&facts, at, &text)? else { continue };
            match &mut all {
                Some(all) => all.add(one),
                None => all = Some(one),
            }
        }
        Ok(all)
    }

    /// Returns the same for the function `at` of a file with the text `text`, which may differ from
    /// that of the tree within the function.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn of_text(
        &self,
        facts: &FileFacts,
        at: SymbolAt,
        text: &[u8],
    ) -> Result<Option<Covering>> {
        let tree = self.tests.tree();
        let Some(symbol) = facts.symbols.get(at.place as usize) else { return Ok(None) };
        let hash = |of: &crate::lang::Symbol| text.get(of.span.clone()).map(body_hash);
        let Some(body) = hash(symbol) else { return Ok(None) };
        let is_other = |(place, other): &(usize, &crate::lang::Symbol)| {
            *place != at.place as usize && other.qualified_name == symbol.qualified_name
        };
        let others = facts.symbols.iter().enumerate().filter(is_other);
        let others: Vec<u64> = others.filter_map(|(_, other)| hash(other)).collect();
        let wanted = Wanted {
            path: &facts.path,
            name: &symbol.qualified_name,
            body,
            rest: rest_of(text, symbol),
            others: &others,
        };
        let is_present = |path: &str, name: &str| {
            let facts = tree.find(path).and_then(|file| tree.file(file));
            facts.is_some_and(|facts| facts.symbols.iter().any(|of| of.qualified_name == name))
        };
        let Some((covered, text)) = self.database.coverage_for(&wanted, &is_present)? else {
            return Ok(None);
        };
        let mut covering = Covering {
            text,
            tests: BTreeMap::new(),
            inherited: BTreeMap::new(),
            gone: 0,
            is_executed: !covered.covered.is_empty() || !covered.tests.is_empty(),
            is_whole: covered.is_whole,
        };
        for (id, lines) in covered.tests {
            match self.find(&id) {
                Found::Test(at) => raise(&mut covering.tests, at, lines),
                Found::Inherited(id) => raise(&mut covering.inherited, id, lines),
                Found::Nothing => covering.gone += 1,
            }
        }
        Ok(Some(covering))
    }

    /// Returns the test with a canonical id, with or without parameters.
    pub fn test(&self, id: &str) -> Option<TestAt> {
        match self.find(id) {
            Found::Test(at) => Some(at),
            Found::Inherited(_) | Found::Nothing => None,
        }
    }

    /// Returns the canonical id of the test that `id` names, as it is recorded or as its runner prints
    /// it, with the parameters of `id`; `None` if the tree has no such test. O(tests of the files that
    /// may contain it).
    pub fn canonical(&self, id: &str) -> Option<String> {
        let id = spelled(id);
        let tree = self.tests.tree();
        let of = |at: TestAt| Some(canonical(&tree.path(at.file), &self.tests.get(at)?));
        match self.find(&id) {
            Found::Inherited(_) => return Some(id.into_owned()),
            Found::Test(at) => {
                let canonical = of(at)?;
                // Other parameters or titles are results of their own.
                let is_same = canonical.replace(TITLES, "::") == id.replace(TITLES, "::");
                return Some(if is_same { canonical } else { id.into_owned() });
            }
            Found::Nothing => {}
        }
        // The id of its runner, which parameters or a subtest may follow.
        let rest_of = |at: TestAt| {
            let rest = id.strip_prefix(self.tests.get(at)?.id.as_str())?;
            (rest.is_empty() || rest.starts_with(['[', '(', '/'])).then(|| (at, rest.to_owned()))
        };
        let all = self.files_of(&id).into_iter().flat_map(|file| self.tests.in_file(file));
        let found: Vec<(TestAt, String)> = all.filter_map(rest_of).collect();
        match &found[..] {
            [] => None,
            [(at, rest)] => of(*at).map(|canonical| canonical + rest),
            // Several packages have a test of that name.
            _ => Some(id.into_owned()),
        }
    }

    /// Returns the files whose tests may have an id: the one that it begins with, else those that
    /// define its last name.
    fn files_of(&self, id: &str) -> Vec<FileId> {
        let tree = self.tests.tree();
        let before = id.split_once("::").or_else(|| id.rsplit_once(':'));
        if let Some(file) = before.and_then(|(path, _)| tree.find(path)) {
            return vec![file];
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let last_of = |id: &str| id.rsplit(|c| !is_part(c)).next().unwrap_or_default().to_owned();
        let whole = id.split(['[', '(']).next().unwrap_or_default();
        let mut names = vec![last_of(whole)];
        names.extend(whole.split_once('/').map(|(test, _)| last_of(test)));
        let named = names.iter().map(|name| tree.named(name));
        let mut files: Vec<FileId> =
            named.flat_map(|of| of.iter().map(|at| at.file).collect::<Vec<_>>()).collect();
        files.sort_unstable();
        files.dedup();
        files.truncate(FILES_MAX);
        files
    }

    /// Returns the canonical ids of the tests that `id` may mean: those of its file, else those with
    /// its last name.
    pub fn similar(&self, id: &str) -> Vec<String> {
        let tree = self.tests.tree();
        let id = spelled(id);
        let files = self.files_of(&id);
        let all = files.into_iter().flat_map(|file| self.tests.in_file(file));
        let of = |at: TestAt| Some(canonical(&tree.path(at.file), &self.tests.get(at)?));
        all.filter_map(of).collect()
    }

    fn find(&self, id: &str) -> Found {
        let tree = self.tests.tree();
        let Some((path, _)) = id.split_once("::") else { return Found::Nothing };
        let Some(file) = tree.find(path) else { return Found::Nothing };
        let keys = self.keys(file);
        let key = key_of_id(id);
        if let Some(&at) = keys.exact.get(&key) {
            return Found::Test(at);
        }
        if let Some((_, at)) = keys.templates.iter().find(|(title, _)| fills(title, &key)) {
            return Found::Test(*at);
        }
        // A test of a base class: its own class is in the file, and its name is in another one.
        let id = without_parameters(id);
        let mut parts = id.rsplit("::");
        let (name, class) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let facts = tree.file(file);
        let has_class = facts.is_some_and(|facts| facts.symbols.iter().any(|of| of.name == class));
        if path.ends_with(".py") && has_class && !tree.named(name).is_empty() {
            return Found::Inherited(id.to_owned());
        }
        Found::Nothing
    }

    fn keys(&self, file: FileId) -> Rc<Keys> {
        if let Some(keys) = self.by_key.borrow().get(&file) {
            return Rc::clone(keys);
        }
        let path = self.tests.tree().path(file);
        let mut keys = Keys::default();
        for (place, test) in self.tests.of(file).tests.iter().enumerate() {
            let at = TestAt { file, place: place as u32 };
            let key = key(&path, test);
            if key.contains(['%', '$']) {
                keys.templates.push((key.clone(), at));
            }
            keys.exact.entry(key_of_id(&canonical(&path, test))).or_insert(at);
            keys.exact.entry(key).or_insert(at);
        }
        let keys = Rc::new(keys);
        self.by_key.borrow_mut().insert(file, Rc::clone(&keys));
        keys
    }
}

enum Found {
    Test(TestAt),
    Inherited(String),
    Nothing,
}

impl Covering {
    /// Adds the coverage of another function.
    fn add(&mut self, other: Covering) {
        self.text = self.text.max(other.text);
        self.gone = self.gone.max(other.gone);
        self.is_executed |= other.is_executed;
        self.is_whole &= other.is_whole;
        other.tests.into_iter().for_each(|(at, lines)| raise(&mut self.tests, at, lines));
        other.inherited.into_iter().for_each(|(id, lines)| raise(&mut self.inherited, id, lines));
    }
}

fn raise<K: Ord>(lines: &mut BTreeMap<K, u32>, of: K, count: u32) {
    let kept = lines.entry(of).or_default();
    *kept = (*kept).max(count);
}

/// Returns true if `text` is `template` with other text in place of `%s`, `%i`, `$name` and
/// `${name}`.
fn fills(template: &str, text: &str) -> bool {
    let mut literals = vec![String::new()];
    let mut rest = template.chars().peekable();
    while let Some(c) = rest.next() {
        let is_percent = c == '%' && rest.peek().is_some_and(char::is_ascii_alphabetic);
        let is_dollar = c == '$' && rest.peek().is_some_and(|c| c.is_alphabetic() || *c == '{');
        if is_percent {
            rest.next();
            literals.push(String::new());
        } else if is_dollar {
            let is_braced = rest.next_if_eq(&'{').is_some();
            while rest
                .next_if(|&c| if is_braced { c != '}' } else { c.is_alphanumeric() })
                .is_some()
            {}
            if is_braced {
                rest.next();
            }
            literals.push(String::new());
        } else if let Some(last) = literals.last_mut() {
            last.push(c);
        }
    }
    let [first, .., last] = &literals[..] else { return false };
    let Some(mut text) = text.strip_prefix(first.as_str()) else { return false };
    for literal in &literals[1..literals.len() - 1] {
        let Some(at) = text.find(literal.as_str()) else { return false };
        text = &text[at + literal.len()..];
    }
    text.ends_with(last.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_with_placeholders_match_the_titles_that_were_run() {
        for (template, text, expected) in [
            ("a::adds %i and %i", "a::adds 1 and 2", true),
            ("a::adds %i and %i", "a::adds 1 or 2", false),
            ("a::$name of ${b.c}!", "a::x y of 3!", true),
            ("a::$name of ${b.c}!", "a::x y of 3", false),
            ("a::100%", "a::100", false),
        ] {
            assert_eq!(fills(template, text), expected, "{template}");
        }
    }
}
