//! Values of pytest's fixtures: a test names them as its parameters.

use super::code::definitions;
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::graph::weights;

/// The file whose fixtures the tests of its directory and of those below see.
const SHARED_FILE: &str = "conftest.py";

/// The most definitions of one name that are considered.
const NAMED_MAX: usize = 64;

impl Walk<'_> {
    /// Returns the values of the fixture `name` for a test at `place`: one of the enclosing class, of
    /// the file, imported by it, or of the nearest `conftest.py`. A fixture does not request itself.
    pub(super) fn fixture(&self, place: Place, name: &str, depth: usize) -> Vec<Candidate> {
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        let own = place.enclosing.filter(|&at| facts.symbols[at].name == name);
        let is_other = |it: &Candidate| match it.value {
            Value::Name(at) => at.file != place.file || Some(at.place as usize) != own,
            _ => true,
        };
        let around = facts.ancestors(place.enclosing).skip(1);
        let inside = around.flat_map(|at| facts.children(Some(at), name).to_vec());
        let inside: Vec<u32> = inside.collect();
        let mut found: Vec<Candidate> = definitions(place.file, &inside)
            .map(|at| Candidate::new(Value::Name(at), weights::STEP, Reason::Receiver))
            .collect();
        if found.is_empty() {
            found = self.name(Place { enclosing: None, ..place }, name, depth);
        }
        found.retain(is_other);
        if found.is_empty() {
            found = self.shared_fixture(&facts.path, place, name);
        }
        self.each(&found, |it| self.call(it, depth + 1))
    }

    /// Returns the fixture of the nearest `conftest.py` above the file `path`.
    fn shared_fixture(&self, path: &str, place: Place, name: &str) -> Vec<Candidate> {
        let mut best: Option<(usize, SymbolAt)> = None;
        for &at in self.code.named(name).iter().take(NAMED_MAX) {
            let Some((there, symbol)) = self.symbol(at).filter(|_| at.file != place.file) else {
                continue;
            };
            let Some(directory) = there.path.strip_suffix(SHARED_FILE) else { continue };
            let is_above = path.starts_with(directory)
                && (directory.is_empty() || directory.ends_with('/'))
                && there.symbols[symbol].parent.is_none();
            if is_above && best.is_none_or(|(known, _)| directory.len() > known) {
                best = Some((directory.len(), at));
            }
        }
        let made = |(_, at)| Candidate::new(Value::Name(at), weights::BY_RULE, Reason::Import);
        best.map(made).into_iter().take(VALUES_MAX).collect()
    }
}
