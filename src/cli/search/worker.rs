//! Searches one target: a file, standard input, a preprocessor's or decompressor's output, or bytes
//! that are in memory already.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use grep_cli::{CommandReaderBuilder, DecompressionReader, DecompressionReaderBuilder};
use grep_matcher::Matcher;
use grep_printer::Stats;
use grep_searcher::{Searcher, SearcherBuilder};
use ignore::overrides::Override;
use termcolor::WriteColor;

use super::matcher::PatternMatcher;
use super::printer::Printer;
use super::request::Request;
use super::searcher::{self, BinaryRules};
use super::targets::{Origin, Target};
use super::walker;
use crate::error::{Error, Kind, Result};

/// What the search of one target found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) has_match: bool,
    /// Only where totals were asked for.
    pub(crate) stats: Option<Stats>,
}

/// Everything that workers share; cloned for each thread.
#[derive(Clone, Debug)]
pub(crate) struct WorkerParts {
    matcher: PatternMatcher,
    searcher: SearcherBuilder,
    binary: BinaryRules,
    preprocessor: Option<Preprocessor>,
    decompressor: Option<DecompressionReaderBuilder>,
}

#[derive(Clone, Debug)]
struct Preprocessor {
    program: PathBuf,
    /// Empty means every file.
    globs: Override,
}

impl WorkerParts {
    /// Prepares the workers of a request.
    ///
    /// # Errors
    ///
    /// When the preprocessor is not to be found or its globs cannot be read.
    pub(crate) fn new(request: &Request, matcher: PatternMatcher) -> Result<WorkerParts> {
        let globs = walker::preprocessor_globs(request)?;
        let preprocessor = match &request.reading.preprocessor {
            None => None,
            Some(command) => {
                let program = grep_cli::resolve_binary(command)
                    .map_err(|err| Error::new(Kind::NotFound, err.to_string()))?;
                Some(Preprocessor { program, globs })
            }
        };
        let decompressor = request.reading.decompress.then(|| {
            let mut builder = DecompressionReaderBuilder::new();
            builder.async_stderr(true);
            builder
        });
        Ok(WorkerParts {
            matcher,
            searcher: searcher::settings(request),
            binary: BinaryRules::new(request),
            preprocessor,
            decompressor,
        })
    }

    /// Returns a worker that prints with `printer`.
    pub(crate) fn worker<W: WriteColor>(&self, printer: Printer<W>) -> Worker<W> {
        Worker { searcher: self.searcher.build(), parts: self.clone(), printer }
    }

    /// Returns true if the text of `path` is what the file holds, not what a program makes of it.
    #[expect(dead_code, reason = "for candidates of the index, which is not here yet")]
    pub(crate) fn reads_plainly(&self, path: &Path) -> bool {
        !self.is_preprocessed(path) && !self.is_decompressed(path)
    }

    fn is_preprocessed(&self, path: &Path) -> bool {
        self.preprocessor.as_ref().is_some_and(|preprocessor| {
            let globs = &preprocessor.globs;
            globs.is_empty() || !globs.matched(path, false).is_ignore()
        })
    }

    fn is_decompressed(&self, path: &Path) -> bool {
        let builder = self.decompressor.as_ref();
        builder.is_some_and(|builder| builder.get_matcher().has_command(path))
    }
}

/// Searches targets one after another, printing into `W`.
#[derive(Debug)]
pub(crate) struct Worker<W> {
    parts: WorkerParts,
    searcher: Searcher,
    printer: Printer<W>,
}

impl<W: WriteColor> Worker<W> {
    /// Returns what the worker prints into.
    pub(crate) fn output(&mut self) -> &mut W {
        self.printer.get_mut()
    }

    /// Returns what the worker was made from.
    #[expect(dead_code, reason = "for candidates of the index, which is not here yet")]
    pub(crate) fn parts(&self) -> &WorkerParts {
        &self.parts
    }

    /// Searches a target by reading it.
    ///
    /// # Errors
    ///
    /// When it cannot be read, and when the output cannot be written.
    pub(crate) fn search(&mut self, target: &Target) -> io::Result<Verdict> {
        let path = target.path.as_path();
        self.set_binary_rule(path, target.is_explicit());
        if target.origin == Origin::Stdin {
            return self.search_reader(path, io::stdin().lock());
        }
        if self.parts.is_preprocessed(path) {
            return self.search_preprocessed(path);
        }
        if self.parts.is_decompressed(path) {
            return self.search_decompressed(path);
        }
        let Worker { parts, searcher, printer } = self;
        match &parts.matcher {
            PatternMatcher::Default(matcher) => search_path(matcher, searcher, printer, path),
            #[cfg(feature = "pcre2")]
            PatternMatcher::Pcre2(matcher) => search_path(matcher, searcher, printer, path),
        }
    }

