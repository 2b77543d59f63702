//! Which implementation of a trait a call of Rust refers to, as far as its first argument shows that:
//! `Trait::method(value)` that of the value's type, `Type::from("a")` that for `&str`.
//!
//! Literals, `format!` and parameters of the enclosing function have a type; other arguments are
//! unknown, and a definition that is called by the trait's name is then that of the trait.

use super::code::near;
use super::kinds::is_interface;
use super::parameters::{parameters, written_type};
use super::position::SymbolAt;
use super::result::{Link, Use};
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::Chain;
use crate::lang::facts::Role;
use crate::lang::split;
use crate::lang::symbols::SymbolKind;

/// The most bytes of a call that are read.
const CALL_BYTES_MAX: usize = 400;

/// The most definitions of one name that are examined.
const NAMED_MAX: usize = 64;

impl Walk<'_> {
    /// Returns the methods of the first argument's type, for a call of a method by its trait's name.
    pub(super) fn by_first_argument(
        &self,
        place: Place,
        used: Use<'_>,
        of: &Candidate,
    ) -> Vec<Candidate> {
        let Value::Name(of_trait) = of.value else {
            return self.of_outside_trait(place, used, of);
        };
        let is_path = used.role == Role::Call && used.receiver.is_some_and(Chain::is_path);
        let Some((facts, at)) = self.symbol(of_trait).filter(|_| is_path) else {
            return Vec::new();
        };
        if !facts.dialect.has_extension_traits || !is_interface(facts.symbols[at].kind) {
            return Vec::new();
        }
        let declared = facts.children(Some(at), used.name).iter();
        let has_instance = declared
            .copied()
            .any(|place| takes_instance(&self.signature(SymbolAt { place, ..of_trait })));
        let Some(chain) = has_instance.then(|| self.first_argument(place, used)).flatten() else {
            return Vec::new();
        };
        let values = self.chain(place, None, &chain, 0);
        let mut found: Vec<Candidate> =
            values.iter().flat_map(|value| self.member(value, used.name, 1)).collect();
        // Only implementations of this trait.
        found.retain(|it| match it.value {
            Value::Name(method) => self.symbol(method).is_some_and(|(there, method)| {
                let around = there.symbols[method].parent.map(|at| &there.symbols[at]);
                around.is_some_and(|around| {
                    let name = facts.symbols[at].name.as_str();
                    let is_its = |base: &Chain| base.last_name() == name;
                    around.kind == SymbolKind::Impl && around.bases.iter().any(is_its)
                })
            }),
            _ => false,
        });
        self.remove_of_references(&mut found);
        found
    }

    /// Removes methods of a reference if there are others: the instance is what it points to.
    fn remove_of_references(&self, found: &mut Vec<Candidate>) {
        let is_of_reference = |it: &Candidate| {
            let Value::Name(method) = it.value else { return false };
            self.symbol(method).is_some_and(|(there, method)| {
                let around = there.symbols[method].parent.map(|at| &there.symbols[at]);
                around.is_some_and(|around| around.name.contains(" for &"))
            })
        };
        if !found.iter().all(is_of_reference) {
            found.retain(|it| !is_of_reference(it));
        }
    }

    /// Returns what a call by the name of a trait from outside runs, `Sub::sub(a, b)`, if the repository
    /// implements the trait: the method of the first argument's type, or something unknown.
    fn of_outside_trait(&self, place: Place, used: Use<'_>, of: &Candidate) -> Vec<Candidate> {
        let is_call = used.role == Role::Call && of.is_outside();
        let Some(path) = used.receiver.filter(|chain| is_call && chain.is_path()) else {
            return Vec::new();
        };
        let of_trait = path.last_name();
        if !self.implements(place, of_trait, used.name) {
            return Vec::new();
        }
        let chain = self.first_argument(place, used);
        let values = chain.map(|chain| self.chain(place, None, &chain, 0)).unwrap_or_default();
        let members = values.iter().flat_map(|value| self.member(value, used.name, 1));
        let is_its = |it: &Candidate| {
            it.link().is_some_and(|link| self.is_of_trait(link.to, of_trait, used.name))
        };
        let mut found: Vec<Candidate> = members.filter(is_its).collect();
        self.remove_of_references(&mut found);
        if found.is_empty() {
            let is_known = !values.is_empty() && values.iter().all(Candidate::is_outside);
            found.push(Candidate { is_lost: !is_known, ..of.then(Value::Outside, 1.0) });
        }
        found
    }

    /// Marks what a method of a trait from outside returns that is called by the trait's name, if the
    /// repository implements the trait: the first argument determines the type.
    pub(super) fn open_outside_trait(
        &self,
        place: Place,
        of: &Candidate,
        name: &str,
        found: &mut [Candidate],
    ) {
        if let Value::Foreign(written) = &of.value
            && found.iter().all(Candidate::is_outside)
            && !written.text.contains('<')
            && self.implements(place, super::last_name(&written.text), name)
        {
            found.iter_mut().for_each(|it| it.is_lost = true);
        }
    }

    /// Returns true if the repository implements the method of a trait of Rust, which takes an instance.
    fn implements(&self, place: Place, of_trait: &str, method: &str) -> bool {
        let is_rust =
            self.facts(place.file).is_some_and(|facts| facts.dialect.has_extension_traits);
        let named = || self.code.named(method);
        is_rust
            && near(&named(), place.file, NAMED_MAX)
                .iter()
                .any(|at| self.is_of_trait(*at, of_trait, method))
    }

    /// Returns true for a method with an instance in a block that implements a trait.
    fn is_of_trait(&self, at: SymbolAt, of_trait: &str, method: &str) -> bool {
        let Some((facts, place)) = self.symbol(at) else { return false };
        let symbol = &facts.symbols[place];
        let Some(around) = symbol.parent.map(|at| &facts.symbols[at]) else { return false };
        let is_its = |base: &Chain| base.last_name() == of_trait;
        symbol.name == method
            && around.kind == SymbolKind::Impl
            && around.bases.iter().any(is_its)
            && takes_instance(&self.signature(at))
    }

    /// Returns what a conversion runs whose result is to be of a type: `From::from` of it for `into()`.
    /// Where several types can be converted, that of the `source` selects, if it is known.
    pub(super) fn converted(
        &self,
        place: Place,
        used: Use<'_>,
        source: &Chain,
        expected: &Chain,
    ) -> Vec<Candidate> {
        let Some(method) = conversion_method(used.name) else { return Vec::new() };
        let values = self.chain(place, None, expected, 0);
        let mut found = Vec::new();
        for value in values.iter().flat_map(|value| self.load(value, 1)) {
            let Value::Instance(..) = value.value else { continue };
            let Some(of_type) = value.of_type() else { continue };
            let members = self.member(&of_type, method, 1);
            found.extend(members.into_iter().filter(|it| matches!(it.value, Value::Name(_))));
        }
        let sources = self.chain(place, None, source, 0);
        let is_bound = |it: &Candidate| {
            self.name_of_type(it).is_some_and(|of| matches!(of.as_str(), "Into" | "TryInto"))
        };
        // The caller chooses the conversion of a type parameter.
        if sources.iter().any(is_bound) {
            return Vec::new();
        }
        let given: Vec<String> = sources.iter().filter_map(|it| self.name_of_type(it)).collect();
        let accepts = |it: &Candidate| {
            let Value::Name(at) = it.value else { return false };
            self.converted_type(at).is_some_and(|of| given.contains(&of))
        };
        if found.iter().any(accepts) {
            found.retain(accepts);
        }
        found
    }

    /// Returns the last name of the type of a value.
    fn name_of_type(&self, value: &Candidate) -> Option<String> {
        match &value.value {
            Value::Instance(of, _) => {
                let (facts, at) = self.symbol(*of)?;
                Some(facts.symbols[at].name.clone())
            }
            Value::Foreign(written) => {
                let path = written.of().path();
                Some(super::last_name(path).to_owned())
            }
            _ => None,
        }
    }

    /// Returns the last name of the type that the block of a method converts: `A` of `impl From<A>`.
    fn converted_type(&self, method: SymbolAt) -> Option<String> {
        let (facts, at) = self.symbol(method)?;
        let block = facts.symbols[at].parent.map(|at| &facts.symbols[at])?;
        let (of_trait, _) = block.name.strip_prefix("impl ")?.split_once(" for ")?;
        let argument = of_trait.split_once('<')?.1.strip_suffix('>')?;
        let chain = crate::lang::rust_type(split(argument, b',').into_iter().next()?)?;
        Some(chain.written_type()?.name().to_owned())
    }

    /// Lowers the confidence of implementations of one trait (`impl From<A>`, `impl From<B>`) that do
    /// not accept the first argument, if one of them does.
    pub(super) fn compare_implementations(&self, place: Place, used: Use<'_>, links: &mut [Link]) {
        let is_several = links.len() > 1
            && used.role == Role::Call
            && !matches!(used.name, "into" | "try_into" | "parse");
        let Some(argument) = is_several.then(|| self.first_argument(place, used)).flatten() else {
            return;
        };
        let Some(given) = argument.written_type() else { return };
        let accepted = |link: &Link| {
            let (facts, at) = self.symbol(link.to)?;
            let block = facts.symbols[at].parent.map(|at| &facts.symbols[at])?;
            let is_block = block.kind == SymbolKind::Impl && facts.dialect.has_extension_traits;
            let name = block.name.strip_prefix("impl ").filter(|_| is_block)?;
            let (of_trait, _) = name.split_once(" for ")?;
            let argument = of_trait.split_once('<')?.1.strip_suffix('>')?;
            let argument = split(argument, b',').into_iter().next()?;
            let chain = crate::lang::rust_type(argument)?;
            Some(chain.written_type().is_some_and(|of| of == given))
        };
        let accepting: Vec<Option<bool>> = links.iter().map(accepted).collect();
        if accepting.contains(&Some(true)) {
            for (link, _) in links.iter_mut().zip(accepting).filter(|(_, of)| *of == Some(false)) {
                link.confidence *= weights::DOUBTFUL;
            }
        }
    }

    /// Returns the chain of the first argument of a call, if its text shows its type.
    fn first_argument(&self, place: Place, used: Use<'_>) -> Option<Chain> {
        let text = self.code.text(place.file)?;
        let start = used.start.filter(|_| self.take_step(0))? + used.name.len();
        let call = text.get(start..text.len().min(start + CALL_BYTES_MAX))?;
        let call = String::from_utf8_lossy(call);
        let inner = call.trim_start().strip_prefix('(')?;
        let argument = split(until_close(inner), b',')[0].trim();
        if let Some(literal) = type_of_literal(argument) {
            return Some(Chain::instance(literal));
        }
        let name = argument.trim_start_matches('&').trim_start_matches("mut ").trim();
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        let facts = self.facts(place.file)?;
        let around =
            facts.ancestors(place.enclosing).find(|&at| facts.symbols[at].kind.is_callable())?;
        let signature = facts.signature_from_name(&facts.symbols[around], &text);
        let list = parameters(&facts.symbols[around].name, &signature)?;
        let own = list.iter().find(|part| {
            let own = part.split_once(':').map_or("", |(own, _)| own);
            own.trim().trim_start_matches("mut ") == name
        })?;
        crate::lang::rust_type(written_type(own)?)
    }
}

