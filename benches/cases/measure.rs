//! Measures the cases with criterion, one group per tool or component.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode};

use super::case::{Case, Mode};
use super::case_file::CaseFile;
use super::check;
use super::corpus::Outcome;
use super::corpus::manifest::Profile;
use super::options::Options;
use super::set;
use super::stage::Stage;

/// For calls of this duration or longer, criterion uses a fixed number of iterations per sample.
const LONG: Duration = Duration::from_millis(5);

/// The duration and number of samples of a case.
#[derive(Clone, Copy, Debug)]
struct Pace {
    warm_up: Duration,
    measurement: Duration,
    samples: usize,
    resamples: usize,
}

/// With these values, 127 cases take a minute on the small corpus and five on the full one, plus
/// the time of the long cases, which need ten runs.
fn pace(profile: Profile) -> Pace {
    match profile {
        Profile::Small => Pace {
            warm_up: Duration::from_millis(100),
            measurement: Duration::from_millis(350),
            samples: 15,
            resamples: 2_000,
        },
        Profile::Full => Pace {
            warm_up: Duration::from_millis(500),
            measurement: Duration::from_secs(2),
            samples: 50,
            resamples: 10_000,
        },
    }
}

/// Checks the replies of the selected cases, then measures them.
///
/// # Errors
///
/// If a case fails or its reply is wrong; then nothing is measured.
pub(crate) fn run(stage: &Stage, files: &[CaseFile], options: &Options) -> Outcome<()> {
    let set = set::some_cases(stage, files, options, Mode::Watched)?;
    let cases = &set.cases;
    check::replies(stage, cases.iter())?;
    let Pace { warm_up, measurement, samples, resamples } = pace(stage.profile);
    let mut criterion = Criterion::default()
        .warm_up_time(warm_up)
        .measurement_time(measurement)
        .sample_size(samples)
        .nresamples(resamples);
    criterion = if options.plots { criterion.with_plots() } else { criterion.without_plots() };
    if let Some(name) = &options.save_baseline {
        criterion = criterion.save_baseline(name.clone());
    }
    if let Some(name) = &options.baseline {
        criterion = criterion.retain_baseline(name.clone(), true);
    }
    for case in cases {
        measure(&mut criterion, case, samples)?;
    }
    criterion.final_summary();
    Ok(())
}

fn measure(criterion: &mut Criterion, case: &Case<'_>, samples: usize) -> Outcome<()> {
    let started = Instant::now();
    case.run()?;
    let is_long = started.elapsed() > LONG;
    let (group, name) = case.name.rsplit_once('/').unwrap_or(("", &case.name));
    let mut group = criterion.benchmark_group(group);
    if is_long {
        group.sampling_mode(SamplingMode::Flat).sample_size(samples.min(10));
    }
    group.bench_function(name, |bencher| {
        bencher.iter(|| black_box(case.run()).expect("it did not fail before"));
    });
    group.finish();
    Ok(())
}
