//! Evidence for files: looks up the names, paths, frames and words of a task in the catalog, the
//! text index and the history.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::form_words::is_form_word;
use super::known_words;
use super::purpose::is_aside_name;
use super::task::{Mention, MentionKind, Task};
use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::SymbolAt;
use crate::history::{Decay, FileHit, History, Parameters};
use crate::index::text::{self, Overlay, Query, Term, rank};
use crate::lang::prose::{Stems, is_stop_word};
use crate::lang::words::{identifiers, parts, push_folded};
use crate::rank::{Evidence, Signal, TaskKind, Weights};

/// Files taken from the text index.
const TEXT_FILES: usize = 300;

/// Chunks taken from the text index.
const CHUNKS: usize = 400;

/// Files that define a name, above which the name is ignored as too common.
const DEFINERS_MAX: usize = 200;

/// Files that contain a name, above which the name is ignored as too common.
const USERS_MAX: usize = 300;

/// Components of a path or a qualified name that are examined.
const PARTS_MAX: usize = 12;

/// Files with the name of a directory module ([`FOLDER_FILES`]) that are compared with a qualified
/// name.
const FOLDER_FILES_MAX: usize = 2_000;

/// Stems of files that represent their directory as a module.
const FOLDER_FILES: [&str; 4] = ["__init__", "index", "lib", "mod"];

/// Files that a path in a task may match, above which it is ignored.
const PATHS_MAX: usize = 200;

/// Files below a directory that a task names, above which the directory is ignored.
const BELOW_MAX: usize = 1_000;

/// Minimum number of terms of a question for which related words are searched. A bare name has none:
/// it is spelled in the sources.
const RELATED_TERMS_MIN: usize = 4;

/// Files that define a capitalised word of the prose, up to which it is looked up as a name.
const CAPITALISED_FILES_MAX: usize = 3;

/// Files taken from the commit log.
const COMMITS_FILES: usize = 400;

/// A run of lines that matches the words of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// Their file.
    pub file: FileId,
    /// The lines, from 1.
    pub lines: Range<usize>,
    /// Relevance; the best chunk has 1.
    pub score: f32,
}

/// Runs of a quoted text that are searched, and words of each.
const RUNS_MAX: usize = 4;
const RUN_WORDS_MAX: usize = 8;

/// Files that are read for a quoted text, and bytes of each.
const LITERAL_FILES_MAX: usize = 48;
const LITERAL_BYTES_MAX: usize = 4 << 20;

/// Minimum length of a plain word that is looked up as a name, and maximum number of files that
/// define it.
const NAMED_LETTERS_MIN: usize = 4;
const NAMED_FILES_MAX: usize = 8;

/// What precedes the first word of a sentence, of a line or of a list's entry.
const SENTENCE_STARTS: [char; 10] = ['.', '!', '?', ':', ')', '\n', '-', '*', '"', '\''];

/// Minimum length of a capitalised word that is looked up as a name.
const CAPITALISED_LETTERS_MIN: usize = 3;

/// The evidence found for a task.
#[derive(Debug, Default)]
pub struct TaskEvidence {
    /// Evidence by file.
    pub files: BTreeMap<FileId, Evidence>,
    /// Definitions of the mentioned names, in order of mention, without duplicates.
    pub definitions: Vec<SymbolAt>,
    /// Those of the definitions whose names occur in quoted code only.
    pub in_code: BTreeSet<SymbolAt>,
    /// Chunks from the text index, best first.
    pub chunks: Vec<Chunk>,
    /// The query that was sent to the text index.
    pub query: Query,
    /// The terms that were searched, with related stems if the task is a question, each with its boost
    /// times its inverse document frequency. Empty without a text index.
    pub terms: Vec<(Term, f32)>,
    /// Indexes of mentions without any match.
    pub unmatched: Vec<usize>,
}

/// The sources in which a task is looked up.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// Files, definitions and uses.
    pub catalog: &'a Catalog,
    /// The text index, if there is one.
    pub text: Option<&'a Overlay>,
    /// The commit log, if the tree is in a repository and its log is indexed.
    pub history: Option<&'a History>,
}

