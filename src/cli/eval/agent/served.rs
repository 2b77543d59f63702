//! The tools of codedb: those of a server for one tree, as an agent gets them.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::base::interrupt::Interrupt;
use crate::cli::mcp;
use crate::cli::place::{self, TreeOptions};
use crate::cli::report::print_message;
use crate::error::{Kind, Result};
use crate::eval::agent::run::{Output, Toolbox};
use crate::mcp::{Allows, Attached, Options, Toolset, Writes};
use crate::model::Tool;

/// How long a server may take to open a complete index.
const OPENING_MAX: Duration = Duration::from_secs(60);

/// A server for one tree.
#[derive(Debug)]
pub(super) struct ServedTools {
    server: Attached,
    tools: Vec<Tool>,
}

impl ServedTools {
    /// Starts the server of a tree with an index, and waits until it has opened that.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub(super) fn start(
        root: &Path,
        tree: &TreeOptions,
        interrupt: Interrupt<'_>,
    ) -> Result<ServedTools> {
        let own = TreeOptions { root: Some(root.to_path_buf()), ..tree.clone() };
        let options = Options {
            roots: vec![root.to_path_buf()],
            cache: place::cache(tree)?.0,
            allows: Allows::default(),
            toolsets: vec![Toolset::Core],
            writes: Writes::Refused,
            threads: tree.threads.unwrap_or_else(place::threads),
            remote: None,
            open: Box::new(move |folder| {
                let root = folder.map(ToOwned::to_owned).or_else(|| own.root.clone());
                mcp::open(&TreeOptions { root, ..own.clone() }, false)
            }),
        };
        let mut server = Attached::start(options)?;
        let until = Instant::now() + OPENING_MAX;
        while !server.is_indexed(interrupt)? {
            if Instant::now() >= until {
                print_message(format_args!(
                    "{}: the server has no complete index, so its replies may be partial",
                    root.display()
                ));
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let tool = |tool: &crate::mcp::Offered| Tool {
            name: tool.name.clone(),
            description: tool.description.clone(),
            schema: tool.schema.clone(),
        };
        let tools = server.tools().iter().map(tool).collect();
        Ok(ServedTools { server, tools })
    }
}

impl Toolbox for ServedTools {
    fn instructions(&self) -> &str {
        self.server.instructions()
    }

    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn call(&mut self, name: &str, arguments: &Value, interrupt: Interrupt<'_>) -> Result<Output> {
        match self.server.call(name, arguments, interrupt) {
            Ok((text, is_error)) => Ok(Output { text, is_error }),
            Err(error) if error.kind() == Kind::Limit => Ok(Output::failed(error.to_string())),
            Err(error) => Err(error),
        }
    }
}
