//! `status`: what is known of a tree at this moment, for whoever wonders why an answer is short.
//!
//! For agents. The command line's `codedb status` tells of the index on disk as well.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::known::Known;
use super::session::Session;
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
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// The generation of the index; 0 where there is none.
    pub generation: u64,
    /// Searches are served from the index.
    pub ready: bool,
    /// Nothing is missing that is built in the background.
    pub full: bool,
    /// Files that changed since the generation or are new, which answers know all the same.
    pub changed: usize,
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
    const SUMMARY: &'static str = "Tell which tree is served and how much of it is indexed";
    const DETAILS: &'static str = "Call it when an answer says `partial`, or to learn the root";
    const TOOLSET: Toolset = Toolset::Core;
    const NEEDS: Needs = Needs::Files;
    const SPEED: Speed = Speed::Lookup;
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
            files: files.len(),
            bytes: files.size_bytes(),
            generation: files.generation,
            ready,
            full: ready && has_ranking && known.files_unknown == 0,
            changed: if ready { files.differing() } else { 0 },
            projects,
            projects_total,
            known,
        })
    }
}

impl Reply for Told {
    /// A fact a line.
    fn render(&self, _: &dyn Style) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "root  {}", text::plain(&self.root));
        let _ = writeln!(out, "files  {}, {} bytes", self.files, self.bytes);
        let index = match (self.full, self.ready) {
            (true, _) => "whole",
            (false, true) => "searches are indexed, symbols and words not all yet",
            (false, false) => "none yet; everything is read from the files",
        };
        let _ = writeln!(out, "index  {index}");
        if self.ready {
            let changed = counted(self.changed, "file");
            let _ = writeln!(out, "generation  {}, {changed} changed since", self.generation);
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
