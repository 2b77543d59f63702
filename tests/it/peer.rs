//! The programs that codedb is compared with.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Returns the path of ripgrep 15: `$CODEDB_RG`, else a program that is built once below the target
/// directory, with the version of the library `ignore` that this program has: its list of file types
/// differs from version to version, and both programs print it.
pub(crate) fn rg() -> PathBuf {
    static RG: OnceLock<PathBuf> = OnceLock::new();
    RG.get_or_init(|| std::env::var_os("CODEDB_RG").map_or_else(build, PathBuf::from)).clone()
}

/// Builds ripgrep, unless it was built before, and returns its path.
fn build() -> PathBuf {
    let ignore = directory_of("ignore");
    let name = ignore.file_name().expect("a directory with a name");
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("peer").join(name);
    let built = root.join("bin").join(format!("rg{}", std::env::consts::EXE_SUFFIX));
    let output = Command::new(&built).arg("--version").output();
    if output.is_ok_and(|output| output.stdout.starts_with(b"ripgrep 15.")) {
        return built;
    }
    // Its output does not depend on how well it is optimized; this takes half the time.
    let status = Command::new(env!("CARGO"))
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .args(["install", "ripgrep", "--version", "^15.2", "--features", "pcre2", "--root"])
        .arg(&root)
        .arg("--config")
        .arg(format!("patch.crates-io.ignore.path='{}'", ignore.display()))
        .status()
        .expect("cargo runs");
    assert!(status.success(), "ripgrep could not be built into {}", root.display());
    built
}

/// Returns the directory with the source of a library that this program was built with. Its name is
/// that of the library with its version.
fn directory_of(name: &str) -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let package =
        packages.iter().find(|package| package["name"] == name).expect("the library is used");
    let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
    manifest.parent().expect("a directory").to_path_buf()
}
