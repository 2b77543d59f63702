//! The steps from a node: what its code calls, mentions and contains.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::arguments::{self, Part};
use super::bytes::{is_word_at, is_word_byte};
use super::closures;
use super::edges::{Edge, Kind, Open};
use super::holders::{FILE, created_type, holder, is_code, is_type, is_variable};
use crate::base::ids::FileId;
use crate::graph::calls::{ALL, Bound, uses_within};
use crate::graph::link::{
    CONFIDENCE_ANSWER, Code, FileFacts, Link, Linker, Outcome, Site, SymbolAt, Use,
};
use crate::lang::chain::Chain;
use crate::lang::facts::{Reference, Role};
use crate::lang::marks;
use crate::lang::symbols::{SymbolKind, Visibility};

/// The most definitions of a method's name of which it is looked up whether they override it.
const OVERRIDERS_MAX: usize = 256;

/// The most definitions that an unresolved call is compared with: those in files next to it.
const POSSIBLE_MAX: usize = 16;

/// The most callers of a function that calls a parameter.
const PASSING_MAX: usize = 64;

/// The most functions that callers pass for one parameter, counted for each call.
const PASSED_MAX: usize = 256;

/// The most bytes of a function in which assignments to its variables are searched.
const LOCALS_MAX: usize = 64 << 10;

/// The languages in which the written type of a field shows that it is a function.
const TYPED: [&str; 8] = ["csharp", "dart", "go", "java", "kotlin", "rust", "scala", "swift"];

/// The most bytes of the definition of a field whose type is read.
const TYPE_MAX: usize = 300;

/// How many functions pass a parameter on before the function that calls it.
const PASSED_ON_MAX: usize = 3;

/// The positions of calls in a file, by the place of the node that they belong to.
type ByHolder = FxHashMap<u32, Vec<usize>>;

/// Finds the steps from nodes; keeps what it looked up.
pub(super) struct Forward<'a, 'l> {
    pub(super) linker: &'l Linker<'a>,
    /// How many uses were resolved, which is what a search costs.
    pub(super) count: Cell<usize>,
    /// The parameters that are being looked up, which ends cycles.
    asked: RefCell<FxHashSet<(SymbolAt, String)>>,
    calls: RefCell<FxHashMap<FileId, Rc<ByHolder>>>,
    overriders: RefCell<FxHashMap<SymbolAt, Rc<Vec<SymbolAt>>>>,
}

/// The steps from a node.
#[derive(Default)]
pub(super) struct Steps {
    /// In the order of the text as far as they are uses of names.
    pub(super) edges: Vec<Edge>,
    /// Calls that nothing resolves, in the order of the text.
    pub(super) open: Vec<Open>,
}

impl<'a, 'l> Forward<'a, 'l> {
    pub(super) fn new(linker: &'l Linker<'a>) -> Forward<'a, 'l> {
        let (calls, overriders) = (RefCell::default(), RefCell::default());
        Forward { linker, count: Cell::new(0), asked: RefCell::default(), calls, overriders }
    }

