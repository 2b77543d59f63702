//! Resolves parsed arguments into a request: everything that depends on the whole command line, the
//! terminal or the current directory is decided here.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use super::args::{
    Args, Buffering, Color, Context, Filter, Format, IndexOptions, Matching, Mode, PatternSource,
    Reading, SearchMode, Sort,
};
use crate::error::{Error, Kind, Result};

/// The maximum of the default number of threads.
const THREADS_MAX: usize = 12;

/// A resolved search, list of files or list of types.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) mode: Mode,
    /// Without duplicates. An empty list (`-f /dev/null`) matches nothing.
    pub(crate) patterns: Vec<String>,
    pub(crate) scope: Scope,
    pub(crate) matching: Matching,
    pub(crate) reading: Reading,
    pub(crate) filter: Filter,
    pub(crate) format: Format,
    pub(crate) output_format: OutputFormat,
    pub(crate) index: IndexOptions,
    pub(crate) sort: Option<Sort>,
    pub(crate) buffer: Buffering,
    pub(crate) quiet: bool,
    pub(crate) stats: bool,
    /// At least one; exactly one if a single file is searched.
    pub(crate) threads: usize,
    pub(crate) stdout_is_terminal: bool,
    pub(crate) current_dir: PathBuf,
}

/// The paths to search.
#[derive(Debug)]
pub(crate) struct Scope {
    /// Never empty; `-` is standard input.
    pub(crate) paths: Vec<PathBuf>,
    /// No path was given, so that a leading `./` is not printed.
    pub(crate) implicit: bool,
    /// Only one file (or standard input) is searched.
    pub(crate) one_file: bool,
}

/// The format of results, with every default resolved.
#[derive(Debug)]
pub(crate) struct OutputFormat {
    pub(crate) color: termcolor::ColorChoice,
    pub(crate) heading: bool,
    pub(crate) line_number: bool,
    pub(crate) column: bool,
    pub(crate) with_filename: bool,
    /// The separator between the results of two files, without its line terminator.
    pub(crate) file_separator: Option<Vec<u8>>,
}

impl Request {
    /// Returns true if a file without a match may be printed, so that none may be skipped.
    pub(crate) fn lists_misses(&self) -> bool {
        match self.mode {
            Mode::Search(SearchMode::PathsWithoutMatch) => true,
            Mode::Search(SearchMode::Count | SearchMode::CountMatches) => self.format.include_zero,
            _ => false,
        }
    }

    /// Resolves the arguments; reads pattern files and, for `-f -`, standard input.
    ///
    /// # Errors
    ///
    /// If there is no pattern, if patterns cannot be read or decoded, or if the current directory
    /// does not exist.
    pub(crate) fn resolve(args: Args) -> Result<Request> {
        let current_dir = current_dir()?;
        let mut args = args;
        args.mode = effective_mode(&args);
        let patterns = patterns(&mut args)?;
        let scope = scope(&mut args, patterns.stdin_consumed)?;
        let stdout_is_terminal = std::io::stdout().is_terminal();
        let stats = match args.mode {
            Mode::Search(mode) => args.logging.stats || mode == SearchMode::Json,
            _ => false,
        };
        Ok(Request {
            mode: args.mode,
            output_format: output_format(&args, &scope, stdout_is_terminal),
            patterns: patterns.patterns,
            threads: threads(args.threads, &scope),
            scope,
            matching: args.matching,
            reading: args.reading,
            filter: args.filter,
            format: args.format,
            index: args.index,
            sort: args.sort,
            buffer: args.buffer,
            quiet: args.quiet,
            stats,
            stdout_is_terminal,
            current_dir,
        })
    }

    /// Returns false if no file can match.
    pub(crate) fn can_match(&self) -> bool {
        let empty = self.patterns.is_empty() && !self.matching.invert;
        !empty && self.matching.max_count != Some(0)
    }

    /// Returns true if the first match ends the search.
    pub(crate) fn quits_after_match(&self) -> bool {
        self.quiet && !self.stats
    }
}

/// Returns the mode after the effects of other flags: `-o -c` counts matches, and
/// `--count-matches -v` counts lines, since a line that does not match has no matches.
fn effective_mode(args: &Args) -> Mode {
    match args.mode {
        Mode::Search(SearchMode::CountMatches) if args.matching.invert => {
            Mode::Search(SearchMode::Count)
        }
        Mode::Search(SearchMode::Count) if args.format.only_matching => {
            Mode::Search(SearchMode::CountMatches)
        }
        mode => mode,
    }
}

struct Patterns {
    patterns: Vec<String>,
    stdin_consumed: bool,
}

