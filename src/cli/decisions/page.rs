//! Decisions as pages for people.

use super::{Cited, Reference};
use crate::answer::page::{Block, Cell, Code, Column, Grade, Page, Row, Table};
use crate::base::text::{counted, start};
use crate::decisions::cited::Fate;
use crate::userdata::decisions::{Decision, RefKind, SourceRef, State};

/// Returns a list of records.
pub(super) fn list<'d>(all: impl Iterator<Item = &'d Decision>) -> Page {
    let mut table = table();
    table.rows.extend(all.map(row));
    Page { blocks: vec![Block::Table(table)] }
}

/// Returns the records that cite places which are not as they were, and how many were compared.
pub(super) fn stale(found: &[(&Decision, Vec<Fate>)], checked: usize, unknown: usize) -> Page {
    let mut table = table();
    for (it, fates) in found {
        let mut row = row(it);
        let changed = it.source_refs.iter().zip(fates).filter(|(_, fate)| **fate != Fate::Fresh);
        row.below.extend(changed.map(|(source, fate)| reference(source, fate)));
        table.rows.push(row);
    }
    let unknown = match unknown {
        0 => String::new(),
        unknown => format!("; of {unknown}, some references cannot be checked"),
    };
    let stale = found.len();
    let are = if stale == 1 { "is" } else { "are" };
    let of = counted(checked, "open decision");
    let note = Block::Note(format!("{stale} of {of} {are} stale{unknown}"));
    Page { blocks: vec![Block::Table(table), note] }
}

/// Returns a record with its references and the lines that they cite.
pub(super) fn described(it: &Decision, references: &[Reference<'_>]) -> Page {
    let mut facts = Table::new([Column::left(""), Column::left("")]);
    let mut fact = |name: &str, value: Cell| facts.row([Cell::faint(name), value]);
    fact("id", Cell::text(&it.id));
    fact("status", status(it.status));
    if let Some(by) = &it.superseded_by {
        fact("replaced by", Cell::text(by));
    }
    fact("where", Cell::text(it.scope.to_string()));
    fact("confidence", Cell::text(it.confidence.name()));
    let by = it.extractor.as_ref().map(|by| format!(" ({by})")).unwrap_or_default();
    fact("origin", Cell::text(format!("{}{by}", it.origin.name())));
    fact("proposed", Cell::time(&it.created_at));
    fact("changed", Cell::time(&it.updated_at));
    if !it.keywords.is_empty() {
        fact("keywords", Cell::text(it.keywords.join(", ")));
    }
    let mut blocks = vec![Block::Title(it.pattern.clone()), Block::Table(facts)];
    let lines = it.rationale.lines().filter(|line| !line.trim().is_empty());
    blocks.extend(lines.map(|line| Block::Line(vec![Cell::text(line)])));
    if !references.is_empty() {
        blocks.push(Block::Title("References".to_owned()));
    }
    for Reference { source, fate, cited } in references {
        blocks.push(Block::Line(reference(source, fate)));
        let code = cited.as_ref().map(|Cited { path, first, lines, .. }| {
            Block::Code(Code { path: path.clone(), line: *first, text: lines.join("\n") })
        });
        blocks.extend(code);
    }
    Page { blocks }
}

fn table() -> Table {
    Table::new([
        Column::left("ID"),
        Column::left("STATUS"),
        Column::cut("WHERE"),
        Column::left("CONFIDENCE"),
        Column::left("CHANGED"),
    ])
}

/// Returns a record: where it stands, and below it what is decided.
fn row(it: &Decision) -> Row {
    let cells = vec![
        Cell::faint(start(&it.id, 8)),
        status(it.status),
        Cell::text(it.scope.to_string()),
        Cell::text(it.confidence.name()),
        Cell::time(&it.updated_at),
    ];
    Row { cells, below: vec![vec![Cell::text(&it.pattern)]] }
}

fn status(state: State) -> Cell {
    match state {
        State::Canonical => Cell::Level(Grade::Good, state.name()),
        State::Candidate => Cell::Level(Grade::Fair, state.name()),
        State::Rejected => Cell::Level(Grade::Bad, state.name()),
        State::Superseded => Cell::faint(state.name()),
    }
}

/// Returns a reference with what became of it.
fn reference(source: &SourceRef, fate: &Fate) -> Vec<Cell> {
    let place = match source.place() {
        Some((path, 0)) => Cell::Path(path.to_owned()),
        Some((path, line)) => Cell::Place(path.to_owned(), line),
        None if source.kind == RefKind::Commit => {
            Cell::text(format!("commit {}", start(&source.reference, 12)))
        }
        None => Cell::text(&source.reference),
    };
    let grade = match fate {
        Fate::Fresh => Grade::Good,
        Fate::Changed | Fate::Moved { .. } | Fate::Unknown => Grade::Fair,
        Fate::Gone => Grade::Bad,
    };
    let mut cells = vec![place, Cell::Level(grade, fate.name())];
    if let Fate::Moved { to } = fate {
        cells.extend([Cell::faint("to"), Cell::Path(to.clone())]);
    }
    cells.extend(source.detail.as_ref().map(Cell::faint));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::screen::tests::shown;
    use crate::userdata::decisions::{Confidence, Origin, Scope};

    fn decision(id: &str, pattern: &str, status: State, day: u32) -> Decision {
        Decision {
            id: format!("{id}-0000-4000-8000-000000000000"),
            pattern: pattern.to_owned(),
            scope: Scope::Path("src/**".to_owned()),
            rationale: "Floats round.\n\nSums of many prices show it.".to_owned(),
            confidence: Confidence::High,
            source_refs: vec![
                SourceRef::line("src/price.rs", 4, "the field"),
                SourceRef::line("src/money.rs", 9, "the former type"),
                SourceRef::commit("0123456789abcdef0123456789abcdef01234567", "the change"),
            ],
            status,
            superseded_by: None,
            origin: Origin::Human,
            extractor: None,
            keywords: vec!["money".to_owned(), "price".to_owned()],
            created_at: "2025-01-10T12:00:00Z".to_owned(),
            updated_at: format!("2025-01-{day}T12:00:00Z"),
        }
    }

    fn shop() -> [Decision; 3] {
        let cents = "Use integer cents for prices; a price never has a fraction of a cent, and sums \
                     are computed before discounts are taken off";
        [
            decision("3f2a9c1d", cents, State::Canonical, 20),
            decision("77aa0b12", "Name totals `total`", State::Candidate, 31),
            decision("90c0ffee", "Format prices in the browser", State::Rejected, 11),
        ]
    }

    #[test]
    fn decisions_as_pages() {
        let [cents, name, format] = shop();
        let all = [&cents, &name, &format];
        insta::assert_snapshot!("decisions", shown(&list(all.into_iter())));
        let fates = [Fate::Fresh, Fate::Gone, Fate::Moved { to: "src/price.rs:9".to_owned() }];
        let found = [(&cents, fates.to_vec())];
        insta::assert_snapshot!("stale_decisions", shown(&stale(&found, 2, 1)));
        let lines = ["/// Cents.", "pub struct Price {", "    pub cents: u64,", "}"];
        let lines = lines.map(str::to_owned).to_vec();
        let cited = Cited { path: "src/price.rs".to_owned(), line: 4, first: 2, lines };
        let mut cited = Some(cited);
        let references: Vec<Reference<'_>> = cents
            .source_refs
            .iter()
            .zip(fates)
            .map(|(source, fate)| Reference { source, fate, cited: cited.take() })
            .collect();
        insta::assert_snapshot!("decision", shown(&described(&cents, &references)));
    }
}
