//! What pytest collects: the patterns and options of its configuration files.
//!
//! The nearest configuration at or above a file counts. Options that are given elsewhere, as in a
//! workflow, are not known.

use std::sync::Arc;

use crate::base::ids::FileId;

/// Files in which pytest looks for its configuration, in its order, with the start of a section that
/// makes them one.
pub(super) const CONFIGURATIONS: [(&str, &str); 7] = [
    ("pytest.toml", ""),
    (".pytest.toml", ""),
    ("pytest.ini", ""),
    (".pytest.ini", ""),
    ("pyproject.toml", "[tool.pytest"),
    ("tox.ini", "[pytest]"),
    ("setup.cfg", "[tool:pytest]"),
];

/// The maximum number of configurations that are read.
const CONFIGURATIONS_MAX: usize = 200;

/// The maximum number of texts with examples.
const DOCUMENTS_MAX: usize = 2_000;

/// What one configuration collects.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Collected {
    /// Patterns of the names of modules.
    files: Vec<String>,
    /// Starts or patterns of the names of functions and methods.
    functions: Vec<String>,
    /// Starts or patterns of the names of classes.
    classes: Vec<String>,
    /// Examples in the documentation of modules are tests.
    pub has_examples: bool,
    /// Patterns of the names of texts whose examples are tests.
    documents: Vec<String>,
}

impl Default for Collected {
    fn default() -> Collected {
        let list = |patterns: &[&str]| patterns.iter().map(|of| (*of).to_owned()).collect();
        Collected {
            files: Vec::new(),
            functions: list(&["test"]),
            classes: list(&["Test"]),
            has_examples: false,
            documents: list(&["test*.txt"]),
        }
    }
}

impl Collected {
    /// Returns true if the configuration names modules like the one at a path as tests.
    pub fn has_module(&self, path: &str) -> bool {
        path.ends_with(".py") && self.files.iter().any(|pattern| is_path(pattern, path))
    }

    /// Returns true if a function or method with that name is a test.
    pub fn has_function(&self, name: &str) -> bool {
        self.functions.iter().any(|pattern| is_name(pattern, name))
    }

    /// Returns true if a class with that name contains tests.
    pub fn has_class(&self, name: &str) -> bool {
        self.classes.iter().any(|pattern| is_name(pattern, name))
    }

    /// Returns true if the examples of the text at a path are a test.
    pub fn has_document(&self, path: &str) -> bool {
        !path.ends_with(".py") && self.documents.iter().any(|pattern| is_path(pattern, path))
    }

    /// Returns what the text of a configuration file collects; `None` if it has no section for pytest.
    fn read(name: &str, text: &str) -> Option<Collected> {
        let values =
            if name.ends_with(".toml") { of_toml(name, text)? } else { of_ini(name, text)? };
        let mut found = Collected::default();
        values.into_iter().for_each(|(key, words)| found.set(&key, words));
        Some(found)
    }

    fn set(&mut self, key: &str, words: Vec<String>) {
        match key {
            "python_files" => self.files = words,
            "python_functions" => self.functions = words,
            "python_classes" => self.classes = words,
            "doctest_plus" => self.has_examples |= !words.is_empty(),
            "addopts" => self.add_options(&words),
            _ => {}
        }
    }

    fn add_options(&mut self, words: &[String]) {
        for (at, word) in words.iter().enumerate() {
            match word.as_str() {
                "--doctest-modules" | "--doctest-plus" | "--xdoctest" => self.has_examples = true,
                "--doctest-rst" => self.documents.push("*.rst".to_owned()),
                "--doctest-glob" => self.documents.extend(words.get(at + 1).cloned()),
                "-o" | "--override-ini" => {
                    if let Some((key, value)) = words.get(at + 1).and_then(|of| of.split_once('='))
                    {
                        self.set(key, vec![value.to_owned()]);
                    }
                }
                _ => {
                    let pattern = word.strip_prefix("--doctest-glob=");
                    self.documents.extend(pattern.map(str::to_owned));
                }
            }
        }
    }
}

/// The configurations of a tree.
#[derive(Debug, Default)]
pub struct Configured {
    /// By directory, the deepest first.
    by_folder: Vec<(String, Arc<Collected>)>,
    usual: Arc<Collected>,
    /// The texts whose examples may be tests.
    documents: Vec<FileId>,
}

