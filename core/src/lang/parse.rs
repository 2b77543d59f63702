//! Bounded parsing. The bounds depend only on the text, not on time, so that a file gives the same
//! result on every machine.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use tree_sitter::{ParseOptions, ParseState, Parser, Range, Tree};

use super::language::{BYTES_MAX, Language};
use super::nesting;

/// Limits on the work spent on one file.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum length of a text in any language; longer texts are not parsed. See
    /// [`Language::bytes_max`](super::language::Language::bytes_max).
    pub bytes_max: usize,
    /// Number of parser rounds that any text may take. A round is a fixed number of parser steps.
    pub rounds_free: usize,
    /// Number of bytes that allow one more round. The parser stops when the rounds allowed for the
    /// text are used up.
    pub round_bytes: usize,
    /// Number of chunks that the scanner may read in any text. A chunk is 512 bytes; a scanner that
    /// looks ahead or goes back reads a chunk again.
    pub reads_free: usize,
    /// Number of bytes that allow one more read.
    pub read_bytes: usize,
    /// Maximum number of syntax nodes that are visited.
    pub nodes_max: usize,
    /// Maximum depth of syntax nodes that are visited.
    pub depth_max: usize,
    /// Maximum number of symbols that are kept.
    pub symbols_max: usize,
}

impl Limits {
    /// The default limits.
    pub const DEFAULT: Limits = Limits {
        bytes_max: BYTES_MAX,
        rounds_free: 4096,
        // Measured: typical sources take one round per 100 to 200 bytes, dense ones one per 60.
        round_bytes: 32,
        // Measured: sources are read up to 10 times, short ones with an error up to 1,500 times.
        reads_free: 1 << 16,
        read_bytes: 8,
        nodes_max: 4 << 20,
        depth_max: 1000,
        symbols_max: 100_000,
    };
}

/// Languages whose parsers follow so many readings of a text at once that a round takes up to ten
/// times as long as elsewhere (Zig: `) Error!` again and again).
const SLOW_ROUNDS: &[&str] = &["zig"];

/// [`Limits::rounds_free`] of these languages. Their sources take a round per 100 bytes.
const SLOW_ROUNDS_FREE: usize = 1024;

/// Returns the limits for texts of a language.
fn limits_of(language: &Language, limits: Limits) -> Limits {
    if !SLOW_ROUNDS.contains(&language.name) {
        return limits;
    }
    Limits { rounds_free: limits.rounds_free.min(SLOW_ROUNDS_FREE), ..limits }
}

/// A reason why the symbols of a text may be incomplete.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Problem {
    /// The text is longer than [`Limits::bytes_max`], or than its language allows.
    TooLarge,
    /// The parser took more rounds than [`Limits::round_bytes`] allows, or its scanner read the text
    /// more often than [`Limits::read_bytes`] allows.
    TooHard,
    /// The tree has more nodes than [`Limits::nodes_max`]; the remaining nodes were not visited.
    TooManyNodes,
    /// A node has children deeper than [`Limits::depth_max`]; they were not visited. Or a part of
    /// the text nests so deeply that it was not parsed.
    TooDeep,
    /// The text has more symbols than [`Limits::symbols_max`].
    TooManySymbols,
    /// The grammar could not parse a part of the text.
    Syntax,
    /// Extraction panicked on the file (a bug in codedb); the file has no facts.
    Failed,
    /// The process that parsed the file crashed or did not finish; the file has no facts.
    Crashed,
    /// This build does not include the parser of the language; the file has no facts.
    NoParser,
    /// The extractor of the file failed, or lines that it printed are not valid.
    Extractor,
}

impl Problem {
    /// Every problem. The position of a problem is its bit in the index.
    pub const ALL: [Problem; 10] = [
        Problem::TooLarge,
        Problem::TooHard,
        Problem::TooManyNodes,
        Problem::TooDeep,
        Problem::TooManySymbols,
        Problem::Syntax,
        Problem::Failed,
        Problem::Crashed,
        Problem::NoParser,
        Problem::Extractor,
    ];

