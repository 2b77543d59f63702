//! The comparison of two revisions, from their names to the report.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::build;
use super::callgrind;
use super::compare::{self, Settings};
use super::corpus::cache::Cache;
use super::corpus_ready;
use super::driver::Program;
use super::history;
use super::judge::{Rules, judge};
use super::measure::Side;
use super::options::{self, Options, Source};
use super::report::{Report, Subject};
use super::run_lock::RunLock;
use super::thresholds::{FILE, Thresholds};
use super::tree::Repository;
use super::waivers::{self, Waiver};

/// One side after resolving and building.
struct Origin {
    /// The description for the report.
    subject: Subject,
    /// The executable; `None` if the revision has no such bench.
    program: Option<Program>,
}

/// Compares two revisions and returns true if nothing fails. The report is written before this
/// returns.
///
/// # Errors
///
/// If there is nothing to measure: no such revision, a failed build, another run in progress.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let folder = options.work.clone();
    let _lock = RunLock::take(&folder)?;
    let thresholds = thresholds(options)?;
    let mut remarks = Vec::new();
    let (base, head) = match origins(options, &folder) {
        Ok(origins) => origins,
        Err(fault) => return publish(&Report::of_fault(fault, &options.profile), options),
    };
    let Some(head_program) = head.program else {
        let fault = "the head has no bench `cases`: there is nothing to measure".to_owned();
        return publish(&Report::of_fault(fault, &options.profile), options);
    };
    if base.program.is_none() {
        remarks.push("The base has no bench `cases` yet, so that every case is new.".to_owned());
    }
    let valgrind = callgrind::version();
    if !options.instructions {
        remarks.push("Instructions were not counted, as requested.".to_owned());
    } else if valgrind.is_none() {
        remarks.push(
            "There is no valgrind here: instructions were not counted, and calls of less than a \
             millisecond are not gated."
                .to_owned(),
        );
    }
    let waivers = waivers(options, &base.subject, &head.subject, &mut remarks)?;
    let settings = Settings {
        profile: options.profile.clone(),
        filter: options.filter.clone(),
        counted: options.instructions && valgrind.is_some(),
        plan: options.plan,
        time_limits: options.time_limits,
        scratch: folder,
    };
    let progress = |what: &str| eprintln!("{what}");
    let comparison =
        compare::compare(base.program.as_ref(), &head_program, &settings, &thresholds, &progress);
    let same_corpus =
        comparison.base_corpus.is_none() || comparison.base_corpus == comparison.head_corpus;
    let rules = Rules { thresholds: &thresholds, waivers: &waivers, same_corpus };
    let rows = judge(comparison.recorded, &rules);
    let mut report = Report {
        base: Subject { corpus: comparison.base_corpus, ..base.subject },
        head: Subject { corpus: comparison.head_corpus, ..head.subject },
        profile: options.profile.clone(),
        valgrind: valgrind.filter(|_| settings.counted),
        rows,
        faults: comparison.faults,
        remarks,
    };
    // With a filter most cases are missing, so remarks about them would be wrong.
    if options.filter.is_none() {
        report.remark_on(&rules);
    }
    publish(&report, options)
}

/// Writes a report, prints it, and returns true if nothing fails.
fn publish(report: &Report, options: &Options) -> Result<bool, String> {
    report.write(&options.out)?;
    if let Some(file) = options.history.as_ref().filter(|_| report.faults.is_empty()) {
        history::append(report, file)?;
    }
    print!("{}", report.markdown());
    if std::env::var_os("GITHUB_ACTIONS").is_some() {
        print!("{}", report.annotations());
    }
    std::io::stdout().flush().map_err(|error| error.to_string())?;
    Ok(!report.fails())
}

fn thresholds(options: &Options) -> Result<Thresholds, String> {
    let file = options.thresholds.clone().unwrap_or_else(|| options.repository.join(FILE));
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    Thresholds::parse(&text)
}

