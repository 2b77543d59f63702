//! The tests of a change that is not in a function: code that runs when a file is loaded, names and
//! paths that are gone, support code of tests, configuration, data.
//!
//! Every effect ends as tests or as unknown; then only a run of all tests is safe.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::detect::{Applies, Test};
use super::examples::showing;
use super::fixtures::{TestAt, Tests};
use super::inherited::of_method;
use super::programs;
use super::tree::Tree;
use crate::base::ids::FileId;
use crate::catalog::test_names::folded;
use crate::graph::link::SymbolAt;

/// The probability that a test which loads the changed file executes the change in a way that matters.
/// Not fitted: below what a call gives, above a guess.
const LOADS: f32 = 0.5;

/// The factor for each further import between the test and the file.
const STEP: f32 = 0.9;

/// The lowest probability of a test that loads the file.
const LOADS_MIN: f32 = 0.2;

/// The probability of a test that imports a path or uses a name that is gone.
const BROKEN: f32 = 0.95;

/// The probability of a test below the support code of its directory.
const SUPPORTED: f32 = 0.6;

/// The probability of a test whose file names the changed data.
const NAMED: f32 = 0.6;

/// The probability of a test that runs a program, or whose example names the definition.
pub const RUNS: f32 = 0.7;

/// What reads or joins paths, in lower case.
const READS: [&str; 12] = [
    "dir", "file", "fixture", "folder", "glob", "join", "load", "open", "path", "read", "resource",
    " / ",
];

/// The maximum number of files whose importers are searched for one effect.
const FILES_MAX: usize = 5_000;

/// The maximum number of files whose texts are searched for the name of a data file.
const SEARCHED_MAX: usize = 400;

/// A change that is not in the body of a function.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Effect {
    /// Code of the file that runs when it is loaded: statements, imports, constants, types.
    Loading(FileId),
    /// The file no longer defines this name.
    Removed {
        /// The file.
        file: FileId,
        /// The name.
        name: String,
        /// True unless it was a member of a type.
        is_free: bool,
    },
    /// No file has this path any more: it was deleted or renamed.
    Gone(String),
    /// Code that test runners execute for the tests in and below its directory.
    Support(FileId),
    /// A manifest, a lock file, or the configuration of a runner, a compiler or an environment.
    Configuration(String),
    /// Another repository in the tree is at another commit, and its files were not compared.
    Repository(String),
    /// The staged text of this path is not that of the work tree.
    Staged(String),
    /// A file that tests may run as a program.
    Program(FileId),
    /// A method that classes of tests may inherit.
    Inherited(SymbolAt),
    /// A file that a runner loads before all tests.
    Setup(FileId),
    /// A file with a fixture that more tests request than are selected by it.
    Crowded(FileId),
    /// A file that collects tests of its own kind.
    Collector(FileId),
    /// A definition that examples in documentation may name.
    Example(SymbolAt),
    /// A new file that no file imports.
    Unloaded(FileId),
    /// A file that programs may read. `is_new` if it did not exist before.
    Data {
        /// Its repository path.
        path: String,
        /// True if it did not exist before.
        is_new: bool,
    },
}

/// The tests of some effects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outside {
    /// Tests with their probability and the number of imports between them and the change.
    pub tests: BTreeMap<TestAt, (f32, u8)>,
    /// Tests that are not in the text of their files, by their ids.
    pub inherited: BTreeMap<String, (FileId, Test)>,
    /// What affects unknown tests, as path and reason.
    pub unknown: Vec<(String, &'static str)>,
    /// What is gone and used still, as sentences.
    pub broken: Vec<String>,
}