/// Returns the evidence for each file. The text index and the history are optional. A text index
/// that turns out to be damaged is marked so and counts as missing.
/// O(postings + definitions + files).
///
/// # Errors
///
/// [`crate::Kind::Corrupt`] if the code index is damaged.
pub fn gather(sources: Sources<'_>, task: &Task, weights: &Weights) -> Result<TaskEvidence> {
    let catalog = sources.catalog;
    let query = query(task, weights);
    let text = || {
        let Some(text) = sources.text else { return TextHits::default() };
        let is_long = query.terms.len() >= RELATED_TERMS_MIN;
        let is_related =
            task.kind() == TaskKind::Question && is_long && known_words::are_most(catalog, &query);
        let related = if is_related { query.with_related() } else { None };
        TextHits::new(text, related.as_ref().unwrap_or(&query), weights).unwrap_or_else(|error| {
            log::debug!("ranking without the text index: {error}");
            text.base().note_damage();
            TextHits::default()
        })
    };
    let rest = || -> Result<(TaskEvidence, Vec<FileHit<'_>>)> {
        let is_there = |path: &[u8]| catalog.find(path).is_some();
        let hits = sources.history.map(|of| of.rank(&query, &Parameters::DEFAULT, is_there));
        Ok((TaskEvidence::mentioned(catalog, task)?, hits.unwrap_or_default()))
    };
    let (text, rest) = rayon::join(text, rest);
    let (mut found, hits) = rest?;
    found.text(catalog, text);
    if let Some(history) = sources.history {
        found.commits(catalog, history, hits);
    }
    found.folders(catalog, task);
    found.query = query;
    Ok(found)
}

/// Returns the weight of a mention: higher if marked or repeated, lower in quoted code.
fn emphasis(mention: &Mention) -> f32 {
    let marked = if mention.is_marked { 1.3 } else { 1.0 };
    let repeated = 1.0 + 0.1 * (mention.count.min(6) - 1) as f32;
    marked * repeated * if mention.is_in_code { 0.6 } else { 1.0 }
}

/// Results of the text index for the words of a task.
#[derive(Debug, Default)]
struct TextHits {
    files: Vec<text::FileHit>,
    chunks: Vec<text::Hit>,
    /// See [`TaskEvidence::terms`].
    terms: Vec<(Term, f32)>,
}

impl TaskEvidence {
    /// Looks up the mentions of the task, and its plain words as names of files and definitions.
    fn mentioned(catalog: &Catalog, task: &Task) -> Result<TaskEvidence> {
        let mut found = TaskEvidence::default();
        let frames = task.of_kind(MentionKind::Frame).count();
        let mut frame = 0;
        for (place, mention) in task.mentions.iter().enumerate() {
            let is_found = match mention.kind {
                MentionKind::Identifier => {
                    found.identifier(catalog, mention, &mention.text, &[])?
                }
                MentionKind::Qualified => found.qualified(catalog, mention)?,
                MentionKind::Path => found.path(catalog, mention)?,
                MentionKind::Glob => found.glob(catalog, mention),
                MentionKind::Frame => {
                    frame += 1;
                    found.frame(catalog, mention, frame, frames)
                }
                MentionKind::Literal => found.literal(catalog, mention)?,
            };
            if !is_found {
                found.unmatched.push(place);
            }
        }
        found.capitalised(catalog, task)?;
        found.stems(catalog, task);
        found.named(catalog, task)?;
        Ok(found)
    }

    fn add(&mut self, file: FileId, signal: Signal, value: f32, about: Option<&str>) {
        self.files.entry(file).or_default().add(signal, value, about);
    }

