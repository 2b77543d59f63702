//! From what the flags said to what will be done: everything that depends on the whole command
//! line, the terminal or the current directory is decided here, once.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use super::args::{
    Args, Buffering, Color, Context, Filter, Format, IndexOptions, Matching, Mode, PatternSource,
    Reading, SearchMode, Sort,
};
use crate::error::{Error, Kind, Result};

/// The most threads that are used without being asked for.
const THREADS_MAX: usize = 12;

/// A search, a listing of files or of types, ready to run.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) mode: Mode,
    /// Without duplicates; may be empty (`-f /dev/null`), which matches nothing.
    pub(crate) patterns: Vec<String>,
    pub(crate) scope: Scope,
    pub(crate) matching: Matching,
    pub(crate) reading: Reading,
    pub(crate) filter: Filter,
    pub(crate) format: Format,
    pub(crate) look: Look,
    pub(crate) index: IndexOptions,
    pub(crate) sort: Option<Sort>,
    pub(crate) buffer: Buffering,
    pub(crate) quiet: bool,
    pub(crate) stats: bool,
    /// At least one; exactly one where a single file is searched.
    pub(crate) threads: usize,
    pub(crate) stdout_is_terminal: bool,
    pub(crate) current_dir: PathBuf,
}

/// Which paths were asked for.
#[derive(Debug)]
pub(crate) struct Scope {
    /// Never empty; `-` is standard input.
    pub(crate) paths: Vec<PathBuf>,
    /// No path was given; a leading `./` is then not printed.
    pub(crate) implicit: bool,
    /// It is known that one file (or standard input) is all there is.
    pub(crate) one_file: bool,
}

/// How results look, with every default resolved.
#[derive(Debug)]
pub(crate) struct Look {
    pub(crate) color: termcolor::ColorChoice,
    pub(crate) heading: bool,
    pub(crate) line_number: bool,
    pub(crate) column: bool,
    pub(crate) with_filename: bool,
    /// What stands between two files' results, without its line end.
    pub(crate) file_separator: Option<Vec<u8>>,
}

impl Request {
    /// Returns true if a file without a match may print something, so that none may be left out.
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
    /// Without a pattern, when patterns cannot be read or decoded, and when the current directory
    /// is gone.
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
            look: look(&args, &scope, stdout_is_terminal),
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

    /// Returns false if no file whatever can give a result.
    pub(crate) fn can_match(&self) -> bool {
        let empty = self.patterns.is_empty() && !self.matching.invert;
        !empty && self.matching.max_count != Some(0)
    }

    /// Returns true if the first match ends the search.
    pub(crate) fn quits_after_match(&self) -> bool {
        self.quiet && !self.stats
    }
}

/// `-o -c` counts matches, and `--count-matches -v` counts lines, since a line that does not match
/// has no matches to count.
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

/// Takes the patterns out of the arguments, the first word included where it is one.
fn patterns(args: &mut Args) -> Result<Patterns> {
    let mut found = Patterns { patterns: Vec::new(), stdin_consumed: false };
    if !matches!(args.mode, Mode::Search(_)) {
        return Ok(found);
    }
    if args.patterns.is_empty() {
        if args.words.is_empty() {
            return Err(Error::usage("a search needs a pattern").with_hint(
                "`codedb search PATTERN [PATH ...]`; `codedb search -h` lists the flags",
            ));
        }
        let pattern = args.words.remove(0).into_string().map_err(|_| {
            Error::usage("the pattern is not valid UTF-8").with_hint("spell bytes as `(?-u:\\xFF)`")
        })?;
        found.patterns.push(pattern);
        return Ok(found);
    }
    // Repeated patterns would only slow the regex engine down.
    let mut seen = BTreeSet::new();
    for source in std::mem::take(&mut args.patterns) {
        let batch = match source {
            PatternSource::Given(pattern) => vec![pattern],
            PatternSource::File(path) if path == Path::new("-") => {
                if found.stdin_consumed {
                    return Err(Error::usage("standard input can be read for patterns only once"));
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

// The library's error names the path already.
fn unreadable(err: std::io::Error) -> Error {
    Error::new(Kind::Io, err.to_string())
}

fn scope(args: &mut Args, stdin_consumed: bool) -> Result<Scope> {
    let paths: Vec<PathBuf> = args.words.drain(..).map(PathBuf::from).collect();
    if stdin_consumed && paths.iter().any(|path| path == Path::new("-")) {
        return Err(Error::usage("standard input gave the patterns and cannot be searched too"));
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
    log::debug!("no path is given: searching {path}");
    Ok(Scope { paths: vec![PathBuf::from(path)], implicit: true, one_file: use_stdin })
}

fn look(args: &Args, scope: &Scope, stdout_is_terminal: bool) -> Look {
    let format = &args.format;
    let heading = !format.vimgrep && format.heading.unwrap_or(stdout_is_terminal);
    let column = format.column.unwrap_or(format.vimgrep);
    Look {
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

fn threads(asked: Option<usize>, scope: &Scope) -> usize {
    if scope.one_file {
        return 1;
    }
    asked.unwrap_or_else(|| {
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
            .with_hint("it may have been deleted: go to another one")),
    }
}
