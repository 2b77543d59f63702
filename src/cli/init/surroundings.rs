//! What the environment says of the user's folders and of this program.

use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::register::NAME;
use crate::register::clients::Homes;

/// Returns the folders that settings lie in.
///
/// # Errors
///
/// Where no home folder is set.
pub(super) fn homes() -> Result<Homes> {
    let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or_else(|| {
        Error::new(Kind::NotFound, "no home folder is set")
            .with_hint("set HOME to the folder of your settings")
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

/// Returns the command that starts this program: its name where that is found as this very one, else its
/// path.
///
/// # Errors
///
/// Where the system does not tell the path, or it is no text.
pub(super) fn command() -> Result<String> {
    let hint = "name the program with --command";
    let own = std::env::current_exe().map_err(|error| {
        Error::new(Kind::Io, format!("this program's path cannot be read: {error}")).with_hint(hint)
    })?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let file = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    let first = std::env::split_paths(&path).map(|dir| dir.join(&file)).find(|file| runs(file));
    if let Some(first) = first
        && let (Ok(first), Ok(own)) = (first.canonicalize(), own.canonicalize())
        && first == own
    {
        return Ok(NAME.to_owned());
    }
    let text = own.to_str().map(str::to_owned);
    text.ok_or_else(|| Error::usage("is not UTF-8").with_path(&own).with_hint(hint))
}

/// Returns true if a shell would run the file.
fn runs(file: &Path) -> bool {
    let Ok(metadata) = file.metadata() else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    metadata.is_file() && may_run
}
