//! What suggests that a test executes a definition: paths of calls, names and imports.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::detect::Test;
use super::fixtures::{TestAt, Tests};
use super::reach::{Reach, Reached, reach};
use crate::base::ids::FileId;
use crate::catalog::test_names::{folded, tested};
use crate::graph::link::{FileFacts, SymbolAt};

/// The number of features.
pub const FEATURES: usize = 17;

/// The names of the features, in their order.
pub const NAMES: [&str; FEATURES] = [
    "path",
    "reached",
    "direct",
    "one_call",
    "resolved",
    "fixture",
    "mention",
    "rare_mention",
    "owner_mention",
    "name_in_test",
    "words_in_test",
    "owner_in_test",
    "file_name",
    "words_in_body",
    "special_use",
    "near",
    "imports",
];

/// The maximum number of uses of a name that are read to find tests that contain it.
const SITES_MAX: usize = 5_000;

/// The maximum number of files that import a definition's file and whose tests are candidates.
const IMPORTERS_MAX: usize = 60;

/// The maximum number of test files that contain a word of a name and whose tests are candidates.
const WORD_FILES_MAX: usize = 30;

/// What in the body of a test runs a method that the language calls by itself, in lower case.
const SPECIAL: [(&str, &[&str]); 27] = [
    ("__repr__", &["repr("]),
    ("__str__", &["str("]),
    ("__hash__", &["hash(", "set("]),
    ("__eq__", &[" == "]),
    ("__ne__", &[" != "]),
    ("__lt__", &[" < ", "sort"]),
    ("__le__", &[" <= "]),
    ("__gt__", &[" > "]),
    ("__ge__", &[" >= "]),
    ("__len__", &["len("]),
    ("__iter__", &["for ", "list(", "iter("]),
    ("__aiter__", &["async for "]),
    ("__next__", &["next(", "for "]),
    ("__contains__", &[" in "]),
    ("__getitem__", &["["]),
    ("__setitem__", &["] = "]),
    ("__delitem__", &["del "]),
    ("__enter__", &["with "]),
    ("__exit__", &["with "]),
    ("__aenter__", &["async with "]),
    ("__aexit__", &["async with "]),
    ("__bool__", &["bool(", "not "]),
    ("__getstate__", &["pickle", "copy"]),
    ("__setstate__", &["pickle", "copy"]),
    ("__add__", &[" + "]),
    ("__or__", &[" | "]),
    ("__reduce__", &["pickle", "copy"]),
];

/// The maximum number of candidates of one definition.
const CANDIDATES_MAX: usize = 4_000;

/// A test that may execute a definition.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The test.
    pub test: TestAt,
    /// The features, in the order of [`NAMES`], each from 0 to 1.
    pub features: [f32; FEATURES],
    /// How calls reach the definition, if they do.
    pub reach: Option<Reach>,
}

/// Names of a definition that tests may contain.
struct Names {
    /// Its own name; that of its type for a constructor.
    own: String,
    owner: Option<String>,
    /// The words of its name, in lower case.
    words: Vec<String>,
    /// The folded stem of its file.
    stem: String,
    /// What runs it if the language calls it by itself.
    special: Option<&'static [&'static str]>,
}

impl Names {
    fn new(facts: &FileFacts, place: usize) -> Names {
        let symbol = &facts.symbols[place];
        let owner = facts.owner(place).map(str::to_owned);
        let is_special = symbol.name.starts_with("__");
        let own = match &owner {
            Some(owner) if facts.is_constructor(place) || is_special => owner.clone(),
            _ => symbol.name.clone(),
        };
        let (_, file) = facts.path.rsplit_once('/').unwrap_or(("", &facts.path));
        let stem = file.split('.').next().unwrap_or_default();
        // A special method is known by its name without underscores: `repr`.
        let words = words(&symbol.name);
        let special = SPECIAL.iter().find(|(name, _)| *name == symbol.name).map(|(_, uses)| *uses);
        Names { own, owner, words, stem: folded(stem), special }
    }
}

/// Returns the words of an identifier or title in lower case, without those of one letter.
fn words(name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && was_lower {
            found.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_numeric();
    }
    found.push(word);
    found.retain(|word| word.chars().count() > 1);
    found
}

