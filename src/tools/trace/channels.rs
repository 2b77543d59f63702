//! Values that code sends over channels, with who receives them: no chain crosses a channel.

use std::ops::Range;

use serde::Serialize;

use super::sources::is_test;
use super::steps::{How, Made, Next, Step};
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::{Code as _, Site, SymbolAt};
use crate::graph::trace::{self as flow, FILE, Kind};
use crate::lang::facts::Role;

/// The number of definitions in which sends are looked for.
const SEARCHED_MAX: usize = 400;

/// The number of sends, and of receivers of each, that a reply names.
const SENT_MAX: usize = 4;
const RECEIVED_MAX: usize = 4;

/// The number of uses of a channel that are looked at.
const USES_MAX: usize = 400;

/// A value that is sent over a channel.
#[derive(Clone, Debug, Serialize)]
pub struct Sent {
    /// The definition that sends it, with the line.
    #[serde(flatten)]
    pub step: Step,
    /// What receives from a channel of this name.
    pub received: Vec<Step>,
}

impl Made<'_> {
    /// Returns the first sends over channels in the code of some nodes, in their order.
    pub(super) fn sent(&mut self, nodes: &[SymbolAt]) -> Result<Vec<Sent>> {
        let mut found: Vec<Sent> = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        for node in nodes.iter().filter(|node| node.place != FILE).take(SEARCHED_MAX) {
            let Some(facts) = self.catalog.file(node.file) else { continue };
            if facts.language.name != "go" {
                continue;
            }
            let (Some(text), Some(symbol)) =
                (self.catalog.text(node.file), facts.symbols.get(node.place as usize))
            else {
                continue;
            };
            for (name, span) in sends(&text, &symbol.span) {
                if found.len() >= SENT_MAX {
                    return Ok(found);
                }
                if seen.contains(&name) {
                    continue;
                }
                let received = self.received(self.catalog, &name)?;
                if received.is_empty() {
                    continue;
                }
                let step = self.with_line(*node, span.start)?;
                seen.push(name);
                found.push(Sent { step, received });
            }
        }
        Ok(found)
    }

    /// Returns what receives from channels of a name.
    fn received(&mut self, catalog: &Catalog, name: &str) -> Result<Vec<Step>> {
        let mut nodes: Vec<(SymbolAt, usize)> = Vec::new();
        let sites = catalog.sites(name).into_iter().take(USES_MAX);
        for site in sites.filter(|site| matches!(site.reference.role, Role::Read | Role::Write)) {
            let Some(text) = catalog.text(site.file) else { continue };
            if !receives(&text, site.reference.span.start) {
                continue;
            }
            let start = site.reference.span.start;
            let holder = flow::holder_of(catalog, &Site { ..site });
            let Some(holder) = holder.filter(|holder| holder.place != FILE) else { continue };
            if !nodes.iter().any(|(node, _)| *node == holder) {
                nodes.push((holder, start));
            }
        }
        let mut ranked = Vec::with_capacity(nodes.len());
        for (node, at) in nodes {
            ranked.push((is_test(catalog, node)?, node, at));
        }
        ranked.sort_by_key(|(is_test, node, _)| (*is_test, *node));
        let first = ranked.into_iter().take(RECEIVED_MAX);
        first.map(|(_, node, at)| self.with_line(node, at)).collect()
    }

    /// Returns a definition with a line of it.
    fn with_line(&mut self, node: SymbolAt, at: usize) -> Result<Step> {
        let mut step = self.step(node)?;
        let (line, text) = self.texts.line(node.file, at);
        step.next = Some(Next {
            how: How::Step(Kind::Call),
            path: None,
            line,
            text,
            inside: Vec::new(),
            through: None,
            confidence: 1.0,
        });
        Ok(step)
    }
}

/// Returns the last names of the channels to which the code in `span` sends: `r.applyCh <- value`.
fn sends(text: &[u8], span: &Range<usize>) -> Vec<(String, Range<usize>)> {
    let end = span.end.min(text.len());
    let own = text.get(span.start..end).unwrap_or_default();
    let arrows = memchr::memmem::find_iter(own, b"<-");
    let sent = arrows.filter_map(|at| {
        let before = own[..at].trim_ascii_end();
        let length = before.iter().rev().take_while(|byte| is_word(**byte)).count();
        let name = std::str::from_utf8(&before[before.len() - length..]).ok()?;
        let start = span.start + before.len() - length;
        // `return <-ch`, `case <-ch`, and the type `chan<- T` are no sends.
        let is_word = matches!(name, "case" | "return" | "chan" | "range" | "go" | "defer" | "if");
        (length > 1 && !is_word).then(|| (name.to_owned(), start..start + length))
    });
    sent.collect()
}

/// Returns true if the channel whose last name begins at `at` is received from: `<-r.applyCh`, `range ch`.
fn receives(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let length = before.iter().rev().take_while(|byte| is_word(**byte) || **byte == b'.').count();
    let before = before[..before.len() - length].trim_ascii_end();
    before.ends_with(b"<-") || before.ends_with(b"range")
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_and_receives_are_told_apart() {
        let text = b"select { case r.applyCh <- v: ; case x := <-r.done: ; case <-stop: }";
        let names: Vec<String> =
            sends(text, &(0..text.len())).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["applyCh"]);
        let at =
            |word: &str| memchr::memmem::find(text, word.as_bytes()).expect("it is in the text");
        assert!(receives(text, at("done")) && receives(text, at("stop")));
        assert!(!receives(text, at("applyCh")));
    }
}
