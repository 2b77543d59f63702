//! Searches: the results of every program compared with ripgrep's, and their times.

use std::collections::BTreeSet;

use super::super::ends::Ends;
use super::super::process::Job;
use super::Setting;
use super::index::{self, Build};
use super::lines::{Layout, Line, difference, read};
use super::programs::Program;
use super::queries::{self, Query};
use super::race::{Lane, Race, STRICT, WATCHED};
use super::stage::git_job;

/// Runs every query.
pub(super) fn races(
    setting: &Setting,
    builds: &[Build],
    is_watched: bool,
) -> Result<Vec<Race>, String> {
    let files = setting.stage.tree.files.iter();
    let files = files.map(|file| file.as_os_str().as_encoded_bytes().to_vec()).collect();
    let mut races = Vec::new();
    let queries = queries::of(&setting.stage.tree);
    for query in queries.iter().filter(|query| setting.options.is_selected(query.name)) {
        races.push(setting.finish(race(setting, builds, query, is_watched, &files)?));
    }
    Ok(races)
}

fn race(
    setting: &Setting,
    builds: &[Build],
    query: &Query,
    is_watched: bool,
    files: &BTreeSet<Vec<u8>>,
) -> Result<Race, String> {
    let rg = rg(setting, query);
    let expected = read(&Layout::NulColon, &rg.run()?.answered(&rg)?.stdout, files);
    let switch = if query.ignore_case { "-i " } else { "" };
    let mut race = Race::new(format!("{}: `{switch}{}`", query.name, query.pattern));
    race.found = expected.lines.len().to_string();
    let csearch_trouble = setting
        .programs
        .path(Program::Csearch)
        .and_then(|_| index::trouble(builds, Program::Cindex));
    let has_index = csearch_trouble.is_none();
    race.results
        .extend(csearch_trouble.map(|trouble| format!("csearch was not measured ({trouble})")));
    let ours = ours(setting, query, is_watched).into_iter().map(|lane| (lane, Layout::NulColon));
    for (lane, layout) in ours.chain(peers(setting, query, rg, has_index)) {
        let run = match lane.job.run().and_then(|run| run.answered(&lane.job)) {
            Ok(run) => run,
            Err(message) => {
                race.fail(lane.name, &message);
                continue;
            }
        };
        let found = read(&layout, &run.stdout, files);
        // Other lines in a peer's output are not checked; codedb must print the same as ripgrep,
        // including messages.
        let is_wrong = lane.is_ours() && found != expected;
        let mark = if is_wrong { " **WRONG**" } else { "" };
        race.is_right &= !is_wrong;
        if found.others != expected.others {
            let (name, count) = (lane.name, found.others.len());
            let theirs = expected.others.len();
            let first = found.others.iter().find(|other| !expected.others.contains(other));
            let first = first.map(|other| other.escape_ascii().to_string()).unwrap_or_default();
            eprintln!("  {}: {name} prints other lines, first {first}", race.question);
            race.results.push(format!("{name} prints {count} other lines, rg {theirs}{mark}"));
        }
        let differs = difference(&expected.lines, &found.lines);
        if !differs.is_none() {
            let first = differs.first.as_ref().map(place).unwrap_or_default();
            eprintln!("  {}: {} {differs}, first {first}", race.question, lane.name);
            race.results.push(format!("{} {differs}{mark}", lane.name));
        }
        race.lanes.push(lane);
    }
    Ok(race)
}

fn ours(setting: &Setting, query: &Query, is_watched: bool) -> Vec<Lane> {
    let args = like_rg(query).into_iter().map(Into::into).collect::<Vec<_>>();
    let lane = |name, fresh| {
        Lane::new(name, setting.stage.tree.search(setting.codedb, &["--fresh", fresh], &args))
    };
    let mut lanes = vec![lane(STRICT, "strict")];
    lanes.extend(is_watched.then(|| lane(WATCHED, "watch")));
    lanes
}

/// Returns the installed peers with their output formats; csearch only if it `has_index`.
fn peers(setting: &Setting, query: &Query, rg: Job, has_index: bool) -> Vec<(Lane, Layout)> {
    let root = &setting.stage.tree.root;
    let case = query.ignore_case.then_some("-i");
    let lane = |program: Program, args: &[&str], pattern: &[&str]| {
        let path = setting.programs.path(program)?;
        let args = args.iter().copied().chain(case).chain(pattern.iter().copied());
        Some(Lane::new(program.name(), Job::new(path, root, args)))
    };
    let pattern = query.pattern.as_str();
    let mut lanes = vec![(Lane::new(Program::Rg.name(), rg), Layout::NulColon)];

    let syntax = setting.stage.git_syntax;
    let switches = ["grep", "-n", "-z", "-I", syntax, "--no-color", "--no-column"];
    lanes.extend(setting.programs.path(Program::GitGrep).map(|git| {
        let args = switches.into_iter().chain(case).chain(["-e", pattern]);
        let mut job = git_job(git, root, args);
        // The fastest mode; all patterns are ASCII.
        job.envs.push(("LC_ALL", "C".into()));
        (Lane::new(Program::GitGrep.name(), job), Layout::NulNul)
    }));
    let csearch = lane(Program::Csearch, &["-n"], &[pattern]).filter(|_| has_index);
    lanes.extend(csearch.map(|mut lane| {
        lane.job.envs.push(index::csearch_env(setting));
        lane.job.ends = Ends::SilentOne;
        (lane, Layout::Colons { root: root.as_os_str().as_encoded_bytes().to_vec() })
    }));
    let switches = ["-r", "-n", "-0", "-I", "--color=never"];
    lanes.extend(
        lane(Program::Ugrep, &switches, &["-e", pattern]).map(|lane| (lane, Layout::NulColon)),
    );
    lanes
}

fn rg(setting: &Setting, query: &Query) -> Job {
    Job::new(&setting.options.rg, &setting.stage.tree.root, like_rg(query))
}

fn like_rg(query: &Query) -> Vec<&str> {
    let case = query.ignore_case.then_some("-i");
    ["-n", "-0"].into_iter().chain(case).chain(["-e", &query.pattern]).collect()
}

fn place(line: &Line) -> String {
    format!("{}:{}", line.path.escape_ascii(), line.number)
}
