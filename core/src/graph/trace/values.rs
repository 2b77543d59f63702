//! The functions and variables that code mentions without calling them, and what is stored in a
//! variable.
//!
//! The index lists the calls of a file, not its other uses of names. So the words of the node's text
//! are looked up: those that name a definition, and of these the uses in this file.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::arguments::{self, Part, assigned, call_around, words};
use super::edges::{Edge, Kind};
use super::forward::Forward;
use super::holders::{created_type, is_code, is_variable};
use crate::base::ids::FileId;
use crate::graph::link::{CONFIDENCE_ANSWER, Link, Site, SymbolAt};
use crate::lang::facts::{Reference, Role};
use crate::lang::symbols::SymbolKind;

/// The most definitions of a name that is looked up: a name of more is a common word, of which only calls
/// of what a member holds are followed.
const NAMED_MAX: usize = 256;

/// The number of these that are looked at for whether one is a function.
const NAMED_LOOKED: usize = 8;

/// The most bytes of one node that are read.
const TEXT_MAX: usize = 64 << 10;

/// The most uses of a variable that are looked at for what is stored there.
const STORES_MAX: usize = 64;

impl Forward<'_, '_> {
    /// Returns the steps from the code of a node in `spans` to what it mentions without calling it.
    pub(super) fn mentioned(&self, of: SymbolAt, spans: &[Range<usize>]) -> Vec<Edge> {
        let code = self.linker.code();
        let Some(text) = code.text(of.file) else { return Vec::new() };
        let mut found = Vec::new();
        let (mut seen, mut reached) = (FxHashSet::default(), FxHashSet::default());
        for span in spans {
            let end = span.end.min(span.start + TEXT_MAX);
            let Some(part) = text.get(span.start..end) else { continue };
            for word in words(part) {
                if !seen.insert(word) {
                    continue;
                }
                for (link, reference) in self.reads(of.file, word) {
                    let is_inside = spans.iter().any(|span| span.contains(&reference.span.start));
                    let is_type = !self.is_function(link.to) && self.is_creation(link.to);
                    if (is_type || self.is_function(link.to))
                        && !arguments::is_passed(&text, &reference.span, is_type)
                    {
                        continue;
                    }
                    if is_inside && link.to != of && self.holder(of.file, &reference) == of {
                        let kind = self.kind_of(link.to);
                        let Some(kind) = kind.filter(|_| reached.insert(link.to)) else { continue };
                        found.push(edge(of, of.file, kind, link, reference));
                    }
                }
            }
        }
        found.sort_by_key(|edge| edge.site.as_ref().map(|site| site.reference.span.start));
        found
    }

    /// Returns what a variable or field holds, as far as assignments state that: steps to the functions
    /// that the assigned values mention or call.
    pub(super) fn stored(&self, of: SymbolAt) -> Vec<Edge> {
        let code = self.linker.code();
        let Some(facts) = code.file(of.file) else { return Vec::new() };
        let Some(symbol) = facts.symbols.get(of.place as usize) else { return Vec::new() };
        let mut found: Vec<Edge> = Vec::new();
        let mut sites = code.sites(&symbol.name);
        sites.retain(|site| matches!(site.reference.role, Role::Write | Role::Read));
        sites.sort_by_key(|site| (site.reference.role != Role::Write, site.file != of.file));
        for site in sites.into_iter().take(STORES_MAX) {
            let Some(text) = code.text(site.file) else { continue };
            let span = &site.reference.span;
            let language = self.language(site.file);
            let value = assigned(&text, span.end, language);
            let is_event = value.is_none();
            let Some(part) = value.or_else(|| call_around(&text, span, language)) else { continue };
            if !self.may_hold(&text[part.clone()]) {
                continue;
            }
            let outcome = self.linker.outcome_at(site.file, &symbol.name, &site.reference);
            self.count.set(self.count.get() + 1);
            if !outcome.links.iter().any(|link| link.to == of) {
                continue;
            }
            let holder = self.holder(site.file, &site.reference);
            let part = Part { file: site.file, text: &text, bytes: part };
            for edge in self.value(of, holder, &part, 1) {
                if is_event && !matches!(edge.kind, Kind::Passed | Kind::Callback) {
                    continue;
                }
                let kind = if is_event { Kind::Event } else { edge.kind };
                if !found.iter().any(|other| other.to == edge.to) {
                    found.push(Edge { kind, passed: Vec::new(), ..edge });
                }
            }
        }
        found
    }

    /// Returns steps from `of` to the functions that a value in the code of `holder` is: what it mentions,
    /// what a closure in it calls, and what callers pass if it is a parameter.
    pub(super) fn value(
        &self,
        of: SymbolAt,
        holder: SymbolAt,
        part: &Part<'_>,
        depth: usize,
    ) -> Vec<Edge> {
        let mut found = self.inside(of, part);
        if !arguments::has_closure(part.own()) {
            // The result of a call is no function that runs later; a new instance has methods.
            found.retain(|edge| {
                !matches!(edge.kind, Kind::Call | Kind::Override) || self.is_creation(edge.to)
            });
        }
        let name = arguments::whole_name(part.own());
        if let Some(name) = name.filter(|_| found.is_empty()) {
            let passed = self.passed_as(holder, name, depth);
            found.extend(passed.into_iter().map(|edge| Edge { from: of, ..edge }));
        }
        found
    }

