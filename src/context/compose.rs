//! Chooses what of all that was found is worth its tokens, and puts it in order.
//!
//! Every entry has a value and a cost, the tokens of its own lines. Entries are admitted by value per
//! token while they fit; what is left out is counted. The same task, tree and budget give the same
//! bytes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::evidence::{self, Chunk, Found};
use super::ranking::{RankedFile, Scope, rank_files};
use super::task::{Kind, Task};
use super::tokens;
use crate::answer::definition::{Around, Definition};
use crate::answer::texts::Texts;
use crate::base::{path, text};
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::calls;
use crate::graph::link::{CONFIDENCE_ANSWER, SymbolAt};
use crate::index::text::Overlay;
use crate::lang::SymbolKind;
use crate::lang::facts::Role;
use crate::lang::words::identifiers;
use crate::rank::Weights;

/// Definitions that a bundle may show.
const SYMBOLS_MAX: usize = 24;

/// Callers and callees that a bundle may show of each definition.
const CALLS_MAX: usize = 4;

/// Lines of a definition whose text is shown whole.
const BODY_LINES_MAX: usize = 24;

/// Lines before and behind a site.
const AROUND_LINES: usize = 2;

/// Bytes of a line that is shown.
const LINE_BYTES_MAX: usize = 200;

/// What an entry must be worth for each token, at the least.
const WORTH_MIN: f32 = 0.12;

/// What a caller asks for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Tokens of the rendered bundle at most.
    pub max_tokens: usize,
    /// Files at most.
    pub max_files: usize,
    /// Repository paths of files or folders that the answer is to come from; all if empty.
    pub within: Vec<Vec<u8>>,
    /// Repository paths of files or folders that the caller has already.
    pub exclude: Vec<Vec<u8>>,
}

impl Options {
    fn scope(&self) -> Scope<'_> {
        Scope { within: &self.within, exclude: &self.exclude }
    }
}

/// A name or text of the task that was looked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Keyword {
    /// As the task writes it.
    pub text: String,
    /// What it was taken for.
    pub kind: &'static str,
    /// Nothing of that name is in the tree.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_unknown: bool,
}

/// A file that the task is likely about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct File {
    /// Its repository path.
    pub path: String,
    /// How well it fits; comparable within one bundle only.
    pub score: f32,
    /// What speaks for it, the strongest first.
    pub why: Vec<String>,
}

/// Lines of a file, as they are on disk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Snippet {
    /// The file's repository path.
    pub path: String,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line.
    pub end_line: usize,
    /// The lines.
    pub text: String,
    /// The definition around them.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub around: Option<String>,
}

/// A call of a definition that the task mentions, or one that it makes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallOf {
    /// What calls.
    pub from: String,
    /// What is called.
    pub to: String,
    /// Where.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
}

/// What was composed.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Bundle {
    /// What was looked for.
    pub keywords: Vec<Keyword>,
    /// Definitions of names that the task mentions.
    pub symbols: Vec<Definition>,
    /// Files, best first.
    pub files: Vec<File>,
    /// Lines worth reading first.
    pub snippets: Vec<Snippet>,
    /// Calls from and to the definitions.
    pub calls: Vec<CallOf>,
    /// Tokens of the rendered bundle.
    pub tokens: usize,
    /// Tokens that were allowed.
    pub budget: usize,
    /// Entries that were found and left out.
    pub omitted: usize,
}

/// An entry that may be shown.
enum Entry {
    Symbol(Box<Definition>),
    File(File),
    Snippet(Snippet),
    Call(CallOf),
}

impl Entry {
    fn write(&self, out: &mut String) {
        match self {
            Entry::Symbol(symbol) => symbol.write(out, 1),
            Entry::File(file) => file.write(out),
            Entry::Snippet(snippet) => snippet.write(out),
            Entry::Call(call) => call.write(out),
        }
    }
}

impl File {
    fn write(&self, out: &mut String) {
        let _ = writeln!(out, "{}  {}", text::plain(&self.path), text::plain(&self.why.join(" ")));
    }
}

