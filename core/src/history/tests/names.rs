//! Resolution of files to their present names, and ranking of files by commit subjects.

use super::Edit::{Delete, Move, Write};
use super::*;

#[track_caller]
fn check_commits(history: &History, path: &str, subjects: &[&str]) {
    let found: Vec<&str> = history.commits_to(path.as_bytes()).map(|it| it.subject()).collect();
    assert_eq!(found, subjects, "{path}");
    assert_eq!(history.commits_of(path.as_bytes()), subjects.len());
}

#[test]
fn renames_are_followed() {
    let mut script = Script::default();
    script.then("one", &[Write("a", 1), Write("b", 1)]);
    script.then("two", &[Write("a", 2)]);
    script.then("three", &[Move("a", "lib/a"), Write("b", 2)]);
    script.then("four", &[Move("lib/a", "lib/z")]);
    script.then("five", &[Write("a", 9)]);
    let (_repository, history) = history(&script);
    check_commits(&history, "lib/z", &["four", "three", "two", "one"]);
    check_commits(&history, "a", &["five"]);
    check_commits(&history, "lib/a", &[]);
    check_commits(&history, "b", &["three", "one"]);
    check_commits(&history, "nothing", &[]);
}

#[test]
fn two_files_may_exchange_their_names() {
    let mut script = Script::default();
    script.then("one", &[Write("a", 1)]);
    script.then("two", &[Write("b", 1)]);
    script.then("three", &[Move("a", "c")]);
    script.then("four", &[Move("b", "a"), Write("c", 2)]);
    script.then("five", &[Move("c", "b")]);
    let (_repository, history) = history(&script);
    check_commits(&history, "a", &["four", "two"]);
    check_commits(&history, "b", &["five", "four", "three", "one"]);
}

#[test]
fn a_file_renamed_back_and_forth_is_one_file() {
    let mut script = Script::default();
    script.then("one", &[Write("a", 1)]);
    script.then("two", &[Move("a", "b")]);
    script.then("three", &[Move("b", "a")]);
    let (_repository, history) = history(&script);
    check_commits(&history, "a", &["three", "two", "one"]);
}

#[test]
fn a_branch_may_change_a_file_that_another_renamed() {
    let mut script = Script::default();
    let one = script.then("one", &[Write("a", 1)]);
    let two = script.commit(&[one], "two", &[Move("a", "b")]);
    let three = script.commit(&[one], "three", &[Write("a", 2)]);
    script.commit(&[two, three], "merge", &[]);
    let (_repository, history) = history(&script);
    check_commits(&history, "b", &["three", "two", "one"]);
}

#[test]
fn the_caller_filters_deleted_files() {
    let mut script = Script::default();
    script.then("add the parser", &[Write("old", 1)]);
    script.then("fix the parser", &[Write("old", 2), Write("new", 1)]);
    script.then("remove it", &[Delete("old")]);
    let (_repository, history) = history(&script);
    let query = Query::parse("parser");
    let all = history.rank(&query, &Parameters::DEFAULT, |_| true);
    let paths: Vec<&[u8]> = all.iter().map(|hit| hit.path).collect();
    assert_eq!(paths, [b"old", b"new"]);
    let there = history.rank(&query, &Parameters::DEFAULT, |path| path == b"new");
    assert_eq!(there.len(), 1);
    assert_eq!((there[0].score, there[0].commits), (1.0, 1));
}

#[test]
fn subjects_lead_to_files() {
    let mut script = Script::default();
    script.then("Begin", &[Write("a", 1), Write("b", 1), Write("c", 1), Write("d", 1)]);
    script.then("Parsing of useDeferredValue", &[Write("a", 2)]);
    script.then("Parser: speed", &[Write("a", 3), Write("b", 2), Write("c", 2), Write("d", 2)]);
    script.then("The cache is kept", &[Write("d", 3)]);
    script.commit(&[3, 2], "Merge branch parser", &[]);
    let (_repository, history) = history(&script);
    let rank = |text: &str| {
        let hits = history.rank(&Query::parse(text), &Parameters::DEFAULT, |_| true);
        let hit = |hit: &FileHit<'_>| (String::from_utf8_lossy(hit.path).into_owned(), hit.commits);
        hits.iter().map(hit).collect::<Vec<_>>()
    };
    let named = |hits: &[(&str, usize)]| -> Vec<(String, usize)> {
        hits.iter().map(|(path, commits)| ((*path).to_owned(), *commits)).collect()
    };
    assert_eq!(rank("parses"), named(&[("a", 1)]), "stems");
    assert_eq!(rank("parses parser"), named(&[("a", 2), ("b", 1), ("c", 1), ("d", 1)]));
    assert_eq!(rank("the of"), [], "stop words");
    assert_eq!(rank("caches"), named(&[("d", 1)]));
    assert_eq!(rank("useDeferredValue")[0].0, "a");
    assert_eq!(rank("merge branch"), [], "merges are not asked");
    let commits = history.commits(&Query::parse("parses parser"), &Parameters::DEFAULT);
    let subjects: Vec<&str> = commits.iter().map(|(commit, _)| commit.subject()).collect();
    assert_eq!(subjects, ["Parser: speed", "Parsing of useDeferredValue"], "the shorter first");
    let few = Parameters { commits_max: 1, ..Parameters::DEFAULT };
    assert_eq!(history.rank(&Query::parse("parser"), &few, |_| true).len(), 4);
    let none = Parameters { commits_max: 0, ..Parameters::DEFAULT };
    assert_eq!(history.rank(&Query::parse("parser"), &none, |_| true), []);
}