    /// Returns steps from `of` to the functions that a part of a file's text mentions or calls.
    fn inside(&self, of: SymbolAt, part: &Part<'_>) -> Vec<Edge> {
        let Part { file, text, bytes } = part;
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        for word in words(part.own()) {
            if !seen.insert(word) {
                continue;
            }
            let is_inside =
                |(_, reference): &(Link, Reference)| bytes.contains(&reference.span.start);
            let uses = self.uses(*file, word, &[Role::Read, Role::Call]);
            for (link, reference) in uses.into_iter().filter(is_inside) {
                let kind = self.kind_of(link.to).filter(|_| link.to != of);
                let is_whole = || {
                    let rest = text.get(reference.span.end..bytes.end).unwrap_or_default();
                    rest.trim_ascii().is_empty()
                };
                let kind = match kind {
                    _ if reference.role == Role::Call => Some(Kind::Call),
                    // Of other values only what is assigned as a whole may be a function.
                    Some(Kind::Value) => Some(Kind::Value).filter(|_| is_whole()),
                    kind => kind.filter(|_| self.is_function(link.to)),
                };
                let Some(kind) = kind else { continue };
                if kind == Kind::Call {
                    // What implements a called method may run in its place.
                    let link_to = |to: &SymbolAt| Link { to: *to, ..link };
                    let overriders = self.overriders(link.to);
                    let through = Some(link.to);
                    found.extend(overriders.iter().map(|to| Edge {
                        through,
                        ..edge(of, *file, Kind::Override, link_to(to), reference.clone())
                    }));
                }
                found.push(edge(of, *file, kind, link, reference));
            }
        }
        found
    }

    /// Returns how a value leads on: `None` for what has no code.
    fn kind_of(&self, to: SymbolAt) -> Option<Kind> {
        let facts = self.linker.file(to.file)?;
        let symbol = facts.symbols.get(to.place as usize)?;
        if symbol.kind == SymbolKind::Property {
            // Reading it runs it.
            Some(Kind::Call)
        } else if is_code(symbol.kind) {
            Some(Kind::Passed)
        } else if is_variable(symbol.kind) {
            Some(Kind::Value)
        } else {
            matches!(symbol.kind, SymbolKind::Class | SymbolKind::Struct).then_some(Kind::Passed)
        }
    }

    fn is_creation(&self, at: SymbolAt) -> bool {
        let facts = self.linker.file(at.file);
        facts.is_some_and(|facts| created_type(&facts, at.place as usize).is_some())
    }

    /// Returns true if a value may be a function, by its words alone.
    fn may_hold(&self, value: &[u8]) -> bool {
        let is_function = |word: &str| {
            let named = self.linker.code().named(word);
            named.len() <= NAMED_MAX
                && named
                    .iter()
                    .take(NAMED_LOOKED)
                    .any(|at| self.is_function(*at) || self.is_creation(*at))
        };
        arguments::has_closure(value) || arguments::is_path(value) || words(value).any(is_function)
    }

    fn is_function(&self, at: SymbolAt) -> bool {
        let facts = self.linker.file(at.file);
        let symbol = facts.as_ref().and_then(|facts| facts.symbols.get(at.place as usize));
        symbol.is_some_and(|symbol| is_code(symbol.kind))
    }

    fn reads(&self, file: FileId, word: &str) -> Vec<(Link, Reference)> {
        self.uses(file, word, &[Role::Read, Role::Write])
    }

    /// Returns the resolved uses of a word in a file that have one of some roles.
    pub(super) fn uses(&self, file: FileId, word: &str, roles: &[Role]) -> Vec<(Link, Reference)> {
        let code = self.linker.code();
        let named = code.named(word);
        if named.is_empty() && !self.is_bound(file, word) {
            return Vec::new();
        }
        let common = if named.len() > NAMED_MAX { code.text(file) } else { None };
        if named.len() > NAMED_MAX && common.is_none() {
            return Vec::new();
        }
        let has_role = |reference: &Reference| {
            let is_called = |text| arguments::is_called_in_brackets(text, reference.span.end);
            roles.contains(&reference.role) && common.as_deref().is_none_or(is_called)
        };
        let uses = code.uses_in(file, word).into_iter().filter(has_role);
        let resolved = |reference: Reference| {
            self.count.set(self.count.get() + 1);
            let outcome = self.linker.outcome_at(file, word, &reference);
            let link = outcome.links.first().copied();
            let link = link.filter(|link| link.confidence >= CONFIDENCE_ANSWER)?;
            Some((link, reference))
        };
        uses.filter_map(resolved).collect()
    }

    /// Returns true if an import of a file binds the word to another name.
    fn is_bound(&self, file: FileId, word: &str) -> bool {
        let Some(facts) = self.linker.file(file) else { return false };
        facts.imports.iter().flat_map(|import| &import.names).any(|name| name.alias == word)
    }
}

fn edge(from: SymbolAt, file: FileId, kind: Kind, link: Link, reference: Reference) -> Edge {
    let site = Some(Site { file, reference });
    let (confidence, reason) = (link.confidence, Some(link.reason));
    Edge { from, to: link.to, kind, site, through: None, confidence, reason, passed: Vec::new() }
}
