//! Results of functions of JavaScript that return one of their parameters, or a function or class
//! around it: `const Parser = callable(Class)` is used as `Class` is.
//!
//! Facts list the parameter as a base of the function (`crate::lang::symbols::Symbol::bases`); the
//! arguments of the call are read from the text of the variable's definition.

use super::code::definitions;
use super::kinds::is_member;
use super::parameters::written_parameters;
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Choice, Place, VALUES_MAX, Value};
use super::walk::{DEPTH_MAX, Walk};
use crate::graph::weights;
use crate::lang::chain::{Chain, Root};
use crate::lang::split;

/// The most bytes of a definition that are searched for a call.
const BYTES_MAX: usize = 1 << 12;

impl Walk<'_> {
    /// Returns what a variable of JavaScript is another form of: the argument of the call whose result
    /// it is, if the called function returns that parameter or a function or class around it.
    pub(super) fn wrapped(&self, at: SymbolAt, depth: usize) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(at) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        let function = symbol.type_chain.as_ref().and_then(Chain::before_call);
        let function = function.as_ref().and_then(Chain::as_path);
        let Some(function) = function.filter(|of| depth < DEPTH_MAX && is_path(of)) else {
            return Vec::new();
        };
        if !facts.dialect.has_module_values {
            return Vec::new();
        }
        let place = Place { file: at.file, enclosing: symbol.parent };
        let functions = self.written_value(place, function, depth);
        if functions.iter().all(|function| self.passed_through(function).is_empty()) {
            return Vec::new();
        }
        let Some(text) = self.code.text(at.file) else { return Vec::new() };
        let end = symbol.span.end.min(symbol.name_span.end.saturating_add(BYTES_MAX));
        let text = text.get(symbol.name_span.end..end.max(symbol.name_span.end));
        let text = String::from_utf8_lossy(text.unwrap_or_default()).into_owned();
        let Some(value) = assigned(&text) else { return Vec::new() };
        self.made_around(place, value, depth)
    }

    /// Returns what the result of a written call is another form of.
    fn made_around(&self, place: Place, call: &str, depth: usize) -> Vec<Candidate> {
        let Some((function, arguments)) = parts_of_call(call) else { return Vec::new() };
        if !self.take_step(depth) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for function in self.written_value(place, function, depth) {
            for (number, is_sure) in self.passed_through(&function) {
                let Some(argument) = arguments.get(number) else { continue };
                let values = if is_path(argument) {
                    self.written_value(place, argument, depth)
                } else if depth < DEPTH_MAX {
                    self.made_around(place, argument, depth + 1)
                } else {
                    Vec::new()
                };
                let is_inside = |it: &Candidate| matches!(it.value, Value::Name(_));
                found.extend(values.into_iter().filter(is_inside).map(|it| Candidate {
                    confidence: it.confidence * function.confidence * weights::STEP,
                    reason: it.reason.max(function.reason),
                    choice: if is_sure { it.choice.and(function.choice) } else { Choice::Open },
                    around: function.link().map(|link| link.to),
                    ..it
                }));
            }
        }
        found.truncate(VALUES_MAX);
        found
    }

    /// Returns the members of the class that a function of JavaScript returns around the candidate's.
    pub(super) fn overriding(&self, candidate: &Candidate, name: &str) -> Vec<Candidate> {
        let Some(around) = candidate.around else { return Vec::new() };
        let Some((facts, place)) = self.symbol(around) else { return Vec::new() };
        let children = definitions(around.file, facts.children(Some(place), name));
        let member = |at| Candidate::new(Value::Name(at), weights::BY_RULE, Reason::Receiver);
        children.map(member).filter(|it| self.kind(it).is_some_and(is_member)).collect()
    }

    /// Returns what a path refers to; of a module of CommonJS, its value.
    fn written_value(&self, place: Place, path: &str, depth: usize) -> Vec<Candidate> {
        let found = self.chain(place, None, &Chain::name(path), depth + 1);
        self.each(&found, |it| {
            let values = self.module_value(it, depth + 1);
            if values.is_empty() { vec![it.clone()] } else { values }
        })
    }

    /// Returns the numbers of the parameters that a function returns, or returns something around, and
    /// whether it returns nothing else.
    fn passed_through(&self, function: &Candidate) -> Vec<(usize, bool)> {
        let Value::Name(at) = function.value else { return Vec::new() };
        let Some((facts, place)) = self.symbol(at) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        let is_returned = |base: &Chain| matches!(base.decode().0, Root::Variable(_));
        let is_its = facts.dialect.has_module_values && symbol.kind.is_callable();
        if !is_its || !symbol.bases.iter().any(is_returned) {
            return Vec::new();
        }
        let signature = self.signature(at);
        let parts = written_parameters(&symbol.name, &signature);
        let name = |part: &str| {
            let end = part.find(|c: char| !is_name(c)).unwrap_or(part.len());
            part[..end].to_owned()
        };
        let names: Vec<String> = parts.iter().map(|part| name(part.trim())).collect();
        let number = |base: &Chain| match base.decode().0 {
            Root::Variable(returned) => {
                let named = names.iter().position(|name| name == returned);
                // `const f = name => …`, whose signature ends before the arrow.
                named.or_else(|| signature.ends_with(&format!("= {returned}")).then_some(0))
            }
            _ => None,
        };
        let numbered = |base: &Chain| Some((number(base)?, base.passed().is_none()));
        let mut found: Vec<(usize, bool)> = symbol.bases.iter().filter_map(numbered).collect();
        found.sort_unstable();
        found.dedup_by_key(|(number, _)| *number);
        let is_one = found.len() == 1;
        found.iter_mut().for_each(|(_, is_sure)| *is_sure &= is_one);
        found
    }
}

pub(super) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns true for a name or several names with dots between them.
pub(super) fn is_path(text: &str) -> bool {
    text.starts_with(|c: char| is_name(c) && !c.is_ascii_digit())
        && text.chars().all(|c| is_name(c) || c == '.')
}

/// Returns the value that a definition gives to its name, from the text after the name.
pub(super) fn assigned(text: &str) -> Option<&str> {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        match c {
            '=' if !after.starts_with(['=', '>']) && !"=!<>".contains(before) => {
                return Some(after.trim_start());
            }
            ';' | '{' => return None,
            _ => before = c,
        }
    }
    None
}

/// Returns the called path and the arguments of a text that begins with a call.
pub(super) fn parts_of_call(text: &str) -> Option<(&str, Vec<&str>)> {
    let text = text.strip_prefix("new ").unwrap_or(text).trim_start();
    let open = text.find('(')?;
    let function = text[..open].split('<').next().unwrap_or_default().trim_end();
    if !is_path(function) {
        return None;
    }
    let inside = super::parameters::inside(&text[open..])?;
    Some((function, split(inside, b',').into_iter().map(str::trim).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_from_definitions() {
        let read = |text: &str| {
            let (function, arguments) = parts_of_call(assigned(text)?)?;
            Some(format!("{function} {}", arguments.join("|")))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read(" = wrap(Parser, {a: 1})\n"), some("wrap Parser|{a: 1}"));
        assert_eq!(read(": Type<A> = a.wrap<B>(c(d), 2)"), some("a.wrap c(d)|2"));
        assert_eq!(read(" = (a) => wrap(a)"), None);
        assert_eq!(read(" = { a: wrap(b) }"), None);
        assert_eq!(read(""), None);
    }
}
