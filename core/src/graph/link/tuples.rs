//! Parts of instances of Python's classes that derive from a tuple: `class Pair(tuple[A, B])`,
//! `class Pair(NamedTuple)`.

use super::dialect::Group;
use super::kinds::is_variable;
use super::position::SymbolAt;
use super::result::Reason;
use super::several::merged;
use super::value::{Candidate, Place, Value, WrittenType};
use super::walk::Walk;

/// The most parts of a tuple.
const PARTS_MAX: usize = 16;

impl Walk<'_> {
    /// Returns the part `number` of an instance of a class that derives from a tuple; none for other types.
    pub(super) fn tuple_part(
        &self,
        candidate: &Candidate,
        of: SymbolAt,
        number: usize,
        depth: usize,
    ) -> Vec<Candidate> {
        let mut parts = self.tuple_parts(candidate, of, depth);
        if number < parts.len() { parts.swap_remove(number) } else { Vec::new() }
    }

    /// Returns what an element of such an instance may be: any of its parts.
    pub(super) fn tuple_element(
        &self,
        candidate: &Candidate,
        of: SymbolAt,
        depth: usize,
    ) -> Vec<Candidate> {
        merged(self.tuple_parts(candidate, of, depth), false)
    }

    fn tuple_parts(
        &self,
        candidate: &Candidate,
        of: SymbolAt,
        depth: usize,
    ) -> Vec<Vec<Candidate>> {
        let Some((facts, index)) = self.symbol(of) else { return Vec::new() };
        if facts.dialect.group != Group::Python || !self.take_step(depth) {
            return Vec::new();
        }
        let symbol = &facts.symbols[index];
        for base in &symbol.bases {
            let written = base.named_type();
            let name = written.name();
            if name == "tuple" && written.has_arguments() {
                let place = Place { file: of.file, enclosing: symbol.parent };
                let written = WrittenType { place, text: written.text().into() };
                let numbers = 0..written.of().arguments().len().min(PARTS_MAX);
                let part = |number| self.numbered_argument(candidate, &written, number, depth + 1);
                return numbers.map(part).collect();
            }
            if name == "NamedTuple" {
                let mut fields: Vec<u32> = facts.all_children(Some(index)).to_vec();
                fields.retain(|&at| is_variable(facts.symbols[at as usize].kind));
                fields.sort_by_key(|&at| facts.symbols[at as usize].span.start);
                let value = |at: u32| {
                    let name = Value::Name(SymbolAt { file: of.file, place: at });
                    let factor = candidate.confidence;
                    self.load(&Candidate::new(name, factor, Reason::Receiver), depth + 1)
                };
                return fields.into_iter().take(PARTS_MAX).map(value).collect();
            }
        }
        for base in self.bases(of, depth + 1) {
            if let Value::Instance(base, _) = base.value
                && base != of
            {
                let parts = self.tuple_parts(candidate, base, depth + 1);
                if !parts.is_empty() {
                    return parts;
                }
            }
        }
        Vec::new()
    }
}