impl Snippet {
    fn write(&self, out: &mut String) {
        let around = self.around.as_ref().map(|name| format!("  in {}", text::plain(name)));
        let around = around.unwrap_or_default();
        let _ = writeln!(out, "{}:{}{around}", text::plain(&self.path), self.start_line);
        let _ = writeln!(out, "```\n{}\n```", self.text);
    }
}

impl CallOf {
    fn write(&self, out: &mut String) {
        let CallOf { from, to, path, line } = self;
        let (from, to, path) = (text::plain(from), text::plain(to), text::plain(path));
        let _ = writeln!(out, "{from} -> {to}  {path}:{line}");
    }
}

/// Composes the bundle for a task.
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] where an index is damaged.
pub fn compose(
    catalog: &Catalog,
    overlay: Option<&Overlay>,
    task: &Task,
    options: &Options,
) -> Result<Bundle> {
    let found = evidence::gather(catalog, overlay, task)?;
    let ranked = rank_files(catalog, &found, task, &Weights::DEFAULT, options.scope())?;
    let mut texts = Texts::new(catalog);
    let mut entries: Vec<(f32, Entry)> = Vec::new();
    for (place, ranked) in ranked.iter().take(options.max_files).enumerate() {
        let path = path::shown(catalog.path(ranked.file));
        let score = (ranked.score * 1000.0).round() / 1000.0;
        let shown = File { path, score, why: ranked.evidence.why() };
        entries.push((100.0 / (1.0 + place as f32 * 0.3), Entry::File(shown)));
    }
    let symbols = symbols(catalog, &found, &ranked)?;
    for (place, &at) in symbols.iter().enumerate() {
        let Some(mut symbol) = Definition::of(catalog, &mut texts, at)? else { continue };
        if symbol.end_line - symbol.line < BODY_LINES_MAX && place < 3 {
            symbol.add_body(&texts.of(at.file), 4 << 10);
        }
        entries.push((60.0 / (1.0 + place as f32), Entry::Symbol(Box::new(symbol))));
    }
    for (place, &at) in symbols.iter().take(3).enumerate() {
        for (number, call) in calls_of(catalog, &mut texts, at).into_iter().enumerate() {
            let value = 20.0 / (1.0 + place as f32) / (1.0 + number as f32 * 0.3);
            entries.push((value, Entry::Call(call)));
        }
    }
    for (place, snippet) in
        snippets(catalog, &found, &ranked, &symbols, task, options)?.into_iter().enumerate()
    {
        entries.push((40.0 / (1.0 + place as f32), Entry::Snippet(snippet)));
    }
    Ok(admit(keywords(task, &found), entries, options.max_tokens))
}

fn keywords(task: &Task, found: &Found) -> Vec<Keyword> {
    let of = |(place, mention): (usize, &super::task::Mention)| Keyword {
        text: mention.text.clone(),
        kind: match mention.kind {
            Kind::Frame => "frame",
            Kind::Path => "path",
            Kind::Glob => "glob",
            Kind::Qualified | Kind::Identifier => "name",
            Kind::Literal => "text",
        },
        is_unknown: found.unmatched.contains(&place),
    };
    let said = task.mentions.iter().enumerate().filter(|(_, mention)| !mention.is_in_code);
    said.map(of).take(12).collect()
}

