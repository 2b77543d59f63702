//! Symbols: the definitions of a file, in the order of its text, nested as they stand there.

use std::collections::HashMap;
use std::ops::Range;

use serde::Serialize;
use tree_sitter::{Node, TreeCursor};

use super::facts::{Chain, Facts};
use super::language::Language;
use super::notes::Notes;
use super::parse::{Limits, Problem, Problems, parse};
use super::visit::{Definition, Frame, Lead, Visit};

mod words;

/// What sort of definition a symbol is.
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
    /// Another name for a type, or a type of its own that is no struct, class or enumeration.
    Type,
    /// A function that belongs to no type.
    Function,
    /// A function of a type.
    Method,
    /// A function that makes a value of its type.
    Constructor,
    /// A function's declaration without its body.
    Prototype,
    /// A macro.
    Macro,
    /// A named constant.
    Constant,
    /// A variable that belongs to no function.
    Variable,
    /// A variable of a type's instances.
    Field,
    /// What is read and written as a field, but runs code.
    Property,
    /// A heading and what stands under it.
    Section,
    /// A key of a configuration file.
    Key,
    /// A target of a build, a stage of an image.
    Target,
    /// A style rule's selector.
    Selector,
    /// A table or view of a database.
    Table,
    /// A block of a configuration language, with its labels.
    Block,
}

impl SymbolKind {
    /// Every kind; a kind's place is its code in the index.
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

    /// Returns true if it is called with arguments, so that its signature may need several lines.
    pub fn is_callable(self) -> bool {
        use SymbolKind::{Constructor, Function, Method, Prototype};
        matches!(self, Function | Method | Constructor | Prototype)
    }
}

/// Who may use a symbol, by the rules of its language.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Everybody.
    Public,
    /// A package, crate or other part of the program.
    Internal,
    /// A type and those derived from it.
    Protected,
    /// The file, module or type alone.
    Private,
}

/// A definition.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Symbol {
    /// Path, qualified name and ordinal: the same as long as these are. Unique in a file.
    pub id: String,
    /// The name as it is written.
    pub name: String,
    /// The name with those of the scopes around it, joined by the language's separator.
    pub qualified_name: String,
    /// What sort of definition it is.
    pub kind: SymbolKind,
    /// Bytes from the definition's start to its end, wrappers such as `export` and decorators
    /// included, comments before it not.
    pub span: Range<usize>,
    /// The bytes of its name.
    pub name_span: Range<usize>,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line, from 1.
    pub end_line: usize,
    /// The definition up to its body, on one line.
    pub signature: String,
    /// The comment or docstring that documents it, without its marks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// Who may use it.
    pub visibility: Visibility,
    /// The symbol around it: its place in [`Outline::symbols`], before this one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// How many symbols are around it.
    pub depth: usize,
    /// What a call of it returns, or how its value comes about; of an alias, what it stands for.
    #[serde(skip)]
    pub type_chain: Option<Chain>,
    /// The types that it extends or implements.
    #[serde(skip)]
    pub bases: Vec<Chain>,
    /// Where signature and documentation stand in the text.
    #[serde(skip)]
    pub source: Source,
    /// What stands before the names of symbols inside it.
    #[serde(skip)]
    pub(crate) scope: String,
}

/// Where a symbol's signature and documentation stand in the text, to be made of it again.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Source {
    /// The bytes of the definition up to its body.
    pub signature: Range<usize>,
    /// All of them are the signature; otherwise their first line is.
    pub is_whole: bool,
    /// The bytes of the comments that document it, or of the docstring.
    pub doc: Vec<Range<usize>>,
    /// `doc` is a docstring.
    pub is_docstring: bool,
}

impl Source {
    /// Returns the signature on one line, cut at 240 bytes. O(its bytes).
    pub fn signature(&self, language: &Language, text: &[u8]) -> String {
        let range = self.signature.start.min(text.len())..self.signature.end.min(text.len());
        words::signature(text.get(range).unwrap_or_default(), self.is_whole, language.line_comments)
    }

