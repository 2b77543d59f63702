//! What suggests that a test executes a definition: paths of calls, names and imports.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustc_hash::FxHashMap;

pub use super::candidate::{Candidate, FEATURES};
use super::effort::Effort;
use super::fixtures::{Part, TestAt, Tests};
use super::kept::FileRead;
use super::mirror::mirrored;
use super::protocols;
use super::reach::{Reached, reach};
use crate::base::ids::FileId;
use crate::catalog::test_names::{folded, tested};
use crate::graph::link::{FileFacts, Site, SymbolAt};

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
    "import_chain",
    "co_change",
    "dynamic_import",
    "group_path",
    "file_path",
    "rare_special_use",
    "path_names",
];

/// The positions of the features that decide the source.
pub const IMPORTS: usize = 16;
/// See [`IMPORTS`].
pub const IMPORT_CHAIN: usize = 17;
/// See [`IMPORTS`].
pub const CO_CHANGE: usize = 18;
/// See [`IMPORTS`].
pub const DYNAMIC_IMPORT: usize = 19;

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
        let special = owner.as_ref().and_then(|_| protocols::uses(&symbol.name));
        Names { own, owner, words, stem: folded(stem), special }
    }
}

/// A candidate with its file.
struct Read {
    at: TestAt,
    file: Arc<FileRead>,
}

impl Read {
    fn title(&self) -> &str {
        &self.file.titles[self.at.place as usize]
    }

    /// Returns the number of its group in its file.
    fn group(&self) -> u32 {
        self.file.groups[self.at.place as usize]
    }
}

/// Returns those of `all` that exist; tests of one file are next to each other.
fn read(tests: &Tests<'_>, all: impl Iterator<Item = TestAt>) -> Vec<Read> {
    let mut found: Vec<Read> = Vec::new();
    let mut current: Option<(FileId, Arc<FileRead>)> = None;
    for at in all {
        if current.as_ref().is_none_or(|(file, _)| *file != at.file) {
            current = Some((at.file, tests.of(at.file)));
        }
        let Some((_, file)) = &current else { continue };
        if (at.place as usize) < file.tests.len() {
            found.push(Read { at, file: Arc::clone(file) });
        }
    }
    found
}

/// Returns which of the candidates contain a word.
fn containing(tests: &Tests<'_>, read: &[Read], part: Part, word: &str) -> Vec<bool> {
    let mut found = Vec::with_capacity(read.len());
    for of_file in read.chunk_by(|a, b| a.at.file == b.at.file) {
        let inside = tests.containing(of_file[0].at.file, part, word);
        found.extend(of_file.iter().map(|of| inside[of.at.place as usize]));
    }
    found
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
    // A brief search finds others, and costs little.
    let key = tests.history_key().filter(|_| *tests.effort() == Effort::FULL);
    let key = key.map(|has_history| (at, has_history));
    if let Some(kept) = key.and_then(|key| tests.kept().candidates.get(&key)) {
        return (*kept).clone();
    }
    let found = made_candidates(tests, at);
    tests.kept().candidates_made.fetch_add(1, Ordering::Relaxed);
    // What a limit of time left out is searched again.
    if let Some(key) = key.filter(|_| !(found.1 && tests.is_due())) {
        tests.kept().candidates.insert(key, Arc::new(found.clone()));
    }
    found
}