/// Returns the tests of `effects`. O(import graph around the files), and for data, the texts of up to
/// 400 files that contain its name.
pub fn affected(tests: &Tests<'_>, effects: &BTreeSet<Effect>) -> Outside {
    let tree = tests.tree();
    let mut found = Outside::default();
    for effect in effects {
        match effect {
            Effect::Loading(file) => {
                let mut files = vec![*file];
                let path = tree.path(*file);
                if let Some(folder) = path.strip_suffix("__init__.py") {
                    // An import of anything in a package runs it first.
                    let all = (0..tree.files()).map(FileId::new).filter(|of| of != file);
                    let below = all.filter(|&of| {
                        let path = tree.path(of);
                        path.starts_with(folder) && path.ends_with(".py")
                    });
                    files.extend(below.take(FILES_MAX));
                }
                let is_loaded = found.add_loading(tests, &files, LOADS);
                let is_included = found.add_including(tests, *file);
                let is_run = found.add_programs(tests, &programs::above(tree, *file));
                if !is_loaded && !is_included && !is_run {
                    let why = "runs when it is loaded, and no test was found that loads it";
                    found.unknown.push((tree.path(*file), why));
                }
            }
            Effect::Removed { file, name, is_free } => {
                let users = users(tests, *file, name);
                if *is_free && let Some(first) = users.first() {
                    let (path, user) = (tree.path(*file), tree.path(*first));
                    found.broken.push(format!("`{name}` of {path} is gone, and {user} names it"));
                }
                let is_any = found.add_files(tests, users.iter().copied(), BROKEN, 1);
                let is_loaded = found.add_loading(tests, &[*file], LOADS);
                if !is_any && !is_loaded {
                    let why = "defines a name no longer, and no test was found that loads it";
                    found.unknown.push((tree.path(*file), why));
                }
            }
            Effect::Gone(path) => {
                let importers = former_importers(tree, path);
                if let Some(first) = importers.first() {
                    let user = tree.path(*first);
                    found.broken.push(format!("{path} is gone, and {user} imports it"));
                }
                let (own, others): (Vec<FileId>, Vec<FileId>) =
                    importers.iter().partition(|&&file| !tests.of(file).tests.is_empty());
                let is_direct = found.add_files(tests, own.iter().copied(), BROKEN, 1);
                let is_indirect = found.add_loading(tests, &others, BROKEN);
                if !is_direct && !is_indirect {
                    let why = "is gone, and no test was found that imported it";
                    found.unknown.push((path.clone(), why));
                }
            }
            Effect::Support(file) => {
                if !found.add_supported(tests, *file) {
                    let why = "supports tests, and none was found below it";
                    found.unknown.push((tree.path(*file), why));
                }
            }
            Effect::Configuration(path) => {
                found.unknown.push((path.clone(), "is configuration"));
            }
            Effect::Repository(path) => {
                let why = "is another repository, whose files were not compared";
                found.unknown.push((path.clone(), why));
            }
            Effect::Staged(path) => {
                let why = "is staged with another text than the work tree has";
                found.unknown.push((path.clone(), why));
            }
            Effect::Program(file) => drop(found.add_programs(tests, &[*file])),
            Effect::Inherited(at) => {
                let all = of_method(tests, *at).into_iter();
                found.inherited.extend(all.map(|(file, test)| (test.id.clone(), (file, test))));
            }
            Effect::Setup(file) => {
                let why = "is loaded by the runner before all tests";
                found.unknown.push((tree.path(*file), why));
            }
            Effect::Crowded(file) => {
                let why = "has a fixture that more than 600 tests request";
                found.unknown.push((tree.path(*file), why));
            }
            Effect::Collector(file) => {
                let why = "collects tests of its own kind";
                found.unknown.push((tree.path(*file), why));
            }
            Effect::Example(at) => {
                for test in showing(tests, *at) {
                    found.add(test, RUNS, 1);
                }
            }
            Effect::Unloaded(file) => {
                let path = tree.path(*file);
                let (own, others): (Vec<FileId>, Vec<FileId>) = naming(tree, &path)
                    .into_iter()
                    .chain(neighbours(tree, *file))
                    .filter(|of| of != file)
                    .partition(|&of| !tests.of(of).tests.is_empty());
                let is_direct = found.add_files(tests, own.iter().copied(), NAMED, 1);
                let is_indirect = found.add_loading(tests, &others, LOADS);
                let has_own = !tests.of(*file).tests.is_empty();
                if !is_direct && !is_indirect && !has_own {
                    let why = "is new, and nothing was found that loads it";
                    found.unknown.push((path, why));
                }
            }
            Effect::Data { path, is_new } => {
                // Its examples may be a test.
                let own = tree.find(path).filter(|&file| !tests.of(file).tests.is_empty());
                let snapshot = of_snapshot(tests, path).into_iter().chain(own);
                if found.add_files(tests, snapshot, BROKEN, 1) {
                    continue;
                }
                let (own, others): (Vec<FileId>, Vec<FileId>) = naming(tree, path)
                    .into_iter()
                    .partition(|&file| !tests.of(file).tests.is_empty());
                let is_direct = found.add_files(tests, own.iter().copied(), NAMED, 1);
                let is_indirect = found.add_loading(tests, &others, LOADS);
                let is_read = others.iter().any(|&file| !is_of_packaging(&tree.path(file)));
                if !is_direct && !is_indirect && (!is_new || is_read) {
                    let why = "is data that programs may read, and no test names it";
                    found.unknown.push((path.clone(), why));
                }
            }
        }
    }
    found
}

