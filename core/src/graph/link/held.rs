//! What functions and containers from outside of the repository may return or hold: where a type or a value
//! of the repository is among their type arguments, their arguments or their receiver, a call on what
//! they return is no call that leaves the repository.
//!
//! Arguments are read from the text: chains have none. Only calls of names that the repository defines
//! are examined.

use super::dialect::Group;
use super::kinds::{is_type, is_variable};
use super::result::Use;
use super::value::{Candidate, Place, Value, WrittenType};
use super::walk::Walk;
use crate::lang::chain::{Chain, Root, Step, TypeText};
use crate::lang::facts::Role;

/// The most steps of a chain that are examined.
const STEPS_MAX: usize = 24;

/// The most calls in a definition that are searched for those of a name, and the most of these of which the
/// arguments are read.
const CALLS_MAX: usize = 1024;
const SAME_MAX: usize = 8;

/// The most bytes of arguments, of a declaration, and of a function before a call, that are read.
const ARGUMENTS_MAX: usize = 400;
const DECLARATION_MAX: usize = 120;
const BEFORE_MAX: usize = 4096;

/// The most names in arguments, and the most uses of a variable, that are examined.
const NAMES_MAX: usize = 32;

/// Methods whose results are texts, numbers or truth values in every library, sorted.
const PLAIN: [&str; 34] = [
    "Contains",
    "Count",
    "Equals",
    "GetHashCode",
    "Len",
    "Length",
    "ToString",
    "capacity",
    "charAt",
    "contains",
    "containsKey",
    "count",
    "empty",
    "equals",
    "format",
    "has",
    "hasNext",
    "hashCode",
    "includes",
    "indexOf",
    "isEmpty",
    "is_empty",
    "is_none",
    "is_ok",
    "is_some",
    "join",
    "len",
    "length",
    "size",
    "strftime",
    "toFixed",
    "toString",
    "to_s",
    "to_string",
];

/// Functions of libraries that return an argument, a copy of it or something that it contains, sorted: an
/// argument of unknown type may be of the repository.
const GENERIC: [&str; 19] = [
    "Max",
    "Min",
    "Values",
    "all",
    "allSettled",
    "any",
    "choice",
    "cloneDeep",
    "copy",
    "deepcopy",
    "forward",
    "gather",
    "max",
    "min",
    "next",
    "race",
    "structuredClone",
    "take",
    "wait_for",
];

/// Words of languages that are no names of values.
const WORDS: [&str; 20] = [
    "as", "async", "await", "const", "else", "false", "for", "if", "in", "lambda", "let", "move",
    "mut", "new", "null", "of", "return", "true", "typeof", "var",
];

/// The local variables that arguments may name.
#[derive(Clone, Copy)]
struct Locals<'t> {
    /// The text in which they are declared.
    text: &'t [u8],
    /// The byte before which they are.
    end: usize,
    /// One of unknown type may be of the repository.
    may_be_own: bool,
}

