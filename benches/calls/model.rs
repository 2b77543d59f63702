//! The prototype of the code model (`model/`) behind the results of the linker: the same sites, the
//! same judgement, and the callers of the same definitions, timed. Run it with `RAYON_NUM_THREADS=1`: the prototype has
//! one thread.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use codedb::graph::calls::{ALL, Bound, uses_within};
use codedb::graph::link::{self, CONFIDENCE_ANSWER, Code, Link, Reason, SymbolAt};
use codedb::lang::facts::Role;
use codedb_model::ir::text::{Lines, parse};
use codedb_model::ir::{File, UseId};
use codedb_model::resolve::ty::{Def, FileId};
use codedb_model::resolve::{Choice, Evidence, Resolver};
use codedb_model::rules::Rules;
use codedb_model::{languages, lower};

use crate::options::Options;
use crate::score::{self, Judgement};
use crate::tree::Tree;
use crate::truth;

/// The budget of one question.
const BUDGET: u64 = 100_000;

/// Confidences of the linker's results: the only answer, and one of several.
const ONLY: f32 = 0.95;
const SEVERAL: f32 = 0.6;

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
}

/// The resolver of the prototype with the linker's results.
pub(crate) struct Linker<'f> {
    resolver: Resolver<'f>,
    facts: &'f Facts,
    tree: &'f Tree,
    /// Uses by path and byte of their name.
    uses: HashMap<(&'f str, u32), (FileId, UseId)>,
    /// Symbols by path, line and name.
    symbols: HashMap<(String, usize, String), SymbolAt>,
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
        let mut symbols = HashMap::new();
        for file in tree.program.ids() {
            let Some(facts) = tree.program.file(file) else { continue };
            for (place, symbol) in (0..).zip(&facts.symbols) {
                let line = tree.position(&facts.path, symbol.name_span.start);
                let Some((line, _)) = line else { continue };
                let key = (facts.path.clone(), line, symbol.name.clone());
                symbols.entry(key).or_insert(SymbolAt { file, place });
            }
        }
        Linker { resolver: Resolver::new(files, facts.rules), facts, tree, uses, symbols }
    }

    /// Returns the links of the call whose name begins at `byte`.
    pub(crate) fn resolve(&self, path: &str, byte: usize) -> Vec<Link> {
        let Some(&(file, id)) = self.uses.get(&(path, byte as u32)) else { return Vec::new() };
        let Some((resolution, _)) = self.resolver.question(file, id, BUDGET) else {
            return Vec::new();
        };
        // The linker's contract: a call through a field refers to the field.
        if let Some(to) = resolution.through.and_then(|through| self.symbol(through)) {
            return vec![Link { to, confidence: ONLY, reason: Reason::Receiver }];
        }
        if resolution.choice == Choice::Open || resolution.is_outside {
            return Vec::new();
        }
        let confidence = match resolution.choice {
            Choice::Only if !resolution.is_dispatch => ONLY,
            _ => SEVERAL,
        };
        let reason = match resolution.evidence {
            Evidence::Scope => Reason::Scope,
            Evidence::Import => Reason::Import,
            Evidence::DeclaredType | Evidence::InferredType => Reason::Receiver,
            Evidence::ThroughBase => Reason::Inherited,
            Evidence::SatisfiedInterface => Reason::Implementation,
            Evidence::UniqueName | Evidence::SimilarName => Reason::UniqueName,
        };
        let called = resolution.called.iter().map(|called| self.resolver.body_of(called.def));
        let symbols = called.filter_map(|def| self.symbol(def));
        symbols.map(|to| Link { to, confidence, reason }).collect()
    }

    /// Returns the symbol of a definition; none for one that the tree's facts do not have.
    fn symbol(&self, def: Def) -> Option<SymbolAt> {
        let file = self.facts.files.get(def.file.0 as usize)?;
        let definition = &file.definitions[def.id];
        let (line, _) = self.tree.position(&file.path, definition.range.start as usize)?;
        self.symbols.get(&(file.path.to_string(), line, definition.name.to_string())).copied()
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

/// Prints for each tree of a language what the linker and the prototype answer, and how long the callers
/// of its functions take.
///
/// # Errors
///
/// A tree that cannot be read, and a language without rules or lowering.
pub(crate) fn compare(options: &Options, language: &str) -> Result<(), String> {
    let options = Options { language: language.to_owned(), ..options.clone() };
    let (mut today, mut model) = ([0_usize; 5], [0_usize; 5]);
    let mut times: [Vec<Duration>; 3] = Default::default();
    println!("{:<36}{:<8}{}", "tree", "", VERDICTS.map(cell).concat());
    truth::each(language, |name, tree, sites| {
        let start = Instant::now();
        let facts = Facts::of(&tree, language)?;
        let lowered = start.elapsed();
        let linker = Linker::new(&facts, &tree);
        let indexed = start.elapsed() - lowered;
        let (mut ours, mut theirs) = ([0_usize; 5], [0_usize; 5]);
        for answered in &sites {
            let (before, is_sure) = score::judgement(&options, &tree, answered);
            let links = linker.resolve(&answered.site.path, answered.site.byte);
            let now = score::judgement_of(&options, &tree, answered, &links);
            let (Some(before), Some(now)) = (verdict((before, is_sure)), verdict(now)) else {
                continue;
            };
            theirs[before] += 1;
            ours[now] += 1;
            let is_shown = options.show.split(',').any(|shown| shown == VERDICTS[now]);
            if is_shown || before != now && options.show == "changes" {
                let site = &answered.site;
                let line = tree.position(&site.path, site.byte).map_or(0, |(line, _)| line);
                let text = tree.line(&site.path, line);
                let change = format!("{} → {}", VERDICTS[before], VERDICTS[now]);
                println!("  {change:<18} {}:{}: {}: {text}", site.path, line + 1, site.name);
            }
        }
        println!("{name:<36}{:<8}{}", "linker", theirs.map(|n| cell(&n.to_string())).concat());
        println!("{:<36}{:<8}{}", "", "model", ours.map(|n| cell(&n.to_string())).concat());
        let timed = time_callers(&linker);
        println!("  lowered in {lowered:.1?}, indexed in {indexed:.1?}; {}", shares(&timed));
        for (sum, of) in [(&mut today, theirs), (&mut model, ours)] {
            sum.iter_mut().zip(of).for_each(|(sum, count)| *sum += count);
        }
        times.iter_mut().zip(timed).for_each(|(all, some)| all.extend(some));
        Ok(())
    })?;
    println!("{:<36}{:<8}{}", "all", "linker", today.map(|n| cell(&n.to_string())).concat());
    println!("{:<36}{:<8}{}", "", "model", model.map(|n| cell(&n.to_string())).concat());
    println!("  {}", shares(&times));
    Ok(())
}

/// Times the calls of each function: by the linker, by the prototype with nothing cached, and by the
/// prototype with all cached. None has the answers of another function cached but the last.
fn time_callers(linker: &Linker<'_>) -> [Vec<Duration>; 3] {
    let mut times: [Vec<Duration>; 3] = Default::default();
    let mut functions = Vec::new();
    for (at, file) in linker.facts.files.iter().enumerate() {
        for (id, _) in file.definitions.iter().filter(|(_, of)| of.kind.is_callable()) {
            let def = Def { file: FileId(at as u32), id };
            functions.extend(linker.symbol(def).map(|symbol| (def, symbol)));
        }
    }
    let calls = Bound { roles: &[Role::Call], ..ALL };
    for &(_, symbol) in &functions {
        let start = Instant::now();
        let found = link::Linker::new(&linker.tree.program);
        let found = uses_within(&found, &[symbol], CONFIDENCE_ANSWER, calls);
        times[0].push(start.elapsed());
        std::hint::black_box(found);
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
    for (&(def, _), cold) in functions.iter().zip(cold) {
        let start = Instant::now();
        let warm = linker.resolver.callers(def, BUDGET).calls;
        times[2].push(start.elapsed());
        assert_eq!(warm, cold, "what is cached changes nothing");
    }
    times
}

fn shares(times: &[Vec<Duration>; 3]) -> String {
    let at = |times: &Vec<Duration>, percent: usize| {
        let mut times = times.clone();
        times.sort();
        times.get(times.len() * percent / 100).copied().unwrap_or_default()
    };
    let text = |times: &Vec<Duration>| {
        format!("{:.2?}/{:.2?}/{:.2?}", at(times, 50), at(times, 95), at(times, 99))
    };
    let [linker, cold, warm] = times.each_ref().map(text);
    format!(
        "callers of {} functions (50/95/99 %): linker {linker}, model {cold}, warm {warm}",
        times[0].len()
    )
}

fn cell(text: &str) -> String {
    format!("{text:>10}")
}
