//! `outline`: the definitions of one file, in order and nested.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::{Error, Result};
use crate::lang::language::LANGUAGES;
use crate::lang::{self, Limits, Problems, Symbol, SymbolKind};

/// What is asked.
#[derive(Clone, Debug)]
pub struct Args {
    /// The file, as the user named it.
    pub path: PathBuf,
}

/// What is answered.
#[derive(Clone, Debug, Serialize)]
pub struct Reply {
    /// The file, as the user named it.
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

/// Returns the definitions of `text`, which the file `args.path` holds. O(text) within limits.
///
/// # Errors
///
/// [`crate::Kind::Usage`] if the language is unknown.
pub fn run(args: &Args, text: &[u8]) -> Result<Reply> {
    let language = lang::detect(&args.path, text).ok_or_else(|| unknown(&args.path))?;
    let path = args.path.to_string_lossy().replace('\\', "/");
    let outline = lang::outline(language, &path, text, Limits::DEFAULT);
    let total = outline.symbols.len();
    let (symbols, problems) = (outline.symbols, outline.problems);
    Ok(Reply { path, language: language.name, symbols, total, problems })
}

fn unknown(path: &Path) -> Error {
    let mut names: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
    names.sort_unstable();
    Error::usage("the language of this file is not known")
        .with_path(path)
        .with_hint(format!("known are {}", names.join(", ")))
}

/// Returns the reply as text: a line for each symbol, indented by what it lies in.
pub fn render(reply: &Reply) -> String {
    let mut out = String::new();
    for symbol in &reply.symbols {
        let Symbol { kind, name, line, end_line, signature, depth, .. } = symbol;
        let indent = 2 * depth;
        // The name of an implementation starts with its kind.
        let kind = if *kind == SymbolKind::Impl { "" } else { kind.name() };
        let blank = if kind.is_empty() { "" } else { " " };
        let _ = writeln!(out, "{:indent$}{kind}{blank}{name}  {line}-{end_line}  {signature}", "");
    }
    out
}
