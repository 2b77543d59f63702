//! Evaluates a gram query on a snapshot: which files, and which blocks of large ones, may match.
//!
//! Lists are intersected rarest first, and only as long as reading the next list costs less than
//! the candidates that it is likely to spare. The work is bounded in posting ids, not in time, so
//! the same query gives the same candidates on every machine.

use std::collections::HashMap;

use crate::base::bits::Bits;
use crate::base::ids::{FileId, UnitId};
use crate::error::Result;
use crate::index::gram::Gram;
use crate::index::segment::{Postings, Segment};
use crate::index::table::{Flags, Table};
use crate::query::gram_query::GramQuery;
use crate::snapshot::Snapshot;

/// Reading a posting takes about 2 ns and verifying a candidate about 20 µs, of which the next
/// list spares perhaps a fifth: beyond this many postings for a candidate it does not pay.
const POSTINGS_PER_CANDIDATE: usize = 2_000;

/// Postings read for one query at most, all lists together; beyond, every file is a candidate.
const POSTINGS_MAX: u64 = 200_000_000;

/// Grams beyond which decoded lists are kept as bit sets, since they recur in many branches.
const GRAMS_WITHOUT_CACHE: usize = 64;

/// Bytes of such bit sets at most.
const CACHE_BYTES_MAX: usize = 64 << 20;

/// What a query is to be evaluated for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demand {
    /// A match may hold a line feed: grams of one match may lie in several blocks.
    pub spans_lines: bool,
    /// Files with `ſ` or the Kelvin sign are candidates whatever the query says.
    pub with_fold_docs: bool,
    /// Text behind a NUL byte is searched too, so files that hold one are candidates.
    pub binary_as_text: bool,
}

/// The candidates of a query.
#[derive(Debug, Default)]
pub struct Candidates {
    /// Files that may match.
    pub files: Bits,
    /// For candidates of several blocks: the blocks that may match, ascending; a candidate that is
    /// not here may match anywhere.
    pub blocks: HashMap<FileId, Vec<UnitId>>,
    /// True if the query spares no file, so that nothing was read from the index.
    pub is_all: bool,
    /// Postings read.
    pub postings_read: u64,
}

/// Returns the candidates of `query`. O(postings read), bounded.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] where the index is damaged.
pub fn candidates(snapshot: &Snapshot, query: &GramQuery, demand: Demand) -> Result<Candidates> {
    let table = &snapshot.table;
    let mut found = Candidates { files: Bits::new(table.files() as usize), ..Default::default() };
    if *query == GramQuery::All {
        found.take_all(table);
        return Ok(found);
    }
    for (number, segment) in snapshot.segments.iter().enumerate() {
        let mut evaluation = Evaluation::new(segment, query);
        let units = if demand.spans_lines {
            evaluation.files_as_units(table, number, query)?
        } else {
            evaluation.evaluate(query)?
        };
        found.postings_read += evaluation.read;
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
            if table.file(file)?.units.len() > 1 {
                self.blocks.entry(file).or_default().push(UnitId(unit));
            }
        }
        Ok(())
    }
}

/// Ids that satisfy a part of a query, ascending.
#[derive(Clone, Debug)]
enum Ids {
    All,
    Some(Vec<u32>),
}

struct Evaluation<'a> {
    segment: &'a Segment,
    read: u64,
    cache: Option<HashMap<Gram, Bits>>,
}

