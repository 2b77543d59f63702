//! Keeps which commits wrote the lines that the newest fix of a file removed, so that git blames them
//! once for each fix: one file for each path, `fix-<hash>.idx` in the index directory.
//!
//! What a commit removed and who wrote it never changes; the names of the file and the commits that
//! blame leaves out can.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::id::CommitId;
use super::kept::Kept;
use super::versions::Versions;

/// How the names of the files start.
pub(super) const PREFIX: &str = "fix-";

/// What a correction depends on.
#[derive(Clone, Copy, Debug)]
pub struct FixKey<'a> {
    /// The commit that fixed something.
    pub fix: CommitId,
    /// A hash of the rules of blame; see [`rules_hash`](super::blames::rules_hash).
    pub rules: u64,
    /// The paths that the file has had.
    pub paths: &'a [Vec<u8>],
}

/// What a fix removed from a file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Correction {
    /// The commits that wrote the removed lines, with the number of these lines, in their order.
    pub blamed: Vec<(CommitId, usize)>,
    /// The ids or starts of ids that the message of the fix names as faulty.
    pub named: Vec<String>,
}

#[derive(Deserialize, Serialize)]
struct KeptCorrection {
    path: String,
    fix: String,
    rules: u64,
    /// A hash of the paths.
    paths: u64,
    blamed: Vec<(String, usize)>,
    named: Vec<String>,
}

impl Versions<'_> {
    /// Returns the correction that is kept for the file at a repository path, if it is that of `key`.
    pub fn correction(&self, path: &[u8], key: &FixKey<'_>) -> Option<Correction> {
        let kept: KeptCorrection = serde_json::from_str(&self.corrections().read(path)?).ok()?;
        let is_same = kept.path.as_bytes() == path
            && kept.fix == key.fix.to_string()
            && kept.rules == key.rules
            && kept.paths == key.paths_hash();
        let blamed =
            |(commit, lines): (String, usize)| Some((CommitId::parse(commit.as_bytes())?, lines));
        let blamed = kept.blamed.into_iter().map(blamed).collect::<Option<_>>()?;
        is_same.then_some(Correction { blamed, named: kept.named })
    }

    /// Keeps the correction of the file at a repository path in place of what was kept for it; see
    /// [`Versions::keep`].
    pub fn keep_correction(&self, path: &[u8], key: &FixKey<'_>, correction: &Correction) {
        let Ok(shown) = String::from_utf8(path.to_vec()) else { return };
        let blamed = correction.blamed.iter().map(|(commit, lines)| (commit.to_string(), *lines));
        let kept = KeptCorrection {
            path: shown,
            fix: key.fix.to_string(),
            rules: key.rules,
            paths: key.paths_hash(),
            blamed: blamed.collect(),
            named: correction.named.clone(),
        };
        if let Ok(text) = serde_json::to_string(&kept) {
            self.corrections().write(path, &text);
        }
    }

    fn corrections(&self) -> Kept<'_> {
        Kept { store: self.0, prefix: PREFIX }
    }
}

impl FixKey<'_> {
    fn paths_hash(&self) -> u64 {
        let mut hash = Xxh3::new();
        for path in self.paths {
            hash.update(&(path.len() as u64).to_le_bytes());
            hash.update(path);
        }
        hash.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::store::Store;

    #[test]
    fn a_correction_is_that_of_its_fix_its_paths_and_its_rules() {
        let dir = tempfile::tempdir().expect("a directory");
        let store = Store::new(dir.path().join("index"), false);
        store.create().expect("created");
        let versions = Versions(&store);
        let id = |number: u8| CommitId::new(&[number; 20]).expect("20 bytes");
        let paths = [b"a.rs".to_vec(), b"b.rs".to_vec()];
        let key = FixKey { fix: id(1), rules: 5, paths: &paths };
        let correction =
            Correction { blamed: vec![(id(2), 3), (id(3), 1)], named: vec!["02".into()] };
        assert_eq!(versions.correction(b"a.rs", &key), None);
        versions.keep_correction(b"a.rs", &key, &correction);
        assert_eq!(versions.correction(b"a.rs", &key), Some(correction));
        for other in [
            FixKey { fix: id(2), ..key },
            FixKey { rules: 6, ..key },
            FixKey { paths: &paths[..1], ..key },
        ] {
            assert_eq!(versions.correction(b"a.rs", &other), None, "{other:?}");
        }
        assert_eq!(versions.correction(b"b.rs", &key), None, "another file");
    }
}
