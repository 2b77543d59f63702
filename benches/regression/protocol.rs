//! The protocol between the report and the executable with the cases: lines of JSON.

use serde::{Deserialize, Serialize};

/// The protocol version of both sides.
pub(crate) const PROTOCOL: u32 = 1;

/// The maximum length of the names of cases and tools.
const NAME_BYTES_MAX: usize = 200;

/// The first line of an executable: it is prepared, and these are its cases.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Hello {
    /// [`PROTOCOL`].
    pub(crate) protocol: u32,
    /// A hash of the corpus.
    pub(crate) corpus: String,
    /// The cases.
    pub(crate) cases: Vec<Case>,
}

/// One case.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Case {
    /// Its name, such as `tool/search/rare`.
    pub(crate) name: String,
    /// Its tool, such as `search`; empty for other cases.
    #[serde(default)]
    pub(crate) tool: String,
    /// A hash of its reply.
    pub(crate) reply: String,
    /// Whether callgrind can count it, which excludes other threads and processes.
    #[serde(default = "countable")]
    pub(crate) countable: bool,
}

/// A request: run `case` this many times; zero is one warm-up call.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct RunRequest {
    /// The case.
    pub(crate) case: String,
    /// The number of iterations.
    pub(crate) iterations: u64,
}

/// The answer: the total time of all iterations, or the reason of the failure.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answer {
    /// Wall time.
    Nanoseconds(f64),
    /// An error sentence.
    Error(String),
}

/// Reads the first line.
///
/// # Errors
///
/// If the line is invalid, has another version, or has a duplicate or invalid case name: the names
/// are written to a public page and comment.
pub(crate) fn hello(line: &str) -> Result<Hello, String> {
    let mut hello: Hello = serde_json::from_str(line)
        .map_err(|error| format!("its first line is not a valid greeting: {error}"))?;
    if hello.protocol != PROTOCOL {
        return Err(format!("it uses protocol {}, not {PROTOCOL}", hello.protocol));
    }
    for case in hello.cases.iter_mut().filter(|case| case.tool.is_empty()) {
        // The groups `engine/…`, `mcp/…` and `cli/…` exist in addition to tools.
        case.tool = case.name.split('/').next().unwrap_or_default().to_owned();
    }
    let mut names: Vec<&str> = hello.cases.iter().map(|case| case.name.as_str()).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("it has the case `{}` twice", twice[0]));
    }
    let tools = hello.cases.iter().map(|case| case.tool.as_str());
    if names.into_iter().chain(tools).any(|name| !is_name(name)) {
        return Err("a case or tool of its list has no plain name".to_owned());
    }
    Ok(hello)
}

/// Reads an answer.
///
/// # Errors
///
/// If the line is not an answer, or its time is invalid.
pub(crate) fn answer(line: &str) -> Result<Answer, String> {
    let answer =
        serde_json::from_str(line).map_err(|error| format!("it answered nonsense: {error}"))?;
    match answer {
        Answer::Nanoseconds(time) if !time.is_finite() || time < 0.0 => {
            Err(format!("it answered a time that is none: {time}"))
        }
        answer => Ok(answer),
    }
}

/// Returns true for a valid case name: letters, digits and `_ - . / :`.
pub(crate) fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:".contains(&byte);
    !text.is_empty() && text.len() <= NAME_BYTES_MAX && text.bytes().all(plain)
}

fn countable() -> bool {
    true
}
