//! Type parameters of Rust: what they stand for. The arguments of the type through whose value a
//! member was reached take precedence over bounds; associated types are those of either.
//!
//! Arguments are not inferred from the values that a function receives.

use std::rc::Rc;

use super::code::FileFacts;
use super::kinds::is_type;
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Place, VALUES_MAX, Value, WrittenType};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::{Chain, TypeText};
use crate::lang::split;
use crate::lang::symbols::SymbolKind;

/// The most bytes of a definition that are searched for type parameters and bounds.
const HEAD_BYTES_MAX: usize = 4000;

/// The most bounds of one type parameter.
const BOUNDS_MAX: usize = 8;

/// The most members of one name that are considered.
const MEMBERS_MAX: usize = 64;

/// The most type parameters of a written type that are replaced.
const REPLACED_MAX: usize = 8;

impl Walk<'_> {
    /// Returns the values of a written type whose path begins with a type parameter or with the
    /// associated type of one, or is an associated type that the arguments of the value give whose
    /// member is followed; with the bytes of the path that name the type. `None` for other types.
    pub(super) fn projected(
        &self,
        place: Place,
        path: &str,
        depth: usize,
    ) -> Option<(Vec<Candidate>, usize)> {
        let mut parts = path.split('.');
        let first = parts.next()?;
        // What follows a type is a member.
        let part = parts.next().filter(|part| part.starts_with(char::is_uppercase));
        let end = first.len() + part.map_or(0, |part| 1 + part.len());
        if let Some(name) = TypeText::of(first).parameter() {
            let values = self.type_parameter(place, name, depth);
            let Some(part) = part else { return Some((values, end)) };
            let bounded = self.bounds(place, &format!("{name}::{part}"), depth);
            let found = self.projection(place, &values, part, depth);
            let is_lost = !bounded.is_empty() && found.iter().all(|it| it.is_lost);
            return Some((if is_lost { bounded } else { found }, end));
        }
        let part = part.filter(|_| first == "Self")?;
        let written = self.given_type()?;
        let given = binding(&written.text, part)?;
        Some((self.without_given(|| self.chain(written.place, None, &given, depth + 1)), end))
    }

    /// Returns values of what the type parameter `name` stands for at `place`: of its argument, or of
    /// each of its bounds. A value of an unknown type is one that was lost.
    pub(super) fn type_parameter(&self, place: Place, name: &str, depth: usize) -> Vec<Candidate> {
        if let Some(WrittenType { place, text }) = self.argument_of(place, name) {
            let chain = Chain::instance(&text);
            return self.without_given(|| self.chain(place, None, &chain, depth + 1));
        }
        let found = self.bounds(place, name, depth);
        if found.is_empty() { vec![lost(place, name)] } else { found }
    }

    /// Returns values of the bounds of a type parameter, or of its associated type (`T::Item`), in
    /// the definitions around `place`.
    fn bounds(&self, place: Place, name: &str, depth: usize) -> Vec<Candidate> {
        let Some(facts) = self.facts(place.file).filter(|_| self.take_step(depth)) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let mut is_declared = false;
        for around in facts.ancestors(place.enclosing) {
            let Some(head) = self.head(&facts, place, around) else { continue };
            let scope = Place { enclosing: Some(around), ..place };
            let list = parameter_list(&head);
            let own = list.iter().find(|parameter| parameter_name(parameter) == name);
            is_declared |= own.is_some();
            let own = own.and_then(|parameter| parameter.split_once(':')).map(|(_, of)| of);
            let written = own.into_iter().chain(bounds_in_where(&head, name));
            let lists: Vec<&str> = written.collect();
            self.without_given(|| self.add_bounds(scope, &lists, &mut found, depth));
            if is_declared {
                break;
            }
        }
        found.truncate(VALUES_MAX);
        found
    }

    /// Adds values of the bounds in some lists: of `A + B<C> + ?Sized = Default`.
    fn add_bounds(&self, place: Place, lists: &[&str], found: &mut Vec<Candidate>, depth: usize) {
        // A type parameter may have a default.
        let lists = lists.iter().map(|of| split(of, b'=')[0]);
        for bound in lists.flat_map(|of| split(of, b'+')).take(BOUNDS_MAX) {
            if let Some(chain) = bound_chain(bound.trim()) {
                found.extend(self.chain(place, None, &chain, depth + 1));
            }
        }
    }

    /// Returns values of the bounds of an associated type that a trait declares; `None` for others.
    pub(super) fn bounds_of_open_type(&self, at: SymbolAt, depth: usize) -> Option<Vec<Candidate>> {
        if !self.is_open_type(at) || !self.take_step(depth) {
            return None;
        }
        let (facts, place) = self.symbol(at)?;
        let symbol = &facts.symbols[place];
        let text = self.code.text(at.file)?;
        let end = symbol.span.end.min(text.len());
        let head = String::from_utf8_lossy(text.get(symbol.name_span.end..end)?);
        let (_, list) = head.split_once(':').filter(|(_, list)| !list.starts_with(':'))?;
        let list = list.trim_end().trim_end_matches(';');
        let list = list.split(" where ").next().unwrap_or(list);
        let scope = Place { file: at.file, enclosing: symbol.parent };
        let mut found = Vec::new();
        self.add_bounds(scope, &[list], &mut found, depth);
        Some(found)
    }

    /// Returns values of the bounds that the trait declares for an associated type of one of its
    /// implementations.
    pub(super) fn declared_bounds(
        &self,
        facts: &FileFacts,
        at: SymbolAt,
        depth: usize,
    ) -> Vec<Candidate> {
        let symbol = &facts.symbols[at.place as usize];
        let parent = symbol.parent.filter(|of| facts.symbols[*of].kind == SymbolKind::Impl);
        let Some(block) = parent.filter(|_| symbol.kind == SymbolKind::Type) else {
            return Vec::new();
        };
        let place = Place { file: at.file, enclosing: Some(block) };
        let mut found = Vec::new();
        for base in facts.symbols[block].bases.iter().take(BOUNDS_MAX) {
            let chain = base.instance_of();
            for of_trait in self.chain(place, None, &chain, depth + 1) {
                let Value::Instance(of_trait, _) = of_trait.value else { continue };
                for declared in self.members(of_trait, &symbol.name, depth + 1) {
                    let Value::Name(declared) = declared.value else { continue };
                    let bounds = self.bounds_of_open_type(declared, depth + 1);
                    found.extend(bounds.unwrap_or_default());
                }
            }
        }
        found.truncate(VALUES_MAX);
        found
    }

    /// Returns true if a definition around `place` declares the type parameter `name`.
    pub(super) fn is_type_parameter(&self, place: Place, name: &str) -> bool {
        let Some(facts) = self.facts(place.file) else { return false };
        facts.dialect.has_impl_blocks
            && facts.ancestors(place.enclosing).any(|around| {
                self.head(&facts, place, around).is_some_and(|head| {
                    parameter_list(&head).iter().any(|part| parameter_name(part) == name)
                })
            })
    }

    /// Returns the associated type `part` of some values.
    fn projection(
        &self,
        place: Place,
        values: &[Candidate],
        part: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let mut found = Vec::new();
        for value in values {
            let written = match &value.value {
                Value::Instance(_, written) => written.as_ref(),
                Value::Foreign(written) => Some(written),
                _ => None,
            };
            if let Some(written) = written
                && let Some(given) = binding(&written.text, part)
            {
                return self.without_given(|| self.chain(written.place, None, &given, depth + 1));
            }
            if let (Value::Foreign(written), false) = (&value.value, value.is_lost) {
                found.extend(self.associated_of_outside(written, part, depth));
            }
            let Value::Instance(of, _) = &value.value else { continue };
            let mut named = self.members(*of, part, depth + 1);
            named.retain(|it| self.kind(it) == Some(SymbolKind::Type));
            found.extend(self.instances(&named, None, depth + 1));
        }
        // The declaration in a trait without bounds shows nothing.
        found.retain(|it| !matches!(it.value, Value::Instance(at, _) if self.is_open_type(at)));
        found.truncate(VALUES_MAX);
        if found.is_empty() { vec![lost(place, part)] } else { found }
    }

    /// Returns the associated type `part` that implementations of traits give an outside type.
    fn associated_of_outside(
        &self,
        written: &WrittenType,
        part: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let of = type_name(&written.text);
        let members = self.code.members(of, part);
        let is_its = |at: &&SymbolAt| {
            self.symbol(**at).is_some_and(|(facts, place)| {
                let around = facts.symbols[place].parent.map(|parent| &facts.symbols[parent]);
                facts.symbols[place].kind == SymbolKind::Type
                    && around.is_some_and(|of| of.kind == SymbolKind::Impl && !of.bases.is_empty())
            })
        };
        let named: Vec<Candidate> = members
            .iter()
            .take(MEMBERS_MAX)
            .filter(is_its)
            .map(|at| Candidate::new(Value::Name(*at), weights::BY_RULE, Reason::Receiver))
            .take(VALUES_MAX)
            .collect();
        // Implementations for the type and for references to it may differ.
        let factor = if named.len() > 1 { weights::BY_RULE } else { 1.0 };
        let outer = self.given.replace(Some(written.clone()));
        let mut found = self.instances(&named, None, depth + 1);
        self.given.replace(outer);
        found.retain(|it| matches!(it.value, Value::Instance(..)));
        found.iter_mut().for_each(|it| it.confidence *= factor);
        found
    }

    /// Returns what a function with the type of one of the library's traits returns.
    pub(super) fn result_of_function(
        &self,
        candidate: &Candidate,
        written: &WrittenType,
        depth: usize,
    ) -> Vec<Candidate> {
        let Some(given) = binding(&written.text, "Output") else { return Vec::new() };
        let mut found = self.without_given(|| self.chain(written.place, None, &given, depth + 1));
        found.iter_mut().for_each(|it| it.confidence *= candidate.confidence);
        found
    }

    /// Returns true for an associated type that a trait declares.
    pub(super) fn is_open_type(&self, at: SymbolAt) -> bool {
        self.symbol(at).is_some_and(|(facts, place)| {
            let symbol = &facts.symbols[place];
            let around = symbol.parent.map(|parent| facts.symbols[parent].kind);
            symbol.kind == SymbolKind::Type && around == Some(SymbolKind::Trait)
        })
    }

    /// Returns the argument of the type parameter `name` at `place`, from the type of the value whose
    /// member is followed.
    fn argument_of(&self, place: Place, name: &str) -> Option<WrittenType> {
        let written = self.given_type()?;
        let facts = self.facts(place.file)?;
        let arguments = written.of().arguments();
        for around in facts.ancestors(place.enclosing) {
            let symbol = &facts.symbols[around];
            let number = if symbol.kind == SymbolKind::Impl {
                let of = symbol.type_chain.as_ref().and_then(Chain::written_type);
                if of.and_then(TypeText::parameter) == Some(name) {
                    // `impl<T> Trait for T`.
                    return Some(written);
                }
                let of = of.filter(|of| of.name() == written.of().name());
                let is_its = |part: &TypeText<'_>| part.parameter() == Some(name);
                of.and_then(|of| of.arguments().iter().position(is_its))
            } else if (is_type(symbol.kind) || symbol.kind == SymbolKind::Function)
                && symbol.name == type_name(&written.text)
            {
                let head = self.head(&facts, place, around)?;
                parameter_list(&head).iter().position(|part| parameter_name(part) == name)
            } else {
                None
            };
            if let Some(number) = number {
                let argument = arguments.get(number).map(|of| of.text());
                let argument = argument.filter(|of| !of.contains(['_', '=']))?;
                return Some(WrittenType { place: written.place, text: Rc::from(argument) });
            }
        }
        None
    }

    /// Returns a written type with the arguments of the value whose member is followed in place of
    /// its type parameters and associated types. Where a trait names `Self`, the place is that of the
    /// own type.
    pub(super) fn substituted(&self, written: WrittenType, own: Option<SymbolAt>) -> WrittenType {
        let mut written = written;
        if let Some((start, _)) = written.text.match_indices("Self.").next()
            && let Some(given) = self.given_type()
        {
            let rest = &written.text[start + "Self.".len()..];
            let part = parameter_name(rest);
            let of = binding(&given.text, part);
            if let Some(of) = of.as_ref().and_then(Chain::as_argument) {
                let text = format!("{}{of}{}", &written.text[..start], &rest[part.len()..]);
                return WrittenType { place: given.place, text: text.into() };
            }
        }
        if let Some(own) = own.filter(|_| written.of().names_own())
            && self.is_in_trait(written.place)
        {
            written.place = Place { file: own.file, enclosing: Some(own.place as usize) };
        }
        let mut place = None;
        let mut replaced = 0..REPLACED_MAX;
        let given = |name: &str| {
            let argument = replaced.next().and_then(|_| self.argument_of(written.place, name))?;
            place = Some(argument.place);
            Some(argument.text.to_string())
        };
        let Some(text) = written.of().with_parameters(given) else { return written };
        match place {
            Some(place) if TypeText::of(&text).names_own() => {
                self.with_own_name(&written, place, own, &text)
            }
            Some(place) => WrittenType { place, text: text.into() },
            None => written,
        }
    }

    /// Returns a type with substituted arguments in which `Self` is the type at the place of `written`: with
    /// its name where that is visible at `place`, otherwise as it is seen at that of `written`.
    fn with_own_name(
        &self,
        written: &WrittenType,
        place: Place,
        own: Option<SymbolAt>,
        text: &str,
    ) -> WrittenType {
        let own = own.or_else(|| self.own_types(written.place, 1).first().copied());
        let named = own.and_then(|own| {
            let (facts, at) = self.symbol(own)?;
            let name = facts.symbols[at].name.clone();
            let found = self.name(place, &name, 1);
            let is_it = |it: &Candidate| matches!(it.value, Value::Name(same) if same == own);
            found.iter().any(is_it).then_some(name)
        });
        let Some(name) = named else {
            return WrittenType { place: written.place, text: text.into() };
        };
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut replaced = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("Self") {
            let (before, after) = (&rest[..at], &rest[at + "Self".len()..]);
            replaced.push_str(before);
            let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
            replaced.push_str(if is_whole { &name } else { "Self" });
            rest = after;
        }
        replaced.push_str(rest);
        WrittenType { place, text: replaced.into() }
    }

    /// Returns the tuple or slice that a block is for, whose parts are members of `$`; also, if `is_field`,
    /// a type from outside with one argument, whose only field may be that: `impl Trait for Wrapping<T>`.
    pub(super) fn own_list(
        &self,
        block: &Candidate,
        is_field: bool,
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        let Value::Instance(at, _) = block.value else { return None };
        let (facts, place) = self.symbol(at)?;
        let symbol = &facts.symbols[place];
        let chain = symbol.type_chain.as_ref().filter(|_| symbol.kind == SymbolKind::Impl)?;
        let of = chain.written_type()?;
        let is_list = of.has_arguments() && matches!(of.path(), "tuple" | "slice")
            || is_field && of.arguments().len() == 1;
        let scope = Place { file: at.file, enclosing: Some(place) };
        is_list.then(|| self.chain(scope, None, chain, depth + 1))
    }

    fn is_in_trait(&self, place: Place) -> bool {
        self.facts(place.file).is_some_and(|facts| {
            let kinds = facts.ancestors(place.enclosing).map(|at| facts.symbols[at].kind);
            let is_block = |kind: &SymbolKind| matches!(kind, SymbolKind::Impl | SymbolKind::Trait);
            kinds.into_iter().find(is_block) == Some(SymbolKind::Trait)
        })
    }

    /// Returns the type of `$` at a place with its arguments: those of the value whose member is
    /// followed, or those of the implementation block.
    pub(super) fn own_arguments(
        &self,
        place: Place,
        own: Option<SymbolAt>,
        of: SymbolAt,
    ) -> Option<WrittenType> {
        let facts = self.facts(place.file).filter(|facts| facts.dialect.has_impl_blocks)?;
        let (there, at) = self.symbol(of)?;
        let name = &there.symbols[at].name;
        if own.is_some() {
            return self.given_type().filter(|written| type_name(&written.text) == name);
        }
        let is_block = |at: &usize| facts.symbols[*at].kind == SymbolKind::Impl;
        let block = facts.ancestors(place.enclosing).find(is_block)?;
        let of = facts.symbols[block].type_chain.as_ref().and_then(Chain::written_type)?;
        let is_its = of.has_arguments() && of.name() == name;
        is_its.then(|| WrittenType { place, text: of.text().into() })
    }

    /// Returns the values of the types for which a block implements a trait by a type parameter:
    /// its bounds.
    pub(super) fn bounds_of_block(
        &self,
        facts: &FileFacts,
        of: SymbolAt,
        depth: usize,
    ) -> Vec<Candidate> {
        let symbol = &facts.symbols[of.place as usize];
        let written = symbol.type_chain.as_ref().and_then(Chain::written_type);
        let name = written.and_then(TypeText::parameter);
        let Some(name) = name.filter(|_| symbol.kind == SymbolKind::Impl) else {
            return Vec::new();
        };
        let place = Place { file: of.file, enclosing: Some(of.place as usize) };
        self.without_given(|| self.type_parameter(place, name, depth))
    }

    /// Runs `query` without the type arguments of a value.
    pub(super) fn without_given<T>(&self, query: impl FnOnce() -> T) -> T {
        let outer = self.given.replace(None);
        let answer = query();
        self.given.replace(outer);
        answer
    }

    /// Returns the text of a definition up to its body.
    fn head(&self, facts: &FileFacts, place: Place, at: usize) -> Option<String> {
        let symbol = &facts.symbols[at];
        let has_parameters =
            is_type(symbol.kind) || symbol.kind.is_callable() || symbol.kind == SymbolKind::Impl;
        if !has_parameters || !self.take_step(0) {
            return None;
        }
        let text = self.code.text(place.file)?;
        let range = &symbol.source.signature;
        // The type of a block follows its parameters.
        let start =
            if symbol.kind == SymbolKind::Impl { range.start } else { symbol.name_span.end };
        let end = range.end.min(text.len()).min(start + HEAD_BYTES_MAX);
        let head = String::from_utf8_lossy(text.get(start..end)?).into_owned();
        let words = ["unsafe ", "default ", "impl"];
        let head = if symbol.kind == SymbolKind::Impl {
            words.iter().fold(head.as_str(), |head, word| {
                head.strip_prefix(word).unwrap_or(head).trim_start()
            })
        } else {
            head.as_str()
        };
        Some(head.to_owned())
    }
}

