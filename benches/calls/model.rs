//! The prototype of the code model (`model/`) behind the results of the linker: the same sites, the
//! same judgement, and the callers of the same definitions, timed. Run it with `RAYON_NUM_THREADS=1`: the prototype has
//! one thread.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use codedb::graph::calls::{ALL, Bound, uses_within};
use codedb::graph::link::{self, CONFIDENCE_ANSWER, Code, Link, Reason, SymbolAt};
use codedb::lang::facts::Role;
use codedb_model::ir::codec::{encode, slice_of};
use codedb_model::ir::text::{Lines, parse};
use codedb_model::ir::{File, UseId};
use codedb_model::resolve::ty::{Def, FileId};
use codedb_model::resolve::{Choice, Evidence, Resolver};
use codedb_model::rules::Rules;
use codedb_model::{languages, lower};

use crate::options::Options;
use crate::sample::Answered;
use crate::score::{self, Judgement};
use crate::tree::Tree;
use crate::truth;

/// The most functions of a tree whose callers are timed, evenly spaced.
const TIMED_MAX: usize = 4_000;

/// The budget of one question.
const BUDGET: u64 = 100_000;

/// Confidences of the linker's results: the only answer, one of several, and the only one of a name.
const ONLY: f32 = 0.95;
const SEVERAL: f32 = 0.6;
const BY_NAME: f32 = 0.8;

/// What the prototype says of a site without links.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Silence {
    /// The call leaves the tree.
    Outside,
    /// Nothing is known, or there may be others.
    Unknown,
    /// The budget did not suffice.
    Undecided,
    /// The facts have no use there, or the tree's facts have no such symbol.
    Unmapped,
}

/// The facts of a tree.
pub(crate) struct Facts {
    files: Vec<File>,
    library: File,
    rules: &'static dyn Rules,
}

impl Facts {
    /// Lowers the files of `tree`.
    ///
    /// # Errors
    ///
    /// A language without a lowering.
    pub(crate) fn of(tree: &Tree, language: &str) -> Result<Facts, String> {
        let rules =
            languages::rules(language).ok_or_else(|| format!("no rules for `{language}`"))?;
        let lowers = rules.lowering().ok_or_else(|| format!("no lowering for `{language}`"))?;
        let mut texts: Vec<_> = tree.texts.iter().collect();
        texts.sort();
        let files = texts.into_iter().map(|(path, text)| (path.as_str(), text.as_slice()));
        let files = lower::tree(lowers, files)?;
        let library = parse("library", rules.library(), &Lines::new(""))?;
        Ok(Facts { files, library, rules })
    }

    /// Returns what of the facts is stored.
    fn stored(&self) -> Facts {
        let needs = self.rules.needs();
        let files = self.files.iter().map(|file| slice_of(file, &needs)).collect();
        Facts { files, library: self.library.clone(), rules: self.rules }
    }
}

/// The resolver of the prototype with the linker's results.
pub(crate) struct Linker<'f> {
    resolver: Resolver<'f>,
    facts: &'f Facts,
    tree: &'f Tree,
    /// Uses by path and byte of their name.
    uses: HashMap<(&'f str, u32), (FileId, UseId)>,
    /// Symbols with the byte of their name, by path and name.
    symbols: HashMap<(String, String), Vec<(usize, SymbolAt)>>,
}

