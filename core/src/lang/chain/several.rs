//! Chains of values that are one of several: `%a()%b()` of `condition ? a() : b()`.
//!
//! Each alternative follows a `%`; `?` is one of which nothing is known. Steps are appended to every
//! alternative. [`Chain::decode`] returns an unknown value for such a chain; whoever follows chains
//! asks for [`Chain::several`] first.
//!
//! After `%&`, the value has the types of all alternatives at once: `%&%@A%@B` of TypeScript's `A & B`.
//! After `%|`, it is the first one if that is known, otherwise one of the others.

use super::{CHAIN_BYTES_MAX, Chain, Step, UNKNOWN};

/// The sign before each alternative.
pub(super) const EACH: char = '%';

/// What such a chain begins with if the value is all of its alternatives.
const ALL: &str = "%&";

/// What a chain begins with whose first alternative counts alone if it is known.
const FIRST: &str = "%|";

/// The most alternatives that are kept; more make one unknown.
const ALTERNATIVES_MAX: usize = 4;

/// The longest text of a type with arguments; a chain may have steps after it.
const ARGUMENTS_BYTES_MAX: usize = CHAIN_BYTES_MAX - 20;

/// The types of literals: a value of one of these has no members of the repository.
const LITERALS: &[&str] = &[
    "@Array", "@bool", "@boolean", "@bytes", "@dict", "@float", "@int", "@list", "@number", "@set",
    "@str", "@string", "@tuple", "@array",
];

impl Chain {
    /// Returns the chain of a value that is one of several, the most likely first; `None` stands for an
    /// unknown value. Literals do not count where something else is known. Returns `None` if nothing is
    /// known. O(bytes).
    pub(in crate::lang) fn one_of(
        values: impl IntoIterator<Item = Option<Chain>>,
    ) -> Option<Chain> {
        let mut values: Vec<Option<Chain>> = values.into_iter().collect();
        if let [Some(only)] = &values[..]
            && (only.is_all() || only.is_first())
        {
            return values.pop().flatten();
        }
        let mut parts: Vec<String> = Vec::new();
        let mut add = |part: &str| {
            if !parts.iter().any(|known| known == part) {
                parts.push(part.to_owned());
            }
        };
        for value in values {
            match value {
                Some(chain) if chain.is_all() => chain.parts().take(1).for_each(&mut add),
                Some(chain) if chain.is_first() => chain.parts().skip(1).for_each(&mut add),
                // A member may have the name of the sign: Ruby's `x.%(y)`.
                Some(chain) if chain.0.rfind(EACH) > Some(0) && !chain.0.starts_with(EACH) => {
                    add(UNKNOWN);
                }
                Some(chain) => chain.parts().for_each(&mut add),
                None => add(UNKNOWN),
            }
        }
        let is_literal = |part: &String| LITERALS.contains(&part.as_str());
        let is_open = |part: &String| part == UNKNOWN;
        if parts.iter().any(|part| !is_literal(part) && !is_open(part)) {
            parts.retain(|part| !is_literal(part));
        } else {
            // A literal or an unknown value.
            parts.retain(|part| !is_open(part));
            parts.truncate(1);
        }
        if parts.len() > ALTERNATIVES_MAX {
            parts.truncate(ALTERNATIVES_MAX - 1);
            if !parts.iter().any(is_open) {
                parts.push(UNKNOWN.to_owned());
            }
        }
        let mut written = String::new();
        match &parts[..] {
            [] => return None,
            [only] => written.push_str(only),
            _ => {
                for part in &parts {
                    written.push(EACH);
                    written.push_str(part);
                }
            }
        }
        Some(Chain(written))
    }

    /// Returns the chain of a value that has all of some types; unknown ones and those that are one of
    /// several do not count, unless there are no others. O(bytes).
    pub fn all_of(values: impl IntoIterator<Item = Option<Chain>>) -> Option<Chain> {
        let values: Vec<Chain> = values.into_iter().flatten().collect();
        let is_one = |chain: &&Chain| chain.is_all() || chain.several().is_none();
        let mut parts: Vec<&str> = Vec::new();
        for part in values.iter().filter(is_one).flat_map(Chain::parts) {
            if part != UNKNOWN && !parts.contains(&part) && parts.len() < ALTERNATIVES_MAX {
                parts.push(part);
            }
        }
        match &parts[..] {
            [] => values.into_iter().next(),
            [only] => Some(Chain((*only).to_owned())),
            _ => Some(Chain(format!("{ALL}{EACH}{}", parts.join("%")))),
        }
    }

