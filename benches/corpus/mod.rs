//! The corpus of the benches: packages of public registries, pinned in bench-corpus/manifest.toml,
//! with a deterministic synthetic history.
//!
//! [`manifest`] lists the contents, [`cache`] the paths; [`registry`] fetches archives with the
//! registries' clients, [`unpack`] extracts them into a tree, [`checksum`] verifies the tree,
//! [`history`] generates its history and [`repository`] stores it in git. None of it is tracked.

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

/// The result of a fallible function; the error is one sentence.
pub(crate) type Outcome<T> = Result<T, String>;

/// A corpus that exists and agrees with the manifest.
#[derive(Debug)]
pub(crate) struct Corpus {
    /// The tree: a git repository whose last commit is the state of the work tree.
    pub(crate) tree: PathBuf,
    /// A hash of the profile's name, its files and their history.
    pub(crate) hash: String,
}

/// Returns the corpus of a profile after checking every file.
///
/// # Errors
///
/// If the corpus has not been fetched or differs from the manifest.
pub(crate) fn open(manifest: &Manifest, profile: Profile, cache: &Cache) -> Outcome<Corpus> {
    let corpus = opened_unchecked(manifest, profile, cache)?;
    let expected = manifest.expected(profile);
    let again = || format!("remove {} and run `{}`", corpus.tree.display(), command(profile));
    let files = tree::files(&corpus.tree)?;
    let checksum = checksum::of_tree(&corpus.tree, &files)?;
    if checksum != expected.checksum {
        return Err(format!(
            "the files of the corpus `{profile}` were changed: their checksum is {checksum}, not {}; {}",
            expected.checksum,
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
    if head != expected.head {
        return Err(format!(
            "the history of the corpus `{profile}` ends with {head}, not with {}; {}",
            expected.head,
            again()
        ));
    }
    Ok(corpus)
}

/// As [`open`], without checking the files.
///
/// # Errors
///
/// If the corpus has not been fetched.
pub(crate) fn opened_unchecked(
    manifest: &Manifest,
    profile: Profile,
    cache: &Cache,
) -> Outcome<Corpus> {
    let expected = manifest.expected(profile);
    let tree = cache.tree(profile, &expected.checksum);
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
    let hash = checksum::of_texts([profile.name(), &expected.checksum, &expected.head]);
    let tree = tree.canonicalize().map_err(|error| format!("{}: {error}", tree.display()))?;
    Ok(Corpus { tree, hash })
}

/// Returns the folder of one package in the folder `group` of the cache, where it is unpacked. It is fetched
/// if it is not there; progress is passed to `progress`.
///
/// # Errors
///
/// If the package cannot be fetched, differs from its checksum, or cannot be written.
pub(crate) fn fetched(
    package: &Package,
    cache: &Cache,
    group: &str,
    progress: &dyn Fn(&str),
) -> Outcome<PathBuf> {
    let name =
        codedb::eval::context::trees::folder(&package.name, &package.version, &package.sha256);
    let folder = cache.root().join(group).join(name);
    if folder.is_dir() {
        return Ok(folder);
    }
    registry::fetch(std::iter::once(package), cache, progress)?;
    let new = cache.scratch(&format!("{group}-tree"))?;
    unpack::unpack(package, cache, &new)?;
    let parent = folder.parent().expect("it has one");
    fs::create_dir_all(parent)
        .and_then(|()| fs::rename(new.join(package.folder()), &folder))
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// Creates the corpus of a profile: fetches the missing archives, unpacks them and generates the
/// history. Does nothing if the corpus exists. Progress is passed to `progress`.
///
/// # Errors
///
/// The error of a registry's client; an archive or a tree with another checksum than the pinned
/// one.
pub(crate) fn fetch(
    manifest: &Manifest,
    profile: Profile,
    cache: &Cache,
    progress: &dyn Fn(&str),
) -> Outcome<Corpus> {
    let expected = manifest.expected(profile);
    let tree = cache.tree(profile, &expected.checksum);
    if tree.join(".git").is_dir() {
        return open(manifest, profile, cache);
    }
    cache.create()?;
    registry::fetch(manifest.packages_of(profile), cache, progress)?;
    let new = cache.scratch(&format!("tree-{profile}"))?;
    for package in manifest.packages_of(profile) {
        progress(&format!("unpacking {package}"));
        unpack::unpack(package, cache, &new)?;
    }
    let files = tree::files(&new)?;
    tree::check_names(&files)?;
    let checksum = checksum::of_tree(&new, &files)?;
    if checksum != expected.checksum {
        return Err(format!(
            "the corpus `{profile}` has another checksum than the manifest says: {checksum}"
        ));
    }
    progress(&format!("making the history of {} files", files.len()));
    let head = repository::create(&new, &files, expected.subjects)?;
    if head != expected.head {
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
