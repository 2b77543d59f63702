//! Canonical decisions for a file or area and a task, the most relevant first.
//!
//! Only records whose scope contains the area are listed. Their order is that of a sum: the share of
//! the task's words that the record has, weighted by their inverse document frequency ln(1 + N / n)
//! among the N canonical records; up to a quarter for confidence; up to 0.15 for a specific scope; up
//! to a tenth for usefulness: feedback counts +1 or −1, decayed with a half-life of 90 days.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use rustc_hash::FxHashMap;

use super::store::Store;
use crate::error::Result;
use crate::lang::language::Language;
use crate::lang::prose::{Stems, is_stop_word};
use crate::lang::words::parts;
use crate::userdata::decisions::{Decision, Filter, Scope, State};

/// The half-life of feedback in milliseconds: 90 days.
const HALF_LIFE_MS: f64 = 90.0 * 24.0 * 3600.0 * 1000.0;

/// What a certain author, the most specific scope and much feedback add to the share of the task's
/// words, which is at most 1: the words decide, these order what they leave open.
const CONFIDENCE_WEIGHT: f64 = 0.25;
const SCOPE_WEIGHT: f64 = 0.15;
const USEFULNESS_WEIGHT: f64 = 0.1;

/// How many stores a process keeps in memory.
const CACHED_MAX: usize = 4;

/// The most words of a task that are compared.
const WORDS_MAX: usize = 200;

/// Where the caller works.
#[derive(Clone, Debug, Default)]
pub struct Area {
    /// Repository paths; a directory ends with `/`.
    pub paths: Vec<String>,
    /// The languages of the files.
    pub languages: Vec<&'static Language>,
    /// What the caller wrote, if it is no path.
    pub words: String,
}

/// How specifically a scope contains an area.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Fit {
    /// The scope contains everything.
    Global,
    /// It is a language of the area.
    Language,
    /// It is a module around the area, or named by it.
    Module,
    /// Its glob matches a path of the area.
    Path,
}

/// A record for an area.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The record.
    pub decision: Arc<Decision>,
    /// How its scope contains the area.
    pub fit: Fit,
    /// The weighted share of the task's words that it has, from 0 to 1.
    pub overlap: f64,
    /// The decayed sum of its feedback.
    pub usefulness: f64,
}

/// The canonical records of a store, prepared for look-ups.
#[derive(Debug, Default)]
pub struct Served {
    /// The records, by id.
    all: Vec<Arc<Decision>>,
    /// The records with a word, ascending.
    with_word: FxHashMap<String, Vec<u32>>,
    /// The different scopes: records share them.
    scopes: Vec<Scope>,
    /// The place in `scopes` of the scope of each record.
    scope_of: Vec<usize>,
    /// The words of the module that is a scope.
    module_words: Vec<BTreeSet<String>>,
    /// The globs, and the scope of each.
    globs: GlobSet,
    of_glob: Vec<usize>,
    /// Time and value of the feedback of each record.
    feedback: BTreeMap<String, Vec<(i64, bool)>>,
}

/// What the order of a record depends on.
struct Key {
    /// Its place, which is that of its id.
    at: usize,
    fit: Fit,
    overlap: f64,
    relevance: f64,
    usefulness: f64,
}

static CACHE: Mutex<Vec<(String, i64, Arc<Served>)>> = Mutex::new(Vec::new());

/// Returns the canonical records of a store; from memory, if the store did not change since.
/// O(records) after a change, else O(1).
///
/// # Errors
///
/// If the store cannot be read.
pub fn served(store: &dyn Store) -> Result<Arc<Served>> {
    let name = store.name();
    let revision = store.revision()?;
    {
        let cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        let cached = cache.iter().find(|(of, at, _)| *of == name && *at == revision);
        if let Some((_, _, served)) = cached {
            return Ok(Arc::clone(served));
        }
    }
    // A change between the two reads is seen by the next call: its revision is higher.
    let filter = Filter { states: vec![State::Canonical], ..Filter::default() };
    let served = Arc::new(Served::new(store.decisions(&filter)?, store.feedback()?));
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    cache.retain(|(of, ..)| *of != name);
    if cache.len() >= CACHED_MAX {
        cache.remove(0);
    }
    cache.push((name, revision, Arc::clone(&served)));
    Ok(served)
}

