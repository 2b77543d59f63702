//! `status`: what is known of a tree at this moment, for whoever wonders why an answer is short.
//!
//! For agents. The command line's `codedb status` tells of the index on disk as well.

use std::fmt::Write as _;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::known::{self, Known};
use super::session::{Indexed, Session};
use super::{Call, CommandLine, Define, Needs, Reply, Speed, Toolset, counted, first};
use crate::answer::style::Style;
use crate::base::text;
use crate::error::Result;

/// Names of projects of a reply.
const PROJECTS_MAX: usize = 50;

/// See [`Define`].
#[derive(Debug)]
pub struct Status;

/// What is asked: nothing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Args {}

/// What is answered.
#[derive(Clone, Debug, Serialize)]
pub struct Told {
    /// Whether symbols, references and words of all files are known.
    #[serde(flatten)]
    pub known: Known,
    /// The tree.
    pub root: String,
    /// Its files, those that ignore rules leave out not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<usize>,
    /// Their bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The generation of the index; 0 where there is none.
    pub generation: u64,
    /// Searches are served from the index.
    pub ready: bool,
    /// Nothing is missing that is built in the background.
    pub full: bool,
    /// Files that changed since the generation or are new, which answers know all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<usize>,
    /// The projects that calls can be about, the default one first, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<String>,
    /// How many there are, then.
    #[serde(skip_serializing_if = "is_zero")]
    pub projects_total: usize,
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
    type Reply = Told;

    fn run(call: &Call<'_>, _: Args) -> Result<Told> {
        let files = call.code.files()?;
        let known = Known::of(call.code.indexed()?);
        let has_ranking = call.code.ranking()?.is_some();
        let ready = files.generation > 0;
        let names = call.session.map(Session::names).filter(|names| names.len() > 1);
        let (projects, projects_total) = first(names.unwrap_or_default(), PROJECTS_MAX);
        Ok(Told {
            root: call.code.root().display().to_string(),
            files: Some(files.len()),
            bytes: Some(files.size_bytes()),
            generation: files.generation,
            ready,
            full: ready && has_ranking && known.files_unknown == 0,
            changed: Some(if ready { files.differing() } else { 0 }),
            projects,
            projects_total,
            known,
        })
    }
}

impl Told {
    /// Returns the status of a tree that is not compared with its index, from what a server knows of
    /// the index: its generation (0 without one) and the files in it. `names` are those of the projects.
    pub fn unchecked(
        root: &Path,
        indexed: Indexed,
        (generation, files): (u64, Option<usize>),
        names: Vec<String>,
    ) -> Told {
        let names = if names.len() > 1 { names } else { Vec::new() };
        let (projects, projects_total) = first(names, PROJECTS_MAX);
        Told {
            known: Known { status: known::Status::Partial, files_unknown: 0, files_unread: 0 },
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

impl Reply for Told {
    /// A fact a line.
    fn render(&self, _: &dyn Style) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "root  {}", text::plain(&self.root));
        if let Some(files) = self.files {
            let bytes = self.bytes.map(|bytes| format!(", {bytes} bytes")).unwrap_or_default();
            let _ = writeln!(out, "files  {files}{bytes}");
        }
        let index = match (self.full, self.ready) {
            (true, _) => "whole",
            (false, true) => "searches are indexed, symbols and words not all yet",
            (false, false) => "none yet; everything is read from the files",
        };
        let _ = writeln!(out, "index  {index}");
        if self.ready {
            let changed = self.changed.map(|changed| counted(changed, "file"));
            let changed = changed.map(|changed| format!(", {changed} changed since"));
            let _ = writeln!(out, "generation  {}{}", self.generation, changed.unwrap_or_default());
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
        self.known.notice().into_iter().collect()
    }
}
