//! The changes of each part of `codedb init`: which files, and what becomes of them.

use std::fs;
use std::path::{Path, PathBuf};

use super::files::{self, SettingsFile};
use super::{InitOptions, git_hook_file};
use crate::base::diff;
use crate::cli::report;
use crate::error::{Error, Result};
use crate::register::clients::{CLIENTS, Client, Scope, SkillDir};
use crate::register::{self, Act, Edit, agent_hook, agents, git_hook, skill};

/// What `codedb init` adds or removes, each with its own question.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Part {
    /// The server, in the settings of the clients.
    Registration,
    /// The note in AGENTS.md and CLAUDE.md.
    Note,
    /// The skill.
    Skill,
    /// The hook that reminds agents of the tools.
    Hook,
    /// Git's hook `pre-commit`.
    GitHook,
}

impl Part {
    /// Returns true if what is written contains the command that starts codedb.
    pub(super) fn starts_program(self) -> bool {
        matches!(self, Part::Registration | Part::Hook | Part::GitHook)
    }
}

/// The change of one file.
pub(super) struct Change {
    part: Part,
    /// The name of the client, or of the file.
    name: String,
    file: SettingsFile,
    edit: Edit,
    /// What the user does afterwards.
    next: Option<&'static str>,
}

/// The planned changes.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) changes: Vec<Change>,
    /// Files that need no change.
    pub(super) unchanged: usize,
    /// Files that cannot be changed; each was reported.
    pub(super) failed: usize,
}

/// A part in preparation.
struct Planner<'a> {
    part: Part,
    /// False if the part is only offered: then, only its changes are shown.
    is_named: bool,
    options: &'a InitOptions,
    plan: Plan,
    /// What the user does after the changes that follow.
    next: Option<&'static str>,
}

impl Plan {
    /// Returns the changes of a part. `is_named` is false for one that is only offered.
    pub(super) fn of(part: Part, is_named: bool, options: &InitOptions) -> Plan {
        let mut planner = Planner { part, is_named, options, plan: Plan::default(), next: None };
        match part {
            Part::Registration => planner.registration(),
            Part::Note => planner.note(),
            Part::Skill => planner.skill(),
            Part::Hook => planner.hook(),
            Part::GitHook => planner.git_hook(),
        }
        let mut plan = planner.plan;
        if !is_named {
            (plan.unchanged, plan.failed) = (0, 0);
        }
        plan
    }

    pub(super) fn add_counts(&mut self, other: &Plan) {
        self.unchanged += other.unchanged;
        self.failed += other.failed;
    }

    pub(super) fn fail(&mut self, error: &Error) {
        self.failed += 1;
        report::print_error(error);
    }

    /// Returns the exit code: an error only if all changes failed.
    pub(super) fn code(&self) -> std::process::ExitCode {
        std::process::ExitCode::from(if self.failed > 0 && self.unchanged == 0 { 2 } else { 0 })
    }
}

