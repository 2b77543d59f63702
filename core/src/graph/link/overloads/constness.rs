//! Whether the object of a call in C++ is constant, as far as texts show: it selects between overloads
//! that differ only in `const` after their parameters.

use super::before_call;
use super::written::written_type;
use crate::graph::link::binding::has_word;
use crate::graph::link::code::FileFacts;
use crate::graph::link::value::Place;
use crate::graph::link::walk::Walk;

/// The most calls and variables that are followed: `a()->b()->c()`, `auto x = a();`.
const DEPTH_MAX: usize = 4;

/// The most definitions of a name that are compared.
const NAMED_MAX: usize = 16;

impl Walk<'_> {
    /// Returns whether the object of the call at the byte `call` is constant; `None` if that is unknown.
    pub(super) fn is_const_receiver(
        &self,
        facts: &FileFacts,
        place: Place,
        text: &[u8],
        call: usize,
    ) -> Option<bool> {
        self.is_const_object(facts, place, &before_call(facts, place, text, call), 0)
    }

    /// Returns whether the object is constant that is written at the end of `before`, with `.` or `->`
    /// after it; without either it is that of the enclosing method.
    fn is_const_object(
        &self,
        facts: &FileFacts,
        place: Place,
        before: &str,
        depth: usize,
    ) -> Option<bool> {
        if depth > DEPTH_MAX {
            return None;
        }
        let is_arrow = before.ends_with("->");
        let object = before.strip_suffix("->").or_else(|| before.strip_suffix('.'));
        let Some(object) = object.map(str::trim_end) else {
            return self.is_const_method(facts, place);
        };
        // A cast shows the type.
        if object.strip_suffix("(*this)").is_some_and(|before| !before.ends_with('>')) {
            return self.is_const_method(facts, place);
        }
        if let Some(open) = opening(object) {
            return self.is_const_result(facts, place, &object[..open], is_arrow, depth);
        }
        let start = word_start(object);
        let (around, name) = object.split_at(start);
        if name == "this" {
            return self.is_const_method(facts, place);
        }
        if name.is_empty() {
            return None;
        }
        let is_member = around.ends_with("->") || around.ends_with('.');
        let written = written_type(around, name).filter(|_| !is_member);
        match written.as_deref().map(|of| (of, of.strip_prefix("auto="))) {
            Some((_, Some(_))) if is_const_auto(around, name) => Some(true),
            Some((_, Some(value))) if value.ends_with(')') && !value.contains('?') => {
                let operator = if is_arrow { "->" } else { "." };
                self.is_const_object(
                    facts,
                    place,
                    &format!("{around} {value}{operator}"),
                    depth + 1,
                )
            }
            Some((_, Some(_))) => None,
            Some((of, None)) => is_const_type(of, is_arrow),
            None => {
                let is_const_owner = || {
                    if is_member {
                        self.is_const_object(facts, place, around, depth + 1)
                    } else {
                        self.is_const_method(facts, place)
                    }
                };
                self.is_const_field(name, is_arrow, is_const_owner)
            }
        }
    }

    fn is_const_method(&self, facts: &FileFacts, place: Place) -> Option<bool> {
        place.enclosing.map(|at| {
            let signature = facts.signature(at as u32, || self.code.text(place.file));
            signature.rsplit(')').next().is_some_and(|end| has_word(end, "const"))
        })
    }

    /// Returns whether what a field refers to is constant: as its type shows, and for a value also in a
    /// constant object.
    fn is_const_field(
        &self,
        name: &str,
        is_arrow: bool,
        is_const_owner: impl Fn() -> Option<bool>,
    ) -> Option<bool> {
        let fields = self.code.named(name);
        let mut known = None;
        for &at in fields.iter().take(NAMED_MAX) {
            let (facts, place) = self.symbol(at)?;
            let symbol = &facts.symbols[place];
            if symbol.kind.is_callable() || facts.language.name != "cpp" {
                return None;
            }
            let text = self.code.text(at.file)?;
            let of = text.get(symbol.span.start..symbol.name_span.start)?;
            let own = is_const_type(&String::from_utf8_lossy(of), is_arrow)?;
            if known.is_some_and(|known| known != own) {
                return None;
            }
            known = Some(own);
        }
        match known? {
            false if !is_arrow => is_const_owner(),
            known => Some(known),
        }
    }

    /// Returns whether the result of the call of what is written at the end of `callee` is constant.
    fn is_const_result(
        &self,
        facts: &FileFacts,
        place: Place,
        callee: &str,
        is_arrow: bool,
        depth: usize,
    ) -> Option<bool> {
        let callee = callee.trim_end();
        if let Some((_, of)) = callee.rsplit_once("_cast<").filter(|_| callee.ends_with('>')) {
            return is_const_type(of.trim_end_matches('>'), is_arrow);
        }
        let start = word_start(callee);
        let (before, name) = callee.split_at(start);
        if name.is_empty() {
            return None;
        }
        let functions = self.code.named(name);
        let mut results: Vec<(bool, bool)> = Vec::new();
        for &at in functions.iter().take(NAMED_MAX) {
            let (there, place) = self.symbol(at)?;
            let symbol = &there.symbols[place];
            if !symbol.kind.is_callable() || there.language.name != "cpp" {
                return None;
            }
            let text = self.code.text(at.file)?;
            let head = text.get(symbol.source.signature.start..symbol.name_span.start)?;
            let head = String::from_utf8_lossy(head);
            let head = head.rsplit('\n').find(|line| !line.trim().is_empty()).unwrap_or_default();
            let signature = there.signature(at.place, || Some(text.clone()));
            let is_method = signature.rsplit(')').next().is_some_and(|end| has_word(end, "const"));
            results.push((is_method, is_const_type(head, is_arrow)?));
        }
        let one = |results: &[(bool, bool)]| {
            let first = results.first()?.1;
            results.iter().all(|of| of.1 == first).then_some(first)
        };
        one(&results).or_else(|| {
            let owner = self.is_const_object(facts, place, before, depth + 1)?;
            results.retain(|of| of.0 == owner);
            one(&results)
        })
    }
}

