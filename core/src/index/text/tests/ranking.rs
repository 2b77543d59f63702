//! Tests of the order and the scores of hits, and of query parsing.

use super::*;
use crate::index::text::query::TERMS_MAX;

/// Ranks and writes each chunk as `path:first-last`.
fn ranked(overlay: &Overlay, question: &str) -> Vec<String> {
    let query = Query::parse(question);
    let ranking = rank(overlay, &query, &Bm25::DEFAULT).expect("a valid index");
    let hits = ranking.chunks(10).expect("a valid index");
    hits.iter()
        .map(|hit| {
            let path = String::from_utf8_lossy(&hit.path);
            format!("{path}:{}-{}", hit.lines.start, hit.lines.end - 1)
        })
        .collect()
}

fn sample() -> Tree {
    tree(&[
        (
            "src/config.rs",
            "/// Reads settings.\nfn parse_config(text: &str) {\n    walk(text);\n}\n",
        ),
        ("src/main.rs", "fn main() {\n    let text = load();\n    parse_config(&text);\n}\n"),
        ("src/walk.rs", "// Walking trees.\nfn walk(tree: &str) {\n    visit(tree);\n}\n"),
        ("docs/guide.md", "Settings are parsed once, from the tree.\n"),
    ])
}

#[test]
fn definitions_come_before_uses() {
    let (_dir, overlay) = indexed(&sample());
    assert_eq!(
        ranked(&overlay, "parseConfig"),
        ["src/config.rs:1-4", "src/main.rs:1-4", "docs/guide.md:1-1"]
    );
    // The stem of `parsed` matches a part of `parse_config`.
    assert_eq!(ranked(&overlay, "where are settings parsed?")[0], "src/config.rs:1-4");
    assert_eq!(ranked(&overlay, "settings once")[0], "docs/guide.md:1-1");
    assert_eq!(ranked(&overlay, "walk")[0], "src/walk.rs:1-4");
    assert_eq!(ranked(&overlay, "nothing of it"), Vec::<String>::new());
    assert_eq!(ranked(&overlay, ""), Vec::<String>::new());
}

/// In files that were chosen by their words, the frequent word may be the one that is rare elsewhere.
#[test]
fn rarities_that_are_known_decide() {
    let (_dir, overlay) = indexed(&tree(&[
        ("a.rs", "fn one() {\n    kernel();\n}\n"),
        ("b.rs", "fn two() {\n    common();\n}\n"),
        ("c.rs", "fn three() {\n    kernel();\n}\n"),
    ]));
    assert_eq!(ranked(&overlay, "common kernel")[0], "b.rs:1-3");
    let rarities = [("common".to_owned(), 0.5), ("kernel".to_owned(), 7.0)];
    let overlay = overlay.with_rarities(rarities.into());
    assert_eq!(ranked(&overlay, "common kernel")[0], "a.rs:1-3");
    let query = Query::parse("kernel");
    let ranking = rank(&overlay, &query, &Bm25::DEFAULT).expect("a valid index");
    assert_eq!(ranking.weights(), [7.0]);
}

#[test]
fn ties_are_broken_by_path() {
    let text = "fn equal() {\n    one();\n    two();\n}\n";
    let (_dir, mut overlay) =
        indexed(&tree(&[("c/z.rs", text), ("c/a.rs", text), ("c.rs", text), ("d.rs", text)]));
    let expected = ["c/a.rs:1-4", "c/z.rs:1-4", "c.rs:1-4", "d.rs:1-4"];
    assert_eq!(ranked(&overlay, "equal"), expected);
    overlay.put(&prepare("c/m.rs", text)).expect("a valid index");
    overlay.put(&prepare("c/a.rs", text)).expect("a valid index");
    let with_edits = ranked(&overlay, "equal");
    let of_c: Vec<&String> = with_edits.iter().filter(|hit| hit.starts_with("c/")).collect();
    assert_eq!(of_c, ["c/a.rs:1-4", "c/m.rs:1-4", "c/z.rs:1-4"]);
}

#[test]
fn a_file_scores_the_sum_of_its_best_three_chunks() {
    let function = |name: &str| format!("fn {name}() {{\n    target();\n    more();\n}}\n\n");
    let many: String = ["a", "b", "c", "d", "e"].map(|name| function(&name.repeat(3))).concat();
    let (_dir, overlay) = indexed(&tree(&[("many.rs", &many), ("one.rs", &function("aaa"))]));
    let query = Query::parse("target");
    let ranking = rank(&overlay, &query, &Bm25::DEFAULT).expect("a valid index");
    let chunks = ranking.chunks(10).expect("a valid index");
    let files = ranking.files(10).expect("a valid index");
    assert_eq!(files.len(), 2);
    assert_eq!(files[0].path, b"many.rs");
    assert_eq!(files[0].ordinals, [0, 1, 2]);
    let of_many: Vec<f32> =
        chunks.iter().filter(|hit| hit.path == b"many.rs").map(|hit| hit.score).collect();
    assert_eq!(of_many.len(), 5);
    assert_eq!(files[0].score, of_many[..3].iter().sum::<f32>());
    // The chunks have equal scores for the only term.
    assert_eq!(files[0].covered, of_many[0]);
}

