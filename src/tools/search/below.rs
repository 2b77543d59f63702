//! The argument `path` of other tools, as a glob.

use std::path::Path;

use serde_json::{Map, Value};

/// Converts the alias `path` to a glob that matches that file, or everything below that directory.
/// A `path_glob` in the same call is combined with it. A path that contains `*` or `?` already is a
/// glob.
pub(super) fn glob_below(path: &Value, args: &Map<String, Value>, root: &Path) -> Value {
    let glob = args.get("path_glob").filter(|glob| !glob.is_null());
    let (Some(path), None | Some(Value::String(_))) = (path.as_str(), glob) else {
        return path.clone();
    };
    let below = Path::new(path).strip_prefix(root).ok().and_then(Path::to_str).unwrap_or(path);
    let mut below = below.trim_end_matches('/');
    while let Some(rest) = below.strip_prefix("./") {
        below = rest;
    }
    let is_glob = below.contains(['*', '?']);
    let dir = if is_glob { below.to_owned() } else { globset::escape(below) };
    let is_root = dir.is_empty() || dir == ".";
    match glob.and_then(Value::as_str) {
        Some(glob) if is_root => glob.into(),
        Some(glob) if glob.contains('/') => format!("{dir}/{glob}").into(),
        Some(glob) => format!("{dir}/**/{glob}").into(),
        None if is_root => Value::Null,
        None if is_glob => dir.into(),
        None => format!("{{{dir},{dir}/**}}").into(),
    }
}
