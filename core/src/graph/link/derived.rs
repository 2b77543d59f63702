//! Methods that have no definition of their own in Rust: those that `#[derive(…)]` makes, which refer
//! to their type; and functions that are macros (`#[proc_macro]`), which calls with `!` refer to.

use super::code::FileFacts;
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, VALUES_MAX, Value};
use super::walk::Walk;
use crate::base::ids::FileId;
use crate::graph::weights;
use crate::lang::symbols::SymbolKind;

/// The traits of the standard library that can be derived, with the method that is made.
const DERIVED: [(&str, &str); 7] = [
    ("Clone", "clone"),
    ("Debug", "fmt"),
    ("Default", "default"),
    ("Hash", "hash"),
    ("Ord", "cmp"),
    ("PartialEq", "eq"),
    ("PartialOrd", "partial_cmp"),
];

/// The most bytes of attributes and comments before a definition.
const ATTRIBUTES_BYTES_MAX: usize = 3000;

/// The most definitions of one name that are considered.
const NAMED_MAX: usize = 64;

impl Walk<'_> {
    /// Returns the type itself for a method that an attribute of it derives.
    pub(super) fn derived(&self, of: SymbolAt, name: &str) -> Option<Candidate> {
        let is_method = |(_, method): &&(&str, &str)| *method == name;
        DERIVED.iter().find(is_method)?;
        let candidate = Candidate::new(Value::Name(of), weights::BY_RULE, Reason::Receiver);
        let is_derived = self.derived_methods(of).contains(&name);
        is_derived.then_some(Candidate { via: Some(of), ..candidate })
    }

    /// Returns the names by which conversions call a method: `into` for `from`.
    pub(super) fn conversions_to(&self, method: SymbolAt) -> Vec<&'static str> {
        let Some((facts, place)) = self.symbol(method) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        if !facts.dialect.has_impl_blocks || symbol.kind != SymbolKind::Method {
            return Vec::new();
        }
        match symbol.name.as_str() {
            "from" => vec!["into"],
            "from_str" => vec!["parse"],
            "try_from" => vec!["try_into"],
            _ => Vec::new(),
        }
    }

    /// Returns the names of the methods that the attributes of a type derive.
    pub(super) fn derived_methods(&self, of: SymbolAt) -> Vec<&'static str> {
        let Some((facts, place)) = self.symbol(of) else { return Vec::new() };
        let symbol = &facts.symbols[place];
        let can_derive =
            matches!(symbol.kind, SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Union);
        if !can_derive || !facts.dialect.has_impl_blocks || !self.take_step(0) {
            return Vec::new();
        }
        let Some(text) = self.code.text(of.file) else { return Vec::new() };
        let method = |of_trait: String| {
            let made = DERIVED.iter().find(|(name, _)| *name == of_trait);
            made.map(|(_, method)| *method)
        };
        derives(&text, symbol.name_span.start).filter_map(method).collect()
    }

    /// Returns the macros `name` of a module's crate, which a path can name wherever they are
    /// defined, and the functions that are macros.
    pub(super) fn macros_of_crate(&self, root: FileId, name: &str) -> Vec<Candidate> {
        let is_root = |path: &str| path.ends_with("lib.rs") || path.ends_with("main.rs");
        let facts = self.facts(root).filter(|facts| facts.dialect.has_program_macros);
        let Some(facts) = facts.filter(|facts| is_root(&facts.path)) else { return Vec::new() };
        let directory = facts.path.rfind('/').map_or("", |end| &facts.path[..=end]);
        let named = self.code.named(name);
        let is_its = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, place)| {
                there.symbols[place].kind == SymbolKind::Macro && there.path.starts_with(directory)
            })
        };
        let found = named.iter().copied().take(NAMED_MAX).filter(is_its);
        let candidate = |at| Candidate::new(Value::Name(at), weights::BY_RULE, Reason::Receiver);
        found.map(candidate).take(VALUES_MAX).collect()
    }

    /// Returns the functions `name` that are macros: those after `#[proc_macro]`.
    pub(super) fn procedural_macros(&self, facts: &FileFacts, name: &str) -> Vec<Candidate> {
        if !facts.dialect.has_program_macros {
            return Vec::new();
        }
        let is_macro = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, place)| {
                let symbol = &there.symbols[place];
                symbol.kind == SymbolKind::Function
                    && symbol.parent.is_none()
                    && there.dialect.has_program_macros
                    && self.code.text(at.file).is_some_and(|text| {
                        attributes(&text, symbol.name_span.start).any(|of| of == "proc_macro")
                    })
            })
        };
        let named = self.code.named(name);
        let found = named.iter().copied().take(NAMED_MAX).filter(is_macro);
        let candidate = |at| Candidate::new(Value::Name(at), weights::SHOWN, Reason::Program);
        found.map(candidate).take(VALUES_MAX).collect()
    }
}

/// Returns the last names of the traits that the attributes before a definition's name derive.
fn derives(text: &[u8], name: usize) -> impl Iterator<Item = String> {
    let lists = attributes(text, name).filter_map(|of| {
        let list = of.strip_prefix("derive(")?.strip_suffix(')')?;
        Some(
            list.split(',')
                .map(|of| of.trim().rsplit("::").next().unwrap_or_default().to_owned())
                .collect::<Vec<_>>(),
        )
    });
    lists.flatten()
}

/// Returns the texts in the brackets of the attributes before a definition whose name is at `name`.
fn attributes(text: &[u8], name: usize) -> impl Iterator<Item = String> {
    let head = &text[name.saturating_sub(ATTRIBUTES_BYTES_MAX)..name.min(text.len())];
    let mut found = Vec::new();
    let mut end = head.len();
    // Before the keyword: visibility, comments, and attributes, from the last one on.
    while let Some(start) = memchr::memmem::rfind(&head[..end], b"#[") {
        let Some(close) = closing(&head[start + 1..]).map(|len| start + 1 + len) else { break };
        if close > end || !is_between(&head[close..end]) {
            break;
        }
        let inner = &head[start + 2..close - 1];
        found.push(String::from_utf8_lossy(inner).split_whitespace().collect::<String>());
        end = start;
    }
    found.into_iter()
}

/// Returns true for text that can be between an attribute and the next one, or the name that it
/// belongs to: comments, a visibility and keywords.
fn is_between(text: &[u8]) -> bool {
    let words = ["pub", "crate", "super", "in", "self", "struct", "enum", "union", "fn", "unsafe"];
    text.split(|byte| *byte == b'\n').all(|line| {
        let line = String::from_utf8_lossy(line);
        let code = line.split("//").next().unwrap_or_default();
        let mut parts = code.split(|c: char| c.is_whitespace() || "():".contains(c));
        parts.all(|word| word.is_empty() || words.contains(&word))
    })
}

/// Returns the length of the brackets that `text` begins with.
fn closing(text: &[u8]) -> Option<usize> {
    let mut level = 0_usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'[' | b'(' | b'{' => level += 1,
            b']' | b')' | b'}' => {
                level = level.saturating_sub(1);
                if level == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_before_a_name_are_read() {
        let text = b"struct A;\n#[derive(Debug, std::clone::Clone)]\n/// A [b].\n#[serde(rename = \"a\")]\npub(crate) enum B {}";
        let name = text.len() - 4;
        let found: Vec<String> = derives(text, name).collect();
        assert_eq!(found, ["Debug", "Clone"]);
        assert_eq!(derives(text, 7).count(), 0);
        let text = b"#[derive(Clone)]\nstruct A { b: u8 }\nstruct B;";
        assert_eq!(derives(text, text.len() - 2).count(), 0);
    }
}
