//! Definitions by name: `codedb symbol` compared with ctags and `readtags`.

use std::collections::BTreeSet;
use std::path::Path;

use super::super::ends::Ends;
use super::super::process::Job;
use super::Setting;
use super::answers::{Place, symbols, tags};
use super::index::{self, Build, tags_file};
use super::programs::Program;
use super::race::{Lane, Race, STRICT};
use super::{our_reply, queries};

/// Looks up names; returns nothing if one of the two programs is missing or the file is incomplete.
pub(super) fn races(setting: &Setting, builds: &[Build], is_watched: bool) -> Vec<Race> {
    let Some(readtags) = setting.programs.path(Program::Readtags) else { return Vec::new() };
    if let Some(trouble) = index::trouble(builds, Program::Ctags) {
        eprintln!("  definitions are not compared ({trouble})");
        return Vec::new();
    }
    let names = queries::names(&setting.stage.tree);
    names
        .iter()
        .filter(|name| setting.options.is_selected(name))
        .filter_map(|name| race(setting, readtags, name, is_watched))
        .collect()
}

/// Returns `None` for a name without a definition in both.
fn race(setting: &Setting, readtags: &Path, name: &str, is_watched: bool) -> Option<Race> {
    let mut race = Race::new(format!("`{name}`"));
    let lanes = setting.lanes(&["symbol", name, "--max-results", "1000"], is_watched);
    let mut ours = BTreeSet::new();
    match our_reply(&lanes[0].job, name) {
        Ok(Some(reply)) => {
            ours.extend(symbols(&reply));
            race.found = ours.len().to_string();
            race.lanes = lanes;
        }
        Ok(None) => race.found = "0".into(),
        Err(message) => race.fail(STRICT, &message),
    }

    let mut job = Job::new(readtags, &setting.stage.tree.root, ["-t"]);
    job.args.extend([tags_file(setting).into(), "-E".into(), "-e".into(), "-n".into()]);
    job.args.extend(["-".into(), name.into()]);
    job.ends = Ends::SilentOne;
    match job.run().and_then(|run| run.answered(&job)) {
        Ok(run) => {
            let (theirs, others) = tags(&String::from_utf8_lossy(&run.stdout));
            if race.is_right && ours.is_empty() && theirs.is_empty() && others == 0 {
                eprintln!("  `{name}` is not defined here");
                return None;
            }
            race.lanes.push(Lane::new(Program::Readtags.name(), job));
            // The results of a failed call of codedb are unknown.
            if race.is_right {
                race.results.extend(results(name, &ours, &theirs, others));
            }
        }
        Err(message) => race.fail(Program::Readtags.name(), &message),
    }
    Some(setting.finish(race))
}

/// Describes which definitions of one program the other has.
fn results(
    name: &str,
    ours: &BTreeSet<Place>,
    theirs: &BTreeSet<Place>,
    others: usize,
) -> [String; 3] {
    let missing = theirs.difference(ours).count();
    if let Some((path, line)) = theirs.difference(ours).next() {
        eprintln!("  {name}: codedb lacks {missing} of ctags's definitions, first {path}:{line}");
    }
    let (count, more) = (theirs.len(), ours.difference(theirs).count());
    [
        match (count, missing) {
            (0, _) => "ctags has no definition".to_owned(),
            (_, 0) => format!("codedb has all {count} of ctags's definitions"),
            _ => format!("codedb lacks {missing} of ctags's {count} definitions"),
        },
        format!("{more} in codedb's alone"),
        format!("{others} tags of other kinds"),
    ]
}