    /// Looks up a name. If some definitions are in a file or scope named by the last of the
    /// qualifiers `around`, only these count.
    fn identifier(
        &mut self,
        catalog: &Catalog,
        mention: &Mention,
        name: &str,
        around: &[&str],
    ) -> Result<bool> {
        let defined = catalog.defined(name.as_bytes())?;
        let mut fitting: Vec<SymbolAt> = Vec::new();
        if !around.is_empty() {
            for &at in defined.iter().take(DEFINERS_MAX * 4) {
                let Some(symbol) = catalog.symbol(at)? else { continue };
                let path = String::from_utf8_lossy(catalog.path(at.file));
                let path = path.rsplit_once('.').map_or(&*path, |(stem, _)| stem);
                let own = path.split('/').chain(symbol.qualified_name.split(['.', ':', '#']));
                let own: BTreeSet<&str> = own.collect();
                if around.last().is_some_and(|last| own.contains(last)) {
                    fitting.push(at);
                }
            }
        }
        let chosen: &[SymbolAt] = if fitting.is_empty() { &defined } else { &fitting };
        let files: BTreeSet<FileId> = chosen.iter().map(|at| at.file).collect();
        if !files.is_empty() && files.len() <= DEFINERS_MAX {
            let share = emphasis(mention) / (files.len() as f32).sqrt();
            for &file in &files {
                self.add(file, Signal::Defines, share, Some(name));
            }
            for &at in chosen {
                if !self.definitions.contains(&at) && self.definitions.len() < DEFINERS_MAX {
                    self.definitions.push(at);
                    if mention.is_in_code {
                        self.in_code.insert(at);
                    }
                } else if !mention.is_in_code {
                    self.in_code.remove(&at);
                }
            }
        }
        let users = catalog.word(name)?;
        if !users.is_empty() && users.len() <= USERS_MAX {
            let share = emphasis(mention) / (users.len() as f32).sqrt();
            for word in &users {
                self.add(word.file, Signal::Uses, share, Some(name));
            }
        }
        Ok(!defined.is_empty() || !users.is_empty())
    }

    /// Looks up a qualified name: its last component as a name, and its prefix as the path of a
    /// module.
    fn qualified(&mut self, catalog: &Catalog, mention: &Mention) -> Result<bool> {
        let names: Vec<&str> =
            mention.text.split(['.', ':', '#']).filter(|part| !part.is_empty()).collect();
        let Some((last, around)) = names.split_last() else { return Ok(false) };
        let around: Vec<&str> = around
            .iter()
            .copied()
            .filter(|part| !matches!(*part, "self" | "this" | "crate" | "super"))
            .collect();
        let mut is_found = self.identifier(catalog, mention, last, &around)?;
        // A new member of a known type: the type.
        if let Some((container, outer)) = around.split_last()
            && container.starts_with(char::is_uppercase)
            && !has_member(catalog, container, last)?
        {
            is_found |= self.identifier(catalog, mention, container, outer)?;
        }
        // `package.module.Type.method`: the longest prefix that is a file.
        for end in (2..=names.len().min(PARTS_MAX)).rev() {
            let files = self.modules(catalog, &names[..end]);
            if files.is_empty() || files.len() > PATHS_MAX {
                continue;
            }
            let share = 0.7 * emphasis(mention) / (files.len() as f32).sqrt();
            for file in files {
                self.add(file, Signal::Path, share, Some(&mention.text));
            }
            is_found = true;
            break;
        }
        Ok(is_found)
    }

    /// Returns the files whose path without extension ends with `names`.
    fn modules(&self, catalog: &Catalog, names: &[&str]) -> Vec<FileId> {
        let wanted = names.join("/");
        let file_names = catalog.file_names();
        let last = names.last().map(|name| file_names.with_stem(name.as_bytes()));
        // Most of these belong to other directories; examining a large number is not worth the
        // time.
        let heads = FOLDER_FILES.iter().map(|stem| file_names.with_stem(stem.as_bytes()));
        let heads = heads.filter(|files| files.len() <= FOLDER_FILES_MAX);
        let is_module = |file: &FileId| {
            let (folder, name) = path::split(catalog.path(*file));
            let stem = name.split(|&byte| byte == b'.').next().unwrap_or_default();
            let is_folder = FOLDER_FILES.iter().any(|name| name.as_bytes() == stem);
            let stem = if is_folder { folder.to_vec() } else { path::join(folder, stem) };
            ends_with(&stem, wanted.as_bytes())
        };
        let files = last.into_iter().chain(heads).flatten().copied().filter(is_module);
        let files: BTreeSet<FileId> = files.collect();
        files.into_iter().collect()
    }

