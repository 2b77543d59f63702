//! `symbol`: the definitions of a name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::coverage::{Coverage, Reading};
use super::glob::{self, PathGlob};
use super::lookup::{self, Filter, NameQuery, Within};
use super::pattern::is_like_regex;
use super::qualified::Qualified;
use super::syntax_gaps::SyntaxGaps;
use super::{
    Alias, Call, Define, Location, Reply, Speed, Toolset, counted, cut_notice, results_max,
};
use crate::answer::definition::Definition;
use crate::answer::page::{Block, Cell, Code, Column, Page, Table};
use crate::answer::style::Style;
use crate::answer::texts::Texts;
use crate::error::{Error, Result};
use crate::lang::SymbolKind;

/// The default number of definitions in a reply.
const RESULTS: usize = 20;

/// The maximum total size of the texts of definitions in a reply.
const BODIES_BYTES_MAX: usize = 256 << 10;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Symbol;

/// The arguments.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Args {
    /// The name, alone or qualified (`Type::method`, `Type.method`, `module.function`), or an id
    pub name: Option<String>,
    /// The start of the name, instead
    pub prefix: Option<String>,
    /// A part of the name, or a glob for the whole name (`get_*`), instead
    pub pattern: Option<String>,
    /// A partial or misspelled name, instead
    pub fuzzy: Option<String>,
    /// Only this kind: `function`, `method`, `class`, `struct`, `interface`, `trait`, `enum`, `type`,
    /// `constant`, `variable`, `field`, `macro`, `module` …
    pub kind: Option<String>,
    /// Only files that match this glob (`src/**`, `*.rs`)
    pub path_glob: Option<String>,
    /// Include the source text of the definitions
    #[serde(default)]
    pub body: bool,
    /// Maximum number of definitions (default 20)
    pub max_results: Option<usize>,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct SymbolReply {
    /// Whether all files are indexed.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// The files that may define the name, too.
    #[serde(flatten)]
    pub syntax_gaps: SyntaxGaps,
    /// Public definitions first; members, declarations, tests, generated code and headings last.
    pub symbols: Vec<Definition>,
    /// How many are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// True if there may be more than `total`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub total_is_cut: bool,
    /// How many definitions `kind` and `path_glob` exclude, if they exclude all.
    #[serde(skip)]
    left_out: usize,
    /// Why `path_glob` excludes all.
    #[serde(skip)]
    glob_problem: Option<String>,
    /// True if nothing was found because `pattern` is a regular expression.
    #[serde(skip)]
    is_regex: bool,
}

impl Define for Symbol {
    const NAME: &'static str = "codedb_symbol";
    const SUMMARY: &'static str = "Find the definitions of a name";
    const DETAILS: &'static str = "Returns location, signature and documentation, with `body` also the source text. Names \
         are exact and case-sensitive; for partial or misspelled names use `prefix`, `pattern` or \
         `fuzzy`. Public definitions come before members, declarations, tests, mocks and headings.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("word", "for every occurrence of a name"), ("search", "for other text")];
    const TOOLSET: Toolset = Toolset::Core;
    const SPEED: Speed = Speed::Lookup;
    const EXAMPLES: &'static [&'static str] =
        &[r#"{"name": "Cart.total", "body": true}"#, r#"{"prefix": "apply"}"#];
    const POSITIONAL: &'static [&'static str] = &["name"];
    const ALIASES: &'static [Alias] = &[Alias::new("query", "name"), Alias::new("symbol", "name")];
    type Args = Args;
    type Reply = SymbolReply;

    fn run(call: &Call<'_>, args: Args) -> Result<SymbolReply> {
        let query = name_query(&args)?;
        let kind = args.kind.as_deref().map(kind).transpose()?;
        let parsed = |glob| PathGlob::new(call.code.root(), glob);
        let path_glob = args.path_glob.as_deref().map(parsed).transpose()?;
        let within = path_glob.clone().map(Within::Glob);
        let filter = Filter { kind, within, is_code: false };
        let catalog = call.code.catalog(query.required_text().as_slice())?;
        let max = results_max(args.max_results, RESULTS);
        let selected = match query {
            NameQuery::Name(name) => lookup::named(catalog, name, &filter, max)?,
            other => lookup::select(catalog, other, &filter, max)?,
        };
        let glob_problem = match (args.path_glob.as_deref(), &path_glob) {
            (Some(given), Some(glob)) if selected.total == 0 => {
                glob::unmatched(catalog.files(), "path_glob", given, glob)
            }
            _ => None,
        };
        let of_name = args.pattern.as_deref().or(args.prefix.as_deref());
        let is_regex = selected.unfiltered == 0 && of_name.is_some_and(is_like_regex);
        let syntax_gaps = match query {
            NameQuery::Name(name) => {
                let name = Qualified::new(name).map_or(name, |qualified| qualified.last);
                let is_inside =
                    |path: &[u8]| filter.within.as_ref().is_none_or(|within| within.is_match(path));
                SyntaxGaps::of_name(catalog, name, is_inside)?
            }
            _ => SyntaxGaps::default(),
        };
        let mut texts = Texts::new(catalog);
        let mut symbols = Vec::with_capacity(selected.symbols.len());
        let mut left = BODIES_BYTES_MAX;
        for at in selected.symbols {
            let Some(mut symbol) = Definition::of(catalog, &mut texts, at)? else { continue };
            if args.body {
                left -= symbol.add_body(&texts.of(at.file), left);
            }
            symbols.push(symbol);
        }
        Ok(SymbolReply {
            coverage: match selected.total {
                0 => Coverage::of(catalog).or_unread(catalog, Reading::Symbols),
                _ => Coverage::of(catalog),
            },
            syntax_gaps,
            shown: symbols.len(),
            symbols,
            total: selected.total,
            total_is_cut: selected.is_cut,
            glob_problem,
            is_regex,
            left_out: if selected.total == 0 { selected.unfiltered } else { 0 },
        })
    }
}

