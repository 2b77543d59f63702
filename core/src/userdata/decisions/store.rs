//! The table of decisions.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _, Row};

use super::{Confidence, Decision, Origin, Person, Proposal, Scope, State};
use crate::error::{Error, Kind, Result};
use crate::userdata::database::Database;

const COLUMNS: &str = "id, pattern, scope, rationale, confidence, source_refs, status, \
     superseded_by, origin, extractor, keywords, created_at, updated_at";

/// The fewest characters of an abbreviated id.
const ID_CHARS_MIN: usize = 4;

/// The share of common words from which two patterns of one scope are the same decision.
const SAME_SHARE: f64 = 0.8;

/// Which records are listed; the default is all.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only those with one of these; empty means all.
    pub states: Vec<State>,
    /// Only those whose pattern, rationale, scope or keywords contain all of these words, in lower
    /// case.
    pub words: Vec<String>,
}

/// What became of a proposal.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Submitted {
    /// It is a candidate with this id.
    New(String),
    /// This record says the same.
    Known(Box<Decision>),
}

/// What changes in a record; `None` leaves a field as it is.
#[derive(Clone, Debug, Default)]
pub struct Edit {
    /// See [`Decision`].
    pub pattern: Option<String>,
    /// See [`Decision`].
    pub scope: Option<Scope>,
    /// See [`Decision`].
    pub rationale: Option<String>,
    /// See [`Decision`].
    pub confidence: Option<Confidence>,
    /// See [`Decision`].
    pub keywords: Option<Vec<String>>,
}

/// A verdict on one record.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// It becomes canonical.
    Approve,
    /// It becomes rejected.
    Reject,
    /// The record with this id replaces it; that one becomes canonical.
    SupersedeBy(String),
}

