//! Replies of tools as HTML: each block of a page for people is written with the elements of HTML that say what
//! it is.

use indicatif::HumanBytes;
use maud::{Markup, html};

use super::prose::{More, prose, without_arguments};
use super::{code, links};
use crate::answer::ago::ago;
use crate::answer::analysis::NextStep;
use crate::answer::page::{Block, Cell, Column, Grade, Node, Page, Row, Table};
use crate::base::text::plain;

/// The greatest number of rows of a table that are written; the others are counted.
const ROWS_MAX: usize = 500;

/// The width of a bar, in units of its drawing.
const BAR: f64 = 64.0;

/// The height of a sparkline, in units of its drawing.
const SPARK: u32 = 14;

/// Returns a page. `now_ns` is the present time.
pub(super) fn page(page: &Page, now_ns: i64) -> Markup {
    let writer = Writer { now_ns };
    html! { @for block in &page.blocks { (writer.block(block)) } }
}

struct Writer {
    now_ns: i64,
}

impl Writer {
    fn block(&self, block: &Block) -> Markup {
        match block {
            _ if block.is_empty() => html! {},
            Block::Title(text) => html! { h3 { (plain(text)) } },
            Block::Line(cells) => html! { p { (self.line(cells)) } },
            Block::Table(table) => self.table(table),
            Block::Tree(nodes) => self.tree(nodes),
            Block::Code(code) => code::lines(&code.path, &code.text, code.line),
            Block::Diff(text) => diff(text),
            Block::Note(text) => html! { p.note { (prose(&without_arguments(text, None).0)) } },
            Block::Next(steps) => next(steps),
        }
    }

    fn line(&self, cells: &[Cell]) -> Markup {
        let shown = cells.iter().filter(|cell| **cell != Cell::Empty);
        html! { @for (at, cell) in shown.enumerate() { @if at > 0 { " " } (self.cell(cell)) } }
    }

    fn table(&self, table: &Table) -> Markup {
        let has_headers = table.columns.iter().any(|column| !column.header.is_empty());
        let class = |column: &Column| if column.is_right { "right" } else { "" };
        let below = |row: &Row| !row.below.is_empty();
        html! {
            div.scroll tabindex="0" {
                table {
                    @if has_headers {
                        thead { tr {
                            @for column in &table.columns {
                                @if column.header.is_empty() { td {} }
                                @else { th scope="col" class=(class(column)) { (column.header) } }
                            }
                        } }
                    }
                    tbody {
                        @for row in table.rows.iter().take(ROWS_MAX) {
                            tr {
                                @for (column, cell) in table.columns.iter().zip(&row.cells) {
                                    td class=(class(column)) { (self.cell(cell)) }
                                }
                            }
                            @if below(row) {
                                tr.below { td colspan=(table.columns.len()) {
                                    @for line in &row.below { div { (self.line(line)) } }
                                } }
                            }
                        }
                    }
                }
            }
            @if table.rows.len() > ROWS_MAX {
                p.note { (table.rows.len() - ROWS_MAX) " more rows are not shown" }
            }
        }
    }

    fn tree(&self, nodes: &[Node]) -> Markup {
        html! {
            ul.tree {
                @for node in nodes {
                    li {
                        (self.line(&node.cells))
                        @if !node.children.is_empty() { (self.tree(&node.children)) }
                    }
                }
            }
        }
    }

    fn cell(&self, cell: &Cell) -> Markup {
        match cell {
            Cell::Empty => html! {},
            Cell::Text(text) => html! { (plain(text)) },
            Cell::Faint(text) => html! { span.faint { (plain(text)) } },
            Cell::Name(name) if is_definition(name) => {
                html! { a.name href=(links::calls(name, None)) { (plain(name)) } }
            }
            Cell::Name(name) => html! { span.name { (plain(name)) } },
            Cell::Path(path) => html! { a.path href=(links::file(path, None)) { (plain(path)) } },
            Cell::Entry(path, name) => {
                html! { a.path href=(links::about("file", path)) { (plain(name)) } }
            }
            Cell::Place(path, line) => {
                html! { a.path href=(links::file(path, Some(*line))) { (plain(path)) ":" (line) } }
            }
            Cell::Lines(path, line, end_line) => html! {
                a href=(links::file(path, Some(*line))) {
                    (line) @if line != end_line { "–" (end_line) }
                }
            },
            Cell::Number(number) => html! { (grouped(*number)) },
            Cell::Size(bytes) => html! { (HumanBytes(*bytes)) },
            Cell::Changed(added, removed) => html! {
                span.good { "+" (added) } " " span.bad { "−" (removed) }
            },
            Cell::Share(share) => html! { (bar(*share)) " " (percent(*share)) },
            Cell::Bar(share) => bar(*share),
            Cell::Level(grade, word) => html! { span.level.(of_grade(*grade)) { (word) } },
            Cell::Time(text) => {
                let shown = ago(text, self.now_ns).unwrap_or_else(|| plain(text));
                html! { time datetime=(plain(text)) title=(plain(text)) { (shown) } }
            }
            Cell::Sparkline(counts) => sparkline(counts),
            Cell::Code { path, text, name } => code::piece(path, text, name),
        }
    }
}

/// Returns false for names that are not those of a definition, such as the name of a component of a score.
fn is_definition(name: &str) -> bool {
    !name.is_empty() && !name.contains(char::is_whitespace) && !name.ends_with(':')
}

