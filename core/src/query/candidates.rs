//! Evaluates a gram query on a snapshot: returns the files, and the blocks of large files, that may
//! match.
//!
//! Posting lists are intersected rarest first, until reading the next list costs more than
//! verifying the candidates that it is likely to remove. The work is bounded in postings, not in
//! time, so the same query returns the same candidates on every machine.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::base::bits::Bits;
use crate::base::ids::{FileId, UnitId};
use crate::error::Result;
use crate::index::gram::Gram;
use crate::index::gram_set::GramSet;
use crate::index::segment::Segment;
use crate::index::snapshot::Snapshot;
use crate::index::table::{Flags, Table};
use crate::query::gram_query::GramQuery;

/// Maximum postings to read per candidate. Reading a posting takes about 10 ns, and verifying a
/// candidate about 10 µs on each of two threads. The next list is a more common one and removes
/// perhaps a seventh of the candidates.
const POSTINGS_PER_CANDIDATE: u64 = 150;

/// The same if the texts are in memory, where verifying a candidate costs an estimated fifth.
const POSTINGS_PER_CANDIDATE_IN_MEMORY: u64 = 30;

/// Maximum postings read for one query. Beyond it, every file is a candidate.
const POSTINGS_MAX: u64 = 200_000_000;

/// A set of keys is read if all its postings cost at most this fraction of verifying every file.
const WORTH_OF_ANY: u64 = 4;

/// If a query has more grams than this, decoded lists are cached as bit sets, because they recur in
/// many branches.
const GRAMS_WITHOUT_CACHE: usize = 64;

/// Maximum bytes of the cached bit sets.
const CACHE_BYTES_MAX: usize = 64 << 20;

/// Options of an evaluation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demand {
    /// A match may contain a line feed, so its grams may be in several blocks.
    pub spans_lines: bool,
    /// Files with `ſ` or the Kelvin sign are candidates regardless of the query.
    pub with_fold_docs: bool,
    /// Text after a NUL byte is searched too, so files with a NUL byte are candidates.
    pub binary_as_text: bool,
    /// The texts of the tree fit into memory and are mostly cached there, so candidates cost less
    /// relative to postings.
    pub in_memory: bool,
}

/// The candidates of a query.
#[derive(Debug, Default)]
pub struct Candidates {
    /// Files that may match.
    pub files: Bits,
    /// For candidates with several blocks: the blocks that may match, ascending. A candidate
    /// without an entry may match anywhere.
    pub blocks: HashMap<FileId, Vec<UnitId>>,
    /// True if every file is a candidate, because the query has no constraint or its lists are too
    /// long.
    pub is_all: bool,
    /// The number of postings read.
    pub postings_read: u64,
}

/// Returns the candidates of `query`. O(postings read), bounded.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if the index is damaged.
pub fn candidates(snapshot: &Snapshot, query: &GramQuery, demand: Demand) -> Result<Candidates> {
    let table = &snapshot.table;
    let mut found = Candidates { files: Bits::new(table.files() as usize), ..Default::default() };
    if *query == GramQuery::All {
        found.take_all(table);
        return Ok(found);
    }
    let all_units = snapshot.segments.iter().map(|segment| u64::from(segment.units())).sum();
    for (number, segment) in snapshot.segments.iter().enumerate() {
        let worth = if demand.in_memory {
            POSTINGS_PER_CANDIDATE_IN_MEMORY
        } else {
            POSTINGS_PER_CANDIDATE
        };
        let mut evaluation = Evaluation::new(segment, query, found.postings_read, worth);
        evaluation.all_units = all_units;
        let units = if demand.spans_lines {
            evaluation.files_as_units(table, number, query)?
        } else {
            evaluation.evaluate(query)?
        };
        found.postings_read = evaluation.read;
        match units {
            Ids::All => {
                found.take_all(table);
                return Ok(found);
            }
            Ids::Some(units) if demand.spans_lines => {
                units.iter().for_each(|&file| {
                    found.files.insert(file as usize);
                });
            }
            Ids::Some(units) => found.take_units(table, number, &units)?,
        }
    }
    let mut flags = vec![Flags::SCAN];
    flags.extend(demand.with_fold_docs.then_some(Flags::FOLDS));
    flags.extend(demand.binary_as_text.then_some(Flags::BINARY));
    for flag in flags {
        for file in table.flagged(flag)? {
            found.files.insert(file.index());
            found.blocks.remove(&file);
        }
    }
    Ok(found)
}

impl Candidates {
    fn take_all(&mut self, table: &Table) {
        self.is_all = true;
        self.blocks.clear();
        self.files.insert_all(table.files() as usize);
    }

    fn take_units(&mut self, table: &Table, segment: usize, units: &[u32]) -> Result<()> {
        for &unit in units {
            let Some(file) = table.owner(segment, UnitId(unit))? else { continue };
            self.files.insert(file.index());
            if table.units(file)? > 1 {
                self.blocks.entry(file).or_default().push(UnitId(unit));
            }
        }
        Ok(())
    }
}

/// Ascending ids that satisfy a subquery.
#[derive(Clone, Debug)]
enum Ids {
    All,
    Some(Vec<u32>),
}

