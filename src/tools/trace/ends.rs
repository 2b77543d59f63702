//! What a start or an end names: definitions, a line, or the code around a text.

use serde::Serialize;

use super::super::lookup::{self, NameQuery, Within};
use super::super::{Call, paths};
use super::sources::{self, is_aside};
use crate::answer::precedence::Precedence;
use crate::answer::{definition, nearest};
use crate::base::ids::FileId;
use crate::base::text::plain;
use crate::catalog::Catalog;
use crate::error::{Error, Kind, Result, UNKNOWN_NAME};
use crate::graph::link::SymbolAt;
use crate::graph::trace as flow;

/// The maximum number of definitions of one name at which it may begin.
const DEFINITIONS_MAX: usize = 32;

/// The most bytes of a file in which a line is looked for.
const TEXT_BYTES_MAX: u64 = 4 << 20;

/// What the beginning at a place costs more than at the first one; and in a test.
const LATER_COST: u32 = 2;
const TEST_COST: u32 = 30;

/// What it costs to begin at a reader of what a text defines.
const READER_COST: u32 = 6;

/// A place of a text at which a chain may begin or end.
#[derive(Clone, Debug, Serialize)]
pub struct Origin {
    /// The file's repository path.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The line's text.
    pub text: String,
}

/// The nodes at which chains may begin or end.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    /// Each with a cost, so that likely ones are preferred.
    pub(super) nodes: Vec<(SymbolAt, u32)>,
    /// How many definitions match.
    pub(super) total: usize,
    /// The places of the text, if it is one.
    pub(super) origins: Vec<Origin>,
    /// The texts and names by which the places were found, if others than what was given.
    pub(super) found_by: Vec<String>,
}

impl Ends {
    /// Returns what `given` names. A text counts for the code around it; as a start, also for what
    /// reads the variables on its line.
    ///
    /// # Errors
    ///
    /// [`Kind::NotFound`] if it is neither a definition nor a text of the tree, and [`Kind::Usage`] for a
    /// path without a name.
    pub(super) fn of(call: &Call<'_>, given: &str, is_start: bool) -> Result<Ends> {
        let (within, name) = split(call, given)?;
        if let (Some(Within::Below(path)), Some(line)) = (&within, line_number(name)) {
            return Ends::of_line(call, path, line);
        }
        let required = NameQuery::Name(name).required_text();
        let required: Vec<&str> = required.into_iter().collect();
        let catalog = call.code.catalog(&required)?;
        let is_id = name.matches('#').count() > 1;
        let is_name = is_id || !name.contains([' ', '/', '"']) && !name.starts_with('-');
        let unknown = if is_name {
            match lookup::code(catalog, name, within.as_ref(), Some(given)) {
                Ok(found) => return Ends::of_definitions(catalog, name, found),
                Err(error) if error.kind() == Kind::NotFound && within.is_none() => Some(error),
                Err(error) => {
                    // In a file, the last name suffices: types may be nested or extended there.
                    let last = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
                    let found = lookup::code(catalog, last, within.as_ref(), Some(given));
                    return match found {
                        Ok(found) => Ends::of_definitions(catalog, name, found),
                        Err(_) => Err(error),
                    };
                }
            }
        } else {
            None
        };
        // A qualified name with a known last part is no text: the type may inherit it.
        let qualified = name.rsplit_once(['.', ':', '#']).map(|(_, last)| last);
        if is_name
            && let Some(last) = qualified.filter(|last| !last.is_empty())
            && !catalog.defined(last.as_bytes())?.is_empty()
            && let Some(unknown) = unknown
        {
            return Err(unknown);
        }
        let files = call.code.files()?;
        let path = paths::resolve(call, given).ok();
        if path.is_some_and(|path| paths::listed(files, &path).is_some()) {
            let shown = plain(given);
            return Err(Error::usage(format!(
                "`{shown}` is a file; name a definition of it, `{shown}:NAME`, or a line, `{shown}:10`"
            )));
        }
        let sources = sources::of(call, given)?;
        if sources.found.is_empty() {
            return Err(unknown.unwrap_or_else(|| nowhere(given, &sources.tried)));
        }
        Ok(Ends::of_sources(sources, is_start))
    }

    /// Returns definitions: sources before tests and what is next to the program, those that the whole
    /// name names before members of types, and those near the root before others.
    fn of_definitions(catalog: &Catalog, name: &str, found: Vec<SymbolAt>) -> Result<Ends> {
        let mut ranked = Vec::with_capacity(found.len());
        for at in found {
            let path = catalog.path(at.file);
            let group = Precedence::at(catalog, at)?.map(|precedence| precedence.group);
            let symbol = catalog.symbol(at)?;
            let is_part = symbol.is_some_and(|symbol| symbol.qualified_name != name);
            let folders = path.iter().filter(|byte| **byte == b'/').count();
            ranked.push(((group, is_aside(path), is_part, folders), at));
        }
        ranked.sort_by_key(|(rank, _)| *rank);
        let nodes = ranked.iter().take(DEFINITIONS_MAX).map(|(_, at)| (*at, 0)).collect();
        Ok(Ends { nodes, total: ranked.len(), ..Ends::default() })
    }

