//! `callers`: the calls of a definition, and its other uses.

mod levels;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::levels::Level;

use super::coverage::Coverage;
use super::lookup::{self, NameQuery, Within};
use super::syntax_gaps::SyntaxGaps;
use super::{
    Alias, Call, Define, Location, Reply, Toolset, counted, cut_notice, first, paths, results_max,
};
use crate::answer::definition::{Around, Definition};
use crate::answer::graph::{Graph, How, Vertex};
use crate::answer::page::{Block, Cell, Column, Grade, Node, Page, Table};
use crate::answer::style::Style;
use crate::answer::texts::Texts;
use crate::base::text;
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::graph::calls::{self, Bound, Caller as Use, Uses};
use crate::graph::link::{CONFIDENCE_ANSWER, Linker, SymbolAt};
use crate::lang::Marks;
use crate::lang::facts::Role;

/// The default number of callers in a reply: about what fits into the token budget of one.
const RESULTS: usize = 200;

/// The default number of callers in a tree.
const TREE_RESULTS: usize = 30;

/// Callers below this confidence show it, with the rule that resolved them.
pub(super) const CERTAIN: f32 = 0.9;

/// The number of rows that each definition has, as far as there are enough, before the rest is filled
/// by confidence.
const ROWS_EACH: usize = 3;

/// The maximum number of definitions that are listed even if none of their callers is.
const DEFINITIONS_MAX: usize = 20;

/// The uses that are resolved in any case without `path`, the tree's own sources first; and for how
/// long more are. A use costs about 50 µs of processor time in a large tree.
const USES_MAX: usize = 4096;
const MORE_USES_WITHIN: Duration = Duration::from_millis(100);

/// The notice for a name with more uses than are examined.
pub(super) const CUT: &str = "the name has more uses than are examined; callers may be missing";

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Callers;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// `name`, `Type.method`, `module::function`, or id
    pub name: String,
    /// Its file, directory or a glob, if several have the name
    pub path: Option<String>,
    /// Maximum number of callers (default 200)
    pub max_results: Option<usize>,
    /// Also list other uses: values, types, imports
    #[serde(default)]
    pub uses: bool,
    /// Also list unresolved calls
    #[serde(default)]
    pub unsure: bool,
    /// Levels of a tree (default 1)
    pub depth: Option<usize>,
    /// `false` omits calls in tests, `true` lists only these
    pub tests: Option<bool>,
    /// Every caller, without a limit
    #[serde(skip)]
    pub everything: bool,
}