    /// Returns the name of a file's language.
    pub(super) fn language(&self, file: FileId) -> &'static str {
        self.linker.file(file).map_or("", |facts| facts.language.name)
    }

    /// Returns the node that a use belongs to.
    pub(super) fn holder(&self, file: FileId, reference: &Reference) -> SymbolAt {
        match self.linker.file(file) {
            Some(facts) => holder(file, &facts, reference.enclosing),
            None => SymbolAt { file, place: FILE },
        }
    }

    /// Returns the steps from a node. Their cost is the resolution of every name in its code.
    pub(super) fn steps(&self, of: SymbolAt) -> Steps {
        let mut steps = Steps::default();
        let Some(facts) = self.linker.file(of.file) else { return steps };
        let places = own_places(&facts, of.place);
        for &place in &places {
            self.add_calls(of, place, &mut steps);
        }
        let spans = own_spans(&facts, of.place, &places);
        steps.edges.extend(self.mentioned(of, &spans));
        if is_code_at(&facts, of.place) {
            self.add_locals(of, &facts, &mut steps);
        }
        steps.edges.sort_by_key(|edge| edge.site.as_ref().map(|site| site.reference.span.start));
        let Some(symbol) = facts.symbols.get(of.place as usize) else { return steps };
        if is_variable(symbol.kind) && !self.is_plain(of, &facts) {
            steps.edges.extend(self.stored(of));
        }
        self.add_contained(of, &facts, &mut steps);
        self.add_created(of, &facts, &mut steps);
        let is_member = symbol.parent.is_some_and(|at| is_type(facts.symbols[at].kind));
        if steps.edges.is_empty() && is_member {
            self.add_same_name(of, &facts, &mut steps);
        }
        self.finish(of, &mut steps);
        steps
    }

    /// Removes steps that say the same as others, and those from sources into tests.
    fn finish(&self, of: SymbolAt, steps: &mut Steps) {
        let is_test = |file: FileId| {
            let facts = self.linker.file(file);
            facts.is_some_and(|facts| marks::of_path(facts.path.as_bytes()).test)
        };
        // A type is created by its constructor.
        let created: FxHashSet<SymbolAt> = steps
            .edges
            .iter()
            .filter_map(|edge| {
                let facts = self.linker.file(edge.to.file)?;
                let place = created_type(&facts, edge.to.place as usize)?;
                let to = SymbolAt { file: edge.to.file, place: place as u32 };
                (to != edge.to).then_some(to)
            })
            .collect();
        let is_in_test = is_test(of.file);
        steps
            .edges
            .retain(|edge| !created.contains(&edge.to) && (is_in_test || !is_test(edge.to.file)));
    }

    /// Adds the calls of the code at `place`, as steps from `of`.
    fn add_calls(&self, of: SymbolAt, place: u32, steps: &mut Steps) {
        let code = self.linker.code();
        let calls = code.calls(of.file);
        let by_holder = self.by_holder(of.file);
        for &at in by_holder.get(&place).map(Vec::as_slice).unwrap_or_default() {
            let (name, reference) = &calls[at];
            self.count.set(self.count.get() + 1);
            let outcome = self.linker.outcome_at(of.file, name, reference);
            let site = Site { file: of.file, reference: reference.clone() };
            let links = outcome.links.iter().filter(|link| link.confidence >= CONFIDENCE_ANSWER);
            let mut links: Vec<Link> = links.copied().collect();
            if self.is_method_call(of.file, reference) {
                links.retain(|link| !self.is_held(link.to));
            }
            for link in &links {
                steps.edges.push(step(of, *link, Kind::Call, &site, None));
                for over in self.overriders(link.to).iter() {
                    let link = Link { to: *over, ..*link };
                    let through = Some(links[0].to);
                    steps.edges.push(step(of, link, Kind::Override, &site, through));
                }
            }
            if links.is_empty()
                && let Some(link) = self.called_value(of.file, name, reference)
            {
                steps.edges.push(step(of, link, Kind::Value, &site, None));
            } else if links.is_empty() && (!outcome.is_outside || reference.receiver.is_none()) {
                // A bare name that the linker knows as a local variable may hold a function.
                self.add_unresolved(of, name, &site, &outcome, steps);
            }
        }
    }

    /// Returns the variable or field that a call without a definition calls, if it is one.
    fn called_value(&self, file: FileId, name: &str, reference: &Reference) -> Option<Link> {
        let is_value = |at: &SymbolAt| {
            let facts = self.linker.file(at.file);
            let symbol = facts.as_ref().and_then(|facts| facts.symbols.get(at.place as usize));
            symbol.is_some_and(|symbol| is_variable(symbol.kind))
        };
        if self.is_method_call(file, reference) {
            return None;
        }
        if !near(&self.linker.code().named(name), file, POSSIBLE_MAX).iter().any(is_value) {
            return None;
        }
        let used = Use { role: Role::Read, arguments: None, ..Use::new(name, reference) };
        let outcome = self.linker.outcome(file, used);
        let link = outcome.links.first().filter(|link| link.confidence >= CONFIDENCE_ANSWER)?;
        is_value(&link.to).then_some(*link)
    }

    /// Returns true for a call of a member in a language in which that is never a function in a field:
    /// `x.f()` calls a method there, `(x.f)()` what the field holds.
    pub(super) fn is_method_call(&self, file: FileId, reference: &Reference) -> bool {
        if reference.role != Role::Call || reference.receiver.is_none() {
            return false;
        }
        let language = self.language(file);
        let has_methods = matches!(language, "java" | "php" | "ruby" | "rust");
        let is_in_brackets = || {
            let text = self.linker.code().text(file);
            let after = text.as_ref().and_then(|text| text.get(reference.span.end));
            after == Some(&b')')
        };
        has_methods && !is_in_brackets()
    }

    /// Returns true for a variable or field that runs no code of its own when it is read.
    fn is_held(&self, at: SymbolAt) -> bool {
        let facts = self.linker.file(at.file);
        let symbol = facts.as_ref().and_then(|facts| facts.symbols.get(at.place as usize));
        symbol.is_some_and(|symbol| is_variable(symbol.kind) && !is_code(symbol.kind))
    }

    /// Returns the definition of this program that is called with a closure around the use `site`, and the
    /// call: it runs the closure.
    pub(super) fn running(&self, site: &Site) -> Option<(SymbolAt, Site)> {
        let code = self.linker.code();
        let of = self.holder(site.file, &site.reference);
        let at = site.reference.span.start;
        let text = code.text(site.file)?;
        let language = self.language(site.file);
        let calls = code.calls(site.file);
        let by_holder = self.by_holder(site.file);
        let around = by_holder.get(&of.place)?.iter().map(|at| &calls[*at]);
        let mut best: Option<(SymbolAt, Site)> = None;
        for (name, reference) in around.filter(|(_, call)| call.span.start < at) {
            let part = arguments::of_call(&text, reference.span.end, language);
            let part = part.filter(|part| part.contains(&at));
            if !part.is_some_and(|part| closures::is_inside(&text, &part, at, language)) {
                continue;
            }
            let outcome = self.linker.outcome_at(site.file, name, reference);
            let link = outcome.links.first().filter(|link| link.confidence >= CONFIDENCE_ANSWER);
            if let Some(link) = link.filter(|link| link.to != of) {
                let site = Site { file: site.file, reference: reference.clone() };
                best = Some((link.to, site));
            }
        }
        best
    }

    /// Adds what calls of parameters and local variables run. They are no references, so the text is
    /// searched for them.
    fn add_locals(&self, of: SymbolAt, facts: &FileFacts, steps: &mut Steps) {
        let code = self.linker.code();
        let Some(text) = code.text(of.file) else { return };
        let span = &facts.symbols[of.place as usize].span;
        let inner: Vec<Range<usize>> = contained(facts, of.place as usize)
            .into_iter()
            .map(|at| facts.symbols[at as usize].span.clone())
            .collect();
        let calls = code.calls(of.file);
        let body = facts.symbols[of.place as usize].source.signature.end..span.end;
        let mut seen = FxHashSet::default();
        for (word, at) in arguments::called_words(&text, &body) {
            let is_own = !inner.iter().any(|span| span.contains(&at));
            let is_known = || {
                let found = calls.binary_search_by_key(&at, |(_, call)| call.span.start);
                found.is_ok()
            };
            if !is_own || is_known() || !seen.insert(word) {
                continue;
            }
            let passed = self.passed_as(of, word, 0);
            if passed.is_empty() && !self.is_parameter(of, word) {
                let reference = Reference {
                    span: at..at + word.len(),
                    role: Role::Call,
                    receiver: None,
                    enclosing: Some(of.place as usize),
                    arguments: None,
                };
                let site = Site { file: of.file, reference };
                self.add_same_name_of(of, word, Some(&site), steps);
            }
            for edge in passed {
                let is_known = |known: &Edge| {
                    known.to == edge.to
                        && (known.kind != Kind::Callback || is_passed_alike(known, &edge))
                };
                if !steps.edges.iter().any(is_known) {
                    steps.edges.push(Edge { from: of, kind: Kind::Callback, ..edge });
                }
            }
        }
    }

    /// Adds what an unresolved call may run.
    fn add_unresolved(
        &self,
        of: SymbolAt,
        name: &str,
        site: &Site,
        outcome: &Outcome,
        steps: &mut Steps,
    ) {
        let code = self.linker.code();
        let passed = self.passed_as(of, name, 0);
        let is_passed = !passed.is_empty();
        steps.edges.extend(passed.into_iter().map(|edge| Edge { from: of, ..edge }));
        if is_passed {
            return;
        }
        let named = code.named(name);
        let fitting: Vec<SymbolAt> = match self.module_before(site) {
            Some(module) => {
                let fits = |at: &&SymbolAt| self.is_in_module(**at, &module);
                named.iter().take(OVERRIDERS_MAX).filter(fits).copied().collect()
            }
            None => named.to_vec(),
        };
        let near = near(&fitting, site.file, POSSIBLE_MAX);
        if outcome.is_outside {
            self.add_same_name_of(of, name, Some(site), steps);
            return;
        }
        let used = Use::new(name, &site.reference);
        let possible = self.linker.possibilities(site.file, used, &outcome.links, near);
        let mut is_found = false;
        for (to, possible) in near.iter().zip(possible) {
            if let Some((confidence, reason)) = possible {
                let link = Link { to: *to, confidence, reason };
                steps.edges.push(step(of, link, Kind::Possible, site, None));
                is_found = true;
            }
        }
        if !is_found {
            let (name, site) = (name.to_owned(), site.clone());
            steps.open.push(Open { from: of, name, site });
        }
    }

    /// Returns the name of the module or namespace of which a call names a function: `a::b::f()`; `None`
    /// for other calls, and for functions of a type.
    pub(super) fn module_before(&self, site: &Site) -> Option<String> {
        let text = self.linker.code().text(site.file)?;
        let before = text.get(..site.reference.span.start)?.strip_suffix(b"::")?;
        let length = before.iter().rev().take_while(is_word_byte).count();
        let name = std::str::from_utf8(&before[before.len() - length..]).ok()?;
        let is_module = name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_');
        let is_relative = matches!(name, "self" | "super" | "crate" | "static" | "parent");
        (is_module && !is_relative).then(|| name.to_owned())
    }

    /// Returns true if a definition is in a module or namespace, by the names of files and scopes.
    pub(super) fn is_in_module(&self, at: SymbolAt, module: &str) -> bool {
        let Some(facts) = self.linker.file(at.file) else { return false };
        let Some(symbol) = facts.symbols.get(at.place as usize) else { return false };
        let scopes = symbol.qualified_name.strip_suffix(symbol.name.as_str()).unwrap_or_default();
        let mut names = scopes.split([':', '.', '\\']).chain(facts.path.split(['/', '.']));
        names.any(|name| name == module)
    }

    /// Adds the functions that have the name of a member without a body, and are stored or passed.
    fn add_same_name(&self, of: SymbolAt, facts: &FileFacts, steps: &mut Steps) {
        if self.holds_no_function(of, facts) {
            return;
        }
        self.add_same_name_of(of, &facts.symbols[of.place as usize].name, None, steps);
    }

    /// Returns true if a field has a written type that names no function, interface or parameter, such as
    /// a number or a struct of Rust: nothing that is stored there runs.
    fn is_plain(&self, of: SymbolAt, facts: &FileFacts) -> bool {
        use SymbolKind::{Class, Enum, Interface, Struct, Trait, Type, Union};
        let symbol = &facts.symbols[of.place as usize];
        // Other languages infer types of fields.
        let (has_classes, is_written) = match facts.language.name {
            "csharp" | "java" => (true, true),
            "go" | "rust" => (false, true),
            _ => (true, false),
        };
        if symbol.kind != SymbolKind::Field || !is_written {
            return false;
        }
        let code = self.linker.code();
        let text = code.text(of.file);
        let written = text.as_ref().and_then(|text| text.get(symbol.span.clone()));
        let Some(written) = written.filter(|written| written.len() < TYPE_MAX) else {
            return false;
        };
        let around = symbol.parent.map(|place| SymbolAt { file: of.file, place: place as u32 });
        let around = around.map(|at| code.signature(at)).unwrap_or_default();
        let leads_on = |kind| match kind {
            Interface | Trait | Type => true,
            Class | Enum | Struct | Union => has_classes,
            _ => false,
        };
        let is_type = |word: &str| {
            code.named(word).iter().any(|at| {
                let facts = self.linker.file(at.file);
                let symbol = facts.as_ref().and_then(|of| of.symbols.get(at.place as usize));
                symbol.is_some_and(|symbol| leads_on(symbol.kind))
            })
        };
        let is_parameter =
            |word: &str| arguments::all_words(around.as_bytes()).any(|it| it == word);
        let name = symbol.name.as_str();
        let mut words = arguments::all_words(written);
        !arguments::names_function(written)
            && !words.any(|word| {
                word != name && word.starts_with(char::is_uppercase) && is_parameter(word)
                    || word.len() > 1 && word != name && is_type(word)
            })
    }

    /// Returns true if a field or variable holds no function, as far as its definition states its type.
    fn holds_no_function(&self, of: SymbolAt, facts: &FileFacts) -> bool {
        use SymbolKind::{Class, Enum, Impl, Struct, Trait, Type, Union};
        if !self.is_held(of) {
            return false;
        }
        let symbol = &facts.symbols[of.place as usize];
        let chain = symbol.type_chain.as_ref();
        let named = chain.map(|chain| self.linker.code().named(chain.named_type().name()));
        let kinds = named.iter().flat_map(|named| named.iter()).filter_map(|at| {
            let facts = self.linker.file(at.file)?;
            Some(facts.symbols.get(at.place as usize)?.kind)
        });
        let kinds: Vec<SymbolKind> = kinds.collect();
        if kinds.contains(&Type) {
            // An alias may be that of a function type.
            return false;
        }
        let is_type = |kind| matches!(kind, Class | Enum | Impl | Struct | Trait | Union);
        if kinds.iter().any(|kind| is_type(*kind)) {
            return true;
        }
        let text = || {
            let text = self.linker.code().text(of.file)?;
            Some(arguments::names_function(text.get(symbol.name_span.end..symbol.span.end)?))
        };
        TYPED.contains(&facts.language.name) && text() == Some(false)
    }

    fn add_same_name_of(&self, of: SymbolAt, name: &str, site: Option<&Site>, steps: &mut Steps) {
        let Some(facts) = self.linker.file(of.file) else { return };
        let named = self.linker.code().named(name);
        for at in near(&named, of.file, POSSIBLE_MAX) {
            let Some(there) = self.linker.file(at.file).filter(|_| *at != of) else { continue };
            let symbol = &there.symbols[at.place as usize];
            if steps.edges.iter().any(|edge| edge.to == *at) {
                continue;
            }
            let is_in_type = symbol.parent.is_some_and(|at| is_type(there.symbols[at].kind));
            if is_code(symbol.kind) && !is_in_type && there.shares_definitions(&facts) {
                let site = site.cloned();
                steps.edges.push(Edge { site, ..unnamed(of, *at, Kind::SameName) });
            }
        }
    }

    /// Returns true if a function, or one around it, has a parameter of that name.
    fn is_parameter(&self, of: SymbolAt, name: &str) -> bool {
        let Some(facts) = self.linker.file(of.file) else { return false };
        facts.ancestors(Some(of.place as usize)).any(|place| {
            let at = SymbolAt { file: of.file, place: place as u32 };
            is_code(facts.symbols[place].kind)
                && arguments::position(&self.linker.code().signature(at), name).is_some()
        })
    }

    /// Returns what callers of the function `of`, or of one around it, pass for its parameter `name`.
    pub(super) fn passed_as(&self, of: SymbolAt, name: &str, depth: usize) -> Vec<Edge> {
        let code = self.linker.code();
        let Some(facts) = self.linker.file(of.file) else { return Vec::new() };
        if depth > PASSED_ON_MAX || name.len() < 2 {
            return Vec::new();
        }
        let parameter = |place: usize| {
            let is_function = is_code(facts.symbols[place].kind);
            let at = SymbolAt { file: of.file, place: place as u32 };
            let signature = if is_function { code.signature(at) } else { String::new() };
            Some((at, arguments::position(&signature, name)?))
        };
        let mut around = facts.ancestors(Some(of.place as usize));
        let found = around.find_map(parameter);
        let key = (found.map_or(of, |(of, _)| of), name.to_owned());
        if !self.asked.borrow_mut().insert(key.clone()) {
            return Vec::new();
        }
        let edges = match found {
            Some((of, position)) => self.passed_to(of, name, position, depth),
            None => self.assigned_to(of, name, depth),
        };
        self.asked.borrow_mut().remove(&key);
        edges
    }

    /// Returns what the local variable `name` of a function, or of one around it, may hold.
    fn assigned_to(&self, of: SymbolAt, name: &str, depth: usize) -> Vec<Edge> {
        let code = self.linker.code();
        let (Some(facts), Some(text)) = (self.linker.file(of.file), code.text(of.file)) else {
            return Vec::new();
        };
        let functions = facts.ancestors(Some(of.place as usize));
        let outermost = functions.filter(|at| is_code(facts.symbols[*at].kind)).last();
        let Some(span) = outermost.map(|at| facts.symbols[at].span.clone()) else {
            return Vec::new();
        };
        let body = text.get(span.start..span.end.min(span.start + LOCALS_MAX)).unwrap_or_default();
        let language = self.language(of.file);
        let mut found = Vec::new();
        for at in memchr::memmem::find_iter(body, name) {
            let (start, end) = (span.start + at, span.start + at + name.len());
            let is_word = !is_word_at(&text, start.wrapping_sub(1))
                && !is_word_at(&text, end)
                && start.checked_sub(1).and_then(|before| text.get(before)) != Some(&b'.');
            let Some(part) = arguments::assigned(&text, end, language).filter(|_| is_word) else {
                continue;
            };
            let part = Part { file: of.file, text: &text, bytes: part };
            found.extend(self.value(of, of, &part, depth + 1));
            if found.len() >= POSSIBLE_MAX {
                break;
            }
        }
        found
    }

    /// Returns what callers of a function pass for its parameter `name`, which is at `position`.
    fn passed_to(&self, of: SymbolAt, name: &str, position: usize, depth: usize) -> Vec<Edge> {
        let code = self.linker.code();
        let bound = Bound { uses_max: PASSING_MAX, roles: &[Role::Call], ..ALL };
        let found = uses_within(self.linker, &[of], CONFIDENCE_ANSWER, bound);
        self.count.set(self.count.get() + found.resolved);
        let mut edges: Vec<Edge> = Vec::new();
        for (_, caller) in found.uses {
            let file = caller.site.file;
            let Some(text) = code.text(file) else { continue };
            let end = caller.site.reference.span.end;
            let part = arguments::of_call(&text, end, self.language(file));
            let Some(part) = part.and_then(|all| arguments::argument(&text, &all, name, position))
            else {
                continue;
            };
            let from = self.holder(file, &caller.site.reference);
            let part = Part { file, text: &text, bytes: part };
            let value = self.value(of, from, &part, depth + 1);
            for mut edge in value {
                edge.kind = Kind::Callback;
                edge.passed.insert(0, (of, caller.site.clone()));
                let is_same = |other: &Edge| other.to == edge.to && is_passed_alike(other, &edge);
                if edges.len() < PASSED_MAX && !edges.iter().any(is_same) {
                    edges.push(edge);
                }
            }
        }
        edges
    }

    /// Adds the functions that a function or variable contains.
    fn add_contained(&self, of: SymbolAt, facts: &FileFacts, steps: &mut Steps) {
        let place = of.place as usize;
        if is_type(facts.symbols[place].kind) {
            return;
        }
        let is_reached = |to: SymbolAt| steps.edges.iter().any(|edge| edge.to == to);
        let inside = contained(facts, place).into_iter();
        let inside = inside.map(|place| SymbolAt { file: of.file, place });
        let inside: Vec<SymbolAt> = inside.filter(|to| !is_reached(*to)).collect();
        steps.edges.extend(inside.into_iter().map(|to| unnamed(of, to, Kind::Contains)));
    }

    /// Adds the methods that others call on what a node creates: those of a type with bases.
    fn add_created(&self, of: SymbolAt, facts: &FileFacts, steps: &mut Steps) {
        let place = of.place as usize;
        let own = || {
            // `submit(this)`: it passes its own instance.
            let own = facts.symbols[place].parent.filter(|at| is_type(facts.symbols[*at].kind))?;
            let text = self.linker.code().text(of.file)?;
            arguments::passes_instance(&text, &facts.symbols[place].span).then_some(own)
        };
        let Some(created) = created_type(facts, place).or_else(own) else { return };
        for place in called_by_others(self.linker.code(), facts, created) {
            let to = SymbolAt { file: of.file, place };
            if to != of {
                steps.edges.push(unnamed(of, to, Kind::Library));
            }
        }
    }

    /// Returns the methods that override or implement a method, in the order of files.
    pub(super) fn overriders(&self, of: SymbolAt) -> Rc<Vec<SymbolAt>> {
        if let Some(known) = self.overriders.borrow().get(&of) {
            return Rc::clone(known);
        }
        let found = Rc::new(self.find_overriders(of));
        self.overriders.borrow_mut().insert(of, Rc::clone(&found));
        found
    }

    fn find_overriders(&self, of: SymbolAt) -> Vec<SymbolAt> {
        let code = self.linker.code();
        let Some(facts) = self.linker.file(of.file) else { return Vec::new() };
        let Some(symbol) = facts.symbols.get(of.place as usize) else { return Vec::new() };
        let is_member = symbol.kind.is_callable() && facts.owner(of.place as usize).is_some();
        if !is_member || facts.is_constructor(of.place as usize) {
            return Vec::new();
        }
        let named = code.named(&symbol.name);
        let overrides = |at: &SymbolAt| *at != of && self.linker.overridden(*at).contains(&of);
        near(&named, of.file, OVERRIDERS_MAX).iter().copied().filter(overrides).collect()
    }

    fn by_holder(&self, file: FileId) -> Rc<ByHolder> {
        if let Some(known) = self.calls.borrow().get(&file) {
            return Rc::clone(known);
        }
        let mut by_holder = ByHolder::default();
        if let Some(facts) = self.linker.file(file) {
            for (at, (_, reference)) in self.linker.code().calls(file).iter().enumerate() {
                let of = holder(file, &facts, reference.enclosing);
                by_holder.entry(of.place).or_default().push(at);
            }
        }
        let by_holder = Rc::new(by_holder);
        self.calls.borrow_mut().insert(file, Rc::clone(&by_holder));
        by_holder
    }
}

