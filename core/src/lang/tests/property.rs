//! Property tests with arbitrary bytes and damaged sources: extraction does not panic, and outlines
//! and facts keep their invariants.

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;

use super::facts::SOURCES;
use super::fixtures::FIXTURES;
use crate::base::testing;
use crate::lang::facts::{CHAIN_BYTES_MAX, Chain, Reference, Role};
use crate::lang::language::{LANGUAGES, Language, of_path};
use crate::lang::parse::Limits;
use crate::lang::symbols::{Symbol, facts, outline};

/// Checks the invariants of the facts of `text`, whose outline has `symbols`.
fn check_facts(language: &'static Language, text: &[u8], symbols: &[Symbol]) {
    let found = facts(language, "p", text, Limits::DEFAULT);
    assert_eq!(found, facts(language, "p", text, Limits::DEFAULT), "extraction is deterministic");
    let chains = |symbol: &Symbol| symbol.bases.iter().chain(&symbol.type_chain).cloned().collect();
    for symbol in &found.symbols {
        let chains: Vec<Chain> = chains(symbol);
        assert!(chains.iter().all(|chain| chain.as_str().len() <= CHAIN_BYTES_MAX), "{symbol:?}");
        chains.iter().for_each(Chain::check_codec);
    }
    for reference in &found.references {
        let span = &reference.span;
        assert!(span.start < span.end && span.end <= text.len(), "{reference:?}");
        assert!(reference.enclosing.is_none_or(|at| at < found.symbols.len()), "{reference:?}");
        let receiver = reference.receiver.as_ref();
        assert!(
            receiver.is_none_or(|chain| chain.as_str().len() <= CHAIN_BYTES_MAX),
            "{reference:?}"
        );
        receiver.into_iter().for_each(Chain::check_codec);
        let is_call = reference.role == Role::Call;
        assert!(is_call || reference.arguments.is_none(), "{reference:?}");
    }
    let order = |reference: &Reference| (reference.span.start, reference.role);
    assert!(found.references.is_sorted_by_key(order));
    for import in &found.imports {
        assert!(import.span.start <= import.span.end && import.span.end <= text.len());
        assert!(import.line >= 1);
    }
    let ids = |symbols: &[Symbol]| symbols.iter().map(|symbol| symbol.id.clone()).collect();
    let (with, without): (Vec<String>, Vec<String>) = (ids(&found.symbols), ids(symbols));
    assert_eq!(with, without, "the outline and the facts have the same symbols");
}

/// Checks the invariants of the outline and the facts of `text`.
fn check_invariants(language: &'static Language, text: &[u8]) {
    let found = outline(language, "p", text, Limits::DEFAULT);
    check_facts(language, text, &found.symbols);
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
    #![proptest_config(ProptestConfig { cases: testing::cases(20), ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_keep_the_invariants(text in prop::collection::vec(any::<u8>(), 0..400)) {
        for language in LANGUAGES {
            check_invariants(language, &text);
        }
    }

    #[test]
    fn damaged_sources_keep_the_invariants(
        which in 0..FIXTURES.len() + SOURCES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..40_usize, 0..12_usize), 1..8),
    ) {
        const PIECES: [&str; 12] =
            ["", "{", "}", "(", ")", "\n", "\"", "/*", "class A", "\0", "\u{e9}", " = () => "];
        let (path, text, _) = FIXTURES.iter().chain(SOURCES).nth(which).expect("in range");
        let mut text = text.as_bytes().to_vec();
        for (at, cut, piece) in edits {
            let at = at.index(text.len().max(1)).min(text.len());
            let end = (at + cut).min(text.len());
            text.splice(at..end, PIECES[piece].bytes());
        }
        check_invariants(of_path(Path::new(path)).expect("known"), &text);
        for language in LANGUAGES {
            check_invariants(language, &text);
        }
    }
}

/// All chains of the fixtures, among others.
#[test]
fn sources_keep_the_invariants() {
    for (path, text, _) in FIXTURES.iter().chain(SOURCES) {
        check_invariants(of_path(Path::new(path)).expect("known"), text.as_bytes());
    }
}

/// A parenthesis that closes nothing underflowed a count.
#[test]
fn sql_with_unbalanced_parentheses_keeps_the_invariants() {
    let language = of_path(Path::new("a.sql")).expect("known");
    for text in ["CREATE TABLE t ) ENGINE=x;\n", "CREATE TABLE t ) (a b WITH TAG) ENGINE=x;\n"] {
        check_invariants(language, text.as_bytes());
    }
}