/// A definition with the name.
#[derive(Clone, Debug, Serialize)]
pub struct Target {
    /// The definition.
    #[serde(flatten)]
    pub definition: Definition,
    /// Its number of calls.
    pub callers: usize,
    /// The number of calls that count for it, too, but are listed at another definition of the name:
    /// those of a method that it overrides, and ambiguous ones.
    #[serde(skip_serializing_if = "is_zero")]
    pub callers_elsewhere: usize,
    /// The number of unresolved calls that may call it.
    #[serde(skip_serializing_if = "is_zero")]
    pub unsure: usize,
    /// What calls it without its name, as code or in words, if the language does so: such calls are not
    /// listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub called_by: Option<&'static str>,
    /// Its callers with theirs, if the call requests several levels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tree: Vec<Level>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A use of a definition.
#[derive(Clone, Debug, Serialize)]
pub struct Caller {
    /// The file's repository path.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column of the name in that line, from 1, in bytes.
    #[serde(skip)]
    pub column: usize,
    /// The line's text.
    pub text: String,
    /// The enclosing function, or else the enclosing definition.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub enclosing: Option<Around>,
    /// The confidence that the definition is the one that is used, from 0 to 1.
    pub confidence: f32,
    /// The rule that resolved it.
    pub reason: &'static str,
    /// The extractor of the user's own that it comes from, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extractor: Option<String>,
    /// The kind of use, unless it is a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The definition that is used, as an index into `definitions`, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct CallersReply {
    /// Whether all files are indexed.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// The files that may have more callers.
    #[serde(flatten)]
    pub syntax_gaps: SyntaxGaps,
    /// The definitions with the name: the first ones, and those that are used.
    pub definitions: Vec<Target>,
    /// How many are listed.
    pub definitions_shown: usize,
    /// How many definitions have the name.
    pub definitions_total: usize,
    /// The calls by definition, in each the tree's own sources first, then by path and line. With
    /// more calls than rows, each definition has its first ones, then the most certain are listed.
    pub callers: Vec<Caller>,
    /// How many are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// The number of other uses of each kind.
    pub other_uses: BTreeMap<Role, usize>,
    /// The other uses, if the call requests them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<Caller>,
    /// How many other uses are listed, if the call requests them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses_shown: Option<usize>,
    /// How many other uses there are, if the call requests them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses_total: Option<usize>,
    /// The unresolved calls that may call one of the definitions, most likely first, if the call
    /// requests them or there are no callers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsure_callers: Vec<Caller>,
    /// How many of them are listed.
    pub unsure_shown: usize,
    /// How many there are.
    pub unsure: usize,
    /// The number of calls of the name that refer to other definitions.
    #[serde(skip_serializing_if = "is_zero")]
    pub elsewhere: usize,
    /// The number of calls of the name that leave the repository.
    #[serde(skip_serializing_if = "is_zero")]
    pub outside: usize,
    /// The name has more uses than are examined, so callers may be missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// How many uses of the name were found, but not examined.
    #[serde(skip_serializing_if = "is_zero")]
    pub unexamined: usize,
    /// How many calls the argument `tests` omits.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
    #[serde(skip)]
    tests: Option<bool>,
}

impl Define for Callers {
    const NAME: &'static str = "codedb_callers";
    const SUMMARY: &'static str =
        "List the calls of a function, method or type, resolved by scope, imports and receivers";
    const DETAILS: &'static str = "Calls are grouped by definition if several have the name; `path` selects one. \
         Calls through reflection are not found.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("search", "for every occurrence of a word")];
    const TOOLSET: Toolset = Toolset::Core;
    const EXAMPLES: &'static [&'static str] = &[r#"{"name": "Price::of"}"#];
    const ALIASES: &'static [Alias] = &[
        Alias::new("function", "name"),
        Alias::new("symbol", "name"),
        Alias::new("file_path", "path"),
    ];
    const POSITIONAL: &'static [&'static str] = &["name"];
    type Args = Args;
    type Reply = CallersReply;

    fn run(call: &Call<'_>, args: Args) -> Result<CallersReply> {
        if args.name.trim().is_empty() {
            return Err(Error::usage("`name` is empty").with_hint("{tool:find} finds files"));
        }
        let name = args.name.trim();
        let given = args.path.as_deref();
        let within = given.map(|path| Within::named(call, path)).transpose()?;
        let depth = args.depth.unwrap_or(1);
        // The callers of callers have other names.
        let required = NameQuery::Name(name).required_text().filter(|_| depth < 2);
        let catalog = call.code.catalog(required.as_slice())?;
        let targets = lookup::code(catalog, name, within.as_ref(), given)?;
        let max = if args.everything {
            usize::MAX
        } else {
            results_max(args.max_results, if depth < 2 { RESULTS } else { TREE_RESULTS })
        };
        let rank = |file| catalog.marks(file).map_or(u8::MAX, Marks::rank).into();
        let bound = Bound {
            uses_max: if within.is_some() { usize::MAX } else { USES_MAX },
            more_within: MORE_USES_WITHIN,
            first: &rank,
            ..calls::ALL
        };
        let found = calls::uses_within(&Linker::new(catalog), &targets, CONFIDENCE_ANSWER, bound);
        let lists = Lists { max, uses: args.uses, unsure: args.unsure, depth, tests: args.tests };
        answer(catalog, &targets, found, &lists)
    }
}

/// What is listed, and how many entries of each.
struct Lists {
    max: usize,
    uses: bool,
    unsure: bool,
    depth: usize,
    /// See [`Args::tests`].
    tests: Option<bool>,
}

