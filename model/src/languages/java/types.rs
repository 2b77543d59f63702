//! Syntax trees into facts: types and parameters.

use super::lower::{Java, is_comment};
use crate::ir::*;
use crate::lower::{DEPTH, children};
use tree_sitter::Node;

impl Java<'_> {
    /// Returns the type that `node` writes.
    pub(super) fn written(&mut self, node: Node<'_>) -> TypeId {
        if self.depth > DEPTH {
            return self.r#type(Type::Opaque("nested too deep".into()));
        }
        self.depth += 1;
        let ty = match node.kind() {
            "type_identifier" | "identifier" => {
                let name = self.name(node);
                match self.type_parameter(&name) {
                    Some(parameter) => self.r#type(Type::Parameter(parameter)),
                    None => self.named(vec![name], Vec::new()),
                }
            }
            "scoped_type_identifier" | "scoped_identifier" => {
                let path = self.path(node);
                self.named(path, Vec::new())
            }
            "generic_type" => {
                let parts = children(node);
                let of = parts.iter().find(|part| part.kind() != "type_arguments");
                let list = parts.iter().find(|part| part.kind() == "type_arguments");
                let path = of.map_or_else(Vec::new, |of| self.path(*of));
                let arguments = list.map_or_else(Vec::new, |list| self.type_arguments(*list));
                if path.is_empty() {
                    self.r#type(Type::Unknown)
                } else {
                    self.named(path, arguments)
                }
            }
            "array_type" => match node.child_by_field_name("element") {
                Some(element) => {
                    let element = self.written(element);
                    self.with_dimensions(element, node)
                }
                None => self.r#type(Type::Unknown),
            },
            "integral_type" | "floating_point_type" | "boolean_type" | "void_type" => {
                let name = self.name(node);
                self.named(vec![name], Vec::new())
            }
            // `? extends T` and `? super T`.
            "wildcard" => match bound(node) {
                Some(bound) => self.written(bound),
                None => self.r#type(Type::Unknown),
            },
            "annotated_type" => match children(node).into_iter().rfind(|of| !is_comment(*of)) {
                Some(of) if !is_annotation(of) => self.written(of),
                _ => self.r#type(Type::Unknown),
            },
            "catch_type" => {
                let parts = children(node).into_iter().filter(|of| !is_comment(*of));
                let types: Vec<TypeId> = parts.map(|of| self.written(of)).collect();
                match types[..] {
                    [only] => only,
                    _ => self.r#type(Type::OneOf(types)),
                }
            }
            _ => self.r#type(Type::Unknown),
        };
        self.depth -= 1;
        ty
    }

    /// Returns the types of a list of arguments. Arguments of which nothing is known are as good
    /// as none: what they stand for then has what its bounds have.
    pub(super) fn type_arguments(&mut self, list: Node<'_>) -> Vec<TypeId> {
        let arguments: Vec<_> = children(list).into_iter().filter(|of| !is_comment(*of)).collect();
        if arguments.iter().all(|of| of.kind() == "wildcard" && bound(*of).is_none()) {
            return Vec::new();
        }
        arguments.into_iter().map(|of| self.written(of)).collect()
    }

    /// Returns an array of `of` for each pair of brackets behind `node`'s name or element.
    pub(super) fn with_dimensions(&mut self, of: TypeId, node: Node<'_>) -> TypeId {
        let mut ty = of;
        let mut cursor = node.walk();
        let lists: Vec<_> = node.children_by_field_name("dimensions", &mut cursor).collect();
        for list in lists {
            let mut cursor = list.walk();
            let count = list.children(&mut cursor).filter(|sign| sign.kind() == "[").count();
            for _ in 0..count {
                ty = self.named(vec!["[]".into()], vec![ty]);
            }
        }
        ty
    }

    /// Returns the segments of a name. `java.lang` is everywhere.
    pub(super) fn path(&mut self, node: Node<'_>) -> Vec<Name> {
        let mut path = Vec::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            match node.kind() {
                "identifier" | "type_identifier" => path.push(self.name(node)),
                "type_arguments" => {}
                kind if kind.contains("annotation") => {}
                _ => open.extend(children(node).into_iter().rev()),
            }
        }
        if path.len() == 3 && &*path[0] == "java" && &*path[1] == "lang" {
            path.drain(..2);
        }
        path
    }

    /// Returns the parameters that a list declares.
    pub(super) fn parameters(&mut self, list: Node<'_>) -> Vec<Parameter> {
        let mut found = Vec::new();
        for declared in children(list) {
            let is_variadic = declared.kind() == "spread_parameter";
            if declared.kind() == "ERROR" {
                found.extend(self.annotated_dots(declared));
                continue;
            }
            if !is_variadic && declared.kind() != "formal_parameter" {
                continue;
            }
            let parts = children(declared);
            let of = declared
                .child_by_field_name("type")
                .or_else(|| parts.iter().copied().find(|of| is_type(of.kind())));
            let named = parts.iter().copied().find(|of| of.kind() == "variable_declarator");
            let named = named.unwrap_or(declared);
            let Some(name) = named.child_by_field_name("name") else { continue };
            let name = self.name(name);
            let r#type = of.filter(|of| !self.is_inferred(*of)).map(|of| self.written(of));
            let r#type = r#type.map(|of| self.with_dimensions(of, named));
            found.push(Parameter { name, label: None, r#type, has_default: false, is_variadic });
        }
        found
    }

    /// `T @A ... name`, which the parser does not know.
    fn annotated_dots(&mut self, node: Node<'_>) -> Option<Parameter> {
        let text = String::from_utf8_lossy(self.bytes(node)).into_owned();
        let (_, name) = text.rsplit_once("...")?;
        let of = children(node).into_iter().find(|of| is_type(of.kind()))?;
        let r#type = Some(self.written(of));
        let name = name.trim().into();
        Some(Parameter { name, label: None, r#type, has_default: false, is_variadic: true })
    }

    /// `var`.
    pub(super) fn is_inferred(&self, node: Node<'_>) -> bool {
        node.kind() == "type_identifier" && self.bytes(node) == b"var"
    }
}

fn is_annotation(node: Node<'_>) -> bool {
    matches!(node.kind(), "annotation" | "marker_annotation")
}

/// Returns whether a node of this kind is a type.
pub(super) fn is_type(kind: &str) -> bool {
    kind.ends_with("_type") || matches!(kind, "type_identifier" | "scoped_type_identifier")
}

/// Returns the bound of a wildcard.
fn bound(node: Node<'_>) -> Option<Node<'_>> {
    children(node).into_iter().rfind(|of| is_type(of.kind()))
}
