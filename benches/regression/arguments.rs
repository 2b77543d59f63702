//! Values of command-line options.

use std::path::PathBuf;

/// Returns an option's value as text.
pub(crate) fn text(parser: &mut lexopt::Parser) -> Result<String, String> {
    let value = parser.value().map_err(|error| error.to_string())?;
    value.into_string().map_err(|value| format!("not UTF-8: {value:?}"))
}

/// Returns an option's value as a path.
pub(crate) fn path(parser: &mut lexopt::Parser) -> Result<PathBuf, String> {
    parser.value().map(PathBuf::from).map_err(|error| error.to_string())
}

/// Returns an option's value as a number.
pub(crate) fn number(parser: &mut lexopt::Parser, name: &str) -> Result<u32, String> {
    let value = text(parser)?;
    value.parse().map_err(|_| format!("{name}: not a number: `{value}`"))
}
