//! What `codedb init` makes of the settings of agents and editors: texts in, texts out.
//!
//! [`clients`] is the table of who keeps its servers where, `entry` what is written there, `jsonc` and
//! `toml` edit the two formats as text so that every other byte stays, [`agents`] the note in AGENTS.md.
//! Each edit is parsed again before it is returned: it must say what the old text said
//! and our entry, or it is refused. Files are read and written by `cli::init`.

pub mod agents;
pub mod clients;
mod entry;
mod jsonc;
mod lines;
mod toml;

#[cfg(test)]
mod tests;

use crate::error::Result;

/// The name under which the server is registered everywhere.
pub const NAME: &str = "codedb";

/// How a client keeps its servers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Format {
    /// JSON with comments: an object of servers at the top, by its key.
    Jsonc {
        /// The key of the object that holds the servers.
        container: &'static str,
        /// What an entry looks like.
        shape: Shape,
    },
    /// TOML with a table for each server below `mcp_servers`.
    Toml,
}

/// What a server's entry looks like.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Shape {
    /// `command` is a text, `args` a list.
    CommandAndArgs,
    /// `type` is `local`, `command` a list of the program and its arguments.
    LocalCommand,
}

/// What an edit does to a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Act {
    /// Our entry is new.
    Adds,
    /// Our entry names another program; its arguments and whatever else is in it stay.
    Moves,
    /// What stood under our name was something else.
    Replaces,
    /// Our entry goes.
    Removes,
    /// Our entry goes, and nothing else was in the file.
    RemovesAll,
}

/// A text after an edit, and what the edit did.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Edit {
    /// The whole text.
    pub text: String,
    /// What was done.
    pub act: Act,
}

/// Registers `command` in the settings `text`, which may be empty; `None` where it is registered already,
/// with whatever arguments behind `mcp`.
///
/// # Errors
///
/// [`Kind::Usage`](crate::Kind::Usage) where the settings cannot be read, or not edited safely.
pub fn register(text: &str, format: Format, command: &str) -> Result<Option<Edit>> {
    behind_mark(text, |body| match format {
        Format::Jsonc { container, shape } => jsonc::register(body, container, shape, command),
        Format::Toml => toml::register(body, command),
    })
}

/// Takes our entry out of the settings `text`; `None` where there is none.
///
/// # Errors
///
/// As [`register`].
pub fn unregister(text: &str, format: Format) -> Result<Option<Edit>> {
    behind_mark(text, |body| match format {
        Format::Jsonc { container, shape } => jsonc::unregister(body, container, shape),
        Format::Toml => toml::unregister(body),
    })
}

/// Edits what stands behind a byte order mark, which stays.
fn behind_mark(
    text: &str,
    edit: impl FnOnce(&str) -> Result<Option<Edit>>,
) -> Result<Option<Edit>> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = &text[..text.len() - body.len()];
    let edited = edit(body)?;
    Ok(edited.map(|edit| Edit { text: format!("{mark}{}", edit.text), ..edit }))
}
