//! Where the tree has a text: a flag, route, key or message.

use super::super::search::{self, Region, Search};
use super::super::{Call, Define};
use crate::answer::texts;
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::{Code as _, SymbolAt};
use crate::graph::trace::{self as flow, AtPlace, FILE};
use crate::lang::SymbolKind;

/// The maximum number of places of a text from which a chain may begin.
pub(super) const PLACES_MAX: usize = 12;

/// The maximum number of words of a message that are looked for.
const WORDS_MAX: usize = 40;

/// The number of words of a message that a line must have in a row to be looked at.
const RUN: usize = 3;

/// The least part of a message, in words and bytes, that is searched instead of it.
const RUN_BYTES_MIN: usize = 12;

/// The number of files that are searched for a part of a message.
const PART_FILES_MAX: usize = 200;

/// A place of a text.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) path: String,
    /// The line, from 1, and its text.
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) at: AtPlace,
    /// It is in a test.
    pub(super) is_test: bool,
}

/// The places of a text, and what was searched for.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    /// Sources before benches, examples and scripts, and these before tests.
    pub(super) found: Vec<Source>,
    /// The texts and names by which they were found, if others than what was given.
    pub(super) by: Vec<String>,
    /// What was tried.
    pub(super) tried: Vec<String>,
}

/// A text by which code may name something.
struct Query {
    text: String,
    part: Option<Region>,
}

/// Returns the places of a text, or of a part of it if the whole is nowhere.
pub(super) fn of(call: &Call<'_>, given: &str) -> Result<Sources> {
    let mut sources = Sources::default();
    if let Some(bare) = flag(given) {
        of_flag(call, given, bare, &mut sources)?;
    } else {
        for query in queries(given) {
            if !sources.found.is_empty() {
                break;
            }
            sources.search(call, given, query)?;
        }
    }
    if sources.found.is_empty()
        && let Some(part) = longest_part(call, given)?
    {
        for region in [Some(Region::String), None] {
            if sources.found.is_empty() {
                sources.search(call, given, Query { text: part.clone(), part: region })?;
            }
        }
    }
    let is_flag = flag(given).is_some();
    let rank = |of: &Source| {
        let is_mention = is_flag && !defines_flag(&of.text, given);
        (of.is_test, is_aside(of.path.as_bytes()), is_mention)
    };
    sources.found.sort_by_key(rank);
    sources.found.truncate(PLACES_MAX);
    Ok(sources)
}

/// Finds the places of a flag: where it is defined, mostly without its dashes, then where it is mentioned.
fn of_flag(call: &Call<'_>, given: &str, bare: &str, sources: &mut Sources) -> Result<()> {
    for quote in ['"', '\''] {
        sources.search(call, given, Query { text: format!("{quote}{bare}{quote}"), part: None })?;
    }
    let has_source = |sources: &Sources| sources.found.iter().any(|of| !of.is_test);
    if !has_source(sources) {
        // The names that libraries derive flags from.
        for name in spellings(bare) {
            sources.add_defined(call, &name)?;
        }
    }
    let mentioned = Query { text: given.to_owned(), part: Some(Region::String) };
    sources.search(call, given, mentioned)?;
    for text in [bare, given] {
        for part in [Some(Region::String), None] {
            if !has_source(sources) {
                sources.search(call, given, Query { text: text.to_owned(), part })?;
            }
        }
    }
    Ok(())
}

impl Sources {
    /// Adds the places of a text.
    fn search(&mut self, call: &Call<'_>, given: &str, query: Query) -> Result<()> {
        let Query { text, part } = query;
        let args = search::Args {
            query: text.clone(),
            part,
            max_results: Some(PLACES_MAX),
            max_per_file: Some(3),
            body: Some(false),
            ..search::Args::default()
        };
        self.try_one(&text);
        let (catalog, files) = (call.code.indexed()?, call.code.files()?);
        let before = self.found.len();
        for file in Search::run(call, args)?.files {
            let Some(at) = files.find(file.path.as_bytes()) else { continue };
            for line in file.lines.iter().filter(|line| !line.context) {
                if self.found.len() >= before + PLACES_MAX {
                    break;
                }
                let is_known = |of: &Source| of.path == file.path && of.line == line.line;
                if self.found.iter().any(is_known) {
                    continue;
                }
                let Some(at) = flow::at(catalog, FileId::new(at), line.at) else { continue };
                let (path, text) = (file.path.clone(), line.text.clone());
                let is_test = file.marks.test || is_test(catalog, at.holder)?;
                self.found.push(Source { path, line: line.line, text, at, is_test });
            }
        }
        if self.found.len() > before && text != given && !self.by.contains(&text) {
            self.by.push(text);
        }
        Ok(())
    }

