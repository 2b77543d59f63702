//! Parameters of Ruby's methods: the values that calls of the method pass to them. No type is written,
//! but where one method has a name, its calls show what its parameters are.
//!
//! Arguments are read from the text of the calls: new values, constants, `self`, instance variables,
//! literals, results of methods, and local variables that are assigned before the call.

use super::code::{FileFacts, Site};
use super::hops::View;
use super::kinds::is_type;
use super::parameters::parameters;
use super::position::SymbolAt;
use super::value::{Candidate, Choice, Place, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::{Chain, Step};
use crate::lang::facts::Role;
use crate::lang::split;
use crate::lang::symbols::SymbolKind;

/// The most calls of a method whose arguments are followed, and the most uses of its name that are read.
const CALLS_MAX: usize = 16;
const SITES_MAX: usize = 400;

/// The most bytes of the arguments of a call, and of a function before it, that are read.
const CALL_BYTES_MAX: usize = 400;
const BEFORE_BYTES_MAX: usize = 4096;

/// The most definitions of a method's name that are considered.
const NAMED_MAX: usize = 64;

impl Walk<'_> {
    /// Returns the values of the parameter `name` of the method around `place`, as its calls show them, if
    /// these are of one type. O(uses of the method's name), at most [`SITES_MAX`].
    pub(super) fn passed_by_calls(&self, place: Place, name: &str, depth: usize) -> Vec<Candidate> {
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        if !facts.dialect.has_untyped_values || !self.take_step(depth) {
            return Vec::new();
        }
        let Some(method) = method_around(&facts, place.enclosing) else { return Vec::new() };
        let at = SymbolAt { file: place.file, place: method as u32 };
        self.look_up(place.file, View::Passed(at.place), name, depth, || {
            let signature = self.signature(at);
            let parts = parameters(&facts.symbols[method].name, &signature).unwrap_or_default();
            let Some(parameter) = Parameter::new(&parts, name) else { return Vec::new() };
            self.arguments_of_calls(&facts, at, &parameter, depth)
        })
    }

    fn arguments_of_calls(
        &self,
        facts: &FileFacts,
        method: SymbolAt,
        parameter: &Parameter<'_>,
        depth: usize,
    ) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = Vec::new();
        for (site, after) in self.calls_of(facts, method).into_iter().take(CALLS_MAX) {
            let Some(text) = self.code.text(site.file) else { continue };
            let end = text.len().min(after + CALL_BYTES_MAX);
            let written = String::from_utf8_lossy(text.get(after..end).unwrap_or_default());
            let Some(argument) = parameter.of_call(&written) else { continue };
            let place = Place { file: site.file, enclosing: site.reference.enclosing };
            let Some(chain) =
                self.chain_of_argument(place, &text, site.reference.span.start, argument)
            else {
                continue;
            };
            let values = self.chain(place, None, &chain, depth + 1);
            let is_known =
                |it: &Candidate| matches!(it.value, Value::Instance(..) | Value::Name(_));
            for value in values.into_iter().filter(is_known) {
                let same = |other: &Candidate| match (&other.value, &value.value) {
                    (Value::Instance(a, _), Value::Instance(b, _)) => self.is_same_type(*a, *b),
                    (Value::Name(a), Value::Name(b)) => a == b,
                    _ => false,
                };
                if !found.iter().any(same) {
                    let confidence = value.confidence * weights::SHOWN;
                    found.push(Candidate { confidence, ..value });
                }
            }
        }
        // Of many types the calls select none.
        if found.len() > 2 {
            found.clear();
        }
        if let [first, second] = &mut found[..] {
            first.choice = first.choice.and(Choice::OneOf { which: 1, all: 3 });
            second.choice = second.choice.and(Choice::OneOf { which: 2, all: 3 });
        }
        found
    }

    /// Returns true for parts of one type.
    fn is_same_type(&self, a: SymbolAt, b: SymbolAt) -> bool {
        let name = |at| self.symbol(at).map(|(facts, at)| facts.symbols[at].qualified_name.clone());
        a == b || name(a) == name(b)
    }

    /// Returns the calls of a method that are certain by its name, each with the byte at which its
    /// arguments begin: all calls of a name that one method has, otherwise those on the object itself in
    /// the method's type.
    fn calls_of(&self, facts: &FileFacts, method: SymbolAt) -> Vec<(Site, usize)> {
        let symbol = &facts.symbols[method.place as usize];
        if facts.is_constructor(method.place as usize) {
            return self.constructing_calls(facts, method);
        }
        let is_callable = |at: &&SymbolAt| {
            self.symbol(**at).is_some_and(|(there, at)| {
                there.dialect.group == facts.dialect.group && there.symbols[at].kind.is_callable()
            })
        };
        let named = self.code.named(&symbol.name);
        let count = named.iter().take(NAMED_MAX).filter(is_callable).count();
        let is_standard = facts.dialect.standard.binary_search(&symbol.name.as_str()).is_ok();
        let is_only = count == 1 && named.len() <= NAMED_MAX && !is_standard;
        let own = type_around(facts, Some(method.place as usize));
        let is_its = |site: &Site| {
            let used = &site.reference;
            let is_own_chain = |it: &Chain| *it == Chain::own() || it.implicit().is_some();
            let is_own = used.receiver.as_ref().is_none_or(is_own_chain);
            let is_here = site.file == method.file && type_around(facts, used.enclosing) == own;
            used.role == Role::Call && (is_only || is_own && is_here)
        };
        let sites = self.code.sites(&symbol.name).into_iter().take(SITES_MAX).filter(is_its);
        sites
            .map(|site| {
                let end = site.reference.span.end;
                (site, end)
            })
            .collect()
    }

    /// Returns the calls of `new` of a constructor's type, or of those that inherit it.
    fn constructing_calls(&self, facts: &FileFacts, method: SymbolAt) -> Vec<(Site, usize)> {
        let Some(of) = facts.symbols[method.place as usize].parent else { return Vec::new() };
        let name = facts.symbols[of].name.clone();
        let derived = self.code.derived(&name);
        let inheriting = derived.iter().take(NAMED_MAX).filter_map(|at| {
            let (there, place) = self.symbol(*at)?;
            there.inherits_constructor(place).then(|| there.symbols[place].name.clone())
        });
        let names: Vec<String> = [name].into_iter().chain(inheriting).collect();
        let mut found = Vec::new();
        for name in names {
            for site in self.code.sites(&name).into_iter().take(SITES_MAX) {
                let end = site.reference.span.end;
                let Some(text) = self.code.text(site.file) else { continue };
                let rest = text.get(end..).unwrap_or_default();
                if rest.starts_with(b".new(") || rest.starts_with(b".new ") {
                    found.push((site, end + b".new".len()));
                }
                if found.len() >= CALLS_MAX {
                    return found;
                }
            }
        }
        found
    }

    /// Returns the chain of an argument as it is written, of a call at `start`.
    fn chain_of_argument(
        &self,
        place: Place,
        text: &[u8],
        start: usize,
        argument: &str,
    ) -> Option<Chain> {
        if !is_variable_name(argument) {
            return chain_of(argument);
        }
        let facts = self.facts(place.file)?;
        let method = method_around(&facts, place.enclosing);
        let from = method.map_or(0, |at| facts.symbols[at].span.start).min(start);
        let before = text.get(from.max(start.saturating_sub(BEFORE_BYTES_MAX))..start)?;
        let before = String::from_utf8_lossy(before);
        if let Some(value) = assigned(&before, argument) {
            return if is_variable_name(value) { None } else { chain_of(value) };
        }
        let at = SymbolAt { file: place.file, place: method? as u32 };
        let signature = self.signature(at);
        let parts = parameters(&facts.symbols[at.place as usize].name, &signature);
        if Parameter::new(&parts.unwrap_or_default(), argument).is_some() {
            return Some(Chain::variable(argument));
        }
        // A parameter of a block, or a method.
        let is_of_block =
            before.contains(&format!("|{argument}")) || before.contains(&format!(" {argument}|"));
        (!is_of_block).then(|| Chain::name(argument).then(Step::Call))
    }
}

