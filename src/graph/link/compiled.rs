//! Which definitions of C a compiler on Linux reads, by the conditional directives around them
//! ([`super::conditions`]) and around the includes of their header.

use super::code::FileFacts;
use super::conditions::{Setting, is_read};
use super::position::SymbolAt;
use super::walk::Walk;
use crate::base::ids::FileId;
use crate::lang::facts::ImportKind;

/// The most files whose includes of a header are considered.
const INCLUDERS_MAX: usize = 8;

/// The most files that include a header, directly or indirectly, of which the set is compared; more
/// include it for most purposes.
const SEEING_MAX: usize = 256;

/// The most bytes of a macro that are read.
const MACRO_BYTES_MAX: usize = 200;

impl Walk<'_> {
    /// Returns whether a compiler on Linux reads a definition of C; `None` if that is unknown. A
    /// header is not read if every include of it is not.
    pub(super) fn is_compiled(&self, at: SymbolAt) -> Option<bool> {
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
        let Some((facts, place)) = self.symbol(at) else { return false };
        let symbol = &facts.symbols[place];
        let Some(text) = self.code.text(at.file) else { return false };
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
        let plain: Vec<u8> = body.iter().copied().filter(is_kept).collect();
        let starts: [&[u8]; 4] = [b"((void)", b"(void)0", b"do{}while(0)", b"/*"];
        plain.is_empty() || starts.iter().any(|start| plain.starts_with(start))
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