fn answer(
    catalog: &Catalog,
    targets: &[SymbolAt],
    found: Uses,
    lists: &Lists,
) -> Result<CallersReply> {
    let Uses { uses, also, unresolved, elsewhere, outside, is_cut, unexamined, .. } = found;
    let max = lists.max;
    let mut callers = Vec::new();
    let mut others = Vec::new();
    let mut other_uses = BTreeMap::new();
    let mut counts = vec![0; targets.len()];
    let mut omitted = 0;
    for (of, found) in uses {
        let role = found.site.reference.role;
        let is_call = role == Role::Call;
        if let Some(wanted) = lists.tests
            && catalog.marks(found.site.file)?.test != wanted
        {
            omitted += usize::from(is_call);
            continue;
        }
        if is_call {
            counts[of] += 1;
            callers.push((of, found));
        } else {
            *other_uses.entry(role).or_insert(0) += 1;
            others.push((of, found));
        }
    }
    let (unsure_counts, possible) = calls::possible_counts(catalog, targets, &unresolved);
    let places = ranked(catalog, targets, &counts)?;
    let total = callers.len();
    let callers = filled(sorted(catalog, callers, &places)?, max);
    let (others, others_total) =
        if lists.uses { first(sorted(catalog, others, &places)?, max) } else { (Vec::new(), 0) };
    let mut unsure = Vec::new();
    if lists.unsure || total == 0 {
        unsure = calls::possible_callers(&Linker::new(catalog), targets, &unresolved);
        unsure.truncate(max);
    }
    // If there are many definitions, those with listed uses are shown, and the first of the others.
    let mut listed: Vec<usize> = (0..targets.len()).collect();
    listed.sort_by_key(|&of| places[of]);
    let of_rows = callers.iter().chain(&others).chain(&unsure).map(|(of, _)| *of);
    let has_rows: BTreeSet<usize> = of_rows.collect();
    listed.retain(|of| places[*of] < DEFINITIONS_MAX || has_rows.contains(of));
    let mut trees = vec![Vec::new(); targets.len()];
    if lists.depth > 1 {
        trees = levels::of(catalog, targets, lists.depth, max)?;
    }
    let (mut texts, mut definitions) = (Texts::new(catalog), Vec::new());
    for &of in &listed {
        let definition = Definition::of(catalog, &mut texts, targets[of])?;
        let definition = definition.map(Definition::without_doc);
        let (callers, callers_elsewhere, unsure) = (counts[of], also[of], unsure_counts[of]);
        let called_by = calls::called_by_language(catalog, targets[of]);
        let tree = std::mem::take(&mut trees[of]);
        let target =
            |definition| Target { definition, callers, callers_elsewhere, unsure, called_by, tree };
        definitions.extend(definition.map(target));
    }
    let place = |of: usize| listed.iter().position(|&at| at == of).filter(|_| targets.len() > 1);
    let mut entries = |uses: Vec<(usize, Use)>| -> Vec<Caller> {
        uses.iter()
            .map(|(of, found)| caller_entry(catalog, &mut texts, found, place(*of)))
            .collect()
    };
    let (callers, uses, unsure_callers) = (entries(callers), entries(others), entries(unsure));
    Ok(CallersReply {
        coverage: Coverage::of(catalog).or_unread_of(catalog, targets)?,
        syntax_gaps: SyntaxGaps::of(catalog, targets)?,
        definitions_shown: definitions.len(),
        definitions,
        definitions_total: targets.len(),
        shown: callers.len(),
        callers,
        total,
        other_uses,
        uses_shown: lists.uses.then_some(uses.len()),
        uses_total: lists.uses.then_some(others_total),
        uses,
        unsure_shown: unsure_callers.len(),
        unsure_callers,
        unsure: possible,
        elsewhere,
        outside,
        is_cut,
        unexamined,
        omitted,
        tests: lists.tests,
    })
}

/// Returns the place of each definition in the reply: the tree's own sources first, then those with
/// more callers, otherwise in the given order.
fn ranked(catalog: &Catalog, targets: &[SymbolAt], counts: &[usize]) -> Result<Vec<usize>> {
    let mut keyed = Vec::with_capacity(targets.len());
    for (of, at) in targets.iter().enumerate() {
        keyed.push((catalog.marks(at.file)?.rank(), Reverse(counts[of]), of));
    }
    keyed.sort_unstable();
    let mut places = vec![0; targets.len()];
    for (place, (.., of)) in keyed.into_iter().enumerate() {
        places[of] = place;
    }
    Ok(places)
}

/// Returns at most `max` of some uses, which are grouped by definition: the first ones of each
/// definition, then those with the highest confidence; in the same order.
fn filled(uses: Vec<(usize, Use)>, max: usize) -> Vec<(usize, Use)> {
    if uses.len() <= max {
        return uses;
    }
    let mut keys = Vec::with_capacity(uses.len());
    let mut number = 0;
    for (at, (of, found)) in uses.iter().enumerate() {
        let is_same = at > 0 && uses[at - 1].0 == *of;
        number = if is_same { number + 1 } else { 0 };
        let is_first = number < ROWS_EACH;
        let confidence = if is_first { 0.0 } else { -rounded(found.confidence) };
        keys.push((!is_first, confidence, at));
    }
    keys.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    keys.truncate(max);
    let kept: BTreeSet<usize> = keys.into_iter().map(|(.., at)| at).collect();
    uses.into_iter().enumerate().filter(|(at, _)| kept.contains(at)).map(|(_, used)| used).collect()
}

