//! What arguments of C++ show of their types, and which parameters fit them.

use super::{CALL_BYTES_MAX, Form, Rules, Shape, arguments, declared, last_open, shape};
use crate::graph::link::binding::{arithmetic, canonical, is_builtin};
use crate::graph::link::kinds::{is_type, is_variable};
use crate::graph::link::position::SymbolAt;
use crate::graph::link::result::Use;
use crate::graph::link::value::{Candidate, Place, Value};
use crate::graph::link::walk::Walk;
use crate::lang::chain::{Chain, Step};
use crate::lang::symbols::SymbolKind;

/// The most types that are searched for a base, and the most steps of a path to a member.
const TYPES_MAX: usize = 16;
const STEPS_MAX: usize = 6;

impl Walk<'_> {
    /// Returns what an argument that is no single name shows: `Type(…)`, a macro around a string
    /// (`STR("a")`), an enumerator (`ns::A`), a member (`a.b`, `*a->b`); `None` if it is unknown.
    pub(super) fn form_of_expression(
        &self,
        rules: &Rules,
        place: Place,
        (start, argument): (usize, &str),
        before: &str,
    ) -> Option<Form> {
        if let Some(open) = last_open(argument).or_else(|| argument.find('{')) {
            let called = argument[..open].trim_end();
            let is_path = |c: char| c.is_alphanumeric() || "_:".contains(c);
            if called.is_empty() || !called.chars().all(is_path) {
                return None;
            }
            let inner = argument[open + 1..].trim_end_matches([')', '}']).trim();
            let found = self.called(place, start, argument, called);
            let is_of = |kind: &dyn Fn(SymbolKind) -> bool| {
                !found.is_empty() && found.iter().all(|it| self.kind(it).is_some_and(kind))
            };
            if is_of(&|kind| is_type(kind) || kind == SymbolKind::Constructor) {
                let base = called.rsplit("::").next().unwrap_or(called).to_owned();
                return Some(Form::Typed(Shape::plain(base, false)));
            }
            if is_of(&|kind| kind.is_callable() && kind != SymbolKind::Macro) {
                let result = self.result_type(rules, place, start, argument);
                return Some(result.map_or(Form::Unknown, Form::Typed));
            }
            let form = (rules.literal)(inner);
            return (is_of(&|kind| kind == SymbolKind::Macro) && form == Form::Text)
                .then_some(form);
        }
        let (path, is_value) = match argument.strip_prefix('*') {
            Some(path) => (path, true),
            None => (argument, false),
        };
        let path = path.replace("->", ".").replace("::", ".");
        let is_path = |c: char| c.is_alphanumeric() || "_.".contains(c);
        let steps: Vec<&str> = path.split('.').collect();
        if !path.chars().all(is_path) || steps.len() > STEPS_MAX || steps.contains(&"") {
            return None;
        }
        let root = match declared(before, steps[0]) {
            Some(of) => Chain::instance(&of.base),
            None => Chain::name(steps[0]),
        };
        let chain = steps[1..].iter().fold(root, |chain, name| chain.then(Step::Member(name)));
        let found = self.chain(place, None, &chain, 1);
        let [first, ..] = found.as_slice() else { return None };
        let Value::Name(at) = first.value else { return None };
        let shape = self.type_of_member_from(place, at)?;
        match (is_value, shape.is_pointer) {
            (true, false) => None,
            (true, true) => Some(Form::Typed(Shape { is_pointer: false, ..shape })),
            _ => Some(Form::Typed(shape)),
        }
    }

    /// Returns the written type of a field or variable as it is seen from a place: that of a template, where
    /// the place is not inside of it, may be a type parameter, which stands for any type.
    pub(super) fn type_of_member_from(&self, place: Place, at: SymbolAt) -> Option<Shape> {
        let shape = self.type_of_member(at)?;
        let own = Place { file: at.file, enclosing: Some(at.place as usize) };
        let is_open = self.is_template_parameter(own, &shape.base)
            && !self.is_template_parameter(place, &shape.base);
        (!is_open).then_some(shape)
    }

    /// Returns the written type of a field or variable, and the enumeration of an enumerator.
    pub(super) fn type_of_member(&self, at: SymbolAt) -> Option<Shape> {
        let (facts, place) = self.symbol(at)?;
        let symbol = facts.symbols.get(place)?;
        if symbol.kind == SymbolKind::EnumMember {
            let of = facts.symbols.get(symbol.parent?)?;
            return (of.kind == SymbolKind::Enum).then(|| Shape::plain(of.name.clone(), false));
        }
        let is_variable = is_variable(symbol.kind);
        let signature = facts.signature(at.place, || self.code.text(at.file));
        let written = signature.split(['=', '{']).next().unwrap_or_default();
        is_variable.then(|| shape(&written.replace(&symbol.name, " x"))).flatten()
    }

    /// Returns what the call at the start of an argument refers to.
    fn called(&self, place: Place, start: usize, argument: &str, called: &str) -> Vec<Candidate> {
        let name = called.rsplit("::").next().unwrap_or(called);
        let byte = start + argument.find(called).unwrap_or_default() + called.len() - name.len();
        let calls = self.code.calls(place.file);
        let at = calls.partition_point(|(_, call)| call.span.start < byte);
        match calls.get(at).filter(|(_, call)| call.span.start == byte) {
            Some((name, call)) => {
                let used = Use { start: None, ..Use::new(name, call) };
                self.candidates(Place { enclosing: used.enclosing, ..place }, used)
            }
            None => self.name(place, name, 1),
        }
    }

    /// Returns true if one class is derived from another one, as far as the repository shows; `None`
    /// if it does not define the first one.
    fn derives(&self, place: Place, derived: &str, base: &str) -> Option<bool> {
        let named = |name: &str| self.name(place, name, 1);
        let is_class =
            |it: &Candidate| matches!(self.kind(it), Some(SymbolKind::Class | SymbolKind::Struct));
        let types = named(derived).into_iter().filter(is_class);
        let mut open: Vec<SymbolAt> =
            types.filter_map(|it| it.link()).map(|link| link.to).take(TYPES_MAX).collect();
        if open.is_empty() {
            return None;
        }
        let mut next = 0;
        while let Some(&of) = open.get(next).filter(|_| next < TYPES_MAX) {
            next += 1;
            for it in self.bases(of, 1) {
                let Some(Value::Name(to)) = it.of_type().map(|it| it.value) else { continue };
                let (facts, place) = self.symbol(to)?;
                if facts.symbols[place].name == base {
                    return Some(true);
                }
                if !open.contains(&to) {
                    open.push(to);
                }
            }
        }
        Some(false)
    }
}

