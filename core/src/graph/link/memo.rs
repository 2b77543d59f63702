//! A cache of look-ups: many uses of one name need the same.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{Code, FileFacts};
use super::conditions::Macro;
use super::dialect::{Group, OverloadRules};
use super::hops::{Export, ListedNames, View};
use super::position::SymbolAt;
use super::signature::Signature;
use super::undef_directives::Undefined;
use super::value::{Candidate, WrittenType};
use crate::base::ids::FileId;
use crate::graph::imports::ProjectUsing;
use crate::lang::chain::Chain;
use crate::lang::facts::Role;

/// The most files whose facts are cached.
const FILES_MAX: usize = 4096;

/// The most names whose guesses are cached.
const GUESSES_MAX: usize = 256;

/// The most results of look-ups in modules that are cached.
const EXPORTS_MAX: usize = 1 << 16;

/// The most files that one file includes.
pub(super) const INCLUDED_MAX: usize = 512;

/// The most files whose includes are cached.
const INCLUDES_MAX: usize = 1024;

/// The most pairs of a trait and a type that are cached.
const IMPLEMENTED_MAX: usize = 4096;

/// The most macros of Rust whose arguments are cached, and the most types whose blocks are.
const MACROS_MAX: usize = 1024;
const MADE_MAX: usize = 1 << 14;

/// The most files whose calls are cached by variable.
const VARIABLES_MAX: usize = 256;

/// The files that one file includes, directly or indirectly, and itself.
pub(super) type Included = Rc<FxHashSet<FileId>>;

/// The facts of a file. A clone does not touch the counter that threads share.
pub(super) type Shared = Rc<Arc<FileFacts>>;

/// What determines a guess: name, role, arguments, and the group of languages.
pub(super) type GuessKey = (String, Role, Option<u8>, Group);

/// Definitions that a use may refer to by its name alone.
#[derive(Debug, Default)]
pub(super) struct Guesses {
    pub(super) found: Vec<SymbolAt>,
    /// No other definition of these languages has the name, of whatever kind.
    pub(super) is_alone: bool,
    /// More definitions have the name than were considered.
    pub(super) is_cut: bool,
}

/// The look-ups of one linker.
#[derive(Default)]
pub(super) struct Memo {
    files: RefCell<FxHashMap<FileId, Option<Shared>>>,
    guesses: RefCell<FxHashMap<GuessKey, Rc<Guesses>>>,
    exports: RefCell<Exports>,
    wildcard_lists: RefCell<FxHashMap<FileId, ListedNames>>,
    project_imports: RefCell<FxHashMap<FileId, ProjectImports>>,
    project_usings: RefCell<FxHashMap<FileId, Rc<Vec<ProjectUsing>>>>,
    includes: RefCell<FxHashMap<FileId, Included>>,
    opened: RefCell<FxHashMap<FileId, Rc<FxHashSet<String>>>>,
    includers: RefCell<FxHashMap<FileId, Option<Included>>>,
    macros: RefCell<FxHashMap<Box<str>, Rc<Macro>>>,
    compiled: RefCell<FxHashMap<(FileId, usize), Option<bool>>>,
    read: RefCell<FxHashMap<SymbolAt, Option<bool>>>,
    read_files: RefCell<FxHashMap<FileId, bool>>,
    undefined: RefCell<FxHashMap<FileId, Rc<Undefined>>>,
    instantiated: RefCell<FxHashMap<(SymbolAt, usize), Rc<Vec<WrittenType>>>>,
    implemented: RefCell<FxHashMap<(Box<str>, Box<str>), bool>>,
    variables: RefCell<FxHashMap<FileId, Variables>>,
    macro_arguments: RefCell<FxHashMap<Box<str>, Words>>,
    made_blocks: RefCell<FxHashMap<SymbolAt, Rc<Vec<SymbolAt>>>>,
    overloads: RefCell<FxHashMap<(SymbolAt, OverloadRules), Option<Rc<Signature>>>>,
    visible: RefCell<FxHashMap<(FileId, String), Rc<Stepped>>>,
    bases: RefCell<FxHashMap<(SymbolAt, usize), Rc<Stepped>>>,
    first_imported: RefCell<FxHashMap<FileId, Rc<[FileId]>>>,
}

