//! A file's facts, while they are collected.

use crate::ir::*;
use rustc_hash::FxHashMap;
use tree_sitter::{Node, TreeCursor};

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
    /// The names of positions.
    positions: Vec<Name>,
    /// One for all nodes, since a new one is allocated.
    cursor: TreeCursor<'t>,
}

impl<'t> Builder<'t> {
    /// Starts with the scope of the file.
    pub(crate) fn new(path: &str, text: &'t [u8], root: Node<'t>) -> Self {
        let mut builder = Self {
            file: File { path: path.into(), ..File::default() },
            text,
            scope: Id::new(0),
            depth: 0,
            names: FxHashMap::default(),
            types: FxHashMap::default(),
            positions: Vec::new(),
            cursor: root.walk(),
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

    /// Returns a name that is no part of the text.
    pub(crate) fn word(&mut self, word: &'static str) -> Name {
        self.names.entry(word.as_bytes()).or_insert_with(|| word.into()).clone()
    }

    /// Returns the name of a position in a list.
    pub(crate) fn position(&mut self, at: usize) -> Name {
        while self.positions.len() <= at {
            self.positions.push(self.positions.len().to_string().into());
        }
        self.positions[at].clone()
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

    /// Returns the type of the library that has one argument.
    pub(crate) fn of_one(&mut self, library: &'static str, argument: TypeId) -> TypeId {
        let name = self.word(library);
        self.named(vec![name], vec![argument])
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

    /// Returns the call of `name` or of a member `receiver.name`; `named` is the name's node.
    pub(crate) fn call(
        &mut self,
        receiver: Option<ExpressionId>,
        name: Option<Name>,
        arguments: Vec<Argument>,
        (named, node): (Option<Node<'_>>, Node<'_>),
    ) -> ExpressionId {
        let of = self.file.uses.push(Use {
            role: Role::Call,
            name,
            scope: self.scope,
            receiver,
            r#type: None,
            arguments,
            type_arguments: Vec::new(),
            range: Self::range(named.unwrap_or(node)),
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

    /// Returns the named children of a node.
    pub(crate) fn children(&mut self, node: Node<'t>) -> Vec<Node<'t>> {
        self.cursor.reset(node);
        let mut found = Vec::with_capacity(node.named_child_count());
        let mut goes_on = self.cursor.goto_first_child();
        while goes_on {
            let child = self.cursor.node();
            if child.is_named() {
                found.push(child);
            }
            goes_on = self.cursor.goto_next_sibling();
        }
        found
    }

    /// Returns the children of a node that are in the field with this number.
    pub(crate) fn children_in(&mut self, node: Node<'t>, field: u16) -> Vec<Node<'t>> {
        self.cursor.reset(node);
        let mut found = Vec::new();
        let mut goes_on = self.cursor.goto_first_child();
        while goes_on {
            if self.cursor.field_id().is_some_and(|id| id.get() == field) {
                found.push(self.cursor.node());
            }
            goes_on = self.cursor.goto_next_sibling();
        }
        found
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

/// Defines `Kind` and `Field`, the kinds and fields of a grammar that its lowering knows, and how
/// nodes are asked for them: texts are compared once, not for each node.
macro_rules! grammar {
    (
        $language:expr;
        suffixes { $($suffix:ident = $end:literal),* $(,)? }
        kinds { $($kind:ident = $text:literal),* $(,)? }
        fields { $($field:ident = $name:literal),* $(,)? }
    ) => {
        #[derive(Clone, Copy, PartialEq, Eq)]
        enum Kind {
            Other,
            $($kind),*
        }

        #[derive(Clone, Copy)]
        enum Field {
            $($field),*
        }

        /// What kinds of nodes end with.
        #[derive(Clone, Copy)]
        enum Suffix {
            $($suffix),*
        }

        /// Kinds and suffixes by the numbers of the grammar, and the numbers of fields.
        struct Tables {
            kinds: Vec<(Kind, u8)>,
            fields: Vec<u16>,
        }

        static TABLES: std::sync::LazyLock<Tables> = std::sync::LazyLock::new(|| {
            let language: tree_sitter::Language = $language.into();
            let kind = |id: usize| {
                let text = u16::try_from(id).ok().and_then(|id| language.node_kind_for_id(id));
                let text = text.unwrap_or_default();
                let kind = match text {
                    $($text => Kind::$kind,)*
                    _ => Kind::Other,
                };
                let suffixes: &[(Suffix, &str)] = &[$((Suffix::$suffix, $end)),*];
                let ends = suffixes.iter().filter(|(_, end)| text.ends_with(end));
                (kind, ends.fold(0, |bits, (suffix, _)| bits | 1 << *suffix as u8))
            };
            let fields: &[&str] = &[$($name),*];
            let number = |name: &&str| language.field_id_for_name(name).map_or(0, Into::into);
            Tables {
                kinds: (0..language.node_kind_count()).map(kind).collect(),
                fields: fields.iter().map(number).collect(),
            }
        });

        fn kind(node: Node<'_>) -> Kind {
            TABLES.kinds.get(usize::from(node.kind_id())).map_or(Kind::Other, |(kind, _)| *kind)
        }

        fn ends_with(node: Node<'_>, suffix: Suffix) -> bool {
            let ends = TABLES.kinds.get(usize::from(node.kind_id())).map_or(0, |(_, ends)| *ends);
            ends >> suffix as u8 & 1 == 1
        }

        fn field(node: Node<'_>, field: Field) -> Option<Node<'_>> {
            node.child_by_field_id(number(field))
        }

        fn number(field: Field) -> u16 {
            TABLES.fields[field as usize]
        }
    };
}
pub(crate) use grammar;
