//! The linker's interface to a generation of the index, and the facts of one file, arranged for its
//! look-ups.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::conditions::{Branch, branches};
use super::dialect::{self, Dialect, Extensions, Group};
use super::kinds::{is_type, is_variable};
use super::parameters::{Arity, arity, extended};
use super::position::{SymbolAt, UseAt};
use super::receiver_bounds::receiver_bound;
use super::result::Outcome;
use crate::base::ids::FileId;
use crate::graph::imports::{ProjectUsing, Resolution};
use crate::lang::chain::Chain;
use crate::lang::facts::{Facts, Import, ImportKind, ImportedName, Reference};
use crate::lang::language::Language;
use crate::lang::membership;
pub use crate::lang::membership::last_name;
use crate::lang::symbols::{Symbol, SymbolKind, SymbolSource};
use crate::source::text_cache::Text;

/// The bytes of a signature from which on its end may be missing.
const LONG_SIGNATURE: usize = 200;

/// The approximate memory of a symbol besides its own and that of its texts: its computed signature
/// and argument counts, its place in each order, and the headers of allocations.
const SYMBOL_EXTRA_BYTES: usize = 160;

/// The interface to a generation: the index over memory maps, or [`super::super::program`] in
/// memory.
///
/// Every list is in the order of files and positions, so that results do not depend on the
/// implementation.
pub trait Code: Sync {
    /// Returns all definitions of that name.
    fn named(&self, name: &str) -> Arc<[SymbolAt]>;

    /// Returns the definitions of the name `name` whose owner ([`FileFacts::owner`]) has the name
    /// `owner`.
    fn members(&self, owner: &str, name: &str) -> Arc<[SymbolAt]> {
        let is_member_of = |at: &SymbolAt| {
            let facts = self.file(at.file);
            facts.is_some_and(|facts| facts.owner(at.place as usize) == Some(owner))
        };
        self.named(name).iter().copied().filter(is_member_of).collect()
    }

    /// Returns the implementation blocks of the type of that name.
    fn blocks(&self, name: &str) -> Arc<[SymbolAt]>;

    /// Returns the types and blocks that name `base` among their bases.
    fn derived(&self, base: &str) -> Arc<[SymbolAt]>;

    /// Returns the facts of a file, if it has any.
    fn file(&self, file: FileId) -> Option<Arc<FileFacts>>;

    /// Returns the signature of a definition; empty if it is unknown.
    fn signature(&self, at: SymbolAt) -> String {
        let text = || self.text(at.file);
        self.file(at.file).map_or_else(String::new, |facts| facts.signature(at.place, text))
    }

    /// Returns the text of a file, for signatures that its facts lack.
    fn text(&self, _file: FileId) -> Option<Text> {
        None
    }

    /// Returns the files that an import of a file resolves to.
    fn targets(&self, file: FileId, import: usize) -> Resolution;

    /// Returns the files that import a file, each once; none if that is unknown.
    fn importers(&self, _file: FileId) -> Vec<FileId> {
        Vec::new()
    }

    /// Returns the files that `path` resolves to in an import of a module by `from`.
    fn module(&self, from: FileId, path: &str) -> Resolution;

    /// Returns the imports that project files state for all files of a file's project.
    fn project_usings(&self, _file: FileId) -> Vec<ProjectUsing> {
        Vec::new()
    }

    /// Returns true if the two files see each other's names without an import.
    fn is_same_package(&self, a: FileId, b: FileId) -> bool;

    /// Returns every use of `name`.
    fn sites(&self, name: &str) -> Vec<Site>;

    /// Returns every use of `name` in one file, in the order of the text.
    fn uses_in(&self, file: FileId, name: &str) -> Vec<Reference> {
        let sites = self.sites(name).into_iter().filter(|site| site.file == file);
        sites.map(|site| site.reference).collect()
    }

    /// Returns the calls in a file, in the order of the text, each with the called name.
    fn calls(&self, file: FileId) -> Arc<Vec<(String, Reference)>>;

    /// Returns the cached resolution of a use.
    fn cached_outcome(&self, _at: UseAt) -> Option<Arc<Outcome>> {
        None
    }

