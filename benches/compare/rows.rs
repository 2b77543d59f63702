//! The rows: the queries for each tree, with their goals and stretch goals.

/// A kind of tree; it chooses the queries.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Profile {
    /// The Linux source.
    Linux,
    /// React's source, or another JavaScript tree that contains `useState`.
    React,
    /// Any other tree, with words sampled from it (see `tree.rs`).
    Generic,
}

/// The measurement of a row.
pub(crate) enum Subject {
    /// Building an index from scratch.
    Build,
    /// The first query, without an index.
    FirstQuery,
    /// Opening the index.
    Open,
    /// A query, in every mode of freshness.
    Search,
    /// A query after one file was touched.
    Edit,
}

/// A goal and a stretch goal.
#[derive(Clone, Copy)]
pub(crate) struct Goal {
    /// A figure with a goal.
    pub(crate) figure: Figure,
    /// The goal.
    pub(crate) bar: f64,
    /// The stretch goal.
    pub(crate) stretch: f64,
}

/// A figure of a row.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Figure {
    /// Minimum ratio of rg's time to the time of a strict query.
    StrictSpeedup,
    /// Minimum ratio of rg's time to the time of a watched query, or of a trusting one without a
    /// watcher.
    WatchedSpeedup,
    /// Maximum milliseconds of a watched query, or of a trusting one without a watcher.
    WatchedMs,
    /// Maximum ratio of the time of a strict query to its floor.
    OverFloor,
    /// Maximum ratio of the time of the first query to rg's time.
    OverRg,
    /// Maximum seconds until the stage `ready`.
    BuildSeconds,
    /// Maximum peak memory in megabytes.
    PeakMb,
    /// Maximum index size relative to the text size, in percent.
    SizePercent,
    /// Maximum additional milliseconds after the edit.
    EditMs,
    /// Maximum milliseconds to open the index.
    OpenMs,
}

impl Figure {
    /// Returns true if `value` reaches `goal`.
    pub(crate) fn reaches(self, value: f64, goal: f64) -> bool {
        match self {
            Self::StrictSpeedup | Self::WatchedSpeedup => value >= goal,
            _ => value <= goal,
        }
    }

    /// Formats a value or a goal with its unit.
    pub(crate) fn show(self, value: f64) -> String {
        match self {
            Self::StrictSpeedup => format!("strict {value:.2}× rg"),
            Self::WatchedSpeedup => format!("watched {value:.2}× rg"),
            Self::WatchedMs => format!("watched {value:.1} ms"),
            Self::OverFloor => format!("{value:.2}× floor"),
            Self::OverRg => format!("{value:.2}× rg's time"),
            Self::BuildSeconds => format!("{value:.2} s"),
            Self::PeakMb => format!("{value:.0} MB peak"),
            Self::SizePercent => format!("{value:.1} % of the text"),
            Self::EditMs | Self::OpenMs => format!("{value:.2} ms"),
        }
    }
}

/// One row.
pub(crate) struct Row {
    /// The name in the table and for `--only`.
    pub(crate) name: &'static str,
    /// The measurement.
    pub(crate) subject: Subject,
    /// Arguments for both programs; `{rare}` and `{common}` are words of the tree.
    pub(crate) args: &'static [&'static str],
    /// The files that the floor's verification reads.
    pub(crate) candidates: Candidates,
    /// The goals.
    pub(crate) goals: Vec<Goal>,
}

/// The files that every query must read.
#[derive(Clone, Copy)]
pub(crate) enum Candidates {
    /// The matching files.
    Matching,
    /// All files: the pattern has no usable gram.
    All,
}

const FLOOR: Goal = goal(Figure::OverFloor, 1.4, 1.1);
const WATCHED: Goal = goal(Figure::WatchedMs, 8.0, 3.0);
const RARE: &[Goal] = &[goal(Figure::StrictSpeedup, 4.5, 7.0), WATCHED, FLOOR];
const PLANNED: &[Goal] =
    &[goal(Figure::StrictSpeedup, 3.0, 5.0), goal(Figure::WatchedSpeedup, 8.0, 20.0), FLOOR];
const COMMON: &[Goal] =
    &[goal(Figure::StrictSpeedup, 1.7, 2.3), goal(Figure::WatchedSpeedup, 3.0, 6.0), FLOOR];
const NO_GRAM: &[Goal] = &[goal(Figure::StrictSpeedup, 1.0, 1.3), FLOOR];
const SMALL_RARE: &[Goal] = &[goal(Figure::StrictSpeedup, 2.5, 4.0), FLOOR];
const SMALL_COMMON: &[Goal] = &[goal(Figure::StrictSpeedup, 1.7, 2.5), FLOOR];

const fn goal(figure: Figure, bar: f64, stretch: f64) -> Goal {
    Goal { figure, bar, stretch }
}

