//! Places in texts that may use a definition, although they are no references: strings that are its
//! name (`getattr(x, "name")`, `x["name"]`, `send(:name)`), keys of literals, and templates.

use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem::Finder;
use serde::Serialize;

use crate::answer::texts::Texts;
use crate::base::ids::FileId;
use crate::base::text;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::{Code as _, SymbolAt};
use crate::tools::{counted, paths};

/// The most files that are read, and their size.
const FILES_MAX: usize = 64;
const BYTES_MAX: usize = 4 << 20;
const FILE_BYTES_MAX: usize = 1 << 20;

/// How far back the bracket around a key is searched.
const AROUND_BYTES_MAX: usize = 2_000;

/// What a place is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// A string, or a symbol of Ruby or Elixir.
    String,
    /// The key of a literal.
    Key,
    /// A member in a template or another file without references.
    Template,
}

impl Form {
    fn noun(self, count: usize) -> String {
        match self {
            Form::String => counted(count, "string"),
            Form::Key => counted(count, "key"),
            Form::Template => format!("{count} in templates"),
        }
    }

    /// Returns the words for one place.
    pub fn words(self) -> &'static str {
        match self {
            Form::String => "as a string",
            Form::Key => "as a key",
            Form::Template => "in a template",
        }
    }
}

/// A place that may use a definition.
#[derive(Clone, Debug, Serialize)]
pub struct TextUse {
    /// The file's repository path.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column of the name in that line, from 1, in bytes.
    #[serde(skip)]
    pub column: usize,
    /// The line's text.
    pub text: String,
    /// What it is.
    pub form: Form,
}

/// The places that may use some definitions.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TextUses {
    /// How many there are of each form in the files that were read.
    pub counts: BTreeMap<Form, usize>,
    /// The number of files with such places.
    pub files: usize,
    /// The number of files with the name outside of references that were not read.
    #[serde(skip_serializing_if = "is_zero")]
    pub unread: usize,
    /// The places, if the call requests them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<TextUse>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl TextUses {
    /// Returns the places with the names of `targets` that are no references, of which at most `max`
    /// are listed. Files are those that the word index has more occurrences of than references, the
    /// tree's own sources first; at most 64 of them are read, 4 MiB in all.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if the index is damaged.
    pub fn of(
        catalog: &Catalog,
        texts: &mut Texts<'_>,
        targets: &[SymbolAt],
        max: usize,
    ) -> Result<TextUses> {
        let mut names = BTreeSet::new();
        for at in targets {
            let symbol = catalog.symbol(*at)?;
            names.extend(symbol.map(|symbol| bare(&symbol.name).to_owned()));
        }
        let (mut found, mut open) = (TextUses::default(), Vec::new());
        for name in &names {
            let mut known: BTreeMap<FileId, BTreeSet<usize>> = BTreeMap::new();
            for site in catalog.uses(name)? {
                known.entry(site.file).or_default().insert(site.reference.span.start);
            }
            for at in catalog.named(name).iter() {
                if let Some(symbol) = catalog.symbol(*at)? {
                    known.entry(at.file).or_default().insert(symbol.name_span.start);
                }
            }
            for word in catalog.word(name)? {
                let references = known.get(&word.file).map_or(0, BTreeSet::len);
                if word.count as usize > references {
                    let rank = catalog.marks(word.file)?.rank();
                    let known = known.get(&word.file).cloned().unwrap_or_default();
                    open.push((rank, word.file, name.as_str(), known));
                }
            }
        }
        open.sort_by(|a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)));
        let (mut read, mut files) = (0, BTreeSet::new());
        for (at, (_, file, name, known)) in open.iter().enumerate() {
            if at >= FILES_MAX || read > BYTES_MAX {
                found.unread = open.len() - at;
                break;
            }
            let Some(text) = catalog.read(*file, FILE_BYTES_MAX) else { continue };
            read += text.len();
            let language = catalog.summary(*file)?.and_then(|summary| summary.language);
            let has_references = language.is_some_and(|language| language.has_references());
            for place in Finder::new(name.as_bytes()).find_iter(&text) {
                if known.contains(&place) || !is_whole(&text, place, name.len()) {
                    continue;
                }
                let Some(form) = form(&text, place, name.len(), has_references) else { continue };
                *found.counts.entry(form).or_default() += 1;
                files.insert(*file);
                if found.places.len() < max {
                    let (line, text) = texts.line(*file, place);
                    let column = texts.column(*file, place);
                    let path = paths::shown(catalog.path(*file));
                    found.places.push(TextUse { path, line, column, text, form });
                }
            }
        }
        found.files = files.len();
        Ok(found)
    }

    /// Returns the number of places.
    pub fn total(&self) -> usize {
        self.counts.values().sum()
    }

    /// Returns the counts as a sentence about `name`; `None` if there are none.
    pub fn notice(&self, name: &str) -> Option<String> {
        let total = self.total();
        let unread = match self.unread {
            0 => String::new(),
            unread => format!("; {} with the name not read", counted(unread, "more file")),
        };
        if total == 0 {
            return (self.unread > 0).then(|| {
                format!(
                    "{} with \"{}\" outside of references not read",
                    counted(self.unread, "file"),
                    text::plain(name)
                )
            });
        }
        let forms: Vec<String> =
            self.counts.iter().map(|(form, count)| form.noun(*count)).collect();
        let shows = match self.places.len() {
            0 => "; `unsure` lists them",
            shown if shown < total => "; `max_results` shows more",
            _ => "",
        };
        let files = counted(self.files, "file");
        Some(format!(
            "text \"{}\" that may be a use: {} in {files}{unread}{shows}",
            text::plain(name),
            forms.join(", ")
        ))
    }
}

