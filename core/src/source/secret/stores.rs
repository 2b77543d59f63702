//! Directories in which every file is a secret: those of version control, which contain passwords
//! of remotes, and those in which programs keep credentials.

use std::path::Path;

use crate::base::path;

/// Directories of version control; everything below one is refused.
const VERSION_CONTROL: &[&str] = &[".git", "git~1", ".hg", ".svn", ".bzr", "_darcs", ".jj", ".sl"];

/// Files of a CVS directory. Its name alone proves little: sources may have a directory `cvs`.
const CVS: &[&str] = &["root", "repository", "entries", "entries.log", "tag", "baserev"];

/// Credential stores below the home directory, by consecutive components.
const STORES: &[&[&str]] = &[
    &[".ssh"],
    &[".gnupg"],
    &[".aws"],
    &[".azure"],
    &[".kube"],
    &[".docker"],
    &[".password-store"],
    &[".terraform.d"],
    &[".subversion"],
    &[".minikube"],
    &[".tsh"],
    &[".oci"],
    &[".ibmcloud"],
    &[".bluemix"],
    &[".aliyun"],
    &[".snowsql"],
    &[".kaggle"],
    &[".huggingface"],
    &[".fly"],
    &[".pulumi"],
    &[".purple"],
    &[".irssi"],
    &[".lastpass"],
    &[".keychain"],
    &[".bitcoin"],
    &[".ethereum"],
    &[".electrum"],
    &[".mozilla"],
    &[".thunderbird"],
    &[".cert"],
    &[".config", "gcloud"],
    &[".config", "gh"],
    &[".config", "glab-cli"],
    &[".config", "hub"],
    &[".config", "rclone"],
    &[".config", "op"],
    &[".config", "1password"],
    &[".config", "bitwarden"],
    &[".config", "bitwarden cli"],
    &[".config", "doctl"],
    &[".config", "hcloud"],
    &[".config", "heroku"],
    &[".config", "netlify"],
    &[".config", "stripe"],
    &[".config", "sops"],
    &[".config", "age"],
    &[".config", "configstore"],
    &[".config", "github-copilot"],
    &[".config", "keybase"],
    &[".config", "filezilla"],
    &[".config", "remmina"],
    &[".config", "google-chrome"],
    &[".config", "chromium"],
    &[".config", "bravesoftware"],
    &[".config", "microsoft-edge"],
    &[".config", "vivaldi"],
    &[".config", "opera"],
    &[".local", "share", "keyrings"],
    &[".local", "share", "kwalletd"],
    &[".local", "share", "remmina"],
    &[".local", "share", "com.vercel.cli"],
    &["library", "keychains"],
    &["library", "application support", "google", "chrome"],
    &["library", "application support", "firefox"],
    &["library", "application support", "bravesoftware"],
    &["library", "application support", "gcloud"],
    &["appdata", "local", "google", "chrome"],
    &["appdata", "local", "microsoft", "edge"],
    &["appdata", "local", "microsoft", "credentials"],
    &["appdata", "roaming", "microsoft", "credentials"],
    &["appdata", "roaming", "microsoft", "protect"],
    &["appdata", "roaming", "mozilla"],
    &["appdata", "roaming", "gcloud"],
    &["appdata", "roaming", "github cli"],
    &["appdata", "roaming", "gnupg"],
];

/// Directories below the home directory that contain sources as well as files of credentials, which
/// are refused by their names. None of these may be the root of a tree.
const MIXED: &[&[&str]] = &[
    &[".cargo", "credentials.toml"],
    &[".m2", "settings.xml"],
    &[".gem", "credentials"],
    &[".gradle", "gradle.properties"],
    &[".composer", "auth.json"],
    &[".npm", "_logs"],
];

/// Stores whose names projects use, too, for scripts and manifests: files of these kinds are served.
const SHARED: &[&str] = &[".aws", ".azure", ".docker"];
const SHARED_ENDS: &[&str] =
    &["yml", "yaml", "md", "sh", "ps1", "tf", "bicep", "conf", "dockerfile"];
