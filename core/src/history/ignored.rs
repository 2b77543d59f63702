//! `.git-blame-ignore-revs`: commits that only reformat, which say nothing about who changed what.

use std::collections::BTreeSet;

use super::id::CommitId;

/// The name of the file, at the root of the tree.
pub const NAME: &str = ".git-blame-ignore-revs";

/// The maximum size of the file in bytes. Of a longer one, the rest is not read.
pub const BYTES_MAX: u64 = 1 << 20;

/// Returns the commits that the file lists: one full id per line, `#` starts a comment. Other lines
/// are skipped. O(text).
pub fn parse(text: &str) -> BTreeSet<CommitId> {
    let ids = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    ids.filter_map(|id| CommitId::parse(id.as_bytes())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_other_lines_are_skipped() {
        let id = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
        let ids = parse(&format!("# black\n{id} # why\n\nHEAD\naaaa\n"));
        assert_eq!(ids.into_iter().map(|id| id.to_string()).collect::<Vec<_>>(), [id]);
    }
}
