//! The second part of the floor: reads and searches exactly the candidates with ripgrep's
//! libraries, on two threads.
//!
//! The candidates are the files that match (`rg -l`), so there is no false candidate: no index
//! needs fewer. For a pattern without a usable gram they are all files. Like the sweep, it is a
//! separate process; it prints the nanoseconds from the first read to the last formatted line.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use grep_printer::{StandardBuilder, SummaryBuilder, SummaryKind};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use termcolor::NoColor;

use super::options::Options;
use super::process::Job;
use super::rows::{Candidates, Row};
use super::tree::{Tree, path_of};

const THREADS: usize = 2;

/// The output of a match.
#[derive(Clone, Copy)]
enum Output {
    Lines,
    Paths,
    Counts,
}

/// Lists the matching files for the child and returns the job that runs it.
pub(crate) fn job(options: &Options, tree: &Tree, row: &Row) -> Result<Job, String> {
    let args = &tree.args(row);
    let (switches, pattern) = split(args)?;
    let mut candidates = Vec::new();
    if matches!(row.candidates, Candidates::All) {
        for file in &tree.files {
            candidates.extend_from_slice(file.as_os_str().as_encoded_bytes());
            candidates.push(0);
        }
    } else {
        candidates = matching(options, tree, &switches, &pattern)?;
    }
    let file = options.scratch.path().join("verify.list");
    let content = [switches.concat().as_bytes(), pattern.as_bytes(), &candidates].join(&0);
    fs::write(&file, content).map_err(|error| error.to_string())?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    Ok(Job::new(&program, &tree.root, [Path::new("--internal-verify"), &file]))
}

/// Lists the matching files, each terminated by a NUL.
fn matching(
    options: &Options,
    tree: &Tree,
    switches: &[String],
    pattern: &str,
) -> Result<Vec<u8>, String> {
    let pattern_switches = switches.iter().filter(|switch| !matches!(switch.as_str(), "-l" | "-c"));
    let list = Job::new(
        &options.rg,
        &tree.root,
        pattern_switches.chain(&["-l0".into(), "-e".into(), pattern.to_owned()]),
    );
    Ok(list.run()?.answered(&list)?.stdout)
}

/// Splits a row's arguments into its switches and its pattern.
fn split(args: &[OsString]) -> Result<(Vec<String>, String), String> {
    let mut args: Vec<String> = args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let pattern = args.pop().ok_or("a row has a pattern")?;
    match args.iter().find(|switch| !matches!(switch.as_str(), "-i" | "-w" | "-l" | "-c")) {
        Some(other) => Err(format!("unknown argument `{other}`")),
        None => Ok((args, pattern)),
    }
}

/// Runs as the child: searches the listed files and prints the nanoseconds.
pub(crate) fn child(list: &Path) -> Result<(), String> {
    let list = fs::read(list).map_err(|error| error.to_string())?;
    let mut fields = list.split(|&byte| byte == 0);
    let mut text = || {
        fields.next().map(|field| String::from_utf8_lossy(field).into_owned()).unwrap_or_default()
    };
    let (switches, pattern) = (text(), text());
    let files: Vec<PathBuf> = fields.filter(|field| !field.is_empty()).map(path_of).collect();
    let output = if switches.contains('l') {
        Output::Paths
    } else if switches.contains('c') {
        Output::Counts
    } else {
        Output::Lines
    };

    let start = Instant::now();
    let matcher = RegexMatcherBuilder::new()
        .multi_line(true)
        .line_terminator(Some(b'\n'))
        .case_insensitive(switches.contains('i'))
        .word(switches.contains('w'))
        .build(&pattern)
        .map_err(|error| error.to_string())?;
    let next = AtomicUsize::new(0);
    let printed: io::Result<usize> = thread::scope(|scope| {
        let verifier = || {
            let mut searcher = SearcherBuilder::new()
                .line_number(false)
                .binary_detection(BinaryDetection::quit(0))
                .build();
            let mut out = NoColor::new(Vec::new());
            let mut printed = 0;
            while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                out.get_mut().clear();
                search(&matcher, &mut searcher, file, output, &mut out)?;
                printed += out.get_ref().len();
            }
            Ok(printed)
        };
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(verifier)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a verifier does not panic")).sum()
    });
    let printed = printed.map_err(|error| error.to_string())?;
    println!("{} {printed}", start.elapsed().as_nanos());
    Ok(())
}

fn search(
    matcher: &RegexMatcher,
    searcher: &mut Searcher,
    file: &Path,
    output: Output,
    out: &mut NoColor<Vec<u8>>,
) -> io::Result<()> {
    let kind = match output {
        Output::Lines => {
            let mut printer = StandardBuilder::new().build(out);
            return searcher.search_path(matcher, file, printer.sink_with_path(matcher, file));
        }
        Output::Paths => SummaryKind::PathWithMatch,
        Output::Counts => SummaryKind::Count,
    };
    let mut printer = SummaryBuilder::new().kind(kind).build(out);
    searcher.search_path(matcher, file, printer.sink_with_path(matcher, file))
}
