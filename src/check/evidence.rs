//! The evidence on files: commits, co-change, incidents, dependents, tests. It answers the queries of
//! the baseline and those of an investigation.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::baseline::{Authors, Partner, Signals};
use super::change::{Change, ChangeKind, ChangedFile};
use super::incidents::{self, Incident, Source};
use super::investigate::{CommitEntry, IncidentEntry, Owner, State, ToolCall, ToolResult, Tools};
use super::paths::{KnownPath, Rename, Renames};
use super::score::{self, Features};
use crate::base::ids::FileId;
use crate::base::path::{self, shown};
use crate::base::{text, time};
use crate::catalog::Catalog;
use crate::catalog::code::Code;
use crate::error::Result;
use crate::history::blames::rules_hash;
use crate::history::corrections::{Correction, FixKey};
use crate::history::{Activity, CommitId, Coupling, History, Rules};
use crate::lang::{language, marks};
use crate::source::secret;
use crate::userdata::incidents::Incident as Recorded;

/// The maximum number of dependents that are counted.
const DEPENDENTS_MAX: usize = 1000;

/// The maximum number of partners of a file.
const PARTNERS_MAX: usize = 20;

/// The maximum number of incidents of a reply.
const INCIDENTS_MAX: usize = 20;

/// The maximum number of commits of a reply.
const COMMITS_MAX: usize = 50;

/// The maximum size of a patch of a reply, in bytes.
const PATCH_BYTES_MAX: usize = 8 << 10;

/// The number of counted commits below which a file has no main author.
const OWNED_COMMITS_MIN: u32 = 5;

/// The number of files below which a percentile among them has no meaning.
const COMPARED_MIN: usize = 20;

/// The seconds of a day.
const DAY_S: i64 = 86_400;

/// The evidence on the files of a tree.
pub struct Evidence<'a> {
    code: &'a dyn Code,
    catalog: &'a Catalog,
    history: Option<Arc<History>>,
    activity: Option<Arc<Activity>>,
    coupling: OnceLock<Option<Arc<Coupling>>>,
    churn: OnceLock<Vec<f64>>,
    fixes: OnceLock<Vec<f64>>,
    ranks: OnceLock<Vec<f32>>,
    recorded: Vec<Recorded>,
    renames: Vec<Rename>,
    changed: BTreeSet<Vec<u8>>,
    why_no_history: String,
    /// See [`rules_hash`].
    rules: u64,
    /// See [`Change::own`].
    own: BTreeSet<CommitId>,
}

impl std::fmt::Debug for Evidence<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Evidence({} changed files)", self.changed.len())
    }
}