/// Returns uses ordered by the places of their definitions, then the tree's own sources first;
/// otherwise in the order of files.
fn sorted(
    catalog: &Catalog,
    uses: Vec<(usize, Use)>,
    places: &[usize],
) -> Result<Vec<(usize, Use)>> {
    let mut keyed = Vec::with_capacity(uses.len());
    for (of, found) in uses {
        let summary = catalog.summary(found.site.file)?.unwrap_or_default();
        keyed.push(((places[of], summary.marks.rank()), of, found));
    }
    keyed.sort_by_key(|(key, ..)| *key);
    Ok(keyed.into_iter().map(|(_, of, found)| (of, found)).collect())
}

fn caller_entry(
    catalog: &Catalog,
    texts: &mut Texts<'_>,
    found: &Use,
    of: Option<usize>,
) -> Caller {
    let Use { site, confidence, reason } = found;
    let (line, text) = texts.line(site.file, site.reference.span.start);
    Caller {
        path: paths::shown(catalog.path(site.file)),
        line,
        column: texts.column(site.file, site.reference.span.start),
        text,
        enclosing: Around::of_site(catalog, site),
        confidence: rounded(*confidence),
        reason: reason.words(),
        extractor: catalog.extractor_of(site.file).map(str::to_owned),
        role: Some(site.reference.role).filter(|role| *role != Role::Call),
        of,
    }
}

/// Returns a confidence rounded to two decimal places.
pub(super) fn rounded(confidence: f32) -> f32 {
    (confidence * 100.0).round() / 100.0
}

impl Reply for CallersReply {
    /// Renders a line for each definition, followed by a line for each of its callers.
    fn render(&self, style: &dyn Style) -> String {
        let mut out = String::new();
        for (place, target) in self.definitions.iter().enumerate() {
            let Target { definition, callers, callers_elsewhere, tree, .. } = target;
            let has_tree = !tree.is_empty();
            let is_of = |caller: &&Caller| caller.of.is_none_or(|of| of == place);
            let shown = self.callers.iter().filter(is_of).count();
            let count = counted(*callers, "caller");
            let mut count =
                if shown < *callers { format!("{count}, {shown} shown") } else { count };
            if *callers_elsewhere > 0 {
                let _ = write!(count, ", {callers_elsewhere} more listed at other definitions");
            }
            let _ = writeln!(out, "{}  {count}", definition.head(style));
            tree.iter().for_each(|level| level.write(&mut out, 2, style));
            let listed = self.callers.iter().filter(|_| !has_tree);
            for caller in listed.chain(&self.uses).filter(is_of) {
                caller.render(&mut out, &definition.name, style);
            }
        }
        if !self.unsure_callers.is_empty() {
            let _ = writeln!(out, "unresolved, may call it:");
        }
        for caller in &self.unsure_callers {
            let of = self.definitions.get(caller.of.unwrap_or_default());
            let name = of.map_or("", |of| of.definition.name.as_str());
            caller.render(&mut out, name, style);
        }
        if !self.other_uses.is_empty() {
            let of_role = |(role, count): (&Role, &usize)| format!("{count} {}", words(*role));
            let counts: Vec<String> = self.other_uses.iter().map(of_role).collect();
            let through =
                if self.is_value() { "; calls through the value are not listed" } else { "" };
            let _ = writeln!(out, "other uses: {}{through}", counts.join(", "));
        }
        out
    }

