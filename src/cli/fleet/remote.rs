//! The fleet as a project of servers: `fleet`, or `fleet/REPOSITORY` for a part of it.

use std::sync::{Arc, OnceLock};

use super::super::place;
use crate::base::interrupt::Interrupt;
use crate::catalog::code::Code;
use crate::error::Result;
use crate::fleet::nodes::Nodes;
use crate::fleet::query::Query;
use crate::fleet::view::{PROJECT, View};
use crate::tools::session;

/// The fleet of the user's configuration, connected on first use.
#[derive(Default)]
struct Remote {
    nodes: OnceLock<Box<dyn Nodes>>,
}

/// Returns the fleet, if the user's configuration has one; what is wrong with it is reported to the call
/// that names it.
pub(in crate::cli) fn remote() -> Option<Arc<dyn session::Remote>> {
    super::is_configured().then(|| Arc::new(Remote::default()) as Arc<dyn session::Remote>)
}

/// Returns the repositories that a project name selects; `None` if it is another project.
fn scope(project: &str) -> Option<Query> {
    let rest = project.strip_prefix(PROJECT)?;
    match rest.strip_prefix('/') {
        Some(repository) if !repository.is_empty() => Some(Query::of_repository(repository)),
        _ if rest.is_empty() => Some(Query::Const(true)),
        _ => None,
    }
}

impl session::Remote for Remote {
    fn project(&self) -> session::Project {
        session::Project {
            name: PROJECT.to_owned(),
            root: format!("zoekt nodes; `{PROJECT}/NAME` selects repositories"),
            default: false,
            index: session::Indexed::Full,
            files: None,
            doing: None,
        }
    }

    fn is_named(&self, project: &str) -> bool {
        scope(project).is_some()
    }

    fn view<'a>(
        &'a self,
        project: &str,
        interrupt: Interrupt<'a>,
    ) -> Result<Box<dyn Code + Send + 'a>> {
        let nodes = match self.nodes.get() {
            Some(nodes) => nodes,
            None => {
                let nodes = super::nodes()?;
                self.nodes.get_or_init(|| nodes)
            }
        };
        let parsers = place::parsers(place::threads())?;
        let scope = scope(project).unwrap_or(Query::Const(true));
        Ok(Box::new(View::new(nodes.as_ref(), scope, parsers).interrupted_by(interrupt)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_name_selects_repositories() {
        assert_eq!(scope("fleet"), Some(Query::Const(true)));
        assert_eq!(scope("fleet/acme/shop"), Some(Query::of_repository("acme/shop")));
        assert_eq!(scope("fleets"), None);
        assert_eq!(scope("shop"), None);
    }
}
