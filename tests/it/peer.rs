//! The programs that codedb is compared with.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Returns the path of ripgrep 15: `$CODEDB_RG`, else `rg` on PATH if it has this version, else a
/// program that is built once below the target directory.
pub(crate) fn rg() -> PathBuf {
    static RG: OnceLock<PathBuf> = OnceLock::new();
    RG.get_or_init(|| {
        if let Some(path) = std::env::var_os("CODEDB_RG") {
            return PathBuf::from(path);
        }
        let is_wanted = |program: &Path| {
            let output = Command::new(program).arg("--version").output();
            output.is_ok_and(|output| output.stdout.starts_with(b"ripgrep 15."))
        };
        let on_path = PathBuf::from("rg");
        if is_wanted(&on_path) {
            return on_path;
        }
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("peer");
        let built = root.join("bin").join(format!("rg{}", std::env::consts::EXE_SUFFIX));
        if !is_wanted(&built) {
            // Its output does not depend on how well it is optimized; this takes half the time.
            let status = Command::new(env!("CARGO"))
                .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
                .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
                .env("CARGO_PROFILE_RELEASE_LTO", "off")
                .args(["install", "ripgrep", "--version", "^15.2", "--features", "pcre2", "--root"])
                .arg(&root)
                .status()
                .expect("cargo runs");
            assert!(status.success(), "ripgrep could not be built into {}", root.display());
        }
        built
    })
    .clone()
}
