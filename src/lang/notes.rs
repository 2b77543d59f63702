//! What a language's `refer` rule writes down while a syntax tree is walked, and the local names
//! that it may ask for.
//!
//! The walk opens a scope at each node of [`super::Language::scopes`] and closes it behind the node.
//! A rule declares the names of parameters and local variables as it meets them, which is before
//! their uses in all but odd programs.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use super::facts::{CHAIN_BYTES_MAX, Chain, Import, ImportKind, Reference, Role};
use super::symbols::{Symbol, SymbolKind};
use super::visit::Visit;

/// References of one file that are kept.
const REFERENCES_MAX: usize = 1 << 20;

/// Imports of one file that are kept.
const IMPORTS_MAX: usize = 1 << 16;

/// What has been written down so far.
pub(super) struct Notes<'a> {
    text: &'a [u8],
    pub(super) references: Vec<Reference>,
    pub(super) imports: Vec<Import>,
    pub(super) package: Option<String>,
    /// Chains of symbols, by their place: what a call returns, what a field or constant holds.
    types: Vec<(usize, Chain)>,
    /// Chains that functions return, by their place, for those without another one.
    returns: Vec<(usize, Chain)>,
    /// Chains of members that are assigned to: the place of what they are members of, their name.
    members: Vec<(usize, &'a [u8], Chain)>,
    /// Base types of symbols, by their place.
    pub(super) bases: Vec<(usize, Chain)>,
    /// Names declared in the open scopes, innermost last.
    locals: Vec<Declared<'a>>,
    /// Where each name stands in `locals`, innermost last.
    places: HashMap<&'a [u8], Vec<usize>>,
    /// For each open scope, how many frames and locals there were before it.
    scopes: Vec<(usize, usize)>,
    /// What is to be declared once the walk is there.
    pending: Vec<Pending<'a>>,
    /// The first byte from which one of `pending` holds.
    due: usize,
    /// Narrowed names: their place in `locals` and the byte where they end.
    narrowed: Vec<(usize, usize)>,
    /// Texts that variables are set to; `None` for those that are set again.
    literals: HashMap<&'a [u8], Option<Range<usize>>>,
    /// Up to this byte nothing more is asked of the rule.
    done: usize,
}

/// A name and what it stands for.
struct Declared<'a> {
    name: &'a [u8],
    means: Means,
}

enum Means {
    /// A parameter or local variable.
    Local(Option<Chain>),
    /// Something from outside of functions, although it is named inside: Python's `global`.
    Outer,
    /// Nothing any more: it was narrowed, and that has ended.
    Nothing,
}

/// A declaration that holds from a byte on, perhaps up to another one.
struct Pending<'a> {
    scopes: usize,
    from: usize,
    until: Option<usize>,
    declared: Declared<'a>,
}

/// What a name stands for in the place that is visited.
#[derive(Debug)]
pub(super) enum Local<'n> {
    /// A parameter or local variable, and how it came about, if that is known.
    Is(Option<&'n Chain>),
    /// Something from outside of functions.
    Not,
}

