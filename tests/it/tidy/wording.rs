//! Holds the sources and pages to the field's terms: phrases of the former wording do not come
//! back.

use super::tracked;

/// Words and phrases with a standard term, each followed by that term. They are compared as whole
/// words, ignoring case.
const REPLACED: &[(&str, &str)] = &[
    ("vouch", "guarantee"),
    ("vouches", "guarantees"),
    ("vouched", "guaranteed"),
    ("mend", "fix, repair"),
    ("mends", "fixes, repairs"),
    ("mended", "fixed, repaired"),
    ("heeds", "respects"),
    ("heeded", "respected"),
    ("half known", "partial"),
    ("half remembered", "partial or misspelled"),
    ("who asks", "the caller"),
    ("by hand of", "by"),
    ("is asked about", "is queried"),
    ("knows of", "contains, lists"),
    ("speaks of", "describes"),
    ("speaks for", "is evidence for"),
    ("left behind", "started, remaining"),
    ("leaves behind", "starts, leaves"),
    ("by a fault of its own", "internal error"),
    ("as told", "raw, unfiltered"),
    ("as it was told", "as requested"),
    ("stands once", "occurs once"),
    ("ends so", "has this suffix"),
];

/// Inputs of tests, whose texts are not prose of the project.
const INPUTS: &[&str] = &["core/src/lang/tests/fixtures/", "tests/it/tidy/wording.rs"];

#[test]
fn replaced_phrases_are_not_used() {
    let mut found = Vec::new();
    for file in tracked() {
        let is_prose = [".rs", ".md", ".toml"].iter().any(|end| file.name.ends_with(end));
        if !is_prose || file.is_under(INPUTS) {
            continue;
        }
        for (number, line) in file.text.lines().enumerate() {
            let line = line.to_lowercase();
            let used = REPLACED.iter().filter(|(phrase, _)| contains(&line, phrase));
            found.extend(used.map(|(phrase, term)| {
                format!("{}:{}: `{phrase}`; use: {term}", file.name, number + 1)
            }));
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn phrases_are_compared_as_whole_words() {
    assert!(contains("it was mended.", "mended") && contains("who asks?", "who asks"));
    assert!(!contains("a recommended commend", "mended") && !contains("amend", "mend"));
}

/// Returns true if `line` contains `phrase` between characters that are not part of a word.
fn contains(line: &str, phrase: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(phrase).any(|(start, _)| {
        !line[..start].ends_with(is_word) && !line[start + phrase.len()..].starts_with(is_word)
    })
}
