//! How much of an edit is code: lines without comments, documentation, imports and lone brackets.
//!
//! Lines that were only moved, also between files, and lines in which only literals or annotations of
//! types differ are counted apart: they rarely alter behaviour. Unit tests inside of a source file are
//! tests.

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::definitions;
use super::sensitive::{self, Topic};
use super::trivial;
use crate::lang::Language;

/// The product of the numbers of lines up to which two texts are compared as sequences; of longer ones, all
/// lines differ.
const PAIRS_MAX: usize = 40_000_000;

/// The maximum number of names of an edit that are kept.
const NAMES_MAX: usize = 50;

/// A changed line of code.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Line {
    /// The hash of its text.
    exact: u64,
    /// The hash of its text without annotations and spaces.
    plain: u64,
    /// The hash of that without literals.
    shape: u64,
    /// The hash of the words that it loses or gains in the place of the line that it replaces, if it
    /// replaces one.
    words: Option<u64>,
    /// True if it consists of literals alone.
    is_literal: bool,
}

/// From this number of equal replacements of words on, they are mechanical, as a new name is.
const MECHANICAL_MIN: usize = 8;

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
        let found = differing(&old.code, &new.code);
        let name = language.map_or("", |it| it.name);
        let mut made =
            Edit { test_lines: differing_count(&old.tests, &new.tests), ..Edit::default() };
        let is_code = language.is_some_and(Language::is_code);
        for line in found.removed.iter().chain(&found.added) {
            made.topics.extend(sensitive::topics(name, line));
        }
        let public = |lines: &[&str]| -> Vec<String> {
            let names = lines.iter().filter_map(|line| definitions::public(name, line));
            names.take(NAMES_MAX).map(str::to_owned).collect()
        };
        (made.lost, made.defined) = (public(&found.removed), public(&found.added));
        (made.removed, made.added) = lines(&found, is_code);
        made
    }

    /// Returns the size of the edit in lines: a replaced line counts once, moved ones and literals less.
    pub fn size(&self) -> f64 {
        self.code as f64 + 0.3 * self.text as f64 + 0.15 * self.moved as f64
    }
}

/// Finds what was moved between the files of a change, and counts the lines of each edit. O(lines).
pub fn settle(edits: &mut [&mut Edit]) {
    let defined: BTreeSet<String> =
        edits.iter().flat_map(|edit| edit.defined.iter().cloned()).collect();
    for edit in edits.iter_mut() {
        edit.lost.retain(|name| !defined.contains(name));
        edit.defined = Vec::new();
    }
    let moved = paired(edits, |line| line.exact);
    paired(edits, |line| line.plain);
    let text = paired(edits, |line| line.shape);
    let mut replaced: FxHashMap<u64, usize> = FxHashMap::default();
    for line in edits.iter().flat_map(|edit| &edit.added) {
        line.words.into_iter().for_each(|words| *replaced.entry(words).or_default() += 1);
    }
    for ((edit, moved), text) in edits.iter_mut().zip(moved).zip(text) {
        let is_mechanical = |line: &Line| {
            line.words
                .and_then(|words| replaced.get(&words))
                .is_some_and(|count| *count >= MECHANICAL_MIN)
        };
        let is_text = |line: &&Line| line.is_literal || is_mechanical(line);
        let count = |lines: &[Line]| lines.iter().filter(is_text).count();
        let (old, new) = (count(&edit.removed), count(&edit.added));
        edit.moved = moved;
        edit.text = text + old.max(new);
        edit.code = (edit.removed.len() - old).max(edit.added.len() - new);
        (edit.removed, edit.added) = Default::default();
    }
}

/// Removes the lines of both sides that have a counterpart with an equal key on the other side of any
/// file, and returns how many removed lines of each edit have one.
fn paired(edits: &mut [&mut Edit], key: impl Fn(&Line) -> u64) -> Vec<usize> {
    let mut sides: FxHashMap<u64, (usize, usize)> = FxHashMap::default();
    for edit in edits.iter() {
        edit.removed.iter().for_each(|line| sides.entry(key(line)).or_default().0 += 1);
        edit.added.iter().for_each(|line| sides.entry(key(line)).or_default().1 += 1);
    }
    sides.values_mut().for_each(|(old, new)| (*old, *new) = ((*old).min(*new), (*old).min(*new)));
    let mut take = |lines: &mut Vec<Line>, side: fn(&mut (usize, usize)) -> &mut usize| {
        let before = lines.len();
        lines.retain(|line| {
            let left = sides.get_mut(&key(line)).map(side).filter(|left| **left > 0);
            left.map(|left| *left -= 1).is_none()
        });
        before - lines.len()
    };
    edits
        .iter_mut()
        .map(|edit| {
            let count = take(&mut edit.removed, |sides| &mut sides.0);
            take(&mut edit.added, |sides| &mut sides.1);
            count
        })
        .collect()
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
        let tests = if name == "rust" { unit_tests(&code) } else { 0..0 };
        let own = [&code[..tests.start], &code[tests.end..]].map(|code| significant(name, code));
        Parts { code: own.concat(), tests: significant(name, &code[tests]) }
    }
}