/// Candidates with what finding them took, which each query takes that uses them: its bounds must not
/// depend on the queries before it.
#[derive(Debug)]
pub(super) struct Stepped {
    pub(super) found: Vec<Candidate>,
    pub(super) steps: u32,
    pub(super) deepest: usize,
}

/// The names in the arguments of the calls of a macro.
pub(super) type Words = Rc<FxHashSet<Box<str>>>;

/// The calls on each variable of a file.
pub(super) type Variables = Rc<FxHashMap<Receiver, Vec<CalledOn>>>;

/// On what calls are made.
#[derive(Debug, Eq, Hash, PartialEq)]
pub(super) enum Receiver {
    /// On the value of a chain.
    Chain(Chain),
    /// On a local variable of the name, whatever is passed to it.
    Named(Box<str>),
}

/// A call on a variable.
#[derive(Debug)]
pub(super) struct CalledOn {
    /// The enclosing symbol.
    pub(super) enclosing: Option<usize>,
    /// The innermost type or module around the call.
    pub(super) scope: Option<usize>,
    /// The called member.
    pub(super) name: Box<str>,
}

/// The modules of which a file imports all names for all files of its project.
pub(super) type ProjectImports = Rc<Vec<String>>;

/// Results of look-ups in modules, by file, view, whether the query is nested, and name.
#[derive(Default)]
struct Exports {
    by_module: FxHashMap<(FileId, View, bool), FxHashMap<Box<str>, Rc<Export>>>,
    len: usize,
}

impl Memo {
    /// Returns the facts of a file.
    pub(super) fn file(&self, code: &dyn Code, file: FileId) -> Option<Shared> {
        if let Some(cached) = self.files.borrow().get(&file) {
            return cached.clone();
        }
        let found = code.file(file).map(Rc::new);
        let mut files = self.files.borrow_mut();
        if files.len() >= FILES_MAX {
            files.clear();
        }
        files.insert(file, found.clone());
        found
    }

    /// Returns whether a compiler reads a definition, cached: all uses of a name ask for all of its
    /// definitions.
    pub(super) fn read(&self, at: SymbolAt, find: impl FnOnce() -> Option<bool>) -> Option<bool> {
        cached(&self.read, ENTRIES_MAX, at, find)
    }

    /// Returns whether a compiler reads a file of Rust by default, cached.
    pub(super) fn is_file_read(&self, file: FileId, find: impl FnOnce() -> bool) -> bool {
        cached(&self.read_files, ENTRIES_MAX, file, find)
    }

    /// Returns the `#undef` directives of a file, cached: all uses of its macros ask for them.
    pub(super) fn undefined(
        &self,
        file: FileId,
        find: impl FnOnce() -> Undefined,
    ) -> Rc<Undefined> {
        cached(&self.undefined, VARIABLES_MAX, file, || Rc::new(find()))
    }

    /// Returns the arguments that are written for a type parameter of a template, cached.
    pub(super) fn instantiated(
        &self,
        parameter: (SymbolAt, usize),
        find: impl FnOnce() -> Vec<WrittenType>,
    ) -> Rc<Vec<WrittenType>> {
        cached(&self.instantiated, ENTRIES_MAX, parameter, || Rc::new(find()))
    }

    /// Returns the signature of an overload as the rules of a language read it, cached: every call of a
    /// name compares all of its overloads.
    pub(super) fn overload(
        &self,
        at: SymbolAt,
        rules: OverloadRules,
        parse: impl FnOnce() -> Option<Signature>,
    ) -> Option<Rc<Signature>> {
        cached(&self.overloads, ENTRIES_MAX, (at, rules), || parse().map(Rc::new))
    }

    /// Returns the cached names of C# that a file sees in a namespace, by a key of both.
    pub(super) fn visible(&self, key: &(FileId, String)) -> Option<Rc<Stepped>> {
        self.visible.borrow().get(key).cloned()
    }

    /// Caches the names of C# that a file sees in a namespace.
    pub(super) fn keep_visible(&self, key: (FileId, String), found: Stepped) {
        keep(&self.visible, key, found);
    }

    /// Returns the cached bases of a type of C#, followed from a depth.
    pub(super) fn bases(&self, of: SymbolAt, depth: usize) -> Option<Rc<Stepped>> {
        self.bases.borrow().get(&(of, depth)).cloned()
    }

