//! Why an expected file is not among the first: one cause for each, so that the next change of the
//! ranking starts from causes.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::baselines::WordCache;
use crate::base::ids::FileId;
use crate::base::path;
use crate::catalog::Catalog;
use crate::context::purpose::Requests;
use crate::context::ranking::{RankedFile, traits};
use crate::context::task::Task;
use crate::error::Result;
use crate::lang::facts::ImportKind;
use crate::lang::prose::{Stems, is_stop_word};
use crate::lang::words::{identifiers, parts, push_folded};
use crate::rank::{Evidence, Signal, Traits, Weights};

/// The number of files among which an expected file must be.
pub const FIRST: usize = 5;

/// Maximum length of a file that is searched for the words of a task.
const FILE_BYTES_MAX: usize = 1 << 20;

/// Minimum length of a word with content, of a name or of a component of a path.
const LETTERS_MIN: usize = 3;

/// Minimum length of a name that a task may write joined and in lower case.
const JOINED_LETTERS_MIN: usize = 6;

/// Files that define a name, above which the name decides nothing; files below a directory, up to which its
/// name does even if they are more than a tenth of the tree.
const FEW: usize = 8;

/// Words of a task with content that must be in the tree.
const WORDS_MIN: usize = 2;

/// Stems of files that stand for their directory.
const MODULE_STEMS: [&str; 6] = ["__init__", "index", "lib", "main", "mod", "package"];

/// Number of signals that are stated of the files above.
const SIGNALS_STATED: usize = 2;

/// Why a file is not among the first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub enum Cause {
    /// The task has a name that the file defines, a part of its path or the path of its module, but the
    /// file has no signal of that kind.
    #[serde(rename = "evidence unrecognised")]
    Unrecognised,
    /// Fewer than two words of the task with content occur in the tree, or each that does is in more than
    /// a third of its source files.
    #[serde(rename = "message says nothing")]
    SaysNothing,
    /// No word of the task, by its stem, is in the path, the definitions or the text of the file.
    #[serde(rename = "no lexical link")]
    NoLink,
    /// It would be among the first without the factor for its kind: tests, documents, data, generated
    /// files, declarations, examples.
    #[serde(rename = "kind of file")]
    Kind,
    /// It stands for its directory, only re-exports, or the task names its directory.
    #[serde(rename = "module")]
    Module,
    /// It has evidence, others have more.
    #[serde(rename = "outranked")]
    Outranked,
}

impl Cause {
    /// Every cause, in the order in which they are tried.
    pub const ALL: [Cause; 6] = [
        Cause::Unrecognised,
        Cause::SaysNothing,
        Cause::NoLink,
        Cause::Kind,
        Cause::Module,
        Cause::Outranked,
    ];

    /// Returns its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Cause::Unrecognised => "evidence unrecognised",
            Cause::SaysNothing => "message says nothing",
            Cause::NoLink => "no lexical link",
            Cause::Kind => "kind of file",
            Cause::Module => "module",
            Cause::Outranked => "outranked",
        }
    }
}

/// An expected file that is not among the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// Its path.
    pub file: String,
    /// Its rank, from 0; `None` if it has no evidence.
    pub rank: Option<usize>,
    /// The first cause that applies.
    pub cause: Cause,
    /// What was found: the evidence, the kind, or the signals of the files above.
    pub detail: String,
}

/// A ranking for a task, and what is needed to explain it.
#[derive(Debug)]
pub struct Ranking<'a> {
    /// The tree.
    pub catalog: &'a Catalog,
    /// The task as text and parsed.
    pub text: &'a str,
    /// See `text`.
    pub task: &'a Task,
    /// The files, best first.
    pub ranked: &'a [RankedFile],
    /// The weights before the choice of those for the task.
    pub weights: &'a Weights,
}

