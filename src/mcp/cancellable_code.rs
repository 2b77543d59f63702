//! [`CancellableCode`]: the code of a tree for a call that the client can cancel. After a
//! cancellation, the next access fails, which ends the call.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::catalog::code::Code;
use crate::catalog::damage::{Damage, Part};
use crate::catalog::delegating_code::{Access, DelegatingCode};
use crate::catalog::file_list::FileList;
use crate::engine::Local;
use crate::error::{Error, Kind, Result};

/// Returns true once the client has cancelled the call.
pub(super) type IsCancelled<'a> = &'a (dyn Fn() -> bool + Sync);

/// The code of a tree until the call is cancelled.
pub(super) struct CancellableCode<'a> {
    code: Local<'a>,
    is_cancelled: IsCancelled<'a>,
    /// The generation of the last list of files; 0 without one.
    generation: AtomicU64,
    is_tree_read: AtomicBool,
}

impl<'a> CancellableCode<'a> {
    pub(super) fn new(code: Local<'a>, is_cancelled: IsCancelled<'a>) -> CancellableCode<'a> {
        let (generation, is_tree_read) = (AtomicU64::new(0), AtomicBool::new(false));
        CancellableCode { code, is_cancelled, generation, is_tree_read }
    }

    /// Returns the generation of the index that the call used; `None` if it used none.
    pub(super) fn generation(&self) -> Option<u64> {
        Some(self.generation.load(Ordering::Relaxed)).filter(|&generation| generation > 0)
    }

    /// Returns true if the call read the current tree: it read a file, or listed the files, which
    /// checks their metadata.
    pub(super) fn is_tree_read(&self) -> bool {
        self.is_tree_read.load(Ordering::Relaxed)
    }

    /// Returns true if answers may be incomplete because the code index is damaged.
    pub(super) fn is_damaged(&self) -> bool {
        self.code.is_damaged()
    }

    /// Records that a part of the index is damaged.
    pub(super) fn note_damage(&self, part: Part) {
        self.code.note_damage(part);
    }

    /// Returns the damaged parts of the index, see [`Local::take_damage`].
    pub(super) fn take_damage(&self) -> Damage {
        self.code.take_damage()
    }

    /// Returns the same tree without the code index.
    pub(super) fn without_code_index(self) -> Self {
        CancellableCode { code: self.code.without_code_index(), ..self }
    }
}

impl DelegatingCode for CancellableCode<'_> {
    fn before(&self, access: Access) -> Result<&dyn Code> {
        // Values that need no work stay available, for the error message and the metadata.
        let is_free =
            matches!(access, Access::Root | Access::Outline | Access::Damage | Access::Git);
        if !is_free && (self.is_cancelled)() {
            return Err(Error::new(Kind::Cancelled, "the call was cancelled"));
        }
        if access == Access::Read {
            self.is_tree_read.store(true, Ordering::Relaxed);
        }
        Ok(&self.code)
    }

    fn after(&self, files: &FileList) {
        self.generation.store(files.generation, Ordering::Relaxed);
        self.is_tree_read.store(true, Ordering::Relaxed);
    }
}
