//! The context of a call: the code in one state, the time, the session.

use super::Tool;
use super::session::Session;
use crate::catalog::code::Code;

/// A call of a tool.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The code that the call reads.
    pub code: &'a dyn Code,
    /// The time of the call, in nanoseconds since 1970.
    pub now_ns: i64,
    /// The session, which gives access to other trees; only on a server.
    pub session: Option<&'a dyn Session>,
    /// The tools that hints and notices may mention; `None` on the command line, where all are commands and
    /// their arguments are flags.
    pub offered: Option<&'a [&'static Tool]>,
    /// True if the reply may contain secrets.
    pub shows_secrets: bool,
    /// True if the reply is drawn as a graph; see [`Reply::graph`](super::Reply::graph).
    pub draws_graph: bool,
    /// Returns true for the repository paths that a search is limited to beyond its arguments, if it is.
    pub is_wanted: Option<&'a (dyn Fn(&[u8]) -> bool + Sync)>,
}

impl<'a> Call<'a> {
    /// Returns a call on one tree, without a session.
    pub fn new(code: &'a dyn Code, now_ns: i64) -> Call<'a> {
        let (session, offered) = (None, None);
        let (shows_secrets, draws_graph) = (false, false);
        Call { code, now_ns, session, offered, shows_secrets, draws_graph, is_wanted: None }
    }

    /// Returns true if a search is limited beyond its arguments.
    pub fn is_limited(&self) -> bool {
        self.is_wanted.is_some()
    }

    /// Returns true if a search reads the file at a repository path.
    pub fn wants(&self, path: &[u8]) -> bool {
        self.is_wanted.is_none_or(|is_wanted| is_wanted(path))
    }
}

impl std::fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Call({})", self.code.root().display())
    }
}
