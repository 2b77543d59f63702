//! What the lines of a search are in: definitions, tests, comments, strings, imports, signatures.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::catalog::searches::MatchingFile;
use crate::error::Result;
use crate::graph::link::FileFacts;
use crate::lang::tokens::{self, Token};
use crate::lang::{Symbol, SymbolKind, language};
use crate::tools::{Call, lookup};

use super::candidates::STRIDE;
use super::{Matcher, Span, read, spans};

/// What a match is in.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq)]
#[serde(rename_all = "snake_case")]
pub enum Region {
    /// A function or method.
    Function,
    /// A test: a test file, or a module of tests.
    Test,
    /// A comment.
    Comment,
    /// A string.
    String,
    /// An import.
    Import,
    /// The head of a definition, up to its body.
    Signature,
}

/// A definition around a line.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Inside {
    /// Its qualified name.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
}

/// Which matches count.
#[derive(Debug, Default)]
pub(super) struct Where {
    part: Option<Region>,
    /// The definitions, by file and bytes, if only matches in them count.
    definitions: Option<FxHashMap<FileId, Vec<Range<usize>>>>,
}

impl Where {
    /// Returns the condition that a match is in a part, and in a definition with a name. O(definitions of
    /// the name).
    ///
    /// # Errors
    ///
    /// [`crate::Kind::NotFound`] for a name that is not defined.
    pub(super) fn new(
        catalog: &Catalog,
        part: Option<Region>,
        definition: Option<&str>,
    ) -> Result<Where> {
        let Some(name) = definition else { return Ok(Where { part, definitions: None }) };
        let mut definitions: FxHashMap<FileId, Vec<Range<usize>>> = FxHashMap::default();
        for at in lookup::code(catalog, name, None, None)? {
            if let Some(symbol) = catalog.symbol(at)? {
                definitions.entry(at.file).or_default().push(symbol.span.clone());
            }
        }
        Ok(Where { part, definitions: Some(definitions) })
    }

    /// Returns true if every match counts.
    pub(super) fn is_everywhere(&self) -> bool {
        self.part.is_none() && self.definitions.is_none()
    }

    /// Returns true if no match of a file can count.
    pub(super) fn excludes(&self, file: FileId) -> bool {
        self.definitions.as_ref().is_some_and(|all| !all.contains_key(&file))
    }
}

/// The structure of a file, as far as it is indexed.
pub(super) struct Structure {
    file: FileId,
    facts: Option<Arc<FileFacts>>,
    is_test: bool,
    /// Comments and strings; filled if the condition asks for them.
    tokens: Vec<(Range<usize>, Token)>,
}

impl Structure {
    /// Returns the structure of a file with a text, as far as `condition` needs it. O(definitions), for
    /// comments and strings O(text).
    ///
    /// # Errors
    ///
    /// If the index is damaged.
    pub(super) fn of(
        call: &Call<'_>,
        catalog: &Catalog,
        file: FileId,
        text: &[u8],
        condition: &Where,
    ) -> Result<Structure> {
        let wants_tokens = matches!(condition.part, Some(Region::Comment | Region::String));
        let path = catalog.path(file);
        let language = wants_tokens.then(|| call.code.language(path, text).0).flatten();
        let known = language.or_else(|| language::of_name(crate::base::path::split(path).1));
        let tokens = known.filter(|_| wants_tokens).map_or_else(Vec::new, |language| {
            std::str::from_utf8(text)
                .map_or_else(|_| Vec::new(), |text| tokens::tokens(language, text))
        });
        let is_test = super::marks(catalog, file.index())?.test;
        Ok(Structure { file, facts: catalog.facts(file)?, is_test, tokens })
    }

