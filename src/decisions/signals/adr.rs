//! Records of architecture decisions: documents of a folder such as `docs/adr`, with title and status.

use super::texts::Texts;
use super::{Draft, Kind, Signal, name, prose};
use crate::base::text;
use crate::userdata::decisions::{Confidence, Scope, SourceRef};

/// The most records that are read, and the most that become proposals.
const RECORDS_MAX: usize = 300;
const PROPOSALS_MAX: usize = 8;

/// The maximum length of a quoted decision in bytes.
const DECISION_BYTES_MAX: usize = 500;

/// Returns true for a document of a folder of decisions.
fn is_record(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let mut parts = lower.rsplit('/');
    let file = parts.next().unwrap_or_default();
    let folder = parts.next().unwrap_or_default();
    let above = parts.next().unwrap_or_default();
    let is_folder =
        ["adr", "adrs", "architecture-decisions", "decision-records", "architecture_decisions"]
            .contains(&folder)
            || folder == "decisions"
                && ["docs", "doc", "architecture", "arch", "design", "adr"].contains(&above);
    let is_text = [".md", ".rst", ".adoc"].iter().any(|it| file.ends_with(it));
    let is_other = ["readme", "index", "template", "0000-"].iter().any(|it| file.starts_with(it));
    is_folder && is_text && !is_other && !file.contains("template")
}

/// A record.
#[derive(Debug, Eq, PartialEq)]
struct Record {
    title: String,
    decision: Option<String>,
}

/// Returns an accepted record; `None` for others.
fn record(text: &str) -> Option<Record> {
    let items = prose::items(text);
    let title = text.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim);
    let title =
        title.or_else(|| text.lines().find(|line| line.chars().any(char::is_alphabetic)))?;
    // `5. Use X`, `ADR-0005: Use X`.
    let title = title.trim_start_matches(|c: char| {
        c.is_ascii_digit() || c.is_whitespace() || ".:-–—#".contains(c)
    });
    let is_numbered = title.to_lowercase().starts_with("adr");
    let title = match title.split_once([':', ' ']).filter(|_| is_numbered) {
        Some((_, rest)) => rest.trim_start_matches(|c: char| {
            c.is_ascii_digit() || c.is_whitespace() || ".:-–—".contains(c)
        }),
        None => title,
    };
    let of = |heading: &str| {
        let is_below = |it: &&prose::Item| {
            it.headings.last().is_some_and(|last| last.to_lowercase().starts_with(heading))
        };
        items
            .iter()
            .filter(is_below)
            .flat_map(|it| it.sentences.iter().cloned())
            .collect::<Vec<_>>()
    };
    let status = of("status").join(" ").to_lowercase();
    let inline = text.lines().take(20).map(|line| line.trim_start_matches(['-', '*', ' ']));
    let inline = inline.map(str::to_lowercase).find(|line| line.starts_with("status"));
    let status = if status.is_empty() { inline.unwrap_or_default() } else { status };
    let is_closed = ["superseded", "deprecated", "rejected", "proposed", "draft", "replaced"];
    if is_closed.iter().any(|it| status.contains(it)) || title.len() < 8 {
        return None;
    }
    let decision = of("decision").join(" ");
    let decision = text::start(&decision, DECISION_BYTES_MAX).trim();
    let decision = (!decision.is_empty()).then(|| decision.to_owned());
    Some(Record { title: title.to_owned(), decision })
}

/// Adds the accepted records, newest first.
pub fn find(texts: &Texts<'_>, signals: &mut Vec<Signal>) {
    let paths = texts.paths();
    let mut records: Vec<_> =
        paths.iter().filter(|path| is_record(path)).take(RECORDS_MAX).collect();
    records.reverse();
    let mut count = 0;
    for path in records {
        let Some(Record { title, decision }) = texts.read(path).and_then(|text| record(&text))
        else {
            continue;
        };
        let written = format!("Accepted in `{}`.", name(path));
        let keywords: Vec<String> = title
            .split(|c: char| !c.is_alphanumeric())
            .filter(|it| it.len() > 3)
            .map(str::to_lowercase)
            .take(8)
            .collect();
        let keywords: Vec<&str> = keywords.iter().map(String::as_str).collect();
        let draft = Draft {
            scope: Scope::Global,
            kind: Kind::Records,
            pattern: text::plain(text::start(&title, 280)),
            rationale: match decision {
                Some(decision) => format!("{} {written}", text::plain(&decision)),
                None => written,
            },
            confidence: Confidence::High,
            source_refs: vec![SourceRef::line(path, 1, "records it")],
            keywords: &keywords,
        };
        let mut signal = draft.signal();
        count += 1;
        if count > PROPOSALS_MAX {
            signal.proposal = None;
        }
        signals.push(signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_records_are_decisions() {
        let text = "# 5. Use `sqlx` for queries\n\nDate: 2020-01-01\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use `sqlx`, because queries are checked.\n";
        let found = record(text).expect("a record");
        assert_eq!(found.title, "Use `sqlx` for queries");
        assert!(found.decision.is_some_and(|it| it.contains("queries are checked")));
        assert_eq!(
            record("# ADR-0007: Keep ids opaque\n\nWe do.").map(|it| it.title).as_deref(),
            Some("Keep ids opaque")
        );
        assert_eq!(record(&text.replace("Accepted", "Superseded by 9")), None);
        assert_eq!(record("* Status: rejected\n# Use magic for all"), None);
        assert_eq!(record(""), None);
    }

    #[test]
    fn folders_of_records_are_known() {
        for (path, expected) in [
            ("docs/adr/0001-use-x.md", true),
            ("doc/architecture/decisions/0003-y.md", true),
            ("docs/adr/README.md", false),
            ("docs/adr/template.md", false),
            ("src/decisions/a.md", false),
        ] {
            assert_eq!(is_record(path), expected, "{path}");
        }
    }
}
