//! Conventions of files and tests: names of files, where tests are, how they are written.

use std::collections::{BTreeMap, BTreeSet};

use super::observe::Observed;
use super::{Draft, Kind, REFERENCES, Signal, by_top, is_share, name, scope_of, share, shown};
use crate::catalog::test_names::{folded, tested};
use crate::userdata::decisions::{Confidence, Scope, SourceRef};

/// The fewest files that show a convention.
const FILES_MIN: usize = 8;
const TESTS_MIN: usize = 5;

/// Languages without a fixed standard for names of files.
const FREE: &[&str] =
    &["javascript", "flow", "typescript", "tsx", "vue", "svelte", "css", "scss", "php"];

/// Adds the conventions of files and tests.
pub fn find(files: &[Observed], signals: &mut Vec<Signal>) {
    let mut by_language: BTreeMap<&str, Vec<&Observed>> = BTreeMap::new();
    for file in files {
        by_language.entry(file.language).or_default().push(file);
    }
    for (language, all) in by_language {
        by_top(&all, signals, &|some, signals| names(language, some, signals));
        places(language, &all, signals);
        by_top(&all, signals, &|some, signals| styles(language, some, signals));
        apart(language, &all, signals);
    }
}

/// Tests of Rust in directories of their own instead of modules of the tested file.
fn apart(language: &str, files: &[&Observed], signals: &mut Vec<Signal>) {
    if language != "rust" {
        return;
    }
    let tests: Vec<&&Observed> =
        files.iter().filter(|it| it.path.contains("tests/") && it.test_functions_any > 0).collect();
    let code: Vec<&&Observed> = files.iter().filter(|it| !it.is_test).collect();
    let inline = code.iter().filter(|it| it.test_functions_any > 0).count();
    if tests.len() < 20 || !is_share(code.len() - inline, code.len(), 90) {
        return;
    }
    let refs = tests.iter().take(REFERENCES).map(|it| SourceRef::line(&it.path, 1, "has tests"));
    let draft = Draft {
        scope: Scope::Language("rust".to_owned()),
        kind: Kind::Tests,
        pattern: "Write tests in files below `tests/`, not in `mod tests` of the tested file"
            .to_owned(),
        rationale: format!(
            "{} files below `tests/` have tests; {} do.",
            tests.len(),
            share(inline, code.len(), "other files")
        ),
        confidence: Confidence::High,
        source_refs: refs.collect(),
        keywords: &["test", "file", "new"],
    };
    signals.push(draft.signal());
}

/// Returns the style of a name of several words.
fn case_of(stem: &str) -> Option<&'static str> {
    let has_upper = stem.chars().skip(1).any(char::is_uppercase);
    let begins_upper = stem.chars().next().is_some_and(char::is_uppercase);
    let is_letters = |with: char| stem.chars().all(|it| it.is_alphanumeric() || it == with);
    if stem.contains('-') && is_letters('-') && !has_upper && !begins_upper {
        return Some("kebab-case");
    }
    if stem.contains('_') && is_letters('_') && !has_upper && !begins_upper {
        return Some("snake_case");
    }
    let has_lower = stem.chars().any(char::is_lowercase);
    if !is_letters(' ') || stem.contains(' ') || !has_upper || !has_lower {
        return None;
    }
    Some(if begins_upper { "PascalCase" } else { "camelCase" })
}

/// How files of several words are named.
fn names(language: &str, files: &[&Observed], signals: &mut Vec<Signal>) {
    if !FREE.contains(&language) {
        return;
    }
    let code: Vec<&&Observed> = files.iter().filter(|it| !it.is_test).collect();
    let mut by_case: BTreeMap<&str, Vec<&Observed>> = BTreeMap::new();
    for file in code {
        let stem = file.file_name().split('.').next().unwrap_or_default();
        if let Some(case) = case_of(stem) {
            by_case.entry(case).or_default().push(file);
        }
    }
    let total: usize = by_case.values().map(Vec::len).sum();
    let Some((case, with)) = by_case.into_iter().max_by_key(|(_, with)| with.len()) else { return };
    if with.len() < FILES_MIN || !is_share(with.len(), total, 85) {
        return;
    }
    let refs = with.iter().take(REFERENCES).map(|it| SourceRef::line(&it.path, 1, "is named so"));
    let draft = Draft {
        scope: scope_of(with.iter().map(|it| it.path.as_str()), language),
        kind: Kind::Files,
        pattern: format!("Name {} files in {case}", shown(language)),
        rationale: format!(
            "{} are named so.",
            share(with.len(), total, "files whose name has several words")
        ),
        confidence: Confidence::High,
        source_refs: refs.collect(),
        keywords: &["file", "name", "new"],
    };
    // Every listing of the directory shows it.
    signals.push(Signal { proposal: None, ..draft.signal() });
}

