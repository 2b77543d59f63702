//! `callers`: the calls of a definition, and its other uses.

mod implementations;
mod levels;
mod role;
mod shown;
mod text_uses;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::implementations::{Implementation, Implementations};
pub use self::levels::Level;
pub use self::role::Wanted;
pub use self::text_uses::{Form, TextUse, TextUses};

use super::coverage::Coverage;
use super::lookup::{self, NameQuery, Within};
use super::syntax_gaps::SyntaxGaps;
use super::{Alias, Call, Define, Toolset, first, paths, results_max};
use crate::answer::definition::{Around, Definition};
use crate::answer::texts::Texts;
use crate::catalog::Catalog;
use crate::catalog::code::Focus;
use crate::error::{Error, Result};
use crate::graph::calls::{self, Bound, Caller as Use, NamedSite, Uses};
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
    /// `calls`, `readers`, `writers`, `uses` (all) or `implementations`
    pub role: Option<Wanted>,
    /// Also list other uses: values, types, imports
    #[serde(default)]
    #[schemars(extend("x-unlisted" = ""))]
    pub uses: bool,
    /// List what reads a field, variable or constant
    #[serde(default)]
    #[schemars(extend("x-unlisted" = "", "x-command" = true))]
    pub readers: bool,
    /// List what assigns it
    #[serde(default)]
    #[schemars(extend("x-unlisted" = "", "x-command" = true))]
    pub writers: bool,
    /// List what extends or implements a type, or overrides a method
    #[serde(default)]
    #[schemars(extend("x-unlisted" = "", "x-command" = true))]
    pub implementations: bool,
    /// Also list unresolved uses
    #[serde(default)]
    pub unsure: bool,
    /// Levels of callers (default 1) or implementations (default all)
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
    /// How many readers, writers or implementations it has, if the call requests these.
    #[serde(skip_serializing_if = "is_zero")]
    pub of_role: usize,
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
    /// What is listed, unless it is calls.
    #[serde(skip_serializing_if = "Wanted::is_calls")]
    pub role: Wanted,
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
    /// The readers, the writers or all other uses, if the call requests them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<Caller>,
    /// How many other uses are listed, if the call requests them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses_shown: Option<usize>,
    /// How many other uses there are, if the call requests them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses_total: Option<usize>,
    /// The implementations, if the call requests them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implementations: Option<Implementations>,
    /// Strings, keys and templates with the name, which may be uses, if the call requests other uses
    /// or there are no callers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_uses: Option<TextUses>,
    /// The unresolved calls, or other uses, that may refer to one of the definitions, most likely first,
    /// if the call requests them or there are no others.
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
        "List what calls, reads, assigns or implements a name, resolved by scopes and types";
    const DETAILS: &'static str =
        "Grouped by definition if several have the name; `path` selects one.";
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
        let is_transitive = args.depth.is_some_and(|depth| depth > 1);
        call.code.focus(Focus::Definition { name, path: given, is_transitive })?;
        let within = given.map(|path| Within::named(call, path)).transpose()?;
        let wanted = Wanted::of(&args)?;
        let levels_max = args.depth.unwrap_or(usize::MAX);
        let depth = if wanted == Wanted::Implementations { 1 } else { args.depth.unwrap_or(1) };
        // The callers of callers have other names.
        let is_of_name = depth < 2 && wanted != Wanted::Implementations;
        let required = NameQuery::Name(name).required_text().filter(|_| is_of_name);
        let catalog = call.code.catalog(required.as_slice())?;
        let mut targets = lookup::code(catalog, name, within.as_ref(), given)?;
        if targets.iter().any(|at| call.code.is_in_scope(catalog.path(at.file))) {
            targets.retain(|at| call.code.is_in_scope(catalog.path(at.file)));
        }
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
        let found = match wanted {
            Wanted::Implementations => Uses { also: vec![0; targets.len()], ..Uses::default() },
            _ => calls::uses_within(&Linker::new(catalog), &targets, CONFIDENCE_ANSWER, bound),
        };
        let (unsure, tests) = (args.unsure, args.tests);
        let lists = Lists { max, wanted, unsure, depth, levels_max, tests };
        answer(catalog, &targets, found, &lists)
    }
}

/// What is listed, and how many entries of each.
struct Lists {
    max: usize,
    wanted: Wanted,
    unsure: bool,
    depth: usize,
    /// The most levels of implementations.
    levels_max: usize,
    /// See [`Args::tests`].
    tests: Option<bool>,
}

