//! ripgrep's configuration file: flags, one a line, that stand before those of the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use bstr::ByteSlice;

use super::super::report::Reporter;
use crate::error::Error;

/// Returns the flags of the file that `RIPGREP_CONFIG_PATH` names; none without it.
///
/// A file that cannot be read and a line that cannot be decoded are told, and left out.
pub(crate) fn args(reporter: &Reporter) -> Vec<OsString> {
    let Some(path) = std::env::var_os("RIPGREP_CONFIG_PATH").filter(|path| !path.is_empty()) else {
        return Vec::new();
    };
    let path = PathBuf::from(path);
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(err) => {
            let path = path.display();
            reporter.warn(format_args!("{path}: the file of RIPGREP_CONFIG_PATH: {err}"));
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

/// Adds to an error that it is the configuration file's.
pub(crate) fn explain(error: Error) -> Error {
    let path = PathBuf::from(std::env::var_os("RIPGREP_CONFIG_PATH").unwrap_or_default());
    let place = format!("it stands in {} (RIPGREP_CONFIG_PATH)", path.display());
    error.with_hint(format!("{place}; `--no-config` leaves that aside"))
}

/// Returns the flags in `text` and the numbers of the lines that are none.
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
    fn blanks_and_comments_are_no_flags() {
        let (args, faults) = lines(b"# mine\n\n  --smart-case \r\n-g\n!*.min.js\n  # end");
        assert_eq!(args, ["--smart-case", "-g", "!*.min.js"]);
        assert_eq!(faults, [0; 0]);
    }
}