    /// Searches bytes that were read from `path`, as [`Worker::search`] would search the file when
    /// it neither maps it nor runs a program for it ([`WorkerParts::reads_plainly`]).
    ///
    /// # Errors
    ///
    /// When the output cannot be written.
    #[cfg_attr(not(test), expect(dead_code, reason = "for candidates of the index"))]
    pub(crate) fn search_bytes(
        &mut self,
        path: &Path,
        bytes: &[u8],
        explicit: bool,
    ) -> io::Result<Verdict> {
        self.set_binary_rule(path, explicit);
        self.search_reader(path, bytes)
    }

    fn set_binary_rule(&mut self, path: &Path, explicit: bool) {
        let rule = self.parts.binary.of(explicit);
        log::trace!("{}: binary detection: {rule:?}", path.display());
        self.searcher.set_binary_detection(rule);
    }

    fn search_reader(&mut self, path: &Path, reader: impl io::Read) -> io::Result<Verdict> {
        let Worker { parts, searcher, printer } = self;
        match &parts.matcher {
            PatternMatcher::Default(matcher) => {
                search_reader(matcher, searcher, printer, path, reader)
            }
            #[cfg(feature = "pcre2")]
            PatternMatcher::Pcre2(matcher) => {
                search_reader(matcher, searcher, printer, path, reader)
            }
        }
    }

    fn search_preprocessed(&mut self, path: &Path) -> io::Result<Verdict> {
        let Some(preprocessor) = &self.parts.preprocessor else { return Ok(Verdict::default()) };
        let mut command = Command::new(&preprocessor.program);
        command.arg(path).stdin(Stdio::from(std::fs::File::open(path)?));
        let failed = |what: &str, command: &Command, err: &dyn std::fmt::Display| {
            io::Error::other(format!("preprocessor command {what}: '{command:?}': {err}"))
        };
        let mut reader = CommandReaderBuilder::new()
            .async_stderr(true)
            .build(&mut command)
            .map_err(|err| failed("could not start", &command, &err))?;
        let searched = self.search_reader(path, &mut reader);
        let closed = reader.close();
        let verdict = searched.map_err(|err| failed("failed", &command, &err))?;
        closed.map(|()| verdict)
    }

    fn search_decompressed(&mut self, path: &Path) -> io::Result<Verdict> {
        let Some(builder) = &self.parts.decompressor else { return Ok(Verdict::default()) };
        let mut reader: DecompressionReader = builder.build(path)?;
        let searched = self.search_reader(path, &mut reader);
        let closed = reader.close();
        let verdict = searched?;
        closed.map(|()| verdict)
    }
}

/// Runs `$search` with a sink of whichever printer it is.
macro_rules! with_sink {
    ($printer:expr, $matcher:expr, $path:expr, $sink:ident => $search:expr) => {
        match $printer {
            Printer::Lines(printer) => {
                let mut $sink = printer.sink_with_path($matcher, $path);
                $search?;
                Ok(Verdict { has_match: $sink.has_match(), stats: $sink.stats().cloned() })
            }
            Printer::Summary(printer) => {
                let mut $sink = printer.sink_with_path($matcher, $path);
                $search?;
                Ok(Verdict { has_match: $sink.has_match(), stats: $sink.stats().cloned() })
            }
            Printer::Json(printer) => {
                let mut $sink = printer.sink_with_path($matcher, $path);
                $search?;
                Ok(Verdict { has_match: $sink.has_match(), stats: Some($sink.stats().clone()) })
            }
        }
    };
}

fn search_path<M: Matcher, W: WriteColor>(
    matcher: &M,
    searcher: &mut Searcher,
    printer: &mut Printer<W>,
    path: &Path,
) -> io::Result<Verdict> {
    with_sink!(printer, matcher, path, sink => searcher.search_path(matcher, path, &mut sink))
}

fn search_reader<M: Matcher, W: WriteColor>(
    matcher: &M,
    searcher: &mut Searcher,
    printer: &mut Printer<W>,
    path: &Path,
    reader: impl io::Read,
) -> io::Result<Verdict> {
    with_sink!(printer, matcher, path, sink => searcher.search_reader(matcher, reader, &mut sink))
}

#[cfg(test)]
mod tests;
