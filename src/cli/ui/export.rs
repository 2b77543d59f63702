//! `codedb ui --export`: pages as files that open without a server.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use crate::cli::place::{self, TreeOptions};
use crate::cli::recording_code::RecordingCode;
use crate::cli::tool::now_ns;
use crate::engine::Check;
use crate::error::{Error, Result};
use crate::tools::Call;
use crate::ui::{self, FIRST, MARK};

/// Writes the pages of a tree into a directory, which is created, and replaces those of an earlier export.
///
/// # Errors
///
/// If the directory contains something else; if it cannot be written, or the tree cannot be read.
pub(super) fn run(options: &TreeOptions, directory: &Path) -> Result<ExitCode> {
    let earlier = earlier(directory)?;
    let engine = place::engine(options)?;
    let code = RecordingCode::new(&engine, Check::Watcher);
    let files = code.run(false, |code| ui::export(&Call::new(code, now_ns())))?;
    fs::create_dir_all(directory).map_err(|error| Error::io(directory, error))?;
    for path in earlier {
        fs::remove_file(&path).map_err(|error| Error::io(&path, error))?;
    }
    for file in &files {
        let path = directory.join(&file.name);
        fs::write(&path, &file.text).map_err(|error| Error::io(&path, error))?;
    }
    let first = directory.join(FIRST);
    let pages = files.len() - 1;
    let _ = writeln!(std::io::stdout(), "{pages} pages: {}", first.display());
    Ok(ExitCode::SUCCESS)
}

/// Returns the pages of an earlier export.
fn earlier(directory: &Path) -> Result<Vec<std::path::PathBuf>> {
    let failed = |error| Error::io(directory, error);
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let paths: Vec<std::path::PathBuf> =
        entries.map(|entry| Ok(entry.map_err(failed)?.path())).collect::<Result<_>>()?;
    let is_page = |path: &Path| {
        path.extension().is_some_and(|extension| extension == "html")
            && fs::read_to_string(path).is_ok_and(|text| text.contains(MARK))
    };
    if !paths.is_empty() && !is_page(&directory.join(FIRST)) {
        return Err(Error::usage("the directory is not empty and no earlier export")
            .with_path(directory)
            .with_hint("name a new or an empty directory"));
    }
    Ok(paths.into_iter().filter(|path| is_page(path)).collect())
}
