//! The directories of the user's settings, from the environment.

use std::path::PathBuf;

use crate::error::{Error, Kind, Result};
use crate::register::clients::Homes;

/// Returns the directories of settings.
///
/// # Errors
///
/// If no home directory is set.
pub(in crate::cli) fn homes() -> Result<Homes> {
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
        claude_settings: named("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.join(".claude")),
        home,
        config,
        desktop,
        zed,
    })
}
