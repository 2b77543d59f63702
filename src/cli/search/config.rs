//! ripgrep's configuration file: one flag per line, inserted before those of the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use bstr::ByteSlice;

use super::super::report::Reporter;
use crate::error::Error;

/// Returns the flags in the file that `RIPGREP_CONFIG_PATH` names; none if it is not set.
///
/// An unreadable file and lines that cannot be decoded are reported and skipped.
pub(crate) fn args(reporter: &Reporter) -> Vec<OsString> {
    let Some(path) = std::env::var_os("RIPGREP_CONFIG_PATH").filter(|path| !path.is_empty()) else {
        return Vec::new();
    };
    let path = PathBuf::from(path);
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(err) => {
            let path = path.display();
            reporter.warn(format_args!("{path} (RIPGREP_CONFIG_PATH): {err}"));
            return Vec::new();
        }
    };
    let (args, faults) = lines(&text);
    for line in faults {
        let path = path.display();
        reporter.warn(format_args!("{path}:{line}: the flag is not valid UTF-8"));
    }
    log::debug!("{}: {args:?}", path.display());
    args
}

/// Adds a hint that the error is in the configuration file.
pub(crate) fn explain(error: Error) -> Error {
    let path = PathBuf::from(std::env::var_os("RIPGREP_CONFIG_PATH").unwrap_or_default());
    error.with_hint(format!(
        "the flag is in {} (RIPGREP_CONFIG_PATH), which `--no-config` ignores",
        path.display()
    ))
}

/// Returns the flags in `text` and the numbers of lines that cannot be decoded.
fn lines(text: &[u8]) -> (Vec<OsString>, Vec<usize>) {
    let (mut args, mut faults) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        match line.to_os_str() {
            Ok(arg) => args.push(arg.to_os_string()),
            Err(_) => faults.push(index + 1),
        }
    }
    (args, faults)
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn empty_lines_and_comments_are_skipped() {
        let (args, faults) = lines(b"# mine\n\n  --smart-case \r\n-g\n!*.min.js\n  # end");
        assert_eq!(args, ["--smart-case", "-g", "!*.min.js"]);
        assert_eq!(faults, [0; 0]);
    }
}
