//! Type parameters of C++ templates: the type of a member that is a type parameter is the argument
//! of the value's type, or the argument by which that derives from the template.

use super::code::last_name;
use super::kinds::is_type;
use super::position::SymbolAt;
use super::value::{Candidate, Choice, Place, WrittenType};
use super::walk::Walk;
use crate::lang::chain::{Chain, type_arguments};
use crate::lang::split;

/// How likely a type parameter stands for its default, where nothing shows its argument.
const DEFAULT_ARGUMENT: f32 = 0.54;

impl Walk<'_> {
    /// Returns the values of the type parameter `name` at `place`, none if its argument is unknown;
    /// `None` if it is no type parameter. `own` is the type through which the place was reached.
    pub(super) fn type_argument(
        &self,
        place: Place,
        own: Option<SymbolAt>,
        name: &str,
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        let facts = self.facts(place.file).filter(|facts| facts.dialect.has_namespaces)?;
        for around in facts.ancestors(place.enclosing) {
            let template = SymbolAt { file: place.file, place: around as u32 };
            let signature = self.signature(template);
            let Some(number) = parameter_number(&signature, name) else { continue };
            if !is_type(facts.symbols[around].kind) {
                return Some(Vec::new());
            }
            let own = own.unwrap_or(template);
            let mut is_open = false;
            let (argument, at) = if own == template {
                let written = self.given_type();
                let of = written.as_ref().and_then(|written| {
                    type_arguments(&written.text).get(number).map(|of| (*of).to_owned())
                });
                match (of, written) {
                    (Some(of), Some(written)) => (Some(of), written.place),
                    (_, written) => {
                        // Without arguments, the default is the most likely one.
                        is_open = true;
                        let is_cached = !self.hops.running.borrow().is_empty();
                        let default = default_argument(&signature, number).filter(|_| !is_cached);
                        if written.is_none() && default.is_none() {
                            return None;
                        }
                        let enclosing = facts.symbols[around].parent;
                        (default, Place { file: place.file, enclosing })
                    }
                }
            } else {
                self.base_argument(own, &facts.symbols[around].name, number)?
            };
            let Some(argument) = argument.filter(|argument| argument != "_") else {
                return Some(Vec::new());
            };
            let mut found = self.chain(at, None, &Chain::instance(&argument), depth + 1);
            if is_open {
                for it in &mut found {
                    it.choice = Choice::Open;
                    it.confidence *= DEFAULT_ARGUMENT;
                }
            }
            return Some(found);
        }
        None
    }

    /// Returns true for the name of a type parameter of a template of C++ around a place.
    pub(super) fn is_template_parameter(&self, place: Place, name: &str) -> bool {
        self.facts(place.file).is_some_and(|facts| {
            facts.ancestors(place.enclosing).any(|around| {
                let around = SymbolAt { file: place.file, place: around as u32 };
                parameter_number(&self.signature(around), name).is_some()
            })
        })
    }

    /// Returns the type arguments of the value whose member is followed. Results of look-ups that
    /// are cached must not depend on them.
    pub(super) fn given_type(&self) -> Option<WrittenType> {
        let is_cached = !self.hops.running.borrow().is_empty();
        self.given.borrow().clone().filter(|_| !is_cached)
    }

    /// Returns the argument by which a type derives from a template, and where it is written.
    fn base_argument(
        &self,
        of: SymbolAt,
        template: &str,
        number: usize,
    ) -> Option<(Option<String>, Place)> {
        let (facts, place) = self.symbol(of)?;
        let symbol = &facts.symbols[place];
        let base = symbol.bases.iter().find(|base| last_name(base.as_str()) == template);
        let argument = base
            .and_then(|base| type_arguments(base.as_str()).get(number).map(|of| (*of).to_owned()));
        Some((argument, Place { file: of.file, enclosing: symbol.parent }))
    }
}

/// Returns the position of a type parameter in `template <…>` at the start of a signature.
fn parameter_number(signature: &str, name: &str) -> Option<usize> {
    let is_it = |part: &&str| {
        let declared = split(part, b'=')[0].trim_end();
        let starts = declared.starts_with("typename") || declared.starts_with("class");
        starts && declared.rsplit([' ', '.']).next() == Some(name)
    };
    let parameters = parameters(signature)?;
    split(parameters, b',').iter().map(|part| part.trim()).position(|part| is_it(&part))
}

/// Returns the default value of a type parameter, as a chain writes types.
fn default_argument(signature: &str, number: usize) -> Option<String> {
    let parameters = split(parameters(signature)?, b',');
    let written = split(parameters.get(number)?, b'=').get(1)?.trim().replace("<>", "");
    let is_plain = |c: char| c.is_alphanumeric() || "_:<>, ".contains(c);
    let is_type =
        !written.starts_with(|c: char| c.is_ascii_digit()) && written.chars().all(is_plain);
    let written: String = written.chars().filter(|c| !c.is_whitespace()).collect();
    (is_type && !written.is_empty()).then(|| written.replace("::", "."))
}

/// Returns the parameters in `template <…>` at the start of a signature.
fn parameters(signature: &str) -> Option<&str> {
    let list = signature.strip_prefix("template")?.trim_start().strip_prefix('<')?;
    let mut level = 1_usize;
    let end = list.bytes().position(|byte| {
        level = match byte {
            b'<' => level + 1,
            b'>' => level - 1,
            _ => level,
        };
        level == 0
    })?;
    list.get(..end)
}