    /// Shows each definition, below it its callers: place, enclosing definition and line.
    fn page(&self) -> Option<Page> {
        let mut blocks = Vec::new();
        for (place, target) in self.definitions.iter().enumerate() {
            let is_of = |caller: &&Caller| caller.of.is_none_or(|of| of == place);
            let definition = &target.definition;
            let mut line = definition.cells().to_vec();
            line.push(Cell::text(counted(target.callers, "caller")));
            if target.callers_elsewhere > 0 {
                let more = format!("{} more at other definitions", target.callers_elsewhere);
                line.push(Cell::faint(more));
            }
            let listed = self.callers.iter().filter(|_| target.tree.is_empty());
            if target.tree.is_empty() {
                blocks.push(Block::Line(line));
            } else {
                let children = target.tree.iter().map(Level::node).collect();
                blocks.push(Block::Tree(vec![Node { cells: line, children }]));
            }
            let of_target = listed.chain(&self.uses).filter(is_of);
            blocks.push(Block::Table(table(of_target, |_| definition.name.as_str())));
        }
        if !self.unsure_callers.is_empty() {
            blocks.push(Block::Title("Unresolved, may call it".to_owned()));
            let name = |caller: &Caller| {
                let of = self.definitions.get(caller.of.unwrap_or_default());
                of.map_or("", |of| of.definition.name.as_str())
            };
            blocks.push(Block::Table(table(self.unsure_callers.iter(), name)));
        }
        if !self.other_uses.is_empty() {
            let of_role = |(role, count): (&Role, &usize)| format!("{count} {}", words(*role));
            let counts: Vec<String> = self.other_uses.iter().map(of_role).collect();
            blocks.push(Block::Note(format!("other uses: {}", counts.join(", "))));
        }
        Some(Page { blocks })
    }

    const HAS_GRAPH: bool = true;

    /// Draws the definitions with what calls and uses them.
    fn graph(&self) -> Option<Graph> {
        let (mut graph, mut left_out) = (Graph::default(), 0);
        for (place, target) in self.definitions.iter().enumerate() {
            let of = &target.definition;
            let listed = self.callers.iter().filter(|_| target.tree.is_empty());
            let listed = listed.chain(&self.uses).chain(&self.unsure_callers);
            let mut listed =
                listed.filter(|caller| caller.of.is_none_or(|of| of == place)).peekable();
            // Of several definitions with the name, those without callers would only be in the way.
            let is_alone = target.tree.is_empty() && listed.peek().is_none();
            if is_alone && self.definitions.len() > 1 {
                continue;
            }
            let own = Vertex::definition(&of.qualified_name, &of.path, of.line).asked();
            let own = graph.add(own);
            left_out += target.tree.iter().map(|level| level.draw(own, &mut graph)).sum::<usize>();
            for caller in listed {
                let from = graph.add(match &caller.enclosing {
                    Some(around) => Vertex::definition(&around.name, &caller.path, around.line),
                    None => Vertex::file(&caller.path),
                });
                let how = caller.role.map_or(How::Calls, |role| How::Uses(words(role)));
                graph.connect(from, own, how, 1, caller.confidence);
            }
        }
        if left_out > 0 {
            let left_out = counted(left_out, "caller");
            graph.remarks.push(format!("{left_out} not drawn; `max_results` draws more"));
        }
        Some(graph)
    }

    const HAS_LOCATIONS: bool = true;

    fn locations(&self) -> Vec<Location> {
        let location = |caller: &Caller| Location {
            path: caller.path.clone(),
            line: caller.line,
            column: caller.column,
            text: caller.text.clone(),
        };
        let listed = self.callers.iter().chain(&self.uses).chain(&self.unsure_callers);
        listed.map(location).collect()
    }

    fn is_found(&self) -> bool {
        self.total + self.unsure_shown + self.uses.len() + self.omitted > 0
            || self.is_value()
            || self.called_by().is_some()
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = cut_notice(self.shown, self.total, "max_results");
        notices.extend(self.unsure_notice());
        notices.extend(self.elsewhere_notice());
        if self.omitted > 0 {
            let calls = counted(self.omitted, "call");
            let of = if self.tests == Some(true) { "outside of tests" } else { "in tests" };
            notices.push(format!("{calls} {of} omitted by `tests`"));
        }
        notices.extend(self.called_by().map(|(name, by)| {
            let name = text::plain(name);
            format!("`{name}` is called by {by} without its name; such calls are not listed")
        }));
        if let (Some(shown), Some(total)) = (self.uses_shown, self.uses_total)
            && shown < total
        {
            notices.push(format!("{shown} of {total} other uses shown; `max_results` shows more"));
        }
        if self.definitions_total > 1 {
            let count = self.definitions_total;
            notices.push(format!("{count} definitions have this name; `path` selects one"));
        }
        if self.definitions_shown < self.definitions_total {
            let (shown, total) = (self.definitions_shown, self.definitions_total);
            notices.push(format!("{shown} of {total} definitions listed"));
        }
        if self.unexamined > 0 {
            let uses = counted(self.unexamined, "use");
            notices.push(format!(
                "partial: {uses} of the name not examined; with `path`, the definition's file or \
                 directory, all are"
            ));
        } else if self.is_cut {
            notices.push(CUT.to_owned());
        }
        notices.extend(self.coverage.notice());
        notices.extend(self.syntax_gaps.notice());
        notices
    }
}

