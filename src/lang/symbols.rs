//! Symbols: the definitions of a file, in source order and with their nesting.

use std::collections::HashMap;
use std::ops::Range;

use serde::Serialize;
use tree_sitter::{Node, TreeCursor};

use super::facts::{Chain, Facts};
use super::language::Language;
use super::notes::Notes;
use super::parse::{Limits, Problem, Problems, parse};
use super::visit::{Definition, Frame, LeadingTrivia, Visit};

mod words;

/// The kind of a definition.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
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
    /// The types that it extends or implements.
    #[serde(skip)]
    pub bases: Vec<Chain>,
    /// The spans of signature and documentation in the text.
    #[serde(skip)]
    pub source: SymbolSource,
    /// The prefix of the qualified names of the symbols inside it.
    #[serde(skip)]
    pub(crate) scope: String,
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
}

/// Returns the symbols that `text` defines. `path` becomes a part of their ids.
///
/// Never fails: parts that cannot be parsed are counted as problems. O(text) within `limits`.
pub fn outline(language: &'static Language, path: &str, text: &[u8], limits: Limits) -> Outline {
    let facts = extract(language, path, text, limits, false);
    Outline { symbols: facts.symbols, problems: facts.problems }
}

/// Returns the definitions, references and imports of `text`. `path` becomes a part of the symbols'
/// ids.
///
/// Never fails: parts that cannot be parsed are counted as problems. O(text) within `limits`.
pub fn facts(language: &'static Language, path: &str, text: &[u8], limits: Limits) -> Facts {
    extract(language, path, text, limits, true)
}

fn extract(
    language: &'static Language,
    path: &str,
    text: &[u8],
    limits: Limits,
    with_references: bool,
) -> Facts {
    let tree = match parse(language, text, limits) {
        Ok(tree) => tree,
        Err(problem) => {
            return Facts { problems: Problems::from([(problem, 1)]), ..Facts::default() };
        }
    };
    let mut walk = Walk {
        language,
        path,
        text,
        limits,
        ordinals: HashMap::new(),
        frames: Vec::new(),
        found: Vec::new(),
        outline: Outline::default(),
        refer: language.refer.filter(|_| with_references),
        notes: Notes::new(text),
    };
    walk.run(tree.walk());
    walk.facts()
}

/// One traversal of a syntax tree. It is iterative, so that deep trees cannot overflow the stack.
struct Walk<'a, 't> {
    language: &'static Language,
    path: &'a str,
    text: &'a [u8],
    limits: Limits,
    /// Number of symbols with each qualified name so far.
    ordinals: HashMap<String, usize>,
    frames: Vec<Frame<'t>>,
    found: Vec<Definition<'t>>,
    outline: Outline,
    refer: Option<for<'n> fn(&Visit<'_, 'n>, &mut Notes<'_>)>,
    notes: Notes<'a>,
}