impl<'f> Linker<'f> {
    /// Returns the linker over `facts`, whose definitions are those of `tree`.
    pub(crate) fn new(facts: &'f Facts, tree: &'f Tree) -> Linker<'f> {
        let files: Vec<&File> = facts.files.iter().chain([&facts.library]).collect();
        let mut uses = HashMap::new();
        for (at, file) in facts.files.iter().enumerate() {
            for (id, of) in file.uses.iter().filter(|(_, of)| of.name.is_some()) {
                uses.insert((&*file.path, of.range.start), (FileId(at as u32), id));
            }
        }
        let mut symbols: HashMap<(String, String), Vec<(usize, SymbolAt)>> = HashMap::new();
        for file in tree.program.ids() {
            let Some(facts) = tree.program.file(file) else { continue };
            for (place, symbol) in (0..).zip(&facts.symbols) {
                let key = (facts.path.clone(), symbol.name.clone());
                let at = (symbol.name_span.start, SymbolAt { file, place });
                symbols.entry(key).or_default().push(at);
            }
        }
        symbols.values_mut().for_each(|all| all.sort());
        Linker { resolver: Resolver::new(files, facts.rules), facts, tree, uses, symbols }
    }

    /// Returns the links of the call whose name begins at `byte`, or why there are none.
    pub(crate) fn resolve(&self, path: &str, byte: usize) -> Result<Vec<Link>, Silence> {
        let Some(&(file, id)) = self.uses.get(&(path, byte as u32)) else {
            return Err(Silence::Unmapped);
        };
        let Some((resolution, _)) = self.resolver.question(file, id, BUDGET) else {
            return Err(Silence::Undecided);
        };
        // The linker's contract: a call through a field refers to the field.
        if let Some(to) = resolution.through.and_then(|through| self.symbol(through)) {
            return Ok(vec![Link { to, confidence: ONLY, reason: Reason::Receiver }]);
        }
        if resolution.is_outside {
            return Err(Silence::Outside);
        }
        if resolution.choice == Choice::Open {
            return Err(Silence::Unknown);
        }
        let (reason, only) = match resolution.evidence {
            Evidence::Scope => (Reason::Scope, ONLY),
            Evidence::Import => (Reason::Import, ONLY),
            Evidence::DeclaredType | Evidence::InferredType => (Reason::Receiver, ONLY),
            Evidence::ThroughBase => (Reason::Inherited, ONLY),
            Evidence::SatisfiedInterface => (Reason::Implementation, ONLY),
            Evidence::UniqueName => (Reason::UniqueName, BY_NAME),
            Evidence::SimilarName => (Reason::UniqueName, SEVERAL),
        };
        let confidence = match resolution.choice {
            Choice::Only if !resolution.is_dispatch => only,
            _ => SEVERAL,
        };
        let called = resolution.called.iter().map(|called| self.resolver.body_of(called.def));
        let symbols = called.filter_map(|def| self.symbol(def));
        let mut links: Vec<Link> = symbols.map(|to| Link { to, confidence, reason }).collect();
        // The linker's contract: a type ranks above a constructor that it inherits.
        let constructed = self.resolver.inherits_constructor(&resolution);
        if let Some(to) = constructed.and_then(|of| self.symbol(of)) {
            links.iter_mut().for_each(|link| link.reason = Reason::Inherited);
            links.insert(0, Link { to, confidence, reason });
        }
        if links.is_empty() { Err(Silence::Unmapped) } else { Ok(links) }
    }

    /// Returns the symbol of a definition; none for one that the tree's facts do not have.
    fn symbol(&self, def: Def) -> Option<SymbolAt> {
        let file = self.facts.files.get(def.file.0 as usize)?;
        let definition = &file.definitions[def.id];
        let (start, end) = (definition.range.start as usize, definition.range.end as usize);
        let all = self.symbols.get(&(file.path.to_string(), definition.name.to_string()))?;
        all.iter().find(|(at, _)| (start..end).contains(at)).map(|&(_, symbol)| symbol)
    }
}

/// The verdicts, in the order of the table.
const VERDICTS: [&str; 5] = ["right", "outside", "missed", "wrong", "unsure"];

fn verdict((judgement, is_sure): (Judgement, bool)) -> Option<usize> {
    match judgement {
        Judgement::Right => Some(0),
        Judgement::Outside => Some(1),
        Judgement::Missed => Some(2),
        Judgement::Wrong if is_sure => Some(3),
        Judgement::Wrong => Some(4),
        Judgement::Unknown => None,
    }
}

