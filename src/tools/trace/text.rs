//! Chains as text for models, and as a page for people.

use std::fmt::Write as _;

use super::super::callers::CERTAIN;
use super::ends::Origin;
use super::steps::{How, Next, Step};
use super::{Entry, Other, TraceReply};
use crate::answer::page::{Block, Cell, Column, Page, Table};
use crate::answer::style::Style;
use crate::base::text::plain;
use crate::graph::trace::Kind;

/// Renders a line for each definition, followed by the lines that lead to the next one.
pub(super) fn render(reply: &TraceReply, style: &dyn Style) -> String {
    let mut out = String::new();
    for (which, texts) in [("from", &reply.from_texts), ("to", &reply.to_texts)] {
        for Origin { path, line, text } in texts.iter().take(3) {
            let place = style.place(path, *line);
            let _ = writeln!(out, "{which} {place}  {}", plain(text));
        }
        if texts.len() > 3 {
            let _ = writeln!(out, "{which} {} more places", texts.len() - 3);
        }
    }
    chain(&mut out, &reply.chain, style);
    for other in &reply.others {
        let _ = writeln!(out, "{}:", heading(other));
        chain(&mut out, &other.steps, style);
        if other.joins_above {
            let _ = writeln!(out, "  {JOINS}");
        }
    }
    for step in &reply.starts {
        let _ = writeln!(out, "from {}", head(step, style));
    }
    let shown = reply.starts.len();
    if shown > 0 && reply.candidates[0] > shown {
        let _ = writeln!(out, "from {} more definitions", reply.candidates[0] - shown);
    }
    for entry in &reply.runs {
        tree(&mut out, entry, style);
    }
    if let Some(broken) = &reply.broken {
        if let Some(start) = &broken.start {
            let _ = writeln!(out, "start of the chain: {}", head(start, style));
        }
        for step in &broken.unresolved {
            let _ = writeln!(out, "unresolved in {}", head(step, style));
            for line in lines(step, style) {
                let _ = writeln!(out, "  {line}");
            }
        }
        for sent in &broken.sent {
            let _ = writeln!(out, "sends in {}", head(&sent.step, style));
            for line in lines(&sent.step, style) {
                let _ = writeln!(out, "  {line}");
            }
            for step in &sent.received {
                let _ = writeln!(out, "  received in {}", head(step, style));
                for line in lines(step, style) {
                    let _ = writeln!(out, "    {line}");
                }
            }
        }
        let _ = writeln!(out, "end of the chain:");
        chain(&mut out, &broken.end, style);
        for step in &broken.entries {
            let _ = writeln!(out, "also leads to the end: {}", head(step, style));
        }
    }
    out
}

/// What follows the last step of a chain that joins another one.
const JOINS: &str = "then as above";

/// Returns the line before a further chain.
fn heading(other: &Other) -> &'static str {
    if other.leaves_above { "or, as above up to" } else { "or" }
}

fn chain(out: &mut String, steps: &[Step], style: &dyn Style) {
    for step in steps {
        let _ = writeln!(out, "{}", head(step, style));
        for line in lines(step, style) {
            let _ = writeln!(out, "  {line}");
        }
    }
}

fn tree(out: &mut String, entry: &Entry, style: &dyn Style) {
    let margin = "  ".repeat(entry.depth);
    let mut remarks = String::new();
    if let Some(next) = &entry.step.next {
        if next.line > 0 {
            let _ = write!(remarks, "  at {}", place_of(next, style));
        }
        remarks.push_str(&mark(next));
    }
    if entry.repeated {
        remarks.push_str("  (listed elsewhere)");
    } else if entry.unfollowed {
        remarks.push_str("  …");
    }
    if entry.unresolved > 0 {
        let _ = write!(remarks, "  [{} unresolved]", super::counted(entry.unresolved, "call"));
    }
    let _ = writeln!(out, "{margin}{}{remarks}", head(&entry.step, style));
    if !entry.leaves.is_empty() {
        let names: Vec<String> = entry.leaves.iter().map(|name| plain(name)).collect();
        let _ = writeln!(out, "{margin}  and {}{}", names.join(", "), more(entry));
    }
}

fn place_of(next: &Next, style: &dyn Style) -> String {
    match &next.path {
        Some(path) => style.place(path, next.line),
        None => next.line.to_string(),
    }
}

/// Returns place, kind and name of a definition.
fn head(step: &Step, style: &dyn Style) -> String {
    let name = style.name(&step.qualified_name);
    match step.kind {
        Some(kind) => {
            format!("{}  {} {name}", style.range(&step.path, step.line, step.end_line), kind.name())
        }
        None => format!("{}  code in no definition", style.path(&step.path)),
    }
}

