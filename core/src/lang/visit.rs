//! The interface between the tree traversal and the rules of a language: the visited node with its
//! context ([`Visit`]), and the definitions that a rule returns ([`Definition`]).

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use super::symbols::{Symbol, SymbolKind, Visibility};
use crate::lang::node::NodeNames;

/// A node on the path from the root to the visited node.
#[derive(Clone)]
pub(super) struct Frame<'t> {
    pub(super) node: Node<'t>,
    /// The comments and attributes directly before the node.
    pub(super) leading: LeadingTrivia,
    /// The comments and attributes after the last visited child, which precede the next child.
    pub(super) pending: LeadingTrivia,
    /// The row in which the last visited child ends.
    pub(super) last_row: Option<usize>,
    /// The last marker among the visited children.
    pub(super) marker: Option<Node<'t>>,
    /// Index of the symbol that encloses the node's children.
    pub(super) enclosing: Option<usize>,
    /// The name of the parent's field that holds the node, or an empty string. Set only for
    /// `refer`.
    pub(super) field: &'t str,
}

/// Adjacent comments and attributes before a node.
#[derive(Clone, Debug, Default)]
pub(super) struct LeadingTrivia {
    /// The spans of the comments that document the node.
    pub(super) comments: Vec<Range<usize>>,
    /// From the start of the first comment or attribute to the end of the last.
    pub(super) span: Range<usize>,
    /// The last row of the span.
    pub(super) last_row: usize,
}

/// The visited node with its ancestors and the symbols found so far.
pub(super) struct Visit<'a, 't> {
    pub(super) text: &'a [u8],
    /// From the root to the visited node.
    pub(super) frames: &'a [Frame<'t>],
    /// The symbols found so far.
    pub(super) symbols: &'a [Symbol],
    /// Indexes of the symbols that the visited node defines. Set only for `refer`.
    pub(super) defined: Range<usize>,
    /// Number of symbols with each qualified name so far.
    pub(super) ordinals: &'a HashMap<String, usize>,
}

