//! Parsing within bounds that depend on nothing but the text: the same file is parsed, cut or given
//! up on every machine alike. There is no clock here.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use tree_sitter::{ParseOptions, Parser, Tree};

use super::language::Language;

/// How much work one file may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Longer texts are not parsed.
    pub bytes_max: usize,
    /// Rounds of the parser, each of a fixed number of its steps, that any text may take.
    pub rounds_free: usize,
    /// Bytes that allow one round more; the parser is stopped after the rounds of its text.
    pub round_bytes: usize,
    /// Syntax nodes that are looked at.
    pub nodes_max: usize,
    /// Nesting of syntax nodes below which nothing is looked at.
    pub depth_max: usize,
    /// Symbols that are kept.
    pub symbols_max: usize,
}

impl Limits {
    /// The limits that hold unless a caller says otherwise.
    pub const DEFAULT: Limits = Limits {
        bytes_max: 1 << 20,
        rounds_free: 4096,
        // Sources take a round for each 100 to 200 bytes, dense ones for each 60.
        round_bytes: 32,
        nodes_max: 4 << 20,
        depth_max: 1000,
        symbols_max: 100_000,
    };
}

/// Why the symbols of a text may not be complete.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Problem {
    /// The text is longer than [`Limits::bytes_max`].
    TooLarge,
    /// The parser took more rounds than [`Limits::round_bytes`] allows.
    TooHard,
    /// There are more nodes than [`Limits::nodes_max`]; those after it were not looked at.
    TooManyNodes,
    /// Nodes whose children lie deeper than [`Limits::depth_max`].
    TooDeep,
    /// There are more symbols than [`Limits::symbols_max`].
    TooManySymbols,
    /// Places that the grammar does not understand.
    Syntax,
    /// We failed on the file, a fault of ours; nothing is known of it.
    Failed,
}

impl Problem {
    /// Returns the problem in words, or `None` where it is the usual imperfection of a text.
    pub fn describe(self) -> Option<&'static str> {
        match self {
            Problem::TooLarge => Some("the file is too large to be parsed"),
            Problem::TooHard => Some("the parser gave up after its number of steps"),
            Problem::TooManyNodes => Some("only the first part of the file was looked at"),
            Problem::TooDeep => Some("deeply nested code was not looked at"),
            Problem::TooManySymbols => Some("only the first symbols are listed"),
            Problem::Syntax => None,
            Problem::Failed => Some("codedb failed on the file, which is a fault to be reported"),
        }
    }
}

/// How often each problem was met.
pub type Problems = BTreeMap<Problem, u64>;

/// Parses `text`, or says why not.
///
/// Faulty code is no reason: the tree then has error nodes. O(text) in practice, and never more
/// than the limits allow.
pub(super) fn parse(language: &Language, text: &[u8], limits: Limits) -> Result<Tree, Problem> {
    if text.len() > limits.bytes_max {
        return Err(Problem::TooLarge);
    }
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter::Language::new(language.grammar))
        .expect("the grammars are of versions that the library reads, which a test holds");
    let masked = language.mask.map(|mask| mask(text));
    let text = masked.as_deref().unwrap_or(text);
    let rounds_max = limits.rounds_free.saturating_add(text.len() / limits.round_bytes.max(1));
    let mut rounds = 0;
    let mut on_progress = |_: &tree_sitter::ParseState| {
        rounds += 1;
        if rounds > rounds_max { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut on_progress);
    let mut input = |at: usize, _| text.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut input, None, Some(options)).ok_or(Problem::TooHard)
}