    /// Caches the bases of a type of C#.
    pub(super) fn keep_bases(&self, of: SymbolAt, depth: usize, found: Stepped) {
        keep(&self.bases, (of, depth), found);
    }

    /// Returns the imports that project files state for a file, cached.
    pub(super) fn project_usings(
        &self,
        file: FileId,
        make: impl FnOnce() -> Vec<ProjectUsing>,
    ) -> Rc<Vec<ProjectUsing>> {
        cached(&self.project_usings, FILES_MAX, file, || Rc::new(make()))
    }

    /// Returns the names in the arguments of the calls of a macro, cached.
    pub(super) fn macro_arguments(
        &self,
        name: &str,
        make: impl FnOnce() -> FxHashSet<Box<str>>,
    ) -> Words {
        cached(&self.macro_arguments, MACROS_MAX, name.into(), || Rc::new(make()))
    }

    /// Returns the blocks that macros make for a type, cached.
    pub(super) fn made_blocks(
        &self,
        of: SymbolAt,
        make: impl FnOnce() -> Vec<SymbolAt>,
    ) -> Rc<Vec<SymbolAt>> {
        cached(&self.made_blocks, MADE_MAX, of, || Rc::new(make()))
    }

    /// Returns the cached result of a look-up in a module.
    pub(super) fn export(
        &self,
        file: FileId,
        view: View,
        is_nested: bool,
        name: &str,
    ) -> Option<Rc<Export>> {
        self.exports.borrow().by_module.get(&(file, view, is_nested))?.get(name).cloned()
    }

    /// Caches the result of a look-up in a module.
    pub(super) fn keep_export(
        &self,
        file: FileId,
        view: View,
        is_nested: bool,
        name: &str,
        export: Export,
    ) {
        let mut exports = self.exports.borrow_mut();
        if exports.len >= EXPORTS_MAX {
            *exports = Exports::default();
        }
        exports.len += 1;
        let of_module = exports.by_module.entry((file, view, is_nested)).or_default();
        of_module.insert(name.into(), Rc::new(export));
    }

    /// Returns the cached names that a module lists for imports of all its names, or those that
    /// `read` returns.
    pub(super) fn wildcard_list(
        &self,
        file: FileId,
        read: impl FnOnce() -> Option<FxHashSet<Box<str>>>,
    ) -> ListedNames {
        if let Some(cached) = self.wildcard_lists.borrow().get(&file) {
            return Rc::clone(cached);
        }
        let names = Rc::new(read());
        let mut lists = self.wildcard_lists.borrow_mut();
        if lists.len() >= FILES_MAX {
            lists.clear();
        }
        lists.insert(file, Rc::clone(&names));
        names
    }

    /// Returns the files that the first imports of a file lead to, cached.
    pub(super) fn first_imported(
        &self,
        file: FileId,
        find: impl FnOnce() -> Rc<[FileId]>,
    ) -> Rc<[FileId]> {
        cached(&self.first_imported, FILES_MAX, file, find)
    }

    /// Returns the cached imports of a file for all files of its project, or those that `read`
    /// returns.
    pub(super) fn project_imports(
        &self,
        file: FileId,
        read: impl FnOnce() -> Vec<String>,
    ) -> ProjectImports {
        if let Some(cached) = self.project_imports.borrow().get(&file) {
            return Rc::clone(cached);
        }
        let imports = Rc::new(read());
        let mut lists = self.project_imports.borrow_mut();
        if lists.len() >= FILES_MAX {
            lists.clear();
        }
        lists.insert(file, Rc::clone(&imports));
        imports
    }

    /// Returns the cached namespaces that macros which a file sees open, or those that `find` returns.
    pub(super) fn opened(
        &self,
        file: FileId,
        find: impl FnOnce() -> FxHashSet<String>,
    ) -> Rc<FxHashSet<String>> {
        if let Some(cached) = self.opened.borrow().get(&file) {
            return Rc::clone(cached);
        }
        let found = Rc::new(find());
        let mut opened = self.opened.borrow_mut();
        if opened.len() >= INCLUDES_MAX {
            opened.clear();
        }
        opened.insert(file, Rc::clone(&found));
        found
    }