/// Returns the method that a conversion runs, by its own name.
pub(super) fn conversion_method(name: &str) -> Option<&'static str> {
    Some(match name {
        "default" => "default",
        "from" | "into" => "from",
        "from_str" | "parse" => "from_str",
        "try_from" | "try_into" => "try_from",
        _ => return None,
    })
}

/// Returns true if the first parameter of a signature is `self`.
pub(super) fn takes_instance(signature: &str) -> bool {
    signature.match_indices('(').any(|(at, _)| {
        let first = signature[at + 1..].split([',', ')', ':']).next().unwrap_or_default();
        first.trim() == "self" || first.ends_with(" self") || first.trim() == "&self"
    })
}

/// Returns the text up to the bracket that closes what `inner` is in.
fn until_close(inner: &str) -> &str {
    let mut level = 0_usize;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => level += 1,
            b')' | b']' | b'}' if level == 0 => return &inner[..at],
            b')' | b']' | b'}' => level -= 1,
            _ => {}
        }
    }
    inner
}

/// Returns the name of the type that an argument shows by its form.
fn type_of_literal(argument: &str) -> Option<&'static str> {
    let plain = argument.trim_start_matches('&');
    let is_raw = plain.starts_with("r\"") || plain.starts_with("r#\"");
    let ends = |end: &str| plain.ends_with(end);
    if plain.starts_with("b'") {
        return Some("u8").filter(|_| ends("'"));
    }
    if plain.starts_with("format!(")
        || plain.starts_with("String::from(")
        || ends(".to_string()")
        || ends(".to_owned()") && plain.starts_with('"')
    {
        return Some("String");
    }
    if (plain.starts_with('"') || is_raw) && (ends("\"") || ends("\"#")) {
        return Some("str").filter(|_| plain.matches('"').count() == 2);
    }
    if plain.starts_with('\'') && ends("'") && plain.chars().count() <= 4 {
        return Some("char");
    }
    if matches!(plain, "true" | "false") {
        return Some("bool");
    }
    let digits = plain.starts_with(|c: char| c.is_ascii_digit());
    let suffixes = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize",
        "f32", "f64",
    ];
    suffixes.into_iter().find(|suffix| digits && plain.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_types() {
        let of = |text| type_of_literal(text);
        assert_eq!(
            [of("\"a\""), of("&format!(\"{}\", a)"), of("b'a'")],
            [Some("str"), Some("String"), Some("u8")]
        );
        assert_eq!(
            [of("1u16"), of("1"), of("a"), of("\"a\" + \"b\"")],
            [Some("u16"), None, None, None]
        );
        assert_eq!(until_close("a(b), c) + d"), "a(b), c");
    }
}