struct Evaluation<'a> {
    segment: &'a Segment,
    /// The number of units of all segments.
    all_units: u64,
    /// Postings read so far, including those of earlier segments.
    read: u64,
    /// Maximum postings to read per candidate.
    worth: u64,
    cache: Option<HashMap<Gram, Bits>>,
}

impl<'a> Evaluation<'a> {
    fn new(segment: &'a Segment, query: &GramQuery, read: u64, worth: u64) -> Evaluation<'a> {
        let cache = (query.grams_len() > GRAMS_WITHOUT_CACHE).then(HashMap::new);
        Evaluation { segment, all_units: u64::from(segment.units()), read, worth, cache }
    }

    /// Returns true if reading `postings` more postings is likely to cost less than verifying the
    /// candidates that it removes.
    fn pays(&self, postings: u64, candidates: usize) -> bool {
        postings <= candidates as u64 * self.worth
    }

    fn evaluate(&mut self, query: &GramQuery) -> Result<Ids> {
        if self.read > POSTINGS_MAX {
            return Ok(Ids::All);
        }
        match query {
            GramQuery::All => Ok(Ids::All),
            GramQuery::None => Ok(Ids::Some(Vec::new())),
            GramQuery::Gram(gram) => Ok(Ids::Some(self.decode(*gram)?)),
            GramQuery::Any(set) => self.any(set),
            GramQuery::And(parts) => self.conjunction(parts),
            GramQuery::Or(parts) => self.disjunction(parts),
        }
    }

    fn conjunction(&mut self, parts: &[GramQuery]) -> Result<Ids> {
        let mut ids = Ids::All;
        for (size, part) in self.rarest_first(parts)? {
            match &mut ids {
                Ids::All => ids = self.evaluate(part)?,
                Ids::Some(ids) if !self.pays(size, ids.len()) => break,
                Ids::Some(found) => match part {
                    GramQuery::Gram(gram) => self.intersect(*gram, found)?,
                    other => ids = both(ids, self.evaluate(other)?),
                },
            }
        }
        Ok(ids)
    }

    fn rarest_first<'q>(&self, parts: &'q [GramQuery]) -> Result<Vec<(u64, &'q GramQuery)>> {
        let mut sized = Vec::with_capacity(parts.len());
        for part in parts {
            sized.push((self.size(part)?, part));
        }
        sized.sort_unstable();
        Ok(sized)
    }

    /// Returns an upper bound of the number of units that satisfy the query, without reading
    /// postings.
    fn size(&self, query: &GramQuery) -> Result<u64> {
        Ok(match query {
            GramQuery::All => u64::from(self.segment.units()),
            GramQuery::None => 0,
            GramQuery::Gram(gram) => {
                let mut postings = 0;
                for key in gram.keys() {
                    postings += self.segment.postings(key)?.map_or(0, |list| u64::from(list.len()));
                }
                postings
            }
            GramQuery::Any(set) => {
                let mut postings = 0;
                for key in set.keys() {
                    postings += self.segment.postings(key)?.map_or(0, |list| u64::from(list.len()));
                }
                postings
            }
            GramQuery::And(parts) => {
                let mut least = u64::MAX;
                for part in parts {
                    least = least.min(self.size(part)?);
                }
                least
            }
            GramQuery::Or(parts) => {
                let mut sum = 0_u64;
                for part in parts {
                    sum += self.size(part)?;
                }
                sum
            }
        })
    }

    fn disjunction(&mut self, parts: &[GramQuery]) -> Result<Ids> {
        let units = self.segment.units() as usize;
        let mut union = Bits::new(units);
        for part in parts {
            match self.evaluate(part)? {
                Ids::All => return Ok(Ids::All),
                Ids::Some(ids) => ids.iter().for_each(|&id| union.insert(id as usize)),
            }
        }
        Ok(Ids::Some(union.iter().map(|id| id as u32).collect()))
    }

    /// Returns the units that contain a key of `set`, or `All` if reading its lists would take a
    /// considerable part of the time of reading every file, or if they are most units of the index.
    fn any(&mut self, set: &GramSet) -> Result<Ids> {
        let (mut lists, mut postings) = (Vec::new(), 0);
        for key in set.keys() {
            if let Some(list) = self.segment.postings(key)? {
                postings += u64::from(list.len());
                lists.push(list);
            }
        }
        if postings * WORTH_OF_ANY > self.all_units * self.worth {
            return Ok(Ids::All);
        }
        // The longest lists show first that the union is too large.
        lists.sort_by_key(|list| Reverse(list.len()));
        let mut union = Bits::new(self.segment.units() as usize);
        let (mut ids, mut found) = (Vec::new(), 0_u64);
        for list in lists {
            ids.clear();
            self.segment.decode(list, &mut ids)?;
            self.read += ids.len() as u64;
            found += ids.iter().filter(|&&id| union.insert_new(id as usize)).count() as u64;
            if found * 4 > self.all_units * 3 {
                return Ok(Ids::All);
            }
        }
        Ok(Ids::Some(union.iter().map(|id| id as u32).collect()))
    }

