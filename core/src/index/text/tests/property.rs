//! Property: after any edits, an overlay ranks exactly like a rebuilt index of the current tree.

use proptest::prelude::*;

use super::*;
use crate::base::testing;
use crate::index::text::rank::{Split, rank_by};

const PATHS: &[&str] =
    &["a.rs", "a/b.rs", "a/parse.rs", "a-b.py", "b.md", "lib/walk.js", "lib/x.unknown", "z/z.c"];

const WORDS: &[&str] =
    &["parse", "config", "walk", "tree", "node", "HTTPServer", "open", "größe", "x2", "parsing"];

/// One piece of a text: its kind, the indices of its two words, and its length.
type Piece = (u8, usize, usize, usize);

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let piece = (0..5_u8, 0..WORDS.len(), 0..WORDS.len(), 0..50_usize);
    prop::collection::vec(piece, 0..6)
}

fn text(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for &(kind, a, b, length) in pieces {
        let (a, b) = (WORDS[a], WORDS[b]);
        match kind {
            0 => text.push_str(&format!(
                "fn {a}_{b}() {{\n{}}}\n\n",
                format!("    {b}({a});\n").repeat(length)
            )),
            1 => text.push_str(&format!("// The {a} of {b}s.\n")),
            2 => text.push_str(&format!(
                "def {a}_{b}():\n{}\n",
                format!("    {a}.{b}()\n").repeat(length)
            )),
            3 => text.push_str(&format!("function {a}{b}() {{\n  // {b}\n  return {a};\n}}\n")),
            _ => text.push_str(&format!("{a} {b} {}\n\n", "words ".repeat(length))),
        }
    }
    text
}

fn same(
    edited: &Overlay,
    rebuilt: &Overlay,
    question: &str,
    bm25: &Bm25,
) -> Result<(), TestCaseError> {
    let mut query = Query::parse(question);
    // A related word of each term, as in questions; the words of the trees are not in the table.
    let related = ["open", "node", "walk"].iter().cycle();
    for (term, related) in query.terms.iter_mut().zip(related) {
        term.related = vec![((*related).to_owned(), 0.3)];
    }
    let edited = rank(edited, &query, bm25).expect("a valid index");
    let rebuilt = rank(rebuilt, &query, bm25).expect("a valid index");
    for k in [0, 1, 3, 1000] {
        let (a, b) =
            (edited.chunks(k).expect("it is valid"), rebuilt.chunks(k).expect("it is valid"));
        prop_assert_eq!(&a, &b, "chunks for {}", question);
        for (a, b) in a.iter().zip(&b) {
            prop_assert_eq!(a.score.to_bits(), b.score.to_bits());
        }
        let (a, b) =
            (edited.files(k).expect("it is valid"), rebuilt.files(k).expect("it is valid"));
        prop_assert_eq!(a, b, "files for {}", question);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::cases(20)))]

    #[test]
    fn edits_rank_like_a_rebuild(
        before in prop::collection::btree_map(0..PATHS.len(), pieces(), 0..8),
        edits in prop::collection::vec((0..PATHS.len(), prop::option::of(pieces())), 0..8),
        segments in any::<bool>(),
        (k1, b) in (0.1_f32..3.0, 0.0_f32..1.0),
    ) {
        let dir = TempDir::new().expect("a temporary directory");
        let mut tree: Tree =
            before.iter().map(|(&path, pieces)| (PATHS[path].to_owned(), text(pieces))).collect();
        let heap_bytes = if segments { 1 } else { usize::MAX };
        let index = Arc::new(build(dir.path(), 1, &tree, heap_bytes));
        let mut edited = Overlay::new(index);
        for (path, pieces) in &edits {
            match pieces {
                Some(pieces) => {
                    let prepared = prepare(PATHS[*path], &text(pieces));
                    edited.put(&prepared).expect("a valid index");
                    tree.insert(PATHS[*path].to_owned(), text(pieces));
                }
                None => {
                    edited.remove(PATHS[*path].as_bytes()).expect("a valid index");
                    tree.remove(PATHS[*path]);
                }
            }
        }
        let (_other, rebuilt) = indexed(&tree);
        prop_assert_eq!(edited.live(), rebuilt.live());
        let bm25 = Bm25 { k1, b: [b; FIELDS] };
        for question in ["parse", "walk the tree of nodes", "HTTPServer config parsing größe"] {
            same(&edited, &rebuilt, question, &Bm25::DEFAULT)?;
            same(&edited, &rebuilt, question, &bm25)?;
        }
    }

    #[test]
    fn the_division_into_parts_and_blocks_does_not_affect_ranks(
        files in prop::collection::btree_map(0..PATHS.len(), pieces(), 0..8),
        removed in 0..PATHS.len(),
        segments in any::<bool>(),
        (part, block) in (1_usize..9, 0_usize..9),
    ) {
        let dir = TempDir::new().expect("a temporary directory");
        let tree: Tree =
            files.iter().map(|(&path, pieces)| (PATHS[path].to_owned(), text(pieces))).collect();
        let heap_bytes = if segments { 1 } else { usize::MAX };
        let mut overlay = Overlay::new(Arc::new(build(dir.path(), 1, &tree, heap_bytes)));
        overlay.remove(PATHS[removed].as_bytes()).expect("a valid index");
        // More terms than are added at once.
        let question = format!("{} words return function def", WORDS.join(" "));
        let mut query = Query::parse(&question);
        let terms = query.terms.clone();
        query.terms.extend(terms.iter().chain(&terms).cloned());
        let whole = rank(&overlay, &query, &Bm25::DEFAULT).expect("a valid index");
        let split = Split { part, block };
        let divided = rank_by(&overlay, &query, &Bm25::DEFAULT, split).expect("a valid index");
        prop_assert_eq!(whole.weights(), divided.weights());
        let of = |ranking: &Ranking<'_>| {
            let (files, chunks) = (ranking.files(1000), ranking.chunks(1000));
            (files.expect("it is valid"), chunks.expect("it is valid"))
        };
        prop_assert_eq!(of(&whole), of(&divided));
    }

    #[test]
    fn any_bytes_are_prepared(path in "[a-z]{1,5}\\.(rs|py|md|c|x)", text in prop::collection::vec(any::<u8>(), 0..2000)) {
        let language = detect(Path::new(&path), &text);
        let facts = language.map_or_else(Facts::default, |l| facts(l, &path, &text, Limits::DEFAULT));
        let input = Input { path: path.as_bytes(), hash: 0, language, symbols: &facts.symbols, text: &text };
        let prepared = Preparer::default().prepare(input);
        let lines: usize = prepared.chunks.iter().map(|words| usize::from(words.lines)).sum();
        let expected = text.split_inclusive(|&byte| byte == b'\n').count();
        prop_assert_eq!(lines + prepared.lines_left, expected);
    }
}