/// Returns the definitions that are worth showing, best first: of a name those in tests, or in others'
/// code, only where there are no better ones.
fn symbols(catalog: &Catalog, found: &Found, ranked: &[RankedFile]) -> Result<Vec<SymbolAt>> {
    let mut keyed = Vec::new();
    let mut best: BTreeMap<String, u8> = BTreeMap::new();
    for (mentioned, &at) in found.definitions.iter().enumerate() {
        let marks = catalog.summary(at.file)?.unwrap_or_default().marks;
        let Some(facts) = catalog.facts(at.file)? else { continue };
        let symbol = &facts.symbols[at.place as usize];
        let is_declared = symbol.kind == SymbolKind::Prototype || marks.declaration;
        let place = ranked.iter().position(|ranked| ranked.file == at.file).unwrap_or(usize::MAX);
        let rank = 2 * marks.rank() + u8::from(is_declared);
        let best = best.entry(symbol.name.clone()).or_insert(rank);
        *best = (*best).min(rank);
        keyed.push(((rank, place, mentioned), symbol.name.clone(), at));
    }
    keyed.retain(|((rank, ..), name, _)| best[name] == *rank);
    keyed.sort_by_key(|(key, ..)| *key);
    Ok(keyed.into_iter().map(|(.., at)| at).take(SYMBOLS_MAX).collect())
}

/// Returns the nearest calls of a definition, and what it calls.
fn calls_of(catalog: &Catalog, texts: &mut Texts<'_>, at: SymbolAt) -> Vec<CallOf> {
    let Some(to) = Around::of(catalog, at) else { return Vec::new() };
    let mut found = Vec::new();
    let callers = calls::uses_of(catalog, &[at], CONFIDENCE_ANSWER).uses;
    let callers = callers.iter().filter(|(_, caller)| caller.site.reference.role == Role::Call);
    for (_, caller) in callers.take(CALLS_MAX) {
        let (line, _) = texts.line(caller.site.file, caller.site.reference.span.start);
        let from = Around::of_site(catalog, &caller.site);
        found.push(CallOf {
            from: from.map_or_else(|| "(file)".to_owned(), |from| from.name),
            to: to.name.clone(),
            path: path::shown(catalog.path(caller.site.file)),
            line,
        });
    }
    let mut called = std::collections::BTreeSet::new();
    for callee in calls::callees(catalog, at, CONFIDENCE_ANSWER) {
        let Some(of) = Around::of(catalog, callee.link.to) else { continue };
        if called.len() < CALLS_MAX && callee.link.to != at && called.insert(callee.link.to) {
            let path = path::shown(catalog.path(callee.link.to.file));
            found.push(CallOf { from: to.name.clone(), to: of.name, path, line: of.line });
        }
    }
    found
}

/// Returns the lines of the best files that say most of the task.
fn snippets(
    catalog: &Catalog,
    found: &Found,
    ranked: &[RankedFile],
    symbols: &[SymbolAt],
    task: &Task,
    options: &Options,
) -> Result<Vec<Snippet>> {
    let query = evidence::query(task);
    let mut shown = Vec::new();
    for RankedFile { file, .. } in ranked.iter().take(options.max_files.min(5)) {
        // What is defined there is shown already.
        if symbols.iter().take(8).any(|at| at.file == *file) {
            continue;
        }
        let Some(Chunk { lines, .. }) = found.chunks.iter().find(|chunk| chunk.file == *file)
        else {
            continue;
        };
        let Some(bytes) = catalog.read(*file, 1 << 20) else { continue };
        let Some(text) = text::decode(&bytes) else { continue };
        let all: Vec<&str> = text.lines().collect();
        let worth = |line: &str| -> f32 {
            let words = identifiers(line.as_bytes()).flat_map(|span| {
                crate::lang::words::parts(&line[span]).map(str::to_lowercase).collect::<Vec<_>>()
            });
            let mut words: Vec<String> = words.collect();
            words.sort_unstable();
            words.dedup();
            let of = |word: &String| query.terms.iter().find(|term| term.word == *word);
            words.iter().filter_map(of).map(|term| term.boost).sum()
        };
        let range = lines.start.saturating_sub(1)..lines.end.saturating_sub(1).min(all.len());
        let best =
            range.clone().max_by(|&a, &b| worth(all[a]).total_cmp(&worth(all[b])).then(b.cmp(&a)));
        let Some(best) = best.filter(|&at| worth(all[at]) > 0.0) else { continue };
        let start = best.saturating_sub(AROUND_LINES).max(range.start);
        let end = (best + AROUND_LINES + 1).min(range.end);
        let cut = |line: &&str| text::start(line, LINE_BYTES_MAX).to_owned();
        let facts = catalog.facts(*file)?;
        let around = facts.as_ref().and_then(|facts| {
            let holds =
                |symbol: &&crate::lang::Symbol| symbol.line <= best + 1 && best < symbol.end_line;
            facts.symbols.iter().filter(holds).min_by_key(|symbol| symbol.end_line - symbol.line)
        });
        shown.push(Snippet {
            path: path::shown(catalog.path(*file)),
            start_line: start + 1,
            end_line: end,
            text: all[start..end].iter().map(cut).collect::<Vec<_>>().join("\n"),
            around: around.map(|symbol| symbol.qualified_name.clone()),
        });
    }
    Ok(shown)
}

