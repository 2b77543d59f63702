//! Symbols: the definitions of a file, in source order and with their nesting.

use std::ops::Range;

use super::facts::{Chain, Facts};
use super::language::Language;
use super::parse::{Limits, Problems};
use serde::{Deserialize, Serialize};

mod walk;
mod words;

/// The kind of a definition.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SymbolKind {
    /// A module or namespace.
    Module,
    /// A class or record.
    Class,
    /// A struct.
    Struct,
    /// A union.
    Union,
    /// An enumeration.
    Enum,
    /// A member of an enumeration.
    EnumMember,
    /// An interface.
    Interface,
    /// A trait or concept.
    Trait,
    /// An implementation block.
    Impl,
    /// A type alias, or a type that is not a struct, class or enumeration.
    Type,
    /// A function that is not a member of a type.
    Function,
    /// A function that is a member of a type.
    Method,
    /// A function that creates a value of its type.
    Constructor,
    /// A function declaration without a body.
    Prototype,
    /// A macro.
    Macro,
    /// A named constant.
    Constant,
    /// A variable outside of functions.
    Variable,
    /// A data member of a type.
    Field,
    /// A member that is accessed like a field but runs code.
    Property,
    /// A heading with the text below it.
    Section,
    /// A key of a configuration file.
    Key,
    /// A build target, or a stage of a container image.
    Target,
    /// The selector of a style rule.
    Selector,
    /// A database table or view.
    Table,
    /// A block of a configuration language, with its labels.
    Block,
}

impl SymbolKind {
    /// Every kind. The position of a kind is its code in the index.
    pub const ALL: [SymbolKind; 25] = {
        use SymbolKind::*;
        [
            Module,
            Class,
            Struct,
            Union,
            Enum,
            EnumMember,
            Interface,
            Trait,
            Impl,
            Type,
            Function,
            Method,
            Constructor,
            Prototype,
            Macro,
            Constant,
            Variable,
            Field,
            Property,
            Section,
            Key,
            Target,
            Selector,
            Table,
            Block,
        ]
    };

    /// Returns the kind as one word.
    pub fn name(self) -> &'static str {
        match self {
            SymbolKind::Module => "module",
            SymbolKind::Class => "class",
            SymbolKind::Struct => "struct",
            SymbolKind::Union => "union",
            SymbolKind::Enum => "enum",
            SymbolKind::EnumMember => "enum_member",
            SymbolKind::Interface => "interface",
            SymbolKind::Trait => "trait",
            SymbolKind::Impl => "impl",
            SymbolKind::Type => "type",
            SymbolKind::Function => "function",
            SymbolKind::Method => "method",
            SymbolKind::Constructor => "constructor",
            SymbolKind::Prototype => "prototype",
            SymbolKind::Macro => "macro",
            SymbolKind::Constant => "constant",
            SymbolKind::Variable => "variable",
            SymbolKind::Field => "field",
            SymbolKind::Property => "property",
            SymbolKind::Section => "section",
            SymbolKind::Key => "key",
            SymbolKind::Target => "target",
            SymbolKind::Selector => "selector",
            SymbolKind::Table => "table",
            SymbolKind::Block => "block",
        }
    }

    /// Returns true if the symbol is called with arguments, so that its signature may span several
    /// lines.
    pub fn is_callable(self) -> bool {
        use SymbolKind::{Constructor, Function, Method, Prototype};
        matches!(self, Function | Method | Constructor | Prototype)
    }
}

/// The visibility of a symbol by the rules of its language.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Visible everywhere.
    Public,
    /// Visible in a package, crate or other part of the program.
    Internal,
    /// Visible in a type and in the types derived from it.
    Protected,
    /// Visible only in its file, module or type.
    Private,
}