/// Returns true if the same calls, or calls of the same functions, pass what two steps lead to.
fn is_passed_alike(one: &Edge, other: &Edge) -> bool {
    let places = |edge: &Edge| {
        let of = |site: &Site| (site.file, site.reference.span.start);
        edge.passed.iter().map(|(to, site)| (*to, of(site))).collect::<Vec<_>>()
    };
    places(one) == places(other)
}

fn is_code_at(facts: &FileFacts, place: u32) -> bool {
    facts.symbols.get(place as usize).is_some_and(|symbol| is_code(symbol.kind))
}

/// Returns at most `max` of some definitions: those in files next to `file`.
fn near(named: &[SymbolAt], file: FileId, max: usize) -> &[SymbolAt] {
    let start = named.partition_point(|at| at.file < file).saturating_sub(max / 2);
    let start = start.min(named.len().saturating_sub(max));
    &named[start..named.len().min(start + max)]
}

/// Returns the places whose code runs with a node: its own, and for a type or its constructor the
/// initializers of fields.
fn own_places(facts: &FileFacts, place: u32) -> Vec<u32> {
    let mut places = vec![place];
    if let Some(created) = created_type(facts, place as usize) {
        if created != place as usize {
            places.push(created as u32);
        }
        let fields = facts.all_children(Some(created)).iter().copied();
        places.extend(fields.filter(|&at| {
            let kind = facts.symbols[at as usize].kind;
            is_variable(kind) && !is_code(kind)
        }));
    }
    places
}

