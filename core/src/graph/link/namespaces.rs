//! Names in C++: namespaces, which any file can open again, and definitions that are written
//! outside of their type or namespace.
//!
//! A namespace is identified by its qualified name. A name is looked up in the enclosing scopes,
//! innermost first; the scopes that are written before the name of a definition (`void A::f() {…}`)
//! count among them. Names of headers that a file does not include are used only if no included
//! file has the name.

use super::code::{FileFacts, definitions, near};
use super::kinds::{is_type, is_variable};
use super::position::SymbolAt;
use super::result::{Reason, Use};
use super::scope::{is_header, shared_directories};
use super::value::{Candidate, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::base::ids::FileId;
use crate::graph::link::hops::View;
use crate::graph::weights;
use crate::lang::chain::Chain;
use crate::lang::facts::ImportKind;
use crate::lang::symbols::{Symbol, SymbolKind, Visibility};

/// The most definitions of one name that are considered, those in near files first.
const NAMED_MAX: usize = 512;

/// The most files of a namespace that are searched for using-declarations.
const OPENED_MAX: usize = 64;

/// Keywords before `::` of a name in the global namespace.
const BEFORE_GLOBAL: [&[u8]; 15] = [
    b"and",
    b"case",
    b"co_await",
    b"co_return",
    b"co_yield",
    b"delete",
    b"do",
    b"else",
    b"new",
    b"not",
    b"or",
    b"return",
    b"sizeof",
    b"throw",
    b"xor",
];

impl Walk<'_> {
    /// Returns the candidates for `name` at `place`: a macro before all others, then those of the
    /// innermost scope that has any.
    pub(super) fn scoped_name(
        &self,
        facts: &FileFacts,
        place: Place,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let mut found = self.in_scopes(facts, place, name, depth);
        let is_function = |it: &Candidate| self.kind(it).is_some_and(SymbolKind::is_callable);
        if !found.is_empty() && found.iter().all(is_function) {
            let mut macros = self.macros_in_effect(facts, place.file, name);
            if !macros.is_empty() {
                found.iter_mut().for_each(|it| it.confidence *= weights::DECLARED);
                macros.append(&mut found);
                return macros;
            }
        }
        if found.is_empty() {
            found = self.macros(facts, place.file, name);
        }
        if found.is_empty() {
            found = self.of_program(facts, place, name);
            found.iter_mut().for_each(|candidate| candidate.confidence *= weights::OUT_OF_SCOPE);
        }
        found
    }

    fn in_scopes(
        &self,
        facts: &FileFacts,
        place: Place,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let is_type_or_function = |&at: &usize| {
            facts.symbols[at].kind != SymbolKind::Module && !is_variable(facts.symbols[at].kind)
        };
        let outermost = facts.ancestors(place.enclosing).filter(is_type_or_function).last();
        let end = outermost.map_or(usize::MAX, |at| facts.symbols[at].span.end);
        let mut later = Vec::new();
        let scopes = facts.ancestors(place.enclosing).map(Some).chain([None]);
        for around in scopes {
            let found = match around {
                Some(around) => {
                    let around = SymbolAt { file: place.file, place: around as u32 };
                    self.in_symbol(facts, around, name, depth)
                }
                None => {
                    let outer = Place { enclosing: None, ..place };
                    self.in_file_scope(facts, outer, "", name, depth)
                }
            };
            // A function is declared before its use, unless the use is inside of a type.
            let is_later = |it: &Candidate| {
                let Value::Name(at) = it.value else { return false };
                let of = facts.symbols.get(at.place as usize);
                at.file == place.file
                    && of.is_some_and(|of| of.kind == SymbolKind::Function && of.span.start >= end)
            };
            if found.iter().any(|it| !is_later(it)) {
                return found;
            }
            if later.is_empty() {
                later = found;
            }
        }
        later
    }

    /// Returns the macros of that name that the file or a file that it includes defines, as far as
    /// these are not for other configurations.
    pub(super) fn macros_in_effect(
        &self,
        facts: &FileFacts,
        file: FileId,
        name: &str,
    ) -> Vec<Candidate> {
        let named = self.code.named(name);
        let is_macro = |at: &&SymbolAt| {
            self.symbol(**at).is_some_and(|(there, place)| {
                there.symbols[place].kind == SymbolKind::Macro
                    && there.dialect.group == facts.dialect.group
            })
        };
        let is_on = |at: &&SymbolAt| {
            let known = self.is_compiled(**at);
            known.or_else(|| self.is_compiled_by_default(**at)) == Some(true)
        };
        let mut macros = near(&named, file, NAMED_MAX).iter().filter(is_macro).peekable();
        if macros.peek().is_none() {
            return Vec::new();
        }
        let included = self.included(file);
        let seen = macros.filter(|at| included.contains(&at.file)).filter(is_on);
        let candidate =
            |&at: &SymbolAt| Candidate::new(Value::Name(at), weights::STEP, Reason::Program);
        seen.map(candidate).take(VALUES_MAX).collect()
    }

    /// Returns the macros of that name which a file sees.
    fn macros(&self, facts: &FileFacts, file: FileId, name: &str) -> Vec<Candidate> {
        let is_seen = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, place)| {
                there.symbols[place].kind == SymbolKind::Macro
                    && there.dialect.group == facts.dialect.group
                    && (at.file == file || is_header(&there.path))
            })
        };
        let named = self.code.named(name);
        let found: Vec<SymbolAt> =
            near(&named, file, NAMED_MAX).iter().copied().filter(is_seen).collect();
        self.effective(facts, file, &found)
    }

    /// Returns the candidates for `name` in the scopes that the symbol `around` adds to those of its
    /// parent.
    fn in_symbol(
        &self,
        facts: &FileFacts,
        around: SymbolAt,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let place = around.place as usize;
        let symbol = &facts.symbols[place];
        let outer = symbol.parent.map_or("", |parent| inner_scope(&facts.symbols[parent]));
        if symbol.kind == SymbolKind::Module {
            let opened = Place { file: around.file, enclosing: Some(place) };
            for path in paths(&symbol.qualified_name, outer) {
                let found = self.in_file_scope(facts, opened, path, name, depth);
                if !found.is_empty() {
                    return found;
                }
            }
            return Vec::new();
        }
        let children = definitions(around.file, facts.children(Some(place), name))
            .filter(|at| !facts.is_named_like_type(at.place as usize))
            .filter(|at| !is_test(&facts.symbols[at.place as usize]));
        let mut found: Vec<Candidate> =
            children.map(|at| Candidate::new(Value::Name(at), 1.0, Reason::Scope)).collect();
        let origin = self.origin.get().filter(|origin| origin.file == around.file);
        if let Some(origin) = origin.filter(|_| symbol.kind.is_callable()) {
            self.retain_blocks(facts, origin, place, &mut found);
        }
        let has_members = is_type(symbol.kind) || !symbol.bases.is_empty();
        if has_members && (found.is_empty() || is_type(symbol.kind)) {
            let members = self.named_members(around, name, depth);
            if !members.is_empty() {
                found = members;
            }
        }
        found.extend(self.imported(facts, around.file, Some(place), name, depth));
        if found.is_empty() {
            found = self.of_directives(facts, around.file, Some(place), name, depth);
        }
        if found.is_empty() {
            found = self.in_written_scopes(facts, around, outer, name, depth);
        }
        found
    }

    /// Returns the candidates for `name` in the scopes that are written before the name of a
    /// definition, innermost first.
    fn in_written_scopes(
        &self,
        facts: &FileFacts,
        of: SymbolAt,
        outer: &str,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let symbol = &facts.symbols[of.place as usize];
        for path in paths(scope(symbol), outer) {
            let place = Place { file: of.file, enclosing: symbol.parent };
            let types = self.types_of_path(facts, place, path, depth);
            let found = if types.is_empty() {
                self.in_namespace(facts, of.file, path, name, depth)
            } else {
                types.iter().flat_map(|&of| self.named_members(of, name, depth)).collect()
            };
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    fn named_members(&self, of: SymbolAt, name: &str, depth: usize) -> Vec<Candidate> {
        let mut found = self.members(of, name, depth + 1);
        found.retain(|candidate| !matches!(candidate.value, Value::Outside));
        found
    }

    /// Returns the candidates for `name` in a namespace, and for what a file imports into it.
    fn in_file_scope(
        &self,
        facts: &FileFacts,
        place: Place,
        path: &str,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let Place { file, enclosing: scope } = place;
        let mut found = self.in_namespace(facts, file, path, name, depth);
        found.extend(self.imported(facts, file, scope, name, depth));
        if found.is_empty() {
            found = self.of_directives(facts, file, scope, name, depth);
        }
        if found.is_empty() && !path.is_empty() {
            found = self.of_using_declarations(facts, file, path, name, depth);
        }
        found
    }

    /// Returns the candidates for `name` in the namespaces of the using-directives directly inside
    /// of `scope`.
    fn of_directives(
        &self,
        facts: &FileFacts,
        file: FileId,
        scope: Option<usize>,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let mut found = Vec::new();
        for import in facts.wildcards() {
            let statement = &facts.imports[import];
            if statement.kind != ImportKind::Module || facts.import_scope(import) != scope {
                continue;
            }
            let modules = self.look_up(file, View::Using(import), "", depth, || {
                self.of_path(facts, Place { file, enclosing: scope }, &statement.module, depth)
            });
            for module in &modules {
                if self.kind(module) == Some(SymbolKind::Module) {
                    found.extend(self.member(module, name, depth + 1));
                }
            }
        }
        found.retain(|candidate| !matches!(candidate.value, Value::Outside));
        found.truncate(VALUES_MAX);
        found
    }

    /// Returns what `using a::b;` or `namespace b = a;` binds to a name.
    pub(super) fn using_declared(
        &self,
        facts: &FileFacts,
        file: FileId,
        import: usize,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let enclosing = facts.import_scope(import);
        self.look_up(file, View::Using(import), name, depth, || {
            let module = &facts.imports[import].module;
            let path = if name.is_empty() { module.clone() } else { format!("{module}::{name}") };
            let mut found = self.of_path(facts, Place { file, enclosing }, &path, depth);
            if found.is_empty() && !name.is_empty() {
                let scopes: Vec<&str> = module.split("::").filter(|it| !it.is_empty()).collect();
                found = self.behind_macros(file, &scopes, true, name, depth);
            }
            // A namespace that the repository opens may have the name where nothing shows it.
            let is_open = || {
                let first = module.split("::").find(|it| !it.is_empty()).unwrap_or_default();
                let place = Place { file, enclosing };
                first != "std" && !self.scopes_named(facts, place, first).is_empty()
            };
            if found.is_empty() && !is_open() {
                found.push(Candidate::new(Value::Outside, 1.0, Reason::Import));
            }
            for candidate in &mut found {
                candidate.reason = candidate.reason.max(Reason::Import);
            }
            found
        })
    }

    /// Returns what a use of C++ refers to that begins in the global namespace: `::name()`, `::a::name()`.
    pub(super) fn of_global_name(&self, place: Place, used: Use<'_>) -> Option<Vec<Candidate>> {
        let start = used.start?;
        let receiver = used.receiver.map(Chain::as_path);
        if receiver == Some(None) {
            return None;
        }
        let facts = self.facts(place.file).filter(|facts| facts.dialect.has_namespaces)?;
        let text = self.code.text(place.file)?;
        let mut before = text.get(..start)?;
        let mut path = String::new();
        for part in receiver.flatten().into_iter().flat_map(|path| path.rsplit('.')) {
            before = before.strip_suffix(b"::")?.strip_suffix(part.as_bytes())?;
            path.insert_str(0, &format!("::{part}"));
        }
        before = before.strip_suffix(b"::")?;
        // After a blank, a keyword, an operator or a macro precedes.
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'>');
        let word = before.iter().rev().take_while(|byte| is_part(byte)).count();
        let word = &before[before.len() - word..];
        if !word.is_empty() && !BEFORE_GLOBAL.contains(&word) {
            return None;
        }
        if !path.is_empty() {
            let path = format!("{path}::{}", used.name);
            let mut found = self.of_path(&facts, place, &path, 0);
            found.iter_mut().for_each(|it| it.reason = it.reason.max(Reason::Receiver));
            return (!found.is_empty()).then_some(found);
        }
        let outer = Place { enclosing: None, ..place };
        let mut found = self.in_file_scope(&facts, outer, "", used.name, 0);
        if found.is_empty() {
            found = self.macros(&facts, place.file, used.name);
        }
        if found.is_empty() {
            // No member and no name of another namespace.
            found.push(Candidate::new(Value::Outside, 1.0, Reason::Program));
        }
        Some(found)
    }

    /// Returns what a qualified name refers to.
    fn of_path(&self, facts: &FileFacts, place: Place, path: &str, depth: usize) -> Vec<Candidate> {
        let mut parts = path.split("::");
        let mut found = match parts.next() {
            // `::a::b` starts in the global namespace.
            Some("") => {
                let first = parts.next().unwrap_or_default();
                self.in_namespace(facts, place.file, "", first, depth)
            }
            Some(first) => self.name(place, first, depth + 1),
            None => Vec::new(),
        };
        for part in parts {
            found = self.each(&found, |candidate| self.member(candidate, part, depth + 1));
        }
        found
    }

    /// Returns the types and namespaces that a name before `::` refers to: functions of that name do
    /// not count there.
    pub(super) fn scopes_named(
        &self,
        facts: &FileFacts,
        place: Place,
        name: &str,
    ) -> Vec<Candidate> {
        let inside = place.enclosing.map_or("", |at| inner_scope(&facts.symbols[at]));
        let is_around = |path: &str| {
            let rest = inside.strip_prefix(path);
            path.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        let named = self.code.named(name);
        let mut found: Vec<(usize, SymbolAt)> = Vec::new();
        for &at in near(&named, place.file, NAMED_MAX) {
            let Some((there, here)) = self.symbol(at) else { continue };
            let symbol = &there.symbols[here];
            let is_scope = is_type(symbol.kind) || symbol.kind == SymbolKind::Module;
            if is_scope
                && there.dialect.group == facts.dialect.group
                && is_around(scope(symbol))
                && !is_hidden(&there, symbol, at.file == place.file)
            {
                found.push((scope(symbol).len(), at));
            }
        }
        let innermost = found.iter().map(|(length, _)| *length).max();
        found.retain(|(length, _)| Some(*length) == innermost);
        let found: Vec<SymbolAt> = found.into_iter().map(|(_, at)| at).collect();
        self.effective(facts, place.file, &found)
    }

    /// Returns the members of a namespace as those of the symbol that opens it.
    pub(super) fn namespace_members(
        &self,
        of: SymbolAt,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        let path = &facts.symbols[place].qualified_name;
        // One opening stands for the namespace: what the file of the use includes is visible there, not only
        // what this one includes. Look-ups that are cached must not depend on the use.
        let is_cached = !self.hops.running.borrow().is_empty();
        let origin = self.origin.get().map(|origin| origin.file).filter(|file| {
            !is_cached && *file != of.file && self.included(*file).contains(&of.file)
        });
        let file = origin.unwrap_or(of.file);
        let mut found = match self.facts(file).filter(|_| origin.is_some()) {
            Some(there) => self.in_namespace(&there, file, path, name, depth),
            None => self.in_namespace(&facts, of.file, path, name, depth),
        };
        if found.is_empty() {
            found = self.of_using_declarations(&facts, of.file, path, name, depth);
        }
        let is_standard = path.split("::").next() == Some("std");
        if is_standard {
            // A specialization for a type of the repository is one of a template from outside.
            found.retain(|candidate| !self.is_specialization(candidate));
        }
        if found.is_empty() && is_standard {
            found.push(Candidate::new(Value::Outside, 1.0, Reason::Receiver));
        }
        for candidate in &mut found {
            candidate.reason = candidate.reason.max(Reason::Receiver);
        }
        found
    }

    /// Returns true for a specialization of a class template: `template <> struct hash<Item> {…}`.
    fn is_specialization(&self, candidate: &Candidate) -> bool {
        let Value::Name(at) = candidate.value else { return false };
        let Some((facts, place)) = self.symbol(at) else { return false };
        let symbol = &facts.symbols[place];
        let text = self.code.text(at.file);
        let after = text.as_ref().and_then(|text| text.get(symbol.name_span.end..));
        is_type(symbol.kind) && after.is_some_and(|it| it.trim_ascii_start().starts_with(b"<"))
    }

    /// Returns what using-declarations and using-directives bind to a name, in the files that open a
    /// namespace.
    fn of_using_declarations(
        &self,
        facts: &FileFacts,
        file: FileId,
        path: &str,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let named = self.code.named(last(path));
        for at in near(&named, file, OPENED_MAX) {
            let Some((there, place)) = self.symbol(*at) else { continue };
            let symbol = &there.symbols[place];
            if symbol.kind != SymbolKind::Module
                || symbol.qualified_name != path
                || there.dialect.group != facts.dialect.group
            {
                continue;
            }
            let mut found = self.imported(&there, at.file, Some(place), name, depth + 1);
            if found.is_empty() {
                found = self.of_directives(&there, at.file, Some(place), name, depth + 1);
            }
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns the definitions of `name` in the namespace `path`, in all files that open it; the
    /// global namespace is the empty path.
    pub(super) fn in_namespace(
        &self,
        facts: &FileFacts,
        file: FileId,
        path: &str,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        if !self.take_step(depth) {
            return Vec::new();
        }
        let named = self.code.named(name);
        let mut found = Vec::new();
        for &at in near(&named, file, NAMED_MAX) {
            let Some((there, place)) = self.symbol(at) else { continue };
            let symbol = &there.symbols[place];
            if there.dialect.group == facts.dialect.group
                && symbol.kind != SymbolKind::Macro
                && (scope(symbol) == path || self.is_in_inline_namespace(&there, at, path))
                && !is_hidden(&there, symbol, at.file == file)
                && !is_test(symbol)
                && !(at.file == file && self.is_made_by_test_macro(at, symbol))
            {
                found.push(at);
            }
        }
        self.effective(facts, file, &found)
    }

    /// Returns true for the body of a test: `TEST(name) {…}` defines a function of another name.
    fn is_made_by_test_macro(&self, at: SymbolAt, symbol: &Symbol) -> bool {
        if symbol.kind != SymbolKind::Function {
            return false;
        }
        let signature = self.signature(at);
        let Some((called, list)) = signature.split_once('(') else { return false };
        let called = called.trim();
        let is_macro = called.bytes().all(|c| c.is_ascii_uppercase() || c == b'_');
        let after = list.trim_start().strip_prefix(symbol.name.as_str()).map(str::trim_start);
        let is_argument = after.is_some_and(|after| after.starts_with([')', ',']));
        is_macro && is_argument && called.split('_').any(|word| word == "TEST")
    }

    /// Returns true if only inline namespaces lie between a symbol and the namespace `path`.
    fn is_in_inline_namespace(&self, facts: &FileFacts, at: SymbolAt, path: &str) -> bool {
        let symbol = &facts.symbols[at.place as usize];
        let is_below = scope(symbol)
            .strip_prefix(path)
            .is_some_and(|rest| !rest.is_empty() && (path.is_empty() || rest.starts_with("::")));
        if !is_below || symbol.parent.is_none() {
            return false;
        }
        for around in facts.ancestors(symbol.parent) {
            if facts.symbols[around].qualified_name == path {
                return true;
            }
            let around = SymbolAt { file: at.file, place: around as u32 };
            if facts.symbols[around.place as usize].kind != SymbolKind::Module
                || !self.signature(around).starts_with("inline ")
            {
                return false;
            }
        }
        path.is_empty()
    }

    /// Returns those of the definitions of one qualified name that a file sees, as candidates.
    fn effective(&self, facts: &FileFacts, file: FileId, found: &[SymbolAt]) -> Vec<Candidate> {
        let is_declared = found
            .iter()
            .any(|at| self.symbol(*at).is_some_and(|(there, place)| there.is_declaration(place)));
        // Definitions of what a header declares are visible through that.
        let is_behind = |at: &SymbolAt| {
            at.file != file
                && self.symbol(*at).is_some_and(|(there, place)| {
                    let is_callable = there.symbols[place].kind.is_callable();
                    let is_elsewhere = is_declared || !is_header(&there.path);
                    is_callable && !there.is_declaration(place) && is_elsewhere
                })
        };
        let (behind, open): (Vec<SymbolAt>, Vec<SymbolAt>) =
            found.iter().copied().partition(is_behind);
        let mut shown = open;
        let mut confidence = weights::BY_RULE;
        if files(&shown) > 1 {
            let included = self.included(file);
            let seen: Vec<SymbolAt> =
                shown.iter().copied().filter(|at| included.contains(&at.file)).collect();
            if seen.is_empty() {
                (shown, confidence) = (self.nearest(facts, shown), weights::DOUBTFUL);
            } else {
                shown = seen;
            }
        }
        let behind = self.including(&shown, behind);
        if shown.is_empty() && files(&behind) > 1 {
            (shown, confidence) = (self.nearest(facts, behind), weights::DOUBTFUL);
        } else {
            shown.extend(behind);
        }
        // One opening stands for the namespace.
        let is_module = |at: &SymbolAt| {
            self.symbol(*at)
                .is_some_and(|(there, place)| there.symbols[place].kind == SymbolKind::Module)
        };
        let is_here = |at: &SymbolAt| at.file == file && is_module(at);
        let modules = || shown.iter().copied();
        if let Some(first) = modules().find(is_here).or_else(|| modules().find(is_module)) {
            shown.retain(|at| *at == first || !is_module(at));
        }
        shown.truncate(VALUES_MAX);
        let candidate = |at: SymbolAt| {
            if at.file == file {
                Candidate::new(Value::Name(at), weights::BELOW, Reason::SameFile)
            } else {
                Candidate::new(Value::Name(at), confidence, Reason::Program)
            }
        };
        shown.into_iter().map(candidate).collect()
    }

    /// Returns those of the definitions in several files whose files include one of the declarations;
    /// all if none does.
    pub(super) fn including(
        &self,
        declared: &[SymbolAt],
        mut defined: Vec<SymbolAt>,
    ) -> Vec<SymbolAt> {
        if declared.is_empty() || files(&defined) < 2 {
            return defined;
        }
        let includes = |at: &SymbolAt| {
            let included = self.included(at.file);
            declared.iter().any(|of| included.contains(&of.file))
        };
        if defined.iter().take(VALUES_MAX).any(includes) {
            defined.retain(includes);
        }
        defined
    }

    /// Returns those of some definitions whose files share the most directories with a file.
    fn nearest(&self, facts: &FileFacts, found: Vec<SymbolAt>) -> Vec<SymbolAt> {
        let shared = |at: &SymbolAt| {
            self.facts(at.file).map_or(0, |there| shared_directories(&facts.path, &there.path))
        };
        let most = found.iter().map(shared).max();
        found.into_iter().filter(|at| Some(shared(at)) == most).collect()
    }

    /// Returns the files that a file includes, directly or indirectly, and itself.
    pub(super) fn included(&self, file: FileId) -> super::memo::Included {
        self.memo.included(file, || {
            let mut seen = rustc_hash::FxHashSet::default();
            let mut open = vec![file];
            while let Some(next) = open.pop() {
                if seen.len() >= super::memo::INCLUDED_MAX || !seen.insert(next) {
                    continue;
                }
                let Some(facts) = self.memo.file(self.code, next) else { continue };
                for import in
                    facts.wildcards().filter(|&at| facts.imports[at].kind != ImportKind::Module)
                {
                    let targets = self.code.targets(next, import);
                    open.extend(targets.targets().iter().take(2).map(|target| target.file));
                }
            }
            seen
        })
    }

    /// Returns the types whose qualified name is `path`, which is written at `place`.
    fn types_of_path(
        &self,
        facts: &FileFacts,
        place: Place,
        path: &str,
        depth: usize,
    ) -> Vec<SymbolAt> {
        let named = self.code.named(last(path));
        let is_it = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, here)| {
                let symbol = &there.symbols[here];
                is_type(symbol.kind)
                    && symbol.qualified_name == path
                    && there.dialect.group == facts.dialect.group
                    && !is_hidden(&there, symbol, at.file == place.file)
            })
        };
        let found: Vec<SymbolAt> =
            near(&named, place.file, NAMED_MAX).iter().copied().filter(is_it).collect();
        let mut found = self.effective(facts, place.file, &found);
        if found.is_empty() {
            // `using namespace a; void Type::f() {}`
            let outer = place.enclosing.map_or("", |at| inner_scope(&facts.symbols[at]));
            let written = path.strip_prefix(outer).unwrap_or(path).trim_start_matches("::");
            found = self.nested_query(depth, |depth| self.of_path(facts, place, written, depth));
            found.retain(|candidate| self.kind(candidate).is_some_and(is_type));
        }
        found.iter().filter_map(|candidate| candidate.link()).map(|link| link.to).collect()
    }

    /// Returns the types that `$` refers to at `place`: that of the enclosing method, or the test
    /// that a macro defines, which is a type with the members of its fixture.
    pub(super) fn scoped_own_types(
        &self,
        facts: &FileFacts,
        place: Place,
        depth: usize,
    ) -> Vec<SymbolAt> {
        for around in facts.ancestors(place.enclosing) {
            let symbol = &facts.symbols[around];
            let own = SymbolAt { file: place.file, place: around as u32 };
            if is_type(symbol.kind) || symbol.kind.is_callable() && !symbol.bases.is_empty() {
                return vec![own];
            }
            let outer = symbol.parent.map_or("", |parent| inner_scope(&facts.symbols[parent]));
            if symbol.kind.is_callable() && scope(symbol).len() > outer.len() {
                let scope_place = Place { enclosing: symbol.parent, ..place };
                return self.types_of_path(facts, scope_place, scope(symbol), depth);
            }
        }
        Vec::new()
    }
}