impl Walk<'_> {
    /// Returns true for a call whose receiver is something from outside of the repository, which may
    /// return or hold a value of the repository.
    pub(super) fn may_be_held(&self, place: Place, used: Use<'_>) -> bool {
        let Some(chain) = used.receiver.filter(|_| used.role == Role::Call) else { return false };
        if self.code.named(used.name).is_empty() {
            return false;
        }
        match chain.several() {
            Some(all) => all.iter().any(|chain| self.is_held(place, chain)),
            None => self.is_held(place, chain),
        }
    }

    /// Returns true if the value of a chain may be one of the repository that comes from outside.
    fn is_held(&self, place: Place, chain: &Chain) -> bool {
        let (root, mut steps) = chain.decode();
        let mut called = match root {
            Root::Name(name) => TypeText::of(name).path(),
            Root::Instance(of) => of.name(),
            Root::Own | Root::Base => "",
            Root::Fixture(_) | Root::Variable(_) | Root::Unknown => return false,
        };
        let mut before = self.chain(place, None, &chain.before(&steps), 0);
        // The contents of a new container, or the arguments of a method of a type: `@Type.method`.
        let mut is_held = match root {
            Root::Instance(of) => {
                let is_open = !of.has_arguments() && before.iter().all(is_from_outside);
                let mut parts = of.path().split('.');
                is_open && !is_plain(called) && parts.any(|part| self.passes_own(place, part))
            }
            Root::Name(name) => {
                // A variable that an inner block declares.
                let text = if before.is_empty() { self.code.text(place.file) } else { None };
                let start = self.start.get();
                let is_variable = text
                    .zip(start)
                    .is_some_and(|(text, start)| self.is_declared_own(place, called, &text, start));
                is_variable || self.names_own(place, name.get(called.len()..).unwrap_or_default())
            }
            _ => false,
        };
        for _ in 0..STEPS_MAX {
            let Some(Ok(step)) = steps.next() else { break };
            if let Step::Member(name) = step {
                called = name;
            }
            let after = self.chain(place, None, &chain.before(&steps), 0);
            let is_open = after.iter().all(|it| matches!(it.value, Value::Outside));
            let is_named = matches!(step, Step::Member(_) | Step::Call);
            is_held = match is_open {
                false => false,
                true if is_named && is_plain(called) => is_held,
                true => {
                    is_held
                        || before.iter().any(|it| self.holds(it, step))
                        || step == Step::Call
                            && before.iter().all(is_from_outside)
                            && self.passes_own(place, called)
                }
            };
            before = after;
        }
        is_held
    }

    /// Returns true for a value of the repository, or one from outside with a type of the repository among
    /// its type arguments, from which `step` leads to something unknown.
    fn holds(&self, candidate: &Candidate, step: Step<'_>) -> bool {
        match &candidate.value {
            Value::Instance(..) => true,
            Value::Foreign(written) => self.has_own(written),
            Value::ForeignMethod { results, .. } => results.iter().any(|it| self.holds(it, step)),
            Value::Name(_) => {
                let Some(kind) = self.kind(candidate) else { return false };
                if is_variable(kind) {
                    let is_own = |it: &Candidate| match &it.value {
                        Value::Instance(..) => true,
                        Value::Foreign(written) => self.has_own(written),
                        _ => false,
                    };
                    return self.load(candidate, 1).iter().any(is_own);
                }
                is_type(kind) || kind.is_callable() && step != Step::Call
            }
            Value::Callback(_) => true,
            Value::Module(_) | Value::Outside => false,
        }
    }

    /// Returns true if a type of the repository, or an unknown one, is among the arguments of a type.
    fn has_own(&self, written: &WrittenType) -> bool {
        let is_own = |argument: &TypeText<'_>| {
            let is_open = argument.has_parameter()
                || matches!(argument.text(), "_" | "?" | "any" | "struct" | "interface");
            let mut names =
                argument.text().split(|c: char| !is_name(c)).filter(|name| !name.is_empty());
            is_open
                || names.any(|name| {
                    let found = self.name(written.place, name, 1);
                    let is_inside = |it: &Candidate| matches!(it.value, Value::Name(_));
                    found.iter().any(is_inside)
                        || found.is_empty() && self.may_be_type(written.place, name)
                })
        };
        written.of().arguments().iter().take(NAMES_MAX).any(is_own)
    }

    /// Returns true if the nearest calls of a name around a place have arguments of the repository.
    fn passes_own(&self, place: Place, name: &str) -> bool {
        let Some(facts) = self.facts(place.file) else { return false };
        let Some(text) = self.code.text(place.file) else { return false };
        let calls = self.code.calls(place.file);
        let around = facts.ancestors(place.enclosing).map(|at| facts.symbols[at].span.clone());
        for span in around.chain(std::iter::once(0..text.len())) {
            let first = calls.partition_point(|(_, call)| call.span.start < span.start);
            let inside = calls[first..].iter().take_while(|(_, call)| call.span.start < span.end);
            let mut same = inside.take(CALLS_MAX).filter(|(called, _)| called == name).peekable();
            if same.peek().is_some() {
                return same.take(SAME_MAX).any(|(_, call)| {
                    let end = text.len().min(call.span.end + ARGUMENTS_MAX);
                    let after = text.get(call.span.end..end).unwrap_or_default();
                    let after = String::from_utf8_lossy(after);
                    let may_be_own = GENERIC.binary_search(&name).is_ok();
                    let locals = Locals { text: &text, end: call.span.start, may_be_own };
                    self.has_own_names(place, arguments(&after), Some(locals))
                });
            }
        }
        false
    }

    /// Returns true if a text without variables of functions names something of the repository.
    fn names_own(&self, place: Place, written: &str) -> bool {
        self.has_own_names(place, written, None)
    }

    /// Returns true if a text names values, functions or types of the repository.
    fn has_own_names(&self, place: Place, written: &str, variables: Option<Locals<'_>>) -> bool {
        let (mut rest, mut last, mut count) = (written, ' ', 0);
        while let Some(c) = rest.chars().next() {
            let after = &rest[c.len_utf8()..];
            if matches!(c, '"' | '\'' | '`') {
                rest = after.find(c).map_or(after, |end| &after[end + 1..]);
                last = c;
                continue;
            }
            if !is_name(c) {
                (rest, last) = (after, c);
                continue;
            }
            let end = rest.find(|c| !is_name(c) && c != '.' && c != ':').unwrap_or(rest.len());
            let path = rest[..end].replace("::", ".");
            rest = &rest[end..];
            let is_member = std::mem::replace(&mut last, 'a') == '.';
            if is_member || c.is_ascii_digit() {
                continue;
            }
            let is_called = rest.trim_start().starts_with('(');
            for path in path.split(':').map(|path| path.trim_matches('.')) {
                if path.is_empty() || WORDS.contains(&path) {
                    continue;
                }
                count += 1;
                if count > NAMES_MAX || self.is_own_path(place, path, is_called, variables) {
                    return true;
                }
            }
        }
        false
    }

    /// Returns true if a path, possibly called, may be a value of the repository.
    fn is_own_path(
        &self,
        place: Place,
        path: &str,
        is_called: bool,
        variables: Option<Locals<'_>>,
    ) -> bool {
        let first = path.split('.').next().unwrap_or(path);
        let chain = match first {
            "self" | "this" | "$this" => {
                let members = path.split('.').skip(1);
                members.fold(Chain::own(), |of, name| of.then(Step::Member(name)))
            }
            _ => Chain::name(path),
        };
        let values = self.chain(place, None, &chain, 1);
        let is_function = |it: &Candidate| self.kind(it).is_some_and(|kind| kind.is_callable());
        let is_own = |it: &Candidate| match &it.value {
            Value::Instance(..) => true,
            Value::Foreign(written) => self.has_own(written),
            Value::Name(_) => self.kind(it).is_some_and(is_type),
            _ => false,
        };
        let is_made = |it: &Candidate| {
            if !is_function(it) {
                let loaded = self.load(it, 1);
                return loaded.iter().any(is_own);
            }
            // The result of a function may be passed, or that of a callback be returned.
            let results = self.call(it, 1);
            results.iter().any(is_own) || is_called && results.is_empty()
        };
        // A short name with a capital is that of a type parameter.
        let is_parameter = path.len() <= 2 && path.starts_with(char::is_uppercase);
        let is_open = is_parameter && values.iter().all(is_from_outside);
        if !values.is_empty() && !is_open {
            return values.iter().any(is_made);
        }
        variables.is_some_and(|it| {
            it.may_be_own && !is_called || self.is_declared_own(place, first, it.text, it.end)
        })
    }

    /// Returns true if something of the repository is in a declaration or an assignment of a local
    /// variable before the byte `end`.
    fn is_declared_own(&self, place: Place, name: &str, text: &[u8], end: usize) -> bool {
        let Some(facts) = self.facts(place.file) else { return false };
        let outermost = facts.ancestors(place.enclosing).filter(|at| {
            let kind = facts.symbols[*at].kind;
            kind.is_callable()
        });
        let first = outermost.last().map_or(0, |at| facts.symbols[at].span.start);
        let first = first.max(end.saturating_sub(BEFORE_MAX)).min(end);
        let before = String::from_utf8_lossy(text.get(first..end).unwrap_or_default());
        for (at, _) in before.match_indices(name).take(NAMES_MAX) {
            let (left, right) = (&before[..at], &before[at + name.len()..]);
            if left.ends_with(|c| is_name(c) || c == '.') || right.starts_with(is_name) {
                continue;
            }
            // A type parameter and its bound.
            if let Some(bound) = right.trim_start().strip_prefix("extends") {
                let bound: String = bound.chars().take(DECLARATION_MAX).collect();
                if self.names_own(place, bound.split(['>', '{']).next().unwrap_or_default()) {
                    return true;
                }
            }
            let start = left.rfind(['(', ',', ';', '{', '\n', '|']).map_or(0, |at| at + 1);
            let end = right.find([';', '\n', ')', '|']).unwrap_or(right.len());
            let right: String = right[..end].chars().take(DECLARATION_MAX).collect();
            let value = right.trim_start();
            let is_declared = value.starts_with([':', '=']) && !value.starts_with("==")
                || value.starts_with("in ")
                || value.starts_with("of ")
                || facts.dialect.group == Group::Go;
            if self.names_own(place, &left[start..]) || is_declared && self.names_own(place, value)
            {
                return true;
            }
        }
        false
    }
}

