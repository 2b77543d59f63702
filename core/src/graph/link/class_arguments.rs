//! Values that a function of Python makes of a class which it receives: `def get(self, kind: type[T]) -> T`.
//!
//! Chains do not contain arguments: those of the calls of the function in the definition around are read.

use super::dialect::Group;
use super::kinds::is_type;
use super::parameters::{inside, parameters};
use super::several::merged;
use super::value::{Candidate, Choice, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::Chain;
use crate::lang::comments::{CommentSyntax, comments};
use crate::lang::facts::Reference;
use crate::lang::split;
use crate::lang::symbols::SymbolKind;

/// The most calls in a definition that are searched for those of a name.
const CALLS_MAX: usize = 1024;

/// The most calls whose arguments are read.
const SAME_MAX: usize = 4;

/// The most bytes of the arguments of a call.
const ARGUMENTS_MAX: usize = 400;

impl Walk<'_> {
    /// Returns the values of what a call of `function` at a place returns; `None` if no class that it receives
    /// determines that. Where some of the classes are not known, what is known is open.
    pub(super) fn made_of_class(
        &self,
        place: Place,
        function: &Candidate,
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        let Value::Name(at) = function.value else { return None };
        let here = self.facts(place.file).filter(|it| it.dialect.group == Group::Python)?;
        let (facts, index) = self.symbol(at)?;
        let symbol = &facts.symbols[index];
        let chain = symbol.type_chain.as_ref().filter(|_| symbol.kind.is_callable())?;
        let results = chain.several().unwrap_or_else(|| vec![chain.clone()]);
        let signature = self.signature(at);
        if !signature.contains("ype[") {
            return None;
        }
        let list = parameters(&symbol.name, &signature)?;
        let is_result = |of: &&str| {
            results.iter().any(|it| it.written_type().is_some_and(|it| it.text() == *of))
        };
        let parts = list.iter().enumerate();
        let given = parts.filter_map(|(number, part)| {
            let of = class_of(part).filter(is_result)?;
            let end = part.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
            Some((number, &part[..end], of))
        });
        let given: Vec<(usize, &str, &str)> = given.collect();
        let own = Place { file: at.file, enclosing: Some(index) };
        let variable = given.first().map(|(.., of)| *of)?;
        if self
            .type_named(own, variable, depth + 1)
            .iter()
            .any(|it| self.kind(it).is_some_and(is_type))
        {
            return None;
        }
        let around = here.symbols.get(place.enclosing?)?;
        let is_function = around.kind.is_callable() || around.kind == SymbolKind::Property;
        let text = self.code.text(place.file).filter(|_| is_function && self.take_step(depth))?;
        let calls = self.code.calls(place.file);
        let first = calls.partition_point(|(_, call)| call.span.start < around.span.start);
        let inside = calls[first..].iter().take(CALLS_MAX + 1);
        let inside = inside.take_while(|(_, call)| call.span.start < around.span.end);
        let inside: Vec<&(String, Reference)> = inside.collect();
        if inside.len() > CALLS_MAX {
            return Some(self.of_bound(function, depth));
        }
        let same = inside
            .into_iter()
            .filter(|(name, call)| *name == symbol.name && call.enclosing == place.enclosing);
        let mut same: Vec<&Reference> = same.map(|(_, call)| call).collect();
        let is_origin = self
            .origin
            .get()
            .is_some_and(|it| it.file == place.file && it.enclosing == place.enclosing);
        if let Some(start) = self.start.get().filter(|_| is_origin) {
            let selected = selected(&text, start, &same);
            same = if selected.is_empty() { same } else { selected };
        }
        let mut classes: Vec<String> = Vec::new();
        let mut is_open = results.len() > 1;
        for call in &same {
            let of_call = class_arguments(&text, call, &given)?;
            is_open |= of_call.is_open;
            for class in of_call.classes {
                if !classes.contains(&class) {
                    classes.push(class);
                }
            }
        }
        if classes.is_empty() {
            return None;
        }
        if classes.len() > SAME_MAX {
            return Some(self.of_bound(function, depth));
        }
        let instances = |class: &String| -> Vec<Candidate> {
            let named = self.chain(place, None, &Chain::name(class.as_str()), depth + 1);
            let types = named.iter().filter(|it| self.kind(it).is_some_and(is_type));
            let made = types.flat_map(|it| self.call(it, depth + 1)).take(VALUES_MAX);
            made.map(|it| Candidate {
                confidence: it.confidence * function.confidence * weights::WRITTEN,
                reason: it.reason.max(function.reason),
                ..it
            })
            .collect()
        };
        let of_each: Vec<Vec<Candidate>> = classes.iter().map(instances).collect();
        if of_each.iter().any(Vec::is_empty) {
            return None;
        }
        Some(merged(of_each, is_open))
    }

    /// Returns values of the declared types, where the class that the function receives is not known.
    fn of_bound(&self, function: &Candidate, depth: usize) -> Vec<Candidate> {
        let mut values = self.call(function, depth);
        values.iter_mut().for_each(|it| it.choice = Choice::Open);
        values
    }
}