impl Ranking<'_> {
    /// Returns the cause of each of `files`, in this order. O(files of the tree) if there is any.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if an index is damaged.
    pub fn failures(&self, files: &[FileId], words: &mut WordCache) -> Result<Vec<Failure>> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let content = content(self.text);
        let table = words.tree(self.catalog, true)?;
        let says_nothing = says_nothing(&table.holding(&content), table.files());
        let failure = |&file: &FileId| {
            let (cause, detail) = self.cause(file, &content, says_nothing)?;
            let rank = self.ranked.iter().position(|of| of.file == file);
            Ok(Failure { file: self.path(file), rank, cause, detail })
        };
        files.iter().map(failure).collect()
    }

    fn path(&self, file: FileId) -> String {
        path::shown(self.catalog.path(file))
    }

    fn cause(
        &self,
        file: FileId,
        content: &BTreeSet<String>,
        says_nothing: bool,
    ) -> Result<(Cause, String)> {
        let none = Evidence::default();
        let of = self.ranked.iter().find(|of| of.file == file);
        let evidence = of.map_or(&none, |of| &of.evidence);
        if let Some(detail) = self.unrecognised(file, evidence)? {
            return Ok((Cause::Unrecognised, detail));
        }
        if says_nothing {
            return Ok((Cause::SaysNothing, String::new()));
        }
        if !self.is_linked(file, content) {
            return Ok((Cause::NoLink, String::new()));
        }
        if let Some(detail) = self.kind(file, evidence)? {
            return Ok((Cause::Kind, detail));
        }
        if let Some(detail) = self.module(file, evidence)? {
            return Ok((Cause::Module, detail));
        }
        Ok((Cause::Outranked, self.above(file)))
    }

    /// Returns exact evidence of the task for a file that has no signal for it.
    fn unrecognised(&self, file: FileId, evidence: &Evidence) -> Result<Option<String>> {
        let has = |signals: &[Signal]| signals.iter().any(|&signal| evidence.get(signal) > 0.0);
        if !has(&[Signal::Defines, Signal::Named])
            && let Some(name) = self.defined(file)?
        {
            return Ok(Some(format!("it defines `{name}`")));
        }
        if has(&[Signal::Path, Signal::Folder, Signal::Stem, Signal::Stack]) {
            return Ok(None);
        }
        let path = self.path(file);
        let components = components(&path);
        if let Some(module) = named_module(self.text, &components) {
            return Ok(Some(format!("`{module}` is a part of its path")));
        }
        let words = words(self.text);
        let all = self.catalog.files().len();
        let (folder, _) = path::split(self.catalog.path(file));
        let folders = folder.split(|&byte| byte == b'/').map(String::from_utf8_lossy);
        // A directory with many files decides nothing.
        let is_rare = |name: &str| {
            let is_folder = folders.clone().any(|folder| folder == name);
            let below = self.catalog.file_names().below(name.as_bytes()) as usize;
            !is_folder || below <= FEW || below * 10 <= all
        };
        let named = components.iter().find(|name| {
            name.len() >= LETTERS_MIN
                && !is_stop_word(&name.to_lowercase())
                && words.contains(&name.to_lowercase())
                && is_rare(name)
        });
        Ok(named.map(|name| format!("`{name}` is a part of its path")))
    }

    /// Returns a name of the task that few files define, this one among them.
    fn defined(&self, file: FileId) -> Result<Option<String>> {
        let Some(facts) = self.catalog.facts(file)? else { return Ok(None) };
        let names: BTreeSet<&str> =
            identifiers(self.text.as_bytes()).map(|span| &self.text[span]).collect();
        let lower = words(self.text);
        for symbol in &facts.symbols {
            let name = symbol.name.as_str();
            let is_written = name.len() >= LETTERS_MIN
                && names.contains(name)
                && !is_stop_word(&name.to_lowercase());
            let joined: String = parts(name).collect::<String>().to_lowercase();
            let is_joined = joined.len() >= JOINED_LETTERS_MIN
                && parts(name).nth(1).is_some()
                && lower.contains(&joined);
            if !is_written && !is_joined {
                continue;
            }
            let defined = self.catalog.defined(name.as_bytes())?;
            let files: BTreeSet<FileId> = defined.iter().map(|at| at.file).collect();
            if files.len() <= FEW {
                return Ok(Some(name.to_owned()));
            }
        }
        Ok(None)
    }

    /// Returns true if a word of the task is in the path or the text of a file, by its stem.
    fn is_linked(&self, file: FileId, content: &BTreeSet<String>) -> bool {
        let text = self.catalog.read(file, FILE_BYTES_MAX).unwrap_or_default();
        let path = self.catalog.path(file);
        // The text contains the definitions.
        let has = |bytes: &[u8]| {
            let own = stems_of(&String::from_utf8_lossy(bytes));
            !own.is_disjoint(content)
        };
        has(path) || has(&text)
    }

    /// Returns the kind of a file that would be among the first without the factor for it.
    fn kind(&self, file: FileId, evidence: &Evidence) -> Result<Option<String>> {
        let own = traits(self.catalog, file, Requests::of(self.task))?;
        let weights = self.weights.for_task(self.task.kind(), self.task.words());
        let prior = self.catalog.prior(file);
        let plain = Traits { is_code: true, ..Traits::default() };
        let (reduced, full) =
            (weights.score(evidence, own) * prior, weights.score(evidence, plain) * prior);
        if full <= reduced {
            return Ok(None);
        }
        let above = self.ranked.iter().filter(|of| of.file != file && of.score > full).count();
        let mut kinds: Vec<&str> = own.marks.names().collect();
        for (is, kind) in [
            (own.is_changelog, "changelog"),
            (!own.is_code && !own.is_changelog, "document or data"),
            (own.is_aside, "example or benchmark"),
        ] {
            kinds.extend(is.then_some(kind));
        }
        let detail = || format!("{}, {} without its factor", kinds.join(", "), above + 1);
        Ok((above < FIRST).then(detail))
    }

    /// Returns why a file stands for others.
    fn module(&self, file: FileId, evidence: &Evidence) -> Result<Option<String>> {
        let path = self.path(file);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let stem = name.split('.').next().unwrap_or(name);
        if MODULE_STEMS.contains(&stem) {
            return Ok(Some(format!("`{name}` stands for its directory")));
        }
        if let Some(facts) = self.catalog.facts(file)? {
            let exports =
                facts.imports.iter().filter(|import| import.kind == ImportKind::ReExport).count();
            if exports > 0 && exports >= facts.symbols.len() {
                return Ok(Some("it re-exports".to_owned()));
            }
        }
        let is_folder = |about: &str| {
            let about = about.trim_matches('/');
            format!("/{folder}/").contains(&format!("/{about}/"))
        };
        let mut named = [Signal::Folder, Signal::Path].into_iter();
        let named =
            named.find_map(|signal| evidence.about(signal).filter(|about| is_folder(about)));
        Ok(named.map(|about| format!("its directory is named: `{about}`")))
    }

    /// Returns the strongest signals of the files above.
    fn above(&self, file: FileId) -> String {
        let weights = self.weights.for_task(self.task.kind(), self.task.words());
        let mut sums: BTreeMap<&str, f32> = BTreeMap::new();
        for of in self.ranked.iter().take(FIRST).take_while(|of| of.file != file) {
            for signal in Signal::ALL {
                *sums.entry(signal.label()).or_default() +=
                    weights.contribution(&of.evidence, signal);
            }
        }
        let mut sums: Vec<(&str, f32)> = sums.into_iter().filter(|(_, sum)| *sum > 0.0).collect();
        sums.sort_by(|a, b| b.1.total_cmp(&a.1));
        let labels: Vec<&str> = sums.iter().take(SIGNALS_STATED).map(|(label, _)| *label).collect();
        let own = if self.ranked.iter().any(|of| of.file == file) { "" } else { "no signal; " };
        format!("{own}above: {}", labels.join(", "))
    }
}

