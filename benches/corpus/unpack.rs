//! Unpacks archives into directories of a tree.
//!
//! Every system with git and npm has `tar`. Wheels are zip files, which Python unpacks, because pip
//! needs it anyway. This avoids two dependencies.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::Outcome;
use super::cache::Cache;
use super::manifest::{Package, Registry};
use super::registry::{python, run, sha256};
use super::tree;

/// Unpacks the files of a package to keep below `into`.
///
/// # Errors
///
/// If the archive is missing or has another checksum, or no file matches.
pub(crate) fn unpack(package: &Package, cache: &Cache, into: &Path) -> Outcome<()> {
    let archive = cache.archive(package);
    if !archive.is_file() {
        return Err(format!("{package} is missing: there is no {}", archive.display()));
    }
    if sha256(&archive)? != package.sha256 {
        return Err(format!(
            "the archive of {package} is damaged: remove {} and fetch it again",
            archive.display()
        ));
    }
    let scratch = cache.scratch("unpacked")?;
    let command = match package.registry {
        Registry::Crates | Registry::Npm => {
            let mut tar = Command::new("tar");
            tar.arg("-xzf").arg(&archive);
            tar
        }
        Registry::Debian => {
            let mut deb = Command::new("dpkg-deb");
            deb.arg("--extract").arg(&archive).arg(".");
            deb
        }
        Registry::Pypi | Registry::Go | Registry::Maven => {
            let mut zip = python();
            zip.args(["-m", "zipfile", "-e"]).arg(&archive).arg(".");
            zip
        }
    };
    run(command, &scratch, &format!("{package} cannot be unpacked"))?;
    let target = into.join(package.folder());
    let kept = package.kept()?;
    let mut moved = 0;
    for path in tree::files(&scratch)? {
        // Archives of crates and npm packages have one top-level directory.
        let inner = match package.registry {
            Registry::Pypi | Registry::Debian | Registry::Maven => Some(path.as_str()),
            Registry::Go => path.strip_prefix(&format!("{}@{}/", package.name, package.version)),
            Registry::Crates | Registry::Npm => path.split_once('/').map(|(_, inner)| inner),
        };
        let Some(inner) = inner else { continue };
        if kept.as_ref().is_some_and(|kept| !kept.is_match(inner)) {
            continue;
        }
        place(&scratch.join(&path), &target.join(inner))?;
        moved += 1;
    }
    let _ = fs::remove_dir_all(&scratch);
    match moved {
        0 => Err(format!("nothing is kept of {package}")),
        _ => Ok(()),
    }
}

fn place(from: &Path, to: &Path) -> Outcome<()> {
    let folder = to.parent().expect("it is in a directory of the tree");
    fs::create_dir_all(folder)
        .and_then(|()| fs::rename(from, to))
        .and_then(|()| make_plain(to))
        .map_err(|error| format!("{}: {error}", to.display()))
}

/// Sets the same permissions for all files, because archives contain different ones.
#[cfg(unix)]
fn make_plain(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_plain(_: &Path) -> std::io::Result<()> {
    Ok(())
}
