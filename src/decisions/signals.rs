//! Signals: what recurs in the code and the commits of a repository, with counts and references.
//!
//! Everything is deterministic. A signal that is strong and explains itself has a proposal, which
//! becomes a candidate without a model; the others are evidence for one. Texts of the repository are
//! data from strangers: names are shortened and shown without control characters.
//!
//! What people wrote precedes what recurs: [`written`] finds rules in documents ([`prose`], [`sentence`]), [`adr`] records of
//! decisions, [`bans`] what linters forbid, [`demands`] what settings require, [`checks`] what CI checks, [`artifacts`] what files show,
//! [`sync`] files that belong together ([`mentions`]), [`commands`] and [`configured`] the tools of the repository.
//! [`texts`] reads their files.
//!
//! [`observe`] reads one file of code, [`code`] finds conventions of code, [`layout`] those of files and
//! tests, [`alternatives`] which of several common ways ([`ways`]) a repository takes, [`wrappers`] its own functions for common ones, [`commits`] conventions
//! of commits, replacements and reasons.

pub mod adr;
pub mod alternatives;
pub mod artifacts;
pub mod bans;
pub mod checks;
pub mod code;
pub mod commands;
pub mod commits;
pub mod configured;
pub mod demands;
pub mod layout;
pub mod mentions;
pub mod observe;
pub mod prose;
pub mod sentence;
pub mod sync;
pub mod texts;
pub mod ways;
pub mod wrappers;
pub mod written;

use std::cmp::Reverse;

use rayon::prelude::*;

use crate::base::ids::FileId;
use crate::base::text;
use crate::catalog::Catalog;
use crate::catalog::code::Code;
use crate::error::Result;
use crate::history::History;
use crate::history::git::Git;
use crate::userdata::decisions::{Confidence, Proposal, Scope, SourceRef};
use observe::Observed;
use texts::Texts;

/// The most files that are examined.
const FILES_MAX: usize = 50_000;

/// The most references of a signal.
pub const REFERENCES: usize = 4;

/// The most proposals of one run: a person reads each of them.
const PROPOSALS_MAX: usize = 20;

/// The maximum length of a name from the repository in bytes.
const NAME_BYTES_MAX: usize = 80;

/// Languages of texts and data, whose files are no code.
const NO_CODE: &[&str] = &["markdown", "json", "yaml", "toml", "html", "css", "scss"];

/// What a signal is about.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Kind {
    /// Rules of documents.
    Written,
    /// Records of architecture decisions.
    Records,
    /// What linters forbid by name.
    Bans,
    /// What settings require.
    Demands,
    /// What continuous integration checks.
    Checks,
    /// Files that comments ask to change together.
    Sync,
    /// The first lines of files.
    Beginnings,
    /// Imports and their names.
    Imports,
    /// Which of several ways is taken.
    Alternatives,
    /// Base classes and names of classes.
    Classes,
    /// Exceptions.
    Errors,
    /// Decorators.
    Decorators,
    /// Annotations of types, and documentation.
    Documentation,
    /// Names of files.
    Files,
    /// Where and how tests are written.
    Tests,
    /// Tools that check the code.
    Tools,
    /// Subjects and contents of commits.
    Commits,
    /// What replaced what.
    Replacements,
    /// What was reverted.
    Reverts,
    /// Files that are corrected often.
    Corrections,
}

/// One observation with its evidence.
#[derive(Clone, Debug)]
pub struct Signal {
    /// Where it holds.
    pub scope: Scope,
    /// What it is about.
    pub kind: Kind,
    /// The observation with its counts, on one line.
    pub text: String,
    /// What shows it.
    pub source_refs: Vec<SourceRef>,
    /// The candidate, if the signal needs no model.
    pub proposal: Option<Proposal>,
}

/// What is read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The most commits.
    pub commits_max: usize,
    /// Only commits since then, in seconds since 1970.
    pub since_s: Option<i64>,
}

/// The signals of a repository, and what was not examined.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// The signals, by scope and kind.
    pub signals: Vec<Signal>,
    /// The number of files that were examined.
    pub files: usize,
    /// The number of source files that were not: beyond the limit, or without facts.
    pub files_left: usize,
    /// The number of commits that were examined.
    pub commits: usize,
    /// The number of commits that were not, because of the limits.
    pub commits_left: usize,
    /// Why there are no commits, if so.
    pub without_commits: Option<String>,
    /// Strong signals beyond the limit of proposals of one run.
    pub proposals_left: usize,
}

