//! Receivers of unknown type, in languages whose variables have no written types: of the types that
//! have the called member, the one that has all members which are called on the variable, and the one
//! that the variable is named after.
//!
//! Nothing is evaluated: variables of one name in a type or a method count as one variable. Names of
//! methods that the language's own types have do not distinguish types.

use rustc_hash::FxHashMap;

use super::code::FileFacts;
use super::kinds::is_type;
use super::library::Library;
use super::memo::{CalledOn, Receiver, Variables};
use super::position::SymbolAt;
use super::result::{Reason, Use};
use super::sides::is_of_type;
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::{Chain, Root};
use crate::lang::facts::Role;
use crate::lang::symbols::SymbolKind;

/// The most types that have the called member, and the most other members that are looked up in each.
const OWNERS_MAX: usize = 12;
const MEMBERS_MAX: usize = 12;

/// The most types that are considered of those that have the name of a variable.
const NAMED_MAX: usize = 64;

/// The most types that have another called member of a variable, and are considered.
const HEIRS_MAX: usize = 24;

/// A type that has the called member.
#[derive(Debug)]
struct Owner {
    of: SymbolAt,
    name: String,
    member: SymbolAt,
}

/// How well the name of a variable fits that of a type, worst first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Likeness {
    None,
    /// The variable has the last word or the start of the type's name: `source` and `IOSource`, `doc`
    /// and `Document`.
    Part,
    /// The last words of the variable are the type's name: `used_option` and `Option`.
    End,
    /// Both are the same: `option` and `Option`.
    Same,
}