    /// Returns the documentation without its marks, cut at 4 KiB. O(its bytes).
    pub fn doc(&self, text: &[u8]) -> Option<String> {
        let spans: Vec<Range<usize>> =
            self.doc.iter().filter(|span| text.get((*span).clone()).is_some()).cloned().collect();
        match spans.first() {
            Some(span) if self.is_docstring => words::docstring(&text[span.clone()]),
            _ => words::doc(text, &spans),
        }
    }
}

/// The symbols of a file and what is missing from them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Outline {
    /// In the order of their text; a symbol comes after the one that it lies in.
    pub symbols: Vec<Symbol>,
    /// Why symbols may be missing.
    pub problems: Problems,
}

/// Returns the symbols that `text` defines. `path` becomes a part of their ids.
///
/// Never fails: what is not understood is counted. O(text) within `limits`.
pub fn outline(language: &'static Language, path: &str, text: &[u8], limits: Limits) -> Outline {
    let facts = read(language, path, text, limits, false);
    Outline { symbols: facts.symbols, problems: facts.problems }
}

/// Returns what `text` defines, refers to and imports. `path` becomes a part of symbols' ids.
///
/// Never fails: what is not understood is counted. O(text) within `limits`.
pub fn facts(language: &'static Language, path: &str, text: &[u8], limits: Limits) -> Facts {
    read(language, path, text, limits, true)
}