/// Where the tests of a file are.
fn places(language: &str, files: &[&Observed], signals: &mut Vec<Signal>) {
    // The language or its tool decides.
    if ["go"].contains(&language) {
        return;
    }
    let tests: Vec<&&Observed> = files.iter().filter(|it| it.is_test).collect();
    let stem = |it: &Observed| {
        folded(it.file_name().rsplit_once('.').map_or(it.file_name(), |(stem, _)| stem))
    };
    let stems: BTreeMap<String, &Observed> =
        files.iter().filter(|it| !it.is_test).map(|it| (stem(it), *it)).collect();
    // By the top directory of the tests: those that are named after a file.
    let mut by_top: BTreeMap<&str, Vec<(&Observed, &Observed)>> = BTreeMap::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for test in tests {
        let top = test.path.split_once('/').map_or("", |(top, _)| top);
        let Some(of) = tested(test.path.as_bytes()) else { continue };
        *counts.entry(top).or_default() += 1;
        if let Some(file) = stems.get(&of) {
            by_top.entry(top).or_default().push((test, file));
        }
    }
    for (top, pairs) in by_top {
        let all = counts.get(top).copied().unwrap_or_default();
        let is_apart = pairs.iter().all(|(test, file)| {
            !file.path.starts_with(&format!("{top}/")) && test.path.starts_with(&format!("{top}/"))
        });
        if pairs.len() < TESTS_MIN || !is_share(pairs.len(), all, 85) || top.is_empty() || !is_apart
        {
            continue;
        }
        // The test of the file with the longest name shows the form best, if it contains the name.
        let shows = |(test, file): &&(&Observed, &Observed)| {
            let stem = file.file_name().split('.').next().unwrap_or_default();
            test.file_name().contains(stem)
        };
        let shown = pairs.iter().filter(shows).max_by_key(|(_, file)| file.file_name().len());
        let Some((test, file)) = shown else { continue };
        let refs = pairs.iter().take(REFERENCES).map(|(test, file)| {
            SourceRef::line(&test.path, 1, format!("tests `{}`", name(&file.path)))
        });
        let draft = Draft {
            scope: scope_of(pairs.iter().map(|it| it.1.path.as_str()), language),
            kind: Kind::Tests,
            pattern: format!(
                "Write the tests of a file below `{}/`, named after it as `{}` after `{}`",
                name(top),
                name(test.file_name()),
                name(file.file_name())
            ),
            rationale: format!(
                "{} below `{}/` are named after a file elsewhere.",
                share(pairs.len(), all, "test files"),
                name(top)
            ),
            confidence: Confidence::High,
            source_refs: refs.collect(),
            keywords: &["test", "file", "new"],
        };
        signals.push(draft.signal());
    }
}

/// Tests as functions or in classes.
fn styles(language: &str, files: &[&Observed], signals: &mut Vec<Signal>) {
    if language != "python" {
        return;
    }
    let tests: Vec<&&Observed> = files.iter().filter(|it| it.is_test).collect();
    let functions: usize = tests.iter().map(|it| it.test_functions).sum();
    let methods: usize = tests.iter().map(|it| it.test_methods).sum();
    let total = functions + methods;
    let (pattern, count, has): (&str, usize, &dyn Fn(&Observed) -> bool) = if functions > methods {
        ("Write tests as functions, not as methods of classes", functions, &|it| {
            it.test_functions > 0
        })
    } else {
        ("Write tests as methods of classes", methods, &|it| it.test_methods > 0)
    };
    let with: Vec<&&&Observed> = tests.iter().filter(|it| has(it)).collect();
    let in_files: BTreeSet<&str> = with.iter().map(|it| it.path.as_str()).collect();
    if count < 50 || in_files.len() < TESTS_MIN || !is_share(count, total, 90) {
        return;
    }
    let refs =
        with.iter().take(REFERENCES).map(|it| SourceRef::line(&it.path, 1, "has such tests"));
    let scope = match scope_of(in_files.iter().copied(), language) {
        Scope::Language(_) => Scope::Language("python".to_owned()),
        other => other,
    };
    let draft = Draft {
        scope,
        kind: Kind::Tests,
        pattern: pattern.to_owned(),
        rationale: format!("{} are written so.", share(count, total, "tests")),
        confidence: Confidence::High,
        source_refs: refs.collect(),
        keywords: &["test", "function", "class", "new"],
    };
    // Every file of tests shows it.
    signals.push(Signal { proposal: None, ..draft.signal() });
}

#[cfg(test)]
mod tests {
    use super::case_of;

    #[test]
    fn names_of_several_words_have_a_case() {
        for (stem, expected) in [
            ("my-file", Some("kebab-case")),
            ("my_file", Some("snake_case")),
            ("myFile", Some("camelCase")),
            ("AxiosError", Some("PascalCase")),
            ("file", None),
            ("README", None),
            ("my-File", None),
        ] {
            assert_eq!(case_of(stem), expected, "{stem}");
        }
    }
}