/// The classes that a call passes.
#[derive(Default)]
struct Passed {
    classes: Vec<String>,
    /// Whether another class is possible.
    is_open: bool,
}

/// Returns the type variable of a parameter that is a class: `T` of `kind: type[T]`.
fn class_of(parameter: &str) -> Option<&str> {
    let (_, after) = parameter.split_once("type[").or_else(|| parameter.split_once("Type["))?;
    let name = after.split(']').next()?.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then_some(name)
}

/// Returns the calls whose result the use at a byte may be a member of: that right before it, or those that
/// the variable before it is assigned.
fn selected<'c>(text: &[u8], start: usize, calls: &[&'c Reference]) -> Vec<&'c Reference> {
    let before = text.get(..start).unwrap_or_default().trim_ascii_end();
    let Some(before) = before.strip_suffix(b".").map(<[u8]>::trim_ascii_end) else {
        return Vec::new();
    };
    if before.ends_with(b")") {
        let is_before = |call: &&&Reference| {
            let arguments = arguments(text, call);
            arguments.is_some_and(|of| call.span.end + of.len() + 2 == before.len())
        };
        return calls.iter().filter(is_before).copied().collect();
    }
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let name = &before[before.iter().rposition(|byte| !is_word(byte)).map_or(0, |at| at + 1)..];
    let is_name = |word: &[u8]| word == name;
    // `with get(A) as x`, `if some: x = get(A)`
    let is_assigned = |call: &&&Reference| {
        let (before, after) = text.split_at_checked(call.span.start).unwrap_or_default();
        let before = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let after = after.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let mut words =
            before.split(|byte| !is_word(byte)).chain(after.split(|byte| !is_word(byte)));
        call.span.start < start && words.any(is_name)
    };
    let assigned = calls.iter().filter(|call| !name.is_empty() && is_assigned(call));
    assigned.copied().collect()
}

/// Returns the text between the parentheses of a call.
fn arguments(text: &[u8], call: &Reference) -> Option<String> {
    let end = text.len().min(call.span.end + ARGUMENTS_MAX);
    let mut after = text.get(call.span.end..end)?.to_vec();
    for comment in comments(&after, CommentSyntax { line: &["#"], block: &[] }) {
        after[comment].fill(b' ');
    }
    let after = String::from_utf8_lossy(&after);
    let of = after.starts_with('(').then(|| inside(&after)).flatten()?;
    Some(of.to_owned())
}

/// Returns the arguments of a call for some of the parameters that are names of classes; `None` if there is
/// no such argument.
fn class_arguments(text: &[u8], call: &Reference, given: &[(usize, &str, &str)]) -> Option<Passed> {
    let all = arguments(text, call)?;
    let all: Vec<&str> = split(&all, b',').into_iter().map(str::trim).collect();
    let is_class = |of: &str| {
        let last = of.rsplit('.').next().unwrap_or_default().trim_start_matches('_');
        of.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
            && last.starts_with(char::is_uppercase)
    };
    let is_no_type = |of: &str| {
        of.is_empty()
            || matches!(of, "None" | "True" | "False")
            || of.starts_with(|c: char| c == '\'' || c == '"' || c.is_ascii_digit())
    };
    // `get(*all)`
    let mut passed =
        Passed { is_open: all.iter().any(|of| of.starts_with('*')), ..Passed::default() };
    for (number, name, _) in given {
        let by_name = all.iter().find_map(|of| {
            of.strip_prefix(name)?.trim_start().strip_prefix('=').map(str::trim_start)
        });
        let by_place = || all.get(*number).copied().filter(|of| !of.contains('='));
        match by_name.or_else(by_place) {
            Some(of) if is_no_type(of) => {}
            Some(of) if is_class(of) => passed.classes.push(of.to_owned()),
            Some(_) => passed.is_open = true,
            None => {}
        }
    }
    Some(passed).filter(|it| !it.classes.is_empty())
}