fn made_candidates(tests: &Tests<'_>, at: SymbolAt) -> (Vec<Candidate>, bool) {
    let tree = tests.tree();
    let Some(facts) = tree.file(at.file) else { return (Vec::new(), false) };
    if at.place as usize >= facts.symbols.len() {
        return (Vec::new(), false);
    }
    let names = Names::new(&facts, at.place as usize);
    let effort = *tests.effort();
    let mut named = tree.named_after(&names.stem);
    if let Some(owner) = &names.owner {
        named.extend(tree.named_after(&folded(owner)));
    }
    if effort.importers > 0 {
        named.extend(tree.partly_named_after(&names.stem));
    }
    let (mentions, near) = mentions(tests, &names.own, &named);
    let Reached { tests: reached, through, is_cut } = reach(tests, at, &near);
    let owner_mentions = match &names.owner {
        Some(owner) if *owner != names.own => self::mentions(tests, owner, &near).0,
        Some(_) => Rc::clone(&mentions),
        None => Rc::default(),
    };
    // Tests often name the caller of a private function.
    let mut caller_words: Vec<(Vec<String>, f32)> = Vec::new();
    for (step, of) in &through {
        let Some(facts) = tree.file(step.file).filter(|_| !tree.is_test(step.file)) else {
            continue;
        };
        if let Some(symbol) = facts.symbols.get(step.place as usize) {
            caller_words.push((words(&symbol.name), of.probability));
        }
    }
    caller_words.sort_by(|a, b| b.1.total_cmp(&a.1));
    caller_words.truncate(6);
    // A brief search does without the import graph of the tree.
    let links = if effort.importers == 0 { Arc::default() } else { tests.links(at.file) };
    let importers = importers(tests, at.file);
    named.truncate(effort.name_files);
    let mut all: BTreeSet<TestAt> = reached.keys().copied().collect();
    all.extend(&*mentions);
    all.extend(&*owner_mentions);
    let linked = links.co_change.keys().chain(links.dynamic.keys());
    for file in importers.iter().chain(&named).chain(linked) {
        all.extend(tests.in_file(*file));
    }
    // Tests inside the file of the definition itself.
    all.extend(tests.in_file(at.file));
    let longest = names.words.iter().max_by_key(|word| word.len()).filter(|word| word.len() > 3);
    if let Some(word) = longest.filter(|_| effort.word_files > 0) {
        let files = tree.with_word(word).into_iter().filter(|&file| tree.is_test(file));
        for file in files.take(effort.word_files) {
            for (place, contains) in tests.containing(file, Part::Body, word).iter().enumerate() {
                if *contains {
                    all.insert(TestAt { file, place: place as u32 });
                }
            }
        }
    }
    let is_cut = is_cut || all.len() > effort.candidates;
    // With few candidates, reading their imports is cheaper than the import graph of the tree.
    let is_importer = |file: FileId| {
        if effort.importers == 0 { tree.imports(file, at.file) } else { importers.contains(&file) }
    };
    let rarity = 1.0 / (1.0 + (mentions.len() as f32).ln_1p());
    let flag = |is: bool| f32::from(u8::from(is));
    let mut by_file: BTreeMap<FileId, (f32, f32, f32, String)> = BTreeMap::new();
    let mut found = Vec::new();
    let read = read(tests, all.into_iter().take(effort.candidates));
    // Words that few tests contain distinguish more.
    let rare = |is_there: &Vec<bool>| {
        let count = is_there.iter().filter(|is| **is).count();
        (1.0 + read.len() as f32 / (1.0 + count as f32)).ln()
    };
    let of_words = |part, words: &[String]| -> Vec<Vec<bool>> {
        words.iter().map(|word| containing(tests, &read, part, word)).collect()
    };
    let in_titles = of_words(Part::Title, &names.words);
    let in_bodies = of_words(Part::Body, &names.words);
    let title_weights: Vec<f32> = in_titles.iter().map(rare).collect();
    let body_weights: Vec<f32> = in_bodies.iter().map(rare).collect();
    let caller_words: Vec<(Vec<Vec<bool>>, f32)> = caller_words
        .iter()
        .map(|(words, weight)| (of_words(Part::Title, words), *weight))
        .collect();
    let special = names.special.unwrap_or_default();
    let special: Vec<Vec<bool>> =
        special.iter().map(|part| containing(tests, &read, Part::Body, part)).collect();
    let uses_special: Vec<bool> =
        (0..read.len()).map(|place| special.iter().any(|is_there| is_there[place])).collect();
    let special_rarity =
        1.0 / (1.0 + (uses_special.iter().filter(|uses| **uses).count() as f32).ln_1p());
    let path_of = |test: TestAt| {
        let reach = reached.get(&test);
        reach.map_or(0.0, |of| (of.probability.ln().max(-4.0) + 4.0) / 4.0)
    };
    // Tests of one group, or of one file, execute similar code.
    let mut by_group: FxHashMap<(FileId, u32), (f32, f32)> = FxHashMap::default();
    let mut of_file: FxHashMap<FileId, (f32, f32)> = FxHashMap::default();
    for of in &read {
        let (at, path) = (of.at, path_of(of.at));
        for (sum, count) in [
            by_group.entry((at.file, of.group())).or_default(),
            of_file.entry(at.file).or_default(),
        ] {
            *sum += path;
            *count += 1.0;
        }
    }
    // Without the test itself; one more test without a path counts, as a doubt.
    let others = |(sum, count): (f32, f32), own: f32| (sum - own) / count.max(1.0);
    let weighted = |weights: &[f32], is_there: &[Vec<bool>], place: usize| {
        let total: f32 = weights.iter().sum();
        let there = (0..weights.len()).filter(|&at| is_there[at][place]).map(|at| weights[at]);
        if total > 0.0 { there.sum::<f32>() / total } else { 0.0 }
    };
    let whole = folded(&names.own);
    let folded_owner = names.owner.as_deref().map(folded);
    for (place, of) in read.iter().enumerate() {
        let test = of.at;
        let (file_name, path_names, imports, file_words) =
            by_file.entry(test.file).or_insert_with(|| {
                let path = tree.path(test.file);
                let tested = tested(path.as_bytes()).unwrap_or_default();
                let is_owner = |owner: &String| folded(owner) == tested;
                let is_named = !tested.is_empty()
                    && (tested == names.stem || names.owner.as_ref().is_some_and(is_owner));
                // Files of one package see each other's names without an import.
                let imports = test.file == at.file
                    || is_importer(test.file)
                    || tree.is_same_package(test.file, at.file);
                (flag(is_named), mirrored(&facts.path, &path), flag(imports), tested)
            });
        let reach = reached.get(&test).copied();
        let title = of.title();
        let share = |words: &[Vec<bool>]| {
            if words.is_empty() {
                return 0.0;
            }
            words.iter().filter(|is_there| is_there[place]).count() as f32 / words.len() as f32
        };
        let own_share = weighted(&title_weights, &in_titles, place);
        let body_share = weighted(&body_weights, &in_bodies, place);
        let is_special_use = uses_special[place];
        let by_caller = caller_words.iter().map(|(words, weight)| share(words) * weight * 0.8);
        let words_share = by_caller.fold(own_share, f32::max);
        let is_owner_named = folded_owner.as_ref().is_some_and(|owner| {
            owner.len() > 2 && (title.contains(owner) || file_words.contains(owner))
        });
        let is_mentioned = mentions.contains(&test);
        let path = path_of(test);
        let group = by_group.get(&(test.file, of.group())).copied().unwrap_or_default();
        let in_file = of_file.get(&test.file).copied().unwrap_or_default();
        let chain = links.imports.get(&test.file).map_or(0.0, |&steps| 1.0 / f32::from(steps));
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
            chain,
            links.co_change.get(&test.file).copied().unwrap_or(0.0),
            links.dynamic.get(&test.file).copied().unwrap_or(0.0),
            others(group, path),
            others(in_file, path),
            if is_special_use { special_rarity } else { 0.0 },
            *path_names,
        ];
        found.push(Candidate { test, features, reach });
    }
    (found, is_cut)
}

