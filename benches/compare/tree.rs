//! A tree as ripgrep searches it: its files, their size, and for a generic tree its words.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::options::Options;
use super::process::Job;
use super::rows::{Profile, Row};

/// The number of files from which the words of a generic tree are sampled.
const SAMPLED_FILES_MAX: usize = 400;

/// A tree that is searched.
pub(crate) struct Tree {
    /// The directory.
    pub(crate) root: PathBuf,
    /// The kind, which determines the queries.
    pub(crate) profile: Profile,
    /// The files that ripgrep would search, relative.
    pub(crate) files: Vec<PathBuf>,
    /// The sum of their sizes.
    pub(crate) text_bytes: u64,
    /// The index directory.
    pub(crate) index_dir: PathBuf,
    /// A word that occurs in one file of a generic tree, else empty.
    pub(crate) rare: String,
    /// The word that occurs in most files of a generic tree, else empty.
    pub(crate) common: String,
}

impl Tree {
    /// Lists the files with `rg --files` and chooses the profile.
    pub(crate) fn open(options: &Options, root: &Path) -> Result<Self, String> {
        let list = Job::new(&options.rg, root, ["--files", "-0", "--sort", "path"]);
        let list = list.run()?.answered(&list)?;
        let files: Vec<PathBuf> = list
            .stdout
            .split(|&byte| byte == 0)
            .filter(|name| !name.is_empty())
            .map(path_of)
            .collect();
        let text_bytes = files
            .iter()
            .filter_map(|file| fs::metadata(root.join(file)).ok())
            .map(|meta| meta.len())
            .sum();
        let profile = match options.profile.as_deref() {
            Some("linux") => Profile::Linux,
            Some("react") => Profile::React,
            Some("generic") => Profile::Generic,
            Some(other) => return Err(format!("no such profile: `{other}`")),
            None => detect(root),
        };
        let (rare, common) = if profile == Profile::Generic {
            words(root, &files)
        } else {
            (String::new(), String::new())
        };
        let name = root.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "_");
        let index_dir = options.index_dir.join(name);
        Ok(Self { root: root.to_owned(), profile, files, text_bytes, index_dir, rare, common })
    }

    /// Returns a line that describes the tree.
    pub(crate) fn summary(&self) -> String {
        let folders: BTreeSet<_> = self.files.iter().filter_map(|file| file.parent()).collect();
        let size = self.text_bytes as f64 / 1e6;
        format!(
            "{:?}, {} files in {} folders, {size:.0} MB",
            self.profile,
            self.files.len(),
            folders.len()
        )
    }

    /// Returns the row's arguments with the tree's words inserted.
    pub(crate) fn args(&self, row: &Row) -> Vec<OsString> {
        row.args
            .iter()
            .map(|arg| arg.replace("{rare}", &self.rare).replace("{common}", &self.common).into())
            .collect()
    }

    /// Returns the first arguments of every `codedb search` on this tree.
    pub(crate) fn search(&self, codedb: &Path, own: &[&str], args: &[OsString]) -> Job {
        let mut job = Job::new(codedb, &self.root, ["search", "--no-background", "--root"]);
        job.args.push(self.root.clone().into());
        job.args.extend(["--index-dir".into(), self.index_dir.clone().into()]);
        job.args.extend(own.iter().map(OsString::from));
        job.args.extend(args.iter().cloned());
        job
    }
}

fn detect(root: &Path) -> Profile {
    if root.join("Kconfig").is_file() && root.join("MAINTAINERS").is_file() {
        Profile::Linux
    } else if root.join("packages/react").is_dir() {
        Profile::React
    } else {
        Profile::Generic
    }
}

/// Samples files evenly and returns a word of only one file and the word of most files.
fn words(root: &Path, files: &[PathBuf]) -> (String, String) {
    let step = files.len() / SAMPLED_FILES_MAX + 1;
    let mut files_of: BTreeMap<String, usize> = BTreeMap::new();
    for file in files.iter().step_by(step) {
        let text = fs::read(root.join(file)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let words: BTreeSet<&str> = text
            .split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
            .filter(|word| (6..30).contains(&word.len()))
            .collect();
        for word in words {
            *files_of.entry(word.to_owned()).or_default() += 1;
        }
    }
    let rare = files_of
        .iter()
        .filter(|(_, files)| **files == 1)
        .map(|(word, _)| word)
        .max_by_key(|word| word.len());
    let common = files_of.iter().max_by_key(|(_, files)| **files).map(|(word, _)| word);
    let or_any = |word: Option<&String>| word.cloned().unwrap_or_else(|| "return".into());
    (or_any(rare), or_any(common))
}

/// Makes a path of the bytes that ripgrep printed.
#[cfg(unix)]
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(bytes).into()
}

/// Makes a path of the bytes that ripgrep printed.
#[cfg(not(unix))]
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}
