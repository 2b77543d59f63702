//! The table of agents and editors: where each stores its servers, and which paths show that it is
//! in use.

use std::path::{Path, PathBuf};

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
}

/// The scope of settings.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scope {
    /// For everybody who works in a tree; the settings are files of the tree.
    Project,
    /// For one user and all trees; the settings are in the home directory.
    User,
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
    },
    Client {
        id: "codex",
        name: "Codex",
        format: Format::Toml,
        user: |homes| vec![homes.codex.join("config.toml")],
        user_signs: |homes| vec![homes.codex.clone()],
        project: &[".codex/config.toml"],
        project_signs: &[".codex"],
    },
    Client {
        id: "cursor",
        name: "Cursor",
        format: servers("mcpServers"),
        user: |homes| vec![homes.home.join(".cursor/mcp.json")],
        user_signs: |homes| vec![homes.home.join(".cursor")],
        project: &[".cursor/mcp.json"],
        project_signs: &[".cursor"],
    },
    Client {
        id: "gemini",
        name: "Gemini CLI",
        format: servers("mcpServers"),
        user: |homes| vec![homes.home.join(".gemini/settings.json")],
        user_signs: |homes| vec![homes.home.join(".gemini")],
        project: &[".gemini/settings.json"],
        project_signs: &[".gemini"],
    },
    Client {
        id: "vscode",
        name: "VS Code",
        format: servers("servers"),
        user: |homes| vec![homes.desktop.join("Code/User/mcp.json")],
        user_signs: |homes| vec![homes.desktop.join("Code")],
        project: &[".vscode/mcp.json"],
        project_signs: &[".vscode"],
    },
    Client {
        id: "zed",
        name: "Zed",
        format: servers("context_servers"),
        user: |homes| vec![homes.zed.join("settings.json")],
        user_signs: |homes| vec![homes.zed.clone()],
        project: &[".zed/settings.json"],
        project_signs: &[".zed"],
    },
    Client {
        id: "windsurf",
        name: "Windsurf",
        format: servers("mcpServers"),
        user: |homes| vec![homes.home.join(".codeium/windsurf/mcp_config.json")],
        user_signs: |homes| vec![homes.home.join(".codeium/windsurf")],
        project: &[],
        project_signs: &[],
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
    },
];
