//! Rebuilds the parts of the index that calls found damaged.

use super::{Engine, Progress, build, code, refresh};
use crate::catalog::damage::{Damage, Part};
use crate::error::Result;

/// Rebuilds the `damage`d parts of the index, and checks the others. O(text) for the search index
/// and the code index; O(bytes of the index) for what is undamaged.
///
/// # Errors
///
/// As [`build()`] and [`code::build_code`].
pub fn repair(engine: &Engine, damage: &Damage, progress: &Progress) -> Result<()> {
    if damage.has(Part::Search) {
        build(engine, progress)?;
    } else {
        refresh(engine, progress)?;
    }
    if !code::has_code(engine) {
        return Ok(());
    }
    code::build_code(engine, damage.has(Part::Code), progress)?;
    if damage.has(Part::Text) {
        // The first build checks blocks only if the search index has not changed since the last one.
        code::build_code(engine, false, progress)?;
    }
    Ok(())
}
