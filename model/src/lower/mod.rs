//! Syntax trees into facts, for measurement: how large the stored slice is, and how long it takes.
//!
//! No rules, and no text for display: what a file declares and uses, as [`crate::ir`] has it. A
//! construct without a lowering has its parts lowered, and is unknown itself.

mod build;
pub(crate) mod c;
mod ruby;

pub(crate) use build::{Builder, DEPTH, children};

use crate::ir::File;
use tree_sitter::Parser;

/// Syntax trees of one language into facts, from the language's folder.
pub trait Lowers {
    /// The extensions of the files.
    fn extensions(&self) -> &'static [&'static str];

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

/// A language that is lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// C.
    C,
    /// Ruby.
    Ruby,
}

impl Grammar {
    /// Returns the name of the language.
    pub fn language(self) -> &'static str {
        match self {
            Grammar::C => "c",
            Grammar::Ruby => "ruby",
        }
    }
}

/// Lowers files of one language.
pub struct Lowering {
    parser: Parser,
    grammar: Grammar,
}

impl Lowering {
    /// Returns a lowering with its parser.
    ///
    /// # Errors
    /// The grammar is of another version than the parser.
    pub fn new(grammar: Grammar) -> Result<Self, String> {
        let language = match grammar {
            Grammar::C => tree_sitter_c::LANGUAGE.into(),
            Grammar::Ruby => tree_sitter_ruby::LANGUAGE.into(),
        };
        let mut parser = Parser::new();
        parser
            .set_language(&language)
            .map_err(|error| format!("the grammar cannot be used: {error}"))?;
        Ok(Self { parser, grammar })
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
        match self.grammar {
            Grammar::C => c::lower(path, text, tree),
            Grammar::Ruby => ruby::lower(path, text, tree),
        }
    }
}
