//! What a record cites: fingerprints of the cited places, and what became of them.
//!
//! A line inside of a function stands for the function, any other line for itself: a class changes
//! with each of its methods, which says nothing about the line that declares it.

use serde::Serialize;

use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::catalog::code::Code;
use crate::error::Result;
use crate::graph::link::FileFacts;
use crate::lang::Symbol;
use crate::reports::coverage::attribute::{is_function, rest_of};
use crate::userdata::coverage::body_hash;
use crate::userdata::decisions::{Fingerprint, RefKind, SourceRef};

/// Files beyond this size are not cited by line.
const FILE_BYTES_MAX: usize = 4 << 20;

/// How many definitions elsewhere are compared with one that is gone.
const ELSEWHERE_MAX: usize = 50;

/// What became of a cited place.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Fate {
    /// It is as it was.
    Fresh,
    /// The definition, or the line, has another text.
    Changed,
    /// The definition is at another place.
    Moved {
        /// `PATH:LINE`.
        to: String,
    },
    /// The file, or the commit, does not exist any more.
    Gone,
    /// It cannot be read, or was not there when it was cited.
    Unknown,
}

impl Fate {
    /// Returns the name.
    pub fn name(&self) -> &'static str {
        match self {
            Fate::Fresh => "fresh",
            Fate::Changed => "changed",
            Fate::Moved { .. } => "moved",
            Fate::Gone => "gone",
            Fate::Unknown => "unknown",
        }
    }
}

/// Returns the references with the fingerprints of the places as they are now; a place that does not
/// exist has none.
pub fn with_fingerprints(code: &dyn Code, refs: Vec<SourceRef>) -> Vec<SourceRef> {
    let catalog = code.catalog(&[]).ok();
    let add = |it: SourceRef| {
        let fingerprint = catalog.and_then(|catalog| fingerprint(code, catalog, &it));
        SourceRef { fingerprint, ..it }
    };
    refs.into_iter().map(add).collect()
}

/// A file that is cited.
struct Cited {
    /// Its number; `None` for a file that is not indexed, such as `.editorconfig`.
    file: Option<FileId>,
    text: Vec<u8>,
}

fn read(code: &dyn Code, catalog: &Catalog, path: &str) -> Option<Cited> {
    let Some(file) = catalog.files().find(path.as_bytes()).map(FileId::new) else {
        let content = code.read(path.as_bytes(), FILE_BYTES_MAX as u64).ok()?;
        return Some(Cited { file: None, text: content.bytes().to_vec() });
    };
    let text = catalog.read(file, FILE_BYTES_MAX)?;
    Some(Cited { file: Some(file), text: text.to_vec() })
}

/// Returns the span of a line, counted from 1, without its terminator.
fn line_span(text: &[u8], line: usize) -> Option<std::ops::Range<usize>> {
    let mut start = 0;
    for _ in 1..line {
        start += memchr::memchr(b'\n', text.get(start..)?)? + 1;
    }
    let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
    let end = start + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    Some(start..end)
}

fn line_at(text: &[u8], at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text[..at.min(text.len())]).count() + 1
}

fn hash(text: &[u8]) -> String {
    format!("{:016x}", body_hash(text))
}

/// Returns the innermost function around a byte.
fn function_at(facts: &FileFacts, at: usize) -> Option<&Symbol> {
    let around = facts.symbols.iter().filter(|it| is_function(it) && it.span.contains(&at));
    around.min_by_key(|it| it.span.len())
}

fn fingerprint(code: &dyn Code, catalog: &Catalog, it: &SourceRef) -> Option<Fingerprint> {
    let (path, line) = it.place()?;
    if line == 0 {
        return None;
    }
    let Cited { file, text } = read(code, catalog, path)?;
    let span = line_span(&text, line)?;
    let indent = text[span.clone()].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let facts = file.and_then(|file| catalog.facts(file).ok().flatten());
    let function = facts.as_deref().and_then(|facts| function_at(facts, span.start + indent));
    Some(match function {
        Some(symbol) => of_function(&text, symbol)?,
        None => Fingerprint { symbol: None, text: hash(text[span].trim_ascii()), rest: None },
    })
}

