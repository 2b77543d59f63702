//! Property tests of simplification and thinning, with random queries.

use proptest::prelude::*;

use super::GramQuery;
use crate::index::gram::{CLASS, Gram};
use crate::index::gram_set::{GramSet, PairCase};

/// A query that is not simplified.
#[derive(Clone, Debug)]
enum Tree {
    All,
    None,
    Gram(u8),
    /// The set of the pair in which the grams of this letter and of the next one end, and a third.
    Any(u8),
    And(Vec<Tree>),
    Or(Vec<Tree>),
}

impl Tree {
    fn simplified(&self) -> GramQuery {
        match self {
            Tree::All => GramQuery::All,
            Tree::None => GramQuery::None,
            Tree::Gram(letter) => GramQuery::Gram(gram(*letter)),
            Tree::Any(letter) => GramQuery::Any(set(*letter)),
            Tree::And(parts) => GramQuery::and(parts.iter().map(Tree::simplified)),
            Tree::Or(parts) => GramQuery::or(parts.iter().map(Tree::simplified)),
        }
    }

    fn is_satisfied_by(&self, letters: u8) -> bool {
        match self {
            Tree::All => true,
            Tree::None => false,
            Tree::Gram(letter) | Tree::Any(letter) => letters >> letter & 1 == 1,
            Tree::And(parts) => parts.iter().all(|part| part.is_satisfied_by(letters)),
            Tree::Or(parts) => parts.iter().any(|part| part.is_satisfied_by(letters)),
        }
    }
}

fn gram(letter: u8) -> Gram {
    Gram::of([b'x', b'x', b'a' + letter]).expect("no terminator in it")
}

/// The set of the pair in which the gram ends.
fn set(letter: u8) -> GramSet {
    let classes = [b'x', b'a' + letter].map(|byte| CLASS[usize::from(byte)]);
    GramSet::of_pair(classes, PairCase::Lower)
}

fn tree(with_sets: bool) -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        1 => Just(Tree::All),
        1 => Just(Tree::None),
        12 => (0..8_u8, any::<bool>()).prop_map(move |(letter, is_set)| {
            if is_set && with_sets { Tree::Any(letter) } else { Tree::Gram(letter) }
        }),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        let parts = prop::collection::vec(inner, 0..5);
        prop_oneof![parts.clone().prop_map(Tree::And), parts.prop_map(Tree::Or)]
    })
}

/// Evaluates against a set of eight grams, one bit each.
fn is_satisfied(query: &GramQuery, letters: u8) -> bool {
    query.is_satisfied_by(&|held| (0..8).any(|i| letters >> i & 1 == 1 && gram(i) == held))
}

/// Panics unless every node satisfies the invariants that [`GramQuery`] documents.
fn assert_canonical(query: &GramQuery) {
    let (GramQuery::And(parts) | GramQuery::Or(parts)) = query else {
        return;
    };
    assert!(parts.len() > 1 && parts.is_sorted_by(|a, b| a < b), "{query}");
    let is_and = matches!(query, GramQuery::And(_));
    for part in parts {
        assert!(!matches!(part, GramQuery::All | GramQuery::None), "{query}");
        assert!(!matches!(part, GramQuery::And(_)) || !is_and, "{query}");
        assert!(!matches!(part, GramQuery::Or(_)) || is_and, "{query}");
        assert!(!is_and || part.is_weak() == query.is_weak(), "{query}");
        assert_canonical(part);
    }
    let sets = parts.iter().filter(|part| matches!(part, GramQuery::Any(_))).count();
    assert!(sets <= 1 || is_and, "{query}");
}

proptest! {
    #[test]
    fn simplification_keeps_the_meaning(tree in tree(false), letters: u8) {
        let query = tree.simplified();
        assert_canonical(&query);
        prop_assert_eq!(is_satisfied(&query, letters), tree.is_satisfied_by(letters), "{}", query);
    }

    #[test]
    fn simplification_only_adds_candidates(tree in tree(true), letters: u8) {
        let query = tree.simplified();
        assert_canonical(&query);
        prop_assert!(!tree.is_satisfied_by(letters) || is_satisfied(&query, letters), "{}", query);
    }

    #[test]
    fn thinning_only_adds_candidates(tree in tree(true), letters: u8, grams_max in 0..12_usize) {
        let query = tree.simplified();
        let thinned = query.clone().thinned(grams_max);
        assert_canonical(&thinned);
        prop_assert!(thinned.grams_len() <= grams_max, "{}", thinned);
        prop_assert!(!is_satisfied(&query, letters) || is_satisfied(&thinned, letters));
    }
}

#[test]
fn implied_branches_are_dropped() {
    let [a, b, c] = [0, 1, 2].map(|letter| GramQuery::Gram(gram(letter)));
    let and = |parts: &[&GramQuery]| GramQuery::and(parts.iter().copied().cloned());
    let or = |parts: &[&GramQuery]| GramQuery::or(parts.iter().copied().cloned());
    assert_eq!(or(&[&a, &and(&[&a, &b])]), a);
    assert_eq!(and(&[&a, &or(&[&a, &b])]), a);
    assert_eq!(or(&[&and(&[&a, &b]), &and(&[&a, &b, &c])]), and(&[&a, &b]));
}
