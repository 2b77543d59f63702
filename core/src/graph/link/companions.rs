//! What a call of a capitalized name of Scala runs: a method of the name, the `apply` of an object, or a
//! constructor.
//!
//! `Name(a)` runs a method `Name`, an `apply` that the object `Name` has, or the one that every case class
//! gets; `new Name(a)` runs a constructor. A class without any of these is constructed by its bare name in
//! Scala 3. Of several, those that accept the number of arguments. `Name.member` selects the object, never
//! the class or type alias of its name.

use super::kinds::is_type;
use super::parameters::arity;
use super::position::SymbolAt;
use super::result::{Link, Use};
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::graph::weights::OPEN_MAX;
use crate::lang::facts::Role;
use crate::lang::symbols::SymbolKind;

/// The words before a name whose constructor is called.
const CREATING: [&[u8]; 4] = [b"new", b"extends", b"with", b"@"];

/// What a definition of a called name is.
#[derive(Clone, Copy, PartialEq)]
enum Callee {
    Object,
    CaseClass,
    Class,
    Alias,
    Constructor,
    Function,
}

impl Walk<'_> {
    /// Replaces the links of a call of Scala by those of what it runs, if classes or objects are among them.
    pub(super) fn select_companions(&self, place: Place, used: Use<'_>, links: &mut Vec<Link>) {
        let is_scala = self.facts(place.file).is_some_and(|it| it.dialect.has_companions);
        if used.role != Role::Call || !is_scala || links.is_empty() {
            return;
        }
        let kinds: Vec<Callee> = links.iter().map(|link| self.callee(link.to)).collect();
        if kinds.iter().all(|kind| *kind == Callee::Function) {
            return;
        }
        let all: Vec<(Link, Callee)> = links.iter().copied().zip(kinds).collect();
        let of = |wanted: &[Callee]| {
            let found = all.iter().filter(|(_, kind)| wanted.contains(kind));
            found.map(|(link, _)| *link).collect::<Vec<Link>>()
        };
        let mut found = if self.is_creation(place, used) {
            of(&[Callee::CaseClass, Callee::Class, Callee::Alias, Callee::Constructor])
        } else if self.is_selection(place, used) {
            let found = of(&[Callee::Object, Callee::Function]);
            if found.is_empty() { of(&[Callee::CaseClass]) } else { found }
        } else {
            let mut found = of(&[Callee::CaseClass, Callee::Function]);
            for object in of(&[Callee::Object]) {
                let named =
                    Candidate::new(Value::Name(object.to), object.confidence, object.reason);
                let members = self.member(&named, "apply", 1);
                let links = members.iter().filter_map(Candidate::link);
                found.extend(links.map(|it| Link { reason: object.reason, ..it }));
            }
            let others = [Callee::Class, Callee::Alias, Callee::Constructor];
            if found.is_empty() { of(&others) } else { found }
        };
        if found.is_empty() {
            return;
        }
        found.dedup_by_key(|link| link.to);
        let accepts = |link: &Link| self.accepts_call(place, used, link.to);
        if found.iter().any(accepts) {
            found.retain(accepts);
        }
        if found.len() > 1 {
            found.iter_mut().for_each(|link| link.confidence = link.confidence.min(OPEN_MAX));
        }
        *links = found;
    }

    /// Returns the results of a call of a value: those of its method `apply`.
    pub(super) fn applied(&self, of: SymbolAt, depth: usize) -> Vec<Candidate> {
        if !self.symbol(of).is_some_and(|(facts, _)| facts.dialect.has_companions) {
            return Vec::new();
        }
        let mut methods = self.members(of, "apply", depth + 1);
        methods.retain(|it| matches!(it.value, Value::Name(_)));
        self.each(&methods, |method| self.call(method, depth + 1))
    }

    /// Keeps, of types of Scala and an object of the same name, the object where the name is a value, the
    /// types where it is a type.
    pub(super) fn prefer_object(&self, found: &mut Vec<Candidate>, is_value: bool) {
        if found.len() < 2 {
            return;
        }
        let is_object = |it: &Candidate| {
            let Value::Name(at) = it.value else { return None };
            let facts = self.facts(at.file).filter(|facts| facts.dialect.has_companions)?;
            let is_type = is_type(facts.symbols.get(at.place as usize)?.kind);
            is_type.then(|| self.callee(at) == Callee::Object)
        };
        let objects: Vec<Option<bool>> = found.iter().map(is_object).collect();
        if objects.contains(&Some(true)) && objects.contains(&Some(false)) {
            let mut objects = objects.into_iter();
            found.retain(|_| objects.next().flatten().is_none_or(|it| it == is_value));
        }
    }

    fn callee(&self, at: SymbolAt) -> Callee {
        let Some((facts, place)) = self.symbol(at) else { return Callee::Function };
        let symbol = &facts.symbols[place];
        if symbol.kind == SymbolKind::Constructor {
            return Callee::Constructor;
        }
        if !is_type(symbol.kind) {
            return Callee::Function;
        }
        if symbol.kind == SymbolKind::Type {
            return Callee::Alias;
        }
        let signature = self.signature(at);
        let before = signature.split(symbol.name.as_str()).next().unwrap_or_default();
        let has_word = |word: &str| before.split_whitespace().any(|part| part == word);
        match () {
            () if has_word("object") => Callee::Object,
            () if has_word("case") => Callee::CaseClass,
            () => Callee::Class,
        }
    }

    /// Returns true if a constructor is called by name: `new a.Name(…)`, `extends Name(…)`.
    fn is_creation(&self, place: Place, used: Use<'_>) -> bool {
        let text = used.start.and_then(|start| Some((start, self.code.text(place.file)?)));
        let Some((start, text)) = text else { return false };
        let is_path = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.$`".contains(byte);
        let before = text.get(..start).unwrap_or_default();
        let path = before.iter().rev().take_while(|byte| is_path(byte)).count();
        let before = before[..before.len() - path].trim_ascii_end();
        CREATING.iter().any(|word| before.ends_with(word))
    }

    /// Returns true for a name without arguments, which is a value.
    fn is_selection(&self, place: Place, used: Use<'_>) -> bool {
        let text = used.start.and_then(|start| Some((start, self.code.text(place.file)?)));
        let Some((start, text)) = text.filter(|_| used.arguments.is_none()) else { return false };
        // Type arguments precede those of the call.
        text.get(start + used.name.len()) != Some(&b'[')
    }

    /// Returns false if a definition does not accept the arguments of a call.
    fn accepts_call(&self, place: Place, used: Use<'_>, at: SymbolAt) -> bool {
        let Some((facts, of)) = self.symbol(at) else { return true };
        let symbol = &facts.symbols[of];
        let Some(given) = used.arguments else { return true };
        let mut signature = self.untruncated_signature(at);
        if is_type(symbol.kind)
            && let Some(end) = signature.find(" extends ")
        {
            signature.truncate(end);
        }
        let rules = facts.dialect.arguments.as_ref();
        let kind = if is_type(symbol.kind) { SymbolKind::Constructor } else { symbol.kind };
        let Some((least, most)) = arity(rules, kind, &symbol.name, &signature) else {
            return true;
        };
        // `Name(all: _*)` passes a list in place of repeated arguments.
        let is_spread = self.passes_list(place, used);
        if is_spread { most == u8::MAX } else { (least..=most).contains(&given) }
    }

    /// Returns true if the last argument of a call is a list that stands for repeated arguments.
    fn passes_list(&self, place: Place, used: Use<'_>) -> bool {
        let text = used.start.and_then(|start| Some((start, self.code.text(place.file)?)));
        let Some((start, text)) = text else { return false };
        let after = text.get(start + used.name.len()..).unwrap_or_default();
        let after = String::from_utf8_lossy(&after[..after.len().min(1024)]).into_owned();
        let inside = super::parameters::inside(after.trim_start());
        inside.is_some_and(|inside| {
            let inside = inside.trim_end();
            inside.ends_with(": _*") || inside.ends_with(":_*")
        })
    }
}