    /// Caches the resolution of a use; a cache belongs to one state of the tree.
    fn cache_outcome(&self, _at: UseAt, _outcome: &Arc<Outcome>) {}
}

/// A use of a name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Site {
    /// The file that contains it.
    pub file: FileId,
    /// The use.
    pub reference: Reference,
}

/// The most imports of one scope that bind one name and are followed.
const BINDINGS_MAX: usize = 64;

/// The facts of one file, without its uses of names.
pub struct FileFacts {
    /// Its path from the root.
    pub path: String,
    /// Its language.
    pub language: &'static Language,
    /// The package that it declares.
    pub package: Option<String>,
    /// Its definitions; signatures and documentation may be empty.
    pub symbols: Vec<Symbol>,
    /// Its imports.
    pub imports: Vec<Import>,
    pub(super) dialect: &'static Dialect,
    /// Positions of symbols by parent, then name, then position.
    by_parent: Vec<u32>,
    /// Import and name of each bound name, by alias.
    bindings: Vec<(u32, u32)>,
    /// The enclosing symbol of each import.
    import_scopes: Vec<Option<usize>>,
    /// Signatures of all symbols, computed when a missing one is needed.
    signatures: OnceLock<Vec<String>>,
    /// The argument counts of each symbol.
    arities: OnceLock<Vec<Option<Arity>>>,
    /// The types that symbols extend by their first parameter.
    extended: OnceLock<Vec<Option<(Box<str>, usize)>>>,
    /// The branches of conditional directives of C.
    branches: OnceLock<Vec<Branch>>,
}

impl FileFacts {
    /// Arranges the facts of a file. O(n log n) for n symbols and imports.
    pub fn new(path: String, language: &'static Language, facts: Facts) -> FileFacts {
        let Facts { symbols, imports, package, .. } = facts;
        let mut by_parent: Vec<u32> = (0..symbols.len() as u32).collect();
        by_parent.sort_by_key(|&place| {
            let symbol = &symbols[place as usize];
            (symbol.parent, symbol.name.as_str(), place)
        });
        let mut bindings: Vec<(u32, u32)> = (0..imports.len())
            .flat_map(|at| (0..imports[at].names.len()).map(move |name| (at as u32, name as u32)))
            .collect();
        let alias =
            |&(at, name): &(u32, u32)| imports[at as usize].names[name as usize].alias.as_str();
        let import_scopes: Vec<Option<usize>> =
            imports.iter().map(|import| scope_of(&symbols, import)).collect();
        // Imports that are repeated bind nothing else. Those of a scope are next to each other.
        let meaning = |&(at, name): &(u32, u32)| {
            let import = &imports[at as usize];
            let bound = &import.names[name as usize];
            (&bound.alias, import_scopes[at as usize], import.kind, &import.module, &bound.name)
        };
        bindings.sort_by(|a, b| meaning(a).cmp(&meaning(b)).then(a.cmp(b)));
        bindings.dedup_by(|b, a| meaning(a) == meaning(b));
        let scope = |at: &(u32, u32)| import_scopes[at.0 as usize];
        bindings.sort_by(|a, b| (alias(a), scope(a), a).cmp(&(alias(b), scope(b), b)));
        let dialect = dialect::of(language);
        FileFacts {
            path,
            language,
            package,
            symbols,
            imports,
            dialect,
            by_parent,
            bindings,
            import_scopes,
            signatures: OnceLock::new(),
            arities: OnceLock::new(),
            extended: OnceLock::new(),
            branches: OnceLock::new(),
        }
    }

    /// Returns the approximate memory size in bytes, with signatures, which may be computed later.
    /// The same at any time. O(symbols and imports).
    pub fn memory_bytes(&self) -> usize {
        let symbol = |of: &Symbol| {
            let chain = of.type_chain.as_ref().map_or(0, Chain::memory_bytes);
            of.id.len() + of.name.len() + of.qualified_name.len() + of.signature.len() + chain
        };
        let import = |of: &Import| {
            let names = of.names.iter().map(|name| name.name.len() + name.alias.len());
            of.module.len() + names.sum::<usize>() + of.names.len() * size_of::<ImportedName>()
        };
        size_of::<FileFacts>()
            + self.symbols.iter().map(symbol).sum::<usize>()
            + self.symbols.len() * (size_of::<Symbol>() + SYMBOL_EXTRA_BYTES)
            + self.imports.iter().map(import).sum::<usize>()
            + self.imports.len() * (size_of::<Import>() + size_of::<Option<usize>>())
    }

