//! Chains as text for models, and as a page for people.

use std::fmt::Write as _;

use super::super::callers::CERTAIN;
use super::ends::Origin;
use super::steps::{Next, Step};
use super::{Entry, TraceReply};
use crate::answer::page::{Block, Cell, Column, Page, Table};
use crate::answer::style::Style;
use crate::base::text::plain;

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
        let _ = writeln!(out, "or:");
        chain(&mut out, &other.steps, style);
    }
    for entry in &reply.runs {
        tree(&mut out, entry, style);
    }
    if let Some(broken) = &reply.broken {
        for step in &broken.unresolved {
            let _ = writeln!(out, "unresolved in {}", head(step, style));
            for line in lines(step, style) {
                let _ = writeln!(out, "  {line}");
            }
        }
        for step in &broken.entries {
            let _ = writeln!(out, "leads to the end: {}", head(step, style));
        }
    }
    out
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
    let how = match next.how {
        "override" => match &next.through {
            Some(through) => format!("implements `{}`", plain(through)),
            None => "implements the method".to_owned(),
        },
        "value" => "holds the function".to_owned(),
        "passed" => "passed as a value".to_owned(),
        "contains" => "contains the function".to_owned(),
        "callback" => "calls what is passed here".to_owned(),
        "closure" => "in the closure that it runs".to_owned(),
        "event" => "registered together with it".to_owned(),
        "same_name" => "a function of this name".to_owned(),
        "library" => "called by other code on the instance".to_owned(),
        "possible" if next.confidence <= 0.0 => "unresolved".to_owned(),
        "possible" => format!("unresolved, may call it, {:.2}", next.confidence),
        _ if next.confidence < CERTAIN => format!("{:.2}", next.confidence),
        _ => return String::new(),
    };
    format!("  ({how})")
}

/// Shows each definition, below it the lines that lead to the next one.
pub(super) fn page(reply: &TraceReply) -> Page {
    let mut blocks = Vec::new();
    let mut table = |steps: &[Step], heading: Option<&str>| {
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
        table(&reply.chain, None);
    }
    for other in &reply.others {
        table(&other.steps, Some("or"));
    }
    if let Some(broken) = &reply.broken {
        table(&broken.unresolved, Some("unresolved calls"));
        table(&broken.entries, Some("what leads to the end"));
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
