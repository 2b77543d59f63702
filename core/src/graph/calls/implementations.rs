//! The types that extend or implement a type, and the members that override or implement a member:
//! transitively, each with what it goes through.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::graph::link::{Implementer, Linker, Site, SymbolAt};
use crate::lang::facts::Role;
use crate::lang::symbols::SymbolKind;

/// The most types that are listed for one definition.
const TYPES_MAX: usize = 10_000;

/// The most uses of a type's name that are examined for classes without a name.
const SITES_MAX: usize = 4_096;

/// A type that extends or implements another one, or a member that overrides or implements one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Implementation {
    /// The position, in the queried list, of the definition that it implements.
    pub of: usize,
    /// The definition; `None` for a class without a name.
    pub at: Option<SymbolAt>,
    /// The use of the base by a class without a name.
    pub site: Option<Site>,
    /// The type that it names or satisfies.
    pub via: SymbolAt,
    /// The number of steps to the queried definition: 1 for what names it itself.
    pub level: usize,
    /// It has all methods of the interface without naming it.
    pub is_structural: bool,
}

/// The implementations of some definitions.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Implementations {
    /// Each once for each queried definition, by level, then in the order of files.
    pub found: Vec<Implementation>,
    /// For each queried definition: it is a type or a member of one.
    pub is_possible: Vec<bool>,
    /// How many types name a base of such a name that is not resolved.
    pub unresolved: usize,
    /// What the code does not state, so that more may implement it.
    pub unstated: Vec<Unstated>,
    /// A bound was reached, so some may be missing.
    pub is_cut: bool,
}

/// Why implementations may be unknown.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Unstated {
    /// The bases of types of the language are no facts.
    Bases,
    /// The interface has no methods: which types satisfy it is not compared.
    NoMethods,
    /// Objects satisfy an interface by their members alone.
    Objects,
    /// Any value with the members may be used in its place.
    Duck,
}

impl Unstated {
    /// Returns the reason as a clause.
    pub fn words(self) -> &'static str {
        match self {
            Unstated::Bases => "the index has no bases of types in this language",
            Unstated::NoMethods => {
                "types satisfy an interface without methods unnamed; such types are not compared"
            }
            Unstated::Objects => "objects that satisfy it by their members alone are not listed",
            Unstated::Duck => "values that fit by their members alone are not listed",
        }
    }
}

/// Returns the types that extend or implement the types of `of`, and the members that override or implement
/// the members, transitively. Cycles end, and what is reached twice is listed once, at its lowest
/// level. Bounded by 10,000 types for each definition.
pub fn implementations(linker: &Linker<'_>, of: &[SymbolAt]) -> Implementations {
    let mut all = Implementations::default();
    let (mut unstated, mut known) = (BTreeSet::new(), Vec::new());
    for (place, &at) in of.iter().enumerate() {
        let Some(base) = base_of(linker, at) else {
            all.is_possible.push(false);
            continue;
        };
        all.is_possible.push(true);
        let tree = match known.iter().position(|(of, _)| *of == base) {
            Some(found) => found,
            None => {
                known.push((base, Tree::new(linker, base)));
                known.len() - 1
            }
        };
        let tree = &known[tree].1;
        all.is_cut |= tree.is_cut;
        all.unresolved += tree.unresolved;
        unstated.extend(tree.unstated.iter().copied());
        if base == at {
            let found = tree.found.iter().cloned();
            all.found.extend(found.map(|it| Implementation { of: place, ..it }));
            continue;
        }
        let mut seen = FxHashSet::default();
        for it in &tree.found {
            let Some(of_type) = it.at else {
                all.found.push(Implementation { of: place, ..it.clone() });
                continue;
            };
            for member in linker.implementing_members(of_type, at) {
                if seen.insert(member) {
                    all.found.push(Implementation { of: place, at: Some(member), ..it.clone() });
                }
            }
        }
    }
    all.unstated = unstated.into_iter().collect();
    all
}

/// Returns the type whose implementations are searched: the definition itself, or that of a member.
fn base_of(linker: &Linker<'_>, at: SymbolAt) -> Option<SymbolAt> {
    let facts = linker.file(at.file)?;
    let kind = facts.symbols.get(at.place as usize)?.kind;
    match kind {
        SymbolKind::Class
        | SymbolKind::Struct
        | SymbolKind::Union
        | SymbolKind::Enum
        | SymbolKind::Interface
        | SymbolKind::Trait
        | SymbolKind::Type
        | SymbolKind::Module => Some(at),
        SymbolKind::Method
        | SymbolKind::Function
        | SymbolKind::Prototype
        | SymbolKind::Field
        | SymbolKind::Property
        | SymbolKind::Constant => linker.member_type(at),
        _ => None,
    }
}

/// The types below one, nearest first.
struct Tree {
    found: Vec<Implementation>,
    unresolved: usize,
    unstated: BTreeSet<Unstated>,
    is_cut: bool,
}

