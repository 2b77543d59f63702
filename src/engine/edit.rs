//! Edits of the tree on this machine.

use super::Engine;
use crate::catalog::code::Editor;
use crate::error::{Error, Result};
use crate::source::guarded::Content;
use crate::source::write;

impl Editor for Engine {
    fn read(&self, path: &[u8]) -> Result<Content> {
        self.refuse_index(path)?;
        write::read(&self.root, path, self.editable)
    }

    fn replace(&self, path: &[u8], before: &Content, after: &[u8]) -> Result<()> {
        self.refuse_index(path)?;
        write::replace(&self.root, path, self.editable, before, after)
    }

    fn check_vacant(&self, path: &[u8]) -> Result<()> {
        self.refuse_index(path)?;
        write::check_vacant(&self.root, path, self.editable)
    }

    fn create(&self, path: &[u8], text: &[u8]) -> Result<()> {
        self.refuse_index(path)?;
        write::create(&self.root, path, self.editable, text)
    }
}

impl Engine {
    /// Refuses files of an index directory inside the tree.
    fn refuse_index(&self, path: &[u8]) -> Result<()> {
        let named = crate::base::path::to_path(path);
        if self.root.join(&named).starts_with(self.store.dir()) {
            return Err(Error::usage("cannot edit a file of the index").with_path(&named));
        }
        Ok(())
    }
}