    fn decode(&mut self, gram: Gram) -> Result<Vec<u32>> {
        let mut ids = Vec::new();
        for key in gram.keys() {
            if let Some(list) = self.segment.postings(key)? {
                self.segment.decode(list, &mut ids)?;
            }
        }
        self.read += ids.len() as u64;
        // The stable sort merges two concatenated ascending lists in one pass.
        if gram.keys().count() > 1 {
            ids.sort();
            ids.dedup();
        }
        Ok(ids)
    }

    fn intersect(&mut self, gram: Gram, ids: &mut Vec<u32>) -> Result<()> {
        let units = self.segment.units() as usize;
        if let Some(cache) = &self.cache {
            let room = (cache.len() + 1) * units.div_ceil(8) <= CACHE_BYTES_MAX;
            if room && !cache.contains_key(&gram) {
                let mut bits = Bits::new(units);
                self.decode(gram)?.iter().for_each(|&id| bits.insert(id as usize));
                self.cache.get_or_insert_default().insert(gram, bits);
            }
            if let Some(bits) = self.cache.as_ref().and_then(|cache| cache.get(&gram)) {
                ids.retain(|&id| bits.contains(id as usize));
                return Ok(());
            }
        }
        let damaged = || self.segment.container().corrupt("posting list is damaged");
        let mut in_one: Vec<Vec<u32>> = Vec::with_capacity(2);
        for key in gram.keys() {
            let Some(list) = self.segment.postings(key)? else { continue };
            self.read += u64::from(list.len());
            let mut ids = ids.clone();
            list.intersect(&mut ids).ok_or_else(damaged)?;
            in_one.push(ids);
        }
        let mut lists = in_one.into_iter();
        *ids = lists.next().unwrap_or_default();
        for more in lists {
            // The stable sort merges two concatenated ascending lists in one pass.
            ids.extend(more);
            ids.sort();
            ids.dedup();
        }
        Ok(())
    }

    /// Evaluates the query on whole files and returns file ids.
    fn files_as_units(&mut self, table: &Table, segment: usize, query: &GramQuery) -> Result<Ids> {
        if self.read > POSTINGS_MAX {
            return Ok(Ids::All);
        }
        match query {
            GramQuery::All => Ok(Ids::All),
            GramQuery::None => Ok(Ids::Some(Vec::new())),
            GramQuery::Gram(_) | GramQuery::Any(_) => {
                let Ids::Some(units) = self.evaluate(query)? else { return Ok(Ids::All) };
                let mut files = Vec::new();
                for unit in units {
                    files.extend(table.owner(segment, UnitId(unit))?.map(|file| file.0));
                }
                files.sort_unstable();
                files.dedup();
                Ok(Ids::Some(files))
            }
            GramQuery::And(parts) => {
                let mut ids = Ids::All;
                for (size, part) in self.rarest_first(parts)? {
                    if matches!(&ids, Ids::Some(ids) if !self.pays(size, ids.len())) {
                        break;
                    }
                    ids = both(ids, self.files_as_units(table, segment, part)?);
                }
                Ok(ids)
            }
            GramQuery::Or(parts) => {
                let mut union = Vec::new();
                for part in parts {
                    match self.files_as_units(table, segment, part)? {
                        Ids::All => return Ok(Ids::All),
                        Ids::Some(ids) => union.extend(ids),
                    }
                }
                union.sort_unstable();
                union.dedup();
                Ok(Ids::Some(union))
            }
        }
    }
}

fn both(a: Ids, b: Ids) -> Ids {
    match (a, b) {
        (Ids::All, other) | (other, Ids::All) => other,
        (Ids::Some(a), Ids::Some(b)) => Ids::Some(intersection(&a, &b)),
    }
}

fn intersection(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut rest = b.iter().copied().peekable();
    a.iter()
        .copied()
        .filter(|&id| {
            while rest.next_if(|&other| other < id).is_some() {}
            rest.peek() == Some(&id)
        })
        .collect()
}

/// Returns the distinct grams and sets of keys of a query, as displayed, and the number of postings
/// of each, over all segments.
pub fn posting_sizes(snapshot: &Snapshot, query: &GramQuery) -> Result<Vec<(String, u64)>> {
    let mut leaves = Vec::new();
    collect_leaves(query, &mut leaves);
    leaves.sort_unstable();
    leaves.dedup();
    let mut sizes = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let mut postings = 0;
        for segment in &snapshot.segments {
            postings += Evaluation::new(segment, leaf, 0, 0).size(leaf)?;
        }
        sizes.push((postings, leaf));
    }
    sizes.sort_unstable();
    Ok(sizes.into_iter().map(|(postings, leaf)| (leaf.to_string(), postings)).collect())
}

fn collect_leaves<'q>(query: &'q GramQuery, leaves: &mut Vec<&'q GramQuery>) {
    match query {
        GramQuery::All | GramQuery::None => {}
        GramQuery::Gram(_) | GramQuery::Any(_) => leaves.push(query),
        GramQuery::And(parts) | GramQuery::Or(parts) => {
            parts.iter().for_each(|part| collect_leaves(part, leaves));
        }
    }
}
