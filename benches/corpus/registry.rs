//! Fetches archives of packages with `cargo`, `npm` and `pip` and the user's settings for these.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};

use super::Outcome;
use super::cache::Cache;
use super::manifest::{Package, Registry};

/// Fetches the archives of `packages` that are not in the cache.
///
/// # Errors
///
/// The error of the client; an archive with another checksum.
pub(crate) fn fetch<'a>(
    packages: impl Iterator<Item = &'a Package>,
    cache: &Cache,
    progress: &dyn Fn(&str),
) -> Outcome<()> {
    let missing: Vec<&Package> = packages.filter(|package| !cache.has(package)).collect();
    let crates: Vec<&Package> =
        missing.iter().copied().filter(|package| package.registry == Registry::Crates).collect();
    if !crates.is_empty() {
        progress(&format!("getting {} crates", crates.len()));
        let folder = cache.scratch("cargo")?;
        for (package, archive) in by_cargo(&crates, &folder)? {
            keep(package, &archive, cache)?;
        }
        let _ = fs::remove_dir_all(&folder);
    }
    for package in missing {
        let command = match package.registry {
            Registry::Crates => continue,
            Registry::Npm => npm(package),
            Registry::Pypi => pip(package),
            Registry::Debian => debian(package),
            Registry::Go => {
                keep(package, &by_go(package, cache)?, cache)?;
                continue;
            }
            Registry::Maven => maven(package),
        };
        progress(&format!("getting {package}"));
        let folder = cache.scratch("package")?;
        run(command, &folder, &format!("{package} cannot be fetched"))?;
        keep(package, &only_file(&folder, package)?, cache)?;
        let _ = fs::remove_dir_all(&folder);
    }
    Ok(())
}

/// Returns the checksum of a file.
pub(crate) fn sha256(path: &Path) -> Outcome<String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Copies an archive into the cache if its checksum is the pinned one.
fn keep(package: &Package, archive: &Path, cache: &Cache) -> Outcome<()> {
    let found = sha256(archive)?;
    if found != package.sha256 {
        let expected = &package.sha256;
        return Err(format!("the archive of {package} has the checksum {found}, not {expected}"));
    }
    let place = cache.archive(package);
    let new = place.with_extension("new");
    fs::copy(archive, &new)
        .and_then(|_| fs::rename(&new, &place))
        .map_err(|error| format!("{}: {error}", place.display()))
}

/// Fetches crates with cargo, as dependencies of a package, and returns the directory of their
/// archives. Their dependencies are fetched, too, because cargo has no command for less.
fn by_cargo<'a>(crates: &[&'a Package], folder: &Path) -> Outcome<Vec<(&'a Package, PathBuf)>> {
    let mut manifest = "[package]\nname = \"corpus\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
                        [workspace]\n[dependencies]\n"
        .to_owned();
    for Package { name, version, .. } in crates {
        let number = version.split('+').next().unwrap_or(version);
        let line = format!("{name} = {{ version = \"={number}\", default-features = false }}\n");
        manifest.push_str(&line);
    }
    let source = folder.join("src");
    fs::create_dir_all(&source)
        .and_then(|()| fs::write(source.join("lib.rs"), ""))
        .and_then(|()| fs::write(folder.join("Cargo.toml"), manifest))
        .map_err(|error| format!("{}: {error}", folder.display()))?;
    let names: Vec<String> = crates.iter().map(ToString::to_string).collect();
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["metadata", "--format-version", "1"]);
    let output = run(cargo, folder, &format!("{} cannot be fetched", names.join(", ")))?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&output).map_err(|error| format!("`cargo metadata`: {error}"))?;
    let listed = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let archive = |package: &&'a Package| {
        let is_it = |one: &&serde_json::Value| {
            one["name"] == package.name.as_str() && one["version"] == package.version.as_str()
        };
        let place = listed.iter().find(is_it).and_then(|one| one["manifest_path"].as_str());
        let place = place.map(Path::new).and_then(archive_beside);
        place
            .map(|place| (*package, place))
            .ok_or_else(|| format!("cargo does not report the path of {package}"))
    };
    crates.iter().map(archive).collect()
}

/// Returns the path of a crate's archive from that of its unpacked manifest:
/// `registry/src/R/C/Cargo.toml` belongs to `registry/cache/R/C.crate`.
fn archive_beside(manifest: &Path) -> Option<PathBuf> {
    let unpacked = manifest.parent()?;
    let registry = unpacked.parent()?;
    let all = registry.parent()?.parent()?;
    let mut name = unpacked.file_name()?.to_owned();
    name.push(".crate");
    Some(all.join("cache").join(registry.file_name()?).join(name))
}

fn npm(package: &Package) -> Command {
    // On Windows, npm is a script, which only the shell finds.
    let mut npm = if cfg!(windows) { Command::new("cmd") } else { Command::new("npm") };
    if cfg!(windows) {
        npm.args(["/C", "npm"]);
    }
    npm.args(["pack", "--silent", "--ignore-scripts"]);
    npm.arg(format!("{}@{}", package.name, package.version));
    npm
}

/// Downloads wheels only, because pip runs code of source distributions when it downloads them.
fn pip(package: &Package) -> Command {
    let mut pip = python();
    pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    // Platform-independent wheels, so that every system gets the same files.
    pip.args(["--only-binary=:all:", "--implementation=py", "--abi=none", "--platform=any"]);
    pip.args(["--python-version=3.11", "--dest=."]);
    pip.arg(format!("{}=={}", package.name, package.version));
    pip
}

fn debian(package: &Package) -> Command {
    let mut apt = Command::new("apt-get");
    apt.args(["--quiet", "--yes", "download"]);
    apt.arg(format!("{}={}", package.name, package.version));
    apt
}

fn maven(package: &Package) -> Command {
    let mut mvn = Command::new("mvn");
    mvn.args(["--quiet", "--batch-mode", "dependency:copy", "-DoutputDirectory=."]);
    mvn.arg(format!("-Dartifact={}:{}:jar:sources", package.name, package.version));
    mvn
}

/// Fetches a module with Go, and returns the path of its archive in Go's cache.
fn by_go(package: &Package, cache: &Cache) -> Outcome<PathBuf> {
    let folder = cache.scratch("go")?;
    let mut go = Command::new("go");
    go.args(["mod", "download", "-json"]).arg(format!("{}@{}", package.name, package.version));
    let output = run(go, &folder, &format!("{package} cannot be fetched"))?;
    let _ = fs::remove_dir_all(&folder);
    let module: serde_json::Value =
        serde_json::from_slice(&output).map_err(|error| format!("`go mod download`: {error}"))?;
    let archive = module["Zip"].as_str().map(PathBuf::from);
    archive.ok_or_else(|| format!("go does not report the path of {package}"))
}

/// Returns the command of Python on this system.
pub(crate) fn python() -> Command {
    Command::new(if cfg!(windows) { "python" } else { "python3" })
}

/// Runs a program in `folder` and returns its output; errors start with `failed`.
pub(crate) fn run(mut command: Command, folder: &Path, failed: &str) -> Outcome<Vec<u8>> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.current_dir(folder).stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("{failed}: `{name}`: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(3)..].join(" / ");
    Err(format!("{failed}: `{name}` reports: {last}"))
}

fn only_file(folder: &Path, package: &Package) -> Outcome<PathBuf> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let files: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    match files.as_slice() {
        [file] => Ok(file.clone()),
        files => Err(format!("{package} came as {} files, not as one", files.len())),
    }
}
