//! Functions and members of Kotlin's library that have the name of a definition of the repository: a member
//! comes before an extension, and a function of the library is called where that of the repository does not
//! accept the arguments.

use super::named::{KOTLIN, TRAILING, function_of_library, member_of_library};
use super::{Form, fit_of};
use crate::graph::link::dialect::{Extensions, OverloadRules};
use crate::graph::link::kinds::is_variable;
use crate::graph::link::position::SymbolAt;
use crate::graph::link::result::{Link, Use};
use crate::graph::link::signature::Shape;
use crate::graph::link::value::{Candidate, Place, Value};
use crate::graph::link::walk::Walk;
use crate::graph::weights::OPEN_MAX;
use crate::lang::chain::Chain;
use crate::lang::facts::Role;

/// The most bytes of the argument of an infix call that are read.
const ARGUMENT_BYTES_MAX: usize = 80;

/// The most definitions of one name that are searched for an extension.
const NAMED_MAX: usize = 64;

/// What the arguments of a call show of a definition that the library overloads.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Fit {
    /// The definition does not accept them, or a member of the library does.
    None,
    /// Nothing shows the type of an argument.
    Unknown,
    Exact,
}

impl Walk<'_> {
    /// Removes definitions of Kotlin that the library overloads, if the arguments of a call select the
    /// library's, and lowers the confidence of the others unless the arguments select them.
    pub(in crate::graph::link) fn limit_by_library(
        &self,
        place: Place,
        used: Use<'_>,
        links: &mut Vec<Link>,
    ) {
        let is_kotlin = self
            .facts(place.file)
            .is_some_and(|facts| facts.dialect.extensions == Extensions::Prefix);
        if used.role != Role::Call || !is_kotlin {
            return;
        }
        links.retain_mut(|link| {
            let fit = self.fit_beside_library(place, used, link).unwrap_or(Fit::Exact);
            if fit == Fit::Unknown || self.may_be_extension(place, used, link) {
                link.confidence = link.confidence.min(OPEN_MAX);
            }
            fit != Fit::None
        });
    }

    /// Returns false for a function of Kotlin that does not accept `this` as an argument in a block whose
    /// receiver is a value of `receiver`.
    pub(in crate::graph::link) fn accepts_this(
        &self,
        place: Place,
        used: Use<'_>,
        receiver: &Chain,
        called: &Candidate,
    ) -> bool {
        self.fit_of_this(place, used, receiver, called).is_none_or(|fit| fit > 0)
    }

    fn fit_of_this(
        &self,
        place: Place,
        used: Use<'_>,
        receiver: &Chain,
        called: &Candidate,
    ) -> Option<u32> {
        let Value::Name(to) = called.value else { return None };
        let text = self.code.text(place.file)?;
        let (given, _) = self.arguments_of(&KOTLIN, used, &text)?;
        let argument = given.iter().position(|(_, argument)| argument == "this")?;
        let (there, at) = self.symbol(to)?;
        let symbol = there.symbols.get(at).filter(|symbol| symbol.kind.is_callable())?;
        let signature = self.overload_signature(OverloadRules::Kotlin, &there, to, symbol)?;
        let of = signature.types.get(argument)?.as_ref()?;
        let Value::Instance(own, _) = self.chain(place, None, receiver, 1).first()?.value else {
            return None;
        };
        let (facts, own) = self.symbol(own)?;
        let own = Shape::plain(facts.symbols[own].name.clone(), false);
        Some(fit_of(self, place, &Form::Typed(own), Some(of)))
    }

    /// Returns true for a property of Kotlin that a call gives a block, if functions of the name extend a type:
    /// few properties hold a function that takes another one.
    fn may_be_extension(&self, place: Place, used: Use<'_>, link: &Link) -> bool {
        let is_property =
            self.symbol(link.to).is_some_and(|(there, at)| is_variable(there.symbols[at].kind));
        let is_extension = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, place)| {
                there.symbols[place].kind.is_callable()
                    && self.extended(&there, *at, place).is_some()
            })
        };
        let named = || self.code.named(used.name);
        let takes_block = || {
            let text = self.code.text(place.file)?;
            let (_, labels) = self.arguments_of(&KOTLIN, used, &text)?;
            Some(labels.last()?.as_deref() == Some(TRAILING))
        };
        is_property
            && named().iter().take(NAMED_MAX).any(is_extension)
            && takes_block() == Some(true)
    }

    /// Returns what the arguments of a call show of a definition; `None` if the library has no other one.
    fn fit_beside_library(&self, place: Place, used: Use<'_>, link: &Link) -> Option<Fit> {
        let (there, at) = self.symbol(link.to)?;
        let symbol = there.symbols.get(at).filter(|symbol| symbol.kind.is_callable())?;
        let extended = self.extended(&there, link.to, at);
        let is_member = match &extended {
            Some((of, _)) => member_of_library(of, used.name).then_some(true)?,
            None => {
                let is_free = symbol.parent.is_none() && used.receiver.is_none();
                (is_free && function_of_library(used.name)).then_some(false)?
            }
        };
        let signature = self.overload_signature(OverloadRules::Kotlin, &there, link.to, symbol)?;
        let facts = self.facts(place.file)?;
        let text = self.code.text(place.file)?;
        let arguments = self.arguments_of(&KOTLIN, used, &text).map(|(given, _)| given);
        let arguments = arguments.filter(|given| given.iter().all(|(_, text)| !text.is_empty()));
        let given = match arguments {
            Some(given) => given,
            None => vec![infix_argument(&text, used.start? + used.name.len())?],
        };
        let fits = given.iter().zip(&signature.types).map(|(argument, of)| {
            let form = self.form(&KOTLIN, &facts, place, &text, argument);
            let fit = fit_of(self, place, &form, of.as_ref());
            match form {
                Form::Unknown | Form::Dynamic => Fit::Unknown,
                _ if fit == 0 => Fit::None,
                // Each member of a number accepts a literal.
                Form::Integer | Form::Float if is_member => Fit::None,
                _ => Fit::Exact,
            }
        });
        let fits: Vec<Fit> = fits.collect();
        Some(match () {
            () if fits.contains(&Fit::None) => Fit::None,
            () if fits.contains(&Fit::Unknown) => Fit::Unknown,
            () => Fit::Exact,
        })
    }
}

/// Returns the argument of an infix call, `a and b`, after the byte `from`, if it is one name or literal.
fn infix_argument(text: &[u8], from: usize) -> Option<(usize, String)> {
    let rest = text.get(from..text.len().min(from + ARGUMENT_BYTES_MAX))?;
    let rest = String::from_utf8_lossy(rest);
    let start = rest.len() - rest.trim_start().len();
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let word = &rest[start..];
    let end = word.find(|c| !is_word(c)).unwrap_or(word.len());
    let is_whole = start > 0 && end > 0 && !word[end..].starts_with(['(', '[', '?', '!', '{']);
    is_whole.then(|| (from + start, word[..end].to_owned()))
}