    /// Adds the variables and fields of a name.
    fn add_defined(&mut self, call: &Call<'_>, name: &str) -> Result<()> {
        use SymbolKind::{Constant, Field, Property, Variable};
        self.try_one(name);
        let catalog = call.code.catalog(&[name])?;
        let before = self.found.len();
        for at in catalog.defined(name.as_bytes())?.iter().take(PLACES_MAX) {
            let Some(symbol) = catalog.symbol(*at)? else { continue };
            if !matches!(symbol.kind, Constant | Field | Property | Variable) {
                continue;
            }
            let Some(place) = flow::at(catalog, at.file, symbol.name_span.start) else { continue };
            let path = crate::base::path::shown(catalog.path(at.file));
            let text = catalog.text(at.file);
            let start = symbol.name_span.start;
            let text = text.map_or_else(String::new, |text| texts::line(&text, start));
            let line = symbol.line;
            let is_test = is_test(catalog, *at)?;
            self.found.push(Source { path, line, text, at: place, is_test });
        }
        if self.found.len() > before {
            self.by.push(name.to_owned());
        }
        Ok(())
    }

    fn try_one(&mut self, text: &str) {
        if !self.tried.iter().any(|tried| tried == text) {
            self.tried.push(text.to_owned());
        }
    }
}

/// Returns true for what is in a test file, or in a scope or module of tests.
pub(super) fn is_test(catalog: &Catalog, at: SymbolAt) -> Result<bool> {
    let name = catalog.path(at.file).rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    if catalog.marks(at.file)?.test || name.starts_with(b"tests.") {
        return Ok(true);
    }
    let symbol = if at.place == FILE { None } else { catalog.symbol(at)? };
    Ok(symbol.is_some_and(|symbol| {
        symbol.qualified_name.split([':', '.']).any(|scope| matches!(scope, "test" | "tests"))
    }))
}

/// Returns true if a line seems to define a flag.
fn defines_flag(line: &str, given: &str) -> bool {
    const WORDS: [&str; 7] = ["arg", "flag", "long", "opt", "option", "param", "switch"];
    let words = line.split(|c: char| !c.is_ascii_alphabetic());
    let mut words = words.map(str::to_ascii_lowercase);
    ['"', '\''].iter().any(|quote| line.contains(&format!("{quote}{given}{quote}")))
        || words.any(|word| {
            WORDS.contains(&word.as_str()) || word.ends_with("flag") || word.ends_with("option")
        })
}

/// Returns true for files next to the program: its benches, examples and scripts.
pub(super) fn is_aside(path: &[u8]) -> bool {
    const ASIDE: [&[u8]; 6] = [b"ci", b"demo", b"example", b"examples", b"script", b"scripts"];
    let first = path.split(|byte| *byte == b'/').next().unwrap_or_default();
    first.len() < path.len()
        && (first.starts_with(b".") || first.starts_with(b"bench") || ASIDE.contains(&first))
}

/// Returns the name of a flag without its dashes.
fn flag(given: &str) -> Option<&str> {
    let bare = given.trim_start_matches('-');
    let is_name = bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    (bare.len() < given.len() && !bare.is_empty() && is_name).then_some(bare)
}