/// Returns the rows of a kind of tree.
pub(crate) fn of(profile: Profile) -> Vec<Row> {
    match profile {
        Profile::Linux => linux(),
        Profile::React => react(),
        Profile::Generic => generic(),
    }
}

fn linux() -> Vec<Row> {
    vec![
        row(
            "index build",
            Subject::Build,
            &[],
            &[
                goal(Figure::BuildSeconds, 4.0, 2.0),
                goal(Figure::PeakMb, 1000.0, 500.0),
                goal(Figure::SizePercent, 7.0, 4.5),
            ],
        ),
        row(
            "first query without an index",
            Subject::FirstQuery,
            &["PM_RESUME"],
            &[goal(Figure::OverRg, 1.5, 1.1)],
        ),
        row("opening the index", Subject::Open, &["PM_RESUME"], &[goal(Figure::OpenMs, 2.0, 0.5)]),
        search("PM_RESUME", &["PM_RESUME"], RARE),
        search("no match", &["no_such_word_anywhere_zqx"], RARE),
        search("rare literal", &["clk_hw_register_gate2"], RARE),
        search("-i pm_resume", &["-i", "pm_resume"], PLANNED),
        search("alternation of 4", &["ERR_SYS|PME_TURN_OFF|LINK_REQ_RST|CFG_BME_EVT"], PLANNED),
        search("[A-Z]+_RESUME", &["[A-Z]+_RESUME"], PLANNED),
        search("EXPORT_SYMBOL_GPL", &["EXPORT_SYMBOL_GPL"], PLANNED),
        search("mutex_lock", &["mutex_lock"], COMMON),
        search("-w kfree", &["-w", "kfree"], COMMON),
        search("-l Copyright", &["-l", "Copyright"], COMMON),
        scan("five-letter words", &["\\w{5}\\s+\\w{5}\\s+\\w{5}"]),
        scan("^", &["^"]),
        scan("-c ^", &["-c", "^"]),
        scan("two letters", &["zx"]),
        row("one edited file", Subject::Edit, &["PM_RESUME"], &[goal(Figure::EditMs, 20.0, 5.0)]),
    ]
}

fn react() -> Vec<Row> {
    vec![
        row("index build", Subject::Build, &[], &[goal(Figure::SizePercent, 7.0, 4.5)]),
        row(
            "first query without an index",
            Subject::FirstQuery,
            &["useState"],
            &[goal(Figure::OverRg, 1.5, 1.1)],
        ),
        row("opening the index", Subject::Open, &["useState"], &[goal(Figure::OpenMs, 2.0, 0.5)]),
        search("rare literal", &["scheduleImmediateRootScheduleTask"], SMALL_RARE),
        search("no match", &["no_such_word_anywhere_zqx"], SMALL_RARE),
        search("-i usestate", &["-i", "usestate"], SMALL_COMMON),
        search("useState", &["useState"], SMALL_COMMON),
        scan("five-letter words", &["\\w{5}\\s+\\w{5}\\s+\\w{5}"]),
        scan("two letters", &["zx"]),
        row("one edited file", Subject::Edit, &["useState"], &[goal(Figure::EditMs, 20.0, 5.0)]),
    ]
}

fn generic() -> Vec<Row> {
    vec![
        row("index build", Subject::Build, &[], &[goal(Figure::SizePercent, 7.0, 4.5)]),
        row(
            "first query without an index",
            Subject::FirstQuery,
            &["{rare}"],
            &[goal(Figure::OverRg, 1.5, 1.1)],
        ),
        row("opening the index", Subject::Open, &["{rare}"], &[goal(Figure::OpenMs, 2.0, 0.5)]),
        search("rare literal", &["{rare}"], SMALL_RARE),
        search("no match", &["no_such_word_anywhere_zqx"], SMALL_RARE),
        search("common word", &["{common}"], SMALL_COMMON),
        search("-w common word", &["-w", "{common}"], SMALL_COMMON),
        scan("five-letter words", &["\\w{5}\\s+\\w{5}\\s+\\w{5}"]),
        scan("two letters", &["zx"]),
        row("one edited file", Subject::Edit, &["{rare}"], &[goal(Figure::EditMs, 20.0, 5.0)]),
    ]
}

fn row(name: &'static str, subject: Subject, args: &'static [&'static str], goals: &[Goal]) -> Row {
    Row { name, subject, args, candidates: Candidates::Matching, goals: goals.to_vec() }
}

fn search(name: &'static str, args: &'static [&'static str], goals: &[Goal]) -> Row {
    row(name, Subject::Search, args, goals)
}

/// A pattern without a usable gram: every file has to be read.
fn scan(name: &'static str, args: &'static [&'static str]) -> Row {
    Row { candidates: Candidates::All, ..search(name, args, NO_GRAM) }
}
