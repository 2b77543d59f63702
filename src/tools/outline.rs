//! `outline`: the definitions of one file, in order and nested.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::{Call, Define, Location, Reply, Speed, Toolset, paths, results_max};
use crate::answer::style::Style;
use crate::base::{path, text};
use crate::error::{Error, Result};
use crate::lang::language::LANGUAGES;
use crate::lang::{self, Language, Limits, Problems, Symbol, SymbolKind};
use crate::source::guarded::Content;

/// The default number of definitions in a reply.
const RESULTS: usize = 1000;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Outline;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The file
    pub path: String,
    /// Only kinds, names and lines, without signatures and documentation
    #[serde(default)]
    pub compact: bool,
    /// Maximum number of definitions (default 1000)
    pub max_results: Option<usize>,
    /// Definitions to skip, to continue an earlier reply
    pub offset: Option<usize>,
}

/// A definition of the list.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Listed {
    /// The complete form.
    Whole(Box<Symbol>),
    /// The `compact` form.
    Short {
        /// Its name.
        name: String,
        /// Its kind.
        kind: SymbolKind,
        /// Its first line, from 1.
        line: usize,
        /// Its last line.
        end_line: usize,
        /// The number of enclosing definitions.
        depth: usize,
    },
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct OutlineReply {
    /// The file's repository path.
    pub path: String,
    /// Its language.
    pub language: &'static str,
    /// Its definitions in the order of its text. `parent` is an index into the complete list.
    pub symbols: Vec<Listed>,
    /// Line and column of the name of each, both from 1; columns are in bytes.
    #[serde(skip)]
    pub names_at: Vec<(usize, usize)>,
    /// How many are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// The `offset` of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<usize>,
    /// Reasons why some may be missing, with the number of occurrences.
    pub problems: Problems,
}

impl Define for Outline {
    const NAME: &'static str = "codedb_outline";
    const SUMMARY: &'static str =
        "List the definitions of a file, nested, with their lines and signatures";
    const DETAILS: &'static str = "Shows the structure of a file without its text.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] = &[
        ("read", "with `symbol` or lines for the text of a definition"),
        ("symbol", "to find a definition in any file"),
    ];
    const TOOLSET: Toolset = Toolset::Core;
    const SPEED: Speed = Speed::Lookup;
    const EXAMPLES: &'static [&'static str] = &[r#"{"path": "src/cart.rs"}"#];
    const POSITIONAL: &'static [&'static str] = &["path"];
    type Args = Args;
    type Reply = OutlineReply;

    fn run(call: &Call<'_>, args: Args) -> Result<OutlineReply> {
        // Slightly more than the parser's limit, so that the parser reports the limit.
        let bytes_max = Limits::DEFAULT.bytes_max as u64 + 1;
        let (path, content) = paths::read(call, &args.path, bytes_max)?;
        let named = path::to_path(&path);
        let language = lang::detect(&named, content.original()).ok_or_else(|| unknown(&named))?;
        let outline = of(call, &path, language, &content)?;
        let names_at =
            outline.symbols.iter().map(|symbol| symbol.name_at(content.bytes())).collect();
        let whole = OutlineReply::new(paths::shown(&path), language, outline, args.compact);
        let whole = OutlineReply { names_at, ..whole };
        Ok(whole.page(args.offset.unwrap_or(0), results_max(args.max_results, RESULTS)))
    }
}

impl OutlineReply {
    /// Returns the reply for the file at `path`, with all of its definitions.
    pub fn new(
        path: String,
        language: &'static Language,
        outline: lang::Outline,
        is_compact: bool,
    ) -> OutlineReply {
        let listed = |symbol: Symbol| {
            if is_compact {
                let Symbol { name, kind, line, end_line, depth, .. } = symbol;
                Listed::Short { name, kind, line, end_line, depth }
            } else {
                Listed::Whole(Box::new(symbol))
            }
        };
        let symbols: Vec<Listed> = outline.symbols.into_iter().map(listed).collect();
        let (shown, total, problems) = (symbols.len(), symbols.len(), outline.problems);
        OutlineReply {
            path,
            language: language.name,
            symbols,
            names_at: Vec::new(),
            shown,
            total,
            next_offset: None,
            problems,
        }
    }

    /// Returns the reply limited to `max` definitions from `offset` on.
    fn page(mut self, offset: usize, max: usize) -> OutlineReply {
        self.symbols = self.symbols.into_iter().skip(offset).take(max).collect();
        self.names_at = self.names_at.into_iter().skip(offset).take(max).collect();
        self.shown = self.symbols.len();
        let end = offset.saturating_add(self.shown);
        self.next_offset = (end < self.total && max > 0).then_some(end);
        self
    }
}

/// Returns the definitions of a file with the given content: from the index if it has this content,
/// else by parsing it. O(text).
///
/// # Errors
///
/// As [`crate::catalog::code::Code::parse`].
pub(super) fn of(
    call: &Call<'_>,
    path: &[u8],
    language: &'static Language,
    content: &Content,
) -> Result<lang::Outline> {
    let text = content.bytes();
    let known = if content.is_cut() {
        None
    } else {
        call.code.outline(path, xxh3_128(content.original())).filter(|(of, _)| *of == language)
    };
    let Some((_, mut symbols)) = known else {
        return call.code.parse(language, path, text);
    };
    for symbol in &mut symbols {
        symbol.signature = symbol.source.signature(language, text);
        symbol.doc = symbol.source.doc(text);
    }
    Ok(lang::Outline { symbols, problems: Problems::default() })
}

fn unknown(path: &std::path::Path) -> Error {
    let mut names: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
    names.sort_unstable();
    Error::usage("the language of this file is not supported")
        .with_path(path)
        .with_hint(format!("supported: {}", names.join(", ")))
}

impl Reply for OutlineReply {
    /// Renders a line for each symbol, indented by its depth.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        for symbol in &self.symbols {
            let (kind, name, line, end_line, depth, signature) = match symbol {
                Listed::Whole(of) => {
                    let signature = Some(of.signature.as_str());
                    (of.kind, &of.name, of.line, of.end_line, of.depth, signature)
                }
                Listed::Short { name, kind, line, end_line, depth } => {
                    (*kind, name, *line, *end_line, *depth, None)
                }
            };
            let indent = 2 * depth;
            // The name of an implementation begins with its kind.
            let kind = if kind == SymbolKind::Impl { "" } else { kind.name() };
            let blank = if kind.is_empty() { "" } else { " " };
            let (name, lines) = (style.name(name), style.lines(&self.path, line, end_line));
            let _ = write!(out, "{:indent$}{kind}{blank}{name}  {lines}", "");
            if let Some(signature) = signature {
                let _ = write!(out, "  {}", text::plain(signature));
            }
            out.push('\n');
        }
        out
    }

    const HAS_LOCATIONS: bool = true;

    fn locations(&self) -> Vec<Location> {
        let location = |(symbol, &(line, column)): (&Listed, &(usize, usize))| {
            let text = match symbol {
                Listed::Whole(of) => of.signature.clone(),
                Listed::Short { name, kind, .. } => format!("{} {name}", kind.name()),
            };
            Location { path: self.path.clone(), line, column, text }
        };
        self.symbols.iter().zip(&self.names_at).map(location).collect()
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        let described = self.problems.keys().filter_map(|problem| problem.describe());
        let described = described.map(|what| format!("{}: {what}", text::plain(&self.path)));
        let more = self.next_offset.map(|offset| {
            let (shown, total) = (self.shown, self.total);
            format!("{shown} of {total} definitions shown; continue with `offset` {offset}")
        });
        more.into_iter().chain(described).collect()
    }
}
