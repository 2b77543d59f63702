//! `status`: how much of a tree is indexed, which explains incomplete replies.
//!
//! For agents. The command `codedb status` also reports the index on disk.

use std::fmt::Write as _;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::coverage::{self, Coverage};
use super::session::{Indexed, Session};
use super::{Call, CommandLine, Define, Needs, Reply, Speed, Toolset, counted, first, paths};
use crate::answer::style::Style;
use crate::base::text;
use crate::error::Result;

/// The maximum number of files that could not be parsed in a reply.
const FAILED_MAX: usize = 5;

/// The maximum number of projects of a reply.
const PROJECTS_MAX: usize = 50;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Status;

/// The arguments: none.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Args {}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct TreeStatus {
    /// Whether symbols, references and words of all files are indexed.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// The tree.
    pub root: String,
    /// Its number of files, without ignored ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// Their total size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The generation of the index; 0 without an index.
    pub generation: u64,
    /// True if searches use the index.
    pub ready: bool,
    /// True if the index is complete.
    pub full: bool,
    /// The number of files that changed since the generation or are new; replies include them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<usize>,
    /// The first files that could not be parsed completely, in path order. `files_unparsed` counts
    /// all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<UnparsedFile>,
    /// What the index leaves out, by reason: entries of directories, and files of the list whose text is not
    /// indexed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The projects that calls can select, the default one first, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<String>,
    /// The number of projects, if there are several.
    #[serde(skip_serializing_if = "is_zero")]
    pub projects_total: usize,
}

/// A file whose definitions are incomplete.
#[derive(Clone, Debug, Serialize)]
pub struct UnparsedFile {
    /// Its repository path.
    pub path: String,
    /// Why it could not be parsed completely.
    pub reason: &'static str,
}

/// What an index leaves out.
#[derive(Clone, Debug, Serialize)]
pub struct LeftOut {
    /// The reason: `hidden`, `ignored`, `symlink`, `special`, `unreadable` or `name` for entries of directories,
    /// of which those below an excluded one are not counted; `secret` for files that are never read, `large`,
    /// `utf-16` or `unreadable-or-just-changed` for files that every search reads.
    pub reason: String,
    /// How many.
    pub count: u64,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Define for Status {
    const NAME: &'static str = "codedb_status";
    const SUMMARY: &'static str = "Show which tree is served and how much of it is indexed";
    const DETAILS: &'static str = "Call it when a reply is `partial`, or to get the root.";
    const TOOLSET: Toolset = Toolset::Core;
    const NEEDS: Needs = Needs::Files;
    const SPEED: Speed = Speed::Immediate;
    const COMMAND_LINE: CommandLine = CommandLine::Separate;
    const EXAMPLES: &'static [&'static str] = &[r#"{}"#];
    const POSITIONAL: &'static [&'static str] = &[];
    type Args = Args;
    type Reply = TreeStatus;

    fn run(call: &Call<'_>, _: Args) -> Result<TreeStatus> {
        let files = call.code.files()?;
        let catalog = call.code.indexed()?;
        let coverage =
            Coverage { files_unparsed: catalog.unparsed().len(), ..Coverage::of(catalog) };
        let has_ranking = call.code.ranking()?.is_some();
        let failed =
            catalog.unparsed().iter().take(FAILED_MAX).map(|&(file, problem)| UnparsedFile {
                path: paths::shown(catalog.path(file)),
                reason: problem.describe().unwrap_or_default(),
            });
        let failed = failed.collect();
        let ready = files.generation > 0;
        let left_out = call.code.left_out().into_iter();
        let left_out = left_out.map(|(reason, count)| LeftOut { reason, count }).collect();
        let names = call.session.map(Session::names).filter(|names| names.len() > 1);
        let (projects, projects_total) = first(names.unwrap_or_default(), PROJECTS_MAX);
        Ok(TreeStatus {
            root: call.code.root().display().to_string(),
            files: Some(files.len()),
            bytes: Some(files.size_bytes()),
            generation: files.generation,
            ready,
            full: ready && has_ranking && coverage.files_unknown == 0,
            changed: Some(if ready { files.differing() } else { 0 }),
            failed,
            left_out,
            projects,
            projects_total,
            coverage,
        })
    }
}

impl TreeStatus {
    /// Returns the status of a tree without comparing it with its index. The pair is the generation
    /// of the index (0 without one) and its number of files; `names` are those of the projects.
    pub fn unchecked(
        root: &Path,
        indexed: Indexed,
        (generation, files): (u64, Option<usize>),
        names: Vec<String>,
    ) -> TreeStatus {
        let names = if names.len() > 1 { names } else { Vec::new() };
        let (projects, projects_total) = first(names, PROJECTS_MAX);
        TreeStatus {
            coverage: Coverage {
                status: coverage::Status::Partial,
                files_unknown: 0,
                files_unread: 0,
                files_unparsed: 0,
            },
            failed: Vec::new(),
            left_out: Vec::new(),
            root: root.display().to_string(),
            files,
            bytes: None,
            generation,
            ready: generation > 0,
            full: generation > 0 && indexed == Indexed::Full,
            changed: None,
            projects,
            projects_total,
        }
    }
}

impl Reply for TreeStatus {
    /// Renders one fact per line.
    fn render(&self, _: &dyn Style) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "root  {}", text::plain(&self.root));
        if let Some(files) = self.files {
            let bytes = self.bytes.map(|bytes| format!(", {bytes} bytes")).unwrap_or_default();
            let _ = writeln!(out, "files  {files}{bytes}");
        }
        let index = match (self.full, self.ready) {
            (true, _) => "whole",
            (false, true) => "complete for searches; symbols and words incomplete",
            (false, false) => "none; everything is read from the files",
        };
        let _ = writeln!(out, "index  {index}");
        if self.ready {
            let changed = self.changed.map(|changed| counted(changed, "file"));
            let changed = changed.map(|changed| format!(", {changed} changed since"));
            let _ = writeln!(out, "generation  {}{}", self.generation, changed.unwrap_or_default());
        }
        for UnparsedFile { path, reason } in &self.failed {
            let _ = writeln!(out, "failed  {}: {reason}", text::plain(path));
        }
        if self.coverage.files_unparsed > self.failed.len() {
            let more = self.coverage.files_unparsed - self.failed.len();
            let _ = writeln!(out, "failed  {} more", counted(more, "file"));
        }
        if !self.left_out.is_empty() {
            let parts =
                self.left_out.iter().map(|LeftOut { reason, count }| format!("{count} {reason}"));
            let _ = writeln!(out, "left out  {}", parts.collect::<Vec<_>>().join(", "));
        }
        if !self.projects.is_empty() {
            let (shown, total) = (self.projects.len(), self.projects_total);
            let names = text::plain(&self.projects.join(", "));
            let _ = writeln!(out, "projects ({shown} of {total})  {names}");
        }
        out
    }

    fn is_found(&self) -> bool {
        true
    }

    fn notices(&self) -> Vec<String> {
        self.coverage.notice().into_iter().collect()
    }
}
