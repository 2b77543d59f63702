//! `context`: one call that puts the right files, symbols and lines in front of who has a task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::known::Known;
use super::{Call, Define, Reply, paths};
use crate::context::compose::{Bundle, Options, compose};
use crate::context::evidence::Sources;
use crate::context::task::{self, Task};
use crate::error::{Error, Result};

/// Tokens of a reply unless the caller says otherwise, at the least and at the most.
const TOKENS: usize = 1_500;
const TOKENS_MIN: usize = 120;
const TOKENS_MAX: usize = 50_000;

/// Files of a reply unless the caller says otherwise, and at the most.
const FILES: usize = 5;
const FILES_MAX: usize = 50;

/// Bytes of the shortest task.
const TASK_BYTES_MIN: usize = 3;

/// See [`Define`].
#[derive(Debug)]
pub struct Context;

/// What is asked.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Args {
    /// What is to be done or found: a question, a bug report, a stack trace; up to 64 KB
    pub task: String,
    /// Tokens of the reply at most (default 1,500; from 120 on)
    pub max_tokens: Option<usize>,
    /// Files at most (default 5)
    pub max_files: Option<usize>,
    /// Only files and folders of these paths
    #[serde(default)]
    pub paths: Vec<String>,
    /// Paths of files and folders that are known already
    #[serde(default)]
    pub exclude: Vec<String>,
}

/// What is answered.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// Whether all files are known.
    #[serde(flatten)]
    pub known: Known,
    /// The ranking had no text index.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub without_text: bool,
    /// What was composed.
    #[serde(flatten)]
    pub bundle: Bundle,
}

impl Define for Context {
    const NAME: &'static str = "codedb_context";
    const SUMMARY: &'static str =
        "Get the files, definitions and lines that a task is about, in one call";
    const DETAILS: &'static str = "Call it first, with the whole task: names, paths, stack traces and plain words in it are all looked \
         up, files ranked with the reasons, and the best lines shown, within `max_tokens`. Use `symbol`, \
         `read` or `callers` to go on from there, `search` for an exact text.";
    const POSITIONAL: &'static [&'static str] = &["task"];
    type Args = Args;
    type Reply = Found;

    fn run(call: &Call<'_>, args: Args) -> Result<Found> {
        let text = args.task.trim();
        if text.len() < TASK_BYTES_MIN {
            return Err(Error::usage("the task is empty or too short")
                .with_hint("say in a sentence what is to be done or found"));
        }
        if args.task.len() > task::BYTES_MAX {
            let message = format!("the task has {} bytes; 65536 are read", args.task.len());
            return Err(Error::usage(message).with_hint("keep the report, leave out long logs"));
        }
        let max_tokens = args.max_tokens.unwrap_or(TOKENS).min(TOKENS_MAX);
        if max_tokens < TOKENS_MIN {
            let message =
                format!("`max_tokens` is {max_tokens}; a useful reply takes {TOKENS_MIN}");
            return Err(Error::usage(message));
        }
        let resolve = |given: &Vec<String>| -> Result<Vec<Vec<u8>>> {
            given.iter().map(|path| paths::resolve(call, path)).collect()
        };
        let options = Options {
            max_tokens,
            max_files: args.max_files.unwrap_or(FILES).clamp(1, FILES_MAX),
            within: resolve(&args.paths)?,
            exclude: resolve(&args.exclude)?,
        };
        let task = Task::new(text);
        let names: Vec<&str> = task
            .mentions
            .iter()
            .filter_map(|mention| mention.text.rsplit(['.', ':', '#', '/']).next())
            .filter(|name| name.len() > 2)
            .take(16)
            .collect();
        let catalog = call.code.catalog(&names)?;
        let overlay = call.code.ranking()?;
        let history = call.code.history()?;
        let sources = Sources { catalog, text: overlay.as_deref(), history: history.as_deref() };
        let bundle = compose(sources, &task, &options)?;
        Ok(Found { known: Known::of(catalog), without_text: overlay.is_none(), bundle })
    }
}

impl Reply for Found {
    /// The parts of the bundle, each under its heading.
    fn render(&self) -> String {
        self.bundle.render()
    }

    fn is_found(&self) -> bool {
        !self.bundle.files.is_empty() || !self.bundle.symbols.is_empty()
    }

    fn notices(&self) -> Vec<String> {
        let mut notices: Vec<String> = self.known.notice().into_iter().collect();
        if self.without_text {
            notices.push("ranked without the text index, which `codedb index` builds".to_owned());
        }
        if !self.is_found() {
            notices.push(
                "nothing in this tree fits the task; name files, symbols or other words".to_owned(),
            );
        }
        notices
    }
}
