//! Files that a command line names: reports, exports, lists. They may be links or special files that a
//! repository contains, so they are read only if they are regular files, and up to a limit.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use crate::error::{Error, Kind, Result};

/// Opens a regular file of at most `bytes_max` bytes, or a pipe of the shell (`<(command)`).
///
/// # Errors
///
/// [`Kind::Usage`] for any other kind of file, [`Kind::Limit`] for a longer one, [`Kind::Io`].
pub fn open(path: &Path, bytes_max: u64) -> Result<File> {
    let failed = |error| Error::io(path, error);
    let metadata = fs::metadata(path).map_err(failed)?;
    // A shell passes the read end of its pipe under this name: opening it does not block.
    let is_inherited = path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd");
    if metadata.is_dir() || !metadata.is_file() && !is_inherited {
        return Err(Error::usage("not a regular file").with_path(path));
    }
    if metadata.is_file() && metadata.len() > bytes_max {
        return Err(too_long(path, bytes_max));
    }
    File::open(path).map_err(failed)
}

/// Returns the bytes of a file that [`open`] accepts.
///
/// # Errors
///
/// As [`open`].
pub fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open(path, bytes_max)?;
    file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(|error| Error::io(path, error))?;
    if bytes.len() as u64 > bytes_max { Err(too_long(path, bytes_max)) } else { Ok(bytes) }
}

/// Returns the text of a file that [`open`] accepts.
///
/// # Errors
///
/// As [`open`]; [`Kind::Usage`] if it is not UTF-8.
pub fn read_text(path: &Path, bytes_max: u64) -> Result<String> {
    let text = String::from_utf8(read(path, bytes_max)?);
    text.map_err(|_| Error::usage("not a text in UTF-8").with_path(path))
}

fn too_long(path: &Path, bytes_max: u64) -> Error {
    let limit = if bytes_max >= 1 << 30 {
        format!("{} GiB", bytes_max >> 30)
    } else {
        format!("{} MiB", bytes_max >> 20)
    };
    Error::new(Kind::Limit, format!("larger than {limit}")).with_path(path)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn special_files_are_refused() {
        let dir = tempfile::tempdir().expect("a directory");
        let device = dir.path().join("device");
        std::os::unix::fs::symlink("/dev/zero", &device).expect("a link");
        let pipe = dir.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).expect("a pipe");
        for path in [device.as_path(), pipe.as_path(), dir.path()] {
            let error = read(path, 1 << 20).expect_err("it is refused");
            assert_eq!(error.kind(), Kind::Usage, "{error}");
        }
        let long = dir.path().join("long");
        fs::write(&long, vec![b'a'; 2 << 20]).expect("a file");
        assert_eq!(read(&long, 1 << 20).expect_err("it is refused").kind(), Kind::Limit);
        assert_eq!(read(&long, 3 << 20).expect("it is read").len(), 2 << 20);
    }
}
