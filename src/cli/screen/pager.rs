//! Shows texts that are longer than the terminal in a pager.

#[cfg(unix)]
use std::io::Write as _;
#[cfg(unix)]
use std::process::Command;

#[cfg(unix)]
use crate::cli::settings;

/// Shows a text in the pager of the settings and does not return, unless there is none.
///
/// The pager replaces this process and reads the text from a file without a name: it alone handles
/// Ctrl-C, and it may end before it has read everything.
#[cfg(unix)]
pub(super) fn show(text: &str) {
    use std::os::unix::process::CommandExt as _;

    let pager = settings::pager().value;
    if pager.is_empty() {
        return;
    }
    let Some(file) = unnamed(text) else { return };
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("exec {pager}")).stdin(file);
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    drop(std::io::stdout().flush());
    // That no shell was found; the caller prints the text then.
    let error = command.exec();
    log::debug!("no pager: {error}");
}

/// Does nothing: the text is printed.
#[cfg(not(unix))]
pub(super) fn show(_text: &str) {}

/// Returns a file with the text, at its start, that no directory lists.
#[cfg(unix)]
fn unnamed(text: &str) -> Option<std::fs::File> {
    use std::io::{Seek as _, SeekFrom};
    use std::os::unix::fs::OpenOptionsExt as _;

    let path = std::env::temp_dir().join(format!("codedb-{}", uuid::Uuid::new_v4()));
    let mut options = std::fs::OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600);
    let mut file = options.open(&path).ok()?;
    std::fs::remove_file(&path).ok()?;
    file.write_all(text.as_bytes()).ok()?;
    file.seek(SeekFrom::Start(0)).ok()?;
    Some(file)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn the_pager_reads_the_whole_text() {
        let mut read = String::new();
        let mut file = unnamed("a\nb\n").expect("a file can be made");
        file.read_to_string(&mut read).expect("it can be read");
        assert_eq!(read, "a\nb\n");
    }
}
