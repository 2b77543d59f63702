//! A file's facts, while they are collected.

use crate::ir::*;
use rustc_hash::FxHashMap;
use tree_sitter::Node;

/// How deep nodes are nested at the most; what is deeper is opaque.
pub(crate) const DEPTH: usize = 250;

/// Collects the facts of one file.
pub(crate) struct Builder<'t> {
    pub(crate) file: File,
    pub(crate) text: &'t [u8],
    pub(crate) scope: ScopeId,
    pub(crate) depth: usize,
    names: FxHashMap<&'t [u8], Name>,
    types: FxHashMap<TypeNode, TypeId>,
}

impl<'t> Builder<'t> {
    /// Starts with the scope of the file.
    pub(crate) fn new(path: &str, text: &'t [u8]) -> Self {
        let mut builder = Self {
            file: File { path: path.into(), ..File::default() },
            text,
            scope: Id::new(0),
            depth: 0,
            names: FxHashMap::default(),
            types: FxHashMap::default(),
        };
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        builder.push_scope(ScopeKind::File, None, Range { start: 0, end });
        builder
    }

    pub(crate) fn bytes(&self, node: Node<'_>) -> &'t [u8] {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the name that `node` is.
    pub(crate) fn name(&mut self, node: Node<'_>) -> Name {
        let bytes = self.bytes(node);
        self.names
            .entry(bytes)
            .or_insert_with(|| String::from_utf8_lossy(bytes).as_ref().into())
            .clone()
    }

    pub(crate) fn range(node: Node<'_>) -> Range {
        let size = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Range { start: size(node.start_byte()), end: size(node.end_byte()) }
    }

    pub(crate) fn push_scope(
        &mut self,
        kind: ScopeKind,
        owner: Option<DefinitionId>,
        range: Range,
    ) -> ScopeId {
        let parent = (!self.file.scopes.is_empty()).then_some(self.scope);
        self.file.scopes.push(Scope {
            kind,
            parent,
            owner,
            range,
            receivers: Vec::new(),
            condition: None,
            results: Vec::new(),
        })
    }

    /// Runs `lower` within `scope`.
    pub(crate) fn within(&mut self, scope: ScopeId, lower: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.scope, scope);
        lower(self);
        self.scope = outer;
    }

    pub(crate) fn expression(&mut self, kind: Expression, node: Node<'_>) -> ExpressionId {
        let (scope, range) = (self.scope, Self::range(node));
        self.file.expressions.push(ExpressionNode { kind, scope, range })
    }

    pub(crate) fn r#type(&mut self, kind: Type) -> TypeId {
        let node = TypeNode { kind, qualifiers: Qualifiers::default() };
        if let Some(&known) = self.types.get(&node) {
            return known;
        }
        let id = self.file.types.push(node.clone());
        self.types.insert(node, id);
        id
    }

    pub(crate) fn named(&mut self, path: Vec<Name>, arguments: Vec<TypeId>) -> TypeId {
        self.r#type(Type::Named { path, arguments })
    }

    pub(crate) fn define(
        &mut self,
        name: Name,
        kind: DefinitionKind,
        node: Node<'_>,
    ) -> DefinitionId {
        self.file.definitions.push(Definition {
            name,
            kind,
            visibility: Visibility::Public,
            scope: self.scope,
            body: None,
            range: Self::range(node),
            bases: Vec::new(),
            yields: Vec::new(),
            signature: Signature::default(),
        })
    }

    /// Returns the call of `name` or of a member `receiver.name`.
    pub(crate) fn call(
        &mut self,
        receiver: Option<ExpressionId>,
        name: Option<Name>,
        arguments: Vec<Argument>,
        node: Node<'_>,
    ) -> ExpressionId {
        let of = self.file.uses.push(Use {
            role: Role::Call,
            name,
            scope: self.scope,
            receiver,
            r#type: None,
            arguments,
            type_arguments: Vec::new(),
            range: Self::range(node),
        });
        self.expression(Expression::Call(of), node)
    }

    pub(crate) fn bind(
        &mut self,
        of: Option<ExpressionId>,
        name: Name,
        value: Option<ExpressionId>,
        r#type: Option<TypeId>,
        node: Node<'_>,
    ) {
        let (scope, range) = (self.scope, Self::range(node));
        self.file.bindings.push(Binding { of, name, scope, range, value, r#type });
    }

    /// Returns the scope of the function or lambda around this place, or the file's.
    pub(crate) fn returning(&self) -> ScopeId {
        let mut scope = self.scope;
        loop {
            let here = &self.file.scopes[scope];
            match (here.kind, here.parent) {
                (ScopeKind::Function | ScopeKind::Lambda, _) | (_, None) => return scope,
                (_, Some(parent)) => scope = parent,
            }
        }
    }
}

/// Returns the named children of a node.
pub(crate) fn children<'n>(node: Node<'n>) -> Vec<Node<'n>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}
