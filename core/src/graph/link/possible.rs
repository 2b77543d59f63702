//! Unresolved calls: whether they can refer to something of the repository at all, and to which
//! definitions.

use std::cell::OnceCell;
use std::rc::Rc;

use super::added::Called;
use super::code::FileFacts;
use super::dialect::{Extensions, Group, is_built_in_type};
use super::implementations::conversion_method;
use super::kinds::{is_type, is_variable};
use super::overloads::stated_type_arguments;
use super::position::SymbolAt;
use super::qualified_names::SEPARATOR;
use super::result::{CONFIDENCE_OPEN, Link, Reason, Use};
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::base::ids::FileId;
use crate::graph::imports::Resolution;
use crate::graph::weights;
use crate::lang::chain::{Chain, Root, Step, TypeText};
use crate::lang::facts::Role;
use crate::lang::symbols::SymbolKind;

/// The most types of which the bases are searched for a class from outside.
const BASES_MAX: usize = 32;

/// The most definitions of a name whose types are compared with that of a receiver.
const DERIVED_MAX: usize = 64;

/// The longest text that is searched for the declaration of a variable, and the most mentions of it.
const TEXT_MAX: usize = 1 << 18;
const MENTIONS_MAX: usize = 64;

/// The most wildcard imports that are examined.
const WILDCARDS_MAX: usize = 32;

