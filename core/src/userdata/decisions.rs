//! Decisions: what people decided about a code base, as structured records.
//!
//! Every record starts as a candidate. Only a person makes it canonical, which the type [`Person`]
//! stands for: every function that decides about a record requires one, and only the command line
//! creates one.

mod store;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use store::{Edit, Filter, Submitted, Verdict};

/// The maximum length of the pattern, the rationale and the other texts of a record in bytes.
pub const PATTERN_BYTES_MAX: usize = 300;
/// See [`PATTERN_BYTES_MAX`].
pub const RATIONALE_BYTES_MAX: usize = 4000;
/// See [`PATTERN_BYTES_MAX`].
pub const TEXT_BYTES_MAX: usize = 1000;

/// The maximum number of references of a record.
pub const REFERENCES_MAX: usize = 50;

/// The maximum number of keywords of a record.
pub const KEYWORDS_MAX: usize = 30;

/// Shows that a person takes part. Only `cli/decisions` creates one, at a terminal, and the page of decisions,
/// for a form with the token of a page that a person opened.
#[derive(Debug)]
pub struct Person(());

impl Person {
    /// Returns the proof. The caller has made sure that a person sits at a terminal.
    pub fn at_a_terminal() -> Person {
        Person(())
    }

    /// Returns the proof. The caller has checked the token of the form that a person sent.
    pub fn at_a_page() -> Person {
        Person(())
    }
}

/// A record.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Decision {
    /// A UUID of version 4.
    pub id: String,
    /// What is done: "use X for Y".
    pub pattern: String,
    /// Where it holds.
    pub scope: Scope,
    /// Why.
    pub rationale: String,
    /// How certain the author is.
    pub confidence: Confidence,
    /// What shows it.
    pub source_refs: Vec<SourceRef>,
    /// Whether it holds.
    pub status: State,
    /// The id of the record that replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Who proposed it.
    pub origin: Origin,
    /// For [`Origin::Bootstrap`], what extracted it: `none` for no model, else the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extractor: Option<String>,
    /// Words that tasks use for it, in lower case.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// When it was proposed: `2026-01-31T12:00:00Z`.
    pub created_at: String,
    /// When it was changed last, in the same form.
    pub updated_at: String,
}

/// What is proposed.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Proposal {
    /// See [`Decision`].
    pub pattern: String,
    /// See [`Decision`].
    pub scope: Scope,
    /// See [`Decision`].
    pub rationale: String,
    /// See [`Decision`].
    pub confidence: Confidence,
    /// See [`Decision`].
    #[serde(default)]
    pub source_refs: Vec<SourceRef>,
    /// See [`Decision`].
    #[serde(default)]
    pub keywords: Vec<String>,
}

/// Where a decision holds. As text: `global`, `path:GLOB`, `module:NAME`, `language:NAME`.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Scope {
    /// Everywhere.
    Global,
    /// In the files of a language, by its name in lower case.
    Language(String),
    /// In a module: a directory, or a dotted or `::`-separated name.
    Module(String),
    /// In the files that match a glob of repository paths.
    Path(String),
}

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Global => out.write_str("global"),
            Scope::Language(name) => write!(out, "language:{name}"),
            Scope::Module(name) => write!(out, "module:{name}"),
            Scope::Path(glob) => write!(out, "path:{glob}"),
        }
    }
}

impl Scope {
    /// Returns the scope that `text` names; a text without a prefix is a glob. The error is one
    /// sentence.
    ///
    /// # Errors
    ///
    /// If the text is empty or too long, or the glob is not valid.
    pub fn parse(text: &str) -> Result<Scope, String> {
        let text = text.trim();
        if text.is_empty() || text.len() > TEXT_BYTES_MAX {
            return Err("a scope is `global`, `path:GLOB`, `module:NAME` or `language:NAME`".into());
        }
        let name = |name: &str| match name.trim() {
            "" => Err(format!("the scope `{text}` lacks a name after the colon")),
            name => Ok(name.to_owned()),
        };
        if text == "global" {
            return Ok(Scope::Global);
        }
        match text.split_once(':') {
            Some(("language", rest)) => Ok(Scope::Language(name(rest)?.to_lowercase())),
            Some(("module", rest)) => Ok(Scope::Module(name(rest)?)),
            Some(("path", rest)) => Scope::glob(&name(rest)?),
            _ => Scope::glob(text),
        }
    }

    fn glob(glob: &str) -> Result<Scope, String> {
        let glob = glob.trim_start_matches("./");
        match crate::base::glob::compile(glob, true) {
            Ok(_) => Ok(Scope::Path(glob.to_owned())),
            Err(error) => Err(format!(
                "`{}` is not a valid glob: {error}",
                crate::base::text::start(glob, 80)
            )),
        }
    }
}

impl Serialize for Scope {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Scope {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Scope, D::Error> {
        let text = String::deserialize(from)?;
        Scope::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// A file or commit that shows a decision.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct SourceRef {
    /// What it is.
    pub kind: RefKind,
    /// `PATH`, `PATH:LINE`, or the hash of a commit.
    #[serde(rename = "ref")]
    pub reference: String,
    /// What it shows, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What the place contained when it was cited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
}

impl SourceRef {
    /// Returns a reference to a line of a file.
    pub fn line(path: &str, line: usize, detail: impl Into<String>) -> SourceRef {
        let reference = format!("{path}:{line}");
        SourceRef { kind: RefKind::File, reference, detail: Some(detail.into()), fingerprint: None }
    }

