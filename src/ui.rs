//! `codedb ui`: the repository as pages for a browser on this machine.
//!
//! `site` is the site of a server: it authorises requests (`sessions`), finds the page of an address
//! (`router`) and runs it in a thread that may block (`work`). `pages` has one file for each page, which asks
//! tools and composes their replies; `page` writes a reply as HTML, `code` lines of a file, `prose` its sentences, `shell` what is
//! around a page, `links` the addresses of pages. `treemap` divides areas, `layers` orders graphs, `diagram` draws
//! them. `changes` tells open pages that a file changed, `editor` opens one. `assets` are the style sheet and the scripts.
//!
//! `export` writes some pages as files.
//!
//! Pages are HTML that is made here; scripts only replace parts of them while the user types or the tree
//! changes. A page without scripts shows the same.

mod ask;
mod assets;
mod changes;
mod code;
mod diagram;
mod editor;
mod export;
mod layers;
mod links;
mod page;
mod pages;
mod plot;
mod prose;
mod router;
mod sessions;
mod shell;
mod treemap;
mod work;

use std::sync::Arc;

pub use editor::Editor;
pub use export::{FIRST, MARK, StaticFile, export};
pub use sessions::Sessions;

use crate::mcp::site::{Site, Tree};

/// Returns the site of a tree. `sessions` are the browsers that may use it, `editor` is what opens files for them.
pub fn site(tree: Tree, sessions: Arc<Sessions>, editor: Option<Editor>) -> Arc<dyn Site> {
    Arc::new(router::Pages::new(tree, sessions, editor))
}