    /// Returns the chain of a value that is `first` if that is known, otherwise one of the `others`; `None`
    /// if it is too long.
    pub(in crate::lang) fn first_of(first: &Chain, others: Option<&Chain>) -> Option<Chain> {
        let others = others.map(|of| match () {
            () if of.is_all() => of.parts().take(1).collect::<Vec<_>>(),
            () if of.is_first() => of.parts().skip(1).collect(),
            () => of.parts().collect(),
        });
        let others = others.unwrap_or_else(|| vec![UNKNOWN]);
        let written = format!("{FIRST}{EACH}{}{EACH}{}", first.0, others.join("%"));
        (!first.0.starts_with(EACH) && written.len() <= CHAIN_BYTES_MAX).then_some(Chain(written))
    }

    /// Returns true if the first alternative of a value counts alone if it is known.
    pub fn is_first(&self) -> bool {
        self.0.starts_with(FIRST)
    }

    /// Returns true if a value is all of its alternatives.
    pub fn is_all(&self) -> bool {
        self.0.starts_with(ALL)
    }

    /// Returns the chain of one of several values, as `one_of` does, for written types of other files.
    pub fn of_alternatives(values: impl IntoIterator<Item = Option<Chain>>) -> Option<Chain> {
        Chain::one_of(values)
    }

    /// Returns the chain of a value of the type `name` with arguments; where an argument is one of several
    /// types, of one of several such values. `argument` returns how an argument is written.
    pub(in crate::lang) fn with_arguments(
        name: &str,
        arguments: &[Option<Chain>],
        argument: impl Fn(&Chain) -> Option<String>,
    ) -> Chain {
        let mut written = vec![name.to_owned()];
        let mut is_open = false;
        let is_several =
            |given: &&Option<Chain>| given.as_ref().is_some_and(|it| it.several().is_some());
        let mut several = arguments.iter().filter(is_several);
        let is_all =
            matches!((several.next(), several.next()), (Some(Some(only)), None) if only.is_all());
        for (at, given) in arguments.iter().enumerate() {
            let several = given.as_ref().and_then(Chain::several);
            is_open |= several.is_some() && given.as_ref().is_some_and(Chain::may_be_unknown);
            let given = several.unwrap_or_else(|| given.iter().cloned().collect());
            let mut parts: Vec<String> = given.iter().filter_map(&argument).collect();
            if parts.is_empty() {
                parts.push("_".to_owned());
            }
            is_open |= written.len() * parts.len() > ALTERNATIVES_MAX;
            let sign = if at == 0 { '<' } else { ',' };
            let with = |before: &String| {
                let each = parts.iter().map(|part| format!("{before}{sign}{part}"));
                each.collect::<Vec<_>>()
            };
            written = written.iter().flat_map(with).take(ALTERNATIVES_MAX).collect();
        }
        let end = if arguments.is_empty() { "" } else { ">" };
        if written.iter().map(|of| of.len() + 3).sum::<usize>() > ARGUMENTS_BYTES_MAX {
            // The type is known, although not all of its arguments are.
            return Chain::instance(&shortened(name, arguments, argument));
        }
        let all = written.iter().map(|of| Some(Chain::instance(&format!("{of}{end}"))));
        if is_all && !is_open {
            return Chain::all_of(all).unwrap_or_else(Chain::unknown);
        }
        Chain::one_of(all.chain(is_open.then_some(None))).unwrap_or_else(Chain::unknown)
    }

    /// Returns the chain of one of some elements, as a value of the type that `class` finds; an element
    /// without a type is unknown.
    pub(in crate::lang) fn one_of_types(
        elements: impl IntoIterator<Item = Option<Chain>>,
        class: impl Fn(&Chain) -> Option<String>,
    ) -> Option<Chain> {
        let typed = |element: Option<Chain>| {
            let Some(element) = element else { return vec![None] };
            element.alternatives().map(|part| Some(Chain::instance(&class(&part)?))).collect()
        };
        Chain::one_of(elements.into_iter().flat_map(typed))
    }