/// Returns the lines that lead from a definition to the next one.
fn lines(step: &Step, style: &dyn Style) -> Vec<String> {
    let Some(next) = &step.next else { return Vec::new() };
    let mut lines: Vec<String> = Vec::new();
    for guard in &next.inside {
        lines.push(format!("{}: {}", guard.line, plain(&guard.text)));
    }
    let mark = mark(next);
    if next.line == 0 {
        lines.push(mark.trim().to_owned());
    } else {
        let place = place_of(next, style);
        let margin = "  ".repeat(next.inside.len().min(1));
        lines.push(format!("{margin}{place}: {}{mark}", plain(&next.text)));
    }
    lines
}

/// Returns how a step that is no certain call leads on.
fn mark(next: &Next) -> String {
    let how = match (next.how, &next.through) {
        (How::Step(Kind::Override), Some(through)) => format!("implements `{}`", plain(through)),
        (How::Step(Kind::Call), _) if next.confidence >= CERTAIN => return String::new(),
        (How::Step(Kind::Call), _) => format!("{:.2}", next.confidence),
        (How::Step(Kind::Possible), _) if next.confidence <= 0.0 => "unresolved".to_owned(),
        (how @ How::Step(Kind::Possible), _) => {
            format!("{}, {:.2}", how.words(), next.confidence)
        }
        (how, _) => how.words().to_owned(),
    };
    format!("  ({how})")
}

/// Shows each definition, below it the lines that lead to the next one.
pub(super) fn page(reply: &TraceReply) -> Page {
    let mut blocks = Vec::new();
    let table = |blocks: &mut Vec<Block>, steps: &[Step], heading: Option<&str>| {
        if steps.is_empty() {
            return;
        }
        let columns = [Column::left(""), Column::cut(""), Column::cut("")];
        let mut table = Table::new(columns);
        for step in steps {
            let kind = step.kind.map_or(Cell::Empty, |kind| Cell::faint(kind.name()));
            let cells =
                [kind, Cell::name(&step.qualified_name), Cell::Place(step.path.clone(), step.line)];
            let mut below = Vec::new();
            if let Some(next) = &step.next {
                let path = next.path.clone().unwrap_or_else(|| step.path.clone());
                for guard in &next.inside {
                    let text = guard.text.clone();
                    below.push(vec![
                        Cell::Lines(path.clone(), guard.line, guard.line),
                        Cell::Code { path: path.clone(), text, name: String::new() },
                    ]);
                }
                if next.line > 0 {
                    let text = next.text.clone();
                    below.push(vec![
                        Cell::Lines(path.clone(), next.line, next.line),
                        Cell::Code { path, text, name: String::new() },
                    ]);
                }
                let mark = mark(next);
                if !mark.is_empty() {
                    below.push(vec![Cell::faint(mark.trim().to_owned())]);
                }
            }
            table.row_with(cells, below);
        }
        if let Some(heading) = heading {
            blocks.push(Block::Line(vec![Cell::faint(heading)]));
        }
        blocks.push(Block::Table(table.without_empty()));
    };
    if !reply.chain.is_empty() {
        table(&mut blocks, &reply.chain, None);
    }
    for other in &reply.others {
        table(&mut blocks, &other.steps, Some(heading(other)));
        if other.joins_above {
            blocks.push(Block::Line(vec![Cell::faint(JOINS)]));
        }
    }
    if !reply.starts.is_empty() {
        table(&mut blocks, &reply.starts, Some("from"));
    }
    if let Some(broken) = &reply.broken {
        table(&mut blocks, broken.start.as_slice(), Some("start of the chain"));
        table(&mut blocks, &broken.unresolved, Some("unresolved calls"));
        for sent in &broken.sent {
            table(&mut blocks, std::slice::from_ref(&sent.step), Some("sends"));
            table(&mut blocks, &sent.received, Some("received in"));
        }
        table(&mut blocks, &broken.end, Some("end of the chain"));
        table(&mut blocks, &broken.entries, Some("also leads to the end"));
    }
    if !reply.runs.is_empty() {
        let mut table = Table::new([Column::cut(""), Column::cut(""), Column::left("")]);
        for entry in &reply.runs {
            let margin = "  ".repeat(entry.depth);
            let name = format!("{margin}{}", entry.step.qualified_name);
            let remark = if entry.repeated {
                "listed elsewhere"
            } else if entry.unfollowed {
                "…"
            } else {
                ""
            };
            let place = Cell::Place(entry.step.path.clone(), entry.step.line);
            table.row([Cell::name(name), place, Cell::faint(remark)]);
            if !entry.leaves.is_empty() {
                let leaves = format!("{margin}  and {}{}", entry.leaves.join(", "), more(entry));
                table.row([Cell::faint(leaves), Cell::Empty, Cell::Empty]);
            }
        }
        blocks.push(Block::Table(table.without_empty()));
    }
    Page { blocks }
}

/// Returns how many definitions are not named.
fn more(entry: &Entry) -> String {
    match entry.leaves_left_out {
        0 => String::new(),
        count => format!(" and {count} more"),
    }
}