impl Walk<'_> {
    /// Returns what a use refers to, without guesses.
    pub(super) fn candidates(&self, place: Place, used: Use<'_>) -> Vec<Candidate> {
        self.origin.set(Some(place));
        self.start.set(self.declaration_of_receiver(place, used).or(used.start));
        if let Some(found) = self.of_super(place, used) {
            return found;
        }
        if let Some(found) = self.of_global_name(place, used) {
            return found;
        }
        let Some(chain) = used.receiver else {
            let mut found = self.name(place, used.name, 0);
            if used.role == Role::Call {
                self.replace_modules(place, used.name, &mut found);
            }
            self.select_created(place, used, &mut found);
            self.replace_unfit(used, &mut found);
            self.prefer_macro(place, used, &mut found);
            let is_known = |it: &Candidate| matches!(it.value, Value::Name(_));
            // In Kotlin a function that does not accept the arguments hides no other one.
            let is_hiding = !self.facts(place.file).is_some_and(|facts| {
                facts.dialect.extensions == Extensions::Prefix && used.role == Role::Call
            });
            let is_fit = |it: &Candidate| match it.value {
                Value::Name(at) => {
                    self.is_fit(it, Some(used)) && self.accepts_type_arguments(place, used, at)
                }
                _ => false,
            };
            if found.iter().any(|it| is_known(it) && (is_hiding || is_fit(it))) {
                if !is_hiding {
                    self.add_implicit_extensions(place, used, &mut found);
                }
                return found;
            }
            let extensions = self.own_extensions(place, used, 1);
            if !extensions.is_empty() {
                return extensions;
            }
            if found.is_empty()
                && used.role == Role::Call
                && let Some(facts) = self.facts(place.file)
            {
                return self.procedural_macros(&facts, used.name);
            }
            let outer = if found.iter().any(is_known) {
                self.name(Place { enclosing: None, ..place }, used.name, 0)
            } else {
                Vec::new()
            };
            if outer.iter().any(is_fit) {
                return outer;
            }
            // An import of a type from outside hides the types of the package.
            let is_type = used.name.starts_with(char::is_uppercase)
                && !found.is_empty()
                && found.iter().all(|it| matches!(it.value, Value::Outside));
            if is_type && !is_hiding {
                return found;
            }
            let mut hidden =
                if is_hiding { Vec::new() } else { self.behind_imports(place, used.name) };
            hidden.retain(is_fit);
            if !hidden.is_empty() {
                return hidden;
            }
            if !is_hiding {
                // The library may have a function of the name, which none of these hides.
                found.iter_mut().for_each(|it| it.confidence *= weights::NO_ANSWER);
            }
            return found;
        };
        if let Some((source, expected)) = chain.conversion() {
            let own = self.candidates(place, Use { receiver: Some(&source), ..used });
            if own.iter().any(|it| matches!(it.value, Value::Name(_))) {
                return own;
            }
            let converted = self.converted(place, used, &source, &expected);
            return if converted.is_empty() { own } else { converted };
        }
        let of = |chain: &Chain| self.candidates(place, Use { receiver: Some(chain), ..used });
        if let Some(found) = self.narrowed(place, chain, of) {
            return found;
        }
        if let Some(found) = self.one_of(chain, false, of) {
            return found;
        }
        if let Some(implicit) = chain.implicit() {
            let found = self.candidates(place, Use { receiver: Some(&implicit), ..used });
            let is_known = |it: &Candidate| matches!(it.value, Value::Name(_));
            // In Kotlin a function that does not accept the arguments hides no other one.
            let is_hiding = !self.facts(place.file).is_some_and(|facts| {
                facts.dialect.extensions == Extensions::Prefix && used.role == Role::Call
            });
            let is_fit = |it: &Candidate| {
                self.is_fit(it, Some(used)) && self.accepts_this(place, used, &implicit, it)
            };
            if found.iter().any(|it| is_known(it) && (is_hiding || is_fit(it))) {
                return found;
            }
            if let Some(outer) = implicit.outer_instance() {
                let outer = outer.then(Step::Member("this"));
                return self.candidates(place, Use { receiver: Some(&outer), ..used });
            }
            let bare = self.candidates(place, Use { receiver: None, ..used });
            let is_better =
                !bare.is_empty() && (bare.iter().any(is_known) || !found.iter().any(is_known));
            return if is_better { bare } else { found };
        }
        let is_word = |words: &[&str]| {
            words.contains(&used.name)
                && self.facts(place.file).is_some_and(|facts| facts.is_constructor_word(used.name))
        };
        if let Some(passed) = chain.passed() {
            let mut found = self.candidates(place, Use { receiver: Some(&passed), ..used });
            // What leaves the repository may be another value than that of the parameter.
            found.retain(|it| matches!(it.value, Value::Name(_)));
            return found;
        }
        match chain.decode() {
            (Root::Unknown, _) => Vec::new(),
            (Root::Variable(_), _) => {
                let values = self.chain(place, None, chain, 0);
                let mut found: Vec<Candidate> =
                    values.iter().flat_map(|value| self.member(value, used.name, 1)).collect();
                // Other calls may pass something else.
                found.retain(|it| matches!(it.value, Value::Name(_)));
                found
            }
            // The name is qualified by a namespace.
            (Root::Name(prefix), steps) if prefix.ends_with(SEPARATOR) && steps.is_done() => {
                self.name(place, &format!("{prefix}{}", used.name), 0)
            }
            // `super(…)` runs the base's constructor.
            (Root::Base, steps) if steps.is_done() && is_word(&["super", "base", "parent"]) => {
                let mut bases = self.chain(place, None, chain, 0);
                bases.retain(|base| !self.is_interface_value(base));
                // A base may be the value of a module.
                let of_type = |base: &Candidate| {
                    base.of_type().map_or_else(|| self.module_value(base, 0), |of| vec![of])
                };
                bases.iter().flat_map(of_type).collect()
            }
            // Python's `cls(…)` and `type(self)(…)`.
            (Root::Own, _)
                if chain.own_member() == Some("__class__") && is_word(&["cls", "type"]) =>
            {
                self.chain(place, None, chain, 0)
            }
            // `this(…)` runs another constructor of the same type.
            (Root::Own, steps)
                if steps.is_done() && is_word(&["this", "self", "static", "Self"]) =>
            {
                self.chain(place, None, chain, 0).iter().filter_map(Candidate::of_type).collect()
            }
            _ => {
                let values = self.chain(place, None, chain, 0);
                let companions = self.extensions_of_outside(place, used, chain, &values);
                if !companions.is_empty() {
                    return companions;
                }
                if values.is_empty()
                    && let Some(path) = chain.as_path()
                {
                    return self.qualified_type(place, &format!("{path}.{}", used.name), 0);
                }
                let names_outside_type = self.names_outside_type(place, chain, &values);
                let member = |value: &Candidate| {
                    let by_argument = self.by_first_argument(place, used, value);
                    if !by_argument.is_empty() {
                        return by_argument;
                    }
                    let mut found = self.member(value, used.name, 0);
                    self.prefer_of_object(used, &mut found);
                    self.add_pointed(place, used, value, &mut found);
                    if !found.iter().any(|it| matches!(it.value, Value::Name(_))) {
                        found.extend(self.constructed(value, used.name));
                    }
                    if !names_outside_type {
                        self.add_extensions(place, value, Called::by(used), &mut found, 0);
                    }
                    self.replace_unfit(used, &mut found);
                    found
                };
                let found: Vec<Candidate> = values.iter().flat_map(member).collect();
                let own = chain.own_member().filter(|it| it.starts_with('@'));
                let is_known = |it: &Candidate| matches!(it.value, Value::Name(_));
                match own {
                    Some(variable) if !found.iter().any(is_known) => {
                        let mut of_object = self.of_one_object(place, variable, used.name);
                        if of_object.is_empty() {
                            of_object = self.of_extended_object(place, used);
                        }
                        if of_object.is_empty() { found } else { of_object }
                    }
                    _ if !found.iter().any(is_known) => {
                        let of_object = self.of_extended_object(place, used);
                        if of_object.is_empty() { found } else { of_object }
                    }
                    _ => found,
                }
            }
        }
    }

    /// Returns true for a receiver of C# that is the name of a type from outside, which has no extensions:
    /// `Math.Sin(1)`, `double.IsNaN(x)`. A name may also be a property of an outside base.
    fn names_outside_type(&self, place: Place, chain: &Chain, values: &[Candidate]) -> bool {
        let name = chain.as_path().filter(|path| !path.contains('.'));
        let Some(facts) = self
            .facts(place.file)
            .filter(|facts| name.is_some() && facts.dialect.extensions == Extensions::Parameter)
        else {
            return false;
        };
        if !values.iter().all(|it| matches!(it.value, Value::Outside | Value::Foreign(_))) {
            return false;
        }
        if name.is_some_and(|name| facts.dialect.globals.contains(&name)) {
            return true;
        }
        let is_outside = |it: &Candidate| !matches!(it.value, Value::Instance(..));
        let own = self.own_types(place, 1);
        name.is_some_and(|name| name.starts_with(char::is_uppercase))
            && !own.iter().any(|of| self.has_outside_class(*of, &is_outside))
    }

    /// Returns true if a type may have members of a class from outside: the first of its bases is one,
    /// and by its name no interface; or a base has such a class.
    pub(super) fn has_outside_class(
        &self,
        of: SymbolAt,
        is_outside: &dyn Fn(&Candidate) -> bool,
    ) -> bool {
        let mut open = vec![of];
        for _ in 0..BASES_MAX {
            let Some(of) = open.pop() else { return false };
            for base in self.bases(of, 1) {
                let is_interface = match &base.value {
                    Value::Foreign(written) => {
                        let name = written.of().name();
                        name.starts_with('I') && name[1..].starts_with(char::is_uppercase)
                    }
                    _ => false,
                };
                if is_outside(&base) && !is_interface {
                    return true;
                }
                if let Value::Instance(at, _) = base.value {
                    open.push(at);
                }
            }
        }
        true
    }

    /// Selects the type that C#'s `new Name<A>()` creates: no member of the same name, and one with so
    /// many type parameters. Where calls never refer to variables, a type comes before one.
    fn select_created(&self, place: Place, used: Use<'_>, found: &mut Vec<Candidate>) {
        let Some(facts) = self.facts(place.file) else { return };
        let is_value = |it: &Candidate| self.kind(it).is_some_and(is_variable);
        let calls_only_methods = facts.dialect.calls_only_methods && used.role == Role::Call;
        if calls_only_methods && found.iter().any(is_value) {
            found.retain(|it| !is_value(it));
            if found.is_empty() {
                *found = self.type_named(place, used.name, 0);
                found.retain(|it| !is_value(it));
            }
            return;
        }
        let (Role::Call, true, Some(start)) = (used.role, facts.dialect.has_usings, used.start)
        else {
            return;
        };
        if found.is_empty() {
            return;
        }
        let Some(text) = self.code.text(place.file) else { return };
        let is_type = |it: &Candidate| self.kind(it).is_some_and(is_type);
        let before = text.get(..start).unwrap_or_default().trim_ascii_end();
        if before.ends_with(b"new") && !found.iter().any(is_type) {
            let named = self.type_named(place, used.name, 0);
            if named.iter().any(is_type) {
                *found = named;
            }
        }
        let stated = stated_type_arguments(&text, start + used.name.len());
        if found.iter().filter(|it| is_type(it)).nth(1).is_some() {
            self.retain_arity(found, stated.unwrap_or_default());
        }
        // A type that is nearer may have another number of type parameters.
        let stated = stated.unwrap_or_default();
        if before.ends_with(b"new") && self.have_other_arity(found, stated) {
            *found = self.types_of_arity(place, used.name, stated);
        }
    }

    /// Returns the type whose constructor the method `name` of a type calls: Ruby's `new`.
    fn constructed(&self, of: &Candidate, name: &str) -> Option<Candidate> {
        let (at, named) = match of.value {
            Value::Name(at) => (at, of.clone()),
            // The parameter that C#'s `new(…)` is passed to.
            Value::Instance(at, _) => (at, of.of_type()?),
            _ => return None,
        };
        let (facts, place) = self.symbol(at)?;
        let symbol = &facts.symbols[place];
        if facts.dialect.constructor_call == Some(name) && is_variable(symbol.kind) {
            // Another name of a type: `List = App::List`.
            let types =
                self.load(of, 1).into_iter().filter(|it| self.kind(it).is_some_and(is_type));
            return types.take(1).find_map(|of| self.constructed(&of, name));
        }
        if facts.dialect.constructor_call == Some(name)
            && symbol.kind == SymbolKind::Module
            && facts.dialect.has_module_instances
        {
            // A method of a module of Ruby that extends a class.
            let users = self.users(at, symbol);
            let [user] = users[..] else { return None };
            let made = Candidate { reason: Reason::Implementation, ..named };
            return Some(made.then(Value::Name(user), weights::OPEN_MAX));
        }
        let is_instance = matches!(of.value, Value::Instance(..));
        let is_call =
            facts.dialect.constructor_call == Some(name) && is_instance == facts.dialect.has_usings;
        if !is_call || !is_type(symbol.kind) {
            return None;
        }
        // The repository only adds members to a type that the language itself defines.
        let is_global = facts.dialect.globals.contains(&symbol.name.as_str())
            && symbol.qualified_name == symbol.name;
        let is_its_own = |constructor: &&str| {
            let members = self.members(at, constructor, 0);
            members.iter().any(|it| matches!(it.value, Value::Name(_)))
        };
        let is_outside = is_global && !facts.dialect.constructors.iter().any(is_its_own);
        Some(if is_outside { of.then(Value::Outside, 1.0) } else { named })
    }

    /// Returns true if a use refers to something outside of the repository: every candidate is
    /// outside, or it is a bare name that nothing visible binds.
    pub(super) fn is_outside(&self, place: Place, used: Use<'_>, candidates: &[Candidate]) -> bool {
        if self.is_cut.get() {
            return false;
        }
        if candidates.is_empty() && used.receiver.is_none() {
            return self.facts(place.file).is_some_and(|facts| {
                has_bound_names(facts.dialect.group) && !self.has_lost_wildcard(&facts, place.file)
            });
        }
        if let (true, Some(chain)) = (candidates.is_empty(), used.receiver) {
            let (root, mut steps) = chain.decode();
            // What a function from outside passes to a callback may be from the repository.
            let has_callback = steps.any(|step| matches!(step, Ok(Step::Parameter(_))));
            return match root {
                Root::Name(name) => {
                    let name = TypeText::of(name).path();
                    !has_callback
                        && self.is_undefined(place, name)
                        && !self.declares_variable(place, name)
                        && !self.may_be_held(place, used)
                }
                _ => false,
            };
        }
        !candidates.is_empty()
            && candidates.iter().all(Candidate::is_outside)
            && !self.is_open_conversion(place, used)
            && !self.may_be_held(place, used)
            && !self.is_of_derived_type(place, used)
    }

    /// Returns true for a member of Python or PHP that the receiver's type of the repository lacks, and a
    /// type derived from it has: the value may be of that type.
    fn is_of_derived_type(&self, place: Place, used: Use<'_>) -> bool {
        let Some(chain) = used.receiver else { return false };
        let is_open = |facts: &FileFacts| matches!(facts.dialect.group, Group::Php | Group::Python);
        if !self.facts(place.file).is_some_and(|facts| is_open(&facts)) {
            return false;
        }
        let named = self.code.named(used.name);
        if named.is_empty() {
            return false;
        }
        let values = self.chain(place, None, chain, 0);
        let types = values.iter().filter_map(|it| match it.value {
            Value::Instance(of, _) => Some(of),
            _ => None,
        });
        let types: Vec<SymbolAt> = types.collect();
        let owner = |at: &SymbolAt| {
            let (facts, place) = self.symbol(*at)?;
            let parent = facts.symbols[place].parent?;
            Some(SymbolAt { file: at.file, place: parent as u32 })
        };
        let owners = named.iter().take(DERIVED_MAX).filter_map(owner);
        owners.into_iter().any(|owner| types.iter().any(|of| self.is_derived(owner, *of, 1)))
    }

    /// Returns true for a conversion of Rust of which nothing shows the type of the result, where it may
    /// run one of the repository.
    fn is_open_conversion(&self, place: Place, used: Use<'_>) -> bool {
        let is_method = used.role == Role::Call && used.arguments == Some(0);
        let method =
            conversion_method(used.name).filter(|method| is_method && *method != used.name);
        let has_conversions = || {
            self.facts(place.file).is_some_and(|facts| facts.dialect.has_extension_traits)
                && method.is_some_and(|method| !self.code.named(method).is_empty())
        };
        if method.is_none() || !has_conversions() {
            return false;
        }
        let expected = used.receiver.and_then(Chain::conversion).map(|(_, expected)| expected);
        let values = expected.map(|expected| self.chain(place, None, &expected, 0));
        values.unwrap_or_default().iter().all(|it| matches!(it.value, Value::Outside))
    }

    /// Returns true if a file of JavaScript imports a name, or declares a variable of it somewhere: functions
    /// in its value, and those before it, may refer to it.
    fn declares_variable(&self, place: Place, name: &str) -> bool {
        let facts = self.facts(place.file);
        let Some(facts) = facts.filter(|facts| facts.dialect.group == Group::JavaScript) else {
            return false;
        };
        if facts.bindings(name).next().is_some() {
            return true;
        }
        let Some(text) = self.code.text(place.file).filter(|text| text.len() <= TEXT_MAX) else {
            return false;
        };
        let words: [&[u8]; 4] = [b"let ", b"const ", b"var ", b"function "];
        memchr::memmem::find_iter(&text, name.as_bytes()).take(MENTIONS_MAX).any(|at| {
            let next = text.get(at + name.len());
            let ends = next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
            ends && words.iter().any(|word| text[..at].ends_with(word))
        })
    }

    /// Returns true for a receiver that is known to be from outside: a member of it is not guessed. In Python
    /// these are the built-in types; other names may be variables that are assigned later.
    pub(super) fn is_known_global(&self, place: Place, used: Use<'_>) -> bool {
        let group = self.facts(place.file).map(|facts| facts.dialect.group);
        match (group, used.receiver) {
            (Some(Group::JavaScript), Some(chain)) => {
                let first = chain.root_name();
                first.is_some_and(|it| it.starts_with(|c: char| c.is_ascii_uppercase()))
            }
            (Some(Group::Python), Some(chain)) => chain.as_path().is_some_and(is_built_in_type),
            _ => false,
        }
    }

    /// Returns true for a name that nothing binds and nothing in the repository defines, in
    /// languages where it can then only be one that the language itself defines.
    fn is_undefined(&self, place: Place, name: &str) -> bool {
        let Some(facts) = self.facts(place.file) else { return false };
        let is_parameter = TypeText::of(name).parameter().is_some()
            || name.len() <= 2 && name.starts_with(char::is_uppercase);
        has_bound_names(facts.dialect.group)
            && !is_parameter
            && self.code.named(name).is_empty()
            && !self.has_lost_wildcard(&facts, place.file)
    }

    /// Returns true if a file imports all names of a module that was not found.
    fn has_lost_wildcard(&self, facts: &FileFacts, file: FileId) -> bool {
        let mut wildcards = facts.wildcards().take(WILDCARDS_MAX);
        wildcards.any(|import| matches!(self.code.targets(file, import), Resolution::Unknown))
    }

    /// Returns for each definition of `of` the confidence that an unresolved call refers to it, and the
    /// reason; see [`super::Linker::possibilities`]. `links` are those of the call.
    pub(super) fn possibilities(
        &self,
        place: Place,
        used: Use<'_>,
        links: &[Link],
        of: &[SymbolAt],
    ) -> Vec<Option<(f32, Reason)>> {
        let Some(facts) = self.facts(place.file) else { return vec![None; of.len()] };
        let guesses = OnceCell::new();
        let guesses = || guesses.get_or_init(|| self.guesses(place, used));
        let possibility = |&to: &SymbolAt| {
            let (there, at) = self.symbol(to)?;
            if !facts.shares_definitions(&there) {
                return None;
            }
            let is_open = |link: &&Link| link.to == to && link.confidence >= CONFIDENCE_OPEN;
            if let Some(link) = links.iter().find(is_open).filter(|_| links[0].to != to) {
                return Some((link.confidence, Reason::Ambiguous));
            }
            let guess = |candidate: &Candidate| match candidate.value {
                Value::Name(same) if same == to => Some((candidate.confidence, candidate.reason)),
                _ => None,
            };
            let symbol = &there.symbols[at];
            let (confidence, reason) = if used.receiver.is_none() {
                (weights::UNBOUND, Reason::Unbound)
            } else if !self.accepts_arguments(used, to, &there, symbol) {
                (weights::OTHER_ARGUMENTS, Reason::OtherArguments)
            } else if let Some(guess) = guesses().iter().find_map(guess) {
                guess
            } else if facts.dialect.common.contains(&used.name) {
                (weights::UNBOUND, Reason::CommonName)
            } else {
                (weights::MANY, Reason::Ambiguous)
            };
            let is_in_scope = self.is_in_scope(&facts, place.file, &there, to, at);
            let factor = if is_in_scope { weights::IN_REACH } else { weights::OUT_OF_REACH };
            Some(((confidence * factor).min(weights::NO_ANSWER), reason))
        };
        of.iter().map(possibility).collect()
    }

    /// Returns true if a file defines or imports a definition's file or type, or is next to it.
    fn is_in_scope(
        &self,
        facts: &FileFacts,
        file: FileId,
        there: &FileFacts,
        to: SymbolAt,
        at: usize,
    ) -> bool {
        let directory = |path: &str| path.rfind('/').map_or(0, |end| end + 1);
        let is_near = |a: &str, b: &str| a[..directory(a)] == b[..directory(b)];
        file == to.file
            || is_near(&facts.path, &there.path)
            || there.owner(at).is_some_and(|owner| facts.bindings(owner).next().is_some())
            || self.first_imported(facts, file).binary_search(&to.file).is_ok()
    }
}

impl Walk<'_> {
    /// Returns the files that the first imports of a file lead to, in order.
    fn first_imported(&self, facts: &FileFacts, file: FileId) -> Rc<[FileId]> {
        self.memo.first_imported(file, || {
            let imports = 0..facts.imports.len().min(WILDCARDS_MAX);
            let targets = |import| {
                let resolution = self.code.targets(file, import);
                resolution.targets().iter().map(|it| it.file).collect::<Vec<_>>()
            };
            let mut found: Vec<FileId> = imports.flat_map(targets).collect();
            found.sort_unstable();
            found.dedup();
            found.into()
        })
    }
}

/// Returns true for languages in which a bare name refers to what its file defines or imports, and
/// otherwise to what the language itself defines.
fn has_bound_names(group: Group) -> bool {
    matches!(group, Group::Go | Group::JavaScript | Group::Php | Group::Python | Group::Rust)
}
