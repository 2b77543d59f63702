//! Detects secrets by path and in texts.
//!
//! Files that are secrets by their path are not indexed and never served to a model: `stores` lists
//! directories in which every file is one, `names` the names of such files in any directory, and
//! [`repository`] finds repositories without a work tree, whose names prove nothing. `codedb search`
//! still searches all of these, by reading them each time.
//!
//! In the text of other files, `content` finds tokens, private keys and passwords, and `mask`
//! replaces them: the texts that tools quote are masked when they are read, and each reply is
//! redacted in one place, `tools::Tool::run`. Indexes, matching and edits use the original.

mod content;
mod mask;
mod names;
pub mod repository;
mod stores;
mod tokens;

pub use content::{LINES_MAX, may_have_key};
pub use mask::{masked, masked_patch, masked_text, redacted, redactions};
pub use stores::{holds_stores, is_in_store};

/// Increased when other paths become secrets: an index made with other rules contains their text.
pub const VERSION: u32 = 2;

/// Returns true if the repository path is that of a credential store, a private key, a directory of
/// version control or the like. Case does not count. O(path).
pub fn is_secret(path: &[u8]) -> bool {
    let folded = folded(path);
    stores::is_stored(&folded) || names::is_secret(&folded)
}

/// Returns a path as the least exact file systems compare it: in lower case, without characters
/// that HFS+ ignores, and without the dots, blanks and names of streams that NTFS ignores at the end
/// of a name.
pub(super) fn folded(path: &[u8]) -> Vec<u8> {
    let mut folded = path.to_ascii_lowercase();
    if !path.is_ascii() {
        let is_seen = |c: &char| !matches!(c, '\u{200C}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{206A}'..='\u{206F}' | '\u{FEFF}');
        let text = String::from_utf8_lossy(&folded);
        folded = text.chars().filter(is_seen).collect::<String>().into_bytes();
    }
    let is_ignored = |pair: &[u8]| matches!(pair, [b'.' | b' ', b'/']);
    if !folded.contains(&b':')
        && !matches!(folded.last(), Some(b'.' | b' '))
        && !folded.windows(2).any(is_ignored)
    {
        return folded;
    }
    let bare = |name: &[u8]| {
        let name = name.split(|&byte| byte == b':').next().unwrap_or_default();
        let end = name.iter().rposition(|byte| !matches!(byte, b'.' | b' '));
        name[..end.map_or(0, |last| last + 1)].to_vec()
    };
    folded.split(|&byte| byte == b'/').map(bare).collect::<Vec<_>>().join(&b'/')
}

#[cfg(test)]
mod tests;
