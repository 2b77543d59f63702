//! Known routes of calls: walks along the oracle's definitions, compared with `callpath`.
//!
//! Each walk begins at a function that is drawn by the seed, and follows a call inside of it that the
//! oracle resolves into the tree, then a call inside of that definition, for two to four steps.

use std::collections::{BTreeMap, HashSet};

use codedb::graph::calls::{calling_symbol, missing_link, shortest_path};
use codedb::graph::link::{CONFIDENCE_ANSWER, Code, FileFacts, Site, SymbolAt};
use codedb::lang::facts::Role;
use codedb::lang::symbols::{SymbolKind, Visibility};

use crate::options::Options;
use crate::sample::{self, Answered, Random};
use crate::score;
use crate::tree::Tree;

/// The most calls of a walk.
const STEPS_MAX: usize = 4;

/// The number of calls of one function that the oracle is queried for at a step.
const CALLS_AT_ONCE: usize = 4;

/// A walk from a function along calls.
struct Walk {
    from: SymbolAt,
    to: SymbolAt,
    /// What the walk has visited; a definition ends a walk that returns to it.
    seen: HashSet<SymbolAt>,
    steps: usize,
    has_ended: bool,
}

/// Draws pairs with a known route and prints how many `callpath` finds.
///
/// # Errors
/// The oracle's.
pub(crate) fn run(
    options: &Options,
    tree: &Tree,
    resolve: impl Fn(&[sample::Site]) -> Result<Vec<Answered>, String>,
) -> Result<(), String> {
    let calls = calls_by_function(options, tree);
    let mut starts: Vec<SymbolAt> = calls.keys().copied().collect();
    let mut random = Random::new(options.seed);
    let mut walks = Vec::new();
    // Many walks end at once, since most calls leave the tree.
    while walks.len() < options.routes * 4 && !starts.is_empty() {
        let from = starts.swap_remove(random.below(starts.len()));
        let seen = HashSet::from([from]);
        walks.push(Walk { from, to: from, seen, steps: 0, has_ended: false });
    }
    for _ in 0..STEPS_MAX {
        extend(options, tree, &calls, &mut random, &mut walks, &resolve)?;
    }
    walks.retain(|walk| walk.steps >= 2);
    walks.truncate(options.routes);
    let (mut found, mut named, mut by_steps) = (0_usize, 0_usize, BTreeMap::new());
    for walk in &walks {
        let to = declared_at(tree, walk.to);
        let path = shortest_path(&tree.program, &[walk.from], &to, CONFIDENCE_ANSWER);
        let is_found = path.calls.is_some();
        let (of, all): &mut (usize, usize) = by_steps.entry(walk.steps).or_default();
        (*of, *all) = (*of + usize::from(is_found), *all + 1);
        found += usize::from(is_found);
        if !is_found {
            let missing =
                missing_link(&tree.program, &[walk.from], &path.reached, CONFIDENCE_ANSWER);
            named += usize::from(missing.is_some());
            if options.show != "none" {
                let name = |at| score::name(tree, at);
                println!(
                    "no path of {} calls from {} to {}",
                    walk.steps,
                    name(walk.from),
                    name(walk.to)
                );
            }
        }
    }
    println!(
        "{}: {} pairs with a known route, found {found} ({:.1} %), {named} of the others with the \
         call that is unresolved",
        options.language,
        walks.len(),
        100.0 * found as f64 / walks.len().max(1) as f64,
    );
    for (steps, (of, all)) in by_steps {
        println!("    {steps} calls: {of} of {all}");
    }
    Ok(())
}

