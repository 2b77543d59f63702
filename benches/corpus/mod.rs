//! The corpus of the benches: packages of public registries, pinned in bench-corpus/manifest.toml,
//! and a history over them that is made up, the same each time.
//!
//! [`manifest`] says what belongs to it, [`cache`] where it lies, [`registry`] gets archives by the
//! ordinary clients, [`unpack`] makes a tree of them, [`checksum`] says whether that is the tree that
//! is meant, [`history`] tells its history and [`repository`] has git keep it. Nothing of it is tracked.

pub(crate) mod cache;
pub(crate) mod checksum;
pub(crate) mod draft;
pub(crate) mod history;
pub(crate) mod manifest;
pub(crate) mod random;
pub(crate) mod registry;
pub(crate) mod repository;
pub(crate) mod stream;
pub(crate) mod tree;
pub(crate) mod unpack;

use std::fs;
use std::path::PathBuf;

use cache::Cache;
use manifest::{Manifest, Package, Profile};

/// What can fail says why in one sentence.
pub(crate) type Outcome<T> = Result<T, String>;

/// A corpus that is there, as the manifest means it.
#[derive(Debug)]
pub(crate) struct Corpus {
    /// Its tree: a git repository whose last commit is what lies there.
    pub(crate) tree: PathBuf,
    /// A hash of the profile's name, its files and their history.
    pub(crate) hash: String,
}

/// Returns the corpus of a profile, after a look at every file of it.
///
/// # Errors
///
/// If it was not fetched, or is not what the manifest says.
pub(crate) fn open(manifest: &Manifest, profile: Profile, cache: &Cache) -> Outcome<Corpus> {
    let corpus = opened_unchecked(manifest, profile, cache)?;
    let meant = manifest.meant(profile);
    let again = || format!("remove {} and run `{}`", corpus.tree.display(), command(profile));
    let files = tree::files(&corpus.tree)?;
    let checksum = checksum::of_tree(&corpus.tree, &files)?;
    if checksum != meant.checksum {
        return Err(format!(
            "the files of the corpus `{profile}` were changed: their checksum is {checksum}, not {}; {}",
            meant.checksum,
            again()
        ));
    }
    if let Some(path) = tree::first_of_another_time(&corpus.tree, &files)? {
        return Err(format!(
            "`{path}` of the corpus `{profile}` was touched: its time is not that of the others; {}",
            again()
        ));
    }
    let head = repository::head(&corpus.tree)?;
    if head != meant.head {
        return Err(format!(
            "the history of the corpus `{profile}` ends with {head}, not with {}; {}",
            meant.head,
            again()
        ));
    }
    Ok(corpus)
}

/// As [`open`], without looking at the files.
///
/// # Errors
///
/// If it was not fetched.
pub(crate) fn opened_unchecked(
    manifest: &Manifest,
    profile: Profile,
    cache: &Cache,
) -> Outcome<Corpus> {
    let meant = manifest.meant(profile);
    let tree = cache.tree(profile, &meant.checksum);
    if !tree.join(".git").is_dir() {
        let missing: Vec<&Package> =
            manifest.packages_of(profile).filter(|package| !cache.has(package)).collect();
        let what = match missing.first() {
            Some(first) => {
                let others = match missing.len() - 1 {
                    0 => String::new(),
                    others => format!(" and {others} others are"),
                };
                let is = if others.is_empty() { " is" } else { "" };
                format!("{first}{others}{is} missing from {}", cache.root().display())
            }
            None => "its packages are here, but not unpacked".to_owned(),
        };
        return Err(format!(
            "the corpus `{profile}` is not ready: {what}; `{}` fetches it",
            command(profile)
        ));
    }
    let hash = checksum::of_texts([profile.name(), &meant.checksum, &meant.head]);
    let tree = tree.canonicalize().map_err(|error| format!("{}: {error}", tree.display()))?;
    Ok(Corpus { tree, hash })
}

/// Makes the corpus of a profile: gets the archives that are not there yet, unpacks them and makes the
/// history. Does nothing where it is there. `tell` hears of each step.
///
/// # Errors
///
/// What a registry's client says; an archive or a tree that is not the one that is pinned.
pub(crate) fn fetch(
    manifest: &Manifest,
    profile: Profile,
    cache: &Cache,
    tell: &dyn Fn(&str),
) -> Outcome<Corpus> {
    let meant = manifest.meant(profile);
    let tree = cache.tree(profile, &meant.checksum);
    if tree.join(".git").is_dir() {
        return open(manifest, profile, cache);
    }
    cache.create()?;
    registry::fetch(manifest.packages_of(profile), cache, tell)?;
    let new = cache.scratch(&format!("tree-{profile}"))?;
    for package in manifest.packages_of(profile) {
        tell(&format!("unpacking {package}"));
        unpack::unpack(package, cache, &new)?;
    }
    let files = tree::files(&new)?;
    tree::check_names(&files)?;
    let checksum = checksum::of_tree(&new, &files)?;
    if checksum != meant.checksum {
        return Err(format!(
            "the corpus `{profile}` has another checksum than the manifest says: {checksum}"
        ));
    }
    tell(&format!("making the history of {} files", files.len()));
    let head = repository::create(&new, &files, meant.subjects)?;
    if head != meant.head {
        return Err(format!(
            "the history of the corpus `{profile}` ends with another commit than the manifest says: {head}"
        ));
    }
    tree::set_times(&new, &files)?;
    repository::add_stamps(&new)?;
    fs::rename(&new, &tree).map_err(|error| format!("{}: {error}", tree.display()))?;
    open(manifest, profile, cache)
}

/// Returns the command that fetches a corpus.
pub(crate) fn command(profile: Profile) -> String {
    format!("cargo bench --bench cases -- --fetch --profile {profile}")
}
