//! The table of agents and editors: where each stores its servers, and which paths show that it is
//! in use.

use std::path::{Path, PathBuf};

use super::agent_hook::HookEvent;
use super::{Format, Shape};

/// The directories of a user that contain settings.
#[derive(Clone, Debug)]
pub struct Homes {
    /// The home directory.
    pub home: PathBuf,
    /// The configuration directory of the XDG specification, on every system.
    pub config: PathBuf,
    /// The directory of settings of desktop programs of this system.
    pub desktop: PathBuf,
    /// Zed's directory.
    pub zed: PathBuf,
    /// Codex's directory.
    pub codex: PathBuf,
    /// The directory of Claude Code's `.claude.json`.
    pub claude: PathBuf,
    /// The directory of Claude Code's settings and skills.
    pub claude_settings: PathBuf,
}

/// The scope of settings.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scope {
    /// For everybody who works in a tree; the settings are files of the tree.
    Project,
    /// For one user and all trees; the settings are in the home directory.
    User,
}

/// A directory of skills.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SkillDir {
    /// `.agents/skills`, which most clients read.
    Agents,
    /// Claude Code's own, which some others read as well.
    Claude,
}

impl SkillDir {
    /// Returns the file of codedb's skill.
    pub fn file(self, scope: Scope, homes: &Homes, root: &Path) -> PathBuf {
        let dir = match (self, scope) {
            (SkillDir::Agents, Scope::User) => homes.home.join(".agents"),
            (SkillDir::Agents, Scope::Project) => root.join(".agents"),
            (SkillDir::Claude, Scope::User) => homes.claude_settings.clone(),
            (SkillDir::Claude, Scope::Project) => root.join(".claude"),
        };
        dir.join("skills/codedb/SKILL.md")
    }
}

/// The hooks of an agent.
#[derive(Debug)]
pub struct Hooks {
    /// When the hook runs.
    pub event: HookEvent,
    /// What the user does before the client runs it, if anything.
    pub consent: Option<&'static str>,
    /// The user's settings that contain hooks.
    user: fn(&Homes) -> Vec<PathBuf>,
    /// The project's settings that contain hooks.
    project: &'static [&'static str],
}

impl Hooks {
    /// Returns the files that can contain hooks, the default first.
    pub fn files(&self, scope: Scope, homes: &Homes, root: &Path) -> Vec<PathBuf> {
        match scope {
            Scope::User => (self.user)(homes),
            Scope::Project => self.project.iter().map(|path| root.join(path)).collect(),
        }
    }
}

/// An agent or editor.
#[derive(Debug)]
pub struct Client {
    /// The name for `--client`.
    pub id: &'static str,
    /// The display name.
    pub name: &'static str,
    /// The format of its servers.
    pub format: Format,
    /// The user's settings; if there are several, the first that exists is used.
    user: fn(&Homes) -> Vec<PathBuf>,
    /// Paths that exist only for users of the client.
    user_signs: fn(&Homes) -> Vec<PathBuf>,
    /// The project's settings, relative to the root; empty if the client has none.
    project: &'static [&'static str],
    /// Paths that exist only in projects of its users.
    project_signs: &'static [&'static str],
    /// The directories of skills that it reads, the preferred one first; empty if it has no skills.
    pub skills: &'static [SkillDir],
    /// Its hooks, if their output reaches the model.
    pub hooks: Option<Hooks>,
}

impl Client {
    /// Returns the files that can contain its settings, the default first; empty if it has none of
    /// that scope.
    pub fn files(&self, scope: Scope, homes: &Homes, root: &Path) -> Vec<PathBuf> {
        match scope {
            Scope::User => (self.user)(homes),
            Scope::Project => self.project.iter().map(|path| root.join(path)).collect(),
        }
    }

    /// Returns paths of which at least one exists where the client is in use.
    pub fn signs(&self, scope: Scope, homes: &Homes, root: &Path) -> Vec<PathBuf> {
        let mut signs = (self.user_signs)(homes);
        if scope == Scope::Project {
            signs.extend(self.project_signs.iter().map(|path| root.join(path)));
        }
        signs
    }
}

const fn servers(container: &'static str) -> Format {
    Format::Jsonc { container, shape: Shape::CommandAndArgs }
}

