//! Type parameters of types in TypeScript, C#, Java, Kotlin and Swift: the argument that is written where the
//! value's type is, or where a type derives from the one that declares the parameter; otherwise the
//! parameter's default or its bound.
//!
//! Arguments that follow from those of a call are not known.

use super::bounds::parameter_list;
use super::dialect::{Extensions, TypeSyntax};
use super::kinds::{is_type, is_variable};
use super::memo::Shared;
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Choice, Place, VALUES_MAX, Value, WrittenType};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::{Chain, TypeText};
use crate::lang::split;
use crate::lang::symbols::SymbolKind;

/// The most bytes of a definition that are searched for type parameters and bases.
const HEAD_BYTES_MAX: usize = 4096;

/// The most parts of a written type, more of which are left out.
const PARTS_MAX: usize = 64;

/// How many types are followed between a type and the one that it derives from.
const TYPES_MAX: usize = 4;

/// The most bases of one type that are searched.
const BASES_MAX: usize = 8;

/// The most members of a type that are followed where any of them may be meant.
const MEMBERS_MAX: usize = 4;

impl Walk<'_> {
    /// Returns values of what the type parameter `name` stands for at `place`, in a member that was
    /// reached through an instance of `own`; none if that is unknown, and `None` if no type around has such
    /// a parameter.
    pub(super) fn generic_argument(
        &self,
        place: Place,
        own: Option<SymbolAt>,
        name: &str,
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        let name = TypeText::of(name).parameter().unwrap_or(name);
        let written = self.generic_text(place, own, name, depth)?;
        let chain = written.as_ref().and_then(|of| self.argument_chain(of));
        let found = match (&written, chain) {
            (Some(of), Some(chain)) if chain.written_type().is_none_or(|it| it.text() != name) => {
                self.without_given(|| self.chain(of.place, None, &chain, depth + 1))
            }
            _ => Vec::new(),
        };
        Some(found)
    }

    /// Returns the same for the name of a type that is not marked as a type parameter, if it stands for
    /// something known or the language is TypeScript.
    pub(super) fn known_argument(
        &self,
        place: Place,
        own: Option<SymbolAt>,
        name: &str,
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        let is_closed = self.facts(place.file)?.dialect.has_call_signatures;
        let found = self.generic_argument(place, own, name, depth);
        found.filter(|found| is_closed || !found.is_empty())
    }

    /// Returns values of the type argument that a call of C# states, `name<Type>()`, if the result of the
    /// called method is the type parameter.
    pub(super) fn stated_result(
        &self,
        place: Place,
        called: &[Candidate],
        written: &str,
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        let Value::Name(at) = called.first()?.value else { return None };
        let (facts, own) = self.symbol(at)?;
        let symbol = facts.symbols.get(own)?;
        if !facts.dialect.has_usings || !symbol.kind.is_callable() {
            return None;
        }
        let signature = facts.signature(at.place, || self.code.text(at.file));
        let (head, after) = signature.split_once(symbol.name.as_str())?;
        let result = head.split_whitespace().last()?;
        let (own, _) = after.trim_start().strip_prefix('<')?.split_once('>')?;
        let number = own.split(',').position(|own| own.trim() == result)?;
        let of = TypeText::of(written).argument(number)?;
        Some(self.chain(place, None, &of.value(), depth + 1))
    }

    /// Returns the chain of a value of a type argument.
    fn argument_chain(&self, of: &WrittenType) -> Option<Chain> {
        if of.of().parameter().is_some() {
            return Some(Chain::instance(&of.text));
        }
        self.facts(of.place.file)?.dialect.type_syntax.chain(&of.text)
    }

    /// Returns a written type of Swift or TypeScript with the name of the type `own` in place of its only
    /// argument `Self` or `this`: `var kf: Wrapper<Self>` in an extension of a protocol.
    pub(super) fn with_own_type(&self, written: WrittenType, own: Option<SymbolAt>) -> WrittenType {
        let text = &written.text;
        let before = text.strip_suffix("<Self>").or_else(|| text.strip_suffix("<this>"));
        let Some(before) = before else { return written };
        let named = own.and_then(|own| {
            let (facts, at) = self.symbol(own)?;
            let extends_type = text.ends_with("<Self>");
            let is_its = if extends_type {
                facts.dialect.extensions == Extensions::Block
            } else {
                facts.dialect.has_call_signatures
            };
            let enclosing = if extends_type { Some(at) } else { facts.symbols[at].parent };
            let place = Place { file: own.file, enclosing };
            is_its.then(|| (place, facts.symbols[at].name.clone()))
        });
        let Some((place, name)) = named else { return written };
        WrittenType { place, text: format!("{before}<{name}>").into() }
    }

    /// Returns the target of an alias whose chain contains its type parameters, for the arguments `given`.
    pub(super) fn target_of_generic(
        &self,
        alias: SymbolAt,
        chain: &Chain,
        given: Option<&WrittenType>,
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        let facts = self.facts(alias.file).filter(|facts| facts.dialect.has_call_signatures)?;
        let is_alias = facts.symbols[alias.place as usize].kind == SymbolKind::Type;
        if !is_alias || !chain.has_type_parameter() || !self.take_step(depth) {
            return None;
        }
        let place = Place { file: alias.file, enclosing: Some(alias.place as usize) };
        let outer = self.given.replace(given.cloned());
        let found = self.chain(place, Some(alias), chain, depth + 1);
        self.given.replace(outer);
        Some(found)
    }

    /// Returns the values of the members of a type, of which one is meant: `A[keyof A]`.
    pub(super) fn any_member(&self, of: SymbolAt, depth: usize) -> Vec<Candidate> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        let inside = facts.all_children(Some(place)).iter().copied();
        let fields: Vec<u32> =
            inside.filter(|&at| is_variable(facts.symbols[at as usize].kind)).collect();
        // A bit for each that is followed, and one for all others.
        let followed = fields.len().min(MEMBERS_MAX);
        let all = (1_u8 << followed) - 1 + if fields.len() > followed { 1 << followed } else { 0 };
        let mut found = Vec::new();
        for (number, &field) in fields.iter().take(followed).enumerate() {
            let at = SymbolAt { file: of.file, place: field };
            let values = self
                .load(&Candidate::new(Value::Name(at), weights::STEP, Reason::Receiver), depth + 1);
            let choice = Choice::OneOf { which: 1 << number, all };
            found.extend(
                values.into_iter().map(|it| Candidate { choice: it.choice.and(choice), ..it }),
            );
        }
        found.truncate(VALUES_MAX);
        found
    }

    /// Returns a written type with what its type parameters stand for in their places.
    pub(super) fn with_generic_arguments(
        &self,
        written: WrittenType,
        own: Option<SymbolAt>,
        depth: usize,
    ) -> WrittenType {
        let mut place = written.place;
        let mut types = 0..TYPES_MAX;
        let given = |name: &str| {
            let known =
                types.next().and_then(|_| self.generic_text(written.place, own, name, depth));
            let Some(argument) = known.flatten() else { return Some("_".to_owned()) };
            place = argument.place;
            Some(argument.text.to_string())
        };
        match written.of().with_parameters(given) {
            Some(text) => WrittenType { place, text: text.into() },
            None => written,
        }
    }

    /// Returns the text of what the type parameter `name` stands for, which may be unknown; `None` if no
    /// type around has such a parameter.
    fn generic_text(
        &self,
        place: Place,
        own: Option<SymbolAt>,
        name: &str,
        depth: usize,
    ) -> Option<Option<WrittenType>> {
        let facts = self.facts(place.file).filter(|facts| {
            facts.dialect.has_call_signatures
                || facts.dialect.has_java_types()
                || facts.dialect.extensions != Extensions::None
        })?;
        for around in facts.ancestors(place.enclosing) {
            let kind = facts.symbols[around].kind;
            let at = SymbolAt { file: place.file, place: around as u32 };
            if kind.is_callable() && self.declares_parameter(&facts, at, name) {
                return None;
            }
            let scope = Place { file: place.file, enclosing: Some(around) };
            let is_block = kind == SymbolKind::Impl;
            if !is_type(kind) && kind != SymbolKind::Type && !is_block {
                continue;
            }
            // An extension of Swift has the type parameters of its type.
            let template = if is_block {
                self.own_types(scope, depth + 1).first().copied().unwrap_or(at)
            } else {
                at
            };
            let Some((there, _)) = self.symbol(template) else { continue };
            let parameters = self.generic_parameters(&there, template);
            let is_its = |part: &String| parameter_name(part) == name;
            let Some(number) = parameters.iter().position(is_its) else { continue };
            let argument = self.argument_for(own.unwrap_or(template), template, number, depth, 0);
            let argument = argument.filter(|of| !matches!(&*of.text, "_" | "any" | "unknown"));
            let written =
                |scope: Place, text: String| WrittenType { place: scope, text: text.into() };
            return Some(argument.or_else(|| {
                let of_block = is_block.then(|| self.bound_of_block(&facts, at, name)).flatten();
                if let Some(text) = of_block {
                    return Some(written(scope, text));
                }
                let head = self.head_text(&there, template).unwrap_or_default();
                let syntax = there.dialect.type_syntax;
                let place = Place { file: template.file, enclosing: Some(template.place as usize) };
                let declared = bound(syntax, &parameters[number], &head, name).map(str::to_owned);
                declared
                    .map(|text| written(place, text))
                    .or_else(|| self.bound_of_use(template, name, depth))
            }));
        }
        None
    }

    /// Returns the bound of a type parameter in the condition of an extension of Swift.
    fn bound_of_block(&self, facts: &Shared, block: SymbolAt, name: &str) -> Option<String> {
        let head = self.head_text(facts, block)?;
        bound_in_where(&head, name).map(str::to_owned)
    }

    /// Returns the bound of a type parameter of `template` in the condition of the extension of Swift
    /// around the use: `extension Wrapper where Base: View`.
    fn bound_of_use(&self, template: SymbolAt, name: &str, depth: usize) -> Option<WrittenType> {
        let use_place = self.origin.get()?;
        let facts = self.facts(use_place.file)?;
        if facts.dialect.extensions != Extensions::Block || !self.take_step(depth) {
            return None;
        }
        let is_block = |at: &usize| facts.symbols[*at].kind == SymbolKind::Impl;
        let around = facts.ancestors(use_place.enclosing).find(is_block)?;
        let scope = Place { file: use_place.file, enclosing: Some(around) };
        let block = SymbolAt { file: use_place.file, place: around as u32 };
        let text = self.bound_of_block(&facts, block, name)?;
        let is_its = self.own_types(scope, depth + 1).contains(&template);
        is_its.then(|| WrittenType { place: scope, text: text.into() })
    }

    /// Returns true if a method declares a type parameter, which hides that of its type.
    fn declares_parameter(&self, facts: &Shared, method: SymbolAt, name: &str) -> bool {
        if facts.dialect.extensions == Extensions::None {
            return false;
        }
        let list = match facts.dialect.extensions {
            Extensions::Prefix => {
                self.signature(method).split_once("fun ").map(|of| of.1.to_owned())
            }
            _ => self.head_text(facts, method),
        };
        let list = list.unwrap_or_default();
        parameter_list(&list).iter().any(|part| parameter_name(part) == name)
    }

    /// Returns the argument that an instance of `own` has for the type parameter `number` of
    /// `template`, which `own` is or derives from.
    fn argument_for(
        &self,
        own: SymbolAt,
        template: SymbolAt,
        number: usize,
        depth: usize,
        types: usize,
    ) -> Option<WrittenType> {
        if own == template {
            let written = self.given_type()?;
            let text = written.of().argument(number)?.text().into();
            return Some(WrittenType { place: written.place, text });
        }
        if types == TYPES_MAX || !self.take_step(depth) {
            return None;
        }
        let named = self.symbol(template).map(|(there, at)| there.symbols[at].name.clone())?;
        let (of, text) = self.stated_argument(own, &named, number, depth)?;
        // `class A<T> extends B<T>`.
        let (there, _) = self.symbol(of)?;
        let parameters = self.generic_parameters(&there, of);
        match parameters.iter().position(|it| parameter_name(it) == text) {
            Some(number) => self.argument_for(own, of, number, depth, types + 1),
            None => {
                let place = Place { file: of.file, enclosing: Some(of.place as usize) };
                let written = WrittenType { place, text: text.into() };
                let known = |number| self.argument_for(own, of, number, depth, types + 1);
                Some(with_known_parameters(written, &parameters, known))
            }
        }
    }

    /// Returns the argument `number` that the head of a type, or that of the nearest of its bases, states
    /// for the type `named`, with the type that states it.
    fn stated_argument(
        &self,
        own: SymbolAt,
        named: &str,
        number: usize,
        depth: usize,
    ) -> Option<(SymbolAt, String)> {
        let mut types = vec![own];
        let mut at = 0;
        while let Some(&of) = types.get(at).filter(|_| at < BASES_MAX && self.take_step(depth)) {
            at += 1;
            let (facts, _) = self.symbol(of)?;
            if let Some(text) = self.argument_in_head(&facts, of, named, number) {
                return Some((of, text));
            }
            let bases = self.bases(of, depth + 1);
            let bases = bases.iter().filter_map(Candidate::of_type);
            types.extend(bases.filter_map(|base| Some(base.link()?.to)).take(BASES_MAX));
        }
        None
    }

    /// Returns the argument `number` of the type `named` in the text of a type before its members, or
    /// of an alias.
    fn argument_in_head(
        &self,
        facts: &Shared,
        of: SymbolAt,
        named: &str,
        number: usize,
    ) -> Option<String> {
        let text = self.head_text(facts, of)?;
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let found = text.match_indices(named).find_map(|(at, _)| {
            let list = &text[at + named.len()..];
            let is_its = list.starts_with('<') && !text[..at].ends_with(is_word);
            is_its.then(|| parameter_list(list))
        })?;
        found.get(number).map(|argument| (*argument).to_owned())
    }

    /// Returns the type parameters of a type as they are written.
    fn generic_parameters(&self, facts: &Shared, of: SymbolAt) -> Vec<String> {
        let head = self.head_text(facts, of).unwrap_or_default();
        parameter_list(&head).into_iter().map(str::to_owned).collect()
    }

    /// Returns the text of a type after its name, up to its members.
    fn head_text(&self, facts: &Shared, of: SymbolAt) -> Option<String> {
        let symbol = &facts.symbols[of.place as usize];
        let text = self.code.text(of.file)?;
        let end = match symbol.kind {
            SymbolKind::Type => symbol.span.end,
            _ => symbol.source.signature.end,
        };
        let end = end.min(text.len()).min(symbol.name_span.end + HEAD_BYTES_MAX);
        let text = text.get(symbol.name_span.end..end)?;
        Some(String::from_utf8_lossy(text).into_owned())
    }
}

