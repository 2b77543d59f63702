//! What of a file is stored.

use crate::ir::*;
use rustc_hash::FxHashMap;

/// Returns `file` without the values that nothing stored reaches. Literals that are passed stay as
/// the shape of their argument; other arguments are unknown until the file is lowered again.
pub fn slice(file: &File) -> File {
    let mut keeper = Keeper {
        file,
        kept: vec![false; file.expressions.len()],
        open: Vec::new(),
        bindings: FxHashMap::default(),
        reached: vec![false; file.bindings.len()],
    };
    for (id, binding) in file.bindings.iter() {
        keeper.bindings.entry(&binding.name).or_default().push(id);
    }
    keeper.roots();
    keeper.reach();
    let (kept, reached) = (keeper.kept, keeper.reached);
    let mut sliced = file.clone();
    for id in file.bindings.ids().filter(|id| !reached[id.index()]) {
        sliced.bindings[id] = Binding {
            of: None,
            name: "".into(),
            scope: Id::new(0),
            range: Range::default(),
            value: None,
            r#type: None,
        };
    }
    for scope in sliced.scopes.ids() {
        if has_written_result(file, scope) {
            sliced.scopes[scope].results.clear();
        }
    }
    for id in file.expressions.ids() {
        let is_shape = matches!(file.expressions[id].kind, Expression::Literal(_));
        if !kept[id.index()] && !is_shape {
            sliced.expressions[id] = ExpressionNode {
                kind: Expression::Unknown,
                scope: Id::new(0),
                range: Range::default(),
            };
        } else if kept[id.index()] {
            // A position decides only which binding a name sees.
            if !matches!(file.expressions[id].kind, Expression::Name { .. }) {
                sliced.expressions[id].range = Range::default();
            }
        } else {
            // Of a literal, only its kind.
            let node = &mut sliced.expressions[id];
            node.scope = Id::new(0);
            node.range = Range::default();
            if let Expression::Literal(Literal::String(text)) = &mut node.kind {
                *text = "".into();
            }
        }
    }
    sliced
}

/// Returns whether a scope is the body of a function whose result is written: what it returns is
/// not needed for its type. What a variable holds is.
fn has_written_result(file: &File, scope: ScopeId) -> bool {
    file.scopes[scope].owner.is_some_and(|owner| {
        let definition = &file.definitions[owner];
        let result = definition.signature.result.map(|of| &file.types[of].kind);
        definition.kind == DefinitionKind::Function && !matches!(result, None | Some(Type::Unknown))
    })
}

struct Keeper<'f> {
    file: &'f File,
    kept: Vec<bool>,
    open: Vec<ExpressionId>,
    bindings: FxHashMap<&'f Name, Vec<BindingId>>,
    /// Bindings that are kept.
    reached: Vec<bool>,
}

impl Keeper<'_> {
    fn keep(&mut self, id: ExpressionId) {
        if !std::mem::replace(&mut self.kept[id.index()], true) {
            self.open.push(id);
        }
    }

    fn roots(&mut self) {
        let file = self.file;
        for (_, of) in file.uses.iter() {
            of.receiver.into_iter().for_each(|id| self.keep(id));
            for argument in &of.arguments {
                if self.may_be_function(argument.value) {
                    self.keep(argument.value);
                }
            }
        }
        for (id, scope) in file.scopes.iter() {
            scope.receivers.iter().for_each(|&id| self.keep(id));
            if !has_written_result(file, id) {
                scope.results.iter().for_each(|&id| self.keep(id));
            }
        }
        for (id, binding) in file.bindings.iter().filter(|(_, binding)| binding.of.is_some()) {
            self.reached[id.index()] = true;
            binding.of.into_iter().chain(binding.value).for_each(|id| self.keep(id));
        }
        for (_, definition) in file.definitions.iter() {
            for base in &definition.bases {
                if let Target::Value(id) = base.target {
                    self.keep(id);
                }
            }
        }
        for (_, node) in file.types.iter() {
            if let Type::TypeOf(id) = node.kind {
                self.keep(id);
            }
        }
    }

    /// Returns whether an argument may store a function: a lambda, or a name that is no variable
    /// of the file.
    fn may_be_function(&self, id: ExpressionId) -> bool {
        match &self.file.expressions[id].kind {
            Expression::Lambda { .. } => true,
            Expression::Name { name, .. } => {
                !self.bindings.contains_key(name) && !self.is_parameter(id, name)
            }
            _ => false,
        }
    }

    fn is_parameter(&self, id: ExpressionId, name: &Name) -> bool {
        let mut at = Some(self.file.expressions[id].scope);
        while let Some(scope) = at {
            let here = &self.file.scopes[scope];
            if let Some(owner) = here.owner {
                let parameters = self.file.definitions[owner].signature.parameters.as_ref();
                if parameters.is_some_and(|all| all.iter().any(|parameter| parameter.name == *name))
                {
                    return true;
                }
            }
            at = here.parent;
        }
        false
    }

    /// Keeps the parts of what is kept, and the bindings that names in it reach.
    fn reach(&mut self) {
        let file = self.file;
        while let Some(id) = self.open.pop() {
            match &file.expressions[id].kind {
                Expression::Name { name, .. } => {
                    for of in self.bindings.get(name).cloned().unwrap_or_default() {
                        let binding = &file.bindings[of];
                        if self.is_around(binding.scope, file.expressions[id].scope) {
                            self.reached[of.index()] = true;
                            binding.value.into_iter().for_each(|id| self.keep(id));
                        }
                    }
                }
                Expression::Member { of, .. }
                | Expression::Yield { of, .. }
                | Expression::Cast { of, .. }
                | Expression::Narrowed { of, .. } => self.keep(*of),
                Expression::OneOf(values) => values.iter().for_each(|&id| self.keep(id)),
                Expression::Lambda { scope, .. } => {
                    for (of, binding) in file.bindings.iter() {
                        self.reached[of.index()] |= binding.scope == *scope;
                    }
                }
                Expression::Record { fields, .. } => {
                    fields.iter().for_each(|&(_, id)| self.keep(id));
                }
                _ => {}
            }
        }
    }

    fn is_around(&self, outer: ScopeId, inner: ScopeId) -> bool {
        let mut at = Some(inner);
        while let Some(scope) = at {
            if scope == outer {
                return true;
            }
            at = self.file.scopes[scope].parent;
        }
        false
    }
}
