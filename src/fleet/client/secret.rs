//! [`Secret`]: a bearer token.

use std::fmt;

/// What stands for the token in texts.
const REDACTED: &str = "[redacted: token]";

/// A bearer token. It reaches nothing but a header of requests: it has no other form as text.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Returns the secret of a text, without spaces around it.
    pub fn new(text: &str) -> Secret {
        Secret(text.trim().to_owned())
    }

    /// Returns the value of the header `authorization`.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Returns `text`, which a node wrote, without the token.
    pub(super) fn redact(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, REDACTED) }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}