/// Returns the tests whose body contains `name` as an identifier, and the files that were read: all
/// with tests, or if the effort has fewer, those of `named` and those with the most uses.
fn mentions(
    tests: &Tests<'_>,
    name: &str,
    named: &[FileId],
) -> (Rc<BTreeSet<TestAt>>, Vec<FileId>) {
    let (tree, effort) = (tests.tree(), tests.effort());
    if effort.name_files == usize::MAX {
        let find = || {
            let mut sites = tree.sites(name);
            sites.truncate(effort.sites);
            with_sites(tests, &sites)
        };
        return (tests.mentioning(name, find), Vec::new());
    }
    let mut sites = tree.sites(name);
    sites.truncate(effort.sites);
    let mut counts: BTreeMap<FileId, usize> = BTreeMap::new();
    for site in &sites {
        *counts.entry(site.file).or_default() += 1;
    }
    let mut near: Vec<FileId> = counts.keys().copied().collect();
    near.retain(|&file| tree.is_test(file));
    near.sort_by_key(|file| (std::cmp::Reverse((named.contains(file), counts[file])), *file));
    near.truncate(effort.name_files);
    sites.retain(|site| near.contains(&site.file));
    (Rc::new(with_sites(tests, &sites)), near)
}

/// Returns the tests that contain one of some uses.
fn with_sites(tests: &Tests<'_>, sites: &[Site]) -> BTreeSet<TestAt> {
    let test = |site: &Site| {
        let place = tests.of(site.file).test_at(site.reference.span.start)?;
        Some(TestAt { file: site.file, place: place as u32 })
    };
    sites.iter().filter_map(test).collect()
}

/// Returns the test files that import a file, the nearest first.
fn importers(tests: &Tests<'_>, file: FileId) -> Rc<Vec<FileId>> {
    let tree = tests.tree();
    if tests.effort().importers == 0 {
        return Rc::default();
    }
    tests.importing(file, || {
        let mut found: Vec<FileId> =
            tree.importers(file).into_iter().filter(|&of| tree.is_test(of)).collect();
        let path = tree.path(file);
        let shared = |other: &FileId| {
            let other = tree.path(*other);
            std::cmp::Reverse(path.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count())
        };
        found.sort_by_cached_key(|of| (shared(of), *of));
        found.dedup();
        found.truncate(tests.effort().importers);
        found
    })
}
