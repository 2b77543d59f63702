//! Syntax trees into facts, for measurement: how large the stored slice is, and how long it takes.
//!
//! No rules, and no text for display: what a file declares and uses, as [`crate::ir`] has it. A
//! construct without a lowering has its parts lowered, and is unknown itself.

mod build;
mod c;
mod ruby;

use crate::ir::File;
use tree_sitter::Parser;

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
