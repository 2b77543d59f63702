//! Newtypes for the numbers that name things inside one generation of the index.

/// A file's place in the file table, counted from 0 in path order.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct FileId(pub u32);

/// A directory's place in the directory table, counted from 0 in path order; 0 is the root.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct DirId(pub u32);

/// An indexed unit (a file, or one line-aligned block of a large file) of one segment.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct UnitId(pub u32);

macro_rules! index_type {
    ($($name:ident),*) => {$(
        impl $name {
            /// Returns the id as an index into a slice.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// Returns the id of the slice index `index`.
            ///
            /// # Panics
            ///
            /// If there are 2^32 or more of them; the builders refuse such trees before.
            pub fn new(index: usize) -> $name {
                $name(u32::try_from(index).expect("ids are bounded by the builders"))
            }
        }
    )*};
}

index_type!(FileId, DirId, UnitId);