    /// Returns true if the type of the value is written, and is not that of a literal; of one of several
    /// values, if each has such a type.
    pub(in crate::lang) fn is_typed(&self) -> bool {
        let mut parts = self.parts().skip(usize::from(self.is_first()));
        parts.all(|part| part.starts_with('@') && !LITERALS.contains(&part))
    }

    /// Returns the alternatives of a value that is one of several, without unknown ones.
    pub fn several(&self) -> Option<Vec<Chain>> {
        let all = self.0.starts_with(EACH).then(|| self.parts())?;
        Some(all.filter(|part| *part != UNKNOWN).map(|part| Chain(part.to_owned())).collect())
    }

    /// Returns true if a value may be one that is unknown, in addition to its known alternatives.
    pub fn may_be_unknown(&self) -> bool {
        self.0.starts_with(EACH) && self.parts().any(|part| part == UNKNOWN)
    }

    /// Returns the chain of a value of the type that the chain names; of one of several, of each.
    #[must_use]
    pub fn instances(&self) -> Chain {
        self.each_alternative(|of| of.instance_of())
    }

    /// Returns what the chain begins with before its alternatives.
    fn mark(&self) -> &'static str {
        match () {
            () if self.is_all() => ALL,
            () if self.is_first() => FIRST,
            () => "",
        }
    }

    /// Returns the alternatives, of which one may be unknown; of any other chain, the chain.
    pub(in crate::lang) fn alternatives(&self) -> impl Iterator<Item = Chain> {
        self.parts().map(|part| Chain(part.to_owned()))
    }

    /// Returns the alternatives as they are encoded; of any other chain, the chain.
    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        let alternatives = &self.0[self.mark().len()..];
        let (whole, several) = match alternatives.strip_prefix(EACH) {
            Some(several) => (None, Some(several.split(EACH))),
            None => (Some(self.0.as_str()), None),
        };
        whole.into_iter().chain(several.into_iter().flatten())
    }

    /// Returns the chain with each alternative changed by `change`; any other chain changed by it.
    pub(in crate::lang) fn each_alternative(&self, change: impl Fn(Chain) -> Chain) -> Chain {
        if !self.0.starts_with(EACH) {
            return change(self.clone());
        }
        let mut written = self.mark().to_owned();
        for part in self.parts() {
            written.push(EACH);
            match part {
                UNKNOWN => written.push_str(UNKNOWN),
                _ => written.push_str(&change(Chain(part.to_owned())).0),
            }
        }
        Chain(written)
    }

    /// Appends a step to each alternative.
    pub(super) fn push_to_all(&mut self, step: Step<'_>) {
        *self = self.each_alternative(|part| part.then(step));
    }

    /// Returns the first alternative and an unknown one, where all are longer than a chain may be.
    pub(super) fn shortened(&self) -> Option<Chain> {
        let first = self.parts().find(|part| *part != UNKNOWN)?;
        let written = format!("{EACH}{first}{EACH}{UNKNOWN}");
        (written.len() <= CHAIN_BYTES_MAX).then_some(Chain(written))
    }

    /// Returns what [`Chain::split_member`] returns, if all alternatives end in the same member.
    pub(super) fn split_alternatives(&self) -> Option<(Chain, &str)> {
        let mut names = self.parts().filter(|part| *part != UNKNOWN);
        let name = names.next()?.rsplit_once('.')?.1;
        let is_its = |part: &str| part.rsplit_once('.').is_some_and(|(_, last)| last == name);
        let of = |part: Chain| part.split_member().map_or_else(Chain::unknown, |(of, _)| of);
        names.all(is_its).then(|| (self.each_alternative(of), name))
    }
}

