//! What a start or an end names: definitions, or the code around a text.

use serde::Serialize;

use super::super::lookup::{self, NameQuery, Within};
use super::super::search::Region;
use super::super::search::{self, Search};
use super::super::{Call, Define, paths};
use crate::answer::{definition, nearest};
use crate::base::ids::FileId;
use crate::base::text::plain;
use crate::catalog::Catalog;
use crate::error::{Error, Kind, Result, UNKNOWN_NAME};
use crate::graph::link::SymbolAt;
use crate::graph::trace as flow;

/// The maximum number of places of a text from which a chain may begin.
const PLACES_MAX: usize = 12;

/// The maximum number of definitions of one name at which it may begin.
const DEFINITIONS_MAX: usize = 32;

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
}

impl Ends {
    /// Returns what `given` names. A text counts for the code around it; as a start, also for what
    /// reads the variables on its line.
    ///
    /// # Errors
    ///
    /// [`Kind::NotFound`] if it is neither a definition nor a text of the tree.
    pub(super) fn of(call: &Call<'_>, given: &str, is_start: bool) -> Result<Ends> {
        let (within, name) = split(call, given)?;
        let required = NameQuery::Name(name).required_text();
        let required: Vec<&str> = required.into_iter().collect();
        let catalog = call.code.catalog(&required)?;
        let is_name = !name.contains([' ', '/', '"']) && !name.starts_with('-');
        let unknown = if is_name {
            match lookup::code(catalog, name, within.as_ref(), Some(given)) {
                Ok(found) => return Ok(Ends::of_definitions(&found)),
                Err(error) if error.kind() == Kind::NotFound && within.is_none() => error,
                Err(error) => {
                    // In a file, the last name suffices: types may be nested or extended there.
                    let last = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
                    let found = lookup::code(catalog, last, within.as_ref(), Some(given));
                    return found.map(|found| Ends::of_definitions(&found)).map_err(|_| error);
                }
            }
        } else {
            let message =
                format!("`{}` is neither a definition nor a text of the tree", plain(given));
            Error::new(Kind::NotFound, message).with_code(UNKNOWN_NAME)
        };
        // A qualified name with a known last part is no text: the type may inherit it.
        let qualified = name.rsplit_once(['.', ':', '#']).map(|(_, last)| last);
        if is_name
            && let Some(last) = qualified.filter(|last| !last.is_empty())
            && !catalog.defined(last.as_bytes())?.is_empty()
        {
            return Err(unknown);
        }
        let ends = Ends::of_text(call, given, is_start)?;
        if ends.nodes.is_empty() { Err(unknown) } else { Ok(ends) }
    }

    fn of_definitions(found: &[SymbolAt]) -> Ends {
        let nodes = found.iter().take(DEFINITIONS_MAX).zip(0..).map(|(at, _): (_, u32)| (*at, 0));
        Ends { nodes: nodes.collect(), total: found.len(), ..Ends::default() }
    }

    fn of_text(call: &Call<'_>, given: &str, is_start: bool) -> Result<Ends> {
        let mut ends = Ends::default();
        let catalog = call.code.indexed()?;
        let files = call.code.files()?;
        for (query, part) in queries(given) {
            let args = search::Args {
                query,
                part,
                max_results: Some(PLACES_MAX),
                max_per_file: Some(3),
                ..search::Args::default()
            };
            let found = Search::run(call, args)?;
            for file in found.files {
                let Some(at) = files.find(file.path.as_bytes()) else { continue };
                let is_test = file.marks.test;
                for line in file.lines.iter().filter(|line| !line.context) {
                    if ends.origins.len() >= PLACES_MAX {
                        break;
                    }
                    let Some(place) = flow::at(catalog, FileId::new(at), line.at) else { continue };
                    let cost = LATER_COST * ends.origins.len() as u32
                        + if is_test { TEST_COST } else { 0 };
                    let (path, text) = (file.path.clone(), line.text.clone());
                    ends.origins.push(Origin { path, line: line.line, text });
                    ends.add(place.holder, cost);
                    if is_start {
                        for edge in place.readers {
                            ends.add(edge.from, cost + READER_COST);
                        }
                    }
                }
            }
            if !ends.nodes.is_empty() {
                break;
            }
        }
        ends.total = ends.origins.len();
        Ok(ends)
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

/// Returns the texts by which code may name what a user calls `given`, the most exact one first.
fn queries(given: &str) -> Vec<(String, Option<Region>)> {
    let mut queries = vec![(given.to_owned(), Some(Region::String))];
    let bare = given.trim_start_matches('-');
    if bare != given && !bare.is_empty() {
        // A flag: code mostly names it without dashes.
        for quote in ['"', '\''] {
            queries.push((format!("{quote}{bare}{quote}"), None));
        }
        queries.push((bare.to_owned(), Some(Region::String)));
    }
    if let Some((method, route)) = given.split_once(' ')
        && method.bytes().all(|byte| byte.is_ascii_uppercase())
        && route.starts_with('/')
    {
        queries.push((route.to_owned(), Some(Region::String)));
    }
    queries.push((given.to_owned(), None));
    queries
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