/// Returns the tests that may execute the definition `at`, in path order, with their features, and
/// true if a bound was reached. O(uses on the paths + tests of the files that may contain one).
pub fn candidates(tests: &Tests<'_>, at: SymbolAt) -> (Vec<Candidate>, bool) {
    let tree = tests.tree();
    let Some(facts) = tree.file(at.file) else { return (Vec::new(), false) };
    if at.place as usize >= facts.symbols.len() {
        return (Vec::new(), false);
    }
    let names = Names::new(&facts, at.place as usize);
    let Reached { tests: reached, through, is_cut } = reach(tests, at);
    let mentions = mentions(tests, &names.own);
    let owner_mentions = match &names.owner {
        Some(owner) if *owner != names.own => self::mentions(tests, owner),
        Some(_) => mentions.clone(),
        None => BTreeSet::new(),
    };
    // Tests often name the caller of a private function.
    let mut caller_words: Vec<(Vec<String>, f32)> = Vec::new();
    for (step, probability) in &through {
        let Some(facts) = tree.file(step.file).filter(|_| !tree.is_test(step.file)) else {
            continue;
        };
        if let Some(symbol) = facts.symbols.get(step.place as usize) {
            caller_words.push((words(&symbol.name), *probability));
        }
    }
    caller_words.sort_by(|a, b| b.1.total_cmp(&a.1));
    caller_words.truncate(6);
    let importers = importers(tests, at.file);
    let mut named = tree.named_after(&names.stem);
    if let Some(owner) = &names.owner {
        named.extend(tree.named_after(&folded(owner)));
    }
    let mut all: BTreeSet<TestAt> = reached.keys().copied().collect();
    all.extend(&mentions);
    all.extend(&owner_mentions);
    for file in importers.iter().chain(&named) {
        all.extend(tests.in_file(*file));
    }
    // Tests inside the file of the definition itself.
    all.extend(tests.in_file(at.file));
    let longest = names.words.iter().max_by_key(|word| word.len()).filter(|word| word.len() > 3);
    if let Some(word) = longest {
        let files = tree.with_word(word).into_iter().filter(|&file| tree.is_test(file));
        for file in files.take(WORD_FILES_MAX) {
            let (text, of) = (tests.lower_text(file), tests.of(file));
            for (place, test) in of.tests.iter().enumerate() {
                let body = text.get(test.span.clone()).unwrap_or_default();
                if memchr::memmem::find(body, word.as_bytes()).is_some() {
                    all.insert(TestAt { file, place: place as u32 });
                }
            }
        }
    }
    let is_cut = is_cut || all.len() > CANDIDATES_MAX;
    let rarity = 1.0 / (1.0 + (mentions.len() as f32).ln_1p());
    let flag = |is: bool| f32::from(u8::from(is));
    let mut by_file: BTreeMap<FileId, (f32, f32, String)> = BTreeMap::new();
    let mut found = Vec::new();
    let all: Vec<(TestAt, Test)> = all
        .into_iter()
        .take(CANDIDATES_MAX)
        .filter_map(|test| Some((test, tests.get(test)?)))
        .collect();
    // Words that few tests contain distinguish more.
    let title = |test: &Test| {
        let parts = test.groups.iter().chain(std::iter::once(&test.name));
        parts.map(|part| folded(part)).collect::<Vec<String>>().join(" ")
    };
    let titles: Vec<String> = all.iter().map(|(_, test)| title(test)).collect();
    let bodies: Vec<Rc<Vec<u8>>> = all.iter().map(|(at, _)| tests.lower_text(at.file)).collect();
    let body = |place: usize| bodies[place].get(all[place].1.span.clone()).unwrap_or_default();
    let rare = |count: usize| (1.0 + all.len() as f32 / (1.0 + count as f32)).ln();
    let in_titles: Vec<f32> = names
        .words
        .iter()
        .map(|word| rare(titles.iter().filter(|title| title.contains(word.as_str())).count()))
        .collect();
    let finders: Vec<memchr::memmem::Finder<'_>> =
        names.words.iter().map(|word| memchr::memmem::Finder::new(word.as_bytes())).collect();
    let in_bodies: Vec<f32> = finders
        .iter()
        .map(|word| rare((0..all.len()).filter(|&at| word.find(body(at)).is_some()).count()))
        .collect();
    let weighted = |weights: &[f32], is_there: &dyn Fn(usize) -> bool| {
        let total: f32 = weights.iter().sum();
        let there = (0..weights.len()).filter(|&at| is_there(at)).map(|at| weights[at]);
        if total > 0.0 { there.sum::<f32>() / total } else { 0.0 }
    };
    for (place, (test, _)) in all.iter().enumerate() {
        let test = *test;
        let (file_name, imports, file_words) = by_file.entry(test.file).or_insert_with(|| {
            let path = tree.path(test.file);
            let tested = tested(path.as_bytes()).unwrap_or_default();
            let is_owner = |owner: &String| folded(owner) == tested;
            let is_named = !tested.is_empty()
                && (tested == names.stem || names.owner.as_ref().is_some_and(is_owner));
            let imports = test.file == at.file || importers.contains(&test.file);
            (flag(is_named), flag(imports), tested)
        });
        let reach = reached.get(&test).copied();
        let title = &titles[place];
        let whole = folded(&names.own);
        let in_title = |word: &String| title.contains(word.as_str());
        let share = |words: &[String]| {
            if words.is_empty() {
                return 0.0;
            }
            words.iter().filter(|word| in_title(word)).count() as f32 / words.len() as f32
        };
        let own_share = weighted(&in_titles, &|at| in_title(&names.words[at]));
        let body = body(place);
        let body_share = weighted(&in_bodies, &|at| finders[at].find(body).is_some());
        let is_special_use = names.special.is_some_and(|uses| {
            uses.iter().any(|part| memchr::memmem::find(body, part.as_bytes()).is_some())
        });
        let by_caller = caller_words.iter().map(|(words, weight)| share(words) * weight * 0.8);
        let words_share = by_caller.fold(own_share, f32::max);
        let is_owner_named = names.owner.as_ref().is_some_and(|owner| {
            let owner = folded(owner);
            owner.len() > 2 && (title.contains(&owner) || file_words.contains(&owner))
        });
        let is_mentioned = mentions.contains(&test);
        let path = reach.map_or(0.0, |of| (of.probability.ln().max(-4.0) + 4.0) / 4.0);
        let features = [
            path,
            flag(reach.is_some()),
            flag(reach.is_some_and(|of| of.is_direct)),
            flag(reach.is_some_and(|of| of.depth == 1)),
            flag(reach.is_some_and(|of| of.is_resolved)),
            flag(reach.is_some_and(|of| of.is_by_fixture)),
            flag(is_mentioned),
            if is_mentioned { rarity } else { 0.0 },
            flag(owner_mentions.contains(&test)),
            flag(whole.len() > 2 && title.contains(&whole)),
            words_share,
            flag(is_owner_named),
            *file_name,
            body_share,
            flag(is_special_use),
            reach.map_or(0.0, |of| 1.0 / f32::from(of.depth.max(1))),
            *imports,
        ];
        found.push(Candidate { test, features, reach });
    }
    (found, is_cut)
}

/// Returns the tests whose body contains `name` as an identifier.
fn mentions(tests: &Tests<'_>, name: &str) -> BTreeSet<TestAt> {
    let mut found = BTreeSet::new();
    let tree = tests.tree();
    for site in tree.sites(name).into_iter().take(SITES_MAX) {
        if !tree.is_test(site.file) && tests.of(site.file).is_empty() {
            continue;
        }
        let of = tests.of(site.file);
        if let Some(place) = of.test_at(site.reference.span.start) {
            found.insert(TestAt { file: site.file, place: place as u32 });
        }
    }
    found
}

/// Returns the test files that import a file, the nearest first.
fn importers(tests: &Tests<'_>, file: FileId) -> Vec<FileId> {
    let tree = tests.tree();
    let mut found: Vec<FileId> =
        tree.importers(file).into_iter().filter(|&of| tree.is_test(of)).collect();
    let path = tree.path(file);
    let shared = |other: &FileId| {
        let other = tree.path(*other);
        std::cmp::Reverse(path.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count())
    };
    found.sort_by_cached_key(|of| (shared(of), *of));
    found.dedup();
    found.truncate(IMPORTERS_MAX);
    found
}
