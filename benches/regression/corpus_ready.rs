//! Checks that the corpus of a revision is there, and offers to fetch it.

use std::fs;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

use super::corpus::cache::Cache;
use super::corpus::manifest::{Manifest, Profile};
use super::corpus::{self, Outcome};

/// Checks that the corpus that the cases of `tree` need has been fetched, and fetches it if
/// `confirm` agrees; `confirm` receives what is missing.
///
/// A tree without a manifest, or with one of another format, is not checked.
///
/// # Errors
///
/// What is missing and the command that fetches it; or why it could not be fetched.
pub(crate) fn check(
    tree: &Path,
    profile: &str,
    cache: &Cache,
    confirm: &dyn Fn(&str) -> bool,
) -> Outcome<()> {
    let manifest = fs::read_to_string(tree.join("bench-corpus/manifest.toml"))
        .ok()
        .and_then(|text| Manifest::parse(&text).ok());
    let (Some(manifest), Some(profile)) = (manifest, Profile::of(profile)) else { return Ok(()) };
    let Err(missing) = corpus::opened_unchecked(&manifest, profile, cache) else { return Ok(()) };
    if !confirm(&missing) {
        return Err(format!("{missing} (run it in {})", tree.display()));
    }
    corpus::fetch(&manifest, profile, cache, &|what| eprintln!("{what}")).map(|_| ())
}

/// Asks on the terminal whether to fetch the corpus now; returns false without a terminal and in
/// continuous integration.
pub(crate) fn confirm(missing: &str) -> bool {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if !is_terminal || std::env::var_os("CI").is_some_and(|value| !value.is_empty()) {
        return false;
    }
    eprint!("{missing}\nFetch it now? [y/N] ");
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.is_ok() && is_yes(&answer)
}

/// Returns true for an explicit agreement; an empty answer is none.
pub(crate) fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}
