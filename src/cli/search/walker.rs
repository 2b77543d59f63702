//! The settings of the walk: ignore rules, globs and file types.

use std::path::Path;

use ignore::WalkBuilder;
use ignore::gitignore::gitconfig_excludes_path;
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use super::args::{Filter, Mode, TypeChange};
use super::request::Request;
use crate::error::{Error, Result};
use crate::source::rule_files::{self, Refused, WalkStart};

/// The rules that the walks of all paths of a request share.
#[derive(Debug)]
pub(crate) struct WalkRules<'a> {
    request: &'a Request,
    overrides: Override,
    types: Types,
}

impl<'a> WalkRules<'a> {
    /// Compiles the globs and file types of a request.
    ///
    /// # Errors
    ///
    /// On an invalid glob or type definition, and on an unknown type.
    pub(crate) fn new(request: &'a Request) -> Result<WalkRules<'a>> {
        let filter = &request.filter;
        Ok(WalkRules {
            request,
            overrides: overrides(filter, &request.current_dir)?,
            types: if filter.type_changes.is_empty() { Types::empty() } else { types(filter)? },
        })
    }

    /// Returns the kinds of ignore files that the request does not read.
    pub(crate) fn unread(&self) -> Refused {
        let skip = self.request.filter.no_ignore;
        Refused::new(skip.dot, skip.vcs, skip.vcs || skip.exclude)
    }

    /// Returns a walk from a directory or a file at some depth, which does not read the kinds of
    /// ignore files that are refused there, and the errors in the files of `--ignore-file`.
    pub(crate) fn walk(&self, from: &WalkStart) -> (WalkBuilder, Vec<ignore::Error>) {
        let WalkStart { path, depth, refused } = from;
        let (request, filter) = (self.request, &self.request.filter);
        let skip = filter.no_ignore;
        let mut builder = WalkBuilder::new(path);
        let mut faults = Vec::new();
        if !skip.files {
            faults.extend(filter.ignore_files.iter().filter_map(|file| builder.add_ignore(file)));
        }
        builder
            .max_depth(filter.max_depth.map(|depth_max| depth_max.saturating_sub(*depth)))
            .max_filesize(filter.max_filesize_bytes)
            .follow_links(filter.follow)
            .same_file_system(filter.one_file_system)
            .threads(request.threads)
            .skip_stdout(matches!(request.mode, Mode::Search(_)))
            .overrides(self.overrides.clone())
            .types(self.types.clone())
            .hidden(!filter.hidden)
            .parents(!skip.parent)
            .ignore(!refused.ignore())
            .git_ignore(!refused.gitignore())
            .git_exclude(!refused.git_exclude())
            .git_global(!skip.vcs && !skip.global && excludes_are_readable())
            .require_git(!skip.require_git)
            .ignore_case_insensitive(filter.ignore_files_ignore_case)
            .current_dir(&request.current_dir);
        if !refused.rgignore() {
            builder.add_custom_ignore_filename(".rgignore");
        }
        (builder, faults)
    }
}

/// Returns false if git's global excludes are not a file that may be read.
fn excludes_are_readable() -> bool {
    gitconfig_excludes_path().is_none_or(|path| rule_files::is_readable(&path))
}

/// Returns the file types with the changes of the command line.
///
/// # Errors
///
/// On an invalid definition and on an unknown type.
pub(crate) fn types(filter: &Filter) -> Result<Types> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    for change in &filter.type_changes {
        match change {
            TypeChange::Add(definition) => builder.add_def(definition).map_err(usage)?,
            TypeChange::Clear(name) => {
                builder.clear(name);
            }
            TypeChange::Select(name) => {
                builder.select(name);
            }
            TypeChange::Negate(name) => {
                builder.negate(name);
            }
        }
    }
    builder.build().map_err(usage)
}

/// Returns the globs of the files to preprocess; empty for all files.
///
/// # Errors
///
/// On an invalid glob.
pub(crate) fn preprocessor_globs(request: &Request) -> Result<Override> {
    if request.reading.preprocessor_globs.is_empty() {
        return Ok(Override::empty());
    }
    let mut builder = OverrideBuilder::new(&request.current_dir);
    for glob in &request.reading.preprocessor_globs {
        builder.add(glob).map_err(usage)?;
    }
    builder.build().map_err(usage)
}

/// Returns the globs of the command line, which are relative to the current directory.
///
/// # Errors
///
/// On an invalid glob.
pub(super) fn overrides(filter: &Filter, current_dir: &Path) -> Result<Override> {
    if filter.globs.is_empty() && filter.iglobs.is_empty() {
        return Ok(Override::empty());
    }
    let mut builder = OverrideBuilder::new(current_dir);
    // The setting applies to the globs that are added after it.
    builder.case_insensitive(filter.globs_ignore_case).map_err(usage)?;
    for glob in &filter.globs {
        builder.add(glob).map_err(usage)?;
    }
    builder.case_insensitive(true).map_err(usage)?;
    for glob in &filter.iglobs {
        builder.add(glob).map_err(usage)?;
    }
    builder.build().map_err(usage)
}

fn usage(err: ignore::Error) -> Error {
    Error::usage(err.to_string())
}
