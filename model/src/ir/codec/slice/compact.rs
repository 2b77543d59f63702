//! The parts that are kept, under new ids.

use super::{Keeper, SHAPES, has_written_result};
use crate::ir::codec::regions::Regions;
use crate::ir::*;

/// New ids by old ones.
struct Ids {
    scopes: Vec<ScopeId>,
    values: Vec<ExpressionId>,
    types: Vec<Option<TypeId>>,
}

/// Returns the values at the start of every slice.
pub(crate) fn shapes() -> Vec<ExpressionNode> {
    let literals = [
        Literal::String("".into()),
        Literal::Integer,
        Literal::Float,
        Literal::Boolean,
        Literal::Null,
    ];
    let kinds =
        std::iter::once(Expression::Unknown).chain(literals.into_iter().map(Expression::Literal));
    kinds.map(|kind| ExpressionNode { kind, scope: Id::new(0), range: Range::default() }).collect()
}

/// Returns which value at the start of a slice is one of this kind.
fn shape(kind: &Expression) -> Option<usize> {
    match kind {
        Expression::Unknown => Some(0),
        Expression::Literal(Literal::String(text)) if !text.is_empty() => None,
        kind => literal(kind),
    }
}

/// Returns which value at the start of a slice stands for a literal of this kind.
fn literal(kind: &Expression) -> Option<usize> {
    Some(match kind {
        Expression::Literal(Literal::String(_)) => 1,
        Expression::Literal(Literal::Integer) => 2,
        Expression::Literal(Literal::Float) => 3,
        Expression::Literal(Literal::Boolean) => 4,
        Expression::Literal(Literal::Null) => 5,
        _ => return None,
    })
}

