//! `outline`: the definitions of one file, in order and nested.

use std::fmt::Write as _;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use super::{
    Call, Define, Location, Needs, Reply, Speed, Toolset, counted, offset_notice, paths,
    results_max,
};
use crate::answer::page::{self, Block, Cell, Column, Table};
use crate::answer::style::Style;
use crate::base::{path, text};
use crate::error::{Error, Result};
use crate::lang::language::LANGUAGES;
use crate::lang::{self, Language, Limits, Problem, Problems, Symbol, SymbolKind};
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
    Whole(Box<Documented>),
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

/// A definition whose documentation is read from the text when it is serialized; only JSON has it.
#[derive(Clone, Debug)]
pub struct Documented {
    symbol: Symbol,
    /// The file, unless the symbol has its documentation.
    content: Option<Arc<Content>>,
}

impl Serialize for Documented {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match &self.content {
            Some(content) => {
                let doc = self.symbol.source.doc(content.bytes());
                Symbol { doc, ..self.symbol.clone() }.serialize(serializer)
            }
            None => self.symbol.serialize(serializer),
        }
    }
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct OutlineReply {
    /// The file's repository path.
    pub path: String,
    /// Its language.
    pub language: &'static str,
    /// The extractor of the user's own that the definitions come from, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extractor: Option<String>,
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
    /// The `offset`, if it is behind the last definition.
    #[serde(skip)]
    offset_beyond: Option<usize>,
    /// How many closures in functions are not among them (Go, Rust).
    #[serde(skip_serializing_if = "is_zero")]
    pub closures_left_out: usize,
    /// Reasons why some may be missing, with the number of occurrences.
    pub problems: Problems,
    /// The line of the first part that the parser does not understand, if there is one.
    #[serde(skip_serializing_if = "is_zero")]
    pub first_error_line: usize,
}

fn is_zero(line: &usize) -> bool {
    *line == 0
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
    const NEEDS: Needs = Needs::Files;
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
        let (language, extractor) = call.code.language(&path, content.original());
        let language = language.ok_or_else(|| unknown(&named))?;
        let (mut outline, is_indexed) = of(call, &path, language, &content)?;
        let closures_left_out = leave_out_closures(&mut outline.symbols, language, content.bytes());
        let page = Page {
            offset: args.offset.unwrap_or(0),
            max: results_max(args.max_results, RESULTS),
            is_compact: args.compact,
            // Facts of the index have neither signatures nor documentation.
            content: is_indexed.then(|| Arc::clone(&content)),
        };
        let names_at = names_at(page.of(&outline.symbols), content.bytes());
        let found = OutlineReply::new(paths::shown(&path), language, outline, &page);
        let extractor = extractor.map(str::to_owned);
        Ok(OutlineReply { names_at, closures_left_out, extractor, ..found })
    }
}

/// Removes the closures that variables in functions of Go and Rust hold, and returns their number:
/// most functions have some. What is defined in one moves to the function around it.
fn leave_out_closures(symbols: &mut Vec<Symbol>, language: &Language, text: &[u8]) -> usize {
    let signs: &[u8] = match language.name {
        "go" => b":",
        "rust" => b":=",
        _ => return 0,
    };
    let is_closure = |symbol: &Symbol, parent: &Symbol| {
        let after = text.get(symbol.name_span.end..).unwrap_or_default().trim_ascii_start();
        symbol.kind == SymbolKind::Function
            && parent.kind.is_callable()
            && after.first().is_some_and(|byte| signs.contains(byte))
    };
    // The new place of each symbol; of a closure, that of what is around it.
    let mut places: Vec<(Option<usize>, usize)> = Vec::with_capacity(symbols.len());
    let mut kept: Vec<Symbol> = Vec::with_capacity(symbols.len());
    for symbol in symbols.iter() {
        let parent = symbol.parent.and_then(|at| symbols.get(at));
        let around = symbol.parent.and_then(|at| places.get(at).copied());
        let (around, removed) = around.unwrap_or((None, 0));
        if parent.is_some_and(|parent| is_closure(symbol, parent)) {
            places.push((around, removed + 1));
            continue;
        }
        places.push((Some(kept.len()), removed));
        let depth = symbol.depth - removed.min(symbol.depth);
        kept.push(Symbol { parent: around, depth, ..symbol.clone() });
    }
    let count = symbols.len() - kept.len();
    if count > 0 {
        *symbols = kept;
    }
    count
}