impl<'t> Walk<'_, 't> {
    fn run(&mut self, mut cursor: TreeCursor<'t>) {
        let mut nodes = 0;
        loop {
            nodes += 1;
            if nodes > self.limits.nodes_max {
                return self.count(Problem::TooManyNodes);
            }
            let node = cursor.node();
            let names_field = self.refer.is_some() && node.is_named();
            let field = if names_field { cursor.field_name().unwrap_or("") } else { "" };
            let descends = self.enter(node, field);
            if self.outline.symbols.len() > self.limits.symbols_max {
                self.outline.symbols.truncate(self.limits.symbols_max);
                return self.count(Problem::TooManySymbols);
            }
            if descends && cursor.goto_first_child() {
                continue;
            }
            self.leave();
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.leave();
            }
        }
    }

    /// Visits a node and returns true if its children are to be visited.
    fn enter(&mut self, node: Node<'t>, field: &'t str) -> bool {
        let is_comment = self.language.comments.contains(&node.kind());
        let enclosing = self.frames.last().and_then(|frame| frame.enclosing);
        let leading = match self.frames.last_mut() {
            Some(parent) if !is_comment => parent.take_leading(node),
            _ => LeadingTrivia::default(),
        };
        let (pending, last_row, marker) = (LeadingTrivia::default(), None, None);
        self.frames.push(Frame { node, leading, pending, last_row, marker, enclosing, field });
        if is_comment {
            return false;
        }
        if node.is_error() || node.is_missing() {
            self.count(Problem::Syntax);
        }
        if node.is_named() {
            if self.refer.is_some() {
                self.notes.settle(node.start_byte());
                if self.language.scopes.contains(&node.kind()) {
                    self.notes.open(self.frames.len());
                }
            }
            let first = self.outline.symbols.len();
            self.define();
            self.refer(first);
        }
        let descends = self.frames.len() < self.limits.depth_max;
        if !descends && node.child_count() > 0 {
            self.count(Problem::TooDeep);
        }
        descends
    }

    /// Leaves a node. Its parent frame keeps a comment or attribute for the next child.
    fn leave(&mut self) {
        self.notes.close(self.frames.len());
        let Some(Frame { node, leading, .. }) = self.frames.pop() else { return };
        let Some(parent) = self.frames.last_mut() else { return };
        if node.is_extra() || node.is_named() {
            let kind = node.kind();
            if self.language.comments.contains(&kind) {
                parent.add_comment(node, self.language.doc_comments, self.text);
            } else if self.language.attributes.contains(&kind) {
                parent.pending = leading;
                parent.pending.extend(node);
            }
            if self.language.markers.contains(&kind) {
                parent.marker = Some(node);
            }
        }
        parent.last_row = Some(last_row(node));
    }

    fn define(&mut self) {
        let mut found = std::mem::take(&mut self.found);
        let ordinals = &self.ordinals;
        let visit = Visit {
            text: self.text,
            frames: &self.frames,
            symbols: &self.outline.symbols,
            defined: 0..0,
            is_name_defined: &|name| ordinals.contains_key(name),
        };
        (self.language.define)(&visit, &mut found);
        let mut last = None;
        for definition in found.drain(..) {
            let is_member = definition.owner.is_some() && !definition.kind.is_callable();
            let index = self.add(definition);
            // A field that a method assigns does not enclose the assigned expression.
            last = if is_member { last } else { index };
        }
        self.found = found;
        if let (Some(last), Some(frame)) = (last, self.frames.last_mut()) {
            frame.enclosing = Some(last);
        }
    }

    /// Lets the language record the references of the visited node, which defined the symbols from
    /// index `first` on.
    fn refer(&mut self, first: usize) {
        let Some(refer) = self.refer else { return };
        let start = self.frames.last().map_or(0, |frame| frame.node.start_byte());
        if self.notes.is_finished(start) {
            return;
        }
        let ordinals = &self.ordinals;
        let visit = Visit {
            text: self.text,
            frames: &self.frames,
            symbols: &self.outline.symbols,
            defined: first..self.outline.symbols.len(),
            is_name_defined: &|name| ordinals.contains_key(name),
        };
        refer(&visit, &mut self.notes);
    }

    fn facts(mut self) -> Facts {
        self.notes.follow_literals();
        let Outline { mut symbols, problems } = self.outline;
        let chains = self.notes.chains(&symbols);
        let Notes { mut references, imports, package, bases, .. } = self.notes;
        for (index, chain) in chains {
            if let Some(symbol) = symbols.get_mut(index) {
                symbol.type_chain.get_or_insert(chain);
            }
        }
        for (index, chain) in bases {
            if let Some(symbol) = symbols.get_mut(index) {
                symbol.bases.push(chain);
            }
        }
        references.retain(|reference| reference.enclosing.is_none_or(|at| at < symbols.len()));
        references.sort_by_key(|reference| (reference.span.start, reference.role));
        references.dedup_by(|b, a| a.span == b.span && a.role == b.role);
        Facts { symbols, references, imports, package, problems }
    }

    /// Adds a symbol and returns its index, or `None` if its name is empty.
    fn add(&mut self, definition: Definition<'t>) -> Option<usize> {
        let name = words::name(&definition.name);
        if name.is_empty() {
            return None;
        }
        let outer = &self.frames[self.frames.len().checked_sub(definition.outer + 1)?];
        // The parent frame has the symbol that encloses the new definition.
        let enclosing = self.frames.len().checked_sub(2).and_then(|at| self.frames[at].enclosing);
        let parent = definition.owner.or(enclosing);
        let outer_scope = parent.map_or("", |parent| self.outline.symbols[parent].scope.as_str());
        let separator = definition.separator.unwrap_or(self.language.separator);
        let prefix = match &definition.prefix {
            None => outer_scope.to_owned(),
            Some(prefix) => words::join(outer_scope, self.language.separator, &words::name(prefix)),
        };
        let qualified_name = words::join(&prefix, separator, &name);
        let scope = match &definition.scope {
            None => qualified_name.clone(),
            Some(scope) if scope.is_empty() => outer_scope.to_owned(),
            Some(scope) => words::join(&prefix, separator, &words::name(scope)),
        };
        let node = outer.node;
        let source = source(node, &definition, &outer.leading);
        let doc = source.doc(self.text);
        let signature = source.signature(self.language, self.text);
        let ordinal = self.ordinals.entry(qualified_name.clone()).or_default();
        let id = format!("{}#{qualified_name}#{ordinal}", self.path);
        *ordinal += 1;
        self.outline.symbols.push(Symbol {
            id,
            name,
            qualified_name,
            kind: definition.kind,
            span: node.byte_range(),
            name_span: definition.name_span,
            line: node.start_position().row + 1,
            end_line: last_row(node) + 1,
            signature,
            doc,
            visibility: definition.visibility,
            parent,
            depth: parent.map_or(0, |parent| self.outline.symbols[parent].depth + 1),
            type_chain: None,
            bases: Vec::new(),
            source,
            scope,
        });
        Some(self.outline.symbols.len() - 1)
    }

    fn count(&mut self, problem: Problem) {
        *self.outline.problems.entry(problem).or_default() += 1;
    }
}

