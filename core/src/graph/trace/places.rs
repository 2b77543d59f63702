//! The nodes at a place in a text: the code that contains it, and that which uses what is defined there.

use super::arguments::words;
use super::edges::Edge;
use super::forward::Forward;
use super::holders::{holder, is_code, is_variable};
use crate::base::ids::FileId;
use crate::graph::link::{Code, Linker, Site, SymbolAt};
use crate::lang::facts::Role;

/// The most bytes of the line that are looked at.
const LINE_MAX: usize = 2 << 10;

/// The nodes at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct AtPlace {
    /// The code that contains it.
    pub holder: SymbolAt,
    /// The uses of the variables and fields that the line defines or mentions: of an option, a key or a
    /// constant, whose name the line states, what reads it.
    pub readers: Vec<Edge>,
}

/// Returns the definition of the program that a use's function calls with a closure around the use, and
/// that call: the definition runs the closure. O(calls of the file).
pub fn running(code: &dyn Code, site: &Site) -> Option<(SymbolAt, Site)> {
    Forward::new(&Linker::new(code)).running(site)
}

/// Returns the nodes at a byte of a file; `None` if the file has no facts. Cost: the uses of the
/// variables on its line.
pub fn at(code: &dyn Code, file: FileId, byte: usize) -> Option<AtPlace> {
    let linker = Linker::new(code);
    let steps = Forward::new(&linker);
    let facts = linker.file(file)?;
    let around = facts.symbols.iter().enumerate().filter(|(_, of)| of.span.contains(&byte));
    let innermost = around.min_by_key(|(_, of)| of.span.len()).map(|(at, _)| at);
    let holder = holder(file, &facts, innermost);
    let mut variables: Vec<SymbolAt> = Vec::new();
    let is_held = |at: SymbolAt| {
        linker.file(at.file).is_some_and(|facts| {
            let kind = facts.symbols.get(at.place as usize).map(|symbol| symbol.kind);
            kind.is_some_and(|kind| is_variable(kind) && !is_code(kind))
        })
    };
    let own = innermost.map(|at| SymbolAt { file, place: at as u32 });
    variables.extend(own.filter(|at| is_held(*at)));
    if let Some(text) = code.text(file) {
        let byte = byte.min(text.len());
        let start = text[..byte].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let end = text[byte..].iter().position(|byte| *byte == b'\n').unwrap_or(text.len() - byte);
        let line = start..(byte + end).min(start + LINE_MAX);
        for word in words(&text[line.clone()]) {
            for (link, reference) in steps.uses(file, word, &[Role::Read, Role::Write]) {
                let is_on_line = line.contains(&reference.span.start);
                if is_on_line && is_held(link.to) && !variables.contains(&link.to) {
                    variables.push(link.to);
                }
            }
        }
        // The definition itself: a field with a tag, a constant.
        let defined = facts.symbols.iter().enumerate();
        let defined = defined.filter(|(_, of)| line.contains(&of.name_span.start));
        for (place, _) in defined {
            let at = SymbolAt { file, place: place as u32 };
            if is_held(at) && !variables.contains(&at) {
                variables.push(at);
            }
        }
    }
    let readers = variables.into_iter().flat_map(|variable| steps.steps_to(variable).0);
    let readers = readers.filter(|edge| edge.from != holder).collect();
    Some(AtPlace { holder, readers })
}