fn of_function(text: &[u8], symbol: &Symbol) -> Option<Fingerprint> {
    Some(Fingerprint {
        symbol: Some(symbol.qualified_name.clone()),
        text: hash(text.get(symbol.span.clone())?),
        rest: rest_of(text, symbol).map(|rest| format!("{rest:016x}")),
    })
}

/// Returns what became of a cited place. `has_commit` returns whether a commit exists.
///
/// # Errors
///
/// If the tree cannot be read.
pub fn fate(
    code: &dyn Code,
    it: &SourceRef,
    has_commit: &dyn Fn(&str) -> Option<bool>,
) -> Result<Fate> {
    let catalog = code.catalog(&[])?;
    Ok(fate_in(code, catalog, it, has_commit))
}

fn fate_in(
    code: &dyn Code,
    catalog: &Catalog,
    it: &SourceRef,
    has_commit: &dyn Fn(&str) -> Option<bool>,
) -> Fate {
    if it.kind == RefKind::Commit {
        return match has_commit(&it.reference) {
            Some(true) => Fate::Fresh,
            Some(false) => Fate::Gone,
            None => Fate::Unknown,
        };
    }
    let Some((path, line)) = it.place() else { return Fate::Unknown };
    let here = read(code, catalog, path);
    let exists = here.is_some() || catalog.files().find(path.as_bytes()).is_some();
    let Some(stored) = &it.fingerprint else {
        return match (exists, line) {
            (true, 0) => Fate::Fresh,
            (true, _) => Fate::Unknown,
            (false, _) => Fate::Gone,
        };
    };
    let Some(name) = &stored.symbol else {
        return match here {
            Some(here) => {
                let mut lines = here.text.split(|&byte| byte == b'\n');
                let is_it = |line: &[u8]| hash(line.trim_ascii()) == stored.text;
                if lines.any(is_it) { Fate::Fresh } else { Fate::Changed }
            }
            None if exists => Fate::Unknown,
            None => Fate::Gone,
        };
    };
    if let Some(here) = &here
        && let Some(file) = here.file
        && let Ok(Some(facts)) = catalog.facts(file)
    {
        let named = facts.symbols.iter().filter(|it| it.qualified_name == *name);
        let mut known = named.filter_map(|it| of_function(&here.text, it)).peekable();
        if known.peek().is_some() {
            let is_same = known.any(|it| it.text == stored.text);
            return if is_same { Fate::Fresh } else { Fate::Changed };
        }
    }
    match elsewhere(catalog, name, stored) {
        Some(to) => Fate::Moved { to },
        None if exists && here.is_none() => Fate::Unknown,
        None => Fate::Gone,
    }
}

/// Returns where a function is that has the stored text, or its text after the name.
fn elsewhere(catalog: &Catalog, name: &str, stored: &Fingerprint) -> Option<String> {
    let last = crate::graph::link::last_name(name);
    let places = catalog.defined(last.as_bytes()).ok()?;
    for at in places.iter().take(ELSEWHERE_MAX) {
        let Ok(Some(facts)) = catalog.facts(at.file) else { continue };
        let Some(symbol) = facts.symbols.get(at.place as usize) else { continue };
        if !is_function(symbol) {
            continue;
        }
        let Some(text) = catalog.read(at.file, FILE_BYTES_MAX) else { continue };
        let Some(found) = of_function(&text, symbol) else { continue };
        let is_same_rest = stored.rest.is_some() && found.rest == stored.rest;
        if found.text == stored.text || is_same_rest {
            let path = String::from_utf8_lossy(catalog.path(at.file));
            return Some(format!("{path}:{}", line_at(&text, symbol.span.start)));
        }
    }
    None
}