/// How well a class fits a value of another one where nothing shows how they are related.
pub(super) const UNRELATED: u32 = 3;

/// How well a base fits a value of a derived class.
pub(super) const DERIVED: u32 = 6;

/// Returns the type of a parameter. A value that is constant only in the function is no other type.
pub(super) fn parameter(written: &str) -> Option<Shape> {
    let own = shape(written)?;
    let is_passed_on = own.is_pointer || written.contains('&');
    Some(Shape { is_const: own.is_const && is_passed_on, ..own })
}

/// Returns how well a parameter fits an argument: 0 not at all, 8 exactly, 7 by promotion, 6 by a
/// conversion of the language, 5 by one that a class is known to have; less if that is unknown.
pub(super) fn fit(walk: &Walk<'_>, place: Place, form: &Form, of: Option<&Shape>) -> u32 {
    let Some(Shape { base, is_pointer, .. }) = of else { return 3 };
    let name = base.as_str();
    let lower = name.to_lowercase();
    let is_text = !is_pointer && (lower.starts_with("str") || lower.ends_with("string"));
    let is_plain = !is_pointer && is_builtin(name);
    let is_flag = is_plain && name == "bool";
    let literal = match form {
        Form::Character => Some("char"),
        Form::Boolean => Some("bool"),
        Form::Integer => Some("int"),
        Form::Float => Some("double"),
        _ => None,
    };
    if let Some(literal) = literal {
        return match of {
            _ if is_plain => arithmetic(literal, name),
            _ if *is_pointer || is_text => 0,
            _ => 3,
        };
    }
    match form {
        Form::Unknown | Form::Dynamic => 4,
        Form::Address if *is_pointer => 6,
        // A pointer converts to `bool`.
        Form::Address if is_flag => 5,
        Form::Address if is_plain || is_text => 0,
        Form::Address => 3,
        Form::Text if *is_pointer && is_character(name) => 8,
        Form::Text if is_flag || *is_pointer && name == "void" => 6,
        Form::Text if is_text => 5,
        Form::Text if is_plain || *is_pointer => 0,
        Form::Null if *is_pointer || name == "nullptr_t" => 8,
        Form::Null if is_plain => 0,
        Form::Lambda if name == "function" => 8,
        Form::Lambda if is_plain || is_text => 0,
        Form::Braces if is_plain || *is_pointer => 1,
        Form::Typed(given) if given.is_pointer != *is_pointer => {
            // A string of C converts to one of C++.
            match given.is_pointer {
                true if is_flag => 6,
                true if given.base == "char" && is_text => 5,
                _ => 1,
            }
        }
        Form::Typed(given) if given.base == *name => 8,
        // The name of a type of characters may be a type parameter or an alias.
        Form::Typed(given)
            if *is_pointer && !is_builtin(name) && given.base == "char" && is_character(name) =>
        {
            8
        }
        Form::Typed(given) if *is_pointer && name == "void" && !given.is_pointer => 0,
        Form::Typed(_) if *is_pointer && name == "void" => 6,
        Form::Typed(given) if *is_pointer && is_builtin(&given.base) && is_builtin(name) => {
            if canonical(&given.base) == canonical(name) {
                8
            } else {
                0
            }
        }
        Form::Typed(given) if is_plain && is_builtin(&given.base) => arithmetic(&given.base, name),
        Form::Typed(given) if is_builtin(&given.base) != is_plain => 2,
        Form::Typed(given) if !is_plain => match walk.derives(place, &given.base, name) {
            Some(true) => DERIVED,
            Some(false) if *is_pointer => 1,
            _ => 3,
        },
        _ => 3,
    }
}

