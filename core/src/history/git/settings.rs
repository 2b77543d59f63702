//! The environment and the settings with which git runs.
//!
//! A repository's configuration is written by its author, who may not be trusted. Every key that
//! names a file or a program and that a command used here reads is overridden: a file may be a
//! named pipe, which never ends, or a device, which has no end. Keys that name a work tree, a
//! proxy or a helper program are overridden by environment variables or options of the commands.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Environment variables that are removed for git, because they select another repository (hooks
/// set them) or change its output: those of `git rev-parse --local-env-vars` and some more.
const REMOVED_VARIABLES: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIFF_OPTS",
    "GIT_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
    "LANGUAGE",
];

/// The value of `GIT_ALLOW_PROTOCOL` that forbids all network access.
pub(super) const NO_PROTOCOL: &str = "none";

/// The environment of every call: no programs of the repository's choice, no network, no locks, no
/// traces, and messages in English, because one of them is parsed.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_TRACE2", "0"),
    ("GIT_TRACE2_EVENT", "0"),
    ("GIT_TRACE2_PERF", "0"),
    ("LC_ALL", "C"),
];

/// Overrides of settings of a repository or a user that would run a program, read a file or change
/// the output.
const SETTINGS: &[&str] = &[
    "blame.coloring=none",
    // An empty name resets the list of files.
    "blame.ignoreRevsFile=",
    "blame.markIgnoredLines=false",
    "blame.markUnblamableLines=false",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "diff.orderFile=/dev/null",
    "diff.renameLimit=1000",
    "i18n.logOutputEncoding=UTF-8",
    "log.decorate=false",
    "log.follow=false",
    "log.mailmap=false",
    "log.showRoot=true",
    "log.showSignature=false",
    "mailmap.blob=",
    "mailmap.file=/dev/null",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
];

/// Overrides of the files of attributes and ignore rules outside of the tree. Only comparisons of
/// the work tree use those files, and only those that the user's own configuration names.
const NO_RULE_FILES: &[&str] = &["core.attributesFile=/dev/null", "core.excludesFile=/dev/null"];

/// The repository that git uses.
#[derive(Clone, Debug)]
pub(super) struct WorkTree {
    /// The directory that contains `.git`.
    pub(super) top: std::path::PathBuf,
}

/// Sets environment and settings of a git command, without its subcommand.
pub(super) fn isolate(
    git: &mut Command,
    work_tree: Option<&WorkTree>,
    protocols: &str,
    uses_rule_files: bool,
    more: &[OsString],
) {
    for name in REMOVED_VARIABLES {
        git.env_remove(name);
    }
    git.envs(ENVIRONMENT.iter().copied()).env("GIT_ALLOW_PROTOCOL", protocols);
    if let Some(WorkTree { top }) = work_tree {
        // The setting `core.worktree` could name any directory. Git must not find another
        // repository than the one with this work tree.
        git.env("GIT_WORK_TREE", top);
        git.env("GIT_CEILING_DIRECTORIES", top.parent().unwrap_or(Path::new("")));
    }
    let rule_files = if uses_rule_files { &[] } else { NO_RULE_FILES };
    for setting in SETTINGS.iter().chain(rule_files) {
        git.arg("-c").arg(setting);
    }
    for setting in more {
        git.arg("-c").arg(setting);
    }
    git.arg("--no-pager");
}