    fn path(&mut self, catalog: &Catalog, mention: &Mention) -> Result<bool> {
        let wanted = mention.text.trim_matches('/').as_bytes();
        if wanted.is_empty() {
            return Ok(false);
        }
        let files: Vec<FileId> = ending_with(catalog, wanted);
        if !files.is_empty() {
            let share = emphasis(mention) / (files.len() as f32).sqrt();
            for &file in &files {
                self.add(file, Signal::Path, share, Some(&mention.text));
            }
            return Ok(true);
        }
        // A directory, possibly given without its parents.
        let all = catalog.files();
        let direct = all.below(wanted);
        let below: Vec<FileId> = if direct.is_empty() {
            let folders = catalog.file_names().folders(wanted);
            let below: BTreeSet<usize> = folders.flat_map(|folder| all.below(folder)).collect();
            below.into_iter().map(FileId::new).collect()
        } else {
            direct.map(FileId::new).collect()
        };
        if below.is_empty() || below.len() > BELOW_MAX {
            return Ok(!below.is_empty());
        }
        let share = 0.5 * emphasis(mention) / (below.len() as f32).sqrt();
        for file in below {
            self.add(file, Signal::Path, share, Some(&mention.text));
        }
        Ok(true)
    }

    fn glob(&mut self, catalog: &Catalog, mention: &Mention) -> bool {
        let Ok(glob) = crate::base::glob::compile(&mention.text, true) else { return false };
        let all = catalog.files();
        let fits = |at: &usize| glob.is_match(path::to_path(all.path(*at)));
        let files: Vec<FileId> = (0..all.len()).filter(fits).map(FileId::new).collect();
        let share = 0.5 * emphasis(mention) / (files.len().max(1) as f32).sqrt();
        for &file in &files {
            self.add(file, Signal::Path, share, Some(&mention.text));
        }
        !files.is_empty()
    }

    /// Looks up frame `at` (from 1) of `count`. Frames at either end of a trace have the highest
    /// weight.
    fn frame(&mut self, catalog: &Catalog, mention: &Mention, at: usize, count: usize) -> bool {
        // Absolute paths of other machines match by suffix.
        let parts: Vec<&str> = mention.text.split('/').filter(|part| !part.is_empty()).collect();
        for start in parts.len().saturating_sub(PARTS_MAX)..parts.len() {
            let wanted = parts[start..].join("/");
            let files = ending_with(catalog, wanted.as_bytes());
            if files.is_empty() || files.len() > 8 {
                continue;
            }
            let from_end = at.min(count + 1 - at).max(1) as f32;
            let share = 1.0 / from_end.sqrt() / (files.len() as f32).sqrt();
            for file in files {
                self.add(file, Signal::Stack, share, None);
            }
            return true;
        }
        false
    }

    /// Finds files whose names consist of words of the task.
    fn stems(&mut self, catalog: &Catalog, task: &Task) {
        let names = catalog.file_names();
        let mut stems = Stems::default();
        let mut folded = String::new();
        let mut weights: BTreeMap<String, f32> = BTreeMap::new();
        for (text, worth) in [(&task.title, 1.0_f32), (&task.prose, 0.4)] {
            for span in identifiers(text.as_bytes()) {
                for part in parts(&text[span]) {
                    folded.clear();
                    push_folded(&mut folded, part);
                    if folded.len() > 2 && !is_stop_word(&folded) {
                        let have = weights.entry(stems.stem(&folded).to_owned()).or_insert(worth);
                        *have = have.max(worth);
                    }
                }
            }
        }
        let mut worths: BTreeMap<u32, f32> = BTreeMap::new();
        for (word, worth) in weights {
            for &stem in names.with_word(&word) {
                *worths.entry(stem).or_default() += worth;
            }
        }
        for (stem, worth) in worths {
            let stem = names.stem(stem);
            if stem.files.len() <= PATHS_MAX {
                let share = worth / stem.words as f32 / (stem.files.len() as f32).sqrt();
                for &file in &stem.files {
                    self.add(file, Signal::Stem, share, None);
                }
            }
        }
    }