fn source(node: Node, definition: &Definition, leading: &LeadingTrivia) -> SymbolSource {
    let start = definition.signature_start.unwrap_or(node.start_byte());
    let end = definition.body.map_or(node.end_byte(), |body| body.start_byte()).max(start);
    let is_multiline = definition.body.is_some() || definition.kind.is_callable();
    let doc = match definition.docstring {
        Some(docstring) => vec![docstring.byte_range()],
        None => leading.comments.clone(),
    };
    SymbolSource {
        signature: start..end,
        is_multiline,
        doc,
        is_docstring: definition.docstring.is_some(),
    }
}

/// Returns the last row of a node. A node that ends before the first byte of a row does not include
/// that row.
fn last_row(node: Node) -> usize {
    let (start, end) = (node.start_position(), node.end_position());
    if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row }
}

impl Frame<'_> {
    /// Takes the comments and attributes directly before the child `node`.
    fn take_leading(&mut self, node: Node) -> LeadingTrivia {
        let leading = std::mem::take(&mut self.pending);
        let row = node.start_position().row;
        let is_adjacent = !leading.span.is_empty() && row <= leading.last_row + 1;
        if is_adjacent { leading } else { LeadingTrivia::default() }
    }

    fn add_comment(&mut self, node: Node, doc_prefixes: &[&str], text: &[u8]) {
        // A comment after code on the same line belongs to that code.
        if self.last_row == Some(node.start_position().row) && self.pending.span.is_empty() {
            return;
        }
        if node.start_position().row > self.pending.last_row + 1 {
            self.pending = LeadingTrivia::default();
        }
        let comment = &text[node.byte_range()];
        let is_doc = doc_prefixes.is_empty()
            || doc_prefixes.iter().any(|prefix| comment.starts_with(prefix.as_bytes()));
        if is_doc {
            self.pending.comments.push(node.byte_range());
        } else {
            self.pending.comments.clear();
        }
        self.pending.extend(node);
    }
}

impl LeadingTrivia {
    fn extend(&mut self, node: Node) {
        let start = if self.span.is_empty() { node.start_byte() } else { self.span.start };
        self.span = start..node.end_byte();
        self.last_row = last_row(node);
    }
}
