//! Which values are stored because they may be, or hold, functions.

use super::Keeper;
use crate::ir::*;

/// How deep values are followed.
const DEPTH: usize = 32;

impl Keeper<'_> {
    /// Returns whether an argument is stored: a lambda, or a name that is no variable of the file.
    pub(super) fn is_argument_kept(&self, id: ExpressionId) -> bool {
        match &self.file.expressions[id].kind {
            Expression::Lambda { .. } => true,
            Expression::Name { name, .. } => {
                !self.bindings.contains_key(&**name)
                    && self.parameter(id, name).is_none()
                    && (!self.needs.only_functions || self.may_be_function(name))
            }
            _ => false,
        }
    }

    /// Returns whether what a scope returns, or its variable holds, is stored.
    pub(super) fn is_result_kept(&self, scope: ScopeId, id: ExpressionId) -> bool {
        let owner = self.file.scopes[scope].owner;
        let is_variable = owner.is_some_and(|owner| {
            let definition = &self.file.definitions[owner];
            definition.kind != DefinitionKind::Function && definition.signature.result.is_some()
        });
        !(self.needs.only_functions && is_variable) || self.holds_function(id, 0)
    }

    /// Returns whether the value of a variable is stored.
    pub(super) fn is_value_kept(&self, binding: &Binding, value: ExpressionId) -> bool {
        let is_typed = binding.r#type.is_some_and(|id| self.file.types[id].kind != Type::Unknown);
        !(self.needs.only_functions && is_typed) || self.holds_function(value, 0)
    }

    /// Returns whether a value may be a function, or a record that holds one.
    pub(super) fn holds_function(&self, id: ExpressionId, depth: usize) -> bool {
        if depth > DEPTH {
            return true;
        }
        let holds = |id: ExpressionId| self.holds_function(id, depth + 1);
        match &self.file.expressions[id].kind {
            Expression::Lambda { .. } => true,
            Expression::Name { name, .. } => match self.variable(id, name) {
                Some(may) => may,
                None => self.may_be_function(name),
            },
            Expression::Cast { of, .. }
            | Expression::Yield { of, .. }
            | Expression::Narrowed { of, .. } => holds(*of),
            Expression::OneOf(values) => values.iter().any(|&id| holds(id)),
            Expression::Record { fields, .. } => fields.iter().any(|&(_, id)| holds(id)),
            _ => false,
        }
    }

    /// Returns whether a variable or parameter may be a function; none if the name is neither.
    fn variable(&self, id: ExpressionId, name: &str) -> Option<bool> {
        let scope = self.file.expressions[id].scope;
        let all = self.bindings.get(name).map_or(&[][..], Vec::as_slice);
        let mut visible = all
            .iter()
            .filter(|of| self.is_around(self.file.bindings[**of].scope, scope))
            .peekable();
        if visible.peek().is_none() {
            return self.parameter(id, name).map(|ty| self.may_hold(ty, 0));
        }
        Some(visible.any(|of| self.may_hold(self.file.bindings[*of].r#type, 0)))
    }

    /// Returns the written type of the parameter that a name is; none if it is not one.
    fn parameter(&self, id: ExpressionId, name: &str) -> Option<Option<TypeId>> {
        let mut at = Some(self.file.expressions[id].scope);
        while let Some(scope) = at {
            let here = &self.file.scopes[scope];
            if let Some(owner) = here.owner {
                let parameters = self.file.definitions[owner].signature.parameters.iter();
                let mut parameters = parameters.flatten();
                if let Some(found) = parameters.find(|parameter| *parameter.name == *name) {
                    return Some(found.r#type);
                }
            }
            at = here.parent;
        }
        None
    }

    /// Returns whether a name that is no variable may be a function: the file does not define it
    /// as something else.
    fn may_be_function(&self, name: &str) -> bool {
        let Some(defined) = self.definitions.get(name) else { return true };
        defined.iter().any(|&id| {
            let definition = &self.file.definitions[id];
            match definition.kind {
                DefinitionKind::Function => true,
                DefinitionKind::Variable => {
                    let is_constant = definition.signature.result.is_none();
                    !is_constant && self.may_hold(definition.signature.result, 0)
                }
                _ => false,
            }
        })
    }

    /// Returns whether a value of a written type may be a function.
    fn may_hold(&self, id: Option<TypeId>, depth: usize) -> bool {
        let Some(id) = id else { return true };
        match &self.file.types[id].kind {
            Type::Named { arguments, .. } if !arguments.is_empty() => {
                depth < DEPTH && arguments.iter().any(|&id| self.is_function(id, depth + 1))
            }
            Type::Named { path, .. } => match &path[..] {
                [name] => !self.needs.plain_types.contains(&&**name),
                _ => true,
            },
            _ => true,
        }
    }

    /// Returns whether a type that another has as its argument is one of functions.
    fn is_function(&self, id: TypeId, depth: usize) -> bool {
        match &self.file.types[id].kind {
            Type::Named { arguments, .. } => {
                depth < DEPTH && arguments.iter().any(|&id| self.is_function(id, depth + 1))
            }
            Type::Function { .. } => true,
            _ => false,
        }
    }
}
