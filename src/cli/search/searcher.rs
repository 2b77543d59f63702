//! The settings of the searcher: lines, context, encoding, memory maps and binary files.

use std::path::Path;

use grep_matcher::LineTerminator;
use grep_searcher::{BinaryDetection, MmapChoice, SearcherBuilder};

use super::args::{Binary, Context, Mmap, TextEncoding};
use super::request::Request;

/// If more files than this are given as arguments, they are read instead of memory-mapped.
const MAPPED_PATHS_MAX: usize = 10;

/// Returns the settings of a request's searchers; each thread builds its own.
pub(crate) fn settings(request: &Request) -> SearcherBuilder {
    let matching = &request.matching;
    let mut builder = SearcherBuilder::new();
    builder
        .line_terminator(line_terminator(request))
        .invert_match(matching.invert)
        .line_number(request.output_format.line_number)
        .multi_line(matching.multiline)
        .max_matches(matching.max_count)
        .stop_on_nonmatch(matching.stop_on_nonmatch)
        .memory_map(memory_map(request));
    match request.format.context {
        Context::Passthru => {
            builder.passthru(true);
        }
        context @ Context::Lines(_) => {
            let (before, after) = context.before_after();
            builder.before_context(before).after_context(after);
        }
    }
    match &request.reading.encoding {
        TextEncoding::Auto => {}
        TextEncoding::Label(encoding) => {
            builder.encoding(Some(encoding.clone()));
        }
        TextEncoding::Raw => {
            builder.bom_sniffing(false);
        }
    }
    builder
}

/// Returns the line terminator.
pub(crate) fn line_terminator(request: &Request) -> LineTerminator {
    if request.matching.crlf {
        LineTerminator::crlf()
    } else if request.matching.null_data {
        LineTerminator::byte(b'\0')
    } else {
        LineTerminator::byte(b'\n')
    }
}

fn memory_map(request: &Request) -> MmapChoice {
    let is_mapped = match request.reading.mmap {
        Mmap::Always => true,
        Mmap::Never => false,
        Mmap::Auto => {
            let paths = &request.scope.paths;
            paths.len() <= MAPPED_PATHS_MAX && paths.iter().all(|path| path.is_file())
        }
    };
    if is_mapped { mapped() } else { MmapChoice::never() }
}

#[expect(unsafe_code, reason = "the library marks the choice as unsafe")]
fn mapped() -> MmapChoice {
    // SAFETY: a mapped file must not shrink while it is searched. We do not write to it, hold no
    // reference into it after its search, and treat its bytes as arbitrary. If another process
    // truncates it, a signal kills this process, which the help of `--mmap` documents and
    // `--no-mmap` avoids. ripgrep maps the same files, and its output for binary files depends on
    // it.
    unsafe { MmapChoice::auto() }
}

/// The treatment of NUL bytes, for files given as arguments and for walked files.
#[derive(Clone, Debug)]
pub(crate) struct BinaryRules {
    pub(crate) explicit: BinaryDetection,
    pub(crate) implicit: BinaryDetection,
}

impl BinaryRules {
    /// Returns the rules of a request.
    pub(crate) fn new(request: &Request) -> BinaryRules {
        let binary = request.reading.binary;
        if binary == Binary::Text || request.matching.null_data {
            let none = BinaryDetection::none();
            return BinaryRules { explicit: none.clone(), implicit: none };
        }
        let convert = BinaryDetection::convert(b'\0');
        let implicit = match binary {
            Binary::Search => convert.clone(),
            Binary::Auto | Binary::Text => BinaryDetection::quit(b'\0'),
        };
        BinaryRules { explicit: convert, implicit }
    }

    /// Returns the rule for a file; `explicit` if it is an argument.
    pub(crate) fn of(&self, explicit: bool) -> BinaryDetection {
        if explicit { self.explicit.clone() } else { self.implicit.clone() }
    }
}

/// Returns true if `path` denotes standard input on the command line.
pub(crate) fn is_stdin_path(path: &Path) -> bool {
    path == Path::new("-")
}