const SHARED_STARTS: &[&str] = &["dockerfile", "task-definition", "taskdef"];

/// Returns true if a file, by its repository path in lower case, is inside a store. O(path).
pub(super) fn is_stored(path: &[u8]) -> bool {
    let (dir, name) = path::split(path);
    // A file `.git` leads to the repository of a work tree or submodule.
    if path.is_empty() || is_version_control(name) {
        return !path.is_empty();
    }
    if dir.is_empty() {
        return false;
    }
    let names = dir.split(|&byte| byte == b'/');
    let may_begin =
        |name: &[u8]| matches!(name.first(), Some(b'.' | b'_' | b'a' | b'c' | b'g' | b'l'));
    if !names.clone().any(may_begin) {
        return false;
    }
    let names: Vec<&[u8]> = names.collect();
    let is_cvs = names.last().is_some_and(|parent| *parent == b"cvs");
    if names.iter().any(|name| is_version_control(name)) || is_cvs && is_one_of(name, CVS) {
        return true;
    }
    match store(&names) {
        Some(store) if is_one_of(store[0].as_bytes(), SHARED) => !is_project_file(name),
        store => store.is_some(),
    }
}

/// Returns true if a directory, given by its absolute path, is inside a store of credentials or of
/// version control. No tree may have its root there. O(path).
pub fn is_in_store(path: &[u8]) -> bool {
    let names = components(path);
    let names: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
    names.iter().any(|name| is_version_control(name)) || store(&names).is_some()
}

/// Returns true if stores of the home directory `home` are inside of the directory `root`, such as
/// in `~/.config`: names alone do not show every secret there. Other users' directories with a dot
/// are recognised by the end of the path. Both paths are absolute. O(path · stores).
pub fn holds_stores(root: &Path, home: Option<&Path>) -> bool {
    let names = components(root.as_os_str().as_encoded_bytes());
    let home = home.map(|home| components(home.as_os_str().as_encoded_bytes()));
    let below = home.as_ref().and_then(|home| names.strip_prefix(home.as_slice()));
    STORES.iter().chain(MIXED).any(|store| {
        // The home directory itself, and its parents, are refused for another reason.
        let mut parts = (1..store.len()).map(|len| &store[..len]);
        parts.any(|part| {
            store[0].starts_with('.') && ends(&names, part)
                || below.is_some_and(|below| is_equal(below, part))
        })
    })
}

fn components(path: &[u8]) -> Vec<Vec<u8>> {
    let names = path.split(|byte| matches!(byte, b'/' | b'\\')).filter(|name| !name.is_empty());
    names.map(super::folded).collect()
}

fn ends(names: &[Vec<u8>], part: &[&str]) -> bool {
    names.len() >= part.len() && is_equal(&names[names.len() - part.len()..], part)
}

fn is_equal(names: &[Vec<u8>], part: &[&str]) -> bool {
    names.len() == part.len() && names.iter().zip(part).all(|(a, b)| a == b.as_bytes())
}

/// Returns the store among consecutive components, if any.
fn store(names: &[&[u8]]) -> Option<&'static [&'static str]> {
    let at = |names: &[&[u8]], store: &[&str]| {
        names.len() >= store.len() && names.iter().zip(store).all(|(a, b)| *a == b.as_bytes())
    };
    let begins = |from: usize| STORES.iter().find(|store| at(&names[from..], store));
    (0..names.len()).find_map(begins).copied()
}

fn is_version_control(name: &[u8]) -> bool {
    is_one_of(name, VERSION_CONTROL)
}

fn is_project_file(name: &[u8]) -> bool {
    let end = name.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    name.contains(&b'.') && is_one_of(end, SHARED_ENDS)
        || SHARED_STARTS.iter().any(|start| name.starts_with(start.as_bytes()))
}

fn is_one_of(name: &[u8], list: &[&str]) -> bool {
    list.iter().any(|own| own.as_bytes() == name)
}
