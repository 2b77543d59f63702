//! Names in languages with namespaces whose rules determine the qualified name of every name: PHP.
//!
//! A name is qualified by the file's imports and its namespace; what no file declares under its
//! qualified name is outside of the repository.

use super::code::FileFacts;
use super::kinds::is_type;
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::symbols::SymbolKind;

/// The most definitions of one name that are considered.
const NAMED_MAX: usize = 512;

/// The separator of namespaces.
pub(super) const SEPARATOR: char = '\\';

impl Walk<'_> {
    /// Returns the candidates for `name` at `place`: `\A\B`, `B\C` or `C`.
    pub(super) fn namespaced(&self, facts: &FileFacts, place: Place, name: &str) -> Vec<Candidate> {
        let package = facts.package.as_deref().unwrap_or_default();
        let own = if package.is_empty() { Reason::Program } else { Reason::SamePackage };
        let import = |alias: &str| {
            let (import, bound) = facts.bindings(alias).next()?;
            Some(joined(&facts.imports[import].module, &bound.name))
        };
        let (whole, reason) = if let Some(whole) = name.strip_prefix(SEPARATOR) {
            (whole.to_owned(), Reason::Import)
        } else if let Some(rest) = name.strip_prefix("namespace\\") {
            (joined(package, rest), own)
        } else if let Some((first, rest)) = name.split_once(SEPARATOR) {
            match import(first) {
                Some(namespace) => (joined(&namespace, rest), Reason::Import),
                None => (joined(package, name), own),
            }
        } else if let Some(whole) = import(name) {
            (whole, Reason::Import)
        } else {
            (joined(package, name), own)
        };
        let mut found = self.declared(facts, place, &whole, reason);
        // An unqualified function may be one without a namespace.
        if found.is_empty() && !name.contains(SEPARATOR) {
            found = self.declared(facts, place, name, Reason::Program);
            found.retain(|candidate| self.kind(candidate) == Some(SymbolKind::Function));
        }
        if found.is_empty() {
            found.push(Candidate::new(Value::Outside, 1.0, reason));
        }
        found
    }

    /// Returns the definitions with a qualified name; those near the use first.
    fn declared(
        &self,
        facts: &FileFacts,
        place: Place,
        whole: &str,
        reason: Reason,
    ) -> Vec<Candidate> {
        let (namespace, name) = whole.rsplit_once(SEPARATOR).unwrap_or(("", whole));
        let mut found: Vec<(usize, SymbolAt)> = Vec::new();
        for at in self.code.named(name).iter().copied().take(NAMED_MAX) {
            let Some((there, index)) = self.symbol(at) else { continue };
            let symbol = &there.symbols[index];
            let is_free = is_type(symbol.kind)
                || matches!(symbol.kind, SymbolKind::Function | SymbolKind::Constant)
                    && symbol.parent.is_none_or(|parent| !is_type(there.symbols[parent].kind));
            if is_free
                && there.package.as_deref().unwrap_or_default() == namespace
                && there.dialect.group == facts.dialect.group
            {
                let distance = if at.file == place.file {
                    0
                } else {
                    usize::MAX - super::scope::shared_directories(&facts.path, &there.path)
                };
                found.push((distance, at));
            }
        }
        found.sort_unstable();
        let nearest = found.first().map(|(distance, _)| *distance);
        let candidate = |(distance, at): (usize, SymbolAt)| {
            let reason = if at.file == place.file { Reason::SameFile } else { reason };
            let confidence =
                if Some(distance) == nearest { weights::BELOW } else { weights::BY_NAME };
            Candidate::new(Value::Name(at), confidence, reason)
        };
        found.into_iter().map(candidate).take(VALUES_MAX).collect()
    }

    /// Returns the members `name` of the types that use a trait or include a module: PHP's
    /// `$this->name()` in the trait.
    pub(super) fn members_of_users(
        &self,
        of: SymbolAt,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        // Modules may include each other, and users are found by name, so one may be its own user.
        if !self.take_step(depth) {
            return Vec::new();
        }
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        let is_mixin = match symbol.kind {
            SymbolKind::Trait => facts.dialect.qualifies_names,
            SymbolKind::Module => facts.dialect.has_module_instances,
            _ => false,
        };
        if !is_mixin {
            return Vec::new();
        }
        // Users of users are not searched: where many types include one module, each of them would be
        // searched once for each other one. Constants are those around the module.
        let is_constant =
            facts.dialect.has_module_instances && name.starts_with(char::is_uppercase);
        if is_constant || self.is_of_users.replace(true) {
            return Vec::new();
        }
        let mut found: Vec<Candidate> = Vec::new();
        let users = self.code.derived(&symbol.name);
        for user in users.iter().copied().filter(|user| *user != of).take(VALUES_MAX) {
            for member in self.members(user, name, depth + 1) {
                let is_new = |other: &Candidate| match (&other.value, &member.value) {
                    (Value::Name(a), Value::Name(b)) => a != b,
                    _ => true,
                };
                if matches!(member.value, Value::Name(_)) && found.iter().all(is_new) {
                    found.push(member);
                }
            }
        }
        self.is_of_users.set(false);
        let confidence = if found.len() > 1 { weights::NO_ANSWER } else { weights::BY_NAME };
        for member in &mut found {
            member.confidence = confidence;
            member.reason = Reason::Implementation;
        }
        found.truncate(VALUES_MAX);
        found
    }
}

fn joined(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}{SEPARATOR}{name}") }
}