/// Collects the signals. `progress` is called with the name of a step, and how much of it is done.
///
/// # Errors
///
/// If the tree cannot be read.
pub fn collect(
    code: &dyn Code,
    history: Option<&History>,
    git: Option<&Git>,
    options: &Options,
    progress: &(dyn Fn(&str, usize, usize) + Sync),
) -> Result<Collected> {
    let catalog = code.catalog(&[])?;
    let mut collected = Collected::default();
    let sources = sources(catalog)?;
    collected.files_left = sources.len().saturating_sub(FILES_MAX);
    let total = sources.len().min(FILES_MAX);
    let done = std::sync::atomic::AtomicUsize::new(0);
    let observed: Vec<Option<Observed>> = sources[..total]
        .par_iter()
        .map(|&file| {
            let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if done.is_multiple_of(256) {
                progress("files", done, total);
            }
            observe::observe(catalog, file)
        })
        .collect();
    let files: Vec<Observed> = observed.into_iter().flatten().collect();
    collected.files = files.len();
    collected.files_left += total - files.len();
    progress("files", total, total);
    let mut signals = Vec::new();
    let texts = Texts::new(code)?;
    let workflows = checks::workflows(&texts);
    written::find(&texts, &mut signals);
    adr::find(&texts, &mut signals);
    bans::find(&texts, &mut signals);
    demands::find(&texts, &mut signals);
    checks::find(&workflows, &mut signals);
    artifacts::find(&texts, &files, &workflows, &mut signals);
    sync::find(&texts, &files, &mut signals);
    commands::find(&texts, &workflows, &mut signals);
    configured::find(&texts, &mut signals);
    code::find(&files, &mut signals);
    alternatives::find(&files, &mut signals);
    wrappers::find(catalog, &files, &mut signals);
    layout::find(&files, &mut signals);
    match (history, git) {
        (Some(history), Some(git)) => {
            let messages = commits::read(history, git, options, progress, &mut collected);
            commits::find(catalog, history, &messages, &mut signals);
            commits::explain(&messages, &mut signals);
        }
        _ => collected.without_commits = Some("the repository has no commits".to_owned()),
    }
    without_repeated(&mut signals);
    // The surest proposals are kept, and those of people before those of settings.
    let sure = |it: &Signal| it.proposal.as_ref().map(|of| (of.confidence, Reverse(it.kind)));
    let mut order: Vec<usize> = (0..signals.len()).collect();
    order.sort_by_key(|&at| Reverse(sure(&signals[at])));
    let proposed = order.iter().filter(|&&at| signals[at].proposal.is_some());
    for &at in proposed.collect::<Vec<_>>().into_iter().skip(PROPOSALS_MAX) {
        signals[at].proposal = None;
        collected.proposals_left += 1;
    }
    signals.sort_by(|a, b| (&a.scope, a.kind).cmp(&(&b.scope, b.kind)));
    collected.signals = signals;
    Ok(collected)
}

/// Removes the proposals that say what another one says: those that begin alike, and those of tools whose
/// command a rule that people wrote names.
fn without_repeated(signals: &mut [Signal]) {
    const ALIKE_BYTES: usize = 24;
    let pattern = |it: &Signal| it.proposal.as_ref().map(|it| it.pattern.clone());
    let mut kept: Vec<(Kind, String, String)> = Vec::new();
    for signal in signals {
        let Some(own) = pattern(signal) else { continue };
        let is_tool = signal.kind == Kind::Tools;
        let command = own.split('`').nth(1).filter(|_| is_tool);
        let is_repeated = kept.iter().any(|(kind, known, why)| {
            let is_alike = *kind != signal.kind
                && text::start(known, ALIKE_BYTES) == text::start(&own, ALIKE_BYTES);
            let names = |it: &str| {
                let is_written = *kind == Kind::Written && known.contains(&format!("`{it}`"));
                let is_word = |text: &str| {
                    let mut words = text.split([' ', '`', ';', ':']);
                    words.any(|word| word.trim_matches([',', '.']) == it)
                };
                // A command that is proposed runs this tool.
                is_written || *kind == Kind::Tools && (is_word(why) || is_word(known))
            };
            let log = "Describe a change";
            let is_log = own.starts_with(log)
                && (known.starts_with(log) || known.to_lowercase().contains("changelog"));
            *known == own || is_alike || is_log || command.is_some_and(names)
        });
        if is_repeated {
            signal.proposal = None;
        } else {
            let why = signal.proposal.as_ref().map(|it| it.rationale.clone());
            kept.push((signal.kind, own, why.unwrap_or_default()));
        }
    }
}

/// Returns the files of code, without those that people did not write here, and without examples.
fn sources(catalog: &Catalog) -> Result<Vec<FileId>> {
    let mut found = Vec::new();
    for at in 0..catalog.files().len() {
        let file = FileId::new(at);
        let Some(summary) = catalog.summary(file)? else { continue };
        let marks = summary.marks;
        let is_code = summary.language.is_some_and(|it| !NO_CODE.contains(&it.name));
        let is_own = !marks.generated && !marks.vendored && !marks.minified;
        let is_copy = || texts::is_copy(&String::from_utf8_lossy(catalog.path(file)));
        // Tests of scripts consist of calls, without definitions.
        let has_code = summary.symbols > 0 || marks.test;
        if is_code && has_code && is_own && !is_copy() {
            found.push(file);
        }
    }
    Ok(found)
}

