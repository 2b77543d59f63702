//! [`Interrupt`]: ends work whose result nobody needs any more, or not in time.

use std::fmt;

/// A condition that long work checks between its steps. When it holds, the work ends with an error
/// or with what it has so far.
#[derive(Clone, Copy, Default)]
pub struct Interrupt<'a>(Option<&'a (dyn Fn() -> bool + Sync)>);

impl<'a> Interrupt<'a> {
    /// An interrupt that never happens.
    pub const NEVER: Interrupt<'static> = Interrupt(None);

    /// Returns an interrupt that happens when `is_due` returns true.
    pub fn new(is_due: &'a (dyn Fn() -> bool + Sync)) -> Interrupt<'a> {
        Interrupt(Some(is_due))
    }

    /// Returns true if the work is to end.
    pub fn is_due(self) -> bool {
        self.0.is_some_and(|is_due| is_due())
    }
}

impl fmt::Debug for Interrupt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Interrupt").field(&self.0.is_some()).finish()
    }
}
