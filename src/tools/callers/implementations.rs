//! The types that extend or implement a type, and the members that override or implement a member.

use serde::Serialize;

use super::Lists;
use crate::answer::definition::{Around, Definition};
use crate::answer::page::{Cell, Column, Table};
use crate::answer::style::Style;
use crate::answer::texts::Texts;
use crate::base::text;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::calls::{self, Unstated};
use crate::graph::link::{Linker, SymbolAt};
use crate::tools::{counted, paths};

/// A type or member that implements a definition.
#[derive(Clone, Debug, Serialize)]
pub struct Implementation {
    /// Its qualified name; absent for a class without a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// The file's repository path.
    pub path: String,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
    /// The column of its name, from 1, in bytes.
    #[serde(skip)]
    pub column: usize,
    /// Its signature, or the line of a class without a name.
    pub text: String,
    /// The type that it names or satisfies, unless that is the definition of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// The number of steps to the definition.
    pub level: usize,
    /// It has all methods of the interface without naming it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_structural: bool,
    /// True in a test file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// The definition that it implements, as an index into `definitions`, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
}

/// The implementations of the definitions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Implementations {
    /// By definition, in each the tree's own sources before tests, then by level, path and line.
    pub list: Vec<Implementation>,
    /// How many are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// How many types name a base of the name that is not resolved.
    #[serde(skip_serializing_if = "is_zero")]
    pub unresolved: usize,
    /// Why there may be more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<&'static str>,
    /// A bound was reached.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// How many `depth` omits.
    #[serde(skip_serializing_if = "is_zero")]
    pub deeper: usize,
    /// How many `tests` omits.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
    /// How many of the definitions are neither types nor members of types.
    #[serde(skip)]
    pub impossible: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Returns the implementations of `targets`, and how many each has.
pub(super) fn of(
    catalog: &Catalog,
    texts: &mut Texts<'_>,
    targets: &[SymbolAt],
    lists: &Lists,
) -> Result<(Implementations, Vec<usize>)> {
    let found = calls::implementations(&Linker::new(catalog), targets);
    let mut counts = vec![0; targets.len()];
    let (mut keyed, mut omitted, mut deeper) = (Vec::new(), 0, 0);
    for (order, it) in found.found.iter().enumerate() {
        let file = it.at.map(|at| at.file).or(it.site.as_ref().map(|site| site.file));
        let Some(file) = file else { continue };
        let marks = catalog.marks(file)?;
        if lists.tests.is_some_and(|wanted| marks.test != wanted) {
            omitted += 1;
            continue;
        }
        if it.level > lists.levels_max {
            deeper += 1;
            continue;
        }
        counts[it.of] += 1;
        keyed.push((it.of, marks.rank(), order, marks.test));
    }
    keyed.sort_unstable();
    let total = keyed.len();
    let mut list = Vec::new();
    for (of, _, order, test) in keyed.into_iter().take(lists.max) {
        let it = &found.found[order];
        let via = (it.level > 1).then(|| Around::of(catalog, it.via)).flatten();
        let via = via.map(|via| via.name);
        let (level, is_structural) = (it.level, it.is_structural);
        let of = (targets.len() > 1).then_some(of);
        if let Some(at) = it.at {
            let Some(definition) = Definition::of(catalog, texts, at)? else { continue };
            let Definition { qualified_name, kind, path, line, end_line, signature, .. } =
                definition;
            let column = definition.name_at.1;
            let (name, kind, text) = (Some(qualified_name), Some(kind.name()), signature);
            list.push(Implementation {
                name,
                kind,
                path,
                line,
                end_line,
                column,
                text,
                via,
                level,
                is_structural,
                test,
                of,
            });
        } else if let Some(site) = &it.site {
            let (line, text) = texts.line(site.file, site.reference.span.start);
            let column = texts.column(site.file, site.reference.span.start);
            list.push(Implementation {
                name: None,
                kind: None,
                path: paths::shown(catalog.path(site.file)),
                line,
                end_line: line,
                column,
                text,
                via,
                level,
                is_structural,
                test,
                of,
            });
        }
    }
    let unknown = found.unstated.iter().map(|reason| Unstated::words(*reason)).collect();
    let all = Implementations {
        shown: list.len(),
        list,
        total,
        unresolved: found.unresolved,
        unknown,
        is_cut: found.is_cut,
        deeper,
        omitted,
        impossible: found.is_possible.iter().filter(|is_possible| !**is_possible).count(),
    };
    Ok((all, counts))
}

impl Implementation {
    /// Writes kind, name, place and what it goes through on a line.
    pub(super) fn write(&self, out: &mut String, style: &dyn Style) {
        let place = style.range(&self.path, self.line, self.end_line);
        out.push_str("  ");
        match (&self.name, self.kind) {
            (Some(name), Some(kind)) => {
                // The name of a block begins with its kind.
                let kind = if kind == "impl" { String::new() } else { format!("{kind} ") };
                out.push_str(&format!("{kind}{}  {place}", style.name(name)));
            }
            _ => out.push_str(&format!("without a name  {place}  {}", text::plain(&self.text))),
        }
        if let Some(how) = self.how() {
            out.push_str(&format!("  {}", text::plain(&how)));
        }
        out.push('\n');
    }

    /// Returns what it goes through.
    fn how(&self) -> Option<String> {
        let structural = self.is_structural.then(|| "not named".to_owned());
        let via = self.via.as_ref().map(|via| format!("via {via}, level {}", self.level));
        let parts: Vec<String> = structural.into_iter().chain(via).collect();
        (!parts.is_empty()).then(|| format!("({})", parts.join(", ")))
    }
}

/// Returns implementations as a table for people.
pub(super) fn table<'i>(list: impl Iterator<Item = &'i Implementation>) -> Table {
    let columns = [Column::left(""), Column::cut(""), Column::cut(""), Column::left("")];
    let mut table = Table::new(columns);
    for it in list {
        let name = match &it.name {
            Some(name) => Cell::name(name),
            None => Cell::faint("without a name"),
        };
        let place = Cell::Place(it.path.clone(), it.line);
        let how = it.how().map_or(Cell::Empty, Cell::faint);
        let kind = it.kind.filter(|kind| *kind != "impl");
        table.row([kind.map_or(Cell::Empty, Cell::faint), name, place, how]);
    }
    table.without_empty()
}

impl Implementations {
    /// Returns what is not listed, and why there may be more.
    pub(super) fn notices(&self) -> Vec<String> {
        let mut notices = crate::tools::cut_notice(self.shown, self.total, "max_results");
        if self.omitted > 0 {
            notices.push(format!("{} omitted by `tests`", counted(self.omitted, "implementation")));
        }
        if self.deeper > 0 {
            let deeper = counted(self.deeper, "implementation");
            notices.push(format!("{deeper} beyond `depth` omitted"));
        }
        if self.unresolved > 0 {
            let types = counted(self.unresolved, "type");
            notices.push(format!("{types} with a base of this name that is not resolved"));
        }
        for reason in &self.unknown {
            notices.push(if self.total == 0 {
                format!("implementations are unknown: {reason}")
            } else {
                format!("more may be unknown: {reason}")
            });
        }
        if self.impossible > 0 && self.total == 0 && self.unknown.is_empty() {
            notices.push(
                "only types and their members have implementations; {tool:callers} without \
                 `role` lists calls"
                    .to_owned(),
            );
        }
        if self.is_cut {
            notices.push("more types than are examined; implementations may be missing".to_owned());
        }
        notices
    }
}
