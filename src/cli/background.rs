//! Starts background builds: detached `codedb index` processes without output.

use std::process::{Command, Stdio};

use super::place;
use crate::engine::Engine;

/// The extent of a background build.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Build {
    /// A refresh of the search index, and of the code index if there is one.
    ForSearch,
    /// The same, but as a rebuild.
    ForSearchAnew,
    /// A refresh of the search index and the code index.
    Full,
    /// The same, but as a rebuild.
    FullAnew,
}

/// Starts a background build for the tree of `engine`, unless the environment disables it or the
/// tree is too large (see [`place::too_wide`]). Errors are only logged: the next search tries
/// again.
pub(crate) fn build(engine: &Engine, what: Build) {
    if place::too_wide(engine.root()).is_none() {
        build_even_if_wide(engine, what);
    }
}

/// Starts a background build like [`build`], even if the tree is too large.
pub(crate) fn build_even_if_wide(engine: &Engine, what: Build) {
    if !place::background_allowed() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    // The directory of the store is two levels below the cache directory.
    let Some(cache) = engine.store().dir().ancestors().nth(2) else { return };
    let is_full = matches!(what, Build::Full | Build::FullAnew);
    let is_anew = matches!(what, Build::ForSearchAnew | Build::FullAnew);
    let mut command = Command::new(program);
    command
        .args(["index", "--quiet", "--no-progress", "--no-wait", "--root"])
        .arg(engine.root())
        .arg("--index-dir")
        .arg(cache)
        .args(["--stage", if is_full { "full" } else { "auto" }])
        .args(is_anew.then_some("--rebuild"))
        .args(place::too_wide(engine.root()).map(|_| "--insist"))
        .current_dir(engine.root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // A process group of its own, so that Ctrl-C in the terminal does not end it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    if let Err(error) = command.spawn() {
        log::debug!("cannot start a background build: {error}");
    }
}