    /// Adds the files changed by commits with matching subjects, and how recently and how often by
    /// the newest commits the files with evidence changed.
    fn commits(&mut self, catalog: &Catalog, history: &History, hits: Vec<FileHit<'_>>) {
        for hit in hits.into_iter().take(COMMITS_FILES) {
            let Some(file) = catalog.find(hit.path) else { continue };
            let commits = hit.commits.to_string();
            self.add(file, Signal::Commits, hit.score as f32, Some(&commits));
        }
        for (&file, evidence) in &mut self.files {
            let recency = history.recency(catalog.path(file), Decay::DEFAULT);
            evidence.add(Signal::Recent, recency as f32, None);
        }
        for (path, share) in history.active() {
            let evidence = catalog.find(path).and_then(|file| self.files.get_mut(&file));
            if let Some(evidence) = evidence {
                evidence.add(Signal::Active, share as f32, None);
            }
        }
    }

    /// Finds directories named by the title around files with evidence. The value decreases with
    /// the number of files in directories of that name.
    fn folders(&mut self, catalog: &Catalog, task: &Task) {
        let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'));
        let words =
            task.title.split(is_end).map(|word| word.trim_matches(['-', '_']).to_lowercase());
        let words: BTreeSet<String> = words
            .filter(|word| is_folder_word(word) && (!is_stop_word(word) || is_aside_name(word)))
            .collect();
        let scope = task.scope().to_lowercase();
        let in_scope: BTreeSet<&str> =
            scope.split(is_end).filter(|word| !word.is_empty()).collect();
        let all = (catalog.files().len().max(2) as f32).ln();
        let names = catalog.file_names();
        let (mut last, mut named) = (&b""[..], Vec::new());
        for (&file, evidence) in &mut self.files {
            let folder = path::split(catalog.path(file)).0;
            if folder != last {
                let parts = folder.split(|&byte| byte == b'/').map(std::str::from_utf8);
                named.clear();
                named.extend(parts.flatten().filter(|name| words.contains(&name.to_lowercase())));
                last = folder;
            }
            for name in &named {
                let rarity = 1.0 - (names.below(name.as_bytes()).max(1) as f32).ln() / all;
                // What stands before the colon says where, whatever the number of files there.
                let is_scope = in_scope.contains(name.to_lowercase().as_str());
                let value = if is_scope { SCOPE_VALUE.max(rarity) } else { rarity };
                evidence.add(Signal::Folder, value, Some(name));
            }
        }
    }

    /// Looks up capitalised words inside of sentences that few files define, in this spelling: types such as `Router`,
    /// acronyms.
    fn capitalised(&mut self, catalog: &Catalog, task: &Task) -> Result<()> {
        let mut seen = BTreeSet::new();
        for (text, is_title) in [(&task.title, true), (&task.prose, false)] {
            for span in identifiers(text.as_bytes()) {
                let word = &text[span.clone()];
                let before = text[..span.start].trim_end_matches([' ', '\t']);
                let is_first = before.is_empty() || before.ends_with(SENTENCE_STARTS);
                if is_first
                    || word.len() < CAPITALISED_LETTERS_MIN
                    || !word.starts_with(char::is_uppercase)
                    || task.mentions.iter().any(|of| of.text == word)
                    || is_stop_word(&word.to_lowercase())
                    || !seen.insert(word)
                {
                    continue;
                }
                let defined = catalog.defined(word.as_bytes())?;
                let files: BTreeSet<FileId> = defined.iter().map(|at| at.file).collect();
                if (1..=CAPITALISED_FILES_MAX).contains(&files.len()) {
                    let mention = Mention {
                        text: word.to_owned(),
                        kind: MentionKind::Identifier,
                        line: None,
                        count: 1,
                        is_marked: false,
                        // Below the title, it counts as a name in quoted code does.
                        is_in_code: !is_title,
                    };
                    self.identifier(catalog, &mention, word, &[])?;
                }
            }
        }
        Ok(())
    }

