//! Tests of the order of hits for typical queries, and of unusual input.

use super::*;

const PATHS: &[&str] = &[
    "README.md",
    "docs/hooks.md",
    "node_modules/react/index.js",
    "packages/react/index.js",
    "packages/react/src/ReactHooks.js",
    "packages/react/src/__tests__/ReactHooks-test.js",
    "packages/react-dom/src/client/ReactDOMClient.js",
    "packages/react-dom/src/client/ReactDOMRoot.js",
    "packages/react-dom/src/server/ReactDOMServer.js",
    "packages/react-reconciler/src/ReactFiberHooks.js",
    "packages/react-reconciler/src/ReactFiberWorkLoop.js",
    "packages/shared/objectIs.js",
    "scripts/rollup/build.js",
    "src/http_server_config.rs",
];

fn index(paths: &[&str]) -> PathIndex {
    assert!(paths.is_sorted_by(|a, b| path::compare(a.as_bytes(), b.as_bytes()).is_lt()));
    PathIndex::new(paths.iter().map(|path| (path.as_bytes(), 0)))
}

#[track_caller]
fn check(query: &str, expected: &str) {
    let hits = index(PATHS).find(query.as_bytes(), 3);
    let found: Vec<&str> = hits.best.iter().map(|hit| PATHS[hit.at]).collect();
    assert_eq!(found.first(), Some(&expected), "{query}: {found:?}");
}

#[test]
fn names_and_their_parts_are_found() {
    check("readme", "README.md");
    check("ReactHooks.js", "packages/react/src/ReactHooks.js");
    check("reacthooks", "packages/react/src/ReactHooks.js");
    check("workloop", "packages/react-reconciler/src/ReactFiberWorkLoop.js");
    check("objis", "packages/shared/objectIs.js");
    check("config", "src/http_server_config.rs");
}

#[test]
fn initials_are_found() {
    check("rdc", "packages/react-dom/src/client/ReactDOMClient.js");
    check("rfwl", "packages/react-reconciler/src/ReactFiberWorkLoop.js");
    check("hsc", "src/http_server_config.rs");
    check("RDomServ", "packages/react-dom/src/server/ReactDOMServer.js");
}

#[test]
fn parts_of_paths_are_found() {
    check("rollup/build", "scripts/rollup/build.js");
    check("rollupbuild", "scripts/rollup/build.js");
    check("reconciler hooks", "packages/react-reconciler/src/ReactFiberHooks.js");
    check("client root", "packages/react-dom/src/client/ReactDOMRoot.js");
    check("./scripts/rollup/build.js", "scripts/rollup/build.js");
    check("react/index.js", "packages/react/index.js");
}

#[test]
fn typing_errors_are_tolerated() {
    check("raedme", "README.md");
    check("ReactFiberWrokLoop", "packages/react-reconciler/src/ReactFiberWorkLoop.js");
    check("objctIs", "packages/shared/objectIs.js");
    check("htpp_server", "src/http_server_config.rs");
    check("rollup/biuld", "scripts/rollup/build.js");
}

#[test]
fn vendored_code_ranks_last_but_is_found() {
    let hits = index(PATHS).find(b"index.js", 10);
    let found: Vec<&str> = hits.best.iter().map(|hit| PATHS[hit.at]).collect();
    let expected = ["packages/react/index.js", "node_modules/react/index.js"];
    assert_eq!(found[..2], expected);
}

#[test]
fn the_newest_wins_among_equals() {
    let paths: [&[u8]; 3] = [b"a/mod.rs", b"b/mod.rs", b"c/mod.rs"];
    let index = PathIndex::new(paths.into_iter().zip([1, 3, 1]));
    let places = |query: &str| -> Vec<usize> {
        index.find(query.as_bytes(), 9).best.iter().map(|hit| hit.at).collect()
    };
    assert_eq!(places("mod"), [1, 0, 2]);
    assert_eq!(places(""), [1, 0, 2]);
}

#[test]
fn totals_include_hits_beyond_the_limit() {
    let hits = index(PATHS).find(b"react", 2);
    assert_eq!(hits.best.len(), 2);
    assert_eq!(
        hits.total,
        PATHS.iter().filter(|path| path.to_lowercase().contains("react")).count()
    );
    assert_eq!(index(PATHS).find(b"qqqq", 9), Hits::default());
    assert_eq!(index(&[]).find(b"a", 9), Hits::default());
    assert_eq!(index(PATHS).find(b"a", 0).best, []);
}

#[test]
fn results_do_not_depend_on_threads() {
    let paths: Vec<String> =
        (0..PARALLEL_FILES_MIN + 9).map(|at| format!("d{}/file_{at}.rs", at % 97)).collect();
    let mut sorted: Vec<&[u8]> = paths.iter().map(|path| path.as_bytes()).collect();
    sorted.sort_by(|a, b| path::compare(a, b));
    let index = PathIndex::new(sorted.iter().map(|path| (*path, 0)));
    let hits = index.find(b"file_777", 5);
    assert_eq!(sorted[hits.best[0].at], b"d1/file_777.rs");
    assert_eq!(hits, index.find(b"file_777", 5));
}

