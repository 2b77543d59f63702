//! Members of what a pointer-like type of the repository refers to, where the type has a member of the
//! name itself: C++'s `p->name()` runs `operator->` of a `p` that is no pointer, and Rust's `(*p).name()`
//! runs `deref()` of a `p` that is no reference.

use super::code::FileFacts;
use super::kinds::is_variable;
use super::overloads::before_call;
use super::position::SymbolAt;
use super::result::{Reason, Use};
use super::value::{Candidate, Choice, Place, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::symbols::SymbolKind;

/// The most definitions of one name that are compared.
const NAMED_MAX: usize = 16;

/// Types whose `->` leads to members of the type that they name, and functions that return one.
const POINTERS: [&str; 3] = ["shared_ptr", "unique_ptr", "weak_ptr"];
const MAKERS: [&str; 2] = ["make_shared", "make_unique"];

/// What a value before `->` or after `*` is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Pointer {
    /// A value of the type, whose operator runs.
    Value,
    /// A pointer to one, or a reference.
    Address,
    /// Either.
    Unknown,
}

impl Walk<'_> {
    /// Replaces the members of the type of `value` by those of what its operator returns, if the use runs
    /// that; adds them if it may.
    pub(super) fn add_pointed(
        &self,
        place: Place,
        used: Use<'_>,
        value: &Candidate,
        found: &mut Vec<Candidate>,
    ) {
        let loaded = match value.value {
            Value::Name(_) if self.kind(value).is_some_and(is_variable) => self.load(value, 1),
            _ => Vec::new(),
        };
        let value = if let [loaded] = &loaded[..] { loaded } else { value };
        let (of, written) = match value.value {
            Value::Instance(of, ref written) => (of, written.as_ref()),
            Value::Name(of) if self.is_unit_struct(of) => (of, None),
            _ => return,
        };
        let (Some(start), Some(facts)) = (used.start, self.facts(place.file)) else { return };
        if facts.dialect.has_namespaces && self.is_own_of_pointer(&facts, place, start) {
            *found = vec![Candidate::new(Value::Outside, 1.0, Reason::Receiver)];
            return;
        }
        let is_member = |it: &Candidate| matches!(it.value, Value::Name(_));
        let dialect = facts.dialect;
        let Some(deref) = dialect.deref.filter(|_| found.iter().any(is_member)) else { return };
        let Some(text) = self.code.text(place.file) else { return };
        let Some(before) = text.get(..start) else { return };
        let before = before.trim_ascii_end();
        let is_arrow = before.ends_with(b"->");
        let is_run = if dialect.has_namespaces { is_arrow } else { before.ends_with(b").") };
        // `(*self)` in a block for a reference: the chain has the operator.
        let is_followed = used.receiver.is_some_and(|chain| chain.is_call_of(deref));
        if !is_run || is_followed || used.name == deref {
            return;
        }
        let before = before_call(&facts, place, &text, start);
        let pointer = if dialect.has_namespaces {
            self.pointer_of_cpp(of, before.trim_end().trim_end_matches("->"))
        } else {
            match dereferenced(&before) {
                Some(name) => self.reference_of_rust(of, &before, name),
                None => return,
            }
        };
        if pointer == Pointer::Address || !self.members(of, deref, 1).iter().any(is_member) {
            return;
        }
        let mut pointed = self.deref_members(of, written, used.name, 1);
        for it in &mut pointed {
            it.confidence *= value.confidence;
            it.choice = it.choice.and(value.choice);
        }
        if pointer == Pointer::Value && !pointed.is_empty() {
            *found = pointed;
            return;
        }
        let own: Vec<Option<SymbolAt>> = found.iter().map(|it| it.link().map(|it| it.to)).collect();
        pointed.retain(|it| !own.contains(&it.link().map(|it| it.to)));
        if !pointed.is_empty() || pointer == Pointer::Value {
            found.extend(pointed);
            for it in found.iter_mut() {
                it.choice = Choice::Open;
                it.confidence *= weights::WEAK;
            }
        }
    }

    /// Returns true for the call of a smart pointer's own method, by `.`: `item.reset()` of a
    /// `unique_ptr<Item>`.
    fn is_own_of_pointer(&self, facts: &FileFacts, place: Place, start: usize) -> bool {
        let Some(text) = self.code.text(place.file) else { return false };
        let is_dot = |before: &[u8]| before.trim_ascii_end().ends_with(b".");
        if !text.get(..start).is_some_and(is_dot) {
            return false;
        }
        let before = before_call(facts, place, &text, start);
        let before = before.trim_end().trim_end_matches('.').trim_end();
        let name = last_name(before);
        let around = before[..before.len() - name.len()].trim_end();
        if name.is_empty() || around.ends_with("->") || around.ends_with('.') {
            return false;
        }
        let written = super::overloads::written_type(around, name);
        written.is_some_and(|written| {
            let written = written.strip_prefix("auto=").unwrap_or(&written).trim_start();
            let (path, after) = written.split_once('<').unwrap_or((written, ""));
            let name = last_name(path);
            let is_made = MAKERS.contains(&name) && after.ends_with(')') && !after.contains("->");
            is_made
                || POINTERS.contains(&name)
                    && !after.rsplit('>').next().is_some_and(|it| it.contains('*'))
        })
    }

    /// Returns what the object at the end of `before` is, as far as its declaration shows.
    fn pointer_of_cpp(&self, of: SymbolAt, before: &str) -> Pointer {
        let before = before.trim_end();
        let name = last_name(before);
        let around = before[..before.len() - name.len()].trim_end();
        let Some((facts, place)) = self.symbol(of) else { return Pointer::Unknown };
        let own = facts.symbols[place].name.as_str();
        if name == "this" {
            return Pointer::Address;
        }
        if name.is_empty() {
            return Pointer::Unknown;
        }
        let is_member = around.ends_with("->") || around.ends_with('.');
        let written = super::overloads::written_type(around, name).filter(|_| !is_member);
        if let Some(written) = written {
            return pointer(&written, own);
        }
        let mut known = None;
        for &at in self.code.named(name).iter().take(NAMED_MAX) {
            let Some((there, place)) = self.symbol(at) else { return Pointer::Unknown };
            let symbol = &there.symbols[place];
            let text =
                self.code.text(at.file).filter(|_| there.language.name == facts.language.name);
            let Some(text) = text.filter(|_| !symbol.kind.is_callable()) else {
                return Pointer::Unknown;
            };
            let written = text.get(symbol.span.start..symbol.name_span.start).unwrap_or_default();
            let is = pointer(&String::from_utf8_lossy(written), own);
            if known.is_some_and(|known| known != is) {
                return Pointer::Unknown;
            }
            known = Some(is);
        }
        known.unwrap_or(Pointer::Unknown)
    }

    /// Returns what the variable `name` of Rust is, as far as its last declaration in `before` shows.
    fn reference_of_rust(&self, of: SymbolAt, before: &str, name: &str) -> Pointer {
        let Some((facts, place)) = self.symbol(of) else { return Pointer::Unknown };
        let own = facts.symbols[place].name.as_str();
        if name == "self" {
            // The first parameter of the method.
            let list = before.split_once('(').map_or("", |(_, list)| list);
            let first = list.split([',', ')']).next().unwrap_or_default();
            let is_reference = first.trim_start().starts_with('&');
            return if is_reference { Pointer::Address } else { Pointer::Unknown };
        }
        if name == own && self.is_unit_struct(of) {
            return Pointer::Value;
        }
        let is_own = |written: &str| written.rsplit("::").next().is_some_and(|last| last == own);
        let word = |text: &str| {
            let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
            text[..end.unwrap_or(text.len())].to_owned()
        };
        for (at, _) in before.rmatch_indices(name).take(64) {
            let after = &before[at + name.len()..];
            if !last_name(&before[..at]).is_empty() || after.starts_with(is_word) {
                continue;
            }
            let after = after.trim_start();
            let typed = after.strip_prefix(':').filter(|it| !it.starts_with(':'));
            let is_variable = before[..at].trim_end().ends_with("let")
                || before[..at].trim_end().ends_with("mut");
            let value = after.strip_prefix('=').filter(|it| is_variable && !it.starts_with('='));
            let Some(written) = typed.or(value).map(str::trim_start) else { continue };
            return match written {
                _ if written.starts_with('&') => Pointer::Address,
                _ if typed.is_some() && is_own(&word(written)) => Pointer::Value,
                _ if typed.is_none() && is_own(&word(written)) => {
                    let after = written[word(written).len()..].trim_start();
                    let is_made = after.starts_with(['{', '('])
                        || after.starts_with(';') && self.is_unit_struct(of);
                    if is_made { Pointer::Value } else { Pointer::Unknown }
                }
                _ => Pointer::Unknown,
            };
        }
        Pointer::Unknown
    }

    /// Returns true for `struct Name;` of Rust: its name is also its only value.
    fn is_unit_struct(&self, of: SymbolAt) -> bool {
        let Some((facts, place)) = self.symbol(of) else { return false };
        let symbol = &facts.symbols[place];
        let text = self.code.text(of.file);
        let after = text.as_ref().and_then(|text| text.get(symbol.name_span.end..));
        facts.dialect.deref.is_some()
            && !facts.dialect.has_namespaces
            && symbol.kind == SymbolKind::Struct
            && after.is_some_and(|after| after.trim_ascii_start().starts_with(b";"))
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the name at the end of a text; empty if there is none.
fn last_name(text: &str) -> &str {
    &text[text.trim_end_matches(is_word).len()..]
}

/// Returns the name in `(*name).` at the end of a text.
fn dereferenced(before: &str) -> Option<&str> {
    let inner = before.trim_end().strip_suffix('.')?.trim_end().strip_suffix(')')?.trim_end();
    let name = last_name(inner);
    let around = inner[..inner.len() - name.len()].trim_end().strip_suffix('*')?;
    (around.trim_end().ends_with('(') && !name.is_empty()).then_some(name)
}

/// Returns what a variable of the written type is, if the name of the type is `own`.
fn pointer(written: &str, own: &str) -> Pointer {
    if let Some(value) = written.strip_prefix("auto=") {
        return pointer_value(value, own);
    }
    let plain = written.split('<').next().unwrap_or_default();
    let after = written.rsplit('>').next().filter(|_| written.contains('<')).unwrap_or(plain);
    let name =
        plain.trim_end_matches(['&', '*', ' ']).rsplit([':', ' ']).next().unwrap_or_default();
    if after.contains('*') {
        Pointer::Address
    } else if name == own {
        Pointer::Value
    } else if written.contains('<') && POINTERS.contains(&name) {
        Pointer::Address
    } else {
        Pointer::Unknown
    }
}

/// Returns what a variable with `auto` and the written value is.
fn pointer_value(value: &str, own: &str) -> Pointer {
    let value = value.trim_start();
    if value.strip_prefix("new").is_some_and(|after| after.starts_with([' ', '('])) {
        return Pointer::Address;
    }
    let Some((path, _)) = value.split_once('<') else { return Pointer::Unknown };
    let name = last_name(path);
    let is_path = path.chars().all(|c| is_word(c) || c == ':');
    // `make_unique<Type>()->member()` is another value.
    let is_whole = !value.contains("->") && !value.contains(").");
    let is_pointer = POINTERS.contains(&name) && name != own || MAKERS.contains(&name);
    if is_path && is_whole && is_pointer { Pointer::Address } else { Pointer::Unknown }
}
