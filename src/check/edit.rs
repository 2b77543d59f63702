//! How much of an edit is code: lines without comments, documentation, imports and lone brackets.
//!
//! Lines that were only moved, also between files, and lines in which only literals or annotations of
//! types differ are counted apart: they rarely alter behaviour. Unit tests inside of a source file are
//! tests.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::definitions;
use super::sensitive::{self, Topic};
use super::trivial;
use crate::lang::Language;

/// The maximum number of lines of a text that are compared as sequences; of longer ones, moved lines are
/// not known.
const LINES_MAX: usize = 20_000;

/// The maximum number of names of an edit that are kept.
const NAMES_MAX: usize = 50;

/// A changed line of code.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Line {
    /// The hash of its text.
    exact: u64,
    /// The hash of its [`shape`].
    shape: u64,
    /// True if it consists of literals alone.
    is_literal: bool,
}

/// The code that an edit of one file changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edit {
    added: Vec<Line>,
    removed: Vec<Line>,
    /// Lines of unit tests inside of the file.
    pub test_lines: usize,
    /// What its changed lines touch that deserves care.
    pub topics: BTreeSet<Topic>,
    /// Public definitions that are only on the removed side; after [`settle`], those that no file of the
    /// change defines again.
    pub lost: Vec<String>,
    /// Public definitions of the added side.
    defined: Vec<String>,
    /// Lines of code that differ in more than literals.
    pub code: usize,
    /// Lines of code in which only literals or annotations differ.
    pub text: usize,
    /// Lines of code that were moved.
    pub moved: usize,
}

impl Edit {
    /// Compares two texts of a file; an absent side is empty. O(texts) for texts that are nearly equal.
    pub fn of(language: Option<&Language>, old: &str, new: &str) -> Edit {
        let (old, new) = (Parts::of(language, old), Parts::of(language, new));
        let (removed, added) = differing(&old.code, &new.code);
        let name = language.map_or("", |it| it.name);
        let mut made =
            Edit { test_lines: differing_count(&old.tests, &new.tests), ..Edit::default() };
        let is_code = language.is_some_and(Language::is_code);
        let (old_lines, new_lines) = (lines(&removed, is_code), lines(&added, is_code));
        for line in removed.iter().chain(&added) {
            made.topics.extend(sensitive::topics(name, line));
        }
        let public = |lines: &[&str]| -> Vec<String> {
            let names = lines.iter().filter_map(|line| definitions::public(name, line));
            names.take(NAMES_MAX).map(str::to_owned).collect()
        };
        (made.lost, made.defined) = (public(&removed), public(&added));
        (made.removed, made.added) = (old_lines, new_lines);
        made
    }

    /// Returns the size of the edit in lines: a replaced line counts once, moved ones and literals less.
    pub fn size(&self) -> f64 {
        self.code as f64 + 0.3 * self.text as f64 + 0.2 * self.moved as f64
    }
}

/// Finds what was moved between the files of a change, and counts the lines of each edit. O(lines).
pub fn settle(edits: &mut [&mut Edit]) {
    let defined: BTreeSet<String> =
        edits.iter().flat_map(|edit| edit.defined.iter().cloned()).collect();
    let counts = |key: &dyn Fn(&Line) -> u64, edits: &[&mut Edit]| {
        let mut sides: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
        for edit in edits {
            edit.removed.iter().for_each(|line| sides.entry(key(line)).or_default().0 += 1);
            edit.added.iter().for_each(|line| sides.entry(key(line)).or_default().1 += 1);
        }
        // How many lines of either side have a counterpart.
        sides.into_iter().map(|(key, (old, new))| (key, (old.min(new), old.min(new)))).collect()
    };
    let exact: FxHashMap<u64, (usize, usize)> = counts(&|line| line.exact, edits);
    for edit in edits.iter_mut() {
        edit.lost.retain(|name| !defined.contains(name));
    }
    let mut left = exact;
    let mut moved = vec![0; edits.len()];
    for (edit, moved) in edits.iter_mut().zip(&mut moved) {
        *moved += take(&mut edit.removed, |line| line.exact, &mut left, |sides| &mut sides.0);
        take(&mut edit.added, |line| line.exact, &mut left, |sides| &mut sides.1);
    }
    let mut left: FxHashMap<u64, (usize, usize)> = counts(&|line| line.shape, edits);
    for (edit, moved) in edits.iter_mut().zip(moved) {
        edit.moved = moved;
        edit.text = take(&mut edit.removed, |line| line.shape, &mut left, |sides| &mut sides.0);
        take(&mut edit.added, |line| line.shape, &mut left, |sides| &mut sides.1);
        let literals = |lines: &[Line]| lines.iter().filter(|line| line.is_literal).count();
        let literals = (literals(&edit.removed), literals(&edit.added));
        edit.text += literals.0.max(literals.1);
        edit.code = (edit.removed.len() - literals.0).max(edit.added.len() - literals.1);
        (edit.removed, edit.added, edit.defined) = Default::default();
    }
}