/// Returns the names that a flag may have as a variable.
fn spellings(bare: &str) -> Vec<String> {
    let words: Vec<&str> = bare.split(['-', '_', '.']).filter(|word| !word.is_empty()).collect();
    let snake = words.join("_");
    let mut camel = String::new();
    for word in &words {
        let (first, rest) = word.split_at(1);
        camel.push_str(&if camel.is_empty() { first.to_owned() } else { first.to_uppercase() });
        camel.push_str(rest);
    }
    let mut names = vec![snake.clone(), camel, snake.to_uppercase()];
    names.dedup();
    names.retain(|name| name.len() > 1);
    names
}

/// Returns the texts by which code may name what a user calls `given`, the most exact one first.
fn queries(given: &str) -> Vec<Query> {
    let query = |text: &str, part| Query { text: text.to_owned(), part };
    let mut queries = vec![query(given, Some(Region::String))];
    if let Some((method, route)) = given.split_once(' ')
        && method.bytes().all(|byte| byte.is_ascii_uppercase())
        && route.starts_with('/')
    {
        queries.push(query(route, Some(Region::String)));
    }
    queries.push(query(given, None));
    queries
}

/// Returns the longest part of a message that a line has: users see messages with their values filled in,
/// and after the name of the program.
fn longest_part(call: &Call<'_>, given: &str) -> Result<Option<String>> {
    let words: Vec<&str> = given.split_whitespace().take(WORDS_MAX).collect();
    let run = RUN.min(words.len().saturating_sub(1));
    if run < 2 {
        return Ok(None);
    }
    let windows = words.windows(run).map(|window| regex_syntax::escape(&window.join(" ")));
    let args = search::Args {
        query: windows.collect::<Vec<_>>().join("|"),
        regex: true,
        max_results: Some(PART_FILES_MAX),
        max_per_file: Some(PLACES_MAX),
        body: Some(false),
        ..search::Args::default()
    };
    let mut best: Option<String> = None;
    for file in Search::run(call, args)?.files {
        for line in file.lines.iter().filter(|line| !line.context) {
            let part = common(&words, &line.text);
            if best.as_ref().is_none_or(|best| best.len() < part.len()) {
                best = Some(part);
            }
        }
    }
    Ok(best.filter(|part| part.len() >= RUN_BYTES_MIN))
}

/// Returns the longest run of words, joined by blanks, that a text contains.
fn common(words: &[&str], text: &str) -> String {
    let mut best = String::new();
    for start in 0..words.len() {
        let mut run = String::new();
        for word in &words[start..] {
            let before = run.len();
            if before > 0 {
                run.push(' ');
            }
            run.push_str(word);
            if !has_words(text, &run) {
                run.truncate(before);
                break;
            }
        }
        if run.len() > best.len() {
            best = run;
        }
    }
    best
}

/// Returns true if a text contains whole words.
fn has_words(text: &str, words: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let (begins, ends) = (is_letter(words.chars().next()), is_letter(words.chars().next_back()));
    text.match_indices(words).any(|(at, _)| {
        let before = is_letter(text[..at].chars().next_back());
        let after = is_letter(text[at + words.len()..].chars().next());
        !(begins && before || ends && after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_have_the_names_of_variables() {
        assert_eq!(flag("--wait-ms"), Some("wait-ms"));
        assert_eq!((flag("-"), flag("wait"), flag("-- x y")), (None, None, None));
        assert_eq!(spellings("wait-ms"), ["wait_ms", "waitMs", "WAIT_MS"]);
        assert_eq!(spellings("all"), ["all", "ALL"]);
    }

    #[test]
    fn parts_of_messages_are_the_longest_runs_of_words() {
        let words = ["codedb:", "`foo`", "is", "not", "defined", "here"];
        let line = "format!(\"`{}` is not defined in this tree\")";
        assert_eq!(common(&words, line), "is not defined");
        assert_eq!(common(&words, "another text"), "");
    }

    #[test]
    fn benches_and_scripts_are_next_to_the_program() {
        for path in ["benches/a.rs", ".ci/build.py", "examples/b.go"] {
            assert!(is_aside(path.as_bytes()), "{path}");
        }
        for path in ["src/benches/a.rs", "ci.rs", "src/main.rs"] {
            assert!(!is_aside(path.as_bytes()), "{path}");
        }
    }
}