    /// Returns the signature of a symbol; from the file's text, which `read` returns, if the
    /// symbols lack their signatures. The text is read once.
    pub fn signature(&self, place: u32, read: impl FnOnce() -> Option<Text>) -> String {
        let Some(symbol) = self.symbols.get(place as usize) else { return String::new() };
        if !symbol.signature.is_empty() {
            return symbol.signature.clone();
        }
        self.signatures(read).get(place as usize).cloned().unwrap_or_default()
    }

    fn signatures(&self, read: impl FnOnce() -> Option<Text>) -> &[String] {
        self.signatures.get_or_init(|| {
            let text = read().unwrap_or_default();
            let signature = |symbol: &Symbol| {
                if symbol.signature.is_empty() {
                    symbol.source.signature(self.language, &text)
                } else {
                    symbol.signature.clone()
                }
            };
            self.symbols.iter().map(signature).collect()
        })
    }

    /// Returns how many arguments calls of a symbol have, if that is known; see [`arity`]. The text
    /// is read once, as for [`FileFacts::signature`].
    pub(super) fn arity(&self, place: u32, read: impl Fn() -> Option<Text>) -> Option<Arity> {
        let arities = self.arities.get_or_init(|| {
            let signatures = self.signatures(&read);
            let rules = self.dialect.arguments.as_ref();
            let of = |(symbol, signature): (&Symbol, &String)| {
                let is_exact = self.dialect.overloads.is_some() || self.dialect.group == Group::C;
                if is_exact && signature.len() > LONG_SIGNATURE {
                    let signature = self.signature_from_name(symbol, &read().unwrap_or_default());
                    return arity(rules, symbol.kind, &symbol.name, &signature);
                }
                arity(rules, symbol.kind, &symbol.name, signature)
            };
            self.symbols.iter().zip(signatures).map(of).collect()
        });
        arities.get(place as usize).copied().flatten()
    }

    /// Returns the name of the type that a method extends by its first parameter, C#'s `this Type
    /// name`, and the number of its arguments; in Kotlin the bound of the type parameter that it
    /// extends. The text is read once, as for [`FileFacts::signature`].
    pub(super) fn extended(
        &self,
        place: u32,
        read: impl FnOnce() -> Option<Text>,
    ) -> Option<(String, usize)> {
        let extended = self.extended.get_or_init(|| {
            let signatures = self.signatures(read);
            let of = |(place, signature): (usize, &String)| {
                if self.dialect.extensions == Extensions::Prefix {
                    let bound = receiver_bound(self.owner(place)?, signature)?;
                    return Some((bound.into(), 0));
                }
                let (name, arguments) = extended(&self.symbols[place].name, signature)?;
                Some((name.into(), arguments))
            };
            signatures.iter().enumerate().map(of).collect()
        });
        let (name, arguments) = extended.get(place as usize)?.as_ref()?;
        Some((name.to_string(), *arguments))
    }

    /// Returns the branches of conditional directives of C. The text is read once.
    pub(super) fn branches(&self, read: impl FnOnce() -> Option<Text>) -> &[Branch] {
        self.branches.get_or_init(|| branches(&read().unwrap_or_default()))
    }

    /// Returns the signature of a symbol from its name on, not truncated: the parameters of a template
    /// may be long, and the types of many parameters.
    pub(super) fn signature_from_name(&self, symbol: &Symbol, text: &[u8]) -> String {
        let signature = symbol.name_span.start..symbol.source.signature.end;
        SymbolSource { signature, ..symbol.source.clone() }.whole_signature(self.language, text)
    }

