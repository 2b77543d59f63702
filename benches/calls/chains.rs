//! Callers of functions that are called through chains of re-exports, compared with an oracle's list.
//!
//! The oracle (`oracles/*_chains.*`) lists the calls of a tree, each with the definition and the
//! number of statements that re-export the name in between. The functions are taken from that list,
//! so neither the linker nor its bounds influence which ones are asked about.

use std::collections::{BTreeMap, BTreeSet};

use codedb::graph::calls::uses_of;
use codedb::graph::link::{CONFIDENCE_ANSWER, Code, Linker, SymbolAt, Use};
use codedb::lang::facts::Role;

use crate::options::Options;
use crate::tree::Tree;

/// The most calls of one function that count, so that no function dominates the result.
const CALLS_MAX: usize = 50;

/// The longest chain.
const HOPS_MAX: usize = 10;

/// The position of a called name: path and byte.
type Site = (String, usize);

/// A function: path and name.
type Function = (String, String);

/// The oracle's calls.
#[derive(Default)]
struct Listed {
    /// The lines of each function's declarations, from 0.
    lines: BTreeMap<Function, BTreeSet<usize>>,
    /// The calls of each function, with the number of re-exports.
    calls: BTreeMap<Function, BTreeMap<Site, usize>>,
    /// The function of each call.
    function: BTreeMap<Site, Function>,
}

/// Asks for the callers of the functions and prints the counts.
pub(crate) fn run(options: &Options, list: &std::path::Path) -> Result<(), String> {
    let text = std::fs::read_to_string(list).map_err(|error| error.to_string())?;
    let listed = read(&text)?;
    let is_through_chain = |hops: usize| (options.hops_min..=HOPS_MAX).contains(&hops);
    let functions: Vec<&Function> = listed
        .calls
        .iter()
        .filter(|(_, calls)| calls.values().any(|&hops| is_through_chain(hops)))
        .map(|(function, _)| function)
        .collect();
    let taken = evenly(&functions, options.functions);
    let tree = Tree::read(&options.tree)?;
    let (mut complete, mut sites, mut found, mut wrong) = (0, 0_usize, 0_usize, 0);
    let mut other = (0, 0);
    let mut lengths: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for function in &taken {
        let callers = callers(&tree, function, &listed.lines[*function]);
        let calls = &listed.calls[*function];
        let through: Vec<_> = calls.iter().filter(|(_, hops)| is_through_chain(**hops)).collect();
        let mut missed = 0;
        for (site, hops) in evenly(&through, CALLS_MAX) {
            let is_found = callers.contains(*site);
            let (of, all) = lengths.entry(**hops).or_default();
            (*of, *all) = (*of + usize::from(is_found), *all + 1);
            sites += 1;
            found += usize::from(is_found);
            missed += usize::from(!is_found);
            if !is_found && options.show != "none" {
                show(&tree, "missed", function, site, **hops);
            }
        }
        complete += usize::from(missed == 0);
        let shorter: Vec<_> = calls.iter().filter(|(_, hops)| !is_through_chain(**hops)).collect();
        for (site, _) in evenly(&shorter, CALLS_MAX) {
            other = (other.0 + usize::from(callers.contains(*site)), other.1 + 1);
        }
        for site in &callers {
            if listed.function.get(site).is_some_and(|called| called != **function) {
                wrong += 1;
                if options.show != "none" {
                    show(&tree, "wrong", function, site, 0);
                }
            }
        }
    }
    println!(
        "{}: {} functions with chains of {} to {HOPS_MAX}, {} taken; all calls found of {complete}; \
         calls through these chains {found} of {sites} ({:.1} %), other calls {} of {}; \
         {wrong} callers that the oracle resolves to another function",
        options.language,
        functions.len(),
        options.hops_min,
        taken.len(),
        100.0 * found as f64 / sites.max(1) as f64,
        other.0,
        other.1,
    );
    for (hops, (of, all)) in lengths {
        println!("    {hops} re-exports: {of} of {all}");
    }
    Ok(())
}

/// Reads the oracle's lines.
fn read(text: &str) -> Result<Listed, String> {
    let mut listed = Listed::default();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [path, byte, defining, row, name, hops] = fields[..] else {
            return Err(format!("not a line of calls: `{line}`"));
        };
        let number = |field: &str| field.parse::<usize>().map_err(|_| format!("in `{line}`"));
        let site = (path.to_owned(), number(byte)?);
        let function = (defining.to_owned(), name.to_owned());
        listed.lines.entry(function.clone()).or_default().insert(number(row)?);
        listed.calls.entry(function.clone()).or_default().insert(site.clone(), number(hops)?);
        listed.function.insert(site, function);
    }
    Ok(listed)
}

/// Returns at most `max` of some values, evenly spaced.
fn evenly<T>(all: &[T], max: usize) -> Vec<&T> {
    let taken = all.len().min(max);
    (0..taken).map(|at| &all[at * all.len() / taken]).collect()
}

/// Returns the calls that the linker resolves to a function.
fn callers(tree: &Tree, (path, name): &Function, lines: &BTreeSet<usize>) -> BTreeSet<Site> {
    let Some(file) = tree.program.id(path) else { return BTreeSet::new() };
    let Some(facts) = tree.program.file(file) else { return BTreeSet::new() };
    let is_it =
        |start: usize| tree.position(path, start).is_some_and(|(line, _)| lines.contains(&line));
    let symbols = facts.symbols.iter().zip(0..);
    let definitions: Vec<SymbolAt> = symbols
        .filter(|(symbol, _)| symbol.name == *name && is_it(symbol.name_span.start))
        .map(|(_, place)| SymbolAt { file, place })
        .collect();
    if definitions.is_empty() {
        println!("no definition {name} in {path}");
    }
    uses_of(&tree.program, &definitions, CONFIDENCE_ANSWER)
        .uses
        .into_iter()
        .filter(|(_, caller)| caller.site.reference.role == Role::Call)
        .filter_map(|(_, caller)| {
            let path = tree.program.file(caller.site.file)?.path.clone();
            Some((path, caller.site.reference.span.start))
        })
        .collect()
}

fn show(tree: &Tree, word: &str, function: &Function, site: &Site, hops: usize) {
    let (line, _) = tree.position(&site.0, site.1).unwrap_or_default();
    let text = tree.line(&site.0, line);
    println!("{word} {} of {}, {hops}: {}:{} {text}", function.1, function.0, site.0, line + 1);
    let Some(file) = tree.program.id(&site.0) else { return };
    let references = tree.program.references(file);
    let Some((name, used)) = references.iter().find(|(_, used)| used.span.start == site.1) else {
        return println!("    no use of a name there");
    };
    let outcome = Linker::new(&tree.program).outcome(file, Use::new(name, used));
    println!("    receiver {:?}, is_outside {}", used.receiver, outcome.is_outside);
    for link in outcome.links.iter().take(3) {
        if let Some(facts) = tree.program.file(link.to.file) {
            let line = facts.symbols[link.to.place as usize].line;
            println!("    linker {}:{line} {:.2} {:?}", facts.path, link.confidence, link.reason);
        }
    }
}