/// Extends each walk by one call that the oracle resolves to another function of the tree.
fn extend(
    options: &Options,
    tree: &Tree,
    calls: &BTreeMap<SymbolAt, Vec<sample::Site>>,
    random: &mut Random,
    walks: &mut [Walk],
    resolve: impl Fn(&[sample::Site]) -> Result<Vec<Answered>, String>,
) -> Result<(), String> {
    let mut sites = Vec::new();
    let mut of_walk = Vec::new();
    for (number, walk) in walks.iter_mut().enumerate().filter(|(_, walk)| !walk.has_ended) {
        let mut inside = calls.get(&walk.to).cloned().unwrap_or_default();
        for _ in 0..CALLS_AT_ONCE.min(inside.len()) {
            sites.push(inside.swap_remove(random.below(inside.len())));
            of_walk.push(number);
        }
        walk.has_ended = true;
    }
    let answers = resolve(&sites)?;
    let answer = |site: &sample::Site| answers.iter().find(|answered| answered.site == *site);
    for (site, number) in sites.iter().zip(of_walk) {
        let Some(answered) = answer(site) else { continue };
        let walk = &mut walks[number];
        let callable = |at: &SymbolAt| {
            let facts = tree.program.file(at.file);
            facts.is_some_and(|facts| facts.symbols[at.place as usize].kind.is_callable())
        };
        let target = score::targets(options, tree, answered).into_iter().find(callable);
        // A walk goes on in the function that a prototype declares.
        let target = target.and_then(|at| {
            let all = declared_at(tree, at);
            all.iter().copied().find(|at| has_body(tree, *at)).or(Some(at))
        });
        let Some(target) = target.filter(|_| walk.has_ended) else { continue };
        if walk.seen.insert(target) {
            walk.to = target;
            walk.steps += 1;
            walk.has_ended = false;
        }
    }
    Ok(())
}

/// Returns a function of C or C++ with its prototypes, or a prototype with the functions that it declares:
/// they are one end of a path. Of overloads, those count that have the same number of parameters.
fn declared_at(tree: &Tree, at: SymbolAt) -> Vec<SymbolAt> {
    let Some(facts) = tree.program.file(at.file) else { return vec![at] };
    let symbol = &facts.symbols[at.place as usize];
    let is_c = |facts: &FileFacts| matches!(facts.language.name, "c" | "cpp");
    if !is_c(&facts) || !symbol.kind.is_callable() {
        return vec![at];
    }
    let own = (parameters(tree, &facts, at), has_body(tree, at));
    let is_other = |other: &SymbolAt| {
        let Some(there) = tree.program.file(other.file).filter(|there| is_c(there)) else {
            return false;
        };
        let of = &there.symbols[other.place as usize];
        let is_visible = other.file == at.file
            || of.visibility != Visibility::Private && symbol.visibility != Visibility::Private
            || of.parent.is_some();
        let is_same = of.qualified_name == symbol.qualified_name && of.kind.is_callable();
        let other = (parameters(tree, &there, *other), has_body(tree, *other));
        is_visible && is_same && other.0 == own.0 && other.1 != own.1
    };
    let named = tree.program.named(&symbol.name);
    std::iter::once(at).chain(named.iter().copied().filter(is_other)).collect()
}

fn has_body(tree: &Tree, at: SymbolAt) -> bool {
    tree.program.file(at.file).is_some_and(|facts| {
        let symbol = &facts.symbols[at.place as usize];
        symbol.kind != SymbolKind::Prototype && symbol.source.signature.end < symbol.span.end
    })
}

/// Returns the number of commas between the parameters of a function.
fn parameters(tree: &Tree, facts: &FileFacts, at: SymbolAt) -> usize {
    let signature = facts.symbols[at.place as usize].source.signature.clone();
    let text = tree.texts.get(&facts.path).and_then(|text| text.get(signature));
    let mut depth = 0_i32;
    let mut count = 0;
    for byte in text.unwrap_or_default() {
        match byte {
            b'(' | b'<' => depth += 1,
            b')' | b'>' => depth -= 1,
            b',' if depth == 1 => count += 1,
            _ => {}
        }
    }
    count
}

/// Returns the calls of each function of the language, in the order of the text.
fn calls_by_function(options: &Options, tree: &Tree) -> BTreeMap<SymbolAt, Vec<sample::Site>> {
    let mut calls: BTreeMap<SymbolAt, Vec<sample::Site>> = BTreeMap::new();
    for file in tree.program.ids() {
        let Some(facts) = tree.program.file(file) else { continue };
        if !sample::is_drawn(options, &facts) {
            continue;
        }
        for (name, reference) in tree.program.references(file).iter() {
            let site = Site { file, reference: reference.clone() };
            let function = calling_symbol(&tree.program, &site);
            if let (Role::Call, Some(function)) = (reference.role, function) {
                let (path, byte) = (facts.path.clone(), reference.span.start);
                calls.entry(function).or_default().push(sample::Site {
                    path,
                    byte,
                    name: name.clone(),
                });
            }
        }
    }
    calls.retain(|at, _| {
        let facts = tree.program.file(at.file);
        facts.is_some_and(|facts| facts.symbols[at.place as usize].kind.is_callable())
    });
    calls
}
