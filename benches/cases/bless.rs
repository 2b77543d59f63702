//! Writes the current hashes of the replies into bench-corpus/cases and prints the changes.

use std::fs;
use std::path::Path;

use super::case::Mode;
use super::case_file::{CaseFile, with_hash};
use super::corpus::{Outcome, checksum};
use super::options::Options;
use super::set;
use super::stage::Stage;
use super::{check, print, ranking, reply};

/// Blesses the replies of the selected cases, and the rankings in the folder `rankings`.
///
/// # Errors
///
/// If a case fails or its reply differs in a second run, or a file cannot be written.
pub(crate) fn run(
    stage: &Stage,
    files: &[CaseFile],
    rankings: &Path,
    options: &Options,
) -> Outcome<()> {
    let root = stage.root();
    let mut changed = 0;
    ranking::bless(stage, rankings, options)?;
    let set = set::cases(stage, files, options, Mode::Watched)?;
    if set.cases.is_empty() && !ranking::is_selected(options) {
        return Err(set::NO_CASE.to_owned());
    }
    for case in &set.cases {
        let made = case.run()?.plain(&root);
        let Some(expected) = &case.expected else { continue };
        let again = case.run()?.plain(&root);
        if again != made {
            let difference = reply::first_difference(&made, &again);
            return Err(format!("{} answers differently each time: {difference}", case.name));
        }
        let hash = checksum::of_text(&made);
        if expected.hash.as_deref() == Some(hash.as_str()) {
            check::keep(stage, case, &made);
            continue;
        }
        changed += 1;
        let path = &files[expected.file].path;
        let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        fs::write(path, with_hash(&text, expected.at, stage.profile, &hash))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let what = match &expected.hash {
            None => format!("new, {} lines", made.lines().count()),
            Some(before) => match check::kept(stage, case, Some(before)) {
                Some(before) => reply::first_difference(&before, &made),
                None => "changed; the reply before is not known".to_owned(),
            },
        };
        print(&format!("{}: {what}\n", case.name));
        check::keep(stage, case, &made);
    }
    print(&format!("{changed} replies changed\n"));
    Ok(())
}
