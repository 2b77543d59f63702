//! The methods of Java's `Object` that interfaces declare again: a class without one of its own inherits
//! that of `Object`, which is outside of the repository. Methods of a type that do not accept the number of
//! the arguments, where such a method or one of an outside base does.

use super::bases::BASES_MAX;
use super::code::near;
use super::kinds::is_type;
use super::parameters::parameters;
use super::position::SymbolAt;
use super::result::{Reason, Use};
use super::value::{Candidate, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::facts::Role;
use crate::lang::symbols::SymbolKind;

/// Methods of Java that every enumeration has, with their numbers of parameters.
const ENUM_METHODS: [(&str, u8); 6] = [
    ("compareTo", 1),
    ("getDeclaringClass", 0),
    ("name", 0),
    ("ordinal", 0),
    ("valueOf", 1),
    ("values", 0),
];

/// The most methods of one name that are examined as overrides.
const NAMED_MAX: usize = 256;

impl Walk<'_> {
    /// Replaces the declarations of interfaces among the methods `found` of a class by what they stand for:
    /// the method of `Object`, or those of derived types that override it. Nothing is left where there may be
    /// overrides that were not examined.
    pub(super) fn inherit_of_object(&self, of: SymbolAt, name: &str, found: &mut Vec<Candidate>) {
        let is_java = self.symbol(of).is_some_and(|(facts, place)| {
            facts.dialect.has_java_types() && facts.symbols[place].kind != SymbolKind::Interface
        });
        let Some(count) = count_of_object(name).filter(|_| is_java) else { return };
        let is_of_interface = |it: &Candidate| {
            let Value::Name(at) = it.value else { return false };
            self.symbol(at).is_some_and(|(there, place)| {
                let parent = there.symbols[place].parent;
                parent.is_some_and(|at| there.symbols[at].kind == SymbolKind::Interface)
            })
        };
        let is_again = |it: &Candidate| {
            it.link().is_some_and(|link| self.is_like_that_of_object(link.to, name, count))
        };
        if found.is_empty() || !found.iter().all(is_of_interface) {
            return;
        }
        found.retain(|it| !is_again(it));
        let Some(overrides) = self.overrides_of_object(of, name, count) else { return };
        if overrides.is_empty() {
            found.push(Candidate::new(Value::Outside, 1.0, Reason::Inherited));
        }
        let each = weights::DOUBTFUL / overrides.len().max(1) as f32;
        let implementation = |at| Candidate::new(Value::Name(at), each, Reason::Implementation);
        found.extend(overrides.into_iter().map(implementation));
    }

    /// Keeps, of the method of `Object` and of overloads of it that interfaces declare, what a call with so
    /// many arguments can refer to.
    pub(super) fn prefer_of_object(&self, used: Use<'_>, found: &mut Vec<Candidate>) {
        let Some(count) = count_of_object(used.name).filter(|_| used.role == Role::Call) else {
            return;
        };
        let is_outside = |it: &Candidate| matches!(it.value, Value::Outside);
        let is_method = |it: &Candidate| {
            it.link()
                .and_then(|link| self.symbol(link.to))
                .is_some_and(|(facts, _)| facts.dialect.has_java_types())
        };
        if !found.iter().any(is_outside) || !found.iter().any(is_method) {
            return;
        }
        if used.arguments.map(usize::from) != Some(count) {
            found.retain(is_method);
            return;
        }
        let is_fit = |it: &Candidate| is_outside(it) || self.is_fit(it, Some(used));
        found.retain(is_fit);
        // The types of the arguments select one of them.
        found.iter_mut().filter(|it| is_method(it)).for_each(|it| it.confidence *= weights::WEAK);
    }

    /// Replaces methods of a type none of which accepts the number of the arguments of a call: by
    /// [`Value::Outside`] if the type inherits another one of the name from outside, by nothing if the language
    /// then allows no such call.
    pub(super) fn replace_unfit(&self, used: Use<'_>, found: &mut Vec<Candidate>) {
        let Some(first) = found.first().and_then(Candidate::link).map(|link| link.to) else {
            return;
        };
        let Some((facts, place)) = self.symbol(first) else { return };
        let dialect = facts.dialect;
        // Scala calls a method without parameters by its bare name.
        let given = used.arguments.or(dialect.has_companions.then_some(0));
        let (Role::Call, Some(given), false) = (used.role, given, dialect.root_methods.is_empty())
        else {
            return;
        };
        let counted = Use { arguments: Some(given), ..used };
        let is_fit = |it: &Candidate| self.is_fit(it, Some(counted));
        let is_method = |it: &Candidate| self.kind(it) == Some(SymbolKind::Method);
        if !found.iter().all(is_method) || found.iter().any(is_fit) {
            return;
        }
        let Some(parent) = facts.symbols[place].parent else { return };
        let of = SymbolAt { file: first.file, place: parent as u32 };
        let bases = self.bases(of, 1);
        let types = bases.iter().filter_map(Candidate::of_type);
        let inherited: Vec<Candidate> =
            types.flat_map(|base| self.member(&base, used.name, 1)).collect();
        if inherited.iter().any(is_fit) {
            return;
        }
        let is_enumeration =
            facts.symbols[parent].kind == SymbolKind::Enum && dialect.has_java_types();
        let of_enumeration = if is_enumeration { &ENUM_METHODS[..] } else { &[] };
        let of_root = dialect.root_methods.iter().chain(of_enumeration);
        let is_of_root = of_root.into_iter().any(|of| *of == (used.name, given));
        let is_outside = |it: &Candidate| it.is_outside() && !it.is_lost;
        let is_counted = used.arguments.is_some();
        if is_of_root || is_counted && bases.iter().any(is_outside) {
            *found = vec![Candidate::new(Value::Outside, 1.0, Reason::Inherited)];
        } else if dialect.has_java_types() || dialect.has_usings {
            found.clear();
        }
    }

    /// Returns true for a method with the parameters of that of `Object`, so that it is no overload of it.
    fn is_like_that_of_object(&self, at: SymbolAt, name: &str, count: usize) -> bool {
        let signature = self.untruncated_signature(at);
        let is_object = |part: &&str| {
            let mut words = part.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.any(|word| word == "Object") && !part.contains("...") && !part.contains('[')
        };
        parameters(name, &signature)
            .is_some_and(|all| all.len() == count && all.iter().all(is_object))
    }

    /// Returns the methods of derived types that override a method of `Object`; `None` if there may be others.
    fn overrides_of_object(&self, of: SymbolAt, name: &str, count: usize) -> Option<Vec<SymbolAt>> {
        let (facts, place) = self.symbol(of)?;
        let signature = self.signature(of);
        let head = signature.split(facts.symbols[place].name.as_str()).next().unwrap_or_default();
        let is_final = head.split_whitespace().any(|word| matches!(word, "final" | "record"));
        if is_final {
            return Some(Vec::new());
        }
        let named = self.code.named(name);
        // Only its own constants are derived from an enumeration.
        let is_enumeration = facts.symbols[place].kind == SymbolKind::Enum;
        let examined = if is_enumeration {
            let from = named.partition_point(|at| at.file < of.file);
            &named[from..from + named[from..].partition_point(|at| at.file == of.file)]
        } else {
            near(&named, of.file, NAMED_MAX)
        };
        let mut found = Vec::new();
        for &at in examined {
            if self.is_below(at, of) && self.is_like_that_of_object(at, name, count) {
                found.push(at);
            }
        }
        let is_whole = is_enumeration || examined.len() == named.len() || !found.is_empty();
        found.truncate(VALUES_MAX);
        Some(found).filter(|_| is_whole && !self.is_exhausted())
    }

    /// Returns true for a method of a class that is derived from `of`, or of a constant of an enumeration.
    fn is_below(&self, method: SymbolAt, of: SymbolAt) -> bool {
        let Some((facts, place)) = self.symbol(method) else { return false };
        let is_method = facts.symbols[place].kind.is_callable() && facts.dialect.has_java_types();
        let Some(parent) = facts.symbols[place].parent.filter(|_| is_method) else { return false };
        let own = |place: usize| SymbolAt { file: method.file, place: place as u32 };
        match facts.symbols[parent].kind {
            SymbolKind::Interface => false,
            SymbolKind::EnumMember => facts.symbols[parent].parent.map(own) == Some(of),
            kind if is_type(kind) => {
                !facts.symbols[parent].bases.is_empty()
                    && own(parent) != of
                    && self.is_derived(own(parent), of, 1)
            }
            // A class without a name.
            _ => {
                let types = self.own_types(Place { file: method.file, enclosing: Some(place) }, 1);
                types.iter().take(BASES_MAX).any(|it| *it == of || self.is_derived(*it, of, 1))
            }
        }
    }
}

/// Returns the number of parameters of a method of `Object` that interfaces declare again.
fn count_of_object(name: &str) -> Option<usize> {
    match name {
        "equals" => Some(1),
        "hashCode" | "toString" => Some(0),
        _ => None,
    }
}