impl Configured {
    /// Returns the configurations among `files` files. `path` returns the path of one, `read` the text of the
    /// file at a path. O(files).
    pub fn new(
        files: usize,
        path: &dyn Fn(FileId) -> String,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> Configured {
        let all = || (0..files).map(FileId::new);
        let mut found: Vec<(String, usize, Arc<Collected>)> = Vec::new();
        for file in all() {
            let path = &*path(file);
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let order = CONFIGURATIONS.iter().position(|(of, _)| *of == name);
            let Some(order) = order.filter(|_| found.len() < CONFIGURATIONS_MAX) else { continue };
            let collected = read(path).and_then(|text| Collected::read(name, &text));
            found.extend(collected.map(|of| (folder.to_owned(), order, Arc::new(of))));
        }
        found.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.0.cmp(&b.0)).then(a.1.cmp(&b.1)));
        found.dedup_by(|later, first| later.0 == first.0);
        let by_folder = found.into_iter().map(|(folder, _, of)| (folder, of)).collect();
        let mut configured = Configured { by_folder, ..Configured::default() };
        let is_document = |file: &FileId| {
            let path = path(*file);
            configured.of(&path).has_document(&path)
        };
        configured.documents = all().filter(is_document).take(DOCUMENTS_MAX).collect();
        configured
    }

    /// Returns what the nearest configuration of a path collects. O(configurations).
    pub fn of(&self, path: &str) -> &Arc<Collected> {
        let is_above = |folder: &str| {
            folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
        };
        let nearest = self.by_folder.iter().find(|(folder, _)| is_above(folder));
        nearest.map_or(&self.usual, |(_, collected)| collected)
    }

    /// Returns the texts whose examples may be tests, in path order; at most 2,000.
    pub fn documents(&self) -> &[FileId] {
        &self.documents
    }

    /// Returns true if some examples in documentation may be tests.
    pub fn has_examples(&self) -> bool {
        !self.documents.is_empty() || self.by_folder.iter().any(|(_, of)| of.has_examples)
    }
}

/// Returns true if a pattern matches the name of a file, or its path if the pattern has a `/`.
fn is_path(pattern: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if pattern.contains('/') {
        return is_match(&format!("*{}", pattern.trim_start_matches("./")), &format!("/{path}"));
    }
    is_match(pattern, name)
}

/// Returns true if a name starts with a text, or matches it as a pattern.
fn is_name(pattern: &str, name: &str) -> bool {
    name.starts_with(pattern) || pattern.contains(['*', '?', '[']) && is_match(pattern, name)
}

/// Returns true if a pattern with `*`, `?` and `[…]` matches all of a text. O(pattern × text).
fn is_match(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    // Where to go on if what follows the last `*` does not match.
    let mut back: Option<(usize, usize)> = None;
    let (mut at, mut place) = (0, 0);
    loop {
        if pattern.get(at) == Some(&'*') {
            at += 1;
            back = Some((at, place));
            continue;
        }
        if place == text.len() {
            return at == pattern.len();
        }
        if let Some(len) = matches_one(&pattern[at..], text[place]) {
            (at, place) = (at + len, place + 1);
        } else if let Some((star, from)) = back {
            back = Some((star, from + 1));
            (at, place) = (star, from + 1);
        } else {
            return false;
        }
    }
}

/// Returns the length of the first part of a pattern if it matches a character.
fn matches_one(pattern: &[char], c: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['[', rest @ ..] => {
            let negated = usize::from(rest.first() == Some(&'!'));
            let close = negated + rest.get(negated + 1..)?.iter().position(|of| *of == ']')? + 1;
            let set = &rest[negated..close];
            let in_range = |of: &[char]| of[1] == '-' && (of[0]..=of[2]).contains(&c);
            let is_in = set.contains(&c) || set.windows(3).any(in_range);
            (is_in == (negated == 0)).then_some(close + 2)
        }
        [first, ..] => (*first == c).then_some(1),
        [] => None,
    }
}