impl<'a> Notes<'a> {
    pub(super) fn new(text: &'a [u8]) -> Notes<'a> {
        Notes {
            text,
            references: Vec::new(),
            imports: Vec::new(),
            package: None,
            types: Vec::new(),
            returns: Vec::new(),
            members: Vec::new(),
            bases: Vec::new(),
            locals: Vec::new(),
            places: HashMap::new(),
            scopes: Vec::new(),
            pending: Vec::new(),
            due: usize::MAX,
            narrowed: Vec::new(),
            literals: HashMap::new(),
            done: 0,
        }
    }

    /// Notes that the identifier `name` is used as `role` says.
    pub(super) fn refer(
        &mut self,
        visit: &Visit<'_, '_>,
        name: Node<'_>,
        role: Role,
        receiver: Option<Chain>,
    ) {
        self.refer_span(visit, name.byte_range(), role, receiver, None);
    }

    /// Notes a call of the identifier `name` with a number of arguments.
    pub(super) fn call(
        &mut self,
        visit: &Visit<'_, '_>,
        name: Node<'_>,
        receiver: Option<Chain>,
        arguments: usize,
    ) {
        let arguments = u8::try_from(arguments).unwrap_or(u8::MAX);
        self.refer_span(visit, name.byte_range(), Role::Call, receiver, Some(arguments));
    }

    /// Notes a use of the identifier in `span`.
    pub(super) fn refer_span(
        &mut self,
        visit: &Visit<'_, '_>,
        span: Range<usize>,
        role: Role,
        receiver: Option<Chain>,
        arguments: Option<u8>,
    ) {
        if span.is_empty() || self.references.len() >= REFERENCES_MAX {
            return;
        }
        let receiver = receiver.map(|chain| match chain.len() <= CHAIN_BYTES_MAX {
            true => chain,
            false => "?".to_owned(),
        });
        let enclosing = visit.enclosing_place();
        self.references.push(Reference { span, role, receiver, enclosing, arguments });
    }

    /// Notes an import.
    pub(super) fn import(&mut self, import: Import) {
        if self.imports.len() < IMPORTS_MAX {
            self.imports.push(import);
        }
    }

    /// Notes how the value of the symbol at `place` comes about, or what a call of it returns.
    pub(super) fn set_type(&mut self, place: usize, chain: Chain) {
        if chain.len() <= CHAIN_BYTES_MAX {
            self.types.push((place, chain));
        }
    }

    /// Notes what the function at `place` returns in one place; an annotation says it better.
    pub(super) fn set_return(&mut self, place: usize, chain: Chain) {
        if chain.len() <= CHAIN_BYTES_MAX {
            self.returns.push((place, chain));
        }
    }

    /// Notes how the value of the member `name` of the symbol at `owner` comes about; what is noted
    /// first counts.
    pub(super) fn set_member(&mut self, owner: usize, name: Node<'_>, chain: Chain) {
        if chain.len() <= CHAIN_BYTES_MAX {
            self.members.push((owner, &self.text[name.byte_range()], chain));
        }
    }

    /// Notes that the symbol at `place` extends or implements `chain`.
    pub(super) fn add_base(&mut self, place: usize, chain: Chain) {
        if chain.len() <= CHAIN_BYTES_MAX {
            self.bases.push((place, chain));
        }
    }

    /// Declares a parameter or local variable in the innermost open scope. Outside of all scopes
    /// nothing is local.
    pub(super) fn declare(&mut self, name: Node<'_>, chain: Option<Chain>) {
        let means = Means::Local(chain.filter(|chain| chain.len() <= CHAIN_BYTES_MAX));
        self.push(Declared { name: &self.text[name.byte_range()], means });
    }

    /// Declares a local variable from the byte `from` of the innermost open scope on; before that, its
    /// name stands for what it stood for: in `let x = x.y()` the value does not see the new `x`.
    pub(super) fn declare_from(&mut self, name: Node<'_>, chain: Option<Chain>, from: usize) {
        self.push_pending(name, chain, from, None);
    }

    /// Says that `name` stands for `chain` between two bytes, if it is a local variable.
    pub(super) fn narrow(&mut self, name: Node<'_>, chain: Chain, range: Range<usize>) {
        if matches!(self.local(&self.text[name.byte_range()]), Local::Is(_)) {
            self.push_pending(name, Some(chain), range.start, Some(range.end));
        }
    }

    /// Declares that `name` stands for something from outside of functions in this scope.
    pub(super) fn declare_outer(&mut self, name: Node<'_>) {
        self.push(Declared { name: &self.text[name.byte_range()], means: Means::Outer });
    }

    /// Says that a local variable is set to `chain` from the byte `from` on.
    pub(super) fn assign(&mut self, name: Node<'_>, chain: Chain, from: usize) {
        if matches!(self.local(&self.text[name.byte_range()]), Local::Is(_)) {
            self.push_pending(name, Some(chain), from, None);
        }
    }

    fn push_pending(
        &mut self,
        name: Node<'_>,
        chain: Option<Chain>,
        from: usize,
        until: Option<usize>,
    ) {
        let means = Means::Local(chain.filter(|chain| chain.len() <= CHAIN_BYTES_MAX));
        let declared = Declared { name: &self.text[name.byte_range()], means };
        self.due = self.due.min(from);
        self.pending.push(Pending { scopes: self.scopes.len(), from, until, declared });
    }

    fn push(&mut self, declared: Declared<'a>) {
        if !self.scopes.is_empty() {
            self.places.entry(declared.name).or_default().push(self.locals.len());
            self.locals.push(declared);
        }
    }

    /// Returns what `name` stands for where the walk is. O(1).
    pub(super) fn local(&self, name: &[u8]) -> Local<'_> {
        let place = self.places.get(name).and_then(|places| places.last());
        match place.map(|&place| &self.locals[place].means) {
            Some(Means::Local(chain)) => Local::Is(chain.as_ref()),
            Some(Means::Outer | Means::Nothing) | None => Local::Not,
        }
    }