impl<'t> Visit<'_, 't> {
    pub(super) fn node(&self) -> Node<'t> {
        self.frames[self.frames.len() - 1].node
    }

    /// Returns the root of the tree.
    pub(super) fn root(&self) -> Option<Node<'t>> {
        Some(self.frames.first()?.node)
    }

    /// Returns the ancestor `levels` above the visited node; level 0 is the node itself.
    pub(super) fn ancestor(&self, levels: usize) -> Option<Node<'t>> {
        Some(self.frame(levels)?.node)
    }

    /// Returns the kind of the ancestor `levels` above, or an empty string above the root.
    pub(super) fn ancestor_kind(&self, levels: usize) -> &'t str {
        self.ancestor(levels).map_or("", |node| node.kind_name())
    }

    /// Returns the name of the parent's field that holds the visited node, or an empty string.
    /// Available only to `refer`.
    pub(super) fn own_field(&self) -> &'t str {
        self.field_above(0)
    }

    /// Returns the field that holds the ancestor `levels` above, as [`Visit::own_field`] does for
    /// the visited node.
    pub(super) fn field_above(&self, levels: usize) -> &'t str {
        self.frame(levels).map_or("", |frame| frame.field)
    }

    /// Returns the bytes of a node; see [`name_range`].
    pub(super) fn bytes(&self, node: Node<'_>) -> &[u8] {
        &self.text[name_range(self.text, node)]
    }

    fn frame(&self, levels: usize) -> Option<&Frame<'t>> {
        self.frames.get(self.frames.len().checked_sub(levels + 1)?)
    }

    /// Returns the last marker among the siblings before the ancestor `levels` above.
    pub(super) fn marker(&self, levels: usize) -> Option<Node<'t>> {
        self.frame(levels + 1)?.marker
    }

    /// Returns the source text of the comments and attributes before the ancestor `levels` above.
    pub(super) fn leading_text(&self, levels: usize) -> Cow<'_, str> {
        let span = self.frame(levels).map_or(0..0, |frame| frame.leading.span.clone());
        String::from_utf8_lossy(&self.text[span])
    }

    /// Returns the bytes of the comments and attributes before the visited node.
    pub(super) fn leading_span(&self) -> Range<usize> {
        self.frame(0).map_or(0..0, |frame| frame.leading.span.clone())
    }

    /// Returns the index of the symbol that the visited node defines, or else of the one that
    /// encloses it.
    pub(super) fn own_or_enclosing_index(&self) -> Option<usize> {
        self.frame(0)?.enclosing
    }

    /// Returns the symbol that encloses the visited node.
    pub(super) fn enclosing(&self) -> Option<&Symbol> {
        let index = self.frame(1)?.enclosing?;
        self.symbols.get(index)
    }

    /// Returns the index of the symbol that encloses the visited node.
    pub(super) fn enclosing_index(&self) -> Option<usize> {
        self.frame(1)?.enclosing
    }

    /// Returns the kind of the symbol that encloses the visited node.
    pub(super) fn enclosing_kind(&self) -> Option<SymbolKind> {
        self.enclosing().map(|symbol| symbol.kind)
    }

    /// Returns true if the scope of the visited node already has a symbol called `name`, with
    /// `separator` before the name.
    pub(super) fn is_defined(&self, name: &str, separator: &str) -> bool {
        match self.enclosing() {
            None => self.ordinals.contains_key(name),
            Some(symbol) => {
                self.ordinals.contains_key(&format!("{}{separator}{name}", symbol.scope))
            }
        }
    }

    /// Returns true if the symbol with index `owner` already has a member called `name`.
    pub(super) fn is_member(&self, owner: usize, name: &str, separator: &str) -> bool {
        let scope = self.symbols.get(owner).map_or("", |symbol| symbol.scope.as_str());
        self.ordinals.contains_key(&format!("{scope}{separator}{name}"))
    }

    /// Returns the text of a node; invalid UTF-8 is replaced.
    pub(super) fn text(&self, node: Node<'t>) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.text[name_range(self.text, node)])
    }

    /// Returns the text of a node of any tree as an owned string; invalid UTF-8 is replaced.
    pub(super) fn text_of(&self, node: Node<'_>) -> String {
        String::from_utf8_lossy(self.bytes(node)).into_owned()
    }

    /// Returns the text of the child in the field `field` of `node`.
    pub(super) fn field(&self, node: Node<'t>, field: &str) -> Option<Cow<'_, str>> {
        node.field(field).map(|node| self.text(node))
    }

    /// Returns the first child of `node` with the given kind, among the first eight.
    pub(super) fn child(&self, node: Node<'t>, kind: &str) -> Option<Node<'t>> {
        (0..8).map_while(|at| node.child(at)).find(|child| child.kind_name() == kind)
    }
}

/// Returns the span of a node, without the sign before a raw identifier of Rust: `r#match` and `match`
/// are one name.
pub(super) fn name_range(text: &[u8], node: Node<'_>) -> Range<usize> {
    let span = node.byte_range();
    let is_raw = text.get(span.clone()).is_some_and(|own| own.starts_with(b"r#"));
    if is_raw && node.kind_name().ends_with("identifier") { span.start + 2..span.end } else { span }
}

/// A definition found at the visited node, from which [`super::symbols`] builds a [`Symbol`].
pub(super) struct Definition<'t> {
    pub(super) kind: SymbolKind,
    pub(super) name: String,
    pub(super) name_span: Range<usize>,
    /// Number of levels from the visited node up to the node that spans the definition.
    pub(super) outer: usize,
    /// The bytes of a definition that is written before that node, in its documentation. It is a member
    /// of the symbol that the visited node defines.
    pub(super) written: Option<Range<usize>>,
    /// First byte of the signature; by default the first byte of the definition.
    pub(super) signature_start: Option<usize>,
    /// The node at whose start the body begins.
    pub(super) body: Option<Node<'t>>,
    /// Scope for the names inside the definition, in place of its own name. If empty, the
    /// definition does not add a scope.
    pub(super) scope: Option<String>,
    /// Index of the symbol that it is a member of, if that is not the enclosing one.
    pub(super) owner: Option<usize>,
    /// The type or namespace that is written before the name, as in `Type::method`.
    pub(super) prefix: Option<String>,
    /// The separator before its name, if it is not the language's separator.
    pub(super) separator: Option<&'static str>,
    pub(super) visibility: Visibility,
    /// The docstring inside the definition, including its quotes.
    pub(super) docstring: Option<Node<'t>>,
}

impl<'t> Definition<'t> {
    /// Returns a public definition of `kind` whose name is the text of the node `name`.
    pub(super) fn new(visit: &Visit<'_, 't>, kind: SymbolKind, name: Node<'t>) -> Definition<'t> {
        Definition {
            kind,
            name: visit.text(name).into_owned(),
            name_span: name_range(visit.text, name),
            outer: 0,
            written: None,
            signature_start: None,
            body: None,
            scope: None,
            owner: None,
            prefix: None,
            separator: None,
            visibility: Visibility::Public,
            docstring: None,
        }
    }

    /// Returns a definition whose name and body are the fields `name` and `body` of the visited
    /// node.
    pub(super) fn named(visit: &Visit<'_, 't>, kind: SymbolKind) -> Option<Definition<'t>> {
        let node = visit.node();
        let name = node.field("name")?;
        let body = node.field("body");
        Some(Definition { body, ..Definition::new(visit, kind, name) })
    }
}