/// Returns the slice of what `keeper` has marked.
pub(super) fn compact(keeper: &Keeper<'_>) -> File {
    let file = keeper.file;
    let regions = Regions::of(file);
    let order = |scope: ScopeId| regions.of[scope.index()];
    let mut bindings: Vec<BindingId> =
        file.bindings.ids().filter(|id| keeper.reached[id.index()]).collect();
    bindings.sort_by_key(|id| order(file.bindings[*id].scope));
    let mut values: Vec<ExpressionId> = file
        .expressions
        .ids()
        .filter(|id| keeper.kept[id.index()] && shape(&file.expressions[*id].kind).is_none())
        .collect();
    values.sort_by_key(|id| order(file.expressions[*id].scope));
    let scopes = kept_scopes(keeper, &regions);
    let ids = ids(keeper, &scopes, &values);
    File {
        path: file.path.clone(),
        module: file.module.clone(),
        types: types(keeper, &ids),
        expressions: Arena::from_vec(
            shapes().into_iter().chain(values.iter().map(|&id| value(keeper, &ids, id))).collect(),
        ),
        definitions: Arena::from_vec(
            file.definitions.iter().map(|(_, of)| definition(of, &ids)).collect(),
        ),
        scopes: Arena::from_vec(scopes.iter().map(|&id| scope(keeper, &ids, id)).collect()),
        bindings: Arena::from_vec(bindings.iter().map(|&id| binding(keeper, &ids, id)).collect()),
        uses: Arena::from_vec(file.uses.iter().map(|(_, of)| r#use(keeper, &ids, of)).collect()),
        imports: file
            .imports
            .iter()
            .map(|import| Import { scope: ids.scopes[import.scope.index()], ..import.clone() })
            .collect(),
        exports: file.exports.clone(),
    }
}

/// Returns the scopes that are kept, in their new order: blocks that declare nothing are not.
fn kept_scopes(keeper: &Keeper<'_>, regions: &Regions) -> Vec<ScopeId> {
    let file = keeper.file;
    let mut keeps: Vec<bool> = file
        .scopes
        .iter()
        .map(|(_, scope)| {
            scope.kind != ScopeKind::Block
                || scope.parent.is_none()
                || scope.owner.is_some()
                || scope.condition.is_some()
                || !scope.receivers.is_empty()
                || !scope.results.is_empty()
        })
        .collect();
    for (id, binding) in file.bindings.iter() {
        keeps[binding.scope.index()] |= keeper.reached[id.index()];
    }
    for (_, definition) in file.definitions.iter() {
        keeps[definition.scope.index()] = true;
        definition.body.into_iter().for_each(|body| keeps[body.index()] = true);
    }
    file.imports.iter().for_each(|import| keeps[import.scope.index()] = true);
    let mut scopes: Vec<ScopeId> = file.scopes.ids().filter(|id| keeps[id.index()]).collect();
    scopes.sort_by_key(|id| (regions.of[id.index()], !regions.is_root(file, *id)));
    scopes
}

fn ids(keeper: &Keeper<'_>, scopes: &[ScopeId], values: &[ExpressionId]) -> Ids {
    let file = keeper.file;
    let mut new_scopes: Vec<Option<ScopeId>> = vec![None; file.scopes.len()];
    for (at, id) in scopes.iter().enumerate() {
        new_scopes[id.index()] = Some(Id::new(at));
    }
    // A scope that is not kept is the next one around it that is.
    let of = |id: ScopeId| {
        let mut at = id;
        loop {
            match (new_scopes[at.index()], file.scopes[at].parent) {
                (Some(new), _) => return new,
                (None, Some(parent)) => at = parent,
                (None, None) => return Id::new(0),
            }
        }
    };
    let scopes = file.scopes.ids().map(of).collect();
    let mut new_values: Vec<ExpressionId> = file
        .expressions
        .iter()
        .map(|(_, node)| Id::new(literal(&node.kind).unwrap_or(0)))
        .collect();
    for (at, id) in values.iter().enumerate() {
        new_values[id.index()] = Id::new(SHAPES + at);
    }
    let mut count = 0;
    let types = keeper.types.iter().map(|&keeps| {
        keeps.then(|| {
            count += 1;
            Id::new(count - 1)
        })
    });
    Ids { scopes, values: new_values, types: types.collect() }
}

impl Ids {
    fn scope(&self, id: ScopeId) -> ScopeId {
        self.scopes[id.index()]
    }

    fn value(&self, id: ExpressionId) -> ExpressionId {
        self.values[id.index()]
    }

    fn r#type(&self, id: TypeId) -> TypeId {
        // Whatever is kept has its types kept.
        self.types[id.index()].unwrap_or(Id::new(0))
    }

    fn types(&self, of: &[TypeId]) -> Vec<TypeId> {
        of.iter().map(|&id| self.r#type(id)).collect()
    }
}

fn types(keeper: &Keeper<'_>, ids: &Ids) -> Arena<TypeNode> {
    let kept = keeper.file.types.iter().filter(|(id, _)| keeper.types[id.index()]);
    let map = |kind: &Type| match kind {
        Type::Named { path, arguments } => {
            Type::Named { path: path.clone(), arguments: ids.types(arguments) }
        }
        Type::Function { receiver, parameters, result } => Type::Function {
            receiver: receiver.map(|id| ids.r#type(id)),
            parameters: ids.types(parameters),
            result: ids.r#type(*result),
        },
        Type::Tuple(of) => Type::Tuple(ids.types(of)),
        Type::OneOf(of) => Type::OneOf(ids.types(of)),
        Type::AllOf(of) => Type::AllOf(ids.types(of)),
        Type::Record(fields) => {
            Type::Record(fields.iter().map(|(name, id)| (name.clone(), ids.r#type(*id))).collect())
        }
        Type::Projection { of, member } => {
            Type::Projection { of: ids.r#type(*of), member: member.clone() }
        }
        Type::TypeOf(id) => Type::TypeOf(ids.value(*id)),
        Type::Parameter(_) | Type::Own | Type::Literal(_) | Type::Opaque(_) | Type::Unknown => {
            kind.clone()
        }
    };
    Arena::from_vec(
        kept.map(|(_, node)| TypeNode { kind: map(&node.kind), qualifiers: node.qualifiers })
            .collect(),
    )
}

fn definition(of: &Definition, ids: &Ids) -> Definition {
    let signature = &of.signature;
    let parameters = signature.parameters.as_ref().map(|parameters| {
        let map = |parameter: &Parameter| Parameter {
            r#type: parameter.r#type.map(|id| ids.r#type(id)),
            ..parameter.clone()
        };
        parameters.iter().map(map).collect()
    });
    let bases = of.bases.iter().map(|base| Base {
        kind: base.kind,
        target: match base.target {
            Target::Type(id) => Target::Type(ids.r#type(id)),
            Target::Value(id) => Target::Value(ids.value(id)),
        },
        renames: base.renames.clone(),
    });
    Definition {
        name: of.name.clone(),
        kind: of.kind,
        visibility: of.visibility,
        scope: ids.scope(of.scope),
        body: of.body.map(|id| ids.scope(id)),
        range: of.range,
        bases: bases.collect(),
        yields: of.yields.iter().map(|&(by, id)| (by, ids.r#type(id))).collect(),
        signature: Signature {
            generics: signature.generics.clone(),
            receiver: signature.receiver.map(|id| ids.r#type(id)),
            parameters,
            result: signature.result.map(|id| ids.r#type(id)),
            predicate: signature.predicate.as_ref().map(|of| Predicate {
                parameter: of.parameter.clone(),
                r#type: ids.r#type(of.r#type),
            }),
            effects: signature.effects,
            is_declaration: signature.is_declaration,
        },
    }
}

fn scope(keeper: &Keeper<'_>, ids: &Ids, id: ScopeId) -> Scope {
    let file = keeper.file;
    let of = &file.scopes[id];
    let results = of.results.iter().filter(|_| !has_written_result(file, id));
    let results = results.filter(|result| keeper.kept[result.index()]);
    Scope {
        kind: of.kind,
        parent: of.parent.map(|id| ids.scope(id)),
        owner: of.owner,
        range: of.range,
        receivers: of.receivers.iter().map(|&id| ids.value(id)).collect(),
        condition: of.condition.clone(),
        results: results.map(|&id| ids.value(id)).collect(),
    }
}

/// A position without its end: only its order matters.
fn start(range: Range) -> Range {
    Range { start: range.start, end: range.start }
}

fn binding(keeper: &Keeper<'_>, ids: &Ids, id: BindingId) -> Binding {
    let of = &keeper.file.bindings[id];
    // A value that is not kept is unknown, which is not the same as none.
    Binding {
        of: of.of.map(|id| ids.value(id)),
        name: of.name.clone(),
        scope: ids.scope(of.scope),
        range: start(of.range),
        value: of.value.map(|id| ids.value(id)),
        r#type: of.r#type.map(|id| ids.r#type(id)),
    }
}

fn r#use(keeper: &Keeper<'_>, ids: &Ids, of: &Use) -> Use {
    let argument = |argument: &Argument| {
        let value = ids.value(argument.value);
        let is_shape = value.index() < SHAPES;
        let value = if is_shape && !keeper.needs.shapes { Id::new(0) } else { value };
        Argument { label: argument.label.clone(), value }
    };
    Use {
        role: of.role,
        name: of.name.clone(),
        scope: ids.scope(of.scope),
        receiver: of.receiver.map(|id| ids.value(id)),
        r#type: of.r#type.map(|id| ids.r#type(id)),
        arguments: of.arguments.iter().map(argument).collect(),
        type_arguments: ids.types(&of.type_arguments),
        range: start(of.range),
    }
}

fn value(keeper: &Keeper<'_>, ids: &Ids, id: ExpressionId) -> ExpressionNode {
    let node = &keeper.file.expressions[id];
    let kind = match &node.kind {
        Expression::Member { of, name } => {
            Expression::Member { of: ids.value(*of), name: name.clone() }
        }
        Expression::Yield { of, protocol } => {
            Expression::Yield { of: ids.value(*of), protocol: *protocol }
        }
        Expression::Cast { of, r#type } => {
            Expression::Cast { of: ids.value(*of), r#type: ids.r#type(*r#type) }
        }
        Expression::OneOf(values) => {
            Expression::OneOf(values.iter().map(|&id| ids.value(id)).collect())
        }
        Expression::Lambda { scope, parameters, result } => Expression::Lambda {
            scope: ids.scope(*scope),
            parameters: parameters
                .iter()
                .map(|(name, ty)| (name.clone(), ty.map(|id| ids.r#type(id))))
                .collect(),
            result: result.map(|id| ids.r#type(id)),
        },
        Expression::Record { r#type, fields } => {
            let kept = fields
                .iter()
                .filter(|(_, id)| !keeper.needs.only_functions || ids.value(*id).index() >= SHAPES);
            Expression::Record {
                r#type: r#type.map(|id| ids.r#type(id)),
                fields: kept.map(|(name, id)| (name.clone(), ids.value(*id))).collect(),
            }
        }
        Expression::Narrowed { of, by } => Expression::Narrowed {
            of: ids.value(*of),
            by: match by {
                Narrowing::Not(id) => Narrowing::Not(ids.r#type(*id)),
                Narrowing::Member(..) | Narrowing::Predicate(..) => by.clone(),
            },
        },
        other => other.clone(),
    };
    // A position decides only which binding a name sees.
    let has_place = keeper.needs.everything
        || match &node.kind {
            Expression::Name { name, .. } => keeper.bindings.contains_key(&**name),
            _ => false,
        };
    let range = if has_place { start(node.range) } else { Range::default() };
    ExpressionNode { kind, scope: ids.scope(node.scope), range }
}
