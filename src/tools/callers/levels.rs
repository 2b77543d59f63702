//! The callers of a definition, their callers, and so on, as a tree.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{MORE_USES_WITHIN, USES_MAX};
use crate::answer::graph::{Graph, How, Vertex};
use crate::answer::page::{Cell, Node};
use crate::answer::style::Style;
use crate::answer::texts::Texts;
use crate::base::text;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::calls::{self, Bound, uses_within};
use crate::graph::link::{CONFIDENCE_ANSWER, Linker, SymbolAt};
use crate::lang::facts::Role;
use crate::tools::{counted, paths};

/// The maximum number of levels.
pub(super) const LEVELS_MAX: usize = 8;

/// A caller in the tree.
#[derive(Clone, Debug, Serialize)]
pub struct Level {
    /// The definition that calls; absent for code outside of all definitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The first line of that definition, from 1, for drawings.
    #[serde(skip)]
    pub first_line: usize,
    /// The file's repository path.
    pub path: String,
    /// The line of its first call, from 1.
    pub line: usize,
    /// How often it calls what is above it in the tree.
    pub calls: usize,
    /// True if its callers stand elsewhere in the tree.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
    /// Its callers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<Level>,
    /// How many more callers it has.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A caller whose callers are searched.
struct Open {
    /// Its place in the list of callers; none for a definition of the call.
    place: Option<usize>,
    at: SymbolAt,
}

/// Returns the callers of each definition of `targets` up to `depth` levels, at most `max` callers in all;
/// the nearest levels come first. O(uses of the names of each level).
pub(super) fn of(
    catalog: &Catalog,
    targets: &[SymbolAt],
    depth: usize,
    max: usize,
) -> Result<Vec<Vec<Level>>> {
    let linker = Linker::new(catalog);
    let mut texts = Texts::new(catalog);
    let rank = |file| catalog.marks(file).map_or(u8::MAX, crate::lang::Marks::rank).into();
    let bound =
        Bound { uses_max: USES_MAX, more_within: MORE_USES_WITHIN, first: &rank, ..calls::ALL };
    // The callers, each with the place of what it calls: a target or another caller.
    let mut levels: Vec<(Above, Level)> = Vec::new();
    let mut seen: Vec<SymbolAt> = targets.to_vec();
    let mut open: Vec<Open> = targets.iter().map(|&at| Open { place: None, at }).collect();
    for _ in 0..depth.min(LEVELS_MAX) {
        if open.is_empty() {
            break;
        }
        let of: Vec<SymbolAt> = open.iter().map(|open| open.at).collect();
        let uses = uses_within(&linker, &of, CONFIDENCE_ANSWER, bound).uses;
        // The calls of each pair of what is called and its caller, in the order of files.
        let mut pairs: BTreeMap<(usize, u8, usize), (Option<SymbolAt>, Level)> = BTreeMap::new();
        let mut places: BTreeMap<(usize, SymbolAt), (usize, u8, usize)> = BTreeMap::new();
        for (at, (called, found)) in uses.into_iter().enumerate() {
            let site = &found.site;
            if site.reference.role != Role::Call {
                continue;
            }
            let caller = calls::calling_symbol(catalog, site);
            let known = caller.and_then(|caller| places.get(&(called, caller)));
            if let Some((_, level)) = known.and_then(|key| pairs.get_mut(key)) {
                level.calls += 1;
                continue;
            }
            let (line, _) = texts.line(site.file, site.reference.span.start);
            let symbol = caller.map(|caller| catalog.symbol(caller)).transpose()?.flatten();
            let level = Level {
                first_line: symbol.as_ref().map_or(0, |symbol| symbol.line),
                name: symbol.map(|symbol| symbol.qualified_name.clone()),
                path: paths::shown(catalog.path(site.file)),
                line,
                calls: 1,
                repeated: false,
                callers: Vec::new(),
                left_out: 0,
            };
            let key = (called, catalog.marks(site.file)?.rank(), at);
            pairs.insert(key, (caller, level));
            places.extend(caller.map(|caller| ((called, caller), key)));
        }
        let mut next = Vec::new();
        for ((called, ..), (caller, mut level)) in pairs {
            let above = match open[called].place {
                Some(place) => Above::Caller(place),
                None => Above::Target(called),
            };
            if levels.len() >= max {
                if let Above::Caller(place) = above {
                    levels[place].1.left_out += 1;
                }
                continue;
            }
            match caller {
                Some(caller) if seen.contains(&caller) => level.repeated = true,
                Some(caller) => {
                    seen.push(caller);
                    next.push(Open { place: Some(levels.len()), at: caller });
                }
                None => {}
            }
            levels.push((above, level));
        }
        open = next;
    }
    let mut of_targets = vec![Vec::new(); targets.len()];
    // A caller comes after what it calls.
    while let Some((above, mut level)) = levels.pop() {
        level.callers.reverse();
        match above {
            Above::Target(target) => of_targets[target].push(level),
            Above::Caller(place) => levels[place].1.callers.push(level),
        }
    }
    of_targets.iter_mut().for_each(|levels| levels.reverse());
    Ok(of_targets)
}

/// What stands above a caller.
#[derive(Clone, Copy)]
enum Above {
    Target(usize),
    Caller(usize),
}

impl Level {
    /// Writes the caller and those below it, indented.
    pub(super) fn write(&self, out: &mut String, indent: usize, style: &dyn Style) {
        let name = self.name.as_deref().map_or("(outside of definitions)", |name| name);
        out.push_str(&format!(
            "{:indent$}{}  {}{}\n",
            "",
            style.place(&self.path, self.line),
            text::plain(name),
            self.remark().map(|remark| format!("  ({remark})")).unwrap_or_default()
        ));
        self.callers.iter().for_each(|level| level.write(out, indent + 2, style));
    }

    /// Returns the caller and those below it as a node of a page.
    pub(super) fn node(&self) -> Node {
        let name = match &self.name {
            Some(name) => Cell::name(name),
            None => Cell::faint("(outside of definitions)"),
        };
        let mut cells = vec![name, Cell::Place(self.path.clone(), self.line)];
        cells.extend(self.remark().map(Cell::faint));
        Node { cells, children: self.callers.iter().map(Level::node).collect() }
    }

    /// Adds the caller, its calls of the vertex at `callee`, and those below it to a graph; returns how
    /// many more there are.
    pub(super) fn draw(&self, callee: usize, graph: &mut Graph) -> usize {
        let own = graph.add(match &self.name {
            Some(name) => Vertex::definition(name, &self.path, self.first_line),
            None => Vertex::file(&self.path),
        });
        graph.connect(own, callee, How::Calls, self.calls, 1.0);
        let below = self.callers.iter().map(|level| level.draw(own, graph));
        below.sum::<usize>() + self.left_out
    }

    fn remark(&self) -> Option<String> {
        let calls = (self.calls > 1).then(|| counted(self.calls, "call"));
        let repeated = self.repeated.then(|| "listed elsewhere".to_owned());
        let more = (self.left_out > 0).then(|| format!("{} not listed", self.left_out));
        let all: Vec<String> = calls.into_iter().chain(repeated).chain(more).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }
}