/// Returns the parts of the text that belong to these places. Functions inside of them are not left
/// out: the uses in these belong to other nodes.
fn own_spans(facts: &FileFacts, place: u32, places: &[u32]) -> Vec<Range<usize>> {
    if place == FILE {
        // What runs when a file is loaded is mostly calls.
        return Vec::new();
    }
    let is_whole = |at: &&u32| !is_type(facts.symbols[**at as usize].kind);
    let spans = places.iter().filter(is_whole);
    spans.map(|&at| facts.symbols[at as usize].span.clone()).collect()
}

/// Returns the functions that are directly inside of a function or variable.
pub(super) fn contained(facts: &FileFacts, place: usize) -> Vec<u32> {
    let mut found = Vec::new();
    let mut around = vec![place];
    while let Some(at) = around.pop() {
        for &child in facts.all_children(Some(at)) {
            let kind = facts.symbols[child as usize].kind;
            if is_code(kind) {
                found.push(child);
            } else {
                around.push(child as usize);
            }
        }
    }
    found.sort_unstable();
    found
}

/// Returns the methods of a type with a base from outside, except constructors and private ones: the
/// base's library may call them.
pub(super) fn called_by_others(code: &dyn Code, facts: &FileFacts, of: usize) -> Vec<u32> {
    let is_outside = |base: &Chain| code.named(base.last_name()).is_empty();
    if !facts.symbols[of].bases.iter().any(is_outside) {
        return Vec::new();
    }
    let methods = facts.all_children(Some(of)).iter().copied();
    let is_method = |at: &u32| {
        let symbol = &facts.symbols[*at as usize];
        is_code(symbol.kind)
            && symbol.visibility != Visibility::Private
            && !facts.is_constructor(*at as usize)
    };
    let mut methods: Vec<u32> = methods.filter(is_method).collect();
    methods.sort_unstable();
    methods
}

fn step(from: SymbolAt, link: Link, kind: Kind, site: &Site, through: Option<SymbolAt>) -> Edge {
    let site = Some(site.clone());
    let (confidence, reason) = (link.confidence, Some(link.reason));
    Edge { from, to: link.to, kind, site, through, confidence, reason, passed: Vec::new() }
}

/// A step that no use of a name states.
pub(super) fn unnamed(from: SymbolAt, to: SymbolAt, kind: Kind) -> Edge {
    let confidence = crate::graph::weights::PASSED;
    let passed = Vec::new();
    Edge { from, to, kind, site: None, through: None, confidence, reason: None, passed }
}