/// Returns the query of the arguments, of which exactly one must be given.
fn name_query(args: &Args) -> Result<NameQuery<'_>> {
    let all = [
        ("name", args.name.as_deref().map(NameQuery::Name)),
        ("prefix", args.prefix.as_deref().map(NameQuery::Prefix)),
        ("pattern", args.pattern.as_deref().map(NameQuery::Pattern)),
        ("fuzzy", args.fuzzy.as_deref().map(NameQuery::Fuzzy)),
    ];
    let given: Vec<(&str, NameQuery<'_>)> =
        all.into_iter().filter_map(|(argument, query)| Some((argument, query?))).collect();
    match given[..] {
        [] => Err(Error::usage("missing argument: `name`, `prefix`, `pattern` or `fuzzy`")
            .with_hint("{tool:outline} lists the definitions of a file")),
        [(_, query)] => {
            let (NameQuery::Name(text)
            | NameQuery::Prefix(text)
            | NameQuery::Pattern(text)
            | NameQuery::Fuzzy(text)) = query;
            if text.trim().is_empty() {
                Err(Error::usage("the name is empty")
                    .with_hint("{tool:outline} lists the definitions of a file"))
            } else {
                Ok(query)
            }
        }
        [(one, _), (other, _), ..] => {
            Err(Error::usage(format!("`{one}` and `{other}` exclude each other"))
                .with_hint("pass one of them"))
        }
    }
}

/// Returns the kind with a name.
///
/// # Errors
///
/// [`crate::Kind::Usage`] for an unknown kind.
fn kind(name: &str) -> Result<SymbolKind> {
    let kind = SymbolKind::ALL.into_iter().find(|kind| kind.name() == name);
    kind.ok_or_else(|| {
        let names: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.name()).collect();
        Error::usage(format!("unknown kind `{}`", crate::base::text::plain(name)))
            .with_hint(format!("valid kinds: {}", names.join(", ")))
    })
}

impl Reply for SymbolReply {
    /// Renders kind, name, location and signature of each definition on a line, followed by the
    /// first line of its documentation and the text.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        for symbol in &self.symbols {
            symbol.write(&mut out, 1, style);
        }
        out
    }

    /// Shows kind, name and place of each definition, below it the signature and the first line of its
    /// documentation, or the text.
    fn page(&self) -> Option<Page> {
        let columns = [Column::left(""), Column::cut(""), Column::cut(""), Column::left("")];
        let mut blocks = Vec::new();
        let mut table = Table::new(columns.clone());
        for symbol in &self.symbols {
            let mut below = vec![Vec::new()];
            if symbol.body.is_none() {
                below[0].push(Cell::Code {
                    path: symbol.path.clone(),
                    text: symbol.signature.clone(),
                    name: symbol.name.clone(),
                });
                let doc = symbol.doc.as_ref().and_then(|doc| doc.lines().next());
                below.extend(doc.map(|doc| vec![Cell::faint(doc)]));
            }
            table.row_with(symbol.cells(), below);
            if let Some(body) = &symbol.body {
                let (path, line) = (symbol.path.clone(), symbol.line);
                let alone = std::mem::replace(&mut table, Table::new(columns.clone()));
                blocks.push(Block::Table(alone.without_empty()));
                blocks.push(Block::Code(Code { path, line, text: body.clone() }));
                let left = symbol.body_bytes_left_out;
                blocks.extend(left.map(|bytes| Block::Note(format!("{bytes} more bytes"))));
            }
        }
        blocks.push(Block::Table(table.without_empty()));
        Some(Page { blocks })
    }

    const HAS_LOCATIONS: bool = true;

    fn locations(&self) -> Vec<Location> {
        let location = |symbol: &Definition| Location {
            path: symbol.path.clone(),
            line: symbol.name_at.0,
            column: symbol.name_at.1,
            text: symbol.signature.clone(),
        };
        self.symbols.iter().map(location).collect()
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = cut_notice(self.shown, self.total, "max_results");
        if self.total_is_cut {
            notices.push("too many names match to count all; use a longer one".to_owned());
        }
        if self.left_out > 0 {
            let others = counted(self.left_out, "definition");
            notices.push(format!("{others} of that name excluded by `kind` or `path_glob`"));
        }
        notices.extend(self.glob_problem.clone());
        if self.is_regex {
            notices.push(
                "names are not searched by regular expressions; `pattern` is a glob: `*` matches \
                 any text, `{a,b}` either of two; {tool:search} finds regular expressions"
                    .to_owned(),
            );
        }
        notices.extend(self.coverage.notice());
        notices.extend(self.syntax_gaps.notice());
        notices
    }
}
