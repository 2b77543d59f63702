//! Embedded code: a part of a file that the grammar parses as a list of tokens although it is code
//! of the language, such as the items in a Rust macro call. It is parsed on its own, at its place
//! in the file, and its nodes are visited in place of the tokens.

use std::ops::Range;

use tree_sitter::{Node, Point, Tree};

use super::language::Language;
use super::parse::{Limits, Problem, parse_ranges};

/// Maximum nesting of embedded code. The parser reads each byte at most once per level.
pub(super) const DEPTH_MAX: usize = 8;

/// Number of parser rounds that any embedded code may take; see [`Limits::rounds_free`].
const ROUNDS_FREE: usize = 64;

/// The code in a node.
pub(super) struct Embedded {
    /// Number of levels from the visited node up to the node whose siblings the code's nodes are.
    pub(super) levels: usize,
    /// First byte of the visited node, and its position.
    start: (usize, Point),
    /// The bytes of the code, in source order.
    ranges: Vec<Range<usize>>,
    /// Bytes that are replaced before the code is parsed. A replacement has the same length.
    replaced: Vec<(usize, Vec<u8>)>,
    /// Returns true if the root of the code's tree contains the expected code.
    accepts: fn(Node<'_>) -> bool,
    /// The code need not have the expected form: otherwise that counts as a syntax error.
    pub(super) is_optional: bool,
}

impl Embedded {
    /// Returns the code in `ranges` of the visited node `node`, without replaced bytes. The ranges
    /// are in source order and do not overlap.
    pub(super) fn new(
        node: Node<'_>,
        levels: usize,
        ranges: Vec<Range<usize>>,
        accepts: fn(Node<'_>) -> bool,
    ) -> Embedded {
        let start = (node.start_byte(), node.start_position());
        Embedded { levels, start, ranges, replaced: Vec::new(), accepts, is_optional: false }
    }

    /// Returns the same code, which need not have the expected form.
    pub(super) fn optional(self) -> Embedded {
        Embedded { is_optional: true, ..self }
    }

    /// Replaces the bytes from `at` on by as many other ones, which must not be line ends. Line
    /// ends are replaced only if no code follows them.
    pub(super) fn replace(&mut self, at: usize, bytes: impl Into<Vec<u8>>) {
        self.replaced.push((at, bytes.into()));
    }

    /// Parses the code. `None` if it is not code of the expected form. O(node) in practice, and
    /// bounded by the limits.
    ///
    /// # Errors
    ///
    /// Returns the problem if the parser reaches its limit.
    pub(super) fn parse(
        &self,
        language: &Language,
        text: &[u8],
        limits: Limits,
    ) -> Result<Option<Tree>, Problem> {
        let (start, _) = self.start;
        let end = self.ranges.last().map_or(start, |range| range.end);
        let mut code = text[start..end].to_vec();
        for (at, bytes) in &self.replaced {
            code[at - start..at - start + bytes.len()].copy_from_slice(bytes);
        }
        let limits = Limits { rounds_free: limits.rounds_free.min(ROUNDS_FREE), ..limits };
        let tree = parse_ranges(language, &code, start, &self.placed(text), limits)?;
        Ok((self.accepts)(tree.root_node()).then_some(tree))
    }

    /// Returns the ranges with their positions.
    fn placed(&self, text: &[u8]) -> Vec<tree_sitter::Range> {
        let (mut at, mut point) = self.start;
        let mut advance = |to: usize| {
            let between = &text[at..to];
            point = match memchr::memrchr(b'\n', between) {
                None => Point { column: point.column + between.len(), ..point },
                Some(end) => Point {
                    row: point.row + memchr::memchr_iter(b'\n', between).count(),
                    column: between.len() - end - 1,
                },
            };
            at = to;
            point
        };
        let range = |range: &Range<usize>| {
            let (start_point, end_point) = (advance(range.start), advance(range.end));
            let (start_byte, end_byte) = (range.start, range.end);
            tree_sitter::Range { start_byte, end_byte, start_point, end_point }
        };
        self.ranges.iter().map(range).collect()
    }
}
