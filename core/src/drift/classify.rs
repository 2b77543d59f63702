//! Compares two tool lists.

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::Value;

use super::canonical;
use super::layout::{self, Cost, Tokens};
use super::list::name_of;
use super::order::{self, Pair};
use super::pointer::shortened;
use crate::base::{text, tokens};

/// The maximum number of changed members that are listed for one tool.
const FIELDS_MAX: usize = 50;

/// The class of a change, from the cheapest to the most expensive.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The same tools in the same order with the same content.
    Identity,
    /// All earlier tools are unchanged, and new ones follow them.
    Append,
    /// All earlier tools have the same name and index; the content of at least one changed.
    Edit,
    /// The earlier tools have another order, or new ones precede some of them.
    Reorder,
    /// At least one earlier tool is missing.
    Remove,
}

impl Class {
    /// Every class, the cheapest first.
    pub const ALL: [Class; 5] =
        [Class::Identity, Class::Append, Class::Edit, Class::Reorder, Class::Remove];

    /// Returns its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Class::Identity => "identity",
            Class::Append => "append",
            Class::Edit => "edit",
            Class::Reorder => "reorder",
            Class::Remove => "remove",
        }
    }
}

/// Whether a reader who trusted the earlier list can trust the later one, whatever its order.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Meaning {
    /// The same tools with the same content.
    Same,
    /// All earlier tools are unchanged; others are new.
    Extended,
    /// The content of an earlier tool changed, or it is missing.
    Changed,
}

impl Meaning {
    /// Returns its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Meaning::Same => "same",
            Meaning::Extended => "extended",
            Meaning::Changed => "changed",
        }
    }
}

/// A tool of one of the lists.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Placed {
    /// Its name.
    pub name: String,
    /// Its index in that list.
    pub index: usize,
}

/// A tool whose content changed.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Edited {
    /// Its name.
    pub name: String,
    /// Its index in the earlier list.
    pub before: usize,
    /// Its index in the later list.
    pub after: usize,
    /// The members of its definition that differ, sorted; at most 50.
    pub fields: Vec<String>,
}

/// A tool whose place among the others changed.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Moved {
    /// Its name.
    pub name: String,
    /// Its index in the earlier list.
    pub before: usize,
    /// Its index in the later list.
    pub after: usize,
}

/// A name that a list contains more than once.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Duplicate {
    /// The name.
    pub name: String,
    /// Its indexes in that list.
    pub indexes: Vec<usize>,
}

/// Where two lists begin to differ.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub struct FirstDifference {
    /// The index of the first tool that differs or that only one list has.
    pub index: usize,
    /// The offset of the first different byte of the two lists in canonical form.
    pub byte: usize,
}

/// How a tool list changed.
///
/// Tools are matched by name. If a list contains a name more than once, the first one matches the
/// first of the other list, the second the second. `fields` and classes ignore the member `_meta`.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Report {
    /// The class.
    pub class: Class,
    /// The same for a reader instead of a cache.
    pub meaning: Meaning,
    /// The number of tools of the earlier list.
    pub tools_before: usize,
    /// The number of tools of the later list.
    pub tools_after: usize,
    /// Tools that only the later list contains, in its order.
    pub added: Vec<Placed>,
    /// Tools that only the earlier list contains, in its order.
    pub removed: Vec<Placed>,
    /// Tools whose content differs, in the order of the earlier list.
    pub edited: Vec<Edited>,
    /// The fewest tools whose move explains the order of the later list, in the order of the earlier
    /// one.
    pub moved: Vec<Moved>,
    /// Tools of which only `_meta` differs, which no model receives, with their index in the later
    /// list, in the order of the earlier one.
    pub metadata_changed: Vec<Placed>,
    /// Names that the earlier list contains more than once, in the order of their first index.
    pub duplicates_before: Vec<Duplicate>,
    /// Names that the later list contains more than once, in the order of their first index.
    pub duplicates_after: Vec<Duplicate>,
    /// Where the lists begin to differ; absent if they are equal.
    pub first_difference: Option<FirstDifference>,
    /// Sizes in tokens.
    pub tokens: Tokens,
    /// What the change costs, by layout of the request.
    pub costs: Vec<Cost>,
}