/// Reads the waivers of the commits between the two and of the given files.
fn waivers(
    options: &Options,
    base: &Subject,
    head: &Subject,
    remarks: &mut Vec<String>,
) -> Result<Vec<Waiver>, String> {
    let mut text = String::new();
    if let (Some(base), Some(head)) = (&base.commit, &head.commit) {
        text = Repository::open(&options.repository)?.messages(base, head)?;
    }
    for file in &options.waivers {
        text.push('\n');
        text +=
            &fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let (waivers, problems) = waivers::parse(&text);
    remarks.extend(problems);
    Ok(waivers)
}

/// One side before it is built.
struct Resolved {
    subject: Subject,
    /// The tree to build and the target directory; `None` for an executable that is there already.
    tree: Option<(PathBuf, PathBuf)>,
    program: Option<Program>,
}

/// Resolves both sides, checks that their corpora are there, and builds them.
///
/// The corpus comes first: the two builds take ten minutes.
fn origins(options: &Options, directory: &Path) -> Result<(Origin, Origin), String> {
    let base = resolve(options, directory, Side::Base, &options.base)?;
    let head = resolve(options, directory, Side::Head, &options.head)?;
    for (side, resolved) in [(Side::Base, &base), (Side::Head, &head)] {
        if let Some((tree, _)) = &resolved.tree {
            let cache = Cache::of_environment()?;
            corpus_ready::check(tree, &options.profile, &cache, &corpus_ready::confirm)
                .map_err(|what| format!("the {}: {what}", side.name()))?;
        }
    }
    Ok((build(Side::Base, base)?, build(Side::Head, head)?))
}

/// Resolves the names of one side and exports its tree.
fn resolve(
    options: &Options,
    directory: &Path,
    side: Side,
    source: &Source,
) -> Result<Resolved, String> {
    let name = side.name();
    if let Source::Executable(file) = source {
        let executable =
            file.canonicalize().map_err(|error| format!("{}: {error}", file.display()))?;
        return Ok(Resolved {
            subject: Subject::new(format!("{name} executable")),
            tree: None,
            program: Some(program(executable, options.repository.clone())),
        });
    }
    let repository = Repository::open(&options.repository)?;
    let is_default = *source == Source::Default;
    let commit = match source {
        Source::Revision(revision) => repository.commit(revision)?,
        _ if side == Side::Base => repository.left_main()?,
        _ => repository.commit("HEAD")?,
    };
    let mut subject = Subject::new(commit.chars().take(12).collect());
    subject.committed = Some(repository.committed(&commit)?);
    // The work tree is built in place and into its usual target directory.
    let (tree, target) = if is_default && side == Side::Head {
        if repository.is_changed()? {
            subject.name += " with changes";
        }
        (repository.root().to_owned(), options::target())
    } else {
        let tree = directory.join("trees").join(name);
        repository.export(&commit, &tree)?;
        (tree, directory.join(name))
    };
    subject.commit = Some(commit);
    Ok(Resolved { subject, tree: Some((tree, target)), program: None })
}

/// Builds one side.
fn build(side: Side, resolved: Resolved) -> Result<Origin, String> {
    let Resolved { subject, tree, program: given } = resolved;
    let Some((tree, target)) = tree else { return Ok(Origin { subject, program: given }) };
    if !build::has_cases(&tree)? {
        return Ok(Origin { subject, program: None });
    }
    let name = side.name();
    eprintln!("building the {name}, {}", subject.name);
    let executable = build::cases(&tree, &target)
        .map_err(|error| format!("the {name} ({}) does not build: {error}", subject.name))?;
    Ok(Origin { subject, program: Some(program(executable, tree)) })
}

fn program(executable: PathBuf, directory: PathBuf) -> Program {
    Program {
        executable,
        arguments: Vec::new(),
        directory,
        environment: vec![("CODEDB_BACKGROUND".into(), "0".into())],
    }
}
