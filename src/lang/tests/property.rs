//! Arbitrary bytes and damaged sources: no panic, and what is always true of an outline.

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;

use super::fixtures::FIXTURES;
use crate::lang::language::{LANGUAGES, Language, of_path};
use crate::lang::parse::Limits;
use crate::lang::symbols::outline;

/// Fails unless the outline of `text` holds what every outline does.
fn hold(language: &'static Language, text: &[u8]) {
    let found = outline(language, "p", text, Limits::DEFAULT);
    assert_eq!(found, outline(language, "p", text, Limits::DEFAULT), "the same twice");
    let mut ids = BTreeSet::new();
    for (at, symbol) in found.symbols.iter().enumerate() {
        let (span, name) = (&symbol.span, &symbol.name_span);
        assert!(span.start <= span.end && span.end <= text.len(), "{symbol:?}");
        assert!(name.start <= name.end && name.end <= text.len(), "{symbol:?}");
        assert!(span.start <= name.start && name.end <= span.end, "{symbol:?}");
        assert!(symbol.line >= 1 && symbol.line <= symbol.end_line, "{symbol:?}");
        assert!(!symbol.name.is_empty() && !symbol.signature.contains('\n'), "{symbol:?}");
        assert!(ids.insert(&symbol.id), "{symbol:?}");
        let Some(parent) = symbol.parent else {
            assert_eq!(symbol.depth, 0);
            continue;
        };
        assert!(parent < at, "{symbol:?}");
        let parent = &found.symbols[parent];
        assert_eq!(symbol.depth, parent.depth + 1);
        assert!(
            parent.span.start <= span.start && span.end <= parent.span.end,
            "{parent:?}\n{symbol:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_hold(text in prop::collection::vec(any::<u8>(), 0..400)) {
        for language in LANGUAGES {
            hold(language, &text);
        }
    }

    #[test]
    fn damaged_sources_hold(
        which in 0..FIXTURES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..40_usize, 0..12_usize), 1..8),
    ) {
        const PIECES: [&str; 12] =
            ["", "{", "}", "(", ")", "\n", "\"", "/*", "class A", "\0", "\u{e9}", " = () => "];
        let (path, text, _) = FIXTURES[which];
        let mut text = text.as_bytes().to_vec();
        for (at, cut, piece) in edits {
            let at = at.index(text.len().max(1)).min(text.len());
            let end = (at + cut).min(text.len());
            text.splice(at..end, PIECES[piece].bytes());
        }
        hold(of_path(Path::new(path)).expect("known"), &text);
        for language in LANGUAGES {
            hold(language, &text);
        }
    }
}