impl Planner<'_> {
    /// Plans the entries of the server in the settings of all clients.
    fn registration(&mut self) {
        let options = self.options;
        for client in CLIENTS.iter().filter(|client| options.includes(client)) {
            let files = client.files(options.scope, &options.homes, &options.root);
            let existing = files.iter().find(|file| file.symlink_metadata().is_ok());
            let Some(file) = existing.or(files.first()) else {
                self.lacks(client, "project settings", "omit `--scope project`");
                continue;
            };
            let edit = |text: &str| {
                if options.is_removal {
                    register::unregister(text, client.format)
                } else {
                    register::register(text, client.format, &options.launch)
                }
            };
            let unchanged_message = if options.is_removal {
                options.is_named(client).then_some("not registered in")
            } else {
                Some("already registered in")
            };
            self.add(client.name, file, edit, unchanged_message);
        }
    }

    /// Plans the note in the instructions of the tree.
    fn note(&mut self) {
        let (edit, unchanged_message): (fn(&str) -> Result<Option<Edit>>, _) =
            if self.options.is_removal {
                (agents::unregister, "there is no note in")
            } else {
                (agents::register, "the note is already in")
            };
        for file in self.instructions() {
            let name = if file.ends_with(AGENTS) { AGENTS } else { CLAUDE };
            self.add(name, &file, edit, Some(unchanged_message));
        }
    }

    /// Returns the files with instructions for agents that get the note: those that exist, and those
    /// that the named clients read. One that is a link to another, or includes it, is left out.
    fn instructions(&self) -> Vec<PathBuf> {
        let options = self.options;
        let below = |path: &str| options.root.join(path);
        let exists = |path: &PathBuf| path.symlink_metadata().is_ok();
        let claude = [below(CLAUDE), below(".claude/CLAUDE.md")].into_iter().find(exists);
        let reads_claude = |id: &String| id == "claude-code";
        let needs_claude = options.clients.iter().any(reads_claude);
        let needs_agents = match options.clients.as_slice() {
            [] => claude.is_none(),
            named => !named.iter().all(reads_claude),
        };
        let claude = claude.or_else(|| needs_claude.then(|| below(CLAUDE)));
        let agents = Some(below(AGENTS)).filter(|path| needs_agents || exists(path));
        let (Some(agents), Some(claude)) = (&agents, &claude) else {
            return agents.into_iter().chain(claude).collect();
        };
        let real = |path: &Path| path.canonicalize().ok();
        if real(agents).is_some() && real(agents) == real(claude) {
            return vec![agents.clone()];
        }
        let includes = |file: &Path, other: &str| !options.is_removal && includes(file, other);
        if includes(claude, AGENTS) {
            vec![agents.clone()]
        } else if includes(agents, CLAUDE) {
            vec![claude.clone()]
        } else {
            vec![agents.clone(), claude.clone()]
        }
    }

    /// Plans the skill in the directories that the clients read.
    fn skill(&mut self) {
        let options = self.options;
        let mut dirs: Vec<SkillDir> = Vec::new();
        for client in CLIENTS.iter().filter(|client| options.includes(client)) {
            match client.skills.first() {
                None => self.lacks(client, "skills", "omit `--skill`"),
                Some(_) if client.skills.iter().any(|dir| dirs.contains(dir)) => {}
                Some(dir) => dirs.push(*dir),
            }
        }
        let (edit, unchanged_message): (fn(&str) -> Result<Option<Edit>>, _) = if options.is_removal
        {
            (skill::unregister, options.named.contains(&Part::Skill).then_some("not in"))
        } else {
            (skill::register, Some("already in"))
        };
        for dir in dirs {
            let file = dir.file(options.scope, &options.homes, &options.root);
            self.add("skill", &file, edit, unchanged_message);
        }
    }

    /// Plans the hooks of the clients.
    fn hook(&mut self) {
        let options = self.options;
        // A launcher of packages is refused; then there is nothing to offer.
        if !self.is_named && !options.is_removal && !options.launch.args.is_empty() {
            return;
        }
        for client in CLIENTS.iter().filter(|client| options.includes(client)) {
            let Some(hooks) = &client.hooks else {
                self.lacks(client, "hooks that reach the model", "omit `--hook`");
                continue;
            };
            let files = hooks.files(options.scope, &options.homes, &options.root);
            let has_hook = |file: &&PathBuf| {
                let text = fs::read_to_string(file).unwrap_or_default();
                agent_hook::unregister(&text, hooks.event).is_ok_and(|edit| edit.is_some())
            };
            let edit = |text: &str| {
                if options.is_removal {
                    agent_hook::unregister(text, hooks.event)
                } else {
                    agent_hook::register(text, hooks.event, client.id, &options.launch)
                }
            };
            let unchanged_message = if options.is_removal {
                options.is_named(client).then_some("no hook in")
            } else {
                Some("the hook is already in")
            };
            let Some(file) = files.iter().find(has_hook).or(files.first()) else { continue };
            self.next = hooks.consent.filter(|_| !options.is_removal);
            self.add(&format!("{} hook", client.name), file, edit, unchanged_message);
        }
    }

    /// Plans the change of the git hook.
    fn git_hook(&mut self) {
        let options = self.options;
        let (path, within) = match git_hook_file::path(&options.root) {
            Ok(found) => found,
            Err(error) => return self.plan.fail(&error),
        };
        let edit = |text: &str| {
            if options.is_removal {
                Ok(git_hook::remove(text))
            } else {
                git_hook::install(text, &options.launch, options.fail_on.as_deref())
            }
        };
        let unchanged = if options.is_removal { "there is no check in" } else { "already in" };
        let file = SettingsFile::read(&path, Some(&within));
        self.add_file(git_hook_file::NAME, file, edit, Some(unchanged));
    }

    /// Reports a named client that lacks what the part needs.
    fn lacks(&mut self, client: &Client, what: &str, hint: &str) {
        if self.options.is_named(client) && self.is_named {
            let error = Error::usage(format!("{} has no {what}", client.name));
            self.plan.fail(&error.with_hint(hint));
        }
    }

    fn add(
        &mut self,
        name: &str,
        path: &Path,
        edit: impl FnOnce(&str) -> Result<Option<Edit>>,
        unchanged_message: Option<&str>,
    ) {
        let is_in_tree = self.options.scope == Scope::Project || self.part == Part::Note;
        let within = is_in_tree.then_some(self.options.root.as_path());
        self.add_file(name, SettingsFile::read(path, within), edit, unchanged_message);
    }

    fn add_file(
        &mut self,
        name: &str,
        file: Result<SettingsFile>,
        edit: impl FnOnce(&str) -> Result<Option<Edit>>,
        unchanged_message: Option<&str>,
    ) {
        let edited = file.and_then(|file| {
            let edit = edit(file.text()).map_err(|error| error.with_path(file.path()))?;
            Ok((file, edit))
        });
        match edited {
            Ok((file, Some(edit))) => {
                let (part, name) = (self.part, name.to_owned());
                self.plan.changes.push(Change { part, name, file, edit, next: self.next });
            }
            Ok((file, None)) => {
                self.plan.unchanged += 1;
                if let Some(unchanged_message) = unchanged_message.filter(|_| self.is_named) {
                    let path = shown(file.path());
                    report::print_message(format_args!("{name}: {unchanged_message} {path}"));
                }
            }
            Err(error) => self.plan.fail(&error),
        }
    }
}

