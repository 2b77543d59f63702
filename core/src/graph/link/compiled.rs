//! Which definitions of C a compiler on Linux reads, by the conditional directives around them
//! ([`super::conditions`]) and around the includes of their header; and those of C# under conditions.

use super::code::FileFacts;
use super::conditions::{Setting, conditions, excluded, is_read};
use super::dialect::Group;
use super::position::SymbolAt;
use super::result::{CONFIDENCE_ANSWER, Link, Use};
use super::value::Place;
use super::walk::Walk;
use crate::base::ids::FileId;
use crate::graph::weights;
use crate::graph::weights::OPEN_MAX;
use crate::lang::facts::{Import, ImportKind};

/// The most files whose includes of a header are considered.
const INCLUDERS_MAX: usize = 8;

/// The most files that include a header, directly or indirectly, of which the set is compared; more
/// include it for most purposes.
const SEEING_MAX: usize = 256;

/// The most bytes of a macro that are read.
const MACRO_BYTES_MAX: usize = 200;

impl Walk<'_> {
    /// Lowers the confidence of a definition of C# under a condition that its use does not have, if there is
    /// another definition of the name: which branch applies is not known. It stays an answer.
    pub(super) fn limit_conditional(&self, place: Place, used: Use<'_>, links: &mut [Link]) {
        let Some(facts) = self.facts(place.file).filter(|facts| facts.dialect.has_usings) else {
            return;
        };
        let Some(start) = used.start.filter(|_| self.code.named(used.name).len() > 1) else {
            return;
        };
        for link in links.iter_mut().filter(|link| link.confidence > OPEN_MAX) {
            let Some((there, at)) = self.symbol(link.to) else { continue };
            let branches = there.branches(|| self.code.text(link.to.file));
            let required = conditions(branches, there.symbols[at].name_span.start);
            if required.is_empty() {
                continue;
            }
            let own = conditions(facts.branches(|| self.code.text(place.file)), start);
            if !required.iter().all(|condition| own.contains(condition)) {
                link.confidence = OPEN_MAX;
            }
        }
    }

    /// Lowers the confidence of definitions of C that may not be what the use refers to, but a
    /// definition from outside of the repository: the first one is in code that only some settings
    /// select, or the file does not include it, but includes headers from outside. It stays an
    /// answer.
    pub(super) fn limit_replaced(&self, place: Place, used: Use<'_>, links: &mut [Link]) {
        let is_c = |facts: &FileFacts| facts.dialect.group == Group::C;
        let Some(facts) = self.facts(place.file).filter(|facts| is_c(facts)) else { return };
        let Some(first) = links.first().filter(|link| link.confidence >= CONFIDENCE_ANSWER) else {
            return;
        };
        if self.is_conditional(&facts, place, used, first.to)
            || self.is_unseen(&facts, place.file, links)
        {
            for link in links.iter_mut().filter(|link| link.confidence > CONFIDENCE_ANSWER) {
                link.confidence = (link.confidence * weights::WEAK).max(weights::CONFIRMED);
            }
        }
    }

    /// Returns true for a definition in a branch of `#if` that the default settings do not select or
    /// whose other branches include a header from outside, unless the use has the same condition.
    fn is_conditional(&self, facts: &FileFacts, place: Place, used: Use<'_>, at: SymbolAt) -> bool {
        let known = self.is_compiled(at);
        if known == Some(true) {
            return false;
        }
        let Some((there, symbol)) = self.symbol(at) else { return false };
        let start = there.symbols[symbol].name_span.start;
        let branches = there.branches(|| self.code.text(at.file));
        let own = used
            .start
            .map(|start| conditions(facts.branches(|| self.code.text(place.file)), start));
        let own = own.unwrap_or_default();
        let is_other = |condition: &String| !own.contains(condition);
        if !conditions(branches, start).iter().any(is_other) {
            return false;
        }
        if known == Some(false) || self.is_compiled_by_default(at) != Some(true) {
            return true;
        }
        let others = excluded(branches, start);
        let is_there = |import: &Import| others.iter().any(|it| it.contains(&import.span.start));
        let imports = there.imports.iter().enumerate();
        imports.filter(|(_, import)| is_there(import)).any(|(number, import)| {
            is_of_library(import) && self.code.targets(at.file, number).targets().is_empty()
        })
    }

    /// Returns true if a file includes none of the definitions outside of types, which are not its
    /// own, but headers from outside of the repository.
    fn is_unseen(&self, facts: &FileFacts, file: FileId, links: &[Link]) -> bool {
        if !facts.dialect.has_namespaces {
            return false;
        }
        let is_free = |link: &Link| {
            link.to.file != file
                && self.symbol(link.to).is_some_and(|(there, at)| there.owner(at).is_none())
        };
        if !links.iter().all(is_free) {
            return false;
        }
        let included = self.included(file);
        !links.iter().any(|link| included.contains(&link.to.file))
            && facts.imports.iter().enumerate().any(|(number, import)| {
                is_of_library(import) && self.code.targets(file, number).targets().is_empty()
            })
    }

    /// Returns whether a compiler on Linux reads a definition of C; `None` if that is unknown. A
    /// header is not read if every include of it is not.
    pub(super) fn is_compiled(&self, at: SymbolAt) -> Option<bool> {
        self.memo.read(at, || self.is_compiled_now(at))
    }

    fn is_compiled_now(&self, at: SymbolAt) -> Option<bool> {
        let (facts, place) = self.symbol(at)?;
        let here = self.is_read_at(&facts, at.file, facts.symbols[place].name_span.start);
        if here == Some(false) || !super::scope::is_header(&facts.path) {
            return here;
        }
        let includers = self.code.importers(at.file);
        if includers.is_empty() || includers.len() > INCLUDERS_MAX {
            return here;
        }
        let is_skipped = includers.iter().all(|&file| self.skips(file, at.file));
        if is_skipped { Some(false) } else { here }
    }

    /// Returns whether a file sees the names of another one by its includes, or by those of the files
    /// that include both; `None` if nothing includes the other one, or too many files do.
    pub(super) fn sees(&self, file: FileId, other: FileId) -> Option<bool> {
        if file == other {
            return Some(true);
        }
        let seeing = self.includers(other)?;
        if seeing.is_empty() || seeing.contains(&file) {
            return if seeing.is_empty() { None } else { Some(true) };
        }
        if self.code.importers(file).is_empty() {
            return Some(false);
        }
        // Another file may include first the one and then the other.
        let around = self.includers(file)?;
        Some(around.iter().any(|it| seeing.contains(it)))
    }

    /// Returns the files that include a file, directly or indirectly; `None` for too many. Cached.
    fn includers(&self, file: FileId) -> Option<super::memo::Included> {
        self.memo.includers(file, || {
            let mut seen = rustc_hash::FxHashSet::default();
            let mut open = vec![file];
            while let Some(next) = open.pop() {
                for importer in self.code.importers(next) {
                    if seen.insert(importer) {
                        open.push(importer);
                    }
                }
                if seen.len() > SEEING_MAX {
                    return None;
                }
            }
            Some(seen)
        })
    }

    /// Returns true for a header that no file includes, as far as that is known.
    pub(super) fn is_unused_header(&self, at: SymbolAt) -> bool {
        let is_header = |facts: &FileFacts| super::scope::is_header(&facts.path);
        self.facts(at.file).is_some_and(|facts| is_header(&facts))
            && self.code.importers(at.file).is_empty()
    }

    /// Returns true for a macro that expands to nothing: `do {} while (0)`, `((void) 0)`. Of
    /// alternatives, that is usually in effect: the others are for debugging.
    pub(super) fn is_empty_macro(&self, at: SymbolAt) -> bool {
        let starts: [&[u8]; 4] = [b"((void)", b"(void)0", b"do{}while(0)", b"/*"];
        self.macro_body(at).is_some_and(|plain| {
            plain.is_empty() || starts.iter().any(|start| plain.starts_with(start))
        })
    }

    /// Returns true for a macro that expands to an attribute which compilers on Linux have: of
    /// alternatives, that is in effect.
    pub(super) fn is_attribute_macro(&self, at: SymbolAt) -> bool {
        self.macro_body(at).is_some_and(|plain| plain.starts_with(b"__attribute__"))
    }

    /// Returns the body of a macro without spaces, as far as it is read.
    fn macro_body(&self, at: SymbolAt) -> Option<Vec<u8>> {
        let (facts, place) = self.symbol(at)?;
        let symbol = &facts.symbols[place];
        let text = self.code.text(at.file)?;
        let start = symbol.name_span.end.min(text.len());
        let rest = &text[start..text.len().min(start + MACRO_BYTES_MAX)];
        let is_end = |pair: &[u8]| pair[1] == b'\n' && pair[0] != b'\\';
        let rest = &rest[..rest.windows(2).position(is_end).map_or(rest.len(), |at| at + 1)];
        let body = match rest.first() {
            Some(b'(') => {
                rest.iter().position(|&byte| byte == b')').map_or(rest, |at| &rest[at + 1..])
            }
            _ => rest,
        };
        let is_kept = |byte: &u8| !byte.is_ascii_whitespace() && *byte != b'\\';
        Some(body.iter().copied().filter(is_kept).collect())
    }

    /// Returns true if each include of the file `header` by `file` is in code that is not compiled.
    fn skips(&self, file: FileId, header: FileId) -> bool {
        let Some(facts) = self.facts(file) else { return false };
        let imports = facts.imports.iter().enumerate();
        let mut includes = imports.filter(|(at, import)| {
            matches!(import.kind, ImportKind::LocalInclude | ImportKind::SystemInclude)
                && self.code.targets(file, *at).targets().iter().any(|it| it.file == header)
        });
        includes.all(|(_, import)| self.is_read_at(&facts, file, import.span.start) == Some(false))
    }

    pub(super) fn is_read_at(&self, facts: &FileFacts, file: FileId, at: usize) -> Option<bool> {
        is_read(facts.branches(|| self.code.text(file)), at, &|_, _| Setting::Unknown)
    }
}

/// Returns true for the include of a header that is none of C++'s standard library.
fn is_of_library(import: &Import) -> bool {
    let is_include = matches!(import.kind, ImportKind::LocalInclude | ImportKind::SystemInclude);
    is_include && import.module.contains('/') && !import.module.starts_with("sys/")
}