/// Removes the lines that have a counterpart, and returns their number.
fn take(
    lines: &mut Vec<Line>,
    key: impl Fn(&Line) -> u64,
    left: &mut FxHashMap<u64, (usize, usize)>,
    side: impl Fn(&mut (usize, usize)) -> &mut usize,
) -> usize {
    let before = lines.len();
    lines.retain(|line| {
        let Some(count) = left.get_mut(&key(line)).map(&side).filter(|count| **count > 0) else {
            return true;
        };
        *count -= 1;
        false
    });
    before - lines.len()
}

/// The lines of code of a text.
struct Parts {
    code: Vec<String>,
    tests: Vec<String>,
}

impl Parts {
    fn of(language: Option<&Language>, text: &str) -> Parts {
        let name = language.map_or("", |it| it.name);
        let code = trivial::code(language, text);
        let (code, tests) = match name {
            "rust" => code.split_at(unit_tests(&code)),
            _ => (code.as_str(), ""),
        };
        Parts { code: significant(name, code), tests: significant(name, tests) }
    }
}

/// Returns where the unit tests of a Rust file begin: by convention they are at its end.
fn unit_tests(code: &str) -> usize {
    code.match_indices("#[cfg(test)]\n")
        .find(|(at, mark)| {
            let next = code[at + mark.len()..].split('\n').next().unwrap_or_default();
            let words: Vec<&str> = next.split_whitespace().collect();
            words.contains(&"mod") && next.ends_with('{')
        })
        .map_or(code.len(), |(at, _)| at)
}

/// The mark at the end of a line in the head of a function of Python that has several lines.
const HEAD: char = '\0';

/// Returns the lines that are neither imports nor lone brackets and keywords.
fn significant(language: &str, code: &str) -> Vec<String> {
    let (mut is_import, mut open_in_head) = (false, 0);
    let mut found = Vec::new();
    for line in code.lines() {
        let line = line.trim();
        let brackets = |set: [char; 3]| line.matches(set).count() as i64;
        let balance = brackets(['(', '[', '{']) - brackets([')', ']', '}']);
        if language == "python" && open_in_head > 0 {
            open_in_head += balance;
            if line.chars().any(char::is_alphanumeric) {
                found.push(format!("{line}{HEAD}"));
            }
            continue;
        }
        if language == "python" && (line.starts_with("def ") || line.starts_with("async def ")) {
            open_in_head = balance;
        }
        if is_import || begins_import(language, line) {
            // A list of names may span several lines.
            let (open, close) =
                (line.matches(['(', '{']).count(), line.matches([')', '}']).count());
            is_import = if is_import { close <= open } else { open > close };
            continue;
        }
        if line.chars().any(char::is_alphanumeric) && !["else", "end", "do", "then"].contains(&line)
        {
            found.push(line.to_owned());
        }
    }
    found
}

fn begins_import(language: &str, line: &str) -> bool {
    let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    match language {
        "python" => starts(&["import ", "from "]) && line.contains("import"),
        "rust" => starts(&["use ", "extern crate "]),
        "go" => starts(&["import ", "import("]),
        "java" | "kotlin" | "scala" | "swift" | "dart" | "haskell" => starts(&["import "]),
        "csharp" => starts(&["using "]) && line.ends_with(';'),
        "javascript" | "typescript" | "tsx" => {
            starts(&["import "])
                || line.contains("= require(") && starts(&["const ", "var ", "let "])
        }
        "c" | "cpp" | "objective-c" => starts(&["#include", "#import"]),
        "ruby" => starts(&["require ", "require_relative "]),
        "php" => starts(&["use "]),
        "elixir" => starts(&["import ", "alias ", "require "]),
        _ => false,
    }
}

