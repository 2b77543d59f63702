//! Macros of C that are defined more than once in a file: `#undef` ends the former one.

use super::dialect::Group;
use super::position::SymbolAt;
use super::result::Use;
use super::value::{Candidate, Place, Value};
use super::walk::Walk;
use crate::lang::symbols::SymbolKind;

/// The most bytes between a macro and a use that are searched for `#undef`.
const TEXT_BYTES_MAX: usize = 1 << 18;

impl Walk<'_> {
    /// Removes macros of the file of a use that are not in effect there, if another one is: those that
    /// `#undef` ends before the use, and those that are defined after it.
    pub(super) fn remove_undefined(
        &self,
        place: Place,
        used: Use<'_>,
        candidates: &mut Vec<Candidate>,
    ) {
        let Some(start) = used.start.filter(|_| candidates.len() > 1) else { return };
        let Some(facts) = self.facts(place.file).filter(|it| it.dialect.group == Group::C) else {
            return;
        };
        let here = |it: &Candidate| match it.value {
            Value::Name(at) => {
                let is_here = at.file == place.file && self.kind(it) == Some(SymbolKind::Macro);
                is_here.then_some(at)
            }
            _ => None,
        };
        if candidates.iter().filter_map(here).count() < 2 {
            return;
        }
        let Some(text) = self.code.text(place.file) else { return };
        let is_in_effect = |at: SymbolAt| {
            let end = facts.symbols[at.place as usize].span.end;
            let between = text.get(end..start).filter(|text| text.len() <= TEXT_BYTES_MAX);
            between.is_some_and(|text| !is_undefined(text, used.name))
        };
        if candidates.iter().filter_map(here).any(is_in_effect) {
            candidates.retain(|it| here(it).is_none_or(is_in_effect));
        }
    }
}

/// Returns true if a text has `#undef NAME`. O(text).
fn is_undefined(text: &[u8], name: &str) -> bool {
    const WORD: &[u8] = b"undef";
    memchr::memmem::find_iter(text, WORD).any(|at| {
        let after = &text[at + WORD.len()..];
        let rest = after.trim_ascii_start();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        text[..at].trim_ascii_end().ends_with(b"#")
            && rest.len() < after.len()
            && rest.starts_with(name.as_bytes())
            && !rest.get(name.len()).is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::is_undefined;

    #[test]
    fn directives_are_found() {
        assert!(is_undefined(b"a\n#undef SET\n", "SET"));
        assert!(is_undefined(b"# undef  SET", "SET"));
        assert!(!is_undefined(b"#undef SET2", "SET"));
        assert!(!is_undefined(b"undef SET", "SET"));
    }
}
