//! Prints matches as lines, summaries or JSON, with ripgrep's printers.

use grep_matcher::{Match, Matcher, NoCaptures, NoError};
use grep_printer::{
    ColorSpecs, HyperlinkConfig, HyperlinkEnvironment, JSON, JSONBuilder, PathPrinter,
    PathPrinterBuilder, Standard, StandardBuilder, Summary, SummaryBuilder, SummaryKind,
};
use grep_searcher::Searcher;
use termcolor::WriteColor;

use super::super::hyperlink::{host, wsl_prefix};
use super::args::{Format, SearchMode};
use super::request::Request;
use super::searcher;

/// A printer of one of the three kinds, which writes to `W`.
#[derive(Clone, Debug)]
pub(crate) enum Printer<W> {
    Lines(Standard<W>),
    Summary(Summary<W>),
    Json(JSON<W>),
}

impl<W: WriteColor> Printer<W> {
    /// Returns the writer of the printer.
    pub(crate) fn get_mut(&mut self) -> &mut W {
        match self {
            Printer::Lines(printer) => printer.get_mut(),
            Printer::Summary(printer) => printer.get_mut(),
            Printer::Json(printer) => printer.get_mut(),
        }
    }
}

/// Creates identical printers for the threads of a search.
#[derive(Debug)]
pub(crate) struct PrinterFactory<'a> {
    request: &'a Request,
    mode: SearchMode,
    colors: ColorSpecs,
    hyperlink: HyperlinkConfig,
}

