//! `find`: files by partial or misspelled paths.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Define, Needs, Reply, Speed, Toolset, cut_notice, paths, results_max};
use crate::answer::page::{Block, Cell, Column, Page, Table};
use crate::answer::style::Style;
use crate::catalog::code::Focus;
use crate::error::{Error, Result};
use crate::lang::marks::{self, Marks};

/// The default number of files in a reply.
const FILES: usize = 10;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Find;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Parts of the path, case-insensitive: words, initials, `directory/name`; typos are tolerated
    pub query: String,
    /// Maximum number of files (default 10)
    pub max_results: Option<usize>,
}

/// A file that matches.
#[derive(Clone, Debug, Serialize)]
pub struct File {
    /// Its repository path.
    pub path: String,
    /// The match quality, comparable within one reply.
    pub score: i32,
    /// Its marks, as far as they follow from its path.
    #[serde(flatten)]
    pub marks: Marks,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct FindReply {
    /// The files that match, the best first; with equal scores the newest first, then by path.
    pub files: Vec<File>,
    /// How many are listed.
    pub shown: usize,
    /// How many match.
    pub total: usize,
}

impl Define for Find {
    const NAME: &'static str = "codedb_find";
    const SUMMARY: &'static str = "Find files by parts of their paths, tolerating typos";
    const DETAILS: &'static str = "Ranks by match quality, then by modification time; generated, vendored and minified files \
         come last.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("glob", "for all files that match a pattern"), ("search", "for the content of files")];
    const TOOLSET: Toolset = Toolset::Core;
    const NEEDS: Needs = Needs::Files;
    const SPEED: Speed = Speed::Lookup;
    const EXAMPLES: &'static [&'static str] = &[r#"{"query": "cart test"}"#];
    const POSITIONAL: &'static [&'static str] = &["query"];
    type Args = Args;
    type Reply = FindReply;

    fn run(call: &Call<'_>, args: Args) -> Result<FindReply> {
        if args.query.trim().is_empty() {
            return Err(
                Error::usage("`query` is empty").with_hint("{tool:hot} lists the newest files")
            );
        }
        call.code.focus(Focus::Path(&args.query))?;
        let (files, names) = (call.code.files()?, call.code.names()?);
        let hits = names.find(args.query.as_bytes(), results_max(args.max_results, FILES));
        let found: Vec<File> = hits
            .best
            .iter()
            .map(|hit| {
                let path = files.path(hit.at);
                let marks = marks::of_path(path);
                File { path: paths::shown(path), score: hit.score, marks }
            })
            .collect();
        Ok(FindReply { shown: found.len(), files: found, total: hits.total })
    }
}

impl Reply for FindReply {
    /// Renders a line for each path, with its marks.
    fn render(&self, style: &dyn Style) -> String {
        let line = |file: &File| {
            let marks: String = file.marks.names().map(|name| format!("  {name}")).collect();
            format!("{}{marks}\n", style.path(&file.path))
        };
        self.files.iter().map(line).collect()
    }

    fn page(&self) -> Option<Page> {
        let mut table = Table::new([Column::cut(""), Column::left("")]);
        for file in &self.files {
            table.row([Cell::Path(file.path.clone()), Cell::words(file.marks.names())]);
        }
        Some(Page { blocks: vec![Block::Table(table)] })
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        cut_notice(self.shown, self.total, "max_results")
    }
}
