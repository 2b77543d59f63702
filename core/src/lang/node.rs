//! Kinds and fields of syntax nodes by name, without the cost of tree-sitter's own look-ups.
//!
//! `Node::kind` measures and validates a C string at each call, and `Node::child_by_field_name` compares the
//! name with those of all fields of the grammar. The rules of the languages ask for both at nearly every
//! node, so the names of each grammar are kept in a table.

use std::cell::Cell;
use std::sync::Mutex;

use hashbrown::HashMap;
use tree_sitter::{Language, Node, TreeCursor};

/// The names of one grammar.
struct Names {
    language: &'static Language,
    /// The name of each kind, by its id.
    kinds: Vec<&'static str>,
    /// The name of each field, by its id; the first id is 1.
    fields: Vec<&'static str>,
    /// The id of each field, by its name.
    ids: HashMap<&'static str, u16>,
}

/// The tables of all grammars that were used, at most one for each; they are never freed.
static TABLES: Mutex<Vec<&'static Names>> = Mutex::new(Vec::new());

thread_local! {
    /// The table that this thread used last.
    static LAST: Cell<Option<&'static Names>> = const { Cell::new(None) };
}

impl Names {
    fn read(language: &'static Language) -> Names {
        let id = |id: usize| u16::try_from(id).unwrap_or(u16::MAX);
        let kinds = 0..language.node_kind_count();
        let fields = 0..=language.field_count();
        let field = |at| language.field_name_for_id(id(at)).unwrap_or_default();
        Names {
            language,
            kinds: kinds.map(|at| language.node_kind_for_id(id(at)).unwrap_or_default()).collect(),
            ids: fields.clone().skip(1).map(|at| (field(at), id(at))).collect(),
            fields: fields.map(field).collect(),
        }
    }

    /// Returns the table of a node's grammar.
    fn of(node: Node<'_>) -> &'static Names {
        let language = node.language();
        if let Some(names) = LAST.get()
            && *names.language == *language
        {
            return names;
        }
        let mut tables = TABLES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let known = tables.iter().copied().find(|names| *names.language == *language);
        let names = known.unwrap_or_else(|| {
            let names: &'static Names =
                Box::leak(Box::new(Names::read(Box::leak(Box::new(language.clone())))));
            tables.push(names);
            names
        });
        LAST.set(Some(names));
        names
    }
}

/// Look-ups of a node's kind and of its fields.
pub(super) trait NodeNames<'t> {
    /// Returns the same as `Node::kind`.
    fn kind_name(&self) -> &'static str;

    /// Returns the same as `Node::child_by_field_name`: the first child in the field, or `None`, also if the
    /// grammar has no such field.
    fn field(&self, name: &str) -> Option<Node<'t>>;

    /// Returns the number of elements of a list in brackets: named children without the comments
    /// between them. O(1) where it has neither comments nor a comma at its end.
    fn element_count(&self) -> usize;
}

impl<'t> NodeNames<'t> for Node<'t> {
    fn kind_name(&self) -> &'static str {
        match Names::of(*self).kinds.get(usize::from(self.kind_id())) {
            Some(kind) => kind,
            // The kind of a syntax error has the greatest id.
            None => "ERROR",
        }
    }

    fn field(&self, name: &str) -> Option<Node<'t>> {
        self.child_by_field_id(*Names::of(*self).ids.get(name)?)
    }

    fn element_count(&self) -> usize {
        let (all, named) = (self.child_count() as usize, self.named_child_count());
        let last = self.child_count().checked_sub(2).and_then(|at| self.child(at));
        let is_element = last.is_some_and(|last| last.is_named() && !last.is_extra());
        // Two brackets, and a comma between two elements each.
        if named == 0 || all == 2 * named + 1 && is_element {
            return named;
        }
        self.named_children(&mut self.walk()).filter(|child| !child.is_extra()).count()
    }
}

/// Returns the same as `TreeCursor::field_name`: the name of the field that holds the cursor's node, or an
/// empty string.
pub(super) fn field_name(cursor: &TreeCursor<'_>) -> &'static str {
    match cursor.field_id() {
        None => "",
        Some(id) => {
            Names::of(cursor.node()).fields.get(usize::from(id.get())).copied().unwrap_or("")
        }
    }
}
