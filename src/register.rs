//! Edits the settings of agents and editors for `codedb init`, as functions from text to text.
//!
//! [`clients`] is the table of clients and the locations of their settings. [`Launch`] is the
//! command to register, `entry` defines the entry, and `jsonc` and `toml` edit the two formats as
//! text so that every other byte stays. [`agents`] edits the note in AGENTS.md and CLAUDE.md,
//! [`skill`] the skill, [`agent_hook`] the hook that reminds an agent of them. Each edited text is parsed again before it is returned
//! and is refused unless it differs from the old one only by the entry. `cli::init` reads and
//! writes the files.

pub mod agent_hook;
pub mod agents;
pub mod clients;
mod entry;
pub mod git_hook;
mod jsonc;
mod launch;
mod lines;
mod registered;
pub mod skill;
mod toml;

#[cfg(test)]
mod tests;

use crate::error::Result;
pub use launch::Launch;
pub use registered::is_registered;

/// The name under which the server is registered in all clients.
pub const NAME: &str = "codedb";

/// The format in which a client stores its servers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Format {
    /// JSON with comments: a member of the root object holds the servers.
    Jsonc {
        /// The key of the object that holds the servers.
        container: &'static str,
        /// The form of an entry.
        shape: Shape,
    },
    /// TOML with a table for each server below `mcp_servers`.
    Toml,
}

/// The form of the entry of a server.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Shape {
    /// `command` is a string, `args` a list.
    CommandAndArgs,
    /// `type` is `local`, `command` a list of the program and its arguments.
    LocalCommand,
}

/// The kind of an edit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Act {
    /// Adds the entry.
    Adds,
    /// Replaces the command that starts codedb; further arguments and other fields stay.
    Moves,
    /// Replaces another entry of the same name.
    Replaces,
    /// Removes the entry.
    Removes,
    /// Removes the entry; the file contained nothing else.
    RemovesAll,
}

/// The result of an edit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Edit {
    /// The whole text.
    pub text: String,
    /// The kind of the edit.
    pub act: Act,
}

/// Registers `launch` in the settings `text`, which may be empty; `None` if it is registered
/// already, with any arguments after `mcp`.
///
/// # Errors
///
/// [`Kind::Usage`](crate::Kind::Usage) if the settings cannot be parsed or edited safely.
pub fn register(text: &str, format: Format, launch: &Launch) -> Result<Option<Edit>> {
    after_byte_order_mark(text, |body| match format {
        Format::Jsonc { container, shape } => jsonc::register(body, container, shape, launch),
        Format::Toml => toml::register(body, launch),
    })
}

/// Removes the entry from the settings `text`; `None` if there is none.
///
/// # Errors
///
/// As [`register`].
pub fn unregister(text: &str, format: Format) -> Result<Option<Edit>> {
    after_byte_order_mark(text, |body| match format {
        Format::Jsonc { container, shape } => jsonc::unregister(body, container, shape),
        Format::Toml => toml::unregister(body),
    })
}

/// Edits the text after a byte order mark, which stays.
fn after_byte_order_mark(
    text: &str,
    edit: impl FnOnce(&str) -> Result<Option<Edit>>,
) -> Result<Option<Edit>> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = &text[..text.len() - body.len()];
    let edited = edit(body)?;
    Ok(edited.map(|edit| Edit { text: format!("{mark}{}", edit.text), ..edit }))
}
