//! The directories of the user's settings and the path of this program, from the environment.

use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::register::NAME;
use crate::register::clients::Homes;

/// Returns the directories of settings.
///
/// # Errors
///
/// If no home directory is set.
pub(super) fn homes() -> Result<Homes> {
    let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or_else(|| {
        Error::new(Kind::NotFound, "no home directory is set")
            .with_hint("set HOME to your home directory")
    })?;
    let named = |name: &str| {
        let value = std::env::var_os(name).map(PathBuf::from);
        value.filter(|path| path.is_absolute())
    };
    let config = named("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    let roaming = || named("APPDATA").unwrap_or_else(|| home.join("AppData/Roaming"));
    let (desktop, zed) = if cfg!(windows) {
        (roaming(), roaming().join("Zed"))
    } else if cfg!(target_os = "macos") {
        (home.join("Library/Application Support"), home.join(".config/zed"))
    } else {
        (config.clone(), config.join("zed"))
    };
    Ok(Homes {
        codex: named("CODEX_HOME").unwrap_or_else(|| home.join(".codex")),
        claude: named("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.clone()),
        home,
        config,
        desktop,
        zed,
    })
}

/// Returns the command that starts this program: its name if PATH finds this program, else its
/// path.
///
/// # Errors
///
/// If the path is unknown or not UTF-8.
pub(super) fn command() -> Result<String> {
    let hint = "choose the program with `--command`";
    let own = std::env::current_exe().map_err(|error| {
        Error::new(Kind::Io, format!("cannot determine the path of this program: {error}"))
            .with_hint(hint)
    })?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let file = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    let first =
        std::env::split_paths(&path).map(|dir| dir.join(&file)).find(|file| is_executable(file));
    if let Some(first) = first
        && let (Ok(first), Ok(own)) = (first.canonicalize(), own.canonicalize())
        && first == own
    {
        return Ok(NAME.to_owned());
    }
    let text = own.to_str().map(str::to_owned);
    text.ok_or_else(|| Error::usage("not UTF-8").with_path(&own).with_hint(hint))
}

/// Returns true if a shell can run the file.
fn is_executable(file: &Path) -> bool {
    let Ok(metadata) = file.metadata() else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    metadata.is_file() && may_run
}