/// Returns the module of unit tests of a Rust file: from its mark to the first `}` at the start of a line.
fn unit_tests(code: &str) -> Range<usize> {
    let begin = code.match_indices("#[cfg(test)]\n").find(|(at, mark)| {
        let next = code[at + mark.len()..].split('\n').next().unwrap_or_default();
        let words: Vec<&str> = next.split_whitespace().collect();
        words.contains(&"mod") && next.ends_with('{')
    });
    let Some((at, _)) = begin else { return 0..0 };
    let end = code[at..].find("\n}").map_or(code.len(), |end| at + end + 2);
    at..end
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
        "csharp" => {
            starts(&["using "])
                && !starts(&["using var "])
                && line.ends_with(';')
                && !line.contains('(')
        }
        "javascript" | "typescript" | "tsx" => {
            let required = line.split_once("= require(").and_then(|(_, rest)| rest.split_once(')'));
            let is_required =
                required.is_some_and(|(_, rest)| matches!(rest.trim(), "" | ";" | ","));
            starts(&["import "]) || is_required && starts(&["const ", "var ", "let "])
        }
        "c" | "cpp" | "objective-c" => starts(&["#include", "#import"]),
        "ruby" => starts(&["require ", "require_relative "]),
        "php" => starts(&["use "]),
        "elixir" => starts(&["import ", "alias ", "require "]),
        _ => false,
    }
}

/// The lines that only one of two texts has, as a comparison of sequences.
#[derive(Default)]
struct Differing<'t> {
    removed: Vec<&'t str>,
    added: Vec<&'t str>,
    /// Places in both lists of lines that replace each other.
    pairs: Vec<(usize, usize)>,
}

fn differing<'t>(old: &'t [String], new: &'t [String]) -> Differing<'t> {
    let same = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let tail = old[same..].iter().rev().zip(new[same..].iter().rev());
    let tail = tail.take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[same..old.len() - tail], &new[same..new.len() - tail]);
    let mut made = Differing::default();
    let mut put = |before: &'t [String], after: &'t [String]| {
        if before.len() == after.len() {
            let (removed, added) = (made.removed.len(), made.added.len());
            made.pairs.extend((0..before.len()).map(|at| (removed + at, added + at)));
        }
        made.removed.extend(before.iter().map(String::as_str));
        made.added.extend(after.iter().map(String::as_str));
    };
    if old.is_empty() || new.is_empty() || old.len().saturating_mul(new.len()) > PAIRS_MAX {
        put(old, new);
        return made;
    }
    for operation in similar::capture_diff_slices(similar::Algorithm::Myers, old, new) {
        let (tag, before, after) = operation.as_tag_tuple();
        if tag != similar::DiffTag::Equal {
            put(&old[before], &new[after]);
        }
    }
    made
}

fn differing_count(old: &[String], new: &[String]) -> usize {
    let found = differing(old, new);
    found.removed.len().max(found.added.len())
}

fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

/// Returns the removed and the added lines.
fn lines(found: &Differing<'_>, is_code: bool) -> (Vec<Line>, Vec<Line>) {
    let line = |text: &&str| {
        let plain = plain(text, is_code);
        let shape = shape(&plain, is_code);
        Line {
            exact: hash(text),
            plain: hash(&plain),
            shape: hash(&shape),
            words: None,
            is_literal: is_code && !shape.chars().any(char::is_alphanumeric),
        }
    };
    let mut removed: Vec<Line> = found.removed.iter().map(line).collect();
    let mut added: Vec<Line> = found.added.iter().map(line).collect();
    for &(old, new) in found.pairs.iter().filter(|_| is_code) {
        let words = replaced(found.removed[old], found.added[new]).map(|words| hash(&words));
        (removed[old].words, added[new].words) = (words, words);
    }
    (removed, added)
}

