//! The traversal of a syntax tree, during which the rules of the language define symbols and record
//! references.

use std::collections::HashMap;

use tree_sitter::{Node, TreeCursor};

use super::{Outline, Symbol, SymbolSource, words};
use crate::lang::embedded::DEPTH_MAX;
use crate::lang::facts::Facts;
use crate::lang::language::Language;
use crate::lang::node::{NodeNames, field_name};
use crate::lang::notes::Notes;
use crate::lang::parse::{Limits, Parsed, Problem, Problems, parse};
use crate::lang::syntax_errors::Collector;
use crate::lang::visit::{Definition, Frame, LeadingTrivia, Visit};
use crate::lang::words::unescaped;

/// Returns the facts of `text`; without references and imports if `with_references` is false.
pub(super) fn extract(
    language: &'static Language,
    path: &str,
    text: &[u8],
    limits: Limits,
    with_references: bool,
) -> Facts {
    let Parsed { tree, is_flattened } = match parse(language, text, limits) {
        Ok(parsed) => parsed,
        Err(problem) => {
            return Facts { problems: Problems::from([(problem, 1)]), ..Facts::default() };
        }
    };
    let mut file = File {
        language,
        path,
        text,
        limits,
        nodes: 0,
        is_stopped: false,
        ordinals: HashMap::new(),
        outline: Outline::default(),
        errors: Collector::default(),
        refer: language.refer.filter(|_| with_references),
        notes: Notes::new(text),
    };
    if is_flattened {
        file.count(Problem::TooDeep);
    }
    let mut walk = Walk { file: &mut file, frames: Vec::new(), found: Vec::new(), embeddings: 0 };
    if walk.enter(tree.root_node(), "") {
        walk.children(tree.walk());
    }
    file.facts()
}

/// What is known of the file during its traversal.
struct File<'a> {
    language: &'static Language,
    path: &'a str,
    text: &'a [u8],
    limits: Limits,
    /// Number of visited nodes.
    nodes: usize,
    /// A limit was reached.
    is_stopped: bool,
    /// Number of symbols with each qualified name so far.
    ordinals: HashMap<String, usize>,
    outline: Outline,
    errors: Collector,
    refer: Option<for<'n> fn(&Visit<'_, 'n>, &mut Notes<'_>)>,
    notes: Notes<'a>,
}

impl File<'_> {
    /// Returns the node of the last frame for a rule that defines symbols.
    fn visit<'v, 't>(&'v self, frames: &'v [Frame<'t>]) -> Visit<'v, 't> {
        let (text, symbols, ordinals) = (self.text, &self.outline.symbols, &self.ordinals);
        Visit { text, frames, symbols, defined: 0..0, ordinals }
    }

    fn count(&mut self, problem: Problem) {
        *self.outline.problems.entry(problem).or_default() += 1;
    }

    /// Counts the node as one that the parser does not understand.
    fn count_error(&mut self, node: Node) {
        self.count(Problem::Syntax);
        self.errors.add(node.byte_range(), first_row(node) + 1);
    }

    /// Ends the traversal if there are too many symbols.
    fn check_symbols(&mut self) {
        if self.outline.symbols.len() > self.limits.symbols_max {
            self.outline.symbols.truncate(self.limits.symbols_max);
            self.stop(Problem::TooManySymbols);
        }
    }

    /// Ends the traversal because of a limit.
    fn stop(&mut self, problem: Problem) {
        self.is_stopped = true;
        self.count(problem);
    }

    fn facts(mut self) -> Facts {
        self.notes.follow_literals();
        if self.notes.is_full() {
            self.count(Problem::TooManyNodes);
        }
        let Outline { mut symbols, problems, .. } = self.outline;
        let errors = self.errors.finish(symbols.iter().map(|symbol| &symbol.span));
        let chains = self.notes.chains(&symbols);
        self.notes.limit_wrapped();
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
        Facts { symbols, references, imports, package, problems, errors }
    }
}