/// Returns true for a test that a macro defines, which is not called by its name.
fn is_test(symbol: &Symbol) -> bool {
    symbol.kind.is_callable() && !symbol.bases.is_empty()
}

/// Returns true for a definition that is visible only in another file.
fn is_hidden(facts: &FileFacts, symbol: &Symbol, is_here: bool) -> bool {
    let is_local = symbol.visibility == Visibility::Private || is_type(symbol.kind);
    is_local && !is_here && !is_header(&facts.path)
}

/// Returns the scope of a symbol: its qualified name without its name.
pub(super) fn scope(symbol: &Symbol) -> &str {
    let around = symbol.qualified_name.strip_suffix(symbol.name.as_str()).unwrap_or_default();
    around.strip_suffix("::").unwrap_or(around)
}

/// Returns the scope of the names inside of a symbol.
fn inner_scope(symbol: &Symbol) -> &str {
    &symbol.scope
}

/// Returns the path `from` and those around it, up to `until`, which is not included.
fn paths<'p>(from: &'p str, until: &'p str) -> impl Iterator<Item = &'p str> {
    let around = |path: &&'p str| path.rsplit_once("::").map(|(around, _)| around);
    std::iter::successors(Some(from), around).take_while(move |path| path.len() > until.len())
}

/// Returns the last name of a path.
fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// Returns the number of files that contain some definitions, which are in the order of files.
fn files(found: &[SymbolAt]) -> usize {
    found.chunk_by(|a, b| a.file == b.file).count()
}