impl Outside {
    fn add(&mut self, test: TestAt, probability: f32, depth: u8) {
        let kept = self.tests.entry(test).or_insert((probability, depth));
        if probability > kept.0 {
            *kept = (probability, depth);
        }
    }

    /// Adds all tests of files; returns true if there are some.
    fn add_files(
        &mut self,
        tests: &Tests<'_>,
        files: impl Iterator<Item = FileId>,
        probability: f32,
        depth: u8,
    ) -> bool {
        let before = self.tests.len();
        let mut is_any = false;
        for file in files {
            for test in tests.in_file(file) {
                is_any = true;
                self.add(test, probability, depth);
            }
        }
        is_any || self.tests.len() > before
    }

    /// Adds the tests below the support code in a file; returns true if there are some.
    fn add_supported(&mut self, tests: &Tests<'_>, file: FileId) -> bool {
        let tree = tests.tree();
        let path = tree.path(file);
        // Other files with hooks are plugins of the whole tree.
        let folder = path.strip_suffix("conftest.py").map_or("", |of| of.trim_end_matches('/'));
        let below = tree.below(folder).into_iter().filter(|&of| tree.is_test(of));
        self.add_files(tests, below, SUPPORTED, 1)
    }

    /// Adds the tests that include the shared examples of a file of Ruby; returns true if there are some.
    fn add_including(&mut self, tests: &Tests<'_>, file: FileId) -> bool {
        let own = tests.of(file);
        let mut is_any = false;
        for (place, fixture) in own.fixtures.iter().enumerate() {
            if fixture.applies != Applies::ByName || !tests.tree().path(file).ends_with(".rb") {
                continue;
            }
            let (including, is_cut) = tests.requesting(file, place);
            is_any |= !including.is_empty();
            including.into_iter().for_each(|test| self.add(test, RUNS, 1));
            if is_cut {
                let why = "has shared examples that too many tests include";
                self.unknown.push((tests.tree().path(file), why));
            }
        }
        is_any
    }

    /// Adds the tests that run programs; returns true if there are some.
    fn add_programs(&mut self, tests: &Tests<'_>, programs: &[FileId]) -> bool {
        let tree = tests.tree();
        let mut is_any = false;
        for run in programs.iter().flat_map(|&file| programs::runs(tree, file)) {
            let of = tests.of(run.file);
            let mut is_elsewhere = false;
            for place in run.places {
                if let Some(test) = of.test_at(place) {
                    is_any = true;
                    self.add(TestAt { file: run.file, place: test as u32 }, RUNS, 1);
                } else if let Some(fixture) = of.fixture_at(place) {
                    let (requesting, is_cut) = tests.requesting(run.file, fixture);
                    is_any |= !requesting.is_empty();
                    requesting.into_iter().for_each(|test| self.add(test, RUNS, 1));
                    if is_cut {
                        let why = "runs a program for too many tests";
                        self.unknown.push((tree.path(run.file), why));
                    }
                } else {
                    is_elsewhere = true;
                }
            }
            if !is_elsewhere {
                continue;
            }
            is_any |= if !of.tests.is_empty() {
                self.add_files(tests, std::iter::once(run.file), LOADS, 1)
            } else if tree.path(run.file).ends_with("conftest.py") {
                self.add_supported(tests, run.file)
            } else {
                self.add_loading(tests, &[run.file], LOADS)
            };
        }
        is_any
    }