/// Returns the settings in a file of TOML, each with its words.
fn of_toml(name: &str, text: &str) -> Option<Vec<(String, Vec<String>)>> {
    let table: toml::Table = text.parse().ok()?;
    let settings = if name.ends_with("pytest.toml") {
        table.get("pytest")?
    } else {
        let own = table.get("tool")?.get("pytest")?;
        own.get("ini_options").unwrap_or(own)
    };
    let words = |value: &toml::Value| match value {
        toml::Value::String(text) => words_of(text),
        toml::Value::Array(list) => {
            list.iter().filter_map(|of| Some(of.as_str()?.to_owned())).collect()
        }
        _ => Vec::new(),
    };
    Some(settings.as_table()?.iter().map(|(key, value)| (key.clone(), words(value))).collect())
}

/// Returns the settings in the section of a file like `pytest.ini`, each with its words.
fn of_ini(name: &str, text: &str) -> Option<Vec<(String, Vec<String>)>> {
    let wanted = if name == "setup.cfg" { "[tool:pytest]" } else { "[pytest]" };
    let is_whole = name.ends_with("pytest.ini");
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let (mut is_inside, mut is_any) = (false, is_whole);
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with(['#', ';']) || trimmed.is_empty() {
            continue;
        }
        if line.starts_with('[') {
            is_inside = trimmed == wanted;
            is_any |= is_inside;
            continue;
        }
        if !is_inside {
            continue;
        }
        if line.starts_with([' ', '\t']) {
            if let Some((_, words)) = found.last_mut() {
                words.extend(words_of(trimmed));
            }
        } else if let Some((key, value)) = trimmed.split_once(['=', ':']) {
            found.push((key.trim().to_owned(), words_of(value)));
        }
    }
    is_any.then_some(found)
}

/// Returns the words of a text without the quotes around them.
fn words_of(text: &str) -> Vec<String> {
    let bare = |word: &str| word.replace(['"', '\''], "");
    text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configured(files: &[(&str, &str)]) -> Configured {
        let read = |path: &str| {
            let file = files.iter().find(|(of, _)| *of == path);
            file.map(|(_, text)| (*text).to_owned())
        };
        Configured::new(files.len(), &|file| files[file.index()].0.to_owned(), &read)
    }

    #[test]
    fn the_nearest_configuration_counts() {
        let all = configured(&[
            ("pyproject.toml", "[tool.pytest.ini_options]\npython_files = 'check_*.py'\n"),
            ("web/setup.cfg", "[tool:pytest]\npython_files =\n  case_*.py\n  spec/*.py\n"),
            ("web/tox.ini", "[tox]\nenvlist = py\n"),
            ("api/pytest.ini", ""),
        ]);
        for (path, expected) in [
            ("check_a.py", true),
            ("lib/check_a.py", true),
            ("lib/check_a.txt", false),
            ("lib/case_a.py", false),
            ("web/check_a.py", false),
            ("web/x/case_a.py", true),
            ("web/spec/a.py", true),
            ("api/check_a.py", false),
        ] {
            assert_eq!(all.of(path).has_module(path), expected, "{path}");
        }
    }

    #[test]
    fn names_and_options_are_read() {
        let all = configured(&[(
            "tox.ini",
            "[pytest]\n; words\npython_functions = should test_\n  *_works\npython_classes = *Suite\n\
             addopts = -q --doctest-modules\n  --doctest-glob='*.md' --doctest-glob docs/*.rst\n  \
             -o python_files=case_*.py\n",
        )]);
        let of = all.of("a/b.py");
        assert!(of.has_module("a/case_b.py"));
        assert!(of.has_function("should_hold") && of.has_function("it_works"));
        assert!(!of.has_function("tests") && of.has_class("ASuite") && !of.has_class("TestA"));
        assert!(of.has_examples && all.has_examples());
        assert!(is_match("[a-c]?*.p[!z]", "box.py") && !is_match("[a-c]?.py", "dox.py"));
        assert!(of.has_document("a/x.md") && of.has_document("docs/x.rst"));
        assert!(of.has_document("a/test_x.txt") && !of.has_document("a/x.rst"));
        let usual = configured(&[("setup.cfg", "[metadata]\nname = a\n")]);
        let of = usual.of("a.py");
        assert!(of.has_function("test_a") && of.has_class("TestA") && !of.has_examples);
        assert!(!usual.has_examples() && !of.has_module("test_a.py"));
    }
}
