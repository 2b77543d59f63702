//! The walk over an expression.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::class;
use super::language::Language;
use super::string_set::StringSet;

/// An expression after the walk.
pub(super) struct Walked {
    /// What it matches.
    pub(super) language: Language,
    /// Whether characters that fold to an ASCII letter were left out of it.
    pub(super) folds: bool,
}

/// Returns what an expression matches.
///
/// It recurses as deep as the expression nests, which the parser bounds. Cost: O(n) sets of
/// bounded size for an expression of n nodes, each repetition counted a few times.
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
            None => Language::anything(),
        },
        HirKind::Repetition(repetition) => {
            language(&repetition.sub, folds).repeat(repetition.min, repetition.max)
        }
        HirKind::Capture(capture) => language(&capture.sub, folds),
        HirKind::Concat(parts) => Language::concat(parts.iter().map(|part| language(part, folds))),
        HirKind::Alternation(parts) => {
            Language::alternate(parts.iter().map(|part| language(part, folds)))
        }
    }
}

/// Returns true if some match may hold `\n`. O(n), without recursion.
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
