//! Keeps the callers of definitions in the index directory, `callers.idx`, so that the next command on
//! the same state of the tree does not search for them again. They are the larger part of the time in
//! which tests are selected. `callers.best.idx` has the probability of the most likely test of each
//! definition for which it was asked.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use super::kept::{Callers, Kept, UsedAt};
use super::score::Weights;
use super::select::{Ranked, rank_until};
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::catalog::code::Code;
use crate::graph::link::SymbolAt;
use crate::history::{CommitId, History};
use crate::index::derived_file;
use crate::lang::facts::Role;

/// The name of the file.
const NAME: &str = "callers.idx";

/// The file is written again if the new entries are at least this part of all: a process that asks for one
/// definition after the other does not write them all each time.
const NEW_PART: usize = 64;

/// No enclosing symbol.
const NONE: u32 = u32::MAX;

/// Loads what earlier processes kept for the state of the tree of `catalog`, the first time. O(entries).
pub fn load(code: &dyn Code, catalog: &Catalog) {
    let kept = catalog.derived::<Kept>();
    if kept.is_loaded.swap(true, Ordering::Relaxed) {
        return;
    }
    let (Some(versions), Some(state)) = (code.versions(), catalog.state()) else { return };
    let Some(body) = derived_file::read(versions.0, NAME, state) else { return };
    decode(&body, catalog.files().len(), |at, callers| {
        kept.callers.insert(at, Arc::new(callers));
    });
}

/// Keeps what was searched since [`load`], if it is worth it. O(entries).
pub fn save(code: &dyn Code, catalog: &Catalog) {
    let kept = catalog.derived::<Kept>();
    let searched = kept.callers_searched.load(Ordering::Relaxed);
    let new = searched - kept.callers_written.load(Ordering::Relaxed);
    if new == 0 {
        return;
    }
    let (Some(versions), Some(state)) = (code.versions(), catalog.state()) else { return };
    let mut entries: Vec<(SymbolAt, Arc<Callers>)> = Vec::new();
    kept.callers.each(|at, callers| entries.push((*at, Arc::clone(callers))));
    if new < entries.len() / NEW_PART {
        return;
    }
    kept.callers_written.store(searched, Ordering::Relaxed);
    entries.sort_unstable_by_key(|(at, _)| *at);
    derived_file::write(versions.0, NAME, state, &encode(&entries));
}

/// The name of the file with probabilities.
const BEST_NAME: &str = "callers.best.idx";

/// Returns the probabilities of the most likely tests of definitions, 0 without any. Those that earlier
/// processes determined for this state of the tree and this history are read, the others ranked and kept;
/// those whose search was not complete at the time `until` are missing.
pub fn best(
    code: &dyn Code,
    catalog: &Catalog,
    of: &[SymbolAt],
    history: Option<&Arc<History>>,
    until: Option<Instant>,
) -> FxHashMap<SymbolAt, f32> {
    let place = code.versions().zip(catalog.state());
    let place = place.map(|(versions, state)| (versions.0, with_history(state, history)));
    let mut best: FxHashMap<SymbolAt, f32> = FxHashMap::default();
    if let Some(body) = place.and_then(|(store, key)| derived_file::read(store, BEST_NAME, key)) {
        let mut numbers = numbers(&body);
        while let (Some(file), Some(place), Some(bits)) =
            (numbers.next(), numbers.next(), numbers.next())
        {
            best.insert(SymbolAt { file: FileId(file), place }, f32::from_bits(bits));
        }
    }
    let new: Vec<SymbolAt> = of.iter().copied().filter(|at| !best.contains_key(at)).collect();
    if new.is_empty() {
        return best;
    }
    load(code, catalog);
    let ranked = rank_until(catalog, &new, &Weights::DEFAULT, history, until);
    let is_late = until.is_some_and(|until| Instant::now() >= until);
    let probability = |ranked: &[Ranked]| ranked.first().map_or(0.0, |of| of.probability);
    best.extend(new.iter().zip(&ranked).filter_map(|(&at, ranked)| {
        let (ranked, is_cut) = ranked.as_ref()?;
        (!(is_late && *is_cut)).then(|| (at, probability(ranked)))
    }));
    save(code, catalog);
    if let Some((store, key)) = place {
        let mut all: Vec<(SymbolAt, f32)> = best.iter().map(|(&at, &of)| (at, of)).collect();
        all.sort_unstable_by_key(|(at, _)| *at);
        let numbers = all.iter().flat_map(|(at, of)| [at.file.0, at.place, of.to_bits()]);
        let body: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
        derived_file::write(store, BEST_NAME, key, &body);
    }
    best
}