    /// Returns the definition around a line, from 1.
    fn of_line(call: &Call<'_>, path: &[u8], line: usize) -> Result<Ends> {
        let shown = paths::shown(path);
        let content = call.code.read(path, TEXT_BYTES_MAX)?;
        let text = content.bytes();
        let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text).map(|at| at + 1));
        let Some(start) = starts.filter(|start| *start < text.len()).nth(line.wrapping_sub(1))
        else {
            let lines = text.trim_ascii_end().split(|byte| *byte == b'\n').count();
            return Err(Error::usage(format!("`{shown}` has {lines} lines, and no line {line}")));
        };
        let blanks = text[start..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        // A file that is not indexed yet is found by a word of it.
        let own = text[start..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        let words = own.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        let word = words.max_by_key(|word| word.len()).unwrap_or_default();
        let word = std::str::from_utf8(word).unwrap_or_default();
        let about: Vec<&str> = Some(word).filter(|word| !word.is_empty()).into_iter().collect();
        let catalog = call.code.catalog(&about)?;
        let Some(at) = paths::listed(call.code.files()?, path).map(FileId::new) else {
            return Err(Error::usage(format!("`{shown}` is no file of the tree")));
        };
        let Some(place) = flow::at(catalog, at, start + blanks) else {
            return Err(Error::usage(format!("`{shown}` has no definitions")));
        };
        Ok(Ends { nodes: vec![(place.holder, 0)], total: 1, ..Ends::default() })
    }

    fn of_sources(sources: sources::Sources, is_start: bool) -> Ends {
        let mut ends = Ends { found_by: sources.by, ..Ends::default() };
        for (number, source) in (0..).zip(sources.found) {
            let cost = LATER_COST * number + if source.is_test { TEST_COST } else { 0 };
            let sources::Source { path, line, text, at, .. } = source;
            ends.origins.push(Origin { path, line, text });
            ends.add(at.holder, cost);
            if is_start {
                for edge in at.readers {
                    ends.add(edge.from, cost + READER_COST);
                }
            }
        }
        ends.total = ends.origins.len();
        ends
    }

    /// Returns the ids of the first of several definitions.
    pub(super) fn ids(&self, catalog: &Catalog) -> Result<Vec<String>> {
        let mut ids = Vec::new();
        if self.total > 1 {
            for (at, _) in self.nodes.iter().take(nearest::OFFERED_MAX) {
                let path = paths::shown(catalog.path(at.file));
                ids.extend(catalog.symbol(*at)?.map(|symbol| definition::id(&path, &symbol)));
            }
        }
        Ok(ids)
    }

    fn add(&mut self, node: SymbolAt, cost: u32) {
        if !self.nodes.iter().any(|(known, _)| *known == node) {
            self.nodes.push((node, cost));
        }
    }
}

/// Returns the error about what is nowhere, with what was searched.
fn nowhere(given: &str, tried: &[String]) -> Error {
    let message = format!("`{}` is neither a definition nor a text of the tree", plain(given));
    let error = Error::new(Kind::NotFound, message).with_code(UNKNOWN_NAME);
    let others: Vec<String> = tried
        .iter()
        .filter(|text| *text != given)
        .map(|text| format!("`{}`", plain(text)))
        .collect();
    let error = if others.is_empty() {
        error
    } else {
        error.with_hint(format!("also searched: {}", others.join(", ")))
    };
    if given.contains(' ') {
        error.with_hint("of a message, search the words that the program does not fill in")
    } else {
        error
    }
}

/// Returns the first line of `10` or `10-20`.
fn line_number(text: &str) -> Option<usize> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    last.parse::<usize>().ok()?;
    first.parse().ok().filter(|line| *line > 0)
}

/// Splits `path:name` with the path of a listed file, or an id, into the file and the name.
fn split<'a>(call: &Call<'_>, given: &'a str) -> Result<(Option<Within>, &'a str)> {
    let files = call.code.files()?;
    let is_file = |path: &str| {
        paths::resolve(call, path).is_ok_and(|path| paths::listed(files, &path).is_some())
    };
    for (at, sign) in given.match_indices([':', '#']) {
        let (path, rest) = (&given[..at], given[at + 1..].trim_start_matches(':'));
        if sign == "#" && rest.contains('#') {
            // An id is a name of its own.
            continue;
        }
        if !rest.is_empty() && is_file(path) {
            return Ok((Some(Within::Below(paths::resolve(call, path)?)), rest));
        }
    }
    Ok((None, given))
}