impl Database {
    /// Stores a proposal as a candidate, unless a record of any status says the same: one with
    /// nearly the same words in the same scope. `now` is the time as `2026-01-31T12:00:00Z`.
    /// O(records).
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] if the proposal is not valid (nothing is stored); if the database cannot be
    /// written.
    pub fn submit_decision(
        &self,
        proposal: Proposal,
        origin: Origin,
        extractor: Option<&str>,
        now: &str,
    ) -> Result<Submitted> {
        let all = self.submit_decisions(vec![proposal], origin, extractor, now)?;
        Ok(all.into_iter().next().expect("one proposal has one result"))
    }

    /// Stores proposals as [`Database::submit_decision`] does, in one transaction: all or none.
    /// O(records × proposals).
    ///
    /// # Errors
    ///
    /// As [`Database::submit_decision`].
    pub fn submit_decisions(
        &self,
        proposals: Vec<Proposal>,
        origin: Origin,
        extractor: Option<&str>,
        now: &str,
    ) -> Result<Vec<Submitted>> {
        let proposals: Vec<Proposal> = proposals
            .into_iter()
            .map(Proposal::checked)
            .collect::<std::result::Result<_, _>>()
            .map_err(Error::usage)?;
        self.transaction(|connection| {
            // By scope: the words of each pattern, with the record's id.
            let mut known: BTreeMap<String, Vec<(BTreeSet<String>, String)>> = BTreeMap::new();
            let mut statement = connection.prepare("SELECT scope, pattern, id FROM decision")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (scope, pattern): (String, String) = (row.get(0)?, row.get(1)?);
                known.entry(scope).or_default().push((words(&pattern), row.get(2)?));
            }
            let mut submitted = Vec::with_capacity(proposals.len());
            for proposal in proposals {
                let of_scope = known.entry(proposal.scope.to_string()).or_default();
                let own = words(&proposal.pattern);
                if let Some((_, id)) = of_scope.iter().find(|(words, _)| is_same(words, &own)) {
                    let decision = get(connection, id)?;
                    submitted.extend(decision.map(|it| Submitted::Known(Box::new(it))));
                    continue;
                }
                let id = uuid::Uuid::new_v4().to_string();
                let decision = Decision {
                    id: id.clone(),
                    pattern: proposal.pattern,
                    scope: proposal.scope,
                    rationale: proposal.rationale,
                    confidence: proposal.confidence,
                    source_refs: proposal.source_refs,
                    status: State::Candidate,
                    superseded_by: None,
                    origin,
                    extractor: extractor.map(str::to_owned),
                    keywords: proposal.keywords,
                    created_at: now.to_owned(),
                    updated_at: now.to_owned(),
                };
                insert(connection, &decision)?;
                of_scope.push((own, id.clone()));
                submitted.push(Submitted::New(id));
            }
            Ok(submitted)
        })
    }

    /// Returns the records that `filter` selects, oldest first. O(records).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn decisions(&self, filter: &Filter) -> Result<Vec<Decision>> {
        let read = || {
            let sql = format!("SELECT {COLUMNS} FROM decision ORDER BY created_at, rowid");
            let mut statement = self.connection.prepare_cached(&sql)?;
            let rows = statement.query_map([], decision_of)?;
            let is_wanted = |it: &Decision| {
                let is_state = filter.states.is_empty() || filter.states.contains(&it.status);
                is_state && (filter.words.is_empty() || has_words(it, &filter.words))
            };
            let wanted = rows.filter(|row| row.as_ref().map_or(true, is_wanted));
            wanted.collect::<rusqlite::Result<Vec<Decision>>>()
        };
        read().map_err(|error| self.failure(&error))
    }

    /// Returns the number of records of each status. O(records).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn decision_counts(&self) -> Result<BTreeMap<String, u32>> {
        let read = || {
            let sql = "SELECT status, count(*) FROM decision GROUP BY status";
            let mut statement = self.connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<BTreeMap<String, u32>>>()
        };
        read().map_err(|error| self.failure(&error))
    }

    /// Returns the record with an id, or with an id that begins so.
    ///
    /// # Errors
    ///
    /// [`Kind::NotFound`] if there is none, [`Kind::Usage`] if several ids begin so.
    pub fn decision(&self, id: &str) -> Result<Decision> {
        let read = || {
            if id.len() < ID_CHARS_MIN {
                return Ok(Vec::new());
            }
            let sql = format!(
                "SELECT {COLUMNS} FROM decision WHERE substr(id, 1, length(?1)) = ?1 LIMIT 2"
            );
            let mut statement = self.connection.prepare_cached(&sql)?;
            let rows = statement.query_map([id.to_ascii_lowercase()], decision_of)?;
            rows.collect::<rusqlite::Result<Vec<Decision>>>()
        };
        let mut found = read().map_err(|error| self.failure(&error))?;
        match (found.pop(), found.pop()) {
            (Some(decision), None) => Ok(decision),
            (Some(_), Some(_)) => {
                Err(Error::usage(format!("several decisions have an id that begins with `{id}`")))
            }
            _ => Err(Error::new(Kind::NotFound, format!("there is no decision `{id}`"))
                .with_hint("`codedb decisions list` shows all; at least 4 characters of an id")),
        }
    }

    /// Decides about a record and returns it.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] if its status does not allow that: only candidates can be approved, only
    /// candidates and canonical records rejected or replaced. If it does not exist, or the database
    /// cannot be written. Nothing changes then.
    pub fn decide(
        &self,
        _person: &Person,
        id: &str,
        verdict: &Verdict,
        now: &str,
    ) -> Result<Decision> {
        let id = self.decision(id)?.id;
        let by = match verdict {
            Verdict::SupersedeBy(by) => Some(self.decision(by)?.id),
            _ => None,
        };
        let refused = self.transaction(|connection| {
            let status = |id: &str| get(connection, id).map(|it| it.map(|it| it.status));
            let set = |id: &str, state: State, by: Option<&String>| {
                let sql = "UPDATE decision SET status = ?2, superseded_by = ?3, updated_at = ?4
                    WHERE id = ?1";
                connection.execute(sql, (id, state.name(), by, now)).map(drop)
            };
            // Another process may have decided since.
            let present = status(&id)?;
            let open = matches!(present, Some(State::Candidate | State::Canonical));
            match (verdict, present, &by) {
                (Verdict::Approve, Some(State::Candidate), _) => {
                    set(&id, State::Canonical, None)?;
                }
                (Verdict::Reject, ..) if open => set(&id, State::Rejected, None)?,
                (Verdict::SupersedeBy(_), _, Some(by)) if open && *by != id => {
                    match status(by)? {
                        Some(State::Candidate) => set(by, State::Canonical, None)?,
                        Some(State::Canonical) => {}
                        other => return Ok(Some((by.clone(), other))),
                    }
                    set(&id, State::Superseded, Some(by))?;
                }
                _ => return Ok(Some((id.clone(), present))),
            }
            Ok(None)
        })?;
        if let Some((of, state)) = refused {
            let of = &of[..8.min(of.len())];
            let state = state.map_or("gone", State::name);
            let what = match verdict {
                Verdict::Approve => "only candidates can be approved",
                Verdict::Reject => "only candidates and canonical decisions can be rejected",
                Verdict::SupersedeBy(_) => {
                    "only another open decision can replace one, and only an open one is replaced"
                }
            };
            return Err(Error::usage(format!("decision {of} is {state}: {what}")));
        }
        self.decision(&id)
    }

    /// Changes the texts of a candidate or canonical record and returns it.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] if the result would not be valid or the record is closed; if it does not
    /// exist, or the database cannot be written. Nothing changes then.
    pub fn edit_decision(
        &self,
        _person: &Person,
        id: &str,
        edit: Edit,
        now: &str,
    ) -> Result<Decision> {
        let before = self.decision(id)?;
        let proposal = Proposal {
            pattern: edit.pattern.unwrap_or(before.pattern),
            scope: edit.scope.unwrap_or(before.scope),
            rationale: edit.rationale.unwrap_or(before.rationale),
            confidence: edit.confidence.unwrap_or(before.confidence),
            source_refs: before.source_refs,
            keywords: edit.keywords.unwrap_or(before.keywords),
        };
        let it = proposal.checked().map_err(Error::usage)?;
        let changed = self.transaction(|connection| {
            let sql = "UPDATE decision SET pattern = ?2, scope = ?3, rationale = ?4,
                confidence = ?5, keywords = ?6, updated_at = ?7
                WHERE id = ?1 AND updated_at = ?8 AND status IN ('candidate', 'canonical')";
            connection.execute(
                sql,
                (
                    &before.id,
                    &it.pattern,
                    it.scope.to_string(),
                    &it.rationale,
                    it.confidence.name(),
                    json(&it.keywords),
                    now,
                    &before.updated_at,
                ),
            )
        })?;
        if changed == 0 {
            let state = before.status.name();
            return Err(Error::usage(format!(
                "decision {} is {state} or was changed at the same time; only candidates and \
                 canonical decisions can be edited",
                &before.id[..8]
            )));
        }
        self.decision(&before.id)
    }

    /// Stores records of an export under their ids, in one transaction; those with a known id stay as
    /// they are. With a person, who trusts the export, they keep their status, else they are
    /// candidates. Returns how many are new.
    ///
    /// # Errors
    ///
    /// If the database cannot be written; nothing is stored then.
    pub fn add_decisions(&self, person: Option<&Person>, all: &[Decision]) -> Result<usize> {
        self.transaction(|connection| {
            let mut new = 0;
            for it in all {
                if get(connection, &it.id)?.is_some() {
                    continue;
                }
                let it = match person {
                    Some(_) => it.clone(),
                    None => {
                        Decision { status: State::Candidate, superseded_by: None, ..it.clone() }
                    }
                };
                // A record that replaces this one may be missing.
                let by = match &it.superseded_by {
                    Some(by) => get(connection, by)?.map(|by| by.id),
                    None => None,
                };
                insert(connection, &Decision { superseded_by: by, ..it })?;
                new += 1;
            }
            Ok(new)
        })
    }

    /// Records whether a decision was useful for a task. Returns the record.
    ///
    /// # Errors
    ///
    /// As [`Database::decision`]; if the database cannot be written.
    pub fn rate_decision(
        &self,
        id: &str,
        is_useful: bool,
        note: Option<&str>,
        now_ms: i64,
    ) -> Result<Decision> {
        let decision = self.decision(id)?;
        self.transaction(|connection| {
            let sql = "INSERT INTO decision_feedback (decision, at_ms, is_useful, note)
                VALUES (?1, ?2, ?3, ?4)";
            connection.execute(sql, (&decision.id, now_ms, is_useful, note))
        })?;
        Ok(decision)
    }

    /// Returns the feedback on decisions: id, time in milliseconds since 1970, whether it was
    /// useful. O(feedback).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn decision_feedback(&self) -> Result<Vec<(String, i64, bool)>> {
        let read = || {
            let sql = "SELECT decision, at_ms, is_useful FROM decision_feedback ORDER BY rowid";
            let mut statement = self.connection.prepare_cached(sql)?;
            let rows =
                statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.failure(&error))
    }

    /// Returns a number that grows with every change of the records and their feedback. O(1).
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn decision_revision(&self) -> Result<i64> {
        let sql = "SELECT revision FROM decision_revision";
        let read = self.connection.prepare_cached(sql);
        let read = read.and_then(|mut statement| statement.query_row([], |row| row.get(0)));
        read.map_err(|error| self.failure(&error))
    }

    /// Returns true if an extractor finished a scope with these signals.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub fn is_ingested(&self, scope: &str, extractor: &str, signals: &str) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM decision_ingested
            WHERE scope = ?1 AND extractor = ?2 AND signals = ?3)";
        let read = self.connection.query_row(sql, (scope, extractor, signals), |row| row.get(0));
        read.map_err(|error| self.failure(&error))
    }

    /// Records that an extractor finished a scope with these signals.
    ///
    /// # Errors
    ///
    /// If the database cannot be written.
    pub fn set_ingested(
        &self,
        scope: &str,
        extractor: &str,
        signals: &str,
        now_ms: i64,
    ) -> Result<()> {
        self.transaction(|connection| {
            let sql = "INSERT OR REPLACE INTO decision_ingested (scope, extractor, signals, at_ms)
                VALUES (?1, ?2, ?3, ?4)";
            connection.execute(sql, (scope, extractor, signals, now_ms)).map(drop)
        })
    }
}