fn read(
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

/// One walk over a syntax tree, from node to node without recursion.
struct Walk<'a, 't> {
    language: &'static Language,
    path: &'a str,
    text: &'a [u8],
    limits: Limits,
    /// How many symbols have a qualified name so far.
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
            let goes_in = self.enter(node, field);
            if self.outline.symbols.len() > self.limits.symbols_max {
                self.outline.symbols.truncate(self.limits.symbols_max);
                return self.count(Problem::TooManySymbols);
            }
            if goes_in && cursor.goto_first_child() {
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

    /// Looks at a node and returns true if its children are to be looked at.
    fn enter(&mut self, node: Node<'t>, field: &'t str) -> bool {
        let is_comment = self.language.comments.contains(&node.kind());
        let enclosing = self.frames.last().and_then(|frame| frame.enclosing);
        let lead = match self.frames.last_mut() {
            Some(parent) if !is_comment => parent.lead_of(node),
            _ => Lead::default(),
        };
        let (run, last_row, marker) = (Lead::default(), None, None);
        self.frames.push(Frame { node, lead, run, last_row, marker, enclosing, field });
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
        let goes_in = self.frames.len() < self.limits.depth_max;
        if !goes_in && node.child_count() > 0 {
            self.count(Problem::TooDeep);
        }
        goes_in
    }

    /// Leaves a node, whose parent remembers what may belong to the next child.
    fn leave(&mut self) {
        self.notes.close(self.frames.len());
        let Some(Frame { node, lead, .. }) = self.frames.pop() else { return };
        let Some(parent) = self.frames.last_mut() else { return };
        if node.is_extra() || node.is_named() {
            let kind = node.kind();
            if self.language.comments.contains(&kind) {
                parent.add_comment(node, self.language.doc_comments, self.text);
            } else if self.language.attributes.contains(&kind) {
                parent.run = lead;
                parent.run.extend(node);
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
            is_taken: &|name| ordinals.contains_key(name),
        };
        (self.language.define)(&visit, &mut found);
        let mut last = None;
        for definition in found.drain(..) {
            let is_member = definition.owner.is_some() && !definition.kind.is_callable();
            let place = self.add(definition);
            // A field that a method sets does not lie around what it is set to.
            last = if is_member { last } else { place };
        }
        self.found = found;
        if let (Some(last), Some(frame)) = (last, self.frames.last_mut()) {
            frame.enclosing = Some(last);
        }
    }

    /// Lets the language note what the visited node refers to; it defined the symbols from `first`.
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
            is_taken: &|name| ordinals.contains_key(name),
        };
        refer(&visit, &mut self.notes);
    }

    fn facts(mut self) -> Facts {
        self.notes.follow_literals();
        let Outline { mut symbols, problems } = self.outline;
        let chains = self.notes.chains(&symbols);
        let Notes { mut references, imports, package, bases, .. } = self.notes;
        for (place, chain) in chains {
            if let Some(symbol) = symbols.get_mut(place) {
                symbol.type_chain.get_or_insert(chain);
            }
        }
        for (place, chain) in bases {
            if let Some(symbol) = symbols.get_mut(place) {
                symbol.bases.push(chain);
            }
        }
        references.retain(|reference| reference.enclosing.is_none_or(|at| at < symbols.len()));
        references.sort_by_key(|reference| (reference.span.start, reference.role));
        references.dedup_by(|b, a| a.span == b.span && a.role == b.role);
        Facts { symbols, references, imports, package, problems }
    }

    /// Adds a symbol and returns its place, unless it has no name.
    fn add(&mut self, definition: Definition<'t>) -> Option<usize> {
        let name = words::name(&definition.name);
        if name.is_empty() {
            return None;
        }
        let outer = &self.frames[self.frames.len().checked_sub(definition.outer + 1)?];
        // The frame above is not yet inside of what is being defined.
        let around = self.frames.len().checked_sub(2).and_then(|at| self.frames[at].enclosing);
        let parent = definition.owner.or(around);
        let around = parent.map_or("", |parent| self.outline.symbols[parent].scope.as_str());
        let separator = definition.separator.unwrap_or(self.language.separator);
        let prefix = match &definition.prefix {
            None => around.to_owned(),
            Some(prefix) => words::join(around, self.language.separator, &words::name(prefix)),
        };
        let qualified_name = words::join(&prefix, separator, &name);
        let scope = match &definition.scope {
            None => qualified_name.clone(),
            Some(scope) if scope.is_empty() => around.to_owned(),
            Some(scope) => words::join(&prefix, separator, &words::name(scope)),
        };
        let node = outer.node;
        let source = source(node, &definition, &outer.lead);
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

fn source(node: Node, definition: &Definition, lead: &Lead) -> Source {
    let start = definition.signature_start.unwrap_or(node.start_byte());
    let end = definition.body.map_or(node.end_byte(), |body| body.start_byte()).max(start);
    let is_whole = definition.body.is_some() || definition.kind.is_callable();
    let doc = match definition.docstring {
        Some(docstring) => vec![docstring.byte_range()],
        None => lead.comments.clone(),
    };
    Source { signature: start..end, is_whole, doc, is_docstring: definition.docstring.is_some() }
}

/// Returns the row in which a node ends; one that ends before a line's first byte ended above it.
fn last_row(node: Node) -> usize {
    let (start, end) = (node.start_position(), node.end_position());
    if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row }
}

impl Frame<'_> {
    /// Takes what stands right before the child `node`.
    fn lead_of(&mut self, node: Node) -> Lead {
        let lead = std::mem::take(&mut self.run);
        let row = node.start_position().row;
        let touches = !lead.span.is_empty() && row <= lead.last_row + 1;
        if touches { lead } else { Lead::default() }
    }

    fn add_comment(&mut self, node: Node, marks: &[&str], text: &[u8]) {
        // A comment behind code belongs to that code.
        if self.last_row == Some(node.start_position().row) && self.run.span.is_empty() {
            return;
        }
        if node.start_position().row > self.run.last_row + 1 {
            self.run = Lead::default();
        }
        let comment = &text[node.byte_range()];
        if marks.is_empty() || marks.iter().any(|mark| comment.starts_with(mark.as_bytes())) {
            self.run.comments.push(node.byte_range());
        } else {
            self.run.comments.clear();
        }
        self.run.extend(node);
    }
}

impl Lead {
    fn extend(&mut self, node: Node) {
        let start = if self.span.is_empty() { node.start_byte() } else { self.span.start };
        self.span = start..node.end_byte();
        self.last_row = last_row(node);
    }
}