    /// Returns the positions of the symbols `name` directly inside of `parent`. O(log n).
    pub fn children(&self, parent: Option<usize>, name: &str) -> &[u32] {
        let key = |&place: &u32| {
            let symbol = &self.symbols[place as usize];
            (symbol.parent, symbol.name.as_str())
        };
        let start = self.by_parent.partition_point(|place| key(place) < (parent, name));
        let rest = &self.by_parent[start..];
        &rest[..rest.partition_point(|place| key(place) <= (parent, name))]
    }

    /// Returns the positions of all symbols directly inside of `parent`, by name. O(log n).
    pub fn all_children(&self, parent: Option<usize>) -> &[u32] {
        let of = |place: &u32| self.symbols[*place as usize].parent;
        let start = self.by_parent.partition_point(|place| of(place) < parent);
        let end = self.by_parent.partition_point(|place| of(place) <= parent);
        &self.by_parent[start..end]
    }

    /// Returns the imports that bind `alias`, each with the name that it binds. O(log n).
    pub(super) fn bindings(&self, alias: &str) -> impl Iterator<Item = (usize, &ImportedName)> {
        let of = |&(at, name): &(u32, u32)| &self.imports[at as usize].names[name as usize];
        let start = self.bindings.partition_point(|at| of(at).alias.as_str() < alias);
        self.bindings[start..]
            .iter()
            .map(move |at| (at.0 as usize, of(at)))
            .take_while(move |(_, name)| name.alias == alias)
    }

    /// Returns the imports directly inside of `scope` that bind `alias`, up to [`BINDINGS_MAX`]. O(log n).
    pub(super) fn bindings_in(
        &self,
        alias: &str,
        scope: Option<usize>,
    ) -> impl Iterator<Item = (usize, &ImportedName)> {
        let of = |&(at, name): &(u32, u32)| &self.imports[at as usize].names[name as usize];
        let key = move |at: &(u32, u32)| (of(at).alias.as_str(), self.import_scope(at.0 as usize));
        let start = self.bindings.partition_point(|at| key(at) < (alias, scope));
        let rest = self.bindings[start..].iter().take(BINDINGS_MAX);
        rest.take_while(move |at| key(at) == (alias, scope)).map(move |at| (at.0 as usize, of(at)))
    }

    /// Returns the imports of all names of a module.
    pub(super) fn wildcards(&self) -> impl Iterator<Item = usize> {
        self.imports.iter().enumerate().filter_map(|(at, import)| {
            let is_include =
                matches!(import.kind, ImportKind::LocalInclude | ImportKind::SystemInclude);
            let is_star = is_include || import.names.iter().any(|name| name.name == "*");
            is_star.then_some(at)
        })
    }

    /// Returns the enclosing symbol of an import.
    pub fn import_scope(&self, import: usize) -> Option<usize> {
        self.import_scopes.get(import).copied().flatten()
    }

    /// Returns the names of the modules that enclose an import, outermost first.
    pub fn modules_around(&self, import: usize) -> Vec<&str> {
        // Rust's `mod a;` is a module itself, but does not enclose its own import.
        let own = self.imports.get(import).filter(|of| of.kind == ImportKind::Submodule);
        let is_own = |symbol: &&Symbol| {
            own.is_some_and(|of| of.module == symbol.name && of.span.end == symbol.span.end)
        };
        let around = self.ancestors(self.import_scope(import)).map(|at| &self.symbols[at]);
        let modules = around.filter(|of| of.kind == SymbolKind::Module && !is_own(of));
        let mut names: Vec<&str> = modules.map(|symbol| symbol.name.as_str()).collect();
        names.reverse();
        names
    }

    /// Returns the symbols that enclose `place`, innermost first, starting with itself.
    pub fn ancestors(&self, place: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(place.filter(|&at| at < self.symbols.len()), |&at| {
            self.symbols[at].parent.filter(|&parent| parent < at)
        })
    }

    /// Returns the name of the type or namespace that a symbol is a member of; see
    /// [`membership::owner`].
    pub fn owner(&self, place: usize) -> Option<&str> {
        membership::owner(&self.symbols, place)
    }