/// Returns the class of a grade.
pub(super) fn of_grade(grade: Grade) -> &'static str {
    match grade {
        Grade::Good => "good",
        Grade::Fair => "fair",
        Grade::Bad => "bad",
        Grade::Worst => "worst",
    }
}

/// Returns a number with its digits in groups of three.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

fn percent(share: f64) -> String {
    match (share.clamp(0.0, 1.0) * 100.0).round() {
        0.0 if share > 0.0 => "<1 %".to_owned(),
        rounded => format!("{rounded} %"),
    }
}

fn bar(share: f64) -> Markup {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let width = format!("{:.1}", share * BAR);
    html! {
        svg.bar width=(BAR) height="8" viewBox="0 0 64 8" aria-hidden="true" {
            rect.track width="64" height="8" rx="2" {}
            rect.fill width=(width) height="8" rx="2" {}
        }
    }
}

fn sparkline(counts: &[u32]) -> Markup {
    let max = counts.iter().copied().max().unwrap_or_default().max(1);
    let width = counts.len() * 4;
    let counted: Vec<String> = counts.iter().map(u32::to_string).collect();
    let height = |count: u32| (u64::from(count) * u64::from(SPARK)).div_ceil(u64::from(max));
    html! {
        svg.spark width=(width) height=(SPARK) viewBox=(format!("0 0 {width} {SPARK}")) role="img"
            aria-label=(format!("oldest first: {}", counted.join(", "))) {
            @for (at, count) in counts.iter().enumerate() {
                rect x=(at * 4) y=(u64::from(SPARK) - height(*count)) width="3" height=(height(*count)) {}
            }
        }
    }
}

/// Returns a unified diff, its lines in colours.
pub(super) fn diff(text: &str) -> Markup {
    let class = |line: &str| match line.as_bytes().first() {
        Some(b'+') => "added",
        Some(b'-') => "removed",
        Some(b'@') => "hunk",
        _ => "",
    };
    html! {
        pre.diff tabindex="0" {
            @for line in text.lines() { span class=(class(line)) { (plain(line)) } "\n" }
        }
    }
}

/// Returns what comes next: pages where there is one, else the words.
fn next(steps: &[NextStep]) -> Markup {
    html! {
        ul.next {
            @for step in steps {
                @if let Some((link, what)) = of_step(step) { li { a href=(link) { (what) } } }
            }
        }
    }
}

/// Returns the page that a call of a tool leads to.
fn of_step(step: &NextStep) -> Option<(String, String)> {
    let step = serde_json::to_value(step).ok()?;
    let args = &step["args"];
    let text = |key: &str| args[key].as_str().filter(|text| !text.is_empty());
    let path = text("path").or_else(|| text("file_path"));
    let tool = step["tool"].as_str()?.trim_start_matches("codedb_");
    let link = match tool {
        "read" | "outline" => {
            let line = args["line_start"].as_u64().and_then(|line| usize::try_from(line).ok());
            links::file(path?, line)
        }
        "callers" | "symbol" | "explain" => links::calls(text("name")?, path),
        "search" => links::search(text("query")?),
        "churn" | "history" | "coupling" | "ownership" | "who_reviews" => {
            links::about("history", path?)
        }
        "context" => format!("/context?task={}", links::value(text("task")?)),
        _ => return None,
    };
    let reason = step["reason"].as_str().map_or_else(|| tool.replace('_', " "), plain);
    Some((link, reason))
}

/// Returns an error as a part of a page.
pub(super) fn failure(error: &crate::error::Error) -> Markup {
    html! {
        div.failure role="alert" {
            p { (prose(&error.to_string())) }
            @for hint in error.hints() {
                @let hint = without_arguments(hint, None).0;
                @if !hint.is_empty() { p.faint { (prose(&hint)) } }
            }
        }
    }
}

/// Returns sentences on what a reply does not know.
pub(super) fn notices(notices: &[String]) -> Markup {
    notices_and_more(notices, None).0
}

/// Returns sentences on what a reply does not know or show, and what shows more. `shown` is what the reply was
/// asked for.
pub(super) fn notices_and_more(notices: &[String], shown: Option<More>) -> (Markup, Option<More>) {
    let (mut texts, mut more) = (Vec::new(), None);
    for notice in notices {
        let (text, wider) = without_arguments(notice, shown);
        more = more.or(wider);
        texts.extend(Some(text).filter(|text| !text.is_empty()));
    }
    (html! { @for text in &texts { p.note { (prose(text)) } } }, more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_strangers_are_no_markup() {
        let evil = "<script>alert(1)</script>\u{202e}\u{1b}[31m".to_owned();
        let mut table = Table::new([Column::left("A"), Column::cut("B")]);
        table.row_with(
            [Cell::text(&*evil), Cell::Path(evil.clone())],
            vec![vec![Cell::name(&*evil), Cell::Place(evil.clone(), 3)]],
        );
        let code = Cell::Code { path: "a.rs".into(), text: evil.clone(), name: "alert".into() };
        let blocks = vec![
            Block::Title(evil.clone()),
            Block::Line(vec![code, Cell::time(&*evil), Cell::Entry(evil.clone(), evil.clone())]),
            Block::Table(table),
            Block::Diff(format!("+{evil}")),
            Block::Note(evil.clone()),
            Block::Code(crate::answer::page::Code { path: evil.clone(), line: 1, text: evil }),
        ];
        let text = page(&Page { blocks }, 0).into_string();
        assert!(!text.contains("<script"), "{text}");
        assert!(!text.contains('\u{202e}') && !text.contains('\u{1b}'), "{text}");
        assert!(text.contains("&lt;"), "{text}");
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
    }
}