    /// Adds the tests in `files` and in those that import them, directly or not; returns true if there
    /// are some.
    fn add_loading(&mut self, tests: &Tests<'_>, files: &[FileId], probability: f32) -> bool {
        let tree = tests.tree();
        let mut seen: BTreeSet<FileId> = files.iter().copied().collect();
        let mut open: VecDeque<(FileId, u8)> = files.iter().map(|&file| (file, 0)).collect();
        let mut is_any = false;
        let mut packages = BTreeSet::new();
        while let Some((file, depth)) = open.pop_front() {
            let value =
                (probability * STEP.powi(i32::from(depth.saturating_sub(1)))).max(LOADS_MIN);
            is_any |= self.add_files(tests, std::iter::once(file), value, depth);
            if seen.len() >= FILES_MAX {
                continue;
            }
            let next = depth.saturating_add(1);
            let near = new_neighbours(tree, file, &mut packages);
            for importer in tree.importers(file).into_iter().chain(near) {
                if seen.insert(importer) {
                    open.push_back((importer, next));
                }
            }
        }
        is_any
    }
}

/// Returns the test files that need no import of `file`: those of its package, and those that are named
/// after it.
fn neighbours(tree: &dyn Tree, file: FileId) -> Vec<FileId> {
    new_neighbours(tree, file, &mut BTreeSet::new())
}

/// Returns the same without the test files of a folder in `packages`, to which the own one is added.
fn new_neighbours(tree: &dyn Tree, file: FileId, packages: &mut BTreeSet<String>) -> Vec<FileId> {
    let path = tree.path(file);
    let Some(stem) = stem(&path) else { return Vec::new() };
    let mut found = tree.named_after(&folded(stem));
    if path.ends_with(".go") {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_test = |of: &FileId| tree.path(*of).ends_with("_test.go");
        if packages.insert(folder.to_owned()) {
            found.extend(tree.in_folder(folder).into_iter().filter(is_test));
        }
    } else if tree.code().file(file).is_some_and(|facts| facts.package.is_some()) {
        let words = tree.with_word(stem);
        let is_test = |of: &FileId| tree.is_test(*of) && tree.is_same_package(*of, file);
        found.extend(words.into_iter().filter(is_test));
    }
    found.retain(|&of| of != file && tree.is_test(of));
    found
}

/// Returns the test files that contain a removed name and load its file, or are named after it.
fn users(tests: &Tests<'_>, file: FileId, name: &str) -> Vec<FileId> {
    let tree = tests.tree();
    let mut found = with_name(tree, name);
    let loading: BTreeSet<FileId> =
        tree.importers(file).into_iter().chain(neighbours(tree, file)).collect();
    found.retain(|of| *of != file && loading.contains(of) && !tests.of(*of).tests.is_empty());
    found
}

/// Returns the files that may contain a name: by the index of words, which has none of one letter.
fn with_name(tree: &dyn Tree, name: &str) -> Vec<FileId> {
    if name.chars().nth(1).is_some() {
        return tree.with_word(name);
    }
    let has_name = |file: &FileId| {
        tree.text(*file).is_some_and(|text| memchr::memmem::find(&text, name.as_bytes()).is_some())
    };
    let is_code = |file: &FileId| tree.code().file(*file).is_some_and(|of| of.language.is_code());
    let files = (0..tree.files()).map(FileId::new).filter(is_code).take(SEARCHED_MAX);
    files.filter(has_name).collect()
}

/// Returns the files with an import that leads to no file and names the one that had this path.
fn former_importers(tree: &dyn Tree, path: &str) -> Vec<FileId> {
    let Some(stem) = stem(path) else { return Vec::new() };
    let is_named = |module: &str| {
        let last = |text: &str| text.rsplit(['/', '.', ':', '\\']).next().map(str::to_owned);
        let without = module.rsplit_once('.').map_or(module, |(start, _)| start);
        last(module).as_deref() == Some(stem) || last(without).as_deref() == Some(stem)
    };
    let mut found = with_name(tree, stem);
    found.retain(|&file| {
        let Some(facts) = tree.code().file(file) else { return false };
        facts.imports.iter().enumerate().any(|(at, import)| {
            let names = || import.names.iter().any(|name| name.name == stem);
            (is_named(&import.module) || names()) && tree.targets(file, at).targets().is_empty()
        })
    });
    found
}

