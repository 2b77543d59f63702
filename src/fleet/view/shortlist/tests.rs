//! Rules of the shortlist, each with the smallest files that show it.

use super::*;
use crate::error::Result;

/// Returns the words of a task in a fleet of a million files; each is in as many thousands, and then each part
/// of a name.
fn words_in(task: &str, files: &[u64]) -> Words {
    let sampled = |queries: &[Query]| -> Result<Frequencies> {
        assert_eq!(queries.len(), files.len(), "{queries:?}");
        let files = files.iter().map(|thousands| thousands * 1_000).collect();
        Ok(Frequencies { all: 1_000_000, files })
    };
    Words::new(task, sampled).expect("words")
}

fn file(repository: &str, path: &str, lines: &str) -> Fetched {
    Fetched {
        repository: repository.to_owned(),
        path: path.as_bytes().to_vec(),
        content: lines.as_bytes().to_vec(),
        size: 1_000,
        commit: String::new(),
        score: 0.0,
    }
}

fn order(words: &Words, found: &[Fetched]) -> Vec<String> {
    let list = Shortlist::new(words, found);
    let shown = |(repository, path): &(String, Vec<u8>)| {
        format!("{repository}/{}", String::from_utf8_lossy(path))
    };
    list.files.iter().map(shown).collect()
}

fn searched(words: &Words) -> Vec<String> {
    let Query::Or(queries) = words.queries().0 else { panic!("a disjunction") };
    let text = |query| match query {
        Query::Substring { text, is_case_sensitive: false, part: Part::Either } => text,
        query => panic!("{query:?}"),
    };
    queries.into_iter().map(text).collect()
}

#[test]
fn words_are_searched_without_plurals_and_stop_words() {
    let texts: Vec<String> = words("The queries of it: Addresses, statuses, class AND Class io")
        .into_iter()
        .map(|word| word.text)
        .collect();
    assert_eq!(texts, ["queri", "addresse", "statuse", "class"]);
}

#[test]
fn only_the_rarest_words_are_searched() {
    let words = words_in("default limit kernel swappiness quux", &[600, 300, 20, 10, 0]);
    assert_eq!(searched(&words), ["swappiness", "kernel"], "what is in no file is not searched");
    let words = words_in("default limit kernel", &[600, 300, 20]);
    assert_eq!(searched(&words), ["kernel", "limit"], "two whatever their frequency");
    assert_eq!(words.queries().1, Some(of_text("kernel")), "and the rarest alone");
    assert_eq!(words_in("kernel", &[20]).queries().1, None);
}

#[test]
fn a_small_fleet_is_searched_for_all_words() {
    let sampled = |_: &[Query]| -> Result<Frequencies> {
        Ok(Frequencies { all: 1_000, files: vec![600, 300, 20] })
    };
    let words = Words::new("default limit kernel", sampled).expect("words");
    assert_eq!(searched(&words), ["kernel", "limit", "default"]);
}

#[test]
fn names_and_their_parts_have_the_rarity_of_the_fleet() {
    let words = words_in("ViewReloaders cache", &[10, 300, 600, 20]);
    let rarities = words.rarities();
    let of = |stem: &str| rarities[stem];
    assert_eq!(of("cach"), rarity(300_000, 1_000_000) as f32);
    assert_eq!(of("viewreloaders"), rarity(10_000, 1_000_000) as f32);
    assert_eq!(of("view"), rarity(600_000, 1_000_000) as f32);
    assert_eq!(of("reload"), rarity(20_000, 1_000_000) as f32);
}

#[test]
fn a_word_that_is_rare_in_the_fleet_says_more() {
    let words = words_in("default swappiness", &[600, 10]);
    let found =
        [file("r/a", "a.go", "default default default default"), file("r/b", "b.go", "Swappiness")];
    assert_eq!(order(&words, &found), ["r/b/b.go", "r/a/a.go"]);
}

#[test]
fn words_are_compared_by_stems_and_as_wholes() {
    let words = words_in("resolve logs", &[50, 50]);
    let found = [
        file("r/a", "a.go", "dialog catalog resolution"),
        file("r/b", "b.go", "func resolvingLog()"),
    ];
    assert_eq!(order(&words, &found), ["r/b/b.go", "r/a/a.go"]);
}

#[test]
fn neighbours_in_a_name_say_more_than_both_words() {
    let words = words_in("show tray icon", &[100, 100, 100]);
    let found = [
        file("r/a", "a.go", "tray show\nicon"),
        file("r/b", "b.go", "setTrayIcon show"),
        file("r/c", "c.go", "tray show\nicon"),
    ];
    assert_eq!(order(&words, &found)[0], "r/b/b.go");
}

#[test]
fn sources_are_before_tests_copies_and_documents() {
    let words = words_in("swappiness", &[10]);
    let paths = ["vendor/x/a.go", "README.md", "a_test.go", "a.go"];
    let found: Vec<Fetched> = paths.iter().map(|path| file("r/a", path, "swappiness")).collect();
    assert_eq!(order(&words, &found)[0], "r/a/a.go");
}

#[test]
fn files_of_the_best_repository_are_before_others() {
    let words = words_in("kernel swappiness", &[100, 10]);
    let found = [
        file("r/a", "a.go", "kernel kernel"),
        file("r/b", "b.go", "kernel"),
        file("r/b", "swappiness.go", "kernel swappiness"),
    ];
    assert_eq!(order(&words, &found), ["r/b/swappiness.go", "r/b/b.go", "r/a/a.go"]);
    let list = Shortlist::new(&words, &found);
    let prior = |repository, path: &str| list.prior(repository, path.as_bytes());
    assert_eq!(prior("r/b", "swappiness.go"), 1.0);
    assert!(prior("r/b", "b.go") > prior("r/b", "go.mod"));
    assert!(prior("r/b", "go.mod") > prior("r/a", "a.go"));
    assert_eq!(prior("r/c", "c.go"), PRIOR_MIN as f32, "nothing is known of it");
}

#[test]
fn files_with_more_of_the_words_are_first() {
    let words = words_in("alpha beta gamma", &[100, 100, 100]);
    let found = [
        file("r/a", "a.go", &"alpha\nbeta\n".repeat(7)),
        file("r/b", "b.go", "alpha\ngamma\nbeta"),
    ];
    assert_eq!(order(&words, &found), ["r/b/b.go", "r/a/a.go"]);
}

/// Lines with the rarest words do not have the others.
#[test]
fn whole_texts_decide_over_lines() {
    let words = words_in("kernel swappiness", &[100, 10]);
    let (one, two) = (file("r/a", "a.go", "swappiness"), file("r/b", "b.go", "swappiness"));
    let mut list = Shortlist::new(&words, &[one.clone(), two]);
    assert_eq!(list.prior("r/a", b"a.go"), list.prior("r/b", b"b.go"));
    list.refine(&words, &[one, file("r/b", "b.go", "swappiness\nkernel")]);
    assert!(list.prior("r/a", b"a.go") < list.prior("r/b", b"b.go"));
}