/// Returns the lines that only the first and only the second text has, as a comparison of sequences.
fn differing<'t>(old: &'t [String], new: &'t [String]) -> (Vec<&'t str>, Vec<&'t str>) {
    let same = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let tail = old[same..].iter().rev().zip(new[same..].iter().rev());
    let tail = tail.take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[same..old.len() - tail], &new[same..new.len() - tail]);
    let all = |lines: &'t [String]| lines.iter().map(String::as_str).collect::<Vec<_>>();
    if old.is_empty() || new.is_empty() || old.len().max(new.len()) > LINES_MAX {
        return (all(old), all(new));
    }
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for operation in similar::capture_diff_slices(similar::Algorithm::Myers, old, new) {
        let (tag, before, after) = operation.as_tag_tuple();
        if tag != similar::DiffTag::Equal {
            removed.extend(old[before].iter().map(String::as_str));
            added.extend(new[after].iter().map(String::as_str));
        }
    }
    (removed, added)
}

fn differing_count(old: &[String], new: &[String]) -> usize {
    let (removed, added) = differing(old, new);
    removed.len().max(added.len())
}

fn lines(texts: &[&str], is_code: bool) -> Vec<Line> {
    let line = |text: &&str| {
        let shape = shape(text, is_code);
        Line {
            exact: xxh3_64(text.as_bytes()),
            shape: xxh3_64(shape.as_bytes()),
            is_literal: is_code && !shape.chars().any(char::is_alphanumeric),
        }
    };
    texts.iter().map(line).collect()
}

/// Returns a line without what may differ and alter little: of code, what is in quotes and the annotations
/// in the head of a function of Python; of other texts, versions, numbers, hashes and addresses.
fn shape(line: &str, is_code: bool) -> String {
    if !is_code {
        return without_versions(line);
    }
    let quoted = without_literals(line.strip_suffix(HEAD).unwrap_or(line));
    let bare = match line.ends_with(HEAD) {
        true => Some(without_annotation(&quoted)),
        false => without_annotations(&quoted),
    };
    without_spaces(&bare.unwrap_or(quoted))
}

/// Removes spaces beside punctuation, and a semicolon or comma at the end.
fn without_spaces(line: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut chars = line.trim_end_matches([';', ',']).chars().peekable();
    while let Some(c) = chars.next() {
        let is_between = out.chars().next_back().is_some_and(is_word)
            && chars.peek().copied().is_some_and(is_word);
        if c != ' ' || is_between {
            out.push(c);
        }
    }
    out
}

/// Removes the annotation of a parameter of Python on a line of its own.
fn without_annotation(line: &str) -> String {
    let name = line.trim_start_matches('*');
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    if !name[end..].trim_start().starts_with(':') {
        // The end of the head: `) -> a:`.
        let close = line.rfind(')').filter(|_| line.ends_with(':'));
        return close.map_or_else(|| line.to_owned(), |at| format!("{}:", &line[..=at]));
    }
    let default = name.rfind(" = ").map_or("", |at| &name[at..]);
    format!("{}{default}", &line[..line.len() - name.len() + end])
}

fn without_literals(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        out.push(first);
        rest = &rest[first.len_utf8()..];
        if matches!(first, '"' | '\'' | '`') {
            // Rust's lifetimes have no end.
            let end = rest.match_indices(first).find(|(at, _)| !rest[..*at].ends_with('\\'));
            rest = end.map_or(rest, |(at, _)| &rest[at + 1..]);
        }
    }
    out
}

