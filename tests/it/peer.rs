//! The peer: which ripgrep the tests compare with.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Returns ripgrep 15: `$CODEDB_RG`, else `rg` on `PATH` when it is a 15, else one that is built once into
/// the target folder (which needs crates.io and a C compiler).
///
/// # Panics
/// When none of the three is there.
pub(crate) fn rg() -> PathBuf {
    static RG: OnceLock<PathBuf> = OnceLock::new();
    RG.get_or_init(find).clone()
}

fn find() -> PathBuf {
    if let Some(path) = std::env::var_os("CODEDB_RG") {
        return path.into();
    }
    if is_version_15(Path::new("rg")) {
        return "rg".into();
    }
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("peer");
    let built = root.join("bin").join(format!("rg{}", std::env::consts::EXE_SUFFIX));
    if !is_version_15(&built) {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["install", "ripgrep", "--version", "^15.2", "--features", "pcre2", "--root"])
            .arg(&root)
            .env_remove("CARGO_TARGET_DIR")
            .status()
            .expect("cargo runs");
        assert!(status.success(), "`cargo install ripgrep` failed: set CODEDB_RG to a ripgrep 15");
    }
    built
}

fn is_version_15(program: &Path) -> bool {
    Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.stdout.starts_with(b"ripgrep 15."))
}
