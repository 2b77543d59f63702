//! Compares replies with the blessed hashes. The last correct reply is kept in the cache, so that a
//! wrong one can be compared with it.

use std::fs;
use std::path::{Path, PathBuf};

use super::case::{Case, Mode};
use super::case_file::CaseFile;
use super::corpus::{Outcome, checksum};
use super::options::Options;
use super::set;
use super::stage::Stage;
use super::{print, print_message, ranking, reply};

/// Runs each case once, and compares the rankings with those in the folder `rankings`.
///
/// # Errors
///
/// If a case fails, or its reply or a ranking differs from the expected one.
pub(crate) fn run(
    stage: &Stage,
    files: &[CaseFile],
    rankings: &Path,
    options: &Options,
) -> Outcome<()> {
    let set = set::cases(stage, files, options, Mode::Watched)?;
    let cases = &set.cases;
    if cases.is_empty() && !ranking::is_selected(options) {
        return Err(set::NO_CASE.to_owned());
    }
    replies(stage, cases.iter())?;
    let replies = cases.iter().filter(|case| case.expected.is_some()).count();
    print(&format!(
        "{} cases of the profile `{}` ran, {replies} replies are as blessed\n",
        cases.len(),
        stage.profile
    ));
    rank(stage, rankings, options)
}

fn rank(stage: &Stage, rankings: &Path, options: &Options) -> Outcome<()> {
    let tasks = ranking::check(stage, rankings, options)?;
    if tasks > 0 {
        print(&format!("{tasks} rankings are as blessed\n"));
    }
    Ok(())
}

/// Runs each case once and compares.
///
/// # Errors
///
/// As [`run`], but all cases are run first.
pub(crate) fn replies<'a, 'c: 'a>(
    stage: &Stage,
    cases: impl Iterator<Item = &'a Case<'c>>,
) -> Outcome<()> {
    let root = stage.root();
    let mut wrong = 0;
    for case in cases {
        let made = match case.run() {
            Ok(made) => made.plain(&root),
            Err(error) => {
                print_message(&error);
                wrong += 1;
                continue;
            }
        };
        let Some(expected) = &case.expected else { continue };
        let found = checksum::of_text(&made);
        if expected.hash.as_ref() == Some(&found) {
            keep(stage, case, &made);
            continue;
        }
        wrong += 1;
        let what = match &expected.hash {
            None => "no reply was blessed yet".to_owned(),
            Some(_) => match kept(stage, case, expected.hash.as_deref()) {
                Some(before) => {
                    format!("another reply, from {}", reply::first_difference(&before, &made))
                }
                None => "another reply than the blessed one".to_owned(),
            },
        };
        let name = stage.index_dir().join("wrong").join(file_name(case));
        let written = fs::create_dir_all(name.parent().unwrap_or(&name))
            .and_then(|()| fs::write(&name, &made));
        let place = written.map_or_else(|error| error.to_string(), |()| name.display().to_string());
        print_message(&format!("{}: {what}\n  it is in {place}", case.name));
    }
    match wrong {
        0 => Ok(()),
        1 => Err("a case is wrong".to_owned()),
        wrong => Err(format!("{wrong} cases are wrong")),
    }
}

/// Stores a correct reply for comparison with later ones.
pub(crate) fn keep(stage: &Stage, case: &Case<'_>, text: &str) {
    let path = place(stage, case);
    if let Some(folder) = path.parent()
        && fs::create_dir_all(folder).is_ok()
    {
        // Without the stored reply, a difference is reported but not shown.
        let _ = fs::write(path, text);
    }
}

/// Returns the stored reply with the hash `hash`.
pub(crate) fn kept(stage: &Stage, case: &Case<'_>, hash: Option<&str>) -> Option<String> {
    let text = fs::read_to_string(place(stage, case)).ok()?;
    (Some(checksum::of_text(&text).as_str()) == hash).then_some(text)
}

/// Returns the path of a stored reply. It is outside of the indexes, because replies are valid
/// across builds.
fn place(stage: &Stage, case: &Case<'_>) -> PathBuf {
    let indexes = stage.index_dir().parent().unwrap_or(stage.index_dir());
    let replies = indexes.with_file_name("replies");
    replies.join(stage.profile.name()).join(file_name(case))
}

fn file_name(case: &Case<'_>) -> String {
    format!("{}.txt", case.name.replace('/', "_"))
}
