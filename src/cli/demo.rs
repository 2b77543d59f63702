//! `codedb demo`: makes the small repository of the documentation's examples, and shows what six
//! commands say about it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, ExitCode, Stdio};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::index::print;
use super::report;
use crate::error::{Error, Result};

/// The files of the shop, each after a line `//- /PATH`.
const SHOP: &str = include_str!("demo/shop.txt");

/// The directory that is made where none is given.
const DIRECTORY: &str = "codedb-demo";

/// The commits: day of January 2025, author, subject, and a file, a text of the shop and what stands
/// in its place.
const COMMITS: [(u32, &str, &str, (&str, &str, &str)); 2] = [
    (10, "Ann", "Begin a shop", ("src/cart.rs", "Price::of(sum)", "Price { cents: sum }")),
    (
        20,
        "Ben",
        "Fix the total without a coupon",
        ("src/price.rs", "/// Cents.", "/// A price in cents."),
    ),
];

/// The commands of the tour, and what each is for.
const TOUR: [(&str, &[&str]); 6] = [
    ("What does a task need? An agent asks this first.", &["context", "a coupon may underflow"]),
    ("Which lines match? Results and options are those of ripgrep.", &["search", "-n", "percent"]),
    ("Who calls a method?", &["callers", "Cart::total"]),
    ("What is it: definition, callers, calls and tests.", &["explain", "Coupon::discounted"]),
    ("Which tests does a file need?", &["suggest-tests", "src/coupon.rs"]),
    ("Which commits changed a file, and what in it?", &["history", "src/cart.rs"]),
];

pub(super) fn command() -> Command {
    Command::new("demo")
        .about("Make a small example repository and show what six commands say about it")
        .long_about(
            "Makes the repository that the examples of the documentation use, a shop in Rust with a \
             little JavaScript, and runs six commands in it. Nothing else is written but its index.",
        )
        .arg(
            Arg::new("directory")
                .value_name("DIRECTORY")
                .value_parser(value_parser!(PathBuf))
                .default_value(DIRECTORY)
                .help("Where to make it; must not exist, or be empty"),
        )
        .arg(
            Arg::new("no-tour")
                .long("no-tour")
                .action(ArgAction::SetTrue)
                .help("Only make the repository"),
        )
}

/// Runs the command.
///
/// # Errors
///
/// If the directory has files, or cannot be written.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let directory = matches.get_one::<PathBuf>("directory").map_or(Path::new(DIRECTORY), |it| it);
    let entries = fs::read_dir(directory).ok();
    if entries.is_some_and(|mut entries| entries.next().is_some()) {
        return Err(Error::usage("the directory has files")
            .with_path(directory)
            .with_hint("name another one: `codedb demo DIRECTORY`"));
    }
    let has_history = make(directory)?;
    print(&format!("made {}\n", directory.display()))?;
    if !has_history {
        report::print_message("git cannot be run, so the example has no commits".to_owned());
    }
    if matches.get_flag("no-tour") {
        return Ok(ExitCode::SUCCESS);
    }
    let program = std::env::current_exe().map_err(|error| Error::io(Path::new("codedb"), error))?;
    let run = |words: &[&str]| {
        let mut process = Process::new(&program);
        // The tour is one text: no pager interrupts it.
        process.env("CODEDB_PAGER", "cat");
        process.args(words).current_dir(directory).status().map_err(|it| Error::io(&program, it))
    };
    // The index of the example takes no time, and all commands see it.
    run(&["index", "--stage", "full", "-q"])?;
    for (what, words) in TOUR {
        print(&format!("\n{what}\n$ codedb {}\n", shown(words)))?;
        let status = run(words)?;
        if !status.success() {
            return Err(Error::usage(format!("`codedb {}` failed", shown(words))));
        }
    }
    print(&format!("\nGo on in {}; `codedb --help` lists all commands.\n", directory.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn shown(words: &[&str]) -> String {
    let word = |word: &&str| {
        if word.contains(' ') { format!("'{word}'") } else { (*word).to_owned() }
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Makes the repository; returns false if git cannot be run, so that it has no commits.
pub(super) fn make(directory: &Path) -> Result<bool> {
    fs::create_dir_all(directory).map_err(|error| Error::io(directory, error))?;
    let mut has_git = git(directory, 10, "Ann", &["init", "-q", "-b", "main"]);
    for (day, author, subject, (edited, from, to)) in COMMITS {
        for (path, text) in files() {
            let text = if path == edited { text.replace(from, to) } else { text.to_owned() };
            write(directory, path, &text)?;
        }
        has_git = has_git
            && git(directory, day, author, &["add", "-A"])
            && git(directory, day, author, &["commit", "-q", "-m", subject]);
    }
    Ok(has_git)
}

/// Returns the files of the shop with their texts.
fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    SHOP.split("//- /").skip(1).filter_map(|part| part.split_once('\n'))
}

fn write(directory: &Path, path: &str, text: &str) -> Result<()> {
    let file = directory.join(path);
    let folder = file.parent().unwrap_or(directory);
    fs::create_dir_all(folder).map_err(|error| Error::io(folder, error))?;
    fs::write(&file, text).map_err(|error| Error::io(&file, error))
}

/// Runs git without the user's settings; returns true if it succeeded.
fn git(directory: &Path, day: u32, name: &str, args: &[&str]) -> bool {
    let mut process = Process::new("git");
    process
        .args(["-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"])
        .args(["-c", "core.hooksPath=/dev/null"])
        .args(args)
        .current_dir(directory);
    for role in ["AUTHOR", "COMMITTER"] {
        let email = format!("{}@example.org", name.to_lowercase());
        process.env(format!("GIT_{role}_NAME"), name).env(format!("GIT_{role}_EMAIL"), email);
        process.env(format!("GIT_{role}_DATE"), format!("2025-01-{day}T12:00:00Z"));
    }
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        process.env_remove(variable);
    }
    process.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    process.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    process.status().is_ok_and(|status| status.success())
}
