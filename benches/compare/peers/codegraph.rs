//! Queries for codegraph: definitions, callers and the context of a task.
//!
//! The replies of codegraph and codedb have different structures. The bench checks that both
//! contain the definition, by path and line, and compares the calling functions.

use std::path::Path;

use serde_json::Value;

use super::super::ends::Ends;
use super::super::process::Job;
use super::answers::Place;
use super::index::{self, Build};
use super::programs::{self, Program};
use super::race::{Lane, Race, STRICT};
use super::{Setting, answers, our_reply, queries, reply};

/// Builds its index in the copy.
pub(super) fn build(setting: &Setting) -> Result<Option<Build>, String> {
    let Some(path) = setting.programs.path(Program::Codegraph) else { return Ok(None) };
    let root = &setting.stage.tree.root;
    let job = job(setting, path, &["init", "--yes", "."]);
    let (name, place) = ("codegraph (definitions, calls)", root.join(".codegraph"));
    index::build(setting, Some(Program::Codegraph), name, &job, &place).map(Some)
}

/// Runs all queries for the first of the tree's names that has a definition.
pub(super) fn races(setting: &Setting, is_watched: bool) -> Vec<Race> {
    let Some(path) = setting.programs.path(Program::Codegraph) else { return Vec::new() };
    let (name, place) = match defined(setting) {
        Ok(Some(found)) => found,
        Ok(None) => return Vec::new(),
        Err(message) => {
            let mut race = Race::new("definition".into());
            race.fail(STRICT, &message);
            return vec![race];
        }
    };
    let task = format!("how does {name} work and who calls it");
    let lookups: [(&str, Vec<&str>, Vec<&str>); 3] = [
        (
            "definition",
            vec!["symbol", name, "--max-results", "1000"],
            vec!["query", name, "--limit", "1000", "--json"],
        ),
        (
            "callers",
            vec!["callers", name, "--max-results", "1000"],
            vec!["callers", name, "--limit", "1000", "--json"],
        ),
        ("context", vec!["context", &task], vec!["context", &task, "--format", "json"]),
    ];
    let mut races = Vec::new();
    for (what, ours, theirs) in
        lookups.iter().filter(|(what, ..)| setting.options.is_selected(what))
    {
        let mut race = Race::new(format!("{what} of `{name}`"));
        race.lanes = setting.lanes(ours, is_watched);
        race.lanes.push(Lane::new(Program::Codegraph.name(), job(setting, path, theirs)));
        let replies = [&race.lanes[0], &race.lanes[race.lanes.len() - 1]]
            .map(|lane| (lane.name, reply(&lane.job)));
        let replies = replies.map(|(name, reply)| match reply {
            Ok(reply) => Some(reply),
            Err(message) => {
                race.fail(name, &message);
                None
            }
        });
        if let [Some(ours), Some(theirs)] = &replies {
            compare(&mut race, what, &place, ours, theirs);
        }
        races.push(setting.finish(race));
    }
    races
}

/// Records which replies contain the definition.
fn compare(race: &mut Race, what: &str, place: &Place, ours: &Value, theirs: &Value) {
    let holds = |reply| if answers::mentions(reply, place) { "has" } else { "**lacks**" };
    race.results.push(format!(
        "{}:{}: codedb {} it, codegraph {} it",
        place.0,
        place.1,
        holds(ours),
        holds(theirs)
    ));
    if what == "callers" {
        let (ours, theirs) = (answers::callers(ours), answers::codegraph_callers(theirs));
        race.found = ours.len().to_string();
        race.results.push(format!(
            "{} calling functions in both, {} in codedb's alone, {} in codegraph's alone",
            ours.intersection(&theirs).count(),
            ours.difference(&theirs).count(),
            theirs.difference(&ours).count()
        ));
    }
}

/// Returns a name and the place of its first definition.
fn defined<'a>(setting: &Setting<'a>) -> Result<Option<(&'a str, Place)>, String> {
    for name in queries::names(&setting.stage.tree) {
        let reply = our_reply(&setting.tool(&["symbol", name], "strict"), name)?;
        let places = reply.map(|reply| answers::symbols(&reply)).unwrap_or_default();
        if let Some(place) = places.into_iter().next() {
            return Ok(Some((name, place)));
        }
        eprintln!("  `{name}` is not defined here");
    }
    Ok(None)
}

/// Returns a call of codegraph without telemetry, downloads and background processes.
fn job(setting: &Setting, path: &Path, args: &[&str]) -> Job {
    let mut job = Job::new(path, &setting.stage.tree.root, args);
    job.ends = Ends::SilentOne;
    job.envs = programs::codegraph_variables(&setting.stage.dir);
    job
}