/// Returns a name of the repository as it is shown.
pub fn name(given: &str) -> String {
    text::plain(text::start(given, NAME_BYTES_MAX)).replace('`', "'")
}

/// Returns the name of a language as people write it.
pub fn shown(language: &str) -> String {
    match language {
        "cpp" => "C++".to_owned(),
        "csharp" => "C#".to_owned(),
        "javascript" => "JavaScript".to_owned(),
        "typescript" => "TypeScript".to_owned(),
        "php" | "sql" | "tsx" | "hcl" => language.to_uppercase(),
        _ => {
            let (first, rest) = language.split_at(language.len().min(1));
            first.to_uppercase() + rest
        }
    }
}

/// Returns `97 of 101 files`.
pub fn share(part: usize, of: usize, what: &str) -> String {
    format!("{part} of {of} {what}")
}

/// Returns true if `part` is at least `percent` of `of`.
pub fn is_share(part: usize, of: usize, percent: usize) -> bool {
    of > 0 && part * 100 >= percent * of
}

/// Returns the scope of files: the deepest directory that contains at least 95 % of them, else the
/// language.
pub fn scope_of<'a>(paths: impl Iterator<Item = &'a str>, language: &str) -> Scope {
    let paths: Vec<&str> = paths.collect();
    let mut best = String::new();
    loop {
        let mut counts: std::collections::BTreeMap<&str, usize> = Default::default();
        for path in &paths {
            if let Some(rest) = path.strip_prefix(best.as_str())
                && let Some((dir, _)) = rest.split_once('/')
            {
                *counts.entry(dir).or_default() += 1;
            }
        }
        let most = counts.into_iter().max_by_key(|&(_, count)| count);
        match most {
            Some((dir, count)) if is_share(count, paths.len(), 95) => {
                best = format!("{best}{dir}/");
            }
            _ => break,
        }
    }
    let is_plain = best.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/_-.".contains(&byte));
    if best.is_empty() || !is_plain {
        return Scope::Language(language.to_lowercase());
    }
    Scope::Path(format!("{best}**"))
}

/// Runs `rule` on all files; without a proposal, on those of each top directory as well, whose
/// conventions can differ: examples are not written like the library.
pub fn by_top<'a>(
    files: &[&'a Observed],
    signals: &mut Vec<Signal>,
    rule: &dyn Fn(&[&'a Observed], &mut Vec<Signal>),
) {
    let mut whole = Vec::new();
    rule(files, &mut whole);
    let mut tops: std::collections::BTreeMap<&str, Vec<&'a Observed>> = Default::default();
    for &file in files {
        tops.entry(file.path.split_once('/').map_or("", |(top, _)| top)).or_default().push(file);
    }
    if whole.iter().any(|it| it.proposal.is_some()) || tops.len() < 2 {
        signals.append(&mut whole);
        return;
    }
    let mut parts = Vec::new();
    // A corner of the repository shows no convention of the whole.
    let is_part =
        |of_top: &[&Observed]| of_top.len() >= 10 && is_share(of_top.len(), files.len(), 10);
    for (top, of_top) in tops {
        if !top.is_empty() && is_part(&of_top) {
            rule(&of_top, &mut parts);
        }
    }
    // What no part shows is at least evidence as a whole.
    let found = if parts.iter().any(|it: &Signal| it.proposal.is_some()) { parts } else { whole };
    signals.extend(found);
}

/// A proposal in the making.
pub struct Draft<'a> {
    /// Where it holds.
    pub scope: Scope,
    /// What it is about.
    pub kind: Kind,
    /// What is done; see [`Proposal`].
    pub pattern: String,
    /// Why, with the counts.
    pub rationale: String,
    /// How certain it is.
    pub confidence: Confidence,
    /// What shows it.
    pub source_refs: Vec<SourceRef>,
    /// Words that tasks use for it.
    pub keywords: &'a [&'a str],
}

impl Draft<'_> {
    /// Returns the signal without a proposal: who opens any file beside sees it, so that it says something only
    /// together with others.
    pub fn evidence(self) -> Signal {
        Signal { proposal: None, ..self.signal() }
    }

    /// Returns the signal with its proposal.
    pub fn signal(self) -> Signal {
        let text = format!("{}: {}", self.pattern, self.rationale);
        let source_refs: Vec<SourceRef> = self.source_refs.into_iter().take(REFERENCES).collect();
        let proposal = Proposal {
            pattern: self.pattern,
            scope: self.scope.clone(),
            rationale: self.rationale,
            confidence: self.confidence,
            source_refs: source_refs.clone(),
            keywords: self.keywords.iter().map(|&it| it.to_owned()).collect(),
        };
        // A text that is too long for a record is still evidence.
        let proposal = proposal.checked().ok();
        Signal { scope: self.scope, kind: self.kind, text, source_refs, proposal }
    }
}
