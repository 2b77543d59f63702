//! What a language's rules see while a syntax tree is walked, and what they answer.

use std::borrow::Cow;
use std::ops::Range;

use tree_sitter::Node;

use super::symbols::{Symbol, SymbolKind, Visibility};

/// A node on the way from the root to the one that is visited.
pub(super) struct Frame<'t> {
    pub(super) node: Node<'t>,
    /// The comments and attributes right before the node.
    pub(super) lead: Lead,
    /// The comments and attributes right before the node's next child.
    pub(super) run: Lead,
    /// The row in which the node's last child ended.
    pub(super) last_row: Option<usize>,
    /// The last marker among the node's children so far.
    pub(super) marker: Option<Node<'t>>,
    /// The symbol around the node's children.
    pub(super) enclosing: Option<usize>,
    /// The node's field of its parent, known to `refer` only; empty for none.
    pub(super) field: &'t str,
}

/// Comments and attributes in a row.
#[derive(Clone, Debug, Default)]
pub(super) struct Lead {
    /// The spans of the comments that document what follows.
    pub(super) comments: Vec<Range<usize>>,
    /// From the first comment or attribute to the end of the last.
    pub(super) span: Range<usize>,
    /// The last row of it.
    pub(super) last_row: usize,
}

/// The visited node with all that lies around it.
pub(super) struct Visit<'a, 't> {
    pub(super) text: &'a [u8],
    /// From the root to the visited node.
    pub(super) frames: &'a [Frame<'t>],
    /// The symbols so far.
    pub(super) symbols: &'a [Symbol],
    /// The symbols that the visited node defines, known to `refer` only.
    pub(super) defined: Range<usize>,
    pub(super) is_taken: &'a dyn Fn(&str) -> bool,
}

