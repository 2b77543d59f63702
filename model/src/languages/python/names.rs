//! What a whole file imports, assigns and declares: what is known before its parts are lowered.

use crate::ir::Name;
use crate::lower::children;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use tree_sitter::Node;

/// Names of one file.
#[derive(Default)]
pub(super) struct Names {
    /// Modules and their names, by the name here.
    pub(super) imports: FxHashMap<Name, (Name, Option<Name>)>,
    /// Members that something assigns.
    pub(super) assigned: FxHashSet<Name>,
    /// Functions in classes, by the start of the class.
    pub(super) methods: FxHashSet<(usize, Name)>,
    /// Members that run code when they are read.
    pub(super) computed: FxHashSet<Name>,
    /// Type variables, with the place of their bound.
    pub(super) variables: FxHashMap<Name, Option<Range<usize>>>,
    /// Types that the file declares.
    pub(super) types: FxHashSet<Name>,
}

impl Names {
    /// Reads a file.
    pub(super) fn of(root: Node<'_>, text: &[u8]) -> Self {
        let mut names = Self::default();
        let mut open = vec![(root, None)];
        while let Some((node, class)) = open.pop() {
            names.read(node, class, text);
            let class = match node.kind() {
                "class_definition" => Some(node.start_byte()),
                // What is in a method is none.
                "function_definition" => None,
                _ => class,
            };
            open.extend(children(node).into_iter().map(|child| (child, class)));
        }
        names
    }

    fn read(&mut self, node: Node<'_>, class: Option<usize>, text: &[u8]) {
        let name = |node: Node<'_>| -> Name {
            String::from_utf8_lossy(&text[node.byte_range()]).as_ref().into()
        };
        let field = |of: &str| node.child_by_field_name(of);
        match node.kind() {
            "import_statement" => {
                let mut cursor = node.walk();
                for listed in node.children_by_field_name("name", &mut cursor) {
                    let of = listed.child_by_field_name("name").unwrap_or(listed);
                    let alias = listed.child_by_field_name("alias").or(of.named_child(0));
                    let alias = alias.unwrap_or(of);
                    self.imports.insert(name(alias), (name(of), None));
                }
            }
            "import_from_statement" => {
                let Some(module) = field("module_name") else { return };
                let mut cursor = node.walk();
                for listed in node.children_by_field_name("name", &mut cursor) {
                    let of = listed.child_by_field_name("name").unwrap_or(listed);
                    let alias = listed.child_by_field_name("alias").unwrap_or(of);
                    self.imports.insert(name(alias), (name(module), Some(name(of))));
                }
            }
            "function_definition" => {
                let of = field("name").map(name).zip(class);
                self.methods.extend(of.map(|(name, class)| (class, name)));
            }
            "class_definition" => self.types.extend(field("name").map(name)),
            "decorated_definition" => {
                let is_property = children(node).into_iter().any(|child| {
                    let of = child.named_child(0).filter(|_| child.kind() == "decorator");
                    of.is_some_and(|of| last_name(of, text).ends_with(b"property"))
                });
                let of = field("definition").and_then(|of| of.child_by_field_name("name"));
                self.computed.extend(of.filter(|_| is_property).map(name));
            }
            "assignment" => self.assignment(node, text),
            _ => {}
        }
    }

    fn assignment(&mut self, node: Node<'_>, text: &[u8]) {
        let name = |node: Node<'_>| -> Name {
            String::from_utf8_lossy(&text[node.byte_range()]).as_ref().into()
        };
        let Some(left) = node.child_by_field_name("left") else { return };
        let right = node.child_by_field_name("right");
        let is_call = right.is_some_and(|right| right.kind() == "call");
        let block = node.parent().and_then(|statement| statement.parent());
        let is_member =
            block.and_then(|block| block.parent()).map(|of| of.kind()) == Some("class_definition");
        let targets = if left.kind() == "pattern_list" { children(left) } else { vec![left] };
        for target in targets {
            match (target.kind(), target.child_by_field_name("attribute")) {
                ("attribute", Some(member)) => {
                    self.assigned.insert(name(member));
                }
                ("identifier", _) if is_member && is_call => {
                    self.computed.insert(name(target));
                }
                ("identifier", _) if is_member => {
                    self.assigned.insert(name(target));
                }
                _ => {}
            }
        }
        let (Some(call), "identifier") = (right.filter(|_| is_call), left.kind()) else { return };
        let called = call.child_by_field_name("function");
        if called.is_some_and(|of| matches!(last_name(of, text), b"TypeVar" | b"ParamSpec")) {
            let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
            let bound = arguments.into_iter().find_map(|argument| {
                let is_bound = argument
                    .child_by_field_name("name")
                    .is_some_and(|name| &text[name.byte_range()] == b"bound");
                argument.child_by_field_name("value").filter(|_| is_bound)
            });
            self.variables.insert(name(left), bound.map(|bound| bound.byte_range()));
        }
    }
}

/// Returns the last name of `a.b.c` or of a call of it.
pub(super) fn last_name<'t>(node: Node<'_>, text: &'t [u8]) -> &'t [u8] {
    let inner = match node.kind() {
        "call" => node.child_by_field_name("function"),
        "attribute" => node.child_by_field_name("attribute"),
        "subscript" => node.child_by_field_name("value"),
        "identifier" => return text.get(node.byte_range()).unwrap_or_default(),
        _ => None,
    };
    inner.map_or(&[], |inner| last_name(inner, text))
}