impl Tree {
    fn new(linker: &Linker<'_>, root: SymbolAt) -> Tree {
        let mut tree =
            Tree { found: Vec::new(), unresolved: 0, unstated: BTreeSet::new(), is_cut: false };
        // Of a type with several blocks and parts, each is listed, but followed once.
        let mut followed = FxHashSet::from_iter([root]);
        let mut listed = FxHashSet::from_iter([root]);
        let mut open = vec![(root, 0)];
        let mut unnamed = Vec::new();
        let mut next = 0;
        loop {
            let Some(&(base, level)) = open.get(next) else {
                // What names a base is listed as such, even if it satisfies one farther away.
                let (of, via, level) = match unnamed.pop() {
                    Some(found) => found,
                    None => break,
                };
                if followed.insert(of) && listed.insert(of) {
                    tree.push(of, via, level, true);
                    open.push((of, level));
                }
                continue;
            };
            next += 1;
            let level = level + 1;
            let found = linker.implementers(base);
            tree.unresolved += found.unresolved;
            tree.is_cut |= found.is_cut;
            if found.is_unstated {
                tree.unstated.insert(Unstated::NoMethods);
            }
            let (satisfying, naming): (Vec<Implementer>, Vec<Implementer>) =
                found.found.into_iter().partition(|it| it.is_structural);
            unnamed.splice(0..0, satisfying.iter().rev().map(|it| (it.at, base, level)));
            for it in naming {
                if tree.found.len() >= TYPES_MAX {
                    tree.is_cut = true;
                    break;
                }
                // A block for a type that already implements it through another trait says nothing new.
                let is_block = it.at != it.of_type;
                let is_new = !is_block || !followed.contains(&it.of_type) || level == 1;
                if is_new && listed.insert(it.at) {
                    tree.push(it.at, base, level, false);
                }
                if followed.insert(it.of_type) {
                    open.push((it.of_type, level));
                }
            }
            tree.add_anonymous(linker, base, level);
        }
        tree.found.sort_by_key(|it| it.level);
        tree.note_unstated(linker, root);
        tree
    }

    fn push(&mut self, at: SymbolAt, via: SymbolAt, level: usize, is_structural: bool) {
        let at = Some(at);
        self.found.push(Implementation { of: 0, at, site: None, via, level, is_structural });
    }

    /// Adds the classes without a name that implement a type: `new Base() { … }`, `object : Base`.
    fn add_anonymous(&mut self, linker: &Linker<'_>, base: SymbolAt, level: usize) {
        let Some(facts) = linker.file(base.file) else { return };
        let Some(symbol) = facts.symbols.get(base.place as usize) else { return };
        let role = match facts.language.name {
            // An interface has no constructor: what calls it has a body.
            "java" if symbol.kind == SymbolKind::Interface => Role::Call,
            "kotlin" | "php" => Role::Base,
            _ => return,
        };
        let sites = linker.code().sites(&symbol.name).into_iter();
        for site in sites.filter(|site| site.reference.role == role).take(SITES_MAX) {
            let Some(there) = linker.file(site.file) else { continue };
            let around = site.reference.enclosing.and_then(|at| there.symbols.get(at));
            let is_named = around.is_some_and(|around| {
                role == Role::Base
                    && around.bases.iter().any(|base| base.last_name() == symbol.name)
            });
            if is_named {
                continue;
            }
            let outcome = linker.outcome_at(site.file, &symbol.name, &site.reference);
            let is_its = outcome.links.first().is_some_and(|link| {
                let of_type = linker.member_type(link.to);
                link.to == base || of_type == Some(base)
            });
            if is_its {
                self.found.push(Implementation {
                    of: 0,
                    at: None,
                    site: Some(site),
                    via: base,
                    level,
                    is_structural: false,
                });
            }
        }
    }

    fn note_unstated(&mut self, linker: &Linker<'_>, root: SymbolAt) {
        let Some(facts) = linker.file(root.file) else { return };
        let Some(symbol) = facts.symbols.get(root.place as usize) else { return };
        // A component of Vue or Svelte has the language of its script.
        let language = facts.language.name;
        let has = |name: &str| language == name || language.ends_with(&format!("-{name}"));
        let (is_script, is_typed) =
            (has("javascript") || has("flow"), has("typescript") || has("tsx"));
        let is_duck = is_script || is_typed || matches!(language, "python" | "ruby");
        let has_bases = is_duck
            || matches!(
                language,
                "cpp"
                    | "csharp"
                    | "dart"
                    | "go"
                    | "java"
                    | "kotlin"
                    | "php"
                    | "rust"
                    | "scala"
                    | "swift"
            );
        let reason = match symbol.kind {
            _ if !has_bases => Unstated::Bases,
            SymbolKind::Interface if is_typed => Unstated::Objects,
            _ if is_duck && self.found.is_empty() => Unstated::Duck,
            _ => return,
        };
        self.unstated.insert(reason);
    }
}
