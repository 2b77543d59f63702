//! The builder that a search leaves behind: a detached `codedb index` without any output.

use std::process::{Command, Stdio};

use super::place;
use crate::engine::Engine;

/// What a builder is to do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Build {
    /// What a search needs; the code index only where there is one already.
    ForSearch,
    /// The same, and nothing of what is there is kept.
    ForSearchAnew,
    /// The code index, too.
    Full,
    /// The same, and nothing of what is there is kept.
    FullAnew,
}

/// Starts a builder for the tree of `engine`, unless the environment or the tree forbids it. A
/// builder that cannot be started is no reason for a search to fail: the next one tries again.
pub(crate) fn build(engine: &Engine, what: Build) {
    if place::too_wide(engine.root()).is_none() {
        build_even_if_wide(engine, what);
    }
}

/// Does what [`build`] does, for a tree that somebody insisted on, too.
pub(crate) fn build_even_if_wide(engine: &Engine, what: Build) {
    if !place::background_allowed() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    // The store's folder lies two levels below the cache folder.
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
    // A group of its own, so that Ctrl-C at the terminal does not reach it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    if let Err(error) = command.spawn() {
        log::debug!("no background build: {error}");
    }
}
