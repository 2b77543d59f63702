//! Bases of TypeScript that are values: `const Base: Constructor<A> & typeof B = …`, and results of
//! functions that return a type and that of an argument, `function mixin<T>(base: T): Constructor<A> & T`.
//!
//! Types and calls are read from the texts of definitions, since a chain has room for a few types only.

use super::kinds::is_variable;
use super::parameters::{after_list, chain_of_type, written_parameters, written_type};
use super::position::SymbolAt;
use super::value::{Candidate, Place, VALUES_MAX, Value};
use super::walk::Walk;
use super::wrapped::{assigned, is_name, is_path, parts_of_call};
use crate::lang::chain::Chain;
use crate::lang::split;
use crate::lang::symbols::Symbol;

/// The most bytes of a definition that are read.
const BYTES_MAX: usize = 1 << 12;

/// The most types and calls in each other that are followed.
const LEVELS_MAX: usize = 24;

/// The most variables in each other that are followed, each from the first step on.
const VARIABLES_MAX: usize = 8;

/// The most types of one value.
const TYPES_MAX: usize = 32;

/// Names with the instances that their values make.
type Known = [(String, Vec<Candidate>)];

impl Walk<'_> {
    /// Returns the values that `new` of a variable makes, if its type is written as several types or it is
    /// the result of a call; none otherwise.
    pub(super) fn made_by_variable(&self, at: SymbolAt) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(at) else { return Vec::new() };
        if !facts.dialect.has_call_signatures || !is_variable(facts.symbols[place].kind) {
            return Vec::new();
        }
        let outer = self.values.get();
        if outer == VARIABLES_MAX {
            self.is_cut.set(true);
            return Vec::new();
        }
        // What the variable makes does not depend on the use.
        let walk = Walk::new(self.code, self.memo);
        walk.values.set(outer + 1);
        walk.steps.set(self.steps.get());
        let find = || walk.find_made(at, &facts.symbols[place]);
        let keep = |found| walk.memo.keep_bases(at, 0, found);
        let found = walk.stepped(walk.memo.bases(at, 0), find, keep);
        self.steps.set(walk.steps.get());
        self.is_cut.set(self.is_cut.get() || walk.is_cut.get());
        found
    }

    fn find_made(&self, at: SymbolAt, symbol: &Symbol) -> Vec<Candidate> {
        let scope = Place { file: at.file, enclosing: symbol.parent };
        let Some(text) = self.code.text(at.file) else { return Vec::new() };
        let end = text.len().min(symbol.span.end).min(symbol.name_span.end + BYTES_MAX);
        let text = text.get(symbol.name_span.end..end).unwrap_or_default();
        let text = String::from_utf8_lossy(text).into_owned();
        let Some(written) = text.trim_start().strip_prefix(':') else {
            let call = assigned(&text);
            let made = call.map(|call| self.made_by_call(scope, call, &[], 0, LEVELS_MAX));
            return made.unwrap_or_default();
        };
        let written = &written[..end_of_type(written)];
        let parts = split(written, b'&').into_iter().map(str::trim);
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).take(TYPES_MAX).collect();
        if parts.len() < 2 {
            return Vec::new();
        }
        parts.into_iter().flat_map(|part| self.made_by_type(scope, part, 0)).collect()
    }

    /// Returns the instances that `new` of a value makes.
    fn made_by_value(&self, value: &Candidate, depth: usize) -> Vec<Candidate> {
        match value.value {
            Value::Instance(of, _) => self.called_interface(value, of, depth + 1),
            Value::Name(at) => {
                let made = self.made_by_variable(at);
                if made.is_empty() { self.call(value, depth + 1) } else { made }
            }
            _ => Vec::new(),
        }
    }

    /// Returns the instances that a value of a written type makes: `A` of `Constructor<A>` and `typeof A`.
    fn made_by_type(&self, place: Place, written: &str, depth: usize) -> Vec<Candidate> {
        let chain = match written.strip_prefix("typeof ") {
            Some(name) => is_path(name.trim()).then(|| Chain::name(name.trim())),
            None => chain_of_type(written),
        };
        let values = chain.map(|of| self.chain(place, None, &of, depth + 1)).unwrap_or_default();
        self.each(&values, |value| self.made_by_value(value, depth))
    }

    /// Returns the instances that the result of a written call makes, where the functions have a declared
    /// result or return a call themselves. `known` are the parameters around.
    fn made_by_call(
        &self,
        place: Place,
        call: &str,
        known: &Known,
        depth: usize,
        levels: usize,
    ) -> Vec<Candidate> {
        let Some((function, arguments)) = parts_of_call(call) else { return Vec::new() };
        let Some(left) = levels.checked_sub(1).filter(|_| self.take_step(depth)) else {
            return Vec::new();
        };
        let argument = |number: usize| {
            let text = arguments.get(number).copied().unwrap_or_default();
            match known.iter().find(|(name, _)| name == text) {
                Some((_, made)) => made.clone(),
                None if is_path(text) => {
                    let values = self.chain(place, None, &Chain::name(text), depth + 1);
                    self.each(&values, |value| self.made_by_value(value, depth))
                }
                None => self.made_by_call(place, text, known, depth, left),
            }
        };
        let mut found = Vec::new();
        for function in self.chain(place, None, &Chain::name(function), depth + 1) {
            let Value::Name(at) = function.value else { continue };
            let Some((facts, index)) = self.symbol(at) else { continue };
            let symbol = &facts.symbols[index];
            if !symbol.kind.is_callable() || !facts.dialect.has_call_signatures {
                continue;
            }
            let scope = Place { file: at.file, enclosing: symbol.parent };
            let Some(text) = self.code.text(at.file) else { continue };
            let end = text.len().min(symbol.span.end).min(symbol.name_span.start + BYTES_MAX);
            let text = text.get(symbol.name_span.start..end).unwrap_or_default();
            let text = String::from_utf8_lossy(text).into_owned();
            let parameters = written_parameters(&symbol.name, &text);
            let Some(after) = after_list(&symbol.name, &text) else { continue };
            if let Some(result) = after.strip_prefix(':') {
                let result = &result[..end_of_type(result)];
                for part in split(result, b'&').into_iter().map(str::trim).take(TYPES_MAX) {
                    let is_its = |it: &&str| written_type(it) == Some(part);
                    match parameters.iter().position(|it| is_its(&it.trim())) {
                        Some(number) => found.extend(argument(number)),
                        None => found.extend(self.made_by_type(scope, part, depth)),
                    }
                }
            } else if let Some(body) = after.strip_prefix("=>") {
                let name = |part: &str| {
                    let end = part.find(|c: char| !is_name(c)).unwrap_or(part.len());
                    part[..end].to_owned()
                };
                let given = parameters.iter().enumerate();
                let given: Vec<(String, Vec<Candidate>)> =
                    given.map(|(at, part)| (name(part.trim()), argument(at))).take(4).collect();
                found.extend(self.made_by_call(scope, body.trim_start(), &given, depth, left));
            }
        }
        found.retain(|it| !matches!(it.value, Value::Outside));
        found.truncate(VALUES_MAX.max(TYPES_MAX));
        found
    }
}

/// Returns the length of the type that a text begins with: up to `=`, `;` or a body.
fn end_of_type(text: &str) -> usize {
    let (mut level, mut is_empty) = (0_usize, true);
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            b'=' if bytes.get(at + 1) == Some(&b'>') => return at,
            b'{' if level == 0 && !is_empty => return at,
            b'=' | b';' if level == 0 => return at,
            b'<' | b'(' | b'[' | b'{' => level += 1,
            b'>' if at > 0 && bytes[at - 1] == b'=' => {}
            b'>' | b')' | b']' | b'}' => level = level.saturating_sub(1),
            _ => {}
        }
        is_empty = (is_empty && byte.is_ascii_whitespace()) || matches!(byte, b'&' | b'|');
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_end_before_values_and_bodies() {
        let read = |text: &str| text[..end_of_type(text)].trim().to_owned();
        assert_eq!(read(" A<B> & typeof C = d()"), "A<B> & typeof C");
        assert_eq!(read(" A & { b: C } {\n"), "A & { b: C }");
        assert_eq!(read(" A;\n b"), "A");
    }
}