/// A parameter of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Parameter<'a> {
    /// The number of its argument.
    Number(usize),
    /// The name of its argument: `name:`.
    Keyword(&'a str),
}

impl<'a> Parameter<'a> {
    /// Returns the parameter `name` of those that are written; `None` if it has no argument of its own.
    fn new(parts: &[&str], name: &'a str) -> Option<Parameter<'a>> {
        for (at, part) in parts.iter().enumerate() {
            let own = part.split([':', '=', ' ']).next().unwrap_or(part);
            if own == name {
                let is_keyword = part[own.len()..].starts_with(':');
                return Some(if is_keyword {
                    Parameter::Keyword(name)
                } else {
                    Parameter::Number(at)
                });
            }
            if part.starts_with(['*', '&', '(']) {
                return None;
            }
        }
        None
    }

    /// Returns the argument for the parameter in the text after the name of a call.
    fn of_call<'t>(&self, after: &'t str) -> Option<&'t str> {
        let inner = match after.strip_prefix('(') {
            Some(rest) => &rest[..closing(rest)?],
            None => {
                let line = after.strip_prefix(' ')?.lines().next()?;
                let is_argument =
                    line.starts_with(|c: char| c.is_alphanumeric() || "@:'\"_".contains(c));
                let end =
                    [" do", " if ", " unless ", " {"].iter().filter_map(|it| line.find(it)).min();
                let line = &line[..end.unwrap_or(line.len())];
                Some(line).filter(|_| is_argument)?
            }
        };
        let parts: Vec<&str> = split(inner, b',').into_iter().map(str::trim).collect();
        if parts.iter().any(|part| part.starts_with('*')) {
            return None;
        }
        match self {
            Parameter::Number(at) => {
                let part = *parts.get(*at)?;
                let is_pair = part.contains(" => ")
                    || part.split_once(": ").is_some_and(|(key, _)| is_variable_name(key));
                (!part.is_empty() && !is_pair && !part.starts_with('&')).then_some(part)
            }
            Parameter::Keyword(name) => parts.into_iter().find_map(|part| {
                let rest = part.strip_prefix(name)?.strip_prefix(':')?.trim();
                Some(if rest.is_empty() { &part[..name.len()] } else { rest })
            }),
        }
    }
}

