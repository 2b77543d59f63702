//! Checksums of trees and of texts.

use std::fs;
use std::path::Path;

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::Outcome;

/// Returns the checksum of `files` below `root`: of their paths and contents, in the given order.
///
/// # Errors
///
/// If a file cannot be read.
pub(crate) fn of_tree(root: &Path, files: &[String]) -> Outcome<String> {
    let mut sum = Xxh3::new();
    for file in files {
        let path = root.join(file);
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        add(&mut sum, file.as_bytes());
        add(&mut sum, &bytes);
    }
    Ok(format!("{:032x}", sum.digest128()))
}

/// Returns the checksum of a sequence of texts.
pub(crate) fn of_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut sum = Xxh3::new();
    texts.into_iter().for_each(|text| add(&mut sum, text.as_bytes()));
    format!("{:032x}", sum.digest128())
}

/// Returns the checksum of one text.
pub(crate) fn of_text(text: &str) -> String {
    format!("{:032x}", xxh3_128(text.as_bytes()))
}

/// Adds a text with its length, so that another split of the same bytes has another checksum.
fn add(sum: &mut Xxh3, bytes: &[u8]) {
    sum.update(&(bytes.len() as u64).to_le_bytes());
    sum.update(bytes);
}