/// What the linker and the prototype answered.
#[derive(Default)]
struct Sums {
    linker: [usize; VERDICTS.len()],
    model: [usize; VERDICTS.len()],
    /// Sites whose answer changes when the resolver sees only what is stored.
    stored: usize,
    /// Of the sites whose target is outside: stated as outside, and without an answer.
    outside: [usize; 2],
    /// Calls of the timed functions: of both, of the linker only, of the prototype only.
    callers: [usize; 3],
    times: [Vec<Duration>; 3],
}

impl Sums {
    fn add(&mut self, other: Sums) {
        for (sum, of) in [(&mut self.linker, other.linker), (&mut self.model, other.model)] {
            sum.iter_mut().zip(of).for_each(|(sum, count)| *sum += count);
        }
        self.stored += other.stored;
        for (sum, of) in [
            (&mut self.outside[..], &other.outside[..]),
            (&mut self.callers[..], &other.callers[..]),
        ] {
            sum.iter_mut().zip(of).for_each(|(sum, count)| *sum += count);
        }
        self.times.iter_mut().zip(other.times).for_each(|(all, some)| all.extend(some));
    }

    fn print(&self, name: &str) {
        let row = |counts: [usize; VERDICTS.len()]| counts.map(|n| cell(&n.to_string())).concat();
        println!("{name:<36}{:<8}{}", "linker", row(self.linker));
        println!("{:<36}{:<8}{}", "", "model", row(self.model));
        let [stated, silent] = self.outside;
        println!(
            "  targets outside: {stated} stated, {silent} not known; with the slice {} answers change",
            self.stored
        );
        let [both, linker, model] = self.callers;
        println!(
            "  callers: {both} of both, {linker} only of the linker, {model} only of the model"
        );
        println!("  {}", self.shares());
    }

    /// Returns the times of callers.
    fn shares(&self) -> String {
        let at = |times: &Vec<Duration>, percent: usize| {
            let mut times = times.clone();
            times.sort();
            times.get(times.len() * percent / 100).copied().unwrap_or_default()
        };
        let text = |times: &Vec<Duration>| {
            format!("{:.2?}/{:.2?}/{:.2?}", at(times, 50), at(times, 95), at(times, 99))
        };
        let [linker, cold, warm] = self.times.each_ref().map(text);
        format!(
            "callers of {} functions (50/95/99 %): linker {linker}, model {cold}, warm {warm}",
            self.times[0].len()
        )
    }
}

/// Prints for each tree of a language, or for `--tree` with `--answers`, what the linker and the
/// prototype answer, and how long the callers of its functions take.
///
/// # Errors
///
/// A tree that cannot be read, and a language without rules or lowering.
pub(crate) fn compare(options: &Options, language: &str) -> Result<(), String> {
    let options = Options { language: language.to_owned(), ..options.clone() };
    let mut all = Sums::default();
    println!("{:<36}{:<8}{}", "tree", "", VERDICTS.map(cell).concat());
    let mut with = |name: &str, tree: Tree, sites: Vec<Answered>| {
        let sums = compare_tree(&options, &tree, &sites)?;
        sums.print(name);
        all.add(sums);
        Ok(())
    };
    match &options.answers {
        None => truth::each(language, with)?,
        Some(path) => {
            let text = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
            let sites = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
            with(&options.tree.to_string_lossy(), Tree::read(&options.tree)?, sites)?;
        }
    }
    all.print("all");
    Ok(())
}

