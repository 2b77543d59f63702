//! The facts that the `refer` rule of a language records during the traversal of a syntax tree, and
//! the local names that it can look up.
//!
//! The traversal opens a scope at each node in [`super::Language::scopes`] and closes it after the
//! node. A rule declares parameters and local variables when it visits them, which is almost always
//! before their uses.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::Node;

use super::facts::{Chain, Import, ImportKind, ImportedName, Reference, Role};
use super::node::NodeNames;
use super::symbols::{Symbol, SymbolKind};
use super::visit::{Visit, name_range};

/// Maximum number of references of one file.
const REFERENCES_MAX: usize = 1 << 20;

/// Maximum number of imports of one file.
const IMPORTS_MAX: usize = 1 << 16;

/// Maximum number of branches around an assignment that are followed.
const NARROWED_MAX: usize = 16;

/// The facts recorded so far, and the local names in scope.
pub(super) struct Notes<'a> {
    text: &'a [u8],
    pub(super) references: Vec<Reference>,
    pub(super) imports: Vec<Import>,
    pub(super) package: Option<String>,
    /// Chains of symbols by index: of the result of a call, or of the value of a field or constant.
    types: Vec<(usize, Chain)>,
    /// Chains of returned values by the index of the function, for functions without a chain in
    /// `types`.
    returns: Vec<(usize, Chain)>,
    /// Chains of members that are containers, by an element that is added to them; they take
    /// precedence over those in `members`.
    contents: Vec<(usize, &'a [u8], Chain)>,
    /// Chains of assigned members: index of the symbol that they are members of, name, chain.
    members: Vec<(usize, &'a [u8], Chain)>,
    /// Values that are one of several of a symbol, by its index: those that a function returns, or that
    /// a variable is assigned. Chains in `types` take precedence.
    several: Vec<(usize, Option<Chain>)>,
    /// The same of members: index of the symbol that they are members of, name, chain.
    several_members: Vec<(usize, &'a [u8], Chain)>,
    /// Chains of members that count where nothing else is known: literals, parameters of constructors.
    weak_members: Vec<(usize, &'a [u8], Chain)>,
    /// Values that names outside of functions are assigned after their definitions.
    reassigned: Vec<(&'a [u8], Option<Chain>)>,
    /// Functions that return something else than a parameter, or something around it.
    others: HashSet<usize>,
    /// Base types of symbols, by index.
    pub(super) bases: Vec<(usize, Chain)>,
    /// Names declared in the open scopes, innermost last.
    locals: Vec<LocalName<'a>>,
    /// Indexes in `locals` of each name, innermost last.
    indexes: HashMap<&'a [u8], Vec<usize>>,
    /// For each open scope, the number of frames and of locals at its start.
    scopes: Vec<(usize, usize)>,
    /// Declarations that take effect later in the text.
    pending: Vec<Pending<'a>>,
    /// The first byte at which a declaration in `pending` takes effect.
    due: usize,
    /// Narrowed names: the byte at which the narrowing ends, and the index in `locals`.
    narrowed: Vec<(usize, usize)>,
    /// Spans of the string literals that variables are assigned; `None` for variables that are
    /// assigned more than once.
    literals: HashMap<&'a [u8], Option<Range<usize>>>,
    /// The rule has already recorded everything up to this byte.
    done: usize,
}

/// A declared name with its binding.
struct LocalName<'a> {
    name: &'a [u8],
    binding: Binding,
    /// It has no value yet: `let x;`, `x = None`.
    is_unset: bool,
    /// The number of open scopes where it is declared.
    scopes: usize,
    /// The index in `locals` of the binding that this one narrows.
    narrowed: Option<usize>,
}

enum Binding {
    /// A parameter or local variable.
    Local(Option<Chain>),
    /// A name outside of functions that is declared inside one: Python's `global`.
    NonLocal,
    /// A narrowing that has ended.
    Ended,
}

/// A declaration that takes effect at a byte and optionally ends at another one.
struct Pending<'a> {
    scopes: usize,
    from: usize,
    until: Option<usize>,
    declared: LocalName<'a>,
    /// It does not declare the name, but adds a value to the variable with this index in `locals`.
    widens: Option<usize>,
}

/// The result of looking up a name at the visited node.
#[derive(Debug)]
pub(super) enum NameLookup<'n> {
    /// A parameter or local variable, with its chain if that is assigned.
    Local(Option<&'n Chain>),
    /// Not a local name.
    NotLocal,
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
            contents: Vec::new(),
            members: Vec::new(),
            several: Vec::new(),
            several_members: Vec::new(),
            weak_members: Vec::new(),
            reassigned: Vec::new(),
            others: HashSet::new(),
            bases: Vec::new(),
            locals: Vec::new(),
            indexes: HashMap::new(),
            scopes: Vec::new(),
            pending: Vec::new(),
            due: usize::MAX,
            narrowed: Vec::new(),
            literals: HashMap::new(),
            done: 0,
        }
    }

    /// Records a use of the identifier `name` with the role `role`.
    pub(super) fn refer(
        &mut self,
        visit: &Visit<'_, '_>,
        name: Node<'_>,
        role: Role,
        receiver: Option<Chain>,
    ) {
        self.refer_span(visit, name_range(self.text, name), role, receiver, None);
    }

    /// Records a call of the identifier `name`.
    pub(super) fn call(
        &mut self,
        visit: &Visit<'_, '_>,
        name: Node<'_>,
        receiver: Option<Chain>,
        arguments: usize,
    ) {
        let arguments = u8::try_from(arguments).unwrap_or(u8::MAX);
        self.refer_span(visit, name_range(self.text, name), Role::Call, receiver, Some(arguments));
    }

    /// Records a use of the identifier in `span`.
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
        let receiver = receiver.map(|chain| chain.bounded().unwrap_or_else(Chain::unknown));
        let enclosing = visit.own_or_enclosing_index();
        self.references.push(Reference { span, role, receiver, enclosing, arguments });
    }

    /// Returns true if the references or imports may be more than are recorded.
    pub(super) fn is_full(&self) -> bool {
        self.references.len() >= REFERENCES_MAX || self.imports.len() >= IMPORTS_MAX
    }

    /// Records an import.
    pub(super) fn import(&mut self, import: Import) {
        if self.imports.len() < IMPORTS_MAX {
            self.imports.push(import);
        }
    }

    /// Returns true if an import so far is of the type `name` of the package `module`, or of all of its
    /// types: `import a.b.C`, `import a.b.*`.
    pub(super) fn imports_type(&self, module: &str, name: &str) -> bool {
        let is_named = |it: &ImportedName| it.name == "*" || it.name == name && it.alias == name;
        self.imports.iter().any(|it| it.module == module && it.names.iter().any(is_named))
    }

    /// Records the chain of the value of the symbol with index `index`, or of the result of a call
    /// of it.
    pub(super) fn set_type(&mut self, index: usize, chain: Chain) {
        self.types.extend(chain.bounded().map(|chain| (index, chain)));
    }

    /// Records the chain of one return value of the function with index `index`. An annotated
    /// return type takes precedence.
    pub(super) fn set_return(&mut self, index: usize, chain: Chain) {
        self.returns.extend(chain.bounded().map(|chain| (index, chain)));
    }

    /// Records the chain of one return value of the function with index `index`, which `either` joins
    /// with a known one.
    pub(super) fn add_return(
        &mut self,
        index: usize,
        chain: Chain,
        either: impl Fn(Chain, &Chain) -> Chain,
    ) {
        let known = self.returns.iter_mut().rev().find(|(of, _)| *of == index);
        match known {
            Some((_, known)) => *known = either(known.clone(), &chain),
            None => self.set_return(index, chain),
        }
    }

    /// Records one of the values of the symbol with index `index`, or one of the results of a call of it;
    /// `None` is one of which nothing is known.
    pub(super) fn add_value(&mut self, index: usize, chain: Option<Chain>) {
        self.several.push((index, chain.and_then(Chain::bounded)));
    }

    /// Records a value that the name `name`, which is no local one, is assigned after its definition.
    pub(super) fn reassign_outer(&mut self, name: Node<'_>, chain: Option<Chain>) {
        let name = &self.text[name_range(self.text, name)];
        self.reassigned.push((name, chain.and_then(Chain::bounded)));
    }

    /// Records that the function with index `index` returns something else than a parameter, or
    /// something around it.
    pub(super) fn returns_other(&mut self, index: usize) {
        self.others.insert(index);
    }

    /// Marks the parameters that functions return only sometimes.
    pub(super) fn limit_wrapped(&mut self) {
        if self.others.is_empty() {
            return;
        }
        for (index, base) in &mut self.bases {
            if base.is_of_variable() && self.others.contains(index) && base.passed().is_none() {
                *base = base.only_sometimes();
            }
        }
    }

    /// Records the chain of the value of the member `name` of the symbol with index `owner`. The
    /// first recorded chain takes precedence.
    pub(super) fn set_member(&mut self, owner: usize, name: Node<'_>, chain: Chain) {
        let name = &self.text[name_range(self.text, name)];
        self.members.extend(chain.bounded().map(|chain| (owner, name, chain)));
    }

    /// Records one of the values of the member `name` of the symbol with index `owner`.
    pub(super) fn add_member(&mut self, owner: usize, name: Node<'_>, chain: Chain) {
        let name = &self.text[name_range(self.text, name)];
        self.several_members.extend(chain.bounded().map(|chain| (owner, name, chain)));
    }

    /// Records a value of the member `name` of the symbol with index `owner` that counts where no other one
    /// is known; the first such one takes precedence.
    pub(super) fn set_weak_member(&mut self, owner: usize, name: Node<'_>, chain: Chain) {
        let name = &self.text[name_range(self.text, name)];
        self.weak_members.extend(chain.bounded().map(|chain| (owner, name, chain)));
    }

    /// Records the chain of the container in the member `name` of the symbol with index `owner`, as an
    /// element shows it. It takes precedence over assigned values that are empty containers.
    pub(super) fn set_content(&mut self, owner: usize, name: Node<'_>, chain: Chain) {
        let name = &self.text[name_range(self.text, name)];
        self.contents.extend(chain.bounded().map(|chain| (owner, name, chain)));
    }

    /// Records that the symbol with index `index` extends or implements `chain`.
    pub(super) fn add_base(&mut self, index: usize, chain: Chain) {
        self.bases.extend(chain.bounded().map(|chain| (index, chain)));
    }

    /// Declares the name in the bytes `name` in the innermost open scope.
    pub(super) fn declare_span(&mut self, name: Range<usize>, chain: Option<Chain>) {
        let binding = Binding::Local(chain.and_then(Chain::bounded));
        self.push(&self.text[name], binding);
    }

    /// Declares a parameter or local variable in the innermost open scope. Has no effect outside of
    /// all scopes.
    pub(super) fn declare(&mut self, name: Node<'_>, chain: Option<Chain>) {
        let binding = Binding::Local(chain.and_then(Chain::bounded));
        self.push(&self.text[name_range(self.text, name)], binding);
    }

    /// Declares a name that is not written there: Kotlin's `it` and the `this` of a block.
    pub(super) fn declare_name(&mut self, name: &'static [u8], chain: Option<Chain>) {
        let binding = Binding::Local(chain.and_then(Chain::bounded));
        self.push(name, binding);
    }

    /// Declares a local variable in the innermost open scope from the byte `from` on. Before that
    /// byte, the name keeps its previous binding: in `let x = x.y()` the value does not refer to
    /// the new `x`.
    pub(super) fn declare_from(&mut self, name: Node<'_>, chain: Option<Chain>, from: usize) {
        self.push_pending(name, chain, from, None);
    }

    /// Declares a local variable without a value in the innermost open scope from the byte `from` on.
    pub(super) fn declare_unset(&mut self, name: Node<'_>, from: usize) {
        self.push_pending(name, None, from, None);
        if let Some(pending) = self.pending.last_mut() {
            pending.declared.is_unset = true;
        }
    }

    /// Returns the number of scopes that were opened after the declaration of the local variable `name`.
    pub(super) fn scopes_since(&self, name: &[u8]) -> Option<usize> {
        let mut declared = self.locals.get(*self.indexes.get(name)?.last()?)?;
        // A branch or loop may narrow it.
        for _ in 0..NARROWED_MAX {
            let Some(before) = declared.narrowed.and_then(|index| self.locals.get(index)) else {
                break;
            };
            declared = before;
        }
        self.scopes.len().checked_sub(declared.scopes)
    }

    /// Records that a local variable is assigned a value in a branch that ends at the byte `until`: it
    /// has that value from the byte `from` to the end of the branch, and either that or its former one
    /// afterwards.
    pub(super) fn assign_in_branch(
        &mut self,
        name: Node<'_>,
        chain: Option<Chain>,
        from: usize,
        until: usize,
    ) {
        let text = &self.text[name_range(self.text, name)];
        let Some(&index) = self.indexes.get(text).and_then(|indexes| indexes.last()) else {
            return;
        };
        self.push_pending(name, chain.clone(), from, Some(until));
        // The variable, and what a branch around this one narrows it to.
        let mut widened = Some(index);
        for _ in 0..NARROWED_MAX {
            let Some(index) = widened else { return };
            self.push_pending(name, chain.clone(), until, None);
            if let Some(pending) = self.pending.last_mut() {
                (pending.widens, pending.scopes) = (Some(index), 0);
            }
            widened = self.locals.get(index).and_then(|local| local.narrowed);
        }
    }

    /// Narrows a local variable: within `range`, `name` has the chain `chain`. Has no effect on
    /// other names.
    pub(super) fn narrow(&mut self, name: Node<'_>, chain: Chain, range: Range<usize>) {
        if matches!(self.local(&self.text[name_range(self.text, name)]), NameLookup::Local(_)) {
            self.push_pending(name, Some(chain), range.start, Some(range.end));
        }
    }

    /// Records that a local variable, or a value that has no declaration (`$this->name` of PHP), has the
    /// chain `chain` in a range.
    pub(super) fn narrow_value(&mut self, of: Node<'_>, chain: Chain, range: Range<usize>) {
        if of.kind_name() == "variable_name" {
            return self.narrow(of, chain, range);
        }
        self.push_pending(of, Some(chain), range.start, Some(range.end));
    }

    /// Records that a function inside of the one with the local variable `name` assigns it: it may have
    /// that value from here on.
    pub(super) fn open_captured(&mut self, name: Node<'_>) {
        let name = &self.text[name_range(self.text, name)];
        let Some(&index) = self.indexes.get(name).and_then(|indexes| indexes.last()) else {
            return;
        };
        let binding = Binding::Local(None);
        self.widen(index, LocalName { name, binding, is_unset: false, scopes: 0, narrowed: None });
    }

    /// Declares that `name` is not local in the innermost open scope.
    pub(super) fn declare_outer(&mut self, name: Node<'_>) {
        self.push(&self.text[name_range(self.text, name)], Binding::NonLocal);
    }

    /// Records that a local variable has the chain `chain` from the byte `from` on.
    pub(super) fn assign(&mut self, name: Node<'_>, chain: Chain, from: usize) {
        if matches!(self.local(&self.text[name_range(self.text, name)]), NameLookup::Local(_)) {
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
        let binding = Binding::Local(chain.and_then(Chain::bounded));
        let (name, scopes) = (&self.text[name_range(self.text, name)], self.scopes.len());
        let declared = LocalName { name, binding, is_unset: false, scopes, narrowed: None };
        self.due = self.due.min(from);
        self.pending.push(Pending { scopes, from, until, declared, widens: None });
    }

    fn push(&mut self, name: &'a [u8], binding: Binding) {
        let scopes = self.scopes.len();
        self.push_local(LocalName { name, binding, is_unset: false, scopes, narrowed: None });
    }

    fn push_local(&mut self, declared: LocalName<'a>) {
        if !self.scopes.is_empty() {
            self.indexes.entry(declared.name).or_default().push(self.locals.len());
            self.locals.push(declared);
        }
    }

    /// Looks up `name` at the current position. O(1).
    pub(super) fn local(&self, name: &[u8]) -> NameLookup<'_> {
        let index = self.indexes.get(name).and_then(|indexes| indexes.last());
        match index.map(|&index| &self.locals[index].binding) {
            Some(Binding::Local(chain)) => NameLookup::Local(chain.as_ref()),
            Some(Binding::NonLocal | Binding::Ended) | None => NameLookup::NotLocal,
        }
    }

    /// Returns true if `name` was declared with [`Notes::declare_outer`].
    pub(super) fn is_outer(&self, name: &[u8]) -> bool {
        let index = self.indexes.get(name).and_then(|indexes| indexes.last());
        index.is_some_and(|&index| matches!(self.locals[index].binding, Binding::NonLocal))
    }

    /// Records an assignment to a variable: the span of a string literal, or `None` for any other
    /// value.
    pub(super) fn set_literal(&mut self, name: Node<'_>, literal: Option<Range<usize>>) {
        let name = &self.text[name_range(self.text, name)];
        match self.literals.get_mut(name) {
            Some(assigned) => *assigned = None,
            None if literal.is_some() => _ = self.literals.insert(name, literal),
            None => {}
        }
    }

    /// Returns the string literal that a variable is assigned, if it is assigned exactly once.
    pub(super) fn literal(&self, name: Node<'_>) -> Option<Range<usize>> {
        self.literals.get(&self.text[name_range(self.text, name)]).cloned().flatten()
    }

    /// Replaces the variable in dynamic imports with its string literal, if it is assigned exactly
    /// once.
    pub(super) fn follow_literals(&mut self) {
        let variables =
            self.imports.iter_mut().filter(|import| import.kind == ImportKind::DynamicVariable);
        for import in variables {
            let Some(Some(literal)) = self.literals.get(import.module.as_bytes()) else { continue };
            import.kind = ImportKind::Dynamic;
            import.module = String::from_utf8_lossy(&self.text[literal.clone()]).into_owned();
        }
    }

    /// Takes the recorded chains with the indexes of their symbols. If a symbol has several, the
    /// first takes precedence.
    pub(super) fn chains(&mut self, symbols: &[Symbol]) -> Vec<(usize, Chain)> {
        let mut chains = std::mem::take(&mut self.types);
        let mut members = std::mem::take(&mut self.contents);
        if !members.is_empty() {
            // An element tells nothing new of a value that is no plain container.
            let is_plain = |chain: &Chain| {
                let of = chain.written_type().map_or("", |of| of.text());
                matches!(of, "Array" | "Hash" | "Set")
            };
            let others = self.members.iter().chain(&self.several_members).chain(&self.weak_members);
            let others = others.filter(|(.., chain)| !is_plain(chain));
            let known: HashSet<(usize, &[u8])> = others.map(|it| (it.0, it.1)).collect();
            members.retain(|(owner, name, _)| !known.contains(&(*owner, *name)));
        }
        let mut members = one_of_contents(members);
        members.append(&mut self.members);
        // What is known takes precedence over the parameter of a constructor.
        members.sort_by_key(|(.., chain)| chain.is_of_variable());
        let mut weak = std::mem::take(&mut self.weak_members);
        weak.sort_by_key(|(.., chain)| chain.is_of_variable());
        let mut of_weak: Vec<(usize, Chain)> = Vec::new();
        if !members.is_empty() || !self.several_members.is_empty() || !weak.is_empty() {
            let mut indexes = HashMap::new();
            for (index, symbol) in symbols.iter().enumerate() {
                let is_data = matches!(symbol.kind, SymbolKind::Field | SymbolKind::Constant);
                if let Some(parent) = symbol.parent.filter(|_| is_data) {
                    indexes.entry((parent, symbol.name.as_bytes())).or_insert(index);
                }
            }
            let with_index = |(owner, name, chain)| Some((*indexes.get(&(owner, name))?, chain));
            chains.extend(members.into_iter().filter_map(with_index));
            let several = std::mem::take(&mut self.several_members);
            let several = several.into_iter().filter_map(with_index);
            self.several.extend(several.map(|(index, chain)| (index, Some(chain))));
            of_weak.extend(weak.into_iter().filter_map(with_index));
        }
        chains.append(&mut self.returns);
        chains.append(&mut self.of_several(symbols));
        chains.append(&mut of_weak);
        chains
    }

    /// Takes the chains of symbols with one of several values. A function that is assigned again gets
    /// an unknown base.
    fn of_several(&mut self, symbols: &[Symbol]) -> Vec<(usize, Chain)> {
        let mut several = std::mem::take(&mut self.several);
        if !self.reassigned.is_empty() {
            let mut outer: HashMap<&[u8], usize> = HashMap::new();
            for (index, symbol) in symbols.iter().enumerate() {
                if symbol.parent.is_none() && symbol.qualified_name == symbol.name {
                    outer.entry(symbol.name.as_bytes()).or_insert(index);
                }
            }
            for (name, chain) in std::mem::take(&mut self.reassigned) {
                let Some(&index) = outer.get(name) else { continue };
                match symbols[index].kind {
                    SymbolKind::Constant | SymbolKind::Variable => several.push((index, chain)),
                    SymbolKind::Function => self.bases.push((index, Chain::unknown())),
                    _ => {}
                }
            }
        }
        several.sort_by_key(|(index, _)| *index);
        let of_one = several.chunk_by(|a, b| a.0 == b.0);
        let chain = |all: &[(usize, Option<Chain>)]| {
            let chain = Chain::one_of(all.iter().map(|(_, chain)| chain.clone()))?;
            Some((all[0].0, chain.bounded()?))
        };
        of_one.filter_map(chain).collect()
    }

    /// Opens a scope at the node with frame number `frames`.
    pub(super) fn open(&mut self, frames: usize) {
        self.scopes.push((frames, self.locals.len()));
    }

    /// Returns true if a scope is open, so that declared names are local.
    pub(super) fn is_local(&self) -> bool {
        !self.scopes.is_empty()
    }

    /// Marks `node` as completely recorded, so that the rule is not called for its descendants.
    pub(super) fn finish(&mut self, node: Node<'_>) {
        self.done = self.done.max(node.end_byte());
    }

    /// Returns true if the byte `at` belongs to a node that is completely recorded.
    pub(super) fn is_finished(&self, at: usize) -> bool {
        at < self.done
    }

    /// Applies the declarations that take effect at or before the byte `at`, and ends narrowings
    /// that end there.
    pub(super) fn settle(&mut self, at: usize) {
        while let Some((_, index)) = self.narrowed.pop_if(|(until, _)| *until <= at) {
            self.end(index);
        }
        if self.due > at {
            return;
        }
        let mut pending = std::mem::take(&mut self.pending);
        pending.retain_mut(|pending| {
            let is_due = pending.from <= at;
            if is_due {
                let nothing = LocalName {
                    name: b"",
                    binding: Binding::Ended,
                    is_unset: false,
                    scopes: 0,
                    narrowed: None,
                };
                let declared = std::mem::replace(&mut pending.declared, nothing);
                match (pending.widens, pending.until) {
                    (Some(index), _) => self.widen(index, declared),
                    (None, None) => self.push_local(declared),
                    (None, Some(until)) if at < until => {
                        self.narrowed.push((until, self.locals.len()));
                        let before = self.indexes.get(declared.name);
                        let narrowed = before.and_then(|indexes| indexes.last().copied());
                        self.push_local(LocalName { narrowed, ..declared });
                    }
                    (None, Some(_)) => {}
                }
            }
            !is_due
        });
        self.due = pending.iter().map(|pending| pending.from).min().unwrap_or(usize::MAX);
        self.pending = pending;
    }

    /// Adds a value to the local variable with index `index` in `locals`, if it is still in scope.
    fn widen(&mut self, index: usize, assigned: LocalName<'a>) {
        let Some(local) = self.locals.get_mut(index) else { return };
        let (Binding::Local(before), Binding::Local(after)) = (&local.binding, assigned.binding)
        else {
            return;
        };
        if local.name == assigned.name {
            let is_first = local.is_unset && before.is_none();
            let chain = if is_first { after } else { Chain::one_of([before.clone(), after]) };
            local.binding = Binding::Local(chain.and_then(Chain::bounded));
            local.is_unset = false;
        }
    }

    /// Ends the binding with index `index` in `locals`.
    fn end(&mut self, index: usize) {
        let Some(local) = self.locals.get_mut(index) else { return };
        local.binding = Binding::Ended;
        if let Some(indexes) = self.indexes.get_mut(local.name) {
            indexes.retain(|&other| other != index);
        }
    }

    /// Closes the scope that was opened at frame number `frames`, if there is one.
    pub(super) fn close(&mut self, frames: usize) {
        if self.scopes.last().is_none_or(|&(at, _)| at != frames) {
            return;
        }
        let Some((_, kept)) = self.scopes.pop() else { return };
        let scopes = self.scopes.len();
        self.pending.retain(|pending| pending.scopes <= scopes);
        self.narrowed.retain(|&(_, index)| index < kept);
        for declared in self.locals.drain(kept..).rev() {
            let is_over = matches!(declared.binding, Binding::Ended);
            if let Some(indexes) = self.indexes.get_mut(declared.name).filter(|_| !is_over) {
                indexes.pop();
            }
        }
    }
}

/// A chain of a member: the index of the symbol that it is a member of, its name, the chain.
type OfMember<'a> = (usize, &'a [u8], Chain);

/// Returns the containers in members, of each member one of all that its elements show.
fn one_of_contents(all: Vec<OfMember<'_>>) -> Vec<OfMember<'_>> {
    let mut indexes: HashMap<(usize, &[u8]), usize> = HashMap::new();
    let mut merged: Vec<OfMember<'_>> = Vec::new();
    for (owner, name, chain) in all {
        let index = *indexes.entry((owner, name)).or_insert(merged.len());
        match merged.get_mut(index) {
            Some((.., known)) => {
                let both = Chain::one_of([Some(known.clone()), Some(chain)]);
                *known = both.and_then(Chain::bounded).unwrap_or_else(|| known.clone());
            }
            None => merged.push((owner, name, chain)),
        }
    }
    merged
}