/// Returns the arguments of the constructor of an object whose type's name ends at the byte `from`:
/// `Type name(1)`, `Type name{1}`, `Type name = {1}`, `Type{1}` and the rest of `make_unique<Type>(1)`.
/// See [`arguments`].
pub(super) fn arguments_of_object(text: &[u8], from: usize) -> Vec<(usize, String)> {
    let rest = text.get(from..text.len().min(from + CALL_BYTES_MAX)).unwrap_or_default();
    let is_head = |byte: u8| byte.is_ascii_alphanumeric() || b"_ \t\n:<>,*&=".contains(&byte);
    let Some(open) = rest.iter().position(|byte| !is_head(*byte)) else { return Vec::new() };
    let mut list = rest[open..].to_vec();
    match list[0] {
        b'(' => {}
        b'{' => {
            let Some(close) = closing_brace(&list) else { return Vec::new() };
            (list[0], list[close]) = (b'(', b')');
        }
        _ => return Vec::new(),
    }
    let found = arguments(&list, 0).into_iter();
    found.map(|(start, argument)| (from + open + start, argument)).collect()
}

/// Returns the position of the brace that closes the first one; braces in strings count as well.
fn closing_brace(text: &[u8]) -> Option<usize> {
    let mut level = 0_usize;
    text.iter().position(|byte| {
        match byte {
            b'{' => level += 1,
            b'}' => level = level.saturating_sub(1),
            _ => {}
        }
        level == 0
    })
}

/// Returns true for a type of characters, and for what names such a type in other configurations or as
/// a type parameter.
fn is_character(name: &str) -> bool {
    let lower = name.to_lowercase();
    let is_wide = matches!(name, "wchar_t" | "char16_t" | "char32_t");
    let is_named = lower.ends_with("char") || lower.starts_with("char") || lower == "ch";
    !is_wide && (is_named || lower.ends_with("char_t"))
}
