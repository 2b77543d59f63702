//! The removal of indexes, for `codedb cache clean` and `codedb index --clean`.

use indicatif::HumanBytes;

use super::place::Cache;
use super::report;
use crate::index::store::{self, CachedIndex};

/// What became of the indexes.
pub(super) struct Removed {
    pub(super) count: usize,
    /// True if one of them could not be removed; a message states why.
    pub(super) has_failed: bool,
    /// How many were removed; of a dry run, also which ones would be.
    pub(super) text: String,
}

/// Returns true for the index of a tree that no longer exists.
pub(super) fn is_orphan(cached: &CachedIndex) -> bool {
    cached.root.as_ref().is_some_and(|root| !root.exists())
}

/// Returns the tree of an index, or its directory where the tree is not recorded.
pub(super) fn shown(cached: &CachedIndex) -> String {
    cached.root.as_ref().unwrap_or(&cached.dir).display().to_string()
}

/// Removes the indexes that are wanted, and the remains of interrupted removals; a dry run removes
/// nothing.
pub(super) fn remove(
    cache: &Cache,
    is_wanted: &dyn Fn(&CachedIndex) -> bool,
    is_dry: bool,
) -> Removed {
    let mut bytes = if is_dry { 0 } else { store::remove_rubbish(&cache.0) };
    let (mut count, mut has_failed, mut text) = (0_usize, false, String::new());
    for cached in store::cached(&cache.0).iter().rev().filter(|cached| is_wanted(cached)) {
        match if is_dry { Ok(()) } else { store::remove(&cached.dir) } {
            Ok(()) => {
                bytes += cached.bytes;
                count += 1;
                if is_dry {
                    text.push_str(&format!("{}\n", shown(cached)));
                }
            }
            Err(error) => {
                has_failed = true;
                report::print_error(&error);
            }
        }
    }
    let plural = if count == 1 { "" } else { "es" };
    let would = if is_dry { "would be " } else { "" };
    text.push_str(&format!("{count} index{plural} {would}removed, {}\n", HumanBytes(bytes)));
    Removed { count, has_failed, text }
}