impl Walk<'_> {
    /// Returns the member that a call on a value of unknown type refers to, if the other calls on the
    /// same variable or its name determine the type; at most one. O(types × members) look-ups, at most
    /// [`OWNERS_MAX`] and [`MEMBERS_MAX`].
    pub(super) fn of_similar_uses(&self, place: Place, used: Use<'_>) -> Vec<Candidate> {
        let Some(facts) = self.facts(place.file) else { return Vec::new() };
        let Some(chain) = used.receiver else { return Vec::new() };
        let is_unknown = matches!(chain.decode().0, Root::Unknown);
        let is_of_type = || self.is_type_itself(place, used.receiver);
        if !facts.dialect.has_untyped_values
            || used.role != Role::Call
            || is_unknown
            || is_of_type()
        {
            return Vec::new();
        }
        let mut owners = self.owners_of_member(&facts, used);
        // Nothing is an instance of a module: a parameter of its name is rather a value of a class that has
        // the member.
        let is_module = |of: SymbolAt| {
            self.symbol(of).is_some_and(|(there, at)| there.symbols[at].kind == SymbolKind::Module)
        };
        let is_local = chain.local_variable().is_some();
        if is_local && owners.iter().any(|owner| !is_module(owner.of)) {
            owners.iter_mut().filter(|owner| is_module(owner.of)).for_each(|it| it.name.clear());
        }
        let variable = variable_name(chain, (facts.dialect.library)());
        self.add_namesake(&facts, used, &variable, &mut owners);
        if owners.is_empty() {
            return Vec::new();
        }
        let uses = self.uses_of_variables(place);
        let (near, wide) = other_members(&facts, &uses, place, used, chain);
        let is_standard = facts.dialect.standard.binary_search(&used.name).is_ok();
        let fitting = |members: &[&str], of: &[&Owner]| -> Vec<usize> {
            let fits = |owner: &Owner| {
                members.iter().all(|member| *member == used.name || self.has(owner.of, member))
            };
            (0..of.len()).filter(|&at| fits(of[at])).collect()
        };
        let likeness = |owner: &&Owner| likeness(&variable, &owner.name);
        let all: Vec<&Owner> = owners.iter().collect();
        if all.len() > OWNERS_MAX {
            let best = all.iter().map(likeness).max().unwrap_or(Likeness::None);
            let best: Vec<&Owner> = all.into_iter().filter(|it| likeness(it) == best).collect();
            return answer(&best, |owner| likeness(&owner) >= Likeness::End);
        }
        let mut fits: Vec<&Owner> = fitting(&near, &all).into_iter().map(|at| all[at]).collect();
        if fits.len() > 1 && wide.len() > near.len() {
            let narrow = fitting(&wide, &fits);
            if !narrow.is_empty() {
                fits = narrow.into_iter().map(|at| fits[at]).collect();
            }
        }
        if fits.is_empty() {
            let like = |least: Likeness| -> Vec<&Owner> {
                all.iter().copied().filter(|it| likeness(it) >= least).collect()
            };
            let same = answer(&like(Likeness::Same), |_| true);
            if !same.is_empty() {
                return same;
            }
            let heirs = self.inherited_by_fitting(&facts, used, &near);
            if !heirs.is_empty() {
                return heirs;
            }
            let parts = answer(&like(Likeness::Part), |_| true);
            return if parts.is_empty() { self.with_most(&all, &near) } else { parts };
        }
        let best = fits.iter().map(likeness).max().unwrap_or(Likeness::None);
        if best > Likeness::None {
            fits.retain(|it| likeness(it) == best);
        }
        if fits.len() > 1 {
            fits = self.with_most_members(&fits, &uses, chain);
        }
        if fits.len() > 1 && facts.dialect.has_module_instances {
            let members: Vec<SymbolAt> = fits.iter().map(|it| it.member).collect();
            let first = self.replaced_by_others(&members);
            fits.retain(|it| first.is_none_or(|first| it.member == first));
        }
        // A variable in the plural is a container of the language more often than a type of that name.
        let is_named = match best {
            Likeness::Same => !is_standard || !variable.ends_with('s'),
            best => best > Likeness::None && !is_standard,
        };
        let is_decided = is_named || !near.is_empty() || !wide.is_empty();
        answer(&fits, |_| is_decided || !is_standard)
    }

    /// Returns the types that have the called member themselves.
    fn owners_of_member(&self, facts: &FileFacts, used: Use<'_>) -> Vec<Owner> {
        let named = self.members_by_name(facts, used);
        let mut owners: Vec<Owner> = Vec::new();
        if named.is_cut {
            return owners;
        }
        for &member in &named.found {
            let Some((there, place)) = self.symbol(member) else { continue };
            let symbol = &there.symbols[place];
            if there.dialect.marks_class_members && is_of_type(symbol) {
                continue;
            }
            let is_around = |at: &usize| {
                let kind = there.symbols[*at].kind;
                is_type(kind) || kind == SymbolKind::Module
            };
            let Some(parent) = symbol.parent.filter(is_around) else { continue };
            let of = SymbolAt { file: member.file, place: parent as u32 };
            let of_type = &there.symbols[parent];
            // A type may be opened in several files.
            let known = owners.iter_mut().find(|owner| {
                self.symbol(owner.of).is_some_and(|(other, at)| {
                    other.symbols[at].qualified_name == of_type.qualified_name
                })
            });
            match known {
                // A method replaces an attribute of its name, and a definition those before it.
                Some(known) if symbol.kind.is_callable() && there.dialect.last_wins => {
                    known.member = member;
                }
                Some(_) => {}
                None => owners.push(Owner { of, name: of_type.name.clone(), member }),
            }
        }
        owners
    }

    /// Adds the type that a variable is named after, if it inherits the called member.
    fn add_namesake(
        &self,
        facts: &FileFacts,
        used: Use<'_>,
        variable: &str,
        owners: &mut Vec<Owner>,
    ) {
        if owners.iter().any(|owner| likeness(variable, &owner.name) == Likeness::Same) {
            return;
        }
        let name = capitalized(variable);
        let mut found: Option<Owner> = None;
        for &of in self.code.named(&name).iter().take(NAMED_MAX) {
            let Some((there, at)) = self.symbol(of) else { continue };
            if there.dialect.group != facts.dialect.group || !is_type(there.symbols[at].kind) {
                continue;
            }
            let members = self.members(of, used.name, 1);
            let is_accepted = |it: &&Candidate| self.is_fit(it, Some(used));
            let Some(link) = members.iter().find(is_accepted).and_then(Candidate::link) else {
                continue;
            };
            if found.as_ref().is_some_and(|found| found.member != link.to) {
                return;
            }
            found = Some(Owner { of, name: name.clone(), member: link.to });
        }
        owners.extend(found);
    }

    /// Returns the member that a type inherits which has all members that are called on the variable, if all
    /// such types inherit the same one; no type that has the called member itself has them all.
    fn inherited_by_fitting(
        &self,
        facts: &FileFacts,
        used: Use<'_>,
        members: &[&str],
    ) -> Vec<Candidate> {
        let mut types: Vec<SymbolAt> = Vec::new();
        for member in members.iter().filter(|member| **member != used.name) {
            let named = self.owners_of_member(facts, Use::call(member));
            if named.len() <= OWNERS_MAX {
                types.extend(named.iter().map(|owner| owner.of));
            }
        }
        types.sort_unstable();
        types.dedup();
        types.truncate(HEIRS_MAX);
        types.retain(|of| members.iter().all(|member| self.has(*of, member)));
        let mut found: Vec<SymbolAt> = Vec::new();
        for of in types {
            let inherited = self.members(of, used.name, 1);
            let is_accepted = |it: &&Candidate| self.is_fit(it, Some(used));
            let link = inherited.iter().find(is_accepted).and_then(Candidate::link);
            found.extend(link.map(|link| link.to).filter(|to| !found.contains(to)));
        }
        match found[..] {
            [only] => vec![Candidate::new(Value::Name(only), weights::ONLY_FIT, Reason::OnlyFit)],
            _ => Vec::new(),
        }
    }

    /// Returns the type that has more of the members called on variables of this name in the file than each
    /// other type; all types if none has, or if no other variable has the name.
    fn with_most_members<'o>(
        &self,
        fits: &[&'o Owner],
        uses: &Variables,
        chain: &Chain,
    ) -> Vec<&'o Owner> {
        let all = || fits.to_vec();
        let Some(variable) = chain.local_variable() else { return all() };
        let Some(called) = uses.get(&Receiver::Named(variable.into())) else { return all() };
        let mut names: Vec<&str> = called.iter().map(|it| &*it.name).collect();
        names.sort_unstable();
        names.dedup();
        names.truncate(MEMBERS_MAX);
        let number = |owner: &&Owner| names.iter().filter(|it| self.has(owner.of, it)).count();
        let numbers: Vec<usize> = fits.iter().map(number).collect();
        let most = numbers.iter().copied().max().unwrap_or(0);
        let is_most = |at: &usize| numbers[*at] == most;
        let best: Vec<usize> = (0..fits.len()).filter(is_most).collect();
        if let [only] = best[..] { vec![fits[only]] } else { all() }
    }

    /// Returns the member of the type that has more of the members called on a variable than each other type,
    /// at least half of them: values of that variable may have members that are made at run time.
    fn with_most(&self, all: &[&Owner], members: &[&str]) -> Vec<Candidate> {
        let number = |owner: &&Owner| members.iter().filter(|it| self.has(owner.of, it)).count();
        let mut numbers: Vec<(usize, &&Owner)> = all.iter().map(|it| (number(it), it)).collect();
        numbers.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
        let next = numbers.get(1).map_or(0, |(number, _)| *number);
        match numbers[..] {
            [(most, best), ..] if most > next && most > 1 && most * 2 >= members.len() => {
                answer(&[*best], |_| true)
            }
            _ => Vec::new(),
        }
    }

    fn has(&self, of: SymbolAt, member: &str) -> bool {
        self.members(of, member, 1).iter().any(|it| matches!(it.value, Value::Name(_)))
    }

    /// Returns the calls on the variables of a file, by their chains, cached.
    fn uses_of_variables(&self, place: Place) -> Variables {
        self.memo.variables(place.file, || {
            let mut found: FxHashMap<Receiver, Vec<CalledOn>> = FxHashMap::default();
            let Some(facts) = self.facts(place.file) else { return found };
            for (name, call) in self.code.calls(place.file).iter() {
                let Some(chain) = &call.receiver else { continue };
                if facts.dialect.standard.binary_search(&name.as_str()).is_ok() {
                    continue;
                }
                let scope = scope_of(&facts, call.enclosing);
                let called =
                    || CalledOn { enclosing: call.enclosing, scope, name: name.as_str().into() };
                if let Some(variable) = chain.local_variable() {
                    let key = Receiver::Named(variable.into());
                    found.entry(key).or_default().push(called());
                }
                found.entry(Receiver::Chain(chain.of_any_protocol())).or_default().push(called());
            }
            found
        })
    }
}