    /// Returns the cached files that a file includes, or those that `find` returns.
    pub(super) fn included(
        &self,
        file: FileId,
        find: impl FnOnce() -> FxHashSet<FileId>,
    ) -> Included {
        if let Some(cached) = self.includes.borrow().get(&file) {
            return Rc::clone(cached);
        }
        let found = Rc::new(find());
        let mut includes = self.includes.borrow_mut();
        if includes.len() >= INCLUDES_MAX {
            includes.clear();
        }
        includes.insert(file, Rc::clone(&found));
        found
    }

    /// Returns the cached files that include a file, or those that `find` returns.
    pub(super) fn includers(
        &self,
        file: FileId,
        find: impl FnOnce() -> Option<FxHashSet<FileId>>,
    ) -> Option<Included> {
        cached(&self.includers, ENTRIES_MAX, file, || find().map(Rc::new))
    }

    /// Returns what is cached of a macro, or what `find` returns.
    pub(super) fn known_macro(&self, name: &str, find: impl FnOnce() -> Rc<Macro>) -> Rc<Macro> {
        if let Some(known) = self.macros.borrow().get(name) {
            return Rc::clone(known);
        }
        cached(&self.macros, ENTRIES_MAX, name.into(), find)
    }

    /// Returns the cached answer whether a compiler reads a byte of a file, or that of `find`.
    pub(super) fn compiled(
        &self,
        at: (FileId, usize),
        find: impl FnOnce() -> Option<bool>,
    ) -> Option<bool> {
        cached(&self.compiled, ENTRIES_MAX, at, find)
    }

    /// Returns the cached answer whether a trait is implemented for a type, or that of `find`.
    pub(super) fn implemented(
        &self,
        of_trait: &str,
        type_name: &str,
        find: impl FnOnce() -> bool,
    ) -> bool {
        let key: (Box<str>, Box<str>) = (of_trait.into(), type_name.into());
        if let Some(&cached) = self.implemented.borrow().get(&key) {
            return cached;
        }
        let found = find();
        let mut implemented = self.implemented.borrow_mut();
        if implemented.len() >= IMPLEMENTED_MAX {
            implemented.clear();
        }
        implemented.insert(key, found);
        found
    }

    /// Returns the cached calls on the variables of a file, or those that `read` returns.
    pub(super) fn variables(
        &self,
        file: FileId,
        read: impl FnOnce() -> FxHashMap<Receiver, Vec<CalledOn>>,
    ) -> Variables {
        if let Some(cached) = self.variables.borrow().get(&file) {
            return Rc::clone(cached);
        }
        let found = Rc::new(read());
        let mut variables = self.variables.borrow_mut();
        if variables.len() >= VARIABLES_MAX {
            variables.clear();
        }
        variables.insert(file, Rc::clone(&found));
        found
    }

    /// Returns the cached guesses for a key, or those that `make` returns.
    pub(super) fn guesses(&self, key: GuessKey, make: impl FnOnce() -> Guesses) -> Rc<Guesses> {
        if let Some(cached) = self.guesses.borrow().get(&key) {
            return Rc::clone(cached);
        }
        let made = Rc::new(make());
        let mut guesses = self.guesses.borrow_mut();
        if guesses.len() >= GUESSES_MAX {
            guesses.clear();
        }
        guesses.insert(key, Rc::clone(&made));
        made
    }
}

/// The most queries of C# whose candidates are cached.
const STEPPED_MAX: usize = 1 << 16;

fn keep<K: Eq + std::hash::Hash>(
    cache: &RefCell<FxHashMap<K, Rc<Stepped>>>,
    key: K,
    found: Stepped,
) {
    let mut cache = cache.borrow_mut();
    if cache.len() >= STEPPED_MAX {
        cache.clear();
    }
    cache.insert(key, Rc::new(found));
}

/// The most entries of one of the caches of C.
const ENTRIES_MAX: usize = 1 << 14;

/// Returns the cached value of a key, or that of `find`.
fn cached<K: Eq + std::hash::Hash, V: Clone>(
    cache: &RefCell<FxHashMap<K, V>>,
    entries_max: usize,
    key: K,
    find: impl FnOnce() -> V,
) -> V {
    if let Some(known) = cache.borrow().get(&key) {
        return known.clone();
    }
    let found = find();
    let mut cache = cache.borrow_mut();
    if cache.len() >= entries_max {
        cache.clear();
    }
    cache.insert(key, found.clone());
    found
}
