//! `glob`: the files whose paths match a pattern.

use std::path::Path;

use globset::GlobSet;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, CurrentDir, Define, Needs, Reply, Toolset, cut_notice, first, paths, results_max,
};
use crate::answer::style::Style;
use crate::base::path;
use crate::error::{Error, Result};

/// The default number of files in a reply.
const FILES: usize = 200;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Glob;

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// `*` within a name, `**` across directories, `?`, `[a-z]`, `{a,b}`; without `/` it matches
    /// names in any directory
    pub pattern: String,
    /// Maximum number of files (default 200)
    pub max_results: Option<usize>,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct GlobReply {
    /// Repository paths, in path order.
    pub files: Vec<String>,
    /// How many are listed.
    pub shown: usize,
    /// How many match.
    pub total: usize,
}

/// A glob of repository paths, as [`Args::pattern`] describes it.
#[derive(Clone, Debug)]
pub struct PathGlob {
    glob: GlobSet,
    by_name: bool,
}

impl PathGlob {
    /// Parses a glob for files of the tree at `root`; it may begin with the absolute path of the
    /// root.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Usage`] if the glob is invalid.
    pub fn new(root: &Path, pattern: &str) -> Result<PathGlob> {
        let below = root.to_str().and_then(|root| pattern.strip_prefix(root));
        let below = below.filter(|rest| rest.starts_with('/') || root == Path::new("/"));
        let mut pattern = below.unwrap_or(pattern);
        while let Some(rest) = pattern.strip_prefix("./") {
            pattern = rest;
        }
        // As in ignore files, `/a` is anchored at the root.
        let anchored = pattern.strip_prefix('/').or(below);
        let by_name = anchored.is_none() && !pattern.contains('/');
        let glob =
            crate::base::glob::compile(anchored.unwrap_or(pattern), true).map_err(|error| {
                Error::usage(format!("invalid glob: {error}"))
                    .with_hint("escape a literal `[` or `{` with `\\`")
            })?;
        Ok(PathGlob { glob, by_name })
    }

    /// Returns true if it matches a repository path.
    pub fn is_match(&self, path: &[u8]) -> bool {
        let text = if self.by_name { path::split(path).1 } else { path };
        self.glob.is_match(path::to_path(text))
    }
}

impl Define for Glob {
    const NAME: &'static str = "codedb_glob";
    const SUMMARY: &'static str = "List the files whose paths match a glob, in path order";
    const DETAILS: &'static str = "Ignored files are left out.";
    const SEE_ALSO: &'static [(&'static str, &'static str)] =
        &[("find", "for a partial or misspelled name")];
    const TOOLSET: Toolset = Toolset::Navigate;
    const NEEDS: Needs = Needs::Files;
    const EXAMPLES: &'static [&'static str] = &[r#"{"pattern": "**/*.rs"}"#];
    const POSITIONAL: &'static [&'static str] = &["pattern"];
    const CURRENT_DIR: CurrentDir = CurrentDir::GlobBase;
    type Args = Args;
    type Reply = GlobReply;

    fn run(call: &Call<'_>, args: Args) -> Result<GlobReply> {
        let glob = PathGlob::new(call.code.root(), &args.pattern)?;
        let files = call.code.files()?;
        let matches = |at: &usize| glob.is_match(files.path(*at));
        let found: Vec<usize> =
            (0..files.len()).into_par_iter().with_min_len(4096).filter(matches).collect();
        let (found, total) = first(found, results_max(args.max_results, FILES));
        let files: Vec<String> = found.iter().map(|&at| paths::shown(files.path(at))).collect();
        Ok(GlobReply { shown: files.len(), files, total })
    }
}

impl Reply for GlobReply {
    /// Renders a line for each path.
    fn render(&self, style: &dyn Style) -> String {
        self.files.iter().map(|path| format!("{}\n", style.path(path))).collect()
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        cut_notice(self.shown, self.total, "max_results")
    }
}
