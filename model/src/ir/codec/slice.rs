//! What of a file is stored.

mod compact;
mod functions;

use crate::ir::*;
use compact::compact;
pub(crate) use compact::shapes;
use rustc_hash::FxHashMap;

/// What the resolver needs of a language's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Arguments have a shape: which are literals, and of what kind. Overloads need it.
    pub shapes: bool,
    /// Only functions, and what may hold them, are of interest in arguments, members and records:
    /// all else states its type.
    pub only_functions: bool,
    /// Types that hold no function.
    pub plain_types: &'static [&'static str],
    /// All values and bindings are stored with their positions, so that nothing is lowered again.
    pub everything: bool,
}

impl Needs {
    /// What a language with overloads and without written types needs.
    pub const ALL: Needs =
        Needs { shapes: true, only_functions: false, plain_types: &[], everything: false };
}

/// How many values at the start of a slice stand for what is not stored: an unknown one, and one
/// literal of each kind.
pub const SHAPES: usize = 6;

/// Returns what is stored of `file`, for all languages.
pub fn slice(file: &File) -> File {
    slice_of(file, &Needs::ALL)
}

/// Returns what is stored of `file`: definitions and uses keep their ids; scopes without names,
/// values, bindings and types that nothing stored reaches are left out, and the others get new
/// ids: first those outside of bodies, then those of each body. Values that are not stored are the first
/// of the slice, see [`SHAPES`]. Ends of uses and bindings are not stored. O(file).
pub fn slice_of(file: &File, needs: &Needs) -> File {
    let mut keeper = Keeper::new(file, needs);
    if needs.everything {
        keeper.kept.fill(true);
        keeper.reached.fill(true);
        keeper.types.fill(true);
    } else {
        keeper.roots();
        keeper.reach();
    }
    compact(&keeper)
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

/// Marks what is kept.
struct Keeper<'f> {
    file: &'f File,
    needs: &'f Needs,
    /// Values that are kept.
    kept: Vec<bool>,
    open: Vec<ExpressionId>,
    bindings: FxHashMap<&'f str, Vec<BindingId>>,
    definitions: FxHashMap<&'f str, Vec<DefinitionId>>,
    /// The bindings of lambdas' scopes.
    parameters: FxHashMap<ScopeId, Vec<BindingId>>,
    /// Bindings that are kept.
    reached: Vec<bool>,
    /// Types that are kept.
    types: Vec<bool>,
    open_types: Vec<TypeId>,
}

impl<'f> Keeper<'f> {
    fn new(file: &'f File, needs: &'f Needs) -> Self {
        let mut keeper = Keeper {
            file,
            needs,
            kept: vec![false; file.expressions.len()],
            open: Vec::new(),
            bindings: FxHashMap::default(),
            definitions: FxHashMap::default(),
            parameters: FxHashMap::default(),
            reached: vec![false; file.bindings.len()],
            types: vec![false; file.types.len()],
            open_types: Vec::new(),
        };
        for (id, binding) in file.bindings.iter() {
            keeper.bindings.entry(&binding.name).or_default().push(id);
            if file.scopes[binding.scope].kind == ScopeKind::Lambda {
                keeper.parameters.entry(binding.scope).or_default().push(id);
            }
        }
        if needs.only_functions {
            for (id, definition) in file.definitions.iter() {
                keeper.definitions.entry(&definition.name).or_default().push(id);
            }
        }
        keeper
    }

    fn keep(&mut self, id: ExpressionId) {
        if !std::mem::replace(&mut self.kept[id.index()], true) {
            self.open.push(id);
        }
    }

    fn keep_type(&mut self, id: TypeId) {
        if !std::mem::replace(&mut self.types[id.index()], true) {
            self.open_types.push(id);
        }
    }

    fn roots(&mut self) {
        let file = self.file;
        for (_, of) in file.uses.iter() {
            match (of.receiver, &of.name) {
                (Some(id), _) => self.keep(id),
                (None, Some(name)) => self.reach_name(name, of.scope),
                (None, None) => {}
            }
            of.r#type.iter().chain(&of.type_arguments).for_each(|&id| self.keep_type(id));
            for argument in &of.arguments {
                if self.is_argument_kept(argument.value) {
                    self.keep(argument.value);
                }
            }
        }
        for (id, scope) in file.scopes.iter() {
            scope.receivers.iter().for_each(|&id| self.keep(id));
            if !has_written_result(file, id) {
                for &result in &scope.results {
                    if self.is_result_kept(id, result) {
                        self.keep(result);
                    }
                }
            }
        }
        for (id, binding) in file.bindings.iter().filter(|(_, binding)| binding.of.is_some()) {
            let holds = binding.value.is_some_and(|value| self.holds_function(value, 0));
            if !self.needs.only_functions || holds {
                self.reached[id.index()] = true;
                binding.of.into_iter().chain(binding.value).for_each(|id| self.keep(id));
                binding.r#type.into_iter().for_each(|id| self.keep_type(id));
            }
        }
        if self.needs.only_functions {
            for id in file.expressions.ids() {
                let is_record = matches!(file.expressions[id].kind, Expression::Record { .. });
                if is_record && self.holds_function(id, 0) {
                    self.keep(id);
                }
            }
        }
        for (_, definition) in file.definitions.iter() {
            self.definition(definition);
        }
    }