fn is_from_outside(candidate: &Candidate) -> bool {
    matches!(candidate.value, Value::Outside | Value::Foreign(_) | Value::ForeignMethod { .. })
}

fn is_plain(name: &str) -> bool {
    PLAIN.binary_search(&name).is_ok()
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Returns the arguments of a call, with its type arguments, from the text after its name; nothing if the
/// text does not begin with arguments.
fn arguments(after: &str) -> &str {
    let rest = after.trim_start();
    let block = rest.strip_prefix('{').map(|block| block.split('}').next().unwrap_or(block));
    if let Some(block) = block {
        return block;
    }
    let Some(open) = rest.find('(') else { return "" };
    let is_arguments = open == 0 || rest.starts_with(['<', '!', '[']) || rest.starts_with("::<");
    if !is_arguments {
        return "";
    }
    let inside = super::parameters::inside(&rest[open..]);
    inside.map_or(rest, |inside| &rest[..open + 1 + inside.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_methods_are_sorted() {
        assert!(PLAIN.is_sorted() && GENERIC.is_sorted());
    }

    #[test]
    fn arguments_are_read() {
        assert_eq!(arguments("(a, b(1)).go()"), "(a, b(1)");
        assert_eq!(arguments("::<A>(1)"), "::<A>(1");
        assert_eq!(arguments(" { A() }.go()"), " A() ");
        assert_eq!(arguments(" = 1; f(A)"), "");
        assert_eq!(arguments("(a"), "(a");
    }
}