/// Returns the chain of an expression that shows its value.
fn chain_of(text: &str) -> Option<Chain> {
    let text = text.trim();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    if text == "self" {
        return Some(Chain::own());
    }
    if let Some(name) = text.strip_prefix('@') {
        let is_whole = !name.is_empty() && name.chars().all(is_name);
        return is_whole.then(|| Chain::own().then(Step::Member(text)));
    }
    if !text.starts_with(|c: char| c.is_alphabetic() || c == ':' || c == '_') {
        return None;
    }
    let end = text.find(|c: char| !is_name(c) && c != ':').unwrap_or(text.len());
    let (path, rest) = text.split_at(end);
    let global = path.strip_prefix("::");
    let path = global.unwrap_or(path);
    if !path.starts_with(char::is_uppercase) {
        return None;
    }
    let path = format!("{}{}", if global.is_some() { "\\" } else { "" }, path.replace("::", "."));
    if rest.is_empty() {
        return Some(Chain::name(path));
    }
    let call = rest.strip_prefix('.')?;
    let name_end = call.find(|c: char| !is_name(c) && c != '?' && c != '!').unwrap_or(call.len());
    let (name, arguments) = call.split_at(name_end);
    let is_whole = match arguments.strip_prefix('(') {
        Some(inner) => closing(inner).is_some_and(|end| end + 1 == inner.len()),
        None => arguments.is_empty(),
    };
    match name {
        _ if !is_whole => None,
        "new" => Some(Chain::instance(&path)),
        name => Some(Chain::name(path).then(Step::Member(name)).then(Step::Call)),
    }
}