/// Returns the line and column of the name of each symbol, as [`Symbol::name_at`] does. O(text +
/// symbols × log lines), however long the lines are.
fn names_at(symbols: &[Symbol], text: &[u8]) -> Vec<(usize, usize)> {
    let ends = memchr::memchr_iter(b'\n', text).map(|end| end + 1);
    let line_starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
    let name_at = |symbol: &Symbol| {
        let at = symbol.name_span.start;
        if at > text.len() {
            return (symbol.line, 1);
        }
        let line_of = |at: usize| line_starts.partition_point(|&start| start <= at);
        let lines = line_of(at) - line_of(symbol.span.start.min(at));
        (symbol.line + lines, at - line_starts[line_of(at) - 1] + 1)
    };
    symbols.iter().map(name_at).collect()
}

/// The definitions of an outline that a reply lists, and how.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// How many are skipped.
    pub offset: usize,
    /// How many are listed at most.
    pub max: usize,
    /// True for the `compact` form.
    pub is_compact: bool,
    /// The file, if its definitions lack signatures and documentation.
    pub content: Option<Arc<Content>>,
}

impl Page {
    fn of<'s>(&self, symbols: &'s [Symbol]) -> &'s [Symbol] {
        let rest = &symbols[self.offset.min(symbols.len())..];
        &rest[..self.max.min(rest.len())]
    }
}

impl OutlineReply {
    /// Returns the reply with the definitions of `page` of the file at `path`, without their places.
    pub fn new(
        path: String,
        language: &'static Language,
        outline: lang::Outline,
        page: &Page,
    ) -> OutlineReply {
        let (total, shown) = (outline.symbols.len(), page.of(&outline.symbols).len());
        let listed = |mut symbol: Symbol| {
            if page.is_compact {
                let Symbol { name, kind, line, end_line, depth, .. } = symbol;
                return Listed::Short { name, kind, line, end_line, depth };
            }
            if let Some(content) = &page.content {
                symbol.signature = symbol.source.signature(language, content.bytes());
            }
            Listed::Whole(Box::new(Documented { symbol, content: page.content.clone() }))
        };
        let symbols = outline.symbols.into_iter().skip(page.offset).take(page.max).map(listed);
        let end = page.offset.saturating_add(shown);
        OutlineReply {
            path,
            language: language.name,
            symbols: symbols.collect(),
            names_at: Vec::new(),
            shown,
            total,
            next_offset: (end < total && page.max > 0).then_some(end),
            offset_beyond: (page.offset > 0 && page.offset >= total).then_some(page.offset),
            extractor: None,
            closures_left_out: 0,
            problems: outline.problems,
            first_error_line: outline.first_error_line,
        }
    }
}

/// Returns the definitions of a file with the given content: from the index if it has this content,
/// else by parsing it. Also returns true if they are from the index: then they lack signatures and
/// documentation. O(text).
///
/// # Errors
///
/// As [`crate::catalog::code::Code::parse`].
pub(super) fn of(
    call: &Call<'_>,
    path: &[u8],
    language: &'static Language,
    content: &Content,
) -> Result<(lang::Outline, bool)> {
    let known = if content.is_cut() {
        None
    } else {
        call.code.outline(path, content.hash()).filter(|(of, _)| *of == language)
    };
    match known {
        Some((_, symbols)) => Ok((lang::Outline { symbols, ..lang::Outline::default() }, true)),
        None => Ok((call.code.parse(language, path, content.bytes())?, false)),
    }
}

fn unknown(path: &std::path::Path) -> Error {
    let mut names: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
    names.sort_unstable();
    Error::usage("the language of this file is not supported")
        .with_path(path)
        .with_hint(format!("supported: {}", names.join(", ")))
}

impl OutlineReply {
    /// Returns the notice that the parser does not understand parts of the file, if so.
    fn syntax_notice(&self) -> Option<String> {
        let count = self.problems.get(&Problem::Syntax).copied().unwrap_or_default();
        let more = match count {
            0 => return None,
            1 => String::new(),
            count => format!(" and {}", counted(count as usize - 1, "more place")),
        };
        let line = self.first_error_line;
        Some(format!(
            "the parser does not understand line {line}{more}; definitions there may be missing"
        ))
    }
}