/// Returns a name without the signs of variables.
fn bare(name: &str) -> &str {
    name.trim_start_matches(['$', '@', ':', '#'])
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns true if the name at `at` is no part of a longer one.
fn is_whole(text: &[u8], at: usize, len: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| text.get(at));
    !before.is_some_and(|byte| is_word(*byte))
        && !text.get(at + len).is_some_and(|byte| is_word(*byte))
}

/// Returns what the name at `at` is, unless it is a comment, a local variable or the like.
fn form(text: &[u8], at: usize, len: usize, has_references: bool) -> Option<Form> {
    let before = text[..at].last().copied().unwrap_or_default();
    let after = text.get(at + len).copied().unwrap_or_default();
    let is_quoted = matches!(before, b'"' | b'\'' | b'`') && after == before;
    if is_quoted || has_references && is_in_nameof(text, at) {
        return Some(Form::String);
    }
    if !has_references {
        return (before == b'.').then_some(Form::Template);
    }
    if before == b':' && is_symbol(text, at) {
        return Some(Form::String);
    }
    is_key(text, at, len).then_some(Form::Key)
}

/// Returns true for `nameof(name)` and `nameof(Type.name)`.
fn is_in_nameof(text: &[u8], at: usize) -> bool {
    let is_path = |byte: &&u8| is_word(**byte) || **byte == b'.';
    let path = text[..at].iter().rev().take_while(is_path).count();
    text[..at - path].ends_with(b"nameof(")
}

/// Returns true for `:name` behind a bracket or a comma, as in `send(:name)` and `send(a, :name)`: a
/// type follows a name or a colon.
fn is_symbol(text: &[u8], at: usize) -> bool {
    let before = text[..at - 1].trim_ascii_end().last().copied().unwrap_or_default();
    matches!(before, b'(' | b',' | b'[')
}

/// Returns true for the key of a literal: `{ name: … }`, `{ name => … }`.
fn is_key(text: &[u8], at: usize, len: usize) -> bool {
    let after = text[at + len..].trim_ascii_start();
    let is_pair = after.starts_with(b":") && !after.starts_with(b"::") || after.starts_with(b"=>");
    let before = text[..at].trim_ascii_end().last().copied().unwrap_or_default();
    if !is_pair || !matches!(before, b'{' | b',') {
        return false;
    }
    // The innermost bracket that is open is one of braces.
    let mut level = 0_usize;
    for byte in text[at.saturating_sub(AROUND_BYTES_MAX)..at].iter().rev() {
        match byte {
            b')' | b']' | b'}' => level += 1,
            b'{' if level == 0 => return true,
            b'(' | b'[' if level == 0 => return false,
            b'(' | b'[' | b'{' => level -= 1,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[Form]) {
        let bytes = text.as_bytes();
        let finder = Finder::new("retries");
        let whole = finder.find_iter(bytes).filter(|at| is_whole(bytes, *at, 7));
        let found: Vec<Form> = whole.filter_map(|at| form(bytes, at, 7, true)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn strings_and_keys_are_told_from_other_text() {
        check("getattr(x, 'retries')", &[Form::String]);
        check("x[\"retries\"] + x[`retries`]", &[Form::String, Form::String]);
        check("config.send(:retries)", &[Form::String]);
        check("start({ retries: 1, other: 2 })", &[Form::Key]);
        check("start({ other: 2, retries: 1 })", &[Form::Key]);
        check("{ retries => 1 }", &[Form::Key]);
        check("nameof(Config.retries)", &[Form::String]);
        check("function f(retries: number, b) {}", &[]);
        check("// the retries of \"all retries\"", &[]);
        check("let retries = 1; max_retries = { retries2: 1 }", &[]);
        check("std::retries::f()", &[]);
        assert_eq!(form(b"{{ a.retries }}", 5, 7, false), Some(Form::Template));
        assert_eq!(form(b"the retries", 4, 7, false), None);
    }
}