fn insert(connection: &Connection, it: &Decision) -> rusqlite::Result<()> {
    let sql = format!(
        "INSERT INTO decision ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, \
         ?12, ?13)"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    statement
        .execute((
            &it.id,
            &it.pattern,
            it.scope.to_string(),
            &it.rationale,
            it.confidence.name(),
            json(&it.source_refs),
            it.status.name(),
            &it.superseded_by,
            it.origin.name(),
            &it.extractor,
            json(&it.keywords),
            &it.created_at,
            &it.updated_at,
        ))
        .map(drop)
}

fn get(connection: &Connection, id: &str) -> rusqlite::Result<Option<Decision>> {
    let sql = format!("SELECT {COLUMNS} FROM decision WHERE id = ?1");
    connection.prepare_cached(&sql)?.query_row([id], decision_of).optional()
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "[]".to_owned())
}

fn decision_of(row: &Row<'_>) -> rusqlite::Result<Decision> {
    fn parsed<T>(at: usize, value: std::result::Result<T, String>) -> rusqlite::Result<T> {
        value.map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(at, Type::Text, error.into())
        })
    }
    let text = |at: usize| row.get_ref(at).and_then(|it| Ok(it.as_str()?));
    let from_json = |at: usize| text(at).map(|text| (at, text));
    let (at, refs) = from_json(5)?;
    let source_refs = parsed(at, serde_json::from_str(refs).map_err(|it| it.to_string()))?;
    let (at, keywords) = from_json(10)?;
    let keywords = parsed(at, serde_json::from_str(keywords).map_err(|it| it.to_string()))?;
    Ok(Decision {
        id: row.get(0)?,
        pattern: row.get(1)?,
        scope: parsed(2, Scope::parse(text(2)?))?,
        rationale: row.get(3)?,
        confidence: parsed(4, Confidence::parse(text(4)?))?,
        source_refs,
        status: parsed(6, State::parse(text(6)?))?,
        superseded_by: row.get(7)?,
        origin: parsed(8, Origin::parse(text(8)?))?,
        extractor: row.get(9)?,
        keywords,
        created_at: row.get(11)?,
        updated_at: row.get(12)?,
    })
}