/// Longer lines are those of programs, whose words are not compared.
const LINE_MAX: usize = 1_000;

/// Returns the words that only one of two lines has; `None` if there are none, as where an operator differs, and
/// for long lines.
fn replaced(old: &str, new: &str) -> Option<String> {
    if old.len().max(new.len()) > LINE_MAX {
        return None;
    }
    let words = |line: &str| -> Vec<String> {
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        let mut words: Vec<String> =
            words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
        words.sort_unstable();
        words
    };
    let (mut old, mut new) = (words(old), words(new));
    old.retain(|word| match new.iter().position(|other| other == word) {
        Some(at) => {
            new.remove(at);
            false
        }
        None => true,
    });
    (!old.is_empty() || !new.is_empty()).then(|| format!("{} {}", old.join(","), new.join(",")))
}

/// Returns a line without annotations in the head of a function of Python, and without spaces that have
/// no meaning.
fn plain(line: &str, is_code: bool) -> String {
    if !is_code || line.starts_with(trivial::IN_STRING) {
        return line.to_owned();
    }
    let bare = match line.strip_suffix(HEAD) {
        Some(line) => Some(without_annotation(line)),
        None => without_annotations(line),
    };
    without_spaces(&bare.unwrap_or_else(|| line.to_owned()))
}

/// Returns a line without what may differ and alter little: of code, what is in quotes; of other texts,
/// versions, numbers, hashes and addresses.
fn shape(line: &str, is_code: bool) -> String {
    match is_code {
        // A template may be another program.
        true if line.starts_with(trivial::IN_STRING) => line.to_owned(),
        true => without_literals(line),
        false => without_versions(line),
    }
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
        if !(is_annotation || c == ' ' && depth == 1) {
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
        check("a.js", "function a(b) {\n", "function a (b) {\n", (0, 0, 0));
        check("a.go", "x = `\nimport (\n`\n", "x = `\nimport (\n\"a\"\n)\n`\n", (1, 0, 0));
        check("a.py", "x = [\n    'a',\n]\n", "x = [\n    'a',\n    'b',\n]\n", (0, 1, 0));
        check("a.py", "a()\n", "# b\na()\n", (0, 0, 0));
        check("a.py", "a()\n", "import b\nfrom c import (\n    d,\n)\na()\ne()\n", (1, 0, 0));
        check("a.rs", "f();\n", "if x {\n    f();\n}\n", (1, 0, 0));
        check("a.py", "print('a')\n", "print('b')\n", (0, 1, 0));
        check("a.yml", "uses: a/b@v3\n", "uses: a/b@v4\n", (0, 1, 0));
        check("a.yml", "uses: a@0ad4b8f\n", "uses: a@1bd4b8f # v3\n", (0, 1, 0));
        check("a.toml", "a = 1.2.3\n", "a = 2.0\n", (0, 1, 0));
        check("a.py", "def a(b: int, c: str = 'x') -> None:\n", "def a(b, c='x'):\n", (0, 0, 0));
        let calls = |name: &str| (0..9).map(|at| format!("x{at}.{name}();\n")).collect::<String>();
        check("a.c", &calls("a"), &calls("b"), (0, 9, 0));
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
    fn operators_calls_and_code_behind_unit_tests_count() {
        let flips: String = (0..9).map(|at| format!("x{at} = a < b\n")).collect();
        assert_eq!(edit("a.py", &flips, &flips.replace('<', ">")).code, 9);
        let old = "const x = require('a');\nconst y = require('b').run(1);\n";
        assert_eq!(edit("a.js", old, &old.replace("'b'", "'c'").replace("'a'", "'d'")).size(), 0.3);
        let old = "using System;\nusing var f = Open(path);\n";
        assert_eq!(edit("a.cs", old, &old.replace("path", "other")).code, 1);
        let old = "#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n\nfn a() { one(); }\n";
        let made = edit("a.rs", old, &old.replace("one", "two"));
        assert_eq!(made.code, 1);
    }

    #[test]
    fn unit_tests_in_a_file_are_tests() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n";
        let made = edit("a.rs", text, &text.replace("b()", "c()"));
        assert_eq!((made.code, made.text, made.test_lines), (0, 0, 1));
    }
}
