//! Syntax trees into facts: types and parameters.

use super::lower::Go;
use crate::ir::*;
use crate::lower::{DEPTH, children};
use tree_sitter::Node;

impl Go<'_> {
    /// Returns the type that `node` writes.
    pub(super) fn written(&mut self, node: Node<'_>) -> TypeId {
        if self.depth > DEPTH {
            return self.r#type(Type::Opaque("nested too deep".into()));
        }
        self.depth += 1;
        let field = |name: &str| node.child_by_field_name(name);
        let ty = match node.kind() {
            "type_identifier" | "identifier" => {
                let name = self.name(node);
                match self.generics.iter().rev().find(|(known, _)| *known == name) {
                    Some(&(_, parameter)) => self.r#type(Type::Parameter(parameter)),
                    None => self.named(vec![name], Vec::new()),
                }
            }
            "qualified_type" => {
                let path = children(node).into_iter().map(|part| self.name(part)).collect();
                self.named(path, Vec::new())
            }
            "generic_type" => self.generic(node),
            "pointer_type" => self.of_parts("*", &[node.named_child(0)]),
            "slice_type" => self.of_parts("[]", &[field("element")]),
            "array_type" | "implicit_length_array_type" => {
                self.of_parts("[n]", &[field("element")])
            }
            "map_type" => self.of_parts("map", &[field("key"), field("value")]),
            "channel_type" => self.of_parts("chan", &[field("value")]),
            "function_type" => {
                let parameters = field("parameters").map_or_else(Vec::new, |l| self.parameters(l));
                let parameters = parameters.into_iter().filter_map(|of| of.r#type).collect();
                let result = self.result_type(node);
                self.r#type(Type::Function { receiver: None, parameters, result })
            }
            "struct_type" => self.record_type(node),
            "interface_type" => self.unnamed_interface(node),
            "parenthesized_type" | "negated_type" => match node.named_child(0) {
                Some(inner) => self.written(inner),
                None => self.r#type(Type::Unknown),
            },
            "type_elem" | "type_constraint" => {
                let parts: Vec<TypeId> =
                    children(node).into_iter().map(|of| self.written(of)).collect();
                match parts[..] {
                    [only] => only,
                    _ => self.r#type(Type::OneOf(parts)),
                }
            }
            _ => self.r#type(Type::Unknown),
        };
        self.depth -= 1;
        ty
    }

    fn of_parts(&mut self, name: &str, parts: &[Option<Node<'_>>]) -> TypeId {
        let parts = parts.iter().map(|part| match part {
            Some(part) => self.written(*part),
            None => self.r#type(Type::Unknown),
        });
        let parts = parts.collect();
        self.named(vec![name.into()], parts)
    }

    fn generic(&mut self, node: Node<'_>) -> TypeId {
        let (Some(of), Some(arguments)) =
            (node.child_by_field_name("type"), node.child_by_field_name("type_arguments"))
        else {
            return self.r#type(Type::Unknown);
        };
        let arguments = self.type_arguments(arguments);
        let path = match of.kind() {
            "qualified_type" => children(of).into_iter().map(|part| self.name(part)).collect(),
            _ => vec![self.name(of)],
        };
        self.named(path, arguments)
    }

    /// Returns the types of a list of arguments.
    pub(super) fn type_arguments(&mut self, list: Node<'_>) -> Vec<TypeId> {
        children(list).into_iter().map(|of| self.written(of)).collect()
    }

    /// A structure without a name.
    fn record_type(&mut self, node: Node<'_>) -> TypeId {
        let mut fields = Vec::new();
        for field in node.named_child(0).map_or_else(Vec::new, children) {
            let Some(of) = field.child_by_field_name("type") else { continue };
            let ty = self.written(of);
            let mut cursor = field.walk();
            let names: Vec<_> = field.children_by_field_name("name", &mut cursor).collect();
            if names.is_empty() {
                fields.push((self.last_name(of), ty));
            }
            fields.extend(names.into_iter().map(|name| (self.name(name), ty)));
        }
        self.r#type(Type::Record(fields))
    }

    /// An interface without a name is a definition whose name nothing else has.
    fn unnamed_interface(&mut self, node: Node<'_>) -> TypeId {
        if children(node).iter().all(|element| element.kind() == "comment") {
            return self.named(vec!["any".into()], Vec::new());
        }
        let name: Name = format!("interface:{}", node.start_byte()).into();
        let id = self.define(name.clone(), DefinitionKind::Interface, node);
        let scope = self.scoped(ScopeKind::Type, Some(id), node, |go, _| go.interface(id, node));
        self.file.definitions[id].body = Some(scope);
        self.named(vec![name], Vec::new())
    }

    /// Returns the last name in a type.
    pub(super) fn last_name(&mut self, node: Node<'_>) -> Name {
        match node.kind() {
            "generic_type" => match node.child_by_field_name("type") {
                Some(of) => self.last_name(of),
                None => "".into(),
            },
            "qualified_type" => match node.child_by_field_name("name") {
                Some(name) => self.name(name),
                None => "".into(),
            },
            _ => self.name(node),
        }
    }

    /// Returns the parameters that a list declares, one for each name.
    pub(super) fn parameters(&mut self, list: Node<'_>) -> Vec<Parameter> {
        let mut found = Vec::new();
        for declared in children(list).into_iter().filter(|node| node.kind() != "comment") {
            let Some(of) = declared.child_by_field_name("type") else { continue };
            let is_variadic = declared.kind() == "variadic_parameter_declaration";
            let mut ty = self.written(of);
            if is_variadic {
                ty = self.named(vec!["[]".into()], vec![ty]);
            }
            let mut cursor = declared.walk();
            let names: Vec<_> = declared.children_by_field_name("name", &mut cursor).collect();
            let mut names: Vec<Name> = names
                .into_iter()
                .filter(|name| name.kind() == "identifier")
                .map(|name| self.name(name))
                .collect();
            if names.is_empty() {
                names.push("".into());
            }
            found.extend(names.into_iter().map(|name| Parameter {
                name,
                label: None,
                r#type: Some(ty),
                has_default: false,
                is_variadic,
            }));
        }
        found
    }

    /// Returns what a function returns: nothing, a value, or several.
    pub(super) fn result_type(&mut self, node: Node<'_>) -> TypeId {
        let Some(result) = node.child_by_field_name("result") else {
            return self.r#type(Type::Tuple(Vec::new()));
        };
        if result.kind() != "parameter_list" {
            return self.written(result);
        }
        let types: Vec<TypeId> =
            self.parameters(result).into_iter().filter_map(|of| of.r#type).collect();
        match types[..] {
            [only] => only,
            _ => self.r#type(Type::Tuple(types)),
        }
    }
}
