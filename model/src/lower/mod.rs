//! Syntax trees into facts: what all languages share. Each language's folder has its own lowering.
//!
//! A construct without one has its parts lowered, and is unknown itself. There is no text for
//! display: it is cut from the file when it is shown.

mod build;

pub(crate) use build::{Builder, DEPTH, children, grammar};

use crate::ir::File;
use tree_sitter::Parser;

/// Syntax trees of one language into facts, from the language's folder.
pub trait Lowers {
    /// The extensions of the files.
    fn extensions(&self) -> &'static [&'static str];

    /// The facts have all that answers need.
    fn is_whole(&self) -> bool {
        true
    }

    /// The parser's grammar.
    fn grammar(&self) -> tree_sitter::Language;

    /// Returns the facts of a file that was parsed.
    fn lower(&self, path: &str, text: &[u8], tree: &tree_sitter::Tree) -> File;

    /// Returns what a file that is no source states of the tree's modules, if it is a manifest.
    fn manifest(&self, path: &str, text: &[u8]) -> Option<File> {
        let _ = (path, text);
        None
    }
}

/// Returns the facts of the files of one language, and of its manifests.
///
/// # Errors
/// The grammar is of another version than the parser.
pub fn tree<'t>(
    lowers: &dyn Lowers,
    files: impl Iterator<Item = (&'t str, &'t [u8])>,
) -> Result<Vec<File>, String> {
    let mut parser = Parser::new();
    parser
        .set_language(&lowers.grammar())
        .map_err(|error| format!("the grammar cannot be used: {error}"))?;
    let mut facts = Vec::new();
    for (path, text) in files {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        if lowers.extensions().contains(&extension) {
            facts.extend(parser.parse(text, None).map(|tree| lowers.lower(path, text, &tree)));
        } else {
            facts.extend(lowers.manifest(path, text));
        }
    }
    Ok(facts)
}

/// Lowers files of one language.
pub struct Lowering {
    parser: Parser,
    lowers: &'static dyn Lowers,
}

impl Lowering {
    /// Returns a lowering of the language with this name, with its parser.
    ///
    /// # Errors
    /// There is none for the language, or its grammar is of another version than the parser.
    pub fn new(language: &str) -> Result<Self, String> {
        let lowers = crate::languages::rules(language)
            .and_then(|rules| rules.lowering())
            .ok_or_else(|| format!("no lowering for the language `{language}`"))?;
        let mut parser = Parser::new();
        parser
            .set_language(&lowers.grammar())
            .map_err(|error| format!("the grammar cannot be used: {error}"))?;
        Ok(Self { parser, lowers })
    }

    /// Parses `text`; none where the parser gives up.
    pub fn parse(&mut self, text: &[u8]) -> Option<tree_sitter::Tree> {
        self.parser.parse(text, None)
    }

    /// Returns all facts of a file, for questions that need more than is stored; none where the
    /// parser gives up. Definitions and uses have the ids that they have in its slice.
    pub fn lowered(&mut self, path: &str, text: &[u8]) -> Option<File> {
        let tree = self.parse(text)?;
        Some(self.lower(path, text, &tree))
    }

    /// Returns the facts of a file that was parsed.
    pub fn lower(&self, path: &str, text: &[u8], tree: &tree_sitter::Tree) -> File {
        self.lowers.lower(path, text, tree)
    }
}