    /// Returns a reference to a commit.
    pub fn commit(hash: &str, detail: impl Into<String>) -> SourceRef {
        let reference = hash.to_owned();
        let detail = Some(detail.into());
        SourceRef { kind: RefKind::Commit, reference, detail, fingerprint: None }
    }

    /// Returns path and line of a reference to a file; line 0 stands for the whole file.
    pub fn place(&self) -> Option<(&str, usize)> {
        if self.kind != RefKind::File {
            return None;
        }
        let line = self.reference.rsplit_once(':').and_then(|(path, line)| {
            line.parse().ok().filter(|&line| line > 0).map(|line| (path, line))
        });
        Some(line.unwrap_or((&self.reference, 0)))
    }
}

/// What a cited place contained.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Fingerprint {
    /// The qualified name of the definition around the line; without one, the line itself counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The hash of the text of the definition, or of the line, in hexadecimal.
    pub text: String,
    /// The hash of the definition's text after its name, which a rename does not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<String>,
}

/// Implements the names of an enum: as text, in JSON and in the database.
macro_rules! named {
    ($type:ident, $what:literal, $($variant:ident = $name:literal),+) => {
        impl $type {
            /// Every value.
            pub const ALL: &'static [$type] = &[$($type::$variant),+];

            /// Returns the name.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name),+ }
            }

            /// Returns the value of that name. The error is one sentence.
            ///
            /// # Errors
            ///
            /// If there is none.
            pub fn parse(name: &str) -> Result<$type, String> {
                $type::ALL.iter().copied().find(|it| it.name() == name).ok_or_else(|| {
                    let valid: Vec<&str> = $type::ALL.iter().map(|it| it.name()).collect();
                    format!("unknown {} `{name}`; valid: {}", $what, valid.join(", "))
                })
            }
        }

        impl Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$type, D::Error> {
                let name = String::deserialize(from)?;
                $type::parse(&name).map_err(serde::de::Error::custom)
            }
        }
    };
}

/// The kind of a reference.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RefKind {
    /// A file, or a line of it.
    File,
    /// A commit.
    Commit,
}
named!(RefKind, "kind of reference", File = "file", Commit = "commit");

/// How certain an author is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Confidence {
    /// A guess.
    Low,
    /// Probable.
    Medium,
    /// Certain.
    High,
}
named!(Confidence, "confidence", Low = "low", Medium = "medium", High = "high");

/// Whether a record holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum State {
    /// Proposed; nobody has decided yet.
    Candidate,
    /// A person approved it.
    Canonical,
    /// A person rejected it.
    Rejected,
    /// Another record replaced it.
    Superseded,
}
named!(
    State,
    "status",
    Candidate = "candidate",
    Canonical = "canonical",
    Rejected = "rejected",
    Superseded = "superseded"
);

/// Who proposed a record.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Origin {
    /// `codedb decisions ingest`.
    Bootstrap,
    /// An agent.
    Agent,
    /// A person.
    Human,
}
named!(Origin, "origin", Bootstrap = "bootstrap", Agent = "agent_submitted", Human = "human");

impl Proposal {
    /// Returns the proposal with trimmed texts and keywords in lower case.
    ///
    /// # Errors
    ///
    /// One sentence if a text is missing or too long, or there are too many of them.
    pub fn checked(mut self) -> Result<Proposal, String> {
        let required = |text: &str, name: &str, max: usize| match text.trim() {
            "" => Err(format!("`{name}` is empty")),
            text if text.len() > max => {
                Err(format!("`{name}` has {} bytes, more than {max}", text.len()))
            }
            text => Ok(text.to_owned()),
        };
        // A pattern is one line wherever it is shown.
        let pattern = self.pattern.split_whitespace().collect::<Vec<_>>().join(" ");
        self.pattern = required(&pattern, "pattern", PATTERN_BYTES_MAX)?;
        self.rationale = required(&self.rationale, "rationale", RATIONALE_BYTES_MAX)?;
        if self.source_refs.len() > REFERENCES_MAX {
            return Err(format!("more than {REFERENCES_MAX} references"));
        }
        for it in &mut self.source_refs {
            it.reference = required(&it.reference, "ref", TEXT_BYTES_MAX)?;
            if let Some(detail) = &it.detail {
                it.detail = Some(required(detail, "detail", TEXT_BYTES_MAX)?);
            }
            let is_hash = |text: &str| {
                (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
            };
            if it.kind == RefKind::Commit && !is_hash(&it.reference) {
                return Err(format!("`{}` is not the hash of a commit", it.reference));
            }
        }
        if self.keywords.len() > KEYWORDS_MAX {
            return Err(format!("more than {KEYWORDS_MAX} keywords"));
        }
        for keyword in &mut self.keywords {
            *keyword = required(keyword, "keyword", 100)?.to_lowercase();
        }
        self.keywords.sort();
        self.keywords.dedup();
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_parsed_and_written() {
        for text in ["global", "path:src/**/*.rs", "module:flask.json", "language:python"] {
            assert_eq!(Scope::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Scope::parse("./src/*").unwrap(), Scope::Path("src/*".to_owned()));
        for text in ["", "language:", "path:a[", "path: "] {
            assert!(Scope::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn places_of_references_are_read() {
        let of = |reference: &str| SourceRef {
            kind: RefKind::File,
            reference: reference.to_owned(),
            detail: None,
            fingerprint: None,
        };
        assert_eq!(of("a/b.py:12").place(), Some(("a/b.py", 12)));
        assert_eq!(of("a/b:c.py").place(), Some(("a/b:c.py", 0)));
        assert_eq!(of("a.py:0").place(), Some(("a.py:0", 0)));
        assert_eq!(SourceRef::commit("abcdef1", "x").place(), None);
    }
}
