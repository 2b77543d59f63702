//! `outline`: the definitions of one file, in order and nested.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Define, Reply, paths};
use crate::base::{path, text};
use crate::error::{Error, Result};
use crate::lang::language::LANGUAGES;
use crate::lang::{self, Limits, Problems, Symbol, SymbolKind};

/// See [`Define`].
#[derive(Debug)]
pub struct Outline;

/// What is asked.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The file
    pub path: String,
}

/// What is answered.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// The file's repository path.
    pub path: String,
    /// The language that it is in.
    pub language: &'static str,
    /// Its definitions in the order of its text.
    pub symbols: Vec<Symbol>,
    /// How many there are.
    pub total: usize,
    /// Why some may be missing, with how often that was met.
    pub problems: Problems,
}

impl Define for Outline {
    const NAME: &'static str = "codedb_outline";
    const SUMMARY: &'static str =
        "List the definitions of a file, nested, with their lines and signatures";
    const DETAILS: &'static str = "Shows what a file has before it is read: use `read` with `symbol` \
                                   or lines for the text of a definition.";
    const POSITIONAL: &'static [&'static str] = &["path"];
    type Args = Args;
    type Reply = Found;

    fn run(call: &Call<'_>, args: Args) -> Result<Found> {
        // A little past the length at which parsing gives up, so that it says so.
        let bytes_max = Limits::DEFAULT.bytes_max as u64 + 1;
        let (path, content) = paths::read(call, &args.path, bytes_max)?;
        of_text(&path, &content.bytes)
    }
}

/// Returns the definitions of `text`, which the file at a repository path holds. O(text).
///
/// # Errors
///
/// [`crate::Kind::Usage`] if the language is unknown.
pub fn of_text(path: &[u8], text: &[u8]) -> Result<Found> {
    let named = path::to_path(path);
    let language = lang::detect(&named, text).ok_or_else(|| unknown(&named))?;
    let path = paths::shown(path);
    let outline = lang::outline(language, &path, text, Limits::DEFAULT);
    let total = outline.symbols.len();
    let (symbols, problems) = (outline.symbols, outline.problems);
    Ok(Found { path, language: language.name, symbols, total, problems })
}

fn unknown(path: &std::path::Path) -> Error {
    let mut names: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
    names.sort_unstable();
    Error::usage("the language of this file is not known")
        .with_path(path)
        .with_hint(format!("known are {}", names.join(", ")))
}

impl Reply for Found {
    /// A line for each symbol, indented by what it lies in.
    fn render(&self) -> String {
        let mut out = String::new();
        for symbol in &self.symbols {
            let Symbol { kind, name, line, end_line, signature, depth, .. } = symbol;
            let indent = 2 * depth;
            // The name of an implementation starts with its kind.
            let kind = if *kind == SymbolKind::Impl { "" } else { kind.name() };
            let blank = if kind.is_empty() { "" } else { " " };
            let _ =
                writeln!(out, "{:indent$}{kind}{blank}{name}  {line}-{end_line}  {signature}", "");
        }
        out
    }

    fn is_found(&self) -> bool {
        !self.symbols.is_empty()
    }

    fn notices(&self) -> Vec<String> {
        let described = self.problems.keys().filter_map(|problem| problem.describe());
        described.map(|what| format!("{}: {what}", text::plain(&self.path))).collect()
    }
}
