//! Implementation blocks of Rust in the bodies of macros, for a type that the macro receives: `impl Trait
//! for $type`. The types are those that the calls of the macro name. A macro also makes the blocks of the
//! macros that its body calls.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::code::{FileFacts, definitions, near};
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::base::ids::FileId;
use crate::graph::weights;
use crate::lang::facts::Role;
use crate::lang::symbols::SymbolKind;

/// The most calls of one macro whose arguments are read, and the most bytes of each.
const CALLS_MAX: usize = 256;
const ARGUMENTS_BYTES_MAX: usize = 4096;

/// The most definitions of one name that are considered.
const NAMED_MAX: usize = 64;

/// The most calls of macros of one file that are searched for a type, and the most blocks for it.
const FILE_CALLS_MAX: usize = 1024;
const BLOCKS_MAX: usize = 32;

/// The most bytes of a call in which functions are searched.
const BODY_BYTES_MAX: usize = 16_384;

/// How many calls of macros in the bodies of macros are followed, and the most macros of one type.
const MACROS_DEPTH_MAX: usize = 4;
const MACROS_MAX: usize = 64;

/// The longest name of a variable, with its sign, that says nothing about its type.
const VARIABLE_BYTES_MIN: usize = 3;

/// The sign of a macro's variable.
const VARIABLE: char = '$';

/// Returns true for the name of a type that is the variable of a macro.
pub(super) fn is_variable_type(name: &str) -> bool {
    name.starts_with(VARIABLE)
}

/// Returns false for a variable whose name says nothing, so that it is another type in each macro: `$t`.
fn is_distinct(variable: &str) -> bool {
    variable.len() > VARIABLE_BYTES_MIN
}