impl<'t> Visit<'_, 't> {
    pub(super) fn node(&self) -> Node<'t> {
        self.frames[self.frames.len() - 1].node
    }

    /// Returns the ancestor `levels` above the visited node, which is its own 0th.
    pub(super) fn ancestor(&self, levels: usize) -> Option<Node<'t>> {
        Some(self.frame(levels)?.node)
    }

    /// Returns the kind of the ancestor `levels` above, empty above the root.
    pub(super) fn ancestor_kind(&self, levels: usize) -> &'t str {
        self.ancestor(levels).map_or("", |node| node.kind())
    }

    /// Returns the visited node's field of its parent, empty for none; known to `refer` only.
    pub(super) fn own_field(&self) -> &'t str {
        self.field_above(0)
    }

    /// Returns the field of the ancestor `levels` above, as [`Visit::own_field`] does.
    pub(super) fn field_above(&self, levels: usize) -> &'t str {
        self.frame(levels).map_or("", |frame| frame.field)
    }

    /// Returns the bytes of a node.
    pub(super) fn bytes(&self, node: Node<'_>) -> &[u8] {
        &self.text[node.byte_range()]
    }

    fn frame(&self, levels: usize) -> Option<&Frame<'t>> {
        self.frames.get(self.frames.len().checked_sub(levels + 1)?)
    }

    /// Returns the last marker before the ancestor `levels` above, among its siblings.
    pub(super) fn marker(&self, levels: usize) -> Option<Node<'t>> {
        self.frame(levels + 1)?.marker
    }

    /// Returns the comments and attributes before the ancestor `levels` above, as written.
    pub(super) fn lead(&self, levels: usize) -> Cow<'_, str> {
        let span = self.frame(levels).map_or(0..0, |frame| frame.lead.span.clone());
        String::from_utf8_lossy(&self.text[span])
    }

    /// Returns the place of the symbol that the visited node lies in, or that it defines.
    pub(super) fn enclosing_place(&self) -> Option<usize> {
        self.frame(0)?.enclosing
    }

    /// Returns the symbol that the visited node lies in.
    pub(super) fn enclosing(&self) -> Option<&Symbol> {
        let index = self.frame(1)?.enclosing?;
        self.symbols.get(index)
    }

    /// Returns the place of the symbol that the visited node lies in.
    pub(super) fn around_place(&self) -> Option<usize> {
        self.frame(1)?.enclosing
    }

    /// Returns the kind of the symbol that the visited node lies in.
    pub(super) fn enclosing_kind(&self) -> Option<SymbolKind> {
        self.enclosing().map(|symbol| symbol.kind)
    }

    /// Returns true if something in the same scope has that name already, joined by `separator`.
    pub(super) fn is_defined(&self, name: &str, separator: &str) -> bool {
        match self.enclosing() {
            None => (self.is_taken)(name),
            Some(symbol) => (self.is_taken)(&format!("{}{separator}{name}", symbol.scope)),
        }
    }

    /// Returns true if the symbol at `owner` has a member of that name already.
    pub(super) fn is_member(&self, owner: usize, name: &str, separator: &str) -> bool {
        let scope = self.symbols.get(owner).map_or("", |symbol| symbol.scope.as_str());
        (self.is_taken)(&format!("{scope}{separator}{name}"))
    }

    /// Returns the text of a node, whatever bytes it has.
    pub(super) fn text(&self, node: Node<'t>) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.text[node.byte_range()])
    }

    /// Returns the text of any node as a string of its own.
    pub(super) fn text_of(&self, node: Node<'_>) -> String {
        String::from_utf8_lossy(self.bytes(node)).into_owned()
    }

    /// Returns the text of a node's field.
    pub(super) fn field(&self, node: Node<'t>, field: &str) -> Option<Cow<'_, str>> {
        node.child_by_field_name(field).map(|node| self.text(node))
    }

    /// Returns the first of the first few children of `node` that has that kind.
    pub(super) fn child(&self, node: Node<'t>, kind: &str) -> Option<Node<'t>> {
        (0..8).map_while(|at| node.child(at)).find(|child| child.kind() == kind)
    }
}

/// What a node defines; [`super::symbols`] makes a [`Symbol`] of it.
pub(super) struct Definition<'t> {
    pub(super) kind: SymbolKind,
    pub(super) name: String,
    pub(super) name_span: Range<usize>,
    /// The definition begins and ends this many levels above the visited node.
    pub(super) outer: usize,
    /// Where the signature begins; at the definition's first byte without it.
    pub(super) signature_start: Option<usize>,
    /// Where the body begins.
    pub(super) body: Option<Node<'t>>,
    /// What names inside it are prefixed with, instead of its name; nothing where it is empty.
    pub(super) scope: Option<String>,
    /// The symbol that it belongs to, where that is not the one around it.
    pub(super) owner: Option<usize>,
    /// The type or namespace that the definition names itself, as in `Type::method`.
    pub(super) prefix: Option<String>,
    /// What stands before its name, where it is not the language's separator.
    pub(super) separator: Option<&'static str>,
    pub(super) visibility: Visibility,
    /// Documentation that stands inside of the definition, with its quotes.
    pub(super) docstring: Option<Node<'t>>,
}

impl<'t> Definition<'t> {
    /// Returns a public definition of `kind`, named by the node `name`.
    pub(super) fn new(visit: &Visit<'_, 't>, kind: SymbolKind, name: Node<'t>) -> Definition<'t> {
        Definition {
            kind,
            name: visit.text(name).into_owned(),
            name_span: name.byte_range(),
            outer: 0,
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

    /// Returns a definition named by the field `name` of the visited node, its body in `body`.
    pub(super) fn named(visit: &Visit<'_, 't>, kind: SymbolKind) -> Option<Definition<'t>> {
        let node = visit.node();
        let name = node.child_by_field_name("name")?;
        let body = node.child_by_field_name("body");
        Some(Definition { body, ..Definition::new(visit, kind, name) })
    }
}