/// Returns whether a value of a type is constant, or with `->` what it points to; `None` for a type
/// that does not show what it points to.
fn is_const_type(written: &str, is_arrow: bool) -> Option<bool> {
    let plain: String = {
        let mut level = 0_usize;
        let is_outside = |c: &char| {
            level += usize::from(*c == '<');
            let is_outside = level == 0;
            level -= usize::from(*c == '>' && level > 0);
            is_outside
        };
        written.chars().filter(is_outside).collect()
    };
    match (is_arrow, plain.rsplit_once('*')) {
        (false, _) => Some(has_word(&plain, "const")),
        (true, Some((of, _))) => Some(has_word(of, "const")),
        (true, None) if plain.ends_with("iterator") => Some(plain.ends_with("const_iterator")),
        (true, None) => {
            let arguments = written.split_once('<')?.1;
            Some(has_word(arguments.rsplit_once('>').map_or(arguments, |of| of.0), "const"))
        }
    }
}

/// Returns true if the text declares `name` as `const auto`.
fn is_const_auto(text: &str, name: &str) -> bool {
    let forms = ["const auto &", "const auto& ", "const auto *", "const auto* ", "const auto "];
    forms.iter().any(|form| {
        let found = text.match_indices(&format!("{form}{name}")).last();
        found.is_some_and(|(at, form)| {
            !text[at + form.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    })
}

fn word_start(text: &str) -> usize {
    text.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len()
}

/// Returns the byte of the parenthesis that the last byte of a text closes.
fn opening(text: &str) -> Option<usize> {
    if !text.ends_with(')') {
        return None;
    }
    let mut level = 0_usize;
    text.bytes().rposition(|byte| {
        level += usize::from(byte == b')');
        level -= usize::from(byte == b'(');
        level == 0
    })
}