    /// Returns true if a call of the type's name runs the symbol.
    pub fn is_constructor(&self, place: usize) -> bool {
        self.symbols.get(place).is_some_and(|symbol| {
            let is_named = self.dialect.constructors.contains(&symbol.name.as_str());
            symbol.kind == SymbolKind::Constructor || is_named && symbol.kind.is_callable()
        })
    }

    /// Returns true for a name that constructors have in addition to that of their type.
    pub(super) fn is_constructor_name(&self, name: &str) -> bool {
        self.dialect.constructors.contains(&name)
    }

    /// Returns true for a function that `new` may call: JavaScript's constructor functions, which by
    /// convention have a capitalized name.
    pub(super) fn is_constructor_function(&self, place: usize) -> bool {
        self.dialect.has_added_members
            && self.symbols.get(place).is_some_and(|symbol| {
                symbol.kind == SymbolKind::Function && symbol.name.starts_with(char::is_uppercase)
            })
    }

    /// Returns true for a field of C, which is a pointer to a function.
    pub(super) fn is_called_field(&self, place: usize) -> bool {
        self.dialect.group == Group::C
            && self.language.name == "c"
            && self.symbols.get(place).is_some_and(|symbol| symbol.kind == SymbolKind::Field)
    }

    /// Returns true if a module can be a value: what its file exports as a whole.
    pub fn has_module_values(&self) -> bool {
        self.dialect.has_module_values
    }

    /// Returns true if a call by this word runs a constructor: `super(…)`.
    pub fn is_constructor_word(&self, word: &str) -> bool {
        self.dialect.constructor_words.contains(&word)
    }

    /// Returns the method of a type by which its constructor is called, where it has another name.
    pub fn constructor_call(&self) -> Option<&'static str> {
        self.dialect.constructor_call
    }

    /// Returns true for a type that uses the constructor of its base.
    pub fn inherits_constructor(&self, place: usize) -> bool {
        let is_type = self.symbols.get(place).is_some_and(|symbol| is_type(symbol.kind));
        let has_none = || self.own_constructors(place).next().is_none();
        is_type
            && (self.dialect.inherits_constructors && has_none()
                || self.takes_base_constructors(place))
    }

    /// Returns true for a type of C++ that takes the constructors of a base: `using Base::Base;`.
    pub(super) fn takes_base_constructors(&self, place: usize) -> bool {
        let is_constructor = |import: &Import| {
            let of = import.module.rsplit("::").next().unwrap_or_default();
            let of = of.split('<').next().unwrap_or(of);
            import.names.iter().any(|name| name.name == of)
        };
        self.dialect.has_namespaces
            && self
                .imports
                .iter()
                .enumerate()
                .any(|(at, import)| is_constructor(import) && self.import_scope(at) == Some(place))
    }

    /// Returns the name of the type whose method `apply` this is, by which Scala calls it.
    pub fn applied_object(&self, place: usize) -> Option<&str> {
        let symbol = self.symbols.get(place)?;
        let is_applied = self.dialect.has_companions && symbol.name == "apply";
        let of = symbol.parent.filter(|_| is_applied)?;
        Some(&self.symbols[of].name)
    }

    /// Returns true in languages where a method of the type creates an instance: `new`, `init`.
    pub fn calls_constructors_by_methods(&self) -> bool {
        self.dialect.constructor_call.is_some()
            || self.dialect.overloads == Some(dialect::OverloadRules::Swift)
    }

    /// Returns true for a type whose constructors call each other, and those of its base, by words.
    pub fn calls_constructors_by_words(&self, place: usize) -> bool {
        let is_type = self.symbols.get(place).is_some_and(|symbol| is_type(symbol.kind));
        is_type && !self.dialect.constructor_words.is_empty()
    }

    /// Returns the constructors that a type defines under a name of their own (`initialize`).
    pub fn own_constructors(&self, place: usize) -> impl Iterator<Item = u32> + '_ {
        let names = self.dialect.constructors.iter();
        let children = names.flat_map(move |name| self.children(Some(place), name));
        children.copied().filter(|child| self.is_constructor(*child as usize))
    }

    /// Returns true if code of this file's language can refer to definitions of another file's.
    pub fn shares_definitions(&self, other: &FileFacts) -> bool {
        let is_same = self.language.name == other.language.name;
        let group = self.dialect.group;
        is_same || group == other.dialect.group && group != Group::Other
    }

    /// Returns true if what a file imports can be imported from it.
    pub fn reexports_imports(&self) -> bool {
        self.dialect.reexports_imports
    }

    /// Returns true for a symbol that only declares that another file is a module: Rust's `mod a;`.
    pub(super) fn is_module_elsewhere(&self, place: usize) -> bool {
        self.symbols.get(place).is_some_and(|symbol| {
            let is_elsewhere = |at: usize| self.imports[at].kind == ImportKind::Submodule;
            symbol.kind == SymbolKind::Module
                && self.bindings(&symbol.name).any(|(at, _)| is_elsewhere(at))
        })
    }

    /// Returns true for a constructor that has the name of its type: the name refers to the type.
    pub(super) fn is_named_like_type(&self, place: usize) -> bool {
        self.symbols.get(place).is_some_and(|symbol| {
            symbol.kind == SymbolKind::Constructor
                && symbol.parent.is_some_and(|parent| self.symbols[parent].name == symbol.name)
        })
    }

    /// Returns true for a symbol that only declares what is defined elsewhere: prototypes, and C++
    /// members without a body.
    pub(super) fn is_declaration(&self, place: usize) -> bool {
        let Some(symbol) = self.symbols.get(place) else { return false };
        let has_body = symbol.source.signature.end < symbol.span.end;
        symbol.kind == SymbolKind::Prototype
            || self.dialect.has_bodiless_declarations && symbol.kind.is_callable() && !has_body
    }

    /// Returns the name of the type that an implementation block belongs to.
    pub fn block_type(&self, place: usize) -> Option<&str> {
        membership::block_type(&self.symbols, place)
    }
}

