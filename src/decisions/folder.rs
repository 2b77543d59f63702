//! Records as files: one TOML file for each, for teams that review decisions in pull requests, or JSON
//! Lines.
//!
//! What is read comes from strangers: sizes and numbers are bounded, and the status of a record is a
//! claim that only a person can accept.

use crate::error::{Error, Result};
use crate::userdata::decisions::{Decision, Proposal};

/// The folder of a repository.
pub const FOLDER: &str = ".codedb/decisions";

/// The maximum size of a file of one record in bytes.
pub const FILE_BYTES_MAX: u64 = 64 << 10;

/// The maximum number of records of one import.
pub const RECORDS_MAX: usize = 100_000;

/// The maximum length of the words in a file name in bytes.
const NAME_BYTES_MAX: usize = 60;

/// Returns the name of the file of a record: words of its pattern, and the start of its id.
pub fn file_name(decision: &Decision) -> String {
    let mut name = String::new();
    for character in decision.pattern.chars() {
        match character.to_ascii_lowercase() {
            lower @ ('a'..='z' | '0'..='9') => name.push(lower),
            _ if !name.is_empty() && !name.ends_with('-') => name.push('-'),
            _ => {}
        }
        if name.len() >= NAME_BYTES_MAX {
            break;
        }
    }
    let id: String = decision.id.chars().take(8).collect();
    format!("{}-{id}.toml", name.trim_matches('-')).trim_start_matches('-').to_owned()
}

/// Returns a record as a TOML document.
///
/// # Errors
///
/// If a text cannot be represented, which no stored record has.
pub fn to_toml(decision: &Decision) -> Result<String> {
    toml::to_string(decision).map_err(|error| Error::usage(error.to_string()))
}

/// Returns a record as a line of JSON, with its terminator.
///
/// # Errors
///
/// As [`to_toml`].
pub fn to_json_line(decision: &Decision) -> Result<String> {
    let line = serde_json::to_string(decision).map_err(|error| Error::usage(error.to_string()))?;
    Ok(line + "\n")
}

/// Returns the record of a TOML document.
///
/// # Errors
///
/// One sentence if the document is not a valid record.
pub fn from_toml(text: &str) -> Result<Decision> {
    let decision = toml::from_str(text).map_err(|error| {
        let message = error.message().to_owned();
        let line = error.span().map(|span| text[..span.start.min(text.len())].lines().count());
        let place = line.map(|line| format!("line {}: ", line.max(1))).unwrap_or_default();
        Error::usage(format!("{place}{message}"))
    })?;
    checked(decision)
}

/// Returns the record of a line of JSON.
///
/// # Errors
///
/// As [`from_toml`].
pub fn from_json_line(line: &str) -> Result<Decision> {
    checked(serde_json::from_str(line).map_err(|error| Error::usage(error.to_string()))?)
}

fn checked(decision: Decision) -> Result<Decision> {
    let id = uuid::Uuid::try_parse(&decision.id)
        .map_err(|_| Error::usage(format!("`{}` is not a UUID", cut(&decision.id))))?;
    for time in [&decision.created_at, &decision.updated_at] {
        if crate::base::time::parse(time, 0).is_none() || time.len() > 40 {
            return Err(Error::usage(format!("`{}` is not a time", cut(time))));
        }
    }
    let proposal = Proposal {
        pattern: decision.pattern,
        scope: decision.scope,
        rationale: decision.rationale,
        confidence: decision.confidence,
        source_refs: decision.source_refs,
        keywords: decision.keywords,
    };
    let it = proposal.checked().map_err(Error::usage)?;
    Ok(Decision {
        id: id.to_string(),
        pattern: it.pattern,
        scope: it.scope,
        rationale: it.rationale,
        confidence: it.confidence,
        source_refs: it.source_refs,
        keywords: it.keywords,
        ..decision
    })
}

fn cut(text: &str) -> String {
    crate::base::text::plain(crate::base::text::start(text, 60))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::userdata::decisions::{Confidence, Origin, Scope, SourceRef, State};

    fn decision() -> Decision {
        Decision {
            id: "6f1e8a52-3c57-4c7e-9a40-0d8a6b2f1c3d".to_owned(),
            pattern: "Use `a\"b` for \\ and ünïcode".to_owned(),
            scope: Scope::Path("src/**/*.py".to_owned()),
            rationale: "Two\nlines with ''' and \"\"\".".to_owned(),
            confidence: Confidence::Medium,
            source_refs: vec![
                SourceRef::line("src/a.py", 3, "imports it"),
                SourceRef::commit("0123456789abcdef", "adds it"),
            ],
            status: State::Canonical,
            superseded_by: None,
            origin: Origin::Human,
            extractor: None,
            keywords: vec!["paths".to_owned()],
            created_at: "2026-01-31T12:00:00Z".to_owned(),
            updated_at: "2026-01-31T12:00:00Z".to_owned(),
        }
    }

    #[test]
    fn a_record_survives_both_forms() {
        let it = decision();
        assert_eq!(from_toml(&to_toml(&it).unwrap()).unwrap(), it);
        assert_eq!(from_json_line(&to_json_line(&it).unwrap()).unwrap(), it);
        assert_eq!(file_name(&it), "use-a-b-for-and-n-code-6f1e8a52.toml");
        let odd = Decision { pattern: "→".to_owned(), ..it };
        assert_eq!(file_name(&odd), "6f1e8a52.toml");
    }

    #[test]
    fn bad_documents_are_refused_with_a_sentence() {
        let text = to_toml(&decision()).unwrap();
        for (from, to, expected) in [
            ("6f1e8a52-3c57", "../../x", "is not a UUID"),
            ("2026-01-31T12:00:00Z", "yesterday", "is not a time"),
            ("path:src/**/*.py", "path:src/[", "is not a valid glob"),
            ("\"canonical\"", "\"sacred\"", "unknown status `sacred`"),
            ("0123456789abcdef", "--upload-pack=x", "is not the hash of a commit"),
        ] {
            let error = from_toml(&text.replace(from, to)).unwrap_err().to_string();
            assert!(error.contains(expected), "{from}: {error}");
        }
        assert!(from_toml("pattern = 1").is_err());
    }
}
