//! `callers`: the calls of a definition, and its other uses.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::known::Known;
use super::lookup::{self, NameQuery, Within};
use super::{
    Call, Define, Location, Reply, Toolset, counted, cut_notice, first, paths, results_max,
};
use crate::answer::definition::{Around, Definition};
use crate::answer::style::Style;
use crate::answer::texts::Texts;
use crate::base::text;
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::graph::calls::{self, Caller as Use, Uses};
use crate::graph::link::{CONFIDENCE_ANSWER, SymbolAt};
use crate::lang::facts::Role;

/// The default number of callers in a reply.
const RESULTS: usize = 30;

/// The maximum number of definitions that are listed even if none of their callers is.
const DEFINITIONS_MAX: usize = 20;

/// The notice for a name with more uses than are examined.
pub(super) const CUT: &str = "the name has more uses than are examined; callers may be missing";

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Callers;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The definition: `name`, `Type.method`, `module::function`, or the id of an earlier reply
    pub name: String,
    /// The file or directory of the definition, or a glob, if several have the name
    pub path: Option<String>,
    /// Maximum number of callers (default 30)
    pub max_results: Option<usize>,
    /// Also list other uses: as a value, as a type, in imports
    #[serde(default)]
    pub uses: bool,
}

/// A definition with the name.
#[derive(Clone, Debug, Serialize)]
pub struct Target {
    /// The definition.
    #[serde(flatten)]
    pub definition: Definition,
    /// Its number of calls.
    pub callers: usize,
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
    pub coverage: Known,
    /// The definitions with the name: the first ones, and those that are used.
    pub definitions: Vec<Target>,
    /// How many are listed.
    pub definitions_shown: usize,
    /// How many definitions have the name.
    pub definitions_total: usize,
    /// The calls, ordered by definition, then the tree's own sources first, then by path and line.
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
    /// The number of possible calls with a confidence below 0.5, which are not listed.
    pub unsure: usize,
    /// The name has more uses than are examined, so callers may be missing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

impl Define for Callers {
    const NAME: &'static str = "codedb_callers";
    const SUMMARY: &'static str =
        "List the calls of a function, method or type, resolved by scope, imports and receivers";
    const DETAILS: &'static str = "If several definitions have the name, calls are grouped by definition; `path` selects \
         one. Calls through reflection and from other repositories are not found.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("search", "for every occurrence of a word")];
    const TOOLSET: Toolset = Toolset::Core;
    const EXAMPLES: &'static [&'static str] = &[r#"{"name": "Price::of"}"#];
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
        let catalog = call.code.catalog(NameQuery::Name(name).required_text().as_slice())?;
        let targets = lookup::code(catalog, name, within.as_ref(), given)?;
        let found = calls::uses_of(catalog, &targets, 0.0);
        answer(catalog, &targets, found, results_max(args.max_results, RESULTS), args.uses)
    }
}