/// Admits entries by what they are worth for each token.
fn admit(keywords: Vec<Keyword>, entries: Vec<(f32, Entry)>, budget: usize) -> Bundle {
    let costed = entries.into_iter().map(|(value, entry)| {
        let mut lines = String::new();
        entry.write(&mut lines);
        let cost = tokens::count(&lines).max(1);
        (value / cost as f32, cost, entry)
    });
    let mut order: Vec<(usize, f32, usize, Entry)> = costed
        .enumerate()
        .map(|(place, (worth, cost, entry))| (place, worth, cost, entry))
        .collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut bundle = Bundle { keywords, budget, ..Bundle::default() };
    let mut left = budget.saturating_sub(tokens::count(&bundle.render()) + HEADINGS_TOKENS);
    let mut admitted = Vec::new();
    for (place, worth, cost, entry) in order {
        if worth >= WORTH_MIN && cost <= left {
            left -= cost;
            admitted.push((place, entry));
        } else {
            bundle.omitted += 1;
        }
    }
    loop {
        let mut shown = bundle.clone();
        let mut places: Vec<&(usize, Entry)> = admitted.iter().collect();
        places.sort_by_key(|(place, _)| *place);
        for (_, entry) in places {
            shown.push(entry);
        }
        shown.tokens = tokens::count(&shown.render());
        if shown.tokens <= budget || admitted.is_empty() && shown.keywords.is_empty() {
            return shown;
        }
        // Headings and seams may cost more than was set aside.
        match admitted.pop() {
            Some(_) => bundle.omitted += 1,
            None => _ = bundle.keywords.pop(),
        }
    }
}

/// Tokens that headings take at the most.
const HEADINGS_TOKENS: usize = 24;

impl Bundle {
    fn push(&mut self, entry: &Entry) {
        match entry {
            Entry::Symbol(symbol) => self.symbols.push((**symbol).clone()),
            Entry::File(file) => self.files.push(file.clone()),
            Entry::Snippet(snippet) => self.snippets.push(snippet.clone()),
            Entry::Call(call) => self.calls.push(call.clone()),
        }
    }

    /// Returns the bundle as text for people and models.
    pub fn render(&self) -> String {
        let mut out = String::new();
        if !self.keywords.is_empty() {
            let tell = |keyword: &Keyword| {
                let unknown = if keyword.is_unknown { " (not found)" } else { "" };
                format!("{}{unknown}", text::plain(&keyword.text))
            };
            let told: Vec<String> = self.keywords.iter().map(tell).collect();
            let _ = writeln!(out, "keywords: {}", told.join(", "));
        }
        section(&mut out, "definitions", &self.symbols, |symbol, out| symbol.write(out, 1));
        section(&mut out, "files", &self.files, File::write);
        section(&mut out, "lines", &self.snippets, Snippet::write);
        section(&mut out, "calls", &self.calls, CallOf::write);
        if self.omitted > 0 {
            let _ = writeln!(out, "{} more left out; max_tokens allows more", self.omitted);
        }
        out
    }
}

fn section<T>(out: &mut String, title: &str, entries: &[T], write: impl Fn(&T, &mut String)) {
    if entries.is_empty() {
        return;
    }
    let _ = writeln!(out, "## {title}");
    for entry in entries {
        write(entry, out);
    }
}