impl Reply for OutlineReply {
    /// Renders a line for each symbol, indented by its depth.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        for symbol in &self.symbols {
            let (kind, name, line, end_line, depth, signature) = match symbol {
                Listed::Whole(of) => {
                    let of = &of.symbol;
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

    /// Shows the lines of each definition and its signature, indented by its depth.
    fn page(&self) -> Option<page::Page> {
        let definitions = Cell::text(counted(self.total, "definition"));
        let path = Cell::Path(self.path.clone());
        let title = Block::Line(vec![path, Cell::faint(self.language), definitions]);
        let mut table = Table::new([Column::right(""), Column::cut("")]);
        for symbol in &self.symbols {
            let (name, line, end_line, depth, text) = match symbol {
                Listed::Whole(of) => {
                    let Symbol { name, line, end_line, depth, signature, .. } = &of.symbol;
                    (name, *line, *end_line, *depth, signature.clone())
                }
                Listed::Short { name, kind, line, end_line, depth } => {
                    (name, *line, *end_line, *depth, format!("{} {name}", kind.name()))
                }
            };
            let (path, name) = (self.path.clone(), name.clone());
            let text = format!("{:1$}{text}", "", 2 * depth);
            table.row([Cell::Lines(path.clone(), line, end_line), Cell::Code { path, text, name }]);
        }
        Some(page::Page { blocks: vec![title, Block::Table(table)] })
    }

    const HAS_LOCATIONS: bool = true;

    fn locations(&self) -> Vec<Location> {
        let location = |(symbol, &(line, column)): (&Listed, &(usize, usize))| {
            let text = match symbol {
                Listed::Whole(of) => of.symbol.signature.clone(),
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
        let described = described.map(str::to_owned).chain(self.syntax_notice());
        let described = described.map(|what| format!("{}: {what}", text::plain(&self.path)));
        let more = self.next_offset.map(|offset| {
            let (shown, total) = (self.shown, self.total);
            format!("{shown} of {total} definitions shown; continue with `offset` {offset}")
        });
        let beyond =
            self.offset_beyond.map(|offset| offset_notice(offset, self.total, "definition"));
        let extractor = self.extractor.as_ref().map(|name| format!("from the extractor `{name}`"));
        let closures = (self.closures_left_out > 0).then(|| {
            let closures = counted(self.closures_left_out, "closure");
            format!("{closures} in functions left out; {{tool:symbol}} finds them by name")
        });
        let more = more.into_iter().chain(beyond).chain(closures);
        more.chain(described).chain(extractor).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closures_are_left_out_and_what_is_in_them_moves_up() {
        let check = |path: &str, text: &str, expected: &[(&str, Option<usize>, usize)]| {
            let of = lang::detect(std::path::Path::new(path), text.as_bytes()).expect("known");
            let mut symbols = lang::outline(of, path, text.as_bytes(), Limits::DEFAULT).symbols;
            let count = leave_out_closures(&mut symbols, of, text.as_bytes());
            let listed: Vec<(&str, Option<usize>, usize)> =
                symbols.iter().map(|it| (it.name.as_str(), it.parent, it.depth)).collect();
            assert_eq!(listed, expected);
            count
        };
        let rust = "fn a() {\n    let f = |x: u8| {\n        fn b() {}\n        let g: fn() = || ();\n    };\n    fn c() {}\n}\n";
        let expected = [("a", None, 0), ("b", Some(0), 1), ("c", Some(0), 1)];
        assert_eq!(check("a.rs", rust, &expected), 2);
        let go = "package a\nfunc A() {\n\tf := func() {}\n\tf()\n}\n";
        assert_eq!(check("a.go", go, &[("A", None, 0)]), 1);
        let script = "function a() {\n  const f = () => 1;\n}\n";
        assert_eq!(check("a.js", script, &[("a", None, 0), ("f", Some(0), 1)]), 0);
    }

    #[test]
    fn places_of_names_are_those_of_each_symbol() {
        let text =
            "// é\n#[test]\n\nfn one() { fn two() {} }\r\nstruct Long; fn three() {}\n\nmod a {\n}";
        let language = lang::detect(std::path::Path::new("a.rs"), text.as_bytes()).expect("Rust");
        let outline = lang::outline(language, "a.rs", text.as_bytes(), Limits::DEFAULT);
        assert_eq!(outline.symbols.len(), 5);
        for text in [text, &text[..40], ""] {
            let text = text.as_bytes();
            let each: Vec<(usize, usize)> =
                outline.symbols.iter().map(|symbol| symbol.name_at(text)).collect();
            assert_eq!(names_at(&outline.symbols, text), each);
        }
    }
}
