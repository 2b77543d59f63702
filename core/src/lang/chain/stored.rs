//! The form in which the index stores chains. Nothing else needs it: the text is opaque.

use super::Chain;

/// Returns the text that the index stores for a chain.
pub(crate) fn text(chain: &Chain) -> &str {
    &chain.0
}

/// Returns the chain of a text that [`text`] returned. Any other text gives a chain that decodes to
/// malformed steps.
pub(crate) fn chain(text: String) -> Chain {
    Chain(text)
}
