//! Rust's `#[cfg(…)]` on imports and definitions: which of several a compiler reads that builds for Linux on
//! x86-64, with the features `std` and `alloc`.
//!
//! The features of a manifest are not read, so that what a condition excludes only ranks lower.

use super::code::FileFacts;
use super::position::SymbolAt;
use super::value::{Candidate, Value};
use super::walk::Walk;
use crate::base::ids::FileId;
use crate::graph::weights;
use crate::lang::split;

/// The most attributes before an import, and the most bytes of each.
const ATTRIBUTES_MAX: usize = 8;
const ATTRIBUTE_BYTES_MAX: usize = 2000;

/// The most modules around a file whose conditions are evaluated, and the most declarations of each.
const MODULES_MAX: usize = 8;
const NAMED_MAX: usize = 64;

/// Maximum nesting of a condition.
const DEPTH_MAX: usize = 12;

/// Conditions without a value that hold, and pairs of a name and a value.
const NAMES: [&str; 2] = ["debug_assertions", "unix"];
const VALUES: [(&str, &str); 9] = [
    ("feature", "alloc"),
    ("feature", "default"),
    ("feature", "std"),
    ("target_arch", "x86_64"),
    ("target_endian", "little"),
    ("target_family", "unix"),
    ("target_feature", "sse2"),
    ("target_os", "linux"),
    ("target_pointer_width", "64"),
];

impl Walk<'_> {
    /// Returns whether the condition of an import holds by default; `None` without a condition.
    pub(super) fn holds_by_default(
        &self,
        facts: &FileFacts,
        file: FileId,
        import: usize,
    ) -> Option<bool> {
        let start = facts.imports.get(import)?.span.start;
        if !facts.dialect.has_impl_blocks {
            return None;
        }
        let text = self.code.text(file)?;
        condition_before(text.get(..start)?)
    }

    /// Returns false for a definition of Rust that a compiler does not read by default: its own condition
    /// excludes it, or that of a block or module around it.
    pub(super) fn is_rust_read(&self, facts: &FileFacts, at: SymbolAt) -> bool {
        let Some(text) = self.code.text(at.file) else { return true };
        let is_excluded = |around: usize| {
            let start = facts.symbols[around].span.start;
            text.get(..start).and_then(condition_before) == Some(false)
        };
        !facts.ancestors(Some(at.place as usize)).any(is_excluded)
            && self.memo.is_file_read(at.file, || self.is_module_read(&facts.path))
    }

    /// Returns true for a file of Rust that a compiler reads by default.
    pub(super) fn is_in_default_rust(&self, file: FileId) -> bool {
        self.facts(file).is_some_and(|facts| {
            let is_rust = facts.dialect.has_impl_blocks && facts.dialect.has_program_macros;
            is_rust && self.memo.is_file_read(file, || self.is_module_read(&facts.path))
        })
    }

    /// Returns false for the file of a module that a condition on its declaration, or on that of a module
    /// around it, excludes by default.
    fn is_module_read(&self, path: &str) -> bool {
        let mut path = path.to_owned();
        for _ in 0..MODULES_MAX {
            let Some(module) = path.strip_suffix("/mod.rs").or_else(|| path.strip_suffix(".rs"))
            else {
                return true;
            };
            let Some((directory, name)) = module.rsplit_once('/') else { return true };
            let above =
                ["/mod.rs", "/lib.rs", "/main.rs", ".rs"].map(|end| format!("{directory}{end}"));
            let declared = self.code.named(name);
            let of = declared.iter().take(NAMED_MAX).find_map(|&at| {
                let there = self.memo.file(self.code, at.file)?;
                let is_its =
                    above.contains(&there.path) && there.is_module_elsewhere(at.place as usize);
                is_its.then_some((there, at))
            });
            let Some((there, at)) = of else { return true };
            let start = there.symbols[at.place as usize].span.start;
            let text = self.code.text(at.file);
            let condition = text.and_then(|text| condition_before(text.get(..start)?));
            if condition == Some(false) {
                return false;
            }
            path.clone_from(&there.path);
        }
        true
    }

    /// Orders what imports give of which only one is in effect: first the one whose condition holds by
    /// default. The others remain possible.
    pub(super) fn select_by_condition(
        &self,
        mut found: Vec<(Option<bool>, Vec<Candidate>)>,
    ) -> Vec<Candidate> {
        let is_known = |all: &[Candidate]| all.iter().any(|it| !matches!(it.value, Value::Outside));
        let has_others = found.iter().filter(|(holds, _)| holds.is_some()).count() > 0
            && found.iter().filter(|(_, all)| is_known(all)).count() > 1;
        if has_others {
            // Stable, so those of equal conditions stay in the order of the text.
            found.sort_by_key(|(holds, all)| (*holds == Some(false), !is_known(all)));
            found.retain(|(_, all)| is_known(all));
            for candidate in found.iter_mut().skip(1).flat_map(|(_, all)| all) {
                candidate.confidence = candidate.confidence.min(weights::NO_ANSWER);
            }
        }
        found.into_iter().flat_map(|(_, all)| all).collect()
    }
}

