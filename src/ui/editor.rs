//! Opens a file of the tree in the editor of the person at the pages.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use maud::{Markup, html};

use crate::base::path::to_path;
use crate::base::text::{plain, shell_word};
use crate::error::{Error, Kind, Result};
use crate::tools::Call;

/// The address of the form that opens a file.
pub(super) const ADDRESS: &str = "/edit";

/// Returns the words of the command that opens a file at a line, from 1.
type Words = dyn Fn(&Path, usize) -> Vec<OsString> + Send + Sync;

/// The editor of the person who started the pages.
#[derive(Clone)]
pub struct Editor {
    /// The name of its program.
    name: String,
    /// It opens a window. Others need a terminal, so that their command is shown instead.
    has_window: bool,
    words: Arc<Words>,
}

impl std::fmt::Debug for Editor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl Editor {
    /// Returns an editor; `words` returns the words of its command for a file and a line from 1, none if it cannot
    /// be run.
    pub fn new(
        name: String,
        has_window: bool,
        words: impl Fn(&Path, usize) -> Vec<OsString> + Send + Sync + 'static,
    ) -> Editor {
        Editor { name, has_window, words: Arc::new(words) }
    }

    /// Opens a file of the tree at a line, from 1, without waiting for the editor; returns the command instead if
    /// the editor needs a terminal.
    ///
    /// # Errors
    ///
    /// If the tree has no such file, or the editor cannot be started.
    pub(super) fn open(&self, call: &Call<'_>, path: &str, line: usize) -> Result<Option<String>> {
        let file = file(call, path)?.ok_or_else(|| {
            Error::new(Kind::NotFound, format!("the tree has no file `{}`", plain(path)))
        })?;
        let words = (self.words)(&file, line);
        if !self.has_window {
            let command: Vec<String> =
                words.iter().map(|word| shell_word(&word.to_string_lossy())).collect();
            return Ok(Some(command.join(" ")));
        }
        let failed = |why: String| {
            let message = format!("cannot start the editor `{}`: {why}", plain(&self.name));
            Error::new(Kind::Io, message).with_hint("check VISUAL and EDITOR, and start again")
        };
        let (program, arguments) =
            words.split_first().ok_or_else(|| failed("it has no name".to_owned()))?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(call.code.root());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        std::thread::spawn(move || child.wait());
        Ok(None)
    }
}

/// Returns the place on disk of a file of the tree.
fn file(call: &Call<'_>, path: &str) -> Result<Option<PathBuf>> {
    let found = call.code.files()?.find(path.as_bytes()).is_some();
    Ok(found.then(|| call.code.root().join(to_path(path.as_bytes()))))
}

/// Returns the form that opens a file at a line, or shows the command if the editor needs a terminal; nothing without
/// an editor. `form` is the token of forms.
pub(super) fn control(editor: Option<&Editor>, form: &str, path: &str, line: usize) -> Markup {
    let Some(editor) = editor else { return html! {} };
    html! {
        form.inline #edit method="post" action=(ADDRESS) {
            input type="hidden" name="form" value=(form);
            input type="hidden" name="path" value=(path);
            input type="hidden" name="line" value=(line);
            button type="submit" title="e" {
                @if editor.has_window { "Open in " } @else { "Copy command for " } (plain(&editor.name))
            }
        }
    }
}

/// Returns the page with a command.
pub(super) fn command(command: &str) -> Markup {
    html! { h1 { "Command for the terminal" } p.command { code { (plain(command)) } } }
}