    /// Returns true if definitions are missing that a reader of the file sees, and that are not
    /// counted in another way.
    pub fn loses_definitions(self) -> bool {
        matches!(
            self,
            Problem::TooHard
                | Problem::TooDeep
                | Problem::Failed
                | Problem::Crashed
                | Problem::NoParser
                | Problem::Extractor
        )
    }

    /// Returns a message for the user, or `None` for [`Problem::Syntax`], which is too common to
    /// report.
    pub fn describe(self) -> Option<&'static str> {
        match self {
            Problem::TooLarge => Some("the file is too large to parse"),
            Problem::TooHard => Some("the parser reached its step limit"),
            Problem::TooManyNodes => Some("only the first part of the file was analyzed"),
            Problem::TooDeep => Some("deeply nested code was skipped"),
            Problem::TooManySymbols => Some("only the first symbols are listed"),
            Problem::Syntax => None,
            Problem::Failed => Some("internal error on this file (a bug; please report it)"),
            Problem::Crashed => Some("the parser crashed on this file or did not finish"),
            Problem::NoParser => Some("this build of codedb does not include its language"),
            Problem::Extractor => Some("its extractor failed, or printed lines that are not valid"),
        }
    }
}

/// Number of occurrences of each problem.
pub type Problems = BTreeMap<Problem, u64>;

/// Number of bytes that the scanner receives at a time. Scanning is counted in such chunks.
const CHUNK_BYTES: usize = 512;

/// The result of [`parse`].
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) tree: Tree,
    /// Parts of the text were not parsed because they nest too deeply.
    pub(super) is_flattened: bool,
}

/// Parses `text` within `limits`. O(text) in practice, and bounded by the limits.
///
/// # Errors
///
/// Returns the problem if the text is too large or the parser reaches its limit. A syntax error is
/// not an error here: the tree then contains error nodes.
pub(super) fn parse(language: &Language, text: &[u8], limits: Limits) -> Result<Parsed, Problem> {
    if text.len() > limits.bytes_max.min(language.bytes_max()) {
        return Err(Problem::TooLarge);
    }
    let mut parser = parser_of(language)?;
    let masked = language.mask.map(|mask| mask(text));
    let text = masked.as_deref().unwrap_or(text);
    let flattened = nesting::flattened(language, text);
    let is_flattened = flattened.is_some();
    let text = flattened.as_deref().unwrap_or(text);
    let work = &mut Work::of(text.len(), limits_of(language, limits));
    let tree = parse_bounded(&mut parser, text, 0, work);
    Ok(Parsed { tree: tree.ok_or(Problem::TooHard)?, is_flattened })
}

/// Parses only `ranges` of a text, as if they were adjacent. `code` contains the bytes of the text
/// from the byte `start` on; all ranges are within it. The positions of the nodes are those in the
/// text.
///
/// # Errors
///
/// Returns the problem if the parser reaches its limit.
pub(super) fn parse_ranges(
    language: &Language,
    code: &[u8],
    start: usize,
    ranges: &[Range],
    limits: Limits,
) -> Result<Tree, Problem> {
    let mut parser = parser_of(language)?;
    parser.set_included_ranges(ranges).expect("the ranges are in source order");
    // Whoever parsed the whole text has reported that it is flattened.
    let flattened = nesting::flattened(language, code);
    let code = flattened.as_deref().unwrap_or(code);
    let work = &mut Work::of(code.len(), limits_of(language, limits));
    parse_bounded(&mut parser, code, start, work).ok_or(Problem::TooHard)
}

/// Returns a parser of the language.
///
/// # Errors
///
/// [`Problem::NoParser`] if this build does not include it.
pub(super) fn parser_of(language: &Language) -> Result<Parser, Problem> {
    let grammar = language.grammar.ok_or(Problem::NoParser)?;
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter::Language::new(grammar))
        .expect("a test checks that the library supports the version of every grammar");
    Ok(parser)
}