/// Returns whether the conditions of the attributes at the end of a text hold; `None` if there are none.
fn condition_before(text: &[u8]) -> Option<bool> {
    let mut rest = text;
    let mut holds = None;
    for _ in 0..ATTRIBUTES_MAX {
        rest = without_comments(rest);
        let Some(inner) = rest.strip_suffix(b"]") else { break };
        let least = inner.len().saturating_sub(ATTRIBUTE_BYTES_MAX);
        let Some(open) = memchr::memmem::rfind(&inner[least..], b"#[") else { break };
        let attribute = String::from_utf8_lossy(&inner[least + open + 2..]).into_owned();
        rest = &rest[..least + open];
        let condition = attribute.trim().strip_prefix("cfg(").and_then(|of| of.strip_suffix(')'));
        if let Some(condition) = condition {
            holds = Some(holds.unwrap_or(true) && is_true(condition, DEPTH_MAX));
        }
    }
    holds
}

/// Returns a text without the line comments and spaces at its end.
fn without_comments(text: &[u8]) -> &[u8] {
    let mut text = text.trim_ascii_end();
    for _ in 0..ATTRIBUTES_MAX {
        let start = memchr::memrchr(b'\n', text).map_or(0, |end| end + 1);
        if !text[start..].trim_ascii_start().starts_with(b"//") {
            break;
        }
        text = text[..start].trim_ascii_end();
    }
    text
}

/// Returns true if a condition holds. What is not known does not.
fn is_true(condition: &str, depth: usize) -> bool {
    let condition = condition.trim();
    let Some(depth) = depth.checked_sub(1) else { return false };
    let list = |name: &str| {
        let inner = condition.strip_prefix(name)?.trim_start();
        Some(split(inner.strip_prefix('(')?.strip_suffix(')')?, b','))
    };
    let parts = |name: &str| {
        let parts = list(name)?;
        Some(parts.into_iter().filter(|part| !part.trim().is_empty()).collect::<Vec<&str>>())
    };
    if let Some(parts) = parts("all") {
        return parts.iter().all(|part| is_true(part, depth));
    }
    if let Some(parts) = parts("any") {
        return parts.iter().any(|part| is_true(part, depth));
    }
    if let Some(parts) = parts("not") {
        return !parts.iter().any(|part| is_true(part, depth));
    }
    match condition.split_once('=') {
        Some((name, value)) => VALUES.contains(&(name.trim(), value.trim().trim_matches('"'))),
        None => NAMES.contains(&condition),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_evaluated() {
        let of = |text: &str| condition_before(text.as_bytes());
        assert_eq!(of("use a;\n"), None);
        assert_eq!(of("#[inline]\n"), None);
        assert_eq!(of("#[cfg(feature = \"std\")]\n// Why.\npub "), None);
        assert_eq!(of("#[cfg(feature = \"std\")]\n// Why.\n"), Some(true));
        assert_eq!(of("#[cfg(all(not(feature = \"libm\"), feature = \"std\",))]\n"), Some(true));
        assert_eq!(of("#[cfg(any(feature = \"x\", windows))]\n#[doc(hidden)]\n"), Some(false));
    }
}
