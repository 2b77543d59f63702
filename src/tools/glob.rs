//! `glob`: the files whose paths match a pattern.

use std::ops::Range;
use std::path::Path;

use globset::GlobSet;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Call, CurrentDir, Define, Needs, Reply, Toolset, cut_notice, first, paths, results_max,
};
use crate::answer::page::{Block, Cell, Column, Page, Table};
use crate::answer::style::Style;
use crate::base::path;
use crate::base::text;
use crate::catalog::code::Paths;
use crate::catalog::file_list::FileList;
use crate::error::{Error, Result};
use crate::lang::language;
use crate::lang::marks;

/// The default number of files in a reply.
const FILES: usize = 200;

/// The number of files from which several threads are used: waking one costs as much as matching
/// hundreds of paths.
const PARALLEL_FILES_MIN: usize = 8 << 10;

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
    /// How the glob should be written, if no file matches.
    #[serde(skip)]
    hint: Option<String>,
}

/// A glob of repository paths, as [`Args::pattern`] describes it.
#[derive(Clone, Debug)]
pub struct PathGlob {
    glob: GlobSet,
    by_name: bool,
    /// The directory, with its `/`, that contains every match; empty if the glob names none.
    prefix: Vec<u8>,
    /// The texts with one of which every match ends; none if the glob names none.
    suffixes: Vec<Vec<u8>>,
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
        let pattern = anchored.unwrap_or(pattern);
        let glob = crate::base::glob::compile(pattern, true).map_err(|error| {
            Error::usage(format!("invalid glob: {error}"))
                .with_hint("escape a literal `[` or `{` with `\\`")
        })?;
        let (prefix, suffixes) = (prefix(pattern).into(), suffixes(pattern));
        Ok(PathGlob { glob, by_name, prefix, suffixes })
    }

    /// Returns true if it matches a repository path. Compares the literal start and end of the glob
    /// first, which decides about most paths.
    pub fn is_match(&self, path: &[u8]) -> bool {
        let has_suffix = || self.suffixes.iter().any(|suffix| path.ends_with(suffix));
        if !path.starts_with(&self.prefix) || !self.suffixes.is_empty() && !has_suffix() {
            return false;
        }
        let name = if self.by_name { path::split(path).1 } else { path };
        self.glob.is_match(path::to_path(name))
    }

    /// Returns where all matches are, as far as the glob says literally.
    pub(super) fn literal_parts(&self) -> Paths<'_> {
        Paths { directory: &self.prefix, endings: &self.suffixes }
    }

    /// Returns the files among which all matches are. O(log files).
    fn scope(&self, files: &FileList) -> Range<usize> {
        match self.prefix.strip_suffix(b"/") {
            Some(dir) => files.below(dir),
            None => 0..files.len(),
        }
    }
}

/// Returns why the glob of the argument `argument` selects nothing, if it matches no file. O(files).
pub(super) fn unmatched(
    files: &FileList,
    argument: &str,
    given: &str,
    glob: &PathGlob,
) -> Option<String> {
    if glob.scope(files).any(|at| glob.is_match(files.path(at))) {
        return None;
    }
    let problem = format!("`{argument}` matches no file: `{}`", text::plain(given));
    Some(hint(files, given).map_or(problem.clone(), |hint| format!("{problem}; {hint}")))
}

/// Returns how a glob that matches no file should be written, if that is known.
fn hint(files: &FileList, given: &str) -> Option<String> {
    let literal = given.trim_start_matches("./").trim_matches('/');
    if !literal.is_empty() && !files.below(literal.as_bytes()).is_empty() {
        return Some(format!("`{literal}/**` matches what is in that directory"));
    }
    given.contains('|').then(|| "`{a,b}` matches either of two".to_owned())
}

/// The characters that are not literal in a glob.
const SPECIAL: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

/// Returns the literal directories at the start of a glob, with their `/`.
fn prefix(pattern: &str) -> &str {
    let literal = &pattern[..pattern.find(SPECIAL).unwrap_or(pattern.len())];
    &literal[..literal.rfind('/').map_or(0, |end| end + 1)]
}

/// Returns the texts with one of which every match of a valid glob ends; none if its end is not
/// literal, or not a simple list of alternatives. They do not reach beyond the name of a file, since
/// `**/` also matches nothing.
fn suffixes(pattern: &str) -> Vec<Vec<u8>> {
    let run = |text: &str| {
        let start = text.rfind(SPECIAL).map_or(0, |at| at + 1);
        let run = &text[start..];
        run[run.rfind('/').map_or(0, |at| at + 1)..].to_owned()
    };
    if pattern.contains('\\') {
        return Vec::new();
    }
    let Some(inside) = pattern.strip_suffix('}') else {
        let run = run(pattern);
        return if run.is_empty() { Vec::new() } else { vec![run.into_bytes()] };
    };
    let Some((before, alternatives)) = inside.rsplit_once('{') else { return Vec::new() };
    if alternatives.contains(SPECIAL) || alternatives.contains('/') {
        return Vec::new();
    }
    let run = run(before);
    alternatives.split(',').map(|one| format!("{run}{one}").into_bytes()).collect()
}

