//! What the commands of a fleet print: JSON for programs, a page for everybody else.

use clap::{Arg, ArgAction, ArgMatches};
use serde::Serialize;

use crate::answer::page::Page;
use crate::cli::display::{self, Display};
use crate::cli::index::print;
use crate::cli::screen::{self, Screen};
use crate::cli::tool::now_ns;
use crate::error::{Error, Kind, Result};

/// Returns the flags of [`show`].
pub(super) fn args() -> impl Iterator<Item = Arg> {
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON");
    std::iter::once(json).chain(display::args()).chain(screen::args())
}

/// Prints a reply: as JSON with `--json`, or else as a page, which is made only then.
///
/// # Errors
///
/// If the output cannot be written.
pub(super) fn show(
    matches: &ArgMatches,
    reply: &impl Serialize,
    page: impl FnOnce() -> Page,
) -> Result<()> {
    if matches.get_flag("json") {
        let text = serde_json::to_string(reply)
            .map_err(|error| Error::new(Kind::Io, error.to_string()))?;
        return print(&format!("{text}\n"));
    }
    // No path of a tree is on these pages.
    let display = Display::new(std::path::Path::new("/"), matches);
    Screen::new(matches, now_ns()).without_pager().print(&page(), &display)
}