impl Served {
    /// Returns the canonical ones of `all` with the feedback of [`Store::feedback`].
    pub fn new(all: Vec<Decision>, rated: Vec<(String, i64, bool)>) -> Served {
        let all = all.into_iter().filter(|it| it.status == State::Canonical);
        let mut all: Vec<Arc<Decision>> = all.map(Arc::new).collect();
        all.sort_by(|a, b| a.id.cmp(&b.id));
        let mut stems = Stems::default();
        let words: Vec<BTreeSet<String>> = all
            .iter()
            .map(|it| {
                let mut words = words_of(&it.pattern, &mut stems);
                for keyword in &it.keywords {
                    words.extend(words_of(keyword, &mut stems));
                }
                words
            })
            .collect();
        let mut with_word: FxHashMap<String, Vec<u32>> = FxHashMap::default();
        for (words, at) in words.into_iter().zip(0..) {
            for word in words {
                with_word.entry(word).or_default().push(at);
            }
        }
        let mut scopes: Vec<Scope> = Vec::new();
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        let mut place_of = |it: &Arc<Decision>| {
            *places.entry(it.scope.to_string()).or_insert_with(|| {
                scopes.push(it.scope.clone());
                scopes.len() - 1
            })
        };
        let scope_of: Vec<usize> = all.iter().map(&mut place_of).collect();
        let module_words = scopes
            .iter()
            .map(|scope| match scope {
                Scope::Module(name) => words_of(name, &mut stems),
                _ => BTreeSet::new(),
            })
            .collect();
        let mut globs = GlobSetBuilder::new();
        let mut of_glob = Vec::new();
        for (at, scope) in scopes.iter().enumerate() {
            // What is stored is a valid glob; one that an older version accepted has no effect.
            if let Scope::Path(glob) = scope
                && let Ok(glob) = compiled(glob)
            {
                globs.add(glob);
                of_glob.push(at);
            }
        }
        let mut feedback: BTreeMap<String, Vec<(i64, bool)>> = BTreeMap::new();
        for (id, at_ms, is_useful) in rated {
            feedback.entry(id).or_default().push((at_ms, is_useful));
        }
        // Without the set, globs would have no effect, silently: each is valid, so this is a matter
        // of their total size.
        let globs = globs.build().unwrap_or_else(|error| {
            log::warn!("the scopes of decisions cannot be combined: {error}");
            GlobSet::empty()
        });
        Served { all, with_word, scopes, scope_of, module_words, globs, of_glob, feedback }
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the records whose scope contains the area, the most relevant first. For an area that
    /// is no path, the records that share a word with it or with the task, and the global ones.
    /// O(records + bytes of the task).
    pub fn rank(&self, area: &Area, task: &str, now_ms: i64) -> Vec<Ranked> {
        let mut stems = Stems::default();
        let in_area = words_of(&area.words, &mut stems);
        let mut wanted = words_of(task, &mut stems);
        wanted.extend(in_area.iter().cloned());
        let count = self.all.len() as f64;
        // The weight of the shared words of each record, and of all words.
        let (mut shared, mut total) = (vec![0.0; self.all.len()], 0.0);
        for word in wanted.iter().take(WORDS_MAX) {
            let Some(with) = self.with_word.get(word) else { continue };
            let weight = (1.0 + count / with.len() as f64).ln();
            total += weight;
            for &at in with {
                shared[at as usize] += weight;
            }
        }
        let mut is_glob_match = vec![false; self.scopes.len()];
        for path in &area.paths {
            // A directory is in a scope if the glob matches it or a file directly in it.
            let inside = format!("{path}x");
            let path = path.trim_end_matches('/');
            for at in self.globs.matches(path) {
                is_glob_match[self.of_glob[at]] = true;
            }
            if inside.ends_with("/x") {
                for at in self.globs.matches(&inside) {
                    is_glob_match[self.of_glob[at]] = true;
                }
            }
        }
        // Small keys: a large store has thousands of equally relevant records.
        let mut keys: Vec<Key> = Vec::new();
        let fit_of = |(at, scope): (usize, &Scope)| match scope {
            Scope::Global => Some(Fit::Global),
            Scope::Language(name) => {
                let is_it = |of: &Language| of.name.eq_ignore_ascii_case(name);
                area.languages.iter().any(|of| is_it(of)).then_some(Fit::Language)
            }
            Scope::Module(name) => {
                let is_around = area.paths.iter().any(|path| is_in_module(path, name));
                let is_named = || !self.module_words[at].is_disjoint(&in_area);
                (is_around || is_named()).then_some(Fit::Module)
            }
            Scope::Path(_) => is_glob_match[at].then_some(Fit::Path),
        };
        let fits: Vec<Option<Fit>> = self.scopes.iter().enumerate().map(fit_of).collect();
        for (at, decision) in self.all.iter().enumerate() {
            let overlap = if total > 0.0 { shared[at] / total } else { 0.0 };
            let fit = fits[self.scope_of[at]];
            // An area in words has no place in the tree: what shares its words may hold there.
            let fit =
                fit.or_else(|| (area.paths.is_empty() && overlap > 0.0).then_some(Fit::Global));
            if let Some(fit) = fit {
                let usefulness = self.usefulness(&decision.id, now_ms);
                let confidence = f64::from(decision.confidence as u8) / 2.0;
                let scope = f64::from(fit as u8) / f64::from(Fit::Path as u8);
                let feedback = usefulness / (1.0 + usefulness.abs());
                let relevance = overlap
                    + CONFIDENCE_WEIGHT * confidence
                    + SCOPE_WEIGHT * scope
                    + USEFULNESS_WEIGHT * feedback;
                keys.push(Key { at, fit, overlap, relevance, usefulness });
            }
        }
        keys.sort_unstable_by(|a, b| {
            b.relevance.total_cmp(&a.relevance).then(b.fit.cmp(&a.fit)).then(a.at.cmp(&b.at))
        });
        let ranked = keys.into_iter().map(|Key { at, fit, overlap, usefulness, .. }| Ranked {
            decision: Arc::clone(&self.all[at]),
            fit,
            overlap,
            usefulness,
        });
        ranked.collect()
    }

    fn usefulness(&self, id: &str, now_ms: i64) -> f64 {
        let rated = self.feedback.get(id).map_or(&[][..], Vec::as_slice);
        let decayed = rated.iter().map(|&(at_ms, is_useful)| {
            let age_ms = now_ms.saturating_sub(at_ms).max(0) as f64;
            let sign = if is_useful { 1.0 } else { -1.0 };
            sign * (-age_ms / HALF_LIFE_MS).exp2()
        });
        decayed.sum()
    }
}

/// Returns the glob of a scope: `*` does not match `/`, `**` does.
fn compiled(glob: &str) -> std::result::Result<Glob, globset::Error> {
    GlobBuilder::new(glob).literal_separator(true).build()
}

/// Returns true if a path is in a module: below a directory of that name, or the file of it.
pub fn is_in_module(path: &str, name: &str) -> bool {
    let name = name.replace("::", "/");
    let dotted = if name.contains('/') { name } else { name.replace('.', "/") };
    let module = format!("/{}", dotted.trim_matches('/'));
    let path = format!("/{path}");
    path.match_indices(&module).any(|(at, _)| {
        // The whole path, or a part of it that ends with a directory, or before an extension.
        matches!(path.as_bytes().get(at + module.len()), None | Some(b'/' | b'.'))
    })
}

/// Returns the stems of the words of a text, with the parts of identifiers, in lower case, without
/// stop words.
fn words_of(text: &str, stems: &mut Stems) -> BTreeSet<String> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let mut words = BTreeSet::new();
    for word in text.split(|character| !is_part(character)).filter(|word| !word.is_empty()) {
        let mut add = |word: &str| {
            let word = word.to_lowercase();
            if word.len() > 1 && !is_stop_word(&word) {
                words.insert(stems.stem(&word).to_owned());
            }
        };
        add(word);
        parts(word).for_each(&mut add);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::language::of_name;
    use crate::userdata::decisions::{Confidence, Origin};

    fn decision(id: &str, pattern: &str, scope: &str, confidence: Confidence) -> Decision {
        Decision {
            id: id.to_owned(),
            pattern: pattern.to_owned(),
            scope: Scope::parse(scope).unwrap(),
            rationale: "r".to_owned(),
            confidence,
            source_refs: Vec::new(),
            status: State::Canonical,
            superseded_by: None,
            origin: Origin::Human,
            extractor: None,
            keywords: Vec::new(),
            created_at: String::new(),
            updated_at: String::new(),
        }
    }

    fn ids(ranked: &[Ranked]) -> Vec<&str> {
        ranked.iter().map(|it| it.decision.id.as_str()).collect()
    }

    fn area(path: &str) -> Area {
        let languages = of_name(path.as_bytes()).into_iter().collect();
        Area { paths: vec![path.to_owned()], languages, words: String::new() }
    }

    #[test]
    fn words_precede_confidence_and_scope() {
        use Confidence::{High, Low};
        let all = vec![
            decision("global", "Use logging for messages", "global", High),
            decision("language", "Use pathlib for paths", "language:python", Low),
            decision("module", "Raise ShopError", "module:shop", Low),
            decision("glob", "Keep prices in cents", "src/shop/**", Low),
            decision("other", "Use hooks", "web/**", High),
            decision("sure", "Use tabs", "language:python", High),
        ];
        let served = Served::new(all.clone(), Vec::new());
        let found = served.rank(&area("src/shop/cart.py"), "write paths to a file", 0);
        assert_eq!(ids(&found), ["language", "sure", "global", "glob", "module"]);
        // Many records of the nearest scope do not hide the one that the task names.
        let near = (0..6)
            .map(|at| decision(&format!("near{at}"), &format!("Use x{at}"), "src/shop/**", High));
        let named = decision("named", "Round a discount down", "global", Low);
        let served = Served::new(near.chain([named]).collect(), Vec::new());
        let found = served.rank(&area("src/shop/cart.py"), "add a discount", 0);
        assert_eq!((found.len(), ids(&found)[0]), (7, "named"));
        // Without a task, the most specific scope of equal confidence comes first.
        let found = served.rank(&area("src/shop/cart.py"), "", 0);
        assert_eq!(ids(&found)[6], "named");
        let served = Served::new(all, Vec::new());
        let found = served.rank(&area("docs/a.md"), "print messages", 0);
        assert_eq!(ids(&found), ["global"]);
        assert!(found[0].overlap > 0.99);
        let below = Area { paths: vec!["src/shop/".to_owned()], ..Area::default() };
        assert_eq!(ids(&served.rank(&below, "", 0)), ["global", "glob", "module"]);
        let in_words = Area { words: "hooks of the page".to_owned(), ..Area::default() };
        assert_eq!(ids(&served.rank(&in_words, "", 0))[0], "other");
    }

    #[test]
    fn feedback_decays_with_a_half_life_of_90_days() {
        let day = 24 * 3600 * 1000;
        let all = vec![
            decision("a", "Use x", "global", Confidence::High),
            decision("b", "Use x", "global", Confidence::High),
        ];
        let rated = vec![("b".to_owned(), 0, true), ("b".to_owned(), 90 * day, true)];
        let served = Served::new(all, rated);
        let found = served.rank(&area("a.py"), "", 90 * day);
        assert_eq!(ids(&found), ["b", "a"]);
        assert!((found[0].usefulness - 1.5).abs() < 1e-9);
    }

    #[test]
    fn only_canonical_records_are_served() {
        let mut all = Vec::new();
        for state in State::ALL {
            let it = decision(state.name(), "Use x", "global", Confidence::High);
            all.push(Decision { status: *state, ..it });
        }
        let served = Served::new(all, Vec::new());
        assert_eq!(ids(&served.rank(&area("a.py"), "use x", 0)), ["canonical"]);
    }

    #[test]
    fn a_module_contains_its_files() {
        for (path, module, expected) in [
            ("src/flask/json/tag.py", "flask.json", true),
            ("src/flask/json.py", "flask.json", true),
            ("src/flask/jsonify.py", "flask.json", false),
            ("src/cart/mod.rs", "cart", true),
            ("src/engine/cart.rs", "engine::cart", true),
            ("src/smart/cart.rs", "art", false),
        ] {
            assert_eq!(is_in_module(path, module), expected, "{path} in {module}");
        }
    }
}