impl<'a> Evidence<'a> {
    /// Returns the evidence for a change. `why_no_history` is the reason why there is no `history`.
    ///
    /// # Errors
    ///
    /// If the tree or the user data cannot be read.
    pub fn new(
        code: &'a dyn Code,
        history: Option<Arc<History>>,
        rules: &Rules,
        why_no_history: &str,
        change: &Change,
    ) -> Result<Evidence<'a>> {
        let recorded = code.user_data()?.map_or_else(|| Ok(Vec::new()), |data| data.incidents())?;
        let activity = history.as_ref().map(|history| history.activity(rules));
        let hash = |history: &Arc<History>| rules_hash(code.root(), history, rules);
        let rules_of_blame = history.as_ref().map_or(0, hash);
        let mut changed: BTreeSet<Vec<u8>> = BTreeSet::new();
        for file in &change.files {
            changed.insert(file.path.clone());
            changed.extend(file.source.clone());
        }
        Ok(Evidence {
            code,
            catalog: code.catalog(&[])?,
            history,
            activity,
            coupling: OnceLock::new(),
            churn: OnceLock::new(),
            fixes: OnceLock::new(),
            ranks: OnceLock::new(),
            recorded,
            renames: change.renames(),
            changed,
            why_no_history: why_no_history.to_owned(),
            rules: rules_of_blame,
            own: change.own.clone(),
        })
    }

    /// Returns the reason why there is no history; what is missing is then not known.
    pub fn why_no_history(&self) -> &str {
        if self.is_shallow() {
            "the clone is shallow, older commits are missing"
        } else if self.history.is_some() {
            "no commit that counts changed it"
        } else {
            &self.why_no_history
        }
    }

    /// Returns true if the clone is shallow: a file without commits may have some that are missing.
    pub fn is_shallow(&self) -> bool {
        self.history.as_ref().is_some_and(|history| history.log().origin().shallow != 0)
    }

    /// Returns true if commits are known.
    pub fn has_history(&self) -> bool {
        self.history.is_some()
    }

    /// Returns the paths of files, each with its former ones. O(log).
    pub fn paths(&self, files: &[Vec<u8>]) -> Vec<Vec<KnownPath>> {
        match &self.history {
            Some(history) => Renames::new(history.log()).resolve_all(files, &self.renames),
            None => files
                .iter()
                .map(|path| {
                    let method = super::paths::Method::Exact;
                    vec![KnownPath { path: path.clone(), method }]
                })
                .collect(),
        }
    }

    /// Returns the path that commits have: that before a rename, unless the rename is committed.
    fn committed<'p>(&'p self, file: &'p [u8]) -> &'p [u8] {
        let is_known = |history: &Arc<History>| history.changes_to(file).next().is_some();
        if self.history.as_ref().is_some_and(is_known) {
            return file;
        }
        let renamed = self.renames.iter().find(|it| it.path == file);
        renamed.map_or(file, |it| &it.source)
    }

    fn coupling(&self) -> Option<&Arc<Coupling>> {
        let make = || {
            let rules = self.activity.as_ref()?.rules().clone();
            Some(self.history.as_ref()?.coupling(&rules))
        };
        self.coupling.get_or_init(make).as_ref()
    }

    /// Returns the decayed commits of the files of the tree, ascending.
    fn churn(&self) -> &[f64] {
        self.churn.get_or_init(|| {
            let Some(activity) = &self.activity else { return Vec::new() };
            let files = self.catalog.files();
            let weights = files.iter().filter_map(|(path, _)| Some(activity.file(path)?.weight));
            let mut weights: Vec<f64> = weights.collect();
            weights.sort_unstable_by(f64::total_cmp);
            weights
        })
    }

    /// Returns the decayed corrections of the files of the tree, ascending.
    fn fixes(&self) -> &[f64] {
        self.fixes.get_or_init(|| {
            let Some(activity) = &self.activity else { return Vec::new() };
            let files = self.catalog.files();
            let fixes = files.iter().filter_map(|(path, _)| Some(activity.file(path)?.fix_weight));
            let mut fixes: Vec<f64> = fixes.collect();
            fixes.sort_unstable_by(f64::total_cmp);
            fixes
        })
    }

    /// Returns the centrality of the sources of the tree, ascending.
    fn ranks(&self) -> &[f32] {
        self.ranks.get_or_init(|| {
            let all = self.catalog.file_rank();
            let files = self.catalog.files().iter().zip(all);
            let own = files.filter(|((path, _), _)| marks::is_own_source(path));
            let mut ranks: Vec<f32> = own.map(|(_, rank)| *rank).collect();
            ranks.sort_unstable_by(f32::total_cmp);
            ranks
        })
    }

    /// Returns the percentile of a source by its importers; `None` if there are too few sources.
    fn central(&self, file: FileId) -> Option<f64> {
        let ranks = self.ranks();
        let own = *self.catalog.file_rank().get(file.index())?;
        let lower = ranks.partition_point(|other| *other < own);
        (ranks.len() >= COMPARED_MIN).then(|| lower as f64 / ranks.len() as f64)
    }

    fn file_id(&self, path: &[u8]) -> Option<FileId> {
        self.catalog.files().find(path).map(FileId::new)
    }

    fn is_test(&self, file: FileId) -> bool {
        let known = self.catalog.marks_if_indexed(file).ok().flatten();
        known.map_or_else(|| marks::of_path(self.catalog.path(file)).test, |marks| marks.test)
    }

    /// Returns true if the file is a test, or is not written by people: generated, vendored or
    /// minified.
    pub fn is_secondary(&self, path: &[u8]) -> bool {
        let marks = self.file_id(path).and_then(|file| self.catalog.marks(file).ok());
        let marks = marks.unwrap_or_else(|| marks::of_path(path));
        marks.test || marks.ranks_last()
    }

    /// Returns true if the file is a test, or data of tests.
    pub fn is_test_path(&self, path: &[u8]) -> bool {
        let file = self.file_id(path);
        file.map_or_else(|| marks::of_path(path).test, |file| self.is_test(file))
    }

    /// Returns the signals of a file. O(files + partners + dependents).
    pub fn signals(&self, file: &ChangedFile, partners_min: (f64, u32)) -> Signals {
        let committed = self.committed(&file.path);
        let of_file = self.activity.as_ref().and_then(|activity| activity.file(committed));
        let has_commits = of_file.is_some_and(|it| it.commits + it.bot_commits > 0);
        let is_code = language::of_name(path::split(&file.path).1).is_some_and(|it| it.is_code());
        let id = self.file_id(&file.path).filter(|_| is_code);
        let is_secondary = self.is_secondary(&file.path);
        let tests = id.filter(|_| !is_secondary).map(|id| self.tests(id));
        let commits = of_file.filter(|_| has_commits);
        let incidents = commits.map(|_| self.incidents(&file.path, 180));
        let is_revert = |it: &&Incident| it.source == Source::Revert;
        Signals {
            is_new: self.history.is_some() && !has_commits && !self.is_shallow(),
            lines: (file.is_compared || file.kind == ChangeKind::Unchanged)
                .then_some(file.added + file.removed),
            blast_radius: id.map(|id| self.dependents(id).len()),
            central: id.and_then(|id| self.central(id)),
            reached: None,
            reverts: incidents.iter().flatten().filter(is_revert).count(),
            fixes: commits.filter(|_| self.fixes().len() >= COMPARED_MIN).map(|it| {
                let all = self.fixes();
                let lower = all.partition_point(|&other| other < it.fix_weight);
                lower as f64 / all.len() as f64
            }),
            partners: commits.and_then(|_| self.partners(committed, partners_min)),
            test_ratio: tests.as_ref().map(|(ratio, _)| *ratio),
            tests_changed: tests.is_some_and(|(_, files)| {
                files.iter().any(|&of| self.changed.contains(self.catalog.path(of)))
            }),
            churn_percentile: commits.filter(|_| self.churn().len() >= COMPARED_MIN).map(|it| {
                let all = self.churn();
                let at_most = all.partition_point(|&other| other <= it.weight);
                (at_most as f64 / all.len() as f64).min(1.0)
            }),
            has_few_files: commits.is_some() && self.churn().len() < COMPARED_MIN,
            incidents: incidents.as_ref().map(Vec::len),
            has_few_commits: commits.is_some_and(|it| it.commits < OWNED_COMMITS_MIN),
            authors: commits.filter(|it| it.commits >= OWNED_COMMITS_MIN).and_then(|it| {
                let main = it.people.iter().max_by(|a, b| {
                    a.commits.cmp(&b.commits).then(b.person.number().cmp(&a.person.number()))
                })?;
                let recent = it.people.iter().max_by(|a, b| {
                    let by_weight = a.recent_weight.total_cmp(&b.recent_weight);
                    by_weight.then(b.person.number().cmp(&a.person.number()))
                })?;
                let people = self.activity.as_ref()?.people();
                let name = |of| text::plain(&people.person(of).name);
                Some(Authors {
                    main: name(main.person),
                    main_commits: main.commits,
                    recent: name(recent.person),
                    has_changed: main.person != recent.person && main.recent_weight < 0.25,
                })
            }),
        }
    }

    /// Returns true for a file of code that is not secondary.
    pub fn is_own_source(&self, path: &[u8]) -> bool {
        marks::is_own_source(path) && !self.is_secondary(path)
    }

    /// Returns what the score needs to know about a change.
    pub fn features(&self, files: &[&ChangedFile]) -> Features {
        let files: Vec<&ChangedFile> =
            files.iter().copied().filter(|file| self.is_own_source(&file.path)).collect();
        let mut made = Features { files: files.len() as f64, ..Features::default() };
        let mut directories: BTreeSet<&[u8]> = BTreeSet::new();
        let mut lines: Vec<usize> = Vec::new();
        let mut new = 0.0;
        for file in &files {
            // Comments, moved lines and literals are no code that may have to be corrected.
            let is_mostly_code = 2.0 * file.edit.size() >= file.added as f64;
            made.added += if is_mostly_code { file.added as f64 } else { file.edit.size() };
            made.removed += file.removed as f64;
            lines.push(file.added + file.removed);
            directories.insert(path::split(&file.path).0);
            let committed = self.committed(&file.path);
            let Some(of_file) = self.activity.as_ref().and_then(|it| it.file(committed)) else {
                new += 1.0;
                continue;
            };
            made.churn = made.churn.max(of_file.weight);
            made.fixes = made.fixes.max(of_file.fix_weight);
            made.authors = made.authors.max(of_file.people.len() as f64);
        }
        made.directories = directories.len() as f64;
        made.entropy = score::entropy(&lines);
        made.new_files = new / (files.len().max(1) as f64);
        made
    }

    /// Returns the files that import a file, directly or through others, nearest first; at most 1,000.
    fn dependents(&self, file: FileId) -> Vec<FileId> {
        let graph = self.catalog.import_graph();
        let mut seen: BTreeSet<FileId> = BTreeSet::from([file]);
        let mut found = vec![file];
        let mut at = 0;
        while at < found.len() && found.len() <= DEPENDENTS_MAX {
            for edge in graph.importers(found[at]) {
                if seen.insert(edge.from) {
                    found.push(edge.from);
                }
            }
            at += 1;
        }
        found.remove(0);
        found.truncate(DEPENDENTS_MAX);
        found
    }

    /// Returns the bytes of tests per byte of a file, and the test files: those that import it or are
    /// named after it, and tests inside of it.
    fn tests(&self, file: FileId) -> (f64, Vec<FileId>) {
        let importers = self.catalog.import_graph().importers(file).map(|edge| edge.from);
        let stem = crate::history::likely::stem(self.catalog.path(file));
        let folded = crate::catalog::test_names::folded(&stem);
        let named = self.catalog.test_names().of(&folded).iter().copied();
        let mut tests: Vec<FileId> =
            importers.chain(named).filter(|&test| test != file && self.is_test(test)).collect();
        tests.sort_unstable();
        tests.dedup();
        let files = self.catalog.files();
        let size = |at: FileId| files.info(at.index()).size_bytes as f64;
        let mut bytes = tests.iter().map(|&test| size(test)).fold(0.0, |sum, size| sum + size);
        if let Ok(Some(facts)) = self.catalog.facts(file) {
            // Rust's convention for tests inside of a source file.
            let inner = facts.symbols.iter().filter(|symbol| symbol.name == "tests");
            bytes = inner.fold(bytes, |sum, symbol| sum + symbol.span.len() as f64);
        }
        (bytes / size(file).max(1.0), tests)
    }

    fn partners(&self, committed: &[u8], (share, commits): (f64, u32)) -> Option<Vec<Partner>> {
        let (history, coupling) = (self.history.as_ref()?, self.coupling()?);
        let files = self.catalog.files();
        let mut found: Vec<Partner> = coupling
            .partners(history.log(), committed)
            .into_iter()
            .filter(|it| it.confidence >= share && it.together.support >= commits)
            .filter(|it| files.find(it.path).is_some() || self.changed.contains(it.path))
            .map(|it| Partner {
                path: shown(it.path),
                share: (it.confidence * 1000.0).round() / 1000.0,
                commits: it.together.support,
                in_change: self.changed.contains(it.path),
            })
            .collect();
        found.sort_by(|a, b| {
            let by_share = b.share.total_cmp(&a.share);
            by_share.then(b.commits.cmp(&a.commits)).then_with(|| a.path.cmp(&b.path))
        });
        found.truncate(PARTNERS_MAX);
        Some(found)
    }

    /// Returns the incidents of a file in the days before HEAD's commit, newest first.
    fn incidents(&self, file: &[u8], days: u64) -> Vec<Incident> {
        let days = i64::try_from(days).unwrap_or(i64::MAX);
        let head_s = self.history.as_ref().map_or(i64::MAX, |history| history.log().head_s());
        let since_s = head_s.saturating_sub(days.saturating_mul(DAY_S));
        let paths: Vec<String> = if self.recorded.is_empty() {
            Vec::new()
        } else {
            let all = self.paths(&[file.to_vec()]);
            all.iter().flatten().map(|known| shown(&known.path)).collect()
        };
        let history = self.history.as_deref().zip(self.activity.as_deref());
        let committed = self.committed(file);
        let all = incidents::of_file(history, committed, &self.recorded, &paths, since_s);
        let is_own = |it: &Incident| {
            CommitId::parse(it.id.as_bytes()).is_some_and(|id| self.own.contains(&id))
        };
        all.into_iter().filter(|it| !is_own(it)).collect()
    }

    fn owners(&self, file: &[u8]) -> ToolResult {
        let Some(activity) = &self.activity else {
            return ToolResult::Unavailable(self.why_no_history.clone());
        };
        let Some(of_file) = activity.file(self.committed(file)) else {
            return ToolResult::Unavailable("no commit that counts changed it".to_owned());
        };
        let mut people = of_file.people.clone();
        people.sort_by(|a, b| {
            let by_commits = b.commits.cmp(&a.commits);
            by_commits.then(b.last_s.cmp(&a.last_s)).then(a.person.number().cmp(&b.person.number()))
        });
        let owner = |share: &crate::history::activity::Share| Owner {
            author: text::plain(&activity.people().person(share.person).name),
            commits: share.commits,
            last: date(share.last_s),
        };
        ToolResult::Owners(people.iter().take(3).map(owner).collect())
    }

    fn incident_history(&self, file: &[u8], days: u64) -> ToolResult {
        if self.history.is_none() && self.recorded.is_empty() {
            return ToolResult::Unavailable(self.why_no_history.clone());
        }
        let mut entries: Vec<IncidentEntry> = self
            .incidents(file, days)
            .into_iter()
            .take(INCIDENTS_MAX)
            .map(|it| IncidentEntry {
                source: it.source,
                id: it.id,
                date: date(it.at_s),
                title: it.title,
                severity: it.severity,
                confidence: it.confidence,
                introduced_by: None,
                introduced_by_confidence: None,
            })
            .collect();
        // Blame takes long: only the newest correction is traced back.
        if let Some(entry) = entries.iter_mut().find(|it| it.source == Source::Fix)
            && let Some(suspect) = self.suspect(file, &entry.id)
        {
            entry.introduced_by = Some(suspect.commit.to_string());
            entry.introduced_by_confidence = Some((suspect.confidence * 100.0).round() / 100.0);
        }
        ToolResult::Incidents(entries)
    }

    /// Returns the commit that most likely introduced what a fix corrected in a file. The first call for
    /// a fix runs git, later ones read what is kept.
    fn suspect(&self, file: &[u8], fix: &str) -> Option<incidents::Suspect> {
        let fix = CommitId::parse(fix.as_bytes())?;
        let paths: Vec<Vec<u8>> =
            self.paths(&[file.to_vec()]).into_iter().flatten().map(|it| it.path).collect();
        let key = FixKey { fix, rules: self.rules, paths: &paths };
        let versions = self.code.versions();
        let kept = versions.and_then(|versions| versions.correction(file, &key));
        let correction = match kept {
            Some(kept) => kept,
            None => {
                let found = self.correction(fix, &paths)?;
                if let Some(versions) = versions {
                    versions.keep_correction(file, &key, &found);
                }
                found
            }
        };
        incidents::suspects(&correction.blamed, &correction.named).into_iter().next()
    }

    /// Returns which commits wrote the lines that a fix removed from the file with these paths.
    fn correction(&self, fix: CommitId, paths: &[Vec<u8>]) -> Option<Correction> {
        let git = self.code.git()?;
        let patches = git.patches(&[fix], paths).ok()?;
        let patch = patches.first()?.files.iter().find(|it| paths.contains(&it.target))?;
        let ranges: Vec<(usize, usize)> = patch
            .hunks
            .iter()
            .filter(|hunk| hunk.source_lines > 0)
            .map(|hunk| (hunk.source_line, hunk.source_lines))
            .take(50)
            .collect();
        let parent = git.commit(&format!("{fix}^")).ok()??;
        let parent = CommitId::parse(parent.as_bytes())?;
        let blamed = git.blame_lines(parent, &patch.source, &ranges).ok()?;
        let message = git.messages_of(&[fix]).ok()?;
        Some(Correction {
            blamed: blamed.iter().map(|it| (it.commit, it.lines)).collect(),
            named: message.iter().flat_map(|(_, text)| incidents::named_commits(text)).collect(),
        })
    }

    fn blast_radius(&self, file: &[u8]) -> ToolResult {
        let Some(id) = self.file_id(file) else {
            return ToolResult::Unavailable("the file is not in the tree".to_owned());
        };
        let graph = self.catalog.import_graph();
        let mut importers: Vec<FileId> =
            graph.importers(id).map(|edge| edge.from).filter(|&from| from != id).collect();
        importers.sort_unstable();
        importers.dedup();
        let all = self.dependents(id);
        let tests = all.iter().filter(|&&of| self.is_test(of)).count();
        ToolResult::BlastRadius {
            direct: importers.len(),
            all: all.len(),
            tests,
            importers: importers.iter().take(10).map(|&of| shown(self.catalog.path(of))).collect(),
        }
    }

    fn patch(&self, state: &State, file: &[u8], commit: &str) -> ToolResult {
        let unavailable = |why: String| ToolResult::Unavailable(why);
        let Some(git) = self.code.git() else {
            return unavailable(self.why_no_history.clone());
        };
        let id = match git.commit(commit) {
            Ok(Some(id)) => id,
            Ok(None) => return unavailable("the name denotes no commit".to_owned()),
            Err(error) => return unavailable(error.to_string()),
        };
        let Some(id) = CommitId::parse(id.as_bytes()) else {
            return unavailable("the name denotes no commit".to_owned());
        };
        let paths: Vec<Vec<u8>> =
            self.paths(&[file.to_vec()]).into_iter().flatten().map(|it| it.path).collect();
        let (secret, paths): (Vec<_>, Vec<_>) =
            paths.into_iter().partition(|path| secret::is_secret(path));
        if paths.is_empty() {
            let names: Vec<String> = secret.iter().map(|path| shown(path)).collect();
            return unavailable(format!("{} is never shown: it may be a secret", names.join(", ")));
        }
        let patch = match git.patch_text(id, &paths) {
            Ok(patch) => patch,
            Err(error) => return unavailable(error.to_string()),
        };
        let patch = String::from_utf8_lossy(&secret::masked_patch(&patch)).into_owned();
        let added: BTreeSet<&str> = patch
            .lines()
            .filter(|line| !line.starts_with("+++"))
            .filter_map(|line| line.strip_prefix('+'))
            .map(str::trim)
            .collect();
        let undone =
            state.removed_lines.iter().filter(|line| added.contains(line.as_str())).count();
        ToolResult::Patch {
            commit: id.to_string(),
            patch: text::start(&patch, PATCH_BYTES_MAX).to_owned(),
            undone_lines: undone,
        }
    }

    fn recent_commits(&self, file: &[u8], limit: usize) -> ToolResult {
        let Some((history, activity)) = self.history.as_ref().zip(self.activity.as_ref()) else {
            return ToolResult::Unavailable(self.why_no_history.clone());
        };
        let log = history.log();
        let entry = |commit: crate::history::Commit<'_>| CommitEntry {
            commit: commit.id().to_string(),
            date: date(commit.committed_s()),
            author: text::plain(
                &activity.people().person(activity.people().of(commit.author())).name,
            ),
            subject: text::plain(commit.subject()),
        };
        let ids = history.changes_to(self.committed(file));
        let ids =
            ids.filter(|commit| !self.own.contains(&commit.id())).take(limit.min(COMMITS_MAX));
        let ids: Vec<usize> = ids.map(|commit| commit.at()).collect();
        ToolResult::Commits(ids.into_iter().map(|at| entry(log.commit(at))).collect())
    }
}

impl Tools for Evidence<'_> {
    fn result(&self, state: &State, call: &ToolCall) -> ToolResult {
        let file = state.file.as_bytes();
        match call {
            ToolCall::QueryOwnership => self.owners(file),
            ToolCall::QueryCochangePartners { threshold } => {
                let threshold = if threshold.is_finite() { threshold.clamp(0.0, 1.0) } else { 0.5 };
                match self.partners(self.committed(file), (threshold, 1)) {
                    Some(partners) => ToolResult::Partners(partners),
                    None => ToolResult::Unavailable(self.why_no_history.clone()),
                }
            }
            ToolCall::QueryIncidentHistory { days } => self.incident_history(file, *days),
            ToolCall::QueryBlastRadius => self.blast_radius(file),
            ToolCall::GetCommitPatch { commit } => self.patch(state, file, commit),
            ToolCall::QueryRecentCommits { limit } => self.recent_commits(file, *limit),
            ToolCall::FinishInvestigation { .. } => {
                ToolResult::Unavailable("the investigation is over".to_owned())
            }
        }
    }
}

/// Returns a time as `2026-01-31`.
fn date(seconds: i64) -> String {
    let mut time = time::format(seconds.saturating_mul(1_000_000_000));
    time.truncate(10);
    time
}
