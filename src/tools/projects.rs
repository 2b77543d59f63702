//! `projects`: the trees that calls can select, and how much of each is indexed.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::session::{Indexed, Project};
use super::{Call, Define, Needs, Reply, Toolset, counted, first};
use crate::answer::page::{Block, Cell, Column, Page, Table};
use crate::answer::style::Style;
use crate::base::text;
use crate::error::Result;

/// The maximum number of other indexed trees of a reply.
const INDEXED_MAX: usize = 20;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Projects;

/// The arguments: none.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Args {}

/// The reply.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Listed {
    /// The projects of the session, the default one first.
    pub projects: Vec<Project>,
    /// Other indexed trees, the most recently used first.
    pub indexed: Vec<String>,
    /// How many other trees are listed.
    pub shown: usize,
    /// How many there are.
    pub total: usize,
    /// Why there is no project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lacks: Option<String>,
}

impl Define for Projects {
    const NAME: &'static str = "codedb_projects";
    const SUMMARY: &'static str =
        "List the projects that calls can select, and other indexed trees";
    const DETAILS: &'static str = "The first project is the default; every tool accepts `project`, a name or path from this \
         list, to select another.";
    const TOOLSET: Toolset = Toolset::Navigate;
    const NEEDS: Needs = Needs::Session;
    const EXAMPLES: &'static [&'static str] = &["{}"];
    const POSITIONAL: &'static [&'static str] = &[];
    type Args = Args;
    type Reply = Listed;

    fn run(call: &Call<'_>, _: Args) -> Result<Listed> {
        let Some(session) = call.session else {
            return Ok(Listed::default());
        };
        let (indexed, total) = first(session.indexed(), INDEXED_MAX);
        let (projects, lacks) = session.projects();
        Ok(Listed { projects, shown: indexed.len(), indexed, total, lacks })
    }
}

impl Reply for Listed {
    /// Renders a line for each project and for each other tree.
    fn render(&self, _: &dyn Style) -> String {
        let mut out = String::new();
        for project in &self.projects {
            line(&mut out, project);
        }
        if !self.indexed.is_empty() {
            let (shown, total) = (self.shown, self.total);
            let _ = writeln!(out, "other indexed trees ({shown} of {total})");
        }
        for root in &self.indexed {
            let _ = writeln!(out, "  {}", text::plain(root));
        }
        out
    }

    /// Shows the projects with the state of their indexes, then other trees.
    fn page(&self) -> Option<Page> {
        let mut table = Table::new([
            Column::cut("PROJECT"),
            Column::cut("TREE"),
            Column::right("FILES"),
            Column::left("INDEX"),
            Column::left(""),
        ]);
        for project in &self.projects {
            table.row([
                Cell::name(&project.name),
                Cell::text(&project.root),
                project.files.map_or(Cell::Empty, |files| Cell::Number(files as u64)),
                Cell::text(state(project)),
                Cell::words(project.default.then_some("default").into_iter()),
            ]);
        }
        let mut blocks = vec![Block::Table(table.without_empty())];
        if !self.indexed.is_empty() {
            let title = match self.total {
                total if self.shown < total => {
                    format!("Other indexed trees ({} of {total})", self.shown)
                }
                _ => "Other indexed trees".to_owned(),
            };
            blocks.push(Block::Title(title));
            blocks.extend(self.indexed.iter().map(|root| Block::Line(vec![Cell::text(root)])));
        }
        Some(Page { blocks })
    }

    fn is_found(&self) -> bool {
        !self.projects.is_empty() || !self.indexed.is_empty()
    }

    fn notices(&self) -> Vec<String> {
        self.lacks.iter().map(|why| format!("no project: {why}")).collect()
    }
}

/// Writes a project on a line: `name  root  files  state of the index`.
pub(super) fn line(out: &mut String, project: &Project) {
    let (name, root) = (text::plain(&project.name), text::plain(&project.root));
    let _ = write!(out, "{name}  {root}");
    if let Some(files) = project.files {
        let _ = write!(out, "  {}", counted(files, "file"));
    }
    let default = if project.default { "  (default)" } else { "" };
    let _ = writeln!(out, "  {}{default}", state(project));
}

/// Returns how much of a project is indexed, in words.
fn state(project: &Project) -> &str {
    match (&project.doing, project.index) {
        (Some(doing), _) => doing,
        (None, Indexed::Full) => "indexed",
        (None, Indexed::Ready) => "indexed for searches; symbols and words incomplete",
        (None, Indexed::Nothing) => "not indexed yet",
        (None, Indexed::Failed) => "cannot be indexed",
    }
}
