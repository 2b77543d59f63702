//! Qualified names of C++ whose namespaces macros open (`LIB_BEGIN_NAMESPACE`): the grammar sees no
//! namespace there, so that the names in it look like those of the global one.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::kinds::is_type;
use super::result::{Reason, Use};
use super::value::{Candidate, Place};
use super::walk::Walk;
use crate::base::ids::FileId;
use crate::graph::weights;
use crate::lang::chain::Chain;
use crate::lang::symbols::{Symbol, SymbolKind};

impl Walk<'_> {
    /// Returns what a qualified name refers to whose first part nothing defines: a macro may open
    /// that namespace (`LIB_BEGIN_NAMESPACE`), so its names look like those of the global one.
    pub(super) fn of_unknown_namespace(&self, place: Place, used: Use<'_>) -> Vec<Candidate> {
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        let Some(path) = used.receiver.and_then(Chain::as_path) else { return Vec::new() };
        let (Some(start), true) = (used.start, facts.dialect.has_namespaces) else {
            return Vec::new();
        };
        let scopes: Vec<&str> = path.split('.').collect();
        let is_qualified = || {
            let text = self.code.text(place.file);
            text.is_some_and(|text| text.get(..start).is_some_and(|before| before.ends_with(b"::")))
        };
        if scopes[0] == "std" || self.is_template_parameter(place, scopes[0]) || !is_qualified() {
            return Vec::new();
        }
        let is_known = !self.name(place, scopes[0], 0).is_empty();
        let mut found = self.behind_macros(place.file, &scopes, is_known, used.name, 0);
        for candidate in &mut found {
            candidate.confidence *= weights::OUT_OF_SCOPE;
            candidate.reason = candidate.reason.max(Reason::Program);
        }
        found
    }

    /// Returns the definitions of `name` in the namespace whose path is `scopes` without those at its
    /// start that macros open. A first one that nothing else opens is one of these.
    pub(super) fn behind_macros(
        &self,
        file: FileId,
        scopes: &[&str],
        is_known: bool,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some(facts) = self.facts(file) else { return Vec::new() };
        for (at, opened) in scopes.iter().enumerate() {
            let is_unknown = at == 0 && !is_known;
            if !is_unknown && !self.opened_by_macros(file).contains(*opened) {
                break;
            }
            let path = scopes[at + 1..].join("::");
            let found = self.in_namespace(&facts, file, &path, name, depth);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns the namespaces that the macros of a file and of those that it includes open:
    /// `#define LIB_BEGIN_DETAIL namespace detail {`.
    fn opened_by_macros(&self, file: FileId) -> Rc<FxHashSet<String>> {
        self.memo.opened(file, || {
            let mut opened = FxHashSet::default();
            let mut files: Vec<FileId> = self.included(file).iter().copied().collect();
            files.sort_unstable();
            for file in files {
                let Some(facts) = self.memo.file(self.code, file) else { continue };
                let is_macro = |symbol: &&Symbol| symbol.kind == SymbolKind::Macro;
                let mut macros = facts.symbols.iter().filter(is_macro).peekable();
                let text = macros.peek().and_then(|_| self.code.text(file));
                let Some(text) = text else { continue };
                for symbol in macros {
                    let body = text.get(symbol.name_span.end..symbol.span.end).unwrap_or_default();
                    let body = body.trim_ascii().strip_suffix(b"{").unwrap_or_default();
                    let body = body.strip_prefix(b"inline ").unwrap_or(body);
                    let Some(name) = body.strip_prefix(b"namespace ") else { continue };
                    let name = name.trim_ascii();
                    if name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
                        opened.insert(String::from_utf8_lossy(name).into_owned());
                    }
                }
            }
            opened
        })
    }

    /// Returns the types that a qualified name refers to whose first part nothing defines; see
    /// [`Walk::of_unknown_namespace`].
    pub(super) fn types_of_unknown_namespace(
        &self,
        place: Place,
        path: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some(facts) = self.facts(place.file).filter(|facts| facts.dialect.has_namespaces)
        else {
            return Vec::new();
        };
        let Some((first, rest)) = path.split_once('.') else { return Vec::new() };
        if facts.dialect.globals.contains(&first) {
            return Vec::new();
        }
        let name = rest.rsplit('.').next().unwrap_or(rest);
        let scopes: Vec<&str> = path[..path.len() - name.len() - 1].split('.').collect();
        let is_known = !self.scopes_named(&facts, place, first).is_empty();
        let mut found = self.behind_macros(place.file, &scopes, is_known, name, depth);
        found.retain(|candidate| self.kind(candidate).is_some_and(is_type));
        found.iter_mut().for_each(|candidate| candidate.confidence *= weights::OUT_OF_SCOPE);
        found
    }
}
