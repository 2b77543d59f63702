//! The `codedb` binary: a table of contents for the command line in `codedb::cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    codedb::cli::run(std::env::args_os().skip(1).collect())
}
