//! One call for callgrind: `valgrind --tool=callgrind --toggle-collect='*measured_call*' …`.

use std::hint::black_box;

use super::case::{Case, CaseOutput, Mode};
use super::case_file::CaseFile;
use super::corpus::cache::Cache;
use super::corpus::{Corpus, Outcome};
use super::options::Options;
use super::print;
use super::set;
use super::stage::Stage;

/// Warm-up calls, which fill the engine's caches.
const WARM_CALLS: usize = 2;

/// Runs the case `name` on this thread only.
///
/// # Errors
///
/// If there is no such case, it uses other threads, or there is no index yet: building one under
/// callgrind would take hours.
pub(crate) fn run(
    corpus: &Corpus,
    cache: &Cache,
    files: &[CaseFile],
    options: &Options,
    name: &str,
) -> Outcome<()> {
    let profile = options.profile;
    let stage = Stage::find(corpus, cache, profile)?.ok_or_else(|| {
        format!(
            "there is no index of the corpus `{profile}` by this build; \
             `--prepare --profile {profile}` makes it"
        )
    })?;
    // Parallel work is done by this thread, and so it is counted.
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build_global()
        .map_err(|error| format!("no pool of one thread: {error}"))?;
    if ["mcp/", "cli/"].iter().any(|part| name.starts_with(part)) {
        return Err(uncountable(name));
    }
    let only = regex_automata::meta::Regex::new(&format!("^{}$", regex_syntax::escape(name)));
    let filter = Some(only.map_err(|error| error.to_string())?);
    let options = Options { filter, ..options.clone() };
    let set = set::some_cases(&stage, files, &options, Mode::Alone)?;
    let case = set.cases.first().ok_or_else(|| format!("there is no case `{name}`"))?;
    if !case.is_countable {
        return Err(format!(
            "the work of `{name}` is not that of one thread and cannot be counted"
        ));
    }
    for _ in 0..WARM_CALLS {
        case.run()?;
    }
    let made = measured_call(case)?;
    let bytes = made.plain("").len();
    print(&format!("{name}: {bytes} bytes\n"));
    Ok(())
}

fn uncountable(name: &str) -> String {
    format!("the work of `{name}` is not that of one thread and cannot be counted")
}

/// The measured call. Callgrind selects it by its name.
#[inline(never)]
pub(crate) fn measured_call(case: &Case<'_>) -> Outcome<CaseOutput> {
    black_box((case.run)())
}