#[test]
fn any_bytes_are_accepted() {
    let paths: [&[u8]; 4] = [b"\xFF", b"a/\xC3\xA9.rs", b"a/\xE6\x97\xA5", b"b"];
    let index = PathIndex::new(paths.into_iter().map(|path| (path, 0)));
    assert_eq!(index.find("é".as_bytes(), 9).best[0].at, 1);
    for query in [&b"/"[..], b"//", b" ", b"\xFF/\xFE", &[b'a'; 999], b"a/", b"/a", b"a//b"] {
        index.find(query, 3);
    }
}

#[test]
fn names_with_empty_components_are_found() {
    // Headings and routes are names of definitions, too.
    let mut names =
        ["/", "//", "/api/carts", "/api//items", "api//items", "api/items", "carts", "a/", "/api"];
    names.sort_by(|a, b| path::compare(a.as_bytes(), b.as_bytes()));
    let index = PathIndex::new(names.iter().map(|name| (name.as_bytes(), 0)));
    for target in ["/api/carts", "api/items", "carts"] {
        let hits = index.find(target.as_bytes(), 9);
        assert!(hits.best.iter().any(|hit| names[hit.at] == target), "{target}");
    }
    // The order of the input does not matter.
    names.reverse();
    assert_eq!(
        PathIndex::new(names.iter().map(|name| (name.as_bytes(), 0))).find(b"", 99).total,
        9
    );
}

/// Returns true if `word` is a subsequence of `path`.
fn has_in_order(word: &str, path: &str) -> bool {
    let mut letters = path.chars();
    word.chars().all(|target| letters.any(|letter| letter == target))
}

proptest::proptest! {
    /// The prefilters by letters never skip a path that matches.
    #[test]
    fn a_path_matches_if_it_contains_the_letters_in_order(
        paths in proptest::collection::btree_set("[a-d]{1,3}(/[a-d]{1,5}){0,2}/[a-d.]{1,12}", 1..40),
        word in "[a-d]{1,9}",
    ) {
        let mut paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        paths.sort_by(|a, b| path::compare(a.as_bytes(), b.as_bytes()));
        let fitting = paths.iter().filter(|path| has_in_order(&word, path)).count();
        let words = [Word::new(word.as_bytes())];
        let index = index(&paths);
        let reached = [index.reached(&words[0])];
        let look = |typos| index.look(&words, &reached, typos, 99);
        proptest::prop_assert_eq!(look(Typos::Counted).total, fitting);
        // With typing errors, the letters decide nothing that the scores do not.
        let score = |at| index.score(&words, &reached, at, Typos::Forgiven, i32::MIN);
        let scored = (0..paths.len()).filter(|&at| score(at).is_some()).count();
        proptest::prop_assert_eq!(look(Typos::Forgiven).total, scored);
    }
}

#[test]
fn names_that_are_not_kept_are_ranked_like_indexed_ones() {
    let parts = ["get", "set", "user", "User", "_", "name", "NAME", "x", "1", "list", "of", "a/b"];
    let mut names: Vec<Vec<u8>> = Vec::new();
    for at in 0..4000_usize {
        let of = |shift: usize| parts[((at * 31) >> shift) % parts.len()].as_bytes();
        names.push([of(0), of(3), of(6), of(10)].concat());
    }
    names.sort_by(|a, b| path::compare(a, b));
    names.dedup();
    let index = PathIndex::new(names.iter().map(|name| (name.as_slice(), 0)));
    let queries = [
        "getuser",
        "usernam",
        "gte",
        "ustr_name",
        "zzz",
        "list of",
        "b",
        "a/b",
        "a/get",
        "",
        "NAMEx1",
    ];
    for query in queries {
        for max in [0, 1, 7, 100] {
            let each = |fits: &(dyn Fn(&[u8]) -> bool + Sync)| {
                let held = names.iter().filter(|name| fits(name)).cloned();
                Ok::<Vec<Vec<u8>>, ()>(held.collect())
            };
            let (best, total) = find_among(query.as_bytes(), max, each).expect("no error");
            let hits = index.find(query.as_bytes(), max);
            let indexed: Vec<Vec<u8>> = hits.best.iter().map(|hit| names[hit.at].clone()).collect();
            assert_eq!((best, total), (indexed, hits.total), "{query}, {max}");
        }
    }
}

#[test]
fn without_words_the_newest_files_are_found() {
    let paths: Vec<String> = (0..700).map(|at| format!("dir{:02}/f{at:03}.rs", at / 20)).collect();
    let modified = |at: usize| (at * 7919 % 101) as i64;
    let files = paths.iter().enumerate().map(|(at, path)| (path.as_bytes(), modified(at)));
    let index = PathIndex::new(files);
    let mut newest: Vec<usize> = (0..paths.len()).collect();
    newest.sort_by_key(|&at| (Reverse(modified(at)), at));
    for max in [0, 1, 10, NEWEST_MAX, NEWEST_MAX + 1, 1000] {
        for query in ["", "  "] {
            let hits = index.find(query.as_bytes(), max);
            let best: Vec<usize> = hits.best.iter().map(|hit| hit.at).collect();
            assert_eq!(best, newest[..max.min(paths.len())], "{max}");
            assert_eq!(hits.total, paths.len());
        }
    }
}