fn answer(
    catalog: &Catalog,
    targets: &[SymbolAt],
    found: Uses,
    lists: &Lists,
) -> Result<CallersReply> {
    let Uses { uses, also, mut unresolved, mut elsewhere, mut outside, is_cut, unexamined, .. } =
        found;
    let (max, wanted) = (lists.max, lists.wanted);
    let of_role = !matches!(wanted, Wanted::Calls | Wanted::Uses);
    if of_role {
        unresolved = unresolved_values(catalog, targets, found.unresolved_values, wanted);
        (elsewhere, outside) = (0, 0);
    }
    let mut callers = Vec::new();
    let mut others = Vec::new();
    let mut other_uses = BTreeMap::new();
    let (mut counts, mut role_counts) = (vec![0; targets.len()], vec![0; targets.len()]);
    let mut is_value = Vec::with_capacity(targets.len());
    for at in targets {
        is_value.push(catalog.symbol(*at)?.is_some_and(|symbol| role::is_value(symbol.kind)));
    }
    let mut omitted = 0;
    for (of, found) in uses {
        let role = found.site.reference.role;
        let is_call = role == Role::Call;
        let is_selected = wanted.selects(role, is_value[of]);
        if let Some(wanted) = lists.tests
            && catalog.marks(found.site.file)?.test != wanted
        {
            omitted += usize::from(is_selected);
            continue;
        }
        counts[of] += usize::from(is_call);
        if is_call && !of_role {
            callers.push((of, found));
        } else if is_selected {
            role_counts[of] += 1;
            others.push((of, found));
        } else if of_role {
            *other_uses.entry(role).or_insert(0) += 1;
        } else {
            *other_uses.entry(role).or_insert(0) += 1;
            others.push((of, found));
        }
    }
    let (unsure_counts, possible) = calls::possible_counts(catalog, targets, &unresolved);
    let mut texts = Texts::new(catalog);
    let implementations = match wanted {
        Wanted::Implementations => {
            let (all, counts) = implementations::of(catalog, &mut texts, targets, lists)?;
            role_counts = counts;
            Some(all)
        }
        _ => None,
    };
    let places = ranked(catalog, targets, if of_role { &role_counts } else { &counts })?;
    let total = callers.len();
    let lists_uses = wanted == Wanted::Uses || of_role && wanted != Wanted::Implementations;
    let is_none = total == 0 && (!of_role || others.is_empty());
    let text_uses = match wanted {
        Wanted::Implementations => None,
        Wanted::Calls if !is_none => None,
        _ => {
            let listed = if lists.unsure { max } else { 0 };
            let found = TextUses::of(catalog, &mut texts, targets, listed)?;
            Some(found).filter(|found| found.total() + found.unread > 0)
        }
    };
    let callers = filled(sorted(catalog, callers, &places)?, max);
    let (others, others_total) = if lists_uses {
        listed_uses(catalog, others, &places, max, of_role)?
    } else {
        (Vec::new(), 0)
    };
    let mut unsure = Vec::new();
    if lists.unsure || is_none {
        unsure = calls::possible_callers(&Linker::new(catalog), targets, &unresolved);
        unsure.truncate(max);
    }
    // If there are many definitions, those with listed uses are shown, and the first of the others.
    let mut listed: Vec<usize> = (0..targets.len()).collect();
    listed.sort_by_key(|&of| places[of]);
    let of_rows = callers.iter().chain(&others).chain(&unsure).map(|(of, _)| *of);
    let implementing = implementations.iter().flat_map(|all| &all.list).filter_map(|it| it.of);
    let has_rows: BTreeSet<usize> = of_rows.chain(implementing).collect();
    listed.retain(|of| places[*of] < DEFINITIONS_MAX || has_rows.contains(of));
    let mut trees = vec![Vec::new(); targets.len()];
    if lists.depth > 1 {
        trees = levels::of(catalog, targets, lists.depth, max)?;
    }
    let mut definitions = Vec::new();
    for &of in &listed {
        let definition = Definition::of(catalog, &mut texts, targets[of])?;
        let definition = definition.map(Definition::without_doc);
        let (callers, callers_elsewhere, unsure) = (counts[of], also[of], unsure_counts[of]);
        let called_by = calls::called_by_language(catalog, targets[of]);
        let tree = std::mem::take(&mut trees[of]);
        let of_role = role_counts[of];
        let target = |definition| Target {
            definition,
            callers,
            of_role,
            callers_elsewhere,
            unsure,
            called_by,
            tree,
        };
        definitions.extend(definition.map(target));
    }
    let place = |of: usize| listed.iter().position(|&at| at == of).filter(|_| targets.len() > 1);
    let mut entries = |uses: Vec<(usize, Use)>| -> Vec<Caller> {
        uses.iter()
            .map(|(of, found)| caller_entry(catalog, &mut texts, found, place(*of)))
            .collect()
    };
    let (callers, uses, unsure_callers) = (entries(callers), entries(others), entries(unsure));
    let implementations = implementations.map(|mut all| {
        for it in &mut all.list {
            it.of = it.of.and_then(&place);
        }
        all
    });
    Ok(CallersReply {
        role: wanted,
        coverage: Coverage::of(catalog).or_unread_of(catalog, targets)?,
        syntax_gaps: SyntaxGaps::of(catalog, targets)?,
        definitions_shown: definitions.len(),
        definitions,
        definitions_total: targets.len(),
        shown: callers.len(),
        callers,
        total,
        other_uses,
        uses_shown: lists_uses.then_some(uses.len()),
        uses_total: lists_uses.then_some(others_total),
        uses,
        implementations,
        text_uses,
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

/// Returns the first `max` other uses, and how many there are; of one role, those of each definition first.
fn listed_uses(
    catalog: &Catalog,
    uses: Vec<(usize, Use)>,
    places: &[usize],
    max: usize,
    of_role: bool,
) -> Result<(Vec<(usize, Use)>, usize)> {
    let sorted = sorted(catalog, uses, places)?;
    let total = sorted.len();
    Ok(if of_role { (filled(sorted, max), total) } else { first(sorted, max) })
}

/// Returns the unresolved uses with the role that is listed. A bare name is no member of a type.
fn unresolved_values(
    catalog: &Catalog,
    targets: &[SymbolAt],
    found: Vec<NamedSite>,
    wanted: Wanted,
) -> Vec<NamedSite> {
    let linker = Linker::new(catalog);
    let is_member = |at: &SymbolAt| {
        linker.file(at.file).is_some_and(|facts| role::is_member(&facts, at.place as usize))
    };
    let are_members = targets.iter().all(is_member);
    let is_possible = |it: &NamedSite| {
        let used = &it.site.reference;
        wanted.selects(used.role, false) && (used.receiver.is_some() || !are_members)
    };
    found.into_iter().filter(is_possible).collect()
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