/// Returns a written type with what is `known` of the type parameters among its arguments in their places:
/// `M<C>` where `class M<C> extends P<M<C>>`.
fn with_known_parameters(
    written: WrittenType,
    parameters: &[String],
    known: impl Fn(usize) -> Option<WrittenType>,
) -> WrittenType {
    if parameters.is_empty() || !written.of().has_arguments() {
        return written;
    }
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let (mut text, mut place) = (String::new(), written.place);
    for part in written.text.split_inclusive(|c| !is_word(c)).take(PARTS_MAX) {
        let name = part.trim_end_matches(|c| !is_word(c));
        let number = parameters.iter().position(|it| parameter_name(it) == name);
        match number.and_then(&known) {
            Some(argument) => {
                place = argument.place;
                text.push_str(&argument.text);
                text.push_str(&part[name.len()..]);
            }
            None => text.push_str(part),
        }
    }
    WrittenType { place, text: text.into() }
}

/// Returns the name of a type parameter: `T` of `in out T extends A = B`, `reified T : A` and
/// `[Attribute] T`.
fn parameter_name(parameter: &str) -> &str {
    let words = parameter.split([':', '=']).next().unwrap_or_default().split_whitespace();
    words.take_while(|word| *word != "extends").find(|word| !is_modifier(word)).unwrap_or_default()
}

