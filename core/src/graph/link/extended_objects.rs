//! Objects of Ruby that get the methods of a module at run time: `object.extend Module`. The object keeps
//! its class; a method that the class lacks is one of the module.

use super::kinds::is_type;
use super::result::Use;
use super::value::{Candidate, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::chain::Chain;
use crate::lang::facts::Role;
use crate::lang::symbols::SymbolKind;

/// The most mentions of an object that are read, and definitions of one name that are examined.
const MENTIONS_MAX: usize = 64;
const NAMED_MAX: usize = 64;

impl Walk<'_> {
    /// Returns the methods that a call on an object refers to by a module that the file adds to it: to an
    /// instance variable anywhere in the file, to a local variable earlier in the method. O(text).
    pub(super) fn of_extended_object(&self, place: Place, used: Use<'_>) -> Vec<Candidate> {
        let facts = self.facts(place.file).filter(|it| it.dialect.has_module_instances);
        let (Some(facts), Some(start), Role::Call) = (facts, used.start, used.role) else {
            return Vec::new();
        };
        let is_of_module = |at: &super::SymbolAt| {
            self.symbol(*at).is_some_and(|(there, at)| {
                let parent = there.symbols[at].parent.map(|parent| there.symbols[parent].kind);
                there.dialect.has_module_instances && parent == Some(SymbolKind::Module)
            })
        };
        if !self.code.named(used.name).iter().take(NAMED_MAX).any(is_of_module) {
            return Vec::new();
        }
        let Some(text) = self.code.text(place.file) else { return Vec::new() };
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'@';
        let Some(before) = text.get(..start).and_then(|before| before.strip_suffix(b".")) else {
            return Vec::new();
        };
        let length = before.iter().rev().take_while(|byte| is_word(byte)).count();
        let (rest, object) = before.split_at(before.len() - length);
        if object.is_empty() || rest.ends_with(b".") || object[0].is_ascii_uppercase() {
            return Vec::new();
        }
        let around = facts.ancestors(place.enclosing).find(|&at| !is_type(facts.symbols[at].kind));
        let from = around.map_or(0, |at| facts.symbols[at].span.start).min(start);
        let range = if object[0] == b'@' { 0..text.len() } else { from..start };
        let searched = &text[range];
        let call = [object, b".extend"].concat();
        let mut found = Vec::new();
        for at in memchr::memmem::find_iter(searched, &call).take(MENTIONS_MAX) {
            let is_part = searched[..at].last().is_some_and(|byte| is_word(byte) || *byte == b'.');
            let after = &searched[at + call.len()..];
            let is_argument = matches!(after.first(), Some(b' ' | b'('));
            let after = after.get(1..).unwrap_or_default().trim_ascii_start();
            let is_path = |byte: &&u8| is_word(byte) || **byte == b':';
            let length = after.iter().take_while(is_path).count();
            let module = String::from_utf8_lossy(&after[..length]).replace("::", ".");
            if is_part || !is_argument || !module.starts_with(char::is_uppercase) {
                continue;
            }
            for of in self.chain(place, None, &Chain::name(&module), 1) {
                let Value::Name(at) = of.value else { continue };
                let mut methods = self.members(at, used.name, 1);
                methods.retain(|it| it.link().is_some() && !self.is_of_type_itself(it));
                methods.iter_mut().for_each(|it| it.confidence *= weights::DOUBTFUL);
                found.append(&mut methods);
            }
        }
        found.truncate(VALUES_MAX);
        found
    }
}
