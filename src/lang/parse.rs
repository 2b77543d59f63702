//! Bounded parsing. The bounds depend only on the text, not on time, so that a file gives the same
//! result on every machine.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use tree_sitter::{ParseOptions, Parser, Tree};

use super::language::Language;

/// Limits on the work spent on one file.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum length of a text; longer texts are not parsed.
    pub bytes_max: usize,
    /// Number of parser rounds that any text may take. A round is a fixed number of parser steps.
    pub rounds_free: usize,
    /// Number of bytes that allow one more round. The parser stops when the rounds allowed for the
    /// text are used up.
    pub round_bytes: usize,
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
        bytes_max: 1 << 20,
        rounds_free: 4096,
        // Measured: typical sources take one round per 100 to 200 bytes, dense ones one per 60.
        round_bytes: 32,
        nodes_max: 4 << 20,
        depth_max: 1000,
        symbols_max: 100_000,
    };
}

/// A reason why the symbols of a text may be incomplete.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Problem {
    /// The text is longer than [`Limits::bytes_max`].
    TooLarge,
    /// The parser took more rounds than [`Limits::round_bytes`] allows.
    TooHard,
    /// The tree has more nodes than [`Limits::nodes_max`]; the remaining nodes were not visited.
    TooManyNodes,
    /// A node has children deeper than [`Limits::depth_max`]; they were not visited.
    TooDeep,
    /// The text has more symbols than [`Limits::symbols_max`].
    TooManySymbols,
    /// The grammar could not parse a part of the text.
    Syntax,
    /// Extraction panicked on the file (a bug in codedb); the file has no facts.
    Failed,
}

impl Problem {
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
        }
    }
}

/// Number of occurrences of each problem.
pub type Problems = BTreeMap<Problem, u64>;

/// Parses `text` within `limits`. O(text) in practice, and bounded by the limits.
///
/// # Errors
///
/// Returns the problem if the text is too large or the parser reaches its limit. A syntax error is
/// not an error here: the tree then contains error nodes.
pub(super) fn parse(language: &Language, text: &[u8], limits: Limits) -> Result<Tree, Problem> {
    if text.len() > limits.bytes_max {
        return Err(Problem::TooLarge);
    }
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter::Language::new(language.grammar))
        .expect("a test checks that the library supports the version of every grammar");
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