/// Returns the innermost type or module around a symbol.
fn scope_of(facts: &FileFacts, enclosing: Option<usize>) -> Option<usize> {
    facts.ancestors(enclosing).find(|&at| {
        let kind = facts.symbols[at].kind;
        is_type(kind) || kind == SymbolKind::Module
    })
}

/// Returns the other members that are called on a variable: of a local variable in its function, and in
/// all functions of the type.
fn other_members<'u>(
    facts: &FileFacts,
    uses: &'u Variables,
    place: Place,
    used: Use<'_>,
    chain: &Chain,
) -> (Vec<&'u str>, Vec<&'u str>) {
    let all =
        uses.get(&Receiver::Chain(chain.of_any_protocol())).map(Vec::as_slice).unwrap_or_default();
    let scope = scope_of(facts, place.enclosing);
    let is_local = chain.is_of_variable();
    let names = |is_its: &dyn Fn(&CalledOn) -> bool| {
        let others = all.iter().filter(|it| is_its(it) && &*it.name != used.name);
        let mut names: Vec<&str> = others.map(|it| &*it.name).collect();
        names.sort_unstable();
        names.dedup();
        names.truncate(MEMBERS_MAX);
        names
    };
    let wide = names(&|it| it.scope == scope);
    let near = if is_local {
        names(&|it| it.scope == scope && it.enclosing == place.enclosing)
    } else {
        wide.clone()
    };
    (near, wide)
}

