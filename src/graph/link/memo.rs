//! A cache of look-ups: many uses of one name need the same.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::code::{Code, FileFacts, SymbolAt};
use super::dialect::Group;
use crate::base::ids::FileId;
use crate::lang::facts::Role;

/// The most files whose facts are cached.
const FILES_MAX: usize = 4096;

/// The most names whose guesses are cached.
const GUESSES_MAX: usize = 256;

/// The facts of a file. A clone does not touch the counter that threads share.
pub(super) type Shared = Rc<Arc<FileFacts>>;

/// What determines a guess: name, role, arguments, and the group of languages.
pub(super) type GuessKey = (String, Role, Option<u8>, Group);

/// Definitions that a use may refer to by its name alone.
#[derive(Debug, Default)]
pub(super) struct Guesses {
    pub(super) found: Vec<SymbolAt>,
    /// Other definitions have the same name.
    pub(super) is_cut: bool,
}

/// The look-ups of one linker.
#[derive(Default)]
pub(super) struct Memo {
    files: RefCell<FxHashMap<FileId, Option<Shared>>>,
    guesses: RefCell<FxHashMap<GuessKey, Rc<Guesses>>>,
}

impl Memo {
    /// Returns the facts of a file.
    pub(super) fn file(&self, code: &dyn Code, file: FileId) -> Option<Shared> {
        if let Some(cached) = self.files.borrow().get(&file) {
            return cached.clone();
        }
        let found = code.file(file).map(Rc::new);
        let mut files = self.files.borrow_mut();
        if files.len() >= FILES_MAX {
            files.clear();
        }
        files.insert(file, found.clone());
        found
    }

    /// Returns the cached guesses for a key, or those that `make` returns.
    pub(super) fn guesses(&self, key: GuessKey, make: impl FnOnce() -> Guesses) -> Rc<Guesses> {
        if let Some(cached) = self.guesses.borrow().get(&key) {
            return Rc::clone(cached);
        }
        let made = Rc::new(make());
        let mut guesses = self.guesses.borrow_mut();
        if guesses.len() >= GUESSES_MAX {
            guesses.clear();
        }
        guesses.insert(key, Rc::clone(&made));
        made
    }
}