impl<'a> PrinterFactory<'a> {
    /// Returns a factory for a search of this mode.
    pub(crate) fn new(request: &'a Request, mode: SearchMode) -> PrinterFactory<'a> {
        PrinterFactory {
            request,
            mode,
            colors: colors(&request.format),
            hyperlink: hyperlink(&request.format),
        }
    }

    /// Returns a printer that writes to `out` and prints separators between files itself.
    pub(crate) fn printer<W: WriteColor>(&self, out: W) -> Printer<W> {
        match (self.summary_kind(), self.mode) {
            (Some(kind), _) => Printer::Summary(self.summary(out, kind)),
            (None, SearchMode::Json) => Printer::Json(self.json(out)),
            (None, _) => Printer::Lines(self.lines(out)),
        }
    }

    /// Returns a printer that prints the separator before the lines of every file, including the
    /// first.
    ///
    /// For output that another thread concatenates. It removes [`PrinterFactory::separator`] from
    /// the start of the output of the first file.
    pub(crate) fn separated_printer<W: WriteColor>(
        &self,
        out: W,
        clear: impl Fn(&mut W),
    ) -> Printer<W> {
        let mut printer = self.printer(out);
        if self.separator().is_some()
            && let Printer::Lines(lines) = &mut printer
        {
            prime(lines);
        }
        clear(printer.get_mut());
        printer
    }

    /// Returns the separator between the lines of two files, including its line terminator.
    pub(crate) fn separator(&self) -> Option<Vec<u8>> {
        let mut separator = self.request.output_format.file_separator.clone()?;
        separator.extend_from_slice(searcher::line_terminator(self.request).as_bytes());
        Some(separator).filter(|_| self.summary_kind().is_none() && self.mode == SearchMode::Lines)
    }

    fn summary_kind(&self) -> Option<SummaryKind> {
        let quiet = self.request.quiet;
        Some(match self.mode {
            SearchMode::PathsWithoutMatch if quiet => SummaryKind::QuietWithoutMatch,
            _ if quiet => SummaryKind::QuietWithMatch,
            SearchMode::PathsWithMatch => SummaryKind::PathWithMatch,
            SearchMode::PathsWithoutMatch => SummaryKind::PathWithoutMatch,
            SearchMode::Count => SummaryKind::Count,
            SearchMode::CountMatches => SummaryKind::CountMatches,
            SearchMode::Lines | SearchMode::Json => return None,
        })
    }

    fn lines<W: WriteColor>(&self, out: W) -> Standard<W> {
        let (format, output_format) = (&self.request.format, &self.request.output_format);
        StandardBuilder::new()
            .color_specs(self.colors.clone())
            .hyperlink(self.hyperlink.clone())
            .stats(self.request.stats)
            .heading(output_format.heading)
            .path(output_format.with_filename)
            .column(output_format.column)
            .byte_offset(format.byte_offset)
            .only_matching(format.only_matching)
            .per_match(format.vimgrep)
            .per_match_one_line(true)
            .replacement(format.replace.clone())
            .max_columns(format.max_columns)
            .max_columns_preview(format.max_columns_preview)
            .trim_ascii(format.trim)
            .separator_search(output_format.file_separator.clone())
            .separator_context(format.context_separator.clone())
            .separator_field_match(format.field_match_separator.clone())
            .separator_field_context(format.field_context_separator.clone())
            .separator_path(format.path_separator)
            .path_terminator(path_terminator(format))
            .build(out)
    }

    fn summary<W: WriteColor>(&self, out: W, kind: SummaryKind) -> Summary<W> {
        let format = &self.request.format;
        SummaryBuilder::new()
            .kind(kind)
            .color_specs(self.colors.clone())
            .hyperlink(self.hyperlink.clone())
            .stats(self.request.stats)
            .path(self.request.output_format.with_filename)
            .exclude_zero(!format.include_zero)
            .separator_field(b":".to_vec())
            .separator_path(format.path_separator)
            .path_terminator(path_terminator(format))
            .build(out)
    }

    fn json<W: WriteColor>(&self, out: W) -> JSON<W> {
        JSONBuilder::new()
            .pretty(false)
            .always_begin_end(false)
            .replacement(self.request.format.replace.clone())
            .build(out)
    }
}

/// Returns the printer of `--files`.
pub(crate) fn paths<W: WriteColor>(request: &Request, out: W) -> PathPrinter<W> {
    let format = &request.format;
    PathPrinterBuilder::new()
        .color_specs(colors(format))
        .hyperlink(hyperlink(format))
        .separator(format.path_separator)
        .terminator(path_terminator(format).unwrap_or(b'\n'))
        .build(out)
}

fn path_terminator(format: &Format) -> Option<u8> {
    format.null.then_some(b'\0')
}

fn colors(format: &Format) -> ColorSpecs {
    let mut specs = grep_printer::default_color_specs();
    specs.extend(format.colors.iter().cloned());
    ColorSpecs::new(&specs)
}

fn hyperlink(format: &Format) -> HyperlinkConfig {
    let mut environment = HyperlinkEnvironment::new();
    // The name of the host costs a system call or a process, so it is determined only for links.
    if !format.hyperlink.is_empty() {
        let host = host(format.hostname_command.as_deref());
        environment.host(host).wsl_prefix(wsl_prefix());
    }
    HyperlinkConfig::new(environment, format.hyperlink.clone())
}

/// Makes a printer print the separator before the next file, as if it had printed a file before.
fn prime<W: WriteColor>(printer: &mut Standard<W>) {
    let sink = printer.sink(EveryLine);
    let searched = Searcher::new().search_slice(EveryLine, b"x\n", sink);
    searched.expect("a search of memory that prints to memory cannot fail");
    // The printer resets its counters when the next search begins.
}

/// Matches the first byte of every line.
#[derive(Clone, Copy, Debug)]
struct EveryLine;

impl Matcher for EveryLine {
    type Captures = NoCaptures;
    type Error = NoError;

    fn find_at(&self, _: &[u8], at: usize) -> Result<Option<Match>, NoError> {
        Ok((at == 0).then(|| Match::new(0, 1)))
    }

    fn new_captures(&self) -> Result<NoCaptures, NoError> {
        Ok(NoCaptures::new())
    }
}