/// Returns true for a trait of functions in Rust with a known result: `FnOnce<Output=A>`.
pub(super) fn is_function_trait(written: &str) -> bool {
    matches!(type_name(written), "Fn" | "FnMut" | "FnOnce") && written.contains("<Output=")
}

/// Returns a value of a type that is not known, which may be one of the repository.
fn lost(place: Place, written: &str) -> Candidate {
    let written = WrittenType { place, text: Rc::from(TypeText::of_parameter(written)) };
    Candidate {
        is_lost: true,
        ..Candidate::new(Value::Foreign(written), weights::LIKELY, Reason::Receiver)
    }
}

/// Returns the last name of a type's path, without its arguments.
fn type_name(written: &str) -> &str {
    TypeText::of(written).name()
}

/// Returns the type parameters that a definition's head begins with, without lifetimes.
pub(super) fn parameter_list(head: &str) -> Vec<&str> {
    let Some(list) = head.trim_start().strip_prefix('<') else { return Vec::new() };
    let mut level = 1_usize;
    let bytes = list.as_bytes();
    let end = bytes.iter().enumerate().position(|(at, byte)| {
        let is_arrow = at > 0 && matches!(bytes[at - 1], b'-' | b'=');
        level += usize::from(*byte == b'<');
        level -= usize::from(*byte == b'>' && !is_arrow);
        level == 0
    });
    let parts = split(&list[..end.unwrap_or(0)], b',').into_iter().map(str::trim);
    parts.filter(|part| !part.is_empty() && !part.starts_with('\'')).collect()
}