/// Returns the test files of a file of snapshots: `__snapshots__/a.test.js.snap` belongs to
/// `a.test.js`.
fn of_snapshot(tests: &Tests<'_>, path: &str) -> Vec<FileId> {
    let tree = tests.tree();
    let mut parts: Vec<&str> = path.split('/').collect();
    let Some(name) = parts.pop() else { return Vec::new() };
    let Some(at) = parts.iter().position(|part| matches!(*part, "__snapshots__" | "snapshots"))
    else {
        return Vec::new();
    };
    let folder = parts[..at].join("/");
    // Insta: `crate__module__name.snap`; others: the name of the test file before an extension.
    let names: Vec<&str> = parts[at + 1..]
        .iter()
        .copied()
        .chain([name.rsplit_once('.').map_or(name, |(stem, _)| stem), name])
        .chain(name.split("__"))
        .collect();
    let is_of = |file: &FileId| {
        let path = tree.path(*file);
        let own = path.rsplit('/').next().unwrap_or(&path);
        let stem = own.split('.').next().unwrap_or(own);
        names.iter().any(|name| *name == own || *name == stem)
    };
    let all = tree.in_folder(&folder).into_iter().filter(is_of);
    all.filter(|&file| !tests.of(file).tests.is_empty()).collect()
}

/// Returns the files of code that name a data file: by its name, else by that of its directory.
fn naming(tree: &dyn Tree, path: &str) -> Vec<FileId> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = folder.rsplit('/').next().unwrap_or_default();
    // A name without an extension may be any word.
    let is_word = !name.contains('.');
    // `other/a.json` is another file; what is computed may be this one.
    let is_here = |before: &[u8], rest: &[u8]| {
        let Some(before) = before.strip_suffix(b"/") else {
            let is_start = !before.last().is_some_and(|byte| is_of_name(*byte));
            return is_start && (!is_word || is_string(before, rest) && is_read(before, rest));
        };
        let start = before.iter().rposition(|byte| !is_of_name(*byte)).map_or(0, |at| at + 1);
        let (around, written) = before.split_at(start);
        let is_computed =
            around.ends_with(b"}") || around.ends_with(b"*") || around.ends_with(b"?");
        is_computed || matches!(written, b"" | b"." | b"..") || written == folder.as_bytes()
    };
    let by_name = texts_with(tree, name, &is_here);
    if !by_name.is_empty() {
        return by_name;
    }
    // The end of a string or a pattern for the files of the directory.
    let is_whole = |before: &[u8], rest: &[u8]| {
        let below = rest.strip_prefix(b"/");
        let is_path = below.is_some() || before.ends_with(b"/");
        let ends = below.unwrap_or(rest).first().is_some_and(|byte| b"\"'`*".contains(byte));
        ends && (is_path || is_read(before, rest))
    };
    if folder.len() > 2 { texts_with(tree, folder, &is_whole) } else { Vec::new() }
}

/// Returns true if what is between two texts is a whole string.
fn is_string(before: &[u8], rest: &[u8]) -> bool {
    let quote = before.last().filter(|byte| b"\"'`".contains(byte));
    quote.is_some() && rest.first() == quote
}

/// Returns true if the line around a word reads or joins paths, so that the word is the name of a file or a
/// directory: `"default"` alone is any value.
fn is_read(before: &[u8], rest: &[u8]) -> bool {
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let line = [&before[start..], b" ", &rest[..end]].concat().to_ascii_lowercase();
    READS.iter().any(|word| memchr::memmem::find(&line, word.as_bytes()).is_some())
}

/// Returns true for programs that read documentation and that tests do not run.
fn is_of_packaging(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("conf.py" | "noxfile.py" | "setup.py"))
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_-.".contains(&byte)
}