fn answer(
    catalog: &Catalog,
    targets: &[SymbolAt],
    found: Uses,
    max: usize,
    lists_uses: bool,
) -> Result<CallersReply> {
    let Uses { uses, is_cut, .. } = found;
    let mut callers = Vec::new();
    let mut others = Vec::new();
    let mut other_uses = BTreeMap::new();
    let mut counts = vec![0; targets.len()];
    let mut unsure = 0;
    for (of, found) in uses {
        let role = found.site.reference.role;
        let is_call = role == Role::Call;
        if found.confidence < CONFIDENCE_ANSWER {
            unsure += usize::from(is_call);
        } else if is_call {
            counts[of] += 1;
            callers.push((of, found));
        } else {
            *other_uses.entry(role).or_insert(0) += 1;
            others.push((of, found));
        }
    }
    let (callers, total) = first(sorted(catalog, callers)?, max);
    let (others, others_total) = match lists_uses {
        true => first(sorted(catalog, others)?, max),
        false => (Vec::new(), 0),
    };
    // If there are many definitions, those with listed uses are shown, and the first of the others.
    let mut listed: Vec<usize> = (0..targets.len().min(DEFINITIONS_MAX)).collect();
    listed.extend(callers.iter().chain(&others).map(|(of, _)| *of));
    listed.sort_unstable();
    listed.dedup();
    let (mut texts, mut definitions) = (Texts::new(catalog), Vec::new());
    for &of in &listed {
        let definition = Definition::of(catalog, &mut texts, targets[of])?;
        let definition = definition.map(Definition::without_doc);
        definitions.extend(definition.map(|definition| Target { definition, callers: counts[of] }));
    }
    let place = |of: usize| listed.binary_search(&of).ok().filter(|_| targets.len() > 1);
    let mut entries = |uses: Vec<(usize, Use)>| -> Vec<Caller> {
        uses.iter()
            .map(|(of, found)| caller_entry(catalog, &mut texts, found, place(*of)))
            .collect()
    };
    let (callers, uses) = (entries(callers), entries(others));
    Ok(CallersReply {
        coverage: Known::of(catalog),
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
        unsure,
        is_cut,
    })
}

/// Returns uses ordered by definition, then the tree's own sources first; otherwise in the order of
/// files.
fn sorted(catalog: &Catalog, uses: Vec<(usize, Use)>) -> Result<Vec<(usize, Use)>> {
    let mut keyed = Vec::with_capacity(uses.len());
    for (of, found) in uses {
        let summary = catalog.summary(found.site.file)?.unwrap_or_default();
        keyed.push(((of, summary.marks.rank()), found));
    }
    keyed.sort_by_key(|(key, _)| *key);
    Ok(keyed.into_iter().map(|((of, _), found)| (of, found)).collect())
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
        for (place, Target { definition, callers }) in self.definitions.iter().enumerate() {
            let _ = writeln!(out, "{}  {}", definition.head(style), counted(*callers, "caller"));
            for caller in self.callers.iter().chain(&self.uses) {
                if caller.of.is_none_or(|of| of == place) {
                    caller.render(&mut out, &definition.name, style);
                }
            }
        }
        if !self.other_uses.is_empty() {
            let of_role = |(role, count): (&Role, &usize)| format!("{count} {}", words(*role));
            let counts: Vec<String> = self.other_uses.iter().map(of_role).collect();
            let _ = writeln!(out, "other uses: {}", counts.join(", "));
        }
        out
    }

    const HAS_LOCATIONS: bool = true;

    fn locations(&self) -> Vec<Location> {
        let location = |caller: &Caller| Location {
            path: caller.path.clone(),
            line: caller.line,
            column: caller.column,
            text: caller.text.clone(),
        };
        self.callers.iter().chain(&self.uses).map(location).collect()
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        let mut notices = cut_notice(self.shown, self.total, "max_results");
        if let (Some(shown), Some(total)) = (self.uses_shown, self.uses_total)
            && shown < total
        {
            notices.push(format!("{shown} of {total} other uses shown"));
        }
        if self.definitions_total > 1 {
            let count = self.definitions_total;
            notices.push(format!("{count} definitions have this name; `path` selects one"));
        }
        if self.definitions_shown < self.definitions_total {
            let (shown, total) = (self.definitions_shown, self.definitions_total);
            notices.push(format!("{shown} of {total} definitions listed"));
        }
        if self.unsure > 0 {
            notices.push(format!(
                "{} (unresolved receiver), not listed",
                counted(self.unsure, "more possible call")
            ));
        }
        if self.is_cut {
            notices.push(CUT.to_owned());
        }
        notices.extend(self.coverage.notice());
        notices
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
        let _ = write!(out, "  {code}  ({}, {:.2}", self.reason, self.confidence);
        let _ = match self.role {
            Some(role) => writeln!(out, ", {})", words(role)),
            None => writeln!(out, ")"),
        };
    }
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