#[test]
fn older_commits_have_less_weight() {
    let mut script = Script::default();
    script.then("Repair the cache", &[Write("a", 1)]);
    script.then("Repair the cache", &[Write("b", 1)]);
    script.then("Something else", &[Write("c", 1)]);
    // One year between commits.
    for (at, commit) in script.commits.iter_mut().enumerate() {
        commit.time_s = 1_500_000_000 + at as i64 * 31_557_600;
    }
    let (_repository, history) = history(&script);
    let hits = history.rank(&Query::parse("cache"), &Parameters::DEFAULT, |_| true);
    let paths: Vec<&[u8]> = hits.iter().map(|hit| hit.path).collect();
    assert_eq!(paths, [b"b", b"a"]);
    assert!((hits[1].score - 0.5_f64.sqrt()).abs() < 1e-9, "{}", hits[1].score);
    let year = Decay { half_life_s: 31_557_600.0 };
    let recencies = [b"a", b"b", b"c", b"d"].map(|path| history.recency(path, year));
    assert_eq!(recencies, [0.25, 0.5, 1.0, 0.0]);
    let ageless = Parameters { decay: Decay { half_life_s: 0.0 }, ..Parameters::DEFAULT };
    let hits = history.rank(&Query::parse("cache"), &ageless, |_| true);
    assert_eq!((hits[0].path, hits[0].score, hits[1].score), (&b"a"[..], 1.0, 1.0));
}

#[test]
fn files_that_the_newest_commits_changed_are_active() {
    let mut script = Script::default();
    script.then("one", &[Write("old", 1)]);
    for number in 0..60 {
        script.then("more", &[Write("often", number), Write("as often", number)]);
    }
    script.then("new name", &[Move("as often", "renamed")]);
    script.then("last", &[Write("once", 1)]);
    let (_repository, history) = history(&script);
    let active = history.active();
    let paths: Vec<&[u8]> = active.iter().map(|of| of.0).collect();
    assert_eq!(paths, [&b"often"[..], b"once", b"renamed"]);
    let share = |path: &[u8]| active.iter().find(|of| of.0 == path).expect("is active").1;
    assert_eq!(share(b"renamed"), 1.0);
    assert!(share(b"once") < share(b"often") && share(b"often") < 1.0, "{active:?}");
}

#[test]
fn files_change_together() {
    let mut script = Script::default();
    script.then("one", &[Write("a", 1), Write("b", 1)]);
    script.then("two", &[Write("a", 2), Write("b", 2), Write("c", 1)]);
    script.then("three", &[Write("a", 3)]);
    let names: Vec<String> = (0..30).map(|file| format!("f{file}")).collect();
    let many: Vec<Edit<'_>> = names.iter().map(|name| Write(name, 1)).collect();
    script.then("four", &[&many[..], &[Write("a", 4)]].concat());
    let (_repository, history) = history(&script);
    let together: &[(&[u8], f64)] = &[(b"b", 2.0 / 5.0), (b"c", 1.0 / 5.0)];
    assert_eq!(history.changed_with(b"a"), together);
    assert_eq!(history.changed_with(b"f1"), [], "with too many others");
    assert_eq!(history.changed_with(b"nothing"), []);
}

/// Queries of random histories keep their invariants and are deterministic.
#[test]
fn queries_of_random_histories_keep_their_invariants() {
    for seed in 200..206 {
        let commits = random_history(&mut Random::new(seed), 60, false);
        let repository = Repository::of(&commits);
        let log = whole(&repository.root());
        let rank = || {
            let history = History::new(log.clone());
            let query = Query::parse("fix the parser useState größe");
            let hits = history.rank(&query, &Parameters::DEFAULT, |_| true);
            format!("{hits:?}")
        };
        assert_eq!(rank(), rank());
        let history = History::new(log.clone());
        let hits = history.rank(&Query::parse("parser"), &Parameters::DEFAULT, |_| true);
        assert!(hits.first().is_none_or(|hit| hit.score == 1.0));
        assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
        for hit in &hits {
            assert!(hit.commits <= history.commits_of(hit.path), "{hit:?}");
            assert!(history.log().commit(hit.best).subject().contains("parser"));
        }
        let counted: usize = log.commits().map(|commit| commit.changes().len()).sum();
        let paths = commits.iter().flat_map(|commit| commit.tree.keys());
        let paths: std::collections::BTreeSet<&Vec<u8>> = paths.collect();
        let owned: usize = paths.iter().map(|path| history.commits_of(path)).sum();
        assert!(owned <= counted && owned > 0, "{owned} of {counted}");
    }
}
