//! codegraph's questions: where something is defined, who calls it, what a task is about.
//!
//! Its replies and codedb's are of different shapes. What is checked is that both hold the definition that was
//! asked about, by path and line, and which functions both name as callers.

use std::path::Path;

use super::super::ends::Ends;
use super::super::process::Job;
use super::answers::Place;
use super::index::{self, Build};
use super::programs::Program;
use super::race::{Lane, Race};
use super::{Setting, answers, queries, reply};

/// Builds its index in the copy.
pub(super) fn build(setting: &Setting) -> Result<Option<Build>, String> {
    let Some(path) = setting.programs.path(Program::Codegraph) else { return Ok(None) };
    let root = &setting.stage.tree.root;
    let job = job(setting, path, &["init", "--yes", "."]);
    let (name, place) = ("codegraph (definitions, calls)", root.join(".codegraph"));
    index::build(setting, Some(Program::Codegraph), name, &job, &place).map(Some)
}

/// Asks all questions about the first of the tree's names that is defined there.
pub(super) fn races(setting: &Setting, is_watched: bool) -> Result<Vec<Race>, String> {
    let Some(path) = setting.programs.path(Program::Codegraph) else { return Ok(Vec::new()) };
    let Some((name, place)) = defined(setting)? else { return Ok(Vec::new()) };
    let task = format!("how does {name} work and who calls it");
    let asked: [(&str, Vec<&str>, Vec<&str>); 3] = [
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
    for (what, ours, theirs) in asked.iter().filter(|(what, ..)| setting.options.wants(what)) {
        let mut lanes = setting.lanes(ours, is_watched);
        let peer = Lane::new(Program::Codegraph.name(), job(setting, path, theirs));
        let (our_reply, their_reply) = (reply(&lanes[0].job)?, reply(&peer.job)?);
        let holds = |reply| if answers::mentions(reply, &place) { "has" } else { "**lacks**" };
        let mut results = vec![format!(
            "{}:{}: codedb {} it, codegraph {} it",
            place.0,
            place.1,
            holds(&our_reply),
            holds(&their_reply)
        )];
        let mut found = "–".to_owned();
        if *what == "callers" {
            let ours = answers::callers(&our_reply);
            let theirs = answers::codegraph_callers(&their_reply);
            found = ours.len().to_string();
            results.push(format!(
                "{} calling functions in both, {} in codedb's alone, {} in codegraph's alone",
                ours.intersection(&theirs).count(),
                ours.difference(&theirs).count(),
                theirs.difference(&ours).count()
            ));
        }
        lanes.push(peer);
        let question = format!("{what} of `{name}`");
        races.push(setting.finish(Race { question, found, lanes, results }));
    }
    Ok(races)
}

/// Returns a name and the first place of its definition.
fn defined<'a>(setting: &Setting<'a>) -> Result<Option<(&'a str, Place)>, String> {
    for name in queries::names(&setting.stage.tree) {
        let places = answers::symbols(&reply(&setting.tool(&["symbol", name], "strict"))?);
        if let Some(place) = places.into_iter().next() {
            return Ok(Some((name, place)));
        }
        eprintln!("  `{name}` is not defined here");
    }
    Ok(None)
}

/// Returns a call of codegraph that tells nobody of it, downloads nothing and leaves no process behind.
fn job(setting: &Setting, path: &Path, args: &[&str]) -> Job {
    let mut job = Job::new(path, &setting.stage.tree.root, args);
    job.ends = Ends::SilentOne;
    job.envs = ["DO_NOT_TRACK", "CODEGRAPH_NO_DOWNLOAD", "CODEGRAPH_NO_DAEMON"]
        .map(|name| (name, "1".into()))
        .to_vec();
    // Its settings and caches are the bench's, too.
    job.envs.push(("HOME", setting.stage.beside.clone().into()));
    job
}
