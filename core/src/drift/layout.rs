//! What a change of the tool list costs in the prompt cache, by the order in which a provider places
//! the parts of a request.
//!
//! A prompt cache holds prefixes: what follows the first different byte is processed again. So the
//! cost of a change depends on what stands after the tools.

use serde::Serialize;

/// An order of the parts of a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
pub enum Layout {
    /// The tools come first.
    #[serde(rename = "tools, system, conversation")]
    ToolsFirst,
    /// The tools follow the system prompt.
    #[serde(rename = "system, tools, conversation")]
    SystemFirst,
    /// The tools come last, before the newest message.
    #[serde(rename = "system, conversation, tools")]
    ToolsLast,
}

impl Layout {
    /// Every layout.
    pub const ALL: [Layout; 3] = [Layout::ToolsFirst, Layout::SystemFirst, Layout::ToolsLast];

    /// Returns the parts in their order, separated by commas.
    pub fn name(self) -> &'static str {
        match self {
            Layout::ToolsFirst => "tools, system, conversation",
            Layout::SystemFirst => "system, tools, conversation",
            Layout::ToolsLast => "system, conversation, tools",
        }
    }

    /// Returns the parts that follow the tools, in order.
    fn parts_after_tools(self) -> &'static [&'static str] {
        match self {
            Layout::ToolsFirst => &["system prompt", "conversation"],
            Layout::SystemFirst => &["conversation"],
            Layout::ToolsLast => &[],
        }
    }
}

/// Estimated numbers of tokens (o200k) of the lists in canonical form; see
/// [`tokens`](crate::base::tokens).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Tokens {
    /// Of the earlier list.
    pub before: usize,
    /// Of the later list.
    pub after: usize,
    /// Of what both have in common before the first different byte.
    pub reusable_prefix: usize,
}

/// The cost of a change in one layout.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Cost {
    /// The layout.
    pub layout: Layout,
    /// Tokens of the later tool list that are read from the cache.
    pub cached_tokens: usize,
    /// Tokens of the later tool list that are processed again.
    pub new_tokens: usize,
    /// The parts of the request after the tools, all of which are processed again.
    pub invalidated: &'static [&'static str],
}

/// Returns the cost of a change in each layout; `is_identity` is true if nothing changed.
pub(super) fn costs(tokens: Tokens, is_identity: bool) -> Vec<Cost> {
    let cost = |layout: Layout| Cost {
        layout,
        cached_tokens: tokens.reusable_prefix,
        new_tokens: tokens.after.saturating_sub(tokens.reusable_prefix),
        invalidated: if is_identity { &[] } else { layout.parts_after_tools() },
    };
    Layout::ALL.map(cost).to_vec()
}