fn is_modifier(word: &str) -> bool {
    matches!(word, "in" | "out" | "const" | "reified" | "each") || word.starts_with(['[', '@'])
}

/// Words that C# writes in the place of a bound.
const NO_BOUNDS: &[&str] =
    &["class", "class?", "default", "new()", "notnull", "struct", "unmanaged"];

/// Returns the bound of a type parameter, by its declaration or the head of its type.
fn bound<'h>(syntax: TypeSyntax, parameter: &'h str, head: &'h str, name: &str) -> Option<&'h str> {
    match syntax {
        TypeSyntax::NamedArrow => default_or_bound(parameter),
        TypeSyntax::Arrow => {
            let own = parameter.split_once(':').map(|(_, of)| split(of, b'&')[0].trim());
            let own = own.or_else(|| bound_in_where(head, name));
            own.filter(|of| !matches!(*of, "Any" | "Any?" | "AnyObject"))
        }
        TypeSyntax::Delegate => clauses(head).find_map(|clause| {
            let (of, list) = clause.split_once(':')?;
            let mut bounds = split(list, b',').into_iter().map(str::trim);
            bounds.find(|bound| of.trim() == name && !NO_BOUNDS.contains(bound))
        }),
    }
}

/// Returns the bound of a type parameter in a list of conditions: `B` of `where A: B, C == D`.
fn bound_in_where<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    clauses(head).flat_map(|clause| split(clause, b',')).find_map(|part| {
        let (of, bound) = part.split_once("==").or_else(|| part.split_once(':'))?;
        (of.trim() == name).then(|| split(bound, b'&')[0].trim())
    })
}

