//! Computes the language of an expression.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::class;
use super::language::Language;
use super::string_set::StringSet;
use crate::index::gram::Gram;
use crate::query::gram_query::GramQuery;

/// An expression after the walk.
pub(super) struct Walked {
    /// The strings that it matches.
    pub(super) language: Language,
    /// True if characters that fold to an ASCII letter were left out.
    pub(super) folds: bool,
}

/// Returns the language of an expression.
///
/// The recursion is as deep as the nesting of the expression, which the parser bounds. Cost: O(n)
/// sets of bounded size for an expression of n nodes, where repetitions count a few times.
pub(super) fn walk(hir: &Hir) -> Walked {
    let mut folds = false;
    let language = language(hir, &mut folds);
    Walked { language, folds }
}

fn language(hir: &Hir, folds: &mut bool) -> Language {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Language::empty_string(),
        HirKind::Literal(literal) => Language::Finite(StringSet::of([&literal.0])),
        HirKind::Class(class) => match class::strings(class) {
            Some(listed) => {
                *folds |= listed.folds;
                Language::Finite(listed.strings)
            }
            None => class::keys(class).map_or_else(Language::anything, |keys| {
                Language::anything_with(GramQuery::Any(keys))
            }),
        },
        HirKind::Repetition(repetition) => {
            let copies = language(&repetition.sub, folds).repeat(repetition.min, repetition.max);
            let run = match repetition.sub.kind() {
                HirKind::Class(class) if class::is_hexadecimal(class) => {
                    Gram::of_hex_run(repetition.min as usize)
                }
                _ => None,
            };
            match run {
                Some(run) => copies.with_need(GramQuery::Gram(run)),
                None => copies,
            }
        }
        HirKind::Capture(capture) => language(&capture.sub, folds),
        HirKind::Concat(parts) => Language::concat(parts.iter().map(|part| language(part, folds))),
        HirKind::Alternation(parts) => {
            Language::alternate(parts.iter().map(|part| language(part, folds)))
        }
    }
}

/// Returns true if a match may contain `\n`. O(n), without recursion.
pub(super) fn may_match_line_feed(hir: &Hir) -> bool {
    let mut pending = vec![hir];
    while let Some(hir) = pending.pop() {
        let holds = match hir.kind() {
            HirKind::Literal(literal) => literal.0.contains(&b'\n'),
            HirKind::Class(Class::Unicode(class)) => {
                class.iter().any(|range| range.start() <= '\n' && '\n' <= range.end())
            }
            HirKind::Class(Class::Bytes(class)) => {
                class.iter().any(|range| range.start() <= b'\n' && b'\n' <= range.end())
            }
            _ => false,
        };
        if holds {
            return true;
        }
        pending.extend(hir.kind().subs());
    }
    false
}
