//! Hyperlinks to files, in the formats of ripgrep's `--hyperlink-format`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use grep_printer::HyperlinkFormat;

/// Writes hyperlinks (OSC 8 escape sequences) in one format.
#[derive(Debug)]
pub(super) struct Hyperlinks {
    /// The URL with `{path}`, `{line}` and `{column}` still to be replaced.
    url: String,
}

impl Hyperlinks {
    /// Returns the writer of a format; none for the empty format (`none`).
    pub(super) fn new(format: &HyperlinkFormat) -> Option<Hyperlinks> {
        if format.is_empty() {
            return None;
        }
        let url = format.to_string();
        let url = url.replace("{host}", &host(None).unwrap_or_default());
        Some(Hyperlinks { url: url.replace("{wslprefix}", &wsl_prefix().unwrap_or_default()) })
    }

    /// Returns the URL of a line of the file at the absolute path `file`; without a line, of the
    /// first one, as in ripgrep.
    pub(super) fn url(&self, file: &Path, line: Option<usize>) -> String {
        let path = encoded(file);
        let line = line.unwrap_or(1).to_string();
        let url = self.url.replace("{line}", &line).replace("{column}", "1");
        url.replace("{path}", &path).replace(char::is_control, "")
    }

    /// Returns `text` as a link to a URL.
    pub(super) fn link(url: &str, text: &str) -> String {
        format!("\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\")
    }
}

/// Returns a path as a part of a URL, percent-encoded as in ripgrep.
fn encoded(path: &Path) -> String {
    let path = path.to_string_lossy();
    let mut out = String::new();
    // `canonicalize` returns `\\?\C:\a` on Windows, of which a URL has `/C:/a`.
    let path = if cfg!(windows) {
        out.push('/');
        path.strip_prefix(r"\\?\").unwrap_or(&path)
    } else {
        &path
    };
    for c in path.chars() {
        if c == '\\' && cfg!(windows) {
            out.push('/');
        } else if c.is_ascii() && !c.is_ascii_alphanumeric() && !"/:-._~".contains(c) {
            let _ = write!(out, "%{:02X}", c as u32);
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns this machine's name: the output of `command`, else the operating system's name for it.
pub(super) fn host(command: Option<&Path>) -> Option<String> {
    let printed = command.and_then(|command| {
        let program = grep_cli::resolve_binary(command).ok()?;
        let mut command = Command::new(program);
        command.stdin(Stdio::null());
        let reader = grep_cli::CommandReader::new(&mut command).ok()?;
        let name = std::io::read_to_string(reader).ok()?.trim().to_string();
        Some(name).filter(|name| !name.is_empty())
    });
    printed.or_else(|| grep_cli::hostname().ok()?.into_string().ok())
}

/// Returns the prefix of paths that Windows needs to open files of this WSL distribution.
pub(super) fn wsl_prefix() -> Option<String> {
    if !cfg!(unix) {
        return None;
    }
    let distribution = std::env::var_os("WSL_DISTRO_NAME")?.into_string().ok()?;
    Some(format!("wsl$/{distribution}"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_have_encoded_paths_and_lines() {
        let format: HyperlinkFormat = "vscode".parse().expect("a known format");
        let links = Hyperlinks::new(&format).expect("not empty");
        let link = Hyperlinks::link(&links.url(Path::new("/a b/{line}.rs"), Some(3)), "text");
        assert_eq!(link, "\x1b]8;;vscode://file/a%20b/%7Bline%7D.rs:3:1\x1b\\text\x1b]8;;\x1b\\");
        assert!(Hyperlinks::new(&"none".parse().expect("a known format")).is_none());
    }
}