impl Define for Glob {
    const NAME: &'static str = "codedb_glob";
    const SUMMARY: &'static str = "List the files whose paths match a glob, in path order";
    const DETAILS: &'static str = "Hidden and ignored files only if git tracks them.";
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
        if args.pattern.is_empty() {
            return Err(Error::usage("`pattern` is empty").with_hint("{tool:tree} lists all files"));
        }
        let glob = PathGlob::new(call.code.root(), &args.pattern)?;
        let files = call.code.files()?;
        let matches = |at: &usize| glob.is_match(files.path(*at));
        let scope = glob.scope(files);
        let found: Vec<usize> = if scope.len() < PARALLEL_FILES_MIN {
            scope.filter(matches).collect()
        } else {
            scope.into_par_iter().with_min_len(4096).filter(matches).collect()
        };
        let (found, total) = first(found, results_max(args.max_results, FILES));
        let hint = if total == 0 { hint(files, &args.pattern) } else { None };
        let files: Vec<String> = found.iter().map(|&at| paths::shown(files.path(at))).collect();
        Ok(GlobReply { shown: files.len(), files, total, hint })
    }
}

impl Reply for GlobReply {
    /// Renders a line for each path.
    fn render(&self, style: &dyn Style) -> String {
        self.files.iter().map(|path| format!("{}\n", style.path(path))).collect()
    }

    /// Shows each path with what follows from it.
    fn page(&self) -> Option<Page> {
        let columns = [Column::cut("FILE"), Column::left("LANGUAGE"), Column::left("REMARK")];
        let mut table = Table::new(columns);
        for path in &self.files {
            let name = path::split(path.as_bytes()).1;
            table.row([
                Cell::Path(path.clone()),
                Cell::words(language::of_name(name).map(|found| found.name).into_iter()),
                Cell::words(marks::of_path(path.as_bytes()).names()),
            ]);
        }
        Some(Page { blocks: vec![Block::Table(table.without_empty())] })
    }

    fn is_found(&self) -> bool {
        self.total > 0
    }

    fn notices(&self) -> Vec<String> {
        let cut = cut_notice(self.shown, self.total, "max_results");
        cut.into_iter().chain(self.hint.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: &[&str] = &[
        "a",
        "a.js",
        "a/a.js",
        "a/b.js",
        "a/b/c.ts",
        "a/b/c.tsx",
        "a/b,c",
        "ab/c.js",
        "b/a/c.kt",
        "b/a/x/y.swift",
        "b/js",
        "b/{x}",
        "b/[x]",
        "é/ü.js",
        ".js",
        "x.d.ts",
        "npm/android/k.kt",
    ];

    const GLOBS: &[&str] = &[
        "*",
        "**",
        "a",
        "*.js",
        "**/*.js",
        "a/**",
        "a/*",
        "a/*.js",
        "**/a.js",
        "/a.js",
        "a/b/*.{ts,tsx}",
        "*.{js,ts}",
        "{a,b}/**",
        "b/**/{a,x}/**/*.{kt,swift}",
        "{a,b}/{a,b}.js",
        "**/{android,ios}/*.kt",
        "a/b[,]c",
        "b/\\{x\\}",
        "b/[[]x]",
        "[.]js",
        "?.js",
        "**/js",
        "*{,.d}.ts",
        "{a,{b,c}}/*.js",
        "é/*",
        "**/*[st]",
        "a/b,c",
        "*.{ts,{js,kt}}",
        "{**/a.js,b/js}",
        "{x,y}{.d,}.ts",
        "a/**/c.ts",
        "{a/b.js,b/js}",
        "./a/*.js",
        "a//b.js",
        "npm/**/{android,ios}/**/*.{kt,swift}",
    ];

    #[test]
    fn literal_ends_do_not_change_what_matches() {
        for pattern in GLOBS {
            let quick = PathGlob::new(Path::new("/root"), pattern).expect(pattern);
            let slow = PathGlob { prefix: Vec::new(), suffixes: Vec::new(), ..quick.clone() };
            for path in PATHS {
                let path = path.as_bytes();
                assert_eq!(quick.is_match(path), slow.is_match(path), "{pattern} {path:?}");
            }
        }
    }

    #[test]
    fn literal_ends_are_found() {
        let check = |pattern: &str, start: &str, ends: &[&str]| {
            let found = suffixes(pattern);
            let found: Vec<&str> =
                found.iter().map(|text| std::str::from_utf8(text).expect("UTF-8")).collect();
            assert_eq!((prefix(pattern), &found[..]), (start, ends), "{pattern}");
        };
        check("npm/**/*.{kt,swift}", "npm/", &[".kt", ".swift"]);
        check("src/a.rs", "src/", &["a.rs"]);
        check("**/a.rs", "", &["a.rs"]);
        check("a/b*/c?", "a/", &[]);
        check("a/{b,c}/d", "a/", &["d"]);
        check("{a,{b,c}}", "", &[]);
    }
}
