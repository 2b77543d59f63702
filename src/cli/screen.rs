//! Replies for people: pages in the width of the terminal, with bars, colours and relative times, and a
//! pager for long ones. Pipes, scripts and agents get the text of [`crate::tools::Reply::render`]
//! instead, unless they ask for `--format screen`.

pub(super) mod drawing;
mod layout;
mod pager;
mod strip;
#[cfg(test)]
pub(super) mod tests;

use std::io::IsTerminal as _;

use clap::{Arg, ArgAction, ArgMatches};

use self::drawing::{ASCII, Clock, Glyphs, Pen, UNICODE};
use super::display::Display;
use super::index::print;
use super::settings;
use crate::answer::page::Page;
use crate::answer::style::Style;
use crate::error::Result;

/// The value of `--format` for pages.
pub(super) const FORMAT: &str = "screen";

/// The name of the flag of [`format_arg`].
const FORMAT_ARG: &str = "format";

/// The least width that pages are laid out for.
const WIDTH_MIN: usize = 40;

/// The width of a terminal that is not known.
const WIDTH: usize = 80;

/// Returns the flag for the form of the reply of a command that is no tool; [`is_chosen`] reads it.
pub(super) fn format_arg() -> Arg {
    Arg::new(FORMAT_ARG)
        .long("format")
        .value_name("FORMAT")
        .value_parser(["text", FORMAT, "json"])
        .conflicts_with("json")
        .hide_possible_values(true)
        .help("`text`, `screen` (for people) or `json`")
}

/// Returns true if the reply is a page: `--format screen`, or a terminal and no other form.
pub(super) fn is_chosen(matches: &ArgMatches) -> bool {
    match matches.get_one::<String>(FORMAT_ARG) {
        Some(format) => format == FORMAT,
        None => !matches.get_flag("json") && std::io::stdout().is_terminal(),
    }
}

/// Returns true if the reply is JSON: `--json`, or `--format json`.
pub(super) fn is_json(matches: &ArgMatches) -> bool {
    let format = matches.get_one::<String>(FORMAT_ARG);
    matches.get_flag("json") || format.is_some_and(|format| format == "json")
}

/// Returns the flags of pages.
pub(super) fn args() -> [Arg; 2] {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    [
        flag("iso", "On a terminal, print times as dates instead of `2 hours ago`"),
        flag("no-pager", "Print long replies at once; else $CODEDB_PAGER or $PAGER shows them"),
    ]
}

/// How pages are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screen {
    width: usize,
    /// The lines of the terminal; `None` if the output goes elsewhere.
    height: Option<usize>,
    glyphs: Glyphs,
    clock: Clock,
}

impl Screen {
    /// Returns the screen that the flags of [`args`] and the environment choose.
    pub(super) fn new(matches: &ArgMatches, now_ns: i64) -> Screen {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let stdout = std::io::stdout();
        let own = size(&stdout);
        let columns = || variable("COLUMNS").and_then(|text| text.parse().ok());
        let width = own.map(|(width, _)| width).or_else(columns);
        let width = width.or_else(|| Some(size(std::io::stderr())?.0)).unwrap_or(WIDTH);
        let is_dumb = variable("TERM").is_some_and(|term| term == "dumb");
        let has_pager = stdout.is_terminal() && !is_dumb && !matches.get_flag("no-pager");
        Screen {
            width: width.max(WIDTH_MIN),
            height: own.map(|(_, height)| height).filter(|height| has_pager && *height > 0),
            glyphs: if has_unicode(&variable) { UNICODE } else { ASCII },
            clock: Clock {
                now_ns,
                is_iso: matches.get_flag("iso") || settings::defaults().iso == Some(true),
            },
        }
    }

    /// Returns a page as text.
    fn text(&self, page: &Page, style: &dyn Style) -> String {
        let pen = Pen { style, glyphs: self.glyphs, clock: self.clock };
        let mut out = String::new();
        for line in layout::lines(page, &pen, self.width) {
            out.push_str(strip::painted(&line, style).trim_end());
            out.push('\n');
        }
        out
    }

    /// Returns the screen without a pager, which would decide about the exit code.
    pub(super) fn without_pager(self) -> Screen {
        Screen { height: None, ..self }
    }

    /// Prints a page; one that is longer than the terminal in a pager, which replaces this process.
    ///
    /// # Errors
    ///
    /// If the output cannot be written.
    pub(super) fn print(&self, page: &Page, display: &Display<'_>) -> Result<()> {
        let text = display.for_output(self.text(page, display));
        self.show_long(&text);
        print(&text)
    }

    /// Shows a text that is longer than the terminal in a pager and does not return; returns for others,
    /// which the caller prints.
    fn show_long(&self, text: &str) {
        if self.height.is_some_and(|height| text.lines().count() >= height) {
            pager::show(text);
        }
    }
}

/// Returns true if the locale has Unicode and the terminal more than letters.
fn has_unicode(variable: &dyn Fn(&str) -> Option<String>) -> bool {
    if variable("TERM").is_some_and(|term| term == "dumb") {
        return false;
    }
    let locale = variable("LC_ALL").or_else(|| variable("LC_CTYPE")).or_else(|| variable("LANG"));
    match locale {
        Some(locale) => {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        }
        None => cfg!(not(unix)),
    }
}

/// Returns the columns and lines of a terminal.
#[cfg(unix)]
fn size(terminal: impl std::os::fd::AsFd) -> Option<(usize, usize)> {
    let size = rustix::termios::tcgetwinsize(terminal).ok()?;
    (size.ws_col > 0).then_some((size.ws_col.into(), size.ws_row.into()))
}

/// Returns nothing: the width is that of COLUMNS.
#[cfg(not(unix))]
fn size<T>(_terminal: T) -> Option<(usize, usize)> {
    None
}