/// Returns the text of a type with `_` in place of arguments that are one of several, then of the longest
/// ones, so that it is no longer than [`ARGUMENTS_BYTES_MAX`].
fn shortened(
    name: &str,
    arguments: &[Option<Chain>],
    argument: impl Fn(&Chain) -> Option<String>,
) -> String {
    let one = |given: &Option<Chain>| {
        let one = given.as_ref().filter(|it| it.several().is_none());
        one.and_then(&argument).unwrap_or_else(|| "_".to_owned())
    };
    let mut arguments: Vec<String> = arguments.iter().map(one).collect();
    loop {
        let written = format!("{name}<{}>", arguments.join(","));
        if written.len() < ARGUMENTS_BYTES_MAX {
            return written;
        }
        match arguments.iter_mut().max_by_key(|it| it.len()) {
            Some(longest) if longest.len() > 1 => "_".clone_into(longest),
            _ => return name.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[&str], expected: Option<&str>) {
        let values = values.iter().map(|it| (*it != "?").then(|| Chain::name(*it)));
        let seen = Chain::one_of(values);
        assert_eq!(seen.as_ref().map(Chain::as_str), expected);
    }

    #[test]
    fn several_values_make_one_chain() {
        check(&["a", "b"], Some("%a%b"));
        check(&["a", "a"], Some("a"));
        check(&["%a%?", "b", "a"], Some("%a%?%b"));
        check(&["a", "?"], Some("%a%?"));
        check(&["a", "@string"], Some("a"));
        check(&["?", "@string"], Some("@string"));
        check(&["?", "?"], None);
        check(&["a", "b", "c", "d", "e"], Some("%a%b%c%?"));
    }

    /// A type with many arguments was unknown since it was too long.
    #[test]
    fn long_arguments_are_left_out() {
        let long = |of: char| Some(Chain::instance(&of.to_string().repeat(70)));
        let union = Chain::one_of([long('a'), long('b')]);
        let written = |of: &Chain| of.as_argument().map(str::to_owned);
        let of = |arguments: &[Option<Chain>]| Chain::with_arguments("T", arguments, written);
        let seen = of(&[Some(Chain::instance("A")), union, long('c')]);
        assert_eq!(seen.as_str(), format!("@T<A,_,{}>", "c".repeat(70)));
        let seen = of(&[long('a'), long('b'), Some(Chain::instance("A")), long('c')]);
        assert_eq!(seen.as_str(), format!("@T<{},{},A,_>", "a".repeat(70), "b".repeat(70)));
    }

    #[test]
    fn values_of_all_types_keep_their_mark() {
        let of =
            |names: &[&str]| names.iter().map(|it| Some(Chain::instance(it))).collect::<Vec<_>>();
        let all = Chain::all_of(of(&["A", "B"])).expect("both are known");
        assert_eq!(all.as_str(), "%&%@A%@B");
        assert_eq!(all.clone().then(Step::Call).as_str(), "%&%@A()%@B()");
        assert_eq!(Chain::all_of([Some(all.clone()), None]), Some(all.clone()));
        assert_eq!(Chain::one_of([Some(all.clone())]), Some(all.clone()));
        let union = Chain::one_of([Some(all.clone()), Some(Chain::instance("C"))]);
        assert_eq!(union.as_ref().map(Chain::as_str), Some("%@A%@C"));
        let class = |of: &Chain| of.as_argument().map(str::to_owned);
        let list = Chain::with_arguments("Array", &[Some(all)], class);
        assert_eq!(list.as_str(), "%&%@Array<A>%@Array<B>");
    }

    #[test]
    fn steps_are_steps_of_each() {
        let chain = Chain::name("%a%?%b()").then(Step::Member("m")).then(Step::Call);
        assert_eq!(chain.as_str(), "%a.m()%?%b().m()");
        let alternatives = chain.several().expect("it is one of several");
        assert_eq!(alternatives, [Chain::name("a.m()"), Chain::name("b().m()")]);
        assert!(chain.may_be_unknown());
        let chain = Chain::name("%a.m%?%b.m");
        let (of, name) = chain.split_member().expect("all end in a member");
        assert_eq!((of.as_str(), name), ("%a%?%b", "m"));
        assert_eq!(Chain::name("%a.m%b.n").split_member(), None);
        let passed = Chain::parameter_of_block("x", &Chain::name("%a(0)%b(0)"));
        assert_eq!(passed.as_str(), "%^x|a(0)%^x|b(0)");
        assert!(passed.is_of_variable());
        assert!(!Chain::name("%^x%a").is_of_variable());
        assert_eq!(Chain::name("%A%@B").instances().as_str(), "%@A%@B");
        let long = Chain::name(format!("%{}%{}", "a".repeat(120), "b".repeat(120)));
        assert_eq!(long.bounded().map(|it| it.as_str().len()), Some(123));
    }
}