/// Returns the name of a type parameter: `T` of `T: A + B = C`.
fn parameter_name(parameter: &str) -> &str {
    let parameter = parameter.strip_prefix("const ").unwrap_or(parameter);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    &parameter[..parameter.find(|c| !is_name(c)).unwrap_or(parameter.len())]
}

/// Returns the bounds of `name` in the `where` clause of a head.
fn bounds_in_where<'h>(head: &'h str, name: &str) -> Vec<&'h str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let clause = head.match_indices("where").map(|(at, word)| (at, &head[at + word.len()..]));
    let clause =
        clause.filter(|(at, rest)| !head[..*at].ends_with(is_word) && !rest.starts_with(is_word));
    let Some((_, clause)) = clause.last() else { return Vec::new() };
    let of = |part: &'h str| {
        // `for<'a> T: A<'a>`.
        let part = part.trim();
        let plain = part.strip_prefix("for<").and_then(|rest| Some(rest.split_once('>')?.1));
        let part = plain.unwrap_or(part);
        let (of, bounds) = if name.contains("::") {
            let (of, bounds) = part.split_once(name)?;
            let bounds = bounds.trim_start().strip_prefix(':').filter(|_| of.trim().is_empty())?;
            return Some(bounds);
        } else {
            part.split_once(':')?
        };
        (of.trim() == name && !bounds.starts_with(':')).then_some(bounds)
    };
    split(clause, b',').into_iter().filter_map(of).take(BOUNDS_MAX).collect()
}