/// Takes the patterns out of the arguments, including the first positional argument if it is one.
fn patterns(args: &mut Args) -> Result<Patterns> {
    let mut found = Patterns { patterns: Vec::new(), stdin_consumed: false };
    if !matches!(args.mode, Mode::Search(_)) {
        return Ok(found);
    }
    if args.patterns.is_empty() {
        if args.words.is_empty() {
            return Err(Error::usage("missing pattern").with_hint(
                "usage: `codedb search PATTERN [PATH ...]`; `codedb search -h` lists the flags",
            ));
        }
        let pattern = args.words.remove(0).into_string().map_err(|_| {
            Error::usage("the pattern is not valid UTF-8").with_hint("write bytes as `(?-u:\\xFF)`")
        })?;
        found.patterns.push(pattern);
        return Ok(found);
    }
    // Duplicate patterns would only slow down the regex engine.
    let mut seen = BTreeSet::new();
    for source in std::mem::take(&mut args.patterns) {
        let batch = match source {
            PatternSource::Given(pattern) => vec![pattern],
            PatternSource::File(path) if path == Path::new("-") => {
                if found.stdin_consumed {
                    return Err(Error::usage("patterns can be read from standard input only once"));
                }
                found.stdin_consumed = true;
                grep_cli::patterns_from_stdin().map_err(unreadable)?
            }
            PatternSource::File(path) => grep_cli::patterns_from_path(&path).map_err(unreadable)?,
        };
        for pattern in batch {
            if seen.insert(pattern.clone()) {
                found.patterns.push(pattern);
            }
        }
    }
    Ok(found)
}

// The error of the library contains the path.
fn unreadable(err: std::io::Error) -> Error {
    Error::new(Kind::Io, err.to_string())
}

fn scope(args: &mut Args, stdin_consumed: bool) -> Result<Scope> {
    let paths: Vec<PathBuf> = args.words.drain(..).map(PathBuf::from).collect();
    if stdin_consumed && paths.iter().any(|path| path == Path::new("-")) {
        return Err(Error::usage(
            "patterns are read from standard input, which cannot be searched, too",
        ));
    }
    if let [only] = &paths[..] {
        let one_file = only == Path::new("-") || !only.is_dir();
        return Ok(Scope { paths, implicit: false, one_file });
    }
    if !paths.is_empty() {
        return Ok(Scope { paths, implicit: false, one_file: false });
    }
    let searches = matches!(args.mode, Mode::Search(_));
    let use_stdin = searches && !stdin_consumed && grep_cli::is_readable_stdin();
    let path = if use_stdin { "-" } else { "./" };
    log::debug!("no path given: searching {path}");
    Ok(Scope { paths: vec![PathBuf::from(path)], implicit: true, one_file: use_stdin })
}

fn output_format(args: &Args, scope: &Scope, stdout_is_terminal: bool) -> OutputFormat {
    let format = &args.format;
    let heading = !format.vimgrep && format.heading.unwrap_or(stdout_is_terminal);
    let column = format.column.unwrap_or(format.vimgrep);
    OutputFormat {
        color: match format.color {
            Color::Auto if stdout_is_terminal => termcolor::ColorChoice::Auto,
            Color::Auto | Color::Never => termcolor::ColorChoice::Never,
            Color::Always => termcolor::ColorChoice::Always,
            Color::Ansi => termcolor::ColorChoice::AlwaysAnsi,
        },
        heading,
        line_number: format.line_number.unwrap_or_else(|| {
            let only_stdin = matches!(&scope.paths[..], [path] if path == Path::new("-"));
            match args.mode {
                _ if args.quiet => false,
                Mode::Search(SearchMode::Json) => true,
                Mode::Search(SearchMode::Lines) => {
                    column || format.vimgrep || (stdout_is_terminal && !only_stdin)
                }
                _ => false,
            }
        }),
        column,
        with_filename: format.with_filename.unwrap_or(format.vimgrep || !scope.one_file),
        file_separator: file_separator(args, heading),
    }
}

fn file_separator(args: &Args, heading: bool) -> Option<Vec<u8>> {
    if args.mode != Mode::Search(SearchMode::Lines) {
        return None;
    }
    if heading {
        return Some(Vec::new());
    }
    let has_context = match args.format.context {
        Context::Passthru => false,
        context => context.before_after() != (0, 0),
    };
    args.format.context_separator.clone().filter(|_| has_context)
}

fn threads(requested: Option<usize>, scope: &Scope) -> usize {
    if scope.one_file {
        return 1;
    }
    requested.unwrap_or_else(|| {
        std::thread::available_parallelism().map_or(1, |threads| threads.get()).min(THREADS_MAX)
    })
}

fn current_dir() -> Result<PathBuf> {
    let err = match std::env::current_dir() {
        Ok(path) => return Ok(path),
        Err(err) => err,
    };
    match std::env::var_os("PWD").filter(|path| !path.is_empty()) {
        Some(path) => Ok(PathBuf::from(path)),
        None => Err(Error::new(Kind::Io, format!("the current directory cannot be read: {err}"))
            .with_hint("change to a directory that exists")),
    }
}