impl<'a> Evaluation<'a> {
    fn new(segment: &'a Segment, query: &GramQuery) -> Evaluation<'a> {
        let cache = (count_grams(query) > GRAMS_WITHOUT_CACHE).then(HashMap::new);
        Evaluation { segment, read: 0, cache }
    }

    fn evaluate(&mut self, query: &GramQuery) -> Result<Ids> {
        if self.read > POSTINGS_MAX {
            return Ok(Ids::All);
        }
        match query {
            GramQuery::All => Ok(Ids::All),
            GramQuery::None => Ok(Ids::Some(Vec::new())),
            GramQuery::Gram(gram) => Ok(Ids::Some(self.decode(*gram)?)),
            GramQuery::And(parts) => self.conjunction(parts),
            GramQuery::Or(parts) => self.disjunction(parts),
        }
    }

    fn conjunction(&mut self, parts: &[GramQuery]) -> Result<Ids> {
        let mut lists: Vec<(Gram, Postings<'a>)> = Vec::new();
        let mut others = Vec::new();
        for part in parts {
            match part {
                GramQuery::Gram(gram) => match self.segment.postings(*gram)? {
                    Some(list) => lists.push((*gram, list)),
                    None => return Ok(Ids::Some(Vec::new())),
                },
                other => others.push(other),
            }
        }
        lists.sort_by_key(|(gram, list)| (list.len(), *gram));
        let mut ids = Ids::All;
        for (gram, list) in lists {
            match &mut ids {
                Ids::All => ids = Ids::Some(self.decode(gram)?),
                Ids::Some(ids) => {
                    if ids.len() * POSTINGS_PER_CANDIDATE < list.len() as usize {
                        break;
                    }
                    self.intersect(gram, list, ids)?;
                }
            }
        }
        for other in others {
            let worthwhile = match &ids {
                Ids::All => true,
                Ids::Some(ids) => ids.len() > 4,
            };
            if worthwhile {
                ids = both(ids, self.evaluate(other)?);
            }
        }
        Ok(ids)
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

    fn decode(&mut self, gram: Gram) -> Result<Vec<u32>> {
        let mut ids = Vec::new();
        if let Some(list) = self.segment.postings(gram)? {
            self.segment.decode(list, &mut ids)?;
            self.read += ids.len() as u64;
        }
        Ok(ids)
    }

    fn intersect(&mut self, gram: Gram, list: Postings<'a>, ids: &mut Vec<u32>) -> Result<()> {
        let units = self.segment.units() as usize;
        if let Some(cache) = &mut self.cache {
            let room = (cache.len() + 1) * units.div_ceil(8) <= CACHE_BYTES_MAX;
            if room && !cache.contains_key(&gram) {
                let (mut bits, mut decoded) = (Bits::new(units), Vec::new());
                self.segment.decode(list, &mut decoded)?;
                self.read += decoded.len() as u64;
                decoded.iter().for_each(|&id| {
                    bits.insert(id as usize);
                });
                cache.insert(gram, bits);
            }
            if let Some(bits) = cache.get(&gram) {
                ids.retain(|&id| bits.contains(id as usize));
                return Ok(());
            }
        }
        self.read += u64::from(list.len());
        let damaged = || self.segment.container().corrupt("posting list is damaged");
        list.intersect(ids).ok_or_else(damaged)
    }

    /// Evaluates the query on whole files: the ids are file ids.
    fn files_as_units(&mut self, table: &Table, segment: usize, query: &GramQuery) -> Result<Ids> {
        match query {
            GramQuery::All => Ok(Ids::All),
            GramQuery::None => Ok(Ids::Some(Vec::new())),
            GramQuery::Gram(gram) => {
                let mut files = Vec::new();
                for unit in self.decode(*gram)? {
                    files.extend(table.owner(segment, UnitId(unit))?.map(|file| file.0));
                }
                files.sort_unstable();
                files.dedup();
                Ok(Ids::Some(files))
            }
            GramQuery::And(parts) => {
                let mut ids = Ids::All;
                for part in parts {
                    if matches!(&ids, Ids::Some(ids) if ids.is_empty()) {
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
        (Ids::Some(mut a), Ids::Some(b)) => {
            let mut rest = b.iter().copied().peekable();
            a.retain(|&id| {
                while rest.next_if(|&other| other < id).is_some() {}
                rest.peek() == Some(&id)
            });
            Ids::Some(a)
        }
    }
}

fn count_grams(query: &GramQuery) -> usize {
    match query {
        GramQuery::All | GramQuery::None => 0,
        GramQuery::Gram(_) => 1,
        GramQuery::And(parts) | GramQuery::Or(parts) => parts.iter().map(count_grams).sum(),
    }
}

/// A gram and the number of units that hold it, all segments together, for people.
pub fn posting_sizes(snapshot: &Snapshot, query: &GramQuery) -> Result<Vec<(Gram, u64)>> {
    let mut grams = Vec::new();
    collect_grams(query, &mut grams);
    grams.sort_unstable();
    grams.dedup();
    let mut sizes = Vec::with_capacity(grams.len());
    for gram in grams {
        let mut units = 0;
        for segment in &snapshot.segments {
            units += segment.postings(gram)?.map_or(0, |list| u64::from(list.len()));
        }
        sizes.push((gram, units));
    }
    sizes.sort_by_key(|&(gram, units)| (units, gram));
    Ok(sizes)
}

fn collect_grams(query: &GramQuery, grams: &mut Vec<Gram>) {
    match query {
        GramQuery::All | GramQuery::None => {}
        GramQuery::Gram(gram) => grams.push(*gram),
        GramQuery::And(parts) | GramQuery::Or(parts) => {
            parts.iter().for_each(|part| collect_grams(part, grams));
        }
    }
}
