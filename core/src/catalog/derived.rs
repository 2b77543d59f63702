//! What analyses of higher layers derive from a catalog and keep with it: at most one value of each
//! type. A catalog after an edit gets what is still valid of it.

use std::any::{Any, TypeId};
use std::sync::{Arc, Mutex};

use super::Catalog;
use crate::base::ids::FileId;

/// A value that is derived from one state of the tree.
pub trait Derived: Any + Default + Send + Sync {
    /// Returns what is still valid after the files `changed`, in order, changed and no file was added or
    /// removed.
    #[must_use]
    fn without(&self, changed: &[FileId]) -> Self;
}

/// A value with the function that derives the next one.
#[derive(Clone)]
struct Entry {
    type_id: TypeId,
    value: Arc<dyn Any + Send + Sync>,
    without: fn(&(dyn Any + Send + Sync), &[FileId]) -> Arc<dyn Any + Send + Sync>,
}

/// The values of a catalog, one of each type.
#[derive(Default)]
pub(super) struct Derivations(Mutex<Vec<Entry>>);

impl Derivations {
    fn get<T: Derived>(&self) -> Arc<T> {
        let type_id = TypeId::of::<T>();
        let Ok(mut entries) = self.0.lock() else { return Arc::default() };
        if let Some(entry) = entries.iter().find(|entry| entry.type_id == type_id) {
            return Arc::clone(&entry.value).downcast().unwrap_or_default();
        }
        let value: Arc<T> = Arc::default();
        let without = |value: &(dyn Any + Send + Sync), changed: &[FileId]| {
            let next = value.downcast_ref::<T>().map(|value| value.without(changed));
            Arc::new(next.unwrap_or_default()) as Arc<dyn Any + Send + Sync>
        };
        entries.push(Entry { type_id, value: Arc::clone(&value) as _, without });
        value
    }

    /// Returns what is still valid after some files changed.
    pub(super) fn without(&self, changed: &[FileId]) -> Derivations {
        let entries = self.0.lock().map(|entries| entries.clone()).unwrap_or_default();
        let next = |of: Entry| Entry { value: (of.without)(&*of.value, changed), ..of };
        Derivations(Mutex::new(entries.into_iter().map(next).collect()))
    }
}

impl Catalog {
    /// Returns the value of a type that is kept with this catalog; an empty one the first time.
    pub fn derived<T: Derived>(&self) -> Arc<T> {
        self.cache.derivations.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Counted(Mutex<Vec<u32>>);

    impl Derived for Counted {
        fn without(&self, changed: &[FileId]) -> Counted {
            let kept = self.0.lock().expect("no panic").clone();
            Counted(Mutex::new(
                kept.into_iter().filter(|at| !changed.contains(&FileId(*at))).collect(),
            ))
        }
    }

    #[test]
    fn a_value_stays_until_a_file_that_it_depends_on_changes() {
        let before = Derivations::default();
        before.get::<Counted>().0.lock().expect("no panic").extend([1, 2]);
        assert_eq!(*before.get::<Counted>().0.lock().expect("no panic"), [1, 2]);
        let after = before.without(&[FileId(2)]);
        assert_eq!(*after.get::<Counted>().0.lock().expect("no panic"), [1]);
        assert_eq!(*before.get::<Counted>().0.lock().expect("no panic"), [1, 2]);
    }
}