/// The file at the root with instructions for most agents.
const AGENTS: &str = "AGENTS.md";

/// The file with instructions that Claude Code reads instead.
const CLAUDE: &str = "CLAUDE.md";

/// Returns true if a file includes the file `name` of the root with `@`.
fn includes(file: &Path, name: &str) -> bool {
    let text = SettingsFile::read(file, None);
    let is_include = |word: &str| {
        let path = word.strip_prefix('@').map(|path| path.trim_end_matches(['.', ',', ')']));
        path.is_some_and(|path| path.trim_start_matches("./").trim_start_matches("../") == name)
    };
    text.is_ok_and(|file| file.text().split_whitespace().any(is_include))
}

impl Change {
    /// Returns the change as a diff with a title.
    pub(super) fn diff(&self) -> String {
        let path = self.file.path().display().to_string();
        let before = if self.file.exists() { path.as_str() } else { "/dev/null" };
        let after = if self.deletes_file() { "/dev/null" } else { path.as_str() };
        let text = if self.deletes_file() { "" } else { self.edit.text.as_str() };
        let diff = diff::unified((before, after), self.file.text(), text);
        let what = match (self.edit.act, self.part) {
            (Act::Adds, Part::GitHook) => "add `codedb check`",
            (Act::Adds, _) => "add codedb",
            (Act::Moves, _) => "update codedb",
            (Act::Replaces, _) => "replace another entry named codedb",
            (Act::Removes | Act::RemovesAll, _) => "remove codedb",
        };
        format!("{}: {what}\n{diff}", self.name)
    }

    /// Returns true if the file is deleted. A symbolic link and its target are kept.
    fn deletes_file(&self) -> bool {
        self.edit.act == Act::RemovesAll && !self.file.is_link()
    }

    /// Writes the change and reports it.
    ///
    /// # Errors
    ///
    /// As [`SettingsFile::write`] and [`SettingsFile::remove`].
    pub(super) fn write(&self, options: &InitOptions) -> Result<()> {
        let path = shown(self.file.path());
        if self.deletes_file() {
            self.file.remove()?;
            // A skill has a directory of its own, in that of all skills.
            let levels = if self.part == Part::Skill { 3 } else { 1 };
            if options.scope == Scope::Project {
                files::remove_empty_directories(self.file.path(), levels, &options.root);
            } else if self.part == Part::Skill {
                files::remove_empty_directories(self.file.path(), levels, &options.homes.home);
            }
            report::print_message(format_args!(
                "{}: {path} contained nothing else; file deleted",
                self.name
            ));
            return Ok(());
        }
        self.file.write(&self.edit.text)?;
        if self.part == Part::GitHook && !options.is_removal {
            git_hook_file::make_executable(self.file.path())?;
        }
        let what = match (options.is_removal, self.part) {
            (true, _) => "removed from",
            (false, Part::Hook | Part::GitHook) => "installed in",
            (false, Part::Note) => "note added to",
            (false, Part::Skill) => "written to",
            (false, Part::Registration) => "registered in",
        };
        let next = self.next.map(|next| format!("; {next}")).unwrap_or_default();
        report::print_message(format_args!("{}: {what} {path}{next}", self.name));
        Ok(())
    }
}

/// Returns a path for messages.
fn shown(path: &Path) -> String {
    report::plain(&path.display().to_string())
}
