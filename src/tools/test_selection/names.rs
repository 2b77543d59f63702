//! Functions that a call names in another way than by `functions`.

use std::path::Path;

use serde_json::{Map, Value};

use crate::error::Result;
use crate::tools::{Alias, Call, paths};

/// Makes names where files are expected the functions of a call: `Price::of`.
///
/// # Errors
///
/// If the tree cannot be read.
pub(in crate::tools) fn take_names(
    call: &Call<'_>,
    given: &mut Vec<String>,
    functions: &mut Vec<String>,
) -> Result<()> {
    let files = call.code.files()?;
    let is_listed = |path: &[u8]| files.find(path).is_some() || !files.below(path).is_empty();
    let is_name = |given: &String| paths::is_name(given) && !is_listed(given.as_bytes());
    if functions.is_empty() && given.iter().all(is_name) {
        functions.append(given);
    }
    Ok(())
}

/// Returns the value of an argument that is one function as a list of functions.
fn as_functions(value: &Value, _: &Map<String, Value>, _: &Path) -> Value {
    if value.is_array() { value.clone() } else { Value::Array(vec![value.clone()]) }
}

/// Other names of the list of functions.
pub(in crate::tools) const FUNCTION_ALIASES: [Alias; 3] = [
    Alias::converted("symbol", "functions", as_functions),
    Alias::converted("function", "functions", as_functions),
    Alias::converted("name", "functions", as_functions),
];