fn compare_tree(options: &Options, tree: &Tree, sites: &[Answered]) -> Result<Sums, String> {
    let start = Instant::now();
    let facts = Facts::of(tree, &options.language)?;
    let lowered = start.elapsed();
    let linker = Linker::new(&facts, tree);
    let indexed = start.elapsed() - lowered;
    let stored = facts.stored();
    let sliced = Linker::new(&stored, tree);
    let mut sums = Sums::default();
    for answered in sites {
        let links = linker.resolve(&answered.site.path, answered.site.byte);
        let again = sliced.resolve(&answered.site.path, answered.site.byte);
        sums.stored += usize::from(again != links);
        let silence = links.as_ref().err().copied();
        let links = links.unwrap_or_default();
        let before = verdict(score::judgement(options, tree, answered));
        let now = verdict(score::judgement_of(options, tree, answered, &links));
        let (Some(before), Some(now)) = (before, now) else { continue };
        if VERDICTS[now] == "outside" {
            sums.outside[usize::from(silence != Some(Silence::Outside))] += 1;
        }
        sums.linker[before] += 1;
        sums.model[now] += 1;
        let is_shown = options.show.split(',').any(|shown| shown == VERDICTS[now]);
        if is_shown || before != now && options.show.contains("changes") {
            let change = format!("{} → {}", VERDICTS[before], VERDICTS[now]);
            score::show(tree, answered, &change);
        }
    }
    let bytes: usize = stored.files.iter().map(|file| encode(file).len()).sum();
    println!("  lowered in {lowered:.1?}, indexed in {indexed:.1?}, slice of {} KB", bytes / 1000);
    (sums.times, sums.callers) = time_callers(&linker);
    Ok(sums)
}

/// Times the calls of each function: by the linker, by the prototype with nothing cached, and by the
/// prototype with all cached; counts those that both list, and that one of them does.
fn time_callers(linker: &Linker<'_>) -> ([Vec<Duration>; 3], [usize; 3]) {
    let mut counts = [0; 3];
    let mut listed: Vec<HashSet<(String, usize)>> = Vec::new();
    let mut times: [Vec<Duration>; 3] = Default::default();
    let mut functions = Vec::new();
    for (at, file) in linker.facts.files.iter().enumerate() {
        for (id, _) in file.definitions.iter().filter(|(_, of)| of.kind.is_callable()) {
            let def = Def { file: FileId(at as u32), id };
            functions.extend(linker.symbol(def).map(|symbol| (def, symbol)));
        }
    }
    let step = functions.len().div_ceil(TIMED_MAX).max(1);
    let functions: Vec<_> = functions.into_iter().step_by(step).collect();
    let calls = Bound { roles: &[Role::Call], ..ALL };
    for &(_, symbol) in &functions {
        let start = Instant::now();
        let found = link::Linker::new(&linker.tree.program);
        let found = uses_within(&found, &[symbol], CONFIDENCE_ANSWER, calls);
        times[0].push(start.elapsed());
        let program = &linker.tree.program;
        listed.push(
            found
                .uses
                .into_iter()
                .filter_map(|(_, caller)| {
                    let path = program.file(caller.site.file)?.path.clone();
                    Some((path, caller.site.reference.span.start))
                })
                .collect(),
        );
    }
    let mut cold = Vec::new();
    for &(def, _) in &functions {
        linker.resolver.forget();
        let start = Instant::now();
        cold.push(linker.resolver.callers(def, BUDGET).calls);
        times[1].push(start.elapsed());
    }
    for &(def, _) in &functions {
        linker.resolver.callers(def, BUDGET);
    }
    for (listed, calls) in listed.iter().zip(&cold) {
        let calls: HashSet<(String, usize)> = calls
            .iter()
            .map(|&(file, of, _)| {
                let facts = &linker.facts.files[file.0 as usize];
                (facts.path.to_string(), facts.uses[of].range.start as usize)
            })
            .collect();
        let both = listed.intersection(&calls).count();
        counts[0] += both;
        counts[1] += listed.len() - both;
        counts[2] += calls.len() - both;
    }
    for (&(def, _), cold) in functions.iter().zip(cold) {
        let start = Instant::now();
        let warm = linker.resolver.callers(def, BUDGET).calls;
        times[2].push(start.elapsed());
        assert_eq!(warm, cold, "what is cached changes nothing");
    }
    (times, counts)
}

fn cell(text: &str) -> String {
    format!("{text:>10}")
}