/// One traversal of a syntax tree. It is iterative, so that deep trees cannot overflow the stack;
/// only embedded code is visited recursively, up to [`DEPTH_MAX`] levels.
struct Walk<'f, 'a, 't> {
    file: &'f mut File<'a>,
    frames: Vec<Frame<'t>>,
    found: Vec<Definition<'t>>,
    /// Number of embedded codes around the visited node.
    embeddings: usize,
}

impl<'t> Walk<'_, '_, 't> {
    /// Visits the descendants of the cursor's node, up to the limits of the file.
    fn children(&mut self, mut cursor: TreeCursor<'t>) {
        let depth = self.frames.len();
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let node = cursor.node();
            let names_field = self.file.refer.is_some() && node.is_named();
            let field = if names_field { field_name(&cursor) } else { "" };
            let descends = self.enter(node, field);
            self.file.check_symbols();
            if self.file.is_stopped {
                return;
            }
            if descends && cursor.goto_first_child() {
                continue;
            }
            self.leave();
            while !cursor.goto_next_sibling() {
                if self.frames.len() == depth || !cursor.goto_parent() {
                    return;
                }
                self.leave();
            }
        }
    }

    /// Visits a node and returns true if its children are to be visited.
    fn enter(&mut self, node: Node<'t>, field: &'t str) -> bool {
        self.file.nodes += 1;
        if self.file.nodes > self.file.limits.nodes_max {
            self.file.stop(Problem::TooManyNodes);
            return false;
        }
        let language = self.file.language;
        let is_comment = language.comments.contains(&node.kind_name());
        let enclosing = self.frames.last().and_then(|frame| frame.enclosing);
        let leading = match self.frames.last_mut() {
            Some(parent) if !is_comment => parent.take_leading(node),
            _ => LeadingTrivia::default(),
        };
        let (pending, last_row, marker) = (LeadingTrivia::default(), None, None);
        self.frames.push(Frame { node, leading, pending, last_row, marker, enclosing, field });
        if is_comment {
            self.file.errors.add_comment(node.byte_range());
            return false;
        }
        if node.is_error() || node.is_missing() {
            self.file.count_error(node);
        }
        if node.is_named() {
            if self.file.refer.is_some() {
                self.file.notes.settle(node.start_byte());
                if language.scopes.contains(&node.kind_name()) {
                    self.file.notes.open(self.frames.len());
                }
            }
            let first = self.file.outline.symbols.len();
            self.define();
            self.refer(first);
            if self.embedded() {
                return false;
            }
        }
        let descends = self.frames.len() < self.file.limits.depth_max;
        if !descends && node.child_count() > 0 {
            self.file.count(Problem::TooDeep);
        }
        descends
    }

    /// Visits the code in the visited node, if there is any, and returns true if that replaces the
    /// node's children.
    fn embedded(&mut self) -> bool {
        let Some(embedded) = self.file.language.embedded.filter(|_| self.embeddings < DEPTH_MAX)
        else {
            return false;
        };
        let visit = self.file.visit(&self.frames);
        let node = visit.node();
        let Some(found) = embedded(&visit) else { return false };
        let tree = match found.parse(self.file.language, self.file.text, self.file.limits) {
            Ok(Some(tree)) => tree,
            Ok(None) => {
                if !found.is_optional {
                    self.file.count_error(node);
                }
                return false;
            }
            Err(problem) => {
                self.file.count(problem);
                return false;
            }
        };
        let Some(above) = self.frames.len().checked_sub(found.levels + 1) else { return false };
        let mut frames: Vec<Frame<'_>> = self.frames[..above].to_vec();
        if let Some(parent) = frames.last_mut() {
            parent.pending = LeadingTrivia::default();
            parent.last_row = None;
        }
        let embeddings = self.embeddings + 1;
        let mut walk = Walk { file: &mut *self.file, frames, found: Vec::new(), embeddings };
        walk.children(tree.walk());
        true
    }

    /// Leaves a node. Its parent frame keeps a comment or attribute for the next child.
    fn leave(&mut self) {
        self.file.notes.close(self.frames.len());
        let Some(Frame { node, leading, .. }) = self.frames.pop() else { return };
        let Some(parent) = self.frames.last_mut() else { return };
        if node.is_extra() || node.is_named() {
            let kind = node.kind_name();
            let language = self.file.language;
            if language.comments.contains(&kind) {
                parent.add_comment(node, language.doc_comments, self.file.text);
            } else if language.attributes.contains(&kind) {
                parent.pending = leading;
                parent.pending.extend(node);
            }
            if language.markers.contains(&kind) {
                parent.marker = Some(node);
            }
        }
        parent.last_row = Some(last_row(node));
    }

    fn define(&mut self) {
        let mut found = std::mem::take(&mut self.found);
        (self.file.language.define)(&self.file.visit(&self.frames), &mut found);
        let mut last = None;
        for definition in found.drain(..) {
            let is_callable = definition.kind.is_callable() && definition.written.is_none();
            let is_member = definition.owner.is_some() && !is_callable;
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
        let file = &mut *self.file;
        let Some(refer) = file.refer else { return };
        let start = self.frames.last().map_or(0, |frame| frame.node.start_byte());
        if file.notes.is_finished(start) {
            return;
        }
        let visit = Visit {
            text: file.text,
            frames: &self.frames,
            symbols: &file.outline.symbols,
            defined: first..file.outline.symbols.len(),
            ordinals: &file.ordinals,
        };
        refer(&visit, &mut file.notes);
    }

    /// Adds a symbol and returns its index, or `None` if its name is empty.
    fn add(&mut self, definition: Definition<'t>) -> Option<usize> {
        let name = words::name(&unescaped(&definition.name));
        if name.is_empty() {
            return None;
        }
        let file = &mut *self.file;
        let outer = &self.frames[self.frames.len().checked_sub(definition.outer + 1)?];
        // The parent frame has the symbol that encloses the new definition.
        let enclosing = self.frames.len().checked_sub(2).and_then(|at| self.frames[at].enclosing);
        let parent = definition.owner.or(enclosing);
        let outer_scope = parent.map_or("", |parent| file.outline.symbols[parent].scope.as_str());
        let separator = definition.separator.unwrap_or(file.language.separator);
        let prefix = match &definition.prefix {
            None => outer_scope.to_owned(),
            Some(prefix) => words::join(outer_scope, file.language.separator, &words::name(prefix)),
        };
        let qualified_name = words::join(&prefix, separator, &name);
        let scope = match &definition.scope {
            None => qualified_name.clone(),
            Some(scope) if scope.is_empty() => outer_scope.to_owned(),
            Some(scope) => words::join(&prefix, separator, &words::name(scope)),
        };
        let node = outer.node;
        let mut source = source(node, &definition, &outer.leading);
        let (mut span, mut line) = (node.byte_range(), node.start_position().row + 1);
        let mut end_line = last_row(node) + 1;
        if let Some(written) = definition.written.clone()
            && let Some(between) = file.text.get(written.start..node.start_byte())
        {
            line = line.saturating_sub(memchr::memchr_iter(b'\n', between).count()).max(1);
            end_line = line;
            source = SymbolSource { signature: written.clone(), ..SymbolSource::default() };
            span = written;
        }
        let doc = source.doc(file.text);
        let signature = source.signature(file.language, file.text);
        let ordinal = file.ordinals.entry(qualified_name.clone()).or_default();
        let id = format!("{}#{qualified_name}#{ordinal}", file.path);
        *ordinal += 1;
        file.outline.symbols.push(Symbol {
            id,
            name,
            qualified_name,
            kind: definition.kind,
            span,
            name_span: definition.name_span,
            line,
            end_line,
            signature,
            doc,
            visibility: definition.visibility,
            parent,
            depth: parent.map_or(0, |parent| file.outline.symbols[parent].depth + 1),
            type_chain: None,
            bases: Vec::new(),
            source,
            scope,
        });
        Some(file.outline.symbols.len() - 1)
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

/// Returns the row of the first token of an error that belongs to no construct inside it: the error of a
/// construct that is never closed can begin with the text. O(children).
fn first_row(error: Node) -> usize {
    let mut cursor = error.walk();
    let mut children = error.children(&mut cursor);
    let token = children.find(|child| child.child_count() == 0 && !child.is_extra());
    token.unwrap_or(error).start_position().row
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
