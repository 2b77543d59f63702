//! The steps that lead to a node: what calls, passes, reads or contains it.

use super::arguments::words;
use super::edges::{Edge, Kind};
use super::forward::{Forward, called_by_others, contained, unnamed};
use super::holders::{created_type, holder, is_code, is_type, is_variable};
use crate::graph::calls::{ALL, Bound, possible_callers, uses_within};
use crate::graph::link::{CONFIDENCE_ANSWER, Reason, Site, SymbolAt, Use};
use crate::lang::facts::Role;

/// The most uses of a node's name that are resolved.
const USES_MAX: usize = 400;

/// The most unresolved calls that are followed from one node.
const POSSIBLE_MAX: usize = 8;

impl Forward<'_, '_> {
    /// Returns the steps that lead to a node, and true if there are uses of its name that were not
    /// resolved because there are too many.
    pub(super) fn steps_to(&self, to: SymbolAt) -> (Vec<Edge>, bool) {
        let Some(facts) = self.linker.file(to.file) else { return (Vec::new(), false) };
        let Some(symbol) = facts.symbols.get(to.place as usize) else { return (Vec::new(), false) };
        let is_held = is_variable(symbol.kind) && !is_code(symbol.kind);
        let bound = Bound {
            uses_max: USES_MAX,
            roles: &[Role::Call, Role::Read],
            first: &|file| usize::from(file != to.file),
            ..ALL
        };
        let found = uses_within(self.linker, &[to], CONFIDENCE_ANSWER, bound);
        self.count.set(self.count.get() + found.resolved);
        let mut edges: Vec<Edge> = Vec::new();
        for (_, caller) in found.uses {
            let site = caller.site;
            if is_held && self.is_method_call(site.file, &site.reference) {
                continue;
            }
            let from = self.holder(site.file, &site.reference);
            let kind = match site.reference.role {
                Role::Call if caller.reason == Reason::Implementation => Kind::Override,
                Role::Call => Kind::Call,
                _ if is_held => Kind::Value,
                _ => Kind::Passed,
            };
            let (confidence, reason) = (caller.confidence, Some(caller.reason));
            let edge = Edge {
                from,
                to,
                kind,
                site: Some(site.clone()),
                through: None,
                confidence,
                reason,
                passed: Vec::new(),
            };
            if kind == Kind::Passed {
                edges.extend(self.holding(&edge, &site));
            }
            edges.push(edge);
        }
        for (_, caller) in
            possible_callers(self.linker, &[to], &found.unresolved).into_iter().take(POSSIBLE_MAX)
        {
            let module = self.module_before(&caller.site);
            if module.is_some_and(|module| !self.is_in_module(to, &module)) {
                continue;
            }
            let from = self.holder(caller.site.file, &caller.site.reference);
            let (confidence, reason) = (caller.confidence, Some(caller.reason));
            let site = Some(caller.site);
            edges.push(Edge {
                from,
                to,
                kind: Kind::Possible,
                site,
                through: None,
                confidence,
                reason,
                passed: Vec::new(),
            });
        }
        self.add_containing(to, &mut edges);
        edges.retain(|edge| edge.from != to);
        (edges, found.is_cut)
    }

    /// Adds the function around a function, and the creation of a type around a method.
    fn add_containing(&self, to: SymbolAt, edges: &mut Vec<Edge>) {
        let Some(facts) = self.linker.file(to.file) else { return };
        let Some(parent) = facts.symbols[to.place as usize].parent else { return };
        let around = holder(to.file, &facts, Some(parent));
        let place = around.place as usize;
        let Some(symbol) = facts.symbols.get(place) else { return };
        if is_type(symbol.kind) {
            if called_by_others(self.linker.code(), &facts, place).contains(&to.place) {
                edges.push(unnamed(around, to, Kind::Library));
                let constructors = facts.own_constructors(place);
                let constructors = constructors.map(|place| SymbolAt { file: to.file, place });
                edges.extend(constructors.map(|from| unnamed(from, to, Kind::Library)));
            }
        } else if contained(&facts, place).contains(&to.place)
            && created_type(&facts, place).is_none()
        {
            edges.push(unnamed(around, to, Kind::Contains));
        }
    }

    /// Returns the variable or field in which a function is stored by the use `site`.
    fn holding(&self, edge: &Edge, site: &Site) -> Option<Edge> {
        let code = self.linker.code();
        let text = code.text(site.file)?;
        let before = text.get(..site.reference.span.start)?;
        let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let sign = before[line..].iter().rposition(|byte| matches!(byte, b'=' | b':'))? + line;
        let name = before[line..sign].trim_ascii_end();
        let word = words(name).last()?;
        let name_end = line + name.len();
        let written = code.uses_in(site.file, word).into_iter();
        let written = written.into_iter().find(|reference| reference.span.end == name_end)?;
        let outcome = self.linker.outcome(site.file, Use::new(word, &written));
        let link = outcome.links.first().filter(|link| link.confidence >= CONFIDENCE_ANSWER)?;
        let holder = self.linker.file(link.to.file)?;
        let is_variable = is_variable(holder.symbols.get(link.to.place as usize)?.kind);
        (is_variable && link.to != edge.to).then(|| Edge {
            from: link.to,
            kind: Kind::Passed,
            ..edge.clone()
        })
    }
}