/// Reads both directories of skills.
const BOTH: &[SkillDir] = &[SkillDir::Agents, SkillDir::Claude];

/// All clients, in the order in which they are listed.
pub const CLIENTS: &[Client] = &[
    Client {
        id: "claude-code",
        name: "Claude Code",
        format: servers("mcpServers"),
        user: |homes| vec![homes.claude.join(".claude.json")],
        user_signs: |homes| vec![homes.claude.join(".claude.json"), homes.home.join(".claude")],
        project: &[".mcp.json"],
        project_signs: &[".mcp.json", ".claude", "CLAUDE.md"],
        skills: &[SkillDir::Claude],
        hooks: Some(Hooks {
            event: HookEvent { name: "PreToolUse", tools: "Bash|Grep|Glob" },
            consent: None,
            user: |homes| vec![homes.claude_settings.join("settings.json")],
            project: &[".claude/settings.json", ".claude/settings.local.json"],
        }),
    },
    Client {
        id: "codex",
        name: "Codex",
        format: Format::Toml,
        user: |homes| vec![homes.codex.join("config.toml")],
        user_signs: |homes| vec![homes.codex.clone()],
        project: &[".codex/config.toml"],
        project_signs: &[".codex"],
        skills: &[SkillDir::Agents],
        hooks: Some(Hooks {
            // Older versions ignore the output of `PreToolUse`.
            event: HookEvent { name: "PostToolUse", tools: "Bash" },
            consent: Some("trust it in Codex with `/hooks`"),
            user: |homes| vec![homes.codex.join("hooks.json")],
            project: &[".codex/hooks.json"],
        }),
    },
    Client {
        id: "cursor",
        name: "Cursor",
        format: servers("mcpServers"),
        user: |homes| vec![homes.home.join(".cursor/mcp.json")],
        user_signs: |homes| vec![homes.home.join(".cursor")],
        project: &[".cursor/mcp.json"],
        project_signs: &[".cursor"],
        skills: BOTH,
        hooks: None,
    },
    Client {
        id: "gemini",
        name: "Gemini CLI",
        format: servers("mcpServers"),
        user: |homes| vec![homes.home.join(".gemini/settings.json")],
        user_signs: |homes| vec![homes.home.join(".gemini")],
        project: &[".gemini/settings.json"],
        project_signs: &[".gemini"],
        skills: &[SkillDir::Agents],
        hooks: Some(Hooks {
            event: HookEvent {
                name: "AfterTool",
                tools: "run_shell_command|search_file_content|grep_search|glob",
            },
            consent: None,
            user: |homes| vec![homes.home.join(".gemini/settings.json")],
            project: &[".gemini/settings.json"],
        }),
    },
    Client {
        id: "vscode",
        name: "VS Code",
        format: servers("servers"),
        user: |homes| vec![homes.desktop.join("Code/User/mcp.json")],
        user_signs: |homes| vec![homes.desktop.join("Code")],
        project: &[".vscode/mcp.json"],
        project_signs: &[".vscode"],
        skills: BOTH,
        hooks: None,
    },
    Client {
        id: "zed",
        name: "Zed",
        format: servers("context_servers"),
        user: |homes| vec![homes.zed.join("settings.json")],
        user_signs: |homes| vec![homes.zed.clone()],
        project: &[".zed/settings.json"],
        project_signs: &[".zed"],
        skills: &[],
        hooks: None,
    },
    Client {
        id: "windsurf",
        name: "Windsurf",
        format: servers("mcpServers"),
        user: |homes| vec![homes.home.join(".codeium/windsurf/mcp_config.json")],
        user_signs: |homes| vec![homes.home.join(".codeium/windsurf")],
        project: &[],
        project_signs: &[],
        skills: BOTH,
        hooks: None,
    },
    Client {
        id: "opencode",
        name: "opencode",
        format: Format::Jsonc { container: "mcp", shape: Shape::LocalCommand },
        user: |homes| {
            let folder = homes.config.join("opencode");
            vec![folder.join("opencode.json"), folder.join("opencode.jsonc")]
        },
        user_signs: |homes| vec![homes.config.join("opencode")],
        project: &["opencode.json", "opencode.jsonc"],
        project_signs: &["opencode.json", "opencode.jsonc", ".opencode"],
        skills: BOTH,
        hooks: None,
    },
];
