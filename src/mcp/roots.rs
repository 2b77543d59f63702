//! Which tree is meant: the one that the user named, else the first folder that the client names, else
//! the one where the server was started.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::project::Project;
use super::{Open, Served};
use crate::engine::Engine;
use crate::error::Result;

/// How long a call waits for a client to name its folders.
const PATIENCE: Duration = Duration::from_secs(2);

/// A project, or the sentence that says why there is none.
pub(super) type Opened = std::result::Result<Arc<Project>, String>;

/// The tree that is served.
pub(super) struct Roots {
    open: Open,
    is_fixed: bool,
    /// A client said that it has folders and did not name them yet.
    is_awaited: AtomicBool,
    named: Notify,
    opened: Mutex<Option<Opened>>,
}

impl Roots {
    /// Opens the tree at `root`; without one none is opened yet.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub(super) fn new(open: Open, root: Option<PathBuf>) -> Result<Roots> {
        let opened = match &root {
            Some(root) => Some(Ok(Arc::new(Project::start(open(Some(root))?)?))),
            None => None,
        };
        Ok(Roots {
            open,
            is_fixed: root.is_some(),
            is_awaited: AtomicBool::new(false),
            named: Notify::new(),
            opened: Mutex::new(opened),
        })
    }

    /// Notes whether the client has folders to name. Returns true if not: then the tree is known,
    /// and to open it at once makes its index the sooner ready.
    pub(super) fn is_known_if(&self, client_has_roots: bool) -> bool {
        let is_awaited = client_has_roots && !self.is_fixed;
        self.is_awaited.store(is_awaited, Ordering::Release);
        !is_awaited
    }

    /// Returns true if the client is to be asked for its folders.
    pub(super) fn wants_names(&self) -> bool {
        !self.is_fixed
    }

    /// Takes the folders that a client named, as URIs. The first that can be opened is served; where
    /// none can be, the tree is that where the server was started.
    pub(super) fn client_named<'a>(&self, uris: impl Iterator<Item = &'a str>) {
        let mut opened = self.lock();
        let mut refused = None;
        for folder in uris.filter_map(folder) {
            match (self.open)(Some(&folder)) {
                Ok(engine) if is_same(opened.as_ref(), &engine) => {
                    refused = None;
                    break;
                }
                Ok(engine) => {
                    *opened = Some(start(engine));
                    refused = None;
                    break;
                }
                Err(error) => refused = refused.or(Some(super::call::sentence(&error))),
            }
        }
        if let Some(sentence) = refused {
            *opened = Some(Err(sentence));
        }
        self.is_awaited.store(false, Ordering::Release);
        self.named.notify_waiters();
    }

    /// Returns the tree, once it is known which.
    pub(super) async fn project(&self) -> Opened {
        if self.is_awaited.load(Ordering::Acquire) {
            let named = self.named.notified();
            if self.is_awaited.load(Ordering::Acquire) {
                // A client that does not answer has none.
                let _ = tokio::time::timeout(PATIENCE, named).await;
                self.is_awaited.store(false, Ordering::Release);
            }
        }
        self.opened_or_started()
    }

    /// Ends all work. Returns what was served last.
    pub(super) fn close(&self) -> Option<Served> {
        let project = self.lock().take()?.ok()?;
        Some(Served { engine: project.engine().clone(), is_complete: project.is_full() })
    }

    /// Returns the tree that is served, or else that where the server was started.
    pub(super) fn opened_or_started(&self) -> Opened {
        let mut opened = self.lock();
        let opened = opened.get_or_insert_with(|| match (self.open)(None) {
            Ok(engine) => start(engine),
            Err(error) => Err(super::call::sentence(&error)),
        });
        opened.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Opened>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn start(engine: Engine) -> Opened {
    Project::start(engine).map(Arc::new).map_err(|error| super::call::sentence(&error))
}

fn is_same(opened: Option<&Opened>, engine: &Engine) -> bool {
    let opened = opened.and_then(|opened| opened.as_ref().ok());
    opened.is_some_and(|project| project.engine().root() == engine.root())
}

/// Returns the folder of a `file` URI of this machine.
fn folder(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let path = decoded(path)?;
    // `file:///C:/folder` is `C:/folder`.
    let has_drive = path.as_bytes().get(2) == Some(&b':');
    Some(Path::new(if has_drive { &path[1..] } else { &path }).to_path_buf())
}

/// Replaces `%20` and its like; `None` where that is no text.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, tail) = rest.split_at_checked(2)?;
        let digits = std::str::from_utf8(digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = tail;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_come_as_uris() {
        let check = |uri: &str, expected: Option<&str>| {
            assert_eq!(folder(uri), expected.map(PathBuf::from), "{uri}");
        };
        check("file:///home/a", Some("/home/a"));
        check("file://localhost/home/a%20b/%C3%A9", Some("/home/a b/é"));
        check("file:///C:/work", Some("C:/work"));
        check("file://host/share", None);
        check("https://example.org/a", None);
        check("/home/a", None);
        check("file:///a%2", None);
        check("file:///a%zz", None);
        check("file:///a%FF", None);
    }
}