    fn definition(&mut self, definition: &Definition) {
        for base in &definition.bases {
            match base.target {
                Target::Value(id) => self.keep(id),
                Target::Type(id) => self.keep_type(id),
            }
        }
        let Definition { yields, signature, .. } = definition;
        let parameters = signature.parameters.iter().flatten();
        let types = parameters
            .filter_map(|parameter| parameter.r#type)
            .chain(yields.iter().map(|&(_, id)| id))
            .chain(signature.receiver)
            .chain(signature.result)
            .chain(signature.predicate.as_ref().map(|predicate| predicate.r#type));
        types.for_each(|id| self.keep_type(id));
    }

    /// Keeps the parts of what is kept, and the bindings that names in it reach.
    fn reach(&mut self) {
        loop {
            if let Some(id) = self.open.pop() {
                self.reach_value(id);
            } else if let Some(id) = self.open_types.pop() {
                self.reach_type(id);
            } else {
                break;
            }
        }
    }

    fn reach_value(&mut self, id: ExpressionId) {
        let file = self.file;
        match &file.expressions[id].kind {
            Expression::Name { name, .. } => self.reach_name(name, file.expressions[id].scope),
            Expression::Member { of, .. } | Expression::Yield { of, .. } => self.keep(*of),
            Expression::Cast { of, r#type } => {
                self.keep(*of);
                self.keep_type(*r#type);
            }
            Expression::Narrowed { of, by } => {
                self.keep(*of);
                if let Narrowing::Not(id) = by {
                    self.keep_type(*id);
                }
            }
            Expression::OneOf(values) => values.iter().for_each(|&id| self.keep(id)),
            Expression::Lambda { scope, parameters, result } => {
                for of in self.parameters.get(scope).cloned().unwrap_or_default() {
                    self.reach_binding(of);
                }
                let types = parameters.iter().filter_map(|(_, id)| *id).chain(*result);
                types.for_each(|id| self.keep_type(id));
            }
            Expression::Record { r#type, fields } => {
                r#type.iter().for_each(|&id| self.keep_type(id));
                for &(_, id) in fields {
                    if !self.needs.only_functions || self.holds_function(id, 0) {
                        self.keep(id);
                    }
                }
            }
            _ => {}
        }
    }

    fn reach_name(&mut self, name: &str, scope: ScopeId) {
        for of in self.bindings.get(name).cloned().unwrap_or_default() {
            if self.is_around(self.file.bindings[of].scope, scope) {
                self.reach_binding(of);
            }
        }
    }

    fn reach_binding(&mut self, id: BindingId) {
        if std::mem::replace(&mut self.reached[id.index()], true) {
            return;
        }
        let binding = &self.file.bindings[id];
        binding.r#type.into_iter().for_each(|id| self.keep_type(id));
        if let Some(value) = binding.value
            && self.is_value_kept(binding, value)
        {
            self.keep(value);
        }
    }

    fn reach_type(&mut self, id: TypeId) {
        let file = self.file;
        match &file.types[id].kind {
            Type::Named { arguments, .. } => arguments.iter().for_each(|&id| self.keep_type(id)),
            Type::Function { receiver, parameters, result } => {
                let types = receiver.iter().chain(parameters).chain([result]);
                types.for_each(|&id| self.keep_type(id));
            }
            Type::Tuple(types) | Type::OneOf(types) | Type::AllOf(types) => {
                types.iter().for_each(|&id| self.keep_type(id));
            }
            Type::Record(fields) => fields.iter().for_each(|&(_, id)| self.keep_type(id)),
            Type::Projection { of, .. } => self.keep_type(*of),
            Type::TypeOf(id) => self.keep(*id),
            Type::Parameter(_) | Type::Own | Type::Literal(_) | Type::Opaque(_) | Type::Unknown => {
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