/// Returns the files of code whose text contains `name` where `holds` accepts what comes before and
/// after it.
fn texts_with(tree: &dyn Tree, name: &str, holds: &dyn Fn(&[u8], &[u8]) -> bool) -> Vec<FileId> {
    let words = name.split(|c: char| !c.is_alphanumeric() && c != '_');
    let Some(word) = words.max_by_key(|word| word.len()).filter(|word| word.len() > 1) else {
        return Vec::new();
    };
    let finder = memchr::memmem::Finder::new(name.as_bytes());
    let mut files = tree.with_word(word);
    files.truncate(SEARCHED_MAX);
    files.retain(|&file| {
        tree.code().file(file).is_some_and(|facts| facts.language.is_code())
            && tree.text(file).is_some_and(|text| {
                finder.find_iter(&text).any(|at| holds(&text[..at], &text[at + name.len()..]))
            })
    });
    files
}

/// Returns the name of a file without its extension; for a file that stands for its directory, the name
/// of that.
fn stem(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().filter(|stem| !stem.is_empty())?;
    if matches!(stem, "__init__" | "index" | "mod") {
        return folder.rsplit('/').next().filter(|name| !name.is_empty());
    }
    Some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::program::Program;

    const TREE: [(&str, &str); 8] = [
        ("src/conf.py", "LIMIT = 3\n\ndef within(x):\n    return x < LIMIT\n"),
        ("src/user.py", "from src.conf import LIMIT\n\nRATE = LIMIT\n"),
        (
            "tests/test_conf.py",
            "from src.conf import within\n\ndef test_within():\n    within(1)\n",
        ),
        ("tests/test_user.py", "from src.user import RATE\n\ndef test_rate():\n    assert RATE\n"),
        ("tests/test_old.py", "from src.former import x\n\ndef test_x():\n    x()\n"),
        (
            "tests/test_data.py",
            "def test_data():\n    assert open('one.json').read()\n    listdir('tests/samples')\n",
        ),
        ("tests/test_value.py", "def test_value():\n    assert 'default' == value('token.json')\n"),
        ("tests/a.test.js", "test('renders', () => { expect(1).toMatchSnapshot() })\n"),
    ];

    /// Returns the paths of the tests of an effect, or what is unknown.
    fn of(effect: impl Fn(&dyn Fn(&str) -> FileId) -> Effect) -> Vec<String> {
        let files = TREE.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        let program = Program::new(files.into());
        let id = |path: &str| program.id(path).expect("a file");
        let tests = Tests::new(&program);
        let found = affected(&tests, &BTreeSet::from([effect(&id)]));
        assert_eq!(found.tests.is_empty(), !found.unknown.is_empty());
        let mut paths: Vec<String> =
            found.tests.keys().map(|test| Tree::path(&program, test.file)).collect();
        paths.extend(found.unknown.iter().map(|(path, why)| format!("{path}: {why}")));
        paths
    }

    #[test]
    fn every_effect_has_tests_or_is_unknown() {
        let conf = ["tests/test_conf.py", "tests/test_user.py"];
        assert_eq!(of(|id| Effect::Loading(id("src/conf.py"))), conf);
        assert_eq!(of(|id| Effect::Loading(id("src/user.py"))), ["tests/test_user.py"]);
        let removed = |id: &dyn Fn(&str) -> FileId| {
            let (file, name) = (id("src/conf.py"), "gone".to_owned());
            Effect::Removed { file, name, is_free: true }
        };
        assert_eq!(of(removed), conf);
        assert_eq!(of(|_| Effect::Gone("src/former.py".to_owned())), ["tests/test_old.py"]);
        assert!(of(|_| Effect::Gone("src/other.py".to_owned()))[0].contains("is gone"));
        assert!(of(|_| Effect::Configuration("setup.cfg".to_owned()))[0].contains("configuration"));
        let data = |path: &str| of(|_| Effect::Data { path: path.to_owned(), is_new: false });
        assert_eq!(data("tests/samples/one.json"), ["tests/test_data.py"]);
        assert_eq!(data("tests/samples/two.json"), ["tests/test_data.py"]);
        assert_eq!(data("tests/__snapshots__/a.test.js.snap"), ["tests/a.test.js"]);
        assert!(data("other/three.json")[0].contains("is data"));
        // Common words, and the end of another name.
        assert!(data("locale/default/en.json")[0].contains("is data"));
        assert!(data("messages/default")[0].contains("is data"));
    }
}