/// Compares two lists of tool definitions. Every pair of lists has a report: values that are not
/// definitions count as tools without a name.
///
/// O(t + n log n) for lists of n tools with t bytes of text.
pub fn classify(before: &[Value], after: &[Value]) -> Report {
    let Matched { pairs, removed, is_new } = matched(before, after);
    let old = List::new(before, None);
    let new = List::new(after, Some((&old, &pairs)));
    let added: Vec<Placed> = is_new
        .iter()
        .enumerate()
        .filter(|(_, is_new)| **is_new)
        .map(|(index, _)| Placed { name: name_of(&after[index]).to_owned(), index })
        .collect();
    let is_edited = |pair: &&Pair<'_>| old.content(pair.before) != new.content(pair.after);
    let edited: Vec<Edited> = pairs
        .iter()
        .filter(is_edited)
        .map(|pair| Edited {
            name: pair.name.to_owned(),
            before: pair.before,
            after: pair.after,
            fields: changed_fields(&before[pair.before], &after[pair.after]),
        })
        .collect();
    let first_difference = first_difference(&old, &new);
    let class = if !removed.is_empty() {
        Class::Remove
    } else if first_difference.is_none() {
        Class::Identity
    } else if pairs.iter().any(|pair| pair.before != pair.after) {
        Class::Reorder
    } else if edited.is_empty() {
        Class::Append
    } else {
        Class::Edit
    };
    let meaning = if !removed.is_empty() || !edited.is_empty() {
        Meaning::Changed
    } else if !added.is_empty() {
        Meaning::Extended
    } else {
        Meaning::Same
    };
    let tokens = token_counts(&old, &new, &pairs, first_difference);
    Report {
        class,
        meaning,
        tools_before: before.len(),
        tools_after: after.len(),
        moved: moved(&pairs),
        metadata_changed: metadata_changed(before, after, &pairs),
        duplicates_before: duplicates(before),
        duplicates_after: duplicates(after),
        first_difference,
        tokens,
        costs: layout::costs(tokens, first_difference.is_none()),
        added,
        removed,
        edited,
    }
}

/// The tools of two lists, matched by name.
struct Matched<'v> {
    /// The tools that both contain, in the order of the earlier list.
    pairs: Vec<Pair<'v>>,
    /// The tools that only the earlier list contains.
    removed: Vec<Placed>,
    /// Whether only the later list contains a tool, for each of its tools.
    is_new: Vec<bool>,
}

fn matched<'v>(before: &'v [Value], after: &'v [Value]) -> Matched<'v> {
    let later = by_name(after);
    let mut is_new = vec![true; after.len()];
    let (mut pairs, mut removed) = (Vec::with_capacity(before.len()), Vec::new());
    let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
    for (index, tool) in before.iter().enumerate() {
        let name = name_of(tool);
        let nth = seen.entry(name).or_default();
        let partner = later.get(name).and_then(|indexes| indexes.get(*nth));
        *nth += 1;
        match partner {
            Some(&at) => {
                is_new[at] = false;
                pairs.push(Pair { name, before: index, after: at });
            }
            None => removed.push(Placed { name: name.to_owned(), index }),
        }
    }
    Matched { pairs, removed, is_new }
}

/// Returns the indexes of each name.
fn by_name(tools: &[Value]) -> FxHashMap<&str, Vec<usize>> {
    let mut indexes: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (index, tool) in tools.iter().enumerate() {
        indexes.entry(name_of(tool)).or_default().push(index);
    }
    indexes
}

fn duplicates(tools: &[Value]) -> Vec<Duplicate> {
    let mut by_name = by_name(tools);
    let mut found = Vec::new();
    for tool in tools {
        if let Some((name, indexes)) = by_name.remove_entry(name_of(tool))
            && indexes.len() > 1
        {
            found.push(Duplicate { name: name.to_owned(), indexes });
        }
    }
    found
}

/// A tool list with its canonical form.
struct List<'v> {
    tools: &'v [Value],
    /// The canonical form, an array of the tools' contents.
    text: String,
    /// The end of each tool in `text`.
    ends: Vec<usize>,
}