    /// Finds definitions whose name is a plain word of the task.
    fn named(&mut self, catalog: &Catalog, task: &Task) -> Result<()> {
        let mut seen = BTreeSet::new();
        for (text, worth) in [(&task.title, 1.0), (&task.prose, 0.4)] {
            for span in identifiers(text.as_bytes()) {
                let word = &text[span];
                let is_mentioned = task.mentions.iter().any(|mention| mention.text == word);
                if word.len() < NAMED_LETTERS_MIN
                    || is_mentioned
                    || is_stop_word(&word.to_lowercase())
                    || !seen.insert(word)
                {
                    continue;
                }
                let defined = catalog.defined(word.as_bytes())?;
                let files: BTreeSet<FileId> = defined.iter().map(|at| at.file).collect();
                if files.len() > NAMED_FILES_MAX {
                    continue;
                }
                let share = worth / (files.len() as f32).sqrt();
                for file in files {
                    self.add(file, Signal::Named, share, Some(word));
                }
            }
        }
        Ok(())
    }

    /// Finds a quoted text. Numbers and quoted values vary, so each run between them is searched
    /// literally in the files that contain its rarest word.
    fn literal(&mut self, catalog: &Catalog, mention: &Mention) -> Result<bool> {
        let mut is_found = false;
        for run in runs(&mention.text).take(RUNS_MAX) {
            let mut holding: Vec<Vec<FileId>> = Vec::new();
            for span in identifiers(run.as_bytes()) {
                let word = &run[span];
                if word.len() > 2 && holding.len() < RUN_WORDS_MAX {
                    holding.push(catalog.word(word)?.iter().map(|found| found.file).collect());
                }
            }
            let Some(rarest) = holding.iter().min_by_key(|files| files.len()) else { continue };
            if rarest.is_empty() || rarest.len() > LITERAL_FILES_MAX {
                continue;
            }
            let holds = |file: &&FileId| {
                holding.iter().all(|files| files.binary_search(file).is_ok())
                    && catalog
                        .read(**file, LITERAL_BYTES_MAX)
                        .is_some_and(|text| memchr::memmem::find(&text, run.as_bytes()).is_some())
            };
            let files: Vec<FileId> = rarest.iter().filter(holds).copied().collect();
            let share = emphasis(mention) / (files.len() as f32).sqrt();
            for &file in &files {
                self.add(file, Signal::Says, share, Some(run));
            }
            is_found |= !files.is_empty();
        }
        Ok(is_found)
    }

    /// Adds the results of the text index.
    fn text(&mut self, catalog: &Catalog, worded: TextHits) {
        let TextHits { files, chunks, terms } = worded;
        self.terms = terms;
        let best = files.first().map_or(0.0, |hit| hit.score);
        if best <= 0.0 {
            return;
        }
        let most = files.iter().map(|hit| hit.covered).fold(f32::EPSILON, f32::max);
        let most_of =
            |value: fn(&text::FileHit) -> f32| files.iter().map(value).fold(f32::EPSILON, f32::max);
        let (whole, chunk) = (most_of(|hit| hit.whole), most_of(|hit| hit.best));
        let best_chunk = chunks.first().map_or(1.0, |chunk| chunk.score);
        for chunk in chunks {
            let file = catalog.find(&chunk.path);
            let score = chunk.score / best_chunk;
            self.chunks.extend(file.map(|file| Chunk { file, lines: chunk.lines, score }));
        }
        for hit in files {
            if let Some(file) = catalog.find(&hit.path) {
                self.add(file, Signal::Text, hit.score / best, None);
                self.add(file, Signal::Covers, hit.covered / most, None);
                self.add(file, Signal::Whole, hit.whole / whole, None);
                self.add(file, Signal::Chunk, hit.best / chunk, None);
            }
        }
    }
}

impl TextHits {
    /// Queries the text index. O(postings + documents).
    fn new(text: &Overlay, query: &Query, weights: &Weights) -> Result<TextHits> {
        let ranking = rank(text, query, &weights.bm25)?;
        let terms = query.terms.iter().cloned().zip(ranking.weights().iter().copied()).collect();
        let (files, chunks) = rayon::join(|| ranking.files(TEXT_FILES), || ranking.chunks(CHUNKS));
        Ok(TextHits { files: files?, chunks: chunks?, terms })
    }
}