/// Returns the member of the only type that is left.
fn answer(owners: &[&Owner], is_sure: impl Fn(&Owner) -> bool) -> Vec<Candidate> {
    match owners {
        [only] if is_sure(only) => {
            vec![Candidate::new(Value::Name(only.member), weights::ONLY_FIT, Reason::OnlyFit)]
        }
        _ => Vec::new(),
    }
}

/// Returns the name of the variable or method that a chain ends with, in the singular if the chain is an
/// element of it.
fn variable_name(chain: &Chain, library: &Library) -> String {
    let (name, is_element) = chain.variable_name(|method| library.gives_content(method));
    let name = name.trim_start_matches('_');
    match name.strip_suffix("ies").filter(|_| is_element) {
        Some(start) => format!("{start}y"),
        None if is_element => name.strip_suffix('s').unwrap_or(name).to_owned(),
        None => name.to_owned(),
    }
}

/// Returns the name of the type that a variable may be named after: `UsedOption` for `used_option`.
fn capitalized(variable: &str) -> String {
    let mut name = String::with_capacity(variable.len());
    for part in variable.split('_') {
        let mut chars = part.chars();
        name.extend(chars.next().into_iter().flat_map(char::to_uppercase));
        name.push_str(chars.as_str());
    }
    name
}

/// Returns how well the name of a variable fits that of a type.
fn likeness(variable: &str, of_type: &str) -> Likeness {
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let (own, of) = (plain(variable), plain(of_type));
    if own.len() < 2 {
        return Likeness::None;
    }
    if own == of {
        return Likeness::Same;
    }
    let words = capitalized(variable);
    let is_word = |name: &str, end: usize| {
        name.get(end..).is_some_and(|end| end.starts_with(char::is_uppercase))
    };
    let ends_with = |name: &str, end: &str| {
        let start = name.len().saturating_sub(end.len());
        end.len() < name.len() && name.to_lowercase().ends_with(end) && is_word(name, start)
    };
    if of.len() > 2 && ends_with(&words, &of) {
        return Likeness::End;
    }
    // An abbreviation of a name of one word.
    let rest = of_type.get(own.len()..).unwrap_or_default();
    let is_short = of.starts_with(&own) && !rest.is_empty() && !rest.contains(char::is_uppercase);
    if own.len() > 2 && ends_with(of_type, &own) || is_short {
        return Likeness::Part;
    }
    Likeness::None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables_and_types_are_compared_by_words() {
        for (variable, of_type, expected) in [
            ("option", "Option", Likeness::Same),
            ("io_source", "IOSource", Likeness::Same),
            ("usedOption", "Option", Likeness::End),
            ("used_option", "Option", Likeness::End),
            ("adoption", "Option", Likeness::None),
            ("source", "IOSource", Likeness::Part),
            ("doc", "Document", Likeness::Part),
            ("x", "XPath", Likeness::None),
            ("zip", "ZipFileMapper", Likeness::None),
        ] {
            assert_eq!(likeness(variable, of_type), expected, "{variable} {of_type}");
        }
    }

    #[test]
    fn a_chain_ends_with_the_name_of_a_variable() {
        for (chain, expected) in [
            ("^el", "el"),
            ("$.@source", "source"),
            ("options()[]", "option"),
            ("$.@entries[]", "entry"),
            ("@Doc.root().children()[]", "children"),
            ("$.@stack.pop()", "stack"),
        ] {
            let chain = Chain::of_text(chain);
            assert_eq!(variable_name(&chain, super::super::library::ruby()), expected);
        }
    }
}