    /// Returns true if a match at these bytes counts.
    pub(super) fn fits(&self, condition: &Where, hit: &Range<usize>) -> bool {
        if let Some(definitions) = &condition.definitions {
            let is_inside = |span: &Range<usize>| span.contains(&hit.start);
            if !definitions.get(&self.file).is_some_and(|all| all.iter().any(is_inside)) {
                return false;
            }
        }
        let Some(part) = condition.part else { return true };
        let is_token = |wanted: Token| {
            let at = self.tokens.partition_point(|(token, _)| token.end <= hit.start);
            let found = self.tokens.get(at).filter(|(token, _)| token.contains(&hit.start));
            found.is_some_and(|(_, token)| *token == wanted)
        };
        let facts = self.facts.as_deref();
        match part {
            Region::Comment => is_token(Token::Comment),
            Region::String => is_token(Token::Literal),
            Region::Test => self.is_test || self.around(hit.start).any(is_test_module),
            Region::Function => self.around(hit.start).any(|symbol| is_function(symbol.kind)),
            Region::Import => facts.is_some_and(|facts| {
                facts.imports.iter().any(|import| import.span.contains(&hit.start))
            }),
            Region::Signature => {
                let mut around = self.around(hit.start).filter(|symbol| is_code(symbol.kind));
                around.any(|symbol| symbol.source.signature.contains(&hit.start))
            }
        }
    }

    /// Returns the innermost definition around a byte that has a body of its own: no field, variable or
    /// heading. O(definitions).
    pub(super) fn inside(&self, at: usize) -> Option<Inside> {
        let has_body = |symbol: &&Symbol| {
            !matches!(
                symbol.kind,
                SymbolKind::Field
                    | SymbolKind::EnumMember
                    | SymbolKind::Section
                    | SymbolKind::Key
                    | SymbolKind::Selector
            )
        };
        let around = self.around(at).filter(has_body);
        let symbol = around.min_by_key(|symbol| symbol.span.len())?;
        let is_module = symbol.kind == SymbolKind::Module;
        (!is_module).then(|| Inside {
            name: symbol.qualified_name.clone(),
            kind: symbol.kind,
            line: symbol.line,
            end_line: symbol.end_line,
        })
    }

    fn around(&self, at: usize) -> impl Iterator<Item = &Symbol> {
        let symbols = self.facts.iter().flat_map(|facts| &facts.symbols);
        symbols.filter(move |symbol| symbol.span.contains(&at))
    }
}

/// Returns the files with matches that fit a condition, and how many lines have one.
pub(super) fn fitting(
    call: &Call<'_>,
    catalog: &Catalog,
    matcher: &Matcher<'_>,
    condition: &Where,
    matching: &[MatchingFile],
) -> Result<Vec<MatchingFile>> {
    let mut fitting = Vec::new();
    for stride in matching.chunks(STRIDE) {
        // Returns an error if the call was cancelled.
        call.code.files()?;
        let count = |of: &MatchingFile| {
            if condition.excludes(of.file) {
                return Ok(None);
            }
            let text = read(catalog, of.file.index());
            let original = text.original_utf8().unwrap_or_default();
            let structure = Structure::of(call, catalog, of.file, &original, condition)?;
            let mut cache = matcher.cache();
            let mut fits = |span: &Span| {
                let fits = |hit: &Range<usize>| structure.fits(condition, hit);
                span.first(&original, matcher, &mut cache, fits).is_some()
            };
            let count =
                spans(&original, matcher, &mut matcher.cache()).filter(|span| fits(span)).count();
            Ok((count > 0).then_some(MatchingFile { count, ..*of }))
        };
        let counted: Vec<Option<MatchingFile>> =
            stride.par_iter().map(count).collect::<Result<_>>()?;
        fitting.extend(counted.into_iter().flatten());
    }
    Ok(fitting)
}

/// Returns false for headings and keys of data.
fn is_code(kind: SymbolKind) -> bool {
    !matches!(kind, SymbolKind::Section | SymbolKind::Key | SymbolKind::Selector)
}

fn is_function(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor)
}

fn is_test_module(symbol: &Symbol) -> bool {
    symbol.kind == SymbolKind::Module && matches!(symbol.name.as_str(), "tests" | "test")
}