/// Returns the innermost symbol that encloses an import. `mod a;` does not enclose itself, and a
/// variable not what its value exports: `var app = module.exports = {}`.
fn scope_of(symbols: &[Symbol], import: &Import) -> Option<usize> {
    let mut place = around(symbols, &import.span)?;
    // `module.exports = class A {}` exports the class and is not inside of it.
    let is_exported =
        |symbol: &Symbol| is_variable(symbol.kind) || symbol.span.start == import.span.start;
    while import.kind == ImportKind::ReExport && is_exported(&symbols[place]) {
        place = symbols[place].parent.filter(|&parent| parent < place)?;
    }
    let symbol = &symbols[place];
    let is_itself = import.kind == ImportKind::Submodule
        && symbol.kind == SymbolKind::Module
        && symbol.span.end <= import.span.end;
    if is_itself { symbol.parent } else { Some(place) }
}

/// Returns the innermost symbol that encloses `span`.
fn around(symbols: &[Symbol], span: &Range<usize>) -> Option<usize> {
    let end = symbols.partition_point(|symbol| symbol.span.start <= span.start);
    let mut at = end.checked_sub(1);
    for _ in 0..64 {
        let place = at?;
        let symbol = &symbols[place];
        if symbol.span.start <= span.start && span.end <= symbol.span.end {
            return Some(place);
        }
        at = symbol.parent.filter(|&parent| parent < place);
    }
    None
}

/// Returns positions as definitions of `file`.
pub(super) fn definitions(file: FileId, places: &[u32]) -> impl Iterator<Item = SymbolAt> {
    places.iter().map(move |&place| SymbolAt { file, place })
}

/// Returns at most `max` of some definitions, which are in the order of files: those in files whose
/// paths are next to that of `file`, in the same order.
pub(super) fn near(all: &[SymbolAt], file: FileId, max: usize) -> &[SymbolAt] {
    let at = all.partition_point(|at| at.file < file);
    let start = at.saturating_sub(max / 2).min(all.len().saturating_sub(max));
    &all[start..all.len().min(start + max)]
}

/// Returns true if the file `path` is in the directory of the file `above`, or below it.
pub(super) fn is_above(above: &str, path: &str) -> bool {
    let directory = above.rfind('/').map_or("", |end| &above[..=end]);
    path.starts_with(directory)
}