impl CallersReply {
    /// Returns true if a function is used as a value, so that calls of the value run it.
    fn is_value(&self) -> bool {
        let is_function = |it: &Target| it.definition.kind.is_callable();
        self.other_uses.contains_key(&Role::Read) && self.definitions.iter().any(is_function)
    }

    /// Returns the first definition that is called without its name, and what calls it.
    fn called_by(&self) -> Option<(&str, &str)> {
        let found = self.definitions.iter().find_map(|of| Some((of, of.called_by?)));
        found.map(|(of, by)| (of.definition.name.as_str(), by))
    }

    /// Returns the number of calls of the name that are not calls of the definitions.
    fn elsewhere_notice(&self) -> Option<String> {
        let counts = [
            (self.elsewhere, "refer to other definitions", "refers to another definition"),
            (self.outside, "leave the repository", "leaves the repository"),
        ];
        let counts = counts.iter().filter(|(count, ..)| *count > 0);
        let count = |&(count, many, one): &(usize, &str, &str)| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {many}"),
        };
        let counts: Vec<String> = counts.map(count).collect();
        let of_name = || format!("other calls of the name: {}", counts.join(", "));
        (!counts.is_empty()).then(of_name)
    }

    /// Returns the number of unresolved calls, and the argument that lists them; `None` if there are
    /// none.
    fn unsure_notice(&self) -> Option<String> {
        if self.unsure == 0 {
            return None;
        }
        let more = if self.total > 0 { "more unresolved call" } else { "unresolved call" };
        let count = format!("{} may call it", counted(self.unsure, more));
        Some(match self.unsure_shown {
            0 => format!("{count}; `unsure` lists them"),
            shown if shown < self.unsure => {
                format!("{count}; {shown} shown, `max_results` shows more")
            }
            _ => count,
        })
    }
}

impl Caller {
    /// Writes the call site of a definition called `name`.
    fn render(&self, out: &mut String, name: &str, style: &dyn Style) {
        let code = style.highlight(&self.text, name);
        let _ = write!(out, "  {}", style.place(&self.path, self.line));
        if let Some(around) = &self.enclosing {
            let _ = write!(out, "  in {}", text::plain(&around.name));
        }
        let _ = write!(out, "  {code}");
        let doubt =
            (self.confidence < CERTAIN).then(|| format!("{}, {:.2}", self.reason, self.confidence));
        let role = self.role.map(|role| words(role).to_owned());
        let remarks: Vec<String> = doubt.into_iter().chain(role).collect();
        if !remarks.is_empty() {
            let _ = write!(out, "  ({})", remarks.join(", "));
        }
        out.push('\n');
    }
}

/// A less confident use is marked for people.
const SURE_MIN: f32 = 0.5;

/// Returns the uses as a table for people; `name` is that of the definition of each.
fn table<'c>(
    callers: impl Iterator<Item = &'c Caller>,
    name: impl Fn(&'c Caller) -> &'c str,
) -> Table {
    let columns = [Column::cut(""), Column::cut(""), Column::cut(""), Column::left("")];
    let mut table = Table::new(columns);
    for caller in callers {
        let around = caller.enclosing.as_ref().map(|around| Cell::text(&around.name));
        let (path, text) = (caller.path.clone(), caller.text.clone());
        let (place, name) = (Cell::Place(path.clone(), caller.line), name(caller).to_owned());
        let mark = match caller.role {
            _ if caller.confidence < SURE_MIN => Cell::Level(Grade::Fair, "unsure"),
            Some(role) => Cell::faint(words(role)),
            None => Cell::Empty,
        };
        let code = Cell::Code { path, text, name };
        table.row([place, around.unwrap_or_default(), code, mark]);
    }
    table.without_empty()
}

fn words(role: Role) -> &'static str {
    match role {
        Role::Call => "called",
        Role::Type => "as a type",
        Role::Base => "as a base",
        Role::Read => "as a value",
        Role::Write => "assigned",
        Role::Import => "as an import",
    }
}