/// Returns true if a definition `name` has `container` among its scopes.
fn has_member(catalog: &Catalog, container: &str, name: &str) -> Result<bool> {
    for &at in catalog.defined(name.as_bytes())?.iter().take(DEFINERS_MAX) {
        let scopes = catalog.symbol(at)?.map(|symbol| symbol.qualified_name.clone());
        if scopes.is_some_and(|of| of.split(['.', ':', '#']).any(|part| part == container)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The least value of a directory that the scope of a title names.
const SCOPE_VALUE: f32 = 0.8;

/// Returns true for a word that may name a directory: three bytes, or a version such as `v4`.
fn is_folder_word(word: &str) -> bool {
    let version = word.strip_prefix('v').unwrap_or_default();
    word.len() > 2 || !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the query for the text index, with terms from the title, the mentions, the prose and the
/// code, in this order.
pub fn query(task: &Task, weights: &Weights) -> Query {
    let worth = &weights.words;
    let mentioned: Vec<&str> = task
        .mentions
        .iter()
        .filter(|mention| mention.kind != MentionKind::Frame && !mention.is_in_code)
        .map(|mention| mention.text.as_str())
        .collect();
    let mut query = Query::parse_weighted(
        &[
            (&task.title, worth.title),
            (&mentioned.join("\n"), worth.mentioned),
            (&task.prose, worth.prose),
            (&task.code, worth.code),
        ],
        worth.k3,
    );
    query.terms.extend(joined(task, worth.title));
    let title = Query::parse(&task.title);
    for term in &mut query.terms {
        let is_subject = || title.terms.iter().any(|of| of.stem == term.stem);
        if is_form_word(&term.word) && !is_subject() {
            term.boost *= worth.form;
        }
        for (weight, field) in term.weights.iter_mut().zip(&weights.fields) {
            if *weight > 0.0 {
                *weight = *field;
            }
        }
    }
    query
}

/// Maximum number of words that may be the parts of one name.
const JOINED_WORDS_MAX: usize = 5;

/// Returns the term of the name that a short title spells in other words or in another case: the
/// names `parse_header` and `parseHeader` for `parse header`, `setStackTrace` for `setstacktrace`.
fn joined(task: &Task, boost: f32) -> Option<Term> {
    let words = task.title.split_whitespace();
    let is_short = words.clone().take(JOINED_WORDS_MAX + 1).count() <= JOINED_WORDS_MAX;
    if !is_short || !words.clone().all(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic())) {
        return None;
    }
    let name: String = words.map(str::to_ascii_lowercase).collect();
    (name.len() >= NAMED_LETTERS_MIN).then(|| Term { boost, ..Term::whole(&name) })
}

/// Returns the constant parts of a message, as they occur in the source: the runs of two or more
/// words between quoted values, numbers and placeholders.
fn runs(message: &str) -> impl Iterator<Item = &str> {
    let varies = |c: char| {
        matches!(c, '\'' | '"' | '`' | '<' | '>' | '{' | '}' | '%' | '\n') || c.is_ascii_digit()
    };
    let trimmed =
        message.split(varies).map(|run| run.trim_matches([' ', '.', ',', ':', ';', '(', ')']));
    trimmed.filter(|run| run.len() > 7 && run.contains(' '))
}

/// Returns true if `end` is a suffix of `path` at a component boundary.
fn ends_with(path: &[u8], end: &[u8]) -> bool {
    path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with(b"/"))
}

fn ending_with(catalog: &Catalog, end: &[u8]) -> Vec<FileId> {
    let named = catalog.file_names().named(path::split(end).1);
    named.iter().copied().filter(|&file| ends_with(catalog.path(file), end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_split_at_variable_parts() {
        let of = |message| runs(message).collect::<Vec<_>>();
        assert_eq!(of("no such column 'price' in the table"), ["no such column", "in the table"]);
        assert_eq!(of("it failed"), ["it failed"]);
        assert!(of("'a' 1 b").is_empty());
    }
}
