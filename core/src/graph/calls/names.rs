//! Other names of a definition: those under which files import or re-export it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::base::ids::FileId;
use crate::graph::link::{Code, Site, Use};
use crate::lang::chain::Chain;
use crate::lang::facts::{ImportKind, Role};
use crate::lang::symbols::{Symbol, SymbolKind};

/// The most other names under which files re-export one definition.
const NAMES_MAX: usize = 64;

/// The name of a default export in JavaScript.
const DEFAULT: &str = "default";

/// Returns true if a use in a file refers to one of the queried symbols.
type RefersTo<'a> = dyn Fn(FileId, Use<'_>) -> bool + 'a;

/// The other names of a definition that were found so far.
pub(super) struct OtherNames<'a> {
    code: &'a dyn Code,
    refers_to: &'a RefersTo<'a>,
    /// Names that are bound in single files only, with these files.
    inside: BTreeMap<String, BTreeSet<FileId>>,
    /// Names under which other files can import it, not searched yet.
    outside: BTreeSet<String>,
    /// Names that were searched.
    searched: BTreeSet<String>,
    /// Files whose imports of the current name were followed.
    followed: FxHashSet<FileId>,
    /// Files whose default export it is.
    defaults: FxHashSet<FileId>,
    is_cut: bool,
}

impl<'a> OtherNames<'a> {
    pub(super) fn new(code: &'a dyn Code, refers_to: &'a RefersTo<'a>) -> OtherNames<'a> {
        OtherNames {
            code,
            refers_to,
            inside: BTreeMap::new(),
            outside: BTreeSet::new(),
            searched: BTreeSet::new(),
            followed: FxHashSet::default(),
            defaults: FxHashSet::default(),
            is_cut: false,
        }
    }

    /// Returns the first name to search.
    pub(super) fn start(&mut self, name: &str) -> Option<String> {
        self.searched.insert(name.to_owned());
        Some(name.to_owned())
    }

    /// Returns another name to search in all files, up to [`NAMES_MAX`].
    pub(super) fn next(&mut self) -> Option<String> {
        self.followed.clear();
        while let Some(name) = self.outside.pop_first() {
            if self.searched.contains(&name) {
                continue;
            }
            if self.searched.len() > NAMES_MAX {
                self.is_cut = true;
                return None;
            }
            self.searched.insert(name.clone());
            return Some(name);
        }
        None
    }

    /// Returns the names to search in certain files only.
    pub(super) fn inside(&self) -> impl Iterator<Item = (&str, &BTreeSet<FileId>)> {
        let inside = self.inside.iter().map(|(name, files)| (name.as_str(), files));
        inside.filter(|(name, _)| !self.searched.contains(*name))
    }

    /// Returns true if some names were not searched.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Records the name that the file of an import of `name` binds.
    pub(super) fn imported(&mut self, site: &Site, name: &str) {
        if !self.followed.insert(site.file) {
            return;
        }
        let Some(facts) = self.code.file(site.file) else { return };
        for (at, import) in facts.imports.iter().enumerate() {
            let renamed = import.names.iter().filter(|bound| bound.name == name);
            for bound in renamed.filter(|bound| bound.alias != name && !bound.alias.is_empty()) {
                // Modules inside of the file, and functions, import names for themselves.
                if self.refers_to(site.file, facts.import_scope(at), &bound.alias) {
                    self.bound(site.file, import.kind, &bound.alias);
                }
            }
        }
    }

    /// Records the name of the variable or field that a definition is assigned to where it is read, if a
    /// call by that name refers to the definition: `f` in `const f = a.g`.
    pub(super) fn held(&mut self, site: &Site) {
        let Some(facts) = self.code.file(site.file) else { return };
        let held_by = site.reference.enclosing.and_then(|at| facts.symbols.get(at));
        let is_variable = |symbol: &&Symbol| {
            matches!(
                symbol.kind,
                SymbolKind::Constant
                    | SymbolKind::Field
                    | SymbolKind::Property
                    | SymbolKind::Variable
            )
        };
        let Some(symbol) = held_by.filter(is_variable) else { return };
        let is_known = self.inside.get(&symbol.name).is_some_and(|it| it.contains(&site.file));
        if is_known || self.inside.len() >= NAMES_MAX || self.searched.contains(&symbol.name) {
            return;
        }
        let is_member = symbol.parent.is_some_and(|at| !facts.symbols[at].kind.is_callable());
        let own = is_member.then(Chain::own);
        let used = Use {
            name: &symbol.name,
            role: Role::Call,
            receiver: own.as_ref(),
            enclosing: symbol.parent,
            arguments: None,
            start: None,
        };
        if (self.refers_to)(site.file, used) {
            self.inside.entry(symbol.name.clone()).or_default().insert(site.file);
        }
    }

    /// Records the other names under which a file exports its own `name`.
    pub(super) fn exported(&mut self, file: FileId, name: &str) {
        if name == DEFAULT {
            self.default_imports(file);
        }
        let Some(facts) = self.code.file(file) else { return };
        let own = facts.imports.iter().filter(|import| import.kind == ImportKind::ReExport);
        let own = own.filter(|import| import.module.is_empty()).flat_map(|own| &own.names);
        for bound in own.filter(|bound| bound.name == name && !bound.alias.is_empty()) {
            self.bound(file, ImportKind::ReExport, &bound.alias);
        }
    }

    /// Records that an import in a file binds the name `alias`.
    fn bound(&mut self, file: FileId, kind: ImportKind, alias: &str) {
        let Some(facts) = self.code.file(file) else { return };
        if kind == ImportKind::ReExport && alias == DEFAULT {
            self.default_imports(file);
        } else if kind == ImportKind::ReExport || facts.reexports_imports() {
            self.outside.insert(alias.to_owned());
        } else if self.inside.entry(alias.to_owned()).or_default().insert(file) {
            self.exported(file, alias);
        }
    }

    /// Records the names under which files import the default export of a file.
    pub(super) fn default_imports(&mut self, file: FileId) {
        let mut files = vec![file];
        while let Some(file) = files.pop() {
            if self.defaults.insert(file) {
                self.default_imports_of(file, &mut files);
            }
        }
    }

    /// Records the names under which files import the default export of `file`, and adds to `again` the
    /// files whose own default export it is as well.
    fn default_imports_of(&mut self, file: FileId, again: &mut Vec<FileId>) {
        for importer in self.code.importers(file) {
            let Some(facts) = self.code.file(importer) else { continue };
            // `require` binds a module, which is the value that it exports.
            let has_value = facts.has_module_values();
            let is_default = |name: &str| name == DEFAULT || name.is_empty() && has_value;
            for (at, import) in facts.imports.iter().enumerate() {
                let is_all = import.names.iter().any(|bound| bound.name == "*");
                if has_value && import.kind == ImportKind::ReExport && is_all {
                    again.push(importer);
                }
                let names = import.names.iter().filter(|bound| is_default(&bound.name));
                for bound in names.filter(|bound| !bound.alias.is_empty()) {
                    if self.refers_to(importer, facts.import_scope(at), &bound.alias) {
                        self.bound(importer, import.kind, &bound.alias);
                    }
                }
            }
        }
    }

    fn refers_to(&self, file: FileId, enclosing: Option<usize>, name: &str) -> bool {
        // A call refers to constructors as well.
        let role = Role::Call;
        (self.refers_to)(
            file,
            Use { name, role, receiver: None, enclosing, arguments: None, start: None },
        )
    }
}