impl<'v> List<'v> {
    /// Writes the canonical form. Of tools that are written like their partner in another list, the
    /// form is copied.
    fn new(tools: &'v [Value], other: Option<(&List<'_>, &[Pair<'_>])>) -> List<'v> {
        let mut partners: Vec<Option<usize>> = vec![None; tools.len()];
        for pair in other.map(|(_, pairs)| pairs).unwrap_or_default() {
            partners[pair.after] = Some(pair.before);
        }
        let mut text = String::with_capacity(other.map_or(0, |(list, _)| list.text.len()) + 2);
        text.push('[');
        let mut ends = Vec::with_capacity(tools.len());
        for (at, tool) in tools.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            let equal = other.map(|(list, _)| list).zip(partners[at]);
            let equal =
                equal.filter(|(list, partner)| canonical::is_same(&list.tools[*partner], tool));
            match equal {
                Some((list, partner)) => text.push_str(list.content(partner)),
                None => canonical::write_content(&mut text, tool),
            }
            ends.push(text.len());
        }
        text.push(']');
        List { tools, text, ends }
    }

    /// Returns the canonical form of a tool's content.
    fn content(&self, index: usize) -> &str {
        &self.text[self.start(index)..self.ends[index]]
    }

    /// Returns the start of a tool in `text`, or of what follows the last one.
    fn start(&self, index: usize) -> usize {
        match index {
            0 => 1,
            _ => self.ends[index - 1] + 1,
        }
    }
}

fn first_difference(old: &List<'_>, new: &List<'_>) -> Option<FirstDifference> {
    if old.text == new.text {
        return None;
    }
    let shorter = old.tools.len().min(new.tools.len());
    let index = (0..shorter).take_while(|&at| old.content(at) == new.content(at)).count();
    let equal = if index == 0 { 0 } else { old.ends[index - 1] };
    let rest = old.text.as_bytes()[equal..].iter().zip(&new.text.as_bytes()[equal..]);
    let byte = equal + rest.take_while(|(old, new)| old == new).count();
    Some(FirstDifference { index, byte })
}

/// Counts the tokens of both lists, each content once: a tool of the later list that is equal to its
/// partner has the same number.
fn token_counts(
    old: &List<'_>,
    new: &List<'_>,
    pairs: &[Pair<'_>],
    first: Option<FirstDifference>,
) -> Tokens {
    let of_old: Vec<usize> =
        (0..old.tools.len()).map(|at| tokens::count(old.content(at))).collect();
    let mut of_new: Vec<Option<usize>> = vec![None; new.tools.len()];
    for pair in pairs {
        if old.content(pair.before) == new.content(pair.after) {
            of_new[pair.after] = Some(of_old[pair.before]);
        }
    }
    let of_new: Vec<usize> = of_new
        .into_iter()
        .enumerate()
        .map(|(at, known)| known.unwrap_or_else(|| tokens::count(new.content(at))))
        .collect();
    // Brackets and commas: one token for each tool, and one more.
    let total = |of_tools: &[usize]| of_tools.iter().sum::<usize>() + of_tools.len() + 1;
    let (before, after) = (total(&of_old), total(&of_new));
    let reusable_prefix = match first {
        None => after,
        Some(first) => {
            let equal = total(&of_new[..first.index]);
            let start = new.start(first.index).min(first.byte);
            let partial = text::start(&new.text[start..], first.byte - start);
            equal + tokens::count(partial)
        }
    };
    Tokens { before, after, reusable_prefix }
}

fn changed_fields(before: &Value, after: &Value) -> Vec<String> {
    let (Value::Object(old), Value::Object(new)) = (before, after) else { return Vec::new() };
    let differs = |name: &&String| match (old.get(*name), new.get(*name)) {
        (Some(old), Some(new)) => {
            !canonical::is_same(old, new)
                && canonical::of_member(name, old) != canonical::of_member(name, new)
        }
        (old, new) => old.is_some() != new.is_some(),
    };
    let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
    let names = names.filter(|name| *name != canonical::METADATA);
    let mut fields: Vec<String> = names.filter(differs).map(|name| shortened(name)).collect();
    fields.sort_unstable();
    fields.truncate(FIELDS_MAX);
    fields
}

fn moved(pairs: &[Pair<'_>]) -> Vec<Moved> {
    let moved = order::moved(pairs);
    let pairs = pairs.iter().zip(moved).filter(|(_, moved)| *moved);
    pairs
        .map(|(pair, _)| Moved {
            name: pair.name.to_owned(),
            before: pair.before,
            after: pair.after,
        })
        .collect()
}

fn metadata_changed(before: &[Value], after: &[Value], pairs: &[Pair<'_>]) -> Vec<Placed> {
    let differs = |pair: &&Pair<'_>| {
        let metadata = |tool: &'_ Value| tool.get(canonical::METADATA).map(canonical::of_value);
        metadata(&before[pair.before]) != metadata(&after[pair.after])
    };
    pairs
        .iter()
        .filter(differs)
        .map(|pair| Placed { name: pair.name.to_owned(), index: pair.after })
        .collect()
}
