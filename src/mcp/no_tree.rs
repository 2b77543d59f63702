//! [`NoTree`]: the code of a call that needs no tree, such as listing or adding projects.

use crate::catalog::code::Code;
use crate::catalog::delegating_code::{Access, DelegatingCode};
use crate::error::{Error, Result};

/// A [`Code`] without a tree: every access fails.
pub(super) struct NoTree;

impl DelegatingCode for NoTree {
    fn before(&self, _: Access) -> Result<&dyn Code> {
        Err(Error::usage("this call has no tree"))
    }
}
