//! What a linker has looked up already: many uses of one name ask for the same.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::code::{Code, FileFacts, SymbolAt};
use super::dialect::Group;
use crate::base::ids::FileId;
use crate::lang::facts::Role;

/// Files whose facts are held.
const FILES_MAX: usize = 4096;

/// Names whose definitions are held.
const GUESSES_MAX: usize = 256;

/// The facts of a file; to share them costs threads nothing.
pub(super) type Shared = Rc<Arc<FileFacts>>;

/// What decides which definitions are guessed: name, role, arguments, and the group of languages.
pub(super) type Question = (String, Role, Option<u8>, Group);

/// What a use of which only the name is known may mean.
#[derive(Debug, Default)]
pub(super) struct Guesses {
    pub(super) found: Vec<SymbolAt>,
    /// There are more of that name.
    pub(super) is_cut: bool,
}

/// What one linker has looked up.
#[derive(Default)]
pub(super) struct Memo {
    files: RefCell<FxHashMap<FileId, Option<Shared>>>,
    guesses: RefCell<FxHashMap<Question, Rc<Guesses>>>,
}

impl Memo {
    /// Returns the facts of a file.
    pub(super) fn file(&self, code: &dyn Code, file: FileId) -> Option<Shared> {
        if let Some(known) = self.files.borrow().get(&file) {
            return known.clone();
        }
        let found = code.file(file).map(Rc::new);
        let mut files = self.files.borrow_mut();
        if files.len() >= FILES_MAX {
            files.clear();
        }
        files.insert(file, found.clone());
        found
    }

    /// Returns the answer to a question, by `make` if it was not asked before.
    pub(super) fn guesses(
        &self,
        question: Question,
        make: impl FnOnce() -> Guesses,
    ) -> Rc<Guesses> {
        if let Some(known) = self.guesses.borrow().get(&question) {
            return Rc::clone(known);
        }
        let made = Rc::new(make());
        let mut guesses = self.guesses.borrow_mut();
        if guesses.len() >= GUESSES_MAX {
            guesses.clear();
        }
        guesses.insert(question, Rc::clone(&made));
        made
    }
}