/// Returns the words of a pattern by which near-duplicates are recognised.
fn words(pattern: &str) -> BTreeSet<String> {
    let is_part = |character: char| character.is_alphanumeric() || "_.-/:*".contains(character);
    let words = pattern.split(|character| !is_part(character));
    let words = words.map(|word| word.trim_matches(['.', ':', '-']).to_lowercase());
    words.filter(|word| !word.is_empty()).collect()
}

fn is_same(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    let common = a.intersection(b).count();
    let all = a.len() + b.len() - common;
    common > 0 && common as f64 >= SAME_SHARE * all as f64
}

fn has_words(decision: &Decision, words: &[String]) -> bool {
    let text = format!(
        "{}\n{}\n{}\n{}",
        decision.pattern,
        decision.rationale,
        decision.scope,
        decision.keywords.join(" ")
    );
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::userdata::decisions::SourceRef;

    const NOW: &str = "2026-01-31T12:00:00Z";

    fn proposal(pattern: &str) -> Proposal {
        Proposal {
            pattern: pattern.to_owned(),
            scope: Scope::Global,
            rationale: "It is faster.".to_owned(),
            confidence: Confidence::High,
            source_refs: vec![SourceRef::line("a.py", 3, "imports it")],
            keywords: vec!["JSON".to_owned()],
        }
    }

    fn submit(database: &Database, pattern: &str) -> String {
        let submitted =
            database.submit_decision(proposal(pattern), Origin::Agent, None, NOW).unwrap();
        match submitted {
            Submitted::New(id) => id,
            Submitted::Known(other) => panic!("{pattern}: known as {}", other.pattern),
        }
    }

    #[test]
    fn a_record_is_a_candidate_until_a_person_decides() {
        let database = Database::in_memory().unwrap();
        let person = Person::at_a_terminal();
        let id = submit(&database, "Use `orjson` for JSON");
        assert_eq!(id.len(), 36);
        assert_eq!(id.as_bytes()[14], b'4');
        let stored = database.decision(&id[..6]).unwrap();
        assert_eq!((stored.status, stored.keywords), (State::Candidate, vec!["json".to_owned()]));
        let approved = database.decide(&person, &id, &Verdict::Approve, NOW).unwrap();
        assert_eq!(approved.status, State::Canonical);
        assert!(database.decide(&person, &id, &Verdict::Approve, NOW).is_err());
        let other = submit(&database, "Use `msgspec` for JSON and validation");
        let by = Verdict::SupersedeBy(other.clone());
        let replaced = database.decide(&person, &id, &by, NOW).unwrap();
        assert_eq!((replaced.status, replaced.superseded_by), (State::Superseded, Some(other)));
        assert!(database.decide(&person, &id, &Verdict::Reject, NOW).is_err());
        let rejected = submit(&database, "Never use classes");
        database.decide(&person, &rejected, &Verdict::Reject, NOW).unwrap();
        let error = database.decide(&person, &rejected, &Verdict::Approve, NOW).unwrap_err();
        assert!(error.to_string().contains("is rejected: only candidates"), "{error}");
        let missing = database.decide(&person, "ffffffff", &Verdict::Approve, NOW).unwrap_err();
        assert_eq!(missing.kind(), Kind::NotFound);
    }

    #[test]
    fn near_duplicates_of_any_status_are_recognised() {
        let database = Database::in_memory().unwrap();
        let id = submit(&database, "Use `pathlib` for paths");
        database.decide(&Person::at_a_terminal(), &id, &Verdict::Reject, NOW).unwrap();
        let again = proposal("use pathlib for  paths.");
        let again = database.submit_decision(again, Origin::Agent, None, NOW).unwrap();
        assert!(matches!(again, Submitted::Known(it) if it.id == id));
        submit(&database, "Use `os.path` for paths");
        let elsewhere = Proposal {
            scope: Scope::Path("docs/**".to_owned()),
            ..proposal("Use pathlib for paths")
        };
        let elsewhere = database.submit_decision(elsewhere, Origin::Agent, None, NOW).unwrap();
        assert!(matches!(elsewhere, Submitted::New(_)));
    }

    #[test]
    fn of_several_proposals_all_or_none_are_stored() {
        let database = Database::in_memory().unwrap();
        let both = vec![proposal("Use A"), proposal(" ")];
        assert!(database.submit_decisions(both, Origin::Bootstrap, Some("none"), NOW).is_err());
        assert_eq!(database.decisions(&Filter::default()).unwrap(), []);
    }

    #[test]
    fn the_revision_grows_with_every_change() {
        let database = Database::in_memory().unwrap();
        let mut last = database.decision_revision().unwrap();
        let mut grows = || {
            let now = database.decision_revision().unwrap();
            assert!(now > last);
            last = now;
        };
        let id = submit(&database, "Use A");
        grows();
        database.rate_decision(&id, true, None, 5).unwrap();
        grows();
        let edit = Edit { rationale: Some("Because.".to_owned()), ..Edit::default() };
        database.edit_decision(&Person::at_a_terminal(), &id, edit, NOW).unwrap();
        grows();
        assert_eq!(database.decision_feedback().unwrap(), [(id, 5, true)]);
    }

    #[test]
    fn concurrent_processes_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data.sqlite");
        let database = Database::open(&path).unwrap();
        let ids: Vec<String> = (0..8).map(|at| submit(&database, &format!("Use x{at}"))).collect();
        std::thread::scope(|scope| {
            for (at, id) in ids.iter().enumerate() {
                let path = &path;
                scope.spawn(move || {
                    let database = Database::open(path).unwrap();
                    submit(&database, &format!("Use y{at}"));
                    let person = Person::at_a_terminal();
                    database.decide(&person, id, &Verdict::Approve, NOW).unwrap();
                });
            }
        });
        let counts = database.decision_counts().unwrap();
        assert_eq!((counts["candidate"], counts["canonical"]), (8, 8));
    }

    #[test]
    fn an_import_adds_candidates_only() {
        let database = Database::in_memory().unwrap();
        let id = submit(&database, "Use A");
        let stored =
            database.decide(&Person::at_a_terminal(), &id, &Verdict::Approve, NOW).unwrap();
        let other = Database::in_memory().unwrap();
        let all = [stored.clone()];
        assert_eq!(other.add_decisions(None, &all).unwrap(), 1);
        assert_eq!(other.add_decisions(None, &all).unwrap(), 0);
        assert_eq!(other.decision(&id).unwrap().status, State::Candidate);
        let trusted = Database::in_memory().unwrap();
        assert_eq!(trusted.add_decisions(Some(&Person::at_a_terminal()), &all).unwrap(), 1);
        assert_eq!(trusted.decision(&id).unwrap(), stored);
    }
}
