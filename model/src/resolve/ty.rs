//! Types of values, as the resolver computes them.

use crate::ir::{DefinitionId, Literal, Name, ScopeId};
use std::rc::Rc;

/// The position of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A definition of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Def {
    /// The file.
    pub file: FileId,
    /// The definition there.
    pub id: DefinitionId,
}

/// Scopes that together declare the names of a module or namespace.
pub type Scopes = Rc<[(FileId, ScopeId)]>;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ty {
    /// Nothing is known.
    Unknown,
    /// A type that a source or the library declares, with its arguments.
    Named(Def, Rc<[Ty]>),
    /// A type parameter.
    Parameter(Def),
    /// The type of the receiver, within this type.
    Own(Def),
    /// A function: receiver, parameters, result.
    Function(Rc<(Option<Ty>, Vec<Ty>, Ty)>),
    /// Several values.
    Tuple(Rc<[Ty]>),
    /// Fields without a declaration.
    Record(Rc<[(Name, Ty)]>),
    /// One of these.
    OneOf(Rc<[Ty]>),
    /// All of these.
    AllOf(Rc<[Ty]>),
    /// A member of a type that is not known yet.
    Projection(Rc<Ty>, Name),
    /// A literal.
    Literal(Literal),
    /// The type itself, as a value.
    Class(Rc<Ty>),
    /// Functions as a value.
    Stored(Rc<[Def]>),
    /// A module or namespace.
    Module(Scopes),
    /// Something that the tree does not define.
    Outside,
}

impl Ty {
    /// Returns one of `types`: without repetitions, unknown if one of them is.
    pub fn one_of(types: Vec<Ty>) -> Ty {
        let mut flat = Vec::new();
        for ty in types {
            match ty {
                Ty::OneOf(inner) => flat.extend(inner.iter().cloned()),
                ty => flat.push(ty),
            }
        }
        flat.sort();
        flat.dedup();
        if flat.contains(&Ty::Unknown) {
            return Ty::Unknown;
        }
        if flat.iter().all(|ty| matches!(ty, Ty::Stored(_))) && flat.len() > 1 {
            let mut stored: Vec<Def> = flat.iter().flat_map(Ty::stored).collect();
            stored.sort();
            stored.dedup();
            return Ty::Stored(stored.into());
        }
        match flat.len() {
            0 => Ty::Unknown,
            1 => flat.remove(0),
            _ => Ty::OneOf(flat.into()),
        }
    }

    /// Returns one of those of `types` that the tree or the library defines; if there are none, one
    /// of all.
    pub fn one_of_known(types: Vec<Ty>) -> Ty {
        let is_known = |ty: &Ty| !ty.is_open() && *ty != Ty::Outside;
        let known: Vec<Ty> = types.iter().filter(|ty| is_known(ty)).cloned().collect();
        let says_nothing = known.iter().all(|ty| *ty == Ty::Literal(Literal::Null));
        Ty::one_of(if says_nothing { types } else { known })
    }

    /// Returns the functions that a value is.
    pub fn stored(&self) -> Vec<Def> {
        match self {
            Ty::Stored(stored) => stored.to_vec(),
            Ty::OneOf(types) => types.iter().flat_map(Ty::stored).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the types that a value may have, without the absent one.
    pub fn choices(&self) -> Vec<Ty> {
        let is_null = |ty: &Ty| *ty == Ty::Literal(Literal::Null);
        match self {
            Ty::OneOf(types) => types.iter().filter(|ty| !is_null(ty)).cloned().collect(),
            ty => vec![ty.clone()],
        }
    }

    /// Returns whether a type has more than `limit` parts.
    pub fn is_larger_than(&self, limit: usize) -> bool {
        fn count(ty: &Ty, left: &mut usize) -> bool {
            if *left == 0 {
                return false;
            }
            *left -= 1;
            let mut all = |types: &[Ty]| types.iter().all(|ty| count(ty, left));
            match ty {
                Ty::Named(_, types) | Ty::Tuple(types) | Ty::OneOf(types) | Ty::AllOf(types) => {
                    all(types)
                }
                Ty::Function(function) => {
                    let (receiver, parameters, result) = &**function;
                    receiver.iter().chain(parameters).chain([result]).all(|ty| count(ty, left))
                }
                Ty::Record(fields) => fields.iter().all(|(_, ty)| count(ty, left)),
                Ty::Projection(of, _) | Ty::Class(of) => count(of, left),
                _ => true,
            }
        }
        !count(self, &mut limit.clone())
    }

    /// Returns this type with each part that `replace` gives another for.
    pub fn map(&self, replace: &impl Fn(&Ty) -> Option<Ty>) -> Ty {
        if let Some(other) = replace(self) {
            return other;
        }
        let all = |types: &[Ty]| -> Rc<[Ty]> { types.iter().map(|ty| ty.map(replace)).collect() };
        match self {
            Ty::Named(def, arguments) => Ty::Named(*def, all(arguments)),
            Ty::Function(function) => {
                let (receiver, parameters, result) = &**function;
                Ty::Function(Rc::new((
                    receiver.as_ref().map(|ty| ty.map(replace)),
                    parameters.iter().map(|ty| ty.map(replace)).collect(),
                    result.map(replace),
                )))
            }
            Ty::Tuple(types) => Ty::Tuple(all(types)),
            Ty::Record(fields) => Ty::Record(
                fields.iter().map(|(name, ty)| (name.clone(), ty.map(replace))).collect(),
            ),
            Ty::OneOf(types) => Ty::one_of(all(types).to_vec()),
            Ty::AllOf(types) => Ty::AllOf(all(types)),
            Ty::Projection(of, name) => Ty::Projection(Rc::new(of.map(replace)), name.clone()),
            Ty::Class(of) => Ty::Class(Rc::new(of.map(replace))),
            other => other.clone(),
        }
    }

    /// Returns whether both are the same up to what type parameters stand for.
    pub fn is_alike(&self, other: &Ty) -> bool {
        match (self, other) {
            (Ty::Named(one, ours), Ty::Named(other, theirs)) => {
                one == other && ours.iter().zip(theirs.iter()).all(|(a, b)| a.is_alike(b))
            }
            _ => self == other || self.is_open() || other.is_open(),
        }
    }

    /// Returns whether nothing is known of it, or of a part.
    pub fn is_open(&self) -> bool {
        matches!(self, Ty::Unknown | Ty::Parameter(_) | Ty::Projection(..))
    }
}