#[test]
fn coverage_is_summed_over_all_chunks_of_a_file() {
    let function =
        |name: &str, word: &str| format!("fn {name}() {{\n    {word}();\n    more();\n}}\n\n");
    let both = function("aaa", "walnut") + &function("bbb", "hazel");
    let one = function("aaa", "walnut") + &function("bbb", "walnut");
    let (_dir, overlay) = indexed(&tree(&[("both.rs", &both), ("one.rs", &one)]));
    let query = Query::parse("walnut hazel");
    let files = rank(&overlay, &query, &Bm25::DEFAULT).and_then(|ranking| ranking.files(10));
    let files = files.expect("a valid index");
    let covered = |path: &[u8]| files.iter().find(|file| file.path == path).expect("a hit").covered;
    assert!(covered(b"both.rs") > 1.5 * covered(b"one.rs"));
}

#[test]
fn related_words_count_less_and_lower_the_rarity_of_their_term() {
    let texts =
        [("a.rs", "fn aaa() {\n    walnut();\n}\n"), ("b.rs", "fn bbb() {\n    hazel();\n}\n")];
    let (_dir, overlay) = indexed(&tree(&texts));
    let mut query = Query::parse("walnut");
    let weight =
        |query: &Query| rank(&overlay, query, &Bm25::DEFAULT).expect("a valid index").weights()[0];
    let plain = weight(&query);
    query.terms[0].related = vec![("hazel".to_owned(), 0.3)];
    assert!(weight(&query) < plain);
    let ranking = rank(&overlay, &query, &Bm25::DEFAULT).expect("a valid index");
    let hits = ranking.chunks(10).expect("a valid index");
    let paths: Vec<&[u8]> = hits.iter().map(|hit| &hit.path[..]).collect();
    assert_eq!(paths, [b"a.rs", b"b.rs"]);
    assert!(hits[1].score < hits[0].score);
    // Words that the query has anyway are not related ones.
    let related =
        |text: &str| Query::parse(text).with_related().map(|of| of.terms[0].related.len());
    let (alone, both) = (related("wait"), related("wait sleep"));
    assert!(alone > both && both > Some(0), "{alone:?} {both:?}");
    assert_eq!(related("walnutwalnut"), None);
}

#[test]
fn questions_are_parsed_into_terms() {
    let words = |question: &str| -> Vec<String> {
        Query::parse(question).terms.into_iter().map(|term| term.word).collect()
    };
    assert_eq!(words("where is HTTPServer parsed"), ["http", "server", "httpserver", "parsed"]);
    assert_eq!(words("a the 42"), Vec::<String>::new());
    assert_eq!(words("foo foo Foo"), ["foo"]);
    let many: String = (0..500).map(|i| format!("word{i}x ")).collect();
    assert_eq!(words(&many).len(), TERMS_MAX);
    assert_eq!(Query::parse("parsing").terms[0].stem, "pars");
    let weighted =
        Query::parse_weighted(&[("cart", 0.5), ("lost cart cart", 1.0), ("zone", 3.0)], K3);
    let order: Vec<&str> = weighted.terms.iter().map(|term| term.word.as_str()).collect();
    assert_eq!(order, ["zone", "cart", "lost"]);
    assert!(weighted.terms[1].boost > 1.0 && weighted.terms[2].boost == 1.0);
}

#[test]
fn changes_since_the_index_are_listed() {
    let files = sample();
    let (_dir, overlay) = indexed(&files);
    let hash = |text: &str| xxhash_rust::xxh3::xxh3_128(text.as_bytes());
    let now = [
        ("docs/guide.md", hash(&files["docs/guide.md"])),
        ("src/config.rs", 7),
        ("src/main.rs", hash(&files["src/main.rs"])),
        ("src/new.rs", 8),
    ];
    let changes = overlay.base().changes(now.iter().map(|(path, hash)| (path.as_bytes(), *hash)));
    let changes = changes.expect("a valid index");
    assert_eq!(changes.changed, [&b"src/config.rs"[..], b"src/new.rs"]);
    assert_eq!(changes.removed, [b"src/walk.rs"]);
}
