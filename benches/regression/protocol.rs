//! What the report and the executable that holds the cases say to each other: lines of JSON.

use serde::{Deserialize, Serialize};

/// The version that both must speak.
pub(crate) const PROTOCOL: u32 = 1;

/// Names of cases and tools are no longer.
const NAME_BYTES_MAX: usize = 200;

/// The first line of an executable: everything is prepared, and these are its cases.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Hello {
    /// [`PROTOCOL`].
    pub(crate) protocol: u32,
    /// A hash of the corpus.
    pub(crate) corpus: String,
    /// What can be measured.
    pub(crate) cases: Vec<Case>,
}

/// One case.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Case {
    /// Its name, such as `tool/search/rare`.
    pub(crate) name: String,
    /// The tool that it belongs to, such as `search`; empty for what is no tool's.
    #[serde(default)]
    pub(crate) tool: String,
    /// A hash of what it answers.
    pub(crate) reply: String,
    /// Whether callgrind can count it: what other threads or processes do, it does not.
    #[serde(default = "countable")]
    pub(crate) countable: bool,
}

/// A question: run `case` so many times; zero is one call to warm up.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Ask {
    /// The case.
    pub(crate) case: String,
    /// How often.
    pub(crate) iterations: u64,
}

/// The answer: what all iterations took together, or why the case failed.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answer {
    /// Wall time.
    Nanoseconds(f64),
    /// A sentence.
    Error(String),
}

/// Reads the first line.
///
/// # Errors
///
/// When it is no such line, speaks another version, or names a case twice or by what is no name: names go
/// into a page and a comment that others read.
pub(crate) fn hello(line: &str) -> Result<Hello, String> {
    let mut hello: Hello = serde_json::from_str(line)
        .map_err(|error| format!("its first line is no hello: {error}"))?;
    if hello.protocol != PROTOCOL {
        return Err(format!("it speaks protocol {}, not {PROTOCOL}", hello.protocol));
    }
    for case in hello.cases.iter_mut().filter(|case| case.tool.is_empty()) {
        // `engine/…`, `mcp/…` and `cli/…` stand beside the tools.
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
/// When it is none, or its time is no time.
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

/// Returns true for what may name a case: letters, digits and `_ - . / :`.
pub(crate) fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:".contains(&byte);
    !text.is_empty() && text.len() <= NAME_BYTES_MAX && text.bytes().all(plain)
}

fn countable() -> bool {
    true
}
