//! Vectors with typed indices.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// The index of a `T` in its [`Arena`].
pub struct Id<T> {
    index: u32,
    kind: PhantomData<fn() -> T>,
}

impl<T> Id<T> {
    /// Returns the id of the element `index`.
    pub fn new(index: usize) -> Self {
        Self {
            index: u32::try_from(index).expect("an arena is smaller than its file"),
            kind: PhantomData,
        }
    }

    /// Returns the position in the arena.
    pub fn index(self) -> usize {
        self.index as usize
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}
impl<T> Eq for Id<T> {}
impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.index.cmp(&other.index)
    }
}
impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
    }
}
impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.index)
    }
}

/// A growing vector whose elements are addressed by [`Id`].
#[derive(Clone, Debug, PartialEq)]
pub struct Arena<T>(Vec<T>);

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Arena<T> {
    /// Adds `element` and returns its id.
    pub fn push(&mut self, element: T) -> Id<T> {
        self.0.push(element);
        Id::new(self.0.len() - 1)
    }

    /// Returns the elements with their ids, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Id<T>, &T)> {
        self.0.iter().enumerate().map(|(index, element)| (Id::new(index), element))
    }

    /// Returns the ids, in order.
    pub fn ids(&self) -> impl Iterator<Item = Id<T>> + use<T> {
        (0..self.0.len()).map(Id::new)
    }

    /// Returns the elements, in order.
    pub fn into_vec(self) -> Vec<T> {
        self.0
    }

    /// Returns an arena of `elements`.
    pub fn from_vec(elements: Vec<T>) -> Self {
        Self(elements)
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Index<Id<T>> for Arena<T> {
    type Output = T;
    fn index(&self, id: Id<T>) -> &T {
        &self.0[id.index()]
    }
}

impl<T> IndexMut<Id<T>> for Arena<T> {
    fn index_mut(&mut self, id: Id<T>) -> &mut T {
        &mut self.0[id.index()]
    }
}