/// Returns a hash of a state of the tree and the commits of its history.
fn with_history(state: u128, history: Option<&Arc<History>>) -> u128 {
    let mut hash = Xxh3::new();
    hash.update(&state.to_le_bytes());
    if let Some(log) = history.map(|history| history.log()) {
        let origin = log.origin();
        hash.update(origin.head.as_ref().map_or(&[], CommitId::as_bytes));
        hash.update(&origin.shallow.to_le_bytes());
        hash.update(&(log.len() as u64).to_le_bytes());
    }
    hash.digest128()
}

fn numbers(body: &[u8]) -> impl Iterator<Item = u32> {
    let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
    body.chunks_exact(4).map(number)
}

fn encode(entries: &[(SymbolAt, Arc<Callers>)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut put = |number: u32| out.extend_from_slice(&number.to_le_bytes());
    for (at, callers) in entries {
        put(at.file.0);
        put(at.place);
        put(callers.resolved.len() as u32);
        put(callers.possible.len() as u32);
        put(u32::from(callers.is_cut));
        for used in callers.resolved.iter().chain(&callers.possible) {
            put(used.file.0);
            put(used.start as u32);
            put(used.enclosing.map_or(NONE, |at| at as u32));
            put(Role::ALL.iter().position(|role| *role == used.role).unwrap_or(0) as u32);
            put(used.confidence.to_bits());
        }
    }
    out
}

/// Passes the entries to `each` and returns their number; ends at one that is no entry of `files` files.
fn decode(body: &[u8], files: usize, mut each: impl FnMut(SymbolAt, Callers)) -> usize {
    let mut numbers = numbers(body);
    let mut count = 0;
    let mut entry = || {
        let at = SymbolAt { file: FileId(numbers.next()?), place: numbers.next()? };
        let (resolved, possible) = (numbers.next()? as usize, numbers.next()? as usize);
        let is_cut = numbers.next()? != 0;
        let mut used = || {
            let used = UsedAt {
                file: FileId(numbers.next()?),
                start: numbers.next()? as usize,
                enclosing: Some(numbers.next()?).filter(|&at| at != NONE).map(|at| at as usize),
                role: *Role::ALL.get(numbers.next()? as usize)?,
                confidence: f32::from_bits(numbers.next()?),
            };
            (used.file.index() < files).then_some(used)
        };
        let mut list = |count: usize| (0..count).map(|_| used()).collect::<Option<Vec<UsedAt>>>();
        let (resolved, possible) = (list(resolved)?, list(possible)?);
        (at.file.index() < files).then_some((at, Callers { resolved, possible, is_cut }))
    };
    while let Some((at, callers)) = entry() {
        each(at, callers);
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_are_decoded_as_they_were_encoded() {
        let used = |file: u32, enclosing: Option<usize>| UsedAt {
            file: FileId(file),
            start: 70_000,
            enclosing,
            role: Role::Read,
            confidence: 0.37,
        };
        let at = |file: u32| SymbolAt { file: FileId(file), place: 3 };
        let callers = |file: u32| {
            let (resolved, possible) = (vec![used(file, None)], vec![used(0, Some(9)); 2]);
            Arc::new(Callers { resolved, possible, is_cut: file == 1 })
        };
        let entries = [(at(0), callers(0)), (at(1), callers(1)), (at(2), Arc::default())];
        let mut found = Vec::new();
        let body = encode(&entries);
        assert_eq!(decode(&body, 3, |at, callers| found.push((at, callers))), 3);
        for ((at, expected), (found_at, found)) in entries.iter().zip(&found) {
            assert_eq!((at, expected.is_cut), (found_at, found.is_cut));
            assert_eq!(
                (&expected.resolved, &expected.possible),
                (&found.resolved, &found.possible)
            );
        }
        for end in 0..body.len() {
            assert!(decode(&body[..end], 3, |_, _| {}) < 3, "cut at {end}");
        }
        assert_eq!(decode(&body, 1, |_, _| {}), 1, "a file that is not there");
    }
}
