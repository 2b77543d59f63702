//! Conversion of flag values. Errors are sentences without the name of the flag.

use std::ffi::{OsStr, OsString};

use bstr::ByteVec;

/// Returns the value as text.
pub(super) fn text(value: OsString) -> Result<String, String> {
    value.into_string().map_err(|raw| format!("`{}` is not valid UTF-8", raw.display()))
}

fn borrowed(value: &OsStr) -> Result<&str, String> {
    value.to_str().ok_or_else(|| format!("`{}` is not valid UTF-8", value.display()))
}

/// Returns the value as a count.
pub(super) fn count(value: &OsStr) -> Result<usize, String> {
    let text = borrowed(value)?;
    text.parse().map_err(|err| format!("`{text}` is not a number: {err}"))
}

/// Returns the value as a large count.
pub(super) fn large_count(value: &OsStr) -> Result<u64, String> {
    let text = borrowed(value)?;
    text.parse().map_err(|err| format!("`{text}` is not a number: {err}"))
}

/// Returns the value as a number of bytes; the suffixes `K`, `M` and `G` are powers of 1024.
pub(super) fn size_bytes(value: &OsStr) -> Result<u64, String> {
    grep_cli::parse_human_readable_size(borrowed(value)?).map_err(|err| err.to_string())
}

/// Returns the value as a number of bytes of memory.
pub(super) fn memory_bytes(value: &OsStr) -> Result<usize, String> {
    let size = size_bytes(value)?;
    usize::try_from(size).map_err(|_| format!("{size} bytes do not fit into memory"))
}

/// Returns the value with escape sequences such as `\t` and `\x00` replaced.
pub(super) fn unescaped(value: OsString) -> Result<Vec<u8>, String> {
    let text = value.into_string().map_err(|raw| {
        format!("`{}` is not valid UTF-8; write such bytes as `\\xFF`", raw.display())
    })?;
    Ok(Vec::unescape_bytes(text))
}

/// Returns the entry of `table` with this name.
pub(super) fn choice<T: Copy>(value: &OsStr, table: &[(&str, T)]) -> Result<T, String> {
    let text = borrowed(value)?;
    let found = table.iter().find(|(name, _)| *name == text);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
        format!("invalid value `{text}`; valid: {}", names.join(", "))
    })
}