/// Returns the texts after each `where` of a head.
fn clauses(head: &str) -> impl Iterator<Item = &str> {
    let head = head.split('{').next().unwrap_or(head);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_mark = move |at: usize| {
        !head[..at].ends_with(is_word) && !head[at + "where".len()..].starts_with(is_word)
    };
    let marks: Vec<usize> =
        head.match_indices("where").map(|(at, _)| at).filter(|at| is_mark(*at)).collect();
    let ends: Vec<usize> = marks.iter().copied().skip(1).chain([head.len()]).collect();
    marks.into_iter().zip(ends).map(move |(at, end)| &head[at + "where".len()..end])
}

/// Returns the default of a type parameter, or its bound.
fn default_or_bound(parameter: &str) -> Option<&str> {
    let (before, default) = match parameter.split_once(" = ") {
        Some((before, default)) => (before, Some(default)),
        None => (parameter, None),
    };
    let is_known = |of: &&str| !matches!(of.trim(), "any" | "unknown" | "object" | "{}" | "never");
    default.filter(is_known).or_else(|| Some(before.split_once(" extends ")?.1)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read() {
        assert_eq!(parameter_name("in out T extends A = B"), "T");
        assert_eq!(parameter_name("const K"), "K");
        assert_eq!(default_or_bound("T extends A = B<C>"), Some("B<C>"));
        assert_eq!(default_or_bound("T extends A = any"), Some("A"));
        assert_eq!(default_or_bound("T"), None);
        assert_eq!(parameter_name("reified T : A<B>"), "T");
        assert_eq!(parameter_name("[Attribute] in T"), "T");
    }

    #[test]
    fn bounds_are_read() {
        let csharp = "<T, U> : A<T> where T : class, B<T>, new() where U : C";
        assert_eq!(bound(TypeSyntax::Delegate, "T", csharp, "T"), Some("B<T>"));
        assert_eq!(bound(TypeSyntax::Delegate, "U", csharp, "U"), Some("C"));
        assert_eq!(bound(TypeSyntax::Delegate, "V", csharp, "V"), None);
        let swift = " where Base: View & Other, Base.Item == Int {";
        assert_eq!(bound_in_where(swift, "Base"), Some("View"));
        assert_eq!(bound_in_where("<elsewhere: A>", "elsewhere"), None);
        assert_eq!(bound(TypeSyntax::Arrow, "out T : A<B>", "", "T"), Some("A<B>"));
        assert_eq!(bound(TypeSyntax::Arrow, "T : Any", "", "T"), None);
    }
}
