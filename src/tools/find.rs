//! `find`: files by what somebody remembers of their names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Call, Define, Needs, Reply, Speed, Toolset, cut_notice, paths, results_max};
use crate::answer::style::Style;
use crate::error::{Error, Result};
use crate::lang::marks::{self, Marks};

/// Files of a reply unless the caller says otherwise.
const FILES: usize = 10;

/// See [`Define`].
#[derive(Debug)]
pub struct Find;

/// What is asked.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// Parts of the path, in any case: words, initials, `folder/name`; typing errors are forgiven
    pub query: String,
    /// Files at most (default 10)
    pub max_results: Option<usize>,
}

/// A file that fits.
#[derive(Clone, Debug, Serialize)]
pub struct File {
    /// Its repository path.
    pub path: String,
    /// How well it fits, to be compared within one reply.
    pub score: i32,
    /// What its path tells of it.
    #[serde(flatten)]
    pub marks: Marks,
}

/// What is answered.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// The files that fit, the best first; among equals the newest, then by path.
    pub files: Vec<File>,
    /// How many are listed.
    pub shown: usize,
    /// How many fit.
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
    type Reply = Found;

    fn run(call: &Call<'_>, args: Args) -> Result<Found> {
        if args.query.trim().is_empty() {
            return Err(
                Error::usage("`query` is empty").with_hint("{tool:hot} lists the newest files")
            );
        }
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
        Ok(Found { shown: found.len(), files: found, total: hits.total })
    }
}

impl Reply for Found {
    /// A path a line, with its marks.
    fn render(&self, style: &dyn Style) -> String {
        let line = |file: &File| {
            let marks: String = file.marks.names().map(|name| format!("  {name}")).collect();
            format!("{}{marks}\n", style.path(&file.path))
        };
        self.files.iter().map(line).collect()
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        cut_notice(self.shown, self.total, "max_results")
    }
}
