//! Searches one target: a file, standard input, the output of a preprocessor or decompressor, or
//! bytes in memory.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use grep_cli::{CommandReaderBuilder, DecompressionReader, DecompressionReaderBuilder};
use grep_matcher::Matcher;
use grep_printer::Stats;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, SearcherBuilder};
use ignore::overrides::Override;
use termcolor::WriteColor;

use super::args::{Context, Mmap, TextEncoding};
use super::matcher::{self, PatternMatcher};
use super::plain::Plain;
use super::printer::Printer;
use super::request::Request;
use super::searcher::{self, BinaryRules};
use super::targets::{ContentHint, Origin, Target};
use super::walker;
use crate::error::{Error, Kind, Result};
use crate::query::pattern;
use crate::source::read;
use crate::source::stamp::Stamp;

/// Files up to this size are read into memory; larger ones are searched incrementally.
const READ_WHOLE_BYTES_MAX: u64 = 64 << 20;

/// The initial size of the searcher's buffer. A smaller file is searched in the same way in a larger
/// buffer.
const BUFFER_BYTES: u64 = (64 << 10) - 1;

/// The number of bytes at the start of a file that are searched first where one match is enough.
const HEAD_BYTES: u64 = 8 << 10;

/// The result of searching one target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) has_match: bool,
    /// Present if totals are requested.
    pub(crate) stats: Option<Stats>,
}

/// The state of workers that is the same for all threads; cloned for each.
#[derive(Clone, Debug)]
pub(crate) struct WorkerParts {
    matcher: PatternMatcher,
    searcher: SearcherBuilder,
    binary: BinaryRules,
    preprocessor: Option<Preprocessor>,
    decompressor: Option<DecompressionReaderBuilder>,
    /// Files are memory-mapped, by the searcher.
    maps: bool,
    /// Files without a match print nothing, and the pattern matches a line independently of other
    /// lines.
    rejects_early: bool,
    /// The output depends on the boundaries of the searcher's buffer.
    depends_on_buffer: bool,
    /// The same, but only for text that is not UTF-8.
    depends_on_buffer_unless_utf8: bool,
    with_stats: bool,
    /// A match in one line can end the search of the file.
    limits_lines: bool,
    /// Set if the request needs only plain output.
    plain: Option<Plain>,
}

#[derive(Clone, Debug)]
struct Preprocessor {
    program: PathBuf,
    /// Empty means every file.
    globs: Override,
}

impl WorkerParts {
    /// Creates the workers of a request.
    ///
    /// # Errors
    ///
    /// If the preprocessor is not found or its globs are invalid.
    pub(crate) fn new(request: &Request, compiled: PatternMatcher) -> Result<WorkerParts> {
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
        let options = matcher::pattern_options(request);
        let anchors_to_text = pattern::may_anchor_to_text(&request.patterns, &options);
        let limits_lines =
            request.matching.max_count.is_some() || request.matching.stop_on_nonmatch;
        Ok(WorkerParts {
            matcher: compiled,
            searcher: searcher::settings(request),
            binary: BinaryRules::new(request),
            preprocessor,
            decompressor,
            maps: request.reading.mmap == Mmap::Always,
            rejects_early: rejects_early(request) && !anchors_to_text,
            // With inverted matching, the searcher handles all lines of a buffer at once and counts
            // them afterwards.
            depends_on_buffer: anchors_to_text || (request.matching.invert && limits_lines),
            depends_on_buffer_unless_utf8: pattern::may_examine_characters(
                &request.patterns,
                &options,
            ),
            with_stats: request.stats,
            limits_lines,
            plain: Plain::new(request),
        })
    }

    /// Returns a worker that prints with `printer`.
    pub(crate) fn worker<W: WriteColor>(&self, printer: Printer<W>) -> Worker<W> {
        Worker {
            searcher: self.searcher.build(),
            parts: self.clone(),
            printer,
            buffer: read::Buffer::default(),
        }
    }

    /// Returns true if `path` is searched without preprocessing and decompression.
    pub(crate) fn reads_plainly(&self, path: &Path) -> bool {
        !self.is_preprocessed(path) && !self.is_decompressed(path)
    }

    /// Returns true if a search of `bytes` alone may differ from a search through the searcher's
    /// buffer. O(bytes) for some patterns.
    fn needs_buffer(&self, bytes: &[u8]) -> bool {
        self.depends_on_buffer
            || self.depends_on_buffer_unless_utf8 && std::str::from_utf8(bytes).is_err()
    }

