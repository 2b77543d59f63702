//! Type parameters of C++ templates: the type of a member that is a type parameter is the argument
//! of the value's type, or the argument by which that derives from the template.

use super::kinds::is_type;
use super::position::SymbolAt;
use super::value::{Candidate, Choice, Place, Value, WrittenType};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::Chain;
use crate::lang::facts::Role;
use crate::lang::split;

/// The most uses of a template of which all arguments are read, the most bytes of each, and the most
/// different arguments.
const SITES_MAX: usize = 256;
const ARGUMENT_BYTES_MAX: usize = 200;
const ARGUMENTS_MAX: usize = 16;

/// The most types that a type parameter may stand for, of which all are followed.
const INSTANTIATED_MAX: usize = 4;

/// Types of the language without members, as a chain writes them.
const PLAIN: [&str; 16] = [
    "bool",
    "char",
    "double",
    "float",
    "int",
    "long",
    "longlong",
    "short",
    "signed",
    "size_t",
    "unsigned",
    "unsignedchar",
    "unsignedint",
    "unsignedlong",
    "unsignedlonglong",
    "void",
];

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
                return Some(self.instantiated(template, number, depth));
            }
            let own = own.unwrap_or(template);
            let mut is_open = false;
            let (argument, at) = if own == template {
                let written = self.given_type();
                let of = written
                    .as_ref()
                    .and_then(|written| Some(written.of().argument(number)?.text().to_owned()));
                match (of, written) {
                    (Some(of), Some(written)) => (Some(of), written.place),
                    (_, written) => {
                        // Without arguments, the default is the most likely one.
                        is_open = true;
                        let is_cached = !self.hops.running.borrow().is_empty();
                        let default = default_argument(&signature, number).filter(|_| !is_cached);
                        if written.is_none() && default.is_none() {
                            let found = self.instantiated(template, number, depth);
                            return (!found.is_empty()).then_some(found);
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
                    it.confidence *= weights::WEAK;
                }
            }
            return Some(found);
        }
        None
    }

    /// Returns values of the types that the tree writes as an argument of a template: `Name<Type>`. None if
    /// these are more than [`INSTANTIATED_MAX`], or if a use of the template may have another argument.
    fn instantiated(&self, of: SymbolAt, number: usize, depth: usize) -> Vec<Candidate> {
        if !self.take_step(depth) {
            return Vec::new();
        }
        let arguments = self
            .memo
            .instantiated((of, number), || self.written_arguments(of, number).unwrap_or_default());
        let mut found: Vec<Candidate> = Vec::new();
        for argument in arguments.iter() {
            let chain = Chain::instance(&argument.text);
            let values = self.chain(argument.place, None, &chain, depth + 1);
            let is_known = values.iter().any(|it| matches!(it.value, Value::Instance(..)))
                || PLAIN.contains(&&*argument.text)
                || argument.text.starts_with("std.") && !argument.of().has_arguments();
            if !is_known {
                return Vec::new();
            }
            for value in values {
                let Value::Instance(at, _) = value.value else { continue };
                let is_it = |it: &Candidate| matches!(it.value, Value::Instance(to, _) if to == at);
                if !found.iter().any(is_it) {
                    found.push(value);
                }
            }
        }
        if found.len() > INSTANTIATED_MAX {
            return Vec::new();
        }
        for it in &mut found {
            it.choice = Choice::Open;
            it.confidence *= weights::WEAK;
        }
        found
    }

    /// Returns the arguments of a template that the tree writes, each text once; `None` if one is not
    /// written (`call(x)`, `Box b(x);`), is no type, or if there are too many uses. It takes no steps of
    /// the walk, so that the result is the same for every use.
    fn written_arguments(&self, of: SymbolAt, number: usize) -> Option<Vec<WrittenType>> {
        let facts = self.memo.file(self.code, of.file)?;
        let symbol = facts.symbols.get(of.place as usize)?;
        let sites = self.code.sites(&symbol.name);
        if sites.len() > SITES_MAX {
            return None;
        }
        let mut found: Vec<WrittenType> = Vec::new();
        for site in &sites {
            let is_inside =
                site.file == of.file && symbol.span.contains(&site.reference.span.start);
            let there = self.memo.file(self.code, site.file);
            let is_other = there.is_some_and(|there| there.dialect.group != facts.dialect.group);
            if is_inside || is_other || site.reference.role == Role::Import {
                continue;
            }
            let text = self.code.text(site.file)?;
            if is_announced(&text, &site.reference.span) {
                continue;
            }
            let list = arguments_after(&text, site.reference.span.end)?;
            let written = split(&list, b',').get(number).and_then(|of| as_chain(of))?;
            if found.iter().any(|it| *it.text == *written) {
                continue;
            }
            if found.len() >= ARGUMENTS_MAX {
                return None;
            }
            let place = Place { file: site.file, enclosing: site.reference.enclosing };
            found.push(WrittenType { place, text: written.into() });
        }
        Some(found)
    }

    /// Returns the types that a type parameter of C++ may stand for in `T::name()`.
    pub(super) fn types_of_parameter(
        &self,
        place: Place,
        name: &str,
        depth: usize,
    ) -> Vec<Candidate> {
        let is_cpp = self.facts(place.file).is_some_and(|facts| facts.dialect.has_namespaces);
        if !is_cpp || !self.is_template_parameter(place, name) {
            return Vec::new();
        }
        let values = self.type_argument(place, None, name, depth).unwrap_or_default();
        values.iter().filter_map(Candidate::of_type).collect()
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
        let base = symbol.bases.iter().find(|base| base.last_name() == template);
        let argument =
            base.and_then(|base| Some(base.named_type().argument(number)?.text().to_owned()));
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
    as_chain(split(parameters.get(number)?, b'=').get(1)?)
}