impl Walk<'_> {
    /// Returns true if the calls of the macro around a block name the type.
    pub(super) fn is_made_for(&self, facts: &FileFacts, block: SymbolAt, type_name: &str) -> bool {
        let parent = facts.symbols.get(block.place as usize).and_then(|symbol| symbol.parent);
        let own = parent.map(|parent| &facts.symbols[parent]);
        let Some(own) = own.filter(|own| own.kind == SymbolKind::Macro) else { return false };
        self.macro_arguments(&own.name).contains(type_name)
    }

    /// Returns the names in the arguments of the calls of a macro. It takes no steps of the walk, so
    /// that the result is the same for every use.
    fn macro_arguments(&self, name: &str) -> Rc<FxHashSet<Box<str>>> {
        self.memo.macro_arguments(name, || {
            let mut names = FxHashSet::default();
            let sites = self.code.sites(name);
            let calls = sites.iter().filter(|site| site.reference.role == Role::Call);
            for site in calls.take(CALLS_MAX) {
                let Some(text) = self.code.text(site.file) else { continue };
                let words = words(arguments(&text, site.reference.span.end));
                names.extend(words.map(|word| Box::from(String::from_utf8_lossy(word).as_ref())));
            }
            names
        })
    }

    /// Returns the members `name` of the blocks that macros make for a type.
    pub(super) fn members_of_made_blocks(
        &self,
        facts: &FileFacts,
        of: SymbolAt,
        name: &str,
    ) -> Vec<Candidate> {
        self.members_of_blocks(&self.made_blocks(facts, of), name)
    }

    /// Returns the members `name` of blocks; those of a type's own blocks precede those of its traits.
    fn members_of_blocks(&self, blocks: &[SymbolAt], name: &str) -> Vec<Candidate> {
        let (mut own, mut of_traits) = (Vec::new(), Vec::new());
        for &block in blocks {
            let Some((there, place)) = self.symbol(block) else { continue };
            let is_own = there.symbols[place].bases.is_empty();
            let found = if is_own { &mut own } else { &mut of_traits };
            let members = definitions(block.file, there.children(Some(place), name));
            found.extend(
                members.map(|at| Candidate::new(Value::Name(at), weights::ADDED, Reason::Receiver)),
            );
        }
        let mut found = if own.is_empty() { of_traits } else { own };
        found.truncate(VALUES_MAX);
        found
    }

    /// Returns the members `name` of the type that the variable of a macro stands for, whose block is
    /// `of`: those of the blocks for a variable of the same name in other macros, and those that the
    /// macros make which the macro around calls with that variable.
    pub(super) fn members_of_variable(
        &self,
        facts: &FileFacts,
        of: SymbolAt,
        name: &str,
    ) -> Vec<Candidate> {
        let variable = facts.block_type(of.place as usize).filter(|name| is_variable_type(name));
        let Some(variable) = variable else { return Vec::new() };
        let own = facts.symbols[of.place as usize].parent.map(|parent| &facts.symbols[parent]);
        let Some(own) = own.filter(|own| own.kind == SymbolKind::Macro) else { return Vec::new() };
        let mut blocks: Vec<SymbolAt> = Vec::new();
        if is_distinct(variable) {
            blocks.extend(near(&self.code.blocks(variable), of.file, BLOCKS_MAX));
        }
        let mut seen = FxHashSet::default();
        let calls = self.code.calls(of.file);
        let first = calls.partition_point(|(_, call)| call.span.start < own.span.start);
        let inside = calls[first..].iter().take_while(|(_, call)| call.span.end <= own.span.end);
        let text = self.code.text(of.file);
        for (called, call) in inside.take(FILE_CALLS_MAX) {
            let list = text.as_ref().map(|text| arguments(text, call.span.end)).unwrap_or_default();
            let is_named = |word: &[u8]| word == variable.trim_start_matches(VARIABLE).as_bytes();
            if called != &own.name && blocks.len() < 2 * BLOCKS_MAX && words(list).any(is_named) {
                self.add_open_blocks(called, MACROS_DEPTH_MAX, &mut seen, &mut blocks);
            }
        }
        let found = self.members_of_blocks(&blocks, name);
        if !found.is_empty() || !is_distinct(variable) {
            return found;
        }
        // Another macro of the file calls one with a variable of the same name.
        let is_in_macro = |at: Option<usize>| {
            facts.ancestors(at).any(|at| facts.symbols[at].kind == SymbolKind::Macro)
        };
        for (called, call) in calls.iter().filter(|(_, it)| is_in_macro(it.enclosing)) {
            let list = text.as_ref().map(|text| arguments(text, call.span.end)).unwrap_or_default();
            if blocks.len() >= 2 * BLOCKS_MAX {
                break;
            }
            if memchr::memmem::find(list, variable.as_bytes()).is_some() {
                self.add_open_blocks(called, MACROS_DEPTH_MAX, &mut seen, &mut blocks);
            }
        }
        let mut found = self.members_of_blocks(&blocks, name);
        found.iter_mut().for_each(|it| it.confidence *= weights::LIKELY);
        found
    }

    /// Returns the block that a macro makes of the functions in its arguments, around a use in the body of
    /// another macro: `make_type! { $Type: u8 { fn all() { Self::none() } } }`. The called macro has blocks
    /// for one variable only.
    pub(super) fn block_of_call(&self, facts: &FileFacts, place: Place) -> Option<SymbolAt> {
        let is_origin =
            |origin: &Place| origin.file == place.file && origin.enclosing == place.enclosing;
        let start = self.origin.get().filter(is_origin).and(self.start.get())?;
        let is_macro = |at: &usize| facts.symbols[*at].kind == SymbolKind::Macro;
        let own = &facts.symbols[facts.ancestors(place.enclosing).find(is_macro)?];
        let text = self.code.text(place.file)?;
        let calls = self.code.calls(place.file);
        let first = calls.partition_point(|(_, call)| call.span.start < own.span.start);
        let last = calls.partition_point(|(_, call)| call.span.end < start);
        let before = calls.get(first..last)?.iter().rev().take(FILE_CALLS_MAX);
        for (called, call) in before {
            let rest = text.get(call.span.end..text.len().min(call.span.end + BODY_BYTES_MAX));
            let rest = rest.unwrap_or_default();
            let is_around = rest.trim_ascii_start().starts_with(b"!")
                && call.span.end + arguments_length(rest) > start;
            let Some(made) = Some(called).filter(|_| is_around) else { continue };
            for at in self.code.named(made).iter().copied().take(NAMED_MAX) {
                let Some((there, at_place)) = self.symbol(at) else { continue };
                if there.symbols[at_place].kind != SymbolKind::Macro {
                    continue;
                }
                let children = there.all_children(Some(at_place)).iter().copied();
                let of_variable =
                    |block: &u32| there.block_type(*block as usize).is_some_and(is_variable_type);
                let blocks: Vec<u32> = children.filter(of_variable).take(BLOCKS_MAX).collect();
                let variable = |block: &u32| there.block_type(*block as usize);
                let Some(&first) = blocks.first() else { continue };
                if blocks.iter().all(|block| variable(block) == variable(&first)) {
                    return Some(SymbolAt { file: at.file, place: first });
                }
            }
        }
        None
    }

    /// Returns the block for the variable of a macro that is nearest to a file.
    pub(super) fn block_of_variable(&self, file: FileId, name: &str) -> Option<SymbolAt> {
        let blocks = self.code.blocks(name);
        near(&blocks, file, 1)
            .first()
            .copied()
            .filter(|_| is_variable_type(name) && is_distinct(name))
    }

    /// Returns the blocks that macros make for a type, whose file calls these macros. Cached.
    pub(super) fn made_blocks(&self, facts: &FileFacts, of: SymbolAt) -> Rc<Vec<SymbolAt>> {
        self.memo.made_blocks(of, || {
            let mut found = Vec::new();
            let type_name = facts.symbols[of.place as usize].name.as_str();
            let calls = self.code.calls(of.file);
            // Also those in the function that the type is in.
            let parent = facts.symbols[of.place as usize].parent;
            let is_item = |enclosing: Option<usize>| {
                enclosing == parent
                    || enclosing.is_none_or(|at| {
                        facts
                            .symbols
                            .get(at)
                            .is_some_and(|around| around.kind == SymbolKind::Module)
                    })
            };
            let (mut seen, mut seen_inside) = (FxHashSet::default(), FxHashSet::default());
            let names = calls.iter().filter(|(_, it)| is_item(it.enclosing)).take(FILE_CALLS_MAX);
            for name in names.map(|(name, _)| name.as_str()) {
                if !seen.insert(name) {
                    continue;
                }
                if self.macro_arguments(name).contains(type_name) {
                    self.add_open_blocks(name, MACROS_DEPTH_MAX, &mut seen_inside, &mut found);
                }
                if found.len() >= BLOCKS_MAX {
                    break;
                }
            }
            found.truncate(BLOCKS_MAX);
            found
        })
    }

    /// Adds the blocks for a variable in the body of a macro, and in those of the macros that it calls, at
    /// most `left` calls deep.
    fn add_open_blocks(
        &self,
        name: &str,
        left: usize,
        seen: &mut FxHashSet<SymbolAt>,
        found: &mut Vec<SymbolAt>,
    ) {
        for at in self.code.named(name).iter().copied().take(NAMED_MAX) {
            let Some(there) = self.memo.file(self.code, at.file) else { continue };
            let Some(own) = there.symbols.get(at.place as usize) else { continue };
            if own.kind != SymbolKind::Macro || seen.len() >= MACROS_MAX || !seen.insert(at) {
                continue;
            }
            let blocks = there.all_children(Some(at.place as usize)).iter().copied();
            let blocks = blocks.map(|place| SymbolAt { file: at.file, place });
            let is_open = |block: &SymbolAt| {
                there.block_type(block.place as usize).is_some_and(is_variable_type)
            };
            found.extend(blocks.filter(is_open));
            let Some(left) = left.checked_sub(1) else { continue };
            let calls = self.code.calls(at.file);
            let first = calls.partition_point(|(_, call)| call.span.start < own.span.start);
            let inside =
                calls[first..].iter().take_while(|(_, call)| call.span.end <= own.span.end);
            for (name, _) in inside.take(FILE_CALLS_MAX) {
                if found.len() < BLOCKS_MAX && name != &own.name {
                    self.add_open_blocks(name, left, seen, found);
                }
            }
        }
    }
}

/// Returns the arguments of a call whose name ends at a byte.
fn arguments(text: &[u8], end: usize) -> &[u8] {
    let start = end.min(text.len());
    let rest = &text[start..text.len().min(start + ARGUMENTS_BYTES_MAX)];
    &rest[..arguments_length(rest)]
}

/// Returns the names in a text.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    text.split(move |byte| !is_name(byte)).filter(|word| !word.is_empty())
}

/// Returns the length of the text up to the bracket that closes the first one.
fn arguments_length(text: &[u8]) -> usize {
    let mut level = 0_usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => level += 1,
            b')' | b']' | b'}' => {
                level = level.saturating_sub(1);
                if level == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    text.len()
}
