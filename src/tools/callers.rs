//! `callers`: where a definition is called, and how else it is used.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::known::Known;
use super::lookup::{self, Wanted, Within};
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

/// Callers of a reply unless the caller says otherwise.
const RESULTS: usize = 30;

/// Definitions that are listed beside those that have callers.
const DEFINITIONS_MAX: usize = 20;

/// What is said of a name with more uses than are looked at.
pub(super) const CUT: &str = "the name has more uses than are looked at, so callers may be missing";

/// See [`Define`].
#[derive(Debug)]
pub struct Callers;

/// What is asked.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// The definition: `name`, `Type.method`, `module::function`, or the id of an earlier reply
    pub name: String,
    /// The file or folder of the definition, or a glob of it, where several have the name
    pub path: Option<String>,
    /// Callers at most (default 30)
    pub max_results: Option<usize>,
    /// List the uses that are no calls, too: passed on, as a type, imported
    #[serde(default)]
    pub uses: bool,
}

/// A definition of the name.
#[derive(Clone, Debug, Serialize)]
pub struct Target {
    /// The definition.
    #[serde(flatten)]
    pub definition: Definition,
    /// How many calls of it there are.
    pub callers: usize,
}

/// A place where a definition is used.
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
    /// The function, or else the definition, around it.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub enclosing: Option<Around>,
    /// How sure it is that the definition is meant, from 0 to 1.
    pub confidence: f32,
    /// Why that is believed.
    pub reason: &'static str,
    /// How it is used, if that is no call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Where there are several definitions: the place of the one that is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
}

/// What is answered.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// Whether all files are known.
    #[serde(flatten)]
    pub coverage: Known,
    /// What has the name: the first, and those that are spoken of.
    pub definitions: Vec<Target>,
    /// How many are listed.
    pub definitions_shown: usize,
    /// How many have it.
    pub definitions_total: usize,
    /// Calls, by definition, then those of the tree's own sources first, then by path and line.
    pub callers: Vec<Caller>,
    /// How many are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// How often the definitions are used otherwise.
    pub other_uses: BTreeMap<Role, usize>,
    /// Those uses, if they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<Caller>,
    /// How many of them are listed, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses_shown: Option<usize>,
    /// How many of them there are, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses_total: Option<usize>,
    /// Calls that may be meant, but less likely than not; they are not listed.
    pub unsure: usize,
    /// The name has more uses than are looked at, so there may be more callers.
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
    type Reply = Found;

    fn run(call: &Call<'_>, args: Args) -> Result<Found> {
        if args.name.trim().is_empty() {
            return Err(Error::usage("`name` is empty").with_hint("{tool:find} finds files"));
        }
        let name = args.name.trim();
        let given = args.path.as_deref();
        let within = given.map(|path| Within::named(call, path)).transpose()?;
        let catalog = call.code.catalog(Wanted::Name(name).about().as_slice())?;
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
) -> Result<Found> {
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
    // Of many definitions those that are spoken of are listed, and the first of the others.
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
    let mut told = |uses: Vec<(usize, Use)>| -> Vec<Caller> {
        uses.iter().map(|(of, found)| tell(catalog, &mut texts, found, place(*of))).collect()
    };
    let (callers, uses) = (told(callers), told(others));
    Ok(Found {
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

/// Returns uses by what they mean, then those of the tree's own sources first; otherwise they stay
/// in the order of files.
fn sorted(catalog: &Catalog, uses: Vec<(usize, Use)>) -> Result<Vec<(usize, Use)>> {
    let mut keyed = Vec::with_capacity(uses.len());
    for (of, found) in uses {
        let summary = catalog.summary(found.site.file)?.unwrap_or_default();
        keyed.push(((of, summary.marks.rank()), found));
    }
    keyed.sort_by_key(|(key, _)| *key);
    Ok(keyed.into_iter().map(|((of, _), found)| (of, found)).collect())
}

fn tell(catalog: &Catalog, texts: &mut Texts<'_>, found: &Use, of: Option<usize>) -> Caller {
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

/// Returns a confidence with two digits.
pub(super) fn rounded(confidence: f32) -> f32 {
    (confidence * 100.0).round() / 100.0
}

impl Reply for Found {
    /// For each definition a line, then a line for each of its callers.
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
            notices.push(format!("{count} definitions have this name; `path` picks one"));
        }
        if self.definitions_shown < self.definitions_total {
            let (shown, total) = (self.definitions_shown, self.definitions_total);
            notices.push(format!("{shown} of {total} definitions listed"));
        }
        if self.unsure > 0 {
            notices
                .push(format!("{} more may mean it, but need not", counted(self.unsure, "call")));
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
        Role::Read => "passed on or read",
        Role::Write => "assigned to",
        Role::Import => "as an import",
    }
}
