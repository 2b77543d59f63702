//! Definitions by name: `codedb symbol` beside ctags's file and `readtags`.

use std::collections::BTreeSet;

use super::super::ends::Ends;
use super::super::process::Job;
use super::Setting;
use super::answers::{Place, symbols, tags};
use super::index::{self, Build, tags_file};
use super::programs::Program;
use super::race::{Lane, Race};
use super::{queries, reply};

/// Looks names up; nothing where one of the two programs is not here or the file is not whole.
pub(super) fn races(
    setting: &Setting,
    builds: &[Build],
    is_watched: bool,
) -> Result<Vec<Race>, String> {
    let Some(readtags) = setting.programs.path(Program::Readtags) else { return Ok(Vec::new()) };
    if let Some(trouble) = index::trouble(builds, Program::Ctags) {
        eprintln!("  definitions not asked for ({trouble})");
        return Ok(Vec::new());
    }
    let names = queries::names(&setting.stage.tree);
    names
        .iter()
        .filter(|name| setting.options.wants(name))
        .filter_map(|name| race(setting, readtags, name, is_watched).transpose())
        .collect()
}

/// Returns `None` for a name that neither of the two knows.
fn race(
    setting: &Setting,
    readtags: &std::path::Path,
    name: &str,
    is_watched: bool,
) -> Result<Option<Race>, String> {
    let mut lanes = setting.lanes(&["symbol", name, "--max-results", "1000"], is_watched);
    let ours: BTreeSet<Place> = symbols(&reply(&lanes[0].job)?).into_iter().collect();

    let mut job = Job::new(readtags, &setting.stage.tree.root, ["-t"]);
    job.args.extend([tags_file(setting).into(), "-E".into(), "-e".into(), "-n".into()]);
    job.args.extend(["-".into(), name.into()]);
    job.ends = Ends::SilentOne;
    let run = job.run()?.answered(&job)?;
    let (theirs, others) = tags(&String::from_utf8_lossy(&run.stdout));
    lanes.push(Lane::new(Program::Readtags.name(), job));
    if ours.is_empty() && theirs.is_empty() && others == 0 {
        eprintln!("  `{name}` is not defined here");
        return Ok(None);
    }

    let missing = theirs.difference(&ours).count();
    if let Some((path, line)) = theirs.difference(&ours).next() {
        eprintln!("  {name}: codedb lacks {missing} of ctags's definitions, first {path}:{line}");
    }
    let (count, more) = (theirs.len(), ours.difference(&theirs).count());
    let results = vec![
        match (count, missing) {
            (0, _) => "ctags has no definition".to_owned(),
            (_, 0) => format!("codedb has all {count} of ctags's definitions"),
            _ => format!("codedb lacks {missing} of ctags's {count} definitions"),
        },
        format!("{more} in codedb's alone"),
        format!("{others} tags of other kinds"),
    ];
    let race =
        Race { question: format!("`{name}`"), found: ours.len().to_string(), lanes, results };
    Ok(Some(setting.finish(race)))
}