    /// Returns printer and matcher if a part of a file can be searched on its own: each line
    /// matches independently of other lines, and only plain output is needed.
    fn plain_for_parts(&self) -> Option<(&Plain, &RegexMatcher)> {
        #[cfg_attr(not(feature = "pcre2"), expect(irrefutable_let_patterns, reason = "one engine"))]
        let PatternMatcher::Default(matcher) = &self.matcher else { return None };
        let alone = self.rejects_early && !self.limits_lines;
        self.plain.as_ref().filter(|_| alone).map(|plain| (plain, matcher))
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

fn rejects_early(request: &Request) -> bool {
    let Request { matching, format, reading, .. } = request;
    let plain = !matching.invert
        && !matching.null_data
        && format.context != Context::Passthru
        && matches!(reading.encoding, TextEncoding::Auto);
    plain && !request.lists_misses()
}

/// Searches targets one after another, printing into `W`.
#[derive(Debug)]
pub(crate) struct Worker<W> {
    parts: WorkerParts,
    searcher: Searcher,
    printer: Printer<W>,
    /// The contents of the file being searched.
    buffer: read::Buffer,
}

impl<W: WriteColor> Worker<W> {
    /// Returns the writer of the worker.
    pub(crate) fn output(&mut self) -> &mut W {
        self.printer.get_mut()
    }

    /// Searches a target by reading it.
    ///
    /// # Errors
    ///
    /// If the target cannot be read or the output cannot be written.
    pub(crate) fn search(&mut self, target: &Target) -> io::Result<Verdict> {
        let path = target.path.as_path();
        let is_stdin = target.origin == Origin::Stdin;
        let is_preprocessed = !is_stdin && self.parts.is_preprocessed(path);
        let is_decompressed = !is_stdin && !is_preprocessed && self.parts.is_decompressed(path);
        if is_stdin || is_preprocessed || is_decompressed {
            self.renew_searcher(u64::MAX);
            self.set_binary_rule(path, target.is_explicit());
            return match target.origin {
                Origin::Stdin => self.search_reader(path, io::stdin().lock()),
                _ if is_preprocessed => self.search_preprocessed(path),
                _ => self.search_decompressed(path),
            };
        }
        // Its metadata costs less through the open file than by a second look-up of the path.
        let file = File::open(path)?;
        let metadata = file.metadata();
        self.search_opened(target, file, metadata)
    }

    /// Searches an open file by reading it in pieces.
    fn search_opened(
        &mut self,
        target: &Target,
        mut file: File,
        metadata: io::Result<Metadata>,
    ) -> io::Result<Verdict> {
        let path = target.path.as_path();
        self.renew_searcher(metadata.as_ref().map_or(u64::MAX, Metadata::len));
        self.set_binary_rule(path, target.is_explicit());
        // The searcher reads an empty file twice. Some file systems report no lengths.
        if metadata.is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0) {
            if file.read(&mut [0])? == 0 {
                return self.search_reader(path, io::empty());
            }
            file.seek(SeekFrom::Start(0))?;
        }
        let Worker { parts, searcher, printer, .. } = self;
        match &parts.matcher {
            PatternMatcher::Default(matcher) => {
                search_file(matcher, searcher, printer, path, &file)
            }
            #[cfg(feature = "pcre2")]
            PatternMatcher::Pcre2(matcher) => search_file(matcher, searcher, printer, path, &file),
        }
    }

    /// Searches a target like [`Worker::search`], but rejects a file without a match faster: by one
    /// scan of its bytes, limited to the blocks that the index lists.
    ///
    /// # Errors
    ///
    /// The same as [`Worker::search`].
    pub(crate) fn search_candidate(&mut self, target: &Target) -> io::Result<Verdict> {
        let path = target.path.as_path();
        let plain = target.origin == Origin::Walked && self.parts.reads_plainly(path);
        if !plain || self.parts.maps {
            return self.search(target);
        }
        if target.hint == ContentHint::NoMatch {
            self.set_binary_rule(path, false);
            return self.search_reader(path, io::empty());
        }
        let (mut file, metadata) = read::open(path)?;
        // A file about which the index has nothing is read once: in pieces that stay in the processor's
        // cache, if it is larger than these.
        let is_unknown = target.hint == ContentHint::Unknown;
        if metadata.len() > if is_unknown { BUFFER_BYTES } else { READ_WHOLE_BYTES_MAX } {
            return self.search_opened(target, file, Ok(metadata));
        }
        self.renew_searcher(metadata.len());
        let mut buffer = std::mem::take(&mut self.buffer);
        let verdict = match &target.hint {
            ContentHint::Blocks(hinted) if Stamp::of(&metadata) == hinted.0 => {
                self.search_blocks(path, &mut file, &metadata, &hinted.1, &mut buffer)
            }
            ContentHint::Text(stamp) if Stamp::of(&metadata) == *stamp => {
                self.search_text(path, &mut file, &metadata, &mut buffer)
            }
            _ => buffer
                .fill(&mut file, metadata.len())
                .and_then(|()| self.search_bytes(path, buffer.bytes(), false)),
        };
        self.buffer = buffer;
        verdict
    }

    /// Searches a file without a NUL byte; only its head if one match is enough and the head
    /// contains it.
    fn search_text(
        &mut self,
        path: &Path,
        file: &mut File,
        metadata: &Metadata,
        buffer: &mut read::Buffer,
    ) -> io::Result<Verdict> {
        if metadata.len() > 2 * HEAD_BYTES
            && let Some(verdict) = self.search_head(path, file, buffer)?
        {
            return Ok(verdict);
        }
        buffer.fill(file, metadata.len())?;
        self.search_bytes(path, buffer.bytes(), true)
    }

    /// Searches the complete lines in the head of a file if a match there is enough. Otherwise
    /// returns `None`: nothing is printed, and the file is at its start.
    fn search_head(
        &mut self,
        path: &Path,
        file: &mut File,
        buffer: &mut read::Buffer,
    ) -> io::Result<Option<Verdict>> {
        self.set_binary_rule(path, false);
        let Worker { parts, searcher, printer, .. } = self;
        let Some((plain, matcher)) =
            parts.plain_for_parts().filter(|(plain, _)| plain.stops_at_match())
        else {
            return Ok(None);
        };
        buffer.fill(file, HEAD_BYTES)?;
        let head = buffer.bytes();
        let head = &head[..memchr::memrchr(b'\n', head).map_or(0, |end| end + 1)];
        if !starts_with_mark(head) && !parts.needs_buffer(head) {
            let mut sink = plain.sink(path, printer.get_mut());
            searcher.search_slice(matcher, head, &mut sink)?;
            if sink.is_decided() {
                return Ok(Some(Verdict { has_match: sink.end()?, stats: None }));
            }
        }
        file.seek(SeekFrom::Start(0))?;
        Ok(None)
    }

    /// Searches a large file that can match only in `blocks`. The rest is read only if one of them
    /// seems to match.
    fn search_blocks(
        &mut self,
        path: &Path,
        file: &mut File,
        metadata: &Metadata,
        blocks: &[Range<u32>],
        buffer: &mut read::Buffer,
    ) -> io::Result<Verdict> {
        if let Some(verdict) = self.search_parts(path, file, metadata, blocks, buffer)? {
            return Ok(verdict);
        }
        if self.parts.rejects_early {
            let mut seems_to_match = false;
            for block in blocks {
                let end = u64::from(block.end).min(metadata.len());
                buffer.fill_range(file, u64::from(block.start)..end)?;
                let bytes = buffer.bytes();
                // The searcher removes a byte order mark, which moves the start of the first line.
                let is_different =
                    block.start == 0 && starts_with_mark(bytes) || self.parts.needs_buffer(bytes);
                seems_to_match = is_different || may_match(&self.parts.matcher, bytes);
                if seems_to_match {
                    break;
                }
            }
            if !seems_to_match {
                let stats = self.parts.with_stats.then(|| {
                    let mut stats = Stats::new();
                    stats.add_searches(1);
                    stats
                });
                return Ok(Verdict { has_match: false, stats });
            }
            file.seek(SeekFrom::Start(0))?;
        }
        buffer.fill(file, metadata.len())?;
        self.search_bytes(path, buffer.bytes(), false)
    }

    /// Searches only `blocks` of a large file, if that prints the same. Otherwise returns `None`,
    /// and nothing is printed.
    fn search_parts(
        &mut self,
        path: &Path,
        file: &mut File,
        metadata: &Metadata,
        blocks: &[Range<u32>],
        buffer: &mut read::Buffer,
    ) -> io::Result<Option<Verdict>> {
        self.set_binary_rule(path, false);
        let Worker { parts, searcher, printer, .. } = self;
        let Some((plain, matcher)) =
            parts.plain_for_parts().filter(|(plain, _)| plain.searches_parts())
        else {
            return Ok(None);
        };
        if parts.depends_on_buffer_unless_utf8 {
            for block in blocks {
                let end = u64::from(block.end).min(metadata.len());
                buffer.fill_range(file, u64::from(block.start)..end)?;
                if parts.needs_buffer(buffer.bytes()) {
                    return Ok(None);
                }
            }
        }
        let mut sink = plain.sink(path, printer.get_mut());
        for block in blocks {
            let end = u64::from(block.end).min(metadata.len());
            buffer.fill_range(file, u64::from(block.start)..end)?;
            // Only the first block can start with a byte order mark, and nothing is printed before.
            if block.start == 0 && starts_with_mark(buffer.bytes()) {
                return Ok(None);
            }
            searcher.search_slice(matcher, buffer.bytes(), &mut sink)?;
            if sink.is_decided() {
                break;
            }
        }
        Ok(Some(Verdict { has_match: sink.end()?, stats: None }))
    }

    /// Searches the bytes of a walked file; `is_text` if it contains no NUL byte.
    fn search_bytes(&mut self, path: &Path, bytes: &[u8], is_text: bool) -> io::Result<Verdict> {
        self.set_binary_rule(path, false);
        // The searcher handles transcoding and NUL bytes.
        if starts_with_mark(bytes)
            || (!is_text && memchr::memchr(0, bytes).is_some())
            || self.parts.needs_buffer(bytes)
        {
            return self.search_reader(path, bytes);
        }
        let Worker { parts, searcher, printer, .. } = self;
        if let Some(plain) = &parts.plain {
            let mut sink = plain.sink(path, printer.get_mut());
            match &parts.matcher {
                PatternMatcher::Default(matcher) => {
                    searcher.search_slice(matcher, bytes, &mut sink)?;
                }
                #[cfg(feature = "pcre2")]
                PatternMatcher::Pcre2(matcher) => {
                    searcher.search_slice(matcher, bytes, &mut sink)?;
                }
            }
            return Ok(Verdict { has_match: sink.end()?, stats: None });
        }
        match &parts.matcher {
            PatternMatcher::Default(matcher) => {
                search_slice(matcher, searcher, printer, path, bytes)
            }
            #[cfg(feature = "pcre2")]
            PatternMatcher::Pcre2(matcher) => search_slice(matcher, searcher, printer, path, bytes),
        }
    }

    /// Replaces the searcher before a file of `len_bytes` that does not fit into the buffer of a new
    /// one. A long line in an earlier file may have enlarged the buffer, whose boundaries decide
    /// when a NUL byte is detected and where `\A` matches; the output must not depend on other files.
    fn renew_searcher(&mut self, len_bytes: u64) {
        if len_bytes > BUFFER_BYTES {
            self.searcher = self.parts.searcher.build();
        }
    }

    fn set_binary_rule(&mut self, path: &Path, explicit: bool) {
        let rule = self.parts.binary.of(explicit);
        log::trace!("{}: binary detection: {rule:?}", path.display());
        self.searcher.set_binary_detection(rule);
    }

    fn search_reader(&mut self, path: &Path, reader: impl Read) -> io::Result<Verdict> {
        let Worker { parts, searcher, printer, .. } = self;
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
        command.arg(path).stdin(Stdio::from(File::open(path)?));
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

/// Runs `$search` with a sink of the printer.
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

fn search_file<M: Matcher, W: WriteColor>(
    matcher: &M,
    searcher: &mut Searcher,
    printer: &mut Printer<W>,
    path: &Path,
    file: &File,
) -> io::Result<Verdict> {
    with_sink!(printer, matcher, path, sink => searcher.search_file(matcher, file, &mut sink))
}

fn search_slice<M: Matcher, W: WriteColor>(
    matcher: &M,
    searcher: &mut Searcher,
    printer: &mut Printer<W>,
    path: &Path,
    bytes: &[u8],
) -> io::Result<Verdict> {
    with_sink!(printer, matcher, path, sink => searcher.search_slice(matcher, bytes, &mut sink))
}

/// Returns true if a file starts with a byte order mark, which the searcher interprets.
fn starts_with_mark(bytes: &[u8]) -> bool {
    let marks: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"];
    marks.iter().any(|mark| bytes.starts_with(mark))
}

/// Returns false if the pattern does not match in `bytes`.
fn may_match(matcher: &PatternMatcher, bytes: &[u8]) -> bool {
    match matcher {
        // The search itself reports an error.
        PatternMatcher::Default(matcher) => matcher.is_match(bytes).unwrap_or(true),
        #[cfg(feature = "pcre2")]
        PatternMatcher::Pcre2(_) => true,
    }
}

fn search_reader<M: Matcher, W: WriteColor>(
    matcher: &M,
    searcher: &mut Searcher,
    printer: &mut Printer<W>,
    path: &Path,
    reader: impl Read,
) -> io::Result<Verdict> {
    with_sink!(printer, matcher, path, sink => searcher.search_reader(matcher, reader, &mut sink))
}

#[cfg(test)]
mod tests;