/// Returns the last value that is assigned to a variable in a text, if each assignment is a line.
fn assigned<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let value = |line: &'t str| {
        let rest = line.trim_start().strip_prefix(name)?.trim_start();
        let rest = rest.strip_prefix("||").unwrap_or(rest).strip_prefix('=')?;
        (!rest.starts_with(['=', '~'])).then(|| rest.trim())
    };
    text.lines().rev().find_map(value)
}

fn is_variable_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_lowercase() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !matches!(text, "self" | "nil" | "true" | "false")
}

/// Returns the offset of the bracket that closes one before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut level = 0_usize;
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => level += 1,
            (None, b')' | b']' | b'}') if level == 0 => return Some(at),
            (None, b')' | b']' | b'}') => level -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the innermost method around a symbol: by the text where it belongs to a type.
fn method_around(facts: &FileFacts, place: Option<usize>) -> Option<usize> {
    let place = place.filter(|&at| at < facts.symbols.len())?;
    let is_method = |at: &usize| facts.symbols[*at].kind.is_callable();
    let around = facts.ancestors(Some(place)).find(is_method);
    let span = &facts.symbols[place].span;
    around.or_else(|| {
        let parent = facts.symbols[place].parent;
        let siblings = facts.symbols.iter().enumerate().take(place).rev();
        let mut methods = siblings.filter(|(at, symbol)| symbol.parent == parent && is_method(at));
        methods
            .find(|(_, it)| it.span.start <= span.start && span.end <= it.span.end)
            .map(|it| it.0)
    })
}

/// Returns the innermost type or module around a symbol.
fn type_around(facts: &FileFacts, place: Option<usize>) -> Option<usize> {
    facts.ancestors(place).find(|&at| {
        let kind = facts.symbols[at].kind;
        is_type(kind) || kind == SymbolKind::Module
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_found_by_number_and_by_name() {
        let of = |parameter: Parameter<'_>, text| parameter.of_call(text).map(str::to_owned);
        assert_eq!(of(Parameter::Number(1), "(a, B.new(1, 2)).c"), Some("B.new(1, 2)".to_owned()));
        assert_eq!(of(Parameter::Number(0), " a, b if c"), Some("a".to_owned()));
        assert_eq!(of(Parameter::Number(0), "(*all)"), None);
        assert_eq!(of(Parameter::Number(0), " + 1"), None);
        assert_eq!(of(Parameter::Number(0), "(key: 1)"), None);
        assert_eq!(of(Parameter::Keyword("to"), "(a, to: B.new)"), Some("B.new".to_owned()));
        assert_eq!(of(Parameter::Keyword("to"), "(to:)"), Some("to".to_owned()));
        let parts = ["a", "b = 1", "c:", "*d", "e"];
        assert_eq!(Parameter::new(&parts, "b"), Some(Parameter::Number(1)));
        assert_eq!(Parameter::new(&parts, "c"), Some(Parameter::Keyword("c")));
        assert_eq!(Parameter::new(&parts, "e"), None);
    }

    #[test]
    fn expressions_show_their_values() {
        for (text, expected) in [
            ("self", Some("$")),
            ("@a", Some("$.@a")),
            ("A::B.new(1)", Some("@A.B")),
            ("A.make(x) ", Some("A.make()")),
            ("::A", Some("\\A")),
            ("A.new(1).b", None),
            // The text of a call is cut off.
            ("A.make(", None),
            ("A.new(b", None),
            ("a + 1", None),
            ("1", None),
        ] {
            assert_eq!(chain_of(text).as_ref().map(Chain::as_str), expected, "{text}");
        }
        assert_eq!(assigned("a = B.new\n  a == c\n x(a)", "a"), Some("B.new"));
    }
}