/// Returns a written type as a chain writes it; `None` for other arguments of templates.
fn as_chain(written: &str) -> Option<String> {
    let written = written.trim().trim_start_matches("typename ").trim_start_matches("const ");
    let written = written.trim_end_matches(['&', '*', ' ']).replace("<>", "");
    let is_plain = |c: char| c.is_alphanumeric() || "_:<>, ".contains(c);
    let is_type = written.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == ':')
        && written.chars().all(is_plain);
    let written: String = written.chars().filter(|c| !c.is_whitespace()).collect();
    let written = written.trim_start_matches(':').replace("::", ".");
    (is_type && !written.is_empty()).then_some(written)
}

/// Returns true for the name in a declaration of a class without its members: `class Name;`.
fn is_announced(text: &[u8], name: &std::ops::Range<usize>) -> bool {
    let words: [&[u8]; 2] = [b"class", b"struct"];
    let before = text[..name.start].trim_ascii_end();
    words.iter().any(|word| before.ends_with(word))
        && text[name.end..].trim_ascii_start().starts_with(b";")
}

/// Returns the text between the angle brackets after the byte `from`.
fn arguments_after(text: &[u8], from: usize) -> Option<String> {
    let rest = text.get(from..text.len().min(from + ARGUMENT_BYTES_MAX))?;
    let list = rest.trim_ascii_start().strip_prefix(b"<")?;
    let list = String::from_utf8_lossy(list);
    let end = closing(&list)?;
    list.get(..end).map(str::to_owned)
}

/// Returns the byte of the `>` that closes a list of which the text begins after the `<`.
fn closing(list: &str) -> Option<usize> {
    let mut level = 1_usize;
    list.bytes().position(|byte| {
        level = match byte {
            b'<' => level + 1,
            b'>' => level.saturating_sub(1),
            _ => level,
        };
        level == 0
    })
}

/// Returns the parameters in `template <…>` at the start of a signature.
fn parameters(signature: &str) -> Option<&str> {
    let list = signature.strip_prefix("template")?.trim_start().strip_prefix('<')?;
    // The end of a long signature is missing.
    list.get(..closing(list).unwrap_or(list.len()))
}