fn without_versions(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(first) = rest.chars().next() {
        let word = rest.len() - rest.trim_start_matches(is_part).len();
        if rest.starts_with("http://") || rest.starts_with("https://") {
            let end = rest.find(|c: char| c.is_whitespace() || "\"'`)>]".contains(c));
            out.push_str("://");
            rest = &rest[end.unwrap_or(rest.len())..];
        } else if word > 0 {
            let (text, after) = rest.split_at(word);
            rest = after;
            if !is_number(text) {
                out.push_str(text);
                continue;
            }
            // `1.2.3-rc.1` is one version.
            out.push('0');
            while let Some(more) = rest.strip_prefix(['.', '-', '+']) {
                let word = more.len() - more.trim_start_matches(is_part).len();
                if word == 0 {
                    break;
                }
                rest = &more[word..];
            }
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

/// Returns true for a number, a part of a version such as `v2`, and a hash.
fn is_number(word: &str) -> bool {
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let is_hash = word.len() >= 7 && has_digit && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let rest = word.strip_prefix('v').unwrap_or(word);
    rest.starts_with(|c: char| c.is_ascii_digit()) || is_hash
}

/// Removes annotations from the head of a function of Python on one line.
fn without_annotations(line: &str) -> Option<String> {
    let rest = line.strip_prefix("async ").unwrap_or(line);
    rest.strip_prefix("def ")?;
    let open = line.find('(')?;
    let mut out = line[..=open].to_owned();
    let (mut depth, mut is_annotation) = (1_usize, false);
    for (at, c) in line[open + 1..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let tail = &line[open + 1 + at + 1..];
            let body = tail.rfind(':')?;
            out.push(')');
            out.push_str(&tail[body..]);
            return Some(out);
        }
        match c {
            ':' if depth == 1 => is_annotation = true,
            ',' | '=' if depth == 1 => is_annotation = false,
            _ => {}
        }
        if !is_annotation && !(c == ' ' && depth == 1) {
            out.push(c);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::language;

    fn edit(path: &str, old: &str, new: &str) -> Edit {
        let language = language::of_path(std::path::Path::new(path));
        let mut made = Edit::of(language, old, new);
        settle(&mut [&mut made]);
        made
    }

    #[track_caller]
    fn check(path: &str, old: &str, new: &str, expected: (usize, usize, usize)) {
        let made = edit(path, old, new);
        assert_eq!((made.code, made.text, made.moved), expected, "{path}: {old:?} → {new:?}");
    }

    #[test]
    fn only_code_counts() {
        check(
            "a.py",
            "def a(\n    b: int = 1,\n) -> None:\n",
            "def a(\n    b: str = 1,\n):\n",
            (0, 1, 0),
        );
        check("a.py", "def a(\n    b: int = 1,\n):\n", "def a(\n    b: int = 2,\n):\n", (1, 0, 0));
        check("a.js", "function a(b) {\n", "function a (b) {\n", (0, 1, 0));
        check("a.py", "x = [\n    'a',\n]\n", "x = [\n    'a',\n    'b',\n]\n", (0, 1, 0));
        check("a.py", "a()\n", "# b\na()\n", (0, 0, 0));
        check("a.py", "a()\n", "import b\nfrom c import (\n    d,\n)\na()\ne()\n", (1, 0, 0));
        check("a.rs", "f();\n", "if x {\n    f();\n}\n", (1, 0, 0));
        check("a.py", "print('a')\n", "print('b')\n", (0, 1, 0));
        check("a.yml", "uses: a/b@v3\n", "uses: a/b@v4\n", (0, 1, 0));
        check("a.yml", "uses: a@0ad4b8f\n", "uses: a@1bd4b8f # v3\n", (0, 1, 0));
        check("a.toml", "a = 1.2.3\n", "a = 2.0\n", (0, 1, 0));
        check("a.py", "def a(b: int, c: str = 'x') -> None:\n", "def a(b, c='x'):\n", (0, 1, 0));
        check("a.py", "def a(b):\n", "def a(b, c):\n", (1, 0, 0));
        check("a.c", "a();\nb();\nc();\n", "b();\nc();\na();\n", (0, 0, 1));
    }

    #[test]
    fn lines_that_another_file_receives_are_moved() {
        let language = language::of_path(std::path::Path::new("a.rs"));
        let text = "pub fn a() {\n    b();\n}\n";
        let (mut from, mut to) = (Edit::of(language, text, ""), Edit::of(language, "", text));
        settle(&mut [&mut from, &mut to]);
        assert_eq!((from.code, from.moved, to.code), (0, 2, 0));
        assert!(from.lost.is_empty(), "{from:?}");
        assert_eq!(edit("a.rs", text, "").lost, ["a"]);
    }

    #[test]
    fn unit_tests_in_a_file_are_tests() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n";
        let made = edit("a.rs", text, &text.replace("b()", "c()"));
        assert_eq!((made.code, made.text, made.test_lines), (0, 0, 1));
    }
}
