//! Syntax trees into facts: annotations and type parameters.

use super::lower::Python;
use crate::ir::*;
use crate::lower::{DEPTH, children};
use tree_sitter::Node;

/// Modules that give the forms of annotations.
const TYPING: [&str; 3] = ["typing", "typing_extensions", "collections.abc"];

impl Python<'_> {
    /// Returns the name in the modules of annotations that `node` is.
    fn typing_name(&mut self, node: Node<'_>) -> Option<Name> {
        let is_typing = |module: &Name| TYPING.contains(&&**module);
        match node.kind() {
            "identifier" => {
                let name = self.name(node);
                let (module, original) = self.names.imports.get(&name)?;
                original.clone().filter(|_| is_typing(module))
            }
            "attribute" => {
                let of = node.child_by_field_name("object")?;
                let of = self.name(of);
                let (module, original) = self.names.imports.get(&of)?;
                let is_module = original.is_none() && is_typing(module)
                    || original.as_deref() == Some("abc") && &**module == "collections";
                let attribute = node.child_by_field_name("attribute").filter(|_| is_module)?;
                Some(self.name(attribute))
            }
            _ => None,
        }
    }

    /// Returns whether `node` is the form `name` of annotations, with or without arguments.
    pub(super) fn is_typing(&mut self, node: Node<'_>, name: &str) -> bool {
        let of = match node.kind() {
            "subscript" => node.child_by_field_name("value").unwrap_or(node),
            "generic_type" | "type" => node.named_child(0).unwrap_or(node),
            _ => node,
        };
        self.typing_name(of).as_deref() == Some(name)
    }

    /// Returns the library's type `name`, which sources write; unknown where the file means another.
    pub(super) fn builtin(&mut self, name: &str, arguments: Vec<TypeId>) -> TypeId {
        if self.names.types.contains(name) || self.names.imports.contains_key(name) {
            return self.r#type(Type::Unknown);
        }
        self.named(vec![name.into()], arguments)
    }

    /// Returns the library's type `name`, which no source can write.
    pub(super) fn library_type(&mut self, name: &str, arguments: Vec<TypeId>) -> TypeId {
        self.named(vec![name.into()], arguments)
    }

    /// Returns the type that `node` writes.
    pub(super) fn written(&mut self, node: Node<'_>) -> TypeId {
        if self.depth > DEPTH {
            return self.r#type(Type::Opaque("nested too deep".into()));
        }
        self.depth += 1;
        let ty = self.written_kind(node);
        self.depth -= 1;
        ty
    }

    fn written_kind(&mut self, node: Node<'_>) -> TypeId {
        match node.kind() {
            "type" | "parenthesized_expression" => match node.named_child(0) {
                Some(inner) => self.written(inner),
                None => self.r#type(Type::Unknown),
            },
            "identifier" | "attribute" => self.path(node, Vec::new()),
            "generic_type" => {
                let parts = children(node);
                let [of, list] = parts[..] else { return self.r#type(Type::Unknown) };
                self.applied(of, &children(list))
            }
            "subscript" => {
                let Some(of) = node.child_by_field_name("value") else {
                    return self.r#type(Type::Unknown);
                };
                let mut cursor = node.walk();
                let mut list: Vec<Node<'_>> =
                    node.children_by_field_name("subscript", &mut cursor).collect();
                if let [only] = list[..]
                    && only.kind() == "tuple"
                {
                    list = children(only);
                }
                self.applied(of, &list)
            }
            "union_type" | "tuple" => {
                let parts = self.all(&children(node));
                self.r#type(Type::OneOf(parts))
            }
            "binary_operator" => {
                let sides = [node.child_by_field_name("left"), node.child_by_field_name("right")];
                let sides: Vec<Node<'_>> = sides.into_iter().flatten().collect();
                let parts = self.all(&sides);
                self.r#type(Type::OneOf(parts))
            }
            "member_type" => match (node.named_child(0), node.named_child(1)) {
                (Some(of), Some(member)) => {
                    let of = self.written(of);
                    let Type::Named { mut path, .. } = self.file.types[of].kind.clone() else {
                        return self.r#type(Type::Unknown);
                    };
                    path.push(self.name(member));
                    self.named(path, Vec::new())
                }
                _ => self.r#type(Type::Unknown),
            },
            "string" => {
                let content = children(node).into_iter().find(|of| of.kind() == "string_content");
                let range = content.map(|content| content.byte_range());
                let ty =
                    range.and_then(|range| self.parsed(range, |python, node| python.written(node)));
                ty.unwrap_or_else(|| self.r#type(Type::Unknown))
            }
            "none" => self.r#type(Type::Literal(Literal::Null)),
            _ => self.r#type(Type::Unknown),
        }
    }

    fn all(&mut self, nodes: &[Node<'_>]) -> Vec<TypeId> {
        let nodes = nodes.iter().filter(|node| node.kind() != "comment");
        nodes.map(|&node| self.written(node)).collect()
    }

    /// A name with its arguments.
    fn path(&mut self, node: Node<'_>, arguments: Vec<TypeId>) -> TypeId {
        match self.typing_name(node).as_deref() {
            Some("Any" | "Callable" | "Optional" | "Union") => return self.r#type(Type::Unknown),
            Some("Self") => return self.r#type(Type::Own),
            Some("AnyStr" | "LiteralString" | "Text") => return self.builtin("str", Vec::new()),
            _ => {}
        }
        let mut path = Vec::new();
        let mut at = node;
        while at.kind() == "attribute"
            && let (Some(of), Some(name)) =
                (at.child_by_field_name("object"), at.child_by_field_name("attribute"))
        {
            path.push(self.name(name));
            at = of;
        }
        if at.kind() != "identifier" {
            return self.r#type(Type::Unknown);
        }
        path.push(self.name(at));
        path.reverse();
        if let [name] = &path[..]
            && let Some(&(_, parameter)) = self.generics.iter().rev().find(|(of, _)| of == name)
        {
            return self.r#type(Type::Parameter(parameter));
        }
        if path.len() == 1 && self.names.variables.contains_key(&path[0]) {
            return self.r#type(Type::Unknown);
        }
        self.named(path, arguments)
    }

    /// A type with arguments.
    fn applied(&mut self, of: Node<'_>, list: &[Node<'_>]) -> TypeId {
        let list: Vec<Node<'_>> =
            list.iter().copied().filter(|node| node.kind() != "comment").collect();
        let typing = self.typing_name(of);
        let name = self.name(of);
        let is_builtin = !self.names.imports.contains_key(&name) && of.kind() == "identifier";
        let form = typing.unwrap_or_else(|| if is_builtin { name } else { "".into() });
        match &*form {
            "Optional" => {
                let mut parts = self.all(&list);
                parts.push(self.r#type(Type::Literal(Literal::Null)));
                self.r#type(Type::OneOf(parts))
            }
            "Union" => {
                let parts = self.all(&list);
                self.r#type(Type::OneOf(parts))
            }
            "Callable" => {
                let parameters = list.first().copied().map(inner_of_type);
                let parameters = match parameters {
                    Some(listed) if listed.kind() == "list" => self.all(&children(listed)),
                    _ => Vec::new(),
                };
                let result = match list.get(1) {
                    Some(&result) => self.written(result),
                    None => self.r#type(Type::Unknown),
                };
                self.r#type(Type::Function { receiver: None, parameters, result })
            }
            "Type" | "type" => {
                let parts = self.all(&list);
                self.library_type("type", parts)
            }
            "ClassVar" | "Final" | "Annotated" | "Required" | "NotRequired" | "ReadOnly" => {
                match list.first() {
                    Some(&of) => self.written(of),
                    None => self.r#type(Type::Unknown),
                }
            }
            "Tuple" | "tuple" => {
                let is_open = list.last().is_some_and(|&of| inner_of_type(of).kind() == "ellipsis");
                if is_open || list.len() == 1 {
                    let parts = self.all(&list[..1]);
                    return self.builtin("tuple", parts);
                }
                let parts = self.all(&list);
                self.r#type(Type::Tuple(parts))
            }
            "TypeGuard" | "TypeIs" => self.builtin("bool", Vec::new()),
            "Literal" => self.r#type(Type::Unknown),
            _ => {
                let arguments = self.all(&list);
                self.path(of, arguments)
            }
        }
    }

    /// `[T: B]`.
    pub(super) fn type_parameters(&mut self, id: DefinitionId, list: Node<'_>) {
        for declared in children(list) {
            let inner = inner_of_type(declared);
            let (named, bound) = match inner.kind() {
                "constrained_type" => {
                    (inner.named_child(0).map(inner_of_type), inner.named_child(1))
                }
                _ => (Some(inner), None),
            };
            let Some(named) = named.filter(|named| named.kind() == "identifier") else { continue };
            let name = self.name(named);
            let parameter = self.type_parameter(id, name, named);
            if let Some(bound) = bound {
                let bound = self.written(bound);
                self.bound(parameter, bound);
            }
        }
    }

    fn bound(&mut self, parameter: DefinitionId, bound: TypeId) {
        let target = Target::Type(bound);
        let base = Base { kind: BaseKind::Extends, target, renames: Vec::new() };
        self.file.definitions[parameter].bases.push(base);
    }

    fn type_parameter(&mut self, of: DefinitionId, name: Name, node: Node<'_>) -> DefinitionId {
        let parameter = self.define(name.clone(), DefinitionKind::TypeParameter, node);
        self.generics.push((name, parameter));
        self.file.definitions[of].signature.generics.push(parameter);
        parameter
    }

    /// Type variables in the bases of a class are its parameters: those of `Generic` first.
    pub(super) fn class_generics(&mut self, id: DefinitionId, bases: &[Node<'_>]) {
        let (forms, rest): (Vec<Node<'_>>, Vec<Node<'_>>) = bases.iter().partition(|&&base| {
            self.is_typing(base, "Generic") || self.is_typing(base, "Protocol")
        });
        for base in forms.into_iter().chain(rest) {
            if base.kind() == "subscript" {
                self.variables_in(id, base);
            }
        }
    }

    /// Type variables in the signature of a function that nothing around has are its parameters.
    pub(super) fn function_generics(&mut self, id: DefinitionId, node: Node<'_>) {
        if self.names.variables.is_empty() {
            return;
        }
        let listed = node.child_by_field_name("parameters").map_or_else(Vec::new, children);
        let types = listed.into_iter().filter_map(|of| of.child_by_field_name("type"));
        for of in types.chain(node.child_by_field_name("return_type")).collect::<Vec<_>>() {
            self.variables_in(id, of);
        }
    }

    fn variables_in(&mut self, id: DefinitionId, node: Node<'_>) {
        if self.depth > DEPTH {
            return;
        }
        self.depth += 1;
        if node.kind() == "identifier" {
            let name = self.name(node);
            let is_known = self.generics.iter().any(|(known, _)| *known == name);
            let found = self.names.variables.get(&name).cloned().filter(|_| !is_known);
            if let Some(bound) = found {
                let parameter = self.type_parameter(id, name, node);
                let bound =
                    bound.and_then(|range| self.parsed(range, |python, of| python.written(of)));
                if let Some(bound) = bound {
                    self.bound(parameter, bound);
                }
            }
        } else if node.kind() == "string" {
            let content = children(node).into_iter().find(|of| of.kind() == "string_content");
            if let Some(content) = content {
                self.parsed(content.byte_range(), |python, node| python.variables_in(id, node));
            }
        } else {
            for child in children(node) {
                self.variables_in(id, child);
            }
        }
        self.depth -= 1;
    }
}

fn inner_of_type(node: Node<'_>) -> Node<'_> {
    match node.named_child(0) {
        Some(inner) if node.kind() == "type" => inner,
        _ => node,
    }
}