/// Returns the chain of a value with a bound; `None` for lifetimes, `?Sized` and functions.
fn bound_chain(bound: &str) -> Option<Chain> {
    let bound = bound.split_once("for<").map_or(bound, |(before, rest)| {
        if before.trim().is_empty() {
            rest.split_once('>').map_or(bound, |(_, of)| of)
        } else {
            bound
        }
    });
    let bound = bound.trim();
    (!bound.starts_with(['\'', '?', '~'])).then(|| crate::lang::rust_type(bound)).flatten()
}

/// Returns the chain of the associated type `name` among the arguments of a written type:
/// `Stream<Item=A>`.
fn binding(written: &str, name: &str) -> Option<Chain> {
    let arguments = TypeText::of(written).arguments();
    let (_, of) = arguments.into_iter().filter_map(TypeText::associated).find(|it| it.0 == name)?;
    (!of.is_unknown()).then(|| of.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read() {
        let head = "<'a, T: Read + Fn() -> u8, const N: usize, B = Vec<u8>>(a: T) where\n    T: Write,\n    B: Body<Data = A, Item = B>";
        let names: Vec<&str> = parameter_list(head).into_iter().map(parameter_name).collect();
        assert_eq!(names, ["T", "N", "B"]);
        assert_eq!(bounds_in_where(head, "T"), [" Write"]);
        let chain = bound_chain(bounds_in_where(head, "B")[0]);
        assert_eq!(chain.as_ref().map(Chain::as_str), Some("@Body<Data=A,Item=B>"));
        assert!(bound_chain("?Sized").is_none() && bound_chain("'a").is_none());
        assert_eq!(binding("Body<Data=A<C>,D>", "Data").as_ref().map(Chain::as_str), Some("@A<C>"));
    }
}