/// A definition.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Symbol {
    /// Path, qualified name and ordinal, joined by `#`. Unique in a file, and stable as long as
    /// these three do not change.
    pub id: String,
    /// The name as written in the source.
    pub name: String,
    /// The name prefixed by the names of the enclosing scopes, joined by the language's separator.
    pub qualified_name: String,
    /// The kind of the definition.
    pub kind: SymbolKind,
    /// The bytes of the definition, including wrappers such as `export` and decorators, without the
    /// comments before it.
    pub span: Range<usize>,
    /// The bytes of its name.
    pub name_span: Range<usize>,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line, from 1.
    pub end_line: usize,
    /// The text of the definition up to its body, on one line.
    pub signature: String,
    /// The comment or docstring that documents it, without delimiters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// The visibility of the symbol.
    pub visibility: Visibility,
    /// Index in [`Outline::symbols`] of the enclosing symbol, which precedes this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// Number of enclosing symbols.
    pub depth: usize,
    /// The chain of the result of a call (for a callable), of the value that it holds, or of the
    /// aliased type (for an alias).
    #[serde(skip)]
    pub type_chain: Option<Chain>,
    /// The types that it extends or implements. Of a function of JavaScript, `^name` for a parameter
    /// that it returns, or returns a function or class around (`^name|?` if only sometimes), and `?` if it
    /// is assigned another value; of one of Python, what its decorators make of it, outermost first; of a
    /// type of PHP, `^mixin|Type` for what a comment mixes in; of a method of Ruby, the arguments that
    /// it passes to its block, each followed by the step `(N)` with its number.
    #[serde(skip)]
    pub bases: Vec<Chain>,
    /// The spans of signature and documentation in the text.
    #[serde(skip)]
    pub source: SymbolSource,
    /// The prefix of the qualified names of the symbols inside it.
    #[serde(skip)]
    pub scope: String,
}

impl Symbol {
    /// Returns the line and column of the name, both from 1, the column in bytes. If `text` is too
    /// short, returns the start of the first line. O(definition up to its name, line).
    pub fn name_at(&self, text: &[u8]) -> (usize, usize) {
        let at = self.name_span.start;
        let Some(before) = text.get(..at) else { return (self.line, 1) };
        let lines = memchr::memchr_iter(b'\n', &before[self.span.start.min(at)..]).count();
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        (self.line + lines, at - line_start + 1)
    }
}

/// The spans of a symbol's signature and documentation, from which both can be extracted again.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SymbolSource {
    /// The bytes of the definition up to its body.
    pub signature: Range<usize>,
    /// True if the signature is all of these bytes, false if it is only their first line.
    pub is_multiline: bool,
    /// The bytes of the documentation comments or of the docstring.
    pub doc: Vec<Range<usize>>,
    /// True if `doc` is a docstring.
    pub is_docstring: bool,
}

impl SymbolSource {
    /// Returns the signature on one line, truncated to 240 bytes. O(signature).
    pub fn signature(&self, language: &Language, text: &[u8]) -> String {
        let range = self.signature.start.min(text.len())..self.signature.end.min(text.len());
        let text = text.get(range).unwrap_or_default();
        words::signature(text, self.is_multiline, language.line_comments)
    }

    /// Returns the signature on one line, not truncated. O(signature), of which 3,840 bytes are read.
    pub fn whole_signature(&self, language: &Language, text: &[u8]) -> String {
        let range = self.signature.start.min(text.len())..self.signature.end.min(text.len());
        let text = text.get(range).unwrap_or_default();
        words::whole_signature(text, self.is_multiline, language.line_comments)
    }

    /// Returns the documentation without comment delimiters, truncated to 4 KiB. O(documentation).
    pub fn doc(&self, text: &[u8]) -> Option<String> {
        let spans: Vec<Range<usize>> =
            self.doc.iter().filter(|span| text.get((*span).clone()).is_some()).cloned().collect();
        match spans.first() {
            Some(span) if self.is_docstring => words::docstring(&text[span.clone()]),
            _ => words::doc(text, &spans),
        }
    }
}

/// The symbols of a file, and the reasons why some may be missing.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Outline {
    /// The symbols in source order; a symbol follows the one that encloses it.
    pub symbols: Vec<Symbol>,
    /// Reasons why symbols may be missing.
    pub problems: Problems,
    /// The line of the first syntax error, from 1; 0 without errors.
    pub first_error_line: usize,
}

impl From<Facts> for Outline {
    fn from(facts: Facts) -> Outline {
        let Facts { symbols, problems, errors, .. } = facts;
        Outline { symbols, problems, first_error_line: errors.first_line }
    }
}

/// Returns the symbols that `text` defines. `path` becomes a part of their ids.
///
/// Never fails: parts that cannot be parsed are counted as problems. O(text) within `limits`.
pub fn outline(language: &'static Language, path: &str, text: &[u8], limits: Limits) -> Outline {
    definitions(language, path, text, limits).into()
}

/// Returns the facts of `text` without references and imports; otherwise as [`facts`].
pub fn definitions(language: &'static Language, path: &str, text: &[u8], limits: Limits) -> Facts {
    walk::extract(language, path, text, limits, false)
}

/// Returns the definitions, references and imports of `text`. `path` becomes a part of the symbols'
/// ids.
///
/// Never fails: parts that cannot be parsed are counted as problems. O(text) within `limits`.
pub fn facts(language: &'static Language, path: &str, text: &[u8], limits: Limits) -> Facts {
    walk::extract(language, path, text, limits, true)
}