/// The work that parsers may still do, in rounds and in chunks read.
#[derive(Debug)]
pub(super) struct Work {
    rounds: usize,
    reads: usize,
}

impl Work {
    /// Returns the work that `limits` allow for a text of `len` bytes.
    pub(super) fn of(len: usize, limits: Limits) -> Work {
        Work {
            rounds: limits.rounds_free.saturating_add(len / limits.round_bytes.max(1)),
            reads: limits.reads_free.saturating_add(len / limits.read_bytes.max(1)),
        }
    }

    /// Returns `factor` times as much work.
    pub(super) fn times(self, factor: usize) -> Work {
        let [rounds, reads] = [self.rounds, self.reads].map(|work| work.saturating_mul(factor));
        Work { rounds, reads }
    }
}

/// Parses `text`, whose first byte has the position `start`, and subtracts the work from `work`;
/// `None` if that is used up. O(text) in practice.
pub(super) fn parse_bounded(
    parser: &mut Parser,
    text: &[u8],
    start: usize,
    work: &mut Work,
) -> Option<Tree> {
    let reads = Cell::new(work.reads);
    let rounds = &mut work.rounds;
    let mut on_progress = |_: &ParseState| {
        let is_used_up = *rounds == 0 || reads.get() == 0;
        *rounds = rounds.saturating_sub(1);
        if is_used_up { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut on_progress);
    let mut input = |at: usize, _| {
        reads.set(reads.get().saturating_sub(1));
        let rest = at.checked_sub(start).and_then(|at| text.get(at..)).unwrap_or_default();
        &rest[..rest.len().min(CHUNK_BYTES)]
    };
    let tree = parser.parse_with_options(&mut input, None, Some(options));
    work.reads = reads.get();
    if tree.is_none() {
        parser.reset();
    }
    tree
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::lang::{grammars, language, outline};

    /// A build without a parser recognizes the files of its language and counts them as not analyzed.
    #[test]
    fn a_language_without_a_parser_is_a_problem_of_each_of_its_files() {
        static RUST: Language = Language { grammar: None, ..grammars::rust::RUST };
        let found = outline(&RUST, "a.rs", b"fn f() {}", Limits::DEFAULT);
        assert_eq!(found.problems, Problems::from([(Problem::NoParser, 1)]));
        assert!(found.symbols.is_empty() && Problem::NoParser.loses_definitions());
    }

    /// The problem of a text, which is found in bounded time.
    #[track_caller]
    fn check(path: &str, text: &str, expected: Option<Problem>) {
        let language = language::of_path(Path::new(path)).expect("a known extension");
        let started = Instant::now();
        let found = outline(language, path, text.as_bytes(), Limits::DEFAULT).problems;
        let found = found.keys().find(|problem| **problem != Problem::Syntax);
        assert_eq!(found, expected.as_ref(), "{path}");
        assert!(started.elapsed() < Duration::from_secs(60), "{path}: {:?}", started.elapsed());
    }

    /// Each of these took more than ten seconds, or ended the process.
    #[test]
    fn superlinear_texts_are_given_up() {
        check("a.yaml", &"- ".repeat(256), Some(Problem::TooDeep));
        check("a.java", &"{(".repeat(30_000), Some(Problem::TooDeep));
        check("a.java", &"A<".repeat(20_000), Some(Problem::TooDeep));
        check("a.ml", &"(*".repeat(60_000), Some(Problem::TooDeep));
        check("a.css", &":not(".repeat(20_000), Some(Problem::TooHard));
        check("a.lua", &"[[".repeat(30_000), Some(Problem::TooHard));
        check("a.hs", &"do ".repeat(20_000), Some(Problem::TooHard));
        let zig = format!("pub fn f(a: T{}", ") Error!".repeat(860));
        check("a.zig", &zig, Some(Problem::TooHard));
        check("a.css", &":not( ) { a: b }".repeat(2_000), None);
    }
}
