//! Mapped types of TypeScript whose members depend on their names:
//! `{ [K in Keys]: (of: Map[K], ...more: A) => void }`.

use super::parameters::alias_target;
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Choice, Place, Value};
use super::walk::Walk;
use crate::lang::symbols::SymbolKind;

/// The most bytes of an alias that are read.
const ALIAS_BYTES_MAX: usize = 2048;

impl Walk<'_> {
    /// Returns the values of the member `name` of a value whose type is an alias of a mapped type; none for
    /// other types. Whether the type has that member is not examined.
    pub(super) fn mapped_member(
        &self,
        candidate: &Candidate,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let Value::Instance(of, written) = &candidate.value else { return Vec::new() };
        let Some(text) = self.mapped_text(*of, name) else { return Vec::new() };
        let scope = Place { file: of.file, enclosing: Some(of.place as usize) };
        let own = Candidate {
            via: Some(*of),
            given: written.clone(),
            choice: candidate.choice,
            ..Candidate::new(candidate.value.clone(), candidate.confidence, Reason::Receiver)
        };
        let mut found = self.of_written(&own, scope, Some(&text), depth);
        // Which branch of a condition holds is not examined.
        if text.split_whitespace().any(|word| word == "extends") {
            found.iter_mut().for_each(|it| it.choice = Choice::Open);
        }
        found
    }

    /// Returns the type of the member `name` of a mapped type as it is written.
    fn mapped_text(&self, of: SymbolAt, name: &str) -> Option<String> {
        let (facts, place) = self.symbol(of)?;
        let symbol = &facts.symbols[place];
        if symbol.kind != SymbolKind::Type || !facts.dialect.has_call_signatures {
            return None;
        }
        let text = self.code.text(of.file)?;
        let end = symbol.span.end.min(symbol.span.start + ALIAS_BYTES_MAX);
        let text = String::from_utf8_lossy(text.get(symbol.span.start..end)?);
        type_of_member(alias_target(&symbol.name, &text)?, name)
    }
}

/// Returns the type of the member `name` of the mapped type `target` as it is written.
fn type_of_member(target: &str, name: &str) -> Option<String> {
    let inner = target.strip_prefix('{')?.strip_suffix('}')?.trim();
    let inner = inner.trim_start_matches(['+', '-']);
    let inner = inner.strip_prefix("readonly").unwrap_or(inner).trim_start();
    let (key, after) = inner.strip_prefix('[')?.split_once(" in ")?;
    let key = key.trim();
    let is_word = |c: char| c.is_alphanumeric() || "_$".contains(c);
    if key.is_empty() || !key.chars().all(is_word) || !name.chars().all(is_word) {
        return None;
    }
    // `]?:`, `]-?:`; the names may be those of another type with brackets.
    let end = after.match_indices(']').find_map(|(at, _)| {
        let rest = after[at + 1..].trim_start_matches(['+', '-', '?']);
        rest.starts_with(':').then(|| after.len() - rest.len() + 1)
    })?;
    let value = after[end..].trim().trim_end_matches([';', ',']).trim_end();
    let mut written = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(start) = rest.find(is_word) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c| !is_word(c)).unwrap_or(from.len()));
        written.push_str(before);
        // The parameter of the name `K` is not the key.
        if word == key && before.ends_with('[') {
            written.push('"');
            written.push_str(name);
            written.push('"');
        } else {
            written.push_str(word);
        }
        rest = after;
    }
    written.push_str(rest);
    Some(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_replaced_by_the_name() {
        let of = |target| type_of_member(target, "a");
        let function = of("{\n  [K in Keys]: (of: Map[K], K: B) => T;\n}");
        assert_eq!(function.as_deref(), Some("(of: Map[\"a\"], K: B) => T"));
        assert_eq!(of("{ readonly [K in keyof A['b']]?: A[K] }").as_deref(), Some("A[\"a\"]"));
        assert_eq!(of("{ a: B }"), None);
        assert_eq!(of("{ [name: string]: B }"), None);
    }
}