    /// Returns true if `name` was declared to be from outside of functions.
    pub(super) fn is_outer(&self, name: &[u8]) -> bool {
        let place = self.places.get(name).and_then(|places| places.last());
        place.is_some_and(|&place| matches!(self.locals[place].means, Means::Outer))
    }

    /// Remembers that a variable is set to the text in `literal`, or to something else.
    pub(super) fn set_literal(&mut self, name: Node<'_>, literal: Option<Range<usize>>) {
        let name = &self.text[name.byte_range()];
        match self.literals.get_mut(name) {
            Some(known) => *known = None,
            None if literal.is_some() => _ = self.literals.insert(name, literal),
            None => {}
        }
    }

    /// Gives imports of what a variable holds the text that it is set to, if there is one only.
    pub(super) fn follow_literals(&mut self) {
        let variables =
            self.imports.iter_mut().filter(|import| import.kind == ImportKind::DynamicVariable);
        for import in variables {
            let Some(Some(literal)) = self.literals.get(import.module.as_bytes()) else { continue };
            import.kind = ImportKind::Dynamic;
            import.module = String::from_utf8_lossy(&self.text[literal.clone()]).into_owned();
        }
    }

    /// Takes the chains of `symbols` by their places; of several for one symbol the first counts.
    pub(super) fn chains(&mut self, symbols: &[Symbol]) -> Vec<(usize, Chain)> {
        let mut chains = std::mem::take(&mut self.types);
        if !self.members.is_empty() {
            let mut places = HashMap::new();
            for (place, symbol) in symbols.iter().enumerate() {
                let is_data = matches!(symbol.kind, SymbolKind::Field | SymbolKind::Constant);
                if let Some(parent) = symbol.parent.filter(|_| is_data) {
                    places.entry((parent, symbol.name.as_bytes())).or_insert(place);
                }
            }
            let of_place = |(owner, name, chain)| Some((*places.get(&(owner, name))?, chain));
            chains.extend(self.members.drain(..).filter_map(of_place));
        }
        chains.append(&mut self.returns);
        chains
    }

    /// Opens a scope at the node whose frame is the `frames`th.
    pub(super) fn open(&mut self, frames: usize) {
        self.scopes.push((frames, self.locals.len()));
    }

    /// Returns true if what is declared here is local.
    pub(super) fn is_local(&self) -> bool {
        !self.scopes.is_empty()
    }

    /// Says that the rule has noted all that `node` refers to, so that it is not called for what is
    /// inside.
    pub(super) fn finish(&mut self, node: Node<'_>) {
        self.done = self.done.max(node.end_byte());
    }

    /// Returns true if the rule has noted what the byte `at` refers to.
    pub(super) fn is_finished(&self, at: usize) -> bool {
        at < self.done
    }

    /// Declares what holds from the byte `at` on, and ends what held up to it.
    pub(super) fn settle(&mut self, at: usize) {
        while let Some((_, place)) = self.narrowed.pop_if(|(until, _)| *until <= at) {
            self.end(place);
        }
        if self.due > at {
            return;
        }
        let mut pending = std::mem::take(&mut self.pending);
        pending.retain_mut(|pending| {
            let is_due = pending.from <= at;
            if is_due {
                let nothing = Declared { name: b"", means: Means::Nothing };
                let declared = std::mem::replace(&mut pending.declared, nothing);
                match pending.until {
                    None => self.push(declared),
                    Some(until) if at < until => {
                        self.narrowed.push((until, self.locals.len()));
                        self.push(declared);
                    }
                    Some(_) => {}
                }
            }
            !is_due
        });
        self.due = pending.iter().map(|pending| pending.from).min().unwrap_or(usize::MAX);
        self.pending = pending;
    }

    /// Ends what the local at `place` means.
    fn end(&mut self, place: usize) {
        let Some(local) = self.locals.get_mut(place) else { return };
        local.means = Means::Nothing;
        if let Some(places) = self.places.get_mut(local.name) {
            places.retain(|&other| other != place);
        }
    }

    /// Closes the scope that was opened at the `frames`th frame, if one was.
    pub(super) fn close(&mut self, frames: usize) {
        if self.scopes.last().is_none_or(|&(at, _)| at != frames) {
            return;
        }
        let Some((_, kept)) = self.scopes.pop() else { return };
        let scopes = self.scopes.len();
        self.pending.retain(|pending| pending.scopes <= scopes);
        self.narrowed.retain(|&(_, place)| place < kept);
        for declared in self.locals.drain(kept..).rev() {
            let is_over = matches!(declared.means, Means::Nothing);
            if let Some(places) = self.places.get_mut(declared.name).filter(|_| !is_over) {
                places.pop();
            }
        }
    }
}