/// Returns the first line of a task that is not empty.
pub fn title(text: &str) -> String {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

/// Returns true if the words of a task decide nothing: `holding` has the number of files with each.
fn says_nothing(holding: &[usize], files: usize) -> bool {
    let mut known = holding.iter().filter(|count| **count > 0).peekable();
    let count = known.clone().count();
    known.peek().is_none() || count < WORDS_MIN || known.all(|count| count * 3 > files)
}

/// Returns the stems of the words of a text with content, with identifiers split.
fn content(text: &str) -> BTreeSet<String> {
    let mut content = stems_of(text);
    content.retain(|word| word.len() >= LETTERS_MIN && word.chars().all(char::is_alphabetic));
    content
}

fn stems_of(text: &str) -> BTreeSet<String> {
    let mut stems = Stems::default();
    let mut folded = String::new();
    let mut found = BTreeSet::new();
    for span in identifiers(text.as_bytes()) {
        for part in parts(&text[span]) {
            folded.clear();
            push_folded(&mut folded, part);
            if !is_stop_word(&folded) {
                let stem = stems.stem(&folded);
                if !found.contains(stem) {
                    found.insert(stem.to_owned());
                }
            }
        }
    }
    found
}

/// Returns the words of a text in lowercase; `-` and `_` are letters.
fn words(text: &str) -> BTreeSet<String> {
    let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'));
    let words = text.split(is_end).map(|word| word.trim_matches(['-', '_']).to_lowercase());
    words.filter(|word| !word.is_empty()).collect()
}

/// Returns the directories of a path and its stem, without a stem that stands for the directory.
fn components(path: &str) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or(name);
    let folders = folder.split('/').filter(|name| !name.is_empty());
    let stem = (!MODULE_STEMS.contains(&stem)).then_some(stem);
    folders.chain(stem).map(str::to_owned).collect()
}

/// Returns the dotted or slashed words of a text of which two or more neighbouring names are a part of a path.
fn named_module<'t>(text: &'t str, components: &[String]) -> Option<&'t str> {
    let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@'));
    let own: Vec<String> = components.iter().map(|name| name.to_lowercase()).collect();
    let tokens = text.split(is_end).map(|token| token.trim_matches(['.', '/', ':', '-']));
    tokens.into_iter().find(|token| {
        let names: Vec<String> = token
            .split(['.', '/', ':'])
            .filter(|name| !name.is_empty())
            .map(str::to_lowercase)
            .collect();
        // What follows the module may be a name in it.
        (2..=names.len()).any(|end| own.windows(end).any(|run| run == &names[..end]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_everywhere_or_nowhere_say_nothing() {
        assert!(says_nothing(&[], 9) && says_nothing(&[0, 1], 9) && says_nothing(&[4, 9], 9));
        assert!(!says_nothing(&[3, 9], 9) && !says_nothing(&[0, 1, 2], 9));
    }

    #[test]
    fn modules_are_named_by_neighbouring_names() {
        let of = |text: &'static str, path: &str| named_module(text, &components(path));
        assert_eq!(of("net/http2: fix it", "src/net/http2/frame.go"), Some("net/http2"));
        assert_eq!(of("shop.cart.Cart.add fails", "shop/cart.py"), Some("shop.cart.Cart.add"));
        assert_eq!(of("use shop::cart", "src/shop/cart/mod.rs"), Some("shop::cart"));
        assert_eq!(of("net: http2", "net/http2/frame.go"), None);
        assert_eq!(of("shop.money", "shop/cart.py"), None);
    }
}
