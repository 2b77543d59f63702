//! `codedb parse-worker`: a process that parses texts for another process of codedb. Not listed in
//! the help.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::error::{Error, Result};
use crate::index::code::store::builder;
use crate::parsers::worker;

/// Serves the process that started this one; `args` is the identity of its fact extraction.
///
/// # Errors
///
/// If that is another version of codedb, whose facts differ.
pub(super) fn run(args: &[OsString]) -> Result<ExitCode> {
    if !matches!(args, [identity] if *identity == *builder()) {
        return Err(Error::usage("`parse-worker` is started by codedb itself"));
    }
    worker::serve(std::io::stdin(), std::io::stdout()).map(ExitCode::from)
}
